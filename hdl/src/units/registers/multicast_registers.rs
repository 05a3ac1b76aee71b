//! Multicast registers: writes to the group tables of all ports.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `access_*`, `answer_*` | | the transfer, and what this group says of it; see [`bus`](super::bus) |
//! | `sweeping` | 1 | the group tables are being emptied |
//! | `write`, `write_group`, `write_entry` | 1, group bits, N + 1 | an entry is written in this cycle: this one, {loopback, mask} |
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

/// The group of this name; see the head of this file.
#[block]
pub struct MulticastRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: Access,
    pub answer: Answer,
    pub sweeping: Flag<In>,
    pub write: Flag<Out>,
    pub write_group: Sig<Out>,
    pub write_entry: Sig<Out>,

    was_data: Reg,
    was_loopback: FlagReg,

    mask: AddressSetting,
    write_word: RegisterWord,

    in_status: Flag<Local>,
    write_fits: Flag<Local>,

    status_address: Konst,
    group_field: Field,
    partial: Param,
    groups: Param,
    loopback_bit: Param,
    sweeping_bit: Param,
    mask_data_field: Field,
    entry_loopback_bit: Param,
    about: About,
}

/// The group, if the switch has it.
pub fn multicast_registers(description: &mut Description) -> Option<MulticastRegisters> {
    let low = description.take("multicast_mask_low", Kind::ReadWrite)?;
    let high = description.take("multicast_mask_high", Kind::ReadWrite);
    let write = description.take("multicast_write", Kind::Command).expect("a mask is written to a group");
    let status = description.take("multicast_status", Kind::ReadOnly).expect("and tables tell whether they sweep");
    let ((group_low, group_bits), loopback_bit) = (write.place("group"), write.place("loopback").0);
    let (low_bits, ports) = setting_bits(&low, high.as_ref());
    Some(MulticastRegisters {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        access: access(),
        answer: answer(),
        sweeping: flag().doc("the group tables are being emptied"),
        write: flag().doc("an entry of the group tables is written"),
        write_group: sig(group_bits).doc("that of this group"),
        write_entry: sig(ports + 1).doc("loopback, mask of outputs"),
        was_data: reg_no_reset(low_bits.max(group_low + group_bits)).doc("data of the cycle before"),
        was_loopback: flag_reg_no_reset().doc("field loopback in the data of the cycle before"),
        mask: address_setting(&low, high.as_ref(), "outputs of the group that is written next"),
        write_word: register_word(&write),
        in_status: flag().doc("the transfer is to multicast_status"),
        write_fits: flag().doc("the data may be written to multicast_write"),
        status_address: konst(APB_ADDRESS_BITS as usize, status.address()),
        group_field: field(group_low, group_bits),
        partial: param(usize::from(write.limit("group") < 1 << group_bits)),
        groups: param(write.limit("group")),
        loopback_bit: param(loopback_bit),
        sweeping_bit: param(status.place("sweeping").0),
        mask_data_field: field(0, low_bits),
        entry_loopback_bit: param(ports),
        about: about("multicast_registers", "Registers that write the multicast group tables of all ports.")
            .param("ports", ports),
    })
}

#[kernel]
impl MulticastRegisters {
    fn update(&mut self) {
        Access::link(&mut self.access, &mut self.mask.access);
        Access::link(&mut self.access, &mut self.write_word.access);

        // Setup. No entry is written while the tables are emptied.
        self.in_status.next = self.access.address.val() == self.status_address.val();
        self.answer.known.next = self.mask.answer.known.val() | self.write_word.selected.val() | self.in_status.val();
        self.write_fits.next = self.write_word.fits.val() & !self.sweeping.val();
        for _some in 0..self.partial.val() {
            if (self.access.data.val() >> self.group_field.val()) >= self.groups.val() {
                self.write_fits.next = false;
            }
        }
        self.answer.fits.next = self.mask.answer.fits.val() | self.write_fits.val();
        self.answer.value.next = self.mask.answer.value.val();
        if self.in_status.val() {
            self.answer.value.next = self.answer.value.val().replace_bit(self.sweeping_bit.val(), self.sweeping.val());
        }
        self.was_data.d.next = unsigned_cast(self.access.data.val());
        self.was_loopback.d.next = self.access.data.val().get_bit(self.loopback_bit.val());

        // Access.
        self.mask.was_data.next = self.was_data.q.val() >> self.mask_data_field.val();
        self.write.next = self.write_word.writing.val();
        self.write_group.next = self.was_data.q.val() >> self.group_field.val();
        self.write_entry.next = unsigned_cast(self.mask.setting.val());
        self.write_entry.next =
            self.write_entry.val().replace_bit(self.entry_loopback_bit.val(), self.was_loopback.q.val());
    }
}
