//! The report of a network.

use super::{made, parameters, CONFIDENCE};
use crate::cli::{NetworkCurveArgs, NetworkSetting, ReportArgs};
use crate::commands::network::{curve, summary};
use crate::counted::counted;
use crate::Error;
use railyard_network::blueprint::Blueprint;
use railyard_network::description::Input;
use railyard_network::{notes, Outlook};
use railyard_picture::kind::{find, Trouble};
use railyard_report::{Report, SectionPart, Verdict};
use serde_json::{json, Value};

/// Makes it.
///
/// # Errors
/// The network file is at fault, or the network can't be run.
pub(super) fn report(args: &ReportArgs, text: &str) -> Result<Report, Error> {
    let name = args.source.to_string();
    let input =
        Input::read(text, args.source.folder()).map_err(|cause| Error::Network { path: name.clone(), cause })?;
    let wiring = &input.blueprint.wiring;
    let mut report = Report {
        of: "network",
        title: format!("Network {name}"),
        about: format!(
            "{} nodes at {} switches {}, {} links between switches",
            wiring.nodes().len(),
            wiring.switches(),
            input.config.name,
            wiring.links().count()
        ),
        ..Report::default()
    };
    report.add("topology", "Topology", pictures(text, args));
    report.add("check", "Check", check(&input));
    // Packets from a file have no load that could rise.
    if input.packets.is_none() {
        report.add("curves", "Throughput and latency", curves(args, &input, &name)?);
    }
    report.add("parameters", "Parameters of the switch", parameters::parameters(&input.config));
    report.add("made", "How this page is made", made(args, true, &options(args), &[]));
    Ok(report)
}

/// The pictures that the network has room for.
fn pictures(text: &str, args: &ReportArgs) -> Vec<SectionPart> {
    let kinds = ["network", "lanes", "barrier-tree"].into_iter().filter_map(find);
    let mut parts = Vec::new();
    for kind in kinds {
        match kind.of_network(text, args.source.folder()) {
            Some(Ok(canvas)) => parts.push(SectionPart::figure(&capital(kind.about), canvas.svg())),
            Some(Err(Trouble::Unsuited(fault))) if kind.name == "network" => {
                let why = format!("The topology is not drawn: {} {} {}.", fault.path, fault.value, fault.rule);
                parts.push(SectionPart::Text(why));
            }
            _ => {}
        }
    }
    parts
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn check(input: &Input) -> Vec<SectionPart> {
    let blueprint: &Blueprint = &input.blueprint;
    let outlook = Outlook::new(blueprint);
    let notes: Vec<String> =
        outlook.note(blueprint).into_iter().chain(notes::before(blueprint, &input.run(0))).collect();
    let mut parts = vec![SectionPart::facts(summary::rows(blueprint, &outlook))];
    if !notes.is_empty() {
        parts.push(SectionPart::Notes(notes));
    }
    parts
}

/// The network at rising load.
fn curves(args: &ReportArgs, input: &Input, name: &str) -> Result<Vec<SectionPart>, Error> {
    let points = curve::points(&setting(args), input).map_err(|error| Error::network_run(name, &error))?;
    let mut rows = curve::rows(&points).into_iter();
    let heads = heads(&rows.next().unwrap_or_default());
    let cell = |text: String| text.parse::<f64>().map_or_else(|_| Value::from(text), |number| json!(number));
    let rows = rows.map(|row| row.into_iter().map(cell).collect()).collect();
    let mismatches: u64 = points.iter().map(|point| point.report.mismatch_count).sum();
    let verdict = match mismatches {
        0 => "Every packet arrived once, as it was sent and in order.".to_string(),
        count => format!("MISMATCH: {count} packets did not arrive as they should."),
    };
    let mut notes =
        vec![format!(
        "Golden models. Each point is {} of {} cycles, the first tenth not measured. {}Loads: flits for each node and \
         cycle. Latencies: cycles.",
        counted(args.runs(), "run"), args.curve_cycles(), if args.runs() > 1 { CONFIDENCE } else { "" }
    )];
    notes.extend(curve::noted(&points));
    let mut parts = vec![
        SectionPart::figure(
            "Latency by offered load; the axis upwards is logarithmic",
            curve::latency(&points, name).svg(),
        ),
        SectionPart::figure("Accepted and received load by offered load", curve::throughput(&points, name).svg()),
        SectionPart::table("", heads.iter().map(String::as_str), rows),
        SectionPart::Verdict(Verdict { is_good: mismatches == 0, text: verdict }),
    ];
    let first = curve::mismatches(&points).concat();
    parts.extend((!first.is_empty()).then_some(SectionPart::Lines(first)));
    parts.push(SectionPart::Notes(notes));
    Ok(parts)
}

/// Heads by which columns are told apart: the kind of packets stands in the first of its columns alone.
fn heads(shown: &[String]) -> Vec<String> {
    let mut kind = "";
    let mut all = Vec::new();
    for head in shown {
        kind = head.strip_suffix(" mean").unwrap_or(kind);
        all.push(match head.as_str() {
            "p50" | "p99" | "max" => format!("{kind} {head}"),
            "+-" => format!("{} +-", all.last().map_or("", String::as_str)),
            "" => "state".into(),
            _ => head.clone(),
        });
    }
    all
}

/// The curve, as `network curve` takes it: all but loads, cycles and seed is what the file says.
fn setting(args: &ReportArgs) -> NetworkCurveArgs {
    let setting = NetworkSetting {
        network: args.source.clone(),
        cycles: Some(args.curve_cycles()),
        seed: args.seed(),
        traffic: None,
        length: None,
        burst: None,
        replies: false,
        caches: None,
        barriers: None,
        lost_credits: None,
        corrupt_credits: None,
        lost_messages: None,
        corrupt_messages: None,
    };
    NetworkCurveArgs { setting, loads: args.loads(), runs: args.run_count(), jobs: None, output: None, json: false }
}

fn options(args: &ReportArgs) -> Vec<String> {
    let loads: Vec<String> = args.loads().0.iter().map(f64::to_string).collect();
    let [cycles, runs] = [args.curve_cycles().to_string(), args.runs().to_string()];
    vec!["--loads".into(), loads.join(","), "--curve-cycles".into(), cycles, "--runs".into(), runs]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_columns_have_the_same_head() {
        let shown = ["accepted", "+-", "unicast mean", "+-", "p50", "max", "multicast mean", "p50", "max", ""]
            .map(String::from);
        let told = [
            "accepted",
            "accepted +-",
            "unicast mean",
            "unicast mean +-",
            "unicast p50",
            "unicast max",
            "multicast mean",
            "multicast p50",
            "multicast max",
            "state",
        ];
        assert_eq!(heads(&shown), told);
    }
}
