//! The report of a switch.

use super::{area, curve, made, parameters, verification};
use crate::cli::ReportArgs;
use crate::counted::counted;
use crate::needs::Need;
use crate::Error;
use railyard_picture::kind::find;
use railyard_report::{Report, SectionPart};
use railyard_spec::CheckedConfig;

/// Makes it.
///
/// # Errors
/// A tool fails, or the golden model breaks the rules of packets.
pub(super) fn report(args: &ReportArgs, config: &CheckedConfig) -> Result<Report, Error> {
    let shape = config.shape();
    let name = &config.name;
    let mut report = Report {
        of: "switch",
        title: format!("Switch {name}"),
        about: format!(
            "{} ports, {} a link, flits of {} bits",
            shape.ports,
            counted(shape.vcs, "virtual channel"),
            shape.flit_bits
        ),
        ..Report::default()
    };
    report.add("diagram", "Block diagram", diagram(config));
    report.add("parameters", "Parameters", parameters::parameters(config));
    report.add("pins", "Pins", parameters::pin_list(config));
    report.add("curves", "Throughput and latency", curve::curve(args, &shape, name)?);
    report.add("area", "Area and clock", area::area(args, config)?);
    report.add("verification", "Verification", verification::verification(args, config)?);
    report.add("made", "How this page is made", made(args, true, &options(args), &programs(args)));
    Ok(report)
}

fn diagram(config: &CheckedConfig) -> Vec<SectionPart> {
    let drawn = find("blocks").and_then(|kind| kind.of_switch(config)).and_then(Result::ok);
    drawn
        .map(|canvas| SectionPart::figure("The blocks of the switch, with their sizes and widths", canvas.svg()))
        .into_iter()
        .collect()
}

/// The options that matter.
fn options(args: &ReportArgs) -> Vec<String> {
    let loads: Vec<String> = args.loads().0.iter().map(f64::to_string).collect();
    let (cycles, runs) = (args.curve_cycles().to_string(), args.runs().to_string());
    let mut words = vec!["--loads".into(), loads.join(","), "--curve-cycles".into(), cycles, "--runs".into(), runs];
    match args.no_verify {
        true => words.push("--no-verify".into()),
        false => words.extend(["--cycles".into(), args.cycles().to_string()]),
    }
    match (args.no_estimate, area::library(args)) {
        (false, Some(library)) => words.extend(["--library".into(), library]),
        _ => words.push("--no-estimate".into()),
    }
    words
}

/// The programs that the figures depend on.
fn programs(args: &ReportArgs) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    if !args.no_verify {
        all.extend(Need::versions("verify").into_iter().filter(|(name, _)| *name == "Verilator"));
    }
    if !args.no_estimate {
        all.extend(Need::versions("estimate").into_iter().filter(|(name, _)| *name != "cell library"));
    }
    all
}
