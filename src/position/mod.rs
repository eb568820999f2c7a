//! A game in progress: a board, its history, and the rules in force.
//!
//! Everything that depends on history is here: superko, passes and the end of the
//! game, handicap and komi, undo, scoring.

mod handicap;
mod illegal;
mod line;
mod outcome;
mod parts;
mod passes;
mod repetition;
mod root;
mod score;

use handicap::Handicap;
pub use handicap::{HandicapError, fixed_handicap, max_fixed_handicap, star_points};
pub use illegal::{Earlier, IllegalMove};
pub use line::{Line, LineEnd};
pub use outcome::{NoOutcome, Outcome};
use parts::Part;
use repetition::Seen;
pub use root::Root;
pub use score::{Owner, Score};

use crate::board::Board;
use crate::rules::Ruleset;
use crate::types::{BoardSize, Color, Komi, Move};
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
    /// The board with set-up stones, before the first turn. Shared (and `board` boxed), since a
    /// board takes 22 KB: a dozen would overflow a small stack.
    start: Arc<Board>,
    /// Set-up stones that were placed as handicap.
    handicap: u32,
    /// The original game's handicap, if declared; the set-up stones may not show it.
    declared_handicap: Option<u32>,
    first: Color,
    /// Parts of the game before the board was set up.
    earlier_parts: Arc<Vec<Part>>,
    turns: Vec<Turn>,
    /// Number of turns before each [`Position::resume`].
    resumptions: Vec<usize>,
    /// For each [`Position::set_to_move`], the number of turns before it, and the player.
    turns_set: Vec<(usize, Color)>,

    // Derived from the above.
    board: Box<Board>,
    to_move: Color,
    seen: Seen,
    /// Has White played a stone since the start?
    white_has_played: bool,
    /// Passes by [`Color::index`], without White's handicap passes, which cost nothing.
    ordinary_passes: [u32; 2],
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
            declared_handicap: None,
            first,
            earlier_parts: Arc::default(),
            to_move: first,
            turns: Vec::new(),
            seen: Seen::default(),
            white_has_played: false,
            ordinary_passes: [0; 2],
            resumptions: Vec::new(),
            turns_set: Vec::new(),
        }
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
        let before = self.turns.len();
        // Of several in the same position, the last counts.
        self.turns_set.pop_if(|&mut (at, _)| at == before);
        self.turns_set.push((before, c));
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

    /// The komi that the ruleset prescribes for this game.
    pub fn usual_komi(&self) -> Komi {
        self.usual_komi_with(self.handicap_stones())
    }

    /// The komi for this handicap.
    fn komi_with(&self, handicap: Handicap) -> Komi {
        self.komi.unwrap_or_else(|| self.usual_komi_with(handicap))
    }

    /// The komi that the ruleset prescribes for this handicap.
    fn usual_komi_with(&self, handicap: Handicap) -> Komi {
        let stones = match self.rules.handicap_by_passes {
            true => handicap.stones,
            false => handicap.before_white,
        };
        match stones > 1 {
            true => self.rules.handicap_komi,
            false => self.rules.komi,
        }
    }

    /// Set the komi. It persists across changes of the rules.
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
        if m == Move::Pass && !self.would_be_handicap_pass(c, m) {
            self.ordinary_passes[c.index()] += 1;
            if self.rules.pass_costs_stone {
                self.board.add_captured(c, 1);
            }
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

    /// Take back the last `n` turns. If there are fewer, returns false and changes nothing.
    /// Restores the player who was to move before them. Set-up and handicap stones stay.
    pub fn undo(&mut self, n: usize) -> bool {
        let left = self.turns.len().checked_sub(n);
        left.map(|left| self.replay(left)).is_some()
    }

    /// Drop all but the first `n` turns and recompute all derived state.
    fn replay(&mut self, n: usize) {
        let turns = std::mem::take(&mut self.turns);
        self.resumptions.retain(|&at| at <= n);
        self.turns_set.retain(|&(at, _)| at <= n);
        self.board.copy_from(&self.start);
        self.to_move = self.first;
        self.seen = Seen::default();
        self.white_has_played = false;
        self.ordinary_passes = [0; 2];
        for t in &turns[..n] {
            self.play_unchecked(t.color, t.mv);
        }
        if let Some(&(at, c)) = self.turns_set.last()
            && at == n
        {
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
            let handicap = (p.handicap, p.declared_handicap);
            (
                p.rules,
                p.white_bonus(),
                prisoners,
                handicap,
                p.resumed_at(),
            )
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
            let resumptions = self.resumptions.iter().filter(|&&at| at <= n);
            now.resumptions = resumptions.copied().collect();
            let set = self.turns_set.iter().filter(|&&(at, _)| at <= n);
            now.turns_set = set.copied().collect();
            now.clone()
        })
    }
}
