//! The network cycle by cycle. Switches make some cycles in a row, as many as the links between them allow, and fewer
//! where something concerns all switches at once: load messages, changes of the traffic, figures by time. The outcome
//! is that of single cycles.

use super::exchange::parts;
use super::observer::NetworkCycle;
use super::target::Destination;
use super::{Mismatch, Network, PER_THREAD};
use crate::device::Device;
use rayon::prelude::*;

impl<D: Device> Network<D> {
    /// One cycle.
    pub fn step(&mut self) {
        self.advance(1);
    }

    /// So many cycles.
    pub(super) fn pass(&mut self, cycles: u64) {
        let end = self.now + cycles;
        while self.now < end {
            self.advance(self.row().min(end - self.now));
        }
    }

    /// Cycles that all switches can make in a row.
    pub(super) fn row(&self) -> u64 {
        if self.observer.is_some() || self.setting.replies {
            return 1;
        }
        let loads = (!self.setting.selectors.is_empty()).then(|| self.board.next(self.now) + 1 - self.now);
        self.pictures.row().min(loads.unwrap_or(u64::MAX))
    }

    /// The same in a run, in which the traffic changes and figures are kept.
    pub(super) fn row_of_run(&self) -> u64 {
        self.row().min(self.until_standstill()).min(self.until_figures())
    }

    /// Cycles until the traffic changes or figures are kept.
    pub(super) fn until_figures(&self) -> u64 {
        let change = self.setting.next_change().unwrap_or(u64::MAX);
        let next = change.min(self.next_growth()).min(self.next_moment());
        next.saturating_sub(self.of_run(self.now)).max(1)
    }

    /// Cycles until the network stands still, if nothing is delivered before.
    pub(super) fn until_standstill(&self) -> u64 {
        let packets =
            (self.scoreboard.under_way() > 0).then(|| self.scoreboard.last_delivery() + self.limits.packets + 1);
        let barriers = self.barriers.deadline(self.limits.barriers);
        let first = packets.unwrap_or(u64::MAX).min(barriers.unwrap_or(u64::MAX));
        first.saturating_sub(self.now).max(1)
    }

    /// So many cycles, which all switches make in a row.
    pub(super) fn advance(&mut self, cycles: u64) {
        let (now, setting) = (self.now, &self.setting);
        let mut taken = self.pictures.take(now + 1, cycles);
        let (mut parts, pictures) = (parts(&mut taken, setting.sizes), &self.pictures);
        let stations = self.stations.par_iter_mut().zip(parts.par_chunks_mut(cycles as usize));
        let stations = stations.with_min_len(PER_THREAD);
        stations.for_each(|(station, parts)| station.run(now, parts, pictures, setting));
        self.pictures.put(now + 1, taken);
        let cycle =
            NetworkCycle { now, origin: self.origin, stations: &self.stations, pictures: &self.pictures, setting };
        if let Some(what) = self.observer.as_mut().and_then(|observer| observer.see(&cycle)) {
            self.scoreboard.add(Mismatch::Observed { what });
            (self.observer, self.is_over) = (None, true);
        }
        self.score(cycles);
        self.hand_over_packets();
        self.now += cycles;
        self.report_loads(self.now - 1);
    }

    /// Puts the outputs at the start into the first picture.
    pub(super) fn show(&mut self) {
        let mut taken = self.pictures.take(self.now, 1);
        let parts = parts(&mut taken, self.setting.sizes);
        self.stations.iter().zip(parts).for_each(|(station, mut part)| station.show(&mut part, &self.setting));
        self.pictures.put(self.now, taken);
    }

    /// Takes what happened in the cycles of a row, from cycle to cycle and from switch to switch.
    fn score(&mut self, cycles: u64) {
        let masks = self.stations.iter().map(|station| station.eventful).enumerate();
        let eventful: Vec<(usize, u64)> = masks.filter(|(_, mask)| *mask != 0).collect();
        for i in 0..cycles as usize {
            let stations = || eventful.iter().filter(|(_, mask)| mask >> i & 1 == 1).map(|(station, _)| *station);
            self.score_begun(i, stations());
            self.score_others(i, stations());
        }
    }

    /// Takes the packets that were begun in a cycle of a row.
    fn score_begun(&mut self, i: usize, stations: impl Iterator<Item = usize>) {
        let (now, groups) = (self.now + i as u64, &self.setting.blueprint.groups);
        for station in stations {
            for begun in &self.stations[station].row[i].begun {
                self.scoreboard.begin(now, begun, groups);
                if let (Some(journeys), Destination::Node(to)) = (&mut self.scoreboard.journeys, begun.target) {
                    let [link, way] = self.setting.minimal_way(begun.identity.source, to);
                    journeys.begin(now, begun, link, way);
                }
            }
        }
    }

    /// Takes what else happened in a cycle of a row.
    fn score_others(&mut self, i: usize, stations: impl Iterator<Item = usize>) {
        let (now, groups) = (self.now + i as u64, &self.setting.blueprint.groups);
        let mut requests = Vec::new();
        for station in stations {
            let events = &mut self.stations[station].row[i];
            events.passed.iter().for_each(|passage| self.scoreboard.pass(passage));
            for received in &events.received {
                let source = self.scoreboard.receive(now, received, groups);
                requests.extend(source.filter(|_| self.setting.replies).map(|source| (received.node, source)));
            }
            let mismatches = events.barriers.iter().filter_map(|event| self.barriers.take(now, *event));
            mismatches.for_each(|mismatch| self.scoreboard.add(mismatch));
            let complaint = events.complaint.take();
            complaint.into_iter().for_each(|what| self.scoreboard.add(Mismatch::Switch { what }));
        }
        for (node, source) in requests {
            let at = self.setting.blueprint.wiring.nodes()[node];
            self.stations[at.switch].answer(now, at.port, source, &self.setting);
        }
    }

    /// Load messages of the end of a cycle.
    fn report_loads(&mut self, cycle: u64) {
        if self.setting.selectors.is_empty() {
            return;
        }
        if self.board.is_due(cycle) {
            let loads = self.stations.iter_mut().map(|station| station.take_load()).collect();
            self.board.report(cycle, loads);
        }
        if self.board.advance(cycle) {
            for (selector, group) in self.setting.selectors.iter_mut().zip(&self.setting.blueprint.groups) {
                selector.update(&group.trees, self.board.seen());
            }
        }
    }
}
