//! Settings of Dragonfly routing, from the registers. Source: reference page of Dragonfly routing.

use railyard_spec::legal::{Letter, PacketClass};
use railyard_spec::registers::address;
use railyard_spec::DragonflyShape;

/// A valid entry of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// Output port.
    pub port: u8,
    /// The port is the minimal global link, or leads to the router that has it.
    pub last: bool,
    /// Number of the global link that leads there, among those of its switch.
    pub link: u8,
}

/// Settings of Dragonfly routing. A register that is not built counts as 0.
#[derive(Clone, Debug, Default)]
pub struct DragonflySettings {
    /// Number of this router in its group.
    pub router: u32,
    /// Number of its group.
    pub group: u32,
    /// Rule of virtual channels.
    pub rule: u32,
    /// Cycles of a tick of patience; 0: no ticks.
    pub tick: u32,
    /// Which ways are taken.
    pub mode: u32,
    /// Candidates in transit.
    pub policy: u32,
    /// Local detours in groups other than the source's.
    pub local_detour: bool,
    /// Triggers in transit.
    pub trigger: u32,
    /// Decisions go by the places that minimal packets use.
    pub senses_minimal: bool,
    /// Groups among which vias are drawn.
    pub groups: u32,
    /// Routers among which vias are drawn.
    pub routers: u32,
    /// Seed of the draws.
    pub seed: u32,
    /// Of 256 draws so many are local.
    pub local_share: u32,
    /// UGAL-L: factor in quarters.
    pub factor: u32,
    /// UGAL-L: places.
    pub offset: u32,
    /// Trigger by credits: least places in use.
    pub least: u32,
    /// Trigger by credits: share in 128ths.
    pub share: u32,
    /// Trigger by contention: packets.
    pub threshold: u32,
    /// Hybrid trigger: packets.
    pub hybrid: u32,
    /// Filter of the counts: of a change, one part in 2^shift counts.
    pub shift: u32,
    /// Trigger by counts for groups: packets.
    pub group_threshold: u32,
    /// Cycles from one round of messages of counts to the next.
    pub period: u32,
    /// Saturated links: factor of the mean, in quarters.
    pub saturation_factor: u32,
    /// Saturated links: places.
    pub saturation_offset: u32,
    /// Least cycles between two messages of saturated links.
    pub gap: u32,
    /// Packets from other switches go before those from nodes.
    pub transit_first: bool,
    /// By how much packets age on the link of a port.
    pub link_delay: Vec<u32>,
    /// Ports that detours may take.
    pub detour_ports: u64,
    /// Cases of legal VCs, by class of packets and of links.
    pub masks: [[u32; 2]; 2],
    /// Ways to routers of this group.
    pub router_map: Vec<Option<TableEntry>>,
    /// Ways to nodes of this router.
    pub node_map: Vec<Option<TableEntry>>,
    /// Ways to groups.
    pub group_map: Vec<Option<TableEntry>>,
}

impl DragonflySettings {
    /// Of a switch like that; `word` gives the value at a byte address, 0 if there is no register.
    pub(super) fn new(built: &DragonflyShape, word: impl Fn(u32) -> u32) -> Self {
        let field = |at, low: u32, bits: u32| word(at) >> low & ((1 << bits) - 1);
        let table =
            |at: u32, entries: usize| (0..entries as u32).map(|entry| self::entry(word(at + 4 * entry))).collect();
        DragonflySettings {
            router: field(address::COORDINATE, 0, 16),
            group: field(address::COORDINATE, 16, 16),
            rule: word(address::VC_RULE),
            tick: word(address::PATIENCE),
            mode: field(address::MISROUTING, 0, 3),
            policy: field(address::MISROUTING, 4, 2),
            local_detour: field(address::MISROUTING, 8, 1) == 1,
            trigger: field(address::MISROUTING, 12, 3),
            senses_minimal: field(address::MISROUTING, 16, 1) == 1,
            groups: field(address::NETWORK_SIZE, 0, 9),
            routers: field(address::NETWORK_SIZE, 16, 6),
            seed: word(address::SEED),
            local_share: word(address::LOCAL_SHARE),
            factor: field(address::UGAL, 0, 4),
            offset: field(address::UGAL, 8, 10),
            least: field(address::CREDIT_TRIGGER, 0, 12),
            share: field(address::CREDIT_TRIGGER, 16, 8),
            threshold: field(address::CONTENTION, 0, 7),
            hybrid: field(address::CONTENTION, 8, 7),
            shift: field(address::CONTENTION, 16, 3),
            group_threshold: field(address::ECTN, 0, 9),
            period: field(address::ECTN, 16, 16),
            saturation_factor: field(address::SATURATION, 0, 4),
            saturation_offset: field(address::SATURATION, 8, 10),
            gap: field(address::SATURATION, 24, 8),
            transit_first: field(address::ARBITRATION, 0, 1) == 1,
            link_delay: (0..built.node_ports + built.local_ports + built.global_ports)
                .map(|port| field(address::LINK_DELAY + 4 * port as u32, 0, 8))
                .collect(),
            detour_ports: word(address::DETOUR_PORTS_LOW) as u64 | (word(address::DETOUR_PORTS_HIGH) as u64) << 32,
            masks: [
                [word(address::VC_MASK_LOCAL), word(address::VC_MASK_GLOBAL)],
                [word(address::REPLY_VC_MASK_LOCAL), word(address::REPLY_VC_MASK_GLOBAL)],
            ],
            router_map: table(address::ROUTER_MAP, built.routers()),
            node_map: table(address::NODE_MAP, built.node_ports),
            group_map: table(address::GROUP_MAP, built.groups),
        }
    }

    /// Legal VCs, as a mask.
    #[inline]
    pub fn legal(&self, class: PacketClass, letter: Letter, case: u8) -> u32 {
        self.masks[class as usize][letter as usize] >> (8 * case) & 0xFF
    }
}

/// An entry as a register holds it.
fn entry(word: u32) -> Option<TableEntry> {
    (word >> 8 & 1 == 1).then_some(TableEntry { port: word as u8, last: word >> 9 & 1 == 1, link: (word >> 16) as u8 })
}
