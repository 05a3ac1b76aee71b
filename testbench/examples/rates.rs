//! How fast the golden model runs, and what the bench around it costs, for each preset at some loads.
//!
//! `cargo run --release -p railyard-testbench --example rates`

use railyard_spec::{presets::PRESETS, Config};
use railyard_testbench::{benchmark::model_rates, stimulus::Scenario, traffic::Pattern};
use std::time::Duration;

fn main() {
    println!("preset        load   model cycles/s   in its bench   bench ns/cycle");
    for preset in PRESETS {
        let shape = Config::from_json(preset.json).expect("presets are correct").shape();
        for load in [0.1, 0.5, 1.0] {
            let rates = model_rates(&shape, &Scenario::new(1, Pattern::Uniform, load), Duration::from_millis(500));
            let (name, model, bench) = (preset.name, rates.model.median, rates.bench.median);
            println!("{name:<12} {load:>5} {model:>16.0} {bench:>14.0} {:>16.0}", rates.stimulus_ns.median);
        }
    }
}
