//! Go implemented literally from the rules: only stones are stored, chains and liberties are flood
//! fills, and repetitions are found by comparing the stones of all earlier positions.
//!
//! It shares no code or technique with `ponnuki::board`, so the two agree only if both are right.

use ponnuki::position::{Earlier, IllegalMove};
use ponnuki::rules::{KoRule, Ruleset, SuicideRule};
use ponnuki::types::{BoardSize, Color, Move, Point};

/// Stones on a rectangle; a point is `row * width + column`, row 0 at the bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stones {
    pub width: usize,
    pub height: usize,
    pub cells: Vec<Option<Color>>,
}

/// Result of a play.
#[derive(Clone, Debug)]
pub struct Played {
    pub after: Stones,
    /// The opponent's captured stones.
    pub captured: Vec<usize>,
    /// Own stones removed by suicide.
    pub suicide: Vec<usize>,
}

impl Stones {
    pub fn empty(size: BoardSize) -> Stones {
        Stones {
            width: size.width() as usize,
            height: size.height() as usize,
            cells: vec![None; size.area()],
        }
    }

    pub fn number(&self, p: Point) -> usize {
        p.y() as usize * self.width + p.x() as usize
    }

    pub fn point(&self, i: usize) -> Point {
        Point::new((i % self.width) as u8, (i / self.width) as u8)
    }

    /// The stone `dx` columns to the right and `dy` rows up; `Err` off the board.
    pub fn beside(&self, i: usize, dx: isize, dy: isize) -> Result<usize, ()> {
        let x = (i % self.width) as isize + dx;
        let y = (i / self.width) as isize + dy;
        if x < 0 || y < 0 || x >= self.width as isize || y >= self.height as isize {
            Err(())
        } else {
            Ok(y as usize * self.width + x as usize)
        }
    }

    pub fn adjacent(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        [(0, -1), (-1, 0), (1, 0), (0, 1)]
            .into_iter()
            .filter_map(move |(dx, dy)| self.beside(i, dx, dy).ok())
    }

    /// The chain of the stone at `i`, and its liberties.
    pub fn chain(&self, i: usize) -> (Vec<usize>, Vec<usize>) {
        let color = self.cells[i].expect("a stone");
        let mut seen = vec![false; self.cells.len()];
        let (mut stones, mut liberties) = (vec![i], Vec::new());
        seen[i] = true;
        let mut next = 0;
        while next < stones.len() {
            for j in self.adjacent(stones[next]) {
                if seen[j] {
                    continue;
                }
                match self.cells[j] {
                    None => liberties.push(j),
                    Some(c) if c == color => stones.push(j),
                    Some(_) => continue,
                }
                seen[j] = true;
            }
            next += 1;
        }
        (stones, liberties)
    }

    /// Has the chain at `i` a liberty? Stops at the first.
    pub fn breathes(&self, i: usize) -> bool {
        let mut seen = vec![false; self.cells.len()];
        let mut open = vec![i];
        seen[i] = true;
        while let Some(s) = open.pop() {
            for j in self.adjacent(s) {
                if self.cells[j].is_none() {
                    return true;
                }
                if self.cells[j] == self.cells[i] && !seen[j] {
                    seen[j] = true;
                    open.push(j);
                }
            }
        }
        false
    }

    /// Place a stone, then remove the opponent's stones without liberties, then the player's own.
    pub fn play(&self, c: Color, i: usize) -> Played {
        assert_eq!(self.cells[i], None);
        let mut after = self.clone();
        after.cells[i] = Some(c);
        let mut captured = Vec::new();
        for j in self.adjacent(i) {
            if after.cells[j] == Some(c.opponent()) && !after.breathes(j) {
                for s in after.chain(j).0 {
                    after.cells[s] = None;
                    captured.push(s);
                }
            }
        }
        let mut suicide = Vec::new();
        if !after.breathes(i) {
            suicide = after.chain(i).0;
            for &s in &suicide {
                after.cells[s] = None;
            }
        }
        Played {
            after,
            captured,
            suicide,
        }
    }

    /// The point of a simple ko after a play at `i`, which captured one stone and is a single stone
    /// with that point as its only liberty.
    pub fn ko_after(&self, played: &Played, i: usize) -> Option<usize> {
        let [taken] = played.captured[..] else {
            return None;
        };
        let (stones, liberties) = played.after.chain(i);
        (stones.len() == 1 && liberties == [taken]).then_some(taken)
    }
}

/// Does the rule allow suicide of this many stones?
pub fn suicide_allowed(rule: SuicideRule, stones: usize) -> bool {
    match rule {
        SuicideRule::Forbidden => stones == 0,
        SuicideRule::SeveralStones => stones != 1,
        SuicideRule::Any => true,
    }
}

/// A turn and the stones after it.
#[derive(Clone, Debug)]
pub struct NaiveTurn {
    pub color: Color,
    pub mv: Option<usize>,
    pub after: Stones,
    /// The point of a simple ko, forbidden to the opponent next.
    pub ko: Option<usize>,
    /// Removed stones of Black and White so far, without pass stones.
    pub lost: [u32; 2],
}

/// A game with its whole history.
#[derive(Clone, Debug)]
pub struct NaiveGame {
    pub start: Stones,
    pub first: Color,
    pub turns: Vec<NaiveTurn>,
}

impl NaiveGame {
    pub fn new(start: Stones, first: Color) -> NaiveGame {
        NaiveGame {
            start,
            first,
            turns: Vec::new(),
        }
    }

    pub fn stones(&self) -> &Stones {
        self.turns.last().map_or(&self.start, |t| &t.after)
    }

    pub fn to_move(&self) -> Color {
        self.turns.last().map_or(self.first, |t| t.color.opponent())
    }

    pub fn lost(&self) -> [u32; 2] {
        self.turns.last().map_or([0, 0], |t| t.lost)
    }

    pub fn play(&mut self, c: Color, m: Move) {
        let now = self.stones();
        let mut lost = self.lost();
        let turn = match m {
            Move::Pass => NaiveTurn {
                color: c,
                mv: None,
                after: now.clone(),
                ko: None,
                lost,
            },
            Move::Play(p) => {
                let i = now.number(p);
                let played = now.play(c, i);
                lost[c.index()] += played.suicide.len() as u32;
                lost[c.opponent().index()] += played.captured.len() as u32;
                NaiveTurn {
                    color: c,
                    mv: Some(i),
                    ko: if played.suicide.is_empty() {
                        now.ko_after(&played, i)
                    } else {
                        None
                    },
                    after: played.after,
                    lost,
                }
            }
        };
        self.turns.push(turn);
    }

    /// The legality of a play, checked in this order: occupied, suicide, ko, repetition.
    pub fn legality(&self, c: Color, i: usize, rules: &Ruleset) -> Result<(), IllegalMove> {
        let (ko, suicide) = (rules.ko, rules.suicide);
        let now = self.stones();
        let p = now.point(i);
        if now.cells[i].is_some() {
            return Err(IllegalMove::Occupied(p));
        }
        let played = now.play(c, i);
        if !suicide_allowed(suicide, played.suicide.len()) {
            return Err(IllegalMove::Suicide(played.suicide.len() as u32));
        }
        if ko == KoRule::Simple {
            let forbidden = self
                .turns
                .last()
                .is_some_and(|t| t.color == c.opponent() && t.ko == Some(i));
            return if forbidden {
                Err(IllegalMove::Ko(p))
            } else {
                Ok(())
            };
        }
        let repeats = |earlier| Err(IllegalMove::Repetition { rule: ko, earlier });
        // After a turn of one player, the other one is to move.
        let start_counts = match ko {
            KoRule::Positional | KoRule::Spight => true,
            // The player of the first move was to move.
            KoRule::Situational => {
                self.turns.first().map_or(self.first, |t| t.color) == c.opponent()
            }
            KoRule::OwnMoves | KoRule::Simple => false,
        };
        // Positions before a pass that clears the history do not count; the one that the pass
        // leaves does.
        let is_pass = |t: &NaiveTurn| t.mv.is_none();
        let wiped = if ko == KoRule::Spight {
            self.turns.iter().rposition(is_pass)
        } else if rules.button {
            self.turns.iter().position(is_pass)
        } else {
            None
        };
        if start_counts && wiped.is_none() && self.start == played.after {
            return repeats(Earlier::Start);
        }
        for (n, t) in self.turns.iter().enumerate().skip(wiped.unwrap_or(0)) {
            let counts = match ko {
                KoRule::Positional | KoRule::Spight => true,
                KoRule::Situational | KoRule::OwnMoves => t.color == c,
                KoRule::Simple => false,
            };
            if counts && t.after == played.after {
                return repeats(Earlier::Turn {
                    number: n as u32 + 1,
                    color: t.color,
                });
            }
        }
        Ok(())
    }
}

/// Area by colour, counted naively: its stones, and the empty points connected to it but not to the
/// other colour.
pub fn area(stones: &Stones) -> [u32; 2] {
    let mut points = [0; 2];
    for i in 0..stones.cells.len() {
        match stones.cells[i] {
            Some(c) => points[c.index()] += 1,
            None => {
                let mut seen = vec![false; stones.cells.len()];
                let mut open = vec![i];
                let mut reaches = [false; 2];
                seen[i] = true;
                while let Some(e) = open.pop() {
                    for j in stones.adjacent(e) {
                        match stones.cells[j] {
                            Some(c) => reaches[c.index()] = true,
                            None if !seen[j] => {
                                seen[j] = true;
                                open.push(j);
                            }
                            None => {}
                        }
                    }
                }
                if reaches[0] != reaches[1] {
                    points[if reaches[0] { 0 } else { 1 }] += 1;
                }
            }
        }
    }
    points
}
