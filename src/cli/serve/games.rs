//! The games: one engine plays them all, one request at a time.

use super::{BROKEN, color, gone, value_of};
use crate::cli::game::{self, HumanGame};
use crate::cli::pages;
use crate::configuration::Configuration;
use crate::gtp::vertex;
use crate::page::{GamePage, Listed};
use crate::player::{Decision, Engine, SavedGame, Settings};
use crate::position::{Outcome, Position};
use crate::sgf::GameInfo;
use crate::types::{Color, Move};
use crate::util::locked;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

/// Maximum number of games kept; a new one replaces the least recently played.
const KEPT: usize = 32;

/// Maximum number of requests that wait for the engine.
const WAITING: usize = 16;

/// Maximum number of turns of a game.
const TURNS: usize = 2000;

/// Answer to a page whose game has gone on without it.
const LATE: &str = "The game has gone on in another window. This is how it stands now.";

/// What the pages show of a game. Showing it does not need the engine.
#[derive(Clone, Debug)]
struct GameView {
    version: Version,
    /// One line about the game.
    title: String,
    html: String,
    sgf: String,
}

/// Which game it is, and in which state. A page sends the version that it shows, so that its
/// requests are not taken for another game or for a position that it does not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    /// Different in each run of the program, whose games are numbered from 1.
    run: u64,
    /// The request that changed the game last, by [`GameHost::clock`].
    changed: u64,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.run, self.changed)
    }
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Version, String> {
        let read = |(run, changed): (&str, &str)| {
            Some(Version {
                run: run.parse().ok()?,
                changed: changed.parse().ok()?,
            })
        };
        let wrong = || format!("version {text}: not that of a game");
        text.split_once('-').and_then(read).ok_or_else(wrong)
    }
}

/// The games of this server.
#[derive(Debug)]
pub(super) struct Games {
    to_engine: SyncSender<Request>,
    shown: Arc<Mutex<BTreeMap<u32, GameView>>>,
    thinking: Thinking,
}

/// The game in which the engine chooses a move, and the flag that ends its search.
#[derive(Clone, Debug)]
struct Thinking {
    game: Arc<Mutex<Option<u32>>>,
    stop: Arc<AtomicBool>,
}

impl Thinking {
    /// Set the game in which the engine chooses a move, or none.
    fn set(&self, number: Option<u32>) {
        let mut game = locked(&self.game);
        *game = number;
        self.stop.store(false, Relaxed);
    }

    /// End the search if it is for this game.
    fn end(&self, number: u32) {
        // The lock is held until the flag is set, so that the flag cannot end the search of the
        // next game.
        let game = locked(&self.game);
        if *game == Some(number) {
            self.stop.store(true, Relaxed);
        }
    }
}

/// A request, and where its answer goes.
pub(super) struct Request {
    order: Order,
    reply: oneshot::Sender<Result<Value, String>>,
}

enum Order {
    Begin(Vec<u8>, Option<Box<ResumedGame>>),
    Act(u32, Action, Option<Version>, String),
}

/// A game from a record, to play on.
pub(super) struct ResumedGame {
    pub position: Position,
    pub info: GameInfo,
}

/// What a person can do in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Play,
    /// Let the engine move, if it is its turn.
    Reply,
    Undo,
    Resign,
    Hint,
    Who,
    /// Count the board as it stands.
    Count,
    /// Explain why a chain is alive or dead, once the game is over.
    Explain,
    /// Play on after the game has stopped, to capture what is dead.
    Dispute,
}

impl Action {
    /// Read the name of an action in an address.
    pub fn named(name: &str) -> Option<Action> {
        Some(match name {
            "play" => Action::Play,
            "reply" => Action::Reply,
            "undo" => Action::Undo,
            "resign" => Action::Resign,
            "hint" => Action::Hint,
            "who" => Action::Who,
            "count" => Action::Count,
            "explain" => Action::Explain,
            "dispute" => Action::Dispute,
            _ => return None,
        })
    }

    /// Refuse an action that the state of the game does not allow.
    fn expect_possible(self, over: bool, own_turn: bool) -> Result<(), String> {
        let why = match self {
            Action::Explain | Action::Dispute if !over => "The game is not over.",
            Action::Explain | Action::Dispute | Action::Undo | Action::Reply => return Ok(()),
            _ if over => "The game is over.",
            _ if !own_turn => "It is Ponnuki's turn.",
            _ => return Ok(()),
        };
        Err(why.to_owned())
    }
}

impl Games {
    /// Create the games, the host that plays them with this engine, and the queue of its requests.
    pub fn new(engine: Engine) -> (Games, GameHost, Receiver<Request>) {
        let (to_engine, requests) = sync_channel(WAITING);
        let shown = Arc::default();
        let thinking = Thinking {
            game: Arc::default(),
            stop: engine.stop_flag(),
        };
        let host = GameHost {
            settings: engine.settings().clone(),
            engine,
            games: BTreeMap::new(),
            run: RandomState::new().hash_one(()),
            last: 0,
            clock: 0,
            shown: Arc::clone(&shown),
            thinking: thinking.clone(),
        };
        let games = Games {
            to_engine,
            shown,
            thinking,
        };
        (games, host, requests)
    }

    /// The page of a game; `None` if there is no game of this number.
    pub fn page(&self, number: &str) -> Option<String> {
        self.shown(number).map(|shown| shown.html)
    }

    /// A game as a record.
    pub fn record(&self, number: &str) -> Option<String> {
        self.shown(number).map(|shown| shown.sgf)
    }

    fn shown(&self, number: &str) -> Option<GameView> {
        let number: u32 = number.parse().ok()?;
        locked(&self.shown).get(&number).cloned()
    }

    /// All games, the newest first.
    pub fn list(&self) -> Vec<Listed> {
        let shown = locked(&self.shown);
        let listed = shown.iter().rev().map(|(number, game)| Listed {
            address: Some(format!("/games/{number}")),
            text: game.title.clone(),
        });
        listed.collect()
    }

    /// Begin a game with these choices, in JSON, or play on in one from a record. Returns its
    /// address.
    pub async fn begin(
        &self,
        choices: Vec<u8>,
        from: Option<ResumedGame>,
    ) -> Result<Value, String> {
        self.ask(Order::Begin(choices, from.map(Box::new))).await
    }

    /// Let the engine play the best move found so far, if it is choosing one in this game.
    /// Returns false if there is no such game.
    pub fn move_now(&self, number: &str) -> bool {
        let number: Option<u32> = number.parse().ok();
        let number = number.filter(|number| locked(&self.shown).contains_key(number));
        if let Some(number) = number {
            self.thinking.end(number);
        }
        number.is_some()
    }

    /// Act in a game, which the page shows in this [`Version`] if the query names one. Returns the
    /// state of the game; `None` if there is no such game or action.
    pub async fn act(
        &self,
        number: &str,
        action: &str,
        query: &str,
        text: Vec<u8>,
    ) -> Option<Result<Value, String>> {
        let number: u32 = number.parse().ok()?;
        if !locked(&self.shown).contains_key(&number) {
            return None;
        }
        let action = Action::named(action)?;
        let version = value_of(query, "version").map(str::parse).transpose();
        let text = String::from_utf8_lossy(&text).trim().to_owned();
        Some(match version {
            Ok(version) => self.ask(Order::Act(number, action, version, text)).await,
            Err(why) => Err(why),
        })
    }

    async fn ask(&self, order: Order) -> Result<Value, String> {
        let (reply, answer) = oneshot::channel();
        let sent = self.to_engine.try_send(Request { order, reply });
        sent.map_err(|_| "Ponnuki is busy with other games: try again later.".to_owned())?;
        let broken = |_| Err(BROKEN.to_owned());
        answer.await.unwrap_or_else(broken)
    }
}

/// A game, stored until the next request for it.
struct Kept {
    game: HumanGame,
    saved: SavedGame,
    level: Option<u8>,
    /// When it was last played, by [`GameHost::clock`].
    played: u64,
}

/// The engine with its games.
pub(super) struct GameHost {
    engine: Engine,
    /// The settings of the command line.
    settings: Settings,
    games: BTreeMap<u32, Kept>,
    /// See [`Version`].
    run: u64,
    /// The number of the last game that was begun.
    last: u32,
    /// Number of requests so far.
    clock: u64,
    shown: Arc<Mutex<BTreeMap<u32, GameView>>>,
    thinking: Thinking,
}

impl GameHost {
    /// Carry out a request and answer it.
    pub fn handle(&mut self, Request { order, reply }: Request) {
        self.clock += 1;
        self.thinking.set(match order {
            Order::Act(number, Action::Reply, ..) => Some(number),
            _ => None,
        });
        let answer = catch_unwind(AssertUnwindSafe(|| match order {
            Order::Begin(choices, from) => self.begin(&choices, from),
            Order::Act(number, action, version, text) => self.act(number, action, version, &text),
        }));
        self.thinking.set(None);
        match answer {
            // This fails if the connection is closed; the page asks for the state later.
            Ok(answer) => drop(reply.send(answer)),
            Err(_) => self.engine.recover(),
        }
    }

    /// Begin a game and return the address of its page.
    fn begin(&mut self, choices: &[u8], from: Option<Box<ResumedGame>>) -> Result<Value, String> {
        let choices: Value = serde_json::from_slice(choices)
            .map_err(|e| format!("the choices are not a JSON object: {e}"))?;
        let chosen = |name: &str| choices.get(name).and_then(Value::as_str).unwrap_or("");
        let mut configuration = Configuration::from(self.settings.clone());
        for name in ["rules", "size", "level", "komi"] {
            if !chosen(name).is_empty() {
                let set = configuration.set(name, chosen(name));
                set.map_err(|e| format!("{name}: {e}"))?;
            }
        }
        let settings = configuration.engine;
        let human: Color = match chosen("color") {
            "" => Color::Black,
            text => color(text)?,
        };
        let stones = match chosen("handicap") {
            "" => 0,
            text => game::handicap(text, 9).map_err(|e| format!("handicap {text}: {e}"))?,
        };
        let (position, info) = match from {
            Some(begun) => (begun.position, begun.info),
            None => {
                let mut position = Position::new(settings.first_size(), settings.rules_in_force());
                if let Some(komi) = settings.komi {
                    position.set_komi(komi);
                }
                (position, GameInfo::default())
            }
        };
        let level = settings.level;
        self.engine.configure(settings).map_err(|e| e.to_string())?;
        self.engine.load_record(position);
        game::place_handicap(&mut self.engine, stones)?;
        if self.games.len() >= KEPT {
            let oldest = self.games.iter().min_by_key(|(_, kept)| kept.played);
            if let Some(number) = oldest.map(|(&number, _)| number) {
                self.games.remove(&number);
                locked(&self.shown).remove(&number);
            }
        }
        self.last += 1;
        let kept = Kept {
            game: HumanGame::new(human, info),
            saved: self.engine.save(),
            level,
            played: self.clock,
        };
        self.keep(self.last, kept);
        Ok(json!({ "address": format!("/games/{}", self.last) }))
    }

    /// Act in a game. A request for an earlier version of the game changes nothing and returns its
    /// present state; only the engine's reply is for any version.
    fn act(
        &mut self,
        number: u32,
        action: Action,
        version: Option<Version>,
        text: &str,
    ) -> Result<Value, String> {
        let present = locked(&self.shown).get(&number).map(|shown| shown.version);
        if version.is_some_and(|v| v.run != self.run) {
            return Err(gone("game"));
        }
        let mut kept = self
            .games
            .get(&number)
            .ok_or_else(|| gone("game"))
            .map(|kept| Kept {
                game: kept.game.clone(),
                saved: kept.saved.clone(),
                ..*kept
            })?;
        let mut settings = self.engine.settings().clone();
        settings.level = kept.level;
        self.engine.configure(settings).map_err(|e| e.to_string())?;
        self.engine.restore(kept.saved);
        let is_late = version.is_some() && version != present && action != Action::Reply;
        let mut more = match is_late {
            true => Map::from_iter([("refused".to_owned(), LATE.into())]),
            false => self.carry_out(&mut kept.game, action, text)?,
        };
        kept.saved = self.engine.save();
        kept.played = self.clock;
        more.insert("state".to_owned(), self.keep(number, kept));
        Ok(Value::Object(more))
    }

    /// Carry out an action, and return what the page shows besides the state of the game:
    /// `said`, and `marks` or a `line` on the board.
    fn carry_out(
        &mut self,
        game: &mut HumanGame,
        action: Action,
        text: &str,
    ) -> Result<Map<String, Value>, String> {
        let engine = &mut self.engine;
        let over = game::is_over(engine);
        let own_turn = engine.position().to_move() == game.human;
        action.expect_possible(over, own_turn)?;
        let shown: Vec<(&str, Value)> = match action {
            Action::Play => {
                let m =
                    vertex(text).ok_or_else(|| format!("'{text}' is not a move such as E5."))?;
                if engine.position().turns().len() >= TURNS {
                    return Err(format!("The game has {TURNS} moves: it ends here."));
                }
                game.play(engine, m)?;
                Vec::new()
            }
            Action::Reply if over || own_turn => Vec::new(),
            Action::Reply => match game.reply(engine) {
                Decision::Move(_) => Vec::new(),
                Decision::Resign => vec![("said", "Ponnuki resigns.".into())],
            },
            Action::Undo => match game.undo(engine) {
                true => Vec::new(),
                false => return Err(game::NOTHING_TO_UNDO.to_owned()),
            },
            Action::Resign => {
                engine.declare(Outcome::Resignation(game.human.opponent()));
                Vec::new()
            }
            Action::Hint => {
                let report = engine.fixed_analysis(game.human);
                let best = report.moves.first();
                let moves = best.into_iter().flat_map(|m| m.line(game.human));
                let line = crate::page::line(engine.position().board(), moves.take(game::HINT));
                vec![("said", game::hint(&report).into()), ("line", line.into())]
            }
            Action::Who => {
                let said = game::who(&engine.fixed_analysis(game.human));
                vec![("said", said.into())]
            }
            Action::Count => {
                let said = game::score(engine).join("\n");
                let judgement = engine.judgement().clone();
                let marks = pages::marks(engine.position(), &judgement);
                let marks = crate::page::marks(&marks, engine.position().size());
                vec![("said", said.into()), ("marks", marks.into())]
            }
            Action::Explain => vec![("said", explained(engine, text)?.into())],
            Action::Dispute => match game::needs_agreement(engine) {
                true => vec![("said", game.resume(engine).into())],
                false => return Err("By these rules there is nothing to dispute.".to_owned()),
            },
        };
        let named = shown
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        Ok(named.collect())
    }

    /// Store the engine's present game, and update its page. Returns its state.
    fn keep(&mut self, number: u32, kept: Kept) -> Value {
        let engine = &mut self.engine;
        let outcome = game::outcome(engine);
        let sgf = kept.game.record(engine);
        let disputable = game::needs_agreement(engine);
        let counted = outcome.is_some() && engine.declared().is_none();
        let judgement = counted.then(|| engine.judgement().clone());
        let position = engine.position();
        let marks = judgement.map_or_else(Vec::new, |judgement| pages::marks(position, &judgement));
        let result = outcome.map(|o| format!("{o}: {}.", o.in_words()));
        let level = match kept.level {
            Some(level) => format!("level {level}"),
            None => "full strength".to_owned(),
        };
        let same = locked(&self.shown).get(&number).and_then(|shown| {
            let is_same = shown.sgf == sgf;
            is_same.then_some(shown.version)
        });
        let version = same.unwrap_or(Version {
            run: self.run,
            changed: self.clock,
        });
        let page = GamePage {
            number,
            version: &version.to_string(),
            info: &kept.game.info,
            game: position,
            human: kept.game.human,
            level: &level,
            result: result.as_deref(),
            is_open_to_dispute: disputable,
            marks: &marks,
        };
        let shown = GameView {
            version,
            title: page.title(),
            html: page.html(),
            sgf,
        };
        let data = page.data();
        locked(&self.shown).insert(number, shown);
        self.games.insert(number, kept);
        data
    }
}

/// Why the chain at a point is alive or dead.
fn explained(engine: &mut Engine, at: &str) -> Result<String, String> {
    let size = engine.position().size();
    let point = vertex(at).and_then(Move::point);
    let point = point.filter(|p| size.contains(*p));
    let point = point.ok_or_else(|| format!("'{at}' is not a point of the board."))?;
    let found = engine.explain(point);
    let found = found.ok_or_else(|| format!("There is no stone at {point}."))?;
    Ok(format!("{found}."))
}
