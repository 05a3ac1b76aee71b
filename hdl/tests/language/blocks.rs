//! Blocks that use every construct.

use railyard_hdl::rtl::prelude::*;

/// A lane's wires.
#[bundle]
pub struct Lane<D: Side> {
    /// count one
    pub pulse: Flag<D>,
    /// the lane starts at this number
    pub start: Option<Sig<D>>,
    /// pulses since reset
    pub total: Sig<Opposite<D>>,
}

fn lane<D: Side>(width: usize, starts: bool) -> Lane<D> {
    Lane { start: starts.then(|| sig(width)), total: sig(width), ..Lane::plain() }
}

/// Counts the pulses of one lane.
#[block]
pub struct LaneCounter {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub lane: Bare<Lane<In>>,
    /// pulses so far
    count: Reg,
    width: Param,
}

fn lane_counter(width: usize, starts: bool) -> LaneCounter {
    LaneCounter { lane: lane(width, starts), count: reg(width, 0u8), width, ..LaneCounter::plain() }
}

#[kernel]
impl LaneCounter {
    fn update(&mut self) {
        if self.lane.pulse.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        self.lane.total.next = self.count.q.val();
        if let Some(start) = &self.lane.start {
            self.lane.total.next = self.count.q.val() + start.val();
        }
    }
}

/// What is there if lanes can be frozen.
#[group]
pub struct Freezing {
    /// no counting in this cycle
    pub freeze: Flag<In>,
    /// cycles without counting
    pub lost: Sig<Out>,
    /// cycles without counting
    frozen: Reg,
    /// pulses that were not counted
    ignored: LaneCounter,
}

fn freezing(width: usize) -> Freezing {
    Freezing { lost: sig(8), frozen: reg(8, 0u8), ignored: lane_counter(width, false), ..Freezing::plain() }
}

/// Lanes that are shown as busy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Choice {
    #[default]
    All,
    First,
}

/// What a block is made for.
#[derive(Clone, Copy)]
pub struct Shape {
    pub lanes: usize,
    pub width: usize,
    pub freezes: bool,
    /// Only odd lanes have a spare flag.
    pub uneven: bool,
    pub choice: Choice,
}

const FIRST: usize = 0;
const SECOND: usize = 1;

/// Counts pulses per lane.
///
/// This paragraph is for the reader of the source.
#[block]
pub struct Lanes {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub lanes: Vec<Lane<In>>,
    pub freezing: Option<Freezing>,
    /// a lane has counted, per lane
    pub busy: Vec<Flag<Out>>,
    /// state of a machine
    pub state: Sig<Out>,
    /// a lane is the last one of those that are busy
    pub last_busy: Vec<Flag<Out>>,

    counter: Vec<LaneCounter>,
    /// a lane with a spare flag has it
    spare: Vec<Option<FlagReg>>,
    /// state of a machine
    machine: Reg,
    /// pulses of all lanes, where there are several
    any_pulse: Option<Vec<Flag<Local>>>,

    width: Param,
    freezes: Param<bool>,
    #[listed(lanes)]
    all: Param,
    last: Param<Option<usize>>,
    #[about]
    comment: &'static str,
    #[data]
    choice: Choice,
    out: usize,
}

pub fn lanes(shape: Shape) -> Lanes {
    let Shape { lanes: n, width, freezes, uneven, choice } = shape;
    Lanes {
        lanes: many(n, || lane(width, true)),
        freezing: freezes.then(|| freezing(width)),
        busy: many(n, flag),
        state: sig(2),
        last_busy: many(n, flag),
        counter: many(n, || lane_counter(width, true)),
        spare: (0..n).map(|i| (i % 2 == 1 || !uneven).then(|| flag_reg(false))).collect(),
        machine: reg(2, 0u8),
        any_pulse: (n > 1).then(|| many(n, flag)),
        width,
        freezes,
        all: n,
        last: (n > 1).then_some(n - 1),
        comment: if n == 1 { "Counts the pulses of a lane." } else { "" },
        choice,
        out: n,
        ..Lanes::plain()
    }
}

#[kernel]
impl Lanes {
    fn update(&mut self) {
        self.count();
        self.freeze();
        self.show();
        self.step();
        for i in 0..self.last_busy.len() {
            self.find_last(i);
        }
    }

    fn count(&mut self) {
        comment!("Every lane counts on its own.");
        for i in 0..self.lanes.len() {
            let counter = &mut self.counter[i];
            self.lanes[i].link(&mut counter.lane);
            match &self.freezing {
                Some(freezing) => counter.lane.pulse.next = self.lanes[i].pulse.val() & !freezing.freeze.val(),
                None => {}
            }
            if let Some(pulses) = &mut self.any_pulse {
                pulses[i].next = self.lanes[i].pulse.val();
            } else {
                counter.lane.pulse.next = self.lanes[i].pulse.val();
            }
        }
    }

    fn freeze(&mut self) {
        if let Some(freezing) = &mut self.freezing {
            freezing.ignored.lane.pulse.next = false;
            /// A frozen cycle is lost.
            if freezing.freeze.val() {
                freezing.frozen.d.next = freezing.frozen.q.val() + 1;
                freezing.ignored.lane.pulse.next = self.lanes[0].pulse.val();
            }
            freezing.lost.next = freezing.frozen.q.val();
        }
    }

    fn show(&mut self) {
        let last = self.lanes.len() - 1;
        for i in 0..self.lanes.len() {
            self.busy[i].next = self.counter[i].lane.total.val().any();
            if let Some(spare) = &mut self.spare[i] {
                spare.d.next = self.counter[i].lane.total.val() == last;
                Self::either(&mut self.busy[i], spare.q.val());
            }
            match self.choice {
                Choice::All => {}
                Choice::First if self.width > 4 => {}
                Choice::First => self.hide(i, self.freezes | true),
            }
        }
    }

    fn hide(&mut self, i: usize, hidden: bool) {
        if i > 0 && hidden {
            self.busy[i].next = false;
        }
    }

    fn either(target: &mut Flag<Out>, other: bool) {
        target.next = target.val() | other;
    }

    /// FIRST, SECOND, 2, and so on.
    fn step(&mut self) {
        self.state.next = self.machine.q.val();
        match self.machine.q.val().index() {
            FIRST => self.machine.d.next = SECOND.into(),
            SECOND => {
                self.machine.d.next = 2.into();
            }
            2 => {}
            _ => self.machine.d.next = FIRST.into(),
        }
    }
}

#[kernel(steps)]
impl Lanes {
    fn find_last(&mut self, i: usize) {
        self.last_busy[i].next = self.busy[i].val();
        let next = i + 1;
        for later in next..self.busy.len() {
            if self.busy[later].val() {
                self.last_busy[i].next = false;
            } else if self.spare[later].is_some() && self.out > 4 {
                self.last_busy[i].next = self.busy[i].val();
            }
        }
    }
}
