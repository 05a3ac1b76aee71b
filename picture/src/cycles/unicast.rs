//! Packets through an idle switch.

use super::pipeline::stages;
use super::{drawn, lookup, unsuited, INPUT, OUTPUT};
use crate::bench::{PinRecorder, Target};
use crate::canvas::Canvas;
use crate::style::Ink;
use crate::wave::WaveRow;
use railyard_input::Fault;
use railyard_spec::CheckedConfig;

/// One packet through an idle switch by the shortest way: a cache hit, if there is a cache.
///
/// # Errors
/// The description has nothing that could be shown.
pub fn header(config: &CheckedConfig) -> Result<Canvas, Fault> {
    let (mut bench, Some(stages)) = (ready(config)?, stages(&config.shape())) else { return lookup::miss(config) };
    let length = longest(config, 4);
    bench.plan_packet(0, INPUT, 0, Target::Output(OUTPUT), length, "");
    bench.run(stages.len() as u64 + length as u64 + 2);
    let description = format!(
        "Waveform: the header comes to port {INPUT} in cycle 0 and leaves by port {OUTPUT} in cycle {}. Between: {}.",
        stages.len(),
        stages.join(", ")
    );
    let title = if config.shape().table().is_some() { "a packet whose address is in the cache" } else { "a packet" };
    let mut rows = vec![bench.rx_flits(INPUT), stage_row(&stages, bench.record().len())];
    if config.shape().table().is_some() {
        rows.push(bench.bits("lookup_hit[0]", Ink::Control, |now| now.outputs.lookup_hit >> INPUT & 1 == 1));
    }
    rows.extend([bench.tx_flits(OUTPUT), bench.rx_credits(INPUT, 0)]);
    Ok(drawn(config, "cycles", title, &description, rows))
}

/// Two packets on one VC to the same output.
///
/// # Errors
/// The description has nothing that could be shown.
pub fn back_to_back(config: &CheckedConfig) -> Result<Canvas, Fault> {
    let mut bench = ready(config)?;
    let length = longest(config, 2).max(config.shape().header_flits() as usize);
    for (number, name) in ["1", "2"].iter().enumerate() {
        bench.plan_packet((number * length) as u64, INPUT, 0, Target::Output(OUTPUT), length, name);
    }
    let way = stages(&config.shape()).map_or(18, |stages| stages.len());
    bench.run((way + 2 * length + 2) as u64);
    let description = "Waveform: two packets follow each other on one virtual channel to the same output. The second leaves right behind the first.";
    let tails =
        bench.bits("tx_tail[1]", Ink::Soft, |now| now.outputs.tx_valid & now.outputs.tx_tail & 1 << OUTPUT != 0);
    let rows = vec![bench.rx_flits(INPUT), bench.tx_flits(OUTPUT), tails];
    Ok(drawn(config, "back-to-back", "two packets for one output", description, rows))
}

/// A bench whose cache, if there is one, has the address.
fn ready(config: &CheckedConfig) -> Result<PinRecorder, Fault> {
    let shape = config.shape();
    if shape.algorithmic().is_some() && !shape.registers {
        return Err(unsuited("/registers", false, "must be true: node reduction is set up through registers", "true"));
    }
    let mut bench = PinRecorder::new(config, OUTPUT);
    if shape.table().is_some() {
        let length = shape.header_flits() as usize;
        bench.start();
        bench.plan_packet(0, INPUT, 0, Target::Output(OUTPUT), length, "");
        bench.run(40 + length as u64);
    }
    bench.start();
    Ok(bench)
}

/// A length of packets, as long as they may be.
fn longest(config: &CheckedConfig, wanted: usize) -> usize {
    wanted.max(config.shape().header_flits() as usize).min(config.packet.max_flits as usize)
}

/// The way of the header, a stage a cycle.
fn stage_row(stages: &[&str], cycles: usize) -> WaveRow {
    let cell = |cycle: usize| stages.get(cycle).map(|stage| stage.to_string());
    // Stages of the same name are drawn as one.
    WaveRow::values("header", Ink::Control, (0..cycles).map(cell))
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{presets, BufferEcc, Config};

    /// Of every preset the header leaves in the cycle that its stages say, and the picture shows what the model does.
    #[test]
    fn the_header_leaves_behind_its_last_stage() {
        let corrected = |config: &CheckedConfig| {
            let mut config: Config = (**config).clone();
            config.buffer_ecc = Some(BufferEcc::default());
            // A switch of a Dragonfly has none.
            config.check().ok()
        };
        let presets = presets::PRESETS.iter().map(|preset| Config::from_json(preset.json).unwrap());
        for config in presets.flat_map(|config| [corrected(&config), Some(config)]).flatten() {
            let stages = stages(&config.shape()).expect("every preset has a way without the CAM");
            let mut bench = ready(&config).unwrap();
            bench.plan_packet(0, INPUT, 0, Target::Output(OUTPUT), longest(&config, 4), "");
            bench.run(20);
            let leaves = bench.first(|now| now.outputs.tx_valid & now.outputs.tx_head & 1 << OUTPUT != 0);
            assert_eq!(leaves, Some(stages.len()), "{} {:?}: {stages:?}", config.name, config.buffer_ecc);
        }
    }
}
