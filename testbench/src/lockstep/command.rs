//! The command line that shows a failure again.

use railyard_input::drives_terminal;

/// A command of these words, ready to be pasted into a shell.
pub fn command<S: AsRef<str>>(words: &[S]) -> String {
    words.iter().map(|word| quoted(word.as_ref())).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,+@%".contains(c);
    if word.contains(drives_terminal) {
        return printed(word);
    }
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A word that `printf` makes: what would drive a terminal, or look like another line of the report, is no part of the
/// text. The shell drops line ends from what a command prints last, so they stand behind it.
fn printed(word: &str) -> String {
    let body = word.trim_end_matches('\n');
    let mut text = String::new();
    for c in body.chars() {
        match c {
            '\\' => text.push_str(r"\\"),
            '%' => text.push_str("%%"),
            '-' if text.is_empty() => text.push_str(r"\055"),
            '\'' => text.push_str(r"\047"),
            c if drives_terminal(c) => {
                text.extend(c.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("\\{byte:03o}")));
            }
            c => text.push(c),
        }
    }
    format!("\"$(printf '{text}')\"'{}'", &word[body.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_words_that_were_written() {
        let words = [
            "plain-1.json",
            "",
            "two words",
            "it's",
            r#"{"a": "$HOME `x` \"#,
            "~",
            "*",
            "a;b",
            "ä\n",
            "a\nb\u{1b}[1m\u{202e}%s\\n'x\n\n",
        ];
        let script = format!("printf '%s\\0' {}", command(&words));
        let output = std::process::Command::new("sh").args(["-c", &script]).output().expect("a shell");
        let read = String::from_utf8(output.stdout).unwrap();
        assert_eq!(read.split_terminator('\0').collect::<Vec<_>>(), words);
        assert!(!command(&["a\nFAILED: b"]).contains('\n'));
        assert_eq!(command(&["verify", "my.json", "--seed", "7"]), "verify my.json --seed 7");
    }
}
