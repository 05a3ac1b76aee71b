//! The glossary and the references: words that are used, citations that are defined.

use railyard_book::{pages, root, words, Page, LONGEST};

/// Word, meaning and link of each line of the glossary.
fn glossary() -> Vec<[String; 3]> {
    let page = Page::read(&root().join("docs/src/glossary.md"));
    let cells: Vec<String> = page.texts.iter().skip(2).map(|text| text.text.trim().to_string()).collect();
    let rows = cells.chunks(3).map(|row| [row[0].clone(), row[1].clone(), row[2].clone()]);
    rows.skip(1).collect()
}

#[test]
fn every_word_of_the_glossary_stands_in_the_book() {
    let texts: Vec<String> = pages()
        .iter()
        .filter(|page| page.name() != "glossary.md")
        .map(|page| page.source.replace('\\', "").to_lowercase())
        .collect();
    for [word, _, _] in glossary() {
        assert!(texts.iter().any(|text| text.contains(&word.to_lowercase())), "'{word}' stands on no page");
    }
}

#[test]
fn definitions_are_one_sentence_and_in_order() {
    let glossary = glossary();
    assert!(glossary.len() > 80, "{}", glossary.len());
    for [word, meaning, link] in &glossary {
        assert!(meaning.ends_with('.') && words(meaning).len() <= LONGEST, "{word}: {meaning}");
        assert!(!link.is_empty(), "{word} has no page");
    }
    let words: Vec<String> = glossary.iter().map(|[word, _, _]| word.to_lowercase()).collect();
    assert!(words.windows(2).all(|pair| pair[0] < pair[1]), "in the order of the alphabet, each once: {words:?}");
}

/// A citation is a name and a year in brackets, as in a paper.
#[test]
fn every_citation_is_defined() {
    let references = Page::read(&root().join("docs/src/references.md"));
    for page in pages() {
        for link in page.links.iter().filter(|link| link.target.ends_with("references.md")) {
            let key = format!("[{}]", link.text);
            assert!(!has_key(&key) || references.source.contains(&key), "{}: {key} is not defined", page.name());
        }
        // A key without a link is one that the page does not define.
        for text in page.texts.iter().filter(|_| page.name() != "references.md") {
            assert!(!has_key(&text.text), "{}:{}: a citation without link: {}", page.name(), text.line, text.text);
        }
    }
}

/// Whether a text has `[Name2000]` in it, brackets included.
fn has_key(text: &str) -> bool {
    let inner = |rest: &str| rest.split(']').next().map(String::from);
    text.split('[').skip(1).filter_map(inner).any(|key| {
        let digits = key.chars().rev().take_while(char::is_ascii_digit).count();
        digits == 4 && key.len() > 4 && key.chars().all(char::is_alphanumeric)
    })
}
