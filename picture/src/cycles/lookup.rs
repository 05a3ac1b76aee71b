//! A packet whose address is in no cache.

use super::{drawn, no_table, INPUT, OUTPUT};
use crate::bench::{PinRecorder, Target};
use crate::canvas::Canvas;
use crate::style::Ink;
use railyard_input::Fault;
use railyard_spec::CheckedConfig;

/// A packet whose address is not in the cache: it waits for the forwarding table or the CAM.
///
/// # Errors
/// The switch does not route by table.
pub fn miss(config: &CheckedConfig) -> Result<Canvas, Fault> {
    let shape = config.shape();
    if shape.table().is_none() {
        return Err(no_table(&shape));
    }
    let mut bench = PinRecorder::new(config, OUTPUT);
    bench.start();
    let length = 2.max(shape.header_flits() as usize).min(shape.max_flits as usize);
    bench.plan_packet(0, INPUT, 0, Target::Output(OUTPUT), length, "");
    bench.run(60);
    let leaves = bench.first(|now| now.outputs.tx_valid >> OUTPUT & 1 == 1).unwrap_or(59);
    let mut rows = vec![bench.rx_flits(INPUT)];
    rows.push(bench.bits("lookup_miss[0]", Ink::Control, |now| now.outputs.lookup_miss >> INPUT & 1 == 1));
    if shape.external_cam() {
        rows.push(bench.bits("cam_request_valid", Ink::Control, |now| now.outputs.cam_request_valid));
        rows.push(bench.values("cam_request_address", Ink::Control, |now| {
            now.outputs.cam_request_valid.then(|| now.outputs.cam_request_address.to_string())
        }));
        rows.push(bench.bits("cam_response_valid", Ink::Back, |now| now.inputs.cam_response_valid));
        rows.push(bench.values("cam_response_port", Ink::Back, |now| {
            now.inputs.cam_response_valid.then(|| now.inputs.cam_response_port.to_string())
        }));
    }
    rows.push(bench.tx_flits(OUTPUT));
    let description = format!("Waveform: the address of a packet is not in the cache. The packet leaves in cycle {leaves}, behind the answer.");
    Ok(drawn(config, "miss", "a packet whose address is not in the cache", &description, rows))
}
