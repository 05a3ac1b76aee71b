//! The reference sequence, and the rule that climbs it.

use serde::Serialize;
use std::fmt;

/// Class of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PacketClass {
    /// Requests, and all packets where there is one class.
    Request,
    /// Replies, which may use the VCs of requests as well.
    Reply,
}

impl PacketClass {
    /// Both, by their number.
    pub const ALL: [PacketClass; 2] = [PacketClass::Request, PacketClass::Reply];
}

/// Most virtual channels of a link class.
pub const MAX_VCS: usize = 13;

/// Class of a link between switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Letter {
    /// Inside a group; every link of a network without groups.
    Local,
    /// Between groups.
    Global,
}

impl Letter {
    /// All letters, by their number.
    pub const ALL: [Letter; 2] = [Letter::Local, Letter::Global];

    /// The letter as text.
    pub fn char(self) -> char {
        match self {
            Letter::Local => 'l',
            Letter::Global => 'g',
        }
    }
}

/// The sequence of all VCs, by which minimal ways climb. VCs of replies stand behind those of requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reference {
    letters: Vec<Letter>,
    /// Letters of requests; the rest is of replies.
    requests: usize,
}

/// A text is no reference sequence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// A character is no link class.
    #[error("must be made of the letters l (local link) and g (global link), and has `{0}`")]
    NoLetter(char),
    /// There is no letter at all.
    #[error("must have at least one letter")]
    Empty,
    /// There are more VCs of a class than a switch can have.
    #[error("has {letters} letters {} and a switch has at most {MAX_VCS} virtual channels of a class", .letter.char())]
    TooMany {
        /// The class.
        letter: Letter,
        /// Its letters.
        letters: usize,
    },
    /// There are fewer VCs of a class than letters.
    #[error("needs {letters} virtual channels of class {}, and there are {vcs}", .letter.char())]
    TooFew {
        /// The class.
        letter: Letter,
        /// Its letters.
        letters: usize,
        /// The VCs.
        vcs: usize,
    },
}

/// The letters of a text.
fn letters(text: &str) -> Result<Vec<Letter>, ReferenceError> {
    let letter = |char: char| Letter::ALL.into_iter().find(|letter| letter.char() == char);
    text.chars().map(|char| letter(char).ok_or(ReferenceError::NoLetter(char))).collect()
}

impl Reference {
    /// The sequence of requests, and that of replies behind it: empty if all packets are of one class.
    ///
    /// # Errors
    /// The texts hold other characters than `l` and `g`, no letter for requests, or too many letters.
    pub fn new(requests: &str, replies: &str) -> Result<Reference, ReferenceError> {
        let (requests, replies) = (letters(requests)?, letters(replies)?);
        if requests.is_empty() {
            return Err(ReferenceError::Empty);
        }
        let reference = Reference { requests: requests.len(), letters: [requests, replies].concat() };
        let too_many = |letter: &Letter| reference.vcs(*letter) > MAX_VCS;
        match Letter::ALL.into_iter().find(too_many) {
            Some(letter) => Err(ReferenceError::TooMany { letter, letters: reference.vcs(letter) }),
            None => Ok(reference),
        }
    }

    /// The same for a switch with so many VCs of each class. Letters for further VCs go in front, so that all packets
    /// can use those VCs. They repeat the sequence of requests, read from its end: `lgl` with 4 local and 2 global VCs
    /// is `lgllgl`.
    ///
    /// # Errors
    /// There are fewer VCs than letters, or more than a switch can have.
    pub fn widened(&self, vcs: [usize; 2]) -> Result<Reference, ReferenceError> {
        for (letter, vcs) in Letter::ALL.into_iter().zip(vcs) {
            let letters = self.vcs(letter);
            if letters > vcs {
                return Err(ReferenceError::TooFew { letter, letters, vcs });
            }
            if vcs > MAX_VCS {
                return Err(ReferenceError::TooMany { letter, letters: vcs });
            }
        }
        let mut missing = Letter::ALL.map(|letter| vcs[letter as usize] - self.vcs(letter));
        let mut front = Vec::new();
        let own = &self.letters[..self.requests];
        for &letter in own.iter().rev().cycle() {
            if own.iter().all(|letter| missing[*letter as usize] == 0) {
                break;
            }
            if missing[letter as usize] > 0 {
                missing[letter as usize] -= 1;
                front.push(letter);
            }
        }
        // A class without a letter in the sequence gets its VCs at the very front.
        front.extend(Letter::ALL.into_iter().flat_map(|letter| vec![letter; missing[letter as usize]]));
        front.reverse();
        Ok(Reference { requests: front.len() + self.requests, letters: [front, self.letters.clone()].concat() })
    }

    /// All letters: those of replies.
    pub fn letters(&self) -> &[Letter] {
        &self.letters
    }

    /// The letters of requests.
    pub fn of_requests(&self) -> &[Letter] {
        &self.letters[..self.requests]
    }

    /// Whether replies are a class of their own.
    pub fn has_replies(&self) -> bool {
        self.requests < self.letters.len()
    }

    /// Virtual channels of a class.
    pub fn vcs(&self, letter: Letter) -> usize {
        self.letters.iter().filter(|&&other| other == letter).count()
    }

    /// Index of a VC; none if the class has no such VC.
    pub fn index(&self, letter: Letter, vc: usize) -> Option<usize> {
        (0..self.letters.len()).filter(|&j| self.letters[j] == letter).nth(vc)
    }

    /// The VCs of a class that stand at these indices, as a mask.
    pub fn vcs_at(&self, letter: Letter, indices: u32) -> u16 {
        let of_class = (0..self.letters.len()).filter(|&j| self.letters[j] == letter);
        of_class.enumerate().filter(|(_, j)| indices >> j & 1 == 1).fold(0, |mask, (vc, _)| mask | 1 << vc)
    }

    /// The lowest VC of a mask whose index is above that of the VC by which the packet came. From a node, a request may
    /// start at any index, and a reply at those of replies: requests must not stand in its way, since nodes that wait
    /// for room for replies take no requests.
    pub fn above(&self, class: PacketClass, came: Option<(Letter, usize)>, letter: Letter, mask: u16) -> Option<usize> {
        let first = match (came, class) {
            (Some((letter, vc)), _) => self.index(letter, vc)? + 1,
            (None, PacketClass::Reply) if self.has_replies() => self.requests,
            (None, _) => 0,
        };
        let is_above = |vc: &usize| mask >> vc & 1 == 1 && self.index(letter, *vc) >= Some(first);
        (0..self.vcs(letter)).find(is_above)
    }

    /// The VC by the rule `next`: the lowest legal one above that by which the packet came; without such a VC, the
    /// highest legal one. None if none is legal.
    pub fn next(&self, class: PacketClass, came: Option<(Letter, usize)>, letter: Letter, mask: u16) -> Option<usize> {
        let highest = || (0..self.vcs(letter)).rev().find(|vc| mask >> vc & 1 == 1);
        self.above(class, came, letter, mask).or_else(highest)
    }
}

impl fmt::Display for Reference {
    /// With indices: `l0 g1 l2`; replies behind a bar.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (j, letter) in self.letters.iter().enumerate() {
            let before = if j == 0 { "" } else { " " };
            let bar = if j == self.requests { "| " } else { "" };
            write!(f, "{before}{bar}{}{j}", letter.char())?;
        }
        Ok(())
    }
}
