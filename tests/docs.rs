//! What the pages say of the program is so.

use clap::{Command as Verb, CommandFactory};
use railyard::cli::Cli;
use railyard_book::{pages, rules, sentences, CodeBlock, Page};
use railyard_estimate::sram::Table;
use railyard_input::InputSource;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The limits that the page lists are those that are in force.
#[test]
fn the_page_has_every_limit() {
    let page = fs::read_to_string(root().join("docs/src/command-line.md")).unwrap();
    for kind in railyard_input::FileKind::ALL {
        let row = format!("| {} | {} |", kind.name(), grouped(kind.most_mib()));
        assert!(page.contains(&row), "{row}");
    }
}

/// A number with commas between groups of three digits.
fn grouped(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1_000), number % 1_000),
    }
}

/// Every JSON block of the pages says behind `json,` what it is, and is taken as that.
#[test]
fn json_examples_are_taken_as_they_stand() {
    let mut kinds = BTreeSet::new();
    for page in book() {
        let folder = tempfile::tempdir().unwrap();
        let blocks: Vec<&CodeBlock> = page.code.iter().filter(|block| block.language.starts_with("json")).collect();
        for block in &blocks {
            if let Some(name) = block.language.strip_prefix("json,file=") {
                let is_used = page.code.iter().any(|other| other.line != block.line && other.text.contains(name));
                assert!(
                    is_used,
                    "{}:{}: no network or command of the page names {name}",
                    page.path.display(),
                    block.line
                );
                fs::write(folder.path().join(name), &block.text).unwrap();
            }
        }
        for block in &blocks {
            let place = format!("{}:{}", page.path.display(), block.line);
            let file = folder.path().join("example.json");
            fs::write(&file, &block.text).unwrap();
            serde_json::from_str::<Value>(&block.text).unwrap_or_else(|error| panic!("{place}: {error}"));
            let taken = |args: &[&str]| {
                let (status, text) = railyard(&[args, &[file.to_str().unwrap()]].concat());
                assert_eq!(status, Some(0), "{place}: {text}");
            };
            let kind = block.language.split(',').nth(1).unwrap_or_default().split('=').next().unwrap_or_default();
            match kind {
                "description" => taken(&["check"]),
                "sweep" => taken(&["explore", "--dry-run"]),
                "network" => taken(&["network", "check"]),
                "memories" => {
                    _ = Table::read(&InputSource::from(&*file)).unwrap_or_else(|error| panic!("{place}: {error}"))
                }
                // A file is read with the network or command that names it, an answer is held against the program
                // below.
                "file" | "answer" => {}
                _ => panic!("{place}: say what it is: ```json,description or another kind that {} knows", file!()),
            }
            kinds.insert(kind.to_string());
        }
    }
    for kind in ["answer", "file", "memories", "network", "sweep"] {
        assert!(kinds.contains(kind), "no example of kind {kind} was found");
    }
}

/// The only answer that a page shows in full is that of a description with a fault.
#[test]
fn the_answer_of_the_page_is_what_check_says() {
    let shown: Vec<CodeBlock> =
        book().into_iter().flat_map(|page| page.code).filter(|block| block.language == "json,answer").collect();
    assert_eq!(shown.len(), 1);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my.json");
    fs::write(&file, r#"{"name": "my", "ports": 65}"#).unwrap();
    let (status, text) = railyard(&["check", file.to_str().unwrap(), "--json"]);
    let expected: Value = serde_json::from_str(&shown[0].text).unwrap();
    let answer: Value = serde_json::from_str(&text.replace(file.to_str().unwrap(), "my.json")).unwrap();
    assert_eq!((status, answer), (Some(2), expected));
}

/// The help is held to the rules of the pages.
#[test]
fn help_is_in_short_sentences() {
    let mut faults = Vec::new();
    let mut verbs = vec![Cli::command()];
    while let Some(verb) = verbs.pop() {
        verbs.extend(verb.get_subcommands().cloned());
        for text in help_texts(&verb) {
            let found = sentences(&text)
                .into_iter()
                .flat_map(|one| rules(&one).into_iter().map(move |rule| (rule, one.clone())));
            faults.extend(found.map(|(rule, sentence)| format!("{}: {rule}: {sentence}", verb.get_name())));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What a verb and its options say of themselves; a piece of code is one word.
fn help_texts(verb: &Verb) -> Vec<String> {
    let options = verb.get_arguments().flat_map(|option| [option.get_help(), option.get_long_help()]);
    let texts = options.chain([verb.get_about(), verb.get_long_about()]).flatten().map(ToString::to_string);
    let code_as_word = |text: String| {
        let pieces = text.split('`').enumerate().map(|(at, piece)| match at % 2 {
            0 => piece.to_string(),
            _ => format!("`{}`", piece.replace([' ', '.'], "_")),
        });
        pieces.collect()
    };
    texts.map(code_as_word).collect()
}

/// The pages of the book, and those beside it.
fn book() -> Vec<Page> {
    let others = ["README.md", "scripts/flow/README.md"].map(|name| Page::read(&root().join(name)));
    pages().into_iter().chain(others).collect()
}

/// Runs the program: its exit status, and all that it says.
fn railyard(args: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_railyard")).args(args).output().expect("the binary runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}
