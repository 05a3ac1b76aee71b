//! What Fuentes2017 prints of fairness: tables 3.1 to 3.3.

use crate::studies::dragonfly::{Order, Routing};
use crate::Seed;
use railyard_network::adaptive::DetourPolicy;

/// A figure of a row.
#[derive(Clone, Copy)]
pub enum PrintedFigure {
    /// Least injected of a switch, in flits for each node and cycle.
    Least,
    /// Most injected over least.
    Ratio,
    /// Coefficient of variation.
    Cov,
}

/// A routing with its rows below and above saturation: by table, load and figure.
pub struct Row {
    pub name: &'static str,
    pub routing: Routing,
    printed: [[[f64; 3]; 2]; 3],
}

/// PB is not built; UGAL-L is its decision without the other switches' links.
const ROWS: [Row; 6] = [
    Row {
        name: "minimal",
        routing: Routing::Minimal,
        printed: [
            [[0.0275, 1.180, 0.0236], [0.0100, 43.81, 0.4106]],
            [[0.0275, 1.180, 0.0236], [0.0056, 91.16, 1.3382]],
            [[0.0275, 1.180, 0.0236], [0.0156, 29.54, 0.5676]],
        ],
    },
    Row {
        name: "Valiant",
        routing: Routing::Valiant,
        printed: [
            [[0.3416, 1.048, 0.0069], [0.3522, 1.309, 0.0345]],
            [[0.3424, 1.047, 0.0068], [0.3237, 1.364, 0.0427]],
            [[0.3422, 1.046, 0.0068], [0.3794, 1.212, 0.0317]],
        ],
    },
    Row {
        name: "UGAL-L",
        routing: Routing::Ugal,
        printed: [
            [[0.1589, 1.925, 0.0483], [0.1739, 3.138, 0.1569]],
            [[0.1388, 2.207, 0.0668], [0.1409, 3.954, 0.2216]],
            [[0.2428, 1.060, 0.0081], [0.1961, 2.802, 0.2190]],
        ],
    },
    Row {
        name: "credits, RRG",
        routing: Routing::Credits(DetourPolicy::Rrg),
        printed: [
            [[0.0066, 62.79, 0.2435], [0.0039, 145.29, 0.2820]],
            [[0.2729, 1.496, 0.0701], [0.3092, 1.781, 0.1032]],
            [[0.3784, 1.082, 0.0103], [0.2582, 2.069, 0.1033]],
        ],
    },
    Row {
        name: "credits, CRG",
        routing: Routing::Credits(DetourPolicy::Crg),
        printed: [
            [[0.0042, 97.90, 0.2450], [0.0032, 172.89, 0.2525]],
            [[0.2683, 1.523, 0.0740], [0.2814, 1.874, 0.1080]],
            [[0.3883, 1.052, 0.0067], [0.2701, 2.044, 0.0979]],
        ],
    },
    Row {
        name: "credits, MM",
        routing: Routing::Credits(DetourPolicy::Mm),
        printed: [
            [[0.0053, 79.74, 0.2442], [0.0051, 112.56, 0.2519]],
            [[0.2634, 1.551, 0.0741], [0.2829, 1.857, 0.1078]],
            [[0.3896, 1.050, 0.0068], [0.2735, 2.020, 0.0973]],
        ],
    },
];

/// The same routing by contention counters, of which no table is printed.
const COUNTERS: (&str, Routing) = ("Base, MM", Routing::Base(None));

/// All routings of the study, by name.
pub fn routings() -> Vec<(&'static str, Routing)> {
    ROWS.iter().map(|row| (row.name, row.routing)).chain([COUNTERS]).collect()
}

/// What is printed of a routing.
pub fn printed(name: &str, order: Order, is_above: bool, figure: PrintedFigure) -> Seed {
    let row = ROWS.iter().find(|row| row.name == name);
    row.map_or(Seed::Silent, |row| Seed::Number(row.printed[order as usize][usize::from(is_above)][figure as usize]))
}
