//! Manifest of Bender.

use super::Package;

/// The manifest.
pub fn text(package: &Package) -> String {
    format!("package:\n  name: {}\n\nsources:\n{}", package.name, package.verilog_lines("  - "))
}
