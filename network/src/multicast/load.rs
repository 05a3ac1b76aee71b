//! Load messages: what senders know of the load of the switches.
//!
//! Every `period` cycles each switch reports the load of the period that has ended, and all senders see the reports
//! `lag` cycles later. So between two messages, and for as long as one is under way, they go by loads of the past: that
//! is what HLSE is made for (Cao2016, 5.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// When load messages are sent, and how long they take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LoadMessages {
    /// Cycles from one message to the next.
    #[schemars(range(min = 1))]
    pub period: u64,
    /// Cycles from the end of a period to when senders see it.
    pub lag: u64,
}

impl Default for LoadMessages {
    fn default() -> LoadMessages {
        LoadMessages { period: 256, lag: 64 }
    }
}

/// The reports of all switches, on their way and arrived.
#[derive(Clone, Debug)]
pub struct LoadBoard {
    messages: LoadMessages,
    /// Reports under way: when they are seen, and the loads.
    under_way: VecDeque<(u64, Vec<f64>)>,
    seen: Vec<f64>,
}

impl LoadBoard {
    /// Nothing reported: all loads 0.
    pub fn new(messages: LoadMessages, switches: usize) -> LoadBoard {
        LoadBoard { messages, under_way: VecDeque::new(), seen: vec![0.0; switches] }
    }

    /// Whether a period ends with cycle `now`, so that loads are to be reported.
    pub fn is_due(&self, now: u64) -> bool {
        (now + 1) % self.messages.period == 0
    }

    /// The first cycle from `now` on with whose end a period ends, or reports arrive.
    pub fn next(&self, now: u64) -> u64 {
        let period = self.messages.period;
        let end = now.saturating_add(period - 1 - now % period);
        self.under_way.front().map_or(end, |(due, _)| end.min((*due).max(now)))
    }

    /// The loads of the period that ends with cycle `now`.
    pub fn report(&mut self, now: u64, loads: Vec<f64>) {
        self.under_way.push_back((now + self.messages.lag, loads));
    }

    /// Lets reports arrive that are due in cycle `now`. Whether any did.
    pub fn advance(&mut self, now: u64) -> bool {
        let mut arrived = false;
        while self.under_way.front().is_some_and(|(due, _)| *due <= now) {
            self.seen = self.under_way.pop_front().expect("checked").1;
            arrived = true;
        }
        arrived
    }

    /// The load of each switch as senders see it.
    pub fn seen(&self) -> &[f64] {
        &self.seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_seen_after_the_lag() {
        let mut board = LoadBoard::new(LoadMessages { period: 10, lag: 3 }, 2);
        for now in 0..40 {
            if board.is_due(now) {
                board.report(now, vec![now as f64; 2]);
            }
            let next = board.next(now);
            let arrived = board.advance(now);
            assert_eq!(next == now, arrived || board.is_due(now), "cycle {now}");
            assert_eq!(arrived, now % 10 == 2 && now > 10, "cycle {now}");
        }
        assert_eq!(board.seen(), [29.0, 29.0]);
    }
}
