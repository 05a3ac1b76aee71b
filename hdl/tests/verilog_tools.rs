//! Blocks written with the kernel macro: their Verilog is lint-free, and means the same in all three simulators.

mod common;

use common::blocks::*;
use common::tools::{inputs, lint, simulate, Simulator, Trial};
use num_bigint::BigUint;
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use railyard_hdl::rtl::prelude::*;

fn design(block: &dyn Block, top: &str) -> Design {
    emit(block, top).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn random_bits(rng: &mut TestRng, width: usize) -> BigUint {
    let digits = (0..width.div_ceil(32)).map(|_| rng.next_u32()).collect();
    BigUint::new(digits) & ((BigUint::from(1u8) << width) - 1u8)
}

/// Random inputs; reset in the first two cycles only.
fn stimuli(design: &Design, cycles: usize) -> Vec<Vec<BigUint>> {
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let value = |cycle: usize, port: &ModulePort, rng: &mut TestRng| match port.name.as_str() {
        "reset" => BigUint::from(u8::from(cycle < 2)),
        _ => random_bits(rng, port.width),
    };
    (0..cycles).map(|cycle| inputs(design).map(|port| value(cycle, port, &mut rng)).collect()).collect()
}

#[test]
fn emitted_verilog_is_lint_free() {
    let designs = [
        design(&lane_counters(3, 8), "lane_counters"),
        design(&lane_counters(64, 130), "lane_counters"),
        design(&queue(16, 66), "queue"),
        design(&merger(4, 16), "merger"),
        design(&merger(64, 64), "merger"),
        design(&gallery(), "gallery"),
        design(&stages(&[8, 8, 8]), "stages"),
        design(&stages(&[8, 16, 130]), "stages"),
    ];
    for design in designs {
        assert_eq!(lint(&design), "", "{}", design.text());
        for line in design.text().lines() {
            assert!(line.len() <= 120, "{line}");
        }
    }
}

#[test]
fn memories_become_block_ram() {
    let design = design(&queue(16, 66), "queue");
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("queue.v"), design.text()).unwrap();
    let script = "read_verilog queue.v; hierarchy -top queue; proc; opt; memory -nomap; stat";
    let output = common::tools::run("yosys", &["-p", script], dir.path());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("$mem_v2"), "{text}");
    assert!(design.modules.iter().any(|m| m.name == "ram_1r1w_16x66"));
}

#[test]
fn kernels_mean_the_same_everywhere() {
    let counters = design(&lane_counters(3, 4), "lane_counters_top");
    let merging = design(&merger(4, 20), "merger_top");
    let all = design(&gallery(), "gallery_top");
    let cycles = 300;
    let trials: Vec<Trial> = [counters, merging, all]
        .into_iter()
        .map(|design| Trial { stimuli: stimuli(&design, cycles), design })
        .collect();
    let expected = [
        by_rust(&trials[0], Bench::new(lane_counters(3, 4), |b| &mut b.clock)),
        by_rust(&trials[1], Bench::new(merger(4, 20), |b| &mut b.clock)),
        by_rust(&trials[2], Bench::combinational(gallery())),
    ];
    for simulator in [Simulator::Icarus, Simulator::Verilator] {
        let results = simulate(simulator, &trials);
        for (t, trial) in trials.iter().enumerate() {
            let ports = trial.design.top().ports.iter().filter(|p| p.direction == PortDirection::Output);
            for cycle in 3..cycles {
                for (i, port) in ports.clone().enumerate() {
                    let (wanted, got) = (&expected[t][cycle][i], &results[t][cycle][i]);
                    // The queues' memories are undefined until written.
                    if port.name == "out" && cycle < 200 {
                        continue;
                    }
                    assert_eq!(wanted, got, "{simulator:?}: {} cycle {cycle}", port.name);
                }
            }
        }
    }
}

/// The outputs of a block in rust-hdl's simulator.
fn by_rust<B: Block + Pins>(trial: &Trial, mut bench: Bench<B>) -> Vec<Vec<BigUint>> {
    let mut results = vec![];
    for stimulus in &trial.stimuli {
        bench.set(stimulus);
        bench.settle();
        results.push(bench.get());
        bench.cycle();
    }
    results
}

#[test]
fn many_ports_emit_quickly() {
    let start = std::time::Instant::now();
    let design = design(&merger(64, 512), "merger");
    let took = start.elapsed();
    eprintln!("64 ports: {} modules, {} lines in {took:?}", design.modules.len(), design.text().lines().count());
    assert!(took.as_millis() < 500, "{took:?}");
}

#[test]
fn snapshots() {
    insta::assert_snapshot!("lane_counters", design(&lane_counters(3, 8), "lane_counters").text());
    insta::assert_snapshot!("merger", design(&merger(4, 16), "merger").text());
    insta::assert_snapshot!("gallery", design(&gallery(), "gallery").text());
    insta::assert_snapshot!("stages", design(&stages(&[8, 8, 8]), "stages").text());
    insta::assert_snapshot!("uneven_stages", design(&stages(&[8, 130]), "stages").text());
}

/// Asleep, a memory keeps its words, and neither writes nor reads; the test pins change nothing.
#[test]
fn memories_sleep() {
    let style = Style { memory_test_bits: Some(2), ..Style::default() };
    let design = emit_styled(&ram(4, 8), "memory", "", style).unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!(lint(&design), "");
    // A write, a read of the same word, both asleep or not; `0x5a` is written, and later `0x33` asleep.
    let cycles =
        [(true, 0x5a, false, false), (true, 0x33, false, true), (false, 0, true, true), (false, 0, true, false)];
    let stimulus = |&(write, data, read, sleep): &(bool, u8, bool, bool)| {
        let value = |name: &str| match name {
            "write_enable" => u8::from(write),
            "write_data" => data,
            "read_enable" => u8::from(read),
            "memory_sleep" => u8::from(sleep),
            "memory_test" => 3,
            _ => 1,
        };
        inputs(&design).map(|port| value(&port.name).into()).collect()
    };
    let stimuli: Vec<Vec<BigUint>> = cycles.iter().chain([&(false, 0, false, false)]).map(stimulus).collect();
    let trial = Trial { design: design.clone(), stimuli };
    let read: Vec<u8> = simulate(Simulator::Icarus, &[trial])[0].iter().map(|out| out[0].to_bytes_le()[0]).collect();
    assert_eq!(read[3..], [!0x5a, 0x5a], "a word that was not read, and the one that was kept");
}
