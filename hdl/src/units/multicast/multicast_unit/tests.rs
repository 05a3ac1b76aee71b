//! The block against section 6.1, said once more in plain Rust.

use super::*;
use railyard_spec::Config;

struct Random(u64);

impl Random {
    fn bits(&mut self, n: usize) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 20 & ((1 << n) - 1)
    }
    fn one_in(&mut self, n: u64) -> bool {
        self.bits(30) % n == 0
    }
}

/// State of section 6.1; sets of ports are masks.
#[derive(Default)]
struct Reference {
    max_flits: usize,
    bulletin: u64,
    spare: u64,
    reserved: u64,
    turn: u64,
    yields: u64,
    granted: Vec<bool>,
    favoured: usize,
    waited: usize,
    claim: u64,
    saved: u64,
    pointer: usize,
}

/// What comes from outside in a cycle.
struct Inputs {
    waiting: Vec<Option<u64>>,
    may_connect: u64,
    free: u64,
    room: u64,
    credit: u64,
    credit_two: u64,
    /// Not busy on the mixed VC, and x at least 2 M.
    mixed_spare: u64,
    mixed_waiting: u64,
    mixed_grant: u64,
    /// Some unicast packet requests these outputs, and one gets these.
    unicast_request: u64,
    unicast_grant: u64,
}

impl Reference {
    fn reset(ports: usize, max_flits: usize) -> Self {
        Reference { max_flits, granted: vec![false; ports], ..Default::default() }
    }

    /// The inputs that start; and the state of the next cycle.
    fn step(&mut self, inputs: &Inputs, covered: &mut Covered) -> u64 {
        let n = inputs.waiting.len();
        let wants = |i: usize| inputs.waiting[i].filter(|_| !self.granted[i]);
        let requests = |i: usize| {
            wants(i).is_some_and(|all| {
                let kept_back = all & self.claim != 0 || all & self.saved & !self.spare != 0;
                all & !(self.bulletin & self.turn) == 0 && (i == self.favoured || !kept_back)
            })
        };
        let winner = (0..n).map(|step| (self.pointer + step) % n).find(|&i| requests(i));
        let newly = winner.map_or(0, |i| inputs.waiting[i].unwrap());
        let starts = |i: usize| {
            self.granted[i]
                && inputs.may_connect >> i & 1 == 1
                && inputs.waiting[i].is_some_and(|all| all & !inputs.free == 0)
        };
        let starting: Vec<usize> = (0..n).filter(|&i| starts(i)).collect();
        // Each output whose companions all have room for it.
        let holds = |i: usize| {
            let all = wants(i).unwrap_or(0);
            let for_two = if i == self.favoured { 0 } else { self.saved };
            let room = inputs.credit & !for_two | inputs.credit_two & for_two;
            let may_hold = |o: &usize| all >> o & 1 == 1 && all & !(1 << o) & !room == 0;
            (0..n).filter(may_hold).fold(0, |held, o| held | 1 << o)
        };
        let held = (0..n).map(holds).fold(0, |all, one| all | one);
        let favoured_holds = holds(self.favoured);
        let favoured_wants = wants(self.favoured);
        let favoured_goes_on = favoured_wants.is_none() || winner == Some(self.favoured);
        let at_once = self.claim & self.saved;
        let in_turn = self.turn | !inputs.mixed_waiting | inputs.mixed_grant;
        let winner_is_favoured = winner == Some(self.favoured);
        covered.favoured_gets_saved += usize::from(self.saved != 0 && winner_is_favoured);
        covered.another_gets_saved += usize::from(newly & self.saved != 0 && !winner_is_favoured);
        covered.turn_at_once += usize::from(at_once & held & !newly & !in_turn != 0);

        let started = starting.iter().fold(0, |all, &i| all | inputs.waiting[i].unwrap());
        self.yields = started | self.yields & inputs.unicast_request & !inputs.unicast_grant;
        self.bulletin = (0..n)
            .filter(|o| (inputs.room & !self.reserved & !newly & !inputs.mixed_grant & !self.yields) >> o & 1 == 1)
            .fold(0, |all, o| all | 1 << o);
        self.spare = self.bulletin & inputs.mixed_spare;
        self.turn = held & !newly & (in_turn | at_once);
        self.reserved |= newly;
        for &i in &starting {
            self.granted[i] = false;
            self.reserved &= !inputs.waiting[i].unwrap();
        }
        if let Some(i) = winner {
            self.granted[i] = true;
            self.pointer = (i + 1) % n;
        }
        let long = 64 * self.max_flits;
        self.claim = if favoured_goes_on { 0 } else { favoured_holds };
        self.saved = favoured_wants.filter(|_| !favoured_goes_on && self.waited == long).unwrap_or(0);
        self.waited = if favoured_goes_on { 0 } else { long.min(self.waited + 1) };
        self.favoured = (self.favoured + usize::from(favoured_goes_on)) % n;
        starting.iter().fold(0, |all, i| all | 1 << i)
    }
}

/// How often the rare happened.
#[derive(Default)]
struct Covered {
    /// The favoured packet is granted outputs where room is saved for it; another one is.
    favoured_gets_saved: usize,
    another_gets_saved: usize,
    /// It is the turn of multicast packets only because room is saved.
    turn_at_once: usize,
    /// Resets while room was saved and a packet granted.
    forgotten: usize,
}

/// Runs block and reference side by side.
fn run(ports: usize, max_flits: usize, cycles: usize, covered: &mut Covered) {
    let mut config = Config::named("test");
    (config.ports, config.virtual_channels.mixed) = (ports as u32, 1);
    config.packet.max_flits = max_flits as u32;
    let mut bench = Bench::new(multicast_unit(&config.check().unwrap().shape()), |b| &mut b.clock);
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;
    let mut reference = Reference::reset(ports, max_flits);
    let mut random = Random(ports as u64);
    let mut waiting: Vec<Option<u64>> = vec![None; ports];
    let (mut starts, mut wide) = (0, 0);
    for cycle in 0..cycles {
        // Half of the time buffers are nearly always full, so that packets wait for long.
        let scarce =
            if cycle / 256 % 2 == 0 { u64::MAX } else { random.bits(ports) & random.bits(ports) & random.bits(ports) };
        for one in &mut waiting {
            // Narrow fan-outs, and some of all outputs.
            let outputs = if random.one_in(8) { u64::MAX } else { random.bits(ports) & random.bits(ports) };
            if one.is_none() && random.one_in(3) {
                *one = Some(outputs & ((1 << ports) - 1)).filter(|all| *all != 0);
            }
        }
        // A unicast packet that leaves on the mixed VC gets only an output in the turn of unicast packets, and none
        // that is reserved.
        let mixed_waiting = random.bits(ports) & random.bits(ports);
        let mixed_grant = mixed_waiting & random.bits(ports) & !reference.turn & !reference.reserved;
        let reset = random.one_in(200);
        let unicast_request = mixed_grant | random.bits(ports);
        let unicast_grant = mixed_grant | unicast_request & random.bits(ports) & !reference.reserved;
        let credit = random.bits(ports) | random.bits(ports) | random.bits(ports) | random.bits(ports);
        let inputs = Inputs {
            waiting: waiting.clone(),
            may_connect: random.bits(ports) | random.bits(ports),
            free: random.bits(ports) | random.bits(ports),
            room: scarce & (random.bits(ports) | random.bits(ports) | random.bits(ports)),
            credit,
            credit_two: credit & (random.bits(ports) | random.bits(ports)),
            mixed_spare: random.bits(ports) | random.bits(ports),
            mixed_waiting,
            mixed_grant,
            unicast_request,
            unicast_grant,
        };
        let mask = |set: u64| Value::from(set);
        bench.reset.next = reset;
        bench.waiting.next = mask((0..ports).filter(|i| waiting[*i].is_some()).fold(0, |all, i| all | 1 << i));
        for i in 0..ports {
            bench.outputs[i].next = mask(waiting[i].unwrap_or(random.bits(ports)));
            // All of them at one input; which one does not matter.
            bench.state.mixed_waiting[i].next = mask(if i == cycle % ports { mixed_waiting } else { 0 });
        }
        bench.may_connect.next = mask(inputs.may_connect);
        bench.free.next = mask(inputs.free);
        bench.state.room.next = mask(inputs.room);
        bench.state.credit.next = mask(inputs.credit);
        bench.state.credit_two.next = mask(inputs.credit_two);
        bench.state.mixed_spare.next = mask(inputs.mixed_spare);
        bench.state.mixed_grant.next = mask(inputs.mixed_grant);
        bench.state.passed_over.next = mask(unicast_request & !unicast_grant);
        bench.settle();
        assert_eq!(bench.claims.turn.val().to_u128(), u128::from(reference.turn), "turn, cycle {cycle}");
        assert_eq!(bench.claims.reserved.val().to_u128(), u128::from(reference.reserved), "reserved, cycle {cycle}");
        assert_eq!(bench.claims.saved.val().to_u128(), u128::from(reference.saved), "saved, cycle {cycle}");
        let had_state = reference.saved != 0 && reference.granted.contains(&true);
        let starting = reference.step(&inputs, covered);
        assert_eq!(bench.start.val().to_u128(), u128::from(starting), "start, cycle {cycle}");
        for o in 0..ports {
            let owner = (0..ports).filter(|i| starting >> i & 1 == 1 && waiting[*i].unwrap() >> o & 1 == 1);
            let owner = owner.fold(0u128, |all, i| all | 1 << i);
            assert_eq!(bench.start_to[o].val().to_u128(), owner, "output {o}, cycle {cycle}");
            assert!(owner.count_ones() <= 1, "output {o} has one owner");
        }
        bench.cycle();
        if reset {
            // The fan-out registers of the inputs are empty, too.
            covered.forgotten += usize::from(had_state);
            reference = Reference::reset(ports, max_flits);
            waiting.fill(None);
            continue;
        }
        for i in (0..ports).filter(|i| starting >> i & 1 == 1) {
            starts += 1;
            wide += usize::from(waiting[i].unwrap() == (1 << ports) - 1);
            waiting[i] = None;
        }
    }
    assert!(starts > cycles / 40 && wide > 2, "{starts} packets, {wide} of them to all {ports} ports");
}

#[test]
fn multicast_packets_get_all_their_outputs_at_once() {
    let mut covered = Covered::default();
    for (ports, max_flits) in [(2, 1), (3, 1), (5, 2), (8, 1), (16, 1)] {
        run(ports, max_flits, 8000, &mut covered);
    }
    let Covered { favoured_gets_saved, another_gets_saved, turn_at_once, forgotten } = covered;
    assert!(favoured_gets_saved > 20, "{favoured_gets_saved} packets get room that was saved for them");
    assert!(another_gets_saved > 20, "{another_gets_saved} packets get room where it is saved for another one");
    assert!(turn_at_once > 20, "{turn_at_once} turns at once");
    assert!(forgotten > 0, "no reset while room is saved and a packet granted");
}
