//! What is known of a network before it runs: sizes, checks, what its routes can carry.

use railyard_network::blueprint::Blueprint;
use railyard_network::check::{AdaptiveFault, Bottleneck, Proven};
use railyard_network::description::Input;
use railyard_network::{FullLink, Layers, LinkRoutes, Outlook};

/// A line for each thing that is known before it runs.
pub fn rows(blueprint: &Blueprint, outlook: &Outlook) -> Vec<(&'static str, String)> {
    let wiring = &blueprint.wiring;
    let mut rows = vec![
        ("switches", wiring.switches().to_string()),
        ("nodes", wiring.nodes().len().to_string()),
        ("links between switches", wiring.links().count().to_string()),
        ("multicast groups", format!("{}, {} trees", blueprint.groups.len(), blueprint.trees().count())),
        ("barrier groups", blueprint.barriers.len().to_string()),
        ("reachability", "every node from every other, every member once".into()),
    ];
    rows.extend(deadlock(blueprint));
    rows.extend(outlook.up_down.as_ref().map(|roots| ("up*/down* roots", switches(&roots.switches))));
    rows.extend(outlook.layers.map(|Layers { fewest, on_average, of }| {
        ("virtual channels", format!("{fewest} to {of} for a route, {on_average:.1} on average"))
    }));
    rows.extend(outlook.busiest_link.map(|LinkRoutes { link, to, routes, of }| {
        ("busiest link", format!("{link} to switch {to}: {routes} of {of} routes"))
    }));
    let limit = outlook.uniform_limit;
    let full = if limit < 1.0 { "fills that link first" } else { "fills the nodes' links" };
    rows.push(("uniform traffic", format!("{limit:.2} flits/node/cycle {full}")));
    rows
}

/// Why packets don't wait for each other in a ring.
fn deadlock(blueprint: &Blueprint) -> Vec<(&'static str, String)> {
    match &blueprint.choices {
        None => vec![("deadlock", "no ring of channels".into())],
        Some(Ok(proven)) => proof(*proven),
        Some(Err(AdaptiveFault::Ring(ring))) => {
            vec![("deadlock", format!("POSSIBLE, and allowed: escapes close a ring of {} channels", ring.len()))]
        }
        Some(Err(fault)) => vec![("deadlock", format!("POSSIBLE, and allowed: {fault}"))],
    }
}

/// What was proven of the choices of packets.
pub fn proof(Proven { states, choices_close_rings }: Proven) -> Vec<(&'static str, String)> {
    let rings = if choices_close_rings { "yes, which is no deadlock" } else { "none" };
    vec![
        ("deadlock", "none: each state has an escape, and escapes close no ring".into()),
        ("states followed", states.to_string()),
        ("rings among choices", rings.into()),
    ]
}

/// What limits the file's traffic, if that is known.
pub fn of_traffic(input: &Input, limit: Option<Bottleneck>) -> Vec<(&'static str, String)> {
    let traffic = &input.description.traffic;
    let pattern = if traffic.matrix.is_some() { "matrix" } else { traffic.pattern.name() };
    let text = |Bottleneck { load, link }| {
        let link = link.map_or("the links of nodes".into(), |link| format!("the link of {link}"));
        format!("{pattern}: {load:.4} flits/node/cycle fills {link}")
    };
    limit.map(text).map(|text| ("this traffic", text)).into_iter().collect()
}

/// What one VC needs to keep the longest link full, of each kind.
pub fn full_links(kinds: &[FullLink]) -> Vec<(&'static str, String)> {
    let row = |FullLink { kind, latency, needed, buffer_flits, .. }: &FullLink| {
        let title = match *kind {
            Some("node") => "full node link",
            Some("local") => "full local link",
            Some(_) => "full global link",
            None => "full link",
        };
        let cycles = if *latency == 1 { "1 cycle".into() } else { format!("{latency} cycles") };
        (title, format!("of {cycles}, by one VC alone: buffers of {needed} flits; there are {buffer_flits}"))
    };
    kinds.iter().map(row).collect()
}

/// The first of some switches.
fn switches(all: &[usize]) -> String {
    const SHOWN: usize = 8;
    let first: Vec<String> = all.iter().take(SHOWN).map(usize::to_string).collect();
    let more = all.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("switch{} {}{rest}", if all.len() == 1 { "" } else { "es" }, first.join(", "))
}
