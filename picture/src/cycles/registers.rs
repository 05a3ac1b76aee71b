//! A register is written and read back.

use super::{drawn, unsuited};
use crate::bench::{Instant, PinRecorder};
use crate::canvas::Canvas;
use crate::style::Ink;
use railyard_input::Fault;
use railyard_spec::registers::{self, Access, Register};
use railyard_spec::CheckedConfig;

/// A register is written and read back through the APB port.
///
/// # Errors
/// The switch has no register that can be written.
pub fn registers(config: &CheckedConfig) -> Result<Canvas, Fault> {
    let list = registers::registers(&config.shape());
    let Some(register) = list.iter().find(|register| register.access == Access::ReadWrite) else {
        return Err(unsuited("/registers", config.registers, "the switch has no register that can be written", "true"));
    };
    let value = other_value(register);
    let mut bench = PinRecorder::new(config, 0);
    bench.start();
    bench.plan_write(1, register.address, value);
    bench.plan_read(3, register.address);
    bench.run(7);
    let data = |value: u32| format!("{value:#x}");
    let rows = vec![
        bench.bits("apb_psel", Ink::Main, |now| now.inputs.apb.psel),
        bench.bits("apb_penable", Ink::Main, |now| now.inputs.apb.penable),
        bench.bits("apb_pwrite", Ink::Control, |now| now.inputs.apb.psel && now.inputs.apb.pwrite),
        bench.values("apb_paddr", Ink::Main, |now| now.inputs.apb.psel.then(|| data(now.inputs.apb.paddr.into()))),
        bench.values("apb_pwdata", Ink::Control, |now| writes(now).then(|| data(now.inputs.apb.pwdata))),
        bench.values("apb_prdata", Ink::Back, |now| reads(now).then(|| data(now.outputs.apb_prdata))),
        bench.bits("apb_pslverr", Ink::Alarm, |now| now.outputs.apb_pslverr),
    ];
    let title = format!("register {} is written and read back", register.name);
    let description = format!(
        "Waveform: {data} is written to register {name}: setup in cycle 1, access in cycle 2. A read in cycles 3 and 4 gives the new value.",
        name = register.name,
        data = data(value)
    );
    Ok(drawn(config, "registers", &title, &description, rows))
}

fn writes(now: &Instant) -> bool {
    now.inputs.apb.psel && now.inputs.apb.pwrite
}

fn reads(now: &Instant) -> bool {
    now.inputs.apb.psel && now.inputs.apb.penable && !now.inputs.apb.pwrite
}

/// A legal value that is not the reset value: that of the lowest field is another one.
fn other_value(register: &Register) -> u32 {
    let reset: u32 = register.fields.iter().map(|field| field.reset << field.low).sum();
    let field = &register.fields[0];
    let value = match &field.legal {
        registers::Legal::OneOf(values) => {
            values.iter().copied().find(|value| *value != field.reset).unwrap_or(field.reset)
        }
        _ => field.reset ^ 1,
    };
    reset - (field.reset << field.low) + (value << field.low)
}
