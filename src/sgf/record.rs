//! A game read from a record, and a description of what is odd in it.

use super::{GameInfo, rules};
use crate::position::{IllegalMove, Position};
use crate::types::{Color, Point};

/// A game read from a record.
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// The game, up to the move limit.
    pub position: Position,
    /// Other information in the record.
    pub info: GameInfo,
    /// Number of moves in the main line, including passes.
    pub moves_in_record: usize,
    /// Were all of them played?
    pub is_whole: bool,
    /// Moves played that the rules forbid.
    pub illegal: Vec<IllegalPlay>,
    /// Number of handicap stones that the record declares but does not place. They are on the
    /// traditional points.
    pub implied_handicap: u32,
    /// Numbers of moves after which another [part](Position::parts) of the game begins, because
    /// stones were set up or a move was on an occupied point.
    pub set_up_after: Vec<usize>,
    /// Is the komi in hundredths of a point or of a stone (two points), as Fox writes it?
    pub komi_in_hundredths: bool,
    /// Is the komi in stones, the Chinese unit of two points?
    pub komi_in_stones: bool,
    /// The result as written in the record, if it is in stones too.
    pub result_in_stones: Option<String>,
    /// The first value of PL that names no player.
    pub unknown_player: Option<String>,
    /// Does the first node lack its semicolon?
    pub lacks_semicolon: bool,
    /// Does the main line end without a closing parenthesis?
    pub is_unclosed: bool,
    /// Comments (C), each with the index of its position among those of all parts of the game.
    /// A part has one position more than it has turns.
    pub comments: Vec<(usize, String)>,
    /// Number of variations other than the main line.
    pub variations: usize,
    /// Number of games in the text. The first is read.
    pub games: usize,
    /// Kinds of properties that are not read, in words.
    pub unread: Vec<&'static str>,
}

/// A move in a record that the rules forbid.
#[derive(Clone, Debug, PartialEq)]
pub struct IllegalPlay {
    /// Number of the move in the record, from 1.
    pub number: usize,
    /// The player.
    pub color: Color,
    /// The point.
    pub point: Point,
    /// The rule that forbids it.
    pub why: IllegalMove,
}

impl GameRecord {
    /// The record cut to the position before its first move.
    pub fn at_start(mut self) -> GameRecord {
        let first = self.position.parts().next();
        self.position = first.as_ref().unwrap_or(&self.position).at_turn(0);
        self.comments.retain(|&(position, _)| position == 0);
        GameRecord {
            is_whole: self.moves_in_record == 0,
            illegal: Vec::new(),
            set_up_after: Vec::new(),
            ..self
        }
    }

    /// One line about the oddities of the record: further games, handicap stones that were not
    /// placed, a handicap, rules, komi or player to move that are not understood, komi or result in
    /// another unit, a position set up in the middle, a missing semicolon or end, and illegal moves.
    /// `None` if there are none.
    pub fn oddities(&self) -> Option<String> {
        let implied_handicap = (self.implied_handicap > 0).then(|| {
            let n = self.implied_handicap;
            format!("HA[{n}] without stones: placed on the traditional points")
        });
        let set_up = self.set_up_after.first().map(|n| {
            let more = and_more(self.set_up_after.len());
            format!(
                "the board is set up after move {n}{more}: repetition is checked only from there"
            )
        });
        let unknown_player = self.unknown_player.as_ref();
        let unknown_player =
            unknown_player.map(|value| format!("PL[{value}] is not understood and ignored"));
        let lacks_semicolon = self
            .lacks_semicolon
            .then(|| "the first node has no ';'".to_owned());
        let broken = "the record breaks off: its closing parenthesis is missing";
        let broken = self.is_unclosed.then(|| broken.to_owned());
        let first = (self.games > 1).then(|| format!("the first of {} games", self.games));
        let lines = [
            first,
            self.odd_handicap(),
            implied_handicap,
            self.unknown_rules(),
            self.odd_komi(),
            self.odd_result(),
            set_up,
            unknown_player,
            lacks_semicolon,
            broken,
            self.forbidden(),
        ];
        let lines: Vec<String> = lines.into_iter().flatten().collect();
        (!lines.is_empty()).then(|| lines.join("; "))
    }

    fn odd_handicap(&self) -> Option<String> {
        let written = self.info.handicap.as_deref()?;
        let unknown = written.parse::<u32>().is_err();
        unknown.then(|| format!("HA[{written}] is not understood and ignored"))
    }

    fn unknown_rules(&self) -> Option<String> {
        let written = self.info.rules.as_deref()?;
        let rules = self.position.rules().name().unwrap_or("other");
        let unknown = rules::read(written).is_none();
        unknown.then(|| format!("RU[{written}] is not known: using {rules} rules"))
    }

    fn odd_komi(&self) -> Option<String> {
        let written = self.info.komi.as_deref()?;
        let points = self.position.komi();
        if !self.position.komi_is_set() {
            return Some(format!("KM[{written}] is not understood and ignored"));
        }
        match (self.komi_in_hundredths, self.komi_in_stones) {
            (true, _) => Some(format!("KM[{written}] is a komi of {points}")),
            (false, true) => Some(format!("KM[{written}] is in stones: {points} points")),
            (false, false) => None,
        }
    }

    fn odd_result(&self) -> Option<String> {
        let (written, points) = (self.result_in_stones.as_ref()?, self.info.result.as_ref()?);
        Some(format!("RE[{written}] is in stones: {points}"))
    }

    /// One line about the content that is not read, and so would be lost in a copy: variations,
    /// marks on the board, times and the like. `None` if there is none.
    pub fn left_out(&self) -> Option<String> {
        let variations = match self.variations {
            0 => None,
            1 => Some("a variation".to_owned()),
            n => Some(format!("{n} variations")),
        };
        let unread = self.unread.iter().map(|&kind| kind.to_owned());
        let all: Vec<String> = variations.into_iter().chain(unread).collect();
        (!all.is_empty()).then(|| format!("left out: {}", all.join(", ")))
    }

    fn forbidden(&self) -> Option<String> {
        let first = self.illegal.first()?;
        let IllegalPlay {
            number,
            color,
            point,
            why,
        } = first;
        let why = why.in_words(self.position.rules());
        let more = and_more(self.illegal.len());
        Some(format!(
            "move {number}, {color} {point}, is played although illegal: {why}{more}"
        ))
    }
}

/// The suffix ` (and 2 more)` when only the first of `total` is named.
fn and_more(total: usize) -> String {
    match total {
        0 | 1 => String::new(),
        n => format!(" (and {} more)", n - 1),
    }
}
