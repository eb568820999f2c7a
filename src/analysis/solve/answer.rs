//! The best first move, from the result and the tree searches.

use crate::adjudicate::{Problem, ProblemResult, Reach};
use crate::analysis::AnalysisReport;
use crate::types::{Color, Move, Point};

/// Probability of success below which a player passes.
const HOPELESS: f32 = 0.1;

/// Win rate of the tree search at which its move counts more than an unproved result.
const CONFIDENT: f32 = 0.8;

/// The right moves: the proved ones or, without any, those that were found.
pub(super) fn right(result: &ProblemResult) -> &[Point] {
    match result.proved.is_empty() {
        true => &result.right,
        false => &result.proved,
    }
}

/// The preferred right moves, or all if none is preferred.
pub(super) fn choice(result: &ProblemResult) -> Vec<Point> {
    let moves = right(result);
    let preferred = moves.iter().filter(|p| result.preferred.contains(p));
    let preferred: Vec<Point> = preferred.copied().collect();
    match preferred.is_empty() {
        true => moves.to_vec(),
        false => preferred,
    }
}

/// Is the answer with this first move proved?
pub(super) fn proved(result: &ProblemResult, best: Move) -> bool {
    match best {
        Move::Pass => result.pass_proved || result.nothing_proved,
        Move::Play(p) => result.proved.contains(&p) && !result.pass_proved,
    }
}

/// The best first move.
pub(super) fn best(
    problem: &Problem,
    result: &ProblemResult,
    framed: &AnalysisReport,
    whole_board: &[Option<AnalysisReport>; 2],
) -> Move {
    let moves = || framed.moves.iter().map(|m| m.mv);
    if result.pass_proved || result.nothing_proved {
        return Move::Pass;
    }
    let choice = choice(result);
    let right = |m: &Move| m.point().is_some_and(|p| choice.contains(&p));
    let preferred = moves().find(right);
    let first = choice.first().map(|&p| Move::Play(p));
    if !result.proved.is_empty() {
        return preferred.or(first).unwrap_or(Move::Pass);
    }
    let refuted = |m: &Move| m.point().is_some_and(|p| result.wrong.contains(&p));
    let idle = result.pass_works == Some(true) || result.reach == Some(Reach::Nothing);
    if idle || result.reach.is_none() {
        let player = framed.color;
        let [own, other] = whole_board.each_ref().map(Option::as_ref);
        let likely = own.map(|r| share(problem, player, r));
        let opponents = other.map(|r| share(problem, player.opponent(), r));
        // Nothing helps. But if the group was guessed, an attacker may mean another one.
        let hopeless = likely.is_some_and(|share| share < HOPELESS)
            && (problem.is_named() || player == problem.defender());
        // The searches of the whole board may say otherwise: that the opponent succeeds after a pass,
        // and that a move helps.
        let fails = |share: f32| share < 0.5;
        let settled = match result.pass_works {
            Some(true) => opponents.is_none_or(fails),
            _ => idle && (likely.is_none_or(fails) || opponents.is_some_and(fails)),
        };
        if hopeless || problem.is_named() && settled && framed.win_rate < CONFIDENT {
            return Move::Pass;
        }
        let guess = most_visited(problem, framed, whole_board, |m| idle || !refuted(m));
        // The search may have found a better result than the unproved one.
        if let Some(guess) =
            guess.filter(|_| idle || framed.win_rate >= CONFIDENT || first.is_none())
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
    whole_board: &[Option<AnalysisReport>; 2],
    fits: impl Fn(&Move) -> bool,
) -> Option<Move> {
    let weight = match (problem.is_named(), problem.is_searched()) {
        (false, _) => 1.0,
        (true, true) => 0.5,
        (true, false) => 0.0,
    };
    let [first, opponent] = whole_board.each_ref().map(Option::as_ref);
    let weight = if first.is_some() { weight } else { 1.0 };
    let votes = [(Some(framed), weight), (first, 1.0), (opponent, 0.5)];
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
    let known = [Some(framed), first].into_iter().flatten();
    let plays = known.flat_map(|r| &r.moves).map(|m| m.mv);
    let plays = plays.filter(|m| *m != Move::Pass && fits(m));
    plays.max_by(|a, b| total(a).total_cmp(&total(b)))
}

/// Probability, by the group's ownership, that this player saves or kills the group.
pub(super) fn share(problem: &Problem, player: Color, report: &AnalysisReport) -> f32 {
    let group = problem.group();
    let total: f32 = group.iter().map(|&p| report.ownership.of(p)).sum();
    0.5 + 0.5 * player.sign() as f32 * total / group.len().max(1) as f32
}
