//! `railyard registers`.

use crate::cli::RegistersArgs;
use crate::pages::registers::{access, address, bits, legal};
use crate::table::paragraph;
use crate::table_file::TableFile;
use crate::{answer, Error, Outcome};
use railyard_spec::forwarding_table::register_writes;
use railyard_spec::registers::address::{DEFAULT_CANDIDATES, DEFAULT_ROUTE, TABLE_STATUS, TABLE_WRITE};
use railyard_spec::registers::{registers, Field, Register};
use railyard_spec::{Fault, Faults, Shape};
use railyard_testbench::traffic::OnChip;
use serde::Serialize;
use serde_json::json;
use std::path::Path;

/// Prints the registers of a switch, or the writes that fill its forwarding table.
///
/// # Errors
/// A bad description or table; a table for a switch that has no place for it.
pub fn run(args: &RegistersArgs) -> Result<Outcome, Error> {
    let shape = args.description.load()?.shape();
    let registers = registers(&shape);
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

/// The register map: a paragraph a register, its fields below it.
fn map(registers: &[Register]) -> String {
    const WIDTH: usize = 100;
    const INDENT: &str = "          ";
    if registers.is_empty() {
        return "This switch has nothing to set, and no registers.\n".into();
    }
    let indented =
        |text: String| paragraph(&text, WIDTH - INDENT.len()).trim_end().replace('\n', &format!("\n{INDENT}  "));
    let field = |field: &Field| {
        let Field { name, reset, meaning, .. } = field;
        indented(format!("[{}] {name}: reset {reset:#x}, {}; {meaning}", bits(field), legal(field)))
    };
    let one = |register: &Register| {
        let head =
            format!("{}  {} ({}): {}", address(register), register.name, access(register.access), register.meaning);
        let fields = register.fields.iter().map(|f| format!("\n{INDENT}{}", field(f)));
        paragraph(&head, WIDTH).trim_end().replace('\n', &format!("\n{INDENT}")) + &fields.collect::<String>() + "\n"
    };
    registers.iter().map(one).collect()
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

/// What fills the forwarding table, in its order: the default route last, so that nothing is cached with it whose entry comes later.
fn writes(file: &Path, shape: &Shape, registers: &[Register]) -> Result<Vec<Write>, Error> {
    let (Some(built), Some(address_bits)) = (shape.forwarding_table(), shape.address_bits()) else {
        return Err(Error::Usage("--table: this switch has no forwarding table".into()));
    };
    let refused = |faults| Error::Table { path: file.into(), faults };
    let text = std::fs::read_to_string(file).map_err(Error::io(file))?;
    let table = TableFile::parse(file, &text, shape).map_err(refused)?;
    let addresses: Vec<u64> = table.routes.keys().copied().collect();
    let chip = OnChip::new(built, address_bits, &addresses);
    let left: Vec<Fault> = addresses
        .iter()
        .filter(|&&address| !chip.holds(address))
        .map(|address| left(file, *address, addresses.len()))
        .collect();
    if !left.is_empty() {
        return Err(refused(Faults(left)));
    }
    let mut list = register_writes(shape, &chip.fill(|address| table.routes.get(&address).copied()));
    if let Some(route) = table.default_route {
        list.extend((shape.candidates > 1).then(|| (DEFAULT_CANDIDATES, route.candidates_word(shape.candidates))));
        list.push((DEFAULT_ROUTE, 1 << 8 | route.word()));
    }
    let name = |at| registers.iter().find(|register| register.address == at).expect("it is one of the switch's").name;
    Ok(list.into_iter().map(|(address, data)| Write { address, data, register: name(address) }).collect())
}

fn left(file: &Path, address: u64, entries: usize) -> Fault {
    Fault {
        path: file.display().to_string(),
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
