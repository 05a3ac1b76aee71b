//! The NAS parallel benchmarks as communication patterns, with the iterations of class A; and collective operations.
//!
//! Who sends to whom, in which order and how often is that of the benchmarks' MPI version, written from its description; collective
//! operations in them are the usual algorithms of `patterns`. The size of messages plays no part: each is a packet. DT is its
//! three graphs.

use super::patterns::{
    all_gather, all_reduce, all_to_all, broadcast, butterfly, grid, multi_partition, neighbours, transpose, wave_front,
    Messages,
};
use super::{Job, Phase};
use crate::Seed;

/// Calls of a collective operation.
const CALLS: u64 = 100;
/// Sources (or sinks) of a DT graph of class A.
const DT_SOURCES: u64 = 16;

/// All jobs, for a number of ranks that is a power of four.
pub fn jobs(ranks: u64) -> Vec<Job> {
    let nas = |name: &str, phases| Job { name: name.into(), seed: Seed::Between(99.7, 100.0), phases };
    let dt = |graph: &str, messages| Job {
        name: format!("DT {graph}"),
        seed: Seed::Number(95.6),
        phases: vec![Phase { times: 1, messages }],
    };
    let collective = |name: &str, messages| Job {
        name: name.into(),
        seed: Seed::Silent,
        phases: vec![Phase { times: CALLS, messages }],
    };
    let reduce = |times| Phase { times, messages: all_reduce(ranks) };
    vec![
        nas("BT", vec![Phase { times: 200, messages: multi_partition_sweeps(ranks) }, reduce(2)]),
        nas("CG", vec![Phase { times: 15 * 25, messages: conjugate_gradient(ranks) }]),
        dt("black hole", black_hole()),
        dt("white hole", black_hole().into_iter().rev().map(|(from, to)| (to, from)).collect()),
        dt("shuffle", shuffle()),
        nas("EP", vec![reduce(3)]),
        // Six iterations, after the first transform and one to warm up.
        nas("FT", vec![Phase { times: 8, messages: [all_to_all(ranks), all_reduce(ranks)].concat() }]),
        // Ten iterations, after one to warm up.
        nas(
            "IS",
            vec![Phase { times: 11, messages: [all_reduce(ranks), all_to_all(ranks), all_to_all(ranks)].concat() }],
        ),
        nas("LU", vec![Phase { times: 250, messages: lower_upper(ranks) }, reduce(3)]),
        nas("MG", vec![Phase { times: 4, messages: multigrid(ranks) }, reduce(3)]),
        nas("SP", vec![Phase { times: 400, messages: multi_partition_sweeps(ranks) }, reduce(2)]),
        collective("all-to-all", all_to_all(ranks)),
        collective("all-reduce", all_reduce(ranks)),
        collective("broadcast", broadcast(ranks)),
        collective("all-gather", all_gather(ranks)),
    ]
}

/// Side of a square of ranks.
fn side(ranks: u64) -> u64 {
    grid(ranks, 2)[0]
}

/// BT and SP: faces are exchanged in all six directions; then a sweep forward and one back in each dimension, cell by cell.
fn multi_partition_sweeps(ranks: u64) -> Messages {
    let side = side(ranks);
    let both = [true, false];
    let faces = (0..3).flat_map(|direction| both.map(|forward| multi_partition(side, direction, forward)));
    let sweep = |direction, forward| (1..side).map(move |_| multi_partition(side, direction, forward));
    let sweeps = (0..3).flat_map(|direction| sweep(direction, true).chain(sweep(direction, false)));
    faces.chain(sweeps).flatten().collect()
}

/// CG, one inner step: a sum along rows, the transpose, and two inner products, each a sum along rows.
fn conjugate_gradient(ranks: u64) -> Messages {
    let row = || butterfly(ranks, 0, side(ranks).trailing_zeros());
    [row(), transpose(side(ranks)), row(), row()].concat()
}

/// DT: a tree in which four send to one.
fn black_hole() -> Messages {
    let (mut first, mut width, mut messages) = (0, DT_SOURCES, Vec::new());
    while width > 1 {
        messages.extend((0..width).map(|i| (first + i, first + width + i / 4)));
        (first, width) = (first + width, width / 4);
    }
    messages
}

/// DT: layers of a butterfly.
fn shuffle() -> Messages {
    let layer = |bit: u32| {
        let first = u64::from(bit) * DT_SOURCES;
        let to = move |i: u64| [i, i ^ 1 << bit].map(|j| (first + i, first + DT_SOURCES + j));
        (0..DT_SOURCES).flat_map(to)
    };
    (0..DT_SOURCES.trailing_zeros()).flat_map(layer).collect()
}

/// LU: wave fronts through the 62 inner planes there and back, and an exchange with the neighbours.
fn lower_upper(ranks: u64) -> Messages {
    const PLANES: usize = 62;
    let grid = grid(ranks, 2);
    let waves = |forward| std::iter::repeat_with(move || wave_front(&[side(ranks), side(ranks)], forward)).take(PLANES);
    let exchange = [wave_front(&grid, true), wave_front(&grid, false)];
    waves(true).chain(waves(false)).chain(exchange).flatten().collect()
}

/// MG, one V-cycle over the eight levels of a 256-cube: four exchanges with the neighbours on each, down and up; on coarse levels
/// fewer ranks take part.
fn multigrid(ranks: u64) -> Messages {
    const LEVELS: u32 = 8;
    let grid = grid(ranks, 3);
    let level = |level: u32| {
        let distance = (grid[0] >> level.min(63)).max(1);
        (0..2).flat_map(|_| neighbours(&grid, distance)).collect::<Messages>()
    };
    (1..=LEVELS).rev().chain(1..=LEVELS).flat_map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dt_has_the_nodes_of_class_a() {
        let nodes = |messages: Messages| messages.into_iter().map(|(from, to)| from.max(to) + 1).max();
        assert_eq!((nodes(black_hole()), nodes(shuffle())), (Some(21), Some(80)));
        assert_eq!((black_hole().len(), shuffle().len()), (20, 128));
    }

    #[test]
    fn nobody_sends_to_itself_or_beyond() {
        for job in jobs(256) {
            let all = job.phases.iter().flat_map(|phase| &phase.messages);
            assert!(all.clone().all(|(from, to)| from != to && *from.max(to) < 256), "{}", job.name);
        }
    }

    #[test]
    fn iterations_are_those_of_class_a() {
        let messages = |name: &str| jobs(256).iter().find(|job| job.name == name).unwrap().messages();
        assert_eq!(messages("BT"), 200 * 256 * (6 + 3 * 30) + 2 * 8 * 256);
        assert_eq!(messages("EP"), 3 * 8 * 256);
    }
}
