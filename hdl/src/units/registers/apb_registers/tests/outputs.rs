//! What is at the block's outputs, held against the registers.

use super::*;
use railyard_spec::registers::topology_code;

/// The settings at the block's outputs are those of the registers.
pub fn check_settings(bench: &Bench<ApbRegisters>, model: &Model, reduction: &railyard_spec::ReductionShape) {
    let two = |low, high| {
        let word = |address| u64::from(model.values.get(&address).copied().unwrap_or(0));
        u128::from(word(low) | word(high) << 32)
    };
    let settings = bench.reduction.as_ref().expect("node reduction has settings");
    assert_eq!(settings.coordinate.val().to_u128(), two(address::COORDINATE_LOW, address::COORDINATE_HIGH));
    let any_radix = reduction.has(Topology::Cube) && !reduction.full_radix;
    assert_eq!((settings.bound.is_some(), settings.wrap.is_some()), (any_radix, any_radix));
    if let (Some(bound), Some(wrap)) = (&settings.bound, &settings.wrap) {
        assert_eq!(bound.val().to_u128(), two(address::BOUND_LOW, address::BOUND_HIGH));
        assert_eq!(wrap.val().to_u128(), u128::from(model.values[&address::WRAP]));
    }
    let field = |name| model.field(address::REDUCTION, name);
    let order = reduction.topologies.iter().position(|t| topology_code(*t) == field("topology"));
    assert_eq!(settings.topology_select.val().to_u128(), order.map_or(0, |i| 1 << i));
    let width = reduction.chunk_bits.iter().position(|w| *w == field("chunk_bits")).unwrap();
    for select in settings.chunk_select.iter() {
        assert_eq!(select.val().to_u128(), 1 << width);
    }
    assert_eq!(settings.dateline.is_some(), reduction.dateline);
    for dateline in settings.dateline.iter() {
        assert_eq!(dateline.val(), field("dateline") == 1);
    }
    assert_eq!(settings.torus.is_some(), reduction.full_radix);
    for torus in settings.torus.iter() {
        assert_eq!(torus.val(), field("torus") == 1);
    }
    let level = field("level");
    if let (Some(level_select), Some(above_level)) = (&settings.level_select, &settings.above_level) {
        assert_eq!(level_select.val().to_u128(), 1 << level);
        let all = (1u128 << reduction.max_chunks) - 1;
        assert_eq!(above_level.val().to_u128(), all & !((2 << level) - 1));
    }
    for (e, entry) in bench.port_map.iter().enumerate() {
        let at = address::MAP + 4 * e as u32;
        let mut places = vec![("port", model.shape.port_bits)];
        if model.shape.next_vc {
            places.extend([("vc", model.shape.vc_bits), ("vc_set", 1)]);
        }
        if let Some(groups) = &model.shape.link_aggregation {
            places.extend([("group", groups.group_bits), ("group_set", 1)]);
        }
        places.push(("valid", 1));
        let (expected, _) =
            places.iter().fold((0, 0), |(word, low), (name, bits)| (word | model.field(at, name) << low, low + bits));
        assert_eq!(entry.val().to_u128(), u128::from(expected), "map entry {e}");
    }
}

/// The same of link aggregation's.
pub fn check_links(bench: &Bench<ApbRegisters>, model: &Model, groups: &railyard_spec::LinkAggregationShape) {
    let value = |at: u32| u128::from(model.values[&at]);
    let settings = bench.links.as_ref().expect("link aggregation has settings");
    assert_eq!(settings.method.val().to_u128(), value(address::LINK_SELECTION));
    assert_eq!(
        (settings.groups.links.len(), settings.groups.group_link.len()),
        (groups.groups, groups.groups * groups.links)
    );
    for (g, links) in settings.groups.links.iter().enumerate() {
        assert_eq!(links.val().to_u128(), value(address::GROUP + 4 * g as u32), "group {g}");
    }
    for (l, port) in settings.groups.group_link.iter().enumerate() {
        assert_eq!(port.val().to_u128(), value(address::GROUP_LINK + 4 * l as u32), "group link {l}");
    }
}

/// A route, and a valid bit if there is one, from the registers of these names, as section 4 has its parts.
fn route_in(model: &Model, register: u32, candidates: u32, valid: bool) -> u128 {
    let shape = &model.shape;
    let mut parts = vec![(model.field(register, "port"), shape.port_bits)];
    if shape.next_vc {
        parts.extend([(model.field(register, "vc"), shape.vc_bits), (model.field(register, "vc_set"), 1)]);
    }
    if let Some(groups) = &shape.link_aggregation {
        parts.extend([(model.field(register, "group"), groups.group_bits), (model.field(register, "group_set"), 1)]);
    }
    if shape.candidates > 1 {
        let names = ["candidate_1", "candidate_2", "candidate_3"];
        parts.extend(names[..shape.candidates - 1].iter().map(|name| (model.field(candidates, name), shape.port_bits)));
        parts.push((model.field(register, "candidates"), shape.candidates_bits()));
        parts.push((model.field(register, "in_order"), 1));
    }
    if valid {
        parts.push((model.field(register, "valid"), 1));
    }
    parts.iter().fold((0, 0), |(word, low), (part, bits)| (word | u128::from(*part) << low, low + bits)).0
}

/// Default route and forwarding table are as the registers say; `access` is the legal write whose access phase this is.
pub fn check_table(bench: &Bench<ApbRegisters>, model: &Model, access: Option<(u32, u32)>) {
    if let Some(default_route) = &bench.default_route {
        let expected = route_in(model, address::DEFAULT_ROUTE, address::DEFAULT_CANDIDATES, true);
        assert_eq!(default_route.val().to_u128(), expected);
    }
    if let Some(table) = &bench.table {
        let to = |register: u32| access.filter(|(at, _)| *at == register).map(|(_, value)| value);
        let write = to(address::TABLE_WRITE);
        assert_eq!(table.write.val(), write.is_some());
        assert_eq!(table.clear.val(), to(address::TABLE_CLEAR) == Some(1));
        if let Some(value) = write {
            let got = (table.index.val().to_u128(), table.way.val().to_u128(), table.valid.val());
            assert_eq!(got, (u128::from(value & 0xFFFF), u128::from(value >> 16 & 7), value >> 24 == 1));
        }
        let low = u128::from(model.values[&address::TABLE_ADDRESS_LOW]);
        let high = model.values.get(&address::TABLE_ADDRESS_HIGH).copied().unwrap_or(0);
        assert_eq!(table.address.val().to_u128(), low | u128::from(high) << 32);
        let route = route_in(model, address::TABLE_ROUTE, address::TABLE_CANDIDATES, false);
        assert_eq!(table.route.val().to_u128(), route);
    }
}

/// Of all counters the one at this address is selected, and no other; the place in `count` where its value comes from.
pub fn check_select(bench: &Bench<ApbRegisters>, model: &Model, at: u32) -> Option<usize> {
    let (n, k) = (model.shape.ports, model.shape.vcs);
    let counter = |base: u32, end: u32| model.register(at).filter(|r| (base..end).contains(&r.address));
    let of_vc = counter(address::VC_COUNTERS, address::PORT_COUNTERS);
    let of_port = counter(address::PORT_COUNTERS, address::SWITCH_COUNTERS);
    let of_switch = counter(address::SWITCH_COUNTERS, 1 << 16);
    let number = |r: &Register| (at - r.address) as usize / 4;
    let selected = |kind: u128, place: u128, list: &[&str]| {
        let one = |bits: u128| (bits.count_ones() == 1).then(|| bits.trailing_zeros() as usize);
        Some((list[one(kind)?].to_string(), one(place)?))
    };
    let of_vcs = ["rx_packets", "rx_flits", "tx_packets", "tx_flits", "dropped_packets", "credit_stalls"];
    let of_vcs = [&of_vcs[..], &["output_stalls", "lookup_stalls"]].concat();
    let counters = bench.counters.as_ref().expect("counters are read");
    let vc = selected(counters.vc_kind.val().to_u128(), counters.vc_select.val().to_u128(), &of_vcs);
    assert_eq!(vc, of_vc.map(|r| (r.name.into(), number(r))), "{at:#x}");
    let of = |kind: &Option<Sig<Out>>| kind.as_ref().map_or(0, |kind| kind.val().to_u128());
    if let (Some(port_select), Some(outstanding)) = (&counters.port_select, &counters.of_port.outstanding_kind) {
        let kinds = &counters.of_port;
        let kind = of(&kinds.lookup_kind) | of(&kinds.fill_kind) << 3 | u128::from(outstanding.val()) << 5;
        let names =
            ["lookup_hits", "lookup_misses", "merged_misses", "cache_fills", "cache_evictions", "outstanding_misses"];
        let port = selected(kind, port_select.val().to_u128(), &names);
        assert_eq!(port, of_port.map(|r| (r.name.into(), number(r))), "{at:#x}");
        let kind = of(&counters.of_switch.table_kind) | of(&counters.of_switch.cam_kind) << 2;
        let switch = selected(kind, 1, &["table_hits", "table_misses", "cam_requests", "cam_stalls"]);
        assert_eq!(switch, of_switch.map(|r| (r.name.into(), 0)), "{at:#x}");
    }
    of_vc.map(|r| number(r) / k).or(of_port.map(number)).or(of_switch.map(|_| n))
}
