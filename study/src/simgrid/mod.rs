//! SimGrid, which simulates MPI programs on a network: its programs, and what goes in and comes out.
//!
//! A program is a *time-independent trace*: what each rank sends, receives and computes, without times. SimGrid replays
//! it on a platform. [`watch.cpp`](SimGrid::new) lists the messages of a replay, and delays those that miss in caches.

mod actions;
mod lookups;
mod nas;

pub use actions::actions;
pub use lookups::{CachedPorts, Misses, PortCaches};
pub use nas::Checkout;

use crate::Error;
use railyard_programs::{find, run, DraftFolder};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Debian package of SimGrid.
pub const PACKAGE: &str = "libsimgrid-dev";

/// Lists and delays messages.
const WATCH: &str = include_str!("watch.cpp");

/// Messages of a replay, at most: each takes some hundred bytes of memory.
const MOST_MESSAGES: usize = 50_000_000;

/// SimGrid, ready to replay.
pub struct SimGrid {
    smpirun: PathBuf,
    folder: DraftFolder,
}

/// A message of a replay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayedMessage {
    /// When it starts, in seconds.
    pub start: f64,
    /// The node that sends it.
    pub from: u32,
    /// The node that gets it.
    pub to: u32,
}

/// What a replay was.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplaySummary {
    /// Seconds from start to end.
    pub seconds: f64,
    /// All messages between nodes, in the order in which they start.
    pub messages: Vec<ReplayedMessage>,
}

/// A message that is late: from, to, its number among those between the two, and seconds.
pub type Delay = (u32, u32, u64, f64);

impl SimGrid {
    /// Finds SimGrid and compiles what watches its messages.
    ///
    /// # Errors
    /// SimGrid or a compiler is missing, or scratch space can't be written.
    pub fn new() -> Result<SimGrid, Error> {
        let smpirun = find("smpirun".as_ref(), PACKAGE, None)?;
        let compiler = find("g++".as_ref(), "g++", None)?;
        let folder = DraftFolder::scratch().map_err(Error::Scratch)?;
        fs::write(folder.path().join("watch.cpp"), WATCH).map_err(Error::Scratch)?;
        // Never unloaded: SimGrid calls it until the end of the process.
        let arguments = ["-std=c++17", "-O1", "-shared", "-fPIC", "watch.cpp", "-o", "watch.so", "-Wl,-z,nodelete"];
        run(Command::new(compiler).current_dir(folder.path()).args(arguments).arg("-lsimgrid"))?;
        Ok(SimGrid { smpirun, folder })
    }

    /// Replays a trace on a platform, a rank a node.
    ///
    /// # Errors
    /// SimGrid fails, or scratch space can't be written.
    pub fn replay(&self, platform: &str, trace: &str, ranks: usize, delays: &[Delay]) -> Result<ReplaySummary, Error> {
        let scratch = DraftFolder::new_in(self.folder.path(), railyard_programs::FolderAccess::Private);
        let scratch = scratch.map_err(Error::Scratch)?;
        let write = |name: &str, text: &str| fs::write(scratch.path().join(name), text).map_err(Error::Scratch);
        write("platform.xml", platform)?;
        write("actions.txt", trace)?;
        write("traces.txt", "actions.txt\n")?;
        write("hosts.txt", &hosts(ranks))?;
        write("delays.txt", &lines(delays))?;
        let mut command = self.command(scratch.path(), ranks);
        for (name, file) in [("PLATFORM", "platform.xml"), ("MESSAGES", "messages.txt"), ("DELAYS", "delays.txt")] {
            command.env(format!("RAILYARD_{name}"), file);
        }
        command.args(["-platform", "../watch.so", "-no-privatize", "-replay", "traces.txt"]);
        run(&mut command)?;
        let text = fs::read_to_string(scratch.path().join("messages.txt")).map_err(Error::Scratch)?;
        read(&text).ok_or_else(|| Error::Scratch(io::Error::other("the list of messages is not whole")))
    }

    /// Ranks of a program, in a folder with `hosts.txt`.
    fn command(&self, folder: &Path, ranks: usize) -> Command {
        let mut command = Command::new(&self.smpirun);
        command.current_dir(folder).env("TMPDIR", folder);
        command.args(["-np", &ranks.to_string(), "-hostfile", "hosts.txt", "--log=root.thres:warning"]);
        // The model and setting of the platform file; smpirun would take its own.
        command.args(["--cfg=network/model:CM02", "--cfg=network/TCP-gamma:0"]);
        command
    }
}

/// The nodes of ranks, a line each.
fn hosts(ranks: usize) -> String {
    (0..ranks).map(|rank| format!("node{rank}\n")).collect()
}

/// Delays as lines.
fn lines(delays: &[Delay]) -> String {
    let mut text = String::new();
    for (from, to, number, seconds) in delays {
        writeln!(text, "{from} {to} {number} {seconds:e}").expect("writing to a string succeeds");
    }
    text
}

/// The list of messages; none if it lacks its end.
fn read(text: &str) -> Option<ReplaySummary> {
    let (all, end) = text.trim_end().rsplit_once('\n').unwrap_or(("", text.trim_end()));
    let message = |line: &str| {
        let mut fields = line.split(' ');
        let message = ReplayedMessage {
            start: fields.next()?.parse().ok()?,
            from: fields.next()?.parse().ok()?,
            to: fields.next()?.parse().ok()?,
        };
        fields.next().is_none().then_some(message)
    };
    let messages: Option<Vec<ReplayedMessage>> = all.lines().take(MOST_MESSAGES + 1).map(message).collect();
    let messages = messages.filter(|messages| messages.len() <= MOST_MESSAGES)?;
    Some(ReplaySummary { seconds: end.parse().ok()?, messages })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_messages_has_an_end() {
        let messages =
            vec![ReplayedMessage { start: 0.0, from: 3, to: 0 }, ReplayedMessage { start: 1.5e-6, from: 0, to: 3 }];
        assert_eq!(read("0 3 0\n1.5e-06 0 3\n2e-06\n"), Some(ReplaySummary { seconds: 2e-6, messages }));
        assert_eq!(read("0\n"), Some(ReplaySummary { seconds: 0.0, messages: vec![] }));
        assert_eq!((read(""), read("0 3 0\n1e-6 0 3\n"), read("0 3\n1\n")), (None, None, None));
    }
}
