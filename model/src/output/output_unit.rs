//! Output units: the link of each output, its output register and, flit-wise, the arbiter of the VCs that share it.
//!
//! Source: switch reference, section 6; Cao2016, 3.3 (the planes of an output share its link).

use crate::bits::ones;
use crate::input::input_unit::InputUnit;
use crate::input::vc_buffer::FlitMarks;
use crate::output::crossbar::{Crossbar, Owner};
use crate::parts::round_robin_arbiter::RoundRobin;
use crate::pins::Outputs;
use railyard_spec::Shape;

/// A flit that was popped into an output register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Its output.
    pub output: usize,
    /// Where it came from.
    pub from: Owner,
    /// It was the last of its packet.
    pub tail: bool,
    /// It was popped for another output, too, and is told of there.
    pub copy: bool,
}

/// The output units of all ports, without output queues. The output registers are the pins.
#[derive(Clone, Debug)]
pub struct OutputUnits {
    /// Link arbiter of each output, over its VCs (used with several planes only).
    links: Vec<RoundRobin>,
    vcs: usize,
}

impl OutputUnits {
    /// The output units of a switch of that shape.
    pub fn new(shape: &Shape) -> Self {
        OutputUnits { links: vec![RoundRobin::new(shape.vcs); shape.ports], vcs: shape.vcs }
    }

    /// Pops the flits that go through the crossbar in cycle `now` into the output registers, but for outputs that are
    /// `held`, and tells of each, with the pins.
    #[inline]
    pub fn traverse(
        &mut self,
        now: u64,
        held: u64,
        inputs: &mut [InputUnit],
        crossbar: &mut Crossbar,
        out: &mut Outputs,
        mut sent: impl FnMut(&mut Outputs, Sent),
    ) {
        out.tx_valid = 0;
        let planes = crossbar.planes();
        if planes == 1 {
            for output in ones(crossbar.busy(0) & !(crossbar.multicast_outputs() | held)) {
                Self::pop(now, output, 0, inputs, crossbar, out, &mut sent);
            }
            if crossbar.multicast_outputs() != 0 {
                Self::pop_multicasts(now, held, inputs, crossbar, out, &mut sent);
            }
            return;
        }
        let any = (0..planes).fold(0, |any, plane| any | crossbar.busy(plane));
        for output in ones(any & !held) {
            let mut ready = 0u64;
            for plane in 0..planes {
                if crossbar.busy(plane) >> output & 1 == 1 {
                    let owner = crossbar.owner(output, plane);
                    ready |= (inputs[owner.input as usize].buffer(plane).can_pop(now) as u64) << plane;
                }
            }
            if ready != 0 {
                let plane = self.links[output].grant(ready);
                Self::pop(now, output, plane, inputs, crossbar, out, &mut sent);
            }
        }
    }

    #[inline]
    fn pop(
        now: u64,
        output: usize,
        plane: usize,
        inputs: &mut [InputUnit],
        crossbar: &mut Crossbar,
        out: &mut Outputs,
        sent: &mut impl FnMut(&mut Outputs, Sent),
    ) {
        let from = crossbar.owner(output, plane);
        let words = out.words;
        let place = &mut out.tx_flit[output * words..(output + 1) * words];
        let Some(marks) = inputs[from.input as usize].buffer_mut(from.vc as usize).pop(now, place) else {
            return;
        };
        Self::show(output, from, marks, out);
        if marks.tail {
            crossbar.finish(output, plane);
        }
        sent(out, Sent { output, from, tail: marks.tail, copy: false });
    }

    /// Pops a flit of each multicast packet for all its outputs, none of which is `held`.
    fn pop_multicasts(
        now: u64,
        held: u64,
        inputs: &mut [InputUnit],
        crossbar: &mut Crossbar,
        out: &mut Outputs,
        sent: &mut impl FnMut(&mut Outputs, Sent),
    ) {
        let words = out.words;
        for (input, outputs) in crossbar.multicasts().filter(|(_, outputs)| outputs & held == 0) {
            let first = outputs.trailing_zeros() as usize;
            let from = crossbar.owner(first, 0);
            let place = first * words..(first + 1) * words;
            let popped = inputs[input].buffer_mut(from.vc as usize).pop(now, &mut out.tx_flit[place.clone()]);
            let Some(marks) = popped else { continue };
            for output in ones(outputs) {
                out.tx_flit.copy_within(place.clone(), output * words);
                Self::show(output, from, marks, out);
                sent(out, Sent { output, from, tail: marks.tail, copy: output != first });
            }
            if marks.tail {
                crossbar.finish_multicast(input);
            }
        }
    }

    /// The pins beside the flit.
    #[inline]
    fn show(output: usize, from: Owner, marks: FlitMarks, out: &mut Outputs) {
        let bit = 1u64 << output;
        out.tx_valid |= bit;
        out.tx_vc[output] = from.vc_out;
        out.tx_head = out.tx_head & !bit | (marks.head as u64) << output;
        out.tx_tail = out.tx_tail & !bit | (marks.tail as u64) << output;
    }

    /// Reset: all pointers at 0.
    pub fn reset(&mut self) {
        self.links.fill(RoundRobin::new(self.vcs));
    }
}
