//! Ladders as the networks define them: which chains with one or two liberties are
//! lost to a series of ataris, and which moves start it.
//!
//! The networks were trained with this particular reading: a ko that the attacker
//! takes in a ladder counts for the defender, unless both liberties can be taken in a ko.
//! [`crate::tactics::LadderSearch`] reads slightly differently.

use crate::board::Board;
use crate::rules::SuicideRule;
use crate::tactics::{Plies, capturing_plays};
use crate::types::{BoardSize, Color, Move, Point, PointSet, PointState};
use smallvec::SmallVec;

/// Maximum number of positions searched per reading; beyond that, the chain counts as safe.
const NODES: u32 = 25_000;

/// The ladders on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Ladders {
    /// Stones of chains that are caught, or would be if the opponent moved first.
    pub caught: PointSet,
    /// Moves that catch a chain with two liberties in a ladder, by the colour of the chain.
    pub begins: [PointSet; 2],
}

/// Reads ladders, with a cache of recent results.
pub struct LadderReader {
    boards: Plies,
    nodes: u32,
    cache: Vec<Option<(Key, Ladders)>>,
}

/// Key of the cache: the board size, which the hash does not cover, the hash of the stones,
/// and the point forbidden by ko.
type Key = (BoardSize, u64, Point);

/// Number of cached boards.
const CACHE_SIZE: usize = 256;

impl Default for LadderReader {
    fn default() -> Self {
        LadderReader {
            boards: Plies::default(),
            nodes: 0,
            cache: vec![None; CACHE_SIZE],
        }
    }
}

impl LadderReader {
    /// Return the ladders on a board.
    pub fn read(&mut self, board: &Board) -> Ladders {
        let key = (
            board.size(),
            board.hash(),
            board.ko().unwrap_or(Point::NONE),
        );
        let slot = board.hash() as usize % CACHE_SIZE;
        if let Some((of, ladders)) = self.cache[slot]
            && of == key
        {
            return ladders;
        }
        let ladders = self.read_anew(board);
        self.cache[slot] = Some((key, ladders));
        ladders
    }

    fn read_anew(&mut self, board: &Board) -> Ladders {
        let mut ladders = Ladders::default();
        for p in board.size().points() {
            let Some(owner) = board.at(p).color() else {
                continue;
            };
            if board.chain(p) != p {
                continue;
            }
            let liberties = board.liberties_up_to::<3>(p);
            let caught = match liberties.len() {
                1 => {
                    self.boards.start(board);
                    self.is_caught(p)
                }
                2 => {
                    let mut any = false;
                    for &q in &liberties {
                        if board.is_legal(owner.opponent(), q, SuicideRule::Forbidden) {
                            self.boards.start(board);
                            self.boards[0].play_unchecked(owner.opponent(), q);
                            if self.is_caught(p) {
                                ladders.begins[owner.index()].insert(q);
                                any = true;
                            }
                        }
                    }
                    any
                }
                _ => false,
            };
            if caught {
                ladders.caught.extend(board.chain_stones(p));
            }
        }
        ladders
    }

    /// Read a chain with its owner to move on the first board. The owner may take any ko.
    fn is_caught(&mut self, p: Point) -> bool {
        self.nodes = 0;
        self.boards[0].clear_ko();
        // `None` means that the search ran out of nodes.
        self.defend(0, p) == Some(true)
    }

    fn play(&mut self, depth: usize, c: Color, q: Point) {
        self.boards.play(depth, c, q);
        self.nodes += 1;
    }

    /// Is the chain caught with its owner to move? `None` if the nodes ran out.
    fn defend(&mut self, depth: usize, p: Point) -> Option<bool> {
        let board = &self.boards[depth];
        if self.is_deep(depth) {
            return Some(true);
        }
        if self.nodes >= NODES {
            return None;
        }
        let Some(liberty) = board.atari(p) else {
            return Some(false);
        };
        if board.ko().is_some() {
            return Some(false);
        }
        let owner = board.at(p).color()?;
        let mut moves = capturing_plays(board, p, owner);
        if !moves.contains(&liberty) {
            moves.push(liberty);
        }
        for q in moves {
            if !self.boards[depth].is_legal(owner, q, SuicideRule::Forbidden) {
                continue;
            }
            self.play(depth, owner, q);
            if !self.attack(depth + 1, p)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Is the chain caught with the opponent to move? `None` if the nodes ran out.
    fn attack(&mut self, depth: usize, p: Point) -> Option<bool> {
        let board = &self.boards[depth];
        if self.is_deep(depth) {
            return Some(true);
        }
        if self.nodes >= NODES {
            return None;
        }
        let liberties = board.liberties_up_to::<3>(p);
        let &[a, b] = liberties.as_slice() else {
            return Some(liberties.len() < 2);
        };
        let owner = board.at(p).color()?;
        let open = |q: Point| {
            let around = q.neighbours().into_iter();
            around.filter(|&r| board.is_empty(r)).count()
        };
        let (open_a, open_b) = (open(a), open(b));
        if open_a == 0 && open_b == 0 && is_dead_in_double_ko(board, p, owner, [a, b]) {
            return Some(true);
        }
        // Close the larger escape first. An escape with three exits must be closed; two of
        // them cannot be, unless they are adjacent.
        let apart = !a.neighbours().contains(&b);
        let mut moves: SmallVec<[Point; 2]> = match (open_a >= 3, open_b >= 3) {
            (true, true) if apart => return Some(false),
            (true, false) if apart => SmallVec::from_slice(&[a]),
            (false, true) if apart => SmallVec::from_slice(&[b]),
            _ => SmallVec::from_slice(&[a, b]),
        };
        if moves.len() == 2 && open_b > open_a {
            moves.swap(0, 1);
        }
        for q in moves {
            if !self.boards[depth].is_legal(owner.opponent(), q, SuicideRule::Forbidden) {
                continue;
            }
            self.play(depth, owner.opponent(), q);
            if self.defend(depth + 1, p)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Is the line so long that it must repeat?
    fn is_deep(&self, depth: usize) -> bool {
        depth >= self.boards[0].size().area() * 3 / 2
    }
}

/// Can the attacker take a ko at both liberties, while connecting there gains the owner
/// nothing?
fn is_dead_in_double_ko(board: &Board, p: Point, owner: Color, liberties: [Point; 2]) -> bool {
    let takes_ko = |q: Point| {
        let mut prey = None;
        for r in q.neighbours() {
            match board.at(r) {
                PointState::Border => {}
                stone if stone.color() == Some(owner) => {
                    if board.atari(r).is_some() {
                        if prey.is_some() {
                            return false;
                        }
                        prey = Some(r);
                    }
                }
                _ => return false,
            }
        }
        prey.is_some_and(|r| board.chain_len(r) == 1)
    };
    let gains = |q: Point| {
        let next = board.after(owner, Move::Play(q));
        next.liberties_up_to::<3>(q).len() > 2
    };
    liberties.into_iter().all(takes_ko)
        && !liberties.into_iter().any(gains)
        && capturing_plays(board, p, owner).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stone in atari in a corner is not in atari where the board continues.
    #[test]
    fn cache_distinguishes_board_sizes() {
        let mut reader = LadderReader::default();
        for (size, caught) in [(7, true), (9, false), (7, true)] {
            let mut board = Board::new(BoardSize::square(size));
            let corner = Point::new(6, 6);
            board.place(Color::Black, corner).unwrap();
            board.place(Color::White, Point::new(5, 6)).unwrap();
            assert_eq!(
                reader.read(&board).caught.contains(corner),
                caught,
                "{size}"
            );
        }
    }
}
