//! The patterns of which parallel programs are made. Ranks are a power of two where a pattern needs that.

/// Sender and receiver of each message, in the order in which they are sent.
pub type Messages = Vec<(u64, u64)>;

/// Messages in rounds. In a round each rank sends all that it sends, then waits for all that it gets.
pub type Rounds = Vec<Messages>;

/// Every rank to the one that `partner` names, if that is another.
fn every(ranks: u64, partner: impl Fn(u64) -> u64) -> impl Iterator<Item = (u64, u64)> {
    (0..ranks).map(move |rank| (rank, partner(rank))).filter(|(rank, partner)| rank != partner)
}

/// A grid with so many dimensions, as even as it gets, the first dimension largest.
pub fn grid(ranks: u64, dimensions: u32) -> Vec<u64> {
    let bits = ranks.trailing_zeros();
    (0..dimensions).map(|i| 1 << ((bits + dimensions - 1 - i) / dimensions)).collect()
}

/// One step up (or down) dimension `i` of a grid, around the ends.
fn stepped(grid: &[u64], rank: u64, i: usize, step: u64, up: bool) -> u64 {
    let stride: u64 = grid[..i].iter().product();
    let at = rank / stride % grid[i];
    let then = (at + if up { step } else { grid[i] - step }) % grid[i];
    rank - at * stride + then * stride
}

/// Whether a rank is the last of its block of so many in dimension `i`: the one that is left on a coarse grid.
fn is_last(grid: &[u64], rank: u64, i: usize, block: u64) -> bool {
    rank / grid[..i].iter().product::<u64>() % block == block - 1
}

/// To both sides in dimension `i` at that distance: ranks that `takes_part` names.
fn both_sides(grid: &[u64], i: usize, step: u64, takes_part: impl Fn(u64) -> bool) -> Messages {
    let ranks = grid.iter().product();
    let side = |up| every(ranks, move |rank| stepped(grid, rank, i, step % grid[i], up));
    side(true).chain(side(false)).filter(|(rank, _)| takes_part(*rank)).collect()
}

/// To the neighbours on both sides in each dimension, around the ends, on a grid of which one rank in a block of
/// `steps` is left: the coarse grids of a multigrid. A round a dimension.
pub fn neighbours(grid: &[u64], steps: &[u64]) -> Rounds {
    let is_left = |rank| steps.iter().enumerate().all(|(i, step)| is_last(grid, rank, i, *step));
    steps.iter().enumerate().map(|(i, step)| both_sides(grid, i, *step, is_left)).collect()
}

/// From the ranks that are left on a coarse grid to those that take part again on the next finer one, dimension by
/// dimension; a dimension that does not grow has an empty round.
pub fn refined(grid: &[u64], coarse: &[u64], fine: &[u64]) -> Rounds {
    let both = |i| match coarse[i] > fine[i] {
        true => both_sides(grid, i, fine[i], |rank| is_last(grid, rank, i, coarse[i])),
        false => Messages::new(),
    };
    (0..grid.len()).map(both).collect()
}

/// A wave front through a 2-D grid that doesn't close: each rank to those after it, or before it, in both dimensions.
/// A round a rank: it sends when it has what is sent to it.
pub fn wave_front(grid: &[u64], forward: bool) -> Rounds {
    let [x, y] = [grid[0], grid[1]];
    let order = (0..x * y).map(|rank| if forward { rank } else { x * y - 1 - rank });
    let to = |rank: u64| {
        let (a, b) = (rank % x, rank / x);
        let right = if forward { (a + 1 < x).then(|| rank + 1) } else { (a > 0).then(|| rank - 1) };
        let down = if forward { (b + 1 < y).then(|| rank + x) } else { (b > 0).then(|| rank - x) };
        [right, down].into_iter().flatten().map(move |to| (rank, to)).collect()
    };
    order.map(to).collect()
}

/// Multi-partition of a 3-D field on a square of ranks: each sends along x, y or the diagonal, forward or back.
pub fn multi_partition(side: u64, direction: usize, forward: bool) -> Rounds {
    let (dx, dy) = [(1, 0), (0, 1), (side - 1, side - 1)][direction];
    let (dx, dy) = if forward { (dx, dy) } else { (side - dx, side - dy) };
    vec![every(side * side, |rank| (rank % side + dx) % side + (rank / side + dy) % side * side).collect()]
}

/// Every rank with the one whose number differs in one bit, from bit `low` to bit `high - 1`: butterfly, recursive
/// doubling.
pub fn butterfly(ranks: u64, low: u32, high: u32) -> Rounds {
    (low..high).map(|bit| every(ranks, move |rank| rank ^ 1 << bit).collect()).collect()
}

/// All-reduce by recursive doubling.
pub fn all_reduce(ranks: u64) -> Rounds {
    butterfly(ranks, 0, ranks.trailing_zeros())
}

/// Transpose of a square of ranks.
pub fn transpose(side: u64) -> Rounds {
    vec![every(side * side, |rank| rank % side * side + rank / side).collect()]
}

/// Every rank to every other, in rounds: to the next, to the one after that, ...
pub fn all_to_all(ranks: u64) -> Rounds {
    (1..ranks).map(|shift| every(ranks, move |rank| (rank + shift) % ranks).collect()).collect()
}

/// Broadcast from rank 0 along a binomial tree.
pub fn broadcast(ranks: u64) -> Rounds {
    let round = |bit: u32| (0..1u64 << bit).map(move |rank| (rank, rank | 1 << bit)).collect();
    (0..ranks.trailing_zeros()).map(round).collect()
}

/// Sum at rank 0 along a binomial tree.
pub fn reduce(ranks: u64) -> Rounds {
    let back = |round: Messages| round.into_iter().rev().map(|(from, to)| (to, from)).collect();
    broadcast(ranks).into_iter().rev().map(back).collect()
}

/// The rounds of a pattern among the ranks of a group, for each of several groups of one size side by side.
pub fn within(groups: &[Vec<u64>], pattern: impl Fn(u64) -> Rounds) -> Rounds {
    let of_one = pattern(groups.first().map_or(0, Vec::len) as u64);
    let of_all = |&(from, to): &(u64, u64)| -> Messages {
        groups.iter().map(|group| (group[from as usize], group[to as usize])).collect()
    };
    of_one.iter().map(|round| round.iter().flat_map(of_all).collect()).collect()
}

/// All-gather around a ring: every rank to the next, until all have all.
pub fn all_gather(ranks: u64) -> Rounds {
    (1..ranks).flat_map(|_| ring(ranks)).collect()
}

/// Every rank to the next.
pub fn ring(ranks: u64) -> Rounds {
    vec![every(ranks, |rank| (rank + 1) % ranks).collect()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_even() {
        assert_eq!((grid(256, 2), grid(256, 3), grid(65536, 3)), (vec![16, 16], vec![8, 8, 4], vec![64, 32, 32]));
    }

    #[test]
    fn everybody_has_its_neighbours() {
        let messages = neighbours(&[8, 8, 4], &[1; 3]).concat();
        assert_eq!(messages.len(), 6 * 256);
        assert!(messages.contains(&(0, 7)) && messages.contains(&(0, 192)) && messages.contains(&(9, 1)));
        // One dimension of the coarse grid has a single rank left, which is its own neighbour.
        assert_eq!(neighbours(&[8, 8, 4], &[4; 3]).concat().len(), 4 * 4);
        assert_eq!(neighbours(&[8, 8, 4], &[8, 8, 4]).concat().len(), 0);
        // On the next finer grid both neighbours of a rank that was left take part again.
        assert_eq!(refined(&[8, 8, 4], &[2, 1, 1], &[1, 1, 1]).concat().len(), 2 * 4 * 8 * 4);
        assert!(refined(&[8, 8, 4], &[2, 1, 1], &[1, 1, 1]).concat().contains(&(1, 2)));
    }

    #[test]
    fn a_wave_goes_one_way() {
        assert_eq!(wave_front(&[2, 2], true), [vec![(0, 1), (0, 2)], vec![(1, 3)], vec![(2, 3)], vec![]]);
        assert_eq!(wave_front(&[2, 2], false), [vec![(3, 2), (3, 1)], vec![(2, 0)], vec![(1, 0)], vec![]]);
    }

    #[test]
    fn multi_partition_goes_back_where_it_came_from() {
        for direction in 0..3 {
            let back = multi_partition(4, direction, false).concat();
            let mut back: Messages = back.into_iter().map(|(a, b)| (b, a)).collect();
            back.sort();
            assert_eq!(multi_partition(4, direction, true), [back]);
        }
    }

    #[test]
    fn collectives_reach_everybody() {
        assert_eq!(broadcast(8).concat(), [(0, 1), (0, 2), (1, 3), (0, 4), (1, 5), (2, 6), (3, 7)]);
        assert_eq!(all_to_all(8).concat().len(), 56);
        assert_eq!(all_reduce(8).concat().len(), 24);
        assert_eq!(transpose(4).concat().len(), 12);
        assert_eq!(all_gather(4).concat().len(), 12);
        assert_eq!(reduce(4), [vec![(3, 1), (2, 0)], vec![(1, 0)]]);
        assert_eq!(within(&[vec![0, 2], vec![1, 3]], all_to_all), [[(0, 2), (1, 3), (2, 0), (3, 1)]]);
    }
}
