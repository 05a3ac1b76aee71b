//! Limits of multicast.

use super::{Limits, Place, Seen};
use crate::stimulus::Effort;
use railyard_spec::Shape;

/// Group table and bulletin.
#[derive(Clone, Debug)]
pub(super) struct Multicast {
    ports: u32,
    /// Number of the last group.
    last: u64,
    ends: Place,
    all_outputs: Place,
    favoured: Place,
    saved: Place,
}

impl Multicast {
    pub(super) fn new(shape: &Shape, limits: &mut Limits) -> Option<Multicast> {
        let built = shape.multicast?;
        let effort = Effort::new(shape);
        let mut add = |name, meaning, elements, cycles| limits.add(name, meaning, elements, cycles);
        Some(Multicast {
            ports: shape.ports as u32,
            last: built.groups as u64 - 1,
            ends: add(
                "first and last group",
                "a packet goes to the first, to the last multicast group",
                2,
                effort.wrap,
            ),
            all_outputs: add("fan-out to all", "a multicast packet has all outputs", 1, effort.wrap),
            favoured: add("inputs favoured", "the multicast packet of an input is favoured", shape.ports, effort.wrap),
            saved: add(
                "room saved",
                "a favoured packet has waited until room is saved for it",
                1,
                effort.multicast_fill,
            ),
        })
    }

    #[inline]
    pub(super) fn look(&mut self, seen: &Seen, limits: &mut Limits) {
        for packet in seen.begun.iter().filter(|packet| packet.multicast && packet.outputs != 0) {
            for (element, _) in [0, self.last].iter().enumerate().filter(|(_, &group)| group == packet.header) {
                limits.reach(self.ends, element, seen.cycle);
            }
            if packet.outputs.count_ones() == self.ports {
                limits.reach(self.all_outputs, 0, seen.cycle);
            }
        }
        if let Some(favoured) = seen.golden.favoured().filter(|favoured| favoured.wants) {
            limits.reach(self.favoured, favoured.input, seen.cycle);
            if favoured.is_saved_for {
                limits.reach(self.saved, 0, seen.cycle);
            }
        }
    }
}
