//! What writes to the barrier registers do. Source: switch reference, section 11.

use crate::barrier::barrier_group::{GroupSettings, Timers};
use crate::barrier::barrier_unit::BarrierCommand;
use railyard_spec::registers::address;

/// The command of a write of `value` to entry `group` of the register at `at`, if it is one of these. `word` gives the
/// registers at byte addresses as they are after it.
pub(super) fn command(at: u32, group: usize, value: u32, word: impl Fn(u32) -> u32) -> Option<BarrierCommand> {
    match at {
        address::BARRIER_TIMERS => Some(BarrierCommand::SetTimers(Timers::read(value))),
        address::BARRIER_CLEAR => {
            Some(BarrierCommand::Clear { group: (value & 0xFF) as usize, ports: value >> 16 & 1 == 1 })
        }
        address::BARRIER_LEAVES_LOW | address::BARRIER_LEAVES_HIGH | address::BARRIER_GROUP => {
            let of_group = |register: u32| word(register + 4 * group as u32);
            let low = of_group(address::BARRIER_LEAVES_LOW) as u64;
            let high = of_group(address::BARRIER_LEAVES_HIGH) as u64;
            let place = of_group(address::BARRIER_GROUP);
            let settings = GroupSettings {
                leaves: low | high << 32,
                enable: place & 1 == 1,
                root: place >> 1 & 1 == 1,
                parent: (place >> 8 & 0xFF) as usize,
            };
            Some(BarrierCommand::Start(group, settings))
        }
        _ => None,
    }
}
