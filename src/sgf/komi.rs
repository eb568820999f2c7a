//! Numbers of points in records: komi and results in points, hundredths or stones.

use crate::position::Outcome;
use crate::types::Komi;

/// A komi of this value or more is in hundredths: Fox writes `KM[650]` for 6.5 points, and
/// `KM[375]` for 3.75 stones of two points each under Chinese rules.
const MIN_HUNDREDTHS: f64 = 200.0;

/// The largest komi in stones. A larger one is in points.
const MAX_KOMI_STONES: f64 = 4.0;

/// A komi, and the unit in which it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenKomi {
    pub points: Komi,
    pub hundredths: bool,
    pub stones: bool,
}

/// Parse a komi. In an `own` record it is in points. Otherwise, under `area` rules, a number with a
/// quarter is in stones, and so are hundredths up to [`MAX_KOMI_STONES`].
pub(super) fn komi_of(text: &str, own: bool, area: bool) -> Option<WrittenKomi> {
    let written = number(text)?;
    let may_be_stones = area && !own;
    let hundredths = !own && written.abs() >= MIN_HUNDREDTHS;
    let few = |number: f64| number.abs() <= MAX_KOMI_STONES;
    let (number, stones) = match written / 100.0 {
        _ if !hundredths => (
            written,
            may_be_stones && few(written) && has_a_quarter(written),
        ),
        number => (
            number,
            few(number) && (may_be_stones || has_a_quarter(number)),
        ),
    };
    let points = if stones { 2.0 * number } else { number };
    Some(WrittenKomi {
        points: Komi::new(points).ok()?,
        hundredths,
        stones,
    })
}

/// Units that may follow a number of points.
const UNITS: [&str; 10] = [
    "", "point", "points", "pt", "pts", "moku", "目", "点", "點", "집",
];

/// Parse a number of points: `6.5`, `6,5`, `6½`, `6 1/2` or `6.5 points`.
fn number(text: &str) -> Option<f64> {
    if let Ok(number) = text.replace(',', ".").parse() {
        return Some(number);
    }
    let text = format!(" {text}").replace(" 1/2", "½").replace(',', ".");
    let text = text.trim();
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-');
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let (number, rest) = text.split_at_checked(end)?;
    let (half, unit) = match rest.trim_start().strip_prefix('½') {
        Some(unit) => (0.5, unit),
        None => (0.0, rest),
    };
    if !UNITS.contains(&&*unit.trim().to_lowercase()) {
        return None;
    }
    match number {
        "" if half > 0.0 => Some(half),
        _ => number.parse().ok().map(|n: f64| n + half * n.signum()),
    }
}

/// Is this an odd number of quarters? Then it is in stones of two points each.
fn has_a_quarter(number: f64) -> bool {
    (4.0 * number).rem_euclid(2.0) == 1.0
}

/// Convert a result in stones to points; `None` if it is not in stones.
pub(super) fn stones_to_points(result: &str) -> Option<String> {
    match result.parse() {
        Ok(Outcome::Points { winner, margin }) if has_a_quarter(margin) => {
            let margin = 2.0 * margin;
            Some(Outcome::Points { winner, margin }.to_string())
        }
        _ => None,
    }
}
