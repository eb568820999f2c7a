//! The page of an analysed game.

use super::html::{Served, about, escape, fill, page, players};
use super::steps::{line, number_of, player, step, stones};
use super::svg::Diagram;
use crate::board::Board;
use crate::position::{Position, Turn};
use crate::sgf::GameInfo;
use crate::types::{BoardSize, Color, Move};
use serde_json::{Value, json};

/// A game and its analysis.
#[derive(Clone, Copy, Debug)]
pub struct Review<'a> {
    /// Facts from the record.
    pub info: &'a GameInfo,
    /// The game: board size, starting position, and the turns of all its parts.
    pub game: &'a Position,
    /// Notes on the starting position and on the position after each turn. If a position was set
    /// up after the turn, the note is on that.
    pub positions: &'a [PositionNote],
    /// Loss of each turn.
    pub losses: &'a [MoveNote],
    /// Indices of the turns to list, costliest first.
    pub costliest: &'a [usize],
    /// Summary of both players: names of values, each with Black's and White's.
    pub summary: &'a [(String, [String; 2])],
    /// Files to download: name and content.
    pub files: &'a [(String, String)],
}

/// Analysis of a position.
#[derive(Clone, Debug)]
pub struct PositionNote {
    /// The player to move.
    pub to_move: Color,
    /// Black's probability of winning, from 0 to 1.
    pub win_rate: f32,
    /// Points by which Black leads.
    pub lead: f64,
    /// Number of visits.
    pub visits: u32,
    /// Expected owner of each point, from −1 (White) to 1 (Black), rows from the top; empty if
    /// unknown.
    pub ownership: Vec<f32>,
    /// Moves for the player to move, best first.
    pub candidates: Vec<Candidate>,
}

/// A move considered by the analysis. Win rate and lead are Black's.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The move.
    pub vertex: Move,
    /// Black's probability of winning after it, from 0 to 1.
    pub win_rate: f32,
    /// Points by which Black leads after it.
    pub lead: f64,
    /// Points lost compared to the best move, at least 0.
    pub lost: f64,
    /// Number of visits.
    pub visits: u32,
    /// Policy prior, from 0 to 1.
    pub prior: f32,
    /// Principal variation with players, starting with this move.
    pub variation: Vec<(Color, Move)>,
}

/// Loss of a move in the game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveNote {
    /// Points lost, at least 0.
    pub points: f64,
    /// Winning probability lost, from 0 to 1.
    pub win_rate: f32,
    /// Is it a mistake? The page marks mistakes and steps through them.
    pub is_mistake: bool,
    /// A better move, if one is known.
    pub better: Option<Move>,
}

/// A turn, and the board set up after it, if any.
type NotedTurn = (Turn, Option<Board>);

impl Review<'_> {
    /// Render the page: board, graph, costliest moves, variations. Texts are escaped. Turns
    /// without a note are omitted. `served` as in [`crate::page`].
    pub fn html(&self, served: Option<Served<'_>>) -> String {
        let mut diagram = Diagram::of(self.game.board());
        diagram.title = format!("{}, the last position", players(self.info));
        diagram.last = self.game.last_turn().and_then(|t| t.mv.point());
        let scale = self.scale();
        let turns = self.turns();
        let main = fill(
            include_str!("review.html"),
            &[
                ("players", &escape(&players(self.info))),
                ("about", &escape(&about(self.info, self.game))),
                ("diagram", &diagram.inline()),
                ("graph", &self.graph(&turns, scale)),
                ("ticks", &ticks(turns.len())),
                ("scale", &scale.to_string()),
                ("summary", &self.summary()),
                ("costliest", &self.table(&turns)),
            ],
        );
        page(
            &players(self.info),
            &main,
            self.data(turns),
            include_str!("review.js"),
            served,
        )
    }

    /// List the turns that lead to positions with a note.
    fn turns(&self) -> Vec<NotedTurn> {
        let mut turns: Vec<NotedTurn> = Vec::new();
        for part in self.game.parts() {
            if let Some((_, set_up)) = turns.last_mut() {
                *set_up = Some(part.start().clone());
            }
            turns.extend(part.turns().iter().map(|&turn| (turn, None)));
        }
        turns.truncate(self.positions.len().saturating_sub(1));
        turns
    }

    /// Build the data for the script.
    fn data(&self, turns: Vec<NotedTurn>) -> Value {
        let size = self.game.size();
        let first = self.game.parts().next();
        let mut board = first.as_ref().unwrap_or(self.game).start().clone();
        let start = stones(&board);
        let mut notes = self.positions.iter();
        let mut moves = Vec::new();
        let mut positions: Vec<Value> = notes.next().map(|n| n.data(&board)).into_iter().collect();
        for ((turn, set_up), note) in turns.into_iter().zip(notes) {
            let is_set_up = set_up.is_some();
            let after = set_up.unwrap_or_else(|| board.after(turn.color, turn.mv));
            let mut step = step(turn.color, turn.mv, &board, &after);
            board = after;
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

    /// Return the lead at the top of the graph, in points; few open games exceed 40.
    fn scale(&self) -> u32 {
        let most = self.positions.iter().map(|p| p.lead.abs());
        let most = most.fold(1.0, f64::max).min(40.0);
        10 * (most / 10.0).ceil() as u32
    }

    /// Draw win rate and lead over the game: one unit to the right per turn, and 100 units
    /// from top to bottom.
    fn graph(&self, turns: &[NotedTurn], scale: u32) -> String {
        let last = turns.len();
        let path = |y: &dyn Fn(&PositionNote) -> f64| {
            let notes = self.positions.iter().take(last + 1).enumerate();
            let points = notes.map(|(x, note)| format!("{x} {:.1}", y(note).clamp(0.0, 100.0)));
            points.collect::<Vec<_>>().join("L")
        };
        let rate = path(&|note| 100.0 - 100.0 * f64::from(note.win_rate));
        let lead = path(&|note| 50.0 - 50.0 * note.lead / f64::from(scale));
        let losses = turns.iter().zip(self.losses).enumerate();
        let mistakes = losses.filter(|(_, (_, loss))| loss.is_mistake);
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

    /// Render the rows of the summary.
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

    /// Render the rows of the costliest moves.
    fn table(&self, turns: &[NotedTurn]) -> String {
        let listed = self.costliest.iter();
        let listed = listed.filter_map(|&n| Some((n, turns.get(n)?, self.losses.get(n)?)));
        let rows = listed.map(|(n, (turn, _), loss)| {
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

impl MoveNote {
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

/// Label the graph of `last` turns with move numbers, at most seven.
fn ticks(last: usize) -> String {
    let steps = [5, 10, 20, 50, 100, 200, 500];
    let step = steps.into_iter().find(|s| last / s < 7).unwrap_or(1000);
    let place = |n: usize| 100.0 * n as f64 / last.max(1) as f64;
    let ticks = (0..=last).step_by(step);
    ticks
        .map(|n| format!("<span style=\"left:{:.2}%\">{n}</span>", place(n)))
        .collect()
}

/// Round to a number of decimal digits. JSON has no NaN and no infinity: they become 0.
fn rounded(value: f64, digits: i32) -> f64 {
    let unit = 10f64.powi(digits);
    let rounded = (value * unit).round() / unit;
    if rounded.is_finite() { rounded } else { 0.0 }
}

/// Encode ownership in thirtieths as one of 61 characters, `A` for −1.
fn letter(share: f32) -> char {
    match (30.0 + 30.0 * share.clamp(-1.0, 1.0)).round() as u8 {
        n @ 0..26 => char::from(b'A' + n),
        n @ 26..52 => char::from(b'a' + n - 26),
        n => char::from(b'0' + n.min(60) - 52),
    }
}
