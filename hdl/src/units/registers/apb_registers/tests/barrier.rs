//! Registers of barriers: what the barrier unit says is read, and what is written reaches it.

use super::*;
use crate::units::barrier::barrier_group::{COUNTS, COUNT_BITS, STATUS, STATUS_BITS};
use railyard_spec::BarrierShape;

/// What the barrier unit says in a cycle, at random.
pub struct State {
    status: Vec<u64>,
    arrived: Vec<u64>,
    counts: Vec<u64>,
    corrupt: u64,
    no_group: u64,
}

impl State {
    pub fn random(random: &mut Random, shape: &Shape) -> State {
        let groups = shape.barrier.map_or(0, |built| built.groups);
        let mut bits = |n: usize| (u64::from(random.next()) << 32 | u64::from(random.next())) >> (64 - n);
        State {
            status: (0..groups).map(|_| bits(STATUS_BITS)).collect(),
            arrived: (0..groups).map(|_| bits(shape.ports)).collect(),
            counts: (0..groups).map(|_| bits(COUNT_BITS)).collect(),
            corrupt: bits(shape.ports),
            no_group: bits(shape.ports),
        }
    }

    pub fn apply(&self, bench: &mut Bench<ApbRegisters>) {
        let Some(barrier) = &mut bench.barrier else { return };
        for g in 0..barrier.state.status.len() {
            barrier.state.status[g].next = self.status[g].into();
            barrier.state.arrived[g].next = self.arrived[g].into();
            barrier.state.counts[g].next = self.counts[g].into();
        }
        barrier.faults.corrupt.next = self.corrupt.into();
        barrier.faults.no_group.next = self.no_group.into();
    }

    /// What a register reads that shows it.
    pub fn read(&self, register: &Register, at: u32) -> Option<u32> {
        let g = (at - register.address) as usize / 4;
        let (low, high) = (|mask: u64| mask as u32, |mask: u64| (mask >> 32) as u32);
        // Fields without gaps, put where the register has them.
        let spread = |packed: u64, fields: &[(&str, usize)]| {
            let place = |(word, from): (u32, usize), (name, bits): &(&str, usize)| {
                let field = register.fields.iter().find(|field| field.name == *name).unwrap();
                assert_eq!(field.bits as usize, *bits);
                (word | ((packed >> from & ((1 << bits) - 1)) as u32) << field.low, from + bits)
            };
            fields.iter().fold((0, 0), place).0
        };
        Some(match register.name {
            "barrier_status" => spread(self.status[g], &STATUS),
            "barrier_counts" => spread(self.counts[g], &COUNTS),
            "barrier_arrived_low" => low(self.arrived[g]),
            "barrier_arrived_high" => high(self.arrived[g]),
            "barrier_corrupt_low" => low(self.corrupt),
            "barrier_corrupt_high" => high(self.corrupt),
            "barrier_no_group_low" => low(self.no_group),
            "barrier_no_group_high" => high(self.no_group),
            _ => return None,
        })
    }
}

/// The settings are those of the registers; `access` is the legal write whose access phase this is.
pub fn check(bench: &Bench<ApbRegisters>, model: &Model, built: &BarrierShape, access: Option<(u32, u32)>) {
    let value = |at: u32| model.values.get(&at).copied().unwrap_or(0);
    let barrier = bench.barrier.as_ref().expect("barriers have settings");
    let timers = value(address::BARRIER_TIMERS);
    assert_eq!(barrier.control.retransmit_limit.val().to_u128(), u128::from(timers & 0xff));
    assert_eq!(barrier.control.urge_limit.val().to_u128(), u128::from(timers >> 8 & 0xff));
    assert_eq!(barrier.control.scale.val().to_u128(), u128::from(timers >> 16));
    let (mut enable, mut root, mut restart) = (0u128, 0u128, 0u128);
    for g in 0..built.groups {
        let of = |base: u32| base + 4 * g as u32;
        let settings = value(of(address::BARRIER_GROUP));
        let leaves = [address::BARRIER_LEAVES_LOW, address::BARRIER_LEAVES_HIGH].map(of);
        let mask = u128::from(value(leaves[0])) | u128::from(value(leaves[1])) << 32;
        assert_eq!(barrier.tree.leaves[g].val().to_u128(), mask, "leaves of group {g}");
        assert_eq!(barrier.tree.parent[g].val().to_u128(), u128::from(settings >> 8), "parent of group {g}");
        enable |= u128::from(settings & 1) << g;
        root |= u128::from(settings >> 1 & 1) << g;
        let written = access.is_some_and(|(at, _)| leaves.contains(&at) || at == of(address::BARRIER_GROUP));
        restart |= u128::from(written) << g;
    }
    assert_eq!((barrier.tree.enable.val().to_u128(), barrier.tree.root.val().to_u128()), (enable, root));
    assert_eq!(barrier.tree.restart.val().to_u128(), restart);
    let clear = access.filter(|(at, _)| *at == address::BARRIER_CLEAR).map(|(_, value)| value);
    let of_group = clear.map_or(0, |value| 1u128 << (value & 0xffff));
    assert_eq!(barrier.control.clear_group.val().to_u128(), of_group);
    assert_eq!(barrier.control.clear_ports.val(), clear.is_some_and(|value| value >> 16 == 1));
}

#[test]
fn accesses_of_switches_with_barriers_are_those_of_the_reference() {
    for (n, (ports, groups, unicast, cycles)) in
        [(2, 1, 1, 2000), (16, 32, 2, 1000), (33, 5, 4, 2000), (64, 64, 1, 500)].into_iter().enumerate()
    {
        let mut config = Config::named("test");
        (config.ports, config.virtual_channels.barrier, config.barrier.groups) = (ports, 1, groups);
        config.virtual_channels.unicast = unicast;
        // A number of a VC that is wider than the VCs of packets need.
        let with_vc = TableRouting { next_vc: true, default_route: true, candidates: 2, ..Default::default() };
        config.routing = match n {
            0 => Routing::Source(Default::default()),
            1 | 2 => Routing::Table(with_vc),
            _ => Routing::Algorithmic(AlgorithmicRouting { next_vc: true, ..Default::default() }),
        };
        run(&config.check().unwrap().shape(), cycles, n as u64);
    }
}
