//! Cycles a second of the model:
//! `cargo run --release -p railyard-model --example speed [preset] [load] [cycles] [long|short] [candidates]`.
//!
//! Every port sends packets of `max_flits` flits (or, with `short`, of one flit) to random ports by turns of its VCs,
//! as the credits allow, up to `load` (with several `candidates` a table's routes name the ports behind it too); next
//! buffers free a flit as it comes; the CAM answers after 25 cycles.

use railyard_model::{flit_words, Inputs, Switch};
use railyard_spec::{packet, presets, Config, FlowControl, Routing};
use std::collections::VecDeque;
use std::time::Instant;

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
}

/// The pins of one cycle, recorded so that the stimulus costs nothing while the clock runs.
struct Recording {
    cycles: Vec<Inputs>,
}

fn record(switch: &mut Switch, load: f64, short: bool, cycles: usize) -> Recording {
    let shape = switch.shape().clone();
    let (n, k, words) = (shape.ports, shape.vcs, flit_words(&shape));
    let length = if short { 1 } else { shape.max_flits };
    let addresses = 4 * n as u64;
    let mut seed = 0x9e37_79b9_7f4a_7c15;
    let mut credit: Vec<i32> = (0..n * k).map(|channel| shape.depth_at(channel / k) as i32).collect();
    let mut totals = vec![0u16; n * k];
    let mut sent = vec![0u16; n * k];
    let mut progress = vec![(0u32, 0u8); n];
    let mut cam: VecDeque<(u64, u32, u64)> = VecDeque::new();
    let mask = (1u16 << shape.credit_bits) - 1;
    let mut list = Vec::with_capacity(cycles);
    for _ in 0..cycles {
        let mut pins = Inputs::new(&shape);
        let out = switch.outputs();
        for e in out.rx_credit_valid.ones() {
            match shape.flow_control {
                FlowControl::Absolute => {
                    credit[e] += (out.rx_credit[e].wrapping_sub(totals[e]) & mask) as i32;
                    totals[e] = out.rx_credit[e];
                }
                FlowControl::Relative => credit[e] += out.rx_credit[e] as i32,
            }
        }
        for o in 0..n {
            if out.tx_valid >> o & 1 == 1 {
                let e = o * k + out.tx_vc[o] as usize;
                sent[e] = (sent[e] + 1) & mask;
                let value = if shape.flow_control == FlowControl::Absolute { sent[e] } else { 1 };
                pins.credit(e, value);
            }
        }
        pins.cam_request_ready = true;
        if out.cam_request_valid {
            cam.push_back((switch.now() + 25, out.cam_request_tag, out.cam_request_address));
        }
        if cam.front().is_some_and(|c| c.0 <= switch.now()) {
            let (_, tag, address) = cam.pop_front().expect("checked");
            pins.cam_answer(tag, Some((address % n as u64) as u8));
            pins.cam_response_candidates = shape.candidates as u8 - 1;
            pins.cam_response_candidate = [1, 2, 3].map(|more| ((address + more) % n as u64) as u8);
        }
        for p in 0..n {
            let (done, vc) = progress[p];
            if done == 0 {
                let vc = random(&mut seed) as usize % k;
                // Mean gap between packets: length * (1 - load) / load.
                let chance = load / (length as f64 * (1.0 - load) + load);
                let start = (random(&mut seed) & 0xffff) as f64 / 65536.0 < chance;
                if !start || credit[p * k + vc] < length as i32 {
                    continue;
                }
                let mut flit = vec![0u32; words];
                let address = random(&mut seed) % addresses;
                let (low, width, value) = match shape.table() {
                    Some(t) => (0, t.address_bits.min(shape.flit_bits), address),
                    None => (0, shape.port_bits, address % n as u64),
                };
                packet::set_field(&mut flit, low, width, value);
                pins.receive(p, vc as u8, true, length == 1, &flit);
                credit[p * k + vc] -= 1;
                progress[p] = (if length == 1 { 0 } else { 1 }, vc as u8);
            } else {
                let tail = done + 1 == length;
                let flit: Vec<u32> = (0..words).map(|w| done + w as u32).collect();
                pins.receive(p, vc, false, tail, &flit);
                credit[p * k + vc as usize] -= 1;
                progress[p] = (if tail { 0 } else { done + 1 }, vc);
            }
        }
        switch.step(&pins);
        list.push(pins);
    }
    Recording { cycles: list }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let get = |i: usize| arguments.get(i).map(String::as_str);
    let preset = presets::find(get(0).unwrap_or("hpc16")).expect("a preset's name");
    let load: f64 = get(1).map_or(0.6, |s| s.parse().expect("a load"));
    let cycles: u64 = get(2).map_or(5_000_000, |s| s.parse().expect("a number of cycles"));
    let short = get(3) == Some("short");
    let candidates: u32 = get(4).map_or(1, |s| s.parse().expect("a number of candidates"));
    let mut config = Config::from_json(preset.json).expect("a sound preset").into_config();
    if let Routing::Table(table) = &mut config.routing {
        table.candidates = candidates;
    }

    let shape = config.check().expect("candidates that the switch can have").shape();
    let mut switch = Switch::new(&shape);
    record(&mut switch, load, short, 5_000);
    // Warm now; recorded from a reset on, so that the recording can be played again and again.
    let mut reset = Inputs::new(&shape);
    reset.reset = true;
    switch.step(&reset);
    let warm_up = record(&mut switch, load, short, 10_000);
    let mut recording = warm_up.cycles;
    recording.push(reset);

    switch.step(recording.last().expect("the reset"));
    switch.clear_counters();
    let start = Instant::now();
    let mut done = 0;
    // The fastest of many passes tells the model's speed also on a machine that others use.
    let mut best = f64::MAX;
    while done < cycles {
        let start = Instant::now();
        for pins in &recording {
            switch.step(pins);
        }
        best = best.min(start.elapsed().as_secs_f64());
        done += recording.len() as u64;
    }
    let seconds = start.elapsed().as_secs_f64();
    let flits: u64 = switch.counters().iter().map(|c| c.flits_out).sum();
    let lookups: u64 = switch.counters().iter().map(|c| c.lookups).sum();
    let hits: u64 = switch.counters().iter().map(|c| c.hits).sum();
    println!(
        "{}: {:.2} M cycles/s (fastest pass {:.2}), {:.3} flits/port/cycle out, {:.1} ns/flit, hit rate {:.3}",
        preset.name,
        done as f64 / seconds / 1e6,
        recording.len() as f64 / best / 1e6,
        flits as f64 / done as f64 / switch.shape().ports as f64,
        seconds * 1e9 / flits.max(1) as f64,
        hits as f64 / lookups.max(1) as f64
    );
}
