//! The confirmation of life and death (Japanese 1989, Article 7): the status of each chain if its
//! opponent attacks first. The three questions, in this order, follow Jasiek's formalisation
//! (Japanese 2003 rules): uncapturable, capturable-1, capturable-2.

use super::finding::{Finding, First, Life, Procedure};
use super::line::End;
use super::play::Retake;
use super::questions::Questions;
use super::region::{Region, WIDE};
use super::safe::FREE;
use super::superko::{EarlierPosition, Elsewhere};
use super::walls::Walls;
use crate::board::Board;
use crate::types::{Color, Point, PointSet};
use std::cmp::Reverse;
use std::time::Instant;

/// Minimum stones of a chain that counts as dead because it can be captured, whatever follows. The
/// capture of fewer stones may be a sacrifice: up to six fill an eye space to kill what surrounds it.
const LARGE: usize = 7;

/// Limits of a confirmation.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Maximum states for one question about one chain. The line that shows the answer may take
    /// more.
    pub nodes: u64,
    /// Maximum states for all questions about a board.
    pub total: u64,
    /// Maximum empty points of a region that is searched.
    pub empty: u32,
    /// Search between proved walls before the others?
    pub prove: bool,
    /// Deadline. Without one the result does not depend on the speed of the machine.
    pub until: Option<Instant>,
}

impl Default for Effort {
    /// Enough for the examples of the Japanese rules.
    fn default() -> Self {
        Effort {
            nodes: 1_500_000,
            total: 5_000_000,
            empty: 64,
            prove: true,
            until: None,
        }
    }
}

/// Confirm the life or death of every chain that is not a wall.
///
/// With [`Effort::prove`], proved walls bound the play first. Chains that stay unsettled are
/// searched again between certain walls, then between likely ones. Without it, only certain walls
/// are used. Last, large chains that are still unsettled are searched with all stones as walls whose
/// owner is estimated as certain. Chains in regions of too many points stay [`Life::Unsettled`].
/// `earlier` are the boards of the game that superko forbids, each with the player who moved to it.
///
/// ```
/// use ponnuki::adjudicate::{Effort, Hypothetical, Life, Procedure, Safe, confirm};
/// use ponnuki::board::Board;
/// use ponnuki::types::{Color, Point};
///
/// let board = Board::from_diagram(
///     ". . . X O
///      X X X X O
///      O O O O O
///      . . . . .
///      . . . . .",
/// )?;
/// let walls = Safe::of(&board, None).walls();
/// let findings = confirm(&board, &[], &walls, Procedure::ARTICLE_7, Effort::default());
/// let corner = findings.iter().find(|f| f.owner == Color::Black).unwrap();
/// assert_eq!((corner.life, corner.stones.len()), (Life::Dead, 5));
/// // White attacks first, and plays in the middle of the eye space.
/// let vital = (Color::White, Hypothetical::Play(Point::new(1, 4)));
/// assert_eq!(corner.line.first(), Some(&vital));
/// # Ok::<(), ponnuki::board::SetUpError>(())
/// ```
pub fn confirm(
    board: &Board,
    earlier: &[(Color, Board)],
    walls: &Walls,
    how: Procedure,
    effort: Effort,
) -> Vec<Finding> {
    let mut search = Confirmation {
        board,
        earlier,
        walls,
        how,
        effort,
        left: effort.total,
        findings: Vec::new(),
    };
    let in_turn = walls.in_turn(effort.prove);
    for (owner, stones) in board.chains() {
        if !in_turn[0].contains(stones[0]) {
            search.findings.push(Finding {
                stones,
                owner,
                owner_first: how.first.is_owner(owner),
                life: Life::Unsettled,
                line: Vec::new(),
                end: End::Unfinished,
                assumes: false,
                nodes: 0,
            });
        }
    }
    for walls in in_turn {
        search.search(walls);
    }
    search.search_large_chains();
    search.findings
}

struct Confirmation<'a> {
    board: &'a Board,
    earlier: &'a [(Color, Board)],
    walls: &'a Walls,
    how: Procedure,
    effort: Effort,
    left: u64,
    findings: Vec<Finding>,
}

impl Confirmation<'_> {
    /// Regions with unsettled chains, smallest first.
    fn regions(&self, walls: &PointSet) -> Vec<Region> {
        let mut regions: Vec<Region> = Vec::new();
        for f in self.findings.iter().filter(|f| f.life == Life::Unsettled) {
            let p = f.stones[0];
            if !regions.iter().any(|r| r.contains(p)) && !walls.contains(p) {
                let region = self.region(p, walls);
                regions.extend(region.filter(|r| r.empty() <= self.effort.empty));
            }
        }
        regions.sort_by_key(|r| (r.empty(), r.point(0).index()));
        regions
    }

    /// The region around the chain at `p`. It includes proved walls that rely on its points, unless
    /// it then has more than [`WIDE`] empty points.
    fn region(&self, p: Point, walls: &PointSet) -> Option<Region> {
        let region = Region::around(self.board, p, walls)?;
        if *walls != self.walls.proved {
            return Some(region);
        }
        let mut exact = region.clone();
        loop {
            let inside = |q: Point| exact.contains(q);
            let walls = self.walls.relying_elsewhere(inside);
            match Region::around(self.board, p, &walls) {
                Some(wider) if wider.points().len() == exact.points().len() => return Some(exact),
                Some(wider) if wider.empty() <= WIDE => exact = wider,
                _ => return Some(region),
            }
        }
    }

    /// Maximum nodes for a question in a region.
    fn nodes(&self, region: &Region) -> u64 {
        match region.empty() {
            n if n > WIDE => self.effort.nodes / 16,
            _ => self.effort.nodes,
        }
    }

    /// Search the chains that are still unsettled, with these walls.
    fn search(&mut self, walls: &PointSet) {
        for region in self.regions(walls) {
            let nodes = self.nodes(&region);
            let limits = [nodes / 256, nodes / 64, nodes / 16, nodes / 4, nodes];
            let mut found = self.ask(&region, self.how, &limits);
            let confirms = self.how.conduct.retake == Retake::AfterPassForIt;
            // Between walls without a proof, this would rest on too many assumptions.
            if confirms && !self.assumes(walls, &region) {
                self.revive_by_pass(&mut found, &region, &limits);
            }
            if self.how.first.goes_on() {
                self.mark_dead_without_attack(&mut found, &region, &limits);
            }
            self.learn(found, walls, &region);
        }
    }

    /// Ask whether large chains that are still unsettled can be captured, the largest first. Chains
    /// that fall count as the opponent's walls for the others.
    fn search_large_chains(&mut self) {
        let (mut walls, mut fallen) = (self.walls.estimated, PointSet::default());
        let is_open = |f: &Finding| {
            f.life == Life::Unsettled && f.stones.len() >= LARGE && !walls.contains(f.stones[0])
        };
        let all = 0..self.findings.len();
        let mut open: Vec<usize> = all.filter(|&i| is_open(&self.findings[i])).collect();
        open.sort_by_key(|&i| Reverse(self.findings[i].stones.len()));
        for i in open {
            let old = &self.findings[i];
            let region = self.around_large(&old.stones, old.owner, walls, &fallen);
            let Some(region) = region.filter(|r| r.empty() <= self.effort.empty) else {
                continue;
            };
            let nodes = self.nodes(&region);
            let mut questions = self.questions(&region, self.how);
            if let Some(found) = questions.ask_capture(nodes, &mut self.left) {
                let old = &mut self.findings[i];
                walls.extend(&old.stones);
                fallen.extend(&old.stones);
                *old = Finding {
                    stones: std::mem::take(&mut old.stones),
                    assumes: true,
                    nodes: old.nodes + found.nodes,
                    ..found
                };
            }
        }
    }

    /// The region around a large chain of `owner`. Walls of the opponent that have few liberties
    /// outside it belong to it, since the chain may win a race against them.
    fn around_large(
        &self,
        stones: &[Point],
        owner: Color,
        mut walls: PointSet,
        fallen: &PointSet,
    ) -> Option<Region> {
        let (board, certain) = (self.board, &self.walls.certain);
        let mut merged: PointSet = stones.iter().collect();
        loop {
            let region = Region::around_merged(board, stones[0], &walls, &merged, fallen)?;
            let inside = |q: Point| region.contains(q) || merged.contains(q);
            let joins = |chain: &[Point]| {
                let is_shaky = walls.contains(chain[0]) && !certain.contains(chain[0]);
                let mut around = chain.iter().flat_map(|p| p.neighbours());
                let outside = || {
                    let liberties = board.liberties_of(chain.iter().copied());
                    liberties.into_iter().filter(|&q| !inside(q)).count()
                };
                is_shaky && around.any(inside) && outside() < FREE
            };
            let opponents = board.chains().filter(|(c, _)| *c != owner);
            let short: Vec<_> = opponents.filter(|(_, chain)| joins(chain)).collect();
            if short.is_empty() {
                return Some(region);
            }
            for p in short.into_iter().flat_map(|(_, chain)| chain) {
                merged.insert(p);
                walls.remove(p);
            }
        }
    }

    /// Is the region bounded by a wall that is not proved, or that relies on the region's points?
    fn assumes(&self, walls: &PointSet, region: &Region) -> bool {
        let proved = self.walls.relying_elsewhere(|q| region.contains(q));
        let mut adjacent = region.points().iter().flat_map(|p| p.neighbours());
        adjacent.any(|q| !region.contains(q) && walls.contains(q) && !proved.contains(q))
    }

    /// Ask the questions about a region, in one round for each limit of nodes.
    fn ask(&mut self, region: &Region, how: Procedure, limits: &[u64]) -> Vec<Finding> {
        let mut questions = self.questions(region, how);
        questions.ask(limits, &mut self.left);
        questions.findings()
    }

    /// The questions about a region.
    fn questions(&self, region: &Region, how: Procedure) -> Questions {
        let mut earlier: Vec<EarlierPosition> = Vec::new();
        for (by, board) in self.earlier {
            let stones = region.stones_on(board, self.board);
            let position = stones.map(|stones| (*by, stones));
            earlier.extend(position.filter(|position| !earlier.contains(position)));
        }
        let elsewhere = Elsewhere::of(self.board, region, how.conduct);
        Questions::new(region, how, earlier, elsewhere, self.effort.until)
    }

    /// Mark dead chains as alive if their owner can pass first and live: the opponent attacks, and
    /// the capture enables a new stone in their place (Article 7.1, Life-and-Death Example 1). A
    /// new stone elsewhere does not count, since it may result from the extra move that capturing
    /// costs the opponent.
    fn revive_by_pass(&mut self, found: &mut [Finding], region: &Region, limits: &[u64]) {
        let could_pass = |f: &Finding| f.owner_first && f.life == Life::Dead;
        let lives = |f: &Finding| {
            let in_its_place = matches!(f.end, End::NewStone(p) if f.stones.contains(&p));
            f.life.is_alive() == Some(true) && in_its_place
        };
        self.ask_again(found, region, limits, First::Attacker, could_pass, lives);
    }

    /// In a game that goes on, mark chains as dead that even their own first move does not save, though
    /// a capture would let a new stone stand nearby: the opponent need not capture them, and the stone
    /// may result from the move that the capture costs.
    fn mark_dead_without_attack(&mut self, found: &mut [Finding], region: &Region, limits: &[u64]) {
        let by_nearby = |f: &Finding| f.life == Life::NewStoneNearby && !f.owner_first;
        let dead = |f: &Finding| f.life == Life::Dead;
        self.ask_again(found, region, limits, First::Owner, by_nearby, dead);
    }

    /// Search the region again with this player first, if a finding is `doubtful`. Replace each such
    /// finding by the one about the same chain, if that is `decisive`.
    fn ask_again(
        &mut self,
        found: &mut [Finding],
        region: &Region,
        limits: &[u64],
        first: First,
        doubtful: impl Fn(&Finding) -> bool,
        decisive: impl Fn(&Finding) -> bool,
    ) {
        if !found.iter().any(&doubtful) {
            return;
        }
        let how = Procedure { first, ..self.how };
        for other in self.ask(region, how, limits) {
            let same = |f: &&mut Finding| doubtful(f) && f.stones == other.stones;
            if let Some(old) = found.iter_mut().find(same).filter(|_| decisive(&other)) {
                let nodes = old.nodes + other.nodes;
                *old = Finding { nodes, ..other };
            }
        }
    }

    /// Replace findings that are unsettled so far by these, found between these walls.
    fn learn(&mut self, found: Vec<Finding>, walls: &PointSet, region: &Region) {
        let assumes = self.assumes(walls, region);
        for found in found {
            let p = found.stones[0];
            let assumes = assumes && found.life != Life::Unsettled;
            let old = self.findings.iter_mut().find(|f| f.stones.contains(&p));
            if let Some(old) = old.filter(|f| f.life == Life::Unsettled) {
                let nodes = old.nodes + found.nodes;
                *old = Finding {
                    nodes,
                    assumes,
                    ..found
                };
            }
        }
    }
}
