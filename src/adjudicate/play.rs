//! Hypothetical play: stones, passes, and passes for a particular ko.

use super::region::{Bits, Region, bits};
use crate::rules::{KoRule, SuicideRule};
use crate::types::Color;
use ahash::AHasher;
use std::hash::BuildHasherDefault;

/// Hashing without random keys: every run is the same.
pub(super) type Hasher = BuildHasherDefault<AHasher>;

/// A move of hypothetical play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A stone on this point.
    Play(u32),
    /// A pass for the ko in which the stone on this point captured. The player may then retake it.
    KoPass(u32),
    /// A pass that is not for a ko.
    Pass,
}

/// When a ko may be retaken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Retake {
    /// After a pass for that particular ko (Japanese 1989, Article 7, clause 2).
    AfterPassForIt,
    /// After a move by each player, as if without ko threats. One pass serves for all kos.
    AfterAnyMove,
}

/// The rules of play that differ between procedures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conduct {
    /// When a ko may be retaken.
    pub retake: Retake,
    /// Which suicides are legal.
    pub suicide: SuicideRule,
    /// Which repetitions are illegal. Earlier positions of the game are given separately.
    pub ko: KoRule,
}

impl Conduct {
    /// Is suicide of several stones legal? Suicide of a single stone has the effect of a pass
    /// and is not tried.
    pub fn allows_suicide(self) -> bool {
        self.suicide != SuicideRule::Forbidden
    }
}

/// A position of hypothetical play in a region. It holds all that later play depends on, so its
/// value does not depend on how it was reached. A search keeps millions of states, so a state is a
/// few machine words rather than a [`Board`](crate::board::Board). Hypothetical play on the whole
/// board is [`Line`](crate::position::Line).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Stones by colour.
    pub stones: [Bits; 2],
    /// Single stones that have captured in a ko and must not be retaken yet.
    pub marked: Bits,
    /// New stones of the owner of the chain in question that the goal counts.
    pub fresh: Bits,
    /// The player to move.
    pub to_move: Color,
    /// Under superko, the path to this state, as an index into [`super::superko::History`].
    pub path: u32,
    /// Ko threats by colour: how often the player may still retake a ko at once.
    pub threats: [u8; 2],
}

impl State {
    /// The stones of the region after the game's last move, with this player to move.
    pub fn start(region: &Region, to_move: Color) -> State {
        State {
            stones: region.stones,
            marked: region.marked,
            fresh: 0,
            to_move,
            path: 0,
            threats: [0; 2],
        }
    }

    /// Points without a stone.
    #[inline]
    pub fn empty(&self, region: &Region) -> Bits {
        region.all() & !(self.stones[0] | self.stones[1])
    }

    /// The state after a play, and the stones that it removes. `None` if it retakes a marked ko
    /// without a threat left, or is a suicide that [`Conduct::allows_suicide`] excludes.
    pub fn play(&self, region: &Region, how: Conduct, bit: u32) -> Option<(State, Bits)> {
        let (c, o) = (self.to_move, self.to_move.opponent());
        let stone = 1 << bit;
        let empty = self.empty(region) & !stone;
        let around = region.around_bit(bit);
        let theirs = self.stones[o.index()];
        let mut captured = 0;
        let mut open = around & theirs;
        while open != 0 {
            let chain = region.flood(open & open.wrapping_neg(), theirs);
            open &= !chain;
            if region.around_set(chain) & empty == 0 && chain & region.next_to_safe[o.index()] == 0
            {
                captured |= chain;
            }
        }
        let mut next = *self;
        next.stones[o.index()] &= !captured;
        next.stones[c.index()] |= stone;
        let own = region.flood(stone, next.stones[c.index()]);
        let liberties = region.around_set(own) & (empty | captured);
        let safe = own & region.next_to_safe[c.index()] != 0;
        if liberties == 0 && !safe {
            return self.suicide(how, stone, own);
        }
        let is_ko = captured.count_ones() == 1 && own == stone && !safe && liberties == captured;
        if is_ko && captured & self.marked != 0 {
            let threats = &mut next.threats[c.index()];
            *threats = threats.checked_sub(1)?;
        }
        // A mark is valid only while its stone is a chain of one stone.
        next.marked &= match how.retake {
            Retake::AfterPassForIt => !captured,
            Retake::AfterAnyMove => 0,
        };
        if own != stone {
            next.marked &= !own;
        }
        if is_ko {
            next.marked |= stone;
        }
        next.fresh &= !captured;
        next.to_move = o;
        Some((next, captured))
    }

    /// The state after a play that leaves its own chain `own` without liberties.
    fn suicide(&self, how: Conduct, stone: Bits, own: Bits) -> Option<(State, Bits)> {
        if own == stone || !how.allows_suicide() {
            return None;
        }
        let mut next = self.pass(how.retake, None);
        next.stones[self.to_move.index()] &= !own;
        next.marked &= !own;
        next.fresh &= !own;
        Some((next, own))
    }

    /// The state after a pass, which is for `ko` if that is given.
    pub fn pass(&self, retake: Retake, ko: Option<u32>) -> State {
        let mut next = *self;
        next.marked &= match (retake, ko) {
            (Retake::AfterAnyMove, _) => 0,
            (Retake::AfterPassForIt, Some(bit)) => !(1 << bit),
            (Retake::AfterPassForIt, None) => Bits::MAX,
        };
        next.to_move = self.to_move.opponent();
        next
    }

    /// The move that leads from this state to `next`, under rules without passes for a ko.
    pub fn step_to(&self, next: &State) -> Step {
        let c = self.to_move.index();
        match next.stones[c] & !self.stones[c] {
            0 => Step::Pass,
            stone => Step::Play(stone.trailing_zeros()),
        }
    }

    /// Stones in ko that the player to move must not capture now without a threat.
    #[inline]
    pub fn forbidden_kos(&self) -> impl Iterator<Item = u32> + use<> {
        bits(self.marked & self.stones[self.to_move.opponent().index()])
    }
}

/// The conducts that tests cover.
#[cfg(test)]
pub const CONDUCTS: [Conduct; 3] = [
    Conduct {
        retake: Retake::AfterPassForIt,
        suicide: SuicideRule::Forbidden,
        ko: KoRule::Simple,
    },
    Conduct {
        retake: Retake::AfterAnyMove,
        suicide: SuicideRule::Forbidden,
        ko: KoRule::Simple,
    },
    Conduct {
        retake: Retake::AfterAnyMove,
        suicide: SuicideRule::SeveralStones,
        ko: KoRule::Simple,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::types::{Point, PointSet};

    #[test]
    fn several_stones_may_be_given_up_where_the_rules_allow_it() {
        let board = Board::from_diagram(
            "X . O .
             O O O .
             . . . .",
        )
        .unwrap();
        let corner = Point::new(1, 2);
        let region = Region::around(&board, corner, &PointSet::default()).unwrap();
        let bit = bits(region.all()).find(|&b| region.point(b) == corner);
        let start = State::start(&region, Color::Black);
        let after = |suicide| {
            let retake = Retake::AfterAnyMove;
            let conduct = Conduct {
                retake,
                suicide,
                ko: KoRule::Simple,
            };
            start.play(&region, conduct, bit.unwrap())
        };
        assert_eq!(after(SuicideRule::Forbidden), None);
        let (next, taken) = after(SuicideRule::SeveralStones).unwrap();
        assert_eq!(taken.count_ones(), 2);
        assert_eq!(next.stones[Color::Black.index()], 0);
        assert_eq!(next.to_move, Color::White);
    }
}
