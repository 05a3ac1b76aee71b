//! Multicast registers: writes to the group tables of all ports.
//!
//! State: the mask, and the data of the cycle before (no more of them than a field needs).
//!
//! Registers: `multicast_mask_low`, `multicast_mask_high`, `multicast_write`, `multicast_status`.
//!
//! Source: switch reference, sections 5.2 and 9; `spec/src/registers/multicast.rs`.

use super::address_setting::{address_setting, setting_bits, AddressSetting};
use super::bus::{access, answer, Access, Answer};
use super::description::Description;
use super::register_word::{register_word, RegisterWord};
use crate::rtl::prelude::*;
use railyard_spec::registers::{Access as Kind, APB_ADDRESS_BITS};

/// Registers that write the multicast group tables of all ports.
#[block]
pub struct MulticastRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: Access,
    pub answer: Answer,
    /// The group tables are being emptied.
    pub sweeping: Flag<In>,
    /// An entry of the group tables is written.
    pub write: Flag<Out>,
    /// Group of the entry that is written.
    pub write_group: Sig<Out>,
    /// Entry to write: loopback, mask of outputs.
    pub write_entry: Sig<Out, { ports + 1 }>,

    /// Data of the cycle before.
    was_data: Reg,
    /// Field loopback in the data of the cycle before.
    was_loopback: FlagReg<NoReset>,

    mask: AddressSetting,
    write_word: RegisterWord,

    /// The transfer addresses multicast_status.
    in_status: Flag<Local>,
    /// The data may be written to multicast_write.
    write_fits: Flag<Local>,

    status_address: Konst,
    group_field: Field,
    partial: bool,
    groups: usize,
    loopback_bit: usize,
    sweeping_bit: usize,
    mask_data_field: Field,
    entry_loopback_bit: usize,
    /// Place of the group at the decoder.
    pub place: usize,
    ports: Param,
}

/// The group, if the switch has it.
pub fn multicast_registers(description: &mut Description) -> Option<MulticastRegisters> {
    let low = description.take("multicast_mask_low", Kind::ReadWrite)?;
    let high = description.take("multicast_mask_high", Kind::ReadWrite);
    let write = description.take("multicast_write", Kind::Command).expect("a mask is written to a group");
    let status = description.take("multicast_status", Kind::ReadOnly).expect("and tables tell whether they sweep");
    let ((group_low, group_bits), loopback_bit) = (write.place("group"), write.place("loopback").0);
    let (low_bits, ports) = setting_bits(&low, high.as_ref());
    Some(sized(MulticastRegisters {
        access: access(),
        answer: answer(),
        write_group: sig(group_bits),
        was_data: reg_no_reset(low_bits.max(group_low + group_bits)),
        mask: address_setting(&low, high.as_ref(), "Outputs of the group that is written next."),
        write_word: register_word(&write),
        status_address: konst(APB_ADDRESS_BITS as usize, status.address()),
        group_field: field(group_low, group_bits),
        partial: write.limit("group") < 1 << group_bits,
        groups: write.limit("group"),
        loopback_bit,
        sweeping_bit: status.place("sweeping").0,
        mask_data_field: field(0, low_bits),
        entry_loopback_bit: ports,
        ports,
        place: description.place(),
        ..MulticastRegisters::plain()
    }))
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
