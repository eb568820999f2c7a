//! The command line.

mod analysis;
mod analyze;
mod arena;
mod bench;
mod config;
mod game;
mod label;
mod options;
mod pages;
mod patterns;
mod play;
mod rules;
mod score;
mod selfplay;
mod serve;
mod solve;

use crate::analysis::{Analyst, EvaluatorChoice};
use crate::configuration::Configuration;
use crate::gtp::{Ink, Log, Session, note, serve, watch};
use crate::katago;
use crate::net::Network;
use crate::player::{Engine, Settings, version};
use crate::rules::Ruleset;
use crate::{sgf, util};
use indicatif::{ProgressBar, ProgressStyle};
use options::{Arguments, Command, Play};
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub use bench::random_position;
pub use options::command;

/// Settings from a configuration file of these bytes: TOML, or KataGo's format, where `@include`
/// reads the same bytes again.
///
/// # Errors
/// A message that says what is wrong with the file, and where.
pub fn configured(bytes: &[u8], katago: bool) -> Result<Configuration, String> {
    let open = |_: &Path| Ok(bytes.to_vec());
    let path = Path::new("configuration");
    let mut configuration = Configuration::default();
    if katago {
        katago::apply(&katago::read(path, &open)?, &mut configuration)?;
    } else {
        config::read(path, &mut configuration, &open)?;
    }
    Ok(configuration)
}

/// Exit code for unusable arguments and files.
const UNUSABLE: u8 = 2;

/// Exit code after an interrupt from the keyboard, by shell convention.
const INTERRUPTED: u8 = 130;

/// Run the command that these arguments ask for.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let (command, play) = match Arguments::read(arguments) {
        Ok(read) => read,
        Err(e) if !e.use_stderr() => {
            // --help and --version.
            let mut out = io::stdout();
            let written = write!(out, "{}", e.render()).and_then(|()| out.flush());
            return ended(printed(written));
        }
        Err(e) => return fail(&one_line(&e.to_string())),
    };
    let stdout = || io::stdout().lock();
    let result = match command {
        None | Some(Command::Gtp) => gtp(play),
        Some(Command::Analysis(args)) => analysis::run(&args, play.configuration),
        Some(Command::Bench(args)) => bench(&args, &play),
        Some(Command::Man) => printed(options::man(&mut stdout())),
        Some(Command::Completions { shell }) => printed(options::completions(shell, &mut stdout())),
        Some(Command::Play(args)) => {
            play::run(&args, play.configuration.engine, &play.given, &mut stdout())
        }
        Some(Command::Rules) => printed(rules::list(&mut stdout())),
        Some(Command::Analyze(file)) => {
            let rules = play.given.contains(&"rules");
            analyze::run(&file, play.configuration.engine, rules, &mut stdout())
        }
        Some(Command::Match(args)) => {
            match arena::run(&args, play.configuration.engine, &mut stdout()) {
                Ok(false) => return ExitCode::from(INTERRUPTED),
                played => played.map(|_| ()),
            }
        }
        Some(Command::Selfplay(args)) => {
            let settings = play.configuration.engine;
            let network = network(&settings);
            let network = network.and_then(|n| n.ok_or("selfplay needs a network".to_owned()));
            network.and_then(|network| selfplay::run(&args, network, &settings, &mut stdout()))
        }
        Some(Command::Label(args)) => {
            let teacher = match play.given.contains(&"net") {
                true => network(&play.configuration.engine),
                false => Ok(None),
            };
            let Settings { seed, threads, .. } = play.configuration.engine;
            teacher.and_then(|teacher| label::run(&args, teacher, seed, threads, &mut stdout()))
        }
        Some(Command::Solve(args)) => {
            match solve::run(&args, &play.configuration.engine, &mut stdout()) {
                Ok(false) => return ExitCode::from(INTERRUPTED),
                solved => solved.map(|_| ()),
            }
        }
        Some(Command::Serve(args)) => serve::run(&args, play.configuration.engine, &mut stdout()),
        Some(Command::Score(score)) => {
            let evaluator = play.configuration.engine.evaluator;
            score::run(&score, play.rules, evaluator, &mut stdout())
        }
    };
    ended(result)
}

fn ended(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => fail(&e),
    }
}

/// Measure the search. With `--net` only that evaluator, otherwise playouts and the built-in
/// network.
fn bench(args: &bench::Bench, play: &Play) -> Result<(), String> {
    let out = &mut io::stdout().lock();
    let settings = &play.configuration.engine;
    let network = network(settings)?;
    if args.instruction_set.is_some() && network.is_none() {
        return Err("--instruction-set is for networks, and --net is off".to_owned());
    }
    if !play.given.contains(&"net") || settings.evaluator == EvaluatorChoice::Playouts {
        let given = play.given.contains(&"threads");
        printed(bench::run(if given { settings.threads } else { 1 }, out))?;
    }
    let Some(network) = network else {
        return Ok(());
    };
    let network = match args.instruction_set {
        Some(set) => network.laid_out_for(set),
        None => network,
    };
    printed(bench::network(network, settings.threads, out))
}

/// A parser of numbers in a range, which says what it expects.
fn number<N>(
    what: &'static str,
    range: RangeInclusive<N>,
) -> impl Fn(&str) -> Result<N, String> + Clone
where
    N: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text: &str| {
        let number = text.parse::<N>().ok().filter(|n| range.contains(n));
        let (least, most) = (range.start(), range.end());
        number.ok_or_else(|| format!("expected {what} from {least} to {most}"))
    }
}

/// A parser of whole numbers in a range.
fn whole<N>(range: RangeInclusive<N>) -> impl Fn(&str) -> Result<N, String> + Clone
where
    N: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    number("a whole number", range)
}

/// A parser of shares.
fn share() -> impl Fn(&str) -> Result<f32, String> + Clone {
    number("a share", 0.0..=1.0)
}

/// Open the network of the settings; `None` for playouts.
fn network(settings: &Settings) -> Result<Option<Network>, String> {
    let choice = &settings.evaluator;
    choice.open().map_err(|e| format!("network {choice}: {e}"))
}

/// Refuse a network that cannot be loaded, instead of playing without it.
fn expect_network(engine: &mut Engine) -> Result<(), String> {
    let name = engine.settings().evaluator.to_string();
    match engine.network() {
        Err(Some(e)) => Err(format!("network {name}: {e}")),
        _ => Ok(()),
    }
}

/// Create an analyst by the settings. Its network must be usable.
fn analyst(settings: &Settings) -> Result<Analyst, String> {
    let choice = &settings.evaluator;
    let analyst = Analyst::new(choice, settings.resources(), settings.params.clone());
    let mut analyst = analyst.map_err(|e| e.to_string())?;
    match analyst.network() {
        Err(Some(e)) => Err(format!("network {choice}: {e}")),
        _ => Ok(analyst),
    }
}

/// A progress bar on standard error, if that is a terminal.
fn progress_bar(len: u64) -> ProgressBar {
    let bar = ProgressBar::new(len);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar
}

/// A flag that an interrupt raises. A second interrupt ends the program at once.
fn interrupt_flag() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let raised = interrupted.clone();
    util::on_interrupt(move || {
        if raised.swap(true, Relaxed) {
            std::process::exit(INTERRUPTED.into());
        }
    });
    interrupted
}

/// Ignore a closed pipe: a reader such as `head` has seen enough.
fn printed(result: io::Result<()>) -> Result<(), String> {
    match result {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(e.to_string()),
        _ => Ok(()),
    }
}

/// Does standard output show colours (<https://no-color.org>)? On Windows this switches them on;
/// consoles before Windows 10 have none.
fn has_colors() -> bool {
    io::stdout().is_terminal()
        && !anstyle_query::no_color()
        && anstyle_query::term_supports_color()
        && anstyle_query::windows::enable_ansi_colors() != Some(false)
}

fn fail(message: &str) -> ExitCode {
    note(format_args!("ponnuki: {message}"));
    ExitCode::from(UNUSABLE)
}

/// The first paragraph of a message and its tip on one line, without the prefix `error:`.
fn one_line(message: &str) -> String {
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let mut paragraphs = message.split("\n\n");
    let first = paragraphs.next().unwrap_or(message);
    let tip = paragraphs.find(|p| p.trim_start().starts_with("tip:"));
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    match tip {
        Some(tip) => format!("{}; {}", words(first), words(tip)),
        None => words(first),
    }
}

/// Lock a file against other processes until it is closed. On file systems without locks this
/// does nothing.
///
/// # Errors
/// If another process has locked it.
fn lock(file: &std::fs::File) -> Result<(), String> {
    match file.try_lock() {
        Err(std::fs::TryLockError::WouldBlock) => Err("another process writes to it".to_owned()),
        Ok(()) | Err(std::fs::TryLockError::Error(_)) => Ok(()),
    }
}

/// Replace a file atomically.
///
/// # Errors
/// A line that names the file.
fn save(path: &Path, text: &str) -> Result<(), String> {
    sgf::save(path, text).map_err(|e| unwritable(path, &e))
}

/// Refuse a file that cannot be written, before the work is done.
///
/// # Errors
/// A line that names the file.
fn expect_writable(path: &Path) -> Result<(), String> {
    sgf::expect_writable(path).map_err(|e| unwritable(path, &e))
}

/// Refuse output files, before the work is done, if one cannot be written or would replace the
/// input or another output.
///
/// # Errors
/// A line that names the file.
fn expect_apart<'a>(
    read: &Path,
    written: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), String> {
    // Devices may be written to twice; a file that does not exist yet has a folder.
    let place = |path: &Path| {
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        let there = path.canonicalize();
        let file = there.unwrap_or_else(|_| folder.join(path.file_name().unwrap_or_default()));
        (!file.exists() || file.is_file()).then_some(file)
    };
    let mut taken: Vec<_> = place(read).into_iter().collect();
    for path in written {
        expect_writable(path)?;
        let Some(file) = place(path) else { continue };
        if taken.contains(&file) {
            return Err(format!(
                "{} would be written over: it is also the input or another output",
                path.display()
            ));
        }
        taken.push(file);
    }
    Ok(())
}

/// The path next to a file with another ending: `game.sgf` becomes `game-analyzed.sgf`.
fn beside(file: &Path, ending: &str) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!("{stem}{ending}"))
}

/// The path of the page for `--html`, if given; by default next to the record.
fn page_path(asked: Option<&Option<PathBuf>>, record: &Path, what: &str) -> Option<PathBuf> {
    let named = asked?.clone();
    Some(named.unwrap_or_else(|| beside(record, &format!("-{what}.html"))))
}

/// Read a record, up to the position before move `before` if that is given.
///
/// # Errors
/// A message if the record is invalid, or ends earlier.
fn read_before(
    bytes: &[u8],
    rules: &Ruleset,
    before: Option<u32>,
) -> Result<sgf::GameRecord, String> {
    let limit = before.map(|n| n as usize - 1);
    let record = sgf::read(bytes, rules, limit).map_err(|e| e.to_string())?;
    let moves = record.moves_in_record;
    match before {
        Some(n) if n as usize > moves + 1 => {
            Err(format!("no move {n}: the record has {moves} moves"))
        }
        _ => Ok(record),
    }
}

fn unwritable(path: &Path, e: &io::Error) -> String {
    format!("cannot write {}: {e}", path.display())
}

/// Speak the Go Text Protocol on standard input and output.
fn gtp(play: Play) -> Result<(), String> {
    let log = match &play.log {
        Some(path) => Some(Arc::new(Log::open(path).map_err(|e| unwritable(path, &e))?)),
        None => None,
    };
    watch();
    let engine = Engine::new(play.configuration.engine).map_err(|e| e.to_string())?;
    if io::stdin().is_terminal() {
        note(format_args!(
            "Ponnuki {} speaks the Go Text Protocol: try showboard, genmove b, help; quit leaves.",
            version()
        ));
    }
    let input = io::BufReader::new(io::stdin());
    let mut session = Session::new(engine);
    if has_colors() {
        session.ink = Ink::Colored;
    }
    session.for_people = io::stdin().is_terminal();
    session.as_katago = play.as_katago;
    session.front_end = play.configuration.front_end;
    if play.as_katago {
        // LizGoban reads the network's shape from one of these lines, and waits for the other.
        if let Ok(network) = session.engine.network() {
            note(format!("Model name: {}", network.name()));
        }
        note("GTP ready");
    }
    serve(&mut session, input, &mut io::stdout(), log).map_err(|e| e.to_string())
}
