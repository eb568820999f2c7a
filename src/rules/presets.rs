use super::{
    Called, HandicapBonus, KoRule, LongCycle, Resumption, Ruleset, Scoring, Settlement,
    SuicideRule, Tax,
};
use crate::types::Komi;

/// A named ruleset.
#[derive(Debug)]
pub struct Preset {
    /// The name used by front ends and the command line.
    pub name: &'static str,
    /// Other accepted spellings.
    pub aliases: &'static [&'static str],
    /// The rule text it follows, in one line.
    pub source: &'static str,
    /// The articles cited in refusals of moves and in explanations.
    pub cites: Citations,
    /// The usual board size.
    pub board: u8,
    /// The rules.
    pub rules: Ruleset,
    /// KataGo's rules of this name, if they differ: those that a client expects when it
    /// sends the name with `kata-set-rules`.
    pub katago: Option<Ruleset>,
}

/// Articles of a rule text, as refusals of moves and explanations cite them.
#[derive(Clone, Copy, Debug)]
pub struct Citations {
    /// The article on ko and repetition.
    pub repetition: &'static str,
    /// The article on suicide; empty if the text forbids no suicide.
    pub suicide: &'static str,
    /// The articles on life and death; those of the Japanese rules if the text has none.
    pub end: EndCitations,
}

/// Articles on life and death at the end of the game.
#[derive(Clone, Copy, Debug)]
pub struct EndCitations {
    /// On life and death.
    pub life: &'static str,
    /// On live stones.
    pub alive: &'static str,
    /// On filling dame and playing teire.
    pub filling: &'static str,
    /// On removing dead stones.
    pub removal: &'static str,
}

/// Citations of the Japanese rules of 1989.
pub(super) const JAPANESE_END: EndCitations = EndCitations {
    life: "Article 7",
    alive: "Article 7.1",
    filling: "Article 9.2",
    removal: "Article 10.1",
};

/// The Tromp–Taylor rules. Other presets list the fields that differ.
pub(super) const TROMP_TAYLOR: Ruleset = Ruleset {
    ko: KoRule::Positional,
    suicide: SuicideRule::SeveralStones,
    scoring: Scoring::Area,
    tax: Tax::None,
    pass_costs_stone: false,
    white_passes_last: false,
    button: false,
    komi: Komi::half_points(15),
    handicap_komi: Komi::half_points(15),
    handicap_bonus: HandicapBonus::Zero,
    handicap_by_passes: false,
    long_cycle: LongCycle::PlaysOn,
    settlement: Settlement::PlayOut,
    resumption: Resumption::Alternation,
    called: Called(None),
};

/// The text of the New Zealand Go Society.
pub(super) const NEW_ZEALAND: Ruleset = Ruleset {
    ko: KoRule::OwnMoves,
    suicide: SuicideRule::Any,
    komi: Komi::half_points(14),
    handicap_komi: Komi::half_points(0),
    handicap_by_passes: true,
    settlement: Settlement::Agreement,
    resumption: Resumption::ByAgreement,
    ..TROMP_TAYLOR
};

const JAPANESE: Ruleset = Ruleset {
    ko: KoRule::Simple,
    suicide: SuicideRule::Forbidden,
    scoring: Scoring::Territory,
    tax: Tax::Seki,
    komi: Komi::half_points(13),
    handicap_komi: Komi::half_points(1),
    long_cycle: LongCycle::NoResult,
    settlement: Settlement::Confirmation,
    resumption: Resumption::OpponentFirst,
    ..TROMP_TAYLOR
};

const CHINESE: Ruleset = Ruleset {
    ko: KoRule::Simple,
    suicide: SuicideRule::Forbidden,
    handicap_bonus: HandicapBonus::N,
    handicap_komi: Komi::half_points(1),
    long_cycle: LongCycle::NoResult,
    settlement: Settlement::Agreement,
    ..TROMP_TAYLOR
};

const CHINESE_SUPERKO: Ruleset = Ruleset {
    ko: KoRule::Positional,
    long_cycle: LongCycle::PlaysOn,
    ..CHINESE
};

const AGA: Ruleset = Ruleset {
    ko: KoRule::Situational,
    suicide: SuicideRule::Forbidden,
    handicap_bonus: HandicapBonus::NMinusOne,
    handicap_komi: Komi::half_points(1),
    settlement: Settlement::Agreement,
    ..TROMP_TAYLOR
};

const CITES_CHINESE_SUPERKO: Citations = Citations {
    repetition: "Chinese rules, Article 6",
    suicide: "Chinese rules, Article 5",
    end: JAPANESE_END,
};

const CITES_AGA: Citations = Citations {
    repetition: "AGA Rule 6",
    suicide: "AGA Rule 5",
    end: JAPANESE_END,
};

/// All named rulesets. Of rows with the same fields, all but the first set
/// [`Ruleset::called`].
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "new-zealand",
        aliases: &["nz"],
        source: "Rules of Go of the New Zealand Go Society",
        cites: Citations {
            repetition: "New Zealand rules, move",
            suicide: "",
            end: JAPANESE_END,
        },
        board: 19,
        rules: NEW_ZEALAND,
        katago: Some(Ruleset {
            ko: KoRule::Situational,
            suicide: SuicideRule::SeveralStones,
            ..NEW_ZEALAND
        }),
    },
    Preset {
        name: "uk",
        aliases: &["uk-go-challenge"],
        source: "UK Go Challenge rules (British Go Association, 2007)",
        cites: Citations {
            repetition: "UK Go Challenge 4.1",
            suicide: "UK Go Challenge 4.2",
            end: JAPANESE_END,
        },
        board: 13,
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
        katago: None,
    },
    Preset {
        name: "japanese",
        aliases: &["japan", "jp"],
        source: "Japanese rules of 1989 (Nihon Ki-in and Kansai Ki-in)",
        cites: Citations {
            repetition: "Japanese rules, Article 6",
            suicide: "Japanese rules, Article 4",
            end: JAPANESE_END,
        },
        board: 19,
        rules: JAPANESE,
        katago: None,
    },
    Preset {
        name: "egf-japanese",
        aliases: &["egf"],
        source: "Japanese rules of 1989 with the Game End Module, as used by the European Go Federation",
        cites: Citations {
            repetition: "Japanese rules as used by the EGF, section 6",
            suicide: "Japanese rules as used by the EGF, section 4",
            end: EndCitations {
                life: "section 7",
                alive: "section 7.1",
                filling: "section A2.1",
                removal: "section A2.3",
            },
        },
        board: 19,
        rules: Ruleset {
            resumption: Resumption::Alternation,
            ..JAPANESE
        },
        katago: None,
    },
    Preset {
        name: "korean",
        aliases: &["korea"],
        source: "Korean rules, with the settings of the Japanese ones",
        cites: Citations {
            repetition: "Korean rules",
            suicide: "Korean rules",
            end: JAPANESE_END,
        },
        board: 19,
        rules: Ruleset {
            called: Called(Some("korean")),
            ..JAPANESE
        },
        katago: None,
    },
    Preset {
        name: "chinese",
        aliases: &["china", "cn"],
        source: "Chinese rules of 2002, with the ko of Article 20 as referees apply it",
        cites: Citations {
            repetition: "Chinese rules, Article 20",
            suicide: "Chinese rules, Article 5",
            end: JAPANESE_END,
        },
        board: 19,
        rules: CHINESE,
        katago: None,
    },
    Preset {
        name: "chinese-kgs",
        aliases: &[],
        source: "Chinese rules of 2002 with the superko of Article 6, as on the KGS Go Server",
        cites: CITES_CHINESE_SUPERKO,
        board: 19,
        rules: CHINESE_SUPERKO,
        katago: None,
    },
    Preset {
        name: "chinese-ogs",
        aliases: &[],
        source: "Chinese rules of 2002 with the superko of Article 6, as on the Online Go Server",
        cites: CITES_CHINESE_SUPERKO,
        board: 19,
        rules: Ruleset {
            called: Called(Some("chinese-ogs")),
            ..CHINESE_SUPERKO
        },
        katago: None,
    },
    Preset {
        name: "aga",
        aliases: &["usa", "french"],
        source: "AGA Rules of Go, counted by area",
        cites: CITES_AGA,
        board: 19,
        rules: AGA,
        katago: None,
    },
    Preset {
        name: "bga",
        aliases: &["british"],
        source: "AGA rules as the British Go Association interprets them, counted by area",
        cites: CITES_AGA,
        board: 19,
        rules: Ruleset {
            called: Called(Some("bga")),
            ..AGA
        },
        katago: None,
    },
    Preset {
        name: "aga-button",
        aliases: &[],
        source: "AGA rules with button go: the first pass is worth half a point and does not count towards the end",
        cites: CITES_AGA,
        board: 19,
        rules: Ruleset {
            button: true,
            komi: Komi::half_points(14),
            ..AGA
        },
        katago: None,
    },
    // Komi is 8 points and Black wins ties: the same winner as with 7.5, because area
    // margins are whole points. Positional superko replaces the rule of fighting and
    // disturbing kos.
    Preset {
        name: "ing",
        aliases: &["goe"],
        source: "Ing's rules of 1996, with positional superko in place of their ko rule",
        cites: Citations {
            repetition: "Ing's rules, invariation",
            suicide: "Ing's rules, invariation",
            end: JAPANESE_END,
        },
        board: 19,
        rules: Ruleset {
            handicap_komi: Komi::half_points(1),
            settlement: Settlement::Agreement,
            ..TROMP_TAYLOR
        },
        katago: None,
    },
    Preset {
        name: "tromp-taylor",
        aliases: &["tt"],
        source: "Tromp-Taylor rules",
        cites: Citations {
            repetition: "Tromp-Taylor rules, 6",
            suicide: "Tromp-Taylor rules, 6",
            end: JAPANESE_END,
        },
        board: 19,
        rules: TROMP_TAYLOR,
        katago: None,
    },
    Preset {
        name: "stone-scoring",
        aliases: &["stone", "ancient-area"],
        source: "Old Chinese counting: only stones, and every group keeps two eyes",
        cites: Citations {
            repetition: "stone scoring, ko",
            suicide: "stone scoring, suicide",
            end: JAPANESE_END,
        },
        board: 19,
        rules: Ruleset {
            tax: Tax::All,
            handicap_bonus: HandicapBonus::Zero,
            ..CHINESE
        },
        katago: None,
    },
    Preset {
        name: "ancient-territory",
        aliases: &[],
        source: "Territory counting with the group tax of stone scoring",
        cites: Citations {
            repetition: "ancient territory, ko",
            suicide: "ancient territory, suicide",
            end: JAPANESE_END,
        },
        board: 19,
        rules: Ruleset {
            tax: Tax::All,
            ..JAPANESE
        },
        katago: None,
    },
];

/// Find a preset by name or alias, ignoring case and the separators `-`, `_`, `–` and blank.
///
/// ```
/// use ponnuki::rules::{KoRule, preset};
///
/// let nz = preset("New Zealand").unwrap();
/// assert_eq!(nz.name, "new-zealand");
/// assert_eq!(nz.rules.ko, KoRule::OwnMoves);
/// assert_eq!(nz.rules.komi.points(), 7.0);
/// assert!(preset("calvinball").is_none());
/// ```
pub fn preset(name: &str) -> Option<&'static Preset> {
    let plain = |text: &str| text.trim().to_lowercase().replace(['-', '_', ' ', '–'], "");
    let name = plain(name);
    PRESETS
        .iter()
        .find(|p| plain(p.name) == name || p.aliases.iter().any(|a| plain(a) == name))
}
