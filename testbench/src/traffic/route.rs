//! Routes: what an entry of a table says beyond "this port".

use railyard_spec::Shape;

/// Where a table leads a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Route {
    /// Output port.
    pub port: u8,
    /// Virtual channel of the next link, if it isn't the packet's own.
    pub next_vc: Option<u8>,
    /// Link aggregation group, in place of ports.
    pub group: Option<u8>,
    /// Further candidate ports; the first `more` count.
    pub candidates: [u8; 3],
    /// Number of further candidate ports.
    pub more: u8,
    /// The address alone says which candidate.
    pub in_order: bool,
}

impl Route {
    /// Mask of the ports by which it leads out, given the links of all groups.
    pub fn outputs(&self, groups: &[Vec<u8>]) -> u64 {
        match self.group {
            Some(group) => groups[group as usize].iter().fold(0, |mask, &port| mask | 1 << port),
            None => self.candidates[..self.more as usize].iter().fold(1 << self.port, |mask, &port| mask | 1 << port),
        }
    }

    /// As in a register, but for the bit that says that there is one.
    pub fn word(&self) -> u32 {
        let next_vc = self.next_vc.map_or(0, |vc| 1 << 24 | u32::from(vc) << 16);
        let group = self.group.map_or(0, |group| 1 << 25 | u32::from(group) << 12);
        u32::from(self.port) | next_vc | group | u32::from(self.more) << 26 | u32::from(self.in_order) << 28
    }

    /// The register with the further ones of up to `candidates` candidate ports.
    pub fn candidates_word(&self, candidates: usize) -> u32 {
        self.candidates[..candidates - 1].iter().rev().fold(0, |word, &port| word << 8 | u32::from(port))
    }
}

/// What routes can say in a switch.
#[derive(Clone, Debug)]
pub struct RouteKinds {
    ports: u64,
    /// VCs that they may name: 0 for none.
    pub(super) named_vcs: u64,
    /// Groups that they may name: 0 for none.
    groups: u64,
    /// Candidate ports, with the first one.
    candidates: u64,
}

/// Of so many routes one names a group, if there are groups.
const GROUPS: u64 = 3;

impl RouteKinds {
    /// Those of a switch.
    pub fn new(shape: &Shape) -> RouteKinds {
        RouteKinds {
            ports: shape.ports as u64,
            named_vcs: if shape.next_vc { shape.vcs as u64 } else { 0 },
            groups: shape.link_aggregation.as_ref().map_or(0, |built| built.groups as u64),
            candidates: shape.candidates as u64,
        }
    }

    /// A route to `port`, or by a group; the rest of it is taken from random bits.
    #[inline]
    pub fn route(&self, port: u8, bits: u64) -> Route {
        let mut left = bits;
        let mut take = |below: u64| {
            let taken = left % below;
            left /= below;
            taken
        };
        let next_vc = take(self.named_vcs + 1).checked_sub(1).map(|vc| vc as u8);
        let mut route = Route { port, next_vc, ..Route::default() };
        if self.groups > 0 && take(GROUPS) == 0 {
            route.group = Some(take(self.groups) as u8);
        } else if self.candidates > 1 {
            route.more = take(self.candidates) as u8;
            route.in_order = take(3) == 0;
            route.candidates = [(); 3].map(|()| take(self.ports) as u8);
        }
        route
    }
}
