//! Wrong bit: which bit of a code word a syndrome names.
//!
//! No state; a comparison for each bit.
//!
//! Source: switch reference, section 12.

use crate::parts::check_bits::columns;
use crate::rtl::prelude::*;
use railyard_spec::CodeShape;

/// Which bit of a code word is wrong: the one whose column is the syndrome.
#[block]
pub struct WrongBit {
    /// Syndrome of the code word.
    pub syndrome: Sig<In, check_bits>,
    /// The wrong bit, one-hot; zero if the syndrome is no column.
    pub wrong: Sig<Out>,

    _columns: Vec<u32>,

    word_bits: Param,
    check_bits: Param,
}

/// For code words of that shape.
pub fn wrong_bit(code: CodeShape) -> WrongBit {
    let columns = columns(code);
    sized(WrongBit {
        wrong: sig(columns.len()),
        word_bits: columns.len(),
        _columns: columns,
        check_bits: code.check_bits as usize,
        ..WrongBit::plain()
    })
}

/// By hand, not by a kernel, because each bit has a constant of its own: `wrong[i] = syndrome == column`.
impl Logic for WrongBit {
    fn update(&mut self) {
        let syndrome = self.syndrome.val().to_u128();
        let mut wrong = Value::zero(self.word_bits);
        for (i, column) in self._columns.iter().enumerate() {
            wrong = wrong.replace_bit(i, syndrome == u128::from(*column));
        }
        self.wrong.next = wrong;
    }

    fn connect(&mut self) {
        self.wrong.connect();
    }

    fn hdl(&self) -> Verilog {
        use ast::{VerilogExpression as E, VerilogOp, VerilogStatement};
        let number = |n: usize| Box::new(E::Literal((n as u64).into()));
        let set = |value| VerilogStatement::Assignment(E::Signal("wrong$next".into()), value);
        let mut kernel = vec![set(*number(0))];
        for (i, column) in self._columns.iter().enumerate() {
            let syndrome = Box::new(E::Signal("syndrome".into()));
            let equal = E::Paren(Box::new(E::Binary(syndrome, VerilogOp::Eq, number(*column as usize))));
            kernel.push(set(E::IndexReplace(Box::new(E::Signal("wrong".into())), number(i), Box::new(equal))));
        }
        Verilog::Combinatorial(kernel)
    }
}
