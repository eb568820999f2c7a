use crate::search::parameter::search_params;

search_params! {
    /// Parameters of the search with a network.
    PuctParams:
    "PUCT" {
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
            "Weight of evaluations whose predicted error is small: this divided by the error, and never more than `uncertainty_most`; 0 weights all evaluations equally (KataGo: 0.25).";
        uncertainty_most: f32 = 8.0, (1.0, 100.0),
            "Limit of an evaluation's weight (KataGo: 8).";
        bias_correction: f32 = 0.45, (0.0, 1.0),
            "Subtree value bias correction: share of the network's mean error in similar local shapes by which evaluations are corrected; 0 disables it (KataGo: 0.45).";
        bias_power: f32 = 0.85, (0.0, 1.0),
            "Exponent of a position's weight in this mean error (KataGo: 0.85).";
        lcb_deviations: f32 = 5.0, (0.0, 10.0),
            "Width of the lower confidence bound that chooses the move, in standard deviations; 0 chooses the most visited move (KataGo: 5).";
        lcb_share: f32 = 0.2, (0.0, 1.0),
            "Visits that a move needs to be chosen by its lower bound, as a share of the most visited move's (KataGo: 0.2).";
    }
    "Policy" {
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
            "Board symmetry for the network, from 0 to 7; -1 lets the position's hash choose.";
        root_symmetries: u8 = 1, (1, 8),
            "Number of symmetries averaged in the network's evaluation of the root.";
    }
}

impl PuctParams {
    /// The symmetry in which a network sees every board, if it is always the same.
    pub fn fixed_symmetry(&self) -> Option<u8> {
        u8::try_from(self.symmetry).ok()
    }
}
