//! Limits of buffers and credits.

use super::{Limits, Place, Seen, LOOK};
use crate::stimulus::Effort;
use railyard_bench::packets_leave;
use railyard_model::bits::ones;
use railyard_spec::{FlowControl, Shape};

/// Buffers of the switch and of those behind it, and the totals of absolute credits.
#[derive(Clone, Debug)]
pub(super) struct Links {
    vcs: usize,
    ports: usize,
    /// Places of a buffer of each port.
    depths: Vec<u32>,
    max_flits: i32,
    /// Most packets of a buffer of each port that have a route, or wait for one in a miss slot.
    packets: Vec<usize>,
    buffer: Place,
    results: Place,
    /// None of a switch that chooses outputs and VCs by itself: the stimulus can't say which of them fill.
    next_buffer: Option<Place>,
    last_fit: Option<Place>,
    drops: Option<Place>,
    totals: Option<Totals>,
    /// Packets dropped at each port, as the pins say.
    dropped: Vec<u16>,
}

/// Totals of absolute credits.
#[derive(Clone, Debug)]
struct Totals {
    freed: Place,
    sent: Option<Place>,
    mask: u16,
    /// By (port, VC): the last total at `rx_credit`, and the flits sent at `tx_*`.
    reported: Vec<u16>,
    left: Vec<u16>,
}

impl Links {
    pub(super) fn new(shape: &Shape, limits: &mut Limits) -> Links {
        let channels = shape.ports * shape.vcs;
        let (effort, is_steered) = (Effort::new(shape), shape.dragonfly().is_none());
        let built = (0..shape.ports).map(|port| shape.vcs_at(port)).sum();
        let mut add = |name, meaning, elements, cycles| {
            let place = limits.add(name, meaning, elements, cycles);
            if elements == channels {
                limits.only(place, built);
            }
            place
        };
        Links {
            vcs: shape.vcs,
            ports: shape.ports,
            depths: (0..shape.ports).map(|port| shape.depth_at(port)).collect(),
            max_flits: shape.max_flits as i32,
            packets: (0..shape.ports).map(|port| most_results(&shape.at_port(port))).collect(),
            buffer: add(
                "buffer full",
                "the buffer of an input VC holds as many flits as it can",
                channels,
                effort.fill,
            ),
            results: add(
                "route queue full",
                "as many packets of a VC as can have their route, or wait for it in a miss slot",
                channels,
                effort.short_fill,
            ),
            next_buffer: is_steered
                .then(|| add("next buffer full", "all credit of a VC behind an output is used", channels, effort.fill)),
            last_fit: is_steered.then(|| {
                let meaning = "a packet starts with room for just one longest packet behind its output";
                add("room for one packet", meaning, channels, effort.fill)
            }),
            drops: can_drop(shape).then(|| {
                let meaning = "as many packets of a port were dropped as its counter counts";
                add("drop count wraps", meaning, shape.ports, effort.drops)
            }),
            totals: (shape.flow_control == FlowControl::Absolute).then(|| Totals {
                freed: add(
                    "credit total wraps",
                    "the total of freed flits at rx_credit passes its largest value",
                    channels,
                    effort.wrap,
                ),
                sent: is_steered.then(|| {
                    let meaning = "the flits sent on a VC pass the largest total of credits";
                    add("sent total wraps", meaning, channels, effort.wrap)
                }),
                mask: (1 << shape.credit_bits) - 1,
                reported: vec![0; channels],
                left: vec![0; channels],
            }),
            dropped: vec![0; shape.ports],
        }
    }

    #[inline]
    pub(super) fn look(&mut self, seen: &Seen, limits: &mut Limits) {
        if seen.inputs.reset {
            return self.reset();
        }
        let (golden, cycle, vcs) = (seen.golden, seen.cycle, self.vcs);
        for port in ones(seen.inputs.rx_valid) {
            let vc = seen.inputs.rx_vc[port] as usize;
            if vc < vcs && golden.occupancy(port, vc) == self.depths[port] {
                limits.reach(self.buffer, port * vcs + vc, cycle);
            }
        }
        let out = golden.outputs();
        for port in ones(packets_leave(out, vcs)) {
            let (vc, is_head) = (out.tx_vc[port] as usize, out.tx_head >> port & 1 == 1);
            let left = golden.available(port, vc);
            if let Some(next_buffer) = self.next_buffer.filter(|_| left == 0) {
                limits.reach(next_buffer, port * vcs + vc, cycle);
            }
            if let Some(last_fit) = self.last_fit.filter(|_| is_head && left == self.max_flits - 1) {
                limits.reach(last_fit, port * vcs + vc, cycle);
            }
            if let Some(totals) = &mut self.totals {
                totals.send(port * vcs + vc, cycle, limits);
            }
        }
        if let Some(totals) = &mut self.totals {
            for channel in out.rx_credit_valid.ones() {
                totals.report(channel, out.rx_credit[channel], cycle, limits);
            }
        }
        if let Some(drops) = self.drops {
            for port in out.drop_valid.ones().map(|channel| channel / vcs) {
                if out.drop_count[port] < std::mem::replace(&mut self.dropped[port], out.drop_count[port]) {
                    limits.reach(drops, port, cycle);
                }
            }
        }
        if cycle % LOOK == 0 {
            let channels = (0..self.ports).flat_map(|port| (0..vcs).map(move |vc| (port, vc)));
            for (port, vc) in channels.filter(|&(port, vc)| golden.results(port, vc) == self.packets[port]) {
                limits.reach(self.results, port * vcs + vc, cycle);
            }
        }
    }

    fn reset(&mut self) {
        self.dropped.fill(0);
        if let Some(totals) = &mut self.totals {
            totals.reported.fill(0);
            totals.left.fill(0);
        }
    }
}

impl Totals {
    #[inline]
    fn send(&mut self, channel: usize, cycle: u64, limits: &mut Limits) {
        self.left[channel] = (self.left[channel] + 1) & self.mask;
        if let Some(sent) = self.sent.filter(|_| self.left[channel] == 0) {
            limits.reach(sent, channel, cycle);
        }
    }

    #[inline]
    fn report(&mut self, channel: usize, total: u16, cycle: u64, limits: &mut Limits) {
        if total < std::mem::replace(&mut self.reported[channel], total) {
            limits.reach(self.freed, channel, cycle);
        }
    }
}

/// Most results in a route queue: those of all packets of a buffer, unless each waits in a miss slot until it is the
/// first.
fn most_results(shape: &Shape) -> usize {
    let packets = (shape.buffer_flits / shape.header_flits()) as usize;
    match shape.table() {
        Some(table) if table.cache.is_none() => {
            packets.min(table.lookups_per_vc + 1 + usize::from(shape.output_selection()))
        }
        _ => packets,
    }
}

/// Whether a legal packet can be dropped: it has an address, or names a group or a port that need not exist.
fn can_drop(shape: &Shape) -> bool {
    shape.address_bits().is_some() || shape.multicast.is_some() || shape.ports < 1 << shape.port_bits
}
