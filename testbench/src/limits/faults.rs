//! Sticky flags whose event comes in the cycle of their clear, and wins.

use super::{Limits, Place, Seen};
use crate::stimulus::Effort;
use railyard_model::bits::ones;
use railyard_model::{Apb, Outputs};
use railyard_spec::registers::address::{BARRIER_CLEAR, EVENTS};
use railyard_spec::registers::events;
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

/// The events of a switch.
#[derive(Clone, Debug)]
struct Events {
    place: Place,
    /// The mask of all, and the bits of faults.
    built: u32,
    faults: Vec<u32>,
}

/// The sticky flags of a switch.
#[derive(Clone, Debug)]
pub(super) struct Faults {
    flags: Vec<(Place, fn(&Outputs) -> u64)>,
    /// Faults of ports and of groups of barriers.
    barrier: Option<[Place; 3]>,
    /// If the registers of events are built.
    events: Option<Events>,
    /// The setup phase of the cycle before.
    setup: Apb,
}

impl Faults {
    pub(super) fn new(shape: &Shape, limits: &mut Limits) -> Faults {
        let effort = Effort::new(shape);
        let numbers = shape.vcs + usize::from(shape.control_vc().is_some());
        let elements = |name: &str| match name {
            "error_vc" if numbers == 1 << shape.vc_bits => {
                (0..shape.ports).filter(|&port| shape.vcs_at(port) < shape.vcs).count()
            }
            "error_cam" => usize::from(shape.external_cam()),
            _ => shape.ports,
        };
        let mut add = |name: &str, elements| {
            let meaning = "a flag's event comes in the cycle of its clear";
            let places = if name == "error_vc" { shape.ports } else { elements };
            let place = limits.add(&format!("{name} with clear"), meaning, places, effort.clears);
            limits.only(place, elements);
            place
        };
        let built = FLAGS.into_iter().map(|(name, flag)| (name, elements(name), flag));
        let flags =
            built.filter(|(_, elements, _)| *elements > 0).map(|(name, elements, flag)| (add(name, elements), flag));
        let flags = flags.collect();
        // Not every switch drops packets, and one with all VCs that the pins can name has no VC that does not exist.
        let is_fault = |name| name != "drop" && (name != "vc" || elements("error_vc") > 0);
        let list = events(shape);
        let faults: Vec<u32> = list.iter().filter(|event| is_fault(event.name)).map(|event| event.number).collect();
        let events = shape.events.then(|| Events {
            place: add("events", faults.len()),
            built: list.iter().fold(0, |mask, event| mask | 1 << event.number),
            faults,
        });
        Faults {
            flags,
            barrier: shape.barrier.is_some().then(|| {
                [
                    ("barrier_corrupt", shape.ports),
                    ("barrier_no_group", shape.ports),
                    ("group faults", GROUP_FAULTS.len()),
                ]
                .map(|(name, elements)| add(name, elements))
            }),
            events,
            setup: Apb::default(),
        }
    }

    #[inline]
    pub(super) fn look(&mut self, seen: &Seen, limits: &mut Limits) {
        let apb = seen.inputs.apb;
        let setup = std::mem::replace(&mut self.setup, apb);
        if seen.inputs.reset {
            self.setup = Apb::default();
            return;
        }
        if seen.inputs.error_clear {
            // All others are down.
            for &(place, flag) in &self.flags {
                ones(flag(seen.golden.outputs())).for_each(|port| limits.reach(place, port, seen.cycle));
            }
        }
        let writes = setup.psel && !setup.penable && setup.pwrite && apb.psel && apb.penable;
        match u32::from(setup.paddr) {
            BARRIER_CLEAR if writes => self.clear_barrier(setup.pwdata, seen, limits),
            EVENTS if writes => self.clear_events(setup.pwdata, seen, limits),
            _ => {}
        }
    }

    /// The access phase of a write to `events`.
    fn clear_events(&self, word: u32, seen: &Seen, limits: &mut Limits) {
        let (Some(Events { place, built, faults }), Some(golden)) = (&self.events, seen.golden.events()) else {
            return;
        };
        // A bit that is not built makes the write illegal.
        if word & !built == 0 {
            let won = word & golden.read(EVENTS).unwrap_or(0);
            let elements = (0..faults.len()).filter(|&at| won >> faults[at] & 1 == 1);
            elements.for_each(|at| limits.reach(*place, at, seen.cycle));
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
