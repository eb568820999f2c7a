//! A game as a list of moves, and its binary encoding.

use crate::board::Board;
use crate::position::Position;
use crate::rules::{
    HandicapBonus, KoRule, LongCycle, Resumption, Ruleset, Scoring, Settlement, SuicideRule, Tax,
};
use crate::types::{BoardSize, Color, Komi, Move, Point};
use thiserror::Error;

/// Kind of a labelled position; its number is in the shards (`training/DATA.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// On the main line of a game.
    Played = 0,
    /// At the end of a [`Branch`].
    Branch = 1,
    /// In the game record that the game continues: before the record's last turn.
    Recorded = 2,
    /// After a pass, or after the game had ended.
    Late = 3,
}

/// Moves that branch off the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Turns of the game before the branch.
    pub at: u16,
    /// The moves, colours alternating.
    pub moves: Vec<Move>,
}

impl Branch {
    /// The branch; `None` if it has no moves, since its position is one of the game.
    pub(super) fn unless_empty(self) -> Option<Branch> {
        (!self.moves.is_empty()).then_some(self)
    }
}

/// A game for training. Colours alternate, starting with [`Game::first`].
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    /// The game's number, which seeds everything random in it.
    pub number: u32,
    /// Size of the board.
    pub size: BoardSize,
    /// The rules; their own komi is ignored.
    pub rules: Ruleset,
    /// Komi in half points.
    pub half_komi: i16,
    /// Stones before the first turn. If all are black and White begins, they are
    /// handicap stones.
    pub stones: Vec<(Color, Point)>,
    /// The player who moves first.
    pub first: Color,
    /// The moves.
    pub turns: Vec<Move>,
    /// Number of turns, from the first, that come from a game record.
    pub record_turns: u16,
    /// Number of turns played when the game ended; larger than `turns.len()` if it did not end.
    /// Later turns were played after its end.
    pub ended_at: u16,
    /// Branches, in the order in which they leave the game.
    pub branches: Vec<Branch>,
}

/// Error in an encoded game or its moves.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GameError {
    /// The bytes end too early.
    #[error("the game is truncated")]
    Short,
    /// This field has an invalid value.
    #[error("the game has an invalid value: {0}")]
    Field(&'static str),
    /// This turn, counted from 1, or a move of a branch there is illegal.
    #[error("turn {0} of the game is illegal")]
    Turn(usize),
}

/// Define a table of an enumeration's values, indexed by their numbers in encoded games.
macro_rules! numbered {
    ($name:ident: $type:ident, $($value:ident)*) => {
        const $name: &[$type] = &[$($type::$value),*];
    };
}
numbered!(KO: KoRule, Simple Positional Situational OwnMoves Spight);
numbered!(SUICIDE: SuicideRule, Forbidden SeveralStones Any);
numbered!(SCORING: Scoring, Area Territory);
numbered!(TAX: Tax, None Seki All);
numbered!(BONUS: HandicapBonus, Zero N NMinusOne);
numbered!(CYCLE: LongCycle, PlaysOn NoResult);
numbered!(RESUMPTION: Resumption, Alternation OpponentFirst ByAgreement);
numbered!(SETTLEMENT: Settlement, PlayOut Agreement Confirmation);

impl Game {
    /// Convert the game that led to a position, up to its first illegal turn. All its turns count
    /// as [from a record](Game::record_turns). `None` if colours do not alternate, the komi is not
    /// a multiple of half a point, or there are too many turns.
    pub fn from_record(number: u32, position: &Position) -> Option<Game> {
        let turns = position.turns();
        let first = position.first();
        let colors = first.alternating();
        let alternate = turns.iter().zip(colors).all(|(t, c)| t.color == c);
        let half = position.komi().points() * 2.0;
        if !alternate || half.fract() != 0.0 || turns.len() >= usize::from(u16::MAX) {
            return None;
        }
        let mut game = Game {
            number,
            size: position.size(),
            rules: *position.rules(),
            half_komi: half as i16,
            stones: position.start().stones().collect(),
            first,
            turns: Vec::new(),
            record_turns: 0,
            ended_at: u16::MAX,
            branches: Vec::new(),
        };
        let mut played = game.start();
        for t in turns {
            if played.play(t.color, t.mv).is_err() {
                break;
            }
            game.turns.push(t.mv);
        }
        game.record_turns = game.turns.len() as u16;
        Some(game)
    }

    /// The position before the first turn.
    pub fn start(&self) -> Position {
        let mut position = Position::new(self.size, self.rules);
        let handicap =
            self.first == Color::White && self.stones.iter().all(|s| s.0 == Color::Black);
        if handicap && !self.stones.is_empty() {
            let points: Vec<Point> = self.stones.iter().map(|s| s.1).collect();
            // Cannot fail: handicap points are on the board and distinct. `decode` checks
            // this, and code that makes games must ensure it.
            let _ = position.place_handicap(&points);
        } else {
            let board = Board::with_stones(self.size, self.stones.iter().copied());
            let board = board.unwrap_or_else(|_| Board::new(self.size));
            position = Position::from_board(board, self.first, self.rules);
        }
        position.set_komi(Komi::half_points(i32::from(self.half_komi)));
        position
    }

    /// Visit the positions of the game that can be labelled, in order: before each turn, after
    /// the last one, and at the end of each branch. (Positions inside a branch are nearly those
    /// of the game and would add little.)
    ///
    /// # Errors
    /// [`GameError::Turn`] if a move is illegal; earlier positions have been visited.
    pub fn visit(&self, mut look: impl FnMut(&Position, Kind)) -> Result<(), GameError> {
        let mut position = self.start();
        let mut branches = self.branches.iter().peekable();
        for n in 0..=self.turns.len() {
            let kind = match n {
                _ if n < usize::from(self.record_turns) => Kind::Recorded,
                _ if n >= usize::from(self.ended_at) || position.consecutive_passes() > 0 => {
                    Kind::Late
                }
                _ => Kind::Played,
            };
            look(&position, kind);
            while let Some(branch) = branches.next_if(|b| usize::from(b.at) <= n) {
                let mut branched = position.clone();
                for &m in &branch.moves {
                    let c = branched.to_move();
                    branched.play(c, m).map_err(|_| GameError::Turn(n + 1))?;
                }
                look(&branched, Kind::Branch);
            }
            if let Some(&m) = self.turns.get(n) {
                let c = position.to_move();
                position.play(c, m).map_err(|_| GameError::Turn(n + 1))?;
            }
        }
        Ok(())
    }

    /// Encode the game as bytes, all numbers little-endian.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(32 + 2 * self.turns.len());
        bytes.extend(self.number.to_le_bytes());
        bytes.extend([self.size.width(), self.size.height()]);
        let r = &self.rules;
        bytes.extend([
            r.ko as u8,
            r.suicide as u8,
            r.scoring as u8,
            r.tax as u8,
            r.handicap_bonus as u8,
            r.long_cycle as u8,
            r.resumption as u8,
            r.settlement as u8,
        ]);
        let flags = [
            r.pass_costs_stone,
            r.white_passes_last,
            r.button,
            r.handicap_by_passes,
            self.first == Color::White,
        ];
        let bits = flags.iter().rev().fold(0, |b, &f| b << 1 | u8::from(f));
        bytes.push(bits);
        bytes.extend(self.half_komi.to_le_bytes());
        let mut put = |n: u16| bytes.extend(n.to_le_bytes());
        put(self.stones.len() as u16);
        for &(c, p) in &self.stones {
            put(p.raw() | (c.index() as u16) << 15);
        }
        put(self.turns.len() as u16);
        self.turns.iter().for_each(|m| put(m.to_raw()));
        put(self.record_turns);
        put(self.ended_at);
        put(self.branches.len() as u16);
        for branch in &self.branches {
            put(branch.at);
            put(branch.moves.len() as u16);
            branch.moves.iter().for_each(|m| put(m.to_raw()));
        }
        bytes
    }

    /// Decode bytes made by [`Game::encode`].
    ///
    /// # Errors
    /// [`GameError`] if the bytes are invalid. The legality of moves is not checked; see
    /// [`Game::visit`].
    pub fn decode(bytes: &[u8]) -> Result<Game, GameError> {
        let mut input = Input(bytes);
        let number = u32::from_le_bytes(input.take()?);
        let [width, height] = input.take()?;
        let size = BoardSize::new(width.into(), height.into())
            .map_err(|_| GameError::Field("board size"))?;
        let [
            ko,
            suicide,
            scoring,
            tax,
            bonus,
            cycle,
            resumption,
            settlement,
        ] = input.take()?;
        let [bits] = input.take()?;
        let flag = |n: u8| bits >> n & 1 == 1;
        let rules = Ruleset {
            ko: one_of(KO, ko)?,
            suicide: one_of(SUICIDE, suicide)?,
            scoring: one_of(SCORING, scoring)?,
            tax: one_of(TAX, tax)?,
            handicap_bonus: one_of(BONUS, bonus)?,
            long_cycle: one_of(CYCLE, cycle)?,
            resumption: one_of(RESUMPTION, resumption)?,
            settlement: one_of(SETTLEMENT, settlement)?,
            pass_costs_stone: flag(0),
            white_passes_last: flag(1),
            button: flag(2),
            handicap_by_passes: flag(3),
            ..Ruleset::default()
        };
        let first = if flag(4) { Color::White } else { Color::Black };
        let half_komi = i16::from_le_bytes(input.take()?);
        let stones = input.stones(size)?;
        let turns = input.moves(size)?;
        let record_turns = input.number()?;
        let ended_at = input.number()?;
        let mut branches = Vec::new();
        for _ in 0..input.number()? {
            let at = input.number()?;
            let moves = input.moves(size)?;
            branches.push(Branch { at, moves });
        }
        if !input.0.is_empty() {
            return Err(GameError::Field("length"));
        }
        Ok(Game {
            number,
            size,
            rules,
            half_komi,
            stones,
            first,
            turns,
            record_turns,
            ended_at,
            branches,
        })
    }
}

fn one_of<T: Copy>(values: &[T], number: u8) -> Result<T, GameError> {
    let value = values.get(usize::from(number)).copied();
    value.ok_or(GameError::Field("rules"))
}

/// The point of this number; `field` names it in an error.
fn point(raw: u16, size: BoardSize, field: &'static str) -> Result<Point, GameError> {
    let p = (raw < 1024).then(|| Point::from_raw(raw));
    p.filter(|&p| size.contains(p))
        .ok_or(GameError::Field(field))
}

/// The bytes still to read.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], GameError> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or(GameError::Short)?;
        self.0 = rest;
        Ok(*bytes)
    }

    fn number(&mut self) -> Result<u16, GameError> {
        Ok(u16::from_le_bytes(self.take()?))
    }

    fn stones(&mut self, size: BoardSize) -> Result<Vec<(Color, Point)>, GameError> {
        let mut stones = Vec::new();
        for _ in 0..self.number()? {
            let raw = self.number()?;
            let c = match raw >> 15 {
                0 => Color::Black,
                _ => Color::White,
            };
            let p = point(raw & 0x7fff, size, "set-up stones")?;
            if stones.iter().any(|&(_, q)| p == q) {
                return Err(GameError::Field("set-up stones"));
            }
            stones.push((c, p));
        }
        match stones.len() < size.area() {
            true => Ok(stones),
            false => Err(GameError::Field("set-up stones")),
        }
    }

    fn moves(&mut self, size: BoardSize) -> Result<Vec<Move>, GameError> {
        let n = self.number()?;
        let mut moves = Vec::with_capacity(n.into());
        for _ in 0..n {
            moves.push(match self.number()? {
                0 => Move::Pass,
                raw => Move::Play(point(raw, size, "moves")?),
            });
        }
        Ok(moves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::PRESETS;

    fn game(rules: Ruleset) -> Game {
        let at = |x, y| Move::Play(Point::new(x, y));
        Game {
            number: 7,
            size: BoardSize::new(9, 7).unwrap(),
            rules: Ruleset {
                komi: Ruleset::default().komi,
                handicap_komi: Ruleset::default().handicap_komi,
                ..rules
            },
            half_komi: -13,
            stones: vec![
                (Color::Black, Point::new(2, 2)),
                (Color::Black, Point::new(6, 4)),
            ],
            first: Color::White,
            turns: vec![at(4, 3), at(3, 3), Move::Pass, Move::Pass, at(0, 0)],
            record_turns: 1,
            ended_at: 4,
            branches: vec![Branch {
                at: 2,
                moves: vec![at(8, 6), at(7, 6)],
            }],
        }
    }

    #[test]
    fn bytes_round_trip_under_every_preset() {
        for preset in PRESETS {
            let game = game(preset.rules);
            assert_eq!(Game::decode(&game.encode()), Ok(game), "{}", preset.name);
        }
    }

    #[test]
    fn truncated_bytes_are_refused() {
        let bytes = game(Ruleset::default()).encode();
        for n in 0..bytes.len() {
            assert_eq!(Game::decode(&bytes[..n]), Err(GameError::Short), "{n}");
        }
        let mut long = bytes.clone();
        long.push(0);
        assert_eq!(Game::decode(&long), Err(GameError::Field("length")));
        let mut wide = bytes;
        wide[4] = 26;
        assert_eq!(Game::decode(&wide), Err(GameError::Field("board size")));
    }

    #[test]
    fn visits_positions_in_order_with_their_kinds() {
        let mut seen = Vec::new();
        let rules = crate::rules::preset("aga").unwrap().rules;
        game(rules)
            .visit(|p, kind| seen.push((p.turns().len(), p.handicap(), kind)))
            .unwrap();
        let kinds: Vec<_> = seen.iter().map(|s| (s.0, s.2)).collect();
        use Kind::{Branch, Late, Played, Recorded};
        assert_eq!(
            kinds,
            [
                (0, Recorded),
                (1, Played),
                (2, Played),
                (4, Branch),
                (3, Late),
                (4, Late),
                (5, Late),
            ]
        );
        assert!(seen.iter().all(|s| s.1 == 2));
    }

    #[test]
    fn error_names_the_illegal_turn() {
        let mut game = game(Ruleset::default());
        game.turns[1] = game.turns[0];
        assert_eq!(game.visit(|_, _| ()), Err(GameError::Turn(2)));
    }
}
