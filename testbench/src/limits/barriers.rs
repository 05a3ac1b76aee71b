//! Limits of barriers.

use super::{Limits, Place, Seen};
use crate::stimulus::Effort;
use railyard_model::barrier::barrier_group::Timers;
use railyard_model::bits::ones;
use railyard_spec::barrier::{Message, MessageKind};
use railyard_spec::Shape;

/// Groups, their numbers, time-outs and counts.
#[derive(Clone, Debug)]
pub(super) struct Barriers {
    vc: usize,
    /// Number of the last group, whose counts are looked at.
    last: usize,
    groups: Place,
    number: Place,
    longest: Place,
    slowest: Place,
    /// Counts of completions, of repeated arrivals, of urges.
    counts: [Place; 3],
    /// The counts of the last group in the cycle before.
    before: [u32; 3],
}

/// The fields of `barrier_counts`: lowest bit and bits.
const COUNTS: [(u32, u32); 3] = [(0, 16), (16, 8), (24, 8)];

impl Barriers {
    pub(super) fn new(shape: &Shape, limits: &mut Limits) -> Option<Barriers> {
        let built = shape.barrier?;
        let effort = Effort::new(shape);
        let mut add = |name, meaning, elements, cycles| limits.add(name, meaning, elements, cycles);
        Some(Barriers {
            vc: built.vc,
            last: built.groups - 1,
            groups: add("barrier groups in use", "a barrier group completes", built.groups, effort.barriers),
            number: add(
                "barrier number wraps",
                "a group completes a barrier with the largest number",
                1,
                effort.sprint,
            ),
            longest: add(
                "longest time-out",
                "a message is repeated after the most ticks that can be set",
                1,
                effort.time_outs,
            ),
            slowest: add(
                "slowest tick",
                "a message is repeated with the longest ticks that can be set",
                1,
                effort.slow_tick,
            ),
            counts: [
                add(
                    "completed wraps",
                    "the completions of a group pass the range of their count",
                    1,
                    effort.completions,
                ),
                add(
                    "retransmissions wrap",
                    "the repeated arrivals of a group pass the range of their count",
                    1,
                    effort.time_outs,
                ),
                add("urges wrap", "the urges of a group pass the range of their count", 1, effort.time_outs),
            ],
            before: [0; 3],
        })
    }

    #[inline]
    pub(super) fn look(&mut self, seen: &Seen, limits: &mut Limits) {
        let out = seen.golden.outputs();
        for port in ones(out.tx_valid).filter(|&port| out.tx_vc[port] as usize == self.vc) {
            let message = Message::decode(out.flit(port)[0]).filter(|message| message.kind == MessageKind::Completion);
            let Some(Message { group, sequence, .. }) = message else { continue };
            limits.reach(self.groups, group as usize, seen.cycle);
            if sequence == u8::MAX {
                limits.reach(self.number, 0, seen.cycle);
            }
        }
        let Some(barrier) = seen.golden.barrier() else { return };
        let word = barrier.group(self.last).counts();
        let counts = COUNTS.map(|(low, bits)| word >> low & ((1 << bits) - 1));
        if counts != self.before {
            self.count(counts, barrier.timers(), seen.cycle, limits);
        }
    }

    /// The counts of the last group have changed; all at once only if it starts anew.
    fn count(&mut self, counts: [u32; 3], timers: &Timers, cycle: u64, limits: &mut Limits) {
        let before = std::mem::replace(&mut self.before, counts);
        for at in (0..3).filter(|&at| counts[at] != before[at]) {
            let others_stay = (0..3).all(|other| other == at || counts[other] == before[other]);
            let most = (1 << COUNTS[at].1) - 1;
            if before[at] == most && counts[at] == 0 && (others_stay || at > 0 && counts[0] == before[0]) {
                limits.reach(self.counts[at], 0, cycle);
            }
            let limit = [0, timers.retransmit, timers.urge][at];
            if at > 0 && counts[at] == before[at] + 1 {
                if limit == u8::MAX {
                    limits.reach(self.longest, 0, cycle);
                }
                if timers.scale == 15 {
                    limits.reach(self.slowest, 0, cycle);
                }
            }
        }
    }
}
