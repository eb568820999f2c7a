//! The first convolution, from planes of bits: rows of weights are summed, since planes are
//! mostly empty and hold nothing but 0 and 1.

use super::forward::Features;
use super::kernels::padded;
use super::layers::{places, weight};
use super::model::Conv;

/// The plane that is 1 on every point of the board.
const BOARD: usize = 0;

/// Filters that reach further have no rows for the plane of the board: they would be many.
const REACH: usize = 3;

/// The weights of the first convolution.
pub(super) struct Planes {
    /// `[place][plane][channel]`, and after them `[Edges::row][channel]`.
    pub(super) weights: Vec<f32>,
    /// Columns and rows that the input of each place is away.
    places: Vec<(isize, isize)>,
    /// Planes.
    inputs: usize,
    /// Columns and rows that a place is away at most.
    reach: (usize, usize),
}

/// How many points the board goes on to the left, to the right, above and below, as far as
/// the filter reaches: all that the plane of the board depends on.
struct Edges([usize; 4]);

impl Edges {
    fn of(reach: (usize, usize), (x, y): (usize, usize), size: (usize, usize)) -> Edges {
        let (right, below) = (size.0 - 1 - x, size.1 - 1 - y);
        let [x, right] = [x, right].map(|n| n.min(reach.0));
        let [y, below] = [y, below].map(|n| n.min(reach.1));
        Edges([x, right, y, below])
    }

    /// All, in the order of their rows.
    fn all(reach: (usize, usize)) -> impl Iterator<Item = Edges> {
        let (a, d) = (reach.0 + 1, reach.1 + 1);
        (0..a * a * d * d).map(move |n| Edges([n / d / d / a, n / d / d % a, n / d % d, n % d]))
    }

    fn row(&self, reach: (usize, usize)) -> usize {
        let Edges([left, right, above, below]) = self;
        let across = left * (reach.0 + 1) + right;
        (across * (reach.1 + 1) + above) * (reach.1 + 1) + below
    }

    /// Is the input at such a place on the board?
    fn hold(&self, (x, y): (isize, isize)) -> bool {
        let [left, right, above, below] = self.0.map(|n| n as isize);
        (-left..=right).contains(&x) && (-above..=below).contains(&y)
    }
}

impl Planes {
    pub(super) fn new(conv: &Conv) -> Planes {
        let mut planes = Planes {
            weights: Vec::new(),
            places: Vec::new(),
            inputs: conv.inputs,
            reach: conv.reach(),
        };
        for (y, x, away) in places(conv) {
            planes.places.push(away);
            for i in 0..conv.inputs {
                let row = (0..padded(conv.outputs))
                    .map(|o| weight(std::slice::from_ref(conv), y, x, i, o));
                planes.weights.extend(row);
            }
        }
        if planes.sums_the_board() {
            planes.sum_the_board(padded(conv.outputs));
        }
        planes
    }

    /// Are there rows for the plane of the board?
    fn sums_the_board(&self) -> bool {
        self.reach.0.max(self.reach.1) <= REACH
    }

    fn sum_the_board(&mut self, channels: usize) {
        for edges in Edges::all(self.reach) {
            let mut sums = vec![0.0; channels];
            for (n, away) in self.places.iter().enumerate() {
                if edges.hold(*away) {
                    let row = &self.weights[(n * self.inputs + BOARD) * channels..];
                    for (sum, w) in sums.iter_mut().zip(row) {
                        *sum += f64::from(*w);
                    }
                }
            }
            self.weights.extend(sums.into_iter().map(|sum| sum as f32));
        }
    }
}

/// The rows of weights that each point is the sum of.
#[derive(Default)]
pub(super) struct Lists {
    /// Of all points, one after the other.
    pub(super) rows: Vec<u32>,
    /// Where those of each point end.
    pub(super) ends: Vec<u32>,
    /// The planes with a border of zeros as wide as the filter reaches.
    bordered: Vec<u32>,
    /// Points from the upper left of the filter's square to each place.
    steps: Vec<usize>,
}

impl Lists {
    /// List those of a position.
    pub(super) fn fill(&mut self, planes: &Planes, features: &Features) {
        let (columns, rows) = features.size;
        let (across, down) = planes.reach;
        let pitch = columns + 2 * across;
        let whole =
            planes.sums_the_board() && features.planes.iter().all(|bits| bits >> BOARD & 1 == 1);
        let one_by_one = match whole {
            true => !(1 << BOARD),
            false => u32::MAX,
        };
        self.bordered.clear();
        self.bordered.resize(pitch * (rows + 2 * down), 0);
        let from = features.planes.chunks_exact(columns);
        let to = self.bordered.chunks_exact_mut(pitch).skip(down);
        for (from, to) in from.zip(to) {
            for (from, to) in from.iter().zip(&mut to[across..]) {
                *to = from & one_by_one;
            }
        }
        self.steps.clear();
        self.steps.extend(planes.places.iter().map(|&(x, y)| {
            let (x, y) = (across as isize + x, down as isize + y);
            y as usize * pitch + x as usize
        }));
        self.rows.clear();
        self.ends.clear();
        let after_places = planes.places.len() * planes.inputs;
        for y in 0..rows {
            for x in 0..columns {
                if whole {
                    let edges = Edges::of(planes.reach, (x, y), features.size);
                    let row = after_places + edges.row(planes.reach);
                    self.rows.push(row as u32);
                }
                let square = &self.bordered[y * pitch + x..];
                for (n, step) in self.steps.iter().enumerate() {
                    let mut bits = square[*step];
                    while bits != 0 {
                        let plane = bits.trailing_zeros();
                        self.rows.push((n * planes.inputs) as u32 + plane);
                        bits &= bits - 1;
                    }
                }
                self.ends.push(self.rows.len() as u32);
            }
        }
    }
}
