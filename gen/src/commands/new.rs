//! `railyard new`.

use crate::cli::NewArgs;
use crate::folder::write_new_file;
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
            if args.json {
                answer::json(&json!({"file": path.display().to_string(), "preset": preset.name}))?;
            }
        }
        None => answer::text(&text)?,
    }
    Ok(Outcome::Fine)
}
