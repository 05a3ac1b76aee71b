//! Links of the network file to which something happens: they must be there, and the network must go on without them.

use super::{DescriptionError, InjectedFaults, LinkEvent};
use crate::blueprint::Blueprint;
use crate::wiring::{Peer, Port, Wiring};
use serde_json::json;
use std::collections::{HashMap, HashSet};

/// Checks `faults`.`links_down` and `faults`.`links_break`. A link that isn't there or can't be spared is a fault of
/// the file, not one to find out in the middle of a run.
///
/// # Errors
/// The first fault.
pub(super) fn check(blueprint: &Blueprint, faults: &InjectedFaults) -> Result<(), DescriptionError> {
    let InjectedFaults { links_down, links_break, .. } = faults;
    let mut named = HashMap::new();
    let all: HashSet<Port> = links_down.iter().chain(links_break).map(|event| event.link).collect();
    let first_break = links_break.iter().enumerate().min_by_key(|(_, event)| event.cycle);
    let mut links = blueprint.wiring.links();
    let other = links.find(|(near, far)| !all.contains(near) && !all.contains(far)).map(|(near, _)| near);
    let mut left: Option<Blueprint> = None;
    for (number, event) in links_down.iter().enumerate() {
        let path = format!("/faults/links_down/{number}");
        is_first(&path, event, &blueprint.wiring, other, &mut named)?;
        is_before(&path, event, first_break)?;
        let without = left.as_ref().unwrap_or(blueprint).without(event.link).map_err(|error| {
            let (value, rule) = (json!(event.link), format!("can't be spared: {error}"));
            DescriptionError::of(&format!("{path}/link"), value, rule, "leave it out")
        })?;
        left = Some(without);
    }
    let mut breaks = links_break.iter().enumerate();
    breaks.try_for_each(|(number, event)| {
        is_first(&format!("/faults/links_break/{number}"), event, &blueprint.wiring, other, &mut named)
    })
}

/// Either end names a link, and each link is named once. `other` is a link that is not named.
fn is_first(
    path: &str,
    event: &LinkEvent,
    wiring: &Wiring,
    other: Option<Port>,
    named: &mut HashMap<Port, String>,
) -> Result<(), DescriptionError> {
    let link = event.link;
    let wrong =
        |rule: String, legal: &str| Err(DescriptionError::of(&format!("{path}/link"), json!(link), rule, legal));
    let far = match wiring.exists(link).then(|| wiring.peer(link)) {
        Some(Peer::Switch(far)) => far,
        peer => {
            let what = match peer {
                Some(Peer::Node(node)) => format!("there is node {node}"),
                Some(_) => "nothing is wired to it".into(),
                None => "there is no such port".into(),
            };
            let legal = other.map_or("leave it out".into(), |link| json!(link).to_string());
            return wrong(format!("must be an end of a link between switches; at {link} is no link: {what}"), &legal);
        }
    };
    if let Some(earlier) = named.get(&link).or_else(|| named.get(&far)) {
        return wrong(format!("is the link of {earlier}, from {link} to {far}, and can go only once"), "leave it out");
    }
    named.insert(link, path.into());
    Ok(())
}

/// A network behind a broken link can't be drained, so that no other link can be taken out in an orderly way.
fn is_before(path: &str, event: &LinkEvent, first_break: Option<(usize, &LinkEvent)>) -> Result<(), DescriptionError> {
    let Some((number, first)) = first_break else { return Ok(()) };
    if event.cycle < first.cycle {
        return Ok(());
    }
    let cycle = first.cycle;
    let rule = format!(
        "must be below {cycle}, the cycle of /faults/links_break/{number}: after that the network can't be drained to take a link out"
    );
    let legal = cycle.checked_sub(1).map_or("leave it out".into(), |before| before.to_string());
    Err(DescriptionError::of(&format!("{path}/cycle"), event.cycle, rule, legal))
}
