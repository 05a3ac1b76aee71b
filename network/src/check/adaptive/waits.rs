//! Places that wait for each other.

use petgraph::algo::{kosaraju_scc, toposort};
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeSet, HashMap, VecDeque};

/// By place: the places that it can wait for.
#[derive(Clone, Debug)]
pub struct Waits(Vec<BTreeSet<u32>>);

impl Waits {
    /// So many places, none of which waits.
    pub fn new(places: usize) -> Waits {
        Waits(vec![BTreeSet::new(); places])
    }

    /// One place can wait for another.
    pub fn add(&mut self, place: usize, waits_for: usize) {
        self.0[place].insert(waits_for as u32);
    }

    /// All pairs.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.0.iter().enumerate().flat_map(|(place, next)| next.iter().map(move |&next| (place, next as usize)))
    }

    /// The same of places under other numbers, which several can share.
    pub fn renumbered(&self, number: impl Fn(usize) -> usize) -> Waits {
        let mut renumbered = Waits::new(self.0.len());
        self.pairs().for_each(|(place, next)| renumbered.add(number(place), number(next)));
        renumbered
    }

    /// Whether there is no ring.
    pub fn are_free_of_rings(&self) -> bool {
        toposort(&DiGraphMap::<usize, ()>::from_edges(self.pairs()), None).is_ok()
    }

    /// A shortest ring through the lowest place that is in one.
    pub fn ring(&self) -> Option<Vec<usize>> {
        let edges = DiGraphMap::<usize, ()>::from_edges(self.pairs());
        let waits_for_itself = |place: usize| self.0[place].contains(&(place as u32));
        let in_rings = kosaraju_scc(&edges).into_iter().filter(|part| part.len() > 1 || waits_for_itself(part[0]));
        let start = in_rings.flatten().min()?;
        let mut came_from: HashMap<usize, usize> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        while !came_from.contains_key(&start) {
            let place = queue.pop_front().expect("it is in a ring");
            for next in self.0[place].iter().map(|&next| next as usize) {
                came_from.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    place
                });
            }
        }
        let mut ring = vec![came_from[&start]];
        while ring[ring.len() - 1] != start {
            ring.push(came_from[&ring[ring.len() - 1]]);
        }
        ring.reverse();
        Some(ring)
    }
}
