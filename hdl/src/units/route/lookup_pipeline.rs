//! Lookup pipeline of a port with a routing cache: hash (or node reduction), read, compare.
//!
//! With `next_vc` or output selection each `*_port` is a whole [`route`](super::layout).
//!
//! With cache control:
//!
//! With counters: `fills` and `evicts`, see [`routing_cache`](super::routing_cache).
//!
//! With node reduction in front of the cache:
//!
//! With the mixed VC:
//!
//! State: two stages of registers, `read_*` and `compare_*`, and the cache. With s > 1 stages of node reduction, s - 1 ranks in
//! front of them.
//!
//! Each cycle: the address issued is hashed; one cycle behind, the cache reads the set; another cycle behind, it
//! compares, or fills, and the operation resolves. The cache's memories come last in a stage: only the way select and
//! what depends on `resolve_hit`, `resolve_miss` and `hit_port` wait for them.
//!
//! Node reduction takes s cycles in place of the hash's one; the hash stands beside its last stage. With a function at work, set and tag
//! are the key's, otherwise the hash's; those of a fill are what its slot kept, because a setting that changed since has made it stale. Both kinds of entries are never in the cache together: what chooses is a setting, and a write
//! of it is a flush. A lookup that isn't fresh doesn't hit, a fill that isn't fresh doesn't fill; all that says so is in registers.
//!
//! Source: switch reference, sections 4.2, 4.3 and 4.5; seed 000 sections 4.2 and 5.2.

use crate::parts::crc_hash::{crc_hash, CrcHash};
use crate::rtl::prelude::*;
use crate::units::multicast::multicast_header::header_bits;
use crate::units::route::layout::{names_route, route_bits};
use crate::units::route::lookup_delay::{lookup_delay, LookupDelay};
use crate::units::route::lookup_ports::{lookup_ports, slot_number_bits, LookupPorts};
use crate::units::route::reduction::node_reduction::{open_node_reduction, NodeReduction};
use crate::units::route::routing_cache::{routing_cache_with, RoutingCache};
use railyard_spec::{CacheShape, Shape, TableShape};

/// Lookup pipeline of a port with a routing cache: an operation is hashed in the cycle of its issue, reads the cache in the
/// next, and resolves in the one after.
#[block]
pub struct LookupPipeline {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    #[bare]
    pub io: LookupPorts<In>,

    /// read stage: a lookup
    read_lookup: FlagReg,
    /// read stage: a fill
    read_fill: FlagReg,
    /// read stage: its packet is malformed
    read_malformed: FlagReg,
    /// read stage: its VC
    read_vc: Reg,
    /// read stage: its address
    read_address: Reg,
    /// read stage: its set
    read_index: Reg,
    /// read stage: its tag
    read_tag: Reg,
    /// read stage: its result, no route
    read_drop: FlagReg,
    /// read stage: its result, output port
    read_port: Reg,
    /// compare stage: a lookup
    compare_lookup: FlagReg,
    /// compare stage: a fill
    compare_fill: FlagReg,
    /// compare stage: its packet is malformed
    compare_malformed: FlagReg,
    /// compare stage: its VC
    compare_vc: Reg,
    /// compare stage: its address
    compare_address: Reg,
    /// compare stage: its set
    compare_index: Reg,
    /// compare stage: its tag
    compare_tag: Reg,
    /// compare stage: its result, no route
    compare_drop: FlagReg,
    /// compare stage: its result, output port
    compare_port: Reg,
    /// read stage: no flush since its issue, or its lookup's
    read_fresh: Option<FlagReg>,
    /// read stage: number of its miss slot
    read_number: Option<Reg>,
    /// compare stage: no flush since its issue, or its lookup's
    compare_fresh: Option<FlagReg>,
    /// compare stage: number of its miss slot
    compare_number: Option<Reg>,

    hash: CrcHash,
    cache: RoutingCache,
    reduction: Option<NodeReduction>,
    delay: Option<LookupDelay>,

    /// what compares is fresh; this cycle's flush counts
    fresh: Option<Flag<Local>>,
    /// a fill enters the read stage
    fill_enters: Option<Flag<Local>>,

    index_field: Field,
    tag_field: Field,
    mark_bit: usize,
    #[about]
    comment: &'static str,
    #[param]
    vc_bits: usize,
    #[param]
    address_bits: usize,
    #[param]
    route_bits: Option<usize>,
    #[param]
    port_bits: Option<usize>,
    #[param]
    sets: usize,
    #[param]
    ways: usize,
    #[param]
    key_bits: Option<usize>,
    #[param]
    node_reduction_stages: Option<usize>,
}

const WITH_REDUCTION: &str =
    "Lookup pipeline of a port with node reduction in front of a routing cache: an operation's address gets a key in the \
     cycle of its issue (and those behind, with several stages) or is hashed, then reads the cache, and resolves in the \
     cycle after.";

/// The pipeline of a port of a switch of the given shape.
pub fn lookup_pipeline(shape: &Shape, table: &TableShape, cache: &CacheShape) -> LookupPipeline {
    let (vc_bits, port_bits) = (shape.vc_bits as usize, route_bits(shape));
    let address_bits = table.address_bits as usize;
    let header_bits = header_bits(shape, address_bits);
    let (index_bits, tag_bits) = (cache.index_bits.max(1) as usize, cache.tag_bits as usize);
    let (reduction, control) = (table.reduction.as_ref(), shape.cache_control());
    let number_bits = slot_number_bits(shape, table);
    let stages = reduction.map_or(1, |r| r.stages as usize);
    LookupPipeline {
        io: lookup_ports(shape, table),
        read_malformed: flag_reg_no_reset(),
        read_vc: reg_no_reset(vc_bits),
        read_address: reg_no_reset(header_bits),
        read_index: reg_no_reset(index_bits),
        read_tag: reg_no_reset(tag_bits),
        read_drop: flag_reg_no_reset(),
        read_port: reg_no_reset(port_bits),
        compare_malformed: flag_reg_no_reset(),
        compare_vc: reg_no_reset(vc_bits),
        compare_address: reg_no_reset(header_bits),
        compare_index: reg_no_reset(index_bits),
        compare_tag: reg_no_reset(tag_bits),
        compare_drop: flag_reg_no_reset(),
        compare_port: reg_no_reset(port_bits),
        read_fresh: control.then(flag_reg_no_reset),
        read_number: control.then(|| reg_no_reset(number_bits)),
        compare_fresh: control.then(flag_reg_no_reset),
        compare_number: control.then(|| reg_no_reset(number_bits)),
        hash: crc_hash(address_bits, cache.index_bits as usize, cache.crc),
        cache: routing_cache_with(cache, tag_bits, port_bits, control, shape.counter_bits.is_some()),
        reduction: reduction.map(|r| open_node_reduction(address_bits, r, stages)),
        delay: (stages > 1).then(|| lookup_delay(stages - 1, vc_bits, header_bits, port_bits, number_bits)),
        fresh: control.then(flag),
        fill_enters: reduction.map(|_| flag()),
        index_field: field(tag_bits, index_bits),
        tag_field: field(0, tag_bits),
        mark_bit: address_bits,
        comment: reduction.map_or("", |_| WITH_REDUCTION),
        vc_bits,
        address_bits,
        route_bits: names_route(shape).then_some(port_bits),
        port_bits: (!names_route(shape)).then_some(port_bits),
        sets: cache.sets,
        ways: cache.ways,
        key_bits: reduction.map(|r| r.key_bits as usize),
        node_reduction_stages: reduction.map(|r| r.stages as usize),
        ..LookupPipeline::plain()
    }
}

#[kernel]
impl LookupPipeline {
    fn update(&mut self) {
        self.issue();
        self.delay();
        self.reduce();
        self.read();
        self.compare();
        self.resolve();
        self.resolve_tag();
        self.pass_multicast();
    }

    fn issue(&mut self) {
        self.hash.address.next = unsigned_cast(self.io.issue_address.val());
        self.read_lookup.d.next = self.io.issue_lookup.val();
        self.read_fill.d.next = self.io.issue_fill.val();
        self.read_malformed.d.next = self.io.issue_malformed.val();
        self.read_vc.d.next = self.io.issue_vc.val();
        self.read_address.d.next = self.io.issue_address.val();
        self.read_index.d.next = self.hash.index.val();
        self.read_tag.d.next = unsigned_cast(self.hash.tag.val());
        self.read_drop.d.next = self.io.issue_drop.val();
        self.read_port.d.next = self.io.issue_port.val();
        if let (Some(control), Some(fresh), Some(number)) =
            (&self.io.control, &mut self.read_fresh, &mut self.read_number)
        {
            fresh.d.next = control.issue_fresh.val() & !control.flush.val();
            number.d.next = control.issue_number.val();
        }
        self.io.fill_ahead.next = self.read_fill.q.val();
    }

    /// With further stages of node reduction the hash stands beside the last one.
    fn delay(&mut self) {
        if let (Some(delay), Some(control), Some(fresh), Some(number)) =
            (&mut self.delay, &self.io.control, &mut self.read_fresh, &mut self.read_number)
        {
            delay.issue_lookup.next = self.io.issue_lookup.val();
            delay.issue_fill.next = self.io.issue_fill.val();
            delay.issue_malformed.next = self.io.issue_malformed.val();
            delay.issue_vc.next = self.io.issue_vc.val();
            delay.issue_address.next = self.io.issue_address.val();
            delay.issue_drop.next = self.io.issue_drop.val();
            delay.issue_port.next = self.io.issue_port.val();
            delay.issue_fresh.next = control.issue_fresh.val();
            delay.issue_number.next = control.issue_number.val();
            delay.flush.next = control.flush.val();
            self.hash.address.next = unsigned_cast(delay.address.val());
            self.read_lookup.d.next = delay.lookup.val();
            self.read_fill.d.next = delay.fill.val();
            self.read_malformed.d.next = delay.malformed.val();
            self.read_vc.d.next = delay.vc.val();
            self.read_address.d.next = delay.address.val();
            self.read_drop.d.next = delay.drop_result.val();
            self.read_port.d.next = delay.port.val();
            fresh.d.next = delay.fresh.val() & !control.flush.val();
            number.d.next = delay.number.val();
            self.io.fill_ahead.next = delay.fill_ahead.val();
        }
    }

    /// With a function at work, set and tag are the key's. A cache of one set has set 0 only. That `routed` is a cycle late concerns only
    /// what is in the last stage in the cycle of a flush, and stale.
    fn reduce(&mut self) {
        if let Some(reduction) = &mut self.reduction {
            if let (Some(clear), Some(settings)) = (&mut reduction.clear, &mut self.io.reduction_settings) {
                clear.next = self.reset.val();
                settings.link(&mut reduction.settings);
            }
            reduction.destination.next = unsigned_cast(self.io.issue_address.val());
            if reduction.routed.val() {
                if self.sets > 1 {
                    self.read_index.d.next = unsigned_cast(reduction.key.val());
                }
                self.read_tag.d.next = unsigned_cast(reduction.key.val());
            }
        }
        if let (Some(fill_enters), Some(tags), Some(control)) =
            (&mut self.fill_enters, &mut self.io.tags, &self.io.control)
        {
            fill_enters.next = self.io.issue_fill.val();
            tags.tag_number.next = control.issue_number.val();
            if let Some(delay) = &self.delay {
                fill_enters.next = delay.fill.val();
                tags.tag_number.next = delay.number.val();
            }
            if fill_enters.val() {
                self.read_index.d.next = tags.fill_tag.val() >> self.index_field.val();
                self.read_tag.d.next = tags.fill_tag.val() >> self.tag_field.val();
            }
        }
    }

    fn read(&mut self) {
        self.compare_lookup.d.next = self.read_lookup.q.val();
        self.compare_fill.d.next = self.read_fill.q.val();
        self.compare_malformed.d.next = self.read_malformed.q.val();
        self.compare_vc.d.next = self.read_vc.q.val();
        self.compare_address.d.next = self.read_address.q.val();
        self.compare_index.d.next = self.read_index.q.val();
        self.compare_tag.d.next = self.read_tag.q.val();
        self.compare_drop.d.next = self.read_drop.q.val();
        self.compare_port.d.next = self.read_port.q.val();
        if let (Some(compare_fresh), Some(read_fresh), Some(control)) =
            (&mut self.compare_fresh, &self.read_fresh, &self.io.control)
        {
            compare_fresh.d.next = read_fresh.q.val() & !control.flush.val();
        }
        if let (Some(compare_number), Some(read_number)) = (&mut self.compare_number, &self.read_number) {
            compare_number.d.next = read_number.q.val();
        }
    }

    fn compare(&mut self) {
        self.cache.read_index.next = self.read_index.q.val();
        self.cache.index.next = self.compare_index.q.val();
        self.cache.tag.next = self.compare_tag.q.val();
        self.cache.lookup.next = self.compare_lookup.q.val() & !self.compare_malformed.q.val();
        self.cache.fill.next = self.compare_fill.q.val() & !self.compare_drop.q.val();
        self.cache.fill_port.next = self.compare_port.q.val();
        if let (Some(fresh), Some(compare_fresh), Some(compare_number), Some(control)) =
            (&mut self.fresh, &self.compare_fresh, &self.compare_number, &mut self.io.control)
        {
            fresh.next = compare_fresh.q.val() & !control.flush.val();
            self.cache.lookup.next = self.compare_lookup.q.val() & !self.compare_malformed.q.val() & fresh.val();
            self.cache.fill.next = self.compare_fill.q.val() & !self.compare_drop.q.val() & fresh.val();
            if let (Some(flush), Some(is_sweeping)) = (&mut self.cache.flush, &self.cache.is_sweeping) {
                flush.next = control.flush.val();
                control.sweeping.next = is_sweeping.val();
            }
            control.resolve_fresh.next = fresh.val();
            control.resolve_number.next = compare_number.q.val();
        }
    }

    fn resolve(&mut self) {
        self.io.resolve_lookup.next = self.compare_lookup.q.val();
        self.io.resolve_fill.next = self.compare_fill.q.val();
        self.io.resolve_vc.next = self.compare_vc.q.val();
        self.io.resolve_address.next = unsigned_cast(self.compare_address.q.val());
        self.io.resolve_malformed.next = self.compare_lookup.q.val() & self.compare_malformed.q.val();
        self.io.resolve_hit.next = self.cache.hit.val();
        self.io.resolve_miss.next =
            self.compare_lookup.q.val() & !self.compare_malformed.q.val() & !self.cache.hit.val();
        self.io.resolve_drop.next = self.compare_drop.q.val();
        self.io.resolve_port.next = self.compare_port.q.val();
        self.io.hit_port.next = self.cache.hit_port.val();
        self.io.writes.link(&mut self.cache.writes);
    }

    fn resolve_tag(&mut self) {
        if let Some(tags) = &mut self.io.tags {
            tags.resolve_tag.next = 0.into();
            tags.resolve_tag.next =
                tags.resolve_tag.val().replace_bit(self.index_field.val(), self.compare_index.q.val());
            tags.resolve_tag.next = tags.resolve_tag.val().replace_bit(self.tag_field.val(), self.compare_tag.q.val());
        }
    }

    /// A multicast packet asks nothing.
    fn pass_multicast(&mut self) {
        if let Some(resolve_multicast) = &mut self.io.resolve_multicast {
            resolve_multicast.next = self.compare_lookup.q.val() & self.compare_address.q.val().get_bit(self.mark_bit);
            if self.compare_address.q.val().get_bit(self.mark_bit) {
                self.cache.lookup.next = false;
                self.io.resolve_miss.next = false;
            }
        }
    }
}
