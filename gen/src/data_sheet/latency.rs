//! How long a header takes through an idle switch. Source: switch reference, sections 2 and 12.

use super::row;
use railyard_exports::data_sheet::SheetPart;
use railyard_picture::cycles::pipeline::stages;
use railyard_spec::{RoutingShape, Shape};

/// Cycles from the header at the input pins to the header at the output pins, with what happens in each.
pub fn parts(shape: &Shape) -> Vec<SheetPart> {
    let mut parts = Vec::new();
    if let Some(stages) = stages(shape) {
        let cycles = std::iter::once(row("cycle", "what happens"));
        let steps = stages.iter().enumerate().map(|(cycle, stage)| row(&cycle.to_string(), stage));
        let last = [row(&stages.len().to_string(), "header at `tx_*`")];
        parts.push(SheetPart::Text(format!(
            "A header of one flit leaves an idle switch {} cycles after it came, if no cache misses.",
            stages.len()
        )));
        parts.push(SheetPart::Table(cycles.chain(steps).chain(last).collect()));
    }
    let more = shape.header_flits() - 1;
    if more > 0 {
        parts.push(SheetPart::Text(format!("The header of this switch has {} flits, which adds {more}.", more + 1)));
    }
    parts.extend(misses(shape).map(SheetPart::Text));
    parts
}

/// The way over forwarding table or CAM.
fn misses(shape: &Shape) -> Option<String> {
    let RoutingShape::Table(table) = &shape.routing else { return None };
    if table.cache.is_none() {
        return Some("Each header waits for its lookup. Section 10 has latencies measured with lookups.".into());
    }
    let stages = table.reduction.as_ref().map_or(0, |reduction| reduction.stages - 1);
    let base = 2 * stages + u32::from(shape.output_selection()) + u32::from(shape.buffer_code.is_some());
    let on_chip = table.forwarding_table.as_ref();
    let in_table = on_chip.map(|_| format!("A miss that the forwarding table answers takes {} cycles.", 14 + base));
    let in_cam = table.external_cam.then(|| {
        let to_cam = 12 + base + if on_chip.is_some() { 3 } else { 0 };
        format!(
            "A miss that the CAM answers takes {to_cam} + L cycles, for a CAM that answers L cycles after it accepts."
        )
    });
    Some(in_table.into_iter().chain(in_cam).collect::<Vec<_>>().join(" "))
}
