//! From features to raw outputs: the layers, laid out for the kernels.
//!
//! Activations are held as `[point][channel]`, channels padded to whole vectors.
//! The trunk's rows follow one another; what a 3x3 convolution reads has a border
//! of zeros. Every layer ends by adding to the trunk and writing what the next one
//! reads, while the numbers are in registers ([`Finish`]).

use super::kernels::{self, Affine, Finish, Grid, Level, Packed, Rows, Tiling, padded};
use super::model::{self, Activation, Block, Conv, MatMul, Model, Norm, RmsNorm, Rotation, Tip};
use std::sync::OnceLock;

/// Features of a position.
#[derive(Clone, Debug, PartialEq)]
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

/// A convolution laid out.
enum Filters {
    /// 1x1.
    Point(Packed),
    /// 3x3, transformed for a tiling when it is first needed.
    Winograd {
        parts: Vec<Conv>,
        inputs: usize,
        transformed: [OnceLock<Packed>; Tiling::ALL.len()],
    },
    /// Any other: a product for each place of the filter, by its offset.
    Places(Vec<((isize, isize), Packed)>),
}

/// The outputs of several convolutions of one shape, one after the other, each
/// padded.
struct Layer {
    filters: Filters,
    inputs: usize,
    outputs: usize,
}

/// Which weight output `o` of the layer stands for.
fn weight(parts: &[Conv], y: usize, x: usize, i: usize, o: usize) -> f32 {
    let mut o = o;
    for part in parts {
        if o < padded(part.outputs) {
            let place = (y * part.filter.0 + x) * part.inputs + i;
            return match o < part.outputs {
                true => part.weights[place * part.outputs + o],
                false => 0.0,
            };
        }
        o -= padded(part.outputs);
    }
    0.0
}

impl Layer {
    fn new(parts: Vec<Conv>, level: Level) -> Layer {
        let shape = (parts[0].filter, parts[0].dilation);
        let inputs = parts[0].inputs;
        let outputs = parts.iter().map(|p| padded(p.outputs)).sum();
        let pack = |y: usize, x: usize| {
            Packed::new(inputs, outputs, level.lanes(), |i, o| {
                weight(&parts, y, x, i, o)
            })
        };
        let filters = match shape {
            ((1, 1), _) => Filters::Point(pack(0, 0)),
            ((3, 3), (1, 1)) => Filters::Winograd {
                parts,
                inputs,
                transformed: Default::default(),
            },
            ((columns, rows), (dx, dy)) => {
                let offset =
                    |n: usize, i: usize, d: usize| (i as isize - (n / 2) as isize) * d as isize;
                let places = (0..rows).flat_map(|y| (0..columns).map(move |x| (y, x)));
                Filters::Places(
                    places
                        .map(|(y, x)| {
                            let at = (offset(columns, x, dx), offset(rows, y, dy));
                            (at, pack(y, x))
                        })
                        .collect(),
                )
            }
        };
        Layer {
            filters,
            inputs: padded(inputs),
            outputs,
        }
    }

    /// A matrix product for each point.
    fn product(m: &MatMul, level: Level) -> Layer {
        let at = |i: usize, o: usize| m.weights[i * m.outputs + o];
        Layer {
            filters: Filters::Point(Packed::new(m.inputs, m.outputs, level.lanes(), at)),
            inputs: padded(m.inputs),
            outputs: padded(m.outputs),
        }
    }

    /// Does it read points beyond its own?
    fn needs_border(&self) -> bool {
        !matches!(self.filters, Filters::Point(_))
    }

    fn transformed(&self, tiling: Tiling, level: Level) -> Option<&Packed> {
        let Filters::Winograd {
            parts,
            inputs,
            transformed,
        } = &self.filters
        else {
            return None;
        };
        Some(transformed[tiling as usize].get_or_init(|| {
            tiling.transform(level, *inputs, self.outputs, |y, x, i, o| {
                weight(parts, y, x, i, o)
            })
        }))
    }
}

/// A normalisation, padded.
struct Affinity {
    scale: Vec<f32>,
    bias: Vec<f32>,
    activation: Activation,
}

impl Affinity {
    fn new(norm: &Norm) -> Affinity {
        Affinity {
            scale: widened(&norm.scale),
            bias: widened(&norm.bias),
            activation: norm.activation,
        }
    }

    fn affine(&self) -> Affine<'_> {
        Affine {
            scale: &self.scale,
            bias: &self.bias,
            activation: self.activation,
        }
    }

    fn channels(&self) -> usize {
        self.scale.len()
    }

    /// The same where `extra` is added to what comes in, with the bias in `bias`.
    fn shifted<'a>(&'a self, extra: &[f32], bias: &'a mut Vec<f32>) -> Affine<'a> {
        bias.clear();
        let both = self.scale.iter().zip(&self.bias).zip(extra);
        bias.extend(both.map(|((scale, b), extra)| scale * extra + b));
        Affine {
            scale: &self.scale,
            bias,
            activation: self.activation,
        }
    }
}

fn widened(values: &[f32]) -> Vec<f32> {
    let mut wide = values.to_vec();
    wide.resize(padded(values.len()), 0.0);
    wide
}

/// What a layer's input needs to look like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// With a border of zeros.
    Bordered,
    /// Points one after the other.
    Dense,
}

/// What has to be written for the layer that comes next.
#[derive(Clone, Copy)]
struct Next<'a> {
    norm: &'a Affinity,
    form: Form,
}

/// A block laid out.
enum Step {
    Ordinary {
        norm1: Affinity,
        conv1: Layer,
        norm2: Affinity,
        conv2: Layer,
    },
    GlobalPool {
        norm1: Affinity,
        /// The pooled channels first.
        conv1: Layer,
        pool_norm: Affinity,
        pool_bias: Product,
        norm2: Affinity,
        conv2: Layer,
    },
    Bottleneck {
        norm1: Affinity,
        conv1: Layer,
        steps: Vec<Step>,
        norm2: Affinity,
        conv2: Layer,
    },
    Attention(Box<Heads>),
    FeedForward {
        norm: RootNorm,
        /// Both halves, padded, one after the other.
        up: Packed,
        inner: usize,
        down: Layer,
    },
}

impl Step {
    /// What its first layer reads; nothing if it looks at the trunk itself.
    fn first(&self) -> Option<Next<'_>> {
        match self {
            Step::Ordinary { norm1, conv1, .. }
            | Step::GlobalPool { norm1, conv1, .. }
            | Step::Bottleneck { norm1, conv1, .. } => Some(Next {
                norm: norm1,
                form: form_of(conv1),
            }),
            Step::Attention(_) | Step::FeedForward { .. } => None,
        }
    }
}

/// A normalisation by the root mean square, padded.
struct RootNorm {
    affinity: Affinity,
    counted: usize,
    epsilon: f32,
    all: bool,
}

impl RootNorm {
    fn new(norm: &RmsNorm) -> RootNorm {
        RootNorm {
            affinity: Affinity {
                scale: widened(&norm.scale),
                bias: match norm.bias.is_empty() {
                    true => vec![0.0; padded(norm.scale.len())],
                    false => widened(&norm.bias),
                },
                activation: norm.activation,
            },
            counted: norm.scale.len(),
            epsilon: norm.epsilon,
            all: norm.spatial,
        }
    }
}

/// Attention laid out.
struct Heads {
    /// Which of the network's it is.
    number: usize,
    norm: RootNorm,
    /// To queries, keys and values, one after the other.
    projection: Packed,
    out: Layer,
    heads: usize,
    key_heads: usize,
    query_size: usize,
    value_size: usize,
    rotation: Rotation,
}

impl Heads {
    /// Cosine and sine by which each pair of numbers of each key head is turned, by
    /// point, head and pair. Empty if none is.
    fn turns(&self, size: (usize, usize)) -> Vec<(f32, f32)> {
        let pairs = self.query_size / 2;
        let half = pairs / 2;
        let mut turns = Vec::new();
        for point in 0..size.0 * size.1 {
            let (x, y) = ((point % size.0) as f32, (point / size.0) as f32);
            for at in 0..self.key_heads * pairs {
                let pair = at % pairs;
                let angle = match &self.rotation {
                    Rotation::None => return Vec::new(),
                    Rotation::Base(base) => {
                        // The first half of the pairs goes by rows, the second by
                        // columns.
                        let (along, n) = if pair < half {
                            (y, pair)
                        } else {
                            (x, pair - half)
                        };
                        along / base.powf(2.0 * n as f32 / pairs as f32)
                    }
                    Rotation::Learned(by) => x * by[2 * at] + y * by[2 * at + 1],
                };
                turns.push((angle.cos(), angle.sin()));
            }
        }
        turns
    }
}

/// The end of the trunk.
enum End {
    Norm(Affinity),
    Root(RootNorm),
}

fn form_of(layer: &Layer) -> Form {
    match layer.needs_border() {
        true => Form::Bordered,
        false => Form::Dense,
    }
}

/// A small product of a vector with a matrix.
struct Product {
    inputs: usize,
    /// By input, then output.
    weights: Vec<f32>,
    outputs: usize,
}

impl Product {
    fn new(m: &MatMul) -> Product {
        Product {
            inputs: m.inputs,
            weights: m.weights.clone(),
            outputs: m.outputs,
        }
    }

    /// Into `out`, which is made as long as the result.
    fn apply(&self, input: &[f32], out: &mut Vec<f32>) {
        out.clear();
        out.resize(self.outputs, 0.0);
        for (x, row) in input[..self.inputs]
            .iter()
            .zip(self.weights.chunks_exact(self.outputs))
        {
            for (sum, w) in out.iter_mut().zip(row) {
                *sum += x * w;
            }
        }
    }
}

/// A product with bias and activation.
struct Perceptron {
    product: Product,
    bias: Vec<f32>,
    activation: Activation,
}

impl Perceptron {
    fn new(dense: &model::Dense) -> Perceptron {
        Perceptron {
            product: Product::new(&dense.product),
            bias: dense.bias.clone(),
            activation: dense.activation,
        }
    }

    fn apply(&self, input: &[f32], out: &mut Vec<f32>) {
        self.product.apply(input, out);
        for (x, b) in out.iter_mut().zip(&self.bias) {
            *x = kernels::scalar::activate(*x + b, self.activation);
        }
    }
}

/// A network laid out for the kernels of a level.
pub struct Layers {
    level: Level,
    /// Widest border that a convolution needs.
    border: usize,
    /// First convolution: rows of weights by place and plane.
    planes: Vec<f32>,
    places: Vec<(isize, isize)>,
    globals: Product,
    channels: usize,
    steps: Vec<Step>,
    tip: End,
    attentions: usize,
    /// Policy, pooled and value channels, all from the tip.
    heads: Layer,
    head_parts: [usize; 3],
    pool_norm: Affinity,
    pool_bias: Product,
    policy_norm: Affinity,
    policy: Layer,
    policies: usize,
    pass: Product,
    pass2: Option<(Vec<f32>, Activation, Product)>,
    value_norm: Affinity,
    hidden: Perceptron,
    result: Perceptron,
    score: Perceptron,
    ownership: Layer,
}

/// The widest border that a network needs, and how many attentions it has.
#[derive(Default)]
struct Extent {
    border: usize,
    attentions: usize,
}

impl Extent {
    fn conv(&mut self, conv: &Conv) {
        let reach = |n: usize, d: usize| n / 2 * d;
        let x = reach(conv.filter.0, conv.dilation.0);
        let y = reach(conv.filter.1, conv.dilation.1);
        self.border = self.border.max(x).max(y);
    }
}

impl Layers {
    /// Lay out a network.
    pub fn new(model: &Model, level: Level) -> Layers {
        let mut extent = Extent {
            border: 1,
            attentions: 0,
        };
        let steps = steps(&model.blocks, level, &mut extent);
        let (policy, value) = (&model.policy, &model.value);
        let parts = [&policy.conv1, &policy.pool_conv, &value.conv];
        let channels = padded(model.channels);
        let p = &model.planes;
        let offset = |n: usize, i: usize, d: usize| (i as isize - (n / 2) as isize) * d as isize;
        let mut places = Vec::new();
        let mut planes = Vec::new();
        for y in 0..p.filter.1 {
            for x in 0..p.filter.0 {
                places.push((
                    offset(p.filter.0, x, p.dilation.0),
                    offset(p.filter.1, y, p.dilation.1),
                ));
                for i in 0..p.inputs {
                    for o in 0..channels {
                        planes.push(weight(std::slice::from_ref(p), y, x, i, o));
                    }
                }
            }
        }
        Layers {
            level,
            border: extent.border,
            planes,
            places,
            globals: Product::new(&model.globals),
            channels,
            steps,
            tip: match &model.tip {
                Tip::Norm(norm) => End::Norm(Affinity::new(norm)),
                Tip::Rms(norm) => End::Root(RootNorm::new(norm)),
            },
            attentions: extent.attentions,
            heads: Layer::new(parts.map(Clone::clone).to_vec(), level),
            head_parts: parts.map(|c| padded(c.outputs)),
            pool_norm: Affinity::new(&policy.pool_norm),
            pool_bias: Product::new(&policy.pool_bias),
            policy_norm: Affinity::new(&policy.norm),
            policy: Layer::new(vec![policy.conv2.clone()], level),
            policies: policy.conv2.outputs,
            pass: Product::new(&policy.pass),
            pass2: policy
                .pass2
                .as_ref()
                .map(|(bias, activation, m)| (bias.clone(), *activation, Product::new(m))),
            value_norm: Affinity::new(&value.norm),
            hidden: Perceptron::new(&value.hidden),
            result: Perceptron::new(&value.result),
            score: Perceptron::new(&value.score),
            ownership: Layer::new(vec![value.ownership.clone()], level),
        }
    }
}

fn steps(blocks: &[Block], level: Level, extent: &mut Extent) -> Vec<Step> {
    let mut steps = Vec::new();
    for block in blocks {
        steps.push(match block {
            Block::Ordinary {
                norm1,
                conv1,
                norm2,
                conv2,
            } => {
                extent.conv(conv1);
                extent.conv(conv2);
                Step::Ordinary {
                    norm1: Affinity::new(norm1),
                    conv1: Layer::new(vec![conv1.clone()], level),
                    norm2: Affinity::new(norm2),
                    conv2: Layer::new(vec![conv2.clone()], level),
                }
            }
            Block::GlobalPool {
                norm1,
                conv1,
                pool_conv,
                pool_norm,
                pool_bias,
                norm2,
                conv2,
            } => {
                extent.conv(conv1);
                extent.conv(conv2);
                Step::GlobalPool {
                    norm1: Affinity::new(norm1),
                    conv1: Layer::new(vec![pool_conv.clone(), conv1.clone()], level),
                    pool_norm: Affinity::new(pool_norm),
                    pool_bias: Product::new(pool_bias),
                    norm2: Affinity::new(norm2),
                    conv2: Layer::new(vec![conv2.clone()], level),
                }
            }
            Block::Bottleneck {
                norm1,
                conv1,
                blocks,
                norm2,
                conv2,
            } => Step::Bottleneck {
                norm1: Affinity::new(norm1),
                conv1: Layer::new(vec![conv1.clone()], level),
                steps: self::steps(blocks, level, extent),
                norm2: Affinity::new(norm2),
                conv2: Layer::new(vec![conv2.clone()], level),
            },
            Block::Attention(a) => {
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
                extent.attentions += 1;
                Step::Attention(Box::new(Heads {
                    number: extent.attentions - 1,
                    norm: RootNorm::new(&a.norm),
                    projection: Packed::new(a.query.inputs, outputs, level.lanes(), at),
                    out: Layer::product(&a.out, level),
                    heads: a.heads,
                    key_heads: a.key_heads,
                    query_size: a.query_size,
                    value_size: a.value_size,
                    rotation: a.rotation.clone(),
                }))
            }
            Block::FeedForward {
                norm,
                up,
                gate,
                down,
            } => {
                let inner = padded(up.outputs);
                let at = |i: usize, o: usize| match o.checked_sub(inner) {
                    None if o < up.outputs => up.weights[i * up.outputs + o],
                    Some(o) if o < gate.outputs => gate.weights[i * gate.outputs + o],
                    _ => 0.0,
                };
                Step::FeedForward {
                    norm: RootNorm::new(norm),
                    up: Packed::new(up.inputs, 2 * inner, level.lanes(), at),
                    inner,
                    down: Layer::product(down, level),
                }
            }
        });
    }
    steps
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
