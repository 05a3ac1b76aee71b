//! A link delays and loses what it is told to; the top is a list of links.

use super::link::{link, Link, MessageFaults, TotalFaults};
use crate::rtl::prelude::*;
use railyard_spec::network::Lanes;
use railyard_spec::{BufferEcc, CheckedConfig, Config, FlowControl};

fn config() -> CheckedConfig {
    let mut config = Config::named("n");
    config.ports = 3;
    config.virtual_channels.barrier = 1;
    config.check().unwrap()
}

fn bench(latency: usize) -> Bench<Link> {
    let mut bench = Bench::new(link(&config().shape(), latency), |link| &mut link.clock);
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;
    bench
}

fn message_faults(link: &mut Link) -> &mut MessageFaults {
    link.message.as_mut().expect("with barriers")
}

fn total_faults(link: &mut Link) -> &mut TotalFaults {
    link.totals.as_mut().expect("with absolute credits")
}

#[test]
fn everything_leaves_latency_cycles_later() {
    for latency in [1, 2, 5] {
        let mut bench = bench(latency);
        bench.tx.valid.next = true;
        bench.tx.flit.next = 0xabcd_u32.into();
        bench.rx_credit_valid.next = 0b10u32.into();
        bench.rx_credit.next = 0x55u32.into();
        bench.cycle();
        bench.tx.valid.next = false;
        bench.rx_credit_valid.next = 0u32.into();
        for waiting in 1..latency {
            assert!(!bench.rx.valid.val() && !bench.tx_credit_valid.val().any(), "{waiting} of {latency}");
            bench.cycle();
        }
        assert!(bench.rx.valid.val());
        assert_eq!(bench.rx.flit.val(), 0xabcd_usize);
        assert_eq!((bench.tx_credit_valid.val(), bench.tx_credit.val()), (0b10u32.into(), 0x55u32.into()));
        bench.cycle();
        assert!(!bench.rx.valid.val() && !bench.tx_credit_valid.val().any());
    }
}

#[test]
fn a_bad_packet_stays_one() {
    let config = Config { buffer_ecc: Some(BufferEcc::default()), ..config().into_config() };
    let mut bench = Bench::new(link(&config.check().unwrap().shape(), 2), |link| &mut link.clock);
    for bad in [true, false, true, false, false] {
        bench.tx.bad.as_mut().unwrap().next = bad;
        bench.cycle();
        bench.tx.bad.as_mut().unwrap().next = !bad;
        bench.cycle();
        assert_eq!(bench.rx.bad.as_ref().unwrap().val(), bad);
    }
}

#[test]
fn faults_act_on_what_leaves_and_only_on_barrier_messages() {
    let mut bench = bench(1);
    let barrier_vc = config().shape().barrier.expect("a barrier VC").vc;
    let mut leaves = |vc: usize, set: &dyn Fn(&mut Link)| {
        bench.tx.valid.next = true;
        bench.tx.vc.next = vc.into();
        bench.tx.flit.next = 0x80u32.into();
        bench.cycle();
        bench.down.next = false;
        let faults = message_faults(&mut bench);
        (faults.message_lost.next, faults.message_flip.next) = (false, false);
        set(&mut bench);
        bench.settle();
        bench.rx.valid.val().then(|| bench.rx.flit.val().to_u128())
    };
    for vc in [0, barrier_vc] {
        let is_message = vc == barrier_vc;
        assert_eq!(leaves(vc, &|_| ()), Some(0x80));
        assert_eq!(leaves(vc, &|link| message_faults(link).message_lost.next = true), (!is_message).then_some(0x80));
        let flip = |link: &mut Link| {
            let faults = message_faults(link);
            (faults.message_flip.next, faults.message_bit.next) = (true, 31usize.into());
        };
        assert_eq!(leaves(vc, &flip), Some(if is_message { 0x8000_0080 } else { 0x80 }));
        assert_eq!(leaves(vc, &|link| link.down.next = true), None);
    }
}

#[test]
fn reports_are_lost_and_totals_repeated() {
    let mut bench = bench(1);
    let all = (1u64 << config().shape().vcs) - 1;
    bench.rx_credit_valid.next = 0b11u32.into();
    bench.rx_credit.next = 9u32.into();
    bench.cycle();
    let mut reports = |down: bool, lost: u64, repeat: bool| {
        bench.down.next = down;
        bench.credit_lost.next = lost.into();
        total_faults(&mut bench).credit_repeat.next = repeat;
        bench.settle();
        assert_eq!(bench.tx_credit.val(), 9usize);
        bench.tx_credit_valid.val().to_u128() as u64
    };
    assert_eq!(reports(false, 0, false), 0b11);
    assert_eq!(reports(false, 0b01, false), 0b10);
    assert_eq!(reports(false, 0b11, true), all);
    assert_eq!(reports(true, 0, true), 0);
}

#[test]
fn of_a_corrupted_report_the_highest_bit_is_flipped() {
    let mut bench = bench(1);
    let shape = config().shape();
    let bits = shape.credit_bits as usize;
    let total = |v: usize| 2 * v as u128 + 1;
    let totals = (0..shape.vcs).fold(0, |all, v| all | total(v) << (v * bits));
    bench.rx_credit.next = totals.into();
    bench.cycle();
    for flipped in 0..1usize << shape.vcs {
        total_faults(&mut bench).credit_flip.next = flipped.into();
        bench.settle();
        let credit = bench.tx_credit.val().to_u128();
        for v in 0..shape.vcs {
            let flip = (flipped as u128 >> v & 1) << (bits - 1);
            assert_eq!(credit >> (v * bits) & ((1 << bits) - 1), total(v) ^ flip, "VC {v} of {flipped:#b}");
        }
    }
}

#[test]
fn the_kind_of_switch_decides_which_faults_there_are() {
    let mut config = config().into_config();
    config.virtual_channels.barrier = 0;
    config.flow_control = FlowControl::Relative;
    let link = link(&config.check().unwrap().shape(), 2);
    assert!(link.message.is_none() && link.totals.is_none());
}

#[test]
fn the_top_lists_every_link() {
    // Two switches with two links between them, a node at each.
    let lanes = Lanes { switches: 2, ports: 3, nodes: 2, origins: vec![6, 4, 5, 7, 1, 2, 0, 3], latencies: vec![1; 8] };
    let design = super::elaborate(&config(), "pair", &lanes).unwrap();
    let top = design.top();
    assert_eq!(top.name, "pair_network");
    for line in ["0: origin = 6; // node 0 -> switch 0 port 0", "4: origin = 1; // switch 0 port 1 -> switch 1 port 1"]
    {
        assert!(top.text.contains(line), "{line}:\n{}", top.text);
    }
    assert!(design.modules.iter().all(|module| module.text.lines().all(|line| line.len() <= 120)));
}

#[test]
fn links_of_several_latencies_are_several_modules() {
    let origins = vec![6, 4, 5, 7, 1, 2, 0, 3];
    let lanes = Lanes { switches: 2, ports: 3, nodes: 2, origins, latencies: vec![2, 7, 2, 2, 7, 2, 2, 2] };
    let design = super::elaborate(&config(), "pair", &lanes).unwrap();
    let links: Vec<&str> =
        design.modules.iter().map(|module| module.name.as_str()).filter(|name| name.starts_with("pair_link")).collect();
    assert_eq!(links, ["pair_link_2", "pair_link_7"]);
    let text = &design.top().text;
    for line in ["1: latency = 7;", "4: latency = 7;", "default: latency = 2;", "if (LATENCY == 7) begin : link_7"] {
        assert!(text.contains(line), "{line}:\n{text}");
    }
    assert!(!text.contains("0: latency") && text.contains("latency = 2 to 7"), "{text}");
}
