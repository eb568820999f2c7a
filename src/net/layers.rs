//! The layers of a network, laid out for the kernels: packed weights, and the form
//! of input that each layer reads.

use super::kernels::{self, AmxFilter, InstructionSet, Packed, Pointwise, ScaleBias, Tiling};
use super::kernels::{Transformed, padded};
use super::model::{self, Activation, Conv, MatMul, Norm};
use super::planes::Planes;
use std::sync::OnceLock;

/// The packed weights of a convolution.
pub(super) enum Filters {
    /// 1x1.
    Point(Pointwise),
    /// 3x3.
    Winograd(Winograd),
    /// Any other: a product for each filter tap, with the offset of its input in columns
    /// and rows.
    Taps(Vec<((isize, isize), Packed)>),
    /// Any shape, with AMX.
    Amx(AmxFilter),
}

/// A convolution, or several of one shape merged into one: their outputs are
/// concatenated, each padded.
pub(super) struct Layer {
    pub(super) filters: Filters,
    /// Input channels, padded.
    pub(super) inputs: usize,
    /// Output channels, padded.
    pub(super) outputs: usize,
}

impl Layer {
    /// Merge convolutions with the same inputs, filter and dilation.
    pub(super) fn new(parts: &[Conv], set: InstructionSet) -> Layer {
        let (inputs, lanes) = (parts[0].inputs, set.lanes());
        let outputs = parts.iter().map(|p| padded(p.outputs)).sum();
        if let InstructionSet::Amx(amx) = set {
            let all: Vec<_> = parts[0].taps().collect();
            let at = |n: usize, i, o| weight(parts, all[n].0, all[n].1, i, o);
            let away = all.iter().map(|(_, _, away)| *away).collect();
            return Layer {
                filters: Filters::Amx(AmxFilter::new(amx, away, inputs, outputs, at)),
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
                let all = parts[0].taps();
                Filters::Taps(all.map(|(y, x, offset)| (offset, pack(y, x))).collect())
            }
        };
        Layer {
            filters,
            inputs: padded(inputs),
            outputs,
        }
    }

    /// Lay out a single convolution.
    pub(super) fn single(conv: &Conv, set: InstructionSet) -> Layer {
        Layer::new(std::slice::from_ref(conv), set)
    }

    /// Lay out a matrix product, applied to each point.
    pub(super) fn product(m: &MatMul, set: InstructionSet) -> Layer {
        let at = |i: usize, o: usize| m.weights[i * m.outputs + o];
        Layer {
            filters: Filters::Point(Pointwise::new(set, m.inputs, m.outputs, at)),
            inputs: padded(m.inputs),
            outputs: padded(m.outputs),
        }
    }

    /// Return the form of input that the layer reads.
    pub(super) fn form(&self) -> Form {
        match &self.filters {
            Filters::Point(_) => Form::Dense,
            Filters::Winograd(_) | Filters::Taps(_) => Form::Bordered,
            Filters::Amx(filters) => Form::Lines {
                border: filters.border(),
            },
        }
    }
}

/// Return the weight from input `i` to output `o` of merged convolutions, at row `y` and
/// column `x` of the filter; 0 if the output is padding.
fn weight(parts: &[Conv], y: usize, x: usize, i: usize, o: usize) -> f32 {
    let mut o = o;
    for part in parts {
        if o < padded(part.outputs) {
            return part.weight(y, x, i, o);
        }
        o -= padded(part.outputs);
    }
    0.0
}

/// 3x3 filters, transformed on first use of each tiling.
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
            Transformed::new(tiling, packed, self.set)
        })
    }
}

/// A batch norm, folded into scale and bias and padded, and the activation after it.
pub(super) struct BatchNorm {
    scale: Vec<f32>,
    bias: Vec<f32>,
    activation: Activation,
}

impl BatchNorm {
    pub(super) fn new(norm: &Norm) -> BatchNorm {
        BatchNorm {
            scale: with_padding(&norm.scale),
            bias: with_padding(&norm.bias),
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

    /// Fold a bias added to the input into the norm: the norm of x + `extra` as a norm of x.
    /// Writes its bias to `bias`.
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

/// An RMS norm, padded.
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
                scale: with_padding(&norm.scale),
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

fn with_padding(values: &[f32]) -> Vec<f32> {
    let mut wide = values.to_vec();
    wide.resize(padded(values.len()), 0.0);
    wide
}

/// The form of a layer's input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `[place][channel]`, with a border of zeros around the board: see [`kernels::Grid`].
    Bordered,
    /// `[point][channel]`, without gaps.
    Dense,
    /// `[place][line]`, for AMX, with a border this wide: see [`kernels::AmxLayout`].
    Lines { border: usize },
}

/// The input to write for the next layer.
#[derive(Clone, Copy)]
pub(super) struct Next<'a> {
    pub(super) norm: ScaleBias<'a>,
    pub(super) form: Form,
}

impl<'a> Next<'a> {
    /// Write the input of `layer`, after `norm`.
    pub(super) fn new(norm: &'a BatchNorm, layer: &Layer) -> Next<'a> {
        Next {
            norm: norm.scale_bias(),
            form: layer.form(),
        }
    }

    /// Write points without gaps.
    pub(super) fn dense(norm: ScaleBias<'a>) -> Next<'a> {
        Next {
            norm,
            form: Form::Dense,
        }
    }
}

/// A small matrix, multiplied with a vector without kernels.
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

    /// Write the product to `out`, which is resized to fit.
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

    /// Write the result to `out`, which is resized to fit.
    pub(super) fn apply(&self, input: &[f32], out: &mut Vec<f32>) {
        self.linear.apply(input, out);
        for (x, b) in out.iter_mut().zip(&self.bias) {
            *x = kernels::scalar::activate(*x + b, self.activation);
        }
    }
}

/// The first convolution, which reads bit planes.
pub(super) enum First {
    /// Sums rows of weights, since planes are mostly empty.
    Gathered(Planes),
    /// Multiplies with AMX, like any other convolution.
    Amx(Layer),
}

impl First {
    pub(super) fn new(conv: &Conv, set: InstructionSet) -> First {
        match set {
            InstructionSet::Amx(_) => First::Amx(Layer::single(conv, set)),
            _ => First::Gathered(Planes::new(conv)),
        }
    }
}
