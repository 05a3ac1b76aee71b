//! The Rust module: a compiler finds the offsets, masks and values after reset of the description in it.

use crate::maps::{all, Named};
use railyard_exports::registers::MapFormat;
use std::fs;
use std::process::Command;

/// The Rust name of a register or field.
fn name(name: &str) -> String {
    match name {
        "self" | "crate" => format!("{name}_"),
        _ => format!("r#{name}"),
    }
}

/// Rust source whose assertions a compiler checks.
fn assertions(map: &Named) -> String {
    let mut text = format!("mod {};\n", map.name);
    let mut equal = |path: String, value: u32| text += &format!("const _: () = assert!({path} == {value});\n");
    for register in &map.registers {
        let path = format!("{}::{}", map.name, name(register.name));
        equal(format!("{path}::OFFSET"), register.address);
        if register.count > 1 {
            equal(format!("{path}::COUNT"), register.count);
            equal(format!("{path}::STRIDE"), 4);
        }
        equal(format!("{path}::RESET"), register.fields.iter().map(|field| field.reset << field.low).sum());
        for field in &register.fields {
            let path = format!("{path}::{}", name(field.name));
            equal(format!("{path}::SHIFT"), field.low);
            equal(format!("{path}::MASK"), (0..field.bits).map(|bit| 1 << (field.low + bit)).sum());
            equal(format!("{path}::RESET"), field.reset);
        }
    }
    text
}

#[test]
fn a_compiler_finds_the_description_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut modules = String::from("#![no_std]\n#![deny(warnings)]\n");
    for map in all() {
        map.write(folder.path(), MapFormat::RustModule);
        modules += &assertions(&map);
    }
    fs::write(folder.path().join("lib.rs"), modules).unwrap();
    let compiler = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let mut command = Command::new(compiler);
    command.current_dir(folder.path()).args(["--edition=2021", "--crate-type=lib", "--emit=metadata", "lib.rs"]);
    let output = command.output().expect("the compiler that built this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
