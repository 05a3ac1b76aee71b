//! Outputs of a network that are not what they should be.

use railyard_verilated::{Image, Out, Pins};
use std::fmt::Write;

/// Differences that a message names.
const NAMED: usize = 6;

/// What differs in a cycle.
#[derive(Debug, Default)]
pub struct Differences {
    named: Vec<String>,
    count: usize,
}

impl Differences {
    /// Bits `[low +: width]` (at most 64) of an output must be `want`; `place` says whose they are.
    #[inline]
    pub fn expect(
        &mut self,
        model: &Image,
        pin: NamedOutput,
        low: usize,
        width: usize,
        want: u64,
        place: impl Fn() -> String,
    ) {
        let got = model.bits(pin.out, low, width);
        if got != want {
            self.count += 1;
            if self.named.len() < NAMED {
                self.named.push(format!("{}: {} is {got:#x}, expected {want:#x}", place(), pin.name));
            }
        }
    }

    /// What is wrong in that cycle, if anything is.
    pub fn message(&self, cycle: &str) -> Option<String> {
        if self.count == 0 {
            return None;
        }
        let mut text = format!("{cycle}: Verilog and golden model differ: {}", self.named.join("; "));
        if self.count > self.named.len() {
            let _ = write!(text, "; and {} more", self.count - self.named.len());
        }
        Some(text)
    }
}

/// An output and its name.
#[derive(Clone, Copy, Debug)]
pub struct NamedOutput {
    /// Its name.
    pub name: &'static str,
    /// The output.
    pub out: Out,
}

impl NamedOutput {
    /// The output of that name.
    pub fn find(model: &Image, name: &'static str) -> Result<NamedOutput, railyard_verilated::ModelError> {
        Ok(NamedOutput { name, out: model.output(name)? })
    }
}
