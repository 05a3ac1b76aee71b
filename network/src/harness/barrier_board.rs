//! Every barrier completes once at each of its members, and nowhere before all of them have arrived.

use super::participant::BarrierEvent;
use super::scoreboard::Mismatch;
use crate::barrier::BarrierTree;
use railyard_bench::Latencies;
use std::collections::{BTreeMap, VecDeque};

/// A barrier under way.
#[derive(Clone, Debug)]
struct Round {
    /// Cycles of the first and the last arrival so far.
    first: u64,
    last: u64,
    arrived: usize,
    /// Members that were told of the completion, and when the last one was.
    told: usize,
    last_told: u64,
}

#[derive(Clone, Debug)]
struct Group {
    members: Vec<usize>,
    /// Barriers over, and those under way behind them: at most two, one at which some arrive while others are not told
    /// of the one before.
    over: u64,
    rounds: VecDeque<Round>,
    /// Barriers at which each member has arrived, and of which it was told.
    arrivals: Vec<u64>,
    told: Vec<u64>,
    /// Barriers over when the group was set up last.
    set_up: u64,
    /// A link of its tree is broken: what is not complete by then never will be.
    is_cut: bool,
}

impl Group {
    /// Whether a barrier is under way that can't complete.
    fn is_stranded(&self) -> bool {
        self.is_cut && !self.rounds.is_empty()
    }
}

/// Measurements of the groups of a size.
#[derive(Clone, Debug, Default)]
pub struct BarrierFigures {
    /// From the last arrival to each member's completion.
    pub latencies: Latencies,
    /// From the first arrival to the last member's completion, of each barrier.
    pub spans: Latencies,
}

/// The scoreboard of barriers.
#[derive(Clone, Debug, Default)]
pub struct BarrierRecord {
    groups: Vec<Group>,
    /// By number of members.
    figures: BTreeMap<usize, BarrierFigures>,
}

impl BarrierRecord {
    /// For groups with these trees.
    pub fn new(trees: &[BarrierTree]) -> BarrierRecord {
        let group = |tree: &BarrierTree| Group {
            members: tree.members().into(),
            over: 0,
            rounds: VecDeque::new(),
            arrivals: vec![0; tree.members().len()],
            told: vec![0; tree.members().len()],
            set_up: 0,
            is_cut: false,
        };
        BarrierRecord { groups: trees.iter().map(group).collect(), figures: BTreeMap::new() }
    }

    /// Something happened at a node.
    pub fn take(&mut self, now: u64, event: BarrierEvent) -> Option<Mismatch> {
        match event {
            BarrierEvent::Arrived { node, group } => {
                self.groups[group].arrive(now, node);
                None
            }
            BarrierEvent::Told { node, group } => {
                let mismatch = self.groups[group].tell(now, node, &mut self.figures);
                mismatch.map(|(barrier, missing)| Mismatch::BarrierEarly { group, barrier, node, missing })
            }
            BarrierEvent::Unexpected { node, message } => {
                let message = format!("{:?} {} of group {}", message.kind, message.sequence, message.group);
                Some(Mismatch::BarrierMessage { node, message: message.to_lowercase() })
            }
        }
    }

    /// Barriers of each group at which somebody has arrived.
    pub fn begun(&self) -> Vec<u64> {
        self.groups.iter().map(|group| group.over + group.rounds.len() as u64).collect()
    }

    /// Whether a barrier is under way that can complete.
    pub fn is_under_way(&self) -> bool {
        self.groups.iter().any(|group| !group.is_cut && !group.rounds.is_empty())
    }

    /// A link of a group's tree breaks.
    pub fn cut(&mut self, group: usize) {
        self.groups[group].is_cut = true;
    }

    /// Groups with a barrier that can't complete, because a link is broken.
    pub fn stranded(&self) -> Vec<usize> {
        let groups = self.groups.iter().enumerate();
        groups.filter(|(_, group)| group.is_stranded()).map(|(number, _)| number).collect()
    }

    /// Whether all have arrived at a barrier, and for longer than `patience` nobody was told who still is to be.
    pub fn stands_still(&self, now: u64, patience: u64) -> bool {
        self.deadline(patience).is_some_and(|deadline| now >= deadline)
    }

    /// The cycle from which on it stands still, if nobody is told before.
    pub fn deadline(&self, patience: u64) -> Option<u64> {
        let of = |group: &Group| {
            let is_full = |round: &&Round| round.arrived == group.members.len();
            let round = group.rounds.iter().find(is_full)?;
            Some(round.last.max(round.last_told) + patience + 1)
        };
        self.groups.iter().filter(|group| !group.is_cut).filter_map(of).min()
    }

    /// The barriers under way that could complete, with those who have not arrived and those who are not told.
    pub fn incomplete(&self) -> Vec<Mismatch> {
        let first = |(number, group): (usize, &Group)| {
            let barrier = group.over;
            group.rounds.front()?;
            let nodes = |counts: &[u64]| {
                let without = group.members.iter().zip(counts).filter(|(_, count)| **count <= barrier);
                without.map(|(node, _)| *node).collect()
            };
            let (not_arrived, not_told) = (nodes(&group.arrivals), nodes(&group.told));
            Some(Mismatch::BarrierIncomplete { group: number, barrier, not_arrived, not_told })
        };
        self.groups.iter().enumerate().filter(|(_, group)| !group.is_cut).filter_map(first).collect()
    }

    /// All groups are set up anew, with number 0. Not while a barrier is under way.
    pub fn restart(&mut self) {
        self.groups.iter_mut().for_each(|group| group.set_up = group.over);
    }

    /// Barriers over in each group since it was set up last; none if a barrier of it can't complete.
    pub fn over_since_set_up(&self) -> Vec<Option<u64>> {
        self.groups.iter().map(|group| (!group.is_stranded()).then_some(group.over - group.set_up)).collect()
    }

    /// Forgets what was measured.
    pub fn forget(&mut self) {
        self.figures.clear();
    }

    /// What was measured, by number of members.
    pub fn figures(&self) -> impl Iterator<Item = (usize, &BarrierFigures)> {
        self.figures.iter().map(|(members, figures)| (*members, figures))
    }
}

impl Group {
    fn place(&self, node: usize) -> usize {
        self.members.binary_search(&node).expect("only members take part")
    }

    fn arrive(&mut self, now: u64, node: usize) {
        let place = self.place(node);
        let at = (self.arrivals[place] - self.over) as usize;
        self.arrivals[place] += 1;
        if at == self.rounds.len() {
            self.rounds.push_back(Round { first: now, last: now, arrived: 0, told: 0, last_told: 0 });
        }
        let round = &mut self.rounds[at];
        (round.arrived, round.last) = (round.arrived + 1, now);
    }

    /// Gives the barrier and how many are missing, if the completion comes too early.
    fn tell(&mut self, now: u64, node: usize, figures: &mut BTreeMap<usize, BarrierFigures>) -> Option<(u64, usize)> {
        let place = self.place(node);
        let barrier = self.told[place];
        self.told[place] += 1;
        let size = self.members.len();
        let figures = figures.entry(size).or_default();
        let round = &mut self.rounds[(barrier - self.over) as usize];
        (round.told, round.last_told) = (round.told + 1, now);
        figures.latencies.add(now - round.last);
        if round.told == size {
            figures.spans.add(now - round.first);
            self.rounds.pop_front();
            self.over += 1;
            return None;
        }
        let missing = size - round.arrived;
        (missing > 0).then_some((barrier, missing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{FatTree, Topology};

    fn board() -> BarrierRecord {
        let wiring = Topology::FatTree(FatTree::new(4, 2)).wiring(4).unwrap();
        BarrierRecord::new(&[BarrierTree::new(&wiring, 0, &[1, 4, 6]).unwrap()])
    }

    fn arrive(board: &mut BarrierRecord, now: u64, node: usize) {
        assert_eq!(board.take(now, BarrierEvent::Arrived { node, group: 0 }), None);
    }

    fn tell(board: &mut BarrierRecord, now: u64, node: usize) -> Option<Mismatch> {
        board.take(now, BarrierEvent::Told { node, group: 0 })
    }

    #[test]
    fn barriers_one_after_the_other() {
        let mut board = board();
        [(10, 1), (13, 6), (20, 4)].into_iter().for_each(|(now, node)| arrive(&mut board, now, node));
        assert_eq!([tell(&mut board, 30, 1), tell(&mut board, 31, 6)], [None, None]);
        arrive(&mut board, 32, 6);
        assert_eq!((board.begun(), board.over_since_set_up()), (vec![2], vec![Some(0)]));
        assert!(!board.stands_still(81, 50) && board.stands_still(82, 50), "node 4 is not told");
        assert_eq!(tell(&mut board, 90, 4), None);
        assert_eq!((board.over_since_set_up(), board.is_under_way()), (vec![Some(1)], true));
        assert!(!board.stands_still(1_000, 50), "two have not arrived");
        let (size, figures) = board.figures().next().unwrap();
        assert_eq!((size, figures.latencies.count(), figures.latencies.max(), figures.spans.max()), (3, 3, 70, 80));
        let expected =
            Mismatch::BarrierIncomplete { group: 0, barrier: 1, not_arrived: vec![1, 4], not_told: vec![1, 4, 6] };
        assert_eq!(board.incomplete(), [expected]);
        assert!(board.stranded().is_empty());
        board.cut(0);
        assert_eq!((board.stranded(), board.incomplete(), board.is_under_way()), (vec![0], vec![], false));
        assert_eq!(board.over_since_set_up(), [None]);
    }

    #[test]
    fn a_completion_before_the_last_arrival_is_found() {
        let mut board = board();
        [(10, 1), (13, 6)].into_iter().for_each(|(now, node)| arrive(&mut board, now, node));
        let expected = Mismatch::BarrierEarly { group: 0, barrier: 0, node: 6, missing: 1 };
        assert_eq!(tell(&mut board, 14, 6), Some(expected));
    }
}
