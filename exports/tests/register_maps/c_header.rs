//! The C header: a compiler finds the offsets, masks and values after reset of the description in it.

use crate::maps::{all, Named};
use railyard_exports::registers::MapFormat;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

/// A C file whose assertions a compiler checks.
fn assertions(map: &Named) -> String {
    let mut text = format!("#include \"{}.h\"\n", map.name);
    let mut equal = |name: String, value: u32| {
        text += &format!("_Static_assert({name} == {value}u, \"{name}\");\n");
    };
    for register in &map.registers {
        let prefix = format!("{}_{}", map.name, register.name).to_uppercase();
        equal(format!("{prefix}_OFFSET"), register.address);
        if register.count > 1 {
            equal(format!("{prefix}_COUNT"), register.count);
            equal(
                format!("{prefix}_OFFSET + ({prefix}_COUNT - 1) * {prefix}_STRIDE"),
                register.address + 4 * (register.count - 1),
            );
        }
        equal(format!("{prefix}_RESET"), register.fields.iter().map(|field| field.reset << field.low).sum());
        for field in &register.fields {
            let prefix = format!("{prefix}_{}", field.name.to_uppercase());
            equal(format!("{prefix}_MASK"), (0..field.bits).map(|bit| 1 << (field.low + bit)).sum());
            equal(format!("{prefix}_SHIFT"), field.low);
            equal(format!("{prefix}_RESET"), field.reset);
        }
    }
    text
}

#[test]
fn a_compiler_finds_the_description_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("cc");
    command.current_dir(folder.path()).args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]);
    for map in all() {
        map.write(folder.path(), MapFormat::CHeader);
        let file = format!("{}.c", map.name);
        fs::write(folder.path().join(&file), assertions(&map)).unwrap();
        command.arg(file);
    }
    let output = command.output().expect("a C compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn no_two_macros_have_one_name() {
    for map in all() {
        let text = map.text(MapFormat::CHeader);
        let mut seen = BTreeSet::new();
        let names = text.lines().filter_map(|line| line.strip_prefix("#define ")?.split(' ').next());
        names.for_each(|name| assert!(seen.insert(name), "{name} twice"));
    }
}
