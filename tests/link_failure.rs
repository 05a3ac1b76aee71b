//! A link that fails under load (Hirasawa2022, 5.3, figure 5.22): table and caches, port map or groups are changed by
//! the procedure of switch reference 4.5, and the destinations of the link are reached by another one. Hardware and
//! golden model are held against each other in every cycle; the scoreboard sees that no packet is lost or overtaken,
//! and that none sent after the change leaves by the failed link.

mod common;

use common::{config, verilog};
use railyard_spec::{reduction::key, CheckedConfig};
use railyard_testbench::lockstep::{design, Lockstep, VerilatedSwitch};
use railyard_testbench::stimulus::{LinkFailure, Scenario};
use railyard_testbench::traffic::{AddressTable, Addresses, Pattern};
use railyard_verilated::Build;

const FAILS: u64 = 20_000;
/// Cycles without credit, where something waits for the link whose way is decided.
const SILENCE: u64 = 1_000;
/// From here on nothing is left of what was on its way at the failure.
const SETTLED: u64 = 24_000;
const END: u64 = 44_000;

/// Flits for each cycle in a span of a run.
#[derive(Debug)]
struct Rates {
    link: f64,
    detour: f64,
    all: f64,
}

/// Runs to the end of the traffic and beyond, until all is delivered; the rates before the failure, in the 1,000 cycles
/// from 200 behind it, and when all has settled.
fn rates(config: &CheckedConfig, scenario: &Scenario) -> [Rates; 3] {
    let (shape, verilog) = (config.shape(), verilog(config));
    let failure = scenario.failure.expect("a failure");
    assert_eq!(failure.faults(&shape), []);
    let model = Build::quick().compile(&design(&shape, &verilog)).unwrap();
    let hardware = VerilatedSwitch::new(&model, &shape, scenario.seed).unwrap();
    let mut lockstep = Lockstep::new(&shape, scenario, hardware);
    let mut span = |from: u64, to: u64| {
        let (mut link, mut detour, mut all) = (0, 0, 0);
        while lockstep.bench().now() < to {
            let valid = lockstep.golden().outputs().tx_valid;
            if lockstep.bench().now() >= from {
                link += valid >> failure.port & 1;
                detour += valid >> failure.detour & 1;
                all += u64::from(valid.count_ones());
            }
            lockstep.step().unwrap_or_else(|stop| panic!("{}: {stop:?}", config.name));
        }
        let rate = |flits: u64| flits as f64 / (to - from) as f64;
        Rates { link: rate(link), detour: rate(detour), all: rate(all) }
    };
    let spans = [span(1_000, FAILS), span(FAILS + 200, FAILS + 1_200), span(SETTLED, END)];
    lockstep.run(END, &mut |_| {}).unwrap_or_else(|stop| panic!("{}: {stop:?}", config.name));
    let (sent, delivered, dropped, flushed) = lockstep.bench().packets();
    assert!(lockstep.bench().scoreboard().is_some(), "{}: packets are watched", config.name);
    assert!(sent > 1_000 && (delivered, dropped, flushed) == (sent, 0, 0), "{}: {delivered} of {sent}", config.name);
    spans
}

/// Uniform traffic: what left by the link leaves by the detour, besides what that has of its own.
fn is_led_around(config: &CheckedConfig, seed: u64, port: u8, detour: u8) {
    let mut scenario = Scenario::new(seed, Pattern::Uniform, 0.3);
    scenario.traffic.addresses_per_port = 16;
    scenario.failure = Some(LinkFailure { cycle: FAILS, port, detour, silence: Some(SILENCE) });
    let [before, _, after] = rates(config, &scenario);
    let name = &config.name;
    assert!(before.link > 0.1, "{name}: {before:?}");
    assert_eq!(after.link, 0.0, "{name}: {after:?}");
    let share = (before.link + before.detour) / before.all;
    assert!((after.detour / after.all / share - 1.0).abs() < 0.1, "{name}: {before:?} {after:?}");
}

/// Figure 5.22: in a ring, the entry of the key "plus" gets the port of the key "minus", for all destinations of the
/// key at once.
#[test]
fn figure_5_22() {
    let config = config(
        r#"{"name": "figure_5_22", "ports": 3, "flit_bits": 48,
            "routing": {"kind": "table", "address_bits": 8, "cache": {"entries": 16, "ways": 4},
                        "node_reduction": {"chunk_bits": [8]}}}"#,
    );
    let seed = 1;
    let table = AddressTable::new(&config.shape(), 16, 0, seed).unwrap();
    let Addresses::Place(place) = &table.addresses else { panic!("a place in a topology") };
    let [plus, minus] = [key::plus(0), key::minus(0)].map(|key| place.route_of_key(key).expect("a way").port);
    is_led_around(&config, seed, plus, minus);
}

#[test]
fn table_and_cache() {
    let config = config(
        r#"{"name": "failing_table", "ports": 5, "flit_bits": 40, "virtual_channels": {"unicast": 2},
            "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 64, "ways": 4}}}"#,
    );
    is_led_around(&config, 2, 1, 4);
}

#[test]
fn port_map_of_algorithmic_routing() {
    let config = config(
        r#"{"name": "failing_map", "ports": 5, "flit_bits": 32,
            "routing": {"kind": "algorithmic", "address_bits": 12, "node_reduction": {"chunk_bits": [3]}}}"#,
    );
    is_led_around(&config, 3, 2, 0);
}

/// Packets of a group go over to its other links at once, those that wait in the switch as well: the failed link never
/// gives credit again, and nobody waits for it. (All routes of their own lead to one port, which isn't that of the
/// link.)
#[test]
fn group_loses_a_link() {
    let config = config(
        r#"{"name": "failing_group", "ports": 6, "flit_bits": 40, "virtual_channels": {"unicast": 2},
            "routing": {"kind": "table", "address_bits": 16, "cache": {"entries": 64, "ways": 4},
                        "link_aggregation": {"groups": 1, "links": 4}}}"#,
    );
    let seed = 1;
    let links = &AddressTable::new(&config.shape(), 16, 0, seed).unwrap().groups[0];
    let port = links[0];
    let detour = *links.iter().find(|&&link| link != port).expect("another link");
    let other = (0..6).find(|link| !links.contains(link)).expect("a port outside the group");
    let mut scenario = Scenario::new(seed, Pattern::HotSpot { port: other.into(), share: 1.0 }, 0.2);
    scenario.traffic.addresses_per_port = 16;
    scenario.failure = Some(LinkFailure { cycle: FAILS, port, detour, silence: None });
    let [before, during, after] = rates(&config, &scenario);
    assert!(before.link > 0.05, "{before:?}");
    assert_eq!((during.link, after.link), (0.0, 0.0), "{during:?} {after:?}");
    assert!(during.all > 0.9 * before.all && after.all > 0.95 * before.all, "{before:?} {during:?} {after:?}");
    assert!(after.detour > before.detour + 0.9 * before.link / links.len() as f64, "{before:?} {after:?}");
}
