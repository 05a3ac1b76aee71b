//! Switch: the top module, `<name>_switch`, with the pins of `railyard_spec::pins`.
//!
//! Holds, for each port, an input unit, a route unit, an allocator and an output unit, and for all of them one crossbar and (table
//! routing) one CAM port and (where there is something to set) one set of registers; and joins them. Vectors over input VCs are
//! ordered by VC: VC v of input i is bit v * N + i. With link aggregation or candidates each port also has an output selection between route
//! unit and input unit, which then asks for what that has chosen. With a forwarding table there is a table port between CAM port and pins. With counters
//! each port has its counters, and a table-routed switch some more. With the mixed VC one multicast unit stands between input units and allocators.
//! With the barrier VC one barrier unit stands beside all of it, between the pins of the input ports and the output units.
//!
//! The only logic here is what belongs to no unit: an input VC is granted (or chosen) if any output grants (chooses) it; the
//! caches (group tables) sweep if any of them does; an input VC asks for an output if it asks for any (counters only).
//!
//! Source: switch reference, sections 2, 6 and 11; hardware blocks.

use crate::rtl::prelude::*;
use crate::rtl::verilog::{emit, emit_prefixed, Design, ElaborationError};
use crate::units::algorithmic_route::{algorithmic_route, AlgorithmicRoute};
use crate::units::allocator::{allocator, Allocator};
use crate::units::apb_registers::{apb_registers, ApbRegisters};
use crate::units::barrier_unit::{barrier_unit, BarrierUnit};
use crate::units::cam_port::{cam_port, CamPort};
use crate::units::crossbar::{crossbar, Crossbar};
use crate::units::input_unit::{input_unit, InputUnit};
use crate::units::multicast_unit::{multicast_unit, MulticastUnit};
use crate::units::output_selection::{output_selection, OutputSelection};
use crate::units::output_unit::{output_unit, OutputUnit};
use crate::units::port_counters::{port_counters, PortCounters};
use crate::units::route_unit::{route_unit, uncached_route_unit, RouteUnit, UncachedRouteUnit};
use crate::units::source_route::{source_route, SourceRoute};
use crate::units::switch_counters::{switch_counters, SwitchCounters};
use crate::units::table_port::{table_port, TablePort};
use crate::units::table_write::TableWrite;
use railyard_spec::barrier::MESSAGE_BITS;
use railyard_spec::pins::DROP_COUNT_BITS;
use railyard_spec::registers::{registers, APB_ADDRESS_BITS};
use railyard_spec::{Config, Crossbar as Structure, LinkArbitration, ReductionShape, RoutingShape, Shape, Topology};

/// The switch that the configuration describes, as Verilog: top `<name>_switch`, all other modules `<name>_<block>`. The configuration
/// has passed its check.
pub fn elaborate(config: &Config) -> Result<Design, Vec<ElaborationError>> {
    emit_prefixed(&switch(&config.shape()), &format!("{}_switch", config.name), &format!("{}_", config.name))
}

/// The same with plain block names, for whoever looks at its blocks one by one.
pub fn elaborate_plain(config: &Config) -> Result<Design, Vec<ElaborationError>> {
    emit(&switch(&config.shape()), &format!("{}_switch", config.name))
}

/// The top; see the head of this file.
#[derive(LogicBlock)]
pub struct Switch {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub error_clear: Flag<In>,
    pub rx_valid: Vec<Flag<In>>,
    pub rx_vc: Vec<Sig<In>>,
    pub rx_head: Vec<Flag<In>>,
    pub rx_tail: Vec<Flag<In>>,
    pub rx_flit: Vec<Sig<In>>,
    pub rx_credit_valid: Vec<Flag<Out>>,
    pub rx_credit: Vec<Sig<Out>>,
    pub tx_valid: Vec<Flag<Out>>,
    pub tx_vc: Vec<Sig<Out>>,
    pub tx_head: Vec<Flag<Out>>,
    pub tx_tail: Vec<Flag<Out>>,
    pub tx_flit: Vec<Sig<Out>>,
    pub tx_credit_valid: Vec<Flag<In>>,
    pub tx_credit: Vec<Sig<In>>,
    pub cam_request_valid: Vec<Flag<Out>>,
    pub cam_request_ready: Vec<Flag<In>>,
    pub cam_request_tag: Vec<Sig<Out>>,
    pub cam_request_address: Vec<Sig<Out>>,
    pub cam_response_valid: Vec<Flag<In>>,
    pub cam_response_tag: Vec<Sig<In>>,
    pub cam_response_hit: Vec<Flag<In>>,
    pub cam_response_port: Vec<Sig<In>>,
    pub cam_response_vc_set: Vec<Flag<In>>,
    pub cam_response_vc: Vec<Sig<In>>,
    pub cam_response_group_set: Vec<Flag<In>>,
    pub cam_response_group: Vec<Sig<In>>,
    pub cam_response_candidates: Vec<Sig<In>>,
    pub cam_response_candidate: Vec<Sig<In>>,
    pub cam_response_in_order: Vec<Flag<In>>,
    pub lookup_hit: Vec<Flag<Out>>,
    pub lookup_miss: Vec<Flag<Out>>,
    pub apb_psel: Vec<Flag<In>>,
    pub apb_penable: Vec<Flag<In>>,
    pub apb_pwrite: Vec<Flag<In>>,
    pub apb_paddr: Vec<Sig<In>>,
    pub apb_pwdata: Vec<Sig<In>>,
    pub apb_pready: Vec<Flag<Out>>,
    pub apb_prdata: Vec<Sig<Out>>,
    pub apb_pslverr: Vec<Flag<Out>>,
    pub drop_valid: Vec<Flag<Out>>,
    pub drop_count: Vec<Sig<Out>>,
    pub error_vc: Vec<Flag<Out>>,
    pub error_framing: Vec<Flag<Out>>,
    pub error_overflow: Vec<Flag<Out>>,
    pub error_length: Vec<Flag<Out>>,
    pub error_credit: Vec<Flag<Out>>,
    pub error_cam: Vec<Flag<Out>>,

    input_unit: Vec<InputUnit>,
    source_route: Vec<SourceRoute>,
    route_unit: Vec<RouteUnit>,
    uncached_route_unit: Vec<UncachedRouteUnit>,
    cam_port: Vec<CamPort>,
    table_port: Vec<TablePort>,
    algorithmic_route: Vec<AlgorithmicRoute>,
    output_selection: Vec<OutputSelection>,
    registers: Vec<ApbRegisters>,
    multicast_unit: Vec<MulticastUnit>,
    barrier_unit: Vec<BarrierUnit>,
    allocator: Vec<Allocator>,
    crossbar: Crossbar,
    output_unit: Vec<OutputUnit>,
    port_counters: Vec<PortCounters>,
    switch_counters: Vec<SwitchCounters>,

    ready: Vec<Sig<Local>>,
    ending: Vec<Sig<Local>>,
    request: Vec<Sig<Local>>,
    leave: Vec<Sig<Local>>,
    granted: Vec<Sig<Local>>,
    granted_to: Vec<Sig<Local>>,
    chosen: Vec<Sig<Local>>,
    chosen_to: Vec<Sig<Local>>,
    offer_valid: Vec<Sig<Local>>,
    answer_known: Vec<Sig<Local>>,
    sweeping: Vec<Sig<Local>>,
    with_room: Vec<Sig<Local>>,
    with_room_to: Vec<Sig<Local>>,
    asking_to: Vec<Sig<Local>>,
    group_sweeping: Vec<Sig<Local>>,
    multicast_waiting: Vec<Sig<Local>>,
    may_connect: Vec<Sig<Local>>,
    output_free: Vec<Sig<Local>>,
    mixed_room: Vec<Sig<Local>>,
    mixed_credit: Vec<Sig<Local>>,
    mixed_credit_two: Vec<Sig<Local>>,
    mixed_spare: Vec<Sig<Local>>,
    mixed_grant: Vec<Sig<Local>>,
    passed_over: Vec<Sig<Local>>,
    leave_mixed: Vec<Sig<Local>>,

    ports: Param,
    vcs: Param,
    gated: Param,
    gated_by_plane: Param,
    next_vc_tables: Param,
    group_tables: Param,
    candidate_tables: Param,
    further_candidates: Param,
    direct_cam: Param,
    table_cam: Param,
    default_routes: Param,
    counted_tables: Param,
    counted_lookups: Param,
    counted_fills: Param,
    counted_multicasts: Param,
    direct: Param,
    selecting: Param,
    direct_vcs: Param,
    selected_vcs: Param,
    mixed: Param,
    mixed_direct: Param,
    mixed_selecting: Param,
    link_settings: Param,
    barrier_groups: Param,
    message: Field,
    groups: Param,
    all_links: Param,
    compared: Param,
    next_vcs: Param,
    cache_control: Param,
    reduction_settings: Param,
    radix_settings: Param,
    torus_settings: Param,
    dateline_settings: Param,
    chunk_settings: Param,
    fat_tree_settings: Param,
    map_entries: Param,
    about: About,
}

/// The switch of the given shape.
pub fn switch(shape: &Shape) -> Switch {
    let (n, k, w) = (shape.ports, shape.vcs, shape.flit_bits as usize);
    let (vc_bits, port_bits, credit_bits) =
        (shape.vc_bits as usize, shape.port_bits as usize, shape.credit_bits as usize);
    let parallel = shape.crossbar == Structure::Parallel;
    let flit_wise = usize::from(shape.link_arbitration == LinkArbitration::Flit);
    let table = shape.table();
    let cache = table.and_then(|table| table.cache.as_ref());
    let by_table = usize::from(table.is_some());
    let (by_cam, by_chip) = (usize::from(shape.external_cam()), usize::from(shape.forwarding_table().is_some()));
    let counted = usize::from(shape.counter_bits.is_some());
    let algorithmic = shape.algorithmic();
    let reduction = shape.reduction();
    let by_registers = usize::from(!registers(shape).is_empty());
    let cache_control = usize::from(shape.cache_control());
    let by_algorithm = usize::from(algorithmic.is_some());
    let by_source = 1 - by_table - by_algorithm;
    let next_vc = usize::from(shape.next_vc);
    let selecting = usize::from(shape.output_selection());
    let mixed = usize::from(shape.multicast.is_some());
    let (linked, several) = (usize::from(shape.link_aggregation.is_some()), usize::from(shape.candidates > 1));
    let (groups, all_links) = shape.link_aggregation.as_ref().map_or((0, 0), |l| (l.groups, l.groups * l.links));
    let group_bits = shape.link_aggregation.as_ref().map_or(1, |l| l.group_bits as usize);
    let (tag_bits, address_bits) = table.map_or((1, 1), |t| (t.tag_bits as usize, t.address_bits as usize));
    let about = about("switch", "HPC switch: input units, route computation, allocators, crossbar, output units.")
        .param("ports", n)
        .param("vcs", k)
        .param("flit_bits", w)
        .param("max_flits", shape.max_flits as usize)
        .param("buffer_flits", shape.buffer_flits as usize);
    let about = match &shape.barrier {
        Some(built) => about.param("barrier_groups", built.groups),
        None => about,
    };
    let about = match &shape.routing {
        RoutingShape::Table(t) => {
            let about = about.param("address_bits", address_bits).param("lookups_per_vc", t.lookups_per_vc);
            let about = about
                .param("cache_entries", cache.map_or(0, |c| c.sets * c.ways))
                .param("cache_ways", cache.map_or(0, |c| c.ways));
            match &t.reduction {
                Some(r) => about.param("node_reduction_stages", r.stages as usize),
                None => about,
            }
        }
        RoutingShape::Algorithmic(a) => about
            .param("address_bits", a.address_bits as usize)
            .param("node_reduction_stages", a.reduction.stages as usize)
            .param("map_entries", 1 << a.reduction.key_bits),
        RoutingShape::Source(s) => about.param("hops", s.hops as usize),
    };
    let error_cam_doc = match (shape.next_vc, shape.output_selection()) {
        (_, true) => "sticky: a CAM answer to no request, or with no such route",
        (true, false) => "sticky: a CAM answer to no request, or with no such port or VC",
        (false, false) => "sticky: a CAM answer to no request, or with no such port",
    };
    Switch {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        error_clear: flag().doc("clears all sticky error flags"),
        rx_valid: many(n, || flag().doc("a flit arrives")),
        rx_vc: many(n, || sig(vc_bits).doc("its virtual channel")),
        rx_head: many(n, || flag().doc("it is the first of a packet")),
        rx_tail: many(n, || flag().doc("it is the last of a packet")),
        rx_flit: many(n, || sig(w).doc("its bits")),
        rx_credit_valid: many(n * k, || flag().doc("buffer space of this VC became free: send the report")),
        rx_credit: many(n * k, || sig(credit_bits).doc("credit report")),
        tx_valid: many(n, || flag().doc("a flit leaves")),
        tx_vc: many(n, || sig(vc_bits).doc("its virtual channel")),
        tx_head: many(n, || flag().doc("it is the first of a packet")),
        tx_tail: many(n, || flag().doc("it is the last of a packet")),
        tx_flit: many(n, || sig(w).doc("its bits")),
        tx_credit_valid: many(n * k, || flag().doc("a credit report of the next buffer arrives")),
        tx_credit: many(n * k, || sig(credit_bits).doc("credit report")),
        cam_request_valid: many(by_cam, || flag().doc("a lookup for the CAM; held until accepted")),
        cam_request_ready: many(by_cam, || flag().doc("the CAM accepts it in this cycle")),
        cam_request_tag: many(by_cam, || sig(tag_bits).doc("tag to answer with: port, VC, slot")),
        cam_request_address: many(by_cam, || sig(address_bits).doc("destination to look up")),
        cam_response_valid: many(by_cam, || flag().doc("the CAM answers; always taken")),
        cam_response_tag: many(by_cam, || sig(tag_bits).doc("tag of the request it answers")),
        cam_response_hit: many(by_cam, || flag().doc("there is a route")),
        cam_response_port: many(by_cam, || sig(port_bits).doc("its output port")),
        cam_response_vc_set: many(by_cam * next_vc, || {
            flag().doc("packets leave on cam_response_vc, not on their own VC")
        }),
        cam_response_vc: many(by_cam * next_vc, || sig(vc_bits).doc("VC on which packets leave")),
        cam_response_group_set: many(by_cam * linked, || flag().doc("packets leave by a link of a group")),
        cam_response_group: many(by_cam * linked, || sig(group_bits).doc("link aggregation group")),
        cam_response_candidates: many(by_cam * several, || {
            sig(shape.candidates_bits() as usize).doc("number of further candidate ports")
        }),
        cam_response_candidate: many(by_cam * (shape.candidates - 1), || {
            sig(port_bits).doc("further candidate ports, from number 1")
        }),
        cam_response_in_order: many(by_cam * several, || flag().doc("the address alone says which candidate")),
        lookup_hit: many(by_table * n, || flag().doc("a lookup was answered by the routing cache")),
        lookup_miss: many(by_table * n, || flag().doc("a lookup went to the CAM, or joined one that did")),
        apb_psel: many(by_registers, || flag().doc("APB: a transfer to this switch's registers")),
        apb_penable: many(by_registers, || flag().doc("APB: its access phase")),
        apb_pwrite: many(by_registers, || flag().doc("APB: it writes")),
        apb_paddr: many(by_registers, || sig(APB_ADDRESS_BITS as usize).doc("APB: byte address")),
        apb_pwdata: many(by_registers, || sig(32).doc("APB: data to write")),
        apb_pready: many(by_registers, || flag().doc("APB: always 1, no transfer waits")),
        apb_prdata: many(by_registers, || sig(32).doc("APB: data read")),
        apb_pslverr: many(by_registers, || flag().doc("APB: the access is illegal and changes nothing")),
        drop_valid: many(n * k, || flag().doc("a packet without a route was dropped")),
        drop_count: many(n, || sig(DROP_COUNT_BITS as usize).doc("packets dropped since reset")),
        error_vc: many(n, || flag().doc("sticky: a flit came on a VC that does not exist")),
        error_framing: many(n, || flag().doc("sticky: a head inside a packet, or a flit outside one")),
        error_overflow: many(n, || flag().doc("sticky: a flit came without credit")),
        error_length: many(n, || flag().doc("sticky: a packet over the maximum, or shorter than its header")),
        error_credit: many(n, || flag().doc("sticky: a credit report for flits that were never sent")),
        error_cam: many(by_cam, || flag().doc(error_cam_doc)),
        input_unit: many(n, || input_unit(shape)),
        source_route: many(by_source * n, || source_route(shape)),
        route_unit: match (table, cache) {
            (Some(table), Some(cache)) => many(n, || route_unit(shape, table, cache)),
            _ => vec![],
        },
        uncached_route_unit: match (table, cache) {
            (Some(table), None) => many(n, || uncached_route_unit(shape, table)),
            _ => vec![],
        },
        algorithmic_route: algorithmic.map_or(vec![], |a| many(n, || algorithmic_route(shape, a))),
        cam_port: table.map(|table| cam_port(shape, table)).into_iter().collect(),
        table_port: match (table, shape.forwarding_table()) {
            (Some(routing), Some(table)) => vec![table_port(shape, routing, table)],
            _ => vec![],
        },
        output_selection: many(selecting * n, || output_selection(shape)),
        multicast_unit: many(mixed, || multicast_unit(shape)),
        barrier_unit: shape.barrier.iter().map(|built| barrier_unit(shape, built)).collect(),
        registers: many(by_registers, || apb_registers(shape)),
        allocator: many(n, || allocator(shape)),
        crossbar: crossbar(shape),
        output_unit: many(n, || output_unit(shape)),
        port_counters: shape.counter_bits.map_or(vec![], |bits| many(n, || port_counters(shape, bits as usize))),
        switch_counters: shape
            .counter_bits
            .map_or(vec![], |bits| many(by_table, || switch_counters(shape, bits as usize))),
        ready: many(k, || sig(n).doc("VC v of input i has a flit to pop")),
        ending: many(k, || sig(n).doc("VC v of input i has a tail to pop")),
        request: many(n * k, || sig(n).doc("input i asks for output o on VC v, element o * k + v")),
        leave: many(next_vc * k * k, || {
            sig(n).doc("packet at the head of VC v of input i leaves on VC u, element v * k + u")
        }),
        granted: many(k, || sig(n).doc("VC v of input i is connected")),
        granted_to: many(n, || sig(k).doc("the same, by input")),
        chosen: many(flit_wise * k, || sig(n).doc("VC v of input i may send")),
        chosen_to: many(flit_wise * n, || sig(k).doc("the same, by input")),
        offer_valid: many(by_table, || sig(n).doc("port i has a request for the CAM")),
        answer_known: many(by_cam, || sig(n).doc("port i waits for the CAM's answer")),
        sweeping: many(cache_control, || sig(n).doc("port i's cache sweeps")),
        with_room: many(counted * k, || sig(n).doc("VC v of input i asks for an output that has room")),
        with_room_to: many(counted * n, || sig(k).doc("the same, by input")),
        asking_to: many(counted * n, || sig(k).doc("VC v of input i asks for an output, by input")),
        group_sweeping: many(mixed, || sig(n).doc("port i's group table is being emptied")),
        multicast_waiting: many(mixed, || sig(n).doc("input i has a multicast packet that waits for its outputs")),
        may_connect: many(mixed, || sig(n).doc("the mixed VC of input i may be connected anew")),
        output_free: many(mixed, || sig(n).doc("output o is not busy, or its owner is finishing")),
        mixed_room: many(mixed, || sig(n).doc("output o has room on the mixed VC behind what is being sent")),
        mixed_credit: many(mixed, || sig(n).doc("the next buffer of output o has room for a packet on the mixed VC")),
        mixed_credit_two: many(mixed, || {
            sig(n).doc("the next buffer of output o has room for two packets on the mixed VC")
        }),
        mixed_spare: many(mixed, || {
            sig(n).doc("output o is not sending on the mixed VC, and two packets have room there")
        }),
        mixed_grant: many(mixed, || sig(n).doc("a unicast packet that leaves on the mixed VC gets output o")),
        passed_over: many(mixed, || sig(n).doc("a unicast packet requests output o, and none gets it")),
        leave_mixed: many(next_vc * mixed * n, || {
            sig(k).doc("packet at the head of VC v of input i leaves on the mixed VC")
        }),
        ports: param(n),
        vcs: param(k),
        gated: param(if parallel { (1 - next_vc) * n } else { 0 }),
        gated_by_plane: param(if parallel { next_vc * n } else { 0 }),
        next_vc_tables: param(next_vc * by_table),
        group_tables: param(linked * by_table),
        candidate_tables: param(several),
        further_candidates: param(shape.candidates - 1),
        direct_cam: param(by_table - by_chip),
        table_cam: param(by_chip * by_cam),
        default_routes: param(usize::from(shape.default_route())),
        counted_tables: param(counted * by_chip),
        counted_lookups: param(counted * by_table),
        counted_fills: param(counted * usize::from(cache.is_some())),
        counted_multicasts: param(counted * mixed),
        direct: param(1 - selecting),
        selecting: param(selecting),
        direct_vcs: param((1 - selecting) * next_vc * k),
        selected_vcs: param(selecting * next_vc * k),
        mixed: param(shape.multicast.map_or(0, |built| built.vc)),
        mixed_direct: param((1 - selecting) * mixed),
        mixed_selecting: param(selecting * mixed),
        link_settings: param(linked),
        barrier_groups: param(shape.barrier.map_or(0, |built| built.groups)),
        message: field(0, MESSAGE_BITS.min(shape.flit_bits) as usize),
        groups: param(groups),
        all_links: param(all_links),
        compared: param(several * n),
        next_vcs: param(next_vc * k),
        cache_control: param(cache_control),
        reduction_settings: param(usize::from(reduction.is_some())),
        radix_settings: param(usize::from(reduction.is_some_and(ReductionShape::any_radix))),
        torus_settings: param(usize::from(reduction.is_some_and(|r| r.full_radix))),
        dateline_settings: param(usize::from(reduction.is_some_and(|r| r.dateline))),
        chunk_settings: param(usize::from(reduction.is_some_and(|r| r.chunk_bits.len() > 1))),
        fat_tree_settings: param(usize::from(reduction.is_some_and(|r| r.has(Topology::FatTree)))),
        map_entries: param(algorithmic.map_or(0, |a| 1 << a.reduction.key_bits)),
        about,
    }
}

impl Logic for Switch {
    #[hdl_gen]
    fn update(&mut self) {
        // Pins of the input units, and what they have for the crossbar.
        for v in 0..self.vcs.val() {
            self.ready[v].next = 0.into();
            self.ending[v].next = 0.into();
        }
        for i in 0..self.ports.val() {
            self.input_unit[i].clock.next = self.clock.val();
            self.input_unit[i].reset.next = self.reset.val();
            self.input_unit[i].error_clear.next = self.error_clear.val();
            self.input_unit[i].rx_valid.next = self.rx_valid[i].val();
            self.input_unit[i].rx_vc.next = self.rx_vc[i].val();
            self.input_unit[i].rx_head.next = self.rx_head[i].val();
            self.input_unit[i].rx_tail.next = self.rx_tail[i].val();
            self.input_unit[i].rx_flit.next = self.rx_flit[i].val();
            self.input_unit[i].granted.next = self.granted_to[i].val();
            for v in 0..self.vcs.val() {
                self.rx_credit_valid[i * self.vcs.val() + v].next = self.input_unit[i].rx_credit_valid[v].val();
                self.rx_credit[i * self.vcs.val() + v].next = self.input_unit[i].rx_credit[v].val();
                self.drop_valid[i * self.vcs.val() + v].next = self.input_unit[i].drop_valid.val().get_bit(v);
                self.ready[v].next = self.ready[v].val().replace_bit(i, self.input_unit[i].ready.val().get_bit(v));
                self.ending[v].next = self.ending[v].val().replace_bit(i, self.input_unit[i].ending.val().get_bit(v));
                self.crossbar.beat[v * self.ports.val() + i].next = self.input_unit[i].beat[v].val();
            }
            self.drop_count[i].next = self.input_unit[i].drop_count.val();
            self.error_vc[i].next = self.input_unit[i].error_vc.val();
            self.error_framing[i].next = self.input_unit[i].error_framing.val();
            self.error_overflow[i].next = self.input_unit[i].error_overflow.val();
            self.error_length[i].next = self.input_unit[i].error_length.val();
        }

        // Route computation: source routing.
        for i in 0..self.source_route.len() {
            self.source_route[i].clock.next = self.clock.val();
            self.source_route[i].reset.next = self.reset.val();
            self.source_route[i].arrive.next = self.input_unit[i].arrive.val();
            self.source_route[i].arrive_vc.next = self.input_unit[i].arrive_vc.val();
            self.source_route[i].arrive_port.next = self.input_unit[i].arrive_port[0].val();
            self.source_route[i].take.next = self.input_unit[i].take.val();
            self.input_unit[i].head_drop.next = self.source_route[i].head_drop.val();
            for v in 0..self.vcs.val() {
                self.input_unit[i].head_request[v].next = self.source_route[i].head_request[v].val();
            }
            for m in 0..self.multicast_unit.len() {
                self.source_route[i].arrive_multicast[m].next = self.input_unit[i].arrive_multicast[m].val();
                self.source_route[i].arrive_group[m].next = self.input_unit[i].arrive_group[m].val();
                self.source_route[i].arrive_unknown[m].next = self.input_unit[i].arrive_unknown[m].val();
                self.input_unit[i].head_multicast[m].next = self.source_route[i].head_multicast[m].val();
                self.input_unit[i].head_group[m].next = self.source_route[i].head_group[m].val();
            }
        }

        // Route computation: table routing.
        for c in 0..self.cam_port.len() {
            self.offer_valid[c].next = 0.into();
        }
        for c in 0..self.answer_known.len() {
            self.answer_known[c].next = 0.into();
        }
        for c in 0..self.sweeping.len() {
            self.sweeping[c].next = 0.into();
        }
        for i in 0..self.route_unit.len() {
            self.route_unit[i].clock.next = self.clock.val();
            self.route_unit[i].reset.next = self.reset.val();
            self.route_unit[i].arrive.next = self.input_unit[i].arrive.val();
            self.route_unit[i].arrive_vc.next = self.input_unit[i].arrive_vc.val();
            self.route_unit[i].arrive_malformed.next = self.input_unit[i].arrive_malformed[0].val();
            self.route_unit[i].arrive_address.next = self.input_unit[i].arrive_address[0].val();
            for _plain in 0..self.direct.val() {
                self.route_unit[i].take.next = self.input_unit[i].take.val();
                self.input_unit[i].head_drop.next = self.route_unit[i].head_drop.val();
                for v in 0..self.vcs.val() {
                    self.input_unit[i].head_request[v].next = self.route_unit[i].head_request[v].val();
                }
            }
            for m in 0..self.mixed_direct.val() {
                self.input_unit[i].head_multicast[m].next = self.route_unit[i].head_multicast[m].val();
                self.input_unit[i].head_group[m].next = self.route_unit[i].head_group[m].val();
            }
            for m in 0..self.mixed_selecting.val() {
                self.output_selection[i].head_multicast[m].next = self.route_unit[i].head_multicast[m].val();
                self.output_selection[i].head_group[m].next = self.route_unit[i].head_group[m].val();
            }
            for _selecting in 0..self.selecting.val() {
                self.route_unit[i].take.next = self.output_selection[i].take_head.val();
                self.output_selection[i].head_drop.next = self.route_unit[i].head_drop.val();
                self.output_selection[i].head_routed.next = self.route_unit[i].head_routed[0].val();
                for v in 0..self.vcs.val() {
                    self.output_selection[i].head_route[v].next = self.route_unit[i].head_route[v].val();
                }
            }
            self.offer_valid[0].next = self.offer_valid[0].val().replace_bit(i, self.route_unit[i].offer_valid.val());
            for c in 0..self.answer_known.len() {
                self.answer_known[c].next =
                    self.answer_known[c].val().replace_bit(i, self.route_unit[i].answer_known.val());
            }
            self.cam_port[0].offer_vc[i].next = self.route_unit[i].offer_vc.val();
            self.cam_port[0].offer_slot[i].next = self.route_unit[i].offer_slot.val();
            self.cam_port[0].offer_address[i].next = self.route_unit[i].offer_address.val();
            self.route_unit[i].offer_taken.next = self.cam_port[0].offer_taken.val().get_bit(i);
            self.route_unit[i].answer_valid.next = self.cam_port[0].answer_valid.val().get_bit(i);
            self.route_unit[i].answer_vc.next = self.cam_port[0].answer_vc.val();
            self.route_unit[i].answer_slot.next = self.cam_port[0].answer_slot.val();
            self.route_unit[i].answer_drop.next = self.cam_port[0].answer_drop.val();
            self.route_unit[i].answer_port.next = self.cam_port[0].answer_port.val();
            self.lookup_hit[i].next = self.route_unit[i].lookup_hit.val();
            self.lookup_miss[i].next = self.route_unit[i].lookup_miss.val();
            for c in 0..self.cache_control.val() {
                self.route_unit[i].enable[c].next = self.registers[c].enable[c].val();
                self.route_unit[i].flush[c].next = self.registers[c].flush[c].val();
                self.sweeping[c].next = self.sweeping[c].val().replace_bit(i, self.route_unit[i].sweeping[c].val());
            }
            for c in 0..self.reduction_settings.val() {
                self.route_unit[i].coordinate[c].next = self.registers[c].coordinate[c].val();
                self.route_unit[i].topology_select[c].next = self.registers[c].topology_select[c].val();
            }
            for c in 0..self.radix_settings.val() {
                self.route_unit[i].bound[c].next = self.registers[0].bound[c].val();
                self.route_unit[i].wrap[c].next = self.registers[0].wrap[c].val();
            }
            for c in 0..self.torus_settings.val() {
                self.route_unit[i].torus[c].next = self.registers[0].torus[c].val();
            }
            for c in 0..self.dateline_settings.val() {
                self.route_unit[i].dateline[c].next = self.registers[0].dateline[c].val();
            }
            for c in 0..self.chunk_settings.val() {
                self.route_unit[i].chunk_select[c].next = self.registers[0].chunk_select[c].val();
            }
            for c in 0..self.fat_tree_settings.val() {
                self.route_unit[i].level_select[c].next = self.registers[0].level_select[c].val();
                self.route_unit[i].above_level[c].next = self.registers[0].above_level[c].val();
            }
        }
        for i in 0..self.uncached_route_unit.len() {
            self.uncached_route_unit[i].clock.next = self.clock.val();
            self.uncached_route_unit[i].reset.next = self.reset.val();
            self.uncached_route_unit[i].arrive.next = self.input_unit[i].arrive.val();
            self.uncached_route_unit[i].arrive_vc.next = self.input_unit[i].arrive_vc.val();
            self.uncached_route_unit[i].arrive_malformed.next = self.input_unit[i].arrive_malformed[0].val();
            self.uncached_route_unit[i].arrive_address.next = self.input_unit[i].arrive_address[0].val();
            for _plain in 0..self.direct.val() {
                self.uncached_route_unit[i].take.next = self.input_unit[i].take.val();
                self.input_unit[i].head_drop.next = self.uncached_route_unit[i].head_drop.val();
                for v in 0..self.vcs.val() {
                    self.input_unit[i].head_request[v].next = self.uncached_route_unit[i].head_request[v].val();
                }
            }
            for m in 0..self.mixed_direct.val() {
                self.input_unit[i].head_multicast[m].next = self.uncached_route_unit[i].head_multicast[m].val();
                self.input_unit[i].head_group[m].next = self.uncached_route_unit[i].head_group[m].val();
            }
            for m in 0..self.mixed_selecting.val() {
                self.output_selection[i].head_multicast[m].next = self.uncached_route_unit[i].head_multicast[m].val();
                self.output_selection[i].head_group[m].next = self.uncached_route_unit[i].head_group[m].val();
            }
            for _selecting in 0..self.selecting.val() {
                self.uncached_route_unit[i].take.next = self.output_selection[i].take_head.val();
                self.output_selection[i].head_drop.next = self.uncached_route_unit[i].head_drop.val();
                self.output_selection[i].head_routed.next = self.uncached_route_unit[i].head_routed[0].val();
                for v in 0..self.vcs.val() {
                    self.output_selection[i].head_route[v].next = self.uncached_route_unit[i].head_route[v].val();
                }
            }
            self.offer_valid[0].next =
                self.offer_valid[0].val().replace_bit(i, self.uncached_route_unit[i].offer_valid.val());
            for c in 0..self.answer_known.len() {
                self.answer_known[c].next =
                    self.answer_known[c].val().replace_bit(i, self.uncached_route_unit[i].answer_known.val());
            }
            self.cam_port[0].offer_vc[i].next = self.uncached_route_unit[i].offer_vc.val();
            self.cam_port[0].offer_slot[i].next = self.uncached_route_unit[i].offer_slot.val();
            self.cam_port[0].offer_address[i].next = self.uncached_route_unit[i].offer_address.val();
            self.uncached_route_unit[i].offer_taken.next = self.cam_port[0].offer_taken.val().get_bit(i);
            self.uncached_route_unit[i].answer_valid.next = self.cam_port[0].answer_valid.val().get_bit(i);
            self.uncached_route_unit[i].answer_vc.next = self.cam_port[0].answer_vc.val();
            self.uncached_route_unit[i].answer_slot.next = self.cam_port[0].answer_slot.val();
            self.uncached_route_unit[i].answer_drop.next = self.cam_port[0].answer_drop.val();
            self.uncached_route_unit[i].answer_port.next = self.cam_port[0].answer_port.val();
            self.lookup_hit[i].next = self.uncached_route_unit[i].lookup_hit.val();
            self.lookup_miss[i].next = self.uncached_route_unit[i].lookup_miss.val();
        }
        for c in 0..self.cam_port.len() {
            self.cam_port[c].clock.next = self.clock.val();
            self.cam_port[c].reset.next = self.reset.val();
            self.cam_port[c].offer_valid.next = self.offer_valid[c].val();
            for d in 0..self.default_routes.val() {
                self.cam_port[c].default_route[d].next = self.registers[d].default_route[d].val();
            }
            for e in 0..self.error_cam.len() {
                self.cam_port[c].error_clear[e].next = self.error_clear.val();
                self.cam_port[c].answer_known[e].next = self.answer_known[e].val();
                self.error_cam[e].next = self.cam_port[c].error_cam[e].val();
            }
        }

        // The CAM itself.
        for c in 0..self.direct_cam.val() {
            self.cam_port[c].request_ready.next = self.cam_request_ready[c].val();
            self.cam_port[c].response_valid.next = self.cam_response_valid[c].val();
            self.cam_port[c].response_tag.next = self.cam_response_tag[c].val();
            self.cam_port[c].response_hit.next = self.cam_response_hit[c].val();
            self.cam_port[c].response_port.next = self.cam_response_port[c].val();
            for s in 0..self.next_vc_tables.val() {
                self.cam_port[c].response_vc_set[s].next = self.cam_response_vc_set[s].val();
                self.cam_port[c].response_vc[s].next = self.cam_response_vc[s].val();
            }
            for s in 0..self.group_tables.val() {
                self.cam_port[c].response_group_set[s].next = self.cam_response_group_set[s].val();
                self.cam_port[c].response_group[s].next = self.cam_response_group[s].val();
            }
            for s in 0..self.candidate_tables.val() {
                self.cam_port[c].response_candidates[s].next = self.cam_response_candidates[s].val();
                self.cam_port[c].response_in_order[s].next = self.cam_response_in_order[s].val();
            }
            for j in 0..self.further_candidates.val() {
                self.cam_port[c].response_candidate[j].next = self.cam_response_candidate[j].val();
            }
            self.cam_request_valid[c].next = self.cam_port[c].request_valid.val();
            self.cam_request_tag[c].next = self.cam_port[c].request_tag.val();
            self.cam_request_address[c].next = self.cam_port[c].request_address.val();
        }

        // Or the forwarding table in front of it.
        for c in 0..self.table_port.len() {
            self.table_port[c].clock.next = self.clock.val();
            self.table_port[c].reset.next = self.reset.val();
            TableWrite::join(&mut self.registers[c].table[c], &mut self.table_port[c].table);
            self.table_port[c].request_valid.next = self.cam_port[c].request_valid.val();
            self.table_port[c].request_tag.next = self.cam_port[c].request_tag.val();
            self.table_port[c].request_address.next = self.cam_port[c].request_address.val();
            self.cam_port[c].request_ready.next = self.table_port[c].advance.val();
            self.cam_port[c].response_valid.next = self.table_port[c].response_valid.val();
            self.cam_port[c].response_tag.next = self.table_port[c].response_tag.val();
            self.cam_port[c].response_hit.next = self.table_port[c].response_hit.val();
            self.cam_port[c].response_port.next = self.table_port[c].response_port.val();
            for s in 0..self.next_vc_tables.val() {
                self.cam_port[c].response_vc_set[s].next = self.table_port[c].response_vc_set[s].val();
                self.cam_port[c].response_vc[s].next = self.table_port[c].response_vc[s].val();
            }
            for s in 0..self.group_tables.val() {
                self.cam_port[c].response_group_set[s].next = self.table_port[c].response_group_set[s].val();
                self.cam_port[c].response_group[s].next = self.table_port[c].response_group[s].val();
            }
            for s in 0..self.candidate_tables.val() {
                self.cam_port[c].response_candidates[s].next = self.table_port[c].response_candidates[s].val();
                self.cam_port[c].response_in_order[s].next = self.table_port[c].response_in_order[s].val();
            }
            for j in 0..self.further_candidates.val() {
                self.cam_port[c].response_candidate[j].next = self.table_port[c].response_candidate[j].val();
            }
        }
        for c in 0..self.table_cam.val() {
            self.table_port[c].cam_request_ready[c].next = self.cam_request_ready[c].val();
            self.table_port[c].cam_response_valid[c].next = self.cam_response_valid[c].val();
            self.table_port[c].cam_response_tag[c].next = self.cam_response_tag[c].val();
            self.table_port[c].cam_response_hit[c].next = self.cam_response_hit[c].val();
            self.table_port[c].cam_response_port[c].next = self.cam_response_port[c].val();
            for s in 0..self.next_vc_tables.val() {
                self.table_port[c].cam_response_vc_set[s].next = self.cam_response_vc_set[s].val();
                self.table_port[c].cam_response_vc[s].next = self.cam_response_vc[s].val();
            }
            for s in 0..self.group_tables.val() {
                self.table_port[c].cam_response_group_set[s].next = self.cam_response_group_set[s].val();
                self.table_port[c].cam_response_group[s].next = self.cam_response_group[s].val();
            }
            for s in 0..self.candidate_tables.val() {
                self.table_port[c].cam_response_candidates[s].next = self.cam_response_candidates[s].val();
                self.table_port[c].cam_response_in_order[s].next = self.cam_response_in_order[s].val();
            }
            for j in 0..self.further_candidates.val() {
                self.table_port[c].cam_response_candidate[j].next = self.cam_response_candidate[j].val();
            }
            self.cam_request_valid[c].next = self.table_port[c].cam_request_valid[c].val();
            self.cam_request_tag[c].next = self.table_port[c].cam_request_tag[c].val();
            self.cam_request_address[c].next = self.table_port[c].cam_request_address[c].val();
        }

        // Route computation: algorithmic routing, and its settings.
        for i in 0..self.algorithmic_route.len() {
            self.algorithmic_route[i].clock.next = self.clock.val();
            self.algorithmic_route[i].reset.next = self.reset.val();
            self.algorithmic_route[i].arrive.next = self.input_unit[i].arrive.val();
            self.algorithmic_route[i].arrive_vc.next = self.input_unit[i].arrive_vc.val();
            self.algorithmic_route[i].arrive_malformed.next = self.input_unit[i].arrive_malformed[0].val();
            self.algorithmic_route[i].arrive_address.next = self.input_unit[i].arrive_address[0].val();
            for _plain in 0..self.direct.val() {
                self.algorithmic_route[i].take.next = self.input_unit[i].take.val();
                self.input_unit[i].head_drop.next = self.algorithmic_route[i].head_drop.val();
                for v in 0..self.vcs.val() {
                    self.input_unit[i].head_request[v].next = self.algorithmic_route[i].head_request[v].val();
                }
            }
            for m in 0..self.mixed_direct.val() {
                self.input_unit[i].head_multicast[m].next = self.algorithmic_route[i].head_multicast[m].val();
                self.input_unit[i].head_group[m].next = self.algorithmic_route[i].head_group[m].val();
            }
            for m in 0..self.mixed_selecting.val() {
                self.output_selection[i].head_multicast[m].next = self.algorithmic_route[i].head_multicast[m].val();
                self.output_selection[i].head_group[m].next = self.algorithmic_route[i].head_group[m].val();
            }
            for _selecting in 0..self.selecting.val() {
                self.algorithmic_route[i].take.next = self.output_selection[i].take_head.val();
                self.output_selection[i].head_drop.next = self.algorithmic_route[i].head_drop.val();
                self.output_selection[i].head_routed.next = self.algorithmic_route[i].head_routed[0].val();
                for v in 0..self.vcs.val() {
                    self.output_selection[i].head_route[v].next = self.algorithmic_route[i].head_route[v].val();
                }
            }
            for c in 0..self.reduction_settings.val() {
                self.algorithmic_route[i].coordinate.next = self.registers[c].coordinate[c].val();
                self.algorithmic_route[i].topology_select.next = self.registers[c].topology_select[c].val();
            }
            for c in 0..self.radix_settings.val() {
                self.algorithmic_route[i].bound[c].next = self.registers[0].bound[c].val();
                self.algorithmic_route[i].wrap[c].next = self.registers[0].wrap[c].val();
            }
            for c in 0..self.torus_settings.val() {
                self.algorithmic_route[i].torus[c].next = self.registers[0].torus[c].val();
            }
            for c in 0..self.dateline_settings.val() {
                self.algorithmic_route[i].dateline[c].next = self.registers[0].dateline[c].val();
            }
            for c in 0..self.chunk_settings.val() {
                self.algorithmic_route[i].chunk_select[c].next = self.registers[0].chunk_select[c].val();
            }
            for c in 0..self.fat_tree_settings.val() {
                self.algorithmic_route[i].level_select[c].next = self.registers[0].level_select[c].val();
                self.algorithmic_route[i].above_level[c].next = self.registers[0].above_level[c].val();
            }
            for e in 0..self.map_entries.val() {
                self.algorithmic_route[i].map_entries[e].next = self.registers[0].port_map[e].val();
            }
        }

        // Output selection.
        for i in 0..self.output_selection.len() {
            self.output_selection[i].clock.next = self.clock.val();
            self.output_selection[i].reset.next = self.reset.val();
            self.output_selection[i].arrive.next = self.input_unit[i].arrive.val();
            self.output_selection[i].arrive_vc.next = self.input_unit[i].arrive_vc.val();
            self.output_selection[i].arrive_address.next = unsigned_cast(self.input_unit[i].arrive_address[0].val());
            self.output_selection[i].take.next = self.input_unit[i].take.val();
            self.input_unit[i].head_drop.next = self.output_selection[i].drop_now.val();
            for v in 0..self.vcs.val() {
                self.input_unit[i].head_request[v].next = self.output_selection[i].request[v].val();
            }
            for m in 0..self.multicast_unit.len() {
                self.input_unit[i].head_multicast[m].next = self.output_selection[i].multicast_now[m].val();
                self.input_unit[i].head_group[m].next = self.output_selection[i].multicast_group[m].val();
            }
            for c in 0..self.link_settings.val() {
                self.output_selection[i].method[c].next = self.registers[c].method[c].val();
            }
            for g in 0..self.groups.val() {
                self.output_selection[i].links[g].next = self.registers[0].links[g].val();
            }
            for l in 0..self.all_links.val() {
                self.output_selection[i].group_link[l].next = self.registers[0].group_link[l].val();
            }
            for o in 0..self.compared.val() {
                for v in 0..self.vcs.val() {
                    self.output_selection[i].in_use[o * self.vcs.val() + v].next = self.output_unit[o].in_use[v].val();
                }
            }
        }

        // Registers.
        for c in 0..self.registers.len() {
            self.registers[c].clock.next = self.clock.val();
            self.registers[c].reset.next = self.reset.val();
            self.registers[c].psel.next = self.apb_psel[c].val();
            self.registers[c].penable.next = self.apb_penable[c].val();
            self.registers[c].pwrite.next = self.apb_pwrite[c].val();
            self.registers[c].paddr.next = self.apb_paddr[c].val();
            self.registers[c].pwdata.next = self.apb_pwdata[c].val();
            self.apb_pready[c].next = self.registers[c].pready.val();
            self.apb_prdata[c].next = self.registers[c].prdata.val();
            self.apb_pslverr[c].next = self.registers[c].pslverr.val();
        }
        for c in 0..self.sweeping.len() {
            self.registers[c].sweeping[c].next = self.sweeping[c].val().any();
        }
        for c in 0..self.table_port.len() {
            self.registers[c].table_sweeping[c].next = self.table_port[c].sweeping.val();
        }

        // VCs on which packets leave, by input.
        for w in 0..self.leave.len() {
            self.leave[w].next = 0.into();
        }
        for v in 0..self.direct_vcs.val() {
            for u in 0..self.next_vcs.val() {
                for i in 0..self.route_unit.len() {
                    self.leave[v * self.next_vcs.val() + u].next = self.leave[v * self.next_vcs.val() + u]
                        .val()
                        .replace_bit(i, self.route_unit[i].head_vc[v].val().get_bit(u));
                }
                for i in 0..self.uncached_route_unit.len() {
                    self.leave[v * self.next_vcs.val() + u].next = self.leave[v * self.next_vcs.val() + u]
                        .val()
                        .replace_bit(i, self.uncached_route_unit[i].head_vc[v].val().get_bit(u));
                }
                for i in 0..self.algorithmic_route.len() {
                    self.leave[v * self.next_vcs.val() + u].next = self.leave[v * self.next_vcs.val() + u]
                        .val()
                        .replace_bit(i, self.algorithmic_route[i].head_vc[v].val().get_bit(u));
                }
            }
        }
        for v in 0..self.selected_vcs.val() {
            for u in 0..self.next_vcs.val() {
                for i in 0..self.output_selection.len() {
                    self.leave[v * self.next_vcs.val() + u].next = self.leave[v * self.next_vcs.val() + u]
                        .val()
                        .replace_bit(i, self.output_selection[i].leave[v].val().get_bit(u));
                }
            }
        }

        // Multicast: group tables, packets that wait, and what outputs have for them.
        for m in 0..self.multicast_unit.len() {
            self.group_sweeping[m].next = 0.into();
            self.multicast_waiting[m].next = 0.into();
            self.may_connect[m].next = 0.into();
            self.output_free[m].next = 0.into();
            self.mixed_room[m].next = 0.into();
            self.mixed_credit[m].next = 0.into();
            self.mixed_credit_two[m].next = 0.into();
            self.mixed_spare[m].next = 0.into();
            self.mixed_grant[m].next = 0.into();
            self.passed_over[m].next = 0.into();
            for i in 0..self.ports.val() {
                self.input_unit[i].own_port[m].next = i.into();
                self.input_unit[i].write[m].next = self.registers[m].multicast_write[m].val();
                self.input_unit[i].write_group[m].next = self.registers[m].multicast_group[m].val();
                self.input_unit[i].write_entry[m].next = self.registers[m].multicast_entry[m].val();
                self.group_sweeping[m].next =
                    self.group_sweeping[m].val().replace_bit(i, self.input_unit[i].sweeping[m].val());
                self.multicast_waiting[m].next =
                    self.multicast_waiting[m].val().replace_bit(i, self.input_unit[i].waiting[m].val());
                self.may_connect[m].next =
                    self.may_connect[m].val().replace_bit(i, self.input_unit[i].may_connect[m].val());
                self.multicast_unit[m].outputs[i].next = self.input_unit[i].outputs[m].val();
                self.multicast_unit[m].mixed_waiting[i].next = self.input_unit[i].mixed_waiting[m].val();
            }
            for o in 0..self.ports.val() {
                self.output_free[m].next = self.output_free[m].val().replace_bit(o, self.allocator[o].free[m].val());
                self.mixed_room[m].next =
                    self.mixed_room[m].val().replace_bit(o, self.allocator[o].mixed_room[m].val());
                self.mixed_credit[m].next =
                    self.mixed_credit[m].val().replace_bit(o, self.output_unit[o].room.val().get_bit(self.mixed.val()));
                self.mixed_credit_two[m].next =
                    self.mixed_credit_two[m].val().replace_bit(o, self.output_unit[o].room_two[m].val());
                self.mixed_spare[m].next =
                    self.mixed_spare[m].val().replace_bit(o, self.allocator[o].mixed_spare[m].val());
                self.mixed_grant[m].next =
                    self.mixed_grant[m].val().replace_bit(o, self.allocator[o].mixed_grant[m].val());
                self.passed_over[m].next =
                    self.passed_over[m].val().replace_bit(o, self.allocator[o].passed_over[m].val());
                self.allocator[o].multicast_turn[m].next = self.multicast_unit[m].turn.val().get_bit(o);
                self.allocator[o].saved[m].next = self.multicast_unit[m].saved.val().get_bit(o);
                self.allocator[o].reserved[m].next = self.multicast_unit[m].reserved.val().get_bit(o);
                self.allocator[o].start[m].next = self.multicast_unit[m].start_to[o].val();
                self.input_unit[o].start[m].next = self.multicast_unit[m].start.val().get_bit(o);
                self.allocator[o].room_two[m].next = self.output_unit[o].room_two[m].val();
            }
            self.registers[m].multicast_sweeping[m].next = self.group_sweeping[m].val().any();
            self.multicast_unit[m].clock.next = self.clock.val();
            self.multicast_unit[m].reset.next = self.reset.val();
            self.multicast_unit[m].waiting.next = self.multicast_waiting[m].val();
            self.multicast_unit[m].may_connect.next = self.may_connect[m].val();
            self.multicast_unit[m].free.next = self.output_free[m].val();
            self.multicast_unit[m].room.next = self.mixed_room[m].val();
            self.multicast_unit[m].credit.next = self.mixed_credit[m].val();
            self.multicast_unit[m].credit_two.next = self.mixed_credit_two[m].val();
            self.multicast_unit[m].mixed_spare.next = self.mixed_spare[m].val();
            self.multicast_unit[m].mixed_grant.next = self.mixed_grant[m].val();
            self.multicast_unit[m].passed_over.next = self.passed_over[m].val();
        }
        for i in 0..self.leave_mixed.len() {
            self.leave_mixed[i].next = 0.into();
            for v in 0..self.vcs.val() {
                self.leave_mixed[i].next = self.leave_mixed[i]
                    .val()
                    .replace_bit(v, self.leave[v * self.next_vcs.val() + self.mixed.val()].val().get_bit(i));
            }
            self.input_unit[i].leave_mixed[0].next = self.leave_mixed[i].val();
        }

        // Barriers: their settings, the messages at the pins, and whom a message keeps from an output.
        for b in 0..self.barrier_unit.len() {
            self.barrier_unit[b].clock.next = self.clock.val();
            self.barrier_unit[b].reset.next = self.reset.val();
            self.barrier_unit[b].retransmit_limit.next = self.registers[b].barrier_retransmit_limit[b].val();
            self.barrier_unit[b].urge_limit.next = self.registers[b].barrier_urge_limit[b].val();
            self.barrier_unit[b].scale.next = self.registers[b].barrier_scale[b].val();
            self.barrier_unit[b].clear_group.next = self.registers[b].barrier_clear_group[b].val();
            self.barrier_unit[b].clear_ports.next = self.registers[b].barrier_clear_ports[b].val();
            self.barrier_unit[b].enable.next = self.registers[b].barrier_enable[b].val();
            self.barrier_unit[b].root.next = self.registers[b].barrier_root[b].val();
            self.barrier_unit[b].restart.next = self.registers[b].barrier_restart[b].val();
            self.registers[b].barrier_corrupt[b].next = self.barrier_unit[b].corrupt.val();
            self.registers[b].barrier_no_group[b].next = self.barrier_unit[b].no_group.val();
            for g in 0..self.barrier_groups.val() {
                self.barrier_unit[b].leaves[g].next = self.registers[b].barrier_leaves[g].val();
                self.barrier_unit[b].parent[g].next = self.registers[b].barrier_parent[g].val();
                self.registers[b].barrier_status[g].next = self.barrier_unit[b].status[g].val();
                self.registers[b].barrier_arrived[g].next = self.barrier_unit[b].arrived[g].val();
                self.registers[b].barrier_counts[g].next = self.barrier_unit[b].counts[g].val();
            }
            for p in 0..self.ports.val() {
                self.barrier_unit[b].rx_valid[p].next = self.rx_valid[p].val();
                self.barrier_unit[b].rx_vc[p].next = self.rx_vc[p].val();
                self.barrier_unit[b].rx_head[p].next = self.rx_head[p].val();
                self.barrier_unit[b].rx_tail[p].next = self.rx_tail[p].val();
                self.barrier_unit[b].rx_message[p].next = self.rx_flit[p].val() >> self.message.val();
                self.output_unit[p].message_valid[b].next = self.barrier_unit[b].message_valid.val().get_bit(p);
                self.output_unit[p].message[b].next = self.barrier_unit[b].message[p].val();
                for v in 0..self.vcs.val() {
                    self.barrier_unit[b].owner[p * self.vcs.val() + v].next = self.allocator[p].owner[v].val();
                }
                self.input_unit[p].message_next[b].next = self.barrier_unit[b].message_next.val();
                self.input_unit[p].stays_held[b].next = self.barrier_unit[b].stays_held[p].val();
            }
        }

        // Allocation: requests by output, grants by input.
        for o in 0..self.ports.val() {
            self.allocator[o].clock.next = self.clock.val();
            self.allocator[o].reset.next = self.reset.val();
            self.allocator[o].room.next = self.output_unit[o].room.val();
            self.allocator[o].room_sending.next = self.output_unit[o].room_sending.val();
            for v in 0..self.vcs.val() {
                self.request[o * self.vcs.val() + v].next = 0.into();
                for i in 0..self.ports.val() {
                    self.request[o * self.vcs.val() + v].next = self.request[o * self.vcs.val() + v]
                        .val()
                        .replace_bit(i, self.input_unit[i].request[v].val().get_bit(o));
                }
                self.allocator[o].request[v].next = self.request[o * self.vcs.val() + v].val();
                self.allocator[o].ready[v].next = self.ready[v].val();
                self.allocator[o].ending[v].next = self.ending[v].val();
                self.crossbar.owner[o * self.vcs.val() + v].next = self.allocator[o].owner[v].val();
            }
            for w in 0..self.leave.len() {
                self.allocator[o].leave[w].next = self.leave[w].val();
            }
        }
        for v in 0..self.vcs.val() {
            self.granted[v].next = 0.into();
            for o in 0..self.ports.val() {
                self.granted[v].next = self.granted[v].val() | self.allocator[o].grant[v].val();
            }
        }
        for i in 0..self.ports.val() {
            self.granted_to[i].next = 0.into();
            for v in 0..self.vcs.val() {
                self.granted_to[i].next = self.granted_to[i].val().replace_bit(v, self.granted[v].val().get_bit(i));
            }
        }
        for v in 0..self.chosen.len() {
            self.chosen[v].next = 0.into();
            for o in 0..self.ports.val() {
                self.chosen[v].next = self.chosen[v].val() | self.allocator[o].chosen[v].val();
            }
        }
        for i in 0..self.chosen_to.len() {
            self.chosen_to[i].next = 0.into();
            for v in 0..self.vcs.val() {
                self.chosen_to[i].next = self.chosen_to[i].val().replace_bit(v, self.chosen[v].val().get_bit(i));
            }
            self.input_unit[i].chosen[0].next = self.chosen_to[i].val();
        }

        // Traversal, and the pins of the output units.
        for o in 0..self.gated.val() {
            for v in 0..self.vcs.val() {
                self.crossbar.sent[o * self.vcs.val() + v].next = self.allocator[o].sent.val().get_bit(v);
            }
        }
        for o in 0..self.gated_by_plane.val() {
            for v in 0..self.vcs.val() {
                self.crossbar.sent[o * self.vcs.val() + v].next = self.allocator[o].plane_sent[0].val().get_bit(v);
            }
        }
        for o in 0..self.ports.val() {
            self.output_unit[o].clock.next = self.clock.val();
            self.output_unit[o].reset.next = self.reset.val();
            self.output_unit[o].error_clear.next = self.error_clear.val();
            self.output_unit[o].sent.next = self.allocator[o].sent.val();
            self.output_unit[o].beat.next = self.crossbar.out[o].val();
            for v in 0..self.vcs.val() {
                self.output_unit[o].tx_credit_valid[v].next = self.tx_credit_valid[o * self.vcs.val() + v].val();
                self.output_unit[o].tx_credit[v].next = self.tx_credit[o * self.vcs.val() + v].val();
            }
            self.tx_valid[o].next = self.output_unit[o].tx_valid.val();
            self.tx_vc[o].next = self.output_unit[o].tx_vc.val();
            self.tx_head[o].next = self.output_unit[o].tx_head.val();
            self.tx_tail[o].next = self.output_unit[o].tx_tail.val();
            self.tx_flit[o].next = self.output_unit[o].tx_flit.val();
            self.error_credit[o].next = self.output_unit[o].error_credit.val();
        }

        // Counters: which input VCs ask for an output, and which of them for one that has room.
        for v in 0..self.with_room.len() {
            self.with_room[v].next = 0.into();
            for o in 0..self.ports.val() {
                self.with_room[v].next = self.with_room[v].val() | self.allocator[o].with_room[v].val();
            }
        }
        for i in 0..self.port_counters.len() {
            self.with_room_to[i].next = 0.into();
            self.asking_to[i].next = 0.into();
            for v in 0..self.vcs.val() {
                self.with_room_to[i].next =
                    self.with_room_to[i].val().replace_bit(v, self.with_room[v].val().get_bit(i));
                self.asking_to[i].next =
                    self.asking_to[i].val().replace_bit(v, self.input_unit[i].request[v].val().any());
            }
            self.port_counters[i].clock.next = self.clock.val();
            self.port_counters[i].reset.next = self.reset.val();
            self.port_counters[i].arrive.next = self.input_unit[i].arrive.val();
            self.port_counters[i].arrive_vc.next = self.input_unit[i].arrive_vc.val();
            self.port_counters[i].stored.next = self.input_unit[i].stored[0].val();
            self.port_counters[i].tx_valid.next = self.output_unit[i].tx_valid.val();
            self.port_counters[i].tx_vc.next = self.output_unit[i].tx_vc.val();
            self.port_counters[i].tx_tail.next = self.output_unit[i].tx_tail.val();
            self.port_counters[i].dropped.next = self.input_unit[i].drop_valid.val();
            self.port_counters[i].asking.next = self.asking_to[i].val();
            self.port_counters[i].with_room.next = self.with_room_to[i].val();
            self.port_counters[i].granted.next = self.granted_to[i].val();
            self.port_counters[i].snapshot.next = self.registers[0].snapshot[0].val();
            self.port_counters[i].clear.next = self.registers[0].clear[0].val();
            self.port_counters[i].vc_kind.next = self.registers[0].vc_kind[0].val();
            self.port_counters[i].vc_select.next =
                unsigned_cast(self.registers[0].vc_select[0].val() >> (i * self.vcs.val()));
            self.registers[0].count[i].next = self.port_counters[i].value.val();
            for c in 0..self.counted_lookups.val() {
                self.port_counters[i].lookup_kind[c].next = self.registers[0].lookup_kind[c].val();
                self.port_counters[i].outstanding_kind[c].next = self.registers[0].outstanding_kind[c].val();
                self.port_counters[i].port_select[c].next = self.registers[0].port_select[c].val().get_bit(i);
            }
            for c in 0..self.counted_multicasts.val() {
                self.port_counters[i].multicast_kind[c].next = self.registers[0].multicast_kind[c].val();
                self.port_counters[i].port_select[c].next = self.registers[0].port_select[c].val().get_bit(i);
                self.port_counters[i].multicast_start[c].next = self.multicast_unit[c].start.val().get_bit(i);
                self.port_counters[i].multicast_stalled[c].next = self.multicast_unit[c].stalled[0].val().get_bit(i);
            }
            for c in 0..self.counted_fills.val() {
                self.port_counters[i].fill_kind[c].next = self.registers[0].fill_kind[c].val();
            }
        }
        for i in 0..self.route_unit.len() {
            for c in 0..self.counted_lookups.val() {
                self.port_counters[i].pending[c].next = self.route_unit[i].pending_now[c].val();
                self.port_counters[i].hit[c].next = self.route_unit[i].hit_now[c].val();
                self.port_counters[i].miss[c].next = self.route_unit[i].miss_now[c].val();
                self.port_counters[i].merged[c].next = self.route_unit[i].merged_now[c].val();
                self.port_counters[i].fill[c].next = self.route_unit[i].fill_now[c].val();
                self.port_counters[i].evict[c].next = self.route_unit[i].evict_now[c].val();
                self.port_counters[i].was_miss[c].next = self.route_unit[i].lookup_miss.val();
                self.port_counters[i].freed[c].next = self.route_unit[i].freed_now[c].val();
            }
        }
        for i in 0..self.uncached_route_unit.len() {
            for c in 0..self.counted_lookups.val() {
                self.port_counters[i].pending[c].next = self.uncached_route_unit[i].pending_now[c].val();
                self.port_counters[i].hit[c].next = self.uncached_route_unit[i].hit_now[c].val();
                self.port_counters[i].miss[c].next = self.uncached_route_unit[i].miss_now[c].val();
                self.port_counters[i].merged[c].next = self.uncached_route_unit[i].merged_now[c].val();
                self.port_counters[i].was_miss[c].next = self.uncached_route_unit[i].lookup_miss.val();
                self.port_counters[i].freed[c].next = self.uncached_route_unit[i].freed_now[c].val();
            }
        }
        for c in 0..self.switch_counters.len() {
            self.switch_counters[c].clock.next = self.clock.val();
            self.switch_counters[c].reset.next = self.reset.val();
            self.switch_counters[c].snapshot.next = self.registers[c].snapshot[c].val();
            self.switch_counters[c].clear.next = self.registers[c].clear[c].val();
            self.registers[c].count[self.ports.val()].next = self.switch_counters[c].value.val();
            for t in 0..self.counted_tables.val() {
                self.switch_counters[c].table_hit[t].next = self.table_port[t].known[t].val();
                self.switch_counters[c].table_miss[t].next = self.table_port[t].unknown[t].val();
                self.switch_counters[c].table_kind[t].next = self.registers[c].table_kind[t].val();
            }
            for e in 0..self.cam_request_valid.len() {
                self.switch_counters[c].cam_valid[e].next = self.cam_request_valid[e].val();
                self.switch_counters[c].cam_ready[e].next = self.cam_request_ready[e].val();
                self.switch_counters[c].cam_kind[e].next = self.registers[c].cam_kind[e].val();
            }
        }
    }
}

#[cfg(test)]
mod tests;
