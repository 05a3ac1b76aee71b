//! Files of packages: what is in them, and that simulator and timing analyser take them.

use crate::*;

/// A library without a cell that could be of use.
const CELLS: &str = "library (cells) {
    input_threshold_pct_rise : 50; input_threshold_pct_fall : 50;
    output_threshold_pct_rise : 50; output_threshold_pct_fall : 50;
    slew_lower_threshold_pct_rise : 20; slew_lower_threshold_pct_fall : 20;
    slew_upper_threshold_pct_rise : 80; slew_upper_threshold_pct_fall : 80;
    cell (none) { area : 0; }
}
";

/// OpenSTA takes the constraints, and every pin but the clock has one.
fn read_constraints(folder: &Path, manifest: &Value, role: &str) {
    let top = manifest["top"].as_str().unwrap();
    let pins = entries(manifest, "ports");
    let name = |pin: &Value| pin["name"].as_str().unwrap().to_string();
    let declared = pins.iter().map(|pin| {
        let width = pin["width"].as_u64().unwrap();
        let range = if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) };
        format!("{} {range}{};\n", pin["direction"].as_str().unwrap(), name(pin))
    });
    let names: Vec<String> = pins.iter().map(name).collect();
    let work = tempfile::tempdir().unwrap();
    let empty = format!("module {top} ({});\n{}endmodule\n", names.join(", "), declared.collect::<String>());
    fs::write(work.path().join("top.v"), empty).unwrap();
    fs::write(work.path().join("cells.lib"), CELLS).unwrap();
    let constraints = folder.join(file(manifest, role));
    let script = format!(
        "read_liberty cells.lib\nread_verilog top.v\nlink_design {top}\nsource {}\nreport_clock_properties\nwrite_sdc out.sdc\n",
        constraints.display()
    );
    fs::write(work.path().join("run.tcl"), script).unwrap();
    let said = run(work.path(), "sta", &["-exit", "run.tcl"]);
    assert!(!said.contains("Error") && !said.contains("Warning") && said.contains("2.00"), "{said}");
    let written = fs::read_to_string(work.path().join("out.sdc")).unwrap();
    for pin in pins {
        let bit = if pin["width"] == 1 { name(pin) } else { format!("{}[0]", name(pin)) };
        assert!(written.contains(&format!("{{{bit}}}")) || written.contains(&format!(" {bit}]")), "{bit}: {written}");
    }
}

/// Every file but the manifest is listed in it with its sum.
fn check_sums(folder: &Path, manifest: &Value) {
    let mut listed = BTreeSet::from([String::from("manifest.json")]);
    for entry in entries(manifest, "modules").iter().chain(entries(manifest, "files")) {
        let name = entry["file"].as_str().unwrap();
        let sum: String =
            Sha256::digest(fs::read(folder.join(name)).unwrap()).iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(entry["sha256"], sum, "{name}");
        listed.insert(name.into());
    }
    let there = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(there.collect::<BTreeSet<_>>(), listed);
}

/// The data sheet has these sections, and nothing in it leads outside.
fn check_data_sheet(folder: &Path, manifest: &Value, headings: &[&str]) {
    let html = fs::read_to_string(folder.join(file(manifest, "data_sheet"))).unwrap();
    for outside in ["http", "src=", "<link", "<script", "@import"] {
        assert!(!html.contains(outside), "{outside}");
    }
    for reference in ["url(", "href=\""] {
        assert!(
            html.match_indices(reference).all(|(at, _)| html[at + reference.len()..].starts_with('#')),
            "{reference}"
        );
    }
    let ids: Vec<&str> = html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let unique: BTreeSet<&&str> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len(), "{ids:?}");
    let found: Vec<&str> = html.split("<h2>").skip(1).filter_map(|rest| rest.split("</h2>").next()).collect();
    let numbered = headings.iter().enumerate().map(|(index, heading)| format!("{}. {heading}", index + 1));
    assert_eq!(found, numbered.collect::<Vec<_>>());
    for section in html.split("<h2>").skip(1) {
        let body = section.split("</h2>").nth(1).unwrap();
        assert!(["<p>", "<table>", "<figure>", "<ul>"].iter().any(|part| body.contains(part)), "empty: {section}");
    }
    for pin in entries(manifest, "ports") {
        assert!(html.contains(&format!("<code>{}</code>", pin["name"].as_str().unwrap())), "{pin}");
    }
}

const OF_SWITCH: [&str; 12] = [
    "What it is",
    "Block diagram",
    "Parameters",
    "Pins and their timing",
    "Latency",
    "Packets",
    "Registers",
    "Memories",
    "Clock, reset, constraints",
    "Throughput and latency under load",
    "Area and clock",
    "Integration notes",
];

const OF_NETWORK: [&str; 8] = [
    "What it is",
    "Topology",
    "Parameters",
    "Pins",
    "Registers",
    "Memories",
    "Clock, reset, constraints",
    "Integration notes",
];

/// A package is taken by simulator and timing analyser, and stands in the manifest.
fn check_package(folder: &Path, manifest: &Value) {
    check_sums(folder, manifest);
    compile_instance(folder, manifest);
    read_constraints(folder, manifest, "sdc");
    read_constraints(folder, manifest, "xdc");
    for role in ["vivado", "quartus", "bender", "fusesoc"] {
        let text = fs::read_to_string(folder.join(file(manifest, role))).unwrap();
        let at = |entry: &Value| text.find(&format!(" {}\n", entry["file"].as_str().unwrap()));
        let places: Vec<Option<usize>> = entries(manifest, "modules").iter().map(at).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{role}: {text}");
    }
}

#[test]
fn a_package_is_taken_by_the_tools_that_it_is_for() {
    let folder = tempfile::tempdir().unwrap();
    for (name, options) in [("tiny", vec!["--package"]), ("table16", vec!["--package", "--single"])] {
        let out = folder.path().join(name);
        let manifest = generate(&[&["generate", name], options.as_slice()].concat(), &out);
        check_package(&out, &manifest);
        check_data_sheet(&out, &manifest, &OF_SWITCH);
        let has_registers = !entries(&manifest, "registers").is_empty();
        for role in ["system_rdl", "c_header", "rust_module", "svd"] {
            assert_eq!(entries(&manifest, "files").iter().any(|entry| entry["role"] == role), has_registers, "{name}");
        }
    }
}

#[test]
fn a_network_has_a_package_too() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let network = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/networks/verified.json");
    let manifest = generate(&["network", "generate", network, "--package", "--single"], &out);
    check_package(&out, &manifest);
    check_data_sheet(&out, &manifest, &OF_NETWORK);
}

/// A switch of two ports, one of which is a stream.
const CHIP: &str = r#"{"name": "small", "ports": 2, "flit_bits": 16, "virtual_channels": {"unicast": 1},
    "packet": {"max_flits": 2}, "routing": {"kind": "source", "hops": 1}, "counters": {},
    "chip": {"streams": {"ports": [1]}, "register_port": "axi_lite", "reset_synchronizer": true}}"#;

#[test]
fn a_chip_has_a_package_too_and_verify_finds_its_switch() {
    let folder = tempfile::tempdir().unwrap();
    let (description, out) = (folder.path().join("small.json"), folder.path().join("out"));
    fs::write(&description, CHIP).unwrap();
    let description = description.to_str().unwrap();
    let manifest = generate(&["generate", description, "--package"], &out);
    check_package(&out, &manifest);
    check_data_sheet(&out, &manifest, &OF_SWITCH);
    let around = &manifest["chip"];
    assert_eq!((&manifest["top"], &around["switch"]), (&"small_chip".into(), &"small_switch".into()));
    assert_eq!((&around["streams"]["ports"], &around["register_port"]), (&vec![1].into(), &"axi_lite".into()));
    let width = |name: &str| {
        entries(&manifest, "ports").iter().find(|pin| pin["name"] == name).map(|pin| pin["width"].as_u64().unwrap())
    };
    assert_eq!((width("rx_flit"), width("axis_in_tdata"), width("axil_wdata")), (Some(16), Some(16), Some(32)));
    assert_eq!(width("apb_psel"), None);
    let html = fs::read_to_string(out.join("small.html")).unwrap();
    assert!(html.contains("The top module <code>small_chip</code>") && html.contains("must take requests"), "{html}");
    let verified =
        railyard(&["verify", description, "--design", out.to_str().unwrap(), "--cycles", "1000", "--mixes", "0"]);
    assert_eq!(verified.status.code(), Some(0), "{}{}", text(&verified.stdout), text(&verified.stderr));
    let adapter = out.join("small_stream_in.v");
    fs::write(&adapter, fs::read_to_string(&adapter).unwrap() + "// mine\n").unwrap();
    let refused = railyard(&["generate", description, "-o", out.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("small_stream_in.v: was edited"), "{}", text(&refused.stderr));
}

#[test]
fn check_says_what_stands_around_a_switch_and_a_network_has_no_chips() {
    let folder = tempfile::tempdir().unwrap();
    let description = folder.path().join("small.json");
    fs::write(&description, CHIP).unwrap();
    let checked = text(&railyard(&["check", description.to_str().unwrap()]).stdout);
    for part in ["small_chip", "at 1 port, store and forward, headers of 1 flit", "AXI4-Lite", "synchronized"] {
        assert!(checked.contains(part), "{part}: {checked}");
    }
    let network = folder.path().join("network.json");
    let switch = r#"{"name": "leaf", "ports": 4, "routing": {"kind": "source", "hops": 3}, "chip": {}}"#;
    let topology = r#"{"kind": "fat_tree", "ports": 4, "levels": 2}"#;
    fs::write(&network, format!(r#"{{"switch": {switch}, "topology": {topology}}}"#)).unwrap();
    let refused = railyard(&["network", "check", network.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("must have no chip"), "{}", text(&refused.stderr));
}

/// What the sheet says of a design with options holds for it.
#[test]
fn a_data_sheet_knows_of_codes_ports_and_streams() {
    let folder = tempfile::tempdir().unwrap();
    let (description, out) = (folder.path().join("codes.json"), folder.path().join("out"));
    let sheet = |verb: &[&str], json: &str| {
        fs::write(&description, json).unwrap();
        let manifest = generate(&[verb, &[description.to_str().unwrap(), "--package"]].concat(), &out);
        fs::read_to_string(out.join(file(&manifest, "data_sheet"))).unwrap()
    };
    let without = "No memory has parity or an error-correcting code.";
    let code = "Input buffers have an error-correcting code.";
    let chip = r#"{"name": "codes", "ports": 2, "flit_bits": 16, "virtual_channels": {"unicast": 1}, "buffer_flits": 32,
        "packet": {"max_flits": 16}, "routing": {"kind": "table", "address_bits": 8, "cache": {"entries": 16}},
        "buffer_ecc": {}, "chip": {"streams": {}, "register_port": "PORT"}}"#;
    let none = sheet(&["generate"], &chip.replace("PORT", "none"));
    for part in [code, "an idle switch 6 cycles after", "words, which no port reaches", "No port reaches them"] {
        assert!(none.contains(part), "{part}: {none}");
    }
    assert!(!none.contains(without) && none.contains("<td>queues of streams</td>"), "{none}");
    let lite = sheet(&["generate"], &chip.replace("PORT", "axi_lite"));
    assert!(lite.contains("words behind the AXI4-Lite port"), "{lite}");
    let table = r#"{"name": "codes", "ports": 2, "flit_bits": 32, "virtual_channels": {"unicast": 1, "mixed": 1},
        "packet": {"max_flits": 2}, "multicast": {"groups": 4, "parity": {}},
        "routing": {"kind": "table", "address_bits": 8, "parity": {}}}"#;
    let parity = sheet(&["generate"], table);
    for part in
        ["Routing caches have parity.", "Multicast group tables have parity.", "All other memories have neither."]
    {
        assert!(parity.contains(part), "{part}: {parity}");
    }
    let plain = sheet(&["generate"], r#"{"name": "codes", "ports": 2, "packet": {"max_flits": 4}}"#);
    assert!(plain.contains(without), "{plain}");
    let network = r#"{"switch": {"name": "leaf", "ports": 4, "virtual_channels": {"unicast": 1}, "buffer_ecc": {},
        "packet": {"max_flits": 4}, "routing": {"kind": "source", "hops": 3}},
        "topology": {"kind": "fat_tree", "ports": 4, "levels": 2}}"#;
    let network = sheet(&["network", "generate"], network);
    assert!(network.contains(code) && !network.contains(without), "{network}");
}

/// Without a link there is nothing that rules of links could be bound to.
#[test]
fn a_chip_of_streams_alone_has_a_package_without_assertions_of_links() {
    let folder = tempfile::tempdir().unwrap();
    let (description, out) = (folder.path().join("full.json"), folder.path().join("out"));
    for streams in ["{}", r#"{"ports": [0, 1]}"#] {
        let chip = r#"{"name": "full", "ports": 2, "flit_bits": 16, "virtual_channels": {"unicast": 1},
            "packet": {"max_flits": 2}, "routing": {"kind": "source", "hops": 1},
            "chip": {"streams": STREAMS, "register_port": "none"}}"#;
        fs::write(&description, chip.replace("STREAMS", streams)).unwrap();
        let manifest = generate(&["generate", description.to_str().unwrap(), "--package"], &out);
        check_package(&out, &manifest);
        check_data_sheet(&out, &manifest, &OF_SWITCH);
        assert!(entries(&manifest, "files").iter().all(|entry| entry["role"] != "link_assertions"));
        let core = fs::read_to_string(out.join("full.core")).unwrap();
        assert!(!core.contains("links"), "{core}");
    }
}

/// The curve of a data sheet is measured while it is written; the same seed gives the same bytes.
#[test]
fn a_package_is_the_same_when_it_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] =
        ["a", "b"].map(|name| generate(&["generate", "noc5", "--package"], &folder.path().join(name)));
    assert_eq!(first, second);
}

#[test]
fn one_file_has_all_modules() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let manifest = generate(&["generate", "noc5", "--single"], &out);
    check_sums(&out, &manifest);
    assert_eq!(fs::read_dir(&out).unwrap().count(), 3, "Verilog, list and manifest");
    let top = manifest["top"].as_str().unwrap();
    run(&out, "iverilog", &["-g2005", "-f", "files.f", "-s", top, "-t", "null"]);
    run(&out, "verilator", &["--lint-only", "-Wall", "-F", "files.f", "--top-module", top]);
}

#[test]
fn an_edited_package_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let manifest = generate(&["generate", "tiny", "--package"], &out);
    for role in ["sdc", "fusesoc", "instance"] {
        let name = file(&manifest, role);
        let before = fs::read_to_string(out.join(&name)).unwrap();
        fs::write(out.join(&name), before.clone() + "# mine\n").unwrap();
        let refused = railyard(&["generate", "tiny", "-o", out.to_str().unwrap()]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains(&format!("{name}: was edited")), "{}", text(&refused.stderr));
        fs::write(out.join(&name), before).unwrap();
    }
    generate(&["generate", "tiny"], &out);
    assert!(!out.join("tiny.sdc").exists(), "the folder is replaced as a whole");
}

#[test]
fn options_of_a_package_are_checked() {
    for (args, part) in [
        (["--package", "--clock", "0.5"], "a number from 1 to 10000; the nearest is 1"),
        (["--package", "--clock", "fast"], "a number from 1 to 10000"),
        (["--single", "--clock", "100"], "--package"),
    ] {
        let output = railyard(&[&["generate", "tiny", "-o", "never"], args.as_slice()].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(part), "{}", text(&output.stderr));
    }
}

/// Clocks of links are seldom whole MHz.
#[test]
fn the_clock_of_a_package_may_have_a_fraction() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    generate(&["generate", "tiny", "--package", "--clock", "156.25"], &out);
    for constraints in ["tiny.sdc", "tiny.xdc"] {
        let text = fs::read_to_string(out.join(constraints)).unwrap();
        assert!(text.contains("# Clock: 156.25 MHz.") && text.contains("-period 6.400 "), "{text}");
        assert!(text.contains("set_input_delay -clock clock 1.920 "), "{text}");
    }
    let sheet = fs::read_to_string(out.join("tiny.html")).unwrap();
    assert!(sheet.contains("156.25 MHz, 30 % of a period outside"), "{sheet}");
}
