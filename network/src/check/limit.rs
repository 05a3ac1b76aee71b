//! The load at which traffic fills a link, whatever buffers and arbiters do.

use super::walks::Walks;
use crate::tables::Tables;
use crate::wiring::{Peer, Port, Wiring};

/// What limits traffic.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Bottleneck {
    /// Load in flits for each node and cycle at which a link is full; at most 1, at which the nodes' own are.
    pub load: f64,
    /// The link between switches that is full then, by the port from which it leads; none if that of a node is.
    pub link: Option<Port>,
}

/// The limit of packets of which a node sends another one a share. Tables must be ones by which every node reaches
/// every other one. On the mean, a node sends 1.
pub fn limit(wiring: &Wiring, tables: &Tables, share: impl Fn(usize, usize) -> f64) -> Bottleneck {
    let nodes = wiring.nodes_by_switch();
    let mut links = vec![0.0; wiring.switches() * wiring.ports()];
    let mut walks = Walks::new(wiring, tables);
    let (mut flow, mut most_received) = (vec![0.0; wiring.switches()], 0.0f64);
    let mut sent = vec![0.0f64; wiring.nodes().len()];
    for to in 0..wiring.nodes().len() {
        walks.walk_to(to).expect("the tables were checked");
        for (flow, nodes) in flow.iter_mut().zip(&nodes) {
            *flow = 0.0;
            for &from in nodes {
                let share = share(from, to);
                (*flow, sent[from]) = (*flow + share, sent[from] + share);
            }
        }
        most_received = most_received.max(flow.iter().sum());
        for &switch in walks.nearest_first().iter().rev() {
            let port = tables.hop(switch, to).expect("the tables were checked").port;
            if let Peer::Switch(far) = wiring.peer(Port { switch, port }) {
                links[switch * wiring.ports() + port] += flow[switch];
                flow[far.switch] += flow[switch];
            }
        }
    }
    // Sums of shares are 1 up to rounding.
    let of_nodes = sent.into_iter().fold(most_received, f64::max);
    let of_nodes = if of_nodes < 1.0 + 1e-9 { 1.0 } else { of_nodes };
    let busiest = links.iter().copied().enumerate().reduce(|most, link| if link.1 > most.1 { link } else { most });
    match busiest {
        Some((at, carried)) if carried > of_nodes => Bottleneck {
            load: 1.0 / carried,
            link: Some(Port { switch: at / wiring.ports(), port: at % wiring.ports() }),
        },
        _ => Bottleneck { load: 1.0 / of_nodes, link: None },
    }
}
