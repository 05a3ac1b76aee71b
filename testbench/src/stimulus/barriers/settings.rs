//! Settings of barrier groups by chance, and the register writes that make them.

use crate::random::Random;
use railyard_model::barrier::barrier_group::GroupSettings;
use railyard_spec::registers::address::{BARRIER_GROUP, BARRIER_LEAVES_HIGH, BARRIER_LEAVES_LOW, BARRIER_TIMERS};
use railyard_spec::Shape;

/// One in so many groups is set up wrongly: without leaves, with its parent among them, or not enabled.
const WRONG: u64 = 8;

/// Few leaves or, now and then, many; root or not.
pub fn draw(shape: &Shape, random: &mut Random) -> GroupSettings {
    let ports = shape.ports as u64;
    let all = u64::MAX >> (64 - ports);
    let one = |random: &mut Random| 1 << random.below(ports);
    let leaves = match random.below(8) {
        0 => random.bits() & all,
        1 => all & !one(random),
        _ => (0..random.below(4)).fold(one(random), |mask, _| mask | one(random)),
    };
    let root = random.below(2) == 0;
    let others = all & !leaves;
    // A group of all ports has no port for a parent.
    let (root, parent) = match others {
        0 => (true, 0),
        _ => (root, random.pick(others) as usize),
    };
    let settings = GroupSettings { leaves: leaves.max(1), enable: true, root, parent };
    if random.below(WRONG) != 0 {
        return settings;
    }
    match random.below(3) {
        0 => GroupSettings { leaves: 0, ..settings },
        1 => GroupSettings { root: false, parent: settings.leaves.trailing_zeros() as usize, ..settings },
        _ => GroupSettings { enable: false, ..settings },
    }
}

/// The same, never wrong.
pub fn draw_active(shape: &Shape, random: &mut Random) -> GroupSettings {
    loop {
        let settings = draw(shape, random);
        if settings.is_active() {
            return settings;
        }
    }
}

/// The writes (byte address, value) that set up a group.
pub fn writes(shape: &Shape, group: usize, settings: &GroupSettings) -> Vec<(u32, u32)> {
    let at = |register: u32| register + 4 * group as u32;
    let mut list = vec![(at(BARRIER_LEAVES_LOW), settings.leaves as u32)];
    if shape.ports > 32 {
        list.push((at(BARRIER_LEAVES_HIGH), (settings.leaves >> 32) as u32));
    }
    let flags = u32::from(settings.enable) | u32::from(settings.root) << 1;
    list.push((at(BARRIER_GROUP), flags | (settings.parent as u32) << 8));
    list
}

/// A write that sets the time-outs: from a cycle or two (of a `crowd` times as many) to what no run waits for.
pub fn timers(crowd: u32, random: &mut Random) -> (u32, u32) {
    let (retransmit, urge) = match random.below(4) {
        0 => (random.below(256), random.below(256)),
        1 => (random.below(3), random.below(3)),
        _ => (random.within(1, 16), random.within(1, 32)),
    };
    let scale = if random.below(8) == 0 { random.below(16) } else { random.below(6) };
    let scale = (scale + u64::from(crowd.ilog2())).min(15);
    (BARRIER_TIMERS, (retransmit | urge << 8 | scale << 16) as u32)
}
