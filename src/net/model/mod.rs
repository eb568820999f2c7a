//! The contents of a network file: its layers and their weights.
//!
//! The format is KataGo's; the field `version` numbers its revisions.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod reader;

use super::file::{NetError, Tokens};
use reader::Reader;
use std::io::BufRead;
use std::path::Path;

/// Number of input planes (version 7 of the features).
pub const PLANES: usize = 22;
/// Number of global input features (version 7 of the features).
pub const GLOBALS: usize = 19;

/// An activation function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// x
    Identity,
    /// max(x, 0)
    Relu,
    /// x · tanh(ln(1 + eˣ)), Misra 2019
    Mish,
    /// x / (1 + e⁻ˣ)
    Silu,
}

/// A convolution, with zero padding around the board.
#[derive(Clone, Debug)]
pub struct Conv {
    /// Its name in the file.
    pub name: String,
    /// Columns and rows of the filter, odd.
    pub filter: (usize, usize),
    /// Dilation, by column and row.
    pub dilation: (usize, usize),
    /// Input channels.
    pub inputs: usize,
    /// Output channels.
    pub outputs: usize,
    /// Weights by row and column of the filter, input and output.
    pub weights: Vec<f32>,
}

impl Conv {
    /// Number of columns and rows that the filter reaches beyond its centre.
    pub fn reach(&self) -> (usize, usize) {
        let ((columns, rows), (dx, dy)) = (self.filter, self.dilation);
        (columns / 2 * dx, rows / 2 * dy)
    }

    /// List the filter taps by row and column, each with the offset of its input in columns
    /// and rows.
    pub fn taps(&self) -> impl Iterator<Item = (usize, usize, (isize, isize))> + use<> {
        let ((columns, rows), (dx, dy)) = (self.filter, self.dilation);
        let away = |n: usize, i: usize, d: usize| (i as isize - (n / 2) as isize) * d as isize;
        let all = (0..rows).flat_map(move |y| (0..columns).map(move |x| (y, x)));
        all.map(move |(y, x)| (y, x, (away(columns, x, dx), away(rows, y, dy))))
    }

    /// Return the weight from input `i` to output `o` at row `y` and column `x` of the filter; 0
    /// beyond the last output.
    pub fn weight(&self, y: usize, x: usize, i: usize, o: usize) -> f32 {
        if o >= self.outputs {
            return 0.0;
        }
        let place = (y * self.filter.0 + x) * self.inputs + i;
        let weight = self.weights.get(place * self.outputs + o);
        weight.copied().unwrap_or_default()
    }
}

/// A batch norm, folded into a scale and a bias by channel, and an activation.
#[derive(Clone, Debug)]
pub struct Norm {
    /// By channel.
    pub scale: Vec<f32>,
    /// By channel.
    pub bias: Vec<f32>,
    /// Applied after the norm.
    pub activation: Activation,
}

/// A matrix product.
#[derive(Clone, Debug)]
pub struct MatMul {
    /// Rows.
    pub inputs: usize,
    /// Columns.
    pub outputs: usize,
    /// Weights by input and output.
    pub weights: Vec<f32>,
}

/// A matrix product, a bias and an activation.
#[derive(Clone, Debug)]
pub struct Dense {
    /// The product.
    pub product: MatMul,
    /// By output.
    pub bias: Vec<f32>,
    /// Applied after the bias.
    pub activation: Activation,
}

/// RMS norm: division by the root mean square over the channels of a point (Zhang and
/// Sennrich 2019), or over all points, and a scale by channel.
#[derive(Clone, Debug)]
pub struct RmsNorm {
    /// Added to the mean of the squares.
    pub epsilon: f32,
    /// By channel.
    pub scale: Vec<f32>,
    /// By channel; empty for zeros.
    pub bias: Vec<f32>,
    /// Is the mean taken over all points?
    pub spatial: bool,
    /// Applied after the norm.
    pub activation: Activation,
}

/// Angles of a rotary embedding (Su and others 2021), which rotates pairs of numbers by an
/// angle that depends on the point.
#[derive(Clone, Debug)]
pub enum Rotation {
    /// No rotation.
    None,
    /// Computed from this base: the first half of the pairs encodes the row, the rest the column.
    Base(f32),
    /// Learned frequencies, `[key head][pair]`, each of the column and of the row.
    Learned(Vec<f32>),
}

/// Scaled dot-product attention over the points (Vaswani and others 2017).
#[derive(Clone, Debug)]
pub struct Attention {
    /// Applied to the input.
    pub norm: RmsNorm,
    /// Query heads.
    pub heads: usize,
    /// Key and value heads; each serves the same number of query heads.
    pub key_heads: usize,
    /// Length of a query and of a key.
    pub query_size: usize,
    /// Length of a value.
    pub value_size: usize,
    /// Projection to queries.
    pub query: MatMul,
    /// Projection to keys.
    pub key: MatMul,
    /// Projection to values.
    pub value: MatMul,
    /// Projection of the head results back to the trunk.
    pub out: MatMul,
    /// Rotation of queries and keys.
    pub rotation: Rotation,
}

/// A block of the trunk; its result is added to its input.
#[derive(Clone, Debug)]
pub enum Block {
    /// Norm, convolution, norm, convolution.
    Ordinary {
        /// Before the first convolution.
        norm1: Norm,
        /// The first convolution.
        conv1: Conv,
        /// Before the second convolution.
        norm2: Norm,
        /// The second convolution.
        conv2: Conv,
    },
    /// An ordinary block with a bias in the middle that depends on the whole board.
    GlobalPool {
        /// Before the first convolutions.
        norm1: Norm,
        /// The regular convolution.
        conv1: Conv,
        /// The convolution to pool.
        pool_conv: Conv,
        /// Before pooling.
        pool_norm: Norm,
        /// From the pooled channels to biases of the regular convolution.
        pool_bias: MatMul,
        /// Before the last convolution.
        norm2: Norm,
        /// The last convolution.
        conv2: Conv,
    },
    /// A 1x1 convolution to fewer channels, inner blocks, and a 1x1 convolution back.
    Bottleneck {
        /// Before the first convolution.
        norm1: Norm,
        /// To fewer channels.
        conv1: Conv,
        /// The inner blocks.
        blocks: Vec<Block>,
        /// After the inner blocks.
        norm2: Norm,
        /// Back to the trunk's channels.
        conv2: Conv,
    },
    /// Scaled dot-product attention.
    Attention(Box<Attention>),
    /// A gated feed-forward layer (SwiGLU, Shazeer 2020).
    FeedForward {
        /// Applied to the input.
        norm: RmsNorm,
        /// The first product; SiLU is applied to it.
        up: MatMul,
        /// The product that it is multiplied with.
        gate: MatMul,
        /// Back to the trunk.
        down: MatMul,
    },
}

/// The last norm of the trunk.
#[derive(Clone, Debug)]
pub enum Tip {
    /// A batch norm.
    Norm(Norm),
    /// An RMS norm, in transformers.
    Rms(RmsNorm),
}

/// The policy head.
#[derive(Clone, Debug)]
pub struct PolicyHead {
    /// From the trunk to the channels of the head.
    pub conv1: Conv,
    /// From the trunk to the channels to pool.
    pub pool_conv: Conv,
    /// Before pooling.
    pub pool_norm: Norm,
    /// From the pooled channels to biases.
    pub pool_bias: MatMul,
    /// Before the last convolution.
    pub norm: Norm,
    /// To logits.
    pub conv2: Conv,
    /// From the pooled channels to the pass logits, or to a hidden layer.
    pub pass: MatMul,
    /// Bias and activation of the hidden layer, and the matrix from it to the pass logits.
    pub pass2: Option<(Vec<f32>, Activation, MatMul)>,
}

/// The value head.
#[derive(Clone, Debug)]
pub struct ValueHead {
    /// From the trunk to the channels of the head.
    pub conv: Conv,
    /// After the convolution.
    pub norm: Norm,
    /// From the pooled channels to the hidden layer.
    pub hidden: Dense,
    /// Logits of win, loss and no result.
    pub result: Dense,
    /// Score mean and deviation, lead, time left; from version 9 on also errors.
    pub score: Dense,
    /// Ownership.
    pub ownership: Conv,
}

/// Multipliers of the value head's outputs.
#[derive(Clone, Copy, Debug)]
pub struct Multipliers {
    /// Score mean.
    pub mean: f32,
    /// Score deviation.
    pub deviation: f32,
    /// Lead.
    pub lead: f32,
    /// Variance of the time left.
    pub time: f32,
    /// Short-term error of the value.
    pub value_error: f32,
    /// Short-term error of the score.
    pub score_error: f32,
}

/// A network file.
#[derive(Clone, Debug)]
pub struct Model {
    /// Name of the network.
    pub name: String,
    /// Version of the format.
    pub version: usize,
    /// Multipliers of the outputs.
    pub multipliers: Multipliers,
    /// Compute unconditionally alive chains as if suicide were legal, whatever the
    /// rules?
    pub area_with_suicide: bool,
    /// Channels of the trunk.
    pub channels: usize,
    /// From the planes to the trunk.
    pub planes: Conv,
    /// From the global features to the trunk.
    pub globals: MatMul,
    /// The trunk.
    pub blocks: Vec<Block>,
    /// The last norm of the trunk.
    pub tip: Tip,
    /// The policy head.
    pub policy: PolicyHead,
    /// The value head.
    pub value: ValueHead,
}

impl Model {
    /// Read a file.
    ///
    /// # Errors
    /// If the file is invalid or unsupported; the error names the layer and the problem.
    pub fn open(path: &Path) -> Result<Model, NetError> {
        Reader::new(Tokens::open(path)?).model()
    }

    /// Check that a file starts like a supported network.
    ///
    /// # Errors
    /// [`NetError`] states the problem.
    pub fn check(path: &Path) -> Result<(), NetError> {
        Reader::new(Tokens::open(path)?).header().map(drop)
    }

    /// Read a model from any source.
    ///
    /// # Errors
    /// Those of [`Model::open`].
    pub fn read(input: impl BufRead + 'static) -> Result<Model, NetError> {
        Reader::new(Tokens::new(input)?).model()
    }
}
