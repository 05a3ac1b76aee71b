//! Via way: the way to the via of a packet that is on its way there.
//!
//! State: the via of the packet that arrived in the cycle before, and whether it is in another group.
//!
//! Source: reference of Dragonfly routing, adaptive ways.

use crate::units::prelude::*;
use railyard_spec::Via;

/// The way to the via of a packet that is on its way there.
#[block(shape: &Shape, built: &DragonflyShape)]
pub struct ViaWay {
    pub clock: ClockIn,
    /// Group of the via.
    pub group: Sig<In, group_bits>,
    /// Router of the via.
    pub router: Option<Sig<In, router_bits>, by_router>,
    pub tables: ViaTables<In, shape, built>,
    /// The via is here.
    pub is_here: Flag<Out>,
    /// There is a way to the via of the packet that arrived in the cycle before.
    pub valid: Flag<Out>,
    /// Case and port of that way.
    pub hop: Sig<Out, { port_bits + 2 }>,

    /// Group of the via.
    to_group: Reg<group_bits, NoReset>,
    /// Router of the via.
    to_router: Option<Reg<router_bits, NoReset>, by_router>,
    /// The via is in another group.
    is_outside: Option<FlagReg<NoReset>, by_router>,

    /// Entry of the via's group.
    group_entry: Sig<Local, { port_bits + 1 }>,
    /// Entry of the via's router.
    router_entry: Option<Sig<Local, { port_bits + 1 }>, by_router>,
    /// There is a way to the router.
    router_valid: Option<Flag<Local>, by_router>,

    port_field: Field<0, port_bits>,
    by_router: Number<bool, { built.valiant == Some(Via::Router) }>,
    group_bits: Number<{ built.group_bits as usize }>,
    router_bits: Number<{ built.router_bits as usize }>,
    port_bits: Number<{ shape.port_bits as usize }>,
    few_groups: Number<bool, { groups < 1 << group_bits }>,
    few_routers: Number<bool, { routers < 1 << router_bits }>,
    groups: Param<{ built.groups }>,
    routers: Param<{ built.routers() }>,
}

#[kernel]
impl ViaWay {
    fn update(&mut self) {
        self.to_group.d.next = self.group.val();
        self.is_here.next = self.group.val() == self.tables.group.val();
        self.group_entry.next = self.tables.group_way[self.to_group.q.val()].val();
        self.valid.next = self.group_entry.val().get_bit(self.port_bits);
        if self.few_groups {
            if self.to_group.q.val() >= self.groups {
                self.valid.next = false;
            }
        }
        self.hop.next = unsigned_cast(self.group_entry.val() >> self.port_field.val());
        self.find_router();
        self.hop.set(self.port_bits, true);
        self.hop.set(self.port_bits + 1, true);
    }

    /// A via that is a router can be in this group.
    fn find_router(&mut self) {
        if let (Some(router), Some(to_router), Some(is_outside), Some(entry), Some(valid), Some(own)) = (
            &self.router,
            &mut self.to_router,
            &mut self.is_outside,
            &mut self.router_entry,
            &mut self.router_valid,
            &self.tables.router,
        ) {
            to_router.d.next = router.val();
            is_outside.d.next = self.group.val() != self.tables.group.val();
            self.is_here.next = (self.group.val() == self.tables.group.val()) & (router.val() == own.val());
            entry.next = self.tables.router_way[to_router.q.val()].val();
            valid.next = entry.val().get_bit(self.port_bits);
            if self.few_routers {
                if to_router.q.val() >= self.routers {
                    valid.next = false;
                }
            }
            if !is_outside.q.val() {
                self.valid.next = valid.val();
                self.hop.next = unsigned_cast(entry.val() >> self.port_field.val());
            }
        }
    }
}
