//! Credit of senders: what they make of the reports of the buffers that they send to.

use railyard_spec::{FlowControl, Shape};
use std::ops::Range;

/// Every so many cycles totals are read afresh where reports can get lost.
pub const REREAD: u64 = 64;

/// Free places of the buffers of some channels, each a port's VC.
#[derive(Clone, Debug)]
pub struct SenderCredits {
    room: Vec<i32>,
    /// The last total of each channel (absolute credits).
    total: Vec<u16>,
    /// Places of each channel's buffer.
    depths: Vec<i32>,
    is_absolute: bool,
    mask: u16,
}

impl SenderCredits {
    /// Channels to all buffers of these ports of a switch, which are empty.
    pub fn new(shape: &Shape, ports: Range<usize>) -> SenderCredits {
        // A VC that is not built has no room.
        let depth = |port, vc| if vc < shape.vcs_at(port) { shape.depth_at(port) as i32 } else { 0 };
        let depths: Vec<i32> = ports.flat_map(|port| (0..shape.vcs).map(move |vc| depth(port, vc))).collect();
        SenderCredits {
            room: depths.clone(),
            total: vec![0; depths.len()],
            depths,
            is_absolute: shape.flow_control == FlowControl::Absolute,
            mask: (1 << shape.credit_bits) - 1,
        }
    }

    /// The switch was reset: all is empty.
    pub fn reset(&mut self) {
        self.room.copy_from_slice(&self.depths);
        self.total.fill(0);
    }

    /// Free places of each channel, those that were taken already off.
    #[inline]
    pub fn room(&self) -> &[i32] {
        &self.room
    }

    /// The first channel whose places are not all free.
    pub fn missing(&self) -> Option<usize> {
        self.room.iter().zip(&self.depths).position(|(room, depth)| room != depth)
    }

    /// Places of each channel's buffer.
    pub fn depths(&self) -> &[i32] {
        &self.depths
    }

    /// So many flits will be sent.
    #[inline]
    pub fn take(&mut self, channel: usize, flits: i32) {
        self.room[channel] -= flits;
    }

    /// A report. Gives whether it is possible: one of flits that were never sent is refused.
    #[inline]
    pub fn report(&mut self, channel: usize, value: u16) -> bool {
        let is_possible = self.room[channel] + self.freed(channel, value) <= self.depths[channel];
        if is_possible {
            self.believe(channel, value);
        }
        is_possible
    }

    /// A report, possible or not: after flits that no sender has counted.
    #[inline]
    pub fn believe(&mut self, channel: usize, value: u16) {
        self.room[channel] += self.freed(channel, value);
        self.total[channel] = value;
    }

    /// Places that a report adds to those known of.
    #[inline]
    fn freed(&self, channel: usize, value: u16) -> i32 {
        let before = if self.is_absolute { self.total[channel] } else { 0 };
        i32::from(value.wrapping_sub(before) & self.mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    fn credits(flow_control: FlowControl) -> SenderCredits {
        let config = Config { buffer_flits: Some(16), flow_control, ..Config::named("credits") };
        SenderCredits::new(&config.check().unwrap().shape(), 0..1)
    }

    #[test]
    fn a_total_of_flits_that_were_never_sent_is_refused() {
        let mut credits = credits(FlowControl::Absolute);
        credits.take(1, 3);
        assert!(credits.report(1, 2));
        assert_eq!(credits.room(), [16, 15]);
        assert!(!credits.report(1, 4) && !credits.report(0, 1));
        assert_eq!(credits.room(), [16, 15]);
        assert!(credits.report(1, 2) && credits.report(1, 3), "a total again, and the next one");
        credits.believe(1, 5);
        assert_eq!(credits.room(), [16, 18]);
    }

    #[test]
    fn relative_reports_add_up_to_what_was_sent() {
        let mut credits = credits(FlowControl::Relative);
        credits.take(0, 2);
        assert!(credits.report(0, 1) && credits.report(0, 1) && !credits.report(0, 1));
        assert_eq!(credits.room(), [16, 16]);
    }
}
