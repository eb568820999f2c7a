//! Lines of play that a search tries from a position.
//!
//! [`Position`] is the record of a game: it can tell which earlier turn a move would
//! repeat, and undo turns. A [`Line`] answers the questions of a search quickly: is
//! this move legal, has the line ended, what is the margin. It follows the same
//! rules; `tests/line.rs` compares the two turn by turn.

use super::handicap::{gives_handicap, handicap_of};
use super::repetition::{cycle_length, last_reset, repeated};
use super::root::{captured_by, small_capture};
use super::{Position, Root, Turn};
use crate::board::Board;
use crate::rules::{KoRule, LongCycle, Ruleset, Scoring, Settlement};
use crate::types::{Color, GOLDEN, Move, Point, splitmix};
use std::sync::Arc;

/// How a line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// By passes. All stones on the board are alive.
    AllAlive,
    /// By passes. Which stones are dead must be judged.
    ToJudge,
    /// By a long cycle, with no result (Japanese 1989, Article 12).
    NoResult,
}

/// A line of play from a position, with alternating turns.
///
/// ```
/// use ponnuki::position::{LineEnd, Line, Position, Root};
/// use ponnuki::rules::preset;
/// use ponnuki::types::{BoardSize, Color, Move, Point};
/// use std::sync::Arc;
///
/// let rules = preset("tromp-taylor").unwrap().rules;
/// let position = Position::new(BoardSize::square(9), rules);
/// let mut line = Line::new(Arc::new(Root::new(position)));
/// line.play(Move::Play(Point::new(4, 4)));
/// line.play(Move::Pass);
/// assert!(line.pass_would_end());
/// line.play(Move::Pass);
/// assert_eq!(line.end(), Some(LineEnd::AllAlive));
/// line.reset();
/// assert_eq!(line.to_move(), Color::Black);
/// ```
#[derive(Clone, Debug)]
pub struct Line {
    root: Arc<Root>,
    board: Board,
    to_move: Color,
    turns: Vec<Turn>,
    /// Passes in a row that count towards the end.
    passes: u32,
    button: Option<Color>,
    over: bool,
    pass_balance: i32,
    /// The contribution of the small captures since the root to [`Line::key`].
    small_captures: u64,
}

impl Line {
    /// A line without turns.
    pub fn new(root: Arc<Root>) -> Line {
        Line {
            board: root.position.board().clone(),
            to_move: root.position.to_move(),
            turns: Vec::with_capacity(64),
            passes: root.passes,
            button: root.button,
            over: root.over,
            pass_balance: root.pass_balance,
            small_captures: 0,
            root,
        }
    }

    /// Return to the root.
    pub fn reset(&mut self) {
        let root = &self.root;
        self.board.copy_from(root.position.board());
        self.to_move = root.position.to_move();
        self.turns.clear();
        self.passes = root.passes;
        self.button = root.button;
        self.over = root.over;
        self.pass_balance = root.pass_balance;
        self.small_captures = 0;
    }

    /// The position that the line starts from.
    #[inline]
    pub fn root(&self) -> &Position {
        &self.root.position
    }

    /// The position at the end of the line, with the record of the game and the line.
    pub fn position(&self) -> Position {
        let mut position = self.root.position.clone();
        for turn in &self.turns {
            position.play_unchecked(turn.color, turn.mv);
        }
        position
    }

    /// The rules in force.
    #[inline]
    pub fn rules(&self) -> &Ruleset {
        self.root.position.rules()
    }

    /// The board. Prisoners, including pass stones, are [`Board::captured`].
    #[inline]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The player whose turn it is.
    #[inline]
    pub fn to_move(&self) -> Color {
        self.to_move
    }

    /// Black's passes minus White's, without handicap passes, whether or not passes cost stones.
    pub fn pass_balance(&self) -> i32 {
        self.pass_balance
    }

    /// The turns since the root.
    #[inline]
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// All turns of the line and the game, latest first.
    pub fn latest_turns(&self) -> impl Iterator<Item = &Turn> {
        let of_game = self.root.position.turns().iter().rev();
        self.turns.iter().rev().chain(of_game)
    }

    /// The points of the last two turns, latest first; `None` for passes.
    pub fn last_points(&self) -> [Option<Point>; 2] {
        let mut turns = self.latest_turns();
        [0, 1].map(|_| turns.next().and_then(|t| t.mv.point()))
    }

    /// Copy the boards one and two turns ago into `boards`.
    pub fn boards_before(&self, boards: &mut [Board; 2]) {
        let root = self.root.position.board();
        let [one, two] = boards;
        match &self.turns[..] {
            [] => {
                one.copy_from(&self.root.earlier()[0]);
                two.copy_from(&self.root.earlier()[1]);
            }
            [_] => {
                one.copy_from(root);
                two.copy_from(&self.root.earlier()[0]);
            }
            [before @ .., last, _] => {
                two.copy_from(root);
                for t in before {
                    two.play_move(t.color, t.mv);
                }
                one.copy_from(two);
                one.play_move(last.color, last.mv);
            }
        }
    }

    /// Make a move, which must be legal.
    ///
    /// # Panics
    /// In debug builds, if the point is not empty.
    #[inline]
    pub fn play(&mut self, m: Move) {
        let c = self.to_move;
        match m {
            Move::Play(_) => {
                self.passes = 0;
                self.over = false;
            }
            Move::Pass => self.pass(c),
        }
        let before = self.board.hash();
        let taken = captured_by(&mut self.board, c, m);
        self.small_captures ^= small_capture(before, taken);
        self.turns.push(Turn {
            color: c,
            mv: m,
            hash: self.board.hash(),
        });
        self.to_move = c.opponent();
    }

    /// Update the state for a pass, except the turn.
    fn pass(&mut self, c: Color) {
        let ordinary = !self.would_be_handicap_pass();
        if ordinary {
            self.pass_balance += c.sign();
            if self.rules().pass_costs_stone {
                self.board.add_captured(c, 1);
            }
        }
        let counts = ordinary && !self.button_is_free();
        self.passes = if counts { self.passes + 1 } else { 0 };
        self.over = self.passes_end(self.passes);
        if self.button_is_free() {
            self.button = Some(c);
        }
    }

    /// Is a play of the player to move at an empty point legal and not suicide?
    ///
    /// Searches never try suicide: even if legal, it is at best a ko threat, and many
    /// controllers reject it.
    #[inline]
    pub fn is_worth_trying(&self, p: Point) -> bool {
        self.board.suicide_len(self.to_move, p).is_none() && !self.is_banned(p)
    }

    /// Does ko or superko forbid a play of the player to move at this empty point?
    /// Forbidden suicide is not checked.
    #[inline]
    pub fn is_banned(&self, p: Point) -> bool {
        match self.rules().ko {
            KoRule::Simple => self.board.ko() == Some(p) && self.opponent_moved_last(),
            rule => self.repeats(rule, p),
        }
    }

    /// Does superko forbid this move of the player to move? A play must be at an empty point.
    /// False for passes and under simple ko.
    #[inline]
    pub fn breaks_superko(&self, m: Move) -> bool {
        self.rules().ko != KoRule::Simple && m.point().is_some_and(|p| self.is_banned(p))
    }

    /// Did the opponent move last? A ko binds only the opponent of the capturer, not a player
    /// who moves twice in a row.
    fn opponent_moved_last(&self) -> bool {
        let last = self.latest_turns().next();
        last.is_none_or(|t| t.color != self.to_move)
    }

    /// Would a play repeat a position of the game or of the line?
    ///
    /// Suicide aside, only a position in which the player already had a stone at `p` can
    /// be repeated. That holds for few empty points, so the history is searched for
    /// those only.
    fn repeats(&self, rule: KoRule, p: Point) -> bool {
        let c = self.to_move;
        let stood = self.root.stood[c.index()].contains(p)
            || self
                .turns
                .iter()
                .any(|t| t.mv == Move::Play(p) && t.color == c);
        match self.board.suicide_len(c, p) {
            None if !stood => return false,
            Some(stones) if !self.rules().allows_suicide_of(stones) => return false,
            _ => {}
        }
        let hash = self.board.hash_after(c, p);
        // If the button was taken before the root, no pass of the line takes it.
        let reset = match self.root.button {
            Some(_) if rule != KoRule::Spight => None,
            _ => last_reset(self.rules(), &self.turns),
        };
        repeated(rule, &self.turns[reset.unwrap_or(0)..], c, hash).is_some()
            || (reset.is_none() && self.root.position.repeats(c, hash).is_some())
    }

    /// The holder of the button; `None` while it is free, or if there is no button.
    pub fn button(&self) -> Option<Color> {
        self.button
    }

    /// Is there a button that the next pass takes?
    #[inline]
    pub fn button_is_free(&self) -> bool {
        self.rules().button && self.button.is_none()
    }

    /// Number of consecutive passes that count towards the end, including those before the
    /// root.
    pub fn consecutive_passes(&self) -> u32 {
        self.passes
    }

    /// Would a pass now be a handicap pass of White?
    fn would_be_handicap_pass(&self) -> bool {
        self.rules().handicap_by_passes
            && self.to_move == Color::White
            && gives_handicap(&self.root.set_up, self.latest_turns())
    }

    /// Does a pass of the player to move, the last of `in_a_row`, end the game?
    fn passes_end(&self, in_a_row: u32) -> bool {
        let rules = self.rules();
        let c = self.to_move;
        let enough = match rules.ko {
            KoRule::Spight => {
                let again = (Move::Pass, c, self.board.hash());
                let before = self.root.position.turns_since_resumption();
                let mut turns = self.turns.iter().chain(before);
                turns.any(|t| (t.mv, t.color, t.hash) == again)
            }
            _ => in_a_row >= 2,
        };
        enough && (!rules.white_passes_last || c == Color::White)
    }

    /// Would a pass of the player to move end the game?
    pub fn pass_would_end(&self) -> bool {
        !self.button_is_free() && !self.would_be_handicap_pass() && self.passes_end(self.passes + 1)
    }

    /// Has the last pass ended the game? Lines may continue from a root that has ended.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// How the line ended; `None` if it has not.
    pub fn end(&self) -> Option<LineEnd> {
        let rules = self.rules();
        if self.over {
            return Some(match rules.settlement {
                Settlement::PlayOut => LineEnd::AllAlive,
                Settlement::Agreement | Settlement::Confirmation => LineEnd::ToJudge,
            });
        }
        let start = &self.root.position;
        let cycle = rules.long_cycle == LongCycle::NoResult
            && cycle_length(self.latest_turns(), start.start_as_turn()).is_some();
        cycle.then_some(LineEnd::NoResult)
    }

    /// A hash of what the future of the line depends on, except repetitions after larger captures.
    /// `None` under Spight's rule, where the future depends on more.
    ///
    /// Lines from one root have the same key if they reach the same stones, ko, prisoners,
    /// passes, button and compensation, and captured one or two stones from the same
    /// positions. After such captures a position can soon recur, so superko may forbid
    /// different moves on different paths. (A position can also recur after larger captures.
    /// The key ignores those, so callers must check legality on each path.) Every play
    /// adds one to stones plus prisoners, so a line never returns to a key after a play.
    pub fn key(&self) -> Option<u64> {
        if self.rules().ko == KoRule::Spight {
            return None;
        }
        let board = &self.board;
        let ko = board.ko().map_or(0, |p| u64::from(p.raw()) + 1);
        let button = self.button.map_or(0, |c| 1 + c.index() as u64);
        let [black, white] = Color::BOTH.map(|c| u64::from(board.captured(c)));
        let mut key = board.hash() ^ self.root.small_captures() ^ self.small_captures;
        for word in [
            ko << 32 | u64::from(self.passes) << 3 | button << 1 | self.to_move.index() as u64,
            black << 32 | white,
            self.pass_balance as u64,
            self.white_bonus().to_bits(),
        ] {
            key = splitmix((key ^ word).wrapping_add(GOLDEN));
        }
        Some(key)
    }

    /// Komi plus handicap compensation: all points added to White's score.
    pub fn white_bonus(&self) -> f64 {
        self.root.white_bonus.unwrap_or_else(|| {
            let position = &self.root.position;
            let turns = position.turns().iter().chain(&self.turns);
            position.white_bonus_with(handicap_of(&self.root.set_up, turns))
        })
    }

    /// Does White still owe the last pass, for which White pays a stone under territory scoring? In
    /// [`Board::played_balance`] it is one more white stone.
    pub fn owes_pass(&self) -> bool {
        let rules = self.rules();
        rules.scoring == Scoring::Territory
            && rules.pass_costs_stone
            && rules.white_passes_last
            && self.to_move == Color::White
    }

    /// The number of points to add to Black's area minus White's to get Black's lead: komi
    /// and compensation, the button, the cost of passes and, under territory scoring, Black's
    /// stones minus White's ([`Board::played_balance`]). (The difference in territory plus
    /// prisoners equals that in area minus that in stones.) A free button goes to the player to
    /// move, who would take it by passing.
    pub fn area_to_margin(&self) -> f32 {
        let rules = self.rules();
        let mut bonus = self.white_bonus() as f32;
        if rules.button {
            bonus -= 0.5 * self.button.unwrap_or(self.to_move).sign() as f32;
        }
        let spent = match rules.scoring {
            Scoring::Area if rules.pass_costs_stone => self.pass_balance,
            Scoring::Area => 0,
            Scoring::Territory => self.board.played_balance(),
        };
        -bonus - spent as f32
    }
}
