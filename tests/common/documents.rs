//! The generated parts of `docs`.

use clap::Arg;
use ponnuki::configuration::{Configuration, PARAMETERS};
use ponnuki::gtp::Session;
use ponnuki::rules::{
    HandicapBonus, KoRule, PRESETS, Preset, Scoring, Settlement, SuicideRule, Tax,
};
use ponnuki::search::SearchParams;

/// The table of `docs/commands.md`, from the session's answer to `help`.
pub fn commands(session: &mut Session) -> String {
    session.front_end.kgs_chat = true;
    let help = session.reply(b"help").unwrap();
    let mut text = String::from("| command | what it does |\n|---|---|\n");
    for line in help.trim_start_matches("= ").trim_end().lines() {
        let (synopsis, doc) = line.split_once(": ").unwrap();
        let synopsis = synopsis.replace('|', "\\|");
        text.push_str(&format!("| `{synopsis}` | {doc} |\n"));
    }
    text
}

/// The row of a ruleset in `docs/rules.md`.
fn rules_row(p: &Preset) -> [String; 8] {
    let r = &p.rules;
    let ko = match r.ko {
        KoRule::Simple => "simple ko",
        KoRule::Positional => "positional superko",
        KoRule::Situational => "situational superko",
        KoRule::OwnMoves => {
            "a move must not repeat a position left by the player's own earlier move"
        }
        KoRule::Spight => "positional superko since the last pass",
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
    match r.tax {
        Tax::None => {}
        Tax::Seki => scoring.push_str(", none in seki"),
        Tax::All => scoring.push_str(", no eyes in seki, 2 less per group"),
    }
    if r.button {
        scoring.push_str(", half a point for the first pass");
    }
    if r.settlement == Settlement::PlayOut {
        scoring.push_str(", all stones alive");
    }
    let bonus = match r.handicap_bonus {
        HandicapBonus::Zero => "nothing",
        HandicapBonus::N => "1 per handicap stone",
        HandicapBonus::NMinusOne => "1 per handicap stone except the first",
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

const RULES_HEADINGS: [&str; 8] = [
    "rules",
    "source",
    "ko",
    "suicide",
    "scoring",
    "komi",
    "komi with handicap",
    "White also gets",
];

/// Format the table of `docs/rules.md`.
pub fn rules() -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&RULES_HEADINGS.map(str::to_owned));
    text.push_str(&format!("|{}\n", "---|".repeat(RULES_HEADINGS.len())));
    for p in PRESETS {
        let mut cells = rules_row(p);
        cells[0] = format!("`{}`", cells[0]);
        text.push_str(&line(&cells));
    }
    text
}

/// Heading of options that are not parameters.
const FILES: &str = "Files and parameters";

/// The options of `docs/options.md` as a table under each heading.
pub fn options() -> String {
    let command = ponnuki::cli::command();
    let shown = |a: &&Arg| {
        a.get_long()
            .is_some_and(|l| !matches!(l, "help" | "version"))
    };
    let mut text = String::new();
    let mut headings: Vec<&str> = PARAMETERS.iter().map(|p| p.group).collect();
    headings.push(FILES);
    headings.dedup();
    for heading in headings {
        text.push_str(&format!(
            "\n### {heading}\n\n| option | meaning | default |\n|---|---|---|\n"
        ));
        let under = |a: &&Arg| a.get_help_heading().unwrap_or(FILES) == heading;
        for arg in command.get_arguments().filter(shown).filter(under) {
            text.push_str(&option_row(arg));
        }
    }
    text.push('\n');
    text
}

/// The table row of an option.
fn option_row(arg: &Arg) -> String {
    let long = arg.get_long().unwrap_or_default();
    let takes_value = arg.get_action().takes_values() && !arg.is_require_equals_set();
    let value = match arg.get_value_names().and_then(|n| n.first()) {
        Some(name) if takes_value => format!(" {name}"),
        _ => String::new(),
    };
    let defaults = arg
        .get_default_values()
        .iter()
        .filter(|_| takes_value && !arg.is_hide_default_value_set());
    let defaults: Vec<_> = defaults.map(|v| v.to_string_lossy()).collect();
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    format!("| `--{long}{value}` | {help} | {} |\n", defaults.join(" "))
}

/// The sample configuration of `docs/ponnuki.toml`: each setting commented out, with its help and its
/// default, or an example if the default varies.
pub fn sample_configuration() -> String {
    let mut text = String::from(
        "# Settings of Ponnuki: ponnuki --config ponnuki.toml\n\
         #\n\
         # To change one, remove the # before its name. Command-line options override this file.\n",
    );
    let defaults = Configuration::default();
    let mut add = |name: &str, doc: &str, value: &str| {
        let bare = value.parse::<f64>().is_ok() || matches!(value, "true" | "false");
        let value = if bare {
            value.to_owned()
        } else {
            format!("{value:?}")
        };
        text.push_str(&format!("\n{}#{name} = {value}\n", comment(doc)));
    };
    for p in PARAMETERS {
        let default = p.get(&defaults);
        let value = match p.name {
            "komi" => "6.5",
            "size" => "13",
            "threads" | "analysis_threads" => "2",
            "seed" => "1",
            _ => &default,
        };
        add(&p.name.replace('_', "-"), p.doc, value);
    }
    for p in SearchParams::list() {
        add(p.name, p.doc, &defaults.get(p.name).unwrap_or_default());
    }
    add(
        "log",
        "File to append all traffic to, with times",
        "ponnuki.log",
    );
    text
}

/// Format a sentence as a TOML comment.
fn comment(sentence: &str) -> String {
    let mut lines = vec![String::from("#")];
    for word in sentence.trim_end_matches('.').split(' ') {
        if lines
            .last()
            .is_some_and(|line| line.len() + word.len() > 90)
        {
            lines.push(String::from("#"));
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n") + ".\n"
}
