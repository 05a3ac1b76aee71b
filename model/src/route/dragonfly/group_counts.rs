//! Counts of packets for groups (ECtN): a scan looks at one group after the other, adds up what this router counts and
//! what the others have told, and gathers what is sent to them.
//!
//! Source: reference page of Dragonfly routing, "Counts of packets for groups".

use crate::registers::dragonfly_registers::DragonflySettings;
use railyard_spec::router_message::{RouterMessages, COUNTER_BITS};
use std::ops::Range;

/// Greatest count of a message.
const MOST: u32 = (1 << COUNTER_BITS) - 1;

/// Where the scan is, or was: message and place in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    index: usize,
    place: usize,
}

/// What comes of the group that was scanned in a cycle.
#[derive(Clone, Copy, Debug)]
struct Scanned {
    at: Place,
    own: u32,
    heard: u32,
    /// The message is complete with this place, and is to be sent.
    is_due: bool,
}

/// The counters of a switch.
#[derive(Clone, Debug)]
pub struct GroupCounts {
    counters: usize,
    messages: usize,
    groups: usize,
    locals: Range<usize>,
    scan: Place,
    /// What was scanned in the last cycle, in the one before that, and in the one before that.
    pipeline: [Option<Scanned>; 3],
    /// By local port and group.
    received: Vec<u8>,
    hot: Vec<bool>,
    gathered: u64,
    timer: u32,
    is_asked: bool,
    is_sending: bool,
    word: u64,
    index: u8,
}

impl GroupCounts {
    /// Of a switch with so many groups in its table, which hears messages at its local ports.
    pub fn new(sizes: &RouterMessages, groups: usize, locals: Range<usize>) -> Self {
        GroupCounts {
            counters: sizes.counters,
            messages: sizes.messages,
            groups,
            scan: Place::default(),
            pipeline: [None; 3],
            received: vec![0; locals.len() * groups],
            hot: vec![false; groups],
            gathered: 0,
            timer: 0,
            is_asked: false,
            is_sending: false,
            word: 0,
            index: 0,
            locals,
        }
    }

    /// The group that is looked at in this cycle; there may be none of that number.
    pub fn scanned(&self) -> usize {
        self.group(self.scan)
    }

    /// Whether many packets of all routers are for a group.
    pub fn is_hot(&self, group: usize) -> bool {
        self.hot.get(group).copied().unwrap_or(false)
    }

    /// The message to be sent: its index and its counters.
    pub fn message(&self) -> (u8, u64) {
        (self.index, self.word)
    }

    fn group(&self, Place { index, place }: Place) -> usize {
        index * self.counters + place
    }

    /// One cycle; `own` is the number of this router's packets for the group that is scanned in it. Gives whether
    /// messages fall due in it.
    pub fn step(&mut self, settings: &DragonflySettings, own: u32) -> bool {
        let [last, before, oldest] = self.pipeline;
        let due = oldest.filter(|scanned| scanned.is_due);
        if let Some(scanned) = due {
            (self.word, self.index) = (self.gathered, scanned.at.index as u8);
        }
        if let Some(Scanned { at, own, heard, .. }) = before {
            let count = own.min(MOST);
            let group = self.group(at);
            if let Some(hot) = self.hot.get_mut(group) {
                *hot = count + heard >= settings.group_threshold;
            }
            let low = COUNTER_BITS * at.place as u32;
            self.gathered = self.gathered & !(u64::from(MOST) << low) | u64::from(count) << low;
        }
        let last = last.map(|scanned| Scanned { heard: self.heard(self.group(scanned.at)), ..scanned });
        let ends_message = self.scan.place + 1 == self.counters;
        let is_due = ends_message && self.is_sending;
        self.pipeline = [Some(Scanned { at: self.scan, own, heard: 0, is_due }), last, before];
        self.ask(settings, ends_message && self.scan.index + 1 == self.messages);
        self.scan = match ends_message {
            false => Place { place: self.scan.place + 1, ..self.scan },
            true => Place { index: (self.scan.index + 1) % self.messages, place: 0 },
        };
        due.is_some()
    }

    /// The timer, and whether the next round is sent.
    fn ask(&mut self, settings: &DragonflySettings, round_ends: bool) {
        let fires = self.timer + 1 >= settings.period;
        self.timer = if fires { 0 } else { self.timer + 1 };
        let is_asked = fires || self.is_asked;
        if round_ends {
            self.is_sending = is_asked;
        }
        self.is_asked = is_asked && !round_ends;
    }

    fn heard(&self, group: usize) -> u32 {
        match group < self.groups {
            true => self.received.iter().skip(group).step_by(self.groups).map(|&count| u32::from(count)).sum(),
            false => 0,
        }
    }

    /// A message was taken at a local port in this cycle. To be called after [`GroupCounts::step`].
    pub fn hear(&mut self, port: usize, index: u8, payload: u64) {
        let first = usize::from(index) * self.counters;
        let at = (port - self.locals.start) * self.groups;
        for place in (0..self.counters).take_while(|place| first + place < self.groups) {
            let count = payload >> (COUNTER_BITS * place as u32) & u64::from(MOST);
            self.received[at + first + place] = count as u8;
        }
    }
}
