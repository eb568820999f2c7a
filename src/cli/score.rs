//! `ponnuki score`: the result of a recorded game, with life and death.

use super::files::{expect_apart, page_path, read_before, save};
use super::network::expect_network;
use super::numbers::integer;
use super::pages::{Estimate, Scored};
use super::patterns::expand_to_one;
use super::terminal::printed;
use crate::analysis::{ChainStatus, EvaluatorChoice, Judgement};
use crate::gtp::note;
use crate::player::{Engine, Settings};
use crate::position::{Outcome, Owner, Position};
use crate::rules::{PRESETS, Ruleset};
use crate::sgf::{self, GameRecord};
use crate::types::{Color, Move, Point};
use crate::util::spaced;
use clap::Args;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Value of `--rules`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rules {
    /// One ruleset.
    These(Ruleset),
    /// All rulesets in turn.
    All,
}

/// Options of `ponnuki score`.
#[derive(Debug, Args)]
pub(super) struct Score {
    /// Game record (SGF)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Score the position before this move, instead of the last one
    #[arg(long = "move", value_name = "N", value_parser = integer(1..=u32::MAX))]
    before: Option<u32>,
    /// Explain why each chain in question is alive or dead
    #[arg(long)]
    explain: bool,
    /// Write the position as a record with territory and dead stones marked
    #[arg(long, value_name = "FILE")]
    marked: Option<PathBuf>,
    /// Write the position as a picture with life, death and territory marked
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a page with the picture, the count and step-by-step proofs [default name: the record's with `-scored`]
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    html: Option<Option<PathBuf>>,
}

/// Score a game and print what the options ask for. Without `rules` the record's rules apply.
///
/// # Errors
/// A message that says what is wrong with the file, the ruleset or the output.
pub(super) fn run(
    args: &Score,
    rules: Option<Rules>,
    evaluator: EvaluatorChoice,
    out: &mut impl Write,
) -> Result<(), String> {
    let file = expand_to_one(&args.file)?;
    let name = file.display();
    let bytes = sgf::bytes_of(&file).map_err(|e| format!("cannot read {name}: {e}"))?;
    let record = read_before(args.before, |limit| match &rules {
        Some(Rules::These(rules)) => sgf::read_under(&bytes, rules, limit),
        Some(Rules::All) | None => sgf::read(&bytes, &Ruleset::default(), limit),
    });
    let record = record.map_err(|e| format!("{name}: {e}"))?;
    let html = page_path(args.html.as_ref(), &file, "scored");
    let outputs = [&args.svg, &html, &args.marked].into_iter().flatten();
    expect_apart(&file, outputs)?;
    let shows_one = args.explain || args.svg.is_some() || html.is_some() || args.marked.is_some();
    if matches!(rules, Some(Rules::All)) && shows_one {
        let why = "--explain, --marked, --svg and --html show one ruleset, not all";
        return Err(why.to_owned());
    }
    let settings = Settings {
        evaluator,
        ..Settings::for_judging()
    };
    let mut engine = Engine::new(settings).map_err(|e| e.to_string())?;
    expect_network(&mut engine)?;
    if let Some(odd) = record.oddities() {
        note(format_args!("ponnuki: {name}: {odd}"));
    }
    let as_a_whole = args.before.is_none();
    if let Some(Rules::All) = rules {
        return printed(table(&mut engine, &record.position, as_a_whole, out));
    }
    let scored = scored(&mut engine, record, as_a_whole);
    show_scored(args, &scored, engine.position(), html.as_deref(), out)
}

/// Print a scored game and write its files, as the options ask for.
///
/// # Errors
/// A message that says what is wrong with the output.
fn show_scored(
    args: &Score,
    scored: &Scored,
    position: &Position,
    html: Option<&Path>,
    out: &mut impl Write,
) -> Result<(), String> {
    let Scored {
        info,
        recorded,
        judgement,
        unfinished,
    } = scored;
    match unfinished {
        Some(estimate) => printed(show_unfinished(position, judgement, &estimate.text, out))?,
        None => printed(show(position, judgement, out))?,
    }
    if let Some(recorded) = recorded {
        let agrees = match unfinished {
            Some(_) => "",
            None if recorded.agrees_with(&Outcome::from(judgement.score())) => ": the same",
            None => ": not the same",
        };
        printed(writeln!(out, "Recorded {recorded}{agrees}"))?;
    }
    if args.explain {
        printed(explain(position, judgement, out))?;
    }
    if let Some(path) = &args.marked {
        let mut info = info.clone();
        if unfinished.is_none() {
            info.result = Some(judgement.score().to_string());
        }
        save(path, &marked(position, &info, judgement))?;
    }
    super::pages::verdict(scored, position, html.is_some(), |verdict| {
        if let Some(path) = &args.svg {
            save(path, &verdict.diagram().svg())?;
        }
        html.map_or(Ok(()), |path| save(path, &verdict.html(None)))
    })
}

/// Score a record, as a whole or as it stands before a move. Leaves the scored position in the
/// engine.
pub(super) fn scored(engine: &mut Engine, record: GameRecord, as_a_whole: bool) -> Scored {
    let info = record.info;
    let recorded = info.result.as_deref().map(str::parse::<Outcome>);
    let recorded = recorded.and_then(Result::ok).filter(|_| as_a_whole);
    // A diagram, or the position before a move, is judged as it stands.
    let is_a_game = as_a_whole && !record.position.turns().is_empty();
    engine.switch_game(record.position);
    if as_a_whole {
        end_by_passes(engine);
    }
    let judgement = engine.judgement().clone();
    let open = is_a_game && !engine.position().is_over();
    let broken_off = breaks_off(recorded).filter(|_| open);
    Scored {
        info,
        recorded,
        judgement,
        unfinished: broken_off.map(|how| estimate(engine, how)),
    }
}

/// Let two passes at the end of a record end its game, even if the rules ask for more passes, as with
/// a button.
fn end_by_passes(engine: &mut Engine) {
    let turns = engine.position().turns().iter().rev();
    if turns.take_while(|t| t.mv == Move::Pass).count() >= 2 {
        engine.switch_game(engine.position().after_last_passes());
    }
}

/// How the record of an unfinished game ends.
fn breaks_off(recorded: Option<Outcome>) -> Option<&'static str> {
    match recorded {
        Some(Outcome::Resignation(_)) => Some("with a resignation"),
        Some(Outcome::Time(_)) => Some("when a clock ran out"),
        Some(Outcome::Forfeit(_)) => Some("with a forfeit"),
        Some(Outcome::NoResult) => Some("without result"),
        None => Some("before both players passed"),
        Some(Outcome::Points { .. } | Outcome::Jigo | Outcome::Win(_) | Outcome::BothLose) => None,
    }
}

/// Estimate the last position of an unfinished record by a search.
fn estimate(engine: &mut Engine, how: &str) -> Estimate {
    let mover = engine.position().to_move();
    let report = engine.fixed_analysis(mover);
    let text = format!(
        "the record ends {how}.\nEstimate {}; Black's win rate is {:.0} %, {mover} to move ({} playouts)",
        report.leader(),
        100.0 * report.win_rate_of(Color::Black),
        report.playouts
    );
    Estimate {
        text,
        ownership: report.ownership,
    }
}

/// Print the board of an unfinished game and the estimate. Chains that are not dead are
/// shown as alive: in an unfinished game there is no seki yet.
fn show_unfinished(
    position: &Position,
    judgement: &Judgement,
    estimate: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    board(position, out, |p| {
        let dead = judgement.status(p).filter(|s| *s == ChainStatus::Dead);
        let color = position.board().at(p).color();
        color.map_or('.', |c| stone(c, dead))
    })?;
    writeln!(out, "X O stones, x o dead as things stand")?;
    writeln!(out, "Unfinished: {estimate}")
}

/// Explain every chain that is not simply alive, or whose life has been searched. Also
/// print the remaining threats.
fn explain(position: &Position, judgement: &Judgement, out: &mut impl Write) -> io::Result<()> {
    for c in Color::BOTH {
        for t in judgement.attacked(position.board(), c, None).threats {
            writeln!(out, "{}.", t.in_words(c))?;
        }
    }
    for e in judgement.explanations(position) {
        writeln!(out, "{e}.")?;
    }
    Ok(())
}

/// Print the result of a position, the last of a record if `as_a_whole`, under every ruleset.
fn table(
    engine: &mut Engine,
    position: &Position,
    as_a_whole: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    for p in PRESETS {
        engine.switch_game(position.clone());
        engine.set_rules(p.rules);
        if as_a_whole {
            end_by_passes(engine);
        }
        let judgement = engine.judgement();
        let (score, dead) = (judgement.score().to_string(), judgement.removed().len());
        let komi = engine.position().komi();
        writeln!(
            out,
            "{:18} {score:9} komi {komi}, dead stones removed {dead}",
            p.name
        )?;
    }
    Ok(())
}

/// Print the board with life and death, and the count.
fn show(position: &Position, judgement: &Judgement, out: &mut impl Write) -> io::Result<()> {
    board(position, out, |p| letter(position, judgement, p))?;
    writeln!(
        out,
        "X O alive, # @ in seki, x o dead, + Black's and - White's points, . neutral"
    )?;
    let score = judgement.score();
    let rules = position.rules().name().unwrap_or("without a name");
    writeln!(
        out,
        "Rules {rules}; Black {} points and {} prisoners, White {} and {}, and {} for komi and handicap",
        score.black_points,
        score.black_prisoners,
        score.white_points,
        score.white_prisoners,
        score.white_bonus
    )?;
    writeln!(out, "Result {score}")
}

/// Print a board with coordinates and a character for each point. (The board of a game in play, by
/// [`crate::gtp`], shows the last move instead.)
fn board(
    position: &Position,
    out: &mut impl Write,
    letter: impl Fn(Point) -> char,
) -> io::Result<()> {
    let size = position.size();
    for (row, y) in size.rows(letter).zip((1..=size.height()).rev()) {
        writeln!(out, "{y:>3} {row}")?;
    }
    writeln!(out, "    {}", spaced(size.columns()))
}

fn letter(position: &Position, judgement: &Judgement, p: Point) -> char {
    match (position.board().at(p).color(), judgement.owner(p)) {
        (Some(c), _) => stone(c, judgement.status(p)),
        (None, Owner::Player(Color::Black)) => '+',
        (None, Owner::Player(Color::White)) => '-',
        (None, Owner::Neither) => '.',
    }
}

fn stone(c: Color, status: Option<ChainStatus>) -> char {
    let letters = match status {
        Some(ChainStatus::Seki) => ['#', '@'],
        Some(ChainStatus::Dead) => ['x', 'o'],
        Some(ChainStatus::Alive) | None => ['X', 'O'],
    };
    letters[c.index()]
}

/// Write the game as a record with marks on its last position: TB and TW for territory,
/// which includes dead stones, and MA for dead stones.
fn marked(position: &Position, info: &sgf::GameInfo, judgement: &Judgement) -> String {
    let of = |c: Color| judgement.territory(Owner::Player(c));
    sgf::write_marked(
        position,
        info,
        &[
            ("TB", of(Color::Black)),
            ("TW", of(Color::White)),
            ("MA", judgement.dead().collect()),
        ],
    )
}
