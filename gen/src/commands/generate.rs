//! `railyard generate`.

use crate::cli::GenerateArgs;
use crate::data_sheet::{self, SheetSubject};
use crate::folder::{write_folder, FILE_LIST, MANIFEST};
use crate::folder_files::FolderFiles;
use crate::manifest::{is_as_written, sha256, DesignFile, DesignFiles, Manifest};
use crate::table::two_columns;
use crate::{answer, Error, Outcome};
use railyard_exports::data_sheet::DataSheet;
use railyard_exports::package::{Package, PackageFile};
use railyard_hdl::{Design, ElaborationError};
use railyard_input::{read, read_text, FileKind};
use railyard_spec::chip::top_pins;
use railyard_spec::registers::registers;
use railyard_spec::{CheckedConfig, Reset, ResetKind};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

/// Writes the design's folder.
///
/// # Errors
/// A bad description, or the folder can't be written.
pub fn run(args: &GenerateArgs) -> Result<Outcome, Error> {
    let config = args.description.load()?;
    let design = whole(&config)?;
    let about = format!("HPC switch of {} ports", config.ports);
    let subject = SheetSubject {
        name: &config.name,
        design: &design,
        pins: &top_pins(&config.shape(), config.chip_shape().as_ref()),
        args: &args.package,
    };
    let files = packed(&subject, &about, &config, || data_sheet::switch(&config, &subject));
    let manifest = Manifest::new(&config, &design, &files);
    write(&design, files, &manifest, &Place { folder: &args.output, force: args.force }, args.json)
}

/// The files of a design's folder, with those of a package if they are asked for.
pub(super) fn packed(
    subject: &SheetSubject,
    about: &str,
    config: &CheckedConfig,
    sheet: impl FnOnce() -> DataSheet,
) -> FolderFiles {
    let &SheetSubject { name, design, pins, args } = subject;
    let mut files = FolderFiles::new(design, args.single);
    if args.package {
        let verilog: Vec<String> = files.verilog.iter().map(|(name, _)| name.clone()).collect();
        // What a reset synchronizer takes has no timing either.
        let is_synchronized = config.chip.as_ref().is_some_and(|chip| chip.reset_synchronizer);
        let kind = if is_synchronized { ResetKind::Asynchronous } else { config.reset.kind };
        let (shape, reset) = (&config.shape(), Reset { kind, ..config.reset });
        let (registers, top, clock_mhz) = (registers(shape), &design.top().name, args.clock);
        let registers = &registers;
        let package = Package { name, about, top, verilog: &verilog, pins, registers, reset, shape, clock_mhz };
        files.more.extend(package.files());
        let sheet = PackageFile { name: format!("{name}.html"), role: "data_sheet", text: sheet().html() };
        files.more.push(sheet);
    }
    files
}

/// Where a design is written.
pub(super) struct Place<'a> {
    /// The folder.
    pub folder: &'a Path,
    /// Also over an edited one.
    pub force: bool,
}

/// Writes a design's folder, and says what it holds.
///
/// # Errors
/// The folder can't be written.
pub(super) fn write(
    design: &Design,
    files: FolderFiles,
    manifest: &Manifest,
    place: &Place,
    as_json: bool,
) -> Result<Outcome, Error> {
    let output = place.folder;
    if let (false, Some(file)) = (place.force, edited(output)) {
        return Err(Error::Edited { path: output.join(file) });
    }
    write_folder(output, &with_manifest(files, manifest))?;
    let lines: usize = design.modules.iter().map(|module| module.text.lines().count()).sum();
    let (modules, top) = (design.modules.len(), &manifest.top);
    if as_json {
        let folder = output.display().to_string();
        let files = &manifest.files;
        answer::json(&json!({"folder": folder, "top": top, "modules": modules, "lines": lines, "files": files}))?;
    } else {
        let mut rows = vec![
            ("top module", top.clone()),
            ("modules", format!("{modules}, {lines} lines of Verilog")),
            ("file list", output.join(FILE_LIST).display().to_string()),
            ("manifest", output.join(MANIFEST).display().to_string()),
        ];
        let package = manifest.files.iter().filter(|entry| entry.file != FILE_LIST).map(|entry| entry.file.as_str());
        let package: Vec<&str> = package.collect();
        if !package.is_empty() {
            rows.push(("package", package.join(" ")));
        }
        answer::text(&two_columns(&rows))?;
    }
    Ok(Outcome::Fine)
}

/// A file of a folder written before that is not as it was written, if there is one.
fn edited(folder: &Path) -> Option<String> {
    let manifest = read_text(folder.join(MANIFEST), FileKind::Manifest).ok()?;
    let before: DesignFiles = serde_json::from_str(&manifest).ok()?;
    // A file that is gone can't be lost.
    let differs = |file: &str, is_as_before: &dyn Fn(&[u8]) -> bool| match read(folder.join(file), FileKind::Verilog) {
        Ok(text) => !is_as_before(&text),
        Err(e) => e.kind() != ErrorKind::NotFound,
    };
    // A file of all modules is listed once for each.
    let listed: BTreeMap<&str, &str> =
        before.modules.iter().chain(&before.files).map(|DesignFile { file, sha256 }| (&**file, &**sha256)).collect();
    if let Some((file, _)) = listed.iter().find(|(file, sum)| differs(file, &|text| sha256(text) == **sum)) {
        return Some(file.to_string());
    }
    (!is_as_written(&manifest)).then(|| MANIFEST.into())
}

/// All files of a design's folder: the modules, the file list, the manifest.
///
/// # Errors
/// The hardware can't be elaborated.
pub fn files(config: &CheckedConfig) -> Result<Vec<(String, String)>, Error> {
    let design = whole(config)?;
    let files = FolderFiles::new(&design, false);
    let manifest = Manifest::new(config, &design, &files);
    Ok(with_manifest(files, &manifest))
}

fn with_manifest(files: FolderFiles, manifest: &Manifest) -> Vec<(String, String)> {
    files.all().chain([(MANIFEST.into(), manifest.to_json())]).collect()
}

/// The hardware that a description asks for: the chip, or the switch if it has none.
///
/// # Errors
/// A fault of Railyard: a legal configuration that doesn't elaborate.
fn whole(config: &CheckedConfig) -> Result<Design, Error> {
    match config.chip_shape() {
        Some(chip) => elaborated(railyard_hdl::chip::elaborate(config, &chip)),
        None => elaborate(config),
    }
}

/// The switch of a checked configuration.
///
/// # Errors
/// A fault of Railyard: a legal configuration that doesn't elaborate.
pub fn elaborate(config: &CheckedConfig) -> Result<Design, Error> {
    elaborated(railyard_hdl::elaborate(config))
}

/// A design, or what kept it from being one, all of it.
pub(super) fn elaborated(design: Result<Design, Vec<ElaborationError>>) -> Result<Design, Error> {
    design.map_err(|errors| Error::Elaboration(errors.iter().map(|e| format!("  {e}")).collect::<Vec<_>>().join("\n")))
}
