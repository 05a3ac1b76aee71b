//! Events, and what raises the pin `event_interrupt`.

use super::{address, field, Access, Register, RegisterField};
use crate::shape::Shape;

/// An event that the registers keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its name: the field of it in `events`.
    pub name: &'static str,
    /// Its number: the bit of it in `events`.
    pub number: u32,
    /// Names of the registers with its ports: port i of the first 32, and of those from 32 on. None if it has no port.
    pub ports: Option<[&'static str; 2]>,
    /// Meaning.
    pub meaning: &'static str,
}

/// An event of a port: its number, name and meaning.
macro_rules! of_port {
    ($number:literal, $name:literal, $meaning:literal) => {
        Event {
            name: $name,
            number: $number,
            ports: Some([concat!("event_", $name, "_ports_low"), concat!("event_", $name, "_ports_high")]),
            meaning: $meaning,
        }
    };
}

const VC: Event = of_port!(0, "vc", "a flit came on a VC that does not exist");
const FRAMING: Event = of_port!(1, "framing", "a head came inside a packet, or a flit outside one");
const OVERFLOW: Event = of_port!(2, "overflow", "a flit came without credit");
const LENGTH: Event = of_port!(3, "length", "a packet was over the maximum, or shorter than its header");
const CREDIT: Event = of_port!(4, "credit", "a credit report was for flits that were never sent");
const CAM: Event = Event {
    name: "cam",
    number: 5,
    ports: None,
    meaning: "a CAM answer matched no request, or named a route that does not exist",
};
const DROP: Event = of_port!(6, "drop", "a packet without a route was dropped");
const BARRIER: Event =
    of_port!(7, "barrier", "a barrier message was corrupt, had no group, or raised a fault of its group");

const CORRECTED: Event = of_port!(8, "corrected", "a flit left of which a wrong bit was corrected");
const BAD: Event = of_port!(9, "bad", "a packet left with an error that was not corrected");
const PARITY: Event = of_port!(10, "parity", "a lookup read a word of the routing cache with wrong parity");
const TABLE_PARITY: Event = Event {
    name: "table_parity",
    number: 11,
    ports: None,
    meaning: "a request read a word of the forwarding table with wrong parity",
};

const GROUP_PARITY: Event =
    of_port!(12, "group_parity", "a packet read a word of the multicast group table with wrong parity");

/// The events that this switch can have, by number; none if their registers are not built.
pub fn events(shape: &Shape) -> Vec<Event> {
    if !shape.events {
        return Vec::new();
    }
    let mut list = vec![VC, FRAMING, OVERFLOW, LENGTH, CREDIT];
    list.extend(shape.external_cam().then_some(CAM));
    list.push(DROP);
    list.extend(shape.barrier.is_some().then_some(BARRIER));
    if shape.buffer_code.is_some() {
        list.extend([CORRECTED, BAD]);
    }
    list.extend(shape.cache_parity().map(|_| PARITY));
    list.extend(shape.table_parity().map(|_| TABLE_PARITY));
    list.extend(shape.group_parity().map(|_| GROUP_PARITY));
    list
}

/// Events, which of them interrupt, and their ports.
pub(super) fn event_registers(shape: &Shape) -> Vec<Register> {
    let list = events(shape);
    if list.is_empty() {
        return Vec::new();
    }
    let bits = |meaning: fn(&Event) -> &'static str| -> Vec<RegisterField> {
        list.iter().map(|event| field(event.number, 1, meaning(event)).named(event.name)).collect()
    };
    let what = bits(|event| event.meaning);
    let register =
        |name, address, access, fields, meaning| Register { name, address, count: 1, access, fields, meaning };
    let mut registers = vec![
        register(
            "events",
            address::EVENTS,
            Access::WriteOneClears,
            what.clone(),
            "events that happened, each since its bit was cleared",
        ),
        register(
            "event_enable",
            address::EVENT_ENABLE,
            Access::ReadWrite,
            bits(|_| "1: this event raises `event_interrupt`"),
            "which events raise the pin `event_interrupt`",
        ),
        register(
            "event_pending",
            address::EVENT_PENDING,
            Access::ReadOnly,
            what,
            "`events` & `event_enable`: `event_interrupt` is 1 while a bit is 1, a cycle later",
        ),
    ];
    for event in list {
        registers.extend(ports_of(shape, &event));
    }
    registers
}

/// The ports of an event, in one word or two.
fn ports_of(shape: &Shape, event: &Event) -> Vec<Register> {
    let Some(names) = event.ports else { return Vec::new() };
    let ports = shape.ports as u32;
    let place = address::EVENT_PORTS + 8 * event.number;
    let word = |half: usize, bits| Register {
        name: names[half],
        address: place + 4 * half as u32,
        count: 1,
        access: Access::WriteOneClears,
        fields: vec![field(0, bits, "bit i: port i of these 32").named("ports")],
        meaning: "ports of the event, each since its bit was cleared",
    };
    let mut words = vec![word(0, ports.min(32))];
    if ports > 32 {
        words.push(word(1, ports - 32));
    }
    words
}
