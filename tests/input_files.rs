//! Every place where a user can name a file, against everything that can stand there: it is refused with a reason, at
//! once and without filling the memory.

use railyard_input::FileKind;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Memory that the command may take, in KiB: several times what it needs, and far less than an endless file.
const MEMORY: &str = "8000000";

/// When a command counts as one that waits for ever.
const FOR_EVER: Duration = Duration::from_secs(240);

/// The least that is a cell library.
const LIBRARY: &str = "library(NangateOpenCellLibrary) { time_unit : \"1ns\"; cell(DFF) { area : 1; ff(q) {} } }\n";

/// A place for a file: the command, in which `@` is the file. Other files of the command are in the working folder.
struct Slot {
    command: &'static str,
    kind: FileKind,
    /// The name that the file must have there, if it is not in the command.
    name: Option<&'static str>,
}

const fn named(command: &'static str, kind: FileKind) -> Slot {
    Slot { command, kind, name: None }
}

const fn inside(command: &'static str, name: &'static str, kind: FileKind) -> Slot {
    Slot { command, kind, name: Some(name) }
}

const SLOTS: &[Slot] = &[
    named("check @", FileKind::Description),
    named("generate @ -o out", FileKind::Description),
    named("verify @", FileKind::Description),
    named("simulate @", FileKind::Description),
    named("bench @", FileKind::Description),
    named("estimate @", FileKind::Description),
    named("registers @", FileKind::Description),
    named("registers table16 --table @", FileKind::ForwardingTable),
    named("simulate tiny --traffic-file @", FileKind::Trace),
    named("verify tiny --traffic-file @", FileKind::Trace),
    named("bench tiny --traffic-file @", FileKind::Trace),
    named("study trace --trace @", FileKind::Trace),
    named("explore @ --dry-run", FileKind::Sweep),
    named("network check @", FileKind::Network),
    named("network run @", FileKind::Network),
    named("network generate @ -o out --name n", FileKind::Network),
    named("network verify @", FileKind::Network),
    named("estimate tiny --liberty @", FileKind::Liberty),
    named("estimate tiny --memories @", FileKind::Memories),
    named("estimate tiny --activity @", FileKind::Activity),
    inside("explore base.json --dry-run", "base_of_sweep.json", FileKind::Description),
    inside("explore liberty.json --dry-run", "liberty_of_sweep.lib", FileKind::Liberty),
    inside("network check switch.json", "switch_of_network.json", FileKind::Description),
    named("network export @ --to dot", FileKind::Network),
    named("network import @ --from graphml -o out.json", FileKind::ForeignNetwork),
    named("network import fabric.txt --from ibnetdiscover --lid-tables @ -o out.json", FileKind::LidTables),
    inside("network check wiring.json", "wiring_of_network.json", FileKind::Network),
    inside("network check tables.json", "tables_of_network.json", FileKind::Tables),
    inside("verify tiny --design design", "design/manifest.json", FileKind::Manifest),
    inside("verify tiny --design design", "design/files.f", FileKind::FileList),
    inside("verify tiny --design design", "design/tiny_switch.v", FileKind::Verilog),
    inside("network verify network.json --design design", "design/manifest.json", FileKind::Manifest),
];

/// What stands in the place of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bad {
    Endless,
    Pipe,
    Folder,
    Oversize,
    Garbage,
    Missing,
    Unreadable,
}

const BAD: [Bad; 7] =
    [Bad::Endless, Bad::Pipe, Bad::Folder, Bad::Oversize, Bad::Garbage, Bad::Missing, Bad::Unreadable];

impl Bad {
    fn put(self, path: &Path, kind: FileKind) {
        let _ = fs::remove_file(path);
        let _ = fs::remove_dir_all(path);
        match self {
            Bad::Endless => symlink("/dev/zero", path).unwrap(),
            Bad::Pipe => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
            Bad::Folder => fs::create_dir(path).unwrap(),
            Bad::Oversize => File::create(path).unwrap().set_len(kind.most_bytes() + 1).unwrap(),
            Bad::Garbage => {
                fs::write(path, (0..20_000u32).map(|i| (i * i >> 3) as u8 | 0x80).collect::<Vec<u8>>()).unwrap()
            }
            Bad::Missing => {}
            Bad::Unreadable => {
                fs::write(path, "{}").unwrap();
                fs::set_permissions(path, Permissions::from_mode(0o000)).unwrap();
            }
        }
    }

    /// A part of the reason; none where it depends on what the file is for.
    fn reason(self, kind: FileKind) -> Option<String> {
        match self {
            Bad::Endless => Some("is a device, not a file".into()),
            Bad::Pipe => Some("is a pipe, not a file".into()),
            Bad::Folder => Some("is a folder, not".into()),
            Bad::Oversize => Some(format!("has more than {} MiB, the most for {}", kind.most_mib(), kind.name())),
            Bad::Garbage => None,
            Bad::Missing => None,
            Bad::Unreadable => Some("ermission denied".into()),
        }
    }
}

/// A working folder with all that the commands need beside the file in question.
fn workplace() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put("base.json", r#"{"base": "base_of_sweep.json", "simulate": {}}"#);
    put("liberty.json", r#"{"base": "tiny", "estimate": {"liberty": "liberty_of_sweep.lib"}}"#);
    let mesh = r#""topology": {"kind": "mesh", "radix": [2, 2]}"#;
    put("fabric.txt", "Switch 2 \"S-1\"\n[1] \"H-2\"[1] # \"a\" lid 2\n[2] \"H-3\"[1] # \"b\" lid 3\n");
    put("network.json", &format!(r#"{{"switch": "noc5", {mesh}, "link_latency": 1}}"#));
    put("switch.json", &format!(r#"{{"switch": "switch_of_network.json", {mesh}}}"#));
    put("wiring.json", r#"{"switch": "noc5", "topology": {"kind": "file", "path": "wiring_of_network.json"}}"#);
    put("tables.json", &format!(r#"{{"switch": "noc5", {mesh}, "tables": "tables_of_network.json"}}"#));
    put("lib/nangate45_typ.lib", LIBRARY);
    for (tool, says) in [("yosys", "Yosys 0.23"), ("sta", "2.0.17")] {
        put(&format!("bin/{tool}"), &format!("#!/bin/sh\necho '{says}'\n"));
        fs::set_permissions(place.path().join("bin").join(tool), Permissions::from_mode(0o755)).unwrap();
    }
    place
}

/// Runs a command in a folder, with limits; its output, and none if it does not end.
fn run(words: &[&str], place: &Path) -> Output {
    run_with(words, place, Stdio::null())
}

fn run_with(words: &[&str], place: &Path, input: Stdio) -> Output {
    let path = format!("{}:{}", place.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_railyard")])
        .args(words);
    command.current_dir(place).env("PATH", path).env("RAILYARD_CACHE", place.join("cache"));
    command.env("RAILYARD_LIBERTY_DIR", place.join("lib")).env_remove("RUST_BACKTRACE");
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > FOR_EVER {
            child.kill().unwrap();
            panic!("{words:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

/// A command must end with exit code 2 and a reason; its standard error.
fn refusal(words: &[&str], place: &Path, what: &str) -> String {
    let output = run(words, place);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{words:?}, {what}: {error}");
    assert!(error.starts_with("error: ") && !error.contains("panicked"), "{words:?}, {what}: {error}");
    assert!(error.len() < 20_000, "{words:?}, {what}: {} bytes of error", error.len());
    assert!(output.stdout.is_empty(), "{words:?}, {what}: {error}");
    error
}

/// The design folder, anew.
fn generate(slot: &Slot, place: &Path) {
    let words: &[&str] = match slot {
        Slot { name: Some(name), .. } if !name.starts_with("design/") => return,
        Slot { command, .. } if command.starts_with("network") => {
            &["network", "generate", "network.json", "-o", "design", "--name", "n"]
        }
        _ => &["generate", "tiny", "-o", "design"],
    };
    let _ = fs::remove_dir_all(place.join("design"));
    assert_eq!(run(words, place).status.code(), Some(0), "{words:?}");
}

#[test]
fn whatever_stands_in_the_place_of_a_file_is_refused() {
    let place = workplace();
    let at = |name: &str| place.path().join(name);
    for slot in SLOTS {
        for bad in BAD {
            // A mebibyte of mebibytes fits no file system; and a dry run does not look into a library.
            let is_dry = slot.kind == FileKind::Liberty && slot.name.is_some();
            if slot.kind == FileKind::Activity && bad == Bad::Oversize || is_dry && bad == Bad::Garbage {
                continue;
            }
            if slot.name.is_some() {
                generate(slot, place.path());
            }
            let name = slot.name.unwrap_or("the_file");
            let path: PathBuf = at(name);
            bad.put(&path, slot.kind);
            if bad == Bad::Unreadable && File::open(&path).is_ok() {
                // Nothing is unreadable to this user.
                continue;
            }
            let words: Vec<&str> = slot.command.split(' ').map(|word| if word == "@" { name } else { word }).collect();
            let error = refusal(&words, place.path(), &format!("{bad:?}"));
            if let Some(reason) = bad.reason(slot.kind) {
                assert!(error.to_lowercase().contains(&reason.to_lowercase()), "{words:?}, {bad:?}: {error}");
            }
            if bad == Bad::Missing {
                assert!(
                    ["o such", "is no file", "nor a file"].iter().any(|said| error.contains(said)),
                    "{words:?}: {error}"
                );
            }
            let file = name.rsplit('/').next().unwrap();
            assert!(error.contains(file), "{words:?}, {bad:?}: the file is named: {error}");
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir(&path));
        }
    }
    assert!(!at("out").exists(), "nothing is written");
}

/// What a folder holds in which results are written or kept is not waited for either.
#[test]
fn pipes_in_output_folders_are_not_waited_for() {
    let place = workplace();
    let at = |name: &str| place.path().join(name);
    let fifo = |name: &str| Bad::Pipe.put(&at(name), FileKind::Result);
    let run = |words: &str| run(&words.split(' ').collect::<Vec<_>>(), place.path());
    for name in ["design/manifest.json", "design/files.f", "design/tiny_switch.v"] {
        let _ = fs::remove_dir_all(at("design"));
        assert!(run("generate tiny -o design").status.success());
        fifo(name);
        assert_eq!(run("generate tiny -o design").status.code(), Some(2), "{name}");
    }
    fs::write(at("sweep.json"), r#"{"base": "tiny", "simulate": {"cycles": 100}}"#).unwrap();
    assert!(run("explore sweep.json -o swept").status.success());
    let kept = fs::read_dir(at("swept/runs")).unwrap().next().unwrap().unwrap().file_name().into_string().unwrap();
    for name in ["results.csv", "results.json", &format!("runs/{kept}")] {
        fifo(&format!("swept/{name}"));
        assert!(run("explore sweep.json -o swept").status.success(), "{name}");
        assert!(at("swept").join(name).is_file(), "{name} is written anew");
    }
}

/// `-` is standard input for every file, and can be given once.
#[test]
fn standard_input_is_a_file_and_is_read_once() {
    let place = workplace();
    fs::write(place.path().join("input"), "what is this\n").unwrap();
    for slot in SLOTS.iter().filter(|slot| slot.name.is_none()) {
        let words: Vec<&str> = slot.command.split(' ').map(|word| if word == "@" { "-" } else { word }).collect();
        let output = run_with(&words, place.path(), File::open(place.path().join("input")).unwrap().into());
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        assert!(error.contains("(standard input)"), "{words:?}: {error}");
    }
    for line in [
        "simulate - --traffic-file -",
        "verify - --traffic-file -",
        "registers - --table -",
        "estimate - --memories -",
        "estimate tiny --memories - --activity - --liberty -",
    ] {
        let error = refusal(&line.split(' ').collect::<Vec<_>>(), place.path(), "twice");
        assert!(error.contains("standard input can be read only once"), "{line}: {error}");
    }
}

#[test]
fn a_packed_library_that_grows_beyond_the_limit_is_refused() {
    let place = workplace();
    let script = "head -c 600000000 /dev/zero | tr '\\0' ' ' | gzip -1 > bomb.lib.gz";
    assert!(Command::new("sh").args(["-c", script]).current_dir(place.path()).status().unwrap().success());
    let error = refusal(&["estimate", "tiny", "--liberty", "bomb.lib.gz"], place.path(), "bomb");
    assert!(error.contains("bomb.lib.gz: has more than 512 MiB, the most for a cell library, unpacked"), "{error}");
}

/// A hostile manifest's top module is not a word for Verilator.
#[test]
fn the_top_module_of_a_manifest_is_a_name() {
    let place = workplace();
    for top in ["--exe", "a b", "tiny_switch; rm", "", "1a", "../x", "\\u001b[2J"] {
        assert!(run(&["generate", "tiny", "-o", "design", "--force"], place.path()).status.success());
        let manifest = place.path().join("design/manifest.json");
        let text = fs::read_to_string(&manifest).unwrap();
        fs::write(&manifest, text.replacen("\"top\": \"tiny_switch\"", &format!("\"top\": \"{top}\""), 1)).unwrap();
        let error = refusal(&["verify", "tiny", "--design", "design"], place.path(), top);
        assert!(error.contains("/top: ") && error.contains("must be a name of letters"), "{top}: {error}");
    }
}
