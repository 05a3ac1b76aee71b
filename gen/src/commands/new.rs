//! `railyard new`.

use crate::cli::NewArgs;
use crate::folder::write_new_file;
use crate::table::two_columns;
use crate::{answer, Error, Outcome};
use railyard_spec::{presets, Config};
use serde_json::json;

/// Writes a preset, to a file or to standard output.
///
/// # Errors
/// No such preset, a bad name, or the file exists.
pub fn run(args: &NewArgs) -> Result<Outcome, Error> {
    let preset = presets::find(&args.preset).ok_or_else(|| Error::NoPreset(args.preset.clone()))?;
    let text = match &args.name {
        None => preset.json.to_string(),
        Some(name) => {
            let text = preset.json.replacen(&format!("\"{}\"", preset.name), &format!("{name:?}"), 1);
            Config::from_json(&text).map_err(|faults| Error::Config { path: "--name".into(), faults })?;
            text
        }
    };
    match &args.output {
        Some(path) => {
            write_new_file(path, &text)?;
            let file = path.display().to_string();
            match args.json {
                true => answer::json(&json!({"file": file, "preset": preset.name}))?,
                false => answer::text(&two_columns(&[("wrote", file)]))?,
            }
        }
        None => answer::text(&text)?,
    }
    Ok(Outcome::Fine)
}
