//! How many cycles directed phases take.

use railyard_spec::Shape;

/// Cycles behind the set-up in which the directed stimulus reaches limits of each kind, with a margin.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Silence after which sources are stuck.
    pub patience: u64,
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

/// Cycles in which nothing is sent while lookups of a slow CAM are under way, or a reset is over.
const PAUSE: u64 = 160;

impl Effort {
    /// For a switch of that shape.
    pub fn new(shape: &Shape) -> Effort {
        let (ports, vcs) = (shape.ports as u64, shape.vcs as u64);
        // Room is saved for a multicast packet after 64 longest packets.
        let multicast = if shape.multicast.is_some() { 64 * u64::from(shape.max_flits) } else { 0 };
        let patience = PAUSE + multicast;
        let buffers = vcs * u64::from(shape.buffer_flits);
        let fill = 3 * buffers + 2 * patience;
        let wrap = fill + (vcs << shape.credit_bits) * 2 + buffers;
        let drain = 2 * buffers + patience;
        let starve = wrap + drain + 2 * (buffers + patience + drain);
        let crowd = starve + 4 * ports * 20 + drain;
        let short_fill = crowd + fill + drain;
        let turn = short_fill + fill + 2 * drain + 1_024;
        let counters = shape.counter_bits.map_or(0, |bits| 8u64 << bits);
        let stages = 10_000;
        Effort {
            patience,
            longest_phase: 16 * buffers + 4 * patience + (vcs << shape.credit_bits),
            fill,
            wrap,
            starve,
            crowd,
            short_fill,
            multicast_fill: turn,
            drops: 8 << 16,
            counters,
            clears: 20_000,
            barriers: 20_000,
            sprint: 5_000,
            time_outs: stages,
            slow_tick: stages + (1 << 15),
            completions: stages + (1 << 16) * 16,
        }
    }
}
