//! Routing cache: S sets of w ways, from a destination address to an output port.
//!
//! With `next_vc` or output selection each `*_port` is a whole [`route`](super::layout).
//!
//! State: for each way, a memory of S words with valid bit, port and tag; what the replacement policy remembers (one
//! of the parts `lru`, `pseudo_lru`, `round_robin_way`, `random_way`; none if w = 1); the sweep counter.
//!
//! Each cycle: the words of the set at `read_index` are read from all ways. In the cycle behind, all tags are compared
//! with `tag`. The ports of matching ways are or-ed (at most one matches). A fill writes the lowest-numbered
//! invalid way, or the policy's victim if all are valid. `lru` and `pseudo_lru` learn of hits and fills,
//! `round_robin_way` of fills, `random_way` of fills of full sets. A written word can be read from the next cycle on:
//! no operation may read in the cycle in which a fill compares, which is why nothing is issued in the cycle after a
//! fill.
//!
//! After reset the sweep writes "invalid" to one set after the other. For S + 1 cycles nothing hits and nothing is
//! filled. The last cycle writes nothing, so that the first operation that counts has not read a word that was being
//! written. A flush starts the sweep again from the first set. The sweep need not clear the replacement state. The
//! state is read only when a set is full, and by then every way of the set has been filled again. (`random_way` has one
//! state for all sets, and keeps it.) No lookup and no fill may come in the cycle of the flush.
//!
//! With parity, a word with an odd number of ones counts as an invalid way.
//!
//! Source: switch reference, sections 4.3 to 4.5 and 13; Hirasawa2022, 4.2.

use crate::units::prelude::*;
use railyard_spec::{ParityShape, Replacement};

/// Routing cache: address to output port. Set associative, least recently used entry replaced, swept after reset. An
/// operation reads in one cycle and compares, or fills, in the next.
#[block(
    cache: &CacheShape,
    tag_bits: usize,
    port_bits: usize,
    parity: Option<ParityShape>,
    control: bool,
    counted: bool,
)]
pub struct RoutingCache {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// An operation reads in this cycle.
    pub reads: Flag<In>,
    /// Set of the operation that reads in this cycle.
    pub read_index: Sig<In, index_bits>,
    /// Set of the operation that compares in this cycle.
    pub index: Sig<In, index_bits>,
    /// Tag of the operation that compares.
    pub tag: Sig<In, tag_bits>,
    /// The operation that compares is a lookup.
    pub lookup: Flag<In>,
    /// The operation that compares is a fill with a route.
    pub fill: Flag<In>,
    /// Route that the fill writes.
    pub fill_port: Sig<In, port_bits>,
    /// The lookup's address has an entry.
    pub hit: Flag<Out>,
    /// The entry's output port.
    pub hit_port: Sig<Out, port_bits>,
    /// Sweep from the next cycle on.
    pub flush: Option<Flag<In>, control>,
    /// The cache sweeps in the current cycle.
    pub is_sweeping: Option<Flag<Out>, control>,
    /// Bit of the word that is stored inverted.
    pub flip: Option<Sig<In, word_bits>, { parity.is_some_and(|word| word.fault_pins) }>,
    /// The lookup has read a word with wrong parity.
    pub faulty: Option<Flag<Out>, { parity.is_some() }>,
    #[made(counted.then(|| CacheWrites { fills: flag().doc("The fill writes its entry."), ..CacheWrites::plain() }))]
    pub writes: Bare<Option<CacheWrites<Out>>>,

    /// Sweep counter; sets + 1 when the sweep is over.
    sweep: Reg<{ clog2(sets + 2) }>,

    way: Vec<Ram<sets, word_bits>, ways>,
    lru: Option<Lru<sets, ways>, { replaced_by(cache, Replacement::Lru) }>,
    pseudo_lru: Option<PseudoLru<sets, ways>, { replaced_by(cache, Replacement::PseudoLru) }>,
    round_robin: Option<RoundRobinWay<sets, ways>, { replaced_by(cache, Replacement::RoundRobin) }>,
    random: Option<RandomWay<ways>, { replaced_by(cache, Replacement::Random) }>,
    lowest_invalid: LowestBit<ways>,

    /// The sweep is under way, and no lookup hits and no fill writes.
    sweeping: Flag<Local>,
    /// The sweep writes in this cycle.
    clearing: Flag<Local>,
    /// The way holds an entry.
    valid: Sig<Local, ways>,
    /// The way holds an entry for the address.
    matching: Sig<Local, ways>,
    /// Way to replace if all hold entries.
    victim: Sig<Local, ways>,
    /// Way that a fill writes.
    filled: Sig<Local, ways>,
    /// Word to write.
    write_word: Sig<Local, { valid_bit + 1 }>,
    /// Word to write, with its parity bit.
    write_even: Option<Sig<Local, word_bits>, { parity.is_some() }>,
    /// Set to write.
    write_index: Sig<Local, index_bits>,
    /// The way's word has wrong parity.
    wrong: Option<Sig<Local, ways>, { parity.is_some() }>,

    tag_field: Field<0, tag_bits>,
    port_field: Field<tag_bits, port_bits>,
    valid_bit: Number<{ tag_bits + port_bits }>,
    parity_bit: Number<{ valid_bit + 1 }>,
    word_bits: Number<{ valid_bit + 1 + usize::from(parity.is_some()) }>,
    index_bits: Number<{ (cache.index_bits as usize).max(1) }>,
    #[about]
    #[made(comment(cache))]
    comment: &'static str,
    sets: Param<{ cache.sets }>,
    ways: Param<{ cache.ways }>,
    tag_bits: Param,
    port_bits: Param,
}

/// Whether the cache has the part of this policy; one way leaves nothing to choose.
fn replaced_by(cache: &CacheShape, policy: Replacement) -> bool {
    cache.ways > 1 && cache.replacement == policy
}

/// The comment of the module.
fn comment(cache: &CacheShape) -> &'static str {
    match cache.replacement {
        Replacement::PseudoLru if cache.ways > 1 => {
            "Routing cache: address to output port. Set associative, pseudo-LRU entry replaced, swept after reset. An \
             operation reads in one cycle and compares, or fills, in the next."
        }
        Replacement::RoundRobin if cache.ways > 1 => {
            "Routing cache: address to output port. Set associative, entries replaced in turn, swept after reset. An \
             operation reads in one cycle and compares, or fills, in the next."
        }
        Replacement::Random if cache.ways > 1 => {
            "Routing cache: address to output port. Set associative, random entry replaced, swept after reset. An \
             operation reads in one cycle and compares, or fills, in the next."
        }
        _ => "",
    }
}

#[kernel]
impl RoutingCache {
    fn update(&mut self) {
        self.sweep();
        self.compare();
        self.check_parity();
        self.answer();
        self.replace();
        self.show_writes();
        self.tell_lru();
        self.tell_others();
        self.write();
        ParitySteps::write(
            &mut self.write_even,
            &mut self.way,
            &self.write_word,
            &self.flip,
            &self.clearing,
            self.parity_bit,
            self.ways,
        );
        self.state_properties();
    }

    fn sweep(&mut self) {
        self.clearing.next = self.sweep.q.val() < self.sets;
        self.sweeping.next = self.sweep.q.val() <= self.sets;
        if self.sweeping.val() {
            self.sweep.d.next = self.sweep.q.val() + 1;
        }
        if let (Some(flush), Some(is_sweeping)) = (&self.flush, &mut self.is_sweeping) {
            if flush.val() {
                self.sweep.d.next = 0.into();
            }
            is_sweeping.next = self.sweeping.val();
        }
    }

    fn compare(&mut self) {
        self.valid.next = 0.into();
        self.matching.next = 0.into();
        for i in 0..self.ways {
            self.valid.set(i, self.way[i].read_data.val().get_bit(self.valid_bit));
            self.matching.set(
                i,
                self.way[i].read_data.val().get_bit(self.valid_bit)
                    & ((self.way[i].read_data.val() >> self.tag_field.val()) == self.tag.val()),
            );
        }
    }

    /// A word with wrong parity is no entry.
    fn check_parity(&mut self) {
        if let (Some(wrong), Some(faulty)) = (&mut self.wrong, &mut self.faulty) {
            ParitySteps::find_wrong(wrong, &self.way, self.ways);
            self.valid.next = self.valid.val() & !wrong.val();
            self.matching.next = self.matching.val() & !wrong.val();
            faulty.next = self.lookup.val() & wrong.val().any() & !self.sweeping.val();
        }
    }

    fn answer(&mut self) {
        self.hit_port.next = 0.into();
        for i in 0..self.ways {
            if self.matching.val().get_bit(i) {
                self.hit_port.next = self.hit_port.val() | (self.way[i].read_data.val() >> self.port_field.val());
            }
        }
        self.hit.next = self.lookup.val() & self.matching.val().any() & !self.sweeping.val();
    }

    fn replace(&mut self) {
        self.victim.next = 1.into();
        if let Some(lru) = &self.lru {
            self.victim.next = lru.victim.val();
        }
        if let Some(pseudo_lru) = &self.pseudo_lru {
            self.victim.next = pseudo_lru.victim.val();
        }
        if let Some(round_robin) = &self.round_robin {
            self.victim.next = round_robin.victim.val();
        }
        if let Some(random) = &self.random {
            self.victim.next = random.victim.val();
        }
        self.lowest_invalid.bits.next = !self.valid.val();
        self.filled.next = self.lowest_invalid.lowest.val();
        if self.valid.val().all() {
            self.filled.next = self.victim.val();
        }
    }

    fn show_writes(&mut self) {
        if let Some(writes) = &mut self.writes {
            writes.fills.next = self.fill.val() & !self.sweeping.val();
            writes.evicts.next = self.fill.val() & !self.sweeping.val() & self.valid.val().all();
        }
    }

    fn tell_lru(&mut self) {
        if let Some(lru) = &mut self.lru {
            lru.reads.next = self.reads.val();
            lru.read_index.next = self.read_index.val();
            lru.use_index.next = self.index.val();
            lru.used.next = 0.into();
            if self.lookup.val() & !self.sweeping.val() {
                lru.used.next = self.matching.val();
            }
            if self.fill.val() & !self.sweeping.val() {
                lru.used.next = self.filled.val();
            }
        }
        if let Some(pseudo_lru) = &mut self.pseudo_lru {
            pseudo_lru.reads.next = self.reads.val();
            pseudo_lru.read_index.next = self.read_index.val();
            pseudo_lru.use_index.next = self.index.val();
            pseudo_lru.used.next = 0.into();
            if self.lookup.val() & !self.sweeping.val() {
                pseudo_lru.used.next = self.matching.val();
            }
            if self.fill.val() & !self.sweeping.val() {
                pseudo_lru.used.next = self.filled.val();
            }
        }
    }

    fn tell_others(&mut self) {
        if let Some(round_robin) = &mut self.round_robin {
            round_robin.reads.next = self.reads.val();
            round_robin.read_index.next = self.read_index.val();
            round_robin.use_index.next = self.index.val();
            round_robin.filled.next = 0.into();
            if self.fill.val() & !self.sweeping.val() {
                round_robin.filled.next = self.filled.val();
            }
        }
        if let Some(random) = &mut self.random {
            random.evicted.next = self.fill.val() & !self.sweeping.val() & self.valid.val().all();
        }
    }

    fn write(&mut self) {
        self.write_word.next = 0.into();
        self.write_index.next = self.index.val();
        if self.clearing.val() {
            self.write_index.next = unsigned_cast(self.sweep.q.val());
        } else {
            self.write_word.set(self.tag_field.val(), self.tag.val());
            self.write_word.set(self.port_field.val(), self.fill_port.val());
            self.write_word.set(self.valid_bit, true);
        }
        for i in 0..self.ways {
            self.way[i].read_enable.next = self.reads.val();
            self.way[i].read_address.next = self.read_index.val();
            self.way[i].write_enable.next =
                self.clearing.val() | (self.fill.val() & !self.sweeping.val() & self.filled.val().get_bit(i));
            self.way[i].write_address.next = self.write_index.val();
            if self.write_even.is_none() {
                self.way[i].write_data.next = self.write_word.val();
            }
        }
    }

    /// What holds in each cycle.
    fn state_properties(&self) {
        if self.hit.val() {
            assert!(!(self.matching.val() & (self.matching.val() - 1)).any(), "at most one way holds an address");
        }
        if self.fill.val() & !self.sweeping.val() {
            assert!(
                self.filled.val().any() & !(self.filled.val() & (self.filled.val() - 1)).any(),
                "a fill writes one way"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Crc;

    /// A cache as a list of sets, each in order of use, the entry used longest ago first; way numbers do not show.
    struct Reference(Vec<Vec<(u64, u64)>>, usize);

    impl Reference {
        fn look_up(&mut self, set: usize, address: u64) -> Option<u64> {
            let at = self.0[set].iter().position(|e| e.0 == address)?;
            let entry = self.0[set].remove(at);
            self.0[set].push(entry);
            Some(entry.1)
        }
        fn fill(&mut self, set: usize, address: u64, port: u64) {
            if self.0[set].len() == self.1 {
                self.0[set].remove(0);
            }
            self.0[set].push((address, port));
        }
    }

    #[test]
    fn hits_what_was_filled_and_not_replaced() {
        for (sets, ways) in [(1usize, 1usize), (1, 4), (4, 1), (4, 2), (2, 16)] {
            let crc = Crc { bits: 16, polynomial: 0x1021 };
            let shape = CacheShape {
                sets,
                index_bits: sets.trailing_zeros(),
                ways,
                replacement: Default::default(),
                crc,
                tag_bits: 12,
            };
            let mut bench = Bench::new(routing_cache(&shape, 12, 5, None, false, false), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            let mut reference = Reference(vec![vec![]; sets], ways);
            // One operation after the other: the next one reads while this one compares, but not behind a fill.
            let (mut random, mut comparing, mut hits) = (1u64, None, 0);
            for cycle in 0..1500 {
                let (mut fill, mut missing) = (false, None);
                bench.reads.next = false;
                bench.lookup.next = false;
                bench.fill.next = false;
                if let Some((set, address, port)) = comparing.take() {
                    let (set, address, port): (usize, u64, Option<u64>) = (set, address, port);
                    bench.index.next = set.into();
                    bench.tag.next = address.into();
                    match port {
                        Some(port) => {
                            bench.fill.next = true;
                            bench.fill_port.next = port.into();
                            fill = true;
                            if cycle > sets {
                                reference.fill(set, address, port);
                            }
                        }
                        None => {
                            bench.lookup.next = true;
                            bench.settle();
                            let expected = reference.look_up(set, address);
                            assert_eq!(bench.hit.val(), expected.is_some(), "{sets} x {ways}, cycle {cycle}");
                            match expected {
                                Some(port) => assert_eq!(bench.hit_port.val().to_u128(), port as u128),
                                None => missing = Some((set, address, Some(cycle as u64 % 32))),
                            }
                            hits += expected.is_some() as u32;
                        }
                    }
                }
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let address = (random >> 33) % (2 * sets * ways) as u64;
                if let Some(operation) = missing {
                    comparing = Some(operation);
                } else if !fill {
                    comparing = Some((address as usize % sets, address, None));
                }
                if let Some((set, ..)) = comparing {
                    bench.reads.next = true;
                    bench.read_index.next = set.into();
                }
                bench.cycle();
            }
            assert!(hits > 100, "{hits} hits");
        }
    }

    /// A lookup, or a fill with a port, in the only set of a cache; the port that it hits, and whether it has read a
    /// word with a wrong bit.
    fn operate_with_parity(
        bench: &mut Bench<RoutingCache>,
        tag: u32,
        port: Option<u32>,
        flip: u32,
    ) -> (Option<u128>, bool) {
        bench.reads.next = true;
        bench.cycle();
        bench.reads.next = false;
        bench.tag.next = tag.into();
        (bench.lookup.next, bench.fill.next) = (port.is_none(), port.is_some());
        bench.fill_port.next = port.unwrap_or(0).into();
        bench.flip.as_mut().unwrap().next = flip.into();
        bench.settle();
        let hit = bench.hit.val().then(|| bench.hit_port.val().to_u128());
        let found = (hit, bench.faulty.as_ref().unwrap().val());
        bench.cycle();
        (bench.lookup.next, bench.fill.next) = (false, false);
        found
    }

    /// Each bit of a word, inverted as it is stored: the way is empty, the other one stays, and the next fill is right.
    #[test]
    fn a_word_with_a_wrong_bit_is_no_entry() {
        let crc = Crc { bits: 16, polynomial: 0x1021 };
        let shape = CacheShape { sets: 1, index_bits: 0, ways: 2, replacement: Replacement::Lru, crc, tag_bits: 8 };
        let parity = Some(ParityShape { bits: 8 + 5 + 2, fault_pins: true });
        let mut bench = Bench::new(routing_cache(&shape, 8, 5, parity, false, false), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        (0..2).for_each(|_| bench.cycle());
        assert_eq!(operate_with_parity(&mut bench, 3, None, 0), (None, false));
        operate_with_parity(&mut bench, 3, Some(9), 0);
        for bit in 0..15 {
            assert_eq!(operate_with_parity(&mut bench, 3, None, 0), (Some(9), false), "bit {bit}");
            operate_with_parity(&mut bench, 100 + bit, Some(bit), 1 << bit);
            assert_eq!(operate_with_parity(&mut bench, 100 + bit, None, 0), (None, true), "bit {bit}");
            assert_eq!(operate_with_parity(&mut bench, 3, None, 0), (Some(9), true), "bit {bit}");
            operate_with_parity(&mut bench, 100 + bit, Some(bit), 0);
            let again = operate_with_parity(&mut bench, 100 + bit, None, 0);
            assert_eq!(again, (Some(bit.into()), false), "bit {bit}");
        }
    }

    /// Flushes, one in the middle of another's sweep: S + 1 cycles behind the last one the cache is empty and fills
    /// again.
    #[test]
    fn a_flush_sweeps_again() {
        use Replacement::{Lru, PseudoLru, Random, RoundRobin};
        for replacement in [Lru, PseudoLru, RoundRobin, Random] {
            let crc = Crc { bits: 16, polynomial: 0x1021 };
            let shape = CacheShape { sets: 4, index_bits: 2, ways: 2, replacement, crc, tag_bits: 8 };
            let mut bench = Bench::new(routing_cache(&shape, 8, 5, None, true, false), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            // A lookup, or a fill with a port, that has read its set; whether it hits.
            fn operate(bench: &mut Bench<RoutingCache>, set: u32, tag: u32, port: Option<u32>) -> bool {
                bench.reads.next = true;
                bench.read_index.next = set.into();
                bench.cycle();
                bench.reads.next = false;
                bench.index.next = set.into();
                bench.tag.next = tag.into();
                (bench.lookup.next, bench.fill.next) = (port.is_none(), port.is_some());
                bench.fill_port.next = port.unwrap_or(0).into();
                bench.settle();
                let hit = bench.hit.val();
                bench.cycle();
                (bench.lookup.next, bench.fill.next) = (false, false);
                hit
            }
            for flushes in 0..3 {
                for cycle in 0..5 {
                    bench.settle();
                    assert!(
                        bench.is_sweeping.as_ref().unwrap().val(),
                        "{replacement:?}, flush {flushes}, cycle {cycle}"
                    );
                    bench.cycle();
                }
                bench.settle();
                assert!(!bench.is_sweeping.as_ref().unwrap().val());
                for set in 0..4 {
                    for (tag, port) in [(1, 7), (2, 9)] {
                        assert!(!operate(&mut bench, set, tag, None), "{replacement:?}: empty after flush {flushes}");
                        operate(&mut bench, set, tag, Some(port));
                        assert!(operate(&mut bench, set, tag, None), "{replacement:?}: filled after flush {flushes}");
                    }
                }
                // The entry used longest ago, or filled longest ago: that of tag 1.
                operate(&mut bench, 3, 3, Some(1));
                if replacement != Random {
                    let hits = [1, 2, 3].map(|tag| operate(&mut bench, 3, tag, None));
                    assert_eq!(hits, [false, true, true], "{replacement:?}");
                }
                bench.flush.as_mut().unwrap().next = true;
                bench.cycle();
                bench.flush.as_mut().unwrap().next = false;
                if flushes == 1 {
                    bench.cycle();
                    bench.cycle();
                    bench.flush.as_mut().unwrap().next = true;
                    bench.cycle();
                    bench.flush.as_mut().unwrap().next = false;
                }
            }
        }
    }
}
