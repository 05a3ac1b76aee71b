//! Routing tables of a network: for each switch and each destination the port by which its packets leave, and the VC.

mod dependencies;
mod entry;
mod file;
mod on_chip;
mod shortest;
mod up_down;
mod ways;

pub(crate) use dependencies::Dependencies;

pub(crate) use entry::members;
pub use entry::{TablesError, TreeEntry};
pub use file::{Entry, TablesFile};
pub(crate) use on_chip::forwarding_writes;
pub use on_chip::NoRoom;
pub(crate) use shortest::shortest;
pub use shortest::TooFewVcs;
pub(crate) use up_down::{up_down, up_down_in_turn};

/// By which port a packet leaves a switch, and on which VC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The port.
    pub port: usize,
    /// The VC; `None` is the packet's own.
    pub vc: Option<usize>,
}

/// A hop in two bytes, as large networks have tens of millions: the port, and the VC or [`Packed::NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packed {
    port: u8,
    vc: u8,
}

impl Packed {
    /// No port: there is no route. No VC: the packet's own.
    const NONE: u8 = u8::MAX;

    fn new(hop: Option<Hop>) -> Packed {
        let byte = |number: usize| {
            let byte = u8::try_from(number).ok().filter(|byte| *byte != Packed::NONE);
            byte.expect("ports and VCs of a switch are far fewer")
        };
        let (port, vc) = hop.map_or((None, None), |hop| (Some(hop.port), hop.vc));
        Packed { port: port.map_or(Packed::NONE, byte), vc: vc.map_or(Packed::NONE, byte) }
    }

    fn hop(self) -> Option<Hop> {
        let number = |byte: u8| (byte != Packed::NONE).then_some(usize::from(byte));
        number(self.port).map(|port| Hop { port, vc: number(self.vc) })
    }
}

/// The tables of all switches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    switches: usize,
    nodes: usize,
    /// By destination and switch: what computes or checks tables goes from destination to destination.
    hops: Vec<Packed>,
    /// In the same order: VCs on which the switch's own nodes send to the destination, as a mask. None: they send on
    /// all.
    sending: Option<Vec<u16>>,
}

impl Tables {
    /// Tables with the entries that `hop` gives for a switch and a destination.
    pub fn new(switches: usize, nodes: usize, hop: impl Fn(usize, usize) -> Option<Hop>) -> Tables {
        let all = (0..nodes).flat_map(|node| (0..switches).map(move |switch| (switch, node)));
        let hops = all.map(|(switch, node)| Packed::new(hop(switch, node))).collect();
        Tables { switches, nodes, hops, sending: None }
    }

    /// Number of switches.
    pub fn switches(&self) -> usize {
        self.switches
    }

    /// Number of destinations.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Where a switch sends packets to a node; `None` drops them.
    #[inline]
    pub fn hop(&self, switch: usize, node: usize) -> Option<Hop> {
        self.hops[node * self.switches + switch].hop()
    }

    /// All entries, in no order that means something.
    pub(crate) fn hops(&self) -> impl Iterator<Item = Hop> + '_ {
        self.hops.iter().filter_map(|hop| hop.hop())
    }

    /// Changes an entry.
    pub fn set(&mut self, switch: usize, node: usize, hop: Option<Hop>) {
        self.hops[node * self.switches + switch] = Packed::new(hop);
    }

    /// Whether nodes send on certain VCs only, by destination.
    pub fn has_layers(&self) -> bool {
        self.sending.is_some()
    }

    /// VCs on which the nodes of a switch may send to a node, as a mask: all, or some of them.
    #[inline]
    pub fn sending(&self, switch: usize, node: usize) -> u64 {
        self.sending.as_ref().map_or(u64::MAX, |masks| masks[node * self.switches + switch].into())
    }

    /// All nodes send on these VCs.
    pub(crate) fn send_on_all(&mut self, vcs: u16) {
        self.sending = Some(vec![vcs; self.hops.len()]);
    }

    /// Nodes of a switch send to a node on these VCs.
    pub(crate) fn send_on(&mut self, switch: usize, node: usize, vcs: u16) {
        let entries = self.hops.len();
        self.sending.get_or_insert_with(|| vec![u16::MAX; entries])[node * self.switches + switch] = vcs;
    }
}
