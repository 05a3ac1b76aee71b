//! Switch descriptions drawn from a seed, over the whole grid of fields.

use railyard_spec::{
    AlgorithmicRouting, Cache, CheckedConfig, Config, Counters, Crossbar, FlowControl, ForwardingTable,
    LinkAggregation, LinkArbitration, NodeReduction, Radix, Replacement, Routing, SourceRouting, TableRouting,
    Topology,
};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Kinds of route computation; the descriptions take them in turn.
const ROUTE_KINDS: usize = 6;
/// Structures of crossbar and link arbitration, likewise.
const STRUCTURES: [(Crossbar, LinkArbitration); 3] = [
    (Crossbar::Parallel, LinkArbitration::Packet),
    (Crossbar::Parallel, LinkArbitration::Flit),
    (Crossbar::Single, LinkArbitration::Packet),
];

/// `count` valid descriptions, named `drawn_<number>`.
pub fn descriptions(count: usize, seed: u64) -> Vec<CheckedConfig> {
    let mut draw = Draw(Pcg64Mcg::seed_from_u64(seed));
    (0..count).map(|index| draw.valid(index)).collect()
}

/// Leaves out what is set or read through registers, but for algorithmic routing, which cannot do without them.
fn leave_out_settings(config: &mut Config) {
    (config.virtual_channels.mixed, config.virtual_channels.barrier, config.counters) = (0, 0, None);
    if let Routing::Table(table) = &mut config.routing {
        (table.node_reduction, table.link_aggregation, table.forwarding_table) = (None, None, None);
        (table.external_cam, table.default_route) = (true, false);
    }
}

struct Draw(Pcg64Mcg);

impl Draw {
    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[(self.0.next_u64() % all.len() as u64) as usize].clone()
    }

    fn happens(&mut self) -> bool {
        self.one_of(&[false, true])
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Draw) -> T) -> Option<T> {
        self.happens().then(|| make(self))
    }

    /// A description in which no rule is broken: others are drawn anew.
    fn valid(&mut self, index: usize) -> CheckedConfig {
        loop {
            if let Ok(config) = self.description(index).check() {
                return config;
            }
        }
    }

    fn description(&mut self, index: usize) -> Config {
        let (crossbar, link_arbitration) = STRUCTURES[index / ROUTE_KINDS % STRUCTURES.len()];
        let mut config = Config::named(&format!("drawn_{index}"));
        config.ports = self.one_of(&[2, 3, 4, 5, 6, 8, 9]);
        config.flit_bits = self.one_of(&[16, 32, 40, 64, 128]);
        config.virtual_channels.unicast = self.one_of(&[1, 2, 3, 4]);
        config.virtual_channels.mixed = self.one_of(&[0, 1]);
        config.virtual_channels.barrier = self.one_of(&[0, 1]);
        config.multicast.groups = self.one_of(&[2, 5, 64]);
        config.barrier.groups = self.one_of(&[1, 3, 8]);
        config.packet.max_flits = self.one_of(&[1, 2, 4, 5, 16]);
        config.buffer_flits = self.maybe(|draw| draw.one_of(&[8, 32, 128]));
        config.flow_control = self.one_of(&[FlowControl::Absolute, FlowControl::Relative]);
        (config.crossbar, config.link_arbitration) = (crossbar, link_arbitration);
        config.routing = self.routing(index % ROUTE_KINDS);
        config.counters = self.maybe(|draw| Counters { bits: draw.one_of(&[8, 17, 32]) });
        config.registers = self.one_of(&[true, true, true, false]);
        if !config.registers {
            leave_out_settings(&mut config);
        }
        config
    }

    fn routing(&mut self, kind: usize) -> Routing {
        match kind {
            0 => Routing::Source(SourceRouting { hops: self.one_of(&[1, 2, 5]) }),
            1 | 2 => Routing::Algorithmic(AlgorithmicRouting {
                address_bits: self.one_of(&[8, 24, 40]),
                node_reduction: self.node_reduction(),
                next_vc: self.happens(),
                link_aggregation: self.maybe(Draw::link_aggregation),
                ..AlgorithmicRouting::default()
            }),
            _ => Routing::Table(self.table(kind == 3)),
        }
    }

    fn table(&mut self, uncached: bool) -> TableRouting {
        let forwarding_table = self.maybe(Draw::forwarding_table);
        TableRouting {
            address_bits: self.one_of(&[8, 15, 24, 40, 64]),
            lookups_per_vc: self.one_of(&[None, Some(1), Some(2), Some(3), Some(6)]),
            cache: if uncached { None } else { Some(self.cache()) },
            node_reduction: self.maybe(Draw::node_reduction),
            next_vc: self.happens(),
            candidates: self.one_of(&[1, 1, 2, 3, 4]),
            link_aggregation: self.maybe(Draw::link_aggregation),
            forwarding_table,
            external_cam: self.one_of(&[true, true, false]),
            default_route: self.happens(),
            parity: None,
        }
    }

    fn cache(&mut self) -> Cache {
        use Replacement::{Lru, PseudoLru, Random, RoundRobin};
        let ways = self.one_of(&[1, 2, 4, 8]);
        let replacement = self.one_of(&[Lru, PseudoLru, RoundRobin, Random]);
        Cache { entries: ways * self.one_of(&[16, 32, 64]), ways, replacement, ..Cache::default() }
    }

    fn forwarding_table(&mut self) -> ForwardingTable {
        let ways = self.one_of(&[1, 2, 4, 8]);
        ForwardingTable { entries: ways * self.one_of(&[16, 64]), ways, ..ForwardingTable::default() }
    }

    fn link_aggregation(&mut self) -> LinkAggregation {
        LinkAggregation {
            groups: self.one_of(&[1, 3, 4]),
            links: self.one_of(&[2, 3, 8]),
            ..LinkAggregation::default()
        }
    }

    fn node_reduction(&mut self) -> NodeReduction {
        use Topology::{Cube, Dragonfly, FatTree};
        let topologies =
            [vec![Cube], vec![FatTree], vec![Dragonfly], vec![FatTree, Cube], vec![Cube, FatTree, Dragonfly]];
        NodeReduction {
            topologies: self.one_of(&topologies),
            chunk_bits: self.one_of(&[vec![2], vec![4], vec![2, 4], vec![2, 3, 4], vec![8, 6]]),
            stages: self.one_of(&[1, 2, 3]),
            radix: self.one_of(&[Radix::Any, Radix::Any, Radix::Full]),
        }
    }
}
