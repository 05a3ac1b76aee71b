//! Via draw of a node's port: a via by chance, and the way to it.
//!
//! State: the distance of a group that is drawn, in two steps; the group (and router) that was drawn; the via drawn
//! before that, with its ways.
//!
//! Each cycle: a distance of at least one group is drawn, so the group is never the switch's own. A router is drawn
//! for both: as a part of that via, and as a via in the own group.
//!
//! Source: reference of Dragonfly routing, draws.

use crate::units::prelude::*;
use railyard_spec::Via;

/// Bits of a sum of groups.
const SUM_BITS: usize = GROUPS_BITS + 1;

/// Random bits for a group.
const GROUP_RANDOM_BITS: usize = 12;

/// Random bits for a group that are multiplied at a time.
const HALF_BITS: usize = GROUP_RANDOM_BITS / 2;

/// Random bits for a router.
const ROUTER_RANDOM_BITS: usize = 8;

/// A via by chance, and the way to it.
#[block(shape: &Shape, built: &DragonflyShape)]
pub struct ViaDraw {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Random number for a group.
    pub group_random: Sig<In, GROUP_RANDOM_BITS>,
    /// Random number for a router.
    pub router_random: Option<Sig<In, ROUTER_RANDOM_BITS>, by_router>,
    /// Groups of the network.
    pub groups: Sig<In, GROUPS_BITS>,
    /// Switches of a group.
    pub routers: Option<Sig<In, ROUTERS_BITS>, by_router>,
    pub tables: ViaTables<In, shape, built>,
    pub draws: ViaDraws<Out, shape, built>,

    /// Product of the groups and the low half of the random number, a cycle later.
    low_product: Reg<half_bits>,
    /// Product of the groups and the high half of the random number, a cycle later.
    high_product: Reg<half_bits>,
    /// Distance drawn, in groups.
    far: Reg<GROUPS_BITS>,
    /// Group drawn.
    group: Reg<group_bits>,
    /// Router drawn.
    router: Option<Reg<router_bits>, by_router>,
    /// There is a way to the group.
    out_there: FlagReg,
    /// Port of the way to the group.
    out_port: Reg<port_bits, NoReset>,
    /// Via in another group.
    out_via: Reg<{ via_bits(built) }, NoReset>,
    /// There is a way to the router.
    in_there: Option<FlagReg, by_router>,
    /// Port of the way to the router.
    in_port: Option<Reg<port_bits, NoReset>, by_router>,
    of_low: Product<GROUPS_BITS, HALF_BITS, 0, half_bits>,
    of_high: Product<GROUPS_BITS, HALF_BITS, 0, half_bits>,
    of_routers: Option<Product<ROUTERS_BITS, ROUTER_RANDOM_BITS, ROUTER_RANDOM_BITS, router_bits>, by_router>,

    /// Product of the groups and the random number.
    whole: Sig<Local, { half_bits + HALF_BITS }>,
    /// Number of the group, before it wraps around.
    sum: Sig<Local, SUM_BITS>,
    /// Number of the group.
    wrapped: Sig<Local, group_bits>,
    /// Via in another group, as in a header.
    out_drawn: Sig<Local, { via_bits(built) }>,
    /// Via in this group, as in a header.
    in_drawn: Option<Sig<Local, { via_bits(built) }>, by_router>,
    /// Entry of the group drawn.
    group_entry: Sig<Local, { port_bits + 1 }>,
    /// Entry of the router drawn.
    router_entry: Option<Sig<Local, { port_bits + 1 }>, by_router>,

    port_field: Field<0, port_bits>,
    low_field: Field<0, HALF_BITS>,
    high_field: Field<HALF_BITS, HALF_BITS>,
    distance_field: Field<GROUP_RANDOM_BITS, GROUPS_BITS>,
    half_bits: Number<{ GROUPS_BITS + HALF_BITS }>,
    group_low: Number<{ via_group_low(built) }>,
    by_router: Number<bool, { built.valiant == Some(Via::Router) }>,
    group_bits: Number<{ built.group_bits as usize }>,
    router_bits: Number<{ built.router_bits as usize }>,
    port_bits: Number<{ shape.port_bits as usize }>,
    few_groups: Number<bool, { most_groups < 1 << group_bits }>,
    few_routers: Number<bool, { most_routers < 1 << router_bits }>,
    most_groups: Param<{ built.groups }>,
    most_routers: Param<{ built.routers() }>,
}

#[kernel]
impl ViaDraw {
    fn update(&mut self) {
        self.draw_group();
        self.find_way_out();
        self.draw_router();
    }

    fn draw_group(&mut self) {
        self.of_low.a.next = self.groups.val() - 1;
        self.of_low.b.next = self.group_random.val() >> self.low_field.val();
        self.of_high.a.next = self.groups.val() - 1;
        self.of_high.b.next = self.group_random.val() >> self.high_field.val();
        self.low_product.d.next = self.of_low.part.val();
        self.high_product.d.next = self.of_high.part.val();
        self.whole.next = unsigned_cast(self.high_product.q.val());
        self.whole.next = (self.whole.val() << HALF_BITS) + unsigned_cast(self.low_product.q.val());
        self.far.d.next = self.whole.val() >> self.distance_field.val();
        self.sum.next = unsigned_cast(self.far.q.val());
        self.sum.next = self.sum.val() + unsigned_cast(self.tables.group.val()) + 1;
        self.wrapped.next = unsigned_cast(self.sum.val());
        if self.sum.val() >= unsigned_cast(self.groups.val()) {
            self.wrapped.next = unsigned_cast(self.sum.val()) - unsigned_cast(self.groups.val());
        }
        self.group.d.next = self.wrapped.val();
    }

    fn find_way_out(&mut self) {
        self.group_entry.next = self.tables.group_way[self.group.q.val()].val();
        self.out_there.d.next = self.group_entry.val().get_bit(self.port_bits);
        if self.few_groups {
            if self.group.q.val() >= self.most_groups {
                self.out_there.d.next = false;
            }
        }
        self.out_port.d.next = self.group_entry.val() >> self.port_field.val();
        self.out_drawn.next = 0.into();
        self.out_drawn.set(self.group_low, self.group.q.val());
        if let Some(router) = &self.router {
            self.out_drawn.set(0, router.q.val());
        }
        self.out_via.d.next = self.out_drawn.val();
        self.draws.out_there.next = self.out_there.q.val();
        self.draws.out_port.next = self.out_port.q.val();
        self.draws.out_via.next = self.out_via.q.val();
    }

    /// A router, and the way to it in the own group.
    fn draw_router(&mut self) {
        if let (Some(product), Some(random), Some(routers), Some(router), Some(entry), Some(own)) = (
            &mut self.of_routers,
            &self.router_random,
            &self.routers,
            &mut self.router,
            &mut self.router_entry,
            &self.tables.router,
        ) {
            product.a.next = routers.val();
            product.b.next = random.val();
            router.d.next = product.part.val();
            entry.next = self.tables.router_way[router.q.val()].val();
            if let (Some(there), Some(port), Some(drawn)) = (&mut self.in_there, &mut self.in_port, &mut self.in_drawn)
            {
                there.d.next = entry.val().get_bit(self.port_bits) & (router.q.val() != own.val());
                if self.few_routers {
                    if router.q.val() >= self.most_routers {
                        there.d.next = false;
                    }
                }
                port.d.next = entry.val() >> self.port_field.val();
                // The same router as of the other via; the group is that of now.
                drawn.next = self.out_via.q.val();
                drawn.set(self.group_low, self.tables.group.val());
                if let (Some(in_there), Some(in_port), Some(in_via)) =
                    (&mut self.draws.in_there, &mut self.draws.in_port, &mut self.draws.in_via)
                {
                    in_there.next = there.q.val();
                    in_port.next = port.q.val();
                    in_via.next = drawn.val();
                }
            }
        }
    }
}
