//! The page of a game against the engine.

use super::html::{about, escape, fill, live};
use super::steps::{number_of, player, stones};
use super::svg::{Diagram, Mark};
use super::verdict;
use crate::position::Position;
use crate::sgf::GameInfo;
use crate::types::{Color, Point};
use serde_json::{Value, json};

/// A game between a person and the engine, as it stands.
#[derive(Clone, Copy, Debug)]
pub struct GamePage<'a> {
    /// The number of the game, which the page sends in its requests.
    pub number: u32,
    /// The version of the game, which the page sends in its requests too.
    pub version: &'a str,
    /// Names of the players.
    pub info: &'a GameInfo,
    /// The game.
    pub game: &'a Position,
    /// The person's colour.
    pub human: Color,
    /// The engine's level, in words.
    pub level: &'a str,
    /// The result in words; `None` while the game goes on.
    pub result: Option<&'a str>,
    /// May the person dispute which stones are dead?
    pub is_open_to_dispute: bool,
    /// Life and death; empty while the game goes on.
    pub marks: &'a [(Point, Mark)],
}

impl GamePage<'_> {
    /// Build the data for the script.
    pub fn data(&self) -> Value {
        let (game, size) = (self.game, self.game.size());
        let last = game.last_turn();
        json!({
            "number": self.number,
            "version": self.version,
            "size": [size.width(), size.height()],
            "stones": stones(game.board()),
            "turns": game.turns().len(),
            "last": last.map(|t| json!([player(t.color), number_of(t.mv, size)])),
            "toMove": player(game.to_move()),
            "human": player(self.human),
            "captured": Color::BOTH.map(|c| game.board().captured(c)),
            "result": self.result,
            "disputable": self.is_open_to_dispute,
            "marks": verdict::marks(self.marks, size),
        })
    }

    /// Describe the game in a line: `Game 3: 9x9, you are Black, 12 moves`.
    pub fn title(&self) -> String {
        let state = match self.result {
            Some(result) => result.to_owned(),
            None => format!("{} moves", self.game.turns().len()),
        };
        let (number, size, human) = (self.number, self.game.size(), self.human);
        format!("Game {number}: {size}, you are {human}, {state}")
    }

    /// Render the page. Texts are escaped.
    pub fn html(&self) -> String {
        let mut diagram = Diagram::of(self.game.board());
        diagram.last = self.game.last_turn().and_then(|t| t.mv.point());
        let number = self.number.to_string();
        let about = format!("{} · {}", self.level, about(self.info, self.game));
        let main = fill(
            include_str!("play.html"),
            &[
                ("human", &self.human.to_string()),
                ("about", &escape(&about)),
                ("diagram", &diagram.inline()),
                ("number", &number),
            ],
        );
        let title = format!("Game {number} against Ponnuki");
        live(&title, &main, &self.data(), true, include_str!("play.js"))
    }
}
