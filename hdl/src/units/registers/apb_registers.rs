//! APB registers: the run-time settings of a switch behind its APB port.
//!
//! What the switch has no use for is not there.
//!
//! Holds the decoder and, behind it, the groups of registers that the switch has; and joins them. A group takes its
//! registers from the description, sees the transfer and says what it has for it ([`bus`]); the decoder
//! answers. To add a group: its file, and here a field, and an `if let` in the kernel that joins it and hands its
//! settings on, which are a bundle.
//!
//! Source: switch reference, section 9; `spec/src/registers.rs`.

use crate::units::prelude::*;
use railyard_spec::misrouting::PortKind;

/// Run-time settings of a switch behind its APB port, in groups.
#[block]
pub struct ApbRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub apb: Bare<ApbPins<In>>,
    pub reduction: Bare<Option<ReductionWires<Out>>>,
    /// Entry of each key.
    pub port_map: Vec<Sig<Out>>,
    pub links: Bare<Option<LinkSettings<Out>>>,
    pub route_tables: Bare<Option<RouteTables<Out>>>,
    pub vc_settings: Bare<Option<VcSettings<Out>>>,
    /// Cycles of a tick of patience.
    pub patience_tick: Option<Sig<Out>>,
    /// Packets from other switches go first.
    pub transit_first: Option<Flag<Out>>,
    /// By how much packets age on the link of port p.
    pub link_delay: Vec<Sig<Out>>,
    pub adaptive: Bare<Option<MisroutingSettings<Out>>>,
    pub sense: Bare<Option<SenseSettings<Out>>>,
    pub draws: Bare<Option<DrawSettings<Out>>>,
    pub thresholds: Bare<Option<Thresholds<Out>>>,
    pub messages: Bare<Option<MessageSettings<Out>>>,
    pub cache: Bare<Option<CacheControl<Out>>>,
    /// Valid bit, if the setting has one, and route.
    pub default_route: Option<Sig<Out>>,
    pub table: Option<TableWrite<Out>>,
    /// The table is being emptied in the current cycle.
    pub table_sweeping: Option<Flag<In>>,
    pub counters: Bare<Option<CounterAccess<Out>>>,
    pub multicast: Option<GroupWrite<Out>>,
    pub barrier: Option<BarrierSettings<Out>>,
    pub events: Option<EventWires<In>>,

    decoder: ApbDecoder,
    reduction_registers: Option<ReductionRegisters>,
    cache_registers: Option<CacheRegisters>,
    link_registers: Option<LinkRegisters>,
    port_map_registers: Option<PortMapRegisters>,
    default_route_registers: Option<RouteSetting>,
    table_registers: Option<TableRegisters>,
    counter_registers: Option<CounterRegisters>,
    multicast_registers: Option<MulticastRegisters>,
    barrier_registers: Option<BarrierRegisters>,
    barrier_group_registers: Option<BarrierGroupRegisters>,
    event_registers: Option<EventRegisters>,
    dragonfly_registers: Option<DragonflyRegisters>,
    adaptive_registers: Option<AdaptiveRegisters>,
    identity_registers: IdentityRegisters,
}

/// The registers of a switch of the given shape, which has some.
pub fn apb_registers(shape: &Shape) -> ApbRegisters {
    let mut description = Description::of(shape);
    let identity_registers = identity_registers(&mut description);
    // The decoder numbers the groups in this order.
    let reduction_registers = reduction_registers(shape, &mut description);
    let cache_registers = cache_registers(&mut description, reduction_registers.is_some());
    let link_registers = take_link_registers(shape, &mut description);
    let port_map_registers = port_map_registers(shape, &mut description);
    let default_route_registers = default_route_registers(shape, &mut description);
    let table_registers = table_registers(shape, &mut description);
    let counter_registers = counter_registers(shape, &mut description);
    let multicast_registers = take_multicast_registers(&mut description);
    let barrier_registers = take_barrier_registers(shape, &mut description);
    let barrier_group_registers = barrier_group_registers(shape, &mut description);
    let event_registers = event_registers(shape, &mut description);
    let dragonfly_registers = dragonfly_registers(shape, &mut description);
    let adaptive_registers = adaptive_registers(shape, &mut description);
    let adaptive = shape.dragonfly().filter(|built| built.adaptive());
    let groups = description.finish();
    ApbRegisters {
        reduction: shape
            .address_bits()
            .zip(shape.reduction())
            .map(|(bits, built)| reduction_wires(bits as usize, built)),
        port_map: port_map_registers.iter().flat_map(|group| group.port_map.iter().map(Sig::alike)).collect(),
        links: link_registers.is_some().then(|| link_settings(shape)),
        cache: cache_registers.is_some().then(CacheControl::plain),
        default_route: default_route_registers.as_ref().map(|group| group.setting.alike()),
        table: shape.forwarding_table().map(|table| table_write(shape, table)),
        table_sweeping: table_registers.is_some().then(flag),
        counters: shape.counter_bits.map(|bits| counter_access(shape, bits as usize)),
        multicast: shape.multicast.as_ref().map(|built| group_write(shape, built)),
        barrier: shape.barrier.as_ref().map(|built| barrier_settings(shape, built)),
        events: event_registers.is_some().then(|| event_wires(shape)),
        route_tables: shape.dragonfly().map(|built| route_tables(shape, built)),
        vc_settings: shape.dragonfly().map(|built| vc_settings(shape, built)),
        patience_tick: dragonfly_registers.as_ref().and_then(|group| group.tick.as_ref().map(Sig::alike)),
        transit_first: dragonfly_registers.as_ref().and_then(|group| group.transit_first.as_ref().map(|_| flag())),
        link_delay: dragonfly_registers.iter().flat_map(|group| group.link_delay.iter().map(Sig::alike)).collect(),
        adaptive: adaptive.map(|built| misrouting_settings(shape, built, PortKind::Node)),
        sense: adaptive.map(|built| sense_settings(built, true)),
        draws: adaptive.map(|built| draw_settings(built, PortKind::Node)),
        thresholds: adaptive.filter(|built| built.contention).map(|built| thresholds(THRESHOLD_BITS, built.filter)),
        messages: shape.router_messages().map(|built| message_settings(&built)),
        decoder: apb_decoder(groups + 1, groups),
        reduction_registers,
        cache_registers,
        link_registers,
        port_map_registers,
        default_route_registers,
        table_registers,
        counter_registers,
        multicast_registers,
        barrier_registers,
        barrier_group_registers,
        event_registers,
        dragonfly_registers,
        adaptive_registers,
        identity_registers,
        ..ApbRegisters::plain()
    }
}

#[kernel]
impl ApbRegisters {
    fn update(&mut self) {
        self.apb.link(&mut self.decoder.apb);
        // What is only read comes last.
        let last = self.decoder.answer.len() - 1;
        self.identity_registers.address.next = self.apb.paddr.val();
        self.identity_registers.answer.join(&mut self.decoder.answer[last]);
        self.set_lookups();
        self.set_routes();
        self.set_counters();
        self.set_multicast();
        self.set_barriers();
        self.keep_events();
        self.set_dragonfly();
    }

    /// A group sees the transfer, and answers.
    fn decode(decoder: &mut ApbDecoder, place: usize, access: &mut BusTransfer, answer: &mut Answer) {
        access.join(&mut decoder.access[place]);
        answer.join(&mut decoder.answer[place]);
    }

    /// Node reduction, and the caches behind it.
    fn set_lookups(&mut self) {
        if let (Some(group), Some(settings)) = (&mut self.reduction_registers, &mut self.reduction) {
            Self::decode(&mut self.decoder, group.place, &mut group.access, &mut group.answer);
            settings.link(&mut group.settings);
        }
        if let (Some(group), Some(cache)) = (&mut self.cache_registers, &mut self.cache) {
            Self::decode(&mut self.decoder, group.place, &mut group.access, &mut group.answer);
            group.sweeping.next = cache.sweeping.val();
            cache.enable.next = group.enable.val();
            cache.flush.next = group.flush.val();
            if let (Some(reducing), Some(reduction)) = (&mut group.reducing, &self.reduction_registers) {
                reducing.next = reduction.writing.val();
            }
        }
    }

    /// Where routes come from: link aggregation, port map, default route, forwarding table.
    fn set_routes(&mut self) {
        if let (Some(group), Some(links)) = (&mut self.link_registers, &mut self.links) {
            Self::decode(&mut self.decoder, group.place, &mut group.access, &mut group.answer);
            links.link(&mut group.settings);
        }
        if let Some(group) = &mut self.port_map_registers {
            Self::decode(&mut self.decoder, group.place, &mut group.access, &mut group.answer);
            self.port_map.link(&mut group.port_map);
        }
        if let (Some(group), Some(route)) = (&mut self.default_route_registers, &mut self.default_route) {
            Self::decode(&mut self.decoder, group.place, &mut group.access, &mut group.answer);
            route.next = group.setting.val();
        }
        if let (Some(group), Some(table), Some(sweeping)) =
            (&mut self.table_registers, &mut self.table, &self.table_sweeping)
        {
            Self::decode(&mut self.decoder, group.place, &mut group.access, &mut group.answer);
            table.link(&mut group.table);
            group.sweeping.next = sweeping.val();
        }
    }

    fn set_counters(&mut self) {
        if let (Some(group), Some(counters)) = (&mut self.counter_registers, &mut self.counters) {
            Self::decode(&mut self.decoder, group.place, &mut group.access, &mut group.answer);
            counters.link(&mut group.counters);
        }
    }

    fn set_multicast(&mut self) {
        if let (Some(group), Some(multicast)) = (&mut self.multicast_registers, &mut self.multicast) {
            Self::decode(&mut self.decoder, group.place, &mut group.access, &mut group.answer);
            group.sweeping.next = multicast.sweeping.val();
            multicast.write.next = group.write.val();
            multicast.group.next = group.write_group.val();
            multicast.entry.next = group.write_entry.val();
        }
    }

    fn set_barriers(&mut self) {
        if let (Some(group), Some(barrier)) = (&mut self.barrier_registers, &mut self.barrier) {
            Self::decode(&mut self.decoder, group.place, &mut group.access, &mut group.answer);
            barrier.faults.link(&mut group.faults);
            barrier.control.link(&mut group.control);
        }
        if let (Some(group), Some(barrier)) = (&mut self.barrier_group_registers, &mut self.barrier) {
            Self::decode(&mut self.decoder, group.place, &mut group.access, &mut group.answer);
            barrier.tree.link(&mut group.tree);
            barrier.state.link(&mut group.state);
        }
    }

    fn set_dragonfly(&mut self) {
        if let (Some(group), Some(tables), Some(vcs)) =
            (&mut self.dragonfly_registers, &mut self.route_tables, &mut self.vc_settings)
        {
            Self::decode(&mut self.decoder, group.place, &mut group.access, &mut group.answer);
            tables.link(&mut group.tables);
            vcs.link(&mut group.vcs);
            self.patience_tick.link(&mut group.tick);
            self.transit_first.link(&mut group.transit_first);
            for p in 0..self.link_delay.len() {
                self.link_delay[p].next = group.link_delay[p].val();
            }
        }
        if let (Some(group), Some(adaptive), Some(sense), Some(draws)) =
            (&mut self.adaptive_registers, &mut self.adaptive, &mut self.sense, &mut self.draws)
        {
            Self::decode(&mut self.decoder, group.place, &mut group.access, &mut group.answer);
            adaptive.link(&mut group.settings);
            sense.link(&mut group.sense);
            draws.link(&mut group.draws);
            self.thresholds.link(&mut group.thresholds);
            self.messages.link(&mut group.messages);
        }
    }

    fn keep_events(&mut self) {
        if let (Some(group), Some(events)) = (&mut self.event_registers, &mut self.events) {
            Self::decode(&mut self.decoder, group.place, &mut group.access, &mut group.answer);
            events.link(&mut group.events);
        }
    }
}

#[cfg(test)]
mod tests;
