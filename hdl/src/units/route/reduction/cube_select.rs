//! Cube select: last stage of the cube function where it has several.
//!
//! No state. The stages before compare and search for all chunk widths, because settings act in the last stage; what is left of
//! each width is a number and a bit (two with `dateline` or full radix), so that few registers lie between.
//!
//! Source: switch reference, section 4.6; Hirasawa2022, 5.2 (Algorithms 2 and 3).

use crate::rtl::prelude::*;
use crate::units::route::reduction::cube_reduction::cube_key_bits;
use railyard_spec::ReductionShape;

/// Key of a destination in a mesh or torus, from what was found for each chunk width.
#[block]
pub struct CubeSelect {
    /// Lowest chunk that differs plus 1; 0 if none differs.
    pub number: Vec<Sig<In>>,
    /// The destination is outside the ways of plus direction, by chunk width.
    pub outside: Sig<In>,
    /// Chunk width at work.
    pub chunk_select: Option<Sig<In>>,
    /// Dimensions whose plus way leads over the wrap-around link.
    pub wrap: Option<Sig<In>>,
    /// The network has wrap-around links.
    pub torus: Option<Flag<In>>,
    /// Destination above bound, or the shorter way leads over the ring's end, by chunk width.
    pub over: Option<Sig<In>>,
    /// Ways over the wrap-around link have keys of their own.
    pub dateline: Option<Flag<In>>,
    /// Key: 0 here, else 2 (dimension + 1), plus 1 in minus direction.
    pub key: Sig<Out>,

    /// Dimension of the next hop plus 1; 0 if none.
    dimension: Sig<Local>,
    /// Value of `outside` for the width at work; 0 without a next hop.
    chosen_outside: Flag<Local>,
    /// Value of `wrap` by dimension plus 1.
    wrap_of: Option<Sig<Local>>,
    /// Value of `over` for the width at work; 0 without a next hop.
    chosen_over: Option<Flag<Local>>,

    dimension_field: Field,
    crossing_bit: usize,
    address_bits: Param,
    chunks: Param,
    #[listed(dateline)]
    has_dateline: Param<Option<usize>>,
    #[listed(full_radix)]
    has_full_radix: Param<Option<usize>>,
}

/// For addresses of `address_bits`.
pub fn cube_select(address_bits: usize, reduction: &ReductionShape) -> CubeSelect {
    let widths: Vec<usize> = reduction.chunk_bits.iter().map(|w| *w as usize).collect();
    let (chunks, datelines) = (reduction.max_chunks as usize, reduction.dateline);
    let (any_radix, full_radix) = (reduction.any_radix(), reduction.full_radix);
    let overs = datelines || full_radix;
    let number = |w: &usize| sig(clog2(address_bits.div_ceil(*w) + 1));
    let number_bits = clog2(chunks + 1);
    let (outside_doc, over_doc) = match reduction.full_radix {
        false => (
            "destination above both coordinate and bound, or neither, by chunk width",
            "destination above bound, by chunk width; 0 if no chunk differs",
        ),
        true => (
            "minus is shorter around the ring, by chunk width; 0 if no chunk differs",
            "the shorter way leads over the ring's end, by chunk width; 0 if no chunk differs",
        ),
    };
    CubeSelect {
        number: widths.iter().map(number).collect(),
        outside: sig(widths.len()).doc(outside_doc),
        chunk_select: (widths.len() > 1).then(|| sig(widths.len())),
        wrap: any_radix.then(|| sig(chunks)),
        torus: full_radix.then(flag),
        over: overs.then(|| sig(widths.len()).doc(over_doc)),
        dateline: datelines.then(flag),
        key: sig(cube_key_bits(chunks) + usize::from(datelines)),
        dimension: sig(number_bits),
        wrap_of: any_radix.then(|| sig(1 << number_bits)),
        chosen_over: overs.then(flag),
        dimension_field: field(1, number_bits),
        crossing_bit: cube_key_bits(chunks),
        address_bits,
        chunks,
        has_dateline: reduction.dateline.then_some(1),
        has_full_radix: reduction.full_radix.then_some(1),
        ..CubeSelect::plain()
    }
}

#[kernel]
impl CubeSelect {
    fn update(&mut self) {
        self.dimension.next = unsigned_cast(self.number[0].val());
        self.chosen_outside.next = self.outside.val().any();
        if let Some(chunk_select) = &self.chunk_select {
            self.dimension.next = 0.into();
            self.chosen_outside.next = (self.outside.val() & chunk_select.val()).any();
            for u in 0..self.number.len() {
                if chunk_select.val().get_bit(u) {
                    self.dimension.next = self.dimension.val() | unsigned_cast(self.number[u].val());
                }
            }
        }
        if let (Some(wrap_of), Some(wrap)) = (&mut self.wrap_of, &self.wrap) {
            wrap_of.next = unsigned_cast(wrap.val()) << 1;
        }
        self.key.next = 0.into();
        self.key.set(self.dimension_field.val(), self.dimension.val());
        if let (Some(over), Some(chosen_over)) = (&self.over, &mut self.chosen_over) {
            chosen_over.next = over.val().any();
            if let Some(chunk_select) = &self.chunk_select {
                chosen_over.next = (over.val() & chunk_select.val()).any();
            }
        }
        if let Some(wrap_of) = &self.wrap_of {
            self.key.set(0, self.chosen_outside.val() ^ wrap_of.val().get_bit(self.dimension.val()));
        }
        if let (Some(torus), Some(over)) = (&self.torus, &self.chosen_over) {
            self.key.set(0, self.chosen_outside.val() ^ (over.val() & !torus.val()));
        }
        if let (Some(dateline), Some(over)) = (&self.dateline, &self.chosen_over) {
            if let Some(wrap_of) = &self.wrap_of {
                self.key.set(
                    self.crossing_bit,
                    dateline.val() & (over.val() ^ wrap_of.val().get_bit(self.dimension.val())),
                );
            }
            if let Some(torus) = &self.torus {
                self.key.set(self.crossing_bit, dateline.val() & torus.val() & over.val());
            }
        }
    }
}
