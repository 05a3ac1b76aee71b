//! What our figures are held against, and how ours are got from the reports.

use super::figure::{ComparedFigure, Reports, Theirs};
use railyard_estimate::{sram, LookupConstants, LookupEnergy, MemoryShape, SLOT_BITS};

/// Longest path of any kind, in ns.
pub(super) fn longest(reports: &Reports, name: &str) -> Option<f64> {
    reports.get(name)?.whole.paths.longest().map(|path| path.delay_ns)
}

fn clock(reports: &Reports, name: &str) -> Option<f64> {
    reports.get(name)?.timing.fmax_mhz
}

pub(super) fn area(reports: &Reports, name: &str) -> Option<f64> {
    reports.get(name).map(|report| report.area_um2)
}

/// Area of the memories of a routing cache in mm2.
fn cache_area(reports: &Reports) -> Option<f64> {
    reports.get("routing cache").map(|report| report.memory_area_um2 / 1e6)
}

/// The memory model's area of a cache with the published entries, 4 ways of 512 words of 12 bytes, in mm2.
fn published_cache_area(_: &Reports) -> Option<f64> {
    let shape = MemoryShape { depth: 512, width: 96 };
    Some(4.0 * sram::Table::built_in().model(45).estimate(shape).area_um2 / 1e6)
}

/// Look-ups at the published 7 ports and 700 Gbit/s, with our cache memories and the published CAM.
fn lookup(reports: &Reports) -> Option<LookupEnergy> {
    let own = reports.get("hpc16")?.lookup_own_memories.as_ref()?.constants.clone();
    Some(LookupEnergy::at(own, 7, 700.0, true))
}

fn ratio(ours: Option<f64>, other: Option<f64>) -> Option<f64> {
    Some(ours? / other?)
}

fn square_millimetres(um2: Option<f64>) -> Option<f64> {
    Some(um2? / 1e6)
}

const HIRASAWA_2022_CACHE: &str = "Hirasawa2022, 4.3.1";
const HIRASAWA_2022_POWER: &str = "Hirasawa2022, 4.4.1";
const HIRASAWA_2022_NODE_REDUCTION: &str = "Hirasawa2022, 5.4.2";
const CAO_2016_ARBITRATION: &str = "Cao2016, 3.3";
const CAO_2016_CHIP: &str = "Cao2016, 6";
const OWN: &str = "own target";

/// All figures, in the order of the table.
pub fn figures() -> Vec<ComparedFigure> {
    [arbitration(), node_reduction(), routing_cache(), router(), switches(), chip()].into_iter().flatten().collect()
}

fn arbitration() -> Vec<ComparedFigure> {
    let four_vcs = "16 ports, 4 VCs";
    let no_figure = "the paper prints no figure";
    vec![
        ComparedFigure::path("round-robin arbiter 1:16, longest path", |r| longest(r, "arbiter 1:16")).note(no_figure),
        ComparedFigure::path("round-robin arbiter 1:64, longest path", |r| longest(r, "arbiter 1:64")).note(no_figure),
        ComparedFigure::new("path of 1:16 over 1:64 (k = 4)", "", 2, |r| {
            ratio(longest(r, "arbiter 1:16"), longest(r, "arbiter 1:64"))
        })
        .against(Theirs::Derived(0.25, "1 / k with k = 4 VCs"), CAO_2016_ARBITRATION)
        .unlike("the paper's 1/k is that of a linear search; ours is a prefix tree, log N"),
        ComparedFigure::area("round-robin arbiter 1:16, area", |r| area(r, "arbiter 1:16")).note(no_figure),
        ComparedFigure::area("round-robin arbiter 1:64, area", |r| area(r, "arbiter 1:64")).note(no_figure),
        ComparedFigure::path("allocator of an output, k planes of 1:N, path", |r| longest(r, "parallel allocator"))
            .note(four_vcs),
        ComparedFigure::path("allocator of an output, one kN arbiter, path", |r| longest(r, "single allocator"))
            .note(four_vcs),
        ComparedFigure::new("path of k planes over one kN arbiter", "", 2, |r| {
            ratio(longest(r, "parallel allocator"), longest(r, "single allocator"))
        })
        .against(Theirs::Derived(1.0, "shorter, stated without a figure"), CAO_2016_ARBITRATION)
        .note(four_vcs),
        ComparedFigure::new("switch with parallel planes, clock", "MHz", 0, |r| clock(r, "parallel switch"))
            .more()
            .note("16 ports, 4 VCs, source-routed"),
        ComparedFigure::new("switch with one kN x N plane, clock", "MHz", 0, |r| clock(r, "single switch"))
            .more()
            .note("16 ports, 4 VCs, source-routed"),
        ComparedFigure::new("clock of parallel planes over one plane", "", 2, |r| {
            ratio(clock(r, "parallel switch"), clock(r, "single switch"))
        })
        .more()
        .against(Theirs::Derived(1.0, "higher, stated without a figure"), CAO_2016_ARBITRATION)
        .note(four_vcs),
    ]
}

fn node_reduction() -> Vec<ComparedFigure> {
    use Theirs::{Derived, Published};
    let flow = "combinational; the paper's flow is not known";
    vec![
        ComparedFigure::path("CRC hash of 24 bits, longest path", |r| longest(r, "CRC hash"))
            .against(Derived(1.0, "one cycle at 1 GHz"), "Hirasawa2022, 4.2")
            .unlike("a cycle of the published switch, not a path"),
        ComparedFigure::area("CRC hash of 24 bits, area", |r| area(r, "CRC hash"))
            .note("trivial beside a switch, says the paper; no figure. Ours has the 9 bits of the index only"),
        ComparedFigure::area("node reduction, cube of 6 dimensions of 16, area", |r| {
            area(r, "cube, 6 dimensions, full radix")
        })
        .against(Published(300.0), HIRASAWA_2022_NODE_REDUCTION)
        .goal(150.0)
        .note("mesh or torus at run time; the paper's flow is not known"),
        ComparedFigure::path("the same, longest path", |r| longest(r, "cube, 6 dimensions, full radix"))
            .against(Published(0.54), HIRASAWA_2022_NODE_REDUCTION)
            .goal(0.4)
            .note(flow),
        ComparedFigure::area("node reduction, cube of 6 dimensions of any radix, area", |r| {
            area(r, "cube, 6 dimensions")
        })
        .against(Published(300.0), HIRASAWA_2022_NODE_REDUCTION)
        .goal(150.0)
        .note("radix of each dimension at run time; the paper's flow is not known"),
        ComparedFigure::path("the same, longest path", |r| longest(r, "cube, 6 dimensions"))
            .against(Published(0.54), HIRASAWA_2022_NODE_REDUCTION)
            .goal(0.4)
            .note(flow),
        ComparedFigure::area("node reduction, fat tree of 5 dimensions, area", |r| area(r, "fat tree, 5 dimensions"))
            .against(Published(114.0), HIRASAWA_2022_NODE_REDUCTION)
            .note(flow),
        ComparedFigure::area("node reduction, cube of 3, 4, 6, 8 or 12 dimensions, area", |r| {
            area(r, "cube, any dimensions")
        })
        .against(Derived(1200.0, "4 x 300 um2: the cube of 6 is almost a fourth of it"), HIRASAWA_2022_NODE_REDUCTION)
        .goal(600.0)
        .unlike("the paper's figure is drawn, not printed"),
        ComparedFigure::path("the same, longest path", |r| longest(r, "cube, any dimensions"))
            .against(Published(1.0), HIRASAWA_2022_NODE_REDUCTION)
            .goal(0.6)
            .note("below 1 ns, says the paper"),
        ComparedFigure::path("the same in 3 stages, longest stage", |r| longest(r, "cube, any dimensions, 3 stages"))
            .against(Published(0.72), HIRASAWA_2022_NODE_REDUCTION)
            .goal(0.5)
            .note("theirs is of all topologies"),
        ComparedFigure::path("all topologies in 3 stages, longest stage", |r| longest(r, "all topologies, 3 stages"))
            .against(Published(0.72), HIRASAWA_2022_NODE_REDUCTION)
            .goal(0.5),
        ComparedFigure::new("the same, rate of shortest frames", "Gbit/s", 0, |r| {
            ratio(Some(SLOT_BITS), longest(r, "all topologies, 3 stages"))
        })
        .more()
        .against(Published(933.0), HIRASAWA_2022_NODE_REDUCTION)
        .goal(1340.0)
        .note("672 bits a look-up"),
    ]
}

fn routing_cache() -> Vec<ComparedFigure> {
    use Theirs::{Derived, Published};
    let published = LookupEnergy::at(LookupConstants::hirasawa_2022(), 7, 700.0, true);
    let derived = |watts: Option<f64>| {
        watts.map_or(Theirs::None, |w| Derived(w, "equation 4.5 with the constants printed there"))
    };
    let memories = "45 nm; theirs has 12 bytes an entry, ours the 20 bits that it needs, and the order of use";
    let watts = "our cache memories, the CAM of the paper";
    vec![
        ComparedFigure::path("routing cache, read and 4-way compare", |r| longest(r, "routing cache"))
            .against(Published(0.41), HIRASAWA_2022_CACHE)
            .unlike("theirs is the access of CACTI 6.5; ours goes to the end of the cycle of a hit"),
        ComparedFigure::new("routing cache, memories of a port", "mm2", 4, cache_area)
            .against(Published(0.228), HIRASAWA_2022_CACHE)
            .unlike(memories),
        ComparedFigure::new("the same with the published 12-byte entries", "mm2", 4, published_cache_area)
            .against(Published(0.228), HIRASAWA_2022_CACHE)
            .note("our memory model at 45 nm, 4 ways of 512 words of 12 bytes"),
        ComparedFigure::new("routing cache, memories of 64 ports", "mm2", 2, |r| cache_area(r).map(|a| 64.0 * a))
            .against(Published(14.6), HIRASAWA_2022_CACHE)
            .unlike(memories),
        ComparedFigure::new("look-ups at 700 Gbit/s, 1 % misses", "W", 2, |r| lookup(r)?.one_percent_w)
            .against(derived(published.one_percent_w), HIRASAWA_2022_POWER)
            .note(watts),
        ComparedFigure::new("look-ups at 700 Gbit/s, no misses", "W", 2, |r| lookup(r)?.no_miss_w)
            .against(derived(published.no_miss_w), HIRASAWA_2022_POWER)
            .note(watts),
    ]
}

fn router() -> Vec<ComparedFigure> {
    const STANFORD: &str = "Stanford router";
    vec![
        ComparedFigure::area("router, 5 ports, 2 VCs, 16 flits a port, area", |r| area(r, "router"))
            .against(Theirs::Measured(60_061.0), STANFORD)
            .note("preset noc5 and the default of the Stanford router in the same flow (flat, abc -D 100 -constr); buffers of both \
                   are flip-flops, routing is dimension-order. Ours has settings at run time behind APB"),
        ComparedFigure::path("the same, longest path", |r| reports_period(r, "router"))
            .against(Theirs::Measured(0.99), STANFORD).note("its default, same library and flow"),
    ]
}

/// Clock with memories as other sources than CACTI have them.
fn other_clock(reports: &Reports, name: &str) -> Option<f64> {
    reports.get(name)?.other_memories.as_ref()?.fmax_mhz
}

fn switches() -> Vec<ComparedFigure> {
    let other_memories =
        |figure: ComparedFigure| figure.more().note("IHP's macros of 130 nm in the place of CACTI's at 45 nm");
    let target = |figure: ComparedFigure, goal| ComparedFigure { source: OWN, ..figure.more().goal(goal) };
    vec![
        target(ComparedFigure::new("hpc16, clock", "MHz", 0, |r| clock(r, "hpc16")), 1000.0),
        other_memories(ComparedFigure::new("hpc16, clock with measured macros scaled to 45 nm", "MHz", 0, |r| {
            other_clock(r, "hpc16")
        })),
        ComparedFigure::new("hpc16, area", "mm2", 3, |r| square_millimetres(area(r, "hpc16"))),
        target(ComparedFigure::new("hpc64, clock", "MHz", 0, |r| clock(r, "hpc64")), 800.0),
        other_memories(ComparedFigure::new("hpc64, clock with measured macros scaled to 45 nm", "MHz", 0, |r| {
            other_clock(r, "hpc64")
        })),
        ComparedFigure::new("hpc64, area", "mm2", 3, |r| square_millimetres(area(r, "hpc64"))),
    ]
}

fn chip() -> Vec<ComparedFigure> {
    use Theirs::Published;
    let flits = "ours with flits of 64 bits, theirs with links of 16";
    vec![
        ComparedFigure::new("0.18 um chip, clock", "MHz", 2, |r| clock(r, "0.18 um chip"))
            .more()
            .against(Published(156.25), CAO_2016_CHIP)
            .unlike(
                "dawning16 with packets of up to 1,024 bytes, in osu018, not placed; theirs in UMC's cells, placed",
            ),
        ComparedFigure::new("0.18 um chip, standard cells", "mm2", 2, |r| {
            Some(r.get("0.18 um chip")?.cell_area_um2 / 1e6)
        })
        .against(Published(13.44), CAO_2016_CHIP)
        .unlike(flits),
        ComparedFigure::new("0.18 um chip, memories", "mm2", 2, |r| Some(r.get("0.18 um chip")?.memory_area_um2 / 1e6))
            .against(Published(24.49), CAO_2016_CHIP)
            .unlike("both 3 VCs of 4 KiB; their barrier VC has 128 B, ours needs no memory; ours have two ports each"),
    ]
}

fn reports_period(reports: &Reports, name: &str) -> Option<f64> {
    reports.get(name)?.timing.period_ns
}
