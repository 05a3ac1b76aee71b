//! Networks of emitted switches in Verilator: each instance is held against its golden model in every cycle, and the
//! harness checks that all packets arrive and all state comes home. And a switch without its bulletin, which deadlocks.

mod common;

use common::{config, verilog};
use railyard_network::blueprint::{Blueprint, Plan};
use railyard_network::harness::{BarrierTimers, Network, Pattern, Run, RunReport, Traffic};
use railyard_network::topology::{Cube, FatTree, Links, Topology};
use railyard_network::wiring::Port;
use railyard_spec::{CheckedConfig, Shape};
use railyard_testbench::emitted::Emitted;
use railyard_testbench::lockstep::{design, Verilog};
use railyard_verilated::{Build, Compiled};
use std::sync::atomic::{AtomicU64, Ordering};

fn plan(config: &CheckedConfig, topology: Topology, sets: Vec<Vec<usize>>) -> Plan {
    Plan { sets, candidates: 2, ..Plan::new(config.shape(), topology) }
}

fn compiled(config: &CheckedConfig, verilog: &Verilog) -> Compiled {
    Build::quick().compile(&design(&config.shape(), verilog)).unwrap_or_else(|error| panic!("{}: {error}", config.name))
}

/// A network of instances; each is started with unknown values of its own.
fn network(plan: Plan, run: &Run, start: impl Fn(&Shape, u64) -> Emitted) -> Network<Emitted> {
    let seed = AtomicU64::new(1);
    let blueprint = Blueprint::new(plan).unwrap_or_else(|error| panic!("{error}"));
    Network::new(blueprint, run, |shape| start(shape, seed.fetch_add(1, Ordering::Relaxed))).unwrap()
}

fn finished(mut network: Network<Emitted>, cycles: u64) -> RunReport {
    network.run(cycles, |_| ());
    network.finish();
    network.report()
}

fn faultless(config: &CheckedConfig, plan: Plan, run: &Run, cycles: u64) -> RunReport {
    let compiled = compiled(config, &verilog(config));
    let start = |shape: &Shape, seed| Emitted::new(&compiled, shape, seed).unwrap();
    let report = finished(network(plan, run, start), cycles);
    assert!(report.mismatches.is_empty(), "{:#?}", report.mismatches);
    assert!(report.unicast.packets > 1_000 && report.multicast.packets > 100, "{report:?}");
    report
}

fn mixture(load: f64, link_latency: u64) -> Run {
    Run {
        traffic: Traffic { pattern: Pattern::Uniform, load, length: None, multicast: 0.2, ..Traffic::default() },
        link_latency,
        ..Run::default()
    }
}

/// 20 switches of all classes of virtual channels, 16 nodes: barriers of all nodes and of groups that overlap, of whose
/// messages 1 % get lost, and multicast packets run beside unicast.
#[test]
fn a_fat_tree_of_emitted_switches() {
    let switch = config(
        r#"{"name": "fat_tree", "ports": 4, "flit_bits": 64, "virtual_channels": {"unicast": 2, "mixed": 1, "barrier": 1},
            "multicast": {"groups": 16}, "barrier": {"groups": 4}, "packet": {"max_flits": 4}, "routing": {"kind": "source", "hops": 5}}"#,
    );
    let sets: Vec<Vec<usize>> = vec![(0..16).collect(), (0..16).step_by(2).collect(), vec![0, 1, 2], vec![1, 6, 15]];
    let plan = plan(&switch, Topology::FatTree(FatTree::new(4, 3)), sets.clone());
    let run = Run {
        barriers: 0.05,
        barrier_timers: BarrierTimers { retransmit: 15, urge: 40, scale: 3 },
        lost_messages: 0.01,
        corrupt_messages: 0.002,
        lost_credits: 0.01,
        corrupt_credits: 0.01,
        ..mixture(0.5, 3)
    };
    let report = faultless(&switch, Plan { barriers: sets, ..plan }, &run, 8_000);
    let barriers = report.barriers.expect("barriers were run");
    assert!(barriers.groups.iter().all(|group| group.barriers > 20), "{barriers:?}");
    let messages = barriers.messages;
    assert!(messages.lost > 20 && messages.retransmissions > 5 && messages.urges > 5, "{messages:?}");
}

/// 12 switches that look routes up in cache and CAM, and cross the dateline.
#[test]
fn a_torus_of_emitted_switches() {
    let switch = config(
        r#"{"name": "torus", "ports": 6, "flit_bits": 48, "virtual_channels": {"unicast": 2, "mixed": 1},
            "multicast": {"groups": 8}, "packet": {"max_flits": 4},
            "routing": {"kind": "table", "address_bits": 8, "cache": {"entries": 16, "ways": 2}, "next_vc": true}}"#,
    );
    let sets = vec![(0..24).collect(), vec![3, 9, 17]];
    let plan = plan(&switch, Topology::Torus(Cube { radix: vec![4, 3], nodes: 2 }), sets);
    faultless(&switch, plan, &mixture(0.3, 2), 2_000);
}

/// What stands in for the global resource bulletin: each output is given to some packet that wants it, and kept until
/// that packet has all its outputs. Which input comes first differs from output to output.
const WITHOUT_BULLETIN: &str = "
    reg [15:0] held; // outputs that the packet of input i has already (4 x 4 bits)
    reg [15:0] next_held;
    reg [3:0] taken;
    reg [3:0] starting;
    reg [15:0] connecting;

    always @* begin : hold
        integer c;
        integer i;
        integer o;
        taken = held[3:0] | held[7:4] | held[11:8] | held[15:12];
        next_held = held;
        for (o = 0; o < 4; o = o + 1) begin
            for (c = 3; c >= 0; c = c - 1) begin
                i = (o + c) % 4;
                if (~taken[o] & room[o] & waiting[i] & outputs[i*4 + o]) begin
                    next_held[o] = 1'b0;
                    next_held[4 + o] = 1'b0;
                    next_held[8 + o] = 1'b0;
                    next_held[12 + o] = 1'b0;
                    next_held[i*4 + o] = 1'b1;
                end
            end
        end
        for (i = 0; i < 4; i = i + 1) begin
            starting[i] = waiting[i] & may_connect[i] & (held[i*4 +: 4] == outputs[i*4 +: 4]) & (&(free | ~held[i*4 +: 4]));
            if (starting[i]) begin
                next_held[i*4 +: 4] = 4'd0;
            end
            for (o = 0; o < 4; o = o + 1) begin
                connecting[o*4 + i] = starting[i] & outputs[i*4 + o];
            end
        end
    end

    assign turn = taken;
    assign reserved = taken;
    assign saved = 4'd0;
    assign start = starting;
    assign start_to = connecting;

    always @(posedge clock) begin
        held <= reset ? 16'd0 : next_held;
    end

endmodule
";

/// Figure 14 of Cao2016, inside a switch (one switch, four nodes) and between two: groups that overlap, at full load.
#[test]
fn without_the_bulletin_multicast_deadlocks_and_that_is_found() {
    let switch = config(
        r#"{"name": "figure_14", "ports": 4, "flit_bits": 64, "virtual_channels": {"unicast": 1, "mixed": 1},
            "multicast": {"groups": 16}, "packet": {"max_flits": 4}, "routing": {"kind": "source", "hops": 3}}"#,
    );
    let port = |switch, port| Port { switch, port };
    let one = Links { switches: 1, links: vec![], nodes: (0..4).map(|p| port(0, p)).collect(), roots: None };
    let two = Links {
        switches: 2,
        links: vec![[port(0, 3), port(1, 3)].into()],
        nodes: (0..6).map(|node| port(node / 3, node % 3)).collect(),
        roots: None,
    };
    let with = verilog(&switch);
    let mut without = with.clone();
    let (_, unit) = without.files.iter_mut().find(|(name, _)| name.ends_with("_multicast_unit.v")).expect("the unit");
    let ports_end = unit.find(");\n").expect("a port list") + 3;
    unit.replace_range(ports_end.., WITHOUT_BULLETIN);
    let (with, without) = (compiled(&switch, &with), compiled(&switch, &without));
    let mut run =
        Run { traffic: Traffic { pattern: Pattern::Multicast, load: 1.0, ..Traffic::default() }, ..Run::default() };
    run.traffic.length = Some(4);
    for links in [one, two] {
        let nodes = links.nodes.len();
        let sets = vec![(0..nodes).collect(), vec![0, 1, nodes - 1], vec![0, nodes - 2, nodes - 1]];
        let plan = plan(&switch, Topology::Wiring(links), sets);
        let report = |compiled: &Compiled, cycles| {
            finished(network(plan.clone(), &run, |shape, seed| Emitted::alone(compiled, shape, seed).unwrap()), cycles)
        };
        let sound = report(&with, 100_000);
        assert!(sound.mismatches.is_empty() && sound.multicast.packets > 25_000, "{sound:?}");
        let stuck = report(&without, 20_000);
        let found = serde_json::to_string(&stuck.mismatches).unwrap();
        assert!(found.contains("stalled"), "{nodes} nodes: {found}");
    }
}
