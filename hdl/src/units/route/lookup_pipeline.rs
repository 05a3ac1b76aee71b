//! Lookup pipeline of a port: with a routing cache hash (or node reduction), read, compare; without, one stage in which
//! every well-formed lookup misses.
//!
//! With `next_vc` or output selection each `*_port` is a whole [`route`](super::layout).
//!
//! State: two stages of registers, `read_*` and `compare_*`, and the cache. Without a cache there is only `compare_*`.
//! With s > 1 stages of node reduction, s - 1 ranks in front of them.
//!
//! Each cycle: the address issued is hashed; one cycle behind, the cache reads the set; another cycle behind, it
//! compares, or fills, and the operation resolves. The cache's memories come last in a stage: only the way select and
//! what depends on `resolve_hit`, `resolve_miss` and `hit_port` wait for them.
//!
//! Node reduction takes s cycles, and the hash one, beside the last stage of node reduction. With a function at work,
//! set and tag come from the key, otherwise from the hash. A fill has the set and tag that its slot kept. If a setting
//! has changed since, the fill is stale. Entries of keys and of addresses are never in the cache together, because a
//! write of the setting is a flush. A lookup that is not fresh does not hit, and a fill that is not fresh does not
//! write. Freshness is held in registers.
//!
//! Source: switch reference, sections 4.2, 4.3 and 4.5; Hirasawa2022, 4.2 and 5.2.

use crate::units::prelude::*;

/// Lookup pipeline of a port with a routing cache: an operation is hashed in the cycle of its issue, reads the cache in
/// the next, and resolves in the one after.
#[block(shape: &Shape, table: &TableShape)]
pub struct LookupPipeline {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub io: Bare<LookupPorts<In, shape, table>>,

    read: Option<ReadStage<shape, table>, { table.cache.is_some() }>,
    /// The compare stage holds a lookup.
    compare_lookup: FlagReg,
    /// The compare stage holds a fill.
    compare_fill: FlagReg,
    /// The packet in the compare stage is malformed.
    compare_malformed: FlagReg<NoReset>,
    /// VC of the lookup in the compare stage.
    compare_vc: Reg<vc_bits, NoReset>,
    /// Address in the compare stage.
    compare_address: Reg<{ header_bits(shape, address_bits) }, NoReset>,
    /// Set of the operation in the compare stage.
    compare_index: Option<Reg<{ entry_bits(table).0 }, NoReset>, { table.cache.is_some() }>,
    /// Tag of the operation in the compare stage.
    compare_tag: Option<Reg<{ entry_bits(table).1 }, NoReset>, { table.cache.is_some() }>,
    /// The result of the fill in the compare stage is drop.
    compare_drop: FlagReg<NoReset>,
    /// Output port of the fill in the compare stage.
    compare_port: Reg<{ route_layout(shape).bits }, NoReset>,
    /// No flush came since the issue of the operation in the read stage, or of its lookup.
    read_fresh: Option<FlagReg<NoReset>, control>,
    /// Number of the miss slot of the fill in the read stage.
    read_number: Option<Reg<number_bits, NoReset>, control>,
    /// No flush came since the issue of the operation in the compare stage, or of its lookup.
    compare_fresh: Option<FlagReg<NoReset>, control>,
    /// Number of the miss slot of the fill in the compare stage.
    compare_number: Option<Reg<number_bits, NoReset>, control>,

    #[made(table.cache.as_ref().map(|c| crc_hash(address_bits, c.index_bits as usize, c.crc)))]
    hash: Option<CrcHash>,
    #[made(cache_of(shape, table))]
    cache: Option<RoutingCache>,
    #[made(table.reduction.as_ref().map(|r| reduction_of(shape, address_bits, r, stages)))]
    reduction: Option<NodeReduction>,
    #[made((stages > 1).then(|| {
        lookup_delay(stages - 1, vc_bits, header_bits(shape, address_bits), route_layout(shape).bits, number_bits)
    }))]
    delay: Option<LookupDelay>,

    /// The operation in the compare stage is fresh, with a flush in the current cycle counted.
    fresh: Option<Flag<Local>, control>,
    /// A fill enters the read stage.
    fill_enters: Option<Flag<Local>, { table.reduction.is_some() }>,

    index_field: Field<{ entry_bits(table).1 }, { entry_bits(table).0 }>,
    tag_field: Field<0, { entry_bits(table).1 }>,
    mark_bit: Number<address_bits>,
    has_sets: Number<bool, { table.cache.as_ref().is_some_and(|c| c.sets > 1) }>,
    number_bits: Number<{ slot_number_bits(shape, table) }>,
    stages: Number<{ table.reduction.as_ref().map_or(1, |r| r.stages as usize) }>,
    control: Number<bool, { shape.cache_control() }>,
    #[about]
    #[made(match (&table.cache, &table.reduction) {
        (None, _) => WITHOUT_CACHE,
        (_, Some(_)) => WITH_REDUCTION,
        _ => "",
    })]
    comment: &'static str,
    vc_bits: Param<{ shape.vc_bits as usize }>,
    address_bits: Param<{ table.address_bits as usize }>,
    route_bits: Param<Option<usize>, { names_route(shape).then_some(route_layout(shape).bits) }>,
    port_bits: Param<Option<usize>, { (!names_route(shape)).then_some(route_layout(shape).bits) }>,
    sets: Param<Option<usize>, { table.cache.as_ref().map(|c| c.sets) }>,
    ways: Param<Option<usize>, { table.cache.as_ref().map(|c| c.ways) }>,
    key_bits: Param<Option<usize>, { table.reduction.as_ref().map(|r| r.key_bits as usize) }>,
    node_reduction_stages: Param<Option<usize>, { table.reduction.as_ref().map(|r| r.stages as usize) }>,
}

/// Operations while they read the cache.
#[group(shape: &Shape, table: &TableShape)]
pub struct ReadStage {
    /// The read stage holds a lookup.
    read_lookup: FlagReg,
    /// The read stage holds a fill.
    read_fill: FlagReg,
    /// The packet in the read stage is malformed.
    read_malformed: FlagReg<NoReset>,
    /// VC of the lookup in the read stage.
    read_vc: Reg<{ shape.vc_bits as usize }, NoReset>,
    /// Address in the read stage.
    read_address: Reg<{ header_bits(shape, table.address_bits as usize) }, NoReset>,
    /// Set of the operation in the read stage.
    read_index: Reg<{ entry_bits(table).0 }, NoReset>,
    /// Tag of the operation in the read stage.
    read_tag: Reg<{ entry_bits(table).1 }, NoReset>,
    /// The result of the fill in the read stage is drop.
    read_drop: FlagReg<NoReset>,
    /// Output port of the fill in the read stage.
    read_port: Reg<{ route_bits(shape) }, NoReset>,
}

const WITH_REDUCTION: &str =
    "Lookup pipeline of a port with node reduction in front of a routing cache: an operation's address gets a key in the \
     cycle of its issue (and those behind, with several stages) or is hashed, then reads the cache, and resolves in the \
     cycle after.";

const WITHOUT_CACHE: &str =
    "Lookup pipeline of a port without a routing cache: an operation resolves in the cycle after its issue, every lookup \
     of a well-formed packet as a miss.";

/// Bits of the set number of a cache's entry, and of its tag.
fn entry_bits(table: &TableShape) -> (usize, usize) {
    table.cache.as_ref().map_or((1, 1), |c| (c.index_bits.max(1) as usize, c.tag_bits as usize))
}

/// The routing cache, if there is one.
fn cache_of(shape: &Shape, table: &TableShape) -> Option<RoutingCache> {
    let (control, counted) = (shape.cache_control(), shape.counter_bits.is_some());
    let parity = table.cache_parity;
    table.cache.as_ref().map(|c| routing_cache(c, c.tag_bits as usize, route_bits(shape), parity, control, counted))
}

/// Node reduction without its last rank of registers, which are the stages of the pipeline.
fn reduction_of(shape: &Shape, address_bits: usize, reduction: &ReductionShape, ranks: usize) -> NodeReduction {
    let mut open = open_node_reduction(address_bits, reduction, ranks);
    // An asynchronous reset has taken the settings back before the next clock edge.
    if shape.reset.is_asynchronous() {
        open.clear = None;
    }
    open
}

#[kernel]
impl LookupPipeline {
    fn update(&mut self) {
        self.issue();
        self.issue_fresh();
        self.delay();
        self.reduce();
        self.enter_fill();
        self.compare_at_once();
        self.read();
        self.read_fresh();
        self.compare();
        self.compare_fresh();
        self.resolve();
        self.resolve_tag();
        self.pass_multicast();
    }

    fn issue(&mut self) {
        if let (Some(read), Some(hash)) = (&mut self.read, &mut self.hash) {
            hash.address.next = unsigned_cast(self.io.issue.address.val());
            read.read_lookup.d.next = self.io.issue.lookup.val();
            read.read_fill.d.next = self.io.issue.fill.val();
            read.read_malformed.d.next = self.io.issue.malformed.val();
            read.read_vc.d.next = self.io.issue.vc.val();
            read.read_address.d.next = self.io.issue.address.val();
            read.read_index.d.next = hash.index.val();
            read.read_tag.d.next = unsigned_cast(hash.tag.val());
            read.read_drop.d.next = self.io.issue.drop.val();
            read.read_port.d.next = self.io.issue.port.val();
            self.io.fill_ahead.next = read.read_fill.q.val();
        }
    }

    fn issue_fresh(&mut self) {
        if let (Some(control), Some(fresh), Some(number)) =
            (&self.io.control, &mut self.read_fresh, &mut self.read_number)
        {
            fresh.d.next = control.issue_fresh.val() & !control.flush.val();
            number.d.next = control.issue_number.val();
        }
    }

    /// With further stages of node reduction the hash stands beside the last one.
    fn delay(&mut self) {
        if let (Some(delay), Some(control), Some(read), Some(hash)) =
            (&mut self.delay, &self.io.control, &mut self.read, &mut self.hash)
        {
            self.io.issue.link(&mut delay.issue);
            delay.issue_fresh.next = control.issue_fresh.val();
            delay.issue_number.next = control.issue_number.val();
            delay.flush.next = control.flush.val();
            hash.address.next = unsigned_cast(delay.address.val());
            read.read_lookup.d.next = delay.lookup.val();
            read.read_fill.d.next = delay.fill.val();
            read.read_malformed.d.next = delay.malformed.val();
            read.read_vc.d.next = delay.vc.val();
            read.read_address.d.next = delay.address.val();
            read.read_drop.d.next = delay.drop_result.val();
            read.read_port.d.next = delay.port.val();
            if let (Some(fresh), Some(number)) = (&mut self.read_fresh, &mut self.read_number) {
                fresh.d.next = delay.fresh.val() & !control.flush.val();
                number.d.next = delay.number.val();
            }
            self.io.fill_ahead.next = delay.fill_ahead.val();
        }
    }

    /// With a function at work, set and tag are the key's. A cache of one set has set 0 only. That `routed` is a cycle
    /// late concerns only what is in the last stage in the cycle of a flush, and stale.
    fn reduce(&mut self) {
        if let (Some(reduction), Some(read)) = (&mut self.reduction, &mut self.read) {
            if let Some(clear) = &mut reduction.clear {
                clear.next = self.reset.val();
            }
            if let Some(settings) = &mut self.io.reduction_settings {
                settings.link(&mut reduction.settings);
            }
            reduction.destination.next = unsigned_cast(self.io.issue.address.val());
            if reduction.routed.val() {
                if self.has_sets {
                    read.read_index.d.next = unsigned_cast(reduction.key.val());
                }
                read.read_tag.d.next = unsigned_cast(reduction.key.val());
            }
        }
    }

    /// A fill has the set and tag of its slot.
    fn enter_fill(&mut self) {
        if let (Some(enters), Some(tags), Some(control), Some(read)) =
            (&mut self.fill_enters, &mut self.io.tags, &self.io.control, &mut self.read)
        {
            enters.next = self.io.issue.fill.val();
            tags.tag_number.next = control.issue_number.val();
            if let Some(delay) = &self.delay {
                enters.next = delay.fill.val();
                tags.tag_number.next = delay.number.val();
            }
            if enters.val() {
                read.read_index.d.next = tags.fill_tag.val() >> self.index_field.val();
                read.read_tag.d.next = tags.fill_tag.val() >> self.tag_field.val();
            }
        }
    }

    /// Without a cache there is nothing to read.
    fn compare_at_once(&mut self) {
        if self.read.is_none() {
            self.compare_lookup.d.next = self.io.issue.lookup.val();
            self.compare_fill.d.next = self.io.issue.fill.val();
            self.compare_malformed.d.next = self.io.issue.malformed.val();
            self.compare_vc.d.next = self.io.issue.vc.val();
            self.compare_address.d.next = self.io.issue.address.val();
            self.compare_drop.d.next = self.io.issue.drop.val();
            self.compare_port.d.next = self.io.issue.port.val();
            self.io.fill_ahead.next = self.compare_fill.q.val();
        }
    }

    fn read(&mut self) {
        if let (Some(read), Some(index), Some(tag)) = (&self.read, &mut self.compare_index, &mut self.compare_tag) {
            self.compare_lookup.d.next = read.read_lookup.q.val();
            self.compare_fill.d.next = read.read_fill.q.val();
            self.compare_malformed.d.next = read.read_malformed.q.val();
            self.compare_vc.d.next = read.read_vc.q.val();
            self.compare_address.d.next = read.read_address.q.val();
            index.d.next = read.read_index.q.val();
            tag.d.next = read.read_tag.q.val();
            self.compare_drop.d.next = read.read_drop.q.val();
            self.compare_port.d.next = read.read_port.q.val();
        }
    }

    fn read_fresh(&mut self) {
        if let (Some(compare_fresh), Some(read_fresh), Some(control)) =
            (&mut self.compare_fresh, &self.read_fresh, &self.io.control)
        {
            compare_fresh.d.next = read_fresh.q.val() & !control.flush.val();
        }
        if let (Some(compare_number), Some(read_number)) = (&mut self.compare_number, &self.read_number) {
            compare_number.d.next = read_number.q.val();
        }
    }

    /// What resolves; as a miss, if there is no cache to tell.
    fn resolve(&mut self) {
        self.io.resolve_lookup.next = self.compare_lookup.q.val();
        self.io.resolve_fill.next = self.compare_fill.q.val();
        self.io.resolve_vc.next = self.compare_vc.q.val();
        self.io.resolve_address.next = unsigned_cast(self.compare_address.q.val());
        self.io.resolve_malformed.next = self.compare_lookup.q.val() & self.compare_malformed.q.val();
        self.io.resolve_hit.next = false;
        self.io.resolve_miss.next = self.compare_lookup.q.val() & !self.compare_malformed.q.val();
        self.io.resolve_drop.next = self.compare_drop.q.val();
        self.io.resolve_port.next = self.compare_port.q.val();
        self.io.hit_port.next = 0.into();
        if let Some(cache) = &mut self.cache {
            self.io.resolve_hit.next = cache.hit.val();
            self.io.resolve_miss.next =
                self.compare_lookup.q.val() & !self.compare_malformed.q.val() & !cache.hit.val();
            self.io.hit_port.next = cache.hit_port.val();
            self.io.writes.link(&mut cache.writes);
            self.io.flip.link(&mut cache.flip);
            self.io.resolve_faulty.link(&mut cache.faulty);
        }
    }

    fn compare(&mut self) {
        if let (Some(cache), Some(read), Some(index), Some(tag)) =
            (&mut self.cache, &self.read, &self.compare_index, &self.compare_tag)
        {
            cache.reads.next = read.read_lookup.q.val() | read.read_fill.q.val();
            cache.read_index.next = read.read_index.q.val();
            cache.index.next = index.q.val();
            cache.tag.next = tag.q.val();
            cache.lookup.next = self.compare_lookup.q.val() & !self.compare_malformed.q.val();
            cache.fill.next = self.compare_fill.q.val() & !self.compare_drop.q.val();
            cache.fill_port.next = self.compare_port.q.val();
        }
    }

    /// Only what is fresh looks up, and fills.
    fn compare_fresh(&mut self) {
        if let (Some(fresh), Some(compare_fresh), Some(compare_number), Some(control), Some(cache)) =
            (&mut self.fresh, &self.compare_fresh, &self.compare_number, &mut self.io.control, &mut self.cache)
        {
            fresh.next = compare_fresh.q.val() & !control.flush.val();
            cache.lookup.next = self.compare_lookup.q.val() & !self.compare_malformed.q.val() & fresh.val();
            cache.fill.next = self.compare_fill.q.val() & !self.compare_drop.q.val() & fresh.val();
            if let (Some(flush), Some(is_sweeping)) = (&mut cache.flush, &cache.is_sweeping) {
                flush.next = control.flush.val();
                control.sweeping.next = is_sweeping.val();
            }
            control.resolve_fresh.next = fresh.val();
            control.resolve_number.next = compare_number.q.val();
        }
    }

    fn resolve_tag(&mut self) {
        if let (Some(tags), Some(index), Some(tag)) = (&mut self.io.tags, &self.compare_index, &self.compare_tag) {
            tags.resolve_tag.next = 0.into();
            tags.resolve_tag.set(self.index_field.val(), index.q.val());
            tags.resolve_tag.set(self.tag_field.val(), tag.q.val());
        }
    }

    /// A multicast packet asks nothing.
    fn pass_multicast(&mut self) {
        if let Some(resolve_multicast) = &mut self.io.resolve_multicast {
            resolve_multicast.next = self.compare_lookup.q.val() & self.compare_address.q.val().get_bit(self.mark_bit);
            if self.compare_address.q.val().get_bit(self.mark_bit) {
                self.io.resolve_miss.next = false;
                if let Some(cache) = &mut self.cache {
                    cache.lookup.next = false;
                }
            }
        }
    }
}
