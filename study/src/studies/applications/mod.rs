//! Sections 4.3.3 and 5.4.3 of the thesis, section 5 of the journal version: the speed of MPI applications, by SimGrid.

mod speed;
pub(crate) mod systems;

use crate::jobs::{applications, Job};
use crate::report::{beside, rounded};
use crate::simgrid::{Checkout, SimGrid};
use crate::{Error, Organisation, Seed, StudyOptions, StudyPart, StudyReport, StudyTable};
use railyard_network::blueprint::Blueprint;
use railyard_plot::{Axis, Dot, Picture};
use rayon::prelude::*;
use serde_json::{json, Value};
use speed::{Cached, Program};
use std::path::Path;
use systems::{dragonfly, drawn, own_cycles, torus, SwitchCycles, System};

const NAME: &str = "applications";
/// Gbps of the journal's systems.
const BANDWIDTH: u32 = 200;
/// Gbps between which the thesis compares.
const SLOW_AND_FAST: [u32; 2] = [100, 1600];
/// Operations of a node in a ns: cases 1 and 2 of the journal, chapter 5 of the thesis.
const CASE_1: f64 = 5e3;
const CASE_2: f64 = 50e3;
const CHAPTER_5: f64 = 100.0;
/// Switches of the journal, and of the thesis.
const CASE_1_SWITCHES: SwitchCycles = SwitchCycles { conventional: 100, hit: 77, miss: 102 };
const CASE_2_SWITCHES: SwitchCycles = SwitchCycles { conventional: 60, hit: 42, miss: 62 };
const THESIS: SwitchCycles = SwitchCycles { conventional: 60, hit: 51, miss: 61 };
/// Bits of our flit.
const OWN_BANDWIDTH: u32 = 64;
/// Our cache, and one that is too small for the nodes.
const OWN_ENTRIES: [usize; 2] = [2048, 16];

/// Ranks of the applications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranks(usize);

impl Ranks {
    /// A quick look, and the sizes of the seeds.
    pub const ALL: [Ranks; 3] = [Ranks(16), Ranks(64), Ranks(256)];

    /// Their number.
    pub const fn number(self) -> usize {
        self.0
    }

    /// The torus of so many switches, in so many dimensions.
    fn radix(self, dimensions: u32) -> Vec<usize> {
        let radix = crate::jobs::patterns::grid(self.0 as u64, dimensions);
        radix.into_iter().map(|switches| switches as usize).collect()
    }
}

/// 64 ranks.
impl Default for Ranks {
    fn default() -> Ranks {
        Ranks::ALL[1]
    }
}

/// Applications as SimGrid replays them.
struct Programs {
    simgrid: SimGrid,
    jobs: Vec<(Job, Program)>,
}

pub(super) fn run(options: &StudyOptions) -> Result<StudyReport, Error> {
    let ranks = options.ranks;
    let simgrid = SimGrid::new()?;
    let jobs = match &options.nas {
        Some(folder) => recorded(&simgrid, folder, ranks)?,
        None => {
            let skeleton = |job: Job| {
                let program = Program::skeleton(&job, ranks.0);
                (job, program)
            };
            applications(ranks.0 as u64).into_iter().map(skeleton).collect()
        }
    };
    let programs = Programs { simgrid, jobs };
    let parts =
        vec![programs.latency(ranks, options.seed)?, programs.bandwidth(ranks, options.seed)?, programs.own(ranks)?];
    Ok(StudyReport { study: NAME, seed: options.seed, parts, notes: notes(options.nas.is_some()) })
}

/// The codes of a checkout, recorded on the first system.
fn recorded(simgrid: &SimGrid, folder: &Path, ranks: Ranks) -> Result<Vec<(Job, Program)>, Error> {
    let checkout = Checkout::new(simgrid, folder)?;
    let platform = case_1(ranks).platform(CASE_1_SWITCHES.hit);
    let jobs: Vec<Job> = applications(ranks.0 as u64).into_iter().filter(|job| checkout.has(job)).collect();
    if jobs.is_empty() {
        let rule = "has none of the folders BT, CG, DT, FT, IS, LU, MG and SP".into();
        return Err(Error::Nas { path: folder.into(), rule });
    }
    let record = |job: Job| {
        let trace = checkout.record(&job, ranks.0, &platform)?;
        Ok((job, Program::recorded(trace, ranks.0)))
    };
    jobs.into_iter().map(record).collect()
}

/// The journal's first system.
fn case_1(ranks: Ranks) -> System {
    let blueprint = torus(&ranks.radix(3));
    System { name: "case 1", blueprint, cycles: CASE_1_SWITCHES, bandwidth: BANDWIDTH, gigaflops: CASE_1 }
}

/// A mean of all NAS codes; DT is one code, whatever the number of its graphs.
fn mean(rows: &[(&Job, f64)]) -> f64 {
    let mut codes: indexmap::IndexMap<&str, Vec<f64>> = indexmap::IndexMap::new();
    for (job, value) in rows.iter().filter(|(job, _)| job.is_traced) {
        codes.entry(job.name.split(' ').next().unwrap_or_default()).or_default().push(*value);
    }
    let of_code = |values: &Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    codes.values().map(of_code).sum::<f64>() / codes.len() as f64
}

/// How much faster, in percent.
fn faster(before: f64, after: f64) -> f64 {
    100.0 * (before / after - 1.0)
}

/// Seconds as milliseconds.
fn ms(seconds: f64) -> Value {
    json!((seconds * 1e7).round() / 1e4)
}

impl Programs {
    /// Runs each job, on all cores.
    fn all<T: Send>(&self, run: impl Fn(&Program) -> Result<T, Error> + Sync) -> Result<Vec<(&Job, T)>, Error> {
        self.jobs.par_iter().map(|(job, program)| Ok((job, run(program)?))).collect()
    }

    /// The journal's systems: what the cache wins at one bandwidth, without and with misses.
    fn latency(&self, ranks: Ranks, seed: u64) -> Result<StudyPart, Error> {
        let blueprint = drawn(ranks.0, 6, seed);
        let case_2 =
            System { name: "case 2", blueprint, cycles: CASE_2_SWITCHES, bandwidth: BANDWIDTH, gigaflops: CASE_2 };
        let systems = [case_1(ranks), case_2];
        let heads = [
            "system",
            "job",
            "no cache ms",
            "hit gain %",
            "seed %",
            "difference",
            "cold gain %",
            "misses %",
            "replays",
        ];
        let (mut table, mut series, mut published) = (StudyTable::new(&heads), Vec::new(), Vec::new());
        for system in &systems {
            let gains = self.all(|program| self.gain(program, system, Organisation::default()))?;
            for (job, gain) in &gains {
                let head = [json!(system.name), json!(job.name), ms(gain.before)];
                table.push(head.into_iter().chain(beside(gain.hit, Seed::Silent)).chain(gain.cells()));
            }
            let of = |which: fn(&Gain) -> f64| {
                mean(&gains.iter().map(|(job, gain)| (*job, which(gain))).collect::<Vec<_>>())
            };
            let (hit, cold) = (of(|gain| gain.hit), of(|gain| gain.cold));
            let printed = printed_percent(system.name, ranks);
            let head = [json!(system.name), json!(MEAN), Value::Null];
            table.push(head.into_iter().chain(beside(hit, printed)).chain([rounded(cold), Value::Null, Value::Null]));
            published.extend(printed.at(0.0).map(|point| point.of(system.name)));
            series.push((system.name.to_string(), vec![Dot::at(0.0, hit), Dot::at(1.0, cold)]));
        }
        let title = format!("A cache against none, {} switches, {BANDWIDTH} Gbps", ranks.0);
        let axes = [
            Axis::linear("0: all lookups hit; 1: caches are empty at the start"),
            Axis::linear("gain, %, mean of the codes"),
        ];
        Ok(part("latency", title, table, axes, ("system", series), published))
    }

    /// What a cache wins of a program on a system.
    fn gain(&self, program: &Program, system: &System, cache: Organisation) -> Result<Gain, Error> {
        let before = program.seconds(&program.pass(&self.simgrid, system, system.cycles.conventional)?);
        let hit = program.pass(&self.simgrid, system, system.cycles.hit)?;
        let cached = program.cached(&self.simgrid, system, cache, &hit)?;
        let [hit, cold] = [program.seconds(&hit), cached.seconds].map(|after| faster(before, after));
        Ok(Gain { before, hit, cold, cached })
    }

    /// The thesis' systems: fast links and caches against slow links without them.
    fn bandwidth(&self, ranks: Ranks, seed: u64) -> Result<StudyPart, Error> {
        let square = ranks.radix(2);
        let systems = [
            ("random", drawn(ranks.0, 8, seed), CASE_2),
            ("torus", torus(&ranks.radix(4)), CHAPTER_5),
            ("Dragonfly", dragonfly(square[0], square[1]), CHAPTER_5),
        ];
        let heads = ["network", "job", "no cache ms", "fast links", "and a cache", "seed", "difference"];
        let (mut table, mut series, mut published) = (StudyTable::new(&heads), Vec::new(), Vec::new());
        for (name, blueprint, gigaflops) in systems {
            let gains = self.all(|program| self.speed_ups(program, &blueprint, gigaflops))?;
            for (job, (before, [links, both])) in &gains {
                let head = [json!(name), json!(job.name), ms(*before), rounded(*links)];
                table.push(head.into_iter().chain(beside(*both, printed_gain(name, &job.name, ranks))));
            }
            let of =
                |which: usize| mean(&gains.iter().map(|(job, (_, gains))| (*job, gains[which])).collect::<Vec<_>>());
            let printed = printed_gain(name, MEAN, ranks);
            let head = [json!(name), json!(MEAN), Value::Null, rounded(of(0))];
            table.push(head.into_iter().chain(beside(of(1), printed)));
            published.extend(printed.at(1.0).map(|point| point.of(name)));
            series.push((name.to_string(), vec![Dot::at(0.0, of(0)), Dot::at(1.0, of(1))]));
        }
        let [slow, fast] = SLOW_AND_FAST;
        let title = format!("{fast} Gbps against {slow} Gbps without a cache, {} switches", ranks.0);
        let axes =
            [Axis::linear("0: without a cache; 1: with a cache"), Axis::linear("times as fast, mean of the codes")];
        Ok(part("bandwidth", title, table, axes, ("network", series), published))
    }

    /// Seconds with slow links and without a cache; how much faster with fast links, and with these and a cache that
    /// always hits.
    fn speed_ups(&self, program: &Program, blueprint: &Blueprint, gigaflops: f64) -> Result<(f64, [f64; 2]), Error> {
        let [slow, fast] = SLOW_AND_FAST;
        let seconds = |bandwidth, switch_cycles| -> Result<f64, Error> {
            let system = System { name: "", blueprint: blueprint.clone(), cycles: THESIS, bandwidth, gigaflops };
            Ok(program.seconds(&program.pass(&self.simgrid, &system, switch_cycles)?))
        };
        let before = seconds(slow, THESIS.conventional)?;
        Ok((before, [before / seconds(fast, THESIS.conventional)?, before / seconds(fast, THESIS.hit)?]))
    }

    /// Our own switch, with the cycles of the golden model.
    fn own(&self, ranks: Ranks) -> Result<StudyPart, Error> {
        let cycles = own_cycles();
        let blueprint = torus(&ranks.radix(3));
        let system = System { name: "ours", blueprint, cycles, bandwidth: OWN_BANDWIDTH, gigaflops: CASE_1 };
        let heads = [
            "job",
            "entries",
            "CAM alone ms",
            "hit gain %",
            "seed",
            "difference",
            "cold gain %",
            "misses %",
            "replays",
        ];
        let (mut table, mut means) = (StudyTable::new(&heads), Vec::new());
        for entries in OWN_ENTRIES {
            let cache = Organisation { entries, ..Organisation::default() };
            let gains = self.all(|program| self.gain(program, &system, cache))?;
            for (job, gain) in &gains {
                let head = [json!(job.name), json!(entries), ms(gain.before)];
                table.push(head.into_iter().chain(beside(gain.hit, Seed::Silent)).chain(gain.cells()));
            }
            let cold: Vec<(&Job, f64)> = gains.iter().map(|(job, gain)| (*job, gain.cold)).collect();
            means.push(Dot::at(entries as f64, mean(&cold)));
        }
        let SwitchCycles { conventional, hit, miss } = cycles;
        let title = format!(
            "Our switch on {} nodes: {conventional} cycles by the CAM alone, {hit} on a hit, {miss} on a miss",
            ranks.0
        );
        let axes = [Axis::log("entries of a cache"), Axis::linear("gain over the CAM alone, %, mean of the codes")];
        let series = vec![("empty at the start".into(), means)];
        Ok(part("own", title, table, axes, ("cache", series), Vec::new()))
    }
}

/// What a cache wins.
struct Gain {
    /// Seconds without it.
    before: f64,
    /// Percent, if all lookups hit.
    hit: f64,
    /// Percent, if the caches are empty at the start.
    cold: f64,
    cached: Cached,
}

impl Gain {
    /// Cells of the empty caches: gain, misses, replays.
    fn cells(&self) -> [Value; 3] {
        [rounded(self.cold), rounded(self.cached.miss_percent), json!(self.cached.replays)]
    }
}

/// What the journal prints of caches that always hit: the mean of the codes.
fn printed_percent(system: &str, ranks: Ranks) -> Seed {
    match (system, ranks.0) {
        ("case 1", 64) => Seed::Number(5.2),
        ("case 1", 256) => Seed::Number(6.9),
        ("case 2", 64) => Seed::Number(5.5),
        _ => Seed::Silent,
    }
}

/// The row of a mean.
const MEAN: &str = "mean";

/// What the thesis prints of fast links and caches, 256 switches: chapter 4 of the random network, chapter 5 of the
/// others.
fn printed_gain(network: &str, job: &str, ranks: Ranks) -> Seed {
    match (ranks.0, network, job) {
        (256, "random", MEAN) => Seed::Number(4.39),
        (256, "random", "FT" | "IS") => Seed::Above(4.0),
        (256, "random", "BT" | "LU" | "SP") => Seed::Below(3.0),
        (256, "torus", MEAN) => Seed::Number(5.07),
        (256, "torus", job) if job.starts_with("DT ") => Seed::Number(15.3),
        (256, "Dragonfly", MEAN) => Seed::Number(4.27),
        (256, "Dragonfly", job) if job.starts_with("DT ") => Seed::Number(15.7),
        _ => Seed::Silent,
    }
}

fn part(
    which: &str,
    title: String,
    table: StudyTable,
    axes: [Axis; 2],
    (legend, series): (&str, Vec<(String, Vec<Dot>)>),
    published: Vec<railyard_plot::Published>,
) -> StudyPart {
    let picture = Picture { title: title.clone(), axes, legend: Some(legend.into()), series, published, front: None };
    StudyPart { name: format!("{NAME}-{which}"), title, table, picture }
}

fn notes(is_recorded: bool) -> Vec<String> {
    let programs = match is_recorded {
        true => {
            "Programs: the codes of the checkout (FT and IS in class A, the others in class B), a rank a node, recorded in one run \
             and replayed. They compute what the codes count as operations, spread evenly over their calls of MPI."
        }
        false => {
            "Programs: our own communication skeletons of the NAS codes (FT and IS in class A, the others in class B), a rank a \
             node. They compute what the codes count as operations. One pass of the main phase is replayed, and taken as often as \
             the code makes it. The seed ran the codes themselves."
        }
    };
    vec![
        programs.into(),
        "Hit: each lookup hits. Cold: caches of the golden model at all input ports, empty at the start, see the messages of the \
         replay, one lookup a message and switch. What misses is late in the next replay, until the same messages miss again. \
         The second pass starts with the caches of the first; others are as the second."
            .into(),
        format!("Links take {} ns, which the seed does not print. SimGrid's model is CM02, without TCP's window.", systems::LINK),
    ]
}
