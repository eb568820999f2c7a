//! The tree searches in parallel with a proof: on the framed board, where only the problem is
//! open, and on the whole board.

use super::answer::choice;
use super::{FINDING_SHARE, FIRST_SHARE, Question};
use crate::adjudicate::{Bounds, Cutoff, Problem, ProblemResult, Reach};
use crate::analysis::frame::{Frame, nearest};
use crate::analysis::{AnalysisReport, AnalysisRequest, Analyst, Observer};
use crate::position::Position;
use crate::search::Restriction;
use crate::types::{Color, Komi, Move, Point};
use crate::util::locked;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Playouts that a tree search needs to choose among right moves.
const TELLING: u64 = 300;

/// A question that is being answered.
pub(super) struct Run<'a> {
    pub(super) question: &'a Question,
    pub(super) problem: &'a Problem,
    pub(super) begun: Instant,
    pub(super) stop: &'a Arc<AtomicBool>,
    /// Threads of the tree search.
    pub(super) threads: usize,
    pub(super) progress: ProofProgress,
}

/// Progress of the proof-number search, for the tree search in parallel.
#[derive(Default)]
pub(super) struct ProofProgress {
    done: AtomicBool,
    /// Is a tree search needed to choose among several right moves?
    unclear: AtomicBool,
    /// Was no right move found, nor a proof that there is none? Or has the group a way out that the
    /// regions leave out, and nothing is proved?
    open: AtomicBool,
    /// The right moves, if there are several.
    right: Mutex<Vec<Move>>,
}

impl ProofProgress {
    /// Record the result of the proof.
    fn record(&self, found: &ProblemResult, problem: &Problem) {
        let choice = choice(found);
        let several = found.reach.is_some() && choice.len() > 1;
        self.unclear.store(several, Relaxed);
        if several {
            *locked(&self.right) = choice.iter().copied().map(Move::Play).collect();
        }
        let open = matches!(found.reach, None | Some(Reach::Nothing)) && choice.is_empty();
        let proved = found.nothing_proved || found.pass_proved || !found.proved.is_empty();
        let open = (open || problem.escapes()) && !proved;
        self.open.store(open, Relaxed);
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

/// Share of the question's time that a proof may take even if its answer was found sooner.
const PROVING_SHARE: f64 = 0.2;

/// Shares of the question's time, from its beginning, at which attempts on the framed board end. If
/// all seems lost or won, the next attempt has another komi.
pub(super) const FRAMED_SHARES: [f64; 2] = [0.24, 0.48];

/// [`FRAMED_SHARES`] for the whole board.
pub(super) const WHOLE_BOARD_SHARES: [f64; 2] = [0.56, 0.8];

/// Maximum distance of first moves from a named group, in king's moves.
const NEAR_GROUP: u8 = 3;

/// Maximum distance of moves from the nearest stone, in king's moves, if no group was named.
const NEAR_STONES: u8 = 2;

/// Win rates below which all seems lost, and above which all seems won.
const LOST: f32 = 0.1;
const WON: f32 = 0.97;

impl Analyst {
    /// Search the framed board in attempts that end at these shares of the time.
    pub(super) fn search_frame(
        &mut self,
        run: &Run<'_>,
        frame: Frame,
        shares: &[f64],
        on_report: &mut dyn FnMut(&AnalysisReport),
    ) -> AnalysisReport {
        let points = frame.open.iter().copied().map(Move::Play);
        let allowed: Vec<Move> = points.chain([Move::Pass]).collect();
        let mut restrictions = only_ever(&allowed);
        restrictions.push(Restriction {
            player: run.question.position.to_move(),
            moves: run.illegal(&allowed),
            all_but: false,
            until_depth: 1,
        });
        let mut request = run.request(frame.position, restrictions);
        let report = self.attempts(run, &mut request, shares, on_report);
        let ends = run.progress.failed()
            || run.progress.suffices(report.playouts)
            || run.stop.load(Relaxed);
        if run.problem.is_named() || ends || request.limits.time.is_none() {
            return report;
        }
        // The group was guessed, and the answer may still be proved. Continue on the framed board,
        // which tells more than the whole board.
        self.attempts(run, &mut request, &[FIRST_SHARE], on_report)
    }

    /// Search the whole board; `None` if the proof suffices, the search is stopped, or a guessed
    /// group's proof has not failed early enough. A named group may depend on all its surroundings,
    /// so only the first move must be near it. Without a name, the guessed group may be wrong, so
    /// moves near any stone are allowed.
    pub(super) fn search_whole_board(
        &mut self,
        run: &Run<'_>,
        first: Color,
        shares: &[f64],
        on_report: &mut dyn FnMut(&AnalysisReport),
    ) -> Option<AnalysisReport> {
        let time = run.question.limits.time;
        let late = time.is_some_and(|t| run.begun.elapsed() > t.mul_f64(WHOLE_BOARD_SHARES[0]));
        let is_named = run.problem.is_named();
        let settled =
            run.progress.suffices(u64::MAX) || !is_named && (late || !run.progress.failed());
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
            true => vec![Restriction::only(
                first,
                near(run.problem.group(), NEAR_GROUP),
                1,
            )],
            false => {
                let stones: Vec<Point> = board.stones().map(|s| s.1).collect();
                only_ever(&near(&stones, NEAR_STONES))
            }
        };
        let mut request = run.request(position, restrictions);
        Some(self.attempts(run, &mut request, shares, on_report))
    }

    /// Search in attempts that end at these shares of the time, and return the last report. If all
    /// seems lost or won, the komi is shifted so that smaller differences decide.
    fn attempts(
        &mut self,
        run: &Run<'_>,
        request: &mut AnalysisRequest,
        shares: &[f64],
        on_report: &mut dyn FnMut(&AnalysisReport),
    ) -> AnalysisReport {
        let mut report = None;
        for (i, &share) in shares.iter().enumerate() {
            let next = self.attempt(request, run, share, on_report);
            let (lead, is_decided) = (next.score.lead, !(LOST..=WON).contains(&next.win_rate));
            let suffices = run.progress.suffices(next.playouts);
            report = Some(next);
            if run.stop.load(Relaxed) || run.question.limits.time.is_none() {
                break;
            }
            let right = run.progress.right();
            let is_last = match (right.is_empty(), is_decided) {
                (true, _) => suffices,
                // Another komi tells the right moves apart.
                (false, true) => false,
                (false, false) => suffices && i > 0,
            };
            if is_last {
                break;
            }
            if !right.is_empty() {
                // Only the right moves are left to choose from.
                let first = request.position.to_move();
                request.restrictions.retain(|r| r.until_depth > 1);
                request
                    .restrictions
                    .push(Restriction::only(first, right, 1));
            }
            if is_decided {
                shift_komi(&mut request.position, lead);
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
        on_report: &mut dyn FnMut(&AnalysisReport),
    ) -> AnalysisReport {
        // A finished proof leaves a thread free. If the system refuses that thread, the search goes
        // on with its own.
        let spare =
            usize::from(run.progress.done.load(Relaxed) && run.question.limits.time.is_some());
        let _ = self.set_threads((run.threads + spare).min(run.question.threads.max(1)));
        let end = |t: Duration| t.mul_f64(share).saturating_sub(run.begun.elapsed());
        request.limits.time = run.question.limits.time.map(end);
        let mut watcher = Observer {
            interval: Some(Duration::from_secs(1)),
            first: Some(Duration::from_secs(1)),
            on_report,
            enough: &mut |now| run.progress.suffices(now.playouts()),
        };
        self.run(request, run.stop, &mut watcher)
    }
}

/// Allow both players only these moves, in the whole search.
fn only_ever(moves: &[Move]) -> Vec<Restriction> {
    let both = Color::BOTH.map(|c| Restriction::only(c, moves.to_vec(), usize::MAX));
    both.to_vec()
}

impl Run<'_> {
    /// Bounds of a proof that ends at this share of the question's time, or when it is stopped.
    fn bounds(&self, share: f64) -> Bounds {
        let time = self.question.limits.time;
        Bounds {
            nodes: self.question.nodes,
            memory: self.question.memory,
            cutoff: Cutoff {
                until: time.map(|t| self.begun + t.mul_f64(share)),
                stop: Some(self.stop.clone()),
            },
        }
    }

    /// Find what `first` reaches, then try to prove it for as long as that took, or for
    /// [`PROVING_SHARE`] of the time if that is longer. All this takes at most this share of the
    /// question's time, after the share at which it begins. The result is recorded in
    /// [`Run::progress`].
    pub(super) fn prove(&self, first: Color, begin: f64, share: f64) -> ProblemResult {
        let found_by = self.bounds(begin + share * FINDING_SHARE);
        let proved_by = self.bounds(begin + share);
        let begun = Instant::now();
        let mut found = self.problem.solve(first, &found_by);
        let mut enough_by = proved_by.clone();
        if let Some(time) = self.question.limits.time {
            let enough = Instant::now() + begun.elapsed().max(time.mul_f64(PROVING_SHARE));
            let until = enough_by.cutoff.until;
            enough_by.cutoff.until = Some(until.map_or(enough, |until| until.min(enough)));
        }
        self.problem.prove(first, &mut found, &enough_by);
        self.problem.compare(first, &mut found, &proved_by);
        self.progress.record(&found, self.problem);
        found
    }

    /// First moves that the game forbids, such as retaking a ko at once.
    fn illegal(&self, moves: &[Move]) -> Vec<Move> {
        let Question { position, .. } = self.question;
        let is_illegal = |m: &Move| position.legality(position.to_move(), *m).is_err();
        moves.iter().copied().filter(is_illegal).collect()
    }

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
