//! From features to raw outputs: the layers, laid out for the kernels.
//!
//! Activations are held as `[point][channel]`, channels padded to whole vectors.
//! The trunk's rows follow one another; what a 3x3 convolution reads has a border
//! of zeros. Every layer ends by adding to the trunk and writing what the next one
//! reads, while the numbers are in registers ([`Finish`]).

use super::kernels::{self, Affine, Finish, Grid, Level, Packed, Rows, Tiling, padded};
use super::layers::{End, Filters, Form, Heads, Layer, Layers, Next, RootNorm, Step, form_of};
use super::model;

/// Features of a position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Features {
    /// Columns and rows.
    pub size: (usize, usize),
    /// By point, rows from the first on: bit i stands for plane i.
    pub planes: Vec<u32>,
    /// The global features.
    pub globals: [f32; model::GLOBALS],
}

/// Outputs as they leave the layers, for the player to move.
#[derive(Clone, Debug, Default)]
pub struct Raw {
    /// Logits by policy channel, then by point; the last of each is the pass.
    pub policy: Vec<Vec<f32>>,
    /// Logits of win, loss and no result.
    pub result: [f32; 3],
    /// Mean and deviation of the score, lead, variance of the time left, errors of
    /// value and score (0 in networks that have none), before their functions.
    pub score: [f32; 6],
    /// By point, before the hyperbolic tangent.
    pub ownership: Vec<f32>,
}

/// The buffers of one thread for one size of board. Nothing is allocated while a
/// position is evaluated, but when the first one is.
pub struct Workspace {
    grid: Grid,
    tiling: Tiling,
    area: usize,
    dense: Rows,
    bordered: Rows,
    /// Points of a bordered buffer.
    bordered_points: usize,
    /// Bordered buffers by their channels: a border must stay where it is.
    borders: Vec<(usize, Vec<f32>)>,
    /// Trunks by depth of nesting.
    trunks: Vec<Vec<f32>>,
    plain: Vec<f32>,
    work: Vec<f32>,
    lists: Vec<u32>,
    ends: Vec<u32>,
    sum: Vec<f32>,
    max: Vec<f32>,
    pooled: Vec<f32>,
    small: [Vec<f32>; 3],
    bias: Vec<f32>,
    /// Of attention: how numbers are turned, by its number, and buffers.
    turns: Vec<Option<Vec<(f32, f32)>>>,
    packed: Packed,
    scores: Vec<f32>,
    result: Vec<f32>,
    /// What the last evaluation came to.
    pub raw: Raw,
}

/// At least this long.
fn grown(buffer: &mut Vec<f32>, len: usize) -> &mut [f32] {
    if buffer.len() < len {
        buffer.resize(len, 0.0);
    }
    &mut buffer[..len]
}

impl Workspace {
    /// For boards of so many columns and rows.
    pub fn new(layers: &Layers, size: (usize, usize)) -> Workspace {
        let tiling = Tiling::of(size);
        let border = layers.border;
        let pitch = tiling.padded_side(size.0) + 2 * (border - 1);
        let rows = tiling.padded_side(size.1) + 2 * (border - 1);
        let area = size.0 * size.1;
        Workspace {
            grid: Grid {
                size,
                pitch,
                border,
            },
            tiling,
            area,
            dense: Rows::dense(area),
            bordered: Rows::padded(size, pitch, border),
            bordered_points: pitch * rows,
            borders: Vec::new(),
            trunks: Vec::new(),
            plain: Vec::new(),
            work: Vec::new(),
            lists: Vec::new(),
            ends: Vec::new(),
            sum: Vec::new(),
            max: Vec::new(),
            pooled: Vec::new(),
            small: Default::default(),
            bias: Vec::new(),
            turns: vec![None; layers.attentions],
            packed: Packed::default(),
            scores: Vec::new(),
            result: Vec::new(),
            raw: Raw::default(),
        }
    }

    /// Columns and rows of the boards it is for.
    pub fn size(&self) -> (usize, usize) {
        self.grid.size
    }

    /// The place of the bordered buffer for so many channels.
    fn border_for(&mut self, channels: usize) -> usize {
        let known = self.borders.iter().position(|(c, _)| *c == channels);
        known.unwrap_or_else(|| {
            let zeros = vec![0.0; self.bordered_points * channels];
            self.borders.push((channels, zeros));
            self.borders.len() - 1
        })
    }

    /// Multiply the input of a layer, which has been written in its form, with its
    /// weights. The outputs are for [`Workspace::finish`].
    fn multiply(&mut self, layer: &Layer, level: Level) {
        let area = self.area;
        match &layer.filters {
            Filters::Point(packed) => {
                let out = grown(&mut self.work, area * layer.outputs);
                let a = &self.plain;
                kernels::multiply(level, area, a, layer.inputs, packed, out, false);
            }
            Filters::Winograd { .. } => {
                let at = self.border_for(layer.inputs);
                let needed = self
                    .tiling
                    .work(self.grid.size, layer.inputs, layer.outputs);
                let work = grown(&mut self.work, needed);
                if let Some(filters) = layer.transformed(self.tiling, level) {
                    let input = &self.borders[at].1;
                    let channels = layer.inputs;
                    kernels::convolve(
                        level,
                        self.tiling,
                        &self.grid,
                        filters,
                        input,
                        channels,
                        work,
                    );
                }
            }
            Filters::Places(places) => {
                let at = self.border_for(layer.inputs);
                let input = &self.borders[at].1;
                let out = grown(&mut self.work, area * layer.outputs);
                let (columns, channels) = (self.grid.size.0, layer.inputs);
                for (n, (offset, packed)) in places.iter().enumerate() {
                    for (y, out) in out.chunks_exact_mut(columns * layer.outputs).enumerate() {
                        let row = (y + self.grid.border) as isize + offset.1;
                        let column = self.grid.border as isize + offset.0;
                        let from = row as usize * self.grid.pitch + column as usize;
                        let a = &input[from * channels..];
                        kernels::multiply(level, columns, a, channels, packed, out, n > 0);
                    }
                }
            }
        }
    }

    /// Finish `channels` outputs of a layer from `from` on: add to the trunk of a
    /// depth or store them there, and write what is needed next.
    fn finish(
        &mut self,
        layer: &Layer,
        level: Level,
        from: usize,
        channels: usize,
        trunk: Option<(usize, bool)>,
        next: Option<(Affine<'_>, Form)>,
    ) {
        if let Some((depth, _)) = trunk {
            if self.trunks.len() <= depth {
                self.trunks.resize(depth + 1, Vec::new());
            }
            grown(&mut self.trunks[depth], self.area * channels);
        }
        let at = match next {
            Some((_, Form::Bordered)) => self.border_for(channels),
            _ => 0,
        };
        let (plain, borders) = (&mut self.plain, &mut self.borders);
        let next = next.map(|(affine, form)| match form {
            Form::Bordered => (affine, &mut borders[at].1[..], &self.bordered),
            Form::Dense => (affine, grown(plain, self.area * channels), &self.dense),
        });
        let trunk = trunk.map(|(depth, add)| (&mut self.trunks[depth][..], add));
        let how = Finish::new(channels, self.area, trunk, next);
        if let Filters::Winograd { .. } = layer.filters {
            let both = (layer.inputs, layer.outputs);
            kernels::restore(level, self.tiling, &self.grid, &self.work, both, from, &how);
        } else {
            kernels::finish_rows(level, &self.work, layer.outputs, from, &how);
        }
    }

    /// A trunk, normalised, into the plain buffer.
    fn normalise(&mut self, norm: &RootNorm, depth: usize, level: Level) {
        let len = self.area * norm.affinity.channels();
        let out = grown(&mut self.plain, len);
        kernels::rms_norm(
            level,
            &self.trunks[depth],
            self.area,
            norm.counted,
            norm.epsilon,
            norm.all,
            norm.affinity.affine(),
            out,
        );
    }

    /// Attention on a trunk; the results of the heads are left in the plain buffer,
    /// one after the other for each point.
    fn attend(&mut self, a: &Heads, depth: usize, level: Level) {
        self.normalise(&a.norm, depth, level);
        let area = self.area;
        let width = a.projection.outputs();
        let all = grown(&mut self.work, area * width);
        let stride = a.norm.affinity.channels();
        kernels::multiply(level, area, &self.plain, stride, &a.projection, all, false);
        let keys = a.heads * a.query_size;
        let values = keys + a.key_heads * a.query_size;
        let size = self.grid.size;
        let turns = self.turns[a.number].get_or_insert_with(|| a.turns(size));
        let pairs = a.query_size / 2;
        let by_point = turns.chunks_exact((a.key_heads * pairs).max(1));
        for (row, turns) in all.chunks_exact_mut(width).zip(by_point) {
            for (at, (cos, sin)) in turns.iter().enumerate() {
                let (head, pair) = (at / pairs, at % pairs);
                let shared = a.heads / a.key_heads;
                let queries = head * shared..(head + 1) * shared;
                let queries = queries.map(|q| q * a.query_size);
                for from in queries.chain([keys + head * a.query_size]) {
                    let (p, q) = (row[from + 2 * pair], row[from + 2 * pair + 1]);
                    row[from + 2 * pair] = p * cos - q * sin;
                    row[from + 2 * pair + 1] = p * sin + q * cos;
                }
            }
        }
        let out_width = padded(a.heads * a.value_size);
        let results = grown(&mut self.plain, area * out_width);
        results.fill(0.0);
        let lanes = level.lanes();
        let (across, wide) = (padded(area), padded(a.value_size));
        let scores = grown(&mut self.scores, area * across);
        let result = grown(&mut self.result, area * wide);
        let scale = 1.0 / (a.query_size as f32).sqrt();
        for head in 0..a.heads {
            let key_head = head * a.key_heads / a.heads;
            let key = keys + key_head * a.query_size;
            let value = values + key_head * a.value_size;
            let packed = &mut self.packed;
            packed.lay_out(a.query_size, area, lanes, |i, point| {
                all[point * width + key + i]
            });
            let queries = &all[head * a.query_size..];
            kernels::multiply(level, area, queries, width, packed, scores, false);
            kernels::softmax(level, scores, across, area, scale);
            packed.lay_out(area, a.value_size, lanes, |point, i| {
                all[point * width + value + i]
            });
            kernels::multiply(level, area, scores, across, packed, result, false);
            let rows = results.chunks_exact_mut(out_width);
            for (to, from) in rows.zip(result.chunks_exact(wide)) {
                let at = head * a.value_size;
                to[at..at + a.value_size].copy_from_slice(&from[..a.value_size]);
            }
        }
    }

    /// Mean, mean · (√A − 14) / 10 and maximum of the channels in the plain buffer,
    /// or for the value head the mean times (√A − 14)² / 100 − 0.1 as the third.
    fn pool(&mut self, channels: usize, wide: usize, level: Level, value_head: bool) {
        let sum = grown(&mut self.sum, wide);
        let max = grown(&mut self.max, wide);
        kernels::pool(level, &self.plain, self.area, sum, max);
        let root = (self.area as f32).sqrt() - 14.0;
        self.pooled.clear();
        let mean = sum[..channels].iter().map(|s| s / self.area as f32);
        self.pooled.extend(mean.clone());
        self.pooled.extend(mean.clone().map(|m| m * root / 10.0));
        if value_head {
            let factor = root * root / 100.0 - 0.1;
            self.pooled.extend(mean.map(|m| m * factor));
        } else {
            self.pooled.extend_from_slice(&max[..channels]);
        }
    }
}

impl Layers {
    /// Evaluate a position; the outputs are in `ws.raw`.
    ///
    /// # Panics
    /// If the workspace is for another size.
    pub fn forward(&self, features: &Features, ws: &mut Workspace) {
        assert_eq!(features.size, ws.size());
        self.begin(features, ws);
        self.run(&self.steps, 0, ws, self.tip_next());
        if let End::Root(norm) = &self.tip {
            ws.normalise(norm, 0, self.level);
        }
        self.read_heads(ws);
    }

    /// What the heads read, if the last block can write it.
    fn tip_next(&self) -> Option<Next<'_>> {
        match &self.tip {
            End::Norm(norm) => Some(Next {
                norm,
                form: Form::Dense,
            }),
            End::Root(_) => None,
        }
    }

    /// The first convolution: planes are mostly empty and hold ones, so it is a sum
    /// of some rows of weights for each point.
    fn begin(&self, features: &Features, ws: &mut Workspace) {
        let (columns, rows) = features.size;
        ws.lists.clear();
        ws.ends.clear();
        for y in 0..rows as isize {
            for x in 0..columns as isize {
                for (n, (dx, dy)) in self.places.iter().enumerate() {
                    let (px, py) = (x + dx, y + dy);
                    if px < 0 || py < 0 || px >= columns as isize || py >= rows as isize {
                        continue;
                    }
                    let mut bits = features.planes[py as usize * columns + px as usize];
                    while bits != 0 {
                        let plane = bits.trailing_zeros();
                        ws.lists.push((n * model::PLANES) as u32 + plane);
                        bits &= bits - 1;
                    }
                }
                ws.ends.push(ws.lists.len() as u32);
            }
        }
        self.globals.apply(&features.globals, &mut ws.small[0]);
        ws.small[0].resize(self.channels, 0.0);
        let next = self.steps.first().map_or(self.tip_next(), Step::first);
        let channels = self.channels;
        let at = match next.map(|n| n.form) {
            Some(Form::Bordered) => ws.border_for(channels),
            _ => 0,
        };
        if ws.trunks.is_empty() {
            ws.trunks.push(Vec::new());
        }
        let area = ws.area;
        let next = next.map(|next| match next.form {
            Form::Bordered => (next.norm.affine(), &mut ws.borders[at].1[..], &ws.bordered),
            Form::Dense => {
                let out = grown(&mut ws.plain, area * channels);
                (next.norm.affine(), out, &ws.dense)
            }
        });
        let trunk = grown(&mut ws.trunks[0], area * channels);
        let how = Finish::new(channels, area, Some((trunk, false)), next);
        kernels::gather(
            self.level,
            &ws.small[0],
            &self.planes,
            &ws.lists,
            &ws.ends,
            &how,
        );
    }

    /// Blocks on the trunk of a depth; what the first reads has been written, and
    /// what comes after them is written.
    fn run(&self, steps: &[Step], depth: usize, ws: &mut Workspace, last: Option<Next<'_>>) {
        let level = self.level;
        for (i, step) in steps.iter().enumerate() {
            let next = steps.get(i + 1).map_or(last, Step::first);
            let next = next.map(|n| (n.norm.affine(), n.form));
            let conv2 = match step {
                Step::Ordinary {
                    conv1,
                    norm2,
                    conv2,
                    ..
                } => {
                    ws.multiply(conv1, level);
                    let middle = Some((norm2.affine(), form_of(conv2)));
                    ws.finish(conv1, level, 0, norm2.channels(), None, middle);
                    conv2
                }
                Step::GlobalPool {
                    conv1,
                    pool_norm,
                    pool_bias,
                    norm2,
                    conv2,
                    ..
                } => {
                    ws.multiply(conv1, level);
                    let wide = pool_norm.channels();
                    let to_pool = Some((pool_norm.affine(), Form::Dense));
                    ws.finish(conv1, level, 0, wide, None, to_pool);
                    ws.pool(pool_bias.inputs / 3, wide, level, false);
                    let mut extra = std::mem::take(&mut ws.small[0]);
                    let mut bias = std::mem::take(&mut ws.bias);
                    pool_bias.apply(&ws.pooled, &mut extra);
                    extra.resize(norm2.channels(), 0.0);
                    let middle = norm2.shifted(&extra, &mut bias);
                    let middle = Some((middle, form_of(conv2)));
                    ws.finish(conv1, level, wide, norm2.channels(), None, middle);
                    ws.small[0] = extra;
                    ws.bias = bias;
                    conv2
                }
                Step::Bottleneck {
                    conv1,
                    steps,
                    norm2,
                    conv2,
                    ..
                } => {
                    ws.multiply(conv1, level);
                    let after = Next {
                        norm: norm2,
                        form: Form::Dense,
                    };
                    let first = steps.first().map_or(Some(after), Step::first);
                    let first = first.map(|n| (n.norm.affine(), n.form));
                    let inner = Some((depth + 1, false));
                    ws.finish(conv1, level, 0, norm2.channels(), inner, first);
                    self.run(steps, depth + 1, ws, Some(after));
                    conv2
                }
                Step::Attention(heads) => {
                    ws.attend(heads, depth, level);
                    &heads.out
                }
                Step::FeedForward {
                    norm,
                    up,
                    inner,
                    down,
                } => {
                    ws.normalise(norm, depth, level);
                    let (area, stride) = (ws.area, norm.affinity.channels());
                    let both = grown(&mut ws.work, area * 2 * inner);
                    kernels::multiply(level, area, &ws.plain, stride, up, both, false);
                    let out = grown(&mut ws.plain, area * inner);
                    kernels::gate(level, both, area, *inner, out);
                    down
                }
            };
            ws.multiply(conv2, level);
            ws.finish(conv2, level, 0, conv2.outputs, Some((depth, true)), next);
        }
    }

    fn read_heads(&self, ws: &mut Workspace) {
        let level = self.level;
        let [policy, pooled, value] = self.head_parts;
        ws.multiply(&self.heads, level);
        // The plain buffer is written anew for each head; the products stay.
        let to_pool = Some((self.pool_norm.affine(), Form::Dense));
        ws.finish(&self.heads, level, policy, pooled, None, to_pool);
        ws.pool(self.pool_bias.inputs / 3, pooled, level, false);
        let [mut extra, mut hidden, mut last] = std::mem::take(&mut ws.small);
        let mut bias = std::mem::take(&mut ws.bias);
        self.pool_bias.apply(&ws.pooled, &mut extra);
        extra.resize(policy, 0.0);
        self.pass.apply(&ws.pooled, &mut hidden);
        if let Some((biases, activation, second)) = &self.pass2 {
            for (x, b) in hidden.iter_mut().zip(biases) {
                *x = kernels::scalar::activate(*x + b, *activation);
            }
            second.apply(&hidden, &mut last);
            std::mem::swap(&mut hidden, &mut last);
        }
        // The products of the last layers go behind those of the heads.
        let area = ws.area;
        let mut products = std::mem::take(&mut ws.work);
        let (first, second) = (area * self.heads.outputs, area * self.policy.outputs);
        let rest = area * self.ownership.outputs;
        grown(&mut products, first + second + rest);
        ws.work = products;
        let shifted = self.policy_norm.shifted(&extra, &mut bias);
        ws.finish(
            &self.heads,
            level,
            0,
            policy,
            None,
            Some((shifted, Form::Dense)),
        );
        if let Filters::Point(packed) = &self.policy.filters {
            let (plain, out) = (&ws.plain, &mut ws.work[first..first + second]);
            kernels::multiply(level, area, plain, self.policy.inputs, packed, out, false);
            ws.raw.policy.resize(self.policies, Vec::new());
            for (channel, logits) in ws.raw.policy.iter_mut().enumerate() {
                logits.clear();
                let points = out.chunks_exact(self.policy.outputs);
                logits.extend(points.map(|p| p[channel]));
                logits.push(hidden[channel]);
            }
        }
        let to_value = Some((self.value_norm.affine(), Form::Dense));
        ws.finish(&self.heads, level, policy + pooled, value, None, to_value);
        ws.pool(self.hidden.product.inputs / 3, value, level, true);
        self.hidden.apply(&ws.pooled, &mut hidden);
        self.result.apply(&hidden, &mut last);
        ws.raw.result.copy_from_slice(&last[..3]);
        self.score.apply(&hidden, &mut last);
        ws.raw.score = [0.0; 6];
        ws.raw.score[..last.len()].copy_from_slice(&last);
        if let Filters::Point(packed) = &self.ownership.filters {
            let (plain, out) = (&ws.plain, &mut ws.work[first..first + rest]);
            kernels::multiply(
                level,
                area,
                plain,
                self.ownership.inputs,
                packed,
                out,
                false,
            );
            ws.raw.ownership.clear();
            let points = out.chunks_exact(self.ownership.outputs);
            ws.raw.ownership.extend(points.map(|p| p[0]));
        }
        ws.small = [extra, hidden, last];
        ws.bias = bias;
    }
}
