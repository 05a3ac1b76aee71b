//! Figures of a run by place: each link and VC, the nodes of each switch.

use super::terminal::FlitCounts;
use super::Network;
use crate::device::Device;
use crate::wiring::{Peer, Port};
use serde::Serialize;

/// Figures by place, of the measured cycles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Details {
    /// The links between switches, in each direction, by the port from which they lead.
    pub links: Vec<LinkUse>,
    /// The nodes, in order.
    pub nodes: Vec<NodeUse>,
    /// Flits that the nodes of each switch sent, for each of these nodes and cycle; none of a switch without nodes.
    pub injected: Vec<Option<f64>>,
}

/// A node, with its flits in a cycle on average.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeUse {
    /// The port at which it is.
    pub at: Port,
    /// Flits that its source made.
    pub offered: f64,
    /// Flits that it sent.
    pub sent: f64,
    /// Flits that it received.
    pub received: f64,
    /// Packets in its source queue, those not counted that are being sent.
    pub queued: f64,
    /// Flits in the buffers of the switch for what it sends, by VC.
    pub buffered: Vec<f64>,
}

/// A link between switches in one direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkUse {
    /// The port from which it leads.
    pub link: Port,
    /// The port to which it leads.
    pub to: Port,
    /// Share of the cycles in which a flit left there.
    pub busy: f64,
    /// The same by VC, that of barriers last.
    pub vcs: Vec<f64>,
    /// Flits in the buffers at its far end on average, by VC.
    pub buffered: Vec<f64>,
}

impl<D: Device> Network<D> {
    /// Flits that the nodes of each switch sent, for each of these nodes and cycle, as of [`Network::report`].
    pub(super) fn injected(&self) -> Vec<Option<f64>> {
        let cycles = (self.of_run(self.now) - self.measured.from).max(1);
        let nodes = self.setting.blueprint.wiring.nodes_by_switch();
        let of = |(station, nodes): (&super::Station<D>, &Vec<usize>)| {
            (!nodes.is_empty()).then(|| station.injected() as f64 / (cycles * nodes.len() as u64) as f64)
        };
        self.stations.iter().zip(&nodes).map(of).collect()
    }

    /// Keeps what waits in buffers and source queues from now on, for [`Network::details`].
    pub fn keep_queues(&mut self) {
        self.stations.iter_mut().for_each(|station| station.keep_queues());
    }

    /// Flits in the buffers of a port on average of so many cycles, by VC; none if that was not kept.
    fn buffered(&self, at: Port, cycles: f64) -> Vec<f64> {
        let sums = self.stations[at.switch].queues().map_or(&[][..], |queues| queues.buffers(at.port));
        sums.iter().map(|&flits| flits as f64 / cycles).collect()
    }

    fn node(&self, at: Port, cycles: f64) -> NodeUse {
        let station = &self.stations[at.switch];
        let FlitCounts { received, made, sent } = station.node_counts(at.port).unwrap_or_default();
        let [received, offered, sent] = [received, made, sent].map(|flits| flits as f64 / cycles);
        let queued = station.queues().map_or(0, |queues| queues.source(at.port)) as f64 / cycles;
        NodeUse { at, offered, sent, received, queued, buffered: self.buffered(at, cycles) }
    }

    /// Figures by place since [`Network::measure`], as of [`Network::report`].
    pub fn details(&self) -> Details {
        let wiring = &self.setting.blueprint.wiring;
        let cycles = (self.of_run(self.now) - self.measured.from).max(1) as f64;
        let ends = (0..wiring.switches()).flat_map(|switch| (0..wiring.ports()).map(move |port| Port { switch, port }));
        let link = |link: Port| {
            let Peer::Switch(to) = wiring.peer(link) else { return None };
            let flits = self.stations[link.switch].flits_by_vc(link.port);
            let busy = flits.iter().sum::<u64>() as f64 / cycles;
            let vcs = flits.iter().map(|&flits| flits as f64 / cycles).collect();
            Some(LinkUse { link, to, busy, vcs, buffered: self.buffered(to, cycles) })
        };
        let nodes = wiring.nodes().iter().map(|&at| self.node(at, cycles)).collect();
        Details { links: ends.filter_map(link).collect(), nodes, injected: self.injected() }
    }
}
