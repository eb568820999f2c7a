//! Statistics of a match result.

/// Games from the first player's point of view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Standings {
    pub wins: u32,
    pub losses: u32,
    pub draws: u32,
}

/// Standard deviations around the mean that contain 95 % of a normal distribution.
const Z: f64 = 1.96;

impl Standings {
    pub fn games(self) -> u32 {
        self.wins + self.losses + self.draws
    }

    /// Share of the points from 0 to 1; a draw counts half.
    pub fn share(self) -> f64 {
        match self.games() {
            0 => 0.5,
            n => (self.wins as f64 + 0.5 * self.draws as f64) / n as f64,
        }
    }

    /// 95 % confidence interval of the share (Wilson 1927).
    pub fn interval(self) -> (f64, f64) {
        let n = self.games() as f64;
        if n == 0.0 {
            return (0.0, 1.0);
        }
        let (p, zz) = (self.share(), Z * Z);
        let centre = (p + zz / (2.0 * n)) / (1.0 + zz / n);
        let half = Z * (p * (1.0 - p) / n + zz / (4.0 * n * n)).sqrt() / (1.0 + zz / n);
        // The end of a clean score is exact.
        let low = if p == 0.0 { 0.0 } else { centre - half };
        let high = if p == 1.0 { 1.0 } else { centre + half };
        (low.max(0.0), high.min(1.0))
    }

    /// Log-likelihood ratio of the games: first player stronger by `elo1` against stronger
    /// by `elo0`. This is the generalised test for a mean, with the variance estimated from
    /// the games.
    pub fn log_likelihood_ratio(self, elo0: f64, elo1: f64) -> f64 {
        let n = self.games() as f64;
        // Half a game of each kind keeps the variance above 0.
        let (w, l, d) = (
            self.wins as f64 + 0.5,
            self.losses as f64 + 0.5,
            self.draws as f64 + 0.5,
        );
        let sum = w + l + d;
        let mean = (w + 0.5 * d) / sum;
        let variance = (w + 0.25 * d) / sum - mean * mean;
        let (s0, s1) = (share_of(elo0), share_of(elo1));
        n * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance)
    }
}

/// The rating difference at which a player gets this share of the points.
pub(super) fn elo(share: f64) -> f64 {
    // Avoid negative zero.
    0.0 - 400.0 * (1.0 / share - 1.0).log10()
}

/// The share of the points at this rating difference.
fn share_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Error rate of both kinds in a sequential test.
const ERRORS: f64 = 0.05;

/// Absolute log-likelihood ratio at which a sequential test is decided (Wald 1945).
pub(super) fn bound() -> f64 {
    ((1.0 - ERRORS) / ERRORS).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn tally(wins: u32, losses: u32, draws: u32) -> Standings {
        Standings {
            wins,
            losses,
            draws,
        }
    }

    #[test]
    fn shares_and_intervals() {
        let t = tally(94, 4, 2);
        assert!((t.share() - 0.95).abs() < 1e-9);
        let (low, high) = t.interval();
        assert!((low - 0.888).abs() < 0.001 && (high - 0.978).abs() < 0.001);
        assert!((elo(0.75) - 190.85).abs() < 0.01);
        assert!((elo(share_of(-33.0)) + 33.0).abs() < 1e-9);
        assert_eq!(tally(0, 0, 0).interval(), (0.0, 1.0));
        for n in 1..200 {
            let (lost, won) = (tally(0, n, 0).interval().0, tally(n, 0, 0).interval().1);
            assert_eq!(
                (elo(lost), elo(won)),
                (f64::NEG_INFINITY, f64::INFINITY),
                "{n}"
            );
        }
        assert!(elo(0.5).is_sign_positive());
    }

    #[test]
    fn the_sequential_test_leans_the_right_way() {
        assert!(tally(60, 40, 0).log_likelihood_ratio(0.0, 30.0) > 0.0);
        assert!(tally(40, 60, 0).log_likelihood_ratio(0.0, 30.0) < 0.0);
        assert!(tally(300, 100, 10).log_likelihood_ratio(0.0, 30.0) > bound());
        assert!(tally(10, 0, 0).log_likelihood_ratio(0.0, 30.0).is_finite());
    }
}
