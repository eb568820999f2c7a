//! An analysed game as a page.

use super::html::{about, escape, fill, page, players};
use super::steps::{line, number_of, step, stones};
use super::svg::Diagram;
use crate::board::Board;
use crate::position::{Position, Turn};
use crate::sgf::GameInfo;
use crate::types::{Color, Move};
use serde_json::{Value, json};

/// A game and what an analysis says of its positions.
#[derive(Clone, Copy, Debug)]
pub struct Review<'a> {
    /// What the record says of it.
    pub info: &'a GameInfo,
    /// The game: its size, where it starts, and the turns of all its parts.
    pub game: &'a Position,
    /// A note on the start, and one on the position after each turn, or on the position that
    /// was set up then.
    pub positions: &'a [PositionNote],
}

/// What an analysis says of a position.
#[derive(Clone, Debug, Default)]
pub struct PositionNote {
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
    /// Its visits.
    pub visits: u32,
    /// Its probability before the search, from 0 to 1.
    pub prior: f32,
    /// The moves from there on, this one first, with their players.
    pub variation: Vec<(Color, Move)>,
}

/// What a move of the game has cost its player.
struct Loss {
    /// Its number among the turns of the game; the first has 1.
    number: usize,
    turn: Turn,
    points: f64,
    win_rate: f64,
    /// The best move there was, if it is another one.
    better: Option<Move>,
}

/// Moves of each player in either order, by points and by win rate.
const COSTLIEST: usize = 10;

/// Losses below these are not listed.
const LEAST_POINTS: f64 = 0.5;
const LEAST_WIN_RATE: f64 = 0.01;

/// Loss of points, or of win rate, from which a move is marked on the graph.
const MARKED_POINTS: f64 = 3.0;
const MARKED_WIN_RATE: f64 = 0.1;

impl Review<'_> {
    /// The page: board, graph, costliest moves, variations. Texts are escaped. Turns
    /// without a note are left out.
    pub fn html(&self) -> String {
        let losses = self.losses();
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
                ("graph", &self.graph(&losses, scale)),
                ("scale", &scale.to_string()),
                ("means", &means(&losses)),
                ("costliest", &table(&losses)),
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
        })
    }

    fn losses(&self) -> Vec<Loss> {
        let pairs = self.positions.iter().zip(self.positions.iter().skip(1));
        let turns = self.turns().enumerate().zip(pairs);
        // What was set up is no doing of the move before.
        let played = turns.filter(|((_, (_, set_up)), _)| set_up.is_none());
        let losses = played.map(|((n, (turn, _)), (before, after))| {
            let sign = f64::from(turn.color.sign());
            let best = before.candidates.first().map(|c| c.vertex);
            Loss {
                number: n + 1,
                turn,
                points: sign * (before.lead - after.lead),
                win_rate: sign * f64::from(before.win_rate - after.win_rate),
                better: best.filter(|&m| m != turn.mv),
            }
        });
        losses.collect()
    }

    /// Points at the upper end of the graph: few games get beyond 40 and are still open.
    fn scale(&self) -> u32 {
        let most = self.positions.iter().map(|p| p.lead.abs());
        let most = most.fold(1.0, f64::max).min(40.0);
        10 * (most / 10.0).ceil() as u32
    }

    /// Win rate and lead over the game: a unit to the right for each turn, and 100 units
    /// from the top to the bottom.
    fn graph(&self, losses: &[Loss], scale: u32) -> String {
        let last = self.turns().count();
        let path = |y: &dyn Fn(&PositionNote) -> f64| {
            let notes = self.positions.iter().take(last + 1).enumerate();
            let points = notes.map(|(x, note)| format!("{x} {:.1}", y(note).clamp(0.0, 100.0)));
            points.collect::<Vec<_>>().join("L")
        };
        let rate = path(&|note| 100.0 - 100.0 * f64::from(note.win_rate));
        let lead = path(&|note| 50.0 - 50.0 * note.lead / f64::from(scale));
        let bad = losses
            .iter()
            .filter(|l| l.points >= MARKED_POINTS || l.win_rate >= MARKED_WIN_RATE);
        let marks = bad.map(|l| {
            let (from, to) = match l.turn.color {
                Color::Black => (100, 94),
                Color::White => (0, 6),
            };
            format!("M{} {from}V{to}", l.number)
        });
        format!(
            "<svg viewBox=\"0 0 {} 100\" preserveAspectRatio=\"none\" role=\"img\">\
             <title>Black’s win rate and lead over the game; strokes at the lower edge are \
             costly moves of Black, those at the upper edge of White</title>\
             <path class=\"share\" d=\"M0 100L{rate}V100Z\"/><path class=\"even\" d=\"M0 50H{last}\"/>\
             <path class=\"loss\" d=\"{}\"/><path class=\"lead\" d=\"M{lead}\"/>\
             <path class=\"rate\" d=\"M{rate}\"/></svg>",
            last.max(1),
            marks.collect::<String>(),
        )
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
                    "visits": c.visits,
                    "prior": rounded(c.prior.into(), 4),
                    "line": line(board, variation),
                })
            })
            .collect();
        json!({
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

/// What a move costs each player on average.
fn means(losses: &[Loss]) -> String {
    let parts = Color::BOTH.map(|c| {
        let of: Vec<&Loss> = losses.iter().filter(|l| l.turn.color == c).collect();
        let sum: f64 = of.iter().map(|l| l.points.max(0.0)).sum();
        let mean = sum / of.len().max(1) as f64;
        format!("{mean:.2} for {c}")
    });
    format!("Points lost a move: {}.", parts.join(", "))
}

/// What moves are put in order by. A pointer, so that the binary holds one sort for all.
type Cost = fn(&Loss) -> f64;

/// The costliest first.
fn sort(losses: &mut [&Loss], by: Cost) {
    losses.sort_unstable_by(|a, b| {
        let costs = by(b).total_cmp(&by(a));
        costs.then(a.number.cmp(&b.number))
    });
}

/// Rows of the costliest moves of either player in either order, those that cost most
/// points first.
fn table(losses: &[Loss]) -> String {
    let orders: [(Cost, f64); 2] = [
        (|l| l.points, LEAST_POINTS),
        (|l| l.win_rate, LEAST_WIN_RATE),
    ];
    let mut listed: Vec<&Loss> = Vec::new();
    for c in Color::BOTH {
        for (by, least) in orders {
            let of = losses.iter();
            let mut of: Vec<&Loss> = of.filter(|l| l.turn.color == c && by(l) >= least).collect();
            sort(&mut of, by);
            of.truncate(COSTLIEST);
            of.retain(|l| listed.iter().all(|m| m.number != l.number));
            listed.extend(of);
        }
    }
    sort(&mut listed, |l| l.points);
    let rows = listed.iter().map(|l| {
        let (n, c, m) = (l.number, l.turn.color, l.turn.mv);
        let better = l.better.map(|m| m.to_string()).unwrap_or_default();
        format!(
            "<tr data-move=\"{n}\" data-player=\"{c}\" data-points=\"{:.2}\" data-rate=\"{:.4}\">\
             <td><a href=\"#move={}&amp;line=1\">{} {c} {m}</a><td>{:.1}<td>{:.1} %<td>{better}</tr>\n",
            l.points,
            l.win_rate,
            n - 1,
            n,
            shown(l.points),
            shown(100.0 * l.win_rate),
        )
    });
    rows.collect()
}

/// To one digit, without a zero that has a sign.
fn shown(value: f64) -> f64 {
    rounded(value, 1) + 0.0
}
