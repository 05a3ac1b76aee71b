//! When a process that makes no progress is given up.
//!
//! Processor time counts, so that a busy machine makes no difference. A process that sleeps, or whose first thread has
//! ended, uses none; its time is counted as long as it is seen like that. One that is never seen like that, and still
//! uses no processor time, is given up after some times the limit.

use std::{
    fs,
    time::{Duration, Instant},
};

use rustix::process::Pid;

/// Between two looks at a process.
pub(super) const LOOK: Duration = Duration::from_millis(100);

/// Most time that counts between two looks: whoever suspends the whole job suspends this process, too.
const MOST: Duration = Duration::from_secs(1);

/// Time without progress, as a multiple of the limit, that is too long on any machine.
const PATIENCE: u32 = 20;

pub(super) struct Watchdog {
    pid: Pid,
    limit: Duration,
    /// What was reached at the last progress.
    reached: u64,
    /// Processor time used until then.
    used: Duration,
    /// Time asleep since then.
    asleep: Duration,
    /// Time since then.
    passed: Duration,
    looked: Instant,
}

impl Watchdog {
    pub fn new(pid: Pid, limit: Duration) -> Watchdog {
        let used = status(pid).map_or(Duration::ZERO, |status| status.used);
        Watchdog {
            pid,
            limit,
            reached: 0,
            used,
            asleep: Duration::ZERO,
            passed: Duration::ZERO,
            looked: Instant::now(),
        }
    }

    /// Whether the process has made no progress for too long. `reached` counts its progress, and does not fall; `waits`
    /// says that it can't go on for a reason that is not its own.
    pub fn is_stalled(&mut self, reached: u64, waits: bool) -> bool {
        let now = Instant::now();
        let elapsed = now.duration_since(self.looked);
        if elapsed < LOOK {
            return false;
        }
        self.looked = now;
        let status = status(self.pid);
        if reached > self.reached {
            self.reached = reached;
            self.used = status.map_or(self.used, |status| status.used);
            (self.asleep, self.passed) = (Duration::ZERO, Duration::ZERO);
            return false;
        }
        if !waits {
            self.passed += elapsed.min(MOST);
            // Where nothing can be known of a process, its time counts as if it slept.
            if status.as_ref().is_none_or(|status| status.rests) {
                self.asleep += elapsed.min(MOST);
            }
        }
        let used = status.map_or(Duration::ZERO, |status| status.used.saturating_sub(self.used));
        used >= self.limit || self.asleep >= self.limit || self.passed >= self.limit * PATIENCE
    }
}

struct Status {
    used: Duration,
    /// It is asleep, or its first thread has ended.
    rests: bool,
}

/// Processor time of a process and of those that it has waited for; none of a process that is gone.
pub(crate) fn processor_time(pid: Pid) -> Option<Duration> {
    status(pid).map(|status| status.used)
}

fn status(pid: Pid) -> Option<Status> {
    parse(&fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?)
}

/// Reads a line of `/proc/PID/stat`. The name in brackets may hold anything.
fn parse(line: &str) -> Option<Status> {
    let fields: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().collect();
    // Fields 3, and 14 to 17, as the manual counts them.
    let ticks: u64 = fields.get(11..15)?.iter().map(|field| field.parse::<u64>().unwrap_or(0)).sum();
    let used = Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64);
    Some(Status { used, rests: matches!(fields[0], "S" | "T" | "t" | "Z" | "X") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_line_is_read_whatever_the_name() {
        let second = rustix::param::clock_ticks_per_second();
        let line = format!("17 (a) S (b) T 1 17 17 0 -1 0 0 0 0 0 {second} {second} 0 0 20 0 1 0 99");
        let status = parse(&line).unwrap();
        assert!(status.rests);
        assert_eq!(status.used, Duration::from_secs(2));
        for (state, rests) in [("R", false), ("D", false), ("S", true), ("Z", true), ("X", true)] {
            assert_eq!(parse(&line.replace(") T", &format!(") {state}"))).unwrap().rests, rests, "{state}");
        }
        assert!(parse("").is_none());
    }

    #[test]
    fn what_sleeps_is_given_up_and_what_goes_on_is_not() {
        let mut sleeper = std::process::Command::new("sleep").arg("100").spawn().unwrap();
        let pid = Pid::from_child(&sleeper);
        let limit = Duration::from_millis(300);
        let (mut idle, mut busy, mut held) =
            (Watchdog::new(pid, limit), Watchdog::new(pid, limit), Watchdog::new(pid, limit));
        let mut looks = 0;
        while !idle.is_stalled(0, false) {
            std::thread::sleep(LOOK);
            looks += 1;
            assert!(!busy.is_stalled(looks, false) && !held.is_stalled(0, true));
        }
        assert!(looks >= 3);
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
    }
}
