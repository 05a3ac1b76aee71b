//! What the links carry: a picture of all switches' link pins for each of the last cycles.
//!
//! A link of latency L shows at its end in cycle t what was at the pins at its other end in cycle t - L; with L = 0 the
//! pins are wired to each other directly, which is sound because no output of a switch depends on an input of the same
//! cycle.
//!
//! So what a switch sees in cycles t to t + L, L being the shortest latency, is known in cycle t: it makes these L + 1
//! cycles in a row, before the next switch does. Its state is fetched from memory once for all of them.

use railyard_model::bits::{ones, VcBits};
use railyard_model::{copy_flit, Outputs};
use railyard_spec::Shape;

/// What leaves by a port in a cycle, without the bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// A flit leaves.
    pub valid: bool,
    /// It is the first of a packet.
    pub head: bool,
    /// It is the last of a packet.
    pub tail: bool,
    /// Its packet has an error that was not corrected, up to this flit.
    pub bad: bool,
    /// Its VC.
    pub vc: u8,
    /// VCs with a credit report.
    pub reports: u16,
}

impl Lane {
    /// Nothing leaves.
    #[inline]
    pub fn is_idle(&self) -> bool {
        !self.valid && self.reports == 0
    }
}

/// One cycle at the link pins of all switches.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// By switch and port.
    pub lanes: Vec<Lane>,
    /// Flits, for each lane. What stands where none is valid means nothing.
    pub flits: Vec<u32>,
    /// Credit totals (or, relative, what became free), for each lane and VC.
    pub credits: Vec<u16>,
    /// Credit totals of minimal packets, if reports tell them apart.
    pub min_credits: Vec<u16>,
}

/// The pictures of the last cycles.
#[derive(Clone, Debug)]
pub struct Pictures {
    /// By cycle modulo their number. Those that are being taken are not there.
    last: Vec<Snapshot>,
    row: u64,
}

impl Pictures {
    /// Cycles of a switch in a row: more don't make it faster.
    const MOST_IN_A_ROW: u64 = 16;

    /// Enough for links of these latencies.
    pub fn new(switches: usize, sizes: PartSizes, shortest: u64, longest: u64) -> Pictures {
        let row = (shortest + 1).min(Pictures::MOST_IN_A_ROW);
        Pictures { last: vec![Snapshot::new(switches, sizes); (longest + row) as usize + 1], row }
    }

    /// Cycles that a switch can make in a row.
    pub fn row(&self) -> u64 {
        self.row
    }

    /// The place of a cycle's picture, for [`Pictures::before`].
    #[inline]
    pub fn place(&self, cycle: u64) -> usize {
        (cycle % self.last.len() as u64) as usize
    }

    /// What was at the pins so many cycles before the one at `place`.
    #[inline]
    pub fn before(&self, place: usize, cycles: u64) -> &Snapshot {
        let cycles = cycles as usize;
        &self.last[if place >= cycles { place - cycles } else { place + self.last.len() - cycles }]
    }

    /// The pictures of some cycles from `first` on, to be taken.
    pub fn take(&mut self, first: u64, cycles: u64) -> Vec<Snapshot> {
        let take = |cycle| {
            let place = self.place(cycle);
            std::mem::take(&mut self.last[place])
        };
        (first..first + cycles).map(take).collect()
    }

    /// They are taken.
    pub fn put(&mut self, first: u64, taken: Vec<Snapshot>) {
        for (cycle, snapshot) in (first..).zip(taken) {
            let place = self.place(cycle);
            self.last[place] = snapshot;
        }
    }
}

/// Sizes of a switch's part of a picture.
#[derive(Clone, Copy, Debug)]
pub struct PartSizes {
    /// Ports.
    pub ports: usize,
    /// VCs.
    pub vcs: usize,
    /// Words of a flit.
    pub words: usize,
    /// Credit reports tell minimal packets apart.
    pub has_min_credits: bool,
}

impl PartSizes {
    /// Those of a shape.
    pub fn new(shape: &Shape) -> PartSizes {
        PartSizes {
            ports: shape.ports,
            vcs: shape.vcs,
            words: railyard_model::flit_words(shape),
            has_min_credits: shape.dragonfly().is_some_and(|built| built.min_credits),
        }
    }
}

impl Snapshot {
    /// Nothing at any pin.
    pub fn new(switches: usize, sizes: PartSizes) -> Snapshot {
        let lanes = switches * sizes.ports;
        Snapshot {
            lanes: vec![Lane::default(); lanes],
            flits: vec![0; lanes * sizes.words],
            credits: vec![0; lanes * sizes.vcs],
            min_credits: vec![0; if sizes.has_min_credits { lanes * sizes.vcs } else { 0 }],
        }
    }

    /// The flit of a lane.
    #[inline]
    pub fn flit(&self, lane: usize, sizes: PartSizes) -> &[u32] {
        &self.flits[lane * sizes.words..(lane + 1) * sizes.words]
    }
}

/// A switch's part of a picture that is being taken.
pub(crate) struct Part<'a> {
    lanes: &'a mut [Lane],
    flits: &'a mut [u32],
    credits: &'a mut [u16],
    min_credits: &'a mut [u16],
}

/// The parts of some pictures: those of the first switch, in the order of the pictures, then those of the next.
pub fn parts(pictures: &mut [Snapshot], sizes: PartSizes) -> Vec<Part<'_>> {
    let PartSizes { ports, vcs, words, .. } = sizes;
    let switches = pictures.first().map_or(0, |picture| picture.lanes.len() / ports);
    let mut parts = Vec::with_capacity(switches * pictures.len());
    let of_switches = pictures.iter_mut().map(|Snapshot { lanes, flits, credits, min_credits }| {
        let mut min_credits = min_credits.chunks_mut(ports * vcs);
        let others = lanes.chunks_mut(ports).zip(flits.chunks_mut(ports * words)).zip(credits.chunks_mut(ports * vcs));
        others.map(move |((lanes, flits), credits)| {
            let min_credits = min_credits.next().unwrap_or_default();
            Part { lanes, flits, credits, min_credits }
        })
    });
    let mut of_switches: Vec<_> = of_switches.collect();
    for _ in 0..switches {
        parts.extend(of_switches.iter_mut().filter_map(Iterator::next));
    }
    parts
}

impl Part<'_> {
    /// Takes what is at a switch's outputs.
    pub fn show(&mut self, outputs: &Outputs, PartSizes { vcs, words, .. }: PartSizes) {
        self.lanes.fill(Lane::default());
        self.credits.copy_from_slice(&outputs.rx_credit);
        self.min_credits.copy_from_slice(&outputs.rx_min_credit);
        for port in ones(outputs.tx_valid) {
            let flit = port * words..(port + 1) * words;
            copy_flit(&mut self.flits[flit.clone()], &outputs.tx_flit[flit]);
            let [head, tail, bad] =
                [outputs.tx_head, outputs.tx_tail, outputs.tx_bad].map(|pins| pins >> port & 1 == 1);
            self.lanes[port] = Lane { valid: true, head, tail, bad, vc: outputs.tx_vc[port], reports: 0 };
        }
        if outputs.rx_credit_valid.any() {
            for (port, lane) in self.lanes.iter_mut().enumerate() {
                lane.reports = reports(&outputs.rx_credit_valid, port * vcs, vcs);
            }
        }
    }
}

/// `vcs` bits from bit `first` on.
#[inline]
fn reports(bits: &VcBits, first: usize, vcs: usize) -> u16 {
    let (word, shift) = (first / 64, first % 64);
    let low = bits.0[word] >> shift;
    let high = if shift + vcs > 64 { bits.0[word + 1] << (64 - shift) } else { 0 };
    (low | high) as u16 & ((1 << vcs) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_a_port_also_across_words() {
        for vcs in [1, 3, 7, 9] {
            let mut bits = VcBits::default();
            (0..64 * vcs).filter(|element| element % 5 == 0 || element % 7 == 3).for_each(|element| bits.set(element));
            for port in 0..64 {
                let expected = (0..vcs).fold(0, |mask, vc| mask | u16::from(bits.get(port * vcs + vc)) << vc);
                assert_eq!(reports(&bits, port * vcs, vcs), expected, "{vcs} {port}");
            }
        }
    }

    #[test]
    fn pictures_come_back_by_their_age() {
        let sizes = PartSizes { ports: 2, vcs: 1, words: 1, has_min_credits: false };
        let mut pictures = Pictures::new(3, sizes, 2, 5);
        assert_eq!(pictures.row(), 3);
        for first in (1..40).step_by(3) {
            let mut taken = pictures.take(first, 3);
            for (cycle, picture) in (first..).zip(&mut taken) {
                picture.credits.fill(cycle as u16);
            }
            // What the switches look at meanwhile is there.
            for (cycle, age) in (first - 1..first + 2).flat_map(|cycle| [(cycle, 2), (cycle, 5)]) {
                let seen = cycle.saturating_sub(age) as u16;
                assert!(cycle < age || pictures.before(pictures.place(cycle), age).credits == vec![seen; 6]);
            }
            assert_eq!(parts(&mut taken, sizes).len(), 9);
            pictures.put(first, taken);
        }
    }
}
