//! The packet format.
//!
//! A packet is 1 to M flits. Side-band signals mark its first flit (`head`) and its last (`tail`); a packet of one
//! flit has both. All flits of a packet travel on one virtual channel.
//!
//! | routing | header | rest of the header flits |
//! | --- | --- | --- |
//! | table | the destination address, A bits, least significant bits first: bits 0.. of the head flit, going on in the following flits if A exceeds the flit width | payload |
//! | source | the route: `hops` fields of `port_bits`, this hop's output port in the lowest | payload |
//!
//! A source-routed switch takes the lowest field and shifts the route down by one field, zeroes coming in at its top,
//! so that the next switch finds its own output port in the same place.

/// Bits `low .. low + width` (at most 64) of a flit held as 32-bit words, least significant first.
pub fn field(flit: &[u32], low: u32, width: u32) -> u64 {
    let mut value = 0u64;
    for bit in 0..width {
        let at = low + bit;
        value |= (flit[(at / 32) as usize] as u64 >> (at % 32) & 1) << bit;
    }
    value
}

/// Sets bits `low .. low + width` (at most 64) of a flit held as 32-bit words, least significant first.
pub fn set_field(flit: &mut [u32], low: u32, width: u32, value: u64) {
    for bit in 0..width {
        let at = low + bit;
        let word = &mut flit[(at / 32) as usize];
        *word = *word & !(1 << (at % 32)) | (((value >> bit & 1) as u32) << (at % 32));
    }
}
