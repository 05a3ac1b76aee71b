//! The published figures, and how ours are got from the reports.

use railyard_estimate::{sram, LookupConstants, LookupEnergy, MemoryShape, Report};
use std::collections::BTreeMap;

/// Reports by the name of their subject.
pub type Reports = BTreeMap<&'static str, Report>;

/// A published figure.
pub struct Figure {
    /// What it is.
    pub what: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// Digits behind the point.
    pub digits: usize,
    /// Ours, if its subject was synthesised.
    pub ours: fn(&Reports) -> Option<f64>,
    /// How theirs is meant: `=`, `<`, `>`, `about`.
    pub relation: &'static str,
    /// Theirs.
    pub theirs: Option<f64>,
    /// What ours is meant to reach, where that is more than theirs.
    pub goal: Option<f64>,
    /// Where theirs is from.
    pub source: &'static str,
    /// What makes ours differ, or what is compared.
    pub note: &'static str,
}

impl Figure {
    fn goal(self, goal: f64) -> Figure {
        Figure { goal: Some(goal), ..self }
    }

    /// Whether a value of ours is on the right side of the goal, or else of theirs; none where there is no side.
    pub fn is_met(&self, ours: f64) -> Option<bool> {
        let limit = self.goal.or(self.theirs)?;
        match self.relation {
            "<" => Some(ours <= limit),
            ">" => Some(ours >= limit),
            _ => None,
        }
    }
}

/// Longest path of any kind, in ns.
fn longest(reports: &Reports, name: &str) -> Option<f64> {
    reports.get(name)?.whole.paths.longest().map(|path| path.delay_ns)
}

fn clock(reports: &Reports, name: &str) -> Option<f64> {
    reports.get(name)?.timing.fmax_mhz
}

fn area(reports: &Reports, name: &str) -> Option<f64> {
    reports.get(name).map(|report| report.area_um2)
}

/// Area of the memories of a routing cache in mm2.
fn cache_area(reports: &Reports) -> Option<f64> {
    reports.get("routing cache").map(|report| report.memory_area_um2 / 1e6)
}

/// The memory model's area of a cache with the seed's entries, 4 ways of 512 words of 12 bytes, in mm2.
fn seed_cache_area(_: &Reports) -> Option<f64> {
    let shape = MemoryShape { depth: 512, width: 96 };
    Some(4.0 * sram::Table::built_in().model(45).estimate(shape).area_um2 / 1e6)
}

/// Look-ups at the seed's 7 ports and 700 Gbit/s, with our cache memories and the seed's CAM.
fn lookup(reports: &Reports) -> Option<LookupEnergy> {
    let own = reports.get("hpc16")?.lookup_own_memories.as_ref()?.constants.clone();
    Some(LookupEnergy::at(own, 7, 700.0))
}

const SEED_000: &str = "seed 000, 4.4.1";
const SEED_000_5: &str = "seed 000, 5.4";
const SEED_004: &str = "seed 004, 6";
const DESIGN: &str = "design, section 7";

/// All figures, in the order of the table.
pub fn figures() -> Vec<Figure> {
    let seed = LookupEnergy::at(LookupConstants::seed(), 7, 700.0);
    let figure = |what, unit, digits, ours, relation, theirs, source, note| Figure {
        what,
        unit,
        digits,
        ours,
        relation,
        theirs,
        goal: None,
        source,
        note,
    };
    vec![
        figure("round-robin arbiter 1:16, longest path", "ns", 3, |r| longest(r, "arbiter 1:16"), "", None, "seed 004, 3.3", "no figure printed"),
        figure("round-robin arbiter 1:64, longest path", "ns", 3, |r| longest(r, "arbiter 1:64"), "", None, "seed 004, 3.3", "no figure printed"),
        figure("path of 1:16 over 1:64 (k = 4)", "", 2, |r| Some(longest(r, "arbiter 1:16")? / longest(r, "arbiter 1:64")?), "=", Some(0.25), "seed 004, 3.3", "the seed's 1/k is that of a linear search; ours is a prefix tree, log N"),
        figure("round-robin arbiter 1:16, area", "um2", 0, |r| area(r, "arbiter 1:16"), "", None, "seed 004, 3.3", "no figure printed"),
        figure("round-robin arbiter 1:64, area", "um2", 0, |r| area(r, "arbiter 1:64"), "", None, "seed 004, 3.3", "no figure printed"),
        figure("allocator of an output, k planes of 1:N, path", "ns", 3, |r| longest(r, "parallel allocator"), "<", None, "seed 004, 3.3", "16 ports, 4 VCs; the seed has it shorter than the next"),
        figure("allocator of an output, one kN arbiter, path", "ns", 3, |r| longest(r, "single allocator"), "", None, "seed 004, 3.3", "16 ports, 4 VCs"),
        figure("switch with parallel planes, clock", "MHz", 0, |r| clock(r, "parallel switch"), "", None, "seed 004, 3.3", "16 ports, 4 VCs, source-routed"),
        figure("switch with one kN x N plane, clock", "MHz", 0, |r| clock(r, "single switch"), "", None, "seed 004, 3.3", "16 ports, 4 VCs, source-routed"),
        figure("clock of parallel planes over one plane", "", 2, |r| Some(clock(r, "parallel switch")? / clock(r, "single switch")?), ">", Some(1.0), "seed 004, 3.3", "higher, says the seed; no figure"),
        figure("CRC hash of 24 bits, longest path", "ns", 3, |r| longest(r, "CRC hash"), "<", Some(1.0), "seed 000, 4.2", "one cycle of a switch at 1 GHz"),
        figure("CRC hash of 24 bits, area", "um2", 0, |r| area(r, "CRC hash"), "", None, "seed 000, 5.4", "trivial beside a switch, says the seed; no figure. Ours has the 9 bits of the index only"),
        figure("node reduction, cube of 6 dimensions of 16, area", "um2", 0, |r| area(r, "cube, 6 dimensions, full radix"), "<", Some(300.0), SEED_000_5, "combinational, mesh or torus at run time").goal(150.0),
        figure("the same, longest path", "ns", 3, |r| longest(r, "cube, 6 dimensions, full radix"), "<", Some(0.54), SEED_000_5, "").goal(0.4),
        figure("node reduction, cube of 6 dimensions of any radix, area", "um2", 0, |r| area(r, "cube, 6 dimensions"), "<", Some(300.0), SEED_000_5, "combinational, radix of each dimension at run time").goal(150.0),
        figure("the same, longest path", "ns", 3, |r| longest(r, "cube, 6 dimensions"), "<", Some(0.54), SEED_000_5, "").goal(0.4),
        figure("node reduction, fat tree of 5 dimensions, area", "um2", 0, |r| area(r, "fat tree, 5 dimensions"), "<", Some(114.0), SEED_000_5, "combinational"),
        figure("node reduction, cube of 3, 4, 6, 8 or 12 dimensions, area", "um2", 0, |r| area(r, "cube, any dimensions"), "<", Some(1200.0), SEED_000_5, "four times the cube of 6, says the seed").goal(600.0),
        figure("the same, longest path", "ns", 3, |r| longest(r, "cube, any dimensions"), "<", Some(1.0), SEED_000_5, "").goal(0.6),
        figure("the same in 3 stages, longest stage", "ns", 3, |r| longest(r, "cube, any dimensions, 3 stages"), "<", Some(0.72), SEED_000_5, "").goal(0.5),
        figure("all topologies in 3 stages, longest stage", "ns", 3, |r| longest(r, "all topologies, 3 stages"), "<", Some(0.72), SEED_000_5, "").goal(0.5),
        figure("the same, line rate", "Gbit/s", 0, |r| longest(r, "all topologies, 3 stages").map(|ns| 672.0 / ns), ">", Some(933.0), SEED_000_5, "672 bits a look-up").goal(1340.0),
        figure("routing cache, read and 4-way compare", "ns", 3, |r| longest(r, "routing cache"), "=", Some(0.41), "seed 000, 4.2", "theirs CACTI 6.5 at 32 nm; ours at 45 nm, to the end of the cycle of a hit"),
        figure("routing cache, memories of a port", "mm2", 4, cache_area, "=", Some(0.228), SEED_000, "45 nm; theirs has 12 bytes an entry, ours the 20 bits that it needs, and the order of use"),
        figure("the same with the seed's entries", "mm2", 4, seed_cache_area, "=", Some(0.228), SEED_000, "our memory model at 45 nm, 4 ways of 512 words of 12 bytes"),
        figure("routing cache, memories of 64 ports", "mm2", 2, |r| cache_area(r).map(|a| 64.0 * a), "=", Some(14.6), SEED_000, "the same"),
        figure("look-ups at 700 Gbit/s, CAM alone", "W", 2, |r| lookup(r).map(|l| l.conventional_w), "=", Some(43.8), SEED_000, "the seed's CAM: only a check of the equation"),
        figure("look-ups at 700 Gbit/s, 1 % misses", "W", 2, |r| lookup(r).map(|l| l.one_percent_w), "=", Some(seed.one_percent_w), SEED_000, "our cache memories, the seed's CAM"),
        figure("look-ups at 700 Gbit/s, no misses", "W", 2, |r| lookup(r).map(|l| l.no_miss_w), "=", Some(seed.no_miss_w), SEED_000, "our cache memories, the seed's CAM"),
        figure("router, 5 ports, 2 VCs, 16 flits a port, area", "um2", 0, |r| area(r, "router"), "<", Some(60_061.0), "measured", "preset noc5 and the default of the Stanford router in the same flow (flat, abc -D 100 -constr); buffers of both are flip-flops, routing is dimension-order. Ours has settings at run time behind APB"),
        figure("the same, longest path", "ns", 3, |r| reports_period(r, "router"), "<", Some(0.99), "measured", "Stanford router, its default, same library"),
        figure("hpc16, clock", "MHz", 0, |r| clock(r, "hpc16"), ">", Some(1000.0), DESIGN, ""),
        figure("hpc16, area", "mm2", 3, |r| area(r, "hpc16").map(|a| a / 1e6), "", None, DESIGN, ""),
        figure("hpc64, clock", "MHz", 0, |r| clock(r, "hpc64"), ">", Some(800.0), DESIGN, ""),
        figure("hpc64, area", "mm2", 3, |r| area(r, "hpc64").map(|a| a / 1e6), "", None, DESIGN, ""),
        figure("0.18 um chip, clock", "MHz", 1, |r| clock(r, "0.18 um chip"), "=", Some(156.25), SEED_004, "dawning16 with packets of up to 1,024 bytes, in osu018, no wires"),
        figure("0.18 um chip, standard cells", "mm2", 2, |r| Some(r.get("0.18 um chip")?.cell_area_um2 / 1e6), "=", Some(13.44), SEED_004, "theirs with 17 clock domains, placed"),
        figure("0.18 um chip, memories", "mm2", 2, |r| Some(r.get("0.18 um chip")?.memory_area_um2 / 1e6), "=", Some(24.49), SEED_004, "both 3 VCs of 4 KiB; their barrier VC has 128 B, ours needs no memory"),
    ]
}

fn reports_period(reports: &Reports, name: &str) -> Option<f64> {
    reports.get(name)?.timing.period_ns
}
