//! An analysed game as a page.

use super::html::{about, escape, fill, page, players};
use super::steps::{line, number_of, player, step, stones};
use super::svg::Diagram;
use crate::board::Board;
use crate::position::{Position, Turn};
use crate::sgf::GameInfo;
use crate::types::{BoardSize, Color, Move};
use serde_json::{Value, json};

/// A game and what an analysis says of it.
#[derive(Clone, Copy, Debug)]
pub struct Review<'a> {
    /// What the record says of it.
    pub info: &'a GameInfo,
    /// The game: its size, where it starts, and the turns of all its parts.
    pub game: &'a Position,
    /// A note on the start, and one on the position after each turn, or on the position that
    /// was set up then.
    pub positions: &'a [PositionNote],
    /// What each turn lost.
    pub losses: &'a [Loss],
    /// The turns to list, by their index, the costliest first.
    pub costliest: &'a [usize],
    /// How both players played: the name of a figure, Black's and White's.
    pub summary: &'a [(String, [String; 2])],
    /// Files to download: names and contents.
    pub files: &'a [(String, String)],
}

/// What an analysis says of a position.
#[derive(Clone, Debug)]
pub struct PositionNote {
    /// The player to move.
    pub to_move: Color,
    /// Black's probability of winning, from 0 to 1.
    pub win_rate: f32,
    /// Points by which Black leads.
    pub lead: f64,
    /// Visits of the position.
    pub visits: u32,
    /// Whose each point will be, from −1 (White's) to 1 (Black's), rows from the top;
    /// empty if it is not known.
    pub ownership: Vec<f32>,
    /// Moves of the player to move, the best first.
    pub candidates: Vec<Candidate>,
}

/// A move that the analysis has looked at. Win rate and lead are Black's.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The move.
    pub vertex: Move,
    /// Black's probability of winning after it, from 0 to 1.
    pub win_rate: f32,
    /// Points by which Black leads after it.
    pub lead: f64,
    /// Points that it loses against the best move, at least 0.
    pub lost: f64,
    /// Its visits.
    pub visits: u32,
    /// Its probability before the search, from 0 to 1.
    pub prior: f32,
    /// The moves from there on, this one first, with their players.
    pub variation: Vec<(Color, Move)>,
}

/// What a move of the game lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// Points, at least 0.
    pub points: f64,
    /// Probability of winning, from 0 to 1.
    pub win_rate: f32,
    /// Is it a mistake, to be marked and visited?
    pub is_mistake: bool,
    /// A better move, if one is known.
    pub better: Option<Move>,
}

impl Review<'_> {
    /// The page: board, graph, costliest moves, variations. Texts are escaped. Turns
    /// without a note are left out.
    pub fn html(&self) -> String {
        let mut diagram = Diagram::of(self.game.board());
        diagram.title = format!("{}, the last position", players(self.info));
        diagram.last = self.game.last_turn().and_then(|t| t.mv.point());
        let scale = self.scale();
        let main = fill(
            include_str!("review.html"),
            &[
                ("players", &escape(&players(self.info))),
                ("about", &escape(&about(self.info, self.game))),
                ("diagram", &diagram.inline()),
                ("graph", &self.graph(scale)),
                ("ticks", &self.ticks()),
                ("scale", &scale.to_string()),
                ("summary", &self.summary()),
                ("costliest", &self.table()),
            ],
        );
        page(
            &players(self.info),
            &main,
            &self.data(),
            include_str!("review.js"),
        )
    }

    /// The turns that lead to positions with a note, each with the board that was set up after
    /// it, if there is one.
    fn turns(&self) -> impl Iterator<Item = (Turn, Option<Board>)> {
        let mut parts = self.game.parts().peekable();
        let turns = std::iter::from_fn(move || {
            let part = parts.next()?;
            let next = parts.peek().map(|next| next.start().clone());
            let mut turns: Vec<_> = part.turns().iter().map(|&t| (t, None)).collect();
            if let Some(last) = turns.last_mut() {
                last.1 = next;
            }
            Some(turns)
        });
        let noted = self.positions.len().saturating_sub(1);
        turns.flatten().take(noted)
    }

    /// What the script shows.
    fn data(&self) -> Value {
        let size = self.game.size();
        let first = self.game.parts().next();
        let mut board = first.as_ref().unwrap_or(self.game).start().clone();
        let start = stones(&board);
        let mut notes = self.positions.iter();
        let mut moves = Vec::new();
        let mut positions: Vec<Value> = notes.next().map(|n| n.data(&board)).into_iter().collect();
        for ((turn, set_up), note) in self.turns().zip(notes) {
            let before = board.clone();
            board.play_move(turn.color, turn.mv);
            let is_set_up = set_up.is_some();
            board = set_up.unwrap_or(board);
            let mut step = step(turn.color, turn.mv, &before, &board);
            if let (true, Some(parts)) = (is_set_up, step.as_array_mut()) {
                parts.push(is_set_up.into());
            }
            moves.push(step);
            positions.push(note.data(&board));
        }
        json!({
            "size": [size.width(), size.height()],
            "start": start,
            "moves": moves,
            "positions": positions,
            "losses": self.losses.iter().map(|l| l.data(size)).collect::<Vec<_>>(),
            "files": self.files,
        })
    }

    /// Points at the upper end of the graph: few games get beyond 40 and are still open.
    fn scale(&self) -> u32 {
        let most = self.positions.iter().map(|p| p.lead.abs());
        let most = most.fold(1.0, f64::max).min(40.0);
        10 * (most / 10.0).ceil() as u32
    }

    /// Win rate and lead over the game: a unit to the right for each turn, and 100 units
    /// from the top to the bottom.
    fn graph(&self, scale: u32) -> String {
        let last = self.turns().count();
        let path = |y: &dyn Fn(&PositionNote) -> f64| {
            let notes = self.positions.iter().take(last + 1).enumerate();
            let points = notes.map(|(x, note)| format!("{x} {:.1}", y(note).clamp(0.0, 100.0)));
            points.collect::<Vec<_>>().join("L")
        };
        let rate = path(&|note| 100.0 - 100.0 * f64::from(note.win_rate));
        let lead = path(&|note| 50.0 - 50.0 * note.lead / f64::from(scale));
        let turns = self.turns().zip(self.losses).enumerate();
        let mistakes = turns.filter(|(_, (_, loss))| loss.is_mistake);
        let marks = mistakes.map(|(n, ((turn, _), _))| {
            let (from, to) = match turn.color {
                Color::Black => (100, 94),
                Color::White => (0, 6),
            };
            format!("M{} {from}V{to}", n + 1)
        });
        format!(
            "<svg viewBox=\"0 0 {} 100\" preserveAspectRatio=\"none\" role=\"img\">\
             <title>Black’s win rate and lead over the game; strokes at the lower edge are \
             mistakes of Black, those at the upper edge of White</title>\
             <path class=\"share\" d=\"M0 100L{rate}V100Z\"/>\
             <path class=\"even\" d=\"M0 25H{last}M0 50H{last}M0 75H{last}\"/>\
             <path class=\"loss\" d=\"{}\"/><path class=\"lead\" d=\"M{lead}\"/>\
             <path class=\"rate\" d=\"M{rate}\"/></svg>",
            last.max(1),
            marks.collect::<String>(),
        )
    }

    /// Numbers of moves below the graph, at most seven.
    fn ticks(&self) -> String {
        let last = self.turns().count();
        let steps = [5, 10, 20, 50, 100, 200, 500];
        let step = steps.into_iter().find(|s| last / s < 7).unwrap_or(1000);
        let ticks = (0..=last).step_by(step);
        let place = |n: usize| 100.0 * n as f64 / last.max(1) as f64;
        ticks
            .map(|n| format!("<span style=\"left:{:.2}%\">{n}</span>", place(n)))
            .collect()
    }

    /// Rows of the summary.
    fn summary(&self) -> String {
        let rows = self.summary.iter().map(|(name, [black, white])| {
            let [name, black, white] = [name, black, white].map(|text| escape(text));
            let class = if name.starts_with(' ') {
                " class=\"part\""
            } else {
                ""
            };
            format!(
                "<tr{class}><th scope=\"row\">{}<td>{black}<td>{white}</tr>\n",
                name.trim()
            )
        });
        rows.collect()
    }

    /// Rows of the costliest moves.
    fn table(&self) -> String {
        let turns: Vec<Turn> = self.turns().map(|(turn, _)| turn).collect();
        let listed = self.costliest.iter();
        let listed = listed.filter_map(|&n| Some((n, turns.get(n)?, self.losses.get(n)?)));
        let rows = listed.map(|(n, turn, loss)| {
            let (c, m) = (turn.color, turn.mv);
            let better = loss.better.map(|m| m.to_string()).unwrap_or_default();
            format!(
                "<tr data-move=\"{n}\" data-player=\"{c}\"><td><a href=\"#move={n}\">{} {c} {m}</a>\
                 <td>−{:.1}<td>−{:.1}<td>{better}</tr>\n",
                n + 1,
                rounded(loss.points, 1),
                rounded(100.0 * f64::from(loss.win_rate), 1),
            )
        });
        rows.collect()
    }
}

impl Loss {
    fn data(&self, size: BoardSize) -> Value {
        json!({
            "points": rounded(self.points, 1),
            "winRate": rounded(self.win_rate.into(), 3),
            "mistake": self.is_mistake,
            "better": self.better.map(|m| number_of(m, size)),
        })
    }
}

impl PositionNote {
    fn data(&self, board: &Board) -> Value {
        let candidates: Vec<Value> = self
            .candidates
            .iter()
            .map(|c| {
                let variation = c.variation.iter().copied();
                json!({
                    "move": number_of(c.vertex, board.size()),
                    "winRate": rounded(c.win_rate.into(), 4),
                    "lead": rounded(c.lead, 2),
                    "lost": rounded(c.lost, 1),
                    "visits": c.visits,
                    "prior": rounded(c.prior.into(), 4),
                    "line": line(board, variation),
                })
            })
            .collect();
        json!({
            "player": player(self.to_move),
            "winRate": rounded(self.win_rate.into(), 4),
            "lead": rounded(self.lead, 2),
            "visits": self.visits,
            "ownership": self.ownership.iter().copied().map(letter).collect::<String>(),
            "candidates": candidates,
        })
    }
}

/// JSON has no NaN: what is no number becomes 0.
fn rounded(value: f64, digits: i32) -> f64 {
    let unit = 10f64.powi(digits);
    let rounded = (value * unit).round() / unit;
    if rounded.is_finite() { rounded } else { 0.0 }
}

/// Ownership in thirtieths as one of 61 characters, `A` for −1.
fn letter(share: f32) -> char {
    match (30.0 + 30.0 * share.clamp(-1.0, 1.0)).round() as u8 {
        n @ 0..26 => char::from(b'A' + n),
        n @ 26..52 => char::from(b'a' + n - 26),
        n => char::from(b'0' + n.min(60) - 52),
    }
}
