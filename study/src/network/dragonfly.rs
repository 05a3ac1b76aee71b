//! Dragonfly: routers of a group are all linked to each other, groups too; minimal routing, at most local, global,
//! local.

use super::{digits, number, InputPort, PortFlow, RoutedNetwork};
use railyard_spec::reduction::{address, ReductionSettings};

/// Chunks of an address: node, router, group.
const CHUNK_BITS: u32 = 8;

/// `p` nodes a router, `a` routers a group, `h` global links a router, `g` groups. Inputs of a router are its nodes,
/// the routers of its group (its own place stays free), its global links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DragonflyFlows {
    p: u32,
    a: u32,
    h: u32,
    g: u32,
}

impl DragonflyFlows {
    /// A Dragonfly.
    ///
    /// # Panics
    /// If there are not enough global links for a link from each group to each other.
    pub fn new(p: u32, a: u32, h: u32, g: u32) -> DragonflyFlows {
        assert!(g <= a * h + 1, "{g} groups, but {} global links a group", a * h);
        DragonflyFlows { p, a, h, g }
    }

    fn bases(&self) -> [u32; 3] {
        [self.p, self.a, self.g]
    }

    /// Router of `group` with the link to group `to`, and that link's number at the router. A group's links lead to the
    /// other groups in order.
    fn gateway(&self, group: u32, to: u32) -> (u32, u32) {
        let link = if to < group { to } else { to - 1 };
        (link / self.h, link % self.h)
    }

    /// The groups to which a router has a link.
    fn groups_of(&self, router: u32, group: u32) -> Vec<u32> {
        (0..self.g).filter(|&to| to != group && self.gateway(group, to).0 == router).collect()
    }

    fn router(&self, router: u32, group: u32) -> u64 {
        u64::from(group) * u64::from(self.a) + u64::from(router)
    }
}

impl RoutedNetwork for DragonflyFlows {
    fn name(&self) -> String {
        format!("Dragonfly {}x{}x{}", self.p, self.a, self.g)
    }

    fn nodes(&self) -> u64 {
        self.bases().into_iter().map(u64::from).product()
    }

    fn address(&self, node: u64) -> u64 {
        address(CHUNK_BITS, &digits(node, &self.bases()))
    }

    fn place(&self, switch: u64) -> ReductionSettings {
        let at = digits(switch, &self.bases()[1..]);
        ReductionSettings::dragonfly(CHUNK_BITS, at[0], at[1])
    }

    fn inputs(&self) -> Vec<(String, InputPort)> {
        // Router 0 of group 0: its neighbour is router 1, its first global link leads to group 1.
        [("node", 0), ("local", self.p + 1), ("global", self.p + self.a)]
            .map(|(name, input)| (name.to_string(), InputPort { switch: 0, input }))
            .into()
    }

    fn route(&self, source: u64, destination: u64, inputs: &mut Vec<InputPort>) {
        inputs.clear();
        let (from, to) = (digits(source, &self.bases()), digits(destination, &self.bases()));
        let (mut router, mut group) = (from[1], from[2]);
        inputs.push(InputPort { switch: self.router(router, group), input: from[0] });
        if group != to[2] {
            let (gateway, _) = self.gateway(group, to[2]);
            if gateway != router {
                inputs.push(InputPort { switch: self.router(gateway, group), input: self.p + router });
            }
            let (entrance, link) = self.gateway(to[2], group);
            (router, group) = (entrance, to[2]);
            inputs.push(InputPort { switch: self.router(router, group), input: self.p + self.a + link });
        }
        if router != to[1] {
            inputs.push(InputPort { switch: self.router(to[1], group), input: self.p + router });
        }
    }

    fn flows(&self, input: InputPort) -> Vec<PortFlow> {
        let at = digits(input.switch, &self.bases()[1..]);
        let (router, group) = (at[0], at[1]);
        let (p, a) = (u64::from(self.p), u64::from(self.a));
        let flow = |node: u32, router: u32, group: u32, sources: u64| PortFlow {
            address: address(CHUNK_BITS, &[node, router, group]),
            sources,
        };
        let group_of = |group: u32, sources: u64| {
            (0..self.a).flat_map(move |router| (0..self.p).map(move |node| flow(node, router, group, sources)))
        };
        match input.input {
            own if own < self.p => {
                let me = number(&[own, router, group], &self.bases());
                let others = (0..self.nodes()).filter(|node| *node != me);
                others.map(|node| PortFlow { address: self.address(node), sources: 1 }).collect()
            }
            local if local < self.p + self.a => {
                // From the neighbour's nodes, and from the groups that enter by it, to our nodes; from its nodes to our
                // groups.
                let neighbour = local - self.p;
                let entering = self.groups_of(neighbour, group).len() as u64 * a * p;
                let here = (0..self.p).map(|node| flow(node, router, group, p + entering));
                here.chain(self.groups_of(router, group).into_iter().flat_map(|to| group_of(to, p))).collect()
            }
            _ => group_of(group, a * p).collect(),
        }
    }

    fn outputs(&self, _switch: u64) -> usize {
        (self.p + self.a - 1 + self.h) as usize
    }
}
