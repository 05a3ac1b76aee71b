//! Cube select: last stage of the cube function where it has several.
//!
//! No state. The stages before compare and search for all chunk widths, because settings act in the last stage; what is
//! left of each width is a number and a bit (two with `dateline` or full radix), so that few registers lie between.
//!
//! Source: switch reference, section 4.6; Hirasawa2022, 5.2 (Algorithms 2 and 3).

use crate::units::prelude::*;

/// Key of a destination in a mesh or torus, from what was found for each chunk width.
#[block(address_bits: usize, reduction: &ReductionShape)]
pub struct CubeSelect {
    /// Lowest chunk that differs plus 1; 0 if none differs.
    #[made(reduction.chunk_bits.iter().map(|w| sig(clog2(address_bits.div_ceil(*w as usize) + 1))).collect())]
    pub number: Vec<Sig<In>>,
    /// The destination is outside the ways of plus direction, by chunk width.
    #[made(sig(widths).doc(match reduction.full_radix {
        false => "destination above both coordinate and bound, or neither, by chunk width",
        true => "minus is shorter around the ring, by chunk width; 0 if no chunk differs",
    }))]
    pub outside: Sig<In>,
    /// Chunk width at work.
    pub chunk_select: Option<Sig<In, widths>, { widths > 1 }>,
    /// Dimensions whose plus way leads over the wrap-around link.
    pub wrap: Option<Sig<In, chunks>, { reduction.any_radix() }>,
    /// The network has wrap-around links.
    pub torus: Option<Flag<In>, { reduction.full_radix }>,
    /// Destination above bound, or the shorter way leads over the ring's end, by chunk width.
    #[made((reduction.dateline || reduction.full_radix).then(|| {
        sig(widths).doc(match reduction.full_radix {
            false => "destination above bound, by chunk width; 0 if no chunk differs",
            true => "the shorter way leads over the ring's end, by chunk width; 0 if no chunk differs",
        })
    }))]
    pub over: Option<Sig<In>>,
    /// Ways over the wrap-around link have keys of their own.
    pub dateline: Option<Flag<In>, { reduction.dateline }>,
    /// Key: 0 here, else 2 (dimension + 1), plus 1 in minus direction.
    pub key: Sig<Out, { crossing_bit + usize::from(reduction.dateline) }>,

    /// Dimension of the next hop plus 1; 0 if none.
    dimension: Sig<Local, number_bits>,
    /// Value of `outside` for the width at work; 0 without a next hop.
    chosen_outside: Flag<Local>,
    /// Value of `wrap` by dimension plus 1.
    wrap_of: Option<Sig<Local, { 1 << number_bits }>, { reduction.any_radix() }>,
    /// Value of `over` for the width at work; 0 without a next hop.
    chosen_over: Option<Flag<Local>, { reduction.dateline || reduction.full_radix }>,

    dimension_field: Field<1, number_bits>,
    crossing_bit: Number<{ cube_key_bits(chunks) }>,
    widths: Number<{ reduction.chunk_bits.len() }>,
    number_bits: Number<{ clog2(chunks + 1) }>,
    address_bits: Param,
    chunks: Param<{ reduction.max_chunks as usize }>,
    #[listed(dateline)]
    has_dateline: Param<Option<usize>, { reduction.dateline.then_some(1) }>,
    #[listed(full_radix)]
    has_full_radix: Param<Option<usize>, { reduction.full_radix.then_some(1) }>,
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
