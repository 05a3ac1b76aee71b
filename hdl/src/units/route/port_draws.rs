//! Port draws: the ports and vias that a port draws in each cycle, for all packets that wait there.
//!
//! State: the state of the draws (xorshift: Marsaglia, 2003); what was drawn in the cycle before; of node ports also
//! the ways to what was drawn in the cycle before that.
//!
//! Each cycle: products of slices of the state with numbers of ports, groups and routers are draws without bias but for
//! rounding. They happen whether or not anything needs them, so they do not depend on traffic.
//!
//! Source: reference of Dragonfly routing, draws.

use crate::units::prelude::*;
use railyard_spec::misrouting::PortKind;

/// Steps of the xorshift generator: left, right, left.
const FIRST_LEFT: usize = 13;
const RIGHT: usize = 17;
const SECOND_LEFT: usize = 5;

/// What makes the states of ports differ after reset: 2^32 divided by the golden ratio.
const GOLDEN: u32 = 0x9E37_79B9;

/// The ports and vias that a port draws in each cycle.
#[block(shape: &Shape, built: &DragonflyShape, from: PortKind, place: usize)]
pub struct PortDraws {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub settings: Bare<DrawSettings<In, built, from>>,
    /// The seed differs from that of the cycle before.
    pub reseed: Flag<In>,
    pub tables: Option<ViaTables<In, shape, built>, sends>,
    pub draws: Bare<Draws<Out, shape, built, from>>,
    /// State of the draws, as keys of VCs.
    pub keys: Option<Sig<Out, 32>, { built.random_vcs && from != PortKind::Node }>,

    /// State of the draws.
    state: Reg<32, start>,
    local_draw: Option<PortDraw<port_bits, { built.node_ports }, { built.local_ports }>, { built.in_transit }>,
    global_draw: Option<
        PortDraw<port_bits, { built.node_ports + built.local_ports }, { built.global_ports }>,
        { built.in_transit },
    >,
    /// A local port in place of a global one.
    drawn_local: Option<FlagReg, { built.in_transit }>,
    via: Option<ViaDraw<shape, built>, sends>,

    /// State after the first step.
    first: Sig<Local, 32>,
    /// State after the second step.
    second: Sig<Local, 32>,
    /// State from the seed.
    seeded: Sig<Local, 32>,

    global_field: Field<0, 8>,
    local_field: Field<8, 8>,
    share_field: Field<24, 8>,
    via_router_field: Field<4, 8>,
    via_group_field: Field<16, 12>,
    start_state: Konst<32, start>,
    sends: Number<bool, { sends_to_vias(built, from) }>,
    port_bits: Number<{ shape.port_bits as usize }>,
    start: Number<{ GOLDEN.wrapping_mul(place as u32 + 1) as usize }>,

    place: Param,
}

#[kernel]
impl PortDraws {
    fn update(&mut self) {
        self.step();
        self.draw_ports();
        self.draw_vias();
        if let Some(keys) = &mut self.keys {
            keys.next = self.state.q.val();
        }
    }

    fn step(&mut self) {
        self.first.next = self.state.q.val() ^ (self.state.q.val() << FIRST_LEFT);
        self.second.next = self.first.val() ^ (self.first.val() >> RIGHT);
        self.seeded.next = self.start_state.val() ^ self.settings.seed.val();
        if !self.seeded.val().any() {
            self.seeded.next = self.start_state.val();
        }
        self.state.d.next = self.second.val() ^ (self.second.val() << SECOND_LEFT);
        if self.reseed.val() {
            self.state.d.next = self.seeded.val();
        }
    }

    fn draw_ports(&mut self) {
        if let (Some(local), Some(global), Some(is_local), Some(share)) =
            (&mut self.local_draw, &mut self.global_draw, &mut self.drawn_local, &self.settings.local_share)
        {
            local.random.next = self.state.q.val() >> self.local_field.val();
            global.random.next = self.state.q.val() >> self.global_field.val();
            is_local.d.next = unsigned_cast(self.state.q.val() >> self.share_field.val()) < share.val();
            if let (Some(to_local), Some(to_global), Some(kind)) =
                (&mut self.draws.to_local, &mut self.draws.to_global, &mut self.draws.is_local)
            {
                to_local.next = local.port.val();
                to_global.next = global.port.val();
                kind.next = is_local.q.val();
            }
        }
    }

    fn draw_vias(&mut self) {
        if let (Some(via), Some(tables), Some(draws), Some(groups)) =
            (&mut self.via, &mut self.tables, &mut self.draws.via, &self.settings.groups)
        {
            via.group_random.next = self.state.q.val() >> self.via_group_field.val();
            if let Some(random) = &mut via.router_random {
                random.next = self.state.q.val() >> self.via_router_field.val();
            }
            via.groups.next = groups.val();
            if let (Some(of_via), Some(routers)) = (&mut via.routers, &self.settings.routers) {
                of_via.next = routers.val();
            }
            tables.link(&mut via.tables);
            draws.link(&mut via.draws);
        }
    }
}
