//! `railyard generate`.

use crate::cli::GenerateArgs;
use crate::folder::{write_folder, MANIFEST};
use crate::manifest::{is_as_written, sha256, DesignFile, DesignFiles, Manifest};
use crate::table::two_columns;
use crate::{answer, Error, Outcome};
use railyard_spec::Config;
use serde_json::json;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Name of the file that lists the Verilog files, for `-f` of simulators and synthesis scripts.
pub const FILE_LIST: &str = "files.f";

/// Writes the design's folder.
///
/// # Errors
/// A bad description, or the folder can't be written.
pub fn run(args: &GenerateArgs) -> Result<Outcome, Error> {
    let config = args.description.load()?;
    let files = files(&config)?;
    if let (false, Some(file)) = (args.force, edited(&args.output)) {
        return Err(Error::Edited { path: args.output.join(file) });
    }
    write_folder(&args.output, &files)?;
    let lines: usize =
        files.iter().filter(|(name, _)| name.ends_with(".v")).map(|(_, text)| text.lines().count()).sum();
    let modules = files.iter().filter(|(name, _)| name.ends_with(".v")).count();
    let top = format!("{}_switch", config.name);
    if args.json {
        answer::json(&json!({"folder": args.output, "top": top, "modules": modules, "lines": lines}))?;
    } else {
        let rows = [
            ("top module", top),
            ("modules", format!("{modules}, {lines} lines of Verilog")),
            ("file list", args.output.join(FILE_LIST).display().to_string()),
            ("manifest", args.output.join(MANIFEST).display().to_string()),
        ];
        answer::text(&two_columns(&rows))?;
    }
    Ok(Outcome::Fine)
}

/// A file of a folder written before that is not as it was written, if there is one.
fn edited(folder: &Path) -> Option<String> {
    let manifest = fs::read_to_string(folder.join(MANIFEST)).ok()?;
    let before: DesignFiles = serde_json::from_str(&manifest).ok()?;
    // A file that is gone can't be lost.
    let differs = |file: &str, is_as_before: &dyn Fn(&[u8]) -> bool| match fs::read(folder.join(file)) {
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
    let manifest = Manifest::new(config, &design);
    let mut files: Vec<(String, String)> =
        design.modules.iter().map(|module| (format!("{}.v", module.name), module.text.clone())).collect();
    files.push((FILE_LIST.into(), file_list(manifest.files())));
    files.push((MANIFEST.into(), manifest.to_json()));
    Ok(files)
}

/// The hardware of a checked configuration.
///
/// # Errors
/// A fault of Railyard: a legal configuration that doesn't elaborate.
pub fn elaborate(config: &Config) -> Result<railyard_hdl::Design, Error> {
    railyard_hdl::elaborate(config)
        .map_err(|errors| Error::Elaboration(errors.iter().map(|e| format!("  {e}")).collect::<Vec<_>>().join("\n")))
}
