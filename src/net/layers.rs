//! A network laid out for the kernels: its layers with their weights packed, each
//! with what its input has to look like.

use super::kernels::{self, Affine, Level, Packed, Tiling, padded};
use super::model::{self, Activation, Block, Conv, MatMul, Model, Norm, RmsNorm, Rotation, Tip};
use std::sync::OnceLock;

/// A convolution laid out.
pub(super) enum Filters {
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
pub(super) struct Layer {
    pub(super) filters: Filters,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
}

/// Which weight output `o` of the layer stands for.
pub(super) fn weight(parts: &[Conv], y: usize, x: usize, i: usize, o: usize) -> f32 {
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

/// The places of a filter by row and column, each with the columns and rows that its
/// input is away.
fn places(conv: &Conv) -> impl Iterator<Item = (usize, usize, (isize, isize))> {
    let ((columns, rows), (dx, dy)) = (conv.filter, conv.dilation);
    let away = |n: usize, i: usize, d: usize| (i as isize - (n / 2) as isize) * d as isize;
    let all = (0..rows).flat_map(move |y| (0..columns).map(move |x| (y, x)));
    all.map(move |(y, x)| (y, x, (away(columns, x, dx), away(rows, y, dy))))
}

impl Layer {
    pub(super) fn new(parts: Vec<Conv>, level: Level) -> Layer {
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
            _ => Filters::Places(
                places(&parts[0])
                    .map(|(y, x, offset)| (offset, pack(y, x)))
                    .collect(),
            ),
        };
        Layer {
            filters,
            inputs: padded(inputs),
            outputs,
        }
    }

    /// A matrix product for each point.
    pub(super) fn product(m: &MatMul, level: Level) -> Layer {
        let at = |i: usize, o: usize| m.weights[i * m.outputs + o];
        Layer {
            filters: Filters::Point(Packed::new(m.inputs, m.outputs, level.lanes(), at)),
            inputs: padded(m.inputs),
            outputs: padded(m.outputs),
        }
    }

    /// Does it read points beyond its own?
    pub(super) fn needs_border(&self) -> bool {
        !matches!(self.filters, Filters::Point(_))
    }

    pub(super) fn transformed(&self, tiling: Tiling, level: Level) -> Option<&Packed> {
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
pub(super) struct Affinity {
    pub(super) scale: Vec<f32>,
    pub(super) bias: Vec<f32>,
    pub(super) activation: Activation,
}

impl Affinity {
    pub(super) fn new(norm: &Norm) -> Affinity {
        Affinity {
            scale: widened(&norm.scale),
            bias: widened(&norm.bias),
            activation: norm.activation,
        }
    }

    pub(super) fn affine(&self) -> Affine<'_> {
        Affine {
            scale: &self.scale,
            bias: &self.bias,
            activation: self.activation,
        }
    }

    pub(super) fn channels(&self) -> usize {
        self.scale.len()
    }

    /// The same where `extra` is added to what comes in, with the bias in `bias`.
    pub(super) fn shifted<'a>(&'a self, extra: &[f32], bias: &'a mut Vec<f32>) -> Affine<'a> {
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

pub(super) fn widened(values: &[f32]) -> Vec<f32> {
    let mut wide = values.to_vec();
    wide.resize(padded(values.len()), 0.0);
    wide
}

/// What a layer's input needs to look like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// With a border of zeros.
    Bordered,
    /// Points one after the other.
    Dense,
}

/// What has to be written for the layer that comes next.
#[derive(Clone, Copy)]
pub(super) struct Next<'a> {
    pub(super) norm: &'a Affinity,
    pub(super) form: Form,
}

/// A block laid out.
pub(super) enum Step {
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
    pub(super) fn first(&self) -> Option<Next<'_>> {
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
pub(super) struct RootNorm {
    pub(super) affinity: Affinity,
    pub(super) counted: usize,
    pub(super) epsilon: f32,
    pub(super) all: bool,
}

impl RootNorm {
    pub(super) fn new(norm: &RmsNorm) -> RootNorm {
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
pub(super) struct Heads {
    /// Which of the network's it is.
    pub(super) number: usize,
    pub(super) norm: RootNorm,
    /// To queries, keys and values, one after the other.
    pub(super) projection: Packed,
    pub(super) out: Layer,
    pub(super) heads: usize,
    pub(super) key_heads: usize,
    pub(super) query_size: usize,
    pub(super) value_size: usize,
    pub(super) rotation: Rotation,
}

impl Heads {
    /// Cosine and sine by which each pair of numbers of each key head is turned, by
    /// point, head and pair. Empty if none is.
    pub(super) fn turns(&self, size: (usize, usize)) -> Vec<(f32, f32)> {
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
pub(super) enum End {
    Norm(Affinity),
    Root(RootNorm),
}

pub(super) fn form_of(layer: &Layer) -> Form {
    match layer.needs_border() {
        true => Form::Bordered,
        false => Form::Dense,
    }
}

/// A small product of a vector with a matrix.
pub(super) struct Product {
    pub(super) inputs: usize,
    /// By input, then output.
    pub(super) weights: Vec<f32>,
    pub(super) outputs: usize,
}

impl Product {
    pub(super) fn new(m: &MatMul) -> Product {
        Product {
            inputs: m.inputs,
            weights: m.weights.clone(),
            outputs: m.outputs,
        }
    }

    /// Into `out`, which is made as long as the result.
    pub(super) fn apply(&self, input: &[f32], out: &mut Vec<f32>) {
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
pub(super) struct Perceptron {
    pub(super) product: Product,
    pub(super) bias: Vec<f32>,
    pub(super) activation: Activation,
}

impl Perceptron {
    pub(super) fn new(dense: &model::Dense) -> Perceptron {
        Perceptron {
            product: Product::new(&dense.product),
            bias: dense.bias.clone(),
            activation: dense.activation,
        }
    }

    pub(super) fn apply(&self, input: &[f32], out: &mut Vec<f32>) {
        self.product.apply(input, out);
        for (x, b) in out.iter_mut().zip(&self.bias) {
            *x = kernels::scalar::activate(*x + b, self.activation);
        }
    }
}

/// A network laid out for the kernels of a level.
pub struct Layers {
    pub(super) level: Level,
    /// Widest border that a convolution needs.
    pub(super) border: usize,
    /// First convolution: rows of weights by place and plane.
    pub(super) planes: Vec<f32>,
    pub(super) places: Vec<(isize, isize)>,
    pub(super) globals: Product,
    pub(super) channels: usize,
    pub(super) steps: Vec<Step>,
    pub(super) tip: End,
    pub(super) attentions: usize,
    /// Policy, pooled and value channels, all from the tip.
    pub(super) heads: Layer,
    pub(super) head_parts: [usize; 3],
    pub(super) pool_norm: Affinity,
    pub(super) pool_bias: Product,
    pub(super) policy_norm: Affinity,
    pub(super) policy: Layer,
    pub(super) policies: usize,
    pub(super) pass: Product,
    pub(super) pass2: Option<(Vec<f32>, Activation, Product)>,
    pub(super) value_norm: Affinity,
    pub(super) hidden: Perceptron,
    pub(super) result: Perceptron,
    pub(super) score: Perceptron,
    pub(super) ownership: Layer,
}

/// The widest border that a network needs, and how many attentions it has.
pub(super) struct Extent {
    pub(super) border: usize,
    pub(super) attentions: usize,
}

impl Extent {
    pub(super) fn conv(&mut self, conv: &Conv) {
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
        let mut offsets = Vec::new();
        let mut planes = Vec::new();
        for (y, x, offset) in places(p) {
            offsets.push(offset);
            for i in 0..p.inputs {
                for o in 0..channels {
                    planes.push(weight(std::slice::from_ref(p), y, x, i, o));
                }
            }
        }
        Layers {
            level,
            border: extent.border,
            planes,
            places: offsets,
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

pub(super) fn steps(blocks: &[Block], level: Level, extent: &mut Extent) -> Vec<Step> {
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
