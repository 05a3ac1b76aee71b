//! The switch descriptions that come with Railyard: the files of `configs/`.

/// A ready-made switch description.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name, also that of the design.
    pub name: &'static str,
    /// What it is for, in a line.
    pub summary: &'static str,
    /// The JSON text.
    pub json: &'static str,
}

/// All presets, smallest first.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "tiny",
        summary: "2 ports, 1 VC, 32-bit flits, 16-entry cache: the smallest, to read",
        json: include_str!("../../configs/tiny.json"),
    },
    Preset {
        name: "noc5",
        summary: "5 ports, 2 VCs, 64-bit flits, 8 flits a VC, dimension-order routing by arithmetic: a router of a mesh on a chip",
        json: include_str!("../../configs/noc5.json"),
    },
    Preset {
        name: "source16",
        summary: "16 ports, 2 VCs, 64-bit flits, source-routed: no tables, 3 cycles",
        json: include_str!("../../configs/source16.json"),
    },
    Preset {
        name: "torus16",
        summary: "16 ports, 2 VCs, 64-bit flits, node reduction for torus, mesh, fat tree or Dragonfly in place of a table",
        json: include_str!("../../configs/torus16.json"),
    },
    Preset {
        name: "fattree16",
        summary: "16 ports, 2 VCs, 64-bit flits, node reduction for fat trees in front of a 64-entry cache a port",
        json: include_str!("../../configs/fattree16.json"),
    },
    Preset {
        name: "dragonfly16",
        summary: "16 ports, 2 VCs, 64-bit flits, node reduction for Dragonflies, routes name the VC of the next link",
        json: include_str!("../../configs/dragonfly16.json"),
    },
    Preset {
        name: "reduced16",
        summary: "16 ports, 2 VCs, 64-bit flits, all node reduction functions in front of a 64-entry cache, dateline",
        json: include_str!("../../configs/reduced16.json"),
    },
    Preset {
        name: "table16",
        summary: "16 ports, 2 VCs, 64-bit flits, 1,024-entry forwarding table on the chip and default route in place of a CAM, event counters",
        json: include_str!("../../configs/table16.json"),
    },
    Preset {
        name: "dawning16",
        summary: "16 ports, 2 unicast, a mixed and a barrier VC, 64-bit flits, 4 KB a VC, source-routed, 256 multicast and 32 barrier groups, counters: as the Dawning 5000 prototype",
        json: include_str!("../../configs/dawning16.json"),
    },
    Preset {
        name: "dragonfly15",
        summary: "15 ports, 3 VCs, 64-bit flits, Dragonfly of h = 4 with adaptive routing: Valiant, UGAL-L, in transit, contention counters, flexible VCs",
        json: include_str!("../../configs/dragonfly15.json"),
    },
    Preset {
        name: "hpc16",
        summary: "16 ports, 2 VCs, 64-bit flits, 2,048-entry 4-way cache a port: the default",
        json: include_str!("../../configs/hpc16.json"),
    },
    Preset {
        name: "dragonfly31",
        summary: "31 ports, otherwise dragonfly15: Dragonfly of h = 8, up to 16,512 nodes",
        json: include_str!("../../configs/dragonfly31.json"),
    },
    Preset {
        name: "hpc64",
        summary: "64 ports, otherwise hpc16",
        json: include_str!("../../configs/hpc64.json"),
    },
];

/// The preset of that name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|p| p.name == name)
}

/// The names of all presets.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|preset| preset.name)
}
