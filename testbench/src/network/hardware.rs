//! The Verilated network, as somebody who sees each cycle of the golden one.

use super::difference::Differences;
use super::edge_pins::EdgePins;
use super::link_pins::LinkPins;
use super::switch_pins::SwitchPins;
use crate::lockstep::print;
use railyard_network::harness::{LinkFaults, NetworkCycle, Observer};
use railyard_network::wiring::Port;
use railyard_network::Device;
use railyard_spec::network::Lanes;
use railyard_spec::Shape;
use railyard_verilated::{Compiled, Ending, ModelError, Pins, Process, Session, Start};

/// A Verilated network that gets what the golden network gets, and must give what that gives.
#[derive(Debug)]
pub struct NetworkHardware {
    process: Process,
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
        let start = Start { seed, ..Start::default() };
        let session = Session { start, settled: true, recording: None, print: Box::new(print) };
        let mut process = compiled.process("clock", session)?;
        let (reset, low) = (process.pins().input(shape.reset.pin())?, shape.reset.is_low());
        process.pins_mut().set(reset, u64::from(!low));
        process.send();
        process.pins_mut().set(reset, u64::from(low));
        let pins = process.pins();
        Ok(NetworkHardware {
            lanes: lanes.clone(),
            edges: EdgePins::new(pins, shape)?,
            switches: SwitchPins::new(pins, shape)?,
            links: LinkPins::new(pins, shape)?,
            process,
        })
    }

    /// The port that an edge port is wired to.
    fn port(&self, edge: usize) -> Port {
        let lane = self.lanes.origins[self.lanes.of_edge(edge)];
        Port { switch: lane / self.lanes.ports, port: lane % self.lanes.ports }
    }

    fn drive<D: Device>(&mut self, cycle: &NetworkCycle<'_, D>) {
        let Lanes { switches, ports, .. } = self.lanes;
        for switch in 0..switches {
            self.switches.drive(self.process.pins_mut(), switch, cycle.inputs(switch));
            for port in 0..ports {
                let link = self.lanes.of_port(switch, port);
                // What nobody drives is quiet and needs no faults.
                let is_open = self.lanes.origins[link] >= self.lanes.of_edge(self.lanes.nodes);
                let faults = if is_open { Some(LinkFaults::default()) } else { cycle.faults(Port { switch, port }) };
                self.links.drive(self.process.pins_mut(), link, faults);
            }
        }
        for edge in 0..self.lanes.edges() {
            let at = self.port(edge);
            self.links.drive(self.process.pins_mut(), self.lanes.of_edge(edge), Some(cycle.node_faults(at)));
            if let Some(drive) = cycle.sent(at) {
                self.edges.drive(self.process.pins_mut(), edge, drive);
            }
        }
    }
}

impl<D: Device> Observer<D> for NetworkHardware {
    /// Outputs of switches follow the clock edge alone; what leaves a link also depends on its faults in the same
    /// cycle.
    fn see(&mut self, cycle: &NetworkCycle<'_, D>) -> Option<String> {
        let mut differences = Differences::default();
        self.drive(cycle);
        // Also the cycle of the reset is still under way, if this is the first.
        self.process.send();
        while self.process.under_way() > 0 {
            match self.process.receive() {
                Ok(()) => {}
                Err(Ending::Stopped(reason)) => {
                    return Some(format!("{}: the Verilog stops itself: {reason}", cycle.name()))
                }
                Err(ending) => return Some(format!("{}: {ending}", cycle.name())),
            }
        }
        for edge in 0..self.lanes.edges() {
            let place = || self.lanes.name(self.lanes.of_edge(edge));
            let arrival = cycle.received(self.port(edge));
            self.edges.compare(self.process.settled(), edge, &arrival, place, &mut differences);
        }
        for switch in 0..self.lanes.switches {
            self.switches.compare(self.process.pins(), switch, cycle.outputs(switch), &mut differences);
        }
        differences.message(&cycle.name())
    }

    /// The design's `final` blocks run.
    fn end(&mut self) -> Option<String> {
        match self.process.finish() {
            Ok(()) => None,
            Err(Ending::Stopped(reason)) => Some(format!("after the last cycle the Verilog fails: {reason}")),
            Err(ending) => Some(format!("after the last cycle: {ending}")),
        }
    }
}
