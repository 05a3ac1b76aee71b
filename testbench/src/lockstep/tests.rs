use super::*;
use crate::stimulus::{Scenario, Stalls};
use crate::traffic::{Pattern, Trace};
use railyard_model::{Inputs, Outputs, Switch};
use railyard_spec::pins::{pins, Direction, Meaningful};
use railyard_spec::{
    AlgorithmicRouting, BufferEcc, Config, Crossbar, FlowControl, LinkAggregation, LinkArbitration, Multicast, Packet,
    Parity, Routing, Shape, SourceRouting, TableRouting, VirtualChannels,
};
use railyard_verilated::{Build, Unknowns};

/// The golden model as device under test, with a fault at its pins.
struct Mutant<F> {
    shape: Shape,
    switch: Switch,
    fault: F,
}

impl<F: FnMut(u64, &mut Outputs)> Mutant<F> {
    fn new(shape: &Shape, fault: F) -> Mutant<F> {
        Mutant { shape: shape.clone(), switch: Switch::new(shape), fault }
    }

    fn outputs(&mut self) -> Outputs {
        let mut outputs = self.switch.outputs().clone();
        (self.fault)(self.switch.now(), &mut outputs);
        outputs
    }
}

impl<F: FnMut(u64, &mut Outputs)> PromptDevice for Mutant<F> {
    fn step(&mut self, inputs: &Inputs) {
        self.switch.step(inputs);
    }
    fn differs(&mut self, expected: &Outputs) -> bool {
        !self.differences(expected).is_empty()
    }
    fn differences(&mut self, expected: &Outputs) -> Vec<Difference> {
        let outputs = self.outputs();
        differences(&self.shape, expected, |pin, element| super::difference::value(&outputs, pin.name, element))
    }
}

/// The golden model as it is; compared as a whole, so that a test can run for long.
pub(super) struct Same(pub(super) Switch);

impl PromptDevice for Same {
    fn step(&mut self, inputs: &Inputs) {
        self.0.step(inputs);
    }
    fn differs(&mut self, expected: &Outputs) -> bool {
        self.0.outputs() != expected
    }
    fn differences(&mut self, _: &Outputs) -> Vec<Difference> {
        Vec::new()
    }
}

fn table(address_bits: u32) -> Routing {
    Routing::Table(TableRouting { address_bits, ..TableRouting::default() })
}

/// Switches that differ in all that the bench cares for.
fn shapes() -> Vec<(&'static str, Shape)> {
    let base = || Config::named("bench");
    let vcs = |unicast| VirtualChannels { unicast, ..VirtualChannels::default() };
    let mixed = |unicast| VirtualChannels { unicast, mixed: 1, barrier: 0 };
    let source = |hops| Routing::Source(SourceRouting { hops });
    let next_vc = Routing::Table(TableRouting { cache: None, next_vc: true, ..TableRouting::default() });
    let selection = Routing::Table(TableRouting {
        next_vc: true,
        candidates: 3,
        link_aggregation: Some(LinkAggregation::default()),
        ..TableRouting::default()
    });
    let algorithmic = AlgorithmicRouting { next_vc: true, ..AlgorithmicRouting::default() };
    let no_cache = Routing::Table(TableRouting { cache: None, lookups_per_vc: Some(2), ..TableRouting::default() });
    let list = vec![
        ("default", base()),
        ("source", Config { routing: Routing::Source(SourceRouting { hops: 5 }), ports: 5, ..base() }),
        ("relative", Config { flow_control: FlowControl::Relative, ports: 7, virtual_channels: vcs(3), ..base() }),
        ("single", Config { crossbar: Crossbar::Single, ports: 8, virtual_channels: vcs(4), ..base() }),
        (
            "flit",
            Config {
                link_arbitration: LinkArbitration::Flit,
                virtual_channels: vcs(8),
                ports: 9,
                events: true,
                ..base()
            },
        ),
        ("wide", Config { flit_bits: 512, routing: table(64), ports: 4, ..base() }),
        ("narrow", Config { flit_bits: 16, routing: table(64), ports: 6, ..base() }),
        (
            "odd",
            Config {
                flit_bits: 17,
                routing: Routing::Table(TableRouting {
                    address_bits: 33,
                    parity: Some(Parity::default()),
                    ..TableRouting::default()
                }),
                ports: 3,
                virtual_channels: vcs(1),
                buffer_ecc: Some(BufferEcc { fault_pins: false }),
                ..base()
            },
        ),
        ("no cache", Config { routing: no_cache, ports: 6, ..base() }),
        (
            "one flit",
            Config { flit_bits: 16, routing: table(16), ports: 12, packet: Packet { max_flits: 1 }, ..base() },
        ),
        ("long", Config { packet: Packet { max_flits: 64 }, ports: 3, ..base() }),
        ("64 ports", Config { ports: 64, virtual_channels: vcs(8), ..base() }),
        ("mixed", Config { ports: 6, virtual_channels: mixed(1), ..base() }),
        (
            "mixed source",
            Config { ports: 5, virtual_channels: mixed(2), routing: source(3), crossbar: Crossbar::Single, ..base() },
        ),
        ("mixed next_vc", Config { ports: 4, virtual_channels: mixed(8), routing: next_vc, ..base() }),
        (
            "mixed selection",
            Config { ports: 7, flit_bits: 80, virtual_channels: mixed(2), routing: selection, ..base() },
        ),
        (
            "mixed algorithmic",
            Config { ports: 5, virtual_channels: mixed(1), routing: Routing::Algorithmic(algorithmic), ..base() },
        ),
        (
            "mixed wide",
            Config {
                ports: 40,
                virtual_channels: mixed(1),
                routing: source(9),
                flow_control: FlowControl::Relative,
                packet: Packet { max_flits: 1 },
                buffer_flits: Some(2),
                ..base()
            },
        ),
    ];
    let groups = |config: Config| Config { multicast: Multicast { groups: 40, ..Multicast::default() }, ..config };
    list.into_iter().map(|(name, config)| (name, groups(config).check().unwrap().shape())).collect()
}

fn verify(shape: &Shape, scenario: Scenario, cycles: u64) -> Verify {
    Verify { arguments: vec!["CONFIG".into()], ..Verify::new(shape, Verilog::default(), scenario, cycles) }
}

/// The golden model against itself: what fails here is the bench, or the model's own account of packets and credit.
#[test]
fn every_scenario_ends_well_on_every_switch() {
    let mut watched = 0;
    for (name, shape) in shapes() {
        for seed in 0..24 {
            let cycles = 40_000 / shape.ports as u64;
            let run = verify(&shape, Scenario::any(seed), cycles);
            let result = run.run_on(Same(Switch::new(&shape)), &mut |_| {});
            assert!(result.passed(), "{name}, seed {seed}: {:?}\n{result}", run.scenario);
            if result.scoreboard {
                watched += 1;
                let ended = result.packets_delivered + result.packets_dropped + result.packets_flushed;
                assert_eq!(ended, result.packets_sent, "{name}, seed {seed}");
            }
        }
    }
    assert!(watched > 100, "{watched}");
}

/// Packets to groups of all kinds: more copies leave than packets come in, some groups lead nowhere, and groups change
/// under way.
#[test]
fn multicast_packets_are_sent_and_followed() {
    for (name, shape) in shapes().into_iter().filter(|(_, shape)| shape.multicast.is_some()) {
        for moves in [0.0, 0.003] {
            let mut scenario = Scenario { moves, ..Scenario::new(3, Pattern::Uniform, 0.6) };
            (scenario.traffic.multicast, scenario.traffic.unroutable) = (0.3, 0.05);
            let mut lockstep = Lockstep::new(&shape, &scenario, Same(Switch::new(&shape)));
            lockstep.run(20_000, &mut |_| {}).unwrap_or_else(|stop| panic!("{name}: {stop:?}"));
            let (sent, delivered, dropped, flushed) = lockstep.bench().packets();
            let copies: u64 = lockstep.golden().counters().iter().map(|port| port.packets_out).sum();
            assert!(lockstep.bench().scoreboard().is_some() && sent == delivered + dropped && flushed == 0, "{name}");
            assert!(dropped > 50 && copies > delivered + 1_000, "{name}: {copies} copies, {delivered}, {dropped}");
        }
    }
}

/// Illegal senders do what they are for: every sticky error shows up.
#[test]
fn mischief_reaches_every_error() {
    for (name, shape) in shapes() {
        let scenario = Scenario { mischief: 0.05, ..Scenario::new(1, Pattern::Uniform, 0.5) };
        let mut lockstep = Lockstep::new(&shape, &scenario, Same(Switch::new(&shape)));
        let mut seen = [false; 6];
        for _ in 0..40_000 {
            lockstep.step().unwrap();
            let out = lockstep.golden().outputs();
            let flags = [
                out.error_vc != 0 || shape.vcs == 1 << shape.vc_bits,
                out.error_framing != 0,
                out.error_overflow != 0,
                out.error_length != 0,
                out.error_credit != 0,
                out.error_cam || !shape.external_cam(),
            ];
            seen.iter_mut().zip(flags).for_each(|(seen, flag)| *seen |= flag);
        }
        assert_eq!(seen, [true; 6], "{name}");
    }
}

#[test]
fn a_mismatch_is_reported_with_all_that_helps() {
    let shape = Config::named("bench").check().unwrap().shape();
    let scenario = Scenario::new(7, Pattern::Uniform, 0.8);
    let fault = |now: u64, outputs: &mut Outputs| {
        if now >= 1_000 && outputs.tx_valid >> 5 & 1 == 1 {
            outputs.tx_flit[5 * 2 + 1] ^= 0x40;
        }
    };
    let mut run = verify(&shape, scenario, 10_000);
    run.arguments = vec!["my file.json".to_owned()];
    let result = run.run_on(Mutant::new(&shape, fault), &mut |_| {});
    let failure = result.failure.as_ref().unwrap();
    assert_eq!((failure.kind, result.mismatches), (FailureKind::Mismatch, 1));
    let difference = &failure.differences[0];
    assert_eq!((difference.pin.as_str(), difference.port, difference.vc), ("tx_flit", Some(5), None));
    assert!((1_000..1_100).contains(&failure.cycle));
    assert!(failure.history.iter().any(|line| line.contains("output 5, VC")), "{result}");
    let cycles = failure.cycle + 1;
    let command = format!("railyard verify 'my file.json' --seed 7 --traffic uniform --load 0.8 --cycles {cycles}");
    assert_eq!(failure.reproduce, command);
    println!("{result}");
    let text = serde_json::to_string(&result).unwrap();
    assert_eq!(serde_json::from_str::<Verification>(&text).unwrap().failure, result.failure);

    // What the command says is what happens.
    run.cycles = cycles;
    let again = run.run_on(Mutant::new(&shape, fault), &mut |_| {});
    assert_eq!(again.failure.unwrap().cycle, failure.cycle);

    // No command has Verilog that a program made.
    run.arguments.clear();
    let own = run.run_on(Mutant::new(&shape, fault), &mut |_| {}).failure.unwrap();
    assert!(own.reproduce.starts_with(&format!("the same program, with {cycles} cycles: ")), "{own}");
}

#[test]
fn a_run_that_delivers_nothing_says_so() {
    let shape = Config::named("bench").check().unwrap().shape();
    let mut lost = Scenario::new(1, Pattern::Uniform, 0.5);
    lost.traffic.unroutable = 1.0;
    for (scenario, cycles, why) in [
        (Scenario::new(1, Pattern::Uniform, 0.0), 1_000, "the sources had none"),
        (Scenario::new(1, Pattern::Uniform, 0.5), 1, "the sources had none"),
        (lost, 1_000, "dropped for want of a route, 0 lost to resets"),
    ] {
        let result = verify(&shape, scenario, cycles).run_on(Same(Switch::new(&shape)), &mut |_| {});
        let text = result.to_string();
        assert!(result.passed() && !text.contains("passed") && text.contains("nothing was delivered"), "{text}");
        assert!(result.notes[0].contains(why), "{text}");
    }
}

/// A failure under a trace is found again by the command that the report prints: the trace is part of it.
#[test]
fn a_trace_is_verified_reproducibly() {
    let shape = Config::named("bench").check().unwrap().shape();
    let text: String = (0..600u32).map(|i| format!("{} {} {} 8\n", i / 2, i % 16, i * 5 % 16)).collect();
    let trace = std::sync::Arc::new(
        Trace::parse(&railyard_input::InputSource::File("my.trace".into()), &text, &shape).unwrap(),
    );
    let mut run = verify(&shape, Scenario::replay(1, trace), 2_000);
    let result = run.run_on(Same(Switch::new(&shape)), &mut |_| {});
    assert!(result.passed() && result.scoreboard, "{result}");
    assert_eq!((result.packets_sent, result.packets_delivered, result.traffic.as_str()), (600, 600, "trace"));
    assert_eq!((result.load, result.notes.len()), (0.15, 0));

    let fault = |now: u64, outputs: &mut Outputs| {
        if now >= 200 {
            outputs.tx_flit[0] ^= 1;
        }
    };
    let failure = run.run_on(Mutant::new(&shape, fault), &mut |_| {}).failure.unwrap();
    assert!(failure.reproduce.contains("--seed 1 --traffic-file my.trace --cycles "), "{failure}");
    run.cycles = failure.cycle + 1;
    let again = run.run_on(Mutant::new(&shape, fault), &mut |_| {}).failure.unwrap();
    assert_eq!((again.cycle, again.differences), (failure.cycle, failure.differences));

    run.cycles = 100;
    let short = run.run_on(Same(Switch::new(&shape)), &mut |_| {});
    assert!(short.passed() && short.notes[0].ends_with("did not come before the end: 400"), "{short}");
}

/// A value that means nothing is nobody's mismatch.
#[test]
fn meaningless_outputs_are_not_compared() {
    let shape = Config::named("bench").check().unwrap().shape();
    let fault = |_: u64, outputs: &mut Outputs| {
        for port in 0..16 {
            if outputs.tx_valid >> port & 1 == 0 {
                outputs.tx_flit[2 * port] ^= 1;
                outputs.tx_vc[port] ^= 1;
                outputs.tx_head ^= 1 << port;
                outputs.tx_tail ^= 1 << port;
            }
        }
        if !outputs.cam_request_valid {
            outputs.cam_request_tag ^= 1;
            outputs.cam_request_address ^= 1;
        }
    };
    let run = verify(&shape, Scenario::new(7, Pattern::Uniform, 0.3), 2_000);
    assert!(run.run_on(Mutant::new(&shape, fault), &mut |_| {}).passed());
}

/// Nothing is generated any more, but credit that doesn't come back keeps a run from ending.
#[test]
fn back_pressure_and_lost_reports_end_in_full_credit() {
    let shape = Config::named("bench").check().unwrap().shape();
    let mut scenario = Scenario::new(3, Pattern::HotSpot { port: 2, share: 0.5 }, 1.0);
    scenario.sink.lost = 0.7;
    scenario.sink.delay_max = 40;
    scenario.sink.stalls = Some(Stalls { share: 0.5, cycles: 200.0 });
    let result = verify(&shape, scenario, 5_000).run_on(Same(Switch::new(&shape)), &mut |_| {});
    assert!(result.passed(), "{result}");
}

/// A module with the switch's pins whose outputs are its inputs of the cycle before, so that each output is under
/// control.
fn mirror(shape: &Shape) -> Verilog {
    let list = pins(shape);
    let mut ports = Vec::new();
    let mut body = String::new();
    for pin in &list {
        let range = if pin.width() > 1 { format!("[{}:0] ", pin.width() - 1) } else { String::new() };
        let direction = if pin.direction == Direction::Input { "input wire" } else { "output reg" };
        ports.push(format!("  {direction} {range}{}", pin.name));
    }
    for (to, from) in MIRRORED {
        if list.iter().any(|pin| pin.name == *to) {
            body += &format!("    {to} <= {from};\n");
        }
    }
    let text = format!(
        "module mirror (\n{}\n);\n  always @(posedge clock) begin\n{body}  end\nendmodule\n",
        ports.join(",\n")
    );
    Verilog { top: "mirror".to_owned(), files: vec![("mirror.v".to_owned(), text)] }
}

const MIRRORED: &[(&str, &str)] = &[
    ("tx_valid", "rx_valid"),
    ("tx_vc", "rx_vc"),
    ("tx_head", "rx_head"),
    ("tx_tail", "rx_tail"),
    ("tx_flit", "rx_flit"),
    ("tx_bad", "rx_bad"),
    ("tx_corrected", "rx_head"),
    ("rx_credit_valid", "tx_credit_valid"),
    ("rx_credit", "tx_credit"),
    ("rx_min_credit", "tx_min_credit"),
    ("cam_request_valid", "cam_response_valid"),
    ("cam_request_tag", "cam_response_tag"),
    ("cam_request_address", "cam_response_port"),
    ("lookup_hit", "rx_head"),
    ("lookup_miss", "rx_tail"),
    ("lookup_parity", "rx_valid"),
    ("drop_valid", "tx_credit_valid"),
    ("drop_count", "0"),
    ("error_vc", "rx_valid"),
    ("error_framing", "rx_valid"),
    ("error_overflow", "rx_valid"),
    ("error_length", "rx_valid"),
    ("error_credit", "rx_valid"),
    ("error_cam", "error_clear"),
    ("event_interrupt", "error_clear"),
];

fn mirrored(shape: &Shape, inputs: &Inputs, before: &Outputs) -> Outputs {
    let mut out = before.clone();
    out.tx_valid = inputs.rx_valid;
    (out.tx_head, out.tx_tail, out.tx_vc) = (inputs.rx_head, inputs.rx_tail, inputs.rx_vc);
    out.tx_flit.copy_from_slice(&inputs.rx_flit);
    if shape.buffer_code.is_some() {
        (out.tx_bad, out.tx_corrected) = (inputs.rx_bad, inputs.rx_head);
    }
    out.rx_credit_valid = inputs.tx_credit_valid;
    out.rx_credit.copy_from_slice(&inputs.tx_credit);
    out.rx_min_credit.copy_from_slice(&inputs.tx_min_credit);
    out.drop_valid = inputs.tx_credit_valid;
    if shape.table().is_some() {
        out.cam_request_valid = inputs.cam_response_valid;
        out.cam_request_tag = inputs.cam_response_tag;
        out.cam_request_address = u64::from(inputs.cam_response_port);
        (out.lookup_hit, out.lookup_miss) = (inputs.rx_head, inputs.rx_tail);
        out.lookup_parity = if shape.cache_parity().is_some() { inputs.rx_valid } else { 0 };
        out.error_cam = inputs.error_clear;
    }
    out.event_interrupt = shape.events && inputs.error_clear;
    let errors = [
        &mut out.error_vc,
        &mut out.error_framing,
        &mut out.error_overflow,
        &mut out.error_length,
        &mut out.error_credit,
    ];
    errors.into_iter().for_each(|error| *error = inputs.rx_valid);
    out
}

/// Every element of every pin, for shapes whose pins are narrow, wide, and across words: what is written arrives, what
/// arrives is read, and a flipped bit is seen exactly where it means something.
#[test]
fn pins_of_the_verilated_design_are_written_and_compared() {
    let shapes: Vec<_> = shapes().into_iter().filter(|(name, _)| ["odd", "flit", "64 ports"].contains(name)).collect();
    for (name, mut shape) in shapes {
        // The register port answers by itself; a mirror can't.
        shape.registers = false;
        let build = Build { unknowns: Unknowns::Random, ..Build::quick() };
        let compiled = build.compile(&design(&shape, &mirror(&shape))).unwrap();
        let mut hardware = VerilatedSwitch::new(&compiled, &shape, 1).unwrap();
        let mut random = crate::random::Random::new(1, 0);
        let (mut inputs, mut expected) = (Inputs::new(&shape), Outputs::new(&shape));
        // The mirror's registers that only valid inputs change start as written.
        inputs.rx_valid = u64::MAX >> (64 - shape.ports);
        (0..shape.ports * shape.vcs).for_each(|channel| inputs.credit(channel, 0));
        for _ in 0..300 {
            hardware.step(&inputs);
            expected = mirrored(&shape, &inputs, &expected);
            assert!(!hardware.differs(&expected), "{name}: {:?}", hardware.differences(&expected));
            let wrong = flipped(&shape, &expected, &mut random);
            let found = hardware.differences(&wrong);
            assert!(found.len() <= 1);
            hardware.repack();
            assert_eq!(hardware.differs(&wrong), found.len() == 1, "{name}: {found:?}");
            hardware.repack();
            crate::stimulus::noise(&shape, &mut random, &mut inputs);
            // Heads and tails are mirrored where the flit is invalid too, but not written then.
            if inputs.rx_valid == 0 {
                inputs.rx_valid = 1;
            }
        }
    }
}

/// The outputs with one bit of one element changed.
fn flipped(shape: &Shape, outputs: &Outputs, random: &mut crate::random::Random) -> Outputs {
    let mut out = outputs.clone();
    let outputs: Vec<_> = pins(shape).into_iter().filter(|pin| pin.direction == Direction::Output).collect();
    let pin = &outputs[random.below(outputs.len() as u64) as usize];
    let element = random.below(pin.count as u64) as usize;
    let bit = random.below(u64::from(pin.bits)) as usize;
    match pin.name {
        "rx_credit_valid" => out.rx_credit_valid.put(element, !out.rx_credit_valid.get(element)),
        "rx_credit" => out.rx_credit[element] ^= 1 << bit,
        "rx_min_credit" => out.rx_min_credit[element] ^= 1 << bit,
        // Flipping a qualifier makes other values count: flip what it qualifies instead.
        "tx_valid" | "cam_request_valid" => out.lookup_hit ^= u64::from(shape.table().is_some()),
        "tx_vc" => out.tx_vc[element] ^= 1 << bit,
        "tx_head" => out.tx_head ^= 1 << element,
        "tx_tail" => out.tx_tail ^= 1 << element,
        "tx_flit" => out.tx_flit[element * out.words + bit / 32] ^= 1 << (bit % 32),
        "tx_bad" => out.tx_bad ^= 1 << element,
        "tx_corrected" => out.tx_corrected ^= 1 << element,
        "cam_request_tag" => out.cam_request_tag ^= 1 << bit,
        "cam_request_address" => out.cam_request_address ^= 1 << bit,
        "lookup_hit" => out.lookup_hit ^= 1 << element,
        "lookup_miss" => out.lookup_miss ^= 1 << element,
        "lookup_parity" => out.lookup_parity ^= 1 << element,
        "drop_valid" => out.drop_valid.put(element, !out.drop_valid.get(element)),
        "drop_count" => out.drop_count[element] ^= 1 << bit,
        "error_vc" => out.error_vc ^= 1 << element,
        "error_framing" => out.error_framing ^= 1 << element,
        "error_overflow" => out.error_overflow ^= 1 << element,
        "error_length" => out.error_length ^= 1 << element,
        "error_credit" => out.error_credit ^= 1 << element,
        "error_cam" => out.error_cam = !out.error_cam,
        "event_interrupt" => out.event_interrupt = !out.event_interrupt,
        other => panic!("{other}"),
    }
    out
}

/// A design that does nothing fails at its first credit report, with a waveform of it.
#[test]
fn a_dead_design_fails_with_a_waveform() {
    let shape = Config { ports: 3, ..Config::named("dead") }.check().unwrap().shape();
    let list = pins(&shape);
    let ports: Vec<String> = list
        .iter()
        .map(|pin| {
            let direction = if pin.direction == Direction::Input { "input" } else { "output" };
            format!("  {direction} wire [{}:0] {}", pin.width() - 1, pin.name)
        })
        .collect();
    let outputs = list.iter().filter(|pin| pin.direction == Direction::Output);
    let body: String = outputs.map(|pin| format!("  assign {} = 0;\n", pin.name)).collect();
    let text = format!("module dead (\n{}\n);\n{body}endmodule\n", ports.join(",\n"));
    let verilog = Verilog { top: "dead".to_owned(), files: vec![("dead.v".to_owned(), text)] };
    let folder = tempfile::tempdir().unwrap();
    let run = Verify {
        build: Build::quick(),
        waveform: Some(Waveform { path: folder.path().join("dead.vcd"), window: Some(100) }),
        ..Verify::new(&shape, verilog, Scenario::new(1, Pattern::Uniform, 0.5), 1_000)
    };
    let result = run.run(|_| {}).unwrap();
    let failure = result.failure.as_ref().unwrap();
    assert_eq!(failure.kind, FailureKind::Mismatch, "{result}");
    let waveform = std::fs::read_to_string(folder.path().join("dead.vcd")).unwrap();
    assert!(waveform.contains("rx_flit") && waveform.contains(&format!("#{}", 10 * failure.cycle)));
    println!("{result}");
}

/// Pins that mean something only sometimes are those that [`flipped`] and the comparison treat so.
#[test]
fn the_pin_list_is_the_one_that_the_comparison_knows() {
    for (_, shape) in shapes() {
        for pin in pins(&shape) {
            let qualified = matches!(pin.meaningful, Meaningful::While(_));
            let known = ["vc", "head", "tail", "flit", "_bad", "_corrected", "_flip"]
                .iter()
                .any(|name| pin.name.ends_with(name))
                || ["tx_credit", "tx_min_credit"].contains(&pin.name)
                || ["tag", "address", "port"].iter().any(|name| pin.name.ends_with(name))
                || pin.name.starts_with("cam_response_") && pin.name != "cam_response_valid"
                || ["apb_pwrite", "apb_paddr", "apb_pwdata"].contains(&pin.name);
            assert_eq!(qualified, known && pin.name != "error_vc", "{}", pin.name);
        }
    }
}
