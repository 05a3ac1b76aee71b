//! FT(m, n), the m-port n-tree (Lin, Chung and Huang, 2004; Cao2016, 7): 2 (m / 2)^n nodes, (2 n - 1) (m / 2)^(n - 1)
//! switches. The switches of the top level can have another number of ports t in place of m: t (m / 2)^(n - 1) nodes.
//!
//! With k = m / 2, a node is a number of n digits: base k, the highest base m. Switches of level l below the top are
//! labelled by n - 1 digits, base k, the highest base m; those of the top level by n - 1 digits base k. A switch of
//! level 0 has the nodes with its label as their higher digits. Switches of levels l and l + 1 are linked if their
//! labels agree in all digits but l. Below the top, ports 0 to k - 1 lead down and ports k to 2 k - 1 up; at the top
//! all lead down. A port's number (up: less k) is the digit in which the far label differs, so that node reduction's
//! fat-tree function (Hirasawa2022, 5.2) routes it, too.

use super::{digits, fault, is_within_limits, number, too_large, MAX_NODES};
use crate::tables::{up_down, Tables};
use crate::wiring::{Port, Wiring};
use railyard_input::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fat tree FT(m, n).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FatTree {
    /// Ports of a switch that are used, m: even.
    #[schemars(range(min = 4, max = 64))]
    pub ports: usize,
    /// Levels of switches, n.
    #[schemars(range(min = 1, max = 8))]
    pub levels: usize,
    /// Ports of a switch of the top level that are used, each with a subtree below it. Left out: `ports`.
    #[schemars(range(min = 2, max = 64))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<usize>,
}

impl FatTree {
    /// FT(m, n), with as many ports at the top as elsewhere.
    pub fn new(ports: usize, levels: usize) -> FatTree {
        FatTree { ports, levels, top: None }
    }

    /// Ports of a switch of the top level, all down.
    pub fn top_ports(&self) -> usize {
        self.top.unwrap_or(self.ports)
    }

    /// Half the ports.
    fn k(&self) -> usize {
        self.ports / 2
    }

    /// Switches of the top level.
    fn at_top(&self) -> usize {
        self.k().pow(self.levels as u32 - 1)
    }

    /// Switches of each level below the top.
    fn below(&self) -> usize {
        self.at_top() * self.top_ports() / self.k()
    }

    /// Bases of a node's digits.
    pub(crate) fn bases(&self) -> Vec<usize> {
        let mut bases = vec![self.k(); self.levels];
        bases[self.levels - 1] = self.top_ports();
        bases
    }

    /// Bases of the digits of a label of that level.
    fn label_bases(&self, level: usize) -> Vec<usize> {
        let mut bases = self.bases()[1..].to_vec();
        if let (true, Some(highest)) = (level + 1 == self.levels, bases.last_mut()) {
            *highest = self.k();
        }
        bases
    }

    /// Level of a switch: they are numbered level by level, from the nodes up.
    pub(super) fn level(&self, switch: usize) -> usize {
        (switch / self.below()).min(self.levels - 1)
    }

    /// Level and label of a switch.
    pub(crate) fn place(&self, switch: usize) -> (usize, Vec<usize>) {
        let level = self.level(switch);
        (level, digits(switch - level * self.below(), &self.label_bases(level)))
    }

    fn switch(&self, level: usize, label: &[usize]) -> usize {
        level * self.below() + number(label, &self.label_bases(level))
    }

    /// up*/down* tables, links missing or not: the digit of a node for a switch's level says by which port packets to
    /// it go up (or down).
    pub(super) fn tables(&self, wiring: &Wiring) -> Tables {
        let bases = self.bases();
        let places: Vec<(usize, usize)> =
            (0..self.levels).map(|level| (self.k().pow(level as u32), bases[level])).collect();
        let levels: Vec<usize> = (0..wiring.switches()).map(|switch| self.level(switch)).collect();
        up_down(wiring, |switch, node| {
            let (value, base) = places[levels[switch]];
            node / value % base
        })
    }

    pub(super) fn wiring(&self, ports: usize) -> Result<Wiring, Fault> {
        if self.ports % 2 == 1 {
            let legal = (self.ports - 1).to_string();
            return Err(fault("/ports", self.ports, "must be even: half of the ports lead up", legal));
        }
        if self.ports > ports {
            let legal = if ports < 4 { "a switch with 4 ports or more".into() } else { (ports & !1).to_string() };
            let rule = format!("must be at most {ports}, the ports of the switch");
            return Err(fault("/ports", self.ports, rule, legal));
        }
        if self.top_ports() > ports {
            let rule = format!("must be at most {ports}, the ports of the switch");
            return Err(fault("/top", self.top_ports(), rule, ports.to_string()));
        }
        let below = self.k().checked_pow(self.levels as u32 - 1).and_then(|power| power.checked_mul(self.top_ports()));
        let bound = below.filter(|nodes| *nodes <= MAX_NODES);
        let switches = bound.map(|nodes| (nodes, (self.levels - 1) * self.below() + self.at_top()));
        let Some((_, switches)) = switches.filter(|(nodes, switches)| is_within_limits(*switches, *nodes)) else {
            return Err(fault("/levels", self.levels, too_large(), "2"));
        };
        let mut wiring = Wiring::new(switches, ports);
        self.wire(&mut wiring).expect("each port is wired once");
        Ok(wiring)
    }

    fn wire(&self, wiring: &mut Wiring) -> Result<(), crate::wiring::WiringError> {
        let k = self.k();
        for node in 0..self.at_top() * self.top_ports() {
            let at = digits(node, &self.bases());
            wiring.attach(Port { switch: self.switch(0, &at[1..]), port: at[0] })?;
        }
        for switch in 0..(self.levels - 1) * self.below() {
            let (level, label) = self.place(switch);
            for up in 0..k {
                let mut parent = label.clone();
                parent[level] = up;
                let far = Port { switch: self.switch(level + 1, &parent), port: label[level] };
                wiring.link(Port { switch, port: k + up }, far)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wiring::Peer;

    fn wiring(ports: usize, levels: usize) -> Wiring {
        FatTree::new(ports, levels).wiring(64).unwrap()
    }

    /// Cao2016: 1,024 nodes, 320 switches, 3,072 links with those to the nodes.
    #[test]
    fn ft_16_3_is_the_network_of_the_seed() {
        let wiring = wiring(16, 3);
        let links = wiring.links().count();
        assert_eq!((wiring.nodes().len(), wiring.switches(), links + 1024), (1024, 320, 3072));
    }

    #[test]
    fn every_port_of_every_switch_is_wired() {
        for (ports, levels) in [(4, 1), (4, 2), (4, 3), (8, 2), (6, 3), (4, 4)] {
            let wiring = wiring(ports, levels);
            let k = ports / 2;
            assert_eq!(wiring.nodes().len(), 2 * k.pow(levels as u32));
            assert_eq!(wiring.switches(), (2 * levels - 1) * k.pow(levels as u32 - 1));
            for switch in 0..wiring.switches() {
                let wired = (0..64).filter(|&port| wiring.peer(Port { switch, port }) != Peer::Nothing).count();
                assert_eq!(wired, ports, "switch {switch} of FT({ports}, {levels})");
            }
        }
    }

    #[test]
    fn the_top_can_have_fewer_or_more_ports() {
        for (ports, levels, top) in [(8, 2, 3), (8, 3, 5), (4, 3, 8), (4, 1, 6), (6, 2, 2)] {
            let tree = FatTree { top: Some(top), ..FatTree::new(ports, levels) };
            let (wiring, k) = (tree.wiring(8).unwrap(), ports / 2);
            assert_eq!(wiring.nodes().len(), top * k.pow(levels as u32 - 1));
            assert_eq!(wiring.switches() - tree.at_top(), (levels - 1) * wiring.nodes().len() / k);
            for switch in 0..wiring.switches() {
                let wired = (0..8).filter(|&port| wiring.peer(Port { switch, port }) != Peer::Nothing).count();
                assert_eq!(wired, if tree.level(switch) + 1 == levels { top } else { ports }, "switch {switch}");
            }
        }
    }

    #[test]
    fn numbers_that_make_no_tree() {
        let many = FatTree { top: Some(17), ..FatTree::new(16, 2) };
        assert_eq!(many.wiring(16).unwrap_err().path, "/top");
        let error = |ports, levels| FatTree::new(ports, levels).wiring(16).unwrap_err().path;
        assert_eq!([error(5, 2), error(18, 2), error(16, 6)], ["/ports", "/ports", "/levels"]);
    }
}
