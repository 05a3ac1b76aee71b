//! Events and the interrupt at the pins of a whole switch, by the timing that the switch reference gives (section 9.2).

mod driver;

use driver::*;
use railyard_model::Apb;
use railyard_spec::registers::address::{EVENTS, EVENT_ENABLE, EVENT_PENDING, EVENT_PORTS};
use railyard_spec::Config;

const FRAMING: u32 = 1;
const CREDIT: u32 = 4;
const CAM: u32 = 5;
const DROP: u32 = 6;
const BARRIER: u32 = 7;

fn with_events(config: Config) -> Bench {
    let mut b = Bench::new(&Config { events: true, ..config });
    b.cam_ready = true;
    b
}

/// One cycle of a transfer.
fn apb(penable: bool, pwrite: bool, paddr: u32, pwdata: u32) -> Apb {
    Apb { psel: true, penable, pwrite, paddr: paddr as u16, pwdata }
}

/// A cycle with these pins at the register port, and a stray flit at port 2 or `error_clear`.
fn step(b: &mut Bench, access: Apb, stray: bool, error_clear: bool) {
    b.prepare();
    (b.pins.apb, b.pins.error_clear) = (access, error_clear);
    if stray {
        b.pins.receive(2, 0, false, true, &[0, 0]);
    }
    b.switch.step(&b.pins);
}

fn idle(b: &mut Bench) {
    step(b, Apb::default(), false, false);
}

fn write(b: &mut Bench, at: u32, value: u32) {
    step(b, apb(false, true, at, value), false, false);
    assert!(!b.switch.outputs().apb_pslverr, "{at:#x} {value:#x}");
    step(b, apb(true, true, at, value), false, false);
}

/// The value in the cycle in which the read begins.
fn read(b: &mut Bench, at: u32) -> u32 {
    step(b, apb(false, false, at, 0), false, false);
    let (value, error) = (b.switch.outputs().apb_prdata, b.switch.outputs().apb_pslverr);
    assert!(!error, "{at:#x}");
    step(b, apb(true, false, at, 0), false, false);
    value
}

fn ports(event: u32) -> u32 {
    EVENT_PORTS + 8 * event
}

#[test]
fn the_diagram_of_the_reference() {
    let mut b = with_events(source(4));
    write(&mut b, EVENT_ENABLE, 2);
    let access = [None, None, None, Some(false), Some(true), None, None];
    let (mut flags, mut interrupts) = (Vec::new(), Vec::new());
    for (cycle, access) in access.into_iter().enumerate() {
        flags.push(b.errors()[1]);
        interrupts.push(b.switch.outputs().event_interrupt);
        let access = access.map_or(Apb::default(), |penable| apb(penable, true, EVENTS, 2));
        step(&mut b, access, cycle == 0, false);
    }
    assert_eq!(flags, [0, 4, 4, 4, 4, 4, 4]);
    assert_eq!(interrupts, [false, false, true, true, true, true, false]);
    assert_eq!((read(&mut b, EVENTS), read(&mut b, ports(FRAMING))), (0, 4));
}

#[test]
fn events_read_a_cycle_after_they_happen() {
    let mut b = with_events(source(4));
    step(&mut b, apb(false, false, EVENTS, 0), true, false);
    assert_eq!(b.switch.outputs().apb_prdata, 0);
    step(&mut b, apb(false, false, EVENTS, 0), false, false);
    assert_eq!(b.switch.outputs().apb_prdata, 2);
    assert_eq!((read(&mut b, ports(FRAMING)), read(&mut b, EVENT_PENDING)), (4, 0));
    write(&mut b, EVENT_ENABLE, 2);
    assert_eq!(read(&mut b, EVENT_PENDING), 2);
}

#[test]
fn enable_acts_in_the_cycle_after_its_access_phase() {
    let mut b = with_events(source(4));
    step(&mut b, Apb::default(), true, false);
    idle(&mut b);
    write(&mut b, EVENT_ENABLE, 2);
    // The access phase was in t; this is t + 1.
    assert!(!b.switch.outputs().event_interrupt);
    idle(&mut b);
    assert!(b.switch.outputs().event_interrupt);
    write(&mut b, EVENT_ENABLE, 0);
    assert!(b.switch.outputs().event_interrupt);
    idle(&mut b);
    assert!(!b.switch.outputs().event_interrupt);
}

#[test]
fn an_event_wins_over_both_clears_and_counts_again_under_a_sticky_flag() {
    for (writes, error_clear) in [(true, false), (false, true), (true, true)] {
        let mut b = with_events(source(4));
        write(&mut b, EVENT_ENABLE, 2);
        step(&mut b, Apb::default(), true, false);
        let setup = if writes { apb(false, true, EVENTS, 2) } else { Apb::default() };
        step(&mut b, setup, false, false);
        step(&mut b, Apb { penable: writes, ..setup }, true, error_clear);
        let interrupts = [0; 3].map(|_| {
            let interrupt = b.switch.outputs().event_interrupt;
            idle(&mut b);
            interrupt
        });
        assert_eq!(interrupts, [true; 3]);
        assert_eq!((read(&mut b, EVENTS), read(&mut b, ports(FRAMING))), (2, 4));
        // The same without an event.
        step(&mut b, setup, false, false);
        step(&mut b, Apb { penable: writes, ..setup }, false, error_clear);
        let ports_left = if error_clear { 0 } else { 4 };
        assert_eq!((read(&mut b, EVENTS), read(&mut b, ports(FRAMING))), (0, ports_left));
    }
}

#[test]
fn reset_clears_and_its_inputs_do_not_count() {
    let mut b = with_events(source(4));
    write(&mut b, EVENT_ENABLE, 2);
    step(&mut b, Apb::default(), true, false);
    idle(&mut b);
    b.prepare();
    b.pins.reset = true;
    b.pins.receive(2, 0, false, true, &[0, 0]);
    b.switch.step(&b.pins);
    assert!(!b.switch.outputs().event_interrupt);
    // What senders and next buffers remember is of no use after this.
    let switch = b.switch;
    b = with_events(source(4));
    b.switch = switch;
    assert_eq!([EVENTS, EVENT_ENABLE, ports(FRAMING)].map(|at| read(&mut b, at)), [0; 3]);
    assert!(!b.switch.outputs().event_interrupt);
}

#[test]
fn bits_that_are_not_built_are_illegal() {
    let mut b = with_events(source(4));
    for (at, value, is_legal) in [
        (EVENTS, 0x5F, true),
        (EVENTS, 1 << CAM, false),
        (EVENTS, 1 << BARRIER, false),
        (EVENTS, 1 << 8, false),
        (EVENT_ENABLE, 1 << CAM, false),
        (EVENT_PENDING, 0, false),
        (ports(FRAMING), 0xF, true),
        (ports(FRAMING), 0x10, false),
        (ports(FRAMING) + 4, 0, false), // no port beyond 32
        (ports(CAM), 0, false),
        (ports(BARRIER), 0, false),
    ] {
        step(&mut b, apb(false, true, at, value), false, false);
        assert_eq!(b.switch.outputs().apb_pslverr, !is_legal, "{at:#x} {value:#x}");
        idle(&mut b);
    }
}

/// In which cycle after `act` the interrupt rises, if only this event is enabled; the ports that it leaves.
fn latency(b: &mut Bench, event: u32, act: impl FnOnce(&mut Bench)) -> (usize, u32) {
    write(b, EVENT_ENABLE, 1 << event);
    b.prepare();
    act(b);
    b.switch.step(&b.pins);
    let mut cycle = 1;
    while !b.switch.outputs().event_interrupt {
        assert!(cycle < 50, "no interrupt");
        idle(b);
        cycle += 1;
    }
    assert_eq!(read(b, EVENTS), 1 << event);
    (cycle, if event == CAM { 0 } else { read(b, ports(event)) })
}

#[test]
fn each_event_has_its_cycle() {
    // Two cycles behind a flit or a credit report at the pins; three behind an answer of the CAM.
    let mut b = with_events(source(4));
    assert_eq!(latency(&mut b, FRAMING, |b| b.pins.receive(1, 1, false, false, &[0, 0])), (2, 2));
    let mut b = with_events(source(4));
    let element = b.shape.vcs * 3 + 1;
    assert_eq!(latency(&mut b, CREDIT, |b| b.pins.credit(element, 1)), (2, 8));
    let mut b = with_events(table(4, small_cache()));
    assert_eq!(latency(&mut b, CAM, |b| b.pins.cam_answer(0, Some(0))), (3, 0));
    // A message is in the receive register a cycle after the pins, and is taken there.
    let mut config = source(4);
    (config.virtual_channels.barrier, config.barrier.groups) = (1, 2);
    let mut b = with_events(config);
    let vc = b.shape.vcs as u8;
    assert_eq!(latency(&mut b, BARRIER, |b| b.pins.receive(3, vc, true, true, &[0, 0])), (3, 8));
    // Port 5 of a route for 8 ports does not exist: the packet is dropped.
    let mut b = with_events(source(5));
    let (mut dropped, mut risen) = (None, None);
    write(&mut b, EVENT_ENABLE, 1 << DROP);
    b.prepare();
    b.pins.receive(2, 0, true, true, &[5, 0]);
    for cycle in 1..20 {
        b.switch.step(&b.pins);
        b.prepare();
        let out = b.switch.outputs();
        dropped = dropped.or(out.drop_valid.any().then_some(cycle));
        risen = risen.or(out.event_interrupt.then_some(cycle));
    }
    assert_eq!(risen, dropped.map(|cycle| cycle + 2));
    assert_eq!(read(&mut b, ports(DROP)), 4);
}
