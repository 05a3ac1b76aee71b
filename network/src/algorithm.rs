//! Computed tables, by the algorithm of the plan.

use crate::multicast::Tree;
use crate::plan::{Algorithm, Plan};
use crate::tables::{shortest, up_down_in_turn, Dependencies, Tables, TooFewVcs};
use crate::topology::{NoGrid, Topology};
use crate::wiring::{Peer, Port, Wiring};

/// A network has no tables by the algorithm of its plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AlgorithmError {
    /// There are no dimensions.
    #[error(transparent)]
    NoGrid(#[from] NoGrid),
    /// Shortest ways would close rings.
    #[error(transparent)]
    TooFewVcs(#[from] TooFewVcs),
}

/// The tables for a wiring with all its links or some of them. `unicast` are the VCs of unicast packets, `trees` those
/// of multicast packets.
///
/// # Errors
/// The algorithm does not fit the network.
pub(crate) fn computed(
    plan: &Plan,
    wiring: &Wiring,
    unicast: &[usize],
    trees: &[&Tree],
) -> Result<Tables, AlgorithmError> {
    match plan.algorithm {
        Algorithm::ByTopology => Ok(plan.topology.tables(wiring, &plan.shape)),
        Algorithm::UpDown => Ok(match &plan.topology {
            Topology::FatTree(_) => plan.topology.tables(wiring, &plan.shape),
            _ => up_down_in_turn(wiring),
        }),
        Algorithm::Shortest => {
            let mixed = plan.shape.multicast.map(|built| built.vc);
            let vc = |&vc: &usize| match mixed == Some(vc) {
                true => (vc, of_trees(wiring, trees)),
                false => (vc, Dependencies::new(wiring)),
            };
            Ok(shortest(wiring, unicast.iter().map(vc).collect())?)
        }
        Algorithm::DimensionOrder => {
            if let Topology::HyperX(_) = &plan.topology {
                return Ok(plan.topology.tables(wiring, &plan.shape));
            }
            let grid = plan.topology.grid(plan.shape.ports)?;
            let is_whole = wiring.links().count() == grid.links();
            Ok(if is_whole { grid.tables(wiring, &plan.shape) } else { up_down_in_turn(wiring) })
        }
    }
}

/// The channels of multicast packets: those that enter a switch of a tree wait for all others of the tree that leave
/// it.
fn of_trees(wiring: &Wiring, trees: &[&Tree]) -> Dependencies {
    let mut dependencies = Dependencies::new(wiring);
    for (tree, (switch, _)) in trees.iter().flat_map(|tree| tree.masks().map(move |place| (tree, place))) {
        let links = || tree.ports(switch).map(|port| Port { switch, port });
        for entered in links() {
            let Peer::Switch(from) = wiring.peer(entered) else { continue };
            for leaving in links().filter(|&port| port != entered) {
                // Trees that close a ring by themselves are found when the network is checked.
                dependencies.add(wiring, &[from, leaving]);
            }
        }
    }
    dependencies
}
