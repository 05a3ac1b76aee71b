//! What a network can carry at best, by its routes alone.

use crate::algorithm::computed;
use crate::blueprint::{Algorithm, Blueprint, Plan};
use crate::check::RouteLoads;
use crate::multicast::{roots, Tree};
use crate::tables::{up_down_in_turn, Tables};
use crate::topology::Topology;
use crate::wiring::{Peer, Port, Wiring};
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
    /// If nodes send on certain VCs only, by destination.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<Layers>,
}

/// VCs on which nodes send to another switch, by destination.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Layers {
    /// VCs of the routes with the fewest.
    pub fewest: u32,
    /// VCs of a route on average.
    pub on_average: f64,
    /// VCs for unicast packets.
    pub of: usize,
}

impl Layers {
    fn new(blueprint: &Blueprint) -> Layers {
        let Blueprint { wiring, tables, rules, .. } = blueprint;
        let unicast = rules.unicast.iter().fold(0, |mask, vc| mask | 1 << vc);
        let (mut fewest, mut sum, mut routes) = (rules.unicast.len() as u32, 0, 0);
        for (switch, nodes) in wiring.nodes_by_switch().iter().enumerate().filter(|(_, nodes)| !nodes.is_empty()) {
            for to in (0..tables.nodes()).filter(|&to| wiring.nodes()[to].switch != switch) {
                let vcs = (tables.sending(switch, to) & unicast).count_ones();
                fewest = fewest.min(vcs);
                sum += u64::from(vcs) * nodes.len() as u64;
                routes += nodes.len() as u64;
            }
        }
        Layers { fewest, on_average: sum as f64 / routes.max(1) as f64, of: rules.unicast.len() }
    }
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
        let Plan { algorithm, topology, tables, .. } = &blueprint.plan;
        let is_up_down = tables.is_none()
            && match algorithm {
                Algorithm::ByTopology | Algorithm::DimensionOrder => topology.is_up_down(wiring),
                Algorithm::UpDown => !matches!(topology, Topology::FatTree(_)),
                Algorithm::Shortest => false,
            };
        let up_down = is_up_down.then(|| {
            let switches = roots(wiring);
            let most = switches.iter().map(|&root| loads.through(root)).max().unwrap_or(0);
            Roots { share: most as f64 / loads.routes() as f64, switches }
        });
        let busiest_link = loads.busiest_link().and_then(link);
        let layers = blueprint.tables.has_layers().then(|| Layers::new(blueprint));
        Outlook { uniform_limit: loads.uniform_limit(), busiest_link, up_down, layers }
    }

    /// What a single root costs, unless nothing else is known to carry more. `blueprint` is the network.
    pub fn note(&self, blueprint: &Blueprint) -> Option<String> {
        let Roots { switches, share } = self.up_down.as_ref()?;
        let [root] = switches[..] else { return None };
        if self.uniform_limit >= 1.0 {
            return None;
        }
        let advice = match blueprint.wiring.switches() {
            ..=COMPARED => {
                let (choice, limit) = best_choice(blueprint, root)?;
                // Two digits are shown.
                (limit > self.uniform_limit + 0.01).then(|| format!("{choice} takes {limit:.2}"))?
            }
            _ => "`roots` of a wiring names others".into(),
        };
        Some(format!(
            "up*/down* routes have one root, switch {root}: {:.0} % of all routes go through it, and uniform traffic fills it \
             at {:.2} flits/node/cycle. {advice}",
            100.0 * share,
            self.uniform_limit
        ))
    }
}

/// Switches of networks for which other choices of routes are worked out: a few thousand tables at most.
const COMPARED: usize = 64;

/// The choice of routes that uniform traffic fills last, of those that a network file can name beside up*/down* routes
/// from `root`; and the load that fills it.
fn best_choice(blueprint: &Blueprint, root: usize) -> Option<(String, f64)> {
    let Blueprint { plan, wiring, groups, rules, .. } = blueprint;
    let limit = |wiring: &Wiring, tables: &Tables| RouteLoads::new(wiring, tables).uniform_limit();
    let mut choices = Vec::new();
    if plan.shape.algorithmic().is_none() && plan.shape.dragonfly().is_none() {
        let trees: Vec<&Tree> = groups.iter().flat_map(|group| &group.trees).collect();
        let shortest = Plan { algorithm: Algorithm::Shortest, ..plan.clone() };
        let tables = computed(&shortest, wiring, &rules.unicast, &trees).ok();
        choices.extend(tables.map(|tables| ("\"algorithm\": \"shortest\"".to_string(), limit(wiring, &tables))));
    }
    if let Topology::Wiring(_) = plan.topology {
        for other in (0..wiring.switches()).filter(|&other| other != root) {
            let mut ranked = wiring.clone();
            ranked.rank_from(&[other]);
            choices.push((format!("\"roots\": [{other}]"), limit(&ranked, &up_down_in_turn(&ranked))));
        }
    }
    choices.into_iter().reduce(|best, choice| if choice.1 > best.1 { choice } else { best })
}
