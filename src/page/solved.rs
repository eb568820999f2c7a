//! The page of a solved problem.

use super::html::{about, escape, fill, page};
use super::svg::Diagram;
use super::verdict::{self, Chain};
use crate::position::Position;
use crate::sgf::GameInfo;

/// A problem of life and death with its solution.
#[derive(Clone, Copy, Debug)]
pub struct Solved<'a> {
    /// Facts from the record.
    pub info: &'a GameInfo,
    /// The position in question.
    pub game: &'a Position,
    /// The group with the solution in words, and the play that shows it.
    pub group: &'a Chain,
}

impl Solved<'_> {
    /// Render the page: the board, the solution and its moves, step by step. Texts are escaped.
    pub fn html(&self) -> String {
        let title = format!("{} to play", self.game.to_move());
        let mut diagram = Diagram::of(self.game.board());
        diagram.title.clone_from(&title);
        let main = fill(
            include_str!("solved.html"),
            &[
                ("title", &title),
                ("about", &escape(&about(self.info, self.game))),
                ("diagram", &diagram.inline()),
                ("solution", &verdict::item((0, self.group))),
            ],
        );
        let data = verdict::data(self.game, &[], std::slice::from_ref(self.group));
        page(&title, &main, &data, include_str!("verdict.js"))
    }
}
