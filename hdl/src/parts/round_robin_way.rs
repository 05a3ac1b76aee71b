//! Round robin way of each set of a cache: the one after the way filled last, one memory word a set.
//!
//! State: for each set, a memory word with the number of the way whose turn it is. It starts with the first fill of the
//! set, so the memory needs no initial value, and `victim` means nothing before a way was filled.
//!
//! Timing: a read in cycle t, with the tags, gives `victim` in t + 1; a fill in t + 1 writes the word. The word that
//! is written while the same set is read for the operation behind does not come out of the memory: it is kept for a
//! cycle and forwarded.
//!
//! Source: switch reference, section 4.5.

use crate::rtl::prelude::*;

/// Round robin way of each set: the one after the way filled last. A set's word is its number. A word that is written
/// while it is read is forwarded.
#[block(sets: usize, ways: usize)]
#[requires(ways > 1, "one way takes no turns")]
pub struct RoundRobinWay {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// The turn of a set is needed in the next cycle.
    pub reads: Flag<In>,
    /// Set whose turn is needed in the next cycle.
    pub read_index: Sig<In, index_bits>,
    /// Set that is used, one cycle after `read_index`.
    pub use_index: Sig<In, index_bits>,
    /// Way of the set that is filled, one-hot; zero if none is.
    pub filled: Sig<In, ways>,
    /// Way after the one that was filled last, one-hot.
    pub victim: Sig<Out, ways>,

    memory: Ram<sets, way_bits>,
    /// The word read was written in the same cycle.
    forward: FlagReg,
    /// The word written last.
    forwarded: Reg<way_bits, NoReset>,

    /// Way to be filled next.
    read: Sig<Local, way_bits>,
    /// Way to be filled next, after the fill.
    written: Sig<Local, way_bits>,

    index_bits: Number<{ clog2(sets).max(1) }>,
    others: Number<{ ways - 1 }>,
    way_bits: Number<{ clog2(ways) }>,
    sets: Param,
    ways: Param,
}

#[kernel]
impl RoundRobinWay {
    fn update(&mut self) {
        self.read.next = self.memory.read_data.val();
        if self.forward.q.val() {
            self.read.next = self.forwarded.q.val();
        }
        self.victim.next = 0.into();
        for i in 0..self.ways {
            self.victim.set(i, self.read.val() == i);
        }

        // After the last way, way 0.
        self.written.next = 0.into();
        for i in 0..self.others {
            if self.filled.val().get_bit(i) {
                self.written.next = self.written.val() | (i + 1);
            }
        }

        self.memory.read_enable.next = self.reads.val();
        self.memory.read_address.next = self.read_index.val();
        self.memory.write_enable.next = self.filled.val().any();
        self.memory.write_address.next = self.use_index.val();
        self.memory.write_data.next = self.written.val();

        self.forward.d.next = self.filled.val().any() & (self.use_index.val() == self.read_index.val());
        self.forwarded.d.next = self.written.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn victim_is_behind_the_one_filled_last() {
        for ways in [2usize, 4, 16] {
            let mut bench = Bench::new(round_robin_way(1, ways), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            bench.reads.next = true;
            for step in 0..3 * ways {
                bench.filled.next = (1u64 << (step % ways)).into();
                bench.cycle();
                bench.filled.next = 0.into();
                for _ in 0..2 {
                    bench.settle();
                    assert_eq!(bench.victim.val().to_u128(), 1 << ((step + 1) % ways), "{ways} ways");
                    bench.cycle();
                }
            }
        }
    }
}
