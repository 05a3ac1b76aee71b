//! Somebody who sees every cycle of a network: to hold another realisation of the same network against it, as one piece
//! of hardware.

use super::exchange::{Lane, Pictures};
use super::feed::Feed;
use super::link_faults::LinkFaults;
use super::setting::Setting;
use super::station::Station;
use super::terminal::Drive;
use crate::device::Device;
use crate::wiring::Port;
use railyard_model::{Inputs, Outputs};

/// Sees every cycle of a network from the first one after reset.
pub trait Observer<D> {
    /// A cycle is over. Gives what is wrong with it; then the run ends.
    fn see(&mut self, cycle: &NetworkCycle<'_, D>) -> Option<String>;

    /// The run is over. Gives what is wrong at its end.
    fn end(&mut self) -> Option<String> {
        None
    }
}

/// A cycle of a network, seen after its clock edge.
pub struct NetworkCycle<'a, D> {
    pub(super) now: u64,
    pub(super) origin: Option<u64>,
    pub(super) stations: &'a [Station<D>],
    /// What was at the link pins in the last cycles.
    pub(super) pictures: &'a Pictures,
    pub(super) setting: &'a Setting,
}

/// What a link brings to a node, or to whatever is outside of a port without a link.
#[derive(Clone, Debug)]
pub struct LinkArrival<'a> {
    /// Flit and reports that come out of the link.
    pub lane: Lane,
    /// The flit as it went in.
    pub flit: &'a [u32],
    /// Its first word as it comes out.
    pub first_word: u32,
    /// Credit of each VC as it comes out.
    pub credits: Vec<u16>,
}

impl<D: Device> NetworkCycle<'_, D> {
    /// Its name for people, by the run's own count.
    pub fn name(&self) -> String {
        match self.origin {
            Some(origin) => format!("cycle {}", self.now - origin),
            None => format!("cycle {} of the set-up", self.now),
        }
    }

    /// What went in at a switch's pins.
    pub fn inputs(&self, switch: usize) -> &Inputs {
        self.stations[switch].inputs()
    }

    /// What is at its outputs after the clock edge.
    pub fn outputs(&self, switch: usize) -> &Outputs {
        self.stations[switch].device().outputs()
    }

    /// What the link that ends at a switch's port did; none if there is no link any more, or it is broken.
    pub fn faults(&self, at: Port) -> Option<LinkFaults> {
        let station = &self.stations[at.switch];
        match station.feeds[at.port] {
            Feed::Nothing | Feed::Broken(_) => None,
            Feed::Lane(_) | Feed::Terminal(_) => Some(station.port_faults[at.port]),
        }
    }

    /// What the link that ends at a node did, given the port of the node.
    pub fn node_faults(&self, at: Port) -> LinkFaults {
        self.terminal(at).map_or(LinkFaults::default(), |terminal| self.stations[at.switch].node_faults[terminal])
    }

    /// What the node at a port drives into its link; none if there is no node.
    pub fn sent(&self, at: Port) -> Option<&Drive> {
        self.terminal(at).map(|terminal| self.stations[at.switch].terminals[terminal].driving())
    }

    /// What leaves the network at a port with a node, or with nothing.
    pub fn received(&self, at: Port) -> LinkArrival<'_> {
        let sizes = self.setting.sizes;
        let own = at.switch * sizes.ports + at.port;
        let picture = self.pictures.before(self.pictures.place(self.now), self.setting.latencies[own]);
        let (faults, mut lane, flit) = (self.node_faults(at), picture.lanes[own], picture.flit(own, sizes));
        lane.valid &= !faults.message_lost;
        lane.reports = faults.reports(lane.reports, sizes.vcs);
        let bits = self.setting.shape().credit_bits;
        let credits = picture.credits[own * sizes.vcs..(own + 1) * sizes.vcs].iter();
        let credits = credits.enumerate().map(|(vc, &credit)| faults.credit(vc, credit, bits)).collect();
        LinkArrival { lane, flit, first_word: faults.word(flit[0]), credits }
    }

    fn terminal(&self, at: Port) -> Option<usize> {
        match self.stations[at.switch].feeds[at.port] {
            Feed::Terminal(terminal) => Some(terminal),
            Feed::Nothing | Feed::Lane(_) | Feed::Broken(_) => None,
        }
    }
}
