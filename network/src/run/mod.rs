//! What a run is asked to do: by a network file, or by a program.

mod barrier_timers;
mod caches;
mod demand;
mod graph500;
mod matrix;
mod packets;
mod patterns;
mod traffic;

pub use barrier_timers::BarrierTimers;
pub use caches::Caches;
pub(crate) use demand::is_weight;
pub use graph500::Graph500Traffic;
pub use matrix::{Flow, Matrix};
pub use traffic::{Part, Phase, Traffic};

use crate::barrier::packets as barrier_packets;
use crate::blueprint::Blueprint;
use crate::multicast::{LoadMessages, Selection};
use crate::placement::dragonfly::LONGEST_LINK;
use railyard_bench::traffic::{IdentityFormat, NodeTrace, Pattern};
use railyard_input::Fault;
use railyard_spec::{FlowControl, Shape};
use std::sync::Arc;

/// What a run does.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Traffic of the nodes.
    pub traffic: Traffic,
    /// Packets of the nodes from a file, in place of that traffic.
    pub packets: Option<Arc<NodeTrace>>,
    /// Cycles from one end of a link to the other, node links too.
    pub link_latency: u64,
    /// Cycles from a CAM request to its answer.
    pub cam_latency: u64,
    /// What the routing caches hold at the start.
    pub caches: Caches,
    /// How the root of a multicast packet is selected.
    pub selection: Selection,
    /// When load messages are sent.
    pub messages: LoadMessages,
    /// Share of credit reports that get lost, on all links, in both directions (absolute credits).
    pub lost_credits: f64,
    /// Share of the other credit reports of which a link flips the highest bit, so that it is no possible total.
    pub corrupt_credits: f64,
    /// Chance in a cycle that a node that waits at no barrier of a group arrives at its next one; 0: no barriers, 1:
    /// back to back.
    pub barriers: f64,
    /// The VC on which barrier messages travel as packets among others, in a network of
    /// [`PacketBarrierSwitch`](crate::barrier::PacketBarrierSwitch)es; none: on the barrier VC.
    pub barrier_packets: Option<u8>,
    /// Time-outs of barriers.
    pub barrier_timers: BarrierTimers,
    /// Share of messages, of barriers and between routers, that get lost on a link, on all links, in both directions.
    pub lost_messages: f64,
    /// Share of the other messages of which a link flips a bit.
    pub corrupt_messages: f64,
    /// Seed of all that is random.
    pub seed: u64,
}

impl Default for Run {
    fn default() -> Run {
        Run {
            traffic: Traffic::default(),
            packets: None,
            link_latency: 1,
            cam_latency: 25,
            caches: Caches::default(),
            selection: Selection::default(),
            messages: LoadMessages::default(),
            lost_credits: 0.0,
            corrupt_credits: 0.0,
            barriers: 0.0,
            barrier_packets: None,
            barrier_timers: BarrierTimers::default(),
            lost_messages: 0.0,
            corrupt_messages: 0.0,
            seed: 1,
        }
    }
}

impl Run {
    /// A search is all the traffic.
    fn check_search(&self, nodes: usize) -> Result<(), RunError> {
        let Some(search) = &self.traffic.graph500 else { return Ok(()) };
        let alone = Traffic { graph500: Some(search.clone()), length: self.traffic.length, ..Traffic::default() };
        if self.traffic != alone {
            let rule = "stands beside other traffic, and is all of it";
            return RunError::of("/traffic/graph500", "a search", rule, "leave the others out");
        }
        graph500::check(search, nodes)
    }

    /// Whether a network can be run so.
    ///
    /// # Errors
    /// The first reason why not.
    pub fn check(&self, blueprint: &Blueprint) -> Result<(), RunError> {
        let shape = &blueprint.plan.shape;
        self.check_length(shape, blueprint.wiring.nodes().len())?;
        self.check_faults(shape)?;
        self.check_ages(blueprint)?;
        self.check_replies(shape)?;
        patterns::check(&self.traffic, &blueprint.wiring)?;
        self.check_search(blueprint.wiring.nodes().len())?;
        demand::check(&self.traffic, blueprint.wiring.nodes().len())?;
        if self.caches == Caches::Warm && shape.table().is_none_or(|table| table.cache.is_none()) {
            return RunError::of("/caches", "\"warm\"", "needs switches with routing caches", "\"cold\"");
        }
        let share = self.traffic.multicast_share();
        if share > 0.0 && blueprint.groups.is_empty() {
            let (path, value, legal) = match self.traffic.pattern {
                Pattern::Multicast => ("/traffic/pattern", "\"multicast\"".into(), "\"uniform\""),
                _ => ("/traffic/multicast", share.to_string(), "0"),
            };
            return RunError::of(path, value, "needs multicast groups", legal);
        }
        if self.barriers > 0.0 && (shape.barrier.is_none() || blueprint.barriers.is_empty()) {
            let rule = "needs a switch with a barrier virtual channel, and barrier groups";
            return RunError::of("/barriers/rate", self.barriers, rule, "0");
        }
        match self.barrier_packets {
            Some(vc) => barrier_packets::check(vc, self.length(shape), shape, &blueprint.wiring)
                .or_else(|rule| RunError::of("/barriers/packets", vc, rule, "leave it out")),
            None => Ok(()),
        }
    }

    /// Flits of a packet.
    pub(crate) fn length(&self, shape: &Shape) -> u32 {
        self.traffic.length.unwrap_or(shape.max_flits)
    }

    /// The same run, in which nodes send packets from a file and nothing else.
    pub fn replay(self, packets: impl Into<Arc<NodeTrace>>) -> Run {
        let traffic = Traffic { load: 0.0, ..Traffic::default() };
        Run { traffic, packets: Some(packets.into()), ..self }
    }

    fn check_length(&self, shape: &Shape, nodes: usize) -> Result<(), RunError> {
        let (shortest, longest) = (IdentityFormat::new(shape, nodes).shortest(), shape.max_flits);
        if shortest > longest {
            let rule = format!("are too short: header, source and number need {shortest}");
            let legal = format!("a switch with `packet.max_flits` of {shortest} or more");
            return RunError::of("/switch", format!("packets of {longest} flits"), rule, legal);
        }
        let length = self.length(shape);
        if (shortest..=longest).contains(&length) {
            return Ok(());
        }
        let rule = format!("must be {shortest} (header, source and number of a packet) to {longest} flits");
        RunError::of("/traffic/length", length, rule, longest.to_string())
    }

    /// Places for replies need replies that are a class of packets.
    fn check_replies(&self, shape: &Shape) -> Result<(), RunError> {
        match self.traffic.reply_places {
            Some(places) if self.traffic.reply_places(shape).is_none() => {
                let rule = "needs `traffic.replies`, and a switch with `routing.vcs.replies`";
                RunError::of("/traffic/reply_places", places, rule, "leave it out")
            }
            _ => Ok(()),
        }
    }

    /// Packets age on links by no more than a register holds.
    fn check_ages(&self, blueprint: &Blueprint) -> Result<(), RunError> {
        let has_ages = blueprint.plan.shape.dragonfly().is_some_and(|built| built.age_bits.is_some());
        let longest = blueprint.wiring.longest_latency(self.link_latency);
        if !has_ages || longest <= LONGEST_LINK {
            return Ok(());
        }
        let path = if self.link_latency > LONGEST_LINK { "/link_latency" } else { "/topology/latency" };
        let rule =
            format!("must be at most {LONGEST_LINK} cycles with `age_bits`: the register `link_delay` holds one more");
        RunError::of(path, longest, rule, LONGEST_LINK.to_string())
    }

    /// Faults that have nothing to happen to.
    fn check_faults(&self, shape: &Shape) -> Result<(), RunError> {
        let is_relative = shape.flow_control == FlowControl::Relative;
        let credits = "needs absolute credits, of which the next report makes a lost one good";
        let is_silent = shape.control_vc().is_none();
        let messages = "needs a switch with messages, of barriers or between routers";
        let shares = [
            ("/faults/lost_credits", self.lost_credits, is_relative, credits),
            ("/faults/corrupt_credits", self.corrupt_credits, is_relative, credits),
            ("/faults/lost_messages", self.lost_messages, is_silent, messages),
            ("/faults/corrupt_messages", self.corrupt_messages, is_silent, messages),
        ];
        match shares.into_iter().find(|(_, share, is_idle, _)| *is_idle && *share > 0.0) {
            Some((path, share, _, rule)) => RunError::of(path, share, rule, "0"),
            None => Ok(()),
        }
    }
}

/// A run does not fit the network: a JSON pointer, the value, the rule, and what would be legal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {value} {rule}")]
pub struct RunError {
    /// The field.
    pub path: &'static str,
    /// Its value.
    pub value: String,
    /// The rule that it breaks.
    pub rule: String,
    /// A value that would do.
    pub legal: String,
}

impl RunError {
    pub(crate) fn of<T>(
        path: &'static str,
        value: impl ToString,
        rule: impl Into<String>,
        legal: impl Into<String>,
    ) -> Result<T, RunError> {
        Err(RunError { path, value: value.to_string(), rule: rule.into(), legal: legal.into() })
    }

    /// The same as a fault of the network file.
    pub fn fault(&self) -> Fault {
        let RunError { path, value, rule, legal } = self.clone();
        Fault { path: path.into(), value, rule, legal }
    }
}
