//! A question about a group: does it live, what kills it, what saves it. Two searches answer it in
//! parallel: proof-number search in the region that decides the group's life, and a tree search
//! with the network on a board where nothing else is open.

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

/// A question about a group.
#[derive(Clone, Debug)]
pub struct Question {
    /// The position. Its player to move moves first.
    pub position: Position,
    /// A point of each chain in question; if empty, the enclosed groups.
    pub chains: Vec<Point>,
    /// Limits of the searches: time for both; visits and playouts for the tree search.
    pub limits: Limits,
    /// Maximum states per question of the proof-number search.
    pub nodes: u64,
    /// Memory for the tables of the proof-number search, in bytes.
    pub memory: usize,
    /// Seed of all random choices.
    pub seed: u64,
}

/// The answer to a [`Question`].
#[derive(Clone, Debug)]
pub struct Solution {
    /// The group and the region that the question was taken to be about.
    pub problem: Problem,
    /// The player who moves first.
    pub first: Color,
    /// The best first move; a pass if nothing is needed or nothing helps.
    pub best: Move,
    /// Findings of the proof-number search with `first` to move.
    pub found: Findings,
    /// Findings of the proof-number search with the opponent to move.
    pub other: Findings,
    /// Report of the tree search on the framed board.
    pub report: AnalysisReport,
    /// If the proof-number search is not enough: reports of searches of the whole board, with
    /// `first` to move and with the opponent to move.
    pub outlook: [Option<AnalysisReport>; 2],
    /// Is the answer proved, if the chains around the region hold?
    pub proved: bool,
}

/// Probability of success below which a player passes.
const HOPELESS: f32 = 0.1;

/// Share of the time for the case that `first` moves first; the rest is for the opponent moving
/// first.
const SHARE: f64 = 0.8;

/// Share of the time for each case spent on finding an answer; the rest is for proving it.
const FINDING: f64 = 0.75;

/// Interval at which a running proof is polled.
const POLL: Duration = Duration::from_millis(2);

/// Find what `first` reaches, then prove it as far as possible.
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

/// Visits with which a tree search can choose among right moves.
const TELLING: u64 = 300;

impl Analyst {
    /// Answer a question about a group. This uses the analyst's main search, whose tree is lost;
    /// [`Analyst::sharing_network`] makes an analyst for it. `None` if there is no group to ask about.
    pub fn solve(&mut self, question: &Question, stop: &AtomicBool) -> Option<Solution> {
        self.solve_reporting(question, stop, &mut |_| ())
    }

    /// [`Analyst::solve`], with a report of the tree search every second.
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
        // If the system refuses the threads, the next question tries again.
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

/// Progress of the proof-number search, for the tree search in parallel.
#[derive(Default)]
struct Progressing {
    done: AtomicBool,
    /// Is a tree search needed to choose among several right moves?
    unclear: AtomicBool,
    /// Was no right move found, nor a proof that there is none?
    open: AtomicBool,
    /// The right moves, if there are several.
    right: Mutex<Vec<Move>>,
}

impl Progressing {
    /// Call [`settle`] and record the result.
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

    /// Has the proof ended without a result that can be used?
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

/// Shares of the time at which attempts on the framed board end. If all seems lost or won, the next
/// attempt has another komi.
const FRAMED: [f64; 2] = [0.24, 0.48];

/// [`FRAMED`] for the whole board.
const AROUND: [f64; 2] = [0.56, 0.8];

/// Maximum distance of first moves from a named group, in king's moves.
const NEAR: u8 = 3;

/// Maximum distance of moves from the nearest stone, in king's moves, if no group was named.
const BESIDE: u8 = 2;

/// Win rates below which all seems lost, and above which all seems won.
const LOST: f32 = 0.1;
const WON: f32 = 0.97;

/// Win rate of the tree search at which its move counts more than unproved findings.
const CONFIDENT: f32 = 0.8;

impl Analyst {
    /// Search the framed board in attempts that end at these shares of the time.
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
        // The group was guessed and may still be proved. Go on here, since the whole board tells
        // less.
        self.attempts(run, &mut request, &[SHARE], state, on_report)
    }

    /// Search the whole board; `None` if that is not needed. A named group may depend on all its
    /// surroundings, so only the first move must be near it. Without a name, the guessed group may
    /// be wrong, so moves near any stone are allowed.
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

    /// Search in attempts that end at these shares of the time, and return the last report. If all
    /// seems lost or won, the komi is shifted so that smaller differences decide.
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
                // Only the right moves are left to choose from.
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

    /// Search until the tree suffices, at most until this share of the time.
    fn attempt(
        &mut self,
        request: &mut AnalysisRequest,
        run: &Run<'_>,
        share: f64,
        state: &Progressing,
        on_report: &mut dyn FnMut(&AnalysisReport),
    ) -> AnalysisReport {
        // A proof that has ended leaves a thread free. If the system refuses it, the search keeps
        // its own.
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

/// Allow a player only these moves, in the first `until_depth` turns.
fn only(player: Color, moves: Vec<Move>, until_depth: usize) -> Restriction {
    Restriction {
        player,
        moves,
        all_but: true,
        until_depth,
    }
}

/// Allow both players only these moves, in the whole search.
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

/// Change the komi so that most of the player's lead or deficit is gone.
fn shift_komi(position: &mut Position, lead: f64) {
    let given = (lead * 0.8 * f64::from(position.to_move().sign())).round();
    let komi = Komi::new(position.komi().points() + given);
    position.set_komi(komi.unwrap_or(position.komi()));
}

/// The right moves: the proved ones or, without any, those that were found.
fn right(found: &Findings) -> &[Point] {
    match found.proved.is_empty() {
        true => &found.right,
        false => &found.proved,
    }
}

/// The quickest of the right moves, or all if none is known to be quickest.
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
        // Nothing helps. But if the group was guessed, an attacker may mean another one.
        let hopeless = likely.is_some_and(|share| share < HOPELESS)
            && (problem.is_named() || player == problem.defender());
        if hopeless || problem.is_named() && idle && report.win_rate < CONFIDENT {
            return Move::Pass;
        }
        let guess = most_visited(problem, report, outlook, |m| idle || !refuted(m));
        // The findings may be worse than what can be reached.
        if let Some(guess) =
            guess.filter(|_| idle || report.win_rate >= CONFIDENT || first.is_none())
        {
            return guess;
        }
    }
    let likely = moves().find(|m| !refuted(m));
    preferred.or(first).or(likely).unwrap_or(Move::Pass)
}

/// Visits with which a search has half of its full vote.
const FEW: u32 = 100;

/// The play that has the largest share of visits in these searches, among moves that `fits`
/// accepts. The opponent's search counts too, since both often want the same point.
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

/// Probability, by the group's ownership, that this player saves or kills the group.
fn share(problem: &Problem, player: Color, report: &AnalysisReport) -> f32 {
    let group = problem.group();
    let total: f32 = group.iter().map(|&p| report.ownership.of(p)).sum();
    0.5 + 0.5 * player.sign() as f32 * total / group.len().max(1) as f32
}

/// The expected result for the player who moves first, in a word.
fn expectation(defends: bool, succeeds: bool) -> &'static str {
    match (defends, succeeds) {
        (true, true) | (false, false) => "lives",
        (true, false) => "dies",
        (false, true) => "kills",
    }
}

/// The findings for the player who moves first, in words.
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
            format!("ko, {first} must find the first of {n} threats")
        }
        Some(Reach::Nothing) if defends => "dies".to_owned(),
        Some(Reach::Nothing) => "lives".to_owned(),
    }
}

/// The first line has the move and the result; then the opponent moving first, the play, the right
/// first moves and the group have a line each.
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
                // With a smaller share, the search disagrees with the findings.
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
    /// The result for the player who moves first, in words.
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

    /// Is the player who moves first expected to succeed? Also returns the probability according to
    /// a search, and its visits. Without a search of the whole board, unproved findings count.
    fn likely(&self) -> (bool, f32, u32) {
        let report = self.outlook[0].as_ref().unwrap_or(&self.report);
        let share = share(&self.problem, self.first, report);
        let succeeds = match (&self.outlook[0], self.found.reach) {
            (None, Some(reach)) => reach != Reach::Nothing,
            _ => share >= 0.5,
        };
        (succeeds, share, report.visits)
    }

    /// The first moves that reach the result: only the proved ones, if any is proved.
    pub fn right_moves(&self) -> &[Point] {
        match self.best {
            Move::Pass => &[],
            Move::Play(_) => right(&self.found),
        }
    }

    /// The result if the opponent moves first: its best move (`None` if it needs none), the result
    /// in words, and whether that is proved.
    pub fn opponents_result(&self) -> (Option<Point>, String, bool) {
        let (found, other) = (&self.other, self.first.opponent());
        let needed = found.pass_works != Some(true);
        // Prefer a point that is right for both players.
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

    /// The line that shows the result, from the best move on: from the proof-number search, or as
    /// the tree search expects it.
    pub fn line(&self) -> Vec<(Color, Move)> {
        if self.found.line.first().map(|m| m.1) == Some(self.best) {
            return self.found.line.clone();
        }
        let expected = self.report.moves.iter().find(|m| m.mv == self.best);
        expected.map_or_else(Vec::new, |m| m.line(self.first).collect())
    }
}

/// The moves that decide the life of an unsettled group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Critical {
    /// Owner of the group.
    pub owner: Color,
    /// Its owner lives by playing here.
    pub saves: Point,
    /// The opponent kills by playing here.
    pub kills: Point,
    /// Are both proved, if the chains around the group hold?
    pub proved: bool,
}

/// Limits of the search for the critical points of a chain: states, time, and bytes.
const CRITICAL: u64 = 200_000;
const CRITICAL_TIME: Duration = Duration::from_secs(2);
const CRITICAL_MEMORY: usize = 256 << 20;

impl Critical {
    /// Find the critical points of the chain at `p`; `None` unless it lives if its owner moves
    /// first and dies if the opponent does. Stones that `hold`, by [`Point::index`], bound the
    /// region; `memory` (in bytes) and `cutoff` limit the search.
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
        // Prefer one point for both.
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
