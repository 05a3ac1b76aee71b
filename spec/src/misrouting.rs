//! Where a packet of a Dragonfly may leave its minimal way: its phase, the policy of candidates, and the case of each
//! hop.
//!
//! A packet goes minimally to its *target*: the destination, or a *via* before it. A decision at the source sends it to
//! a via (Valiant). A decision in transit takes a *detour*: one hop that is not minimal. The phase says which of these
//! are left to it (Fuentes2017, 1.4).

/// Kind of a port of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PortKind {
    /// To a node.
    Node,
    /// To another switch of the group.
    Local,
    /// To another group.
    Global,
}

impl PortKind {
    /// All kinds, in the order of their ports.
    pub const ALL: [PortKind; 3] = [PortKind::Node, PortKind::Local, PortKind::Global];

    /// Its name in a description.
    pub fn name(self) -> &'static str {
        match self {
            PortKind::Node => "node",
            PortKind::Local => "local",
            PortKind::Global => "global",
        }
    }
}

/// Phase of a packet, as in its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RoutePhase {
    /// In the group of its source, without a detour.
    Home,
    /// In the group of its source, after a detour: it leaves the group by a global link of this switch.
    Detoured,
    /// On the way to its via.
    ToVia,
    /// After a global hop, or at its via: one local detour is left.
    Crossed,
    /// No detour is left.
    Settled,
}

/// What a hop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HopKind {
    /// The minimal way to the destination.
    Minimal,
    /// The minimal way to the via.
    ToVia,
    /// A detour over a local or a global link.
    Detour(PortKind),
    /// The minimal way to the destination, for a packet that has waited long: a via is given up.
    Escape,
}

/// How near to the destination a hop leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reach {
    /// To its switch.
    Switch,
    /// To its group.
    Group,
    /// To another group, or to another switch of another group.
    Elsewhere,
}

/// Which detours are candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detours {
    /// Local links of the switch.
    pub local: bool,
    /// Global links of the switch.
    pub global: bool,
}

/// Policy of the candidates in transit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Policy {
    /// Groups at the global links of the current switch (CRG).
    CurrentSwitch,
    /// Groups at the global links of another switch of the group (NRG).
    OtherSwitches,
    /// Any group (RRG).
    Any,
    /// [`Policy::CurrentSwitch`] at a node's port, and [`Policy::OtherSwitches`] behind a local hop (MM).
    Mixed,
}

impl RoutePhase {
    /// All phases, by their numbers in a header.
    pub const ALL: [RoutePhase; 5] =
        [RoutePhase::Home, RoutePhase::Detoured, RoutePhase::ToVia, RoutePhase::Crossed, RoutePhase::Settled];

    /// The phase of a packet that came by a port.
    pub fn on_arrival(self, from: PortKind, via_is_here: bool) -> RoutePhase {
        match (self, from) {
            (_, PortKind::Node) => RoutePhase::Home,
            (RoutePhase::ToVia, _) if !via_is_here => RoutePhase::ToVia,
            (RoutePhase::ToVia, _) | (_, PortKind::Global) => RoutePhase::Crossed,
            (phase, PortKind::Local) => phase,
        }
    }

    /// The phase by which a packet is routed: in the destination's group nothing is home.
    pub fn acting(self, is_group_of_destination: bool) -> RoutePhase {
        match self {
            RoutePhase::Home | RoutePhase::Detoured if is_group_of_destination => RoutePhase::Crossed,
            phase => phase,
        }
    }

    /// The phase with which a packet leaves, given that by which it was routed.
    pub fn after(self, hop: HopKind) -> RoutePhase {
        match (self, hop) {
            (_, HopKind::ToVia) => RoutePhase::ToVia,
            (RoutePhase::ToVia, HopKind::Escape) => RoutePhase::Settled,
            (RoutePhase::Home, HopKind::Detour(PortKind::Local)) => RoutePhase::Detoured,
            (_, HopKind::Detour(PortKind::Local)) => RoutePhase::Settled,
            (phase, _) => phase,
        }
    }
}

impl Policy {
    /// All policies.
    pub const ALL: [Policy; 4] = [Policy::CurrentSwitch, Policy::OtherSwitches, Policy::Any, Policy::Mixed];

    /// Their names, in the same order.
    pub const NAMES: [&'static str; 4] = ["crg", "nrg", "rrg", "mm"];

    /// The policy of a name.
    pub fn named(name: &str) -> Option<Policy> {
        Policy::NAMES.iter().position(|other| *other == name).map(|number| Policy::ALL[number])
    }

    /// The candidates of a packet that came by a port of this kind, and whose minimal way leaves by one of that kind.
    /// With `local_detour` it may make a detour in groups other than that of its source.
    pub fn detours(self, from: PortKind, phase: RoutePhase, minimal: PortKind, local_detour: bool) -> Detours {
        let (local, global) = (Detours { local: true, global: false }, Detours { local: false, global: true });
        match phase {
            _ if minimal == PortKind::Node => Detours::default(),
            RoutePhase::Home => match (self, from) {
                (Policy::Any, _) => Detours { local: true, global: true },
                (Policy::CurrentSwitch, _) | (Policy::Mixed, PortKind::Node) => global,
                (Policy::OtherSwitches, _) | (Policy::Mixed, _) => local,
            },
            RoutePhase::Detoured => global,
            RoutePhase::Crossed if local_detour && minimal == PortKind::Local => local,
            RoutePhase::Crossed | RoutePhase::ToVia | RoutePhase::Settled => Detours::default(),
        }
    }
}

/// The case of a hop, a number of [`CASES`](crate::legal::CASES).
pub fn case(hop: HopKind, reach: Reach) -> usize {
    match (hop, reach) {
        (HopKind::ToVia, _) => 3,
        (_, Reach::Switch) => 0,
        (_, Reach::Group) => 1,
        (HopKind::Minimal | HopKind::Escape, Reach::Elsewhere) => 2,
        (HopKind::Detour(_), Reach::Elsewhere) => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PortKind::{Global, Local, Node};

    /// The candidates of each policy: at a node's port and behind a local hop at home, after a detour, after a global
    /// hop.
    #[test]
    fn policies_have_their_candidates() {
        let letters = |Detours { local, global }: Detours| match (local, global) {
            (true, true) => "lg",
            (true, false) => "l",
            (false, true) => "g",
            (false, false) => "-",
        };
        let places = [
            (Node, RoutePhase::Home),
            (Local, RoutePhase::Home),
            (Local, RoutePhase::Detoured),
            (Global, RoutePhase::Crossed),
        ];
        let expected = [["g", "g", "g", "l"], ["l", "l", "g", "l"], ["lg", "lg", "g", "l"], ["g", "l", "g", "l"]];
        for (policy, expected) in Policy::ALL.into_iter().zip(expected) {
            let of = |(from, phase)| letters(policy.detours(from, phase, Local, true));
            assert_eq!(places.map(of), expected, "{policy:?}");
            // A packet whose minimal way leaves by this switch's own global link is not sent away from it.
            assert_eq!(letters(policy.detours(Global, RoutePhase::Crossed, Global, true)), "-");
            assert_eq!(letters(policy.detours(Global, RoutePhase::Crossed, Local, false)), "-");
            for phase in RoutePhase::ALL {
                assert_eq!(letters(policy.detours(Local, phase, Node, true)), "-");
            }
            for phase in [RoutePhase::ToVia, RoutePhase::Settled] {
                assert_eq!(letters(policy.detours(Local, phase, Local, true)), "-");
            }
        }
    }

    /// A packet in transit: minimal, detour, global, detour, and then minimal to its end.
    #[test]
    fn phases_follow_each_other() {
        let local = HopKind::Detour(Local);
        let mut phase = RoutePhase::Settled.on_arrival(Node, false);
        let mut passed = vec![phase];
        let hops = [(HopKind::Minimal, Local), (local, Local), (HopKind::Detour(Global), Global), (local, Local)];
        for (hop, port) in hops.into_iter().chain([(HopKind::Minimal, Local), (HopKind::Minimal, Global)]) {
            phase = phase.after(hop).on_arrival(port, false);
            passed.push(phase);
        }
        use RoutePhase::{Crossed, Detoured, Home, Settled, ToVia};
        assert_eq!(passed, [Home, Home, Detoured, Crossed, Settled, Settled, Crossed]);
        assert_eq!(Home.after(HopKind::ToVia).on_arrival(Global, false), ToVia);
        assert_eq!(ToVia.on_arrival(Local, true), Crossed);
        assert_eq!(ToVia.after(HopKind::Escape).on_arrival(Local, false), Settled);
        assert_eq!([Home, Detoured, Settled].map(|phase| phase.acting(true)), [Crossed, Crossed, Settled]);
        assert_eq!(Home.acting(false), Home);
    }

    #[test]
    fn cases_of_hops() {
        let all = |hop| [Reach::Switch, Reach::Group, Reach::Elsewhere].map(|reach| case(hop, reach));
        assert_eq!(all(HopKind::Minimal), [0, 1, 2]);
        assert_eq!(all(HopKind::Escape), [0, 1, 2]);
        assert_eq!(all(HopKind::Detour(Global)), [0, 1, 3]);
        assert_eq!(all(HopKind::ToVia), [3, 3, 3]);
    }
}
