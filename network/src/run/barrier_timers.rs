//! Time-outs of barriers.

use railyard_bench::barrier_node::Patience;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Time-outs of all barrier groups, of switches and nodes alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BarrierTimers {
    /// Ticks without acknowledgement after which an arrival is sent again; 0: never.
    pub retransmit: u8,
    /// Ticks without completion after which it is urged; 0: never.
    pub urge: u8,
    /// A tick is 2^scale cycles.
    #[schemars(range(max = 15))]
    pub scale: u8,
}

impl Default for BarrierTimers {
    /// Those of a switch after reset.
    fn default() -> BarrierTimers {
        BarrierTimers { retransmit: 64, urge: 255, scale: 4 }
    }
}

impl BarrierTimers {
    /// The register `barrier_timers`.
    pub(crate) fn word(self) -> u32 {
        u32::from(self.retransmit) | u32::from(self.urge) << 8 | u32::from(self.scale) << 16
    }

    /// The same for a node, in cycles.
    pub(crate) fn patience(self) -> Patience {
        Patience { retransmit: u32::from(self.retransmit) << self.scale, urge: u32::from(self.urge) << self.scale }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::registers::address;

    #[test]
    fn the_usual_time_outs_are_those_of_a_switch_after_reset() {
        let mut config = railyard_spec::Config::named("b");
        config.virtual_channels.barrier = 1;
        let registers = railyard_spec::registers::registers(&config.check().unwrap().shape());
        let timers = registers.iter().find(|register| register.address == address::BARRIER_TIMERS).unwrap();
        let reset = timers.fields.iter().fold(0, |word, field| word | field.reset << field.low);
        assert_eq!(BarrierTimers::default().word(), reset);
    }
}
