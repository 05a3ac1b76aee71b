//! Arrival phase: the phase by which a packet is routed, from its header and the port by which it came.
//!
//! State: the phase of the packet that arrived in the cycle before.
//!
//! Source: reference of Dragonfly routing, phases.

use crate::units::prelude::*;

const HOME: usize = 0;
const DETOURED: usize = 1;
const TO_VIA: usize = 2;
const CROSSED: usize = 3;
const SETTLED: usize = 4;

/// The phase by which a packet is routed.
#[block(valiant: bool)]
pub struct ArrivalPhase {
    pub clock: ClockIn,
    /// Phase in the header of the packet that arrives.
    pub header_phase: Sig<In, PHASE_BITS>,
    /// The destination's group is here.
    pub is_in_group: Flag<In>,
    /// The via is here.
    pub is_at_via: Option<Flag<In>, valiant>,
    /// The port leads to a node.
    pub from_node: Flag<In>,
    /// The port leads to another group.
    pub from_global: Flag<In>,
    /// Acting phase of the packet that arrived in the cycle before.
    pub phase: Sig<Out, PHASE_BITS>,

    /// Acting phase.
    acting: Reg<PHASE_BITS, NoReset>,

    /// Phase in the header, or what it counts as.
    came: Sig<Local, PHASE_BITS>,
    /// Phase on arrival.
    arrived: Sig<Local, PHASE_BITS>,

    valiant: Param<bool>,
}

#[kernel]
impl ArrivalPhase {
    fn update(&mut self) {
        self.came.next = self.header_phase.val();
        if self.header_phase.val() > SETTLED {
            self.came.next = SETTLED.into();
        }
        if !self.valiant {
            if self.header_phase.val() == TO_VIA {
                self.came.next = SETTLED.into();
            }
        }
        self.arrived.next = self.came.val();
        if self.from_global.val() {
            self.arrived.next = CROSSED.into();
        }
        if let Some(is_at_via) = &self.is_at_via {
            if self.came.val() == TO_VIA {
                self.arrived.next = TO_VIA.into();
                if is_at_via.val() {
                    self.arrived.next = CROSSED.into();
                }
            }
        }
        if self.from_node.val() {
            self.arrived.next = HOME.into();
        }
        self.acting.d.next = self.arrived.val();
        if self.is_in_group.val() & (self.arrived.val() <= DETOURED) {
            self.acting.d.next = CROSSED.into();
        }
        self.phase.next = self.acting.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::misrouting::{PortKind, RoutePhase};

    /// Against `RoutePhase::on_arrival` and `RoutePhase::acting`.
    #[test]
    fn phases_are_those_of_the_contract() {
        let number = |phase: RoutePhase| RoutePhase::ALL.iter().position(|other| *other == phase).unwrap();
        for valiant in [false, true] {
            let mut bench = Bench::new(arrival_phase(valiant), |b| &mut b.clock);
            for from in [PortKind::Node, PortKind::Local, PortKind::Global] {
                for (header, here, at_via) in (0..32).map(|k| (k & 7, k >> 3 & 1 == 1, k >> 4 == 1)) {
                    bench.header_phase.next = header.into();
                    bench.is_in_group.next = here;
                    bench.is_at_via.iter_mut().for_each(|pin| pin.next = at_via);
                    bench.from_node.next = from == PortKind::Node;
                    bench.from_global.next = from == PortKind::Global;
                    bench.cycle();
                    let came = RoutePhase::ALL.get(header).copied().unwrap_or(RoutePhase::Settled);
                    let came = if came == RoutePhase::ToVia && !valiant { RoutePhase::Settled } else { came };
                    let expected = number(came.on_arrival(from, at_via).acting(here));
                    assert_eq!(bench.phase.val().index(), expected, "{from:?} {header} {here} {at_via}");
                }
            }
        }
    }
}
