//! Where an address belongs in the routing cache: its tag and its set.
//!
//! Address and CRC or, with node reduction at work in front of the cache, the key. Source: switch reference, section
//! 4.5.

use crate::parts::crc_hash::AddressHash;
use crate::route::reduction::node_reduction::{Compared, NodeReduction};
use railyard_spec::reduction::ReductionSettings;
use railyard_spec::TableShape;

/// Tags and sets of the routing caches of all ports.
#[derive(Clone, Debug)]
pub struct CacheIndex {
    hash: AddressHash,
    index_mask: u64,
    reduction: Option<NodeReduction>,
    settings: ReductionSettings,
}

impl CacheIndex {
    /// For the caches of table routing of that shape, if it has any; no function of node reduction is at work.
    pub fn new(table: &TableShape) -> Option<Self> {
        let cache = table.cache.as_ref()?;
        Some(CacheIndex {
            hash: AddressHash::new(cache, table.address_bits),
            index_mask: cache.sets as u64 - 1,
            reduction: table.reduction.as_ref().map(|reduction| NodeReduction::new(reduction, table.address_bits)),
            settings: ReductionSettings::default(),
        })
    }

    /// Other settings of node reduction: the caches must be flushed.
    pub fn set_up(&mut self, settings: &ReductionSettings) {
        self.settings = *settings;
    }

    /// Tag of an address.
    #[inline]
    pub fn tag(&self, address: u64) -> u64 {
        let ReductionSettings { coordinate, bound, .. } = self.settings;
        let compared = Compared { destination: address, coordinate, bound };
        let key = self.reduction.as_ref().and_then(|reduction| reduction.key(compared, &self.settings));
        key.map_or(address, u64::from)
    }

    /// Set of a tag.
    #[inline]
    pub fn set(&self, tag: u64) -> usize {
        if self.reduction.is_some() && self.settings.topology.is_some() {
            (tag & self.index_mask) as usize
        } else {
            self.hash.set(tag)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{Cache, Config, NodeReduction as Built, Routing, TableRouting, Topology};

    #[test]
    fn a_key_takes_the_place_of_address_and_crc() {
        let mut config = Config::named("t");
        let cache = Some(Cache { entries: 16, ..Cache::default() });
        let node_reduction = Some(Built::default());
        config.routing = Routing::Table(TableRouting { cache, node_reduction, ..TableRouting::default() });
        let shape = config.check().unwrap().shape();
        let table = shape.table().expect("a table");
        let hash = AddressHash::new(table.cache.as_ref().expect("a cache"), table.address_bits);
        let mut index = CacheIndex::new(table).expect("a cache");
        assert_eq!((index.tag(0x321), index.set(0x321)), (0x321, hash.set(0x321)));
        let settings = ReductionSettings {
            topology: Some(Topology::Cube),
            chunk_bits: 4,
            bound: 0xFFF,
            ..ReductionSettings::default()
        };
        index.set_up(&settings);
        // Plus in dimension 0 and 2, in sets 2 and 6 of 4.
        assert_eq!((index.tag(0x321), index.tag(0x300), index.set(2), index.set(6)), (2, 6, 2, 2));
        index.set_up(&ReductionSettings { topology: None, ..settings });
        assert_eq!((index.tag(0x321), index.set(0x321)), (0x321, hash.set(0x321)));
    }
}
