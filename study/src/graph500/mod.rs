//! Graphs of Graph500, breadth-first searches on them, and the messages of a search by processes.

mod fit;
mod search;

pub use fit::fit;
pub use search::{exchange, levels, Exchange};

use railyard_bench::random::Random;
use railyard_bench::traffic::Graph500Graph;

/// Chances of the quarters of the adjacency matrix in %, of each bit of an edge; the last quarter has the rest.
const QUARTERS: [u64; 3] = [57, 19, 19];

/// An undirected graph: the neighbours of each vertex. An edge counts at both ends, and as often as it was drawn.
pub struct KroneckerGraph {
    /// Scale and edge factor.
    pub of: Graph500Graph,
    /// Where the neighbours of each vertex begin, and where they end behind the last one.
    begins: Vec<u32>,
    neighbours: Vec<u32>,
}

impl KroneckerGraph {
    /// Draws a graph. Vertices have numbers in random order, as the benchmark asks.
    pub fn draw(of: Graph500Graph, random: &mut Random) -> KroneckerGraph {
        let vertices = 1usize << of.scale;
        let mut numbers: Vec<u32> = (0..vertices as u32).collect();
        for at in (1..vertices).rev() {
            numbers.swap(at, random.below(at as u64 + 1) as usize);
        }
        let edges: Vec<[u32; 2]> = (0..vertices * of.edge_factor as usize)
            .map(|_| edge(of.scale, random).map(|end| numbers[end as usize]))
            .collect();
        let mut begins = vec![0u32; vertices + 1];
        edges.iter().flatten().for_each(|&end| begins[end as usize + 1] += 1);
        (0..vertices).for_each(|vertex| begins[vertex + 1] += begins[vertex]);
        let mut next = begins.clone();
        let mut neighbours = vec![0; 2 * edges.len()];
        let mut put = |from: u32, to: u32| {
            let at = &mut next[from as usize];
            neighbours[*at as usize] = to;
            *at += 1;
        };
        edges.iter().for_each(|&[a, b]| {
            put(a, b);
            put(b, a);
        });
        KroneckerGraph { of, begins, neighbours }
    }

    /// Number of vertices.
    pub fn vertices(&self) -> u32 {
        self.begins.len() as u32 - 1
    }

    /// Neighbours of a vertex.
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        &self.neighbours[self.begins[vertex as usize] as usize..self.begins[vertex as usize + 1] as usize]
    }

    /// Ends of edges at a vertex.
    pub fn degree(&self, vertex: u32) -> u32 {
        self.begins[vertex as usize + 1] - self.begins[vertex as usize]
    }
}

/// Two ends, bit by bit from one of the four quarters.
fn edge(scale: u32, random: &mut Random) -> [u32; 2] {
    let mut ends = [0; 2];
    for _ in 0..scale {
        let draw = random.below(100);
        let quarter = QUARTERS.iter().scan(0, |sum, share| {
            *sum += share;
            Some(*sum)
        });
        let quarter = quarter.take_while(|end| *end <= draw).count() as u32;
        ends = [ends[0] << 1 | quarter >> 1, ends[1] << 1 | quarter & 1];
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_has_two_ends_and_quarters_have_their_shares() {
        let of = Graph500Graph { scale: 10, edge_factor: 16 };
        let graph = KroneckerGraph::draw(of, &mut Random::new(1, 0));
        let degrees: u64 = (0..graph.vertices()).map(|vertex| u64::from(graph.degree(vertex))).sum();
        assert_eq!(degrees as f64, of.ends());
        let count = |from: u32, to: u32| graph.neighbours(from).iter().filter(|&&other| other == to).count();
        for (from, to) in (0..40).map(|i| (i, 7 * i + 1)).filter(|(a, b)| a != b) {
            assert_eq!(count(from, to), count(to, from));
        }
        let mut random = Random::new(2, 0);
        let quarters = (0..100_000).map(|_| edge(1, &mut random)).fold([0i32; 4], |mut counts, [a, b]| {
            counts[(2 * a + b) as usize] += 1;
            counts
        });
        for (count, share) in quarters.into_iter().zip([57_000, 19_000, 19_000, 5_000]) {
            assert!((count - share).abs() < 600, "{quarters:?}");
        }
    }
}
