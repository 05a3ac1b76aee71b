//! The pins that say what goes wrong on which link.

use railyard_network::harness::LinkFaults;
use railyard_spec::network::MESSAGE_BIT_BITS;
use railyard_spec::{FlowControl, Shape};
use railyard_verilated::{Image, In, ModelError, Pins};

/// The pins of all links; a link has the number of the lane at which it ends.
#[derive(Debug)]
pub struct LinkPins {
    vcs: usize,
    down: In,
    message: Option<MessagePins>,
    credit_lost: In,
    absolute: Option<AbsolutePins>,
}

/// What there is with absolute credits only.
#[derive(Debug)]
struct AbsolutePins {
    flip: In,
    repeat: In,
}

#[derive(Debug)]
struct MessagePins {
    lost: In,
    flip: In,
    bit: In,
}

impl LinkPins {
    /// Those of links between switches of that shape.
    pub fn new(model: &Image, shape: &Shape) -> Result<LinkPins, ModelError> {
        let i = |name| model.input(name);
        Ok(LinkPins {
            vcs: shape.vcs,
            down: i("link_down")?,
            message: match shape.control_vc() {
                Some(_) => {
                    Some(MessagePins { lost: i("message_lost")?, flip: i("message_flip")?, bit: i("message_bit")? })
                }
                None => None,
            },
            credit_lost: i("credit_lost")?,
            absolute: match shape.flow_control {
                FlowControl::Absolute => Some(AbsolutePins { flip: i("credit_flip")?, repeat: i("credit_repeat")? }),
                FlowControl::Relative => None,
            },
        })
    }

    /// Drives the faults of a link; none: it is down.
    pub fn drive(&self, model: &mut Image, link: usize, faults: Option<LinkFaults>) {
        model.set_bits(self.down, link, 1, u64::from(faults.is_none()));
        let faults = faults.unwrap_or_default();
        if let Some(message) = &self.message {
            model.set_bits(message.lost, link, 1, u64::from(faults.message_lost));
            model.set_bits(message.flip, link, 1, u64::from(faults.message_flip.is_some()));
            if let Some(bit) = faults.message_flip {
                model.set_field(message.bit, link, MESSAGE_BIT_BITS as usize, u64::from(bit));
            }
        }
        model.set_field(self.credit_lost, link, self.vcs, u64::from(faults.credits_lost));
        if let Some(absolute) = &self.absolute {
            model.set_field(absolute.flip, link, self.vcs, u64::from(faults.credits_flipped));
            model.set_bits(absolute.repeat, link, 1, u64::from(faults.credit_repeat));
        }
    }
}
