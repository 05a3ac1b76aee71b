//! A fully associative cache with perfect LRU, by which capacity misses are told from conflict misses: a miss that this
//! one has, too, is for want of entries; one that it hasn't is the fault of sets.

use std::collections::{BTreeMap, HashMap};

/// The cache: addresses only.
#[derive(Clone, Debug)]
pub(crate) struct Lru {
    entries: usize,
    uses: u64,
    used: HashMap<u64, u64>,
    by_use: BTreeMap<u64, u64>,
}

impl Lru {
    pub(crate) fn new(entries: usize) -> Lru {
        Lru { entries, uses: 0, used: HashMap::new(), by_use: BTreeMap::new() }
    }

    /// Whether it hits; afterwards the address is the most recently used one.
    pub(crate) fn access(&mut self, address: u64) -> bool {
        self.uses += 1;
        let before = self.used.insert(address, self.uses);
        self.by_use.insert(self.uses, address);
        match before {
            Some(use_before) => {
                self.by_use.remove(&use_before);
            }
            None if self.used.len() > self.entries => {
                let (_, oldest) = self.by_use.pop_first().expect("it holds something");
                self.used.remove(&oldest);
            }
            None => {}
        }
        before.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_the_least_recently_used() {
        let mut lru = Lru::new(2);
        let hits: Vec<bool> = [1, 2, 1, 3, 1, 2].into_iter().map(|address| lru.access(address)).collect();
        assert_eq!(hits, [false, false, true, false, true, false]);
    }
}
