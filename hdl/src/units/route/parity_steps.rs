//! Steps of a memory with parity that forwarding table and routing cache have in common, in place in either's kernel.
//!
//! A word has an even number of ones. Ways are memories that are read and written side by side.
//!
//! Source: switch reference, section 13.

use crate::units::prelude::*;

/// Steps of ways whose words have parity.
pub struct ParitySteps;

#[kernel(steps)]
impl ParitySteps {
    /// A word with an odd number of ones has wrong parity.
    pub fn find_wrong(wrong: &mut Sig<Local>, way: &[Ram], ways: usize) {
        wrong.next = 0.into();
        for i in 0..ways {
            wrong.set(i, way[i].read_data.val().xor());
        }
    }

    /// With parity, what is written has an even number of ones, but for a bit that is inverted in tests.
    pub fn write(
        write_even: &mut Option<Sig<Local>>,
        way: &mut [Ram],
        write_word: &Sig<Local>,
        flip: &Option<Sig<In>>,
        clearing: &Flag<Local>,
        parity_bit: usize,
        ways: usize,
    ) {
        if let Some(write_even) = write_even {
            write_even.next = unsigned_cast(write_word.val());
            write_even.set(parity_bit, write_word.val().xor());
            if let Some(flip) = flip {
                if !clearing.val() {
                    write_even.next = write_even.val() ^ flip.val();
                }
            }
            for i in 0..ways {
                way[i].write_data.next = write_even.val();
            }
        }
    }
}
