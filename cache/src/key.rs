//! What a result depends on, as a name.

use sha2::{Digest, Sha256};

/// Counts the forms of seals.
const FORM: &str = "2";

/// The hash of a list of named parts. Lengths are hashed too, so parts can't run into each other.
#[derive(Clone)]
pub struct Key(Sha256);

impl Key {
    /// The key of nothing yet but the form in which results are kept: another form is another result.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Key {
        Key(Sha256::new()).part("form", FORM)
    }

    /// The key with one more part.
    #[must_use]
    pub fn part(mut self, name: &str, value: impl AsRef<[u8]>) -> Key {
        for bytes in [name.as_bytes(), value.as_ref()] {
            self.0.update((bytes.len() as u64).to_le_bytes());
            self.0.update(bytes);
        }
        self
    }

    /// Half of the SHA-256 sum in hexadecimal: 128 bits are enough, and paths stay short.
    pub fn finish(self) -> String {
        hex(&self.0.finalize()[..16])
    }
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn parts_do_not_run_into_each_other() {
        let joined = Key::new().part("a", "bc").finish();
        assert_ne!(joined, Key::new().part("ab", "c").finish());
        assert_ne!(joined, Key::new().part("a", "b").part("", "c").finish());
        assert_eq!(joined.len(), 32);
    }
}
