//! What a pattern allows at most, whatever the switches do: its destinations, and the links of its routes.

use railyard_bench::traffic::Destinations;
use railyard_network::blueprint::Blueprint;
use railyard_network::wiring::{Peer, Port};
use std::collections::HashSet;

/// Flits for each node and cycle that unicast packets come to at most.
pub(super) fn bound(destinations: &Destinations, blueprint: &Blueprint) -> f64 {
    let nodes = blueprint.wiring.nodes().len();
    of_receivers(destinations, nodes).min(of_links(destinations, blueprint))
}

/// No node receives more than a flit a cycle: the busiest nodes, however many, fill first. A source that sends them
/// less can send more in all.
fn of_receivers(destinations: &Destinations, nodes: usize) -> f64 {
    let received = |to| (0..nodes).map(|source| destinations.share(source, to)).sum::<f64>();
    let mut busiest: Vec<(usize, f64)> = (0..nodes).map(|to| (to, received(to))).collect();
    busiest.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut shares = vec![0.0; nodes];
    let bounds = busiest.iter().enumerate().map(|(before, &(to, _))| {
        shares.iter_mut().enumerate().for_each(|(source, share)| *share += destinations.share(source, to));
        sent(&shares, (before + 1) as f64) / nodes as f64
    });
    bounds.fold(1.0, f64::min)
}

/// What sources send at most in all, of each of which such a share goes to receivers that take `room`.
fn sent(shares: &[f64], mut room: f64) -> f64 {
    let mut shares = shares.to_vec();
    shares.sort_by(f64::total_cmp);
    let mut all = 0.0;
    for share in shares {
        let rate = if share > room { room / share } else { 1.0 };
        (all, room) = (all + rate, room - rate * share);
    }
    all
}

/// Where each source has but one destination: all routes whose n-th link is the same share that link.
fn of_links(destinations: &Destinations, blueprint: &Blueprint) -> f64 {
    let nodes = blueprint.wiring.nodes().len();
    let only = |source| (0..nodes).find(|&to| destinations.share(source, to) == 1.0);
    let Some(image) = (0..nodes).map(only).collect::<Option<Vec<usize>>>() else { return 1.0 };
    let ways: Vec<Vec<Port>> = image.iter().enumerate().map(|(source, &to)| way(blueprint, source, to)).collect();
    let longest = ways.iter().map(Vec::len).max().unwrap_or(0);
    let at = |hop: usize| {
        let (on, off): (Vec<_>, Vec<_>) = ways.iter().map(|way| way.get(hop)).partition(Option::is_some);
        let links: HashSet<Port> = on.into_iter().flatten().copied().collect();
        (links.len() + off.len()) as f64 / nodes as f64
    };
    (0..longest).map(at).fold(1.0, f64::min)
}

/// The links between switches from a node to another.
fn way(blueprint: &Blueprint, source: usize, to: usize) -> Vec<Port> {
    let Blueprint { wiring, tables, .. } = blueprint;
    let (mut switch, mut links) = (wiring.nodes()[source].switch, Vec::new());
    while let Some(hop) = tables.hop(switch, to) {
        let link = Port { switch, port: hop.port };
        let Peer::Switch(far) = wiring.peer(link) else { break };
        links.push(link);
        switch = far.switch;
    }
    links
}

#[cfg(test)]
mod tests {
    use super::super::{dawning, NetworkSize};
    use super::*;
    use railyard_network::harness::{destinations, Pattern};

    #[test]
    fn bounds_follow_from_the_patterns() {
        let blueprint = dawning::blueprint(NetworkSize::default());
        let of = |pattern| bound(&destinations(pattern, &blueprint.wiring, 1), &blueprint);
        assert_eq!([of(Pattern::Uniform), of(Pattern::Local)].map(|bound| (bound * 1e6).round()), [1e6; 2]);
        // A quarter of the packets to an eighth of the nodes, and what goes there by chance; hot nodes send nothing to
        // themselves.
        let hot = of(Pattern::HotRegion);
        assert!((hot - 1.0 / (0.75 + 0.25 * 8.0)).abs() < 0.01, "{hot}");
        let permutation = of(Pattern::Permutation);
        assert!((0.4..0.9).contains(&permutation), "{permutation}");
    }
}
