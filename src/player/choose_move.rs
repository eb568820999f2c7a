//! Decisions from search results: when to stop, when to pass, when to resign.

use super::Engine;
use super::time::{TimePlan, is_early};
use crate::analysis::{
    AnalysisReport, AnalysisRequest, Attacked, ChainStatus, Judgement, Limits, MoveReport, Progress,
};
use crate::playout::Ownership;
use crate::position::{Owner, Position};
use crate::rules::{Ruleset, Scoring, Settlement, Tax};
use crate::search::Restriction;
use crate::types::{Color, Move, Point, PointSet};
use std::time::{Duration, Instant};

/// Below this win rate the search agrees that the game is lost; above 1 minus this, that it is won.
const LOST: f32 = 0.25;

/// The game is decided if the win rate is below this or above 1 minus this.
const DECIDED: f32 = 0.05;

/// Ownership above which a point is settled, from the strictest test to the loosest: all points
/// before a needless play, a point of own territory that needs no protection, the point of a play,
/// all points of a settled board, and any other point.
const SETTLED: f32 = 0.9;
const OWN_SETTLED: f32 = 0.8;
const PLAY_SETTLED: f32 = 0.8;
const BOARD_SETTLED: f32 = 0.7;
const PROBABLY_SETTLED: f32 = 0.5;

/// A share of one in this many unsettled points is few, by playouts and with a network.
const FEW_BY_PLAYOUTS: usize = 20;
const FEW_BY_NETWORK: usize = 10;

/// A move of the playouts counts if it has one in this many of the most visits.
const VISITED_ENOUGH: u32 = 20;

/// Win rate that filling a dame may lose compared with the best move.
const DAME_WIN_RATE: f32 = 0.1;

/// Points that a pass may lose: a smaller difference between two searches is noise.
const NOISE_POINTS: f64 = 0.5;

/// Win rate that a pass may lose: a smaller difference is noise too.
const NOISE_WIN_RATE: f32 = 0.05;

/// Network evaluations in a search for the opponent's replies to a pass.
const REPLIES: u64 = 100;

/// Playouts that check a pass without a network, and the win rate and points that the pass
/// may lose. These cover the noise of so few playouts and the point that a pass costs under
/// area scoring.
const PASS_PLAYOUTS: u64 = 500;
const PASS_WIN_RATE: f32 = 0.1;
const PASS_POINTS: f64 = 4.0;

/// Minimum playouts for an immediate move to rely on their ownership.
const MIN_PLAYOUTS: u64 = 8;

/// Minimum search time before the choice may count as clear.
const CLEAR_AFTER: Duration = Duration::from_millis(20);

/// Value of a move at the start of an even game, in points: twice a fair komi.
const FIRST_MOVE: f64 = 14.0;

/// Points by which the player to move was behind before the first move, from handicap and
/// komi.
fn behind_at_the_start(position: &Position) -> f64 {
    let stones = position.handicap().saturating_sub(1);
    let black_leads = FIRST_MOVE * f64::from(stones) + FIRST_MOVE / 2.0 - position.white_bonus();
    match position.to_move() {
        Color::White => black_leads,
        Color::Black => -black_leads,
    }
}

/// Should the player to move, `behind` points behind, wait for mistakes rather than resign? The
/// handicap giver starts out losing. It may still catch up until the turns reach two thirds of the
/// board's points, unless it has lost much more since.
pub(super) fn waits_for_mistakes(position: &Position, behind: f64) -> bool {
    let at_the_start = behind_at_the_start(position);
    let area = position.size().area();
    let handicap = FIRST_MOVE / 4.0..area as f64;
    handicap.contains(&at_the_start)
        && 3 * position.turns().len() < 2 * area
        && behind < 1.5 * at_the_start
}

/// May the search stop? Before `optimum`, only if the second move cannot catch up even with all
/// visits until then. After it, unless the first move has a rival.
pub(super) fn enough(progress: &Progress<'_>, optimum: Duration) -> bool {
    let used = progress.elapsed;
    if used < CLEAR_AFTER.min(optimum) {
        return false;
    }
    let Some(standing) = progress.standing() else {
        return false;
    };
    if used >= optimum {
        return !standing.rival;
    }
    if progress.playouts() == 0 {
        // The speed is not known yet.
        return false;
    }
    let rate = progress.playouts() as f64 / used.as_secs_f64();
    let to_come = rate * (optimum - used).as_secs_f64();
    f64::from(standing.first.saturating_sub(standing.second)) > to_come
}

impl Engine {
    /// Choose the move after a search: the search's best, unless nothing is left to gain and
    /// a pass does no harm.
    ///
    /// If the clock allows no judgement, the search's ownership replaces it, and the engine plays
    /// on while any point is worth a move.
    pub(super) fn choose(
        &mut self,
        position: &Position,
        found: &AnalysisReport,
        plan: &TimePlan,
    ) -> Move {
        let Some(best) = found.moves.first() else {
            return Move::Pass;
        };
        let passed = position.consecutive_passes() > 0;
        let too_few = !passed && found.playouts < MIN_PLAYOUTS;
        if plan.immediate_by.is_some() && (too_few || is_early(position)) {
            // After a few playouts, which may all end alike, every point looks settled.
            return best_play(found);
        }
        let knows = plan.immediate_by.is_none() && self.analyst.uses_network();
        // Playouts do not know when to pass, so once the board looks settled the judgement decides
        // whether their move is of any use. Under territory scoring a play in territory costs a
        // point that a pass does not.
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
        let judgement = self.judge_pass(position, found, plan);
        let end = Ending {
            position,
            found,
            answer_by: plan.answer_by(),
            margin: position.to_move().sign() as f64 * judgement.score().margin(),
            dame: dame(position, &judgement, &found.moves),
            judgement,
        };
        match knows && end.judgement.thoroughness().is_some() {
            true => self.choose_by_network(&end),
            false => self.choose_by_ownership(&end),
        }
    }

    /// Choose a move with the network near the end of the game: the search's move if a pass
    /// costs something, otherwise a protective move, a dame or the pass.
    fn choose_by_network(&mut self, end: &Ending<'_>) -> Move {
        if self.pass_costs(end) {
            return best_play(end.found);
        }
        if end.plays_out() && end.pass_wins() {
            return Move::Pass;
        }
        let (attacked, needed) = end.attacked();
        // The search would pass because it hopes to win so, but the count says that this loses.
        let chance = match end.passing_loses() {
            true => end.worthwhile(&attacked, |m| m.visits > 0),
            false => None,
        };
        let play = chance.or(needed).or(end.dame);
        play.map_or(Move::Pass, Move::Play)
    }

    /// Choose a move on a settled board with playouts, or with a network if there is no time for a
    /// judgement: by the ownership of points.
    fn choose_by_ownership(&mut self, end: &Ending<'_>) -> Move {
        let moves = &end.found.moves;
        let most = moves.first().map_or(0, |m| m.visits);
        let win_rate = moves.first().map_or(end.found.win_rate, |m| m.win_rate);
        let hurried = end.judgement.thoroughness().is_none();
        let settled = end.is_settled();
        if end.pass_wins() && end.plays_out() {
            return Move::Pass;
        }
        if end.pass_wins() && settled {
            // The opponent may claim anything that can still be captured.
            let (_, needed) = end.attacked();
            return needed.map_or(Move::Pass, Move::Play);
        }
        // Play on if the search disagrees with the judgement.
        let agreed = match end.margin {
            m if m > 0.0 => win_rate > 1.0 - LOST,
            m if m < 0.0 => win_rate < LOST,
            _ => true,
        };
        if !agreed && !hurried {
            return best_play(end.found);
        }
        // In a decided game the search hardly distinguishes moves.
        let decided = !(DECIDED..=1.0 - DECIDED).contains(&win_rate);
        let (attacked, needed) = end.attacked();
        if let Some(p) = needed.filter(|_| decided) {
            return Move::Play(p);
        }
        // The search's best move, except passes and worthless moves.
        let fighting = end.worthwhile(&attacked, |m| hurried || m.visits * VISITED_ENOUGH >= most);
        if let Some(p) = fighting.or(needed).or(end.dame) {
            return Move::Play(p);
        }
        let ended = end.margin > 0.0 || settled || decided;
        if hurried || ended && self.pass_is_safe(end.position, end.found) {
            return Move::Pass;
        }
        // A pass would lose points or the game.
        best_play(end.found)
    }

    /// Is a pass safe, according to playouts of the position after it? A pass that ends the game is
    /// always safe: the count has decided.
    fn pass_is_safe(&mut self, position: &Position, found: &AnalysisReport) -> bool {
        let c = position.to_move();
        if position.pass_would_end() || found.moves.first().is_some_and(|m| m.mv == Move::Pass) {
            return true;
        }
        let passed = self.after_pass(position, PASS_PLAYOUTS);
        passed.win_rate_of(c) > found.win_rate - PASS_WIN_RATE
            && passed.lead_of(c) > found.score.lead - PASS_POINTS
    }

    /// Is the search's best move a play that is better than a pass? It is if the pass loses the
    /// count although the search sees a chance, if the pass loses more than [`NOISE_POINTS`] or,
    /// unless the count is lost anyway, more than [`NOISE_WIN_RATE`].
    ///
    /// Both moves are estimated by searches, so that the network's errors about the score
    /// cancel.
    fn pass_costs(&mut self, end: &Ending<'_>) -> bool {
        let (position, c) = (end.position, end.position.to_move());
        let Some(best) = end.found.moves.first() else {
            return false;
        };
        if best.mv == Move::Pass {
            return false;
        }
        if end.passing_loses() {
            return true;
        }
        let passed = self.after_pass(position, REPLIES);
        let lead = best.score.lead;
        // Any play has a better win rate than a pass that loses for certain.
        end.margin >= 0.0 && passed.win_rate_of(c) < best.win_rate - NOISE_WIN_RATE
            || passed.lead_of(c) < lead - NOISE_POINTS
    }

    /// A move towards the capture of these stones, the opponent's; a pass if none is legal.
    pub(super) fn capture(
        &mut self,
        position: &Position,
        stones: &[Point],
        found: &AnalysisReport,
        plan: &TimePlan,
    ) -> Move {
        let moves = capturing_moves(position, stones);
        let known = found.moves.iter().map(|m| m.mv).find(|m| moves.contains(m));
        let likely = known.or(moves.first().copied()).unwrap_or(Move::Pass);
        if moves.len() < 2 || plan.immediate_by.is_some() {
            return likely;
        }
        // Search as if all stones on the board at its end were alive.
        let mut played_out = position.clone();
        played_out.set_rules(Ruleset {
            scoring: Scoring::Area,
            tax: Tax::None,
            settlement: Settlement::PlayOut,
            pass_costs_stone: false,
            ..*position.rules()
        });
        let report = self.analyst.side_search(&AnalysisRequest {
            seed: self.settings.seed,
            restrictions: vec![Restriction::only(position.to_move(), moves, 1)],
            ..AnalysisRequest::new(played_out)
        });
        report.moves.first().map_or(likely, |m| m.mv)
    }

    /// Search the position after a pass briefly.
    fn after_pass(&mut self, position: &Position, playouts: u64) -> AnalysisReport {
        self.analyst.side_search(&AnalysisRequest {
            limits: Limits::of_playouts(playouts),
            seed: self.settings.seed,
            ..AnalysisRequest::new(position.after(Move::Pass))
        })
    }
}

/// The end of a game: the position, its search report, and the judgement of the position after a
/// pass by the player to move.
struct Ending<'a> {
    position: &'a Position,
    found: &'a AnalysisReport,
    judgement: Judgement,
    /// Latest time of the answer.
    answer_by: Option<Instant>,
    /// The player's margin in the count if the game ends now.
    margin: f64,
    /// The most visited dame that is safe to fill.
    dame: Option<Point>,
}

impl Ending<'_> {
    /// Are all stones alive when the game ends?
    fn plays_out(&self) -> bool {
        self.position.rules().settlement == Settlement::PlayOut
    }

    /// Does a pass end the game with a win, with no dame left to fill?
    fn pass_wins(&self) -> bool {
        self.position.pass_would_end() && self.margin > 0.0 && self.dame.is_none()
    }

    /// Is the count lost after a pass, while the search still sees a chance?
    fn passing_loses(&self) -> bool {
        let best = self.found.moves.first().map_or(0.0, |m| m.win_rate);
        let hopeless = match self.position.pass_would_end() {
            true => LOST,
            false => 0.5,
        };
        self.margin < 0.0 && best > hopeless
    }

    /// What the opponent can still capture, and a legal move that protects it before the game
    /// stops.
    fn attacked(&self) -> (Attacked, Option<Point>) {
        let (board, c) = (self.position.board(), self.position.to_move());
        let attacked = self.judgement.attacked(board, c, self.answer_by);
        let mut points = attacked.threats.iter().map(|t| t.protection);
        let needed = points.find(|&p| self.position.legality(c, Move::Play(p)).is_ok());
        (attacked, needed)
    }

    /// Is every point except dame settled, by its ownership or by searches of the chains?
    fn is_settled(&self) -> bool {
        let (board, judgement) = (self.position.board(), &self.judgement);
        board.size().points().all(|p| match judgement.owner(p) {
            Owner::Player(c) => {
                let searched = |q: Point| board.is_empty(q) || judgement.is_certain(q);
                let around = p.neighbours();
                let mut own = around.iter().filter(|&&q| board.at(q).color() == Some(c));
                c.sign() as f32 * judgement.ownership(p) > PROBABLY_SETTLED
                    || (searched(p) && own.all(|&q| judgement.is_certain(q)))
            }
            // Neutral points count as settled, even a large region that is not played out.
            Owner::Neither => true,
        })
    }

    /// The search's best play that is not worthless, among its moves that `counts` accepts.
    fn worthwhile(
        &self,
        attacked: &Attacked,
        counts: impl Fn(&MoveReport) -> bool,
    ) -> Option<Point> {
        let moves = self.found.moves.iter().filter(|m| counts(m));
        let mut plays = moves.filter_map(|m| m.mv.point());
        plays.find(|&p| !self.is_worthless(attacked, p))
    }

    /// Is a play at this point worthless: in undisputed territory, or self-atari in a seki?
    fn is_worthless(&self, attacked: &Attacked, p: Point) -> bool {
        let (board, c) = (self.position.board(), self.position.to_move());
        match self.judgement.owner(p) {
            Owner::Player(owner) => {
                // Own territory may need a protective move.
                let enough = if owner == c {
                    OWN_SETTLED
                } else {
                    PROBABLY_SETTLED
                };
                owner.sign() as f32 * self.judgement.ownership(p) > enough
                    || (owner == c && attacked.holds_around(board, c, p))
            }
            Owner::Neither => in_seki(&self.judgement, p) && board.is_self_atari(c, p),
        }
    }
}

/// The search's best move that is not a pass; a pass if there is none.
fn best_play(found: &AnalysisReport) -> Move {
    let mut moves = found.moves.iter().map(|m| m.mv);
    moves.find(|&m| m != Move::Pass).unwrap_or(Move::Pass)
}

/// The legal moves that capture one of these stones, the opponent's, soonest: under territory rules
/// each move costs a point if the opponent passes. Self-atari and eyes come last.
fn capturing_moves(position: &Position, stones: &[Point]) -> Vec<Move> {
    let (board, c) = (position.board(), position.to_move());
    let regions = board.empty_regions();
    let eyes: PointSet = regions
        .filter(|region| region.owner == Some(c.opponent()))
        .flat_map(|region| region.points)
        .collect();
    let is_legal = |p: &Point| position.legality(c, Move::Play(*p)).is_ok();
    let mut moves = Vec::new();
    for &stone in stones.iter().filter(|p| board.chain(**p) == **p) {
        let liberties = board.liberties_of(board.chain_stones(stone));
        let left = liberties.len();
        moves.extend(liberties.into_iter().filter(is_legal).map(|p| {
            let self_atari = left > 1 && board.is_self_atari(c, p);
            ((self_atari, eyes.contains(p), left), p)
        }));
    }
    let Some(least) = moves.iter().map(|(cost, _)| *cost).min() else {
        return Vec::new();
    };
    moves.retain(|(cost, _)| *cost == least);
    let mut points: Vec<Point> = moves.into_iter().map(|(_, p)| p).collect();
    if let (true, ..) = least {
        // An approach move may make the capture safe.
        let around = points.iter().flat_map(|p| p.neighbours());
        let approaches: Vec<Point> = around.filter(|&p| board.is_empty(p)).collect();
        points.extend(approaches.into_iter().filter(is_legal));
    }
    points.sort_unstable_by_key(|p| p.index());
    points.dedup();
    points.into_iter().map(Move::Play).collect()
}

/// Does the point of the best move, or most of the board, look settled by ownership? A cheap
/// test of whether a judgement is worth its time.
fn looks_settled(position: &Position, ownership: &Ownership, best: Move) -> bool {
    match best {
        Move::Pass => true,
        Move::Play(p) => {
            let unsure = position
                .size()
                .points()
                .filter(|&q| ownership.of(q).abs() < BOARD_SETTLED)
                .count();
            ownership.of(p).abs() > PLAY_SETTLED
                || unsure * FEW_BY_PLAYOUTS < position.size().area()
        }
    }
}

/// Is the best move a play in territory, on a board with few unsettled points? Also a cheap test.
fn looks_needless(position: &Position, ownership: &Ownership, best: Move) -> bool {
    let settled = |p: Point| ownership.of(p).abs() > SETTLED;
    let unsure = || position.size().points().filter(|&p| !settled(p)).count();
    best.point().is_some_and(settled) && unsure() * FEW_BY_NETWORK < position.size().area()
}

/// The most visited dame that is safe to fill.
fn dame(position: &Position, judgement: &Judgement, moves: &[MoveReport]) -> Option<Point> {
    let c = position.to_move();
    let best = moves.first()?;
    let board = position.board();
    moves
        .iter()
        .filter(|m| m.visits > 0 && m.win_rate > best.win_rate - DAME_WIN_RATE)
        .filter_map(|m| m.mv.point())
        .find(|&p| {
            judgement.owner(p) == Owner::Neither
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
