//! Routing cache: S sets of w ways, from a destination address to an output port.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `read_index` | index bits | set of the operation that reads in this cycle |
//! | `index`, `tag` | index bits, tag bits | set and tag of the operation that compares in this cycle, after its read |
//! | `lookup` | 1 | it is a lookup |
//! | `fill`, `fill_port` | 1, port bits | it is a fill with this port |
//! | `hit`, `hit_port` | 1, port bits | the lookup's tag has an entry, with this port |
//! | `flush` | 1 | empty the cache: sweep from the next cycle on (only of a cache with control) |
//! | `is_sweeping` | 1 | it sweeps in this cycle (only of a cache with control) |
//! | `fills`, `evicts` | 1, 1 | the fill writes its entry; over another one (only with counters) |
//!
//! With `next_vc` or output selection each `*_port` is a whole [`route`](super::layout).
//!
//! State: for each way, a memory of S words with valid bit, port and tag; what the replacement policy remembers (one
//! of the parts `lru`, `pseudo_lru`, `round_robin_way`, `random_way`; none if w = 1); the sweep counter.
//!
//! Each cycle: the words of the set at `read_index` are read from all ways. In the cycle behind, all tags are compared
//! with `tag`. The ports of matching ways are or-ed (at most one matches). A fill writes the lowest-numbered
//! invalid way, or the policy's victim if all are valid. `lru` and `pseudo_lru` learn of hits and fills,
//! `round_robin_way` of fills, `random_way` of fills of full sets. A written word can be read from the next cycle on: no
//! operation may read in the cycle in which a fill compares, which is why nothing is issued in the cycle after a fill.
//!
//! After reset the sweep writes "invalid" to one set after the other. For S + 1 cycles nothing hits and nothing is
//! filled; the last of them writes nothing, so that the first operation that counts has not read what was being
//! written. A flush starts it anew, from whatever it was. The policy remembers nothing over it that matters: it is asked for a
//! victim in full sets only, all of whose ways were filled behind the sweep. (`random_way` goes on; its order is one of all sets.) No
//! lookup and no fill may come in the cycle of the flush.
//!
//! Source: switch reference, sections 4.3 to 4.5; seed 000 section 4.2.

use crate::parts::lowest_bit::{lowest_bit, LowestBit};
use crate::parts::lru::{lru, Lru};
use crate::parts::pseudo_lru::{pseudo_lru, PseudoLru};
use crate::parts::random_way::{random_way, RandomWay};
use crate::parts::round_robin_way::{round_robin_way, RoundRobinWay};
use crate::rtl::prelude::*;
use railyard_spec::{CacheShape, Replacement};

/// Cache of routes; see the head of this file.
#[block]
pub struct RoutingCache {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub read_index: Sig<In>,
    pub index: Sig<In>,
    pub tag: Sig<In>,
    pub lookup: Flag<In>,
    pub fill: Flag<In>,
    pub fill_port: Sig<In>,
    pub hit: Flag<Out>,
    pub hit_port: Sig<Out>,
    pub flush: Vec<Flag<In>>,
    pub is_sweeping: Vec<Flag<Out>>,
    pub fills: Vec<Flag<Out>>,
    pub evicts: Vec<Flag<Out>>,

    sweep: Reg,

    way: Vec<Ram>,
    lru: Vec<Lru>,
    pseudo_lru: Vec<PseudoLru>,
    round_robin: Vec<RoundRobinWay>,
    random: Vec<RandomWay>,
    lowest_invalid: LowestBit,

    sweeping: Flag<Local>,
    clearing: Flag<Local>,
    valid: Sig<Local>,
    matching: Sig<Local>,
    victim: Sig<Local>,
    filled: Sig<Local>,
    write_word: Sig<Local>,
    write_index: Sig<Local>,

    tag_field: Field,
    port_field: Field,
    valid_bit: Param,
    sets: Param,
    ways: Param,
    about: About,
}

/// A cache of the given shape for tags of `tag_bits` and ports of `port_bits`, which is swept after reset only.
pub fn routing_cache(cache: &CacheShape, tag_bits: usize, port_bits: usize) -> RoutingCache {
    with_control(cache, tag_bits, port_bits, 0)
}

/// The same with control: it can be flushed.
pub fn flushed_routing_cache(cache: &CacheShape, tag_bits: usize, port_bits: usize) -> RoutingCache {
    with_control(cache, tag_bits, port_bits, 1)
}

fn with_control(cache: &CacheShape, tag_bits: usize, port_bits: usize, control: usize) -> RoutingCache {
    let (sets, ways) = (cache.sets, cache.ways);
    let index_bits = (cache.index_bits as usize).max(1);
    let valid_bit = tag_bits + port_bits;
    // The part of one policy; one way leaves nothing to choose.
    let replaced_by = |policy| usize::from(ways > 1 && cache.replacement == policy);
    let doc = match cache.replacement {
        Replacement::PseudoLru if ways > 1 => {
            "Routing cache: address to output port. Set associative, pseudo-LRU entry replaced, swept after reset. An \
             operation reads in one cycle and compares, or fills, in the next."
        }
        Replacement::RoundRobin if ways > 1 => {
            "Routing cache: address to output port. Set associative, entries replaced in turn, swept after reset. An \
             operation reads in one cycle and compares, or fills, in the next."
        }
        Replacement::Random if ways > 1 => {
            "Routing cache: address to output port. Set associative, random entry replaced, swept after reset. An \
             operation reads in one cycle and compares, or fills, in the next."
        }
        _ => {
            "Routing cache: address to output port. Set associative, least recently used entry replaced, swept after \
             reset. An operation reads in one cycle and compares, or fills, in the next."
        }
    };
    RoutingCache {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        read_index: sig(index_bits).doc("set of the operation that reads in this cycle"),
        index: sig(index_bits).doc("set of the operation that compares in this cycle"),
        tag: sig(tag_bits).doc("its tag"),
        lookup: flag().doc("it is a lookup"),
        fill: flag().doc("it is a fill with a route"),
        fill_port: sig(port_bits).doc("the route that it fills in"),
        hit: flag().doc("the lookup's address has an entry"),
        hit_port: sig(port_bits).doc("the entry's output port"),
        flush: many(control, || flag().doc("sweep from the next cycle on")),
        is_sweeping: many(control, || flag().doc("it sweeps in this cycle")),
        fills: vec![],
        evicts: vec![],
        sweep: reg(clog2(sets + 2), 0u8).doc("sweep counter: sets + 1 when the sweep is over"),
        way: many(ways, || ram(sets, valid_bit + 1)),
        lru: many(replaced_by(Replacement::Lru), || lru(sets, ways)),
        pseudo_lru: many(replaced_by(Replacement::PseudoLru), || pseudo_lru(sets, ways)),
        round_robin: many(replaced_by(Replacement::RoundRobin), || round_robin_way(sets, ways)),
        random: many(replaced_by(Replacement::Random), || random_way(ways)),
        lowest_invalid: lowest_bit(ways),
        sweeping: flag().doc("after reset: nothing hits, nothing is filled"),
        clearing: flag().doc("the sweep writes in this cycle"),
        valid: sig(ways).doc("the way holds an entry"),
        matching: sig(ways).doc("the way holds an entry for the address"),
        victim: sig(ways).doc("way to replace if all hold entries"),
        filled: sig(ways).doc("way that a fill writes"),
        write_word: sig(valid_bit + 1).doc("word to write"),
        write_index: sig(index_bits).doc("set to write"),
        tag_field: field(0, tag_bits),
        port_field: field(tag_bits, port_bits),
        valid_bit: param(valid_bit),
        sets: param(sets),
        ways: param(ways),
        about: about("routing_cache", doc)
            .param("sets", sets)
            .param("ways", ways)
            .param("tag_bits", tag_bits)
            .param("port_bits", port_bits),
    }
}

impl RoutingCache {
    /// The same with `fills` and `evicts`, for counters.
    pub fn counted(mut self) -> Self {
        self.fills = vec![flag().doc("the fill writes its entry")];
        self.evicts = vec![flag().doc("and evicts another one")];
        self
    }
}

#[kernel]
impl RoutingCache {
    fn update(&mut self) {
        self.clearing.next = self.sweep.q.val() < self.sets.val();
        self.sweeping.next = self.sweep.q.val() <= self.sets.val();
        if self.sweeping.val() {
            self.sweep.d.next = self.sweep.q.val() + 1;
        }
        for c in 0..self.flush.len() {
            if self.flush[c].val() {
                self.sweep.d.next = 0.into();
            }
            self.is_sweeping[c].next = self.sweeping.val();
        }

        // Compare.
        self.valid.next = 0.into();
        self.matching.next = 0.into();
        for i in 0..self.ways.val() {
            self.valid.next =
                self.valid.val().replace_bit(i, self.way[i].read_data.val().get_bit(self.valid_bit.val()));
            self.matching.next = self.matching.val().replace_bit(
                i,
                self.way[i].read_data.val().get_bit(self.valid_bit.val())
                    & ((self.way[i].read_data.val() >> self.tag_field.val()) == self.tag.val()),
            );
        }
        self.hit_port.next = 0.into();
        for i in 0..self.ways.val() {
            if self.matching.val().get_bit(i) {
                self.hit_port.next = self.hit_port.val() | (self.way[i].read_data.val() >> self.port_field.val());
            }
        }
        self.hit.next = self.lookup.val() & self.matching.val().any() & !self.sweeping.val();

        // Replace.
        self.victim.next = 1.into();
        for i in 0..self.lru.len() {
            self.victim.next = self.lru[i].victim.val();
        }
        for i in 0..self.pseudo_lru.len() {
            self.victim.next = self.pseudo_lru[i].victim.val();
        }
        for i in 0..self.round_robin.len() {
            self.victim.next = self.round_robin[i].victim.val();
        }
        for i in 0..self.random.len() {
            self.victim.next = self.random[i].victim.val();
        }
        self.lowest_invalid.bits.next = !self.valid.val();
        self.filled.next = self.lowest_invalid.lowest.val();
        if self.valid.val().all() {
            self.filled.next = self.victim.val();
        }

        for c in 0..self.fills.len() {
            self.fills[c].next = self.fill.val() & !self.sweeping.val();
            self.evicts[c].next = self.fill.val() & !self.sweeping.val() & self.valid.val().all();
        }

        // Use.
        for i in 0..self.lru.len() {
            self.lru[i].read_index.next = self.read_index.val();
            self.lru[i].use_index.next = self.index.val();
            self.lru[i].used.next = 0.into();
            if self.lookup.val() & !self.sweeping.val() {
                self.lru[i].used.next = self.matching.val();
            }
            if self.fill.val() & !self.sweeping.val() {
                self.lru[i].used.next = self.filled.val();
            }
        }
        for i in 0..self.pseudo_lru.len() {
            self.pseudo_lru[i].read_index.next = self.read_index.val();
            self.pseudo_lru[i].use_index.next = self.index.val();
            self.pseudo_lru[i].used.next = 0.into();
            if self.lookup.val() & !self.sweeping.val() {
                self.pseudo_lru[i].used.next = self.matching.val();
            }
            if self.fill.val() & !self.sweeping.val() {
                self.pseudo_lru[i].used.next = self.filled.val();
            }
        }
        for i in 0..self.round_robin.len() {
            self.round_robin[i].read_index.next = self.read_index.val();
            self.round_robin[i].use_index.next = self.index.val();
            self.round_robin[i].filled.next = 0.into();
            if self.fill.val() & !self.sweeping.val() {
                self.round_robin[i].filled.next = self.filled.val();
            }
        }
        for i in 0..self.random.len() {
            self.random[i].evicted.next = self.fill.val() & !self.sweeping.val() & self.valid.val().all();
        }

        // Write.
        self.write_word.next = 0.into();
        self.write_index.next = self.index.val();
        if self.clearing.val() {
            self.write_index.next = unsigned_cast(self.sweep.q.val());
        } else {
            self.write_word.next = self.write_word.val().replace_bit(self.tag_field.val(), self.tag.val());
            self.write_word.next = self.write_word.val().replace_bit(self.port_field.val(), self.fill_port.val());
            self.write_word.next = self.write_word.val().replace_bit(self.valid_bit.val(), true);
        }
        for i in 0..self.ways.val() {
            self.way[i].read_address.next = self.read_index.val();
            self.way[i].write_enable.next =
                self.clearing.val() | (self.fill.val() & !self.sweeping.val() & self.filled.val().get_bit(i));
            self.way[i].write_address.next = self.write_index.val();
            self.way[i].write_data.next = self.write_word.val();
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
            let mut bench = Bench::new(routing_cache(&shape, 12, 5), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            let mut reference = Reference(vec![vec![]; sets], ways);
            // One operation after the other: the next one reads while this one compares, but not behind a fill.
            let (mut random, mut comparing, mut hits) = (1u64, None, 0);
            for cycle in 0..1500 {
                let (mut fill, mut missing) = (false, None);
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
                    bench.read_index.next = set.into();
                }
                bench.cycle();
            }
            assert!(hits > 100, "{hits} hits");
        }
    }

    /// Flushes, one in the middle of another's sweep: S + 1 cycles behind the last one the cache is empty and fills again.
    #[test]
    fn a_flush_sweeps_again() {
        use Replacement::{Lru, PseudoLru, Random, RoundRobin};
        for replacement in [Lru, PseudoLru, RoundRobin, Random] {
            let crc = Crc { bits: 16, polynomial: 0x1021 };
            let shape = CacheShape { sets: 4, index_bits: 2, ways: 2, replacement, crc, tag_bits: 8 };
            let mut bench = Bench::new(flushed_routing_cache(&shape, 8, 5), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            // A lookup, or a fill with a port, that has read its set; whether it hits.
            fn operate(bench: &mut Bench<RoutingCache>, set: u32, tag: u32, port: Option<u32>) -> bool {
                bench.read_index.next = set.into();
                bench.cycle();
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
                    assert!(bench.is_sweeping[0].val(), "{replacement:?}, flush {flushes}, cycle {cycle}");
                    bench.cycle();
                }
                bench.settle();
                assert!(!bench.is_sweeping[0].val());
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
                bench.flush[0].next = true;
                bench.cycle();
                bench.flush[0].next = false;
                if flushes == 1 {
                    bench.cycle();
                    bench.cycle();
                    bench.flush[0].next = true;
                    bench.cycle();
                    bench.flush[0].next = false;
                }
            }
        }
    }
}
