//! Fuentes2017, chapter 2: Graph500 as a model of traffic, beside searches on real graphs, and on a Dragonfly.

mod model;
mod traffic;

use super::claims::{Claims, Origin};
use super::DragonflySize;
use crate::graph500::{fit, levels, KroneckerGraph};
use crate::{Seed, StudyOptions, StudyReport};
use railyard_bench::random::Random;
use railyard_bench::traffic::graph500::{messages, queries};
use railyard_bench::traffic::{Graph500Constants, Graph500Graph};
use rayon::prelude::*;

const NAME: &str = "graph500";
/// Edges for each vertex.
const EDGE_FACTOR: u32 = 16;
/// Logarithm of the vertices, and that of the smallest network, for a quick look.
const SCALE: u32 = 17;
const QUICK: u32 = 13;
/// Queries of a message, and their bytes.
const COALESCING: u32 = 256;
const QUERY_BYTES: f64 = 16.0;
/// Roots of a range of degrees, which are from a power of 2 to the next.
const ROOTS: usize = 24;
/// Levels that are fitted.
const FITTED: usize = 6;

/// Searches on a graph.
struct Searches {
    graph: KroneckerGraph,
    /// Degree of the root, and what each level explores.
    found: Vec<(f64, Vec<u64>)>,
    /// The root with the median degree of all that were searched from.
    root: u32,
}

impl Searches {
    /// From roots of all degrees: as many of each range as there are, up to [`ROOTS`].
    fn new(of: Graph500Graph, seed: u64) -> Searches {
        let mut random = Random::new(seed, 0);
        let graph = KroneckerGraph::draw(of, &mut random);
        let mut ranges: Vec<Vec<u32>> = vec![Vec::new(); 33];
        // Vertices have random numbers: the first ones of a range are random ones.
        for vertex in (0..graph.vertices()).filter(|&vertex| graph.degree(vertex) > 0) {
            let range = &mut ranges[graph.degree(vertex).ilog2() as usize];
            if range.len() < ROOTS {
                range.push(vertex);
            }
        }
        let mut roots = ranges.concat();
        let search = |&root: &u32| (f64::from(graph.degree(root)), levels(&graph, root));
        let found: Vec<(u32, (f64, Vec<u64>))> = roots.par_iter().map(|root| (*root, search(root))).collect();
        // Small parts of the graph, which a search from elsewhere does not reach, are left out.
        let is_large = |(_, levels): &(f64, Vec<u64>)| levels.iter().sum::<u64>() as f64 > 0.5 * of.ends();
        let found: Vec<(u32, (f64, Vec<u64>))> = found.into_iter().filter(|(_, found)| is_large(found)).collect();
        roots = found.iter().map(|(root, _)| *root).collect();
        roots.sort_by_key(|&root| graph.degree(root));
        let root = roots[roots.len() / 2];
        Searches { graph, found: found.into_iter().map(|(_, found)| found).collect(), root }
    }

    /// The sets of constants.
    fn constants(&self) -> [(&'static str, Graph500Constants); 3] {
        let fitted = Graph500Constants::Fitted(fit(&self.found, FITTED));
        [("printed", Graph500Constants::Printed), ("FOGSim", Graph500Constants::Fogsim), ("fitted", fitted)]
    }
}

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let size = options.dragonfly;
    let scale = if size.h() == 1 { QUICK } else { SCALE };
    let searches = Searches::new(Graph500Graph { scale, edge_factor: EDGE_FACTOR }, options.seed);
    let constants = searches.constants();
    let found = traffic::run(size, &searches, &constants, options.seed);
    let mut claims = Claims::new();
    let printed = Graph500Graph { scale: 25, edge_factor: EDGE_FACTOR };
    let of_process = messages(queries(printed.ends(), 128), COALESCING, 128);
    claims.add("2.1", "messages of a process, s = 25, 128", Origin::Published, of_process, Seed::Number(32_512.0));
    model::claims(&mut claims, &searches, &constants);
    traffic::claims(&mut claims, &found);
    let mut parts = vec![claims.part(NAME)];
    parts.extend(model::parts(&searches, &constants));
    parts.extend(traffic::parts(&found));
    StudyReport { study: NAME, seed: options.seed, parts, notes: notes(size, scale) }
}

fn notes(size: DragonflySize, scale: u32) -> Vec<String> {
    vec![
        format!(
            "Graphs are Kronecker graphs with quarters of 57, 19, 19 and 5 %, 2^{scale} vertices and {EDGE_FACTOR} edges for each. \
             An edge counts at both ends. Roots have all degrees, up to {ROOTS} from each power of 2 to the next."
        ),
        "Explored: ends of edges at the vertices of a level. Printed: the constants of equations 2.6 to 2.8. FOGSim: those of \
         the author's simulator, where 2.8 is another one. Fitted: a square in the logarithm of the root's degree, for each \
         level, by least squares over the searches here. All are cut off where all ends are explored."
            .into(),
        format!(
            "The network is a Dragonfly of h = {}, {} nodes, a process each. A message has {COALESCING} queries of 16 bytes, and \
             is a packet of 8 flits of 512 bytes. Links have 1 and 5 cycles, buffers are deep. A flit takes 102.4 ns at 40 Gb/s. \
             Usage is flits of messages for each node and cycle, over the whole search.",
            size.h(),
            size.nodes()
        ),
    ]
}
