//! The confirmation of life and death, compared with an exhaustive solver
//! (`tests/common/exhaustive.rs`) on random positions in small areas between walls that cannot be
//! captured.

mod common;

use common::exhaustive::{Area, Graph};
use common::replay::{check, turn_after};
use ponnuki::adjudicate::{Conduct, Effort, End, Finding, First, Life, Procedure, Retake};
use ponnuki::adjudicate::{Walls, confirm};
use ponnuki::board::Board;
use ponnuki::rules::{KoRule, SuicideRule};
use ponnuki::tactics::unconditional;
use ponnuki::types::{BoardSize, Color, Generator, Move, Point};
use std::ops::Range;

const SIDE: u8 = 9;

/// A random connected area of `points` points, grown from a corner, a side or the centre.
fn random_area(rng: &mut Generator, points: usize) -> Vec<Point> {
    let start = match rng.below(3) {
        0 => Point::new(0, SIDE - 1),
        1 => Point::new(4, SIDE - 1),
        _ => Point::new(4, 4),
    };
    let mut area = vec![start];
    while area.len() < points {
        let from = area[rng.below(area.len() as u32) as usize];
        let near = from.neighbours()[rng.below(4) as usize];
        if BoardSize::square(SIDE).contains(near) && !area.contains(&near) {
            area.push(near);
        }
    }
    area
}

/// Colours of the points around an area: one player's, or both players' on either side of a line.
fn walls(rng: &mut Generator, area: &[Point], both: bool) -> impl Fn(Point) -> Color + use<> {
    let first = if rng.below(2) == 0 {
        Color::Black
    } else {
        Color::White
    };
    let middle = area[rng.below(area.len() as u32) as usize];
    let (a, b) = [(1, 0), (0, 1), (1, 1), (1, -1)][rng.below(4) as usize];
    let height = move |p: Point| a * i32::from(p.x()) + b * i32::from(p.y());
    let level = height(middle) + rng.below(2) as i32;
    move |p| match both && height(p) < level {
        true => first.opponent(),
        false => first,
    }
}

/// Random stones in an area, and walls around it with two eyes each; `None` if that
/// fails.
fn random_board(rng: &mut Generator, area: &[Point], both: bool) -> Option<Board> {
    let mut board = Board::new(BoardSize::square(SIDE));
    let wall = walls(rng, area, both);
    let full = rng.below(70);
    for &p in area {
        if rng.below(100) < full + 15 {
            let c = if rng.below(2) == 0 {
                Color::Black
            } else {
                Color::White
            };
            board.place(c, p).ok()?;
        }
    }
    // Eyes: points within a wall that touch nothing else, in reading order.
    let mut eyes: Vec<Point> = Vec::new();
    let outside = |p: &Point| !area.contains(p);
    for p in board.size().points().filter(outside) {
        let near: Vec<Point> = p
            .neighbours()
            .into_iter()
            .filter(|&q| board.size().contains(q))
            .collect();
        if near
            .iter()
            .all(|q| outside(q) && wall(*q) == wall(p) && !eyes.contains(q))
            && eyes.iter().filter(|&&e| wall(e) == wall(p)).count() < 6
        {
            eyes.push(p);
        }
    }
    for p in board.size().points().filter(outside) {
        if !eyes.contains(&p) {
            board.place(wall(p), p).ok()?;
        }
    }
    if board.without_liberties().is_some()
        || both
            && Color::BOTH
                .iter()
                .any(|&c| !eyes.iter().any(|&e| wall(e) == c))
    {
        return None;
    }
    let alive = Color::BOTH.map(|c| unconditional(&board, c, false).stones);
    let stands = |p: Point| {
        let c = board.at(p).color();
        eyes.contains(&p) || c.is_some_and(|c| alive[c.index()].contains(&p))
    };
    board
        .size()
        .points()
        .filter(outside)
        .all(stands)
        .then_some(board)
}

/// Fill the eyes outside an area that their walls do not need, so that neither player has a move there
/// that costs nothing. Returns how many each player had, too.
fn without_spare_eyes(mut board: Board, area: &[Point]) -> (Board, [u8; 2]) {
    let mut filled_by = [0; 2];
    let outside = |p: &Point| !area.contains(p);
    let alive = |board: &Board, c| unconditional(board, c, false).stones;
    for p in board.size().points().filter(outside) {
        let near = p.neighbours().into_iter();
        let owner = near.filter_map(|q| board.at(q).color()).next();
        let Some(owner) = owner.filter(|_| board.is_empty(p)) else {
            continue;
        };
        let filled = board.after(owner, Move::Play(p));
        let stand = alive(&filled, owner);
        if alive(&board, owner).iter().all(|q| stand.contains(q)) {
            board = filled;
            filled_by[owner.index()] += 1;
        }
    }
    (board, filled_by)
}

/// What the players have outside an area, besides needed eyes.
#[derive(Clone, Copy)]
enum Outside {
    Nothing,
    /// Eyes that are not needed.
    Eyes,
    /// An empty corner of nine points, which one player's wall encloses.
    Room,
}

/// Prepare what is outside, and count the moves there that cost each player nothing. `None` if the
/// board has no place for it.
fn prepared(board: Board, area: &[Point], outside: Outside) -> Option<(Board, [u8; 2])> {
    let (full, spare) = without_spare_eyes(board.clone(), area);
    match outside {
        Outside::Nothing => Some((full, [0; 2])),
        Outside::Eyes => Some((board, spare)),
        Outside::Room => {
            let near = |p: &Point| p.x() >= SIDE - 4 && p.y() < 4;
            let room = |p: &Point| p.x() >= SIDE - 3 && p.y() < 3;
            let wall = full.at(Point::new(SIDE - 1, 0)).color()?;
            let is_wall = |p: Point| full.at(p).color() == Some(wall) && !area.contains(&p);
            let fits = full.size().points().filter(near).all(is_wall);
            let rest = full.stones().filter(|(_, p)| !room(p));
            fits.then(|| (Board::with_stones(full.size(), rest).unwrap(), [2; 2]))
        }
    }
}

/// Describe how the line of a finding fails to show its claim, if it does. The exhaustive solver
/// judges the board at its end.
fn misleads(board: &Board, area: &[Point], f: &Finding, p: Point) -> Option<String> {
    let r = check(board, f)?;
    let shown = match f.end {
        End::NewStone(new) => new,
        End::TwoEyes => p,
        End::Unfinished => return Some(format!("{p}: unfinished line {:?}\n{board:?}", f.line)),
        _ => return None,
    };
    if !r.closed.is_empty() || turn_after(f) == Some(f.owner) {
        return None;
    }
    let mut graph = Graph::new(Area::new(&r.board, |p| !area.contains(&p)));
    graph
        .falls(shown, f.owner)
        .then(|| format!("{shown} falls after {:?}\n{board:?}", f.line))
}

/// Compare at least `chains` chains. Returns their number and a description of each difference.
fn compare(chains: usize, both: bool, seed: u64) -> (usize, Vec<String>) {
    let mut rng = Generator::new(seed);
    let mut seen = 0;
    let mut found = Vec::new();
    while seen < chains {
        let points = 4 + rng.below(5) as usize;
        let area = random_area(&mut rng, points);
        let Some(board) = random_board(&mut rng, &area, both) else {
            continue;
        };
        let mut graph = Graph::new(Area::new(&board, |p| !area.contains(&p)));
        let lives = graph.lives();
        if lives.is_empty() {
            continue;
        }
        let outside = board.size().points().filter(|p| !area.contains(p));
        let findings = confirm(
            &board,
            &[],
            &Walls::proved(outside.collect()),
            Procedure::ARTICLE_7,
            Effort::default(),
        );
        for (c, chain, life) in lives {
            seen += 1;
            let p = graph.points(chain).next().unwrap();
            // A chain that is connected to its wall is not in question.
            let life_here = findings
                .iter()
                .find(|f| f.stones.contains(&p))
                .map_or(Life::Uncapturable, |f| f.life);
            if let Some(f) = findings.iter().find(|f| f.stones.contains(&p)) {
                found.extend(misleads(&board, &area, f, p));
            }
            if life_here != life {
                found.push(format!(
                    "{c} {p}: {life_here:?}, should be {life:?}\n{board:?}"
                ));
            }
        }
    }
    (seen, found)
}

#[test]
fn walled_by_one_colour() {
    let (_, found) = compare(1_000, false, 1);
    assert!(found.is_empty(), "{}\n{}", found.len(), found.join("\n"));
}

#[test]
fn walled_by_both_colours() {
    let (_, found) = compare(1_000, true, 2);
    assert!(found.is_empty(), "{}\n{}", found.len(), found.join("\n"));
}

/// Minutes: `cargo test --release --test exhaustive -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn forty_thousand_chains() {
    let mut all = Vec::new();
    for both in [false, true] {
        let (seen, found) = compare(20_000, both, 3);
        println!(
            "walls of both colours: {both}; {seen} chains, {} differ",
            found.len()
        );
        all.extend(found);
    }
    assert!(all.is_empty(), "{}\n{}", all.len(), all.join("\n"));
}

/// The opponent plays first, as in a game with this rule.
fn attack_by(ko: KoRule) -> Procedure {
    Procedure {
        first: First::Attacker,
        conduct: Conduct {
            retake: Retake::AfterAnyMove,
            suicide: SuicideRule::Forbidden,
            ko,
        },
    }
}

/// Compare the capture of `chains` chains under superko, in areas small enough for exhaustive play.
/// With moves elsewhere a few may be left open. Returns the number of chains for which superko is
/// decisive.
fn by_superko(chains: usize, points: Range<u32>, around: Outside, seed: u64) -> usize {
    let mut rng = Generator::new(seed);
    let (mut seen, mut decided, mut open, mut too_long) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    while seen < chains {
        let points = points.start + rng.below(points.end - points.start);
        let area = random_area(&mut rng, points as usize);
        let Some((board, elsewhere)) =
            random_board(&mut rng, &area, true).and_then(|board| prepared(board, &area, around))
        else {
            continue;
        };
        let outside = |p: Point| !area.contains(&p);
        let ko = match rng.below(2) {
            0 => KoRule::Positional,
            _ => KoRule::Situational,
        };
        let walls = board.size().points().filter(|&p| outside(p));
        let walls = Walls::proved(walls.collect());
        let found = |ko| confirm(&board, &[], &walls, attack_by(ko), Effort::default());
        for (f, simple) in found(ko).iter().zip(found(KoRule::Simple)) {
            let p = f.stones[0];
            if outside(p) {
                continue;
            }
            seen += 1;
            if f.life == Life::Unsettled && !matches!(around, Outside::Nothing) {
                open += 1;
                continue;
            }
            decided += usize::from(f.life != simple.life);
            let situational = ko == KoRule::Situational;
            let all_play = Area::new(&board, outside);
            let falls = all_play.falls_under_superko(f.owner, p, situational, elsewhere);
            let Some(falls) = falls else {
                too_long += 1;
                continue;
            };
            if falls == (f.life == Life::Uncapturable) || f.life == Life::Unsettled {
                wrong.push(format!(
                    "{p} {ko:?} {:?}, falls: {falls}\n{board:?}",
                    f.life
                ));
            }
        }
    }
    println!("{seen} chains, {decided} settled by superko, {open} open, {too_long} take too long");
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
    assert!(open < seen / 100, "too many are left open");
    decided
}

#[test]
fn by_superko_in_the_smallest_areas() {
    let decided = by_superko(10_000, 3..8, Outside::Nothing, 4);
    assert!(decided > 0, "superko decides nothing");
}

#[test]
fn by_superko_with_moves_elsewhere() {
    by_superko(4_000, 4..8, Outside::Eyes, 6);
    by_superko(4_000, 4..8, Outside::Room, 7);
}

#[test]
#[ignore = "takes minutes"]
fn by_superko_in_larger_areas() {
    let decided = by_superko(30_000, 4..10, Outside::Nothing, 5);
    assert!(decided > 0, "superko decides nothing");
}

/// White fills the corner and sends two stones to return one, repeatedly. Only superko ends that.
#[test]
fn to_send_two_and_return_one_saves_nothing_by_superko() {
    let board = Board::from_diagram(
        "O . O . O . O
         X O O O O O O
         . X X X X X X
         X X X X X X X
         X . X . X . X",
    )
    .unwrap();
    let corner = Point::new(0, 4);
    let area = [(0, 4), (1, 4), (0, 3), (0, 2)].map(|(x, y)| Point::new(x, y));
    let walls = board.size().points().filter(|p| !area.contains(p));
    let walls = Walls::proved(walls.collect());
    let life = |ko| {
        let found = confirm(&board, &[], &walls, attack_by(ko), Effort::default());
        let f = found.into_iter().find(|f| f.stones.contains(&corner));
        f.unwrap().life
    };
    assert_eq!(life(KoRule::Simple), Life::NewStone);
    for ko in [KoRule::Positional, KoRule::Situational, KoRule::OwnMoves] {
        assert_eq!(life(ko), Life::Dead, "{ko:?}");
    }
    // White passes in every round, after which this rule forgets earlier positions.
    assert_eq!(life(KoRule::Spight), Life::NewStone);
}
