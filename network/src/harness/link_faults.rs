//! What goes wrong in a cycle with what comes out of a link.

/// Faults of one direction of a link in one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkFaults {
    /// The message that comes out is lost.
    pub message_lost: bool,
    /// Bit of it that is flipped.
    pub message_flip: Option<u8>,
    /// VCs whose credit report is lost.
    pub credits_lost: u16,
    /// VCs of whose credit report the highest bit is flipped.
    pub credits_flipped: u16,
    /// The totals of all VCs come out, news or not; then none is lost or flipped.
    pub credit_repeat: bool,
}

impl LinkFaults {
    /// The first word of the flit that comes out.
    pub fn word(&self, word: u32) -> u32 {
        self.message_flip.map_or(word, |bit| word ^ 1 << bit)
    }

    /// The VCs of which credit comes out, where it went in for `reports`.
    pub fn reports(&self, reports: u16, vcs: usize) -> u16 {
        match self.credit_repeat {
            true => (1 << vcs) - 1,
            false => reports & !self.credits_lost,
        }
    }

    /// The credit of a VC as it comes out, `bits` wide.
    pub fn credit(&self, vc: usize, credit: u16, bits: u32) -> u16 {
        credit ^ (self.credits_flipped >> vc & 1) << (bits - 1)
    }
}
