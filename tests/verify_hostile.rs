//! `verify --design` with designs that nobody should run: each is a failed verdict, or refused, and reaches nothing.
//!
//! The attacks in one process are those of `verilated/tests/process.rs`; here it is what a user sees of them.

use seccompiler::{apply_filter, BpfProgram, SeccompAction, SeccompFilter};
use serde_json::Value;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// A small switch, which builds quickly.
const PREY: &str = r#"{"name": "prey", "ports": 2, "flit_bits": 16, "buffer_flits": 4, "packet": {"max_flits": 2},
    "virtual_channels": {"unicast": 1}, "routing": {"kind": "source", "hops": 2}}"#;

/// What a design does with the first packet, by the time at which it comes: how the report calls it, and a word of the
/// report.
const ATTACKS: [(&str, &str, &str); 7] = [
    ("$c(\"std::exit(0);\");", "ended", "exit code 0"),
    ("leave(0);", "ended", "exit code 0"),
    ("$c(\"kill(getppid(), SIGKILL);\");", "ended", "SIGSYS"),
    ("$system(\"touch OUTSIDE\");", "ended", "SIGSYS"),
    ("while (one) one = 1;", "stalled", "1 s of processor time"),
    ("$c(\"*(volatile int*)(uintptr_t)(getpid() == 0) = 1;\");", "ended", "SIGSEGV"),
    ("$c(\"throw 7;\");", "ended", "C++ exception"),
];

/// Cycles between the times of two attacks.
const BETWEEN: usize = 64;

fn railyard(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_railyard")).args(args).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The Verilog of the prey in a folder, with the description beside it.
struct Prey {
    folder: PathBuf,
    config: String,
    design: String,
}

impl Prey {
    fn new(folder: &Path) -> Prey {
        let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
        let prey = Prey { folder: folder.into(), config: path("prey.json"), design: path("design") };
        fs::write(&prey.config, PREY).unwrap();
        assert_eq!(railyard(&["generate", &prey.config, "-o", &prey.design]).status.code(), Some(0));
        prey
    }

    fn file(&self, name: &str) -> PathBuf {
        Path::new(&self.design).join(name)
    }

    /// Replaces a part of a file.
    fn edit(&self, name: &str, from: &str, to: &str) {
        let file = self.file(name);
        let before = fs::read_to_string(&file).expect("a module");
        assert!(before.contains(from), "{from} in {before}");
        fs::write(&file, before.replacen(from, to, 1)).unwrap();
    }

    /// Runs it, with more arguments.
    fn verify(&self, more: &[&str]) -> Output {
        railyard(&[&self.words()[..], more].concat())
    }

    fn words(&self) -> [&str; 8] {
        ["verify", &self.config, "--design", &self.design, "--cycles", "600", "--mixes", "0"]
    }

    /// The JSON report of a run that must end with `code`.
    fn report(&self, more: &[&str], code: i32) -> Value {
        let output = self.verify(&[&["--json"], more].concat());
        let (answer, noise) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{more:?}: {answer}{noise}");
        serde_json::from_str(&answer).unwrap_or_else(|e| panic!("{more:?}: {e}: {answer}"))
    }

    /// The message of a run that must be refused.
    fn refusal(&self, more: &[&str]) -> String {
        let output = self.verify(more);
        assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(2), ""), "{}", text(&output.stderr));
        text(&output.stderr)
    }
}

/// The prey with all attacks in it; the same folder in each run, so that its model is kept.
fn armed() -> &'static Prey {
    static ARMED: OnceLock<Prey> = OnceLock::new();
    ARMED.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verify-hostile");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let prey = Prey::new(&folder);
        let mut attack = String::from(
            r#"`systemc_header
#include <csignal>
#include <unistd.h>
`verilog
    import "DPI-C" _exit = function void leave(input int code);
    integer until_first = 0;
    reg has_come = 0;
    reg one = 1;
    always @(posedge clock) begin
        until_first <= until_first + 1;
        has_come <= has_come | (|rx_valid & ~reset);
"#,
        );
        for (number, (code, ..)) in ATTACKS.iter().enumerate() {
            let time = format!("|rx_valid & ~has_come & ~reset & (until_first / {BETWEEN} == {number})");
            attack.push_str(&format!("        if ({time}) begin {code} end\n"));
        }
        attack.push_str("    end\nendmodule");
        let attack = attack.replace("OUTSIDE", folder.join("written").to_str().unwrap());
        prey.edit("prey_switch.v", "endmodule", &attack);
        for number in 0..=ATTACKS.len() {
            fs::write(prey.trace(number), format!("{} 0 1 2\n", number * BETWEEN + BETWEEN / 2)).unwrap();
        }
        prey
    })
}

impl Prey {
    /// The traffic file that sets an attack off.
    fn trace(&self, number: usize) -> String {
        self.folder.join(format!("{number}.trace")).to_str().unwrap().to_owned()
    }
}

#[test]
fn a_design_that_ends_or_hangs_its_process_has_failed() {
    let prey = armed();
    for (number, (code, kind, word)) in ATTACKS.iter().enumerate() {
        let answer = prey.report(&["--cycle-limit", "1", "--traffic-file", &prey.trace(number)], 1);
        let failure = &answer["failure"];
        assert_eq!((&answer["passed"], failure["kind"].as_str()), (&false.into(), Some(*kind)), "{code}: {answer}");
        assert!(failure["messages"][0].as_str().unwrap().contains(word), "{code}: {answer}");
        let cycle = failure["cycle"].as_u64().unwrap() as usize;
        let expected = number * BETWEEN..(number + 1) * BETWEEN;
        assert!(expected.contains(&cycle), "{code}: cycle {cycle}, not {expected:?}");
        assert_eq!(answer["cycles"].as_u64(), Some(cycle as u64 + 1), "{answer}");
        assert!(failure["reproduce"].as_str().unwrap().contains("--design "), "{answer}");
    }
    assert!(!prey.folder.join("written").exists());
    assert_eq!(
        prey.report(&["--traffic-file", &prey.trace(ATTACKS.len())], 0)["passed"],
        true,
        "no attack, no failure"
    );
    let report = text(&prey.verify(&["--traffic-file", &prey.trace(0)]).stdout);
    assert!(
        report.starts_with("FAILED: ") && report.contains("the design ended its process with exit code 0"),
        "{report}"
    );
}

/// The cycle that the design does not come to the end of is not in it.
#[test]
fn a_waveform_shows_what_was_before_the_end_of_a_design() {
    let prey = armed();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("end.vcd");
    for window in [None, Some("5")] {
        let trace = ["--traffic-file", &prey.trace(0), "--trace", file.to_str().unwrap()];
        let window: Vec<&str> = window.into_iter().flat_map(|cycles| ["--trace-window", cycles]).collect();
        let answer = prey.report(&[&trace[..], &window].concat(), 1);
        let cycle = answer["failure"]["cycle"].as_u64().unwrap();
        let first = if window.is_empty() { 0 } else { cycle - 5 };
        assert_eq!(answer["failure"]["window"], serde_json::json!([first, cycle - 1]), "{answer}");
        let text = fs::read_to_string(&file).unwrap();
        let times: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix('#')).collect();
        let expected = [10 * first, 10 * (cycle - 1) + 5].map(|time| time.to_string());
        assert_eq!([times[0], times[times.len() - 1]], [&expected[0], &expected[1]]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
    }
}

/// A system without Landlock: its calls are not there.
#[test]
fn a_system_that_cannot_confine_a_design_runs_only_what_is_trusted() {
    let prey = armed();
    let no_call = SeccompAction::Errno(libc::ENOSYS as u32);
    let calls = [(libc::SYS_landlock_create_ruleset, Vec::new())].into();
    let target = std::env::consts::ARCH.try_into().unwrap();
    let filter: BpfProgram =
        SeccompFilter::new(calls, SeccompAction::Allow, no_call, target).unwrap().try_into().unwrap();
    let verify = |more: &[&str]| {
        let filter = filter.clone();
        let mut command = Command::new(env!("CARGO_BIN_EXE_railyard"));
        command.args(prey.words()).args(["--traffic-file", &prey.trace(0)]).args(more);
        // SAFETY: system calls only.
        unsafe { command.pre_exec(move || apply_filter(&filter).map_err(|_| io::ErrorKind::Other.into())) };
        command.output().unwrap()
    };
    let refused = verify(&[]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stdout));
    let why = text(&refused.stderr);
    assert!(why.contains("Landlock") && why.contains("--trust"), "{why}");
    let trusted = verify(&["--trust"]);
    assert_eq!(trusted.status.code(), Some(1), "{}", text(&trusted.stderr));
    assert!(text(&trusted.stdout).contains("exit code 0"), "it is no less a failure");
}

/// A hanging design, and whoever ends `verify` with and without giving it a chance to clean up.
#[test]
fn a_design_does_not_outlive_its_verification() {
    let prey = armed();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hang.vcd");
    for signal in [libc::SIGKILL, libc::SIGTERM] {
        let mut verify = Command::new(env!("CARGO_BIN_EXE_railyard"))
            .args(prey.words())
            .args(["--cycle-limit", "1000", "--traffic-file", &prey.trace(4), "--trace", file.to_str().unwrap()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let design = loop {
            match simulated(&verify) {
                Some(design) => break design,
                None => std::thread::sleep(Duration::from_millis(20)),
            }
            assert!(verify.try_wait().unwrap().is_none(), "it hangs");
        };
        // SAFETY: a system call.
        unsafe { libc::kill(verify.id() as i32, signal) };
        verify.wait().unwrap();
        let lives = || fs::read_to_string(format!("/proc/{design}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
        while lives() {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    // The second run has deleted what was left of the first, and its own.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The number of the process in which a design is simulated, once it uses processor time.
fn simulated(verify: &Child) -> Option<u32> {
    let children = fs::read_dir("/proc").ok()?.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    children.into_iter().find(|process: &u32| {
        let Ok(stat) = fs::read_to_string(format!("/proc/{process}/stat")) else { return false };
        let Some((name, rest)) = stat.rsplit_once(')') else { return false };
        let fields: Vec<&str> = rest.split_whitespace().collect();
        name.ends_with("(runner") && fields[1] == verify.id().to_string() && fields[11] != "0"
    })
}

/// A design that counts, and looks at its counters when all is over.
#[test]
fn a_check_that_fails_at_the_end_is_a_failed_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let prey = Prey::new(folder.path());
    prey.edit("prey_counter.v", "endmodule", "    final $fatal(1, \"too few\");\nendmodule");
    let answer = prey.report(&["--trace", folder.path().join("end.vcd").to_str().unwrap()], 1);
    let failure = &answer["failure"];
    assert_eq!((&answer["passed"], failure["kind"].as_str()), (&false.into(), Some("stopped")), "{answer}");
    let reason = failure["messages"][0].as_str().unwrap();
    assert!(reason.starts_with("prey_counter.v:") && reason.ends_with("in a final block"), "{reason}");
    let cycle = failure["cycle"].as_u64().unwrap();
    assert_eq!((answer["cycles"].as_u64(), &failure["window"]), (Some(cycle + 1), &serde_json::json!([0, cycle])));
}

/// One sign is enough.
#[test]
fn a_loop_that_counts_the_wrong_way_does_not_hang_the_verification() {
    let folder = tempfile::tempdir().unwrap();
    let prey = Prey::new(folder.path());
    let file = "prey_crossbar_column.v";
    let before = fs::read_to_string(prey.file(file)).unwrap();
    let step =
        before.lines().find(|line| line.contains("for (")).and_then(|line| line.split(';').nth(2)).expect("a loop");
    prey.edit(file, step, &step.replace('+', "-"));
    let answer = prey.report(&["--cycle-limit", "1"], 1);
    assert_eq!(
        (answer["failure"]["kind"].as_str(), &answer["failure"]["cycle"]),
        (Some("stalled"), &0.into()),
        "{answer}"
    );
}

/// What such a file holds may change, and a cached model does not follow.
#[test]
fn files_from_outside_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let outside = folder.path().join("outside.vh");
    fs::write(&outside, "// nothing\n").unwrap();
    let outside = outside.to_str().unwrap();
    for include in [
        format!("`include \"{outside}\""),
        format!("`include \"{}{outside}\"", "/..".repeat(20).trim_start_matches('/')),
        format!("`define QUOTED `\"{outside}`\"\n`include `QUOTED"),
        format!("`systemc_header\n#include \"{outside}\"\n`verilog"),
    ] {
        let at = tempfile::tempdir_in(folder.path()).unwrap();
        let prey = Prey::new(at.path());
        prey.edit("prey_counter.v", ");\n", &format!(");\n{include}\n"));
        // One that is trusted can read it, and it does not belong to it all the same.
        let refusal = prey.refusal(&["--trust"]);
        assert!(
            refusal.contains("reads files that do not belong to it:") && refusal.contains("outside.vh"),
            "{refusal}"
        );
        let refusal = prey.refusal(&[]);
        assert!(refusal.contains("outside.vh"), "{refusal}");
    }
}

/// Neither do files that no list of the tools names, and files that the user's environment leads to.
#[test]
fn files_that_an_assembler_or_the_environment_finds_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let outside = folder.path().join("outside.h");
    fs::write(&outside, "static int outside = 1;\n").unwrap();
    let prey = Prey::new(folder.path());
    let before = fs::read_to_string(prey.file("prey_counter.v")).unwrap();
    for (include, said) in [
        ("#include <outside.h>".into(), "outside.h: No such file"),
        (format!("asm(\".incbin \\\"{}\\\"\");", outside.display()), "outside.h"),
        (format!("#include <{}>", outside.display()), "outside.h"),
    ] {
        let edited = before.replacen(");\n", &format!(");\n`systemc_header\n{include}\n`verilog\n"), 1);
        fs::write(prey.file("prey_counter.v"), edited).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_railyard"));
        for name in ["CPLUS_INCLUDE_PATH", "CPATH"] {
            command.env(name, folder.path());
        }
        let output = command.args(prey.words()).output().unwrap();
        let why = text(&output.stderr);
        assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(2), ""), "{include}: {why}");
        assert!(why.contains(said), "{include}: {why}");
    }
}

#[test]
fn listed_files_are_in_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let prey = Prey::new(folder.path());
    let list = fs::read_to_string(prey.file("files.f")).unwrap();
    fs::write(folder.path().join("outside.v"), "").unwrap();
    std::os::unix::fs::symlink("../outside.v", prey.file("link.v")).unwrap();
    for (line, said) in [
        ("link.v", "link.v is a link that leads out of the folder"),
        ("../outside.v", "is not in the folder itself"),
        ("-y", "is an option"),
        ("-f", "is an option"),
        ("+incdir+..", "is an option"),
    ] {
        fs::write(prey.file("files.f"), format!("{list}{line}\n")).unwrap();
        let refusal = prey.refusal(&[]);
        assert!(refusal.contains(said), "{refusal}");
    }
}

/// A million instances, of which Verilator makes a million copies.
#[test]
fn a_design_that_takes_verilator_too_long_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let prey = Prey::new(folder.path());
    let many = |module: &str, of: &str| {
        let body = format!("generate for (i = 0; i < 1000; i = i + 1) begin : g {of} u (.a(a)); end endgenerate");
        format!("module {module} (input wire a); genvar i; {body} endmodule\n")
    };
    let bomb = [
        "module leaf (input wire a); endmodule\n".into(),
        many("some", "leaf"),
        many("many", "some"),
        many("most", "many"),
    ];
    fs::write(prey.file("bomb.v"), bomb.concat()).unwrap();
    let list = fs::read_to_string(prey.file("files.f")).unwrap();
    fs::write(prey.file("files.f"), list + "bomb.v\n").unwrap();
    prey.edit("prey_switch.v", "endmodule", "    most most (.a(clock));\nendmodule");
    let refusal = prey.refusal(&["--build-limit", "1"]);
    assert!(refusal.contains("Verilator took more than 1 s of processor time"), "{refusal}");
}

/// As the models of a foundry's memories have them.
#[test]
fn delays_and_time_scales_do_not_stop_a_design() {
    let folder = tempfile::tempdir().unwrap();
    let prey = Prey::new(folder.path());
    let file = "prey_register_file_4x17.v";
    let before = fs::read_to_string(prey.file(file)).unwrap();
    let delayed = before.replace("] <= ", "] <= #1 ");
    assert_ne!(delayed, before);
    let late = "    initial begin #5; $display(\"is it late\\033[31m\"); end\nendmodule";
    fs::write(prey.file(file), format!("`timescale 1ns/1ps\n{}", delayed.replace("endmodule", late))).unwrap();
    let output = prey.verify(&[]);
    let (report, printed) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{report}{printed}");
    assert!(report.contains("note: delays (#) are left out: prey_register_file_4x17.v:"), "{report}");
    assert!(printed.contains("is it late\\u{1b}[31m"), "{printed}");
}

/// A design from elsewhere can have hundreds of warnings.
#[test]
fn an_error_is_shown_before_warnings() {
    let folder = tempfile::tempdir().unwrap();
    let prey = Prey::new(folder.path());
    let wide: String = (0..200).map(|i| format!("    wire [3:0] w{i} = 9'd{i};\n")).collect();
    prey.edit("prey_counter.v", "endmodule", &format!("{wide}    nothing_like_it u ();\nendmodule"));
    let refusal = prey.refusal(&[]);
    let lines: Vec<&str> = refusal.lines().collect();
    assert!(lines[1].contains("nothing_like_it") && lines.len() < 20, "{refusal}");
    assert!(refusal.contains("warnings)"), "{refusal}");
}
