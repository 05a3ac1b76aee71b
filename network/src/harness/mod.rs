//! The harness: a network of switches at work, with nodes that send and check what they get.

mod ages;
mod barrier_board;
mod barriers;
mod breaks;
mod credit_links;
mod destinations;
mod details;
mod exchange;
mod feed;
mod graph500;
mod headers;
mod idle;
mod latency_parts;
mod link_faults;
mod measured;
mod messages;
mod observer;
mod order;
mod packet_log;
mod packets;
mod participant;
mod passages;
mod queues;
mod report;
mod rows;
mod scoreboard;
mod series;
mod setting;
mod sink;
mod standstill;
mod station;
mod steady;
mod target;
mod terminal;
mod until_steady;
mod warm;

pub use crate::run::{BarrierTimers, Caches, Part, Phase, Run, RunError, Traffic};
pub use breaks::{BrokenLink, BrokenLinks};
pub use credit_links::CreditCounts;
pub use destinations::{destinations, mixture};
pub use details::{Details, LinkUse, NodeUse};
pub use exchange::Lane;
pub use graph500::{Graph500LevelReport, Graph500Report};
pub use latency_parts::{LatencyPart, LatencyPartsReport};
pub use link_faults::LinkFaults;
pub use messages::MessageCounts;
pub use observer::{LinkArrival, NetworkCycle, Observer};
pub use order::PacketOrder;
pub use packet_log::{Delivered, DeliveryLog};
pub use railyard_bench::traffic::{Burst, NodeTrace, Pattern};
pub use railyard_bench::Fairness;
pub use report::{
    BarrierKindReport, BarrierReport, BusiestLink, HopsByKind, KindReport, MisroutingReport, RouterMessageReport,
    RunReport,
};
pub use scoreboard::{DeliveryBoard, Mismatch};
pub use series::Moment;
pub use steady::CacheReport;
pub use terminal::Drive;
pub use until_steady::SteadyRun;

use crate::barrier::BarrierTree;
use crate::blueprint::{Blueprint, BlueprintError};
use crate::device::Device;
use crate::multicast::{LoadBoard, Tree};
use crate::placement::dragonfly::link_delays;
use crate::wiring::Port;
use barrier_board::BarrierRecord;
use barriers::Expected;
use breaks::Break;
use exchange::Pictures;
use feed::{feeds, surroundings};
use graph500::Search;
use measured::Measured;
use railyard_bench::endpoint::REREAD;
use railyard_spec::registers::address;
use railyard_spec::Shape;
use serde::Serialize;
use series::Series;
use setting::Setting;
use standstill::TimeLimits;
use station::Station;
use std::sync::Arc;
use terminal::Terminal;

/// Switches that a thread takes at least; smaller networks are run by one.
pub(crate) const PER_THREAD: usize = 32;

/// Cycles from one report of progress to the next.
const PROGRESS: u64 = 64;

/// A time in which a link was taken out. Cycles count as in the network file: from the start of the traffic, without
/// earlier such times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Outage {
    /// The link.
    pub link: Port,
    /// Cycle in which the sources stopped.
    pub stopped: u64,
    /// Cycle in which the network was empty, and the link was cut.
    pub cut: u64,
    /// Cycle in which the sources went on, with new tables.
    pub resumed: u64,
}

/// A network at work.
pub struct Network<D> {
    setting: Setting,
    stations: Vec<Station<D>>,
    pictures: Pictures,
    scoreboard: DeliveryBoard,
    barriers: BarrierRecord,
    board: LoadBoard,
    now: u64,
    /// Cycle that is 0 in the run's own count; none during set-up. Each time in which a link is taken out moves it on.
    origin: Option<u64>,
    generating: bool,
    outages: Vec<Outage>,
    breaks: Vec<Break>,
    measured: Measured,
    series: Option<Series>,
    limits: TimeLimits,
    observer: Option<Box<dyn Observer<D> + Send>>,
    packet_log: Option<DeliveryLog>,
    /// A search of Graph500, if that is the traffic.
    search: Option<Search>,
    /// The observer has found something.
    is_over: bool,
}

impl<D: Device> Network<D> {
    /// Builds a network of switches that `device` makes, and lets their registers be written.
    ///
    /// # Errors
    /// The run does not fit the network.
    pub fn new(
        blueprint: impl Into<Arc<Blueprint>>,
        run: &Run,
        device: impl Fn(&Shape) -> D,
    ) -> Result<Network<D>, RunError> {
        Network::observed(blueprint, run, device, None)
    }

    /// The same under the eyes of somebody who sees each cycle.
    ///
    /// # Errors
    /// The run does not fit the network.
    pub fn observed(
        blueprint: impl Into<Arc<Blueprint>>,
        run: &Run,
        device: impl Fn(&Shape) -> D,
        observer: Option<Box<dyn Observer<D> + Send>>,
    ) -> Result<Network<D>, RunError> {
        let mut setting = Setting::new(blueprint.into(), run)?;
        setting.is_observed = observer.is_some();
        let (shape, wiring) = (setting.shape(), &setting.blueprint.wiring);
        let station = |number| {
            let (feeds, terminals) = surroundings(wiring, number, &setting, run.seed);
            let mut station = Station::new(device(shape), number, feeds, terminals, run.cam_latency, run.seed);
            if setting.is_observed {
                station.upset(run.seed);
            }
            station
        };
        let stations: Vec<Station<D>> = (0..wiring.switches()).map(station).collect();
        let pictures = Pictures::new(wiring.switches(), setting.sizes, setting.shortest, setting.longest);
        let scoreboard = DeliveryBoard::new(wiring.nodes().len(), setting.order());
        let barriers = BarrierRecord::new(&setting.blueprint.barriers);
        let limits = TimeLimits::new(&setting);
        let search = run.traffic.graph500.as_ref().zip(setting.processes.clone());
        let search = search.map(|(search, processes)| Search::new(search, processes, run.seed));
        let board = LoadBoard::new(run.messages, wiring.switches());
        let mut network = Network {
            setting,
            stations,
            pictures,
            scoreboard,
            barriers,
            board,
            now: 0,
            origin: None,
            generating: false,
            outages: Vec::new(),
            breaks: Vec::new(),
            measured: Measured::default(),
            series: None,
            limits,
            observer,
            packet_log: None,
            search,
            is_over: false,
        };
        network.show();
        network.set_up();
        if run.caches == Caches::Warm {
            network.warm_caches(run.seed);
        }
        network.origin = Some(network.now);
        Ok(network)
    }

    /// Writes the registers of all switches, once their memories are swept.
    fn set_up(&mut self) {
        let shape = self.setting.shape();
        let sets = shape.table().and_then(|t| t.cache.as_ref()).map_or(0, |cache| cache.sets);
        let entries = shape.forwarding_table().map_or(0, |table| table.sets);
        let sweep = sets.max(entries).max(shape.multicast.map_or(0, |built| built.groups)) + 2;
        self.pass(sweep as u64);
        let writes = self.tree_writes();
        for (station, writes) in self.stations.iter_mut().zip(writes) {
            station.program(self.setting.blueprint.placement[station.number()].iter().copied());
            station.program(link_delays(self.setting.shape(), self.setting.latencies_of(station.number())));
            station.program(writes);
        }
        self.wait_for_registers();
    }

    fn wait_for_registers(&mut self) {
        let accesses = self.stations.iter().map(Station::accesses).max().unwrap_or(0);
        // Each takes two cycles or more.
        self.pass(2 * accesses.saturating_sub(1) as u64);
        while self.stations.iter().any(|station| !station.is_programmed()) {
            self.step();
        }
        self.step();
    }

    /// What tells each switch its place in all trees, of multicast and of barriers.
    fn tree_writes(&self) -> Vec<Vec<(u32, u32)>> {
        let writes = |switch| {
            let mut writes = self.group_writes(switch);
            writes.extend(self.setting.barriers.iter().flat_map(|b| b.writes(&self.setting.blueprint, switch)));
            writes
        };
        (0..self.stations.len()).map(writes).collect()
    }

    /// What makes a switch's group table.
    fn group_writes(&self, switch: usize) -> Vec<(u32, u32)> {
        let ports = self.setting.sizes.ports;
        let entry = |(number, tree): (usize, &Tree)| {
            let mask = tree.mask(switch);
            let high = (ports > 32).then_some((address::MULTICAST_MASK_HIGH, (mask >> 32) as u32));
            let low = (address::MULTICAST_MASK_LOW, mask as u32);
            std::iter::once(low).chain(high).chain([(address::MULTICAST_WRITE, number as u32)])
        };
        self.setting.blueprint.trees().enumerate().flat_map(entry).collect()
    }

    /// Number of the current cycle, from reset on.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// A cycle in the run's own count: from the start of the traffic on, without the times in which links were taken
    /// out.
    fn of_run(&self, cycle: u64) -> u64 {
        cycle - self.origin.unwrap_or(0)
    }

    /// The switches.
    pub fn devices(&self) -> impl Iterator<Item = &D> {
        self.stations.iter().map(Station::device)
    }

    /// What it is built by.
    pub fn blueprint(&self) -> &Blueprint {
        &self.setting.blueprint
    }

    /// What was seen of the packets.
    pub fn scoreboard(&self) -> &DeliveryBoard {
        &self.scoreboard
    }

    /// Whether no node has begun a packet or arrived at a barrier so far.
    pub fn has_sent_nothing(&self) -> bool {
        self.scoreboard.begun() == 0 && self.barriers.begun().iter().all(|&barriers| barriers == 0)
    }

    /// Runs so many cycles with traffic, or until the network stands still or its observer has found something.
    /// `progress` is told the cycles done.
    pub fn run(&mut self, cycles: u64, mut progress: impl FnMut(u64)) {
        self.generate(true);
        let mut done = 0u64;
        while done < cycles && !self.has_searched() {
            self.note_search();
            self.setting.begin_cycle(self.of_run(self.now));
            let row = match self.idle_cycles().min(cycles - done) {
                0 => {
                    let row = self.row_of_run().min(cycles - done);
                    self.advance(row);
                    row
                }
                idle => {
                    self.skip(idle);
                    idle
                }
            };
            if self.is_over || self.stands_still() {
                return;
            }
            self.note_growth();
            self.note_moment();
            if done.div_ceil(PROGRESS) != (done + row).div_ceil(PROGRESS) {
                progress(done);
            }
            done += row;
        }
    }

    /// Lets the sources make packets, or not.
    pub fn generate(&mut self, on: bool) {
        self.generating = on;
        let (now, origin, begun) = (on.then_some(self.now), self.origin.unwrap_or(0), self.barriers.begun());
        for terminal in self.stations.iter_mut().flat_map(|station| &mut station.terminals) {
            terminal.generate(now, origin, &begun, &self.setting);
        }
    }

    /// Whether packets are under way, or all have arrived at a barrier, and for long nothing was delivered and nobody
    /// told.
    fn stands_still(&self) -> bool {
        self.packets_stand_still() || self.barriers_stand_still()
    }

    fn packets_stand_still(&self) -> bool {
        self.scoreboard.under_way() > 0 && self.now > self.scoreboard.last_delivery() + self.limits.packets
    }

    fn barriers_stand_still(&self) -> bool {
        self.barriers.stands_still(self.now, self.limits.barriers)
    }

    /// Stops the sources and runs until all is delivered, all barriers that were begun are complete and all credit is
    /// back. Whether it is.
    pub fn drain(&mut self) -> bool {
        self.generate(false);
        self.run_out();
        if self.is_busy() {
            if !self.is_over {
                self.report_standstill();
            }
            return false;
        }
        // Credit of the last flits comes home, also where its report was lost or corrupted, caches get their last
        // entries.
        self.pass(self.settling());
        true
    }

    /// Runs until all that was begun is delivered and complete, or the network stands still.
    pub(crate) fn run_out(&mut self) {
        while self.is_busy() && !self.is_over && !self.stands_still() {
            // A node is busy for as long as it has packets to send.
            let queued = self.terminals().map(Terminal::queued).max().unwrap_or(0);
            self.advance(self.row().min(self.until_standstill()).min(queued.max(1) as u64));
        }
    }

    /// Cycles after the last delivery in which all comes to rest.
    fn settling(&self) -> u64 {
        4 * (self.setting.longest + 4) + REREAD + self.setting.cam_latency
    }

    fn is_busy(&self) -> bool {
        self.scoreboard.under_way() > 0 || self.barriers.is_under_way() || self.terminals().any(|node| !node.is_idle())
    }

    /// What stands still behind a broken link is told by [`Network::broken`].
    fn report_standstill(&mut self) {
        let is_expected = self.broken().is_some_and(|broken| broken.packets_over > 0);
        if self.packets_stand_still() && !is_expected {
            let (since, packets) = (self.of_run(self.scoreboard.last_delivery()), self.scoreboard.under_way());
            self.scoreboard.add(Mismatch::Stalled { since, packets });
        }
        if self.barriers_stand_still() {
            self.barriers.incomplete().into_iter().for_each(|mismatch| self.scoreboard.add(mismatch));
        }
    }

    fn terminals(&self) -> impl Iterator<Item = &Terminal> {
        self.stations.iter().flat_map(|station| &station.terminals)
    }

    /// Drains the network and checks that every packet arrived, that all credit and all bulletins are as at the start,
    /// and that the registers show all barrier groups at rest, after as many barriers as the nodes have seen. With
    /// broken links that goes for what needs none of them.
    pub fn finish(&mut self) {
        self.check_rest();
        if let Some(what) = self.observer.take().and_then(|mut observer| observer.end()) {
            self.scoreboard.add(Mismatch::Observed { what });
        }
    }

    fn check_rest(&mut self) {
        if !self.drain() {
            return;
        }
        self.scoreboard.end();
        // Messages of barriers that can't complete are repeated for ever.
        let trees = &self.setting.blueprint.barriers;
        let stranded: Vec<&BarrierTree> = self.barriers.stranded().into_iter().map(|group| &trees[group]).collect();
        let is_at_rest = |station: &&Station<D>| stranded.iter().all(|tree| tree.place(station.number()).is_none());
        let left = self.stations.iter().filter(is_at_rest).filter_map(|station| station.left_over());
        let left: Vec<String> = left.collect();
        left.into_iter().for_each(|what| self.scoreboard.add(Mismatch::LeftOver { what }));
        self.check_barrier_registers();
    }

    fn check_barrier_registers(&mut self) {
        let Some(barriers) = &self.setting.barriers else { return };
        let over = self.barriers.over_since_set_up();
        let at_rest = |switch| barriers.at_rest(&self.setting.blueprint, switch, &over);
        let expected: Vec<Vec<Expected>> = (0..self.stations.len()).map(at_rest).collect();
        for (station, expected) in self.stations.iter_mut().zip(&expected) {
            station.query(expected.iter().map(|register| register.address));
        }
        self.wait_for_registers();
        for (station, expected) in self.stations.iter_mut().zip(&expected) {
            for (Expected { name, mask, value, .. }, got) in expected.iter().zip(station.take_answers()) {
                if got & mask != *value {
                    let what = format!("switch {}: {name} is {:#x}, expected {value:#x}", station.number(), got & mask);
                    self.scoreboard.add(Mismatch::LeftOver { what });
                }
            }
        }
    }

    /// Takes a link out of service: the sources stop, the network is drained, the link is cut, tables and trees are
    /// computed anew and written (the caches flushed), and the sources go on. So no packet is lost, and none is under
    /// way by old and by new tables at the same time, which could wait for each other although neither tables alone
    /// have a ring.
    ///
    /// # Errors
    /// There is no such link, or no way without it.
    pub fn take_out(&mut self, link: Port) -> Result<(), BlueprintError> {
        let blueprint = self.setting.blueprint.without(link)?;
        let (was_generating, stopped) = (self.generating, self.now);
        if !self.drain() {
            return Ok(());
        }
        let cut = self.now;
        self.setting.lead_by(Arc::new(blueprint));
        self.limits = TimeLimits::new(&self.setting);
        for station in &mut self.stations {
            let wiring = &self.setting.blueprint.wiring;
            station.feeds = feeds(wiring, station.number(), self.setting.sizes.ports);
        }
        self.rewrite();
        let [stopped, cut, resumed] = [stopped, cut, self.now].map(|cycle| self.of_run(cycle));
        self.outages.push(Outage { link, stopped, cut, resumed });
        self.origin = self.origin.map(|origin| origin + resumed - stopped);
        self.generate(was_generating);
        Ok(())
    }

    /// Brings new tables and trees into the switches.
    fn rewrite(&mut self) {
        let has_cache = self.setting.shape().cache_control();
        self.barriers.restart();
        let writes = self.tree_writes();
        for (station, writes) in self.stations.iter_mut().zip(writes) {
            station.restart_barriers(&self.setting);
            station.program(has_cache.then_some((address::FLUSH, 1)));
            // All nodes have a route as before, so that each entry of a table on the chip takes the place of its old
            // one.
            station.program(self.setting.blueprint.placement[station.number()].iter().copied());
            station.program(writes);
        }
        self.wait_for_registers();
        let sets = self.setting.shape().table().and_then(|t| t.cache.as_ref()).map_or(0, |cache| cache.sets);
        self.pass(sets as u64 + 2);
    }

    /// What was measured since [`Network::measure`].
    pub fn report(&mut self) -> RunReport {
        self.take_sums();
        RunReport::new(self)
    }
}
