//! Counters of a run.

use super::{IntervalTotals, Latencies};
use crate::traffic::Packet;
use railyard_bench::packets_leave;
use railyard_model::Outputs;

/// What was seen at the pins since the start of the run.
#[derive(Clone, Debug)]
pub struct PinStatistics {
    vcs: usize,
    /// All but what the sources had.
    totals: IntervalTotals,
    /// Latencies since they were taken last.
    latencies: Latencies,
}

impl PinStatistics {
    /// Nothing seen, at a switch with so many VCs that carry packets.
    pub fn new(vcs: usize) -> PinStatistics {
        PinStatistics { vcs, totals: IntervalTotals::default(), latencies: Latencies::default() }
    }

    /// Looks at the outputs of a cycle.
    #[inline]
    pub fn watch(&mut self, outputs: &Outputs) {
        let totals = &mut self.totals;
        totals.cycles += 1;
        totals.flits += u64::from(packets_leave(outputs, self.vcs).count_ones());
        if outputs.lookup_hit | outputs.lookup_miss != 0 {
            totals.hits += u64::from(outputs.lookup_hit.count_ones());
            totals.misses += u64::from(outputs.lookup_miss.count_ones());
        }
    }

    /// A packet's tail is at `tx_*`: its latency is from the cycle in which its source had it.
    #[inline]
    pub fn deliver(&mut self, packet: &Packet, cycle: u64) {
        let latency = cycle - packet.generated;
        self.totals.packets += 1;
        self.totals.latency += latency;
        self.latencies.add(latency);
    }

    /// All sums but `offered` and `refused`, which are those of the sources.
    pub fn totals(&self) -> IntervalTotals {
        self.totals
    }

    /// The latencies of the packets delivered since the last call.
    pub fn take_latencies(&mut self) -> Latencies {
        std::mem::take(&mut self.latencies)
    }
}
