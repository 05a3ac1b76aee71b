//! The command line is one, and its errors name option, value and rule.

use super::*;

#[test]
fn the_command_line_is_one() {
    command().debug_assert();
}

/// Of every option that takes a number: the error names option, value and rule.
#[test]
fn a_negative_number_is_a_bad_value_not_an_unknown_option() {
    for line in [
        "verify tiny --cycles",
        "verify tiny --seed",
        "verify tiny --load",
        "verify tiny --mixes",
        "verify tiny --trace a.fst --trace-window",
        "simulate tiny --cycles",
        "simulate tiny --seed",
        "bench tiny --seconds",
        "bench tiny --seed",
        "estimate tiny --liberty a.lib --node",
        "explore sweep.json -o out --jobs",
        "explore sweep.json -o out --slurm --tasks",
        "explore sweep.json -o out --slurm --throttle",
        "explore sweep.json -o out --shard",
        "study trace --seed",
        "report tiny --seed",
        "report tiny --cycles",
        "report tiny --curve-cycles",
        "report tiny --runs",
        "network run net.json --cycles",
        "network run net.json --load",
        "network run net.json --length",
        "network run net.json --barriers",
        "network run net.json --lost-credits",
        "network run net.json --corrupt-credits",
        "network run net.json --lost-messages",
        "network run net.json --corrupt-messages",
    ] {
        let option = line.rsplit(' ').next().unwrap();
        let words = ["railyard"].into_iter().chain(line.split(' ')).chain(["-1"]).map(OsString::from);
        let error = parse(words).expect_err(line).render().to_string();
        assert!(error.contains("invalid value '-1' for '") && error.contains(option), "{line}: {error}");
        assert!(error.contains("must be "), "{line}: {error}");
    }
}

/// Of every option that takes a number that could be absurdly large: the error names option, value and limit.
#[test]
fn an_absurd_number_is_refused_with_the_limit() {
    for line in [
        "verify tiny --cycles",
        "verify tiny --mixes",
        "verify tiny --trace a.fst --trace-window",
        "simulate tiny --cycles",
        "bench tiny --seconds",
        "estimate tiny --liberty a.lib --node",
        "explore sweep.json -o out --jobs",
        "explore sweep.json -o out --slurm --tasks",
        "explore sweep.json -o out --slurm --throttle",
        "network run net.json --cycles",
        "network run net.json --length",
        "report tiny --cycles",
        "report tiny --curve-cycles",
        "report tiny --runs",
    ] {
        let words = ["railyard"].into_iter().chain(line.split(' ')).chain(["18446744073709551615"]).map(OsString::from);
        let error = parse(words).expect_err(line).render().to_string();
        assert!(
            error.contains("18446744073709551615") && error.contains("must be a whole number from"),
            "{line}: {error}"
        );
    }
}

#[test]
fn a_long_value_is_shown_by_its_start() {
    let long = "9".repeat(5_000);
    for line in [&["verify", "tiny", "--cycles"][..], &["verify", "tiny", "--traffic"], &[]] {
        let words = ["railyard"].into_iter().chain(line.iter().copied()).chain([long.as_str()]).map(OsString::from);
        assert!(parse(words).unwrap_err().render().to_string().len() < 1_000, "{line:?}");
    }
}

/// A command stands on a line of its own where its meaning does not fit beside it.
#[test]
fn examples_fit_a_terminal_of_80_columns() {
    fn check(command: &clap::Command) {
        let examples = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
        for line in examples.lines().filter(|line| line.starts_with("  ")) {
            let is_bare = line.starts_with("  railyard ") && !line.trim_start().contains("  ");
            let most = if is_bare { 96 } else { 80 };
            assert!(line.chars().count() <= most, "{}: {line}", command.get_name());
        }
        command.get_subcommands().for_each(check);
    }
    check(&command());
}
