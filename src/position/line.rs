//! Hypothetical play: what would follow from a position if it were played.
//!
//! [`Position`] is the record of a game: it can say which earlier turn a move would
//! repeat, and take turns back. A [`Line`] answers what a search asks millions of
//! times: may this be played, has it ended, what does the area come to. It follows
//! the same rules, and `tests/line.rs` compares the two turn by turn.

use super::handicap::{SetUp, gives_handicap, handicap_of};
use super::repetition::{cycle_length, repeated, slate_wiped_by};
use super::{Position, Turn};
use crate::board::Board;
use crate::rules::{KoRule, LongCycle, Ruleset, Scoring, Settlement};
use crate::types::{Color, GOLDEN, Move, POINTS, Point, splitmix};
use std::sync::{Arc, OnceLock};

/// A position that lines start from, with what they ask of its past looked up once.
#[derive(Debug)]
pub struct Root {
    position: Position,
    /// Points where each colour has had a stone, by colour and [`Point::index`].
    stood: [[bool; POINTS]; 2],
    set_up: SetUp,
    /// Komi and compensation, if no turn can change them any more.
    white_bonus: Option<f64>,
    passes: u32,
    button: Option<Color>,
    over: bool,
    /// Passes of Black's less White's.
    pass_balance: i32,
    /// See [`Root::small_captures`].
    small_captures: OnceLock<u64>,
    earlier: OnceLock<[Board; 2]>,
}

impl Root {
    /// Lines from this position; its player to move begins.
    pub fn new(position: Position) -> Root {
        let mut stood = [[false; POINTS]; 2];
        for p in position.size().points() {
            if let Some(c) = position.start().at(p).color() {
                stood[c.index()][p.index()] = true;
            }
        }
        for t in position.turns() {
            if let Move::Play(p) = t.mv {
                stood[t.color.index()][p.index()] = true;
            }
        }
        let settled = position.handicap_is_settled();
        Root {
            stood,
            set_up: position.set_up(),
            white_bonus: settled.then(|| position.white_bonus()),
            passes: position.consecutive_passes(),
            button: position.button(),
            over: position.is_over(),
            pass_balance: position.pass_balance(),
            small_captures: OnceLock::new(),
            earlier: OnceLock::new(),
            position,
        }
    }

    /// The position.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The stones one and two turns before it.
    fn earlier(&self) -> &[Board; 2] {
        self.earlier.get_or_init(|| {
            let position = &self.position;
            [1, 2].map(|n| match position.turns().len().checked_sub(n) {
                Some(left) => position.at_turn(left).board().clone(),
                None => position.start().clone(),
            })
        })
    }

    /// What the small captures of the game leave of [`Line::key`].
    fn small_captures(&self) -> u64 {
        *self.small_captures.get_or_init(|| {
            let mut board = self.position.start().clone();
            let captures = self.position.turns().iter().map(|t| {
                let before = board.hash();
                let taken = captured_by(&mut board, t.color, t.mv);
                small_capture(before, taken)
            });
            captures.fold(0, |all, one| all ^ one)
        })
    }
}

/// Of a capture of so many stones at most a position can come again soon.
const SMALL: u32 = 2;

/// Make a move; how many stones are captured?
#[inline]
fn captured_by(board: &mut Board, c: Color, m: Move) -> u32 {
    let captured = |board: &Board| board.captured(Color::Black) + board.captured(Color::White);
    let before = captured(board);
    board.play_move(c, m);
    captured(board) - before
}

/// What a capture of so many stones from a board of this hash adds to [`Line::key`].
#[inline]
fn small_capture(before: u64, taken: u32) -> u64 {
    match taken {
        1..=SMALL => splitmix(before),
        _ => 0,
    }
}

/// How a line has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By passes, and all stones on the board are alive.
    AllAlive,
    /// By passes; the players settle which stones are dead.
    ToSettle,
    /// By a long cycle, without result (Japanese 1989, Article 12).
    NoResult,
}

/// A line of turns from a position, colours alternating.
///
/// ```
/// use ponnuki::position::{End, Line, Position, Root};
/// use ponnuki::rules::preset;
/// use ponnuki::types::{BoardSize, Color, Move, Point};
/// use std::sync::Arc;
///
/// let rules = preset("tromp-taylor").unwrap().rules;
/// let position = Position::new(BoardSize::square(9), rules);
/// let mut line = Line::new(Arc::new(Root::new(position)));
/// line.play(Move::Play(Point::new(4, 4)));
/// assert!(!line.is_legal(Point::new(4, 4)));
/// line.play(Move::Pass);
/// assert!(line.pass_would_end());
/// line.play(Move::Pass);
/// assert_eq!(line.end(), Some(End::AllAlive));
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
    /// What the small captures since the root leave of [`Line::key`].
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

    /// Back to the root.
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

    /// The rules in force.
    #[inline]
    pub fn rules(&self) -> &Ruleset {
        self.root.position.rules()
    }

    /// The stones on the board; prisoners, pass stones among them, are
    /// [`Board::captured`].
    #[inline]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The player whose turn it is.
    #[inline]
    pub fn to_move(&self) -> Color {
        self.to_move
    }

    /// Passes of Black's less White's, whatever they cost.
    pub fn pass_balance(&self) -> i32 {
        self.pass_balance
    }

    /// The turns since the root.
    #[inline]
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// The last turns, the last one first, back to the beginning of the game.
    pub fn latest_turns(&self) -> impl Iterator<Item = &Turn> {
        let of_game = self.root.position.turns().iter().rev();
        self.turns.iter().rev().chain(of_game)
    }

    /// The points of the last two turns, the last one first, if they were plays.
    pub fn last_points(&self) -> [Option<Point>; 2] {
        let mut turns = self.latest_turns();
        [0, 1].map(|_| turns.next().and_then(|t| t.mv.point()))
    }

    /// Write down the stones one and two turns ago.
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

    /// Make a move that is legal.
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

    /// What a pass changes beside the turn.
    fn pass(&mut self, c: Color) {
        let ordinary = !self.pass_gives_handicap();
        if ordinary && self.rules().pass_costs_stone {
            self.board.add_captured(c, 1);
        }
        self.pass_balance += c.sign();
        let counts = ordinary && !self.button_is_free();
        self.passes = if counts { self.passes + 1 } else { 0 };
        self.over = self.passes_end(self.passes);
        if self.button_is_free() {
            self.button = Some(c);
        }
    }

    /// May the player to move play at this point?
    pub fn is_legal(&self, p: Point) -> bool {
        let suicide = |p| self.board.suicide_len(self.to_move, p);
        self.root.position.size().contains(p)
            && self.board.is_empty(p)
            && suicide(p).is_none_or(|stones| self.rules().allows_suicide_of(stones))
            && !self.is_banned(p)
    }

    /// Is a play of the player to move at an empty point legal, and no suicide?
    ///
    /// Suicide, where it is legal, is at best a threat in a ko fight, and many
    /// controllers know no rules under which it is a move: searches never try it.
    #[inline]
    pub fn is_worth_trying(&self, p: Point) -> bool {
        self.board.suicide_len(self.to_move, p).is_none() && !self.is_banned(p)
    }

    /// Does the ko rule forbid the player to move a play at this empty point? Suicide
    /// that the rules forbid is another matter.
    #[inline]
    pub fn is_banned(&self, p: Point) -> bool {
        match self.rules().ko {
            KoRule::Simple => self.board.ko() == Some(p) && self.opponent_moved_last(),
            rule => self.repeats(rule, p),
        }
    }

    /// Does superko, where there is one, forbid the player to move this pass, or play at an
    /// empty point?
    #[inline]
    pub fn breaks_superko(&self, m: Move) -> bool {
        self.rules().ko != KoRule::Simple && m.point().is_some_and(|p| self.is_banned(p))
    }

    /// A ko binds the opponent of the capturer, not a player who moves twice.
    fn opponent_moved_last(&self) -> bool {
        let last = self.latest_turns().next();
        last.is_none_or(|t| t.color != self.to_move)
    }

    /// Would a play repeat a position of the game or of the line?
    ///
    /// Unless its stones come off again, the position would have to be one in which
    /// the player already had a stone there, which almost no empty point has seen:
    /// the history is looked through for those only.
    fn repeats(&self, rule: KoRule, p: Point) -> bool {
        let c = self.to_move;
        let stood = self.root.stood[c.index()][p.index()]
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
        // A button that is gone is taken by no pass of the line.
        let wiped = match self.root.button {
            Some(_) if rule != KoRule::Spight => None,
            _ => slate_wiped_by(self.rules(), &self.turns),
        };
        repeated(rule, &self.turns[wiped.unwrap_or(0)..], c, hash).is_some()
            || (wiped.is_none() && self.root.position.would_repeat(c, hash))
    }

    /// Who has the button; `None` while nobody has it, or where there is none.
    pub fn button(&self) -> Option<Color> {
        self.button
    }

    /// Is there a button that the next pass takes?
    #[inline]
    pub fn button_is_free(&self) -> bool {
        self.rules().button && self.button.is_none()
    }

    /// Passes in a row so far that count towards the end, those before the root
    /// included.
    pub fn consecutive_passes(&self) -> u32 {
        self.passes
    }

    /// Would a pass be one of those by which White gives handicap?
    fn pass_gives_handicap(&self) -> bool {
        self.rules().handicap_by_passes
            && self.to_move == Color::White
            && gives_handicap(&self.root.set_up, self.latest_turns())
    }

    /// Does a pass of the player to move, the last of so many in a row, end the game?
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
        !self.button_is_free() && !self.pass_gives_handicap() && self.passes_end(self.passes + 1)
    }

    /// Has the last pass ended the alternation? A root that has ended may be played
    /// on from.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// How the line has ended; `None` while it goes on.
    pub fn end(&self) -> Option<End> {
        let rules = self.rules();
        if self.over {
            return Some(match rules.settlement {
                Settlement::PlayOut => End::AllAlive,
                Settlement::Agreement | Settlement::Confirmation => End::ToSettle,
            });
        }
        let start = &self.root.position;
        let cycle = rules.long_cycle == LongCycle::NoResult
            && cycle_length(self.latest_turns(), start.before_the_first()).is_some();
        cycle.then_some(End::NoResult)
    }

    /// What the future of the line depends on, as a hash; `None` where it depends on more
    /// than that.
    ///
    /// Lines from one root that come to the same stones, ko, prisoners, passes, button and
    /// compensation have the same key, if they left the same positions behind by captures of
    /// one or two stones: by these a position comes again, and what superko forbids differs
    /// with the way. (A position can come again after other captures too. Such keys are equal
    /// though what may be played there is not; who goes by them must look.) Stones and
    /// prisoners together only grow, so no line has a key twice but by passes that a play
    /// follows.
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

    /// Komi and handicap compensation: all that is added to White's count.
    pub fn white_bonus(&self) -> f64 {
        self.root.white_bonus.unwrap_or_else(|| {
            let position = &self.root.position;
            let turns = position.turns().iter().chain(&self.turns);
            position.white_bonus_with(handicap_of(&self.root.set_up, turns))
        })
    }

    /// Added to Black's area less White's it gives the margin by which Black leads,
    /// in points: komi and compensation, the button, and what passes and, under
    /// territory scoring, stones played so far have cost. A player's territory and
    /// prisoners are the area less the stones played. A button that nobody has
    /// goes to the player to move, who would take it by passing.
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
