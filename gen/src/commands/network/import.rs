//! `railyard network import`: a network file of another tool's file.

use crate::cli::{ImportFormat, NetworkImportArgs};
use crate::folder::{check_new_file, write_new_file};
use crate::table::two_columns;
use crate::text::read_text;
use crate::{answer, Error, Outcome};
use railyard_input::{shortened, FileKind, InputSource};
use railyard_network::import::{import, Extra, Format, Imported};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Reads a file of another tool, and writes a network file.
///
/// # Errors
/// The file is no network; an option is of another format, or its switch does not do; a file can't be written.
pub fn run(args: &NetworkImportArgs) -> Result<Outcome, Error> {
    check_options(args)?;
    let tables_path = args.lid_tables.as_ref().map(|_| tables_path(&args.output));
    [Some(&args.output), tables_path.as_ref()].into_iter().flatten().try_for_each(|path| check_new_file(path))?;
    let extra = Extra { nodes_per_switch: args.nodes_per_switch, uplinks: args.uplinks };
    let ImportFormat(format) = args.from;
    let network = import(format, &read_text(&args.file, FileKind::ForeignNetwork)?, extra);
    let network = network.map_err(|faults| refused(&args.file, args.from.name(), faults))?;
    if let Some(switch) = &args.switch {
        let folder = args.output.parent().unwrap_or(Path::new(""));
        let wrong = |cause| Error::Network { path: format!("--switch {}", shortened(switch)), cause };
        network.check_switch(switch, folder).map_err(wrong)?;
    }
    if let (Some(dump), Some(path)) = (&args.lid_tables, &tables_path) {
        let tables = network.tables(&read_text(dump, FileKind::LidTables)?);
        let tables = tables.map_err(|faults| refused(dump, "forwarding tables", faults))?;
        write_new_file(path, &(serde_json::to_string(&tables).expect("tables are plain data") + "\n"))?;
    }
    let tables_name = tables_path.as_ref().and_then(|path| path.file_name()).map(|name| name.to_string_lossy());
    let file = network.network_file(args.switch.as_deref(), tables_name.as_deref());
    if file.len() as u64 > FileKind::Network.most_bytes() {
        let why = format!("would have more than {} MiB, the most for a network", FileKind::Network.most_mib());
        return Err(Error::Output { path: args.output.clone(), why });
    }
    write_new_file(&args.output, &file)?;
    report(args, &network, tables_path.as_deref())?;
    Ok(Outcome::Fine)
}

/// Options are of one format.
fn check_options(args: &NetworkImportArgs) -> Result<(), Error> {
    let ImportFormat(format) = args.from;
    let given = [
        ("--lid-tables", args.lid_tables.is_some(), Format::IbNetDiscover),
        ("--nodes-per-switch", args.nodes_per_switch.is_some(), Format::GraphMl),
        ("--uplinks", args.uplinks != 1, Format::TopologyConf),
    ];
    match given.iter().find(|(_, is_given, of)| *is_given && *of != format) {
        None => Ok(()),
        Some((option, _, of)) => {
            Err(Error::Usage(format!("{option}: is an option of --from {} only", ImportFormat(*of).name())))
        }
    }
}

fn refused(file: &InputSource, format: &str, faults: railyard_input::Faults) -> Error {
    Error::Import { path: file.to_string(), format: format.into(), faults }
}

/// The tables' file beside the network file.
fn tables_path(output: &Path) -> PathBuf {
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    output.with_file_name(format!("{stem}_tables.json"))
}

fn report(args: &NetworkImportArgs, network: &Imported, tables: Option<&Path>) -> Result<(), Error> {
    let Imported { links, ports, switches, nodes, notes, .. } = network;
    let written: Vec<PathBuf> = std::iter::once(args.output.as_path()).chain(tables).map(PathBuf::from).collect();
    if args.json {
        return answer::json(&json!({
            "written": answer::paths(&written), "links": links.links.len(), "ports": ports,
            "switches": switches, "nodes": nodes, "notes": notes,
        }));
    }
    let mut rows = vec![
        ("switches", switches.len().to_string()),
        ("nodes", nodes.len().to_string()),
        ("links between switches", links.links.len().to_string()),
        ("ports of a switch", format!("{ports} or more")),
    ];
    rows.extend(written.iter().map(|path| ("written", path.display().to_string())));
    answer::text(&[two_columns(&rows), super::paragraphs(notes)].concat())
}
