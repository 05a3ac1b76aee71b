//! Which virtual channel a hop takes: the rules, and the choice registers that all but one of them read.
//!
//! Source: reference page of Dragonfly routing, "Rules".

use crate::bits::ones;
use crate::registers::dragonfly_registers::DragonflySettings;
use railyard_spec::legal::{Letter, PacketClass};
use railyard_spec::misrouting::PortKind;
use railyard_spec::{DragonflyShape, Shape};
use std::cmp::Reverse;

/// The rule that goes by chance.
const RANDOM: u32 = 4;

/// Cases of a hop.
pub const CASES: usize = 4;

/// The choice registers of all outputs, and the indices by which minimal ways climb.
#[derive(Clone, Debug)]
pub struct ChoiceRegisters {
    built: DragonflyShape,
    /// Index of each VC, by class of links.
    indices: [Vec<usize>; 2],
    requests: usize,
    vcs: usize,
    max_flits: i32,
    /// Bits of a VC's key.
    key_bits: usize,
    /// By output, case and class.
    best: Vec<Option<u8>>,
}

impl ChoiceRegisters {
    /// Of a switch of that shape.
    pub fn new(shape: &Shape, built: &DragonflyShape) -> Self {
        let letters = built.reference().letters();
        let places = |letter| letters.iter().enumerate().filter(move |(_, other)| **other == letter).map(|(at, _)| at);
        ChoiceRegisters {
            indices: Letter::ALL.map(|letter| places(letter).collect()),
            requests: built.reference().of_requests().len(),
            vcs: shape.vcs,
            max_flits: shape.max_flits as i32,
            key_bits: DragonflyShape::key_bits(shape.vcs),
            best: vec![None; shape.ports * CASES * 2],
            built: built.clone(),
        }
    }

    /// The first index of a packet that came by a port and VC; none if no VC is behind it.
    pub fn first_index(&self, port: usize, vc: usize, class: PacketClass) -> Option<usize> {
        match DragonflyShape::letter(self.built.kind(port)) {
            Some(letter) => self.indices[letter as usize].get(vc).map(|index| index + 1),
            None if class == PacketClass::Request => Some(0),
            None => Some(self.requests),
        }
    }

    /// Rule "next": the lowest legal VC that is not below the first index, or the highest of all.
    pub fn next(&self, legal: u32, letter: Letter, first: Option<usize>) -> Option<u8> {
        let climbs = |vc: usize| first.is_some_and(|first| self.indices[letter as usize][vc] >= first);
        let vcs = || (0..self.indices[letter as usize].len()).filter(|vc| legal >> vc & 1 == 1);
        vcs().find(|&vc| climbs(vc)).or(vcs().next_back()).map(|vc| vc as u8)
    }

    /// The choice register of an output, case and class.
    pub fn best(&self, output: usize, case: u8, class: PacketClass) -> Option<u8> {
        self.best[place(output, case, class)]
    }

    /// All choice registers.
    pub fn all(&self) -> &[Option<u8>] {
        &self.best
    }

    /// Chooses for the next cycle; `room` gives the free places of an output and VC, `draw` what an output's port has
    /// drawn. Nothing but draws has changed at outputs that are not in the mask `changed`.
    pub fn step(
        &mut self,
        settings: &DragonflySettings,
        changed: u64,
        room: impl Fn(usize, usize) -> i32,
        draw: impl Fn(usize) -> u32,
    ) {
        if !self.built.flexible_vcs {
            return;
        }
        let all = u64::MAX >> (64 - self.best.len() / (CASES * 2));
        let outputs = if settings.rule == RANDOM { all } else { changed };
        for output in ones(outputs).filter(|&output| output >= self.built.node_ports) {
            let letter = link(self.built.kind(output));
            let fits = self.fitting(output, &room);
            for &class in self.built.packet_classes() {
                for case in 0..CASES as u8 {
                    let legal = settings.legal(class, letter, case);
                    let key = |vc: usize| draw(output) >> (vc * self.key_bits) & ((1 << self.key_bits) - 1);
                    let chosen = choose(settings.rule, legal, legal & fits, |vc| room(output, vc), key);
                    self.best[place(output, case, class)] = chosen;
                }
            }
        }
    }

    /// Mask of the VCs on which a packet has room.
    fn fitting(&self, output: usize, room: impl Fn(usize, usize) -> i32) -> u32 {
        let vcs = (0..self.vcs).filter(|&vc| room(output, vc) >= self.max_flits);
        vcs.fold(0, |mask, vc| mask | 1 << vc)
    }
}

/// The choice among legal VCs; those with room come first.
fn choose(rule: u32, legal: u32, roomy: u32, room: impl Fn(usize) -> i32, key: impl Fn(usize) -> u32) -> Option<u8> {
    let highest = |mask: u32| mask.checked_ilog2().map(|vc| vc as usize);
    let chosen = match rule {
        1 => ones(roomy.into()).max_by_key(|&vc| (room(vc), vc)),
        3 => ones(roomy.into()).next(),
        RANDOM => ones(roomy.into()).min_by_key(|&vc| (key(vc), Reverse(vc))),
        _ => highest(roomy),
    };
    chosen.or(highest(legal)).map(|vc| vc as u8)
}

/// The class of a link to another switch.
pub(super) fn link(kind: PortKind) -> Letter {
    DragonflyShape::letter(kind).expect("a link to another switch")
}

#[inline]
pub(super) fn place(output: usize, case: u8, class: PacketClass) -> usize {
    (output * CASES + case as usize) * 2 + class as usize
}
