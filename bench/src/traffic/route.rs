//! Routes by chance.

use railyard_spec::{Route, Shape};

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
