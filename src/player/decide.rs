//! From what the search found to what the engine plays: when to stop, when to
//! pass, when to resign.

use super::Engine;
use super::pace::Pace;
use crate::analysis::{
    AnalysisReport, AnalysisRequest, Attacked, Care, ChainStatus, Judgement, Limits, MoveReport,
    Progress,
};
use crate::playout::Ownership;
use crate::position::{Owner, Position};
use crate::rules::{Scoring, Settlement};
use crate::types::{Color, Move, Point};
use std::time::Duration;

/// A win rate at which a loss on the board is believed.
const LOST: f32 = 0.25;

/// A win rate below this, or above its complement: the game is decided.
const DECIDED: f32 = 0.05;

/// Ownership above which a point is beyond dispute, and above which it probably is.
const SETTLED: f32 = 0.9;
const DOUBTED: f32 = 0.5;

/// Points that a pass may give up: a smaller difference between two searches is noise.
const POINTS: f64 = 0.5;

/// Win rate that a pass may give up, likewise.
const WIN_RATE: f32 = 0.05;

/// Evaluations by the network in which the opponent's replies to a pass are looked for.
const REPLIES: u64 = 100;

/// Playouts that check a pass without a network, the win rate by which they may fall behind,
/// which is the noise of so few, and the points, one of which a pass gives away under area
/// scoring.
const PASS_PLAYOUTS: u64 = 500;
const PASS_WIN_RATE: f32 = 0.1;
const PASS_POINTS: f64 = 4.0;

/// Playouts that must agree before a point counts as settled where there is no time for more.
const TELLING: u64 = 8;

/// How long to search before the choice may be called clear.
const LEAST: Duration = Duration::from_millis(20);

/// Points that a move is worth at the start of an even game: twice a fair komi.
const MOVE: f64 = 14.0;

/// By how many points the player to move was behind before the first move, through handicap
/// and komi.
fn behind_at_the_start(position: &Position) -> f64 {
    let stones = position.handicap().saturating_sub(1);
    let black_leads = MOVE * f64::from(stones) + MOVE / 2.0 - position.white_bonus();
    match position.to_move() {
        Color::White => black_leads,
        Color::Black => -black_leads,
    }
}

/// Does the player to move, who is behind by so many points, wait for mistakes, however
/// hopeless it looks? Who gives handicap is lost from the first move on: until two thirds
/// of the board are played there is time to make up for it, unless much more has been lost
/// since.
pub(super) fn waits_for_mistakes(position: &Position, behind: f64) -> bool {
    let at_the_start = behind_at_the_start(position);
    let area = position.size().area();
    let handicap = MOVE / 4.0..area as f64;
    handicap.contains(&at_the_start)
        && 3 * position.turns().len() < 2 * area
        && behind < 1.5 * at_the_start
}

/// Is it time to stop thinking, which should take about so long? Before that only if
/// the second move would stay behind the first even if it got every visit to come.
pub(super) fn enough(progress: &Progress<'_>, optimum: Duration) -> bool {
    let used = progress.elapsed;
    if used < LEAST.min(optimum) {
        return false;
    }
    let Some(standing) = progress.standing() else {
        return false;
    };
    if used >= optimum {
        return !standing.rival;
    }
    let rate = progress.playouts() as f64 / used.as_secs_f64();
    let to_come = rate * (optimum - used).as_secs_f64();
    f64::from(standing.first.saturating_sub(standing.second)) > to_come
}

impl Engine {
    /// Choose the move after a search: the search's own, unless nothing is left to gain and
    /// passing does no harm.
    ///
    /// Where the clock allows no judgement, the ownership that the search has found stands
    /// for one; then it plays on as long as there is anything to play for.
    pub(super) fn choose(
        &mut self,
        position: &Position,
        found: &AnalysisReport,
        pace: &Pace,
    ) -> Move {
        let Some(best) = found.moves.first() else {
            return Move::Pass;
        };
        let passed = position.consecutive_passes() > 0;
        if !passed && pace.at_once.is_some() && found.playouts < TELLING {
            // Of so few playouts every point looks settled.
            return best_play(found);
        }
        let knows = pace.at_once.is_none() && self.analyst.profile().knows_when_to_pass;
        // Under territory scoring a play in territory costs a point that a pass does not.
        let costly = knows && position.rules().scoring == Scoring::Territory;
        let late = || match knows {
            true => {
                best.mv == Move::Pass
                    || costly && looks_needless(position, &found.ownership, best.mv)
            }
            false => looks_settled(position, &found.ownership, best.mv),
        };
        if !passed && !late() {
            return best.mv;
        }
        let judgement = self.judge_pass(position, found, pace);
        match knows && judgement.care() != Care::Hasty {
            true => self.choose_by_network(position, found, &judgement, pace),
            false => self.choose_by_playouts(position, found, &judgement, pace),
        }
    }

    /// Choose where little seems to be left: the search's move unless a pass costs nothing, and
    /// then a protective move, a dame or the pass.
    fn choose_by_network(
        &mut self,
        position: &Position,
        found: &AnalysisReport,
        judgement: &Judgement,
        pace: &Pace,
    ) -> Move {
        let c = position.to_move();
        let margin = c.sign() as f64 * judgement.score().margin();
        if self.pass_costs(position, found, margin) {
            return best_play(found);
        }
        let dame = dame(position, judgement, &found.moves);
        let play_out = position.rules().settlement == Settlement::PlayOut;
        if play_out && position.pass_would_end() && margin > 0.0 && dame.is_none() {
            return Move::Pass;
        }
        let attacked = judgement.attacked(position.board(), c, pace.last);
        let needed = protective_move(position, &attacked);
        needed.or(dame).map_or(Move::Pass, Move::Play)
    }

    /// Choose where the board looks settled to playouts, or to a network without time for a
    /// judgement.
    fn choose_by_playouts(
        &mut self,
        position: &Position,
        found: &AnalysisReport,
        judgement: &Judgement,
        pace: &Pace,
    ) -> Move {
        let (c, moves) = (position.to_move(), &found.moves);
        let most = moves.first().map_or(0, |m| m.visits);
        let win_rate = moves.first().map_or(found.win_rate, |m| m.win_rate);
        let play_out = position.rules().settlement == Settlement::PlayOut;
        let hurried = judgement.care() == Care::Hasty;
        let margin = c.sign() as f64 * judgement.score().margin();
        // What passing now comes to, if the opponent passes too.
        let won = margin > 0.0;
        let settled = is_settled(position, judgement);
        let dame = dame(position, judgement, moves);
        if position.pass_would_end() && won && (settled || play_out) && dame.is_none() {
            if play_out {
                return Move::Pass;
            }
            // What the opponent could still capture may be claimed.
            let attacked = judgement.attacked(position.board(), c, pace.last);
            let needed = protective_move(position, &attacked);
            return needed.map_or(Move::Pass, Move::Play);
        }
        // A judgement that the search does not share is no ground to stop.
        let agreed = match margin {
            m if m > 0.0 => win_rate > 1.0 - LOST,
            m if m < 0.0 => win_rate < LOST,
            _ => true,
        };
        if !agreed && !hurried {
            return best_play(found);
        }
        // In a game that is decided the search hardly tells moves apart.
        let decided = !(DECIDED..=1.0 - DECIDED).contains(&win_rate);
        let attacked = judgement.attacked(position.board(), c, pace.last);
        let needed = protective_move(position, &attacked);
        if let Some(p) = needed.filter(|_| decided) {
            return Move::Play(p);
        }
        // What the search would play, passes and moves in settled places aside.
        let fighting = moves
            .iter()
            .filter(|m| hurried || m.visits * 20 >= most)
            .filter_map(|m| m.mv.point())
            .find(|&p| !is_worthless(position, judgement, &attacked, p));
        if let Some(p) = fighting.or(needed) {
            return Move::Play(p);
        }
        if let Some(p) = dame {
            return Move::Play(p);
        }
        let ended = won || settled || decided;
        if hurried || ended && self.pass_is_safe(position, found) {
            return Move::Pass;
        }
        // Passing loses something, or as the board stands the game.
        best_play(found)
    }

    /// Does a pass lose nothing, as far as playouts of what may follow can tell? One that
    /// ends the game is another matter: the count decides.
    fn pass_is_safe(&mut self, position: &Position, found: &AnalysisReport) -> bool {
        let c = position.to_move();
        if position.pass_would_end() || found.moves.first().is_some_and(|m| m.mv == Move::Pass) {
            return true;
        }
        let passed = self.after_pass(position, PASS_PLAYOUTS);
        passed.win_rate_of(c) > found.win_rate - PASS_WIN_RATE
            && passed.lead_of(c) > found.score.lead - PASS_POINTS
    }

    /// Does a pass give up the game, or more than [`POINTS`], compared with the search's best
    /// move? `margin` is the player's margin in the count if the game ends now; a count that
    /// is lost although the search sees a win is no ground to pass.
    ///
    /// Both moves are estimated by searches, so that what a network misjudges about the score
    /// counts on both sides.
    fn pass_costs(&mut self, position: &Position, found: &AnalysisReport, margin: f64) -> bool {
        let c = position.to_move();
        let Some(best) = found.moves.first() else {
            return false;
        };
        let hopeless = if position.pass_would_end() { LOST } else { 0.5 };
        if margin < 0.0 && best.win_rate > hopeless {
            return true;
        }
        if best.mv == Move::Pass {
            return false;
        }
        let passed = self.after_pass(position, REPLIES);
        let lead = best.score.lead;
        passed.win_rate_of(c) < best.win_rate - WIN_RATE || passed.lead_of(c) < lead - POINTS
    }

    /// What a short search finds after a pass.
    fn after_pass(&mut self, position: &Position, playouts: u64) -> AnalysisReport {
        let mut after = position.clone();
        after.play_unchecked(position.to_move(), Move::Pass);
        self.analyst.aside(&AnalysisRequest {
            limits: Limits {
                playouts: Some(playouts),
                ..Limits::default()
            },
            seed: self.settings.seed,
            ..AnalysisRequest::new(after)
        })
    }
}

/// The search's best move that is no pass; a pass if there is none.
fn best_play(found: &AnalysisReport) -> Move {
    let mut moves = found.moves.iter().map(|m| m.mv);
    moves.find(|&m| m != Move::Pass).unwrap_or(Move::Pass)
}

/// Where a chain must be protected before the game can stop.
fn protective_move(position: &Position, attacked: &Attacked) -> Option<Point> {
    let c = position.to_move();
    let mut points = attacked.threats.iter().map(|t| t.protection);
    points.find(|&p| position.legality(c, Move::Play(p)).is_ok())
}

/// The most visited of these points, self-atari last; a pass if none is legal.
pub(super) fn fill(position: &Position, points: &[Point], found: &AnalysisReport) -> Move {
    let c = position.to_move();
    let rank = |p: Point| found.moves.iter().position(|m| m.mv == Move::Play(p));
    let legal = points
        .iter()
        .copied()
        .filter(|&p| position.legality(c, Move::Play(p)).is_ok());
    legal
        .min_by_key(|&p| {
            let unseen = found.moves.len();
            (
                position.board().is_self_atari(c, p),
                rank(p).unwrap_or(unseen),
            )
        })
        .map_or(Move::Pass, Move::Play)
}

/// Do the search's playouts leave little doubt about the point of its best
/// move? Cheap: says whether a judgement is worth its time.
fn looks_settled(position: &Position, ownership: &Ownership, best: Move) -> bool {
    match best {
        Move::Pass => true,
        Move::Play(p) => {
            let unsure = position
                .size()
                .points()
                .filter(|&q| ownership.of(q).abs() < 0.7)
                .count();
            ownership.of(p).abs() > 0.8 || unsure * 20 < position.size().area()
        }
    }
}

/// Is this a play in territory, with hardly a point in doubt elsewhere? Cheap, as above.
fn looks_needless(position: &Position, ownership: &Ownership, best: Move) -> bool {
    let settled = |p: Point| ownership.of(p).abs() > SETTLED;
    let unsure = || position.size().points().filter(|&p| !settled(p)).count();
    best.point().is_some_and(settled) && unsure() * 10 < position.size().area()
}

/// Is every point beyond doubt, dame aside: by its ownership, or as its chain's status has
/// been searched?
fn is_settled(position: &Position, judgement: &Judgement) -> bool {
    let board = position.board();
    board.size().points().all(|p| match judgement.owner(p) {
        Owner::Player(c) => {
            let searched = |q: Point| board.is_empty(q) || judgement.is_certain(q);
            let around = p.neighbours();
            let mut own = around.iter().filter(|&&q| board.at(q).color() == Some(c));
            c.sign() as f32 * judgement.ownership(p) > DOUBTED
                || (searched(p) && own.all(|&q| judgement.is_certain(q)))
        }
        // A large neutral region is one that has not been played yet.
        Owner::Nobody => true,
    })
}

/// Is a play there of no use: in territory that nobody disputes, or the end of
/// a seki?
fn is_worthless(position: &Position, judgement: &Judgement, attacked: &Attacked, p: Point) -> bool {
    let c = position.to_move();
    let board = position.board();
    match judgement.owner(p) {
        Owner::Player(owner) => {
            // One's own territory may need a move, the opponent's never does.
            let enough = if owner == c { 0.8 } else { 0.5 };
            owner.sign() as f32 * judgement.ownership(p) > enough
                || (owner == c && attacked.holds_around(board, c, p))
        }
        Owner::Nobody => in_seki(judgement, p) && board.is_self_atari(c, p),
    }
}

/// A dame worth filling: the most visited one that puts no own stones at risk.
fn dame(position: &Position, judgement: &Judgement, moves: &[MoveReport]) -> Option<Point> {
    let c = position.to_move();
    let best = moves.first()?;
    let board = position.board();
    moves
        .iter()
        .filter(|m| m.visits > 0 && m.win_rate > best.win_rate - 0.1)
        .filter_map(|m| m.mv.point())
        .find(|&p| {
            judgement.owner(p) == Owner::Nobody
                && board.is_empty(p)
                && !board.is_self_atari(c, p)
                && !in_seki(judgement, p)
        })
}

/// Does the point touch a chain in seki?
fn in_seki(judgement: &Judgement, p: Point) -> bool {
    judgement.chains().iter().any(|(stones, status)| {
        *status == ChainStatus::Seki && p.neighbours().iter().any(|q| stones.contains(q))
    })
}
