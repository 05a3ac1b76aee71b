//! Values of options: numbers, their limits, and what is said of a value that is none.

use std::num::NonZeroUsize;

/// Clock cycles of a run, at most: more would take years.
pub(crate) const MOST_CYCLES: u64 = 1_000_000_000_000;

/// A parser of whole numbers in a range.
pub(super) fn whole<T: TryFrom<u64>>(
    low: u64,
    high: u64,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse::<u64>().ok().filter(|number| (low..=high).contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            let most = if high == u64::MAX { "2^64 - 1".into() } else { high.to_string() };
            format!("must be a whole number from {low} to {most}{}", nearest_whole(text, low, high))
        })
    }
}

/// Words for behind a rule: the legal whole number that is nearest to a number.
fn nearest_whole(text: &str, low: u64, high: u64) -> String {
    let whole = text.parse::<i128>().ok().or_else(|| {
        // As far as that is exact, which is as far as anybody writes fractions.
        text.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number.round() as i128)
    });
    whole.map_or(String::new(), |number| format!("; the nearest is {}", number.clamp(low.into(), high.into())))
}

/// A parser of clocks in MHz, from 1 to `most`.
pub(super) fn megahertz(most: u32) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync {
    move |text| match text.parse::<f64>() {
        Ok(number) if (1.0..=f64::from(most)).contains(&number) => Ok(number),
        Ok(number) if !number.is_nan() => {
            let nearest = number.clamp(1.0, f64::from(most));
            Err(format!("must be a number from 1 to {most}; the nearest is {nearest}"))
        }
        _ => Err(format!("must be a number from 1 to {most}")),
    }
}

/// A parser of numbers of things, at least one and at most `high`.
pub(super) fn count(high: u64) -> impl Fn(&str) -> Result<NonZeroUsize, String> + Clone + Send + Sync + 'static {
    let number = whole::<usize>(1, high);
    move |text| number(text).map(|number| NonZeroUsize::new(number).expect("it is at least one"))
}

/// A number from 0 to `most`.
pub(super) fn up_to(most: f64) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync {
    move |text| match text.parse::<f64>() {
        Ok(number) if (0.0..=most).contains(&number) => Ok(number),
        Ok(number) if !number.is_nan() => {
            let nearest = number.clamp(0.0, most);
            Err(format!("must be a number from 0.0 to {most:?}; the nearest is {nearest:?}"))
        }
        _ => Err(format!("must be a number from 0.0 to {most:?}")),
    }
}
