//! Error flags stay low while senders, next buffers and CAM are legal.

use super::{Check, Cycle};

/// The check of the error flags.
#[derive(Clone, Debug)]
pub struct ErrorFlags;

impl Check for ErrorFlags {
    fn name(&self) -> &'static str {
        "error flags"
    }

    #[inline]
    fn cycle(&mut self, cycle: &Cycle<'_>) -> Result<(), String> {
        let pins = cycle.outputs;
        let ports = pins.error_vc | pins.error_framing | pins.error_overflow | pins.error_length | pins.error_credit;
        match ports != 0 || pins.error_cam {
            true => Err("an error flag is up though the traffic is legal".to_owned()),
            false => Ok(()),
        }
    }
}
