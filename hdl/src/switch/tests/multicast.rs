//! A multicast packet for outputs that never have room together by themselves comes to them: once it has waited for
//! long, room is saved for it (section 6.1).

use super::at_pins::{drive, write};
use super::*;
use crate::rtl::Bench;
use railyard_spec::registers::address;

/// Groups: both slow outputs, and each alone.
const BOTH: u64 = 1;
const FIRST: usize = 2;

/// The cycle in which the packet for both comes, and the cycles that the favoured packet waits before room is saved for
/// it.
const COMES: usize = 50;
const WAITS: usize = 64;
const CYCLES: usize = 400;

/// A packet of one flit for this output or group. Bits from 8 on say where it came from.
fn packet(input: usize, multicast: bool, to: u64) -> u64 {
    (input as u64) << 8 | u64::from(multicast) << 2 | to
}

/// Four ports. The buffers behind outputs 2 and 3 free one packet in `PERIOD` cycles, by turns, and inputs 1 and 2
/// always have one for them: multicast packets for one output if `narrow`, else unicast ones. When the buffers are
/// full, one for both comes to input 0. By output, the cycles in which something leaves, and which input it came from.
fn run(crossbar: Crossbar, buffer_flits: u32, narrow: bool) -> Vec<Vec<(usize, u64)>> {
    const PERIOD: usize = 16;
    let mut config = Config::named("test");
    (config.ports, config.flit_bits, config.crossbar) = (4, 32, crossbar);
    (config.packet.max_flits, config.buffer_flits, config.flow_control) =
        (1, Some(buffer_flits), FlowControl::Relative);
    config.routing = Routing::Source(SourceRouting { hops: 1 });
    (config.virtual_channels.unicast, config.virtual_channels.mixed, config.multicast.groups) = (1, 1, 4);
    let (shape, mixed) = (config.check().unwrap().shape(), 1);
    let mut bench = Bench::new(switch(&shape), |b| &mut b.clock);
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;
    for _ in 0..6 {
        bench.cycle();
    }
    for (group, outputs) in [(BOTH as usize, 0b1100), (FIRST, 0b0100), (FIRST + 1, 0b1000)] {
        write(&mut bench, address::MULTICAST_MASK_LOW, outputs);
        write(&mut bench, address::MULTICAST_WRITE, 1 << 16 | group as u32);
    }

    let mut left = vec![vec![]; 4];
    let mut occupancy = [0; 4];
    let mut credit = [0, buffer_flits as usize, buffer_flits as usize];
    for t in 0..CYCLES {
        credit[0] = usize::from(t == COMES);
        for input in 0..3 {
            let sends = credit[input] > 0;
            let to = if input == 0 { BOTH } else { input as u64 + 1 };
            let flit = packet(input, narrow || input == 0, to);
            drive(&mut bench, input, sends.then_some((mixed, true, true, flit)));
            credit[input] -= usize::from(sends);
        }
        for output in [2, 3] {
            let frees = occupancy[output] > 0 && t % PERIOD == (output - 2) * PERIOD / 2;
            occupancy[output] -= usize::from(frees);
            bench.tx_credit_valid[output * shape.vcs + mixed].next = frees;
            bench.tx_credit[output * shape.vcs + mixed].next = 1u32.into();
        }
        bench.settle();
        for input in 1..3 {
            if bench.rx_credit_valid[input * shape.vcs + mixed].val() {
                credit[input] += bench.rx_credit[input * shape.vcs + mixed].val().index();
            }
        }
        for output in 0..4 {
            if bench.tx[output].valid.val() {
                occupancy[output] += 1;
                left[output].push((t, bench.tx[output].flit.val().to_u128() as u64 >> 8));
            }
        }
        bench.cycle();
    }
    left
}

#[test]
fn outputs_that_have_room_by_turns_come_to_have_it_together() {
    for crossbar in [Crossbar::Parallel, Crossbar::Single] {
        for (buffer_flits, narrow) in [(2, false), (2, true), (4, false), (4, true)] {
            let left = run(crossbar, buffer_flits, narrow);
            let case = format!("{crossbar:?}, buffers of {buffer_flits}, narrow {narrow}");
            let wide = |output: usize| left[output].iter().position(|(_, input)| *input == 0);
            let (two, three) = (wide(2), wide(3));
            assert!(two.is_some() && three.is_some(), "{case}: the packet for both starves");
            let (at_two, at_three) = (left[2][two.unwrap()].0, left[3][three.unwrap()].0);
            assert_eq!(at_two, at_three, "{case}: in the same cycle");
            assert!(at_two > COMES + WAITS, "{case}: in cycle {at_two}, the outputs have room together by themselves");
            assert!(left[0].is_empty() && left[1].is_empty(), "{case}: nothing goes elsewhere");
            for output in [2, 3] {
                let (last, _) = left[output][left[output].len() - 1];
                assert!(last > CYCLES - 20, "{case}: output {output} goes on");
            }
        }
    }
}
