//! `ponnuki play`: a game against the engine at the terminal.

use super::game::{self, HumanGame};
use super::network::expect_network;
use super::patterns::expand_to_one;
use super::terminal::{has_colors, printed};
use crate::analysis::AnalysisReport;
use crate::configuration::Configuration;
use crate::gtp::{Ink, diagram, is_in_column_i, note, vertex};
use crate::player::{Decision, Engine, Settings};
use crate::position::{Outcome, max_fixed_handicap};
use crate::sgf::{self, GameInfo};
use crate::types::{Color, Move};
use crate::util::{on_interrupt, similar};
use clap::Args;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use std::fmt::Display;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Options of `ponnuki play`; everything else is a general option.
#[derive(Debug, Args)]
pub(super) struct PlayArgs {
    /// Game record (SGF) to continue
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Your colour: black or white [asked at a terminal, otherwise black]
    #[arg(long, value_name = "COLOR")]
    color: Option<Color>,
    /// Handicap stones for Black, 2 to 9, or 0; for a handicap of 1 set the komi instead, such as
    /// `--komi 0.5` [asked at a terminal, otherwise none]
    #[arg(long, value_name = "N", conflicts_with = "file", value_parser = handicap)]
    handicap: Option<u32>,
}

/// Parse a number of handicap stones on any board.
fn handicap(text: &str) -> Result<u32, String> {
    game::handicap(text, 9)
}

/// Commands, with descriptions.
const COMMANDS: &[(&str, &str)] = &[
    ("pass", "pass; two passes in a row end the game"),
    ("undo", "take back your last move and the reply"),
    ("hint", "show the move that the engine would play"),
    ("who", "estimate who leads"),
    ("score", "count the board as it stands"),
    ("board", "show the board"),
    (
        "level",
        "set the engine's level: level 1 to level 10, or level off",
    ),
    ("save", "write the game to a file: save game.sgf"),
    ("resign", "give up the game"),
    ("help", "show this list"),
    ("quit", "leave"),
];

/// Play a game on standard input and output. Returns false if an interrupt at a terminal has ended
/// it.
///
/// # Errors
/// A message that names the unusable file or option.
pub(super) fn run(
    args: &PlayArgs,
    mut settings: Settings,
    given: &[&'static str],
    out: &mut impl Write,
) -> Result<bool, String> {
    let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let mut input = Input::new(terminal);
    let mut info = GameInfo::default();
    let mut record = None;
    if let Some(file) = &args.file {
        let file = expand_to_one(file)?;
        let name = file.display();
        let bytes = sgf::bytes_of(&file).map_err(|e| format!("cannot read {name}: {e}"))?;
        let rules = &settings.rules;
        let read = match given.contains(&"rules") {
            true => sgf::read_under(&bytes, rules, None),
            false => sgf::read(&bytes, rules, None),
        };
        let mut read = read.map_err(|e| format!("{name}: {e}"))?;
        let comments = "left out when the game is saved: comments".to_owned();
        let comments = (!read.comments.is_empty()).then_some(comments);
        for line in [read.oddities(), read.left_out(), comments]
            .into_iter()
            .flatten()
        {
            note(format_args!("ponnuki: {name}: {line}"));
        }
        if let Some(komi) = settings.komi {
            read.position.set_komi(komi);
        }
        let size = read.position.size();
        if settings.size.is_some_and(|asked| asked != size) {
            note(format_args!("ponnuki: {name}: the board is {size}"));
        }
        info = read.info;
        record = Some(read.position);
    }
    let mut human = args.color;
    let mut handicap = args.handicap.unwrap_or(0);
    if terminal {
        printed(writeln!(
            out,
            "Press Enter to take the default in brackets."
        ))?;
        let questions = Setup {
            new: record.is_none(),
            color: human.is_none(),
            handicap: args.handicap.is_none(),
            given,
        };
        match questions.ask(&mut input, out, &mut settings, &mut human, &mut handicap) {
            Ok(true) => {}
            Ok(false) => return Ok(!input.interrupted),
            Err(e) => return printed(Err(e)).map(|()| true),
        }
    }
    let human = human.unwrap_or(Color::Black);
    let mut engine = Engine::new(settings).map_err(|e| e.to_string())?;
    expect_network(&mut engine)?;
    match record {
        Some(position) => engine.load_record(position),
        None => game::place_handicap(&mut engine, handicap)?,
    }
    let ink = match (terminal, has_colors()) {
        (_, true) => Ink::Colored,
        // Consoles without colours on Windows lack the symbols, too.
        (true, false) if !cfg!(windows) => Ink::Symbols,
        _ => Ink::Letters,
    };
    let stop = engine.stop_flag();
    if input.editor.is_some() {
        // While a line is read, an interrupt is a key like others.
        let stop = stop.clone();
        on_interrupt(move || stop.store(true, Relaxed));
    }
    let mut game = TerminalGame {
        engine,
        stop,
        game: HumanGame::new(human, info),
        ink,
        input,
        out,
    };
    printed(game.play())?;
    Ok(!game.input.interrupted)
}

/// Input lines from a person.
struct Input {
    /// Edits lines and knows the earlier ones; `None` for a pipe or a file, or a terminal without
    /// editing.
    editor: Option<Box<DefaultEditor>>,
    /// Has an interrupt ended the input?
    interrupted: bool,
}

impl Input {
    fn new(terminal: bool) -> Input {
        let editor = DefaultEditor::new().ok().filter(|_| terminal);
        Input {
            editor: editor.map(Box::new),
            interrupted: false,
        }
    }

    /// The next line, trimmed; `None` at the end of the input or after an interrupt. Bytes that are
    /// not UTF-8 are replaced.
    fn line(&mut self, prompt: &str, out: &mut impl Write) -> io::Result<Option<String>> {
        let line = match &mut self.editor {
            Some(editor) => match editor.readline(prompt) {
                Ok(line) => {
                    // If memory is short, the line is missing from the history.
                    let _ = editor.add_history_entry(&line);
                    Some(line)
                }
                Err(ReadlineError::Eof) => None,
                Err(ReadlineError::Interrupted) => {
                    self.interrupted = true;
                    None
                }
                Err(ReadlineError::Io(e)) if e.kind() == io::ErrorKind::InvalidData => {
                    Some(char::REPLACEMENT_CHARACTER.to_string())
                }
                Err(e) => return Err(io::Error::other(e)),
            },
            None => {
                write!(out, "{prompt}")?;
                out.flush()?;
                let mut line = Vec::new();
                let read = io::stdin().lock().read_until(b'\n', &mut line)?;
                writeln!(out)?;
                (read > 0).then(|| String::from_utf8_lossy(&line).into_owned())
            }
        };
        Ok(line.map(|line| line.trim().to_owned()))
    }
}

/// Questions to ask before a game.
struct Setup<'a> {
    /// Is it a new game? Only then ask for size, rules and handicap.
    new: bool,
    color: bool,
    handicap: bool,
    /// Names of the parameters set by options.
    given: &'a [&'static str],
}

impl Setup<'_> {
    /// Ask for what no option has set. Returns false if the input ends.
    fn ask(
        &self,
        input: &mut Input,
        out: &mut impl Write,
        settings: &mut Settings,
        human: &mut Option<Color>,
        handicap: &mut u32,
    ) -> io::Result<bool> {
        let open = |name| !self.given.contains(&name);
        let parameters = [
            ("rules", "Rules, such as japanese, chinese or aga", self.new),
            ("size", "Size of the board, such as 9, 13 or 19", self.new),
            (
                "level",
                "Level of the engine, 1 to 10, or off for full strength",
                true,
            ),
        ];
        let mut configuration = Configuration::from(settings.clone());
        for (name, question, wanted) in parameters {
            if !wanted || !open(name) {
                continue;
            }
            let default = match name {
                "size" => configuration.engine.first_size().to_string(),
                _ => configuration.get(name).unwrap_or_default(),
            };
            let set = ask(input, out, question, &default, |text| {
                configuration.set(name, text).map_err(|e| e.to_string())
            })?;
            if !set {
                return Ok(false);
            }
        }
        *settings = configuration.engine;
        if self.color {
            let set = ask(input, out, "Your colour", "black", |text| {
                *human = Some(
                    text.parse()
                        .map_err(|_| "expected black or white".to_owned())?,
                );
                Ok(())
            })?;
            if !set {
                return Ok(false);
            }
        }
        let most = max_fixed_handicap(settings.first_size());
        if self.new && self.handicap && most > 1 {
            let question = format!("Handicap stones for Black, 2 to {most}, or 0");
            return ask(input, out, &question, "0", |text| {
                game::handicap(text, most).map(|n| *handicap = n)
            });
        }
        Ok(true)
    }
}

/// Ask until an answer is valid. An empty answer means the default. Returns false if the
/// input ends.
fn ask(
    input: &mut Input,
    out: &mut impl Write,
    question: &str,
    default: &str,
    mut set: impl FnMut(&str) -> Result<(), String>,
) -> io::Result<bool> {
    loop {
        let Some(line) = input.line(&format!("{question} [{default}]: "), out)? else {
            return Ok(false);
        };
        let text = if line.is_empty() { default } else { &line };
        match set(text) {
            Ok(()) => return Ok(true),
            Err(e) => writeln!(out, "{e}")?,
        }
    }
}

/// A game at the terminal.
struct TerminalGame<'a, W> {
    engine: Engine,
    /// Ends the engine's search, so that it moves at once.
    stop: Arc<AtomicBool>,
    game: HumanGame,
    ink: Ink,
    input: Input,
    out: &'a mut W,
}

impl<W: Write> TerminalGame<'_, W> {
    fn play(&mut self) -> io::Result<()> {
        self.show()?;
        self.say("Type a move such as E5, or help.")?;
        loop {
            if game::is_over(&self.engine) {
                if !self.end_game()? {
                    return Ok(());
                }
                continue;
            }
            if self.engine.position().to_move() == self.game.human {
                if !self.turn()? {
                    return Ok(());
                }
            } else {
                self.reply()?;
            }
        }
    }

    fn say(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    fn show(&mut self) -> io::Result<()> {
        let board = diagram(self.engine.position(), self.ink);
        writeln!(self.out, "\n{board}\n")
    }

    /// Let the engine move.
    fn reply(&mut self) -> io::Result<()> {
        let c = self.game.human.opponent();
        write!(self.out, "Ponnuki ({c}) is thinking … ")?;
        self.out.flush()?;
        self.stop.store(false, Relaxed);
        match self.game.reply(&mut self.engine) {
            Decision::Move(m) => {
                self.say(m)?;
                self.show()
            }
            Decision::Resign => self.say("resigns"),
        }
    }

    /// Read and execute a line at the person's turn. Returns false to quit.
    fn turn(&mut self) -> io::Result<bool> {
        self.engine.idle();
        let prompt = format!("{} (you)> ", self.game.human);
        let Some(line) = self.input.line(&prompt, self.out)? else {
            return Ok(false);
        };
        let (word, rest) = match line.split_once(char::is_whitespace) {
            Some((word, rest)) => (word.to_ascii_lowercase(), rest.trim()),
            None => (line.to_ascii_lowercase(), ""),
        };
        match (word.as_str(), rest) {
            ("level", text) => self.level(text)?,
            ("save", file) => {
                self.save(file)?;
            }
            ("play", text) => self.make_move(text)?,
            ("", _) => {}
            (_, rest) if !rest.is_empty() => self.not_understood(&line)?,
            ("quit" | "exit" | "q", _) => return Ok(false),
            ("help" | "?", _) => self.help()?,
            ("board" | "b", _) => self.show()?,
            ("undo" | "u", _) => self.undo()?,
            ("hint" | "h", _) => self.hint()?,
            ("who" | "w", _) => self.who()?,
            ("score" | "s", _) => self.score()?,
            ("resign", _) => self
                .engine
                .declare(Outcome::Resignation(self.game.human.opponent())),
            (text, _) => self.make_move(text)?,
        }
        Ok(true)
    }

    fn help(&mut self) -> io::Result<()> {
        self.say("To play, type a point such as E5: a letter (there is no I) and a number.")?;
        COMMANDS
            .iter()
            .try_for_each(|(name, what)| writeln!(self.out, "{name:7} {what}"))
    }

    fn make_move(&mut self, text: &str) -> io::Result<()> {
        let Some(m) = vertex(text) else {
            return self.not_understood(text);
        };
        match self.game.play(&mut self.engine, m) {
            Ok(()) if m == Move::Pass => self.say("You pass."),
            Ok(()) => self.show(),
            Err(e) => self.say(e),
        }
    }

    fn not_understood(&mut self, text: &str) -> io::Result<()> {
        if is_in_column_i(text) {
            return self.say("There is no column I: J follows H.");
        }
        let names = COMMANDS.iter().map(|(name, _)| *name);
        match similar(text, names).first() {
            Some(name) => self.say(format_args!(
                "'{text}' is not understood; did you mean {name}?"
            )),
            None => self.say(format_args!(
                "'{text}' is not understood: type a move such as E5, or help."
            )),
        }
    }

    /// Go back to the person's last turn.
    fn undo(&mut self) -> io::Result<()> {
        match self.game.undo(&mut self.engine) {
            true => self.show(),
            false => self.say(game::NOTHING_TO_UNDO),
        }
    }

    /// Search the position with the person to move, at full strength.
    fn analysis(&mut self) -> AnalysisReport {
        self.engine.fixed_analysis(self.game.human)
    }

    fn hint(&mut self) -> io::Result<()> {
        let report = self.analysis();
        self.say(game::hint(&report))
    }

    fn who(&mut self) -> io::Result<()> {
        let report = self.analysis();
        self.say(game::who(&report))
    }

    /// Print the result if the game ended now.
    fn score(&mut self) -> io::Result<()> {
        let lines = game::score(&mut self.engine);
        self.say(lines.join("\n"))
    }

    fn level(&mut self, text: &str) -> io::Result<()> {
        let mut changed = Configuration::from(self.engine.settings().clone());
        let set = changed.set("level", text).map_err(|e| e.to_string());
        let done = set.and_then(|()| {
            self.engine
                .configure(changed.engine)
                .map_err(|e| e.to_string())
        });
        match done {
            Ok(()) => self.say(format_args!("Level {text}.")),
            Err(e) => self.say(e),
        }
    }

    /// Save the game in a file. Returns false if that fails.
    fn save(&mut self, file: &str) -> io::Result<bool> {
        if file.is_empty() {
            self.say("Name a file: save game.sgf")?;
            return Ok(false);
        }
        let text = self.game.record(&mut self.engine);
        let saved = sgf::save(Path::new(file), &text);
        match &saved {
            Ok(()) => self.say(format_args!("Saved in {file}."))?,
            Err(e) => self.say(format_args!("Cannot write {file}: {e}."))?,
        }
        Ok(saved.is_ok())
    }

    /// End the game: print the result and ask about dead stones. Returns true if play resumes.
    fn end_game(&mut self) -> io::Result<bool> {
        self.say("The game is over.")?;
        if game::needs_agreement(&self.engine) {
            self.score()?;
            let question = "Do you agree about the dead stones? yes, or no to play on";
            let mut agrees = true;
            let answered = ask(&mut self.input, self.out, question, "yes", |text| {
                agrees = match text.to_ascii_lowercase().as_str() {
                    "yes" | "y" => true,
                    "no" | "n" => false,
                    _ => return Err("expected yes or no".to_owned()),
                };
                Ok(())
            })?;
            if answered && !agrees {
                return self.resume();
            }
        } else if let Some(outcome) = self.engine.outcome() {
            self.say(format_args!("{outcome}: {}.", outcome.in_words()))?;
        }
        let prompt = "File to save the game in [do not save]: ";
        while self.input.editor.is_some()
            && let Some(file) = self.input.line(prompt, self.out)?
        {
            if file.is_empty() || self.save(&file)? {
                break;
            }
        }
        Ok(false)
    }

    /// Resume the game after a disagreement, as the rules provide.
    fn resume(&mut self) -> io::Result<bool> {
        let said = self.game.resume(&mut self.engine);
        self.say(said)?;
        Ok(true)
    }
}
