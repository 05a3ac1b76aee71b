//! Everything about a run that isn't the switch.

use super::failure::LinkFailure;
use super::{OwnTraffic, TrafficSource};
use crate::random::Random;
use crate::traffic::{Burst, LegalTraffic, Lengths, Pattern, Trace, SAVED_TRACE};
use railyard_bench::endpoint::{Cam, Sink, Stalls};
use railyard_input::{Fault, Faults, Schema};
use railyard_spec::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};
use std::sync::{Arc, LazyLock};

/// Most changes of the table for each cycle.
pub const MOST_MOVES: f64 = 0.1;

/// Barriers at which a node arrives, for each cycle, if nothing else is said.
pub const BARRIERS: f64 = 0.02;

/// Cycles that the writes of an entry of the forwarding table take, about.
const CYCLES_PER_ENTRY: f64 = 6.0;

/// Entries of the forwarding table that are in use at least.
const FEWEST_ENTRIES: f64 = 4.0;

/// JSON Schema (draft 2020-12) of [`Scenario`], generated from its types.
pub fn json_schema() -> Value {
    schemars::schema_for!(Scenario).to_value()
}

/// The schema, generated once: a sweep reads thousands of scenarios.
static SCHEMA: LazyLock<Schema> =
    LazyLock::new(|| Schema::new(json_schema(), |path| (path.is_empty()).then(|| json!({}))));

/// A run's stimulus: with a switch and a number of cycles it says each input in each cycle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "Railyard scenario")]
pub struct Scenario {
    /// Seed of everything random.
    pub seed: u64,
    /// Legal traffic.
    pub traffic: LegalTraffic,
    /// How the next buffers give credit back.
    pub sink: Sink,
    /// How the CAM behaves.
    pub cam: Cam,
    /// Illegal acts for each cycle. Above 0 the scoreboard is off: only the golden model judges.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub mischief: f64,
    /// Resets in mid-traffic for each cycle.
    #[schemars(range(min = 0.0, max = 0.1))]
    pub resets: f64,
    /// Switches with registers: changes of the table and of multicast groups, or moves to another place in a topology,
    /// in mid-traffic, for each cycle. Packets on their way at that time may follow the old routes or the new ones;
    /// later ones must follow the new ones.
    #[schemars(range(min = 0.0, max = MOST_MOVES))]
    pub moves: f64,
    /// Switches with a barrier VC: chance for each cycle that a node arrives at a barrier, if it does not wait. With
    /// more than four groups each is slower, in proportion. The groups, faults of the links (messages lost, repeated,
    /// corrupted or forged), and how often groups are set up anew follow from the seed.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub barriers: f64,
    /// Directed phases in place of the traffic's pattern, load, lengths and bursts. Sources, next buffers and CAM lead
    /// the switch to its limits, one after the other. With mischief, all senders break rules at once now and then,
    /// while error flags are cleared.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub directed: bool,
    /// Switches with registers: a link that fails, and the change that leads around it. Not beside moves, which would
    /// undo it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<LinkFailure>,
    /// Traffic of one's own, in place of the traffic's pattern, load, lengths, bursts and multicast packets. No part of
    /// the JSON.
    #[serde(skip)]
    pub own: Option<OwnTraffic>,
}

impl Default for Scenario {
    fn default() -> Self {
        Scenario {
            seed: 0,
            traffic: LegalTraffic::default(),
            sink: Sink::default(),
            cam: Cam::default(),
            mischief: 0.0,
            resets: 0.0,
            moves: 0.0,
            barriers: BARRIERS,
            directed: false,
            failure: None,
            own: None,
        }
    }
}

impl Scenario {
    /// A pattern at a load.
    pub fn new(seed: u64, pattern: Pattern, load: f64) -> Scenario {
        Scenario { seed, traffic: LegalTraffic { pattern, load, ..LegalTraffic::default() }, ..Scenario::default() }
    }

    /// The packets of a file.
    pub fn replay(seed: u64, trace: Arc<Trace>) -> Scenario {
        Scenario {
            seed,
            traffic: LegalTraffic { trace: Some(trace), ..LegalTraffic::default() },
            ..Scenario::default()
        }
    }

    /// Traffic of one's own.
    pub fn own(seed: u64, source: impl TrafficSource + 'static) -> Scenario {
        Scenario { seed, own: Some(OwnTraffic::new(source)), ..Scenario::default() }
    }

    /// Directed phases that lead the switch to its limits, all senders being legal.
    pub fn limits(seed: u64) -> Scenario {
        let sink = Sink { delay_max: 3, ..Sink::default() };
        Scenario { seed, sink, directed: true, barriers: 1.0, ..Scenario::default() }
    }

    /// The same among illegal senders.
    pub fn faults(seed: u64) -> Scenario {
        Scenario { mischief: 0.05, ..Scenario::limits(seed) }
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
        let pattern = Pattern::OF_SWITCHES[random.below(Pattern::OF_SWITCHES.len() as u64) as usize];
        let lengths = match random.below(4) {
            0 => Lengths::Longest,
            1 => Lengths::Fixed(random.within(1, 8) as u16),
            2 => Lengths::Uniform,
            _ => Lengths::Bimodal { short: share(random) },
        };
        let traffic = LegalTraffic {
            pattern: Pattern::named(pattern).expect("the name is from the list"),
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
        Scenario { seed, traffic, sink, cam, mischief, resets, moves, barriers, ..Scenario::default() }
    }

    /// Entries of the forwarding table on the chip that are in use: as many as find a place nearly always, and no more
    /// than can be written in a quarter of the time between two resets or changes.
    pub fn table_entries(&self, shape: &Shape) -> usize {
        let Some(table) = shape.forwarding_table() else { return 0 };
        let fillable = (table.ways * table.sets) as f64 * if table.ways < 4 { 0.25 } else { 0.875 };
        let rate = self.resets.max(self.moves);
        (0.25 / rate / CYCLES_PER_ENTRY).clamp(FEWEST_ENTRIES, fillable) as usize
    }

    /// Reads a scenario and checks all its rules but those of the switch that it is for.
    ///
    /// # Errors
    /// All faults at once.
    pub fn from_json(text: &str) -> Result<Scenario, Faults> {
        SCHEMA.read(text).and_then(Scenario::joined)
    }

    /// As [`Scenario::from_json`], of a document that is read already.
    ///
    /// # Errors
    /// All faults at once.
    pub fn from_value(value: Value) -> Result<Scenario, Faults> {
        SCHEMA.read_value(value, Faults::default()).and_then(Scenario::joined)
    }

    /// The scenario, if the rules hold that join several fields.
    fn joined(self) -> Result<Scenario, Faults> {
        let mut faults = Faults::default();
        let mut rule = |path: &str, holds: bool, value: String, rule: String, legal: String| {
            if !holds {
                faults.push(Fault { path: path.into(), value, rule, legal });
            }
        };
        let is_alone = self.failure.is_none() || self.moves == 0.0;
        rule("/moves", is_alone, self.moves.to_string(), "must be 0 beside a failure".into(), "0".into());
        for (low, least, high, most) in [
            ("/sink/delay_min", self.sink.delay_min, "/sink/delay_max", self.sink.delay_max),
            ("/cam/latency_min", self.cam.latency_min, "/cam/latency_max", self.cam.latency_max),
        ] {
            let text = format!("must be at most {high}, which is {most}");
            rule(low, least <= most, least.to_string(), text, most.to_string());
        }
        match faults.is_empty() {
            true => Ok(self),
            false => Err(faults),
        }
    }

    /// What the traffic is called: the pattern, `trace` for a file, the name of traffic of one's own, and for directed
    /// phases `limits`, or `faults` with illegal senders.
    pub fn traffic_name(&self) -> &'static str {
        match (self.directed, self.mischief > 0.0) {
            (true, true) => "faults",
            (true, false) => "limits",
            (false, _) => self.own.as_ref().map_or(self.traffic.name(), OwnTraffic::name),
        }
    }

    /// Options of the command line that give a switch this scenario: pattern and load by name, a trace by its file,
    /// anything beyond as JSON.
    pub fn arguments(&self, shape: &Shape) -> Vec<String> {
        let (pattern, load, seed) = (self.traffic.pattern, self.traffic.load, self.seed.to_string());
        let plain = Pattern::named(pattern.name()).expect("a pattern's name names it");
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
        if *self == Scenario::any(self.seed) {
            return words(&["--seed", &seed, "--traffic", "any"]);
        }
        for (name, directed) in [("limits", Scenario::limits(self.seed)), ("faults", Scenario::faults(self.seed))] {
            if *self == directed {
                return words(&["--seed", &seed, "--traffic", name]);
            }
        }
        if *self == Scenario::new(self.seed, plain, load) {
            return words(&["--seed", &seed, "--traffic", pattern.name(), "--load", &load.to_string()]);
        }
        let json = || serde_json::to_string(&self.fitted(shape)).expect("plain numbers and names");
        match &self.traffic.trace {
            None => words(&["--scenario", &json()]),
            Some(trace) => {
                let plain = *self == Scenario::replay(self.seed, trace.clone());
                let (option, value) = if plain { ("--seed", seed) } else { ("--scenario", json()) };
                words(&[option, &value, "--traffic-file", &trace.file.again(SAVED_TRACE)])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_input::InputSource;

    #[test]
    fn arguments_are_short_for_plain_scenarios_and_complete_for_others() {
        let preset = railyard_spec::presets::find("dawning16").unwrap();
        let shape = railyard_spec::Config::from_json(preset.json).unwrap().shape();
        let mut scenario = Scenario::new(7, Pattern::Tornado, 0.25);
        assert_eq!(scenario.arguments(&shape).join(" "), "--seed 7 --traffic tornado --load 0.25");
        assert_eq!(
            [scenario.clone(), Scenario::limits(7), Scenario::faults(7)].map(|s| s.traffic_name()),
            ["tornado", "limits", "faults"]
        );
        scenario.mischief = 0.01;
        let arguments = scenario.arguments(&shape);
        assert_eq!(arguments[0], "--scenario");
        assert_eq!(serde_json::from_str::<Scenario>(&arguments[1]).unwrap(), scenario);
        assert_eq!(Scenario::any(3).arguments(&shape).join(" "), "--seed 3 --traffic any");
    }

    fn faults(text: &str) -> Vec<String> {
        let faults = Scenario::from_json(text).expect_err(text).first;
        faults.iter().map(|f| format!("{}: {} {}; legal: {}", f.path, f.value, f.rule, f.legal)).collect()
    }

    #[test]
    fn ranges_are_checked_and_every_mix_keeps_them() {
        let scenarios = (0..1_000).map(Scenario::any).chain([Scenario::default()]);
        for scenario in scenarios {
            assert_eq!(Scenario::from_value(json!(scenario)), Ok(scenario));
        }
        let text = r#"{"traffic": {"load": 2, "queue": 0}, "sink": {"delay_max": 5000}, "mischief": -1}"#;
        assert_eq!(
            faults(text),
            [
                "/mischief: -1 must be at least 0.0; legal: 0.0",
                "/sink/delay_max: 5000 must be at most 1023; legal: 1023",
                "/traffic/load: 2 must be at most 1.0; legal: 1.0",
                "/traffic/queue: 0 must be at least 1; legal: 1",
            ]
        );
        let text = r#"{"sink": {"delay_min": 5, "delay_max": 4}, "cam": {"latency_min": 9, "latency_max": 8}}"#;
        let faults = faults(text);
        assert_eq!(faults[0], "/sink/delay_min: 5 must be at most /sink/delay_max, which is 4; legal: 4");
        assert_eq!(faults.len(), 2, "{faults:?}");
    }

    #[test]
    fn what_is_no_scenario_is_refused_with_path_value_and_rule() {
        let one = |text: &str| {
            let list = faults(text);
            assert_eq!(list.len(), 1, "{list:?}");
            list[0].clone()
        };
        assert_eq!(one("[]"), ": [] must be of type object; legal: {}");
        assert!(one("{").contains("is not JSON"));
        assert!(one(r#"{"seed": 1, "seed": 2}"#).starts_with("/seed: 1 and 2 is given more than once"));
        assert!(one(r#"{"colour": 1}"#)
            .starts_with("/colour: 1 is not a field here; legal: leave it out; fields here: seed,"));
        assert!(one(r#"{"seed": 18446744073709551616}"#).starts_with("/seed: "), "{}", one(r#"{"seed": 1e30}"#));
        let pattern = one(r#"{"traffic": {"pattern": "rush_hour"}}"#);
        assert!(pattern.contains(r#"must be one of "uniform", "transpose""#), "{pattern}");
        assert!(pattern.contains("or of type object"), "{pattern}");
        let share = one(r#"{"traffic": {"pattern": {"hot_spot": {"port": 3, "share": 7}}}}"#);
        assert_eq!(share, "/traffic/pattern/hot_spot/share: 7 must be at most 1.0; legal: 1.0");
        let short = one(r#"{"traffic": {"lengths": {"bimodal": {"short": -2}}}}"#);
        assert_eq!(short, "/traffic/lengths/bimodal/short: -2 must be at least 0.0; legal: 0.0");
        assert!(one(r#"{"failure": {"cycle": 1, "port": 0}}"#)
            .starts_with("/failure/detour: (missing) must be given; legal: 0"));
    }

    #[test]
    fn a_trace_is_named_beside_the_rest() {
        let shape = railyard_spec::Config::named("trace").check().unwrap().shape();
        let trace = Arc::new(Trace::parse(&InputSource::File("a.trace".into()), "5 0 1 8", &shape).unwrap());
        let mut scenario = Scenario::replay(3, trace.clone());
        assert_eq!(scenario.arguments(&shape).join(" "), "--seed 3 --traffic-file a.trace");
        scenario.sink.delay_max = 9;
        let arguments = scenario.arguments(&shape);
        assert_eq!([&arguments[0], &arguments[2], &arguments[3]], ["--scenario", "--traffic-file", "a.trace"]);
        let mut read: Scenario = serde_json::from_str(&arguments[1]).unwrap();
        read.traffic.trace = Some(trace);
        // The switch has no barrier VC.
        assert_eq!(read, Scenario { barriers: 0.0, ..scenario });
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
