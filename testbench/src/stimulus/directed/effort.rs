//! How many cycles directed phases take.

use railyard_spec::{FlowControl, Shape};

/// Cycles behind the set-up in which the directed stimulus reaches limits of each kind, with a margin.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Most cycles of a phase.
    pub longest_phase: u64,
    /// Buffers and those behind them are full.
    pub fill: u64,
    /// Totals of credits have passed their range.
    pub wrap: u64,
    /// Miss slots and the queues before them are full.
    pub starve: u64,
    /// A set of each cache is full.
    pub crowd: u64,
    /// Buffers are full of shortest packets.
    pub short_fill: u64,
    /// Buffers are full with multicast packets among others.
    pub multicast_fill: u64,
    /// Drop counts have passed their range.
    pub drops: u64,
    /// Event counters have passed their range.
    pub counters: u64,
    /// All flags were raised in the cycle of a clear.
    pub clears: u64,
    /// All barrier groups have completed.
    pub barriers: u64,
    /// The barriers' number has passed its range.
    pub sprint: u64,
    /// Time-outs have passed often, and after long.
    pub time_outs: u64,
    /// The slowest tick has come.
    pub slow_tick: u64,
    /// The count of completions has passed its range.
    pub completions: u64,
}

impl Effort {
    /// For a switch of that shape.
    pub fn new(shape: &Shape) -> Effort {
        let (ports, vcs) = (shape.ports as u64, shape.vcs as u64);
        let buffers = vcs * u64::from(shape.buffer_flits);
        let (longest, header) = (u64::from(shape.max_flits), u64::from(shape.header_flits()));
        let range = if shape.flow_control == FlowControl::Absolute { vcs << shape.credit_bits } else { 0 };
        // One lookup a cycle for all ports, where caches do not help.
        let lookups = |packets: u64| if shape.table().is_some() { ports * packets } else { 0 };
        let named = if shape.next_vc { lookups(2 * buffers / longest) } else { 0 };
        let drain = 2 * buffers + PAUSE;
        let fill = 3 * buffers + 2 * PAUSE + named;
        let wrap = fill + 2 * range + drain;
        let multicast = if shape.multicast.is_some() { 2 * (PAUSE + 64 * longest) + fill } else { 0 };
        let multicast_fill = wrap + multicast;
        let short_fill = multicast_fill + 2 * drain + fill;
        let asking = fill + lookups(buffers / header);
        let starve = short_fill + 2 * drain + 2 * asking;
        let ways = shape.table().and_then(|table| table.cache.as_ref()).map_or(0, |cache| cache.ways as u64);
        let crowd = starve + drain + lookups(2 * ways + 4) + 512;
        // A quarter of the time is spent on packets without a route; each is looked up.
        let drops = (8 * lookups(1).max(vcs)) << 16;
        Effort {
            longest_phase: 8 * fill + 2 * range + 2 * asking + multicast,
            fill,
            wrap,
            starve,
            crowd,
            short_fill,
            multicast_fill,
            drops,
            counters: shape.counter_bits.map_or(0, |bits| (64 * lookups(1).max(1)) << bits),
            clears: 8 * (2 * buffers + 1_000),
            barriers: 20_000,
            sprint: SPRINT,
            time_outs: STAGES,
            slow_tick: STAGES + (1 << 16),
            completions: STAGES + (1 << 16) + (1 << 16) * SPRINT / 256,
        }
    }
}

/// Cycles without a flit after which nobody is going to send one, however slow the CAM.
pub(super) const PAUSE: u64 = 160;

/// Cycles in which a barrier group completes 256 barriers, and those of all stages but the last two.
const SPRINT: u64 = 8_000;
const STAGES: u64 = 12_000;
