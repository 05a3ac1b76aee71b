//! Barriers in a run: what is asked for, what the registers must hold, and what they must show once all is at rest.

use crate::barrier::TreePlace;
use crate::blueprint::Blueprint;
use crate::run::{BarrierTimers, Run};
use railyard_bench::barrier_node::Patience;
use railyard_bench::random::{Chance, Geometric};
use railyard_spec::registers::address;

/// The barriers of a run.
#[derive(Clone, Debug)]
pub struct BarrierRun {
    /// The barrier VC.
    pub vc: u8,
    /// Cycles from a completion to the node's next arrival.
    pub think: Geometric,
    /// Time-outs of the nodes.
    pub patience: Patience,
    /// Share of messages that get lost on a link.
    pub lost: Chance,
    /// Share of messages of which a link flips a bit.
    pub corrupt: Chance,
    /// Groups of each node.
    pub groups_of: Vec<Vec<u8>>,
    timers: BarrierTimers,
}

impl BarrierRun {
    /// Those of a run that fits the network, if it has any.
    pub fn new(blueprint: &Blueprint, run: &Run) -> Option<BarrierRun> {
        let built = blueprint.plan.shape.barrier.filter(|_| run.barriers > 0.0)?;
        let mut groups_of = vec![Vec::new(); blueprint.wiring.nodes().len()];
        for (group, tree) in blueprint.barriers.iter().enumerate() {
            tree.members().iter().for_each(|&node| groups_of[node].push(group as u8));
        }
        Some(BarrierRun {
            vc: built.vc as u8,
            think: Geometric::new(run.barriers),
            patience: run.barrier_timers.patience(),
            lost: Chance::new(run.lost_messages),
            corrupt: Chance::new(run.corrupt_messages),
            groups_of,
            timers: run.barrier_timers,
        })
    }

    /// The register writes that give a switch its place in all trees, and its time-outs.
    pub fn writes(&self, blueprint: &Blueprint, switch: usize) -> Vec<(u32, u32)> {
        let mut writes = vec![(address::BARRIER_TIMERS, self.timers.word())];
        for (group, tree) in blueprint.barriers.iter().enumerate() {
            let at = |register: u32| register + 4 * group as u32;
            let place = tree.place(switch);
            let TreePlace { leaves, parent } = place.unwrap_or_default();
            let flags = u32::from(place.is_some()) | u32::from(place.is_some() && parent.is_none()) << 1;
            writes.push((at(address::BARRIER_LEAVES_LOW), leaves as u32));
            if blueprint.plan.shape.ports > 32 {
                writes.push((at(address::BARRIER_LEAVES_HIGH), (leaves >> 32) as u32));
            }
            writes.push((at(address::BARRIER_GROUP), flags | (parent.unwrap_or(0) as u32) << 8));
        }
        writes
    }

    /// What a switch's registers show of groups at rest, each after so many `barriers` since its settings were written;
    /// of the others (none) they can show anything.
    pub fn at_rest(&self, blueprint: &Blueprint, switch: usize, barriers: &[Option<u64>]) -> Vec<Expected> {
        let is_wide = blueprint.plan.shape.ports > 32;
        let mut list = Vec::new();
        let mut expect = |name: String, address, mask, value| list.push(Expected { name, address, mask, value });
        if self.corrupt == Chance::NEVER {
            expect("barrier_corrupt_low".into(), address::BARRIER_CORRUPT_LOW, u32::MAX, 0);
        }
        if is_wide && self.corrupt == Chance::NEVER {
            expect("barrier_corrupt_high".into(), address::BARRIER_CORRUPT_HIGH, u32::MAX, 0);
        }
        expect("barrier_no_group_low".into(), address::BARRIER_NO_GROUP_LOW, u32::MAX, 0);
        if is_wide {
            expect("barrier_no_group_high".into(), address::BARRIER_NO_GROUP_HIGH, u32::MAX, 0);
        }
        for (group, completed) in barriers.iter().enumerate() {
            let Some(completed) = *completed else { continue };
            let completed = if blueprint.barriers[group].place(switch).is_some() { completed as u32 } else { 0 };
            let at = |register: u32| register + 4 * group as u32;
            expect(format!("barrier_status[{group}]"), at(address::BARRIER_STATUS), u32::MAX, completed & 0xff);
            expect(format!("barrier_arrived_low[{group}]"), at(address::BARRIER_ARRIVED_LOW), u32::MAX, 0);
            if is_wide {
                expect(format!("barrier_arrived_high[{group}]"), at(address::BARRIER_ARRIVED_HIGH), u32::MAX, 0);
            }
            expect(format!("barrier_counts[{group}]"), at(address::BARRIER_COUNTS), 0xffff, completed & 0xffff);
        }
        list
    }
}

/// What a register is to show.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Its name.
    pub name: String,
    /// Its address.
    pub address: u32,
    /// Bits that count.
    pub mask: u32,
    /// Their value.
    pub value: u32,
}
