//! What a design's folder holds beside its manifest.

use crate::folder::FILE_LIST;
use railyard_exports::package::PackageFile;
use railyard_hdl::Design;

/// Head of a file of all modules: only one of them can have the file's name.
const SINGLE: &str = "// All modules of the design.\n// verilator lint_off DECLFILENAME\n";

/// The files of a design's folder.
pub struct FolderFiles {
    /// Verilog, name and text, in the order of the file list.
    pub verilog: Vec<(String, String)>,
    /// All others but the manifest.
    pub more: Vec<PackageFile>,
}

impl FolderFiles {
    /// Each module in a file of its own, or all in a `single` one; and the file list.
    pub fn new(design: &Design, single: bool) -> FolderFiles {
        let verilog: Vec<(String, String)> = match single {
            true => {
                let texts: Vec<&str> = design.modules.iter().map(|module| module.text.as_str()).collect();
                vec![(format!("{}.v", design.top().name), format!("{SINGLE}\n{}", texts.join("\n")))]
            }
            false => design.modules.iter().map(|module| (format!("{}.v", module.name), module.text.clone())).collect(),
        };
        let list = verilog.iter().map(|(name, _)| format!("{name}\n")).collect();
        FolderFiles { verilog, more: vec![PackageFile { name: FILE_LIST.into(), role: "file_list", text: list }] }
    }

    /// Which Verilog file has the module of that number.
    pub fn file_of(&self, module: usize) -> usize {
        module.min(self.verilog.len() - 1)
    }

    /// Names and texts of all files.
    pub fn all(self) -> impl Iterator<Item = (String, String)> {
        self.verilog.into_iter().chain(self.more.into_iter().map(|file| (file.name, file.text)))
    }
}
