//! Packet-wise allocation, where packets name the VC on which they leave or where there is a mixed VC or both, against
//! section 6 said once more in plain Rust.

use super::*;
use railyard_spec::{Config, Counters, Routing, TableRouting};

struct Random(u64);

impl Random {
    fn bits(&mut self, n: usize) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 20 & ((1 << n) - 1)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.bits(30) % n as u64) as usize
    }
}

/// The first that is wanted from the pointer on, which moves behind it.
fn round_robin(pointer: &mut usize, n: usize, wanted: impl Fn(usize) -> bool) -> Option<usize> {
    let winner = (0..n).map(|step| (*pointer + step) % n).find(|&at| wanted(at))?;
    *pointer = (winner + 1) % n;
    Some(winner)
}

/// What may be built in.
#[derive(Clone, Copy)]
struct Built {
    next_vc: bool,
    mixed: bool,
}

fn run(ports: usize, vcs: usize, crossbar: Crossbar, built: Built, cycles: usize) {
    let mut config = Config::named("test");
    (config.ports, config.crossbar) = (ports as u32, crossbar);
    let mixed = vcs - 1;
    (config.virtual_channels.unicast, config.virtual_channels.mixed) =
        if built.mixed { (mixed as u32, 1) } else { (vcs as u32, 0) };
    config.routing = Routing::Table(TableRouting { next_vc: built.next_vc, ..Default::default() });
    config.counters = Some(Counters { bits: 16 });
    let single = crossbar == Crossbar::Single;
    let mut bench = Bench::new(allocator(&config.check().unwrap().shape()), |b| &mut b.clock);
    assert_eq!(bench.io.plane_sent.is_some(), (built.next_vc && !single));
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;

    let mut random = Random(vcs as u64 * 64 + ports as u64);
    // Input, VC on which it came and VC on which it leaves, of the packet that has the output.
    let mut owner: Option<(usize, usize, usize)> = None;
    let (mut link, mut planes, mut all) = (0, vec![0; vcs], 0);
    let (mut grants, mut others, mut multicasts, mut passed_saved) = (0, 0, 0, 0);
    // The input whose multicast packet the output is reserved for.
    let mut reserved: Option<usize> = None;
    for cycle in 0..cycles {
        let mut vectors = || (0..vcs).map(|_| random.bits(ports) & random.bits(ports)).collect::<Vec<_>>();
        let (request, ready) = (vectors(), vectors());
        let ending: Vec<u64> = ready.iter().map(|r| r & random.bits(ports)).collect();
        let room = random.bits(vcs) | random.bits(vcs);
        let room_sending = room & random.bits(vcs);
        let mut leaves = |v: usize| if built.next_vc { random.below(vcs) } else { v };
        let leave: Vec<Vec<usize>> = (0..vcs).map(|v| (0..ports).map(|_| leaves(v)).collect()).collect();
        bench.io.room.next = room.into();
        bench.io.room_sending.as_mut().expect("an output has one packet").next = room_sending.into();
        for v in 0..vcs {
            bench.io.request[v].next = request[v].into();
            bench.io.ready[v].next = ready[v].into();
            bench.io.ending[v].next = ending[v].into();
            for u in 0..bench.io.leave.len() / vcs {
                let there = leave[v].iter().enumerate().map(|(i, to)| u64::from(*to == u) << i);
                bench.io.leave[v * vcs + u].next = there.sum::<u64>().into();
            }
        }
        let free = owner.is_none_or(|(i, v, _)| ending[v] >> i & 1 == 1);
        let (turn, room_two) = (built.mixed && random.below(3) == 0, built.mixed && random.below(2) == 0);
        let (saved, reset) = (built.mixed && random.below(2) == 0, random.below(100) == 0);
        let starts = reserved.filter(|_| free && random.below(3) > 0);
        bench.reset.next = reset;
        if let Some(mixed) = &mut bench.io.mixed {
            (mixed.multicast_turn.next, mixed.saved.next, mixed.room_two.next) = (turn, saved, room_two);
            mixed.reserved.next = reserved.is_some();
            mixed.start.next = starts.map_or(0, |i| 1u64 << i).into();
        }
        bench.settle();

        // What the owner sends.
        let sends = owner.filter(|(i, v, _)| ready[*v] >> i & 1 == 1);
        assert_eq!(bench.io.sent.val().to_u128(), sends.map_or(0, |(.., u)| 1 << u), "cycle {cycle}");
        if let Some(plane) = &bench.io.plane_sent {
            assert_eq!(plane.val().to_u128(), sends.map_or(0, |(_, v, _)| 1 << v), "cycle {cycle}");
        }
        for v in 0..vcs {
            let expected = owner.filter(|own| own.1 == v).map_or(0, |(i, ..)| 1 << i);
            assert_eq!(bench.io.owner[v].val().to_u128(), expected, "cycle {cycle}");
        }

        // Who gets the output.
        let has_room = |u: usize| match owner {
            Some((.., sending)) if sending == u => room_sending >> u & 1 == 1,
            _ => room >> u & 1 == 1,
        };
        for v in 0..vcs {
            let with_room = (0..ports).filter(|i| request[v] >> i & 1 == 1 && has_room(leave[v][*i]));
            let with_room = with_room.fold(0, |all, i| all | 1u128 << i);
            assert_eq!(bench.io.with_room[v].val().to_u128(), with_room, "cycle {cycle}");
        }
        let mixed_spare = room_two && owner.is_none_or(|(.., u)| u != mixed);
        let kept_back = turn || saved && !mixed_spare;
        let asks = |i: usize, v: usize| {
            request[v] >> i & 1 == 1 && has_room(leave[v][i]) && !(kept_back && leave[v][i] == mixed)
        };
        let available = free && reserved.is_none();
        let winner = match (available, single) {
            (false, _) => None,
            (true, true) => round_robin(&mut all, ports * vcs, |r| asks(r / vcs, r % vcs)).map(|r| (r / vcs, r % vcs)),
            (true, false) => round_robin(&mut link, vcs, |v| (0..ports).any(|i| asks(i, v)))
                .and_then(|v| Some((round_robin(&mut planes[v], ports, |i| asks(i, v))?, v))),
        };
        for v in 0..vcs {
            let expected = winner.filter(|(_, own)| *own == v).map_or(0, |(i, _)| 1 << i);
            assert_eq!(bench.io.grant[v].val().to_u128(), expected, "cycle {cycle}");
        }
        if let Some(pins) = &bench.io.mixed {
            assert_eq!(pins.free.val(), free, "cycle {cycle}");
            let expected = match owner {
                Some((.., u)) if u == mixed && free => room_sending >> mixed & 1 == 1,
                Some((.., u)) if u == mixed => room_two,
                _ => room >> mixed & 1 == 1,
            };
            assert_eq!(pins.mixed_room.val(), expected, "cycle {cycle}");
            assert_eq!(pins.mixed_spare.val(), mixed_spare, "cycle {cycle}");
            let expected = winner.is_some_and(|(i, v)| leave[v][i] == mixed);
            assert_eq!(pins.mixed_grant.val(), expected, "cycle {cycle}");
            passed_saved += usize::from(saved && expected);
            let requested = (0..ports).any(|i| (0..vcs).any(|v| asks(i, v)));
            assert_eq!(pins.passed_over.val(), requested && winner.is_none(), "cycle {cycle}");
        }
        bench.cycle();
        if reset {
            (owner, reserved) = (None, None);
            (link, all) = (0, 0);
            planes.fill(0);
            continue;
        }
        if available {
            owner = winner.map(|(i, v)| (i, v, leave[v][i]));
            grants += usize::from(owner.is_some());
            others += usize::from(owner.is_some_and(|(_, v, u)| v != u));
        } else if free {
            owner = starts.map(|i| (i, mixed, mixed));
        }
        multicasts += usize::from(starts.is_some());
        reserved = match (reserved, starts) {
            (None, _) if built.mixed && random.below(8) == 0 => Some(random.below(ports)),
            (Some(_), Some(_)) => None,
            _ => reserved,
        };
    }
    let few = if built.mixed { cycles / 90 } else { cycles / 30 };
    assert!(grants > 3 * few, "{grants} grants");
    assert!(others > few || vcs == 1 || !built.next_vc, "{others} to another VC");
    assert!(multicasts > few || !built.mixed, "{multicasts} multicast packets");
    assert!(passed_saved > 0 || !built.mixed, "{passed_saved} packets where room is saved");
}

#[test]
fn packets_leave_on_the_vc_that_they_name() {
    for crossbar in [Crossbar::Parallel, Crossbar::Single] {
        for (ports, vcs) in [(2, 1), (5, 2), (3, 3), (8, 4), (16, 2)] {
            run(ports, vcs, crossbar, Built { next_vc: true, mixed: false }, 500);
        }
    }
}

#[test]
fn multicast_packets_follow_who_has_the_output_reserved_for_them() {
    for crossbar in [Crossbar::Parallel, Crossbar::Single] {
        for next_vc in [false, true] {
            for (ports, vcs) in [(2, 2), (5, 3), (16, 2)] {
                run(ports, vcs, crossbar, Built { next_vc, mixed: true }, 2000);
            }
        }
    }
}
