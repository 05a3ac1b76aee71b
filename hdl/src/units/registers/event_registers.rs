//! Event registers: events that have happened, their ports, and the interrupt.
//!
//! State: a flag for each event, and for each event and port; `event_enable`; `event_interrupt`; and the data of the
//! cycle before.
//!
//! Each cycle: the events of the cycle set their flags, whatever is cleared. `event_interrupt` follows the flags that
//! are enabled, a cycle later.
//!
//! Registers: `events`, `event_enable`, `event_pending`, and `event_<name>_ports_low`, `event_<name>_ports_high` of
//! each event of ports.
//!
//! Source: switch reference, section 9.2; `spec/src/registers/events.rs`.

use crate::units::prelude::*;
use railyard_spec::registers::events;

/// The events side by side: first those of ports, in the order of their numbers.
const EVENTS: [(&str, usize); 13] = [
    ("vc", 1),
    ("framing", 1),
    ("overflow", 1),
    ("length", 1),
    ("credit", 1),
    ("drop", 1),
    ("barrier", 1),
    ("corrected", 1),
    ("bad", 1),
    ("parity", 1),
    ("group_parity", 1),
    ("cam", 1),
    ("table_parity", 1),
];

/// Events that have happened, their ports, and the interrupt.
#[block]
pub struct EventRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: BusTransfer,
    pub answer: Answer,
    pub events: Bare<EventWires<In>>,

    /// Fields of `events` in the data of the cycle before.
    was_events: Reg<kinds, NoReset>,
    /// Data of the cycle before, as ports.
    was_ports: Reg<{ ports.min(WORD) }, NoReset>,
    /// An event that is enabled has happened.
    interrupting: FlagReg,

    events_word: RegisterWord,
    events_fields: RegisterFields,
    pending_word: RegisterWord,
    pending_fields: RegisterFields,
    enable: RegisterSetting,
    kept: EventFlags,
    of_ports: Vec<EventPorts>,

    /// Ports at which the event happens in the current cycle.
    happening: Vec<Sig<Local>>,
    /// Events of the current cycle.
    raise: Sig<Local, kinds>,
    /// Events that are cleared by a write.
    cleared: Sig<Local, kinds>,
    /// Events that have happened and are enabled.
    pending: Sig<Local, kinds>,

    drop_place: usize,
    barrier_place: usize,
    corrected_place: usize,
    bad_place: usize,
    parity_place: usize,
    group_parity_place: usize,
    cam_bit: usize,
    table_parity_bit: usize,
    ports_field: Field<0, { ports.min(WORD) }>,
    /// Place of the group at the decoder.
    pub place: usize,
    kinds: Param,
    ports: Param,
}

/// The group, if the switch has it.
pub fn event_registers(shape: &Shape, description: &mut Description) -> Option<EventRegisters> {
    let happened = description.take("events", Kind::WriteOneClears)?;
    let enable = description.take("event_enable", Kind::ReadWrite).expect("events can be enabled");
    let pending = description.take("event_pending", Kind::ReadOnly).expect("enabled events can be read");
    let (kinds, ports) = (packed_bits(&happened, &EVENTS), shape.ports);
    let names: Vec<_> = events(shape).iter().filter_map(|event| event.ports).collect();
    let of_event = |[low, high]: &[&str; 2]| {
        let low = description.take(low, Kind::WriteOneClears).expect("an event of ports has a register of its ports");
        event_ports(ports, &low, description.take(high, Kind::WriteOneClears).as_ref())
    };
    let of_ports: Vec<EventPorts> = names.iter().map(of_event).collect();
    let place_of = |name: &str| {
        let there = EVENTS.iter().filter(|(other, _)| happened.has(other));
        there.take_while(|(other, _)| *other != name).count()
    };
    Some(sized(EventRegisters {
        events: event_wires(shape),
        events_word: register_word(&happened),
        events_fields: register_fields(&happened, &EVENTS),
        pending_word: register_word(&pending),
        pending_fields: register_fields(&pending, &EVENTS),
        enable: register_setting(&enable, &EVENTS),
        kept: event_flags(kinds),
        happening: many(of_ports.len(), || sig(ports)),
        of_ports,
        drop_place: place_of("drop"),
        barrier_place: place_of("barrier"),
        corrected_place: place_of("corrected"),
        bad_place: place_of("bad"),
        parity_place: place_of("parity"),
        group_parity_place: place_of("group_parity"),
        cam_bit: place_of("cam"),
        table_parity_bit: place_of("table_parity"),
        kinds,
        ports,
        place: description.place(),
        ..EventRegisters::plain()
    }))
}

#[kernel]
impl EventRegisters {
    fn update(&mut self) {
        self.access.link(&mut self.events_word.access);
        self.access.link(&mut self.pending_word.access);
        self.access.link(&mut self.enable.access);
        self.gather();
        self.gather_memories();
        self.raise();
        self.show();
        self.keep_ports();
        self.clear();
        self.interrupting.d.next = self.pending.val().any();
        self.events.interrupt.next = self.interrupting.q.val();
    }

    /// Events of the current cycle.
    fn gather(&mut self) {
        self.happening[0].next = self.events.vc.val();
        self.happening[1].next = self.events.framing.val();
        self.happening[2].next = self.events.overflow.val();
        self.happening[3].next = self.events.length.val();
        self.happening[4].next = self.events.credit.val();
        self.happening[self.drop_place].next = self.events.drop.val();
        if let Some(barrier) = &self.events.barrier {
            self.happening[self.barrier_place].next = barrier.val();
        }
    }

    /// Events of memories with error correction or parity.
    fn gather_memories(&mut self) {
        if let Some(corrected) = &self.events.corrected {
            self.happening[self.corrected_place].next = corrected.val();
        }
        if let Some(bad) = &self.events.bad {
            self.happening[self.bad_place].next = bad.val();
        }
        if let Some(parity) = &self.events.parity {
            self.happening[self.parity_place].next = parity.val();
        }
        if let Some(group_parity) = &self.events.group_parity {
            self.happening[self.group_parity_place].next = group_parity.val();
        }
    }

    fn raise(&mut self) {
        self.raise.next = 0.into();
        for e in 0..self.happening.len() {
            self.raise.set(e, self.happening[e].val().any());
        }
        if let Some(cam) = &self.events.cam {
            self.raise.set(self.cam_bit, cam.val());
        }
        if let Some(table_parity) = &self.events.table_parity {
            self.raise.set(self.table_parity_bit, table_parity.val());
        }
    }

    /// What is read, and what may be written.
    fn show(&mut self) {
        self.pending.next = self.kept.flags.val() & self.enable.setting.val();
        self.events_fields.data.next = self.access.data.val();
        self.events_fields.setting.next = self.kept.flags.val();
        self.pending_fields.data.next = self.access.data.val();
        self.pending_fields.setting.next = self.pending.val();
        self.answer.known.next =
            self.events_word.selected.val() | self.pending_word.selected.val() | self.enable.answer.known.val();
        self.answer.fits.next =
            (self.events_word.selected.val() & self.events_fields.legal.val()) | self.enable.answer.fits.val();
        self.answer.value.next = self.enable.answer.value.val();
        if self.events_word.selected.val() {
            self.answer.value.next = self.events_fields.value.val();
        }
        if self.pending_word.selected.val() {
            self.answer.value.next = self.pending_fields.value.val();
        }
    }

    fn keep_ports(&mut self) {
        self.was_ports.d.next = self.access.data.val() >> self.ports_field.val();
        for e in 0..self.of_ports.len() {
            self.access.link(&mut self.of_ports[e].access);
            self.of_ports[e].was_data.next = self.was_ports.q.val();
            self.of_ports[e].raise.next = self.happening[e].val();
            self.of_ports[e].clear_all.next = self.events.clear.val();
            self.answer.known.next = self.answer.known.val() | self.of_ports[e].answer.known.val();
            self.answer.fits.next = self.answer.fits.val() | self.of_ports[e].answer.fits.val();
            self.answer.value.next = self.answer.value.val() | self.of_ports[e].answer.value.val();
        }
    }

    fn clear(&mut self) {
        self.was_events.d.next = self.events_fields.asked.val();
        self.cleared.next = 0.into();
        if self.events_word.writing.val() {
            self.cleared.next = self.was_events.q.val();
        }
        self.kept.raise.next = self.raise.val();
        self.kept.clear.next = self.cleared.val();
        self.kept.clear_all.next = self.events.clear.val();
    }
}
