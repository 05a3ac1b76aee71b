//! Port mask: a mask of ports that is only read, in one register or, beyond 32 ports, in two.
//!
//! No state.
//!
//! Source: switch reference, section 9; `spec/src/registers/`.

use crate::units::prelude::*;

/// A mask of ports that is only read, in one register or in two.
#[block(ports: usize, low: &Described, high: Option<&Described>, doc: &'static str)]
pub struct PortMask {
    pub clock: ClockIn,
    pub access: BusTransfer,
    /// Value of the mask.
    #[made(sig(ports).doc(doc))]
    pub mask: Sig<In>,
    /// The group has a register of the address.
    pub known: Flag<Out>,
    /// Value that the register reads; zero if the register is not in the group.
    pub value: Sig<Out, WORD>,

    low_word: RegisterWord<low>,
    #[made(high.map(register_word))]
    high_word: Option<RegisterWord>,

    #[made(mask_fields(ports).0)]
    low_field: Field,
    #[made(mask_fields(ports).1)]
    high_field: Field,

    #[label]
    #[made(low.stem())]
    register: &'static str,
    #[hex]
    address: Param<{ low.address() as usize }>,
    ports: Param,
}

/// Where the bits of a mask of `ports` ports lie in one register or two: those of the low one, and those of the high
/// one, if there is one.
pub fn mask_fields(ports: usize) -> (Field, Field) {
    let low_bits = ports.min(WORD);
    let high_bits = (ports - low_bits).max(1);
    (field(0, low_bits), field(ports - high_bits, high_bits))
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
