//! What the harness asks of a switch.

use crate::tables::Hop;
use railyard_model::route::dragonfly::hop_counts::HopCounts;
use railyard_model::route::route_queue::PacketRoute;
use railyard_model::{Inputs, Outputs, Switch};
use railyard_spec::Shape;

/// A switch, seen from its pins: the golden model, or a simulated design.
pub trait Device: Send + Sync {
    /// Its shape.
    fn shape(&self) -> &Shape;

    /// The output pins in the current cycle.
    fn outputs(&self) -> &Outputs;

    /// One cycle with those inputs.
    fn step(&mut self, inputs: &Inputs);

    /// Whether nothing would change, but the number of the cycle, for as long as nothing comes to the input pins; false
    /// also if the device can't tell.
    fn is_at_rest(&self) -> bool {
        false
    }

    /// So many cycles in which nothing comes to the input pins, of a device at rest.
    fn rest(&mut self, cycles: u64) {
        let _ = cycles;
    }

    /// Leaves in a port's routing cache what a lookup of an address does, once it is answered with that hop, but takes
    /// no time. Whether the cache had the route; none without a cache, or if the device can't do that.
    fn warm_cache(&mut self, port: usize, address: u64, hop: Hop) -> Option<bool> {
        let _ = (port, address, hop);
        None
    }

    /// Packets that were granted an output since reset, by the kind of the hop; none of a switch that does not choose
    /// ways, or if the device can't tell.
    fn hops(&self) -> Option<HopCounts> {
        None
    }

    /// Flits in the buffer of a VC of an input; 0 if the device can't tell.
    fn waiting(&self, port: usize, vc: usize) -> u32 {
        let _ = (port, vc);
        0
    }

    /// What is wrong with the device itself, if it can tell: a simulated design that differs from its golden model.
    fn fault(&self) -> Option<String> {
        None
    }

    /// What is not as after a reset although all traffic is over, as far as can be seen inside; `wired` are the outputs
    /// with a link.
    fn left_over(&self, wired: u64) -> Option<String> {
        let _ = wired;
        None
    }
}

impl Device for Switch {
    fn shape(&self) -> &Shape {
        Switch::shape(self)
    }

    fn outputs(&self) -> &Outputs {
        Switch::outputs(self)
    }

    fn step(&mut self, inputs: &Inputs) {
        Switch::step(self, inputs);
    }

    fn is_at_rest(&self) -> bool {
        Switch::is_at_rest(self)
    }

    fn rest(&mut self, cycles: u64) {
        Switch::rest(self, cycles);
    }

    fn warm_cache(&mut self, port: usize, address: u64, hop: Hop) -> Option<bool> {
        let route = PacketRoute::new(hop.port as u8, hop.vc.map(|vc| vc as u8));
        Switch::warm_cache(self, port, address, route)
    }

    fn hops(&self) -> Option<HopCounts> {
        self.hop_counts()
    }

    fn waiting(&self, port: usize, vc: usize) -> u32 {
        self.occupancy(port, vc)
    }

    fn left_over(&self, wired: u64) -> Option<String> {
        let shape = Switch::shape(self);
        if !self.is_idle() {
            return Some("flits, lookups or requests inside".into());
        }
        if !self.bulletin_is_free() {
            return Some("outputs taken off the bulletin".into());
        }
        let outputs = railyard_model::bits::ones(wired);
        let mut channels = outputs.flat_map(|port| (0..shape.vcs).map(move |vc| (port, vc)));
        let short = channels.find(|&(port, vc)| self.available(port, vc) != shape.depth_at(port) as i32);
        short.map(|(port, vc)| {
            let (count, depth) = (self.available(port, vc), shape.depth_at(port));
            format!("port {port} VC {vc} has credit for {count} flits of {depth}")
        })
    }
}
