//! VC choice: for one output to another switch, the legal virtual channel that a rule prefers, for each class of
//! packets and each case of a hop.
//!
//! State: the choice, one-hot, a register for each class and case.
//!
//! Each cycle: the legal VCs with room for a packet are the candidates. Of them the rule prefers the one with the most
//! room, the highest or the lowest. If it is built, a further rule prefers the one with the least key, all of which are
//! drawn by chance. Without a candidate the highest legal VC is chosen.
//!
//! Source: reference of Dragonfly routing, rules.

use crate::units::prelude::*;

/// Rule: most room.
const ROOM: usize = 1;

/// Rule: lowest.
const LOWEST: usize = 3;

/// Rule: random.
const RANDOM: usize = 4;

/// For one output, the virtual channel that a rule prefers, for each class and case.
#[block(shape: &Shape, built: &DragonflyShape)]
pub struct VcChoice {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// Legal VCs of class and case.
    pub legal: Vec<Sig<In, vcs>, cases>,
    /// Rule of choice: 0 and 2 highest with room, 1 most room, 3 lowest with room.
    /// Rule of choice: 0 and 2 highest with room, 1 most room, 3 lowest with room.
    #[made(rule_of(built))]
    pub rule: Sig<In>,
    /// Places in use of the next buffer of VC v.
    pub in_use: Vec<Sig<In, use_bits>, vcs>,
    /// Keys of all VCs, by chance.
    pub random: Option<Sig<In, 32>, by_chance>,
    /// VC for class and case, one-hot; zero if there is no legal VC.
    pub choice: Vec<Sig<Out, vcs>, cases>,

    /// Register of `choice`.
    chosen: Regs<cases, vcs>,

    /// VC v has room for a packet.
    fits: Sig<Local, vcs>,
    /// Legal VCs with room.
    candidates: Vec<Sig<Local, vcs>, cases>,
    /// Highest of the VCs that count.
    highest: Vec<Sig<Local, vcs>, cases>,
    /// Lowest of the candidates.
    lowest: Vec<Sig<Local, vcs>, cases>,
    /// Candidate with the most room so far.
    roomiest: Vec<Sig<Local, vcs>, cases>,
    /// Places in use of the candidate with the most room so far.
    least: Vec<Sig<Local, use_bits>, cases>,
    /// Key of VC v.
    key: Vec<Sig<Local, key_bits>, vcs, by_chance>,
    /// Candidate with the least key so far.
    drawn: Vec<Sig<Local, vcs>, cases, by_chance>,
    /// Key of the candidate with the least key so far.
    least_key: Vec<Sig<Local, key_bits>, cases, by_chance>,

    by_chance: Number<bool, { built.random_vcs }>,
    key_bits: Number<{ DragonflyShape::key_bits(shape.vcs) }>,
    all_ones: Number<{ (1 << key_bits) - 1 }>,
    limit: Number<{ shape.buffer_flits as usize - shape.max_flits as usize }>,
    use_bits: Number<{ in_use_bits(shape) }>,
    pub classes: Number<{ built.packet_classes().len() }>,
    cases: Param<{ cases(built) }>,
    vcs: Param<{ shape.vcs }>,
    buffer_flits: Param<{ shape.buffer_flits as usize }>,
    max_flits: Param<{ shape.max_flits as usize }>,
}

fn rule_of(built: &DragonflyShape) -> Sig<In> {
    sig(rule_bits(built)).doc(match built.random_vcs {
        false => "Rule of choice: 0 and 2 highest with room, 1 most room, 3 lowest with room.",
        true => "Rule of choice: 0 and 2 highest with room, 1 most room, 3 lowest with room, 4 least key with room.",
    })
}

#[kernel]
impl VcChoice {
    fn update(&mut self) {
        self.fits.next = 0.into();
        for v in 0..self.vcs {
            self.fits.set(v, self.in_use[v].val() <= self.limit);
        }
        for c in 0..self.cases {
            self.candidates[c].next = self.legal[c].val() & self.fits.val();
        }
        self.find_highest();
        self.find_roomiest();
        self.draw();
        self.choose();
    }

    /// The highest candidate, or else the highest legal VC; and the lowest candidate.
    fn find_highest(&mut self) {
        for c in 0..self.cases {
            self.highest[c].next = 0.into();
            for v in 0..self.vcs {
                if self.legal[c].val().get_bit(v) & (self.fits.val().get_bit(v) | !self.candidates[c].val().any()) {
                    self.highest[c].next = 0.into();
                    self.highest[c].set(v, true);
                }
            }
            self.lowest[c].next = self.candidates[c].val() & (!self.candidates[c].val() + 1);
        }
    }

    /// Of equals the highest.
    fn find_roomiest(&mut self) {
        for c in 0..self.cases {
            self.roomiest[c].next = 0.into();
            self.least[c].next = self.limit.into();
            for v in 0..self.vcs {
                if self.candidates[c].val().get_bit(v) & (self.in_use[v].val() <= self.least[c].val()) {
                    self.roomiest[c].next = 0.into();
                    self.roomiest[c].set(v, true);
                    self.least[c].next = self.in_use[v].val();
                }
            }
        }
    }

    /// Of equals the highest.
    fn draw(&mut self) {
        if let Some(random) = &self.random {
            for v in 0..self.vcs {
                self.key[v].next = unsigned_cast(random.val() >> (v * self.key_bits));
            }
            for c in 0..self.cases {
                self.drawn[c].next = 0.into();
                self.least_key[c].next = self.all_ones.into();
                for v in 0..self.vcs {
                    if self.candidates[c].val().get_bit(v) & (self.key[v].val() <= self.least_key[c].val()) {
                        self.drawn[c].next = 0.into();
                        self.drawn[c].set(v, true);
                        self.least_key[c].next = self.key[v].val();
                    }
                }
            }
        }
    }

    fn choose(&mut self) {
        for c in 0..self.cases {
            self.chosen.d[c].next = self.highest[c].val();
            if self.candidates[c].val().any() {
                if self.rule.val() == ROOM {
                    self.chosen.d[c].next = self.roomiest[c].val();
                } else if self.rule.val() == LOWEST {
                    self.chosen.d[c].next = self.lowest[c].val();
                }
            }
            if self.random.is_some() {
                if self.candidates[c].val().any() & (self.rule.val() == RANDOM) {
                    self.chosen.d[c].next = self.drawn[c].val();
                }
            }
            self.choice[c].next = self.chosen.q[c].val();
            assert!(!(self.chosen.q[c].val() & (self.chosen.q[c].val() - 1)).any(), "at most one VC is chosen");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    /// The rules with plain numbers.
    fn expected(rule: usize, legal: u32, in_use: &[usize], keys: &[usize], limit: usize) -> u32 {
        let vcs: Vec<usize> = (0..in_use.len()).filter(|v| legal >> v & 1 == 1).collect();
        let roomy: Vec<usize> = vcs.iter().copied().filter(|&v| in_use[v] <= limit).collect();
        let chosen = match rule {
            _ if roomy.is_empty() => vcs.last().copied(),
            1 => roomy.iter().copied().max_by_key(|&v| (usize::MAX - in_use[v], v)),
            3 => roomy.first().copied(),
            4 => roomy.iter().copied().max_by_key(|&v| (usize::MAX - keys[v], v)),
            _ => roomy.last().copied(),
        };
        chosen.map_or(0, |v| 1 << v)
    }

    #[test]
    fn rules_choose_among_the_legal_vcs() {
        let json = r#"{"name": "d", "ports": 7, "virtual_channels": {"unicast": 4}, "packet": {"max_flits": 2},
            "buffer_flits": 8, "routing": {"kind": "dragonfly", "vcs": {"requests": "llglgl"}, "flexible_vcs": true,
            "random_vcs": true, "adaptive": {"in_transit": true},
            "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}}}}"#;
        let shape = Config::from_json(json).unwrap().shape();
        let mut bench = Bench::new(vc_choice(&shape, shape.dragonfly().unwrap()), |b| &mut b.clock);
        let mut random = 9u64;
        let mut draw = move |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((random >> 33) % n) as usize
        };
        for round in 0..500 {
            let rule = draw(5);
            let in_use: Vec<usize> = (0..4).map(|_| draw(9)).collect();
            let legal: Vec<u32> = (0..4).map(|_| draw(16) as u32).collect();
            // Keys of four VCs have 8 bits; often some are equal.
            let keys: Vec<usize> = (0..4).map(|_| draw(1 << (1 + round % 8))).collect();
            let random = keys.iter().rev().fold(0, |all, key| all << 8 | key);
            bench.random.as_mut().unwrap().next = random.into();
            bench.rule.next = rule.into();
            (0..4).for_each(|v| bench.in_use[v].next = in_use[v].into());
            (0..4).for_each(|c| bench.legal[c].next = legal[c].into());
            bench.cycle();
            for (c, legal) in legal.iter().enumerate() {
                let expected = expected(rule, *legal, &in_use, &keys, 6);
                assert_eq!(
                    bench.choice[c].val().to_u128(),
                    u128::from(expected),
                    "round {round}, rule {rule}, {legal:b} of {in_use:?}"
                );
            }
        }
    }
}
