//! Confinement of processes, as far as the kernel offers it without privileges: Landlock for files, seccomp for the
//! rest.
//!
//! All of it is prepared here, and applied in the new process before its program starts.

mod syscalls;

use std::{
    env, fs, io,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Command,
};

use landlock::{
    path_beneath_rules, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, Scope, ABI,
};
use rustix::process::{setrlimit, Resource, Rlimit};
use seccompiler::BpfProgram;

use crate::Guard;

/// What every kernel with Landlock has, and what later ones have beside it.
const OLDEST: ABI = ABI::V1;
const NEWEST: ABI = ABI::V7;

/// Where programs, libraries and their headers are.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/dev/null",
    "/dev/zero",
    "/dev/urandom",
    "/sys/devices/system/cpu",
];

/// What runs in a confined process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Verilator or the compiler: it starts other programs, which are confined with it.
    Tool,
    /// A model: it needs next to nothing.
    Model,
}

/// What this system lacks for confinement; `None` if nothing.
pub fn missing_confinement() -> Option<String> {
    if let Err(error) = ruleset(&[], &[]) {
        return Some(format!("Landlock (Linux 5.13 or newer, switched on): {error}"));
    }
    if let Err(error) = syscalls::filters(Kind::Model) {
        return Some(format!("system call filters (seccomp): {error}"));
    }
    None
}

/// Limits and confines the process that `command` will start. It may read `readable` beside the system's folders, and
/// write to `writable`.
pub(crate) fn apply(
    command: &mut Command,
    guard: &Guard,
    kind: Kind,
    readable: &[PathBuf],
    writable: &[PathBuf],
) -> io::Result<()> {
    let limits = limits(guard, kind);
    let mut confinement = match guard.confined {
        true => Some(Confinement::new(kind, readable, writable)?),
        false => None,
    };
    let begin = move || -> io::Result<()> {
        for (resource, limit) in &limits {
            setrlimit(*resource, Rlimit { current: Some(*limit), maximum: Some(*limit) })?;
        }
        confinement.take().map_or(Ok(()), Confinement::enter)
    };
    // SAFETY: in the new process there are system calls only; all memory was allocated before.
    unsafe { command.pre_exec(begin) };
    Ok(())
}

/// No core files, in any case: they can be large, and lie where nobody looks for them.
fn limits(guard: &Guard, kind: Kind) -> Vec<(Resource, u64)> {
    let mut limits = vec![(Resource::Core, 0)];
    limits.extend(guard.memory.map(|bytes| (Resource::As, bytes)));
    if kind == Kind::Tool {
        limits.push((Resource::Fsize, guard.file_size));
        limits.extend(guard.build_time.map(|time| (Resource::Cpu, time.as_secs().max(1))));
    }
    limits
}

struct Confinement {
    files: RulesetCreated,
    calls: Vec<BpfProgram>,
}

impl Confinement {
    fn new(kind: Kind, readable: &[PathBuf], writable: &[PathBuf]) -> io::Result<Confinement> {
        let libraries = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let libraries = env::split_paths(&libraries).filter(|path| path.is_absolute());
        let mut read: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).chain(libraries).collect();
        read.extend_from_slice(readable);
        let mut write = writable.to_vec();
        write.push("/dev/null".into());
        let files = ruleset(&read, &write).map_err(|error| io::Error::other(format!("Landlock: {error}")))?;
        let calls = syscalls::filters(kind).map_err(io::Error::other)?;
        Ok(Confinement { files, calls })
    }

    /// From here on, for this process and all that it starts.
    fn enter(self) -> io::Result<()> {
        self.files.restrict_self().map_err(|_| io::Error::from(io::ErrorKind::PermissionDenied))?;
        for filter in &self.calls {
            seccompiler::apply_filter(filter).map_err(|_| io::Error::from(io::ErrorKind::PermissionDenied))?;
        }
        // Leaked, as freeing memory is no system call: the program that starts now takes its place.
        std::mem::forget(self.calls);
        Ok(())
    }
}

fn ruleset(readable: &[PathBuf], writable: &[PathBuf]) -> Result<RulesetCreated, RulesetError> {
    let required = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(OLDEST))?
        .set_compatibility(CompatLevel::BestEffort);
    required
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(readable, AccessFs::from_read(NEWEST)))?
        .add_rules(path_beneath_rules(writable, AccessFs::from_all(NEWEST)))
}

/// Folders with parts of a program, beside the one that holds it.
const PARTS: [&str; 4] = ["lib", "lib64", "libexec", "include"];

/// What belongs to a program, where it was installed: files of its name and what follows (`verilator_bin`), and
/// libraries. Of the rest nothing: programs can stand in a home.
pub(crate) fn installation(program: &Path) -> Vec<PathBuf> {
    let Ok(found) = program.canonicalize() else { return Vec::new() };
    let (Some(folder), Some(name)) = (found.parent(), program.file_name()) else { return vec![found] };
    let name = name.to_string_lossy();
    let siblings = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_part = |path: &PathBuf| path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(&*name));
    let mut files: Vec<PathBuf> = siblings.filter(is_part).collect();
    if let Some(prefix) = folder.parent().filter(|prefix| prefix.parent().is_some()) {
        files.extend(PARTS.map(|part| prefix.join(part)).into_iter().filter(|part| part.is_dir()));
    }
    files.push(found);
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_in_a_home_opens_nothing_else_of_it() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        for folder in ["bin", "lib", "letters"] {
            fs::create_dir(at(folder)).unwrap();
        }
        for file in ["bin/verilator", "bin/verilator_bin", "bin/diary"] {
            fs::write(at(file), "").unwrap();
        }
        let mut files = installation(&at("bin/verilator"));
        files.sort();
        files.dedup();
        let home = home.path().canonicalize().unwrap();
        assert_eq!(files, ["bin/verilator", "bin/verilator_bin", "lib"].map(|name| home.join(name)));
    }
}
