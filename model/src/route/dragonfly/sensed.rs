//! What decisions read of the outputs: places in use, room, and how many packets want them (contention counters).
//!
//! Source: reference page of Dragonfly routing, "What is sensed".

use super::choice_registers::{link, place, CASES};
use crate::bits::{ones, MAX_PORTS};
use crate::registers::dragonfly_registers::DragonflySettings;
use railyard_spec::legal::PacketClass;
use railyard_spec::{DragonflyShape, Shape};

/// The registers of all outputs.
#[derive(Clone, Debug)]
pub struct Sensed {
    built: DragonflyShape,
    vcs: usize,
    depth: i32,
    max_flits: i32,
    in_use: Vec<i32>,
    fits: Vec<bool>,
    available: u64,
    contention: [u32; MAX_PORTS],
    hot: u64,
    hot_hybrid: u64,
}

impl Sensed {
    /// Of a switch of that shape.
    pub fn new(shape: &Shape, built: &DragonflyShape) -> Self {
        Sensed {
            built: built.clone(),
            vcs: shape.vcs,
            depth: shape.buffer_flits as i32,
            max_flits: shape.max_flits as i32,
            in_use: vec![0; shape.ports],
            fits: vec![false; shape.ports * CASES * 2],
            available: 0,
            contention: [0; MAX_PORTS],
            hot: 0,
            hot_hybrid: 0,
        }
    }

    /// Q: places in use behind an output.
    pub fn in_use(&self, output: u8) -> i64 {
        self.in_use[output as usize] as i64
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
    /// `changed`. `available` is the mask over outputs, `counted` the packets that are counted for each output.
    pub fn step(
        &mut self,
        settings: &DragonflySettings,
        changed: u64,
        room: impl Fn(usize, usize) -> i32,
        available: u64,
        counted: [u32; MAX_PORTS],
    ) {
        self.available = available;
        let above = |threshold, counts: &[u32]| {
            counts.iter().enumerate().fold(0, |mask, (o, &count)| mask | u64::from(count >= threshold) << o)
        };
        self.hot = above(settings.threshold, &self.contention);
        self.hot_hybrid = above(settings.hybrid, &self.contention);
        self.contention = counted;
        for output in ones(changed) {
            self.in_use[output] = (0..self.vcs).map(|vc| self.depth - room(output, vc)).sum();
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
}
