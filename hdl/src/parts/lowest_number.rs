//! Lowest number: which is the lowest set bit of a vector, and what does a second vector hold there?
//!
//! No state. A binary tree over the positions: a node takes what its lower half found, or else its upper half. (Smaller
//! and as fast as a one-hot search with an encoder behind it: marks meet one multiplexer a level, and wait for none.)

use crate::rtl::prelude::*;

/// Number of the lowest set bit of a vector, and a second vector's bit there.
#[block]
pub struct LowestNumber {
    /// Vector to search.
    pub bits: Sig<In, width>,
    /// Second vector.
    pub marks: Sig<In, width>,
    /// Position of the lowest set bit plus 1; 0 if no bit is set.
    pub number: Sig<Out>,
    /// Any bit is set.
    pub any: Flag<Out>,
    /// Bit of the second vector at the found position; undefined if no bit is set.
    pub mark: Flag<Out>,
    /// Third vector.
    pub more_marks: Option<Sig<In, width>, third>,
    /// Bit of the third vector at the found position; undefined if no bit is set.
    pub more_mark: Option<Flag<Out>, third>,

    /// A bit is set under the node (root first, leaves last).
    found: Vec<Flag<Local>, { 2 * leaves - 1 }>,
    /// Position of the lowest set bit plus 1; 0 if no bit is set.
    number_found: Vec<Sig<Local>>,
    /// Mark of the lowest set bit; undefined if no bit is set.
    mark_found: Vec<Flag<Local>, { 2 * leaves - 1 }>,
    /// Bit of the third vector for the lowest set bit; undefined if no bit is set.
    more_found: Vec<Flag<Local>, { 2 * leaves - 1 }, third>,

    leaves: usize,
    inner: usize,
    third: bool,
    width: Param,
    #[listed(more_marks)]
    has_third: Param<Option<usize>>,
}

/// For vectors of `width` bits.
pub fn lowest_number(width: usize) -> LowestNumber {
    build(width, false)
}

/// For vectors of `width` bits, with a third vector.
pub fn lowest_number_of_three(width: usize) -> LowestNumber {
    build(width, true)
}

fn build(width: usize, third: bool) -> LowestNumber {
    let leaves = width.next_power_of_two();
    let number_bits = clog2(width + 1);
    sized(LowestNumber {
        number: sig(number_bits),
        number_found: many(2 * leaves - 1, || sig(number_bits)),
        leaves,
        inner: leaves - 1,
        width,
        has_third: third.then_some(1),
        third,
        ..LowestNumber::plain()
    })
}

#[kernel]
impl LowestNumber {
    fn update(&mut self) {
        // Leaves.
        for i in 0..self.leaves {
            self.found[self.inner + i].next = false;
            self.number_found[self.inner + i].next = 0.into();
            self.mark_found[self.inner + i].next = false;
        }
        for i in 0..self.width {
            self.found[self.inner + i].next = self.bits.val().get_bit(i);
            self.mark_found[self.inner + i].next = self.marks.val().get_bit(i);
            if self.bits.val().get_bit(i) {
                self.number_found[self.inner + i].next = (i + 1).into();
            }
        }

        // Inner nodes, up to the root.
        for k in 0..self.inner {
            self.found[self.inner - 1 - k].next =
                self.found[2 * (self.inner - 1 - k) + 1].val() | self.found[2 * (self.inner - 1 - k) + 2].val();
            self.number_found[self.inner - 1 - k].next = self.number_found[2 * (self.inner - 1 - k) + 2].val();
            self.mark_found[self.inner - 1 - k].next = self.mark_found[2 * (self.inner - 1 - k) + 2].val();
            if self.found[2 * (self.inner - 1 - k) + 1].val() {
                self.number_found[self.inner - 1 - k].next = self.number_found[2 * (self.inner - 1 - k) + 1].val();
                self.mark_found[self.inner - 1 - k].next = self.mark_found[2 * (self.inner - 1 - k) + 1].val();
            }
        }
        self.number.next = self.number_found[0].val();
        self.any.next = self.found[0].val();
        self.mark.next = self.mark_found[0].val();

        self.find_third();
    }

    fn find_third(&mut self) {
        if let (Some(marks), Some(mark)) = (&self.more_marks, &mut self.more_mark) {
            for i in 0..self.leaves {
                self.more_found[self.inner + i].next = false;
            }
            for i in 0..self.width {
                self.more_found[self.inner + i].next = marks.val().get_bit(i);
            }
            for k in 0..self.inner {
                self.more_found[self.inner - 1 - k].next = self.more_found[2 * (self.inner - 1 - k) + 2].val();
                if self.found[2 * (self.inner - 1 - k) + 1].val() {
                    self.more_found[self.inner - 1 - k].next = self.more_found[2 * (self.inner - 1 - k) + 1].val();
                }
            }
            mark.next = self.more_found[0].val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_lowest_and_its_mark() {
        for width in [1usize, 2, 3, 4, 6, 7, 8, 12, 32] {
            let mut bench = Bench::combinational(lowest_number_of_three(width));
            for k in 0..150u64 {
                let random = |salt: u64| (k * 4 + salt + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - width);
                let (bits, marks, more) = (random(0) & random(1), random(2), random(3));
                bench.bits.next = bits.into();
                bench.marks.next = marks.into();
                bench.more_marks.as_mut().expect("there").next = more.into();
                bench.settle();
                let lowest = (0..width).find(|i| bits >> i & 1 == 1);
                assert_eq!(bench.number.val().to_u128(), lowest.map_or(0, |i| i as u128 + 1));
                assert_eq!(bench.any.val(), lowest.is_some());
                assert!(lowest.is_none_or(|i| bench.mark.val() == (marks >> i & 1 == 1)));
                assert!(lowest.is_none_or(|i| bench.more_mark.as_ref().expect("there").val() == (more >> i & 1 == 1)));
            }
        }
    }
}
