//! A switch with all that stands around it: the ends of its links, its nodes, its CAM, and what writes its registers.

use super::credit_links::{CreditCounts, CreditLinks};
use super::exchange::{Lane, Part, Pictures, Snapshot};
use super::feed::Feed;
use super::link_faults::LinkFaults;
use super::messages::{MessageCounts, MessageLinks, Repeats};
use super::queues::Queues;
use super::setting::Setting;
use super::terminal::{Events, FlitCounts, Terminal};
use crate::device::Device;
use crate::tables::Hop;
use railyard_bench::endpoint::{ApbMaster, Cam, CamResponder};
use railyard_bench::random::Random;
use railyard_bench::upsets::Upsets;
use railyard_model::route::dragonfly::hop_counts::HopCounts;
use railyard_model::{bits::ones, Apb, Inputs};
use railyard_spec::barrier::Message;
use railyard_spec::misrouting::PortKind;
use railyard_spec::{Route, Shape};
use std::collections::VecDeque;

/// After so many cycles at rest, outputs do not change either: the first may still take something off them.
const CALM: u8 = 2;

/// A switch and its surroundings.
#[derive(Clone, Debug)]
pub struct Station<D> {
    device: D,
    number: usize,
    pins: Inputs,
    /// By port.
    pub(super) feeds: Vec<Feed>,
    pub(super) terminals: Vec<Terminal>,
    /// What the links did in the cycle that was last: those that end at the ports, and those that end at the nodes.
    pub(super) port_faults: Vec<LinkFaults>,
    pub(super) node_faults: Vec<LinkFaults>,
    cam: CamResponder,
    /// Wrong bits in the memories of the switch, if any are drawn.
    upsets: Option<Upsets>,
    /// Register accesses to come: their setup phases.
    accesses: VecDeque<Apb>,
    master: ApbMaster<()>,
    /// What was read.
    answers: Vec<u32>,
    /// Credit reports on the links that end at the switch or its nodes, and the ports at which the switch got a
    /// corrupted one, as a mask.
    credit_links: CreditLinks,
    corrupted: u64,
    /// Messages on the links that end at the switch or its nodes, and barrier messages that the switch sends again.
    message_links: MessageLinks,
    repeats: Repeats,
    /// What happened in the cycle that is under way.
    events: Events,
    /// What happened in the cycles that were made in a row, and those in which something did, as a mask.
    pub(super) row: Vec<Events>,
    pub(super) eventful: u64,
    complained: bool,
    /// Cycles, up to [`CALM`], in which nothing came to the pins of the switch and it was at rest after each.
    calm: u8,
    /// Flits that did not get here over a broken link, by port.
    lost: Vec<u64>,
    /// Flits that left, and cycles, since the last load message.
    sent: u64,
    cycles: u64,
    /// Flits that left by each port and VC since the warm-up.
    flits: Vec<u64>,
    vcs: usize,
    /// Flits that nodes sent since the warm-up.
    injected: u64,
    /// Hops before the end of the warm-up.
    earlier_hops: HopCounts,
    /// Flits of each node since the warm-up.
    node_counts: Vec<FlitCounts>,
    /// What waited since the warm-up, if that is kept.
    queues: Option<Queues>,
    /// Lookups that hit and that missed in the routing caches since they were asked for.
    cached: (u64, u64),
}

impl<D: Device> Station<D> {
    /// Switch `number`, with a CAM of that latency; `seed` is for what links do to credit reports and barrier messages.
    pub fn new(
        device: D,
        number: usize,
        feeds: Vec<Feed>,
        terminals: Vec<Terminal>,
        cam_latency: u64,
        seed: u64,
    ) -> Station<D> {
        let cam = Cam { latency_min: cam_latency, latency_max: cam_latency, ..Cam::default() };
        Station {
            pins: Inputs::new(device.shape()),
            vcs: all_vcs(device.shape()),
            flits: vec![0; feeds.len() * all_vcs(device.shape())],
            device,
            number,
            port_faults: vec![LinkFaults::default(); feeds.len()],
            node_faults: vec![LinkFaults::default(); terminals.len()],
            lost: vec![0; feeds.len()],
            injected: 0,
            earlier_hops: HopCounts::default(),
            node_counts: vec![FlitCounts::default(); terminals.len()],
            queues: None,
            cached: (0, 0),
            feeds,
            terminals,
            cam: CamResponder::new(&cam, seed),
            upsets: None,
            accesses: VecDeque::new(),
            master: ApbMaster::default(),
            answers: Vec::new(),
            credit_links: CreditLinks::new(Random::new(seed, 1 << 32 | number as u64)),
            corrupted: 0,
            message_links: MessageLinks::new(Random::new(seed, 3 << 32 | number as u64)),
            repeats: Repeats::default(),
            events: Events::default(),
            row: Vec::new(),
            eventful: 0,
            complained: false,
            calm: 0,
            sent: 0,
            cycles: 0,
        }
    }

    /// Bits in the memories of the switch are inverted from now on, where packets don't suffer from it.
    pub fn upset(&mut self, seed: u64) {
        self.upsets = Upsets::harmless(self.device.shape(), Random::new(seed, 5 << 32 | self.number as u64));
    }

    /// The switch's number.
    pub fn number(&self) -> usize {
        self.number
    }

    /// What went in at its pins in the cycle that was last.
    pub fn inputs(&self) -> &Inputs {
        &self.pins
    }

    /// The switch.
    pub fn device(&self) -> &D {
        &self.device
    }

    /// Whether the switch does nothing for as long as nothing comes to it.
    pub fn is_at_rest(&self) -> bool {
        self.device.is_at_rest() && self.cam.is_idle() && self.is_programmed()
    }

    /// Goes on by so many cycles at rest.
    pub fn rest(&mut self, cycles: u64) {
        self.device.rest(cycles);
        self.cycles += cycles;
    }

    /// Registers to write, one every two cycles.
    pub fn program(&mut self, writes: impl IntoIterator<Item = (u32, u32)>) {
        self.accesses.extend(writes.into_iter().map(|(address, value)| ApbMaster::<()>::write(address, value)));
    }

    /// Registers to read, one every two cycles.
    pub fn query(&mut self, addresses: impl IntoIterator<Item = u32>) {
        self.accesses.extend(addresses.into_iter().map(ApbMaster::<()>::read));
    }

    /// What was read since the last call, in order.
    pub fn take_answers(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.answers)
    }

    /// Register accesses to come.
    pub fn accesses(&self) -> usize {
        self.accesses.len()
    }

    /// Whether all register accesses are over.
    pub fn is_programmed(&self) -> bool {
        self.accesses.is_empty() && self.master.transfer().is_none()
    }

    /// All barrier groups are set up anew.
    pub fn restart_barriers(&mut self, setting: &Setting) {
        self.repeats.restart();
        self.terminals.iter_mut().for_each(|terminal| terminal.restart_barriers(setting));
    }

    /// What happened to barrier messages of the switch and its nodes since the last call.
    pub fn take_message_counts(&mut self) -> MessageCounts {
        let mut counts = self.repeats.take_counts();
        counts += self.message_links.take_counts();
        self.terminals.iter_mut().for_each(|terminal| counts += terminal.take_message_counts());
        counts
    }

    /// What happened to credit reports on the links that end here since the last call.
    pub fn take_credit_counts(&mut self) -> CreditCounts {
        self.credit_links.take_counts()
    }

    /// Leaves a route in the routing cache of a port, as a lookup does.
    pub fn warm_cache(&mut self, port: usize, address: u64, hop: Hop) -> Option<bool> {
        self.device.warm_cache(port, address, hop)
    }

    /// Lookups that hit and that missed in the routing caches since the last call.
    pub fn take_lookups(&mut self) -> (u64, u64) {
        std::mem::take(&mut self.cached)
    }

    /// Flits that left by a port since the last call of [`Station::forget_flits`].
    pub fn flits(&self, port: usize) -> u64 {
        self.flits_by_vc(port).iter().sum()
    }

    /// The same by VC.
    pub fn flits_by_vc(&self, port: usize) -> &[u64] {
        &self.flits[port * self.vcs..(port + 1) * self.vcs]
    }

    /// Flits of packets that left by ports to other switches since then.
    pub fn carried(&self) -> u64 {
        let ports = (0..self.feeds.len()).filter(|&port| !matches!(self.feeds[port], Feed::Terminal(_)));
        ports.map(|port| self.flits_by_vc(port)[..self.device.shape().vcs].iter().sum::<u64>()).sum()
    }

    /// Messages to other routers that left since then by ports with a local link, and how many such links work; none
    /// of a switch without such messages. (Barrier messages on these links are among them.)
    pub fn router_messages(&self) -> Option<[u64; 2]> {
        let shape = self.device.shape();
        let (Some(built), true) = (shape.dragonfly(), shape.router_messages().is_some()) else { return None };
        let is_local =
            |port: &usize| built.kind(*port) == PortKind::Local && matches!(self.feeds[*port], Feed::Lane(_));
        let ports = || (0..self.feeds.len()).filter(is_local);
        Some([ports().map(|port| self.flits_by_vc(port)[shape.vcs]).sum(), ports().count() as u64])
    }

    /// Flits that its nodes sent since the last call of [`Station::forget_flits`].
    pub fn injected(&self) -> u64 {
        self.node_counts.iter().map(|counts| counts.sent).sum()
    }

    /// Flits of the node at a port since then; none without a node.
    pub fn node_counts(&self, port: usize) -> Option<FlitCounts> {
        match self.feeds[port] {
            Feed::Terminal(terminal) => Some(self.node_counts[terminal]),
            Feed::Nothing | Feed::Lane(_) | Feed::Broken(_) => None,
        }
    }

    /// Keeps what waits in each cycle from now on.
    pub fn keep_queues(&mut self) {
        self.queues = Some(Queues::new(self.feeds.len(), self.device.shape().vcs));
    }

    /// What waited since the last call of [`Station::forget_flits`], if it was kept.
    pub fn queues(&self) -> Option<&Queues> {
        self.queues.as_ref()
    }

    /// The warm-up is over.
    pub fn forget_flits(&mut self) {
        self.flits.fill(0);
        self.injected = 0;
        self.earlier_hops = self.device.hops().unwrap_or_default();
        self.node_counts.fill(FlitCounts::default());
        self.queues.iter_mut().for_each(Queues::forget);
    }

    /// Hops of the switch since the last call of [`Station::forget_flits`].
    pub fn hops(&self) -> Option<HopCounts> {
        self.device.hops().map(|hops| hops.since(self.earlier_hops))
    }

    /// Flits of its nodes since the last call.
    pub fn take_node_counts(&mut self) -> FlitCounts {
        let mut sum = FlitCounts::default();
        for (terminal, all) in self.terminals.iter_mut().zip(&mut self.node_counts) {
            let counts = terminal.take_counts();
            *all += counts;
            sum += counts;
        }
        sum
    }

    /// The node at a port of the switch answers another one.
    pub fn answer(&mut self, now: u64, port: usize, to: usize, setting: &Setting) {
        if let Feed::Terminal(terminal) = self.feeds[port] {
            self.terminals[terminal].answer(now, to, setting);
        }
    }

    /// The link that ends at a port breaks: nothing comes out of it any more.
    pub fn break_link(&mut self, port: usize) {
        if let Feed::Lane(lane) = self.feeds[port] {
            self.feeds[port] = Feed::Broken(lane);
        }
    }

    /// Flits that did not get to a port because its link is broken.
    pub fn lost(&self, port: usize) -> u64 {
        self.lost[port]
    }

    /// Ports with a link that works, or a node, as a mask.
    pub fn wired(&self) -> u64 {
        let works = |feed: &Feed| matches!(feed, Feed::Lane(_) | Feed::Terminal(_));
        let wired = self.feeds.iter().enumerate().filter(|(_, feed)| works(feed));
        wired.fold(0, |mask, (port, _)| mask | 1 << port)
    }

    /// Some cycles in a row from cycle `first` on, with the pictures of those before. What leaves in each goes into its
    /// part of a picture, to be seen from the next cycle on.
    pub fn run(&mut self, first: u64, parts: &mut [Part<'_>], pictures: &Pictures, setting: &Setting) {
        self.row.resize_with(self.row.len().max(parts.len()), Events::default);
        self.eventful = 0;
        for (i, part) in parts.iter_mut().enumerate() {
            self.step(first + i as u64, pictures, setting);
            if !self.events.is_empty() {
                self.eventful |= 1 << i;
                std::mem::swap(&mut self.events, &mut self.row[i]);
                self.events.clear();
            }
            self.show(part, setting);
        }
    }

    fn step(&mut self, now: u64, pictures: &Pictures, setting: &Setting) {
        self.pins.idle();
        let place = pictures.place(now);
        let (mut age, mut picture) = (setting.shortest, pictures.before(place, setting.shortest));
        for (port, &latency) in setting.latencies_of(self.number).iter().enumerate() {
            if latency != age {
                (age, picture) = (latency, pictures.before(place, latency));
            }
            match self.feeds[port] {
                Feed::Nothing => {}
                Feed::Broken(lane) => self.lost[port] += u64::from(picture.lanes[lane].valid),
                Feed::Lane(lane) if picture.lanes[lane].is_idle() && !setting.links_act => {}
                Feed::Lane(lane) if picture.lanes[lane].is_idle() && !setting.repeats_credits => {
                    self.port_faults[port] = LinkFaults::default();
                }
                Feed::Lane(lane) => self.feed_from_link(now, port, lane, picture, setting),
                Feed::Terminal(terminal) => self.feed_from_node(now, port, terminal, picture, setting),
            }
        }
        if setting.has_cam {
            self.look_up(now, setting);
        }
        self.access_register();
        let is_idle = self.pins.is_idle();
        if is_idle && self.calm == CALM {
            self.rest(1);
            return;
        }
        if let Some(upsets) = &mut self.upsets {
            upsets.act(&mut self.pins);
        }
        self.device.step(&self.pins);
        if let Some(queues) = &mut self.queues {
            queues.see(&self.device, |port| match self.feeds[port] {
                Feed::Terminal(terminal) => self.terminals[terminal].queued(),
                Feed::Nothing | Feed::Lane(_) | Feed::Broken(_) => 0,
            });
        }
        self.calm = if is_idle && self.device.is_at_rest() { self.calm + 1 } else { 0 };
        self.watch(setting);
    }

    fn feed_from_link(&mut self, now: u64, port: usize, lane: usize, picture: &Snapshot, setting: &Setting) {
        let vcs = setting.sizes.vcs;
        let faults = self.suffer(now, port, picture.lanes[lane], setting);
        self.port_faults[port] = faults;
        let credits = &picture.credits[lane * vcs..(lane + 1) * vcs];
        if setting.sizes.has_min_credits {
            let totals = &picture.min_credits[lane * vcs..(lane + 1) * vcs];
            totals.iter().enumerate().for_each(|(vc, &total)| self.pins.min_credit(port * vcs + vc, total));
        }
        let (lane, flit) = (picture.lanes[lane], picture.flit(lane, setting.sizes));
        self.corrupted |= u64::from(faults.credits_flipped != 0) << port;
        arrive(&mut self.pins, port, lane, flit, credits, faults, setting);
    }

    fn feed_from_node(&mut self, now: u64, port: usize, terminal: usize, picture: &Snapshot, setting: &Setting) {
        let sizes = setting.sizes;
        let own = self.number * sizes.ports + port;
        let mut lane = picture.lanes[own];
        let faults = self.suffer(now, port, lane, setting);
        self.node_faults[terminal] = faults;
        lane.reports = faults.reports(lane.reports, sizes.vcs);
        let credits = &picture.credits[own * sizes.vcs..(own + 1) * sizes.vcs];
        let flit = picture.flit(own, sizes);
        let node = &mut self.terminals[terminal];
        let impossible = node.read_credits(lane.reports, credits, faults, setting.shape().credit_bits);
        if impossible & !faults.credits_flipped != 0 {
            let what = format!("gives node {} credit for flits that were never sent", node.number());
            self.complain(&what);
        }
        let node = &mut self.terminals[terminal];
        if lane.valid && setting.barriers_on(lane.vc).is_some() {
            lane.valid = false;
            if !faults.message_lost {
                node.hear(now, faults.word(flit[0]), setting, &mut self.events);
            }
        }
        node.step(now, lane, flit, setting, &mut self.events);
        let lane = node.driven().lane;
        let faults = self.suffer(now, port, lane, setting);
        self.port_faults[port] = faults;
        self.corrupted |= u64::from(faults.credits_flipped != 0) << port;
        if !lane.is_idle() || setting.links_act {
            let drive = self.terminals[terminal].driven();
            arrive(&mut self.pins, port, lane, &drive.flit, &drive.credits, faults, setting);
        }
    }

    /// What a link does to what comes out of it.
    #[inline]
    fn suffer(&mut self, now: u64, port: usize, lane: Lane, setting: &Setting) -> LinkFaults {
        if setting.links_act {
            self.suffer_faults(now, port, lane, setting)
        } else {
            LinkFaults::default()
        }
    }

    fn suffer_faults(&mut self, now: u64, port: usize, lane: Lane, setting: &Setting) -> LinkFaults {
        let mut faults = LinkFaults::default();
        if let (true, Some(shares)) = (lane.valid, setting.message_faults_on(lane.vc)) {
            self.message_links.carry(shares, &mut faults);
        }
        self.credit_links.carry(now, port, lane, setting, &mut faults);
        faults
    }

    /// The CAM: every request is accepted, and answered in order from the tables.
    fn look_up(&mut self, now: u64, setting: &Setting) {
        self.cam.offer(now, &mut self.pins);
        self.cam.accept(now, self.device.outputs(), &self.pins);
        self.cam.collect(now);
        let (tables, number) = (&setting.blueprint.tables, self.number);
        self.cam.answer(&mut self.pins, |address| {
            let hop = (address < tables.nodes() as u64).then(|| tables.hop(number, address as usize)).flatten()?;
            Some(Route { port: hop.port as u8, next_vc: hop.vc.map(|vc| vc as u8), ..Route::default() })
        });
    }

    fn access_register(&mut self) {
        match self.master.finish(&mut self.pins) {
            Some((setup, ())) => {
                let outputs = self.device.outputs();
                if !setup.pwrite {
                    self.answers.push(outputs.apb_prdata);
                }
                if outputs.apb_pslverr {
                    self.complain("refuses a register access");
                }
            }
            None => {
                let next = self.accesses.pop_front();
                next.into_iter().for_each(|setup| self.master.begin(setup, (), &mut self.pins));
            }
        }
    }

    fn watch(&mut self, setting: &Setting) {
        let outputs = self.device.outputs();
        if let Some(barriers) = &setting.barriers {
            for port in ones(outputs.tx_valid).filter(|&port| outputs.tx_vc[port] == barriers.vc) {
                let message = Message::decode(outputs.tx_flit[port * setting.sizes.words]);
                message.into_iter().for_each(|message| self.repeats.see(message));
            }
        }
        self.cycles += 1;
        self.sent += u64::from(outputs.tx_valid.count_ones());
        for port in ones(outputs.tx_valid) {
            self.flits[port * self.vcs + outputs.tx_vc[port] as usize] += 1;
        }
        self.cached.0 += u64::from(outputs.lookup_hit.count_ones());
        self.cached.1 += u64::from(outputs.lookup_miss.count_ones());
        let flags = [
            outputs.error_vc,
            outputs.error_framing,
            outputs.error_overflow,
            outputs.error_length,
            outputs.error_credit & !self.corrupted,
        ];
        if flags.iter().fold(0, |any, flag| any | flag) != 0 || outputs.error_cam {
            self.complain("raises an error flag");
        } else if outputs.drop_valid.any() {
            self.complain("drops a packet");
        }
        if let Some(fault) = self.device.fault() {
            self.complain(&fault);
        }
    }

    fn complain(&mut self, what: &str) {
        if !std::mem::replace(&mut self.complained, true) {
            self.events.complaint = Some(format!("switch {} {what}", self.number));
        }
    }

    /// Share of its wired links that were busy since the last call.
    pub fn take_load(&mut self) -> f64 {
        let links = u64::from(self.wired().count_ones());
        let (sent, cycles) = (std::mem::take(&mut self.sent), std::mem::take(&mut self.cycles));
        sent as f64 / (cycles * links).max(1) as f64
    }

    /// What is not as at the start although all traffic is over.
    pub fn left_over(&self) -> Option<String> {
        let of_node = self.terminals.iter().filter_map(Terminal::missing_credit);
        let of_switch = self.device.left_over(self.wired()).map(|what| format!("switch {}: {what}", self.number));
        let (flagged, corrupted) = (self.device.outputs().error_credit, self.corrupted);
        let unseen = (flagged != corrupted).then(|| {
            format!("switch {}: error_credit is {flagged:#x} after corrupted reports at {corrupted:#x}", self.number)
        });
        of_node.chain(of_switch).chain(unseen).next()
    }

    /// Puts what is at the switch's outputs now into its part of a picture.
    pub fn show(&self, part: &mut Part<'_>, setting: &Setting) {
        part.show(self.device.outputs(), setting.sizes);
    }
}

/// VCs of a link, with that of messages behind the others.
fn all_vcs(shape: &Shape) -> usize {
    shape.vcs + usize::from(shape.control_vc().is_some())
}

/// What comes out of the link that ends at a port.
#[inline]
fn arrive(
    pins: &mut Inputs,
    port: usize,
    lane: Lane,
    flit: &[u32],
    credits: &[u16],
    faults: LinkFaults,
    setting: &Setting,
) {
    if lane.valid && !faults.message_lost {
        pins.receive(port, lane.vc, lane.head, lane.tail, flit);
        pins.rx_bad = pins.rx_bad & !(1 << port) | u64::from(lane.bad) << port;
        pins.rx_flit[port * flit.len()] = faults.word(flit[0]);
    }
    for vc in ones(u64::from(faults.reports(lane.reports, credits.len()))) {
        let credit = faults.credit(vc, credits[vc], setting.shape().credit_bits);
        pins.credit(port * credits.len() + vc, credit);
    }
}
