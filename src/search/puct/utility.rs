use super::params::PuctParams;
use crate::types::Color;

/// Utility of a result: from −1 to 1 for the win probability, plus at most the sum of the weights
/// (0.4 by default) either way for the lead. The constants are KataGo's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Utility {
    /// Weights of the margin (static) and of its excess over `center` (dynamic).
    pub weights: [f32; 2],
    /// Half widths of the static and dynamic functions, in points.
    pub widths: [f32; 2],
    /// Center of the dynamic function: Black's margin in points.
    pub center: f32,
}

impl Utility {
    /// Create the utility for a board of `area` points, given Black's expected lead at the root
    /// and its standard deviation.
    pub fn new(params: &PuctParams, area: usize, lead: f32, deviation: f32) -> Utility {
        let root = (area as f32).sqrt();
        // The margin is uncertain. The mean of an arc tangent over a normal distribution is
        // nearly an arc tangent with the width of a Voigt profile (Olivero and Longbothum 1977).
        let wide = |w: f32| {
            let sigma = 1.1775 * deviation;
            0.5346 * w + (0.2166 * w * w + sigma * sigma).sqrt()
        };
        let center = 0.8 * lead;
        let far = 0.75 * root;
        Utility {
            weights: [params.score_static, params.score_dynamic],
            widths: [wide(2.0 * root), wide(0.75 * root)],
            center: center.clamp(lead - far, lead + far),
        }
    }

    /// Utility of this win probability and lead, all for `c`.
    #[inline]
    pub fn of(&self, c: Color, wins: f32, lead: f32) -> f32 {
        let center = c.sign() as f32 * self.center;
        let share = |x: f32, width: f32| std::f32::consts::FRAC_2_PI * (x / width).atan();
        2.0 * wins - 1.0
            + self.weights[0] * share(lead, self.widths[0])
            + self.weights[1] * share(lead - center, self.widths[1])
    }

    /// Lower bound of the utility, at most −1.
    #[inline]
    pub fn worst(&self) -> f32 {
        -1.0 - self.weights[0] - self.weights[1]
    }

    /// Derivative of the utility by the lead, where Black leads by `lead` points.
    pub fn slope(&self, lead: f32) -> f32 {
        let of = |x: f32, width: f32| {
            let x = x / width;
            std::f32::consts::FRAC_2_PI / (width * (1.0 + x * x))
        };
        self.weights[0] * of(lead, self.widths[0])
            + self.weights[1] * of(lead - self.center, self.widths[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A virtual loss must make a move look worse for either player, ahead or behind.
    #[test]
    fn worst_is_below_every_utility() {
        for lead in [-60.0, 0.0, 60.0] {
            let utility = Utility::new(&PuctParams::default(), 361, lead, 10.0);
            for c in Color::BOTH {
                for (wins, lead) in [(0.0, -400.0), (0.02, -30.0), (0.5, 0.0), (1.0, 400.0)] {
                    assert!(utility.of(c, wins, lead) > utility.worst());
                }
            }
        }
    }
}
