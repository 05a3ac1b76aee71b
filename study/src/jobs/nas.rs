//! The NAS parallel benchmarks as communication patterns, with the iterations of class A; and collective operations.
//!
//! Who sends to whom, in which order and how often is that of the MPI codes of version 3.3, written anew; collective
//! operations in them are the usual algorithms of `patterns`, a barrier that of an all-reduce. The size of messages
//! plays no part: each is a packet. DT is its three graphs.

use super::patterns::{
    all_gather, all_reduce, all_to_all, broadcast, butterfly, grid, multi_partition, neighbours, reduce, refined,
    transpose, wave_front, within, Messages,
};
use super::{Job, JobPhase};
use crate::Seed;

/// Calls of a collective operation.
const CALLS: u64 = 100;
/// Sources (or sinks) of a DT graph of class A.
const DT_SOURCES: u64 = 16;

fn once(messages: Messages) -> JobPhase {
    JobPhase { times: 1, messages }
}

/// All jobs, for a number of ranks that is a power of four.
pub fn jobs(ranks: u64) -> Vec<Job> {
    let nas = |name: &str, phases| Job { name: name.into(), seed: Seed::Between(99.7, 100.0), is_traced: true, phases };
    let dt = |graph: &str, messages| Job {
        name: format!("DT {graph}"),
        seed: Seed::Number(95.6),
        is_traced: true,
        phases: vec![once(messages)],
    };
    let collective = |name: &str, messages| Job {
        name: name.into(),
        seed: Seed::Silent,
        is_traced: false,
        phases: vec![JobPhase { times: CALLS, messages }],
    };
    let reduces = |times| JobPhase { times, messages: all_reduce(ranks) };
    vec![
        nas("BT", vec![JobPhase { times: 200, messages: multi_partition_sweeps(ranks) }, reduces(2)]),
        nas("CG", vec![JobPhase { times: 15 * 25, messages: conjugate_gradient(ranks) }]),
        dt("black hole", data_traffic(&black_hole())),
        dt("white hole", data_traffic(&white_hole())),
        dt("shuffle", data_traffic(&shuffle())),
        // The flag of the timers, a barrier, two sums, the counts and the time.
        nas("EP", vec![once(broadcast(ranks)), reduces(1), reduces(4)]),
        nas("FT", fourier_transform(ranks)),
        // Ten iterations, after one to warm up.
        nas(
            "IS",
            vec![JobPhase { times: 11, messages: [all_reduce(ranks), all_to_all(ranks), all_to_all(ranks)].concat() }],
        ),
        nas("LU", vec![JobPhase { times: 250, messages: lower_upper(ranks) }, reduces(3)]),
        nas("MG", multigrid(ranks)),
        nas("SP", vec![JobPhase { times: 400, messages: multi_partition_sweeps(ranks) }, reduces(2)]),
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

/// BT and SP: faces are exchanged in all six directions; then a sweep forward and one back in each dimension, cell by
/// cell.
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

/// DT: along each arc of a graph the length of an array, then the array; then each sink's checksum to rank 0. Nodes are
/// in the order in which their ranks send.
fn data_traffic(arcs: &Messages) -> Messages {
    let sends = |rank| arcs.iter().any(|(from, _)| *from == rank);
    let sinks = arcs.iter().map(|(_, to)| *to).filter(|to| !sends(*to)).collect::<std::collections::BTreeSet<u64>>();
    let twice = arcs.iter().flat_map(|arc| [*arc, *arc]);
    twice.chain(sinks.into_iter().map(|sink| (sink, 0))).collect()
}

/// DT: a tree in which four send to one.
fn black_hole() -> Messages {
    let (mut first, mut width, mut arcs) = (0, DT_SOURCES, Vec::new());
    while width > 1 {
        arcs.extend((0..width).map(|i| (first + i, first + width + i / 4)));
        (first, width) = (first + width, width / 4);
    }
    arcs
}

/// DT: the same tree the other way, its nodes numbered from the source on.
fn white_hole() -> Messages {
    let last = black_hole().iter().map(|(_, to)| *to).max().expect("a tree has arcs");
    let mut arcs: Messages = black_hole().into_iter().map(|(from, to)| (last - to, last - from)).collect();
    arcs.sort_by_key(|(from, _)| *from);
    arcs
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

/// FT: a transform and a warm-up of it, then six inverse ones, each with a checksum at rank 0. A cube of 128 planes is
/// laid out in two dimensions if there are more ranks than planes: then a transposition is in groups of ranks that are
/// `PLANES` large and in groups across them.
fn fourier_transform(ranks: u64) -> Vec<JobPhase> {
    const PLANES: u64 = 128;
    const INVERSE: u64 = 6;
    let transposed = |groups: u64| {
        let group = |first| (0..ranks / groups).map(|i| first + i * groups).collect::<Vec<u64>>();
        within(&(0..groups).map(group).collect::<Vec<_>>(), all_to_all)
    };
    let (forth, back) = if ranks > PLANES {
        let groups = ranks / PLANES;
        let across: Vec<Vec<u64>> = (0..PLANES).map(|i| (i * groups..(i + 1) * groups).collect()).collect();
        let (planes, across) = (transposed(groups), within(&across, all_to_all));
        ([planes.clone(), across.clone()].concat(), [across, planes].concat())
    } else {
        (all_to_all(ranks), all_to_all(ranks))
    };
    vec![
        JobPhase { times: 5, messages: broadcast(ranks) },
        once(forth.clone()),
        once(all_reduce(ranks)),
        once(forth),
        JobPhase { times: INVERSE, messages: [back, reduce(ranks)].concat() },
    ]
}

/// LU: wave fronts through the 62 inner planes there and back, and an exchange with the neighbours.
fn lower_upper(ranks: u64) -> Messages {
    const PLANES: usize = 62;
    let grid = grid(ranks, 2);
    let waves = |forward| std::iter::repeat_with(move || wave_front(&[side(ranks), side(ranks)], forward)).take(PLANES);
    let exchange = [wave_front(&grid, true), wave_front(&grid, false)];
    waves(true).chain(waves(false)).chain(exchange).flatten().collect()
}

/// MG on a 256-cube: the ranks of each level, and what they exchange.
struct Multigrid {
    grid: Vec<u64>,
}

impl Multigrid {
    const LEVELS: u32 = 8;

    /// The first dimension is the smallest, as the code deals ranks out.
    fn new(ranks: u64) -> Multigrid {
        let mut grid = grid(ranks, 3);
        grid.reverse();
        Multigrid { grid }
    }

    /// In each dimension: one of so many ranks is left on that level.
    fn steps(&self, level: u32) -> Vec<u64> {
        self.grid.iter().map(|ranks| (ranks >> level.min(63)).max(1)).collect()
    }

    fn exchange(&self, level: u32) -> Messages {
        neighbours(&self.grid, &self.steps(level))
    }

    fn refine(&self, level: u32) -> Messages {
        refined(&self.grid, &self.steps(level - 1), &self.steps(level))
    }

    /// Restriction down to the coarsest level, a smoother there, and on the way up interpolation, residual and
    /// smoother; then the residual.
    fn cycle(&self) -> Messages {
        let down = (1..Multigrid::LEVELS).rev().map(|level| self.exchange(level));
        let up =
            (2..=Multigrid::LEVELS).flat_map(|level| [self.refine(level), self.exchange(level), self.exchange(level)]);
        let ends = [self.exchange(1)].into_iter().chain(up).chain([self.exchange(Multigrid::LEVELS)]);
        down.chain(ends).flatten().collect()
    }
}

/// MG: parameters, initial values twice (the ten largest and smallest are found one by one, by two all-reduces each), a
/// cycle to warm up, four cycles, and norms of two all-reduces.
fn multigrid(ranks: u64) -> Vec<JobPhase> {
    const CYCLES: u64 = 4;
    const EXTREMES: u64 = 2 * 10;
    let multigrid = Multigrid::new(ranks);
    let reduces = |times| JobPhase { times, messages: all_reduce(ranks) };
    let (finest, cycle) = (multigrid.exchange(Multigrid::LEVELS), multigrid.cycle());
    let initial = |norms: u64| {
        // Barriers around the search, the borders, norms.
        vec![reduces(1), reduces(2 * EXTREMES), reduces(1), once(finest.clone()), reduces(2 * norms)]
    };
    let start = vec![reduces(1), JobPhase { times: 7, messages: broadcast(ranks) }];
    let warm_up = vec![once(finest.clone()), reduces(2), once(cycle.clone())];
    let timed = vec![
        reduces(1),
        once(finest.clone()),
        reduces(2),
        JobPhase { times: CYCLES, messages: cycle },
        reduces(2),
        once(reduce(ranks)),
    ];
    [start, initial(1), warm_up, initial(0), timed].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two messages an arc, and a checksum from each sink.
    #[test]
    fn dt_has_the_graphs_of_class_a() {
        let nodes = |arcs: &Messages| arcs.iter().map(|(from, to)| from.max(to) + 1).max();
        let graphs = [black_hole(), white_hole(), shuffle()];
        assert_eq!(graphs.each_ref().map(nodes), [Some(21), Some(21), Some(80)]);
        assert_eq!(graphs.each_ref().map(Vec::len), [20, 20, 128]);
        assert_eq!(graphs.each_ref().map(|arcs| data_traffic(arcs).len()), [41, 56, 272]);
        assert_eq!(white_hole()[..4], [(0, 4), (0, 3), (0, 2), (0, 1)]);
        assert!(graphs.iter().flatten().all(|(from, to)| from < to), "nodes are sorted");
    }

    /// 256 ranks and 128 planes: groups of 128 and of 2.
    #[test]
    fn ft_is_laid_out_in_two_dimensions() {
        let forth = &fourier_transform(256)[1].messages;
        assert_eq!(forth.len(), 256 * (127 + 1));
        assert!(forth.iter().all(|(from, to)| from % 2 == to % 2 || from / 2 == to / 2));
        assert_eq!(fourier_transform(64)[1].messages.len(), 64 * 63);
    }

    #[test]
    fn coarse_grids_have_fewer_ranks() {
        let multigrid = Multigrid::new(256);
        assert_eq!(multigrid.grid, [4, 8, 8]);
        assert_eq!([3, 2, 1].map(|level| multigrid.steps(level)), [vec![1, 1, 1], vec![1, 2, 2], vec![2, 4, 4]]);
        assert_eq!([3, 2, 1].map(|level| multigrid.exchange(level).len()), [6 * 256, 6 * 64, 6 * 8]);
        assert!(multigrid.refine(8).is_empty() && !multigrid.refine(2).is_empty());
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
        assert_eq!(messages("EP"), 255 + (1 + 4) * 8 * 256);
    }
}
