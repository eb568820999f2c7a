//! The search behind a status: depth-first proof-number search (Nagai 2002) over
//! hypothetical play.
//!
//! Each goal has a *prover*, which must reach it in finitely many moves; endless
//! repetition is a failure. A [`State`] holds everything that matters for the
//! future, so a goal has one value in each state, and a proof never depends on how
//! the state came about. A *dis*proof found by stopping at a repetition may: the
//! repeated state was only assumed to fail. So before a failure is believed, it is
//! checked as a whole ([`Solver::is_closed`]): a set of states that the prover
//! cannot leave and that holds no goal.

use super::goal::{Goal, Question, Verdict};
use super::play::{Conduct, State, Step};
use super::region::{Bits, Region};
use ahash::AHasher;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::time::Instant;

/// Node limit reached: no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsettled;

/// Proof and disproof number, 0 when settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) proof: u32,
    pub(super) disproof: u32,
}

const INFINITE: u32 = 1 << 30;

impl Numbers {
    const NEW: Numbers = Numbers {
        proof: 1,
        disproof: 1,
    };
    const PROVED: Numbers = Numbers {
        proof: 0,
        disproof: INFINITE,
    };
    const FAILED: Numbers = Numbers {
        proof: INFINITE,
        disproof: 0,
    };

    fn of(success: bool) -> Numbers {
        if success {
            Numbers::PROVED
        } else {
            Numbers::FAILED
        }
    }

    pub(super) fn is_settled(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    /// The number that the player to move wants to be 0, and the other one.
    fn of_mover(self, proving: bool) -> (u32, u32) {
        match proving {
            true => (self.proof, self.disproof),
            false => (self.disproof, self.proof),
        }
    }

    fn from_mover(proving: bool, mine: u32, theirs: u32) -> Numbers {
        let (proof, disproof) = match proving {
            true => (mine, theirs),
            false => (theirs, mine),
        };
        Numbers { proof, disproof }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) numbers: Numbers,
    /// Moves to the goal against the longest defence, as far as known when it was
    /// proved: a move of the proof always leads to a smaller one.
    pub(super) distance: u16,
    /// Settled by looking at the state itself: no move needs to be tried.
    pub(super) terminal: bool,
    /// Failed, and checked to be.
    closed: bool,
    on_path: bool,
}

/// Hashing without random keys: every run is the same.
type Hasher = BuildHasherDefault<AHasher>;
type Table = HashMap<State, Entry, Hasher>;
pub(super) type Set = HashSet<State, Hasher>;

/// A goal of this solver: its table is that of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handle {
    pub(super) goal: Goal,
    table: usize,
}

/// A search in one region, with what it has found out so far.
#[derive(Debug)]
pub struct Solver {
    region: Region,
    how: Conduct,
    handles: HashMap<Goal, usize, Hasher>,
    tables: Vec<Table>,
    nodes: u64,
    limit: u64,
    until: Option<Instant>,
}

/// Nodes between two looks at the clock.
const CLOCK: u64 = 1024;

/// Deepest line; beyond it the search gives up.
const DEEPEST: u32 = 400;

impl Solver {
    /// A solver for this region.
    pub fn new(region: Region, how: Conduct) -> Solver {
        Solver {
            region,
            how,
            handles: HashMap::default(),
            tables: Vec::new(),
            nodes: 0,
            limit: 0,
            until: None,
        }
    }

    /// A solver that gives up at this time: a last stop, the nodes being what limits it.
    pub fn until(self, until: Option<Instant>) -> Solver {
        Solver { until, ..self }
    }

    /// The region.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// States looked at so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Can the prover reach the goal from this state? Searches at most this many more
    /// nodes.
    ///
    /// # Errors
    /// [`Unsettled`] if they do not suffice. What has been found is kept.
    pub fn solve(&mut self, goal: Goal, state: &State, nodes: u64) -> Result<bool, Unsettled> {
        self.allow(nodes);
        let handle = self.handle(goal);
        let found = self.search(handle, state, 0);
        if found.is_err() {
            // Searches that were given up half way.
            for table in &mut self.tables {
                table.values_mut().for_each(|e| e.on_path = false);
            }
        }
        found
    }

    /// The table of a goal, made if it is new.
    pub(super) fn handle(&mut self, goal: Goal) -> Handle {
        let next = self.tables.len();
        let table = *self.handles.entry(goal).or_insert(next);
        if table == next {
            self.tables.push(Table::default());
        }
        Handle { goal, table }
    }

    /// Forget what is known of a goal.
    pub fn forget(&mut self, goal: Goal) {
        if let Some(&table) = self.handles.get(&goal) {
            self.tables[table] = Table::default();
        }
    }

    pub(super) fn question(&self, at: Handle) -> Question<'_> {
        Question {
            region: &self.region,
            how: self.how,
            goal: at.goal,
        }
    }

    /// Every state that a move leads to, and the move.
    pub(super) fn children(&self, at: Handle, s: &State) -> Vec<(Step, State)> {
        self.question(at).children(s)
    }

    /// Prove or disprove, and check a disproof.
    fn search(&mut self, at: Handle, state: &State, depth: u32) -> Result<bool, Unsettled> {
        loop {
            let numbers = self.look(at, state, depth)?;
            let numbers = if numbers.is_settled() {
                numbers
            } else {
                self.expand(at, state, INFINITE, INFINITE, depth)?
            };
            if numbers.proof == 0 {
                return Ok(true);
            }
            if numbers.disproof == 0 && self.is_closed(at, state, depth)? {
                return Ok(false);
            }
        }
    }

    pub(super) fn entry(&self, at: Handle, state: &State) -> Option<Entry> {
        self.tables[at.table].get(state).copied()
    }

    /// Let the next search look at so many nodes.
    pub(super) fn allow(&mut self, nodes: u64) {
        self.limit = self.nodes + nodes;
    }

    /// Count nodes that were looked at.
    ///
    /// # Errors
    /// [`Unsettled`] if there are too many.
    pub(super) fn spend(&mut self, nodes: u64) -> Result<(), Unsettled> {
        self.nodes += nodes;
        let late =
            self.nodes.is_multiple_of(CLOCK) && self.until.is_some_and(|t| Instant::now() > t);
        if late {
            self.limit = 0;
        }
        if self.nodes > self.limit {
            return Err(Unsettled);
        }
        Ok(())
    }

    /// What is known of a state; if nothing, what it says of itself.
    fn look(&mut self, at: Handle, state: &State, depth: u32) -> Result<Numbers, Unsettled> {
        if let Some(e) = self.entry(at, state) {
            return Ok(if e.on_path && !e.numbers.is_settled() {
                Numbers::FAILED
            } else {
                e.numbers
            });
        }
        self.spend(1)?;
        if depth > DEEPEST {
            return Err(Unsettled);
        }
        let known = self.outcome(at, state, depth)?;
        let entry = Entry {
            numbers: known.map_or_else(|| self.estimate(at.goal, state), Numbers::of),
            distance: 0,
            terminal: known.is_some(),
            closed: known == Some(false),
            on_path: false,
        };
        self.tables[at.table].insert(*state, entry);
        Ok(entry.numbers)
    }

    /// First guess for a state: the more liberties, the more there is to prove;
    /// the more moves the other side has, the more there is to refute.
    fn estimate(&self, goal: Goal, s: &State) -> Numbers {
        let region = &self.region;
        let empty = s.empty(region);
        let n = empty.count_ones();
        let proof = match goal.standing_target(s) {
            0 => 1,
            target => {
                let chain = region.flood(target, s.stones[goal.owner().index()]);
                (region.around_set(chain) & empty).count_ones()
            }
        };
        if s.to_move == goal.prover() {
            Numbers {
                proof: proof.max(1),
                disproof: n.max(1),
            }
        } else {
            Numbers {
                proof: proof + n,
                disproof: 1,
            }
        }
    }

    /// Whether the state settles the goal without a move: success or failure of
    /// the prover.
    fn outcome(&mut self, at: Handle, s: &State, depth: u32) -> Result<Option<bool>, Unsettled> {
        let goal = at.goal;
        let owner = goal.owner();
        Ok(match self.question(at).verdict(s) {
            Verdict::Settled(reached) => Some(reached),
            Verdict::Open => None,
            Verdict::Captured => {
                // The owner to move: can it get a lasting stone?
                let local = goal.local();
                let lasting = self.handle(Goal::LastingStone { owner, local });
                Some(!self.search(lasting, s, depth + 1)?)
            }
            Verdict::MayLast(new) => {
                let wins = goal.prover() == owner;
                self.lasting(s, goal, new, depth)?.map(|_| wins)
            }
        })
    }

    /// The first of the chains with a stone of `new` that the opponent, to move,
    /// cannot capture.
    pub(super) fn lasting(
        &mut self,
        s: &State,
        goal: Goal,
        new: Bits,
        depth: u32,
    ) -> Result<Option<Bits>, Unsettled> {
        let owner = goal.owner();
        let bare = State { fresh: 0, ..*s };
        let stones = s.stones[owner.index()];
        let chains: Vec<Bits> = self.region.parts(stones).filter(|c| c & new != 0).collect();
        for chain in chains {
            let target = chain & chain.wrapping_neg();
            let capture = self.handle(Goal::Capture { owner, target });
            if !self.search(capture, &bare, depth + 1)? {
                return Ok(Some(chain));
            }
        }
        Ok(None)
    }

    /// Search below a state until one of its numbers reaches its threshold.
    fn expand(
        &mut self,
        at: Handle,
        s: &State,
        proof_limit: u32,
        disproof_limit: u32,
        depth: u32,
    ) -> Result<Numbers, Unsettled> {
        let children = self.children(at, s);
        let proving = s.to_move == at.goal.prover();
        self.set(at, s, |e| e.on_path = true);
        let (mine, theirs) = match proving {
            true => (proof_limit, disproof_limit),
            false => (disproof_limit, proof_limit),
        };
        let numbers = self.widen(at, &children, proving, (mine, theirs), depth)?;
        let distance = match numbers.proof {
            0 => self.distance(at, &children, proving),
            _ => 0,
        };
        self.set(at, s, |e| {
            e.on_path = false;
            e.numbers = numbers;
            e.distance = distance;
        });
        Ok(numbers)
    }

    /// Moves to the goal from a state that has been proved.
    fn distance(&self, at: Handle, children: &[(Step, State)], proving: bool) -> u16 {
        let entries = children.iter().filter_map(|(_, c)| self.entry(at, c));
        let proved = entries.filter(|e| e.numbers.proof == 0).map(|e| e.distance);
        let best = match proving {
            true => proved.min(),
            false => proved.max(),
        };
        best.unwrap_or(0).saturating_add(1)
    }

    pub(super) fn set(&mut self, at: Handle, s: &State, change: impl FnOnce(&mut Entry)) {
        if let Some(e) = self.tables[at.table].get_mut(s) {
            change(e);
        }
    }

    /// Choose among the children of a state, again and again, until one of its
    /// numbers reaches its limit: the one that the player to move wants to be 0, or
    /// the other.
    fn widen(
        &mut self,
        at: Handle,
        children: &[(Step, State)],
        proving: bool,
        limits: (u32, u32),
        depth: u32,
    ) -> Result<Numbers, Unsettled> {
        loop {
            let (mut least, mut second, mut sum) = (INFINITE, INFINITE, 0u32);
            let mut best = None;
            for (_, child) in children {
                let (mine, theirs) = self.look(at, child, depth + 1)?.of_mover(proving);
                if mine < least {
                    second = least;
                    least = mine;
                    best = Some((child, theirs));
                } else if mine < second {
                    second = mine;
                }
                sum = sum.saturating_add(theirs).min(INFINITE);
                if least == 0 {
                    break;
                }
            }
            if least == 0 {
                sum = INFINITE;
            }
            let done = least >= limits.0 || sum >= limits.1 || least == 0 || sum == 0;
            let Some((child, theirs_of_least)) = best.filter(|_| !done) else {
                return Ok(Numbers::from_mover(proving, least, sum));
            };
            let mine = limits
                .0
                .min(second.saturating_add(second / 4).saturating_add(1));
            let theirs = limits
                .1
                .saturating_sub(sum)
                .saturating_add(theirs_of_least)
                .min(INFINITE);
            let below = Numbers::from_mover(proving, mine, theirs);
            self.expand(at, child, below.proof, below.disproof, depth + 1)?;
        }
    }

    /// Does the state fail, as far as a search can tell without checking?
    fn fails(&mut self, at: Handle, s: &State, depth: u32) -> Result<bool, Unsettled> {
        let mut numbers = self.look(at, s, depth + 1)?;
        if !numbers.is_settled() {
            numbers = self.expand(at, s, INFINITE, INFINITE, depth + 1)?;
        }
        Ok(numbers.disproof == 0)
    }

    /// Is this failed state within a set of failed states that the prover cannot
    /// leave? If not, what was believed of the states looked at is forgotten.
    fn is_closed(&mut self, at: Handle, root: &State, depth: u32) -> Result<bool, Unsettled> {
        let mut seen = Set::default();
        let mut open = vec![*root];
        seen.insert(*root);
        let mut sound = true;
        while let Some(s) = open.pop()
            && sound
        {
            if self.entry(at, &s).is_some_and(|e| e.closed) {
                continue;
            }
            self.spend(1)?;
            let children = self.children(at, &s);
            if s.to_move == at.goal.prover() {
                for (_, child) in children {
                    if !self.fails(at, &child, depth)? {
                        sound = false;
                        break;
                    }
                    if seen.insert(child) {
                        open.push(child);
                    }
                }
            } else {
                match self.answer(at, &children, &seen, depth)? {
                    Some(child) => {
                        if seen.insert(child) {
                            open.push(child);
                        }
                    }
                    None => sound = false,
                }
            }
        }
        for s in &seen {
            self.set(at, s, |e| {
                if sound {
                    e.closed = true;
                } else if !e.closed && e.numbers.proof != 0 {
                    e.numbers = Numbers::NEW;
                }
            });
        }
        Ok(sound)
    }

    /// A child that fails: one answer of the opponent is enough, best one that is in
    /// the set already.
    fn answer(
        &mut self,
        at: Handle,
        children: &[(Step, State)],
        seen: &Set,
        depth: u32,
    ) -> Result<Option<State>, Unsettled> {
        let fails = |e: Option<Entry>| e.is_some_and(|e| e.numbers.disproof == 0);
        let known = children
            .iter()
            .map(|c| c.1)
            .filter(|c| fails(self.entry(at, c)))
            .max_by_key(|c| {
                (
                    self.entry(at, c).is_some_and(|e| e.closed),
                    seen.contains(c),
                )
            });
        if known.is_some() {
            return Ok(known);
        }
        for (_, child) in children {
            if self.fails(at, child, depth)? {
                return Ok(Some(*child));
            }
        }
        Ok(None)
    }
}
