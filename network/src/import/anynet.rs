//! The file of BookSim's topology `anynet`.
//!
//! A line is a router or node and what it is linked to: `router 0 node 0 node 1 5 router 1 15`. A number behind a
//! router or node is the latency of the channel in cycles, else it is 1. It is that of one direction between routers.
//! Source: `src/networks/anynet.cpp` of BookSim 2.

use super::fabric::{End, Fabric};
use super::lines::{fault, lines, Line};
use super::Imported;
use crate::topology::{MAX_NODES, MAX_SWITCHES};
use railyard_input::{Fault, Faults};
use std::collections::BTreeMap;
use std::str::SplitAsciiWhitespace;

/// Cycles of a channel of which the file says nothing.
const DEFAULT_LATENCY: u64 = 1;

/// Most cycles of a link.
const MAX_LATENCY: u64 = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Node,
    Router,
}

type Item = (Kind, usize);

/// Where a node is.
struct Place {
    router: usize,
    latency: u64,
    line: usize,
}

/// What the file says.
#[derive(Default)]
struct AnyNet {
    /// A line in which a router stands.
    routers: BTreeMap<usize, usize>,
    nodes: BTreeMap<usize, Place>,
    /// Latency from one router to another, and the line.
    channels: BTreeMap<(usize, usize), (u64, usize)>,
}

pub(super) fn read(text: &str) -> Result<Imported, Faults> {
    let mut file = AnyNet::default();
    for line in lines(text) {
        file.read_line(line)?;
    }
    Ok(file.finish()?)
}

fn item(line: Line<'_>, kind: &str, number: Option<&str>) -> Result<Item, Fault> {
    let (kind, most) = match kind {
        "node" => (Kind::Node, MAX_NODES),
        "router" => (Kind::Router, MAX_SWITCHES),
        _ => return Err(line.fault(kind, "is neither `router` nor `node`", "router")),
    };
    let number = number.ok_or_else(|| line.fault(line.text, "ends without the number of a router or node", "0"))?;
    Ok((kind, line.number_in(number, 0, most as u64 - 1)? as usize))
}

impl AnyNet {
    fn read_line(&mut self, line: Line<'_>) -> Result<(), Fault> {
        let mut words = line.text.split_ascii_whitespace();
        let head = item(line, words.next().expect("the line is not empty"), words.next())?;
        if let (Kind::Router, number) = head {
            self.routers.insert(number, line.number);
        }
        while let Some(word) = words.next() {
            let other = item(line, word, words.next())?;
            let latency = latency(line, &mut words)?;
            match (head, other) {
                ((Kind::Node, _), (Kind::Node, node)) => {
                    return Err(line.fault(format!("node {node}"), "is linked to a node", "a link to a router"));
                }
                ((Kind::Node, node), (Kind::Router, router)) | ((Kind::Router, router), (Kind::Node, node)) => {
                    self.attach(line, node, router, latency)?;
                }
                ((_, from), (_, to)) => self.join(line, from, to, latency)?,
            }
        }
        Ok(())
    }

    fn attach(&mut self, line: Line<'_>, node: usize, router: usize, latency: u64) -> Result<(), Fault> {
        self.routers.insert(router, line.number);
        let place = self.nodes.entry(node).or_insert(Place { router, latency, line: line.number });
        if place.router != router {
            let rule = format!("is linked to router {router} and to router {}", place.router);
            return Err(line.fault(format!("node {node}"), rule, "a link to one router"));
        }
        place.latency = latency;
        Ok(())
    }

    fn join(&mut self, line: Line<'_>, from: usize, to: usize, latency: u64) -> Result<(), Fault> {
        if from == to {
            return Err(line.fault(format!("router {to}"), "is linked to itself", "a link to another router"));
        }
        self.routers.insert(to, line.number);
        self.channels.insert((from, to), (latency, line.number));
        self.channels.entry((to, from)).or_insert((DEFAULT_LATENCY, line.number));
        Ok(())
    }

    /// In the order of numbers. The latency that most nodes have is that of all links that say nothing else.
    fn finish(self) -> Result<Imported, Fault> {
        let routers = self.routers.iter().map(|(number, line)| (*number, *line));
        without_gap("router", routers)?;
        without_gap("node", self.nodes.iter().map(|(node, place)| (*node, place.line)))?;
        let mut fabric = Fabric::default();
        for (router, line) in &self.routers {
            fabric.add_switch(format!("router {router}"), *line)?;
        }
        for (node, place) in &self.nodes {
            fabric.add_node(format!("node {node}"), End::any(place.router), place.line)?;
        }
        let mut uneven = 0;
        for (&(from, to), &(there, line)) in self.channels.iter().filter(|((from, to), _)| from < to) {
            let back = self.channels[&(to, from)].0;
            uneven += usize::from(there != back);
            fabric.add_link([from, to].map(End::any), Some(there.max(back)), line)?;
        }
        let first = self.nodes.values().next().map_or(DEFAULT_LATENCY, |place| place.latency);
        let others = self.nodes.values().filter(|place| place.latency != first).count();
        let mut notes = Vec::new();
        notes.extend(
            (uneven > 0).then(|| {
                format!("The directions of {uneven} links have different latencies. Both get the longer one.")
            }),
        );
        notes.extend((others > 0).then(|| {
            format!("Links of nodes get the {first} cycles of node 0; {others} nodes have other latencies in the file.")
        }));
        fabric.finish(Some(first), notes)
    }
}

/// The latency, if the next word is none of the next item.
fn latency(line: Line<'_>, words: &mut SplitAsciiWhitespace<'_>) -> Result<u64, Fault> {
    let is_latency = |word: &&str| *word != "router" && *word != "node";
    let Some(word) = words.clone().next().filter(is_latency) else { return Ok(DEFAULT_LATENCY) };
    words.next();
    line.number_in(word, 1, MAX_LATENCY)
}

/// BookSim counts routers and nodes from 0 on without a gap.
fn without_gap(kind: &str, numbers: impl Iterator<Item = (usize, usize)>) -> Result<(), Fault> {
    match numbers.enumerate().find(|(at, (number, _))| at != number) {
        None => Ok(()),
        Some((at, (number, line))) => {
            let rule = format!("is there, but {kind} {at} is not");
            Err(fault(line, format!("{kind} {number}"), rule, format!("{kind}s from 0 on without a gap")))
        }
    }
}
