//! What happened before a failure: the golden model runs again, to the same cycle, and takes notes.
//!
//! Runs are a function of their seed, so the loop itself need not remember anything.

use crate::bench::SwitchBench;
use crate::stimulus::Scenario;
use railyard_model::{bits::ones, Switch};
use std::collections::VecDeque;

/// Notes kept.
const KEPT: usize = 12;
/// Notes are taken over so many cycles before the failure.
const WINDOW: u64 = 5_000;

/// The last packets that touched a port before `cycle`, or the last CAM operations if no port is given, in a run of a
/// golden model with so many cycles of `traffic`.
pub fn history(golden: &Switch, scenario: &Scenario, traffic: u64, cycle: u64, port: Option<usize>) -> Vec<String> {
    let shape = golden.shape();
    let (mut switch, mut bench) = (golden.clone(), SwitchBench::new(shape, scenario));
    bench.end_after(traffic);
    let mut notes = VecDeque::new();
    for now in 0..=cycle {
        let inputs = bench.cycle(switch.outputs());
        if now + WINDOW >= cycle {
            let mut note = |text: String| {
                if notes.len() == KEPT {
                    notes.pop_front();
                }
                notes.push_back(format!("cycle {now}: {text}"));
            };
            let out = switch.outputs();
            match port {
                _ if inputs.reset => note("reset".to_owned()),
                Some(port) => {
                    let at = 1u64 << port;
                    if inputs.rx_valid & at != 0 && (inputs.rx_head | inputs.rx_tail) & at != 0 {
                        let kind = kind(inputs.rx_head & at != 0, inputs.rx_tail & at != 0);
                        let flit = &inputs.rx_flit[port * inputs.words..(port + 1) * inputs.words];
                        note(format!("input {port}, VC {}: {kind}, flit {}", inputs.rx_vc[port], text(flit)));
                    }
                    if out.tx_valid & at != 0 && (out.tx_head | out.tx_tail) & at != 0 {
                        let kind = kind(out.tx_head & at != 0, out.tx_tail & at != 0);
                        note(format!("output {port}, VC {}: {kind}, flit {}", out.tx_vc[port], text(out.flit(port))));
                    }
                }
                None => {
                    if out.cam_request_valid && inputs.cam_request_ready {
                        let (tag, address) = (out.cam_request_tag, out.cam_request_address);
                        note(format!("CAM request, tag {tag:#x}, address {address:#x}"));
                    }
                    if inputs.cam_response_valid {
                        let port = match inputs.cam_response_hit {
                            true => format!("port {}", inputs.cam_response_port),
                            false => "no route".to_owned(),
                        };
                        note(format!("CAM answer, tag {:#x}: {port}", inputs.cam_response_tag));
                    }
                }
            }
            if out.drop_valid.any() {
                let dropped = out.drop_valid.ones().map(|channel| (channel / shape.vcs, channel % shape.vcs));
                dropped.filter(|&(at, _)| Some(at) == port).for_each(|(at, vc)| {
                    note(format!("input {at}, VC {vc}: packet dropped"));
                });
            }
            for begun in ones(inputs.rx_valid & inputs.rx_head) {
                let packet = bench.stimulus().begun().iter().find(|packet| packet.source as usize == begun);
                if let Some(packet) = packet.filter(|packet| port == Some(packet.destination as usize)) {
                    note(format!("sent: {packet}"));
                }
            }
        }
        let inputs = bench.stimulus().inputs();
        switch.step(inputs);
    }
    notes.into()
}

fn kind(head: bool, tail: bool) -> &'static str {
    match (head, tail) {
        (true, true) => "head and tail",
        (true, false) => "head",
        (false, true) => "tail",
        (false, false) => "body",
    }
}

fn text(flit: &[u32]) -> String {
    flit.iter().rev().fold("0x".to_owned(), |text, word| text + &format!("{word:08x}"))
}
