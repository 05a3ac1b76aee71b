//! Registers: `d` is what they become at the next rising clock edge, `q` what they hold.
//!
//! A block wires clock and reset of its registers before its kernel runs, and lets each keep its value: the kernel
//! assigns `d` where it changes.

use super::constant::{about, tag, About};
use super::signal::{flag, many, sig, ClockIn, Flag, Sig};
use super::value::Value;
use rust_hdl_core::prelude::*;

macro_rules! register {
    ($(#[$doc:meta])* $name:ident, $input:ty, $output:ty, $reset:ty,
     |$me:ident| hold $hold:block, step $step:block, clear($value:ident) $clear:block) => {
        $(#[$doc])*
        #[derive(LogicBlock, Clone)]
        pub struct $name {
            /// Value after the next rising clock edge.
            pub d: $input,
            /// Value held.
            pub q: $output,
            /// Clock, wired by the block.
            pub clock: ClockIn,
            /// Synchronous reset, wired by the block; ignored where there is no reset value.
            pub reset: Flag<In>,
            about: About,
            _reset_value: Option<$reset>,
        }

        impl $name {
            /// One line on what the register means.
            pub fn doc(mut self, doc: &'static str) -> Self {
                self.about = self.about.mark("register_doc", doc.into(), 0);
                self
            }

            /// Keeps its value.
            pub fn hold(&mut self) {
                let $me = self;
                $hold
            }
        }

        impl Logic for $name {
            fn update(&mut self) {
                if self.clock.pos_edge() {
                    let reset = self.reset.val();
                    let $me = self;
                    match (&$me._reset_value, reset) {
                        (Some(value), true) => {
                            let $value = value.clone();
                            $clear
                        }
                        _ => $step,
                    }
                }
            }
            fn connect(&mut self) {
                self.reset.connect();
                let $me = self;
                $me.connect_ends();
            }
            fn hdl(&self) -> Verilog {
                Verilog::Empty
            }
        }
    };
}

register!(
    /// A register of `width` bits.
    Reg, Sig<In>, Sig<Out>, Value,
    |me| hold { me.d.next = me.q.val() },
    step { me.q.next = me.d.val() },
    clear(value) { me.q.next = value }
);

register!(
    /// A register of one bit, read and written as a `bool`.
    FlagReg, Flag<In>, Flag<Out>, bool,
    |me| hold { me.d.next = me.q.val() },
    step { me.q.next = me.d.val() },
    clear(value) { me.q.next = value }
);

register!(
    /// An array of equal registers: `self.count.d[i].next = ..`, `self.count.q[i].val()`.
    Regs, Vec<Sig<In>>, Vec<Sig<Out>>, Value,
    |me| hold { me.d.iter_mut().zip(&me.q).for_each(|(d, q)| d.next = q.val()) },
    step { me.q.iter_mut().zip(&me.d).for_each(|(q, d)| q.next = d.val()) },
    clear(value) { me.q.iter_mut().for_each(|q| q.next = value.clone()) }
);

impl Reg {
    fn connect_ends(&mut self) {
        self.q.connect();
    }
}

impl FlagReg {
    fn connect_ends(&mut self) {
        self.q.connect();
    }
}

impl Regs {
    fn connect_ends(&mut self) {
        self.d.iter_mut().for_each(Logic::connect);
        self.q.iter_mut().for_each(Logic::connect);
    }
}

impl Reg {
    /// A register whose width its constructor has yet to set.
    pub(super) fn unsized_yet() -> Reg {
        let (d, q) = (Sig::unsized_yet(), Sig::unsized_yet());
        Reg { d, q, clock: Default::default(), reset: flag(), about: about_register(None), _reset_value: None }
    }
}

fn about_register(reset: Option<&Value>) -> About {
    let about = about(tag::REGISTER, "");
    match reset {
        Some(value) => about.mark("reset", value.to_big().to_string(), 0),
        None => about,
    }
}

fn reg_with(width: usize, reset: Option<Value>) -> Reg {
    let about = about_register(reset.as_ref());
    Reg { d: sig(width), q: sig(width), clock: Default::default(), reset: flag(), about, _reset_value: reset }
}

/// A register of `width` bits that synchronous reset sets to `reset_value`.
pub fn reg(width: usize, reset_value: impl Into<num_bigint::BigUint>) -> Reg {
    reg_with(width, Some(Value::new(width, reset_value)))
}

/// A register of `width` bits without reset: data whose validity is kept elsewhere.
pub fn reg_no_reset(width: usize) -> Reg {
    reg_with(width, None)
}

fn flag_reg_with(reset: Option<bool>) -> FlagReg {
    let about = about_register(reset.map(Value::from).as_ref());
    FlagReg { d: flag(), q: flag(), clock: Default::default(), reset: flag(), about, _reset_value: reset }
}

/// A one-bit register that synchronous reset sets to `reset_value`.
pub fn flag_reg(reset_value: bool) -> FlagReg {
    flag_reg_with(Some(reset_value))
}

/// A one-bit register without reset.
pub fn flag_reg_no_reset() -> FlagReg {
    flag_reg_with(None)
}

fn regs_with(count: usize, width: usize, reset: Option<Value>) -> Regs {
    let (d, q) = (many(count, || sig(width)), many(count, || sig(width)));
    let about = about_register(reset.as_ref());
    Regs { d, q, clock: Default::default(), reset: flag(), about, _reset_value: reset }
}

/// `count` registers of `width` bits, each reset to `reset_value`.
pub fn regs(count: usize, width: usize, reset_value: impl Into<num_bigint::BigUint>) -> Regs {
    regs_with(count, width, Some(Value::new(width, reset_value)))
}

/// `count` registers of `width` bits without reset.
pub fn regs_no_reset(count: usize, width: usize) -> Regs {
    regs_with(count, width, None)
}
