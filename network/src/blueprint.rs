//! A network ready to be built: switches, wiring, tables and trees, all checked.

use crate::adaptive::{choices, keeps_order, NodeVcs};
use crate::algorithm::{computed, AlgorithmError};
use crate::barrier::{BarrierTree, BarrierTreeError};
use crate::check::{adaptive_deadlock, deadlock, reach, reach_members};
use crate::check::{AdaptiveFault, AdaptiveRouting, Deadlock, Longest, Proven, Rules, Unreachable};
use crate::multicast::{roots, Tree, TreeError};
use crate::placement::{dragonfly, placement, PlacementError};
pub use crate::plan::{Algorithm, Plan};
use crate::tables::{forwarding_writes, NoRoom, Tables};
use crate::wiring::{Peer, Port, Wiring};
use railyard_input::Faults;
use railyard_spec::{DragonflyShape, RoutingShape};

/// A multicast group: members, and a tree for each candidate root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MulticastGroup {
    /// Its members, in order.
    pub members: Vec<usize>,
    /// Its trees.
    pub trees: Vec<Tree>,
    /// Number of the first tree in the switches' group tables; the others follow.
    pub first: usize,
}

/// A network that passes all checks.
#[derive(Clone, Debug)]
pub struct Blueprint {
    /// The plan that it was made of.
    pub plan: Plan,
    /// The wiring, links that are down left out.
    pub wiring: Wiring,
    /// The tables.
    pub tables: Tables,
    /// The multicast groups.
    pub groups: Vec<MulticastGroup>,
    /// The trees of the barrier groups, by their numbers.
    pub barriers: Vec<BarrierTree>,
    /// On which VCs packets travel.
    pub rules: Rules,
    /// Register writes that tell each switch its place (algorithmic routing), or its routes (forwarding table on the
    /// chip).
    pub placement: Vec<Vec<(u32, u32)>>,
    /// With Dragonfly routing: what follows of the choices of packets. A fault only if the plan allows it.
    pub choices: Option<Result<Proven, AdaptiveFault>>,
}

/// Why a network can't be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlueprintError {
    /// The topology is at fault.
    #[error("/topology: {0}")]
    Topology(Faults),
    /// The algorithm for the tables does not fit the network.
    #[error("/algorithm: {0}")]
    Algorithm(#[from] AlgorithmError),
    /// Packets between two nodes don't arrive.
    #[error(transparent)]
    Unreachable(#[from] Unreachable),
    /// Multicast packets don't arrive.
    #[error("multicast tree {tree}: {error}")]
    Member {
        /// The tree, of all groups together.
        tree: usize,
        /// Which ones.
        error: Unreachable,
    },
    /// Packets can wait for each other in a ring.
    #[error(transparent)]
    Deadlock(#[from] Deadlock),
    /// Packets that choose their ways can wait for each other in a ring, or have no way on.
    #[error(transparent)]
    Choices(#[from] AdaptiveFault),
    /// Nodes have no VC on which they could send.
    #[error("nodes of switch {switch} have no virtual channel of unicast packets to send to node {node} on")]
    NoVc {
        /// The switch.
        switch: usize,
        /// The destination.
        node: usize,
    },
    /// A group has no tree.
    #[error("multicast group {group}: {error}")]
    Tree {
        /// The group.
        group: usize,
        /// Why.
        error: TreeError,
    },
    /// A barrier group has no tree.
    #[error("barrier group {group}: {error}")]
    BarrierTree {
        /// The group.
        group: usize,
        /// Why.
        error: BarrierTreeError,
    },
    /// The switch has no barrier VC.
    #[error("/barriers: needs a switch with a barrier virtual channel")]
    NoBarrier,
    /// Too many barrier groups.
    #[error("/barriers: {needed} groups, and the switch has {groups}")]
    BarrierGroups {
        /// Groups of the network.
        needed: usize,
        /// Groups of a switch.
        groups: usize,
    },
    /// The switch has no mixed VC.
    #[error("/multicast: needs a switch with a mixed virtual channel and registers")]
    NoMulticast,
    /// Unicast packets can't use a mixed VC that is not there.
    #[error("/unicast_on_mixed: needs a switch with a mixed virtual channel")]
    NoMixed,
    /// The group tables are too small.
    #[error("/multicast: {needed} trees, and the switch has {groups} groups")]
    Groups {
        /// Trees of all groups.
        needed: usize,
        /// Groups of a switch.
        groups: usize,
    },
    /// The list of ports in a header is too short for the longest way.
    #[error("from node {from} to node {to} there are {hops} switches, and a header lists {most} ports")]
    TooFar {
        /// The source.
        from: usize,
        /// The destination.
        to: usize,
        /// Switches on the way.
        hops: usize,
        /// Ports in a header.
        most: u32,
    },
    /// Forwarding tables on the chip are too small.
    #[error("/switch: {0}")]
    NoRoom(#[from] NoRoom),
    /// Addresses are too short.
    #[error("/switch: {nodes} nodes need addresses of {needed} bits, and they have {bits}")]
    Addresses {
        /// Number of nodes.
        nodes: usize,
        /// Bits that they need.
        needed: u32,
        /// Bits of an address.
        bits: u32,
    },
    /// Node reduction can't route this network.
    #[error("/switch: {0}")]
    Placement(#[from] PlacementError),
    /// Only links between switches can be down.
    #[error("{0}: there is no link between switches")]
    NoLink(Port),
}

impl Blueprint {
    /// Computes what the plan leaves open and checks all.
    ///
    /// # Errors
    /// The first fault.
    pub fn new(plan: Plan) -> Result<Blueprint, BlueprintError> {
        let wiring = plan.topology.wiring(plan.shape.ports).map_err(BlueprintError::Topology)?;
        Blueprint::of(plan, wiring)
    }

    /// The same network without a link, with tables, trees and barrier trees computed anew: those of a file, too, are
    /// replaced.
    ///
    /// # Errors
    /// There is no such link, or no way without it.
    pub fn without(&self, link: Port) -> Result<Blueprint, BlueprintError> {
        let mut wiring = self.wiring.clone();
        if !wiring.exists(link) || wiring.cut(link).is_none() {
            return Err(BlueprintError::NoLink(link));
        }
        self.plan.topology.rank(&mut wiring);
        let plan = Plan {
            tables: None,
            trees: None,
            sets: self.groups.iter().map(|g| g.members.clone()).collect(),
            barriers: self.barriers.iter().map(|tree| tree.members().into()).collect(),
            barrier_trees: None,
            ..self.plan.clone()
        };
        Blueprint::of(plan, wiring)
    }

    fn of(plan: Plan, wiring: Wiring) -> Result<Blueprint, BlueprintError> {
        let groups = groups(&plan, &wiring)?;
        let mixed = plan.shape.multicast.map(|built| built.vc);
        if plan.unicast_on_mixed && mixed.is_none() {
            return Err(BlueprintError::NoMixed);
        }
        let mut unicast: Vec<usize> = (0..mixed.unwrap_or(plan.shape.vcs)).collect();
        unicast.extend(mixed.filter(|_| plan.unicast_on_mixed));
        let tables = match &plan.tables {
            Some(tables) => tables.clone(),
            None => {
                let trees: Vec<&Tree> = groups.iter().flat_map(|group| &group.trees).collect();
                computed(&plan, &wiring, &unicast, &trees)?
            }
        };
        let pairs = plan.shape.algorithmic().is_some_and(|routing| routing.vc_pairs);
        let rules = Rules { unicast, mixed, pairs };
        let placement = match &plan.shape.routing {
            RoutingShape::Algorithmic(_) => placement(&plan, &wiring, &tables)?,
            RoutingShape::Dragonfly(built) => dragonfly::placement(&plan, built, &wiring, &tables)?,
            RoutingShape::Table(_) | RoutingShape::Source(_) => forwarding_writes(&plan, &tables)?,
        };
        plan.adaptive.words(&plan.shape).map_err(PlacementError::Fault)?;
        let barriers = Vec::new();
        let mut blueprint = Blueprint { plan, wiring, tables, groups, barriers, rules, placement, choices: None };
        blueprint.check()?;
        blueprint.barriers = barrier_trees(&blueprint.plan, &blueprint.wiring)?;
        Ok(blueprint)
    }

    fn check(&mut self) -> Result<(), BlueprintError> {
        let shape = &self.plan.shape;
        let nodes = self.wiring.nodes().len();
        if let RoutingShape::Table(table) = &shape.routing {
            let needed = usize::BITS - (nodes - 1).leading_zeros();
            if needed > table.address_bits {
                return Err(BlueprintError::Addresses { nodes, needed, bits: table.address_bits });
            }
        }
        self.check_layers()?;
        let Longest { hops, from, to } = reach(&self.wiring, &self.tables)?;
        for (tree, ports) in self.trees().enumerate() {
            reach_members(&self.wiring, ports).map_err(|error| BlueprintError::Member { tree, error })?;
        }
        let trees: Vec<Tree> = self.trees().cloned().collect();
        if let RoutingShape::Dragonfly(built) = &shape.routing {
            self.choices = Some(self.check_choices(built)?);
            return Ok(());
        }
        deadlock(&self.wiring, &self.tables, &trees, &self.rules)?;
        match &shape.routing {
            RoutingShape::Source(source) if hops > source.hops as usize => {
                Err(BlueprintError::TooFar { from, to, hops, most: source.hops })
            }
            _ => Ok(()),
        }
    }

    /// Follows all choices of packets with Dragonfly routing. A fault that the plan allows is no error.
    fn check_choices(&self, built: &DragonflyShape) -> Result<Result<Proven, AdaptiveFault>, BlueprintError> {
        let fly = dragonfly::topology(&self.plan, built)?;
        let words = self.plan.adaptive.words(&self.plan.shape).map_err(PlacementError::Fault)?;
        let (masks, reference) = (words.masks(&self.plan.shape), built.reference());
        let masks = &masks.expect("it has Dragonfly routing");
        let nodes = NodeVcs::new(&self.plan.shape, &self.plan.adaptive);
        let choices = choices(built, &words, nodes);
        match adaptive_deadlock(&AdaptiveRouting { fly, wiring: &self.wiring, reference, masks, choices }) {
            Err(fault) if !self.plan.adaptive.allow_deadlock => Err(fault.into()),
            found => Ok(found),
        }
    }

    /// Whether packets of a source, virtual channel and destination arrive in the order in which they were sent.
    pub fn keeps_order(&self) -> bool {
        let words = self.plan.adaptive.words(&self.plan.shape);
        words.is_ok_and(|words| keeps_order(&words))
    }

    /// Nodes have a VC for each destination.
    fn check_layers(&self) -> Result<(), BlueprintError> {
        let unicast = self.rules.unicast.iter().fold(0, |mask, vc| mask | 1 << vc);
        let nodes = self.wiring.nodes_by_switch();
        let sources = (0..nodes.len()).filter(|&switch| !nodes[switch].is_empty() && self.tables.has_layers());
        let mut pairs = sources.flat_map(|switch| (0..self.wiring.nodes().len()).map(move |node| (switch, node)));
        match pairs.find(|(switch, node)| self.tables.sending(*switch, *node) & unicast == 0) {
            Some((switch, node)) => Err(BlueprintError::NoVc { switch, node }),
            None => Ok(()),
        }
    }

    /// The trees of all groups, in the order of their numbers.
    pub fn trees(&self) -> impl Iterator<Item = &Tree> {
        self.groups.iter().flat_map(|group| &group.trees)
    }

    /// The outputs on the way from one node to another. The tables must be free of loops.
    pub fn way(&self, from: usize, to: usize) -> impl Iterator<Item = Port> + '_ {
        let mut at = Some(self.wiring.nodes()[from].switch);
        std::iter::from_fn(move || {
            let switch = at?;
            let leaves = Port { switch, port: self.tables.hop(switch, to)?.port };
            at = match self.wiring.peer(leaves) {
                Peer::Switch(far) => Some(far.switch),
                Peer::Node(_) | Peer::Nothing => None,
            };
            Some(leaves)
        })
    }

    /// The output ports on that way.
    pub fn route(&self, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
        self.way(from, to).map(|leaves| leaves.port)
    }
}

/// The groups with their trees.
fn groups(plan: &Plan, wiring: &Wiring) -> Result<Vec<MulticastGroup>, BlueprintError> {
    let mut groups: Vec<MulticastGroup> = match &plan.trees {
        Some(trees) => {
            let group =
                |tree: &Tree| MulticastGroup { members: tree.members().into(), trees: vec![tree.clone()], first: 0 };
            trees.iter().map(group).collect()
        }
        None => {
            let tops = roots(wiring);
            let group = |(group, members): (usize, &Vec<usize>)| {
                let trees = trees(wiring, &tops, members, plan.candidates);
                let trees = trees.map_err(|error| BlueprintError::Tree { group, error })?;
                Ok(MulticastGroup { members: trees[0].members().into(), trees, first: 0 })
            };
            plan.sets.iter().enumerate().map(group).collect::<Result<_, BlueprintError>>()?
        }
    };
    let mut needed = 0;
    for group in &mut groups {
        group.first = needed;
        needed += group.trees.len();
    }
    match &plan.shape.multicast {
        _ if needed == 0 => Ok(groups),
        Some(_) if !plan.shape.registers => Err(BlueprintError::NoMulticast),
        Some(built) if needed > built.groups => Err(BlueprintError::Groups { needed, groups: built.groups }),
        Some(_) => Ok(groups),
        None => Err(BlueprintError::NoMulticast),
    }
}

/// The trees of the barrier groups, checked.
fn barrier_trees(plan: &Plan, wiring: &Wiring) -> Result<Vec<BarrierTree>, BlueprintError> {
    let needed = plan.barrier_trees.as_ref().map_or(plan.barriers.len(), Vec::len);
    match &plan.shape.barrier {
        _ if needed == 0 => return Ok(Vec::new()),
        Some(built) if needed > built.groups => {
            return Err(BlueprintError::BarrierGroups { needed, groups: built.groups })
        }
        Some(_) => {}
        None => return Err(BlueprintError::NoBarrier),
    }
    let given = |group: usize| match &plan.barrier_trees {
        Some(trees) => Ok(trees[group].clone()),
        None => BarrierTree::new(wiring, group, &plan.barriers[group]),
    };
    let tree = |group| {
        let tree = given(group).and_then(|tree| tree.check(wiring).map(|()| tree));
        tree.map_err(|error| BlueprintError::BarrierTree { group, error })
    };
    (0..needed).map(tree).collect()
}

/// The trees of the first roots with a way to all members; at least one.
fn trees(wiring: &Wiring, tops: &[usize], members: &[usize], most: usize) -> Result<Vec<Tree>, TreeError> {
    let (mut trees, mut fault) = (Vec::new(), None);
    for &root in tops {
        match Tree::new(wiring, root, members) {
            Ok(tree) => trees.push(tree),
            Err(error) => _ = fault.get_or_insert(error),
        }
        if trees.len() == most {
            break;
        }
    }
    match fault {
        Some(error) if trees.is_empty() => Err(error),
        _ => Ok(trees),
    }
}
