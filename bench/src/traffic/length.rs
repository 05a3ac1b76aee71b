//! Packet lengths.

use crate::random::{Chance, Random};
use railyard_spec::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Distribution of packet lengths in flits. Lengths outside header .. longest packet of the switch are clamped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Lengths {
    /// All as long as the switch allows.
    #[default]
    Longest,
    /// All of one length.
    Fixed(
        /// Flits.
        #[schemars(range(min = 1, max = 256))]
        u16,
    ),
    /// Every length from the header alone to the longest, alike.
    Uniform,
    /// Short ones (the header alone) and longest ones.
    Bimodal {
        /// Share of short packets.
        #[schemars(range(min = 0.0, max = 1.0))]
        short: f64,
    },
}

/// A distribution for one switch, ready to draw from.
#[derive(Clone, Debug)]
pub struct LengthSource {
    shortest: u16,
    longest: u16,
    short: Chance,
}

impl LengthSource {
    /// Prepares a distribution.
    pub fn new(lengths: Lengths, shape: &Shape) -> LengthSource {
        let (header, longest) = (shape.header_flits() as u16, shape.max_flits as u16);
        let fixed = |length: u16| LengthSource { shortest: length, longest: length, short: Chance::NEVER };
        match lengths {
            Lengths::Longest => fixed(longest),
            Lengths::Fixed(length) => fixed(length.clamp(header, longest)),
            Lengths::Uniform => LengthSource { shortest: header, longest, short: Chance::NEVER },
            Lengths::Bimodal { short } => {
                LengthSource { shortest: header, longest, short: Chance::new(short) }.bimodal()
            }
        }
    }

    /// With two modes, `short` of 0 still means two modes: make it the fixed distribution that it is.
    fn bimodal(self) -> LengthSource {
        match self.short {
            Chance::NEVER => LengthSource { shortest: self.longest, ..self },
            _ => self,
        }
    }

    /// The length of the next packet.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> u16 {
        if self.shortest == self.longest {
            return self.longest;
        }
        if self.short == Chance::NEVER {
            return random.within(u64::from(self.shortest), u64::from(self.longest)) as u16;
        }
        if random.happens(self.short) {
            self.shortest
        } else {
            self.longest
        }
    }

    /// The mean length.
    pub fn mean(&self) -> f64 {
        let (shortest, longest) = (f64::from(self.shortest), f64::from(self.longest));
        match self.short {
            Chance::NEVER => (shortest + longest) / 2.0,
            short => longest + (shortest - longest) * short.probability(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    #[test]
    fn draws_have_the_mean_they_say() {
        let shape = Config::named("lengths").check().unwrap().shape();
        let bimodal = |short| Lengths::Bimodal { short };
        for (lengths, mean) in [
            (Lengths::Longest, 8.0),
            (Lengths::Fixed(3), 3.0),
            (Lengths::Fixed(99), 8.0),
            (Lengths::Uniform, 4.5),
            (bimodal(0.5), 4.5),
            (bimodal(0.0), 8.0),
            (bimodal(1.0), 1.0),
        ] {
            let (source, mut random) = (LengthSource::new(lengths, &shape), Random::new(1, 0));
            let drawn = (0..40_000).map(|_| f64::from(source.draw(&mut random))).sum::<f64>() / 40_000.0;
            assert!((source.mean() - mean).abs() < 1e-9, "{lengths:?}: {}", source.mean());
            assert!((drawn - mean).abs() < 0.05, "{lengths:?}: {drawn}");
        }
    }
}
