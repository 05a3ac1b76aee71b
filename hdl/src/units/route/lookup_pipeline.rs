//! Lookup pipeline of a port with a routing cache: hash (or node reduction), read, compare.
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
//! With `next_vc` or output selection each `*_port` is a whole [`route`](super::layout).
//!
//! With cache control:
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `flush`, `sweeping` | 1, 1 | a flush is in this cycle; the cache sweeps in it |
//! | `issue_fresh` | 1 | the operation issued (a fill: its slot) is fresh, if no flush is in this cycle |
//! | `issue_number` | slot number bits | of a fill: its miss slot's number, v * m + s |
//! | `resolve_fresh` | 1 | the operation that resolves is fresh; this cycle's flush counts |
//! | `resolve_number` | slot number bits | of a fill: the number that was issued |
//!
//! With counters: `fills` and `evicts`, see [`routing_cache`](super::routing_cache).
//!
//! With node reduction in front of the cache:
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `reduction_settings` | | its settings: [`ReductionSettings`] |
//! | `resolve_tag` | index bits + tag bits | set and tag of what resolves: equal if and only if the tags of section 4.5 are |
//! | `tag_number`, `fill_tag` | slot number bits, index bits + tag bits | of a fill that is about to be read: its miss slot's number, and what `resolve_tag` was when that slot was taken |
//!
//! With the mixed VC:
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `issue_address` | A + 1 | the highest bit is the mark of a multicast packet |
//! | `resolve_multicast` | 1 | of a lookup: it was marked; what comes of it in place of `resolve_hit` and `resolve_miss` |
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
use crate::units::route::layout::{route_bits, width_name};
use crate::units::route::lookup_delay::{lookup_delay, LookupDelay};
use crate::units::route::reduction::node_reduction::{open_node_reduction, NodeReduction};
use crate::units::route::reduction::reduction_settings::{reduction_settings, ReductionSettings};
use crate::units::route::routing_cache::{flushed_routing_cache, routing_cache, RoutingCache};
use railyard_spec::{CacheShape, Shape, TableShape};

/// Operations on their way through the cache; see the head of this file.
#[block]
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
    read_fresh: Vec<FlagReg>,
    read_number: Vec<Reg>,
    compare_fresh: Vec<FlagReg>,
    compare_number: Vec<Reg>,

    hash: CrcHash,
    cache: RoutingCache,
    reduction: Vec<NodeReduction>,
    delay: Vec<LookupDelay>,

    fresh: Vec<Flag<Local>>,
    fill_enters: Vec<Flag<Local>>,

    index_field: Field,
    tag_field: Field,
    sets: Param,
    mark_bit: Param,
    about: About,
}

/// Bits of a miss slot's number v * m + s.
pub fn slot_number_bits(shape: &Shape, table: &TableShape) -> usize {
    clog2(shape.vcs * table.lookups_per_vc).max(1)
}

/// Bits of the cache's set number, and of the tag beside it.
fn set_and_tag_bits(cache: &CacheShape) -> (usize, usize) {
    (cache.index_bits.max(1) as usize, cache.tag_bits as usize)
}

/// Bits of `resolve_tag`.
pub fn resolve_tag_bits(cache: &CacheShape) -> usize {
    let (index_bits, tag_bits) = set_and_tag_bits(cache);
    index_bits + tag_bits
}

/// The pipeline of a port of a switch of the given shape.
pub fn lookup_pipeline(shape: &Shape, table: &TableShape, cache: &CacheShape) -> LookupPipeline {
    let (vc_bits, port_bits) = (shape.vc_bits as usize, route_bits(shape));
    let address_bits = table.address_bits as usize;
    let header_bits = header_bits(shape, address_bits);
    let mixed = header_bits - address_bits;
    let (index_bits, tag_bits) = set_and_tag_bits(cache);
    let reduction = table.reduction.as_ref();
    let key_bits = reduction.map_or(0, |r| r.key_bits as usize);
    let number_bits = slot_number_bits(shape, table);
    let (control, reduced) = (usize::from(shape.cache_control()), usize::from(reduction.is_some()));
    let counted = usize::from(shape.counter_bits.is_some());
    let plain_cache = match shape.cache_control() {
        true => flushed_routing_cache(cache, tag_bits, port_bits),
        false => routing_cache(cache, tag_bits, port_bits),
    };
    let stages = reduction.map_or(1, |r| r.stages as usize);
    let doc = match reduction {
        None => {
            "Lookup pipeline of a port with a routing cache: an operation is hashed in the cycle of its issue, \
             reads the cache in the next, and resolves in the one after."
        }
        Some(_) => {
            "Lookup pipeline of a port with node reduction in front of a routing cache: an operation's address gets a \
             key in the cycle of its issue (and those behind, with several stages) or is hashed, then reads the cache, \
             and resolves in the cycle after."
        }
    };
    let about = about("lookup_pipeline", doc)
        .param("vc_bits", vc_bits)
        .param("address_bits", address_bits)
        .param(width_name(shape), port_bits)
        .param("sets", cache.sets)
        .param("ways", cache.ways);
    LookupPipeline {
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
        resolve_hit: flag().doc("a lookup resolves as hit"),
        resolve_miss: flag().doc("a lookup resolves as miss"),
        resolve_drop: flag().doc("the fill's result: no route"),
        resolve_port: sig(port_bits).doc("the fill's result: output port"),
        hit_port: sig(port_bits).doc("the hit's output port"),
        flush: many(control, || flag().doc("a flush is in this cycle")),
        sweeping: many(control, || flag().doc("the cache sweeps in this cycle")),
        issue_fresh: many(control, || flag().doc("the operation is fresh, if no flush is in this cycle")),
        issue_number: many(control, || sig(number_bits).doc("number of the fill's miss slot")),
        resolve_fresh: many(control, || flag().doc("the operation is fresh")),
        resolve_number: many(control, || sig(number_bits).doc("number of the fill's miss slot")),
        reduction_settings: reduction.map(|built| reduction_settings(address_bits, built)).into_iter().collect(),
        resolve_multicast: many(mixed, || flag().doc("a lookup of a multicast packet resolves")),
        resolve_tag: many(reduced, || sig(index_bits + tag_bits).doc("the operation's set and tag")),
        tag_number: many(reduced, || sig(number_bits).doc("number of the miss slot whose fill enters the read stage")),
        fill_tag: many(reduced, || sig(index_bits + tag_bits).doc("its set and tag")),
        fills: many(counted, || flag().doc("a fill writes its entry")),
        evicts: many(counted, || flag().doc("and evicts another one")),
        read_lookup: flag_reg(false).doc("read stage: a lookup"),
        read_fill: flag_reg(false).doc("read stage: a fill"),
        read_malformed: flag_reg_no_reset().doc("read stage: its packet is malformed"),
        read_vc: reg_no_reset(vc_bits).doc("read stage: its VC"),
        read_address: reg_no_reset(header_bits).doc("read stage: its address"),
        read_index: reg_no_reset(index_bits).doc("read stage: its set"),
        read_tag: reg_no_reset(tag_bits).doc("read stage: its tag"),
        read_drop: flag_reg_no_reset().doc("read stage: its result, no route"),
        read_port: reg_no_reset(port_bits).doc("read stage: its result, output port"),
        compare_lookup: flag_reg(false).doc("compare stage: a lookup"),
        compare_fill: flag_reg(false).doc("compare stage: a fill"),
        compare_malformed: flag_reg_no_reset().doc("compare stage: its packet is malformed"),
        compare_vc: reg_no_reset(vc_bits).doc("compare stage: its VC"),
        compare_address: reg_no_reset(header_bits).doc("compare stage: its address"),
        compare_index: reg_no_reset(index_bits).doc("compare stage: its set"),
        compare_tag: reg_no_reset(tag_bits).doc("compare stage: its tag"),
        compare_drop: flag_reg_no_reset().doc("compare stage: its result, no route"),
        compare_port: reg_no_reset(port_bits).doc("compare stage: its result, output port"),
        read_fresh: many(control, || flag_reg_no_reset().doc("read stage: no flush since its issue, or its lookup's")),
        read_number: many(control, || reg_no_reset(number_bits).doc("read stage: number of its miss slot")),
        compare_fresh: many(control, || {
            flag_reg_no_reset().doc("compare stage: no flush since its issue, or its lookup's")
        }),
        compare_number: many(control, || reg_no_reset(number_bits).doc("compare stage: number of its miss slot")),
        hash: crc_hash(address_bits, cache.index_bits as usize, cache.crc),
        cache: if counted == 1 { plain_cache.counted() } else { plain_cache },
        reduction: reduction.iter().map(|r| open_node_reduction(address_bits, r, stages)).collect(),
        delay: many(usize::from(stages > 1), || lookup_delay(stages - 1, vc_bits, header_bits, port_bits, number_bits)),
        fresh: many(control, || flag().doc("what compares is fresh; this cycle's flush counts")),
        fill_enters: many(reduced, || flag().doc("a fill enters the read stage")),
        index_field: field(tag_bits, index_bits),
        tag_field: field(0, tag_bits),
        sets: param(cache.sets),
        mark_bit: param(address_bits),
        about: match reduction {
            None => about,
            Some(r) => about.param("key_bits", key_bits).param("node_reduction_stages", r.stages as usize),
        },
    }
}

#[kernel]
impl LookupPipeline {
    fn update(&mut self) {
        // Issue: hash.
        self.hash.address.next = unsigned_cast(self.issue_address.val());
        self.read_lookup.d.next = self.issue_lookup.val();
        self.read_fill.d.next = self.issue_fill.val();
        self.read_malformed.d.next = self.issue_malformed.val();
        self.read_vc.d.next = self.issue_vc.val();
        self.read_address.d.next = self.issue_address.val();
        self.read_index.d.next = self.hash.index.val();
        self.read_tag.d.next = unsigned_cast(self.hash.tag.val());
        self.read_drop.d.next = self.issue_drop.val();
        self.read_port.d.next = self.issue_port.val();
        for c in 0..self.read_fresh.len() {
            self.read_fresh[c].d.next = self.issue_fresh[c].val() & !self.flush[c].val();
            self.read_number[c].d.next = self.issue_number[c].val();
        }
        self.fill_ahead.next = self.read_fill.q.val();

        // Further stages of node reduction; the hash stands beside the last one.
        for c in 0..self.delay.len() {
            self.delay[c].issue_lookup.next = self.issue_lookup.val();
            self.delay[c].issue_fill.next = self.issue_fill.val();
            self.delay[c].issue_malformed.next = self.issue_malformed.val();
            self.delay[c].issue_vc.next = self.issue_vc.val();
            self.delay[c].issue_address.next = self.issue_address.val();
            self.delay[c].issue_drop.next = self.issue_drop.val();
            self.delay[c].issue_port.next = self.issue_port.val();
            self.delay[c].issue_fresh.next = self.issue_fresh[c].val();
            self.delay[c].issue_number.next = self.issue_number[c].val();
            self.delay[c].flush.next = self.flush[c].val();
            self.hash.address.next = unsigned_cast(self.delay[c].address.val());
            self.read_lookup.d.next = self.delay[c].lookup.val();
            self.read_fill.d.next = self.delay[c].fill.val();
            self.read_malformed.d.next = self.delay[c].malformed.val();
            self.read_vc.d.next = self.delay[c].vc.val();
            self.read_address.d.next = self.delay[c].address.val();
            self.read_drop.d.next = self.delay[c].drop_result.val();
            self.read_port.d.next = self.delay[c].port.val();
            self.read_fresh[c].d.next = self.delay[c].fresh.val() & !self.flush[c].val();
            self.read_number[c].d.next = self.delay[c].number.val();
            self.fill_ahead.next = self.delay[c].fill_ahead.val();
        }

        // Node reduction: with a function at work, set and tag are the key's. A cache of one set has set 0 only. That `routed` is a cycle
        // late concerns only what is in the last stage in the cycle of a flush, and stale.
        for c in 0..self.reduction.len() {
            self.reduction[c].clear[c].next = self.reset.val();
            self.reduction[c].destination.next = unsigned_cast(self.issue_address.val());
            self.reduction_settings[c].link(&mut self.reduction[c].settings);
            if self.reduction[c].routed.val() {
                if self.sets.val() > 1 {
                    self.read_index.d.next = unsigned_cast(self.reduction[c].key.val());
                }
                self.read_tag.d.next = unsigned_cast(self.reduction[c].key.val());
            }
        }
        for c in 0..self.fill_enters.len() {
            self.fill_enters[c].next = self.issue_fill.val();
            self.tag_number[c].next = self.issue_number[c].val();
            for d in 0..self.delay.len() {
                self.fill_enters[c].next = self.delay[d].fill.val();
                self.tag_number[c].next = self.delay[d].number.val();
            }
            if self.fill_enters[c].val() {
                self.read_index.d.next = self.fill_tag[c].val() >> self.index_field.val();
                self.read_tag.d.next = self.fill_tag[c].val() >> self.tag_field.val();
            }
        }

        // Read.
        self.compare_lookup.d.next = self.read_lookup.q.val();
        self.compare_fill.d.next = self.read_fill.q.val();
        self.compare_malformed.d.next = self.read_malformed.q.val();
        self.compare_vc.d.next = self.read_vc.q.val();
        self.compare_address.d.next = self.read_address.q.val();
        self.compare_index.d.next = self.read_index.q.val();
        self.compare_tag.d.next = self.read_tag.q.val();
        self.compare_drop.d.next = self.read_drop.q.val();
        self.compare_port.d.next = self.read_port.q.val();
        for c in 0..self.compare_fresh.len() {
            self.compare_fresh[c].d.next = self.read_fresh[c].q.val() & !self.flush[c].val();
            self.compare_number[c].d.next = self.read_number[c].q.val();
        }

        // Compare.
        self.cache.read_index.next = self.read_index.q.val();
        self.cache.index.next = self.compare_index.q.val();
        self.cache.tag.next = self.compare_tag.q.val();
        self.cache.lookup.next = self.compare_lookup.q.val() & !self.compare_malformed.q.val();
        self.cache.fill.next = self.compare_fill.q.val() & !self.compare_drop.q.val();
        self.cache.fill_port.next = self.compare_port.q.val();
        for c in 0..self.fresh.len() {
            self.fresh[c].next = self.compare_fresh[c].q.val() & !self.flush[c].val();
            self.cache.flush[c].next = self.flush[c].val();
            self.cache.lookup.next =
                self.compare_lookup.q.val() & !self.compare_malformed.q.val() & self.fresh[c].val();
            self.cache.fill.next = self.compare_fill.q.val() & !self.compare_drop.q.val() & self.fresh[c].val();
            self.sweeping[c].next = self.cache.is_sweeping[c].val();
            self.resolve_fresh[c].next = self.fresh[c].val();
            self.resolve_number[c].next = self.compare_number[c].q.val();
        }

        self.resolve_lookup.next = self.compare_lookup.q.val();
        self.resolve_fill.next = self.compare_fill.q.val();
        self.resolve_vc.next = self.compare_vc.q.val();
        self.resolve_address.next = unsigned_cast(self.compare_address.q.val());
        self.resolve_malformed.next = self.compare_lookup.q.val() & self.compare_malformed.q.val();
        self.resolve_hit.next = self.cache.hit.val();
        self.resolve_miss.next = self.compare_lookup.q.val() & !self.compare_malformed.q.val() & !self.cache.hit.val();
        self.resolve_drop.next = self.compare_drop.q.val();
        self.resolve_port.next = self.compare_port.q.val();
        self.hit_port.next = self.cache.hit_port.val();
        for c in 0..self.fills.len() {
            self.fills[c].next = self.cache.fills[c].val();
            self.evicts[c].next = self.cache.evicts[c].val();
        }
        for c in 0..self.resolve_tag.len() {
            self.resolve_tag[c].next = 0.into();
            self.resolve_tag[c].next =
                self.resolve_tag[c].val().replace_bit(self.index_field.val(), self.compare_index.q.val());
            self.resolve_tag[c].next =
                self.resolve_tag[c].val().replace_bit(self.tag_field.val(), self.compare_tag.q.val());
        }

        // A multicast packet asks nothing.
        for c in 0..self.resolve_multicast.len() {
            self.resolve_multicast[c].next =
                self.compare_lookup.q.val() & self.compare_address.q.val().get_bit(self.mark_bit.val());
            if self.compare_address.q.val().get_bit(self.mark_bit.val()) {
                self.cache.lookup.next = false;
                self.resolve_miss.next = false;
            }
        }
    }
}
