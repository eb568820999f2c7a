//! Superko in hypothetical play: which positions are forbidden.

use super::play::{Conduct, Hasher, State, Step};
use super::region::{Bits, Region};
use super::room::ROOM_TO_LIVE;
use crate::board::Board;
use crate::rules::KoRule;
use crate::tactics::unconditional;
use crate::types::{Color, Move, Point};
use std::collections::HashMap;

/// A position of a region in the game so far: the player who moved to it, and the stones.
pub type EarlierPosition = (Color, [Bits; 2]);

/// Can a player lift the bans of superko in a region by a move elsewhere that costs nothing?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elsewhere {
    /// Yes, several times.
    Free,
    /// No: every move elsewhere is illegal or costs the life of own stones.
    Nothing,
    /// A few times at most, if at all.
    Unknown,
}

/// Minimum points of an empty region in which either player has several moves that cost nothing:
/// its owner then still lives, and the opponent's stones there are captured.
const ROOM_TO_PLAY: usize = ROOM_TO_LIVE as usize + 1;

impl Elsewhere {
    /// What each player can do outside a region of the board. Without superko nothing is banned.
    pub fn of(board: &Board, region: &Region, how: Conduct) -> [Elsewhere; 2] {
        if how.ko == KoRule::Simple {
            return [Elsewhere::Free; 2];
        }
        let outside = board
            .empty_regions()
            .filter(|r| !r.points.iter().any(|p| region.contains(*p)));
        let outside: Vec<Vec<Point>> = outside.map(|r| r.points).collect();
        if outside.iter().any(|points| points.len() >= ROOM_TO_PLAY) {
            return [Elsewhere::Free; 2];
        }
        Color::BOTH.map(|c| {
            let alive = |board: &Board| unconditional(board, c, how.allows_suicide()).stones;
            let before = alive(board);
            let costs_nothing = |p: Point| {
                let after = board.after(c, Move::Play(p));
                let still = alive(&after);
                after.hash() != board.hash() && before.iter().all(|p| still.contains(p))
            };
            let points = outside.iter().flatten().copied();
            let mut legal = points.filter(|&p| board.is_legal(c, p, how.suicide));
            match legal.any(costs_nothing) {
                true => Elsewhere::Unknown,
                false => Elsewhere::Nothing,
            }
        })
    }
}

/// What must not repeat: the stones by colour and, if it matters, the player to move.
type Situation = ([Bits; 2], Option<Color>);

/// The paths by which states were reached, as a tree.
#[derive(Debug)]
pub struct History {
    rule: KoRule,
    /// By colour: does the player obey the rule? A player who does not can always lift the bans by
    /// a move elsewhere.
    obey: [bool; 2],
    /// For each path, the index of the path without its last step, and the situation after that
    /// step. The first path is empty.
    paths: Vec<(u32, Situation)>,
    indices: HashMap<(u32, Situation), u32, Hasher>,
    /// The path through the positions of the game so far.
    game: u32,
}

impl History {
    /// Create a history under a superko rule that these players obey, after these positions of the
    /// game.
    pub fn of(rule: KoRule, obey: [bool; 2], earlier: &[EarlierPosition]) -> History {
        debug_assert!(rule != KoRule::Simple);
        let mut history = History {
            rule,
            obey,
            paths: vec![(0, ([0; 2], None))],
            indices: HashMap::default(),
            game: 0,
        };
        for (by, stones) in earlier {
            let situation = (*stones, history.mover(by.opponent()));
            history.game = history.extend(history.game, situation);
        }
        history
    }

    /// The player to move, if it matters.
    fn mover(&self, to_move: Color) -> Option<Color> {
        (!self.rule.is_positional()).then_some(to_move)
    }

    fn situation(&self, s: &State) -> Situation {
        (s.stones, self.mover(s.to_move))
    }

    fn contains(&self, mut path: u32, wanted: &Situation) -> bool {
        while path != 0 {
            let (before, situation) = &self.paths[path as usize];
            if situation == wanted {
                return true;
            }
            path = *before;
        }
        false
    }

    /// The index of the path that extends `path` by a situation.
    fn extend(&mut self, path: u32, situation: Situation) -> u32 {
        let next = self.paths.len() as u32;
        let number = *self.indices.entry((path, situation)).or_insert(next);
        if number == next {
            self.paths.push((path, situation));
        }
        number
    }

    /// The start state of hypothetical play. After the stop both players have just passed, so the
    /// position has occurred with either player to move. While the game `goes_on`, it occurs now
    /// with this one. If it really is the other's turn, that is among the positions so far.
    pub fn begin(&mut self, s: &State, goes_on: bool) -> State {
        let mut path = self.game;
        if !goes_on {
            let other = State {
                to_move: s.to_move.opponent(),
                ..*s
            };
            path = self.extend(path, self.situation(&other));
        }
        path = self.extend(path, self.situation(s));
        State { path, ..*s }
    }

    /// The state after a step, with its path; `None` if superko forbids it.
    pub fn after(&mut self, step: Step, next: &State) -> Option<State> {
        let situation = self.situation(next);
        let known = self.contains(next.path, &situation);
        let path = match step {
            Step::Play(_) if known && self.obey[next.to_move.opponent().index()] => return None,
            // A pass is never forbidden. Under Spight's rule it lifts all earlier bans.
            Step::Pass | Step::KoPass(_) if self.rule == KoRule::Spight => {
                self.extend(0, situation)
            }
            // This player has just moved elsewhere, and the opponent has answered there. The whole
            // board has changed, so neither player can repeat an earlier position.
            Step::Play(_) if known => self.extend(0, situation),
            _ if known => next.path,
            _ => self.extend(next.path, situation),
        };
        Some(State { path, ..*next })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stone of each player, Black to move.
    const START: State = State {
        stones: [0b01, 0b10],
        marked: 0,
        fresh: 0,
        to_move: Color::Black,
        path: 0,
        threats: [0; 2],
    };

    /// After the stop the position has occurred with either player to move. In a game that goes on,
    /// only with the player who is to move.
    #[test]
    fn only_a_stop_makes_a_position_occur_for_both_players() {
        let other = Color::White;
        for (rule, goes_on, legal) in [
            (KoRule::Situational, true, true),
            (KoRule::Situational, false, false),
            (KoRule::OwnMoves, true, true),
            (KoRule::Positional, true, false),
        ] {
            let mut history = History::of(rule, [true; 2], &[]);
            let begun = history.begin(&START, goes_on);
            let again = State {
                to_move: other,
                ..begun
            };
            let allowed = history.after(Step::Play(0), &again).is_some();
            assert_eq!(allowed, legal, "{rule:?} {goes_on}");
        }
    }

    /// Black has just moved. If hypothetical play begins with another move of Black, it may not
    /// return to the position with White to move, in which the game stands.
    #[test]
    fn play_that_the_other_player_begins_may_not_return_to_the_turn_of_the_game() {
        for (earlier, legal) in [(vec![], true), (vec![(Color::Black, START.stones)], false)] {
            let mut history = History::of(KoRule::Situational, [true; 2], &earlier);
            let begun = history.begin(&START, true);
            let again = State {
                to_move: Color::White,
                ..begun
            };
            assert_eq!(history.after(Step::Play(0), &again).is_some(), legal);
        }
    }
}
