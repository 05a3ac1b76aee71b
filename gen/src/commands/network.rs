//! `railyard network`.

pub(super) mod curve;
mod export;
pub mod generate;
mod import;
pub mod summary;
mod vcs;
mod verify;

use crate::cli::{
    NetworkArgs, NetworkCheckArgs, NetworkCommand, NetworkMeasureArgs, NetworkRunArgs, NetworkSetting, MOST_CYCLES,
};
use crate::folder::{check_new_file, write_new_file};
use crate::packets_file::PacketsFile;
use crate::progress::CyclesBar;
use crate::table::{columns, paragraph, two_columns};
use crate::text::{read_packets, read_text};
use crate::{answer, Error, Outcome};
use railyard_input::{FileKind, InputSource};
use railyard_network::blueprint::Blueprint;
use railyard_network::check::{limit, AdaptiveFault, Bottleneck, Proven};
use railyard_network::description::Input;
use railyard_network::harness::{
    mixture, BarrierKindReport, BarrierReport, BrokenLink, BrokenLinks, Burst, BusiestLink, CacheReport, Caches,
    CreditCounts, Fairness, HopsByKind, KindReport, LatencyPart, LatencyPartsReport, MessageCounts, MisroutingReport,
    Moment, Pattern, RouterMessageReport, Run, RunReport,
};
use railyard_network::multicast::Tree;
use railyard_network::tables::TablesFile;
use railyard_network::{execute, execute_logged, notes, Execution, Extent, FullLink, Outlook};
use serde_json::{json, Value};

/// Checks, runs, generates or verifies a network.
///
/// # Errors
/// A bad network file, or one whose tables don't reach or can deadlock; a folder that can't be written; a missing tool.
pub fn run(args: &NetworkArgs) -> Result<Outcome, Error> {
    match &args.command {
        NetworkCommand::Check(args) => check(args),
        NetworkCommand::Run(args) => run_network(args),
        NetworkCommand::Curve(args) => curve::run(args),
        NetworkCommand::Generate(args) => generate::run(args),
        NetworkCommand::Verify(args) => verify::run(args),
        NetworkCommand::Vcs(args) => vcs::run(args),
        NetworkCommand::Import(args) => import::run(args),
        NetworkCommand::Export(args) => export::run(args),
    }
}

fn read(file: &InputSource) -> Result<Input, Error> {
    let text = read_text(file, FileKind::Network)?;
    Input::read(&text, file.folder()).map_err(|cause| Error::Network { path: file.to_string(), cause })
}

fn check(args: &NetworkCheckArgs) -> Result<Outcome, Error> {
    args.write_tables.as_deref().map_or(Ok(()), check_new_file)?;
    let input = read(&args.network)?;
    let blueprint = &input.blueprint;
    if let Some(path) = &args.write_tables {
        let trees: Vec<Tree> = blueprint.trees().cloned().collect();
        let file = TablesFile::new(&blueprint.tables, &trees, &blueprint.barriers);
        let text = serde_json::to_string(&file).expect("tables are plain data") + "\n";
        write_new_file(path, &text)?;
    }
    let outlook = Outlook::new(blueprint);
    let limit = traffic_limit(&input);
    let full_links = FullLink::of_kinds(blueprint, input.description.link_latency);
    let shallow = FullLink::notes(&full_links);
    let before = notes::before(blueprint, &input.run(0));
    let notes: Vec<String> = outlook.note(blueprint).into_iter().chain(shallow).chain(before).collect();
    if args.json {
        let network = json!({
            "switches": blueprint.wiring.switches(), "nodes": blueprint.wiring.nodes().len(),
            "links": blueprint.wiring.links().count(), "groups": blueprint.groups.len(),
            "trees": blueprint.trees().count(), "barrier_groups": blueprint.barriers.len(),
        });
        let deadlock = blueprint.choices.as_ref().map(deadlock);
        answer::json(&json!({"legal": true, "network": network, "deadlock": deadlock, "outlook": outlook,
                "full_link": FullLink::tightest(&full_links), "full_links": full_links, "traffic_limit": limit, "notes": notes}))?;
    } else {
        let buffers = summary::full_links(&full_links);
        let rows = [summary::rows(blueprint, &outlook), summary::of_traffic(&input, limit), buffers].concat();
        answer::text(&[two_columns(&rows), paragraphs(&notes)].concat())?;
    }
    Ok(Outcome::Fine)
}

/// What was found of packets that choose their ways.
fn deadlock(found: &Result<Proven, AdaptiveFault>) -> Value {
    match found {
        Ok(Proven { states, choices_close_rings }) => {
            json!({"free": true, "states": states, "choices_close_rings": choices_close_rings})
        }
        Err(fault) => json!({"free": false, "fault": fault.to_string()}),
    }
}

/// Nodes up to which the traffic of a file is followed pair by pair.
const MOST_NODES: usize = 4096;

/// What limits the file's traffic at its start, if it is other than uniform.
fn traffic_limit(input: &Input) -> Option<Bottleneck> {
    let (Blueprint { wiring, tables, .. }, run) = (&*input.blueprint, input.run(0));
    let first = &run.traffic.phases()[0];
    let (traffic, nodes) = (&run.traffic, wiring.nodes().len());
    let weights = traffic.weights(nodes);
    let is_uniform = first.pattern == Pattern::Uniform && first.mix.is_empty() && weights.is_empty();
    let is_plain = is_uniform || traffic.multicast_share() > 0.0;
    (!is_plain && nodes <= MOST_NODES).then(|| {
        let mixture = mixture(traffic, first, wiring, run.seed);
        let weight = |from: usize| weights.get(from).copied().unwrap_or(1.0);
        limit(wiring, tables, |from, to| weight(from) * mixture.share(from, to))
    })
}

/// What the file says of the run, and the options in its place.
fn run_of(args: &NetworkSetting, load: Option<f64>, input: &Input) -> Run {
    let mut run = input.run(args.seed);
    run.traffic.load = load.unwrap_or(run.traffic.load);
    run.traffic.length = args.length.or(run.traffic.length);
    run.traffic.burst = args.burst.map(|packets| Burst { packets: packets.into() }).or(run.traffic.burst);
    run.traffic.replies |= args.replies;
    run.barriers = args.barriers.unwrap_or(run.barriers);
    run.lost_credits = args.lost_credits.unwrap_or(run.lost_credits);
    run.corrupt_credits = args.corrupt_credits.unwrap_or(run.corrupt_credits);
    run.lost_messages = args.lost_messages.unwrap_or(run.lost_messages);
    run.corrupt_messages = args.corrupt_messages.unwrap_or(run.corrupt_messages);
    if let Some(name) = &args.caches {
        run.caches = Caches::named(name).expect("clap has checked the name");
    }
    if let Some(name) = &args.traffic {
        run.traffic.pattern = Pattern::named(name).expect("clap has checked the name");
        (run.traffic.mix, run.traffic.changes) = Default::default();
    }
    run
}

/// The option that is given beside packets of the network file, and would change patterns or loads.
fn changes_traffic(args: &NetworkSetting, load: Option<f64>) -> Option<&'static str> {
    let given = [
        ("--load", load.is_some()),
        ("--length", args.length.is_some()),
        ("--burst", args.burst.is_some()),
        ("--replies", args.replies),
        ("--traffic", args.traffic.is_some()),
    ];
    given.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
}

/// The run of `network run` and `network verify`, with packets from a file if one is named.
fn run_of_file(args: &NetworkRunArgs, input: &Input) -> Result<Run, Error> {
    let option = changes_traffic(&args.setting, args.load).filter(|_| input.packets.is_some());
    if let Some(option) = option {
        return Err(Error::Usage(format!("{option}: the network file names its packets (/traffic/file)")));
    }
    let run = run_of(&args.setting, args.load, input);
    let Some(file) = &args.traffic_file else { return Ok(run) };
    if *file == InputSource::StandardInput && args.setting.network == InputSource::StandardInput {
        return Err(Error::Usage("--traffic-file: standard input is the network already".into()));
    }
    let packets = Run::packets_of(&input.blueprint, file, &read_packets(file)?);
    Ok(run.replay(packets.map_err(|faults| Error::Traffic { file: file.clone(), faults })?))
}

fn extent(args: &NetworkRunArgs, run: &Run) -> Extent {
    // The cycles of a file are as far as its author goes.
    let of_file = run.packets.as_ref().map(|packets| packets.cycles().clamp(1, MOST_CYCLES));
    Extent {
        cycles: args.setting.cycles(of_file),
        threads: args.threads,
        details: args.details,
        series: args.series,
        latency_parts: args.latency_parts,
    }
}

fn run_network(args: &NetworkMeasureArgs) -> Result<Outcome, Error> {
    let NetworkMeasureArgs { run: args, packets } = args;
    let setting = &args.setting;
    let input = read(&setting.network)?;
    let run = run_of_file(args, &input)?;
    let extent = extent(args, &run);
    let packets = packets.as_deref().map(PacketsFile::begin_of_network).transpose()?;
    let bar = CyclesBar::new(extent.cycles);
    let execution = match &packets {
        Some(packets) => execute_logged(&input, &run, extent, packets.log_of_network(), |done| bar.at(done)),
        None => execute(&input, &run, extent, |done| bar.at(done)),
    };
    bar.clear();
    let execution = execution.map_err(|error| Error::network_run(&setting.network.to_string(), &error))?;
    let packets = packets.map(PacketsFile::finish).transpose()?;
    if args.json {
        let mut report = json!(execution);
        if let Some(packets) = &packets {
            report["packets_file"] = json!(packets);
        }
        answer::json(&report)?;
    } else {
        let series =
            if execution.series.is_empty() { String::new() } else { columns(&series(&execution.series)) + "\n" };
        let figures = two_columns(&rows(&execution));
        let packets = packets.map_or(String::new(), |packets| packets.line() + "\n");
        answer::text(&[series, figures, packets, paragraphs(&execution.notes), mismatches(&execution)].concat())?;
    }
    Ok(if execution.report.mismatch_count == 0 { Outcome::Fine } else { Outcome::Mismatch })
}

type Row = (&'static str, String);

/// How much of the offered load was accepted, if that is less.
fn accepted(report: &RunReport) -> String {
    let why = match (report.saturated, report.has_stranded()) {
        (false, _) => return String::new(),
        (true, true) => "packets are stranded",
        (true, false) => "saturated",
    };
    format!(", {:.4} accepted: {why}", report.accepted)
}

/// That the throughput is not that of a steady state.
fn not_steady(report: &RunReport) -> &'static str {
    match report.steady {
        Some(false) => ", not steady: it differs from half to half of the run",
        _ => "",
    }
}

fn rows(execution: &Execution) -> Vec<Row> {
    let report = &execution.report;
    let mut rows = vec![
        (
            "network",
            format!("{} nodes, {} switches, {} links between them", report.nodes, report.switches, report.links),
        ),
        ("offered load", format!("{:.4} flits/node/cycle{}", report.offered, accepted(report))),
        ("throughput", format!("{:.4} flits/node/cycle{}", report.throughput, not_steady(report))),
    ];
    rows.extend(injected(report));
    rows.extend(report.busiest_link.map(|BusiestLink { link, busy, busy_on_average }| {
        let [busy, average] = [busy, busy_on_average].map(|share| 100.0 * share);
        ("busiest link", format!("that of {link}, used {busy:.1} % of the time; all links {average:.1} %"))
    }));
    rows.extend(report.misrouting.iter().flat_map(misrouted));
    rows.extend(report.latency_parts.as_ref().map(latency_parts));
    rows.extend(report.router_messages.map(router_messages));
    rows.extend(report.caches.as_ref().map(|CacheReport { lookups, hit_rate, .. }| {
        ("routing caches", format!("{lookups} lookups, {:.1} % of them hits", 100.0 * hit_rate))
    }));
    rows.extend(latency("unicast", &report.unicast));
    rows.extend(report.replies.as_ref().and_then(|replies| latency("replies", replies)));
    rows.extend(latency("multicast", &report.multicast));
    rows.extend(report.barriers.iter().flat_map(barriers));
    rows.extend(credit_reports(&report.credit_reports));
    rows.extend(report.outages.iter().map(|outage| {
        let pause = outage.resumed - outage.stopped;
        ("link taken out", format!("{}: sources paused for {pause} cycles", outage.link))
    }));
    rows.extend(report.broken.iter().flat_map(broken));
    rows.push(("speed", format!("{:.0} cycles/s", execution.cycles_per_second)));
    rows
}

/// Links that a flit took, and how evenly the nodes of switches got their load into the network.
fn injected(report: &RunReport) -> Vec<Row> {
    let kinds =
        report.hops_by_kind.map(|HopsByKind { local, global }| format!(": {local:.2} local, {global:.2} global"));
    let kinds = kinds.unwrap_or_default();
    let hops = ("links of a flit", format!("{:.2} between switches on average{kinds}", report.hops));
    let shares = report.injected.map(|Fairness { min, max, max_over_min, cov, jain, .. }| {
        let ratio = max_over_min.map_or("none".into(), |ratio| format!("{ratio:.2}"));
        let text = format!("{min:.4} to {max:.4} flits/node/cycle; max/min {ratio}, CoV {cov:.4}, Jain {jain:.4}");
        ("injected a switch", text)
    });
    std::iter::once(hops).chain(shares).collect()
}

/// Packets off their minimal ways.
fn misrouted(report: &MisroutingReport) -> [Row; 2] {
    let MisroutingReport { misrouted, to_via, local_at_home, global, local_behind, escapes, .. } = report;
    let [misrouted, to_via, home, global, behind, escapes] =
        [misrouted, to_via, local_at_home, global, local_behind, escapes].map(|share| 100.0 * share);
    let kinds = format!(
        "{misrouted:.1} %: {to_via:.1} % to a via, {global:.1} % global, {home:.1} % local; {behind:.1} % local behind"
    );
    [("misrouted packets", kinds), ("escapes", format!("{escapes:.2} for 100 packets"))]
}

/// Of what the latencies are made.
fn latency_parts(report: &LatencyPartsReport) -> Row {
    let part =
        |(name, LatencyPart { mean, .. }): (&str, LatencyPart)| (mean > 0.0).then(|| format!("{mean:.1} {name}"));
    let parts: Vec<String> = report.named().into_iter().filter_map(part).collect();
    ("latency parts", format!("on average {}", parts.join(", ")))
}

/// Messages between routers.
fn router_messages(report: RouterMessageReport) -> Row {
    let RouterMessageReport { messages, busy, lost, corrupted } = report;
    let faults = if lost + corrupted > 0 { format!("; {lost} lost, {corrupted} corrupted") } else { String::new() };
    ("router messages", format!("{messages}, {:.2} % of the cycles of local links{faults}", 100.0 * busy))
}

/// The figures by time, heads first.
fn series(moments: &[Moment]) -> Vec<Vec<String>> {
    let misrouted = moments.iter().any(|moment| moment.misrouted.is_some()).then_some("misrouted");
    let heads = ["cycle", "offered", "injected", "accepted", "links"].into_iter().chain(misrouted);
    let heads = heads.chain(["latency mean", "p50", "p99", "max"]);
    let row = |moment: &Moment| {
        let Moment { cycle, offered, injected, accepted, hops, misrouted, latency, .. } = moment;
        let share: Vec<String> = misrouted.map(|share| format!("{:.1} %", 100.0 * share)).into_iter().collect();
        let rates = [offered, injected, accepted].map(|rate| format!("{rate:.4}"));
        let KindReport { latency_mean, latency_p50, latency_p99, latency_max, .. } = latency;
        let (hops, mean) = (format!("{hops:.2}"), format!("{latency_mean:.1}"));
        let latencies = [latency_p50, latency_p99, latency_max].map(u64::to_string);
        [vec![cycle.to_string()], rates.into(), vec![hops], share, vec![mean], latencies.into()].concat()
    };
    std::iter::once(heads.map(String::from).collect()).chain(moments.iter().map(row)).collect()
}

fn latency(kind: &'static str, report: &KindReport) -> Option<Row> {
    let KindReport { packets, latency_mean, latency_p50, latency_p99, latency_max } = report;
    let text = format!(
        "{packets} packets; latency {latency_mean:.1} mean, {latency_p50} / {latency_p99} / {latency_max} p50 / p99 / max"
    );
    (*packets > 0).then_some((kind, text))
}

fn barriers(report: &BarrierReport) -> Vec<Row> {
    let kind = |kind: &BarrierKindReport| {
        let BarrierKindReport { members, barriers, latency_mean, latency_p99, latency_max, span_mean, .. } = kind;
        let latency = format!("latency {latency_mean:.1} / {latency_p99} / {latency_max} mean / p99 / max");
        let text = match barriers {
            0 => format!("none with {members} nodes, begun and complete while measuring"),
            _ => format!("{barriers} with {members} nodes; {latency}; span {span_mean:.0} mean"),
        };
        ("barriers", text)
    };
    let MessageCounts { retransmissions, urges, lost, corrupted } = report.messages;
    let messages = format!("{lost} lost, {corrupted} corrupted; {retransmissions} arrivals again, {urges} urges");
    report.groups.iter().map(kind).chain([("barrier messages", messages)]).collect()
}

fn credit_reports(counts: &CreditCounts) -> Option<Row> {
    let text = format!("{} lost, {} corrupted", counts.lost, counts.corrupted);
    (*counts != CreditCounts::default()).then_some(("credit reports", text))
}

/// Links that broke, and what is stranded by them.
fn broken(broken: &BrokenLinks) -> Vec<Row> {
    let BrokenLinks { links, packets_over, packets_behind, packets_queued, barrier_groups } = broken;
    let link = |BrokenLink { link, cycle, flits_lost }: &BrokenLink| {
        ("link broken", format!("{link} in cycle {cycle}: {flits_lost} flits lost on it"))
    };
    let packets = format!(
        "{packets_over} lost or waiting for it, {packets_behind} waiting behind those, {packets_queued} never sent"
    );
    let groups: Vec<String> = barrier_groups.iter().map(usize::to_string).collect();
    let barriers = (!groups.is_empty()).then(|| ("stranded barriers", format!("of groups {}", groups.join(", "))));
    links.iter().map(link).chain([("stranded packets", packets)]).chain(barriers).collect()
}

fn paragraphs(notes: &[String]) -> String {
    notes.iter().map(|note| paragraph(&format!("note: {note}"), 100)).collect()
}

fn mismatches(execution: &Execution) -> String {
    let report = &execution.report;
    if report.mismatch_count == 0 {
        return String::new();
    }
    let lines: String = report.mismatches.iter().map(|mismatch| format!("  {mismatch}\n")).collect();
    format!("\nMISMATCH: {} in all; the first:\n{lines}", report.mismatch_count)
}
