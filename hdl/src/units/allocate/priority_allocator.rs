//! Priority allocator: gives one output of a Dragonfly's switch to a packet at a time, to the oldest or to one from
//! another switch first.
//!
//! State: `connected`, k x N (the owner, one-hot), `sending`, k (VC on which its packet leaves, one-hot; zero while
//! idle).
//!
//! Each cycle, side by side: the winner is chosen among the requests with room, and the output is found *available* if
//! it is idle or its owner's tail leaves. Only the last gate of `grant` joins the two. By age one arbiter chooses among
//! all requests. Otherwise the first staged arbiter chooses, among all requests or among those from other switches; if
//! that has none, the second one chooses among those from nodes.
//!
//! Source: reference of Dragonfly routing, arbitration.

use crate::units::prelude::*;
use num_bigint::BigUint;
use railyard_spec::ArbitrationPolicy;

/// Gives one output of a Dragonfly's switch to a packet at a time: to the oldest, or to one from another switch first.
#[block(shape: &Shape, built: &DragonflyShape)]
pub struct PriorityAllocator {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub io: Bare<AllocatorPorts<In, shape>>,

    /// Connection, one-hot over the inputs of all planes.
    connected: Regs<vcs, ports>,
    /// VC on which the connected packet leaves, one-hot; zero while idle.
    sending: Reg<vcs>,
    oldest: Option<OldestArbiter<{ ports * vcs }>, is_oldest>,
    first: Option<StagedArbiter<ports, vcs, { built.policy }, false>, { !is_oldest }>,
    second: Option<StagedArbiter<nodes, vcs, { built.policy }, false>, { !is_oldest }>,

    /// A packet may start on VC v.
    has_room: Sig<Local, vcs>,
    /// VC v has room.
    roomy: Option<Sig<Local, vcs>, { shape.counter_bits.is_some() }>,
    /// Requests on VC v that have room where they leave.
    allowed: Vec<Sig<Local, ports>, vcs>,
    /// Requests with room, by the numbers of the ranking.
    asking: Option<Sig<Local, { ports * vcs }>, is_oldest>,
    /// The packet that gets the output if that can be given away, one-hot over the inputs of all VCs.
    winner: Vec<Sig<Local, ports>, vcs>,
    /// The owner, on VC v, pops a flit.
    moving: Sig<Local, vcs>,
    /// The owner, on VC v, pops its tail.
    finishing: Sig<Local, vcs>,
    /// The output can be given away.
    available: Flag<Local>,
    /// VC on which the winner leaves.
    leaving: Sig<Local, vcs>,

    /// Inputs from other switches.
    transit: Konst<ports, { (BigUint::from(1u8) << ports) - (BigUint::from(1u8) << nodes) }>,
    is_oldest: Number<bool, { built.policy == ArbitrationPolicy::Oldest }>,
    nodes: Number<{ built.node_ports }>,
    node_field: Field<0, nodes>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
}

impl PriorityAllocator {
    /// The arbiters among inputs; none by age.
    pub fn input_arbiters(&mut self) -> impl Iterator<Item = &mut Arbiter> {
        self.first.iter_mut().chain(&mut self.second).flat_map(StagedArbiter::input_arbiters)
    }
}

#[kernel]
impl PriorityAllocator {
    fn update(&mut self) {
        AllocationSteps::find_room(&mut self.has_room, &mut self.roomy, &self.sending, &mut self.io, 0);
        AllocationSteps::follow_owner(&mut self.moving, &mut self.finishing, &self.connected, &self.io, self.vcs);
        self.find_allowed();
        AllocationSteps::show_room(&self.roomy, &mut self.io, self.vcs);
        self.find_available();
        self.find_oldest();
        self.find_first();
        self.grant();
        self.send();
        AllocationSteps::state_properties(&self.sending, &self.connected, &self.io, self.vcs);
    }

    fn find_allowed(&mut self) {
        for v in 0..self.vcs {
            self.allowed[v].next = 0.into();
            for u in 0..self.vcs {
                if self.has_room.val().get_bit(u) {
                    self.allowed[v].next = self.allowed[v].val() | self.io.leave[v * self.vcs + u].val();
                }
            }
            self.allowed[v].next = self.allowed[v].val() & self.io.request[v].val();
        }
    }

    fn find_available(&mut self) {
        self.available.next = !self.sending.q.val().any() | self.finishing.val().any();
        if let Some(is_free) = &mut self.io.is_free {
            is_free.next = self.available.val();
        }
    }

    /// By age: VC v of input i is requester i * k + v.
    fn find_oldest(&mut self) {
        if let (Some(oldest), Some(asking)) = (&mut self.oldest, &mut self.asking) {
            for n in 0..self.io.ahead.len() {
                oldest.ahead[n].next = self.io.ahead[n].val();
            }
            oldest.request.next = asking.val();
            asking.next = 0.into();
            for v in 0..self.vcs {
                self.winner[v].next = 0.into();
                for i in 0..self.ports {
                    asking.set(i * self.vcs + v, self.allowed[v].val().get_bit(i));
                    self.winner[v].set(i, oldest.grant.val().get_bit(i * self.vcs + v));
                }
            }
            assert!(oldest.grant.val().any() | !asking.val().any(), "one of several requests is the oldest");
        }
    }

    /// Packets from other switches first, if that is set.
    fn find_first(&mut self) {
        if let (Some(first), Some(second), Some(transit_first)) =
            (&mut self.first, &mut self.second, &self.io.transit_first)
        {
            for v in 0..self.vcs {
                first.request[v].next = self.allowed[v].val();
                if transit_first.val() {
                    first.request[v].next = self.allowed[v].val() & self.transit.val();
                }
                second.request[v].next = self.allowed[v].val() >> self.node_field.val();
                self.winner[v].next = first.grant[v].val();
                if !first.wanted.val() {
                    self.winner[v].next = unsigned_cast(second.grant[v].val());
                }
            }
            first.take.next = self.available.val() & first.wanted.val();
            second.take.next = self.available.val() & !first.wanted.val() & second.wanted.val();
        }
    }

    fn grant(&mut self) {
        for v in 0..self.vcs {
            self.io.grant[v].next = 0.into();
            if self.available.val() {
                self.io.grant[v].next = self.winner[v].val();
                self.connected.d[v].next = self.winner[v].val();
            }
            self.io.owner[v].next = self.connected.q[v].val();
        }
    }

    /// The VC on which the packet leaves.
    fn send(&mut self) {
        self.leaving.next = 0.into();
        for v in 0..self.vcs {
            for u in 0..self.vcs {
                if (self.winner[v].val() & self.io.leave[v * self.vcs + u].val()).any() {
                    self.leaving.set(u, true);
                }
            }
        }
        if self.available.val() {
            self.sending.d.next = self.leaving.val();
        }
        self.io.sent.next = 0.into();
        if self.moving.val().any() {
            self.io.sent.next = self.sending.q.val();
        }
        if let Some(plane_sent) = &mut self.io.plane_sent {
            plane_sent.next = self.moving.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    const PORTS: usize = 7;
    const NODES: usize = 2;
    const VCS: usize = 3;

    struct Random(u64);

    impl Random {
        fn bits(&mut self, n: usize) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            self.0 >> 20 & ((1 << n) - 1)
        }
    }

    /// An arbiter as a list: the first of it that asks wins.
    struct List {
        policy: ArbitrationPolicy,
        order: Vec<usize>,
    }

    impl List {
        fn new(policy: ArbitrationPolicy, n: usize) -> List {
            List { policy, order: (0..n).collect() }
        }
        fn first(&self, asks: impl Fn(usize) -> bool) -> Option<usize> {
            self.order.iter().copied().find(|i| asks(*i))
        }
        /// Round robin goes on behind the winner; otherwise the winner becomes the last.
        fn advance(&mut self, winner: usize) {
            let place = self.order.iter().position(|i| *i == winner).unwrap();
            match self.policy {
                ArbitrationPolicy::RoundRobin => self.order.rotate_left(place + 1),
                _ => self.order[place..].rotate_left(1),
            }
        }
    }

    /// Two stages: among VCs, and for each VC among inputs.
    struct Stages {
        link: List,
        planes: Vec<List>,
    }

    impl Stages {
        fn new(policy: ArbitrationPolicy) -> Stages {
            let planes = (0..VCS).map(|_| List::new(policy, PORTS)).collect();
            Stages { link: List::new(policy, VCS), planes }
        }
        fn winner(&self, asks: &dyn Fn(usize, usize) -> bool) -> Option<(usize, usize)> {
            let v = self.link.first(|v| (0..PORTS).any(|i| asks(i, v)))?;
            self.planes[v].first(|i| asks(i, v)).map(|i| (i, v))
        }
        fn advance(&mut self, (i, v): (usize, usize)) {
            self.link.advance(v);
            self.planes[v].advance(i);
        }
    }

    fn shape(policy: &str, transit_first: bool) -> Shape {
        let json = format!(
            r#"{{"name": "d", "ports": {PORTS}, "virtual_channels": {{"unicast": {VCS}}}, "counters": {{}},
                "routing": {{"kind": "dragonfly", "age_bits": 6,
                    "arbitration": {{"policy": "{policy}", "transit_first": {transit_first}}},
                    "port_classes": {{"node": {{"ports": {NODES}}}, "local": {{"ports": 3}}, "global": {{"ports": 2}}}}}}}}"#
        );
        Config::from_json(&json).unwrap().shape()
    }

    fn run(policy: &str, transit_first: bool, cycles: usize) {
        let shape = shape(policy, transit_first);
        let policy = shape.dragonfly().unwrap().policy;
        let mut bench = Bench::new(allocator(&shape), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        let mut random = Random(7);
        let mut owner: Option<(usize, usize, usize)> = None;
        let (mut first, mut second) = (Stages::new(policy), Stages::new(policy));
        let mut ranking: Vec<(usize, usize)> = (0..PORTS).flat_map(|i| (0..VCS).map(move |v| (i, v))).collect();
        let (mut grants, mut of_nodes) = (0, 0);
        for cycle in 0..cycles {
            let is_first = transit_first && cycle / 100 % 2 == 1;
            let mut vectors = || (0..VCS).map(|_| random.bits(PORTS) & random.bits(PORTS)).collect::<Vec<_>>();
            let (request, ready) = (vectors(), vectors());
            let ending: Vec<u64> = ready.iter().map(|r| r & random.bits(PORTS)).collect();
            let room = random.bits(VCS) | random.bits(VCS);
            let room_sending = room & random.bits(VCS);
            let leave: Vec<Vec<usize>> =
                (0..VCS).map(|_| (0..PORTS).map(|_| random.bits(8) as usize % VCS).collect()).collect();
            let places = ranking.len();
            ranking.swap(random.bits(8) as usize % places, random.bits(8) as usize % places);
            bench.io.room.next = room.into();
            bench.io.room_sending.as_mut().expect("an output has one packet").next = room_sending.into();
            for v in 0..VCS {
                bench.io.request[v].next = request[v].into();
                bench.io.ready[v].next = ready[v].into();
                bench.io.ending[v].next = ending[v].into();
                for u in 0..VCS {
                    let there = leave[v].iter().enumerate().map(|(i, to)| u64::from(*to == u) << i);
                    bench.io.leave[v * VCS + u].next = there.sum::<u64>().into();
                }
            }
            bench.io.transit_first.iter_mut().for_each(|pin| pin.next = is_first);
            if !bench.io.ahead.is_empty() {
                for (place, (i, v)) in ranking.iter().enumerate() {
                    let before = ranking[..place].iter().map(|(i, v)| 1u64 << (i * VCS + v));
                    bench.io.ahead[i * VCS + v].next = before.sum::<u64>().into();
                }
            }
            bench.settle();

            let has_room = |u: usize| match owner {
                Some((.., sending)) if sending == u => room_sending >> u & 1 == 1,
                _ => room >> u & 1 == 1,
            };
            let asks = |i: usize, v: usize| request[v] >> i & 1 == 1 && has_room(leave[v][i]);
            let free = owner.is_none_or(|(i, v, _)| ending[v] >> i & 1 == 1);
            let by_first = first.winner(&|i, v| asks(i, v) && !(is_first && i < NODES));
            let winner = match policy {
                ArbitrationPolicy::Oldest => ranking.iter().copied().find(|(i, v)| asks(*i, *v)),
                _ => by_first.or_else(|| second.winner(&|i, v| asks(i, v) && i < NODES)),
            };
            let winner = winner.filter(|_| free);
            for v in 0..VCS {
                let expected = winner.filter(|(_, own)| *own == v).map_or(0, |(i, _)| 1 << i);
                assert_eq!(bench.io.grant[v].val().to_u128(), expected, "{policy:?} {transit_first} cycle {cycle}");
            }
            let sends = owner.filter(|(i, v, _)| ready[*v] >> i & 1 == 1);
            assert_eq!(bench.io.sent.val().to_u128(), sends.map_or(0, |(.., u)| 1 << u), "cycle {cycle}");
            bench.cycle();
            if let Some(winner) = winner {
                match by_first {
                    Some(_) => first.advance(winner),
                    None => second.advance(winner),
                }
                grants += 1;
                of_nodes += usize::from(winner.0 < NODES && is_first);
            }
            if free {
                owner = winner.map(|(i, v)| (i, v, leave[v][i]));
            }
        }
        assert!(grants > cycles / 10, "{grants} grants");
        assert!(
            of_nodes > 0 || !transit_first || policy == ArbitrationPolicy::Oldest,
            "no node's packet by the second set"
        );
    }

    #[test]
    fn outputs_go_by_policy() {
        for policy in ["round_robin", "least_recent", "oldest"] {
            for transit_first in [false, true] {
                run(policy, transit_first, 3000);
            }
        }
    }
}
