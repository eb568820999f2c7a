//! A problem of life and death: a group that one player attacks and the other defends, the
//! part of the board in which that is decided, and what a first move can reach there.
//!
//! The solver is the one that judges finished games. The attacker must reach a
//! [`Goal`]; a group lives if that fails, so a seki is life, and so is endless repetition.
//! Kos are asked about with [threats](State::threats): what holds although the opponent may
//! retake every ko at once holds without any ko.

use super::goal::Goal;
use super::line::End;
use super::play::{Conduct, Retake, State, Step};
use super::region::{MOST_POINTS, Region};
use super::safe::Safe;
use super::solve::{Cutoff, Solver, Unsettled};
use crate::board::Board;
use crate::rules::{KoRule, SuicideRule};
use crate::types::{Color, Move, POINTS, Point};

/// A point this far from every stone, in king's moves, is open board.
const FAR: u8 = 3;

/// Liberties in open board of a chain that bounds a problem.
const FIRM: usize = 2;

/// Most empty points of a region that is widened by another ring.
const NARROW: usize = 13;

/// Most rings of empty points around what a group reaches.
const RINGS: usize = 3;

/// Liberties outside a region with which a chain is taken to hold in a proof. With two, its
/// opponent can put it in atari from outside.
const STEADY: usize = 3;

/// What bounds a proof-number search.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// States for one question.
    pub nodes: u64,
    /// Bytes for its tables.
    pub memory: usize,
    /// What ends it early.
    pub cutoff: Cutoff,
}

/// A group in question and the region in which its life is decided.
#[derive(Clone, Debug)]
pub struct Problem {
    points: Vec<Point>,
    /// Where it is searched, the narrowest first; none if it has too many points.
    grounds: Vec<Ground>,
    defender: Color,
    /// The longest of the enclosed chains that attack the group.
    against: Option<Vec<Point>>,
    group: Vec<Point>,
    /// Its chains, the longest first.
    chains: Vec<Vec<Point>>,
    /// Was the group named, rather than guessed?
    named: bool,
    /// Where proofs are searched, the narrowest first.
    strict: Vec<Strict>,
    outside: Vec<Option<Color>>,
}

/// A region as a proof sees it: what is unknown outside helps the player who is refuted.
#[derive(Clone, Debug)]
struct Strict {
    /// To prove life: everything outside is the attacker's, except chains of the defender
    /// that hold.
    life: Region,
    /// To prove a kill: everything outside is the defender's, except chains of the attacker
    /// that hold.
    kill: Region,
}

/// A region in which a problem is searched, and what its attacker must reach there.
#[derive(Clone, Debug)]
struct Ground {
    region: Region,
    goal: Goal,
    /// In a race, what the defender reaches by taking the stones that attack it.
    wins: Option<Goal>,
}

/// What a player who moves first reaches: for the defender life, for the attacker a kill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Whatever kos there are.
    Outright,
    /// By a ko for which the opponent must find the first threat.
    KoTheyThreaten,
    /// By a ko for which the player must find the first threat, and so many in all.
    KoMustThreaten(u8),
    /// Nothing.
    Nothing,
}

/// What is known of a problem for one player moving first.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// What is reached; `None` if the search did not settle it.
    pub reach: Option<Reach>,
    /// Is it reached although the player passes?
    pub pass_works: Option<bool>,
    /// The first moves that reach it, best first.
    pub right: Vec<Point>,
    /// First moves that are proved to reach less.
    pub wrong: Vec<Point>,
    /// The play that shows it.
    pub line: Vec<(Color, Move)>,
    /// Does the defender who lives have no two eyes, which is a seki?
    pub seki: bool,
    /// Does the defender who lives take the stones that attack it?
    pub wins_race: bool,
    /// States looked at.
    pub nodes: u64,
    /// Those of the right moves that are proved, if the chains around the region hold. What is
    /// unknown outside it does not help the player who moves.
    pub proved: Vec<Point>,
    /// Is it proved that no move is needed?
    pub pass_proved: bool,
    /// Is it proved that no move helps?
    pub nothing_proved: bool,
}

impl Problem {
    /// The problem about these chains, each named by a point, or without any about the groups
    /// that their opponent encloses. `None` if there is no stone to ask about, or all live. Between two groups that enclose each other it is about that of `to_move`.
    pub fn find(board: &Board, to_move: Color, named: &[Point]) -> Option<Problem> {
        Problem::within(board, to_move, named, &[])
    }

    /// The same, where further chains are taken to hold: by [`Point::index`] of their stones.
    pub fn within(
        board: &Board,
        to_move: Color,
        named: &[Point],
        holds: &[bool],
    ) -> Option<Problem> {
        let finder = Finder::new(board, named, holds);
        let defender = finder.defender(to_move, named)?;
        finder.problem(defender, named)
    }

    /// Whose group is in question.
    pub fn defender(&self) -> Color {
        self.defender
    }

    /// The stones in question.
    pub fn group(&self) -> &[Point] {
        &self.group
    }

    /// The points in which it is decided.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Whose ground a point outside the region is taken to be, that of a stone its owner's.
    pub fn outside(&self, p: Point) -> Option<Color> {
        self.outside[p.index()]
    }

    /// Work out what `first` reaches, within these bounds, if what seems to be a player's
    /// outside the region is. What is found in a narrow region is confirmed in wider ones, as
    /// far as time goes: there a defender has more room. [`Problem::prove`] says what of it is
    /// certain.
    pub fn solve(&self, first: Color, bounds: &Bounds) -> Findings {
        let nodes = bounds.nodes;
        let mut found = Findings::default();
        for ground in &self.grounds {
            let mut search = Search::new(self.defender, ground, bounds);
            if search.is_late() {
                break;
            }
            let attacks = first != self.defender;
            if !attacks && found.reach == Some(Reach::Outright) {
                break;
            }
            if attacks && !found.right.is_empty() && search.confirms(&mut found, first, nodes) {
                continue;
            }
            let wider = search.findings(first, nodes);
            let before = found.nodes;
            if found.reach.is_none() || wider.reach.is_some() {
                found = wider;
            }
            found.nodes += before;
        }
        found
    }

    /// The lines of a tree of variations: after each right first move the play that shows it
    /// and the longest resistance, after each of the others its refutation. What is not
    /// settled again within these bounds is left out.
    pub fn variations(
        &self,
        first: Color,
        reach: Option<Reach>,
        [right, wrong]: [&[Point]; 2],
        bounds: &Bounds,
    ) -> Vec<Vec<(Color, Move)>> {
        let threats = match reach {
            Some(Reach::Outright) => Search::threats(first, 0, THREATS),
            Some(Reach::KoMustThreaten(_) | Reach::Nothing) => Search::threats(first, THREATS, 0),
            Some(Reach::KoTheyThreaten) | None => [0; 2],
        };
        let right = right.iter().map(|&p| (p, true));
        let mut open: Vec<(Point, bool)> = right.chain(wrong.iter().map(|&p| (p, false))).collect();
        let mut lines = Vec::new();
        for ground in self.grounds.iter().rev() {
            let mut search = Search::new(self.defender, ground, bounds);
            let start = search.start(first, threats);
            open.retain(|&(p, works)| {
                let found = search.lines_after(&start, p, works, bounds.nodes);
                lines.extend(found.iter().flatten().cloned());
                found.is_none()
            });
        }
        lines
    }

    /// Was the group named, rather than guessed?
    pub fn is_named(&self) -> bool {
        self.named
    }

    /// Prove what was found for `first`, as far as these bounds allow. Life means that the
    /// longest chain is not captured; a kill, that all chains are and that no new stone lasts in
    /// their place. That a guessed group needs no move, or that none helps, must hold for
    /// each of its chains.
    pub fn prove(&self, first: Color, found: &mut Findings, bounds: &Bounds) {
        let (wins_race, seki) = (found.wins_race, found.seki);
        found.wins_race = false;
        found.seki = false;
        let Some(reach) = found.reach else { return };
        let of = |own, other| Search::threats(first, own, other);
        let (threats, fails) = match reach {
            Reach::Outright => (of(0, THREATS), None),
            Reach::KoTheyThreaten => (of(0, 0), Some(of(0, THREATS))),
            Reach::KoMustThreaten(n) => (of(n, 0), Some(of(n.saturating_sub(1), 0))),
            Reach::Nothing => (of(THREATS, 0), None),
        };
        let defends = first == self.defender;
        let mut prover = Prover::new(self, bounds);
        if reach == Reach::Nothing {
            found.nothing_proved = self.named && prover.holds(!defends, All, first, None, threats);
            found.nodes += prover.nodes();
            return;
        }
        // A ko is more than nothing and less than all.
        if fails.is_some_and(|t| !prover.holds(!defends, Main, first, None, t)) {
            found.nodes += prover.nodes();
            return;
        }
        if found.pass_works == Some(true) {
            let next = first.opponent();
            found.pass_proved = prover.holds(defends, All, next, None, threats);
        }
        let mut all = Vec::new();
        let mut main = Vec::new();
        for &p in &found.right {
            let m = Some(p);
            if prover.holds(defends, All, first, m, threats) {
                all.push(p);
            } else if defends && prover.holds(defends, Main, first, m, threats) {
                main.push(p);
            }
        }
        // To save every chain is more than to save one.
        found.proved = all;
        found.proved.extend(main);
        if defends && let Some(&p) = found.proved.first() {
            found.wins_race = wins_race && prover.wins(first, p, threats);
            found.seki = seki && !found.wins_race && prover.has_no_eyes(first, p, threats);
        }
        found.nodes += prover.nodes();
    }
}

/// Of which chains of a group something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    /// The longest.
    Main,
    /// Each.
    All,
}
use Which::{All, Main};

/// States for a proof in the first round.
const PROOF: u64 = 30_000;

/// Searches of a problem's regions, in which what is unknown is held against what is to be
/// proved.
struct Prover<'a> {
    problem: &'a Problem,
    life: Vec<Solver>,
    kill: Vec<Solver>,
    nodes: u64,
    cutoff: Cutoff,
}

impl<'a> Prover<'a> {
    fn new(problem: &'a Problem, bounds: &Bounds) -> Prover<'a> {
        let memory = bounds.memory / (2 * problem.strict.len()).max(1);
        let solver = |region: &Region| {
            let solver = Solver::new(region.clone(), CONDUCT);
            solver.cut_off(bounds.cutoff.clone()).within(memory)
        };
        let strict = || problem.strict.iter();
        Prover {
            problem,
            life: strict().map(|s| solver(&s.life)).collect(),
            kill: strict().map(|s| solver(&s.kill)).collect(),
            nodes: bounds.nodes,
            cutoff: bounds.cutoff.clone(),
        }
    }

    fn nodes(&self) -> u64 {
        let solvers = self.life.iter().chain(&self.kill);
        solvers.map(Solver::nodes).sum()
    }

    /// The state with this player to move, after this move if there is one.
    fn state(solver: &Solver, c: Color, m: Option<Point>, threats: [u8; 2]) -> Option<State> {
        let region = solver.region();
        let start = State {
            threats,
            ..State::start(region, c)
        };
        match m {
            None => Some(start),
            Some(p) => match region.bits_of(&[p]) {
                0 => None,
                bit => Some(start.play(region, CONDUCT, bit.trailing_zeros())?.0),
            },
        }
    }

    /// Is it proved that these chains live, or that they die, with `c` to move or after its
    /// move?
    fn holds(
        &mut self,
        lives: bool,
        which: Which,
        c: Color,
        m: Option<Point>,
        threats: [u8; 2],
    ) -> bool {
        let mut limit = PROOF.min(self.nodes);
        loop {
            let mut open = false;
            for i in 0..self.problem.strict.len() {
                let result = match lives {
                    true => self.lives(i, which, c, m, threats, limit),
                    false => self.dies(i, which, c, m, threats, limit),
                };
                match result {
                    Ok(true) => return true,
                    Ok(false) => {}
                    Err(Unsettled) => open = true,
                }
            }
            if !open || limit >= self.nodes || self.cutoff.is_reached() {
                return false;
            }
            limit = limit.saturating_mul(FACTOR).min(self.nodes);
        }
    }

    fn lives(
        &mut self,
        i: usize,
        which: Which,
        c: Color,
        m: Option<Point>,
        threats: [u8; 2],
        limit: u64,
    ) -> Result<bool, Unsettled> {
        let owner = self.problem.defender;
        let solver = &mut self.life[i];
        let Some(s) = Prover::state(solver, c, m, threats) else {
            return Ok(false);
        };
        let bit = |stones: &Vec<Point>| solver.region().bits_of(&stones[..1]);
        let mut chains = self.problem.chains.iter();
        let target = match which {
            Main => chains.next().map_or(0, bit),
            All => chains.map(bit).fold(0, |all, bit| all | bit),
        };
        let goal = Goal::Capture { owner, target };
        Ok(target != 0 && !solver.solve(goal, &s, limit)?)
    }

    fn dies(
        &mut self,
        i: usize,
        which: Which,
        c: Color,
        m: Option<Point>,
        threats: [u8; 2],
        limit: u64,
    ) -> Result<bool, Unsettled> {
        let owner = self.problem.defender;
        let solver = &mut self.kill[i];
        let Some(s) = Prover::state(solver, c, m, threats) else {
            return Ok(false);
        };
        let local = solver.region().bits_of(&self.problem.group);
        let count = match which {
            Main => 1,
            All => self.problem.chains.len(),
        };
        let chains = &self.problem.chains[..count];
        for stones in chains {
            let target = solver.region().bits_of(&stones[..1]);
            let taken = Goal::Capture { owner, target };
            if target == 0 || !solver.solve(taken, &s, limit)? {
                return Ok(false);
            }
        }
        let [stones] = chains else {
            // Each may be taken, but not all.
            let target = local;
            let goal = Goal::Seal {
                owner,
                target,
                local,
            };
            return solver.solve(goal, &s, limit);
        };
        let target = solver.region().bits_of(&stones[..1]);
        let goal = Goal::CaptureForGood {
            owner,
            target,
            local,
        };
        solver.solve(goal, &s, limit)
    }

    /// Does the defender take the longest of the chains that attack it?
    fn wins(&mut self, c: Color, p: Point, threats: [u8; 2]) -> bool {
        let owner = self.problem.defender.opponent();
        self.problem.against.as_ref().is_some_and(|stones| {
            self.life.iter_mut().any(|solver| {
                let target = solver.region().bits_of(&stones[..1]);
                let goal = Goal::Capture { owner, target };
                let s = Prover::state(solver, c, Some(p), threats);
                s.is_some_and(|s| target != 0 && solver.solve(goal, &s, SEKI) == Ok(true))
            })
        })
    }

    /// Does the defender who lives have no two eyes, whatever helps from outside?
    fn has_no_eyes(&mut self, c: Color, p: Point, threats: [u8; 2]) -> bool {
        let owner = self.problem.defender;
        self.kill.iter_mut().any(|solver| {
            let local = solver.region().all();
            let goal = Goal::TwoEyes { owner, local };
            let s = Prover::state(solver, c, Some(p), threats);
            s.is_some_and(|s| solver.solve(goal, &s, SEKI) == Ok(false))
        })
    }
}

/// What the search for a problem's region looks up.
struct Finder<'a> {
    board: &'a Board,
    /// By colour and [`Point::index`]: see [`reached`].
    reach: [Vec<bool>; 2],
    /// By [`Point::index`]: stones of chains that bound the problem.
    wall: Vec<bool>,
    /// Chains that do not reach open board.
    enclosed: Vec<(Color, Vec<Point>)>,
    /// The others.
    loose: Vec<(Color, Vec<Point>)>,
    /// Do chains of a colour reach open board?
    free: [bool; 2],
    /// By [`Point::index`]: stones of chains that are beyond capture, or taken to be.
    firm: Vec<bool>,
}

impl<'a> Finder<'a> {
    fn new(board: &'a Board, named: &[Point], holds: &[bool]) -> Finder<'a> {
        let safe = Safe::of(board, None);
        let mut firm = vec![false; POINTS];
        for p in board.size().points() {
            let held = holds.get(p.index()) == Some(&true) && board.at(p).is_stone();
            firm[p.index()] = held || safe.proof(p).is_some();
        }
        let reach = Color::BOTH.map(|c| reached(board, c));
        let mut finder = Finder {
            board,
            reach,
            wall: vec![false; POINTS],
            enclosed: Vec::new(),
            loose: Vec::new(),
            free: [false; 2],
            firm,
        };
        for (c, stones) in board.chains() {
            let liberties = liberties(board, &stones);
            let open = |p: &&Point| finder.reach[c.index()][p.index()];
            let open = liberties.iter().filter(open).count();
            let asked = stones.iter().any(|p| named.contains(p));
            let held = stones.iter().any(|p| finder.firm[p.index()]);
            if held && !asked {
                finder.free[c.index()] = true;
                for p in &stones {
                    finder.wall[p.index()] = true;
                }
                continue;
            }
            if open == 0 || asked {
                finder.enclosed.push((c, stones));
                continue;
            }
            finder.free[c.index()] = true;
            if open >= FIRM {
                for p in &stones {
                    finder.wall[p.index()] = true;
                }
            }
            finder.loose.push((c, stones));
        }
        finder
    }

    /// Whose group is in question.
    fn defender(&self, to_move: Color, named: &[Point]) -> Option<Color> {
        if let Some(&p) = named.first() {
            return self.board.at(p).color();
        }
        let encloses = |c: Color| self.enclosed.iter().any(|chain| chain.0 == c);
        match (encloses(to_move), encloses(to_move.opponent())) {
            (false, false) => self.inner(),
            (true, false) => Some(to_move),
            (false, true) => Some(to_move.opponent()),
            // One group may enclose the other within it.
            (true, true) if !self.free[to_move.opponent().index()] => Some(to_move.opponent()),
            (true, true) => Some(to_move),
        }
    }

    /// Whose stones stand nearer to the edges, where none are enclosed.
    fn inner(&self) -> Option<Color> {
        let size = self.board.size();
        let depth = |p: Point| {
            let (x, y) = (p.x(), p.y());
            let across = x.min(size.width() - 1 - x);
            u32::from(across.min(y.min(size.height() - 1 - y)))
        };
        let mean = |c: Color| {
            let stones: Vec<u32> = self
                .board
                .stones()
                .filter(|s| s.0 == c)
                .map(|s| depth(s.1))
                .collect();
            (!stones.is_empty()).then(|| 1000 * stones.iter().sum::<u32>() / stones.len() as u32)
        };
        match (mean(Color::Black), mean(Color::White)) {
            (Some(black), Some(white)) if black <= white => Some(Color::Black),
            (_, Some(_)) => Some(Color::White),
            (Some(_), None) => Some(Color::Black),
            (None, None) => None,
        }
    }

    fn problem(&self, defender: Color, named: &[Point]) -> Option<Problem> {
        let board = self.board;
        let own = self.enclosed.iter().filter(|chain| chain.0 == defender);
        let asked = |stones: &[Point]| named.is_empty() || stones.iter().any(|p| named.contains(p));
        let mut own: Vec<&Vec<Point>> = own.map(|c| &c.1).filter(|s| asked(s)).collect();
        if own.is_empty() {
            // Thin: everything that is not a wall.
            own.extend(self.loose.iter().filter(|c| c.0 == defender).map(|c| &c.1));
        }
        if own.is_empty() {
            return None;
        }
        own.sort_by_key(|stones| std::cmp::Reverse(stones.len()));
        let group: Vec<Point> = own
            .iter()
            .flat_map(|stones| stones.iter().copied())
            .collect();
        let against = self.enclosed.iter().filter(|chain| chain.0 != defender);
        let against = against.map(|c| &c.1).max_by_key(|stones| stones.len());
        let mut problem = Problem {
            points: Vec::new(),
            grounds: Vec::new(),
            defender,
            group: group.clone(),
            chains: own.iter().map(|&stones| stones.clone()).collect(),
            named: !named.is_empty(),
            against: against.cloned(),
            strict: Vec::new(),
            outside: vec![None; POINTS],
        };
        for rings in 1..=RINGS {
            let points = self.points(defender, &own, rings);
            let outside = self.outside(&points, defender);
            let empty = points.iter().filter(|p| board.is_empty(**p)).count();
            if rings == 1 || empty <= NARROW {
                problem.points = points.clone();
                problem.outside = outside.clone();
                if rings > 1 {
                    problem.grounds.clear();
                }
            }
            let [life, kill] = [defender, defender.opponent()].map(|c| {
                let mut inside = vec![false; POINTS];
                points.iter().for_each(|p| inside[p.index()] = true);
                let holds = |p: Point| self.is_steady(p, &inside);
                Region::of_points(board, points.clone(), |p| {
                    let own = board.at(p).color() == Some(c) && holds(p);
                    Some(if own { c } else { c.opponent() })
                })
            });
            if let (Some(life), Some(kill)) = (life, kill) {
                problem.strict.push(Strict { life, kill });
            }
            let Some(region) = Region::of_points(board, points, |p| outside[p.index()]) else {
                break;
            };
            if region.safe[defender.index()] == 0 {
                let goal = Goal::Seal {
                    owner: defender,
                    target: region.bits_of(&group),
                    local: region.all(),
                };
                let wins = None;
                problem.grounds.push(Ground { region, goal, wins });
                continue;
            }
            let capture = |c: Color, stones: &[Point]| Goal::capture(c, region.bits_of(stones));
            let inside = |s: &&Vec<Point>| region.bits_of(s) != 0;
            let wins = against
                .filter(inside)
                .map(|s| capture(defender.opponent(), s));
            for stones in own
                .iter()
                .filter(|s| s.len() > 1 || s.len() == own[0].len())
                .take(2)
            {
                problem.grounds.push(Ground {
                    goal: capture(defender, stones),
                    region: region.clone(),
                    wins,
                });
            }
        }
        Some(problem)
    }

    /// Is the chain with this stone taken to hold, around a region of these points?
    fn is_steady(&self, p: Point, inside: &[bool]) -> bool {
        let board = self.board;
        let stones: Vec<Point> = board.chain_stones(p).collect();
        let liberties = liberties(board, &stones);
        let outside = liberties.iter().filter(|q| !inside[q.index()]).count();
        self.firm[p.index()] || self.wall[p.index()] && outside >= STEADY
    }

    /// By [`Point::index`]: whose ground the board is outside these points.
    fn outside(&self, points: &[Point], defender: Color) -> Vec<Option<Color>> {
        let board = self.board;
        let mut inside = vec![false; POINTS];
        for p in points {
            inside[p.index()] = true;
        }
        let mut outside = vec![None; POINTS];
        let walls: Vec<Point> = board
            .size()
            .points()
            .filter(|p| self.wall[p.index()])
            .collect();
        for p in board.size().points().filter(|p| !inside[p.index()]) {
            outside[p.index()] = board.at(p).color().or_else(|| {
                let away = |q: &&Point| (distance(p, **q), board.at(**q).color() == Some(defender));
                let nearest = walls.iter().min_by_key(away);
                nearest.and_then(|q| board.at(*q).color())
            });
        }
        outside
    }

    /// The points of the region: what the group reaches without touching a wall, and so many
    /// rings of empty points around that.
    fn points(&self, defender: Color, group: &[&Vec<Point>], rings: usize) -> Vec<Point> {
        let board = self.board;
        let attacker = defender.opponent();
        let mut points: Vec<Point> = group.iter().flat_map(|s| s.iter().copied()).collect();
        let mut seen = vec![false; POINTS];
        for p in &points {
            seen[p.index()] = true;
        }
        let is_wall = |p: Point| self.wall[p.index()];
        let ends = |p: Point| {
            let touches = |q: Point| is_wall(q) && board.at(q).color() == Some(attacker);
            board.is_empty(p)
                && (p.neighbours().into_iter().any(touches)
                    || self.reach.iter().any(|reach| reach[p.index()]))
        };
        let mut next = 0;
        let mut edge = Vec::new();
        while next < points.len() && points.len() <= MOST_POINTS {
            let p = points[next];
            next += 1;
            if ends(p) {
                edge.push(p);
                continue;
            }
            for q in p.neighbours() {
                let inside = board.size().contains(q) && !is_wall(q);
                if inside && !std::mem::replace(&mut seen[q.index()], true) {
                    points.push(q);
                }
            }
        }
        for _ in 1..rings {
            for p in std::mem::take(&mut edge) {
                for q in p.neighbours() {
                    let inside = board.size().contains(q) && board.is_empty(q);
                    if inside && !std::mem::replace(&mut seen[q.index()], true) {
                        points.push(q);
                        edge.push(q);
                    }
                }
            }
        }
        points
    }
}

fn distance(p: Point, q: Point) -> u8 {
    p.x().abs_diff(q.x()) + p.y().abs_diff(q.y())
}

fn liberties(board: &Board, stones: &[Point]) -> Vec<Point> {
    let mut found = Vec::new();
    for q in stones.iter().flat_map(|p| p.neighbours()) {
        if board.size().contains(q) && board.is_empty(q) && !found.contains(&q) {
            found.push(q);
        }
    }
    found
}

/// Points to which `c` comes from open board, over empty points and its own stones, without
/// touching the opponent's.
fn reached(board: &Board, c: Color) -> Vec<bool> {
    let size = board.size();
    let stones: Vec<Point> = size.points().filter(|&p| !board.is_empty(p)).collect();
    let is_far = |p: Point| {
        let near = |q: &Point| p.x().abs_diff(q.x()).max(p.y().abs_diff(q.y())) < FAR;
        !stones.iter().any(near)
    };
    let touches = |p: Point| {
        let mut around = p.neighbours().into_iter();
        around.any(|q| board.at(q).color() == Some(c.opponent()))
    };
    // Along the edge nobody runs under stones that stand above it.
    let (width, height) = (size.width(), size.height());
    let inward = |p: Point| match (p.x(), p.y()) {
        (_, 0) => Some(Point::new(p.x(), 1)),
        (0, y) => Some(Point::new(1, y)),
        (x, y) if y + 1 == height => Some(Point::new(x, y - 1)),
        (x, y) if x + 1 == width => Some(Point::new(x - 1, y)),
        _ => None,
    };
    let under = |p: Point| inward(p).is_some_and(|q| board.is_empty(q) && touches(q));
    let mut open: Vec<Point> = size.points().filter(|&p| is_far(p)).collect();
    let mut found = vec![false; POINTS];
    for p in &open {
        found[p.index()] = true;
    }
    while let Some(p) = open.pop() {
        for q in p.neighbours() {
            let own = board.at(q).color() == Some(c);
            let free = board.is_empty(q) && !touches(q) && !under(q);
            if size.contains(q) && (own || free) && !std::mem::replace(&mut found[q.index()], true)
            {
                open.push(q);
            }
        }
    }
    found
}

/// How a problem is played: without ko threats but those that are granted, and without
/// suicide, which every ruleset allows to leave out.
const CONDUCT: Conduct = Conduct {
    retake: Retake::AfterAnyMove,
    suicide: SuicideRule::Forbidden,
    ko: KoRule::Simple,
};

/// States for one question in the first round, and by how much each later round has more.
const FIRST: u64 = 20_000;
const FACTOR: u64 = 4;

/// Most further replies that are shown to a right first move.
const RESISTANCE: usize = 3;

/// Most states to tell a seki from two eyes.
const SEKI: u64 = 100_000;

/// Most ko threats that are counted. Who needs more has lost: an eye in which the opponent can
/// take again and again would stand with enough of them.
const THREATS: u8 = 2;

struct Search<'a> {
    defender: Color,
    region: &'a Region,
    goal: Goal,
    wins: Option<Goal>,
    solver: Solver,
    cutoff: Cutoff,
}

impl<'a> Search<'a> {
    fn new(defender: Color, ground: &'a Ground, bounds: &Bounds) -> Search<'a> {
        let solver = Solver::new(ground.region.clone(), CONDUCT);
        Search {
            defender,
            region: &ground.region,
            goal: ground.goal,
            wins: ground.wins,
            solver: solver.cut_off(bounds.cutoff.clone()).within(bounds.memory),
            cutoff: bounds.cutoff.clone(),
        }
    }

    /// Ko threats by colour, of which `first` has `own` and its opponent `other`.
    fn threats(first: Color, own: u8, other: u8) -> [u8; 2] {
        let mut threats = [other; 2];
        threats[first.index()] = own;
        threats
    }

    fn start(&self, first: Color, threats: [u8; 2]) -> State {
        State {
            threats,
            ..State::start(self.region, first)
        }
    }

    /// Does `player` succeed from this state?
    fn succeeds(&mut self, player: Color, s: &State, nodes: u64) -> Result<bool, Unsettled> {
        let kills = self.solver.solve(self.goal, s, nodes)?;
        Ok(kills == (player != self.defender))
    }

    fn is_late(&self) -> bool {
        self.cutoff.is_reached()
    }

    fn findings(&mut self, first: Color, nodes: u64) -> Findings {
        let (reach, threats) = self.reach(first, nodes);
        let mut found = Findings {
            reach,
            ..Findings::default()
        };
        if let Some(threats) = threats {
            self.moves(first, threats, nodes, &mut found);
        }
        found.nodes = self.solver.nodes();
        found
    }

    /// What is reached, and the threats with which a first move is right.
    fn reach(&mut self, first: Color, nodes: u64) -> (Option<Reach>, Option<[u8; 2]>) {
        let of = |own, other| Search::threats(first, own, other);
        // Without threats first: the answer says which of the others is worth asking.
        match self.settle(first, of(0, 0), nodes) {
            None => (None, None),
            Some(true) => match self.settle(first, of(0, THREATS), nodes) {
                Some(true) => (Some(Reach::Outright), Some(of(0, THREATS))),
                Some(false) => (Some(Reach::KoTheyThreaten), Some(of(0, 0))),
                None => (None, Some(of(0, 0))),
            },
            Some(false) => match self.settle(first, of(THREATS, 0), nodes) {
                Some(true) => {
                    let needed = self.threats_needed(first, nodes);
                    (Some(Reach::KoMustThreaten(needed)), Some(of(THREATS, 0)))
                }
                Some(false) => (Some(Reach::Nothing), None),
                None => (None, None),
            },
        }
    }

    /// Does `first` succeed with these threats?
    fn settle(&mut self, first: Color, threats: [u8; 2], nodes: u64) -> Option<bool> {
        let start = self.start(first, threats);
        self.succeeds(first, &start, nodes).ok()
    }

    /// Do right moves of a narrower region hold in this one? Those that do not are taken out;
    /// what is not settled stays.
    fn confirms(&mut self, found: &mut Findings, first: Color, nodes: u64) -> bool {
        let threats = match found.reach {
            Some(Reach::Outright) => Search::threats(first, 0, THREATS),
            Some(Reach::KoMustThreaten(_)) => Search::threats(first, THREATS, 0),
            _ => [0; 2],
        };
        let start = self.start(first, threats);
        let mut fails = Vec::new();
        for &p in &found.right {
            if let Some(next) = self.after(&start, p)
                && self.succeeds(first, &next, nodes) == Ok(false)
            {
                fails.push(p);
            }
        }
        found.nodes += self.solver.nodes();
        found.right.retain(|p| !fails.contains(p));
        found.wrong.extend(fails);
        !found.right.is_empty()
    }

    fn threats_needed(&mut self, first: Color, nodes: u64) -> u8 {
        let enough = (1..THREATS).find(|&n| {
            let start = self.start(first, Search::threats(first, n, 0));
            self.succeeds(first, &start, nodes) == Ok(true)
        });
        enough.unwrap_or(THREATS)
    }

    /// Which first moves reach it.
    fn moves(&mut self, first: Color, threats: [u8; 2], nodes: u64, found: &mut Findings) {
        let start = self.start(first, threats);
        let passed = start.pass(CONDUCT.retake, None);
        let mut open = self.plays(&start);
        let mut limit = FIRST;
        loop {
            open.retain(|&(p, next)| {
                match self.succeeds(first, &next, limit) {
                    Ok(true) => found.right.push(p),
                    Ok(false) => found.wrong.push(p),
                    Err(Unsettled) => return true,
                }
                false
            });
            if found.pass_works.is_none() {
                found.pass_works = self.succeeds(first, &passed, limit).ok();
            }
            let settled = open.is_empty() && found.pass_works.is_some();
            if settled || limit >= nodes || self.is_late() {
                break;
            }
            limit = limit.saturating_mul(FACTOR).min(nodes);
        }
        self.prefer_wins(first, &start, nodes, found);
        if first == self.defender && !found.wins_race {
            let next = found.right.first().and_then(|&p| self.after(&start, p));
            found.seki = next.is_some_and(|s| self.is_seki(&s, nodes));
        }
        found.line = self.line(&start, found.right.first().copied());
    }

    /// Of several moves by which a defender lives in a race, those count that win it: a seki is
    /// less.
    fn prefer_wins(&mut self, first: Color, start: &State, nodes: u64, found: &mut Findings) {
        let Some(goal) = self.wins.filter(|_| first == self.defender) else {
            return;
        };
        let mut winning = Vec::new();
        for &p in &found.right {
            if let Some(next) = self.after(start, p)
                && self.solver.solve(goal, &State { fresh: 0, ..next }, nodes) == Ok(true)
            {
                winning.push(p);
            }
        }
        if !winning.is_empty() {
            found.right = winning;
            found.wins_race = true;
        }
    }

    /// Does the defender who lives, and has moved like this, have no two eyes?
    fn is_seki(&mut self, s: &State, nodes: u64) -> bool {
        let (owner, local) = (self.defender, self.region.all());
        let goal = Goal::TwoEyes { owner, local };
        let s = State { fresh: 0, ..*s };
        self.solver.solve(goal, &s, nodes.min(SEKI)) == Ok(false)
    }

    /// The plays that can matter in a state, as the search knows them, and the states after
    /// them.
    fn plays(&mut self, s: &State) -> Vec<(Point, State)> {
        let at = self.solver.handle(self.goal);
        let children = self.solver.children(at, s).into_iter();
        let plays = children.filter_map(|(step, next)| match step {
            Step::Play(bit) => Some((self.region.point(bit), next)),
            Step::KoPass(_) | Step::Pass => None,
        });
        plays.collect()
    }

    /// The state after a play, if it can matter.
    fn after(&mut self, s: &State, p: Point) -> Option<State> {
        let plays = self.plays(s).into_iter();
        plays.filter(|play| play.0 == p).map(|play| play.1).next()
    }

    /// The lines after a first move that works, or does not. `None` if that is not found here.
    fn lines_after(
        &mut self,
        start: &State,
        p: Point,
        works: bool,
        nodes: u64,
    ) -> Option<Vec<Vec<(Color, Move)>>> {
        let first = start.to_move;
        let next = self.after(start, p)?;
        if self.succeeds(first, &next, nodes) != Ok(works) {
            return None;
        }
        let mut lines = vec![self.line(start, Some(p))];
        if works {
            let replies = self.plays(&next).into_iter();
            let replies: Vec<_> = replies.map(|(q, _)| self.line(&next, Some(q))).collect();
            let main = lines[0].get(1).copied();
            // A reply that is answered by a single move teaches nothing.
            let mut others = replies;
            others.retain(|reply| reply.len() > 2 && reply.first().copied() != main);
            others.sort_by_key(|reply| std::cmp::Reverse(reply.len()));
            others.truncate(RESISTANCE);
            let begin = (first, Move::Play(p));
            lines.extend(
                others
                    .into_iter()
                    .map(|reply| [vec![begin], reply].concat()),
            );
        }
        Some(lines)
    }

    /// The play that shows it, beginning with this move if there is one.
    fn line(&mut self, start: &State, begin: Option<Point>) -> Vec<(Color, Move)> {
        let region = self.region;
        let mut line = Vec::new();
        let mut s = *start;
        if let Some(next) = begin.and_then(|p| self.after(start, p)) {
            line.extend(begin.map(|p| (start.to_move, Move::Play(p))));
            s = next;
        }
        let goal = self.goal;
        let shown = match self.solver.solve(goal, &s, FIRST) {
            Ok(true) => self.solver.show_dead(goal, &s),
            Ok(false) => self.solver.show_uncapturable(goal, &s),
            Err(Unsettled) => (Vec::new(), End::Unfinished),
        };
        line.extend(shown.0.into_iter().map(|(c, step)| match step {
            Step::Play(bit) => (c, Move::Play(region.point(bit))),
            Step::KoPass(_) | Step::Pass => (c, Move::Pass),
        }));
        line
    }
}
