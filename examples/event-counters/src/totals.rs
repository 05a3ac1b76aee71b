//! Totals of counters, as a bundle.

use railyard_hdl::rtl::prelude::*;

/// Totals of all lanes, on their way from the counters to the ranking.
#[bundle]
pub struct Totals<D: Side> {
    /// Events of the lane since reset.
    pub total: Vec<Sig<D>>,
    /// The totals are read in the current cycle.
    pub read: Flag<Opposite<D>>,
}

/// Totals of this many lanes, of `width` bits each.
pub fn totals<D: Side>(lanes: usize, width: usize) -> Totals<D> {
    Totals { total: many(lanes, || sig(width)), ..Totals::plain() }
}
