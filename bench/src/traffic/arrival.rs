//! When sources have a new packet.

use crate::random::{Geometric, Random, Wheel};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bursts: a source is on for some packets, back to back at link rate and to one destination, then off; the off
/// times make the offered load what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Burst {
    /// Mean number of packets of a burst, at least 1.
    #[schemars(range(min = 1.0, max = 1e6))]
    pub packets: f64,
}

/// The arrival process of all sources.
#[derive(Clone, Debug)]
pub struct Arrivals {
    wheel: Wheel,
    process: Option<ArrivalProcess>,
    /// Packets left of each source's burst, the next one included.
    left: Vec<u64>,
    /// Sources whose next packet begins a burst.
    beginning: u64,
}

/// When a source has its next packet.
#[derive(Clone, Debug)]
pub struct ArrivalProcess(Kind);

#[derive(Clone, Debug)]
enum Kind {
    /// In each cycle with the same chance.
    Memoryless(Geometric),
    /// On and off.
    Bursty(OnOff),
}

/// Packets of a burst, and cycles (less one) between two.
#[derive(Clone, Debug)]
struct OnOff {
    size: Geometric,
    off: Geometric,
}

impl ArrivalProcess {
    /// A source that offers `load` flits a cycle in packets of `mean_length`; none if it offers nothing.
    pub fn new(load: f64, mean_length: f64, burst: Option<Burst>) -> Option<ArrivalProcess> {
        let load = load.clamp(0.0, 1.0);
        (load > 0.0).then(|| match burst {
            None => ArrivalProcess(Kind::Memoryless(Geometric::new(load / mean_length))),
            Some(Burst { packets }) => {
                let packets = packets.max(1.0);
                let off = packets * mean_length * (1.0 / load - 1.0);
                let (size, off) = (Geometric::with_mean(packets), Geometric::with_mean(off + 1.0));
                ArrivalProcess(Kind::Bursty(OnOff { size, off }))
            }
        })
    }

    /// Cycles from a packet of `length` flits to the next one, and whether that begins a burst (each packet does,
    /// without bursts). `left` are the packets left of the source's burst.
    #[inline]
    pub fn draw(&self, length: u64, left: &mut u64, random: &mut Random) -> (u64, bool) {
        match &self.0 {
            Kind::Memoryless(gap) => (gap.draw(random), true),
            Kind::Bursty(_) if *left > 1 => {
                *left -= 1;
                (length, false)
            }
            Kind::Bursty(on_off) => {
                *left = on_off.size.draw(random);
                (length + on_off.off.draw(random) - 1, true)
            }
        }
    }
}

impl Arrivals {
    /// Sources that offer `load` flits a cycle in packets of `mean_length`.
    pub fn new(ports: usize, load: f64, mean_length: f64, burst: Option<Burst>, random: &mut Random) -> Arrivals {
        let process = ArrivalProcess::new(load, mean_length, burst);
        let mut arrivals = Arrivals { wheel: Wheel::new(ports), process, left: vec![0; ports], beginning: u64::MAX };
        for port in 0..ports {
            arrivals.plan(port, 0, mean_length as u16, random);
        }
        arrivals
    }

    /// The sources with a new packet in cycle `now`, as a mask. To be asked in every cycle.
    #[inline]
    pub fn due(&mut self, now: u64) -> u64 {
        self.wheel.due(now)
    }

    /// Whether the next packet of `port` begins a burst (each packet does, without bursts).
    #[inline]
    pub fn begins_burst(&self, port: usize) -> bool {
        self.beginning >> port & 1 == 1
    }

    /// Plans the packet after that of `length` flits which `port` has in cycle `now`.
    #[inline]
    pub fn plan(&mut self, port: usize, now: u64, length: u16, random: &mut Random) {
        let Some(process) = &self.process else { return };
        let (wait, begins) = process.draw(u64::from(length), &mut self.left[port], random);
        self.beginning = self.beginning & !(1 << port) | u64::from(begins) << port;
        self.wheel.plan(port, now, now + wait);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(load: f64, burst: Option<Burst>) -> f64 {
        let mut random = Random::new(5, 0);
        let mut arrivals = Arrivals::new(8, load, 4.0, burst, &mut random);
        let (mut flits, cycles) = (0u64, 200_000);
        for now in 1..=cycles {
            for port in railyard_model::bits::ones(arrivals.due(now)) {
                flits += 4;
                arrivals.plan(port, now, 4, &mut random);
            }
        }
        flits as f64 / (8 * cycles) as f64
    }

    /// The two states of a source and the mean length of a burst are those of the Markov model of [`Burst`]:
    /// Fuentes2017, 1.6.1.3.
    #[test]
    fn bursts_have_their_mean() {
        let (mut random, mut left) = (Random::new(3, 0), 0);
        for (load, packets) in [(0.1, 5.0), (0.4, 5.0), (0.8, 2.0), (0.4, 1.0)] {
            let process = ArrivalProcess::new(load, 8.0, Some(Burst { packets })).unwrap();
            let draws: Vec<(u64, bool)> = (0..200_000).map(|_| process.draw(8, &mut left, &mut random)).collect();
            let bursts = draws.iter().filter(|(_, begins)| *begins).count() as f64;
            let cycles: u64 = draws.iter().map(|(wait, _)| wait).sum();
            assert!((draws.len() as f64 / bursts / packets - 1.0).abs() < 0.02, "{load} {packets}");
            let on = 8.0 * draws.len() as f64 / cycles as f64;
            assert!((on / load - 1.0).abs() < 0.02, "{load} {packets}: {on}");
        }
    }

    #[test]
    fn the_load_is_what_was_asked_for() {
        for load in [0.0, 0.01, 0.3, 0.9, 1.0] {
            for burst in [None, Some(Burst { packets: 1.0 }), Some(Burst { packets: 8.0 })] {
                let got = offered(load, burst);
                assert!((got - load).abs() < (0.04 * load).max(0.002), "{load} {burst:?}: {got}");
            }
        }
    }
}
