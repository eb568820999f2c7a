//! A game in progress: a board, its history, and the rules in force.
//!
//! Everything that depends on history is here: superko, passes and the end of the
//! game, handicap and komi, undo, scoring.

mod handicap;
mod illegal;
mod line;
mod outcome;
mod parts;
mod repetition;
mod score;

use handicap::Handicap;
pub use handicap::{HandicapError, fixed_handicap, max_fixed_handicap, star_points};
pub use illegal::{Earlier, IllegalMove};
pub use line::{Line, LineEnd, Root};
pub use outcome::{NoOutcome, Outcome};
use parts::Part;
use repetition::{Seen, cycle_length};
pub use score::{Owner, Score};

use crate::board::Board;
use crate::rules::{KoRule, LongCycle, Resumption, Ruleset};
use crate::types::{BoardSize, Color, Komi, Move, Point};
use std::sync::Arc;

/// One turn of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Who moved.
    pub color: Color,
    /// The move.
    pub mv: Move,
    /// Zobrist hash of the stones after it.
    pub hash: u64,
}

/// A game in progress.
///
/// ```
/// use ponnuki::board::Board;
/// use ponnuki::position::Position;
/// use ponnuki::rules::preset;
/// use ponnuki::types::{Color, Move, Point};
///
/// let board = Board::from_diagram(
///     ". X O . .
///      X . X O .
///      . X O . .
///      . . . . .
///      . . . . .",
/// )?;
/// let rules = preset("japanese").unwrap().rules;
/// let mut game = Position::from_board(board, Color::White, rules);
/// let ko = Move::Play(Point::new(1, 3));
/// game.play(Color::White, ko)?;
/// assert_eq!(game.board().captured(Color::Black), 1);
///
/// // Black may not retake at once, and the refusal says why.
/// let retake = Move::Play(Point::new(2, 3));
/// let refusal = game.legality(Color::Black, retake).unwrap_err();
/// assert_eq!(
///     refusal.in_words(game.rules()),
///     "the ko at C4 may not be retaken at once (Japanese rules, Article 6)"
/// );
///
/// assert!(game.undo(1));
/// game.play(Color::White, Move::Pass)?;
/// game.play(Color::Black, Move::Pass)?;
/// assert!(game.is_over());
/// // Each player surrounds a point or two at most, so komi decides.
/// assert_eq!(game.score(&[], |_| false).winner(), Some(Color::White));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Position {
    rules: Ruleset,
    /// The komi set by the players; `None` for the ruleset's.
    komi: Option<Komi>,
    /// The board with set-up stones, before the first turn. Shared, and `board` is boxed,
    /// because boards of 22 KB in a dozen frames would fill a small stack.
    start: Arc<Board>,
    /// Set-up stones that were placed as handicap.
    handicap: u32,
    /// The handicap of the game that the set-up stones come from, if they do not show it.
    settled_handicap: Option<u32>,
    first: Color,
    /// Parts of the game before the board was set up.
    earlier_parts: Arc<Vec<Part>>,

    // Derived from the above and the turns.
    board: Box<Board>,
    to_move: Color,
    turns: Vec<Turn>,
    seen: Seen,
    /// Has White played a stone since the start?
    white_has_played: bool,
    /// Number of turns before the game was last resumed.
    resumed_at: usize,
    /// The last [`Position::set_to_move`]: the number of turns before it, and the player.
    turn_set: Option<(usize, Color)>,
}

impl Position {
    /// An empty board of this size, Black to move.
    pub fn new(size: BoardSize, rules: Ruleset) -> Position {
        Position::from_board(Board::new(size), Color::Black, rules)
    }

    /// A game that starts from set-up stones. The board's ko and prisoners are kept.
    pub fn from_board(start: Board, first: Color, rules: Ruleset) -> Position {
        Position {
            rules,
            komi: None,
            board: Box::new(start.clone()),
            start: Arc::new(start),
            handicap: 0,
            settled_handicap: None,
            first,
            earlier_parts: Arc::default(),
            to_move: first,
            turns: Vec::new(),
            seen: Seen::default(),
            white_has_played: false,
            resumed_at: 0,
            turn_set: None,
        }
    }

    /// Remove all stones and turns. Keeps size, rules and komi.
    pub fn clear(&mut self) {
        let (komi, size) = (self.komi, self.size());
        *self = Position::new(size, self.rules);
        self.komi = komi;
    }

    /// Start over on an empty board of another size. Keeps rules and komi.
    pub fn resize(&mut self, size: BoardSize) {
        let komi = self.komi;
        *self = Position::new(size, self.rules);
        self.komi = komi;
    }

    /// The stones on the board.
    #[inline]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Size of the board.
    #[inline]
    pub fn size(&self) -> BoardSize {
        self.board.size()
    }

    /// The board before the first turn: empty but for set-up stones.
    pub fn start(&self) -> &Board {
        &self.start
    }

    /// Who was to move before the first turn.
    pub fn first(&self) -> Color {
        self.first
    }

    /// The rules in force.
    #[inline]
    pub fn rules(&self) -> &Ruleset {
        &self.rules
    }

    /// Change the rules for the rest of the game. Turns already played stay, even if
    /// the new rules forbid them; pass stones are recounted. The player to move stays
    /// the same.
    pub fn set_rules(&mut self, rules: Ruleset) {
        self.rules = rules;
        let to_move = self.to_move;
        self.replay(self.turns.len());
        self.to_move = to_move;
    }

    /// The player whose turn it is.
    #[inline]
    pub fn to_move(&self) -> Color {
        self.to_move
    }

    /// Give the turn to a player.
    pub fn set_to_move(&mut self, c: Color) {
        if self.turns.is_empty() {
            self.first = c;
        }
        self.turn_set = Some((self.turns.len(), c));
        self.to_move = c;
    }

    /// The turns so far.
    #[inline]
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// The last turn.
    #[inline]
    pub fn last_turn(&self) -> Option<&Turn> {
        self.turns.last()
    }

    /// The komi: as set by the players, otherwise as the ruleset prescribes for this
    /// game. Handicap compensation is not included.
    pub fn komi(&self) -> Komi {
        self.komi_with(self.handicap_stones())
    }

    /// The komi for this handicap.
    fn komi_with(&self, handicap: Handicap) -> Komi {
        let stones = match self.rules.handicap_by_passes {
            true => handicap.stones,
            false => handicap.before_a_pass,
        };
        self.komi.unwrap_or(if stones > 1 {
            self.rules.handicap_komi
        } else {
            self.rules.komi
        })
    }

    /// Set the komi. It persists across new games, sizes and rules.
    pub fn set_komi(&mut self, komi: Komi) {
        self.komi = Some(komi);
    }

    /// Has a player set the komi?
    pub fn komi_is_set(&self) -> bool {
        self.komi.is_some()
    }

    /// Komi plus handicap compensation: all points added to White's score.
    pub fn white_bonus(&self) -> f64 {
        self.white_bonus_with(self.handicap_stones())
    }

    /// Komi plus compensation for this handicap.
    fn white_bonus_with(&self, handicap: Handicap) -> f64 {
        let compensation = self.rules.handicap_bonus.points(handicap.stones);
        self.komi_with(handicap).points() + f64::from(compensation)
    }

    /// Play a move.
    ///
    /// # Errors
    /// [`IllegalMove`] names the rule that forbids it. The game is then unchanged.
    pub fn play(&mut self, c: Color, m: Move) -> Result<&Turn, IllegalMove> {
        self.legality(c, m)?;
        Ok(self.play_unchecked(c, m))
    }

    /// Play a move that [`Position::legality`] allows.
    ///
    /// # Panics
    /// In debug builds, if the point is not empty.
    pub fn play_unchecked(&mut self, c: Color, m: Move) -> &Turn {
        self.board.play_move(c, m);
        if m == Move::Pass && self.rules.pass_costs_stone && !self.would_be_handicap(c, m) {
            self.board.add_captured(c, 1);
        }
        self.to_move = c.opponent();
        self.white_has_played |= c == Color::White && m != Move::Pass;
        let index = self.turns.len();
        let turn = Turn {
            color: c,
            mv: m,
            hash: self.board.hash(),
        };
        self.seen.add(&self.rules, index, &turn);
        self.turns.push(turn);
        &self.turns[index]
    }

    /// The position after a move of the player to move that [`Position::legality`] allows.
    pub fn after(&self, m: Move) -> Position {
        let mut after = self.clone();
        after.play_unchecked(self.to_move, m);
        after
    }

    /// Check that this player may make this move.
    ///
    /// `c` need not be the player to move: clients may play the same colour twice. A
    /// simple ko binds only the opponent of the capturer.
    ///
    /// # Errors
    /// [`IllegalMove`] names the rule that forbids it.
    pub fn legality(&self, c: Color, m: Move) -> Result<(), IllegalMove> {
        let Move::Play(p) = m else { return Ok(()) };
        if !self.size().contains(p) {
            return Err(IllegalMove::OffBoard(p));
        }
        if !self.board.is_empty(p) {
            return Err(IllegalMove::Occupied(p));
        }
        if let Some(stones) = self.board.suicide_len(c, p)
            && !self.rules.allows_suicide_of(stones)
        {
            return Err(IllegalMove::Suicide(stones));
        }
        if self.rules.ko == KoRule::Simple {
            let by_opponent = self.turns.last().is_none_or(|t| t.color != c);
            if self.board.ko() == Some(p) && by_opponent {
                return Err(IllegalMove::Ko(p));
            }
            return Ok(());
        }
        match self.repeats(c, self.board.hash_after(c, p)) {
            Some(earlier) => Err(IllegalMove::Repetition {
                rule: self.rules.ko,
                earlier,
            }),
            None => Ok(()),
        }
    }

    /// Check that this player may make this move under the rules of some server. Ko, superko and
    /// suicide of several stones, on which servers differ, are allowed.
    ///
    /// # Errors
    /// [`IllegalMove`] names the rule that forbids it everywhere.
    pub fn legality_anywhere(&self, c: Color, m: Move) -> Result<(), IllegalMove> {
        match self.legality(c, m) {
            Err(
                IllegalMove::Ko(_) | IllegalMove::Repetition { .. } | IllegalMove::Suicide(2..),
            ) => Ok(()),
            legality => legality,
        }
    }

    /// The earliest position that a turn of `c` resulting in stones of this hash would
    /// repeat against the ko rule.
    fn repeats(&self, c: Color, hash: u64) -> Option<Earlier> {
        let rule = self.rules.ko;
        if rule == KoRule::Simple {
            return None;
        }
        let by = self.start_mover();
        if by.is_some_and(|by| rule.is_positional() || by == c) && self.start.hash() == hash {
            return Some(Earlier::Start);
        }
        let at = self.seen.repeated(rule, c, hash)?;
        Some(Earlier::Turn {
            number: at as u32 + 1,
            color: self.turns[at].color,
        })
    }

    /// The player who counts as having produced the starting position; `None` if superko does
    /// not look back to it.
    fn start_mover(&self) -> Option<Color> {
        // The first turn decides who was to move, even if the set-up differs.
        let first = self.turns.first().map_or(self.first, |t| t.color);
        let counts = self.seen.last_reset().is_none() && self.rules.ko != KoRule::OwnMoves;
        counts.then_some(first.opponent())
    }

    /// The earlier boards that superko forbids to recreate, oldest first, each with the player
    /// whose turn produced it. Empty under simple ko. Boards equal to the present one are
    /// omitted.
    pub fn earlier_boards(&self) -> Vec<(Color, Board)> {
        let mut found = Vec::new();
        if self.rules.ko == KoRule::Simple {
            return found;
        }
        let from = self.seen.last_reset().unwrap_or(0);
        let mut board = Board::clone(&self.start);
        found.extend(self.start_mover().map(|by| (by, board.clone())));
        for (i, t) in self.turns.iter().enumerate() {
            board.play_move(t.color, t.mv);
            if i >= from && t.mv != Move::Pass {
                found.push((t.color, board.clone()));
            }
        }
        found.retain(|(_, board)| board.hash() != self.board.hash());
        found
    }

    /// Would a play of `c` resulting in stones of this hash repeat a position of the
    /// game against the ko rule?
    #[inline]
    fn would_repeat(&self, c: Color, hash: u64) -> bool {
        self.repeats(c, hash).is_some()
    }

    /// The turn that took the button, if there is a button: the first pass.
    fn button_turn(&self) -> Option<usize> {
        if !self.rules.button {
            return None;
        }
        self.turns.iter().position(|t| t.mv == Move::Pass)
    }

    /// The holder of the button, worth half a point; `None` while it is free, or if
    /// there is no button.
    pub fn button(&self) -> Option<Color> {
        self.button_turn().map(|i| self.turns[i].color)
    }

    /// The turns since the game was last resumed, or all. Earlier passes no longer end it.
    pub(super) fn turns_since_resumption(&self) -> &[Turn] {
        &self.turns[self.resumed_at..]
    }

    /// Number of passes in a row at the end of the turns that count towards the end of
    /// the game: not the pass that took the button, nor White's handicap passes.
    pub fn consecutive_passes(&self) -> u32 {
        let button = self.button_turn();
        let passes = self
            .turns
            .iter()
            .enumerate()
            .rev()
            .take_while(|&(i, t)| {
                i >= self.resumed_at
                    && t.mv == Move::Pass
                    && button != Some(i)
                    && !self.is_handicap_pass(i)
            })
            .count();
        passes as u32
    }

    /// Black's passes minus White's, whether or not they cost stones.
    fn pass_balance(&self) -> i32 {
        let passes = self.turns.iter().filter(|t| t.mv == Move::Pass);
        passes.map(|t| t.color.sign()).sum()
    }

    /// Have passes stopped the game? Two in a row do, or under Spight's rule a second
    /// pass of one player from the same position. If White passes last, the last pass
    /// must be White's. Play may still continue.
    pub fn is_over(&self) -> bool {
        let Some((last, before)) = self.turns_since_resumption().split_last() else {
            return false;
        };
        last.mv == Move::Pass && self.passes_end(before, last.color, self.consecutive_passes())
    }

    /// Would a pass of the player to move end the game?
    pub fn pass_would_end(&self) -> bool {
        let c = self.to_move;
        let is_special = (self.rules.button && self.button_turn().is_none())
            || self.would_be_handicap(c, Move::Pass);
        !is_special
            && self.passes_end(
                self.turns_since_resumption(),
                c,
                self.consecutive_passes() + 1,
            )
    }

    /// Does a pass of `c` after the turns `before` end the game? It is the last of
    /// `in_a_row` passes.
    fn passes_end(&self, before: &[Turn], c: Color, in_a_row: u32) -> bool {
        let enough = match self.rules.ko {
            KoRule::Spight => before
                .iter()
                .any(|t| (t.mv, t.color, t.hash) == (Move::Pass, c, self.board.hash())),
            _ => in_a_row >= 2,
        };
        enough && (!self.rules.white_passes_last || c == Color::White)
    }

    /// Resume a stopped game at the request of `by`, and give the turn to the player who moves
    /// first then. If the players must agree on that, the turn is unchanged and they may set
    /// it. Only passes from here on stop the game again.
    pub fn resume(&mut self, by: Color) {
        self.resumed_at = self.turns.len();
        match self.rules.resumption {
            Resumption::OpponentFirst => self.set_to_move(by.opponent()),
            Resumption::Alternation | Resumption::ByAgreement => {}
        }
    }

    /// The number of turns since the same position with the same player to move, if the
    /// rules treat that as a long cycle (Japanese 1989, Article 12). The starting position
    /// counts. A pass in between breaks the cycle.
    pub fn long_cycle(&self) -> Option<usize> {
        if self.rules.long_cycle == LongCycle::PlaysOn {
            return None;
        }
        cycle_length(self.turns.iter().rev(), self.start_as_turn())
    }

    /// The starting position as if a turn had led to it: the hash of its stones, and the
    /// player who is not to move.
    fn start_as_turn(&self) -> (u64, Color) {
        (self.start.hash(), self.first.opponent())
    }

    /// Take back the last `n` turns. If there are fewer, returns false and changes nothing.
    /// Restores the player who was to move before them. Set-up and handicap stones stay.
    pub fn undo(&mut self, n: usize) -> bool {
        let left = self.turns.len().checked_sub(n);
        left.map(|left| self.replay(left)).is_some()
    }

    /// Drop all but the first `n` turns and recompute all derived state.
    fn replay(&mut self, n: usize) {
        let turns = std::mem::take(&mut self.turns);
        if n < self.resumed_at {
            self.resumed_at = 0;
        }
        self.turn_set = self.turn_set.filter(|&(at, _)| at <= n);
        self.board.copy_from(&self.start);
        self.to_move = self.first;
        self.seen = Seen::default();
        self.white_has_played = false;
        for t in &turns[..n] {
            self.play_unchecked(t.color, t.mv);
        }
        if let Some((_, c)) = self.turn_set.filter(|&(at, _)| at == n) {
            self.to_move = c;
        }
    }

    /// The position after the first `n` turns, with the player who moved next to move.
    pub fn at_turn(&self, n: usize) -> Position {
        let mut p = self.clone();
        p.replay(n.min(self.turns.len()));
        if let Some(next) = self.turns.get(n) {
            p.to_move = next.color;
        }
        p
    }

    /// The turns that lead here from an earlier position of this game. `None` if `earlier`
    /// belongs to another game, or the same board scores differently there: by other rules,
    /// komi, handicap or prisoners, or because the game was resumed at another turn. Search
    /// results for `earlier` are valid here only if this is `Some`, even without turns.
    pub fn turns_since(&self, earlier: &Position) -> Option<&[Turn]> {
        let terms = |p: &Position| {
            let prisoners = Color::BOTH.map(|c| p.start.captured(c));
            let handicap = (p.handicap, p.settled_handicap);
            (p.rules, p.white_bonus(), prisoners, handicap, p.resumed_at)
        };
        let (played, turns) = (earlier.turns.len(), &self.turns);
        let same_game = terms(self) == terms(earlier)
            && self.start == earlier.start
            && turns.get(..played) == Some(&earlier.turns);
        same_game.then(|| &turns[played..])
    }

    /// The starting position and the position after each turn. The last is this position; the
    /// others are those of [`Position::at_turn`], but the game is replayed only once.
    pub fn positions(&self) -> impl Iterator<Item = Position> + '_ {
        let mut now = self.at_turn(0);
        (0..=self.turns.len()).map(move |n| {
            if let Some(t) = n.checked_sub(1).and_then(|last| self.turns.get(last)) {
                now.play_unchecked(t.color, t.mv);
            }
            now.to_move = self.turns.get(n).map_or(self.to_move, |t| t.color);
            if n >= self.resumed_at {
                now.resumed_at = self.resumed_at;
            }
            now.clone()
        })
    }

    /// All legal plays of a player, in the order of [`BoardSize::points`].
    pub fn legal_plays(&self, c: Color) -> impl Iterator<Item = Point> + '_ {
        self.size()
            .points()
            .filter(move |&p| self.legality(c, Move::Play(p)).is_ok())
    }
}
