//! Epilogues: operations on the outputs of a layer while they are in registers. A kernel
//! gets them as data and applies them itself, which saves another pass over memory.

use super::gemm::Matrix;
use super::placement::{Placement, Write};
use super::simd::{Line, Simd, Vector};
use super::weights::PAD;
use crate::net::Activation;

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

/// Buffer for the input of a layer.
#[derive(Debug)]
pub enum Input<'a> {
    /// `[place][channel]`, for vectors.
    Single(&'a mut [f32]),
    /// `[place][line]`, rounded to bfloat16, for AMX.
    Rounded(&'a mut [Line]),
}

/// How to write the input of the next layer.
#[derive(Debug)]
pub struct NextInput<'a> {
    /// Applied to the outputs.
    pub norm: ScaleBias<'a>,
    /// The buffer to write.
    pub out: Input<'a>,
    /// Place of each point in the buffer.
    pub places: &'a Placement,
}

/// Where a kernel's outputs go: first to the trunk, then to the next layer's input.
#[derive(Debug)]
pub struct Epilogue<'a> {
    /// Number of output channels, padded.
    pub channels: usize,
    /// Points of the board.
    pub points: usize,
    /// `[point][channel]`: set to the outputs, or the outputs are added to it. The next
    /// layer's input is computed from the result.
    pub trunk: Option<(&'a mut [f32], Write)>,
    /// Receives the normalized and activated outputs.
    pub next: Option<NextInput<'a>>,
}

impl Epilogue<'_> {
    /// Split the buffers into vectors.
    ///
    /// # Panics
    /// If a buffer is too short.
    #[inline(always)]
    pub(super) fn vectorized<S: Simd>(&mut self, s: S) -> Vectorized<'_, S> {
        let (channels, points) = (self.channels, self.points);
        assert!(channels.is_multiple_of(PAD), "channels must be padded");
        let trunk = self.trunk.as_mut().map(|(trunk, write)| {
            let trunk = &mut trunk[..points * channels];
            (S::lanes_mut(trunk), *write)
        });
        let next = self.next.as_mut().map(|next| VectorizedNext {
            scale: S::lanes(&next.norm.scale[..channels]),
            bias: S::lanes(&next.norm.bias[..channels]),
            activation: next.norm.activation,
            out: match &mut next.out {
                Input::Single(out) => {
                    VectorizedInput::Single(S::lanes_mut(&mut out[..next.places.end * channels]))
                }
                Input::Rounded(out) => {
                    let lines = Line::count(channels);
                    VectorizedInput::Rounded(&mut out[..next.places.end * lines], lines)
                }
            },
            places: &next.places.at[..points],
        });
        Vectorized {
            s,
            points,
            row: channels / S::LANES,
            trunk,
            next,
        }
    }
}

/// An [`Epilogue`] with its buffers split into vectors.
pub(super) struct Vectorized<'a, S: Simd> {
    s: S,
    points: usize,
    /// Vectors per point.
    pub(super) row: usize,
    trunk: Option<(&'a mut [S::Lanes], Write)>,
    next: Option<VectorizedNext<'a, S::Lanes>>,
}

enum VectorizedInput<'a, L> {
    Single(&'a mut [L]),
    /// With the number of lines per point.
    Rounded(&'a mut [Line], usize),
}

struct VectorizedNext<'a, L> {
    scale: &'a [L],
    bias: &'a [L],
    out: VectorizedInput<'a, L>,
    activation: Activation,
    places: &'a [u32],
}

impl<S: Simd> Vectorized<'_, S> {
    /// Return scale and bias of the `c`-th vector of channels.
    #[inline(always)]
    pub(super) fn norm(&self, c: usize) -> (S::Vector, S::Vector) {
        match &self.next {
            Some(next) => (self.s.load(&next.scale[c]), self.s.load(&next.bias[c])),
            None => (self.s.splat(0.0), self.s.splat(0.0)),
        }
    }

    /// Process the `c`-th vector of a point's outputs, given [its scale and bias](Self::norm).
    #[inline(always)]
    pub(super) fn process(
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
            let place = next.places[point] as usize;
            let v = v.mul_add(norm.0, norm.1).activate(next.activation);
            match &mut next.out {
                VectorizedInput::Single(out) => v.store(&mut out[place * self.row + c]),
                VectorizedInput::Rounded(out, lines) => {
                    let line = &mut out[place * *lines + c * S::LANES / Line::LEN];
                    v.store_rounded(&mut line.0[c * S::LANES % Line::LEN..]);
                }
            }
        }
    }
}

/// Run an epilogue on a matrix of outputs, `[row][channel]`: the first channels of its rows. In
/// every `pitch` rows, the first `columns` rows belong to the points of a row of the board, and the
/// others are ignored; with equal numbers, every row belongs to a point.
///
/// # Panics
/// If there are fewer rows than points, a row has fewer channels than the epilogue, the
/// stride is not a multiple of [`PAD`], or a slice is too short.
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
        || apply_with(s, outputs, (columns, pitch), epilogue.vectorized(s)),
    );
}

#[inline(always)]
fn apply_with<S: Simd>(
    s: S,
    outputs: Matrix<'_>,
    (columns, pitch): (usize, usize),
    mut epilogue: Vectorized<'_, S>,
) {
    let outputs_of = S::lanes(outputs.data);
    for first in (0..epilogue.points).step_by(columns) {
        for x in 0..columns {
            let row = first / columns * pitch + x;
            let row = &outputs_of[row * (outputs.stride / S::LANES)..][..epilogue.row];
            for (c, v) in row.iter().enumerate() {
                epilogue.process(first + x, c, epilogue.norm(c), s.load(v));
            }
        }
    }
}

/// Run an epilogue on sums of rows: for each point, `first[channel]` plus some rows of
/// `weights[row][channel]`. The rows of point p are listed in `lists[ends[p - 1]..ends[p]]`, where
/// `ends[-1]` stands for 0. This is a convolution of planes that are mostly empty and contain only
/// 0 and 1.
///
/// # Panics
/// If a row does not exist, the number of ends differs from the epilogue's points, or a
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
                epilogue.vectorized(s),
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
    mut epilogue: Vectorized<'_, S>,
) {
    let mut begin = 0;
    for (point, &end) in ends.iter().enumerate() {
        let rows = &lists[begin..end as usize];
        begin = end as usize;
        // Several sums at once, since each is a chain of dependent additions.
        let mut c = 0;
        while c < epilogue.row {
            c += match epilogue.row - c {
                4.. => sum_rows::<S, 4>(s, first, weights, rows, (point, c), &mut epilogue),
                2.. => sum_rows::<S, 2>(s, first, weights, rows, (point, c), &mut epilogue),
                _ => sum_rows::<S, 1>(s, first, weights, rows, (point, c), &mut epilogue),
            };
        }
    }
}

/// Sum `N` vectors of a point's channels, from the `c`-th on, for the epilogue. Returns
/// `N`.
#[inline(always)]
fn sum_rows<S: Simd, const N: usize>(
    s: S,
    first: &[S::Lanes],
    weights: &[S::Lanes],
    rows: &[u32],
    (point, c): (usize, usize),
    epilogue: &mut Vectorized<'_, S>,
) -> usize {
    let mut sums = [s.splat(0.0); N];
    for i in 0..N {
        sums[i] = s.load(&first[c + i]);
    }
    for &row in rows {
        let weights = &weights[row as usize * epilogue.row + c..][..N];
        for i in 0..N {
            sums[i] = sums[i].add(s.load(&weights[i]));
        }
    }
    for i in 0..N {
        epilogue.process(point, c + i, epilogue.norm(c + i), sums[i]);
    }
    N
}
