//! Breadth-first searches.

use super::KroneckerGraph;

/// Ends of edges that a search explores at each level: those of the vertices that are so far from the root.
pub fn levels(graph: &KroneckerGraph, root: u32) -> Vec<u64> {
    let mut explored = Vec::new();
    walk(graph, root, |level, vertex| {
        explored.resize(explored.len().max(level + 1), 0);
        explored[level] += u64::from(graph.degree(vertex));
    });
    explored
}

/// Sees each vertex that can be reached, with its distance, in the order of the distances.
fn walk(graph: &KroneckerGraph, root: u32, mut see: impl FnMut(usize, u32)) {
    let mut is_visited = vec![false; graph.vertices() as usize];
    let (mut current, mut next) = (vec![root], Vec::new());
    is_visited[root as usize] = true;
    let mut level = 0;
    while !current.is_empty() {
        for vertex in current.drain(..) {
            see(level, vertex);
            for &other in graph.neighbours(vertex) {
                if !std::mem::replace(&mut is_visited[other as usize], true) {
                    next.push(other);
                }
            }
        }
        std::mem::swap(&mut current, &mut next);
        level += 1;
    }
}

/// What processes send each other at a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Queries by sender and receiver; none for oneself.
    queries: Vec<u64>,
    processes: usize,
}

impl Exchange {
    /// Queries of all processes.
    pub fn queries(&self) -> u64 {
        self.queries.iter().sum()
    }

    /// Queries of each process.
    pub fn of_processes(&self) -> Vec<u64> {
        self.queries.chunks(self.processes).map(|to| to.iter().sum()).collect()
    }

    /// Messages of all processes, of so many queries each; a last one for each receiver has the rest.
    pub fn messages(&self, coalescing: u64) -> u64 {
        self.queries.iter().map(|queries| queries.div_ceil(coalescing)).sum()
    }
}

/// What processes send each other at each level. Vertices are dealt out in turns.
pub fn exchange(graph: &KroneckerGraph, root: u32, processes: usize) -> Vec<Exchange> {
    let mut levels: Vec<Exchange> = Vec::new();
    let owner = |vertex: u32| vertex as usize % processes;
    walk(graph, root, |level, vertex| {
        if level == levels.len() {
            levels.push(Exchange { queries: vec![0; processes * processes], processes });
        }
        let from = owner(vertex);
        for to in graph.neighbours(vertex).iter().map(|&other| owner(other)).filter(|&to| to != from) {
            levels[level].queries[from * processes + to] += 1;
        }
    });
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_bench::random::Random;
    use railyard_bench::traffic::Graph500Graph;

    #[test]
    fn each_end_is_explored_once_and_queries_are_those_between_owners() {
        let of = Graph500Graph { scale: 9, edge_factor: 8 };
        let graph = KroneckerGraph::draw(of, &mut Random::new(1, 0));
        let root = (0..graph.vertices()).max_by_key(|&vertex| graph.degree(vertex)).unwrap();
        let explored = levels(&graph, root);
        assert_eq!(explored[0], u64::from(graph.degree(root)));
        // What is not reached has few edges, if any.
        let sum: u64 = explored.iter().sum();
        assert!(sum as f64 <= of.ends() && sum as f64 > 0.98 * of.ends(), "{explored:?}");
        let all = exchange(&graph, root, 4);
        assert_eq!(all.len(), explored.len());
        for (level, exchange) in all.iter().enumerate() {
            let share = exchange.queries() as f64 / explored[level].max(1) as f64;
            assert!(level == 0 || explored[level] < 500 || (0.7..0.8).contains(&share), "{level}: {share}");
            assert_eq!(exchange.of_processes().iter().sum::<u64>(), exchange.queries());
            assert!(exchange.messages(1) == exchange.queries() && exchange.messages(1 << 40) <= 12);
        }
        assert_eq!(exchange(&graph, root, 1).iter().map(Exchange::queries).sum::<u64>(), 0);
    }
}
