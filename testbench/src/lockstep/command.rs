//! The command line that shows a failure again.

/// A command of these words, ready to be pasted into a shell.
pub(super) fn command<S: AsRef<str>>(words: &[S]) -> String {
    words.iter().map(|word| quoted(word.as_ref())).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_words_that_were_written() {
        let words = ["plain-1.json", "", "two words", "it's", r#"{"a": "$HOME `x` \"#, "~", "*", "a;b", "ä\n"];
        let script = format!("printf '%s\\0' {}", command(&words));
        let output = std::process::Command::new("sh").args(["-c", &script]).output().expect("a shell");
        let read = String::from_utf8(output.stdout).unwrap();
        assert_eq!(read.split_terminator('\0').collect::<Vec<_>>(), words);
        assert_eq!(command(&["verify", "my.json", "--seed", "7"]), "verify my.json --seed 7");
    }
}
