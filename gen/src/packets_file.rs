//! The packets of a run as CSV, a line a packet.

use crate::error::Error;
use crate::folder::begin_file;
use csv::Writer;
use railyard_input::shown;
use railyard_network::harness::Delivered;
use railyard_programs::{DraftFile, NewFolders};
use railyard_spec::Shape;
use railyard_testbench::bench::SwitchBench;
use railyard_testbench::packet_log::{PacketLog, Passage};
use railyard_testbench::stimulus::Scenario;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The heads of the columns.
const HEADS: [&str; 11] =
    ["port", "vc", "cycle_made", "cycle_in", "cycle_out", "out_ports", "out_vc", "flits", "kind", "address", "hops"];

/// The same of the packets of a network.
const HEADS_OF_NETWORKS: [&str; 9] =
    ["source", "destination", "group", "vc", "flits", "kind", "cycle_made", "cycle_in", "cycle_out"];

/// A file of packets on its way to its place.
pub struct PacketsFile {
    path: PathBuf,
    lines: Arc<Mutex<Option<Lines>>>,
    _made: NewFolders,
}

/// What was written.
#[derive(Clone, Debug, Serialize)]
pub struct Packets {
    /// The file.
    pub file: PathBuf,
    /// Lines in it, without the heads.
    pub packets: u64,
}

struct Lines {
    csv: Writer<DraftFile>,
    packets: u64,
    /// The first line that could not be written ends the writing.
    failure: Option<csv::Error>,
}

impl PacketsFile {
    /// Begins a file for the packets of such a run.
    ///
    /// # Errors
    /// It can't be written; the packets of the run can't be followed.
    pub fn begin(path: &Path, shape: &Shape, scenario: &Scenario) -> Result<PacketsFile, Error> {
        if !SwitchBench::can_follow(shape, scenario) {
            let why =
                "--packets: packets can't be followed in this run: its senders break rules, or its packets look alike";
            return Err(Error::Usage(why.into()));
        }
        PacketsFile::with_heads(path, &HEADS)
    }

    /// Begins a file for the packets of a network.
    ///
    /// # Errors
    /// It can't be written.
    pub fn begin_of_network(path: &Path) -> Result<PacketsFile, Error> {
        PacketsFile::with_heads(path, &HEADS_OF_NETWORKS)
    }

    fn with_heads(path: &Path, heads: &[&str]) -> Result<PacketsFile, Error> {
        let (file, made) = begin_file(path)?;
        let mut csv = Writer::from_writer(file);
        let failure = csv.write_record(heads).err();
        let lines = Lines { csv, packets: 0, failure };
        Ok(PacketsFile { path: path.into(), lines: Arc::new(Mutex::new(Some(lines))), _made: made })
    }

    /// The log that fills it.
    pub fn log(&self) -> PacketLog {
        let lines = self.lines.clone();
        PacketLog::new(move |passage| add(&lines, row(passage)))
    }

    /// The log that fills a file of a network's packets.
    pub fn log_of_network(&self) -> railyard_network::harness::DeliveryLog {
        let lines = self.lines.clone();
        Box::new(move |packet| add(&lines, row_of_network(packet)))
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// It can't be written.
    pub fn finish(self) -> Result<Packets, Error> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Lines { csv, packets, failure } = lines.expect("a file is finished once");
        if let Some(failure) = failure {
            return Err(Error::io(&self.path)(failure.into()));
        }
        let file = csv.into_inner().map_err(|error| Error::io(&self.path)(error.into_error()))?;
        file.deliver(&self.path).map_err(Error::io(&self.path))?;
        Ok(Packets { file: self.path.clone(), packets })
    }
}

impl Lines {
    fn add(&mut self, row: impl Serialize) {
        if self.failure.is_none() {
            self.packets += 1;
            self.failure = self.csv.serialize(row).err();
        }
    }
}

/// A line more, if the file is not finished.
fn add(lines: &Mutex<Option<Lines>>, row: impl Serialize) {
    if let Some(lines) = &mut *lines.lock().unwrap_or_else(PoisonError::into_inner) {
        lines.add(row);
    }
}

fn row_of_network(packet: &Delivered) -> impl Serialize {
    let Delivered { source, destination, length, vc, is_reply, made, begun, delivered } = *packet;
    let kind = match (destination, is_reply) {
        (Err(_), _) => "multicast",
        (Ok(_), true) => "reply",
        (Ok(_), false) => "unicast",
    };
    (source, destination.ok(), destination.err(), vc, length, kind, made, begun, delivered)
}

/// A packet crosses one switch, or none if it is dropped.
fn row(passage: &Passage) -> impl Serialize {
    let Passage { packet, entered, left, ports, vc } = *passage;
    let outputs: Vec<String> = (0..64).filter(|port| ports >> port & 1 == 1).map(|port| port.to_string()).collect();
    let kind = if packet.multicast { "multicast" } else { "unicast" };
    let hops = u8::from(ports != 0);
    let times = (packet.generated, entered, left);
    (packet.source, packet.vc, times, outputs.join(" "), vc, packet.length, kind, packet.header, hops)
}

impl Packets {
    /// A line for people.
    pub fn line(&self) -> String {
        format!("packets in {}: {}", shown(&self.file), self.packets)
    }
}
