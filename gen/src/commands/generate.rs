//! `railyard generate`.

use crate::cli::GenerateArgs;
use crate::folder::{write_folder, FILE_LIST, MANIFEST};
use crate::manifest::{is_as_written, sha256, DesignFile, DesignFiles, Manifest};
use crate::table::two_columns;
use crate::{answer, Error, Outcome};
use railyard_hdl::{Design, ElaborationError};
use railyard_input::{read, read_text, Kind};
use railyard_spec::Config;
use serde_json::json;
use std::io::ErrorKind;
use std::path::Path;

/// Writes the design's folder.
///
/// # Errors
/// A bad description, or the folder can't be written.
pub fn run(args: &GenerateArgs) -> Result<Outcome, Error> {
    let config = args.description.load()?;
    let design = elaborate(&config)?;
    write(&design, &Manifest::new(&config, &design), &args.output, args.force, args.json)
}

/// Writes a design's folder, over an edited one only by `force`, and says what it holds.
///
/// # Errors
/// The folder can't be written.
pub(super) fn write(
    design: &Design,
    manifest: &Manifest,
    output: &Path,
    force: bool,
    as_json: bool,
) -> Result<Outcome, Error> {
    if let (false, Some(file)) = (force, edited(output)) {
        return Err(Error::Edited { path: output.join(file) });
    }
    write_folder(output, &folder_files(design, manifest))?;
    let lines: usize = design.modules.iter().map(|module| module.text.lines().count()).sum();
    let (modules, top) = (design.modules.len(), &manifest.top);
    if as_json {
        answer::json(&json!({"folder": output.display().to_string(), "top": top, "modules": modules, "lines": lines}))?;
    } else {
        let rows = [
            ("top module", top.clone()),
            ("modules", format!("{modules}, {lines} lines of Verilog")),
            ("file list", output.join(FILE_LIST).display().to_string()),
            ("manifest", output.join(MANIFEST).display().to_string()),
        ];
        answer::text(&two_columns(&rows))?;
    }
    Ok(Outcome::Fine)
}

/// A file of a folder written before that is not as it was written, if there is one.
fn edited(folder: &Path) -> Option<String> {
    let manifest = read_text(folder.join(MANIFEST), Kind::Manifest).ok()?;
    let before: DesignFiles = serde_json::from_str(&manifest).ok()?;
    // A file that is gone can't be lost.
    let differs = |file: &str, is_as_before: &dyn Fn(&[u8]) -> bool| match read(folder.join(file), Kind::Verilog) {
        Ok(text) => !is_as_before(&text),
        Err(e) => e.kind() != ErrorKind::NotFound,
    };
    let changed = |file: &DesignFile| differs(&file.file, &|text| sha256(text) == file.sha256);
    if let Some(file) = before.modules.iter().find(|file| changed(file)) {
        return Some(file.file.clone());
    }
    let list = file_list(before.modules.iter().map(|module| module.file.as_str()));
    if differs(FILE_LIST, &|text| text == list.as_bytes()) {
        return Some(FILE_LIST.into());
    }
    (!is_as_written(&manifest)).then(|| MANIFEST.into())
}

/// The text of the file list.
fn file_list<'a>(files: impl Iterator<Item = &'a str>) -> String {
    files.map(|file| format!("{file}\n")).collect()
}

/// All files of a design's folder: the modules, the file list, the manifest.
///
/// # Errors
/// The hardware can't be elaborated.
pub fn files(config: &Config) -> Result<Vec<(String, String)>, Error> {
    let design = elaborate(config)?;
    Ok(folder_files(&design, &Manifest::new(config, &design)))
}

fn folder_files(design: &Design, manifest: &Manifest) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> =
        design.modules.iter().map(|module| (format!("{}.v", module.name), module.text.clone())).collect();
    files.push((FILE_LIST.into(), file_list(manifest.files())));
    files.push((MANIFEST.into(), manifest.to_json()));
    files
}

/// The hardware of a checked configuration.
///
/// # Errors
/// A fault of Railyard: a legal configuration that doesn't elaborate.
pub fn elaborate(config: &Config) -> Result<Design, Error> {
    elaborated(railyard_hdl::elaborate(config))
}

/// A design, or what kept it from being one, all of it.
pub(super) fn elaborated(design: Result<Design, Vec<ElaborationError>>) -> Result<Design, Error> {
    design.map_err(|errors| Error::Elaboration(errors.iter().map(|e| format!("  {e}")).collect::<Vec<_>>().join("\n")))
}
