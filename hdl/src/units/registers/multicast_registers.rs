//! Multicast registers: writes to the group tables of all ports.
//!
//! State: the mask, and the data of the cycle before (no more of them than a field needs).
//!
//! Registers: `multicast_mask_low`, `multicast_mask_high`, `multicast_write`, `multicast_status`.
//!
//! Source: switch reference, sections 5.2 and 9; `spec/src/registers/multicast.rs`.

use crate::units::prelude::*;

/// Registers that write the multicast group tables of all ports.
#[block(low: &Described, high: Option<&Described>, write_register: &Described, status: &Described, place: usize)]
pub struct MulticastRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: BusTransfer,
    pub answer: Answer,
    /// The group tables are being emptied.
    pub sweeping: Flag<In>,
    /// An entry of the group tables is written.
    pub write: Flag<Out>,
    /// Group of the entry that is written.
    pub write_group: Sig<Out, { write_register.place("group").1 }>,
    /// Entry to write: loopback, mask of outputs.
    pub write_entry: Sig<Out, { ports + 1 }>,

    /// Data of the cycle before.
    was_data: Reg<{ low_bits.max(write_register.place("group").0 + write_register.place("group").1) }, NoReset>,
    /// Field loopback in the data of the cycle before.
    was_loopback: FlagReg<NoReset>,

    mask: AddressSetting<low, high, { "Outputs of the group that is written next." }>,
    write_word: RegisterWord<write_register>,

    /// The transfer addresses multicast_status.
    in_status: Flag<Local>,
    /// The data may be written to multicast_write.
    write_fits: Flag<Local>,

    status_address: Konst<{ APB_ADDRESS_BITS as usize }, { status.address() }>,
    group_field: Field<{ write_register.place("group").0 }, { write_register.place("group").1 }>,
    low_bits: Number<{ setting_bits(low, high).0 }>,
    partial: Number<bool, { groups < 1 << write_register.place("group").1 }>,
    groups: Number<{ write_register.limit("group") }>,
    loopback_bit: Number<{ write_register.place("loopback").0 }>,
    sweeping_bit: Number<{ status.place("sweeping").0 }>,
    mask_data_field: Field<0, low_bits>,
    entry_loopback_bit: Number<ports>,
    /// Place of the group at the decoder.
    pub place: usize,
    ports: Param<{ setting_bits(low, high).1 }>,
}

/// The group, if the switch has it.
pub fn take_multicast_registers(description: &mut Description) -> Option<MulticastRegisters> {
    let low = description.take("multicast_mask_low", Kind::ReadWrite)?;
    let high = description.take("multicast_mask_high", Kind::ReadWrite);
    let write = description.take("multicast_write", Kind::Command).expect("a mask is written to a group");
    let status = description.take("multicast_status", Kind::ReadOnly).expect("and tables tell whether they sweep");
    Some(multicast_registers(&low, high.as_ref(), &write, &status, description.place()))
}

#[kernel]
impl MulticastRegisters {
    fn update(&mut self) {
        self.access.link(&mut self.mask.access);
        self.access.link(&mut self.write_word.access);

        // Setup. No entry is written while the tables are emptied.
        self.in_status.next = self.access.address.val() == self.status_address.val();
        self.answer.known.next = self.mask.answer.known.val() | self.write_word.selected.val() | self.in_status.val();
        self.write_fits.next = self.write_word.fits.val() & !self.sweeping.val();
        if self.partial {
            if (self.access.data.val() >> self.group_field.val()) >= self.groups {
                self.write_fits.next = false;
            }
        }
        self.answer.fits.next = self.mask.answer.fits.val() | self.write_fits.val();
        self.answer.value.next = self.mask.answer.value.val();
        if self.in_status.val() {
            self.answer.value.set(self.sweeping_bit, self.sweeping.val());
        }
        self.was_data.d.next = unsigned_cast(self.access.data.val());
        self.was_loopback.d.next = self.access.data.val().get_bit(self.loopback_bit);

        // Access.
        self.mask.was_data.next = self.was_data.q.val() >> self.mask_data_field.val();
        self.write.next = self.write_word.writing.val();
        self.write_group.next = self.was_data.q.val() >> self.group_field.val();
        self.write_entry.next = unsigned_cast(self.mask.setting.val());
        self.write_entry.set(self.entry_loopback_bit, self.was_loopback.q.val());
    }
}
