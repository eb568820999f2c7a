//! Parsers of numbers in options.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A parser of numbers in a range, which says what it expects.
pub(super) fn number<N>(
    what: &'static str,
    range: RangeInclusive<N>,
) -> impl Fn(&str) -> Result<N, String> + Clone
where
    N: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text: &str| {
        let number = text.parse::<N>().ok().filter(|n| range.contains(n));
        let (least, most) = (range.start(), range.end());
        number.ok_or_else(|| format!("expected {what} from {least} to {most}"))
    }
}

/// A parser of whole numbers in a range.
pub(super) fn integer<N>(range: RangeInclusive<N>) -> impl Fn(&str) -> Result<N, String> + Clone
where
    N: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    number("a whole number", range)
}

/// A parser of shares.
pub(super) fn share() -> impl Fn(&str) -> Result<f32, String> + Clone {
    number("a share", 0.0..=1.0)
}
