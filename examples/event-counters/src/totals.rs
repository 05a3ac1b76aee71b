//! Totals of counters, as a bundle.

use railyard_hdl::rtl::prelude::*;

/// Totals of all lanes, on their way from the counters to whoever compares them.
#[bundle]
pub struct Totals<D: Side> {
    /// events of the lane since reset
    pub total: Vec<Sig<D>>,
    /// the totals are read in this cycle
    pub read: Flag<Opposite<D>>,
}

/// Totals of this many lanes, of `width` bits each.
pub fn totals<D: Side>(lanes: usize, width: usize) -> Totals<D> {
    Totals { total: many(lanes, || sig(width)), ..Totals::plain() }
}
