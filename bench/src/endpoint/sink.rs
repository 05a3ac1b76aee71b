//! The sinks: the next buffers behind the `tx_*` pins, and the credit that they give back.

use super::minimal_totals::MinimalTotals;
use super::stall::{StallProcess, Stalls};
use crate::pins::packets_leave;
use crate::random::{Chance, Random};
use railyard_model::{bits::ones, Inputs, Outputs, VcBits};
use railyard_spec::{FlowControl, Shape};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest delay of a credit report; longer ones are cut.
pub const LONGEST_DELAY: u64 = 1023;
/// A lost report is made good by another after so many cycles at the latest.
const REPEAT: u64 = 96;
/// Set beside a channel's number in the calendar: only report, nothing becomes free.
const REPORT_ONLY: u16 = 0x8000;
/// Set beside a channel's number in the calendar: the flit is one of a minimal packet.
const MINIMAL: u16 = 0x4000;

/// How sinks give credit back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sink {
    /// Fewest cycles from a flit at `tx_*` to its credit; 0 is the same cycle.
    #[schemars(range(max = 1023))]
    pub delay_min: u64,
    /// Most cycles; every value between is as likely.
    #[schemars(range(max = 1023))]
    pub delay_max: u64,
    /// Outputs get no credit at all now and then.
    pub stalls: Option<Stalls>,
    /// Absolute credits: share of the reports that get lost on their way, in both directions.
    /// With `min_credits` so many totals of minimal packets are wrong, too.
    #[schemars(range(min = 0.0, max = 0.95))]
    pub lost: f64,
}

/// All sinks of a switch.
#[derive(Clone, Debug)]
pub struct Sinks {
    random: Random,
    vcs: usize,
    words: usize,
    /// Of each output's next buffers.
    depths: Vec<u16>,
    absolute: bool,
    credit_mask: u16,
    delay: (u64, u64),
    stalls: StallProcess,
    /// Outputs whose link has failed, as a mask.
    silent: u64,
    /// No output gets credit.
    starved: bool,
    lost: Chance,
    /// Flits freed, modulo 2^16.
    total: Vec<u16>,
    /// Flits freed and not reported.
    owed: Vec<u16>,
    /// Flits received and not reported as freed.
    held: Vec<u16>,
    /// Channels with something to report.
    pending: VcBits,
    minimal: Option<MinimalTotals>,
    /// What becomes free in which cycle.
    calendar: Vec<Vec<u16>>,
    /// The first channel that got a flit without room for it.
    overrun: Option<usize>,
}

impl Sinks {
    /// Empty sinks.
    pub fn new(shape: &Shape, sink: &Sink, seed: u64) -> Sinks {
        let mut random = Random::new(seed, 3);
        let channels = shape.ports * shape.vcs;
        let absolute = shape.flow_control == FlowControl::Absolute;
        let (fewest, most) = (sink.delay_min.min(LONGEST_DELAY), sink.delay_max.min(LONGEST_DELAY));
        Sinks {
            stalls: StallProcess::new(shape.ports, sink.stalls, &mut random),
            random,
            vcs: shape.vcs,
            words: channels.div_ceil(64),
            silent: 0,
            starved: false,
            depths: (0..shape.ports).map(|port| shape.depth_at(port) as u16).collect(),
            absolute,
            credit_mask: (1 << shape.credit_bits) - 1,
            delay: (fewest, most.max(fewest)),
            lost: if absolute { Chance::new(sink.lost) } else { Chance::NEVER },
            minimal: MinimalTotals::new(shape, Chance::new(sink.lost), seed),
            total: vec![0; channels],
            owed: vec![0; channels],
            held: vec![0; channels],
            pending: VcBits::default(),
            calendar: vec![Vec::new(); LONGEST_DELAY as usize + 1],
            overrun: None,
        }
    }

    /// The switch was reset: empty, counting from 0.
    pub fn reset(&mut self) {
        self.total.fill(0);
        self.owed.fill(0);
        self.held.fill(0);
        self.pending.clear();
        self.minimal.iter_mut().for_each(MinimalTotals::reset);
        self.calendar.iter_mut().for_each(Vec::clear);
    }

    /// No stalls and no losses more, so that all credit comes home.
    pub fn relax(&mut self) {
        self.stalls.end();
        (self.silent, self.starved) = (0, false);
        self.lost = Chance::NEVER;
        self.minimal.iter_mut().for_each(MinimalTotals::relax);
    }

    /// An output gives no credit, or gives it again.
    #[inline]
    pub fn silence(&mut self, port: usize, silent: bool) {
        self.silent = self.silent & !(1 << port) | u64::from(silent) << port;
    }

    /// No output gets credit, or all get it as usual.
    #[inline]
    pub fn starve(&mut self, starved: bool) {
        self.starved = starved;
    }

    /// Fewest flits that a channel has freed since the last reset, as far as its total counts.
    pub fn fewest_freed(&self) -> u64 {
        self.total.iter().copied().min().unwrap_or(0).into()
    }

    /// Whether all credit was given back.
    pub fn is_idle(&self) -> bool {
        self.held.iter().all(|&held| held == 0) && !self.pending.any()
    }

    /// The first channel that got a flit without room for it, if any did.
    pub fn overrun(&self) -> Option<usize> {
        self.overrun
    }

    /// Receives the flits of this cycle.
    #[inline]
    pub fn receive(&mut self, now: u64, outputs: &Outputs) {
        for port in ones(packets_leave(outputs, self.vcs)) {
            let channel = port * self.vcs + outputs.tx_vc[port] as usize;
            self.held[channel] += 1;
            if self.held[channel] > self.depths[port] && self.overrun.is_none() {
                self.overrun = Some(channel);
            }
            let is_minimal = self.minimal.as_mut().is_some_and(|minimal| minimal.see(port, outputs));
            if self.delay.1 == 0 {
                self.free(channel, is_minimal);
            } else {
                let delay = self.random.within(self.delay.0, self.delay.1);
                self.calendar[((now + delay) & LONGEST_DELAY) as usize]
                    .push(channel as u16 | if is_minimal { MINIMAL } else { 0 });
            }
        }
        if self.calendar[(now & LONGEST_DELAY) as usize].is_empty() {
            return;
        }
        let mut due = std::mem::take(&mut self.calendar[(now & LONGEST_DELAY) as usize]);
        for entry in due.drain(..) {
            match entry & REPORT_ONLY {
                0 => self.free((entry & !MINIMAL) as usize, entry & MINIMAL != 0),
                _ => self.pending.set((entry & !REPORT_ONLY) as usize),
            }
        }
        self.calendar[(now & LONGEST_DELAY) as usize] = due;
    }

    #[inline]
    fn free(&mut self, channel: usize, is_minimal: bool) {
        if let Some(minimal) = self.minimal.as_mut().filter(|_| is_minimal) {
            minimal.free(channel);
        }
        self.total[channel] = self.total[channel].wrapping_add(1);
        self.owed[channel] += 1;
        self.pending.set(channel);
    }

    /// Drives this cycle's credit reports.
    #[inline]
    pub fn report(&mut self, now: u64, inputs: &mut Inputs) {
        let starved = if self.starved { u64::MAX } else { 0 };
        let standing = self.stalls.standing(now, &mut self.random) | self.silent | starved;
        for word in 0..self.words {
            for bit in ones(self.pending.0[word]) {
                let channel = word * 64 + bit;
                if standing != 0 && standing >> (channel / self.vcs) & 1 == 1 {
                    continue;
                }
                if self.random.happens(self.lost) {
                    self.pending.put(channel, false);
                    self.calendar[((now + REPEAT) & LONGEST_DELAY) as usize].push(channel as u16 | REPORT_ONLY);
                    continue;
                }
                let flits = if self.absolute { self.owed[channel] } else { self.owed[channel].min(2) };
                self.owed[channel] -= flits;
                // Saturating: what isn't there to be freed was received during garbage or before a reset.
                self.held[channel] = self.held[channel].saturating_sub(flits);
                let value = if self.absolute { self.total[channel] & self.credit_mask } else { flits };
                inputs.credit(channel, value);
                if let Some(minimal) = &mut self.minimal {
                    inputs.min_credit(channel, minimal.report(channel));
                }
                if self.owed[channel] == 0 {
                    self.pending.put(channel, false);
                }
            }
        }
    }
}
