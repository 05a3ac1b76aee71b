//! Multicast: packets that get all their outputs at once.

use super::{drawn, unsuited};
use crate::bench::{PinRecorder, Target};
use crate::canvas::Canvas;
use crate::style::Ink;
use railyard_input::Fault;
use railyard_spec::registers::address::{MULTICAST_MASK_LOW, MULTICAST_WRITE};
use railyard_spec::CheckedConfig;

/// Outputs of the groups in the picture. Groups 0 and 1 share an output, group 2 shares none.
const GROUPS: [&[usize]; 3] = [&[1, 2], &[2, 3], &[4, 5]];
const PORTS: u32 = 6;

/// Three multicast packets: two with an output in common, which one after the other gets, and one beside them.
///
/// # Errors
/// The switch has no mixed VC, or too few ports.
pub fn multicast(config: &CheckedConfig) -> Result<Canvas, Fault> {
    let shape = config.shape();
    let Some(built) = shape.multicast.filter(|built| built.groups >= GROUPS.len()) else {
        let rule = "must be 1: multicast packets travel on the mixed virtual channel";
        return Err(unsuited("/virtual_channels/mixed", config.virtual_channels.mixed, rule, "1"));
    };
    if config.ports < PORTS {
        return Err(unsuited("/ports", config.ports, "must be at least 6 for three groups side by side", "6"));
    }
    let mut bench = PinRecorder::new(config, 1);
    for (group, outputs) in GROUPS.iter().enumerate() {
        bench.write(MULTICAST_MASK_LOW, outputs.iter().map(|output| 1 << output).sum());
        bench.write(MULTICAST_WRITE, group as u32);
    }
    bench.start();
    let length = 3.max(shape.header_flits() as usize).min(shape.max_flits as usize);
    let inputs = [0, 1, 3];
    for ((group, input), name) in inputs.iter().enumerate().zip(["1", "2", "3"]) {
        bench.plan_packet(group as u64, *input, built.vc, Target::Group(group as u64), length, name);
    }
    bench.run(40);
    let received = inputs.iter().map(|&input| bench.rx_flits(input));
    let left = (1..=5).map(|output| bench.tx_flits(output));
    let mut rows: Vec<_> = received.chain(left).collect();
    rows.iter_mut().for_each(|row| {
        row.ink = if row.name.starts_with("rx") { Ink::Control } else { Ink::Data };
    });
    let description = "Waveform: multicast packet 1 goes to outputs 1 and 2, packet 2 to outputs 2 and 3, packet 3 to outputs 4 and 5. \
        Each leaves by all its outputs in the same cycles. Packet 2 waits for output 2, which packet 1 holds; packet 3 waits for neither.";
    Ok(drawn(config, "multicast", "three multicast packets", description, rows))
}
