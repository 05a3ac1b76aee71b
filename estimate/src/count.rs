//! Yosys' count of cells: `stat -json`.

use serde::Deserialize;
use std::collections::BTreeMap;

/// Cells that are no hardware: Yosys' notes on where flattened modules were.
const NO_HARDWARE: &str = "$scopeinfo";

#[derive(Deserialize)]
struct Stat {
    design: Counts,
}

#[derive(Deserialize)]
struct Counts {
    num_cells: u64,
    num_cells_by_type: BTreeMap<String, u64>,
}

/// How many there are of each kind of cell.
///
/// # Errors
/// It is no count, or its parts are not the whole.
pub(crate) fn read(stat: &str) -> Result<BTreeMap<String, u64>, String> {
    let Stat { design: Counts { num_cells, num_cells_by_type: mut cells } } =
        serde_json::from_str(stat).map_err(|error| format!("stat.json: {error}"))?;
    let sum = cells.values().try_fold(0, |sum: u64, count| sum.checked_add(*count));
    let sum = sum.ok_or_else(|| "stat.json: more cells than can be counted".to_string())?;
    if sum != num_cells {
        return Err(format!("stat.json: {sum} cells by type, {num_cells} in all"));
    }
    cells.remove(NO_HARDWARE);
    Ok(cells)
}

/// Kinds with their numbers, for people: `DFF_X1 (4), INV_X1 (2)`.
pub(crate) fn list<'a>(cells: impl Iterator<Item = (&'a String, &'a u64)>) -> String {
    cells.map(|(name, count)| format!("{name} ({count})")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_whole_must_agree() {
        let stat = |all: u64| {
            format!("{{\"design\": {{\"num_cells\": {all}, \"num_cells_by_type\": {{\"A\": 2, \"$scopeinfo\": 1}}}}}}")
        };
        assert_eq!(read(&stat(3)).unwrap(), BTreeMap::from([("A".to_string(), 2)]));
        assert!(read(&stat(4)).unwrap_err().contains("3 cells by type, 4 in all"));
        assert!(read(&stat(3).replace(": 2", ": 18446744073709551615")).unwrap_err().contains("more cells than can"));
        assert!(read("").unwrap_err().starts_with("stat.json: EOF"));
        assert!(read("{}").unwrap_err().contains("missing field `design`"));
    }
}
