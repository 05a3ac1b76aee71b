//! Constraints in the commands that SDC and XDC share.

use super::Package;
use crate::GENERATOR;
use railyard_spec::pins::{Direction, Pin};

/// Share of a clock period that signals take outside of the design.
const OUTSIDE: f64 = 0.3;

/// The constraints: clock, inputs and outputs, as all registers have the one clock. An asynchronous reset is a false
/// path: its timing is that of what releases it.
pub fn text(package: &Package) -> String {
    let Package { top, clock_mhz, reset, .. } = package;
    let untimed = reset.is_asynchronous().then_some(reset.pin());
    let period = 1000.0 / *clock_mhz;
    let outside = OUTSIDE * period;
    let of = |direction: Direction| {
        let pins = package.pins.iter().filter(|pin| pin.direction == direction && pin.name != "clock");
        let pins = pins.filter(|pin| untimed != Some(pin.name));
        pins.map(|pin| format!("    {}\n", bits(pin))).collect::<String>()
    };
    let exception = untimed.map_or(String::new(), |reset| format!("set_false_path -from [get_ports {reset}]\n"));
    let (inputs, outputs) = (of(Direction::Input), of(Direction::Output));
    format!(
        "# Constraints of {top} alone: not for a design of which it is a part. Written by {GENERATOR}.\n\
         # Clock: {clock_mhz} MHz. Outside, signals take {:.0} % of a period. Times are in nanoseconds.\n\
         create_clock -name clock -period {period:.3} [get_ports clock]\n\
         set_input_delay -clock clock {outside:.3} [get_ports {{\n{inputs}}}]\n\
         set_output_delay -clock clock {outside:.3} [get_ports {{\n{outputs}}}]\n\
         {exception}",
        100.0 * OUTSIDE
    )
}

/// All bits of a pin.
fn bits(pin: &Pin) -> String {
    if pin.width() == 1 {
        pin.name.into()
    } else {
        format!("{}[*]", pin.name)
    }
}
