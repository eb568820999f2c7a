//! Input features of a position, KataGo's version 7: 22 planes and 19 global features.

use super::area::{self, Owners};
use super::ladders::LadderReader;
use super::model::GLOBALS;
use super::planes::Features;
use crate::board::Board;
use crate::position::{Line, Position, Root, Turn};
use crate::rules::{KoRule, Ruleset, Scoring, Settlement, SuicideRule, Tax};
use crate::types::{BoardSize, Color, Move, Point};
use std::sync::Arc;

/// Number of recent turns that the networks see.
pub const RECENT: usize = 5;

/// Everything about a position that the features depend on.
#[derive(Clone, Debug)]
pub struct Situation {
    /// The stones.
    pub board: Board,
    /// The stones one and two turns ago.
    pub before: [Board; 2],
    /// The player to move.
    pub to_move: Color,
    /// Recent turns, latest first: at most [`RECENT`], as long as colours alternate, and none before
    /// two passes in a row unless the rules let White pass last.
    pub recent: Vec<Move>,
    /// Points forbidden to the player to move by ko or superko.
    pub banned: Vec<Point>,
    /// The rules.
    pub rules: Ruleset,
    /// Bonus for White: komi, compensation, the button, and a balance of stones or passes that
    /// the network cannot see.
    pub bonus: f32,
    /// Can the button still be taken?
    pub button: bool,
    /// Would a pass end the game?
    pub pass_ends: bool,
    /// Has the game ended?
    pub ended: bool,
}

impl Situation {
    /// Create the situation of an empty board.
    pub fn new(size: BoardSize, rules: Ruleset) -> Situation {
        let board = Board::new(size);
        Situation {
            before: [board.clone(), board.clone()],
            board,
            to_move: Color::Black,
            recent: Vec::with_capacity(RECENT),
            banned: Vec::new(),
            rules,
            bonus: 0.0,
            button: false,
            pass_ends: false,
            ended: false,
        }
    }

    /// Describe a position in a game.
    pub fn of(position: &Position) -> Situation {
        let mut s = Situation::new(position.size(), *position.rules());
        s.set(&Line::new(Arc::new(Root::new(position.clone()))));
        s
    }

    /// Set to the position at the end of a line.
    pub fn set(&mut self, line: &Line) {
        self.board.copy_from(line.board());
        line.boards_before(&mut self.before);
        self.to_move = line.to_move();
        self.rules = *line.rules();
        self.set_recent(line.latest_turns());
        let empty = line.board().empty_points().iter().copied();
        self.banned.clear();
        self.banned.extend(empty.filter(|&p| line.is_banned(p)));
        // The order of the empty points depends on the line that led here.
        self.banned.sort_unstable_by_key(|p| p.raw());
        self.bonus = bonus(line);
        self.button = line.button_is_free();
        self.pass_ends = line.pass_would_end();
        self.ended = line.is_over();
    }

    /// Hide the recent moves and the end of the game, so that the network judges the stones as if
    /// the player to move continued.
    pub fn forget_passes(&mut self) {
        self.recent.clear();
        self.pass_ends = false;
        self.ended = false;
    }

    /// Treat the root of the line as the start of the game.
    pub fn forget_before_root(&mut self, line: &Line) {
        let turns = line.turns().len();
        self.recent.truncate(turns);
        let root = line.root().board();
        if turns < 2 {
            self.before[1].copy_from(root);
        }
        if turns < 1 {
            self.before[0].copy_from(root);
        }
    }

    /// Set the recent turns from an iterator, latest first.
    fn set_recent<'a>(&mut self, latest_first: impl Iterator<Item = &'a Turn>) {
        self.recent.clear();
        let mut color = self.to_move;
        for turn in latest_first.take(RECENT) {
            color = color.opponent();
            // Two passes in a row stopped the game before it was resumed. In training, networks
            // never see the moves before them.
            let stopped = turn.mv == Move::Pass
                && self.recent.last() == Some(&Move::Pass)
                && !(self.rules.white_passes_last && color == Color::White);
            if turn.color != color || stopped {
                break;
            }
            self.recent.push(turn.mv);
        }
    }
}

/// Encode a position for networks up to version 14, whose area features follow the
/// suicide rule.
pub fn encode(s: &Situation) -> Features {
    let mut features = Features::default();
    Encoder::default().encode(s, false, &mut features);
    features
}

/// Does the network use area scoring under these rules? Territory scoring where a pass
/// costs a stone gives the same results.
pub(super) fn counts_area(rules: &Ruleset) -> bool {
    rules.scoring == Scoring::Area || rules.pass_costs_stone
}

/// Compute the bonus for White: komi and compensation, half a point for the holder of the
/// button, and a balance that the network cannot see. Under territory scoring, the balance is
/// Black's played stones minus White's; a last pass that White owes counts as a White stone. Under
/// area scoring where passes cost a stone, it is Black's passes minus White's.
fn bonus(line: &Line) -> f32 {
    let rules = line.rules();
    let holder = line.button().map_or(0.0, |holder| holder.sign() as f32);
    let spent = match rules.scoring {
        Scoring::Territory => line.board().played_balance() - i32::from(line.owes_pass()),
        Scoring::Area if rules.pass_costs_stone => line.pass_balance(),
        Scoring::Area => 0,
    };
    line.white_bonus() as f32 - 0.5 * holder + spent as f32
}

/// Komi is clamped to the board area plus this.
const KOMI_MARGIN: f32 = 20.0;

/// Encodes features.
#[derive(Default)]
pub struct Encoder {
    ladders: LadderReader,
}

impl Encoder {
    /// Encode a position into `f`. Rows start at the top of the board. Unconditionally alive
    /// areas follow the suicide rule; with `area_with_suicide`, suicide is always legal for
    /// them. See [`super::Model::area_with_suicide`].
    ///
    /// Planes: 0 board, 1 stones of the player to move, 2 of the opponent, 3 to 5 chains with one
    /// to three liberties, 6 forbidden by ko, 9 to 13 recent plays (the latest first), 14 to 16
    /// chains caught in ladders (now, and one and two turns ago), 17 plays that start a ladder, 18
    /// area of the player to move, 19 of the opponent. Global features: 0 to 4 recent passes, 5
    /// komi, 6 and 7 ko rule, 8 suicide, 9 territory scoring, 10 and 11 tax, 14 a pass ends the
    /// game, 17 button, 18 parity of the komi. The others are 0.
    pub fn encode(&mut self, s: &Situation, area_with_suicide: bool, f: &mut Features) {
        let size = s.board.size();
        let (width, height) = size.dims();
        f.size = (width, height);
        f.globals = [0.0; GLOBALS];
        let rules = &s.rules;
        let agreed = rules.settlement != Settlement::PlayOut;
        let friendly = counts_area(rules) && agreed && rules.ko != KoRule::Spight;
        // Under area rules with agreement on dead stones, a pass does not decide the game: encode the
        // position as if the game went on. Not under Spight's rule.
        let hidden = s.pass_ends && friendly && !s.ended;
        let recent = match (hidden, s.ended) {
            (true, _) => &[],
            (_, true) => &s.recent[..s.recent.len().min(1)],
            _ => &s.recent[..],
        };
        self.encode_stones(s, recent.len(), area_with_suicide, f);
        let place = |p: Point| (height - 1 - p.y() as usize) * width + p.x() as usize;
        for &p in &s.banned {
            f.planes[place(p)] |= 1 << 6;
        }
        for (i, m) in recent.iter().enumerate() {
            match m {
                Move::Play(p) => f.planes[place(*p)] |= 1 << (9 + i),
                Move::Pass => f.globals[i] = 1.0,
            }
        }
        encode_rules(s, &mut f.globals);
        f.globals[14] = flag(s.pass_ends && !hidden);
    }

    /// Encode the planes of stones, liberties, ladders and areas. `recent` is the number of recent
    /// turns that the network sees. For each hidden turn, the board before it is replaced by the
    /// one after it.
    fn encode_stones(
        &mut self,
        s: &Situation,
        recent: usize,
        area_with_suicide: bool,
        f: &mut Features,
    ) {
        let size = s.board.size();
        let (own, c) = (s.to_move, s.to_move.opponent());
        let now = self.ladders.read(&s.board);
        let before1 = if recent == 0 { &s.board } else { &s.before[0] };
        let before2 = if recent < 2 { before1 } else { &s.before[1] };
        let earlier = [self.ladders.read(before1), self.ladders.read(before2)];
        let owners = owners(&s.rules, &s.board, area_with_suicide);
        f.planes.clear();
        f.planes.extend(size.from_the_top().map(|p| {
            let mut bits = 1;
            if let Some(owner) = s.board.at(p).color() {
                bits |= if owner == own { 1 << 1 } else { 1 << 2 };
                if let n @ 1..=3 = s.board.liberties_up_to::<4>(p).len() {
                    bits |= 1 << (2 + n);
                }
            }
            bits |= u32::from(now.caught.contains(p)) << 14;
            bits |= u32::from(earlier[0].caught.contains(p)) << 15;
            bits |= u32::from(earlier[1].caught.contains(p)) << 16;
            bits |= u32::from(now.begins[c.index()].contains(p)) << 17;
            match owners.as_ref().and_then(|o| o[p.index()]) {
                Some(owner) if owner == own => bits |= 1 << 18,
                Some(_) => bits |= 1 << 19,
                None => {}
            }
            bits
        }));
    }
}

/// Encode the rules and the komi.
fn encode_rules(s: &Situation, globals: &mut [f32; GLOBALS]) {
    let (rules, area) = (&s.rules, s.board.size().area());
    let by_area = counts_area(rules);
    let limit = area as f32 + KOMI_MARGIN;
    let komi = match s.to_move {
        Color::White => s.bonus,
        Color::Black => -s.bonus,
    };
    let komi = komi.clamp(-limit, limit);
    globals[5] = komi / 20.0;
    (globals[6], globals[7]) = match rules.ko {
        KoRule::Simple => (0.0, 0.0),
        KoRule::Positional | KoRule::Spight => (1.0, 0.5),
        KoRule::Situational | KoRule::OwnMoves => (1.0, -0.5),
    };
    globals[8] = flag(rules.suicide != SuicideRule::Forbidden);
    globals[9] = flag(!by_area);
    globals[10] = flag(rules.tax != Tax::None);
    globals[11] = flag(rules.tax == Tax::All);
    globals[17] = flag(s.button);
    if by_area {
        globals[18] = parity_wave(komi, area);
    }
}

fn flag(on: bool) -> f32 {
    if on { 1.0 } else { 0.0 }
}

/// Compute the owner of each point's area; `None` unless area is counted ([`counts_area`]).
fn owners(rules: &Ruleset, board: &Board, area_with_suicide: bool) -> Option<Owners> {
    if !counts_area(rules) {
        return None;
    }
    let suicide = area_with_suicide || rules.suicide != SuicideRule::Forbidden;
    Some(match rules.tax {
        Tax::None => area::area(board, suicide),
        Tax::Seki | Tax::All => area::independent_area(board, suicide),
    })
}

/// Compute the value of slightly more komi: a triangular wave of period 2 that rises
/// through 0 at komi values that allow a draw.
fn parity_wave(komi: f32, area: usize) -> f32 {
    let drawn = (area % 2) as f32;
    let delta = (komi - drawn).rem_euclid(2.0);
    if delta < 0.5 {
        delta
    } else if delta < 1.5 {
        1.0 - delta
    } else {
        delta - 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parity_wave_rises_at_komi_that_allows_a_draw() {
        for (komi, area, wave) in [
            (7.0, 81, 0.0),
            (7.5, 81, 0.5),
            (6.5, 81, -0.5),
            (8.0, 81, 0.0),
            (-0.5, 64, -0.5),
            (0.25, 64, 0.25),
        ] {
            assert!(
                (parity_wave(komi, area) - wave).abs() < 1e-6,
                "{komi} {area}"
            );
        }
    }
}
