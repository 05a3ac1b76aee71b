//! A switch with output queues in which routes, credits and pipelines cost nothing: what queues alone can give.
//!
//! Independent of the golden model. Time goes in cycles of one flit; all packets have one length. In each cycle each
//! connected plane moves a flit to its queue, each link takes a flit from one of its queues, packet by packet, and each
//! output connects at most one packet. Without queues an output has one connection at a time. Sources are never empty,
//! and destinations are uniform over all ports, the packet's own included.

use railyard_testbench::random::Random;
use std::collections::VecDeque;

/// What the ideal switch looks like.
#[derive(Clone, Copy, Debug)]
pub(super) struct IdealQueues {
    pub ports: usize,
    /// Virtual channels, and planes.
    pub vcs: usize,
    /// Flits of a packet.
    pub flits: u32,
    /// Flits of a VC's buffer.
    pub buffer: u32,
    /// Flits of an output queue; 0: no queues.
    pub queue: usize,
}

struct Packet {
    destination: usize,
    /// Flits in the buffer.
    stored: u32,
    /// Flits that have not left the buffer.
    left: u32,
}

/// VC of an input.
#[derive(Default)]
struct Channel {
    packets: VecDeque<Packet>,
    occupancy: u32,
    connected: bool,
}

/// Plane of an output.
#[derive(Clone, Default)]
struct Plane {
    owner: Option<usize>,
    /// Tail marks of the flits that wait for the link.
    queue: VecDeque<bool>,
    next_input: usize,
}

/// Link of an output.
#[derive(Clone, Default)]
struct Link {
    /// Plane whose packet is being sent.
    plane: Option<usize>,
    next_plane: usize,
    next_granted: usize,
}

/// A source, and the packet that it is sending.
#[derive(Clone, Default)]
struct Source {
    sends: Option<(usize, u32)>,
}

struct Run {
    shape: IdealQueues,
    channels: Vec<Channel>,
    planes: Vec<Plane>,
    links: Vec<Link>,
    sources: Vec<Source>,
    random: Random,
    delivered: u64,
}

impl IdealQueues {
    /// Accepted load at saturation: flits for each output and cycle, over so many cycles after a quarter as many.
    pub fn saturation(self, cycles: u64, seed: u64) -> f64 {
        let places = self.ports * self.vcs;
        let mut run = Run {
            shape: self,
            channels: (0..places).map(|_| Channel::default()).collect(),
            planes: vec![Plane::default(); places],
            links: vec![Link::default(); self.ports],
            sources: vec![Source::default(); self.ports],
            random: Random::new(seed, 0x0a7e5),
            delivered: 0,
        };
        (0..cycles / 4).for_each(|_| run.cycle());
        run.delivered = 0;
        (0..cycles).for_each(|_| run.cycle());
        run.delivered as f64 / (cycles as f64 * self.ports as f64)
    }
}

impl Run {
    fn cycle(&mut self) {
        for output in 0..self.shape.ports {
            (0..self.shape.vcs).for_each(|vc| self.transfer(output, vc));
            self.send(output);
        }
        (0..self.shape.ports).for_each(|output| self.connect(output));
        (0..self.shape.ports).for_each(|input| self.receive(input));
    }

    /// The plane's owner moves a flit, if there is a place.
    fn transfer(&mut self, output: usize, vc: usize) {
        let (vcs, queue) = (self.shape.vcs, self.shape.queue);
        let plane = &mut self.planes[output * vcs + vc];
        let Some(input) = plane.owner else { return };
        let channel = &mut self.channels[input * vcs + vc];
        let packet = channel.packets.front_mut().expect("a connected packet is there to its tail");
        // The flit on the link has a place of its own.
        if packet.stored == 0 || queue > 0 && plane.queue.len() > queue {
            return;
        }
        (packet.stored, packet.left, channel.occupancy) = (packet.stored - 1, packet.left - 1, channel.occupancy - 1);
        let is_tail = packet.left == 0;
        match queue {
            0 => self.delivered += 1,
            _ => plane.queue.push_back(is_tail),
        }
        if is_tail {
            channel.packets.pop_front();
            (channel.connected, plane.owner) = (false, None);
        }
    }

    /// The link takes a flit, packet by packet.
    fn send(&mut self, output: usize) {
        let vcs = self.shape.vcs;
        let planes = &mut self.planes[output * vcs..(output + 1) * vcs];
        let link = &mut self.links[output];
        if link.plane.is_none() {
            link.plane = in_turn(link.next_plane, vcs).find(|vc| !planes[*vc].queue.is_empty());
            link.next_plane = link.plane.map_or(link.next_plane, |vc| vc + 1);
        }
        if let Some(is_tail) = link.plane.and_then(|vc| planes[vc].queue.pop_front()) {
            self.delivered += 1;
            link.plane = link.plane.filter(|_| !is_tail);
        }
    }

    /// One packet gets a plane of the output.
    fn connect(&mut self, output: usize) {
        let IdealQueues { ports, vcs, queue, .. } = self.shape;
        let planes = &mut self.planes[output * vcs..(output + 1) * vcs];
        if queue == 0 && planes.iter().any(|plane| plane.owner.is_some()) {
            return;
        }
        for vc in in_turn(self.links[output].next_granted, vcs).filter(|vc| planes[*vc].owner.is_none()) {
            let wants = |channel: &Channel| {
                let front = channel.packets.front().filter(|packet| packet.stored > 0 && !channel.connected);
                front.is_some_and(|packet| packet.destination == output)
            };
            let input = in_turn(planes[vc].next_input, ports).find(|input| wants(&self.channels[input * vcs + vc]));
            if let Some(input) = input {
                self.channels[input * vcs + vc].connected = true;
                (planes[vc].owner, planes[vc].next_input) = (Some(input), input + 1);
                self.links[output].next_granted = vc + 1;
                return;
            }
        }
    }

    /// The source sends a flit of its packet, or begins a packet on a VC that has room.
    fn receive(&mut self, input: usize) {
        let IdealQueues { ports, vcs, flits, buffer, .. } = self.shape;
        let channels = &mut self.channels[input * vcs..(input + 1) * vcs];
        let source = &mut self.sources[input];
        if source.sends.is_none() {
            let first = self.random.below(vcs as u64) as usize;
            let chosen = in_turn(first, vcs).find(|vc| channels[*vc].occupancy + flits <= buffer);
            if let Some(vc) = chosen {
                let destination = self.random.below(ports as u64) as usize;
                channels[vc].packets.push_back(Packet { destination, stored: 0, left: flits });
            }
            source.sends = chosen.map(|vc| (vc, flits));
        }
        if let Some((vc, left)) = source.sends {
            let channel = &mut channels[vc];
            channel.packets.back_mut().expect("the packet that comes is the last").stored += 1;
            channel.occupancy += 1;
            source.sends = (left > 1).then_some((vc, left - 1));
        }
    }
}

/// All numbers below `n`, from `first` on.
fn in_turn(first: usize, n: usize) -> impl Iterator<Item = usize> {
    (0..n).map(move |step| (first + step) % n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saturation(vcs: usize, flits: u32, queue: usize) -> f64 {
        IdealQueues { ports: 16, vcs, flits, buffer: 32, queue }.saturation(100_000, 1)
    }

    /// Figures of a program written before this one, for the plan of the queues, over 197,000 cycles.
    #[test]
    fn gives_the_planned_throughput() {
        let planned = [
            (1, [0.602, 0.602, 0.602, 0.602]),
            (2, [0.774, 0.834, 0.861, 0.891]),
            (3, [0.842, 0.889, 0.909, 0.928]),
            (4, [0.886, 0.911, 0.929, 0.943]),
        ];
        for (vcs, planned) in planned {
            for (queue, planned) in [0, 8, 16, 32].into_iter().zip(planned) {
                let got = saturation(vcs, 8, queue);
                assert!((got / planned - 1.0).abs() < 0.01, "{vcs} VCs, queues of {queue}: {got}, planned {planned}");
            }
        }
    }

    /// One connection an output and cycle: packets of one flit gain nothing, those of two gain most.
    #[test]
    fn short_packets() {
        let gain = |flits| saturation(3, flits, 8) / saturation(3, flits, 0) - 1.0;
        assert!(gain(1).abs() < 0.001, "{}", gain(1));
        assert!(gain(2) > 0.1, "{}", gain(2));
    }
}
