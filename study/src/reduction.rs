//! Node reduction, as the golden model has it, at a place in a network.

use crate::cache::ADDRESS_BITS;
use railyard_model::route::reduction::node_reduction::{Compared, NodeReduction};
use railyard_spec::reduction::ReductionSettings;
use railyard_spec::{NodeReduction as Built, ReductionShape, Topology};

/// Chunk widths built in: all that Hirasawa2022, 5.4.1 asks for.
const CHUNK_BITS: [u32; 5] = [2, 3, 4, 6, 8];

/// The functions of a switch that has been told its place.
#[derive(Clone, Debug)]
pub struct Reduction {
    unit: NodeReduction,
    settings: ReductionSettings,
}

impl Reduction {
    /// A switch with these settings.
    pub fn at(place: &ReductionSettings) -> Reduction {
        let topologies = vec![Topology::Cube, Topology::FatTree, Topology::Dragonfly];
        let node_reduction = Built { topologies, chunk_bits: CHUNK_BITS.into(), ..Built::default() };
        let built = ReductionShape::new(&node_reduction, ADDRESS_BITS, false);
        Reduction { unit: NodeReduction::new(&built, ADDRESS_BITS), settings: *place }
    }

    /// What the cache is asked for in place of a destination.
    pub fn key(&self, destination: u64) -> u64 {
        let ReductionSettings { coordinate, bound, .. } = self.settings;
        let compared = Compared { destination, coordinate, bound };
        self.unit.key(compared, &self.settings).expect("a function is at work").into()
    }
}
