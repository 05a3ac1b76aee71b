//! For logic that a kernel cannot say: the same Rust function computes values and builds the syntax tree.
//!
//! Write the logic once as a function generic over [`Algebra`]; a hand-written `update` calls it with [`Value`]s, a
//! hand-written `hdl` with [`Expr`]s, and `connect` claims the outputs, which rust-hdl's macro would have done.
//!
//! ```
//! use railyard_hdl::rtl::expression::{Algebra, Expr, Kernel};
//! use railyard_hdl::rtl::prelude::*;
//!
//! /// XOR of all words, as a tree of least depth.
//! #[block]
//! struct XorTree {
//!     word: Vec<Sig<In>>,
//!     result: Sig<Out>,
//! }
//!
//! fn xor_tree<T: Algebra>(words: &[T]) -> T {
//!     match words {
//!         [one] => one.clone(),
//!         _ => xor_tree(&words[..words.len() / 2]) ^ xor_tree(&words[words.len() / 2..]),
//!     }
//! }
//!
//! impl Logic for XorTree {
//!     fn update(&mut self) {
//!         let words: Vec<Value> = self.word.iter().map(|word| word.val()).collect();
//!         self.result.next = xor_tree(&words);
//!     }
//!     fn connect(&mut self) {
//!         self.result.connect();
//!     }
//!     fn hdl(&self) -> Verilog {
//!         let words: Vec<Expr> = (0..self.word.len()).map(|i| Expr::element("word", i)).collect();
//!         Kernel::new().assign("result", xor_tree(&words)).finish()
//!     }
//! }
//!
//! let tree = XorTree { word: many(5, || sig(8)), result: sig(8) };
//! let design = emit(&tree, "xor_tree").unwrap();
//! assert!(design.text().contains("assign result = "));
//! ```

use super::value::Value;
use rust_hdl_core::ast::*;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

/// What values and expressions have in common.
pub trait Algebra:
    Clone
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
{
    /// One bit, as a value of one bit.
    fn bit(&self, index: usize) -> Self;
    /// Whether any bit is set, as a value of one bit.
    fn any_bit(&self) -> Self;
    /// Whether two values are equal, as a value of one bit.
    fn equal(&self, other: &Self) -> Self;
    /// Cut or zero-extended to `width` bits.
    fn resized(&self, width: usize) -> Self;
}

impl Algebra for Value {
    fn bit(&self, index: usize) -> Value {
        self.get_bit(index).into()
    }
    fn any_bit(&self) -> Value {
        self.any().into()
    }
    fn equal(&self, other: &Value) -> Value {
        (self == other).into()
    }
    fn resized(&self, width: usize) -> Value {
        super::value::bit_cast_to(self.clone(), width)
    }
}

/// An expression of a kernel.
#[derive(Clone, Debug)]
pub struct Expr(VerilogExpression);

impl Expr {
    /// A signal, by its name in the kernel: `"request"`, `"arbiter.grant"`, `"count.q"`.
    pub fn signal(name: &str) -> Expr {
        Expr(VerilogExpression::Signal(name.replace('.', "$")))
    }

    /// An element of an array of signals.
    pub fn element(name: &str, index: usize) -> Expr {
        Expr::signal(&format!("{name}[{index}]"))
    }

    /// A number, of the width of its surroundings.
    pub fn number(number: usize) -> Expr {
        Expr(VerilogExpression::Literal(number.into()))
    }

    fn binary(self, op: VerilogOp, other: Expr) -> Expr {
        Expr(VerilogExpression::Binary(Box::new(self.0), op, Box::new(other.0)))
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $op:ident) => {
        impl $trait for Expr {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                self.binary(VerilogOp::$op, other)
            }
        }
    };
}
operator!(Add, add, Add);
operator!(Sub, sub, Sub);
operator!(BitAnd, bitand, BitAnd);
operator!(BitOr, bitor, BitOr);
operator!(BitXor, bitxor, BitXor);

impl Not for Expr {
    type Output = Expr;
    fn not(self) -> Expr {
        Expr(VerilogExpression::Unary(VerilogOpUnary::Not, Box::new(self.0)))
    }
}

impl Shl<usize> for Expr {
    type Output = Expr;
    fn shl(self, by: usize) -> Expr {
        self.binary(VerilogOp::Shl, Expr::number(by))
    }
}

impl Shr<usize> for Expr {
    type Output = Expr;
    fn shr(self, by: usize) -> Expr {
        self.binary(VerilogOp::Shr, Expr::number(by))
    }
}

impl Algebra for Expr {
    fn bit(&self, index: usize) -> Expr {
        Expr(VerilogExpression::Index(Box::new(self.0.clone()), Box::new(Expr::number(index).0)))
    }
    fn any_bit(&self) -> Expr {
        Expr(VerilogExpression::Unary(VerilogOpUnary::Any, Box::new(self.0.clone())))
    }
    fn equal(&self, other: &Expr) -> Expr {
        self.clone().binary(VerilogOp::Eq, other.clone())
    }
    fn resized(&self, width: usize) -> Expr {
        Expr(VerilogExpression::Cast(Box::new(self.0.clone()), width))
    }
}

/// A kernel built in Rust: the value of a hand-written `hdl`.
#[derive(Clone, Debug, Default)]
pub struct Kernel(VerilogBlock);

impl Kernel {
    /// A kernel without statements.
    pub fn new() -> Kernel {
        Kernel::default()
    }

    /// `self.<name>.next = value`.
    pub fn assign(mut self, name: &str, value: Expr) -> Kernel {
        self.0.push(VerilogStatement::Assignment(Expr::signal(name).0, value.0));
        self
    }

    /// `if condition { then } else { otherwise }`.
    pub fn when(mut self, condition: Expr, then: Kernel, otherwise: Kernel) -> Kernel {
        let otherwise = VerilogBlockOrConditional::Block(otherwise.0);
        self.0.push(VerilogStatement::If(VerilogConditional { test: condition.0, then: then.0, otherwise }));
        self
    }

    /// The syntax tree.
    pub fn finish(self) -> Verilog {
        Verilog::Combinatorial(self.0)
    }
}
