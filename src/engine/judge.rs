//! The judgement at the end of a game: one value that the pass decision,
//! `final_status_list` and `final_score` all read.

use crate::adjudicate::{Dame, Effort, Finding, First, confirm, divide, safe_chains};
use crate::playout::Ownership;
use crate::position::{Owner, Position, Score};
use crate::rules::{Scoring, Settlement, Tax};
use crate::search::Search;
use crate::tactics::pass_alive;
use crate::types::{BoardSize, Color, Move, POINTS, Point};

/// What becomes of a chain when the game stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChainStatus {
    /// It stays, with territory.
    Alive,
    /// It stays, in seki.
    Seki,
    /// It is taken off.
    Dead,
}

/// The status of every chain and the count that follows from it.
#[derive(Clone, Debug)]
pub struct Judgement {
    chains: Vec<(Vec<Point>, ChainStatus)>,
    score: Score,
    owners: Vec<Owner>,
    ownership: Ownership,
    /// What Article 7 says of the chains that were in question, where the rules
    /// ask it.
    findings: Vec<Finding>,
    /// Stones of chains that need no such question, by [`Point::index`]; empty
    /// where the rules ask none.
    safe: Vec<bool>,
    /// Territory by Article 8, with what may be taken off.
    removed: Option<Vec<Point>>,
    /// Of which stones: the hash of the board.
    pub(super) board_hash: u64,
    /// With how much care.
    pub(super) care: Care,
}

/// Playouts for each side moving first.
const PLAYOUTS: u64 = 1000;

/// Mean ownership, for its owner, below which a chain is dead.
const DEAD_BELOW: f32 = -0.3;

/// Memory for the judge's own tree.
pub(super) const MEMORY: usize = 48 << 20;

impl Judgement {
    /// Judge a position.
    ///
    /// Benson's unconditional life comes first: such chains are alive, and what
    /// the opponent has in their eyes is dead. The rest is put to two short
    /// searches under area scoring, one with each side to move, both seeded, so
    /// that the same stones always get the same judgement; a chain that the
    /// opponent mostly owns at the end of the playouts is dead. Where the rules
    /// ask for confirmation by hypothetical play, that decides as far as it comes
    /// to an end. Where they take no stone off, none is dead.
    pub(super) fn of(position: &Position, search: &mut Search, care: Care) -> Judgement {
        let board = position.board();
        let rules = position.rules();
        let ownership = played_out(position, search);
        let (safe, findings) = match rules.settlement {
            Settlement::Confirmation => {
                let safe = safe_chains(board, |p| ownership.of(p));
                let findings = confirm(board, &safe, effort(position, care));
                (safe, findings)
            }
            Settlement::PlayOut | Settlement::Agreement => Default::default(),
        };
        let benson = Color::BOTH.map(|c| pass_alive(board, c));
        let is_dead = |c: Color, stones: &[Point]| {
            let p = stones[0];
            let found = findings.iter().find(|f| f.stones.contains(&p));
            if rules.settlement == Settlement::PlayOut || benson[c.index()].0[p.index()] {
                false
            } else if benson[c.opponent().index()].1[p.index()] {
                true
            } else if let Some(alive) = found.and_then(|f| f.life.is_alive()) {
                !alive
            } else {
                let sum: f32 = stones.iter().map(|&s| ownership.of(s)).sum();
                c.sign() as f32 * sum / (stones.len() as f32) < DEAD_BELOW
            }
        };
        let mut chains: Vec<(Vec<Point>, ChainStatus)> = Vec::new();
        for p in board.size().points() {
            let Some(c) = board.at(p).color() else {
                continue;
            };
            if board.chain(p) != p {
                continue;
            }
            let stones: Vec<Point> = board.chain_stones(p).collect();
            let status = if is_dead(c, &stones) {
                ChainStatus::Dead
            } else {
                ChainStatus::Alive
            };
            chains.push((stones, status));
        }
        let mut judgement = Judgement {
            chains,
            score: position.score(&[], |_| false),
            owners: Vec::new(),
            ownership,
            findings,
            safe,
            removed: None,
            board_hash: board.hash(),
            care,
        };
        judgement.settle_territory(position);
        judgement.recount(position);
        judgement
    }

    /// Seki and territory, from which chains are dead.
    fn settle_territory(&mut self, position: &Position) {
        let board = position.board();
        if position.rules().settlement != Settlement::Confirmation {
            let dead: Vec<Point> = self.dead().collect();
            mark_seki(position, &dead, &mut self.chains, &self.ownership);
            return;
        }
        let mut dead = vec![false; POINTS];
        for p in self.dead() {
            dead[p.index()] = true;
        }
        let territory = divide(board, &dead, &self.safe, dame(position));
        for (stones, status) in &mut self.chains {
            if *status == ChainStatus::Alive && territory.seki[stones[0].index()] {
                *status = ChainStatus::Seki;
            }
        }
        self.owners = territory.owners;
        self.removed = Some(territory.removed);
    }

    /// Count again after turns that changed no stone.
    pub(super) fn recount(&mut self, position: &Position) {
        let dead: Vec<Point> = self.dead().collect();
        let seki: Vec<Point> = self
            .chains
            .iter()
            .filter(|(_, s)| *s == ChainStatus::Seki)
            .flat_map(|(stones, _)| stones.iter().copied())
            .collect();
        let in_seki = |p: Point| seki.contains(&p);
        if let Some(removed) = &self.removed {
            self.score = position.score_of(&self.owners, removed, in_seki);
        } else {
            self.score = position.score(&dead, in_seki);
            self.owners = position.owners(&dead, in_seki).0;
        }
    }

    /// The dead stones that are taken off: all of them, unless the rules let some
    /// stand (Japanese 1989, Article 10).
    pub fn removed(&self) -> Vec<Point> {
        self.removed
            .clone()
            .unwrap_or_else(|| self.dead().collect())
    }

    /// What the confirmation of life and death found of the chains that were in
    /// question; empty where the rules ask for none.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Every chain of the board with its status.
    pub fn chains(&self) -> &[(Vec<Point>, ChainStatus)] {
        &self.chains
    }

    /// What becomes of the chain at a point; `None` if there is no stone.
    pub fn status(&self, p: Point) -> Option<ChainStatus> {
        let chain = self.chains.iter().find(|(stones, _)| stones.contains(&p));
        chain.map(|&(_, status)| status)
    }

    /// The points without a living stone that count for this owner, on the board
    /// of this size that was judged.
    pub fn territory(&self, size: BoardSize, owner: Owner) -> Vec<Point> {
        let lives = |p| self.status(p).is_some_and(|s| s != ChainStatus::Dead);
        let points = size.points();
        points
            .filter(|&p| self.owner(p) == owner && !lives(p))
            .collect()
    }

    /// Is the chain at a point beyond question under rules that confirm?
    pub(super) fn is_safe(&self, p: Point) -> bool {
        self.safe.get(p.index()).copied().unwrap_or(false)
    }

    /// All dead stones.
    pub fn dead(&self) -> impl Iterator<Item = Point> + '_ {
        self.chains
            .iter()
            .filter(|(_, s)| *s == ChainStatus::Dead)
            .flat_map(|(stones, _)| stones.iter().copied())
    }

    /// The count with the dead stones taken off.
    pub fn score(&self) -> &Score {
        &self.score
    }

    /// Whose a point is in that count.
    pub fn owner(&self, p: Point) -> Owner {
        self.owners.get(p.index()).copied().unwrap_or(Owner::Nobody)
    }

    /// Mean ownership in the judge's playouts, from −1 (White's) to 1 (Black's).
    pub fn ownership(&self, p: Point) -> f32 {
        self.ownership.of(p)
    }
}

/// Ownership at the end of two searches, one with each side to move.
fn played_out(position: &Position, search: &mut Search) -> Ownership {
    let board = position.board();
    let mut ownership = Ownership::default();
    let mut rules = *position.rules();
    rules.scoring = Scoring::Area;
    rules.settlement = Settlement::Agreement;
    rules.tax = Tax::None;
    if board.empty_points().len() < board.size().area() {
        for c in Color::BOTH {
            let mut p = Position::from_board(board.clone(), c, rules);
            p.set_komi(position.komi());
            search.clear();
            search.start(&p, PLAYOUTS, 1);
            while !search.wait(std::time::Duration::from_secs(1)) {}
            ownership.merge(&search.totals().ownership);
        }
        search.clear();
    }
    ownership
}

/// A diagram is judged as it stands; players who have played a game fill the dame
/// before they count.
fn dame(position: &Position) -> Dame {
    if position.turns().iter().all(|t| t.mv == Move::Pass) {
        Dame::AsTheyStand
    } else {
        Dame::Filled
    }
}

/// What the confirmation of life and death may cost. In a game that has been
/// played it is little: the playouts leave few chains in doubt.
fn effort(position: &Position, care: Care) -> Effort {
    match (dame(position), care) {
        (Dame::AsTheyStand, Care::Thorough) => Effort::default(),
        (Dame::AsTheyStand, Care::Quick) => Effort {
            first: First::Attacker,
            ..QUICK
        },
        (Dame::Filled, _) => QUICK,
    }
}

/// How much a judgement may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(super) enum Care {
    /// A clock is running.
    Quick,
    /// Somebody asks for it; a diagram gets all the effort that its proofs need.
    Thorough,
}

/// Effort for a game that has been played: the engine's clock may be running.
const QUICK: Effort = Effort {
    nodes: 20_000,
    total: 200_000,
    empty: 14,
    first: First::Owner,
};

/// Living chains with a dame and without territory of two points or more, next
/// to such chains of the opponent, are in seki.
///
/// Chains of one colour that border a common region of territory stand or fall
/// together. A dame that is merely not filled yet must not turn live stones into
/// seki, so chains whose ownership the playouts leave in no doubt, and which have
/// room for two eyes, stay alive.
fn mark_seki(
    position: &Position,
    dead: &[Point],
    chains: &mut [(Vec<Point>, ChainStatus)],
    ownership: &Ownership,
) {
    let (owners, board) = position.owners(dead, |_| false);
    let empty_owner = |p: Point| board.is_empty(p).then(|| owners[p.index()]);
    // A union of chains by shared territory: the representative of each chain.
    let index_of = |p: Point| chains.iter().position(|(stones, _)| stones.contains(&p));
    let n = chains.len();
    let mut parent: Vec<usize> = (0..n).collect();
    fn find(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    let mut seen = [false; POINTS];
    let mut room = vec![0usize; n];
    let mut regions: Vec<(Vec<usize>, usize)> = Vec::new();
    for p in board.size().points() {
        if !matches!(empty_owner(p), Some(Owner::Player(_))) || seen[p.index()] {
            continue;
        }
        let region = board.flood(p, &mut seen, |q| board.is_empty(q));
        let mut borders: Vec<usize> = Vec::new();
        for q in region.iter().flat_map(|p| p.neighbours()) {
            if board.at(q).is_stone()
                && let Some(i) = index_of(q)
                && !borders.contains(&i)
            {
                borders.push(i);
            }
        }
        for pair in borders.windows(2) {
            let (a, b) = (find(&mut parent, pair[0]), find(&mut parent, pair[1]));
            parent[a] = b;
        }
        regions.push((borders, region.len()));
    }
    for (borders, size) in &regions {
        if let Some(&i) = borders.first() {
            let r = find(&mut parent, i);
            room[r] += size;
        }
    }
    // Chains that border dame, and have no room for two eyes.
    let mut cramped = vec![false; n];
    for i in 0..n {
        if chains[i].1 == ChainStatus::Dead {
            continue;
        }
        let borders_dame = chains[i].0.iter().any(|s| {
            s.neighbours()
                .iter()
                .any(|&q| empty_owner(q) == Some(Owner::Nobody))
        });
        let r = find(&mut parent, i);
        cramped[i] = borders_dame && room[r] < 2;
    }
    // Seki needs both sides: cramped chains of both colours around one dame.
    let mut in_seki = vec![false; n];
    for p in board.size().points() {
        if empty_owner(p) != Some(Owner::Nobody) || ownership.playouts() == 0 {
            continue;
        }
        let around: Vec<usize> = p
            .neighbours()
            .iter()
            .filter(|&&q| board.at(q).is_stone())
            .filter_map(|&q| index_of(q))
            .filter(|&i| cramped[i])
            .collect();
        let color = |i: usize| board.at(chains[i].0[0]);
        for &i in &around {
            if around.iter().any(|&j| color(j) != color(i)) {
                in_seki[i] = true;
            }
        }
    }
    for (i, seki) in in_seki.into_iter().enumerate() {
        if seki {
            chains[i].1 = ChainStatus::Seki;
        }
    }
}
