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
use crate::units::route::layout::{route_bits, width_name};
use crate::units::route::reduction::reduction_settings::ReductionSettings;
use railyard_spec::{Shape, TableShape};

/// Operations between issue and resolution; see the head of this file.
#[block]
pub struct LookupStage {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub issue_lookup: Flag<In>,
    pub issue_fill: Flag<In>,
    pub issue_malformed: Flag<In>,
    pub issue_vc: Sig<In>,
    pub issue_address: Sig<In>,
    pub issue_drop: Flag<In>,
    pub issue_port: Sig<In>,
    pub fill_ahead: Flag<Out>,
    pub resolve_lookup: Flag<Out>,
    pub resolve_fill: Flag<Out>,
    pub resolve_vc: Sig<Out>,
    pub resolve_address: Sig<Out>,
    pub resolve_malformed: Flag<Out>,
    pub resolve_hit: Flag<Out>,
    pub resolve_miss: Flag<Out>,
    pub resolve_drop: Flag<Out>,
    pub resolve_port: Sig<Out>,
    pub hit_port: Sig<Out>,
    pub flush: Vec<Flag<In>>,
    pub sweeping: Vec<Flag<Out>>,
    pub issue_fresh: Vec<Flag<In>>,
    pub issue_number: Vec<Sig<In>>,
    pub resolve_fresh: Vec<Flag<Out>>,
    pub resolve_number: Vec<Sig<Out>>,
    #[bare]
    pub reduction_settings: Vec<ReductionSettings<In>>,
    pub resolve_tag: Vec<Sig<Out>>,
    pub tag_number: Vec<Sig<Out>>,
    pub fill_tag: Vec<Sig<In>>,
    pub fills: Vec<Flag<Out>>,
    pub evicts: Vec<Flag<Out>>,
    pub resolve_multicast: Vec<Flag<Out>>,

    lookup: FlagReg,
    fill: FlagReg,
    malformed: FlagReg,
    vc: Reg,
    address: Reg,
    drop_result: FlagReg,
    port: Reg,

    mark_bit: Param,
    about: About,
}

/// The stage of a port of a switch of the given shape.
pub fn lookup_stage(shape: &Shape, table: &TableShape) -> LookupStage {
    let (vc_bits, port_bits) = (shape.vc_bits as usize, route_bits(shape));
    let address_bits = table.address_bits as usize;
    let header_bits = header_bits(shape, address_bits);
    let doc = "Lookup pipeline of a port without a routing cache: an operation resolves in the cycle after its \
               issue, every lookup of a well-formed packet as a miss.";
    LookupStage {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        issue_lookup: flag().doc("a lookup is issued"),
        issue_fill: flag().doc("a fill is issued"),
        issue_malformed: flag().doc("the lookup's packet is malformed"),
        issue_vc: sig(vc_bits).doc("the lookup's VC"),
        issue_address: sig(header_bits).doc("the operation's address"),
        issue_drop: flag().doc("the fill's result: no route"),
        issue_port: sig(port_bits).doc("the fill's result: output port"),
        fill_ahead: flag().doc("a fill was issued in the cycle before"),
        resolve_lookup: flag().doc("a lookup resolves"),
        resolve_fill: flag().doc("a fill resolves"),
        resolve_vc: sig(vc_bits).doc("the lookup's VC"),
        resolve_address: sig(address_bits).doc("the operation's address"),
        resolve_malformed: flag().doc("a lookup of a malformed packet resolves"),
        resolve_hit: flag().doc("never: there is no cache"),
        resolve_miss: flag().doc("a lookup resolves as miss"),
        resolve_drop: flag().doc("the fill's result: no route"),
        resolve_port: sig(port_bits).doc("the fill's result: output port"),
        hit_port: sig(port_bits).doc("zero: there is no cache"),
        flush: vec![],
        sweeping: vec![],
        issue_fresh: vec![],
        issue_number: vec![],
        resolve_fresh: vec![],
        resolve_number: vec![],
        reduction_settings: vec![],
        resolve_tag: vec![],
        tag_number: vec![],
        fill_tag: vec![],
        fills: vec![],
        evicts: vec![],
        resolve_multicast: many(header_bits - address_bits, || flag().doc("a lookup of a multicast packet resolves")),
        lookup: flag_reg(false).doc("a lookup"),
        fill: flag_reg(false).doc("a fill"),
        malformed: flag_reg_no_reset().doc("its packet is malformed"),
        vc: reg_no_reset(vc_bits).doc("its VC"),
        address: reg_no_reset(header_bits).doc("its address"),
        drop_result: flag_reg_no_reset().doc("its result: no route"),
        port: reg_no_reset(port_bits).doc("its result: output port"),
        mark_bit: param(address_bits),
        about: about("lookup_stage", doc)
            .param("vc_bits", vc_bits)
            .param("address_bits", address_bits)
            .param(width_name(shape), port_bits),
    }
}

#[kernel]
impl LookupStage {
    fn update(&mut self) {
        self.lookup.d.next = self.issue_lookup.val();
        self.fill.d.next = self.issue_fill.val();
        self.malformed.d.next = self.issue_malformed.val();
        self.vc.d.next = self.issue_vc.val();
        self.address.d.next = self.issue_address.val();
        self.drop_result.d.next = self.issue_drop.val();
        self.port.d.next = self.issue_port.val();

        self.fill_ahead.next = self.fill.q.val();
        self.resolve_lookup.next = self.lookup.q.val();
        self.resolve_fill.next = self.fill.q.val();
        self.resolve_vc.next = self.vc.q.val();
        self.resolve_address.next = unsigned_cast(self.address.q.val());
        self.resolve_malformed.next = self.lookup.q.val() & self.malformed.q.val();
        self.resolve_hit.next = false;
        self.resolve_miss.next = self.lookup.q.val() & !self.malformed.q.val();
        for c in 0..self.resolve_multicast.len() {
            self.resolve_multicast[c].next = self.lookup.q.val() & self.address.q.val().get_bit(self.mark_bit.val());
            if self.address.q.val().get_bit(self.mark_bit.val()) {
                self.resolve_miss.next = false;
            }
        }
        self.resolve_drop.next = self.drop_result.q.val();
        self.resolve_port.next = self.port.q.val();
        self.hit_port.next = 0.into();
    }
}
