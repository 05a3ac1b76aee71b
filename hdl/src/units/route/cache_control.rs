//! Control of the routing caches, as a bundle: from the registers to the caches of all ports.
//!
//! Source: switch reference, section 4.5.

use crate::rtl::prelude::*;

/// Enable, flush, and whether the caches sweep.
#[bundle]
pub struct CacheControl<D: Side> {
    /// the caches are enabled
    pub enable: Flag<D>,
    /// a flush of the caches is in this cycle
    pub flush: Flag<D>,
    /// the caches sweep in this cycle
    pub sweeping: Flag<Opposite<D>>,
}
