//! Scaled dot-product attention over the points of a board (Vaswani and others 2017).

use super::buffer::grown;
use super::kernels::{self, GemmScratch, Grid, InstructionSet, Matrix, Packed, Pointwise, Simd};
use super::kernels::{Write, padded};
use super::layers::{Layer, RmsNorm};
use super::model::{self, Rotation};

/// An attention block, laid out for the kernels. The row of a point holds queries, then
/// keys, then values; each of these is ordered by head.
pub(super) struct Attention {
    /// Index among the network's attention blocks.
    number: usize,
    pub(super) norm: RmsNorm,
    /// From the trunk to queries, keys and values.
    projection: Pointwise,
    /// From the head results to the trunk.
    pub(super) out: Layer,
    /// Query heads.
    heads: usize,
    /// Key and value heads; each serves the same number of query heads.
    key_heads: usize,
    query_size: usize,
    value_size: usize,
    rotation: Rotation,
}

/// Buffers of a forward pass for attention.
pub(super) struct Buffers {
    /// Rotary tables, by block index.
    rotary: Vec<Option<Vec<(f32, f32)>>>,
    /// Keys of a head as weights of the product with queries, then values of the head as weights of
    /// the product with scores.
    packed: Packed,
    /// Scores of a head, `[query point][key point]`.
    scores: Vec<f32>,
    /// Result of a head, `[point][value]`.
    result: Vec<f32>,
}

impl Buffers {
    /// Create empty buffers for a network with `attentions` attention blocks.
    pub(super) fn new(attentions: usize) -> Buffers {
        Buffers {
            rotary: vec![None; attentions],
            packed: Packed::default(),
            scores: Vec::new(),
            result: Vec::new(),
        }
    }
}

impl Attention {
    pub(super) fn new(a: &model::Attention, number: usize, set: InstructionSet) -> Attention {
        let parts = [&a.query, &a.key, &a.value];
        let outputs = parts.iter().map(|p| p.outputs).sum();
        let at = |i: usize, o: usize| {
            let mut o = o;
            for part in parts {
                if o < part.outputs {
                    return part.weights[i * part.outputs + o];
                }
                o -= part.outputs;
            }
            0.0
        };
        Attention {
            number,
            norm: RmsNorm::new(&a.norm),
            projection: Pointwise::new(set, a.query.inputs, outputs, at),
            out: Layer::product(&a.out, set),
            heads: a.heads,
            key_heads: a.key_heads,
            query_size: a.query_size,
            value_size: a.value_size,
            rotation: a.rotation.clone(),
        }
    }

    /// Length of a point's row of queries, keys and values, padded.
    fn width(&self) -> usize {
        self.projection.outputs()
    }

    /// Offset of the keys in a point's row.
    fn keys(&self) -> usize {
        self.heads * self.query_size
    }

    /// Offset of the values in a point's row.
    fn values(&self) -> usize {
        self.keys() + self.key_heads * self.query_size
    }

    /// Compute the rotary table for a board of `size` (columns, rows): cosine and sine of
    /// the rotation angle of each pair in each key head (Su and others 2021),
    /// `[point][head][pair]`. Empty without rotation.
    fn rotary_table(&self, size: (usize, usize)) -> Vec<(f32, f32)> {
        let pairs = self.query_size / 2;
        let half = pairs / 2;
        let mut table = Vec::new();
        for point in 0..size.0 * size.1 {
            let (x, y) = ((point % size.0) as f32, (point / size.0) as f32);
            for at in 0..self.key_heads * pairs {
                let pair = at % pairs;
                let angle = match &self.rotation {
                    Rotation::None => return Vec::new(),
                    Rotation::Base(base) => {
                        // The first half of the pairs encodes the row, the second the
                        // column.
                        let (along, n) = if pair < half {
                            (y, pair)
                        } else {
                            (x, pair - half)
                        };
                        along / base.powf(2.0 * n as f32 / pairs as f32)
                    }
                    Rotation::Learned(by) => x * by[2 * at] + y * by[2 * at + 1],
                };
                table.push((angle.cos(), angle.sin()));
            }
        }
        table
    }

    /// Rotate the queries and keys of all points.
    #[inline(always)]
    fn rotate(&self, all: &mut [f32], table: &[(f32, f32)]) {
        let pairs = self.query_size / 2;
        let shared = self.heads / self.key_heads;
        let by_point = table.chunks_exact((self.key_heads * pairs).max(1));
        for (row, turns) in all.chunks_exact_mut(self.width()).zip(by_point) {
            for (head, turns) in turns.chunks_exact(pairs).enumerate() {
                let queries = (head * shared..(head + 1) * shared).map(|q| q * self.query_size);
                for from in queries.chain([self.keys() + head * self.query_size]) {
                    let numbers = row[from..from + 2 * pairs].as_chunks_mut().0;
                    for ([p, q], (cos, sin)) in numbers.iter_mut().zip(turns) {
                        (*p, *q) = (*p * cos - *q * sin, *p * sin + *q * cos);
                    }
                }
            }
        }
    }

    /// Compute the head results, concatenated for each point, from the normalized trunks in
    /// `plain[board][point][channel]`. The results replace the trunks in `plain`;
    /// `projected` is scratch space for queries, keys and values.
    pub(super) fn forward<S: Simd>(
        &self,
        s: S,
        grid: &Grid,
        plain: &mut Vec<f32>,
        projected: &mut Vec<f32>,
        buffers: &mut Buffers,
        scratch: &mut GemmScratch,
    ) {
        let Grid { size, boards, .. } = *grid;
        let points = size.0 * size.1;
        let all = grown(projected, boards * points * self.width());
        let input = Matrix::new(plain, boards * points, self.norm.channels());
        self.projection.multiply(s, input, all, scratch);
        let width = padded(self.heads * self.value_size);
        let results = grown(plain, boards * points * width);
        results.fill(0.0);
        let of_boards = all.chunks_exact_mut(points * self.width());
        for (all, results) in of_boards.zip(results.chunks_exact_mut(points * width)) {
            let table = buffers.rotary[self.number].get_or_insert_with(|| self.rotary_table(size));
            s.vectorize(
                #[inline(always)]
                || self.rotate(all, table),
            );
            for head in 0..self.heads {
                let result = self.head(s, head, points, all, buffers);
                let at = head * self.value_size;
                let rows = results.chunks_exact_mut(width);
                for (to, from) in rows.zip(result.chunks_exact(padded(self.value_size))) {
                    to[at..at + self.value_size].copy_from_slice(&from[..self.value_size]);
                }
            }
        }
    }

    /// Compute the result of a query head, `[point][value]`, padded.
    fn head<'a, S: Simd>(
        &self,
        s: S,
        head: usize,
        points: usize,
        all: &[f32],
        buffers: &'a mut Buffers,
    ) -> &'a [f32] {
        let (width, across) = (self.width(), padded(points));
        let key_head = head * self.key_heads / self.heads;
        let key = self.keys() + key_head * self.query_size;
        let value = self.values() + key_head * self.value_size;
        let packed = &mut buffers.packed;
        let scores = grown(&mut buffers.scores, points * across);
        let result = grown(&mut buffers.result, points * padded(self.value_size));
        packed.pack(S::LANES, self.query_size, points, |i, point| {
            all[point * width + key + i]
        });
        let queries = Matrix::new(&all[head * self.query_size..], points, width);
        kernels::multiply(s, queries, packed, scores, Write::Set);
        let scale = 1.0 / (self.query_size as f32).sqrt();
        kernels::softmax(s, scores, across, points, scale);
        packed.pack(S::LANES, points, self.value_size, |point, i| {
            all[point * width + value + i]
        });
        let weights = Matrix::new(scores, points, across);
        kernels::multiply(s, weights, packed, result, Write::Set);
        result
    }
}
