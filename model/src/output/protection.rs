//! Error correction of the VC buffers: code words are made where flits are stored, and decoded behind the output
//! registers, a cycle later.
//!
//! Source: switch reference, section 12.

use crate::bits::ones;
use crate::pins::{Inputs, Outputs};
use railyard_spec::{CodeShape, Shape};

/// The code: which check bits watch which bit.
#[derive(Clone, Debug)]
pub struct Code {
    /// Column of each bit of a code word.
    columns: Vec<u32>,
    /// The bit of each column; `None` where no bit has it.
    bit_of: Vec<Option<u16>>,
    flit_bits: usize,
}

impl Code {
    /// The code of a switch's buffers, if they have one.
    pub fn of(shape: &Shape) -> Option<Code> {
        shape.buffer_code.map(|code| Code::new(shape.flit_bits, code))
    }

    fn new(flit_bits: u32, code: CodeShape) -> Code {
        let data = flit_bits as usize + 1;
        let numbers = 1u32 << code.check_bits;
        let mut odd: Vec<u32> = (0..numbers).filter(|n| n.count_ones() % 2 == 1 && n.count_ones() > 1).collect();
        odd.sort_by_key(|n| (n.count_ones(), *n));
        odd.truncate(data);
        odd.extend((0..code.check_bits).map(|j| 1 << j));
        let mut bit_of = vec![None; numbers as usize];
        for (bit, &column) in odd.iter().enumerate() {
            bit_of[column as usize] = Some(bit as u16);
        }
        Code { columns: odd, bit_of, flit_bits: flit_bits as usize }
    }

    /// The exclusive or of the columns of all bits of a word that are 1: of a code word its syndrome, of one without
    /// check bits these bits.
    fn sum(&self, word: &[u32]) -> u32 {
        let bits = self.columns.iter().enumerate();
        bits.filter(|(bit, _)| get(word, *bit)).fold(0, |sum, (_, column)| sum ^ column)
    }

    /// Makes a code word of a flit, in its place.
    pub fn encode(&self, word: &mut [u32], bad: bool, flips: &[u32]) {
        if bad {
            invert(word, self.flit_bits);
        }
        let checks = self.sum(word);
        ones(checks.into()).for_each(|j| invert(word, self.flit_bits + 1 + j));
        word.iter_mut().zip(flips).for_each(|(word, flips)| *word ^= flips);
    }

    /// Corrects a code word in its place: whether a bit was corrected, and whether the packet is bad.
    fn decode(&self, word: &mut [u32]) -> (bool, bool) {
        let syndrome = self.sum(word);
        let wrong = self.bit_of[syndrome as usize];
        if let Some(bit) = wrong {
            invert(word, bit as usize);
        }
        (wrong.is_some(), get(word, self.flit_bits) || syndrome != 0 && wrong.is_none())
    }
}

#[inline]
fn get(word: &[u32], bit: usize) -> bool {
    word[bit / 32] >> (bit % 32) & 1 == 1
}

#[inline]
fn invert(word: &mut [u32], bit: usize) {
    word[bit / 32] ^= 1 << (bit % 32);
}

/// The output registers of a switch with error correction: what was popped, before it is decoded.
#[derive(Clone, Debug)]
pub struct Protection {
    code: Code,
    /// The output registers; only their `tx_*` count, and flits are code words.
    pub registers: Outputs,
    /// For each output, the VCs whose packet was bad with an earlier flit.
    spoiled: Vec<u16>,
    vcs: usize,
}

impl Protection {
    /// That of a switch of that shape, if it has any.
    pub fn new(shape: &Shape) -> Option<Box<Protection>> {
        let code = shape.buffer_code?;
        let mut registers = Outputs::new(shape);
        registers.words = code.bits.div_ceil(32) as usize;
        registers.tx_flit = vec![0; shape.ports * registers.words];
        let (spoiled, vcs) = (vec![0; shape.ports], shape.vcs);
        Some(Box::new(Protection { code: Code::new(shape.flit_bits, code), registers, spoiled, vcs }))
    }

    /// What is in the output registers comes to the pins. Gives the registers, to be filled anew; the credit pins are
    /// lent to them up to [`Protection::end`].
    pub fn begin(&mut self, out: &mut Outputs) -> &mut Outputs {
        self.decode(out);
        self.swap_credit(out);
        &mut self.registers
    }

    /// The credit pins go back; gives the registers.
    pub fn end(&mut self, out: &mut Outputs) -> &mut Outputs {
        self.swap_credit(out);
        &mut self.registers
    }

    fn swap_credit(&mut self, out: &mut Outputs) {
        std::mem::swap(&mut self.registers.rx_credit, &mut out.rx_credit);
        std::mem::swap(&mut self.registers.rx_credit_valid, &mut out.rx_credit_valid);
    }

    fn decode(&mut self, out: &mut Outputs) {
        let registers = &mut self.registers;
        (out.tx_valid, out.tx_bad, out.tx_corrected) = (registers.tx_valid, 0, 0);
        for port in ones(registers.tx_valid) {
            let (bit, vc) = (1u64 << port, registers.tx_vc[port]);
            out.tx_vc[port] = vc;
            out.tx_head = out.tx_head & !bit | registers.tx_head & bit;
            out.tx_tail = out.tx_tail & !bit | registers.tx_tail & bit;
            let word = &mut registers.tx_flit[port * registers.words..(port + 1) * registers.words];
            // Barrier messages are no code words.
            if usize::from(vc) < self.vcs {
                let (corrected, bad) = self.code.decode(word);
                let spoiled = bad || self.spoiled[port] >> vc & 1 == 1;
                out.tx_corrected |= u64::from(corrected) << port;
                out.tx_bad |= u64::from(spoiled) << port;
                self.spoiled[port] &= !(1 << vc);
                self.spoiled[port] |= u16::from(spoiled && registers.tx_tail & bit == 0) << vc;
            }
            let flit = &mut out.tx_flit[port * out.words..(port + 1) * out.words];
            flit.copy_from_slice(&word[..out.words]);
            let used = self.code.flit_bits % 32;
            if let (Some(top), true) = (flit.last_mut(), used != 0) {
                *top &= (1 << used) - 1;
            }
        }
    }

    /// Reset: nothing is in the registers.
    pub fn reset(&mut self) {
        self.registers.reset();
        self.spoiled.fill(0);
    }
}

/// What comes beside the flit of a port: whether its packet is bad, and which bits of the code word are inverted.
#[inline]
pub fn beside(pins: &Inputs, port: usize) -> (bool, &[u32]) {
    (pins.rx_bad >> port & 1 == 1, &pins.rx_flip[port * pins.flip_words..(port + 1) * pins.flip_words])
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    fn code(flit_bits: u32) -> (Code, usize) {
        let json = format!(r#"{{"name": "t", "flit_bits": {flit_bits}, "buffer_ecc": {{}}}}"#);
        let built = Config::from_json(&json).unwrap().shape().buffer_code.unwrap();
        (Code::new(flit_bits, built), built.bits as usize)
    }

    /// All single and all double faults of a word.
    #[test]
    fn one_wrong_bit_is_corrected_and_two_are_found() {
        for (flit_bits, bits) in [(16, 23), (32, 40), (64, 73)] {
            let (code, n) = code(flit_bits);
            assert_eq!(n, bits);
            let mut sent = vec![0; n.div_ceil(32)];
            sent[0] = 0x5a5a_1234 & (u32::MAX >> (32 - flit_bits.min(32)));
            code.encode(&mut sent, false, &[]);
            for i in 0..n {
                for j in i..n {
                    let mut word = sent.clone();
                    invert(&mut word, i);
                    if i != j {
                        invert(&mut word, j);
                        assert!(!code.decode(&mut word).0, "{i}, {j}");
                        invert(&mut word, i);
                        invert(&mut word, j);
                    } else {
                        assert_eq!(code.decode(&mut word), (true, false), "{i}");
                    }
                    assert_eq!(word, sent);
                }
            }
        }
    }

    #[test]
    fn columns_are_in_the_order_of_the_reference() {
        let (code, _) = code(16);
        assert_eq!(code.columns[..5], [0b111, 0b1011, 0b1101, 0b1110, 0b10011]);
        assert_eq!(code.columns[17..], [1, 2, 4, 8, 16, 32]);
    }
}
