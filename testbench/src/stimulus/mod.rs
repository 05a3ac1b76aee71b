//! Stimulus: every input pin in every cycle, as a function of a seed and of the switch's outputs.

mod barriers;
mod cycle;
mod directed;
mod failure;
mod fit;
mod generator;
mod mischief;
mod pattern_traffic;
mod programmer;
mod replay;
mod router_peers;
mod scenario;
mod traffic_source;

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

use router_peers::RouterPeers;

use crate::random::{Geometric, Random};
use crate::traffic::{AddressMap, AddressTable, Format, Groups, Packet};
use railyard_bench::endpoint::{CamMode, CamResponder, Senders, Sinks, SourceQueues};
use railyard_bench::upsets::Upsets;
use railyard_model::Inputs;
use railyard_spec::Shape;

/// Cycles of reset that a run begins with. What the outputs are in the first of them, nobody knows.
pub const FIRST_RESET: u64 = 2;

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
    routers: Option<RouterPeers>,
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
            routers: RouterPeers::new(shape, seed),
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
        let channel = self.senders.missing_credit()?;
        Some((channel / self.shape.vcs, channel % self.shape.vcs))
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
