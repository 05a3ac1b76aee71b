//! Way decision: whether a packet goes minimally, to a via, around its minimal port, or by its escape.
//!
//! No state. [`detour`](mod@detour) and [`via_choice`](mod@via_choice) say whether there is another way; this block
//! says which of the ways the packet takes.
//!
//! Source: reference of Dragonfly routing, decision.

use crate::units::prelude::*;
use railyard_spec::misrouting::PortKind;

const IN_TRANSIT: usize = 3;

const HOME: usize = 0;
const DETOURED: usize = 1;
const TO_VIA: usize = 2;
const SETTLED: usize = 4;

/// Whether a packet goes minimally, to a via, around its minimal port, or by its escape.
#[block(shape: &Shape, built: &DragonflyShape, from: PortKind)]
pub struct WayDecision {
    /// Class, case and port of the minimal hop.
    pub way: Sig<In, { hop_bits(shape, built) }>,
    /// Acting phase.
    pub phase: Sig<In, PHASE_BITS>,
    /// Case and port of the escape.
    pub escape: Option<Sig<In, { port_bits + 2 }>, { built.valiant.is_some() }>,
    /// The packet requests its escape only.
    pub impatient: Flag<In>,
    pub wires: Bare<AdaptiveWires<In, shape, built, from>>,
    /// Class, case and port of the hop.
    pub hop: Sig<Out, { hop_bits(shape, built) }>,
    /// Phase with which the packet leaves.
    pub hop_phase: Sig<Out, PHASE_BITS>,
    /// No output is chosen for the packet.
    pub waits: Flag<Out>,
    /// The packet gets a via.
    pub via_set: Option<Flag<Out>, sends>,
    /// Via that the packet gets.
    pub via: Option<Sig<Out, { via_bits(built) }>, sends>,

    /// Minimal port.
    port: Sig<Local, port_bits>,
    /// The minimal port leads to a node.
    is_node: Flag<Local>,
    around: Option<Detour<shape, built, from>, detours>,
    away: Option<ViaChoice<shape, built>, sends>,

    detours: Number<bool, { built.in_transit }>,
    sends: Number<bool, { sends_to_vias(built, from) }>,
    port_field: Field<0, port_bits>,
    escape_field: Field<0, { port_bits + 2 }>,
    port_bits: Number<{ shape.port_bits as usize }>,
    first_local: Number<{ built.node_ports }>,
    first_global: Number<{ built.node_ports + built.local_ports }>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    came_by: Param<{ from as usize }>,
}

#[kernel]
impl WayDecision {
    fn update(&mut self) {
        self.port.next = self.way.val() >> self.port_field.val();
        self.is_node.next = self.port.val() < self.first_local;
        self.hop.next = self.way.val();
        self.hop_phase.next = self.phase.val();
        self.waits.next = false;
        self.look_around();
        self.go_around();
        self.send_away();
        self.escape();
        self.arrive();
    }

    fn look_around(&mut self) {
        if let Some(around) = &mut self.around {
            around.way.next = self.way.val();
            around.phase.next = self.phase.val();
            self.wires.sensed.link(&mut around.sensed);
            Self::set_around(around, &mut self.wires.settings);
            Self::draw_around(around, &mut self.wires.draws);
        }
    }

    /// In transit, by a detour.
    fn go_around(&mut self) {
        if let (Some(around), Some(mode)) = (&self.around, &self.wires.settings.mode) {
            if mode.val() == IN_TRANSIT {
                if around.possible.val() {
                    self.hop.set(0, around.hop.val());
                    if around.is_local.val() {
                        self.hop_phase.next = SETTLED.into();
                        if self.phase.val() == HOME {
                            self.hop_phase.next = DETOURED.into();
                        }
                    }
                } else if (self.phase.val() == DETOURED) & (self.port.val() < self.first_global) {
                    self.waits.next = true;
                }
            }
        }
    }

    fn set_around(around: &mut Detour, settings: &mut AdaptiveSettings<In>) {
        if let (Some(policy), Some(local_detour), Some(least), Some(share), Some(ports)) =
            (&settings.policy, &settings.local_detour, &settings.least, &settings.share, &settings.detour_ports)
        {
            around.policy.next = policy.val();
            around.local_detour.next = local_detour.val();
            around.least.next = least.val();
            around.share.next = share.val();
            around.detour_ports.next = ports.val();
        }
        settings.trigger.link(&mut around.trigger);
    }

    fn draw_around(around: &mut Detour, draws: &mut Draws<In>) {
        if let (Some(global), Some(local), Some(is_local)) = (&draws.to_global, &draws.to_local, &draws.is_local) {
            around.to_global.next = global.val();
            around.to_local.next = local.val();
            around.draw_is_local.next = is_local.val();
        }
    }

    /// At the source, to a via.
    fn send_away(&mut self) {
        if let (Some(away), Some(via_set), Some(via), Some(mode), Some(factor), Some(offset), Some(draws)) = (
            &mut self.away,
            &mut self.via_set,
            &mut self.via,
            &self.wires.settings.mode,
            &self.wires.settings.factor,
            &self.wires.settings.offset,
            &mut self.wires.draws.via,
        ) {
            away.way.next = self.way.val() >> self.escape_field.val();
            away.mode.next = mode.val();
            away.factor.next = factor.val();
            away.offset.next = offset.val();
            draws.link(&mut away.draws);
            for o in 0..self.ports {
                away.queue[o].next = self.wires.sensed.queue[o].val();
            }
            via.next = away.via.val();
            via_set.next = away.taken.val();
            if away.taken.val() {
                self.hop.set(0, away.hop.val());
                self.hop_phase.next = TO_VIA.into();
            }
            if away.waits.val() {
                self.waits.next = true;
            }
        }
    }

    /// A via is given up.
    fn escape(&mut self) {
        if self.impatient.val() {
            self.hop.next = self.way.val();
            self.hop_phase.next = self.phase.val();
            self.waits.next = false;
            if self.phase.val() == TO_VIA {
                self.hop_phase.next = SETTLED.into();
            }
        }
        if let Some(escape) = &self.escape {
            if self.impatient.val() {
                self.hop.set(0, escape.val() >> self.escape_field.val());
            }
        }
        if let Some(via_set) = &mut self.via_set {
            if self.impatient.val() {
                via_set.next = false;
            }
        }
    }

    /// At the destination's router there is one way.
    fn arrive(&mut self) {
        if self.is_node.val() {
            self.hop.next = self.way.val();
            self.hop_phase.next = self.phase.val();
            self.waits.next = false;
        }
        if let Some(via_set) = &mut self.via_set {
            if self.is_node.val() {
                via_set.next = false;
            }
        }
    }
}
