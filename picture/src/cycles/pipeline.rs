//! The pipeline of a header through an idle switch: what happens in each cycle. Source: switch reference, sections 2
//! and 12.

use railyard_spec::{RoutingShape, Shape};

/// What happens in each cycle, from the one with the header at `rx_*` to the one before it is at `tx_*`; none if the
/// way leads over the CAM.
pub fn stages(shape: &Shape) -> Option<Vec<&'static str>> {
    let mut stages = match &shape.routing {
        RoutingShape::Source(_) => vec!["decode"],
        RoutingShape::Algorithmic(routing) => {
            let mut stages = vec!["reduce"; routing.reduction.stages as usize];
            stages.push("map");
            stages
        }
        RoutingShape::Dragonfly(_) => vec!["compare", "tables", "select"],
        RoutingShape::Table(table) => {
            table.cache.as_ref()?;
            let reduction = table.reduction.as_ref().map_or(0, |reduction| reduction.stages as usize);
            let mut stages = if reduction == 0 { vec!["hash"] } else { vec!["reduce"; reduction] };
            stages.extend(["read", "compare"]);
            stages
        }
    };
    if shape.output_selection() {
        stages.push("select");
    }
    stages.extend(["allocate", "traverse"]);
    if shape.buffer_code.is_some() {
        stages.push("correct");
    }
    Some(stages)
}
