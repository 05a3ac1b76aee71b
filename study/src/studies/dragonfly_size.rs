//! Sizes of Fuentes2017's network, a Dragonfly.

/// p = h nodes and h global links a switch, 2 h switches a group, 2 h^2 + 1 groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DragonflySize {
    h: usize,
}

impl DragonflySize {
    /// 6, 72 and 1,056 nodes. The seed's network has h = 8.
    pub const ALL: [DragonflySize; 3] = [DragonflySize { h: 1 }, DragonflySize { h: 2 }, DragonflySize { h: 4 }];

    /// Global links of a switch.
    pub const fn h(self) -> usize {
        self.h
    }

    /// Switches of a group.
    pub const fn routers(self) -> usize {
        2 * self.h
    }

    /// Groups of the network.
    pub const fn groups(self) -> usize {
        2 * self.h * self.h + 1
    }

    /// Nodes of the network.
    pub const fn nodes(self) -> usize {
        self.h * self.routers() * self.groups()
    }
}

/// h = 2.
impl Default for DragonflySize {
    fn default() -> DragonflySize {
        DragonflySize::ALL[1]
    }
}
