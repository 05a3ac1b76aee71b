//! The commands that the pages show do what the pages show.
//!
//! A block of the language `console` is a terminal: a line that begins with `$ ` is a command, the lines below it are
//! its output. The commands of a page run in their order, in a folder of the page's own that has the repository's
//! `configs`. `...` stands for any text in a line, and alone in a line for any lines. A block with `file=NAME` behind
//! its language is such a file before the first command runs.

use railyard_book::{pages, root, Page};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// A command of a page and what the page shows below it.
struct Step {
    line: usize,
    command: String,
    shown: Vec<String>,
}

#[test]
fn commands_of_the_tutorial() {
    hold("first-switch.md");
}

#[test]
fn commands_of_the_other_pages() {
    let pages = pages().into_iter().filter(|page| page.name() != "first-switch.md" && !steps(page).is_empty());
    pages.for_each(|page| run(&page));
}

#[test]
fn commands_of_the_front_page() {
    run(&Page::read(&root().join("README.md")));
}

fn hold(name: &str) {
    run(&pages().into_iter().find(|page| page.name() == name).expect("the page is in the book"));
}

/// Runs the commands of a page.
fn run(page: &Page) {
    let steps = steps(page);
    assert!(!steps.is_empty(), "{}: no command", page.path.display());
    let folder = tempfile::tempdir().expect("a folder");
    symlink(root().join("configs").canonicalize().expect("the configs"), folder.path().join("configs"))
        .expect("a link");
    for block in &page.code {
        if let Some((_, name)) = block.language.split_once("file=") {
            fs::write(folder.path().join(name), &block.text).expect("a file");
        }
    }
    for step in steps {
        let at = format!("{}:{}: {}", page.path.display(), step.line, step.command);
        let (success, output) = shell(folder.path(), &step.command);
        assert!(success, "{at}: fails; say `; echo exit code $?` if it is to\n{output}");
        let output: Vec<&str> = output.trim_end().lines().map(str::trim_end).collect();
        let shown: Vec<&str> = step.shown.iter().map(|line| line.trim_end()).collect();
        assert!(is_shown(&shown, &output), "{at}\nshows\n{}\nand says\n{}", shown.join("\n"), output.join("\n"));
    }
}

/// The commands of a page.
fn steps(page: &Page) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for block in page.code.iter().filter(|block| block.language == "console") {
        for (at, line) in block.text.lines().enumerate() {
            match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => {
                    steps.push(Step { line: block.line + 1 + at, command: command.into(), shown: Vec::new() })
                }
                // A command whose line ends with a backslash goes on in the next one.
                (None, Some(step)) if step.shown.is_empty() && step.command.ends_with('\\') => {
                    step.command.truncate(step.command.len() - 1);
                    step.command += line.trim_start();
                }
                (None, Some(step)) => step.shown.push(line.into()),
                (None, None) => panic!("{}:{}: output without a command", page.path.display(), block.line),
            }
        }
    }
    steps
}

/// Runs a command line: whether its exit code is 0, and all that it says.
fn shell(folder: &Path, command: &str) -> (bool, String) {
    let binary = Path::new(env!("CARGO_BIN_EXE_railyard")).parent().expect("a folder");
    let inherited = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([binary.to_path_buf()].into_iter().chain(env::split_paths(&inherited)));
    let path: OsString = path.expect("names without colons");
    let script = format!("exec 2>&1\n{command}");
    let output =
        Command::new("sh").arg("-c").arg(script).current_dir(folder).env("PATH", path).output().expect("a shell");
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether the lines are those shown.
fn is_shown(shown: &[&str], lines: &[&str]) -> bool {
    match (shown, lines) {
        ([], []) => true,
        (["...", rest @ ..], _) => (0..=lines.len()).any(|skipped| is_shown(rest, &lines[skipped..])),
        ([first, rest @ ..], [line, others @ ..]) => is_line(first, line) && is_shown(rest, others),
        _ => false,
    }
}

/// Whether a line is the one shown.
fn is_line(shown: &str, line: &str) -> bool {
    let Some((before, after)) = shown.split_once("...") else { return shown == line };
    let Some(rest) = line.strip_prefix(before) else { return false };
    (0..=rest.len()).any(|skipped| rest.is_char_boundary(skipped) && is_line(after, &rest[skipped..]))
}

#[test]
fn dots_stand_for_any_text() {
    assert!(is_line("a ... c", "a b c") && is_line("... c", "a b c") && !is_line("a ... d", "a b c"));
    assert!(is_shown(&["a", "...", "d"], &["a", "b", "c", "d"]) && is_shown(&["...", "d"], &["d"]));
    assert!(!is_shown(&["a", "d"], &["a", "b", "d"]) && !is_shown(&["a"], &[]));
}
