//! Pseudo-LRU way of each set of a cache: a tree of pointers away from what was used last, one memory word a set.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `read_index` | index bits | set whose tree is needed in the next cycle |
//! | `use_index` | index bits | that set, one cycle later |
//! | `used` | ways | one-hot: this way of it is used now; zero: none |
//! | `victim` | ways | one-hot: the way that its pointers lead to |
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

/// Tree of pointers of each set; see the head of this file.
#[block]
pub struct PseudoLru {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub read_index: Sig<In>,
    pub use_index: Sig<In>,
    pub used: Sig<In>,
    pub victim: Sig<Out>,

    memory: Ram,
    forward: FlagReg,
    forwarded: Reg,

    read: Sig<Local>,
    led_to: Vec<Flag<Local>>,
    use_under: Vec<Flag<Local>>,
    written: Sig<Local>,

    ways: Param,
    nodes: Param,
    about: About,
}

/// The trees of `sets` sets of `ways` ways (a power of two, 2 or more).
pub fn pseudo_lru(sets: usize, ways: usize) -> PseudoLru {
    assert!(ways > 1 && ways.is_power_of_two(), "a full binary tree has {ways} leaves");
    let (nodes, index_bits) = (ways - 1, clog2(sets).max(1));
    let doc = "Pseudo-LRU way of each set. A set's word is a binary tree over the ways, root at bit 0, the halves of \
               node k at 2 * k + 1 and 2 * k + 2: each node tells whether the upper half is next. A word that is \
               written while it is read is forwarded.";
    PseudoLru {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        read_index: sig(index_bits).doc("set whose tree is needed in the next cycle"),
        use_index: sig(index_bits).doc("that set, one cycle later"),
        used: sig(ways).doc("one-hot: the way of it that is used now; zero: none"),
        victim: sig(ways).doc("one-hot: the way that its pointers lead to"),
        memory: ram(sets, nodes),
        forward: flag_reg(false).doc("the word read is the one that was written at the same time"),
        forwarded: reg_no_reset(nodes).doc("the word written last"),
        read: sig(nodes).doc("tree of the set"),
        led_to: many(nodes + ways, || flag().doc("the pointers lead here from the root (nodes, then ways)")),
        use_under: many(nodes + ways, || flag().doc("a way under here is used (nodes, then ways)")),
        written: sig(nodes).doc("tree after this use"),
        ways: param(ways),
        nodes: param(nodes),
        about: about("pseudo_lru", doc).param("sets", sets).param("ways", ways),
    }
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
        for k in 0..self.nodes.val() {
            self.led_to[2 * k + 1].next = self.led_to[k].val() & !self.read.val().get_bit(k);
            self.led_to[2 * k + 2].next = self.led_to[k].val() & self.read.val().get_bit(k);
        }
        self.victim.next = 0.into();
        for i in 0..self.ways.val() {
            self.victim.next = self.victim.val().replace_bit(i, self.led_to[self.nodes.val() + i].val());
        }

        // From the way used to the root: each node on the way points to the other half.
        for i in 0..self.ways.val() {
            self.use_under[self.nodes.val() + i].next = self.used.val().get_bit(i);
        }
        for k in 0..self.nodes.val() {
            self.use_under[self.nodes.val() - 1 - k].next = self.use_under[2 * (self.nodes.val() - 1 - k) + 1].val()
                | self.use_under[2 * (self.nodes.val() - 1 - k) + 2].val();
        }
        self.written.next = 0.into();
        for k in 0..self.nodes.val() {
            self.written.next = self.written.val().replace_bit(
                k,
                self.use_under[2 * k + 1].val() | (self.read.val().get_bit(k) & !self.use_under[2 * k + 2].val()),
            );
        }

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
