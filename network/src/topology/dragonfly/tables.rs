//! Minimal routes: at most a local hop, a global hop and a local hop.

use super::{Dragonfly, Exits};
use crate::tables::{Hop, Tables};
use crate::wiring::Wiring;
use railyard_spec::Shape;

impl Dragonfly {
    /// Whether the links that minimal ways need are there.
    pub(crate) fn is_whole(&self, wiring: &Wiring) -> bool {
        Exits::new(self, wiring).are_whole(self, wiring)
    }

    /// Minimal tables. Where routes name VCs, each pair of unicast VCs is a class of destinations; a packet goes by the
    /// pair's second VC in the destination's group, else by the first one. So a channel of a second VC waits for none.
    pub(crate) fn tables(&self, wiring: &Wiring, shape: &Shape) -> Tables {
        let exits = Exits::new(self, wiring);
        let unicast = shape.multicast.map_or(shape.vcs, |mixed| mixed.vc);
        // Dragonfly routing chooses VCs by itself.
        let names_vcs = shape.next_vc && unicast >= 2 && shape.dragonfly().is_none();
        // A port map knows groups and switches, no nodes of other switches.
        let classes = if shape.algorithmic().is_some() { 1 } else { (unicast / 2).max(1) };
        Tables::new(wiring.switches(), wiring.nodes().len(), |switch, node| {
            let at = wiring.nodes()[node];
            if at.switch == switch {
                return Some(Hop { port: at.port, vc: None });
            }
            let ((group, router), (to_group, to_router)) = (self.place(switch), self.place(at.switch));
            let vc = |second: bool| names_vcs.then_some(2 * (node % classes) + usize::from(second));
            if group == to_group {
                return Some(Hop { port: self.local_port(router, to_router), vc: vc(true) });
            }
            let (owner, port) = exits.of_switch(group, router, to_group)?;
            let port = if owner == router { port } else { self.local_port(router, owner) };
            Some(Hop { port, vc: vc(false) })
        })
    }
}
