//! Barrier registers: what all barrier groups share, and the faults of ports.
//!
//! State: `barrier_timers`, and the data of the cycle before.
//!
//! Registers: `barrier_timers`, `barrier_clear`, `barrier_corrupt_low`, `barrier_corrupt_high`, `barrier_no_group_low`,
//! `barrier_no_group_high`.
//!
//! Source: switch reference, sections 9 and 11; `spec/src/registers/barrier.rs`.

use crate::units::prelude::*;

/// The fields of `barrier_timers` and `barrier_clear`, side by side.
const TIMERS: [(&str, usize); 3] = [("retransmit", 1), ("urge", 1), ("scale", 1)];
const CLEAR: [(&str, usize); 2] = [("group", 1), ("ports", 1)];

/// Registers that all barrier groups share, and the faults of ports.
#[block(shape: &Shape, timing: &Described, clear: &Described, corrupt_mask: PortMask, no_group_mask: PortMask, place: usize)]
pub struct BarrierRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: BusTransfer,
    pub answer: Answer,
    pub faults: Bare<BarrierFaults<In, shape>>,
    #[made(barrier_control(shape.barrier.as_ref().expect("barriers have registers")))]
    pub control: Bare<BarrierControl<Out>>,

    /// Fields of barrier_clear in the data of the cycle before.
    was_clear: Reg<clear_bits, NoReset>,

    #[made(register_setting(timing, &TIMERS))]
    timers: RegisterSetting,
    clear_word: RegisterWord<clear>,
    #[made(register_fields(clear, &CLEAR))]
    clear_fields: RegisterFields,
    #[made(corrupt_mask)]
    corrupt_mask: PortMask,
    #[made(no_group_mask)]
    no_group_mask: PortMask,

    retransmit_field: Field<0, retransmit_bits>,
    urge_field: Field<retransmit_bits, urge_bits>,
    scale_field: Field<{ retransmit_bits + urge_bits }, { timing.place("scale").1 }>,
    group_field: Field<0, ports_bit>,
    clear_bits: Number<{ packed_bits(clear, &CLEAR) }>,
    retransmit_bits: Number<{ timing.place("retransmit").1 }>,
    urge_bits: Number<{ timing.place("urge").1 }>,
    ports_bit: Number<{ clear_bits - 1 }>,
    /// Place of the group at the decoder.
    pub place: usize,
    groups: Param<{ clear.limit("group") }>,
    ports: Param<{ shape.ports }>,
}

/// The group, if the switch has it.
pub fn take_barrier_registers(shape: &Shape, description: &mut Description) -> Option<BarrierRegisters> {
    let timers = description.take("barrier_timers", Kind::ReadWrite)?;
    let clear = description.take("barrier_clear", Kind::Command).expect("faults of barriers can be cleared");
    let mut mask = |name, high_name, doc| {
        let low = description.take(name, Kind::ReadOnly).expect("faults of ports can be read");
        port_mask(shape.ports, &low, description.take(high_name, Kind::ReadOnly).as_ref(), doc)
    };
    let corrupt = mask("barrier_corrupt_low", "barrier_corrupt_high", "A corrupt message came to port p.");
    let no_group_doc = "A message came to port p for a group that is not built.";
    let no_group = mask("barrier_no_group_low", "barrier_no_group_high", no_group_doc);
    Some(barrier_registers(shape, &timers, &clear, corrupt, no_group, description.place()))
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
