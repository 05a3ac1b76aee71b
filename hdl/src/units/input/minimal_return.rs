//! Minimal return: tells the sender how many flits of minimal packets have left a VC's buffer.
//!
//! State: the running total (the output); whether the packet whose head left last is minimal.
//!
//! Source: reference of Dragonfly routing, minimal packets; Fuentes2017, 5.2.4 (FlexVC-minCred).

use crate::units::prelude::*;

/// Tells the sender how many flits of minimal packets have left a buffer.
#[block(credit_bits: usize)]
pub struct MinimalReturn {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// A flit leaves the buffer.
    pub popped: Flag<In>,
    /// The flit is the first of a packet.
    pub head: Flag<In>,
    /// The header of that packet came with the mark of minimal ones.
    pub minimal: Flag<In>,
    /// Flits of minimal packets since reset.
    pub total: Sig<Out, credit_bits>,

    counter: Counter<credit_bits>,
    /// The packet whose head left last is minimal.
    is_minimal: FlagReg,

    /// The flit counts.
    counts: Flag<Local>,

    credit_bits: Param,
}

#[kernel]
impl MinimalReturn {
    fn update(&mut self) {
        self.counts.next = self.is_minimal.q.val();
        if self.head.val() {
            self.counts.next = self.minimal.val();
        }
        if self.popped.val() {
            self.is_minimal.d.next = self.counts.val();
        }
        self.counter.step.next = self.popped.val() & self.counts.val();
        self.total.next = self.counter.count.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With plain numbers: packets of up to four flits, and heads without a mark behind those with one.
    #[test]
    fn flits_of_minimal_packets_are_counted() {
        let mut bench = Bench::new(minimal_return(5), |b| &mut b.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        let (mut total, mut is_minimal, mut left, mut counted) = (0u64, false, 0, 0);
        let mut random = 0x1234_5678_9abc_def1u64;
        for cycle in 0..2000 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (popped, mark) = (random >> 40 & 3 != 0, random >> 43 & 1 == 1);
            let head = left == 0;
            bench.popped.next = popped;
            bench.head.next = head;
            bench.minimal.next = mark;
            bench.settle();
            assert_eq!(bench.total.val().to_u128(), u128::from(total % 32), "cycle {cycle}");
            bench.cycle();
            if popped {
                is_minimal = if head { mark } else { is_minimal };
                left = if head { random >> 50 & 3 } else { left - 1 };
                total += u64::from(is_minimal);
                counted += u32::from(is_minimal && !head);
            }
        }
        assert!(counted > 200, "{counted}");
    }
}
