//! A breadth-first search of Graph500 at work: its processes at the nodes, level by level.
//!
//! A level has three stages. Each process sends its queries, then tells all others that it is done. Then all send to
//! the process of the root, and that one sends to all: so all agree that the level is over. A stage begins when all
//! packets of the one before are delivered, and all messages of queries are answered.
//!
//! A process does one thing at a time: while it answers a message, it makes none.

use super::packets::Waiting;
use super::Network;
use crate::device::Device;
use crate::run::Graph500Traffic;
use railyard_bench::random::{Chance, Geometric, Random};
use railyard_bench::traffic::graph500::{messages, queries};
use serde::Serialize;
use std::collections::VecDeque;

/// Packets in a source queue from which on a process makes none.
const MOST_QUEUED: usize = 4;

/// What a process sends at the end of its part of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signals {
    Nothing,
    /// One to each other process.
    Others,
    /// One to this process.
    To(usize),
}

/// What all processes share.
#[derive(Clone, Debug)]
pub struct ProcessSetting {
    /// Processes, at the first nodes.
    pub processes: usize,
    /// Flits of messages and of signals.
    pub message: usize,
    pub signal: usize,
    /// Cycles from the making of a message to that of the next.
    pace: Geometric,
}

impl ProcessSetting {
    /// Of a search in a network with so many nodes, with packets of so many flits.
    pub fn new(search: &Graph500Traffic, nodes: usize, message: usize, signal: usize) -> ProcessSetting {
        let pace = Geometric::with_mean(f64::from(search.coalescing) * search.query_cycles);
        ProcessSetting { processes: search.processes(nodes), message, signal, pace }
    }
}

/// A process.
#[derive(Clone, Debug)]
pub struct Process {
    /// Messages that are still to be made, and the first cycle for the next.
    messages: u64,
    next: u64,
    signals: Signals,
    /// Cycles of the answer to a message, and the cycle in which the last answer is over.
    answer: u64,
    answered: u64,
}

impl Process {
    /// One that has nothing to do.
    pub fn new() -> Process {
        Process { messages: 0, next: 0, signals: Signals::Nothing, answer: 0, answered: 0 }
    }

    /// Whether it has made all, and answered all in cycle `now`.
    pub fn is_done(&self, now: u64) -> bool {
        self.messages == 0 && self.signals == Signals::Nothing && self.answered <= now
    }

    /// Makes what is due in cycle `now` at node `node`. Gives the flits of it.
    pub fn make(
        &mut self,
        now: u64,
        node: usize,
        queue: &mut VecDeque<Waiting>,
        random: &mut Random,
        setting: &ProcessSetting,
    ) -> u64 {
        let ProcessSetting { processes, message, signal, pace } = setting;
        if self.messages > 0 {
            if now < self.next || queue.len() >= MOST_QUEUED {
                return 0;
            }
            let other = random.below(*processes as u64 - 1) as usize;
            queue.push_back(Waiting::to(other + usize::from(other >= node), now, *message));
            self.messages -= 1;
            self.next = now + pace.draw(random);
            return *message as u64;
        }
        let before = queue.len();
        match std::mem::replace(&mut self.signals, Signals::Nothing) {
            Signals::Nothing => {}
            Signals::Others => {
                queue.extend((1..*processes).map(|step| Waiting::to((node + step) % processes, now, *signal)));
            }
            Signals::To(root) if root == node => {}
            Signals::To(root) => queue.push_back(Waiting::to(root, now, *signal)),
        }
        ((queue.len() - before) * signal) as u64
    }

    /// A packet of so many flits came in cycle `now`. Where messages are longer than signals, signals cost nothing.
    pub fn receive(&mut self, now: u64, length: usize, setting: &ProcessSetting) {
        if length == setting.message {
            self.answered = self.answered.max(now) + self.answer;
            self.next = self.next.max(now) + self.answer;
        }
    }
}

/// A level of a search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Graph500LevelReport {
    /// Ends of edges that are explored.
    pub explored: f64,
    /// Messages of queries, of all processes together.
    pub messages: u64,
    /// Cycle of the run in which it began.
    pub begun: u64,
    /// Cycles until all queries were answered.
    pub query_cycles: u64,
    /// Cycles of the level.
    pub cycles: u64,
}

/// A search so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Graph500Report {
    /// Processes.
    pub processes: usize,
    /// Node of the root.
    pub root: usize,
    /// Degree of the root.
    pub root_degree: f64,
    /// Whether the search is over.
    pub is_over: bool,
    /// Cycles from its start to its end.
    pub cycles: u64,
    /// Flits of messages that a process sent in a cycle, over these cycles.
    pub usage: f64,
    /// Levels that are over.
    pub levels: Vec<Graph500LevelReport>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Queries,
    Reduction,
    Broadcast,
}

/// A search.
#[derive(Clone, Debug)]
pub struct Search {
    of: Graph500Traffic,
    setting: ProcessSetting,
    random: Random,
    root: usize,
    root_degree: f64,
    /// What is explored at each level.
    explored: Vec<f64>,
    /// The stage, if it has begun and is not over.
    stage: Option<Stage>,
    /// Cycles of the run in which the search and the level began, and in which the level's queries were answered.
    begun: u64,
    level_begun: u64,
    answered: u64,
    messages: u64,
    levels: Vec<Graph500LevelReport>,
}

impl Search {
    /// A search in a network with such nodes, by the seed of the run.
    pub fn new(of: &Graph500Traffic, setting: ProcessSetting, seed: u64) -> Search {
        let mut random = Random::new(seed, 6 << 32);
        let root = random.below(setting.processes as u64) as usize;
        let graph = of.graph();
        let degree = of.root_degree.unwrap_or_else(|| graph.draw_degree(&mut random)).min(graph.ends());
        let explored = graph.levels(&of.constants, degree, Some(&mut random));
        Search {
            of: of.clone(),
            setting,
            random,
            root,
            root_degree: degree,
            explored,
            stage: None,
            begun: 0,
            level_begun: 0,
            answered: 0,
            messages: 0,
            levels: Vec::new(),
        }
    }

    /// Whether all levels are over.
    pub fn is_over(&self) -> bool {
        self.levels.len() == self.explored.len()
    }

    /// What the processes do in the next stage.
    fn begin_stage(&mut self, stage: Stage) -> Vec<Process> {
        self.stage = Some(stage);
        let (processes, root) = (self.setting.processes, self.root);
        let signals = |signals| vec![Process { signals, ..Process::new() }; processes];
        match stage {
            Stage::Queries => self.begin_level(),
            Stage::Reduction => signals(Signals::To(root)),
            Stage::Broadcast => {
                let mut all = signals(Signals::Nothing);
                all[root].signals = Signals::Others;
                all
            }
        }
    }

    /// Queries of a level, joined in messages. At the first level, only the process of the root has some.
    fn begin_level(&mut self) -> Vec<Process> {
        let n = self.setting.processes;
        let (level, share) = (self.levels.len(), (n as f64 - 1.0) / n as f64);
        let explored = self.explored[level];
        let of_one = if level == 0 { explored * share } else { queries(explored, n) };
        let mean = messages(of_one, self.of.coalescing, n);
        let whole = mean.floor();
        let answer = if mean > 0.0 { (self.of.query_cycles * of_one / mean).ceil() as u64 } else { 0 };
        self.messages = 0;
        let process = |node| {
            let sends = level > 0 || node == self.root;
            let one_more = u64::from(self.random.happens(Chance::new(mean - whole)));
            let messages = if sends { whole as u64 + one_more } else { 0 };
            self.messages += messages;
            Process { messages, signals: Signals::Others, answer, ..Process::new() }
        };
        (0..n).map(process).collect()
    }

    /// A stage is over in a cycle of the run. Gives what the processes do next; nothing after the last level.
    fn end_stage(&mut self, cycle: u64) -> Vec<Process> {
        match self.stage {
            None => {
                (self.begun, self.level_begun) = (cycle, cycle);
                self.begin_stage(Stage::Queries)
            }
            Some(Stage::Queries) => {
                self.answered = cycle;
                self.begin_stage(Stage::Reduction)
            }
            Some(Stage::Reduction) => self.begin_stage(Stage::Broadcast),
            Some(Stage::Broadcast) => {
                self.levels.push(Graph500LevelReport {
                    explored: self.explored[self.levels.len()],
                    messages: self.messages,
                    begun: self.level_begun,
                    query_cycles: self.answered - self.level_begun,
                    cycles: cycle - self.level_begun,
                });
                self.level_begun = cycle;
                if self.is_over() {
                    return Vec::new();
                }
                self.begin_stage(Stage::Queries)
            }
        }
    }

    /// What it came to, up to a cycle of the run.
    fn report(&self, cycle: u64) -> Graph500Report {
        let end = if self.is_over() { self.level_begun } else { cycle };
        let (cycles, n) = (end - self.begun.min(end), self.setting.processes);
        let messages: u64 = self.levels.iter().map(|level| level.messages).sum();
        let flits = messages as f64 * self.setting.message as f64;
        Graph500Report {
            processes: n,
            root: self.root,
            root_degree: self.root_degree,
            is_over: self.is_over(),
            cycles,
            usage: flits / (cycles.max(1) as f64 * n as f64),
            levels: self.levels.clone(),
        }
    }
}

impl<D: Device> Network<D> {
    /// Whether a search is under way.
    pub(super) fn is_searching(&self) -> bool {
        self.search.as_ref().is_some_and(|search| !search.is_over())
    }

    /// Whether a search was the traffic, and is over.
    pub(super) fn has_searched(&self) -> bool {
        self.search.as_ref().is_some_and(Search::is_over)
    }

    /// Begins the next stage of the search, if one is over.
    pub(super) fn note_search(&mut self) {
        let now = self.now;
        let is_due = self.is_searching() && self.generating && self.terminals().all(|node| node.has_searched(now));
        if !is_due || self.scoreboard.under_way() > 0 || self.terminals().any(|node| !node.is_idle()) {
            return;
        }
        let cycle = self.of_run(now);
        let Some(search) = &mut self.search else { return };
        let mut processes = search.end_stage(cycle).into_iter().map(Some).collect::<Vec<_>>();
        for terminal in self.stations.iter_mut().flat_map(|station| &mut station.terminals) {
            if let Some(process) = processes.get_mut(terminal.number()).and_then(Option::take) {
                terminal.search(process);
            }
        }
    }

    /// The search so far, if there is one.
    pub(super) fn graph500(&self) -> Option<Graph500Report> {
        self.search.as_ref().map(|search| search.report(self.of_run(self.now)))
    }
}
