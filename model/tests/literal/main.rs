//! The model against a slow, literal transcript of the switch reference: all of the new state is computed from a copy
//! of the old state, sentence by sentence, so that nothing depends on an order of evaluation.

#![allow(clippy::needless_range_loop)] // numbered as in the reference

mod barrier;
mod cam;
mod counters;
mod credits;
mod crossbar;
#[path = "../driver/mod.rs"]
mod driver;
mod events;
mod fan_out;
mod forwarding_table;
mod input;
mod lookup;
mod multicast;
mod registers;
mod route_queue;
mod routes;
mod selection;
mod state;

use driver::*;
use railyard_model::{Apb, Inputs, Outputs};
use railyard_spec::registers::address::{MULTICAST_MASK_LOW, MULTICAST_WRITE};
use railyard_spec::registers::{registers, Access, Legal, Register};
use railyard_spec::{packet, Config, Crossbar, FlowControl, LinkArbitration, RoutingShape, Shape};
use state::*;
use std::collections::VecDeque;

/// Traffic of every kind, from legal to anything at all, by turns. Gives the events that happened, and those that did
/// in the cycle of their clear.
fn compare(config: &Config, seed: u64, cycles: usize) -> [u32; 2] {
    let mut b = Bench::new(config);
    let mut literal = Literal::new(&b.shape);
    let mut random = Random(seed);
    let mut manager = Manager::new(&b.shape);
    let k = b.shape.vcs as u64;
    // With few ports, some of these do not exist.
    let route: fn(u64) -> Option<u8> = if b.shape.ports < 16 { |a| Some((a % 4) as u8) } else { mod_ports_16 };
    b.route = route;
    // Cycles with a flush, outputs with a packet that leaves on another VC than its own, outputs chosen anew, packets
    // in turn.
    let mut seen = [0; 4];
    // Addresses that the table knew, counters read that were not 0.
    let (mut known, mut counted) = (0, 0);
    // Multicast packets under way to one output, and to more; cycles in which it is multicast's turn at an output.
    let (mut multicasts, mut turns) = ([0; 2], 0);
    // Cycles in which an output yields for longer than one, as some packet waits for it.
    let mut yields = 0;
    // Cycles in which an output with a packet under way sends a barrier message; what the groups came to.
    let (mut preempted, mut barriers, mut numbers) = (0, [0; 6], 0);
    // Events that happened, those that were cleared in their own cycle, and cycles with an interrupt.
    let (mut happened, mut interrupts) = ([0; 2], 0);
    let shortest = b.shape.header_flits().min(b.shape.max_flits) as u64;
    for t in 0..cycles {
        let wild = t % 1500 > 1200;
        for port in 0..b.shape.ports {
            if !wild && b.waiting[port].len() < 4 && random.chance(if t % 300 < 150 { 2 } else { 12 }) {
                let length = shortest + random.below(b.shape.max_flits as u64 + 1 - shortest);
                let vc = random.below(k) as u8;
                let address = destination(&b.shape, &mut random);
                match b.shape.multicast {
                    Some(built) if built.vc == vc as usize && !random.chance(3) => {
                        let group = random.below(built.groups as u64 + 1) + if random.chance(30) { 1 << 20 } else { 0 };
                        b.multicast(port, group, length as u32, port as u32);
                    }
                    _ => b.send(port, vc, address, length as u32, port as u32),
                }
            }
        }
        b.hold_credits = random.chance(3);
        b.cam_latency = 1 + random.below(30);
        b.cam_ready = !random.chance(3);
        b.prepare();
        if wild {
            let out = b.switch.outputs().clone();
            anything(&mut b.pins, &b.shape, &out, &mut random);
        }
        if b.shape.barrier.is_some() {
            messages(&mut b, &literal, &mut random, if t % 700 < 500 { 6 } else { 40 });
        }
        if b.shape.next_vc {
            b.pins.cam_response_vc_set = random.chance(2);
            let beyond = random.chance(30);
            b.pins.cam_response_vc = random.below(if beyond { 1 << b.shape.vc_bits } else { k }) as u8;
        }
        choices(&mut b.pins, &b.shape, &mut random);
        // Mostly a long time without any access, so that the caches are of use.
        let rarely = match (b.shape.algorithmic().is_some(), b.shape.link_aggregation.is_some()) {
            _ if b.shape.events => 3,
            _ if b.shape.forwarding_table().is_some() => 3,
            _ if b.shape.barrier.is_some() => 10,
            _ if b.shape.multicast.is_some() => 3,
            (true, _) => 2,
            (false, true) => 25,
            (false, false) if b.shape.counter_bits.is_some() => 20,
            (false, false) => 200,
        };
        manager.drive(&mut b.pins, &mut random, if t % 500 < 100 { 5 } else { rarely });
        b.pins.reset = random.chance(2500);
        if b.pins.reset || t % 1500 == 1499 {
            // What senders and next buffers remember is of no use after this.
            b.pins.reset = true;
            let (switch, pins) = (b.switch.clone(), b.pins.clone());
            b = Bench::new(config);
            (b.switch, b.pins, b.route) = (switch, pins, route);
        }
        b.switch.step(&b.pins);
        let yielding: Vec<_> = literal.ports.iter().map(|port| port.yields).collect();
        let before: Vec<_> = literal.vcs.iter().map(|vc| (vc.selected, vc.chosen)).collect();
        literal.step(&b.pins);
        let after = literal.vcs.iter().zip(&before);
        seen[2] += after.filter(|(vc, was)| vc.selected.is_some() && vc.selected == was.0 && vc.chosen != was.1).count()
            as u32;
        seen[3] += literal.vcs.iter().filter(|vc| vc.turn != 0).count() as u32;
        seen[0] += literal.flush as u32;
        happened = [0, 1].map(|i| happened[i] | literal.happened[i]);
        interrupts += literal.out.event_interrupt as u32;
        known += literal.t2.is_some_and(|t2| t2.2.is_some()) as u32;
        counted += (b.pins.apb.paddr >= 0x8000 && literal.out.apb_prdata != 0) as u32;
        for port in literal.ports.iter().filter_map(|port| port.fan_out) {
            multicasts[(port.mask.count_ones() > 1) as usize] += port.granted as u32;
        }
        turns += literal.ports.iter().filter(|port| port.multicast_turn).count();
        preempted += (0..b.shape.ports)
            .filter(|&o| literal.has_message(o) && literal.ports[o].busy.iter().flatten().next().is_some())
            .count();
        for group in &literal.barriers.groups {
            let faults = [group.inactive, group.port, group.number].map(u32::from);
            let counts = [group.completed, group.retransmissions, group.urges];
            numbers = numbers.max(group.sequence);
            for (sum, count) in barriers.iter_mut().zip([counts.as_slice(), &faults].concat()) {
                *sum += count;
            }
        }
        yields += literal.ports.iter().zip(yielding).filter(|(port, before)| port.yields && *before).count();
        seen[1] += literal.ports.iter().flat_map(|p| &p.busy).flatten().filter(|(_, v, u)| v != u).count() as u32;
        assert!(
            b.switch.outputs() == &literal.out,
            "cycle {t} of {config:?}:\n{:?}\n{:?}",
            b.switch.outputs(),
            literal.out
        );
    }
    let can_flush = b.shape.cache_control() || b.shape.registers && b.shape.reduction().is_some();
    assert!(seen[0] > 0 || !can_flush || config.ports == 64, "no flush in {config:?}");
    assert!(known > 50 || b.shape.forwarding_table().is_none(), "the table knew {known} addresses in {config:?}");
    assert!(counted > 5 || b.shape.counter_bits.is_none(), "{counted} reads of a counter in {config:?}");
    assert!(interrupts > 50 || !b.shape.events, "{interrupts} cycles with an interrupt in {config:?}");
    let is_mixed = b.shape.multicast.is_some();
    assert!(
        !is_mixed || multicasts.iter().all(|&count| count > 50) && turns > 100,
        "{multicasts:?}, {turns} in {config:?}"
    );
    // Behind packets of one flit the next packet does not have to wait.
    let yield_lasts = is_mixed && config.packet.max_flits > 1;
    assert!(!yield_lasts || yields > 10, "outputs yielded for {yields} cycles in {config:?}");
    let is_synchronized = b.shape.barrier.is_some();
    assert!(
        !is_synchronized || preempted > 50 && barriers.iter().all(|&count| count > 0),
        "{preempted}, {barriers:?} in {config:?}"
    );
    // Many groups of many ports come to a barrier or two only.
    assert!(!is_synchronized || numbers > 3 || config.ports == 40, "up to barrier {numbers} in {config:?}");
    assert!(seen[1] > 0 || !b.shape.next_vc, "every packet left on its own VC in {config:?}");
    assert!(seen[2] > 0 || !b.shape.output_selection(), "no output was chosen anew in {config:?}");
    assert!(seen[3] > 0 || b.shape.link_aggregation.is_none() || known > 0, "no packet went in turn in {config:?}");
    happened
}

fn anything(pins: &mut Inputs, shape: &Shape, out: &Outputs, random: &mut Random) {
    let words = pins.words;
    let top = if shape.flit_bits % 32 == 0 { !0 } else { (1u32 << (shape.flit_bits % 32)) - 1 };
    for p in 0..shape.ports {
        if random.chance(2) {
            let mut flit = vec![0; words];
            flit[0] = random.below(11) as u32;
            flit[words - 1] ^= random.next() as u32 & top & !0xff;
            maybe_multicast(&mut flit, shape, random);
            let vc = if random.chance(50) { random.below(1 << shape.vc_bits) } else { random.below(shape.vcs as u64) };
            pins.receive(p, vc as u8, random.chance(3), random.chance(3), &flit);
        }
    }
    for e in 0..shape.ports * shape.vcs {
        if random.chance(5) {
            pins.credit(e, random.below(1 << shape.credit_bits) as u16);
        }
    }
    pins.error_clear = random.chance(10);
    if let Some(table) = shape.table() {
        if random.chance(3) {
            let tag = if random.chance(2) { out.cam_request_tag } else { random.below(1 << table.tag_bits) as u32 };
            pins.cam_answer(tag, (!random.chance(4)).then_some(random.below(1 << shape.port_bits) as u8));
        }
    }
}

/// Barrier messages by some of the ports, one in `rarely`.
fn messages(b: &mut Bench, literal: &Literal, random: &mut Random, rarely: u64) {
    for port in 0..b.shape.ports {
        if b.pins.rx_valid >> port & 1 == 0 && random.chance(rarely) {
            let word = literal.some_message(port, random);
            b.barrier_flit(port, !random.chance(50), !random.chance(50), word);
        }
    }
}

#[test]
fn events_are_the_reference_word_by_word() {
    let mut all = [0; 2];
    for (i, config) in configurations_with_events().iter().enumerate() {
        let happened = compare(config, 331 + i as u64, if config.ports == 40 { 2000 } else { 6_000 });
        all = [0, 1].map(|at| all[at] | happened[at]);
    }
    assert_eq!(all, [0xFF; 2]);
}

#[test]
fn barriers_are_the_reference_word_by_word() {
    for (i, config) in configurations_with_barrier().iter().enumerate() {
        compare(config, 231 + i as u64, if config.ports == 40 { 3000 } else { 12_000 });
    }
}

#[test]
fn multicast_is_the_reference_word_by_word() {
    for (i, config) in configurations_with_multicast().iter().enumerate() {
        compare(config, 131 + i as u64, if config.ports == 40 { 3000 } else { 12_000 });
    }
}

/// The next buffers of outputs 1 and 2 free a flit in `pace` cycles, by turns, and there are always packets for them on
/// the mixed VC, so that multicast packets for both wait for long. How often room is saved at an output, and how often
/// the favoured packet takes its turn there at once.
fn compare_with_slow_outputs(config: &Config, pace: u64, cycles: usize) -> [u32; 2] {
    let mut b = Bench::new(config);
    let mut literal = Literal::new(&b.shape);
    let mut random = Random(pace);
    let (mixed, m) = (b.shape.multicast.expect("a mixed VC").vc as u8, u64::from(config.packet.max_flits));
    let groups = [(0b0110, false), (0b1110, false), (0b0010, true), (0b0101, true)];
    let writes = groups.iter().enumerate().flat_map(|(group, &(mask, loopback))| {
        [(MULTICAST_MASK_LOW, mask), (MULTICAST_WRITE, group as u32 | u32::from(loopback) << 16)]
    });
    let mut accesses = writes.flat_map(|(at, pwdata)| {
        [false, true].map(|penable| Apb { psel: true, penable, pwrite: true, paddr: at as u16, pwdata })
    });
    let mut reached = [0; 2];
    for t in 0..cycles {
        for input in 0..4 {
            if b.waiting[input].len() > 2 * m as usize {
                continue;
            }
            let length = 1 + random.below(m) as u32;
            match (input, random.below(3)) {
                (1 | 2, _) => b.send(input, mixed, input as u64, length, 0),
                (3, 0) => b.send(input, 0, random.below(4), length, 0),
                (3, 1) => b.send(input, mixed, random.below(4), length, 0),
                _ => b.multicast(input, random.below(4), length, 0),
            }
        }
        (b.pace[1], b.pace[2]) = (pace, pace);
        b.prepare();
        // After the sweep of the group table.
        b.pins.apb = if t > 20 { accesses.next().unwrap_or_default() } else { Apb::default() };
        b.switch.step(&b.pins);
        let claimed = literal.claim & literal.saved;
        let turned = |literal: &Literal| {
            literal.ports.iter().rev().fold(0, |mask, port| mask << 1 | u64::from(port.multicast_turn))
        };
        let before = turned(&literal);
        literal.step(&b.pins);
        reached[0] += literal.saved.count_ones();
        reached[1] += (claimed & !before & turned(&literal)).count_ones();
        assert!(
            b.switch.outputs() == &literal.out,
            "cycle {} of {config:?}:\n{:?}\n{:?}",
            literal.t,
            b.switch.outputs(),
            literal.out
        );
    }
    reached
}

#[test]
fn room_is_saved_as_in_the_reference_word_by_word() {
    for (i, [m, d, pace]) in [[1, 2, 3], [2, 4, 4], [4, 8, 3], [4, 16, 5], [2, 16, 9]].into_iter().enumerate() {
        let mut config = source(4);
        (config.virtual_channels.unicast, config.virtual_channels.mixed, config.multicast.groups) = (1, 1, 4);
        (config.packet.max_flits, config.buffer_flits) = (m, Some(d));
        (config.crossbar, config.flow_control) = match i % 2 {
            0 => (Crossbar::Parallel, FlowControl::Absolute),
            _ => (Crossbar::Single, FlowControl::Relative),
        };
        let reached = compare_with_slow_outputs(&config, pace.into(), 6_000);
        assert!(reached[0] > 0 && (reached[1] > 10 || m == 1), "{reached:?} in {config:?}");
    }
}

#[test]
fn the_model_is_the_reference_word_by_word() {
    for (i, config) in
        all_configurations().iter().filter(|c| c.virtual_channels.mixed + c.virtual_channels.barrier == 0).enumerate()
    {
        compare(config, 31 + i as u64, if config.ports == 64 { 300 } else { 3000 });
    }
}
