//! Fields of headers, read and written.
//!
//! Source: reference page of Dragonfly routing, "Header".

use railyard_spec::dragonfly::HeaderField;

/// A field of a header.
pub(super) fn get(word: u64, field: HeaderField) -> usize {
    (word >> field.low & ((1 << field.bits) - 1)) as usize
}

/// Whether a bit of a flit is 1.
pub(super) fn is_set(flit: &[u32], field: HeaderField) -> bool {
    flit[field.low as usize / 32] >> (field.low % 32) & 1 == 1
}

/// Writes a field of a flit.
pub(super) fn put(flit: &mut [u32], field: HeaderField, value: u32) {
    for bit in 0..field.bits {
        let at = field.low + bit;
        let word = &mut flit[at as usize / 32];
        *word = *word & !(1 << (at % 32)) | (value >> bit & 1) << (at % 32);
    }
}
