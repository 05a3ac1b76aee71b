//! The NAS parallel benchmarks as communication patterns, and collective operations.
//!
//! Who sends to whom, in which order and how often is that of the MPI codes of version 3.3, written anew; collective
//! operations in them are the usual algorithms of `patterns`, a barrier that of an all-reduce. Sizes of messages follow
//! from the class: faces of a rank's part of the grid, parts of a vector, keys. Operations are those that the codes
//! count for their Mop/s. DT is its three graphs, and has no operations.

use super::patterns::{
    all_gather, all_reduce, all_to_all, broadcast, butterfly, grid, multi_partition, neighbours, reduce, refined,
    transpose, wave_front, within, Messages,
};
use super::{sized, Job, JobPhase, Round};
use crate::Seed;

/// Calls of a collective operation.
const CALLS: u64 = 100;
/// Bytes of a collective operation's message, where it is not one number.
const BLOCK: u64 = 1024;
/// Bytes of a number.
const NUMBER: u64 = 8;

/// Size of a benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Class A.
    A,
    /// Class B.
    B,
}

/// The numbers of a class.
struct Sizes {
    /// BT, LU and SP: points in a dimension.
    cube: u64,
    /// CG: rows, numbers of a row, outer iterations.
    rows: u64,
    row_numbers: u64,
    outer: u64,
    /// DT: sources (or sinks), numbers along an arc.
    sources: u64,
    samples: u64,
    /// FT: points, planes, inverse transforms.
    points: u64,
    planes: u64,
    inverse: u64,
    /// IS: keys.
    keys: u64,
    /// MG: cycles.
    cycles: u64,
}

impl Class {
    /// Its letter.
    pub const fn name(self) -> char {
        match self {
            Class::A => 'A',
            Class::B => 'B',
        }
    }

    const fn sizes(self) -> Sizes {
        match self {
            Class::A => Sizes {
                cube: 64,
                rows: 14_000,
                row_numbers: 11,
                outer: 15,
                sources: 16,
                samples: 110_592,
                points: 1 << 23,
                planes: 128,
                inverse: 6,
                keys: 1 << 23,
                cycles: 4,
            },
            Class::B => Sizes {
                cube: 102,
                rows: 75_000,
                row_numbers: 13,
                outer: 75,
                sources: 32,
                samples: 884_736,
                points: 1 << 25,
                planes: 256,
                inverse: 20,
                keys: 1 << 25,
                cycles: 20,
            },
        }
    }
}

fn once(rounds: Vec<Round>) -> JobPhase {
    JobPhase::new(1, rounds)
}

/// All jobs, for a number of ranks that is a power of four.
pub fn jobs(ranks: u64, class: Class) -> Vec<Job> {
    let nas = |name: &str, phases| Job {
        name: name.into(),
        seed: Seed::Between(99.7, 100.0),
        is_traced: true,
        class,
        phases,
    };
    let sizes = class.sizes();
    let dt = |graph: &str, arcs: &Messages| Job {
        name: format!("DT {graph}"),
        seed: Seed::Number(95.6),
        is_traced: true,
        class,
        phases: vec![once(data_traffic(arcs, sizes.samples))],
    };
    let collective = |name: &str, rounds| Job {
        name: name.into(),
        seed: Seed::Silent,
        is_traced: false,
        class,
        phases: vec![JobPhase::new(CALLS, rounds)],
    };
    let reduces = |times| JobPhase::new(times, sums(ranks));
    vec![
        nas("BT", vec![block_tridiagonal(ranks, sizes.cube), reduces(2)]),
        nas("CG", vec![conjugate_gradient(ranks, &sizes)]),
        dt("black hole", &black_hole(sizes.sources)),
        dt("white hole", &white_hole(sizes.sources)),
        dt("shuffle", &shuffle(sizes.sources)),
        // The flag of the timers, a barrier, two sums, the counts and the time.
        nas("EP", vec![once(sized(broadcast(ranks), NUMBER)), reduces(1), reduces(4)]),
        nas("FT", fourier_transform(ranks, &sizes)),
        nas("IS", vec![integer_sort(ranks, sizes.keys)]),
        nas("LU", vec![lower_upper(ranks, sizes.cube), reduces(3)]),
        nas("MG", multigrid(ranks, sizes.cycles)),
        nas("SP", vec![scalar_pentadiagonal(ranks, sizes.cube), reduces(2)]),
        collective("all-to-all", sized(all_to_all(ranks), BLOCK)),
        collective("all-reduce", sums(ranks)),
        collective("broadcast", sized(broadcast(ranks), BLOCK)),
        collective("all-gather", sized(all_gather(ranks), BLOCK)),
    ]
}

/// The jobs whose speed the seed simulates, FT and IS in class A and the others in class B, and collective operations.
/// Left out are graphs of DT with more nodes than there are ranks.
pub fn applications(ranks: u64) -> Vec<Job> {
    let [small, large] = [Class::A, Class::B].map(|class| jobs(ranks, class));
    let is_small = |job: &Job| ["FT", "IS"].contains(&job.name.as_str());
    let all = small.into_iter().zip(large).map(|(small, large)| if is_small(&small) { small } else { large });
    all.filter(|job| job.name != "EP" && job.ranks() <= ranks).collect()
}

/// All-reduce of a number.
fn sums(ranks: u64) -> Vec<Round> {
    sized(all_reduce(ranks), NUMBER)
}

/// Side of a square of ranks.
fn side(ranks: u64) -> u64 {
    grid(ranks, 2)[0]
}

/// Operations of an iteration on a cube, by the powers of its points in a dimension, the third first.
fn polynomial(points: u64, factors: [f64; 4]) -> f64 {
    factors.into_iter().fold(0.0, |sum, factor| sum * points as f64 + factor)
}

/// BT: a sweep carries a block of 5 x 5 and a vector for each point of a face forward, and a vector back.
fn block_tridiagonal(ranks: u64, cube: u64) -> JobPhase {
    let operations = polynomial(cube, [3478.8, -17_655.7, 28_023.7, 0.0]);
    JobPhase { operations, ..JobPhase::new(200, multi_partition_sweeps(ranks, cube, [30, 5])) }
}

/// SP: a sweep carries 22 numbers for each point of a face forward, and ten back.
fn scalar_pentadiagonal(ranks: u64, cube: u64) -> JobPhase {
    let operations = polynomial(cube, [881.174, -4683.91, 11_484.5, -19_272.4]);
    JobPhase { operations, ..JobPhase::new(400, multi_partition_sweeps(ranks, cube, [22, 10])) }
}

/// BT and SP: faces, two layers of five numbers, are exchanged in all six directions; then a sweep forward and one back
/// in each dimension, cell by cell, with so many numbers for each point of a face.
fn multi_partition_sweeps(ranks: u64, cube: u64, numbers: [u64; 2]) -> Vec<Round> {
    let side = side(ranks);
    let face = NUMBER * cube.div_ceil(side).pow(2);
    let both = [true, false];
    let faces = (0..3).flat_map(|direction| both.map(|forward| multi_partition(side, direction, forward).concat()));
    let faces = vec![faces.collect::<Vec<Messages>>().concat()];
    let sweep = |direction, forward: bool| {
        let bytes = face * numbers[usize::from(!forward)];
        (1..side).flat_map(move |_| sized(multi_partition(side, direction, forward), bytes))
    };
    let sweeps = (0..3).flat_map(|direction| sweep(direction, true).chain(sweep(direction, false)));
    sized(faces, 10 * side * face).into_iter().chain(sweeps).collect()
}

/// CG, one inner step of 25: a sum of vectors along rows, the transpose, and two inner products, each a sum along rows.
fn conjugate_gradient(ranks: u64, sizes: &Sizes) -> JobPhase {
    const INNER: u64 = 25;
    let side = side(ranks);
    let row = |bytes| sized(butterfly(ranks, 0, side.trailing_zeros()), bytes);
    let vector = NUMBER * sizes.rows / side;
    let rounds = [row(vector), sized(transpose(side), vector), row(NUMBER), row(NUMBER)].concat();
    let numbers = (sizes.row_numbers * (sizes.row_numbers + 1)) as f64;
    let outer = 2.0 * sizes.rows as f64 * (3.0 + numbers + INNER as f64 * (5.0 + numbers) + 3.0);
    JobPhase { operations: outer / INNER as f64, ..JobPhase::new(sizes.outer * INNER, rounds) }
}

/// DT: along each arc of a graph the length of an array, then the array; then each sink's checksum to rank 0. Nodes are
/// in the order in which their ranks send.
fn data_traffic(arcs: &Messages, samples: u64) -> Vec<Round> {
    let sends = |rank| arcs.iter().any(|(from, _)| *from == rank);
    let sinks = arcs.iter().map(|(_, to)| *to).filter(|to| !sends(*to)).collect::<std::collections::BTreeSet<u64>>();
    let node =
        |of_one: &[(u64, u64)]| [NUMBER / 2, NUMBER * samples].map(|bytes| Round { messages: of_one.into(), bytes });
    let arcs = arcs.chunk_by(|a, b| a.0 == b.0).flat_map(node);
    let checksums = Round { messages: sinks.into_iter().map(|sink| (sink, 0)).collect(), bytes: NUMBER };
    arcs.chain([checksums]).collect()
}

/// DT: a tree in which four send to one.
fn black_hole(sources: u64) -> Messages {
    let (mut first, mut width, mut arcs) = (0, sources, Vec::new());
    while width > 1 {
        arcs.extend((0..width).map(|i| (first + i, first + width + i / 4)));
        (first, width) = (first + width, width.div_ceil(4));
    }
    arcs
}

/// DT: the same tree the other way, its nodes numbered from the source on.
fn white_hole(sinks: u64) -> Messages {
    let tree = black_hole(sinks);
    let last = tree.iter().map(|(_, to)| *to).max().expect("a tree has arcs");
    let mut arcs: Messages = tree.into_iter().map(|(from, to)| (last - to, last - from)).collect();
    arcs.sort_by_key(|(from, _)| *from);
    arcs
}

/// DT: layers of a butterfly.
fn shuffle(sources: u64) -> Messages {
    let layer = |bit: u32| {
        let first = u64::from(bit) * sources;
        let to = move |i: u64| [i, i ^ 1 << bit].map(|j| (first + i, first + sources + j));
        (0..sources).flat_map(to)
    };
    (0..sources.trailing_zeros()).flat_map(layer).collect()
}

/// FT: a transform and a warm-up of it, then inverse ones, each with a checksum at rank 0. A cube is laid out in two
/// dimensions if there are more ranks than planes: then a transposition is in groups of ranks that are as large as
/// there are planes and in groups across them.
fn fourier_transform(ranks: u64, sizes: &Sizes) -> Vec<JobPhase> {
    const COMPLEX: u64 = 2 * NUMBER;
    let planes = sizes.planes;
    let among = |groups: &[Vec<u64>]| {
        let bytes = COMPLEX * sizes.points / ranks / groups[0].len() as u64;
        sized(within(groups, all_to_all), bytes)
    };
    let (forth, back) = if ranks > planes {
        let groups = ranks / planes;
        let group = |first| (0..planes).map(|i| first + i * groups).collect::<Vec<u64>>();
        let across: Vec<Vec<u64>> = (0..planes).map(|i| (i * groups..(i + 1) * groups).collect()).collect();
        let (planes, across) = (among(&(0..groups).map(group).collect::<Vec<_>>()), among(&across));
        ([planes.clone(), across.clone()].concat(), [across, planes].concat())
    } else {
        let all = among(&[(0..ranks).collect()]);
        (all.clone(), all)
    };
    let points = sizes.points as f64;
    let inverse = [back, sized(reduce(ranks), COMPLEX)].concat();
    vec![
        JobPhase::new(5, sized(broadcast(ranks), NUMBER)),
        once(forth.clone()),
        once(sums(ranks)),
        once(forth),
        JobPhase { operations: points * (5.23518 + 7.21113 * points.ln()), ..JobPhase::new(sizes.inverse, inverse) },
    ]
}

/// IS: ten iterations, after one to warm up: sizes of buckets, numbers of keys, keys.
fn integer_sort(ranks: u64, keys: u64) -> JobPhase {
    const KEY: u64 = 4;
    const BUCKETS: u64 = 1 << 10;
    let sizes = sized(all_reduce(ranks), KEY * BUCKETS);
    let [counts, keys_of_pair] = [1, keys / ranks.pow(2)].map(|keys| sized(all_to_all(ranks), KEY * keys));
    JobPhase { operations: keys as f64, ..JobPhase::new(11, [sizes, counts, keys_of_pair].concat()) }
}

/// LU: wave fronts through the inner planes there and back, five numbers for each point of an edge, and an exchange of
/// two layers with the neighbours.
fn lower_upper(ranks: u64, cube: u64) -> JobPhase {
    let (grid, planes) = (grid(ranks, 2), cube as usize - 2);
    let edge = 5 * NUMBER * cube.div_ceil(side(ranks));
    let waves = |forward| std::iter::repeat_n(sized(wave_front(&grid, forward), edge), planes).flatten();
    let exchange = [true, false].map(|forward| wave_front(&grid, forward).concat());
    let exchange = sized(exchange.into(), 2 * cube * edge);
    let rounds = waves(true).chain(waves(false)).chain(exchange).collect();
    JobPhase { operations: polynomial(cube, [1984.77, -10_923.3, 27_770.9, -144_010.0]), ..JobPhase::new(250, rounds) }
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

    /// Rounds of a level, one for each dimension, with the faces of a rank's part.
    fn faces(&self, level: u32, rounds: Vec<Messages>) -> Vec<Round> {
        let part: Vec<u64> = self.grid.iter().map(|ranks| ((1 << level) / ranks).max(1)).collect();
        let volume: u64 = part.iter().product();
        let bytes = |i: usize| NUMBER * volume / part[i];
        rounds.into_iter().enumerate().map(|(i, messages)| Round { messages, bytes: bytes(i) }).collect()
    }

    fn exchange(&self, level: u32) -> Vec<Round> {
        self.faces(level, neighbours(&self.grid, &self.steps(level)))
    }

    fn refine(&self, level: u32) -> Vec<Round> {
        self.faces(level, refined(&self.grid, &self.steps(level - 1), &self.steps(level)))
    }

    /// Restriction down to the coarsest level, a smoother there, and on the way up interpolation, residual and
    /// smoother; then the residual.
    fn cycle(&self) -> Vec<Round> {
        let down = (1..Multigrid::LEVELS).rev().map(|level| self.exchange(level));
        let up =
            (2..=Multigrid::LEVELS).flat_map(|level| [self.refine(level), self.exchange(level), self.exchange(level)]);
        let ends = [self.exchange(1)].into_iter().chain(up).chain([self.exchange(Multigrid::LEVELS)]);
        down.chain(ends).flatten().collect()
    }
}

/// MG: parameters, initial values twice (the ten largest and smallest are found one by one, by two all-reduces each), a
/// cycle to warm up, the cycles, and norms of two all-reduces.
fn multigrid(ranks: u64, cycles: u64) -> Vec<JobPhase> {
    const EXTREMES: u64 = 2 * 10;
    /// Operations of a cycle for each point.
    const OPERATIONS: f64 = 58.0;
    let multigrid = Multigrid::new(ranks);
    let reduces = |times| JobPhase::new(times, sums(ranks));
    let (finest, cycle) = (multigrid.exchange(Multigrid::LEVELS), multigrid.cycle());
    let initial = |norms: u64| {
        // Barriers around the search, the borders, norms.
        vec![reduces(1), reduces(2 * EXTREMES), reduces(1), once(finest.clone()), reduces(2 * norms)]
    };
    let start = vec![reduces(1), JobPhase::new(7, sized(broadcast(ranks), NUMBER))];
    let warm_up = vec![once(finest.clone()), reduces(2), once(cycle.clone())];
    let operations = OPERATIONS * f64::from(1u32 << (3 * Multigrid::LEVELS));
    let timed = vec![
        reduces(1),
        once(finest.clone()),
        reduces(2),
        JobPhase { operations, ..JobPhase::new(cycles, cycle) },
        reduces(2),
        once(sized(reduce(ranks), NUMBER)),
    ];
    [start, initial(1), warm_up, initial(0), timed].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(rounds: &[Round]) -> usize {
        rounds.iter().map(|round| round.messages.len()).sum()
    }

    /// Two messages an arc, and a checksum from each sink.
    #[test]
    fn dt_has_the_graphs_of_its_class() {
        let nodes = |arcs: &Messages| arcs.iter().map(|(from, to)| from.max(to) + 1).max();
        let graphs = |sources| [black_hole(sources), white_hole(sources), shuffle(sources)];
        assert_eq!(graphs(32).each_ref().map(nodes), [Some(43), Some(43), Some(192)]);
        let graphs = graphs(16);
        assert_eq!(graphs.each_ref().map(nodes), [Some(21), Some(21), Some(80)]);
        assert_eq!(graphs.each_ref().map(Vec::len), [20, 20, 128]);
        assert_eq!(graphs.each_ref().map(|arcs| count(&data_traffic(arcs, 1))), [41, 56, 272]);
        assert_eq!(white_hole(16)[..4], [(0, 4), (0, 3), (0, 2), (0, 1)]);
        assert!(graphs.iter().flatten().all(|(from, to)| from < to), "nodes are sorted");
    }

    /// 256 ranks and 128 planes: groups of 128 and of 2.
    #[test]
    fn ft_is_laid_out_in_two_dimensions() {
        let forth = |ranks| fourier_transform(ranks, &Class::A.sizes()).swap_remove(1);
        assert_eq!(forth(256).messages().count(), 256 * (127 + 1));
        assert!(forth(256).messages().all(|(from, to)| from % 2 == to % 2 || from / 2 == to / 2));
        assert_eq!(forth(64).messages().count(), 64 * 63);
        // All points but those that stay where they are go from rank to rank.
        assert_eq!(forth(64).rounds[0].bytes * 64 * 64, 16 << 23);
    }

    #[test]
    fn coarse_grids_have_fewer_ranks() {
        let multigrid = Multigrid::new(256);
        assert_eq!(multigrid.grid, [4, 8, 8]);
        assert_eq!([3, 2, 1].map(|level| multigrid.steps(level)), [vec![1, 1, 1], vec![1, 2, 2], vec![2, 4, 4]]);
        assert_eq!([3, 2, 1].map(|level| count(&multigrid.exchange(level))), [6 * 256, 6 * 64, 6 * 8]);
        assert!(count(&multigrid.refine(8)) == 0 && count(&multigrid.refine(2)) > 0);
        // A rank has 64 x 32 x 32 points of the finest grid.
        assert_eq!(
            multigrid.exchange(8).iter().map(|round| round.bytes / NUMBER).collect::<Vec<_>>(),
            [1024, 2048, 2048]
        );
    }

    #[test]
    fn nobody_sends_to_itself_or_beyond() {
        for job in jobs(256, Class::A) {
            let mut all = job.phases.iter().flat_map(JobPhase::messages);
            assert!(all.all(|(from, to)| from != to && from.max(to) < 256), "{}", job.name);
        }
    }

    #[test]
    fn iterations_are_those_of_class_a() {
        let messages = |name: &str| jobs(256, Class::A).iter().find(|job| job.name == name).unwrap().messages();
        assert_eq!(messages("BT"), 200 * 256 * (6 + 3 * 30) + 2 * 8 * 256);
        assert_eq!(messages("EP"), 255 + (1 + 4) * 8 * 256);
    }

    /// What the codes print for a whole run, in 10^9 operations.
    #[test]
    fn operations_are_those_that_the_codes_count() {
        let jobs = applications(64);
        for (name, expected) in [("BT", 702.0), ("CG", 54.7), ("FT", 6.05), ("LU", 499.0), ("MG", 19.5), ("SP", 355.0)]
        {
            let phase = jobs.iter().find(|job| job.name == name).unwrap().main_phase();
            let total = phase.operations * phase.times as f64 / 1e9;
            assert!((total / expected - 1.0).abs() < 0.01, "{name}: {total}");
        }
        assert!(
            jobs.iter().all(|job| !["EP", "DT shuffle"].contains(&job.name.as_str())),
            "another number of ranks than these run on"
        );
    }
}
