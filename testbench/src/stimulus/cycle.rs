//! A cycle of the stimulus: from the switch's outputs to its next inputs.

use super::directed::{Between, PhaseProgress};
use super::mischief::noise;
use super::{Flood, Programmer, Sources, Stimulus, FIRST_RESET};
use crate::traffic::{AddressTable, Groups, Packet, Refill};
use railyard_model::{Inputs, Outputs};
use railyard_spec::registers::address::CACHE;

/// Directed phases look once in so many cycles whether all is empty.
const LOOK: u64 = 16;

/// Where packets lead from some cycle on, and how the forwarding table gets there.
struct Change {
    table: Option<(AddressTable, Refill)>,
    groups: Option<Groups>,
}

impl Stimulus {
    /// The inputs of the next cycle, whose outputs are given.
    #[inline]
    pub fn cycle(&mut self, outputs: &Outputs) -> &Inputs {
        let now = self.now;
        self.now += 1;
        self.inputs.idle();
        self.began_change = false;
        let resets = now >= self.reset.0;
        let is_told = self.is_told();
        self.setting_up &= resets || !is_told;
        self.changing = self.changes_under_traffic() && !is_told;
        if !self.changing {
            (self.leaving, self.starting) = (None, false);
        }
        let may_send = is_told || self.changing;
        self.run_sources(now, !resets && may_send);
        if resets {
            self.reset_cycle(now);
            return &self.inputs;
        }
        self.senders.read_credits(now, outputs);
        self.sinks.receive(now, outputs);
        if let Some(barriers) = &mut self.barriers {
            barriers.receive(now, outputs);
        }
        let noisy = self.mischief.as_ref().is_some_and(|mischief| mischief.is_noisy(now));
        if !noisy {
            // Before the senders: their flits wait for messages.
            if let (Some(barriers), Some(programmer)) = (&mut self.barriers, &mut self.programmer) {
                barriers.act(now, programmer, &mut self.inputs);
            }
            if let (Some(routers), false) = (&mut self.routers, self.draining) {
                routers.act(&mut self.inputs);
            }
            let flood = self.mischief.as_ref().and_then(|mischief| mischief.flood_at(now));
            if may_send && flood.is_none() {
                let taken = self.inputs.rx_valid;
                self.senders.send(&mut self.queues, &self.format, &mut self.inputs);
                if self.inputs.rx_valid != taken {
                    self.last_sent = now;
                }
                if self.changes_under_traffic() {
                    self.route_begun();
                }
            }
            if let (Some(failure), false) = (&self.failure, self.draining) {
                self.sinks.silence(failure.port.into(), failure.is_silent(now - self.paused));
            }
            if let Some(flood) = flood {
                self.sinks.starve(flood == Flood::Overfull);
            }
            self.sinks.report(now, &mut self.inputs);
        }
        if !noisy {
            self.program(now, outputs);
        }
        if let Some(cam) = &mut self.cam {
            cam.offer(now, &mut self.inputs);
            if !noisy && self.mischief.is_none() {
                // A latency of 0 answers what is accepted in this cycle.
                cam.accept(now, outputs, &self.inputs);
            }
            cam.collect(now);
            if !noisy {
                let known = self.known.as_ref();
                cam.answer(&mut self.inputs, |address| known?.known(address));
            }
        }
        if let Some(mischief) = &mut self.mischief {
            mischief.act(now, outputs, &mut self.inputs, &mut self.senders);
            if let (Some(programmer), true) = (&mut self.programmer, mischief.strikes()) {
                self.inputs.apb = programmer.any_access();
            }
            if let Some(cam) = &mut self.cam {
                // Mischief may have had a say in what is accepted.
                cam.accept_later(now, outputs, &self.inputs);
            }
        }
        if let Some(upsets) = &mut self.upsets {
            upsets.act(&mut self.inputs);
        }
        &self.inputs
    }

    /// The sources' part of a cycle. While senders can't send because the switch is in reset, or is being told where
    /// packets lead, sources stand still: what such a pause takes is no latency.
    #[inline]
    fn run_sources(&mut self, now: u64, run: bool) {
        if !run {
            self.pause += 1;
            return;
        }
        if self.pause > 0 {
            self.queues.postpone(self.pause);
            self.paused += self.pause;
            self.last_pause = std::mem::take(&mut self.pause);
        }
        match self.directed {
            Some(_) => self.direct(now),
            None if self.draining => {}
            None => {
                let (name, paused) = (self.source.name(), self.paused);
                let mut sources = Sources { name, generator: &mut self.generator, queues: &mut self.queues, paused };
                self.source.cycle(now - paused, &mut sources);
            }
        }
    }

    /// A cycle of the directed phases.
    fn direct(&mut self, now: u64) {
        let looks = now % LOOK == 0;
        let seen = PhaseProgress {
            silence: now - self.last_sent,
            is_empty: looks && self.is_empty(),
            fewest_freed: if looks { self.sinks.fewest_freed() } else { 0 },
            set_up: self.last_pause,
        };
        let Some(directed) = &mut self.directed else { return };
        match directed.step(now, &seen) {
            Between::Nothing => {}
            Between::Reset => self.reset = (now + 1, now + 1 + FIRST_RESET),
            Between::Change => self.turned = self.programmer.is_some(),
            Between::Caches(enabled) if self.shape.cache_control() => {
                if let Some(programmer) = &mut self.programmer {
                    programmer.write_beside(vec![(CACHE, enabled.into())]);
                }
            }
            Between::Caches(_) => {}
        }
        if self.turned {
            // What is queued now would follow the old table.
            return;
        }
        let phase = *directed.phase();
        self.sinks.starve(phase.starved);
        if let Some(cam) = &mut self.cam {
            cam.mode = phase.cam;
        }
        if let Some(order) = directed.order(now) {
            self.generator.direct(now, &order, &mut directed.source, self.senders.room(), &mut self.queues);
        }
    }

    /// What happens at the register port.
    #[inline]
    fn program(&mut self, now: u64, outputs: &Outputs) {
        let planned = match self.programmer.as_ref().is_some_and(Programmer::is_done) && !self.draining {
            true => self.plan(now),
            false => None,
        };
        let Some(programmer) = &mut self.programmer else { return };
        if let Some(Change { table, groups }) = planned {
            programmer.change(table.as_ref(), groups.as_ref());
            self.leaving = self.generator.table.clone();
            self.coming = Some((table.map(|(table, _)| table), groups));
            self.began_change = true;
        }
        if programmer.changes_now() {
            self.change_table();
        }
        if let Some(programmer) = &mut self.programmer {
            programmer.act(outputs, &mut self.inputs);
        }
    }

    /// Whether registers are written without a pause of the senders: moves from the start, the way around a link when
    /// it has failed.
    #[inline]
    fn changes_under_traffic(&self) -> bool {
        self.moves.is_some() || self.detoured
    }

    /// What this cycle's move leads to, or the way around a link that has failed.
    #[inline]
    fn plan(&mut self, now: u64) -> Option<Change> {
        let (table, groups) = (&self.generator.table, &self.generator.groups);
        if std::mem::take(&mut self.turned) {
            let table = table.as_ref().map(|table| table.widened(&self.shape, self.per_port, &mut self.random));
            let groups = groups.as_ref().map(|groups| groups.changed(&mut self.random));
            return (table.is_some() || groups.is_some()).then_some(Change { table, groups });
        }
        if let Some(gap) = self.moves.as_ref().filter(|_| now >= self.next_move) {
            let table = table.as_ref().map(|table| table.changed(&self.shape, self.per_port, &mut self.random));
            let groups = groups.as_ref().map(|groups| groups.changed(&mut self.random));
            self.next_move = now + gap.draw(&mut self.random);
            return (table.is_some() || groups.is_some()).then_some(Change { table, groups });
        }
        let failure = self.failure.filter(|failure| now - self.paused >= failure.cycle && !self.detoured)?;
        self.detoured = true;
        let table = table.as_ref()?.around(&self.shape, failure.port, failure.detour, &mut self.random);
        Some(Change { table: Some(table), groups: groups.clone() })
    }

    /// The table and groups that were coming are there.
    fn change_table(&mut self) {
        let Some((table, groups)) = self.coming.take() else { return };
        if self.known.is_some() {
            self.known = table.clone().or(self.known.take());
        }
        (self.generator.table, self.generator.groups) = (table, groups);
    }

    /// Packets that are sent now follow the table of now, whatever it was when their source had them.
    fn route_begun(&mut self) {
        let (table, groups) = (&self.generator.table, &self.generator.groups);
        let mut begun: Vec<Packet> = self.senders.begun().to_vec();
        for packet in &mut begun {
            match (table, groups) {
                (_, Some(groups)) if packet.multicast => packet.fan_out(groups.outputs(packet.header, packet.source)),
                (Some(table), _) if !packet.multicast => packet.follow(table.route(packet.header), &table.groups),
                _ => continue,
            }
            packet.any_route = self.changing;
            packet.may_drop = self.changing && self.may_drop(packet);
        }
        self.senders.begun_mut().copy_from_slice(&begun);
    }

    /// Noise at the pins while reset is on: it must not matter.
    #[cold]
    fn reset_cycle(&mut self, now: u64) {
        noise(&self.shape, &mut self.random, &mut self.inputs);
        self.inputs.reset = true;
        self.setting_up = true;
        self.senders.reset();
        self.sinks.reset();
        if let Some(cam) = &mut self.cam {
            cam.reset();
        }
        if let Some(barriers) = &mut self.barriers {
            barriers.reset();
        }
        self.change_table();
        (self.leaving, self.starting) = (None, true);
        if let Some(programmer) = &mut self.programmer {
            programmer.reset();
            programmer.program(self.generator.table.as_ref(), self.generator.groups.as_ref());
        }
        if now + 1 >= self.reset.1 {
            let start = match &self.resets {
                Some(gap) if !self.draining => now + 1 + gap.draw(&mut self.random),
                _ => u64::MAX,
            };
            self.reset = (start, start.saturating_add(self.random.within(1, 4)));
        }
    }
}
