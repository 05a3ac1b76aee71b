//! Packets that say who they are: header, identity (source and serial number), and payload bits that follow from these.

use super::packet::{fill, target_bits};
use railyard_spec::{packet, Shape};

/// Bits of a serial number: packets of one source that are under way at the same time differ in them.
pub const SERIAL_BITS: u32 = 16;

/// Where header and identity stand in the packets of a network.
#[derive(Clone, Debug)]
pub struct IdentityFormat {
    flit_bits: u32,
    /// 32-bit words of a flit.
    pub words: usize,
    /// Bits of route or address, without the multicast bit.
    target_bits: u32,
    header_bits: u32,
    source_bits: u32,
}

/// What a packet says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The node that sent it.
    pub source: usize,
    /// Its number among the packets of that node, modulo 2^16.
    pub serial: u16,
}

impl IdentityFormat {
    /// For a network with so many nodes.
    pub fn new(shape: &Shape, nodes: usize) -> IdentityFormat {
        let target_bits = target_bits(shape);
        IdentityFormat {
            flit_bits: shape.flit_bits,
            words: railyard_model::flit_words(shape),
            target_bits,
            header_bits: target_bits + u32::from(shape.multicast.is_some()),
            source_bits: usize::BITS - nodes.saturating_sub(1).leading_zeros(),
        }
    }

    /// Flits of the shortest packet that has room for its identity.
    pub fn shortest(&self) -> u32 {
        (self.header_bits + self.source_bits + SERIAL_BITS).div_ceil(self.flit_bits)
    }

    /// The flits of a packet, `words` words each. `target`: address, list of ports, or number of a group.
    pub fn packet(&self, identity: Identity, length: usize, target: u64, multicast: bool) -> Vec<u32> {
        let mut flits = self.payload(identity, length);
        self.set(&mut flits, 0, self.target_bits, target);
        if multicast {
            self.set(&mut flits, self.target_bits, 1, 1);
        }
        flits
    }

    /// The identity of a packet that arrived, if it is as it was sent; what stands in the header does not matter.
    ///
    /// # Errors
    /// The identity that it claims.
    pub fn recognise(&self, flits: &mut [u32]) -> Result<Identity, Identity> {
        let identity = self.identity(flits);
        self.clear_header(flits);
        match flits == self.payload(identity, flits.len() / self.words) {
            true => Ok(identity),
            false => Err(identity),
        }
    }

    /// The identity that a packet claims, given [`IdentityFormat::shortest`] of its first flits.
    pub fn identity(&self, flits: &[u32]) -> Identity {
        Identity {
            source: self.get(flits, self.header_bits, self.source_bits) as usize,
            serial: self.get(flits, self.header_bits + self.source_bits, SERIAL_BITS) as u16,
        }
    }

    /// All but the header, which is 0.
    fn payload(&self, identity: Identity, length: usize) -> Vec<u32> {
        let seed = (identity.source as u64) << 16 | u64::from(identity.serial);
        let mut flits = vec![0; length * self.words];
        for (i, flit) in flits.chunks_mut(self.words).enumerate() {
            fill(seed, i as u16, flit);
            flit[self.words - 1] &= u32::MAX >> (32 * self.words as u32 - self.flit_bits);
        }
        self.clear_header(&mut flits);
        self.set(&mut flits, self.header_bits, self.source_bits, identity.source as u64);
        self.set(&mut flits, self.header_bits + self.source_bits, SERIAL_BITS, u64::from(identity.serial));
        flits
    }

    fn clear_header(&self, flits: &mut [u32]) {
        let mut low = 0;
        while low < self.header_bits {
            let width = (self.header_bits - low).min(64);
            self.set(flits, low, width, 0);
            low += width;
        }
    }

    /// Sets bits of the packet, its flits one behind the other; those that it does not have are left out.
    fn set(&self, flits: &mut [u32], low: u32, width: u32, value: u64) {
        for part in self.parts(flits.len(), low, width) {
            packet::set_field(&mut flits[part.word..], part.low, part.width, value >> part.at);
        }
    }

    fn get(&self, flits: &[u32], low: u32, width: u32) -> u64 {
        let parts = self.parts(flits.len(), low, width);
        parts.fold(0, |value, part| value | packet::field(&flits[part.word..], part.low, part.width) << part.at)
    }

    /// Cuts a field of a packet of so many words by its flits.
    fn parts(&self, words: usize, low: u32, width: u32) -> impl Iterator<Item = Part> {
        let (flit_bits, per_flit, end) = (self.flit_bits, self.words, low + width);
        let first = low / flit_bits;
        (first..end.div_ceil(flit_bits)).filter_map(move |flit| {
            let from = low.max(flit * flit_bits);
            let to = end.min((flit + 1) * flit_bits);
            let word = flit as usize * per_flit;
            (word < words).then_some(Part { word, low: from % flit_bits, width: to - from, at: from - low })
        })
    }
}

/// A piece of a field inside a flit.
struct Part {
    /// First word of the flit.
    word: usize,
    low: u32,
    width: u32,
    /// Its place in the field.
    at: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::{Config, Routing, TableRouting};

    #[test]
    fn packets_are_recognised_at_any_width_and_not_if_a_bit_is_wrong() {
        for (flit_bits, address_bits) in [(16, 24), (33, 24), (64, 24), (512, 64), (16, 64)] {
            let mut config = Config::named("f");
            config.flit_bits = flit_bits;
            config.virtual_channels.mixed = 1;
            config.routing = Routing::Table(TableRouting { address_bits, ..TableRouting::default() });
            let format = IdentityFormat::new(&config.check().unwrap().shape(), 1000);
            let identity = Identity { source: 777, serial: 0xbeef };
            let length = format.shortest() as usize;
            for multicast in [false, true] {
                let sent = format.packet(identity, length, 0x5a, multicast);
                assert_eq!(packet::field(&sent, 0, 8), 0x5a);
                assert_eq!(format.recognise(&mut sent.clone()), Ok(identity));
                let mut wrong = sent.clone();
                let last = wrong.len() - 1;
                wrong[last] ^= 1 << ((flit_bits - 1) % 32);
                assert!(format.recognise(&mut wrong).is_err());
            }
        }
    }
}
