//! The buffers that keep a link full.

use crate::blueprint::Blueprint;
use serde::Serialize;

/// The buffers that one VC needs to keep the longest link full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FullLink {
    /// Cycles of the longest link, each way.
    pub latency: u64,
    /// Flits of buffer that one VC alone needs for it, with packets of any length.
    pub needed: u32,
    /// Flits of a VC's buffer.
    pub buffer_flits: u32,
}

impl FullLink {
    /// Of a network; `link_latency` is that of links without one of their own. `None` if the switches have no cache.
    pub fn new(blueprint: &Blueprint, link_latency: u64) -> Option<FullLink> {
        let shape = &blueprint.plan.shape;
        let latency = blueprint.wiring.longest_latency(link_latency);
        let needed = shape.full_link_flits(u32::try_from(latency).ok()?)?;
        Some(FullLink { latency, needed, buffer_flits: shape.buffer_flits })
    }

    /// What shallow buffers cost.
    pub fn note(&self) -> Option<String> {
        let FullLink { latency, needed, buffer_flits } = self;
        (needed > buffer_flits).then(|| {
            format!(
                "one VC alone does not fill a link of {latency} cycle{}: that takes buffers of {needed} flits, and these \
                 have {buffer_flits}. Traffic on several VCs needs less. `buffer_flits` of the switch: {}",
                if *latency == 1 { "" } else { "s" },
                needed.next_power_of_two()
            )
        })
    }
}
