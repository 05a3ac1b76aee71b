//! The comments of declarations in the Verilog, and the meanings of pins: each is a sentence that stands alone.

use railyard_book::{rules, sentences};
use railyard_hdl::elaborate;
use railyard_spec::pins::pins;
use railyard_spec::{presets, CheckedConfig, Config};
use std::collections::BTreeSet;

/// Words that point to another comment.
const POINTERS: [&str; 8] = ["its ", "it ", "this ", "the same ", "these ", "that ", "those ", "so "];

/// What is wrong with a comment.
fn faults(comment: &str) -> Vec<String> {
    let mut faults = vec![];
    let small = comment.to_lowercase();
    faults.extend(POINTERS.iter().filter(|word| small.starts_with(**word)).map(|word| format!("begins with '{word}'")));
    if !comment.starts_with(|c: char| c.is_ascii_uppercase()) {
        faults.push("begins with no capital letter".into());
    }
    if !comment.ends_with('.') {
        faults.push("has no full stop".into());
    }
    faults.extend(sentences(comment).iter().flat_map(|sentence| rules(sentence)));
    faults
}

/// The comments behind declarations, without the shapes of arrays.
fn declared(text: &str) -> impl Iterator<Item = &str> {
    let kinds = ["input ", "output ", "reg ", "wire "];
    let lines = text.lines().filter(move |line| kinds.iter().any(|kind| line.trim_start().starts_with(kind)));
    let is_shape = |text: &str| text.contains(" x ") && (text.ends_with(" bit") || text.ends_with(" bits"));
    let comments = lines.filter_map(|line| line.split_once("// ")).map(move |(_, comment)| {
        match comment.trim_end_matches(')').rsplit_once(" (") {
            Some((comment, shape)) if is_shape(shape) => comment,
            _ => comment,
        }
    });
    comments.filter(move |comment| !is_shape(comment))
}

fn configs() -> Vec<CheckedConfig> {
    presets::PRESETS.iter().map(|preset| Config::from_json(preset.json).expect("presets are valid")).collect()
}

fn assert_sound(comments: BTreeSet<(String, String)>, least: usize) {
    assert!(comments.len() > least, "{} comments", comments.len());
    let wrong = |(place, comment): &(String, String)| {
        let faults = faults(comment);
        (!faults.is_empty()).then(|| format!("{place}: {comment}: {}", faults.join(", ")))
    };
    let wrong: Vec<String> = comments.iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), comments.len(), wrong.join("\n"));
}

#[test]
fn comments_of_declarations_are_sentences() {
    let mut comments = BTreeSet::new();
    for config in configs() {
        let design = elaborate(&config).unwrap_or_else(|errors| panic!("{}: {errors:?}", config.name));
        for module in &design.modules {
            let kind =
                module.name.strip_prefix(&config.name).unwrap_or(&module.name).trim_start_matches('_').to_string();
            let ports = module.ports.iter().map(|port| (format!("{kind}.{}", port.name), port.doc.clone()));
            comments.extend(ports);
            comments.extend(declared(&module.text).map(|comment| (kind.clone(), comment.to_string())));
        }
    }
    assert_sound(comments, 1500);
}

#[test]
fn meanings_of_pins_are_sentences() {
    let of =
        |config: &CheckedConfig| pins(&config.shape()).into_iter().map(|pin| (pin.name.into(), pin.meaning.into()));
    assert_sound(configs().iter().flat_map(of).collect(), 40);
}
