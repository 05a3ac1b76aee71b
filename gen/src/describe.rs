//! Reads a switch description from a file, from standard input, or from a preset.

use crate::cli::Description;
use crate::error::Error;
use railyard_spec::{presets, Config};
use std::io::Read;
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
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map_err(Error::io("(standard input)"))?;
            return Ok(text);
        }
        if path.exists() && !path.is_dir() {
            return std::fs::read_to_string(path).map_err(Error::io(path));
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
