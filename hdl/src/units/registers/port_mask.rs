//! Port mask: a mask of ports that is only read, in one register or, beyond 32 ports, in two.
//!
//! No state.
//!
//! Source: switch reference, section 9; `spec/src/registers/`.

use super::bus::{access, Access};
use super::description::{Described, WORD};
use super::register_word::{register_word, RegisterWord};
use crate::rtl::prelude::*;

/// A mask of ports that is only read, in one register or in two.
#[block]
pub struct PortMask {
    pub clock: ClockIn,
    pub access: Access,
    /// Value of the mask.
    pub mask: Sig<In>,
    /// The group has a register of the address.
    pub known: Flag<Out>,
    /// Value that the register reads; zero if the register is not in the group.
    pub value: Sig<Out, WORD>,

    low_word: RegisterWord,
    high_word: Option<RegisterWord>,

    low_field: Field,
    high_field: Field,

    #[label]
    register: &'static str,
    #[hex]
    address: Param,
    ports: Param,
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
    sized(PortMask {
        access: access(),
        mask: sig(ports).doc(doc),
        low_word: register_word(low),
        high_word: high.map(register_word),
        low_field,
        high_field,
        register: low.stem(),
        address: low.address() as usize,
        ports,
        ..PortMask::plain()
    })
}

#[kernel]
impl PortMask {
    fn update(&mut self) {
        self.access.link(&mut self.low_word.access);
        self.known.next = self.low_word.selected.val();
        self.value.next = 0.into();
        if self.low_word.selected.val() {
            self.value.next = unsigned_cast(self.mask.val() >> self.low_field.val());
        }
        if let Some(high_word) = &mut self.high_word {
            self.access.link(&mut high_word.access);
            self.known.next = self.low_word.selected.val() | high_word.selected.val();
            if high_word.selected.val() {
                self.value.next = unsigned_cast(self.mask.val() >> self.high_field.val());
            }
        }
    }
}
