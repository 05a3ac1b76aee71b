//! The file of a traffic matrix: a line for each flow, `source destination weight`; `#` begins a comment.

use crate::run::Flow;
use railyard_input::{Fault, Faults, InputSource};

/// Reads the text of a file.
///
/// # Errors
/// All faults: file and line, value, rule.
pub(super) fn read(file: &InputSource, text: &str, nodes: usize) -> Result<Vec<Flow>, Faults> {
    let (mut flows, mut faults) = (Vec::new(), Faults::default());
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        match flow(line, nodes) {
            Some(flow) => flows.push(flow),
            None => faults.push_with(|| Fault {
                path: format!("{file}:{}", index + 1),
                value: format!("`{line}`"),
                rule: format!("must be `source destination weight`, with two nodes, 0 to {}", nodes - 1),
                legal: "0 1 1".into(),
            }),
        }
    }
    match faults.is_empty() {
        true => Ok(flows),
        false => Err(faults),
    }
}

fn flow(line: &str, nodes: usize) -> Option<Flow> {
    let mut words = line.split_whitespace();
    let (source, destination, weight) = (words.next()?, words.next()?, words.next()?);
    let node = |word: &str| word.parse::<u32>().ok().filter(|&node| (node as usize) < nodes);
    let weight = weight.parse::<f64>().ok().filter(|weight| crate::run::is_weight(*weight))?;
    let (source, destination) = (node(source)?, node(destination)?);
    (words.next().is_none() && source != destination).then_some((source, destination, weight))
}
