//! Figures of a run by place: each link and VC, the nodes of each switch.

use super::Network;
use crate::device::Device;
use crate::wiring::{Peer, Port};
use serde::Serialize;

/// Figures by place, of the measured cycles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Details {
    /// The links between switches, in each direction, by the port from which they lead.
    pub links: Vec<LinkUse>,
    /// Flits that the nodes of each switch sent, for each of these nodes and cycle; none of a switch without nodes.
    pub injected: Vec<Option<f64>>,
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

    /// Figures by place since [`Network::measure`], as of [`Network::report`].
    pub fn details(&self) -> Details {
        let wiring = &self.setting.blueprint.wiring;
        let cycles = (self.of_run(self.now) - self.measured.from).max(1) as f64;
        let ends = (0..wiring.switches()).flat_map(|switch| (0..wiring.ports()).map(move |port| Port { switch, port }));
        let link = |link: Port| {
            let Peer::Switch(to) = wiring.peer(link) else { return None };
            let flits = self.stations[link.switch].flits_by_vc(link.port);
            let busy = flits.iter().sum::<u64>() as f64 / cycles;
            Some(LinkUse { link, to, busy, vcs: flits.iter().map(|&flits| flits as f64 / cycles).collect() })
        };
        Details { links: ends.filter_map(link).collect(), injected: self.injected() }
    }
}
