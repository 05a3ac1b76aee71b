//! Blocks that the model has no box for, or only a line: the lines of the reference are written out here.
//!
//! - lowest_bit: the lowest-numbered slot of section 4.2, the lowest-numbered way of 4.5; model `SlotBits::first`.
//! - counter: the totals of section 7, modulo their width.
//! - sticky_flags: section 8, "an event in the same cycle as `error_clear` wins".
//! - drop_counter: section 6, `drop_valid` and `drop_count` in the cycle after the tail's pop.
//! - crossbar_plane: section 6, an output gets what its owner pops.

use crate::support::{one_hot, shape, vector, Random};
use railyard_hdl::parts::{counter::counter, lowest_bit::lowest_bit, sticky_flags::sticky_flags};
use railyard_hdl::rtl::{Bench, Value};
use railyard_hdl::units::input::drop_counter::drop_counter;
use railyard_hdl::units::output::crossbar_plane::crossbar_plane;
use railyard_model::bits::SlotBits;

#[test]
fn lowest_bits() {
    for width in [1, 2, 3, 8, 16, 37, 128] {
        let mut random = Random::new(width as u64, 3);
        let mut bench = Bench::combinational(lowest_bit(width));
        for _ in 0..300 {
            let density = 1 + random.below(20);
            let bits = vector((0..width).map(|_| random.below(density) == 0));
            bench.bits.next = bits.clone();
            bench.settle();
            assert_eq!(bench.lowest.val(), one_hot(width, SlotBits::from(bits.to_u128()).first()), "of {bits}");
        }
    }
}

#[test]
fn counters() {
    for width in [1, 4, 8] {
        let mut random = Random::new(width as u64, 4);
        let mut bench = started!(counter(width));
        let mut count = 0u64;
        for _ in 0..1000 {
            assert_eq!(bench.count.val(), Value::new(width, count));
            let step = random.below(4) > 0;
            bench.step.next = step;
            bench.reset.next = random.below(600) == 0;
            count = if bench.reset.next { 0 } else { (count + u64::from(step)) % (1 << width) };
            bench.cycle();
        }
    }
}

#[test]
fn flags_stick() {
    for events in [1, 4, 7] {
        let mut random = Random::new(events as u64, 5);
        let mut bench = started!(sticky_flags(events));
        let mut flags = vec![false; events];
        for _ in 0..500 {
            assert_eq!(bench.flags.val(), vector(flags.clone()));
            let raised: Vec<bool> = (0..events).map(|_| random.below(8) == 0).collect();
            let clear = random.below(5) == 0;
            bench.raise.next = vector(raised.clone());
            bench.clear.next = clear;
            bench.reset.next = random.below(50) == 0;
            for (flag, raised) in flags.iter_mut().zip(raised) {
                *flag = !bench.reset.next && (raised || *flag && !clear);
            }
            bench.cycle();
        }
    }
}

#[test]
fn drops_are_counted() {
    for vcs in [1, 3, 8] {
        let mut random = Random::new(vcs, 6);
        let shape = shape(|c| c.virtual_channels.unicast = vcs as u32);
        let mut bench = started!(drop_counter(&shape));
        let mut count = 0u16;
        for cycle in 0..20_000 {
            // Long enough, with eight VCs, for the count to wrap.
            let dropped = vector((0..vcs).map(|_| cycle > 1000 || random.below(4) == 0));
            bench.tail_dropped.next = dropped.clone();
            bench.reset.next = cycle < 1000 && random.below(100) == 0;
            let reset = bench.reset.next;
            bench.cycle();
            count = if reset { 0 } else { count.wrapping_add(dropped.to_u128().count_ones() as u16) };
            assert_eq!(bench.drop_count.val(), Value::new(16, count), "cycle {cycle}");
            assert_eq!(bench.drop_valid.val(), if reset { Value::zero(vcs as usize) } else { dropped });
        }
    }
}

#[test]
fn planes_join_inputs_and_outputs() {
    for (inputs, outputs, width) in [(1, 2, 1), (5, 5, 18), (12, 3, 66), (16, 16, 200)] {
        let mut random = Random::new(inputs as u64, 7);
        let mut bench = Bench::combinational(crossbar_plane(inputs, outputs, width));
        for _ in 0..20 {
            let beats: Vec<Value> = (0..inputs).map(|_| vector((0..width).map(|_| random.below(2) == 0))).collect();
            // An input may go to several outputs, or to none.
            let owners: Vec<Option<usize>> =
                (0..outputs).map(|_| (random.below(4) > 0).then(|| random.below(inputs as u64) as usize)).collect();
            (0..inputs).for_each(|i| bench.beat[i].next = beats[i].clone());
            (0..outputs).for_each(|o| bench.select[o].next = one_hot(inputs, owners[o]));
            bench.settle();
            for (out, owner) in bench.out.iter().zip(owners) {
                assert_eq!(out.val(), owner.map_or(Value::zero(width), |i| beats[i].clone()));
            }
        }
    }
}
