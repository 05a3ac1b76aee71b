//! Figure 4.6 and section 4.3.2.3: hit rates of communication patterns, or of a trace, on a torus with dimension-order
//! routing; every switch on the way looks up.

use crate::jobs::{jobs, Class, Job, JobPhase, Round};
use crate::misses::{ExplainingCache, LookupCounts};
use crate::network::{InputPort, RoutedCube, RoutedNetwork};
use crate::report::beside;
use crate::{random, Organisation, Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use indexmap::IndexSet;
use railyard_plot::{Axis, Dot, Picture};
use rand::RngExt;
use serde_json::json;
use std::collections::BTreeSet;

const NAME: &str = "trace";
/// Tori of sections 4.3.2.1 and 4.3.2.3, and ranks: four share a node of the first, one is on each of the second.
const TORUS: [u32; 3] = [4, 4, 4];
const LARGE_TORUS: [u32; 3] = [8, 8, 4];
const RANKS: u64 = 256;
const WAYS: [usize; 3] = [1, 2, 4];

/// The lookups of a phase: for each port its destinations in order, by their place in the list of all.
struct Lookups {
    times: u64,
    by_port: Vec<Vec<u32>>,
}

/// A job as the ports of a torus see it.
struct Load<'a> {
    name: &'a str,
    packets: u64,
    ports: usize,
    phases: Vec<Lookups>,
}

impl<'a> Load<'a> {
    /// `destinations` are those of all jobs, ascending.
    fn new(torus: &RoutedCube, job: &'a Job, destinations: &[u64], node: impl Fn(u64) -> u64) -> Load<'a> {
        let (mut ports, mut route) = (IndexSet::<InputPort>::new(), Vec::new());
        let mut lookups = |phase: &JobPhase| {
            let mut by_port: Vec<Vec<u32>> = Vec::new();
            for (from, to) in ways(phase, &node) {
                torus.route(from, to, &mut route);
                let to = destinations.binary_search(&to).expect("it is a destination") as u32;
                for &input in &route {
                    let port = ports.insert_full(input).0;
                    by_port.resize_with(by_port.len().max(port + 1), Vec::new);
                    by_port[port].push(to);
                }
            }
            Lookups { times: phase.times, by_port }
        };
        let phases = job.phases.iter().map(&mut lookups).collect();
        Load { name: &job.name, packets: job.messages(), ports: ports.len(), phases }
    }

    /// What becomes of all lookups, destinations having these addresses. Ports know nothing of each other, so that one
    /// cache at a time will do, however large the network is.
    fn counts(&self, ways: usize, addresses: &[u64]) -> LookupCounts {
        let organisation = Organisation { ways, ..Organisation::default() };
        let mut counts = LookupCounts::default();
        for port in 0..self.ports {
            let mut cache = ExplainingCache::new(organisation, addresses.len() as u64);
            for phase in &self.phases {
                let list = phase.by_port.get(port).map_or(&[][..], Vec::as_slice);
                for done in 1..=phase.times {
                    // A pass without a miss leaves the contents as they were: all that follow are the same.
                    let misses = list.iter().filter(|&&to| !cache.access(addresses[to as usize])).count();
                    if misses == 0 {
                        counts.lookups += (phase.times - done) * list.len() as u64;
                        break;
                    }
                }
            }
            counts += cache.counts;
        }
        counts
    }
}

/// Nodes that a phase's messages are from and to. Ranks of one node don't use the network.
fn ways<'a>(phase: &'a JobPhase, node: &'a impl Fn(u64) -> u64) -> impl Iterator<Item = (u64, u64)> + 'a {
    phase.messages().map(|(from, to)| (node(from), node(to))).filter(|(from, to)| from != to)
}

/// The nodes that get messages, ascending. Only these have an address to be looked up: a network can be much larger
/// than a trace.
fn destinations(jobs: &[Job], node: impl Fn(u64) -> u64) -> Vec<u64> {
    let phases = jobs.iter().flat_map(|job| &job.phases);
    let all: BTreeSet<u64> = phases.flat_map(|phase| ways(phase, &node)).map(|(_, to)| to).collect();
    all.into_iter().collect()
}

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let (parts, notes) = match &options.trace {
        Some(trace) => {
            let rounds = vec![Round { messages: trace.packets.clone(), bytes: 0 }];
            let phases = vec![JobPhase::new(1, rounds)];
            let job = Job { name: trace.file.clone(), seed: Seed::Silent, is_traced: false, class: Class::A, phases };
            (parts(NAME, &trace.torus, &[job], 1, options.seed), vec![])
        }
        None => {
            let jobs = jobs(RANKS, Class::A);
            let unprinted: Vec<Job> = jobs.iter().map(Job::without_hits).collect();
            let large = parts(&format!("{NAME}-8x8x4"), &RoutedCube::torus(&LARGE_TORUS), &unprinted, 1, options.seed);
            let small = RoutedCube::torus(&TORUS);
            let mut all = parts(NAME, &small, &jobs, RANKS / small.nodes(), options.seed);
            all.extend(large);
            (all, notes())
        }
    };
    StudyReport { study: NAME, seed: options.seed, parts, notes }
}

/// Hits and misses of jobs on a torus, so many neighbouring ranks a node.
fn parts(prefix: &str, torus: &RoutedCube, jobs: &[Job], ranks_of_a_node: u64, seed: u64) -> Vec<StudyPart> {
    let node = |rank: u64| rank / ranks_of_a_node;
    let destinations = destinations(jobs, node);
    let mut hits =
        StudyTable::new(&["job", "addresses", "ways", "packets", "lookups", "hits %", "seed %", "difference"]);
    let mut misses = StudyTable::new(&[
        "job",
        "addresses",
        "ways",
        "compulsory",
        "capacity",
        "conflict",
        "seed conflict",
        "difference",
    ]);
    let contiguous: Vec<u64> = destinations.iter().map(|&node| torus.address(node)).collect();
    let scattered = scattered(destinations.len(), seed);
    let (mut curves, mut shown_hits, mut shown_misses) = (Vec::new(), Vec::new(), Vec::new());
    for job in jobs {
        let load = Load::new(torus, job, &destinations, node);
        for (name, addresses) in [("coordinates", &contiguous), ("random", &scattered)] {
            let [mut of_hits, mut of_conflicts] = [Vec::new(), Vec::new()];
            for ways in WAYS {
                let counts = load.counts(ways, addresses);
                let head = || [json!(load.name), json!(name), json!(ways)].into_iter();
                let [printed_hits, printed_conflicts] = printed(job, ways);
                let volume = [json!(load.packets), json!(counts.lookups)];
                hits.push(head().chain(volume).chain(beside(counts.hit_percent(), printed_hits)));
                let others = [json!(counts.compulsory), json!(counts.capacity)];
                misses.push(head().chain(others).chain(beside(counts.conflict as f64, printed_conflicts)));
                if name == "random" {
                    shown_hits.extend(printed_hits.at(ways as f64).map(|point| point.of(load.name)));
                    shown_misses.extend(printed_conflicts.at(ways as f64).map(|point| point.of(load.name)));
                }
                of_hits.push(Dot::at(ways as f64, counts.hit_percent()));
                of_conflicts.push(Dot::at(ways as f64, counts.percent(counts.conflict)));
            }
            if name == "random" {
                curves.push((load.name.to_string(), of_hits, of_conflicts));
            }
        }
    }
    // As many as can be told apart at a glance, those with the most conflicts.
    curves.sort_by(|(_, _, a), (_, _, b): &(String, Vec<Dot>, Vec<Dot>)| b[0].y.total_cmp(&a[0].y));
    curves.truncate(7);
    let part = |name: &str, what: &str, table, series, published| {
        let title = format!("{what} on the {}, 2,048 entries", torus.name());
        let axes = [Axis::log("ways"), Axis::linear(&format!("{what}, % of lookups, random addresses"))];
        let picture =
            Picture { title: title.clone(), axes, legend: Some("job".into()), series, published, front: None };
        StudyPart { name: format!("{prefix}-{name}"), title, table, picture }
    };
    let of_hits = curves.iter().map(|(name, hits, _)| (name.clone(), hits.clone())).collect();
    let of_conflicts = curves.into_iter().map(|(name, _, conflicts)| (name, conflicts)).collect();
    vec![
        part("hits", "Hits", hits, of_hits, shown_hits),
        part("misses", "Conflict misses", misses, of_conflicts, shown_misses),
    ]
}

/// What the seed says of hits (of 4 ways) and of conflict misses (none with 2 ways and more), if it says something of
/// the job.
fn printed(job: &Job, ways: usize) -> [Seed; 2] {
    let conflicts = if job.is_traced && ways > 1 { Seed::Number(0.0) } else { Seed::Silent };
    [if ways == 4 { job.seed } else { Seed::Silent }, conflicts]
}

/// An address drawn for each of so many nodes.
fn scattered(nodes: usize, seed: u64) -> Vec<u64> {
    let mut random = random(seed, 0);
    let mut drawn = IndexSet::new();
    while drawn.len() < nodes {
        drawn.insert(random.random_range(0..1u64 << crate::cache::ADDRESS_BITS));
    }
    drawn.into_iter().collect()
}

fn notes() -> Vec<String> {
    vec![
        format!(
            "{RANKS} ranks: four neighbouring ones on each node of the 4 x 4 x 4 torus, one on each of the 8 x 8 x 4 torus. Iterations of class A; \
             a message is a packet."
        ),
        "Coordinates: the node's address is its coordinates, contiguous here. Random: a drawn 24-bit address for each node.".into(),
        "Compulsory misses don't depend on how long a job runs or on how many packets a message has; hit rates do. The seed gives \
         neither its mapping of ranks nor its packets: a job that sends little has a hit rate that follows from that alone."
            .into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::patterns::all_to_all;
    use crate::TextTrace;

    /// Jobs whose hit rate is outside of what the seed prints, with what it is: they send so little that all they miss
    /// is compulsory.
    const OUTSIDE: [(&str, f64); 5] =
        [("DT black hole", 88.7), ("DT white hole", 80.7), ("DT shuffle", 91.1), ("EP", 95.65), ("FT", 99.25)];

    /// No job misses but at the first packet to a destination at a port, which bounds its hit rate; all but those named
    /// reach what is printed.
    #[test]
    fn agrees_with_section_4_3_2_3() {
        let report = run(&StudyOptions::default());
        for (part, torus, ranks_of_a_node) in [("trace", TORUS, 4), ("trace-8x8x4", LARGE_TORUS, 1)] {
            for (job, ways) in jobs(RANKS, Class::A).iter().flat_map(|job| [2, 4].map(|ways| (job, ways))) {
                let row = [("job", json!(job.name)), ("addresses", json!("coordinates")), ("ways", json!(ways))];
                let value = |of, head| report.find(&format!("{part}-{of}"), &row, head).as_f64().unwrap();
                let of_misses = |head| value("misses", head);
                assert_eq!((of_misses("conflict"), of_misses("capacity")), (0.0, 0.0), "{}", job.name);
                assert_eq!(
                    of_misses("compulsory"),
                    first_packets(&RoutedCube::torus(&torus), job, ranks_of_a_node) as f64
                );
                let hits = value("hits", "hits %");
                let bound = 100.0 * (1.0 - of_misses("compulsory") / value("hits", "lookups"));
                assert_eq!(json!(hits), crate::report::rounded(bound), "{}", job.name);
                let outside = OUTSIDE.iter().find(|(name, _)| *name == job.name);
                match (part, outside, job.seed) {
                    ("trace", Some((name, expected)), _) => assert!((hits - expected).abs() < 0.05, "{name}: {hits}"),
                    ("trace", None, Seed::Between(least, _)) => assert!(hits >= least, "{}: {hits}", job.name),
                    _ => {}
                }
            }
        }
    }

    /// Pairs of an input port and a destination whose packets pass it.
    fn first_packets(torus: &RoutedCube, job: &Job, ranks_of_a_node: u64) -> usize {
        let (mut seen, mut route) = (std::collections::HashSet::new(), Vec::new());
        for (from, to) in job.phases.iter().flat_map(JobPhase::messages) {
            let (from, to) = (from / ranks_of_a_node, to / ranks_of_a_node);
            if from != to {
                torus.route(from, to, &mut route);
                seen.extend(route.iter().map(|input| (*input, to)));
            }
        }
        seen.len()
    }

    #[test]
    fn skipping_passes_without_a_miss_changes_nothing() {
        let torus = RoutedCube::torus(&TORUS);
        let addresses = scattered(64, 3);
        let job = |times, repeated: usize| Job {
            name: String::new(),
            seed: Seed::Silent,
            is_traced: false,
            class: Class::A,
            phases: vec![JobPhase::new(
                times,
                vec![Round { messages: all_to_all(64).concat().repeat(repeated), bytes: 0 }],
            )],
        };
        for ways in WAYS {
            let all: Vec<u64> = (0..64).collect();
            let counts = |job: &Job| Load::new(&torus, job, &all, |rank| rank).counts(ways, &addresses);
            assert_eq!(counts(&job(6, 1)), counts(&job(1, 6)));
        }
    }

    /// What is worked out is in proportion to the trace, not to the network.
    #[test]
    fn a_network_can_be_much_larger_than_the_trace() {
        let trace = TextTrace::read("t", "0 16777215\n5 1000000\n0 16777215\n", "256x256x256").unwrap();
        let report = run(&StudyOptions { trace: Some(trace), ..StudyOptions::default() });
        let row = [("addresses", json!("random")), ("ways", json!(4))];
        // From corner to corner it is one hop in each dimension.
        assert_eq!(report.find("trace-hits", &row, "lookups"), json!(4 + 4 + 1 + hops(5, 1_000_000)));
        assert_eq!(report.find("trace-misses", &row, "conflict"), json!(0.0));
    }

    fn hops(from: u64, to: u64) -> u64 {
        let digit = |node: u64, i: u32| node >> (8 * i) & 255;
        (0..3).map(|i| digit(from, i).abs_diff(digit(to, i))).map(|way| way.min(256 - way)).sum()
    }

    #[test]
    fn a_trace_is_followed_switch_by_switch() {
        let trace = TextTrace::read("t", "0 2\n0 2\n1 2\n", "4x4").unwrap();
        let report = run(&StudyOptions { trace: Some(trace), ..StudyOptions::default() });
        let row = [("addresses", json!("coordinates")), ("ways", json!(4))];
        // Twice three switches, then two; the port of node 1 misses, and what comes through it is known at switch 2.
        assert_eq!(report.find("trace-hits", &row, "lookups"), json!(8));
        assert_eq!(report.find("trace-misses", &row, "compulsory"), json!(4));
    }
}
