//! Wirings link by link.

use super::fault;
use crate::wiring::{Port, Wiring, WiringError};
use railyard_input::Faults;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;

/// A wiring, link by link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Links {
    /// Number of switches.
    #[schemars(range(min = 1, max = 4096))]
    pub switches: usize,
    /// Links between switches: two ends each, an end is [switch, port]. As an object, with a latency of its own.
    #[serde(default)]
    pub links: Vec<SwitchLink>,
    /// Where each node is: [switch, port].
    #[schemars(length(min = 2))]
    pub nodes: Vec<Port>,
    /// Switches that are the roots of up*/down* routes and of multicast trees. Left out: found by their distance from
    /// the nodes.
    #[schemars(length(min = 1))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roots: Option<Vec<usize>>,
}

/// A link between two switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "LinkEntry", into = "LinkEntry")]
pub struct SwitchLink {
    /// Its ends.
    pub ends: [Port; 2],
    /// Cycles from one end to the other, if not those of all links.
    pub latency: Option<u64>,
}

/// A link in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum LinkEntry {
    /// Its ends.
    Ends([Port; 2]),
    /// Its ends and its latency.
    WithLatency(LinkWithLatency),
}

/// A link that is longer or shorter than others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LinkWithLatency {
    /// Its ends, each [switch, port].
    ends: [Port; 2],
    /// Cycles from one end to the other, in place of `link_latency`.
    #[schemars(range(max = 1000))]
    latency: u64,
}

impl From<[Port; 2]> for SwitchLink {
    fn from(ends: [Port; 2]) -> SwitchLink {
        SwitchLink { ends, latency: None }
    }
}

impl From<LinkEntry> for SwitchLink {
    fn from(entry: LinkEntry) -> SwitchLink {
        match entry {
            LinkEntry::Ends(ends) => ends.into(),
            LinkEntry::WithLatency(LinkWithLatency { ends, latency }) => SwitchLink { ends, latency: Some(latency) },
        }
    }
}

impl From<SwitchLink> for LinkEntry {
    fn from(SwitchLink { ends, latency }: SwitchLink) -> LinkEntry {
        match latency {
            None => LinkEntry::Ends(ends),
            Some(latency) => LinkEntry::WithLatency(LinkWithLatency { ends, latency }),
        }
    }
}

impl JsonSchema for SwitchLink {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        LinkEntry::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        LinkEntry::json_schema(generator)
    }
}

impl Links {
    /// The ports that links and nodes are at, by the entries that name them.
    fn named(&self) -> impl Iterator<Item = (String, Port)> + '_ {
        let links = self.links.iter().enumerate().flat_map(|(i, SwitchLink { ends, latency })| {
            let ends_are = if latency.is_some() { "/ends" } else { "" };
            ends.iter().enumerate().map(move |(end, at)| (format!("links/{i}{ends_are}/{end}"), *at))
        });
        links.chain(self.nodes.iter().enumerate().map(|(i, at)| (format!("nodes/{i}"), *at)))
    }

    /// The ports of a switch that nothing is at, in words.
    fn free(&self, switch: usize, ports: usize) -> String {
        let taken: BTreeSet<usize> =
            self.named().map(|(_, at)| at).filter(|at| at.switch == switch).map(|at| at.port).collect();
        let free: Vec<String> = (0..ports).filter(|port| !taken.contains(port)).map(|port| port.to_string()).collect();
        match free.is_empty() {
            true => format!("another switch, as all ports of switch {switch} are wired"),
            false => format!("a free port of switch {switch}: {}", free.join(", ")),
        }
    }

    pub(super) fn wiring(&self, ports: usize) -> Result<Wiring, Faults> {
        let mut wiring = Wiring::new(self.switches, ports);
        let mut faults = Faults::default();
        let mut add = |path: &dyn Fn() -> String, at: Port, error: WiringError| {
            faults.push_with(|| match error {
                WiringError::NoPort(_) => {
                    let legal = format!("switches 0 to {}, ports 0 to {}", self.switches - 1, ports - 1);
                    fault(path(), json!(at), error.to_string(), legal)
                }
                WiringError::Taken(_) => {
                    let first = self.named().find(|(_, port)| *port == at).map(|(entry, _)| entry);
                    let rule = format!("{error} by {}", first.expect("it was wired"));
                    fault(path(), json!(at), rule, self.free(at.switch, ports))
                }
            });
        };
        for (i, SwitchLink { ends, latency }) in self.links.iter().enumerate() {
            let path = |end: usize| match latency {
                None => format!("/links/{i}/{end}"),
                Some(_) => format!("/links/{i}/ends/{end}"),
            };
            let free = ends.map(|end| wiring.must_be_free(end));
            for (end, free) in free.iter().enumerate() {
                free.unwrap_or_else(|error| add(&|| path(end), ends[end], error));
            }
            if free == [Ok(()); 2] {
                wiring.link(ends[0], ends[1]).unwrap_or_else(|error| add(&|| path(1), ends[1], error));
            }
            latency.iter().for_each(|&latency| ends.iter().for_each(|&end| wiring.set_latency(end, latency)));
        }
        for (i, &node) in self.nodes.iter().enumerate() {
            wiring.attach(node).unwrap_or_else(|error| add(&|| format!("/nodes/{i}"), node, error));
        }
        for (i, root) in self.roots.iter().flatten().enumerate().filter(|(_, root)| **root >= self.switches) {
            let legal = format!("0 to {}", self.switches - 1);
            faults.push_with(|| fault(format!("/roots/{i}"), root, "is no switch", legal));
        }
        match faults.is_empty() {
            true => Ok(wiring),
            false => Err(faults),
        }
    }
}
