//! Port map: the output port of the packets with a key.
//!
//! With `next_vc` or link aggregation the port is a whole [`route`](super::layout).
//!
//! No state: the entries are registers of `apb_registers`, which all ports read at the same time.
//!
//! Source: switch reference, section 4.6.

use crate::units::prelude::*;

/// The output port of the packets with a key.
#[block(key_bits: usize, port_bits: usize)]
pub struct PortMap {
    /// Entry of each key: {valid, port}.
    pub entries: Vec<Sig<In, { port_bits + 1 }>, { 1 << key_bits }>,
    /// Key to look up.
    pub key: Sig<In, key_bits>,
    /// Packets with the key have an output port.
    pub valid: Flag<Out>,
    /// Output port of the key.
    pub port: Sig<Out, port_bits>,

    /// Entry of the key.
    entry: Sig<Local, { port_bits + 1 }>,

    port_field: Field<0, port_bits>,
    valid_bit: Number<port_bits>,

    key_bits: Param,
    port_bits: Param,
}

#[kernel]
impl PortMap {
    fn update(&mut self) {
        self.entry.next = self.entries[self.key.val()].val();
        self.valid.next = self.entry.val().get_bit(self.valid_bit);
        self.port.next = self.entry.val() >> self.port_field.val();
    }
}
