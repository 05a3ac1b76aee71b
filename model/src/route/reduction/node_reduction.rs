//! Node reduction: the key that a destination shares with all others that leave the switch by the same link.
//!
//! Cube: dimension-order routing. Fat tree: up*/down*. Dragonfly: minimal. Source: switch reference, section 4.6;
//! Hirasawa2022, 5.2.

use railyard_spec::reduction::ReductionSettings;
use railyard_spec::{ReductionShape, Topology};

/// The functions built into a switch.
#[derive(Clone, Debug)]
pub struct NodeReduction {
    address_mask: u64,
    address_bits: u32,
    digit_bits: u32,
    cube_key_bits: u32,
    full_radix: bool,
}

/// What the comparison stage keeps of a destination: it, and the place that it was compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Destination address.
    pub destination: u64,
    /// `coordinate` in the cycle of the comparison.
    pub coordinate: u64,
    /// `bound` in that cycle.
    pub bound: u64,
}

impl NodeReduction {
    /// The functions of that shape for addresses of that width.
    pub fn new(shape: &ReductionShape, address_bits: u32) -> Self {
        let &ReductionShape { digit_bits, cube_key_bits, full_radix, .. } = shape;
        let address_mask = u64::MAX >> (64 - address_bits);
        NodeReduction { address_mask, address_bits, digit_bits, cube_key_bits, full_radix }
    }

    /// The key, with the function, chunk width, level, wrap, torus and dateline of `settings`; none if no function is
    /// at work.
    pub fn key(&self, compared: Compared, settings: &ReductionSettings) -> Option<u32> {
        let Compared { destination, coordinate, bound } = compared;
        let width = settings.chunk_bits;
        let chunk = |x: u64, j: u32| {
            let low = j * width;
            if low < self.address_bits {
                ((x & self.address_mask) >> low) as u32 & ((1 << width) - 1)
            } else {
                0
            }
        };
        let digit = |class: u32, j: u32| class << self.digit_bits | chunk(destination, j);
        let differs = |j: u32| chunk(destination, j) != chunk(coordinate, j);
        let unequal = (destination ^ coordinate) & self.address_mask;
        Some(match settings.topology? {
            Topology::Cube if unequal == 0 => 0,
            Topology::Cube => {
                let i = unequal.trailing_zeros() / width;
                let (d, c) = (chunk(destination, i), chunk(coordinate, i));
                let crosses = if self.full_radix {
                    // Half the positions away is a tie, which goes toward plus from even coordinates only.
                    let plus = (d.wrapping_sub(c) & ((1 << width) - 1)) + (c & 1) <= 1 << (width - 1);
                    settings.torus && plus != (d > c)
                } else {
                    (d > chunk(bound, i)) ^ (settings.wrap >> i & 1 == 1)
                };
                let plus = (d > c) ^ crosses;
                ((settings.dateline && crosses) as u32) << self.cube_key_bits | 2 * (i + 1) + !plus as u32
            }
            Topology::FatTree => {
                let above = (settings.level + 1) * width;
                let up = above < self.address_bits && unequal >> above != 0;
                digit(up as u32, settings.level)
            }
            Topology::Dragonfly if differs(2) => digit(2, 2),
            Topology::Dragonfly if differs(1) => digit(1, 1),
            Topology::Dragonfly => digit(0, 0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::reduction::{address, key};
    use railyard_spec::{NodeReduction as Built, Radix};

    fn unit(address_bits: u32, chunk_bits: &[u32]) -> (NodeReduction, u32) {
        unit_of_radix(address_bits, chunk_bits, Radix::Any)
    }

    fn unit_of_radix(address_bits: u32, chunk_bits: &[u32], radix: Radix) -> (NodeReduction, u32) {
        let topologies = vec![Topology::Cube, Topology::FatTree, Topology::Dragonfly];
        let node_reduction = Built { topologies, chunk_bits: chunk_bits.into(), radix, ..Built::default() };
        let reduction = ReductionShape::new(&node_reduction, address_bits, false);
        (NodeReduction::new(&reduction, address_bits), reduction.digit_bits)
    }

    fn key_at(unit: &NodeReduction, place: &ReductionSettings, destination: u64) -> u32 {
        unit.key(Compared { destination, coordinate: place.coordinate, bound: place.bound }, place).unwrap()
    }

    /// All coordinates of a space with those radixes.
    fn places(radix: &[u32]) -> Vec<Vec<u32>> {
        radix.iter().fold(vec![vec![]], |all, &k| {
            all.iter().flat_map(|p| (0..k).map(|c| [p.as_slice(), &[c]].concat())).collect()
        })
    }

    /// A mesh, or a torus whose ties all go toward plus or are split.
    #[derive(Clone, Copy)]
    enum Cube {
        Mesh,
        Torus,
        SplitTies,
    }

    /// Walks from every switch to every other; each hop must be the one that `expected` names, and the last one
    /// arrives.
    fn walk_cube(unit: &NodeReduction, chunk_bits: u32, radix: &[u32], cube: Cube) {
        for from in places(radix) {
            for to in places(radix) {
                let mut at = from.clone();
                let mut hops = 0;
                loop {
                    let place = match cube {
                        Cube::Mesh => ReductionSettings::mesh(chunk_bits, &at),
                        Cube::Torus => ReductionSettings::torus(chunk_bits, radix, &at),
                        Cube::SplitTies => ReductionSettings::torus_with_split_ties(chunk_bits, radix, &at),
                    };
                    let got = key_at(unit, &place, address(chunk_bits, &to));
                    let Some(i) = (0..radix.len()).find(|&i| at[i] != to[i]) else {
                        assert_eq!(got, key::LOCAL);
                        break;
                    };
                    let k = radix[i];
                    let ahead = (to[i] + k - at[i]) % k;
                    let plus = match cube {
                        Cube::Mesh => to[i] > at[i],
                        Cube::SplitTies if 2 * ahead == k => at[i] % 2 == 0,
                        Cube::Torus | Cube::SplitTies => ahead <= k - ahead,
                    };
                    let i32 = i as u32;
                    assert_eq!(got, if plus { key::plus(i32) } else { key::minus(i32) }, "{radix:?} {at:?} to {to:?}");
                    at[i] = if plus { (at[i] + 1) % k } else { (at[i] + k - 1) % k };
                    hops += 1;
                    assert!(hops <= radix.iter().sum::<u32>());
                }
            }
        }
    }

    #[test]
    fn every_walk_in_a_torus_is_shortest() {
        let (unit, _) = unit(24, &[2, 3, 4, 6, 8]);
        walk_cube(&unit, 4, &[5, 4], Cube::Torus);
        walk_cube(&unit, 3, &[2, 3, 6], Cube::Torus);
        walk_cube(&unit, 2, &[4, 3, 2, 1], Cube::Torus);
        walk_cube(&unit, 8, &[33], Cube::Torus);
        walk_cube(&unit, 3, &[2, 3, 8], Cube::SplitTies);
        walk_cube(&unit, 4, &[6, 4], Cube::SplitTies);
    }

    #[test]
    fn every_walk_is_shortest_with_full_radix() {
        let (unit, _) = unit_of_radix(24, &[2, 3, 4, 6, 8], Radix::Full);
        walk_cube(&unit, 4, &[16, 16], Cube::SplitTies);
        walk_cube(&unit, 2, &[4, 4, 4], Cube::SplitTies);
        walk_cube(&unit, 6, &[64], Cube::SplitTies);
        walk_cube(&unit, 4, &[5, 4], Cube::Mesh);
        walk_cube(&unit, 3, &[8, 2, 5], Cube::Mesh);
    }

    #[test]
    fn every_walk_in_a_mesh_is_shortest() {
        let (unit, _) = unit(24, &[2, 3, 4, 6, 8]);
        walk_cube(&unit, 4, &[5, 4], Cube::Mesh);
        walk_cube(&unit, 3, &[8, 2, 5], Cube::Mesh);
    }

    /// With the dateline, the keys of a walk tell whether the wrap-around link of the dimension still lies ahead.
    #[test]
    fn the_dateline_parts_a_ring() {
        let (unit, _) = unit(24, &[4]);
        let cube_key_bits = unit.cube_key_bits;
        for k in [2, 3, 8, 9] {
            for (from, to) in (0..k).flat_map(|from| (0..k).map(move |to| (from, to))) {
                for rest in [0, 3] {
                    let place =
                        ReductionSettings { dateline: true, ..ReductionSettings::torus(4, &[k, 5], &[from, 3]) };
                    let got = key_at(&unit, &place, address(4, &[to, rest]));
                    let (dimension, from, to, k) = if from != to { (0, from, to, k) } else { (1, 3, rest, 5) };
                    let ahead = (to + k - from) % k;
                    let plus = ahead <= k - ahead;
                    let crosses = if plus { to < from } else { to > from };
                    let hop = if plus { key::plus(dimension) } else { key::minus(dimension) };
                    let expected = match (from == to, crosses) {
                        (true, _) => key::LOCAL,
                        (false, true) => key::crossing(hop, cube_key_bits),
                        (false, false) => hop,
                    };
                    assert_eq!(got, expected, "from {from} to {to} of {k}");
                }
            }
        }
        let (full, _) = unit_of_radix(24, &[4], Radix::Full);
        for (from, to) in (0..16).flat_map(|from| (0..16).map(move |to| (from, to))) {
            let settings = ReductionSettings::torus_with_split_ties(4, &[16, 16], &[from, 3]);
            let place = ReductionSettings { dateline: true, ..settings };
            let destination = address(4, &[to, 9]);
            assert_eq!(key_at(&full, &place, destination), key_at(&unit, &place, destination), "from {from} to {to}");
        }
        // A mesh has no such links.
        let place = ReductionSettings { dateline: true, ..ReductionSettings::mesh(4, &[3, 1]) };
        assert_eq!(key_at(&unit, &place, address(4, &[15, 0])), key::plus(0));
        assert_eq!(key_at(&unit, &place, address(4, &[0, 0])), key::minus(0));
    }

    #[test]
    fn every_walk_in_a_fat_tree_goes_up_only_while_it_must() {
        let (unit, digit_bits) = unit(24, &[3, 4]);
        for (chunk_bits, k, levels) in [(3, 2, 3), (4, 3, 2), (3, 5, 2)] {
            let nodes = places(&vec![k; levels + 1]);
            for from in &nodes {
                for to in &nodes {
                    let (mut level, mut at) = (0, from[1..].to_vec());
                    let mut down = false;
                    loop {
                        let place = ReductionSettings::fat_tree(chunk_bits, level as u32, &at);
                        let got = key_at(&unit, &place, address(chunk_bits, to));
                        let below = (level..levels).all(|i| at[i] == to[i + 1]);
                        assert!(below || !down, "up after down");
                        assert_eq!(got, if below { key::down(to[level]) } else { key::up(to[level], digit_bits) });
                        if !below {
                            at[level] = to[level];
                            level += 1;
                            continue;
                        }
                        down = true;
                        if level == 0 {
                            assert_eq!(at, to[1..]);
                            break;
                        }
                        level -= 1;
                        at[level] = to[level + 1];
                    }
                }
            }
        }
    }

    #[test]
    fn a_dragonfly_router_tells_group_router_and_node() {
        let (unit, digit_bits) = unit(24, &[4, 8]);
        let place = ReductionSettings::dragonfly(8, 5, 9);
        assert_eq!(key_at(&unit, &place, address(8, &[3, 5, 9])), key::down(3));
        assert_eq!(key_at(&unit, &place, address(8, &[3, 6, 9])), key::up(6, digit_bits));
        assert_eq!(key_at(&unit, &place, address(8, &[3, 5, 200])), key::group(200, digit_bits));
    }
}
