//! Where the packets of a network's nodes go.

use crate::run::{Part, Phase, Traffic};
use crate::wiring::{Peer, Port, Wiring};
use railyard_bench::traffic::{Destinations, Mixture, Pattern, Surroundings};

/// Destinations by a pattern: never a packet's own source.
pub fn destinations(pattern: Pattern, wiring: &Wiring, seed: u64) -> Destinations {
    let near = if pattern == Pattern::Local { near(wiring) } else { Vec::new() };
    let around = Surroundings { near, groups: wiring.node_groups() };
    Destinations::of_nodes(pattern, wiring.nodes().len(), around, seed)
}

/// Destinations of a time with the same patterns, or by the matrix of the traffic.
pub fn mixture(traffic: &Traffic, phase: &Phase, wiring: &Wiring, seed: u64) -> Mixture {
    if let Some(all) = traffic.by_matrix(wiring.nodes().len()) {
        return Mixture::new(Vec::new(), Destinations::weighted(all));
    }
    let of = |pattern| destinations(pattern, wiring, seed);
    let parts = phase.mix.iter().map(|Part { pattern, share }| (*share, of(*pattern))).collect();
    Mixture::new(parts, of(phase.pattern))
}

/// For each node the other nodes of its switch or, if it is alone there, those of the switches next to it.
fn near(wiring: &Wiring) -> Vec<Vec<usize>> {
    let of_switch = |switch: usize| {
        (0..wiring.ports()).filter_map(move |port| match wiring.peer(Port { switch, port }) {
            Peer::Node(node) => Some(node),
            Peer::Switch(_) | Peer::Nothing => None,
        })
    };
    let near = |(node, at): (usize, &Port)| {
        let own: Vec<usize> = of_switch(at.switch).filter(|&other| other != node).collect();
        match own.is_empty() {
            true => wiring.links_of(at.switch).flat_map(|(_, far)| of_switch(far.switch)).collect(),
            false => own,
        }
    };
    wiring.nodes().iter().enumerate().map(near).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Cube, FatTree, Topology};
    use railyard_bench::random::Random;

    #[test]
    fn nobody_sends_to_himself_and_shares_are_kept() {
        let wiring = Topology::FatTree(FatTree::new(8, 2)).wiring(8).unwrap();
        // A fat tree has no groups.
        let of_groups = |name: &&&str| !name.starts_with("adversarial");
        for name in Pattern::OF_NETWORKS.iter().filter(of_groups) {
            let pattern = Pattern::named(name).unwrap();
            let (destinations, mut random) = (super::destinations(pattern, &wiring, 3), Random::new(1, 0));
            let drawn: Vec<(usize, usize)> =
                (0..32_000).map(|i| (i % 32, destinations.draw(i % 32, &mut random))).collect();
            assert!(drawn.iter().all(|(source, to)| source != to), "{name}");
            for source in 0..32 {
                let all: f64 = (0..32).map(|to| destinations.share(source, to)).sum();
                assert!((all - 1.0).abs() < 1e-6, "{name}: {all}");
            }
            let share = |holds: &dyn Fn(usize, usize) -> bool| {
                drawn.iter().filter(|(source, to)| holds(*source, *to)).count() as f64 / 32_000.0
            };
            match pattern {
                Pattern::HotRegion => {
                    let pairs = (0..32).flat_map(|from| (0..4).map(move |to| (from, to)));
                    let told = pairs.map(|(from, to)| destinations.share(from, to)).sum::<f64>() / 32.0;
                    assert!((share(&|_, to| to < 4) - told).abs() < 0.01, "{told}");
                }
                Pattern::Local => assert!((share(&|from, to| from / 4 == to / 4) - 0.774).abs() < 0.02),
                Pattern::Permutation => {
                    let mut images: Vec<usize> = drawn[..32].iter().map(|(_, to)| *to).collect();
                    images.sort_unstable();
                    assert!(images.into_iter().eq(0..32));
                }
                Pattern::Uniform | Pattern::Multicast => assert!((share(&|_, to| to == 5) - 1.0 / 32.0).abs() < 0.01),
                Pattern::Complement => assert_eq!(share(&|from, to| from + to == 31), 1.0),
                Pattern::HotSpot { .. } => assert!((share(&|_, to| to == 0) - 0.126).abs() < 0.02),
                _ => {}
            }
        }
    }

    #[test]
    fn near_nodes_of_a_lonely_node_are_next_door() {
        let wiring = Topology::Torus(Cube { radix: vec![4, 4], nodes: 1 }).wiring(5).unwrap();
        let mut near = near(&wiring).swap_remove(0);
        near.sort_unstable();
        assert_eq!(near, [1, 3, 4, 12]);
    }
}
