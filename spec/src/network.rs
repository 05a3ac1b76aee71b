//! A network of equal switches as one piece of hardware: its lanes, and the pins of its top module.
//!
//! A *lane* is a place where flits go in and out: lane s * P + p is port p of switch s (P ports a switch). Behind those
//! come the *edge ports* of the network: one for each node, in order, then one for each switch port without a link. A
//! link goes from each lane to each lane that is wired to it; link l is the one that ends at lane l. So every link has
//! a partner, which goes the other way.
//!
//! From outside a network looks like a large switch whose ports are the edge ports: `rx_*` and `tx_*` have an element
//! for each of them (or for each of them and VC), all other pins of the switch an element for each switch and each
//! element that they have there. Pins of its own say what goes wrong on which link.

use crate::barrier::MESSAGE_BITS;
use crate::config::FlowControl;
use crate::pins::{pins, Direction, Meaningful, Pin};
use crate::shape::Shape;

/// The wiring of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// Number of switches.
    pub switches: usize,
    /// Ports of a switch.
    pub ports: usize,
    /// Number of nodes.
    pub nodes: usize,
    /// For each lane the lane from which its link comes: its partner's lane.
    pub origins: Vec<usize>,
    /// For each lane the cycles that its link takes.
    pub latencies: Vec<usize>,
}

impl Lanes {
    /// Number of edge ports.
    pub fn edges(&self) -> usize {
        self.origins.len() - self.switches * self.ports
    }

    /// The latencies that links have, in order.
    pub fn lengths(&self) -> Vec<usize> {
        let mut lengths = self.latencies.clone();
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    }

    /// The module of links of that latency, in a network whose modules begin with `prefix`: `link`, or one for each
    /// latency.
    pub fn link_module(&self, prefix: &str, latency: usize) -> String {
        match self.lengths().len() {
            1 => format!("{prefix}link"),
            _ => format!("{prefix}link_{latency}"),
        }
    }

    /// The lane of a switch's port.
    pub fn of_port(&self, switch: usize, port: usize) -> usize {
        switch * self.ports + port
    }

    /// The lane of an edge port; that of a node is its number.
    pub fn of_edge(&self, edge: usize) -> usize {
        self.switches * self.ports + edge
    }

    /// What a lane is, for people.
    pub fn name(&self, lane: usize) -> String {
        match lane.checked_sub(self.switches * self.ports) {
            None => format!("switch {} port {}", lane / self.ports, lane % self.ports),
            Some(edge) if edge < self.nodes => format!("node {edge}"),
            Some(edge) => format!("edge port {edge}"),
        }
    }
}

/// Width of `message_bit`.
pub const MESSAGE_BIT_BITS: u32 = MESSAGE_BITS.ilog2();

/// The pins of a network of these switches in the order of the Verilog port list.
pub fn network_pins(shape: &Shape, lanes: &Lanes) -> Vec<Pin> {
    use Direction::Input;
    let times = |pin: Pin| match pin.name {
        "clock" | "reset" | "reset_n" | "error_clear" => pin,
        "tx_corrected" => {
            let meaning = "A wrong bit of the flit that leaves a switch by the port was corrected.";
            Pin { count: pin.count * lanes.switches, meaningful: Meaningful::Always, meaning, ..pin }
        }
        "rx_flip" => {
            let meaning = "Bits of the code word that a switch stores inverted if a flit comes at the port.";
            Pin { count: pin.count * lanes.switches, meaningful: Meaningful::Always, meaning, ..pin }
        }
        name if is_at_the_edge(name) => Pin { count: pin.count / shape.ports * lanes.edges(), ..pin },
        _ => Pin { count: pin.count * lanes.switches, ..pin },
    };
    let mut list: Vec<Pin> = pins(shape).into_iter().map(times).collect();
    let links = lanes.origins.len();
    let mut pin = |name, count, bits, meaningful, meaning| {
        list.push(Pin { name, direction: Input, count, bits, meaningful, meaning })
    };
    pin("link_down", links, 1, Meaningful::Always, "The link is down, and nothing leaves the link.");
    if shape.control_vc().is_some() {
        let (lost, flipped) = match shape.router_messages() {
            None => (
                "The barrier message that leaves the link in the current cycle is lost.",
                "A bit of the barrier message that leaves the link is flipped.",
            ),
            Some(_) => (
                "The message that leaves the link in the current cycle is lost.",
                "A bit of the message that leaves the link is flipped.",
            ),
        };
        pin("message_lost", links, 1, Meaningful::Always, lost);
        pin("message_flip", links, 1, Meaningful::Always, flipped);
        pin(
            "message_bit",
            links,
            MESSAGE_BIT_BITS,
            Meaningful::While("message_flip"),
            "Number of the bit that is flipped.",
        );
    }
    pin(
        "credit_lost",
        links * shape.vcs,
        1,
        Meaningful::Always,
        "The credit report of VC v that leaves the link is lost.",
    );
    if shape.flow_control == FlowControl::Absolute {
        pin(
            "credit_flip",
            links * shape.vcs,
            1,
            Meaningful::Always,
            "The highest bit of the credit report of VC v that leaves the link is flipped.",
        );
        pin(
            "credit_repeat",
            links,
            1,
            Meaningful::Always,
            "The running totals of all VCs leave the link, changed or not.",
        );
    }
    list
}

/// Whether a pin of the switch is one of the network's edge ports, too; the others are there for each switch.
pub fn is_at_the_edge(pin: &str) -> bool {
    (pin.starts_with("rx_") || pin.starts_with("tx_")) && !["rx_flip", "tx_corrected"].contains(&pin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BufferEcc, Config};

    #[test]
    fn edge_pins_are_there_for_each_edge_port_and_others_for_each_switch() {
        let mut config = Config::named("n");
        config.ports = 4;
        config.virtual_channels.barrier = 1;
        config.buffer_ecc = Some(BufferEcc { fault_pins: true });
        let shape = config.check().unwrap().shape();
        // Two switches, a link between their ports 0, a node at each port 1; the other four ports are edge ports.
        let lanes = Lanes {
            switches: 2,
            ports: 4,
            nodes: 2,
            origins: vec![4, 8, 10, 11, 0, 9, 12, 13, 1, 5, 2, 3, 6, 7],
            latencies: vec![1; 14],
        };
        assert_eq!((lanes.lengths(), lanes.link_module("n_", 1)), (vec![1], "n_link".into()));
        assert_eq!((lanes.edges(), lanes.of_port(1, 2), lanes.of_edge(1)), (6, 6, 9));
        assert_eq!([6, 9, 10].map(|lane| lanes.name(lane)), ["switch 1 port 2", "node 1", "edge port 2"]);
        let pins = network_pins(&shape, &lanes);
        let count = |name: &str| pins.iter().find(|pin| pin.name == name).map(|pin| pin.count);
        assert_eq!(count("clock"), Some(1));
        assert_eq!(count("rx_flit"), Some(6));
        assert_eq!(count("tx_credit"), Some(6 * shape.vcs));
        assert_eq!(count("apb_psel"), Some(2));
        assert_eq!((count("rx_bad"), count("tx_corrected"), count("rx_flip")), (Some(6), Some(8), Some(8)));
        assert_eq!(count("drop_valid"), Some(8 * shape.vcs));
        assert_eq!(count("message_bit"), Some(14));
        for pin in ["credit_lost", "credit_flip"] {
            assert_eq!(count(pin), Some(14 * shape.vcs));
        }
    }
}
