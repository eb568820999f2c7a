//! The parameters of the search. Each has a row, from which the struct, its defaults
//! and the list for tuning and `kata-set-param` are generated.

use crate::playout::PlayoutParams;

/// A parameter, for listing and setting by name.
#[derive(Clone, Copy, Debug)]
pub struct ParamInfo {
    /// Its name.
    pub name: &'static str,
    /// Smallest and largest value allowed.
    pub range: (f32, f32),
    /// What it does, in which unit, and where it comes from.
    pub doc: &'static str,
}

macro_rules! search_params {
    ($($name:ident: $type:ty = $default:expr, $range:expr, $doc:expr;)*) => {
        /// The parameters of the search; [`SearchParams::LIST`] describes them.
        #[derive(Clone, Debug, PartialEq)]
        pub struct SearchParams {
            $(#[doc = $doc] pub $name: $type,)*
        }

        impl Default for SearchParams {
            fn default() -> Self {
                SearchParams { $($name: $default,)* }
            }
        }

        impl SearchParams {
            /// Every parameter.
            pub const LIST: &'static [ParamInfo] = &[$(ParamInfo {
                name: stringify!($name),
                range: ($range.0 as f32, $range.1 as f32),
                doc: $doc,
            },)*];

            /// The value of a parameter, by name.
            pub fn get(&self, name: &str) -> Option<String> {
                match name {
                    $(stringify!($name) => Some(self.$name.to_string()),)*
                    _ => None,
                }
            }

            /// Set a parameter by name. Returns false if there is no such parameter, or
            /// the text is not a number of its type within its range.
            pub fn set(&mut self, name: &str, text: &str) -> bool {
                match name {
                    $(stringify!($name) => {
                        let range: ($type, $type) = $range;
                        let value = text.trim().parse::<$type>().ok();
                        let fits = value.filter(|v| (range.0..=range.1).contains(v));
                        fits.map(|v| self.$name = v).is_some()
                    })*
                    _ => false,
                }
            }
        }
    };
}

search_params! {
    expand_visits: u32 = 8, (1, 1000),
        "Visits at which a leaf is expanded (Pachi, michi: 8).";
    rave_equivalent: f32 = 3500.0, (0.0, 1e6),
        "Visits at which AMAF values and a node's own results weigh about the same; 0 disables RAVE (michi: 3500).";
    exploration: f32 = 0.0, (0.0, 10.0),
        "Weight of the UCB term; with RAVE, 0 is best (Fuego: 0).";
    score_weight: f32 = 0.04, (0.0, 0.5),
        "Share of a playout's value that comes from the margin instead of the win.";
    score_scale: f32 = 0.15, (0.01, 1.0),
        "Margin, as a share of the board's points, at which this share is fully earned.";
    cpuct: f32 = 1.0, (0.0, 10.0),
        "Exploration constant of PUCT (KataGo: 1.0).";
    cpuct_log: f32 = 0.45, (0.0, 10.0),
        "Growth of the exploration constant each time visits grow by a factor of e (KataGo: 0.45).";
    cpuct_base: f32 = 500.0, (1.0, 1e6),
        "Visits at which the exploration constant starts to grow (KataGo: 500).";
    cpuct_stdev: f32 = 0.85, (0.0, 1.0),
        "Influence of the standard deviation of the values on exploration (KataGo: 0.85).";
    fpu_reduction: f32 = 0.2, (0.0, 2.0),
        "First-play urgency: reduction of an unvisited move's value below its parent's, times the square root of the policy already visited (KataGo: 0.2).";
    root_fpu_reduction: f32 = 0.1, (0.0, 2.0),
        "The same reduction at the root (KataGo: 0.1).";
    score_static: f32 = 0.1, (0.0, 1.0),
        "Weight of the score in a position's utility (KataGo: 0.1).";
    score_dynamic: f32 = 0.3, (0.0, 1.0),
        "Weight of the score relative to the expected score (KataGo: 0.3).";
    graph: u8 = 1, (0, 1),
        "Graph search: 1 if move orders that reach the same position share one subtree (KataGo: yes).";
    value_weights: f32 = 0.25, (0.0, 5.0),
        "Down-weighting of bad moves in a position's mean: exponent of the probability that the move is good; 0 weights all visits equally (KataGo: 0.25).";
    uncertainty: f32 = 0.0, (0.0, 10.0),
        "Weight of an evaluation times the error that the network predicts for it; 0 weights all evaluations equally (KataGo: 0.25).";
    uncertainty_most: f32 = 8.0, (1.0, 100.0),
        "Maximum weight of an evaluation (KataGo: 8).";
    bias_correction: f32 = 0.45, (0.0, 1.0),
        "Subtree value bias correction: share of the network's mean error in similar local shapes by which evaluations are corrected; 0 disables it (KataGo: 0.45).";
    bias_power: f32 = 0.85, (0.0, 1.0),
        "Exponent of a position's weight in this mean error (KataGo: 0.85).";
    policy_temperature: f32 = 1.0, (0.1, 10.0),
        "Temperature of the network's policy.";
    root_policy_temperature: f32 = 1.0, (0.01, 100.0),
        "Temperature of the network's policy at the root; values above 1 add variety.";
    wide_root_noise: f32 = 0.0, (0.0, 5.0),
        "Noise that spreads the search over more moves of the root (KataGo: 0 in games, 0.04 in its analysis protocol).";
    analysis_wide_root_noise: f32 = 0.0, (0.0, 5.0),
        "`wide_root_noise` of analyses over GTP (KataGo: 0.04).";
    history: u8 = 1, (0, 1),
        "History before the root as network input: 1 to use it, 0 to ignore it, so that earlier moves do not bias an analysis (KataGo: 0 in analysis).";
    root_noise: f32 = 0.0, (0.0, 1.0),
        "Share of Dirichlet noise in the priors at the root, for variety.";
    optimism: f32 = 1.0, (0.0, 1.0),
        "Weight of the optimistic policy, in networks that have one (KataGo: 1.0).";
    root_optimism: f32 = 0.2, (0.0, 1.0),
        "Weight of the optimistic policy at the root (KataGo: 0.2).";
    symmetry: i8 = -1, (-1, 7),
        "Board symmetry for the network, from 0 to 7; -1 chooses one at random.";
    root_symmetries: u8 = 1, (1, 8),
        "Number of symmetries averaged in the network's evaluation of the root.";
    lcb_deviations: f32 = 5.0, (0.0, 10.0),
        "Width of the lower confidence bound that chooses the move, in standard deviations; 0 chooses the most visited move (KataGo: 5).";
    lcb_share: f32 = 0.2, (0.0, 1.0),
        "Visits that a move needs to be chosen by its lower bound, as a share of the most visited move's (KataGo: 0.2).";
    prior_even: f32 = 10.0, (0.0, 1000.0),
        "Visits of an even prior for every move (michi: 10).";
    prior_self_atari: f32 = 10.0, (0.0, 1000.0),
        "Lost prior visits for a self-atari (michi: 10).";
    prior_capture_one: f32 = 15.0, (0.0, 1000.0),
        "Won prior visits for capturing or saving a stone (michi: 15).";
    prior_capture_many: f32 = 30.0, (0.0, 1000.0),
        "Won prior visits for capturing or saving several stones (michi: 30).";
    prior_pattern: f32 = 10.0, (0.0, 1000.0),
        "Won prior visits for a 3x3 pattern (michi: 10).";
    prior_near_1: f32 = 24.0, (0.0, 1000.0),
        "Won prior visits at common fate distance 1 from the last move (michi: 24).";
    prior_near_2: f32 = 22.0, (0.0, 1000.0),
        "Won prior visits at common fate distance 2 from the last move (michi: 22).";
    prior_near_3: f32 = 8.0, (0.0, 1000.0),
        "Won prior visits at common fate distance 3 from the last move (michi: 8).";
    prior_open: f32 = 10.0, (0.0, 1000.0),
        "Prior visits in an empty neighbourhood: lost on lines 1 and 2, won on lines 3 and 4 (michi: 10).";
    prior_pass: f32 = 10.0, (0.0, 1000.0),
        "Lost prior visits for a pass.";
    playout_capture: f32 = 0.9, (0.0, 1.0),
        "Rate at which playouts capture a chain in atari next to the last move.";
    playout_escape: f32 = 0.9, (0.0, 1.0),
        "Rate at which playouts save a chain that the last move put into atari.";
    playout_two_liberties: f32 = 0.0, (0.0, 1.0),
        "Rate at which playouts answer when the last move left a chain with two liberties.";
    playout_nakade: f32 = 0.8, (0.0, 1.0),
        "Rate at which playouts play the vital point of an eye space that the last move touches (Pachi: 0.8).";
    playout_pattern: f32 = 0.95, (0.0, 1.0),
        "Rate at which playouts play a 3x3 pattern next to the last two moves (michi: 0.95).";
    playout_self_atari: f32 = 0.9, (0.0, 1.0),
        "Rate at which playouts reject a random self-atari (Pachi: 0.6 to 0.95).";
}

impl SearchParams {
    /// The symmetry in which a network sees every board, if it is always the same.
    pub fn fixed_symmetry(&self) -> Option<u8> {
        u8::try_from(self.symmetry).ok()
    }

    /// The rates of the heavy playout policy.
    pub fn playout(&self) -> PlayoutParams {
        let rate = |x: f32| (x * 256.0).round() as u16;
        PlayoutParams {
            capture: rate(self.playout_capture),
            escape: rate(self.playout_escape),
            two_liberties: rate(self.playout_two_liberties),
            nakade: rate(self.playout_nakade),
            pattern: rate(self.playout_pattern),
            self_atari: rate(self.playout_self_atari),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_is_got_and_set_by_name() {
        let mut p = SearchParams::default();
        for info in SearchParams::LIST {
            let default = p.get(info.name).unwrap();
            let (least, most) = info.range;
            let number: f32 = default.parse().unwrap();
            assert!((least..=most).contains(&number), "{}", info.name);
            assert!(p.set(info.name, &most.to_string()));
            assert_eq!(p.get(info.name), Some(most.to_string()));
            assert!(!p.set(info.name, &(most + 1.0).to_string()));
            assert!(!p.set(info.name, "NaN"));
        }
        assert!(!p.set("no_such_thing", "1"));
        assert!(!p.set("expand_visits", "1.5"), "visits are whole");
    }
}
