//! APB registers: the run-time settings of a switch behind its APB port.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `psel` .. `pslverr` | | pins `apb_*` |
//! | `coordinate`, `bound`, `wrap` | A, A, chunks | node reduction: fields of these names |
//! | `topology_select` | functions | node reduction function at work, one-hot in the order of the configuration; 0: none |
//! | `chunk_select` | chunk widths | chunk width at work, one-hot (only where there are several) |
//! | `level_select`, `above_level` | chunks | fat tree: level of this switch, one-hot; chunks above it |
//! | `dateline` | 1 | field of this name (only where it is built in) |
//! | `port_map` | 2^key bits x (port bits + 1) | entries of the port map: {valid, port}; with `next_vc` or link aggregation {valid, [`route`](super::route)} |
//! | `method`, `links`, `group_link` | 2, G x link bits, G x L x port bits | link aggregation: fields of `link_selection`, `group`, `group_link` |
//! | `enable` | 1 | field `cache.enable` |
//! | `flush` | 1 | a flush is in this cycle |
//! | `sweeping` | 1 | field `cache_status.sweeping`: the caches sweep in this cycle |
//!
//! What the switch has no use for is not there: node reduction's settings, the map (algorithmic routing), the cache's, the links.
//!
//! State: the fields of the registers of `railyard_spec::registers`, the decoded settings beside them (so that the ports need no
//! decoders), what was set up (answer, and write to do), and `flush`.
//!
//! Each cycle: a setup is checked and answered in the next cycle; if it is a legal write, and the next cycle is its access,
//! the field is written. An access that writes 1 to `flush.start`, or a setting of node reduction in front of the caches, makes
//! `flush` 1 in the cycle behind it, in which the new value is seen. Addresses, places of fields, reset values and legal
//! values come from the description.
//!
//! Source: switch reference, section 9; `spec/src/registers.rs`.

use crate::rtl::prelude::*;
use crate::units::chunk_option::{chunk_option, ChunkOption};
use crate::units::route::route_layout;
use railyard_spec::registers::{address, registers, topology_code, Access, Legal, Register, APB_ADDRESS_BITS};
use railyard_spec::{Shape, Topology};

const ID: usize = address::ID as usize;
const SHAPE: usize = address::SHAPE as usize;
const REDUCTION: usize = address::REDUCTION as usize;
const COORDINATE_LOW: usize = address::COORDINATE_LOW as usize;
const COORDINATE_HIGH: usize = address::COORDINATE_HIGH as usize;
const BOUND_LOW: usize = address::BOUND_LOW as usize;
const BOUND_HIGH: usize = address::BOUND_HIGH as usize;
const WRAP: usize = address::WRAP as usize;
const CACHE: usize = address::CACHE as usize;
const FLUSH: usize = address::FLUSH as usize;
const CACHE_STATUS: usize = address::CACHE_STATUS as usize;
const MAP: usize = address::MAP as usize;
const LINK_SELECTION: usize = address::LINK_SELECTION as usize;
const GROUP: usize = address::GROUP as usize;
const GROUP_LINK: usize = address::GROUP_LINK as usize;

const CUBE: usize = 1;
const FAT_TREE: usize = 2;
const DRAGONFLY: usize = 3;

/// Bits of a register.
const WORD: usize = 32;

/// Registers and their APB port; see the head of this file.
#[derive(LogicBlock)]
pub struct ApbRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub psel: Flag<In>,
    pub penable: Flag<In>,
    pub pwrite: Flag<In>,
    pub paddr: Sig<In>,
    pub pwdata: Sig<In>,
    pub pready: Flag<Out>,
    pub prdata: Sig<Out>,
    pub pslverr: Flag<Out>,
    pub coordinate: Vec<Sig<Out>>,
    pub bound: Vec<Sig<Out>>,
    pub topology_select: Vec<Sig<Out>>,
    pub chunk_select: Vec<Sig<Out>>,
    pub wrap: Vec<Sig<Out>>,
    pub level_select: Vec<Sig<Out>>,
    pub above_level: Vec<Sig<Out>>,
    pub dateline: Vec<Flag<Out>>,
    pub port_map: Vec<Sig<Out>>,
    pub method: Vec<Sig<Out>>,
    pub links: Vec<Sig<Out>>,
    pub group_link: Vec<Sig<Out>>,
    pub enable: Vec<Flag<Out>>,
    pub flush: Vec<Flag<Out>>,
    pub sweeping: Vec<Flag<In>>,

    answer_data: Reg,
    answer_error: FlagReg,
    write: FlagReg,
    write_map: Vec<FlagReg>,
    write_flush: Vec<FlagReg>,
    write_address: Reg,
    write_data: Reg,
    write_chunk_select: Vec<Reg>,
    write_dateline: Vec<FlagReg>,
    write_next_vc: Vec<Reg>,
    write_vc_set: Vec<FlagReg>,
    write_map_group: Vec<Reg>,
    write_group_set: Vec<FlagReg>,
    topology: Vec<Reg>,
    chunk_bits: Vec<Reg>,
    level: Vec<Reg>,
    coordinate_value: Vec<Reg>,
    bound_value: Vec<Reg>,
    wrap_value: Vec<Reg>,
    dateline_value: Vec<FlagReg>,
    map_entry: Vec<Regs>,
    method_value: Vec<Reg>,
    links_value: Vec<Regs>,
    link_value: Vec<Regs>,
    topology_decoded: Vec<Reg>,
    chunk_decoded: Vec<Reg>,
    level_decoded: Vec<Reg>,
    above_decoded: Vec<Reg>,
    cache_enable: Vec<FlagReg>,
    flushing: Vec<FlagReg>,

    option: Vec<ChunkOption>,

    setup: Flag<Local>,
    known: Flag<Local>,
    read_only: Flag<Local>,
    value_fits: Flag<Local>,
    legal: Flag<Local>,
    value: Sig<Local>,
    flushes: Vec<Flag<Local>>,
    in_selection: Vec<Flag<Local>>,
    group_offset: Vec<Sig<Local>>,
    in_group: Vec<Flag<Local>>,
    group_index: Vec<Sig<Local>>,
    link_offset: Vec<Sig<Local>>,
    in_link: Vec<Flag<Local>>,
    link_index: Vec<Sig<Local>>,
    map_offset: Vec<Sig<Local>>,
    in_map: Vec<Flag<Local>>,
    map_index: Vec<Sig<Local>>,
    map_read: Vec<Sig<Local>>,
    chunk_chosen: Vec<Sig<Local>>,
    chunk_fits: Vec<Sig<Local>>,
    asked_topology: Vec<Sig<Local>>,
    new_topology: Vec<Sig<Local>>,
    new_topology_select: Vec<Sig<Local>>,
    new_level: Vec<Sig<Local>>,
    new_level_select: Vec<Sig<Local>>,
    new_above_level: Vec<Sig<Local>>,
    new_entry: Vec<Sig<Local>>,

    id_word: Konst,
    shape_word: Konst,
    reduction_mask: Konst,
    low_mask: Konst,
    high_mask: Konst,
    wrap_mask: Konst,
    cache_mask: Konst,
    flush_mask: Konst,
    entry_mask: Konst,
    map_mask: Konst,
    selection_mask: Konst,
    group_mask: Konst,
    link_mask: Konst,
    groups_mask: Konst,
    group_links_mask: Konst,
    topologies: Konst,
    methods: Konst,
    topology_field: Field,
    chunk_bits_field: Field,
    level_field: Field,
    port_field: Field,
    index_field: Field,
    low_field: Field,
    high_field: Field,
    wrap_field: Field,
    entry_port: Field,
    entry_vc: Field,
    entry_vc_set: Param,
    vc_field: Field,
    vc_whole_field: Field,
    vc_set_bit: Param,
    dateline_bit: Param,
    entry_group: Field,
    entry_group_set: Param,
    map_group_field: Field,
    map_group_whole_field: Field,
    group_set_bit: Param,
    method_field: Field,
    links_field: Field,
    links_whole_field: Field,
    link_field: Field,
    link_whole_field: Field,
    group_index_field: Field,
    link_index_field: Field,
    selection_address: Param,
    group_base: Param,
    link_base: Param,
    groups: Param,
    all_links: Param,
    links_limit: Param,
    group_checks: Param,
    map_base: Param,
    valid_bit: Param,
    enable_bit: Param,
    start_bit: Param,
    sweeping_bit: Param,
    entry_valid: Param,
    high: Param,
    ports: Param,
    vcs: Param,
    vc_checks: Param,
    entries: Param,
    chunks: Param,
    cube: Param,
    cube_place: Param,
    fat_tree: Param,
    fat_tree_place: Param,
    dragonfly: Param,
    dragonfly_place: Param,
    about: About,
}

/// The description of a register, if the switch has it.
fn find<'a>(description: &'a [Register], name: &str) -> Option<&'a Register> {
    description.iter().find(|register| register.name == name)
}

/// Bits of its fields.
fn mask(register: Option<&Register>) -> u32 {
    mask_of(register, |_| true)
}

/// Bits of those of its fields whose names are wanted.
fn mask_of(register: Option<&Register>, wanted: impl Fn(&str) -> bool) -> u32 {
    let field_mask = |low: u32, bits: u32| (u32::MAX >> (32 - bits)) << low;
    let fields = register.into_iter().flat_map(|r| &r.fields).filter(|f| wanted(f.name));
    fields.fold(0, |sum, f| sum | field_mask(f.low, f.bits))
}

/// Fields of `next_vc` and of link aggregation: what is to be written into them has registers of its own, as most of the bits between
/// are none's.
const APART: [&str; 5] = ["dateline", "vc", "vc_set", "group", "group_set"];

/// Registers of link aggregation: of their fields no more is kept than their values need.
const LINK_REGISTERS: [&str; 3] = ["link_selection", "group", "group_link"];

/// Value after reset.
fn reset_value(register: Option<&Register>) -> u32 {
    register.map_or(0, |r| r.fields.iter().fold(0, |sum, f| sum | f.reset << f.low))
}

/// A field's place, and its reset value; of a register that the switch doesn't have, bit 0.
fn place(register: Option<&Register>, name: &str) -> (usize, usize, u32) {
    let Some(register) = register else { return (0, 1, 0) };
    let found = register.fields.iter().find(|f| f.name == name);
    let found = found.unwrap_or_else(|| panic!("the description has no field `{name}`"));
    (found.low as usize, found.bits as usize, found.reset)
}

/// What the block knows how to do; a description that asks for more is an error here.
fn check(description: &[Register]) {
    for register in description {
        let built = match register.address {
            address::ID | address::SHAPE | address::CACHE_STATUS => Some(Access::ReadOnly),
            address::REDUCTION | address::WRAP | address::MAP | address::CACHE => Some(Access::ReadWrite),
            address::COORDINATE_LOW | address::COORDINATE_HIGH => Some(Access::ReadWrite),
            address::BOUND_LOW | address::BOUND_HIGH => Some(Access::ReadWrite),
            address::FLUSH => Some(Access::Command),
            address::LINK_SELECTION | address::GROUP | address::GROUP_LINK => Some(Access::ReadWrite),
            _ => None,
        };
        assert!(built == Some(register.access), "register `{}` of the description is not built", register.name);
    }
}

/// The registers of a switch of the given shape, which has some.
pub fn apb_registers(shape: &Shape) -> ApbRegisters {
    let description = registers(shape);
    check(&description);
    let register = |name| find(&description, name);
    let (reduction, map) = (register("reduction"), register("map"));
    let (cache, flush, status) = (register("cache"), register("flush"), register("cache_status"));
    let (reduced, mapped, cached) =
        (usize::from(reduction.is_some()), usize::from(map.is_some()), usize::from(cache.is_some()));
    let codes = [Topology::Cube, Topology::FatTree, Topology::Dragonfly].map(|t| topology_code(t) as usize);
    assert_eq!(codes, [CUBE, FAT_TREE, DRAGONFLY], "topologies are coded as the description says");
    let built = shape.reduction();
    let (address_bits, port_bits) = (shape.address_bits().unwrap_or(1) as usize, shape.port_bits as usize);
    let topologies = built.map_or(&[][..], |r| &r.topologies);
    let functions = topologies.len();
    let chunks = built.map_or(1, |r| r.max_chunks as usize);
    let widths: Vec<usize> = built.iter().flat_map(|r| &r.chunk_bits).map(|w| *w as usize).collect();
    let has = |topology| usize::from(topologies.contains(&topology));
    let order = |topology| topologies.iter().position(|t| *t == topology).unwrap_or(0);
    let (cube, fat_tree) = (has(Topology::Cube), has(Topology::FatTree));
    let entries = map.map_or(0, |r| r.count as usize);
    let key_bits = clog2(entries.max(2));
    let (topology_low, topology_bits, _) = place(reduction, "topology");
    let (chunk_low, chunk_bits, chunk_reset) = place(reduction, "chunk_bits");
    let (level_low, level_bits, _) = place(reduction, "level");
    let (port_low, map_port_bits, _) = place(map, "port");
    let (valid_low, _, _) = place(map, "valid");
    let (vc_mapped, dateline) = (usize::from(shape.next_vc) * mapped, usize::from(built.is_some_and(|r| r.dateline)));
    let layout = route_layout(shape);
    let (vc_bits, route_bits) = (shape.vc_bits as usize, layout.bits);
    let (selection, group, group_link) = (register("link_selection"), register("group"), register("group_link"));
    let linked = usize::from(selection.is_some());
    let (groups, most) = shape.link_aggregation.as_ref().map_or((0, 0), |l| (l.groups, l.links));
    let group_bits = shape.link_aggregation.as_ref().map_or(1, |l| l.group_bits as usize);
    let link_bits = clog2(most + 1).max(1);
    let all_links = groups * most;
    let (group_index_bits, link_index_bits) = (clog2(groups.max(2)), clog2(all_links.max(2)));
    let (method_low, method_bits, method_reset) = place(selection, "method");
    let (links_low, links_whole_bits, links_reset) = place(group, "links");
    let (link_low, link_whole_bits, link_reset) = place(group_link, "port");
    let methods = match selection.map(|r| &r.fields[0].legal) {
        Some(Legal::OneOf(list)) => list.iter().fold(0u32, |sum, method| sum | 1 << method),
        _ => 0,
    };
    let group_mapped = linked * mapped;
    let (map_group_low, map_group_whole_bits, _) =
        if group_mapped == 1 { place(map, "group") } else { (0, group_bits, 0) };
    let (group_set_bit, _, _) = if group_mapped == 1 { place(map, "group_set") } else { (0, 1, 0) };
    assert_eq!([method_low, links_low, link_low], [0; 3], "the fields of links lie at the low end");
    let (vc_low, vc_whole_bits, _) = if vc_mapped == 1 { place(map, "vc") } else { (0, vc_bits, 0) };
    let (vc_set_bit, _, _) = if vc_mapped == 1 { place(map, "vc_set") } else { (0, 1, 0) };
    let (dateline_bit, _, _) = if dateline == 1 { place(reduction, "dateline") } else { (0, 1, 0) };
    let entry_doc = |docs: [&'static str; 3]| match (linked == 1, shape.next_vc) {
        (true, _) => docs[2],
        (false, true) => docs[1],
        (false, false) => docs[0],
    };
    let (low, high) = (address_bits.min(WORD), address_bits.saturating_sub(WORD));
    let (enable_bit, _, enable_reset) = place(cache, "enable");
    let (start_bit, _, _) = place(flush, "start");
    let (sweeping_bit, _, _) = place(status, "sweeping");
    let written = description
        .iter()
        .filter(|r| r.access == Access::ReadWrite && !LINK_REGISTERS.contains(&r.name))
        .fold(0, |sum, r| sum | mask_of(Some(r), |name| !APART.contains(&name)));
    let written_bits =
        (WORD - written.leading_zeros() as usize).max(linked * method_bits.max(link_bits).max(port_bits));
    let codes = topologies.iter().fold(1u32, |sum, t| sum | 1 << topology_code(*t));
    let above = (num_bigint::BigUint::from(1u8) << chunks) - 2u8;
    let several = usize::from(widths.len() > 1);
    let first_option = widths.iter().position(|w| *w == chunk_reset as usize).map_or(0u32, |i| 1 << i);
    let option = |w: &usize| chunk_option(*w, address_bits.div_ceil(*w), chunk_bits, level_bits);
    let word = |value: u32| konst(WORD, value);
    ApbRegisters {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        psel: flag().doc("APB: a transfer to these registers"),
        penable: flag().doc("APB: its access phase"),
        pwrite: flag().doc("APB: it writes"),
        paddr: sig(APB_ADDRESS_BITS as usize).doc("APB: byte address"),
        pwdata: sig(WORD).doc("APB: data to write"),
        pready: flag().doc("APB: always 1"),
        prdata: sig(WORD).doc("APB: data read"),
        pslverr: flag().doc("APB: the access is illegal"),
        coordinate: many(reduced, || sig(address_bits).doc("place of this switch")),
        bound: many(cube, || sig(address_bits).doc("farthest coordinate in plus direction, by chunk")),
        topology_select: many(reduced, || sig(functions).doc("node reduction function at work; zero: none")),
        chunk_select: many(several, || sig(widths.len()).doc("chunk width at work")),
        wrap: many(cube, || sig(chunks).doc("dimensions whose plus way leads over the wrap-around link")),
        level_select: many(fat_tree, || sig(chunks).doc("level of this switch, one-hot")),
        above_level: many(fat_tree, || sig(chunks).doc("chunks above this level")),
        dateline: many(dateline, || flag().doc("ways over the wrap-around link have keys of their own")),
        port_map: many(entries, || {
            sig(route_bits + 1).doc(entry_doc([
                "port map: {valid, port} of each key",
                "port map: {valid, vc_set, vc, port} of each key",
                "port map: {valid, route} of each key",
            ]))
        }),
        method: many(linked, || sig(method_bits).doc("how links are selected: 0 CRC, 1 residue, 2 in turn")),
        links: many(groups, || sig(link_bits).doc("links in use of group g")),
        group_link: many(all_links, || sig(port_bits).doc("port of link j of group g, element g * L + j")),
        enable: many(cached, || flag().doc("the caches are enabled")),
        flush: many(cached, || flag().doc("a flush of the caches is in this cycle")),
        sweeping: many(cached, || flag().doc("the caches sweep in this cycle")),
        answer_data: reg(WORD, 0u32).doc("data read"),
        answer_error: flag_reg(false).doc("the access is illegal"),
        write: flag_reg(false).doc("a legal write is set up"),
        write_map: many(mapped, || flag_reg(false).doc("it is to the map")),
        write_flush: many(cached, || flag_reg(false).doc("it flushes the caches")),
        write_address: reg_no_reset(APB_ADDRESS_BITS as usize).doc("its address"),
        write_data: reg_no_reset(written_bits).doc("its data"),
        write_chunk_select: many(several, || reg_no_reset(widths.len()).doc("its chunk width, decoded")),
        write_dateline: many(dateline, || flag_reg_no_reset().doc("its dateline field")),
        write_next_vc: many(vc_mapped, || reg_no_reset(vc_bits).doc("its vc field")),
        write_vc_set: many(vc_mapped, || flag_reg_no_reset().doc("its vc_set field")),
        write_map_group: many(group_mapped, || reg_no_reset(group_bits).doc("its group field")),
        write_group_set: many(group_mapped, || flag_reg_no_reset().doc("its group_set field")),
        topology: many(reduced, || reg(topology_bits, 0u32).doc("field topology")),
        chunk_bits: many(reduced, || reg(chunk_bits, chunk_reset).doc("field chunk_bits")),
        level: many(reduced, || reg(level_bits, 0u32).doc("field level")),
        coordinate_value: many(reduced, || reg(address_bits, 0u32).doc("registers coordinate_high and coordinate_low")),
        bound_value: many(cube, || reg(address_bits, 0u32).doc("registers bound_high and bound_low")),
        wrap_value: many(cube, || reg(chunks, 0u32).doc("register wrap")),
        dateline_value: many(dateline, || flag_reg(false).doc("field dateline")),
        map_entry: many(mapped, || {
            regs(entries, route_bits + 1, 0u32).doc(entry_doc([
                "register map: {valid, port} of each key",
                "register map: {valid, vc_set, vc, port} of each key",
                "register map: {valid, route} of each key",
            ]))
        }),
        method_value: many(linked, || reg(method_bits, method_reset).doc("field method")),
        links_value: many(linked, || regs(groups, link_bits, links_reset).doc("field links of each group")),
        link_value: many(linked, || regs(all_links, port_bits, link_reset).doc("field port of each group_link")),
        topology_decoded: many(reduced, || reg(functions, 0u32).doc("field topology, decoded")),
        chunk_decoded: many(several, || reg(widths.len(), first_option).doc("field chunk_bits, decoded")),
        level_decoded: many(fat_tree, || reg(chunks, 1u32).doc("field level, decoded")),
        above_decoded: many(fat_tree, || reg(chunks, above.clone()).doc("field level, chunks above it")),
        cache_enable: many(cached, || flag_reg(enable_reset == 1).doc("field enable")),
        flushing: many(cached, || flag_reg(false).doc("a flush is in this cycle")),
        option: widths.iter().map(option).collect(),
        setup: flag().doc("setup phase of a transfer"),
        known: flag().doc("there is a register of this address"),
        read_only: flag().doc("it is read-only"),
        value_fits: flag().doc("the data are legal for it"),
        legal: flag().doc("the access is legal"),
        value: sig(WORD).doc("value of the register"),
        flushes: many(cached, || flag().doc("a write of the data is a flush")),
        in_selection: many(linked, || flag().doc("it is link_selection")),
        group_offset: many(linked, || sig(APB_ADDRESS_BITS as usize).doc("address within the groups")),
        in_group: many(linked, || flag().doc("it is within the groups, or a little beyond")),
        group_index: many(linked, || sig(group_index_bits).doc("number of this group")),
        link_offset: many(linked, || sig(APB_ADDRESS_BITS as usize).doc("address within the links")),
        in_link: many(linked, || flag().doc("it is within the links, or a little beyond")),
        link_index: many(linked, || sig(link_index_bits).doc("number of this link")),
        map_offset: many(mapped, || sig(APB_ADDRESS_BITS as usize).doc("address within the map")),
        in_map: many(mapped, || flag().doc("it is an entry of the map")),
        map_index: many(mapped, || sig(key_bits).doc("number of this entry")),
        map_read: many(mapped, || {
            sig(route_bits + 1).doc(entry_doc([
                "this entry: {valid, port}",
                "this entry: {valid, vc_set, vc, port}",
                "this entry: {valid, route}",
            ]))
        }),
        chunk_chosen: many(several, || sig(widths.len()).doc("chunk width in the data, one-hot")),
        chunk_fits: many(reduced, || sig(widths.len()).doc("the same, if the level in the data goes with it")),
        asked_topology: many(reduced, || sig(topology_bits).doc("topology in the data")),
        new_topology_select: many(reduced, || sig(functions).doc("the same, decoded")),
        new_level_select: many(fat_tree, || sig(chunks).doc("level to write, decoded")),
        new_above_level: many(fat_tree, || sig(chunks).doc("chunks above it")),
        new_topology: many(reduced, || sig(topology_bits).doc("topology to write")),
        new_level: many(reduced, || sig(level_bits).doc("level to write")),
        new_entry: many(mapped, || {
            sig(route_bits + 1).doc(entry_doc([
                "entry to write: {valid, port}",
                "entry to write: {valid, vc_set, vc, port}",
                "entry to write: {valid, route}",
            ]))
        }),
        id_word: word(reset_value(register("id"))),
        shape_word: word(reset_value(register("shape"))),
        reduction_mask: word(mask(reduction)),
        low_mask: word(mask(register("coordinate_low"))),
        high_mask: word(mask(register("coordinate_high"))),
        wrap_mask: word(mask(register("wrap"))),
        cache_mask: word(mask(cache)),
        flush_mask: word(mask(flush)),
        entry_mask: word(mask(map)),
        map_mask: konst(APB_ADDRESS_BITS as usize, 4 * (entries.max(1) as u32 - 1)),
        selection_mask: word(mask(selection)),
        group_mask: word(mask(group)),
        link_mask: word(mask(group_link)),
        groups_mask: konst(APB_ADDRESS_BITS as usize, 4 * ((1u32 << group_index_bits) - 1)),
        group_links_mask: konst(APB_ADDRESS_BITS as usize, 4 * ((1u32 << link_index_bits) - 1)),
        methods: konst(1 << method_bits, methods),
        topologies: konst(1 << topology_bits, codes),
        topology_field: field(topology_low, topology_bits),
        chunk_bits_field: field(chunk_low, chunk_bits),
        level_field: field(level_low, level_bits),
        port_field: field(port_low, map_port_bits),
        index_field: field(2, key_bits),
        low_field: field(0, low),
        high_field: field(if high > 0 { WORD } else { 0 }, high.max(1)),
        wrap_field: field(0, chunks),
        entry_port: field(0, port_bits),
        entry_vc: field(port_bits, vc_bits),
        entry_vc_set: param(port_bits + vc_bits),
        vc_field: field(vc_low, vc_bits),
        vc_whole_field: field(vc_low, vc_whole_bits),
        vc_set_bit: param(vc_set_bit),
        dateline_bit: param(dateline_bit),
        entry_group: field(layout.group, group_bits),
        entry_group_set: param(layout.group_set),
        map_group_field: field(map_group_low, group_bits),
        map_group_whole_field: field(map_group_low, map_group_whole_bits),
        group_set_bit: param(group_set_bit),
        method_field: field(method_low, method_bits),
        links_field: field(links_low, link_bits),
        links_whole_field: field(links_low, links_whole_bits),
        link_field: field(link_low, port_bits),
        link_whole_field: field(link_low, link_whole_bits),
        group_index_field: field(2, group_index_bits),
        link_index_field: field(2, link_index_bits),
        selection_address: param(LINK_SELECTION),
        group_base: param(GROUP),
        link_base: param(GROUP_LINK),
        groups: param(groups),
        all_links: param(all_links),
        links_limit: param(most + 1),
        group_checks: param(usize::from(group_mapped == 1 && groups < 1 << map_group_whole_bits)),
        map_base: param(MAP),
        valid_bit: param(valid_low),
        enable_bit: param(enable_bit),
        start_bit: param(start_bit),
        sweeping_bit: param(sweeping_bit),
        entry_valid: param(route_bits),
        high: param(usize::from(high > 0)),
        ports: param(shape.ports),
        vcs: param(shape.vcs),
        vc_checks: param(usize::from(vc_mapped == 1 && shape.vcs < 1 << vc_whole_bits)),
        entries: param(entries),
        chunks: param(chunks),
        cube: param(cube),
        cube_place: param(order(Topology::Cube)),
        fat_tree: param(fat_tree),
        fat_tree_place: param(order(Topology::FatTree)),
        dragonfly: param(has(Topology::Dragonfly)),
        dragonfly_place: param(order(Topology::Dragonfly)),
        about: about("apb_registers", "Run-time settings of a switch behind its APB port.")
            .param("address_bits", address_bits)
            .param("chunks", chunks)
            .param("map_entries", entries)
            .param("ports", shape.ports)
            .constant("CUBE", CUBE)
            .constant("FAT_TREE", FAT_TREE)
            .constant("DRAGONFLY", DRAGONFLY)
            .constant("ID", ID)
            .constant("SHAPE", SHAPE)
            .constant("REDUCTION", REDUCTION)
            .constant("COORDINATE_LOW", COORDINATE_LOW)
            .constant("COORDINATE_HIGH", COORDINATE_HIGH)
            .constant("BOUND_LOW", BOUND_LOW)
            .constant("BOUND_HIGH", BOUND_HIGH)
            .constant("WRAP", WRAP)
            .constant("CACHE", CACHE)
            .constant("FLUSH", FLUSH)
            .constant("CACHE_STATUS", CACHE_STATUS),
    }
}

impl Logic for ApbRegisters {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, answer_data, answer_error, write, write_address, write_data);
        for c in 0..self.topology.len() {
            self.topology[c].clock.next = self.clock.val();
            self.topology[c].reset.next = self.reset.val();
            self.topology[c].d.next = self.topology[c].q.val();
            self.topology_decoded[c].clock.next = self.clock.val();
            self.topology_decoded[c].reset.next = self.reset.val();
            self.topology_decoded[c].d.next = self.topology_decoded[c].q.val();
            self.chunk_bits[c].clock.next = self.clock.val();
            self.chunk_bits[c].reset.next = self.reset.val();
            self.chunk_bits[c].d.next = self.chunk_bits[c].q.val();
            self.level[c].clock.next = self.clock.val();
            self.level[c].reset.next = self.reset.val();
            self.level[c].d.next = self.level[c].q.val();
            self.coordinate_value[c].clock.next = self.clock.val();
            self.coordinate_value[c].reset.next = self.reset.val();
            self.coordinate_value[c].d.next = self.coordinate_value[c].q.val();
        }
        for c in 0..self.bound_value.len() {
            self.bound_value[c].clock.next = self.clock.val();
            self.bound_value[c].reset.next = self.reset.val();
            self.bound_value[c].d.next = self.bound_value[c].q.val();
            self.wrap_value[c].clock.next = self.clock.val();
            self.wrap_value[c].reset.next = self.reset.val();
            self.wrap_value[c].d.next = self.wrap_value[c].q.val();
        }
        for c in 0..self.dateline_value.len() {
            self.dateline_value[c].clock.next = self.clock.val();
            self.dateline_value[c].reset.next = self.reset.val();
            self.dateline_value[c].d.next = self.dateline_value[c].q.val();
            self.write_dateline[c].clock.next = self.clock.val();
            self.write_dateline[c].d.next = self.pwdata.val().get_bit(self.dateline_bit.val());
        }
        for c in 0..self.write_next_vc.len() {
            self.write_next_vc[c].clock.next = self.clock.val();
            self.write_next_vc[c].d.next = self.pwdata.val() >> self.vc_field.val();
            self.write_vc_set[c].clock.next = self.clock.val();
            self.write_vc_set[c].d.next = self.pwdata.val().get_bit(self.vc_set_bit.val());
        }
        for c in 0..self.level_decoded.len() {
            self.level_decoded[c].clock.next = self.clock.val();
            self.level_decoded[c].reset.next = self.reset.val();
            self.level_decoded[c].d.next = self.level_decoded[c].q.val();
            self.above_decoded[c].clock.next = self.clock.val();
            self.above_decoded[c].reset.next = self.reset.val();
            self.above_decoded[c].d.next = self.above_decoded[c].q.val();
        }
        for m in 0..self.map_entry.len() {
            self.map_entry[m].clock.next = self.clock.val();
            self.map_entry[m].reset.next = self.reset.val();
            for e in 0..self.entries.val() {
                self.map_entry[m].d[e].next = self.map_entry[m].q[e].val();
            }
        }
        for c in 0..self.method_value.len() {
            self.method_value[c].clock.next = self.clock.val();
            self.method_value[c].reset.next = self.reset.val();
            self.method_value[c].d.next = self.method_value[c].q.val();
            self.links_value[c].clock.next = self.clock.val();
            self.links_value[c].reset.next = self.reset.val();
            for g in 0..self.groups.val() {
                self.links_value[c].d[g].next = self.links_value[c].q[g].val();
            }
            self.link_value[c].clock.next = self.clock.val();
            self.link_value[c].reset.next = self.reset.val();
            for l in 0..self.all_links.val() {
                self.link_value[c].d[l].next = self.link_value[c].q[l].val();
            }
        }
        for c in 0..self.write_map_group.len() {
            self.write_map_group[c].clock.next = self.clock.val();
            self.write_map_group[c].d.next = self.pwdata.val() >> self.map_group_field.val();
            self.write_group_set[c].clock.next = self.clock.val();
            self.write_group_set[c].d.next = self.pwdata.val().get_bit(self.group_set_bit.val());
        }
        for c in 0..self.cache_enable.len() {
            self.cache_enable[c].clock.next = self.clock.val();
            self.cache_enable[c].reset.next = self.reset.val();
            self.cache_enable[c].d.next = self.cache_enable[c].q.val();
        }

        // Setup: which register, its value, and whether the data would be legal for it.
        self.setup.next = self.psel.val() & !self.penable.val();
        for c in 0..self.chunk_chosen.len() {
            self.chunk_chosen[c].next = 0.into();
        }
        for c in 0..self.chunk_fits.len() {
            self.chunk_fits[c].next = 0.into();
        }
        for u in 0..self.option.len() {
            self.option[u].chunk_bits.next = self.pwdata.val() >> self.chunk_bits_field.val();
            self.option[u].level.next = self.pwdata.val() >> self.level_field.val();
            for c in 0..self.chunk_chosen.len() {
                self.chunk_chosen[c].next = self.chunk_chosen[c].val().replace_bit(u, self.option[u].chosen.val());
            }
            for c in 0..self.chunk_fits.len() {
                self.chunk_fits[c].next = self.chunk_fits[c].val().replace_bit(u, self.option[u].fits.val());
            }
        }
        for c in 0..self.chunk_decoded.len() {
            self.chunk_decoded[c].clock.next = self.clock.val();
            self.chunk_decoded[c].reset.next = self.reset.val();
            self.chunk_decoded[c].d.next = self.chunk_decoded[c].q.val();
            self.write_chunk_select[c].clock.next = self.clock.val();
            self.write_chunk_select[c].d.next = self.chunk_chosen[c].val();
        }
        for c in 0..self.asked_topology.len() {
            self.asked_topology[c].next = self.pwdata.val() >> self.topology_field.val();
        }
        for c in 0..self.flushes.len() {
            self.flushes[c].next = false;
        }
        self.known.next = false;
        self.read_only.next = false;
        self.value_fits.next = true;
        self.value.next = 0.into();
        match self.paddr.val().index() {
            ID => {
                self.known.next = true;
                self.read_only.next = true;
                self.value.next = self.id_word.val();
            }
            SHAPE => {
                self.known.next = true;
                self.read_only.next = true;
                self.value.next = self.shape_word.val();
            }
            REDUCTION => {
                for c in 0..self.topology.len() {
                    self.known.next = true;
                    self.value_fits.next = !(self.pwdata.val() & !self.reduction_mask.val()).any()
                        & self.topologies.val().get_bit(self.asked_topology[c].val())
                        & self.chunk_fits[c].val().any();
                    self.value.next = self.value.val().replace_bit(self.topology_field.val(), self.topology[c].q.val());
                    self.value.next =
                        self.value.val().replace_bit(self.chunk_bits_field.val(), self.chunk_bits[c].q.val());
                    self.value.next = self.value.val().replace_bit(self.level_field.val(), self.level[c].q.val());
                    for d in 0..self.dateline_value.len() {
                        self.value.next =
                            self.value.val().replace_bit(self.dateline_bit.val(), self.dateline_value[d].q.val());
                    }
                    for f in 0..self.flushes.len() {
                        self.flushes[f].next = true;
                    }
                }
            }
            COORDINATE_LOW => {
                for c in 0..self.coordinate_value.len() {
                    self.known.next = true;
                    self.value_fits.next = !(self.pwdata.val() & !self.low_mask.val()).any();
                    self.value.next = unsigned_cast(self.coordinate_value[c].q.val() >> self.low_field.val());
                    for f in 0..self.flushes.len() {
                        self.flushes[f].next = true;
                    }
                }
            }
            COORDINATE_HIGH => {
                for c in 0..self.coordinate_value.len() {
                    for h in 0..self.high.val() {
                        self.known.next = h == 0;
                        self.value_fits.next = !(self.pwdata.val() & !self.high_mask.val()).any();
                        self.value.next = unsigned_cast(self.coordinate_value[c].q.val() >> self.high_field.val());
                        for f in 0..self.flushes.len() {
                            self.flushes[f].next = true;
                        }
                    }
                }
            }
            BOUND_LOW => {
                for c in 0..self.bound_value.len() {
                    self.known.next = true;
                    self.value_fits.next = !(self.pwdata.val() & !self.low_mask.val()).any();
                    self.value.next = unsigned_cast(self.bound_value[c].q.val() >> self.low_field.val());
                    for f in 0..self.flushes.len() {
                        self.flushes[f].next = true;
                    }
                }
            }
            BOUND_HIGH => {
                for c in 0..self.bound_value.len() {
                    for h in 0..self.high.val() {
                        self.known.next = h == 0;
                        self.value_fits.next = !(self.pwdata.val() & !self.high_mask.val()).any();
                        self.value.next = unsigned_cast(self.bound_value[c].q.val() >> self.high_field.val());
                        for f in 0..self.flushes.len() {
                            self.flushes[f].next = true;
                        }
                    }
                }
            }
            WRAP => {
                for c in 0..self.wrap_value.len() {
                    self.known.next = true;
                    self.value_fits.next = !(self.pwdata.val() & !self.wrap_mask.val()).any();
                    self.value.next = unsigned_cast(self.wrap_value[c].q.val());
                    for f in 0..self.flushes.len() {
                        self.flushes[f].next = true;
                    }
                }
            }
            CACHE => {
                for c in 0..self.cache_enable.len() {
                    self.known.next = true;
                    self.value_fits.next = !(self.pwdata.val() & !self.cache_mask.val()).any();
                    self.value.next = self.value.val().replace_bit(self.enable_bit.val(), self.cache_enable[c].q.val());
                }
            }
            FLUSH => {
                for c in 0..self.flushes.len() {
                    self.known.next = true;
                    self.value_fits.next = !(self.pwdata.val() & !self.flush_mask.val()).any();
                    self.flushes[c].next = self.pwdata.val().get_bit(self.start_bit.val());
                }
            }
            CACHE_STATUS => {
                for c in 0..self.sweeping.len() {
                    self.known.next = true;
                    self.read_only.next = true;
                    self.value.next = self
                        .value
                        .val()
                        .replace_bit(self.sweeping_bit.val(), self.sweeping[c].val() | self.flushing[c].q.val());
                }
            }
            _ => {}
        }
        for c in 0..self.in_selection.len() {
            self.in_selection[c].next = self.paddr.val() == self.selection_address.val();
            if self.in_selection[c].val() {
                self.known.next = true;
                self.value_fits.next = !(self.pwdata.val() & !self.selection_mask.val()).any()
                    & self.methods.val().get_bit(self.pwdata.val() >> self.method_field.val());
                self.value.next = unsigned_cast(self.method_value[c].q.val());
            }
            self.group_offset[c].next = self.paddr.val() - self.group_base.val();
            self.in_group[c].next = !(self.group_offset[c].val() & !self.groups_mask.val()).any();
            self.group_index[c].next = self.group_offset[c].val() >> self.group_index_field.val();
            if self.in_group[c].val() {
                self.value_fits.next = !(self.pwdata.val() & !self.group_mask.val()).any()
                    & ((self.pwdata.val() >> self.links_whole_field.val()) < self.links_limit.val());
                for g in 0..self.groups.val() {
                    if self.group_index[c].val() == g {
                        self.known.next = true;
                        self.value.next = self.value.val() | unsigned_cast(self.links_value[c].q[g].val());
                    }
                }
            }
            self.link_offset[c].next = self.paddr.val() - self.link_base.val();
            self.in_link[c].next = !(self.link_offset[c].val() & !self.group_links_mask.val()).any();
            self.link_index[c].next = self.link_offset[c].val() >> self.link_index_field.val();
            if self.in_link[c].val() {
                self.value_fits.next = !(self.pwdata.val() & !self.link_mask.val()).any()
                    & ((self.pwdata.val() >> self.link_whole_field.val()) < self.ports.val());
                for l in 0..self.all_links.val() {
                    if self.link_index[c].val() == l {
                        self.known.next = true;
                        self.value.next = self.value.val() | unsigned_cast(self.link_value[c].q[l].val());
                    }
                }
            }
        }
        for m in 0..self.in_map.len() {
            self.map_offset[m].next = self.paddr.val() - self.map_base.val();
            self.in_map[m].next = !(self.map_offset[m].val() & !self.map_mask.val()).any();
            self.map_index[m].next = self.map_offset[m].val() >> self.index_field.val();
            self.map_read[m].next = self.map_entry[m].q[self.map_index[m].val()].val();
            if self.in_map[m].val() {
                self.known.next = true;
                self.value_fits.next = !(self.pwdata.val() & !self.entry_mask.val()).any()
                    & ((self.pwdata.val() >> self.port_field.val()) < self.ports.val());
                self.value.next = self
                    .value
                    .val()
                    .replace_bit(self.entry_port.val(), self.map_read[m].val() >> self.entry_port.val());
                self.value.next = self
                    .value
                    .val()
                    .replace_bit(self.valid_bit.val(), self.map_read[m].val().get_bit(self.entry_valid.val()));
                for _check in 0..self.vc_checks.val() {
                    if (self.pwdata.val() >> self.vc_whole_field.val()) >= self.vcs.val() {
                        self.value_fits.next = false;
                    }
                }
                for _vc in 0..self.write_next_vc.len() {
                    self.value.next = self
                        .value
                        .val()
                        .replace_bit(self.vc_field.val(), self.map_read[m].val() >> self.entry_vc.val());
                    self.value.next = self
                        .value
                        .val()
                        .replace_bit(self.vc_set_bit.val(), self.map_read[m].val().get_bit(self.entry_vc_set.val()));
                }
                for _check in 0..self.group_checks.val() {
                    if (self.pwdata.val() >> self.map_group_whole_field.val()) >= self.groups.val() {
                        self.value_fits.next = false;
                    }
                }
                for _group in 0..self.write_map_group.len() {
                    self.value.next = self
                        .value
                        .val()
                        .replace_bit(self.map_group_field.val(), self.map_read[m].val() >> self.entry_group.val());
                    self.value.next = self.value.val().replace_bit(
                        self.group_set_bit.val(),
                        self.map_read[m].val().get_bit(self.entry_group_set.val()),
                    );
                }
            }
        }
        self.legal.next = self.known.val() & (!self.pwrite.val() | (self.value_fits.val() & !self.read_only.val()));

        // Answer, and the write to do in the access phase.
        self.answer_error.d.next = self.setup.val() & !self.legal.val();
        self.answer_data.d.next = 0.into();
        if self.setup.val() & self.legal.val() & !self.pwrite.val() {
            self.answer_data.d.next = self.value.val();
        }
        self.pready.next = true;
        self.prdata.next = self.answer_data.q.val();
        self.pslverr.next = self.answer_error.q.val();
        self.write.d.next = self.setup.val() & self.legal.val() & self.pwrite.val();
        for m in 0..self.write_map.len() {
            self.write_map[m].clock.next = self.clock.val();
            self.write_map[m].reset.next = self.reset.val();
            self.write_map[m].d.next = self.setup.val() & self.legal.val() & self.pwrite.val() & self.in_map[m].val();
        }
        for c in 0..self.write_flush.len() {
            self.write_flush[c].clock.next = self.clock.val();
            self.write_flush[c].reset.next = self.reset.val();
            self.write_flush[c].d.next =
                self.setup.val() & self.legal.val() & self.pwrite.val() & self.flushes[c].val();
        }
        self.write_address.d.next = self.paddr.val();
        self.write_data.d.next = unsigned_cast(self.pwdata.val());

        // Access.
        for c in 0..self.new_topology.len() {
            self.new_level[c].next = self.write_data.q.val() >> self.level_field.val();
            self.new_topology[c].next = self.write_data.q.val() >> self.topology_field.val();
            self.new_topology_select[c].next = 0.into();
            for t in 0..self.cube.val() {
                self.new_topology_select[c].next = self.new_topology_select[c]
                    .val()
                    .replace_bit(t + self.cube_place.val(), self.new_topology[c].val() == CUBE);
            }
            for t in 0..self.fat_tree.val() {
                self.new_topology_select[c].next = self.new_topology_select[c]
                    .val()
                    .replace_bit(t + self.fat_tree_place.val(), self.new_topology[c].val() == FAT_TREE);
            }
            for t in 0..self.dragonfly.val() {
                self.new_topology_select[c].next = self.new_topology_select[c]
                    .val()
                    .replace_bit(t + self.dragonfly_place.val(), self.new_topology[c].val() == DRAGONFLY);
            }
        }
        for c in 0..self.new_level_select.len() {
            self.new_level_select[c].next = 0.into();
            self.new_above_level[c].next = 0.into();
            for j in 0..self.chunks.val() {
                if self.new_level[c].val() == j {
                    self.new_level_select[c].next = self.new_level_select[c].val().replace_bit(j, true);
                }
            }
            for j in 1..self.chunks.val() {
                if self.new_level[c].val() < j {
                    self.new_above_level[c].next = self.new_above_level[c].val().replace_bit(j, true);
                }
            }
        }
        for m in 0..self.new_entry.len() {
            self.new_entry[m].next = 0.into();
            self.new_entry[m].next = self.new_entry[m]
                .val()
                .replace_bit(self.entry_port.val(), self.write_data.q.val() >> self.entry_port.val());
            self.new_entry[m].next = self.new_entry[m]
                .val()
                .replace_bit(self.entry_valid.val(), self.write_data.q.val().get_bit(self.valid_bit.val()));
            for c in 0..self.write_next_vc.len() {
                self.new_entry[m].next =
                    self.new_entry[m].val().replace_bit(self.entry_vc.val(), self.write_next_vc[c].q.val());
                self.new_entry[m].next =
                    self.new_entry[m].val().replace_bit(self.entry_vc_set.val(), self.write_vc_set[c].q.val());
            }
            for c in 0..self.write_map_group.len() {
                self.new_entry[m].next =
                    self.new_entry[m].val().replace_bit(self.entry_group.val(), self.write_map_group[c].q.val());
                self.new_entry[m].next =
                    self.new_entry[m].val().replace_bit(self.entry_group_set.val(), self.write_group_set[c].q.val());
            }
        }
        if self.write.q.val() & self.psel.val() & self.penable.val() {
            match self.write_address.q.val().index() {
                REDUCTION => {
                    for c in 0..self.topology.len() {
                        self.topology[c].d.next = self.new_topology[c].val();
                        self.chunk_bits[c].d.next = self.write_data.q.val() >> self.chunk_bits_field.val();
                        self.level[c].d.next = self.new_level[c].val();
                        self.topology_decoded[c].d.next = self.new_topology_select[c].val();
                        for d in 0..self.dateline_value.len() {
                            self.dateline_value[d].d.next = self.write_dateline[d].q.val();
                        }
                    }
                    for c in 0..self.chunk_decoded.len() {
                        self.chunk_decoded[c].d.next = self.write_chunk_select[c].q.val();
                    }
                    for c in 0..self.level_decoded.len() {
                        self.level_decoded[c].d.next = self.new_level_select[c].val();
                        self.above_decoded[c].d.next = self.new_above_level[c].val();
                    }
                }
                COORDINATE_LOW => {
                    for c in 0..self.coordinate_value.len() {
                        self.coordinate_value[c].d.next = self.coordinate_value[c]
                            .q
                            .val()
                            .replace_bit(self.low_field.val(), self.write_data.q.val() >> self.low_field.val());
                    }
                }
                COORDINATE_HIGH => {
                    for c in 0..self.coordinate_value.len() {
                        for h in 0..self.high.val() {
                            self.coordinate_value[c].d.next = self.coordinate_value[c]
                                .q
                                .val()
                                .replace_bit(self.high_field.val(), unsigned_cast(self.write_data.q.val() >> h));
                        }
                    }
                }
                BOUND_LOW => {
                    for c in 0..self.bound_value.len() {
                        self.bound_value[c].d.next = self.bound_value[c]
                            .q
                            .val()
                            .replace_bit(self.low_field.val(), self.write_data.q.val() >> self.low_field.val());
                    }
                }
                BOUND_HIGH => {
                    for c in 0..self.bound_value.len() {
                        for h in 0..self.high.val() {
                            self.bound_value[c].d.next = self.bound_value[c]
                                .q
                                .val()
                                .replace_bit(self.high_field.val(), unsigned_cast(self.write_data.q.val() >> h));
                        }
                    }
                }
                WRAP => {
                    for c in 0..self.wrap_value.len() {
                        self.wrap_value[c].d.next = self.write_data.q.val() >> self.wrap_field.val();
                    }
                }
                CACHE => {
                    for c in 0..self.cache_enable.len() {
                        self.cache_enable[c].d.next = self.write_data.q.val().get_bit(self.enable_bit.val());
                    }
                }
                _ => {}
            }
            for c in 0..self.method_value.len() {
                if self.write_address.q.val() == self.selection_address.val() {
                    self.method_value[c].d.next = self.write_data.q.val() >> self.method_field.val();
                }
                for g in 0..self.groups.val() {
                    if self.write_address.q.val() == 4 * g + self.group_base.val() {
                        self.links_value[c].d[g].next = self.write_data.q.val() >> self.links_field.val();
                    }
                }
                for l in 0..self.all_links.val() {
                    if self.write_address.q.val() == 4 * l + self.link_base.val() {
                        self.link_value[c].d[l].next = self.write_data.q.val() >> self.link_field.val();
                    }
                }
            }
            for m in 0..self.map_entry.len() {
                for e in 0..self.entries.val() {
                    if self.write_map[m].q.val() & ((self.write_address.q.val() >> self.index_field.val()) == e) {
                        self.map_entry[m].d[e].next = self.new_entry[m].val();
                    }
                }
            }
        }
        for c in 0..self.flushing.len() {
            self.flushing[c].clock.next = self.clock.val();
            self.flushing[c].reset.next = self.reset.val();
            self.flushing[c].d.next = self.write_flush[c].q.val() & self.psel.val() & self.penable.val();
        }

        // Settings.
        for c in 0..self.coordinate.len() {
            self.coordinate[c].next = self.coordinate_value[c].q.val();
            self.topology_select[c].next = self.topology_decoded[c].q.val();
        }
        for c in 0..self.bound.len() {
            self.bound[c].next = self.bound_value[c].q.val();
            self.wrap[c].next = self.wrap_value[c].q.val();
        }
        for c in 0..self.dateline.len() {
            self.dateline[c].next = self.dateline_value[c].q.val();
        }
        for c in 0..self.chunk_select.len() {
            self.chunk_select[c].next = self.chunk_decoded[c].q.val();
        }
        for c in 0..self.level_select.len() {
            self.level_select[c].next = self.level_decoded[c].q.val();
            self.above_level[c].next = self.above_decoded[c].q.val();
        }
        for m in 0..self.map_entry.len() {
            for e in 0..self.entries.val() {
                self.port_map[e].next = self.map_entry[m].q[e].val();
            }
        }
        for c in 0..self.method_value.len() {
            self.method[c].next = self.method_value[c].q.val();
            for g in 0..self.groups.val() {
                self.links[g].next = self.links_value[c].q[g].val();
            }
            for l in 0..self.all_links.val() {
                self.group_link[l].next = self.link_value[c].q[l].val();
            }
        }
        for c in 0..self.enable.len() {
            self.enable[c].next = self.cache_enable[c].q.val();
            self.flush[c].next = self.flushing[c].q.val();
        }
    }
}

#[cfg(test)]
mod tests;
