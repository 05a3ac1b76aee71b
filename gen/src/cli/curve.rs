//! The arguments of `network curve`.

use super::value::count;
use super::NetworkSetting;
use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What `--help` shows last.
pub const EXAMPLES: &str = "\
Examples:
  railyard network curve fat_tree.json
      the table
  railyard network curve fat_tree.json --runs 5 -o curve
      CSV, JSON and SVG with error bars, too
  railyard network curve fat_tree.json --loads 0.2,0.5,0.8";

/// Loads of a curve, at most.
const MOST_LOADS: usize = 1_000;

/// Digits behind the point of a load: what is less is the rounding of a sum.
const DIGITS: f64 = 1e9;

/// Arguments of `network curve`.
#[derive(Args, Debug)]
pub struct NetworkCurveArgs {
    /// The network and its traffic.
    #[command(flatten)]
    pub setting: NetworkSetting,
    /// Offered loads in flits for each node and cycle: FROM:TO:STEP, or a list with commas.
    #[arg(long, default_value = "0.1:0.9:0.1", value_name = "LOADS", value_parser = loads)]
    pub loads: Loads,
    /// Runs at each load, with a seed each. Table and curves have their means, with 95 % confidence.
    #[arg(long, default_value = "1", value_name = "N", value_parser = count(100))]
    pub runs: NonZeroUsize,
    /// Runs side by side. Left out: one for each core. The figures are the same.
    #[arg(short, long, value_name = "N", value_parser = count(1024))]
    pub jobs: Option<NonZeroUsize>,
    /// Folder for the table as CSV and JSON and the curves as SVG. Files of the same names are replaced.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Loads in rising order.
#[derive(Clone, Debug, PartialEq)]
pub struct Loads(pub Vec<f64>);

/// A parser of loads.
pub(super) fn loads(text: &str) -> Result<Loads, String> {
    let number = |text: &str| text.parse::<f64>().ok().filter(|load| (0.0..=1.0).contains(load));
    let numbers = |mark| text.split(mark).map(number).collect::<Option<Vec<f64>>>();
    let mut all = match (text.contains(':'), numbers(':'), numbers(',')) {
        (true, Some(range), _) => steps(&range)?,
        (false, _, Some(list)) => list,
        _ => return Err("must be FROM:TO:STEP, or a list with commas, of loads from 0.0 to 1.0: 0.1:0.9:0.1".into()),
    };
    all.sort_by(f64::total_cmp);
    all.dedup();
    Ok(Loads(all))
}

/// The loads of a range, its end included.
fn steps(range: &[f64]) -> Result<Vec<f64>, String> {
    let [from, to, step] = range else { return Err("must have three parts, FROM:TO:STEP: 0.1:0.9:0.1".into()) };
    if step * DIGITS < 1.0 || to < from {
        return Err("must rise from FROM to TO in steps above 0: 0.1:0.9:0.1".into());
    }
    let count = ((to - from) / step + 1.0 / DIGITS).floor() as usize + 1;
    if count > MOST_LOADS {
        return Err(format!("must be at most {MOST_LOADS} loads, and these are {count}"));
    }
    Ok((0..count).map(|at| ((from + at as f64 * step) * DIGITS).round() / DIGITS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_a_range_or_a_list() {
        assert_eq!(loads("0.1:0.9:0.1").unwrap().0, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
        assert_eq!(loads("0:1:0.25").unwrap().0, [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(loads("0.5:0.5:0.1").unwrap().0, [0.5]);
        assert_eq!(loads("0.9,0.2,0.9").unwrap().0, [0.2, 0.9]);
        assert_eq!(loads("0.5").unwrap().0, [0.5]);
        for bad in
            ["", "x", "0.1:0.9", "0.1:0.9:0", "0.9:0.1:0.1", "0.1:0.9:-0.1", "0:1:0.0001", "1.1", "0.1;0.2", "nan"]
        {
            assert!(loads(bad).is_err(), "{bad}");
        }
    }
}
