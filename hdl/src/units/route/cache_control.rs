//! Control of the routing caches, as a bundle: from the registers to the caches of all ports.
//!
//! Source: switch reference, section 4.5.

use crate::units::prelude::*;

/// Enable, flush, and whether the caches sweep.
#[bundle]
pub struct CacheControl<D: Side> {
    /// The caches are enabled.
    pub enable: Flag<D>,
    /// The caches are flushed in the current cycle.
    pub flush: Flag<D>,
    /// The caches sweep in the current cycle.
    pub sweeping: Flag<Opposite<D>>,
}
