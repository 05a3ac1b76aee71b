//! Figure 5.1: capacity misses of k-ary 4-tori (and meshes) without node reduction, by equations 4.1 and 4.2 and as the
//! model's cache has them under uniform traffic.

use crate::network::{PortTraffic, RoutedCube, RoutedNetwork};
use crate::report::{beside, rounded};
use crate::warm::hit_percent;
use crate::{random, Organisation, Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use railyard_plot::{Axis, Dot, Picture};
use serde_json::{json, Value};

const NAME: &str = "capacity";
const DIMENSIONS: u32 = 4;
const SIZES: [u64; 11] = [3, 5, 7, 9, 11, 13, 15, 16, 31, 47, 63];
/// The largest network for which traffic is drawn, 64 K nodes.
const LARGEST_DRAWN: u64 = 16;

/// Equation 4.2, capped by 4.1: the hit ratio at the input port of dimension `i` of a k-ary n-torus, 0 that of the
/// node.
pub(super) fn hit_ratio(k: u64, n: u32, i: u32, entries: u64) -> f64 {
    let targets = match i {
        0 => k.pow(n) - 1,
        _ => k.pow(n - i) * (k / 2),
    };
    (entries as f64 / targets as f64).min(1.0)
}

/// The same for a mesh, which the seed doesn't give: the switch at `c` of k sees the k - c coordinates ahead of it.
fn hit_ratio_in_mesh(k: u64, n: u32, i: u32, entries: u64, c: u64) -> f64 {
    let targets = match i {
        0 => k.pow(n) - 1,
        _ => k.pow(n - i) * (k - c),
    };
    (entries as f64 / targets as f64).min(1.0)
}

/// Mean over all lookups of uniform traffic, by the equations: one at the node's port and one for each hop.
fn mean_miss_ratio(torus: bool, k: u64, entries: u64) -> f64 {
    // The mean number of hops in a dimension: of all k * k pairs of coordinates.
    let hops = if torus { (k * k / 4) as f64 / k as f64 } else { (k * k - 1) as f64 / (3 * k) as f64 };
    let miss = |i: u32| match torus {
        true => 1.0 - hit_ratio(k, DIMENSIONS, i, entries),
        // So many pairs pass the switch at c on the way up; down it is the same the other way round.
        false => {
            let passing: f64 = (1..k).map(|c| (c * (k - c)) as f64).sum();
            let missing =
                (1..k).map(|c| (c * (k - c)) as f64 * (1.0 - hit_ratio_in_mesh(k, DIMENSIONS, i, entries, c)));
            missing.sum::<f64>() / passing
        }
    };
    let at_node = 1.0 - hit_ratio(k, DIMENSIONS, 0, entries);
    (at_node + hops * (1..=DIMENSIONS).map(miss).sum::<f64>()) / (1.0 + hops * f64::from(DIMENSIONS))
}

pub(super) fn run(options: &StudyOptions) -> StudyReport {
    let entries = Organisation::default().entries as u64;
    let mut table = StudyTable::new(&[
        "network",
        "k",
        "nodes",
        "port",
        "targets",
        "misses %",
        "seed %",
        "difference",
        "model misses %",
    ]);
    let (mut series, mut published) = (Vec::new(), Vec::new());
    for (name, torus) in [("torus", true), ("mesh", false)] {
        let mut curves = vec![Vec::new(); DIMENSIONS as usize + 2];
        for k in SIZES {
            let radix = vec![k as u32; DIMENSIONS as usize];
            let network = if torus { RoutedCube::torus(&radix) } else { RoutedCube::mesh(&radix) };
            let head = [json!(name), json!(k), json!(k.pow(DIMENSIONS))];
            let ratio = |i| match torus {
                true => hit_ratio(k, DIMENSIONS, i, entries),
                false => hit_ratio_in_mesh(k, DIMENSIONS, i, entries, k / 2),
            };
            let targets = |i: u32| match i {
                0 => k.pow(DIMENSIONS) - 1,
                _ => k.pow(DIMENSIONS - i) * if torus { k / 2 } else { k - k / 2 },
            };
            for (i, (port, input)) in (0..).zip(network.inputs()) {
                let misses = 100.0 * (1.0 - ratio(i));
                let measured = (k <= LARGEST_DRAWN).then(|| {
                    let traffic = PortTraffic::new(network.flows(input));
                    rounded(100.0 - hit_percent(&traffic, |address| address, &mut random(options.seed, i.into())))
                });
                let cells = head.clone().into_iter().chain([json!(port), json!(targets(i))]);
                let seed = printed(torus, k, i == 0);
                table.push(cells.chain(beside(misses, seed)).chain([measured.unwrap_or_default()]));
                curves[i as usize].push(Dot::at(k.pow(DIMENSIONS) as f64, misses));
            }
            let mean = 100.0 * mean_miss_ratio(torus, k, entries);
            published.extend(printed(torus, k, true).at(k.pow(DIMENSIONS) as f64));
            let cells = head.into_iter().chain([json!("mean of lookups"), Value::Null]);
            table.push(cells.chain(beside(mean, printed(torus, k, true))).chain([Value::Null]));
            curves[DIMENSIONS as usize + 1].push(Dot::at(k.pow(DIMENSIONS) as f64, mean));
        }
        let curves = curves.into_iter().enumerate().map(|(i, curve)| match i as u32 {
            0 => ("node".to_string(), curve),
            i if i > DIMENSIONS => (format!("{name}, mean of lookups"), curve),
            i => (format!("{name}, dimension {i}"), curve),
        });
        // A mesh's ports are much like those of a torus: the picture has them all once.
        series.extend(curves.filter(|(label, _)| torus || label.ends_with("mean of lookups")));
    }
    let title = "Capacity misses of k-ary 4-cubes, 2,048 entries, no node reduction";
    let picture = Picture {
        title: title.into(),
        axes: [Axis::log("nodes"), Axis::linear("capacity misses, %")],
        legend: Some("network, port".into()),
        series,
        published,
        front: None,
    };
    let notes = vec![
        "Misses by equations 4.1 and 4.2; for the mesh, at the switch in the middle (the seed has no equation for it).".into(),
        "Model misses: those of the switch's own cache under uniform traffic in the long run, so conflict misses are in it. Addresses are coordinates in chunks of whole \
         bits: where k is no power of two they are not contiguous and sets are loaded unevenly, even below the capacity (k = 5). \
         Far above it, ports of a torus dimension miss less than the equation says: near destinations come more often."
            .into(),
        "The seed prints the figure without numbers and says that the average goes to 100 % in large networks. At the node's \
         port and in dimension 1 it does; ports of the last dimensions see few destinations in any network that 24 bits \
         address, so the mean of all lookups stays well below."
            .into(),
    ];
    let part = StudyPart { name: NAME.into(), title: title.into(), table, picture };
    StudyReport { study: NAME, seed: options.seed, parts: vec![part], notes }
}

/// "Close to 100 %", in the largest network.
fn printed(torus: bool, k: u64, is_general: bool) -> Seed {
    match torus && is_general && Some(&k) == SIZES.last() {
        true => Seed::Number(100.0),
        false => Seed::Silent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_equations_4_1_and_4_2() {
        assert_eq!(hit_ratio(5, 2, 0, 12), 0.5);
        assert_eq!(hit_ratio(5, 2, 1, 5), 0.5);
        assert_eq!(hit_ratio(5, 2, 2, 1), 0.5);
        assert_eq!(hit_ratio(5, 2, 2, 2048), 1.0);
    }

    /// The equation against the cache where its assumption holds: uniform destinations at the port of the node.
    #[test]
    fn the_models_cache_agrees_at_the_nodes_port() {
        let report = run(&StudyOptions::default());
        let misses = |k: u64| {
            let row = [("network", json!("torus")), ("k", json!(k)), ("port", json!("node"))];
            ["misses %", "model misses %"].map(|head| report.find(NAME, &row, head).as_f64().unwrap())
        };
        for k in [11, 13, 15, 16] {
            let [equation, model] = misses(k);
            assert!((equation - model).abs() < 1.0, "k = {k}: {equation} and {model}");
        }
        // 2,400 destinations: some sets get more than their share, others less than they can hold.
        let [equation, model] = misses(7);
        assert!(equation < model, "{equation} and {model}");
        let mean = |k: u64| {
            let row = [("network", json!("torus")), ("k", json!(k)), ("port", json!("mean of lookups"))];
            report.find(NAME, &row, "misses %").as_f64().unwrap()
        };
        assert!(SIZES.windows(2).all(|pair| mean(pair[0]) <= mean(pair[1])));
    }
}
