use crate::playout::PlayoutParams;
use crate::search::parameter::search_params;

search_params! {
    /// Parameters of the search by playouts.
    RaveParams:
    "RAVE" {
        expand_visits: u32 = 8, (1, 1000),
            "Visits at which a leaf is expanded (Pachi, michi: 8).";
        rave_equivalent: f32 = 3500.0, (0.0, 1e6),
            "Visits at which AMAF values and a node's own results weigh about the same; 0 disables RAVE (michi: 3500).";
        exploration: f32 = 0.0, (0.0, 10.0),
            "Weight of the UCB term; with RAVE, 0 is best (Fuego: 0).";
        score_weight: f32 = 0.04, (0.0, 0.5),
            "Share of a playout's value that comes from the margin instead of the win.";
        score_scale: f32 = 0.15, (0.01, 1.0),
            "Margin, as a share of the board's points, at which `score_weight` counts in full.";
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
    }
    "Playouts" {
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
}

impl RaveParams {
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
