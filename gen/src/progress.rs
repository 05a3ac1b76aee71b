//! A progress bar on a terminal; nothing in a pipe.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar over `cycles` clock cycles on standard error.
pub fn cycles_bar(cycles: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(cycles), ProgressDrawTarget::stderr_with_hz(5));
    let style = ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} cycles, {per_sec}, {eta} left");
    bar.set_style(style.expect("the template is a constant"));
    bar
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
