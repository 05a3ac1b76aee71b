//! Barrier registers: what all barrier groups share, and the faults of ports.
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
use crate::units::barrier::barrier_settings::{barrier_control, barrier_faults, BarrierControl, BarrierFaults};
use railyard_spec::registers::Access as Kind;
use railyard_spec::Shape;

/// The fields of `barrier_timers` and `barrier_clear`, side by side.
const TIMERS: [(&str, usize); 3] = [("retransmit", 1), ("urge", 1), ("scale", 1)];
const CLEAR: [(&str, usize); 2] = [("group", 1), ("ports", 1)];

/// Registers that all barrier groups share, and the faults of ports.
#[block]
pub struct BarrierRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: Access,
    pub answer: Answer,
    #[bare]
    pub faults: BarrierFaults<In>,
    #[bare]
    pub control: BarrierControl<Out>,

    /// Fields of barrier_clear in the data of the cycle before.
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
    ports_bit: usize,
    /// Place of the group at the decoder.
    pub place: usize,
    groups: Param,
    ports: Param,
}

/// The group, if the switch has it.
pub fn barrier_registers(shape: &Shape, description: &mut Description) -> Option<BarrierRegisters> {
    let timers = description.take("barrier_timers", Kind::ReadWrite)?;
    let clear = description.take("barrier_clear", Kind::Command).expect("faults of barriers can be cleared");
    let mut mask = |name, high_name, doc| {
        let low = description.take(name, Kind::ReadOnly).expect("faults of ports can be read");
        port_mask(shape.ports, &low, description.take(high_name, Kind::ReadOnly).as_ref(), doc)
    };
    let corrupt_mask = mask("barrier_corrupt_low", "barrier_corrupt_high", "A corrupt message came to port p.");
    let no_group_mask = mask(
        "barrier_no_group_low",
        "barrier_no_group_high",
        "A message came to port p for a group that is not built.",
    );
    let built = shape.barrier.as_ref().expect("barriers have registers");
    let ((_, retransmit_bits), (_, urge_bits), (_, scale_bits)) =
        (timers.place("retransmit"), timers.place("urge"), timers.place("scale"));
    let (groups, clear_bits) = (clear.limit("group"), packed_bits(&clear, &CLEAR));
    Some(BarrierRegisters {
        access: access(),
        answer: answer(),
        faults: barrier_faults(shape),
        control: barrier_control(built),
        was_clear: reg_no_reset(clear_bits),
        timers: register_setting(&timers, &TIMERS),
        clear_word: register_word(&clear),
        clear_fields: register_fields(&clear, &CLEAR),
        corrupt_mask,
        no_group_mask,
        retransmit_field: field(0, retransmit_bits),
        urge_field: field(retransmit_bits, urge_bits),
        scale_field: field(retransmit_bits + urge_bits, scale_bits),
        group_field: field(0, clear_bits - 1),
        ports_bit: clear_bits - 1,
        groups,
        ports: shape.ports,
        place: description.place(),
        ..BarrierRegisters::plain()
    })
}

#[kernel]
impl BarrierRegisters {
    fn update(&mut self) {
        self.access.link(&mut self.timers.access);
        self.access.link(&mut self.clear_word.access);
        self.access.link(&mut self.corrupt_mask.access);
        self.access.link(&mut self.no_group_mask.access);
        self.corrupt_mask.mask.next = self.faults.corrupt.val();
        self.no_group_mask.mask.next = self.faults.no_group.val();

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
        self.control.clear_group.next = 0.into();
        for g in 0..self.groups {
            self.control
                .clear_group
                .set(g, self.clear_word.writing.val() & ((self.was_clear.q.val() >> self.group_field.val()) == g));
        }
        self.control.clear_ports.next = self.clear_word.writing.val() & self.was_clear.q.val().get_bit(self.ports_bit);

        self.control.retransmit_limit.next = self.timers.setting.val() >> self.retransmit_field.val();
        self.control.urge_limit.next = self.timers.setting.val() >> self.urge_field.val();
        self.control.scale.next = self.timers.setting.val() >> self.scale_field.val();
    }
}
