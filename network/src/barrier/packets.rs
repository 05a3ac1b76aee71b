//! Barrier messages as packets among others: the switch as it would be without a barrier VC. No design, but what the
//! barrier VC is measured against (Cao2016, 4.2, figure 12).
//!
//! A switch of 2N ports stands for one of N. Ports 0 to N - 1 have the links; port N + p is the *tap* of port p: behind
//! it is the barrier logic, which is that of the switch itself (a second golden model, of which nothing else is used).
//!
//! ```text
//!  rx of port p --> VC buffer of port p --> crossbar --> tap p -------+
//!                   (behind other packets)                            v
//!                                                        barrier logic, leaf or parent p
//!  tx of port p <-- crossbar <-- VC buffer of tap p <-----------------+
//!                   (by the output's ordinary arbitration)
//! ```
//!
//! A message is a packet of one flit on an ordinary VC, with credit. It waits in the buffer of the port by which it
//! came, behind what is there already, and at the output by which it leaves it takes its turn, as any packet does. As
//! each port has a tap of its own, messages that come by different ports, or leave by different ones, never wait for
//! each other. Without any other packet a message takes 3 cycles to the barrier logic and 3 back from it, beside the 5
//! (arrival) or 4 (completion) that it takes on the barrier VC.

use crate::device::Device;
use crate::wiring::{Peer, Port, Wiring};
use railyard_model::bits::{ones, ones_below};
use railyard_model::{Inputs, Outputs, Switch};
use railyard_spec::barrier::Message;
use railyard_spec::{FlowControl, RoutingShape, Shape};

/// Word of a flit in which a message stands; those below are for the header.
const MESSAGE_WORD: usize = 1;

/// The packet of a message, to be sent by that port of a switch (any port, if a node sends it). `words` are those of a
/// flit.
pub fn to_packet(message: Message, port: usize, words: usize) -> Vec<u32> {
    let mut flit = vec![0; words];
    (flit[0], flit[MESSAGE_WORD]) = (port as u32, message.encode());
    flit
}

/// The message's bits in its packet.
pub fn message_bits(flit: &[u32]) -> u32 {
    flit[MESSAGE_WORD]
}

/// Checks that barrier messages can be packets on that VC, among packets of `length` flits, in a network of switches of
/// that shape.
///
/// # Errors
/// The rule that is broken.
pub fn check(vc: u8, length: u32, shape: &Shape, wiring: &Wiring) -> Result<(), &'static str> {
    let links = linked_ports(shape).ok_or(
        "needs a source-routed switch with a barrier virtual channel, absolute credits, and room for header and message in a flit",
    )?;
    let has_taps = |switch| (links..shape.ports).all(|port| wiring.peer(Port { switch, port }) == Peer::Nothing);
    match () {
        () if usize::from(vc) >= shape.vcs => Err("is no virtual channel for packets"),
        () if length == 1 => Err("needs packets that are longer than a message of one flit"),
        () if !(0..wiring.switches()).all(has_taps) => Err("needs a switch with twice the ports that have links"),
        () => Ok(()),
    }
}

/// Ports that can have links, if barrier messages can be packets on a switch of that shape.
fn linked_ports(shape: &Shape) -> Option<usize> {
    let RoutingShape::Source(source) = &shape.routing else { return None };
    let has_room = source.route_bits < u32::BITS && railyard_model::flit_words(shape) > MESSAGE_WORD;
    let is_fit = shape.barrier.is_some() && shape.flow_control == FlowControl::Absolute && has_room;
    is_fit.then_some(shape.ports / 2)
}

/// A switch to which barrier messages are packets.
#[derive(Clone, Debug)]
pub struct PacketBarrierSwitch {
    /// All packets, messages among them.
    packets: Switch,
    packet_pins: Inputs,
    /// The barrier logic.
    barriers: Switch,
    barrier_pins: Inputs,
    barrier_vc: u8,
    /// The VC of the messages' packets.
    vc: u8,
    links: usize,
    /// Flits that each tap has taken, as its credit reports say it.
    freed: Vec<u16>,
    credit_mask: u16,
    outputs: Outputs,
}

impl PacketBarrierSwitch {
    /// A switch of that shape, half of whose ports can have links; messages travel on `vc`.
    ///
    /// # Panics
    /// If messages cannot be packets on it: [`check`].
    pub fn new(shape: &Shape, vc: u8) -> PacketBarrierSwitch {
        let links = linked_ports(shape).expect("barrier messages can be packets");
        let built = shape.barrier.expect("there is a barrier VC");
        PacketBarrierSwitch {
            packets: Switch::new(shape),
            packet_pins: Inputs::new(shape),
            barriers: Switch::new(shape),
            barrier_pins: Inputs::new(shape),
            barrier_vc: built.vc as u8,
            vc,
            links,
            freed: vec![0; links],
            credit_mask: (1 << shape.credit_bits) - 1,
            outputs: Outputs::new(shape),
        }
    }

    /// Messages that have come go to the tap of their port.
    fn turn_aside(&mut self) {
        let pins = &mut self.packet_pins;
        let whole = pins.rx_valid & pins.rx_head & pins.rx_tail & ones_below(self.links);
        for port in ones(whole).filter(|&port| pins.rx_vc[port] == self.vc) {
            pins.rx_flit[port * pins.words] = (self.links + port) as u32;
        }
    }

    /// From the taps to the barrier logic.
    fn gather(&mut self) {
        let vcs = self.packets.shape().vcs;
        let outputs = self.packets.outputs();
        for port in (0..self.links).filter(|port| outputs.tx_valid >> (self.links + port) & 1 == 1) {
            let tap = self.links + port;
            let mut flit = vec![0; outputs.words];
            flit[0] = message_bits(outputs.flit(tap));
            self.barrier_pins.receive(port, self.barrier_vc, true, true, &flit);
            self.freed[port] = self.freed[port].wrapping_add(1) & self.credit_mask;
            self.packet_pins.credit(tap * vcs + usize::from(self.vc), self.freed[port]);
        }
    }

    /// From the barrier logic to the taps. A group has at most a few messages under way to a port, so that there is
    /// room for them.
    fn spread(&mut self) {
        let outputs = self.barriers.outputs();
        for port in ones(outputs.tx_valid) {
            let message = Message::decode(outputs.flit(port)[0]).expect("the barrier logic sends no other");
            let flit = to_packet(message, port, outputs.words);
            self.packet_pins.receive(self.links + port, self.vc, true, true, &flit);
        }
    }
}

impl Device for PacketBarrierSwitch {
    fn shape(&self) -> &Shape {
        self.packets.shape()
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn step(&mut self, inputs: &Inputs) {
        self.packet_pins.clone_from(inputs);
        self.barrier_pins.idle();
        self.barrier_pins.apb = inputs.apb;
        self.turn_aside();
        self.gather();
        self.spread();
        self.packets.step(&self.packet_pins);
        self.barriers.step(&self.barrier_pins);
        self.outputs.clone_from(self.packets.outputs());
        let barriers = self.barriers.outputs();
        (self.outputs.apb_prdata, self.outputs.apb_pslverr) = (barriers.apb_prdata, barriers.apb_pslverr);
    }

    fn left_over(&self, wired: u64) -> Option<String> {
        let taps = ones_below(2 * self.links) & !ones_below(self.links);
        let left = self.packets.left_over(wired | taps);
        left.or_else(|| (!self.barriers.is_idle()).then(|| "barrier messages inside".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::barrier::MessageKind;
    use railyard_spec::registers::address;
    use railyard_spec::{Config, Routing, SourceRouting};

    /// Two linked ports, both leaves of group 0, whose root is here.
    fn switch() -> PacketBarrierSwitch {
        let mut config = Config::named("p");
        config.ports = 4;
        config.virtual_channels.barrier = 1;
        config.routing = Routing::Source(SourceRouting { hops: 2 });
        let config = config.check().unwrap();
        let mut switch = PacketBarrierSwitch::new(&config.shape(), 1);
        for (register, value) in [(address::BARRIER_LEAVES_LOW, 0b11), (address::BARRIER_GROUP, 0b11)] {
            let mut pins = Inputs::new(switch.shape());
            for penable in [false, true] {
                pins.apb =
                    railyard_model::Apb { psel: true, penable, pwrite: true, paddr: register as u16, pwdata: value };
                switch.step(&pins);
            }
        }
        switch
    }

    /// Sends an arrival by each of both ports, behind a packet of `ahead` flits to port 0. Gives the messages that
    /// leave by each port, with the cycle since the arrivals.
    fn exchange(ahead: usize) -> Vec<(u64, usize, MessageKind)> {
        let mut switch = switch();
        let idle = Inputs::new(switch.shape());
        let words = idle.words;
        for at in 0..ahead {
            let mut pins = idle.clone();
            (0..2).for_each(|port| pins.receive(port, 1, at == 0, at + 1 == ahead, &vec![0; words]));
            switch.step(&pins);
        }
        let arrival = to_packet(Message { kind: MessageKind::Arrival, group: 0, sequence: 0 }, 0, words);
        let mut messages = Vec::new();
        for now in 0..40 {
            let mut pins = idle.clone();
            if now == 0 {
                (0..2).for_each(|port| pins.receive(port, 1, true, true, &arrival));
            }
            switch.step(&pins);
            let outputs = switch.outputs();
            for port in ones(outputs.tx_valid & outputs.tx_head & outputs.tx_tail & 0b11) {
                let message = Message::decode(message_bits(outputs.flit(port))).unwrap();
                messages.push((now + 1, port, message.kind));
            }
        }
        messages
    }

    #[test]
    fn messages_go_through_the_taps_and_back() {
        use MessageKind::{Acknowledgement, Completion};
        // A completion is 5 cycles behind the arrival that makes it, and 3 to and from the barrier logic.
        let expected = [(11, 0, Completion), (11, 1, Completion)];
        let got: Vec<_> = exchange(0).into_iter().filter(|(.., kind)| *kind != Acknowledgement).collect();
        assert_eq!(got, expected);
    }

    #[test]
    fn a_message_waits_behind_the_packet_ahead() {
        let completion =
            |ahead| exchange(ahead).into_iter().find(|(.., kind)| *kind == MessageKind::Completion).unwrap().0;
        // One of the packets waits for the other one.
        assert!(completion(8) >= completion(0) + 8, "{} {}", completion(8), completion(0));
    }
}
