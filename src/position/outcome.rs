//! Outcomes of games.

use crate::types::Color;
use std::fmt;
use std::str::FromStr;

/// The outcome of a game.
///
/// Formatted and parsed as the RE property of a record. The format has no value for a
/// game that both players lose: it is parsed from `both-lose` and written as `Void`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// A win on points.
    Points {
        /// The winner.
        winner: Color,
        /// The margin in points, above 0.
        margin: f64,
    },
    /// Equal points (Japanese 1989, Article 10.2).
    Jigo,
    /// This player wins by resignation (Article 11).
    Resignation(Color),
    /// This player wins on time.
    Time(Color),
    /// This player wins because the other broke the rules (Article 14).
    Forfeit(Color),
    /// This player wins; the record does not say how.
    Win(Color),
    /// No result because of a long cycle (Article 12).
    NoResult,
    /// Both lose: an effective move was found after the stop, without agreement (Article 13).
    BothLose,
}

impl Outcome {
    /// The winner, if there is one.
    pub fn winner(&self) -> Option<Color> {
        match *self {
            Outcome::Points { winner, .. }
            | Outcome::Resignation(winner)
            | Outcome::Time(winner)
            | Outcome::Forfeit(winner)
            | Outcome::Win(winner) => Some(winner),
            Outcome::Jigo | Outcome::NoResult | Outcome::BothLose => None,
        }
    }

    /// Was the game decided off the board, by something other than a count?
    pub fn is_off_board(&self) -> bool {
        match self {
            Outcome::Points { .. } | Outcome::Jigo | Outcome::Win(_) => false,
            Outcome::Resignation(_)
            | Outcome::Time(_)
            | Outcome::Forfeit(_)
            | Outcome::NoResult
            | Outcome::BothLose => true,
        }
    }

    /// Does a count agree with this outcome? A [win](Outcome::Win) without a margin agrees with
    /// every count that has the same winner.
    pub fn agrees_with(&self, counted: &Outcome) -> bool {
        match self {
            Outcome::Win(winner) => counted.winner() == Some(*winner),
            _ => self == counted,
        }
    }

    /// The outcome in words: `White wins on time`.
    pub fn in_words(&self) -> String {
        match *self {
            Outcome::Points {
                winner,
                margin: 1.0,
            } => format!("{winner} wins by 1 point"),
            Outcome::Points { winner, margin } => format!("{winner} wins by {margin} points"),
            Outcome::Jigo => "jigo".to_owned(),
            Outcome::Resignation(c) => format!("{c} wins by resignation"),
            Outcome::Time(c) => format!("{c} wins on time"),
            Outcome::Forfeit(c) => format!("{c} wins by forfeit"),
            Outcome::Win(c) => format!("{c} wins"),
            Outcome::NoResult => "no result".to_owned(),
            Outcome::BothLose => "both players lose".to_owned(),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Points { winner, margin } => write!(f, "{}+{margin}", winner.letter()),
            Outcome::Jigo => f.write_str("0"),
            Outcome::Resignation(c) => write!(f, "{}+R", c.letter()),
            Outcome::Time(c) => write!(f, "{}+T", c.letter()),
            Outcome::Forfeit(c) => write!(f, "{}+F", c.letter()),
            Outcome::Win(c) => write!(f, "{}+", c.letter()),
            Outcome::NoResult | Outcome::BothLose => f.write_str("Void"),
        }
    }
}

/// Error: the text is not an outcome, as for an unfinished game or an unknown result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoOutcome;

impl FromStr for Outcome {
    type Err = NoOutcome;

    fn from_str(text: &str) -> Result<Self, NoOutcome> {
        let text = text.trim();
        match text.to_ascii_lowercase().as_str() {
            "0" | "draw" | "jigo" => return Ok(Outcome::Jigo),
            "void" => return Ok(Outcome::NoResult),
            "both-lose" => return Ok(Outcome::BothLose),
            _ => {}
        }
        let (winner, how) = text.split_once('+').ok_or(NoOutcome)?;
        let winner = match winner.trim() {
            "B" | "b" => Color::Black,
            "W" | "w" => Color::White,
            _ => return Err(NoOutcome),
        };
        Ok(match how.trim().to_ascii_lowercase().as_str() {
            "" => Outcome::Win(winner),
            "r" | "resign" => Outcome::Resignation(winner),
            "t" | "time" => Outcome::Time(winner),
            "f" | "forfeit" => Outcome::Forfeit(winner),
            points => match points.parse::<f64>() {
                Ok(margin) if margin > 0.0 && margin.is_finite() => {
                    Outcome::Points { winner, margin }
                }
                Ok(0.0) => Outcome::Jigo,
                _ => return Err(NoOutcome),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_round_trip() {
        let points = |winner, margin| Outcome::Points { winner, margin };
        for (text, outcome) in [
            ("B+3.5", points(Color::Black, 3.5)),
            ("W+31", points(Color::White, 31.0)),
            ("0", Outcome::Jigo),
            ("B+R", Outcome::Resignation(Color::Black)),
            ("W+T", Outcome::Time(Color::White)),
            ("B+F", Outcome::Forfeit(Color::Black)),
            ("W+", Outcome::Win(Color::White)),
            ("Void", Outcome::NoResult),
        ] {
            assert_eq!(outcome.to_string(), text);
            assert_eq!(text.parse(), Ok(outcome));
        }
        assert_eq!(" b+Resign ".parse(), Ok(Outcome::Resignation(Color::Black)));
        assert_eq!("W+58.50".parse(), Ok(points(Color::White, 58.5)));
        assert_eq!("Draw".parse(), Ok(Outcome::Jigo));
        assert_eq!("both-lose".parse(), Ok(Outcome::BothLose));
        for text in ["", "?", "B+much", "X+3", "W+-2", "W+inf", "B3"] {
            assert_eq!(text.parse::<Outcome>(), Err(NoOutcome), "{text}");
        }
        assert_eq!(Outcome::BothLose.winner(), None);
        assert_eq!(Outcome::BothLose.to_string(), "Void");
    }
}
