//! A small test bench: a block under rust-hdl's simulator, one clock cycle at a time.

use super::names;
use super::part::take_broken;
use super::signal::ClockIn;
use rust_hdl_core::prelude::*;
use std::ops::{Deref, DerefMut};

/// Passes of the simulator after which a block counts as oscillating.
const MAX_PASSES: usize = 1000;

/// Simulates `block`; ports are reached through it (`bench.request.next = 5.into()`).
pub struct Bench<B: Block> {
    block: B,
    clock: Option<fn(&mut B) -> &mut ClockIn>,
}

impl<B: Block> Bench<B> {
    /// A bench around a block with a clock: `Bench::new(counter(4), |b| &mut b.clock)`.
    pub fn new(block: B, clock: fn(&mut B) -> &mut ClockIn) -> Self {
        Bench::around(block, Some(clock))
    }

    /// A bench around a block without a clock; `cycle` only settles it.
    pub fn combinational(block: B) -> Self {
        Bench::around(block, None)
    }

    fn around(mut block: B, clock: Option<fn(&mut B) -> &mut ClockIn>) -> Self {
        names::remember("top", &block);
        block.connect_all();
        let mut bench = Bench { block, clock };
        bench.settle();
        bench
    }

    /// Lets combinational logic follow the inputs.
    pub fn settle(&mut self) {
        for _ in 0..MAX_PASSES {
            let _ = take_broken();
            self.block.update_all();
            if !self.block.has_changed() {
                return;
            }
        }
        panic!("the block oscillates: it has a combinational loop");
    }

    /// One clock cycle: inputs set before are sampled at its rising edge; afterwards outputs have settled. Panics where a
    /// property does not hold at the edge.
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
