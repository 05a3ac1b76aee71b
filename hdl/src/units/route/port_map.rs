//! Port map: the output port of the packets with a key.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `entries` | 2^key bits x (port bits + 1) | entries of the map registers: {valid, port} |
//! | `key` | key bits | key |
//! | `valid`, `port` | 1, port bits | its entry |
//!
//! With `next_vc` or link aggregation the port is a whole [`route`](super::layout).
//!
//! No state: the entries are registers of `apb_registers`, which all ports read at the same time.
//!
//! Source: switch reference, section 4.6.

use crate::rtl::prelude::*;

/// Reads the map for one port; see the head of this file.
#[block]
pub struct PortMap {
    pub entries: Vec<Sig<In>>,
    pub key: Sig<In>,
    pub valid: Flag<Out>,
    pub port: Sig<Out>,

    entry: Sig<Local>,

    port_field: Field,
    valid_bit: Param,
    about: About,
}

/// A map of keys of `key_bits` to ports of `port_bits`.
pub fn port_map(key_bits: usize, port_bits: usize) -> PortMap {
    PortMap {
        entries: many(1 << key_bits, || sig(port_bits + 1).doc("entry of each key: {valid, port}")),
        key: sig(key_bits).doc("key"),
        valid: flag().doc("packets with this key have an output port"),
        port: sig(port_bits).doc("it is this one"),
        entry: sig(port_bits + 1).doc("entry of the key"),
        port_field: field(0, port_bits),
        valid_bit: param(port_bits),
        about: about("port_map", "The output port of the packets with a key.")
            .param("key_bits", key_bits)
            .param("port_bits", port_bits),
    }
}

#[kernel]
impl PortMap {
    fn update(&mut self) {
        self.entry.next = self.entries[self.key.val()].val();
        self.valid.next = self.entry.val().get_bit(self.valid_bit.val());
        self.port.next = self.entry.val() >> self.port_field.val();
    }
}
