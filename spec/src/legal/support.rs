//! Which routings a reference supports (Fuentes2017, tables 5.1 to 5.4).

use super::{is_subsequence, legal, Letter, CASES};

/// What a reference makes of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Support {
    /// A hop has no legal VC.
    None,
    /// Each hop has a legal VC, and behind it an escape by rising indices. The way as a whole need not rise.
    Opportunistic,
    /// The way is a subsequence of the reference: it rises as a whole.
    Safe,
}

impl Support {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Support::None => "none",
            Support::Opportunistic => "opportunistic",
            Support::Safe => "safe",
        }
    }
}

/// The support of a way, given by its hops: each with its link's class, and the worst minimal way behind it.
pub fn support(reference: &[Letter], hops: &[(Letter, &[Letter])]) -> Support {
    let way: Vec<Letter> = hops.iter().map(|(letter, _)| *letter).collect();
    if is_subsequence(&way, reference) {
        return Support::Safe;
    }
    match hops.iter().all(|(letter, rest)| legal(reference, *letter, rest) != 0) {
        true => Support::Opportunistic,
        false => Support::None,
    }
}

/// The longest way of a routing in a Dragonfly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Routing {
    /// Its name.
    pub name: &'static str,
    /// The hops: class of the link, and case.
    pub hops: &'static [(Letter, usize)],
}

impl Routing {
    /// Its support.
    pub fn support(&self, reference: &[Letter]) -> Support {
        let hops: Vec<(Letter, &[Letter])> = self.hops.iter().map(|&(letter, case)| (letter, CASES[case])).collect();
        support(reference, &hops)
    }
}

/// The routings of a Dragonfly. Ways in transit have a local detour in the source group, and one in the group between.
pub fn routings() -> [Routing; 4] {
    use Letter::{Global as G, Local as L};
    [
        Routing { name: "minimal", hops: &[(L, 2), (G, 1), (L, 0)] },
        Routing { name: "Valiant, to a group", hops: &[(L, 3), (G, 3), (L, 2), (G, 1), (L, 0)] },
        Routing { name: "Valiant, to a switch", hops: &[(L, 3), (G, 3), (L, 3), (L, 2), (G, 1), (L, 0)] },
        Routing { name: "in transit", hops: &[(L, 2), (L, 3), (G, 3), (L, 3), (L, 2), (G, 1), (L, 0)] },
    ]
}
