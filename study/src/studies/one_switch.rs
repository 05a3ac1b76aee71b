//! Cao2016's switch by itself: throughput under uniform traffic, measured on the golden model.

use railyard_spec::{Config, Crossbar, LinkArbitration, Routing, SourceRouting};
use railyard_testbench::simulate::{simulate, Simulation, WarmUp};
use railyard_testbench::stimulus::Scenario;
use railyard_testbench::traffic::Pattern;

/// Ports of the switch.
pub(super) const PORTS: usize = 16;

/// A source-routed switch, as the seed's, with packets of one length.
#[derive(Clone, Copy, Debug)]
pub(super) struct OneSwitch {
    pub vcs: u32,
    /// Flits of a packet.
    pub flits: u32,
    /// Flits of a VC's buffer.
    pub buffer: u32,
    /// Flits of an output queue, if there are queues.
    pub queue: Option<u32>,
    pub crossbar: Crossbar,
    pub arbitration: LinkArbitration,
}

impl OneSwitch {
    /// With the defaults of a switch, and that many packets a buffer.
    pub fn new(vcs: u32, flits: u32, packets: u32) -> OneSwitch {
        let Config { crossbar, link_arbitration: arbitration, .. } = Config::named("throughput");
        OneSwitch { vcs, flits, buffer: packets * flits, queue: None, crossbar, arbitration }
    }

    /// Measures over so many packet times after a third as many.
    pub fn measure(self, load: f64, times: u64, seed: u64) -> Simulation {
        let mut config = Config::named("throughput");
        config.ports = PORTS as u32;
        config.virtual_channels.unicast = self.vcs;
        config.packet.max_flits = self.flits;
        config.buffer_flits = Some(self.buffer);
        config.output_queue_flits = self.queue;
        (config.crossbar, config.link_arbitration) = (self.crossbar, self.arbitration);
        config.routing = Routing::Source(SourceRouting { hops: 5 });
        let config = config.check().expect("a legal switch");
        let cycles = times * u64::from(self.flits);
        let scenario = Scenario::new(seed, Pattern::Uniform, load);
        simulate(&config.shape(), &scenario, WarmUp::Cycles(cycles / 3), cycles, |_| {})
            .expect("the model keeps the rules of packets")
    }
}
