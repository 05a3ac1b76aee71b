//! Packets as text: a line each, `cycle source destination flits [vc]`; `#` begins a comment.

use railyard_input::{Fault, Faults, InputSource};

/// Characters of a line that a fault shows.
const SHOWN: usize = 40;

/// What the numbers of a line may be.
pub(super) struct Limits<'a> {
    /// Sources, and destinations.
    pub ends: u64,
    /// What a source and a destination are called, with an article.
    pub names: [&'static str; 2],
    /// Flits of the shortest and of the longest packet.
    pub flits: (u64, u64),
    /// Virtual channels that a line of a source and a destination can name, as a mask.
    pub vcs: &'a dyn Fn(u64, u64) -> u64,
}

/// A packet.
pub(super) struct Line {
    pub cycle: u64,
    pub source: u64,
    pub destination: u64,
    pub flits: u64,
    pub vc: Option<u64>,
}

/// Takes the packets of a text. The cycles of a source must not decrease.
///
/// # Errors
/// All faults: file and line, value, rule.
pub(super) fn read_lines(
    file: &InputSource,
    text: &str,
    limits: &Limits<'_>,
    mut take: impl FnMut(Line),
) -> Result<(), Faults> {
    if text.starts_with('\u{feff}') {
        let (path, value) = (format!("{file}:1"), "a byte order mark".into());
        let (rule, legal) = ("must not stand before the text".into(), "save the file as UTF-8 without BOM".into());
        return Err(Fault { path, value, rule, legal }.into());
    }
    let mut faults = Faults::default();
    let mut last = vec![0; limits.ends as usize];
    for (index, line) in text.lines().enumerate() {
        let mut checks = Checks { file, line: index + 1, limits, faults: &mut faults };
        if let Some(packet) = checks.line(line).filter(|packet| checks.is_in_order(packet, &last)) {
            last[packet.source as usize] = packet.cycle;
            take(packet);
        }
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(faults),
    }
}

/// Checks one line.
struct Checks<'a> {
    file: &'a InputSource,
    line: usize,
    limits: &'a Limits<'a>,
    faults: &'a mut Faults,
}

impl Checks<'_> {
    /// The packet of a line; none of an empty one or one at fault.
    fn line(&mut self, line: &str) -> Option<Line> {
        let packet = line.split('#').next().unwrap_or_default().trim();
        let words: Vec<&str> = packet.split_whitespace().collect();
        if words.is_empty() {
            return None;
        }
        let Limits { ends, names, flits: (shortest, longest), .. } = *self.limits;
        if !(4..=5).contains(&words.len()) {
            let legal = format!("0 0 {} {longest}", ends - 1);
            let rule = "must be `cycle source destination flits [vc]`".into();
            self.fault(format!("`{}`", start(packet)), rule, legal);
            return None;
        }
        let cycle = self.number(words[0], "a cycle", 0, u64::MAX);
        let source = self.number(words[1], names[0], 0, ends - 1);
        let destination = self.number(words[2], names[1], 0, ends - 1);
        let flits = self.number(words[3], "a length in flits", shortest, longest);
        let (source, destination) = (source?, destination?);
        let vc = match words.get(4) {
            Some(word) => Some(self.vc(word, source, destination)?),
            None => None,
        };
        Some(Line { cycle: cycle?, source, destination, flits: flits?, vc })
    }

    /// A virtual channel on which the source sends to the destination.
    fn vc(&mut self, word: &str, source: u64, destination: u64) -> Option<u64> {
        let allowed = (self.limits.vcs)(source, destination);
        let number = word.parse().ok().filter(|vc| (0..64).contains(vc) && allowed >> vc & 1 == 1);
        if number.is_none() {
            let all: Vec<String> = (0..64).filter(|vc| allowed >> vc & 1 == 1).map(|vc| vc.to_string()).collect();
            let rule = format!("must be a virtual channel, {}", all.join(" or "));
            self.fault(start(word), rule, all.first().cloned().unwrap_or("none".into()));
        }
        number
    }

    /// Whether a packet does not come before the one above it of the same source; `last` has the cycles of these.
    fn is_in_order(&mut self, packet: &Line, last: &[u64]) -> bool {
        let (source, before) = (packet.source, last[packet.source as usize]);
        if before > packet.cycle {
            let rule = format!("must not be before cycle {before}, when source {source} has the packet above");
            self.fault(packet.cycle.to_string(), rule, before.to_string());
        }
        before <= packet.cycle
    }

    fn number(&mut self, word: &str, what: &str, low: u64, high: u64) -> Option<u64> {
        let number = word.parse().ok().filter(|number| (low..=high).contains(number));
        if number.is_none() {
            let range = if high == u64::MAX { "a whole number".into() } else { format!("{low} to {high}") };
            self.fault(start(word), format!("must be {what}, {range}"), low.to_string());
        }
        number
    }

    fn fault(&mut self, value: String, rule: String, legal: String) {
        let at = || format!("{}:{}", self.file, self.line);
        self.faults.push_with(|| Fault { path: at(), value, rule, legal });
    }
}

/// The first characters of a text.
fn start(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into(),
    }
}
