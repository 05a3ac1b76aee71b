//! The route unit with cache control, and with node reduction in front of the cache: what is stale, when, and what that
//! does.

use super::*;
use railyard_spec::{Cache, Config, NodeReduction, Routing, TableRouting, Topology};
use std::collections::VecDeque;

/// A 12-bit address is group, router and node, 4 bits each (chunks 2, 1, 0).
fn shape(vcs: u32, lookups: u32, entries: u32, ways: u32, stages: Option<u32>) -> Shape {
    let mut config = Config::named("test");
    config.virtual_channels.unicast = vcs;
    config.buffer_flits = Some(16);
    config.routing = Routing::Table(TableRouting {
        address_bits: 12,
        lookups_per_vc: Some(lookups),
        cache: Some(Cache { entries, ways, ..Cache::default() }),
        node_reduction: stages.map(|stages| NodeReduction {
            topologies: vec![Topology::Cube, Topology::Dragonfly],
            chunk_bits: vec![4, 6],
            stages,
            ..NodeReduction::default()
        }),
        ..Default::default()
    });
    config.check().unwrap().shape()
}

fn unit(shape: &Shape) -> RouteUnit {
    let table = shape.table().unwrap();
    route_unit(shape, table)
}

/// Settings of node reduction, if it is there: the Dragonfly's in 4-bit chunks at this place, or none.
fn set(bench: &mut Bench<RouteUnit>, place: Option<u64>) {
    if let Some(settings) = &mut bench.io.reduction_settings {
        settings.coordinate.next = place.unwrap_or(0).into();
        settings.topology_select.next = if place.is_some() { 2u32 } else { 0 }.into();
        settings.chunk_select.as_mut().unwrap().next = 1.into();
    }
}

/// Reset, enabled and swept.
fn started(shape: &Shape, place: Option<u64>) -> Bench<RouteUnit> {
    let mut bench = Bench::new(unit(shape), |b| &mut b.clock);
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;
    bench.io.control.as_mut().unwrap().enable.next = true;
    set(&mut bench, place);
    while {
        bench.settle();
        bench.io.control.as_ref().unwrap().sweeping.val()
    } {
        bench.cycle();
    }
    bench
}

/// What happened in some cycles; the route unit's inputs are at rest but for the packet of the first one.
#[derive(Default, Debug)]
struct Seen {
    hits: Vec<usize>,
    misses: Vec<usize>,
    results: Vec<Option<u32>>,
}

/// A packet of VC 0 for this address (if any) in cycle 0, `cycles` in all; a flush, and no enable, in the cycles given.
fn run(bench: &mut Bench<RouteUnit>, address: Option<u64>, cycles: usize, flush: &[usize], disabled: &[usize]) -> Seen {
    let mut seen = Seen::default();
    for cycle in 0..cycles {
        bench.io.arrival.arrive.next = address.is_some() && cycle == 0;
        bench.io.arrival.arrive_address.as_mut().unwrap().next = address.unwrap_or(0).into();
        bench.io.control.as_mut().unwrap().flush.next = flush.contains(&cycle);
        bench.io.control.as_mut().unwrap().enable.next = !disabled.contains(&cycle);
        bench.settle();
        let (request, drop) = (bench.io.head.request[0].val(), bench.io.head.drop.val().get_bit(0));
        if request.any() || drop {
            seen.results.push((!drop).then(|| request.to_u128().trailing_zeros()));
        }
        bench.io.take.next = Value::zero(2).replace_bit(0, request.any() || drop);
        if bench.io.lookups.as_ref().unwrap().lookup_hit.val() {
            seen.hits.push(cycle);
        }
        if bench.io.lookups.as_ref().unwrap().lookup_miss.val() {
            seen.misses.push(cycle);
        }
        bench.cycle();
    }
    bench.io.arrival.arrive.next = false;
    bench.io.control.as_mut().unwrap().flush.next = false;
    bench.io.control.as_mut().unwrap().enable.next = true;
    seen
}

/// The requests on offer are taken; their slots' numbers.
fn requests(bench: &mut Bench<RouteUnit>) -> Vec<u64> {
    let mut slots = vec![];
    loop {
        bench.settle();
        if !bench.io.cam.as_ref().unwrap().offer.valid.val() {
            return slots;
        }
        slots.push(bench.io.cam.as_ref().unwrap().offer.slot.val().to_u128() as u64);
        bench.io.cam.as_mut().unwrap().offer.taken.next = true;
        bench.cycle();
        bench.io.cam.as_mut().unwrap().offer.taken.next = false;
    }
}

/// The CAM answers a slot of VC 0 with a port; what comes of it in the next cycles.
fn answer(bench: &mut Bench<RouteUnit>, slot: u64, port: u32) -> Vec<Option<u32>> {
    bench.io.cam.as_mut().unwrap().answer.valid.next = true;
    bench.io.cam.as_mut().unwrap().answer.slot.next = slot.into();
    bench.io.cam.as_mut().unwrap().answer.port.next = port.into();
    bench.settle();
    assert!(bench.io.cam.as_ref().unwrap().answer.known.val());
    let first = run(bench, None, 1, &[], &[]).results;
    bench.io.cam.as_mut().unwrap().answer.valid.next = false;
    [first, run(bench, None, 15, &[], &[]).results].concat()
}

/// A packet that misses and is answered at once, so that its address has an entry.
fn fill(bench: &mut Bench<RouteUnit>, address: u64, port: u32) {
    run(bench, Some(address), 8, &[], &[]);
    let slots = requests(bench);
    assert_eq!(slots.len(), 1, "a request for {address:#x}");
    assert_eq!(answer(bench, slots[0], port), [Some(port)]);
}

const ADDRESS: u64 = 0xabc;

/// A lookup issued in cycle 0 of `run` resolves in 1 + s; what it was is at the pins one cycle later.
#[test]
fn a_flush_makes_lookups_stale_until_they_resolve() {
    for stages in [None, Some(1), Some(2), Some(3)] {
        for place in [None, Some(0x12f)] {
            let shape = shape(2, 4, 16, 2, stages);
            let resolved = 1 + stages.unwrap_or(1) as usize;
            for flush in 0..=resolved + 1 {
                let mut bench = started(&shape, place);
                fill(&mut bench, ADDRESS, 9);
                let seen = run(&mut bench, Some(ADDRESS), 9, &[flush], &[]);
                let (hits, misses) = if flush <= resolved { (0, 1) } else { (1, 0) };
                assert_eq!((seen.hits.len(), seen.misses.len()), (hits, misses), "{stages:?}, flush in {flush}");
                assert_eq!([seen.hits, seen.misses].concat(), [resolved + 1]);
                // The entry is gone, and what was under way doesn't bring it back.
                for slot in requests(&mut bench) {
                    run(&mut bench, None, 12, &[], &[]);
                    assert_eq!(answer(&mut bench, slot, 5), [Some(5)]);
                }
                run(&mut bench, None, 12, &[], &[]);
                assert_eq!(run(&mut bench, Some(ADDRESS), 9, &[], &[]).misses.len(), 1);
            }
        }
    }
}

/// What counts is whether the cache is enabled in the cycle of issue.
#[test]
fn a_disabled_cache_neither_hits_nor_fills_nor_merges() {
    for stages in [None, Some(1), Some(3)] {
        let shape = shape(2, 4, 16, 2, stages);
        let mut bench = started(&shape, None);
        fill(&mut bench, ADDRESS, 9);
        assert_eq!(run(&mut bench, Some(ADDRESS), 9, &[], &[1, 2, 3, 4, 5]).hits.len(), 1);
        let always: Vec<usize> = (0..9).collect();
        assert_eq!(run(&mut bench, Some(ADDRESS), 9, &[], &[0]).misses.len(), 1);
        assert_eq!(run(&mut bench, Some(ADDRESS), 9, &[], &always).misses.len(), 1);
        // Enabled again: the entry is still there, with the old port.
        let slots = requests(&mut bench);
        assert_eq!(slots.len(), 2, "two requests for one address");
        assert_eq!(answer(&mut bench, slots[1], 4), []);
        assert_eq!(answer(&mut bench, slots[0], 3), [Some(3), Some(4)]);
        let seen = run(&mut bench, Some(ADDRESS), 9, &[], &[]);
        assert_eq!((seen.hits.len(), seen.results), (1, vec![Some(9)]));
        // One that is not in the cache: its answer doesn't enter it.
        assert_eq!(run(&mut bench, Some(0x123), 9, &[], &[0]).misses.len(), 1);
        let slots = requests(&mut bench);
        assert_eq!(answer(&mut bench, slots[0], 6), [Some(6)]);
        assert_eq!(run(&mut bench, Some(0x123), 9, &[], &[]).misses.len(), 1);
    }
}

/// Two packets wait with one request; a flush; two more with another one. Each answer is for its own two.
#[test]
fn stale_slots_keep_their_own_followers() {
    for stages in [None, Some(2)] {
        for (first, expected) in
            [(0, [vec![Some(3); 2], vec![Some(4); 2]]), (1, [vec![], [3, 3, 4, 4].map(Some).into()])]
        {
            let mut bench = started(&shape(2, 5, 16, 2, stages), None);
            for flush in [&[8][..], &[]] {
                run(&mut bench, Some(ADDRESS), 7, &[], &[]);
                run(&mut bench, Some(ADDRESS), 9, flush, &[]);
            }
            let slots = requests(&mut bench);
            assert_eq!(slots, [0, 2]);
            let ports = [3, 4];
            let results = [first, 1 - first].map(|i| answer(&mut bench, slots[i], ports[i]));
            assert_eq!(results, expected);
        }
    }
}

#[test]
fn destinations_of_one_link_share_an_entry() {
    for stages in 1..=3 {
        for (entries, ways) in [(16, 16), (16, 2), (256, 1)] {
            let mut bench = started(&shape(2, 4, entries, ways, Some(stages)), Some(0x12f));
            fill(&mut bench, 0x512, 7);
            let hit = |bench: &mut Bench<RouteUnit>, address| run(bench, Some(address), 9, &[], &[]).hits.len() == 1;
            assert!(hit(&mut bench, 0x512) && hit(&mut bench, 0x5ff) && hit(&mut bench, 0x500));
            // Other group; router 5 of this group; node 5 of this router.
            for (address, port) in [(0x612, 6), (0x15f, 5), (0x125, 4)] {
                fill(&mut bench, address, port);
                assert!(hit(&mut bench, address));
            }
            assert!(hit(&mut bench, 0x150) && !hit(&mut bench, 0x124));
            let slots = requests(&mut bench);
            // The CAM is asked with the address; one of the same key waits with it, one of another key doesn't.
            run(&mut bench, Some(0x701), 9, &[], &[]);
            bench.settle();
            assert_eq!((slots.len(), bench.io.cam.as_ref().unwrap().offer.address.val().to_u128()), (1, 0x701));
            assert_eq!(run(&mut bench, Some(0x702), 9, &[], &[]).misses.len(), 1);
            assert_eq!(requests(&mut bench).len(), 1);
        }
    }
}

/// Where a packet goes at a place (or without node reduction): the port, if there is a route.
fn route(place: Option<u64>, salt: u64, address: u64) -> Option<u64> {
    let digit = |number: u64, i: u64| number >> (4 * i) & 15;
    let key = match place {
        None => address,
        Some(place) if digit(address, 2) != digit(place, 2) => 32 + digit(address, 2),
        Some(place) if digit(address, 1) != digit(place, 1) => 16 + digit(address, 1),
        Some(_) => digit(address, 0),
    };
    ((key + salt) % 7 != 0).then_some((key * 5 + salt) % 16)
}

/// Traffic that never stops, a CAM of random delay, and now and then another table and place, by the rule of section
/// 4.5: disable, flush, change, enable. Each packet has a route of the table of its arrival or of a later one.
fn tables_change_under_traffic(shape: &Shape, seed: u64) {
    let mut bench = started(shape, None);
    let reduced = bench.io.reduction_settings.is_some();
    let mut tables: Vec<(Option<u64>, u64)> = vec![(None, 0)];
    let mut expected: Vec<VecDeque<(u64, usize)>> = vec![VecDeque::new(); shape.vcs];
    let mut cam: Vec<(u64, u64, Option<u64>)> = vec![];
    let (mut random, mut results, mut hits) = (seed, 0, 0);
    let mut draw = move |n: u64| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) % n
    };
    for cycle in 0..1800u64 {
        // Disabled from 0, flush and change in 2 to 6, enabled from 8 on of each 160 cycles.
        let phase = cycle % 160;
        let last = cycle > 1600;
        bench.io.control.as_mut().unwrap().enable.next = last || phase >= 8;
        let change = cycle > 100 && !last && phase == 2 + cycle / 160 % 5;
        let flush = change || (!last && phase == 2) || draw(300) == 0;
        bench.io.control.as_mut().unwrap().flush.next = flush;
        if change {
            let salt = draw(100);
            let place = (reduced && draw(3) > 0).then(|| draw(1 << 12));
            set(&mut bench, place);
            tables.push((place, salt));
        }
        let now = tables.len() - 1;
        let vc = draw(shape.vcs as u64);
        let address = draw(1 << 12) & if draw(2) == 0 { 0x013 } else { 0x310 };
        let arrive = expected[vc as usize].len() < shape.buffer_flits as usize && draw(3) > 0 && !last;
        bench.io.arrival.arrive.next = arrive;
        bench.io.arrival.arrive_vc.next = vc.into();
        bench.io.arrival.arrive_address.as_mut().unwrap().next = address.into();
        let ready = draw(3) > 0;
        bench.io.cam.as_mut().unwrap().offer.taken.next = false;
        bench.io.cam.as_mut().unwrap().answer.valid.next = false;
        if !cam.is_empty() && draw(3) == 0 {
            let (vc, slot, route) = cam.swap_remove(draw(cam.len() as u64) as usize);
            bench.io.cam.as_mut().unwrap().answer.valid.next = true;
            bench.io.cam.as_mut().unwrap().answer.vc.next = vc.into();
            bench.io.cam.as_mut().unwrap().answer.slot.next = slot.into();
            bench.io.cam.as_mut().unwrap().answer.drop.next = route.is_none();
            bench.io.cam.as_mut().unwrap().answer.port.next = route.unwrap_or(3).into();
        }
        bench.settle();
        assert_eq!(
            bench.io.cam.as_ref().unwrap().answer.known.val(),
            bench.io.cam.as_ref().unwrap().answer.valid.val()
        );
        if ready && bench.io.cam.as_ref().unwrap().offer.valid.val() {
            let number = |value: Value| value.to_u128() as u64;
            let (vc, slot, address) = (
                number(bench.io.cam.as_ref().unwrap().offer.vc.val()),
                number(bench.io.cam.as_ref().unwrap().offer.slot.val()),
                number(bench.io.cam.as_ref().unwrap().offer.address.val()),
            );
            cam.push((vc, slot, route(tables[now].0, tables[now].1, address)));
            bench.io.cam.as_mut().unwrap().offer.taken.next = true;
        }
        hits += bench.io.lookups.as_ref().unwrap().lookup_hit.val() as u32;
        let mut take = Value::zero(shape.vcs);
        for v in 0..shape.vcs {
            let (drop, request) = (bench.io.head.drop.val().get_bit(v), bench.io.head.request[v].val());
            if (drop || request.any()) && draw(4) > 0 {
                let result = (!drop).then(|| u64::from(request.to_u128().trailing_zeros()));
                let (address, since) = expected[v].pop_front().expect("a result for a packet");
                let legal = tables[since..].iter().any(|(place, salt)| route(*place, *salt, address) == result);
                assert!(legal, "cycle {cycle}, VC {v}, {address:#x}: {result:?} from table {since} of {tables:?}");
                take = take.replace_bit(v, true);
                results += 1;
            }
        }
        bench.io.take.next = take;
        bench.cycle();
        if arrive {
            expected[vc as usize].push_back((address, now));
        }
    }
    assert!(expected.iter().all(|queue| queue.is_empty()), "all packets have a result in the end");
    assert!(results > 200 && hits > 20 && tables.len() > 8, "{results} results, {hits} hits, {} tables", tables.len());
}

#[test]
fn no_packet_is_routed_by_an_old_table() {
    for (seed, (vcs, lookups, entries, ways, stages)) in
        [(2, 4, 16, 2, None), (2, 4, 16, 2, Some(1)), (1, 2, 32, 1, Some(2)), (3, 3, 16, 16, Some(3))]
            .into_iter()
            .enumerate()
    {
        tables_change_under_traffic(&shape(vcs, lookups, entries, ways, stages), seed as u64);
    }
}
