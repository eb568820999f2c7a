//! Lines of hypothetical play, played on a board by the rules of Article 7.

use ponnuki::adjudicate::{End, Finding, Hypothetical, Life};
use ponnuki::board::Board;
use ponnuki::rules::SuicideRule;
use ponnuki::types::{Color, Move, Point};

/// The board after a line, and the capturing stones of kos that must not be retaken.
pub struct Replayed {
    pub board: Board,
    pub closed: Vec<Point>,
    /// Was the chain in question captured?
    pub captured: bool,
    /// Points where its owner has a newly played stone.
    pub new: Vec<Point>,
    /// Does the last position repeat an earlier one, with the same player to move?
    pub repeats: bool,
}

/// Play a line of a finding.
///
/// # Panics
/// If one of its moves is illegal.
pub fn replay(board: &Board, f: &Finding) -> Replayed {
    let mut b = board.clone();
    let mut closed: Vec<Point> = Vec::new();
    let mut new: Vec<Point> = Vec::new();
    let mut captured = false;
    let mut before = Vec::new();
    for (i, &(c, step)) in f.line.iter().enumerate() {
        let first = f.line[0].0;
        assert_eq!(
            c,
            if i % 2 == 0 { first } else { first.opponent() },
            "players alternate"
        );
        before.push((b.hash(), sorted(&closed), c));
        match step {
            Hypothetical::Pass => {}
            Hypothetical::KoPass(p) => {
                assert!(
                    b.at(p).color() == Some(c.opponent()) && closed.contains(&p),
                    "{p}"
                );
                closed.retain(|&q| q != p);
            }
            Hypothetical::Play(p) => {
                b.clear_ko();
                assert!(b.is_legal(c, p, SuicideRule::Forbidden), "{c} {p}");
                let old = b.clone();
                b.play_move(c, Move::Play(p));
                let taken: Vec<Point> = old
                    .size()
                    .points()
                    .filter(|&q| old.at(q).is_stone() && b.is_empty(q))
                    .collect();
                if b.ko().is_some() {
                    assert!(!closed.contains(&taken[0]), "{c} {p} takes a closed ko");
                }
                captured |= taken.contains(&f.stones[0]);
                closed.retain(|&q| !taken.contains(&q) && b.chain_len(q) == 1);
                if b.ko().is_some() {
                    closed.push(p);
                }
                new.retain(|q| !taken.contains(q));
                if c == f.owner {
                    new.push(p);
                }
            }
        }
    }
    if let Some(&(c, _)) = f.line.last() {
        before.push((b.hash(), sorted(&closed), c.opponent()));
    }
    let last = before.pop();
    let repeats = last.is_some_and(|l| before.contains(&l));
    Replayed {
        board: b,
        closed,
        captured,
        new,
        repeats,
    }
}

fn sorted(points: &[Point]) -> Vec<usize> {
    let mut all: Vec<usize> = points.iter().map(|p| p.index()).collect();
    all.sort_unstable();
    all
}

/// Play the line of a finding, if there is one, and check that it shows the claimed result.
pub fn check(board: &Board, f: &Finding) -> Option<Replayed> {
    if f.life == Life::Unsettled {
        return None;
    }
    let r = replay(board, f);
    let what = format!(
        "{} {:?} {:?} {:?}\n{board:?}",
        f.stones[0], f.life, f.line, f.end
    );
    match (f.life, f.end) {
        (_, End::Unfinished) => {}
        (Life::Dead, End::Captured) => assert!(r.captured, "{what}"),
        (Life::NewStone | Life::NewStoneNearby, End::NewStone(p)) => {
            assert!(r.captured && r.new.contains(&p), "{what}");
            assert!(
                f.life == Life::NewStoneNearby || f.stones.contains(&p),
                "{what}"
            );
        }
        (Life::Uncapturable, End::Repeats) => assert!(!r.captured && r.repeats, "{what}"),
        (Life::Uncapturable, End::TwoEyes | End::NoAttack) => assert!(!r.captured, "{what}"),
        _ => panic!("{what}"),
    }
    Some(r)
}

/// The player to move after a line.
pub fn turn_after(f: &Finding) -> Option<Color> {
    f.line.last().map(|&(c, _)| c.opponent())
}
