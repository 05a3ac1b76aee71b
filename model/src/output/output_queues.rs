//! Output queues: of each output a queue of flits for each plane of the crossbar, whose packets share the link.
//!
//! Source: switch reference, section 6.2.

use crate::bits::ones;
use crate::input::input_unit::InputUnit;
use crate::input::vc_buffer::FlitMarks;
use crate::output::crossbar::{Crossbar, Owner};
use crate::parts::round_robin_arbiter::RoundRobin;
use crate::pins::Outputs;
use railyard_spec::Shape;
use std::collections::VecDeque;

/// A flit that is popped into a queue.
#[derive(Debug)]
pub struct Popped<'a> {
    /// Where it came from.
    pub from: Owner,
    /// Its marks.
    pub marks: FlitMarks,
    /// The flit as it came. What is written here goes into the queue.
    pub flit: &'a mut [u32],
}

/// A packet's tail was popped before the packet had as many flits as there was room taken for.
#[derive(Clone, Copy, Debug)]
pub struct ReturnedRoom {
    /// Output and VC on which the packet leaves, as `output * vcs + vc`.
    pub element: usize,
    /// Flits.
    pub flits: i32,
}

/// A queue of flits.
#[derive(Clone, Debug)]
struct PlaneQueue {
    /// A ring of places.
    places: Vec<u32>,
    /// Marks of the flits in it, from the oldest on, and the VC on which each leaves.
    marks: VecDeque<(FlitMarks, u8)>,
    /// Place of the oldest one.
    first: usize,
    /// Flits that its connection has popped.
    popped: usize,
}

/// The queues of one output, and its link.
#[derive(Clone, Debug)]
struct OutputQueue {
    planes: Vec<PlaneQueue>,
    /// The plane whose packet is on the link.
    link: Option<usize>,
    /// Over planes whose queue holds a flit, and over those that pop one into empty queues.
    stored: RoundRobin,
    fresh: RoundRobin,
}

/// The queues of all outputs.
#[derive(Clone, Debug)]
pub struct OutputQueues {
    outputs: Vec<OutputQueue>,
    flits: usize,
    words: usize,
    max_flits: usize,
    /// Mask over outputs of which a queue holds a flit.
    filled: u64,
    /// Mask over outputs with a packet that waits for the one on the link, in the cycle of the last traversal.
    waiting: u64,
    /// What is returned in the next cycle, and in this one.
    returned: [Vec<ReturnedRoom>; 2],
}

impl PlaneQueue {
    fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// The place behind the last flit.
    fn free_place(&mut self, flits: usize, words: usize) -> &mut [u32] {
        let at = (self.first + self.marks.len()) % flits * words;
        &mut self.places[at..at + words]
    }
}

impl OutputQueues {
    /// Of a switch of that shape, if it has any.
    pub fn new(shape: &Shape) -> Option<Box<OutputQueues>> {
        let flits = shape.output_queue_flits? as usize;
        let words = shape.stored_bits().div_ceil(32) as usize;
        let plane = PlaneQueue { places: vec![0; flits * words], marks: VecDeque::new(), first: 0, popped: 0 };
        let arbiter = RoundRobin::new(shape.vcs);
        let output = OutputQueue { planes: vec![plane; shape.vcs], link: None, stored: arbiter, fresh: arbiter };
        Some(Box::new(OutputQueues {
            outputs: vec![output; shape.ports],
            flits,
            words,
            max_flits: shape.max_flits as usize,
            filled: 0,
            waiting: 0,
            returned: Default::default(),
        }))
    }

    /// Whether all queues are empty.
    pub fn is_idle(&self) -> bool {
        self.filled == 0
    }

    /// Mask over outputs with a packet that waited for the one on the link, in the cycle of the last traversal.
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Room that is returned in the cycle of the last traversal.
    pub fn returned(&self) -> &[ReturnedRoom] {
        &self.returned[1]
    }

    /// Cycle `now`: pops flits into the queues and tells of each, and sends one from each output that is not `held`
    /// into the output registers.
    #[inline]
    pub fn traverse(
        &mut self,
        now: u64,
        held: u64,
        inputs: &mut [InputUnit],
        crossbar: &mut Crossbar,
        out: &mut Outputs,
        mut popped: impl FnMut(&mut Outputs, Popped<'_>),
    ) {
        out.tx_valid = 0;
        self.waiting = 0;
        self.returned.swap(0, 1);
        self.returned[0].clear();
        let busy = (0..crossbar.planes()).fold(0, |any, plane| any | crossbar.busy(plane));
        for output in ones(busy | self.filled) {
            let stored = self.outputs[output].stored();
            self.waiting |= u64::from(stored & !self.outputs[output].on_link() != 0) << output;
            let fresh = self.pop(now, output, inputs, crossbar, |flit| popped(out, flit));
            if held >> output & 1 == 0 {
                self.send(output, stored, fresh, out);
            }
            let is_filled = self.outputs[output].planes.iter().any(|plane| !plane.is_empty());
            self.filled = self.filled & !(1 << output) | u64::from(is_filled) << output;
        }
    }

    /// Pops a flit of each plane that has one and a place for it. Gives the planes that did, as a mask.
    #[inline]
    fn pop(
        &mut self,
        now: u64,
        output: usize,
        inputs: &mut [InputUnit],
        crossbar: &mut Crossbar,
        mut popped: impl FnMut(Popped<'_>),
    ) -> u64 {
        let (flits, words, planes) = (self.flits, self.words, self.outputs[output].planes.len());
        let mut fresh = 0;
        for (plane, queue) in self.outputs[output].planes.iter_mut().enumerate() {
            if crossbar.busy(plane) >> output & 1 == 0 || queue.marks.len() == flits {
                continue;
            }
            let from = crossbar.owner(output, plane);
            let flit = queue.free_place(flits, words);
            let Some(marks) = inputs[from.input as usize].buffer_mut(from.vc as usize).pop(now, flit) else { continue };
            popped(Popped { from, marks, flit });
            queue.marks.push_back((marks, from.vc_out));
            queue.popped += 1;
            if marks.tail {
                let length = std::mem::take(&mut queue.popped);
                let flits = (self.max_flits - length) as i32;
                self.returned[0].push(ReturnedRoom { element: output * planes + from.vc_out as usize, flits });
                crossbar.finish(output, plane);
            }
            fresh |= 1 << plane;
        }
        fresh
    }

    /// Sends a flit of an output, if one may leave; `stored` are the planes whose queue held one before.
    #[inline]
    fn send(&mut self, output: usize, stored: u64, fresh: u64, out: &mut Outputs) {
        let queues = &mut self.outputs[output];
        let plane = match queues.link {
            Some(plane) if queues.planes[plane].is_empty() => return,
            Some(plane) => plane,
            None if stored != 0 => queues.stored.grant(stored),
            None if fresh != 0 => queues.fresh.grant(fresh),
            None => return,
        };
        let queue = &mut queues.planes[plane];
        let (marks, vc) = queue.marks.pop_front().expect("it offers a flit");
        let (from, to, bit) = (queue.first * self.words, output * self.words, 1u64 << output);
        out.tx_flit[to..to + self.words].copy_from_slice(&queue.places[from..from + self.words]);
        queue.first = (queue.first + 1) % self.flits;
        queues.link = (!marks.tail).then_some(plane);
        out.tx_valid |= bit;
        out.tx_vc[output] = vc;
        out.tx_head = out.tx_head & !bit | u64::from(marks.head) << output;
        out.tx_tail = out.tx_tail & !bit | u64::from(marks.tail) << output;
    }

    /// Places behind (output, VC) that are promised, as they follow from queues and connections of the next cycle.
    pub fn promised(&self, crossbar: &Crossbar, output: usize, vc: usize) -> i32 {
        let planes = &self.outputs[output].planes;
        let owner = |plane: usize| {
            let is_busy = crossbar.busy(plane) >> output & 1 == 1;
            is_busy.then(|| crossbar.owner(output, plane)).filter(|owner| owner.vc_out as usize == vc)
        };
        let of_plane = |(plane, queue): (usize, &PlaneQueue)| {
            let to_come = owner(plane).map_or(0, |_| self.max_flits - queue.popped);
            queue.marks.iter().filter(|(_, of)| *of as usize == vc).count() + to_come
        };
        let of_planes: usize = planes.iter().enumerate().map(of_plane).sum();
        let returned = self.returned[0].iter().filter(|room| room.element == output * planes.len() + vc);
        of_planes as i32 + returned.map(|room| room.flits).sum::<i32>()
    }

    /// Reset: all queues are empty.
    pub fn reset(&mut self, shape: &Shape) {
        *self = *OutputQueues::new(shape).expect("it has queues");
    }
}

impl OutputQueue {
    /// Planes whose queue holds a flit.
    fn stored(&self) -> u64 {
        self.planes.iter().enumerate().fold(0, |mask, (plane, queue)| mask | u64::from(!queue.is_empty()) << plane)
    }

    /// The plane whose packet is on the link.
    fn on_link(&self) -> u64 {
        self.link.map_or(0, |plane| 1 << plane)
    }
}
