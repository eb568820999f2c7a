use std::fmt;

/// Points that White receives; negative gives them to Black.
///
/// Whole and half points are exact. Clients may send any finite number, so it is
/// kept as sent rather than rounded: `get_komi` and a game record give it back.
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

/// A komi that is not a number, or larger than [`Komi::LIMIT`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InvalidKomi(pub f64);

impl fmt::Display for InvalidKomi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "komi {} is not a number of at most {} points",
            self.0,
            Komi::LIMIT
        )
    }
}

impl std::error::Error for InvalidKomi {}

impl Komi {
    /// Largest komi either way, in points: more than any board has.
    pub const LIMIT: f64 = 10_000.0;

    /// A komi of `half` half points: `Komi::half_points(15)` is 7.5.
    pub const fn half_points(half: i32) -> Komi {
        Komi(half as f64 / 2.0)
    }

    /// The komi a client sent.
    ///
    /// # Errors
    /// [`InvalidKomi`] for NaN, an infinity, or a size above [`Komi::LIMIT`].
    pub fn new(points: f64) -> Result<Komi, InvalidKomi> {
        if points.is_finite() && points.abs() <= Self::LIMIT {
            // No negative zero: it would be written with its sign.
            Ok(Komi(points + 0.0))
        } else {
            Err(InvalidKomi(points))
        }
    }

    /// In points, from White's point of view.
    #[inline]
    pub const fn points(self) -> f64 {
        self.0
    }
}

/// The shortest text that reads back as the number: `7`, `6.5`.
impl fmt::Display for Komi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
