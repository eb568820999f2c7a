//! What is done with the outputs of a layer while they are in registers: data that a
//! kernel is called with, rather than another pass over memory.

use super::gemm::Matrix;
use super::simd::{Simd, Vector};
use super::tiles::Line;
use super::weights::PAD;
use crate::net::Activation;

/// How sums are written to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// In place of what it holds.
    Set,
    /// Added to what it holds.
    Add,
}

/// Where the points of a board lie in a buffer, in points.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Of each point, rows of the board one after the other.
    at: Vec<u32>,
    /// One more than the largest.
    end: usize,
}

impl Rows {
    /// The points one after the other.
    pub fn dense(points: usize) -> Rows {
        Rows {
            at: (0..points as u32).collect(),
            end: points,
        }
    }

    /// The points of a board of `size` (columns, rows) within rows of `pitch`
    /// points and a border.
    pub fn padded(size: (usize, usize), pitch: usize, border: usize) -> Rows {
        let at = |i: usize| (i / size.0 + border) * pitch + i % size.0 + border;
        let at: Vec<u32> = (0..size.0 * size.1).map(|i| at(i) as u32).collect();
        let end = at.last().map_or(0, |&last| last as usize + 1);
        Rows { at, end }
    }

    /// The row of a point of the board.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn of(&self, point: usize) -> usize {
        self.at[point] as usize
    }
}

/// A batch norm folded into a scale and a bias, and the activation that follows.
#[derive(Clone, Copy, Debug)]
pub struct ScaleBias<'a> {
    /// By channel, padded.
    pub scale: &'a [f32],
    /// By channel, padded.
    pub bias: &'a [f32],
    /// Applied to scale · x + bias.
    pub activation: Activation,
}

/// Memory for the input of a layer.
#[derive(Debug)]
pub enum Input<'a> {
    /// `[row][channel]`.
    Single(&'a mut [f32]),
    /// `[row][line]`, rounded to bfloat16.
    Rounded(&'a mut [Line]),
}

/// The input of the next layer.
#[derive(Debug)]
pub struct NextInput<'a> {
    /// What it is made with, by channel.
    pub norm: ScaleBias<'a>,
    /// Where it goes.
    pub out: Input<'a>,
    /// The row of each point.
    pub rows: &'a Rows,
}

/// What is done with each output: first the trunk, then the next layer's input.
#[derive(Debug)]
pub struct Epilogue<'a> {
    /// Channels of the outputs, padded.
    pub channels: usize,
    /// Points of the board.
    pub points: usize,
    /// `[point][channel]`: takes the outputs, or their sum with what it holds. What
    /// it holds then is what the next layer's input is made of.
    pub trunk: Option<(&'a mut [f32], Write)>,
    /// Takes the outputs, normalised and activated.
    pub next: Option<NextInput<'a>>,
}

impl Epilogue<'_> {
    /// Its buffers cut into vectors.
    ///
    /// # Panics
    /// If a buffer is too short.
    #[inline(always)]
    pub(super) fn cut<S: Simd>(&mut self, s: S) -> Cut<'_, S> {
        let (channels, points) = (self.channels, self.points);
        assert!(channels.is_multiple_of(PAD), "channels must be padded");
        let trunk = self.trunk.as_mut().map(|(trunk, write)| {
            let trunk = &mut trunk[..points * channels];
            (S::lanes_mut(trunk), *write)
        });
        let next = self.next.as_mut().map(|next| CutNext {
            scale: S::lanes(&next.norm.scale[..channels]),
            bias: S::lanes(&next.norm.bias[..channels]),
            activation: next.norm.activation,
            out: match &mut next.out {
                Input::Single(out) => {
                    CutInput::Single(S::lanes_mut(&mut out[..next.rows.end * channels]))
                }
                Input::Rounded(out) => {
                    let lines = Line::count(channels);
                    CutInput::Rounded(&mut out[..next.rows.end * lines], lines)
                }
            },
            rows: &next.rows.at[..points],
        });
        Cut {
            s,
            points,
            row: channels / S::LANES,
            trunk,
            next,
        }
    }
}

/// An [`Epilogue`] with its buffers cut into vectors.
pub(super) struct Cut<'a, S: Simd> {
    s: S,
    points: usize,
    /// Vectors of a point's channels.
    pub(super) row: usize,
    trunk: Option<(&'a mut [S::Lanes], Write)>,
    next: Option<CutNext<'a, S::Lanes>>,
}

enum CutInput<'a, L> {
    Single(&'a mut [L]),
    /// With the lines of a row.
    Rounded(&'a mut [Line], usize),
}

struct CutNext<'a, L> {
    scale: &'a [L],
    bias: &'a [L],
    out: CutInput<'a, L>,
    activation: Activation,
    rows: &'a [u32],
}

impl<S: Simd> Cut<'_, S> {
    /// Scale and bias of the `c`-th vector of channels.
    #[inline(always)]
    pub(super) fn norm(&self, c: usize) -> (S::Vector, S::Vector) {
        match &self.next {
            Some(next) => (self.s.load(&next.scale[c]), self.s.load(&next.bias[c])),
            None => (self.s.splat(0.0), self.s.splat(0.0)),
        }
    }

    /// Take the `c`-th vector of a point's outputs, which has this scale and bias.
    #[inline(always)]
    pub(super) fn take(
        &mut self,
        point: usize,
        c: usize,
        norm: (S::Vector, S::Vector),
        outputs: S::Vector,
    ) {
        let mut v = outputs;
        if let Some((trunk, write)) = &mut self.trunk {
            let held = &mut trunk[point * self.row + c];
            if *write == Write::Add {
                v = v.add(self.s.load(held));
            }
            v.store(held);
        }
        if let Some(next) = &mut self.next {
            let row = next.rows[point] as usize;
            let v = v.mul_add(norm.0, norm.1).activate(next.activation);
            match &mut next.out {
                CutInput::Single(out) => v.store(&mut out[row * self.row + c]),
                CutInput::Rounded(out, lines) => {
                    let line = &mut out[row * *lines + c * S::LANES / Line::LEN];
                    v.store_rounded(&mut line.0[c * S::LANES % Line::LEN..]);
                }
            }
        }
    }
}

/// Hand the outputs in the first columns of a matrix to an epilogue: of each `pitch` rows
/// the first `columns` are those of points, so that the points are the rows themselves if
/// both numbers are the same.
///
/// # Panics
/// If there are not as many rows as the epilogue has points, a row has fewer channels,
/// the stride is no multiple of [`PAD`], or a slice is too short.
pub fn apply<S: Simd>(
    s: S,
    outputs: Matrix<'_>,
    (columns, pitch): (usize, usize),
    epilogue: &mut Epilogue<'_>,
) {
    assert!(epilogue.points.is_multiple_of(columns) && outputs.stride.is_multiple_of(PAD));
    let rows = (epilogue.points / columns - 1) * pitch + columns;
    assert!(rows <= outputs.rows, "too few rows");
    s.vectorize(
        #[inline(always)]
        || apply_with(s, outputs, (columns, pitch), epilogue.cut(s)),
    );
}

#[inline(always)]
fn apply_with<S: Simd>(
    s: S,
    outputs: Matrix<'_>,
    (columns, pitch): (usize, usize),
    mut cut: Cut<'_, S>,
) {
    let outputs_of = S::lanes(outputs.data);
    for first in (0..cut.points).step_by(columns) {
        for x in 0..columns {
            let row = first / columns * pitch + x;
            let row = &outputs_of[row * (outputs.stride / S::LANES)..][..cut.row];
            for (c, v) in row.iter().enumerate() {
                cut.take(first + x, c, cut.norm(c), s.load(v));
            }
        }
    }
}

/// For each point the sum of some rows of `weights[row][channel]` and of `first`, for
/// an epilogue. The rows of point p are `lists[ends[p - 1]..ends[p]]`: a convolution
/// of planes that are mostly empty and hold nothing but 0 and 1.
///
/// # Panics
/// If a row is not there, there are not as many ends as the epilogue has points, or a
/// slice is too short.
pub fn gather<S: Simd>(
    s: S,
    first: &[f32],
    weights: &[f32],
    lists: &[u32],
    ends: &[u32],
    epilogue: &mut Epilogue<'_>,
) {
    assert!(ends.len() == epilogue.points);
    s.vectorize(
        #[inline(always)]
        || {
            gather_with(
                s,
                S::lanes(first),
                S::lanes(weights),
                lists,
                ends,
                epilogue.cut(s),
            )
        },
    );
}

#[inline(always)]
fn gather_with<S: Simd>(
    s: S,
    first: &[S::Lanes],
    weights: &[S::Lanes],
    lists: &[u32],
    ends: &[u32],
    mut cut: Cut<'_, S>,
) {
    let mut begin = 0;
    for (point, &end) in ends.iter().enumerate() {
        let rows = &lists[begin..end as usize];
        begin = end as usize;
        // Several sums at once: each is a chain of additions that wait for one another.
        let mut c = 0;
        while c < cut.row {
            c += match cut.row - c {
                4.. => sum_rows::<S, 4>(s, first, weights, rows, (point, c), &mut cut),
                2.. => sum_rows::<S, 2>(s, first, weights, rows, (point, c), &mut cut),
                _ => sum_rows::<S, 1>(s, first, weights, rows, (point, c), &mut cut),
            };
        }
    }
}

/// The sums of a point's `N` vectors of channels from the `c`-th on, for the epilogue;
/// returns `N`.
#[inline(always)]
fn sum_rows<S: Simd, const N: usize>(
    s: S,
    first: &[S::Lanes],
    weights: &[S::Lanes],
    rows: &[u32],
    (point, c): (usize, usize),
    cut: &mut Cut<'_, S>,
) -> usize {
    let mut sums = [s.splat(0.0); N];
    for i in 0..N {
        sums[i] = s.load(&first[c + i]);
    }
    for &row in rows {
        let weights = &weights[row as usize * cut.row + c..][..N];
        for i in 0..N {
            sums[i] = sums[i].add(s.load(&weights[i]));
        }
    }
    for i in 0..N {
        cut.take(point, c + i, cut.norm(c + i), sums[i]);
    }
    N
}
