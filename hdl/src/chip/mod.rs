//! `<name>_chip`: the switch, and what stands around it: reset synchronizer, port to the registers, streams.

pub mod axi_lite_port;
mod reset_synchronizer;
pub mod stream_in;
pub mod stream_out;
mod top;

use crate::rtl::prelude::Block;
use crate::rtl::verilog::{emit_styled, stored, Design, ElaborationError, Stored, MEMORY_SLEEP};
use crate::switch::style;
use railyard_spec::chip::{ChipShape, StreamShape};
use railyard_spec::{module_prefix, CheckedConfig, RegisterPort, Shape};

/// All memories of the adapters of streams; each entry has the bits of all streams.
pub fn memories(shape: &Shape, streams: &StreamShape) -> Vec<Stored> {
    let each = [stored(&stream_in::stream_in(shape, streams)), stored(&stream_out::stream_out(shape, streams))];
    let count = streams.ports.len() as u64;
    each.into_iter().flatten().map(|memory| Stored { bits: count * memory.bits, ..memory }).collect()
}

/// The chip as Verilog: the modules of the switch, those around it, and the top `<name>_chip`.
///
/// # Errors
/// Blocks that don't elaborate.
pub fn elaborate(config: &CheckedConfig, chip: &ChipShape) -> Result<Design, Vec<ElaborationError>> {
    around(crate::switch::elaborate(config)?, config, chip, module_prefix(&config.name))
}

/// A chip with plain block names, for a look at single blocks.
///
/// # Errors
/// Blocks that don't elaborate.
pub fn elaborate_plain(config: &CheckedConfig, chip: &ChipShape) -> Result<Design, Vec<ElaborationError>> {
    around(crate::switch::elaborate_plain(config)?, config, chip, String::new())
}

/// A switch, with what stands around it in modules whose names begin with `prefix`.
fn around(
    mut design: Design,
    config: &CheckedConfig,
    chip: &ChipShape,
    prefix: String,
) -> Result<Design, Vec<ElaborationError>> {
    let shape = config.shape();
    let switch = design.top().name.clone();
    // A block around the switch has sub-blocks of its own: their names begin with its name.
    let mut with_memories = vec![];
    let mut add = |block: &dyn Block, name: &'static str| {
        let module = format!("{prefix}{name}");
        let added = emit_styled(block, &module, &format!("{module}_"), style(&shape))?;
        if added.top().ports.iter().any(|port| port.name == MEMORY_SLEEP) {
            with_memories.push(name);
        }
        design.modules.extend(added.modules);
        Ok::<(), Vec<ElaborationError>>(())
    };
    if let Some(streams) = &chip.streams {
        add(&stream_in::stream_in(&shape, streams), "stream_in")?;
        add(&stream_out::stream_out(&shape, streams), "stream_out")?;
    }
    if chip.register_port == Some(RegisterPort::AxiLite) {
        add(&axi_lite_port::axi_lite_port(), "axi_lite_port")?;
    }
    if chip.reset_synchronizer {
        let name = format!("{prefix}reset_synchronizer");
        design.modules.push(reset_synchronizer::reset_synchronizer(&name, shape.reset));
    }
    let names = top::Names { chip: format!("{}_chip", config.name), switch, prefix };
    design.modules.push(top::top(&shape, chip, names, &with_memories));
    Ok(design)
}
