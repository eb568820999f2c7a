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

use super::play::{Retake, State, Step};
use super::region::{Bits, Region};
use crate::types::Color;
use ahash::AHasher;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::time::Instant;

/// What a player tries to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// Capture of a stone of this set by the opponent of its owner.
    Capture {
        /// Owner of the stones.
        owner: Color,
        /// The stones, one chain.
        target: Bits,
    },
    /// Capture of such a stone that does not enable a lasting stone on `local`.
    CaptureForGood {
        /// Owner of the stones.
        owner: Color,
        /// The stones, one chain.
        target: Bits,
        /// Where a new stone would count.
        local: Bits,
    },
    /// A new stone of `owner` on `local` that the opponent cannot capture.
    LastingStone {
        /// Whose stone.
        owner: Color,
        /// Where it counts.
        local: Bits,
    },
}

impl Goal {
    /// Who must reach it.
    fn prover(&self) -> Color {
        match *self {
            Goal::Capture { owner, .. } | Goal::CaptureForGood { owner, .. } => owner.opponent(),
            Goal::LastingStone { owner, .. } => owner,
        }
    }

    fn owner(&self) -> Color {
        match *self {
            Goal::Capture { owner, .. }
            | Goal::CaptureForGood { owner, .. }
            | Goal::LastingStone { owner, .. } => owner,
        }
    }
}

/// Node limit reached: no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsettled;

/// Proof and disproof number, 0 when settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    proof: u32,
    disproof: u32,
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

    fn is_settled(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    numbers: Numbers,
    /// Settled by looking at the state itself: no move needs to be tried.
    terminal: bool,
    on_path: bool,
}

/// Hashing without random keys: every run is the same.
type Hasher = BuildHasherDefault<AHasher>;
type Table = HashMap<State, Entry, Hasher>;
type Set = HashSet<State, Hasher>;

/// A search in one region, with what it has found out so far.
#[derive(Debug)]
pub struct Solver {
    region: Region,
    retake: Retake,
    tables: HashMap<Goal, Table, Hasher>,
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
    pub fn new(region: Region, retake: Retake) -> Solver {
        Solver {
            region,
            retake,
            tables: HashMap::default(),
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
        self.limit = self.nodes + nodes;
        self.search(goal, state, 0)
    }

    /// Prove or disprove, and check a disproof.
    fn search(&mut self, goal: Goal, state: &State, depth: u32) -> Result<bool, Unsettled> {
        loop {
            let numbers = self.look(goal, state, depth)?;
            let numbers = if numbers.is_settled() {
                numbers
            } else {
                self.expand(goal, state, INFINITE, INFINITE, depth)?
            };
            if numbers.proof == 0 {
                return Ok(true);
            }
            if numbers.disproof == 0 && self.is_closed(goal, state, depth)? {
                return Ok(false);
            }
        }
    }

    fn table(&mut self, goal: Goal) -> &mut Table {
        self.tables.entry(goal).or_default()
    }

    fn entry(&self, goal: Goal, state: &State) -> Option<Entry> {
        self.tables.get(&goal)?.get(state).copied()
    }

    /// What is known of a state; if nothing, what it says of itself.
    fn look(&mut self, goal: Goal, state: &State, depth: u32) -> Result<Numbers, Unsettled> {
        if let Some(e) = self.entry(goal, state) {
            return Ok(if e.on_path && !e.numbers.is_settled() {
                Numbers::FAILED
            } else {
                e.numbers
            });
        }
        self.nodes += 1;
        let late =
            self.nodes.is_multiple_of(CLOCK) && self.until.is_some_and(|t| Instant::now() > t);
        if late {
            self.limit = 0;
        }
        if self.nodes > self.limit || depth > DEEPEST {
            return Err(Unsettled);
        }
        let known = self.outcome(goal, state, depth)?;
        let entry = Entry {
            numbers: known.map_or_else(|| self.estimate(goal, state), Numbers::of),
            terminal: known.is_some(),
            on_path: false,
        };
        self.table(goal).insert(*state, entry);
        Ok(entry.numbers)
    }

    /// First guess for a state: the more liberties, the more there is to prove;
    /// the more moves the other side has, the more there is to refute.
    fn estimate(&self, goal: Goal, s: &State) -> Numbers {
        let region = &self.region;
        let empty = s.empty(region);
        let n = empty.count_ones();
        let owner = goal.owner();
        let proof = match goal {
            Goal::Capture { target, .. } | Goal::CaptureForGood { target, .. } => {
                let chain = region.flood(target, s.stones[owner.index()]);
                (region.around_set(chain) & empty).count_ones()
            }
            Goal::LastingStone { .. } => 1,
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
    fn outcome(&mut self, goal: Goal, s: &State, depth: u32) -> Result<Option<bool>, Unsettled> {
        let owner = goal.owner();
        let (own, other) = (s.stones[owner.index()], s.stones[owner.opponent().index()]);
        let region = &self.region;
        if let Goal::Capture { target, .. } | Goal::CaptureForGood { target, .. } = goal
            && target & !own == 0
        {
            if region.pass_alive(owner, own, other) & target != 0 {
                return Ok(Some(false));
            }
            let hostile = region.pass_alive(owner.opponent(), other, own);
            let open = region.open_to(owner, own, hostile);
            let hopeless = open & target == 0;
            // It remains to be seen what its capture enables, unless nothing can.
            return Ok(match goal {
                Goal::Capture { .. } if hopeless => Some(true),
                Goal::CaptureForGood { local, .. } if hopeless && open & local == 0 => Some(true),
                _ => None,
            });
        }
        match goal {
            Goal::Capture { .. } => Ok(Some(true)),
            Goal::CaptureForGood { local, .. } => {
                // Captured, the owner to move: can it get a lasting stone?
                let lasting = Goal::LastingStone { owner, local };
                Ok(Some(!self.search(lasting, s, depth + 1)?))
            }
            Goal::LastingStone { local, .. } => {
                let hostile = region.pass_alive(owner.opponent(), other, own);
                let open = region.open_to(owner, own, hostile);
                if open & local == 0 {
                    return Ok(Some(false));
                }
                let counted = s.fresh & local & own & open;
                if counted == 0 || s.to_move == owner {
                    return Ok(None);
                }
                if region.pass_alive(owner, own, other) & counted != 0 {
                    return Ok(Some(true));
                }
                let bare = State { fresh: 0, ..*s };
                let chains: Vec<Bits> = region
                    .parts(own)
                    .filter(|chain| chain & counted != 0)
                    .collect();
                for chain in chains {
                    let target = chain & chain.wrapping_neg();
                    if !self.search(Goal::Capture { owner, target }, &bare, depth + 1)? {
                        return Ok(Some(true));
                    }
                }
                Ok(None)
            }
        }
    }

    /// Every state that a move leads to, and the move.
    fn children(&self, goal: Goal, s: &State) -> Vec<(Step, State)> {
        let region = &self.region;
        let mut found = Vec::new();
        let keeps_fresh = !matches!(goal, Goal::Capture { .. }) && s.to_move == goal.owner();
        let alive = Color::BOTH.map(|c| {
            let (own, other) = (s.stones[c.index()], s.stones[c.opponent().index()]);
            region.pass_alive(c, own, other)
        });
        // Where one side cannot live and the other is in no danger, there is nothing
        // to play for.
        let mut useful = Color::BOTH.into_iter().fold(s.empty(region), |all, c| {
            all & region.open_to(c, s.stones[c.index()], alive[c.opponent().index()])
        });
        // What is to be captured must still be captured.
        if let Goal::CaptureForGood { owner, target, .. } = goal
            && target & !s.stones[owner.index()] == 0
        {
            let within = region.all() & !alive[owner.opponent().index()];
            useful |= region.flood(target, within) & s.empty(region);
        }
        let mut quiet = Vec::new();
        for bit in super::region::bits(useful) {
            if let Some((mut next, captured)) = s.play(region, self.retake, bit) {
                if keeps_fresh {
                    next.fresh |= 1 << bit;
                }
                let step = (Step::Play(bit), next);
                if captured != 0 {
                    found.push(step);
                } else {
                    quiet.push(step);
                }
            }
        }
        found.extend(quiet);
        let mut waits = false;
        for bit in s.forbidden_kos() {
            match self.retake {
                Retake::AfterPassForIt => {
                    found.push((Step::KoPass(bit), s.pass(self.retake, Some(bit))));
                }
                Retake::AfterAnyMove => waits = true,
            }
        }
        // Passing never helps the prover, since the opponent passes too; except to
        // wait for a ko.
        if waits || s.to_move != goal.prover() {
            found.push((Step::Pass, s.pass(self.retake, None)));
        }
        found
    }

    /// Search below a state until one of its numbers reaches its threshold.
    fn expand(
        &mut self,
        goal: Goal,
        s: &State,
        proof_limit: u32,
        disproof_limit: u32,
        depth: u32,
    ) -> Result<Numbers, Unsettled> {
        let children = self.children(goal, s);
        let proving = s.to_move == goal.prover();
        self.set(goal, s, |e| e.on_path = true);
        let result = self.widen(goal, &children, proving, proof_limit, disproof_limit, depth);
        let numbers = *result.as_ref().unwrap_or(&Numbers::NEW);
        self.set(goal, s, |e| {
            e.on_path = false;
            e.numbers = numbers;
        });
        result
    }

    fn set(&mut self, goal: Goal, s: &State, change: impl FnOnce(&mut Entry)) {
        if let Some(e) = self.table(goal).get_mut(s) {
            change(e);
        }
    }

    fn widen(
        &mut self,
        goal: Goal,
        children: &[(Step, State)],
        proving: bool,
        proof_limit: u32,
        disproof_limit: u32,
        depth: u32,
    ) -> Result<Numbers, Unsettled> {
        loop {
            // From the point of view of the player to move: `least` is the number that
            // it wants to be 0, `sum` the other's.
            let (mut least, mut second, mut sum, mut at) = (INFINITE, INFINITE, 0u32, 0);
            let mut other_of_least = 0;
            for (i, (_, child)) in children.iter().enumerate() {
                let n = self.look(goal, child, depth + 1)?;
                let (mine, theirs) = if proving {
                    (n.proof, n.disproof)
                } else {
                    (n.disproof, n.proof)
                };
                if mine < least {
                    second = least;
                    least = mine;
                    at = i;
                    other_of_least = theirs;
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
            let (mine_limit, theirs_limit) = if proving {
                (proof_limit, disproof_limit)
            } else {
                (disproof_limit, proof_limit)
            };
            if least >= mine_limit || sum >= theirs_limit || least == 0 || sum == 0 {
                return Ok(if proving {
                    Numbers {
                        proof: least,
                        disproof: sum,
                    }
                } else {
                    Numbers {
                        proof: sum,
                        disproof: least,
                    }
                });
            }
            let mine = mine_limit.min(second.saturating_add(second / 4).saturating_add(1));
            let theirs = theirs_limit
                .saturating_sub(sum)
                .saturating_add(other_of_least)
                .min(INFINITE);
            let Some((_, child)) = children.get(at) else {
                return Ok(Numbers::FAILED);
            };
            let (p, d) = if proving {
                (mine, theirs)
            } else {
                (theirs, mine)
            };
            self.expand(goal, child, p, d, depth + 1)?;
        }
    }

    /// Is this failed state within a set of failed states that the prover cannot
    /// leave? If not, what was believed of the states looked at is forgotten.
    fn is_closed(&mut self, goal: Goal, root: &State, depth: u32) -> Result<bool, Unsettled> {
        let mut seen = Set::default();
        let mut open = vec![*root];
        seen.insert(*root);
        let mut sound = true;
        while let Some(s) = open.pop() {
            if self.entry(goal, &s).is_some_and(|e| e.terminal) {
                continue;
            }
            let children = self.children(goal, &s);
            if s.to_move == goal.prover() {
                for (_, child) in children {
                    if !self.fails(goal, &child, depth)? {
                        sound = false;
                        break;
                    }
                    if seen.insert(child) {
                        open.push(child);
                    }
                }
            } else {
                // One answer is enough, best one that is in the set already.
                let known = |e: Option<Entry>| e.is_some_and(|e| e.numbers.disproof == 0);
                let mut answer = children
                    .iter()
                    .map(|c| c.1)
                    .filter(|c| known(self.entry(goal, c)))
                    .max_by_key(|c| seen.contains(c));
                for (_, child) in &children {
                    if answer.is_none() && self.fails(goal, child, depth)? {
                        answer = Some(*child);
                    }
                }
                match answer {
                    Some(child) => {
                        if seen.insert(child) {
                            open.push(child);
                        }
                    }
                    None => sound = false,
                }
            }
            if !sound {
                break;
            }
        }
        if sound {
            return Ok(true);
        }
        for s in &seen {
            self.set(goal, s, |e| {
                if !e.terminal && e.numbers.proof != 0 {
                    e.numbers = Numbers::NEW;
                }
            });
        }
        self.nodes += seen.len() as u64;
        if self.nodes > self.limit {
            return Err(Unsettled);
        }
        Ok(false)
    }

    /// Does the state fail, as far as a search can tell without checking?
    fn fails(&mut self, goal: Goal, s: &State, depth: u32) -> Result<bool, Unsettled> {
        let mut numbers = self.look(goal, s, depth + 1)?;
        if !numbers.is_settled() {
            numbers = self.expand(goal, s, INFINITE, INFINITE, depth + 1)?;
        }
        Ok(numbers.disproof == 0)
    }

    /// A line of best play from a state whose value is known: the prover on the
    /// way to the goal, or the opponent refuting every try.
    pub fn line(&self, goal: Goal, state: &State, most: usize) -> Vec<(Color, Step)> {
        let mut line = Vec::new();
        let mut s = *state;
        let mut seen = Set::default();
        while line.len() < most && seen.insert(s) {
            let Some(e) = self.entry(goal, &s) else { break };
            if e.terminal || !e.numbers.is_settled() {
                break;
            }
            let success = e.numbers.proof == 0;
            let children = self.children(goal, &s);
            let value = |c: &State| self.entry(goal, c).filter(|e| e.numbers.is_settled());
            let agrees = |c: &State| value(c).is_some_and(|e| (e.numbers.proof == 0) == success);
            // The side with a choice takes the quickest way, a settled state; the
            // other one holds out: not a terminal state if there is another.
            let chooses = (s.to_move == goal.prover()) == success;
            let mut fitting: Vec<&(Step, State)> =
                children.iter().filter(|(_, c)| agrees(c)).collect();
            fitting.sort_by_key(|(step, c)| {
                let terminal = value(c).is_some_and(|e| e.terminal);
                (terminal != chooses, *step == Step::Pass)
            });
            let Some((step, next)) = fitting.first() else {
                break;
            };
            line.push((s.to_move, *step));
            s = *next;
        }
        // What a capture enables is a search of its own.
        if let Goal::CaptureForGood {
            owner,
            target,
            local,
        } = goal
            && target & !s.stones[owner.index()] != 0
        {
            let lasting = Goal::LastingStone { owner, local };
            line.extend(self.line(lasting, &s, most.saturating_sub(line.len())));
        }
        line
    }
}
