//! A question about a group: does it live, what kills it, what saves it. Two searches answer it in
//! parallel: proof-number search in the region that decides the group's life, and a tree search
//! with the network on a board where nothing else is open.

mod answer;
mod critical;
mod search;
mod words;

pub use critical::Critical;

use super::frame::Frame;
use super::{AnalysisReport, Analyst, Limits};
use crate::adjudicate::{Problem, ProblemResult};
use crate::position::Position;
use crate::types::{Color, Move, Point};
use crate::util::HAS_THREADS;
use answer::{best, proved};
use search::{FRAMED_SHARES, ProofProgress, Run, WHOLE_BOARD_SHARES};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// A question about a group.
#[derive(Clone, Debug)]
pub struct Question {
    /// The position. Its player to move moves first.
    pub position: Position,
    /// A point of each chain in question; if empty, [`Problem::find`] finds the enclosed groups.
    pub chains: Vec<Point>,
    /// Limits of the searches: time for both; visits and playouts for the tree search.
    pub limits: Limits,
    /// Maximum states per question of the proof-number search.
    pub nodes: u64,
    /// Maximum number of threads that search at the same time, the proof included. With one, the
    /// proof has a thread of its own all the same, since it must not wait for the search.
    pub threads: usize,
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
    pub result: ProblemResult,
    /// Findings of the proof-number search with the opponent to move.
    pub opponent_result: ProblemResult,
    /// Report of the tree search on the framed board.
    pub framed: AnalysisReport,
    /// If the proof-number search is not enough: reports of searches of the whole board, with
    /// `first` to move and with the opponent to move.
    pub whole_board: [Option<AnalysisReport>; 2],
    /// Is the answer proved, if the chains around the region hold?
    pub proved: bool,
}

/// Share of the question's time for the case that `first` moves first; the rest is for the opponent
/// moving first.
const FIRST_SHARE: f64 = 0.8;

/// Share of each case's time for finding an answer; the rest is for proving it.
const FINDING_SHARE: f64 = 0.75;

/// Share of a case's time for proofs. Without threads, proofs and searches run one after the other
/// and share the time.
const PROVING: f64 = if HAS_THREADS { 1.0 } else { 0.5 };

/// Prove and search at the same time; without threads, one after the other.
fn side_by_side<T>(
    prove: impl FnOnce() -> ProblemResult + Send,
    search: impl FnOnce() -> T,
) -> (ProblemResult, T) {
    if !HAS_THREADS {
        return (prove(), search());
    }
    std::thread::scope(|scope| {
        let proof = scope.spawn(prove);
        let searched = search();
        (proof.join().unwrap_or_default(), searched)
    })
}

impl Analyst {
    /// Answer a question about a group. This uses the analyst's main search, whose tree is lost;
    /// [`Analyst::sharing_network`] makes an analyst for it. `None` if there is no group to ask
    /// about.
    pub fn solve(&mut self, question: &Question, stop: &Arc<AtomicBool>) -> Option<Solution> {
        self.solve_reporting(question, stop, &mut |_| ())
    }

    /// [`Analyst::solve`], with a report of the tree search every second.
    pub fn solve_reporting(
        &mut self,
        question: &Question,
        stop: &Arc<AtomicBool>,
        on_report: &mut dyn FnMut(&AnalysisReport),
    ) -> Option<Solution> {
        let begun = Instant::now();
        let position = &question.position;
        let problem = Problem::find(position.board(), position.to_move(), &question.chains)?;
        self.prepare_or_stop(position.size(), stop);
        let found = self.solve_problem(question, problem, begun, stop, on_report);
        let half = question.limits.time.map(|t| t / 2);
        let late = half.is_some_and(|t| begun.elapsed() > t) || stop.load(Relaxed);
        if found.problem.is_named() || !found.result.needs_no_move() || late {
            return Some(found);
        }
        // The group was guessed, and there is nothing to do. Perhaps the other player's is meant.
        let other = found.problem.about_opponent(position.board());
        let other = other.filter(Problem::is_searched);
        let other = other.map(|p| self.solve_problem(question, p, begun, stop, on_report));
        let answers = |s: &Solution| s.best != Move::Pass && s.succeeds();
        Some(other.filter(answers).unwrap_or(found))
    }

    /// Answer a question that was asked at this time about this problem.
    fn solve_problem(
        &mut self,
        question: &Question,
        problem: Problem,
        begun: Instant,
        stop: &Arc<AtomicBool>,
        on_report: &mut dyn FnMut(&AnalysisReport),
    ) -> Solution {
        let first = question.position.to_move();
        let run = Run {
            question,
            problem: &problem,
            begun,
            stop,
            threads: self.resources.threads,
            progress: ProofProgress::default(),
        };
        let (mut result, (framed, first_on_board)) = self.first_case(&run, on_report);
        let run = Run {
            progress: ProofProgress::default(),
            ..run
        };
        let (mut opponent_result, opponent_on_board) = match result.needs_no_move() {
            true => (ProblemResult::default(), None),
            false => self.opponents_case(&run, first_on_board.is_some(), on_report),
        };
        opponent_result.agree_with(&result);
        // If the group was guessed, that nothing helps is never proved.
        if problem.is_named() || !opponent_result.needs_no_move() {
            result.agree_with(&opponent_result);
        }
        // If the system refuses the threads, the next question tries again.
        let _ = self.set_threads(run.threads);
        let whole_board = [first_on_board, opponent_on_board];
        let best = best(&problem, &result, &framed, &whole_board);
        Solution {
            proved: proved(&result, best),
            problem,
            first,
            best,
            result,
            opponent_result,
            framed,
            whole_board,
        }
    }

    /// Answer the case that the question's player moves first: the result, and the reports on the
    /// framed board and, if they are not enough, on the whole board.
    fn first_case(
        &mut self,
        run: &Run<'_>,
        on_report: &mut dyn FnMut(&AnalysisReport),
    ) -> (ProblemResult, (AnalysisReport, Option<AnalysisReport>)) {
        let position = &run.question.position;
        let first = position.to_move();
        let frame = Frame::around(position.board(), run.problem, first);
        let prove = || run.prove(first, 0.0, FIRST_SHARE * PROVING);
        let search = || {
            let shares = match run.problem.is_searched() {
                true => &FRAMED_SHARES[..],
                false => &FRAMED_SHARES[..1],
            };
            let framed = self.search_frame(run, frame, shares, on_report);
            let whole_board = self.search_whole_board(run, first, &WHOLE_BOARD_SHARES, on_report);
            (framed, whole_board)
        };
        side_by_side(prove, search)
    }

    /// Answer the case that the opponent moves first: the result and, for a named group, if the
    /// first case `searched` the whole board, the report on that. It gets the time that the first
    /// case took, or its own share if that is more, but ends with the whole time.
    fn opponents_case(
        &mut self,
        run: &Run<'_>,
        searched: bool,
        on_report: &mut dyn FnMut(&AnalysisReport),
    ) -> (ProblemResult, Option<AnalysisReport>) {
        let opponent = run.question.position.to_move().opponent();
        let time = run.question.limits.time;
        let used = time.map_or(0.0, |t| run.begun.elapsed().div_duration_f64(t).min(1.0));
        let own_share = (1.0 - FIRST_SHARE) * PROVING;
        let share = used.max(own_share).min(FIRST_SHARE + own_share - used);
        let prove = || run.prove(opponent, used, share);
        let search = || match searched && run.problem.is_named() {
            true => self.search_whole_board(run, opponent, &[1.0], on_report),
            false => None,
        };
        side_by_side(prove, search)
    }
}
