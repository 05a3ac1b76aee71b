//! Seed 004's switch by itself: throughput under uniform traffic, measured on the golden model.

use railyard_spec::{Config, Routing, SourceRouting};
use railyard_testbench::simulate::{simulate, Simulation, WarmUp};
use railyard_testbench::stimulus::Scenario;
use railyard_testbench::traffic::Pattern;

/// Ports of the switch.
pub(super) const PORTS: usize = 16;

/// A source-routed switch (as the seed's) with that many VCs, packets of `flits`, a buffer of `buffer_flits` for each VC, measured over
/// so many packet times after a third as many.
pub(super) fn measure(vcs: u32, flits: u32, buffer_flits: u32, load: f64, times: u64, seed: u64) -> Simulation {
    let mut config = Config::named("throughput");
    config.ports = PORTS as u32;
    config.virtual_channels.unicast = vcs;
    config.packet.max_flits = flits;
    config.buffer_flits = Some(buffer_flits);
    config.routing = Routing::Source(SourceRouting { hops: 5 });
    config.check().expect("a legal switch");
    let cycles = times * u64::from(flits);
    let scenario = Scenario::new(seed, Pattern::Uniform, load);
    simulate(&config.shape(), &scenario, WarmUp::Cycles(cycles / 3), cycles, |_| {})
        .expect("the model keeps the rules of packets")
}
