//! The rules of the JSON form, each with its writer and reader.

use crate::rules::{
    HandicapBonus, KoRule, LongCycle, Resumption, Ruleset, Scoring, Settlement, SuicideRule, Tax,
};
use crate::types::Komi;
use crate::util::{json_text, truth};
use serde_json::{Value, json};

/// One rule of the JSON form, with its writer and reader.
pub(super) struct Field {
    pub key: &'static str,
    pub expected: &'static str,
    pub get: fn(&Ruleset) -> Value,
    set: fn(&mut Ruleset, &Value) -> Option<()>,
}

impl Field {
    /// The rules with this rule changed; `None` if the value is invalid.
    pub fn changed(&self, mut rules: Ruleset, value: &Value) -> Option<Ruleset> {
        (self.set)(&mut rules, value)?;
        Some(rules)
    }
}

/// The values of a rule, and their names in JSON.
type Names<T> = &'static [(T, &'static str)];

const KO: Names<KoRule> = &[
    (KoRule::Simple, "SIMPLE"),
    (KoRule::Positional, "POSITIONAL"),
    (KoRule::Situational, "SITUATIONAL"),
    (KoRule::OwnMoves, "OWN_MOVES"),
    (KoRule::Spight, "SPIGHT"),
];
const SCORING: Names<Scoring> = &[(Scoring::Area, "AREA"), (Scoring::Territory, "TERRITORY")];
const TAX: Names<Tax> = &[(Tax::None, "NONE"), (Tax::Seki, "SEKI"), (Tax::All, "ALL")];
const LONG_CYCLE: Names<LongCycle> = &[
    (LongCycle::NoResult, "NO_RESULT"),
    (LongCycle::PlaysOn, "PLAYS_ON"),
];
const SETTLEMENT: Names<Settlement> = &[
    (Settlement::PlayOut, "PLAY_OUT"),
    (Settlement::Agreement, "AGREEMENT"),
    (Settlement::Confirmation, "CONFIRMATION"),
];
const RESUMPTION: Names<Resumption> = &[
    (Resumption::Alternation, "ALTERNATION"),
    (Resumption::OpponentFirst, "OPPONENT_FIRST"),
    (Resumption::ByAgreement, "BY_AGREEMENT"),
];
const HANDICAP_BONUS: Names<HandicapBonus> = &[
    (HandicapBonus::Zero, "0"),
    (HandicapBonus::N, "N"),
    (HandicapBonus::NMinusOne, "N-1"),
];

/// The name of a value.
fn name<T: PartialEq>(names: Names<T>, value: T) -> Value {
    names.iter().find(|n| n.0 == value).map(|n| n.1).into()
}

/// The value with this name, in upper or lower case; the name `0` may be a number.
fn named<T: Copy>(names: Names<T>, v: &Value) -> Option<T> {
    let text = json_text(v);
    let found = names.iter().find(|n| n.1.eq_ignore_ascii_case(&text));
    found.map(|n| n.0)
}

fn boolean(v: &Value) -> Option<bool> {
    v.as_bool().or_else(|| truth(v.as_str()?))
}

fn komi(v: &Value) -> Option<Komi> {
    let points = match v {
        Value::Number(n) => n.as_f64()?,
        Value::String(s) => s.parse().ok()?,
        _ => return None,
    };
    Komi::new(points).ok()
}

macro_rules! fields {
    ($($key:literal $expected:literal, $get:expr, $set:expr;)*) => {
        &[$(Field {
            key: $key,
            expected: $expected,
            get: $get,
            set: $set,
        },)*]
    };
}

/// All rules, in the order of `kata-get-rules`.
pub(super) const FIELDS: &[Field] = fields! {
    "ko" "SIMPLE, POSITIONAL, SITUATIONAL, OWN_MOVES or SPIGHT",
        |r| name(KO, r.ko),
        |r, v| {
            r.ko = named(KO, v)?;
            r.long_cycle = match r.ko {
                KoRule::Simple => LongCycle::NoResult,
                _ => LongCycle::PlaysOn,
            };
            Some(())
        };
    "scoring" "AREA or TERRITORY",
        |r| name(SCORING, r.scoring),
        |r, v| {
            r.scoring = named(SCORING, v)?;
            // Playing out costs points under territory scoring, so the settlement
            // follows the scoring unless it is set explicitly.
            match (r.scoring, r.settlement) {
                (Scoring::Territory, Settlement::PlayOut) => {
                    r.settlement = Settlement::Confirmation;
                    r.resumption = Resumption::OpponentFirst;
                }
                (Scoring::Area, Settlement::Confirmation) => {
                    r.settlement = Settlement::Agreement;
                    r.resumption = Resumption::Alternation;
                }
                _ => {}
            }
            Some(())
        };
    "tax" "NONE, SEKI or ALL",
        |r| name(TAX, r.tax), |r, v| named(TAX, v).map(|x| r.tax = x);
    "suicide" "true (several stones) or false",
        |r| json!(r.suicide != SuicideRule::Forbidden),
        |r, v| {
            r.suicide = match (boolean(v)?, r.suicide) {
                (false, _) => SuicideRule::Forbidden,
                (true, SuicideRule::Any) => SuicideRule::Any,
                (true, _) => SuicideRule::SeveralStones,
            };
            Some(())
        };
    "singleStoneSuicide" "true or false",
        |r| json!(r.suicide == SuicideRule::Any),
        |r, v| {
            r.suicide = match (boolean(v)?, r.suicide) {
                (true, _) => SuicideRule::Any,
                (false, SuicideRule::Any) => SuicideRule::SeveralStones,
                (false, other) => other,
            };
            Some(())
        };
    "whiteHandicapBonus" "0, N-1 or N",
        |r| name(HANDICAP_BONUS, r.handicap_bonus),
        |r, v| named(HANDICAP_BONUS, v).map(|x| r.handicap_bonus = x);
    // As in KataGo, where it applies to area scoring only.
    "friendlyPassOk" "true or false",
        |r| json!(r.settlement != Settlement::PlayOut),
        |r, v| {
            r.settlement = match (boolean(v)?, r.scoring, r.settlement) {
                (false, Scoring::Area, _) => Settlement::PlayOut,
                (true, _, Settlement::PlayOut) => Settlement::Agreement,
                (_, _, other) => other,
            };
            Some(())
        };
    "passCostsStone" "true or false",
        |r| json!(r.pass_costs_stone), |r, v| boolean(v).map(|x| r.pass_costs_stone = x);
    "whitePassesLast" "true or false",
        |r| json!(r.white_passes_last), |r, v| boolean(v).map(|x| r.white_passes_last = x);
    "hasButton" "true or false",
        |r| json!(r.button), |r, v| boolean(v).map(|x| r.button = x);
    "handicapByPasses" "true or false",
        |r| json!(r.handicap_by_passes), |r, v| boolean(v).map(|x| r.handicap_by_passes = x);
    "longCycle" "NO_RESULT or PLAYS_ON",
        |r| name(LONG_CYCLE, r.long_cycle), |r, v| named(LONG_CYCLE, v).map(|x| r.long_cycle = x);
    "deadStones" "PLAY_OUT, AGREEMENT or CONFIRMATION",
        |r| name(SETTLEMENT, r.settlement), |r, v| named(SETTLEMENT, v).map(|x| r.settlement = x);
    "resumption" "ALTERNATION, OPPONENT_FIRST or BY_AGREEMENT",
        |r| name(RESUMPTION, r.resumption), |r, v| named(RESUMPTION, v).map(|x| r.resumption = x);
    "komi" "a number of points",
        |r| json!(r.komi.points()),
        |r, v| {
            r.komi = komi(v)?;
            r.handicap_komi = r.komi;
            Some(())
        };
};

/// Expand `score`, which KataGo accepts for `scoring`.
pub(super) fn full_name(key: &str) -> &str {
    if key == "score" { "scoring" } else { key }
}

pub(super) fn field(key: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|f| f.key == full_name(key))
}
