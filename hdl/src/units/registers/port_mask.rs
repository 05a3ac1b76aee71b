//! Port mask: a mask of ports that is only read, in one register or, beyond 32 ports, in two.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `access_*` | | the transfer, see [`bus`](super::bus) |
//! | `mask` | N | the mask |
//! | `known`, `value` | 1, 32 | as in an answer, see [`bus`](super::bus) |
//!
//! No state.
//!
//! Source: switch reference, section 9; `spec/src/registers/`.

use super::bus::{access, Access};
use super::description::{Described, WORD};
use super::register_word::{register_word, RegisterWord};
use crate::rtl::prelude::*;

/// A mask to read; see the head of this file.
#[block]
pub struct PortMask {
    pub clock: ClockIn,
    pub access: Access,
    pub mask: Sig<In>,
    pub known: Flag<Out>,
    pub value: Sig<Out>,

    low_word: RegisterWord,
    high_word: Vec<RegisterWord>,

    low_field: Field,
    high_field: Field,
    about: About,
}

/// Where the bits of a mask of `ports` ports lie in one register or two: those of the low one, and those of the high one, if there is one.
pub fn mask_fields(ports: usize) -> (Field, Field) {
    let low_bits = ports.min(WORD);
    let high_bits = (ports - low_bits).max(1);
    (field(0, low_bits), field(ports - high_bits, high_bits))
}

/// The mask of `ports` ports in these registers; `doc` says what it means.
pub fn port_mask(ports: usize, low: &Described, high: Option<&Described>, doc: &'static str) -> PortMask {
    let (low_field, high_field) = mask_fields(ports);
    PortMask {
        clock: clock(),
        access: access(),
        mask: sig(ports).doc(doc),
        known: flag().doc("there is a register of this address here"),
        value: sig(WORD).doc("what it reads; zero if it is not here"),
        low_word: register_word(low),
        high_word: high.map(register_word).into_iter().collect(),
        low_field,
        high_field,
        about: about("port_mask", "A mask of ports that is only read, in one register or in two.")
            .param("address", low.address() as usize)
            .param("ports", ports),
    }
}

#[kernel]
impl PortMask {
    fn update(&mut self) {
        Access::link(&mut self.access, &mut self.low_word.access);
        self.known.next = self.low_word.selected.val();
        self.value.next = 0.into();
        if self.low_word.selected.val() {
            self.value.next = unsigned_cast(self.mask.val() >> self.low_field.val());
        }
        for h in 0..self.high_word.len() {
            Access::link(&mut self.access, &mut self.high_word[h].access);
            self.known.next = self.low_word.selected.val() | self.high_word[h].selected.val();
            if self.high_word[h].selected.val() {
                self.value.next = unsigned_cast(self.mask.val() >> self.high_field.val());
            }
        }
    }
}
