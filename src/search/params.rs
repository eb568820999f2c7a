//! The numbers of the search. One row a parameter, from which the struct, its
//! defaults and the list for tuning and `kata-set-param` are generated.

use crate::playout::PlayoutParams;

/// A parameter, for listing and setting by name.
#[derive(Clone, Copy, Debug)]
pub struct ParamInfo {
    /// Its name.
    pub name: &'static str,
    /// Its default.
    pub default: f32,
    /// Smallest and largest value that makes sense.
    pub range: (f32, f32),
    /// What it does, in which unit, and where it comes from.
    pub doc: &'static str,
}

macro_rules! search_params {
    ($($name:ident = $default:expr, $range:expr, $doc:expr;)*) => {
        /// The numbers of the search; see [`SearchParams::LIST`].
        #[derive(Clone, Debug, PartialEq)]
        pub struct SearchParams {
            $(#[doc = $doc] pub $name: f32,)*
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
                default: $default,
                range: $range,
                doc: $doc,
            },)*];

            /// The value of a parameter, by name.
            pub fn get(&self, name: &str) -> Option<f32> {
                match name {
                    $(stringify!($name) => Some(self.$name),)*
                    _ => None,
                }
            }

            /// Set a parameter by name; false if there is none or the value is
            /// out of its range.
            pub fn set(&mut self, name: &str, value: f32) -> bool {
                let fits = |range: (f32, f32)| value >= range.0 && value <= range.1;
                match name {
                    $(stringify!($name) if fits($range) => self.$name = value,)*
                    _ => return false,
                }
                true
            }
        }
    };
}

search_params! {
    expand_visits = 8.0, (1.0, 1000.0),
        "Visits at which a leaf gets children (Pachi, michi: 8).";
    rave_equivalent = 3500.0, (0.0, 1e6),
        "Visits at which AMAF and own results weigh the same, roughly; 0 switches RAVE off (michi: 3500).";
    exploration = 0.0, (0.0, 10.0),
        "Weight of the UCB term; with RAVE, 0 is best (Fuego: 0).";
    score_weight = 0.04, (0.0, 0.5),
        "Share of a playout's value that depends on the margin instead of the win.";
    score_scale = 0.15, (0.01, 1.0),
        "Margin, as a share of the board, at which that share is nearly all won.";
    cpuct = 1.0, (0.0, 10.0),
        "With a network: weight of the priors (KataGo: 1.0).";
    cpuct_log = 0.45, (0.0, 10.0),
        "… and what it grows by as visits multiply by e (KataGo: 0.45).";
    cpuct_base = 500.0, (1.0, 1e6),
        "… above so many visits (KataGo: 500).";
    cpuct_stdev = 0.85, (0.0, 1.0),
        "… and how far it follows the deviation of the values (KataGo: 0.85).";
    fpu_reduction = 0.2, (0.0, 2.0),
        "By how much a move without visits is valued below its parent, by the square root of the policy seen (KataGo: 0.2).";
    root_fpu_reduction = 0.1, (0.0, 2.0),
        "The same at the root (KataGo: 0.1).";
    score_static = 0.1, (0.0, 1.0),
        "Weight of the margin, with a network (KataGo: 0.1).";
    score_dynamic = 0.3, (0.0, 1.0),
        "Weight of the margin compared with the expected one (KataGo: 0.3).";
    policy_temperature = 1.0, (0.1, 10.0),
        "Temperature of the network's policy.";
    root_policy_temperature = 1.0, (0.1, 10.0),
        "The same at the root: above 1 for variety.";
    root_noise = 0.0, (0.0, 1.0),
        "Share of chance in the priors at the root, for variety.";
    optimism = 1.0, (0.0, 1.0),
        "Weight of the optimistic policy, in networks that have one (KataGo: 1.0).";
    root_optimism = 0.2, (0.0, 1.0),
        "The same at the root (KataGo: 0.2).";
    symmetry = -1.0, (-1.0, 7.0),
        "Symmetry in which the network sees the board, from 0 to 7; -1 for a random one.";
    root_symmetries = 1.0, (1.0, 8.0),
        "Symmetries over which the network's evaluation of the root is averaged.";
    lcb_deviations = 5.0, (0.0, 10.0),
        "The move is chosen by its utility less so many deviations (KataGo: 5); 0 for the most visits.";
    lcb_share = 0.2, (0.0, 1.0),
        "… among those with such a share of the most visits (KataGo: 0.2).";
    prior_even = 10.0, (0.0, 1000.0),
        "Visits of an even prior that every move gets (michi: 10).";
    prior_self_atari = 10.0, (0.0, 1000.0),
        "Losing visits for a self-atari (michi: 10).";
    prior_capture_one = 15.0, (0.0, 1000.0),
        "Winning visits for capturing or saving a stone (michi: 15).";
    prior_capture_many = 30.0, (0.0, 1000.0),
        "Winning visits for capturing or saving several stones (michi: 30).";
    prior_pattern = 10.0, (0.0, 1000.0),
        "Winning visits for a 3x3 pattern (michi: 10).";
    prior_near_1 = 24.0, (0.0, 1000.0),
        "Winning visits at common fate distance 1 from the last move (michi: 24).";
    prior_near_2 = 22.0, (0.0, 1000.0),
        "The same at distance 2 (michi: 22).";
    prior_near_3 = 8.0, (0.0, 1000.0),
        "The same at distance 3 (michi: 8).";
    prior_open = 10.0, (0.0, 1000.0),
        "Visits in an empty neighbourhood: losing on lines 1 and 2, winning on lines 3 and 4 (michi: 10).";
    prior_pass = 10.0, (0.0, 1000.0),
        "Losing visits for a pass.";
    playout_capture = 0.9, (0.0, 1.0),
        "Rate at which playouts capture a chain in atari next to the last move.";
    playout_escape = 0.9, (0.0, 1.0),
        "Rate at which playouts save a chain that the last move put into atari.";
    playout_two_liberties = 0.0, (0.0, 1.0),
        "Rate at which playouts answer when the last move left a chain with two liberties.";
    playout_nakade = 0.8, (0.0, 1.0),
        "Rate at which playouts play the vital point of an eye space that the last move touches (Pachi: 0.8).";
    playout_pattern = 0.95, (0.0, 1.0),
        "Rate at which playouts play a 3x3 pattern next to the last two moves (michi: 0.95).";
    playout_self_atari = 0.9, (0.0, 1.0),
        "Rate at which playouts reject a random self-atari (Pachi: 0.6 to 0.95).";
}

impl SearchParams {
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
            assert_eq!(p.get(info.name), Some(info.default));
            assert!(p.set(info.name, info.range.1));
            assert_eq!(p.get(info.name), Some(info.range.1));
            assert!(!p.set(info.name, info.range.1 + 1.0));
        }
        assert!(!p.set("no_such_thing", 1.0));
    }
}
