//! Time in which nothing happens anywhere is not stepped through: what follows is as if it were.

use super::Network;
use crate::device::Device;

/// Idle cycles that are worth looking for.
const WORTHWHILE: u64 = 16;

impl<D: Device> Network<D> {
    /// Cycles from now on in which nothing happens in any switch, node or link; 0 if that is not known.
    pub(super) fn idle_cycles(&self) -> u64 {
        let setting = &self.setting;
        let is_quiet = self.scoreboard.under_way() == 0 && self.now > self.scoreboard.last_delivery() + self.settling();
        // These happen without packets: messages, load messages, repeated credit totals, and what an observer sees.
        let has_more = setting.barriers.is_some()
            || !setting.selectors.is_empty()
            || setting.repeats_credits
            || self.is_searching();
        if !is_quiet || has_more || self.observer.is_some() {
            return 0;
        }
        let packet = self.terminals().filter_map(|node| node.next()).min().unwrap_or(u64::MAX);
        let idle = packet.saturating_sub(self.now).min(self.until_figures());
        let is_worthwhile = idle >= WORTHWHILE && self.terminals().all(|node| node.is_idle());
        match is_worthwhile && self.stations.iter().all(|station| station.is_at_rest()) {
            true => idle,
            false => 0,
        }
    }

    /// Goes on by so many idle cycles.
    pub(super) fn skip(&mut self, cycles: u64) {
        self.stations.iter_mut().for_each(|station| station.rest(cycles));
        self.now += cycles;
    }
}
