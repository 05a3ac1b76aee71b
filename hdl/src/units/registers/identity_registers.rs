//! Identity registers: what this is, and what was built. Read-only constants.
//!
//! No state. Registers: `id`, `shape`.
//!
//! Source: switch reference, section 9; `spec/src/registers.rs`.

use crate::units::prelude::*;
use railyard_spec::registers::Access;

/// Registers that say what this is, and what was built.
#[block]
pub struct IdentityRegisters {
    /// Address of the transfer.
    pub address: Sig<In>,
    pub answer: Answer,

    id_address: Konst,
    shape_address: Konst,
    id: Konst,
    shape: Konst,
}

/// The group, which every switch with registers has.
pub fn identity_registers(description: &mut Description) -> IdentityRegisters {
    let mut take = |name| description.take(name, Access::ReadOnly).expect("registers begin with the identity");
    let (id, shape) = (take("id"), take("shape"));
    let address_bits = APB_ADDRESS_BITS as usize;
    IdentityRegisters {
        address: sig(address_bits),
        id_address: konst(address_bits, id.address()),
        shape_address: konst(address_bits, shape.address()),
        id: konst(WORD, id.reset()),
        shape: konst(WORD, shape.reset()),
        ..IdentityRegisters::plain()
    }
}

#[kernel]
impl IdentityRegisters {
    fn update(&mut self) {
        self.answer.known.next = false;
        self.answer.fits.next = false;
        self.answer.value.next = 0.into();
        if self.address.val() == self.id_address.val() {
            self.answer.known.next = true;
            self.answer.value.next = self.id.val();
        }
        if self.address.val() == self.shape_address.val() {
            self.answer.known.next = true;
            self.answer.value.next = self.shape.val();
        }
    }
}
