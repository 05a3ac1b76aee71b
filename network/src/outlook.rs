//! What a network can carry at best, by its routes alone.

use crate::blueprint::Blueprint;
use crate::check::RouteLoads;
use crate::multicast::roots;
use crate::wiring::{Peer, Port};
use serde::Serialize;

/// The best that uniform traffic can come to, and what limits it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outlook {
    /// Load in flits for each node and cycle at which the busiest link is full; at most 1, at which the nodes' own are.
    pub uniform_limit: f64,
    /// The link between switches that most routes go over.
    pub busiest_link: Option<LinkRoutes>,
    /// If routes are up*/down* routes by distance from roots.
    pub up_down: Option<Roots>,
}

/// Routes from each node to each other one, by those that go over a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LinkRoutes {
    /// The port from which the link leads.
    pub link: Port,
    /// The switch to which it leads.
    pub to: usize,
    /// Routes that go over it.
    pub routes: u64,
    /// All routes.
    pub of: u64,
}

/// Roots of up*/down* routes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Roots {
    /// The switches.
    pub switches: Vec<usize>,
    /// Share of the routes that go through the busiest of them.
    pub share: f64,
}

impl Outlook {
    /// Of a checked network.
    pub fn new(blueprint: &Blueprint) -> Outlook {
        let wiring = &blueprint.wiring;
        let loads = RouteLoads::new(wiring, &blueprint.tables);
        let link = |(link, routes): (Port, u64)| match wiring.peer(link) {
            Peer::Switch(far) => Some(LinkRoutes { link, to: far.switch, routes, of: loads.routes() }),
            Peer::Node(_) | Peer::Nothing => None,
        };
        let is_up_down = blueprint.plan.tables.is_none() && blueprint.plan.topology.is_up_down(wiring);
        let up_down = is_up_down.then(|| {
            let switches = roots(wiring);
            let most = switches.iter().map(|&root| loads.through(root)).max().unwrap_or(0);
            Roots { share: most as f64 / loads.routes() as f64, switches }
        });
        let busiest_link = loads.busiest_link().and_then(link);
        Outlook { uniform_limit: loads.uniform_limit(), busiest_link, up_down }
    }

    /// What a single root costs.
    pub fn note(&self) -> Option<String> {
        let Roots { switches, share } = self.up_down.as_ref()?;
        let [root] = switches[..] else { return None };
        (self.uniform_limit < 1.0).then(|| {
            format!(
                "up*/down* routes have one root, switch {root}: {:.0} % of all routes go through it, and uniform traffic comes to at most \
                 {:.2} flits/node/cycle. `roots` of a wiring names others",
                100.0 * share,
                self.uniform_limit
            )
        })
    }
}
