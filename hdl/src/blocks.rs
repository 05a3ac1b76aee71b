//! Blocks elaborated alone, for measurements: node reduction and its functions.
//!
//! `stages` is the number of register ranks; 0 is combinational, from the destination and the settings to the key.

use crate::rtl::verilog::{emit, Design, ElaborationError};
use crate::units::route::reduction::node_reduction::{self};
use railyard_spec::{NodeReduction, Radix, ReductionShape, Topology};

/// Node reduction with these functions and chunk widths.
pub fn node_reduction(
    address_bits: u32,
    topologies: &[Topology],
    chunk_bits: &[u32],
    stages: u32,
) -> Result<Design, Vec<ElaborationError>> {
    reduction("node_reduction", address_bits, topologies, chunk_bits, stages)
}

/// The function of meshes and tori, complete with its comparators.
pub fn cube_reduction(address_bits: u32, chunk_bits: &[u32], stages: u32) -> Result<Design, Vec<ElaborationError>> {
    reduction("cube_node_reduction", address_bits, &[Topology::Cube], chunk_bits, stages)
}

/// The same where each dimension has as many positions as a chunk has values.
pub fn full_radix_cube_reduction(
    address_bits: u32,
    chunk_bits: &[u32],
    stages: u32,
) -> Result<Design, Vec<ElaborationError>> {
    let radix = Radix::Full;
    let node_reduction = NodeReduction { radix, ..described(&[Topology::Cube], chunk_bits) };
    elaborated("full_radix_node_reduction", address_bits, &node_reduction, stages)
}

/// The function of fat trees, complete with its comparators.
pub fn fat_tree_reduction(address_bits: u32, chunk_bits: &[u32], stages: u32) -> Result<Design, Vec<ElaborationError>> {
    reduction("fat_tree_node_reduction", address_bits, &[Topology::FatTree], chunk_bits, stages)
}

/// The function of Dragonflies, complete with its comparators.
pub fn dragonfly_reduction(
    address_bits: u32,
    chunk_bits: &[u32],
    stages: u32,
) -> Result<Design, Vec<ElaborationError>> {
    reduction("dragonfly_node_reduction", address_bits, &[Topology::Dragonfly], chunk_bits, stages)
}

fn reduction(
    top: &str,
    address_bits: u32,
    topologies: &[Topology],
    chunk_bits: &[u32],
    stages: u32,
) -> Result<Design, Vec<ElaborationError>> {
    elaborated(top, address_bits, &described(topologies, chunk_bits), stages)
}

fn described(topologies: &[Topology], chunk_bits: &[u32]) -> NodeReduction {
    let (topologies, chunk_bits) = (topologies.to_vec(), chunk_bits.to_vec());
    NodeReduction { topologies, chunk_bits, ..NodeReduction::default() }
}

fn elaborated(
    top: &str,
    address_bits: u32,
    node_reduction: &NodeReduction,
    stages: u32,
) -> Result<Design, Vec<ElaborationError>> {
    let shape = ReductionShape::new(node_reduction, address_bits, false);
    emit(&node_reduction::node_reduction(address_bits as usize, &shape, stages as usize), top)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_elaborate_alone() {
        let all = [Topology::Cube, Topology::FatTree, Topology::Dragonfly];
        let widths = [2, 3, 4, 6, 8];
        for (name, design) in [
            ("cube", cube_reduction(24, &[4], 0)),
            ("fat_tree", fat_tree_reduction(24, &[4], 0)),
            ("dragonfly", dragonfly_reduction(24, &[4], 0)),
            ("full_radix", full_radix_cube_reduction(24, &[4], 0)),
            ("full_radix_3", full_radix_cube_reduction(24, &widths, 3)),
            ("cubes", cube_reduction(24, &widths, 0)),
            ("cubes_3", cube_reduction(24, &widths, 3)),
            ("all_3", node_reduction(24, &all, &widths, 3)),
            ("all_1", node_reduction(24, &all, &[2, 3, 4], 1)),
        ] {
            let design = design.unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
            if let Ok(folder) = std::env::var("RAILYARD_KEEP_VERILOG") {
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(format!("{folder}/alone_{name}.v"), design.text()).unwrap();
            }
        }
    }
}
