//! Multicast groups: what the group table of a switch is told, and where a group's packets must come out.

use super::Packet;
use crate::random::Random;
use railyard_spec::registers::address::{MULTICAST_MASK_HIGH, MULTICAST_MASK_LOW, MULTICAST_WRITE};
use railyard_spec::{RoutingShape, Shape};
use std::collections::BTreeMap;

/// Groups that are written, besides the first and the last one, which lead everywhere; of a larger table the others
/// stay empty.
const WRITTEN: u64 = 32;

/// One in so many of them is written without any output.
const EMPTY: u64 = 8;

/// The groups of a switch with a mixed VC.
#[derive(Clone, Debug)]
pub struct Groups {
    /// The mixed VC.
    pub vc: u8,
    ports: usize,
    /// Groups of the table.
    built: u64,
    /// The first number that no header can hold.
    numbers: u64,
    /// Written groups: outputs, and whether packets go back by the port that they came by.
    written: BTreeMap<u64, (u64, bool)>,
}

impl Groups {
    /// Groups drawn by chance, few outputs and many, overlapping as they come; none without a mixed VC.
    pub fn draw(shape: &Shape, random: &mut Random) -> Option<Groups> {
        let multicast = shape.multicast?;
        let number_bits = match &shape.routing {
            RoutingShape::Source(source) => source.route_bits,
            _ => shape.address_bits()?,
        };
        let built = multicast.groups as u64;
        let mut groups = Groups {
            vc: multicast.vc as u8,
            ports: shape.ports,
            built,
            numbers: 1u64.checked_shl(number_bits).unwrap_or(u64::MAX),
            written: BTreeMap::new(),
        };
        for i in 0..built.min(WRITTEN) {
            let number = if built <= WRITTEN { i } else { random.below(built) };
            groups.written.insert(number, (groups.outputs_by_chance(random), random.below(2) == 0));
        }
        for end in [0, built - 1] {
            groups.written.insert(end, (groups.all(), true));
        }
        Some(groups)
    }

    /// All outputs.
    fn all(&self) -> u64 {
        u64::MAX >> (64 - self.ports)
    }

    fn outputs_by_chance(&self, random: &mut Random) -> u64 {
        let some = random.bits() & random.bits();
        let mask = match random.below(EMPTY) {
            0 => 0,
            1 => u64::MAX,
            2 | 3 => random.bits(),
            // Few.
            _ => some & random.bits() | 1 << random.below(self.ports as u64),
        };
        mask & self.all()
    }

    /// Others in place of these, under the same numbers.
    pub fn changed(&self, random: &mut Random) -> Groups {
        let mut groups = self.clone();
        for number in self.written.keys() {
            let entry = (self.outputs_by_chance(random), random.below(2) == 0);
            groups.written.insert(*number, entry);
        }
        groups
    }

    /// The outputs of a packet of group `number` from `source`: none if it is to be dropped.
    pub fn outputs(&self, number: u64, source: u8) -> u64 {
        match self.written.get(&number) {
            None => 0,
            Some((mask, true)) => *mask,
            Some((mask, false)) => mask & !(1 << source),
        }
    }

    /// A group that was written.
    pub fn draw_group(&self, random: &mut Random) -> u64 {
        let at = random.below(self.written.len() as u64) as usize;
        *self.written.keys().nth(at).expect("a table has groups")
    }

    /// A packet of `source` to a group that was written, its VC and length to be set.
    pub fn packet(&self, source: u8, random: &mut Random) -> Packet {
        let header = self.draw_group(random);
        let mut packet = Packet { key: random.bits(), header, multicast: true, ..Packet::default() };
        packet.fan_out(self.outputs(header, source));
        packet
    }

    /// A packet to a group that is not there, as far as there are such.
    pub fn lost_packet(&self, source: u8, random: &mut Random) -> Packet {
        let header = self.draw_unknown(random);
        let mut packet = Packet { key: random.bits(), header, multicast: true, ..Packet::default() };
        packet.fan_out(self.outputs(header, source));
        packet
    }

    /// A group that nobody wrote or that the table has no place for, as far as there are such.
    pub fn draw_unknown(&self, random: &mut Random) -> u64 {
        match random.below(2) {
            0 => random.below(self.built),
            _ if self.built < self.numbers => random.within(self.built, self.numbers - 1),
            _ => self.built - 1,
        }
    }

    /// The register writes (byte address, value) that tell the switch.
    pub fn writes(&self) -> Vec<(u32, u32)> {
        let mut list = Vec::new();
        for (number, (mask, loopback)) in &self.written {
            list.push((MULTICAST_MASK_LOW, *mask as u32));
            if self.ports > 32 {
                list.push((MULTICAST_MASK_HIGH, (mask >> 32) as u32));
            }
            list.push((MULTICAST_WRITE, *number as u32 | u32::from(*loopback) << 16));
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_model::registers::apb_registers::{Registers, WriteCommand};
    use railyard_model::Apb;
    use railyard_spec::Config;

    fn shape(ports: u32, groups: u32) -> Shape {
        let mut config = Config { ports, ..Config::named("groups") };
        (config.virtual_channels.mixed, config.multicast.groups) = (1, groups);
        config.check().unwrap().shape()
    }

    #[test]
    fn the_switch_is_told_all_of_them() {
        let mut random = Random::new(1, 0);
        for (ports, built) in [(4, 2), (16, 32), (40, 4096), (64, 100)] {
            let shape = shape(ports, built);
            let groups = Groups::draw(&shape, &mut random).unwrap();
            let mut registers = Registers::new(&shape);
            let mut written = 0;
            for (paddr, pwdata) in groups.writes() {
                let setup = Apb { psel: true, penable: false, pwrite: true, paddr: paddr as u16, pwdata };
                registers.step(&setup);
                assert!(!registers.pslverr, "{paddr:#x} {pwdata:#x}");
                registers.step(&Apb { penable: true, ..setup });
                if let WriteCommand::WriteGroup(write) = registers.command() {
                    let outputs = if write.loopback { write.mask } else { write.mask & !(1 << 3) };
                    assert_eq!(outputs, groups.outputs(write.group as u64, 3));
                    written += 1;
                }
            }
            assert_eq!(written, groups.written.len());
        }
        assert!(Groups::draw(&Config::named("none").check().unwrap().shape(), &mut random).is_none());
    }

    #[test]
    fn known_groups_have_outputs_of_all_sizes_and_unknown_ones_none() {
        let mut random = Random::new(2, 0);
        let groups = Groups::draw(&shape(16, 4096), &mut random).unwrap();
        let sizes: std::collections::BTreeSet<u32> =
            groups.written.values().map(|(mask, _)| mask.count_ones()).collect();
        assert!(sizes.contains(&0) && sizes.contains(&16) && sizes.len() > 5, "{sizes:?}");
        let mut beyond = 0;
        for _ in 0..1_000 {
            assert!(groups.written.contains_key(&groups.draw_group(&mut random)));
            let unknown = groups.draw_unknown(&mut random);
            assert!(unknown < 1 << 24);
            beyond += u32::from(unknown >= 4096);
        }
        assert!((400..600).contains(&beyond));
        let changed = groups.changed(&mut random);
        assert!(changed.written.keys().eq(groups.written.keys()) && changed.written != groups.written);
    }
}
