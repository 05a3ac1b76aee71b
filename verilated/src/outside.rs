//! Files that tools have read, and that are no part of the design.
//!
//! Text can name a file in many ways. So nobody looks at text: Verilator and the compiler write lists of what they have
//! read, and each file there must be the design's or their own.

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use crate::{error::IoContext, BuildError};

/// Folders whose files a tool may read.
pub(crate) struct Inside(Vec<PathBuf>);

impl Inside {
    pub fn new<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> Inside {
        Inside(folders.into_iter().filter_map(|folder| folder.as_ref().canonicalize().ok()).collect())
    }

    /// Those of the files that are elsewhere, as the tool names them; names are relative to `folder`.
    fn others(&self, folder: &Path, files: impl IntoIterator<Item = String>) -> Vec<String> {
        let is_inside = |file: &String| {
            let path = folder.join(file).canonicalize();
            path.is_ok_and(|path| self.0.iter().any(|folder| path.starts_with(folder)))
        };
        let mut others: Vec<String> = files.into_iter().filter(|file| !is_inside(file)).collect();
        others.sort();
        others.dedup();
        others
    }

    /// Checks what Verilator has read for the model `class`, when it was run in `folder`.
    ///
    /// # Errors
    /// It has read other files, or its list can't be read.
    pub fn check_verilator(&self, top: &str, folder: &Path, generated: &Path, class: &str) -> Result<(), BuildError> {
        let path = generated.join(format!("{class}__verFiles.dat"));
        let list = fs::read(&path).io("reading", path)?;
        let files = verilator_files(&String::from_utf8_lossy(&list));
        refuse(top, self.others(folder, files.into_iter().filter(|file| !is_verilator(&folder.join(file)))))
    }

    /// Checks what the compiler has read, by the rule for make that it has written.
    ///
    /// # Errors
    /// It has read other files, or its list can't be read.
    pub fn check_compiler(&self, top: &str, rule: &Path) -> Result<(), BuildError> {
        let text = fs::read(rule).io("reading", rule)?;
        refuse(top, self.others(Path::new(""), make_files(&String::from_utf8_lossy(&text))))
    }
}

fn refuse(top: &str, files: Vec<String>) -> Result<(), BuildError> {
    match files.is_empty() {
        true => Ok(()),
        false => Err(BuildError::Outside { top: top.to_owned(), files }),
    }
}

/// Verilator names its own program among the sources. That is no text.
fn is_verilator(path: &Path) -> bool {
    let is_named = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("verilator_bin"));
    let mut start = [0; 4];
    is_named && File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *b"\x7fELF"
}

/// The sources in `V*__verFiles.dat`: lines such as
/// `S  107 10052048  1795958139  599034822  1795958139  599034822 "a.v"`.
fn verilator_files(list: &str) -> Vec<String> {
    let sources = list.lines().filter(|line| line.starts_with("S "));
    let name =
        |line: &str| line.split_once('"').and_then(|(_, rest)| rest.rsplit_once('"')).map(|(name, _)| name.to_owned());
    sources.map(|line| name(line).unwrap_or_else(|| line.to_owned())).collect()
}

/// The prerequisites of a rule for make.
fn make_files(rule: &str) -> Vec<String> {
    let (mut files, mut name) = (Vec::new(), String::new());
    let rule = rule.replace("\\\n", " ");
    let mut letters = rule.split_once(": ").map_or("", |(_, files)| files).chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.next_if(|&next| next == ' ' || next == '#').is_some_and(|next| {
                name.push(next);
                true
            }) => {}
            '$' if letters.next_if_eq(&'$').is_some() => name.push('$'),
            _ if letter.is_whitespace() => files.extend((!name.is_empty()).then(|| std::mem::take(&mut name))),
            _ => name.push(letter),
        }
    }
    files.extend((!name.is_empty()).then_some(name));
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let list = "# text\nC \"--cc a.v\"\nS  6 1  2  3  4  5 \"/out/x \"y\".vh\"\nS  7 1  2  3  4  5 \"a.v\"\nT  8 1  2  3  4  5 \"g/V.cpp\"\n";
        assert_eq!(verilator_files(list), ["/out/x \"y\".vh", "a.v"]);
        assert_eq!(make_files("a.o: a.cpp \\\n /b\\ c/d.h $$x\\#1\n"), ["a.cpp", "/b c/d.h", "$x#1"]);
        assert!(make_files("a.o:\n").is_empty());
    }

    #[test]
    fn links_and_ways_up_do_not_hide_where_a_file_is() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        fs::create_dir(&own).unwrap();
        for file in ["own/in.v", "out.v"] {
            fs::write(folder.path().join(file), "").unwrap();
        }
        std::os::unix::fs::symlink("../out.v", own.join("link.v")).unwrap();
        let inside = Inside::new([&own]);
        let files = ["in.v", "../own/in.v", "../out.v", "link.v", "missing.v"].map(str::to_owned);
        assert_eq!(inside.others(&own, files), ["../out.v", "link.v", "missing.v"]);
    }
}
