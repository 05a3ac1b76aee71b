//! Check bits: for each bit j of the check, the parity of the bits of a word whose columns have bit j set.
//!
//! No state. Of data the result is the check bits of their code word; of a code word, its syndrome. All columns of data
//! bits have an odd number of ones, so that two wrong bits never look like one (Hsiao's code).
//!
//! Source: switch reference, section 12.

use crate::rtl::prelude::*;
use railyard_spec::CodeShape;

/// Bits that one term of a parity selects from: a constant of the Verilog has so many at most.
const TERM_BITS: usize = 64;

/// Parities of selections of a word's bits: check bits of data, or the syndrome of a code word.
#[block]
pub struct CheckBits {
    /// Data, or code word.
    pub word: Sig<In, word_bits>,
    /// Check bits, or syndrome.
    pub check: Sig<Out>,

    _columns: Vec<u32>,

    word_bits: Param,
    check_bits: Param,
}

/// Columns of the bits of a code word, those of the check bits last.
pub fn columns(code: CodeShape) -> Vec<u32> {
    let data = (code.bits - code.check_bits) as usize;
    let by_ones = (3..=code.check_bits).step_by(2).flat_map(|ones| {
        let numbers = 1..1u32 << code.check_bits;
        numbers.filter(move |number| number.count_ones() == ones)
    });
    by_ones.take(data).chain((0..code.check_bits).map(|j| 1 << j)).collect()
}

fn of_columns(columns: Vec<u32>, code: CodeShape) -> CheckBits {
    let check_bits = code.check_bits as usize;
    sized(CheckBits {
        check: sig(check_bits),
        word_bits: columns.len(),
        _columns: columns,
        check_bits,
        ..CheckBits::plain()
    })
}

/// The check bits of data.
pub fn check_bits(code: CodeShape) -> CheckBits {
    let mut columns = columns(code);
    columns.truncate((code.bits - code.check_bits) as usize);
    of_columns(columns, code)
}

/// The syndrome of a code word.
pub fn syndrome(code: CodeShape) -> CheckBits {
    of_columns(columns(code), code)
}

impl CheckBits {
    /// Which of the bits from `low` on count for check bit `j`.
    fn mask(&self, j: usize, low: usize) -> u64 {
        let columns = self._columns.iter().skip(low).take(TERM_BITS).enumerate();
        columns.fold(0, |mask, (i, column)| mask | u64::from(column >> j & 1) << i)
    }
}

/// By hand, not by a kernel, because each bit has constants of its own: `check[j] = ^(word & mask)`.
impl Logic for CheckBits {
    fn update(&mut self) {
        let word = self.word.val();
        let mut check = Value::zero(self.check_bits);
        for j in 0..self.check_bits {
            let bits = self._columns.iter().enumerate().filter(|(_, column)| *column >> j & 1 == 1);
            check = check.replace_bit(j, bits.fold(false, |parity, (i, _)| parity ^ word.get_bit(i)));
        }
        self.check.next = check;
    }

    fn connect(&mut self) {
        self.check.connect();
    }

    fn hdl(&self) -> Verilog {
        use ast::{VerilogExpression as E, VerilogOp, VerilogOpUnary, VerilogStatement};
        let number = |n: usize| Box::new(E::Literal((n as u64).into()));
        let set = |value| VerilogStatement::Assignment(E::Signal("check$next".into()), value);
        let term = |j: usize, low: usize| {
            let width = (self.word_bits - low).min(TERM_BITS);
            let bits =
                E::Cast(Box::new(E::Binary(Box::new(E::Signal("word".into())), VerilogOp::Shr, number(low))), width);
            let mask = Box::new(E::Literal(self.mask(j, low).into()));
            let selected = E::Paren(Box::new(E::Binary(Box::new(bits), VerilogOp::BitAnd, mask)));
            E::Unary(VerilogOpUnary::Xor, Box::new(selected))
        };
        let mut kernel = vec![set(*number(0))];
        for j in 0..self.check_bits {
            let terms = (0..self.word_bits).step_by(TERM_BITS).map(|low| term(j, low));
            let parity = terms.reduce(|sum, term| E::Binary(Box::new(sum), VerilogOp::BitXor, Box::new(term)));
            let parity = Box::new(E::Paren(Box::new(parity.expect("a word has bits"))));
            kernel.push(set(E::IndexReplace(Box::new(E::Signal("check".into())), number(j), parity)));
        }
        Verilog::Combinatorial(kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    /// A code word has syndrome 0, and one with a wrong bit the column of the bit.
    #[test]
    fn the_syndrome_is_the_column_of_a_wrong_bit() {
        let config = Config::from_json(r#"{"name": "t", "buffer_ecc": {}}"#).unwrap();
        let code = config.shape().buffer_code.unwrap();
        let (mut encoder, mut decoder) = (check_bits(code), syndrome(code));
        encoder.connect_all();
        decoder.connect_all();
        let data = 0x0123_4567_89ab_cdefu64;
        encoder.word.next = data.into();
        assert!(rust_hdl_core::prelude::simulate(&mut encoder, 10));
        let word = u128::from(data) | encoder.check.val().to_u128() << 65;
        for (bit, column) in columns(code).into_iter().enumerate() {
            for (word, syndrome) in [(word, 0), (word ^ 1 << bit, column)] {
                decoder.word.next = Value::new(73, word);
                assert!(rust_hdl_core::prelude::simulate(&mut decoder, 10));
                assert_eq!(decoder.check.val().to_u128(), u128::from(syndrome), "bit {bit}");
            }
        }
    }
}
