//! The run-time registers: the one description that hardware, golden model, test bench and documents share.
//!
//! Registers are 32-bit words on an APB port (pins `apb_*`), at byte addresses that are multiples of 4. A switch
//! without anything to set has no registers and no port. What each setting does: switch reference in `docs/`.

mod barrier;
mod cache;
mod counters;
mod dragonfly;
mod events;
mod forwarding_table;
mod identity;
mod link_aggregation;
mod multicast;
mod node_reduction;
mod route;

pub use node_reduction::topology_code;

use crate::shape::Shape;
pub use counters::counters as event_counters;
pub use events::{events, Event};
use serde::Serialize;

/// Width of a byte address.
pub const APB_ADDRESS_BITS: u32 = 16;

/// What the ID register reads: "RYLD".
pub const ID: u32 = 0x5259_4C44;

/// Byte addresses, each under its register's name; the description of the register says what it is for.
#[allow(missing_docs)]
pub mod address {
    pub const ID: u32 = 0x000;
    pub const SHAPE: u32 = 0x004;
    pub const REDUCTION: u32 = 0x010;
    pub const COORDINATE_LOW: u32 = 0x014;
    pub const COORDINATE_HIGH: u32 = 0x018;
    pub const BOUND_LOW: u32 = 0x01C;
    pub const BOUND_HIGH: u32 = 0x020;
    pub const WRAP: u32 = 0x024;
    pub const DEFAULT_ROUTE: u32 = 0x028;
    pub const DEFAULT_CANDIDATES: u32 = 0x02C;
    pub const CACHE: u32 = 0x030;
    pub const FLUSH: u32 = 0x034;
    pub const CACHE_STATUS: u32 = 0x038;
    pub const LINK_SELECTION: u32 = 0x040;
    pub const COUNTERS: u32 = 0x050;
    pub const TABLE_ADDRESS_LOW: u32 = 0x060;
    pub const TABLE_ADDRESS_HIGH: u32 = 0x064;
    pub const TABLE_ROUTE: u32 = 0x068;
    pub const TABLE_CANDIDATES: u32 = 0x06C;
    pub const TABLE_WRITE: u32 = 0x070;
    pub const TABLE_CLEAR: u32 = 0x074;
    pub const TABLE_STATUS: u32 = 0x078;
    /// Group g is at `GROUP + 4 * g`.
    pub const GROUP: u32 = 0x080;
    pub const MULTICAST_MASK_LOW: u32 = 0x0C0;
    pub const MULTICAST_MASK_HIGH: u32 = 0x0C4;
    pub const MULTICAST_WRITE: u32 = 0x0C8;
    pub const MULTICAST_STATUS: u32 = 0x0CC;
    pub const BARRIER_TIMERS: u32 = 0x0D0;
    pub const BARRIER_CLEAR: u32 = 0x0D4;
    pub const BARRIER_CORRUPT_LOW: u32 = 0x0D8;
    pub const BARRIER_CORRUPT_HIGH: u32 = 0x0DC;
    pub const BARRIER_NO_GROUP_LOW: u32 = 0x0E0;
    pub const BARRIER_NO_GROUP_HIGH: u32 = 0x0E4;
    pub const EVENTS: u32 = 0x100;
    pub const EVENT_ENABLE: u32 = 0x104;
    pub const EVENT_PENDING: u32 = 0x108;
    /// The ports of event e are at `EVENT_PORTS + 8 * e`, those from 32 on in the word behind.
    pub const EVENT_PORTS: u32 = 0x110;
    pub const COORDINATE: u32 = 0x180;
    pub const VC_RULE: u32 = 0x184;
    pub const PATIENCE: u32 = 0x188;
    pub const MISROUTING: u32 = 0x18C;
    pub const NETWORK_SIZE: u32 = 0x190;
    pub const SEED: u32 = 0x194;
    pub const LOCAL_SHARE: u32 = 0x198;
    pub const UGAL: u32 = 0x19C;
    pub const VC_MASK_LOCAL: u32 = 0x1A0;
    pub const VC_MASK_GLOBAL: u32 = 0x1A4;
    pub const REPLY_VC_MASK_LOCAL: u32 = 0x1A8;
    pub const REPLY_VC_MASK_GLOBAL: u32 = 0x1AC;
    pub const CREDIT_TRIGGER: u32 = 0x1B0;
    pub const CONTENTION: u32 = 0x1B4;
    pub const DETOUR_PORTS_LOW: u32 = 0x1B8;
    pub const DETOUR_PORTS_HIGH: u32 = 0x1BC;
    pub const ARBITRATION: u32 = 0x1C0;
    pub const ECTN: u32 = 0x1C4;
    pub const SATURATION: u32 = 0x1C8;
    /// Router r is at `ROUTER_MAP + 4 * r`.
    pub const ROUTER_MAP: u32 = 0x200;
    /// Node n is at `NODE_MAP + 4 * n`.
    pub const NODE_MAP: u32 = 0x280;
    /// Port p is at `LINK_DELAY + 4 * p`.
    pub const LINK_DELAY: u32 = 0x300;
    /// Group g of a Dragonfly is at `GROUP_MAP + 4 * g`.
    pub const GROUP_MAP: u32 = 0x400;
    /// Entry `key` is at `MAP + 4 * key`.
    pub const MAP: u32 = 0x400;
    /// Link j of group g is at `GROUP_LINK + 4 * (g * L + j)`.
    pub const GROUP_LINK: u32 = 0x800;
    /// Barrier group g is at each of these `+ 4 * g`; they have room for 256 groups.
    pub const BARRIER_LEAVES_LOW: u32 = 0x1000;
    pub const BARRIER_LEAVES_HIGH: u32 = 0x1400;
    pub const BARRIER_GROUP: u32 = 0x1800;
    pub const BARRIER_STATUS: u32 = 0x1C00;
    pub const BARRIER_ARRIVED_LOW: u32 = 0x2000;
    pub const BARRIER_ARRIVED_HIGH: u32 = 0x2400;
    pub const BARRIER_COUNTS: u32 = 0x2800;
    /// The first counter of ports and VCs; each has room for 1,024 of them.
    pub const VC_COUNTERS: u32 = 0x4000;
    /// The first counter of ports; each has room for 64.
    pub const PORT_COUNTERS: u32 = 0xE000;
    /// The first counter of the whole switch.
    pub const SWITCH_COUNTERS: u32 = 0xF000;
}

/// Who may do what with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Reads only; a write is an illegal access.
    ReadOnly,
    /// Reads what was written last.
    ReadWrite,
    /// A write acts once, in what its fields say; reads 0.
    Command,
    /// Reads what the switch has set. A 1 that is written clears its bit, a 0 leaves it.
    WriteOneClears,
}

/// The values that a field takes; anything else makes the whole access illegal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Legal {
    /// All that fit.
    Any,
    /// Those listed, ascending.
    OneOf(Vec<u32>),
    /// 0 to one less than this.
    Below(u32),
    /// 0 to one less than the number of chunks of an address, for the chunk width in the same access.
    BelowChunks,
}

/// A field of a register. Bits of no field read 0 and must be written 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RegisterField {
    /// Name.
    pub name: &'static str,
    /// Lowest bit.
    pub low: u32,
    /// Width in bits.
    pub bits: u32,
    /// Value after reset.
    pub reset: u32,
    /// Legal values.
    pub legal: Legal,
    /// Meaning.
    pub meaning: &'static str,
}

/// A register, or an array of equal ones at consecutive words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Register {
    /// Name.
    pub name: &'static str,
    /// Byte address (of the first).
    pub address: u32,
    /// Words: 1, or the entries of an array.
    pub count: u32,
    /// Access.
    pub access: Access,
    /// Fields, from the lowest bit.
    pub fields: Vec<RegisterField>,
    /// Meaning.
    pub meaning: &'static str,
}

/// All registers of a switch by address; none if it has nothing to set.
pub fn registers(shape: &Shape) -> Vec<Register> {
    if !shape.registers {
        return Vec::new();
    }
    let mut list = Vec::new();
    if let (Some(built), Some(address_bits)) = (shape.reduction(), shape.address_bits()) {
        list.extend(node_reduction::reduction(built, address_bits, shape.algorithmic().is_some()));
    }
    if shape.default_route() {
        list.extend(route::default_route(shape));
    }
    if shape.cache_control() {
        list.extend(cache::cache_control());
    }
    if shape.link_aggregation.is_some() {
        list.push(link_aggregation::link_selection());
    }
    if shape.counter_bits.is_some() {
        list.push(counters::counter_control());
    }
    if let (Some(table), Some(address_bits)) = (shape.forwarding_table(), shape.address_bits()) {
        list.extend(forwarding_table::forwarding_table(shape, table, address_bits));
    }
    if let Some(groups) = &shape.link_aggregation {
        list.push(link_aggregation::group(groups));
    }
    if let Some(built) = &shape.multicast {
        list.extend(multicast::groups(shape, built));
    }
    if let Some(built) = &shape.barrier {
        list.extend(barrier::common(shape, built));
    }
    list.extend(events::event_registers(shape));
    if let Some(built) = shape.dragonfly() {
        list.extend(dragonfly::dragonfly(shape, built));
    }
    if let Some(algorithmic) = shape.algorithmic() {
        list.push(route::map(shape, algorithmic.reduction.key_bits));
    }
    if let Some(groups) = &shape.link_aggregation {
        list.push(link_aggregation::group_links(shape, groups));
    }
    if let Some(built) = &shape.barrier {
        list.extend(barrier::groups(shape, built));
    }
    list.extend(counters::counters(shape));
    if !list.is_empty() {
        list.splice(0..0, identity::identity(shape));
    }
    list
}

impl RegisterField {
    fn named(self, name: &'static str) -> RegisterField {
        RegisterField { name, ..self }
    }
}

/// A field that takes any value and is 0 after reset.
fn field(low: u32, bits: u32, meaning: &'static str) -> RegisterField {
    RegisterField { name: "value", low, bits, reset: 0, legal: Legal::Any, meaning }
}
