//! Totals of counters, as a bundle.

use railyard_hdl::rtl::prelude::*;

/// Totals of all lanes, on their way from the counters to the ranking.
#[bundle(lanes: usize, width: usize)]
pub struct Totals<D: Side> {
    /// Events of the lane since reset.
    pub total: Vec<Sig<D, width>, lanes>,
    /// The totals are read in the current cycle.
    pub read: Flag<Opposite<D>>,
}
