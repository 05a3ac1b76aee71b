//! A calendar for up to 64 things that each happen once at a known cycle: asking "what is due?" costs one load.

const SLOTS: u64 = 256;

/// When each of up to 64 things is due next.
#[derive(Clone, Debug)]
pub struct Wheel {
    slots: Vec<u64>,
    due: Vec<u64>,
}

impl Wheel {
    /// Nothing planned for any of `things`.
    pub fn new(things: usize) -> Wheel {
        Wheel { slots: vec![0; SLOTS as usize], due: vec![0; things] }
    }

    /// Plans `thing`, which isn't planned now, for a cycle after `now`.
    #[inline]
    pub fn plan(&mut self, thing: usize, now: u64, cycle: u64) {
        debug_assert!(cycle > now);
        self.due[thing] = cycle;
        // What is further away than a turn is looked at again after one.
        self.slots[(cycle.min(now + SLOTS - 1) % SLOTS) as usize] |= 1 << thing;
    }

    /// The things due at `now`, no longer planned. To be asked in every cycle.
    #[inline]
    pub fn due(&mut self, now: u64) -> u64 {
        let slot = std::mem::take(&mut self.slots[(now % SLOTS) as usize]);
        let mut due = slot;
        let mut rest = slot;
        while rest != 0 {
            let thing = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if self.due[thing] > now {
                due &= !(1 << thing);
                self.plan(thing, now, self.due[thing]);
            }
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_comes_up_once_at_its_cycle() {
        let plan = [1, 1, 255, 256, 257, 1000, 511, 5000];
        let mut wheel = Wheel::new(plan.len());
        for (thing, &cycle) in plan.iter().enumerate() {
            wheel.plan(thing, 0, cycle);
        }
        let mut seen = vec![Vec::new(); plan.len()];
        for now in 1..6000 {
            railyard_model::bits::ones(wheel.due(now)).for_each(|thing| seen[thing].push(now));
        }
        assert_eq!(seen, plan.iter().map(|&cycle| vec![cycle]).collect::<Vec<_>>());
    }
}
