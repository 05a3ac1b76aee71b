//! A progress bar on a terminal; nothing in a pipe.

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;

/// A bar over clock cycles on standard error.
pub struct CyclesBar {
    bar: ProgressBar,
    cycles: u64,
}

impl CyclesBar {
    /// A bar over `cycles` clock cycles.
    pub fn new(cycles: u64) -> CyclesBar {
        let bar = ProgressBar::with_draw_target(Some(cycles), ProgressDrawTarget::stderr_with_hz(5));
        let style =
            ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} cycles, {rate} cycles/s, {eta} left");
        let rate = |state: &ProgressState, out: &mut dyn Write| {
            // Nothing can be done where a terminal's line can't be written.
            let _ = write!(out, "{}", HumanCount(state.per_sec() as u64));
        };
        bar.set_style(style.expect("the template is a constant").with_key("rate", rate));
        CyclesBar { bar, cycles }
    }

    /// So many are done. It is never full: after the last cycle there is still something to do (the switch is drained,
    /// a report is made), and nobody knows for how long.
    pub fn at(&self, done: u64) {
        self.bar.set_position(done.min(self.cycles.saturating_sub(1)));
    }

    /// The work is done: nothing of the bar stays.
    pub fn clear(self) {
        self.bar.finish_and_clear();
    }
}

/// A bar over the runs of a sweep.
pub fn runs_bar(runs: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(runs as u64), ProgressDrawTarget::stderr_with_hz(5));
    let style = ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} runs, {elapsed} gone, {eta} left");
    bar.set_style(style.expect("the template is a constant"));
    bar
}

/// A spinner with a message for work of unknown length.
pub fn spinner(message: &'static str) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(message);
    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_is_not_full_before_the_end() {
        let bar = CyclesBar::new(100);
        for (done, shown) in [(0, 0), (50, 50), (100, 99), (1_000, 99)] {
            bar.at(done);
            assert_eq!(bar.bar.position(), shown);
        }
    }
}
