//! Prose of at most 120 columns: pages, and the comments of sources.
//!
//! A line is left as it is if it can't be broken (tables, headings, code blocks, HTML) or if it is one long word.

/// Columns of a line, as in `rustfmt.toml` and `.editorconfig`.
pub const COLUMNS: usize = 120;

/// How a file's prose is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// Nothing: the file is prose.
    Markdown,
    /// `//`, `///` and `//!`.
    Slashes,
    /// `#`.
    Hash,
}

/// A line of prose: what stands before its text.
struct Prose<'a> {
    /// Indentation, the mark of a comment, the mark of a list's entry.
    first: &'a str,
    /// The same of the lines behind it, without the list's mark.
    further: String,
    text: &'a str,
}

/// The text with every line of prose in its columns. Where nothing is too long, nothing changes.
pub fn wrapped(marks: Marks, text: &str) -> String {
    let mut out = String::new();
    // What a broken line leaves for the next one: marks and text.
    let mut rest: Option<(String, String)> = None;
    let mut in_code = false;
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let prose = prose(marks, line);
        let fence = prose.as_ref().is_some_and(|prose| prose.text.starts_with("```"));
        in_code = (in_code != fence) && (prose.is_some() || marks == Marks::Markdown);
        let breaks = prose.filter(|prose| !in_code && !fence && !is_fixed(prose.text));
        let mut joined = None;
        if let Some((further, left)) = rest.take() {
            match &breaks {
                Some(next) if next.first == further && !next.text.is_empty() => {
                    joined = Some((further.clone(), further, format!("{left} {}", next.text)));
                }
                _ => out += &format!("{further}{left}\n"),
            }
        }
        let whole = joined.or_else(|| breaks.map(|prose| (prose.first.into(), prose.further, prose.text.into())));
        let Some((first, further, text)) = whole else {
            out += &format!("{line}{end}");
            continue;
        };
        let mut lines = filled(&first, &further, &text);
        let last = lines.pop().unwrap_or_default();
        match lines.is_empty() {
            true => out += &format!("{first}{last}{end}"),
            false => {
                out += &format!("{first}{}\n", lines[0]);
                lines[1..].iter().for_each(|line| out += &format!("{further}{line}\n"));
                rest = Some((further, last));
            }
        }
    }
    if let Some((further, left)) = rest {
        out += &format!("{further}{left}\n");
    }
    out
}

/// What a line says and how it is marked; `None` if it is no prose.
fn prose(marks: Marks, line: &str) -> Option<Prose<'_>> {
    let inner = line.trim_start();
    let mark = match marks {
        Marks::Markdown => "",
        Marks::Slashes => ["//!", "///", "//"].into_iter().find(|mark| inner.starts_with(mark))?,
        Marks::Hash => Some("#").filter(|mark| inner.starts_with(mark) && !inner.starts_with("#!"))?,
    };
    let body = inner[mark.len()..].trim_start();
    let entry = list_mark(body);
    let (first, text) = line.split_at(line.len() - body.len() + entry);
    let further = format!("{}{}", &first[..first.len() - entry], " ".repeat(entry));
    Some(Prose { first, further, text })
}

/// Bytes of the mark of a list's entry, and the spaces behind it.
fn list_mark(text: &str) -> usize {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let bare = match text[digits..].chars().next() {
        Some('-' | '*' | '+') if digits == 0 => 1,
        Some('.' | ')') if digits > 0 => digits + 1,
        _ => return 0,
    };
    let behind = &text[bare..];
    let spaces = behind.len() - behind.trim_start().len();
    if spaces == 0 {
        0
    } else {
        bare + spaces
    }
}

/// Whether a line is no running text: a table's row, a heading, HTML, the target of a link, a string over several
/// lines.
fn is_fixed(text: &str) -> bool {
    let target = text.split_once("]: ").filter(|(key, _)| key.starts_with('['));
    text.starts_with(['|', '#', '<']) || text.ends_with('\\') || target.is_some_and(|(_, target)| !target.contains(' '))
}

/// Text in lines that fit behind their marks.
fn filled(first: &str, further: &str, text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut marks = first;
    for word in words(text) {
        let line = lines.last_mut().expect("at least one");
        let columns = marks.chars().count() + line.chars().count() + 1 + word.chars().count();
        if line.is_empty() {
            *line = word;
        } else if columns <= COLUMNS {
            *line += &format!(" {word}");
        } else {
            marks = further;
            lines.push(word);
        }
    }
    lines
}

/// Words that a line may end behind; what is between backticks is one, and so is what would begin a list.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    // Backticks that code began with; it ends with as many.
    let mut opened = 0;
    for word in text.split(' ') {
        match words.last_mut() {
            Some(last) if opened > 0 || starts_a_block(word) => *last += &format!(" {word}"),
            _ => words.push(word.into()),
        }
        for run in word.split(|c| c != '`').map(str::len).filter(|run| *run > 0) {
            opened = match opened {
                0 => run,
                opened if opened == run => 0,
                opened => opened,
            };
        }
    }
    words
}

/// Whether a line that begins with the word is no running text.
fn starts_a_block(word: &str) -> bool {
    list_mark(&format!("{word} ")) > 0 || word.starts_with(['#', '>', '|', '=']) || word.starts_with("```")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_flow_into_the_next_ones() {
        let word = "word ".repeat(30);
        let text = format!("/// {}\n/// end.\nfn f() {{}}\n", word.trim());
        let (head, tail) = (["word"; 23].join(" "), ["word"; 7].join(" "));
        assert_eq!(wrapped(Marks::Slashes, &text), format!("/// {head}\n/// {tail} end.\nfn f() {{}}\n"));
    }

    #[test]
    fn entries_of_lists_keep_their_margin_and_fixed_lines_their_length() {
        let long = ["word"; 40].join(" ");
        let (head, tail) = (["word"; 23].join(" "), ["word"; 17].join(" "));
        assert_eq!(wrapped(Marks::Markdown, &format!("- {long}\n- a\n")), format!("- {head}\n  {tail}\n- a\n"));
        for fixed in [format!("| {long} |\n"), format!("# {long}\n"), format!("```\n{long}\n```\n")] {
            assert_eq!(wrapped(Marks::Markdown, &fixed), fixed);
        }
        let code = format!("let a = 1; // {long}\n");
        assert_eq!(wrapped(Marks::Slashes, &code), code);
    }

    #[test]
    fn code_stays_whole() {
        let text = format!("{} `a b` - c\n", ["x"; 58].join(" "));
        assert_eq!(wrapped(Marks::Markdown, &text), format!("{}\n`a b` - c\n", ["x"; 58].join(" ")));
    }
}
