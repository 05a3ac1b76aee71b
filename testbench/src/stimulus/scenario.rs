//! Everything about a run that isn't the switch.

use super::{cam::Cam, failure::LinkFailure, sink::Sink, stall::Stalls};
use crate::random::Random;
use crate::traffic::{Burst, Lengths, Pattern, Trace, Traffic};
use railyard_spec::Shape;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Most changes of the table for each cycle.
pub const MOST_MOVES: f64 = 0.1;

/// Barriers at which a node arrives, for each cycle, if nothing else is said.
pub const BARRIERS: f64 = 0.02;

/// Cycles that the writes of an entry of the forwarding table take, about.
const CYCLES_PER_ENTRY: f64 = 6.0;

/// Entries of the forwarding table that are in use at least.
const FEWEST_ENTRIES: f64 = 4.0;

/// A run's stimulus: with a switch and a number of cycles it says each input in each cycle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scenario {
    /// Seed of everything random.
    pub seed: u64,
    /// Legal traffic.
    pub traffic: Traffic,
    /// How the next buffers give credit back.
    pub sink: Sink,
    /// How the CAM behaves.
    pub cam: Cam,
    /// Illegal acts for each cycle. Above 0 the scoreboard is off: only the golden model judges.
    pub mischief: f64,
    /// Resets in mid-traffic for each cycle.
    pub resets: f64,
    /// Switches with registers: changes of the table and of multicast groups, or moves to another place in a topology, in mid-traffic, for each cycle. Packets on
    /// their way at that time may follow the old routes or the new ones; later ones must follow the new ones.
    pub moves: f64,
    /// Switches with a barrier VC: barriers at which each node arrives, for each cycle in which it does not wait at one (of more
    /// than four groups, each is as much slower). The groups, what gets
    /// lost, repeated, corrupted or forged on the links, and how often groups are set up anew follow from the seed.
    pub barriers: f64,
    /// Switches with registers: a link that fails, and the change that leads around it. Not beside moves, which would undo it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<LinkFailure>,
}

impl Default for Scenario {
    fn default() -> Self {
        Scenario {
            seed: 0,
            traffic: Traffic::default(),
            sink: Sink::default(),
            cam: Cam::default(),
            mischief: 0.0,
            resets: 0.0,
            moves: 0.0,
            barriers: BARRIERS,
            failure: None,
        }
    }
}

impl Scenario {
    /// A pattern at a load.
    pub fn new(seed: u64, pattern: Pattern, load: f64) -> Scenario {
        Scenario { seed, traffic: Traffic { pattern, load, ..Traffic::default() }, ..Scenario::default() }
    }

    /// The packets of a file.
    pub fn replay(seed: u64, trace: Arc<Trace>) -> Scenario {
        Scenario { seed, traffic: Traffic { trace: Some(trace), ..Traffic::default() }, ..Scenario::default() }
    }

    /// A scenario picked by its seed from all there is: of the seeds, a third with mischief, a third with resets.
    pub fn any(seed: u64) -> Scenario {
        let mut random = Random::new(seed, 0);
        let random = &mut random;
        fn share(random: &mut Random) -> f64 {
            random.below(1_001) as f64 / 1_000.0
        }
        fn maybe(random: &mut Random, one_in: u64) -> bool {
            random.below(one_in) == 0
        }
        let stalls = |random: &mut Random| Stalls { share: 0.9 * share(random), cycles: 1.0 + 99.0 * share(random) };
        let pattern = Pattern::named(Pattern::NAMES[random.below(Pattern::NAMES.len() as u64) as usize]);
        let lengths = match random.below(4) {
            0 => Lengths::Longest,
            1 => Lengths::Fixed(random.within(1, 8) as u16),
            2 => Lengths::Uniform,
            _ => Lengths::Bimodal { short: share(random) },
        };
        let traffic = Traffic {
            pattern: pattern.expect("the name is from the list"),
            load: if maybe(random, 3) { 1.0 } else { share(random) },
            lengths,
            burst: maybe(random, 4).then(|| Burst { packets: 1.0 + 20.0 * share(random) }),
            bubbles: if maybe(random, 2) { share(random) * 0.8 } else { 0.0 },
            interleave: maybe(random, 2),
            addresses_per_port: 1 << random.below(12),
            fresh: if maybe(random, 2) { share(random) } else { 0.0 },
            twins: if seed % 2 == 0 { 0.3 } else { 0.0 },
            unroutable: if maybe(random, 2) { share(random) * 0.3 } else { 0.0 },
            multicast: if seed % 4 == 0 { 0.0 } else { [0.1, 0.4, 0.9][(seed / 4 % 3) as usize] },
            queue: 64,
            trace: None,
        };
        let range = |low: u64, high: u64| (low, high.max(low));
        let sink = match random.below(3) {
            0 => Sink::default(),
            _ => {
                let (delay_min, delay_max) = range(random.below(4), random.below(60));
                Sink {
                    delay_min,
                    delay_max,
                    stalls: maybe(random, 2).then(|| stalls(random)),
                    lost: if maybe(random, 2) { share(random) * 0.5 } else { 0.0 },
                }
            }
        };
        let cam = match random.below(3) {
            0 => Cam::default(),
            _ => {
                let (latency_min, latency_max) = range(random.below(10), random.below(100));
                Cam { latency_min, latency_max, stalls: maybe(random, 2).then(|| stalls(random)), ..Cam::default() }
            }
        };
        let mischief = if maybe(random, 3) { [0.5, 0.05, 0.005][random.below(3) as usize] } else { 0.0 };
        let resets = if maybe(random, 3) { 0.001 } else { 0.0 };
        let moves = if seed % 3 == 0 { 0.002 } else { 0.0 };
        let barriers = [BARRIERS, 1.0, 0.002][(seed % 5).min(2) as usize];
        Scenario { seed, traffic, sink, cam, mischief, resets, moves, barriers, failure: None }
    }

    /// Entries of the forwarding table on the chip that are in use: as many as find a place nearly always, and no more than can be written
    /// in a quarter of the time between two resets or changes.
    pub fn table_entries(&self, shape: &Shape) -> usize {
        let Some(table) = shape.forwarding_table() else { return 0 };
        let fillable = (table.ways * table.sets) as f64 * if table.ways < 4 { 0.25 } else { 0.875 };
        let rate = self.resets.max(self.moves);
        (0.25 / rate / CYCLES_PER_ENTRY).clamp(FEWEST_ENTRIES, fillable) as usize
    }

    /// What is out of range, all of it, a line each: path, value, rule.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut within = |path: &str, value: f64, low: f64, high: f64| {
            if !(low..=high).contains(&value) {
                faults.push(format!("{path}: {value} must be from {low} to {high}"));
            }
        };
        let traffic = &self.traffic;
        within("traffic.load", traffic.load, 0.0, 1.0);
        within("traffic.bubbles", traffic.bubbles, 0.0, 0.95);
        within("traffic.fresh", traffic.fresh, 0.0, 1.0);
        within("traffic.twins", traffic.twins, 0.0, 1.0);
        within("traffic.unroutable", traffic.unroutable, 0.0, 1.0);
        within("traffic.multicast", traffic.multicast, 0.0, 1.0);
        within("traffic.addresses_per_port", traffic.addresses_per_port as f64, 1.0, 1_048_576.0);
        within("traffic.queue", traffic.queue as f64, 1.0, 65_536.0);
        if let Some(burst) = &traffic.burst {
            within("traffic.burst.packets", burst.packets, 1.0, 1e6);
        }
        match traffic.lengths {
            Lengths::Fixed(length) => within("traffic.lengths.fixed", f64::from(length), 1.0, 256.0),
            Lengths::Bimodal { short } => within("traffic.lengths.bimodal.short", short, 0.0, 1.0),
            Lengths::Longest | Lengths::Uniform => {}
        }
        if let Pattern::HotSpot { port, share } = traffic.pattern {
            within("traffic.pattern.hot_spot.port", port as f64, 0.0, 63.0);
            within("traffic.pattern.hot_spot.share", share, 0.0, 1.0);
        }
        within("sink.delay_max", self.sink.delay_max as f64, 0.0, 1_023.0);
        within("sink.delay_min", self.sink.delay_min as f64, 0.0, 1_023.0);
        within("sink.lost", self.sink.lost, 0.0, 0.95);
        within("cam.latency_max", self.cam.latency_max as f64, 0.0, 1_023.0);
        within("cam.latency_min", self.cam.latency_min as f64, 0.0, 1_023.0);
        within("cam.interval", self.cam.interval as f64, 1.0, 1_023.0);
        for (path, stalls) in [("sink.stalls", &self.sink.stalls), ("cam.stalls", &self.cam.stalls)] {
            if let Some(stalls) = stalls {
                within(&format!("{path}.share"), stalls.share, 0.0, 0.95);
                within(&format!("{path}.cycles"), stalls.cycles, 1.0, 1e6);
            }
        }
        within("mischief", self.mischief, 0.0, 1.0);
        within("resets", self.resets, 0.0, 0.1);
        within("moves", self.moves, 0.0, MOST_MOVES);
        within("barriers", self.barriers, 0.0, 1.0);
        if self.failure.is_some() && self.moves > 0.0 {
            faults.push(format!("moves: {} must be 0 beside a failure", self.moves));
        }
        for (low, least, high, most) in [
            ("sink.delay_min", self.sink.delay_min, "sink.delay_max", self.sink.delay_max),
            ("cam.latency_min", self.cam.latency_min, "cam.latency_max", self.cam.latency_max),
        ] {
            if least > most {
                faults.push(format!("{low}: {least} must be at most {high}, which is {most}"));
            }
        }
        faults
    }

    /// Options of the command line that give this scenario: pattern and load by name, a trace by its file, anything beyond
    /// as JSON.
    pub fn arguments(&self) -> Vec<String> {
        let (pattern, load, seed) = (self.traffic.pattern, self.traffic.load, self.seed.to_string());
        let plain = Pattern::named(pattern.name()).expect("a pattern's name names it");
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
        if *self == Scenario::any(self.seed) {
            return words(&["--seed", &seed, "--traffic", "any"]);
        }
        if *self == Scenario::new(self.seed, plain, load) {
            return words(&["--seed", &seed, "--traffic", pattern.name(), "--load", &load.to_string()]);
        }
        let json = || serde_json::to_string(self).expect("plain numbers and names");
        match &self.traffic.trace {
            None => words(&["--scenario", &json()]),
            Some(trace) => {
                let plain = *self == Scenario::replay(self.seed, trace.clone());
                let (option, value) = if plain { ("--seed", seed) } else { ("--scenario", json()) };
                words(&[option, &value, "--traffic-file", &trace.file.to_string_lossy()])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_short_for_plain_scenarios_and_complete_for_others() {
        let mut scenario = Scenario::new(7, Pattern::Tornado, 0.25);
        assert_eq!(scenario.arguments().join(" "), "--seed 7 --traffic tornado --load 0.25");
        scenario.mischief = 0.01;
        let arguments = scenario.arguments();
        assert_eq!(arguments[0], "--scenario");
        assert_eq!(serde_json::from_str::<Scenario>(&arguments[1]).unwrap(), scenario);
        assert_eq!(Scenario::any(3).arguments().join(" "), "--seed 3 --traffic any");
    }

    #[test]
    fn ranges_are_checked_and_every_mix_keeps_them() {
        (0..1_000).for_each(|seed| assert_eq!(Scenario::any(seed).faults(), [""; 0]));
        assert_eq!(Scenario::default().faults(), [""; 0]);
        let text = r#"{"traffic": {"load": 2, "queue": 0}, "sink": {"delay_max": 5000}, "mischief": -1}"#;
        let faults = serde_json::from_str::<Scenario>(text).unwrap().faults();
        assert_eq!(faults.len(), 4, "{faults:?}");
        let text = r#"{"sink": {"delay_min": 5, "delay_max": 4}, "cam": {"latency_min": 9, "latency_max": 8}}"#;
        let faults = serde_json::from_str::<Scenario>(text).unwrap().faults();
        assert_eq!(faults[0], "sink.delay_min: 5 must be at most sink.delay_max, which is 4");
        assert_eq!(faults.len(), 2, "{faults:?}");
    }

    #[test]
    fn a_trace_is_named_beside_the_rest() {
        let shape = railyard_spec::Config::named("trace").shape();
        let trace = Arc::new(Trace::parse("a.trace".as_ref(), "5 0 1 8", &shape).unwrap());
        let mut scenario = Scenario::replay(3, trace.clone());
        assert_eq!(scenario.arguments().join(" "), "--seed 3 --traffic-file a.trace");
        scenario.sink.delay_max = 9;
        let arguments = scenario.arguments();
        assert_eq!([&arguments[0], &arguments[2], &arguments[3]], ["--scenario", "--traffic-file", "a.trace"]);
        let mut read: Scenario = serde_json::from_str(&arguments[1]).unwrap();
        read.traffic.trace = Some(trace);
        assert_eq!(read, scenario);
    }

    /// Few seeds are run by default: what hides behind a reset or a broken rule must not need many.
    #[test]
    fn a_third_of_the_mixes_has_resets_and_a_third_has_mischief() {
        let share = |has: fn(Scenario) -> bool| (0..3_000).filter(|&seed| has(Scenario::any(seed))).count();
        assert!((900..1_100).contains(&share(|mix| mix.resets > 0.0)));
        assert!((900..1_100).contains(&share(|mix| mix.mischief > 0.0)));
    }

    #[test]
    fn json_may_leave_out_what_is_default() {
        let scenario: Scenario = serde_json::from_str(r#"{"seed": 4, "traffic": {"load": 0.9}}"#).unwrap();
        assert_eq!(scenario, Scenario::new(4, Pattern::Uniform, 0.9));
    }
}
