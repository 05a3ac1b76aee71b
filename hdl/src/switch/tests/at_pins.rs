//! What tests of a whole switch do at its pins.

use super::*;
use crate::rtl::Bench;

/// What is at the pins of an output in a cycle: VC, head, tail, flit.
pub type Beat = (usize, bool, bool, u64);

/// A write over the APB port, in two cycles.
pub fn write(bench: &mut Bench<Switch>, at: u32, value: u32) {
    bench.apb_psel[0].next = true;
    bench.apb_pwrite[0].next = true;
    bench.apb_paddr[0].next = at.into();
    bench.apb_pwdata[0].next = value.into();
    bench.cycle();
    bench.apb_penable[0].next = true;
    bench.cycle();
    bench.apb_penable[0].next = false;
    bench.apb_psel[0].next = false;
}

/// What comes to an input port in the next cycle.
pub fn drive(bench: &mut Bench<Switch>, port: usize, beat: Option<Beat>) {
    bench.rx_valid[port].next = beat.is_some();
    let (vc, head, tail, flit) = beat.unwrap_or_default();
    bench.rx_vc[port].next = vc.into();
    (bench.rx_head[port].next, bench.rx_tail[port].next) = (head, tail);
    bench.rx_flit[port].next = flit.into();
}
