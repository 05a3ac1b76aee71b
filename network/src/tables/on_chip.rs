//! Forwarding tables on the chip: the register writes that bring each switch's routes into its table.

use super::{Hop, Tables};
use crate::plan::Plan;
use railyard_spec::forwarding_table::{place, EntryPlace};
use railyard_spec::registers::address;

/// A switch's routes don't find room in its table, and there is no CAM behind it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("switch {switch}: its forwarding table on the chip has {entries} entries, and {left} of {routes} routes find no place among them")]
pub struct NoRoom {
    /// The switch.
    pub switch: usize,
    /// Entries of its table.
    pub entries: usize,
    /// Routes without a place.
    pub left: usize,
    /// Routes of the switch.
    pub routes: usize,
}

/// The register writes of each switch; none without such a table. What finds no room there is left to the external CAM.
///
/// # Errors
/// There is no CAM.
pub(crate) fn forwarding_writes(plan: &Plan, tables: &Tables) -> Result<Vec<Vec<(u32, u32)>>, NoRoom> {
    (0..tables.switches()).map(|switch| writes(plan, tables, switch)).collect()
}

fn writes(plan: &Plan, tables: &Tables, switch: usize) -> Result<Vec<(u32, u32)>, NoRoom> {
    let (Some(table), Some(built)) = (plan.shape.table(), plan.shape.forwarding_table()) else { return Ok(Vec::new()) };
    let nodes = 0..tables.nodes();
    let routes: Vec<u64> = nodes.filter(|&node| tables.hop(switch, node).is_some()).map(|node| node as u64).collect();
    let placed = place(built, table.address_bits, &routes);
    let (left, routes, entries) = (placed.left.len(), routes.len(), built.ways * built.sets);
    if left > 0 && !table.external_cam {
        return Err(NoRoom { switch, entries, left, routes });
    }
    let entry = |(place, node): (EntryPlace, u64)| {
        let hop = tables.hop(switch, node as usize).expect("it has a route");
        let place = place.index as u32 | (place.way as u32) << 16;
        // Nodes are fewer than 2^32; the upper half of a wide address stays 0.
        [
            (address::TABLE_ADDRESS_LOW, node as u32),
            (address::TABLE_ROUTE, route(hop)),
            (address::TABLE_WRITE, place | 1 << 24),
        ]
    };
    Ok(placed.entries.into_iter().flat_map(entry).collect())
}

/// The register `table_route` for a hop.
fn route(hop: Hop) -> u32 {
    hop.port as u32 | hop.vc.map_or(0, |vc| (vc as u32) << 16 | 1 << 24)
}
