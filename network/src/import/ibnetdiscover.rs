//! Output of `ibnetdiscover`.
//!
//! A device begins with `Switch`, `Ca` or `Rt`, its number of ports and its name:
//! `Switch 36 "S-<GUID>" # "<text>" ...`. Below are its linked ports, each with the port at the other end:
//! `[1] "H-<GUID>"[1](<port GUID>) # "<text>" lid 4 4xEDR`. With `--group`, heads of chassis stand between, and
//! external ports as `[ext 2]`. Source: `infiniband-diags/ibnetdiscover.c` of rdma-core.

use super::fabric::{End, Fabric};
use super::forwarding::Lids;
use super::lines::{fault, lines, Line};
use super::Imported;
use railyard_input::{Fault, Faults};
use std::collections::{BTreeMap, HashMap};

/// A device: whether it is a switch, and its GUID.
type Device = (bool, u64);

/// Its port, from 1 on.
type DevicePort = (Device, usize);

/// What a line says of the other end of a link.
struct Far {
    at: DevicePort,
    /// Text of the far device, for names.
    text: String,
    /// LID of the far end.
    lid: Option<u64>,
    line: usize,
}

#[derive(Default)]
struct Discovery {
    /// Switches in their order: GUID, text, line.
    switches: Vec<(u64, String, usize)>,
    /// The device whose ports are being read, and how many it has.
    current: Option<(Device, usize)>,
    links: BTreeMap<DevicePort, Far>,
    /// Highest LMC of a port of a node.
    lmc: u64,
}

pub(super) fn read(text: &str) -> Result<Imported, Faults> {
    let mut file = Discovery::default();
    for line in lines(text) {
        file.read_line(line)?;
    }
    Ok(file.finish()?)
}

impl Discovery {
    fn read_line(&mut self, line: Line<'_>) -> Result<(), Fault> {
        let (plain, comment) = line.text.split_once('#').unwrap_or((line.text, ""));
        let word = plain.split_ascii_whitespace().next().unwrap_or("");
        match word {
            "Switch" | "Ca" | "Rt" => self.begin(line, plain, comment),
            _ if word.starts_with('[') => self.read_port(line, plain, comment),
            "" | "Chassis" | "Hostname:" | "Non-Chassis" => Ok(()),
            _ if word.contains('=') => Ok(()),
            _ => Err(line.fault(line.text, "is no line of `ibnetdiscover`", "[1] \"S-0002c903000a1b2c\"[2]")),
        }
    }

    fn begin(&mut self, line: Line<'_>, plain: &str, comment: &str) -> Result<(), Fault> {
        let quoted = between_quotes(plain).ok_or_else(|| line.fault(plain, "has no name in quotes", SWITCH_LINE))?;
        let device = device(line, quoted)?;
        if device.0 {
            if self.switches.iter().any(|(guid, ..)| *guid == device.1) {
                return Err(line.fault(quoted, "is a switch that stands above, too", "each switch once"));
            }
            self.switches.push((device.1, between_quotes(comment).unwrap_or("").into(), line.number));
        }
        let ports = plain.split_ascii_whitespace().nth(1).unwrap_or("");
        self.current = Some((device, line.number_in(ports, 1, MOST_PORTS)? as usize));
        Ok(())
    }

    fn read_port(&mut self, line: Line<'_>, plain: &str, comment: &str) -> Result<(), Fault> {
        let (device, ports) =
            self.current.ok_or_else(|| line.fault(line.text, "is a port of no device", SWITCH_LINE))?;
        let bad = || line.fault(plain, "is no port with the one at its other end", "[1] \"S-0002c903000a1b2c\"[2]");
        let (own, rest) = port(plain).ok_or_else(bad)?;
        if own > ports {
            return Err(line.fault(own, format!("is a port of a device with {ports}"), format!("1 to {ports}")));
        }
        let quoted = between_quotes(rest).ok_or_else(bad)?;
        let (_, behind) = rest.rsplit_once('"').ok_or_else(bad)?;
        let (far_port, _) = port(behind).ok_or_else(bad)?;
        let far = Far {
            at: (self::device(line, quoted)?, far_port),
            text: between_quotes(comment).unwrap_or("").into(),
            lid: number_behind(comment.rsplit_once('"').map_or("", |(_, behind)| behind), "lid"),
            line: line.number,
        };
        if !device.0 {
            let own = comment.split_once('"').map_or("", |(own, _)| own);
            self.lmc = self.lmc.max(number_behind(own, "lmc").unwrap_or(0));
        }
        match self.links.insert((device, own), far) {
            None => Ok(()),
            Some(_) => Err(line.fault(own, "is a port that stands above, too", "each port once")),
        }
    }

    fn finish(self) -> Result<Imported, Fault> {
        let mut fabric = Fabric::default();
        let mut numbers = HashMap::new();
        for (guid, text, line) in &self.switches {
            let number = fabric.add_switch(format!("S-{guid:016x} {text}").trim_end(), *line)?;
            numbers.insert((true, *guid), number);
        }
        let mut lids = Lids { switches: self.switches.iter().map(|(guid, ..)| *guid).collect(), ..Lids::default() };
        for (guid, ..) in &self.switches {
            let device = (true, *guid);
            for ((_, port), far) in self.links.range((device, 0)..=(device, usize::MAX)) {
                let near = End::at(numbers[&device], port - 1);
                self.agrees((device, *port), far)?;
                match numbers.get(&far.at.0) {
                    Some(&switch) if (device, *port) < far.at => {
                        fabric.add_link([near, End::at(switch, far.at.1 - 1)], None, far.line)?;
                    }
                    Some(_) => {}
                    None => {
                        let ((_, guid), port) = far.at;
                        let node = fabric.add_node(format!("H-{guid:016x}[{port}] {}", far.text), near, far.line)?;
                        lids.nodes.extend(far.lid.map(|lid| (lid, node)));
                    }
                }
            }
        }
        for ((_, port), far) in self.links.iter().filter(|(((is_switch, _), _), _)| !is_switch) {
            if !numbers.contains_key(&far.at.0) {
                return Err(fault(
                    far.line,
                    port,
                    "is a port of a node, and no switch is at its other end",
                    "a switch",
                ));
            }
        }
        let note =
            "Nodes have several LIDs each. Of forwarding tables, the routes to the first LID of a node are used.";
        let notes = if self.lmc > 0 { vec![note.into()] } else { Vec::new() };
        Ok(Imported { lids: Some(lids), ..fabric.finish(None, notes)? })
    }

    /// A link between switches stands at both of them. One of a node may stand at the switch alone.
    fn agrees(&self, near: DevicePort, far: &Far) -> Result<(), Fault> {
        let ((is_switch, guid), port) = far.at;
        match self.links.get(&far.at) {
            Some(back) if back.at == near => Ok(()),
            Some(back) => {
                let rule = format!("is the other end, which names another port in line {}", back.line);
                Err(fault(far.line, port, rule, "a file of a network that did not change meanwhile"))
            }
            None if is_switch => {
                let rule = format!("is the port of switch S-{guid:016x} at the other end, which does not stand there");
                Err(fault(far.line, port, rule, "both ends of each link"))
            }
            None => Ok(()),
        }
    }
}

/// Ports of a device, at most: InfiniBand's port numbers end there.
const MOST_PORTS: u64 = 254;

/// What a switch begins with.
const SWITCH_LINE: &str = "Switch 36 \"S-0002c903000a1b2c\"";

/// From the first quote to the last one.
fn between_quotes(text: &str) -> Option<&str> {
    let (_, behind) = text.split_once('"')?;
    behind.rsplit_once('"').map(|(inside, _)| inside)
}

/// A port from 1 on at the head, as in `[3]`, and what stands behind.
fn port(text: &str) -> Option<(usize, &str)> {
    let (number, behind) = text.trim_start().strip_prefix('[')?.split_once(']')?;
    number.parse().ok().filter(|port| *port >= 1).map(|port| (port, behind))
}

/// A device by its name: `S-<GUID>` is a switch, `H-<GUID>` and `R-<GUID>` are nodes.
fn device(line: Line<'_>, name: &str) -> Result<Device, Fault> {
    let guid = name.get(2..).map(|guid| guid.trim_start_matches("0x"));
    let guid = guid.and_then(|guid| u64::from_str_radix(guid, 16).ok());
    match (name.get(..2), guid) {
        (Some("S-"), Some(guid)) => Ok((true, guid)),
        (Some("H-" | "R-"), Some(guid)) => Ok((false, guid)),
        _ => Err(line.fault(name, "is no name of a device", "S-0002c903000a1b2c")),
    }
}

/// The number behind a word.
fn number_behind(text: &str, word: &str) -> Option<u64> {
    let mut words = text.split_ascii_whitespace();
    words.find(|found| *found == word)?;
    words.next()?.parse().ok()
}
