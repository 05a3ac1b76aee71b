//! Stimulus: every input pin in every cycle, as a function of a seed and of the switch's outputs.

mod barriers;
mod directed;
mod failure;
mod fit;
mod generator;
mod mischief;
mod pattern_traffic;
mod programmer;
mod replay;
mod scenario;
mod traffic_source;
mod upsets;

pub use barriers::BarrierPeers;
pub use directed::{Directed, Effort};
pub use failure::LinkFailure;
pub use generator::Generator;
#[cfg(test)]
pub(crate) use mischief::noise;
pub use mischief::{Flood, Mischief};
pub use pattern_traffic::PatternTraffic;
pub use programmer::Programmer;
pub use railyard_bench::endpoint::{Cam, Sink, Stalls, LONGEST_DELAY, LONGEST_LATENCY};
pub use replay::Replay;
pub use scenario::{json_schema, Scenario, BARRIERS, MOST_MOVES};
pub use traffic_source::{OwnTraffic, Sources, TrafficSource};

use directed::{Between, PhaseProgress};
use upsets::Upsets;

use crate::random::{Geometric, Random};
use crate::traffic::{AddressMap, AddressTable, Format, Groups, Packet, Refill};
use railyard_bench::endpoint::{CamMode, CamResponder, Senders, Sinks, SourceQueues};
use railyard_model::{Inputs, Outputs};
use railyard_spec::registers::address::CACHE;
use railyard_spec::Shape;

/// Cycles of reset that a run begins with. What the outputs are in the first of them, nobody knows.
pub const FIRST_RESET: u64 = 2;

/// Directed phases look once in so many cycles whether all is empty.
const LOOK: u64 = 16;

/// Attempts to find addresses for the last entries of the forwarding table.
const EDGE_ATTEMPTS: u64 = 64;

/// Counters whose sums are those of the scoreboard.
const AUDITED: [&str; 3] = ["rx_packets", "tx_packets", "dropped_packets"];

/// Plays a [`Scenario`] on a switch.
#[derive(Clone, Debug)]
pub struct Stimulus {
    shape: Shape,
    format: Format,
    /// The table that a move leads away from, until it is at work nowhere; the table and groups that it leads to, until
    /// they are at work everywhere.
    leaving: Option<AddressTable>,
    coming: Option<(Option<AddressTable>, Option<Groups>)>,
    /// The switch is being told of its first table since a reset.
    starting: bool,
    /// Whether routes were changing at the start of the last cycle, and whether they began to change in it.
    changing: bool,
    began_change: bool,
    now: u64,
    /// The switch has not been told all that it must know since the last reset.
    setting_up: bool,
    /// Cycles in which the sources stood still, and those of them that they have not been told of: the last ones in a
    /// row.
    paused: u64,
    pause: u64,
    /// Cycles of the last pause that is over.
    last_pause: u64,
    queues: SourceQueues,
    source: Box<dyn TrafficSource>,
    generator: Generator,
    senders: Senders,
    sinks: Sinks,
    cam: Option<CamResponder>,
    /// What the CAM knows.
    known: Option<AddressTable>,
    programmer: Option<Programmer>,
    barriers: Option<BarrierPeers>,
    mischief: Option<Mischief>,
    upsets: Option<Upsets>,
    /// Changes of the table in mid-traffic.
    moves: Option<Geometric>,
    /// The cycle of the next one.
    next_move: u64,
    /// A link that fails, and whether the way around it was begun.
    failure: Option<LinkFailure>,
    detoured: bool,
    per_port: u64,
    resets: Option<Geometric>,
    /// The next reset: its first cycle and the one after its last.
    reset: (u64, u64),
    random: Random,
    inputs: Inputs,
    draining: bool,
    /// Phases that lead to the limits of the switch, in place of arrivals.
    directed: Option<Directed>,
    /// The last cycle in which a sender sent a flit.
    last_sent: u64,
    /// The phases begin again, with another table.
    turned: bool,
}

/// Where packets lead from some cycle on, and how the forwarding table gets there.
struct Change {
    table: Option<(AddressTable, Refill)>,
    groups: Option<Groups>,
}

impl Stimulus {
    /// At the first cycle of the run.
    pub fn new(shape: &Shape, scenario: &Scenario) -> Stimulus {
        let seed = scenario.seed;
        let ports = shape.ports;
        let (per_port, entries) = (scenario.traffic.addresses_per_port, scenario.table_entries(shape));
        let attempts = if scenario.directed { EDGE_ATTEMPTS } else { 0 };
        let table = AddressTable::with_edges(shape, per_port, entries, attempts, seed);
        let mut programmer = Programmer::new(shape, seed);
        if let Some(programmer) = programmer.as_mut().filter(|_| scenario.directed) {
            programmer.never_clear();
        }
        let groups = Groups::draw(shape, &mut Random::new(seed, 9));
        if let Some(programmer) = &mut programmer {
            programmer.program(table.as_ref(), groups.as_ref());
        }
        let moves = (scenario.moves > 0.0 && programmer.is_some()).then(|| Geometric::new(scenario.moves));
        let known = table.clone().filter(|_| shape.external_cam());
        let mut generator = Generator::new(shape, &scenario.traffic, table, groups, seed);
        let source = source(shape, scenario, &mut generator);
        Stimulus {
            moves,
            failure: scenario.failure,
            detoured: false,
            programmer,
            next_move: 0,
            per_port: scenario.traffic.addresses_per_port,
            format: Format::new(shape),
            now: 0,
            setting_up: true,
            paused: 0,
            pause: 0,
            last_pause: 0,
            queues: SourceQueues::new(ports, scenario.traffic.queue),
            source,
            generator,
            senders: Senders::new(shape, &scenario.traffic, scenario.sink.lost, seed),
            sinks: Sinks::new(shape, &scenario.sink, seed),
            cam: known.as_ref().map(|_| CamResponder::new(&scenario.cam, seed)),
            known,
            barriers: BarrierPeers::new(shape, scenario.barriers, scenario.mischief == 0.0, scenario.directed, seed),
            mischief: (scenario.mischief > 0.0)
                .then(|| Mischief::new(shape, scenario.mischief, scenario.directed, seed)),
            upsets: Upsets::new(shape, scenario.mischief == 0.0, seed),
            resets: (scenario.resets > 0.0).then(|| Geometric::new(scenario.resets)),
            reset: (0, FIRST_RESET),
            random: Random::new(seed, 6),
            inputs: Inputs::new(shape),
            draining: false,
            directed: scenario.directed.then(|| Directed::new(shape, scenario.mischief > 0.0, seed)),
            last_sent: 0,
            turned: false,
            leaving: None,
            coming: None,
            starting: true,
            changing: false,
            began_change: false,
            shape: shape.clone(),
        }
    }

    /// The layout of packets.
    pub fn format(&self) -> &Format {
        &self.format
    }

    /// The addresses by number, if the table has them so.
    pub fn address_map(&self) -> Option<&AddressMap> {
        self.generator.table.as_ref().and_then(AddressTable::map)
    }

    /// Output ports that an address leads to, and how many there are, where keys or tables decide that.
    pub fn reachable(&self) -> Option<(usize, usize)> {
        self.generator.table.as_ref().and_then(AddressTable::reachable)
    }

    /// Whether the routes of packets on their way began to change in the last cycle.
    #[inline]
    pub fn began_change(&self) -> bool {
        self.began_change
    }

    /// Whether all that can change is where multicast packets lead.
    pub fn only_groups_change(&self) -> bool {
        self.generator.table.is_none()
    }

    /// Whether a packet may be dropped though somebody had a route for it: while routes change, or before all are
    /// there.
    pub fn may_drop(&self, packet: &Packet) -> bool {
        let coming = self.coming.as_ref().and_then(|(table, _)| table.as_ref());
        let tables = [self.leaving.as_ref(), self.generator.table.as_ref(), coming];
        // Where topologies change: the port map is written entry by entry, under packets that use it; and of the
        // lookups that were merged by an old key, all get the answer of one, which the new table may not know. A group
        // can be without outputs.
        let moves = self.shape.algorithmic().is_some() || self.shape.reduction().is_some() && self.shape.external_cam();
        let unknown = || tables.into_iter().flatten().any(|table| table.may_drop(packet.header));
        packet.multicast || self.starting || moves || unknown()
    }

    /// A packet has left the switch in cycle `cycle` of the run, the last one.
    #[inline]
    pub fn delivered(&mut self, cycle: u64, packet: &Packet) {
        self.source.delivered(cycle - self.paused, packet);
    }

    /// Reads the counters, if they count from the last reset on. Only after [`Stimulus::drain`], when all is idle.
    pub fn audit(&mut self) {
        if let Some(programmer) = self.programmer.as_mut().filter(|programmer| programmer.counts_all()) {
            programmer.audit(&AUDITED);
        }
    }

    /// What the audit read, summed over ports and VCs: packets in, out and dropped, each modulo the counters' range.
    /// None before it has read all, or if there is nothing to read.
    pub fn audited(&self) -> Option<[u64; 3]> {
        let programmer = self.programmer.as_ref().filter(|p| p.counts_all() && p.is_done())?;
        Some(AUDITED.map(|name| programmer.sum(name)))
    }

    /// Whether there is no audit, or it has ended.
    pub fn is_audited(&self) -> bool {
        self.programmer.as_ref().is_none_or(Programmer::is_done)
    }

    /// The peers of barrier groups, if there are any.
    pub fn barriers(&self) -> Option<&BarrierPeers> {
        self.barriers.as_ref()
    }

    /// Whether the switch will be in reset in the next cycle or, since the last reset, has not been told all that it
    /// must know. With resets in mid-traffic the latter doesn't count: one can come before the end of each set-up.
    #[inline]
    pub fn is_setting_up(&self) -> bool {
        self.setting_up && (self.now >= self.reset.0 || self.resets.is_none() && !self.is_told())
    }

    /// Whether nothing is left to be written that a sender must wait for.
    #[inline]
    fn is_told(&self) -> bool {
        self.programmer.as_ref().is_none_or(Programmer::is_done)
    }

    /// The inputs of the last cycle.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// Packets whose first flit was planned in the last cycle.
    #[inline]
    pub fn begun(&self) -> &[Packet] {
        self.senders.begun()
    }

    /// Flits of all packets that sources had so far, sent or not.
    pub fn offered(&self) -> u64 {
        self.generator.offered
    }

    /// Of these, flits of packets that found their source's queue full and were forgotten.
    pub fn refused(&self) -> u64 {
        self.generator.refused
    }

    /// Packets that the traffic still has for the sources, if it says so: those of a trace.
    pub fn unplayed(&self) -> usize {
        self.source.unplayed()
    }

    /// The first (output, VC) whose next buffer got a flit without room.
    pub fn overrun(&self) -> Option<(usize, usize)> {
        self.sinks.overrun().map(|channel| (channel / self.shape.vcs, channel % self.shape.vcs))
    }

    /// The first (port, VC) whose sender got credit for flits that it never sent.
    pub fn impossible_credit(&self) -> Option<(usize, usize)> {
        self.senders.impossible_report().map(|channel| (channel / self.shape.vcs, channel % self.shape.vcs))
    }

    /// Ends generation, stalls, losses, mischief and resets; what is queued still goes out.
    pub fn drain(&mut self) {
        self.draining = true;
        self.directed = None;
        self.sinks.relax();
        if let (Some(barriers), Some(programmer)) = (&mut self.barriers, &mut self.programmer) {
            barriers.drain(programmer);
        }
        if let Some(cam) = &mut self.cam {
            cam.mode = CamMode::Usual;
        }
        if let Some(mischief) = &mut self.mischief {
            mischief.stop();
        }
        // One that goes on ends by itself; one to come would fall into the audit of the counters.
        if !self.inputs.reset {
            self.reset = (u64::MAX, u64::MAX);
        }
    }

    /// Whether all that was queued is sent, all credit is home, and the CAM has answered everything.
    pub fn is_idle(&self) -> bool {
        self.is_empty() && self.barriers.as_ref().is_none_or(BarrierPeers::is_idle)
    }

    /// The same, but for barriers.
    fn is_empty(&self) -> bool {
        self.queues.occupied() == 0
            && self.senders.is_idle()
            && self.sinks.is_idle()
            && self.cam.as_ref().is_none_or(CamResponder::is_idle)
            && self.missing_credit().is_none()
    }

    /// The first (port, VC) whose sender doesn't have all of its credit.
    pub fn missing_credit(&self) -> Option<(usize, usize)> {
        let full = self.shape.buffer_flits as i32;
        let channel = self.senders.room().iter().position(|&room| room != full)?;
        Some((channel / self.shape.vcs, channel % self.shape.vcs))
    }

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
            // Before the senders: their flits wait for barrier messages.
            if let (Some(barriers), Some(programmer)) = (&mut self.barriers, &mut self.programmer) {
                barriers.act(now, programmer, &mut self.inputs);
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
        mischief::noise(&self.shape, &mut self.random, &mut self.inputs);
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

/// The traffic of a scenario, before its first cycle.
fn source(shape: &Shape, scenario: &Scenario, generator: &mut Generator) -> Box<dyn TrafficSource> {
    let traffic = &scenario.traffic;
    if scenario.own.is_some() || traffic.trace.is_some() {
        generator.never_multicast();
    }
    if let Some(own) = &scenario.own {
        return own.start();
    }
    match traffic.trace.clone() {
        Some(trace) => Box::new(Replay::new(trace)),
        None => Box::new(PatternTraffic::new(shape, traffic, scenario.seed, &mut generator.random)),
    }
}

#[cfg(test)]
mod tests;
