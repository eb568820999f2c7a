//! Set-up properties: stones that were not played.

use super::SgfError;
use super::collection::{property_name, unescaped};
use super::letters::point;
use super::parse::Property;
use crate::board::{Board, SetUpError};
use crate::position::Position;
use crate::types::{BoardSize, Color, POINTS, Point, PointState};

/// A node that may have set-up properties (AB, AW, AE, PL), with the context that
/// determines its effect.
pub(super) struct SetUp<'a> {
    pub node: &'a [Property],
    /// Number of moves before the node.
    pub after: usize,
    /// The handicap that the record declares, from 1.
    pub handicap: Option<u32>,
    /// The player of the next move in the record.
    pub next: Option<Color>,
}

/// Number of set-up properties in a record that has not been read. Each may need a new board.
pub(crate) fn set_ups(record: &[u8]) -> usize {
    let (mut name, mut found) = (String::new(), 0);
    for (_, b, _) in unescaped(record).filter(|(_, _, in_value)| !in_value) {
        match b {
            b'[' => {
                let is_set_up = |name: &str| matches!(name, "AB" | "AW" | "AE" | PRISONERS);
                found += usize::from(is_set_up(&property_name(&name)));
                name.clear();
            }
            b';' | b'(' | b')' => name.clear(),
            b if b.is_ascii_alphabetic() => name.push(b.into()),
            _ => {}
        }
    }
    found
}

/// The player that a value of PL names.
pub(super) fn player(value: &str) -> Option<Color> {
    match value.trim().chars().next()? {
        'b' | 'B' | '1' => Some(Color::Black),
        'w' | 'W' | '2' => Some(Color::White),
        _ => None,
    }
}

impl SetUp<'_> {
    /// Apply the node to the position. If it changes no point and no prisoners, the
    /// game continues without a new part.
    pub fn apply(&self, position: &mut Position) -> Result<(), SgfError> {
        if let Some(stones) = self.stones(position.board())? {
            let placed = self.handicap.is_some() && place_handicap(position, &stones);
            if !placed {
                let before = position.turns().is_empty();
                set_up_stones(position, &stones)?;
                // White stones too: a position from the middle of a handicap game.
                let white = stones.iter().any(|(c, _)| *c == Color::White);
                let most = position.size().area() as u32;
                if let Some(n @ 2..) = self.handicap
                    && n <= most
                    && before
                    && white
                {
                    position.declare_handicap(n);
                }
            }
            if let Some(c) = self.next {
                position.set_to_move(c);
            }
        }
        // After the first turn, PRISONERS marks a set-up even if nothing changes.
        if let Some(prisoners) = self.prisoners()
            && (!position.turns().is_empty()
                || prisoners != Color::BOTH.map(|c| position.board().captured(c)))
        {
            let stones: Vec<(Color, Point)> = position.board().stones().collect();
            set_up_board(position, &stones, prisoners)?;
        }
        if let Some(c) = self.to_move() {
            position.set_to_move(c);
        }
        Ok(())
    }

    /// The captured stones of Black and of White, if the node gives them.
    fn prisoners(&self) -> Option<[u32; 2]> {
        let property = self.node.iter().find(|p| p.name == PRISONERS)?;
        let (black, white) = property.values.first()?.split_once(':')?;
        let number = |text: &str| text.trim().parse().ok().filter(|&n| n <= MAX_PRISONERS);
        Some([number(black)?, number(white)?])
    }

    /// The colour that PL names.
    fn to_move(&self) -> Option<Color> {
        let property = self.node.iter().find(|p| p.name == "PL")?;
        player(property.values.first()?)
    }

    /// All stones after the node; `None` if it changes none.
    fn stones(&self, board: &Board) -> Result<Option<Vec<(Color, Point)>>, SgfError> {
        let size = board.size();
        // The new state of each point; `Border` means no change. Later properties override
        // earlier ones.
        let mut changes: Option<Box<[PointState; POINTS]>> = None;
        for property in self.node {
            let state = match property.name.as_str() {
                "AB" => PointState::Black,
                "AW" => PointState::White,
                "AE" => PointState::Empty,
                _ => continue,
            };
            let changes = changes.get_or_insert_with(|| Box::new([PointState::Border; POINTS]));
            for value in &property.values {
                let (a, b) = rectangle(value, size).ok_or_else(|| SgfError::Point {
                    property: property.name.clone(),
                    value: value.clone(),
                    after: self.after,
                })?;
                for y in a.y().min(b.y())..=a.y().max(b.y()) {
                    for x in a.x().min(b.x())..=a.x().max(b.x()) {
                        if let Some(cell) = changes.get_mut(Point::new(x, y).index()) {
                            *cell = state;
                        }
                    }
                }
            }
        }
        let Some(changes) = changes else {
            return Ok(None);
        };
        let mut changed = false;
        let mut stones = Vec::new();
        for p in size.points() {
            let state = match changes.get(p.index()) {
                None | Some(PointState::Border) => board.at(p),
                Some(&state) => {
                    changed |= state != board.at(p);
                    state
                }
            };
            stones.extend(state.color().map(|c| (c, p)));
        }
        Ok(changed.then_some(stones))
    }
}

/// Ponnuki's own property in set-up nodes: the captured stones of Black and of White, `3:5`.
/// SGF has none for them.
pub(super) const PRISONERS: &str = "PRISONERS";

/// The largest valid number of prisoners.
const MAX_PRISONERS: u32 = 1 << 20;

/// Parse a value as the opposite corners of a rectangle: `aa:cc`, or `aa` for one point.
fn rectangle(value: &str, size: BoardSize) -> Option<(Point, Point)> {
    let (a, b) = value.split_once(':').unwrap_or((value, value));
    Some((point(a, size)?, point(b, size)?))
}

/// Place the stones as handicap if all are black and the game has not started.
/// Returns whether they were placed.
fn place_handicap(position: &mut Position, stones: &[(Color, Point)]) -> bool {
    let points: Vec<Point> = stones
        .iter()
        .filter(|(c, _)| *c == Color::Black)
        .map(|&(_, p)| p)
        .collect();
    points.len() == stones.len() && position.place_handicap(&points).is_ok()
}

/// Replace the stones on the board and keep the prisoners.
pub(super) fn set_up_stones(
    position: &mut Position,
    stones: &[(Color, Point)],
) -> Result<(), SgfError> {
    let captured = Color::BOTH.map(|c| position.board().captured(c));
    set_up_board(position, stones, captured)
}

/// Replace the stones on the board and the number of captured stones of each player.
fn set_up_board(
    position: &mut Position,
    stones: &[(Color, Point)],
    captured: [u32; 2],
) -> Result<(), SgfError> {
    let board = Board::with_stones(position.size(), stones.iter().copied());
    let mut board = board.map_err(SgfError::Setup)?;
    if let Some(p) = board.without_liberties() {
        return Err(SgfError::Setup(SetUpError::NoLiberty(p)));
    }
    for (c, n) in Color::BOTH.into_iter().zip(captured) {
        board.add_captured(c, n);
    }
    position.change_board(board);
    Ok(())
}
