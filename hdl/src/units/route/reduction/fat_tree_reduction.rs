//! Fat tree reduction: the key of a destination in a k-ary n-tree, up*/down* routing.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `destination` | A | destination address |
//! | `differs` | for each chunk width, its chunks | destination and switch differ in this chunk |
//! | `chunk_select` | chunk widths | width at work, one-hot (only where there are several) |
//! | `level_select`, `above_level` | most chunks | level of this switch, one-hot; chunks above it |
//! | `key` | 1 + G | {up, digit}: the destination's digit of this level names the parent or the child |
//!
//! No state.
//!
//! Each cycle: up if any chunk above the level differs, for then the destination is not below this switch.
//!
//! Source: switch reference, section 4.6; seed 000 section 5.2 (Algorithm 5).

use crate::parts::chunk_pick::{chunk_pick, ChunkPick};
use crate::rtl::prelude::*;

/// Key in a fat tree; see the head of this file.
#[block]
pub struct FatTreeReduction {
    pub destination: Sig<In>,
    pub differs: Vec<Sig<In>>,
    pub chunk_select: Vec<Sig<In>>,
    pub level_select: Sig<In>,
    pub above_level: Sig<In>,
    pub key: Sig<Out>,

    pick: Vec<ChunkPick>,

    up: Flag<Local>,
    digit: Sig<Local>,

    digit_field: Field,
    up_bit: Param,
    about: About,
}

/// For addresses of `address_bits` and chunk widths `widths`, ascending.
pub fn fat_tree_reduction(address_bits: usize, widths: &[usize]) -> FatTreeReduction {
    let chunks = |w: &usize| address_bits.div_ceil(*w);
    let most = chunks(&widths[0]);
    let digit_bits = widths[widths.len() - 1];
    FatTreeReduction {
        destination: sig(address_bits).doc("destination address"),
        differs: widths.iter().map(|w| sig(chunks(w)).doc("destination and switch differ in this chunk")).collect(),
        chunk_select: many(usize::from(widths.len() > 1), || sig(widths.len()).doc("chunk width at work")),
        level_select: sig(most).doc("level of this switch, one-hot"),
        above_level: sig(most).doc("chunks above this level"),
        key: sig(1 + digit_bits).doc("{up, digit}"),
        pick: widths.iter().map(|w| chunk_pick(address_bits, chunks(w), *w)).collect(),
        up: flag().doc("the destination is not below this switch"),
        digit: sig(digit_bits).doc("the destination's digit of this level"),
        digit_field: field(0, digit_bits),
        up_bit: param(digit_bits),
        about: about("fat_tree_reduction", "Key of a destination in a fat tree: up or down, and which link.")
            .param("address_bits", address_bits)
            .param("chunks", most),
    }
}

#[kernel]
impl FatTreeReduction {
    fn update(&mut self) {
        for u in 0..self.pick.len() {
            self.pick[u].word.next = self.destination.val();
            self.pick[u].select.next = unsigned_cast(self.level_select.val());
        }
        self.up.next = (self.differs[0].val() & self.above_level.val()).any();
        self.digit.next = unsigned_cast(self.pick[0].chunk.val());
        for s in 0..self.chunk_select.len() {
            self.up.next = false;
            self.digit.next = 0.into();
            for u in 0..self.pick.len() {
                if self.chunk_select[s].val().get_bit(u) {
                    self.up.next =
                        self.up.val() | (self.differs[u].val() & unsigned_cast(self.above_level.val())).any();
                    self.digit.next = self.digit.val() | unsigned_cast(self.pick[u].chunk.val());
                }
            }
        }
        self.key.next = 0.into();
        self.key.next = self.key.val().replace_bit(self.digit_field.val(), self.digit.val());
        self.key.next = self.key.val().replace_bit(self.up_bit.val(), self.up.val());
    }
}
