//! `railyard presets`.

use crate::cli::PresetsArgs;
use crate::table::two_columns;
use crate::{answer, Error, Outcome};
use railyard_spec::presets::PRESETS;
use serde_json::{json, Value};

/// Lists the presets.
///
/// # Errors
/// None.
pub fn run(args: &PresetsArgs) -> Result<Outcome, Error> {
    if args.json {
        let list: Vec<Value> = PRESETS.iter().map(|p| json!({"name": p.name, "summary": p.summary})).collect();
        answer::json(&list)?;
    } else {
        let rows: Vec<(&str, String)> = PRESETS.iter().map(|p| (p.name, p.summary.to_string())).collect();
        answer::text(&two_columns(&rows))?;
    }
    Ok(Outcome::Fine)
}
