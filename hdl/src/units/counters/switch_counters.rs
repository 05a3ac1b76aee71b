//! Switch counters: what is counted of a table-routed switch as a whole, at forwarding table and CAM.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `table_hit`, `table_miss` | 1 each | the forwarding table knows an address that it is asked for, or not (with one only) |
//! | `cam_valid`, `cam_ready` | 1 each | pins `cam_request_valid`, `cam_request_ready` (with an external CAM only) |
//! | `snapshot`, `clear` | 1 each | see [`counter_bank`](crate::parts::counter_bank) |
//! | `table_kind`, `cam_kind` | 2 each | counter to read |
//! | `value` | b | its value in the snapshot; zero if none is selected |
//!
//! State: the counter bank.
//!
//! Source: switch reference, section 9.1.

use crate::parts::counter_bank::{counter_bank, CounterBank};
use crate::rtl::prelude::*;
use railyard_spec::Shape;

const TABLE_HITS: usize = 0;
const TABLE_MISSES: usize = 1;
const CAM_REQUESTS: usize = 0;
const CAM_STALLS: usize = 1;

/// Counters of the switch; see the head of this file.
#[block]
pub struct SwitchCounters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub table_hit: Vec<Flag<In>>,
    pub table_miss: Vec<Flag<In>>,
    pub cam_valid: Vec<Flag<In>>,
    pub cam_ready: Vec<Flag<In>>,
    pub snapshot: Flag<In>,
    pub clear: Flag<In>,
    pub table_kind: Vec<Sig<In>>,
    pub cam_kind: Vec<Sig<In>>,
    pub value: Sig<Out>,

    bank: CounterBank,

    events: Sig<Local>,
    select: Sig<Local>,

    cams: Param,
    about: About,
}

/// The counters of a switch of the given shape, which is routed by table and has counters of `bits` bits.
pub fn switch_counters(shape: &Shape, bits: usize) -> SwitchCounters {
    let (table, cam) = (usize::from(shape.forwarding_table().is_some()), usize::from(shape.external_cam()));
    let (table_kinds, cam_kinds) = (TABLE_MISSES + 1, CAM_STALLS + 1);
    let all = table * table_kinds + cam * cam_kinds;
    SwitchCounters {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        table_hit: many(table, || flag().doc("the forwarding table knows an address")),
        table_miss: many(table, || flag().doc("it does not know one")),
        cam_valid: many(cam, || flag().doc("there is a request for the CAM")),
        cam_ready: many(cam, || flag().doc("the CAM would accept one")),
        snapshot: flag().doc("the snapshot takes all counts"),
        clear: flag().doc("the counts start again from 0"),
        table_kind: many(table, || sig(table_kinds).doc("counter of the forwarding table to read")),
        cam_kind: many(cam, || sig(cam_kinds).doc("counter of the CAM to read")),
        value: sig(bits).doc("the counter to read"),
        bank: counter_bank(all, bits),
        events: sig(all).doc("events of this cycle"),
        select: sig(all).doc("counter to read"),
        cams: param(table * table_kinds),
        about: about("switch_counters", "What is counted of a switch as a whole, at forwarding table and CAM.")
            .param("bits", bits)
            .constant("TABLE_HITS", TABLE_HITS)
            .constant("TABLE_MISSES", TABLE_MISSES)
            .constant("CAM_REQUESTS", CAM_REQUESTS)
            .constant("CAM_STALLS", CAM_STALLS),
    }
}

#[kernel]
impl SwitchCounters {
    fn update(&mut self) {
        self.events.next = 0.into();
        self.select.next = 0.into();
        for c in 0..self.table_hit.len() {
            self.events.next = self.events.val().replace_bit(TABLE_HITS, self.table_hit[c].val());
            self.events.next = self.events.val().replace_bit(TABLE_MISSES, self.table_miss[c].val());
            self.select.next = self.select.val().replace_bit(0, self.table_kind[c].val());
        }
        for c in 0..self.cam_valid.len() {
            self.events.next = self
                .events
                .val()
                .replace_bit(self.cams.val() + CAM_REQUESTS, self.cam_valid[c].val() & self.cam_ready[c].val());
            self.events.next = self
                .events
                .val()
                .replace_bit(self.cams.val() + CAM_STALLS, self.cam_valid[c].val() & !self.cam_ready[c].val());
            self.select.next = self.select.val().replace_bit(self.cams.val(), self.cam_kind[c].val());
        }
        self.bank.events.next = self.events.val();
        self.bank.snapshot.next = self.snapshot.val();
        self.bank.clear.next = self.clear.val();
        self.bank.select.next = self.select.val();
        self.value.next = self.bank.value.val();
    }
}
