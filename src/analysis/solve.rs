//! A question about a group: does it live, what kills it, what saves it. Two searches answer
//! it side by side: proof-number search in the region that decides it, and a tree search with
//! the network on a board on which nothing else is open.

use super::frame::{Frame, nearest};
use super::{AnalysisReport, AnalysisRequest, Analyst, Limits, Observer};
use crate::adjudicate::{Bounds, Cutoff, Findings, Problem, Reach};
use crate::position::Position;
use crate::search::Restriction;
use crate::types::{Color, Komi, Move, Point};
use crate::util::{HAS_THREADS, locked, spaced};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// The position, with the player who moves first.
    pub position: Position,
    /// A point of each chain in question; without any the enclosed groups.
    pub chains: Vec<Point>,
    /// What ends the searches. Time bounds both, visits and playouts that of the tree.
    pub limits: Limits,
    /// Most states of the proof-number search for one question.
    pub nodes: u64,
    /// Most bytes of its tables.
    pub memory: usize,
    /// Seed of all random choices.
    pub seed: u64,
}

/// The answer.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The problem as it was understood.
    pub problem: Problem,
    /// The player who moves first.
    pub first: Color,
    /// The best first move; a pass if nothing is needed or nothing helps.
    pub best: Move,
    /// What was proved with `first` to move.
    pub found: Findings,
    /// What was proved with the opponent to move.
    pub other: Findings,
    /// What the tree search says, best move first.
    pub report: AnalysisReport,
    /// Without a proof: searches of the whole board with each player moving first, `first` before
    /// the opponent.
    pub outlook: [Option<AnalysisReport>; 2],
    /// Is the answer proved, if the chains around the region hold?
    pub proved: bool,
}

/// Probability of success below which a player had better pass.
const HOPELESS: f32 = 0.1;

/// Share of the time for the question who moves first; the rest is for the opponent's.
const SHARE: f64 = 0.8;

/// Share of the time for a question after which what was found is proved.
const FINDING: f64 = 0.75;

/// How often a proof is asked whether it has ended.
const POLL: Duration = Duration::from_millis(2);

/// Work out what `first` reaches, then prove it as far as possible.
fn settle(problem: &Problem, first: Color, [found_by, proved_by]: [&Bounds; 2]) -> Findings {
    let mut found = problem.solve(first, found_by);
    problem.prove(first, &mut found, proved_by);
    found
}

/// Prove and search at the same time; without threads, one after the other. Once `stop` is set, the
/// proof on another thread is halted.
fn side_by_side<T>(
    prove: impl FnOnce() -> Findings + Send,
    search: impl FnOnce() -> T,
    [stop, halt]: [&AtomicBool; 2],
) -> (Findings, T) {
    if !HAS_THREADS {
        return (prove(), search());
    }
    std::thread::scope(|scope| {
        let proof = scope.spawn(prove);
        let searched = search();
        while !proof.is_finished() {
            if stop.load(Relaxed) {
                halt.store(true, Relaxed);
            }
            std::thread::sleep(POLL);
        }
        (proof.join().unwrap_or_default(), searched)
    })
}

/// Visits that tell right moves apart.
const TELLING: u64 = 300;

impl Analyst {
    /// Answer a question about a group. The searches are its own: those of requests, and
    /// their trees, stay as they are. `None` if the board has no stone to ask about.
    pub fn solve(&mut self, question: &Question, stop: &AtomicBool) -> Option<Solution> {
        self.solve_reporting(question, stop, &mut |_| ())
    }

    /// The same. Every second it tells how far it has come.
    pub fn solve_reporting(
        &mut self,
        question: &Question,
        stop: &AtomicBool,
        on_report: &mut dyn FnMut(&AnalysisReport),
    ) -> Option<Solution> {
        let begun = Instant::now();
        let position = &question.position;
        let first = position.to_move();
        let problem = Problem::find(position.board(), first, &question.chains)?;
        self.prepare(position.size());
        let time = question.limits.time;
        let halt = Arc::new(AtomicBool::new(false));
        let bounds = |share: f64| Bounds {
            nodes: question.nodes,
            memory: question.memory,
            cutoff: Cutoff {
                until: time.map(|t| begun + t.mul_f64(share)),
                stop: Some(halt.clone()),
            },
        };
        // The proofs and searches of a system without threads share the time.
        let proving = if HAS_THREADS { 1.0 } else { 0.5 };
        let (found_by, proved_by) = (bounds(SHARE * proving * FINDING), bounds(SHARE * proving));
        let frame = Frame::of(position.board(), &problem, first);
        let state = Progressing::default();
        let run = Run {
            question,
            problem: &problem,
            begun,
            stop,
            threads: self.resources.threads,
        };
        let prove = || state.settle(&problem, first, [&found_by, &proved_by]);
        let search = || {
            let framed = match problem.is_searched() {
                true => &FRAMED[..],
                false => &FRAMED[..1],
            };
            let report = self.search_frame(&run, frame, framed, &state, on_report);
            let now = self.look_around(&run, first, &AROUND, &state, on_report);
            (report, now)
        };
        let (found, (report, now)) = side_by_side(prove, search, [stop, &halt]);
        let left = (1.0 - SHARE) * proving;
        let (found_by, proved_by) = (bounds(SHARE + left * FINDING), bounds(SHARE + left));
        let state = Progressing::default();
        let opponent = first.opponent();
        let prove = || state.settle(&problem, opponent, [&found_by, &proved_by]);
        let search = || match now {
            Some(_) if problem.is_named() => {
                self.look_around(&run, opponent, &[1.0], &state, on_report)
            }
            _ => None,
        };
        let (other, later) = side_by_side(prove, search, [stop, &halt]);
        // If the system refuses, the next question tries again.
        let _ = self.use_threads(run.threads);
        let outlook = [now, later];
        let best = best(&problem, &found, &report, &outlook);
        Some(Solution {
            proved: proved(&found, best),
            problem,
            first,
            best,
            found,
            other,
            report,
            outlook,
        })
    }
}

/// A question that is being answered.
struct Run<'a> {
    question: &'a Question,
    problem: &'a Problem,
    begun: Instant,
    stop: &'a AtomicBool,
    /// Threads of the tree search.
    threads: usize,
}

/// How far the proof-number search has come, for the tree search beside it.
#[derive(Default)]
struct Progressing {
    done: AtomicBool,
    /// Is a tree search wanted, to choose among moves or because nothing was found?
    unclear: AtomicBool,
    /// Was nothing found?
    open: AtomicBool,
    /// The right moves, if there are several.
    right: Mutex<Vec<Move>>,
}

impl Progressing {
    /// Work out what `first` reaches, and note the end.
    fn settle(&self, problem: &Problem, first: Color, by: [&Bounds; 2]) -> Findings {
        let found = settle(problem, first, by);
        self.end(&found);
        found
    }

    fn end(&self, found: &Findings) {
        let choice = choice(found);
        let several = found.reach.is_some() && choice.len() > 1;
        self.unclear.store(several, Relaxed);
        if several {
            *locked(&self.right) = choice.iter().copied().map(Move::Play).collect();
        }
        let open = matches!(found.reach, None | Some(Reach::Nothing)) && choice.is_empty();
        self.open.store(open && !found.nothing_proved, Relaxed);
        self.done.store(true, Relaxed);
    }

    /// The right moves to choose from, if there are several.
    fn right(&self) -> Vec<Move> {
        locked(&self.right).clone()
    }

    /// Has the proof ended without finding anything?
    fn failed(&self) -> bool {
        self.done.load(Relaxed) && self.open.load(Relaxed)
    }

    /// Is a tree search of `playouts` enough?
    fn suffices(&self, playouts: u64) -> bool {
        let wanted = match self.unclear.load(Relaxed) {
            true => TELLING,
            false => 0,
        };
        self.done.load(Relaxed) && !self.open.load(Relaxed) && playouts >= wanted
    }
}

/// Shares of the time at whose ends the search of the framed board, if it sees no difference,
/// starts again with another komi.
const FRAMED: [f64; 2] = [0.24, 0.48];

/// The same for a search of the whole board.
const AROUND: [f64; 2] = [0.56, 0.8];

/// Distance from a group, in king's moves, of a first move that is about it.
const NEAR: u8 = 3;

/// Distance from all stones, in king's moves, of the moves of a problem.
const BESIDE: u8 = 2;

/// Win rates from which all seems lost or won.
const LOST: f32 = 0.1;
const WON: f32 = 0.97;

/// Win rate from which a move of the tree search counts more than a ko that is proved.
const CONFIDENT: f32 = 0.8;

impl Analyst {
    /// Search the framed board until each of these shares of the time.
    fn search_frame(
        &mut self,
        run: &Run<'_>,
        frame: Frame,
        shares: &[f64],
        state: &Progressing,
        on_report: &mut dyn FnMut(&AnalysisReport),
    ) -> AnalysisReport {
        let points = frame.open.iter().copied().map(Move::Play);
        let allowed: Vec<Move> = points.chain([Move::Pass]).collect();
        let mut request = run.request(frame.position, only_ever(&allowed));
        let report = self.attempts(run, &mut request, shares, state, on_report);
        let ends = state.failed() || state.suffices(report.playouts) || run.stop.load(Relaxed);
        if run.problem.is_named() || ends || request.limits.time.is_none() {
            return report;
        }
        // A guess that may still be proved: the whole board tells less than this one.
        self.attempts(run, &mut request, &[SHARE], state, on_report)
    }

    /// Search the whole board, where nothing is proved. A named group depends on all that surrounds
    /// it, so only the first move must be near it. Where none was named the group and its region
    /// may have been guessed wrong, so moves near any stone count.
    fn look_around(
        &mut self,
        run: &Run<'_>,
        first: Color,
        shares: &[f64],
        state: &Progressing,
        on_report: &mut dyn FnMut(&AnalysisReport),
    ) -> Option<AnalysisReport> {
        let time = run.question.limits.time;
        let late = time.is_some_and(|t| run.begun.elapsed() > t.mul_f64(AROUND[0]));
        let is_named = run.problem.is_named();
        let settled = state.suffices(u64::MAX) || !is_named && (late || !state.failed());
        if settled || run.stop.load(Relaxed) {
            return None;
        }
        let mut position = run.question.position.clone();
        position.set_to_move(first);
        let board = position.board();
        let points = board.size().points().filter(|p| board.is_empty(*p));
        let near = |around: &[Point], most: u8| -> Vec<Move> {
            let near = points.filter(|p| nearest(*p, around) <= most);
            near.map(Move::Play).chain([Move::Pass]).collect()
        };
        let restrictions = match is_named {
            true => vec![only(first, near(run.problem.group(), NEAR), 1)],
            false => {
                let stones: Vec<Point> = board.stones().map(|s| s.1).collect();
                only_ever(&near(&stones, BESIDE))
            }
        };
        let mut request = run.request(position, restrictions);
        Some(self.attempts(run, &mut request, shares, state, on_report))
    }

    /// Search until each of these shares of the time. Where all is lost or won at its komi, that is
    /// moved, so that smaller differences decide.
    fn attempts(
        &mut self,
        run: &Run<'_>,
        request: &mut AnalysisRequest,
        shares: &[f64],
        state: &Progressing,
        on_report: &mut dyn FnMut(&AnalysisReport),
    ) -> AnalysisReport {
        let mut report = None;
        for (i, &share) in shares.iter().enumerate() {
            let next = self.attempt(request, run, share, state, on_report);
            let extreme = !(LOST..=WON).contains(&next.win_rate);
            let lead = next.score.lead;
            let stopped = run.stop.load(Relaxed);
            let enough = state.suffices(next.playouts) || stopped;
            report = Some(next);
            let right = state.right();
            if stopped || run.question.limits.time.is_none() || enough && right.is_empty() {
                break;
            }
            if !right.is_empty() {
                // These alone are left to choose from.
                let first = request.position.to_move();
                request.restrictions.retain(|r| r.until_depth > 1);
                request.restrictions.push(only(first, right, 1));
            }
            if extreme {
                shift_komi(&mut request.position, lead);
            } else if enough && i > 0 {
                break;
            }
        }
        report.unwrap_or_else(|| self.report(request))
    }

    /// Search until the tree suffices or this share of the time has gone by.
    fn attempt(
        &mut self,
        request: &mut AnalysisRequest,
        run: &Run<'_>,
        share: f64,
        state: &Progressing,
        on_report: &mut dyn FnMut(&AnalysisReport),
    ) -> AnalysisReport {
        // The thread of a proof that has ended is free. Without another, this search uses its own.
        let spare = usize::from(state.done.load(Relaxed) && run.question.limits.time.is_some());
        let _ = self.use_threads(run.threads + spare);
        let end = |t: Duration| t.mul_f64(share).saturating_sub(run.begun.elapsed());
        request.limits.time = run.question.limits.time.map(end);
        let mut watcher = Observer {
            interval: Some(Duration::from_secs(1)),
            first: Some(Duration::from_secs(1)),
            on_report,
            enough: &mut |progress| state.suffices(progress.playouts()),
        };
        self.run(request, run.stop, &mut watcher)
    }
}

/// Allow a player these moves alone, until this many turns from the root.
fn only(player: Color, moves: Vec<Move>, until_depth: usize) -> Restriction {
    Restriction {
        player,
        moves,
        all_but: true,
        until_depth,
    }
}

/// Allow both players these moves alone, in the whole search.
fn only_ever(moves: &[Move]) -> Vec<Restriction> {
    let both = Color::BOTH.map(|c| only(c, moves.to_vec(), usize::MAX));
    both.to_vec()
}

impl Run<'_> {
    fn request(&self, position: Position, restrictions: Vec<Restriction>) -> AnalysisRequest {
        AnalysisRequest {
            limits: self.question.limits,
            restrictions,
            seed: self.question.seed,
            ..AnalysisRequest::new(position)
        }
    }
}

/// Give away most of a lead of the player to move, or get back most of a deficit.
fn shift_komi(position: &mut Position, lead: f64) {
    let given = (lead * 0.8 * f64::from(position.to_move().sign())).round();
    let komi = Komi::new(position.komi().points() + given);
    position.set_komi(komi.unwrap_or(position.komi()));
}

/// The right moves: those that are proved, or else those that were found.
fn right(found: &Findings) -> &[Point] {
    match found.proved.is_empty() {
        true => &found.right,
        false => &found.proved,
    }
}

/// The quickest of the right moves.
fn choice(found: &Findings) -> Vec<Point> {
    let moves = right(found);
    let quickest = moves.iter().filter(|p| found.quickest.contains(p));
    let quickest: Vec<Point> = quickest.copied().collect();
    match quickest.is_empty() {
        true => moves.to_vec(),
        false => quickest,
    }
}

/// Is the answer with this first move proved?
fn proved(found: &Findings, best: Move) -> bool {
    match best {
        Move::Pass => found.pass_proved || found.nothing_proved,
        Move::Play(p) => found.proved.contains(&p) && !found.pass_proved,
    }
}

/// The best first move.
fn best(
    problem: &Problem,
    found: &Findings,
    report: &AnalysisReport,
    outlook: &[Option<AnalysisReport>; 2],
) -> Move {
    let moves = || report.moves.iter().map(|m| m.mv);
    if found.pass_proved || found.nothing_proved {
        return Move::Pass;
    }
    let choice = choice(found);
    let right = |m: &Move| m.point().is_some_and(|p| choice.contains(&p));
    let preferred = moves().find(right);
    let first = choice.first().map(|&p| Move::Play(p));
    if !found.proved.is_empty() {
        return preferred.or(first).unwrap_or(Move::Pass);
    }
    let refuted = |m: &Move| m.point().is_some_and(|p| found.wrong.contains(&p));
    let idle = found.pass_works == Some(true) || found.reach == Some(Reach::Nothing);
    if idle || found.reach.is_none() {
        let player = report.color;
        let likely = outlook[0].as_ref().map(|r| share(problem, player, r));
        // Nothing helps. If the group was guessed, though, an attacker may mean another one.
        let hopeless = likely.is_some_and(|share| share < HOPELESS)
            && (problem.is_named() || player == problem.defender());
        if hopeless || problem.is_named() && idle && report.win_rate < CONFIDENT {
            return Move::Pass;
        }
        let guess = most_visited(problem, report, outlook, |m| idle || !refuted(m));
        // What was found may be less than what can be reached.
        if let Some(guess) =
            guess.filter(|_| idle || report.win_rate >= CONFIDENT || first.is_none())
        {
            return guess;
        }
    }
    let likely = moves().find(|m| !refuted(m));
    preferred.or(first).or(likely).unwrap_or(Move::Pass)
}

/// Visits of a search that has half a vote.
const FEW: u32 = 100;

/// The move, other than a pass, that has the largest share of the visits of these searches. What
/// is vital to the opponent counts, too.
fn most_visited(
    problem: &Problem,
    framed: &AnalysisReport,
    outlook: &[Option<AnalysisReport>; 2],
    fits: impl Fn(&Move) -> bool,
) -> Option<Move> {
    let weight = match (problem.is_named(), problem.is_searched()) {
        (false, _) => 1.0,
        (true, true) => 0.5,
        (true, false) => 0.0,
    };
    let [now, later] = outlook.each_ref().map(Option::as_ref);
    let weight = if now.is_some() { weight } else { 1.0 };
    let votes = [(Some(framed), weight), (now, 1.0), (later, 0.5)];
    let total = |m: &Move| -> f64 {
        let share = |r: &AnalysisReport| {
            let known = r.moves.iter().find(|known| known.mv == *m);
            f64::from(known.map_or(0, |m| m.visits)) / f64::from(r.visits + FEW)
        };
        let votes = votes
            .iter()
            .filter_map(|(r, weight)| Some(weight * share((*r)?)));
        votes.sum()
    };
    let known = [Some(framed), now].into_iter().flatten();
    let plays = known.flat_map(|r| &r.moves).map(|m| m.mv);
    let plays = plays.filter(|m| *m != Move::Pass && fits(m));
    plays.max_by(|a, b| total(a).total_cmp(&total(b)))
}

/// By the ownership of the group: the probability that this player saves or kills it.
fn share(problem: &Problem, player: Color, report: &AnalysisReport) -> f32 {
    let group = problem.group();
    let total: f32 = group.iter().map(|&p| report.ownership.of(p)).sum();
    0.5 + 0.5 * player.sign() as f32 * total / group.len().max(1) as f32
}

/// By the words of a game: what is expected of a player who moves first.
fn expectation(defends: bool, succeeds: bool) -> &'static str {
    match (defends, succeeds) {
        (true, true) | (false, false) => "lives",
        (true, false) => "dies",
        (false, true) => "kills",
    }
}

/// By the words of a game: what a player who moves first reaches.
fn in_words(found: &Findings, first: Color, defender: Color) -> String {
    let defends = first == defender;
    let verb = match (defends, found.wins_race, found.seki) {
        (true, true, _) => "wins the race",
        (true, false, true) => "seki",
        (true, false, false) => "lives",
        (false, ..) => "kills",
    };
    let idle = found.pass_works == Some(true);
    match found.reach {
        None => "not settled".to_owned(),
        Some(Reach::Outright) if idle && defends => "lives already".to_owned(),
        Some(Reach::Outright) if idle => "dead already".to_owned(),
        Some(Reach::Outright) => verb.to_owned(),
        Some(Reach::KoTheyThreaten) => {
            let other = first.opponent();
            format!("ko, {other} must find the first threat")
        }
        Some(Reach::KoMustThreaten(1)) => format!("ko, {first} must find the first threat"),
        Some(Reach::KoMustThreaten(n)) => {
            format!("ko, {first} must find the first threat and {n} in all")
        }
        Some(Reach::Nothing) if defends => "dies".to_owned(),
        Some(Reach::Nothing) => "lives".to_owned(),
    }
}

/// The move and the result on the first line, then a line each for the opponent moving first,
/// the play, the right first moves and the group.
impl std::fmt::Display for Solution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let defender = self.problem.defender();
        let best = match self.best {
            Move::Pass => "pass".to_owned(),
            Move::Play(p) => p.to_string(),
        };
        let words = self.result();
        match self.proved {
            true => writeln!(f, "{best} {words}; proved if the stones around hold")?,
            false => {
                let (succeeds, share, visits) = self.likely();
                let share = if succeeds { share } else { 1.0 - share };
                let but = match self.best {
                    Move::Play(_) if !succeeds => " is best, but the group",
                    _ => "",
                };
                write!(f, "{best}{but} {words}; estimated")?;
                // A smaller share is of a search that disagrees.
                if share >= 0.5 {
                    write!(f, " with {:.0} %", 100.0 * share)?;
                }
                writeln!(f, " after {visits} visits")?;
            }
        }
        let other = self.first.opponent();
        let (reply, words, sure) = self.opponents_result();
        let reply = reply.map_or_else(String::new, |p| format!("{p} "));
        let sure = match (sure, self.other.reach) {
            (false, Some(_)) => ", estimated",
            (false, None) if self.outlook[1].is_some() => ", estimated",
            _ => "",
        };
        writeln!(f, "{other} first: {reply}{words}{sure}")?;
        let line: Vec<String> = self
            .line()
            .iter()
            .map(|(c, m)| format!("{c} {m}"))
            .collect();
        if !line.is_empty() {
            writeln!(f, "Line: {}", line.join(", "))?;
        }
        let moves = self.best != Move::Pass && !self.found.proved.is_empty();
        if self.proved && moves {
            writeln!(f, "Right: {}", spaced(&self.found.proved))?;
        }
        write!(
            f,
            "Group: {defender} {}; decided on {} points",
            spaced(self.problem.group()),
            self.problem.points().len()
        )
    }
}

impl Solution {
    /// What the player who moves first reaches, in the words of a game.
    pub fn result(&self) -> String {
        let defender = self.problem.defender();
        let (succeeds, ..) = self.likely();
        let found = in_words(&self.found, self.first, defender);
        match (self.proved, self.best, self.found.reach) {
            (true, ..) => found,
            (false, Move::Pass, Some(reach)) if (reach != Reach::Nothing) == succeeds => found,
            _ => expectation(self.first == defender, succeeds).to_owned(),
        }
    }

    /// Is the player who moves first expected to reach something? With the probability by a search
    /// and its visits. What was found with assumptions counts if no search was made in doubt of it.
    fn likely(&self) -> (bool, f32, u32) {
        let report = self.outlook[0].as_ref().unwrap_or(&self.report);
        let share = share(&self.problem, self.first, report);
        let succeeds = match (&self.outlook[0], self.found.reach) {
            (None, Some(reach)) => reach != Reach::Nothing,
            _ => share >= 0.5,
        };
        (succeeds, share, report.visits)
    }

    /// The first moves that reach it; those alone that are proved, if the answer is.
    pub fn right_moves(&self) -> &[Point] {
        match self.best {
            Move::Pass => &[],
            Move::Play(_) => right(&self.found),
        }
    }

    /// The opponent's best first move, if it needs one; what it reaches; and is that proved?
    pub fn opponents_result(&self) -> (Option<Point>, String, bool) {
        let (found, other) = (&self.other, self.first.opponent());
        let needed = found.pass_works != Some(true);
        // The same point for both players, if it can be.
        let same = self.best.point().filter(|p| right(found).contains(p));
        let reply = same.or(choice(found).first().copied());
        let reply = reply.filter(|_| needed);
        let proved = !found.proved.is_empty() && needed;
        let proved = proved || found.pass_proved || found.nothing_proved;
        let defender = self.problem.defender();
        if !proved && let Some(report) = &self.outlook[1] {
            let share = share(&self.problem, other, report);
            let words = expectation(other == defender, share >= 0.5).to_owned();
            let likely = report.moves.first().and_then(|m| m.mv.point());
            return (reply.or(likely).filter(|_| share >= 0.5), words, false);
        }
        let words = in_words(found, other, defender);
        (reply, words, proved)
    }

    /// The play after which the result can be seen, from the best move on: that of the proof,
    /// or what the tree search expects.
    pub fn line(&self) -> Vec<(Color, Move)> {
        if self.found.line.first().map(|m| m.1) == Some(self.best) {
            return self.found.line.clone();
        }
        let expected = self.report.moves.iter().find(|m| m.mv == self.best);
        expected.map_or_else(Vec::new, |m| m.line(self.first).collect())
    }
}

/// The moves on which the life of an unsettled group turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Critical {
    /// Whose group it is.
    pub owner: Color,
    /// Its owner lives by playing here.
    pub saves: Point,
    /// The opponent kills by playing here.
    pub kills: Point,
    /// Are both proved, if the chains around it hold?
    pub proved: bool,
}

/// States and time for the critical point of a chain.
const CRITICAL: u64 = 200_000;
const CRITICAL_TIME: Duration = Duration::from_secs(2);
const CRITICAL_MEMORY: usize = 256 << 20;

impl Critical {
    /// The critical points of the chain at `p`, if it lives if its owner moves first, and dies
    /// if the opponent does. Chains with stones that `hold`, by [`Point::index`], bound the
    /// search, and so do the bytes of `memory` and the cutoff.
    pub fn of(
        position: &Position,
        p: Point,
        hold: &[bool],
        memory: usize,
        cutoff: &Cutoff,
    ) -> Option<Critical> {
        let board = position.board();
        let owner = board.at(p).color()?;
        let problem = Problem::within(board, owner, &[p], hold)?;
        let begun = Instant::now();
        let bounds = |share: f64| {
            let until = begun + CRITICAL_TIME.mul_f64(share);
            Bounds {
                nodes: CRITICAL,
                memory: memory.min(CRITICAL_MEMORY),
                cutoff: Cutoff {
                    until: Some(cutoff.until.map_or(until, |t| t.min(until))),
                    stop: cutoff.stop.clone(),
                },
            }
        };
        let outright = |first: Color, found_by: f64, proved_by: f64| {
            let found = settle(&problem, first, [&bounds(found_by), &bounds(proved_by)]);
            let needed = found.pass_works == Some(false);
            let reached = found.reach == Some(Reach::Outright) && needed;
            let proved = !found.proved.is_empty();
            let moves = choice(&found);
            (reached && !moves.is_empty()).then_some((moves, right(&found).to_vec(), proved))
        };
        let (saving, all_saving, saved) = outright(owner, 0.3, 0.5)?;
        let (killing, all_killing, killed) = outright(owner.opponent(), 0.8, 1.0)?;
        // Best one point for both.
        let same = all_saving.iter().find(|p| all_killing.contains(p));
        let saves = *same.or(saving.first())?;
        let kills = *same.or(killing.first())?;
        Some(Critical {
            owner,
            saves,
            kills,
            proved: saved && killed,
        })
    }
}

/// `lives if Black plays D19, dies if White does`
impl std::fmt::Display for Critical {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (owner, other) = (self.owner, self.owner.opponent());
        write!(f, "lives if {owner} plays {}, dies if {other} ", self.saves)?;
        match self.saves == self.kills {
            true => f.write_str("does"),
            false => write!(f, "plays {}", self.kills),
        }
    }
}
