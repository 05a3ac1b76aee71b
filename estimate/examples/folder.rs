//! Estimates a folder of Verilog: `cargo run -p railyard-estimate --example folder -- FOLDER TOP [LIBRARY] [BLOCK]`.

use railyard_estimate::{estimate, GeneratedDesign, Library, Options};
use std::path::PathBuf;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, top, rest @ ..] = arguments.as_slice() else {
        eprintln!("folder FOLDER TOP [LIBRARY] [BLOCK]");
        std::process::exit(2);
    };
    let mut modules = Vec::new();
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries.iter().filter(|p| p.extension().is_some_and(|e| e == "v")) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        modules.push((name, std::fs::read_to_string(path).expect("text")));
    }
    let name = rest.first().cloned().unwrap_or("nangate45".into());
    let library = if name.contains('/') {
        Library::File { file: std::path::Path::new(&name).into(), node_nm: None }
    } else {
        Library::Name(name)
    };
    let progress = |done: usize, all: usize, what: &str| eprintln!("[{done}/{all}] {what}");
    let options = Options {
        library,
        block: rest.get(1).cloned(),
        by_block: rest.get(1).is_none(),
        cache: Some(std::env::temp_dir().join("railyard-estimate")),
        progress: Some(&progress),
        ..Options::default()
    };
    let design = GeneratedDesign { top: top.clone(), modules, switch: None };
    let report = match estimate(&design, &options) {
        Ok(report) => report,
        Err(error) => {
            eprintln!("error: {error}");
            std::process::exit(2);
        }
    };
    println!(
        "{:40} {:>5} {:>8} {:>7} {:>11} {:>11} {:>7} {:>8}",
        "block", "n", "cells", "regs", "um2", "own um2", "ns", "MHz"
    );
    for b in &report.blocks {
        let show = |v: Option<f64>, digits: usize| v.map_or("-".to_string(), |v| format!("{v:.digits$}"));
        println!(
            "{:40} {:>5} {:>8} {:>7} {:>11.1} {:>11.1} {:>7} {:>8}",
            b.module,
            b.instances,
            b.cells,
            b.registers,
            b.area_um2,
            b.own_area_um2,
            show(b.longest_ns, 3),
            show(b.fmax_mhz, 0)
        );
    }
    for m in &report.memories {
        println!("{:40} {:>5} {:?}", m.module, m.instances, m.as_macro);
    }
    println!(
        "cells {} area {:.1} + {:.1} um2, {} registers, {} memory bits",
        report.whole.cells, report.cell_area_um2, report.memory_area_um2, report.registers, report.memory_bits
    );
    println!("{:?} MHz, limited by {}", report.timing.fmax_mhz, report.timing.limited_by);
    let paths = &report.whole.paths;
    for path in
        [&paths.register_to_register, &paths.input_to_register, &paths.register_to_output, &paths.input_to_output]
            .into_iter()
            .flatten()
    {
        println!(
            "{:.3} ns, {} stages: {} ({}) -> {} ({})",
            path.delay_ns, path.stages, path.start, path.start_block, path.end, path.end_block
        );
        for p in &path.points {
            println!("    {:.3} {:14} {}", p.arrival_ns, p.cell, p.name);
        }
    }
    println!("{:?}\n{:#?}", report.power, report.notes);
}
