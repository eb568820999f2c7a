//! The page of a scored game.

use super::html::{Served, about, escape, fill, page, players};
use super::steps::{line, number, stones};
use super::svg::{Diagram, Mark};
use crate::position::{Outcome, Position, Score};
use crate::rules::Scoring;
use crate::sgf::GameInfo;
use crate::types::{BoardSize, Color, Move, Point};
use serde_json::{Value, json};

/// A game and the judgement of its last position.
#[derive(Clone, Copy, Debug)]
pub struct Verdict<'a> {
    /// Facts from the record.
    pub info: &'a GameInfo,
    /// The judged position.
    pub game: &'a Position,
    /// The result stated in the record, if readable.
    pub recorded: Option<Outcome>,
    /// The judgement.
    pub ending: Ending<'a>,
}

/// Judgement of the last position of a game.
#[derive(Clone, Copy, Debug)]
pub enum Ending<'a> {
    /// The game is counted.
    Counted {
        /// The count.
        score: &'a Score,
        /// Life and death, seki and territory.
        marks: &'a [(Point, Mark)],
        /// The chains that were in question.
        chains: &'a [Chain],
    },
    /// The game is still open: an estimate.
    Open {
        /// How the record ends, and the estimate.
        text: &'a str,
        /// Expected owner of each point, from −1 (White) to 1 (Black), rows from the top.
        ownership: &'a [f32],
    },
}

/// A chain and its status.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Its stones.
    pub stones: Vec<Point>,
    /// Status and reason.
    pub text: String,
    /// Is the status proved, or only estimated?
    pub is_proved: bool,
    /// Hypothetical play that proves the status, each move with its description; empty if the
    /// proof needs none.
    pub steps: Vec<(Color, Move, String)>,
}

impl Verdict<'_> {
    /// State the result: that of the count, or of the record if the game is open.
    fn result(&self) -> String {
        match (&self.ending, self.recorded) {
            (Ending::Counted { score, .. }, _) => Outcome::from(*score).in_words(),
            (Ending::Open { .. }, Some(recorded)) => in_the_past(recorded),
            (Ending::Open { .. }, None) => "unfinished".to_owned(),
        }
    }

    /// Compose the title: `Black – White: White wins by 3.5 points`.
    fn title(&self) -> String {
        format!("{}: {}", players(self.info), self.result())
    }

    /// Return the board with its marks, or with the expected ownership.
    pub fn diagram(&self) -> Diagram {
        let mut diagram = Diagram::of(self.game.board());
        diagram.title = self.title();
        match self.ending {
            Ending::Counted { marks, .. } => diagram.marks = marks.to_vec(),
            Ending::Open { ownership, .. } => {
                diagram.last = self.game.last_turn().and_then(|t| t.mv.point());
                diagram.ownership = ownership.to_vec();
            }
        }
        diagram
    }

    /// Render the page: board, count and proofs of a counted game; board and estimate of an
    /// open one. Texts are escaped. `served` as in [`crate::page`].
    pub fn html(&self, served: Option<Served<'_>>) -> String {
        let result = escape(&capitalised(&self.result()));
        let (players, about) = (players(self.info), about(self.info, self.game));
        let (players, about) = (escape(&players), escape(&about));
        let diagram = self.diagram().inline();
        let shared = [
            ("result", &*result),
            ("players", &players),
            ("about", &about),
            ("diagram", &diagram),
        ];
        let title = self.title();
        let (score, marks, chains) = match self.ending {
            Ending::Counted {
                score,
                marks,
                chains,
            } => (score, marks, chains),
            Ending::Open { text, .. } => {
                let text = escape(&capitalised(text));
                let own = [("text", &*text)];
                let main = fill(include_str!("estimate.html"), &[&shared[..], &own].concat());
                return page(&title, &main, data(self.game, &[], &[]), "", served);
            }
        };
        let items: String = chains.iter().zip(1..).map(|(c, n)| item(c, n)).collect();
        let items = match chains {
            [] => "<li>None: every chain is clearly alive.\n",
            _ => &items,
        };
        let differs = self
            .recorded
            .filter(|r| !r.agrees_with(&Outcome::from(score)));
        let differs = differs.map_or_else(String::new, |recorded| {
            let says = in_the_past(recorded);
            format!("<p class=\"differs\" role=\"note\">The record says otherwise: {says} ({recorded}).</p>")
        });
        let own = [
            ("differs", &*differs),
            ("count", &self.count(score)),
            ("chains", items),
        ];
        let main = fill(include_str!("verdict.html"), &[&shared[..], &own].concat());
        page(
            &title,
            &main,
            data(self.game, marks, chains),
            include_str!("verdict.js"),
            served,
        )
    }

    /// Render the rows of the count.
    fn count(&self, s: &Score) -> String {
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
                "Group tax, two points per group",
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
        // Round: a komi such as 6.3 is not exact in binary.
        let cut = |n: f64| (n * 1000.0).round() / 1000.0 + 0.0;
        let row = |class: &str, what: &str, b: f64, w: f64| {
            let (b, w) = (cut(b), cut(w));
            format!("<tr{class}><th scope=\"row\">{what}<td>{b}<td>{w}</tr>\n")
        };
        let rows: String = rows.map(|(what, b, w, _)| row("", what, *b, *w)).collect();
        rows + &row(" class=\"sum\"", "Total", sum.0, sum.1)
    }
}

/// Encode marks on points, for the scripts.
pub fn marks(marks: &[(Point, Mark)], size: BoardSize) -> Vec<Value> {
    let marks = marks.iter().filter_map(|(p, mark)| {
        let name = match mark {
            Mark::Territory(Color::Black) => "black-point",
            Mark::Territory(Color::White) => "white-point",
            Mark::Dead => "dead",
            Mark::LikelyDead => "likely-dead",
            Mark::Seki => "seki",
            Mark::LikelySeki => "likely-seki",
            Mark::Number(..) => return None,
        };
        Some(json!([name, number(*p, size)]))
    });
    marks.collect()
}

/// Build the data for the script.
fn data(game: &Position, on_board: &[(Point, Mark)], chains: &[Chain]) -> Value {
    let size = game.size();
    let board = game.board();
    let chains = chains.iter().map(|chain| {
        let mut steps = line(board, chain.steps.iter().map(|&(c, m, _)| (c, m)));
        for (step, (_, _, text)) in steps.iter_mut().zip(&chain.steps) {
            if let Value::Array(parts) = step {
                parts.push(text.as_str().into());
            }
        }
        let stones: Vec<u16> = chain.stones.iter().map(|&p| number(p, size)).collect();
        json!({"stones": stones, "proved": chain.is_proved, "steps": steps})
    });
    json!({
        "size": [size.width(), size.height()],
        "start": stones(board),
        "marks": marks(on_board, size),
        "chains": chains.collect::<Vec<_>>(),
    })
}

/// Render a chain of the list, with its number from 1.
fn item(chain: &Chain, number: usize) -> String {
    let (link, step) = match chain.steps.len() {
        0 => ("Show the chain", 0),
        1 => ("Show the move", 1),
        _ => ("Show the sequence", 1),
    };
    let how = if chain.is_proved {
        "proved"
    } else {
        "estimated"
    };
    format!(
        "<li class=\"{how}\"><b>{}</b> {} <a href=\"#chain={number}&amp;step={step}\">{link}</a>\n",
        capitalised(how),
        escape(&chain.text),
    )
}

/// Put a recorded result into the past tense: `Black won by resignation`.
fn in_the_past(recorded: Outcome) -> String {
    let words = recorded.in_words();
    words.replace(" wins", " won").replace(" lose", " lost")
}

fn capitalised(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}
