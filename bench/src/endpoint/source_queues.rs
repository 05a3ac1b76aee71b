//! Source queues: packets that were generated and not yet sent.

use crate::traffic::Packet;

/// A ring of packets for each source, all of one capacity.
#[derive(Clone, Debug)]
pub struct SourceQueues {
    packets: Vec<Packet>,
    capacity: usize,
    first: Vec<usize>,
    length: Vec<usize>,
    occupied: u64,
}

impl SourceQueues {
    /// Empty queues; the capacity is rounded up to a power of two.
    pub fn new(ports: usize, capacity: usize) -> SourceQueues {
        let capacity = capacity.max(1).next_power_of_two();
        SourceQueues {
            packets: vec![Packet::default(); ports * capacity],
            capacity,
            first: vec![0; ports],
            length: vec![0; ports],
            occupied: 0,
        }
    }

    /// The sources with at least one packet, as a mask.
    #[inline]
    pub fn occupied(&self) -> u64 {
        self.occupied
    }

    /// Whether the source's queue has no room.
    #[inline]
    pub fn is_full(&self, port: usize) -> bool {
        self.length[port] == self.capacity
    }

    /// The sources stood still for so many cycles: what is queued was generated that much later.
    pub fn postpone(&mut self, cycles: u64) {
        self.packets.iter_mut().for_each(|packet| packet.generated += cycles);
    }

    /// Appends a packet; there is room.
    #[inline]
    pub fn push(&mut self, port: usize, packet: Packet) {
        debug_assert!(!self.is_full(port));
        let at = (self.first[port] + self.length[port]) & (self.capacity - 1);
        self.packets[port * self.capacity + at] = packet;
        self.length[port] += 1;
        self.occupied |= 1 << port;
    }

    /// The oldest packet of a queue that isn't empty.
    #[inline]
    pub fn front(&self, port: usize) -> &Packet {
        &self.packets[port * self.capacity + self.first[port]]
    }

    /// Takes the oldest packet of a queue that isn't empty.
    #[inline]
    pub fn pop(&mut self, port: usize) -> Packet {
        let packet = *self.front(port);
        self.first[port] = (self.first[port] + 1) & (self.capacity - 1);
        self.length[port] -= 1;
        if self.length[port] == 0 {
            self.occupied &= !(1 << port);
        }
        packet
    }
}
