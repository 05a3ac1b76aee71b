//! APB registers: the run-time settings of a switch behind its APB port.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `apb` | | the pins `apb_*`: [`ApbPins`] |
//! | `reduction_settings` | | settings of node reduction: [`ReductionSettings`], see [`reduction_registers`] |
//! | `port_map` | 2^key bits x (route bits + 1) | entries of the port map, see [`port_map_registers`] |
//! | `method`, `link_groups` | 2, [`LinkGroups`] | link aggregation, see [`link_registers`] |
//! | `enable`, `flush`, `sweeping` | 1 each | the routing caches, see [`cache_registers`] |
//! | `default_route` | route bits + 1 | {valid, route} of the default route, see [`route_setting`] |
//! | `table_*`, `table_sweeping` | | the forwarding table, see [`table_registers`] |
//! | `snapshot` .. `count` | | the counters, see [`counter_registers`] |
//! | `multicast_*` | | writes to the group tables, see [`multicast_registers`] |
//! | `barrier_*` | | barriers: settings and state, see [`barrier_registers`], [`barrier_group_registers`] |
//!
//! What the switch has no use for is not there.
//!
//! Holds the decoder and, behind it, the groups of registers that the switch has; and joins them. A group takes its registers from
//! the description, sees the transfer and says what it has for it ([`bus`]); the decoder answers. To add a group: its file, and here a
//! field, a place at the decoder, and a loop in the kernel that joins it and hands its settings on.
//!
//! Source: switch reference, section 9; `spec/src/registers.rs`.

use crate::rtl::prelude::*;
use crate::units::route::link_groups::{link_groups, LinkGroups};
use crate::units::route::reduction::reduction_settings::{reduction_settings, ReductionSettings};
use crate::units::route::table_write::{table_write, TableWrite};
use railyard_spec::Shape;

use super::apb_decoder::{apb_decoder, ApbDecoder};
use super::apb_pins::{apb_pins, ApbPins};
use super::barrier_group_registers::{barrier_group_registers, BarrierGroupRegisters};
use super::barrier_registers::{barrier_registers, BarrierRegisters};
use super::bus::{Access, Answer};
use super::cache_registers::{cache_registers, CacheRegisters};
use super::counter_registers::{counter_registers, CounterRegisters};
use super::description::Description;
use super::identity_registers::{identity_registers, IdentityRegisters};
use super::link_registers::{link_registers, LinkRegisters};
use super::multicast_registers::{multicast_registers, MulticastRegisters};
use super::port_map_registers::{port_map_registers, PortMapRegisters};
use super::reduction_registers::{reduction_registers, ReductionRegisters};
use super::route_setting::{default_route_registers, RouteSetting};
use super::table_registers::{table_registers, TableRegisters};

/// Registers and their APB port; see the head of this file.
#[block]
pub struct ApbRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub apb: Bare<ApbPins<In>>,
    pub reduction_settings: Bare<Vec<ReductionSettings<Out>>>,
    pub port_map: Vec<Sig<Out>>,
    pub method: Vec<Sig<Out>>,
    pub link_groups: Bare<LinkGroups<Out>>,
    pub enable: Vec<Flag<Out>>,
    pub flush: Vec<Flag<Out>>,
    pub sweeping: Vec<Flag<In>>,
    pub default_route: Vec<Sig<Out>>,
    pub table: Vec<TableWrite<Out>>,
    pub table_sweeping: Vec<Flag<In>>,
    pub snapshot: Vec<Flag<Out>>,
    pub clear: Vec<Flag<Out>>,
    pub vc_kind: Vec<Sig<Out>>,
    pub vc_select: Vec<Sig<Out>>,
    pub lookup_kind: Vec<Sig<Out>>,
    pub fill_kind: Vec<Sig<Out>>,
    pub multicast_kind: Vec<Flag<Out>>,
    pub outstanding_kind: Vec<Flag<Out>>,
    pub port_select: Vec<Sig<Out>>,
    pub table_kind: Vec<Sig<Out>>,
    pub cam_kind: Vec<Sig<Out>>,
    pub count: Vec<Sig<In>>,
    pub multicast_write: Vec<Flag<Out>>,
    pub multicast_group: Vec<Sig<Out>>,
    pub multicast_entry: Vec<Sig<Out>>,
    pub multicast_sweeping: Vec<Flag<In>>,
    pub barrier_retransmit_limit: Vec<Sig<Out>>,
    pub barrier_urge_limit: Vec<Sig<Out>>,
    pub barrier_scale: Vec<Sig<Out>>,
    pub barrier_clear_group: Vec<Sig<Out>>,
    pub barrier_clear_ports: Vec<Flag<Out>>,
    pub barrier_corrupt: Vec<Sig<In>>,
    pub barrier_no_group: Vec<Sig<In>>,
    pub barrier_leaves: Vec<Sig<Out>>,
    pub barrier_enable: Vec<Sig<Out>>,
    pub barrier_root: Vec<Sig<Out>>,
    pub barrier_parent: Vec<Sig<Out>>,
    pub barrier_restart: Vec<Sig<Out>>,
    pub barrier_status: Vec<Sig<In>>,
    pub barrier_arrived: Vec<Sig<In>>,
    pub barrier_counts: Vec<Sig<In>>,

    decoder: ApbDecoder,
    reduction_registers: Vec<ReductionRegisters>,
    cache_registers: Vec<CacheRegisters>,
    link_registers: Vec<LinkRegisters>,
    port_map_registers: Vec<PortMapRegisters>,
    default_route_registers: Vec<RouteSetting>,
    table_registers: Vec<TableRegisters>,
    counter_registers: Vec<CounterRegisters>,
    multicast_registers: Vec<MulticastRegisters>,
    barrier_registers: Vec<BarrierRegisters>,
    barrier_group_registers: Vec<BarrierGroupRegisters>,
    identity_registers: IdentityRegisters,

    reduction_place: Param,
    cache_place: Param,
    link_place: Param,
    port_map_place: Param,
    default_route_place: Param,
    table_place: Param,
    counter_place: Param,
    multicast_place: Param,
    barrier_place: Param,
    barrier_group_place: Param,
    identity_place: Param,
    about: About,
}

/// The registers of a switch of the given shape, which has some.
pub fn apb_registers(shape: &Shape) -> ApbRegisters {
    let mut description = Description::of(shape);
    let identity = identity_registers(&mut description);
    let reduction = Vec::from_iter(reduction_registers(shape, &mut description));
    let cache = Vec::from_iter(cache_registers(&mut description, !reduction.is_empty()));
    let link = Vec::from_iter(link_registers(shape, &mut description));
    let port_map = Vec::from_iter(port_map_registers(shape, &mut description));
    let default_route = Vec::from_iter(default_route_registers(shape, &mut description));
    let table = Vec::from_iter(table_registers(shape, &mut description));
    let counter = Vec::from_iter(counter_registers(shape, &mut description));
    let multicast = Vec::from_iter(multicast_registers(&mut description));
    let barrier = Vec::from_iter(barrier_registers(shape, &mut description));
    let barrier_group = Vec::from_iter(barrier_group_registers(shape, &mut description));
    description.finish();

    // The decoder numbers the groups that are there in this order; what is only read comes last.
    let mut groups = 0;
    let mut next = |there: usize| {
        groups += there;
        param(groups - there)
    };
    let (reduction_place, cache_place) = (next(reduction.len()), next(cache.len()));
    let (link_place, port_map_place) = (next(link.len()), next(port_map.len()));
    let (default_route_place, table_place, counter_place) =
        (next(default_route.len()), next(table.len()), next(counter.len()));
    let (multicast_place, barrier_place) = (next(multicast.len()), next(barrier.len()));
    let (barrier_group_place, identity_place) = (next(barrier_group.len()), next(1));
    ApbRegisters {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        apb: Bare(apb_pins()),
        reduction_settings: shape
            .address_bits()
            .zip(shape.reduction())
            .map(|(bits, built)| reduction_settings(bits as usize, built))
            .into_iter()
            .collect(),
        port_map: port_map.iter().flat_map(|group| group.port_map.iter().map(Sig::alike)).collect(),
        method: link.iter().map(|group| group.method.alike()).collect(),
        link_groups: Bare(link_groups(shape)),
        enable: cache.iter().map(|group| group.enable.alike()).collect(),
        flush: cache.iter().map(|group| group.flush.alike()).collect(),
        sweeping: cache.iter().map(|group| group.sweeping.alike()).collect(),
        default_route: default_route.iter().map(|group| group.setting.alike()).collect(),
        table: shape.forwarding_table().map(|table| table_write(shape, table)).into_iter().collect(),
        table_sweeping: table.iter().map(|group| group.sweeping.alike()).collect(),
        snapshot: counter.iter().map(|group| group.snapshot.alike()).collect(),
        clear: counter.iter().map(|group| group.clear.alike()).collect(),
        vc_kind: counter.iter().map(|group| group.vc_kind.alike()).collect(),
        vc_select: counter.iter().map(|group| group.vc_select.alike()).collect(),
        lookup_kind: counter.iter().flat_map(|group| group.lookup_kind.iter().map(Sig::alike)).collect(),
        fill_kind: counter.iter().flat_map(|group| group.fill_kind.iter().map(Sig::alike)).collect(),
        multicast_kind: counter.iter().flat_map(|group| group.multicast_kind.iter().map(Flag::alike)).collect(),
        outstanding_kind: counter.iter().flat_map(|group| group.outstanding_kind.iter().map(Flag::alike)).collect(),
        port_select: counter.iter().flat_map(|group| group.port_select.iter().map(Sig::alike)).collect(),
        table_kind: counter.iter().flat_map(|group| group.table_kind.iter().map(Sig::alike)).collect(),
        cam_kind: counter.iter().flat_map(|group| group.cam_kind.iter().map(Sig::alike)).collect(),
        count: counter.iter().flat_map(|group| group.count.iter().map(Sig::alike)).collect(),
        multicast_write: multicast.iter().map(|group| group.write.alike()).collect(),
        multicast_group: multicast.iter().map(|group| group.write_group.alike()).collect(),
        multicast_entry: multicast.iter().map(|group| group.write_entry.alike()).collect(),
        multicast_sweeping: multicast.iter().map(|group| group.sweeping.alike()).collect(),
        barrier_retransmit_limit: barrier.iter().map(|group| group.retransmit_limit.alike()).collect(),
        barrier_urge_limit: barrier.iter().map(|group| group.urge_limit.alike()).collect(),
        barrier_scale: barrier.iter().map(|group| group.scale.alike()).collect(),
        barrier_clear_group: barrier.iter().map(|group| group.clear_group.alike()).collect(),
        barrier_clear_ports: barrier.iter().map(|group| group.clear_ports.alike()).collect(),
        barrier_corrupt: barrier.iter().map(|group| group.corrupt.alike()).collect(),
        barrier_no_group: barrier.iter().map(|group| group.no_group.alike()).collect(),
        barrier_leaves: barrier_group.iter().flat_map(|group| group.leaves.iter().map(Sig::alike)).collect(),
        barrier_enable: barrier_group.iter().map(|group| group.enable.alike()).collect(),
        barrier_root: barrier_group.iter().map(|group| group.root.alike()).collect(),
        barrier_parent: barrier_group.iter().flat_map(|group| group.parent.iter().map(Sig::alike)).collect(),
        barrier_restart: barrier_group.iter().map(|group| group.restart.alike()).collect(),
        barrier_status: barrier_group.iter().flat_map(|group| group.status.iter().map(Sig::alike)).collect(),
        barrier_arrived: barrier_group.iter().flat_map(|group| group.arrived.iter().map(Sig::alike)).collect(),
        barrier_counts: barrier_group.iter().flat_map(|group| group.counts.iter().map(Sig::alike)).collect(),
        decoder: apb_decoder(groups, groups - 1),
        reduction_registers: reduction,
        cache_registers: cache,
        link_registers: link,
        port_map_registers: port_map,
        default_route_registers: default_route,
        table_registers: table,
        counter_registers: counter,
        multicast_registers: multicast,
        barrier_registers: barrier,
        barrier_group_registers: barrier_group,
        identity_registers: identity,
        reduction_place,
        cache_place,
        link_place,
        port_map_place,
        default_route_place,
        table_place,
        counter_place,
        multicast_place,
        barrier_place,
        barrier_group_place,
        identity_place,
        about: about("apb_registers", "Run-time settings of a switch behind its APB port, in groups."),
    }
}

#[kernel]
impl ApbRegisters {
    fn update(&mut self) {
        ApbPins::<In>::link(&mut self.apb, &mut self.decoder.apb);

        self.identity_registers.address.next = self.apb.paddr.val();
        Answer::join(&mut self.identity_registers.answer, &mut self.decoder.answer[self.identity_place.val()]);

        for c in 0..self.reduction_registers.len() {
            Access::join(&mut self.reduction_registers[c].access, &mut self.decoder.access[self.reduction_place.val()]);
            Answer::join(&mut self.reduction_registers[c].answer, &mut self.decoder.answer[self.reduction_place.val()]);
            self.reduction_settings[c].link(&mut self.reduction_registers[c].settings);
        }
        for c in 0..self.cache_registers.len() {
            Access::join(&mut self.cache_registers[c].access, &mut self.decoder.access[self.cache_place.val()]);
            Answer::join(&mut self.cache_registers[c].answer, &mut self.decoder.answer[self.cache_place.val()]);
            self.cache_registers[c].sweeping.next = self.sweeping[c].val();
            self.enable[c].next = self.cache_registers[c].enable.val();
            self.flush[c].next = self.cache_registers[c].flush.val();
            for r in 0..self.reduction_registers.len() {
                self.cache_registers[c].reducing[r].next = self.reduction_registers[r].writing.val();
            }
        }
        for c in 0..self.link_registers.len() {
            Access::join(&mut self.link_registers[c].access, &mut self.decoder.access[self.link_place.val()]);
            Answer::join(&mut self.link_registers[c].answer, &mut self.decoder.answer[self.link_place.val()]);
            self.method[c].next = self.link_registers[c].method.val();
            self.link_groups.link(&mut self.link_registers[c].link_groups);
        }
        for c in 0..self.port_map_registers.len() {
            Access::join(&mut self.port_map_registers[c].access, &mut self.decoder.access[self.port_map_place.val()]);
            Answer::join(&mut self.port_map_registers[c].answer, &mut self.decoder.answer[self.port_map_place.val()]);
            for i in 0..self.port_map.len() {
                self.port_map[i].next = self.port_map_registers[c].port_map[i].val();
            }
        }
        for c in 0..self.default_route_registers.len() {
            Access::join(
                &mut self.default_route_registers[c].access,
                &mut self.decoder.access[self.default_route_place.val()],
            );
            Answer::join(
                &mut self.default_route_registers[c].answer,
                &mut self.decoder.answer[self.default_route_place.val()],
            );
            self.default_route[c].next = self.default_route_registers[c].setting.val();
        }
        for c in 0..self.table_registers.len() {
            Access::join(&mut self.table_registers[c].access, &mut self.decoder.access[self.table_place.val()]);
            Answer::join(&mut self.table_registers[c].answer, &mut self.decoder.answer[self.table_place.val()]);
            self.table[c].link(&mut self.table_registers[c].table);
            self.table_registers[c].sweeping.next = self.table_sweeping[c].val();
        }
        for c in 0..self.counter_registers.len() {
            Access::join(&mut self.counter_registers[c].access, &mut self.decoder.access[self.counter_place.val()]);
            Answer::join(&mut self.counter_registers[c].answer, &mut self.decoder.answer[self.counter_place.val()]);
            self.snapshot[c].next = self.counter_registers[c].snapshot.val();
            self.clear[c].next = self.counter_registers[c].clear.val();
            self.vc_kind[c].next = self.counter_registers[c].vc_kind.val();
            self.vc_select[c].next = self.counter_registers[c].vc_select.val();
            for i in 0..self.port_select.len() {
                self.port_select[i].next = self.counter_registers[c].port_select[i].val();
            }
            for i in 0..self.multicast_kind.len() {
                self.multicast_kind[i].next = self.counter_registers[c].multicast_kind[i].val();
            }
            for i in 0..self.lookup_kind.len() {
                self.lookup_kind[i].next = self.counter_registers[c].lookup_kind[i].val();
                self.outstanding_kind[i].next = self.counter_registers[c].outstanding_kind[i].val();
            }
            for i in 0..self.fill_kind.len() {
                self.fill_kind[i].next = self.counter_registers[c].fill_kind[i].val();
            }
            for i in 0..self.table_kind.len() {
                self.table_kind[i].next = self.counter_registers[c].table_kind[i].val();
            }
            for i in 0..self.cam_kind.len() {
                self.cam_kind[i].next = self.counter_registers[c].cam_kind[i].val();
            }
            for p in 0..self.count.len() {
                self.counter_registers[c].count[p].next = self.count[p].val();
            }
        }
        for c in 0..self.multicast_registers.len() {
            Access::join(&mut self.multicast_registers[c].access, &mut self.decoder.access[self.multicast_place.val()]);
            Answer::join(&mut self.multicast_registers[c].answer, &mut self.decoder.answer[self.multicast_place.val()]);
            self.multicast_registers[c].sweeping.next = self.multicast_sweeping[c].val();
            self.multicast_write[c].next = self.multicast_registers[c].write.val();
            self.multicast_group[c].next = self.multicast_registers[c].write_group.val();
            self.multicast_entry[c].next = self.multicast_registers[c].write_entry.val();
        }
        for c in 0..self.barrier_registers.len() {
            Access::join(&mut self.barrier_registers[c].access, &mut self.decoder.access[self.barrier_place.val()]);
            Answer::join(&mut self.barrier_registers[c].answer, &mut self.decoder.answer[self.barrier_place.val()]);
            self.barrier_registers[c].corrupt.next = self.barrier_corrupt[c].val();
            self.barrier_registers[c].no_group.next = self.barrier_no_group[c].val();
            self.barrier_retransmit_limit[c].next = self.barrier_registers[c].retransmit_limit.val();
            self.barrier_urge_limit[c].next = self.barrier_registers[c].urge_limit.val();
            self.barrier_scale[c].next = self.barrier_registers[c].scale.val();
            self.barrier_clear_group[c].next = self.barrier_registers[c].clear_group.val();
            self.barrier_clear_ports[c].next = self.barrier_registers[c].clear_ports.val();
        }
        for c in 0..self.barrier_group_registers.len() {
            Access::join(
                &mut self.barrier_group_registers[c].access,
                &mut self.decoder.access[self.barrier_group_place.val()],
            );
            Answer::join(
                &mut self.barrier_group_registers[c].answer,
                &mut self.decoder.answer[self.barrier_group_place.val()],
            );
            self.barrier_enable[c].next = self.barrier_group_registers[c].enable.val();
            self.barrier_root[c].next = self.barrier_group_registers[c].root.val();
            self.barrier_restart[c].next = self.barrier_group_registers[c].restart.val();
            for g in 0..self.barrier_leaves.len() {
                self.barrier_leaves[g].next = self.barrier_group_registers[c].leaves[g].val();
                self.barrier_parent[g].next = self.barrier_group_registers[c].parent[g].val();
                self.barrier_group_registers[c].status[g].next = self.barrier_status[g].val();
                self.barrier_group_registers[c].arrived[g].next = self.barrier_arrived[g].val();
                self.barrier_group_registers[c].counts[g].next = self.barrier_counts[g].val();
            }
        }
    }
}

#[cfg(test)]
mod tests;
