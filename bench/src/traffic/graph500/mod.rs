//! Graph500 as a model of traffic: what a breadth-first search explores at each level, and the messages of its
//! processes. Source: seed 001, equations 2.1 to 2.20.
//!
//! A process owns a part of the vertices. For each edge whose other end has another owner, it sends a *query*. Queries
//! are joined in messages. A level is over when all processes have told all others that they are done, and agreed on
//! it.

mod elementary;

use crate::random::Random;
use elementary::{exp, ln};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Levels at the most: the eighth is the last one of graphs of this kind.
pub const LEVELS: usize = 9;

/// A graph of Graph500.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Graph500Graph {
    /// Logarithm of the number of vertices, to base 2.
    pub scale: u32,
    /// Edges for each vertex.
    pub edge_factor: u32,
}

/// Constants of the equations of what is explored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Graph500Constants {
    /// As seed 001 prints them.
    Printed,
    /// As its author's simulator has them: another equation 2.8, and a division of whole numbers in 2.14.
    #[default]
    Fogsim,
    /// Of one graph: a fit for each level from the first one behind the root.
    Fitted(Vec<Graph500Level>),
}

/// What is explored at a level: its logarithm is a (ln d)^2 + b ln d + c, with d the degree of the root.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Graph500Level {
    /// Factor of the square.
    pub a: f64,
    /// Factor.
    pub b: f64,
    /// Summand.
    pub c: f64,
    /// Standard deviation over mean.
    #[serde(default)]
    pub deviation: f64,
}

impl Graph500Graph {
    /// Ends of edges: all that can be explored.
    pub fn ends(self) -> f64 {
        (2u64 << self.scale) as f64 * f64::from(self.edge_factor)
    }

    /// Queries that a process sends in all levels (2.1).
    pub fn queries_of_process(self, processes: usize) -> f64 {
        let n = processes as f64;
        self.ends() * (n - 1.0) / (n * n)
    }

    /// The mean that is explored at a level from 1 on (2.5), of a root of this degree.
    pub fn mean(self, constants: &Graph500Constants, level: usize, degree: f64) -> f64 {
        let log = ln(degree.max(1.0));
        let [a, b, c] = match constants {
            Graph500Constants::Fitted(levels) => match levels.get(level - 1) {
                Some(fit) => [fit.a, fit.b, fit.c],
                None => return 0.0,
            },
            Graph500Constants::Printed | Graph500Constants::Fogsim => self.coefficients(constants, level as f64),
        };
        exp(a * log * log + b * log + c).min(self.ends())
    }

    /// Equations 2.6 to 2.8.
    fn coefficients(self, constants: &Graph500Constants, level: f64) -> [f64; 3] {
        let (s, f) = (f64::from(self.scale), f64::from(self.edge_factor));
        let a = -0.133 + 0.0046 * s + exp(0.01257 * f - 0.1829 * s - exp(1.75 - 0.7 * level));
        let b = 2.0 - level * (0.91 + 0.002 * f - 0.012 * s);
        let [low, slope, middle, width] = match constants {
            Graph500Constants::Printed => [-0.81, 0.8411, 2.8, 30.0],
            _ => [-1.105, 1.01, 3.2, 8.0],
        };
        let bell = exp(-(level - middle) * (level - middle) / width);
        [a, b, exp(1.0 + (1.0 + 0.004 * f) * (low + slope * ln(s)) * bell)]
    }

    /// The standard deviation of the same (2.9 to 2.17).
    pub fn deviation(self, constants: &Graph500Constants, level: usize, degree: f64) -> f64 {
        if let Graph500Constants::Fitted(levels) = constants {
            let share = levels.get(level - 1).map_or(0.0, |fit| fit.deviation);
            return share * self.mean(constants, level, degree);
        }
        let log = ln(degree.max(1.0));
        let is_whole = *constants == Graph500Constants::Fogsim;
        let square = |l: f64| self.squares(l, log);
        let falls = |l: f64| self.falls(l, log, is_whole);
        exp(match level {
            1 => square(1.0),
            2 => square(1.0).max(square(2.0)),
            3 => square(2.0).max(falls(4.0)),
            _ => falls(level as f64),
        })
    }

    /// f1 of a level (2.9, 2.11 to 2.13).
    fn squares(self, l: f64, log: f64) -> f64 {
        let (s, f) = (f64::from(self.scale), f64::from(self.edge_factor));
        let d = 0.002 * s - 0.14 - (0.015 * s - 0.285) * (0.56 + 0.033 * f) * (l - 1.0);
        let g = ((2.1 + l) * (5.35 + 0.093 * s) - 13.625) * (1.23 - (2.9 + 0.69 * l) / f);
        let slope = 0.97 - (l - 1.0) * (4.438 - 0.168 * s) * (0.83 + 0.01 * f);
        d * log * log + slope * log + g
    }

    /// f2 of a level (2.10, 2.14 to 2.16).
    fn falls(self, l: f64, log: f64, is_whole: bool) -> f64 {
        let (s, f) = (f64::from(self.scale), f64::from(self.edge_factor));
        let tens = if is_whole { f64::from(self.scale / 10) } else { s / 10.0 };
        let h = exp(l * std::f64::consts::LN_2) * (0.011 + 0.00012 * f) * exp(1.7 - tens);
        let j = 1.0 - exp((1.0 - 0.012 * f) * (9.55 - 1.3 * l - s * (0.6 - 0.1 * l)));
        let k = 13.0 * (0.062 * s - 0.046) * (2.0 - 0.24 * l) - j;
        k / exp(h * log) + j
    }

    /// Draws the degree of a root (2.18, 2.19).
    pub fn draw_degree(self, random: &mut Random) -> f64 {
        let s = f64::from(self.scale);
        let (mean, deviation) = (s * (ln(0.3604) + 1.066_170_4), 0.079_313_065 * s);
        exp(mean + deviation * normal(random)).round().max(1.0)
    }

    /// What is explored at each level from that of the root on: means, or draws around them. All together are as much
    /// as there is, at the most.
    pub fn levels(self, constants: &Graph500Constants, degree: f64, mut random: Option<&mut Random>) -> Vec<f64> {
        let mut left = self.ends() - degree;
        let mut levels = vec![degree];
        while left >= 1.0 && levels.len() < LEVELS {
            let level = levels.len();
            let mean = self.mean(constants, level, degree);
            let drawn = match random.as_deref_mut() {
                Some(random) => draw(mean, self.deviation(constants, level, degree), random),
                None => mean,
            };
            let explored = drawn.min(left).max(0.0);
            left -= explored;
            levels.push(explored);
        }
        while levels.len() > 1 && levels.last().is_some_and(|explored| *explored < 1.0) {
            levels.pop();
        }
        levels
    }
}

/// A value around a mean that is not negative.
fn draw(mean: f64, deviation: f64, random: &mut Random) -> f64 {
    // A few tries suffice: half of the values are above the mean.
    let mut tries = (0..64).map(|_| mean + deviation.min(1e18) * normal(random));
    tries.find(|value| *value >= 0.0).unwrap_or(mean)
}

/// A draw of the normal distribution, as near as a sum of twelve equal ones comes.
fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.bits() as f64 / 18_446_744_073_709_551_616.0).sum::<f64>() - 6.0
}

/// Queries of a process at a level (2.2), given what all explore.
pub fn queries(explored: f64, processes: usize) -> f64 {
    let n = processes as f64;
    explored / n * (n - 1.0) / n
}

/// Messages of a process at a level (2.3, 2.4), of so many queries each.
pub fn messages(queries: f64, coalescing: u32, processes: usize) -> f64 {
    let n = processes as f64;
    let reached = n * (1.0 - exp(queries * ln(1.0 - 1.0 / n)));
    if reached <= 0.0 {
        return 0.0;
    }
    (queries / f64::from(coalescing) / reached).ceil() * reached
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Graph500Graph = Graph500Graph { scale: 17, edge_factor: 16 };

    /// Section 2.1: 32,512 messages of a process.
    #[test]
    fn messages_of_a_process_are_those_that_are_printed() {
        let graph = Graph500Graph { scale: 25, edge_factor: 16 };
        assert_eq!((graph.queries_of_process(128) / 256.0).round(), 32_512.0);
        assert_eq!(messages(queries(graph.ends(), 128), 256, 128).round(), 32_512.0);
        // A query goes to one process, in a message of its own.
        assert!((messages(1.0, 256, 16) - 1.0).abs() < 1e-9);
        assert_eq!(messages(0.0, 256, 16), 0.0);
    }

    /// Shares of all ends at levels 1 to 3, as computed from the equations by somebody else.
    #[test]
    fn constants_give_what_others_found() {
        let shares = |constants, degree: f64| {
            let levels = SMALL.levels(&constants, degree, None);
            [1, 2, 3].map(|level| levels.get(level).copied().unwrap_or(0.0) / SMALL.ends())
        };
        let near = |found: [f64; 3], expected: [f64; 3]| {
            assert!(
                found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.012 * b.max(0.1)),
                "{found:?} {expected:?}"
            );
        };
        near(shares(Graph500Constants::Fogsim, 117.0), [0.057, 0.474, 0.470]);
        near(shares(Graph500Constants::Fogsim, 12_480.0), [0.671, 0.327, 0.0]);
        near(shares(Graph500Constants::Printed, 1.0), [0.048, 0.284, 0.455]);
        near(shares(Graph500Constants::Printed, 117.0), [1.0, 0.0, 0.0]);
    }

    #[test]
    fn all_levels_together_are_what_there_is() {
        let mut random = Random::new(3, 0);
        for _ in 0..200 {
            let degree = SMALL.draw_degree(&mut random);
            let levels = SMALL.levels(&Graph500Constants::Fogsim, degree, Some(&mut random));
            let sum: f64 = levels.iter().sum();
            assert!(sum <= SMALL.ends() + 0.5 && sum > 0.5 * SMALL.ends(), "{degree}: {levels:?}");
            assert!(levels.iter().all(|explored| *explored >= 0.0) && levels.len() <= LEVELS);
        }
    }

    #[test]
    fn a_fit_is_taken_as_it_is() {
        let level = |c| Graph500Level { a: 0.0, b: 1.0, c, deviation: 0.5 };
        let fitted = Graph500Constants::Fitted(vec![level(2.0), level(3.0)]);
        assert!((SMALL.mean(&fitted, 1, 10.0) / (10.0 * f64::exp(2.0)) - 1.0).abs() < 1e-9);
        assert!((SMALL.deviation(&fitted, 2, 1.0) / (0.5 * f64::exp(3.0)) - 1.0).abs() < 1e-9);
        assert_eq!((SMALL.mean(&fitted, 3, 10.0), SMALL.levels(&fitted, 10.0, None).len()), (0.0, 3));
    }
}
