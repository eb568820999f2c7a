//! A board on which only one problem is open. The rest is filled with living stones so that the
//! group in question decides who leads.

use crate::adjudicate::Problem;
use crate::board::Board;
use crate::position::Position;
use crate::rules::preset;
use crate::types::{Color, Komi, POINTS, Point};

/// Distance from a problem's region, in king's moves, within which points stay empty.
const MARGIN: u8 = 1;

/// Distance from the region, in king's moves, within which points go to the owner of their stone
/// or of the nearest wall.
const WALL: u8 = 4;

/// Distance from the region, in king's moves, within which the defender's other stones are
/// included.
const FRIEND: u8 = 3;

/// A problem alone on a board.
pub(super) struct Frame {
    /// The stones, and the player to move.
    pub position: Position,
    /// Empty points left to play on.
    pub open: Vec<Point>,
}

/// Distance to the nearest of these points, in king's moves.
pub(super) fn nearest(p: Point, all: &[Point]) -> u8 {
    let distances = all.iter().map(|&q| p.king_distance(q));
    distances.min().unwrap_or(u8::MAX)
}

impl Frame {
    /// Fill the board around a problem, with this player to move.
    pub fn around(board: &Board, problem: &Problem, to_move: Color) -> Frame {
        let size = board.size();
        let defender = problem.defender();
        let attacker = defender.opponent();
        // The defender's stones nearby are included, since the group may reach them.
        let mut inside = problem.points().to_vec();
        let friends: Vec<Point> = board
            .stones()
            .filter(|&(c, p)| c == defender && nearest(p, problem.points()) <= FRIEND)
            .map(|(_, p)| p)
            .collect();
        inside.extend(&friends);
        let mut depth = vec![0; POINTS];
        for p in size.points() {
            depth[p.index()] = nearest(p, &inside);
        }
        let is_inside = |p: &Point| depth[p.index()] <= MARGIN;
        let open = size.points().filter(is_inside);
        let open = open.filter(|&p| board.is_empty(p)).collect();
        // Fill the neighbourhood first. Of the rest, the defender gets the points nearest its
        // stones.
        let outer: Vec<Point> = size.points().filter(|p| !is_inside(p)).collect();
        let outside: Vec<Point> = friends
            .iter()
            .filter(|p| !problem.points().contains(p))
            .copied()
            .collect();
        let near = |p: Point| problem.outside(p).unwrap_or(attacker);
        // Points outside by colour.
        let mut ground = [0i32; 2];
        let mut owner = vec![None; POINTS];
        let (close, mut far): (Vec<Point>, Vec<Point>) =
            outer.iter().partition(|p| depth[p.index()] <= WALL);
        for p in close {
            let c = board.at(p).color().unwrap_or_else(|| near(p));
            owner[p.index()] = Some(c);
            ground[c.index()] += 1;
        }
        let lead = lead(
            board,
            problem,
            &size.points().filter(is_inside).collect::<Vec<_>>(),
        );
        far.sort_by_key(|&p| match nearest(p, &outside) {
            u8::MAX => (depth[p.index()].into(), p.index()),
            away => (100 - i32::from(away), p.index()),
        });
        let total = far.len() as i32 + ground[0] + ground[1];
        let mut left = (total - lead) / 2 - ground[attacker.index()];
        for p in far {
            let c = if left > 0 { attacker } else { defender };
            left -= 1;
            owner[p.index()] = Some(c);
            ground[c.index()] += 1;
        }
        let rules = preset("chinese").map_or_else(Default::default, |p| p.rules);
        let mut position = Position::from_board(filled(board, &owner), to_move, rules);
        let uneven = ground[defender.index()] - ground[attacker.index()] - lead;
        position.set_komi(Komi::half_points(2 * uneven * defender.sign()));
        Frame { position, open }
    }
}

/// The lead that the defender needs outside for an even game if half of its group lives.
fn lead(board: &Board, problem: &Problem, inside: &[Point]) -> i32 {
    let defender = problem.defender();
    let own = |p: &&Point| {
        problem.outside(**p) == Some(defender) || board.at(**p).color() == Some(defender)
    };
    let group = problem.group();
    let stands = inside
        .iter()
        .filter(own)
        .filter(|p| !group.contains(p))
        .count() as i32;
    inside.len() as i32 - 2 * (stands + group.len() as i32 / 2 + 1)
}

/// The board with stones on empty points that have an owner, except eyes.
fn filled(board: &Board, owner: &[Option<Color>]) -> Board {
    let size = board.size();
    let mut framed = board.clone();
    for p in size.points().filter(|&p| board.is_empty(p)) {
        let Some(c) = owner[p.index()] else { continue };
        let eye = (u32::from(p.x()) + 2 * u32::from(p.y())).is_multiple_of(5);
        let same = |q: Point| !size.contains(q) || owner[q.index()] == Some(c);
        if !(eye && p.neighbours().into_iter().all(same)) {
            // Cannot fail: the point is empty.
            let _ = framed.place(c, p);
        }
    }
    while let Some(p) = framed.without_liberties() {
        framed.remove_dead_chain(p);
    }
    framed
}
