use std::fmt;
use thiserror::Error;

/// Points that White receives; negative if Black receives them.
///
/// Whole and half points are exact. Clients may send any number within [`Komi::LIMIT`]. It is
/// not rounded: `get_komi` and game records return it as sent.
///
/// ```
/// use ponnuki::types::Komi;
///
/// assert_eq!(Komi::new(6.5), Ok(Komi::half_points(13)));
/// assert_eq!(Komi::half_points(14).to_string(), "7");
/// assert_eq!(Komi::new(-0.0).unwrap().to_string(), "0");
/// assert!(Komi::new(f64::NAN).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
pub struct Komi(f64);

/// Error: a komi that is not finite, or exceeds [`Komi::LIMIT`] for either player.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("komi {0} is not a number within ±{limit} points", limit = Komi::LIMIT)]
pub struct InvalidKomi(pub f64);

impl Komi {
    /// The largest komi for either player: more points than any board has.
    pub const LIMIT: f64 = 10_000.0;

    /// A komi of `half` half points: `Komi::half_points(15)` is 7.5.
    pub const fn half_points(half: i32) -> Komi {
        Komi(half as f64 / 2.0)
    }

    /// A komi of this many points.
    ///
    /// # Errors
    /// [`InvalidKomi`] for NaN, an infinity, or more than [`Komi::LIMIT`] for either player.
    pub fn new(points: f64) -> Result<Komi, InvalidKomi> {
        if points.is_finite() && points.abs() <= Self::LIMIT {
            // Turn −0 into 0: it would be written with its sign.
            Ok(Komi(points + 0.0))
        } else {
            Err(InvalidKomi(points))
        }
    }

    /// The points that White receives.
    #[inline]
    pub const fn points(self) -> f64 {
        self.0
    }
}

/// The shortest text that parses to the same number: `7`, `6.5`.
impl fmt::Display for Komi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
