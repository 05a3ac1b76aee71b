//! The pins that a network has for each of its switches: CAM, registers, drops, errors, wrong bits.

use super::difference::{Differences, NamedOutput};
use railyard_model::{Inputs, Outputs};
use railyard_spec::network::is_at_the_edge;
use railyard_spec::pins::{pins, Direction, DROP_COUNT_BITS};
use railyard_spec::Shape;
use railyard_verilated::{Image, In, ModelError, Pins};

/// What the pins of a switch carry.
type Driven = fn(&Inputs, &Shape) -> u64;

/// Every input that the switch can have.
const INPUTS: [(&str, Driven); 19] = [
    ("cam_request_ready", |i, _| u64::from(i.cam_request_ready)),
    ("cam_response_valid", |i, _| u64::from(i.cam_response_valid)),
    ("cam_response_tag", |i, _| u64::from(i.cam_response_tag)),
    ("cam_response_hit", |i, _| u64::from(i.cam_response_hit)),
    ("cam_response_port", |i, _| u64::from(i.cam_response_port)),
    ("cam_response_vc_set", |i, _| u64::from(i.cam_response_vc_set)),
    ("cam_response_vc", |i, _| u64::from(i.cam_response_vc)),
    ("cam_response_group_set", |i, _| u64::from(i.cam_response_group_set)),
    ("cam_response_group", |i, _| u64::from(i.cam_response_group)),
    ("cam_response_candidates", |i, _| u64::from(i.cam_response_candidates)),
    ("cam_response_candidate", |i, shape| {
        let candidates = i.cam_response_candidate[..shape.candidates - 1].iter().rev();
        candidates.fold(0, |packed, &port| packed << shape.port_bits | u64::from(port))
    }),
    ("cam_response_in_order", |i, _| u64::from(i.cam_response_in_order)),
    ("apb_psel", |i, _| u64::from(i.apb.psel)),
    ("apb_penable", |i, _| u64::from(i.apb.penable)),
    ("apb_pwrite", |i, _| u64::from(i.apb.pwrite)),
    ("apb_paddr", |i, _| u64::from(i.apb.paddr)),
    ("apb_pwdata", |i, _| u64::from(i.apb.pwdata)),
    ("memory_test", |_, _| 0),
    ("memory_sleep", |_, _| 0),
];

/// Words that a pin carries, one element behind the other.
type Flips = fn(&Inputs) -> &[u32];

/// Every input that inverts stored bits.
const FLIPS: [(&str, Flips); 4] = [
    ("rx_flip", |i| &i.rx_flip),
    ("cache_flip", |i| &i.cache_flip),
    ("table_flip", |i| &i.table_flip),
    ("group_flip", |i| &i.group_flip),
];

/// What a part of an output must be; none where it means nothing.
type Wanted = fn(&Outputs, usize) -> Option<u64>;

/// Every output that the switch can have, in parts of so many bits at most.
const OUTPUTS: [(&str, usize, Wanted); 21] = [
    ("cam_request_valid", 64, |o, _| Some(u64::from(o.cam_request_valid))),
    ("cam_request_tag", 64, |o, _| o.cam_request_valid.then_some(u64::from(o.cam_request_tag))),
    ("cam_request_address", 64, |o, _| o.cam_request_valid.then_some(o.cam_request_address)),
    ("lookup_hit", 64, |o, _| Some(o.lookup_hit)),
    ("lookup_miss", 64, |o, _| Some(o.lookup_miss)),
    ("lookup_parity", 64, |o, _| Some(o.lookup_parity)),
    ("table_parity", 64, |o, _| Some(u64::from(o.table_parity))),
    ("group_parity", 64, |o, _| Some(o.group_parity)),
    ("apb_pready", 64, |_, _| Some(1)),
    ("apb_prdata", 64, |o, _| Some(u64::from(o.apb_prdata))),
    ("apb_pslverr", 64, |o, _| Some(u64::from(o.apb_pslverr))),
    ("tx_corrected", 64, |o, _| Some(o.tx_corrected)),
    ("drop_valid", 64, |o, part| Some(o.drop_valid.0[part])),
    ("drop_count", DROP_COUNT_BITS as usize, |o, port| Some(u64::from(o.drop_count[port]))),
    ("error_vc", 64, |o, _| Some(o.error_vc)),
    ("error_framing", 64, |o, _| Some(o.error_framing)),
    ("error_overflow", 64, |o, _| Some(o.error_overflow)),
    ("error_length", 64, |o, _| Some(o.error_length)),
    ("error_credit", 64, |o, _| Some(o.error_credit)),
    ("error_cam", 64, |o, _| Some(u64::from(o.error_cam))),
    ("event_interrupt", 64, |o, _| Some(u64::from(o.event_interrupt))),
];

#[derive(Debug)]
struct Input {
    pin: In,
    /// Bits of a switch.
    width: usize,
    driven: Driven,
}

/// An input of elements of any width.
#[derive(Debug)]
struct WideInput {
    pin: In,
    /// Elements of a switch.
    count: usize,
    /// Bits of an element.
    bits: usize,
    driven: Flips,
}

#[derive(Debug)]
struct Output {
    pin: NamedOutput,
    width: usize,
    /// Bits that are compared at once.
    part: usize,
    wanted: Wanted,
}

/// The pins of all switches.
#[derive(Debug)]
pub struct SwitchPins {
    shape: Shape,
    inputs: Vec<Input>,
    flips: Vec<WideInput>,
    outputs: Vec<Output>,
}

impl SwitchPins {
    /// Those of switches of that shape.
    pub fn new(model: &Image, shape: &Shape) -> Result<SwitchPins, ModelError> {
        let (mut inputs, mut flips, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
        for pin in pins(shape).into_iter().filter(|pin| !is_at_the_edge(pin.name)) {
            let width = pin.width() as usize;
            match pin.direction {
                Direction::Input if ["clock", "reset", "reset_n", "error_clear"].contains(&pin.name) => {}
                Direction::Input => {
                    if let Some(&(_, driven)) = FLIPS.iter().find(|(name, _)| *name == pin.name) {
                        let (count, bits) = (pin.count, pin.bits as usize);
                        flips.push(WideInput { pin: model.input(pin.name)?, count, bits, driven });
                        continue;
                    }
                    let driven = INPUTS.iter().find(|(name, _)| *name == pin.name);
                    let (_, driven) = *driven.unwrap_or_else(|| panic!("nobody drives the input `{}`", pin.name));
                    inputs.push(Input { pin: model.input(pin.name)?, width, driven });
                }
                Direction::Output => {
                    let wanted = OUTPUTS.iter().find(|(name, ..)| *name == pin.name);
                    let (_, part, wanted) = *wanted.unwrap_or_else(|| panic!("nobody knows the output `{}`", pin.name));
                    outputs.push(Output { pin: NamedOutput::find(model, pin.name)?, width, part, wanted });
                }
            }
        }
        Ok(SwitchPins { shape: shape.clone(), inputs, flips, outputs })
    }

    /// Drives the inputs of a switch.
    pub fn drive(&self, model: &mut Image, switch: usize, inputs: &Inputs) {
        for Input { pin, width, driven } in &self.inputs {
            model.set_bits(*pin, switch * width, *width, driven(inputs, &self.shape));
        }
        for WideInput { pin, count, bits, driven } in &self.flips {
            let words = bits.div_ceil(32);
            for (element, flips) in driven(inputs).chunks(words).enumerate() {
                model.write_bits(*pin, (switch * count + element) * bits, *bits, flips);
            }
        }
    }

    /// Compares the outputs of a switch.
    pub fn compare(&self, model: &Image, switch: usize, expected: &Outputs, differences: &mut Differences) {
        for Output { pin, width, part, wanted } in &self.outputs {
            for (number, low) in (0..*width).step_by(*part).enumerate() {
                if let Some(want) = wanted(expected, number) {
                    let bits = (*part).min(width - low);
                    differences.expect(model, *pin, switch * width + low, bits, want, || match part {
                        64 => format!("switch {switch}"),
                        _ => format!("switch {switch} port {number}"),
                    });
                }
            }
        }
    }
}
