//! The legal VCs of every hop, as masks: what a switch has in registers.

use super::{legal, Letter, PacketClass, Reference};

/// The cases of a hop in a Dragonfly: where it leads, and the worst minimal way behind it.
///
/// 0. the destination's switch;
/// 1. the destination's group: one local hop is left;
/// 2. the switch that has the minimal global link, on a minimal way: a global and a local hop are left;
/// 3. anywhere else, every hop on the way to a via, and every misrouted hop outside of the destination's group.
pub const CASES: [&[Letter]; 4] =
    [&[], &[Letter::Local], &[Letter::Global, Letter::Local], &[Letter::Local, Letter::Global, Letter::Local]];

/// The cases of a network with one class of links whose minimal ways have at most so many hops: the number of hops
/// left.
pub fn cases_of_hops(most: usize) -> Vec<Vec<Letter>> {
    (0..=most).map(|left| vec![Letter::Local; left]).collect()
}

/// Legal VCs by class of packets, class of link and case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masks {
    cases: usize,
    /// By class of packets, class of link and case.
    masks: Vec<u16>,
}

impl Masks {
    /// The masks of a Dragonfly.
    pub fn of_dragonfly(reference: &Reference) -> Masks {
        Masks::new(reference, &CASES)
    }

    /// The masks for the ways behind a hop, by case.
    pub fn new<R: AsRef<[Letter]>>(reference: &Reference, cases: &[R]) -> Masks {
        let sequence = |class| match class {
            PacketClass::Request => reference.of_requests(),
            PacketClass::Reply => reference.letters(),
        };
        let links = PacketClass::ALL.into_iter().flat_map(|class| Letter::ALL.map(|letter| (class, letter)));
        let mask = |class, letter, rest: &R| reference.vcs_at(letter, legal(sequence(class), letter, rest.as_ref()));
        let masks = links.flat_map(|(class, letter)| cases.iter().map(move |rest| mask(class, letter, rest))).collect();
        Masks { cases: cases.len(), masks }
    }

    /// All VCs for every hop: no masks at all.
    pub fn all(reference: &Reference, cases: usize) -> Masks {
        let all = |letter| (1u16 << reference.vcs(letter)) - 1;
        let of_letters = Letter::ALL.into_iter().flat_map(|letter| vec![all(letter); cases]);
        Masks { cases, masks: of_letters.clone().chain(of_letters).collect() }
    }

    /// Number of cases.
    pub fn cases(&self) -> usize {
        self.cases
    }

    /// The place of a mask among all: with four cases, its number among the registers `vc_mask`.
    pub fn place(&self, class: PacketClass, letter: Letter, case: usize) -> usize {
        assert!(case < self.cases, "case {case} of {}", self.cases);
        (class as usize * Letter::ALL.len() + letter as usize) * self.cases + case
    }

    /// VCs that packets of a class may use on a link of a class, in a case.
    pub fn get(&self, class: PacketClass, letter: Letter, case: usize) -> u16 {
        self.masks[self.place(class, letter, case)]
    }

    /// Changes a mask, as a write of its register does.
    pub fn set(&mut self, class: PacketClass, letter: Letter, case: usize, mask: u16) {
        let place = self.place(class, letter, case);
        self.masks[place] = mask;
    }

    /// All masks, by their places.
    pub fn words(&self) -> &[u16] {
        &self.masks
    }

    /// Whether a packet of a class may ever leave its minimal way in a Dragonfly: over local and over global links.
    pub fn allow_detours(&self, class: PacketClass) -> bool {
        let worst = self.cases - 1;
        Letter::ALL.into_iter().all(|letter| self.get(class, letter, worst) != 0)
    }
}
