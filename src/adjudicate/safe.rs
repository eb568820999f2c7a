//! Chains that no one needs to ask about.

use crate::board::Board;
use crate::tactics::pass_alive;
use crate::types::{Color, POINTS, Point};

/// Points of territory, empty or under stones that are surely lost, in which a
/// group cannot be kept from making two eyes.
const ROOM: usize = 8;

/// Mean ownership beyond which the playouts leave no doubt.
const CERTAIN: f32 = 0.9;

/// Which stones belong to chains that are beyond capture, by [`Point::index`]:
/// those that are unconditionally alive (Benson 1976), those with two eyes that
/// they alone enclose, and those around so much territory that there is room for
/// two eyes. `ownership` is that of playouts, from −1 (White's) to 1.
pub fn safe_chains(board: &Board, ownership: impl Fn(Point) -> f32) -> Vec<bool> {
    let mut safe = vec![false; POINTS];
    for c in Color::BOTH {
        for (i, alive) in pass_alive(board, c).0.into_iter().enumerate() {
            safe[i] |= alive;
        }
        let certain = |p: Point| c.sign() as f32 * ownership(p) > CERTAIN;
        let mut eyes = [0u8; POINTS];
        let mut seen = [false; POINTS];
        for p in board.size().points() {
            let inside = |q: Point| {
                board.is_empty(q) || (board.at(q).color() == Some(c.opponent()) && certain(q))
            };
            if seen[p.index()] || !inside(p) {
                continue;
            }
            let mut room = vec![p];
            seen[p.index()] = true;
            let mut own: Vec<Point> = Vec::new();
            let mut foreign = false;
            let mut surely = true;
            let mut empty = 0;
            let mut next = 0;
            while let Some(&q) = room.get(next) {
                next += 1;
                surely &= certain(q);
                empty += usize::from(board.is_empty(q));
                for r in q.neighbours() {
                    if !board.size().contains(r) || seen[r.index()] {
                        continue;
                    }
                    if inside(r) {
                        seen[r.index()] = true;
                        room.push(r);
                    } else if board.at(r).color() == Some(c) {
                        let chain = board.chain(r);
                        if !own.contains(&chain) {
                            own.push(chain);
                        }
                    } else {
                        foreign = true;
                    }
                }
            }
            if foreign {
                continue;
            }
            // Nothing but empty points behind one's own stones needs no playouts.
            if room.len() >= ROOM && (surely || empty == room.len()) {
                for &chain in &own {
                    eyes[chain.index()] = 2;
                }
            } else if let [chain] = own[..]
                && empty == room.len()
            {
                eyes[chain.index()] += 1;
            }
        }
        for p in board.size().points() {
            if board.at(p).color() == Some(c) && eyes[board.chain(p).index()] >= 2 {
                safe[p.index()] = true;
            }
        }
    }
    safe
}
