//! Pseudo-LRU way of each set of a cache: a tree of pointers away from what was used last, one memory word a set.
//!
//! State: for each set, a binary tree whose leaves are the ways in order, one bit a node: "the upper half is next". The
//! nodes stand in a memory word, the root at bit 0, the lower and the upper half of node k at 2 k + 1 and 2 k + 2. (The
//! leaves, which have no bit, are numbers w - 1 and up.) A node's meaning starts with the first use of a way under it,
//! so the memory needs no initial value, and `victim` means nothing before all ways were used.
//!
//! Timing: a read in cycle t, with the tags, gives `victim` in t + 1; a use in t + 1 writes the word back. The word
//! that is written while the same set is read for the operation behind does not come out of the memory: it is kept for
//! a cycle and forwarded.
//!
//! Source: switch reference, section 4.5.

use crate::rtl::prelude::*;

/// Pseudo-LRU way of each set. A set's word is a binary tree over the ways, root at bit 0, the halves of node k at 2
/// * k + 1 and 2 * k + 2: each node tells whether the upper half is next. A word that is written while it is read is
/// forwarded.
#[block(sets: usize, ways: usize)]
#[requires(ways > 1 && ways.is_power_of_two(), "a full binary tree has {ways} leaves")]
pub struct PseudoLru {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// The tree of a set is needed in the next cycle.
    pub reads: Flag<In>,
    /// Set whose tree is needed in the next cycle.
    pub read_index: Sig<In, index_bits>,
    /// Set that is used, one cycle after `read_index`.
    pub use_index: Sig<In, index_bits>,
    /// Way of the set that is used, one-hot; zero if none is.
    pub used: Sig<In, ways>,
    /// Way to which the set's pointers lead, one-hot.
    pub victim: Sig<Out, ways>,

    memory: Ram<sets, nodes>,
    /// The word read was written in the same cycle.
    forward: FlagReg,
    /// The word written last.
    forwarded: Reg<nodes, NoReset>,

    /// Tree of the set.
    read: Sig<Local, nodes>,
    /// The pointers lead from the root to the node or way (nodes first, then ways).
    led_to: Vec<Flag<Local>, { nodes + ways }>,
    /// A way under the node is used (nodes first, then ways).
    use_under: Vec<Flag<Local>, { nodes + ways }>,
    /// Tree of the set after the use.
    written: Sig<Local, nodes>,

    index_bits: Number<{ clog2(sets).max(1) }>,
    nodes: Number<{ ways - 1 }>,

    sets: Param,
    ways: Param,
}

#[kernel]
impl PseudoLru {
    fn update(&mut self) {
        self.read.next = self.memory.read_data.val();
        if self.forward.q.val() {
            self.read.next = self.forwarded.q.val();
        }

        // From the root to the victim.
        self.led_to[0].next = true;
        for k in 0..self.nodes {
            self.led_to[2 * k + 1].next = self.led_to[k].val() & !self.read.val().get_bit(k);
            self.led_to[2 * k + 2].next = self.led_to[k].val() & self.read.val().get_bit(k);
        }
        self.victim.next = 0.into();
        for i in 0..self.ways {
            self.victim.set(i, self.led_to[self.nodes + i].val());
        }

        // From the way used to the root: each node on the way points to the other half.
        for i in 0..self.ways {
            self.use_under[self.nodes + i].next = self.used.val().get_bit(i);
        }
        for k in 0..self.nodes {
            self.use_under[self.nodes - 1 - k].next =
                self.use_under[2 * (self.nodes - 1 - k) + 1].val() | self.use_under[2 * (self.nodes - 1 - k) + 2].val();
        }
        self.written.next = 0.into();
        for k in 0..self.nodes {
            self.written.set(
                k,
                self.use_under[2 * k + 1].val() | (self.read.val().get_bit(k) & !self.use_under[2 * k + 2].val()),
            );
        }

        self.memory.read_enable.next = self.reads.val();
        self.memory.read_address.next = self.read_index.val();
        self.memory.write_enable.next = self.use_under[0].val();
        self.memory.write_address.next = self.use_index.val();
        self.memory.write_data.next = self.written.val();

        self.forward.d.next = self.use_under[0].val() & (self.use_index.val() == self.read_index.val());
        self.forwarded.d.next = self.written.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four ways used in turn, then two of them again: the pointers go to the half, and in it the way, not used last.
    #[test]
    fn points_away_from_uses() {
        let mut bench = Bench::new(pseudo_lru(1, 4), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        bench.reads.next = true;
        for (way, victim_after) in
            [(0, None), (1, None), (2, None), (3, Some(0)), (0, Some(2)), (2, Some(1)), (2, Some(1))]
        {
            bench.used.next = (1u64 << way).into();
            bench.cycle();
            bench.used.next = 0.into();
            bench.settle();
            if let Some(victim) = victim_after {
                assert_eq!(bench.victim.val().to_u128(), 1 << victim, "after {way}");
            }
        }
    }
}
