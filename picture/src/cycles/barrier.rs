//! A barrier in one switch.

use super::{drawn, unsuited};
use crate::bench::{Instant, PinRecorder};
use crate::canvas::Canvas;
use crate::style::Ink;
use crate::wave::WaveRow;
use railyard_input::Fault;
use railyard_spec::barrier::{Message, MessageKind};
use railyard_spec::registers::address::{BARRIER_GROUP, BARRIER_LEAVES_LOW};
use railyard_spec::CheckedConfig;

/// Leaves of the group, and the cycles in which they arrive.
const LEAVES: [(usize, u64); 2] = [(0, 0), (1, 6)];

/// Two leaves arrive at a barrier of which the switch is the root.
///
/// # Errors
/// The switch has no barrier VC.
pub fn barrier(config: &CheckedConfig) -> Result<Canvas, Fault> {
    if config.shape().barrier.is_none() {
        let rule = "must be 1: barrier messages have a virtual channel of their own";
        return Err(unsuited("/virtual_channels/barrier", config.virtual_channels.barrier, rule, "1"));
    }
    let mut bench = PinRecorder::new(config, 1);
    bench.write(BARRIER_LEAVES_LOW, LEAVES.iter().map(|(port, _)| 1 << port).sum());
    bench.write(BARRIER_GROUP, 0b11);
    bench.start();
    let arrival = Message { kind: MessageKind::Arrival, group: 0, sequence: 0 }.encode();
    LEAVES.iter().for_each(|&(port, cycle)| bench.plan_message(cycle, port, arrival));
    bench.run(14);
    let received = LEAVES.iter().map(|&(port, _)| messages(&bench, port, true));
    let sent = LEAVES.iter().map(|&(port, _)| messages(&bench, port, false));
    let rows = received.chain(sent).collect();
    let description = "Waveform: leaf 0 arrives in cycle 0 and is acknowledged. Leaf 1 arrives last, in cycle 6. The root completes the barrier: five cycles later the completion leaves by both ports.";
    Ok(drawn(config, "barrier", "two leaves arrive at a barrier", description, rows))
}

/// The messages that come to a port, or leave by it.
fn messages(bench: &PinRecorder, port: usize, are_received: bool) -> WaveRow {
    let words = |now: &Instant| match are_received {
        true => (now.inputs.rx_valid >> port & 1 == 1).then(|| now.inputs.rx_flit[port * now.inputs.words]),
        false => (now.outputs.tx_valid >> port & 1 == 1).then(|| now.outputs.flit(port)[0]),
    };
    let (name, ink) = if are_received { ("rx", Ink::Control) } else { ("tx", Ink::Back) };
    bench.values(&format!("{name}_*[{port}]"), ink, |now| {
        Message::decode(words(now)?).map(|message| match message.kind {
            MessageKind::Arrival => "arrival".into(),
            MessageKind::Acknowledgement => "ack".into(),
            MessageKind::Completion => "compl.".into(),
            MessageKind::Urge => "urge".into(),
        })
    })
}
