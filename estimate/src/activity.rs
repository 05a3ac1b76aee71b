//! Switching activity from a VCD, for OpenSTA 2.0, which reads none itself.

use crate::error::Error;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use vcd::{Command, IdCode, ScopeItem, Value};

/// The widest signal that is read, in bits; ports of the largest switches have a tenth of it.
const MOST_BITS: u32 = 1 << 20;

/// How often a bit switches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rate {
    /// Transitions in a clock cycle.
    pub per_cycle: f64,
    /// Share of the time that it is 1.
    pub duty: f64,
}

/// The activity of each bit below `top`: names joined by dots, `[bit]` for vectors.
pub(crate) fn read(path: &Path, top: &str, clock: &str) -> Result<BTreeMap<String, Rate>, Error> {
    let bad = |reason: String| Error::Activity { path: path.into(), reason };
    let file = std::fs::File::open(path).map_err(|e| bad(e.to_string()))?;
    let mut file = BufReader::new(file);
    let start = file.fill_buf().map_err(|e| bad(e.to_string()))?;
    if let Some(what) = other_format(start) {
        return Err(bad(format!("is {what}; only VCD is read: `railyard verify --trace run.vcd` writes one")));
    }
    let mut parser = vcd::Parser::new(file);
    let header = parser.parse_header().map_err(|e| bad(e.to_string()))?;
    let scope = find(&header.items, top).ok_or_else(|| bad(format!("no scope {top} in it")))?;
    let mut signals: BTreeMap<IdCode, Signal> = BTreeMap::new();
    collect(scope, "", &mut signals).map_err(bad)?;
    let (mut now, mut first) = (0u64, None);
    for command in parser {
        match command.map_err(|e| bad(e.to_string()))? {
            Command::Timestamp(t) => {
                if t < now {
                    return Err(bad(format!("time goes back in it, from #{now} to #{t}")));
                }
                now = t;
                first.get_or_insert(t);
            }
            Command::ChangeScalar(id, value) => {
                if let Some(signal) = signals.get_mut(&id) {
                    signal.change(0, value, now);
                }
            }
            Command::ChangeVector(id, values) => {
                if let Some(signal) = signals.get_mut(&id) {
                    // Leading zeros may be left out.
                    let short = signal.bits.len().saturating_sub(values.len());
                    for bit in 0..short {
                        signal.change(signal.bits.len() - 1 - bit, Value::V0, now);
                    }
                    let n = values.len();
                    for (i, value) in values.into_iter().enumerate() {
                        signal.change(n - 1 - i, value, now);
                    }
                }
            }
            _ => {}
        }
    }
    let span = (now - first.unwrap_or(0)) as f64;
    let mut clocks = signals.values().filter(|s| s.names.iter().any(|n| n == clock));
    let edges = clocks.next().map_or(0, |s| s.bits[0].toggles);
    if edges < 2 || span <= 0.0 {
        return Err(bad(format!("the clock {clock} of {top} does not run in it")));
    }
    let cycles = edges as f64 / 2.0;
    let mut rates = BTreeMap::new();
    for signal in signals.values_mut() {
        for (bit, state) in signal.bits.iter_mut().enumerate() {
            if state.value == Value::V1 {
                state.high += now - state.since;
            }
            let rate = Rate { per_cycle: state.toggles as f64 / cycles, duty: state.high as f64 / span };
            for name in &signal.names {
                let index = signal.low + bit as i64;
                let name = if signal.vector { format!("{name}[{index}]") } else { name.clone() };
                rates.insert(name, rate);
            }
        }
    }
    Ok(rates)
}

/// The format of a file, by its first bytes, where that is known and none that is read.
fn other_format(start: &[u8]) -> Option<&'static str> {
    // The header block of FST: its kind and its length, which is always the same.
    const FST: [u8; 9] = [0, 0, 0, 0, 0, 0, 0, 1, 0x49];
    match start {
        _ if start.starts_with(&FST) => Some("an FST file (`fst2vcd` makes a VCD of it)"),
        [0x1f, 0x8b, ..] => Some("compressed (`gunzip` it)"),
        _ if start.contains(&0) => Some("no text"),
        _ => None,
    }
}

/// As `timing.tcl` reads it.
pub(crate) fn lines(rates: &BTreeMap<String, Rate>) -> String {
    rates.iter().map(|(name, r)| format!("{name} {:.6} {:.6}\n", r.per_cycle, r.duty)).collect()
}

struct Signal {
    names: Vec<String>,
    low: i64,
    vector: bool,
    bits: Vec<Bit>,
}

#[derive(Clone)]
struct Bit {
    value: Value,
    since: u64,
    high: u64,
    toggles: u64,
}

impl Signal {
    fn change(&mut self, bit: usize, value: Value, now: u64) {
        let Some(state) = self.bits.get_mut(bit) else { return };
        if state.value == value {
            return;
        }
        if state.value == Value::V1 {
            state.high += now - state.since;
        }
        let was_known = matches!(state.value, Value::V0 | Value::V1);
        if was_known && matches!(value, Value::V0 | Value::V1) {
            state.toggles += 1;
        }
        (state.value, state.since) = (value, now);
    }
}

fn find<'a>(items: &'a [ScopeItem], top: &str) -> Option<&'a [ScopeItem]> {
    items.iter().find_map(|item| match item {
        ScopeItem::Scope(scope) if scope.identifier == top => Some(scope.children.as_slice()),
        ScopeItem::Scope(scope) => find(&scope.children, top),
        _ => None,
    })
}

/// The signals of a scope and those below it; an error says which is absurd.
fn collect(items: &[ScopeItem], prefix: &str, signals: &mut BTreeMap<IdCode, Signal>) -> Result<(), String> {
    for item in items {
        match item {
            ScopeItem::Scope(scope) => collect(&scope.children, &format!("{prefix}{}.", scope.identifier), signals)?,
            ScopeItem::Var(var) => {
                if !(1..=MOST_BITS).contains(&var.size) {
                    return Err(format!("{} has {} bits in it; 1 to {MOST_BITS} are read", var.reference, var.size));
                }
                let name = format!("{prefix}{}", var.reference);
                let low = match var.index {
                    Some(vcd::ReferenceIndex::Range(a, b)) => i64::from(a.min(b)),
                    Some(vcd::ReferenceIndex::BitSelect(a)) => i64::from(a),
                    None => 0,
                };
                let bit = Bit { value: Value::X, since: 0, high: 0, toggles: 0 };
                let signal = signals.entry(var.code).or_insert_with(|| Signal {
                    names: Vec::new(),
                    low,
                    vector: var.index.is_some() || var.size > 1,
                    bits: vec![bit; var.size as usize],
                });
                signal.names.push(name);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_bit_and_scope() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = "$timescale 1ns $end\n$scope module TOP $end\n$scope module sw $end\n$var wire 1 ! clock $end\n$var wire 2 \
                    \" state [1:0] $end\n$scope module a $end\n$var wire 1 # q $end\n$upscope $end\n$upscope $end\n$upscope \
                    $end\n$enddefinitions $end\n#0\n0!\nb0 \"\n0#\n#5\n1!\nb1 \"\n#10\n0!\n#15\n1!\nb10 \"\n1#\n#20\n0!\n";
        std::fs::write(file.path(), text).unwrap();
        let rates = read(file.path(), "sw", "clock").unwrap();
        assert_eq!(rates["state[0]"], Rate { per_cycle: 1.0, duty: 0.5 });
        assert_eq!(rates["state[1]"], Rate { per_cycle: 0.5, duty: 0.25 });
        assert_eq!(rates["a.q"], Rate { per_cycle: 0.5, duty: 0.25 });
        let error = |text: &str, top| {
            std::fs::write(file.path(), text).unwrap();
            read(file.path(), top, "clock").unwrap_err().to_string()
        };
        assert!(error(text, "other").contains("no scope other"));
        assert!(error(&format!("{text}#5\n1!\n"), "sw").contains("time goes back in it, from #20 to #5"));
        std::fs::write(file.path(), [&[0, 0, 0, 0, 0, 0, 0, 1, 0x49][..], &[0; 300]].concat()).unwrap();
        let fst = read(file.path(), "sw", "clock").unwrap_err().to_string();
        assert!(fst.contains("is an FST file") && fst.contains("--trace run.vcd"), "{fst}");
        let wide = text.replace("wire 2 ", "wire 4294967295 ");
        assert!(error(&wide, "sw").contains("state has 4294967295 bits"));
    }
}
