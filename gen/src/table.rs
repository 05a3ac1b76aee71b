//! Plain tables for people: two columns, aligned.

/// Rows of name and value, the values in one column.
pub fn two_columns(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.iter().map(|(name, value)| format!("{name:width$}  {value}\n")).collect()
}
