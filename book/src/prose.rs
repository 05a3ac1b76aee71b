//! What makes a sentence hard to read, as far as a program can see it.

use crate::page::Page;

/// Words of a sentence, at most.
pub const LONGEST: usize = 25;

/// Words that make a person of a block, or leave open which block is meant.
const ACTORS: [&str; 18] = [
    "nobody",
    "somebody",
    "everybody",
    "anybody",
    "whoever",
    "owe",
    "owes",
    "owed",
    "knows",
    "learns",
    "remembers",
    "forgets",
    "told",
    "asks",
    "asked",
    "wants",
    "wanted",
    "notices",
];

/// Chains of pronouns whose nouns are clauses away.
const CHAINS: [&str; 9] = [
    "that of those",
    "that of that",
    "those of those",
    "those of which",
    "that of which",
    "of those of",
    "what is what",
    "of that of",
    "one that is and is not",
];

/// A sentence that a reader would have to read twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Line of the block in which it stands.
    pub line: usize,
    /// What is wrong with it.
    pub rule: String,
    /// The sentence.
    pub sentence: String,
}

/// What is hard to read on a page.
pub fn findings(page: &Page) -> Vec<Finding> {
    let mut findings = Vec::new();
    for block in &page.texts {
        for sentence in sentences(&block.text) {
            for rule in rules(&sentence) {
                findings.push(Finding { line: block.line, rule, sentence: sentence.clone() });
            }
        }
    }
    findings
}

/// The sentences of a block of prose.
pub fn sentences(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut sentences = Vec::new();
    let mut sentence = String::new();
    for (at, letter) in letters.iter().enumerate() {
        sentence.push(*letter);
        let is_last = match letters[at + 1..] {
            [] => true,
            // A bracket or quote may close behind the full stop.
            [')' | '"', ..] => false,
            [next, ..] => next.is_whitespace(),
        };
        let ends = matches!(letter, '.' | '?' | '!') || matches!(letter, ')' | '"') && at > 0 && letters[at - 1] == '.';
        if ends && is_last {
            sentences.push(std::mem::take(&mut sentence).trim().to_string());
        }
    }
    sentences.push(sentence.trim().to_string());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// The words of a sentence, in small letters, without marks at their ends.
pub fn words(sentence: &str) -> Vec<String> {
    let is_inner = |c: char| c.is_alphanumeric() || c == '`';
    let word = |word: &str| word.trim_matches(|c| !is_inner(c)).to_lowercase();
    sentence.split_whitespace().map(word).filter(|word| !word.is_empty()).collect()
}

/// What is hard to read in a sentence.
pub fn rules(sentence: &str) -> Vec<String> {
    let words = words(sentence);
    let mut rules = Vec::new();
    if words.len() > LONGEST {
        rules.push(format!("{} words, and {LONGEST} are the most", words.len()));
    }
    rules.extend(
        words
            .iter()
            .filter(|word| ACTORS.contains(&word.as_str()))
            .map(|word| format!("'{word}': hardware is no person")),
    );
    let joined = words.join(" ");
    rules.extend(
        CHAINS.iter().filter(|chain| joined.contains(**chain)).map(|chain| format!("'{chain}': a chain of pronouns")),
    );
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_a_full_stop_is_followed_by_a_space() {
        assert_eq!(sentences("One 1.5. Two (a. b). Three"), ["One 1.5.", "Two (a.", "b).", "Three"]);
        assert_eq!(sentences("It works.) Then?"), ["It works.)", "Then?"]);
    }

    #[test]
    fn long_sentences_and_actors_are_found() {
        let long = vec!["word"; LONGEST + 1].join(" ");
        assert_eq!(rules(&long), ["26 words, and 25 are the most"]);
        assert!(rules(&vec!["word"; LONGEST].join(" ")).is_empty());
        assert_eq!(rules("Nobody is told."), ["'nobody': hardware is no person", "'told': hardware is no person"]);
        assert_eq!(rules("The result is that of those."), ["'that of those': a chain of pronouns"]);
        assert!(rules("A `knows` is code, x - y too.").is_empty());
    }
}
