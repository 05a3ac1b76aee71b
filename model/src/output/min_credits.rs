//! Credits of minimal packets: how many flits of packets that have left their minimal way nowhere were freed here, and
//! how many are in the next buffers.
//!
//! Source: reference page of Dragonfly routing, "Minimal packets".

use crate::bits::{ones, MAX_PORTS};
use crate::pins::{Inputs, Outputs};
use railyard_spec::dragonfly::HeaderField;
use railyard_spec::Shape;
use std::ops::Range;

/// Flits of minimal packets that were sent on one (output, VC), and the last total of those freed.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    sent: u32,
    freed: u32,
}

/// The counters of all local and global ports.
#[derive(Clone, Debug)]
pub struct MinCredits {
    field: HeaderField,
    links: Range<usize>,
    vcs: usize,
    /// VCs that are built at each port.
    built: Vec<usize>,
    mask: u32,
    depths: Vec<u32>,
    /// Whether the packet that is popped from (port, VC) is minimal.
    popping: Vec<bool>,
    /// Mask over outputs whose packet at `tx_*` is minimal.
    leaving: u64,
    /// Mask over outputs at whose `tx_*` a flit of a minimal packet is in this cycle, and its VC.
    at_pins: u64,
    on: [u8; MAX_PORTS],
    /// At `output * vcs + vc`.
    next: Vec<Totals>,
    /// By output: flits of minimal packets in the next buffers of all VCs.
    in_use: Vec<i32>,
}

impl MinCredits {
    /// Of a switch of that shape, if its credit reports tell minimal packets apart.
    pub fn new(shape: &Shape) -> Option<Box<MinCredits>> {
        let built = shape.dragonfly()?;
        let elements = shape.ports * shape.vcs;
        Some(Box::new(MinCredits {
            field: built.header().minimal?,
            links: built.node_ports..shape.ports,
            vcs: shape.vcs,
            built: (0..shape.ports).map(|port| shape.vcs_at(port)).collect(),
            mask: (1 << shape.credit_bits) - 1,
            depths: (0..shape.ports).map(|port| shape.depth_at(port)).collect(),
            popping: vec![false; elements],
            leaving: 0,
            at_pins: 0,
            on: [0; MAX_PORTS],
            next: vec![Totals::default(); elements],
            in_use: vec![0; shape.ports],
        }))
    }

    /// Flits of minimal packets behind each output: those of this cycle, up to [`MinCredits::step`].
    pub fn in_use(&self) -> &[i32] {
        &self.in_use
    }

    /// A flit is popped from (port, VC), as it came.
    #[inline]
    pub fn popped(&mut self, port: usize, vc: usize, is_head: bool, flit: &[u32], totals: &mut [u16]) {
        if !self.links.contains(&port) {
            return;
        }
        let element = port * self.vcs + vc;
        if is_head {
            self.popping[element] = self.is_minimal(flit);
        }
        let total = u32::from(totals[element]) + u32::from(self.popping[element]);
        totals[element] = (total & self.mask) as u16;
    }

    /// One cycle, in which the reports of `pins` come; `out` are the pins of the next one.
    #[inline]
    pub fn step(&mut self, pins: &Inputs, out: &Outputs) {
        let k = self.vcs;
        let (links, in_use, next) = (self.links.clone(), &mut self.in_use, &mut self.next);
        let (mask, depths, built) = (self.mask, &self.depths, &self.built);
        let outstanding = |totals: Totals| (totals.sent.wrapping_sub(totals.freed) & mask) as i32;
        pins.tx_credit_valid.each(|element| {
            let (output, report) = (element / k, u32::from(pins.tx_min_credit[element]));
            let totals = &mut next[element];
            let is_built = links.contains(&output) && element % k < built[output];
            if !is_built || totals.sent.wrapping_sub(report) & mask > depths[output] {
                return;
            }
            in_use[output] -= outstanding(*totals);
            totals.freed = report;
            in_use[output] += outstanding(*totals);
        });
        for output in ones(self.at_pins) {
            let totals = &mut next[output * k + self.on[output] as usize];
            in_use[output] -= outstanding(*totals);
            totals.sent = (totals.sent + 1) & mask;
            in_use[output] += outstanding(*totals);
        }
        self.see(out);
    }

    /// Which flits at the pins of the next cycle count.
    fn see(&mut self, out: &Outputs) {
        self.at_pins = 0;
        for output in ones(out.tx_valid).filter(|output| self.links.contains(output)) {
            // A message counts no more than it opens or ends a packet.
            if out.tx_vc[output] as usize >= self.vcs {
                continue;
            }
            if out.tx_head >> output & 1 == 1 {
                let is_minimal = self.is_minimal(out.flit(output));
                self.leaving = self.leaving & !(1 << output) | u64::from(is_minimal) << output;
            }
            self.at_pins |= self.leaving & 1 << output;
            self.on[output] = out.tx_vc[output];
        }
    }

    fn is_minimal(&self, flit: &[u32]) -> bool {
        let low = self.field.low as usize;
        flit[low / 32] >> (low % 32) & 1 == 1
    }

    /// Reset: nothing was sent, and nothing freed.
    pub fn reset(&mut self) {
        self.popping.fill(false);
        (self.leaving, self.at_pins) = (0, 0);
        self.next.fill(Totals::default());
        self.in_use.fill(0);
    }
}
