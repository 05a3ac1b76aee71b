//! Dragonfly reduction: the key of a destination in a Dragonfly, minimal routing.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `destination` | 3 G, at most A | destination address: node, router, group in chunks 0, 1, 2 |
//! | `differs` | for each chunk width, its chunks | destination and switch differ in this chunk |
//! | `chunk_select` | chunk widths | width at work, one-hot (only where there are several) |
//! | `key` | 2 + G | {2, group} to another group; {1, router} to another router of this one; {0, node} to a node here |
//! | `away` | 1 | the destination is not the address of this switch's node 0 (for observation) |
//!
//! No state. What an address is too short for counts as 0.
//!
//! Source: switch reference, section 4.6; seed 000 section 5.2 (the three-level tree of Algorithm 5).

use crate::parts::chunk_pick::{chunk_pick, ChunkPick};
use crate::rtl::prelude::*;

/// Chunks that name a node: node, router, group.
const LEVELS: usize = 3;

/// Key in a Dragonfly; see the head of this file.
#[block]
pub struct DragonflyReduction {
    pub destination: Sig<In>,
    pub differs: Vec<Sig<In>>,
    pub chunk_select: Vec<Sig<In>>,
    pub key: Sig<Out>,
    pub away: Flag<Out>,

    pick: Vec<ChunkPick>,

    differing: Sig<Local>,
    level: Sig<Local>,
    digit: Sig<Local>,

    digit_field: Field,
    router_bit: Param,
    group_bit: Param,
    about: About,
}

/// Bits of an address that name a node, for chunks of up to the widest of `widths`.
pub fn dragonfly_address_bits(address_bits: usize, widths: &[usize]) -> usize {
    address_bits.min(LEVELS * widths[widths.len() - 1])
}

/// For addresses of `address_bits` and chunk widths `widths`, ascending.
pub fn dragonfly_reduction(address_bits: usize, widths: &[usize]) -> DragonflyReduction {
    let chunks = |w: &usize| address_bits.div_ceil(*w);
    let digit_bits = widths[widths.len() - 1];
    let pick = |w: &usize| chunk_pick(address_bits.min(LEVELS * w), chunks(w).min(LEVELS), *w);
    DragonflyReduction {
        destination: sig(dragonfly_address_bits(address_bits, widths)).doc("destination address"),
        differs: widths.iter().map(|w| sig(chunks(w)).doc("destination and switch differ in this chunk")).collect(),
        chunk_select: many(usize::from(widths.len() > 1), || sig(widths.len()).doc("chunk width at work")),
        key: sig(2 + digit_bits).doc("{2, group}, {1, router} or {0, node}"),
        away: flag().doc("the destination differs from this switch in any chunk"),
        pick: widths.iter().map(pick).collect(),
        differing: sig(chunks(&widths[0]).max(LEVELS)).doc("chunks that differ, of the width at work"),
        level: sig(LEVELS).doc("what the key names: node, router, group (one-hot)"),
        digit: sig(digit_bits).doc("its number"),
        digit_field: field(0, digit_bits),
        router_bit: param(digit_bits),
        group_bit: param(digit_bits + 1),
        about: about("dragonfly_reduction", "Key of a destination in a Dragonfly: group, router or node.")
            .param("address_bits", address_bits),
    }
}

#[kernel]
impl DragonflyReduction {
    fn update(&mut self) {
        self.differing.next = unsigned_cast(self.differs[0].val());
        for s in 0..self.chunk_select.len() {
            self.differing.next = 0.into();
            for u in 0..self.differs.len() {
                if self.chunk_select[s].val().get_bit(u) {
                    self.differing.next = self.differing.val() | unsigned_cast(self.differs[u].val());
                }
            }
        }
        self.away.next = self.differing.val().any();

        self.level.next = 0.into();
        if self.differing.val().get_bit(2) {
            self.level.next = self.level.val().replace_bit(2, true);
        } else if self.differing.val().get_bit(1) {
            self.level.next = self.level.val().replace_bit(1, true);
        } else {
            self.level.next = self.level.val().replace_bit(0, true);
        }

        for u in 0..self.pick.len() {
            self.pick[u].word.next = unsigned_cast(self.destination.val());
            self.pick[u].select.next = unsigned_cast(self.level.val());
        }
        self.digit.next = unsigned_cast(self.pick[0].chunk.val());
        for s in 0..self.chunk_select.len() {
            self.digit.next = 0.into();
            for u in 0..self.pick.len() {
                if self.chunk_select[s].val().get_bit(u) {
                    self.digit.next = self.digit.val() | unsigned_cast(self.pick[u].chunk.val());
                }
            }
        }

        self.key.next = 0.into();
        self.key.next = self.key.val().replace_bit(self.digit_field.val(), self.digit.val());
        self.key.next = self.key.val().replace_bit(self.router_bit.val(), self.level.val().get_bit(1));
        self.key.next = self.key.val().replace_bit(self.group_bit.val(), self.level.val().get_bit(2));
    }
}
