//! The Verilog of the blocks.

use railyard_event_counters::{event_counter, statistics};
use railyard_hdl::rtl::emit;

#[test]
fn a_counter() {
    let design = emit(&event_counter(4, true, true), "event_counter").expect("the block is sound");
    insta::assert_snapshot!(design.text());
}

#[test]
fn statistics_of_three_lanes() {
    let design = emit(&statistics(3, 4, true), "statistics").expect("the block is sound");
    insta::assert_snapshot!(design.text());
}
