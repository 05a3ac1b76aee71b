//! Chunk compare: a word against two references, in chunks of several widths at once.
//!
//! A width w has ceil(A / w) chunks; bits beyond A count as 0. No state.
//!
//! Bits are compared once, and joined to pairs and triples, these to wider chunks (2 in 4 in 8; 3 in 6): one set of
//! comparators for all widths. Rings have a set for each width; what begins at the same bit is the same logic.
//!
//! Source: switch reference, section 4.6; seed 000 section 5.2.

use crate::parts::chunk_join::{chunk_join, ChunkJoin};
use crate::parts::ring_compare::{ring_compare, RingCompare};
use crate::rtl::prelude::*;

/// What `above` and `over` say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// There are none.
    None,
    /// Order against two references.
    Bounds,
    /// Places on a ring of as many positions as a chunk has values.
    Rings,
}

/// Compares in chunks of several widths; see the head of this file.
#[block]
pub struct ChunkCompare {
    /// word
    pub word: Sig<In>,
    /// first reference
    pub reference: Sig<In>,
    /// second reference
    pub bound: Vec<Sig<In>>,
    /// chunks in which word and reference differ
    pub differs: Vec<Sig<Out>>,
    /// where they differ: chunks in which the word is above the reference
    pub above: Vec<Sig<Out>>,
    pub over: Vec<Sig<Out>>,

    pair: Vec<ChunkJoin>,
    triple: Vec<ChunkJoin>,
    quad: Vec<ChunkJoin>,
    six: Vec<ChunkJoin>,
    eight: Vec<ChunkJoin>,
    ring: Vec<RingCompare>,

    /// word and reference differ in this bit
    bit_differs: Sig<Local>,
    /// if so: the word is above
    bit_above: Vec<Sig<Local>>,
    /// the word is above the bound in this bit
    bit_over: Vec<Sig<Local>>,
    /// the word is below the bound in this bit
    bit_under: Vec<Sig<Local>>,

    pair_asked: usize,
    triple_asked: usize,
    triple_place: usize,
    quad_asked: usize,
    quad_place: usize,
    six_asked: usize,
    six_place: usize,
    eight_asked: usize,
    eight_place: usize,
    about: About,
}

/// Compares words of `word_bits` in chunks of each of the `widths` (of 2, 3, 4, 6 and 8, ascending).
pub fn chunk_compare(word_bits: usize, widths: &[usize], order: Order) -> ChunkCompare {
    assert!(widths.iter().all(|w| [2, 3, 4, 6, 8].contains(w)), "widths are 2, 3, 4, 6 or 8");
    assert!(widths.is_sorted(), "widths ascend");
    let asked = |width: usize| usize::from(widths.contains(&width));
    let place = |width: usize| widths.iter().filter(|w| **w < width).count();
    let fewest = |width: usize| word_bits.div_ceil(width);
    let eights = asked(8) * fewest(8);
    let quads = (2 * eights).max(asked(4) * fewest(4));
    let pairs = (2 * quads).max(asked(2) * fewest(2));
    let sixes = asked(6) * fewest(6);
    let triples = (2 * sixes).max(asked(3) * fewest(3));
    let bits = (2 * pairs).max(3 * triples);
    let (bounds, ordered) = (usize::from(order == Order::Bounds), usize::from(order != Order::None));
    let rings = if order == Order::Rings { widths } else { &[] };
    let join = |chunks: usize, factor| match chunks {
        0 => vec![],
        _ => vec![chunk_join(chunks, factor, bounds == 1)],
    };
    let results = || widths.iter().map(|w| sig(fewest(*w)));
    let ordered_results = || results().take(ordered * widths.len());
    let builtin = widths.iter().fold(0, |sum, w| sum * 10 + w);
    let over_doc = match order {
        Order::Rings => "chunks in which the shorter way around the ring leads over its end",
        _ => "chunks in which the word is above the bound",
    };
    let about = about("chunk_compare", "Compares a word with references in chunks of several widths at once.")
        .param("word_bits", word_bits)
        .param("widths", builtin)
        .param("ordered", ordered);
    ChunkCompare {
        word: sig(word_bits),
        reference: sig(word_bits),
        bound: many(bounds, || sig(word_bits)),
        differs: results().collect(),
        above: ordered_results().collect(),
        over: ordered_results().map(|s| s.doc(over_doc)).collect(),
        pair: join(pairs, 2),
        triple: join(triples, 3),
        quad: join(quads, 2),
        six: join(sixes, 2),
        eight: join(eights, 2),
        ring: rings.iter().map(|w| ring_compare(word_bits, *w)).collect(),
        bit_differs: sig(bits),
        bit_above: many(bounds, || sig(bits)),
        bit_over: many(bounds, || sig(bits)),
        bit_under: many(bounds, || sig(bits)),
        pair_asked: asked(2),
        triple_asked: asked(3),
        triple_place: place(3),
        quad_asked: asked(4),
        quad_place: place(4),
        six_asked: asked(6),
        six_place: place(6),
        eight_asked: asked(8),
        eight_place: place(8),
        about: if order == Order::Rings { about.param("rings", 1) } else { about },
    }
}

#[kernel]
impl ChunkCompare {
    fn update(&mut self) {
        self.bit_differs.next = unsigned_cast(self.word.val() ^ self.reference.val());
        for o in 0..self.bound.len() {
            self.bit_above[o].next = unsigned_cast(self.word.val());
            self.bit_over[o].next = unsigned_cast(self.word.val() & !self.bound[o].val());
            self.bit_under[o].next = unsigned_cast(!self.word.val() & self.bound[o].val());
        }

        // Bits to pairs, to quads, to eights.
        for c in 0..self.pair.len() {
            self.pair[c].part_differs.next = unsigned_cast(self.bit_differs.val());
            for o in 0..self.bound.len() {
                self.pair[c].part_above[o].next = unsigned_cast(self.bit_above[o].val());
                self.pair[c].part_over[o].next = unsigned_cast(self.bit_over[o].val());
                self.pair[c].part_under[o].next = unsigned_cast(self.bit_under[o].val());
            }
        }
        for c in 0..self.quad.len() {
            self.quad[c].part_differs.next = unsigned_cast(self.pair[c].differs.val());
            for o in 0..self.bound.len() {
                self.quad[c].part_above[o].next = unsigned_cast(self.pair[c].above[o].val());
                self.quad[c].part_over[o].next = unsigned_cast(self.pair[c].over[o].val());
                self.quad[c].part_under[o].next = unsigned_cast(self.pair[c].under[o].val());
            }
        }
        for c in 0..self.eight.len() {
            self.eight[c].part_differs.next = unsigned_cast(self.quad[c].differs.val());
            for o in 0..self.bound.len() {
                self.eight[c].part_above[o].next = unsigned_cast(self.quad[c].above[o].val());
                self.eight[c].part_over[o].next = unsigned_cast(self.quad[c].over[o].val());
                self.eight[c].part_under[o].next = unsigned_cast(self.quad[c].under[o].val());
            }
        }

        // Bits to triples, to sixes.
        for c in 0..self.triple.len() {
            self.triple[c].part_differs.next = unsigned_cast(self.bit_differs.val());
            for o in 0..self.bound.len() {
                self.triple[c].part_above[o].next = unsigned_cast(self.bit_above[o].val());
                self.triple[c].part_over[o].next = unsigned_cast(self.bit_over[o].val());
                self.triple[c].part_under[o].next = unsigned_cast(self.bit_under[o].val());
            }
        }
        for c in 0..self.six.len() {
            self.six[c].part_differs.next = unsigned_cast(self.triple[c].differs.val());
            for o in 0..self.bound.len() {
                self.six[c].part_above[o].next = unsigned_cast(self.triple[c].above[o].val());
                self.six[c].part_over[o].next = unsigned_cast(self.triple[c].over[o].val());
                self.six[c].part_under[o].next = unsigned_cast(self.triple[c].under[o].val());
            }
        }

        // Results, by width.
        for c in 0..self.pair_asked {
            self.differs[c].next = unsigned_cast(self.pair[c].differs.val());
            for o in 0..self.bound.len() {
                self.above[c].next = unsigned_cast(self.pair[c].above[o].val());
                self.over[c].next = unsigned_cast(self.pair[c].over[o].val());
            }
        }
        for c in 0..self.triple_asked {
            self.differs[c + self.triple_place].next = unsigned_cast(self.triple[c].differs.val());
            for o in 0..self.bound.len() {
                self.above[c + self.triple_place].next = unsigned_cast(self.triple[c].above[o].val());
                self.over[c + self.triple_place].next = unsigned_cast(self.triple[c].over[o].val());
            }
        }
        for c in 0..self.quad_asked {
            self.differs[c + self.quad_place].next = unsigned_cast(self.quad[c].differs.val());
            for o in 0..self.bound.len() {
                self.above[c + self.quad_place].next = unsigned_cast(self.quad[c].above[o].val());
                self.over[c + self.quad_place].next = unsigned_cast(self.quad[c].over[o].val());
            }
        }
        for c in 0..self.six_asked {
            self.differs[c + self.six_place].next = unsigned_cast(self.six[c].differs.val());
            for o in 0..self.bound.len() {
                self.above[c + self.six_place].next = unsigned_cast(self.six[c].above[o].val());
                self.over[c + self.six_place].next = unsigned_cast(self.six[c].over[o].val());
            }
        }
        for c in 0..self.eight_asked {
            self.differs[c + self.eight_place].next = unsigned_cast(self.eight[c].differs.val());
            for o in 0..self.bound.len() {
                self.above[c + self.eight_place].next = unsigned_cast(self.eight[c].above[o].val());
                self.over[c + self.eight_place].next = unsigned_cast(self.eight[c].over[o].val());
            }
        }

        // Order on rings, by width.
        for u in 0..self.ring.len() {
            self.ring[u].word.next = self.word.val();
            self.ring[u].reference.next = self.reference.val();
            self.above[u].next = self.ring[u].above.val();
            self.over[u].next = self.ring[u].over.val();
        }
    }
}
