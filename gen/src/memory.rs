//! The memories of a design: RAMs, and register files where a queue is too shallow for one.

use railyard_hdl::chip;
use railyard_hdl::switch::memories;
use railyard_spec::{CheckedConfig, Shape};
use serde::Serialize;

/// Bits of all memories of a design, RAMs and register files alike, by what they hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MemoryBits {
    /// Input buffers: flit and head mark of each place (tail marks are flip-flops).
    pub input_buffers: u64,
    /// Headers and their results in front of the allocators.
    pub queues: u64,
    /// Routing caches: tag, route and valid bit of each entry, and the order of use of each set.
    pub routing_caches: u64,
    /// The forwarding table on the chip: address, route and valid bit of each entry.
    pub forwarding_table: u64,
    /// The multicast group table of each port.
    pub group_tables: u64,
    /// The queues of AXI4-Streams, which stand around the switch.
    pub streams: u64,
}

impl MemoryBits {
    /// Those of a switch, and of the streams around it if it is in a chip.
    pub fn of_design(config: &CheckedConfig) -> MemoryBits {
        let shape = config.shape();
        let streams = config.chip_shape().and_then(|chip| chip.streams);
        let around = streams.map_or(vec![], |streams| chip::memories(&shape, &streams));
        MemoryBits { streams: around.iter().map(|memory| memory.bits).sum(), ..MemoryBits::of(&shape) }
    }

    /// Those of a switch, counted on its hardware.
    pub fn of(shape: &Shape) -> MemoryBits {
        let mut bits = MemoryBits::default();
        for memory in memories(shape) {
            *bits.of_block(&memory.inside) += memory.bits;
        }
        bits
    }

    /// What memories inside these blocks hold.
    fn of_block(&mut self, inside: &[String]) -> &mut u64 {
        let is_in = |name: &str| inside.iter().any(|block| block == name);
        match () {
            () if is_in("vc_buffer") => &mut self.input_buffers,
            () if is_in("routing_cache") => &mut self.routing_caches,
            () if is_in("forwarding_table") => &mut self.forwarding_table,
            () if is_in("fan_out") => &mut self.group_tables,
            () => &mut self.queues,
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        let MemoryBits { input_buffers, queues, routing_caches, forwarding_table, group_tables, streams } = self;
        input_buffers + queues + routing_caches + forwarding_table + group_tables + streams
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{presets, Config};

    fn of(preset: &str) -> MemoryBits {
        let preset = presets::find(preset).expect("a preset");
        MemoryBits::of(&Config::from_json(preset.json).unwrap().shape())
    }

    #[test]
    fn memories_are_told_apart_by_what_they_hold() {
        // 16 ports, 2 VCs of 32 flits of 64 bits; header and result of each place; 4 ways of 512 words, 6 bits of
        // order.
        let hpc16 = of("hpc16");
        assert_eq!(hpc16.input_buffers, 16 * 2 * 32 * 65);
        assert_eq!(hpc16.queues, 16 * 2 * 32 * (25 + 6));
        assert_eq!(hpc16.routing_caches, 16 * 512 * (4 * (15 + 4 + 1) + 6));
        assert_eq!((hpc16.forwarding_table, hpc16.group_tables), (0, 0));
        // 1,024 entries of 24 bits of address, 4 of port, valid; 256 groups of 16 outputs and the loopback bit.
        assert_eq!(of("table16").forwarding_table, 1_024 * (24 + 4 + 1));
        assert_eq!(of("dawning16").group_tables, 16 * 256 * 17);
    }
}
