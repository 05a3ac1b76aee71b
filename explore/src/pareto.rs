//! The points that no other point beats.

use crate::sweep::{Goal, Pareto};

/// For each point whether it is on the front: no other is at least as good in both values and better in one.
pub(crate) fn front(points: &[(f64, f64)], goals: Pareto) -> Vec<bool> {
    let cost = |value: f64, goal: Goal| match goal {
        Goal::Min => value,
        Goal::Max => -value,
    };
    let costs: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (cost(x, goals.x), cost(y, goals.y))).collect();
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by(|&a, &b| costs[a].0.total_cmp(&costs[b].0).then(costs[a].1.total_cmp(&costs[b].1)));
    let mut on = vec![false; costs.len()];
    // In the order of x, a point is on the front if its y is better than all before it; its equals are, too.
    let mut best = (f64::NAN, f64::INFINITY);
    for index in order {
        if costs[index].1 < best.1 || costs[index] == best {
            on[index] = true;
            best = costs[index];
        }
    }
    on
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_beats_the_front() {
        let points = [(1.0, 1.0), (2.0, 3.0), (2.0, 2.0), (3.0, 3.0), (4.0, 5.0), (4.0, 5.0), (0.5, 0.5)];
        let on = front(&points, Pareto { x: Goal::Min, y: Goal::Max });
        assert_eq!(on, [true, true, false, false, true, true, true]);
        let on = front(&points, Pareto { x: Goal::Max, y: Goal::Max });
        assert_eq!(on, [false, false, false, false, true, true, false]);
    }

    #[test]
    fn agrees_with_the_definition() {
        let points: Vec<(f64, f64)> = (0..60u32).map(|i| (f64::from(i * 37 % 11), f64::from(i * 53 % 13))).collect();
        let (min, max) = (Goal::Min, Goal::Max);
        for (x, y) in [(min, min), (min, max), (max, min), (max, max)] {
            let sign = |goal| if goal == min { 1.0 } else { -1.0 };
            let beats = |a: &(f64, f64), b: &(f64, f64)| {
                let (dx, dy) = (sign(x) * (a.0 - b.0), sign(y) * (a.1 - b.1));
                dx <= 0.0 && dy <= 0.0 && (dx < 0.0 || dy < 0.0)
            };
            let expected: Vec<bool> = points.iter().map(|p| !points.iter().any(|q| beats(q, p))).collect();
            assert_eq!(front(&points, Pareto { x, y }), expected);
        }
    }
}
