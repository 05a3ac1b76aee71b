//! What tests of a whole switch do at its pins.

use super::*;
use crate::rtl::Bench;

/// What is at the pins of an output in a cycle: VC, head, tail, flit.
pub type Beat = (usize, bool, bool, u64);

/// A write over the APB port, in two cycles.
pub fn write(bench: &mut Bench<Switch>, at: u32, value: u32) {
    bench.apb.as_mut().unwrap().psel.next = true;
    bench.apb.as_mut().unwrap().pwrite.next = true;
    bench.apb.as_mut().unwrap().paddr.next = at.into();
    bench.apb.as_mut().unwrap().pwdata.next = value.into();
    bench.cycle();
    bench.apb.as_mut().unwrap().penable.next = true;
    bench.cycle();
    bench.apb.as_mut().unwrap().penable.next = false;
    bench.apb.as_mut().unwrap().psel.next = false;
}

/// What comes to an input port in the next cycle.
pub fn drive(bench: &mut Bench<Switch>, port: usize, beat: Option<Beat>) {
    bench.rx[port].valid.next = beat.is_some();
    let (vc, head, tail, flit) = beat.unwrap_or_default();
    bench.rx[port].vc.next = vc.into();
    (bench.rx[port].head.next, bench.rx[port].tail.next) = (head, tail);
    bench.rx[port].flit.next = flit.into();
}
