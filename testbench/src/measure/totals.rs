//! Sums over some cycles of a run, and the figures that are their ratios.

/// What happened in some cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntervalTotals {
    /// How many cycles.
    pub cycles: u64,
    /// Flits of the packets that sources had.
    pub offered: u64,
    /// Of these, flits of packets that found their source's queue full.
    pub refused: u64,
    /// Flits of packets that left the switch; of a multicast packet, those of each copy.
    pub flits: u64,
    /// Packets delivered.
    pub packets: u64,
    /// Sum of their latencies in cycles.
    pub latency: u64,
    /// Lookups that the routing cache answered.
    pub hits: u64,
    /// Lookups that it did not.
    pub misses: u64,
    /// Entries that took a free place in it.
    pub entries: u64,
}

impl IntervalTotals {
    /// Applies an operation to each sum of two totals.
    fn with(self, other: IntervalTotals, operation: impl Fn(u64, u64) -> u64) -> IntervalTotals {
        IntervalTotals {
            cycles: operation(self.cycles, other.cycles),
            offered: operation(self.offered, other.offered),
            refused: operation(self.refused, other.refused),
            flits: operation(self.flits, other.flits),
            packets: operation(self.packets, other.packets),
            latency: operation(self.latency, other.latency),
            hits: operation(self.hits, other.hits),
            misses: operation(self.misses, other.misses),
            entries: operation(self.entries, other.entries),
        }
    }

    /// What happened after `earlier`, of which these are the continuation.
    pub fn since(self, earlier: IntervalTotals) -> IntervalTotals {
        self.with(earlier, |now, before| now - before)
    }

    /// Flits that the sources of so many ports had, for each port and cycle.
    pub fn offered_load(&self, ports: usize) -> f64 {
        self.per_port_cycle(self.offered, ports)
    }

    /// Flits that left by so many ports, for each port and cycle.
    pub fn accepted_load(&self, ports: usize) -> f64 {
        self.per_port_cycle(self.flits, ports)
    }

    /// Share of the offered flits that found a full queue; 0 if nothing was offered.
    pub fn refused_share(&self) -> f64 {
        self.refused as f64 / self.offered.max(1) as f64
    }

    /// Share of the lookups that the cache answered; none without lookups.
    pub fn hit_rate(&self) -> Option<f64> {
        let lookups = self.hits + self.misses;
        (lookups > 0).then(|| self.hits as f64 / lookups as f64)
    }

    fn per_port_cycle(&self, flits: u64, ports: usize) -> f64 {
        flits as f64 / (self.cycles * ports as u64).max(1) as f64
    }
}

impl std::iter::Sum for IntervalTotals {
    fn sum<I: Iterator<Item = IntervalTotals>>(all: I) -> IntervalTotals {
        all.fold(IntervalTotals::default(), |sum, totals| sum.with(totals, |a, b| a + b))
    }
}
