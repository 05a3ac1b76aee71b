//! The bench around one switch: stimulus, scoreboard and statistics, turned one cycle at a time.

use crate::check::{BarrierBoard, Check, Cycle, Departure, ErrorFlags, Running, Scoreboard};
use crate::measure::{IntervalTotals, Latencies, PinStatistics};
use crate::packet_log::PacketLog;
use crate::stimulus::{BarrierPeers, Scenario, Stimulus};
use railyard_bench::packets_leave;
use railyard_model::{Inputs, Outputs};
use railyard_spec::Shape;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Barriers of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BarrierCounts {
    /// Groups of the switch, some of them not at work or set up wrongly.
    pub groups: usize,
    /// Completions that the switch told leaves, urged ones included; none known with illegal senders.
    pub completions: Option<u64>,
}

impl fmt::Display for BarrierCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} group{}", self.groups, if self.groups == 1 { "" } else { "s" })?;
        self.completions.map_or(Ok(()), |completions| write!(f, ", {completions} completions"))
    }
}

/// Drives and watches a switch through its pins.
#[derive(Clone, Debug)]
pub struct SwitchBench {
    stimulus: Stimulus,
    /// None if illegal senders are at work, or packets can't be told apart.
    scoreboard: Option<Scoreboard>,
    /// Takes the packets, if somebody asked for them.
    log: Option<PacketLog>,
    /// What was seen at the pins.
    statistics: PinStatistics,
    /// VCs that carry packets.
    vcs: usize,
    cycle: u64,
    /// Cycles of the set-up, once it is over, and the cycles behind it after which traffic ends.
    set_up: Option<u64>,
    traffic: u64,
    /// Packets seen leaving, for when there is no scoreboard.
    tails: u64,
    drops: u64,
    begun: u64,
    /// Why no packet is for some outputs.
    unreached: &'static str,
    /// Whether lookups can hit.
    cache: bool,
    /// Packets of the trace, if one is played.
    trace: Option<usize>,
    /// The traffic is no pattern of ours.
    own: bool,
    /// Checks beside the scoreboard.
    checks: Vec<Running>,
    /// Packets that leave in the current cycle.
    left: Vec<Departure>,
    /// Largest value of an event counter.
    counter_mask: u64,
    /// Event counters and scoreboard don't agree.
    miscount: Option<String>,
}

/// Node reduction is why addresses lead to few outputs.
const OF_KEYS: &str = "node reduction has too few keys at this place; `routing`: wider or more chunks give more";

/// The tables of a Dragonfly are.
const OF_TABLES: &str = "the tables of this place, which the seed has drawn, name no others";

impl SwitchBench {
    /// At the first cycle of a run.
    pub fn new(shape: &Shape, scenario: &Scenario) -> SwitchBench {
        let stimulus = Stimulus::new(shape, scenario);
        let (format, map) = (stimulus.format(), stimulus.address_map());
        let is_legal = scenario.mischief == 0.0;
        let watched = is_legal && Scoreboard::can_watch(shape, format, map);
        SwitchBench {
            scoreboard: watched.then(|| Scoreboard::new(shape, format, map)),
            stimulus,
            log: None,
            statistics: PinStatistics::new(shape.vcs),
            vcs: shape.vcs,
            cycle: 0,
            set_up: None,
            traffic: u64::MAX,
            tails: 0,
            drops: 0,
            begun: 0,
            unreached: if shape.dragonfly().is_some() { OF_TABLES } else { OF_KEYS },
            cache: shape.table().is_some_and(|table| table.cache.is_some()),
            own: scenario.own.is_some(),
            trace: scenario.traffic.trace.as_ref().map(|trace| trace.sources.iter().map(Vec::len).sum()),
            checks: is_legal.then(|| Running::new(Box::new(ErrorFlags))).into_iter().collect(),
            left: Vec::with_capacity(shape.ports),
            counter_mask: shape.counter_bits.map_or(0, |bits| u64::MAX >> (64 - bits)),
            miscount: None,
        }
    }

    /// The traffic is to end after so many cycles behind the set-up; then the bench drains by itself.
    pub fn end_after(&mut self, cycles: u64) {
        self.traffic = cycles;
    }

    /// Whether packets can be followed in such a run: not among illegal senders, nor if they look alike.
    pub fn can_follow(shape: &Shape, scenario: &Scenario) -> bool {
        SwitchBench::new(shape, scenario).scoreboard().is_some()
    }

    /// From now on the log gets the packets, if they are followed.
    pub fn log_packets(&mut self, log: Option<PacketLog>) {
        self.log = log;
    }

    /// A check that sees all cycles from now on.
    pub fn add_check(&mut self, check: Box<dyn Check>) {
        self.checks.push(Running::new(check));
    }

    /// The inputs of this cycle, whose outputs are given.
    #[inline]
    pub fn cycle(&mut self, outputs: &Outputs) -> &Inputs {
        let cycle = self.cycle;
        self.cycle += 1;
        if self.set_up.is_none() && !self.stimulus.is_setting_up() {
            self.set_up = Some(cycle);
        }
        if self.set_up.is_some_and(|set_up| cycle - set_up == self.traffic) {
            self.stimulus.drain();
        }
        self.statistics.watch(outputs);
        self.stimulus.cycle(outputs);
        self.account(cycle, outputs);
        let (inputs, begun) = (self.stimulus.inputs(), self.stimulus.begun());
        let seen = Cycle { number: cycle, inputs, outputs, begun, left: &self.left };
        self.checks.iter_mut().for_each(|check| check.cycle(&seen));
        self.stimulus.inputs()
    }

    /// Which packets begin and leave in this cycle.
    #[inline]
    fn account(&mut self, cycle: u64, outputs: &Outputs) {
        let Some(board) = &mut self.scoreboard else {
            self.begun += self.stimulus.begun().len() as u64;
            let leaving = packets_leave(outputs, self.vcs);
            self.tails += u64::from((leaving & outputs.tx_tail).count_ones());
            self.drops += u64::from(outputs.drop_valid.count());
            return;
        };
        let left = &mut self.left;
        left.clear();
        board.watch(cycle, outputs, |&packet, ports, vc| left.push(Departure { packet, ports, vc }));
        for Departure { packet, ports, vc } in &self.left {
            if *ports != 0 {
                self.statistics.deliver(packet, cycle);
                self.stimulus.delivered(cycle, packet);
            }
            self.log.iter().for_each(|log| log.leave(packet, cycle, *ports, *vc));
        }
        for packet in self.stimulus.begun() {
            board.begin(packet);
            self.log.iter().for_each(|log| log.enter(packet, cycle));
        }
        if self.stimulus.began_change() {
            let stimulus = &self.stimulus;
            board.loosen(stimulus.only_groups_change(), |packet| stimulus.may_drop(packet));
        }
        if self.stimulus.inputs().reset {
            board.flush();
            self.log.iter().for_each(PacketLog::flush);
        }
    }

    /// Number of the next cycle.
    pub fn now(&self) -> u64 {
        self.cycle
    }

    /// Cycles since the set-up; 0 while the switch is being set up.
    pub fn since_set_up(&self) -> u64 {
        self.set_up.map_or(0, |set_up| self.cycle - set_up)
    }

    /// Whether the cycles with traffic are over.
    pub fn has_ended(&self) -> bool {
        self.since_set_up() >= self.traffic
    }

    /// The stimulus.
    pub fn stimulus(&self) -> &Stimulus {
        &self.stimulus
    }

    /// Nothing new from now on; what is queued still goes out.
    pub fn drain(&mut self) {
        self.stimulus.drain();
    }

    /// Sums over the run so far.
    pub fn totals(&self) -> IntervalTotals {
        IntervalTotals {
            offered: self.stimulus.offered(),
            refused: self.stimulus.refused(),
            ..self.statistics.totals()
        }
    }

    /// The latencies of the packets delivered since the last call.
    pub fn take_latencies(&mut self) -> Latencies {
        self.statistics.take_latencies()
    }

    /// Whether the traffic has ended: all sent, all arrived, all credit home. Not to be expected after mischief.
    pub fn is_idle(&self) -> bool {
        self.stimulus.is_idle() && self.scoreboard.as_ref().is_none_or(|board| board.in_flight() == 0)
    }

    /// The scoreboard, if packets are being watched.
    pub fn scoreboard(&self) -> Option<&Scoreboard> {
        self.scoreboard.as_ref()
    }

    /// What there was of barriers, if there were any.
    pub fn barrier_counts(&self) -> Option<BarrierCounts> {
        let barriers = self.stimulus.barriers()?;
        let completions = barriers.board().map(BarrierBoard::completions);
        Some(BarrierCounts { groups: barriers.groups(), completions })
    }

    /// The account of barriers, if there are any and all senders are legal.
    pub fn barrier_board(&self) -> Option<&BarrierBoard> {
        self.stimulus.barriers().and_then(BarrierPeers::board)
    }

    /// Reads the switch's own counters of packets, if it has any: to be called when all is idle. Until
    /// [`SwitchBench::is_audited`], cycles go on.
    pub fn audit(&mut self) {
        self.stimulus.audit();
    }

    /// Whether all counters are read.
    pub fn is_audited(&self) -> bool {
        self.stimulus.is_audited()
    }

    /// Ends the account: what is on its way is lost, the counters that were read must be those of the scoreboard, and
    /// checks say what is missing.
    pub fn finish(&mut self) {
        let cycle = self.cycle;
        self.checks.iter_mut().for_each(|check| check.finish(cycle));
        let Some(board) = &mut self.scoreboard else { return };
        board.finish(self.cycle);
        if let Some(counted) = self.stimulus.audited() {
            let expected = board.since_reset();
            // Each counter wraps, so the sums agree as far as that goes.
            let differs = (0..3).any(|at| (counted[at] ^ expected[at]) & self.counter_mask != 0);
            self.miscount = differs.then(|| {
                format!("counters of packets in, out and dropped add up to {counted:?} (modulo their range), not {expected:?}")
            });
        }
    }

    /// Packets begun, delivered, dropped, and flushed by resets. Without a scoreboard the last is unknown and 0, and
    /// packets that were cut in pieces count as that many.
    pub fn packets(&self) -> (u64, u64, u64, u64) {
        match &self.scoreboard {
            Some(board) => (board.sent, board.delivered, board.dropped, board.flushed),
            None => (self.begun, self.tails, self.drops, 0),
        }
    }

    /// Why nothing came out, if so: a run that agrees because it did nothing must not look like one that did something.
    pub fn nothing_delivered(&self) -> Option<String> {
        let (sent, delivered, dropped, flushed) = self.packets();
        let why = match sent {
            _ if delivered > 0 => return None,
            0 if self.trace == Some(0) => "the traffic file has none".to_owned(),
            0 if self.stimulus.offered() == 0 => match self.trace {
                Some(_) => "the run ended before the first packet of the traffic file".to_owned(),
                None if self.own => "the sources had none".to_owned(),
                None => "the sources had none (load 0, or too few cycles for the load)".to_owned(),
            },
            0 => "the senders began none".to_owned(),
            _ => format!("{sent} were sent, {dropped} dropped for want of a route, {flushed} lost to resets"),
        };
        Some(format!("no packet was delivered: {why}"))
    }

    /// Share of the lookups that the routing cache answered in these cycles; none without cache or lookups.
    pub fn hit_rate(&self, totals: &IntervalTotals) -> Option<f64> {
        totals.hit_rate().filter(|_| self.cache)
    }

    /// What to say of the rest of a trace, or of other traffic that has an end.
    pub fn unplayed(&self) -> Option<String> {
        let left = self.stimulus.unplayed();
        let what = if self.trace.is_some() { "of the traffic file " } else { "" };
        (left > 0).then(|| format!("packets {what}whose turn did not come before the end: {left}"))
    }

    /// What to say of outputs that no packet is sent to, because no destination leads there.
    pub fn unreached(&self) -> Option<String> {
        let (reachable, ports) = self.stimulus.reachable()?;
        (reachable < ports).then(|| {
            format!(
                "addresses lead to {reachable} of {ports} outputs, and packets for the others go to these: {}",
                self.unreached
            )
        })
    }

    /// What checks beside the scoreboard found.
    pub fn check_faults(&self) -> Vec<String> {
        self.checks.iter().filter_map(Running::fault).cloned().collect()
    }

    /// What the rules that need no model say: faults of packets, and buffers that the switch overran; then what other
    /// checks found.
    pub fn faults(&self) -> Vec<String> {
        self.packet_faults().into_iter().chain(self.check_faults()).collect()
    }

    /// Faults of packets, credit, counters and barriers.
    pub fn packet_faults(&self) -> Vec<String> {
        let mut faults: Vec<String> =
            self.scoreboard.iter().flat_map(|board| board.faults()).map(ToString::to_string).collect();
        // With mischief the switch is told of room that isn't there.
        if let (Some((port, vc)), Some(_)) = (self.stimulus.overrun(), &self.scoreboard) {
            faults.push(format!("output {port}, VC {vc}: a flit was sent without credit"));
        }
        if let (Some((port, vc)), Some(_)) = (self.stimulus.impossible_credit(), &self.scoreboard) {
            faults.push(format!("input {port}, VC {vc}: credit was given for flits that were never sent"));
        }
        faults.extend(self.miscount.clone());
        faults.extend(self.barrier_board().into_iter().flat_map(|board| board.faults()).cloned());
        faults
    }

    /// Whether there are any of these faults. Cheap.
    #[inline]
    pub fn is_faulty(&self) -> bool {
        let stimulus = &self.stimulus;
        let is_credit_wrong = || stimulus.overrun().is_some() || stimulus.impossible_credit().is_some();
        let broken = |board: &Scoreboard| board.fault_count > 0 || is_credit_wrong();
        self.checks.iter().any(|check| check.fault().is_some())
            || self.barrier_board().is_some_and(BarrierBoard::is_faulty)
            || self.miscount.is_some()
            || self.scoreboard.as_ref().is_some_and(broken)
    }
}
