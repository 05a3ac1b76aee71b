//! Reads a switch description from a file, from standard input, or from a preset.

use crate::cli::DescriptionArgs;
use crate::error::Error;
use crate::text::read_text;
use railyard_input::{FileKind, InputSource};
use railyard_spec::{presets, CheckedConfig, Config};

impl DescriptionArgs {
    /// The checked configuration.
    ///
    /// # Errors
    /// No such file or preset; or all faults of the description.
    pub fn load(&self) -> Result<CheckedConfig, Error> {
        let text = self.text()?;
        Config::from_json(&text).map_err(|faults| Error::Config { path: self.config.to_string(), faults })
    }

    fn text(&self) -> Result<String, Error> {
        if let InputSource::File(path) = &self.config {
            let preset = path.to_str().and_then(presets::find);
            match (preset, path.is_dir()) {
                (Some(preset), is_folder) if is_folder || !path.exists() => return Ok(preset.json.to_string()),
                (None, true) => {
                    return Err(Error::Output {
                        path: path.clone(),
                        why: "is a folder, not a switch description".into(),
                    })
                }
                (None, false) if path.symlink_metadata().is_err() => {
                    return Err(Error::NoConfig(self.config.to_string()))
                }
                _ => {}
            }
        }
        read_text(&self.config, FileKind::Description)
    }
}
