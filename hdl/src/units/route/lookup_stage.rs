//! Lookup pipeline of a port without a routing cache: one stage, in which every well-formed lookup misses.
//!
//! Ports: those of [`lookup_pipeline`](super::lookup_pipeline) without control and node reduction; `resolve_hit` and `hit_port` are
//! always zero.
//!
//! With the mixed VC `issue_address` and `resolve_multicast` are as there, too.
//!
//! State: one stage of registers. An operation issued in cycle t resolves in t + 1.
//!
//! Source: switch reference, sections 4.2 and 4.3.

use crate::rtl::prelude::*;
use crate::units::multicast::multicast_header::header_bits;
use crate::units::route::layout::{names_route, route_bits};
use crate::units::route::lookup_ports::{lookup_ports, LookupPorts};
use railyard_spec::{Shape, TableShape};

/// Lookup pipeline of a port without a routing cache: an operation resolves in the cycle after its issue, every lookup
/// of a well-formed packet as a miss.
#[block]
pub struct LookupStage {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    #[bare]
    pub io: LookupPorts<In>,

    /// a lookup
    lookup: FlagReg,
    /// a fill
    fill: FlagReg,
    /// its packet is malformed
    malformed: FlagReg,
    /// its VC
    vc: Reg,
    /// its address
    address: Reg,
    /// its result: no route
    drop_result: FlagReg,
    /// its result: output port
    port: Reg,

    mark_bit: usize,

    #[param]
    vc_bits: usize,
    #[param]
    address_bits: usize,
    #[param]
    route_bits: Option<usize>,
    #[param]
    port_bits: Option<usize>,
}

/// The stage of a port of a switch of the given shape.
pub fn lookup_stage(shape: &Shape, table: &TableShape) -> LookupStage {
    let (vc_bits, port_bits) = (shape.vc_bits as usize, route_bits(shape));
    let address_bits = table.address_bits as usize;
    let header_bits = header_bits(shape, address_bits);
    LookupStage {
        io: LookupPorts {
            resolve_hit: flag().doc("never: there is no cache"),
            hit_port: sig(port_bits).doc("zero: there is no cache"),
            ..lookup_ports(shape, table)
        },
        malformed: flag_reg_no_reset(),
        vc: reg_no_reset(vc_bits),
        address: reg_no_reset(header_bits),
        drop_result: flag_reg_no_reset(),
        port: reg_no_reset(port_bits),
        mark_bit: address_bits,
        vc_bits,
        address_bits,
        route_bits: names_route(shape).then_some(port_bits),
        port_bits: (!names_route(shape)).then_some(port_bits),
        ..LookupStage::plain()
    }
}

#[kernel]
impl LookupStage {
    fn update(&mut self) {
        self.lookup.d.next = self.io.issue_lookup.val();
        self.fill.d.next = self.io.issue_fill.val();
        self.malformed.d.next = self.io.issue_malformed.val();
        self.vc.d.next = self.io.issue_vc.val();
        self.address.d.next = self.io.issue_address.val();
        self.drop_result.d.next = self.io.issue_drop.val();
        self.port.d.next = self.io.issue_port.val();

        self.io.fill_ahead.next = self.fill.q.val();
        self.io.resolve_lookup.next = self.lookup.q.val();
        self.io.resolve_fill.next = self.fill.q.val();
        self.io.resolve_vc.next = self.vc.q.val();
        self.io.resolve_address.next = unsigned_cast(self.address.q.val());
        self.io.resolve_malformed.next = self.lookup.q.val() & self.malformed.q.val();
        self.io.resolve_hit.next = false;
        self.io.resolve_miss.next = self.lookup.q.val() & !self.malformed.q.val();
        if let Some(resolve_multicast) = &mut self.io.resolve_multicast {
            resolve_multicast.next = self.lookup.q.val() & self.address.q.val().get_bit(self.mark_bit);
            if self.address.q.val().get_bit(self.mark_bit) {
                self.io.resolve_miss.next = false;
            }
        }
        self.io.resolve_drop.next = self.drop_result.q.val();
        self.io.resolve_port.next = self.port.q.val();
        self.io.hit_port.next = 0.into();
    }
}
