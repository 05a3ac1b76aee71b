//! A trace being played: which packet a source has next.

use super::{Sources, TrafficSource};
use crate::traffic::Trace;
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
}

impl TrafficSource for Replay {
    fn name(&self) -> &'static str {
        "trace"
    }

    /// A packet whose queue is full waits: nothing of a trace is lost.
    #[inline]
    fn cycle(&mut self, cycle: u64, sources: &mut Sources<'_>) {
        if cycle < self.due {
            return;
        }
        self.due = u64::MAX;
        for (source, played) in self.played.iter_mut().enumerate() {
            let packets = &self.trace.sources[source];
            while let Some(packet) = packets.get(*played).filter(|packet| packet.cycle <= cycle) {
                if !sources.has_room(source) {
                    break;
                }
                *played += 1;
                sources.give(*packet);
            }
            self.due = self.due.min(packets.get(*played).map_or(u64::MAX, |next| next.cycle));
        }
    }

    fn unplayed(&self) -> usize {
        let all: usize = self.trace.sources.iter().map(Vec::len).sum();
        all - self.played.iter().sum::<usize>()
    }
}
