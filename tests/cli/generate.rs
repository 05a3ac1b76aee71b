//! `generate`: what it writes, and what it leaves alone.

use super::{answer, refusal, text, write};
use serde_json::Value;
use std::fs;
use std::process::Command;

#[test]
fn generate_writes_the_whole_folder() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("deep/er/tiny");
    let out_text = out.to_str().unwrap();
    answer(&["generate", "tiny", "-o", out_text]);
    let manifest: Value = serde_json::from_str(&fs::read_to_string(out.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["top"], "tiny_switch");
    assert_eq!(manifest["clock"], "clock");
    let flits = manifest["ports"].as_array().unwrap().iter().find(|p| p["name"] == "rx_flit").unwrap();
    assert_eq!((&flits["direction"], &flits["width"]), (&"input".into(), &64.into()));
    let list = fs::read_to_string(out.join("files.f")).unwrap();
    for file in list.lines() {
        let verilog = fs::read_to_string(out.join(file)).unwrap();
        let module = file.trim_end_matches(".v");
        assert!(verilog.contains(&format!("module {module}")), "one module a file: {file}");
    }
    assert_eq!(fs::read_dir(&out).unwrap().count(), list.lines().count() + 2, "nothing but modules, list and manifest");

    let before = fs::read_to_string(out.join("tiny_switch.v")).unwrap();
    answer(&["generate", "tiny", "-o", out_text]);
    assert_eq!(fs::read_to_string(out.join("tiny_switch.v")).unwrap(), before, "the same JSON gives the same bytes");
    assert_eq!(fs::read_dir(folder.path().join("deep/er")).unwrap().count(), 1, "nothing left beside it");
}

#[test]
fn generate_replaces_nothing_of_others_and_writes_nothing_on_errors() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "mine.txt", "precious");
    let out = folder.path().to_str().unwrap();
    assert!(refusal(&["generate", "tiny", "-o", out]).contains("not written by"));
    assert_eq!(fs::read_to_string(folder.path().join("mine.txt")).unwrap(), "precious");
    let bad = write(folder.path(), "bad.json", r#"{"name": "x", "ports": 1}"#);
    let target = folder.path().join("never");
    refusal(&["generate", &bad, "-o", target.to_str().unwrap()]);
    assert!(!target.exists());
    let file = folder.path().join("mine.txt");
    assert!(refusal(&["generate", "tiny", "-o", file.to_str().unwrap()])
        .contains("mine.txt: is a file, and a design is a folder"));
}

#[test]
fn generate_keeps_hand_edits_unless_forced() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tiny");
    let out_text = out.to_str().unwrap();
    answer(&["generate", "tiny", "-o", out_text]);
    let file = out.join("tiny_fifo_8x17.v");
    let edited = fs::read_to_string(&file).unwrap() + "// mine\n";
    fs::write(&file, &edited).unwrap();
    assert!(refusal(&["generate", "tiny", "-o", out_text]).contains("tiny_fifo_8x17.v: was edited"));
    assert_eq!(fs::read_to_string(&file).unwrap(), edited);
    answer(&["generate", "tiny", "-o", out_text, "--force"]);
    assert_ne!(fs::read_to_string(&file).unwrap(), edited);

    // The file list and the manifest are somebody's work, too; so is a text that is not even UTF-8.
    for (name, from, to) in [
        ("files.f", "tiny_switch.v\n", "tiny_switch.v\n# mine\n"),
        ("manifest.json", "\"clock\": \"clock\"", "\"clock\": \"clk\""),
        ("manifest.json", "  \"sha256\"", "  \"mine\": 1,\n  \"sha256\""),
    ] {
        let file = out.join(name);
        let before = fs::read_to_string(&file).unwrap();
        let edited = before.replacen(from, to, 1);
        assert_ne!(edited, before, "{name}");
        fs::write(&file, &edited).unwrap();
        assert!(refusal(&["generate", "tiny", "-o", out_text]).contains(&format!("{name}: was edited")));
        assert_eq!(fs::read_to_string(&file).unwrap(), edited);
        answer(&["generate", "tiny", "-o", out_text, "--force"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), before);
    }
    fs::write(&file, [0xff]).unwrap();
    assert!(refusal(&["generate", "tiny", "-o", out_text]).contains("was edited"));
}

#[test]
fn generate_replaces_only_what_it_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let foreign = folder.path().join("extension");
    fs::create_dir(&foreign).unwrap();
    write(&foreign, "manifest.json", r#"{"precious": 1}"#);
    assert!(refusal(&["generate", "tiny", "-o", foreign.to_str().unwrap()]).contains("not written by"));
    let design = folder.path().join("design");
    answer(&["generate", "tiny", "-o", design.to_str().unwrap()]);
    write(&design, "notes.txt", "precious");
    assert!(refusal(&["generate", "tiny", "-o", design.to_str().unwrap()]).contains("notes.txt"));
    fs::remove_file(design.join("notes.txt")).unwrap();

    // From inside, by a relative path that goes through the folder itself.
    let output = Command::new(env!("CARGO_BIN_EXE_railyard"))
        .args(["generate", "tiny", "-o", "../design"])
        .current_dir(&design)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(folder.path().join("design/manifest.json").is_file());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing left beside it");
}

/// What the system says alone does not tell what to do.
#[test]
fn a_folder_that_cannot_be_made_is_named() {
    for (place, said) in [("/proc/x", "/proc/x: nothing can be made in /proc: "), ("/proc/x/y", "/proc/x: the folder")]
    {
        let why = refusal(&["generate", "tiny", "-o", place]);
        assert!(why.contains(said) && why.contains("name a place where you can write"), "{why}");
    }
}

#[test]
fn a_design_folder_must_fit_the_description() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tiny");
    assert!(refusal(&["verify", "tiny", "--design", out.to_str().unwrap()]).contains("manifest.json"));
    answer(&["generate", "tiny", "-o", out.to_str().unwrap()]);
    assert!(refusal(&["verify", "hpc16", "--design", out.to_str().unwrap()]).contains("another description"));

    // Its files are those of the list.
    let list = out.join("files.f");
    let whole = fs::read_to_string(&list).unwrap();
    for (added, said) in [
        ("../other.v", "is not in the folder itself"),
        ("/etc/other.v", "is not in the folder itself"),
        ("sub/other.v", "is not in the folder itself"),
        ("other.v", "other.v can't be read"),
        ("tiny_switch.v", "tiny_switch.v is listed twice"),
        ("+incdir+other", "is an option"),
        ("manifest.json", "is no Verilog file"),
    ] {
        fs::write(&list, format!("{whole}{added} // mine\n")).unwrap();
        let error = refusal(&["verify", "tiny", "--design", out.to_str().unwrap()]);
        let line = format!("files.f:{}: ", whole.lines().count() + 1);
        assert!(error.contains(said) && error.contains(&line), "{added}: {error}");
    }
    fs::write(&list, "// nothing\n").unwrap();
    assert!(refusal(&["verify", "tiny", "--design", out.to_str().unwrap()]).contains("lists no file"));
    fs::remove_file(&list).unwrap();
    assert!(refusal(&["verify", "tiny", "--design", out.to_str().unwrap()]).contains("files.f, the list"));
}

/// A place that names no folder of its own, by way of one that is not there: nothing of it stays.
#[test]
fn a_refused_output_leaves_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "mine.txt", "precious");
    let sweep = write(folder.path(), "sweep.json", r#"{"base": "tiny", "simulate": {"cycles": 100}}"#);
    let new = folder.path().join("new/..").to_str().unwrap().to_string();
    let deep = folder.path().join("mine.txt/deep").to_str().unwrap().to_string();
    let file = folder.path().join("new/deep/../..").to_str().unwrap().to_string();
    for output in [&new, &deep, &file] {
        for args in [
            &["generate", "tiny", "-o", output][..],
            &["new", "--preset", "tiny", "-o", output],
            &["explore", &sweep, "-o", output],
        ] {
            refusal(args);
            let mut left: Vec<_> =
                fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            left.sort();
            assert_eq!(left, ["mine.txt", "sweep.json"], "{args:?}");
        }
    }
}
