//! Questions about a group: proofs compared with an exhaustive search that shares no code with the
//! solver, and problems from books.

mod common;

use common::folder::Folder;
use common::shared::shared;
use ponnuki::adjudicate::{Bounds, Cutoff, Effort, First, Problem, ProblemResult, Procedure};
use ponnuki::adjudicate::{Reach, Safe, confirm};
use ponnuki::board::Board;
use ponnuki::rules::Ruleset;
use ponnuki::sgf;
use ponnuki::tactics::unconditional;
use ponnuki::types::{BoardSize, Color, Generator, Move, Point};
use std::collections::HashMap;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

const SIDE: u8 = 13;

/// Most points of an area: empty points, and stones in the eye space.
const MOST: usize = 8;

/// Most positions searched for a claim; larger searches are skipped.
const POSITIONS: usize = 40_000;

/// Number of threats with which a result still counts as one without ko.
const THREATS: u8 = 2;

/// Limits large enough for every region of these tests.
const BOUNDS: Bounds = Bounds {
    nodes: 200_000,
    memory: 64 << 20,
    cutoff: Cutoff {
        until: None,
        stop: None,
    },
};

/// Stones by colour, the ko that must not be retaken, threats by colour, and the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    stones: [u32; 2],
    banned: u32,
    threats: [u8; 2],
    turn: Color,
}

/// Some points of a board, surrounded by white stones that cannot be captured.
struct Area {
    points: Vec<Point>,
    near: Vec<u32>,
    wall: [u32; 2],
    stones: [u32; 2],
    /// The stone that has just captured in a ko.
    banned: u32,
}

impl Area {
    fn of(board: &Board, points: Vec<Point>) -> Area {
        let mut area = Area {
            near: vec![0; points.len()],
            wall: [0; 2],
            stones: [0; 2],
            banned: 0,
            points,
        };
        for (i, p) in area.points.iter().enumerate() {
            if let Some(c) = board.at(*p).color() {
                area.stones[c.index()] |= 1 << i;
            }
            for q in p.neighbours() {
                match area.points.iter().position(|r| *r == q) {
                    Some(j) => area.near[i] |= 1 << j,
                    None if !board.size().contains(q) => {}
                    None => area.wall[Color::White.index()] |= 1 << i,
                }
            }
        }
        if let Some(ko) = board.ko() {
            let captor = ko.neighbours().into_iter();
            // A wall may be in atari there too.
            let captor = captor.filter(|q| board.atari(*q) == Some(ko) && area.points.contains(q));
            area.banned = captor.fold(0, |all, q| all | area.bit(q));
        }
        area
    }

    fn bit(&self, p: Point) -> u32 {
        1 << self.points.iter().position(|q| *q == p).unwrap()
    }

    fn around(&self, set: u32) -> u32 {
        let inside = (0..self.points.len()).filter(|i| set >> i & 1 == 1);
        inside.fold(0, |all, i| all | self.near[i])
    }

    fn chain(&self, seed: u32, of: u32) -> u32 {
        let mut found = seed;
        while self.around(found) & of & !found != 0 {
            found |= self.around(found) & of;
        }
        found
    }

    fn play(&self, s: &Node, at: usize) -> Option<Node> {
        let (me, you) = (s.turn.index(), s.turn.opponent().index());
        let stone = 1u32 << at;
        let full = s.stones[0] | s.stones[1] | stone;
        if full == s.stones[0] | s.stones[1] {
            return None;
        }
        let mut taken = 0;
        for i in 0..self.points.len() {
            if self.near[at] & s.stones[you] & 1 << i != 0 {
                let chain = self.chain(1 << i, s.stones[you]);
                if self.around(chain) & !full == 0 && chain & self.wall[you] == 0 {
                    taken |= chain;
                }
            }
        }
        let mut next = *s;
        next.turn = s.turn.opponent();
        next.stones[you] &= !taken;
        next.stones[me] |= stone;
        let own = self.chain(stone, next.stones[me]);
        let empty = !(full & !taken);
        let liberties = self.around(own) & empty;
        if liberties == 0 && own & self.wall[me] == 0 {
            return None;
        }
        let is_ko = taken.count_ones() == 1
            && own == stone
            && own & self.wall[me] == 0
            && liberties == taken;
        if is_ko && taken & s.banned != 0 {
            next.threats[me] = next.threats[me].checked_sub(1)?;
        }
        next.banned = if is_ko { stone } else { 0 };
        Some(next)
    }

    /// The chains of Black with these stones.
    fn chains(&self, stones: &[Point]) -> Vec<u32> {
        let mut chains: Vec<u32> = Vec::new();
        for &p in stones {
            let chain = self.chain(self.bit(p), self.stones[Color::Black.index()]);
            if !chains.contains(&chain) {
                chains.push(chain);
            }
        }
        chains
    }

    /// The start of a search, after a first move if given.
    fn after(&self, first: Color, m: Option<Move>, threats: [u8; 2]) -> Node {
        let start = Node {
            stones: self.stones,
            banned: self.banned,
            threats,
            turn: first,
        };
        match m {
            None => start,
            Some(Move::Pass) => Area::pass(&start),
            Some(Move::Play(p)) => {
                let at = self.bit(p).trailing_zeros() as usize;
                self.play(&start, at).unwrap()
            }
        }
    }

    fn pass(s: &Node) -> Node {
        Node {
            turn: s.turn.opponent(),
            banned: 0,
            ..*s
        }
    }

    /// Can White capture a stone of `target` from `start`? Finds all positions that can arise
    /// before that, then works backwards from captures. `None` if there are too many.
    fn takes(&self, start: Node, target: u32) -> Option<bool> {
        let gone = |s: &Node| s.stones[Color::Black.index()] & target != target;
        let mut nodes = vec![start];
        let mut numbers = HashMap::from([(start, 0usize)]);
        let mut before: Vec<Vec<usize>> = vec![Vec::new()];
        let mut left = Vec::new();
        let mut next = 0;
        while next < nodes.len() {
            let s = nodes[next];
            let mut ways = 0;
            if !gone(&s) {
                let plays = (0..self.points.len()).filter_map(|at| self.play(&s, at));
                for to in plays.chain([Area::pass(&s)]) {
                    let number = *numbers.entry(to).or_insert(nodes.len());
                    if number == nodes.len() {
                        nodes.push(to);
                        before.push(Vec::new());
                    }
                    before[number].push(next);
                    ways += 1;
                }
            }
            left.push(ways);
            next += 1;
            if nodes.len() > POSITIONS {
                return None;
            }
        }
        let mut won: Vec<bool> = nodes.iter().map(gone).collect();
        let mut open: Vec<usize> = (0..won.len()).filter(|&i| won[i]).collect();
        while let Some(i) = open.pop() {
            for &j in &before[i] {
                left[j] -= 1;
                if !won[j] && (nodes[j].turn == Color::White || left[j] == 0) {
                    won[j] = true;
                    open.push(j);
                }
            }
        }
        Some(won[0])
    }
}

/// A board, and the points of it that are not White's.
type Group = (Board, Vec<Point>);

/// A board with black stones around an eye space of 3 to 7 points with further stones in it, and
/// white stones everywhere else except for two eyes.
fn enclosed_group(rng: &mut Generator) -> Option<Group> {
    let size = BoardSize::square(SIDE);
    let start = match rng.below(3) {
        0 => Point::new(0, SIDE - 1),
        1 => Point::new(5, SIDE - 1),
        _ => Point::new(5, SIDE - 4),
    };
    let mut space = vec![start];
    let points = 3 + rng.below(5) as usize;
    while space.len() < points {
        let from = space[rng.below(space.len() as u32) as usize];
        let near = from.neighbours()[rng.below(4) as usize];
        if size.contains(near) && !space.contains(&near) {
            space.push(near);
        }
    }
    let mut board = Board::new(size);
    let mut area = space.clone();
    for p in space.iter().flat_map(|p| p.around()) {
        // With some gaps.
        if size.contains(p) && !area.contains(&p) && rng.below(14) > 0 {
            board.place(Color::Black, p).ok()?;
            area.push(p);
        }
    }
    let touching: Vec<Point> = area
        .iter()
        .flat_map(|p| p.neighbours())
        .filter(|&p| size.contains(p) && !area.contains(&p))
        .collect();
    for _ in 0..rng.below(4) {
        let p = touching[rng.below(touching.len() as u32) as usize];
        if !area.contains(&p) {
            area.push(p);
            space.push(p);
        }
    }
    for &p in space.iter().filter(|_| points > 3) {
        match rng.below(8) {
            0 => board.place(Color::Black, p).ok()?,
            1 | 2 => board.place(Color::White, p).ok()?,
            _ => {}
        }
    }
    let eyes = [Point::new(SIDE - 1, 0), Point::new(SIDE - 3, 0)];
    for p in size.points() {
        if !area.contains(&p) && !eyes.contains(&p) {
            board.place(Color::White, p).ok()?;
        }
    }
    let alive = unconditional(&board, Color::White, false).stones;
    let walled = size
        .points()
        .all(|p| area.contains(&p) || eyes.contains(&p) || alive.contains(&p));
    let fits = walled && space.len() <= MOST && area.len() <= 32;
    (fits && board.without_liberties().is_none()).then_some((board, area))
}

/// An [`enclosed_group`] in which the last move has captured in a ko.
fn group_after_a_ko(rng: &mut Generator) -> Option<Group> {
    let (board, points) = enclosed_group(rng)?;
    for c in Color::BOTH {
        for &p in points.iter().filter(|p| board.is_empty(**p)) {
            let mut played = board.clone();
            played.play_unchecked(c, p);
            if played.ko().is_some() {
                return Some((played, points));
            }
        }
    }
    None
}

/// The proved claims: whether the group lives in each case. A case is a first move, a pass or none
/// before the other's turn, the threats, and whether it concerns all chains or only the first.
fn claims(found: &ProblemResult, first: Color) -> Vec<(Option<Move>, [u8; 2], bool, bool)> {
    let of = |own: u8, other: u8| {
        let mut threats = [other; 2];
        threats[first.index()] = own;
        threats
    };
    let defends = first == Color::Black;
    let (threats, fails) = match found.reach {
        Some(Reach::Outright) => (of(0, THREATS), None),
        Some(Reach::KoOpponentThreatensFirst(n)) => (of(0, n - 1), Some(of(0, n))),
        Some(Reach::KoPlayerThreatensFirst(n)) => (of(n, 0), Some(of(n - 1, 0))),
        Some(Reach::Nothing) => (of(THREATS, 0), None),
        None => return Vec::new(),
    };
    let mut all = Vec::new();
    for &p in &found.proved {
        all.push((Some(Move::Play(p)), threats, defends, !defends));
    }
    if let Some(threats) = fails.filter(|_| !found.proved.is_empty()) {
        all.push((None, threats, !defends, false));
    }
    if found.pass_proved {
        all.push((Some(Move::Pass), threats, defends, true));
    }
    if found.nothing_proved {
        all.push((None, threats, !defends, true));
    }
    all
}

/// By exhaustive play, no stone of a group proved to live can be captured, and a capture in a group
/// proved to die cannot be prevented.
#[test]
fn proofs_agree_with_exhaustive_play() {
    compare(enclosed_group, 160, 52);
}

/// The ko of the game's last move must not be retaken at once.
#[test]
fn proofs_agree_with_exhaustive_play_after_a_ko() {
    compare(group_after_a_ko, 12_000, 53);
}

/// `cargo test --release --test solve -- --ignored --nocapture exhaustive`.
#[test]
#[ignore = "takes minutes"]
fn more_proofs_agree_with_exhaustive_play() {
    compare(enclosed_group, 4_000, 52);
    compare(group_after_a_ko, 60_000, 53);
}

fn compare(group: fn(&mut Generator) -> Option<Group>, groups: usize, seed: u64) {
    let mut rng = Generator::new(seed);
    let (mut kills, mut lives, mut kos, mut asked, mut answered) = (0, 0, 0, 0, 0);
    for _ in 0..groups {
        let Some((board, points)) = group(&mut rng) else {
            continue;
        };
        let area = Area::of(&board, points);
        let stones = area.points.iter().copied();
        let own: Vec<Point> = stones
            .filter(|p| board.at(*p).color() == Some(Color::Black))
            .collect();
        if own.is_empty() {
            continue;
        }
        let named = match rng.below(4) {
            0 => own.clone(),
            _ => vec![own[0]],
        };
        for first in Color::BOTH {
            let problem = Problem::find(&board, first, &named).unwrap();
            let mut found = problem.solve(first, &BOUNDS);
            problem.prove(first, &mut found, &BOUNDS);
            let chains = area.chains(problem.group());
            asked += 1;
            let claims = claims(&found, first);
            answered += usize::from(!claims.is_empty());
            for (m, threats, lives_so, all) in claims {
                let start = area.after(first, m, threats);
                kos += usize::from(threats != [0; 2] && !threats.contains(&THREATS));
                let count = if all { chains.len() } else { 1 };
                let said = || format!("{board:?} {first} first, {m:?}: {found:?}");
                if lives_so {
                    let target = chains[..count].iter().fold(0, |all, chain| all | chain);
                    let found = area.takes(start, target);
                    lives += usize::from(found == Some(false));
                    assert_ne!(found, Some(true), "{}", said());
                } else {
                    for &chain in &chains[..count] {
                        let found = area.takes(start, chain);
                        kills += usize::from(found == Some(true));
                        assert_ne!(found, Some(false), "{}", said());
                    }
                }
            }
        }
    }
    println!("{kills} kills, {lives} lives, {kos} kos; {answered} of {asked} proved");
    assert!(kills > 50 && lives > 50, "{kills} {lives} {kos}");
    assert!(2 * answered > asked, "{answered} of {asked}");
}

/// If some move saves all chains of a group, only such moves are preferred.
#[test]
fn moves_that_save_every_chain_are_preferred() {
    let mut rng = Generator::new(53);
    let mut told = 0;
    for _ in 0..2_000 {
        let Some((board, points)) = enclosed_group(&mut rng) else {
            continue;
        };
        let area = Area::of(&board, points);
        let Some(problem) = Problem::find(&board, Color::Black, &[]) else {
            continue;
        };
        let found = problem.solve(Color::Black, &BOUNDS);
        let chains = area.chains(problem.group());
        if chains.len() < 2 || found.reach != Some(Reach::Outright) {
            continue;
        }
        let all = chains.iter().fold(0, |all, chain| all | chain);
        let saves = |p: &Point| {
            let start = area.after(Color::Black, Some(Move::Play(*p)), [0, THREATS]);
            area.takes(start, all).map(|taken| !taken)
        };
        let best = found.right.iter().any(|p| saves(p) == Some(true));
        let worse = found.right.iter().any(|p| saves(p) == Some(false));
        told += usize::from(best && worse);
        if best {
            for p in &found.preferred {
                assert_ne!(saves(p), Some(false), "{board:?} {p}: {found:?}");
            }
        }
    }
    assert!(told > 5, "{told}");
}

/// White F9 connects at F8 or F10, so it is beyond capture by itself. After White G10, Black F10
/// takes three stones and leaves it one liberty: White cannot save it and kill the group.
#[test]
fn a_wall_that_relies_on_points_of_the_region_is_no_wall() {
    let board = Board::from_diagram(
        "O O O O O O O O O O O O O
         O O O O X X X X O O O O O
         O O O X X O O X O O O O O
         O O O O O . . X O O O O O
         O O O X X O X X O O O O O
         O O O O X . X O O O O O O
         O O O O X O X O O O O O O
         O O O O O O O O O O O O O
         O O O O O O O O O O O O O
         O O O O O O O O O O O O O
         O O O O O O O O O O O O O
         O O O O O O O O O O O O O
         O O O O O O O O O O . O .",
    )
    .unwrap();
    let at = |vertex: &str| vertex.parse::<Move>().unwrap().point().unwrap();
    let problem = Problem::find(&board, Color::White, &[at("E12"), at("E9")]).unwrap();
    let mut found = problem.solve(Color::White, &BOUNDS);
    problem.prove(Color::White, &mut found, &BOUNDS);
    assert!(found.proved.contains(&at("F8")), "{found:?}");
    for moves in [&found.right, &found.proved] {
        assert!(!moves.contains(&at("G10")), "{found:?}");
    }
    let next = board.with_stone(Color::White, at("G10")).unwrap();
    let how = Procedure {
        first: First::Owner,
        ..Procedure::ARTICLE_7
    };
    let walls = Safe::of(&next, None).walls();
    let findings = confirm(&next, &[], &walls, how, Effort::default());
    let group = findings.iter().find(|f| f.stones.contains(&at("E12")));
    let group = group.unwrap();
    assert_eq!(group.life.is_alive(), Some(true), "{group:?}");
    assert!(!group.assumes);
}

/// The result for `first` about the chain at a point, as the proof-number search finds it.
fn reach(diagram: &str, first: Color, named: &str) -> Option<Reach> {
    let board = Board::from_diagram(diagram).unwrap();
    let point = ponnuki::gtp::vertex(named).unwrap().point().unwrap();
    let problem = Problem::find(&board, first, &[point]).unwrap();
    problem.solve(first, &BOUNDS).reach
}

/// Connected at D6, both black chains have one eye.
#[test]
fn a_connection_to_a_dead_chain_is_no_life() {
    let diagram = "X X X X O O O
                   X . X . X O O
                   O O O O O O O
                   O O O O O O O
                   O O O O O O O
                   O O O O O O O
                   O O O O . O .";
    for named in ["B7", "E6"] {
        assert_eq!(reach(diagram, Color::Black, named), Some(Reach::Nothing));
    }
}

/// White cannot play between its stones in the eye of three points, where Black takes both.
#[test]
fn an_eye_whose_middle_is_suicide_is_life() {
    let diagram = "
        O . O X O . . . .
        X X X X O . . . .
        O O O . O . . . .
        . . O O O . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .";
    assert_eq!(reach(diagram, Color::White, "A8"), Some(Reach::Nothing));
}

/// If Black passes, White needs one ko threat; after H7 two. Black was told to pass.
#[test]
fn a_ko_counts_the_threats_that_the_opponent_needs() {
    let diagram = ". . . . X O X . .
                   . . . . X O . O .
                   . . . . X O O . O
                   . . . . X X X O X
                   . . . . . . X X X
                   . . . . . . . . .
                   . . . . . . . . .
                   . . . . . . . . .
                   . . . . . . . . .";
    let found = reach(diagram, Color::Black, "G7");
    assert_eq!(found, Some(Reach::KoOpponentThreatensFirst(2)));
    let found = reach(diagram, Color::White, "G7");
    assert_eq!(found, Some(Reach::KoPlayerThreatensFirst(1)));
}

/// On a board of 2x2 two eyes and their stones take four points.
#[test]
fn a_stone_may_live_on_2x2() {
    let diagram = ". .
                   X .";
    let board = Board::from_diagram(diagram).unwrap();
    let problem = Problem::find(&board, Color::White, &[Point::new(0, 0)]).unwrap();
    let found = problem.solve(Color::White, &BOUNDS);
    assert_ne!(found.pass_works, Some(true), "{found:?}");
}

/// Problems from books: if a first move is proved, a given solution is; and never is it proved that
/// no move is needed or that none helps.
#[test]
fn problems_of_books() {
    let test = "problems_of_books";
    let Some(path) = shared("tsumego/problems.json", test) else {
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let problems: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut right = 0;
    for p in problems.as_array().unwrap() {
        let vertices = |key: &str| -> Vec<Point> {
            let words = p[key].as_array().unwrap().iter();
            let moves = words.map(|v| v.as_str().unwrap().parse::<Move>().unwrap());
            moves.filter_map(Move::point).collect()
        };
        let black = vertices("black").into_iter().map(|p| (Color::Black, p));
        let white = vertices("white").into_iter().map(|p| (Color::White, p));
        let size = BoardSize::square(19);
        let board = Board::with_stones(size, black.chain(white)).unwrap();
        let first = match p["to"].as_str() {
            Some("w") => Color::White,
            _ => Color::Black,
        };
        let problem = Problem::find(&board, first, &[]).unwrap();
        let bounds = || Bounds {
            nodes: 40_000,
            ..BOUNDS
        };
        let mut found = problem.solve(first, &bounds());
        problem.prove(first, &mut found, &bounds());
        let said = format!("problem {}: {found:?}", p["id"]);
        assert!(!found.pass_proved && !found.nothing_proved, "{said}");
        let given = vertices("first");
        let agrees = found.proved.iter().any(|p| given.contains(p));
        assert!(agrees || found.proved.is_empty(), "{said}");
        right += usize::from(agrees);
    }
    println!("{right} proved");
    assert!(right >= 8, "{right}");
}

/// Of two groups that face each other, one wins the race or lives in seki.
#[test]
fn a_race_won_is_told_from_seki() {
    let won = Board::from_diagram(
        ". . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         O O O O X X X X .
         X X X X O O . X .
         X X X . O O . X .
         . X X . O O . X .",
    );
    let seki = Board::from_diagram(
        ". . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         O O O O X X X X .
         X X X X O O X X .
         X X X . O O . X .
         X X X . O O X X .",
    );
    for (board, wins) in [(won.unwrap(), true), (seki.unwrap(), false)] {
        let settled = |first: Color| {
            let problem = Problem::find(&board, first, &[Point::new(1, 1)]).unwrap();
            let mut found = problem.solve(first, &BOUNDS);
            problem.prove(first, &mut found, &BOUNDS);
            found
        };
        let found = settled(Color::Black);
        assert!(!found.proved.is_empty(), "{found:?}");
        assert_eq!((found.wins_race, found.seki), (wins, !wins), "{found:?}");
        let found = settled(Color::White);
        assert!(!found.proved.is_empty(), "{found:?}");
    }
}

/// A search with its stop flag set ends at once, without a time limit.
#[test]
fn a_proof_is_interrupted() {
    let board = open_side();
    let problem = Problem::find(&board, Color::White, &[Point::new(0, 14)]).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let bounds = Bounds {
        nodes: u64::MAX,
        cutoff: Cutoff {
            until: None,
            stop: Some(stop.clone()),
        },
        ..BOUNDS
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        let begun = Instant::now();
        let mut found = problem.solve(Color::White, &bounds);
        problem.prove(Color::White, &mut found, &bounds);
        assert!(begun.elapsed() < Duration::from_secs(60), "{found:?}");
    });
}

/// A search whose tables are full ends by itself.
#[test]
fn memory_bounds_a_proof() {
    let bounds = Bounds {
        nodes: u64::MAX,
        memory: 2 << 20,
        ..BOUNDS
    };
    let board = open_side();
    let problem = Problem::find(&board, Color::White, &[Point::new(0, 14)]).unwrap();
    let mut found = problem.solve(Color::White, &bounds);
    problem.prove(Color::White, &mut found, &bounds);
    assert!(found.nodes > 0, "{found:?}");
}

/// Black lives in the corner by B9, and dies if White plays first.
const CORNER: &str = "(;SZ[9]GN[A <corner>]RE[B+R]AB[da][db][ac][bc][cc]\
                      AW[ea][eb][dc][ec][ad][bd][cd];B[aa])";

/// `ponnuki solve` with these arguments in a folder, without the network.
fn solve(folder: &Folder, args: &[&str]) -> Output {
    let limits = ["--net", "off", "--time", "5", "--threads", "2"];
    run(folder, &[args, &limits].concat())
}

/// `ponnuki solve` with these arguments in a folder.
fn run(folder: &Folder, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ponnuki"));
    let command = command.arg("solve").args(args);
    command.current_dir(&**folder).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The first variation, which readers take for the game, is the answer; every first move is
/// marked.
#[test]
fn a_solved_problem_is_a_record_with_right_and_wrong_moves() {
    let folder = Folder::new("solved-record");
    folder.write("corner.sgf", CORNER);
    let done = solve(&folder, &["corner.sgf", "--out", "solved.sgf"]);
    assert!(done.status.success(), "{done:?}");
    assert!(
        text(&done.stdout).starts_with("B9 lives; proved"),
        "{done:?}"
    );
    let record = folder.read("solved.sgf");
    let back = sgf::read(record.as_bytes(), &Ruleset::default(), None).unwrap();
    let before = sgf::read(CORNER.as_bytes(), &Ruleset::default(), Some(0)).unwrap();
    let start = back.position.start();
    assert!(start.stones().eq(before.position.board().stones()));
    assert_eq!(back.position.turns()[0].mv.to_string(), "B9");
    assert!(back.position.turns().len() > 1, "{record}");
    assert_eq!(back.info.name.as_deref(), Some("A <corner>"));
    assert_eq!(
        back.info.result, None,
        "the game's result is not the problem's"
    );
    assert!(record.contains("C[B9 lives; proved"), "{record}");
    let count = |what: &str| record.matches(what).count();
    assert!(record.contains(";B[ba]TE[1]C[Right, proved.]"), "{record}");
    assert_eq!(count("TE[1]"), 1, "{record}");
    assert!(count("BM[1]") >= 3, "{record}");
    assert!(
        record.contains(";B[]BM[1]"),
        "what the opponent does first: {record}"
    );
    assert_eq!(count("("), count(")"), "{record}");
}

#[test]
fn the_page_of_a_problem_has_its_variations() {
    let folder = Folder::new("solved-page");
    folder.write("corner.sgf", CORNER);
    let done = solve(&folder, &["corner.sgf", "--html"]);
    assert!(done.status.success(), "{done:?}");
    let page = folder.read("corner-solved.html");
    assert!(page.contains("<title>A &lt;corner&gt;: Black first</title>"));
    assert!(page.contains("<b>Right</b>") && page.contains("<b>Wrong</b>"));
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["start"].as_str().unwrap().len(), 81);
    let nodes = data["nodes"].as_array().unwrap();
    for (i, node) in nodes.iter().enumerate().skip(1) {
        let from = node["from"].as_u64().unwrap() as usize;
        assert!(from < i, "{node}");
        let item = format!("href=\"#node={i}\"");
        let first = nodes[1..i].iter().all(|n| n["from"] != node["from"]);
        assert!(page.contains(&item) || first, "{node}");
    }
    let of = |verdict: &str| nodes.iter().filter(|n| n["verdict"] == verdict).count();
    assert_eq!(of("right"), 1);
    assert!(of("wrong") >= 3);
    assert!(nodes.iter().any(|n| n["from"] == 1), "the line goes on");
}

#[test]
fn where_nothing_helps_the_answer_is_a_pass() {
    let folder = Folder::new("solve-hopeless");
    let stones = "AB[ba][bb][cb][db][eb][ea]AW[ac][bc][cc][dc][ec][fc][fb][fa][ab]";
    folder.write("dead.sgf", format!("(;SZ[9]{stones}PL[B])"));
    let done = run(&folder, &["dead.sgf", "--playouts", "30", "--threads", "1"]);
    let shown = text(&done.stdout);
    assert!(shown.starts_with("pass dies; estimated with"), "{done:?}");
}

/// Black's four points in a row live, but White's three in the other corner do not.
#[test]
fn where_the_guessed_group_needs_no_move_the_other_is_asked_about() {
    let folder = Folder::new("solve-other");
    let black =
        "AB[ea][ab][bb][cb][db][eb][de][ee][fe][ge][he][ie][df][dg][dh][di][ei][fi][gi][hi][ii]";
    let white =
        "AW[fa][fb][ac][bc][cc][dc][ec][fc][ef][ff][gf][hf][if][eg][ig][eh][fh][gh][hh][ih]";
    folder.write("two.sgf", format!("(;SZ[9]{black}{white}PL[B])"));
    let done = solve(&folder, &["two.sgf"]);
    assert!(
        text(&done.stdout).starts_with("G3 kills; proved"),
        "{done:?}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn an_answer_is_printed_even_if_its_file_cannot_be_written() {
    let folder = Folder::new("solved-full");
    folder.write("corner.sgf", CORNER);
    let done = solve(&folder, &["corner.sgf", "--out", "/dev/full"]);
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    assert!(text(&done.stdout).starts_with("B9 lives"), "{done:?}");
    assert!(text(&done.stderr).contains("/dev/full"), "{done:?}");
}

/// Problems are numbered in their file; what cannot be solved is named, and the others are.
#[test]
fn problems_of_a_collection_are_solved_one_by_one() {
    let folder = Folder::new("solved-collection");
    let set = format!("{CORNER}\n{CORNER}\n(;SZ[9])\n");
    folder.write("set.sgf", set);
    let done = solve(&folder, &["set.sgf", "--out", "done", "--html"]);
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    let (out, errors) = (text(&done.stdout), text(&done.stderr));
    assert!(
        out.contains("set-1: B9 lives") && out.contains("set-2: B9 lives"),
        "{out}"
    );
    assert!(
        errors.contains("set-3: no group is in question"),
        "{errors}"
    );
    assert!(
        errors.contains("1 of 3 could not be solved or written"),
        "{errors}"
    );
    for name in ["set-1", "set-2"] {
        assert!(folder.join("done").join(format!("{name}.sgf")).is_file());
        assert!(folder.join("done").join(format!("{name}.html")).is_file());
    }
    for (args, why) in [
        (&["set.sgf", "--html"][..], "needs --out FOLDER"),
        (
            &["set.sgf", "--out", "done", "--html", "a.html"],
            "takes no file name",
        ),
        (&["set.sgf", "--out", "."], "would lie next to set.sgf"),
    ] {
        let done = solve(&folder, args);
        assert!(text(&done.stderr).contains(why), "{done:?}");
    }
}

/// A long wall on the left with a group under it: more than a proof can go through.
fn open_side() -> Board {
    let size = BoardSize::square(19);
    let wall = (0..7).flat_map(|i| [(i, 13), (7, 18 - i)]);
    let stones = wall.map(|(x, y)| (Color::White, Point::new(x, y)));
    let group = (0..6).map(|x| (Color::Black, Point::new(x, 14)));
    Board::with_stones(size, stones.chain(group)).unwrap()
}

/// An interrupt from the keyboard ends a search with the best answer so far.
#[test]
#[cfg(unix)]
fn an_interrupted_problem_is_answered() {
    use std::io::{BufRead, BufReader};
    let folder = Folder::new("solved-interrupted");
    let position =
        ponnuki::position::Position::from_board(open_side(), Color::White, Ruleset::default());
    folder.write("side.sgf", sgf::write(&position, &sgf::GameInfo::default()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_ponnuki"));
    let command = command.args(["solve", "side.sgf", "--net", "off", "--time", "3000"]);
    let command = command.args(["--threads", "2", "--memory", "256"]);
    let command = command
        .args(["--out", "side-solved.sgf"])
        .current_dir(&*folder);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut progress = String::new();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    errors.read_line(&mut progress).unwrap();
    assert!(progress.contains(" visits"), "{progress}");
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(130));
    assert!(
        text(&done.stdout).contains("White first") || text(&done.stdout).contains("Black first")
    );
    assert!(folder.read("side-solved.sgf").starts_with("(;FF[4]"));
}
