//! What `timing.tcl` prints, read strictly: a figure that is missing, is no number or can't be, is an error that names
//! it.

use std::collections::BTreeMap;

/// The groups of paths, in the order of the script.
const GROUPS: [&str; 4] = [REGISTER_TO_REGISTER, INPUT_TO_REGISTER, REGISTER_TO_OUTPUT, INPUT_TO_OUTPUT];
pub(crate) const REGISTER_TO_REGISTER: &str = "register_to_register";
pub(crate) const INPUT_TO_REGISTER: &str = "input_to_register";
pub(crate) const REGISTER_TO_OUTPUT: &str = "register_to_output";
pub(crate) const INPUT_TO_OUTPUT: &str = "input_to_output";

/// The last line.
const END: &str = "ry:end";

/// The answer of OpenSTA.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Timed {
    /// The longest path of each group, where there is one.
    pub paths: BTreeMap<String, Path>,
    /// Pins with activity from a file, and all that were looked for.
    pub annotated: Option<(u64, u64)>,
    /// Internal, switching and leakage power in W.
    pub power: Option<[f64; 3]>,
}

/// A path.
#[derive(Debug, PartialEq)]
pub(crate) struct Path {
    /// Slack at its end in ns.
    pub slack: f64,
    pub points: Vec<Point>,
}

/// A pin on a path.
#[derive(Debug, PartialEq)]
pub(crate) struct Point {
    /// Arrival time in ns.
    pub arrival: f64,
    pub cell: String,
    pub is_output: bool,
    pub pin: String,
    /// Names of the nets at the outputs of its cell.
    pub nets: Vec<String>,
}

/// Delay that a path from an input to a register may fall short of nothing by, in ns: set-up times can be negative.
const NEGATIVE_SET_UP: f64 = 1.0;

/// Nothing is as large, in any unit of the script.
const LARGEST: f64 = 1e9;

/// What has been asked for beside the paths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// The period that slacks are for, in ns.
    pub period_ns: f64,
    pub power: bool,
    pub activity: bool,
}

impl Timed {
    /// Reads the output of the script.
    ///
    /// # Errors
    /// What is missing or wrong.
    pub fn read(text: &str, asked: Asked) -> Result<Timed, String> {
        let mut timed = Timed::default();
        let (mut missing, mut group) = (GROUPS.to_vec(), "");
        let mut in_power = false;
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            match fields.as_slice() {
                ["ry:path", name, slack] => {
                    group = name;
                    missing.retain(|missing| missing != name);
                    let path = Path { slack: number(slack, line)?, points: Vec::new() };
                    check_delay(name, asked.period_ns - path.slack, line)?;
                    timed.paths.insert(name.to_string(), path);
                }
                ["ry:none", name] => missing.retain(|missing| missing != name),
                ["ry:point", rest @ ..] => {
                    let path = timed.paths.get_mut(group).ok_or_else(|| format!("a point of no path: {line}"))?;
                    path.points.push(point(rest, line)?);
                }
                ["ry:activity", known, all] => timed.annotated = Some((count(known, line)?, count(all, line)?)),
                ["ry:power"] => in_power = true,
                [total] if in_power && total.starts_with("Total") => timed.power = Some(watts(total)?),
                _ => {}
            }
        }
        let lacks = |what: &str| Err(format!("no {what} in what it printed"));
        if let Some(group) = missing.first() {
            return lacks(&format!("path {group}"));
        }
        if let Some((group, _)) = timed.paths.iter().find(|(_, path)| path.points.len() < 2) {
            return lacks(&format!("points of path {group}"));
        }
        match () {
            () if asked.activity && timed.annotated.is_none() => lacks("number of pins with activity"),
            () if asked.power && timed.power.is_none() => lacks("line Total of report_power"),
            () if !text.lines().any(|line| line == END) => lacks(&format!("line {END}")),
            () => Ok(timed),
        }
    }
}

/// What starts at a register takes time.
fn check_delay(group: &str, delay: f64, line: &str) -> Result<(), String> {
    let is_possible = match group {
        INPUT_TO_REGISTER => delay > -NEGATIVE_SET_UP,
        INPUT_TO_OUTPUT => delay >= 0.0,
        _ => delay > 0.0,
    };
    match is_possible {
        true => Ok(()),
        false => Err(format!("a path can't have a delay of {delay} ns, in the line: {line}")),
    }
}

fn point(fields: &[&str], line: &str) -> Result<Point, String> {
    let [arrival, cell, direction, pin, nets] = fields else { return Err(format!("not a point of a path: {line}")) };
    Ok(Point {
        arrival: number(arrival, line)?,
        cell: cell.to_string(),
        is_output: *direction == "output",
        pin: plain(pin),
        nets: nets.split(' ').map(plain).filter(|net| !net.is_empty()).collect(),
    })
}

/// Internal, switching and leakage power in the line of the total.
fn watts(line: &str) -> Result<[f64; 3], String> {
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    let [internal, switching, leakage, ..] = words[..] else { return Err(format!("not three powers: {line}")) };
    Ok([power(internal, line)?, power(switching, line)?, power(leakage, line)?])
}

fn power(text: &str, line: &str) -> Result<f64, String> {
    match number(text, line)? {
        watts if watts >= 0.0 => Ok(watts),
        _ => Err(format!("{text:?} is no power of 0 or more, in the line: {line}")),
    }
}

fn number(text: &str, line: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.abs() < LARGEST);
    number.ok_or_else(|| format!("{text:?} is no number, in the line: {line}"))
}

fn count(text: &str, line: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text:?} is no number of pins, in the line: {line}"))
}

/// A name without Tcl's braces and Verilog's escapes.
fn plain(name: &str) -> String {
    name.trim_matches(['{', '}']).replace('\\', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "OpenSTA says hello\n\
        ry:path\tregister_to_register\t0.25\n\
        ry:point\t0.1\tDFF_X1\toutput\ta/q_reg/Q\t{a/q[1]} \n\
        ry:point\t0.7\tDFF_X1\tinput\ta/q_reg/D\t{a/q[1]}\n\
        ry:none\tinput_to_register\n\
        ry:none\tregister_to_output\n\
        ry:none\tinput_to_output\n\
        ry:activity\t3\t4\n\
        ry:power\n\
        Total                  1.5e-05    2.0e-06    3.0e-07    1.73e-05 100.0%\n\
        ry:end\n";

    const ALL: Asked = Asked { period_ns: 1.0, power: true, activity: true };

    #[test]
    fn a_whole_answer_is_read() {
        let timed = Timed::read(GOOD, ALL).unwrap();
        let path = &timed.paths[REGISTER_TO_REGISTER];
        assert_eq!((path.slack, path.points[1].arrival, path.points[0].nets[0].as_str()), (0.25, 0.7, "a/q[1]"));
        assert_eq!((timed.annotated, timed.power), (Some((3, 4)), Some([1.5e-5, 2e-6, 3e-7])));
        assert_eq!(timed.paths.len(), 1);
    }

    #[test]
    fn nothing_that_is_asked_for_may_be_missing() {
        let error = |text: &str| Timed::read(text, ALL).unwrap_err();
        assert_eq!(error(""), "no path register_to_register in what it printed");
        // Each line of the answer in turn is left out.
        let needed = GOOD.lines().skip(1).filter(|line| !line.starts_with("ry:point"));
        for line in needed {
            assert!(Timed::read(&GOOD.replace(line, ""), ALL).is_err(), "{line}");
        }
        let points: String =
            GOOD.lines().filter(|line| !line.starts_with("ry:point")).map(|l| l.to_string() + "\n").collect();
        assert!(error(&points).contains("points of path register_to_register"));
        for (from, to, why) in [
            ("\t0.25", "\tINF", "\"INF\" is no number"),
            ("\t0.7", "\tnan", "\"nan\" is no number"),
            ("2.0e-06", "-nan", "\"-nan\" is no number"),
            ("\t4\n", "\t\n", "is no number of pins"),
            ("\t0.25", "\t1e300", "\"1e300\" is no number"),
            ("\t0.25", "\t1", "a path can't have a delay of 0 ns, in the line: ry:path\tregister_to_register\t1"),
            ("1.5e-05 ", "-1.5e-05 ", "\"-1.5e-05\" is no power of 0 or more, in the line: Total"),
        ] {
            assert!(error(&GOOD.replace(from, to)).contains(why), "{why}");
        }
        let neither = Asked { power: false, activity: false, ..ALL };
        let short: String = GOOD
            .lines()
            .filter(|line| !line.contains("ry:a") && !line.contains("Total"))
            .map(|l| l.to_string() + "\n")
            .collect();
        assert!(Timed::read(&short, neither).is_ok());
    }
}
