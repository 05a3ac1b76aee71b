//! A small test bench: a block under rust-hdl's simulator, one clock cycle at a time.

use super::names;
use super::part::take_broken;
use super::signal::ClockIn;
use rust_hdl_core::prelude::*;
use std::ops::{Deref, DerefMut};
use std::panic::Location;

/// Passes of the simulator after which a block counts as oscillating.
const MAX_PASSES: usize = 1000;

/// Simulates `block`; ports are reached through it (`bench.request.next = 5.into()`).
pub struct Bench<B: Block> {
    block: B,
    clock: Option<fn(&mut B) -> &mut ClockIn>,
}

impl<B: Block> Bench<B> {
    /// A bench around a block with a clock: `Bench::new(counter(4), |b| &mut b.clock)`.
    #[track_caller]
    pub fn new(block: B, clock: fn(&mut B) -> &mut ClockIn) -> Self {
        Bench::around(block, Some(clock))
    }

    /// A bench around a block without a clock; `cycle` only settles it.
    #[track_caller]
    pub fn combinational(block: B) -> Self {
        Bench::around(block, None)
    }

    #[track_caller]
    fn around(mut block: B, clock: Option<fn(&mut B) -> &mut ClockIn>) -> Self {
        names::remember("top", &block);
        block.connect_all();
        let mut bench = Bench { block, clock };
        bench.settle();
        bench
    }

    /// Lets combinational logic follow the inputs.
    ///
    /// # Panics
    /// A signal has a value of another width; the message has the signal and the caller's file and line. Or the block
    /// oscillates.
    #[track_caller]
    pub fn settle(&mut self) {
        names::run_at(Location::caller());
        for _ in 0..MAX_PASSES {
            let _ = take_broken();
            self.block.update_all();
            if !self.block.has_changed() {
                return;
            }
        }
        panic!("the block oscillates: it has a combinational loop");
    }

    /// One clock cycle: inputs set before are sampled at its rising edge; afterwards outputs have settled.
    ///
    /// # Panics
    /// As [`settle`](Bench::settle); or a property does not hold at the edge.
    #[track_caller]
    pub fn cycle(&mut self) {
        self.settle();
        if let Some(broken) = take_broken() {
            panic!("a property does not hold: {broken}");
        }
        if let Some(clock) = self.clock {
            clock(&mut self.block).next = Clock { clk: true };
            self.settle();
            clock(&mut self.block).next = Clock { clk: false };
            self.settle();
        }
    }
}

impl<B: Block> Deref for Bench<B> {
    type Target = B;
    fn deref(&self) -> &B {
        &self.block
    }
}

impl<B: Block> DerefMut for Bench<B> {
    fn deref_mut(&mut self) -> &mut B {
        &mut self.block
    }
}

#[cfg(test)]
mod tests {
    use crate::rtl::prelude::*;
    use std::panic::{catch_unwind, AssertUnwindSafe};

    /// Adds.
    #[block]
    struct Adder {
        a: Sig<In>,
        sum: Sig<Out>,
    }

    fn bench() -> Bench<Adder> {
        Bench::combinational(Adder { a: sig(4), sum: sig(4) })
    }

    #[kernel]
    impl Adder {
        fn update(&mut self) {
            self.sum.next = self.a.val() + 1;
        }
    }

    /// What the panic says.
    fn panic_of(act: impl FnOnce()) -> String {
        let text = catch_unwind(AssertUnwindSafe(act)).expect_err("it panics");
        *text.downcast::<String>().expect("a text")
    }

    #[test]
    fn a_wrong_width_names_the_signal_and_the_line_of_the_test() {
        for (value, what) in [
            (Value::new(5, 1u8), "5 bits are assigned where 4 are needed"),
            (16.into(), "number 16 does not fit 4 bits"),
        ] {
            let mut bench = bench();
            bench.a.next = value;
            let text = panic_of(|| bench.settle());
            let line = line!() - 1;
            assert!(text.starts_with(&format!("top.a: {what}, in the cycle that the test runs at ")), "{text}");
            assert!(text.contains(&format!("{}:{line}:", file!())), "{text}");
        }
    }

    #[test]
    fn a_comparison_of_two_widths_names_the_signal() {
        let bench = bench();
        let text = panic_of(|| assert!(bench.sum.val() == Value::new(5, 1u8)));
        assert_eq!(text, "width mismatch: `top.sum` of 4 bits meets 5 bits");
        let text = panic_of(|| assert!(bench.sum.val() == 99));
        assert_eq!(text, "number 99 does not fit 4 bits of `top.sum`");
    }
}
