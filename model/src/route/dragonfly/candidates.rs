//! Candidate registers: what decisions read of the outputs that were drawn. They are made of the states of one cycle,
//! for all packets. Here only what a packet asks for is worked out, from a copy of these states.
//!
//! Source: reference page of Dragonfly routing, "Candidates".

use super::choice_registers::{link, place, ChoiceRegisters, CASES};
use super::sensed::Sensed;
use super::ways::Way;
use crate::registers::dragonfly_registers::DragonflySettings;
use railyard_spec::legal::PacketClass;
use railyard_spec::misrouting::PortKind;
use railyard_spec::{DragonflyShape, Shape};

/// States of the last cycle.
#[derive(Clone, Debug)]
pub struct Candidates {
    built: DragonflyShape,
    sensed: Sensed,
    /// Choice registers by output, case and class.
    best: Vec<Option<u8>>,
    detour_ports: u64,
    trigger: u32,
    /// VC of a hop to a via over a local and over a global link by the rule `next`, by class; none: another rule.
    next: Option<[[Option<u8>; 2]; 2]>,
}

/// The trigger that goes by counts for groups, too.
const BY_GROUPS: u32 = 4;

/// Case of a hop to a via.
const VIA_CASE: u8 = 3;

impl Candidates {
    /// Of a switch of that shape.
    pub fn new(shape: &Shape, built: &DragonflyShape) -> Self {
        Candidates {
            sensed: Sensed::new(shape, built),
            best: vec![None; shape.ports * CASES * 2],
            detour_ports: 0,
            trigger: 0,
            next: None,
            built: built.clone(),
        }
    }

    /// One cycle, before anything else changes in it.
    pub fn step(&mut self, settings: &DragonflySettings, sensed: &Sensed, choices: &ChoiceRegisters) {
        self.sensed.copy_from(sensed);
        self.best.copy_from_slice(choices.all());
        self.detour_ports = settings.detour_ports;
        self.trigger = settings.trigger;
        self.next = (settings.rule == 0).then(|| {
            PacketClass::ALL.map(|class| {
                [PortKind::Local, PortKind::Global].map(|kind| {
                    let legal = settings.legal(class, link(kind), VIA_CASE);
                    choices.next(legal, link(kind), choices.first_index(0, 0, class))
                })
            })
        });
    }

    /// The VC that a rule prefers at a candidate.
    pub fn best(&self, output: u8, case: u8, class: PacketClass) -> Option<u8> {
        self.best[place(output as usize, case, class)]
    }

    /// The VC of a hop to a via.
    pub fn via_vc(&self, output: u8, class: PacketClass) -> Option<u8> {
        match (self.built.kind(output as usize), &self.next) {
            (PortKind::Node, _) => Some(class as u8),
            (kind, Some(next)) => next[class as usize][usize::from(kind == PortKind::Global)],
            (_, None) => self.best(output, VIA_CASE, class),
        }
    }

    /// Whether UGAL-L asks packets to leave a minimal output for another.
    pub fn is_long(&self, minimal: u8, candidate: u8) -> bool {
        self.sensed.is_long(minimal, candidate)
    }

    /// Whether a packet may take a candidate that is drawn, whatever makes it.
    pub fn is_open(&self, candidate: u8, minimal: Way, class: PacketClass) -> bool {
        let case = if minimal.case == 0 { 1 } else { 3 };
        candidate != minimal.port
            && self.detour_ports >> candidate & 1 == 1
            && self.sensed.fits(candidate, case, class)
            && !self.sensed.is_busy(candidate)
    }

    /// Whether a packet goes around its minimal output by a candidate.
    pub fn is_detour(&self, candidate: u8, minimal: Way, class: PacketClass) -> bool {
        self.is_open(candidate, minimal, class) && self.is_triggered(candidate, minimal, class)
    }

    /// Whether a packet from a node goes around its minimal output by a candidate if many packets are for its group.
    pub fn is_away(&self, candidate: u8, minimal: Way, class: PacketClass) -> bool {
        self.trigger == BY_GROUPS && self.is_open(candidate, minimal, class) && !self.sensed.is_hot(candidate)
    }

    /// Whether a trigger that is at work holds.
    fn is_triggered(&self, candidate: u8, minimal: Way, class: PacketClass) -> bool {
        let (sensed, port) = (&self.sensed, minimal.port);
        let by_credits = || {
            sensed.is_full(port)
                && sensed.is_light(candidate, port)
                && (!sensed.fits(port, minimal.case, class) || sensed.is_busy(port))
        };
        match self.trigger {
            0 => by_credits(),
            2 => by_credits() || sensed.is_hot_hybrid(port) && !sensed.is_hot_hybrid(candidate),
            _ => sensed.is_hot(port) && !sensed.is_hot(candidate),
        }
    }
}
