//! Credits: a packet waits for room behind its output.

use super::{drawn, unsuited, INPUT, OUTPUT};
use crate::bench::{Instant, PinRecorder, Target, Watch};
use crate::canvas::Canvas;
use crate::style::Ink;
use crate::wave::WaveRow;
use railyard_input::Fault;
use railyard_spec::{CheckedConfig, FlowControl, RoutingShape, Shape};

/// A packet waits until a report makes room for a maximum packet.
///
/// # Errors
/// The description has nothing that could be shown.
pub fn credits(config: &CheckedConfig) -> Result<Canvas, Fault> {
    let mut bench = full(config)?;
    let packet = bench.shape.max_flits;
    wait(&mut bench, 0);
    report(&mut bench, 12, packet, packet);
    bench.run(20);
    let description = "Waveform: the next buffer is full and a packet waits. A credit report tells of room for a maximum packet, and the packet leaves.";
    let rows = rows(&bench, |_| false);
    Ok(drawn(config, "credits", "a packet that waits for credit", description, rows))
}

/// A report gets lost. Absolute credits: the next one makes up for it.
///
/// # Errors
/// The description has nothing that could be shown.
pub fn lost_credit(config: &CheckedConfig) -> Result<Canvas, Fault> {
    let mut bench = full(config)?;
    let packet = bench.shape.max_flits;
    let half = (packet / 2).max(1);
    wait(&mut bench, 0);
    // The report in cycle 12 does not arrive.
    report(&mut bench, 16, packet, packet - half);
    bench.run(24);
    let (title, description) = match bench.shape.flow_control {
        FlowControl::Absolute => (
            "a credit report is lost, and the next one makes up for it",
            "Waveform: a report of freed places is lost on the link. The next report carries the total, so nothing is missing.",
        ),
        FlowControl::Relative => (
            "a relative credit report is lost, and its places with it",
            "Waveform: a report of freed places is lost on the link. The next report carries only its own places: the others stay lost.",
        ),
    };
    let mut rows = rows(&bench, |cycle| cycle == 12);
    let lost = |cycle: usize| match (cycle, bench.shape.flow_control) {
        (12, FlowControl::Absolute) => Some(format!("{half} lost")),
        (12, FlowControl::Relative) => Some(format!("{} lost", half.min(2))),
        _ => None,
    };
    rows.insert(1, WaveRow::values("report on the link", Ink::Alarm, (0..bench.record().len()).map(lost)));
    Ok(drawn(config, "lost-credit", title, description, rows))
}

/// A bench in whose next buffer, behind the output, there is no room for a packet any more.
fn full(config: &CheckedConfig) -> Result<PinRecorder, Fault> {
    let shape = config.shape();
    if !has_ways(&shape) {
        return Err(unsuited("/registers", false, "must be true: node reduction is set up through registers", "true"));
    }
    let mut bench = PinRecorder::new(config, OUTPUT);
    bench.start();
    let (depth, packet) = (shape.buffer_flits, shape.max_flits);
    for number in 0..depth / packet {
        let cycle = u64::from(number * packet);
        bench.plan_packet(cycle, INPUT, 0, Target::Output(OUTPUT), packet as usize, "");
    }
    bench.run(u64::from(depth) + 60);
    bench.watch(&[Watch::Available(OUTPUT, 0)]);
    bench.start();
    Ok(bench)
}

fn has_ways(shape: &Shape) -> bool {
    shape.registers || !matches!(shape.routing, RoutingShape::Algorithmic(_))
}

/// A packet of two flits, if it may have so many.
fn wait(bench: &mut PinRecorder, cycle: u64) {
    let length = 2.max(bench.shape.header_flits()).min(bench.shape.max_flits) as usize;
    bench.plan_packet(cycle, INPUT, 0, Target::Output(OUTPUT), length, "");
}

/// The next buffer reports: its total, or, with relative credits, flits by twos.
fn report(bench: &mut PinRecorder, cycle: u64, total: u32, freed: u32) {
    match bench.shape.flow_control {
        FlowControl::Absolute => bench.plan_credit(cycle, OUTPUT, 0, total),
        FlowControl::Relative => (0..freed.div_ceil(2))
            .for_each(|at| bench.plan_credit(cycle + u64::from(at), OUTPUT, 0, 2.min(freed - 2 * at))),
    }
}

fn rows(bench: &PinRecorder, hides: impl Fn(usize) -> bool) -> Vec<WaveRow> {
    let element = OUTPUT * bench.shape.vcs;
    let is_there = |now: &Instant| now.inputs.tx_credit_valid.get(element);
    let mut credits =
        bench.values("tx_credit[1]", Ink::Back, |now| is_there(now).then(|| now.inputs.tx_credit[element].to_string()));
    credits
        .cells
        .iter_mut()
        .enumerate()
        .filter(|(cycle, _)| hides(*cycle))
        .for_each(|(_, cell)| *cell = crate::wave::WaveCell::Blank);
    vec![
        bench.rx_flits(INPUT),
        bench.bits("tx_credit_valid[1]", Ink::Back, is_there),
        credits,
        bench.watched("places known free", Ink::Control, 0),
        bench.tx_flits(OUTPUT),
    ]
}
