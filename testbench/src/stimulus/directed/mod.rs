//! Directed phases: traffic, next buffers and CAM together drive the switch to its limits, one after the other and again from the start.
//!
//! Each phase ends by what is seen, not after a number of cycles, so that it fits buffers of any depth: when nothing can be sent any more, when all is
//! empty, when the totals of credits have passed their range.

mod corners;
mod effort;
mod source;

pub use corners::Corners;
pub use effort::Effort;
pub use source::{Addresses, LengthChoice, Source};

use crate::random::Random;
use railyard_spec::{FlowControl, Shape};

/// What the parts of the stimulus do in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// What sources send, without a pause; nothing in a phase that empties the switch.
    pub packets: Option<Order>,
    /// The next buffers give no credit.
    pub starved: bool,
    /// What the CAM does.
    pub cam: CamMode,
    end: End,
}

/// Packets of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// How long they are.
    pub lengths: LengthChoice,
    /// Where they go.
    pub addresses: Addresses,
    /// Half of them are multicast packets, where that is built.
    pub multicast: bool,
}

/// What an external CAM does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CamMode {
    /// What the scenario says.
    #[default]
    Usual,
    /// It accepts nothing.
    Deaf,
    /// It accepts requests and does not answer.
    Mute,
}

/// When a phase ends. All end after [`Directed::longest`] cycles at the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// No source has sent anything for long.
    Stuck,
    /// The switch is empty, and all credit is home.
    Empty,
    /// Each next buffer has freed more flits than its total counts.
    Wrapped,
    /// After so many cycles.
    After(u64),
    /// Nobody has sent anything for long; then a reset, if the switch is soon told all again.
    Reset,
}

/// What is seen of the run, by which phases end.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Cycles since a source has sent a flit.
    pub silence: u64,
    /// The switch is empty, and all credit is home.
    pub is_empty: bool,
    /// Fewest flits that a next buffer has freed on a VC, since the last reset.
    pub fewest_freed: u64,
    /// Cycles that the last set-up took.
    pub set_up: u64,
}

/// A reset is worth a set-up of so many cycles.
const LONG_SET_UP: u64 = 500;

/// The phases of a run, and which one it is in.
#[derive(Clone, Debug)]
pub struct Directed {
    phases: Vec<Phase>,
    at: usize,
    /// Cycle in which the phase began.
    since: u64,
    /// Silence after which sources are stuck.
    patience: u64,
    longest: u64,
    /// More flits than the total of credits counts; 0 with relative credits.
    range: u64,
    /// What sources send.
    pub source: Source,
}

impl Directed {
    /// At the first phase.
    pub fn new(shape: &Shape, seed: u64) -> Directed {
        let effort = Effort::new(shape);
        let is_absolute = shape.flow_control == FlowControl::Absolute;
        Directed {
            phases: phases(shape),
            at: 0,
            since: 0,
            patience: effort.patience,
            longest: effort.longest_phase,
            range: if is_absolute { 1 << shape.credit_bits } else { 0 },
            source: Source::new(shape, Random::new(seed, 11)),
        }
    }

    /// The phase of this cycle.
    #[inline]
    pub fn phase(&self) -> &Phase {
        &self.phases[self.at]
    }

    /// Goes on to the next phase if this one ends in cycle `now`; gives whether the switch is to be reset.
    pub fn step(&mut self, now: u64, seen: &Progress) -> bool {
        let (end, time) = (self.phase().end, now - self.since);
        let is_over = match end {
            End::Stuck | End::Reset => seen.silence.min(time) > self.patience,
            End::Empty => seen.is_empty,
            End::Wrapped => seen.fewest_freed > self.range && time > self.patience,
            End::After(cycles) => time >= cycles,
        };
        if !is_over && time < self.longest {
            return false;
        }
        self.at = (self.at + 1) % self.phases.len();
        self.since = now;
        self.source.begin_phase(self.at == 0);
        end == End::Reset && seen.set_up <= LONG_SET_UP
    }
}

/// The phases of one turn.
fn phases(shape: &Shape) -> Vec<Phase> {
    let order = |lengths, addresses| Order { lengths, addresses, multicast: false };
    let send = |order, end| Phase { packets: Some(order), starved: false, cam: CamMode::Usual, end };
    let drain = Phase { packets: None, starved: false, cam: CamMode::Usual, end: End::Empty };
    let fill = |order, end| Phase { starved: true, ..send(order, end) };
    let with_cam = |cam| Phase { cam, ..send(order(LengthChoice::Shortest, Addresses::Fresh), End::Stuck) };
    let fill_exactly = fill(order(LengthChoice::Exact, Addresses::Used), End::Stuck);
    let pump = Order { multicast: true, ..order(LengthChoice::Any, Addresses::Bursts) };
    let mut list = vec![fill_exactly, send(pump, End::Wrapped), drain];
    if shape.external_cam() {
        list.extend([with_cam(CamMode::Deaf), drain, with_cam(CamMode::Mute), drain]);
    }
    if let Some(table) = shape.table() {
        if let Some(cache) = &table.cache {
            let cycles = 2 * shape.ports as u64 * (cache.ways as u64 + 2) + 256;
            list.push(send(order(LengthChoice::Shortest, Addresses::Crowd), End::After(cycles)));
        }
        if table.forwarding_table.is_some() {
            list.push(send(order(LengthChoice::Shortest, Addresses::Edge), End::After(512)));
        }
        list.push(drain);
    }
    list.extend([fill(order(LengthChoice::Shortest, Addresses::Fresh), End::Reset), drain]);
    if shape.multicast.is_some() {
        let mixed = Order { multicast: true, ..order(LengthChoice::Any, Addresses::Used) };
        list.extend([fill(mixed, End::Stuck), drain]);
    }
    let turn: u64 = 512;
    list.extend([send(order(LengthChoice::Shortest, Addresses::Lost), End::After(turn)), drain]);
    list
}
