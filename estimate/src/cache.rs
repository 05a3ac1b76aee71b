//! Results by content.

use crate::error::{at, Error};
use serde::{de::DeserializeOwned, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// What a result depends on.
#[derive(Clone)]
pub(crate) struct Key(Sha256);

impl Key {
    pub fn new() -> Self {
        Self(Sha256::new())
    }

    /// Adds a part; parts are told apart by their lengths.
    pub fn add(&mut self, part: &[u8]) -> &mut Self {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }

    /// The file name of the result.
    pub fn finish(self, kind: &str) -> String {
        let hex: String = self.0.finalize().iter().map(|b| format!("{b:02x}")).collect();
        format!("{kind}-{}.json", &hex[..40])
    }
}

/// A folder of results, or none.
pub(crate) struct Cache(Option<PathBuf>);

impl Cache {
    pub fn new(folder: Option<&Path>) -> Result<Self, Error> {
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder).map_err(at(folder))?;
        }
        Ok(Self(folder.map(PathBuf::from)))
    }

    /// A result; a file that can't be read is as good as none.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let text = std::fs::read(self.0.as_ref()?.join(key)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Keeps a result, written whole or not at all.
    pub fn put<T: Serialize>(&self, key: &str, value: &T) -> Result<(), Error> {
        let Some(folder) = &self.0 else { return Ok(()) };
        let file = tempfile::NamedTempFile::new_in(folder).map_err(|e| at(folder)(e.kind().into()))?;
        let text = serde_json::to_vec(value).unwrap_or_default();
        std::fs::write(file.path(), text).map_err(at(file.path()))?;
        file.persist(folder.join(key)).map_err(|e| at(folder)(e.error))?;
        Ok(())
    }
}
