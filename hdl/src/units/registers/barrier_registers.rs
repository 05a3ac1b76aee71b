//! Barrier registers: what all barrier groups share, and the faults of ports.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `access_*`, `answer_*` | | the transfer, and what this group says of it; see [`bus`](super::bus) |
//! | `corrupt`, `no_group` | N, N | sticky faults of the ports |
//! | `retransmit_limit`, `urge_limit`, `scale` | 8, 8, 4 | fields of `barrier_timers` |
//! | `clear_group`, `clear_ports` | B, 1 | the faults of barrier group g, those of all ports, are cleared in this cycle |
//!
//! State: `barrier_timers`, and the data of the cycle before.
//!
//! Registers: `barrier_timers`, `barrier_clear`, `barrier_corrupt_low`, `barrier_corrupt_high`, `barrier_no_group_low`, `barrier_no_group_high`.
//!
//! Source: switch reference, sections 9 and 11; `spec/src/registers/barrier.rs`.

use super::bus::{access, answer, Access, Answer};
use super::description::Description;
use super::port_mask::{port_mask, PortMask};
use super::register_fields::{packed_bits, register_fields, RegisterFields};
use super::register_setting::{register_setting, RegisterSetting};
use super::register_word::{register_word, RegisterWord};
use crate::rtl::prelude::*;
use railyard_spec::registers::Access as Kind;
use railyard_spec::Shape;

/// The fields of `barrier_timers` and `barrier_clear`, side by side.
const TIMERS: [(&str, usize); 3] = [("retransmit", 1), ("urge", 1), ("scale", 1)];
const CLEAR: [(&str, usize); 2] = [("group", 1), ("ports", 1)];

/// The group of this name; see the head of this file.
#[block]
pub struct BarrierRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: Access,
    pub answer: Answer,
    pub corrupt: Sig<In>,
    pub no_group: Sig<In>,
    pub retransmit_limit: Sig<Out>,
    pub urge_limit: Sig<Out>,
    pub scale: Sig<Out>,
    pub clear_group: Sig<Out>,
    pub clear_ports: Flag<Out>,

    was_clear: Reg,

    timers: RegisterSetting,
    clear_word: RegisterWord,
    clear_fields: RegisterFields,
    corrupt_mask: PortMask,
    no_group_mask: PortMask,

    retransmit_field: Field,
    urge_field: Field,
    scale_field: Field,
    group_field: Field,
    ports_bit: Param,
    groups: Param,
    about: About,
}

/// The group, if the switch has it.
pub fn barrier_registers(shape: &Shape, description: &mut Description) -> Option<BarrierRegisters> {
    let timers = description.take("barrier_timers", Kind::ReadWrite)?;
    let clear = description.take("barrier_clear", Kind::Command).expect("faults of barriers can be cleared");
    let mut mask = |name, high_name, doc| {
        let low = description.take(name, Kind::ReadOnly).expect("faults of ports can be read");
        port_mask(shape.ports, &low, description.take(high_name, Kind::ReadOnly).as_ref(), doc)
    };
    let corrupt_mask = mask("barrier_corrupt_low", "barrier_corrupt_high", "a corrupt message came to port p");
    let no_group_mask =
        mask("barrier_no_group_low", "barrier_no_group_high", "a message came to port p for a group that is not built");
    let ((_, retransmit_bits), (_, urge_bits), (_, scale_bits)) =
        (timers.place("retransmit"), timers.place("urge"), timers.place("scale"));
    let (groups, clear_bits) = (clear.limit("group"), packed_bits(&clear, &CLEAR));
    Some(BarrierRegisters {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        access: access(),
        answer: answer(),
        corrupt: sig(shape.ports).doc("a corrupt message came to port p"),
        no_group: sig(shape.ports).doc("a message came to port p for a group that is not built"),
        retransmit_limit: sig(retransmit_bits).doc("ticks after which an arrival is sent again"),
        urge_limit: sig(urge_bits).doc("ticks after which the completion is urged"),
        scale: sig(scale_bits).doc("a tick is 2^scale cycles"),
        clear_group: sig(groups).doc("the faults of barrier group g are cleared"),
        clear_ports: flag().doc("the faults of all ports are cleared"),
        was_clear: reg_no_reset(clear_bits).doc("fields of barrier_clear in the data of the cycle before"),
        timers: register_setting(&timers, &TIMERS),
        clear_word: register_word(&clear),
        clear_fields: register_fields(&clear, &CLEAR),
        corrupt_mask,
        no_group_mask,
        retransmit_field: field(0, retransmit_bits),
        urge_field: field(retransmit_bits, urge_bits),
        scale_field: field(retransmit_bits + urge_bits, scale_bits),
        group_field: field(0, clear_bits - 1),
        ports_bit: param(clear_bits - 1),
        groups: param(groups),
        about: about("barrier_registers", "Registers that all barrier groups share, and the faults of ports.")
            .param("groups", groups)
            .param("ports", shape.ports),
    })
}

#[kernel]
impl BarrierRegisters {
    fn update(&mut self) {
        Access::link(&mut self.access, &mut self.timers.access);
        Access::link(&mut self.access, &mut self.clear_word.access);
        Access::link(&mut self.access, &mut self.corrupt_mask.access);
        Access::link(&mut self.access, &mut self.no_group_mask.access);
        self.corrupt_mask.mask.next = self.corrupt.val();
        self.no_group_mask.mask.next = self.no_group.val();

        // Setup.
        self.clear_fields.data.next = self.access.data.val();
        self.clear_fields.setting.next = 0.into();
        self.was_clear.d.next = self.clear_fields.asked.val();
        self.answer.known.next = self.timers.answer.known.val()
            | self.clear_word.selected.val()
            | self.corrupt_mask.known.val()
            | self.no_group_mask.known.val();
        self.answer.fits.next =
            self.timers.answer.fits.val() | (self.clear_word.selected.val() & self.clear_fields.legal.val());
        self.answer.value.next =
            self.timers.answer.value.val() | self.corrupt_mask.value.val() | self.no_group_mask.value.val();

        // Access.
        self.clear_group.next = 0.into();
        for g in 0..self.groups.val() {
            self.clear_group.next = self.clear_group.val().replace_bit(
                g,
                self.clear_word.writing.val() & ((self.was_clear.q.val() >> self.group_field.val()) == g),
            );
        }
        self.clear_ports.next = self.clear_word.writing.val() & self.was_clear.q.val().get_bit(self.ports_bit.val());

        self.retransmit_limit.next = self.timers.setting.val() >> self.retransmit_field.val();
        self.urge_limit.next = self.timers.setting.val() >> self.urge_field.val();
        self.scale.next = self.timers.setting.val() >> self.scale_field.val();
    }
}
