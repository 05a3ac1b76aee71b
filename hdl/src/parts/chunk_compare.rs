//! Chunk compare: a word against two references, in chunks of several widths at once.
//!
//! A width w has ceil(A / w) chunks; bits beyond A count as 0. No state.
//!
//! Bits are compared once, and joined to pairs and triples, these to wider chunks (2 in 4 in 8; 3 in 6): one set of
//! comparators for all widths. Rings have a set for each width; what begins at the same bit is the same logic.
//!
//! Source: switch reference, section 4.6; Hirasawa2022, 5.2.

use crate::parts::chunk_join::{chunk_join, ChunkJoin};
use crate::parts::ring_compare::{ring_compare, RingCompare};
use crate::rtl::prelude::*;

/// What `above` and `over` say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedOrder {
    /// There are none.
    None,
    /// Order against two references.
    Bounds,
    /// Places on a ring of as many positions as a chunk has values.
    Rings,
}

/// Compares a word with references in chunks of several widths at once.
#[block]
pub struct ChunkCompare {
    /// Word to compare.
    pub word: Sig<In, word_bits>,
    /// First reference.
    pub reference: Sig<In, word_bits>,
    /// Second reference.
    pub bound: Option<Sig<In>>,
    /// Chunks in which word and reference differ.
    pub differs: Vec<Sig<Out>>,
    /// Chunks in which the word is above the reference. Meaningful where the two differ.
    pub above: Vec<Sig<Out>>,
    /// Chunks in which the word is above the bound.
    pub over: Vec<Sig<Out>>,

    pair: Option<ChunkJoin>,
    triple: Option<ChunkJoin>,
    quad: Option<ChunkJoin>,
    six: Option<ChunkJoin>,
    eight: Option<ChunkJoin>,
    ring: Vec<RingCompare>,

    /// Word and reference differ in this bit.
    bit_differs: Sig<Local>,
    bit_order: Option<BitOrder>,

    pair_asked: bool,
    triple_asked: bool,
    triple_place: usize,
    quad_asked: bool,
    quad_place: usize,
    six_asked: bool,
    six_place: usize,
    eight_asked: bool,
    eight_place: usize,
    word_bits: Param,
    widths: Param,
    ordered: Param<bool>,
    #[listed(rings)]
    has_rings: Param<Option<usize>>,
}

/// Order bit by bit, against two references.
#[group]
struct BitOrder {
    /// The word is above the reference in a bit in which the two differ.
    bit_above: Sig<Local>,
    /// The word is above the bound in this bit.
    bit_over: Sig<Local>,
    /// The word is below the bound in this bit.
    bit_under: Sig<Local>,
}

/// Compares words of `word_bits` in chunks of each of the `widths` (of 2, 3, 4, 6 and 8, ascending).
pub fn chunk_compare(word_bits: usize, widths: &[usize], order: ComparedOrder) -> ChunkCompare {
    assert!(widths.iter().all(|w| [2, 3, 4, 6, 8].contains(w)), "widths are 2, 3, 4, 6 or 8");
    assert!(widths.is_sorted(), "widths ascend");
    let asked = |width: usize| widths.contains(&width);
    let place = |width: usize| widths.iter().filter(|w| **w < width).count();
    let chunks = |width: usize| word_bits.div_ceil(width);
    let at_least = |width: usize| if asked(width) { chunks(width) } else { 0 };
    let eights = at_least(8);
    let quads = at_least(4).max(2 * eights);
    let pairs = at_least(2).max(2 * quads);
    let sixes = at_least(6);
    let triples = at_least(3).max(2 * sixes);
    let bits = (2 * pairs).max(3 * triples);
    let bounded = order == ComparedOrder::Bounds;
    let ordered = if order == ComparedOrder::None { 0 } else { widths.len() };
    let rings = if order == ComparedOrder::Rings { widths } else { &[] };
    let join = |chunks: usize, factor| (chunks > 0).then(|| chunk_join(chunks, factor, bounded));
    let results = || widths.iter().map(|w| sig(chunks(*w)));
    let bit_order = || BitOrder { bit_above: sig(bits), bit_over: sig(bits), bit_under: sig(bits) };
    let over = |chunks: Sig<Out>| match order {
        ComparedOrder::Rings => chunks.doc("Chunks in which the shorter way around the ring leads over its end."),
        _ => chunks,
    };
    sized(ChunkCompare {
        bound: bounded.then(|| sig(word_bits)),
        differs: results().collect(),
        above: results().take(ordered).collect(),
        over: results().take(ordered).map(over).collect(),
        pair: join(pairs, 2),
        triple: join(triples, 3),
        quad: join(quads, 2),
        six: join(sixes, 2),
        eight: join(eights, 2),
        ring: rings.iter().map(|w| ring_compare(word_bits, *w)).collect(),
        bit_differs: sig(bits),
        bit_order: bounded.then(bit_order),
        pair_asked: asked(2),
        triple_asked: asked(3),
        triple_place: place(3),
        quad_asked: asked(4),
        quad_place: place(4),
        six_asked: asked(6),
        six_place: place(6),
        eight_asked: asked(8),
        eight_place: place(8),
        word_bits,
        widths: widths.iter().fold(0, |sum, w| sum * 10 + w),
        ordered: order != ComparedOrder::None,
        has_rings: (order == ComparedOrder::Rings).then_some(1),
        ..ChunkCompare::plain()
    })
}

#[kernel]
impl ChunkCompare {
    fn update(&mut self) {
        self.compare_bits();
        self.join_chunks();
        self.answer();
        // Order on rings, by width.
        for u in 0..self.ring.len() {
            self.ring[u].word.next = self.word.val();
            self.ring[u].reference.next = self.reference.val();
            self.above[u].next = self.ring[u].above.val();
            self.over[u].next = self.ring[u].over.val();
        }
    }

    fn compare_bits(&mut self) {
        self.bit_differs.next = unsigned_cast(self.word.val() ^ self.reference.val());
        if let (Some(bits), Some(bound)) = (&mut self.bit_order, &self.bound) {
            bits.bit_above.next = unsigned_cast(self.word.val());
            bits.bit_over.next = unsigned_cast(self.word.val() & !bound.val());
            bits.bit_under.next = unsigned_cast(!self.word.val() & bound.val());
        }
    }

    /// Bits to pairs, to quads, to eights; and to triples, to sixes.
    fn join_chunks(&mut self) {
        if let Some(pair) = &mut self.pair {
            Self::join_bits(&self.bit_differs, &self.bit_order, pair);
        }
        if let (Some(pair), Some(quad)) = (&self.pair, &mut self.quad) {
            Self::join(pair, quad);
        }
        if let (Some(quad), Some(eight)) = (&self.quad, &mut self.eight) {
            Self::join(quad, eight);
        }
        if let Some(triple) = &mut self.triple {
            Self::join_bits(&self.bit_differs, &self.bit_order, triple);
        }
        if let (Some(triple), Some(six)) = (&self.triple, &mut self.six) {
            Self::join(triple, six);
        }
    }

    fn join_bits(differs: &Sig<Local>, order: &Option<BitOrder>, to: &mut ChunkJoin) {
        to.part.differs.next = unsigned_cast(differs.val());
        if let (Some(bits), Some(part)) = (order, &mut to.part.order) {
            part.above.next = unsigned_cast(bits.bit_above.val());
            part.over.next = unsigned_cast(bits.bit_over.val());
            part.under.next = unsigned_cast(bits.bit_under.val());
        }
    }

    fn join(from: &ChunkJoin, to: &mut ChunkJoin) {
        to.part.differs.next = unsigned_cast(from.whole.differs.val());
        if let (Some(whole), Some(part)) = (&from.whole.order, &mut to.part.order) {
            part.above.next = unsigned_cast(whole.above.val());
            part.over.next = unsigned_cast(whole.over.val());
            part.under.next = unsigned_cast(whole.under.val());
        }
    }

    /// Results, by width.
    fn answer(&mut self) {
        if let (Some(pair), true) = (&self.pair, self.pair_asked) {
            Self::answer_by(pair, 0, &mut self.differs, &mut self.above, &mut self.over);
        }
        if let (Some(triple), true) = (&self.triple, self.triple_asked) {
            Self::answer_by(triple, self.triple_place, &mut self.differs, &mut self.above, &mut self.over);
        }
        if let (Some(quad), true) = (&self.quad, self.quad_asked) {
            Self::answer_by(quad, self.quad_place, &mut self.differs, &mut self.above, &mut self.over);
        }
        if let (Some(six), true) = (&self.six, self.six_asked) {
            Self::answer_by(six, self.six_place, &mut self.differs, &mut self.above, &mut self.over);
        }
        if let (Some(eight), true) = (&self.eight, self.eight_asked) {
            Self::answer_by(eight, self.eight_place, &mut self.differs, &mut self.above, &mut self.over);
        }
    }

    fn answer_by(
        from: &ChunkJoin,
        place: usize,
        differs: &mut [Sig<Out>],
        above: &mut [Sig<Out>],
        over: &mut [Sig<Out>],
    ) {
        differs[place].next = unsigned_cast(from.whole.differs.val());
        if let Some(order) = &from.whole.order {
            above[place].next = unsigned_cast(order.above.val());
            over[place].next = unsigned_cast(order.over.val());
        }
    }
}
