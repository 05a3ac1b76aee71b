//! Slurm's lists of names: `tux[0-3,12]`, also several with commas between, and several brackets in a name.

use super::lines::Line;
use railyard_input::Fault;

const LEGAL: &str = "tux[0-3,12]";

/// All names of a list, at most so many.
pub(super) fn names(line: Line<'_>, list: &str, most: usize) -> Result<Vec<String>, Fault> {
    let mut all = Vec::new();
    for part in parts(line, list)? {
        all.extend(one(line, part, most - all.len().min(most))?);
        if all.len() > most {
            return Err(line.fault(list, format!("has more than {most} names"), LEGAL));
        }
    }
    Ok(all)
}

/// Between the commas outside of brackets.
fn parts<'a>(line: Line<'_>, list: &'a str) -> Result<Vec<&'a str>, Fault> {
    let (mut parts, mut begin, mut inside) = (Vec::new(), 0, false);
    for (at, c) in list.char_indices() {
        match c {
            '[' if !inside => inside = true,
            ']' if inside => inside = false,
            '[' | ']' => return Err(line.fault(list, "has a bracket without the other one", LEGAL)),
            ',' if !inside => {
                parts.push(&list[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[begin..]);
    match inside {
        true => Err(line.fault(list, "has a bracket without the other one", LEGAL)),
        false => Ok(parts.into_iter().filter(|part| !part.is_empty()).collect()),
    }
}

/// The names of one part: each bracket stands for all its numbers.
fn one(line: Line<'_>, part: &str, most: usize) -> Result<Vec<String>, Fault> {
    let mut names = vec![String::new()];
    let mut rest = part;
    while let Some((before, behind)) = rest.split_once('[') {
        let (inside, behind) = behind.split_once(']').expect("brackets are in pairs");
        let numbers = numbers(line, inside, most)?;
        if names.len() * numbers.len() > most {
            return Err(line.fault(part, format!("has more than {most} names"), LEGAL));
        }
        names = names.iter().flat_map(|name| numbers.iter().map(move |n| format!("{name}{before}{n}"))).collect();
        rest = behind;
    }
    names.iter_mut().for_each(|name| name.push_str(rest));
    Ok(names)
}

/// The numbers of a bracket, with as many digits as the first one of a range has.
fn numbers(line: Line<'_>, inside: &str, most: usize) -> Result<Vec<String>, Fault> {
    let mut all = Vec::new();
    for range in inside.split(',') {
        let (low, high) = range.split_once('-').unwrap_or((range, range));
        let number = |text: &str| text.parse::<u32>().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
        let bounds = number(low).zip(number(high)).filter(|(low, high)| low <= high);
        let (first, last) = bounds.ok_or_else(|| line.fault(range, "is no range of numbers", "0-3"))?;
        if (last - first) as usize >= most.saturating_sub(all.len()) {
            return Err(line.fault(range, format!("has more than {most} numbers"), "0-3"));
        }
        all.extend((first..=last).map(|number| format!("{number:0width$}", width = low.len())));
    }
    Ok(all)
}
