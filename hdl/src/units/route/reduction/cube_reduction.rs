//! Cube reduction: the key of a destination in a k-ary n-mesh or n-torus, dimension-order routing.
//!
//! No state. The function in one stage: the chunk width is chosen first, so that there is one search. With several
//! stages the search comes before the choice: `cube_select`.
//!
//! Each cycle: in the lowest chunk that differs, the way crosses the wrap-around link if `over` xor `wrap`; with full
//! radix, if `over` and `torus`. Plus is `above` if it doesn't cross, else not `above`.
//!
//! Source: switch reference, section 4.6; Hirasawa2022, 5.2 (Algorithms 2 and 3).

use crate::units::prelude::*;

/// Key of a destination in a mesh or torus: dimension and direction of the next hop.
#[block]
pub struct CubeReduction {
    /// Destination and switch differ in the chunk.
    pub differs: Vec<Sig<In>>,
    /// The destination is above the coordinate. Meaningful where the two differ.
    pub above: Vec<Sig<In>>,
    /// The destination is above the bound, or the shorter way leads over the ring's end.
    pub over: Vec<Sig<In>>,
    /// Chunk width at work.
    pub chunk_select: Option<Sig<In>>,
    /// Dimensions whose plus way leads over the wrap-around link.
    pub wrap: Option<Sig<In>>,
    /// The network has wrap-around links.
    pub torus: Option<Flag<In>>,
    /// Ways over the wrap-around link have keys of their own.
    pub dateline: Option<Flag<In>>,
    /// Key: 0 here, else 2 (dimension + 1), plus 1 in minus direction.
    pub key: Sig<Out>,

    search: LowestNumber,

    /// Value of `differs` for the width at work.
    chosen_differs: Sig<Local, chunks>,
    /// Value of `above` for the width at work.
    chosen_above: Sig<Local, chunks>,
    /// Value of `over` for the width at work.
    chosen_over: Sig<Local, chunks>,

    dimension_field: Field<1, { clog2(chunks + 1) }>,
    crossing_bit: usize,
    address_bits: Param,
    chunks: Param,
    #[listed(dateline)]
    has_dateline: Param<Option<usize>>,
    #[listed(full_radix)]
    has_full_radix: Param<Option<usize>>,
}

/// Width of the key, without the dateline's bit, where an address has up to `chunks` chunks.
pub fn cube_key_bits(chunks: usize) -> usize {
    1 + clog2(chunks + 1)
}

/// For addresses of `address_bits`.
pub fn cube_reduction(address_bits: usize, reduction: &ReductionShape) -> CubeReduction {
    let widths: Vec<usize> = reduction.chunk_bits.iter().map(|w| *w as usize).collect();
    let (chunks, dateline) = (reduction.max_chunks as usize, reduction.dateline);
    let by_width = || widths.iter().map(|w| sig(address_bits.div_ceil(*w)));
    let over = if reduction.full_radix {
        "The shorter way leads over the ring's end."
    } else {
        "The destination is above the bound."
    };
    sized(CubeReduction {
        differs: by_width().collect(),
        above: by_width().collect(),
        over: by_width().map(|sig| sig.doc(over)).collect(),
        chunk_select: (widths.len() > 1).then(|| sig(widths.len())),
        wrap: reduction.any_radix().then(|| sig(chunks)),
        torus: reduction.full_radix.then(flag),
        dateline: dateline.then(flag),
        key: sig(cube_key_bits(chunks) + usize::from(dateline)),
        search: if dateline { lowest_number_of_three(chunks) } else { lowest_number(chunks) },
        crossing_bit: cube_key_bits(chunks),
        address_bits,
        chunks,
        has_dateline: reduction.dateline.then_some(1),
        has_full_radix: reduction.full_radix.then_some(1),
        ..CubeReduction::plain()
    })
}

#[kernel]
impl CubeReduction {
    fn update(&mut self) {
        self.chosen_differs.next = unsigned_cast(self.differs[0].val());
        self.chosen_above.next = unsigned_cast(self.above[0].val());
        self.chosen_over.next = unsigned_cast(self.over[0].val());
        if let Some(chunk_select) = &self.chunk_select {
            self.chosen_differs.next = 0.into();
            self.chosen_above.next = 0.into();
            self.chosen_over.next = 0.into();
            for u in 0..self.differs.len() {
                if chunk_select.val().get_bit(u) {
                    self.chosen_differs.next = self.chosen_differs.val() | unsigned_cast(self.differs[u].val());
                    self.chosen_above.next = self.chosen_above.val() | unsigned_cast(self.above[u].val());
                    self.chosen_over.next = self.chosen_over.val() | unsigned_cast(self.over[u].val());
                }
            }
        }
        self.search.bits.next = self.chosen_differs.val();
        if let Some(wrap) = &self.wrap {
            self.search.marks.next = self.chosen_above.val() ^ (self.chosen_over.val() ^ wrap.val());
        }
        if let Some(torus) = &self.torus {
            self.search.marks.next = self.chosen_above.val();
            if torus.val() {
                self.search.marks.next = self.chosen_above.val() ^ self.chosen_over.val();
            }
        }
        self.key.next = 0.into();
        self.key.set(0, self.search.any.val() & !self.search.mark.val());
        self.key.set(self.dimension_field.val(), self.search.number.val());
        if let (Some(dateline), Some(marks), Some(mark)) =
            (&self.dateline, &mut self.search.more_marks, &self.search.more_mark)
        {
            if let Some(wrap) = &self.wrap {
                marks.next = self.chosen_over.val() ^ wrap.val();
            }
            if self.torus.is_some() {
                marks.next = self.chosen_over.val();
            }
            self.key.set(self.crossing_bit, dateline.val() & self.search.any.val() & mark.val());
            if let Some(torus) = &self.torus {
                if !torus.val() {
                    self.key.set(self.crossing_bit, false);
                }
            }
        }
    }
}
