//! Names of the modules of a design: no two designs share one.

/// What the names of a design's modules begin with, but for the top's.
///
/// It is `<name>_`, and `<name>__` where the name has an underscore itself. No block's name has a double underscore, so
/// the design and the block can be told from a module's name: `chip` and `chip_credit` in one chip have no module name
/// in common.
pub fn module_prefix(name: &str) -> String {
    let separator = if name.contains('_') { "__" } else { "_" };
    format!("{name}{separator}")
}
