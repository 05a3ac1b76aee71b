//! Memory: one write port and one synchronous read port, in a wrapper module that a macro can replace.

use super::constant::{about, tag, About};
use super::signal::{clock, flag, sig, ClockIn, Flag, Sig};
use super::value::Value;
use rust_hdl_core::prelude::*;

/// `depth` words of `width` bits. A word that is read in one cycle is on `read_data` in the next, for that cycle only.
///
/// Two things give don't care: reading the address that is written in the same cycle, and a cycle without
/// `read_enable`. A block that needs the word must forward or keep it itself. In simulation `read_data` is then neither
/// the old word nor the new one, here as in Verilog. Contents after power-up are undefined.
#[derive(LogicBlock, Clone)]
pub struct Ram {
    /// Clock.
    pub clock: ClockIn,
    /// Write `write_data` to `write_address` at the rising edge.
    pub write_enable: Flag<In>,
    /// Word to write.
    pub write_address: Sig<In>,
    /// Data to write.
    pub write_data: Sig<In>,
    /// Read the word at `read_address` at the rising edge.
    pub read_enable: Flag<In>,
    /// Word to read.
    pub read_address: Sig<In>,
    /// The word that was read at the last rising edge.
    pub read_data: Sig<Out>,
    about: About,
    _words: Vec<Value>,
}

/// A memory of `depth` words of `width` bits.
pub fn ram(depth: usize, width: usize) -> Ram {
    assert!(depth > 0, "a memory has at least one word");
    let address = clog2(depth).max(1);
    let doc = "Memory with one write and one synchronous read port. Reading the word that is written in the same \
               cycle is don't care, and so is read_data after a cycle without read_enable. As it is, the module infers \
               block RAM; with RAILYARD_MACROS defined it is a macro of a memory compiler.";
    Ram {
        clock: clock(),
        write_enable: flag().doc("Write at the rising edge."),
        write_address: sig(address).doc("Word to write."),
        write_data: sig(width).doc("Data to write."),
        read_enable: flag().doc("Read at the rising edge."),
        read_address: sig(address).doc("Word to read."),
        read_data: sig(width).doc("Word read, one cycle later."),
        about: about("ram_1r1w", doc).param("depth", depth).param("width", width).mark(
            tag::MEMORY,
            tag::REGISTER.into(),
            depth,
        ),
        _words: vec![Value::zero(width); depth],
    }
}

impl Ram {
    /// A memory whose size its constructor has yet to set.
    pub(super) fn unsized_yet() -> Ram {
        let (write_data, read_data) = (Sig::unsized_yet(), Sig::unsized_yet());
        Ram { write_data, read_data, ..ram(1, 1) }
    }
}

impl Logic for Ram {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let (read, write) = (self.read_address.val().index(), self.write_address.val().index());
            let old = self._words.get(read).cloned().unwrap_or(Value::zero(self.write_data.width()));
            let collides = self.write_enable.val() && read == write;
            self.read_data.next = match (self.read_enable.val(), collides) {
                (true, false) => old,
                (true, true) if !old.xor() => !self.write_data.val(),
                _ => !old,
            };
            if self.write_enable.val() && write < self._words.len() {
                self._words[write] = self.write_data.val();
            }
        }
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
    use super::super::Bench;
    use super::*;

    /// Of words of one bit a collision can give but one value, which is the old one or the new one in two cases of
    /// four.
    #[test]
    fn a_word_read_while_it_is_written_is_neither_the_old_nor_the_new_one() {
        for (old, new, read) in [(0b0101u32, 0b0011u32, 0b1100u32), (0b0111, 0b0011, 0b1000)] {
            let mut bench = Bench::new(ram(2, 4), |b| &mut b.clock);
            bench.write_enable.next = true;
            bench.read_enable.next = true;
            bench.write_data.next = old.into();
            bench.cycle();
            bench.write_data.next = new.into();
            bench.cycle();
            assert_eq!(bench.read_data.val(), read as usize);
            bench.write_enable.next = false;
            bench.cycle();
            assert_eq!(bench.read_data.val(), new as usize);
            bench.read_enable.next = false;
            bench.cycle();
            assert_eq!(bench.read_data.val(), !new as usize & 15, "no word is read, and none is kept");
        }
    }
}
