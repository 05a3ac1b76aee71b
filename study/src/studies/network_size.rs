//! Sizes of Cao2016's network, a fat tree of three levels.

/// FT(m, 3), m being the ports of a switch: m^3 / 4 nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkSize {
    ports: usize,
}

impl NetworkSize {
    /// FT(4, 3), FT(8, 3), and FT(16, 3), which is the seed's.
    pub const ALL: [NetworkSize; 3] = [NetworkSize { ports: 4 }, NetworkSize { ports: 8 }, NetworkSize { ports: 16 }];

    /// Nodes of the network.
    pub const fn nodes(self) -> usize {
        self.ports.pow(3) / 4
    }

    /// Ports of a switch.
    pub const fn ports(self) -> usize {
        self.ports
    }

    /// The one with that many nodes.
    pub fn with_nodes(nodes: usize) -> Option<NetworkSize> {
        NetworkSize::ALL.into_iter().find(|size| size.nodes() == nodes)
    }
}

/// 128 nodes.
impl Default for NetworkSize {
    fn default() -> NetworkSize {
        NetworkSize::ALL[1]
    }
}
