//! `railyard study`: tables, pictures, bad input.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn study(args: &[&str], status: i32) -> Output {
    let output =
        Command::new(env!("CARGO_BIN_EXE_railyard")).arg("study").args(args).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(status), "{args:?}: {}{}", text(&output.stdout), text(&output.stderr));
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn answer(args: &[&str]) -> String {
    let output = study(args, 0);
    assert!(output.stderr.is_empty(), "quiet in a pipe: {}", text(&output.stderr));
    text(&output.stdout)
}

fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.map(|e| (e.file_name().into_string().unwrap(), fs::read_to_string(e.path()).unwrap())).collect()
}

fn names() -> Vec<String> {
    let list: Value = serde_json::from_str(&answer(&["--list", "--json"])).unwrap();
    list.as_array().unwrap().iter().map(|study| study["name"].as_str().unwrap().to_string()).collect()
}

/// Tables whose pictures show another quantity than is printed.
const DRAWN_OTHERWISE: [&str; 2] = ["throughput-vcs-scan", "node-reduction-patterns"];

/// Whether SimGrid is there. CI can't do without.
fn has_simgrid() -> bool {
    let is_there = Command::new("smpirun").arg("-version").output().is_ok();
    if !is_there {
        assert!(std::env::var_os("CI").is_none(), "scripts/setup --simgrid did not install SimGrid");
        eprintln!("not run: SimGrid is not installed (scripts/setup --simgrid)");
    }
    is_there
}

/// Whether CAMINOS is there, which is no package of Debian.
fn has_caminos() -> bool {
    let name = std::env::var_os("CAMINOS").unwrap_or_else(|| "caminos".into());
    let is_there = Command::new(name).arg("--help").output().is_ok();
    if !is_there {
        eprintln!("not run: CAMINOS is not installed (scripts/setup --caminos)");
    }
    is_there
}

#[test]
fn a_missing_caminos_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_railyard"));
    command.args(["study", "caminos", "--h", "1"]).env("PATH", folder.path());
    for (name, said) in [("", "caminos not found"), ("/no/such/program", "/no/such/program not found")] {
        let output = command.env("CAMINOS", name).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let text = text(&output.stderr);
        assert!(text.contains(said) && text.contains("scripts/setup --caminos"), "{text}");
    }
}

/// The witness of a small Dragonfly: ways are the same to the cycle.
#[test]
fn caminos_has_the_same_ways() {
    if !has_caminos() {
        return;
    }
    let json: Value = serde_json::from_str(&answer(&["caminos", "--h", "1", "--json"])).unwrap();
    let rows = json["tables"]["caminos-latency"]["rows"].as_array().unwrap();
    let off = |row: &Value| row["off %"].as_f64().unwrap().abs();
    let of_min: Vec<&Value> =
        rows.iter().filter(|row| row["routing"] == "MIN" && row["router"] == "input-output").collect();
    assert!(of_min.len() == 2 && of_min.iter().all(|row| off(row) < 5.0), "{rows:#?}");
    let rows = json["tables"]["caminos-saturation"]["rows"].as_array().unwrap();
    let mut minimal = rows.iter().filter(|row| row["routing"] == "MIN" && row["traffic"] == "ADV+1");
    assert!(minimal.all(|row| off(row) < 5.0), "{rows:#?}");
}

/// A study of what no seed has figures of: it stands beside an ideal switch.
const OWN_STUDY: &str = "output-queues";

#[test]
fn each_study_writes_csv_json_and_svg() {
    let names = names();
    assert_eq!(names.len(), 22);
    assert!(names.iter().all(|name| answer(&["--list"]).contains(name.as_str())));
    let folder = tempfile::tempdir().unwrap();
    for name in &names {
        let out = folder.path().join(name);
        let runs_network = name.ends_with("-network") || name == "barrier-vc";
        let size: &[&str] = match name.as_str() {
            _ if runs_network => &["--nodes", "16"],
            "contention" | "fairness" | "flexvc" | "graph500" => &["--h", "1"],
            "caminos" if !has_caminos() => continue,
            "caminos" => &["--h", "1"],
            "applications" if !has_simgrid() => continue,
            "applications" => &["--ranks", "16"],
            _ => &[],
        };
        let text = answer(&[&[name, "-o", out.to_str().unwrap()], size].concat());
        let files = files(&out);
        let (wrote, report): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("wrote"));
        assert_eq!(wrote.len(), files.len(), "{name}");
        assert!(report.iter().all(|line| line.chars().count() <= 100), "{name} fits a terminal");
        let written: Value = serde_json::from_str(&files[&format!("{name}.json")]).expect("the file is JSON");
        for (table, content) in written["tables"].as_object().unwrap() {
            let rows = content["rows"].as_array().unwrap();
            let csv = &files[&format!("{table}.csv")];
            assert_eq!(csv.lines().count(), rows.len() + 1, "{table}");
            let heads = csv.lines().next().unwrap();
            assert!(name == OWN_STUDY || ["seed", "difference"].iter().all(|head| heads.contains(head)), "{table}");
            let svg = &files[&format!("{table}.svg")];
            assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{table}");
            let is_printed = rows
                .iter()
                .flat_map(|row| row.as_object().unwrap())
                .any(|(head, value)| head.starts_with("seed") && !value.is_null());
            assert_eq!(svg.contains("published"), is_printed && !DRAWN_OTHERWISE.contains(&table.as_str()), "{table}");
        }
    }
}

#[test]
fn the_answer_as_json_is_the_file_and_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let mut json: Value = serde_json::from_str(&answer(&["lookup-energy", "-o", out, "--json"])).unwrap();
    let list = json.as_object_mut().unwrap().remove("files").unwrap();
    assert_eq!(list.as_array().unwrap().len(), 5);
    let file = fs::read(folder.path().join("lookup-energy.json")).unwrap();
    assert_eq!(json, serde_json::from_slice::<Value>(&file).unwrap());
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let made = |seed: &str, name: &str| {
        let out = folder.path().join(name);
        answer(&["conflict-misses", "--seed", seed, "-o", out.to_str().unwrap()]);
        files(&out)
    };
    let first = made("7", "a");
    assert_eq!(made("7", "b"), first);
    // Over what is there already.
    assert_eq!(made("7", "a"), first);
    assert_ne!(made("8", "c"), first);
}

#[test]
fn a_trace_of_ones_own() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.txt");
    fs::write(&file, "# source destination\n0 1\n0 1\n").unwrap();
    let json: Value = serde_json::from_str(&answer(&["trace", "--trace", file.to_str().unwrap(), "--json"])).unwrap();
    let rows = |table: &str| json["tables"][table]["rows"].as_array().unwrap().clone();
    assert!(rows("trace-hits").iter().all(|row| row["packets"] == 2 && row["lookups"] == 4), "{json}");
    assert!(rows("trace-misses").iter().all(|row| row["compulsory"] == 2 && row["conflict"] == 0.0), "{json}");
}

/// A checkout with one code, which is built, recorded and replayed; other folders are refused.
#[test]
fn codes_of_a_checkout_are_recorded() {
    if !has_simgrid() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let refused = |args: &[&str]| text(&study(args, 2).stderr);
    let nas = folder.path().join("my nas");
    let path = nas.to_str().unwrap();
    let args = ["applications", "--ranks", "16", "--nas", path];
    fs::create_dir_all(nas.join("config")).unwrap();
    assert!(refused(&args).contains("must be the folder of the MPI codes"), "{}", refused(&args));
    let rule = "is:\n\tsmpicc -O1 IS/is.c -o bin/is.$(CLASS).$(NPROCS)\n";
    fs::write(nas.join("Makefile"), rule).unwrap();
    assert!(refused(&args).contains("has none of the folders BT, CG"), "{}", refused(&args));
    fs::create_dir(nas.join("IS")).unwrap();
    fs::write(nas.join("IS/is.c"), "no C").unwrap();
    assert!(refused(&args).contains("make ended with exit status 2"), "{}", refused(&args));
    fs::write(nas.join("IS/is.c"), PROGRAM).unwrap();
    let json: Value = serde_json::from_str(&answer(&[&args[..], &["--json"]].concat())).unwrap();
    let rows = json["tables"]["applications-latency"]["rows"].as_array().unwrap();
    let jobs: Vec<&str> = rows.iter().map(|row| row["job"].as_str().unwrap()).collect();
    assert_eq!(jobs, ["IS", "mean", "IS", "mean"], "{json:#}");
    assert!(rows[0]["hit gain %"].as_f64() > Some(0.0) && rows[0]["misses %"].as_f64() > Some(10.0), "{json:#}");
    assert!(rows[0]["cold gain %"].as_f64() < rows[0]["hit gain %"].as_f64(), "{json:#}");
    assert!(json["notes"][0].as_str().unwrap().contains("codes of the checkout"), "{json:#}");
    assert!(!nas.join("bin").exists() && !nas.join("config/make.def").exists(), "nothing is written into the checkout");
}

/// A program of MPI: each rank sends to the next one, then to all.
const PROGRAM: &str = "
#include <mpi.h>
int main(int argc, char **argv) {
  int rank, size;
  char one[256] = {0}, all[256 * 64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Sendrecv(one, 256, MPI_CHAR, (rank + 1) % size, 1, all, 256, MPI_CHAR, (rank + size - 1) % size, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allgather(one, 256, MPI_CHAR, all, 256, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
";

#[test]
fn a_missing_simgrid_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let command = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_railyard"));
        command.args(args).env("PATH", folder.path()).output().unwrap()
    };
    for verb in ["study", "report"] {
        let output = command(&[verb, "applications", "--ranks", "16"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("smpirun not found: install it with `apt-get install libsimgrid-dev`"), "{said}");
    }
    let output = command(&["study", "applications", "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(json["error"].as_str().unwrap().contains("libsimgrid-dev"), "{json}");
}

#[test]
fn bad_input_says_where_and_why() {
    let error = |args: &[&str]| {
        let output = study(args, 2);
        assert!(output.stdout.is_empty());
        text(&output.stderr)
    };
    let unknown = error(&["conflicts"]);
    assert!(unknown.contains("conflicts") && unknown.contains("conflict-misses"), "{unknown}");
    assert!(error(&[]).contains("NAME"));
    assert!(error(&["capacity", "--trace", "x"]).contains("only the study `trace`"));
    assert!(error(&["capacity", "--nodes", "16"]).contains("only the studies `unicast-network`, `multicast-network`"));
    assert!(error(&["capacity", "--h", "2"])
        .contains("only the studies `contention`, `fairness`, `flexvc`, `graph500` and `caminos` run a Dragonfly"));
    assert!(error(&["fairness", "--h", "3"]).contains("[possible values: 1, 2, 4]"));
    assert!(error(&["capacity", "--ranks", "16"]).contains("only the study `applications` runs applications"));
    assert!(error(&["capacity", "--nas", "x"]).contains("--nas: only the study `applications` takes one"));
    assert!(error(&["applications", "--ranks", "32"]).contains("[possible values: 16, 64, 256]"));
    assert!(error(&["unicast-network", "--nodes", "100"]).contains("[possible values: 16, 128, 1024]"));
    assert!(error(&["trace", "--trace", "no-such-file"]).contains("no-such-file: "));

    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("t.txt"), folder.path().join("out"));
    fs::write(&file, "0 1\n0 99\n").unwrap();
    let args = ["trace", "--trace", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
    let line = format!("{}:2: \"99\" must be the number of a node of the torus 4x4x4: 0 to 63", file.display());
    assert!(error(&args).contains(&line), "{}", error(&args));
    assert!(!out.exists(), "nothing is written");
    let json: Value = serde_json::from_slice(&study(&[&args[..], &["--json"]].concat(), 2).stdout).unwrap();
    assert!(json["error"].as_str().unwrap().contains(&line));
    assert!(error(&[&args[..3], &["--torus", "4xx4"]].concat()).contains("\"4xx4\" is not a torus"));

    // A file where a folder should be, a folder where a file should be.
    assert!(error(&["lookup-energy", "-o", file.to_str().unwrap()]).contains("t.txt"));
    fs::create_dir_all(out.join("lookup-energy.json")).unwrap();
    assert!(error(&["lookup-energy", "-o", out.to_str().unwrap()]).contains("is a folder"));
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1, "nothing is written");
}

/// A network of 1,024 nodes is studied for many minutes: what is wrong with the folder is told before.
#[test]
fn a_folder_that_can_not_be_written_is_told_before_the_study() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    fs::write(path("file"), "").unwrap();
    fs::create_dir_all(path("taken/multicast-network-all.csv")).unwrap();
    for (output, why) in [
        (path("file"), "is a file, not a folder"),
        (path("file/below"), "file: is a file, not a folder"),
        (path("taken"), "multicast-network-all.csv: is a folder"),
        ("/proc/figures".into(), "/proc: "),
    ] {
        let begun = std::time::Instant::now();
        let error = study(&["multicast-network", "--nodes", "1024", "-o", &output], 2);
        assert!(text(&error.stderr).contains(why), "{}", text(&error.stderr));
        assert!(begun.elapsed() < std::time::Duration::from_secs(10));
    }
}
