//! Packets of the nodes of a network from a file: a line for each, `cycle source destination flits [vc]`; `#` begins a
//! comment.
//!
//! Cycles count from the start of the traffic. A node sends its packets in the order of their lines, none before its
//! cycle; their cycles must not decrease.

use super::packet_line::{read_lines, Limits};
use railyard_input::{Faults, InputSource};

/// A packet that a node has from a cycle on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodePacket {
    /// Cycle of the run in which the node has it. Its latency counts from there.
    pub cycle: u64,
    /// The node to which it goes.
    pub destination: u32,
    /// Flits.
    pub flits: u16,
    /// The virtual channel on which the node sends it; none: any with room.
    pub vc: Option<u8>,
}

/// The packets of a file, checked for a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeTrace {
    /// The file.
    pub file: InputSource,
    /// Packets of each node in their order. One that goes to its own node is left out.
    pub nodes: Vec<Vec<NodePacket>>,
    /// Packets that were left out.
    pub own: u64,
}

impl NodeTrace {
    /// Reads the text of a file, of packets among so many nodes, of so many flits at least and at most. `vcs` is the
    /// mask of the virtual channels on which a node sends to another one.
    ///
    /// # Errors
    /// All faults: file and line, value, rule.
    pub fn parse(
        file: &InputSource,
        text: &str,
        nodes: usize,
        flits: (u32, u32),
        vcs: impl Fn(usize, usize) -> u64,
    ) -> Result<NodeTrace, Faults> {
        let flits = (u64::from(flits.0), u64::from(flits.1));
        let vcs = |source, destination| vcs(source as usize, destination as usize);
        let limits = Limits { ends: nodes as u64, names: ["a node"; 2], flits, vcs: &vcs };
        let mut trace = NodeTrace { file: file.clone(), nodes: vec![Vec::new(); nodes], own: 0 };
        read_lines(file, text, &limits, |line| {
            if line.source == line.destination {
                trace.own += 1;
                return;
            }
            let (destination, flits, vc) = (line.destination as u32, line.flits as u16, line.vc.map(|vc| vc as u8));
            trace.nodes[line.source as usize].push(NodePacket { cycle: line.cycle, destination, flits, vc });
        })?;
        Ok(trace)
    }

    /// Cycles until all nodes have all their packets.
    pub fn cycles(&self) -> u64 {
        let last = self.nodes.iter().filter_map(|packets| packets.last()).map(|packet| packet.cycle).max();
        last.map_or(0, |last| last.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_of_nodes_and_what_is_wrong_with_them() {
        let parse = |text| NodeTrace::parse(&InputSource::File("n.trace".into()), text, 1000, (2, 16), |_, _| 0b101);
        let trace = parse("# all\n7 999 0 16 # long\n\n5000000000 999 1 2 2\n3 4 4 2\n").unwrap();
        let packet = |cycle, destination, flits, vc| NodePacket { cycle, destination, flits, vc };
        assert_eq!(trace.nodes[999], [packet(7, 0, 16, None), packet(5_000_000_000, 1, 2, Some(2))]);
        assert_eq!((trace.nodes[999].len(), trace.own, trace.cycles()), (2, 1, 5_000_000_001));
        let faults = parse("0 1000 0 2\n0 0 1 17\n0 0 1 2 1\n9 0 1 2\n8 0 1 2\n0 0\n").unwrap_err().to_string();
        let expected = [
            "n.trace:1: 1000 must be a node, 0 to 999; legal: 0",
            "n.trace:2: 17 must be a length in flits, 2 to 16; legal: 2",
            "n.trace:3: 1 must be a virtual channel, 0 or 2; legal: 0",
            "n.trace:5: 8 must not be before cycle 9, when source 0 has the packet above; legal: 9",
            "n.trace:6: `0 0` must be `cycle source destination flits [vc]`; legal: 0 0 999 16",
        ];
        assert_eq!(faults.lines().collect::<Vec<_>>(), expected);
    }
}
