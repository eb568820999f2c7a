//! `ponnuki match`: games between two engines, with rating statistics.

mod game;
mod stats;

use super::files::{create_folder, expect_writable, save};
use super::game::handicap_points;
use super::numbers::{integer, number};
use super::terminal::{interrupt_flag, printed, progress_bar};
use crate::gtp::{Client, ClientError};
use crate::player::{Engine, Settings};
use crate::position::{Outcome, Position};
use crate::sgf::{self, GameInfo};
use crate::types::{Color, GOLDEN, splitmix};
use crate::util::locked;
use clap::{ArgAction, Args};
use game::{Played, Terms};
use stats::{Standings, bound, elo};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Options of `ponnuki match`.
#[derive(Debug, Args)]
pub(super) struct Match {
    /// The first engine: a path, or a command line in quotes
    #[arg(long, value_name = "COMMAND")]
    a: String,
    /// The second engine
    #[arg(long, value_name = "COMMAND")]
    b: String,
    /// Number of games; colours alternate unless there is a handicap
    #[arg(long, value_name = "N", default_value = "100", value_parser = integer(1..=u32::MAX))]
    games: u32,
    /// Number of games played at the same time
    #[arg(long, value_name = "N", default_value = "1", value_parser = integer(1..=64u32))]
    concurrency: u32,
    /// Seconds per move; a side that exceeds them by more than a second loses
    #[arg(long, value_name = "SECONDS", conflicts_with = "main", value_parser = seconds())]
    seconds: Option<u32>,
    /// Seconds per side for the game; a side that exceeds them loses
    #[arg(long, value_name = "SECONDS", value_parser = seconds())]
    main: Option<u32>,
    /// Handicap stones for B, on the traditional points; B is then Black in every game
    #[arg(long, value_name = "STONES", value_parser = integer(2..=9u32))]
    handicap: Option<u32>,
    /// Random moves at the start, the same for both games of a pair; fewer if the points away from the edge are taken
    #[arg(long, value_name = "N", default_value = "2", value_parser = integer(0..=u32::MAX))]
    openings: u32,
    /// Stop once a sequential test (error rates 5 %) has decided between two rating differences
    #[arg(long, num_args = 2, action = ArgAction::Set, value_names = ["ELO0", "ELO1"], allow_negative_numbers = true, value_parser = number("a number", -4000.0..=4000.0f64))]
    sprt: Option<Vec<f64>>,
    /// Write the games into this folder
    #[arg(long, value_name = "FOLDER")]
    sgf: Option<PathBuf>,
    /// Seconds beyond its time after which an engine that has not answered loses
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds())]
    hang: u32,
}

/// Parse whole seconds: the protocol's `time_settings` accepts no others.
fn seconds() -> impl Fn(&str) -> Result<u32, String> + Clone {
    integer(1..=86_400)
}

/// Minimum number of games before a sequential test may decide; they are needed to estimate the
/// variance.
const FEWEST: u32 = 20;

/// Results so far.
#[derive(Debug, Default)]
struct Results {
    tally: Standings,
    void: u32,
    faults: Vec<String>,
    on_time: [u32; 2],
    disagree: [u32; 2],
    /// Other notes on the engines, with the number of games they apply to.
    notes: BTreeMap<String, u32>,
    /// The verdict and the tally when the sequential test decided. Running games are finished.
    decided: Option<(&'static str, Standings)>,
}

impl Match {
    /// Build the terms of the match.
    ///
    /// # Errors
    /// If the board has no points for the handicap, or the rating differences of the test are
    /// not in order.
    fn terms(&self, settings: &Settings) -> Result<Terms, String> {
        let size = settings.first_size();
        let mut start = Position::new(size, settings.rules);
        if let Some(n) = self.handicap {
            let placed = start.place_handicap(&handicap_points(size, n)?);
            placed.map_err(|e| e.to_string())?;
        }
        if let Some([elo0, elo1]) = self.sprt.as_deref()
            && !(elo0 < elo1 && (elo1 - elo0).is_finite())
        {
            return Err(format!("--sprt {elo0} {elo1}: ELO0 must be less than ELO1"));
        }
        if let Some(komi) = settings.komi {
            start.set_komi(komi);
        }
        Ok(Terms {
            start,
            seconds: self.seconds,
            main: self.main,
            opening: self.openings,
            timeout: Duration::from_secs(self.hang.into()),
        })
    }

    /// Colour of the first engine.
    fn color_of_a(&self, number: u32) -> Color {
        match self.handicap {
            None if number.is_multiple_of(2) => Color::Black,
            _ => Color::White,
        }
    }

    /// Seed of a game's opening. Both games of a pair, with colours swapped, have the same
    /// seed.
    fn seed(&self, seed: u64, number: u32) -> u64 {
        let opening = match self.handicap {
            None => number / 2,
            Some(_) => number,
        };
        opening_seed(seed, opening)
    }

    /// The hypothesis that the sequential test has accepted, if any.
    fn decided(&self, tally: Standings) -> Option<&'static str> {
        let [elo0, elo1] = self.sprt.as_deref()? else {
            return None;
        };
        match tally.log_likelihood_ratio(*elo0, *elo1) {
            _ if tally.games() < FEWEST => None,
            r if r >= bound() => Some("ELO1"),
            r if r <= -bound() => Some("ELO0"),
            _ => None,
        }
    }
}

/// Derive the seed of an opening. Matches with different seeds, even adjacent ones, have
/// different openings; otherwise they would repeat the same games.
fn opening_seed(seed: u64, opening: u32) -> u64 {
    splitmix(seed.wrapping_mul(GOLDEN)).wrapping_add(opening.into())
}

/// Play the match with these settings' rules, komi, size and seed, and report the result.
/// Returns false if it was interrupted.
///
/// # Errors
/// If an engine cannot be started, or the games cannot be written.
pub(super) fn run(args: &Match, settings: Settings, out: &mut impl Write) -> Result<bool, String> {
    let seed = settings.seed;
    let terms = args.terms(&settings)?;
    if let Some(folder) = &args.sgf {
        create_folder(folder)?;
        let there = (0..args.games).map(|n| file_of(folder, n));
        if let Some(game) = there.into_iter().find(|path| path.exists()) {
            let game = game.display();
            return Err(format!("{game} is there already; give another --sgf"));
        }
        expect_writable(&file_of(folder, 0))?;
    }
    let interrupted = interrupt_flag();
    let results = Mutex::new(Results::default());
    let next = AtomicU32::new(0);
    let stop = AtomicBool::new(false);
    let failure: Mutex<Option<String>> = Mutex::new(None);
    let bar = progress_bar(args.games.into());
    std::thread::scope(|scope| {
        for _ in 0..args.concurrency.min(args.games) {
            scope.spawn(|| {
                let work = worker(
                    args,
                    &terms,
                    seed,
                    &next,
                    &interrupted,
                    &stop,
                    |number, played| {
                        let mut results = locked(&results);
                        note(&mut results, number, args.color_of_a(number), &played);
                        bar.set_message(summary(results.tally));
                        bar.inc(1);
                        if results.decided.is_none()
                            && let Some(verdict) = args.decided(results.tally)
                        {
                            results.decided = Some((verdict, results.tally));
                            stop.store(true, Relaxed);
                        }
                        match &args.sgf {
                            Some(folder) => record(folder, number, args, &played),
                            None => Ok(()),
                        }
                    },
                );
                if let Err(e) = work {
                    stop.store(true, Relaxed);
                    locked(&failure).get_or_insert(e);
                }
            });
        }
    });
    bar.finish_and_clear();
    let results = locked(&results);
    if let Some(e) = locked(&failure).take() {
        if results.tally.games() > 0 {
            printed(report(args, &results, out))?;
        }
        return Err(e);
    }
    printed(report(args, &results, out))?;
    Ok(!interrupted.load(Relaxed))
}

/// Play games until there are none left.
fn worker(
    args: &Match,
    terms: &Terms,
    seed: u64,
    next: &AtomicU32,
    interrupted: &Arc<AtomicBool>,
    stop: &AtomicBool,
    mut done: impl FnMut(u32, Played) -> Result<(), String>,
) -> Result<(), String> {
    let start =
        |command: &str| Client::start(command, interrupted.clone()).map_err(|e| e.to_string());
    let mut judge = Engine::new(Settings::for_judging()).map_err(|e| e.to_string())?;
    let mut engines = [start(&args.a)?, start(&args.b)?];
    for (engine, command) in engines.iter_mut().zip([&args.a, &args.b]) {
        match engine.ask("name", terms.timeout) {
            Ok(_) => {}
            Err(ClientError::Interrupted) => return Ok(()),
            Err(e) => return Err(format!("'{command}' does not answer: {e}")),
        }
    }
    loop {
        let number = next.fetch_add(1, Relaxed);
        if number >= args.games || stop.load(Relaxed) || interrupted.load(Relaxed) {
            return Ok(());
        }
        let [a, b] = &mut engines;
        let players = match args.color_of_a(number) {
            Color::Black => [a, b],
            Color::White => [b, a],
        };
        let played = game::play(players, &mut judge, terms, args.seed(seed, number));
        let played = played.map_err(|(c, why)| {
            let name = ["A", "B"][usize::from(c != args.color_of_a(number))];
            format!("game {}: {name}: {why}: no game can be played", number + 1)
        });
        if interrupted.load(Relaxed) {
            // An unfinished game does not count.
            return Ok(());
        }
        let played = played?;
        let fault = played.fault.is_some();
        done(number, played)?;
        if fault || engines.iter().any(Client::is_broken) {
            // The engine's state is unknown: restart both for the next game.
            engines = [start(&args.a)?, start(&args.b)?];
        }
    }
}

fn note(results: &mut Results, number: u32, a: Color, played: &Played) {
    match played.outcome.winner() {
        Some(c) if c == a => results.tally.wins += 1,
        Some(_) => results.tally.losses += 1,
        None if played.outcome == Outcome::Jigo => results.tally.draws += 1,
        None => {
            results.tally.draws += 1;
            results.void += 1;
        }
    }
    let engine = |c: Color| usize::from(c != a);
    if let Outcome::Time(winner) = played.outcome {
        results.on_time[engine(winner.opponent())] += 1;
    }
    if let Some((c, why)) = &played.fault {
        let name = ["A", "B"][engine(*c)];
        results
            .faults
            .push(format!("game {}: {name}: {why}", number + 1));
    }
    for (c, what) in &played.notes {
        let name = ["A", "B"][engine(*c)];
        let games = results.notes.entry(format!("{name}: {what}"));
        *games.or_default() += 1;
    }
    for c in Color::BOTH {
        results.disagree[engine(c)] += u32::from(played.disagree[c.index()]);
    }
}

fn summary(tally: Standings) -> String {
    let (low, high) = tally.interval();
    format!(
        "A {} wins, {} losses, {} draws: {:.1} % [{:.1}, {:.1}]",
        tally.wins,
        tally.losses,
        tally.draws,
        100.0 * tally.share(),
        100.0 * low,
        100.0 * high
    )
}

fn report(args: &Match, results: &Results, out: &mut impl Write) -> std::io::Result<()> {
    let tally = results.tally;
    let (low, high) = tally.interval();
    writeln!(
        out,
        "{} of {} games, Elo {:+.0} [{:+.0}, {:+.0}]",
        summary(tally),
        tally.games(),
        elo(tally.share()),
        elo(low),
        elo(high)
    )?;
    let [a, b] = results.disagree;
    writeln!(
        out,
        "Faults {}; lost on time A {}, B {}; no result {}; disagreed with the referee on the winner A {a}, B {b}",
        results.faults.len(),
        results.on_time[0],
        results.on_time[1],
        results.void,
    )?;
    for fault in &results.faults {
        writeln!(out, "{fault}")?;
    }
    for (what, games) in &results.notes {
        writeln!(out, "{what} (games: {games})")?;
    }
    if let Some([elo0, elo1]) = args.sprt.as_deref() {
        let (verdict, then) = results.decided.unwrap_or(("undecided", tally));
        let ratio = then.log_likelihood_ratio(*elo0, *elo1);
        let after = match then == tally {
            true => String::new(),
            false => format!(" after {} games", then.games()),
        };
        writeln!(
            out,
            "SPRT {elo0} {elo1}: log-likelihood ratio {ratio:.2} of ±{:.2}{after}: {verdict}",
            bound()
        )?;
    }
    Ok(())
}

fn record(folder: &Path, number: u32, args: &Match, played: &Played) -> Result<(), String> {
    let (a, b) = (Some(args.a.clone()), Some(args.b.clone()));
    let (black, white) = match args.color_of_a(number) {
        Color::Black => (a, b),
        Color::White => (b, a),
    };
    let info = GameInfo {
        black,
        white,
        result: Some(played.outcome.to_string()),
        ..GameInfo::default()
    };
    save(
        &file_of(folder, number),
        &sgf::write(&played.position, &info),
    )
}

/// Path of a game's record. Games are counted from 0, but named from 1.
fn file_of(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("{:04}.sgf", number + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn matches_with_different_seeds_have_different_openings() {
        let all = (0..100).flat_map(|seed| (0..500).map(move |n| opening_seed(seed, n)));
        assert_eq!(all.collect::<HashSet<_>>().len(), 100 * 500);
    }
}
