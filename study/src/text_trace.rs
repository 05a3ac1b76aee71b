//! A trace of packets as text: a line a packet, the numbers of its source and its destination node. What follows `#` is
//! a comment; empty lines are nothing.

use crate::network::{RoutedCube, RoutedNetwork};
use crate::Error;
use railyard_input::shortened;

/// Packets on a torus.
#[derive(Clone, Debug)]
pub struct TextTrace {
    /// Where they are from.
    pub file: String,
    /// The torus.
    pub torus: RoutedCube,
    /// Source and destination of each.
    pub packets: Vec<(u64, u64)>,
}

impl TextTrace {
    /// Reads a trace of packets on a torus, given as `4x4x4`.
    ///
    /// # Errors
    /// No such torus, a line that is not a packet, or no packet at all.
    pub fn read(file: &str, text: &str, torus: &str) -> Result<TextTrace, Error> {
        let torus = parse_torus(torus)?;
        let packets = text.lines().enumerate().filter_map(|(index, line)| {
            let words = line.split('#').next().unwrap_or_default();
            (!words.trim().is_empty()).then(|| packet(words, &torus, file, index + 1))
        });
        let packets: Vec<(u64, u64)> = packets.collect::<Result<_, _>>()?;
        match packets.is_empty() {
            true => Err(Error::NoPackets(file.into())),
            false => Ok(TextTrace { file: file.into(), torus, packets }),
        }
    }
}

fn packet(words: &str, torus: &RoutedCube, file: &str, line: usize) -> Result<(u64, u64), Error> {
    let at = |value: &str, rule: String| Error::Trace { file: file.into(), line, value: shortened(value.trim()), rule };
    let [source, destination] = words.split_whitespace().collect::<Vec<_>>()[..] else {
        return Err(at(words, "must be two node numbers, source and destination: 3 17".into()));
    };
    let node = |word: &str| match word.parse::<u64>() {
        Ok(node) if node < torus.nodes() => Ok(node),
        _ => Err(at(word, format!("must be the number of a node of the {}: 0 to {}", torus.name(), torus.nodes() - 1))),
    };
    Ok((node(source)?, node(destination)?))
}

/// A torus from text: `4x4x4`.
fn parse_torus(text: &str) -> Result<RoutedCube, Error> {
    let rule = "must be switches in each dimension, 2 to 256, whose coordinates fit a 24-bit address: 4x4x4";
    let radix: Result<Vec<u32>, _> = text.split('x').map(str::parse).collect();
    match radix {
        Ok(radix) if radix.iter().all(|k| (2..=256).contains(k)) && fits(&radix) => Ok(RoutedCube::torus(&radix)),
        _ => Err(Error::Torus { value: text.into(), rule }),
    }
}

/// Whether an address has a chunk for each dimension.
fn fits(radix: &[u32]) -> bool {
    let widest = radix.iter().copied().max().unwrap_or(1);
    let chunk = [2, 3, 4, 6, 8].into_iter().find(|bits| widest <= 1 << bits).unwrap_or(8);
    chunk * radix.len() as u32 <= crate::cache::ADDRESS_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str, torus: &str) -> String {
        TextTrace::read("t.txt", text, torus).unwrap_err().to_string()
    }

    #[test]
    fn reads_packets_and_skips_comments() {
        let trace = TextTrace::read("t.txt", "# a trace\n0 63\n\n 5\t6 # five to six\r\n", "4x4x4").unwrap();
        assert_eq!(trace.packets, [(0, 63), (5, 6)]);
    }

    #[test]
    fn says_which_line_is_wrong_and_why() {
        let number = "must be the number of a node of the torus 4x4x4: 0 to 63";
        assert_eq!(error("0 1\n0 64\n", "4x4x4"), format!("t.txt:2: \"64\" {number}"));
        assert_eq!(error("-1 0\n", "4x4x4"), format!("t.txt:1: \"-1\" {number}"));
        let two = "must be two node numbers, source and destination: 3 17";
        assert_eq!(error("\n#\n 1 2 3 # x\n", "4x4x4"), format!("t.txt:3: \"1 2 3\" {two}"));
        assert!(error("# nothing\n", "4x4x4").starts_with("t.txt: has no packet"));
        for torus in ["", "4", "4x1", "4x4x", "0x4", "257x2", "256x256x256x2", "a", "1"] {
            assert_eq!(torus == "4", TextTrace::read("t.txt", "0 1", torus).is_ok(), "{torus}");
        }
    }
}
