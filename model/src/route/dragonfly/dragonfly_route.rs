//! Route computation: the header's digits are compared with the switch's place, and a cycle later tables are read.
//!
//! Source: reference page of Dragonfly routing, "Route computation".

use crate::bits::{ones, MAX_PORTS};
use crate::input::input_unit::HeaderArrival;
use crate::registers::dragonfly_registers::{DragonflySettings, TableEntry};
use crate::route::dragonfly::header_field::get;
use crate::route::dragonfly::ways::{DragonflyRoute, Way};
use crate::route::route_queue::PacketRoute;
use railyard_spec::dragonfly::{HeaderField, HeaderLayout};
use railyard_spec::legal::PacketClass;
use railyard_spec::misrouting::{PortKind, RoutePhase};
use railyard_spec::{DragonflyShape, Via};

/// The table that is read, and its entry.
#[derive(Clone, Copy, Debug)]
enum Digit {
    Group(usize),
    Router(usize),
    Node(usize),
}

/// A packet between comparison and tables.
#[derive(Clone, Copy, Debug)]
struct Compared {
    vc: u8,
    phase: RoutePhase,
    class: PacketClass,
    group: u8,
    destination: Digit,
    /// Of a packet on the way to its via.
    via: Option<Digit>,
}

const EMPTY: Compared = Compared {
    vc: 0,
    phase: RoutePhase::Home,
    class: PacketClass::Request,
    group: 0,
    destination: Digit::Node(0),
    via: None,
};

/// Route computation of all ports.
#[derive(Clone, Debug)]
pub struct DragonflyRoutes {
    built: DragonflyShape,
    header: HeaderLayout,
    /// Ports whose packet was compared in the last cycle.
    compared: u64,
    packets: [Compared; MAX_PORTS],
}

impl DragonflyRoutes {
    /// Of a switch like that, empty.
    pub fn new(built: &DragonflyShape) -> Self {
        DragonflyRoutes { header: built.header(), built: built.clone(), compared: 0, packets: [EMPTY; MAX_PORTS] }
    }

    /// Ports whose result comes in this cycle.
    pub fn due(&self) -> u64 {
        self.compared
    }

    /// VC and result of a port that is due.
    #[inline]
    pub fn result(&self, port: usize, settings: &DragonflySettings) -> (usize, PacketRoute) {
        let packet = &self.packets[port];
        let route = || {
            let (escape, link) = self.read(packet.destination, settings)?;
            let minimal = match packet.via {
                None => escape,
                Some(via) => Way { case: 3, ..self.read(via, settings)?.0 },
            };
            let Compared { phase, class, group, .. } = *packet;
            Some(PacketRoute::Dragonfly(DragonflyRoute { minimal, escape, phase, class, group, link }))
        };
        (packet.vc as usize, route().unwrap_or(PacketRoute::Drop))
    }

    /// Takes the packets that arrive in this cycle, after its results.
    #[inline]
    pub fn load(&mut self, arriving: u64, arrivals: &[Option<HeaderArrival>; MAX_PORTS], settings: &DragonflySettings) {
        self.compared = arriving;
        for port in ones(arriving) {
            if let Some(HeaderArrival { vc, address, .. }) = arrivals[port] {
                self.packets[port] = self.compare(port, vc, address, settings);
            }
        }
    }

    fn compare(&self, port: usize, vc: u8, word: u64, settings: &DragonflySettings) -> Compared {
        let (here_group, here_router) = (settings.group as usize, settings.router as usize);
        let [group, router, node] = [self.header.group, self.header.router, self.header.node].map(|f| get(word, f));
        let optional = |field: Option<HeaderField>| field.map_or(0, |field| get(word, field));
        let (via_group, via_router) = (optional(self.header.via_group), optional(self.header.via_router));
        let via_is_here =
            via_group == here_group && (self.built.valiant != Some(Via::Router) || via_router == here_router);
        let arrived = self.phase(optional(self.header.phase)).on_arrival(self.built.kind(port), via_is_here);
        let phase = arrived.acting(group == here_group);
        Compared {
            vc,
            phase,
            class: PacketClass::ALL[optional(self.header.class)],
            group: group as u8,
            destination: match (group == here_group, router == here_router) {
                (false, _) => Digit::Group(group),
                (true, false) => Digit::Router(router),
                (true, true) => Digit::Node(node),
            },
            via: (phase == RoutePhase::ToVia).then_some(match via_group == here_group {
                false => Digit::Group(via_group),
                true => Digit::Router(via_router),
            }),
        }
    }

    /// The phase of a header.
    fn phase(&self, number: usize) -> RoutePhase {
        match RoutePhase::ALL.get(number) {
            Some(RoutePhase::ToVia) if self.built.valiant.is_none() => RoutePhase::Settled,
            phase => phase.copied().unwrap_or(RoutePhase::Settled),
        }
    }

    /// The way of a digit, if there is one, and the number of the global link in its entry.
    fn read(&self, digit: Digit, settings: &DragonflySettings) -> Option<(Way, u8)> {
        let (table, number) = match digit {
            Digit::Group(number) => (&settings.group_map, number),
            Digit::Router(number) => (&settings.router_map, number),
            Digit::Node(number) => (&settings.node_map, number),
        };
        let TableEntry { port, last, link } = table.get(number).copied().flatten()?;
        let case = match digit {
            Digit::Router(_) | Digit::Node(_) => 0,
            Digit::Group(_) if !last => 3,
            Digit::Group(_) if self.built.kind(port as usize) == PortKind::Global => 1,
            Digit::Group(_) => 2,
        };
        Some((Way { port, case }, link))
    }

    /// Reset: nothing is in flight.
    pub fn reset(&mut self) {
        self.compared = 0;
    }
}
