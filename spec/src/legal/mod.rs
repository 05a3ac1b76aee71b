//! Virtual channels that keep adaptive routing free of deadlock: which VCs a hop may use, and which of them it takes.
//!
//! The VCs of a network's links stand in one sequence, the *reference*: a letter for each VC, local or global. A
//! letter's place in the sequence is its *index*. Letter j is the VC of its link class that has the number of the same
//! letters before j.
//!
//! A packet need not climb the indices. It must be able to do so from wherever it is: a hop may use VC j only if the
//! worst minimal way behind the hop, *rest*, is a subsequence of the letters behind j ([`legal`]). So each packet
//! always has an escape by rising indices (FlexVC: Fuentes2017, 5.2). Distance-based VCs (Günther, 1981) are the same
//! sets with the rule [`Reference::next`].

mod masks;
mod reference;
mod support;
#[cfg(test)]
mod tests;

pub use masks::{cases_of_hops, Masks, CASES};
pub use reference::{Letter, PacketClass, Reference, ReferenceError, MAX_VCS};
pub use support::{routings, support, Routing, Support};

/// Indices of the VCs that a hop over a link of class `letter` may use, as a mask, if the worst minimal way behind the
/// hop is `rest`.
pub fn legal(reference: &[Letter], letter: Letter, rest: &[Letter]) -> u32 {
    let fits = |j: &usize| reference[*j] == letter && is_subsequence(rest, &reference[j + 1..]);
    (0..reference.len()).filter(fits).fold(0, |mask, j| mask | 1 << j)
}

/// Whether letters stand in a sequence in their order, with others between them or not.
fn is_subsequence(letters: &[Letter], sequence: &[Letter]) -> bool {
    let mut left = sequence.iter();
    letters.iter().all(|letter| left.any(|other| other == letter))
}
