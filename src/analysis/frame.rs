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

/// The owners of the points outside a problem.
struct Owners {
    /// By [`Point::index`].
    of_point: Vec<Option<Color>>,
    /// Number of points, by colour.
    points: [i32; 2],
}

impl Owners {
    fn give(&mut self, p: Point, c: Color) {
        self.of_point[p.index()] = Some(c);
        self.points[c.index()] += 1;
    }

    fn points_of(&self, c: Color) -> i32 {
        self.points[c.index()]
    }
}

impl Frame {
    /// Fill the board around a problem, with this player to move.
    pub fn around(board: &Board, problem: &Problem, to_move: Color) -> Frame {
        let size = board.size();
        let defender = problem.defender();
        let attacker = defender.opponent();
        // The defender's stones nearby are included, since the group may reach them.
        let friends: Vec<Point> = board
            .stones()
            .filter(|&(c, p)| c == defender && nearest(p, problem.points()) <= FRIEND)
            .map(|(_, p)| p)
            .collect();
        let core: Vec<Point> = problem.points().iter().chain(&friends).copied().collect();
        let depths = size.points().map(|p| (nearest(p, &core), p));
        let (inside, outside): (Vec<_>, Vec<_>) = depths.partition(|(depth, _)| *depth <= MARGIN);
        let (close, far): (Vec<_>, Vec<_>) = outside.iter().partition(|(depth, _)| *depth <= WALL);
        let inside: Vec<Point> = inside.into_iter().map(|(_, p)| p).collect();
        let lead = lead(board, problem, &inside);
        let mut owners = Owners {
            of_point: vec![None; POINTS],
            points: [0; 2],
        };
        for (_, p) in close {
            let owner = board.at(p).color().or(problem.outside(p));
            owners.give(p, owner.unwrap_or(attacker));
        }
        let points = outside.len() as i32;
        let attackers = (points - lead) / 2 - owners.points_of(attacker);
        for (i, p) in (0..).zip(nearest_to_defender_last(far, problem, &friends)) {
            owners.give(p, if i < attackers { attacker } else { defender });
        }
        let rules = preset("chinese").map_or_else(Default::default, |p| p.rules);
        let framed = filled(board, &owners.of_point);
        let mut position = Position::from_board(framed, to_move, rules);
        let uneven = owners.points_of(defender) - owners.points_of(attacker) - lead;
        position.set_komi(Komi::half_points(2 * uneven * defender.sign()));
        let open = inside.into_iter().filter(|&p| board.is_empty(p));
        Frame {
            position,
            open: open.collect(),
        }
    }
}

/// Points, given with their distance from the problem, in the order in which they are given away:
/// from the farthest to the nearest to the defender's other stones (`friends` outside the problem), or
/// without any from the nearest to the farthest.
fn nearest_to_defender_last(
    mut points: Vec<(u8, Point)>,
    problem: &Problem,
    friends: &[Point],
) -> Vec<Point> {
    let mut others = friends.to_vec();
    others.retain(|p| !problem.points().contains(p));
    points.sort_by_key(|&(depth, p)| match nearest(p, &others) {
        u8::MAX => (depth.into(), p.index()),
        away => (100 - i32::from(away), p.index()),
    });
    points.into_iter().map(|(_, p)| p).collect()
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
