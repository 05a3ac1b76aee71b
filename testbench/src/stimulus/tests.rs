//! The stimulus as the golden model sees it.

use super::*;
use crate::bench::SwitchBench;
use crate::traffic::{LegalTraffic, Lengths, Pattern, Trace, ANY_VC};
use railyard_model::{bits::ones, Outputs, Switch};
use railyard_spec::Config;
use std::sync::Arc;

fn scenario(traffic: LegalTraffic) -> Scenario {
    Scenario { seed: 5, traffic, ..Scenario::default() }
}

/// Runs the default switch and shows each cycle's inputs and outputs.
fn run(scenario: &Scenario, cycles: u64, mut look: impl FnMut(&Inputs, &Outputs)) -> SwitchBench {
    let shape = Config::named("stimulus").check().unwrap().shape();
    let (mut switch, mut bench) = (Switch::new(&shape), SwitchBench::new(&shape, scenario));
    for _ in 0..cycles {
        let inputs = bench.cycle(switch.outputs());
        if !inputs.reset {
            look(inputs, switch.outputs());
        }
        switch.step(inputs);
    }
    assert!(!bench.is_faulty(), "{:?}", bench.faults());
    bench
}

/// For each port the open VCs; returns (changes of VC inside packets, idle cycles inside packets, flits).
fn link_habits(traffic: LegalTraffic) -> (u64, u64, u64) {
    let (mut changes, mut idle, mut flits) = (0, 0, 0);
    let mut open = [0u8; 16];
    run(&scenario(traffic), 5_000, |inputs, _| {
        for (port, open) in open.iter_mut().enumerate() {
            if inputs.rx_valid >> port & 1 == 0 {
                idle += u64::from(*open != 0);
                continue;
            }
            let vc = 1u8 << inputs.rx_vc[port];
            assert_eq!(inputs.rx_head >> port & 1 == 0, *open & vc != 0, "framing");
            changes += u64::from(*open & !vc != 0);
            flits += 1;
            *open |= vc;
            if inputs.rx_tail >> port & 1 == 1 {
                *open &= !vc;
            }
        }
    });
    (changes, idle, flits)
}

#[test]
fn credit_for_flits_that_were_never_sent_is_a_fault() {
    let shape = Config::named("stimulus").check().unwrap().shape();
    let quiet = scenario(LegalTraffic { load: 0.0, ..LegalTraffic::default() });
    let (mut switch, mut bench) = (Switch::new(&shape), SwitchBench::new(&shape, &quiet));
    for cycle in 0..1_000 {
        let mut outputs = switch.outputs().clone();
        if cycle == 900 {
            outputs.rx_credit_valid.set(3 * shape.vcs);
            outputs.rx_credit[3 * shape.vcs] += 1;
        }
        switch.step(bench.cycle(&outputs));
        assert_eq!(bench.is_faulty(), cycle >= 900);
    }
    assert_eq!(bench.faults(), ["input 3, VC 0: credit was given for flits that were never sent"]);
}

#[test]
fn packets_are_sent_whole_or_interleaved_and_with_bubbles_or_not() {
    let base = LegalTraffic { load: 0.6, ..LegalTraffic::default() };
    let (changes, idle, flits) = link_habits(base.clone());
    assert_eq!((changes, idle), (0, 0));
    assert!(flits > 40_000);
    let (changes, idle, _) = link_habits(LegalTraffic { interleave: true, ..base.clone() });
    assert!(changes > 5_000 && idle == 0, "{changes} {idle}");
    let (changes, idle, flits) = link_habits(LegalTraffic { bubbles: 0.25, ..base });
    let share = idle as f64 / (idle + flits) as f64;
    assert!(changes == 0 && (0.2..0.25).contains(&share), "{changes} {share}");
}

#[test]
fn the_hit_rate_follows_the_working_set() {
    let rate = |addresses_per_port, fresh| {
        let traffic = LegalTraffic {
            load: 0.3,
            lengths: Lengths::Fixed(8),
            addresses_per_port,
            fresh,
            ..LegalTraffic::default()
        };
        run(&scenario(traffic), 60_000, |_, _| {}).totals().hit_rate().unwrap()
    };
    // 2,048 entries a port: 16 x 8 addresses fit, 16 x 4,096 don't.
    let (fits, fresh, over) = (rate(8, 0.0), rate(8, 0.2), rate(4096, 0.0));
    assert!(fits > 0.9 && (0.65..0.8).contains(&fresh) && over < 0.1, "{fits} {fresh} {over}");
}

#[test]
fn packets_without_route_have_their_share() {
    let traffic = LegalTraffic { load: 0.3, unroutable: 0.1, ..LegalTraffic::default() };
    let bench = run(&scenario(traffic), 20_000, |_, _| {});
    let (sent, _, dropped, _) = bench.packets();
    let share = dropped as f64 / sent as f64;
    assert!((0.08..0.12).contains(&share), "{share}");
}

#[test]
fn a_fixed_pattern_goes_where_it_says() {
    let mut to = [[0u32; 16]; 16];
    let traffic =
        LegalTraffic { pattern: Pattern::Neighbour, load: 0.5, lengths: Lengths::Fixed(1), ..LegalTraffic::default() };
    let shape = Config::named("stimulus").check().unwrap().shape();
    let format = Format::new(&shape);
    run(&scenario(traffic), 3_000, |_, outputs| {
        for port in ones(outputs.tx_valid) {
            to[format.source(outputs.flit(port)).unwrap() as usize][port] += 1;
        }
    });
    for (source, row) in to.iter().enumerate() {
        assert!(row[(source + 1) % 16] > 1_000 && row.iter().filter(|&&count| count > 0).count() == 1);
    }
}

/// A sender that sees few reports and a sink that loses them still move traffic.
#[test]
fn lost_reports_are_made_good() {
    let mut lossy = scenario(LegalTraffic { load: 0.3, ..LegalTraffic::default() });
    lossy.sink.lost = 0.5;
    let bench = run(&lossy, 20_000, |_, _| {});
    let accepted = bench.totals().accepted_load(16);
    assert!(accepted > 0.28, "{accepted}");
}

#[test]
fn stalls_hold_outputs_back() {
    let mut stalled = scenario(LegalTraffic { load: 0.9, ..LegalTraffic::default() });
    stalled.sink.stalls = Some(Stalls { share: 0.6, cycles: 300.0 });
    let bench = run(&stalled, 20_000, |_, _| {});
    let accepted = bench.totals().accepted_load(16);
    assert!(accepted < 0.5, "{accepted}");
}

/// More packets at once than queues hold, gaps, and VCs given and not: all are sent, in their order, at their time.
#[test]
fn a_trace_is_played_as_it_is_written() {
    let shape = Config::named("stimulus").check().unwrap().shape();
    let lines = (0..4_000u64).map(|i| {
        let (cycle, source) = (if i < 2_000 { 0 } else { 20 * (i - 2_000) / 16 }, i % 16);
        let vc = if i % 3 == 0 { String::new() } else { (i % 2).to_string() };
        format!("{cycle} {source} {} {} {vc}\n", (i * 7 + i / 16) % 16, 1 + i % 8)
    });
    let trace = Arc::new(
        Trace::parse(&railyard_input::InputSource::File("a.trace".into()), &lines.collect::<String>(), &shape).unwrap(),
    );
    let (mut switch, mut bench) = (Switch::new(&shape), SwitchBench::new(&shape, &Scenario::replay(1, trace.clone())));
    let mut sent = vec![Vec::new(); 16];
    let mut start = 0;
    while bench.stimulus().unplayed() > 0 || !bench.is_idle() {
        assert!(bench.now() < 50_000);
        let now = bench.now();
        if bench.stimulus().is_setting_up() {
            start = now + 1;
        }
        switch.step(bench.cycle(switch.outputs()));
        for packet in bench.stimulus().begun() {
            assert!(now >= packet.generated);
            sent[packet.source as usize].push(*packet);
        }
    }
    assert!(!bench.is_faulty(), "{:?}", bench.faults());
    assert_eq!(bench.packets(), (4_000, 4_000, 0, 0));
    for (written, sent) in trace.sources.iter().zip(&sent) {
        assert_eq!(written.len(), sent.len());
        for (line, packet) in written.iter().zip(sent) {
            assert_eq!(
                (start + line.cycle, line.destination, line.flits),
                (packet.generated, packet.destination, packet.length)
            );
            assert!(line.vc == packet.vc || line.vc == ANY_VC, "{line:?}: {packet}");
        }
    }
}

#[test]
fn resets_come_as_often_as_asked() {
    let mut resets = scenario(LegalTraffic::default());
    resets.resets = 0.002;
    let shape = Config::named("stimulus").check().unwrap().shape();
    let (mut switch, mut bench) = (Switch::new(&shape), SwitchBench::new(&shape, &resets));
    let (mut pulses, mut before) = (0, true);
    for _ in 0..50_000 {
        let inputs = bench.cycle(switch.outputs());
        pulses += u32::from(inputs.reset && !before);
        before = inputs.reset;
        switch.step(inputs);
    }
    assert!((70..130).contains(&pulses), "{pulses}");
    // None while the bench drains, whatever was drawn before: the switch's counters are read then.
    bench.drain();
    for _ in 0..2_000 {
        let inputs = bench.cycle(switch.outputs());
        assert!(!inputs.reset || before, "a reset while draining");
        before = inputs.reset;
        switch.step(inputs);
    }
    assert!(!bench.is_faulty());
}
