//! Hypothetical play solved exhaustively: the whole graph of play in a small area, with forced
//! results computed backwards from its ends (retrograde analysis). It shares no code with
//! `src/adjudicate`.
//!
//! The rules of play (Japanese 1989, Article 7; the questions are those of Jasiek's formalisation):
//! the opponent of a chain plays first. Suicide is illegal. A single stone that captures a single
//! stone and has one liberty must not be retaken before its opponent has passed for that ko.
//! Endless play is a failure of the player who must force something.

use ponnuki::adjudicate::Life;
use ponnuki::board::Board;
use ponnuki::types::{Color, Point};
use std::collections::HashMap;

/// Points of an area, one bit each.
pub type Mask = u16;

/// A small area surrounded by walls that cannot be captured.
pub struct Area {
    pub points: Vec<Point>,
    touching: Vec<Mask>,
    /// By colour: points next to a wall of that colour.
    wall: [Mask; 2],
    stones: [Mask; 2],
}

/// The stones, the capturing stones of kos that must not be retaken, and the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Node {
    stones: [Mask; 2],
    banned: Mask,
    turn: Color,
}

/// A move between two nodes.
#[derive(Clone, Copy)]
struct Edge {
    to: usize,
    /// The point played on; `None` for passes.
    played: Option<u32>,
    captured: Mask,
}

/// The graph of all play in an area, with either player to begin.
pub struct Graph {
    area: Area,
    nodes: Vec<Node>,
    /// Edges of node i: `edges[first[i]..first[i + 1]]`.
    first: Vec<usize>,
    edges: Vec<Edge>,
    /// By colour and point: nodes at which the stone there can be captured.
    capturable: HashMap<(Color, u32), Vec<bool>>,
}

impl Area {
    /// The points that are not `wall`; at most 16.
    pub fn new(board: &Board, is_wall: impl Fn(Point) -> bool) -> Area {
        let points: Vec<Point> = board.size().points().filter(|&p| !is_wall(p)).collect();
        assert!(points.len() <= 16);
        let bit = |p: Point| points.iter().position(|&q| q == p);
        let mut area = Area {
            touching: vec![0; points.len()],
            wall: [0; 2],
            stones: [0; 2],
            points: points.clone(),
        };
        for (i, &p) in points.iter().enumerate() {
            if let Some(c) = board.at(p).color() {
                area.stones[c.index()] |= 1 << i;
            }
            for q in p.neighbours() {
                match (bit(q), board.at(q).color()) {
                    (Some(j), _) => area.touching[i] |= 1 << j,
                    (None, Some(c)) => area.wall[c.index()] |= 1 << i,
                    (None, None) => {}
                }
            }
        }
        area
    }

    fn each(&self, set: Mask) -> impl Iterator<Item = u32> + use<> {
        (0..16).filter(move |i| set >> i & 1 == 1)
    }

    fn around(&self, set: Mask) -> Mask {
        self.each(set)
            .fold(0, |all, i| all | self.touching[i as usize])
    }

    /// Points of `of` connected to `seed` within `of`.
    fn connected(&self, seed: Mask, of: Mask) -> Mask {
        let mut found = seed;
        loop {
            let more = found | (self.around(found) & of);
            if more == found {
                return found;
            }
            found = more;
        }
    }

    /// The chains of a colour.
    pub fn chains(&self, c: Color) -> Vec<Mask> {
        let mut left = self.stones[c.index()];
        let mut found = Vec::new();
        while left != 0 {
            let chain = self.connected(left & left.wrapping_neg(), self.stones[c.index()]);
            found.push(chain);
            left &= !chain;
        }
        found
    }

    /// Has a chain no liberty if these points are filled?
    fn is_dead_end(&self, c: Color, chain: Mask, filled: Mask) -> bool {
        chain & self.wall[c.index()] == 0 && self.around(chain) & !filled == 0
    }

    fn play(&self, s: &Node, at: u32) -> Option<(Node, Mask)> {
        let (me, you) = (s.turn, s.turn.opponent());
        let stone: Mask = 1 << at;
        let all = s.stones[0] | s.stones[1] | stone;
        let mut captured = 0;
        for i in self.each(self.touching[at as usize] & s.stones[you.index()]) {
            let chain = self.connected(1 << i, s.stones[you.index()]);
            if self.is_dead_end(you, chain, all) {
                captured |= chain;
            }
        }
        let mut next = *s;
        next.turn = you;
        next.stones[you.index()] &= !captured;
        next.stones[me.index()] |= stone;
        let chain = self.connected(stone, next.stones[me.index()]);
        if self.is_dead_end(me, chain, all & !captured) {
            return None;
        }
        let takes_ko = captured.count_ones() == 1
            && chain == stone
            && self.wall[me.index()] & stone == 0
            && self.touching[at as usize] & !(all & !captured) == captured;
        if takes_ko && s.banned & captured != 0 {
            return None;
        }
        next.banned &= !captured & !chain;
        if takes_ko {
            next.banned |= stone;
        }
        Some((next, captured))
    }

    fn moves(&self, s: &Node) -> Vec<(Node, Option<u32>, Mask)> {
        let mut found = Vec::new();
        for at in 0..self.points.len() as u32 {
            if (s.stones[0] | s.stones[1]) >> at & 1 == 0
                && let Some((next, captured)) = self.play(s, at)
            {
                found.push((next, Some(at), captured));
            }
        }
        let turn = s.turn.opponent();
        found.push((Node { turn, ..*s }, None, 0));
        for ko in self.each(s.banned & s.stones[turn.index()]) {
            let banned = s.banned & !(1 << ko);
            found.push((Node { turn, banned, ..*s }, None, 0));
        }
        found
    }
}

/// The nodes from which the prover can force a won node. `won` are the nodes won at once, `proving`
/// those with the prover to move. A node is won if the prover is to move and one edge leads to a
/// won node, or the opponent is to move and all do.
fn forced(won: &[bool], proving: &[bool], ways: &[Vec<usize>]) -> Vec<bool> {
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); ways.len()];
    for (i, to) in ways.iter().enumerate() {
        for &j in to {
            into[j].push(i);
        }
    }
    let mut open: Vec<usize> = ways.iter().map(Vec::len).collect();
    let mut found = won.to_vec();
    let mut news: Vec<usize> = (0..won.len()).filter(|&i| won[i]).collect();
    while let Some(j) = news.pop() {
        for &i in &into[j] {
            open[i] -= 1;
            if !found[i] && (proving[i] || open[i] == 0) {
                found[i] = true;
                news.push(i);
            }
        }
    }
    found
}

/// Key of a position in [`Area::falls_under_superko`]: the earlier positions as bits, whether the last
/// move was a pass, and the moves elsewhere that are left.
type Known = HashMap<(Node, Vec<u64>, bool, [u8; 2]), bool>;

/// Limit of positions in [`Area::falls_under_superko`].
const MOST: usize = 300_000;

impl Area {
    /// Can the opponent, moving first, capture a stone of `c` if no position may repeat
    /// (`situational`: with the same player to move), a ko must not be retaken at once, and two
    /// passes end the play? Each player has this many moves `elsewhere`, after which no position of
    /// the board can return. `None` if that takes too long.
    pub fn falls_under_superko(
        &self,
        c: Color,
        p: Point,
        situational: bool,
        elsewhere: [u8; 2],
    ) -> Option<bool> {
        let at = self.points.iter().position(|&q| q == p).unwrap();
        let start = Node {
            stones: self.stones,
            banned: 0,
            turn: c.opponent(),
        };
        let play = Strict {
            area: self,
            owner: c,
            stone: 1 << at,
            situational,
        };
        // Both have passed before.
        let both = Color::BOTH.map(|turn| Node { turn, ..start });
        let before = play.positions(&both);
        play.falls(&start, &before, false, elsewhere, &mut Known::new())
    }
}

/// A search under superko for the capture of a stone.
struct Strict<'a> {
    area: &'a Area,
    owner: Color,
    stone: Mask,
    situational: bool,
}

impl Strict<'_> {
    /// The index of a position, with the player to move if that matters.
    fn number(&self, s: &Node) -> usize {
        let digit = |i: usize| usize::from((s.stones[0] >> i & 1) + 2 * (s.stones[1] >> i & 1));
        let number = (0..self.area.points.len()).fold(0, |n, i| 3 * n + digit(i));
        2 * number + usize::from(self.situational && s.turn == Color::White)
    }

    /// These positions as bits.
    fn positions(&self, nodes: &[Node]) -> Vec<u64> {
        let mut bits = vec![0; 2 * 3usize.pow(self.area.points.len() as u32) / 64 + 1];
        for node in nodes {
            let number = self.number(node);
            bits[number / 64] |= 1 << (number % 64);
        }
        bits
    }

    fn falls(
        &self,
        s: &Node,
        before: &[u64],
        passed: bool,
        elsewhere: [u8; 2],
        known: &mut Known,
    ) -> Option<bool> {
        let key = (*s, before.to_vec(), passed, elsewhere);
        if let Some(&falls) = known.get(&key) {
            return Some(falls);
        }
        let attacks = s.turn != self.owner;
        let mut falls = !attacks;
        for (mut next, played, captured) in self.area.moves(s) {
            // Any move lifts the ban on a ko.
            next.banned &= played.map_or(0, |p| 1 << p);
            let number = self.number(&next);
            let mut after = before.to_vec();
            let came = after[number / 64] >> (number % 64) & 1 == 1;
            after[number / 64] |= 1 << (number % 64);
            let now = match played {
                Some(_) if came => continue,
                _ if captured & self.stone != 0 => true,
                None if passed => false,
                _ if known.len() > MOST => return None,
                _ => self.falls(&next, &after, played.is_none(), elsewhere, known)?,
            };
            if now == attacks {
                falls = now;
                break;
            }
        }
        let me = s.turn.index();
        if falls != attacks && elsewhere[me] > 0 {
            let next = Node {
                banned: 0,
                turn: s.turn.opponent(),
                ..*s
            };
            let mut left = elsewhere;
            left[me] -= 1;
            falls = self.falls(&next, &self.positions(&[next]), false, left, known)?;
        }
        known.insert(key, falls);
        Some(falls)
    }
}

impl Graph {
    /// Build the graph of all play in an area, with either player to begin.
    pub fn new(area: Area) -> Graph {
        let start = Node {
            stones: area.stones,
            banned: 0,
            turn: Color::Black,
        };
        let mut number = HashMap::from([(start, 0)]);
        let mut graph = Graph {
            nodes: vec![start],
            first: vec![0],
            edges: Vec::new(),
            capturable: HashMap::new(),
            area,
        };
        let mut i = 0;
        while i < graph.nodes.len() {
            for (next, played, captured) in graph.area.moves(&graph.nodes[i]) {
                let to = *number.entry(next).or_insert_with(|| {
                    graph.nodes.push(next);
                    graph.nodes.len() - 1
                });
                graph.edges.push(Edge {
                    to,
                    played,
                    captured,
                });
            }
            i += 1;
            graph.first.push(graph.edges.len());
        }
        graph
    }

    fn edges(&self, i: usize) -> &[Edge] {
        &self.edges[self.first[i]..self.first[i + 1]]
    }

    /// The nodes at which the opponent can capture the stone of `c` on this point.
    fn capturable(&mut self, c: Color, at: u32) -> &[bool] {
        if !self.capturable.contains_key(&(c, at)) {
            // One extra node represents the capture.
            let n = self.nodes.len();
            let stands = |i: usize| self.nodes[i].stones[c.index()] >> at & 1 == 1;
            let mut ways = vec![Vec::new(); n + 1];
            for (i, ways) in ways
                .iter_mut()
                .enumerate()
                .take(n)
                .filter(|(i, _)| stands(*i))
            {
                for e in self.edges(i) {
                    ways.push(if e.captured >> at & 1 == 1 { n } else { e.to });
                }
            }
            let proving: Vec<bool> = self
                .nodes
                .iter()
                .map(|s| s.turn != c)
                .chain([true])
                .collect();
            let mut won = vec![false; n + 1];
            won[n] = true;
            let found = forced(&won, &proving, &ways);
            self.capturable.insert((c, at), found);
        }
        &self.capturable[&(c, at)]
    }

    fn start(&self, turn: Color) -> usize {
        let is_start = |s: &Node| s.stones == self.area.stones && s.banned == 0 && s.turn == turn;
        self.nodes.iter().position(is_start).unwrap()
    }

    /// Can the opponent of `c` capture this chain without a lasting new stone of `c` on `local`?
    fn captured_for_good(&mut self, c: Color, chain: Mask, local: Mask) -> bool {
        for at in self.area.each(local) {
            self.capturable(c, at);
        }
        // Nodes of the graph, with the new stones of `c` on `local`, and whether the
        // chain has been captured.
        type Wide = (usize, Mask, bool);
        let start: Wide = (self.start(c.opponent()), 0, false);
        let mut number: HashMap<Wide, usize> = HashMap::from([(start, 0)]);
        let mut nodes = vec![start];
        let mut ways: Vec<Vec<usize>> = Vec::new();
        let mut i = 0;
        while i < nodes.len() {
            let (at, new, gone) = nodes[i];
            let mut to = Vec::new();
            for e in self.edges(at) {
                let mut new = new;
                if self.nodes[at].turn == c
                    && let Some(p) = e.played
                {
                    new |= 1 << p;
                }
                let wide = (
                    e.to,
                    new & local & !e.captured,
                    gone || e.captured & chain != 0,
                );
                to.push(*number.entry(wide).or_insert_with(|| {
                    nodes.push(wide);
                    nodes.len() - 1
                }));
            }
            ways.push(to);
            i += 1;
        }
        let turns: Vec<bool> = nodes.iter().map(|w| self.nodes[w.0].turn == c).collect();
        let stays: Vec<bool> = nodes
            .iter()
            .zip(&turns)
            .map(|(&(at, new, gone), &owner)| {
                let lasts = |p: u32| !self.capturable[&(c, p)][at];
                gone && !owner && self.area.each(new).any(lasts)
            })
            .collect();
        let lasting = forced(&stays, &turns, &ways);
        // The attack ends with the capture.
        let mut good = vec![false; nodes.len()];
        for (i, w) in nodes.iter().enumerate() {
            if w.2 {
                ways[i].clear();
                good[i] = !lasting[i];
            }
        }
        let attacks: Vec<bool> = turns.iter().map(|&owner| !owner).collect();
        forced(&good, &attacks, &ways)[0]
    }

    /// The status of every chain.
    pub fn lives(&mut self) -> Vec<(Color, Mask, Life)> {
        let mut chains: Vec<(Color, Mask, Life)> = Vec::new();
        for c in Color::BOTH {
            for chain in self.area.chains(c) {
                let start = self.start(c.opponent());
                let life = if !self.capturable(c, chain.trailing_zeros())[start] {
                    Life::Uncapturable
                } else if !self.captured_for_good(c, chain, chain) {
                    Life::NewStone
                } else {
                    Life::Dead
                };
                chains.push((c, chain, life));
            }
        }
        for i in 0..chains.len() {
            let (c, chain, life) = chains[i];
            if life != Life::Dead {
                continue;
            }
            // The points connected to the chain without crossing a living stone of its owner.
            let standing = |other: &&(Color, Mask, Life)| {
                other.0 == c && matches!(other.2, Life::Uncapturable | Life::NewStone)
            };
            let standing: Mask = chains.iter().filter(standing).fold(0, |a, b| a | b.1);
            let all = ((1u32 << self.area.points.len()) - 1) as Mask;
            let local = self.area.connected(chain, all & !standing);
            if !self.captured_for_good(c, chain, local) {
                chains[i].2 = Life::NewStoneNearby;
            }
        }
        chains
    }

    /// Can the opponent capture the stone at a point, moving first?
    pub fn falls(&mut self, p: Point, c: Color) -> bool {
        let at = self.area.points.iter().position(|&q| q == p).unwrap();
        let start = self.start(c.opponent());
        self.capturable(c, at as u32)[start]
    }

    /// The points of a set.
    pub fn points(&self, set: Mask) -> impl Iterator<Item = Point> + '_ {
        self.area.each(set).map(|i| self.area.points[i as usize])
    }
}
