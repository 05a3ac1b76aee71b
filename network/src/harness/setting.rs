//! What all stations share and none changes within a cycle.

use super::ages::Ages;
use super::barriers::BarrierRun;
use super::destinations::mixture;
use super::exchange::PartSizes;
use super::graph500::ProcessSetting;
use super::headers::Headers;
use super::messages::MessageFaults;
use super::order::PacketOrder;
use super::target::Destination;
use crate::adaptive::NodeVcs;
use crate::blueprint::{Blueprint, MulticastGroup};
use crate::multicast::{Selection, Selector};
use crate::run::{Graph500Traffic, Run, RunError};
use crate::wiring::{Port, Wiring};
use railyard_bench::random::Chance;
use railyard_bench::traffic::{ArrivalProcess, IdentityFormat, Mixture, NodeTrace};
use railyard_spec::Shape;
use std::sync::Arc;

/// Cycles of a header through an idle switch with Dragonfly routing.
const SWITCH: u64 = 5;

/// Cycles of a header through an idle switch, if the parts of latencies can be told: without tables to look up, they
/// are always as many.
pub fn switch_cycles(shape: &Shape) -> Option<u64> {
    shape.dragonfly().map(|_| SWITCH + u64::from(shape.buffer_code.is_some()))
}

/// Blueprint, traffic, faults.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The network, shared with whoever described it.
    pub blueprint: Arc<Blueprint>,
    /// Sizes of a switch.
    pub sizes: PartSizes,
    /// Cycles from one end of the link that ends at each port to the other, by switch and port.
    pub latencies: Vec<u64>,
    /// The longest and the shortest of them.
    pub longest: u64,
    pub shortest: u64,
    /// Cycles from a CAM request to its answer.
    pub cam_latency: u64,
    /// Switches ask a CAM for routes.
    pub has_cam: bool,
    /// Links give all credit totals now and then, since reports get lost.
    pub repeats_credits: bool,
    /// Links do something to what they carry: to credit reports or messages.
    pub links_act: bool,
    /// Somebody holds another realisation against this one: what has no effect on packets is drawn, too.
    pub is_observed: bool,
    /// How packets are made.
    pub format: IdentityFormat,
    /// Where headers have ages, if packets do.
    pub ages: Option<Ages>,
    /// What headers say of destinations.
    headers: Headers,
    /// Length of packets in flits.
    pub length: usize,
    /// Packets of the nodes from a file, if they send such.
    pub packets: Option<Arc<NodeTrace>>,
    /// What the processes of a search share, if nodes run one.
    pub processes: Option<ProcessSetting>,
    /// Cycles from one packet to the next of the node that sends most; none with no load.
    pub arrivals: Option<ArrivalProcess>,
    /// The share of these packets that each node makes; empty: all.
    shares: Vec<Chance>,
    /// Destinations of unicast packets, each from a cycle of the run on.
    phases: Vec<(u64, Mixture)>,
    /// The one that holds.
    phase: usize,
    /// Nodes answer unicast packets.
    pub replies: bool,
    /// Replies that a node holds: it takes a request only if it has a place. None: however many.
    pub reply_places: Option<u32>,
    /// VCs on which nodes send requests and replies, if these are classes of packets.
    node_vcs: Option<NodeVcs>,
    /// Share of multicast packets.
    pub multicast: Chance,
    /// All packets are: nodes in no group send nothing.
    pub only_multicast: bool,
    /// Groups of each node.
    pub groups_of: Vec<Vec<usize>>,
    /// How a tree is selected.
    pub selection: Selection,
    /// The selection at work, for each group.
    pub selectors: Vec<Selector>,
    /// VCs of unicast packets, as a mask.
    pub unicast: u64,
    /// VC of multicast packets, as a mask.
    pub mixed: u64,
    /// Share of credit reports that get lost.
    pub lost_credits: Chance,
    /// Share of the others that are corrupted.
    pub corrupt_credits: Chance,
    /// What links do to messages, if there are any to which they may do something.
    pub message_faults: Option<MessageFaults>,
    /// Barriers, if the nodes run any.
    pub barriers: Option<BarrierRun>,
    /// The VC on which barrier messages are packets, if they are.
    pub barrier_packets: Option<u8>,
}

impl Setting {
    /// Puts a blueprint and a run together.
    ///
    /// # Errors
    /// They don't fit each other.
    pub fn new(blueprint: Arc<Blueprint>, run: &Run) -> Result<Setting, RunError> {
        run.check(&blueprint)?;
        let shape = blueprint.plan.shape.clone();
        let nodes = blueprint.wiring.nodes().len();
        let format = IdentityFormat::new(&shape, nodes);
        let length = run.length(&shape);
        let mut groups_of = vec![Vec::new(); nodes];
        for (number, group) in blueprint.groups.iter().enumerate() {
            group.members.iter().for_each(|&node| groups_of[node].push(number));
        }
        let barriers = BarrierRun::new(&blueprint, run);
        let replies = run.traffic.replies;
        // Each reply is a packet as long as its request.
        let load = if run.traffic.graph500.is_some() { 0.0 } else { run.traffic.load };
        let load = load / if replies { 2.0 } else { 1.0 };
        let weights = run.traffic.weights(nodes);
        let most = weights.iter().copied().reduce(f64::max).unwrap_or(1.0);
        let phases = run.traffic.phases().into_iter();
        let phases = phases.map(|phase| (phase.cycle, mixture(&run.traffic, &phase, &blueprint.wiring, run.seed)));
        let phases = phases.collect();
        let loses_messages = run.lost_messages > 0.0 || run.corrupt_messages > 0.0;
        let sends_messages = barriers.is_some() || loses_messages && shape.router_messages().is_some();
        let message_faults = shape.control_vc().filter(|_| sends_messages).map(|vc| MessageFaults {
            vc: vc as u8,
            lost: Chance::new(run.lost_messages),
            corrupt: Chance::new(run.corrupt_messages),
        });
        let repeats_credits = run.lost_credits > 0.0 || run.corrupt_credits > 0.0;
        let mut setting = Setting {
            sizes: PartSizes::new(&shape),
            longest: blueprint.wiring.longest_latency(run.link_latency),
            shortest: blueprint.wiring.shortest_latency(run.link_latency),
            latencies: latencies(&blueprint.wiring, run.link_latency),
            cam_latency: run.cam_latency,
            has_cam: shape.table().is_some(),
            repeats_credits,
            links_act: repeats_credits || message_faults.is_some(),
            is_observed: false,
            message_faults,
            ages: Ages::new(&shape),
            headers: Headers::new(&blueprint),
            length: length as usize,
            packets: run.packets.clone(),
            processes: None,
            arrivals: ArrivalProcess::new(load * most, f64::from(length), run.traffic.burst),
            shares: weights.iter().map(|weight| Chance::new(weight / most)).collect(),
            phases,
            phase: 0,
            replies,
            reply_places: run.traffic.reply_places(&shape),
            node_vcs: NodeVcs::new(&shape, &blueprint.plan.adaptive),
            multicast: Chance::new(run.traffic.multicast_share()),
            only_multicast: run.traffic.multicast_share() >= 1.0,
            groups_of,
            selection: run.selection,
            selectors: Vec::new(),
            unicast: blueprint.rules.unicast.iter().fold(0, |mask, vc| mask | 1 << vc),
            mixed: blueprint.rules.mixed.map_or(0, |vc| 1 << vc),
            lost_credits: Chance::new(run.lost_credits),
            corrupt_credits: Chance::new(run.corrupt_credits),
            barriers,
            barrier_packets: run.barrier_packets,
            format,
            blueprint,
        };
        setting.processes = run.traffic.graph500.as_ref().map(|search| setting.processes_of(search));
        setting.select_anew();
        Ok(setting)
    }

    /// Destinations of unicast packets.
    #[inline]
    pub fn destinations(&self) -> &Mixture {
        &self.phases[self.phase].1
    }

    /// The share of the packets of [`Setting::arrivals`] that a node makes.
    #[inline]
    pub fn share(&self, node: usize) -> Chance {
        self.shares.get(node).copied().unwrap_or(Chance::ALWAYS)
    }

    /// A cycle of the run begins: destinations may be others from here on.
    #[inline]
    pub fn begin_cycle(&mut self, cycle: u64) {
        while self.phases.get(self.phase + 1).is_some_and(|(from, _)| *from <= cycle) {
            self.phase += 1;
        }
    }

    /// Cycle of the run in which destinations become others.
    pub fn next_change(&self) -> Option<u64> {
        self.phases.get(self.phase + 1).map(|(from, _)| *from)
    }

    /// Cycles from one end of the link that ends at each port of a switch to the other.
    #[inline]
    pub fn latencies_of(&self, switch: usize) -> &[u64] {
        &self.latencies[switch * self.sizes.ports..(switch + 1) * self.sizes.ports]
    }

    /// Cycles of a node's link, and of a head's minimal way to another node with nothing that waits. Tables have that
    /// way.
    pub fn minimal_way(&self, from: usize, to: usize) -> [u64; 2] {
        let latency = |at: Port| self.latencies[at.switch * self.sizes.ports + at.port];
        let (link, switch) = (latency(self.blueprint.wiring.nodes()[from]), switch_cycles(self.shape()).unwrap_or(0));
        [link, self.blueprint.way(from, to).fold(link, |way, leaves| way + switch + latency(leaves))]
    }

    /// The switches' shape.
    pub fn shape(&self) -> &Shape {
        &self.blueprint.plan.shape
    }

    /// Tables and trees are others from now on.
    pub fn lead_by(&mut self, blueprint: Arc<Blueprint>) {
        self.headers = Headers::new(&blueprint);
        self.blueprint = blueprint;
        self.select_anew();
    }

    /// Starts the selection of trees anew, without any load: after the trees were made.
    fn select_anew(&mut self) {
        let groups = self.blueprint.groups.iter().enumerate();
        let selector =
            |(number, group): (usize, &MulticastGroup)| Selector::new(self.selection, group.trees.len(), number);
        self.selectors = groups.map(selector).collect();
    }

    /// The barriers of a run whose barrier VC is this one.
    #[inline]
    pub fn barriers_on(&self, vc: u8) -> Option<&BarrierRun> {
        self.barriers.as_ref().filter(|barriers| barriers.vc == vc)
    }

    /// What happens to messages that come on this VC.
    #[inline]
    pub fn message_faults_on(&self, vc: u8) -> Option<MessageFaults> {
        self.message_faults.filter(|faults| faults.vc == vc)
    }

    /// VCs on which a node may send a packet to another one, as a mask.
    #[inline]
    pub fn sending(&self, source: usize, destination: usize, is_reply: bool) -> u64 {
        let Blueprint { wiring, tables, .. } = &*self.blueprint;
        let of_class = self.node_vcs.map_or(u64::MAX, |vcs| vcs.of(is_reply));
        self.unicast & of_class & tables.sending(wiring.nodes()[source].switch, destination)
    }

    /// What a header says of a packet's target, and whether it is a multicast packet.
    pub fn header(&self, source: usize, target: Destination, is_reply: bool) -> (u64, bool) {
        match target {
            Destination::Group { group, tree } => ((self.blueprint.groups[group].first + tree) as u64, true),
            Destination::Node(node) => (self.headers.of(&self.blueprint, source, node) | self.class(is_reply), false),
        }
    }

    /// The class in a header, where there are classes.
    fn class(&self, is_reply: bool) -> u64 {
        let field = self.shape().dragonfly().and_then(|built| built.header().class);
        field.map_or(0, |field| u64::from(is_reply) << field.low)
    }

    /// Which packets arrive in order.
    pub fn order(&self) -> PacketOrder {
        let has_classes = self.shape().dragonfly().is_some_and(|built| built.reference().has_replies());
        match self.blueprint.keeps_order() {
            true if has_classes => PacketOrder::OfClass,
            true => PacketOrder::All,
            false => PacketOrder::Nothing,
        }
    }

    /// What the processes of a search share, given the flits of the shortest packet.
    fn processes_of(&self, search: &Graph500Traffic) -> ProcessSetting {
        let signal = self.format.shortest() as usize;
        ProcessSetting::new(search, self.blueprint.wiring.nodes().len(), self.length, signal.min(self.length))
    }
}

/// By switch and port; links without a latency of their own have that of others.
fn latencies(wiring: &Wiring, others: u64) -> Vec<u64> {
    let ports = (0..wiring.switches()).flat_map(|switch| (0..wiring.ports()).map(move |port| Port { switch, port }));
    ports.map(|at| wiring.latency(at, others)).collect()
}
