use super::{HandicapBonus, KoRule, LongCycle, Ruleset, Scoring, Settlement, SuicideRule, Tax};
use crate::types::Komi;

/// A named ruleset.
#[derive(Debug)]
pub struct Preset {
    /// The name under which front ends and the command line know it.
    pub name: &'static str,
    /// Other spellings that are accepted.
    pub aliases: &'static [&'static str],
    /// One line: the text it follows.
    pub source: &'static str,
    /// Its fields.
    pub rules: Ruleset,
}

/// The fields of the Tromp–Taylor rules, from which the other area rulesets
/// differ by the fields that they name.
const TROMP_TAYLOR: Ruleset = Ruleset {
    ko: KoRule::Positional,
    suicide: SuicideRule::SeveralStones,
    scoring: Scoring::Area,
    tax: Tax::None,
    pass_costs_stone: false,
    white_passes_last: false,
    komi: Komi::half_points(15),
    handicap_komi: Komi::half_points(15),
    handicap_bonus: HandicapBonus::Zero,
    handicap_by_passes: false,
    long_cycle: LongCycle::PlaysOn,
    settlement: Settlement::PlayOut,
};

/// The text of the New Zealand Go Society.
pub(super) const NEW_ZEALAND: Ruleset = Ruleset {
    ko: KoRule::OwnMoves,
    suicide: SuicideRule::Any,
    komi: Komi::half_points(14),
    handicap_komi: Komi::half_points(0),
    handicap_by_passes: true,
    settlement: Settlement::Agreement,
    ..TROMP_TAYLOR
};

/// Every ruleset the engine knows by name.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "new-zealand",
        aliases: &["nz", "newzealand"],
        source: "Rules of Go of the New Zealand Go Society",
        rules: NEW_ZEALAND,
    },
    Preset {
        name: "uk",
        aliases: &["uk-go-challenge"],
        source: "UK Go Challenge rules (British Go Association)",
        rules: Ruleset {
            ko: KoRule::OwnMoves,
            suicide: SuicideRule::Forbidden,
            scoring: Scoring::Territory,
            pass_costs_stone: true,
            white_passes_last: true,
            komi: Komi::half_points(14),
            handicap_komi: Komi::half_points(1),
            settlement: Settlement::Agreement,
            ..TROMP_TAYLOR
        },
    },
    Preset {
        name: "japanese",
        aliases: &["japan", "jp"],
        source: "Japanese rules of 1989 (Nihon Ki-in and Kansai Ki-in)",
        rules: Ruleset {
            ko: KoRule::Simple,
            suicide: SuicideRule::Forbidden,
            scoring: Scoring::Territory,
            tax: Tax::Seki,
            komi: Komi::half_points(13),
            handicap_komi: Komi::half_points(1),
            long_cycle: LongCycle::NoResult,
            settlement: Settlement::Confirmation,
            ..TROMP_TAYLOR
        },
    },
    Preset {
        name: "chinese",
        aliases: &["china", "cn"],
        source: "Chinese rules of 2002, with the simple ko of play over the board",
        rules: Ruleset {
            ko: KoRule::Simple,
            suicide: SuicideRule::Forbidden,
            handicap_bonus: HandicapBonus::N,
            handicap_komi: Komi::half_points(1),
            long_cycle: LongCycle::NoResult,
            settlement: Settlement::Agreement,
            ..TROMP_TAYLOR
        },
    },
    Preset {
        name: "chinese-kgs",
        aliases: &[],
        source: "Chinese rules of 2002 with positional superko, as on the KGS Go server",
        rules: Ruleset {
            ko: KoRule::Positional,
            suicide: SuicideRule::Forbidden,
            handicap_bonus: HandicapBonus::N,
            handicap_komi: Komi::half_points(1),
            settlement: Settlement::Agreement,
            ..TROMP_TAYLOR
        },
    },
    Preset {
        name: "tromp-taylor",
        aliases: &["tromp_taylor", "tt"],
        source: "Tromp–Taylor rules, with suicide of several stones",
        rules: TROMP_TAYLOR,
    },
    Preset {
        name: "aga",
        aliases: &["usa"],
        source: "AGA Concise Rules of Go",
        rules: Ruleset {
            ko: KoRule::Situational,
            suicide: SuicideRule::Forbidden,
            handicap_bonus: HandicapBonus::NMinusOne,
            handicap_komi: Komi::half_points(1),
            pass_costs_stone: false,
            settlement: Settlement::Agreement,
            ..TROMP_TAYLOR
        },
    },
];

/// The ruleset of this name or alias, in any case, `_` and blanks as `-`.
pub fn preset(name: &str) -> Option<&'static Preset> {
    let name = name.trim().to_ascii_lowercase().replace(['_', ' '], "-");
    PRESETS
        .iter()
        .find(|p| p.name == name || p.aliases.iter().any(|a| a.replace('_', "-") == name))
}
