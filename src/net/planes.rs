//! The first convolution, on bit planes. It sums rows of weights, since planes are mostly
//! empty and contain only 0 and 1.

use super::kernels::padded;
use super::model::{self, Conv};

/// Features of a position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Features {
    /// Columns and rows.
    pub size: (usize, usize),
    /// Planes by point, starting with the top row: bit i is plane i.
    pub planes: Vec<u32>,
    /// The global features.
    pub globals: [f32; model::GLOBALS],
}

/// The plane that is 1 everywhere on the board.
const BOARD: usize = 0;

/// Largest reach of a filter with presummed rows for the board plane; beyond that, there would
/// be too many rows.
const REACH: usize = 3;

/// The weights of the first convolution.
pub(super) struct Planes {
    /// `[tap][plane][channel]`, followed by `[Edges::row][channel]`.
    pub(super) weights: Vec<f32>,
    /// Offset of each filter tap's input, in columns and rows.
    taps: Vec<(isize, isize)>,
    /// Number of planes.
    inputs: usize,
    /// Largest offset of a tap, in columns and rows.
    reach: (usize, usize),
}

/// Number of board points to the left, to the right, above and below a point, capped at the
/// filter's reach. The convolution of the board plane depends on nothing else.
struct Edges([usize; 4]);

impl Edges {
    fn of(reach: (usize, usize), (x, y): (usize, usize), size: (usize, usize)) -> Edges {
        let (right, below) = (size.0 - 1 - x, size.1 - 1 - y);
        let [x, right] = [x, right].map(|n| n.min(reach.0));
        let [y, below] = [y, below].map(|n| n.min(reach.1));
        Edges([x, right, y, below])
    }

    /// List all values, in order of [`Edges::row`].
    fn all(reach: (usize, usize)) -> impl Iterator<Item = Edges> {
        let (a, d) = (reach.0 + 1, reach.1 + 1);
        (0..a * a * d * d).map(move |n| Edges([n / d / d / a, n / d / d % a, n / d % d, n % d]))
    }

    fn row(&self, reach: (usize, usize)) -> usize {
        let Edges([left, right, above, below]) = self;
        let across = left * (reach.0 + 1) + right;
        (across * (reach.1 + 1) + above) * (reach.1 + 1) + below
    }

    /// Is the input at this offset on the board?
    fn contain(&self, (x, y): (isize, isize)) -> bool {
        let [left, right, above, below] = self.0.map(|n| n as isize);
        (-left..=right).contains(&x) && (-above..=below).contains(&y)
    }
}

impl Planes {
    pub(super) fn new(conv: &Conv) -> Planes {
        let mut planes = Planes {
            weights: Vec::new(),
            taps: Vec::new(),
            inputs: conv.inputs,
            reach: conv.reach(),
        };
        for (y, x, away) in conv.taps() {
            planes.taps.push(away);
            for i in 0..conv.inputs {
                let row = (0..padded(conv.outputs)).map(|o| conv.weight(y, x, i, o));
                planes.weights.extend(row);
            }
        }
        if planes.has_board_rows() {
            planes.add_board_rows(padded(conv.outputs));
        }
        planes
    }

    /// Are there presummed rows for the board plane?
    fn has_board_rows(&self) -> bool {
        self.reach.0.max(self.reach.1) <= REACH
    }

    fn add_board_rows(&mut self, channels: usize) {
        for edges in Edges::all(self.reach) {
            let mut sums = vec![0.0; channels];
            for (n, away) in self.taps.iter().enumerate() {
                if edges.contain(*away) {
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

/// The rows of weights to sum for each point.
#[derive(Default)]
pub(super) struct Lists {
    /// Rows of all points, concatenated.
    pub(super) rows: Vec<u32>,
    /// End of each point's rows.
    pub(super) ends: Vec<u32>,
    /// The planes with a border of zeros as wide as the filter's reach.
    bordered: Vec<u32>,
    /// Distance in `bordered` from the upper left corner of the filter to each tap.
    steps: Vec<usize>,
}

impl Lists {
    /// List the rows of a position.
    pub(super) fn fill(&mut self, planes: &Planes, features: &Features) {
        let (columns, rows) = features.size;
        let (across, down) = planes.reach;
        let pitch = columns + 2 * across;
        let whole =
            planes.has_board_rows() && features.planes.iter().all(|bits| bits >> BOARD & 1 == 1);
        let mask = match whole {
            true => !(1 << BOARD),
            false => u32::MAX,
        };
        self.bordered.clear();
        self.bordered.resize(pitch * (rows + 2 * down), 0);
        let from = features.planes.chunks_exact(columns);
        let to = self.bordered.chunks_exact_mut(pitch).skip(down);
        for (from, to) in from.zip(to) {
            for (from, to) in from.iter().zip(&mut to[across..]) {
                *to = from & mask;
            }
        }
        self.steps.clear();
        self.steps.extend(planes.taps.iter().map(|&(x, y)| {
            let (x, y) = (across as isize + x, down as isize + y);
            y as usize * pitch + x as usize
        }));
        self.rows.clear();
        self.ends.clear();
        let after_taps = planes.taps.len() * planes.inputs;
        for y in 0..rows {
            for x in 0..columns {
                if whole {
                    let edges = Edges::of(planes.reach, (x, y), features.size);
                    let row = after_taps + edges.row(planes.reach);
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
