//! A forwarding table as text: a line an entry, `address ports [vc=V] [in_order]`; `#` begins a comment.
//!
//! `ports` is one output port, several candidates with commas between them, or `group=G`; the address is a number, `0x`
//! in front of a hexadecimal one, or the word `default` for the default route.

use railyard_input::{shortened, Fault, Faults, InputSource};
use railyard_spec::{Route, Shape};
use std::collections::BTreeMap;

/// Routes by address, and the default route.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TableFile {
    /// Where each address leads.
    pub routes: BTreeMap<u64, Route>,
    /// Where addresses lead that are not in the table.
    pub default_route: Option<Route>,
}

impl TableFile {
    /// Reads the text of a file for a switch with a forwarding table.
    ///
    /// # Errors
    /// All faults: file and line, value, rule.
    pub fn parse(file: &InputSource, text: &str, shape: &Shape) -> Result<TableFile, Faults> {
        let (mut table, mut faults) = (TableFile::default(), Faults::default());
        for (index, line) in text.lines().enumerate() {
            let words: Vec<&str> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
            if let Err((value, rule, legal)) = table.line(&words, shape) {
                let path = || format!("{file}:{}", index + 1);
                faults.push_with(|| Fault { path: path(), value: shortened(&value), rule, legal });
            }
        }
        match faults.is_empty() {
            true => Ok(table),
            false => Err(faults),
        }
    }

    fn line(&mut self, words: &[&str], shape: &Shape) -> Result<(), Wrong> {
        let [address, ports, options @ ..] = words else {
            let fine = words.is_empty();
            return if fine {
                Ok(())
            } else {
                Err(wrong(words[0], "must be `address ports [vc=V] [in_order]`", "17 3"))
            };
        };
        let mut route = ways(ports, shape)?;
        for option in options {
            match option.strip_prefix("vc=") {
                Some(vc) if shape.next_vc => {
                    route.next_vc = Some(number(vc, "a virtual channel", shape.vcs as u64)? as u8)
                }
                None if *option == "in_order" && shape.candidates > 1 => route.in_order = true,
                _ => {
                    let mut known = Vec::new();
                    known.extend(shape.next_vc.then_some("vc=0"));
                    known.extend((shape.candidates > 1).then_some("in_order"));
                    let legal = if known.is_empty() { "leave it out".into() } else { known.join(", ") };
                    return Err(wrong(option, "is nothing that routes of this switch can say", &legal));
                }
            }
        }
        if *address == "default" {
            return match shape.default_route() {
                false => Err(wrong(address, "needs a switch with `default_route`", "leave it out")),
                true if self.default_route.replace(route).is_some() => {
                    Err(wrong(address, "is there twice", "leave it out"))
                }
                true => Ok(()),
            };
        }
        let bits = shape.address_bits().unwrap_or(0);
        let most = u64::MAX >> (64 - bits);
        let known = parse(address).filter(|number| *number <= most);
        let known =
            known.ok_or_else(|| wrong(address, &format!("must be an address of {bits} bits, or `default`"), "0x10"))?;
        match self.routes.insert(known, route) {
            Some(_) => Err(wrong(address, "is there twice", "leave it out")),
            None => Ok(()),
        }
    }
}

/// Value, rule, legal value.
type Wrong = (String, String, String);

fn wrong(value: &str, rule: &str, legal: &str) -> Wrong {
    (value.into(), rule.into(), legal.into())
}

/// Where a route leads: a group, or ports.
fn ways(text: &str, shape: &Shape) -> Result<Route, Wrong> {
    if let Some(group) = text.strip_prefix("group=") {
        let groups = shape.link_aggregation.as_ref().map_or(0, |built| built.groups);
        if groups == 0 {
            return Err(wrong(text, "needs a switch with link aggregation", "0"));
        }
        let group = number(group, "a group", groups as u64)? as u8;
        return Ok(Route { group: Some(group), ..Route::default() });
    }
    let ports = text.split(',').map(|port| number(port, "an output port", shape.ports as u64).map(|port| port as u8));
    let ports = ports.collect::<Result<Vec<u8>, Wrong>>()?;
    if ports.len() > shape.candidates {
        let rule = format!("must be at most {}, the candidate ports of a route", shape.candidates);
        return Err(wrong(&format!("{} ports", ports.len()), &rule, &ports[0].to_string()));
    }
    let mut route = Route { port: ports[0], more: ports.len() as u8 - 1, ..Route::default() };
    route.candidates[..ports.len() - 1].copy_from_slice(&ports[1..]);
    Ok(route)
}

fn number(text: &str, what: &str, below: u64) -> Result<u64, Wrong> {
    let rule = format!("must be {what}, 0 to {}", below - 1);
    parse(text).filter(|number| *number < below).ok_or_else(|| wrong(text, &rule, "0"))
}

fn parse(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    fn shape(fields: &str) -> Shape {
        let json = format!(r#"{{"name": "t", "routing": {{"kind": "table", "forwarding_table": {{}}{fields}}}}}"#);
        Config::from_json(&json).expect("legal").shape()
    }

    fn read(text: &str, fields: &str) -> Result<TableFile, String> {
        TableFile::parse(&InputSource::File("t.txt".into()), text, &shape(fields)).map_err(|faults| faults.to_string())
    }

    #[test]
    fn lines_are_routes() {
        let fields = r#", "candidates": 3, "next_vc": true, "default_route": true, "link_aggregation": {}"#;
        let table =
            read("# a table\n17 3\n\n0x12 1,2,3 in_order # three\n19 group=2 vc=1\ndefault 4\n", fields).unwrap();
        let routes: Vec<(u64, Route)> = table.routes.into_iter().collect();
        let plain = |port| Route { port, ..Route::default() };
        let three = Route { candidates: [2, 3, 0], more: 2, in_order: true, ..plain(1) };
        let group = Route { group: Some(2), next_vc: Some(1), ..plain(0) };
        assert_eq!(routes, [(17, plain(3)), (18, three), (19, group)]);
        assert_eq!(table.default_route, Some(plain(4)));
    }

    #[test]
    fn what_the_switch_does_not_have_is_refused_by_line() {
        for (text, fault) in [
            ("1", "t.txt:1: 1 must be `address ports [vc=V] [in_order]`; legal: 17 3"),
            ("1 16", "t.txt:1: 16 must be an output port, 0 to 15; legal: 0"),
            ("1 1,2", "t.txt:1: 2 ports must be at most 1, the candidate ports of a route; legal: 1"),
            ("1 1 vc=0", "t.txt:1: vc=0 is nothing that routes of this switch can say; legal: leave it out"),
            ("1 group=0", "t.txt:1: group=0 needs a switch with link aggregation; legal: 0"),
            ("default 1", "t.txt:1: default needs a switch with `default_route`; legal: leave it out"),
            ("0x1000000 1", "t.txt:1: 0x1000000 must be an address of 24 bits, or `default`; legal: 0x10"),
            ("1 1\n# again\n0x1 2", "t.txt:3: 0x1 is there twice; legal: leave it out"),
        ] {
            assert_eq!(read(text, ""), Err(fault.into()));
        }
    }
}
