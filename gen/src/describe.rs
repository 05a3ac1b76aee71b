//! Reads a switch description from a file, from standard input, or from a preset.

use crate::cli::Description;
use crate::error::Error;
use railyard_spec::input::{read_text, text_of, DESCRIPTION_BYTES};
use railyard_spec::{presets, Config};
use std::path::Path;

impl Description {
    /// The checked configuration.
    ///
    /// # Errors
    /// No such file or preset; or all faults of the description.
    pub fn load(&self) -> Result<Config, Error> {
        let text = self.text()?;
        Config::from_json(&text).map_err(|faults| Error::Config { path: self.config.clone(), faults })
    }

    fn text(&self) -> Result<String, Error> {
        let path = Path::new(&self.config);
        if self.config == "-" {
            return text_of(std::io::stdin(), DESCRIPTION_BYTES).map_err(Error::io("(standard input)"));
        }
        if path.exists() && !path.is_dir() {
            return read_text(path, DESCRIPTION_BYTES).map_err(Error::io(path));
        }
        match presets::find(&self.config) {
            Some(preset) => Ok(preset.json.to_string()),
            None if path.is_dir() => {
                Err(Error::Output { path: path.into(), why: "is a folder, not a switch description".into() })
            }
            None => Err(Error::NoConfig(self.config.clone())),
        }
    }
}
