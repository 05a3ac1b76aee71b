//! Saturated global links (PiggyBack): which of its own a router finds saturated, and which the others have told of.
//!
//! Source: reference page of Dragonfly routing, "Saturated global links".

use crate::registers::dragonfly_registers::DragonflySettings;
use railyard_spec::DragonflyShape;
use std::ops::Range;

/// After so many cycles without a message there is one in any case.
const LONGEST_PAUSE: u32 = 255;

/// The bits of a switch.
#[derive(Clone, Debug)]
pub struct Saturation {
    globals: Range<usize>,
    locals: Range<usize>,
    /// The global output that is looked at.
    pointer: usize,
    sum: i64,
    /// What the last cycle has found of an output.
    found: Option<(usize, bool)>,
    /// S.
    saturated: u64,
    told: u64,
    pause: u32,
    /// By local port.
    heard: Vec<u64>,
}

impl Saturation {
    /// Of a switch like that, after reset.
    pub fn new(built: &DragonflyShape) -> Self {
        let locals = built.node_ports..built.node_ports + built.local_ports;
        Saturation {
            globals: locals.end..locals.end + built.global_ports,
            pointer: 0,
            sum: 0,
            found: None,
            saturated: 0,
            told: 0,
            pause: 0,
            heard: vec![0; locals.len()],
            locals,
        }
    }

    /// What is to be sent.
    pub fn told(&self) -> u64 {
        self.told
    }

    /// Whether a global link of this switch is saturated, by its port.
    pub fn is_saturated(&self, port: usize) -> bool {
        self.saturated >> (port - self.globals.start) & 1 == 1
    }

    /// Whether a global link of the switch behind a local port is said to be.
    pub fn is_saturated_behind(&self, port: usize, link: u8) -> bool {
        self.heard[port - self.locals.start] >> link & 1 == 1
    }

    /// One cycle; `weights` are the places in use behind each output. Gives whether a message falls due in it.
    pub fn step(&mut self, settings: &DragonflySettings, weights: &[i32]) -> bool {
        let is_told = self.pause == LONGEST_PAUSE || self.saturated != self.told && self.pause >= settings.gap;
        if is_told {
            self.told = self.saturated;
        }
        self.pause = if is_told { 0 } else { self.pause + 1 };
        if let Some((link, is_saturated)) = self.found {
            self.saturated = self.saturated & !(1 << link) | u64::from(is_saturated) << link;
        }
        let of_globals = &weights[self.globals.clone()];
        let four_links = 4 * of_globals.len() as i64;
        let limit =
            i64::from(settings.saturation_factor) * self.sum + four_links * i64::from(settings.saturation_offset);
        self.found = Some((self.pointer, four_links * i64::from(of_globals[self.pointer]) > limit));
        self.sum = of_globals.iter().map(|&places| i64::from(places)).sum();
        self.pointer = (self.pointer + 1) % of_globals.len();
        is_told
    }

    /// A message was taken at a local port in this cycle.
    pub fn hear(&mut self, port: usize, payload: u64) {
        self.heard[port - self.locals.start] = payload & ((1 << self.globals.len()) - 1);
    }
}
