//! Tools that read a package or what it describes: FuseSoC, checkers of links, place and route.

use crate::*;

#[test]
fn fuse_soc_lints_the_core() {
    let Some(tools) = installed("exports", "tools", "export-tools.txt") else { return };
    let folder = tempfile::tempdir().unwrap();
    generate(&["generate", "tiny", "--package"], &folder.path().join("tiny"));
    let network = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/networks/verified.json");
    generate(&["generate", "noc5", "--package", "--single"], &folder.path().join("noc5"));
    let manifest = generate(&["network", "generate", network, "--package", "--single"], &folder.path().join("net"));
    let core = file(&manifest, "fusesoc");
    for name in ["tiny", "noc5", core.strip_suffix(".core").unwrap()] {
        let root = if ["tiny", "noc5"].contains(&name) { name } else { "net" };
        let core = format!("railyard:switch:{name}:{}", env!("CARGO_PKG_VERSION"));
        for flags in [&[][..], &["--flag", "link_assertions"]] {
            let args = [&["--cores-root", root, "run"], flags, &["--target", "lint", &core]].concat();
            let said = run(folder.path(), tools.join("fusesoc"), &args);
            assert!(!said.contains("WARNING") && !said.contains("ERROR"), "{said}");
        }
    }
}

/// Stimulus for the checker of a link with one VC, a buffer of 4 flits and packets of at most 2.
const LINK: &str = "module bench;
    reg clock = 0, reset = 1, valid = 0, vc = 0, head = 0, tail = 0, report = 0;
    reg [4:0] total = 0;
    tiny_link_checker #(.DEPTH(4), .MAX_FLITS(2)) dut (clock, reset, valid, vc, head, tail, report, total);
    task cycle; begin #1 clock = 1; #1 clock = 0; valid = 0; report = 0; end endtask
    task flit(input is_head, input is_tail); begin valid = 1; head = is_head; tail = is_tail; cycle; end endtask
    task credit(input [4:0] flits); begin report = 1; total = flits; cycle; end endtask
    initial begin
        cycle; reset = 0; flit(1, 1); flit(1, 0); flit(0, 1); credit(3);
        STIMULUS
        cycle; $finish;
    end
endmodule
";

#[test]
fn rules_of_links_are_assertions() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = generate(&["generate", "tiny", "--package"], folder.path());
    let (name, top) = (file(&manifest, "link_assertions"), manifest["top"].as_str().unwrap());
    let lint = ["--lint-only", "-Wall", "--assert", "-F", "files.f", &name, "--top-module", top];
    run(folder.path(), "verilator", &lint);
    // Icarus Verilog knows no `bind`.
    let all = fs::read_to_string(folder.path().join(&name)).unwrap();
    let (checker, binds) = all.split_once("\nbind ").unwrap();
    assert!(binds.contains(".DEPTH(8)") && binds.contains("tx_checker"), "{binds}");
    fs::write(folder.path().join("checker.sv"), checker).unwrap();
    let stimuli = [
        ("flit(1, 0); credit(4); flit(0, 1); credit(5);", ""),
        ("flit(1, 0); flit(1, 1);", "a head inside of a packet"),
        ("flit(0, 1);", "a flit outside of one"),
        ("flit(1, 0); flit(0, 0); flit(0, 1);", "a packet of more than 2 flits"),
        ("vc = 1; flit(1, 1);", "a flit on VC 1"),
        ("repeat (5) flit(1, 1);", "a flit without credit"),
        ("flit(1, 1); credit(5);", "frees 2 flits of 1"),
        ("valid = 1'bx; cycle;", "valid is unknown"),
    ];
    for (stimulus, message) in stimuli {
        fs::write(folder.path().join("bench.sv"), LINK.replace("STIMULUS", stimulus)).unwrap();
        run(folder.path(), "iverilog", &["-g2012", "-s", "bench", "-o", "bench", "checker.sv", "bench.sv"]);
        let said = run(folder.path(), "vvp", &["-n", "bench"]);
        assert!(said.contains(message) && said.contains("ERROR") != message.is_empty(), "{stimulus}: {said}");
    }
}

/// A switch that tests itself is placed and routed on a common board, and meets the board's clock.
#[test]
fn a_bitstream_is_made() {
    if installed("fpga", "fpga", "fpga-tools.txt").is_none() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut board = Command::new(root.join("scripts/board"));
    let output = board.env("RAILYARD", env!("CARGO_BIN_EXE_railyard")).output().expect("the script runs");
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("Max frequency") && said.contains("PASS at 25.00 MHz"), "{said}");
    assert!(said.contains("bitstream: target/board/ulx3s.bit"), "{said}");
}

/// Netlists of an FPGA and of a cell library do what the Verilog does.
#[test]
#[ignore = "synthesises and simulates gates"]
fn netlists_are_equal_to_the_verilog() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let cells = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";
    let said = run(&root, "scripts/gates", &["ecp5", "ice40", cells]);
    assert_eq!(said.matches("equal in 10000 cycles").count(), 3, "{said}");
}
