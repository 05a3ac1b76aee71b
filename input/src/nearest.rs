//! The name that was meant.

use std::cmp::Reverse;
use strsim::damerau_levenshtein;

/// Names longer than this are no slips of the pen.
const LONGEST: usize = 64;

/// Names shorter than this are no beginning of another one.
const BEGINNING: usize = 3;

/// The one of some names that is nearest to a wrong one, if it is near: one slip, and one more for every four
/// characters. Else the first one that begins with it.
pub fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if given.len() > LONGEST {
        return None;
    }
    let given = plain(given);
    let length = given.chars().count();
    // A name of which nothing is left is another one.
    let slips = (1 + length / 4).min(length.saturating_sub(1));
    let rank = |name: &'a str| {
        let plain = plain(name);
        let alike = given.chars().zip(plain.chars()).take_while(|(a, b)| a == b).count();
        // Of two that are as near, the one that begins like it.
        (damerau_levenshtein(&given, &plain), Reverse(alike), name)
    };
    let names: Vec<&str> = names.into_iter().collect();
    let near = names.iter().map(|name| rank(name)).filter(|(distance, ..)| *distance <= slips).min();
    let begun = || names.iter().find(|name| length >= BEGINNING && plain(name).starts_with(&given));
    near.map(|(.., name)| name).or_else(|| begun().copied())
}

/// Words for behind a wrong name: the nearest of the right ones, or nothing.
pub fn did_you_mean<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(given, names).map_or(String::new(), |name| format!(" (did you mean `{name}`?)"))
}

/// A name without what is spelled one way here and another there.
fn plain(name: &str) -> String {
    name.to_lowercase().replace(['-', ' '], "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_another_word_is_not() {
        let names = ["hpc16", "hpc64", "tiny", "table16", "buffer_flits"];
        let cases = [
            ("hcp16", Some("hpc16")),
            ("hpc6", Some("hpc64")),
            ("tinny", Some("tiny")),
            ("Buffer-Flit", Some("buffer_flits")),
            ("mesh", None),
            ("buffer", Some("buffer_flits")),
            ("bu", None),
            ("x", None),
            ("", None),
        ];
        for (given, meant) in cases {
            assert_eq!(nearest(given, names), meant, "{given}");
        }
        assert_eq!(nearest(&"h".repeat(1 << 20), names), None);
        assert_eq!(did_you_mean("tinny", names), " (did you mean `tiny`?)");
        assert_eq!(did_you_mean("mesh", names), "");
    }
}
