//! Seals: hashes of what is kept and of the name under which it is kept. A seal finds damage (a changed digit, a copy
//! cut short, a file under another's name). It is no signature: whoever changes a result on purpose can seal it again.

use crate::key::hex;
use railyard_input::FileKind;
use serde::{de::DeserializeOwned, Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Name of the file that holds the seal of a folder.
pub(crate) const SEAL: &str = "seal";

/// A kept JSON value is not what was written.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("damaged, or changed by hand: its seal does not fit")]
pub struct BrokenSeal;

/// A sealed value as it is in the file.
#[derive(Deserialize)]
struct Sealed<'a> {
    key: String,
    seal: String,
    #[serde(borrow)]
    result: &'a RawValue,
}

/// A JSON text with `result`, which is JSON too, the name that it is kept under, and the seal of both.
pub fn seal_json(key: &str, result: &impl Serialize) -> String {
    let result = serde_json::to_string_pretty(result).expect("results are plain data").replace('\n', "\n  ");
    let key_text = serde_json::to_string(key).expect("a name is text");
    format!("{{\n  \"key\": {key_text},\n  \"seal\": \"{}\",\n  \"result\": {result}\n}}\n", hash(key, &result))
}

/// The result in a text that [`seal_json`] has made for the same name.
///
/// # Errors
/// The text is not sealed, not for this name, or was changed.
pub fn open_json<T: DeserializeOwned>(key: &str, text: &[u8]) -> Result<T, BrokenSeal> {
    let sealed: Sealed = serde_json::from_slice(text).map_err(|_| BrokenSeal)?;
    if sealed.key != key || sealed.seal != hash(key, sealed.result.get()) {
        return Err(BrokenSeal);
    }
    serde_json::from_str(sealed.result.get()).map_err(|_| BrokenSeal)
}

fn hash(key: &str, result: &str) -> String {
    let mut sum = Sha256::new();
    update(&mut sum, key.as_bytes());
    update(&mut sum, result.as_bytes());
    hex(&sum.finalize())
}

/// The hash of a folder's name and of the names and contents of all its files but the seal.
///
/// # Errors
/// Something in it can't be read, or is no file.
pub(crate) fn of_folder(name: &str, folder: &Path) -> io::Result<String> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder)? {
        files.push(entry?.path());
    }
    files.retain(|path| path.file_name().is_some_and(|name| name != SEAL));
    files.sort();
    let mut sum = Sha256::new();
    update(&mut sum, name.as_bytes());
    for path in files {
        update(&mut sum, path.file_name().unwrap_or_default().as_encoded_bytes());
        update(&mut sum, &of_file(&path)?);
    }
    Ok(hex(&sum.finalize()))
}

/// The hash of a file, which may be larger than the memory.
fn of_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = BufReader::new(railyard_input::open(path, FileKind::Model)?);
    let mut sum = Sha256::new();
    loop {
        let part = file.fill_buf()?;
        let length = part.len();
        if length == 0 {
            return Ok(sum.finalize().to_vec());
        }
        sum.update(part);
        file.consume(length);
    }
}

/// Adds a part and its length.
fn update(sum: &mut Sha256, part: &[u8]) {
    sum.update((part.len() as u64).to_le_bytes());
    sum.update(part);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{json, Value};

    #[test]
    fn every_change_of_a_sealed_text_is_found() {
        let value = json!({"area": 1.25, "names": ["a", "b"], "none": null});
        let text = seal_json("k-1", &value);
        assert_eq!(open_json::<Value>("k-1", text.as_bytes()), Ok(value));
        assert_eq!(open_json::<Value>("k-2", text.as_bytes()), Err(BrokenSeal), "kept under another name");
        assert_eq!(open_json::<Value>("k-1", &text.as_bytes()[..text.len() / 2]), Err(BrokenSeal));
        for (at, _) in text.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
            let mut changed = text.clone().into_bytes();
            changed[at] = if changed[at] == b'9' { b'8' } else { changed[at] + 1 };
            assert_eq!(open_json::<Value>("k-1", &changed), Err(BrokenSeal), "{}", String::from_utf8_lossy(&changed));
        }
    }
}
