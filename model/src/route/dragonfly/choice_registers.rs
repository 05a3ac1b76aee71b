//! Which virtual channel a hop takes: the rules, and the choice registers that three of them read.
//!
//! Source: reference page of Dragonfly routing, "Rules".

use crate::bits::ones;
use crate::registers::dragonfly_registers::DragonflySettings;
use railyard_spec::legal::{Letter, PacketClass};
use railyard_spec::misrouting::PortKind;
use railyard_spec::{DragonflyShape, Shape};

/// Cases of a hop.
pub const CASES: usize = 4;

/// The choice registers of all outputs, and the indices by which minimal ways climb.
#[derive(Clone, Debug)]
pub struct ChoiceRegisters {
    built: DragonflyShape,
    /// Index of each VC, by class of links.
    indices: [Vec<usize>; 2],
    requests: usize,
    max_flits: i32,
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
            max_flits: shape.max_flits as i32,
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

    /// Chooses for the next cycle, for the outputs of a mask; `room` gives the free places of an output and VC.
    pub fn step(&mut self, settings: &DragonflySettings, outputs: u64, room: impl Fn(usize, usize) -> i32) {
        if !self.built.flexible_vcs {
            return;
        }
        for output in ones(outputs).filter(|&output| output >= self.built.node_ports) {
            let letter = link(self.built.kind(output));
            for &class in self.built.packet_classes() {
                for case in 0..CASES as u8 {
                    let legal = settings.legal(class, letter, case);
                    let chosen = self.choose(settings.rule, legal, |vc| room(output, vc));
                    self.best[place(output, case, class)] = chosen;
                }
            }
        }
    }

    /// The choice among the VCs of a mask.
    fn choose(&self, rule: u32, legal: u32, room: impl Fn(usize) -> i32) -> Option<u8> {
        let vcs = (0..u32::BITS as usize).filter(|vc| legal >> vc & 1 == 1);
        let mut candidates = vcs.clone().filter(|&vc| room(vc) >= self.max_flits);
        let chosen = match rule {
            1 => candidates.max_by_key(|&vc| (room(vc), vc)),
            3 => candidates.next(),
            _ => candidates.next_back(),
        };
        chosen.or(vcs.max()).map(|vc| vc as u8)
    }
}

/// The class of a link to another switch.
pub(super) fn link(kind: PortKind) -> Letter {
    DragonflyShape::letter(kind).expect("a link to another switch")
}

#[inline]
pub(super) fn place(output: usize, case: u8, class: PacketClass) -> usize {
    (output * CASES + case as usize) * 2 + class as usize
}
