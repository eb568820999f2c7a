//! A network laid out for the kernels: its layers with their weights packed, each
//! with what its input has to look like.

use super::kernels::{self, InstructionSet, Packed, Pointwise, ScaleBias, Tiled, Tiling};
use super::kernels::{Transformed, padded};
use super::model::{self, Activation, Conv, MatMul, Norm};
use super::planes::Planes;
use std::sync::OnceLock;

/// The weights of a convolution, packed.
pub(super) enum Filters {
    /// 1x1.
    Point(Pointwise),
    /// 3x3.
    Winograd(Winograd),
    /// Any other: a product for each place of the filter, by its offset in columns
    /// and rows.
    Places(Vec<((isize, isize), Packed)>),
    /// Any, in tiles.
    Tiled(Tiled),
}

/// A convolution, or several of one shape as one: their outputs lie one after the
/// other, each padded.
pub(super) struct Layer {
    pub(super) filters: Filters,
    /// Channels, padded.
    pub(super) inputs: usize,
    /// Channels, padded.
    pub(super) outputs: usize,
}

/// The weight from input `i` to output `o` of a layer at the filter's row `y` and
/// column `x`; 0 if the output is padding.
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
pub(super) fn places(conv: &Conv) -> impl Iterator<Item = (usize, usize, (isize, isize))> {
    let ((columns, rows), (dx, dy)) = (conv.filter, conv.dilation);
    let away = |n: usize, i: usize, d: usize| (i as isize - (n / 2) as isize) * d as isize;
    let all = (0..rows).flat_map(move |y| (0..columns).map(move |x| (y, x)));
    all.map(move |(y, x)| (y, x, (away(columns, x, dx), away(rows, y, dy))))
}

impl Layer {
    /// The convolutions have the same inputs, filter and dilation.
    pub(super) fn new(parts: &[Conv], set: InstructionSet) -> Layer {
        let (inputs, lanes) = (parts[0].inputs, set.lanes());
        let outputs = parts.iter().map(|p| padded(p.outputs)).sum();
        if let InstructionSet::Amx(amx) = set {
            let all: Vec<_> = places(&parts[0]).collect();
            let at = |n: usize, i, o| weight(parts, all[n].0, all[n].1, i, o);
            let away = all.iter().map(|(_, _, away)| *away).collect();
            return Layer {
                filters: Filters::Tiled(Tiled::new(amx, away, inputs, outputs, at)),
                inputs: padded(inputs),
                outputs,
            };
        }
        let pack = |y, x| Packed::new(lanes, inputs, outputs, |i, o| weight(parts, y, x, i, o));
        let filters = match (parts[0].filter, parts[0].dilation) {
            ((1, 1), _) => {
                let at = |i, o| weight(parts, 0, 0, i, o);
                Filters::Point(Pointwise::new(set, inputs, outputs, at))
            }
            ((3, 3), (1, 1)) => Filters::Winograd(Winograd {
                parts: parts.to_vec(),
                outputs,
                set,
                transformed: Default::default(),
            }),
            _ => {
                let all = places(&parts[0]);
                Filters::Places(all.map(|(y, x, offset)| (offset, pack(y, x))).collect())
            }
        };
        Layer {
            filters,
            inputs: padded(inputs),
            outputs,
        }
    }

    /// One convolution.
    pub(super) fn single(conv: &Conv, set: InstructionSet) -> Layer {
        Layer::new(std::slice::from_ref(conv), set)
    }

    /// A matrix product for each point.
    pub(super) fn product(m: &MatMul, set: InstructionSet) -> Layer {
        let at = |i: usize, o: usize| m.weights[i * m.outputs + o];
        Layer {
            filters: Filters::Point(Pointwise::new(set, m.inputs, m.outputs, at)),
            inputs: padded(m.inputs),
            outputs: padded(m.outputs),
        }
    }

    /// What its input has to look like.
    pub(super) fn form(&self) -> Form {
        match &self.filters {
            Filters::Point(_) => Form::Dense,
            Filters::Winograd(_) | Filters::Places(_) => Form::Bordered,
            Filters::Tiled(filters) => Form::Tiled {
                border: filters.border(),
            },
        }
    }
}

/// 3x3 filters, transformed for a tiling when it is first needed.
pub(super) struct Winograd {
    parts: Vec<Conv>,
    outputs: usize,
    set: InstructionSet,
    transformed: Box<[OnceLock<Transformed>; Tiling::ALL.len()]>,
}

impl Winograd {
    pub(super) fn transformed(&self, tiling: Tiling) -> &Transformed {
        self.transformed[tiling as usize].get_or_init(|| {
            let inputs = self.parts[0].inputs;
            let at = |y, x, i, o| weight(&self.parts, y, x, i, o);
            let lanes = self.set.lanes();
            let packed = tiling.transform_filters(lanes, inputs, self.outputs, at);
            Transformed::new(packed, self.set)
        })
    }
}

/// A batch norm, folded and padded, and the activation after it.
pub(super) struct BatchNorm {
    scale: Vec<f32>,
    bias: Vec<f32>,
    activation: Activation,
}

impl BatchNorm {
    pub(super) fn new(norm: &Norm) -> BatchNorm {
        BatchNorm {
            scale: widened(&norm.scale),
            bias: widened(&norm.bias),
            activation: norm.activation,
        }
    }

    pub(super) fn scale_bias(&self) -> ScaleBias<'_> {
        ScaleBias {
            scale: &self.scale,
            bias: &self.bias,
            activation: self.activation,
        }
    }

    /// Channels, padded.
    pub(super) fn channels(&self) -> usize {
        self.scale.len()
    }

    /// The norm of x + `extra` as a norm of x: its bias is put into `bias`.
    pub(super) fn shifted<'a>(&'a self, extra: &[f32], bias: &'a mut Vec<f32>) -> ScaleBias<'a> {
        bias.clear();
        let both = self.scale.iter().zip(&self.bias).zip(extra);
        bias.extend(both.map(|((scale, b), extra)| scale * extra + b));
        ScaleBias {
            bias,
            ..self.scale_bias()
        }
    }
}

/// A norm by the root mean square, padded.
pub(super) struct RmsNorm {
    norm: BatchNorm,
    channels: usize,
    epsilon: f32,
    spatial: bool,
}

impl RmsNorm {
    pub(super) fn new(norm: &model::RmsNorm) -> RmsNorm {
        let channels = norm.scale.len();
        let mut bias = norm.bias.clone();
        bias.resize(padded(channels), 0.0);
        RmsNorm {
            norm: BatchNorm {
                scale: widened(&norm.scale),
                bias,
                activation: norm.activation,
            },
            channels,
            epsilon: norm.epsilon,
            spatial: norm.spatial,
        }
    }

    pub(super) fn kernel(&self) -> kernels::RmsNorm<'_> {
        kernels::RmsNorm {
            norm: self.norm.scale_bias(),
            channels: self.channels,
            epsilon: self.epsilon,
            spatial: self.spatial,
        }
    }

    /// Channels, padded.
    pub(super) fn channels(&self) -> usize {
        self.norm.channels()
    }
}

fn widened(values: &[f32]) -> Vec<f32> {
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
    /// As tiles are read, with such a border: see [`kernels::Layout`].
    Tiled { border: usize },
}

/// What has to be written for the layer that comes next.
#[derive(Clone, Copy)]
pub(super) struct Next<'a> {
    pub(super) norm: ScaleBias<'a>,
    pub(super) form: Form,
}

impl<'a> Next<'a> {
    /// A norm and, after it, a layer.
    pub(super) fn new(norm: &'a BatchNorm, layer: &Layer) -> Next<'a> {
        Next {
            norm: norm.scale_bias(),
            form: layer.form(),
        }
    }

    /// Points one after the other.
    pub(super) fn dense(norm: ScaleBias<'a>) -> Next<'a> {
        Next {
            norm,
            form: Form::Dense,
        }
    }
}

/// The product of a vector with a small matrix, without kernels.
pub(super) struct Linear {
    pub(super) inputs: usize,
    /// By input, then output.
    weights: Vec<f32>,
    outputs: usize,
}

impl Linear {
    pub(super) fn new(m: &MatMul) -> Linear {
        Linear {
            inputs: m.inputs,
            weights: m.weights.clone(),
            outputs: m.outputs,
        }
    }

    /// Into `out`, which becomes as long as the result.
    pub(super) fn apply(&self, input: &[f32], out: &mut Vec<f32>) {
        out.clear();
        out.resize(self.outputs, 0.0);
        let rows = self.weights.chunks_exact(self.outputs);
        for (x, row) in input[..self.inputs].iter().zip(rows) {
            for (sum, w) in out.iter_mut().zip(row) {
                *sum += x * w;
            }
        }
    }
}

/// A linear layer with bias and activation.
pub(super) struct Dense {
    pub(super) linear: Linear,
    bias: Vec<f32>,
    activation: Activation,
}

impl Dense {
    pub(super) fn new(product: &MatMul, bias: &[f32], activation: Activation) -> Dense {
        Dense {
            linear: Linear::new(product),
            bias: bias.to_vec(),
            activation,
        }
    }

    /// Into `out`, which becomes as long as the result.
    pub(super) fn apply(&self, input: &[f32], out: &mut Vec<f32>) {
        self.linear.apply(input, out);
        for (x, b) in out.iter_mut().zip(&self.bias) {
            *x = kernels::scalar::activate(*x + b, self.activation);
        }
    }
}

/// The first convolution, from planes of bits.
pub(super) enum First {
    /// Rows of weights are summed: planes are mostly empty.
    Gathered(Planes),
    /// In tiles it is like any other.
    Tiled(Layer),
}

impl First {
    pub(super) fn new(conv: &Conv, set: InstructionSet) -> First {
        match set {
            InstructionSet::Amx(_) => First::Tiled(Layer::single(conv, set)),
            _ => First::Gathered(Planes::new(conv)),
        }
    }
}
