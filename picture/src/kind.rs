//! The pictures by name: what each shows, and what it is made of.

use crate::canvas::Canvas;
pub use crate::trouble::Trouble;
use crate::{blocks, concepts, cycles, network, packet};
use railyard_input::Fault;
use railyard_network::description::Input;
use railyard_spec::CheckedConfig;
use std::path::Path;

/// What a picture is made of.
#[derive(Clone, Copy)]
pub enum Maker {
    /// A switch description.
    Switch(fn(&CheckedConfig) -> Result<Canvas, Fault>),
    /// A network file.
    Network(fn(&Input) -> Result<Canvas, Fault>),
    /// The text of a network file, in a folder; the file may be at fault.
    NetworkText(fn(&str, &Path) -> Result<Canvas, Trouble>),
}

/// A kind of picture.
#[derive(Clone, Copy)]
pub struct PictureKind {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows.
    pub about: &'static str,
    /// A preset, or a network file of the repository, that it can be made of.
    pub example: &'static str,
    /// How it is made.
    pub maker: Maker,
}

const fn of_switch(
    name: &'static str,
    example: &'static str,
    make: fn(&CheckedConfig) -> Result<Canvas, Fault>,
    about: &'static str,
) -> PictureKind {
    PictureKind { name, about, example, maker: Maker::Switch(make) }
}

const fn of_network(
    name: &'static str,
    example: &'static str,
    make: fn(&Input) -> Result<Canvas, Fault>,
    about: &'static str,
) -> PictureKind {
    PictureKind { name, about, example, maker: Maker::Network(make) }
}

/// All kinds: first those of switches, then those of networks.
pub const KINDS: [PictureKind; 18] = [
    of_switch("blocks", "hpc16", |config| Ok(blocks::blocks(config)), "block diagram with sizes and widths"),
    of_switch("packet", "dawning16", |config| Ok(packet::packet(config)), "packet and header, bit by bit"),
    of_switch("lookup", "hpc16", concepts::lookup, "a lookup in the routing cache"),
    of_switch("keys", "reduced16", concepts::keys, "node reduction: destinations and their keys"),
    of_switch("crossbar", "hpc16", |config| Ok(concepts::crossbar(config)), "planes and arbiters of the crossbar"),
    of_switch("cycles", "hpc16", cycles::header, "waveform: a packet through an idle switch"),
    of_switch("miss", "hpc16", cycles::miss, "waveform: a packet whose address is in no cache"),
    of_switch("back-to-back", "hpc16", cycles::back_to_back, "waveform: two packets for one output"),
    of_switch("credits", "hpc16", cycles::credits, "waveform: a packet that waits for credit"),
    of_switch("lost-credit", "hpc16", cycles::lost_credit, "waveform: a credit report is lost"),
    of_switch("multicast", "dawning16", cycles::multicast, "waveform: three multicast packets"),
    of_switch("barrier", "dawning16", cycles::barrier, "waveform: a barrier of two leaves"),
    of_switch("table-change", "hpc16", cycles::table_change, "waveform: a route changes under traffic"),
    of_switch("registers", "hpc16", cycles::registers, "waveform: a register is written and read"),
    of_network("network", "configs/networks/torus.json", network::topology, "topology with port numbers and addresses"),
    of_network(
        "barrier-tree",
        "configs/networks/verified.json",
        network::barrier_tree,
        "barrier tree with its messages",
    ),
    of_network("lanes", "configs/pictures/lanes.json", network::lanes, "lanes and edge ports of a network"),
    PictureKind {
        name: "waits",
        about: "which channel waits for which; a ring is a deadlock",
        example: "configs/pictures/ring.json",
        maker: Maker::NetworkText(network::waits),
    },
];

/// The kind of that name.
pub fn find(name: &str) -> Option<PictureKind> {
    KINDS.into_iter().find(|kind| kind.name == name)
}

impl PictureKind {
    /// Whether it is made of a network file.
    pub fn is_of_network(&self) -> bool {
        !matches!(self.maker, Maker::Switch(_))
    }

    /// The picture of a switch; none if it is made of a network file.
    pub fn of_switch(&self, config: &CheckedConfig) -> Option<Result<Canvas, Trouble>> {
        match self.maker {
            Maker::Switch(make) => Some(make(config).map_err(Trouble::from)),
            Maker::Network(_) | Maker::NetworkText(_) => None,
        }
    }

    /// The picture of the network file with that text, in that folder; none if it is made of a switch description.
    pub fn of_network(&self, text: &str, folder: &Path) -> Option<Result<Canvas, Trouble>> {
        match self.maker {
            Maker::Switch(_) => None,
            Maker::NetworkText(make) => Some(make(text, folder)),
            Maker::Network(make) => {
                let input = Input::read(text, folder).map_err(Trouble::from);
                Some(input.and_then(|input| make(&input).map_err(Trouble::from)))
            }
        }
    }
}
