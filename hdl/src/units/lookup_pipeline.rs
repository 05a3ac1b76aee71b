//! Lookup pipeline of a port with a routing cache: hash, read, compare.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `issue_lookup`, `issue_fill` | 1, 1 | an operation is issued in this cycle (not both) |
//! | `issue_malformed`, `issue_vc` | 1, VC bits | of a lookup: its packet is malformed, its VC |
//! | `issue_address` | A | its address |
//! | `issue_drop`, `issue_port` | 1, port bits | of a fill: the result |
//! | `fill_ahead` | 1 | a fill was issued in the cycle before |
//! | `resolve_lookup`, `resolve_fill` | 1, 1 | an operation resolves in this cycle |
//! | `resolve_vc`, `resolve_address` | VC bits, A | its VC (of a lookup), its address |
//! | `resolve_malformed`, `resolve_hit`, `resolve_miss` | 1 each | of a lookup, exactly one: what comes of it |
//! | `resolve_drop`, `resolve_port` | 1, port bits | of a fill: the result that was issued |
//! | `hit_port` | port bits | of a hit: the output port |
//!
//! With `next_vc` each `*_port` is a whole [`route`](super::route).
//!
//! State: two stages of registers, `read_*` and `compare_*`, and the cache.
//!
//! Each cycle: the address issued is hashed; one cycle behind, the cache reads the set; another cycle behind, it
//! compares, or fills, and the operation resolves. The cache's memories come last in a stage: only the way select and
//! what depends on `resolve_hit`, `resolve_miss` and `hit_port` wait for them.
//!
//! Source: switch reference, sections 4.2 and 4.3; seed 000 section 4.2.

use crate::parts::crc_hash::{crc_hash, tag_bits, CrcHash};
use crate::rtl::prelude::*;
use crate::units::route::{route_bits, width_name};
use crate::units::routing_cache::{routing_cache, RoutingCache};
use railyard_spec::{CacheShape, Shape, TableShape};

/// Operations on their way through the cache; see the head of this file.
#[derive(LogicBlock)]
pub struct LookupPipeline {
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

    read_lookup: FlagReg,
    read_fill: FlagReg,
    read_malformed: FlagReg,
    read_vc: Reg,
    read_address: Reg,
    read_index: Reg,
    read_tag: Reg,
    read_drop: FlagReg,
    read_port: Reg,
    compare_lookup: FlagReg,
    compare_fill: FlagReg,
    compare_malformed: FlagReg,
    compare_vc: Reg,
    compare_address: Reg,
    compare_index: Reg,
    compare_tag: Reg,
    compare_drop: FlagReg,
    compare_port: Reg,

    hash: CrcHash,
    cache: RoutingCache,

    about: About,
}

/// The pipeline of a port of a switch of the given shape.
pub fn lookup_pipeline(shape: &Shape, table: &TableShape, cache: &CacheShape) -> LookupPipeline {
    let (vc_bits, port_bits) = (shape.vc_bits as usize, route_bits(shape));
    let address_bits = table.address_bits as usize;
    let index_bits = (cache.index_bits as usize).max(1);
    let tag_bits = tag_bits(address_bits, cache.index_bits as usize, &cache.crc);
    let doc = "Lookup pipeline of a port with a routing cache: an operation is hashed in the cycle of its issue, \
               reads the cache in the next, and resolves in the one after.";
    LookupPipeline {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        issue_lookup: flag().doc("a lookup is issued"),
        issue_fill: flag().doc("a fill is issued"),
        issue_malformed: flag().doc("the lookup's packet is malformed"),
        issue_vc: sig(vc_bits).doc("the lookup's VC"),
        issue_address: sig(address_bits).doc("the operation's address"),
        issue_drop: flag().doc("the fill's result: no route"),
        issue_port: sig(port_bits).doc("the fill's result: output port"),
        fill_ahead: flag().doc("a fill was issued in the cycle before"),
        resolve_lookup: flag().doc("a lookup resolves"),
        resolve_fill: flag().doc("a fill resolves"),
        resolve_vc: sig(vc_bits).doc("the lookup's VC"),
        resolve_address: sig(address_bits).doc("the operation's address"),
        resolve_malformed: flag().doc("a lookup of a malformed packet resolves"),
        resolve_hit: flag().doc("a lookup resolves as hit"),
        resolve_miss: flag().doc("a lookup resolves as miss"),
        resolve_drop: flag().doc("the fill's result: no route"),
        resolve_port: sig(port_bits).doc("the fill's result: output port"),
        hit_port: sig(port_bits).doc("the hit's output port"),
        read_lookup: flag_reg(false).doc("read stage: a lookup"),
        read_fill: flag_reg(false).doc("read stage: a fill"),
        read_malformed: flag_reg_no_reset().doc("read stage: its packet is malformed"),
        read_vc: reg_no_reset(vc_bits).doc("read stage: its VC"),
        read_address: reg_no_reset(address_bits).doc("read stage: its address"),
        read_index: reg_no_reset(index_bits).doc("read stage: its set"),
        read_tag: reg_no_reset(tag_bits).doc("read stage: its tag"),
        read_drop: flag_reg_no_reset().doc("read stage: its result, no route"),
        read_port: reg_no_reset(port_bits).doc("read stage: its result, output port"),
        compare_lookup: flag_reg(false).doc("compare stage: a lookup"),
        compare_fill: flag_reg(false).doc("compare stage: a fill"),
        compare_malformed: flag_reg_no_reset().doc("compare stage: its packet is malformed"),
        compare_vc: reg_no_reset(vc_bits).doc("compare stage: its VC"),
        compare_address: reg_no_reset(address_bits).doc("compare stage: its address"),
        compare_index: reg_no_reset(index_bits).doc("compare stage: its set"),
        compare_tag: reg_no_reset(tag_bits).doc("compare stage: its tag"),
        compare_drop: flag_reg_no_reset().doc("compare stage: its result, no route"),
        compare_port: reg_no_reset(port_bits).doc("compare stage: its result, output port"),
        hash: crc_hash(address_bits, cache.index_bits as usize, cache.crc),
        cache: routing_cache(cache, tag_bits, port_bits),
        about: about("lookup_pipeline", doc)
            .param("vc_bits", vc_bits)
            .param("address_bits", address_bits)
            .param(width_name(shape), port_bits)
            .param("sets", cache.sets)
            .param("ways", cache.ways),
    }
}

impl Logic for LookupPipeline {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, read_lookup, read_fill, read_malformed, read_vc, read_address, read_index);
        dff_setup!(self, clock, read_tag, compare_tag);
        dff_setup!(self, clock, read_drop, read_port, compare_lookup, compare_fill, compare_malformed, compare_vc);
        dff_setup!(self, clock, compare_address, compare_index, compare_drop, compare_port);

        // Issue: hash.
        self.hash.address.next = self.issue_address.val();
        self.read_lookup.d.next = self.issue_lookup.val();
        self.read_fill.d.next = self.issue_fill.val();
        self.read_malformed.d.next = self.issue_malformed.val();
        self.read_vc.d.next = self.issue_vc.val();
        self.read_address.d.next = self.issue_address.val();
        self.read_index.d.next = self.hash.index.val();
        self.read_tag.d.next = self.hash.tag.val();
        self.read_drop.d.next = self.issue_drop.val();
        self.read_port.d.next = self.issue_port.val();

        // Read.
        self.fill_ahead.next = self.read_fill.q.val();
        self.compare_lookup.d.next = self.read_lookup.q.val();
        self.compare_fill.d.next = self.read_fill.q.val();
        self.compare_malformed.d.next = self.read_malformed.q.val();
        self.compare_vc.d.next = self.read_vc.q.val();
        self.compare_address.d.next = self.read_address.q.val();
        self.compare_index.d.next = self.read_index.q.val();
        self.compare_tag.d.next = self.read_tag.q.val();
        self.compare_drop.d.next = self.read_drop.q.val();
        self.compare_port.d.next = self.read_port.q.val();

        // Compare.
        self.cache.clock.next = self.clock.val();
        self.cache.reset.next = self.reset.val();
        self.cache.read_index.next = self.read_index.q.val();
        self.cache.index.next = self.compare_index.q.val();
        self.cache.tag.next = self.compare_tag.q.val();
        self.cache.lookup.next = self.compare_lookup.q.val() & !self.compare_malformed.q.val();
        self.cache.fill.next = self.compare_fill.q.val() & !self.compare_drop.q.val();
        self.cache.fill_port.next = self.compare_port.q.val();

        self.resolve_lookup.next = self.compare_lookup.q.val();
        self.resolve_fill.next = self.compare_fill.q.val();
        self.resolve_vc.next = self.compare_vc.q.val();
        self.resolve_address.next = self.compare_address.q.val();
        self.resolve_malformed.next = self.compare_lookup.q.val() & self.compare_malformed.q.val();
        self.resolve_hit.next = self.cache.hit.val();
        self.resolve_miss.next = self.compare_lookup.q.val() & !self.compare_malformed.q.val() & !self.cache.hit.val();
        self.resolve_drop.next = self.compare_drop.q.val();
        self.resolve_port.next = self.compare_port.q.val();
        self.hit_port.next = self.cache.hit_port.val();
    }
}
