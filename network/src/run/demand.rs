//! Nodes that send unlike each other: a load for each, or a matrix of who sends to whom.

use super::{Flow, Matrix, RunError, Traffic};
use railyard_bench::traffic::{Pattern, Weighted};

impl Traffic {
    /// The flows of the matrix, if there is one.
    pub(crate) fn flows(&self) -> Option<&[Flow]> {
        match &self.matrix {
            Some(Matrix::Flows(flows)) => Some(flows),
            Some(Matrix::File(_)) | None => None,
        }
    }

    /// The destinations of each node by the matrix, if there is one.
    pub(crate) fn by_matrix(&self, nodes: usize) -> Option<Vec<Weighted>> {
        let mut all = vec![Vec::new(); nodes];
        self.flows()?
            .iter()
            .for_each(|&(source, destination, weight)| all[source as usize].push((destination, weight)));
        Some(all.into_iter().map(Weighted::from_iter).collect())
    }

    /// The load of each node over the mean of all; empty if they are alike.
    pub fn weights(&self, nodes: usize) -> Vec<f64> {
        let mut weights = self.rates.clone();
        if let Some(flows) = self.flows() {
            weights = vec![0.0; nodes];
            flows.iter().for_each(|&(source, _, weight)| weights[source as usize] += weight);
        }
        let mean = weights.iter().sum::<f64>() / nodes as f64;
        weights.iter().map(|weight| weight / mean).collect()
    }
}

/// Checks rates and matrix.
///
/// # Errors
/// The first reason why they can't be.
pub(super) fn check(traffic: &Traffic, nodes: usize) -> Result<(), RunError> {
    check_rates(&traffic.rates, nodes)?;
    if let Some(matrix) = &traffic.matrix {
        check_matrix(matrix, traffic, nodes)?;
    }
    let weights = traffic.weights(nodes);
    let Some((node, most)) = weights.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return Ok(());
    };
    let load = traffic.load;
    if load * most > 1.0 + 1e-9 {
        let rule = format!("is the mean of all nodes: node {node} would send {:.4} flits in a cycle", load * most);
        return RunError::of("/traffic/load", load, rule, format!("{}", (1e4 / most).floor() / 1e4));
    }
    Ok(())
}

fn check_rates(rates: &[f64], nodes: usize) -> Result<(), RunError> {
    const PATH: &str = "/traffic/rates";
    if rates.is_empty() {
        return Ok(());
    }
    if rates.len() != nodes {
        let rule = "must have a weight for each node";
        return RunError::of(PATH, format!("{} weights", rates.len()), rule, format!("{nodes} weights"));
    }
    match rates.iter().find(|rate| !is_weight(**rate)) {
        Some(rate) => RunError::of(PATH, rate, NO_WEIGHT, "1"),
        None if rates.iter().sum::<f64>() > 0.0 => Ok(()),
        None => RunError::of(PATH, "0 for all nodes", "leaves nothing to send", "1 for a node"),
    }
}

fn check_matrix(matrix: &Matrix, traffic: &Traffic, nodes: usize) -> Result<(), RunError> {
    const PATH: &str = "/traffic/matrix";
    let is_alone = traffic.pattern == Pattern::Uniform && traffic.mix.is_empty() && traffic.changes.is_empty();
    if !is_alone || !traffic.rates.is_empty() {
        let rule = "stands beside rates, a pattern, a mix or changes, and says all of that itself";
        return RunError::of(PATH, "a matrix", rule, "leave the others out");
    }
    let Matrix::Flows(flows) = matrix else {
        return RunError::of(PATH, "a file", "is read with the network file only", "a list of flows");
    };
    let shown = |(source, destination, weight): &Flow| format!("[{source}, {destination}, {weight}]");
    for flow in flows {
        let &(source, destination, weight) = flow;
        if source.max(destination) as usize >= nodes || source == destination {
            let rule = format!("must lead from a node to another one, 0 to {}", nodes - 1);
            return RunError::of(PATH, shown(flow), rule, "[0, 1, 1]");
        }
        if !is_weight(weight) {
            return RunError::of(PATH, shown(flow), NO_WEIGHT, format!("[{source}, {destination}, 1]"));
        }
    }
    match flows.iter().map(|flow| flow.2).sum::<f64>() > 0.0 {
        true => Ok(()),
        false => RunError::of(PATH, "no weight above 0", "leaves nothing to send", "[0, 1, 1]"),
    }
}

const NO_WEIGHT: &str = "must be a weight, 0 to 1e15";

/// Small enough for sums of many.
pub(crate) fn is_weight(weight: f64) -> bool {
    (0.0..=1e15).contains(&weight)
}
