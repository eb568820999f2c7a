//! The search behind a status: depth-first proof-number search (Nagai 2002) over
//! hypothetical play.
//!
//! Each goal has a *prover*, who must reach it in finitely many moves. Endless repetition is a
//! failure. A [`State`] holds all that later play depends on, so a goal has one value in each
//! state, and a proof never depends on the path to the state. A *dis*proof that stops at a
//! repetition may depend on it, because the repeated state was only assumed to fail. So each
//! failure is checked ([`Solver::is_closed`]): the state must belong to a set of states that the
//! prover cannot leave and none of which reaches the goal.

mod closed;
mod estimate;
mod limits;
mod numbers;
mod repeats;
mod simulate;

pub use limits::Cutoff;

use super::goal::Goal;
use super::play::{Conduct, Hasher, Retake, State, Step};
use super::pursuit::{Outlook, Pursuit};
use super::region::{Bits, Region};
use super::superko::{EarlierPosition, History};
use crate::types::Color;
use limits::Allowance;
use numbers::{INFINITE, LARGEST, Numbers};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::time::Instant;

/// No answer: a limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsettled;

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) numbers: Numbers,
    /// Moves to the goal against the longest defence, as known when the state was proved. Each move
    /// of the proof reduces it.
    pub(super) distance: u16,
    /// Is the state settled without trying a move?
    pub(super) terminal: bool,
    /// Is it checked that the state fails ([`Solver::is_closed`])?
    closed: bool,
    on_path: bool,
    /// Start and count of the state's children in [`Table::children`]. The count is 0 until they
    /// have been examined.
    children: (u32, u16),
}

impl Entry {
    /// The state's numbers for the running search. A state on the search's path repeats, so it
    /// fails.
    fn seen(self) -> Numbers {
        match self.on_path && !self.numbers.is_settled() {
            true => Numbers::FAILED,
            false => self.numbers,
        }
    }
}

pub(super) type Set = HashSet<State, Hasher>;

/// The index of a state in [`Table::states`] and [`Table::entries`].
type StateId = u32;

/// The results for the states of a goal.
#[derive(Debug, Default)]
struct Table {
    ids: HashMap<State, StateId, Hasher>,
    states: Vec<State>,
    entries: Vec<Entry>,
    /// The children of all states.
    children: Vec<StateId>,
}

/// A goal and the index of its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Handle {
    pub(super) goal: Goal,
    table: usize,
}

/// A search in one region, with its results so far.
#[derive(Debug)]
pub struct Solver {
    region: Region,
    how: Conduct,
    handles: HashMap<Goal, usize, Hasher>,
    tables: Vec<Table>,
    /// States visited.
    nodes: Allowance,
    /// Calls of [`Solver::expand`].
    steps: Allowance,
    cutoff: Cutoff,
    /// Positions of the game so far. The one in which hypothetical play begins may be among them.
    earlier: Vec<EarlierPosition>,
    /// Paths to states; only under superko.
    history: Option<RefCell<History>>,
    /// Approximate size of the tables, in bytes.
    bytes: usize,
    /// Maximum size of the tables, in bytes.
    memory: usize,
    /// See [`Solver::with_shortcuts`].
    shortcuts: bool,
}

/// Bytes of a state in a table, of a child, and of a path to a state, including spare capacity.
/// Measured tables of 0.2 to 3 million states, with 1.5 children each, take 170 to 240 bytes a
/// state.
const STATE: usize = 200;
const CHILD: usize = 8;
const PATH: usize = 120;

/// Default maximum bytes of a solver's tables, enough for 2.5 million states. A search that needs
/// more gives up.
const MEMORY: usize = 512 << 20;

/// Maximum steps per allowed node. Where states repeat, their numbers may go back and forth without
/// a new node.
const STEPS: u64 = 16;

/// Maximum points of a room that is too small to live in even if superko forbids some captures.
const TINY_ROOM: u32 = 2;

/// Maximum depth, beyond which the search gives up.
const DEEPEST: u32 = 400;

impl Table {
    fn children_of(&self, (first, count): (u32, u16)) -> &[StateId] {
        &self.children[first as usize..][..usize::from(count)]
    }
}

impl Solver {
    /// Create a solver for a region.
    pub fn new(region: Region, how: Conduct) -> Solver {
        Solver {
            region,
            how,
            handles: HashMap::default(),
            tables: Vec::new(),
            nodes: Allowance::default(),
            steps: Allowance::default(),
            cutoff: Cutoff::default(),
            earlier: Vec::new(),
            history: None,
            bytes: 0,
            memory: MEMORY,
            shortcuts: false,
        }
    }

    /// Try each refutation against the other moves, estimate the first numbers of captures by
    /// features, and skip moves and parts of the region that gain nothing. Use this for problems,
    /// not for judging: with passes for a ko, it changed one judgement of a game for an unknown
    /// reason.
    pub fn with_shortcuts(self) -> Solver {
        debug_assert!(self.how.retake == Retake::AfterAnyMove);
        Solver {
            shortcuts: true,
            ..self
        }
    }

    /// Set the positions of the game in the region so far.
    pub fn with_earlier(mut self, earlier: Vec<EarlierPosition>) -> Solver {
        if earlier
            .iter()
            .any(|(_, stones)| *stones != self.region.stones)
        {
            // Superko may forbid captures that the attacker needs, so less room may suffice to
            // live.
            self.region.too_small = [TINY_ROOM; 2];
        }
        Solver { earlier, ..self }
    }

    /// The positions of the game in the region so far.
    pub(super) fn earlier(&self) -> &[EarlierPosition] {
        &self.earlier
    }

    /// A solver for the same play in which these players obey superko. A position then has a state
    /// for each path to it, so use this only for answers that depend on superko.
    pub fn by_superko(&self, obey: [bool; 2]) -> Solver {
        let history = History::of(self.how.ko, obey, &self.earlier);
        Solver {
            history: Some(RefCell::new(history)),
            ..Solver::new(self.region.clone(), self.how)
                .with_earlier(self.earlier.clone())
                .cut_off(self.cutoff.clone())
        }
    }

    /// The state with which hypothetical play begins, while the game `goes_on` or after its stop.
    pub fn begin(&self, s: &State, goes_on: bool) -> State {
        match &self.history {
            Some(history) => history.borrow_mut().begin(s, goes_on),
            None => *s,
        }
    }

    /// Give up at this time; `None` sets no limit.
    pub fn until(self, until: Option<Instant>) -> Solver {
        let stop = None;
        self.cut_off(Cutoff { until, stop })
    }

    /// Give up when this cutoff is reached.
    pub fn cut_off(self, cutoff: Cutoff) -> Solver {
        Solver { cutoff, ..self }
    }

    /// Limit the tables to `memory` bytes.
    pub fn within(self, memory: usize) -> Solver {
        Solver { memory, ..self }
    }

    /// Change the limit that [`Solver::within`] sets.
    pub fn set_memory(&mut self, memory: usize) {
        self.memory = memory;
    }

    /// Approximate size of the tables, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The region of the search.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Number of states visited so far.
    pub fn nodes(&self) -> u64 {
        self.nodes.used
    }

    /// Can the prover reach the goal from this state? Visits at most `nodes` further states.
    ///
    /// # Errors
    /// [`Unsettled`] if this limit, or another of the solver, is reached. Results so far are kept.
    pub fn solve(&mut self, goal: Goal, state: &State, nodes: u64) -> Result<bool, Unsettled> {
        self.allow(if self.cutoff.is_reached() { 0 } else { nodes });
        let handle = self.handle(goal);
        let found = self.search(handle, state, 0);
        if found.is_err() {
            // Clear the path of the search, which gave up.
            for table in &mut self.tables {
                table.entries.iter_mut().for_each(|e| e.on_path = false);
            }
        }
        found
    }

    /// The handle of a goal. A new goal gets a table.
    pub(super) fn handle(&mut self, goal: Goal) -> Handle {
        let next = self.tables.len();
        let table = *self.handles.entry(goal).or_insert(next);
        if table == next {
            self.tables.push(Table::default());
        }
        Handle { goal, table }
    }

    pub(super) fn pursuit(&self, at: Handle) -> Pursuit<'_> {
        Pursuit {
            region: &self.region,
            how: self.how,
            goal: at.goal,
            history: self.history.as_ref(),
            shortcuts: self.shortcuts,
        }
    }

    /// All moves that can matter, each with the state after it.
    pub(super) fn children(&self, at: Handle, s: &State) -> Vec<(Step, State)> {
        self.pursuit(at).children(s)
    }

    /// Prove or disprove that the prover reaches the goal, and check a disproof.
    pub(super) fn search(
        &mut self,
        at: Handle,
        state: &State,
        depth: u32,
    ) -> Result<bool, Unsettled> {
        loop {
            let numbers = self.settled(at, state, depth)?;
            if numbers.proof == 0 {
                return Ok(true);
            }
            if numbers.disproof == 0 && self.is_closed(at, state, depth)? {
                return Ok(false);
            }
        }
    }

    /// Search a state until its numbers are settled. Does not check a disproof.
    fn settled(&mut self, at: Handle, s: &State, depth: u32) -> Result<Numbers, Unsettled> {
        let id = self.id_of(at, s, depth)?;
        let numbers = self.tables[at.table].entries[id as usize].seen();
        match numbers.is_settled() {
            true => Ok(numbers),
            false => self.expand(at, id, (INFINITE, INFINITE), depth),
        }
    }

    /// Can the prover reach the goal? `None` unless that is proved, or disproved and checked.
    pub(super) fn known(&self, at: Handle, state: &State) -> Option<bool> {
        let entry = self.entry(at, state)?;
        match entry.numbers.proof {
            0 => Some(true),
            _ if entry.closed => Some(false),
            _ => None,
        }
    }

    pub(super) fn entry(&self, at: Handle, state: &State) -> Option<Entry> {
        let table = &self.tables[at.table];
        let id = *table.ids.get(state)?;
        Some(table.entries[id as usize])
    }

    /// Let the next search visit `nodes` states.
    pub(super) fn allow(&mut self, nodes: u64) {
        self.nodes.allow(nodes);
        self.steps.allow(nodes.saturating_mul(STEPS));
    }

    /// Count a node.
    ///
    /// # Errors
    /// [`Unsettled`] if there are too many, no memory is left, or the cutoff is reached.
    pub(super) fn spend(&mut self) -> Result<(), Unsettled> {
        self.nodes.spend(&self.cutoff)?;
        match self.bytes > self.memory {
            true => Err(Unsettled),
            false => Ok(()),
        }
    }

    /// The index of a state. A new state is assessed and put into the table.
    fn id_of(&mut self, at: Handle, state: &State, depth: u32) -> Result<StateId, Unsettled> {
        if let Some(&id) = self.tables[at.table].ids.get(state) {
            return Ok(id);
        }
        self.spend()?;
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
            children: (0, 0),
        };
        let table = &mut self.tables[at.table];
        let id = table.entries.len() as StateId;
        table.ids.insert(*state, id);
        table.states.push(*state);
        table.entries.push(entry);
        self.bytes += STATE + self.history.as_ref().map_or(0, |_| PATH);
        Ok(id)
    }

    /// Initial numbers of a state.
    fn estimate(&self, goal: Goal, s: &State) -> Numbers {
        let is_capture = goal.prover() != goal.owner();
        match self.shortcuts && is_capture {
            true => estimate::by_features(&self.region, goal, s),
            false => estimate::by_liberties(&self.region, goal, s),
        }
    }

    /// Is it settled, before any move, whether the prover succeeds? `None` if moves must be tried.
    fn outcome(&mut self, at: Handle, s: &State, depth: u32) -> Result<Option<bool>, Unsettled> {
        let goal = at.goal;
        let owner = goal.owner();
        Ok(match self.pursuit(at).outlook(s) {
            Outlook::Settled(reached) => Some(reached),
            Outlook::Open => None,
            Outlook::Captured => {
                // The owner is to move: can it get a lasting stone?
                let lasting = self.handle(goal.lasting());
                Some(!self.search(lasting, s, depth + 1)?)
            }
            Outlook::MayLast(new) => {
                let wins = goal.prover() == owner;
                self.lasting(s, goal, new, depth)?.map(|_| wins)
            }
        })
    }

    /// The first chain with a stone of `new` that the opponent, who is to move, cannot capture.
    pub(super) fn lasting(
        &mut self,
        s: &State,
        goal: Goal,
        new: Bits,
        depth: u32,
    ) -> Result<Option<Bits>, Unsettled> {
        let bare = State { fresh: 0, ..*s };
        for chain in self.chains_with(s, goal.owner(), new) {
            let capture = self.handle(Goal::capture(goal.owner(), chain));
            if !self.search(capture, &bare, depth + 1)? {
                return Ok(Some(chain));
            }
        }
        Ok(None)
    }

    /// The chains of a player with one of these stones.
    pub(super) fn chains_with(&self, s: &State, owner: Color, stones: Bits) -> Vec<Bits> {
        let chains = self.region.parts(s.stones[owner.index()]);
        chains.filter(|c| c & stones != 0).collect()
    }

    /// Search below a state until its proof or its disproof number reaches its threshold.
    fn expand(
        &mut self,
        at: Handle,
        id: StateId,
        thresholds: (u32, u32),
        depth: u32,
    ) -> Result<Numbers, Unsettled> {
        self.steps.spend(&self.cutoff)?;
        let s = self.tables[at.table].states[id as usize];
        let proving = s.to_move == at.goal.prover();
        self.tables[at.table].entries[id as usize].on_path = true;
        if self.tables[at.table].entries[id as usize].children.1 == 0 {
            let found = self.expand_children(at, &s, proving, depth)?;
            self.tables[at.table].entries[id as usize].children = found;
        }
        let children = self.tables[at.table].entries[id as usize].children;
        let thresholds = match proving {
            true => thresholds,
            false => (thresholds.1, thresholds.0),
        };
        let numbers = self.search_children(at, children, proving, thresholds, depth)?;
        let distance = match numbers.proof {
            0 => self.distance(at, children, proving),
            _ => 0,
        };
        let entry = &mut self.tables[at.table].entries[id as usize];
        entry.on_path = false;
        entry.numbers = numbers;
        entry.distance = distance;
        Ok(numbers)
    }

    /// Examine the children of a state. If the player to move wins in one, keep only that one,
    /// since it settles the state. Returns their start and count in [`Table::children`].
    fn expand_children(
        &mut self,
        at: Handle,
        s: &State,
        proving: bool,
        depth: u32,
    ) -> Result<(u32, u16), Unsettled> {
        let mut ids = Vec::new();
        for (_, child) in self.children(at, s) {
            let id = self.id_of(at, &child, depth + 1)?;
            let entry = self.tables[at.table].entries[id as usize];
            if entry.seen().of_mover(proving).0 == 0 && !entry.on_path {
                ids = vec![id];
                break;
            }
            ids.push(id);
        }
        let children = &mut self.tables[at.table].children;
        let first = children.len() as u32;
        children.extend(&ids);
        self.bytes += CHILD * ids.len();
        Ok((first, ids.len() as u16))
    }

    /// Moves to the goal from a state that has been proved.
    fn distance(&self, at: Handle, children: (u32, u16), proving: bool) -> u16 {
        let table = &self.tables[at.table];
        let ids = table.children_of(children).iter();
        let entries = ids.map(|&id| table.entries[id as usize]);
        let proved = entries.filter(|e| e.numbers.proof == 0).map(|e| e.distance);
        let best = match proving {
            true => proved.min(),
            false => proved.max(),
        };
        best.unwrap_or(0).saturating_add(1)
    }

    pub(super) fn set(&mut self, at: Handle, s: &State, change: impl FnOnce(&mut Entry)) {
        let table = &mut self.tables[at.table];
        if let Some(&id) = table.ids.get(s) {
            change(&mut table.entries[id as usize]);
        }
    }

    /// Expand the best child of a state repeatedly until one of the state's numbers reaches its
    /// threshold. The first threshold is for the number that the player to move wants to be 0, the
    /// second for the other.
    ///
    /// The best child is searched until its number exceeds that of the second best by a quarter,
    /// so that the search rarely changes between children (Pawlewicz and Lew 2007, 1 + ε trick).
    fn search_children(
        &mut self,
        at: Handle,
        children: (u32, u16),
        proving: bool,
        thresholds: (u32, u32),
        depth: u32,
    ) -> Result<Numbers, Unsettled> {
        loop {
            let (mut least, mut second, mut sum) = (INFINITE, INFINITE, 0u32);
            let mut best = None;
            let table = &self.tables[at.table];
            for &id in table.children_of(children) {
                let entry = table.entries[id as usize];
                let (mine, theirs) = entry.seen().of_mover(proving);
                if mine < least {
                    second = least;
                    least = mine;
                    best = Some((id, theirs));
                } else if mine < second {
                    second = mine;
                }
                sum = sum.saturating_add(theirs).min(LARGEST);
                if least == 0 {
                    break;
                }
            }
            if least == 0 {
                sum = INFINITE;
            }
            let done = least >= thresholds.0 || sum >= thresholds.1 || least == 0 || sum == 0;
            let Some((child, theirs_of_least)) = best.filter(|_| !done) else {
                return Ok(Numbers::from_mover(proving, least, sum));
            };
            let mine = thresholds
                .0
                .min(second.saturating_add(second / 4).saturating_add(1));
            let theirs = thresholds
                .1
                .saturating_sub(sum)
                .saturating_add(theirs_of_least)
                .min(INFINITE);
            let below = Numbers::from_mover(proving, mine, theirs);
            let found = self.expand(at, child, (below.proof, below.disproof), depth + 1)?;
            if found.of_mover(proving).1 == 0 {
                self.simulate_siblings(at, children, child, depth)?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::play::CONDUCTS;
    use super::super::region::{Side, bits};
    use super::*;

    #[test]
    fn a_search_without_memory_for_its_tables_is_given_up() {
        let room: Vec<(i32, i32)> = (0..12).map(|i| (i % 4, i / 4)).collect();
        let region = Region::bare(&room, |(x, y)| match x < 0 || y < 0 {
            true => Side::Edge,
            false => Side::Hostile,
        });
        let goal = Goal::LastingStone {
            owner: Color::Black,
            local: region.all(),
        };
        let start = State::start(&region, Color::Black);
        let lives = |memory| {
            let firsts = bits(start.empty(&region)).map(|bit| {
                let mut solver = Solver::new(region.clone(), CONDUCTS[0]);
                solver.memory = memory;
                let (mut next, _) = start.play(&region, CONDUCTS[0], bit).unwrap();
                next.fresh = 1 << bit;
                let found = solver.solve(goal, &next, 1_000_000);
                assert!(found.is_err() || solver.bytes <= memory);
                found
            });
            firsts.collect::<Result<Vec<bool>, Unsettled>>()
        };
        assert_eq!(lives(10 * STATE), Err(Unsettled));
        assert!(lives(MEMORY).is_ok());
    }
}
