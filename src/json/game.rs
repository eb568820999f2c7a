//! The game of a query.

use super::fields::{self, Diagnostic, Fields};
use crate::board::Board;
use crate::position::Position;
use crate::rules::Ruleset;
use crate::types::{BoardSize, Color, Komi, Move, Point};
use crate::util::json_text;
use serde_json::Value;
use std::collections::HashSet;

/// Largest absolute komi of a query, in points.
const KOMI: f64 = 400.0;

/// A game, kept as its moves: a [`Position`] takes 40 KB, and 200,000 queries may wait.
#[derive(Clone, Debug)]
pub struct QueriedGame {
    pub size: BoardSize,
    pub rules: Ruleset,
    komi: Option<Komi>,
    /// Stones before the first turn.
    stones: Vec<(Color, Point)>,
    /// The player to move before the first turn.
    first: Color,
    moves: Vec<(Color, Move)>,
}

impl QueriedGame {
    /// Read the game.
    ///
    /// # Errors
    /// A [`Diagnostic`] about the first wrong field.
    pub fn read(f: &Fields<'_>) -> Result<QueriedGame, Diagnostic> {
        let (size, rules) = (size(f)?, rules(f)?);
        let stones = f.optional("initialStones", |v| fields::turns(v, size))?;
        let moves = f.optional("moves", |v| fields::turns(v, size))?;
        let moves = moves.ok_or_else(|| {
            f.diagnose("moves", "Must specify an array of [player,location] pairs")
        })?;
        let pass = || f.diagnose("initialStones", "Stones cannot be placed on pass");
        let placed = stones.into_iter().flatten();
        let placed = placed.map(|(c, m)| m.point().map(|p| (c, p)).ok_or_else(pass));
        let placed: Result<Vec<(Color, Point)>, Diagnostic> = placed.collect();
        let stones = set_up(size, &placed?);
        let mut game = QueriedGame {
            size,
            rules,
            komi: f.optional("komi", komi)?,
            stones,
            first: Color::Black,
            moves,
        };
        let first = f.optional("initialPlayer", fields::player)?;
        let first = first.or(game.moves.first().map(|&(c, _)| c));
        game.first = first.unwrap_or_else(|| match game.start().handicap() {
            0 => Color::Black,
            _ => Color::White,
        });
        let mut position = game.start();
        for (number, &(c, m)) in game.moves.iter().enumerate() {
            // Accept moves that some server's rules allow, since the record may be from elsewhere.
            position.legality_on_some_server(c, m).map_err(|e| {
                let why = format!("Illegal move {number}: {m}: {}", e.in_words(&rules));
                f.diagnose("moves", why)
            })?;
            position.play_unchecked(c, m);
        }
        Ok(game)
    }

    /// The position before the first turn.
    fn start(&self) -> Position {
        // Cannot fail: `set_up` took the stones from a board.
        let board = Board::with_stones(self.size, self.stones.iter().copied());
        let board = board.unwrap_or_else(|_| Board::new(self.size));
        let mut start = Position::from_board(board, Color::Black, self.rules);
        if let Some(komi) = self.komi {
            start.set_komi(komi);
        }
        start.set_to_move(self.first);
        start
    }

    /// The number of turns, which is also the last turn's number.
    pub fn last_turn(&self) -> usize {
        self.moves.len()
    }

    /// The position at a turn. The player to move is the opponent of the last mover.
    pub fn position(&self, turn: usize) -> Position {
        let mut position = self.start();
        for &(c, m) in self.moves.iter().take(turn) {
            position.play_unchecked(c, m);
        }
        if let Some(last) = position.last_turn() {
            position.set_to_move(last.color.opponent());
        }
        position
    }
}

fn size(f: &Fields<'_>) -> Result<BoardSize, Diagnostic> {
    let most = i64::from(BoardSize::MAX);
    let side = |field: &str| {
        let side = f.optional(field, |v| fields::integer(v, 2, most))?;
        let missing = || f.diagnose(field, format!("Must provide an integer from 2 to {most}"));
        side.map(|n| n as u32).ok_or_else(missing)
    };
    let (width, height) = (side("boardXSize")?, side("boardYSize")?);
    BoardSize::new(width, height).map_err(|e| f.diagnose("boardXSize", e.to_string()))
}

/// Read the rules: a name with KataGo's meaning, or an object.
fn rules(f: &Fields<'_>) -> Result<Ruleset, Diagnostic> {
    let what = "Must specify rules string, such as \"chinese\" or \"tromp-taylor\", or a JSON \
                object with detailed rules parameters.";
    let read = |v: &Value| {
        let rules = match v {
            Value::String(name) => Ruleset::parse_for_katago(name),
            Value::Object(_) => Ruleset::parse(&v.to_string()),
            _ => return Err(what.to_owned()),
        };
        let mut rules = rules.map_err(|e| format!("Could not parse rules: {e}"))?;
        // Without a komi KataGo uses that of an even game, even with handicap.
        rules.handicap_komi = rules.komi;
        Ok(rules)
    };
    let mut rules = f
        .optional("rules", read)?
        .ok_or_else(|| f.diagnose("rules", what))?;
    f.optional("whiteHandicapBonus", |v| {
        let set = rules.set("whiteHandicapBonus", &json_text(v));
        set.map_err(|e| e.to_string())
    })?;
    Ok(rules)
}

/// Place these stones one after the other and return those that remain: the last one on each
/// point, without captured stones.
fn set_up(size: BoardSize, stones: &[(Color, Point)]) -> Vec<(Color, Point)> {
    let mut seen = HashSet::new();
    let last = stones.iter().rev().filter(|&&(_, p)| seen.insert(p));
    let last: Vec<&(Color, Point)> = last.collect();
    let mut set = Board::new(size);
    for &&(c, p) in last.iter().rev() {
        set.play_unchecked(c, p);
    }
    set.stones().collect()
}

fn komi(v: &Value) -> Result<Komi, String> {
    let points = fields::float(v, -KOMI, KOMI)?;
    if (2.0 * points).fract() != 0.0 {
        return Err(format!("Must be an integer or half-integer, not {points}"));
    }
    Komi::new(points).map_err(|e| e.to_string())
}
