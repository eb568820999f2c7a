//! Chains whose life is beyond question.

use super::region::ROOM;
use crate::board::Board;
use crate::tactics::pass_alive;
use crate::types::{Color, POINTS, Point};

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
            let room = board.flood(p, &mut seen, inside);
            let mut own: Vec<Point> = Vec::new();
            let mut foreign = false;
            for q in room.iter().flat_map(|p| p.neighbours()) {
                let chain = board.chain(q);
                if board.at(q).color() == Some(c) && !own.contains(&chain) {
                    own.push(chain);
                }
                foreign |= board.at(q).color() == Some(c.opponent()) && !inside(q);
            }
            if foreign {
                continue;
            }
            // Nothing but empty points behind one's own stones needs no playouts.
            let empty = room.iter().all(|&q| board.is_empty(q));
            if room.len() >= ROOM as usize && (empty || room.iter().all(|&q| certain(q))) {
                for &chain in &own {
                    eyes[chain.index()] = 2;
                }
            } else if let [chain] = own[..]
                && empty
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
