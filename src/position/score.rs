//! Scoring at the end of the game.

use super::{Line, Outcome, Position};
use crate::board::{Board, EmptyRegion};
use crate::rules::{Scoring, Tax};
use crate::types::{Color, POINTS, Point};
use std::fmt;

/// The owner of a point when scoring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// Counts for this player.
    Player(Color),
    /// Counts for neither player: dame, or eye points in seki if the rules tax them.
    Neither,
}

impl Owner {
    /// 1 for Black, −1 for White, 0 for neither.
    pub fn sign(self) -> f32 {
        match self {
            Owner::Player(c) => f32::from(c.sign() as i8),
            Owner::Neither => 0.0,
        }
    }
}

/// The score of a game. All numbers are points.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Black's stones and surrounded points (area), or Black's territory.
    pub black_points: u32,
    /// White's stones and surrounded points (area), or White's territory.
    pub white_points: u32,
    /// White stones that Black holds as prisoners, including dead stones and pass
    /// stones; only pass stones if prisoners do not count.
    pub black_prisoners: u32,
    /// Black stones that White holds as prisoners, counted in the same way as Black's.
    pub white_prisoners: u32,
    /// Black's group tax: at most two points for each group.
    pub black_tax: u32,
    /// White's group tax: at most two points for each group.
    pub white_tax: u32,
    /// The holder of the button, worth half a point.
    pub button: Option<Color>,
    /// Komi plus handicap compensation.
    pub white_bonus: f64,
}

impl Score {
    /// Black's lead; negative if White leads, 0 for jigo.
    pub fn margin(&self) -> f64 {
        let points = |n: u32| n as f64;
        let button = self.button.map_or(0.0, |c| 0.5 * c.sign() as f64);
        points(self.black_points + self.black_prisoners)
            - points(self.white_points + self.white_prisoners)
            - points(self.black_tax)
            + points(self.white_tax)
            + button
            - self.white_bonus
    }

    /// The winner; `None` for jigo.
    pub fn winner(&self) -> Option<Color> {
        let m = self.margin();
        if m > 0.0 {
            Some(Color::Black)
        } else if m < 0.0 {
            Some(Color::White)
        } else {
            None
        }
    }
}

impl From<&Score> for Outcome {
    fn from(score: &Score) -> Self {
        // A komi such as 6.3 is not exact in binary: round off the error.
        let margin = (score.margin().abs() * 1000.0).round() / 1000.0;
        match score.winner() {
            Some(winner) if margin > 0.0 => Outcome::Points { winner, margin },
            _ => Outcome::Jigo,
        }
    }
}

/// `B+3.5`, `W+31` or `0`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Outcome::from(self).fmt(f)
    }
}

impl Position {
    /// Score the board after removing the `dead` stones.
    ///
    /// `dead` lists every dead stone. `seki` tells whether the chain of a stone is alive
    /// in seki; it matters only if chains in seki have no territory. A free button goes
    /// to the player to move, who would take it by passing.
    pub fn score(&self, dead: &[Point], seki: impl Fn(Point) -> bool) -> Score {
        let (owners, _) = self.owners(dead, &seki);
        self.score_of(&owners, dead, seki)
    }

    /// Score a board with known ownership: `owners` gives the owner of each point (by
    /// [`Point::index`]), `removed` the dead stones to remove, `seki` whether a stone is
    /// in seki.
    pub fn score_of(
        &self,
        owners: &[Owner],
        removed: &[Point],
        seki: impl Fn(Point) -> bool,
    ) -> Score {
        let board = self.board.without(removed);
        let tax = match self.rules.tax {
            Tax::All => group_tax(&board, owners, &seki),
            Tax::None | Tax::Seki => [0; 2],
        };
        let button = self
            .rules
            .button
            .then(|| self.button().unwrap_or(self.to_move));
        let mut points = [0u32; 2];
        let area = self.rules.scoring == Scoring::Area;
        for p in board.size().points() {
            if let Owner::Player(c) = owners[p.index()]
                && (area || board.is_empty(p))
            {
                points[c.index()] += 1;
            }
        }
        let mut prisoners = [0u32; 2];
        if !area {
            for c in Color::BOTH {
                prisoners[c.index()] = self.board.captured(c.opponent());
            }
            for &p in removed {
                if let Some(c) = self.board.at(p).color() {
                    prisoners[c.opponent().index()] += 1;
                }
            }
        }
        // Under area scoring, pass stones count even though prisoners do not.
        if area && self.rules.pass_costs_stone {
            for c in Color::BOTH {
                prisoners[c.opponent().index()] += self.ordinary_passes[c.index()];
            }
        }
        Score {
            black_points: points[0],
            white_points: points[1],
            black_prisoners: prisoners[0],
            white_prisoners: prisoners[1],
            black_tax: tax[0],
            white_tax: tax[1],
            button,
            white_bonus: self.white_bonus(),
        }
    }

    /// The owner of each point (indexed by [`Point::index`]) after removing the `dead`
    /// stones, and the board without them.
    ///
    /// A region of empty points belongs to a player if only that player's stones border
    /// it. Under a tax, regions that border a stone in seki belong to neither.
    pub fn owners(&self, dead: &[Point], seki: impl Fn(Point) -> bool) -> (Vec<Owner>, Board) {
        let board = self.board.without(dead);
        let taxed = self.rules.tax != Tax::None;
        let owners = owners_of(&board, |region| {
            let mut around = region.points.iter().flat_map(|r| r.neighbours());
            taxed && around.any(|q| board.at(q).is_stone() && seki(q))
        });
        (owners, board)
    }
}

impl Line {
    /// Black's lead in points if all stones on the board are alive; negative if White
    /// leads.
    pub fn margin_if_all_live(&self) -> f32 {
        let board = self.board();
        let mut margin = board.area_balance() as f32 + self.area_to_margin();
        if self.rules().tax == Tax::All {
            let owners = owners_of(board, |_| false);
            let [black, white] = group_tax(board, &owners, |_| false);
            margin -= black as f32 - white as f32;
        }
        margin
    }

    /// The owner of each point, by [`Point::index`], if all stones on the board are alive: 1 for
    /// Black, −1 for White, 0 for neither.
    pub fn ownership_if_all_live(&self) -> Vec<f32> {
        let owners = owners_of(self.board(), |_| false);
        owners.into_iter().map(Owner::sign).collect()
    }
}

/// The owner of each point, by [`Point::index`]: stones belong to their player, a region
/// of empty points to the player who surrounds it, unless `in_seki` holds.
fn owners_of(board: &Board, in_seki: impl Fn(&EmptyRegion) -> bool) -> Vec<Owner> {
    let mut owners = vec![Owner::Neither; POINTS];
    for p in board.size().points() {
        if let Some(c) = board.at(p).color() {
            owners[p.index()] = Owner::Player(c);
        }
    }
    for region in board.empty_regions() {
        if let Some(c) = region.owner.filter(|_| !in_seki(&region)) {
            for p in region.points {
                owners[p.index()] = Owner::Player(c);
            }
        }
    }
    owners
}

/// The group tax of each colour: two points for each living group, except in seki. A
/// group is a connected set of stones and territory of one colour. A group with one
/// point of territory loses only that point: the tax takes no stones.
fn group_tax(board: &Board, owners: &[Owner], seki: impl Fn(Point) -> bool) -> [u32; 2] {
    let mut found = [0; 2];
    let mut seen = [false; POINTS];
    for p in board.size().points() {
        let Owner::Player(c) = owners[p.index()] else {
            continue;
        };
        if seen[p.index()] {
            continue;
        }
        let group = board.flood(p, &mut seen, |q| owners[q.index()] == Owner::Player(c));
        let lives = |q: &Point| board.at(*q).is_stone() && !seki(*q);
        if group.iter().any(lives) {
            let territory = group.iter().filter(|&&q| board.is_empty(q)).count();
            found[c.index()] += territory.min(2) as u32;
        }
    }
    found
}
