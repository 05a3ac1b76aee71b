//! Register file: a shallow memory with one write port and one combinational read port.
//!
//! State: D words of W bits, not reset.
//!
//! Up to [`MOST_WORDS`] words no memory compiler has a macro, and flip-flops need no register behind the read port:
//! that is a word less than a [`Ram`] made of flip-flops. FPGAs have distributed RAM for it. Deeper ones are a [`Ram`].
//!
//! Source: switch reference, section 3 (buffer).

use crate::rtl::constant::tag;
use crate::rtl::prelude::*;

/// Words up to which a queue is a register file; with more it is a [`Ram`], for a macro or block RAM.
pub const MOST_WORDS: usize = 16;

const DOC: &str =
    "Shallow memory: one write port, one combinational read port. Flip-flops, or an FPGA's distributed RAM.";

/// Shallow memory; see the head of this file.
#[block(depth: usize, width: usize)]
pub struct RegisterFile {
    pub clock: ClockIn,
    /// Write at the rising edge.
    pub write_enable: Flag<In>,
    /// Word to write.
    pub write_address: Sig<In, { clog2(depth).max(1) }>,
    /// Data to write.
    pub write_data: Sig<In, width>,
    /// Word to read.
    pub read_address: Sig<In, { clog2(depth).max(1) }>,
    /// Word read, in the same cycle.
    pub read_data: Sig<Out, width>,

    #[made(about("register_file", DOC).param("depth", depth).param("width", width).mark(tag::MEMORY, "".into(), depth))]
    about: About,
    #[made(vec![Value::zero(width); depth])]
    _words: Vec<Value>,
}

impl Logic for RegisterFile {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.write_enable.val() {
            let write = self.write_address.val().index();
            self._words[write] = self.write_data.val();
        }
        let read = self.read_address.val().index();
        self.read_data.next = self._words[read].clone();
    }
    fn connect(&mut self) {
        self.read_data.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Empty
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_was_written_last() {
        let mut bench = Bench::new(register_file(6, 9), |b| &mut b.clock);
        let mut words = [0u64; 6];
        bench.write_enable.next = true;
        for step in 0..60u64 {
            let (write, read) = (step * 5 % 6, step * 7 % 6);
            bench.write_enable.next = step < 6 || step % 3 > 0;
            bench.write_address.next = write.into();
            bench.write_data.next = (step * 37 % 512).into();
            bench.read_address.next = read.into();
            bench.settle();
            if step >= 6 {
                assert_eq!(bench.read_data.val().to_u128(), words[read as usize] as u128, "step {step}");
            }
            if bench.write_enable.val() {
                words[write as usize] = step * 37 % 512;
            }
            bench.cycle();
        }
    }
}
