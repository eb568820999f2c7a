//! `ponnuki rules`.

use crate::rules::{HandicapBonus, KoRule, PRESETS, Preset, Scoring, SuicideRule, Tax};
use std::io::{self, Write};

/// The row of a ruleset in the terminal's table.
fn row(p: &Preset) -> [String; 8] {
    let r = &p.rules;
    let ko = match r.ko {
        KoRule::Simple => "simple",
        KoRule::Positional => "positional",
        KoRule::Situational => "situational",
        KoRule::OwnMoves => "own moves",
        KoRule::Spight => "spight",
    };
    let suicide = match r.suicide {
        SuicideRule::Forbidden => "no",
        SuicideRule::SeveralStones => "several",
        SuicideRule::Any => "yes",
    };
    let mut scoring = match r.scoring {
        Scoring::Area => "area",
        Scoring::Territory => "territory",
    }
    .to_owned();
    scoring.push_str(match r.tax {
        Tax::None => "",
        Tax::Seki => ", seki tax",
        Tax::All => ", group tax",
    });
    let mut passes = Vec::new();
    if r.pass_costs_stone {
        passes.push("cost a stone");
    }
    if r.white_passes_last {
        passes.push("White last");
    }
    if r.button {
        passes.push("button");
    }
    if r.handicap_by_passes {
        passes.push("handicap");
    }
    let bonus = match r.handicap_bonus {
        HandicapBonus::Zero => "0",
        HandicapBonus::N => "N",
        HandicapBonus::NMinusOne => "N-1",
    };
    [
        p.name.to_owned(),
        ko.to_owned(),
        suicide.to_owned(),
        scoring,
        passes.join(", "),
        r.komi.to_string(),
        r.handicap_komi.to_string(),
        bonus.to_owned(),
    ]
}

const HEADINGS: [&str; 8] = [
    "rules", "ko", "suicide", "scoring", "passes", "komi", "handicap", "+ stones",
];

/// Print every ruleset: a table, then the source of each and its rules in the format
/// of `kata-set-rules`.
///
/// # Errors
/// If the output is closed.
pub(super) fn list(out: &mut impl Write) -> io::Result<()> {
    let mut rows = vec![HEADINGS.map(str::to_owned)];
    rows.extend(PRESETS.iter().map(row));
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|r| r.get(column));
        cells.map(|c| c.chars().count()).max().unwrap_or(0)
    };
    for row in &rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            line.push_str(&format!("{cell:<w$}  ", w = width(column)));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    writeln!(
        out,
        "\nhandicap: komi of a handicap game; + stones: what White gets for N handicap stones.\n"
    )?;
    for p in PRESETS {
        writeln!(out, "{}: {}.", p.name, p.source)?;
        if !p.aliases.is_empty() {
            writeln!(out, "  also: {}", p.aliases.join(", "))?;
        }
        writeln!(out, "  {}", p.rules.to_json())?;
        if let Some(other) = p.katago {
            writeln!(
                out,
                "  by kata-set-rules, as KataGo plays it: {}",
                other.to_json()
            )?;
        }
    }
    Ok(())
}
