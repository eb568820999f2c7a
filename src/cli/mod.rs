//! The command line.

mod analysis;
mod analyze;
mod arena;
mod bench;
mod config;
mod files;
mod game;
mod gtp;
mod label;
mod network;
mod numbers;
mod options;
mod pages;
mod patterns;
mod play;
mod rules;
mod score;
mod selfplay;
mod serve;
mod solve;
mod terminal;

use crate::gtp::note;
use crate::player::Settings;
use options::{Arguments, Command};
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use terminal::{INTERRUPTED, printed};

pub use bench::random_position;
pub use config::configured;
pub use options::command;

/// Exit code for unusable arguments and files.
const UNUSABLE: u8 = 2;

/// Run the command that these arguments ask for.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let (command, run) = match Arguments::read(arguments) {
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
        None | Some(Command::Gtp) => gtp::run(run),
        Some(Command::Analysis(args)) => analysis::run(&args, run.configuration),
        Some(Command::Bench(args)) => bench::run(&args, &run, &mut stdout()),
        Some(Command::Man) => printed(options::man(&mut stdout())),
        Some(Command::Completions { shell }) => printed(options::completions(shell, &mut stdout())),
        Some(Command::Play(args)) => {
            let settings = run.configuration.engine;
            return completed(play::run(&args, settings, &run.given, &mut stdout()));
        }
        Some(Command::Rules) => printed(rules::list(&mut stdout())),
        Some(Command::Analyze(file)) => {
            let rules = run.given.contains(&"rules");
            analyze::run(&file, run.configuration.engine, rules, &mut stdout())
        }
        Some(Command::Match(args)) => {
            return completed(arena::run(&args, run.configuration.engine, &mut stdout()));
        }
        Some(Command::Selfplay(args)) => {
            let settings = run.configuration.engine;
            let network = network::open(&settings);
            let network = network.and_then(|n| n.ok_or("selfplay needs a network".to_owned()));
            network.and_then(|network| selfplay::run(&args, network, &settings, &mut stdout()))
        }
        Some(Command::Label(args)) => {
            let teacher = match run.given.contains(&"net") {
                true => network::open(&run.configuration.engine),
                false => Ok(None),
            };
            let Settings { seed, threads, .. } = run.configuration.engine;
            teacher.and_then(|teacher| label::run(&args, teacher, seed, threads, &mut stdout()))
        }
        Some(Command::Solve(args)) => {
            return completed(solve::run(&args, &run.configuration.engine, &mut stdout()));
        }
        Some(Command::Serve(args)) => serve::run(&args, run.configuration.engine, &mut stdout()),
        Some(Command::Score(score)) => {
            let evaluator = run.configuration.engine.evaluator;
            score::run(&score, run.rules, evaluator, &mut stdout())
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

/// The exit code of a command that returns false if it was interrupted.
fn completed(result: Result<bool, String>) -> ExitCode {
    match result {
        Ok(false) => ExitCode::from(INTERRUPTED),
        result => ended(result.map(|_| ())),
    }
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
