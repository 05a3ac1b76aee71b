//! Event counters of the model, for statistics. They are not part of the hardware: a reset leaves them alone.

/// Events of one port since the last [`crate::Switch::clear_counters`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortCounters {
    /// Flits that came in, of any kind.
    pub flits_in: u64,
    /// Flits that came in and were not stored: discarded, or on a VC that does not exist.
    pub flits_refused: u64,
    /// Packets that arrived at route computation.
    pub packets_in: u64,
    /// Flits that left by this port.
    pub flits_out: u64,
    /// Packets that left by this port.
    pub packets_out: u64,
    /// Flits of this input that were thrown away for want of a route.
    pub flits_dropped: u64,
    /// Packets of this input that were thrown away for want of a route.
    pub packets_dropped: u64,
    /// Lookups that resolved.
    pub lookups: u64,
    /// Lookups that the cache answered.
    pub hits: u64,
    /// Lookups that the cache did not answer.
    pub misses: u64,
    /// Misses that joined another one.
    pub merged: u64,
    /// Entries of the routing cache that took a free place.
    pub entries: u64,
    /// Entries of the routing cache that gave way to others.
    pub evictions: u64,
    /// Requests sent to the CAM.
    pub cam_requests: u64,
}

impl PortCounters {
    /// Adds those of another port.
    pub fn add(&mut self, other: &PortCounters) {
        self.flits_in += other.flits_in;
        self.flits_refused += other.flits_refused;
        self.packets_in += other.packets_in;
        self.flits_out += other.flits_out;
        self.packets_out += other.packets_out;
        self.flits_dropped += other.flits_dropped;
        self.packets_dropped += other.packets_dropped;
        self.lookups += other.lookups;
        self.hits += other.hits;
        self.misses += other.misses;
        self.merged += other.merged;
        self.entries += other.entries;
        self.evictions += other.evictions;
        self.cam_requests += other.cam_requests;
    }
}
