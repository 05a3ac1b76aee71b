//! Counters of several lanes, and which of them have seen the most events.

use crate::bank::{lane_counters, LaneCounters};
use crate::ranking::{ranking, Ranking};
use railyard_hdl::rtl::prelude::*;

/// Counts events per lane and finds the busiest lanes.
#[block(lanes: usize, width: usize, keeps_largest: bool)]
pub struct Statistics {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// An event of the lane happens in the current cycle.
    pub pulse: Vec<Flag<In>, lanes>,
    /// Read the totals in the current cycle.
    pub read: Flag<In>,
    /// The lane's total is the largest of the last reading.
    pub busiest: Vec<Flag<Out>, lanes>,
    /// Largest total of the last reading.
    pub largest: Option<Sig<Out, width>, keeps_largest>,

    bank: LaneCounters<lanes, width>,
    ranking: Ranking<lanes, width, keeps_largest>,

    lanes: Param,
    width: Param,
}

#[kernel]
impl Statistics {
    fn update(&mut self) {
        self.bank.totals.join(&mut self.ranking.totals);
        self.ranking.read.next = self.read.val();
        for i in 0..self.lanes {
            self.bank.pulse[i].next = self.pulse[i].val();
            self.busiest[i].next = self.ranking.busiest[i].val();
        }
        if let (Some(largest), Some(ranked)) = (&mut self.largest, &self.ranking.largest) {
            largest.next = ranked.largest.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_the_busiest_lane() {
        let mut bench = Bench::new(statistics(3, 4, true), |block| &mut block.clock);
        bench.reset.next = true;
        bench.cycle();
        bench.reset.next = false;
        bench.pulse[1].next = true;
        for _ in 0..3 {
            bench.cycle();
        }
        let busiest: Vec<bool> = bench.busiest.iter().map(|lane| lane.val()).collect();
        assert_eq!(busiest, [false, true, false]);
        bench.read.next = true;
        bench.cycle();
        assert_eq!(bench.largest.as_ref().expect("it is built").val(), 3);
    }

    #[test]
    fn what_is_not_built_is_not_in_the_verilog() {
        let text = |keeps_largest| emit(&statistics(3, 4, keeps_largest), "statistics").unwrap().text();
        assert!(text(true).contains("largest"));
        assert!(!text(false).contains("output wire [3:0] largest"));
    }
}
