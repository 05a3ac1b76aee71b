//! How long a link may be for one virtual channel to keep it full: the cycles of credit against the depth of a buffer.

use crate::shape::{RoutingShape, Shape};

/// Cycles from a credit report at the pins to the flit that it lets go, at the pins.
const REPORT_TO_FLIT: u32 = 4;

/// Cycles that a result waits longer behind others of its queue than it takes to an empty one; so does a header in its
/// queue.
const QUEUED: u32 = 2;

impl Shape {
    /// Cycles from the first flit of a packet at a switch's pins to the report of its place, where the packets before
    /// it have queued. `None` where each lookup waits for forwarding table or CAM.
    fn arrival_to_report(&self) -> Option<u32> {
        let routed = match &self.routing {
            RoutingShape::Source(_) => 3,
            RoutingShape::Algorithmic(a) => 3 + a.reduction.stages,
            RoutingShape::Dragonfly(_) => 5,
            RoutingShape::Table(t) => {
                t.cache.as_ref()?;
                5 + t.reduction.as_ref().map_or(0, |r| r.stages - 1) + QUEUED
            }
        };
        Some(routed + QUEUED + u32::from(self.output_selection()) + self.header_flits() - 1)
    }

    /// Places that a buffer needs for one VC to keep a link of `latency` cycles each way full, with packets of any
    /// length; with a cache that knows their addresses. `None` without a cache.
    pub fn full_link_flits(&self, latency: u32) -> Option<u32> {
        let report_to_flit = REPORT_TO_FLIT + u32::from(self.buffer_code.is_some());
        // With output queues the last two packets of one flit still count as maximum packets.
        let packets = if self.output_queue_flits.is_some() { 3 } else { 1 };
        Some(report_to_flit + self.arrival_to_report()? + 2 * latency + packets * (self.max_flits - 1))
    }

    /// Most cycles that a link may take each way for one VC to keep it full; `None` if not even one of none would be
    /// full, or without a cache.
    pub fn full_link_cycles(&self) -> Option<u32> {
        Some(self.buffer_flits.checked_sub(self.full_link_flits(0)?)? / 2)
    }
}

#[cfg(test)]
mod tests {
    use crate::{presets, Config};

    #[test]
    fn depth_and_length_go_together() {
        for preset in presets::PRESETS {
            let shape = Config::from_json(preset.json).unwrap().shape();
            if let Some(cycles) = shape.full_link_cycles() {
                assert!(shape.full_link_flits(cycles).unwrap() <= shape.buffer_flits, "{}", preset.name);
                assert!(shape.full_link_flits(cycles + 1).unwrap() > shape.buffer_flits, "{}", preset.name);
            }
        }
    }

    /// One VC, packets of one flit: 8 places give 8/9 of the link once anything has queued.
    #[test]
    fn a_source_routed_switch_of_one_flit_packets() {
        let json = r#"{"name": "x", "ports": 2, "packet": {"max_flits": 1}, "buffer_flits": 8, "routing": {"kind": "source", "hops": 1}}"#;
        let shape = Config::from_json(json).unwrap().shape();
        assert_eq!((shape.full_link_flits(0), shape.full_link_cycles()), (Some(9), None));
    }
}
