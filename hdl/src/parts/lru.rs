//! Least recently used way of each set of a cache: exact order, one memory word a set.
//!
//! State: for each set, one bit for each pair of ways i < j: "j was used more recently than i". They stand in a memory
//! word, the bit of (i, j) at `(j j - j) / 2 + i`. Their meaning starts with the first use of each way, so the memory
//! needs no initial value, and `victim` means nothing before all ways were used.
//!
//! Timing: a read in cycle t, with the tags, gives `victim` in t + 1; a use in t + 1 writes the word back. The word
//! that is written while the same set is read for the operation behind does not come out of the memory: it is kept for
//! a cycle and forwarded.
//!
//! Source: switch reference, section 4.5.

use crate::rtl::prelude::*;

/// Least recently used way of each set. Bit (j * j - j) / 2 + i of a set's word: way j was used more recently than
/// way i < j. A word that is written while it is read is forwarded.
#[block(sets: usize, ways: usize)]
#[requires(ways > 1, "one way has no order")]
pub struct Lru {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// The order of a set is needed in the next cycle.
    pub reads: Flag<In>,
    /// Set whose order is needed in the next cycle.
    pub read_index: Sig<In, index_bits>,
    /// Set that is used, one cycle after `read_index`.
    pub use_index: Sig<In, index_bits>,
    /// Way of the set that is used, one-hot; zero if none is.
    pub used: Sig<In, ways>,
    /// Least recently used way of the set, one-hot.
    pub victim: Sig<Out, ways>,

    memory: Ram<sets, pairs>,
    /// The word read was written in the same cycle.
    forward: FlagReg,
    /// The word written last.
    forwarded: Reg<pairs, NoReset>,

    /// Order of the set, as a word.
    read: Sig<Local, pairs>,
    /// Order of the set.
    order: Vec<Flag<Local>, pairs>,
    /// Order of the set after the use.
    order_after: Vec<Flag<Local>, pairs>,
    /// Order of the set after the use, as a word.
    written: Sig<Local, pairs>,

    index_bits: Number<{ clog2(sets).max(1) }>,
    others: Number<{ ways - 1 }>,
    pairs: Number<{ ways * (ways - 1) / 2 }>,

    sets: Param,
    ways: Param,
}

#[kernel]
impl Lru {
    fn update(&mut self) {
        self.read.next = self.memory.read_data.val();
        if self.forward.q.val() {
            self.read.next = self.forwarded.q.val();
        }
        for k in 0..self.pairs {
            self.order[k].next = self.read.val().get_bit(k);
        }

        // A way is the victim if it lost against every other way.
        self.victim.next = !bit_cast_to(0.into(), self.ways);
        for j in 0..self.ways {
            for i in 0..self.others {
                if i < j {
                    if self.order[(j * j - j) / 2 + i].val() {
                        self.victim.set(j, false);
                    } else {
                        self.victim.set(i, false);
                    }
                }
            }
        }

        // The way used wins against every other way.
        for j in 0..self.ways {
            for i in 0..self.others {
                if i < j {
                    self.order_after[(j * j - j) / 2 + i].next = self.used.val().get_bit(j)
                        | (self.order[(j * j - j) / 2 + i].val() & !self.used.val().get_bit(i));
                }
            }
        }
        self.written.next = 0.into();
        for k in 0..self.pairs {
            self.written.set(k, self.order_after[k].val());
        }

        self.memory.read_enable.next = self.reads.val();
        self.memory.read_address.next = self.read_index.val();
        self.memory.write_enable.next = self.used.val().any();
        self.memory.write_address.next = self.use_index.val();
        self.memory.write_data.next = self.written.val();

        self.forward.d.next = self.used.val().any() & (self.use_index.val() == self.read_index.val());
        self.forwarded.d.next = self.written.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses ways at random, back to back on few sets, and compares with a list in order of use.
    #[test]
    fn victim_is_the_one_used_longest_ago() {
        for (sets, ways) in [(1usize, 2usize), (2, 4), (4, 16)] {
            let mut bench = Bench::new(lru(sets, ways), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            let mut order: Vec<Vec<usize>> = vec![(0..ways).collect(); sets];
            let (mut random, mut reading): (u64, Option<(usize, usize, bool)>) = (1, None);
            // First each way of each set once, in order; then at random.
            for step in 0..sets * ways + 400 {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let warm = step < sets * ways;
                let (set, way) = match warm {
                    true => (step / ways, step % ways),
                    false => ((random >> 33) as usize % sets, (random >> 45) as usize % ways),
                };
                bench.reads.next = true;
                bench.read_index.next = set.into();
                bench.used.next = 0.into();
                if let Some((set, way, warm)) = reading {
                    bench.use_index.next = set.into();
                    bench.settle();
                    if !warm {
                        assert_eq!(bench.victim.val().to_u128(), 1 << order[set][0], "{sets} sets, {ways} ways");
                    }
                    if warm || random >> 62 != 0 {
                        bench.used.next = (1u64 << way).into();
                        order[set].retain(|&w| w != way);
                        order[set].push(way);
                    }
                }
                reading = Some((set, way, warm));
                bench.cycle();
            }
        }
    }
}
