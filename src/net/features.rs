//! Features of a position, version 7 of KataGo's: 22 planes and 19 numbers.

use super::area::{self, Owners};
use super::forward::Features;
use super::ladders::LadderReader;
use super::model::GLOBALS;
use crate::board::Board;
use crate::position::{Line, Position, Root, Turn};
use crate::rules::{KoRule, Ruleset, Scoring, Settlement, SuicideRule, Tax};
use crate::types::{BoardSize, Color, Move, Point};
use std::sync::Arc;

/// Turns of the game that the networks look at.
pub const RECENT: usize = 5;

/// A position as far as a network wants to know it.
#[derive(Clone, Debug)]
pub struct Situation {
    /// The stones.
    pub board: Board,
    /// The stones one and two turns ago.
    pub before: [Board; 2],
    /// The player to move.
    pub to_move: Color,
    /// The last turns, the last one first, as long as colours alternate.
    pub recent: Vec<Move>,
    /// Points where the player may not play because of a ko or a repetition.
    pub banned: Vec<Point>,
    /// The rules.
    pub rules: Ruleset,
    /// What is added to White's count: komi, compensation, and under territory
    /// scoring what stones played so far have cost Black more than White.
    pub bonus: f32,
    /// Is there a button that nobody has taken?
    pub button: bool,
    /// Would a pass end the game?
    pub pass_ends: bool,
    /// Has it ended?
    pub ended: bool,
}

impl Situation {
    /// An empty board, to be filled in.
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

    /// Of a position in a game, with its player to move.
    pub fn of(position: &Position) -> Situation {
        let mut s = Situation::new(position.size(), *position.rules());
        s.set(&Line::new(Arc::new(Root::new(position.clone()))));
        s
    }

    /// Become the situation at the end of a line.
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

    /// Look at the stones as if nobody had passed: what will become of them if the
    /// player to move goes on?
    pub fn forget_passes(&mut self) {
        self.recent.clear();
        self.pass_ends = false;
        self.ended = false;
    }

    /// Look at a line as if nothing had been played before its root.
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

    /// Take the last turns, which come last first.
    fn set_recent<'a>(&mut self, latest_first: impl Iterator<Item = &'a Turn>) {
        self.recent.clear();
        let mut color = self.to_move;
        for turn in latest_first.take(RECENT) {
            color = color.opponent();
            // Two passes have stopped a game that is taken up again: networks have never
            // seen what was before them.
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

/// The features of a position for networks up to version 14, which take suicide for
/// what the rules say of it.
pub fn encode(s: &Situation) -> Features {
    let mut features = Features::default();
    Encoder::default().encode(s, false, &mut features);
    features
}

/// Does the network count area under these rules? Those that count territory but
/// let a pass cost a stone come to the same.
pub(super) fn counts_area(rules: &Ruleset) -> bool {
    rules.scoring == Scoring::Area || rules.pass_costs_stone
}

/// What is added to White's count: komi and compensation, the button where somebody
/// holds it, and what a network does not know, since it counts area: under territory scoring
/// the stones that Black has played more than White, where passes cost a stone those of both
/// at the end, when White has passed last.
fn bonus(line: &Line) -> f32 {
    let rules = line.rules();
    let holder = line.button().map_or(0.0, |holder| holder.sign() as f32);
    let spent = match rules.scoring {
        Scoring::Territory => {
            let passes_more = rules.white_passes_last && line.to_move() == Color::White;
            let to_come = rules.pass_costs_stone && passes_more;
            line.board().played_balance() - i32::from(to_come)
        }
        Scoring::Area if rules.pass_costs_stone => line.pass_balance(),
        Scoring::Area => 0,
    };
    line.white_bonus() as f32 - 0.5 * holder + spent as f32
}

/// Komi beyond the area is as good as the area.
const KOMI_BEYOND: f32 = 20.0;

/// Makes features.
#[derive(Default)]
pub struct Encoder {
    ladders: LadderReader,
}

impl Encoder {
    /// The features of a position. Rows begin at the top of the board. Unconditionally
    /// alive areas follow the rules for suicide, or `area_with_suicide` takes it for legal
    /// always; see [`super::Model::area_with_suicide`].
    pub fn encode(&mut self, s: &Situation, area_with_suicide: bool, f: &mut Features) {
        let size = s.board.size();
        let (width, height) = (size.width() as usize, size.height() as usize);
        let (own, c) = (s.to_move, s.to_move.opponent());
        f.size = (width, height);
        f.planes.clear();
        f.planes.resize(width * height, 1);
        f.globals = [0.0; GLOBALS];
        let rules = &s.rules;
        let by_area = counts_area(rules);
        let agreed = rules.settlement != Settlement::PlayOut;
        let friendly = by_area && agreed && rules.ko != KoRule::Spight;
        // Where players agree on what is dead, a pass is not what decides: it is
        // judged as if the game went on.
        let hidden = s.pass_ends && friendly && !s.ended;
        let recent = match (hidden, s.ended) {
            (true, _) => &[],
            (_, true) => &s.recent[..s.recent.len().min(1)],
            _ => &s.recent[..],
        };
        let now = self.ladders.read(&s.board);
        let before1 = if recent.is_empty() {
            &s.board
        } else {
            &s.before[0]
        };
        let before2 = if recent.len() < 2 {
            before1
        } else {
            &s.before[1]
        };
        let earlier = [self.ladders.read(before1), self.ladders.read(before2)];
        let owners = owners(rules, &s.board, area_with_suicide);
        let mut at = 0;
        for y in (0..height as u8).rev() {
            for x in 0..width as u8 {
                let p = Point::new(x, y);
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
                f.planes[at] = bits;
                at += 1;
            }
        }
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
        let limit = size.area() as f32 + KOMI_BEYOND;
        let komi = match own {
            Color::White => s.bonus,
            Color::Black => -s.bonus,
        };
        let komi = komi.clamp(-limit, limit);
        f.globals[5] = komi / 20.0;
        (f.globals[6], f.globals[7]) = match rules.ko {
            KoRule::Simple => (0.0, 0.0),
            KoRule::Positional | KoRule::Spight => (1.0, 0.5),
            KoRule::Situational | KoRule::OwnMoves => (1.0, -0.5),
        };
        let flag = |on: bool| if on { 1.0 } else { 0.0 };
        f.globals[8] = flag(rules.suicide != SuicideRule::Forbidden);
        f.globals[9] = flag(!by_area);
        f.globals[10] = flag(rules.tax != Tax::None);
        f.globals[11] = flag(rules.tax == Tax::All);
        f.globals[14] = flag(s.pass_ends && !hidden);
        f.globals[17] = flag(s.button);
        if by_area {
            f.globals[18] = parity_wave(komi, size.area());
        }
    }
}

/// The owners of areas: none where territory is counted.
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

/// What a little more komi is worth: a triangular wave of period 2 that rises
/// through 0 at the komi with which the game can be drawn.
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
    fn the_wave_rises_through_drawn_games() {
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
