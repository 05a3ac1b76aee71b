//! What Verilator says.

use crate::tools::first_lines;

/// Lines of Verilator's message that an error shows.
const MESSAGE_LINES: usize = 40;

/// What a failed run says, errors first: a few of them among hundreds of warnings are what matters.
pub(crate) fn errors_first(message: &str) -> String {
    let messages = parted(message);
    let is_error = |text: &&String| !text.starts_with("%Warning") && !text.starts_with("%Error: Exiting due to");
    let errors: Vec<&String> = messages.iter().filter(is_error).collect();
    let warnings = messages.iter().filter(|text| text.starts_with("%Warning")).count();
    if errors.is_empty() {
        return first_lines(message, MESSAGE_LINES);
    }
    let mut text = first_lines(&errors.into_iter().map(String::as_str).collect::<Vec<_>>().join("\n"), MESSAGE_LINES);
    if warnings > 0 {
        text.push_str(&format!("\n(and {warnings} warning{})", if warnings == 1 { "" } else { "s" }));
    }
    text
}

/// The single messages, each with the lines that belong to it. What stands before the first is a message, too.
fn parted(message: &str) -> Vec<String> {
    let mut messages: Vec<String> = Vec::new();
    for line in message.trim_end().lines() {
        match messages.last_mut().filter(|_| !line.starts_with('%')) {
            Some(last) => {
                last.push('\n');
                last.push_str(line);
            }
            None => messages.push(line.to_owned()),
        }
    }
    messages
}

/// Where delays stand that are left out.
pub(crate) fn delays(warnings: &str) -> Vec<String> {
    let found = warnings.lines().filter_map(|line| place(line.strip_prefix("%Warning-STMTDLY: ")?));
    found.map(|(at, _)| at).collect()
}

/// `file.v:12:3: rest` as `file.v:12` and the rest.
fn place(text: &str) -> Option<(String, String)> {
    let mut parts = text.trim().splitn(4, ':');
    let (file, line, _column) = (parts.next()?, parts.next()?, parts.next()?);
    Some((format!("{file}:{line}"), parts.next()?.trim().to_owned()))
}

/// The loops in Verilator's warnings: where the signal is declared, its name, and the lines on the way round.
pub(crate) fn loops(warnings: &str) -> Vec<String> {
    let mut loops: Vec<(String, Vec<String>)> = Vec::new();
    for line in warnings.lines() {
        if let Some(rest) = line.strip_prefix("%Warning-UNOPTFLAT: ") {
            let Some((at, text)) = place(rest) else { continue };
            let name = text.split('\'').nth(1).unwrap_or("a signal");
            loops.push((format!("{at}: {name}"), vec![at]));
        } else if let (Some((_, seen)), Some((at, text))) = (loops.last_mut(), place(line)) {
            if text.starts_with("Example path:") && !seen.contains(&at) {
                seen.push(at);
            }
        }
    }
    let way = |seen: &[String]| match seen.get(1..).unwrap_or_default() {
        [] => String::new(),
        others => format!(", by way of {}", others.join(", ")),
    };
    loops.iter().map(|(start, seen)| format!("{start}{}", way(seen))).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn loops_are_read_from_warnings() {
        let warnings = "\
%Warning-UNOPTFLAT: unit.v:29:24: Signal unoptimizable: Circular combinational logic: 'top.count'
   29 |     output wire [15:0] count,
      |                        ^~~~~
                    ... For warning description see https://verilator.org/warn/UNOPTFLAT?v=5.006
                    unit.v:29:24:      Example path: top.count
                    counter.v:28:23:      Example path: ASSIGNW
                    unit.v:29:24:      Example path: top.count
%Warning-WIDTH: unit.v:3:1: Operator ADD expects 4 bits
";
        assert_eq!(super::loops(warnings), ["unit.v:29: top.count, by way of counter.v:28"]);
        assert!(super::loops("").is_empty());
    }

    #[test]
    fn an_error_is_shown_before_the_warnings_around_it() {
        let warning = "%Warning-WIDTH: a.v:3:1: Operator ADD expects 4 bits\n    3 |  a + b\n";
        let error = "%Error: b.v:7:9: syntax error, unexpected assign\n    7 | asign load\n      | ^~~~~\n";
        let all =
            [warning.repeat(90), error.into(), warning.into(), "%Error: Exiting due to 1 error(s)\n".into()].concat();
        assert_eq!(super::errors_first(&all), format!("{error}(and 91 warnings)"));
        let denied = [warning, "%Error: Exiting due to 1 warning(s)\n"].concat();
        assert_eq!(super::errors_first(&denied), denied.trim_end());
        assert_eq!(super::errors_first("Segmentation fault"), "Segmentation fault");
    }

    #[test]
    fn delays_are_read_from_warnings() {
        let warnings = "%Warning-STMTDLY: sram.v:8:14: Ignoring delay on this statement due to --no-timing\n";
        assert_eq!(super::delays(warnings), ["sram.v:8"]);
    }
}
