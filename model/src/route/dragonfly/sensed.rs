//! What decisions read of the outputs: places in use, room, and how many packets want them (contention counters).
//!
//! Source: reference page of Dragonfly routing, "What is sensed".

use super::choice_registers::{link, place, CASES};
use crate::bits::{ones, MAX_PORTS};
use crate::registers::dragonfly_registers::DragonflySettings;
use railyard_spec::legal::PacketClass;
use railyard_spec::{DragonflyShape, Shape};

/// The trigger that goes by filtered counts.
const FILTERED: u32 = 3;
/// Parts of a packet in filtered counts.
const PARTS: u32 = 128;

/// The registers of all outputs.
#[derive(Clone, Debug)]
pub struct Sensed {
    built: DragonflyShape,
    vcs: usize,
    /// Of the buffers behind each output.
    depths: Vec<i32>,
    max_flits: i32,
    in_use: Vec<i32>,
    /// Weights, if they can differ from places in use: those of this cycle, and those that are compared.
    weights: Option<[Vec<i32>; 2]>,
    fits: Vec<bool>,
    available: u64,
    /// C of this cycle, and of the next one.
    contention: [[u32; MAX_PORTS]; 2],
    /// F: C smoothed over time, in parts of 128.
    filtered: Vec<i32>,
    hot: u64,
    hot_hybrid: u64,
    /// Outputs with enough places in use to go around.
    full: u64,
    limits: Vec<i64>,
    bounds: Vec<i64>,
    /// What `light` and `long` of this cycle compare: places in use, limits and bounds of the last one.
    compared: Compared,
}

/// What is counted for each output in a cycle.
#[derive(Clone, Copy, Debug)]
pub struct OutputCounts<'a> {
    /// Packets whose minimal port it is.
    pub packets: [u32; MAX_PORTS],
    /// Flits of minimal packets in the next buffers, if these are told apart.
    pub minimal: Option<&'a [i32]>,
}

/// Numbers of all outputs in one cycle.
#[derive(Clone, Debug, Default)]
struct Compared {
    in_use: Vec<i32>,
    limits: Vec<i64>,
    bounds: Vec<i64>,
}

impl Sensed {
    /// Of a switch of that shape.
    pub fn new(shape: &Shape, built: &DragonflyShape) -> Self {
        Sensed {
            built: built.clone(),
            vcs: shape.vcs,
            depths: (0..shape.ports).map(|port| shape.depth_at(port) as i32).collect(),
            max_flits: shape.max_flits as i32,
            in_use: vec![0; shape.ports],
            weights: built.min_credits.then(|| [vec![0; shape.ports], vec![0; shape.ports]]),
            fits: vec![false; shape.ports * CASES * 2],
            available: u64::MAX,
            contention: [[0; MAX_PORTS]; 2],
            filtered: vec![0; if built.filter { shape.ports } else { 0 }],
            hot: 0,
            hot_hybrid: 0,
            full: 0,
            limits: vec![0; shape.ports],
            bounds: vec![0; shape.ports],
            compared: Compared {
                in_use: vec![0; shape.ports],
                limits: vec![0; shape.ports],
                bounds: vec![0; shape.ports],
            },
        }
    }

    /// Whether an output has enough places in use to go around.
    pub fn is_full(&self, output: u8) -> bool {
        self.full >> output & 1 == 1
    }

    /// Whether so little is in use behind a candidate that packets may go around an output by it.
    pub fn is_light(&self, candidate: u8, output: u8) -> bool {
        i64::from(self.compared.in_use[candidate as usize]) <= self.compared.limits[output as usize]
    }

    /// Whether so much more is in use behind an output than behind a candidate that packets go to a via.
    pub fn is_long(&self, output: u8, candidate: u8) -> bool {
        i64::from(self.weights()[output as usize]) > self.compared.bounds[candidate as usize]
    }

    /// The weight of each output in the cycle of the last step: its places in use, or those of minimal packets.
    pub fn weights(&self) -> &[i32] {
        self.weights.as_ref().map_or(&self.compared.in_use, |[_, compared]| compared)
    }

    /// Whether a legal VC has room for a packet.
    pub fn fits(&self, output: u8, case: u8, class: PacketClass) -> bool {
        self.fits[place(output as usize, case, class)]
    }

    /// Whether an output was not available.
    pub fn is_busy(&self, output: u8) -> bool {
        self.available >> output & 1 == 0
    }

    /// Whether many packets want an output.
    pub fn is_hot(&self, output: u8) -> bool {
        self.hot >> output & 1 == 1
    }

    /// The same, by the threshold of the hybrid trigger.
    pub fn is_hot_hybrid(&self, output: u8) -> bool {
        self.hot_hybrid >> output & 1 == 1
    }

    /// One cycle: `room` gives the free places of an output and VC, which are as before but for the outputs of the mask
    /// `changed`. `available` is the mask over outputs, `counted` what is counted for each.
    pub fn step(
        &mut self,
        settings: &DragonflySettings,
        changed: u64,
        room: impl Fn(usize, usize) -> i32,
        available: u64,
        counted: OutputCounts<'_>,
    ) {
        self.available = available;
        self.compare(settings);
        self.heat(settings, counted.packets);
        for output in ones(changed) {
            self.in_use[output] = (0..self.vcs).map(|vc| self.depths[output] - room(output, vc)).sum();
        }
        if let Some([weights, _]) = &mut self.weights {
            let minimal = counted.minimal.filter(|_| settings.senses_minimal);
            weights.copy_from_slice(minimal.unwrap_or(&self.in_use));
        }
        for output in ones(changed).filter(|&output| output >= self.built.node_ports) {
            let letter = link(self.built.kind(output));
            for &class in self.built.packet_classes() {
                for case in 0..CASES as u8 {
                    let legal = u64::from(settings.legal(class, letter, case));
                    let fits = ones(legal).any(|vc| room(output, vc) >= self.max_flits);
                    self.fits[place(output, case, class)] = fits;
                }
            }
        }
    }

    /// Which outputs many packets want, by the counts of this cycle.
    fn heat(&mut self, settings: &DragonflySettings, counted: [u32; MAX_PORTS]) {
        let [now, next] = self.contention;
        let above = |threshold| {
            now.iter().enumerate().fold(0, |mask, (output, &count)| mask | u64::from(count >= threshold) << output)
        };
        self.hot = above(settings.threshold);
        self.hot_hybrid = above(settings.hybrid);
        if settings.trigger == FILTERED {
            let threshold = (PARTS * settings.threshold) as i32;
            self.hot =
                self.filtered.iter().enumerate().fold(0, |mask, (o, &count)| mask | u64::from(count >= threshold) << o);
        }
        let round_up = (1 << settings.shift) - 1;
        for (filtered, &count) in self.filtered.iter_mut().zip(&now) {
            *filtered += ((PARTS * count) as i32 - *filtered + round_up) >> settings.shift;
        }
        self.contention = [next, counted];
    }

    /// Before places in use change: what is compared in the next cycle, and what follows from the places of this one.
    fn compare(&mut self, settings: &DragonflySettings) {
        self.compared.in_use.copy_from_slice(&self.in_use);
        self.compared.limits.copy_from_slice(&self.limits);
        self.compared.bounds.copy_from_slice(&self.bounds);
        if let Some([weights, compared]) = &mut self.weights {
            compared.copy_from_slice(weights);
        }
        self.full = 0;
        let weights = self.weights.as_ref().map_or(&self.in_use, |[weights, _]| weights);
        for (output, (&in_use, &weight)) in self.in_use.iter().zip(weights).enumerate() {
            let (in_use, weight) = (i64::from(in_use), i64::from(weight));
            self.full |= u64::from(weight >= i64::from(settings.least)) << output;
            self.limits[output] = i64::from(settings.share) * weight >> 7;
            self.bounds[output] = (i64::from(settings.factor) * in_use >> 2) + i64::from(settings.offset);
        }
    }

    /// Becomes a copy of another one of the same switch.
    pub fn copy_from(&mut self, other: &Sensed) {
        self.fits.copy_from_slice(&other.fits);
        self.compared.in_use.copy_from_slice(&other.compared.in_use);
        self.compared.limits.copy_from_slice(&other.compared.limits);
        self.compared.bounds.copy_from_slice(&other.compared.bounds);
        if let (Some([_, compared]), Some([_, other])) = (&mut self.weights, &other.weights) {
            compared.copy_from_slice(other);
        }
        (self.available, self.full) = (other.available, other.full);
        (self.hot, self.hot_hybrid) = (other.hot, other.hot_hybrid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::apb_registers::Registers;
    use railyard_spec::Config;

    /// A filtered count rises to a steady count in the end, and falls below any threshold that is a packet above.
    #[test]
    fn filtered_counts_follow_steady_ones() {
        let text = r#"{"name": "d", "ports": 7, "virtual_channels": {"unicast": 3}, "routing": {"kind": "dragonfly",
            "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}, "vcs": {"requests":
            "lglgl"}, "adaptive": {"in_transit": true, "contention": true, "filter": true}}}"#;
        let shape = Config::from_json(text).expect("legal").shape();
        let mut settings = Registers::new(&shape).dragonfly().expect("a Dragonfly").clone();
        (settings.trigger, settings.threshold) = (FILTERED, 5);
        for (shift, least, most) in [(0, 1, 2), (1, 5, 12), (4, 40, 120), (7, 200, 1_000)] {
            settings.shift = shift;
            let mut sensed = Sensed::new(&shape, shape.dragonfly().expect("a Dragonfly"));
            let mut cycles_with = |count: u32, is_hot: bool| {
                let mut counted = [0; MAX_PORTS];
                counted[5] = count;
                let mut step = || {
                    let counted = OutputCounts { packets: counted, minimal: None };
                    sensed.step(&settings, 0, |_, _| 0, 0, counted);
                    sensed.is_hot(5)
                };
                (0..5_000).find(|_| step() == is_hot).expect("it becomes so")
            };
            // Two cycles of counting, and one of comparing, stand before and behind the filter.
            let rise = cycles_with(5, true);
            assert!((least + 2..=most + 3).contains(&rise), "shift {shift}: hot after {rise}");
            assert!(cycles_with(4, false) <= most + 3, "shift {shift}");
        }
    }
}
