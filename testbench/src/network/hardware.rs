//! The Verilated network, as somebody who sees each cycle of the golden one.

use super::difference::Differences;
use super::edge_pins::EdgePins;
use super::link_pins::LinkPins;
use super::switch_pins::SwitchPins;
use railyard_network::harness::{Cycle, LinkFaults, Observer};
use railyard_network::wiring::Port;
use railyard_network::Device;
use railyard_spec::network::Lanes;
use railyard_spec::Shape;
use railyard_verilated::{Clock, Compiled, Model, ModelError, Start};

/// A Verilated network that gets what the golden network gets, and must give what that gives.
#[derive(Debug)]
pub struct NetworkHardware {
    model: Model,
    clock: Clock,
    lanes: Lanes,
    edges: EdgePins,
    switches: SwitchPins,
    links: LinkPins,
}

impl NetworkHardware {
    /// Starts an instance and resets it; unknown values, if the build has them random, come from `seed`.
    ///
    /// # Errors
    /// The model can't be started.
    pub fn new(compiled: &Compiled, shape: &Shape, lanes: &Lanes, seed: u64) -> Result<NetworkHardware, ModelError> {
        let mut model = compiled.start(&Start { seed, ..Start::default() })?;
        let clock = model.clock("clock")?;
        let reset = model.input("reset")?;
        model.set(reset, 1);
        model.tick(clock);
        model.set(reset, 0);
        Ok(NetworkHardware {
            clock,
            lanes: lanes.clone(),
            edges: EdgePins::new(&model, shape)?,
            switches: SwitchPins::new(&model, shape)?,
            links: LinkPins::new(&model, shape)?,
            model,
        })
    }

    /// The port that an edge port is wired to.
    fn port(&self, edge: usize) -> Port {
        let lane = self.lanes.origins[self.lanes.of_edge(edge)];
        Port { switch: lane / self.lanes.ports, port: lane % self.lanes.ports }
    }

    fn drive<D: Device>(&mut self, cycle: &Cycle<'_, D>) {
        let Lanes { switches, ports, .. } = self.lanes;
        for switch in 0..switches {
            self.switches.drive(&mut self.model, switch, cycle.inputs(switch));
            for port in 0..ports {
                let link = self.lanes.of_port(switch, port);
                // What nobody drives is quiet and needs no faults.
                let is_open = self.lanes.origins[link] >= self.lanes.of_edge(self.lanes.nodes);
                let faults = if is_open { Some(LinkFaults::default()) } else { cycle.faults(Port { switch, port }) };
                self.links.drive(&mut self.model, link, faults);
            }
        }
        for edge in 0..self.lanes.edges() {
            let at = self.port(edge);
            self.links.drive(&mut self.model, self.lanes.of_edge(edge), Some(cycle.node_faults(at)));
            if let Some(drive) = cycle.sent(at) {
                self.edges.drive(&mut self.model, edge, drive);
            }
        }
    }
}

impl<D: Device> Observer<D> for NetworkHardware {
    /// Outputs of switches follow the clock edge alone; what leaves a link also depends on its faults in the same cycle.
    fn see(&mut self, cycle: &Cycle<'_, D>) -> Option<String> {
        let mut differences = Differences::default();
        self.drive(cycle);
        self.model.settle(self.clock);
        for edge in 0..self.lanes.edges() {
            let place = || self.lanes.name(self.lanes.of_edge(edge));
            self.edges.compare(&self.model, edge, &cycle.received(self.port(edge)), place, &mut differences);
        }
        self.model.tick(self.clock);
        for switch in 0..self.lanes.switches {
            self.switches.compare(&self.model, switch, cycle.outputs(switch), &mut differences);
        }
        match self.model.stop_reason() {
            Some(reason) => Some(format!("{}: the Verilog stops itself: {reason}", cycle.name())),
            None => differences.message(&cycle.name()),
        }
    }
}
