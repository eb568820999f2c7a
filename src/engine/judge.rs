//! The judgement at the end of a game: one value that the pass decision,
//! `final_status_list` and `final_score` all read.

use crate::playout::Ownership;
use crate::position::{Owner, Position, Score};
use crate::rules::{Scoring, Settlement};
use crate::search::Search;
use crate::tactics::pass_alive;
use crate::types::{Color, Point};

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
    /// Of which stones: the hash of the board.
    pub(super) board_hash: u64,
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
    /// take no stone off, none is dead.
    pub fn of(position: &Position, search: &mut Search) -> Judgement {
        let board = position.board();
        let size = board.size();
        let mut ownership = Ownership::default();
        let mut rules = *position.rules();
        rules.scoring = Scoring::Area;
        rules.settlement = Settlement::Agreement;
        let play_out = position.rules().settlement == Settlement::PlayOut;
        let any_stones = board.empty_points().len() < size.area();
        if any_stones {
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
        let benson = Color::BOTH.map(|c| pass_alive(board, c));
        let mut dead = Vec::new();
        let mut chains: Vec<(Vec<Point>, ChainStatus)> = Vec::new();
        for p in size.points() {
            let Some(c) = board.at(p).color() else {
                continue;
            };
            if board.chain(p) != p {
                continue;
            }
            let stones: Vec<Point> = board.chain_stones(p).collect();
            let mean = c.sign() as f32 * stones.iter().map(|&s| ownership.of(s)).sum::<f32>()
                / stones.len() as f32;
            let is_dead = if play_out || benson[c.index()].0[p.index()] {
                false
            } else if benson[c.opponent().index()].1[p.index()] {
                true
            } else {
                mean < DEAD_BELOW
            };
            if is_dead {
                dead.extend(&stones);
            }
            let status = if is_dead {
                ChainStatus::Dead
            } else {
                ChainStatus::Alive
            };
            chains.push((stones, status));
        }
        mark_seki(position, &dead, &mut chains, &ownership);
        let mut judgement = Judgement {
            chains,
            score: position.score(&dead, |_| false),
            owners: Vec::new(),
            ownership,
            board_hash: board.hash(),
        };
        judgement.recount(position);
        judgement
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
        self.score = position.score(&dead, |p| seki.contains(&p));
        self.owners = position.owners(&dead, |p| seki.contains(&p)).0;
    }

    /// Every chain of the board with its status.
    pub fn chains(&self) -> &[(Vec<Point>, ChainStatus)] {
        &self.chains
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
    let mut seen = std::collections::HashSet::new();
    let mut room = vec![0usize; n];
    let mut regions: Vec<(Vec<usize>, usize)> = Vec::new();
    for p in board.size().points() {
        if !matches!(empty_owner(p), Some(Owner::Player(_))) || !seen.insert(p) {
            continue;
        }
        let mut region = vec![p];
        let mut borders: Vec<usize> = Vec::new();
        let mut next = 0;
        while next < region.len() {
            for q in region[next].neighbours() {
                if board.is_empty(q) {
                    if seen.insert(q) {
                        region.push(q);
                    }
                } else if board.at(q).is_stone()
                    && let Some(i) = index_of(q)
                    && !borders.contains(&i)
                {
                    borders.push(i);
                }
            }
            next += 1;
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
