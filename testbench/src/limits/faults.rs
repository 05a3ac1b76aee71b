//! Sticky flags whose event comes in the cycle of their clear, and wins.

use super::{Limits, Place, Seen};
use crate::stimulus::Effort;
use railyard_model::bits::ones;
use railyard_model::{Apb, Outputs};
use railyard_spec::registers::address::BARRIER_CLEAR;
use railyard_spec::Shape;

/// Flags of ports at the pins.
type Flag = (&'static str, fn(&Outputs) -> u64);

const FLAGS: [Flag; 6] = [
    ("error_vc", |out| out.error_vc),
    ("error_framing", |out| out.error_framing),
    ("error_overflow", |out| out.error_overflow),
    ("error_length", |out| out.error_length),
    ("error_credit", |out| out.error_credit),
    ("error_cam", |out| u64::from(out.error_cam)),
];

/// Bits of a group's status that are sticky faults.
const GROUP_FAULTS: [u32; 3] = [17, 18, 19];

/// The sticky flags of a switch.
#[derive(Clone, Debug)]
pub(super) struct Faults {
    flags: Vec<(Place, fn(&Outputs) -> u64)>,
    /// Faults of ports and of groups of barriers.
    barrier: Option<[Place; 3]>,
    /// The setup phase of the cycle before.
    setup: Apb,
}

impl Faults {
    pub(super) fn new(shape: &Shape, limits: &mut Limits) -> Faults {
        let effort = Effort::new(shape);
        let numbers = shape.vcs + usize::from(shape.barrier.is_some());
        let elements = |name: &str| match name {
            "error_vc" if numbers == 1 << shape.vc_bits => 0,
            "error_cam" => usize::from(shape.external_cam()),
            _ => shape.ports,
        };
        let mut add = |name: &str, elements| {
            limits.add(
                &format!("{name} with clear"),
                "a flag's event comes in the cycle of its clear",
                elements,
                effort.clears,
            )
        };
        let built = FLAGS.into_iter().map(|(name, flag)| (name, elements(name), flag));
        let flags =
            built.filter(|(_, elements, _)| *elements > 0).map(|(name, elements, flag)| (add(name, elements), flag));
        Faults {
            flags: flags.collect(),
            barrier: shape.barrier.is_some().then(|| {
                [
                    ("barrier_corrupt", shape.ports),
                    ("barrier_no_group", shape.ports),
                    ("group faults", GROUP_FAULTS.len()),
                ]
                .map(|(name, elements)| add(name, elements))
            }),
            setup: Apb::default(),
        }
    }

    #[inline]
    pub(super) fn look(&mut self, seen: &Seen, limits: &mut Limits) {
        let apb = seen.inputs.apb;
        let setup = std::mem::replace(&mut self.setup, apb);
        if seen.inputs.reset {
            return;
        }
        if seen.inputs.error_clear {
            // All others are down.
            for &(place, flag) in &self.flags {
                ones(flag(seen.golden.outputs())).for_each(|port| limits.reach(place, port, seen.cycle));
            }
        }
        let is_setup = setup.psel && !setup.penable && setup.pwrite && u32::from(setup.paddr) == BARRIER_CLEAR;
        if is_setup && apb.psel && apb.penable {
            self.clear_barrier(setup.pwdata, seen, limits);
        }
    }

    /// The access phase of a write to `barrier_clear`.
    fn clear_barrier(&self, word: u32, seen: &Seen, limits: &mut Limits) {
        let (Some([corrupt, no_group, group_faults]), Some(barrier)) = (self.barrier, seen.golden.barrier()) else {
            return;
        };
        let (group, ports) = ((word & 0xffff) as usize, word >> 16);
        if group >= barrier.groups() || ports > 1 {
            return;
        }
        if ports == 1 {
            let faults = barrier.port_faults();
            for (place, faults) in [corrupt, no_group].into_iter().zip(faults) {
                ones(faults).for_each(|port| limits.reach(place, port, seen.cycle));
            }
        }
        let status = barrier.group(group).status();
        for (element, _) in GROUP_FAULTS.iter().enumerate().filter(|(_, &bit)| status >> bit & 1 == 1) {
            limits.reach(group_faults, element, seen.cycle);
        }
    }
}
