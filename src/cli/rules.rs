//! `ponnuki rules` and the table of rulesets in the README.

use crate::rules::{HandicapBonus, KoRule, PRESETS, Preset, Scoring, Settlement, SuicideRule, Tax};
use std::io::{self, Write};

/// A ruleset in words, column by column.
fn row(p: &Preset) -> [String; 8] {
    let r = &p.rules;
    let ko = match r.ko {
        KoRule::Simple => "simple ko",
        KoRule::Positional => "positional superko",
        KoRule::Situational => "situational superko",
        KoRule::OwnMoves => "no position after one's own earlier moves",
    };
    let suicide = match r.suicide {
        SuicideRule::Forbidden => "no",
        SuicideRule::SeveralStones => "of several stones",
        SuicideRule::Any => "yes",
    };
    let mut scoring = match r.scoring {
        Scoring::Area => "area",
        Scoring::Territory => "territory and prisoners",
    }
    .to_owned();
    if r.pass_costs_stone {
        scoring.push_str(", a pass costs a stone");
    }
    if r.white_passes_last {
        scoring.push_str(", White passes last");
    }
    if r.tax == Tax::Seki {
        scoring.push_str(", none in seki");
    }
    if r.settlement == Settlement::PlayOut {
        scoring.push_str(", all stones alive");
    }
    let bonus = match r.handicap_bonus {
        HandicapBonus::Zero => "nothing",
        HandicapBonus::N => "1 a handicap stone",
        HandicapBonus::NMinusOne => "1 a handicap stone but the first",
    };
    [
        p.name.to_owned(),
        p.source.to_owned(),
        ko.to_owned(),
        suicide.to_owned(),
        scoring,
        r.komi.to_string(),
        r.handicap_komi.to_string(),
        bonus.to_owned(),
    ]
}

const HEADINGS: [&str; 8] = [
    "rules",
    "source",
    "ko",
    "suicide",
    "scoring",
    "komi",
    "with handicap",
    "White also gets",
];

/// The table of rulesets for the README.
pub fn rules_markdown() -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&HEADINGS.map(str::to_owned));
    text.push_str(&format!("|{}\n", "---|".repeat(HEADINGS.len())));
    for p in PRESETS {
        let mut cells = row(p);
        cells[0] = format!("`{}`", cells[0]);
        text.push_str(&line(&cells));
    }
    text
}

/// Every ruleset with its fields, in words and as JSON.
///
/// # Errors
/// If the output is closed.
pub(super) fn list(out: &mut impl Write) -> io::Result<()> {
    for p in PRESETS {
        let cells = row(p);
        writeln!(out, "{}", cells[0])?;
        for (heading, cell) in HEADINGS.iter().zip(&cells).skip(1) {
            writeln!(out, "  {heading:15} {cell}")?;
        }
        writeln!(out, "  {:15} {}\n", "JSON", p.rules.to_json())?;
    }
    Ok(())
}
