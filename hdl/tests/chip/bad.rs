//! Marks of bad packets: they go over the links of a network, and out with a stream.

use crate::common::tools::{inputs, simulate, Simulator, Trial};
use crate::{Chip, LONG_HEADER};
use num_bigint::BigUint;
use railyard_hdl::chip::stream_out::stream_out;
use railyard_hdl::network::elaborate;
use railyard_hdl::rtl::prelude::*;
use railyard_spec::network::Lanes;
use railyard_spec::Config;

/// Node 0, switch 0, switch 1, node 1 in a row.
const PAIR: &str = r#"{"name": "pair", "ports": 2, "flit_bits": 16, "virtual_channels": {"unicast": 1}, "registers": false,
    "packet": {"max_flits": 2}, "buffer_flits": 4, "buffer_ecc": {}, "routing": {"kind": "source", "hops": 2}}"#;

/// Two packets of two flits from node 0 to node 1, of which the first comes as a bad one with its first flit.
#[test]
fn a_bad_packet_arrives_as_one_behind_two_switches() {
    let config = Config::from_json(PAIR).unwrap_or_else(|faults| panic!("{faults}"));
    let lanes = Lanes { switches: 2, ports: 2, nodes: 2, origins: vec![4, 3, 5, 1, 0, 2], latencies: vec![1; 6] };
    let design = elaborate(&config, "row", &lanes).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let stimulus = |cycle: usize| {
        let (packet, flit) = (cycle.saturating_sub(4) / 12, cycle.saturating_sub(4) % 12);
        let sends = cycle >= 4 && packet < 2 && flit < 2;
        let value = |name: &str| match name {
            "reset" => usize::from(cycle < 2),
            "rx_valid" => usize::from(sends),
            "rx_head" => usize::from(flit == 0),
            "rx_tail" => usize::from(flit == 1),
            "rx_bad" => usize::from(packet == 0 && flit == 0),
            "rx_flit" => 0b01,
            _ => 0,
        };
        inputs(&design).map(|port| BigUint::from(value(&port.name))).collect()
    };
    let stimuli = (0..60).map(stimulus).collect();
    let outputs = simulate(Simulator::Icarus, &[Trial { design: design.clone(), stimuli }]);
    let names: Vec<&str> =
        design.top().ports.iter().filter(|p| p.direction == PortDirection::Output).map(|p| p.name.as_str()).collect();
    let bit = |cycle: &[BigUint], pin: &str| cycle[names.iter().position(|name| *name == pin).unwrap()].bit(1);
    let tails = outputs[0].iter().filter(|cycle| bit(cycle, "tx_valid") && bit(cycle, "tx_tail"));
    let bad: Vec<bool> = tails.map(|cycle| bit(cycle, "tx_bad")).collect();
    assert_eq!(bad, [true, false]);
}

/// Two packets out of a stream, the first of which has turned out bad with its last flit.
#[test]
fn tuser_says_that_a_packet_is_bad() {
    let chip = Chip::new(LONG_HEADER);
    let streams = chip.around.streams.as_ref().expect("streams");
    let mut bench = Bench::new(stream_out(&chip.config.shape(), streams), |block| &mut block.clock);
    bench.reset.next = true;
    bench.cycle();
    (bench.reset.next, bench.tready.next, bench.tx_valid.next) = (false, true, true);
    let mut seen = vec![];
    let flits = 2 * (streams.header_flits as usize + 2);
    for flit in 0..flits + 20 {
        let is_tail = [flits / 2 - 1, flits - 1].contains(&flit);
        bench.tx_valid.next = flit < flits;
        bench.tx_tail.next = is_tail;
        bench.marks.as_mut().expect("error correction").tx_bad.next = flit == flits / 2 - 1;
        bench.settle();
        if bench.tvalid.val() {
            seen.push((bench.tlast.val(), bench.marks.as_ref().expect("error correction").tuser.val()));
        }
        bench.cycle();
    }
    assert_eq!(seen, [(false, false), (true, true), (false, false), (true, false)]);
}
