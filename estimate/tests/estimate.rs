//! The whole flow on a small switch, in each library that is on this machine.

use railyard_estimate::{
    estimate, fpga, Error, GeneratedDesign, Library, Lookup, NamedLibrary, Options, SwitchFacts, SynthesisReport,
    LIBERTY_DIR,
};
use railyard_input::InputSource;
use std::path::{Path, PathBuf};

fn design() -> GeneratedDesign {
    let text = include_str!("verilog/switch_port.v").to_string();
    GeneratedDesign {
        top: "small_switch".into(),
        modules: vec![("switch_port.v".into(), text)],
        switch: Some(SwitchFacts {
            module: "small_switch".into(),
            ports: 4,
            flit_bits: 64,
            latency_cycles: Some(3),
            lookup: Lookup::Cam,
        }),
    }
}

/// Liberty files are never part of the project: from the environment, or from a folder beside the project.
fn libraries() -> Vec<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/liberty");
    std::env::var_os(LIBERTY_DIR).map(PathBuf::from).into_iter().chain([beside]).collect()
}

/// Yosys, OpenSTA and the library, or a line that says that the test was not run.
fn ready(name: &str) -> bool {
    let found = NamedLibrary::get(name).unwrap().find(&libraries()).is_ok();
    let runs = |tool: &str, flag: &str| std::process::Command::new(tool).arg(flag).output().is_ok();
    let ready = found && runs("yosys", "-V") && runs("sta", "-version");
    if !ready {
        eprintln!("not run: yosys, sta or {name} missing");
    }
    ready
}

fn run(library: &str, cache: Option<&Path>, block: Option<&str>) -> Result<SynthesisReport, Error> {
    let options = Options {
        library: Library::Name(library.into()),
        library_directories: libraries(),
        cache: cache.map(PathBuf::from),
        block: block.map(String::from),
        ..Options::default()
    };
    estimate(&design(), &options)
}

/// Equal, or the lines in which they differ.
fn same(a: &SynthesisReport, b: &SynthesisReport) {
    let [a, b] = [a, b].map(|r| serde_json::to_string_pretty(r).unwrap());
    let differing: Vec<_> = a.lines().zip(b.lines()).filter(|(x, y)| x != y).take(20).collect();
    assert!(a == b, "{differing:#?}");
}

/// A Liberty file of a memory macro of 32 words and so many bits.
fn macro_file(folder: &Path, bits: u32) -> InputSource {
    let path = folder.join("ram.lib");
    let text = format!(
        "library (l) {{ time_unit : \"1ns\";\n cell (RAM) {{ area : 777.5;\n memory () {{ address_width : 5; \
         word_width : {bits}; }}\n pin (Q) {{ timing () {{ timing_type : rising_edge; cell_rise (scalar) {{ values \
         (\"1.25\"); }} }} }} }} }}\n"
    );
    std::fs::write(&path, text).unwrap();
    path.as_path().into()
}

#[test]
fn macros_of_the_user_take_the_place_of_the_models() {
    if !ready("nangate45") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let with = |bits: u32| {
        let options = Options {
            library_directories: libraries(),
            block: Some("queue".into()),
            by_block: false,
            macros: vec![macro_file(folder.path(), bits)],
            ..Options::default()
        };
        estimate(&design(), &options)
    };
    let report = with(66).unwrap();
    let word = report.memories.iter().find(|m| m.module == "ram_1r1w_32x66").unwrap().as_macro.clone().unwrap();
    assert_eq!((word.area_um2, word.access_ns, report.memory_area_um2), (777.5, 1.25, 777.5));
    assert!(report.timing.period_ns.unwrap() >= 1.25 && report.other_memories.is_none());
    let note =
        |note: &String| note.contains("area and times of 32x66 from") && note.ends_with("RAM, 1.250 ns to the data");
    assert!(report.notes.iter().any(note), "{:?}", report.notes);
    let said = with(64).unwrap_err().to_string();
    assert_eq!(said, "no macro for memories of 32x66: the files have 32x64");
}

#[test]
fn repeats_and_is_cached() {
    if !ready("nangate45") {
        return;
    }
    let cache = tempfile::tempdir().unwrap();
    let first = run("nangate45", Some(cache.path()), None).unwrap();
    same(&run("nangate45", Some(cache.path()), None).unwrap(), &first);
    // Made again without a cache: the same figures.
    same(&run("nangate45", None, None).unwrap(), &first);

    // 4 queues x (16 + 16 tag bits + 4 read) + arbiter 3 (its lowest mask bit is always 0) + output 66.
    assert_eq!(first.registers, 4 * (16 + 16 + 4) + 3 + 66);
    assert_eq!(first.memory_bits, 4 * (32 * 66 + 4 * 4));
    assert_eq!(first.whole.macros["ram_1r1w_32x66"], 4);
    let block = |name: &str| first.blocks.iter().find(|b| b.module == name).unwrap_or_else(|| panic!("{name}"));
    assert_eq!((block("queue").instances, block("ram_1r1w_4x4").instances), (4, 4));
    assert!(block("queue").own_area_um2 > 0.0 && block("queue").area_um2 > block("queue").own_area_um2);
    assert!(first.blocks.iter().all(|b| b.module != "ram_1r1w_32x66"), "macros are not synthesised");
    let word = first.memories.iter().find(|m| m.module == "ram_1r1w_32x66").unwrap().as_macro.clone().unwrap();
    assert!((first.memory_area_um2 - 4.0 * word.area_um2).abs() < 1e-3);
    assert!((first.area_um2 - first.cell_area_um2 - first.memory_area_um2).abs() < 1e-3);

    let critical = first.timing.critical.as_ref().unwrap();
    assert!(critical.stages > 2 && critical.delay_ns > 0.2 && critical.delay_ns < 1.0, "{critical:?}");
    let names = ["count", "pointer", "mask", "words", "tags", "out_flit"];
    for end in [&critical.start, &critical.end] {
        assert!(names.iter().any(|n| end.contains(n)), "a register's or memory's name: {end}");
    }
    assert!(
        ["queue", "arbiter", "small_switch", "ram_1r1w_4x4"].contains(&critical.start_block.as_str()),
        "{critical:?}"
    );
    let fmax = first.timing.fmax_mhz.unwrap();
    assert!((first.timing.shortest_frame_rate_gbps.unwrap() - 0.672 * fmax).abs() < 1e-3);
    assert!((first.timing.link_rate_gbps.unwrap() - 0.064 * fmax).abs() < 1e-3, "64 bits a cycle");
    assert!((first.timing.latency_ns.unwrap() - 3.0 * 1000.0 / fmax).abs() < 1e-3);
    assert!(first.power.cell_dynamic_w > 0.0 && first.power.memory_dynamic_w > 0.0);
    assert!(first.power.activity.contains("assumed"));
    let lookup = first.lookup.as_ref().unwrap();
    assert!(lookup.conventional_w > 0.0 && lookup.one_percent_w.is_none(), "a CAM without cache");
    assert!(first.lookup_own_memories.is_none());
    // The macros of 130 nm are slower by more than the ratio of nodes, and limit the clock.
    let other = first.other_memories.as_ref().unwrap();
    assert!(other.source.contains("130 nm points (ihp) scaled to 45 nm"), "{other:?}");
    assert!(other.fmax_mhz.unwrap() < fmax && other.area_um2 > first.area_um2, "{other:?}");
}

#[test]
fn by_parts_as_the_flat_one() {
    if !ready("nangate45") {
        return;
    }
    let cache = tempfile::tempdir().unwrap();
    let by_parts = |design: &GeneratedDesign| {
        let options = Options {
            library_directories: libraries(),
            cache: Some(cache.path().into()),
            flatten: false,
            by_block: false,
            ..Options::default()
        };
        estimate(design, &options).unwrap()
    };
    let (flat, parts) = (run("nangate45", Some(cache.path()), None).unwrap(), by_parts(&design()));
    assert_eq!((parts.registers, parts.memory_bits), (flat.registers, flat.memory_bits));
    assert_eq!((&parts.whole.macros, parts.memory_area_um2), (&flat.whole.macros, flat.memory_area_um2));
    // Nothing is optimised across parts: longer paths are expected, much shorter ones would be a fault of the linking.
    let near = |a: f64, b: f64, what: &str| assert!((0.9..2.0).contains(&(a / b)), "{what}: {a} by parts, {b} flat");
    near(parts.cell_area_um2, flat.cell_area_um2, "area");
    near(parts.timing.period_ns.unwrap(), flat.timing.period_ns.unwrap(), "period");
    let cells: f64 = parts.whole.by_cell.values().sum::<u64>() as f64;
    assert_eq!(cells, parts.whole.cells as f64);

    // What changes in the top is synthesised there; the parts come from the cache.
    let kept = || {
        std::fs::read_dir(cache.path())
            .unwrap()
            .filter(|f| f.as_ref().unwrap().file_name().to_string_lossy().starts_with("part-"))
    };
    let before = kept().count();
    let mut changed = design();
    changed.modules[0].1 = changed.modules[0].1.replace("module small_switch", "module small_switch /* again */");
    by_parts(&changed);
    assert_eq!(kept().count(), before + 1);
}

#[test]
fn one_block() {
    if !ready("nangate45") {
        return;
    }
    let report = run("nangate45", None, Some("arbiter")).unwrap();
    assert_eq!((report.registers, report.memory_area_um2, report.blocks.len()), (3, 0.0, 1));
    assert_eq!(report.whole.paths.input_to_output.as_ref().unwrap().end_block, "arbiter");
    let error = run("nangate45", None, Some("arbitre")).unwrap_err();
    assert!(matches!(error, Error::NoSuchBlock { .. }), "{error}");
}

/// A period has to leave what the clock's edges may differ by.
#[test]
fn clock_uncertainty_lengthens_every_period() {
    if !ready("nangate45") {
        return;
    }
    let period = |clock_uncertainty_ns: f64| {
        let block = Some("arbiter".to_string());
        let options = Options { library_directories: libraries(), block, clock_uncertainty_ns, ..Options::default() };
        let report = estimate(&design(), &options).unwrap();
        (report.timing.period_ns.unwrap(), report.notes[0].clone())
    };
    let (ideal, uncertain) = (period(0.0), period(0.05));
    assert!((uncertain.0 - ideal.0 - 0.05).abs() < 1e-5, "{ideal:?} {uncertain:?}");
    assert!(ideal.1.starts_with("ideal clock; wires by the library's default wire load 5K_hvratio_1_1"), "{}", ideal.1);
    assert!(uncertain.1.starts_with("clock uncertainty 0.05 ns; "), "{}", uncertain.1);
}

/// Where no path leads from register to register, no clock is said to be met.
#[test]
fn a_block_without_registers_meets_no_clock() {
    if !ready("osu018") {
        return;
    }
    let options = Options {
        library: Library::Name("osu018".into()),
        library_directories: libraries(),
        block: Some("crossbar".into()),
        clock_mhz: Some(2000.0),
        ..Options::default()
    };
    let wires = "module crossbar (input wire [3:0] data, input wire select, output wire out);
        assign out = select ? data[1] ^ data[2] : data[0] & data[3];\nendmodule\n";
    let mut design = design();
    design.modules.push(("crossbar.v".into(), wires.into()));
    let report = estimate(&design, &options).unwrap();
    assert_eq!((report.asked, report.timing.fmax_mhz), (None, None));
    assert!(
        report.notes.iter().any(|note| note.contains("nothing says whether 2000 MHz are met")),
        "{:?}",
        report.notes
    );
}

/// A clock that leaves time costs less area than the fastest, and power is at that clock.
#[test]
fn a_clock_that_is_asked_for_is_met_with_less_area() {
    if !ready("osu018") {
        return;
    }
    let at = |clock_mhz: Option<f64>| {
        let options = Options {
            library: Library::Name("osu018".into()),
            library_directories: libraries(),
            block: Some("arbiter".into()),
            clock_mhz,
            ..Options::default()
        };
        estimate(&design(), &options).unwrap()
    };
    let fastest = at(None);
    assert_eq!(fastest.asked, None);
    let highest = fastest.timing.fmax_mhz.unwrap();
    let (slow, never) = (at(Some((highest / 3.0).floor())), at(Some((10.0 * highest).ceil())));
    let [met, missed] = [&slow, &never].map(|report| report.asked.unwrap());
    assert!(met.met && met.slack_ns >= 0.0 && slow.timing.fmax_mhz.unwrap() >= met.mhz, "{met:?}");
    assert!(slow.area_um2 < fastest.area_um2, "{} {}", slow.area_um2, fastest.area_um2);
    assert!((slow.power.clock_mhz - met.mhz).abs() < 1.0, "{}", slow.power.clock_mhz);
    assert!(!missed.met && missed.slack_ns < 0.0, "{missed:?}");
    assert_eq!(never.timing.period_ns, fastest.timing.period_ns, "the fastest that there is");
}

/// Outputs that are constants, or each other, become assignments that OpenSTA does not read.
#[test]
fn outputs_that_are_each_other() {
    if !ready("nangate45") {
        return;
    }
    let text = "module answers (input wire clock, input wire [1:0] a, output wire [7:0] y);\n    reg [1:0] q;\n    \
                always @(posedge clock) q <= a;\n    assign y = {1'b0, q[1], 2'b10, q[1], q[0], q[1], 1'b0};\nendmodule\n";
    let answers =
        GeneratedDesign { top: "answers".into(), modules: vec![("answers.v".into(), text.into())], switch: None };
    let options =
        Options { library: Library::Name("nangate45".into()), library_directories: libraries(), ..Options::default() };
    assert_eq!(estimate(&answers, &options).unwrap().registers, 2);
}

#[test]
fn other_libraries() {
    for name in ["sky130hd", "sg13g2", "gt2n", "osu018"].into_iter().filter(|n| ready(n)) {
        let report = run(name, None, None).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(report.registers, 213, "{name}");
        assert!(report.timing.fmax_mhz.unwrap() > 50.0 && report.area_um2 > 10.0, "{name}");
        assert!(report.blocks.iter().all(|b| b.cells > 0), "{name}");
    }
}

#[test]
fn activity_from_a_vcd() {
    if !ready("nangate45") {
        return;
    }
    // Nothing but the clock and one output register's bit moves.
    let (vcd, kept) = (tempfile::NamedTempFile::new().unwrap(), tempfile::tempdir().unwrap());
    let mut text = String::from(
        "$scope module TOP $end\n$scope module small_switch $end\n$var wire 1 ! clock $end\n$var wire 66 \" out_flit [65:0] \
         $end\n$var wire 1 # reset $end\n$var wire 4 $ push [3:0] $end\n$upscope $end\n$upscope $end\n$enddefinitions $end\n#0\n0!\n\
         b0 \"\n0#\nb0 $\n",
    );
    for cycle in 0..20 {
        text += &format!("#{}\n1!\nb{} \"\n#{}\n0!\n", 10 * cycle + 5, cycle % 2, 10 * cycle + 10);
    }
    std::fs::write(vcd.path(), text).unwrap();
    let options = Options {
        library_directories: libraries(),
        activity: Some(vcd.path().into()),
        by_block: false,
        keep: Some(kept.path().join("out")),
        ..Options::default()
    };
    let report = estimate(&design(), &options).unwrap();
    let (known, all) = report.whole.power.annotated.unwrap();
    assert!(known >= 66 && known < all, "{known} of {all}");
    assert!(report.power.activity.contains(&format!("{known} of {all}")));
    assert_eq!(report.power.memory_dynamic_w, 0.0, "no address moves");
    assert!(["design.v", "netlist.v", "macros.v", "macros.lib"].iter().all(|n| kept
        .path()
        .join("out")
        .join(n)
        .is_file()));
    let again = estimate(&design(), &options).unwrap_err().to_string();
    assert!(again.contains("holds files already"), "{again}");
}

#[test]
fn says_what_is_missing() {
    let error = run("nangate54", None, None).unwrap_err().to_string();
    assert!(error.contains("unknown library nangate54") && error.contains("sg13g2"), "{error}");
    let named = NamedLibrary::get("osu018").unwrap();
    if named.find(&[]).is_err() {
        assert!(run("osu018", None, None).unwrap_err().to_string().contains("apt-get install qflow-tech-osu018"));
    }
    let options = Options {
        library: Library::File { file: Path::new("no/such.lib").into(), node_nm: None },
        ..Options::default()
    };
    let error = estimate(&design(), &options).unwrap_err();
    assert!(matches!(error, Error::MissingLibrary { .. } | Error::MissingTool { .. }), "{error}");
    let text = error.to_string();
    assert!(!text.contains('\n') && (text.contains("it is no file") || text.contains("apt-get")), "{text}");
}

#[test]
fn broken_verilog_is_an_error() {
    if !ready("nangate45") {
        return;
    }
    let modules = vec![("x.v".to_string(), "module x (input wire a);\n  missing m (.a(a));\nendmodule\n".to_string())];
    let design = GeneratedDesign { top: "x".into(), modules, switch: None };
    let options = Options { library_directories: libraries(), ..Options::default() };
    let error = estimate(&design, &options).unwrap_err();
    assert!(matches!(error, Error::Tool { .. }) && error.to_string().contains("missing"), "{error}");
}

#[test]
fn fpga_counts() {
    if !ready("nangate45") {
        return;
    }
    for family in [fpga::Family::Ecp5, fpga::Family::Ice40] {
        let cache = tempfile::tempdir().unwrap();
        let report = fpga::estimate(&design(), None, family, Some(cache.path())).unwrap();
        assert!(report.luts > 50 && report.registers > 100, "{report:?}");
        assert!(report.block_rams + report.distributed_rams > 0, "{report:?}");
        assert!(report.fmax_mhz.is_some_and(|mhz| mhz > 10.0) || !report.notes.is_empty(), "{report:?}");
        assert_eq!(fpga::estimate(&design(), None, family, Some(cache.path())).unwrap(), report);
    }
}
