//! round_robin_arbiter against the model's `RoundRobin` and, in the numbering of the single crossbar, `WideRoundRobin`.

use crate::support::{one_hot, Random};
use railyard_hdl::parts::round_robin_arbiter::round_robin_arbiter;
use railyard_hdl::rtl::Value;
use railyard_model::bits::MAX_VCS;
use railyard_model::parts::round_robin_arbiter::{RoundRobin, WideRoundRobin};

/// Requests as few as one or as many as all.
fn requests(random: &mut Random, n: usize) -> u64 {
    let dense = random.bits();
    let mask = match random.below(4) {
        0 => dense,
        1 => dense & random.bits(),
        2 => dense & random.bits() & random.bits() & random.bits(),
        _ => dense | random.bits(),
    };
    mask & (!0 >> (64 - n))
}

#[test]
fn round_robin() {
    for n in [1, 2, 3, 5, 8, 16, 23, 64] {
        let mut random = Random::new(n as u64, 1);
        let mut bench = started!(round_robin_arbiter(n));
        let mut model = RoundRobin::new(n);
        for cycle in 0..600 {
            let mask = requests(&mut random, n);
            let take = mask != 0 && random.below(3) > 0;
            bench.request.next = mask.into();
            bench.take.next = take;
            bench.reset.next = random.below(64) == 0;
            bench.settle();
            let winner = (mask != 0).then(|| model.pick(mask));
            assert_eq!(
                bench.grant.val(),
                one_hot(n, winner),
                "{n} requesters, cycle {cycle}, pointer {}",
                model.pointer()
            );
            if bench.reset.next {
                model = RoundRobin::new(n);
            } else if take {
                model.grant(mask);
            }
            bench.cycle();
        }
    }
}

#[test]
fn round_robin_over_inputs_and_vcs() {
    for (n, k) in [(2, 1), (3, 2), (5, 8), (16, 2), (64, 3)] {
        let mut random = Random::new(n as u64, 2);
        let mut bench = started!(round_robin_arbiter(n * k));
        let mut model = WideRoundRobin::new(n, k);
        for cycle in 0..300 {
            let mut by_vc = [0; MAX_VCS];
            by_vc[..k].fill_with(|| requests(&mut random, n));
            let any = by_vc.iter().any(|&mask| mask != 0);
            let take = any && random.below(3) > 0;
            bench.request.next = (0..n * k).fold(Value::zero(n * k), |all, element| {
                all.replace_bit(element, by_vc[element % k] >> (element / k) & 1 == 1)
            });
            bench.take.next = take;
            bench.settle();
            let winner = any.then(|| model.pick(&by_vc));
            assert_eq!(bench.grant.val(), one_hot(n * k, winner.map(|(i, v)| i * k + v)), "{n} x {k}, cycle {cycle}");
            if take {
                model.advance(winner.expect("a request"));
            }
            bench.cycle();
        }
    }
}
