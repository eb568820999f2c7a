//! Hand-made priors of moves, as numbers of won and lost visits.

use super::params::RaveParams;
use super::{PriorVisits, Rave};
use crate::board::Board;
use crate::position::Line;
use crate::rules::SuicideRule;
use crate::search::NewChild;
use crate::tactics::LadderSearch;
use crate::types::{Color, Generator, Move, POINTS, Point, PointState};

/// Limit on the positions that the ladder reader examines for one chain.
const LADDER_NODES: u32 = 60;

/// Won and lost visits that a move starts with.
#[derive(Clone, Copy, Default)]
struct WonLost {
    won: f32,
    lost: f32,
}

impl Rave {
    /// Set the priors of all children.
    pub(super) fn set_priors(
        &self,
        line: &Line,
        children: &mut [NewChild<PriorVisits>],
        ladders: &mut LadderSearch,
        rng: &mut Generator,
    ) {
        let (board, c, params) = (line.board(), line.to_move(), &self.params);
        let mut priors = [WonLost::default(); POINTS];
        captures(&mut priors, board, c, params, ladders);
        if let [Some(last), _] = line.last_points() {
            near(&mut priors, board, last, params);
        }
        for child in children {
            let mut prior = match child.mv {
                Move::Pass => WonLost {
                    won: 0.0,
                    lost: params.prior_pass,
                },
                Move::Play(p) => {
                    let mut prior = priors[p.index()];
                    if board.is_self_atari(c, p) {
                        prior.lost += params.prior_self_atari;
                    } else if self.patterns.contains(board.around(p)) {
                        prior.won += params.prior_pattern;
                    }
                    open(&mut prior, board, p, params);
                    prior
                }
            };
            // A little noise breaks ties, so that workers and games vary.
            let even = params.prior_even.max(0.1);
            let tilt = even * (0.5 + 0.02 * (rng.unit() - 0.5));
            prior.won += tilt;
            prior.lost += even - tilt;
            child.prior = PriorVisits {
                visits: prior.won + prior.lost,
                value: prior.won,
            };
        }
    }
}

/// Add priors for moves that capture the opponent's chains or save own chains, in atari or
/// in a ladder.
fn captures(
    priors: &mut [WonLost; POINTS],
    board: &Board,
    c: Color,
    params: &RaveParams,
    ladders: &mut LadderSearch,
) {
    for p in board.size().points() {
        let Some(owner) = board.at(p).color() else {
            continue;
        };
        if board.chain(p) != p {
            continue;
        }
        let libs = board.liberties_up_to::<3>(p);
        if libs.len() > 2 {
            continue;
        }
        let weight = if board.chain_len(p) > 1 {
            params.prior_capture_many
        } else {
            params.prior_capture_one
        };
        let own = owner == c;
        match (libs.as_slice(), own) {
            ([q], false) => priors[q.index()].won += weight,
            ([q], true) if !ladders.is_captured(board, p, None, LADDER_NODES) => {
                if !board.is_self_atari(c, *q) {
                    priors[q.index()].won += weight;
                }
                for s in board.chain_stones(p) {
                    for r in s.neighbours() {
                        if board.at(r) == PointState::from(c.opponent())
                            && let Some(capture) = board.atari(r)
                        {
                            priors[capture.index()].won += weight / 2.0;
                        }
                    }
                }
            }
            ([a, b], _) => {
                for q in [*a, *b] {
                    let mover = owner.opponent();
                    if board.is_legal(mover, q, SuicideRule::Forbidden)
                        && ladders.is_captured(board, p, Some(q), LADDER_NODES)
                    {
                        // A good point for the attacker is one for the defender too.
                        priors[q.index()].won += weight;
                        if own {
                            let other = if q == *a { *b } else { *a };
                            priors[other.index()].won += weight / 2.0;
                        }
                    }
                }
            }
            _ => {}
        }
    }
}

/// Add priors near the last move, by common fate distance (Graepel and others 2001): stones
/// of a chain are at distance 0 from each other.
fn near(priors: &mut [WonLost; POINTS], board: &Board, last: Point, params: &RaveParams) {
    let mut distance = [u8::MAX; POINTS];
    let mut queue: Vec<Point> = Vec::with_capacity(board.size().area());
    distance[last.index()] = 0;
    queue.push(last);
    // Breadth-first search by layers. Stones of the same chain join the current layer.
    let mut layer = 0..1;
    for d in 0..=3u8 {
        let mut i = layer.start;
        while i < queue.len() {
            let p = queue[i];
            i += 1;
            for q in p.neighbours() {
                let same_chain = board.at(p).is_stone() && board.at(q) == board.at(p);
                if same_chain && distance[q.index()] == u8::MAX {
                    distance[q.index()] = d;
                    queue.push(q);
                }
            }
        }
        let end = queue.len();
        for i in layer.start..end {
            for q in queue[i].neighbours() {
                if board.at(q) != PointState::Border && distance[q.index()] == u8::MAX {
                    distance[q.index()] = d + 1;
                    queue.push(q);
                }
            }
        }
        layer = end..queue.len();
    }
    for p in queue {
        let weight = match distance[p.index()] {
            1 => params.prior_near_1,
            2 => params.prior_near_2,
            3 => params.prior_near_3,
            _ => continue,
        };
        priors[p.index()].won += weight;
    }
}

/// Add a prior for a point with no stone within three steps: against it on the first and
/// second lines, for it on the third and fourth.
fn open(prior: &mut WonLost, board: &Board, p: Point, params: &RaveParams) {
    let size = board.size();
    let line = size.lines_to_edge(p);
    if line > 3 {
        return;
    }
    let reach = 3i16;
    for dy in -reach..=reach {
        let width = reach - dy.abs();
        for dx in -width..=width {
            let (x, y) = (p.x() as i16 + dx, p.y() as i16 + dy);
            if x < 0 || y < 0 || x >= size.width() as i16 || y >= size.height() as i16 {
                continue;
            }
            if board.at(Point::new(x as u8, y as u8)).is_stone() {
                return;
            }
        }
    }
    if line < 2 {
        prior.lost += params.prior_open;
    } else {
        prior.won += params.prior_open;
    }
}
