//! Limits of table routing and of link aggregation.

use super::{Limits, Place, Seen, LOOK};
use crate::stimulus::Effort;
use railyard_model::bits::ones;
use railyard_spec::Shape;

/// Lookups and the queues around them.
#[derive(Clone, Debug)]
pub(super) struct Routing {
    ports: usize,
    vcs: usize,
    lookups: Option<Lookups>,
    /// Link aggregation groups.
    groups: Option<Place>,
}

#[derive(Clone, Debug)]
struct Lookups {
    per_vc: usize,
    slots: Place,
    requests: Place,
    /// Headers that wait behind a full miss table, if the buffer is deep enough for any.
    headers: Option<(Place, usize)>,
    evictions: Option<Place>,
    /// The last entries of the forwarding table: entries of a way.
    last_entries: Option<(Place, usize)>,
}

impl Routing {
    /// None of a switch in which neither is built.
    pub(super) fn new(shape: &Shape, limits: &mut Limits) -> Option<Routing> {
        let lookups = Lookups::new(shape, limits);
        let groups = shape.link_aggregation.as_ref().map(|built| {
            let meaning = "a packet leaves by a link of a link aggregation group";
            limits.add("link groups in use", meaning, built.groups, Effort::new(shape).fill)
        });
        let is_built = lookups.is_some() || groups.is_some();
        is_built.then_some(Routing { ports: shape.ports, vcs: shape.vcs, lookups, groups })
    }

    #[inline]
    pub(super) fn look(&mut self, seen: &Seen, limits: &mut Limits) {
        let (golden, cycle) = (seen.golden, seen.cycle);
        if let Some((place, entries)) = self.lookups.as_ref().and_then(|lookups| lookups.last_entries) {
            if let Some((way, _)) = golden.known_place().filter(|&(_, index)| index + 1 == entries) {
                limits.reach(place, way, cycle);
            }
        }
        if cycle % LOOK != 0 {
            return;
        }
        for (port, vc) in (0..self.ports).flat_map(|port| (0..self.vcs).map(move |vc| (port, vc))) {
            let channel = port * self.vcs + vc;
            if let Some(lookups) = &self.lookups {
                lookups.look(seen, port, vc, channel, limits);
            }
            if let (Some(place), Some(group)) = (self.groups, golden.selected_group(port, vc)) {
                limits.reach(place, group as usize, cycle);
            }
        }
        if let Some(lookups) = &self.lookups {
            let full = |port: &usize| golden.waiting_requests(*port) == lookups.per_vc * self.vcs;
            (0..self.ports).filter(full).for_each(|port| limits.reach(lookups.requests, port, cycle));
            if let Some(place) = lookups.evictions {
                ones(golden.evicting_ports()).for_each(|port| limits.reach(place, port, cycle));
            }
        }
    }
}

impl Lookups {
    fn new(shape: &Shape, limits: &mut Limits) -> Option<Lookups> {
        let table = shape.table()?;
        let (channels, effort) = (shape.ports * shape.vcs, Effort::new(shape));
        let packets = (shape.buffer_flits / shape.header_flits()) as usize;
        let waiting = packets.saturating_sub(table.lookups_per_vc);
        let mut add = |name, meaning, elements, cycles| limits.add(name, meaning, elements, cycles);
        Some(Lookups {
            per_vc: table.lookups_per_vc,
            slots: add("miss slots taken", "all miss slots of a VC are taken", channels, effort.starve),
            requests: add(
                "requests waiting",
                "all miss slots of a port wait for the request register",
                shape.ports,
                effort.starve,
            ),
            headers: (waiting > 0).then(|| {
                let meaning = "each packet of a full buffer waits for its lookup, behind full miss slots";
                (add("headers waiting", meaning, channels, effort.starve), waiting)
            }),
            // Keys can be too few to fill a set.
            evictions: table.cache.as_ref().filter(|_| table.reduction.is_none()).map(|_| {
                add("cache set full", "an entry of a port's cache gives way to another one", shape.ports, effort.crowd)
            }),
            last_entries: table.forwarding_table.as_ref().map(|built| {
                let meaning = "the last entry of a way of the forwarding table is found";
                (add("last table entries", meaning, built.ways, effort.fill), built.sets)
            }),
        })
    }

    #[inline]
    fn look(&self, seen: &Seen, port: usize, vc: usize, channel: usize, limits: &mut Limits) {
        let (golden, cycle) = (seen.golden, seen.cycle);
        if golden.taken_slots(port, vc) == self.per_vc {
            limits.reach(self.slots, channel, cycle);
        }
        if let Some((place, waiting)) = self.headers {
            if golden.waiting_headers(port, vc) >= waiting {
                limits.reach(place, channel, cycle);
            }
        }
    }
}
