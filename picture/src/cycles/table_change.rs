//! A change of the table under traffic: disable, flush and sweep, program, enable.

use super::{drawn, no_table, unsuited, INPUT};
use crate::bench::{Instant, PinRecorder, Target, Watch};
use crate::canvas::Canvas;
use crate::style::Ink;
use railyard_input::Fault;
use railyard_spec::registers::address::{CACHE, FLUSH};
use railyard_spec::CheckedConfig;

const OLD: usize = 1;
const NEW: usize = 2;

/// Packets for one address, whose route is changed from one output to another.
///
/// # Errors
/// The switch has no cache that can be flushed, no external CAM, or too few ports.
pub fn table_change(config: &CheckedConfig) -> Result<Canvas, Fault> {
    let shape = config.shape();
    let table = shape.table().ok_or_else(|| no_table(&shape))?;
    let Some(sets) = table.cache.as_ref().map(|cache| cache.sets as u64) else {
        return Err(unsuited("/routing/cache", "null", "must be a cache: it is flushed", "{}"));
    };
    if !shape.cache_control() {
        return Err(unsuited("/registers", false, "must be true: the cache is flushed through registers", "true"));
    }
    if !table.external_cam {
        return Err(unsuited("/routing/external_cam", false, "must be true: the route changes in the CAM", "true"));
    }
    if shape.ports <= NEW {
        return Err(unsuited("/ports", shape.ports, "must be at least 3, for the old and the new output", "3"));
    }
    let mut bench = PinRecorder::new(config, OLD);
    bench.start();
    bench.plan_packet(0, INPUT, 0, Target::Output(OLD), 1, "");
    bench.run(40);
    bench.watch(&[Watch::Enabled, Watch::Sweeping]);
    bench.start();
    let (disable, change, enable) = (4, 10, 12);
    bench.plan_write(disable, CACHE, 0);
    bench.plan_write(disable + 2, FLUSH, 1);
    bench.change_cam(change, NEW);
    bench.plan_write(enable, CACHE, 1);
    // A packet before the change, one during it, and two behind the sweep: the first fills the cache, the second finds
    // it filled.
    let swept = enable.max(disable + sets) + 6;
    for (number, cycle) in [0, disable + 4, swept, swept + 20].into_iter().enumerate() {
        bench.plan_packet(cycle, INPUT, 0, Target::Output(OLD), 1, &(number + 1).to_string());
    }
    bench.run(swept + 30);
    let apb = |now: &Instant| {
        let apb = now.inputs.apb;
        let name = match (u32::from(apb.paddr), apb.pwdata) {
            (CACHE, 0) => "disable",
            (CACHE, _) => "enable",
            _ => "flush",
        };
        (apb.psel && apb.pwrite).then(|| name.to_string())
    };
    let cycle_of = |now: &Instant| bench.record().iter().position(|other| std::ptr::eq(other, now)).unwrap_or(0) as u64;
    let rows = vec![
        bench.values("register write", Ink::Control, apb),
        bench.watched_bit("caches enabled", Ink::Control, 0),
        bench.watched_bit("caches sweeping", Ink::Control, 1),
        bench.values("CAM: output", Ink::Back, |now| {
            Some(format!("{}", if cycle_of(now) < change { OLD } else { NEW }))
        }),
        bench.rx_flits(INPUT),
        bench.bits("lookup_hit[0]", Ink::Back, |now| now.outputs.lookup_hit >> INPUT & 1 == 1),
        bench.bits("lookup_miss[0]", Ink::Alarm, |now| now.outputs.lookup_miss >> INPUT & 1 == 1),
        bench.tx_flits(OLD),
        bench.tx_flits(NEW),
    ];
    let description = format!(
        "Waveform: packets for one address. Up to the change they leave by output {OLD}, found in the cache. The caches are disabled and flushed, \
         the CAM gets the new route, the caches are enabled. Meanwhile packets ask the CAM, and none is lost. When the sweep is over, the cache fills anew, with output {NEW}."
    );
    Ok(drawn(config, "table-change", "a route changes under traffic", &description, rows))
}
