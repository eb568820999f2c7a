//! A scored game as a page.

use super::html::{about, escape, fill, page, players};
use super::steps::{line, number, stones};
use super::svg::{Diagram, Mark};
use crate::position::{Outcome, Position, Score};
use crate::rules::Scoring;
use crate::sgf::GameInfo;
use crate::types::{Color, Move, Point};
use serde_json::{Value, json};

/// A game that has been counted.
#[derive(Clone, Copy, Debug)]
pub struct Verdict<'a> {
    /// What the record says of it.
    pub info: &'a GameInfo,
    /// The position that was counted.
    pub game: &'a Position,
    /// The count.
    pub score: &'a Score,
    /// Its life and death, seki and territory.
    pub marks: &'a [(Point, Mark)],
    /// The chains that were in question.
    pub chains: &'a [Chain],
    /// Of a game that is still open: how its record ends and what is expected of it. The
    /// count is then that of the position as it stands, and no result.
    pub unfinished: Option<&'a str>,
}

/// A chain and what was found of it.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Its stones.
    pub stones: Vec<Point>,
    /// What was found, and why.
    pub text: String,
    /// The hypothetical play that proves it; empty if none was needed.
    pub steps: Vec<(Color, Act)>,
}

/// A move of hypothetical play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A stone.
    Play(Point),
    /// A pass for the ko in which the stone on this point was played.
    KoPass(Point),
    /// A pass.
    Pass,
}

impl Verdict<'_> {
    /// `Black – White: B+3.5`
    fn title(&self) -> String {
        let players = players(self.info);
        match self.unfinished {
            Some(_) => format!("{players}: unfinished"),
            None => format!("{players}: {}", Outcome::from(self.score)),
        }
    }

    /// The board with its marks.
    pub fn diagram(&self) -> Diagram {
        let mut diagram = Diagram::of(self.game.board());
        diagram.title = self.title();
        diagram.marks = self.marks.to_vec();
        diagram
    }

    /// The page: board, count, and the proofs step by step. Texts are escaped.
    pub fn html(&self) -> String {
        let chains: String = self.chains.iter().enumerate().map(item).collect();
        let chains = if chains.is_empty() {
            "<li>None: every chain is alive without question.\n".to_owned()
        } else {
            chains
        };
        let (result, estimate, count) = match self.unfinished {
            Some(text) => (
                "Unfinished".to_owned(),
                format!("<p>{}</p>", escape(&capitalised(text))),
                "Count, if the game ended here",
            ),
            None => {
                let result = capitalised(&Outcome::from(self.score).in_words());
                (result, String::new(), "Count")
            }
        };
        let main = fill(
            include_str!("verdict.html"),
            &[
                ("result", &escape(&result)),
                ("estimate", &estimate),
                ("players", &escape(&players(self.info))),
                ("about", &escape(&about(self.info, self.game))),
                ("diagram", &self.diagram().inline()),
                ("of", count),
                ("count", &self.count()),
                ("chains", &chains),
            ],
        );
        page(
            &self.title(),
            &main,
            &self.data(),
            include_str!("verdict.js"),
        )
    }

    /// The count, a row for each of its parts.
    fn count(&self) -> String {
        let s = self.score;
        let area = self.game.rules().scoring == Scoring::Area;
        let points = if area {
            "Living stones and surrounded points"
        } else {
            "Territory"
        };
        let whole = |n: u32| f64::from(n);
        let button = |c| if s.button == Some(c) { 0.5 } else { 0.0 };
        let parts = [
            (points, whole(s.black_points), whole(s.white_points), true),
            (
                if area {
                    "Stones for passes"
                } else {
                    "Prisoners, dead stones included"
                },
                whole(s.black_prisoners),
                whole(s.white_prisoners),
                !area,
            ),
            (
                "Tax, two points a group",
                -whole(s.black_tax),
                -whole(s.white_tax),
                false,
            ),
            ("Button", button(Color::Black), button(Color::White), false),
            ("Komi and handicap", 0.0, s.white_bonus, true),
        ];
        let sum = parts
            .iter()
            .fold((0.0, 0.0), |(b, w), p| (b + p.1, w + p.2));
        let rows = parts
            .iter()
            .filter(|(_, b, w, always)| *always || *b != 0.0 || *w != 0.0);
        // A komi such as 6.3 is no sum of powers of two: cut its noise.
        let cut = |n: f64| (n * 1000.0).round() / 1000.0 + 0.0;
        let row = |class: &str, what: &str, b: f64, w: f64| {
            let (b, w) = (cut(b), cut(w));
            format!("<tr{class}><td>{what}<td>{b}<td>{w}</tr>\n")
        };
        let rows: String = rows.map(|(what, b, w, _)| row("", what, *b, *w)).collect();
        rows + &row(" class=\"sum\"", "Together", sum.0, sum.1)
    }

    fn data(&self) -> Value {
        let size = self.game.size();
        let board = self.game.board();
        let marks = self.marks.iter().filter_map(|(p, mark)| {
            let name = match mark {
                Mark::Territory(Color::Black) => "black-point",
                Mark::Territory(Color::White) => "white-point",
                Mark::Dead => "dead",
                Mark::Seki => "seki",
                Mark::Label(_) | Mark::Number(..) => return None,
            };
            Some(json!([name, number(*p, size)]))
        });
        let chains = self.chains.iter().map(|chain| {
            let moves = chain.steps.iter().map(|&(c, act)| match act {
                Act::Play(p) => (c, Move::Play(p)),
                Act::KoPass(_) | Act::Pass => (c, Move::Pass),
            });
            let mut steps = line(board, moves);
            for (step, &(c, act)) in steps.iter_mut().zip(&chain.steps) {
                if let Value::Array(parts) = step {
                    parts.push(in_words(c, act).into());
                }
            }
            let stones: Vec<u16> = chain.stones.iter().map(|&p| number(p, size)).collect();
            json!({"stones": stones, "steps": steps})
        });
        json!({
            "size": [size.width(), size.height()],
            "start": stones(board),
            "marks": marks.collect::<Vec<_>>(),
            "chains": chains.collect::<Vec<_>>(),
        })
    }
}

fn item((i, chain): (usize, &Chain)) -> String {
    let link = match chain.steps.len() {
        0 => ("Show the chain", 0),
        1 => ("Show the move", 1),
        _ => ("Show the sequence", 1),
    };
    format!(
        "<li>{} <a href=\"#chain={}&amp;step={}\">{}</a>\n",
        escape(&chain.text),
        i + 1,
        link.1,
        link.0
    )
}

fn in_words(c: Color, act: Act) -> String {
    match act {
        Act::Play(p) => format!("{c} {p}"),
        Act::KoPass(p) => format!("{c} passes for the ko at {p}"),
        Act::Pass => format!("{c} passes"),
    }
}

fn capitalised(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}
