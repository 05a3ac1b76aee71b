//! Fields of packed vectors: bits `[low +: width]` of a little-endian array of 32-bit words.

/// The field `[low +: width]`, at most 64 bits.
///
/// # Panics
/// If the field is wider than 64 bits or reaches past the words.
#[inline]
pub fn read_field(words: &[u32], low: usize, width: usize) -> u64 {
    assert!(width <= 64, "a field of {width} bits doesn't fit 64");
    let (first, shift) = (low / 32, low % 32);
    if width == 0 {
        return 0;
    }
    let mut value = u64::from(words[first]) >> shift;
    if shift + width > 32 {
        value |= u64::from(words[first + 1]) << (32 - shift);
    }
    if shift + width > 64 {
        value |= u64::from(words[first + 2]) << (64 - shift);
    }
    value & low_mask(width)
}

/// Sets the field `[low +: width]`, at most 64 bits, to the low bits of `value`; other bits keep theirs.
///
/// # Panics
/// If the field is wider than 64 bits or reaches past the words.
#[inline]
pub fn write_field(words: &mut [u32], low: usize, width: usize, value: u64) {
    assert!(width <= 64, "a field of {width} bits doesn't fit 64");
    if width == 0 {
        return;
    }
    let (first, shift) = (low / 32, low % 32);
    let mask = low_mask(width);
    let value = value & mask;
    merge(&mut words[first], (mask << shift) as u32, (value << shift) as u32);
    if shift + width > 32 {
        merge(&mut words[first + 1], (mask >> (32 - shift)) as u32, (value >> (32 - shift)) as u32);
    }
    if shift + width > 64 {
        merge(&mut words[first + 2], (mask >> (64 - shift)) as u32, (value >> (64 - shift)) as u32);
    }
}

#[inline]
fn merge(word: &mut u32, mask: u32, value: u32) {
    *word = (*word & !mask) | value;
}

/// A mask of the low `width` bits, for 0 to 64.
#[inline]
pub(crate) fn low_mask(width: usize) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bit(words: &[u32], index: usize) -> bool {
        words[index / 32] >> (index % 32) & 1 == 1
    }

    #[test]
    fn every_place_and_width() {
        let background = [0x9e37_79b9, 0x7f4a_7c15, 0xf39c_c060, 0x5ced_c834, 0x1082_276b];
        for low in 0..90 {
            for width in 0..=64 {
                let value = 0x0123_4567_89ab_cdef_u64.rotate_left((low * 7 + width) as u32);
                let mut words = background;
                write_field(&mut words, low, width, value);
                assert_eq!(read_field(&words, low, width), value & low_mask(width), "low {low} width {width}");
                for index in (0..160).filter(|index| !(low..low + width).contains(index)) {
                    assert_eq!(bit(&words, index), bit(&background, index), "low {low} width {width} bit {index}");
                }
            }
        }
    }
}
