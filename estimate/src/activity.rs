//! Switching activity from a VCD, for OpenSTA 2.0, which reads none itself.

use crate::error::Error;
use railyard_input::{FileKind, InputSource};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::rc::Rc;
use vcd::{Command, IdCode, ReferenceIndex, Value};

/// Most bits of all signals together; the largest switches have a tenth of it.
const MOST_BITS: u64 = 8 << 20;

/// Most scopes in one another; hardware has a dozen.
const MOST_SCOPES: usize = 1_000;

/// Most bytes of a command: several times the widest vector.
const MOST_COMMAND: u64 = 64 << 20;

/// How often a bit switches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rate {
    /// Transitions in a clock cycle.
    pub per_cycle: f64,
    /// Share of the time that it is 1.
    pub duty: f64,
}

/// The activity of each bit below `top`: names joined by dots, `[bit]` for vectors.
pub(crate) fn read(file: &InputSource, top: &str, clock: &str) -> Result<BTreeMap<String, Rate>, Error> {
    let bad = |reason: String| Error::Activity { path: file.to_string().into(), reason };
    let opened = file.open(FileKind::Activity).map_err(|e| bad(e.to_string()))?;
    let mut opened = BufReader::new(opened);
    let start = opened.fill_buf().map_err(|e| bad(e.to_string()))?;
    if let Some(what) = other_format(start) {
        return Err(bad(format!("is {what}; only VCD is read: `railyard verify --trace run.vcd` writes one")));
    }
    let mut commands = Commands::new(Box::new(opened));
    let mut signals = header(&mut commands, top).map_err(bad)?;
    let (mut now, mut first) = (0u64, None);
    while let Some(command) = commands.next() {
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
    fn new(size: u32, index: Option<ReferenceIndex>) -> Signal {
        let low = match index {
            Some(ReferenceIndex::Range(a, b)) => i64::from(a.min(b)),
            Some(ReferenceIndex::BitSelect(a)) => i64::from(a),
            None => 0,
        };
        let bit = Bit { value: Value::X, since: 0, high: 0, toggles: 0 };
        Signal { names: Vec::new(), low, vector: index.is_some() || size > 1, bits: vec![bit; size as usize] }
    }

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

/// The signals of the first scope `top` and of those below it; an error says what is absurd.
fn header(commands: &mut Commands, top: &str) -> Result<BTreeMap<IdCode, Signal>, String> {
    let mut signals = BTreeMap::new();
    let (mut scopes, mut top_at, mut is_found): (Vec<String>, Option<usize>, bool) = (Vec::new(), None, false);
    let mut bits = 0;
    loop {
        match commands.next() {
            None => return Err("ends before $enddefinitions".into()),
            Some(Err(error)) => return Err(error.to_string()),
            Some(Ok(Command::Enddefinitions)) => break,
            Some(Ok(Command::ScopeDef(_, name))) => {
                if top_at.is_none() && !is_found && name == top {
                    (top_at, is_found) = (Some(scopes.len()), true);
                }
                scopes.push(name);
                if scopes.len() > MOST_SCOPES {
                    return Err(format!("has more than {MOST_SCOPES} scopes in one another"));
                }
            }
            Some(Ok(Command::Upscope)) => {
                scopes.pop();
                top_at = top_at.filter(|&at| at < scopes.len());
            }
            Some(Ok(Command::VarDef(_, size, code, reference, index))) => {
                let Some(at) = top_at else { continue };
                bits += u64::from(size);
                if size == 0 || bits > MOST_BITS {
                    return Err(format!(
                        "{reference} has {size} bits in it; {MOST_BITS} are read, all signals together"
                    ));
                }
                let below = scopes[at + 1..].iter().map(|scope| format!("{scope}."));
                let name = below.chain([reference]).collect();
                signals.entry(code).or_insert_with(|| Signal::new(size, index)).names.push(name);
            }
            Some(Ok(_)) => {}
        }
    }
    match is_found {
        true => Ok(signals),
        false => Err(format!("no scope {top} in it")),
    }
}

/// The commands of a VCD, none of which may be larger than any sensible one: the parser keeps a command, a comment for
/// instance, until it ends.
struct Commands {
    parser: vcd::Parser<BufReader<Metered>>,
    left: Rc<Cell<u64>>,
}

/// A reader that fails after as many bytes as are left.
struct Metered {
    reader: Box<dyn Read>,
    left: Rc<Cell<u64>>,
}

impl Commands {
    fn new(reader: Box<dyn Read>) -> Commands {
        let left = Rc::new(Cell::new(0));
        let metered = Metered { reader, left: Rc::clone(&left) };
        Commands { parser: vcd::Parser::new(BufReader::new(metered)), left }
    }

    fn next(&mut self) -> Option<std::io::Result<Command>> {
        self.left.set(MOST_COMMAND);
        self.parser.next()
    }
}

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.reader.read(buffer)?;
        match self.left.get().checked_sub(read as u64) {
            Some(left) => self.left.set(left),
            None => {
                return Err(std::io::Error::other(format!("has a command of more than {} MiB", MOST_COMMAND >> 20)))
            }
        }
        Ok(read)
    }
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
        let rates = read(&file.path().into(), "sw", "clock").unwrap();
        assert_eq!(rates["state[0]"], Rate { per_cycle: 1.0, duty: 0.5 });
        assert_eq!(rates["state[1]"], Rate { per_cycle: 0.5, duty: 0.25 });
        assert_eq!(rates["a.q"], Rate { per_cycle: 0.5, duty: 0.25 });
        let error = |text: &str, top| {
            std::fs::write(file.path(), text).unwrap();
            read(&file.path().into(), top, "clock").unwrap_err().to_string()
        };
        assert!(error(text, "other").contains("no scope other"));
        assert!(error(&format!("{text}#5\n1!\n"), "sw").contains("time goes back in it, from #20 to #5"));
        std::fs::write(file.path(), [&[0, 0, 0, 0, 0, 0, 0, 1, 0x49][..], &[0; 300]].concat()).unwrap();
        let fst = read(&file.path().into(), "sw", "clock").unwrap_err().to_string();
        assert!(fst.contains("is an FST file") && fst.contains("--trace run.vcd"), "{fst}");
        let wide = text.replace("wire 2 ", "wire 4294967295 ");
        assert!(error(&wide, "sw").contains("state has 4294967295 bits"));
        let vars = "$var wire 1000000 # wide $end\n".repeat(10);
        let many = text.replace("$var wire 1 !", &format!("{vars}$var wire 1 !"));
        assert!(error(&many, "sw").contains("wide has 1000000 bits"));
        let deep = format!("{}{text}", "$scope module a $end\n".repeat(100_000));
        assert!(error(&deep, "sw").contains("more than 1000 scopes"));
        let comment = format!("$comment {}", "x".repeat(MOST_COMMAND as usize + 9_000));
        assert!(error(&comment, "sw").contains("has a command of more than 64 MiB"));
        assert!(error("", "sw").contains("ends before $enddefinitions"));
    }
}
