//! The NAS benchmarks themselves, from a checkout that the user names: built with SimGrid's compilers and run once,
//! which records what each rank sends.

use super::SimGrid;
use crate::jobs::Job;
use crate::Error;
use railyard_programs::{find, run, DraftFolder, FolderAccess};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Limits of a checkout, and of a recorded trace.
const MOST_FILES: usize = 20_000;
const MOST_BYTES: u64 = 256 << 20;
const MOST_TRACE: u64 = 2 << 30;

/// Codes in C; the others are in Fortran.
const IN_C: [&str; 2] = ["dt", "is"];

/// The checkout's settings, for versions 3.3 and 3.4. New Fortran compilers refuse old calls of MPI by default.
const SETTINGS: &str = "\
MPIF77 = smpif90
MPIFC = smpif90
FLINK = smpif90
FFLAGS = -O2 -std=legacy -fallow-argument-mismatch
FLINKFLAGS = -O2
FMPI_LIB =
FMPI_INC =
MPICC = smpicc
CLINK = smpicc
CFLAGS = -O2
CLINKFLAGS = -O2
CMPI_LIB = -lm
CMPI_INC =
CC = cc -g
BINDIR = ../bin
RAND = randi8
";

/// A copy of a checkout, to build in.
pub struct Checkout<'a> {
    simgrid: &'a SimGrid,
    origin: PathBuf,
    folder: DraftFolder,
}

impl<'a> Checkout<'a> {
    /// Copies the folder of the MPI codes, with their `config` and `sys`.
    ///
    /// # Errors
    /// It is no such folder, is too large, or can't be read.
    pub fn new(simgrid: &'a SimGrid, origin: &Path) -> Result<Checkout<'a>, Error> {
        let fault = |rule: &str| Error::Nas { path: origin.into(), rule: rule.into() };
        if !origin.join("Makefile").is_file() || !origin.join("config").is_dir() {
            return Err(fault(
                "must be the folder of the MPI codes, with `Makefile` and `config` (NPB3.3-MPI, NPB3.4-MPI)",
            ));
        }
        let folder = DraftFolder::new_in(simgrid.folder.path(), FolderAccess::Private).map_err(Error::Scratch)?;
        let mut left = (MOST_FILES, MOST_BYTES);
        let copied = copy(origin, &folder.path().join("nas"), &mut left)
            .map_err(|why| fault(&format!("can't be copied: {why}")))?;
        if !copied {
            return Err(fault("has more than 20,000 files or 256 MiB"));
        }
        fs::write(folder.path().join("nas/config/make.def"), SETTINGS).map_err(Error::Scratch)?;
        Ok(Checkout { simgrid, origin: origin.into(), folder })
    }

    /// Whether it has the code of a job.
    pub fn has(&self, job: &Job) -> bool {
        code(job).is_some_and(|(code, _)| self.origin.join(code.to_uppercase()).is_dir())
    }

    /// Builds the code of a job, runs it, and gives its trace. Its operations are spread evenly over ranks, and over
    /// the calls of MPI of a rank.
    ///
    /// # Errors
    /// It can't be built or run, or its trace is too large.
    pub fn record(&self, job: &Job, ranks: usize, platform: &str) -> Result<String, Error> {
        let (code, graph) = code(job).expect("it has the code");
        let class = job.class.name();
        let nas = self.folder.path().join("nas");
        if !IN_C.contains(&code) {
            find("gfortran".as_ref(), "gfortran", None)?;
        }
        let make = find("make".as_ref(), "make", None)?;
        fs::create_dir_all(nas.join("bin")).map_err(Error::Scratch)?;
        let settings = [code.to_string(), format!("CLASS={class}"), format!("NPROCS={ranks}")];
        run(Command::new(make).current_dir(&nas).args(settings))?;
        let names = [ranks.to_string(), "x".into()].map(|end| format!("nas/bin/{code}.{class}.{end}"));
        let built = names.iter().find(|name| self.folder.path().join(name).is_file());
        let rule = || format!("`make {code}` builds none of {}", names.join(", "));
        let program = built.ok_or_else(|| Error::Nas { path: self.origin.clone(), rule: rule() })?;

        let scratch = DraftFolder::new_in(self.folder.path(), FolderAccess::Private).map_err(Error::Scratch)?;
        let write = |name: &str, text: &str| fs::write(scratch.path().join(name), text).map_err(Error::Scratch);
        write("platform.xml", platform)?;
        write("hosts.txt", &super::hosts(ranks))?;
        let mut command = self.simgrid.command(scratch.path(), ranks);
        // Times of this machine would make each recording another one.
        command.args([
            "-platform",
            "platform.xml",
            "-trace-ti",
            "-trace-file",
            "trace",
            "--cfg=smpi/simulate-computation:no",
        ]);
        command.arg(Path::new("..").join(program)).args(graph);
        run(&mut command)?;
        let trace = self.recorded(&scratch.path().join("trace_files"))?;
        Ok(computing(&trace, ranks, job.main_phase().operations * job.main_phase().times as f64))
    }

    /// The files of all ranks.
    fn recorded(&self, folder: &Path) -> Result<String, Error> {
        let mut entries =
            fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(Error::Scratch)?;
        entries.sort_by_key(fs::DirEntry::file_name);
        let sizes = entries.iter().map(|entry| entry.metadata().map(|data| data.len()));
        if sizes.sum::<Result<u64, _>>().map_err(Error::Scratch)? > MOST_TRACE {
            return Err(Error::Nas {
                path: self.origin.clone(),
                rule: "sends too much: its trace has more than 2 GiB".into(),
            });
        }
        entries
            .iter()
            .map(|entry| fs::read_to_string(entry.path()))
            .collect::<Result<String, _>>()
            .map_err(Error::Scratch)
    }
}

/// The code of a job, and its graph.
fn code(job: &Job) -> Option<(&'static str, Option<&'static str>)> {
    Some(match job.name.as_str() {
        "BT" => ("bt", None),
        "CG" => ("cg", None),
        "DT black hole" => ("dt", Some("BH")),
        "DT white hole" => ("dt", Some("WH")),
        "DT shuffle" => ("dt", Some("SH")),
        "FT" => ("ft", None),
        "IS" => ("is", None),
        "LU" => ("lu", None),
        "MG" => ("mg", None),
        "SP" => ("sp", None),
        _ => return None,
    })
}

/// Copies files and folders within limits; links are left out. Whether they were within the limits.
fn copy(from: &Path, to: &Path, left: &mut (usize, u64)) -> std::io::Result<bool> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, place) = (entry.file_type()?, to.join(entry.file_name()));
        let bytes = if kind.is_file() { entry.metadata()?.len() } else { 0 };
        match (left.0.checked_sub(1), left.1.checked_sub(bytes)) {
            (Some(files), Some(bytes)) => *left = (files, bytes),
            _ => return Ok(false),
        }
        if kind.is_file() {
            fs::copy(entry.path(), place)?;
        } else if kind.is_dir() && !copy(&entry.path(), &place, left)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A trace with computation before each call of MPI but the first and the last.
fn computing(trace: &str, ranks: usize, operations: f64) -> String {
    let call = |line: &str| {
        let (rank, rest) = line.split_once(' ')?;
        let is_call = !rest.starts_with("init") && !rest.starts_with("finalize");
        rank.parse::<usize>().ok().filter(|rank| is_call && *rank < ranks)
    };
    let mut calls = vec![0u64; ranks];
    trace.lines().filter_map(call).for_each(|rank| calls[rank] += 1);
    let mut text = String::with_capacity(2 * trace.len());
    for line in trace.lines() {
        if let Some(rank) = call(line).filter(|_| operations > 0.0) {
            let share = operations / ranks as f64 / calls[rank] as f64;
            writeln!(text, "{rank} compute {share:.0}").expect("writing to a string succeeds");
        }
        text += line;
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_compute_between_calls() {
        let trace = "0 init\n0 barrier\n0 bcast 4 0\n0 finalize\n1 init\n1 barrier\n1 finalize\n";
        let expected = "0 init\n0 compute 25\n0 barrier\n0 compute 25\n0 bcast 4 0\n0 finalize\n\
                        1 init\n1 compute 50\n1 barrier\n1 finalize\n";
        assert_eq!(computing(trace, 2, 100.0), expected);
        assert_eq!(computing(trace, 2, 0.0), trace);
    }

    #[test]
    fn a_checkout_is_copied_within_limits() {
        let folder = DraftFolder::scratch().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir_all(from.join("IS")).unwrap();
        fs::write(from.join("IS/is.c"), "12345").unwrap();
        std::os::unix::fs::symlink("/", from.join("root")).unwrap();
        assert!(copy(&from, &to, &mut (3, 5)).unwrap());
        assert_eq!(fs::read_to_string(to.join("IS/is.c")).unwrap(), "12345");
        assert!(!to.join("root").exists());
        for mut limits in [(2, 5), (3, 4)] {
            fs::remove_dir_all(&to).unwrap();
            assert!(!copy(&from, &to, &mut limits).unwrap());
        }
    }
}
