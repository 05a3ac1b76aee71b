//! Every rule of the configuration, broken once; and all of them reported together.

use railyard_input::Fault;
use railyard_spec::{pins::pins, presets, registers::registers, Config};

fn faults(json: &str) -> Vec<Fault> {
    Config::from_json(json).expect_err("a fault was expected").first
}

/// Path, a word of the rule, and the legal value proposed.
fn expect(json: &str, path: &str, word: &str, legal: &str) {
    let list = faults(json);
    let found = list.iter().any(|f| f.path == path && f.rule.contains(word) && f.legal.contains(legal));
    assert!(found && list.len() == 1, "{json}: {list:#?}");
}

#[test]
fn presets_are_sound() {
    for preset in presets::PRESETS {
        let config = Config::from_json(preset.json).unwrap_or_else(|f| panic!("{}: {f}", preset.name));
        assert_eq!(config.name, preset.name);
        config.into_config().check().unwrap();
    }
}

#[test]
fn a_name_is_enough() {
    let config = Config::from_json(r#"{"name": "x"}"#).unwrap();
    assert_eq!(*config, Config::named("x"));
    assert_eq!(config.shape().buffer_flits, 32);
}

#[test]
fn error_correction_needs_plain_links() {
    let dragonfly = r#"{"name": "x", "ports": 7, "virtual_channels": {"unicast": 2}, "buffer_ecc": {}, "routing": {"kind": "dragonfly", "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}}}"#;
    expect(dragonfly, "/buffer_ecc", "rewrites stored headers", "null");
    let code = Config::from_json(r#"{"name": "x", "buffer_ecc": {}}"#).unwrap().shape().buffer_code.unwrap();
    assert_eq!((code.check_bits, code.bits, code.fault_pins), (8, 73, false));
}

#[test]
fn pins_of_memories_need_a_memory() {
    let small =
        r#"{"name": "x", "packet": {"max_flits": 4}, "memory_pins": {}, "routing": {"kind": "source", "hops": 2}}"#;
    expect(small, "/memory_pins", "the switch has no memory", "null");
    let deep = small.replace(r#""max_flits": 4"#, r#""max_flits": 8"#);
    assert_eq!(Config::from_json(&deep).unwrap().shape().memory_test_bits, Some(8));
}

#[test]
fn parity_needs_a_memory() {
    let alone = r#"{"name": "x", "routing": {"kind": "table", "cache": null, "parity": {}}}"#;
    expect(alone, "/routing/parity", "neither a routing cache nor a forwarding table", "null");
    let both = r#"{"name": "x", "routing": {"kind": "table", "address_bits": 20, "next_vc": true, "parity": {}, "forwarding_table": {}}}"#;
    let shape = Config::from_json(both).unwrap().shape();
    // Port, VC, `vc_set`, valid and parity bit.
    let (cache, table) = (shape.cache_parity().unwrap(), shape.table_parity().unwrap());
    let tag_bits = shape.table().unwrap().cache.as_ref().unwrap().tag_bits;
    assert_eq!((cache.bits, table.bits, table.fault_pins), (tag_bits + 4 + 1 + 1 + 2, 20 + 8, false));
}

#[test]
fn each_field_has_its_rule() {
    expect(r#"{"ports": 4}"#, "/name", "must be given", "my_switch");
    expect(r#"{"name": "Bad Name"}"#, "/name", "must match", "my_switch");
    expect(r#"{"name": "x", "ports": 65}"#, "/ports", "at most 64", "64");
    expect(r#"{"name": "x", "ports": 1}"#, "/ports", "at least 2", "2");
    expect(r#"{"name": "x", "ports": "16"}"#, "/ports", "type integer", "16");
    expect(r#"{"name": "x", "ports": 16.5}"#, "/ports", "type integer", "16");
    expect(r#"{"name": "x", "ports": -3}"#, "/ports", "at least 2", "2");
    expect(r#"{"name": "x", "flit_bits": 8}"#, "/flit_bits", "at least 16", "16");
    expect(r#"{"name": "x", "prots": 4}"#, "/prots", "not a field", "ports");
    expect(r#"{"name": "x", "flow_control": "credit"}"#, "/flow_control", "\"absolute\", \"relative\"", "\"absolute\"");
    expect(r#"{"name": "x", "virtual_channels": {"unicast": 9}}"#, "/virtual_channels/unicast", "at most 8", "8");
    expect(r#"{"name": "x", "buffer_flits": 24}"#, "/buffer_flits", "power of two", "32");
    expect(r#"{"name": "x", "buffer_flits": 8}"#, "/buffer_flits", "two maximum packets", "16");
    expect(
        r#"{"name": "x", "crossbar": "single", "link_arbitration": "flit"}"#,
        "/link_arbitration",
        "parallel",
        "packet",
    );
}

#[test]
fn routing_faults_name_the_field_inside() {
    expect(r#"{"name": "x", "routing": {"kind": "magic"}}"#, "/routing/kind", "\"table\", \"source\"", "\"table\"");
    expect(r#"{"name": "x", "routing": {}}"#, "/routing/kind", "must be given", "table");
    expect(
        r#"{"name": "x", "routing": {"kind": "table", "address_bits": 65}}"#,
        "/routing/address_bits",
        "at most 64",
        "64",
    );
    expect(
        r#"{"name": "x", "routing": {"kind": "table", "cache": {"ways": 3}}}"#,
        "/routing/cache/ways",
        "1, 2, 4, 8 or 16",
        "4",
    );
    expect(
        r#"{"name": "x", "routing": {"kind": "table", "cache": {"ways": 32}}}"#,
        "/routing/cache/ways",
        "at most 16",
        "16",
    );
    expect(
        r#"{"name": "x", "routing": {"kind": "table", "cache": {"entries": 1000}}}"#,
        "/routing/cache/entries",
        "power of two",
        "1024",
    );
    expect(
        r#"{"name": "x", "routing": {"kind": "table", "cache": {"hash": {"crc_bits": 8, "polynomial": "0x7"}}}}"#,
        "/routing/cache/hash/crc_bits",
        "cover the 9 bits",
        "9",
    );
    expect(
        r#"{"name": "x", "routing": {"kind": "table", "cache": {"hash": {"polynomial": "0x11021"}}}}"#,
        "/routing/cache/hash/polynomial",
        "degree 16",
        "0x1",
    );
    expect(
        r#"{"name": "x", "routing": {"kind": "source", "hops": 17}}"#,
        "/routing/hops",
        "64 bits hold 16 ports of 4 bits",
        "16",
    );
    expect(
        r#"{"name": "x", "routing": {"kind": "source", "address_bits": 8}}"#,
        "/routing/address_bits",
        "not a field",
        "hops",
    );
    expect(
        r#"{"name": "x", "flit_bits": 16, "packet": {"max_flits": 3}, "routing": {"kind": "table", "address_bits": 64}}"#,
        "/packet/max_flits",
        "hold the header: 4 flits",
        "4",
    );
}

/// A table-routed switch with these fields of `routing`, and others beside it.
fn table(routing: &str, others: &str) -> String {
    format!(r#"{{"name": "x", "routing": {{"kind": "table", {routing}}}{others}}}"#)
}

/// With more ways than the widest hash has bits for, the ways are at fault; no wider hash is proposed than there is.
#[test]
fn no_hash_of_more_bits_than_there_are_is_proposed() {
    let fields = r#""entries": 65536, "ways": 8, "hash": {"crc_bits": 16, "polynomial": "0x1021"}"#;
    let list = faults(&table(&format!(r#""forwarding_table": {{{fields}}}"#), ""));
    let hash = list.iter().find(|f| f.path.ends_with("crc_bits")).expect("the hash is too narrow");
    assert_eq!(hash.legal, "64");
}

#[test]
fn the_forwarding_table_has_its_rules() {
    let path = |field: &str| format!("/routing/forwarding_table{field}");
    for (fields, field, word, legal) in [
        (r#""entries": 1000"#, "/entries", "power of two", "1024"),
        (r#""entries": 8"#, "/entries", "at least 16", "16"),
        (r#""entries": 131072"#, "/entries", "at most 65536", "65536"),
        (r#""ways": 3"#, "/ways", "1, 2, 4 or 8", "4"),
        (r#""ways": 16"#, "/ways", "at most 8", "8"),
        (r#""ways": 0"#, "/ways", "at least 1", "1"),
        (r#""ways": 8, "entries": 4096"#, "/ways", "9 bits each of a hash of 64", "4"),
        (
            r#""hash": {"crc_bits": 31, "polynomial": "0x1021"}"#,
            "/hash/crc_bits",
            "each of 4 ways 8 bits of its own",
            "32",
        ),
        (r#""hash": {"crc_bits": 32, "polynomial": "0x104C11DB7"}"#, "/hash/polynomial", "degree 32", "0x1"),
        (r#""hash": {"crc_bits": 32, "polynomial": "0x0"}"#, "/hash/polynomial", "degree 32", "0x1"),
        (r#""banks": 4"#, "/banks", "not a field", "entries, ways, hash"),
    ] {
        expect(&table(&format!(r#""forwarding_table": {{{fields}}}"#), ""), &path(field), word, legal);
    }
    let config = Config::from_json(&table(r#""forwarding_table": {"ways": 8}"#, "")).unwrap();
    let shape = config.shape();
    let built = shape.forwarding_table().unwrap();
    assert_eq!((built.ways, built.sets, built.index_bits, built.crc.bits), (8, 128, 7, 64));
}

#[test]
fn what_is_written_through_registers_needs_them() {
    let without = r#", "registers": false"#;
    expect(
        &table(r#""forwarding_table": {}"#, without),
        "/routing/forwarding_table",
        "through which it is written",
        "null",
    );
    expect(&table(r#""default_route": true"#, without), "/routing/default_route", "which hold it", "false");
    expect(r#"{"name": "x", "counters": {}, "registers": false}"#, "/counters", "through which they are read", "null");
    let barrier = |rest: &str| format!(r#"{{"name": "x", "virtual_channels": {{"barrier": 1}}{rest}}}"#);
    expect(
        &barrier(r#", "registers": false"#),
        "/virtual_channels/barrier",
        "through which barrier groups are set",
        "0",
    );
}

#[test]
fn a_barrier_message_is_a_flit() {
    let barrier = |bits: u32| {
        format!(
            r#"{{"name": "x", "virtual_channels": {{"barrier": 1}}, "flit_bits": {bits}, "barrier": {{"groups": 5}}}}"#
        )
    };
    expect(&barrier(31), "/virtual_channels/barrier", "at least 32 bits", "0");
    let shape = Config::from_json(&barrier(32)).unwrap().shape();
    let built = shape.barrier.unwrap();
    assert_eq!((shape.vcs, built.vc, shape.vc_bits, built.group_bits), (2, 2, 2, 3));
}

#[test]
fn somebody_must_know_the_addresses() {
    expect(
        &table(r#""external_cam": false"#, ""),
        "/routing/external_cam",
        "no forwarding table on the chip either",
        "true",
    );
    let shape = Config::from_json(&table(r#""external_cam": false, "forwarding_table": {}"#, "")).unwrap().shape();
    assert!(!shape.external_cam() && !railyard_spec::pins::pins(&shape).iter().any(|pin| pin.name.contains("cam")));
}

#[test]
fn counters_have_a_width() {
    expect(r#"{"name": "x", "counters": {"bits": 7}}"#, "/counters/bits", "at least 8", "8");
    expect(r#"{"name": "x", "counters": {"bits": 33}}"#, "/counters/bits", "at most 32", "32");
    assert_eq!(Config::from_json(r#"{"name": "x", "counters": {}}"#).unwrap().shape().counter_bits, Some(32));
}

#[test]
fn a_key_is_given_once() {
    expect(r#"{"name": "x", "ports": 4, "ports": 8}"#, "/ports", "more than once", "once");
    assert_eq!(faults(r#"{"name": "x", "ports": 4, "ports": 8}"#)[0].value, "4 and 8");
    expect(
        r#"{"name": "x", "routing": {"kind": "source", "hops": 2, "hops": 2}}"#,
        "/routing/hops",
        "more than once",
        "once",
    );
    // It doesn't hide what else is wrong.
    assert_eq!(faults(r#"{"name": "x", "ports": 4, "ports": 99, "a/b": 1}"#).len(), 3);
}

#[test]
fn only_fields_of_the_routing_kind_in_use_are_proposed() {
    let legal = |routing: &str| faults(&format!(r#"{{"name": "x", "routing": {routing}}}"#))[0].legal.clone();
    assert_eq!(legal(r#"{"kind": "source", "cache": null}"#), "leave it out; fields here: kind, hops");
    assert_eq!(
        legal(r#"{"kind": "table", "hops": 3}"#),
        "leave it out; fields here: kind, address_bits, lookups_per_vc, cache, node_reduction, next_vc, candidates, link_aggregation, forwarding_table, external_cam, default_route, parity"
    );
    assert_eq!(
        legal(r#"{"kind": "algorithmic", "cache": null}"#),
        "leave it out; fields here: kind, address_bits, node_reduction, next_vc, vc_pairs, link_aggregation"
    );
    assert_eq!(
        legal(r#"{"kind": "algorithmic", "node_reduction": {"stage": 1}}"#),
        "leave it out; fields here: topologies, chunk_bits, stages, radix"
    );
}

/// The description with the proposed value in place of the one at fault is legal, or has one fault less.
#[test]
fn what_is_proposed_is_legal() {
    for field in [
        r#""ports": null"#,
        r#""buffer_flits": "many""#,
        r#""packet": []"#,
        r#""flow_control": 3"#,
        r#""routing": null"#,
        r#""routing": {"kind": 5}"#,
        r#""routing": {"kind": "table", "cache": 7}"#,
        r#""routing": {"kind": "table", "cache": {"hash": null}}"#,
        r#""routing": {"kind": "table", "cache": {"hash": {"polynomial": 4129}}}"#,
        r#""routing": {"kind": "source", "hops": null}"#,
        r#""routing": {"kind": "table", "forwarding_table": 4}"#,
        r#""routing": {"kind": "table", "forwarding_table": {"ways": "two"}}"#,
        r#""routing": {"kind": "table", "external_cam": 1}"#,
        r#""routing": {"kind": "table", "default_route": "port 3"}"#,
        r#""counters": true"#,
        r#""counters": {"bits": []}"#,
        r#""routing": {"kind": "algorithmic", "address_bits": []}"#,
        r#""routing": {"kind": "algorithmic", "node_reduction": 4}"#,
        r#""routing": {"kind": "algorithmic", "node_reduction": {"topologies": []}}"#,
        r#""routing": {"kind": "algorithmic", "node_reduction": {"topologies": "cube"}}"#,
        r#""routing": {"kind": "algorithmic", "node_reduction": {"topologies": ["cube", "cube"]}}"#,
        r#""routing": {"kind": "algorithmic", "node_reduction": {"topologies": [3]}}"#,
        r#""routing": {"kind": "algorithmic", "node_reduction": {"chunk_bits": null}}"#,
        r#""routing": {"kind": "algorithmic", "node_reduction": {"chunk_bits": ["4"]}}"#,
        r#""routing": {"kind": "algorithmic", "node_reduction": {"chunk_bits": [null, 4]}}"#,
        r#""routing": {"kind": "algorithmic", "node_reduction": {"stages": "two"}}"#,
        r#""routing": {"kind": "table", "link_aggregation": {"groups": 16, "links": 33}}"#,
    ] {
        let text = format!(r#"{{"name": "x", {field}}}"#);
        let list = faults(&text);
        assert_eq!(list.len(), 1, "{text}: {list:#?}");
        let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let place = value.pointer_mut(&list[0].path).unwrap_or_else(|| panic!("{text}: {list:#?}"));
        *place = serde_json::from_str(&list[0].legal).unwrap_or_else(|e| panic!("{text}: {e}: {list:#?}"));
        if let Err(rest) = Config::from_json(&value.to_string()) {
            panic!("{text}: {list:#?}: {rest}");
        }
        assert!(!list[0].rule.contains("breaks the rule"), "{list:#?}");
    }
}

#[test]
fn integers_may_be_written_as_any_number() {
    let written = |ports: &str| Config::from_json(&format!(r#"{{"name": "x", "ports": {ports}}}"#)).unwrap();
    assert_eq!((written("4.0").ports, written("1e1").ports), (4, 10));
    expect(r#"{"name": "x", "ports": 4.5}"#, "/ports", "type integer", "16");
    expect(r#"{"name": "x", "ports": 1e300}"#, "/ports", "at most 64", "64");
}

#[test]
fn long_values_are_shown_by_their_start() {
    let list = faults(&format!(r#"{{"name": "{0}", "{0}": "{0}"}}"#, "X".repeat(10_000)));
    assert_eq!(list.len(), 2);
    assert!(list.iter().all(|f| f.value.len() > 10_000 && f.to_string().len() < 420), "{list:?}");
}

#[test]
fn a_byte_order_mark_is_named() {
    expect("\u{feff}{\"name\": \"x\"}", "", "without BOM", "name");
}

#[test]
fn faults_cannot_drive_a_terminal() {
    for fault in
        faults("{\"name\": \"x\u{9b}2J\", \"\\u001b[2J\\n/ports\": \"\u{7f}\u{202e}\", \"flow_control\": \"\\u001bc\"}")
    {
        let shown = fault.to_string();
        assert!(!shown.contains(railyard_input::drives_terminal), "{shown:?}");
    }
}

#[test]
fn a_polynomial_is_a_number_however_it_is_written() {
    let written = |polynomial: &str| {
        let hash = format!(r#"{{"crc_bits": 32, "polynomial": "{polynomial}"}}"#);
        Config::from_json(&format!(r#"{{"name": "x", "routing": {{"kind": "table", "cache": {{"hash": {hash}}}}}}}"#))
            .unwrap()
    };
    assert_eq!(written("0x04C11DB7"), written("0x4c11db7"));
    let printed = serde_json::to_string(&(written("0x04C11DB7"), written("0x4c11db7").shape())).unwrap();
    assert_eq!(printed.matches(r#""polynomial":"0x4c11db7""#).count(), 2, "{printed}");
}

#[test]
fn all_at_once() {
    let list = faults(
        r#"{"name": "x", "ports": 99, "colour": 1, "buffer_flits": 24, "packet": {"max_flits": 8},
            "routing": {"kind": "table", "address_bits": 4, "cache": {"entries": 100, "ways": 64}}}"#,
    );
    let paths: Vec<&str> = list.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "/buffer_flits",
            "/colour",
            "/ports",
            "/routing/address_bits",
            "/routing/cache/entries",
            "/routing/cache/ways"
        ]
    );
}

/// What is left out may be a `kind`, or in a list: the other rules are checked all the same.
#[test]
fn no_fault_hides_another() {
    for other in [
        r#""routing": {"kind": "magic"}"#,
        r#""routing": {}"#,
        r#""routing": 3"#,
        r#""routing": {"kind": "algorithmic", "node_reduction": {"chunk_bits": ["4"]}}"#,
        r#""routing": {"kind": "algorithmic", "node_reduction": {"chunk_bits": [99]}}"#,
        r#""routing": {"kind": "algorithmic", "node_reduction": {"topologies": ["ring"]}}"#,
        r#""packet": {"max_flits": 0}"#,
        r#""packet": null"#,
        r#""ports": 1e300"#,
    ] {
        let list = faults(&format!(r#"{{"name": "x", "buffer_flits": 3, {other}}}"#));
        let at = |path: &str| list.iter().any(|f| f.path == path && f.rule.contains("power of two"));
        assert!(at("/buffer_flits") && (2..=3).contains(&list.len()), "{list:#?}");
    }
}

#[test]
fn not_json() {
    expect("{", "", "not JSON", "name");
    expect("[]", "", "type object", "name");
}

/// A Dragonfly's switch of 4 x 2 + 1 groups: 7 ports.
fn dragonfly(routing: &str, rest: &str) -> String {
    let classes = r#""port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}"#;
    format!(r#"{{"name": "d", "ports": 7, "routing": {{"kind": "dragonfly", {classes}{routing}}}{rest}}}"#)
}

#[test]
fn dragonfly_faults() {
    let shape = Config::from_json(&dragonfly("", "")).unwrap().shape();
    let built = shape.dragonfly().unwrap();
    assert_eq!((built.groups, built.routers(), shape.address_bits(), built.header().bits), (9, 4, Some(11), 11));
    let with_replies =
        dragonfly(r#", "vcs": {"requests": "lglgl", "replies": "lgl"}"#, r#", "virtual_channels": {"unicast": 5}"#);
    let shape = Config::from_json(&with_replies).unwrap().shape();
    let header = shape.dragonfly().unwrap().header();
    assert_eq!((header.class.unwrap().low, header.bits, header.destination(3, 2, 1)), (11, 12, 3 << 5 | 2 << 2 | 1));

    let at = |routing: &str, rest: &str, path, word, legal| expect(&dragonfly(routing, rest), path, word, legal);
    at("", r#", "registers": false"#, "/registers", "tables in registers", "true");
    at("", r#", "link_arbitration": "flit""#, "/link_arbitration", "packet-wise", "packet");
    at("", r#", "crossbar": "single""#, "/crossbar", "parallel", "parallel");
    at("", r#", "virtual_channels": {"mixed": 1}"#, "/virtual_channels/mixed", "no multicast", "0");
    let wide = r#", "group_bits": 8, "router_bits": 5, "node_bits": 5"#;
    at(wide, r#", "flit_bits": 16"#, "/flit_bits", "header, which has 18 bits", "18");
    at(r#", "groups": 10"#, "", "/routing/groups", "at most 9", "9");
    at(r#", "group_bits": 3"#, "", "/routing/group_bits", "number 9 groups", "4");
    at(r#", "router_bits": 1"#, "", "/routing/router_bits", "number 4 routers", "2");
    at(r#", "vcs": {"requests": "llg"}"#, "", "/routing/vcs/requests", "l, g and l", "lgl");
    at(
        r#", "vcs": {"replies": "lg"}"#,
        r#", "virtual_channels": {"unicast": 3}"#,
        "/routing/vcs/replies",
        "l, g and l",
        "lgl",
    );
    at(r#", "vcs": {"requests": "lgx"}"#, "", "/routing/vcs/requests", "match", "");
    at(r#", "vcs": {"requests": "lglgl"}"#, "", "/virtual_channels/unicast", "at least 3", "3");
}

#[test]
fn policies_have_their_rules() {
    let oldest = r#", "arbitration": {"policy": "oldest", "transit_first": true}"#;
    let with_ages = dragonfly(&format!(r#"{oldest}, "age_bits": 5"#), "");
    let shape = Config::from_json(&with_ages).unwrap().shape();
    let header = shape.dragonfly().unwrap().header();
    assert_eq!((header.age.unwrap().low, header.age.unwrap().bits, header.bits), (11, 5, 16));
    let fields = registers(&shape).into_iter().filter(|r| ["arbitration", "link_delay"].contains(&r.name));
    let fields: Vec<_> = fields.map(|r| (r.address, r.count, r.fields[0].name, r.fields[0].reset)).collect();
    assert_eq!(fields, [(0x1C0, 1, "transit_first", 0), (0x300, 7, "cycles", 1)]);

    expect(&dragonfly(oldest, ""), "/routing/arbitration/policy", "needs age_bits", "round_robin");
    let wide = r#", "age_bits": 6"#;
    expect(&dragonfly(wide, r#", "flit_bits": 16"#), "/flit_bits", "header, which has 17 bits", "17");
    expect(&dragonfly(r#", "age_bits": 3"#, ""), "/routing/age_bits", "4", "4");
    let many = r#""ports": 17, "virtual_channels": {"unicast": 8}, "routing": {"kind": "dragonfly", "age_bits": 8"#;
    let classes = r#""port_classes": {"node": {"ports": 4}, "local": {"ports": 7}, "global": {"ports": 6}}"#;
    let many = format!(r#"{{"name": "d", {many}, {classes}, "arbitration": {{"policy": "oldest"}}}}}}"#);
    expect(&many, "/routing/arbitration/policy", "at most 128 VCs of all ports together", "least_recent");
}

#[test]
fn what_routers_tell_each_other_has_its_rules() {
    let with = |adaptive: &str, rest: &str| {
        let vcs = r#""virtual_channels": {"unicast": 3}"#;
        dragonfly(&format!(r#", "vcs": {{"requests": "lglgl"}}, {adaptive}"#), &format!(", {vcs}{rest}"))
    };
    let all = r#""flexible_vcs": true, "random_vcs": true, "adaptive": {"valiant": "group", "in_transit": true,
        "contention": true, "filter": true, "ectn": true, "saturation": true}"#;
    let shape = Config::from_json(&with(all, "")).unwrap().shape();
    let messages = shape.router_messages().unwrap();
    assert_eq!((shape.control_vc(), shape.vc_bits, messages.counters, messages.messages), (Some(3), 2, 9, 1));
    let names = ["vc_rule", "misrouting", "contention", "ectn", "saturation", "group_map"];
    let fields = registers(&shape).into_iter().filter(|r| names.contains(&r.name));
    let fields: Vec<_> = fields.map(|r| (r.address, r.fields.last().map(|f| (f.name, f.low, f.bits)))).collect();
    let expected = [
        (0x184, ("rule", 0, 3)),
        (0x18C, ("trigger", 12, 3)),
        (0x1B4, ("shift", 16, 3)),
        (0x1C4, ("period", 16, 16)),
        (0x1C8, ("gap", 24, 8)),
        (0x400, ("link", 16, 1)),
    ];
    assert_eq!(fields, expected.map(|(address, field)| (address, Some(field))));

    let at = |adaptive: &str, rest: &str, path, word| expect(&with(adaptive, rest), path, word, "false");
    at(r#""random_vcs": true"#, "", "/routing/random_vcs", "needs flexible_vcs");
    let in_transit = |more: &str| format!(r#""adaptive": {{"in_transit": true, {more}}}"#);
    at(&in_transit(r#""filter": true"#), "", "/routing/adaptive/filter", "needs contention");
    at(&in_transit(r#""ectn": true"#), "", "/routing/adaptive/ectn", "needs contention");
    at(&in_transit(r#""saturation": true"#), "", "/routing/adaptive/saturation", "needs valiant");
    let narrow = r#", "flit_bits": 24"#;
    let ectn = in_transit(r#""contention": true, "ectn": true"#);
    at(&ectn, narrow, "/routing/adaptive/ectn", "at least 32 bits");
    let saturation = r#""adaptive": {"valiant": "group", "saturation": true}"#;
    at(saturation, narrow, "/routing/adaptive/saturation", "at least 26 bits");
}

/// Credits of minimal packets: the header's bit, the pins, the setting.
#[test]
fn minimal_credits_have_their_rules() {
    let with = |more: &str, rest: &str| {
        let adaptive = format!(r#""adaptive": {{"valiant": "group", "in_transit": true, {more}}}"#);
        let vcs = r#""vcs": {"requests": "lglgl"}"#;
        dragonfly(&format!(", {vcs}, {adaptive}"), &format!(r#", "virtual_channels": {{"unicast": 3}}{rest}"#))
    };
    let min_credits = r#""min_credits": true"#;
    let shape = Config::from_json(&with(min_credits, "")).unwrap().shape();
    let header = shape.dragonfly().unwrap().header();
    let minimal = header.minimal.unwrap();
    assert_eq!((minimal.low, minimal.bits, header.via_group.unwrap().low, header.bits), (14, 1, 15, 21));
    let pins: Vec<_> = pins(&shape).into_iter().filter(|pin| pin.name.ends_with("min_credit")).collect();
    let pins: Vec<_> = pins.iter().map(|pin| (pin.name, pin.count, pin.bits)).collect();
    assert_eq!(pins, [("rx_min_credit", 21, shape.credit_bits), ("tx_min_credit", 21, shape.credit_bits)]);
    let misrouting = registers(&shape).into_iter().find(|register| register.name == "misrouting").unwrap();
    let sense = misrouting.fields.last().unwrap();
    assert_eq!((sense.name, sense.low, sense.bits, sense.reset), ("sense", 16, 1, 0));

    let path = "/routing/adaptive/min_credits";
    expect(&with(min_credits, r#", "flow_control": "relative""#), path, "needs absolute credits", "false");
    let chip = |ports: &str| with(min_credits, &format!(r#", "chip": {{"streams": {{{ports}}}}}"#));
    expect(&chip(""), "/chip/streams", "must be a port to a node", "null");
    assert!(Config::from_json(&chip(r#""ports": [0, 1]"#)).is_ok());
}

#[test]
fn virtual_channels_of_kinds_have_their_rules() {
    let with = |node: u32, local: u32, global: u32, vcs: &str| {
        let class = |kind: &str, ports: u32, vcs: u32| format!(r#""{kind}": {{"ports": {ports}, "vcs": {vcs}}}"#);
        let classes = [class("node", 2, node), class("local", 3, local), class("global", 2, global)].join(", ");
        format!(
            r#"{{"name": "d", "ports": 7, "virtual_channels": {{"unicast": 5}}, "routing": {{"kind": "dragonfly",
                "port_classes": {{{classes}}}, "vcs": {vcs}}}}}"#
        )
    };
    let replies = r#"{"requests": "lglgl", "replies": "lgl"}"#;
    let shape = Config::from_json(&with(2, 5, 3, replies)).unwrap().shape();
    let at_ports: Vec<_> = (0..7).map(|port| (shape.vcs_at(port), shape.at_port(port).vcs)).collect();
    assert_eq!(at_ports, [(2, 2), (2, 2), (5, 5), (5, 5), (5, 5), (3, 3), (3, 3)]);
    assert_eq!((shape.vcs, shape.at_port(0).most_vcs, shape.with_depth_at(0).vcs), (5, 5, 5));
    let uniform = Config::from_json(&with(5, 5, 5, replies)).unwrap().shape();
    assert_eq!(uniform.dragonfly().unwrap().vcs, None);

    let node = "/routing/port_classes/node/vcs";
    expect(&with(1, 5, 3, replies), node, "for requests and one for replies", "2");
    expect(&with(6, 5, 3, replies), node, "at most 5", "5");
    expect(&with(5, 4, 3, replies), "/routing/port_classes/local/vcs", "one for each l", "5");
    expect(&with(5, 5, 2, replies), "/routing/port_classes/global/vcs", "one for each g", "3");
    expect(&with(1, 3, 2, r#"{"requests": "lglgl"}"#), "/virtual_channels/unicast", "must be 3", "3");
}

#[test]
fn what_stands_around_a_switch_has_its_rules() {
    let chip = |more: &str, chip: &str| format!(r#"{{"name": "x", "ports": 4, {more} "chip": {chip}}}"#);
    let streams = r#"{"streams": {}}"#;
    expect(&chip(r#""flit_bits": 20,"#, streams), "/chip/streams", "whole bytes", "null");
    expect(&chip("", r#"{"streams": {"ports": [1, 4]}}"#), "/chip/streams/ports", "below 4", "[0, 1]");
    expect(&chip("", r#"{"streams": {"ports": [1, 1]}}"#), "/chip/streams/ports", "each once", "[0, 1]");
    expect(&chip("", r#"{"streams": {"ports": []}}"#), "/chip/streams/ports", "at least 1", "");
    let short = r#""flit_bits": 16, "packet": {"max_flits": 2}, "buffer_flits": 4,"#;
    expect(&chip(short, streams), "/packet/max_flits", "a flit of payload", "3");
    let bare = r#""registers": false, "routing": {"kind": "source", "hops": 2},"#;
    expect(&chip(bare, r#"{"register_port": "axi_lite"}"#), "/chip/register_port", "needs registers", "none");
    expect(&chip("", r#"{"register_port": "axi"}"#), "/chip/register_port", "\"apb\"", "apb");
    expect(&chip("", r#"{"streams": {"ports": [0, 1e20]}}"#), "/chip/streams/ports/1", "at most 63", "63");
    let flips = r#""buffer_ecc": {"fault_pins": true},"#;
    expect(&chip(flips, streams), "/buffer_ecc/fault_pins", "all ports are streams", "false");
    let some = chip(flips, r#"{"streams": {"ports": [0, 1, 2]}}"#);
    assert!(Config::from_json(&some).is_ok());
}

/// What software sets or reads has no use without a port to the registers, as it has none without registers.
#[test]
fn what_needs_registers_needs_a_port_to_them() {
    let source = r#""routing": {"kind": "source", "hops": 4}"#;
    let none = |more: &str| format!(r#"{{"name": "x", "ports": 4, {more}, "chip": {{"register_port": "none"}}}}"#);
    assert!(Config::from_json(&none(source)).is_ok());
    assert!(Config::from_json(&none(r#""routing": {"kind": "table"}"#)).is_ok());
    let table = |more: &str| format!(r#""routing": {{"kind": "table", "address_bits": 8, {more}}}"#);
    for (more, what) in [
        (format!(r#"{source}, "events": true, "counters": {{}}"#), "events, counters"),
        (format!(r#"{source}, "virtual_channels": {{"unicast": 1, "mixed": 1}}"#), "multicast groups"),
        (format!(r#"{source}, "virtual_channels": {{"unicast": 1, "barrier": 1}}"#), "barrier groups"),
        (r#""routing": {"kind": "algorithmic"}"#.into(), "node reduction"),
        (table(r#""link_aggregation": {}"#), "link aggregation"),
        (table(r#""forwarding_table": {}"#), "a forwarding table"),
        (table(r#""default_route": true"#), "a default route"),
    ] {
        let (json, rule) = (none(&more), format!("the registers of {what}, which need them"));
        expect(&json, "/chip/register_port", &rule, "apb");
        assert!(Config::from_json(&json.replace("none", "apb")).is_ok(), "{json}");
    }
    let dragonfly = dragonfly("", r#", "chip": {"register_port": "none"}"#);
    expect(&dragonfly, "/chip/register_port", "the registers of Dragonfly routing", "apb");
}

#[test]
fn parity_of_group_tables_needs_group_tables() {
    let parity = |vcs: &str| {
        format!(
            r#"{{"name": "x", "ports": 4, "virtual_channels": {vcs}, "multicast": {{"groups": 4, "parity": {{}}}},
                "routing": {{"kind": "source", "hops": 2}}}}"#
        )
    };
    expect(&parity(r#"{"unicast": 2}"#), "/multicast/parity", "no group tables", "null");
    assert!(Config::from_json(&parity(r#"{"unicast": 1, "mixed": 1}"#)).is_ok());
}

/// Address, multicast bit and padding lie behind each other; the padding in one flit.
#[test]
fn the_header_of_a_stream_has_its_places() {
    for (flit_bits, hops, mixed, cut_through, header_flits, padding_low) in [
        (64, 5, 0, false, 1, 10),
        (64, 5, 1, false, 1, 11),
        (24, 11, 0, false, 1, 22),
        (24, 11, 1, false, 2, 24),
        (24, 12, 0, false, 2, 24),
        (24, 12, 0, true, 1, 24),
    ] {
        let json = format!(
            r#"{{"name": "x", "ports": 4, "flit_bits": {flit_bits}, "virtual_channels": {{"unicast": 1, "mixed": {mixed}}},
                "routing": {{"kind": "source", "hops": {hops}}}, "chip": {{"streams": {{"cut_through": {cut_through}}}}}}}"#
        );
        let config = Config::from_json(&json).unwrap_or_else(|faults| panic!("{json}: {faults}"));
        let streams = config.chip_shape().unwrap().streams.unwrap();
        assert_eq!((streams.header_flits, streams.padding_low), (header_flits, padding_low), "{json}");
    }
}
