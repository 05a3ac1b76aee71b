//! What a verification says, for people and for machines.

use super::Difference;
use crate::bench::BarrierCounts;
use crate::limits::Limits;
use railyard_input::shown;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// Result of a verification run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verification {
    /// Cycles compared, the drain phase included.
    pub cycles: u64,
    /// The seed.
    pub seed: u64,
    /// Name of the traffic pattern; `trace` for a file, `limits` or `faults` for directed phases.
    pub traffic: String,
    /// Offered load in flits for each port and cycle.
    pub load: f64,
    /// Output elements that differed in the cycle in which the run stopped; 0 is a pass, if `failure` is none too.
    pub mismatches: u64,
    /// Packets that senders began.
    pub packets_sent: u64,
    /// Packets that came out.
    pub packets_delivered: u64,
    /// Packets dropped for want of a route, or because routes changed under way.
    pub packets_dropped: u64,
    /// Of these, the latter; 0 if the scoreboard did not watch.
    pub packets_dropped_in_change: u64,
    /// Packets swept away by resets.
    pub packets_flushed: u64,
    /// Whether the scoreboard watched: it doesn't with illegal senders.
    pub scoreboard: bool,
    /// Share of lookups that hit the routing cache, if there is one and there were any.
    pub hit_rate: Option<f64>,
    /// Barriers, if there were any.
    pub barriers: Option<BarrierCounts>,
    /// The limits of the switch, and which of them were reached.
    pub limits: Limits,
    /// Compared cycles for each second.
    pub cycles_per_second: f64,
    /// What a reader should know before trusting a pass.
    pub notes: Vec<String>,
    /// What went wrong.
    pub failure: Option<Failure>,
}

impl Verification {
    /// Why drops are no fault, if there were any and the scoreboard looked at each.
    fn why_dropped(&self) -> Option<String> {
        let in_change = self.packets_dropped_in_change;
        let without_route = self.packets_dropped - in_change;
        let text = match (without_route, in_change) {
            (_, 0) => "they had no route".into(),
            (0, _) => "they met a change of routes on their way".into(),
            _ => format!("{without_route} had no route, {in_change} met a change of routes on their way"),
        };
        (self.passed() && self.scoreboard && self.packets_dropped > 0).then_some(text)
    }

    /// Whether all went well.
    pub fn passed(&self) -> bool {
        self.failure.is_none()
    }
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The design's outputs differ from the golden model's.
    Mismatch,
    /// Both agree, but packets or credit aren't as they should be.
    Packets,
    /// Both agree, but a check beside the scoreboard found something: an error flag, or what a check of one's own looks
    /// for.
    Check,
    /// The design stopped itself: an assertion failed.
    Stopped,
    /// The design ended its process, or lost it: it called `exit`, was killed, or used memory that isn't there.
    Ended,
    /// The design does not come to the end of a cycle.
    Stalled,
    /// The design's logic runs in a circle and doesn't settle.
    Unsettled,
    /// The traffic didn't end.
    Undrained,
}

/// What went wrong, and how to see it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Its kind.
    pub kind: FailureKind,
    /// Cycle in which it shows, counted from the start of the run.
    pub cycle: u64,
    /// For a mismatch: all elements that differ in that cycle, first those of `tx_*`.
    pub differences: Vec<Difference>,
    /// For the others: what is wrong.
    pub messages: Vec<String>,
    /// The last things that happened at the port of the first difference.
    pub history: Vec<String>,
    /// The waveform file, if one was asked for.
    pub waveform: Option<PathBuf>,
    /// Cycles in the waveform, first and last. Time in the file is ten times the cycle.
    pub window: Option<(u64, u64)>,
    /// The command that shows it again, quoted for a shell; words where no command can, for a run of a
    /// program of one's own.
    pub reproduce: String,
    /// What to do before that command, if anything.
    pub preparation: Option<String>,
}

impl Verification {
    /// Directed phases send as much as they can; a load says nothing of them.
    fn shown_traffic(&self) -> String {
        match self.traffic.as_str() {
            name @ ("limits" | "faults") => format!("directed phases ({name})"),
            name => format!("{name} traffic at load {}", shown_load(self.load)),
        }
    }
}

/// A load as people write it: one that is next to nothing without its hundred zeros.
fn shown_load(load: f64) -> String {
    match load {
        0.0 | 1e-4.. => load.to_string(),
        _ => format!("{load:e}"),
    }
}

/// Differences shown to people; the rest are counted.
const SHOWN: usize = 8;

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            FailureKind::Mismatch => "design and golden model differ",
            FailureKind::Packets => "packets or credit went wrong",
            FailureKind::Check => "a check failed",
            FailureKind::Stopped => "the design stopped itself",
            FailureKind::Ended => "the design ended its process",
            FailureKind::Stalled => "the design does not come to the end of the cycle",
            FailureKind::Unsettled => "the design has a loop of logic without a register, which does not settle",
            FailureKind::Undrained => "the traffic does not end",
        };
        writeln!(f, "cycle {}: {what}", self.cycle)?;
        for difference in self.differences.iter().take(SHOWN) {
            writeln!(f, "  {difference}")?;
        }
        if self.differences.len() > SHOWN {
            writeln!(f, "  ... and {} more", self.differences.len() - SHOWN)?;
        }
        for message in &self.messages {
            writeln!(f, "  {message}")?;
        }
        if !self.history.is_empty() {
            writeln!(f, "before that:")?;
            for line in &self.history {
                writeln!(f, "  {line}")?;
            }
        }
        if let (Some(path), Some((first, last))) = (&self.waveform, self.window) {
            writeln!(f, "waveform of cycles {first} to {last} (time is 10 x cycle): {}", shown(path))?;
        }
        if let Some(preparation) = &self.preparation {
            writeln!(f, "before the next line, {preparation}")?;
        }
        write!(f, "again: {}", self.reproduce)
    }
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match (self.passed(), self.packets_delivered) {
            (false, _) => "FAILED",
            (true, 0) => "equal, but nothing was delivered",
            (true, _) => "passed",
        };
        writeln!(
            f,
            "{verdict}: {} cycles, {}, seed {}: {:.0} cycles/s",
            self.cycles,
            self.shown_traffic(),
            self.seed,
            self.cycles_per_second
        )?;
        write!(
            f,
            "packets: {} sent, {} delivered, {} dropped",
            self.packets_sent, self.packets_delivered, self.packets_dropped
        )?;
        if self.packets_flushed > 0 {
            write!(f, ", {} lost to resets", self.packets_flushed)?;
        }
        if let Some(rate) = self.hit_rate {
            write!(f, "; routing cache {:.2} % hits", 100.0 * rate)?;
        }
        if let Some(why) = self.why_dropped() {
            write!(f, "\ndropped: {why}")?;
        }
        if let Some(barriers) = &self.barriers {
            write!(f, "\nbarriers: {barriers}")?;
        }
        for note in &self.notes {
            write!(f, "\nnote: {note}")?;
        }
        if let Some(failure) = &self.failure {
            write!(f, "\n{failure}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{shown_load, BarrierCounts, Limits, Verification};

    fn dropped(all: u64, in_change: u64) -> Verification {
        Verification {
            cycles: 1_000,
            seed: 1,
            traffic: "uniform".into(),
            load: 0.5,
            mismatches: 0,
            packets_sent: 100,
            packets_delivered: 100 - all,
            packets_dropped: all,
            packets_dropped_in_change: in_change,
            packets_flushed: 0,
            scoreboard: true,
            hit_rate: None,
            barriers: None,
            limits: Limits::default(),
            cycles_per_second: 1e6,
            notes: Vec::new(),
            failure: None,
        }
    }

    #[test]
    fn a_pass_says_why_packets_were_dropped() {
        let reason =
            |run: Verification| run.to_string().lines().find_map(|l| Some(l.strip_prefix("dropped: ")?.to_string()));
        assert_eq!(reason(dropped(0, 0)), None);
        assert_eq!(reason(dropped(7, 0)).as_deref(), Some("they had no route"));
        assert_eq!(reason(dropped(7, 7)).as_deref(), Some("they met a change of routes on their way"));
        assert_eq!(reason(dropped(7, 3)).as_deref(), Some("4 had no route, 3 met a change of routes on their way"));
        assert_eq!(reason(Verification { scoreboard: false, ..dropped(7, 0) }), None, "nobody looked");
    }

    #[test]
    fn barriers_are_counted() {
        let barriers = Some(BarrierCounts { groups: 32, completions: Some(9) });
        let text = Verification { barriers, ..dropped(0, 0) }.to_string();
        assert!(text.contains("\nbarriers: 32 groups, 9 completions"), "{text}");
    }

    #[test]
    fn loads_are_short() {
        let shown: Vec<String> = [0.0, 1.0, 0.0005, 1e-300].into_iter().map(shown_load).collect();
        assert_eq!(shown, ["0", "1", "0.0005", "1e-300"]);
    }
}
