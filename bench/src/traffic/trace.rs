//! Traffic from a file: a line for each packet, `cycle source destination flits [vc]`; `#` begins a comment.
//!
//! Cycles count from the one in which sources begin, after reset and set-up of the switch. A source sends its packets
//! in the order of their lines, none before its cycle; their cycles must not decrease. The destination is an output
//! port: address or route are made for it as for the patterns. Without a VC, the sender takes one that has room.

use super::packet_line::{read_lines, Limits};
use super::ANY_VC;
use railyard_input::{Faults, InputSource};
use railyard_spec::Shape;

/// What a command that repeats a run calls packets that came from standard input.
pub const SAVED_TRACE: &str = "packets.trace";

/// A packet arrives at its source: when, to where, how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Cycle in which the source has it, counted from the one in which sources begin. Its latency counts from there.
    pub cycle: u64,
    /// Input port.
    pub source: u8,
    /// Output port.
    pub destination: u8,
    /// Flits.
    pub flits: u16,
    /// Virtual channel, or [`ANY_VC`].
    pub vc: u8,
}

impl Arrival {
    /// A packet of `flits` flits for output `destination`, which input `source` has in `cycle`. The sender takes a VC
    /// that has room.
    ///
    /// # Panics
    /// A port's number is above 255.
    #[track_caller]
    pub fn new(cycle: u64, source: usize, destination: usize, flits: u16) -> Arrival {
        let port = |what: &str, port: usize| {
            u8::try_from(port).unwrap_or_else(|_| panic!("`{what}` is {port}; a port's number is at most 255"))
        };
        let (source, destination) = (port("source", source), port("destination", destination));
        Arrival { cycle, source, destination, flits, vc: ANY_VC }
    }
}

/// The packets of a file, checked for a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The file.
    pub file: InputSource,
    /// Packets of each source in their order.
    pub sources: Vec<Vec<Arrival>>,
}

impl Trace {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// All faults: file and line, value, rule.
    pub fn parse(file: &InputSource, text: &str, shape: &Shape) -> Result<Trace, Faults> {
        let limits = Limits {
            ends: shape.ports as u64,
            names: ["an input port", "an output port"],
            flits: (u64::from(shape.header_flits()), u64::from(shape.max_flits)),
            vcs: &|source, _| (1 << shape.vcs_at(source as usize)) - 1,
        };
        let mut sources = vec![Vec::<Arrival>::new(); shape.ports];
        read_lines(file, text, &limits, |line| {
            let source = &mut sources[line.source as usize];
            source.push(Arrival {
                cycle: line.cycle,
                source: line.source as u8,
                destination: line.destination as u8,
                flits: line.flits as u16,
                vc: line.vc.map_or(ANY_VC, |vc| vc as u8),
            });
        })?;
        Ok(Trace { file: file.clone(), sources })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    fn parse(text: &str) -> Result<Trace, Vec<String>> {
        let shape = Config { flit_bits: 16, ..Config::named("trace") }.check().unwrap().shape();
        Trace::parse(&InputSource::File("a.trace".into()), text, &shape)
            .map_err(|faults| faults.to_string().lines().map(String::from).collect())
    }

    #[test]
    fn a_line_is_a_packet() {
        let trace = parse("# all of it\n\n 7 3 15 8 1 # a VC\r\n7\t3 0 2\n5 0 0 3").unwrap();
        let packet = |cycle, source, destination, flits, vc| Arrival { cycle, source, destination, flits, vc };
        assert_eq!(trace.sources[3], [packet(7, 3, 15, 8, 1), packet(7, 3, 0, 2, ANY_VC)]);
        assert_eq!(trace.sources[0], [packet(5, 0, 0, 3, ANY_VC)]);
        assert_eq!(trace.sources.iter().map(Vec::len).sum::<usize>(), 3);
    }

    #[test]
    fn every_fault_names_line_value_and_rule() {
        let faults =
            parse("0 1 2\n-1 16 16 9 2\n9 0 0 1\n9 0 0 8\n8 0 0 8\n0x10 0 0 8\n0 0 0 8 0 0\n0 0 0 8 2").unwrap_err();
        assert_eq!(
            faults,
            [
                "a.trace:1: `0 1 2` must be `cycle source destination flits [vc]`; legal: 0 0 15 8",
                "a.trace:2: -1 must be a cycle, a whole number; legal: 0",
                "a.trace:2: 16 must be an input port, 0 to 15; legal: 0",
                "a.trace:2: 16 must be an output port, 0 to 15; legal: 0",
                "a.trace:2: 9 must be a length in flits, 2 to 8; legal: 2",
                "a.trace:3: 1 must be a length in flits, 2 to 8; legal: 2",
                "a.trace:5: 8 must not be before cycle 9, when source 0 has the packet above; legal: 9",
                "a.trace:6: 0x10 must be a cycle, a whole number; legal: 0",
                "a.trace:7: `0 0 0 8 0 0` must be `cycle source destination flits [vc]`; legal: 0 0 15 8",
                "a.trace:8: 2 must be a virtual channel, 0 or 1; legal: 0",
            ]
        );
    }

    #[test]
    fn a_byte_order_mark_is_named() {
        let faults = parse("\u{feff}0 0 1 4").unwrap_err();
        assert!(faults.len() == 1 && faults[0].contains("without BOM"), "{faults:?}");
    }

    #[test]
    fn a_file_of_something_else_does_not_flood_the_screen() {
        let faults = parse(&format!("{}\n", "x".repeat(1_000)).repeat(1_000)).unwrap_err();
        assert_eq!(faults.len(), Faults::LISTED + 1);
        assert!(faults[0].len() < 200 && faults[Faults::LISTED].contains("980 more"), "{faults:?}");
    }
}
