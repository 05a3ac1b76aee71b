//! Switch: the top module, `<name>_switch`, with the pins of `railyard_spec::pins`.
//!
//! Holds, for each port, an input unit, route computation, an allocator and an output unit, and for all of them one
//! crossbar and (table routing) one CAM port and (where there is something to set) one set of registers; and joins
//! them. Vectors over input VCs are ordered by VC: VC v of input i is bit v * N + i. With link aggregation or
//! candidates each port also has an output selection between route computation and input unit, which then asks for what
//! that has chosen. A Dragonfly's switch has a hop selection in its place, and a VC choice for each output. With a
//! forwarding table there is a table port between CAM port and pins. With counters each port has its counters, and a
//! table-routed switch some more. With the mixed VC one multicast unit stands between input units and allocators. With
//! the barrier VC one barrier unit stands beside all of it, between the pins of the input ports and the output units.
//! So does the message unit of a Dragonfly's switch. Output queues stand between crossbar and output units.
//!
//! The only logic here is what belongs to no unit: an input VC is granted (or chosen) if any output grants (chooses)
//! it; the caches (group tables) sweep if any of them does; an input VC asks for an output if it asks for any (counters
//! only).
//!
//! Source: switch reference, sections 2, 6 and 11; hardware blocks.

use crate::units::prelude::*;
use railyard_spec::barrier::MESSAGE_BITS;
use railyard_spec::legal::CASES;
use railyard_spec::pins::DROP_COUNT_BITS;
use railyard_spec::Crossbar as Structure;

mod adaptive;
mod ages;
mod allocation;
mod barriers;
mod construct;
mod counting;
mod datapath;
mod dragonfly;
mod elaboration;
mod events;
mod memories;
mod messages;
mod multicast;
mod own_blocks;
mod queues;
mod ragged;
mod routing;

use construct::{
    age_ranking_of, apb, at_ports, cache_size, cam_request_pins, cam_response_pins, contention_counters, error_cam_pin,
    error_clear_pin, has_registers, hop_selections, hops, input_units, lighter_links, link_senses, message_unit_of,
    minimal_uses, node_senses, port_draws_of, shorter_links, vc_choices,
};
pub(crate) use elaboration::style;
pub use elaboration::{elaborate, elaborate_as, elaborate_plain};
pub use memories::memories;

/// HPC switch: input units, route computation, allocators, crossbar, output units.
#[block(shape: &Shape)]
pub struct Switch {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Clears all sticky error flags.
    #[made(error_clear_pin(shape))]
    pub error_clear: Flag<In>,
    pub rx: Vec<LinkFlit<In, shape, { "A flit arrives." }>, ports>,
    /// Bits of the code word that are stored inverted.
    pub rx_flip: Vec<
        Sig<In, { shape.stored_bits() as usize }>,
        ports,
        { shape.buffer_code.is_some_and(|code| code.fault_pins) },
    >,
    /// Buffer space of VC v became free, and a credit report leaves.
    pub rx_credit_valid: Vec<Flag<Out>, { ports * vcs }>,
    /// Credit report.
    pub rx_credit: Vec<Sig<Out, { shape.credit_bits as usize }>, { ports * vcs }>,
    /// Flits of minimal packets freed.
    pub rx_min_credit: Vec<Sig<Out, { shape.credit_bits as usize }>, { ports * vcs }, min_credits>,
    pub tx: Vec<LinkFlit<Out, shape, { "A flit leaves." }>, ports>,
    /// A wrong bit of the flit was corrected.
    pub tx_corrected: Vec<Flag<Out>, ports, { shape.buffer_code.is_some() }>,
    /// A credit report of the next buffer arrives.
    pub tx_credit_valid: Vec<Flag<In>, { ports * vcs }>,
    /// Credit report.
    pub tx_credit: Vec<Sig<In, { shape.credit_bits as usize }>, { ports * vcs }>,
    /// Flits of minimal packets freed.
    pub tx_min_credit: Vec<Sig<In, { shape.credit_bits as usize }>, { ports * vcs }, min_credits>,
    #[made(cam_request_pins(shape))]
    pub cam_request: Option<CamRequest<Out>>,
    #[made(cam_response_pins(shape))]
    pub cam_response: Option<CamResponse<In>>,
    /// A lookup was answered by the routing cache.
    pub lookup_hit: Vec<Flag<Out>, ports, by_table>,
    /// A lookup went to the CAM, or joined one that did.
    pub lookup_miss: Vec<Flag<Out>, ports, by_table>,
    /// A lookup read a word of the routing cache with wrong parity.
    pub lookup_parity: Vec<Flag<Out>, ports, { shape.cache_parity().is_some() }>,
    /// Bit of the word that is stored inverted if a fill of the port writes in the current cycle.
    pub cache_flip:
        Vec<Sig<In, { shape.cache_parity().map_or(1, |word| word.bits as usize) }>, ports, { has_cache_flip(shape) }>,
    /// A request read a word of the forwarding table with wrong parity.
    pub table_parity: Option<Flag<Out>, { shape.table_parity().is_some() }>,
    /// Bit of the word that is stored inverted if the table is written in the current cycle.
    pub table_flip: Option<
        Sig<In, { shape.table_parity().map_or(1, |word| word.bits as usize) }>,
        { shape.table_parity().is_some_and(|word| word.fault_pins) },
    >,
    /// A packet read a word of the group table with wrong parity.
    pub group_parity: Vec<Flag<Out>, ports, { shape.group_parity().is_some() }>,
    /// Bit of the word that is stored inverted if the group table is written in the current cycle.
    pub group_flip: Vec<
        Sig<In, { shape.group_parity().map_or(1, |word| word.bits as usize) }>,
        ports,
        { shape.group_parity().is_some_and(|word| word.fault_pins) },
    >,
    #[made(has_registers(shape).then(apb))]
    pub apb: Option<ApbPins<In>>,
    /// A packet without a route was dropped.
    pub drop_valid: Vec<Flag<Out>, { ports * vcs }>,
    /// Packets dropped since reset.
    pub drop_count: Vec<Sig<Out, { DROP_COUNT_BITS as usize }>, ports>,
    pub error: Vec<InputErrors<Out>, ports>,
    /// Sticky: a credit report was for flits that were never sent.
    pub error_credit: Vec<Flag<Out>, ports>,
    /// Sticky: a CAM answer matched no request, or named no legal route.
    #[made(error_cam_pin(shape))]
    pub error_cam: Option<Flag<Out>>,
    /// An event that is enabled has happened, and is not yet cleared.
    pub event_interrupt: Option<Flag<Out>, { shape.events }>,

    #[made(input_units(shape))]
    input_unit: Vec<InputUnit>,
    #[made(at_ports(shape, route_computation))]
    route_computation: Vec<RouteComputation>,
    #[made(shape.table().map(|table| cam_port(shape, table)))]
    cam_port: Option<CamPort>,
    #[made(shape.table().zip(shape.forwarding_table()).map(|(routing, table)| table_port(shape, routing, table)))]
    table_port: Option<TablePort>,
    output_selection: Vec<OutputSelection<shape>, ports, { shape.output_selection() }>,
    #[made(hop_selections(shape))]
    hop_selection: Vec<HopSelection>,
    #[made(vc_choices(shape))]
    vc_choice: Vec<VcChoice>,
    #[made(port_draws_of(shape))]
    port_draws: Vec<PortDraws>,
    #[made(node_senses(shape))]
    node_sense: Vec<OutputSense>,
    #[made(link_senses(shape))]
    link_sense: Vec<OutputSense>,
    #[made(minimal_uses(shape))]
    minimal_use: Vec<MinimalUse>,
    #[made(lighter_links(shape))]
    lighter: Vec<Comparisons>,
    #[made(shorter_links(shape))]
    shorter: Vec<Comparisons>,
    #[made(contention_counters(shape))]
    contention_counter: Vec<ContentionCounter>,
    #[made(shape.dragonfly().filter(|built| built.adaptive()).map(|_| seed_watch(32)))]
    seed_watch: Option<SeedWatch>,
    #[made(shape.dragonfly().filter(|built| is_patient(built)).map(|_| patience_timer(TICK_BITS)))]
    patience_timer: Option<PatienceTimer>,
    #[made(shape.dragonfly().filter(|built| built.age_bits.is_some()).map(|built| age_clock(birth_bits_of(built))))]
    age_clock: Option<AgeClock>,
    #[made(shape.dragonfly().filter(|_| ranks_ages(shape)).map(|built| age_ranking_of(shape, built)))]
    age_ranking: Option<AgeRanking>,
    registers: Option<ApbRegisters<shape>, { has_registers(shape) }>,
    multicast_unit: Option<MulticastUnit<shape>, { shape.multicast.is_some() }>,
    #[made(shape.barrier.as_ref().map(|built| barrier_unit(shape, built)))]
    barrier_unit: Option<BarrierUnit>,
    #[made(message_unit_of(shape))]
    message_unit: Option<MessageUnit>,
    allocator: Vec<Allocator<shape>, ports>,
    crossbar: Crossbar<shape>,
    #[made(at_ports(shape, output_unit))]
    output_unit: Vec<OutputUnit>,
    #[made(shape.output_queue_flits.map_or(vec![], |flits| many(ports, || output_queues(shape, flits as usize))))]
    output_queues: Vec<OutputQueues>,
    queue_hold: Option<QueueHold<shape>, { has_queues(shape) }>,
    #[made(shape.counter_bits.map_or(vec![], |bits| at_ports(shape, |shape| port_counters(shape, bits as usize))))]
    port_counters: Vec<PortCounters>,
    #[made(shape.table().and(shape.counter_bits).map(|bits| switch_counters(shape, bits as usize)))]
    switch_counters: Option<SwitchCounters>,

    /// VC v of input i has a flit to pop.
    ready: Vec<Sig<Local, ports>, vcs>,
    /// VC v of input i has a tail to pop.
    ending: Vec<Sig<Local, ports>, vcs>,
    /// Input i requests output o on VC v, element o * k + v.
    request: Vec<Sig<Local, ports>, { ports * vcs }>,
    /// Packet at the head of VC v of input i leaves on VC u, element v * k + u.
    leave: Vec<Sig<Local, ports>, { vcs * vcs }, next_vc>,
    /// VC v of input i is connected.
    granted: Vec<Sig<Local, ports>, vcs>,
    /// VC v of input i is connected, by input.
    granted_to: Vec<Sig<Local, vcs>, ports>,
    /// VC v of input i may send.
    chosen: Vec<Sig<Local, ports>, vcs, flit_wise>,
    /// VC v of input i may send, by input.
    chosen_to: Vec<Sig<Local, vcs>, ports, flit_wise>,
    asking: Option<routing::Asking<shape>, by_table>,
    /// VC v of input i requests an output that has room.
    with_room: Vec<Sig<Local, ports>, vcs, counted>,
    /// VC v of input i requests an output that has room, by input.
    with_room_to: Vec<Sig<Local, vcs>, ports, counted>,
    /// VC v of input i requests an output, by input.
    asking_to: Vec<Sig<Local, vcs>, ports, counted>,
    /// VC v of input i has a new packet, number i * k + v.
    fresh: Option<Sig<Local, { ports * vcs }>, { ranks_ages(shape) }>,
    gathered: Option<multicast::Gathered<ports>, { shape.multicast.is_some() }>,
    /// Output o is not available.
    busy: Option<Sig<Local, ports>, { shape.dragonfly().is_some_and(|built| built.in_transit) }>,
    /// Many packets have output o as their minimal one.
    hot: Option<Sig<Local, ports>, { shape.dragonfly().is_some_and(|built| built.contention) }>,
    /// The same, for the hybrid threshold.
    hot_hybrid: Option<Sig<Local, ports>, { shape.dragonfly().is_some_and(|built| built.contention) }>,
    /// VC v of input i counts for output o: bit v * N + i of element o.
    fronts: Vec<Sig<Local, { ports * vcs }>, ports, { shape.dragonfly().is_some_and(|built| built.contention) }>,
    /// VC v of the entry i of packets has a packet in front: bit v * entries + i.
    entering: Option<Sig<Local, { entries * vcs }>, { shape.router_messages().is_some_and(|built| built.counts) }>,
    /// Packet at the head of VC v of input i leaves on the mixed VC.
    leave_mixed: Vec<Sig<Local, vcs>, ports, { next_vc && shape.multicast.is_some() }>,

    /// The mixed VC.
    by_table: Number<bool, { shape.table().is_some() }>,
    flit_wise: Number<bool, { shape.link_arbitration == LinkArbitration::Flit }>,
    counted: Number<bool, { shape.counter_bits.is_some() }>,
    mixed: Number<{ shape.multicast.map_or(0, |built| built.vc) }>,
    /// Cases of a hop, for all classes of packets.
    cases: Number<{ shape.dragonfly().map_or(0, cases) }>,
    link_cases: Number<{ CASES.len() }>,
    /// Kinds of ports have VCs of their own number.
    ragged: Number<bool, { shape.dragonfly().is_some_and(|built| built.vcs.is_some()) }>,
    min_credits: Number<bool, { shape.dragonfly().is_some_and(|built| built.min_credits) }>,
    minimal_bit:
        Number<{ shape.dragonfly().and_then(|built| built.header().minimal).map_or(0, |bit| bit.low as usize) }>,
    node_ports: Number<{ shape.dragonfly().map_or(0, |built| built.node_ports) }>,
    links: Number<{ shape.dragonfly().map_or(0, link_ports) }>,
    local_ports: Number<{ shape.dragonfly().map_or(0, |built| built.local_ports) }>,
    first_global: Number<{ shape.dragonfly().map_or(0, |built| built.node_ports + built.local_ports) }>,
    /// Packets may leave on another VC than their own.
    next_vc: Number<bool, { shape.next_vc }>,
    /// The crossbar gates what it switches by what is sent.
    gated: Number<bool, { shape.crossbar == Structure::Parallel && !has_queues(shape) }>,
    message: Field<0, { MESSAGE_BITS.min(shape.flit_bits) as usize }>,
    router_message: Field<0, { shape.router_messages().map_or(1, |built| built.bits() as usize) }>,
    control_vc: Number<{ shape.control_vc().unwrap_or(0) }>,
    global_ports: Number<{ shape.dragonfly().map_or(0, |built| built.global_ports) }>,
    /// Ports of nodes and of other groups.
    entries: Number<{ node_ports + global_ports }>,
    ports: Param<{ shape.ports }>,
    vcs: Param<{ shape.vcs }>,
    flit_bits: Param<{ shape.flit_bits as usize }>,
    max_flits: Param<{ shape.max_flits as usize }>,
    buffer_flits: Param<{ shape.buffer_flits as usize }>,
    output_queue_flits: Param<Option<usize>, { shape.output_queue_flits.map(|flits| flits as usize) }>,
    barrier_groups: Param<Option<usize>, { shape.barrier.as_ref().map(|built| built.groups) }>,
    address_bits: Param<Option<usize>, { shape.address_bits().map(|bits| bits as usize) }>,
    lookups_per_vc: Param<Option<usize>, { shape.table().map(|table| table.lookups_per_vc) }>,
    cache_entries: Param<Option<usize>, { cache_size(shape).map(|(sets, ways)| sets * ways) }>,
    cache_ways: Param<Option<usize>, { cache_size(shape).map(|(_, ways)| ways) }>,
    node_reduction_stages: Param<Option<usize>, { shape.reduction().map(|reduction| reduction.stages as usize) }>,
    map_entries: Param<Option<usize>, { shape.algorithmic().map(|a| 1 << a.reduction.key_bits) }>,
    hops: Param<Option<usize>, { hops(shape) }>,
}

#[kernel]
impl Switch {
    fn update(&mut self) {
        self.receive();
        self.compute_routes();
        self.reach_cam();
        self.select_outputs();
        self.tell_kinds();
        self.select_hops();
        self.choose_vcs();
        self.draw();
        self.sense();
        self.count_contention();
        self.decide();
        self.tell_ages();
        self.rank_ages();
        self.tell_priorities();
        self.reach_registers();
        self.gather_leave();
        self.join_multicast();
        self.join_barriers();
        self.join_messages();
        self.gather_events();
        self.ask_allocators();
        self.tell_granted();
        self.tell_chosen();
        self.pass_queues();
        self.send();
        self.find_asking();
        self.count_at_ports();
        self.count_lookups();
        self.count_in_switch();
    }
}

#[cfg(test)]
mod tests;
