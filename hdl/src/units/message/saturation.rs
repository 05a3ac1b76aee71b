//! Saturation: which global links of a switch have many more places in use than the mean of all, and when that is told.
//!
//! State: a pointer to one global output after the other; the sum of places in use; both sides of the comparison for
//! the output of the cycle before; the saturated links, and those that were told; the cycles since then.
//!
//! Source: reference of Dragonfly routing, router messages (saturated global links); Fuentes2017, 1.4.2.1.1.

use crate::units::prelude::*;

/// Bits of the factor, which is in quarters.
const FACTOR_BITS: usize = 4;
/// Bits of the offset.
const OFFSET_BITS: usize = 10;

/// Which global links of a switch are saturated, and when that is told.
#[block(links: usize, queue_bits: usize)]
pub struct Saturation {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Places in use behind global output j.
    pub queued: Vec<Sig<In, queue_bits>, links>,
    /// Factor of the mean, in quarters.
    pub factor: Sig<In, FACTOR_BITS>,
    /// Places more than that.
    pub offset: Sig<In, OFFSET_BITS>,
    /// Least cycles between two messages.
    pub gap: Sig<In, PAUSE_BITS>,
    /// Global link j is saturated.
    pub saturated: Sig<Out, links>,
    /// Saturated links, as they were told last.
    pub told: Sig<Out, links>,
    /// What is told changes, or is told again.
    pub tells: Flag<Out>,

    /// Output that is looked at.
    pointer: Reg<pointer_bits>,
    /// Output that was looked at in the cycle before.
    last: Reg<pointer_bits>,
    /// Sum of places in use.
    sum: Reg<sum_bits>,
    /// Places in use of the output, times 4 h.
    level: Reg<level_bits>,
    /// Limit of that.
    bar: Reg<level_bits>,
    /// Register of `saturated`.
    flags: Reg<links>,
    /// Register of `told`.
    told_flags: Reg<links>,
    /// Cycles since `told` changed or was told again.
    pause: Reg<PAUSE_BITS>,

    scaled: Product<queue_bits, scale_bits, 0, product_bits>,
    weighted: Product<sum_bits, FACTOR_BITS, 0, weighted_bits>,
    raised: Product<OFFSET_BITS, scale_bits, 0, raised_bits>,

    /// Sum so far.
    sum_after: Sig<Local, sum_bits>,
    /// Places in use of the output that is looked at.
    looked_at: Sig<Local, queue_bits>,
    /// The limit before it is registered.
    bar_after: Sig<Local, level_bits>,
    /// The output that was looked at is saturated.
    exceeds: Flag<Local>,
    /// Value of `saturated` after the current cycle.
    flags_after: Sig<Local, links>,
    /// Value of `tells`.
    telling: Flag<Local>,

    scale: Konst<scale_bits, { 4 * links }>,
    scale_bits: Number<{ clog2(4 * links + 1) }>,
    last_link: Number<{ links - 1 }>,
    pointer_bits: Number<{ clog2(links).max(1) }>,
    sum_bits: Number<{ queue_bits + clog2(links) }>,
    product_bits: Number<{ queue_bits + scale_bits }>,
    weighted_bits: Number<{ sum_bits + FACTOR_BITS }>,
    raised_bits: Number<{ OFFSET_BITS + scale_bits }>,
    level_bits: Number<{ weighted_bits.max(raised_bits).max(product_bits) + 1 }>,
    links: Param,
    queue_bits: Param,
}

#[kernel]
impl Saturation {
    fn update(&mut self) {
        self.look();
        self.compare();
        self.tell();
    }

    /// One output after the other.
    fn look(&mut self) {
        self.pointer.d.next = self.pointer.q.val() + 1;
        if self.pointer.q.val() == self.last_link {
            self.pointer.d.next = 0.into();
        }
        self.last.d.next = self.pointer.q.val();
        self.sum_after.next = 0.into();
        self.looked_at.next = 0.into();
        for j in 0..self.links {
            self.sum_after.next = self.sum_after.val() + unsigned_cast(self.queued[j].val());
            if self.pointer.q.val() == j {
                self.looked_at.next = self.queued[j].val();
            }
        }
        self.sum.d.next = self.sum_after.val();
        self.scaled.a.next = self.looked_at.val();
        self.scaled.b.next = self.scale.val();
        self.weighted.a.next = self.sum.q.val();
        self.weighted.b.next = self.factor.val();
        self.raised.a.next = self.offset.val();
        self.raised.b.next = self.scale.val();
        self.level.d.next = unsigned_cast(self.scaled.part.val());
        self.bar_after.next = unsigned_cast(self.weighted.part.val());
        self.bar.d.next = self.bar_after.val() + unsigned_cast(self.raised.part.val());
    }

    fn compare(&mut self) {
        self.exceeds.next = self.level.q.val() > self.bar.q.val();
        self.flags_after.next = self.flags.q.val();
        for j in 0..self.links {
            if self.last.q.val() == j {
                self.flags_after.set(j, self.exceeds.val());
            }
        }
        self.flags.d.next = self.flags_after.val();
        self.saturated.next = self.flags.q.val();
    }

    /// A change is told after a while, and without one it is told again from time to time.
    fn tell(&mut self) {
        self.telling.next = self.pause.q.val().all()
            | ((self.flags.q.val() != self.told_flags.q.val()) & (self.pause.q.val() >= self.gap.val()));
        self.tells.next = self.telling.val();
        self.pause.d.next = self.pause.q.val() + 1;
        if self.telling.val() {
            self.pause.d.next = 0.into();
            self.told_flags.d.next = self.flags.q.val();
        }
        self.told.next = self.told_flags.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With plain numbers, for one, two and five links.
    #[test]
    fn links_above_the_mean_are_saturated() {
        let mut random = 5u64;
        let mut draw = move |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % n
        };
        for links in [1usize, 2, 5] {
            let mut bench = Bench::new(saturation(links, 7), |b| &mut b.clock);
            bench.reset.next = true;
            bench.cycle();
            bench.reset.next = false;
            let (mut pointer, mut sum, mut pending): (usize, u64, Option<(usize, bool)>) = (0, 0, None);
            let (mut flags, mut told, mut pause) = (0u64, 0u64, 0u64);
            let mut queued = vec![0u64; links];
            let (mut set, mut tellings) = (0, 0);
            for cycle in 0..6000 {
                if cycle % 50 == 0 {
                    queued = (0..links).map(|_| draw(2) * draw(128)).collect();
                }
                let (factor, offset, gap) = (draw(16), draw(2) * draw(40), (cycle / 1000 * 50) as u64 & 255);
                (0..links).for_each(|j| bench.queued[j].next = queued[j].into());
                bench.factor.next = factor.into();
                bench.offset.next = offset.into();
                bench.gap.next = gap.into();
                bench.settle();
                let tells = pause == 255 || (flags != told && pause >= gap);
                assert_eq!(bench.saturated.val().to_u128(), u128::from(flags), "cycle {cycle}");
                assert_eq!(bench.told.val().to_u128(), u128::from(told));
                assert_eq!(bench.tells.val(), tells, "cycle {cycle}");
                let scale = 4 * links as u64;
                let high = scale * queued[pointer] > factor * sum + scale * offset;
                if tells {
                    (told, pause) = (flags, 0);
                } else {
                    pause += 1;
                }
                if let Some((j, high)) = pending {
                    flags = flags & !(1 << j) | u64::from(high) << j;
                }
                pending = Some((pointer, high));
                sum = queued.iter().sum();
                pointer = (pointer + 1) % links;
                set += u32::from(flags != 0);
                tellings += u32::from(tells);
                bench.cycle();
            }
            assert!(set > 300 && tellings > 30, "{set} {tellings}");
        }
    }
}
