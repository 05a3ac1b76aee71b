//! `railyard registers`.

use crate::cli::{FormatName, RegistersArgs};
use crate::pages::registers as pages;
use crate::table::paragraph;
use crate::table_file::TableFile;
use crate::text::read_text;
use crate::{answer, Error, Outcome};
use railyard_exports::registers::RegisterMap;
use railyard_input::{Fault, Faults, FileKind, InputSource};
use railyard_spec::forwarding_table::register_writes;
use railyard_spec::registers::address::{DEFAULT_CANDIDATES, DEFAULT_ROUTE, TABLE_STATUS, TABLE_WRITE};
use railyard_spec::registers::{registers, Legal, Register, RegisterField};
use railyard_spec::Shape;
use railyard_testbench::traffic::OnChip;
use serde::Serialize;
use serde_json::json;

/// Prints the registers of a switch, or the writes that fill its forwarding table.
///
/// # Errors
/// A bad description or table; a table for a switch that has no place for it.
pub fn run(args: &RegistersArgs) -> Result<Outcome, Error> {
    let config = args.description.load()?;
    let shape = config.shape();
    let registers = registers(&shape);
    if let Some(FormatName(format)) = args.format {
        if registers.is_empty() {
            return Err(Error::Usage("--format: this switch has no registers".into()));
        }
        answer::text(&format.text(&RegisterMap { name: &config.name, registers: &registers }))?;
        return Ok(Outcome::Fine);
    }
    match &args.table {
        Some(file) => {
            let writes = writes(file, &shape, &registers)?;
            match args.json {
                true => answer::json(&json!({"wait": {"address": TABLE_STATUS, "until": 0}, "writes": writes}))?,
                false => answer::text(&script(&writes))?,
            }
        }
        None if args.json => answer::json(&json!({"registers": registers}))?,
        None => answer::text(&map(&registers))?,
    }
    Ok(Outcome::Fine)
}

/// The register map: a paragraph a register, its fields below it. The words of an array follow each other.
fn map(registers: &[Register]) -> String {
    if registers.is_empty() {
        return "This switch has nothing to set, and no registers.\n".into();
    }
    let field = |field: &RegisterField| {
        let RegisterField { name, low, bits, reset, meaning, legal: values } = field;
        let place = if *bits == 1 { format!("[{low}]") } else { format!("[{}]", pages::bits(field)) };
        let values = if *values == Legal::Any { String::new() } else { format!(", {}", pages::legal(field)) };
        hanging(&format!("{place} {name}: reset {reset:#x}{values}; {meaning}"), 7)
    };
    let one = |register: &Register| {
        let Register { name, address, count, access, meaning, .. } = register;
        let count = if *count == 1 { String::new() } else { format!("[{count}]") };
        let head = hanging(&format!("0x{address:03X} {name}{count} ({}): {meaning}", pages::access(*access)), 0);
        head + &register.fields.iter().map(field).collect::<String>()
    };
    registers.iter().map(one).collect()
}

/// A paragraph that begins at a column; further lines hang behind it.
fn hanging(text: &str, column: usize) -> String {
    let behind = column + 7;
    let lines = paragraph(text, 100 - behind);
    format!("{:column$}{}\n", "", lines.trim_end().replace('\n', &format!("\n{:behind$}", "")))
}

/// A write to a register.
#[derive(Serialize)]
struct Write {
    /// Byte address.
    address: u32,
    /// Value.
    data: u32,
    /// The register's name.
    register: &'static str,
}

/// What fills the forwarding table, in its order: the default route last, so that nothing is cached with it whose entry
/// comes later.
fn writes(file: &InputSource, shape: &Shape, registers: &[Register]) -> Result<Vec<Write>, Error> {
    let (Some(built), Some(address_bits)) = (shape.forwarding_table(), shape.address_bits()) else {
        return Err(Error::Usage("--table: this switch has no forwarding table".into()));
    };
    let refused = |faults| Error::Table { file: file.clone(), faults };
    let text = read_text(file, FileKind::ForwardingTable)?;
    let table = TableFile::parse(file, &text, shape).map_err(refused)?;
    let addresses: Vec<u64> = table.routes.keys().copied().collect();
    let chip = OnChip::new(built, address_bits, &addresses);
    let left: Faults = addresses
        .iter()
        .filter(|&&address| !chip.holds(address))
        .map(|address| left(file, *address, addresses.len()))
        .collect();
    if !left.is_empty() {
        return Err(refused(left));
    }
    let mut list = register_writes(shape, &chip.fill(|address| table.routes.get(&address).copied()));
    if let Some(route) = table.default_route {
        list.extend((shape.candidates > 1).then(|| (DEFAULT_CANDIDATES, route.candidates_word(shape.candidates))));
        list.push((DEFAULT_ROUTE, 1 << 8 | route.word()));
    }
    let name = |at| registers.iter().find(|register| register.address == at).expect("it is one of the switch's").name;
    Ok(list.into_iter().map(|(address, data)| Write { address, data, register: name(address) }).collect())
}

fn left(file: &InputSource, address: u64, entries: usize) -> Fault {
    Fault {
        path: file.to_string(),
        value: format!("{address:#x}"),
        rule: format!("finds no place beside the others of {entries} entries: all of its places are taken"),
        legal: "fewer entries, a larger table, or more ways".into(),
    }
}

/// The writes as text: address, data, and what it is behind `#`.
fn script(writes: &[Write]) -> String {
    let line = |write: &Write| {
        let Write { address, data, register } = write;
        let place = match *address {
            TABLE_WRITE => format!(": way {}, entry {}", data >> 16 & 7, data & 0xFFFF),
            _ => String::new(),
        };
        format!("0x{address:03X} 0x{data:08X}  # {register}{place}\n")
    };
    let head =
        format!("# address data; before the first write, read 0x{TABLE_STATUS:03X} (table_status) until it is 0\n");
    head + &writes.iter().map(line).collect::<String>()
}
