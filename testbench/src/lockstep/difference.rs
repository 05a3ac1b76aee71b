//! Outputs that differ, pin by pin and element by element. Slow and complete: used when something is wrong.

use railyard_model::Outputs;
use railyard_spec::pins::{pins, Direction, Meaningful, Pin};
use railyard_spec::Shape;
use serde::{Deserialize, Serialize};

/// One element of an output that isn't what it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Name of the pin.
    pub pin: String,
    /// Its element.
    pub element: usize,
    /// The port that the element belongs to, if to one.
    pub port: Option<usize>,
    /// The VC that the element belongs to, if to one.
    pub vc: Option<usize>,
    /// What the golden model says, in hexadecimal.
    pub expected: String,
    /// What the design says.
    pub got: String,
}

/// Compares the outputs of a switch with those expected; `got` gives the words of an element of a pin.
pub fn differences(shape: &Shape, expected: &Outputs, mut got: impl FnMut(&Pin, usize) -> Vec<u32>) -> Vec<Difference> {
    let mut found = Vec::new();
    for pin in pins(shape).iter().filter(|pin| pin.direction == Direction::Output) {
        for element in 0..pin.count {
            let means = match pin.meaningful {
                Meaningful::Always => true,
                Meaningful::While(valid) => value(expected, valid, element)[0] & 1 == 1,
            };
            let want = value(expected, pin.name, element);
            let is = got(pin, element);
            if means && trimmed(&want) != trimmed(&is) {
                let (port, vc) = place(shape, pin, element);
                let (expected, got) = (hexadecimal(&want), hexadecimal(&is));
                found.push(Difference { pin: pin.name.to_owned(), element, port, vc, expected, got });
            }
        }
    }
    found
}

/// The words of an element of the golden model's outputs, least significant first.
pub(super) fn value(outputs: &Outputs, pin: &str, element: usize) -> Vec<u32> {
    let bit = |mask: u64| vec![(mask >> element & 1) as u32];
    let wide = |value: u64| vec![value as u32, (value >> 32) as u32];
    match pin {
        "rx_credit_valid" => vec![u32::from(outputs.rx_credit_valid.get(element))],
        "rx_credit" => vec![u32::from(outputs.rx_credit[element])],
        "rx_min_credit" => vec![u32::from(outputs.rx_min_credit[element])],
        "tx_valid" => bit(outputs.tx_valid),
        "tx_vc" => vec![u32::from(outputs.tx_vc[element])],
        "tx_head" => bit(outputs.tx_head),
        "tx_tail" => bit(outputs.tx_tail),
        "tx_flit" => outputs.flit(element).to_vec(),
        "tx_bad" => bit(outputs.tx_bad),
        "tx_corrected" => bit(outputs.tx_corrected),
        "cam_request_valid" => vec![u32::from(outputs.cam_request_valid)],
        "cam_request_tag" => vec![outputs.cam_request_tag],
        "cam_request_address" => wide(outputs.cam_request_address),
        "lookup_hit" => bit(outputs.lookup_hit),
        "lookup_miss" => bit(outputs.lookup_miss),
        "lookup_parity" => bit(outputs.lookup_parity),
        "table_parity" => vec![u32::from(outputs.table_parity)],
        "group_parity" => bit(outputs.group_parity),
        "drop_valid" => vec![u32::from(outputs.drop_valid.get(element))],
        "drop_count" => vec![u32::from(outputs.drop_count[element])],
        "error_vc" => bit(outputs.error_vc),
        "error_framing" => bit(outputs.error_framing),
        "error_overflow" => bit(outputs.error_overflow),
        "error_length" => bit(outputs.error_length),
        "error_credit" => bit(outputs.error_credit),
        "error_cam" => vec![u32::from(outputs.error_cam)],
        "event_interrupt" => vec![u32::from(outputs.event_interrupt)],
        "apb_pready" => vec![1],
        "apb_prdata" => vec![outputs.apb_prdata],
        "apb_pslverr" => vec![u32::from(outputs.apb_pslverr)],
        other => panic!("the pin list has an output `{other}` that the golden model doesn't have"),
    }
}

/// Port and VC of an element.
fn place(shape: &Shape, pin: &Pin, element: usize) -> (Option<usize>, Option<usize>) {
    match pin.count {
        1 => (None, None),
        // With one VC, its number goes without saying.
        count if count == shape.ports => (Some(element), None),
        _ => (Some(element / shape.vcs), Some(element % shape.vcs)),
    }
}

fn trimmed(words: &[u32]) -> &[u32] {
    let used = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
    &words[..used]
}

fn hexadecimal(words: &[u32]) -> String {
    match trimmed(words) {
        [] => "0x0".to_owned(),
        [rest @ .., top] => rest.iter().rev().fold(format!("{top:#x}"), |text, word| text + &format!("{word:08x}")),
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.pin)?;
        match (self.port, self.vc) {
            (Some(port), Some(vc)) => write!(f, ", port {port}, VC {vc}")?,
            (Some(port), None) => write!(f, ", port {port}")?,
            _ => {}
        }
        write!(f, ": expected {}, got {}", self.expected, self.got)
    }
}
