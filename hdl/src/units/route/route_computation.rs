//! Route computation of a port: from headers to output ports, in the way that the configuration says.
//!
//! Holds one of [`source_route`](mod@source_route), [`route_unit`](mod@route_unit) (by table),
//! [`algorithmic_route`](mod@algorithmic_route), [`dragonfly_route`](mod@dragonfly_route). A new kind of route
//! computation is a block with these ports, and one more field here.
//!
//! Source: switch reference, section 4.

use crate::units::prelude::*;

/// From the headers of a port to output ports, in order for each VC.
#[block]
pub struct RouteComputation {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub io: Bare<RoutePorts<In>>,

    source_route: Option<SourceRoute>,
    route_unit: Option<RouteUnit>,
    algorithmic_route: Option<AlgorithmicRoute>,
    dragonfly_route: Option<DragonflyRoute>,

    ports: Param,
    vcs: Param,
}

/// Route computation of a port of a switch of the given shape.
pub fn route_computation(shape: &Shape) -> RouteComputation {
    let plain =
        RouteComputation { io: route_ports(shape), ports: shape.ports, vcs: shape.vcs, ..RouteComputation::plain() };
    match &shape.routing {
        RoutingShape::Source(_) => RouteComputation { source_route: Some(source_route(shape)), ..plain },
        RoutingShape::Table(table) => RouteComputation { route_unit: Some(route_unit(shape, table)), ..plain },
        RoutingShape::Algorithmic(built) => {
            RouteComputation { algorithmic_route: Some(algorithmic_route(shape, built)), ..plain }
        }
        RoutingShape::Dragonfly(built) => {
            RouteComputation { dragonfly_route: Some(dragonfly_route(shape, built)), ..plain }
        }
    }
}

#[kernel]
impl RouteComputation {
    fn update(&mut self) {
        if let Some(unit) = &mut self.source_route {
            self.io.link(&mut unit.io);
        }
        if let Some(unit) = &mut self.route_unit {
            self.io.link(&mut unit.io);
        }
        if let Some(unit) = &mut self.algorithmic_route {
            self.io.link(&mut unit.io);
        }
        if let Some(unit) = &mut self.dragonfly_route {
            self.io.link(&mut unit.io);
        }
    }
}
