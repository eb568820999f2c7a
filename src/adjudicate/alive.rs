//! Stones of a region that are beyond capture.
//!
//! The search needs this for every state, so it works directly on a state's bitsets. Building a
//! board for [`crate::tactics::unconditional`] would cost more than the rest of the search. A test
//! compares the two.

use super::region::{Bits, Region};
use super::room::{LINKS, lives_by_room};
use crate::types::Color;
use smallvec::SmallVec;

/// Parts of a region, usually few.
type Parts = SmallVec<[Bits; 8]>;

impl Region {
    /// Stones that stay on the board even if their owner never plays again in the region (Benson
    /// 1976). `own` and `other` are the stones of the owner and of the opponent, `standing` those of
    /// the owner that are known to stay, and `enclosed` the parts that the owner encloses. With
    /// `suicide` the opponent may fill an eye with several stones and remove them by suicide.
    fn unconditional(
        &self,
        own: Bits,
        other: Bits,
        suicide: bool,
        standing: Bits,
        mut enclosed: Parts,
    ) -> Bits {
        if enclosed.len() < 2 {
            return standing;
        }
        let mut chains: Parts = self.parts(own & !standing).collect();
        loop {
            let before = chains.len();
            let all = standing | chains.iter().fold(0, |a, b| a | b);
            // An enclosed part counts only while all chains around it stand.
            enclosed.retain(|r| self.around_set(*r) & own & !all == 0);
            chains.retain(|chain| {
                let liberties = self.around_set(*chain);
                let to_fill = |r: Bits| if suicide { r } else { r & !other };
                let vital = enclosed
                    .iter()
                    .filter(|&&r| to_fill(r) & !liberties == 0 && r & liberties != 0);
                vital.count() >= 2
            });
            if chains.len() == before {
                break;
            }
        }
        standing | chains.iter().fold(0, |a, b| a | b)
    }

    /// The parts into which the stones `own` of `c` divide the region, except those next to a safe
    /// chain of the opponent.
    fn enclosed(&self, c: Color, own: Bits) -> Parts {
        let others = self.all() & !own;
        let hostile = self.joined_to_safe(c.opponent(), others);
        self.parts(others & !hostile).collect()
    }

    /// Stones of `c` that cannot be captured if `c` answers the opponent's moves: chains connected
    /// to safe ones, the [unconditionally alive](Self::unconditional) ones, chains that alone
    /// enclose two empty parts or one with room for two eyes, and those that share an empty part
    /// with chains beyond capture. `own`, `other` and `suicide` are those of
    /// [`Region::unconditional`].
    pub fn beyond_capture(&self, c: Color, own: Bits, other: Bits, suicide: bool) -> Bits {
        let mut answered = 0;
        let standing = self.joined_to_safe(c, own);
        let enclosed = self.enclosed(c, own);
        if !enclosed.is_empty() {
            for chain in self.parts(own & !standing) {
                let mut eyes = 0;
                for &r in &enclosed {
                    let around = self.around_set(r) & own;
                    let links = self.around_set(chain) & r;
                    if r & other == 0
                        && around & !chain & !standing == 0
                        && (r & self.next_to_safe[c.index()] | around & standing) != 0
                        && links.count_ones() >= LINKS
                    {
                        eyes += 2;
                        continue;
                    }
                    // A room next to a safe chain may be lost point by point, since the chain in
                    // question need not touch all its points.
                    let alone = r & self.next_to_safe[c.index()] == 0 || r.count_ones() == 1;
                    if !alone || around & chain == 0 || around & !chain != 0 {
                        continue;
                    }
                    let count = |points: Bits| (points & !other).count_ones();
                    let (least, intruders) = (self.room_to_live, (r & other).count_ones());
                    eyes += match lives_by_room(least, count(r), count(links), intruders) {
                        true => 2,
                        false => u32::from(intruders == 0),
                    };
                }
                if eyes >= 2 || self.has_room(chain, own, other) {
                    answered |= chain;
                }
            }
        }
        self.unconditional(own, other, suicide, standing | answered, enclosed)
    }

    /// Does a chain alone enclose room for two eyes, away from safe chains and without stones of
    /// the opponent?
    fn has_room(&self, chain: Bits, own: Bits, other: Bits) -> bool {
        let foreign = self.next_to_safe[0] | self.next_to_safe[1] | other;
        let least = self.room_to_live;
        let empty = |room: Bits| (room & !own).count_ones();
        // Most regions have too few points for that.
        if empty(self.all() & !foreign) < least {
            return false;
        }
        let around = self.around_set(chain);
        self.parts(self.all() & !chain).any(|r| {
            let links = (around & r & !own).count_ones();
            r & foreign == 0 && lives_by_room(least, empty(r), links, 0)
        })
    }

    /// Points where a stone of `c` could help to live: those in parts that are not too small. `own`
    /// are the stones of `c`. The parts are separated by `hostile`, the opponent's stones beyond
    /// capture.
    pub fn open_to(&self, c: Color, own: Bits, hostile: Bits) -> Bits {
        self.parts(self.all() & !hostile)
            .filter(|part| {
                let too_small = self.too_small[usize::from(part & own == 0)];
                part & self.next_to_safe[c.index()] != 0 || part.count_ones() > too_small
            })
            .fold(0, |all, part| all | part)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Conduct;
    use super::super::goal::Goal;
    use super::super::play::{CONDUCTS, State};
    use super::super::region::{Side, bits};
    use super::super::room::TOO_SMALL_EMPTY;
    use super::super::shape::near;
    use super::super::solve::Solver;
    use super::*;
    use crate::board::Board;
    use crate::rules::SuicideRule;
    use crate::tactics::unconditional;
    use crate::types::{BoardSize, Generator, Point, PointSet};

    /// Can White capture the chain around a room, playing first?
    fn falls(region: &Region, conduct: Conduct) -> Option<bool> {
        let wall = region.stones[0] & !(region.all() >> 1);
        let goal = Goal::Remove {
            owner: Color::Black,
            target: wall,
        };
        let mut solver = Solver::new(region.clone(), conduct);
        let start = State::start(region, Color::White);
        let mut falls = Some(false);
        for first in bits(start.empty(region)) {
            let Some((next, _)) = start.play(region, conduct, first) else {
                continue;
            };
            match solver.solve(goal, &next, 300_000) {
                Ok(true) => return Some(true),
                Ok(false) => {}
                Err(_) => falls = None,
            }
        }
        falls
    }

    fn random_room(rng: &mut Generator, points: usize) -> Vec<(i32, i32)> {
        let start = [(0, 0), (9, 0), (9, 9)][rng.below(3) as usize];
        let mut cells = vec![start];
        while cells.len() < points {
            let (x, y) = cells[rng.below(cells.len() as u32) as usize];
            let (dx, dy) = [(1, 0), (-1, 0), (0, 1), (0, -1)][rng.below(4) as usize];
            let near = (x + dx, y + dy);
            if near.0 >= 0 && near.1 >= 0 && !cells.contains(&near) {
                cells.push(near);
            }
        }
        cells
    }

    /// Grow a room point by point. Each time, of up to `tries` random points, the one with the most
    /// sides at the room or the edge is added, so more tries make the room more compact.
    fn compact_room(rng: &mut Generator, points: usize, tries: u32) -> Vec<(i32, i32)> {
        let start = [(0, 0), (9, 0), (9, 9)][rng.below(3) as usize];
        let mut cells = vec![start];
        while cells.len() < points {
            let open: Vec<(i32, i32)> = cells.iter().flat_map(|&at| near(at)).collect();
            let open: Vec<(i32, i32)> = open
                .into_iter()
                .filter(|at| at.0 >= 0 && at.1 >= 0 && !cells.contains(at))
                .collect();
            let closed = |at: &(i32, i32)| {
                let beside = near(*at);
                let closed = beside
                    .iter()
                    .filter(|b| b.0 < 0 || b.1 < 0 || cells.contains(b));
                closed.count()
            };
            let tried = (0..=rng.below(tries)).map(|_| open[rng.below(open.len() as u32) as usize]);
            let best = tried.collect::<Vec<_>>().into_iter().max_by_key(closed);
            cells.extend(best);
        }
        cells
    }

    /// Count the random rooms in which Black, playing first without a stone there, gets a lasting
    /// stone. White chains beyond capture surround each room, and white stones may stand in it.
    /// Black's first move is made here, because the search counts a room without black stones as
    /// lost.
    fn lives_in_bare_rooms(points: usize, rooms: u32, conduct: Conduct) -> u32 {
        let mut rng = Generator::new(points as u64);
        let mut lives = 0;
        for i in 0..rooms {
            let room = compact_room(&mut rng, points, 1 + i % 20);
            let mut region = Region::bare(&room, |(x, y)| match x < 0 || y < 0 {
                true => Side::Edge,
                false => Side::Hostile,
            });
            for _ in 0..rng.below(4) * u32::from(i % 2 == 0) {
                region.stones[1] |= 1 << rng.below(points as u32);
            }
            let goal = Goal::LastingStone {
                owner: Color::Black,
                local: region.all(),
            };
            let start = State::start(&region, Color::Black);
            let mut solver = Solver::new(region.clone(), conduct);
            let mut fails = |bit| {
                let Some((mut next, _)) = start.play(&region, conduct, bit) else {
                    return true;
                };
                next.fresh = 1 << bit;
                solver.solve(goal, &next, 3_000_000) == Ok(false)
            };
            lives += u32::from(!bits(start.empty(&region)).all(&mut fails));
        }
        lives
    }

    /// Nothing lives in a bare room of eleven points in any conduct.
    #[test]
    fn bare_rooms() {
        for how in CONDUCTS {
            assert_eq!(lives_in_bare_rooms(11, 40, how), 0);
        }
    }

    /// `cargo test --release --lib bare -- --ignored`.
    #[test]
    #[ignore = "takes minutes"]
    fn larger_bare_rooms() {
        for how in CONDUCTS {
            assert_eq!(lives_in_bare_rooms(12, 300, how), 0);
            assert_eq!(lives_in_bare_rooms(TOO_SMALL_EMPTY as usize, 20, how), 0);
        }
    }

    /// Count the random rooms in which White, playing first, captures a black chain that shares the
    /// room with one beyond capture. The first count is of chains with at least [`LINKS`] liberties
    /// in the room, the second of chains with one less.
    fn falls_beside_safe(points: usize, rooms: u32, conduct: Conduct) -> (u32, u32) {
        let mut rng = Generator::new(points as u64);
        let (mut seen, mut fallen, mut fallen_with_less) = (0, 0, 0);
        while seen < rooms {
            let tries = 1 + rng.below(20);
            let room = compact_room(&mut rng, points, tries);
            let (a, b) = [(1, 0), (0, 1), (1, 1), (1, -1)][rng.below(4) as usize];
            let sign = if rng.below(2) == 0 { 1 } else { -1 };
            let height = |at: (i32, i32)| sign * (a * at.0 + b * at.1);
            let level = height(room[rng.below(points as u32) as usize]) + rng.below(3) as i32;
            let is_safe = |at: (i32, i32)| height(at) >= level;
            let on_board = |at: (i32, i32)| at.0 >= 0 && at.1 >= 0;
            let mut region = Region::bare(&room, |at| match on_board(at) && !is_safe(at) {
                true => Side::Chain(0),
                false => Side::Edge,
            });
            for (i, &at) in room.iter().enumerate() {
                let beside = |n: &(i32, i32)| on_board(*n) && !room.contains(n) && is_safe(*n);
                region.next_to_safe[0] |= u64::from(near(at).iter().any(beside)) << i;
            }
            let liberties = region.around_set(region.stones[0]);
            if region.next_to_safe[0] == 0 || liberties.count_ones() < LINKS - 1 {
                continue;
            }
            seen += 1;
            let falls = u32::from(falls(&region, conduct) != Some(false));
            match liberties.count_ones() >= LINKS {
                true => fallen += falls,
                false => fallen_with_less += falls,
            }
        }
        (fallen, fallen_with_less)
    }

    /// Chains with [`LINKS`] liberties hold in every conduct. With one less, some fall.
    #[test]
    fn rooms_beside_safe_chains() {
        for how in CONDUCTS {
            for points in 4..=9 {
                let (fallen, with_less) = falls_beside_safe(points, 200, how);
                assert_eq!(fallen, 0, "{points}");
                assert!(with_less > 0);
            }
        }
    }

    /// `cargo test --release --lib rooms -- --ignored`.
    #[test]
    #[ignore = "takes minutes"]
    fn larger_rooms_beside_safe_chains() {
        for how in CONDUCTS {
            for points in 10..=14 {
                assert_eq!(falls_beside_safe(points, 200, how).0, 0, "{points}");
            }
        }
    }

    /// Rooms with seven empty points hold in every conduct, with or without own stones. Six may be
    /// too few. `ROOM_TO_LIVE` adds one as a margin.
    #[test]
    fn rooms() {
        let mut rng = Generator::new(4);
        for how in CONDUCTS {
            let mut fallen = [0; 10];
            for i in 0..600 {
                let (empty, own) = (6 + i % 4, rng.below(4) as usize);
                let room = random_room(&mut rng, empty + own);
                let mut region = Region::bare(&room, |(x, y)| match x < 0 || y < 0 {
                    true => Side::Edge,
                    false => Side::Chain(0),
                });
                for i in empty..room.len() {
                    region.stones[0] |= 1 << i;
                }
                fallen[empty] += u32::from(falls(&region, how) != Some(false));
            }
            assert_eq!(fallen[7..], [0; 3]);
            assert!(fallen[6] > 0);
        }
    }

    /// A region of the whole board has the same unconditionally alive chains as the board.
    #[test]
    fn unconditional_life_is_that_of_a_board() {
        let mut rng = Generator::new(12);
        let mut found = 0;
        for _ in 0..2_000 {
            let mut board = Board::new(BoardSize::square(6));
            let mut c = Color::Black;
            for _ in 0..30 + rng.below(40) {
                let m = board.random_play(c, SuicideRule::Forbidden, &mut rng);
                board.play_move(c, m);
                c = c.opponent();
            }
            let start = board.empty_points()[0];
            let Some(region) = Region::around(&board, start, &PointSet::default()) else {
                continue;
            };
            if region.all().count_ones() != 36 {
                continue;
            }
            for c in Color::BOTH {
                let (own, other) = (
                    region.stones[c.index()],
                    region.stones[c.opponent().index()],
                );
                for suicide in [false, true] {
                    let standing = region.joined_to_safe(c, own);
                    let enclosed = region.enclosed(c, own);
                    let alive = region.unconditional(own, other, suicide, standing, enclosed);
                    let mut expected = unconditional(&board, c, suicide).stones;
                    let mut stones: Vec<Point> = bits(alive).map(|b| region.point(b)).collect();
                    expected.sort_by_key(|p| p.index());
                    stones.sort_by_key(|p| p.index());
                    assert_eq!(stones, expected, "{board:?}");
                    found += stones.len();
                }
            }
        }
        assert!(found > 1_000, "{found}");
    }
}
