//! Fat tree reduction: the key of a destination in a k-ary n-tree, up*/down* routing.
//!
//! No state.
//!
//! Each cycle: up if any chunk above the level differs, for then the destination is not below this switch.
//!
//! Source: switch reference, section 4.6; Hirasawa2022, 5.2 (Algorithm 5).

use crate::units::prelude::*;

/// Key of a destination in a fat tree: up or down, and which link.
#[block]
pub struct FatTreeReduction {
    /// Destination address.
    pub destination: Sig<In, address_bits>,
    /// Destination and switch differ in the chunk.
    pub differs: Vec<Sig<In>>,
    /// Chunk width at work.
    pub chunk_select: Option<Sig<In>>,
    /// Level of the switch, one-hot.
    pub level_select: Sig<In, chunks>,
    /// Chunks above the level of the switch.
    pub above_level: Sig<In, chunks>,
    /// Key: {up, digit}.
    pub key: Sig<Out, { 1 + up_bit }>,

    pick: Vec<ChunkPick>,

    /// The destination is not below the switch.
    up: Flag<Local>,
    /// Digit of the destination at the switch's level.
    digit: Sig<Local, up_bit>,

    digit_field: Field<0, up_bit>,
    up_bit: usize,

    address_bits: Param,
    chunks: Param,
}

/// For addresses of `address_bits` and chunk widths `widths`, ascending.
pub fn fat_tree_reduction(address_bits: usize, widths: &[usize]) -> FatTreeReduction {
    let chunks = |w: &usize| address_bits.div_ceil(*w);
    let most = chunks(&widths[0]);
    let digit_bits = widths[widths.len() - 1];
    sized(FatTreeReduction {
        differs: widths.iter().map(|w| sig(chunks(w))).collect(),
        chunk_select: (widths.len() > 1).then(|| sig(widths.len())),
        pick: widths.iter().map(|w| chunk_pick(address_bits, chunks(w), *w)).collect(),
        up_bit: digit_bits,
        address_bits,
        chunks: most,
        ..FatTreeReduction::plain()
    })
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
        if let Some(chunk_select) = &self.chunk_select {
            self.up.next = false;
            self.digit.next = 0.into();
            for u in 0..self.pick.len() {
                if chunk_select.val().get_bit(u) {
                    self.up.next =
                        self.up.val() | (self.differs[u].val() & unsigned_cast(self.above_level.val())).any();
                    self.digit.next = self.digit.val() | unsigned_cast(self.pick[u].chunk.val());
                }
            }
        }
        self.key.next = 0.into();
        self.key.set(self.digit_field.val(), self.digit.val());
        self.key.set(self.up_bit, self.up.val());
    }
}
