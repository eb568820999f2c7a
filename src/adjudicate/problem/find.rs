//! Guesses the group in question and the region that decides its life.

use super::around::Around;
use super::{Problem, RegionGoal};
use crate::adjudicate::goal::Goal;
use crate::adjudicate::region::{MOST_POINTS, Region};
use crate::adjudicate::safe::Safe;
use crate::board::Board;
use crate::types::{Color, POINTS, Point, PointSet};

/// A point this far from every stone, in king's moves, is open board.
const FAR: u8 = 3;

/// Minimum liberties in open board of a chain that bounds a problem.
const WALL_LIBERTIES: usize = 2;

/// A wider region replaces narrower ones if it has at most this many empty points.
const NARROW: usize = 13;

/// Maximum rings of empty points at the border of a region.
const RINGS: usize = 3;

/// The facts about a board that determine a problem's region.
pub(super) struct Finder<'a> {
    board: &'a Board,
    /// By colour: see [`reached`].
    reach: [PointSet; 2],
    /// Chains that neither reach open board nor are firm, and named ones.
    enclosed: Vec<(Color, Vec<Point>)>,
    /// The other chains, unless they are firm. Those with [`WALL_LIBERTIES`] liberties in open board
    /// are walls.
    loose: Vec<(Color, Vec<Point>)>,
    /// By colour: is there a chain that is not in `enclosed`?
    free: [bool; 2],
    around: Around,
}

impl<'a> Finder<'a> {
    /// Collect the facts. `holds` are stones that are assumed to be beyond capture, and `inside`
    /// points on which no firm stone may rely.
    pub(super) fn new(
        board: &'a Board,
        named: &[Point],
        holds: &PointSet,
        inside: &PointSet,
    ) -> Finder<'a> {
        let safe = Safe::of(board, None);
        let holds = |p: Point| holds.contains(p) && board.at(p).is_stone();
        let is_firm = |&p: &Point| holds(p) || safe.proof(p).is_some();
        let mut around = Around {
            board: board.clone(),
            wall: PointSet::default(),
            firm: board.size().points().filter(is_firm).collect(),
            reliances: safe.reliances(holds),
        };
        around.firm = around.firm_around(inside);
        let reach = Color::BOTH.map(|c| reached(board, c));
        let mut finder = Finder {
            board,
            reach,
            enclosed: Vec::new(),
            loose: Vec::new(),
            free: [false; 2],
            around,
        };
        for (c, stones) in board.chains() {
            let liberties = board.liberties_of(stones.iter().copied());
            let open = |&&p: &&Point| finder.reach[c.index()].contains(p);
            let open = liberties.iter().filter(open).count();
            let asked = stones.iter().any(|p| named.contains(p));
            let held = stones.iter().any(|&p| finder.around.firm.contains(p));
            let bounds = held && !asked;
            if !bounds && (open == 0 || asked) {
                finder.enclosed.push((c, stones));
                continue;
            }
            finder.free[c.index()] = true;
            if bounds || open >= WALL_LIBERTIES {
                finder.around.wall.extend(&stones);
            }
            if !bounds {
                finder.loose.push((c, stones));
            }
        }
        finder
    }

    /// The owner of the group in question.
    pub(super) fn defender(&self, to_move: Color, named: &[Point]) -> Option<Color> {
        if let Some(&p) = named.first() {
            return self.board.at(p).color();
        }
        let encloses = |c: Color| self.enclosed.iter().any(|chain| chain.0 == c);
        match (encloses(to_move), encloses(to_move.opponent())) {
            (false, false) => self.nearer_to_edges(),
            (true, false) => Some(to_move),
            (false, true) => Some(to_move.opponent()),
            // Of two enclosed groups, the opponent's is the inner one if the opponent has no other
            // chains.
            (true, true) if !self.free[to_move.opponent().index()] => Some(to_move.opponent()),
            (true, true) => Some(to_move),
        }
    }

    /// The player whose stones are nearer to the edges on average; asked if no chain is enclosed.
    fn nearer_to_edges(&self) -> Option<Color> {
        let size = self.board.size();
        let mean = |c: Color| {
            let stones: Vec<u32> = self
                .board
                .stones()
                .filter(|s| s.0 == c)
                .map(|s| u32::from(size.lines_to_edge(s.1)))
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

    pub(super) fn problem(&self, defender: Color, named: &[Point]) -> Option<Problem> {
        let board = self.board;
        let own = self.enclosed.iter().filter(|chain| chain.0 == defender);
        let asked = |stones: &[Point]| named.is_empty() || stones.iter().any(|p| named.contains(p));
        let mut own: Vec<&Vec<Point>> = own.map(|c| &c.1).filter(|s| asked(s)).collect();
        if own.is_empty() {
            // No enclosed chain: take all chains that are not firm.
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
        let mut liberties = board.liberties_of(group.iter().copied()).into_iter();
        let escapes = liberties.any(|p| self.reach[defender.index()].contains(p));
        let against = self.enclosed.iter().filter(|chain| chain.0 != defender);
        let against = against.map(|c| &c.1).max_by_key(|stones| stones.len());
        let mut problem = Problem {
            points: Vec::new(),
            goals: Vec::new(),
            defender,
            group,
            chains: own.iter().map(|&stones| stones.clone()).collect(),
            named: !named.is_empty(),
            escapes,
            against: against.cloned(),
            proof_regions: Vec::new(),
            around: self.around.clone(),
            outside: vec![None; POINTS],
        };
        let mut narrow = Vec::new();
        for rings in 1..=RINGS {
            let points = self.points(defender, &own, rings);
            let empty = points.iter().filter(|p| board.is_empty(**p)).count();
            if rings == 1 || empty <= NARROW {
                problem.points = points.clone();
                problem.outside = self.outside(&points, defender);
                narrow.clear();
            }
            narrow.push(points);
        }
        // The chains that bound the narrowest region may be captured themselves.
        for rings in [1, 0] {
            let weak = self.with_weak(narrow[0].clone(), defender, rings);
            if weak.len() > narrow[0].len() {
                narrow.insert(1, weak);
            }
        }
        for points in narrow {
            self.add(&mut problem, points, &own, against);
        }
        Some(problem)
    }

    /// Extend points by the chains of the attacker around them that are not
    /// [`steady`](Around::steady), by the liberties of these chains, and by `rings` rings of empty
    /// points.
    fn with_weak(&self, mut points: Vec<Point>, defender: Color, rings: usize) -> Vec<Point> {
        let board = self.board;
        let inside: PointSet = points.iter().collect();
        let steady = self.around.steady(&inside);
        let attacker = defender.opponent();
        let mut edge = Vec::new();
        for (c, stones) in board.chains() {
            let first = stones[0];
            if c != attacker || inside.contains(first) || steady.contains(first) {
                continue;
            }
            let mut around = stones.iter().flat_map(|p| p.neighbours());
            if !around.any(|q| inside.contains(q) && board.size().contains(q)) {
                continue;
            }
            let stones = || stones.iter().copied();
            for p in stones().chain(board.liberties_of(stones())) {
                if !points.contains(&p) {
                    points.push(p);
                    edge.push(p);
                }
            }
        }
        for _ in 0..rings {
            for q in std::mem::take(&mut edge)
                .iter()
                .flat_map(|p| p.neighbours())
            {
                if board.is_empty(q) && !points.contains(&q) {
                    points.push(q);
                    edge.push(q);
                }
            }
        }
        points
    }

    /// Add a region of these points to a problem about these chains.
    fn add(
        &self,
        problem: &mut Problem,
        points: Vec<Point>,
        own: &[&Vec<Point>],
        against: Option<&Vec<Point>>,
    ) {
        let board = self.board;
        let defender = problem.defender;
        if let Some(region) = self.around.proof_region(points.clone(), defender) {
            problem.proof_regions.push(region);
        }
        let outside = self.outside(&points, defender);
        let Some(region) = Region::of_points(board, points, |p| outside[p.index()]) else {
            return;
        };
        if region.next_to_safe[defender.index()] == 0 {
            let goal = Goal::CaptureAll {
                owner: defender,
                target: region.bits_of(&problem.group),
            };
            let wins = None;
            problem.goals.push(RegionGoal { region, goal, wins });
            return;
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
            problem.goals.push(RegionGoal {
                goal: capture(defender, stones),
                region: region.clone(),
                wins,
            });
        }
    }

    /// The assumed owner of each point outside these, by [`Point::index`]: the owner of the stone
    /// there, or else of the nearest wall.
    fn outside(&self, points: &[Point], defender: Color) -> Vec<Option<Color>> {
        let board = self.board;
        let inside: PointSet = points.iter().collect();
        let mut outside = vec![None; POINTS];
        let is_wall = |&p: &Point| self.around.wall.contains(p);
        let walls: Vec<Point> = board.size().points().filter(is_wall).collect();
        for p in board.size().points().filter(|&p| !inside.contains(p)) {
            outside[p.index()] = board.at(p).color().or_else(|| {
                let away = |q: &&Point| (distance(p, **q), board.at(**q).color() == Some(defender));
                let nearest = walls.iter().min_by_key(away);
                nearest.and_then(|q| board.at(*q).color())
            });
        }
        outside
    }

    /// The points of the region: all that the group reaches, and `rings` rings of empty points. The
    /// first ring is where the reach ends: at empty points next to a wall of the attacker, or
    /// reachable from open board. An enclosed chain of the defender next to such a point is
    /// included, since a connection to it is no escape, unless the region then has more than
    /// [`MOST_POINTS`].
    fn points(&self, defender: Color, group: &[&Vec<Point>], rings: usize) -> Vec<Point> {
        let enclosed = self.enclosed.iter().filter(|chain| chain.0 == defender);
        let enclosed: Vec<Point> = enclosed.flat_map(|chain| chain.1.iter().copied()).collect();
        let wide = self.points_with(&enclosed, defender, group, rings);
        match wide.len() > MOST_POINTS {
            true => self.points_with(&[], defender, group, rings),
            false => wide,
        }
    }

    /// [`Finder::points`], with these stones where the reach ends next to them.
    fn points_with(
        &self,
        further: &[Point],
        defender: Color,
        group: &[&Vec<Point>],
        rings: usize,
    ) -> Vec<Point> {
        let board = self.board;
        let attacker = defender.opponent();
        let mut points: Vec<Point> = group.iter().flat_map(|s| s.iter().copied()).collect();
        let mut seen: PointSet = points.iter().collect();
        let is_wall = |p: Point| self.around.wall.contains(p);
        let further: PointSet = further.iter().collect();
        let ends = |p: Point| {
            let touches = |q: Point| is_wall(q) && board.at(q).color() == Some(attacker);
            board.is_empty(p)
                && (p.neighbours().into_iter().any(touches)
                    || self.reach.iter().any(|reach| reach.contains(p)))
        };
        let mut next = 0;
        let mut edge = Vec::new();
        while next < points.len() && points.len() <= MOST_POINTS {
            let p = points[next];
            next += 1;
            let ends = ends(p);
            if ends {
                edge.push(p);
            }
            for q in p.neighbours() {
                let inside = board.size().contains(q) && !is_wall(q);
                let inside = inside && (!ends || further.contains(q));
                if inside && seen.insert(q) {
                    points.push(q);
                }
            }
        }
        for _ in 1..rings {
            for p in std::mem::take(&mut edge) {
                for q in p.neighbours() {
                    let inside = board.size().contains(q) && board.is_empty(q);
                    if inside && seen.insert(q) {
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

/// The points that `c` reaches from open board over empty points and its own stones, without
/// touching the opponent's.
fn reached(board: &Board, c: Color) -> PointSet {
    let size = board.size();
    let stones: Vec<Point> = size.points().filter(|&p| !board.is_empty(p)).collect();
    let is_far = |p: Point| {
        let near = |q: &Point| p.king_distance(*q) < FAR;
        !stones.iter().any(near)
    };
    let touches = |p: Point| {
        let mut around = p.neighbours().into_iter();
        around.any(|q| board.at(q).color() == Some(c.opponent()))
    };
    // A chain cannot run along the edge beneath the opponent's stones.
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
    let mut found: PointSet = open.iter().collect();
    while let Some(p) = open.pop() {
        for q in p.neighbours() {
            let own = board.at(q).color() == Some(c);
            let free = board.is_empty(q) && !touches(q) && !under(q);
            if size.contains(q) && (own || free) && found.insert(q) {
                open.push(q);
            }
        }
    }
    found
}
