//! A trace being played: which packet a source has next.

use crate::traffic::{Trace, TracePacket};
use railyard_bench::endpoint::SourceQueues;
use std::sync::Arc;

/// A position in a [`Trace`].
#[derive(Clone, Debug)]
pub struct Replay {
    trace: Arc<Trace>,
    /// Packets that each source has had.
    played: Vec<usize>,
    /// No source has one before this cycle.
    due: u64,
}

impl Replay {
    /// At the beginning.
    pub fn new(trace: Arc<Trace>) -> Replay {
        Replay { played: vec![0; trace.sources.len()], trace, due: 0 }
    }

    /// A packet whose cycle has come and whose source's queue has room for it, unless there is none. To be asked for until
    /// there is none.
    #[inline]
    pub fn next(&mut self, now: u64, queues: &SourceQueues) -> Option<TracePacket> {
        if now < self.due {
            return None;
        }
        self.due = u64::MAX;
        for (source, played) in self.played.iter_mut().enumerate() {
            let Some(packet) = self.trace.sources[source].get(*played) else { continue };
            if packet.cycle <= now && !queues.is_full(source) {
                *played += 1;
                self.due = now;
                return Some(*packet);
            }
            self.due = self.due.min(packet.cycle);
        }
        None
    }

    /// Packets that no source has had yet.
    pub fn left(&self) -> usize {
        let all: usize = self.trace.sources.iter().map(Vec::len).sum();
        all - self.played.iter().sum::<usize>()
    }
}
