//! Dragonfly reduction: the key of a destination in a Dragonfly, minimal routing.
//!
//! No state. What an address is too short for counts as 0.
//!
//! Source: switch reference, section 4.6; Hirasawa2022, 5.2 (the three-level tree of Algorithm 5).

use crate::units::prelude::*;

/// Chunks that name a node: node, router, group.
const LEVELS: usize = 3;

/// Key of a destination in a Dragonfly: group, router or node.
#[block]
pub struct DragonflyReduction {
    /// Destination address.
    pub destination: Sig<In>,
    /// Destination and switch differ in the chunk.
    pub differs: Vec<Sig<In>>,
    /// Chunk width at work.
    pub chunk_select: Option<Sig<In>>,
    /// Key: {2, group}, {1, router} or {0, node}.
    pub key: Sig<Out, { 2 + router_bit }>,
    /// The destination differs from the switch in any chunk.
    pub away: Flag<Out>,

    pick: Vec<ChunkPick>,

    /// Chunks that differ, of the width at work.
    differing: Sig<Local>,
    /// Level that the key names: node, router, group (one-hot).
    level: Sig<Local, LEVELS>,
    /// Number that the key names.
    digit: Sig<Local, router_bit>,

    digit_field: Field<0, router_bit>,
    router_bit: usize,
    group_bit: usize,

    address_bits: Param,
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
    sized(DragonflyReduction {
        destination: sig(dragonfly_address_bits(address_bits, widths)),
        differs: widths.iter().map(|w| sig(chunks(w))).collect(),
        chunk_select: (widths.len() > 1).then(|| sig(widths.len())),
        pick: widths.iter().map(pick).collect(),
        differing: sig(chunks(&widths[0]).max(LEVELS)),
        router_bit: digit_bits,
        group_bit: digit_bits + 1,
        address_bits,
        ..DragonflyReduction::plain()
    })
}

#[kernel]
impl DragonflyReduction {
    fn update(&mut self) {
        self.differing.next = unsigned_cast(self.differs[0].val());
        if let Some(chunk_select) = &self.chunk_select {
            self.differing.next = 0.into();
            for u in 0..self.differs.len() {
                if chunk_select.val().get_bit(u) {
                    self.differing.next = self.differing.val() | unsigned_cast(self.differs[u].val());
                }
            }
        }
        self.away.next = self.differing.val().any();

        self.level.next = 0.into();
        if self.differing.val().get_bit(2) {
            self.level.set(2, true);
        } else if self.differing.val().get_bit(1) {
            self.level.set(1, true);
        } else {
            self.level.set(0, true);
        }

        for u in 0..self.pick.len() {
            self.pick[u].word.next = unsigned_cast(self.destination.val());
            self.pick[u].select.next = unsigned_cast(self.level.val());
        }
        self.digit.next = unsigned_cast(self.pick[0].chunk.val());
        if let Some(chunk_select) = &self.chunk_select {
            self.digit.next = 0.into();
            for u in 0..self.pick.len() {
                if chunk_select.val().get_bit(u) {
                    self.digit.next = self.digit.val() | unsigned_cast(self.pick[u].chunk.val());
                }
            }
        }

        self.key.next = 0.into();
        self.key.set(self.digit_field.val(), self.digit.val());
        self.key.set(self.router_bit, self.level.val().get_bit(1));
        self.key.set(self.group_bit, self.level.val().get_bit(2));
    }
}
