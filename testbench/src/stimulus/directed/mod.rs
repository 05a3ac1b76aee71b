//! Directed phases: traffic, next buffers and CAM together drive the switch to its limits, one after the other and
//! again from the start.
//!
//! Each phase ends by what is seen, not after a number of cycles, so that it fits buffers of any depth: when nothing
//! can be sent any more, when all is empty, when the totals of credits have passed their range.

mod corners;
mod effort;
mod source;

pub use corners::Corners;
pub use effort::Effort;
pub use source::{AddressChoice, DirectedSource, LengthChoice};

use crate::random::Random;
use effort::PAUSE;
use railyard_bench::endpoint::CamMode;
use railyard_spec::{FlowControl, Shape};

/// What the parts of the stimulus do in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StimulusPhase {
    /// What sources send, without a pause; nothing in a phase that empties the switch.
    pub packets: Option<PhasePackets>,
    /// The next buffers give no credit.
    pub starved: bool,
    /// What the CAM does.
    pub cam: CamMode,
    /// The caches are enabled, where that can be said: without them each packet asks forwarding table or CAM.
    pub cached: bool,
    end: End,
}

/// Packets of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhasePackets {
    /// How long they are.
    pub lengths: LengthChoice,
    /// Where they go.
    pub addresses: AddressChoice,
    /// Half of them are multicast packets, where that is built.
    pub multicast: bool,
    /// To outputs by chance; else each source has an output of its own.
    pub scattered: bool,
    /// Only one source sends.
    pub alone: bool,
}

/// When a phase ends. All end after [`Effort::longest_phase`] cycles at the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// No source has sent anything for so many cycles.
    Stuck(u64),
    /// The same; then a reset in the first turn, if the switch is soon told all again. Later ones would keep counters
    /// from counting far.
    Reset(u64),
    /// The switch is empty, and all credit is home.
    Empty,
    /// Each next buffer has freed more flits than its total counts, or some of them get none.
    Wrapped,
    /// After so many cycles.
    After(u64),
    /// After so many cycles, and a third of those that the turn has taken before.
    Third(u64),
}

/// What is seen of the run, by which phases end.
#[derive(Clone, Copy, Debug)]
pub struct PhaseProgress {
    /// Cycles since a source has sent a flit.
    pub silence: u64,
    /// The switch is empty, and all credit is home.
    pub is_empty: bool,
    /// Fewest flits that a next buffer has freed on a VC, since the last reset.
    pub fewest_freed: u64,
    /// Cycles that the last set-up took.
    pub set_up: u64,
}

/// What the stimulus does between two phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Nothing.
    Nothing,
    /// The caches are enabled, or disabled.
    Caches(bool),
    /// The switch is reset.
    Reset,
    /// It is told of another table and other groups: the next turn begins.
    Change,
}

/// Resets and changes are worth a set-up of so many cycles.
const LONG_SET_UP: u64 = 500;

/// The phases of a run, and which one it is in.
#[derive(Clone, Debug)]
pub struct Directed {
    phases: Vec<StimulusPhase>,
    at: usize,
    /// Cycles in which the turn and this phase began.
    turn: u64,
    since: u64,
    has_begun: bool,
    is_first_turn: bool,
    longest: u64,
    /// Flits that the total of credits counts, and cycles in which they should have left; 0 with relative credits.
    range: u64,
    wrap: u64,
    /// What sources send.
    pub source: DirectedSource,
}

impl Directed {
    /// At the first phase.
    pub fn new(shape: &Shape, among_faults: bool, seed: u64) -> Directed {
        let range = if shape.flow_control == FlowControl::Absolute { 1 << shape.credit_bits } else { 0 };
        Directed {
            phases: phases(shape),
            at: 0,
            turn: 0,
            since: 0,
            has_begun: false,
            is_first_turn: true,
            longest: Effort::new(shape).longest_phase,
            range,
            wrap: PAUSE + 2 * range * shape.vcs as u64,
            source: DirectedSource::new(shape, seed.wrapping_add(among_faults.into()), Random::new(seed, 11)),
        }
    }

    /// The phase of this cycle.
    #[inline]
    pub fn phase(&self) -> &StimulusPhase {
        &self.phases[self.at]
    }

    /// What sources send in cycle `now`. Where caches are disabled first, they wait for that: packets that meet on
    /// their way would share a lookup.
    #[inline]
    pub fn order(&self, now: u64) -> Option<PhasePackets> {
        let (phase, time) = (self.phase(), now - self.since);
        let alone = !phase.cached && time < DISABLING + LEAD;
        phase.packets.filter(|_| phase.cached || time >= DISABLING).map(|order| PhasePackets { alone, ..order })
    }

    /// Goes on to the next phase if this one ends in cycle `now`; gives what is to be done then.
    pub fn step(&mut self, now: u64, seen: &PhaseProgress) -> Between {
        if !std::mem::replace(&mut self.has_begun, true) {
            (self.turn, self.since) = (now, now);
        }
        let (before, time) = (*self.phase(), now - self.since);
        let is_over = match before.end {
            End::Stuck(patience) | End::Reset(patience) => seen.silence.min(time) > patience,
            End::Empty => seen.is_empty,
            End::Wrapped => seen.fewest_freed > self.range && time > PAUSE || time > self.wrap,
            End::After(cycles) => time >= cycles,
            End::Third(cycles) => time >= cycles.max((self.since - self.turn) / 3),
        };
        if !is_over && time < self.longest {
            return Between::Nothing;
        }
        self.at = (self.at + 1) % self.phases.len();
        self.since = now;
        if self.at == 0 {
            self.turn = now;
            self.is_first_turn = false;
        }
        self.source.begin_phase(self.at == 0);
        let is_cheap = seen.set_up <= LONG_SET_UP;
        match before.end {
            End::Reset(_) if is_cheap && self.is_first_turn => Between::Reset,
            _ if self.at == 0 && is_cheap => Between::Change,
            _ if before.cached != self.phase().cached => Between::Caches(!before.cached),
            _ => Between::Nothing,
        }
    }
}

/// Cycles in which a write to a register has taken effect, others being in front.
const DISABLING: u64 = 32;

/// Cycles in which one source is ahead of the others: its lookups take the places on the way to the CAM, and all of
/// another port's wait.
const LEAD: u64 = 16;

/// The phases of one turn.
fn phases(shape: &Shape) -> Vec<StimulusPhase> {
    let order =
        |lengths, addresses| PhasePackets { lengths, addresses, multicast: false, scattered: false, alone: false };
    let send =
        |order, end| StimulusPhase { packets: Some(order), starved: false, cam: CamMode::Usual, cached: true, end };
    let fill = |order, end| StimulusPhase { starved: true, ..send(order, end) };
    let drain = StimulusPhase { packets: None, starved: false, cam: CamMode::Usual, cached: true, end: End::Empty };
    // Routes that name VCs differ from address to address.
    let exact = if shape.next_vc { AddressChoice::Fresh } else { AddressChoice::Used };
    let scattered = PhasePackets { scattered: true, ..order(LengthChoice::Any, AddressChoice::Used) };
    let mut list = vec![
        fill(order(LengthChoice::Exact, exact), End::Stuck(PAUSE)),
        send(order(LengthChoice::Any, AddressChoice::Bursts), End::Wrapped),
        send(scattered, End::After(512)),
    ];
    if shape.multicast.is_some() {
        // Room is saved for a multicast packet when it has waited for 64 longest packets.
        let patience = PAUSE + 64 * u64::from(shape.max_flits);
        let mixed = PhasePackets { multicast: true, ..order(LengthChoice::Any, AddressChoice::Used) };
        list.extend([send(mixed, End::After(patience)), fill(mixed, End::Reset(patience))]);
    }
    list.push(drain);
    list.extend([fill(order(LengthChoice::Shortest, AddressChoice::Used), End::Reset(PAUSE)), drain]);
    list.extend(lookups(shape, &order, &send, drain));
    list.extend([send(order(LengthChoice::Shortest, AddressChoice::Lost), End::Third(256)), drain]);
    list
}

/// Phases for what table routing has.
fn lookups(
    shape: &Shape,
    order: &impl Fn(LengthChoice, AddressChoice) -> PhasePackets,
    send: &impl Fn(PhasePackets, End) -> StimulusPhase,
    drain: StimulusPhase,
) -> Vec<StimulusPhase> {
    let Some(table) = shape.table() else { return Vec::new() };
    let short = |addresses, end| send(order(LengthChoice::Shortest, addresses), end);
    let asking = |cam| StimulusPhase { cam, cached: false, ..short(AddressChoice::Fresh, End::Stuck(PAUSE)) };
    let mut list = Vec::new();
    if shape.external_cam() {
        list.extend([asking(CamMode::Deaf), drain, asking(CamMode::Mute), drain]);
    } else {
        list.extend([StimulusPhase { end: End::After(512), ..asking(CamMode::Usual) }, drain]);
    }
    if let Some(cache) = &table.cache {
        let cycles = 2 * shape.ports as u64 * (cache.ways as u64 + 2) + 256;
        list.push(short(AddressChoice::Crowd, End::After(cycles)));
    }
    list.push(short(AddressChoice::Bursts, End::Third(256)));
    if table.forwarding_table.is_some() {
        list.push(short(AddressChoice::Edge, End::After(512)));
    }
    list.push(drain);
    list
}
