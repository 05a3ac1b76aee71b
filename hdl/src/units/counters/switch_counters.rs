//! Switch counters: what is counted of a table-routed switch as a whole, at forwarding table and CAM.
//!
//! State: the counter bank.
//!
//! Source: switch reference, section 9.1.

use crate::units::prelude::*;

const TABLE_HITS: usize = 0;
const TABLE_MISSES: usize = 1;
const CAM_REQUESTS: usize = 0;
const CAM_STALLS: usize = 1;

/// What happens at the forwarding table.
#[group]
pub struct TableEvents {
    /// The forwarding table has an entry for an address.
    pub table_hit: Flag<In>,
    /// The forwarding table has no entry for an address.
    pub table_miss: Flag<In>,
}

/// What happens at the pins of an external CAM.
#[group]
pub struct CamEvents {
    /// A request for the CAM is there.
    pub cam_valid: Flag<In>,
    /// The CAM would accept a request.
    pub cam_ready: Flag<In>,
}

/// What is counted of a switch as a whole, at forwarding table and CAM.
#[block(shape: &Shape, bits: usize)]
pub struct SwitchCounters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub table: Option<TableEvents, { shape.forwarding_table().is_some() }>,
    pub cam: Option<CamEvents, { shape.external_cam() }>,
    pub sampling: Bare<Sampling<In>>,
    pub kinds: Bare<SwitchKinds<In, shape>>,
    /// Counter that is read.
    pub value: Sig<Out, bits>,

    bank: CounterBank<all, bits>,

    /// Events of the current cycle.
    events: Sig<Local, all>,
    /// Counter to read.
    select: Sig<Local, all>,

    first_of_cam: Number<{ shape.forwarding_table().map_or(0, |_| TABLE_KINDS) }>,
    all: Number<{ first_of_cam + usize::from(shape.external_cam()) * CAM_KINDS }>,
    bits: Param,
}

#[kernel]
impl SwitchCounters {
    fn update(&mut self) {
        self.events.next = 0.into();
        self.select.next = 0.into();
        if let (Some(table), Some(kind)) = (&self.table, &self.kinds.table_kind) {
            self.events.set(TABLE_HITS, table.table_hit.val());
            self.events.set(TABLE_MISSES, table.table_miss.val());
            self.select.set(0, kind.val());
        }
        if let (Some(cam), Some(kind)) = (&self.cam, &self.kinds.cam_kind) {
            self.events.set(self.first_of_cam + CAM_REQUESTS, cam.cam_valid.val() & cam.cam_ready.val());
            self.events.set(self.first_of_cam + CAM_STALLS, cam.cam_valid.val() & !cam.cam_ready.val());
            self.select.set(self.first_of_cam, kind.val());
        }
        self.bank.events.next = self.events.val();
        self.bank.snapshot.next = self.sampling.snapshot.val();
        self.bank.clear.next = self.sampling.clear.val();
        self.bank.select.next = self.select.val();
        self.value.next = self.bank.value.val();
    }
}
