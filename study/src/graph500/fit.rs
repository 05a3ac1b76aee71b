//! A fit of what searches explore, by the degrees of their roots.

use railyard_bench::traffic::Graph500Level;

/// Fits each level from the first one behind the root: the logarithm of what is explored is a square in that of the
/// root's degree, by least squares. Searches are degrees with what each level explores.
pub fn fit(searches: &[(f64, Vec<u64>)], levels: usize) -> Vec<Graph500Level> {
    (1..=levels).filter_map(|level| fit_level(searches, level)).collect()
}

fn fit_level(searches: &[(f64, Vec<u64>)], level: usize) -> Option<Graph500Level> {
    let explored = |levels: &Vec<u64>| levels.get(level).copied().unwrap_or(0);
    let points: Vec<(f64, f64)> =
        searches.iter().map(|(degree, levels)| (degree.ln(), (explored(levels).max(1) as f64).ln())).collect();
    let mut rows = [[0.0; 4]; 3];
    for (x, y) in &points {
        let powers = [x * x, *x, 1.0];
        for (row, of_row) in rows.iter_mut().zip(powers) {
            row.iter_mut().zip([powers[0], powers[1], powers[2], *y]).for_each(|(sum, of)| *sum += of_row * of);
        }
    }
    let [a, b, c] = solve(rows)?;
    let value = |x: f64| (a * x * x + b * x + c).exp();
    let off =
        |((x, _), (_, levels)): (&(f64, f64), &(f64, Vec<u64>))| (explored(levels) as f64 / value(*x) - 1.0).powi(2);
    let deviation = (points.iter().zip(searches).map(off).sum::<f64>() / points.len() as f64).sqrt();
    Some(Graph500Level { a, b, c, deviation })
}

/// Three equations; none if they don't have one solution.
fn solve(mut rows: [[f64; 4]; 3]) -> Option<[f64; 3]> {
    for at in 0..3 {
        let pivot = (at..3).max_by(|&i, &j| rows[i][at].abs().total_cmp(&rows[j][at].abs()))?;
        rows.swap(at, pivot);
        if rows[at][at].abs() < 1e-9 {
            return None;
        }
        let top = rows[at];
        for (_, row) in rows.iter_mut().enumerate().filter(|(number, _)| *number != at) {
            let factor = row[at] / top[at];
            row.iter_mut().zip(top).for_each(|(cell, of)| *cell -= factor * of);
        }
    }
    Some([0, 1, 2].map(|at| rows[at][3] / rows[at][at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_is_found_again() {
        let explored = |degree: f64| (-0.1 * degree.ln().powi(2) + 0.9 * degree.ln() + 6.0).exp().round() as u64;
        let searches: Vec<(f64, Vec<u64>)> =
            (1..60).map(|i| f64::from(i * i)).map(|degree| (degree, vec![degree as u64, explored(degree)])).collect();
        let [level] = fit(&searches, 1)[..] else { panic!("one level") };
        assert!(
            (level.a + 0.1).abs() < 1e-3 && (level.b - 0.9).abs() < 1e-2 && (level.c - 6.0).abs() < 1e-2,
            "{level:?}"
        );
        assert!(level.deviation < 0.01);
        assert!(fit(&searches[..1], 1).is_empty(), "one degree is not enough");
    }
}
