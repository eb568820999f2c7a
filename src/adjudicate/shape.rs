//! Empty shapes whose surrounding chains cannot be captured, whatever lies beyond. They are
//! common between chains that face each other across territory, and too large to be searched
//! each time.

use crate::board::Board;
use crate::types::{Color, Point};

/// Empty points `.` between chains `A` and `B`, both of which their owner can save even if the
/// opponent plays first. `#` is off the board or a stone of these chains. A space can be anything,
/// even an opponent's stone beyond capture. A test searches each shape.
///
/// The owner may ignore further stones of these chains around a shape, so they cannot hurt. Neither
/// can a connection that makes both chains one.
const SHAPES: &[&[&str]] = &[
    &[
        "#AAAAA ", //
        "#..... ", "#..... ", "#..... ", "#BBBBB ",
    ],
    &[
        "#AAAAAA ", //
        "#...... ", "#...... ", "#BBBBBB ",
    ],
    &[
        " AAAAAAA ", //
        " ....... ",
        " ....... ",
        " BBBBBBB ",
    ],
];

/// Neighbour of an empty point of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    /// The first or the second chain.
    Chain(usize),
    /// Off the board, or a stone of either chain.
    Closed,
}

/// A rotation or reflection.
type Turn = fn(i32, i32) -> (i32, i32);

const TURNS: [Turn; 8] = [
    |x, y| (x, y),
    |x, y| (-x, y),
    |x, y| (x, -y),
    |x, y| (-x, -y),
    |x, y| (y, x),
    |x, y| (-y, x),
    |x, y| (y, -x),
    |x, y| (-y, -x),
];

#[derive(Clone, Debug)]
struct Shape {
    empty: Vec<(i32, i32)>,
    beside: Vec<((i32, i32), Beside)>,
}

/// A shape found on a board.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its empty points.
    pub points: Vec<Point>,
    /// One stone of each chain around it. None can be captured.
    pub chains: Vec<Point>,
}

/// Find shapes on `free` points between chains of `c`, at least one of which is `wanted`.
pub fn places(
    board: &Board,
    c: Color,
    free: impl Fn(Point) -> bool,
    wanted: impl Fn(Point) -> bool,
) -> Vec<Place> {
    let mut found = Vec::new();
    for shape in SHAPES.iter().map(|rows| Shape::of(rows)) {
        for turn in TURNS {
            let shape = shape.turned(turn);
            for at in board.size().points() {
                let place = shape.at(board, c, at);
                found.extend(place.filter(|place| {
                    place.points.iter().all(|&p| free(p))
                        && place.chains.iter().any(|&chain| wanted(chain))
                }));
            }
        }
    }
    found
}

impl Shape {
    fn of(rows: &[&str]) -> Shape {
        let marks = || {
            let rows = rows.iter().zip(0..);
            rows.flat_map(|(row, y)| row.chars().zip(0..).map(move |(mark, x)| ((x, y), mark)))
        };
        let empty: Vec<_> = marks().filter(|m| m.1 == '.').map(|m| m.0).collect();
        let touches = |at| near(at).iter().any(|n| empty.contains(n));
        let beside = marks().filter(|m| touches(m.0)).filter_map(|(at, mark)| {
            let beside = match mark {
                'A' => Beside::Chain(0),
                'B' => Beside::Chain(1),
                '#' => Beside::Closed,
                _ => return None,
            };
            Some((at, beside))
        });
        Shape {
            beside: beside.collect(),
            empty,
        }
    }

    /// The shape turned and moved so that its first empty point is (0, 0).
    fn turned(&self, turn: Turn) -> Shape {
        let (ox, oy) = turn(self.empty[0].0, self.empty[0].1);
        let map = |(x, y)| {
            let (x, y) = turn(x, y);
            (x - ox, y - oy)
        };
        Shape {
            empty: self.empty.iter().map(|&at| map(at)).collect(),
            beside: self.beside.iter().map(|&(at, b)| (map(at), b)).collect(),
        }
    }

    /// Match the shape with its first empty point at `at`.
    fn at(&self, board: &Board, c: Color, at: Point) -> Option<Place> {
        let point = |(x, y): (i32, i32)| {
            let x = u8::try_from(i32::from(at.x()) + x).ok();
            let y = u8::try_from(i32::from(at.y()) + y).ok();
            let on = |(x, y): (u8, u8)| x < board.size().width() && y < board.size().height();
            x.zip(y).filter(|&at| on(at)).map(|(x, y)| Point::new(x, y))
        };
        let mut points = Vec::new();
        for &cell in &self.empty {
            points.push(point(cell).filter(|&p| board.is_empty(p))?);
        }
        let own = |p: Point| board.at(p).color() == Some(c);
        let mut chains = [None; 2];
        for &(cell, beside) in &self.beside {
            if let Beside::Chain(i) = beside {
                let chain = board.chain(point(cell).filter(|&p| own(p))?);
                if *chains[i].get_or_insert(chain) != chain {
                    return None;
                }
            }
        }
        let chains: Vec<Point> = chains.into_iter().flatten().collect();
        for &(cell, beside) in &self.beside {
            if beside == Beside::Closed
                && let Some(p) = point(cell)
                && !(own(p) && chains.contains(&board.chain(p)))
            {
                return None;
            }
        }
        Some(Place { points, chains })
    }
}

/// The four neighbours of a cell.
pub(super) fn near((x, y): (i32, i32)) -> [(i32, i32); 4] {
    [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
}

#[cfg(test)]
mod tests {
    use super::super::Conduct;
    use super::super::goal::Goal;
    use super::super::play::CONDUCTS;
    use super::super::play::State;
    use super::super::region::{Region, Side};
    use super::super::solve::Solver;
    use super::*;

    impl Shape {
        fn region(&self) -> Region {
            Region::bare(&self.empty, |at| {
                match self.beside.iter().find(|b| b.0 == at) {
                    Some((_, Beside::Chain(i))) => Side::Chain(*i),
                    Some((_, Beside::Closed)) => Side::Edge,
                    None => Side::Hostile,
                }
            })
        }
    }

    fn holds(rows: &[&str], conduct: Conduct) -> bool {
        let region = Shape::of(rows).region();
        let goal = Goal::Capture {
            owner: Color::Black,
            target: region.stones[0],
        };
        let start = State::start(&region, Color::White);
        Solver::new(region, conduct).solve(goal, &start, 5_000_000) == Ok(false)
    }

    /// `cargo test --release --lib shapes -- --ignored`.
    #[test]
    #[ignore = "takes a minute"]
    fn larger_shapes_hold() {
        for rows in SHAPES {
            for conduct in CONDUCTS {
                assert!(holds(rows, conduct), "{rows:?}");
            }
        }
    }

    /// The smallest of the shapes holds; a shorter one falls.
    #[test]
    fn shapes_hold() {
        let least = SHAPES.iter().min_by_key(|rows| Shape::of(rows).empty.len());
        let short = ["#AAA ", "#... ", "#... ", "#BBB "];
        for conduct in CONDUCTS {
            assert!(holds(least.unwrap(), conduct));
            assert!(!holds(&short, conduct));
        }
    }
}
