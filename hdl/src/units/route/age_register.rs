//! Age register of a VC: the age of the packet in the hop register, and of the packet that was taken last.
//!
//! State: both ages, which rise by one a cycle up to the greatest age; and whether the packet in the hop register is
//! new.
//!
//! The head of the route queue has a time of birth, of one bit more than an age. So the queue holds no counters.
//!
//! Source: reference of Dragonfly routing, ages.

use crate::units::prelude::*;

/// Bits of a link's delay.
pub const DELAY_BITS: usize = 8;

/// Bits of a time of birth.
pub fn birth_bits(age_bits: u32) -> usize {
    age_bits as usize + 1
}

/// Bits of a time of birth in a Dragonfly's switch; 1 without ages.
pub fn birth_bits_of(built: &DragonflyShape) -> usize {
    built.age_bits.map_or(1, birth_bits)
}

/// Whether packets have ages.
pub fn has_ages(shape: &Shape) -> bool {
    shape.dragonfly().is_some_and(|built| built.age_bits.is_some())
}

/// Ages of the packet in the hop register, and of the packet that was taken last.
#[block(ports: usize, age_bits: usize, ranked: bool)]
pub struct AgeRegister {
    pub clock: ClockIn,
    /// Cycles since reset.
    pub now: Sig<In, { age_bits + 1 }>,
    /// Birth of the packet at the head of the route queue.
    pub birth: Sig<In, { age_bits + 1 }>,
    /// The head goes into the hop register.
    pub load: Flag<In>,
    /// The packet in the hop register is taken.
    pub take: Flag<In>,
    /// Output of the packet in the hop register, one-hot.
    pub request: Sig<In, ports>,
    /// By how much packets age on the link of port p.
    pub link_delay: Vec<Sig<In, DELAY_BITS>, ports>,
    /// Age of the packet in the hop register.
    pub age: Option<Sig<Out, age_bits>, ranked>,
    /// The packet in the hop register is new.
    pub fresh: Option<Flag<Out>, ranked>,
    /// Age with which the packet that was taken last leaves.
    pub departing: Sig<Out, age_bits>,

    /// Age of the packet in the hop register.
    held: Reg<age_bits, NoReset>,
    /// The packet in the hop register is new.
    is_new: Option<FlagReg<NoReset>, ranked>,
    /// Departure register: age.
    departure: Reg<age_bits, NoReset>,

    /// Cycles since the birth of the head's packet.
    elapsed: Sig<Local, { age_bits + 1 }>,
    /// By how much the packet in the hop register ages on its link.
    delay: Sig<Local, DELAY_BITS>,
    /// Age in the next cycle with that of the link.
    sum: Sig<Local, sum_bits>,

    age_field: Field<0, age_bits>,
    carry_field: Field<age_bits, { sum_bits - age_bits }>,
    sum_bits: Number<{ age_bits.max(DELAY_BITS) + 1 }>,
    ports: Param,
    age_bits: Param,
}

#[kernel]
impl AgeRegister {
    fn update(&mut self) {
        self.hold();
        self.depart();
        if let (Some(age), Some(fresh), Some(is_new)) = (&mut self.age, &mut self.fresh, &mut self.is_new) {
            is_new.d.next = self.load.val();
            age.next = self.held.q.val();
            fresh.next = is_new.q.val();
        }
    }

    fn hold(&mut self) {
        self.elapsed.next = self.now.val() - self.birth.val();
        if self.load.val() {
            self.held.d.next = self.elapsed.val() >> self.age_field.val();
            if self.elapsed.val().get_bit(self.age_bits) {
                self.held.d.next = !bit_cast_to(0.into(), self.age_bits);
            }
        } else if !self.held.q.val().all() {
            self.held.d.next = self.held.q.val() + 1;
        }
    }

    fn depart(&mut self) {
        self.delay.next = 0.into();
        for o in 0..self.ports {
            if self.request.val().get_bit(o) {
                self.delay.next = self.delay.val() | self.link_delay[o].val();
            }
        }
        self.sum.next = unsigned_cast(self.held.q.val()) + unsigned_cast(self.delay.val());
        self.sum.next = self.sum.val() + 1;
        if self.take.val() {
            self.departure.d.next = self.sum.val() >> self.age_field.val();
            if (self.sum.val() >> self.carry_field.val()).any() {
                self.departure.d.next = !bit_cast_to(0.into(), self.age_bits);
            }
        } else if !self.departure.q.val().all() {
            self.departure.d.next = self.departure.q.val() + 1;
        }
        self.departing.next = self.departure.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet is loaded and taken some cycles later; its ages are those of plain numbers, up to the greatest.
    #[test]
    fn ages_rise_up_to_the_greatest() {
        for bits in [4u32, 8, 12] {
            let (ports, greatest) = (3usize, (1u64 << bits) - 1);
            let mut bench = Bench::new(age_register(ports, bits as usize, true), |b| &mut b.clock);
            let delays = [0u64, 1, 200];
            (0..ports).for_each(|o| bench.link_delay[o].next = delays[o].into());
            let (mut now, mut random) = (0u64, 0x9e37_79b9_7f4a_7c15u64);
            let (mut held, mut departing): (Option<u64>, Option<u64>) = (None, None);
            let mut loaded = None;
            for cycle in 0..2000 {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let (came, output) = (random >> 40 & (2 * greatest + 1), (random >> 60) as usize % ports);
                let take = held.is_some() && random >> 50 & 3 == 0;
                let load = (held.is_none() || take) && random >> 55 & 1 == 1;
                bench.now.next = (now & (2 * greatest + 1)).into();
                bench.birth.next = (now.wrapping_sub(came) & (2 * greatest + 1)).into();
                (bench.load.next, bench.take.next) = (load, take);
                bench.request.next = (1u64 << output).into();
                bench.settle();
                let fresh = bench.fresh.as_ref().unwrap().val();
                assert!(loaded.is_none_or(|loaded| loaded == fresh), "cycle {cycle}");
                if let Some(age) = held {
                    assert_eq!(bench.age.as_ref().unwrap().val().to_u128(), age as u128, "cycle {cycle}");
                }
                if let Some(age) = departing {
                    assert_eq!(bench.departing.val().to_u128(), age as u128, "cycle {cycle}");
                }
                bench.cycle();
                departing = match take {
                    true => held.map(|age| (age + 1 + delays[output]).min(greatest)),
                    false => departing.map(|age| (age + 1).min(greatest)),
                };
                held = match load {
                    true => Some(came.min(greatest)),
                    false => held.filter(|_| !take).map(|age| (age + 1).min(greatest)),
                };
                (loaded, now) = (Some(load), now + 1);
            }
        }
    }
}
