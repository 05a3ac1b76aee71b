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
    bulletin: u64,
    spare: u64,
    reserved: u64,
    turn: u64,
    yields: u64,
    granted: Vec<bool>,
    favoured: usize,
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
    /// Not busy on the mixed VC, and x at least 2 M.
    mixed_spare: u64,
    mixed_waiting: u64,
    mixed_grant: u64,
    /// Some unicast packet requests these outputs, and one gets these.
    unicast_request: u64,
    unicast_grant: u64,
}

impl Reference {
    fn reset(ports: usize) -> Self {
        Reference { granted: vec![false; ports], ..Default::default() }
    }

    /// The inputs that start; and the state of the next cycle.
    fn step(&mut self, inputs: &Inputs) -> u64 {
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
        // Each output whose companions all have credit.
        let holds = |i: usize| {
            let all = wants(i).unwrap_or(0);
            let may_hold = |o: &usize| all >> o & 1 == 1 && all & !(1 << o) & !inputs.credit == 0;
            (0..n).filter(may_hold).fold(0, |held, o| held | 1 << o)
        };
        let held = (0..n).map(holds).fold(0, |all, one| all | one);
        let favoured_holds = holds(self.favoured);
        let favoured_wants = wants(self.favoured);
        let favoured_goes_on = favoured_wants.is_none() || winner == Some(self.favoured);

        let started = starting.iter().fold(0, |all, &i| all | inputs.waiting[i].unwrap());
        self.yields = started | self.yields & inputs.unicast_request & !inputs.unicast_grant;
        self.bulletin = (0..n)
            .filter(|o| (inputs.room & !self.reserved & !newly & !inputs.mixed_grant & !self.yields) >> o & 1 == 1)
            .fold(0, |all, o| all | 1 << o);
        self.spare = self.bulletin & inputs.mixed_spare;
        let may_turn = self.turn | !inputs.mixed_waiting | inputs.mixed_grant;
        self.turn = held & !newly & may_turn;
        self.reserved |= newly;
        for &i in &starting {
            self.granted[i] = false;
            self.reserved &= !inputs.waiting[i].unwrap();
        }
        if let Some(i) = winner {
            self.granted[i] = true;
            self.pointer = (i + 1) % n;
        }
        let wanted = favoured_wants.unwrap_or(0);
        let saves = !favoured_goes_on && (self.saved != 0 || favoured_holds != wanted);
        self.claim = if favoured_goes_on { 0 } else { favoured_holds };
        self.saved = if saves { wanted } else { 0 };
        self.favoured = (self.favoured + usize::from(favoured_goes_on)) % n;
        starting.iter().fold(0, |all, i| all | 1 << i)
    }
}

/// Runs block and reference side by side; how many resets came while room was saved and a packet granted.
fn run(ports: usize, cycles: usize) -> usize {
    let mut config = Config::named("test");
    (config.ports, config.virtual_channels.mixed) = (ports as u32, 1);
    let mut bench = Bench::new(multicast_unit(&config.shape()), |b| &mut b.clock);
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;
    let mut reference = Reference::reset(ports);
    let mut random = Random(ports as u64);
    let mut waiting: Vec<Option<u64>> = vec![None; ports];
    let (mut starts, mut wide, mut forgotten) = (0, 0, 0);
    for cycle in 0..cycles {
        for one in &mut waiting {
            // Narrow fan-outs, and some of all outputs.
            let outputs = if random.one_in(8) { u64::MAX } else { random.bits(ports) & random.bits(ports) };
            if one.is_none() && random.one_in(3) {
                *one = Some(outputs & ((1 << ports) - 1)).filter(|all| *all != 0);
            }
        }
        // A unicast packet that leaves on the mixed VC gets only an output in the turn of unicast packets, and none that is reserved.
        let mixed_waiting = random.bits(ports) & random.bits(ports);
        let mixed_grant = mixed_waiting & random.bits(ports) & !reference.turn & !reference.reserved;
        let reset = random.one_in(200);
        let unicast_request = mixed_grant | random.bits(ports);
        let unicast_grant = mixed_grant | unicast_request & random.bits(ports) & !reference.reserved;
        let inputs = Inputs {
            waiting: waiting.clone(),
            may_connect: random.bits(ports) | random.bits(ports),
            free: random.bits(ports) | random.bits(ports),
            room: random.bits(ports) | random.bits(ports) | random.bits(ports),
            credit: random.bits(ports) | random.bits(ports) | random.bits(ports) | random.bits(ports),
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
            bench.mixed_waiting[i].next = mask(if i == cycle % ports { mixed_waiting } else { 0 });
        }
        bench.may_connect.next = mask(inputs.may_connect);
        bench.free.next = mask(inputs.free);
        bench.room.next = mask(inputs.room);
        bench.credit.next = mask(inputs.credit);
        bench.mixed_spare.next = mask(inputs.mixed_spare);
        bench.mixed_grant.next = mask(inputs.mixed_grant);
        bench.passed_over.next = mask(unicast_request & !unicast_grant);
        bench.settle();
        assert_eq!(bench.turn.val().to_u128(), u128::from(reference.turn), "turn, cycle {cycle}");
        assert_eq!(bench.reserved.val().to_u128(), u128::from(reference.reserved), "reserved, cycle {cycle}");
        assert_eq!(bench.saved.val().to_u128(), u128::from(reference.saved), "saved, cycle {cycle}");
        let had_state = reference.saved != 0 && reference.granted.contains(&true);
        let starting = reference.step(&inputs);
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
            forgotten += usize::from(had_state);
            reference = Reference::reset(ports);
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
    forgotten
}

#[test]
fn multicast_packets_get_all_their_outputs_at_once() {
    let forgotten: usize = [2, 3, 5, 8, 16].iter().map(|ports| run(*ports, 4000)).sum();
    assert!(forgotten > 0, "no reset while room is saved and a packet granted");
}
