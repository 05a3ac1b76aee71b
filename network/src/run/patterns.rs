//! Whether the patterns of a run fit each other and the network.

use super::{Part, Phase, RunError, Traffic};
use crate::wiring::Wiring;
use railyard_bench::traffic::Pattern;
use serde_json::json;

/// Checks patterns, mixes and changes.
///
/// # Errors
/// The first reason why they can't be.
pub(super) fn check(traffic: &Traffic, wiring: &Wiring) -> Result<(), RunError> {
    check_phase(["/traffic/pattern", "/traffic/mix"], traffic.pattern, &traffic.mix, wiring)?;
    let mut before = 0;
    for Phase { cycle, pattern, mix } in &traffic.changes {
        if *cycle <= before {
            let rule = "must come after the cycles before it, and after cycle 0";
            return RunError::of("/traffic/changes", cycle, rule, (before + 1).to_string());
        }
        before = *cycle;
        if *pattern == Pattern::Multicast || traffic.pattern == Pattern::Multicast {
            return RunError::of("/traffic/changes", json!(pattern), "multicast traffic can't change", "leave it out");
        }
        check_phase(["/traffic/changes"; 2], *pattern, mix, wiring)?;
    }
    Ok(())
}

fn check_phase(paths: [&'static str; 2], pattern: Pattern, mix: &[Part], wiring: &Wiring) -> Result<(), RunError> {
    check_groups(paths[0], pattern, wiring)?;
    mix.iter().try_for_each(|part| check_groups(paths[1], part.pattern, wiring))?;
    if mix.iter().any(|part| part.pattern == Pattern::Multicast) {
        return RunError::of(
            paths[1],
            "\"multicast\"",
            "is no part of a mix",
            "the field `multicast`, which has a share",
        );
    }
    let sum: f64 = mix.iter().map(|part| part.share).sum();
    if sum > 1.0 + 1e-9 {
        return RunError::of(paths[1], sum, "is the sum of the shares, and must be 1 at most", "smaller shares");
    }
    Ok(())
}

/// A pattern that sends to other groups has such groups.
fn check_groups(path: &'static str, pattern: Pattern, wiring: &Wiring) -> Result<(), RunError> {
    if !matches!(pattern, Pattern::Adversarial { .. } | Pattern::AdversarialConsecutive { .. }) {
        return Ok(());
    }
    let Some(groups) = wiring.node_groups() else {
        return RunError::of(path, json!(pattern), "needs the groups of a Dragonfly", "\"uniform\"");
    };
    let count = wiring.nodes().len() / groups.nodes;
    let (first, targets) = groups.following(pattern).unwrap_or((1, 1));
    if (1..count).contains(&(first + targets - 1)) {
        return Ok(());
    }
    let rule = format!("leads past the other groups: there are {count} groups");
    RunError::of(path, json!(pattern), rule, format!("1 to {} groups further on", count - 1))
}
