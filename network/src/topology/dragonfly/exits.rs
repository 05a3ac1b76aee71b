//! By which global link a switch sends packets to each other group.

use super::{Dragonfly, DragonflyPort};
use crate::wiring::{Peer, Port, Wiring};

/// The global link of a switch's minimal ways to each group.
#[derive(Clone, Debug)]
pub(crate) struct Exits {
    groups: usize,
    /// By group and other group: switches of the group with a link there, and the port of the link.
    links: Vec<Vec<(usize, usize)>>,
}

impl Exits {
    /// Of a wiring with all its links or some of them.
    pub fn new(fly: &Dragonfly, wiring: &Wiring) -> Exits {
        let groups = fly.groups();
        let mut links = vec![Vec::new(); groups * groups];
        for switch in 0..wiring.switches() {
            let (group, router) = fly.place(switch);
            for port in (0..fly.h).map(|link| fly.global_port(link)) {
                if let Peer::Switch(far) = wiring.peer(Port { switch, port }) {
                    links[group * groups + fly.place(far.switch).0].push((router, port));
                }
            }
        }
        Exits { groups, links }
    }

    /// Switches of a group that have a link to another group, each with the link's port.
    pub fn of_groups(&self, group: usize, to: usize) -> &[(usize, usize)] {
        &self.links[group * self.groups + to]
    }

    /// The switch of the group, and its port, by which a switch sends to another group: its own link, or one of the
    /// parallel links by turns.
    pub fn of_switch(&self, group: usize, router: usize, to: usize) -> Option<(usize, usize)> {
        let links = self.of_groups(group, to);
        let own = links.iter().find(|(owner, _)| *owner == router);
        let distance = (to + self.groups - group) % self.groups;
        own.or_else(|| links.get((router + distance) % links.len().max(1))).copied()
    }

    /// Whether minimal ways are there: all links inside the groups, and one between each two groups.
    pub fn are_whole(&self, fly: &Dragonfly, wiring: &Wiring) -> bool {
        let is_linked = |switch: usize| {
            let router = fly.place(switch).1;
            let mut ports =
                (0..wiring.ports()).filter(|&port| matches!(fly.class(router, port), Some(DragonflyPort::Local(_))));
            ports.all(|port| matches!(wiring.peer(Port { switch, port }), Peer::Switch(_)))
        };
        let is_joined = |(group, to): (usize, usize)| group == to || !self.of_groups(group, to).is_empty();
        (0..wiring.switches()).all(is_linked)
            && (0..self.groups).flat_map(|group| (0..self.groups).map(move |to| (group, to))).all(is_joined)
    }
}
