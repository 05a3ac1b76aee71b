//! What the links carry: a picture of all switches' link pins for each of the last cycles.
//!
//! A link of latency L shows at its end in cycle t what was at the pins at its other end in cycle t - L; with L = 0 the
//! pins are wired to each other directly, which is sound because no output of a switch depends on an input of the same
//! cycle.

use railyard_model::Outputs;
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
    /// Its VC.
    pub vc: u8,
    /// VCs with a credit report.
    pub reports: u16,
}

/// One cycle at the link pins of all switches.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// By switch and port.
    pub lanes: Vec<Lane>,
    /// Flits, for each lane.
    pub flits: Vec<u32>,
    /// Credit totals (or, relative, what became free), for each lane and VC.
    pub credits: Vec<u16>,
}

/// The pictures of the last cycles.
#[derive(Clone, Debug)]
pub struct Pictures {
    /// By cycle modulo their number.
    last: Vec<Snapshot>,
}

impl Pictures {
    /// Enough for links of up to that latency.
    pub fn new(switches: usize, sizes: Sizes, longest: u64) -> Pictures {
        Pictures { last: vec![Snapshot::new(switches, sizes); longest as usize + 1] }
    }

    /// What was at the pins so many cycles before cycle `now`.
    #[inline]
    pub fn before(&self, now: u64, cycles: u64) -> &Snapshot {
        let count = self.last.len() as u64;
        &self.last[((now + count - cycles) % count) as usize]
    }

    /// The picture of cycle `now`, to be taken.
    pub fn of(&mut self, now: u64) -> &mut Snapshot {
        let count = self.last.len() as u64;
        &mut self.last[(now % count) as usize]
    }
}

/// Sizes of a switch's part of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Ports.
    pub ports: usize,
    /// VCs.
    pub vcs: usize,
    /// Words of a flit.
    pub words: usize,
}

impl Sizes {
    /// Those of a shape.
    pub fn new(shape: &Shape) -> Sizes {
        Sizes { ports: shape.ports, vcs: shape.vcs, words: railyard_model::flit_words(shape) }
    }
}

impl Snapshot {
    /// Nothing at any pin.
    pub fn new(switches: usize, sizes: Sizes) -> Snapshot {
        let lanes = switches * sizes.ports;
        Snapshot {
            lanes: vec![Lane::default(); lanes],
            flits: vec![0; lanes * sizes.words],
            credits: vec![0; lanes * sizes.vcs],
        }
    }

    /// The flit of a lane.
    pub fn flit(&self, lane: usize, sizes: Sizes) -> &[u32] {
        &self.flits[lane * sizes.words..(lane + 1) * sizes.words]
    }
}

/// Copies a switch's outputs into its part of a picture.
pub fn picture_of(outputs: &Outputs, sizes: Sizes, lanes: &mut [Lane], flits: &mut [u32], credits: &mut [u16]) {
    flits.copy_from_slice(&outputs.tx_flit);
    credits.copy_from_slice(&outputs.rx_credit);
    for (port, lane) in lanes.iter_mut().enumerate() {
        let reports = (0..sizes.vcs)
            .fold(0, |mask, vc| mask | u16::from(outputs.rx_credit_valid.get(port * sizes.vcs + vc)) << vc);
        *lane = Lane {
            valid: outputs.tx_valid >> port & 1 == 1,
            head: outputs.tx_head >> port & 1 == 1,
            tail: outputs.tx_tail >> port & 1 == 1,
            vc: outputs.tx_vc[port],
            reports,
        };
    }
}
