//! The table against sections 4.7 and 13, written out.

use super::*;
use railyard_spec::{Config, Counters, ForwardingTable as Built, Hash, Parity, Polynomial, Routing, TableRouting};

fn shape(entries: u32, ways: u32, external_cam: bool) -> Shape {
    let mut config = Config::named("test");
    config.ports = 8;
    config.counters = Some(Counters::default());
    let hash = Hash { crc_bits: 32, polynomial: Polynomial(0x04C1_1DB7) };
    config.routing = Routing::Table(TableRouting {
        address_bits: 8,
        cache: None,
        forwarding_table: Some(Built { entries, ways, hash }),
        external_cam,
        parity: external_cam.then_some(Parity { fault_pins: true }),
        ..Default::default()
    });
    config.check().unwrap().shape()
}

/// A request, as a tag and an address.
type Request = Option<(u64, u64)>;

/// What T2 holds: the request, and the route if the table knows one.
type Result = Option<((u64, u64), Option<u64>)>;

/// Section 4.7: entries, registers T1 and T2 (T0 is outside), sweep, and whether a write was in the cycle before.
struct Reference {
    table: ForwardingTableShape,
    entries: Vec<Vec<Option<(u64, u64)>>>,
    /// Entries with a wrong bit.
    faulty: Vec<Vec<bool>>,
    /// One was read in the cycle before.
    told: bool,
    t1: Request,
    t2: Result,
    sweep: usize,
    written: bool,
}

impl Reference {
    fn new(table: &ForwardingTableShape) -> Self {
        let entries = vec![vec![None; table.sets]; table.ways];
        let faulty = vec![vec![false; table.sets]; table.ways];
        Reference { table: table.clone(), entries, faulty, told: false, t1: None, t2: None, sweep: 0, written: false }
    }

    fn reset(&mut self) {
        *self = Reference::new(&self.table);
    }

    fn sweeping(&self) -> bool {
        self.sweep <= self.table.sets
    }

    fn knows(&self, address: u64) -> Option<u64> {
        let hash = self.table.crc.of(address, 8);
        let at = |way: usize| self.entries[way][self.table.index(hash, way)];
        let found = (0..self.table.ways).find_map(|way| at(way).filter(|entry| entry.0 == address));
        found.filter(|_| !self.sweeping()).map(|entry| entry.1)
    }

    fn reads_faulty(&self, address: u64) -> bool {
        let hash = self.table.crc.of(address, 8);
        !self.sweeping() && (0..self.table.ways).any(|way| self.faulty[way][self.table.index(hash, way)])
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

fn run(entries: u32, ways: u32, external_cam: bool, seed: u64) {
    let shape = shape(entries, ways, external_cam);
    let (routing, table) = (shape.table().unwrap(), shape.forwarding_table().unwrap());
    let mut bench = Bench::new(forwarding_table(&shape, routing, table), |b| &mut b.clock);
    let mut reference = Reference::new(table);
    let mut random = Random(seed);
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;
    let mut t0: Request = None;
    let (mut seen_known, mut seen_unknown, mut lowest, mut held) = (0, 0, 0, 0);
    let mut seen_faulty = 0;
    let word_bits = routing.table_parity.map_or(0, |word| word.bits);
    for cycle in 0..8000 {
        let context = format!("{entries} entries, {ways} ways, cycle {cycle}");
        let reset = random.below(900) == 0;
        let leave = random.below(3) > 0;
        let clear = random.below(400) == 0;
        let write = !reference.sweeping() && random.below(4) == 0;
        // Mostly where it belongs; a place that it does not hash to makes no difference to what is known.
        let (way, address, route) = (random.below(ways.into()) as usize, random.below(40), random.below(8));
        let place = table.index(table.crc.of(address, 8), way);
        let index = if random.below(8) == 0 { random.below(table.sets as u64) as usize } else { place };
        let valid = random.below(5) > 0;
        let spoils = word_bits > 0 && random.below(6) == 0;
        if let Some(flip) = &mut bench.flip {
            flip.next = if spoils { 1u32 << random.below(word_bits.into()) } else { 0 }.into();
        }
        bench.reset.next = reset;
        bench.request_valid.next = t0.is_some();
        let (tag, asked) = t0.unwrap_or_default();
        bench.request_tag.next = tag.into();
        bench.request_address.next = asked.into();
        bench.leave.next = leave;
        bench.table.write.next = write;
        bench.table.way.next = way.into();
        bench.table.index.next = index.into();
        bench.table.valid.next = valid;
        bench.table.address.next = address.into();
        bench.table.route.next = route.into();
        bench.table.clear.next = clear;
        bench.settle();

        assert_eq!(bench.sweeping.val(), reference.sweeping(), "{context}");
        assert_eq!(bench.table_parity.as_ref().is_some_and(|pin| pin.val()), reference.told, "{context}");
        assert_eq!(bench.result_valid.val(), reference.t2.is_some(), "{context}");
        if let Some(((tag, address), known)) = reference.t2 {
            assert_eq!(bench.result_tag.val().to_u128(), u128::from(tag), "{context}");
            assert_eq!(bench.result_known.val(), known.is_some(), "{context}");
            if let Some(result_address) = &bench.result_address {
                assert_eq!(result_address.val().to_u128(), u128::from(address), "{context}");
            }
            if let Some(route) = known {
                assert_eq!(bench.result_route.val().to_u128(), u128::from(route), "{context}");
            }
        }
        let leaves = reference.t2.is_some() && leave;
        let advance = (reference.t2.is_none() || leaves) && !reference.written;
        assert_eq!(bench.advance.val(), advance, "{context}");
        let known = reference.t1.map(|request| (request, reference.knows(request.1)));
        assert_eq!(
            bench.known.as_ref().unwrap().val(),
            advance && known.is_some_and(|(_, route)| route.is_some()),
            "{context}"
        );
        assert_eq!(
            bench.unknown.as_ref().unwrap().val(),
            advance && known.is_some_and(|(_, route)| route.is_none()),
            "{context}"
        );

        bench.cycle();
        held += u32::from(!advance);
        reference.told = advance && reference.t1.is_some_and(|(_, address)| reference.reads_faulty(address));
        seen_faulty += u32::from(reference.told);
        if advance {
            if let Some(((_, address), route)) = known {
                seen_known += u32::from(route.is_some());
                seen_unknown += u32::from(route.is_none());
                let hash = table.crc.of(address, 8);
                let ways = (0..table.ways).filter(|&way| {
                    reference.entries[way][table.index(hash, way)].is_some_and(|entry| entry.0 == address)
                });
                lowest += u32::from(ways.count() > 1);
            }
            reference.t2 = known;
            reference.t1 = t0;
            t0 = (random.below(3) > 0).then(|| (random.below(1 << routing.tag_bits), random.below(40)));
        } else if leaves {
            reference.t2 = None;
        }
        reference.written = write;
        if write {
            reference.entries[way][index] = (valid && !spoils).then_some((address, route));
            reference.faulty[way][index] = spoils;
        }
        if reference.sweeping() {
            reference.entries.iter_mut().for_each(|way| way.fill(None));
            reference.faulty.iter_mut().for_each(|way| way.fill(false));
            reference.sweep += 1;
        }
        if clear {
            reference.sweep = 0;
        }
        if reset {
            reference.reset();
            t0 = None;
        }
    }
    let seen = format!("{seen_known} known, {seen_unknown} unknown, {lowest} in several ways, {held} held");
    assert!(word_bits == 0 || seen_faulty > 200, "{seen_faulty} with a wrong bit");
    assert!(seen_known > 200 && seen_unknown > 200 && held > 200 && (ways == 1 || lowest > 20), "{seen}");
}

#[test]
fn answers_are_those_of_the_reference() {
    run(16, 1, true, 1);
    run(16, 2, false, 2);
    run(32, 4, true, 3);
    run(64, 8, false, 4);
}
