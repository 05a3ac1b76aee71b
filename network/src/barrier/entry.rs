//! Barrier trees as they stand in a tables file.

use super::tree::{BarrierTree, TreePlace};
use crate::tables::{members, TablesError};
use crate::wiring::{Peer, Port, Wiring};
use railyard_model::bits::ones;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A barrier tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BarrierTreeEntry {
    /// The nodes that it joins.
    pub members: Vec<usize>,
    /// The switch that completes its barriers.
    pub root: usize,
    /// Its switches, each with what it is told.
    pub places: Vec<PlaceEntry>,
}

/// The place of a switch in a barrier tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceEntry {
    /// The switch.
    pub switch: usize,
    /// Its ports with a member, or a switch of the tree, below them.
    pub leaves: Vec<usize>,
    /// Its port toward the root; left out at the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
}

impl BarrierTree {
    pub(crate) fn to_entry(&self) -> BarrierTreeEntry {
        let place = |switch| {
            let TreePlace { leaves, parent } = self.place(switch).expect("it is a switch of the tree");
            PlaceEntry { switch, leaves: ones(leaves).collect(), parent }
        };
        BarrierTreeEntry {
            members: self.members().into(),
            root: self.root(),
            places: self.switches().map(place).collect(),
        }
    }

    /// A tree of a file. Whether it is one, [`BarrierTree::check`] tells.
    ///
    /// # Errors
    /// What it names does not exist, stands there twice, or can't be told to a switch; paths are those of the entry.
    pub(crate) fn from_entry(entry: &BarrierTreeEntry, wiring: &Wiring) -> Result<BarrierTree, TablesError> {
        let members = members(&entry.members, wiring)?;
        let mut places = BTreeMap::new();
        for (number, place) in entry.places.iter().enumerate() {
            let inside = |error: TablesError| error.inside(&format!("/places/{number}"));
            let told = place.told(entry.root, wiring).map_err(inside)?;
            if places.insert(place.switch, told).is_some() {
                return Err(inside(TablesError::new("/switch", place.switch, "is there twice", "leave it out")));
            }
        }
        if !places.contains_key(&entry.root) {
            let other = places.iter().find(|(_, place)| place.parent.is_none()).or(places.first_key_value());
            let legal = other.map_or("a switch of the tree".into(), |(switch, _)| switch.to_string());
            return Err(TablesError::new("/root", entry.root, "is the root, but no switch of the tree", legal));
        }
        Ok(BarrierTree::of(members, entry.root, places))
    }
}

impl PlaceEntry {
    /// What the switch is told.
    fn told(&self, root: usize, wiring: &Wiring) -> Result<TreePlace, TablesError> {
        let PlaceEntry { switch, leaves, parent } = self;
        if *switch >= wiring.switches() {
            let legal = format!("0 to {}", wiring.switches() - 1);
            return Err(TablesError::new("/switch", switch, "is no switch", legal));
        }
        let peer = |port: usize| {
            let at = Port { switch: *switch, port };
            if wiring.exists(at) {
                wiring.peer(at)
            } else {
                Peer::Nothing
            }
        };
        let linked = || wiring.links_of(*switch).map(|(port, _)| port.to_string()).collect::<Vec<_>>().join(", ");
        match parent {
            None if *switch != root => {
                let rule = format!("must be given: switch {switch} is not the root, which is switch {root}");
                return Err(TablesError::new("/parent", "(missing)", rule, linked()));
            }
            Some(parent) if *switch == root => {
                let rule = format!("must be left out: switch {switch} is the root");
                return Err(TablesError::new("/parent", parent, rule, "leave it out"));
            }
            Some(parent) if !matches!(peer(*parent), Peer::Switch(_)) => {
                let rule = format!("is no port of switch {switch} with a link to another switch");
                return Err(TablesError::new("/parent", parent, rule, linked()));
            }
            _ => {}
        }
        let mut mask = 0;
        for (number, &port) in leaves.iter().enumerate() {
            let error = |rule: &str, legal: &str| Err(TablesError::new(format!("/leaves/{number}"), port, rule, legal));
            if peer(port) == Peer::Nothing {
                return error("is no wired port", "a port with a node or a link");
            }
            if *parent == Some(port) {
                return error("is both the port to the parent and a leaf", "leave it out");
            }
            if mask >> port & 1 == 1 {
                return error("is there twice", "leave it out");
            }
            mask |= 1 << port;
        }
        Ok(TreePlace { leaves: mask, parent: *parent })
    }
}
