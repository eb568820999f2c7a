//! A question about a group: does it live, what kills it, what saves it. Two searches answer
//! it side by side: proof-number search in the region that decides it, and a tree search with
//! the network on a board on which nothing else is open.

use super::frame::Frame;
use super::{AnalysisReport, AnalysisRequest, Analyst, Limits, Observer};
use crate::adjudicate::{Bounds, Cutoff, Findings, Problem, Reach};
use crate::position::Position;
use crate::search::Restriction;
use crate::types::{Color, Komi, Move, Point};
use crate::util::{locked, spaced};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::ScopedJoinHandle;
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
    /// Is the answer proved, if the chains around the region hold?
    pub proved: bool,
}

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

/// What a proof has found. Once `stop` is set it ends early.
fn until_stopped(
    proof: ScopedJoinHandle<'_, Findings>,
    stop: &AtomicBool,
    halt: &AtomicBool,
) -> Findings {
    while !proof.is_finished() {
        if stop.load(Relaxed) {
            halt.store(true, Relaxed);
        }
        std::thread::sleep(POLL);
    }
    proof.join().unwrap_or_default()
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
        tell: &mut dyn FnMut(&AnalysisReport),
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
        let (found_by, proved_by) = (bounds(SHARE * FINDING), bounds(SHARE));
        let frame = Frame::of(position.board(), &problem, first);
        let state = Progressing::default();
        let (found, report) = std::thread::scope(|scope| {
            let proof = scope.spawn(|| {
                let found = settle(&problem, first, [&found_by, &proved_by]);
                state.end(&found);
                found
            });
            let report = self.search_frame(question, frame, begun, &state, stop, tell);
            (until_stopped(proof, stop, &halt), report)
        });
        let left = 1.0 - SHARE;
        let (found_by, proved_by) = (bounds(SHARE + left * FINDING), bounds(1.0));
        let other = std::thread::scope(|scope| {
            let proof = scope.spawn(|| settle(&problem, first.opponent(), [&found_by, &proved_by]));
            until_stopped(proof, stop, &halt)
        });
        let best = best(&problem, &found, &report);
        Some(Solution {
            proved: proved(&found, best),
            problem,
            first,
            best,
            found,
            other,
            report,
        })
    }
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

    /// Is a tree search of `playouts` enough?
    fn suffices(&self, playouts: u64) -> bool {
        let wanted = match self.unclear.load(Relaxed) {
            true => TELLING,
            false => 0,
        };
        self.done.load(Relaxed) && !self.open.load(Relaxed) && playouts >= wanted
    }
}

/// Shares of the time after which a search that sees no difference starts again with
/// another komi.
const ATTEMPTS: [f64; 3] = [0.3, 0.3, 0.4];

/// Win rates from which all seems lost or won.
const LOST: f32 = 0.1;
const WON: f32 = 0.97;

/// Win rate from which a move of the tree search counts more than a ko that is proved.
const CONFIDENT: f32 = 0.8;

impl Analyst {
    /// Search the framed board. Where all is lost or won at its komi, that is moved, so that
    /// smaller differences decide.
    fn search_frame(
        &mut self,
        question: &Question,
        frame: Frame,
        begun: Instant,
        state: &Progressing,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&AnalysisReport),
    ) -> AnalysisReport {
        let points = frame.open.iter().copied().map(Move::Play);
        let allowed: Vec<Move> = points.chain([Move::Pass]).collect();
        let restrict = |player| Restriction {
            player,
            moves: allowed.clone(),
            all_but: true,
            until_depth: usize::MAX,
        };
        let mut request = AnalysisRequest {
            limits: question.limits,
            restrictions: Color::BOTH.map(restrict).to_vec(),
            seed: question.seed,
            ..AnalysisRequest::new(frame.position)
        };
        let mut share = 0.0;
        let mut report = None;
        for (i, part) in ATTEMPTS.into_iter().enumerate() {
            share += SHARE * part;
            let next = self.attempt(&mut request, question, (share, begun), state, stop, tell);
            let extreme = !(LOST..=WON).contains(&next.win_rate);
            let lead = next.score.lead;
            let enough = state.suffices(next.playouts) || stop.load(Relaxed);
            report = Some(next);
            let last = i + 1 == ATTEMPTS.len();
            let right = state.right();
            if last
                || stop.load(Relaxed)
                || question.limits.time.is_none()
                || enough && right.is_empty()
            {
                break;
            }
            if !right.is_empty() {
                // These alone are left to choose from.
                let first = request.position.to_move();
                request.restrictions.retain(|r| r.until_depth > 1);
                request.restrictions.push(Restriction {
                    player: first,
                    moves: right,
                    all_but: true,
                    until_depth: 1,
                });
            }
            if extreme {
                shift_komi(&mut request.position, lead);
            } else if enough && i > 0 {
                break;
            }
        }
        report.unwrap_or_else(|| self.report(&request))
    }

    /// Search until the tree suffices or this share of the time has gone by.
    fn attempt(
        &mut self,
        request: &mut AnalysisRequest,
        question: &Question,
        (share, begun): (f64, Instant),
        state: &Progressing,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&AnalysisReport),
    ) -> AnalysisReport {
        let end = |t: Duration| t.mul_f64(share).saturating_sub(begun.elapsed());
        request.limits.time = question.limits.time.map(end);
        let mut watcher = Observer {
            interval: Some(Duration::from_secs(1)),
            first: Some(Duration::from_secs(1)),
            tell,
            enough: &mut |progress| state.suffices(progress.playouts()),
        };
        self.run(request, stop, &mut watcher)
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
fn best(problem: &Problem, found: &Findings, report: &AnalysisReport) -> Move {
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
    let idle = found.pass_works == Some(true) || found.reach == Some(Reach::Nothing);
    if idle {
        // Of a group that was guessed another may be meant.
        let sure = problem.is_named() && report.win_rate < CONFIDENT;
        return match sure {
            true => Move::Pass,
            false => moves().next().unwrap_or(Move::Pass),
        };
    }
    let refuted = |m: &Move| m.point().is_some_and(|p| found.wrong.contains(&p));
    let likely = moves().find(|m| !refuted(m));
    if found.reach.is_none() && report.win_rate >= CONFIDENT && likely.is_some() {
        // What was found may be less than what can be reached.
        return likely.unwrap_or(Move::Pass);
    }
    preferred.or(first).or(likely).unwrap_or(Move::Pass)
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
            false => writeln!(
                f,
                "{best} {words}; estimated with {:.0} % after {} visits",
                100.0 * self.report.win_rate,
                self.report.visits
            )?,
        }
        let other = self.first.opponent();
        let (reply, words, sure) = self.opponents_result();
        let reply = reply.map_or_else(String::new, |p| format!("{p} "));
        let sure = match (sure, self.other.reach) {
            (false, Some(_)) => ", estimated",
            _ => "",
        };
        writeln!(f, "{other} first: {reply}{words}{sure}")?;
        let line: Vec<String> = self
            .line()
            .iter()
            .map(|(c, m)| format!("{c} {m}"))
            .collect();
        writeln!(f, "Line: {}", line.join(", "))?;
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
        let defends = self.first == self.problem.defender();
        match (self.proved, self.best, self.found.reach) {
            (true, ..) | (false, Move::Pass, Some(_)) => {
                in_words(&self.found, self.first, self.problem.defender())
            }
            _ if defends => "lives".to_owned(),
            _ => "kills".to_owned(),
        }
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
        let words = in_words(found, other, self.problem.defender());
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
    /// search, and so does the cutoff.
    pub fn of(position: &Position, p: Point, hold: &[bool], cutoff: &Cutoff) -> Option<Critical> {
        let board = position.board();
        let owner = board.at(p).color()?;
        let problem = Problem::within(board, owner, &[p], hold)?;
        let begun = Instant::now();
        let bounds = |share: f64| {
            let until = begun + CRITICAL_TIME.mul_f64(share);
            Bounds {
                nodes: CRITICAL,
                memory: CRITICAL_MEMORY,
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
