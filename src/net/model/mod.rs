//! What a network file says: its layers and their weights.
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

/// Planes and numbers of the input (version 7 of the features).
pub const PLANES: usize = 22;
/// See [`PLANES`].
pub const GLOBALS: usize = 19;

/// A function applied to each number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// x
    Identity = 0,
    /// max(x, 0)
    Relu = 1,
    /// x · tanh(ln(1 + eˣ)), Misra 2019
    Mish = 2,
    /// x / (1 + e⁻ˣ)
    Silu = 3,
}

/// A convolution, zeros around the board.
#[derive(Clone, Debug)]
pub struct Conv {
    /// Its name in the file.
    pub name: String,
    /// Columns and rows of the filter, odd.
    pub filter: (usize, usize),
    /// Steps between its places, by column and row.
    pub dilation: (usize, usize),
    /// Channels that go in.
    pub inputs: usize,
    /// Channels that come out.
    pub outputs: usize,
    /// By row and column of the filter, input and output.
    pub weights: Vec<f32>,
}

impl Conv {
    /// Columns and rows that it reads beyond a point.
    pub fn reach(&self) -> (usize, usize) {
        let ((columns, rows), (dx, dy)) = (self.filter, self.dilation);
        (columns / 2 * dx, rows / 2 * dy)
    }
}

/// A norm, merged to a scale and a bias by channel, and an activation.
#[derive(Clone, Debug)]
pub struct Norm {
    /// By channel.
    pub scale: Vec<f32>,
    /// By channel.
    pub bias: Vec<f32>,
    /// What comes after.
    pub activation: Activation,
}

/// A matrix product.
#[derive(Clone, Debug)]
pub struct MatMul {
    /// Rows.
    pub inputs: usize,
    /// Columns.
    pub outputs: usize,
    /// By input and output.
    pub weights: Vec<f32>,
}

/// A matrix product, a bias and an activation.
#[derive(Clone, Debug)]
pub struct Dense {
    /// The product.
    pub product: MatMul,
    /// By output.
    pub bias: Vec<f32>,
    /// What comes after.
    pub activation: Activation,
}

/// Division by the root mean square over the channels of a point (Zhang and
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
    /// What comes after.
    pub activation: Activation,
}

/// Where the angles of a rotary embedding come from (Su and others 2021), which
/// turns pairs of numbers by an angle that depends on the point.
#[derive(Clone, Debug)]
pub enum Rotation {
    /// None.
    None,
    /// By this base, half of the pairs by column and half by row.
    Base(f32),
    /// Frequencies by column and row for each pair of each key head.
    Learned(Vec<f32>),
}

/// Scaled dot-product attention over the points (Vaswani and others 2017).
#[derive(Clone, Debug)]
pub struct Attention {
    /// Before it.
    pub norm: RmsNorm,
    /// Query heads.
    pub heads: usize,
    /// Key and value heads; each serves as many query heads.
    pub key_heads: usize,
    /// Numbers of a query and of a key.
    pub query_size: usize,
    /// Numbers of a value.
    pub value_size: usize,
    /// To queries.
    pub query: MatMul,
    /// To keys.
    pub key: MatMul,
    /// To values.
    pub value: MatMul,
    /// From the heads' results back to the trunk.
    pub out: MatMul,
    /// Of queries and keys.
    pub rotation: Rotation,
}

/// A block of the trunk, whose result is added to what went in.
#[derive(Clone, Debug)]
pub enum Block {
    /// Norm, convolution, norm, convolution.
    Ordinary {
        /// Before the first convolution.
        norm1: Norm,
        /// The first.
        conv1: Conv,
        /// Before the second.
        norm2: Norm,
        /// The second.
        conv2: Conv,
    },
    /// An ordinary block whose middle gets a bias that depends on the whole board.
    GlobalPool {
        /// Before the first convolutions.
        norm1: Norm,
        /// The regular one.
        conv1: Conv,
        /// The one whose result is pooled.
        pool_conv: Conv,
        /// Before pooling.
        pool_norm: Norm,
        /// From the pooled numbers to biases of the regular convolution.
        pool_bias: MatMul,
        /// Before the last convolution.
        norm2: Norm,
        /// The last.
        conv2: Conv,
    },
    /// A 1x1 convolution to fewer channels, blocks there, and one back.
    Bottleneck {
        /// Before the first convolution.
        norm1: Norm,
        /// To fewer channels.
        conv1: Conv,
        /// On those.
        blocks: Vec<Block>,
        /// After them.
        norm2: Norm,
        /// Back.
        conv2: Conv,
    },
    /// Attention.
    Attention(Box<Attention>),
    /// Two products with a gated activation between (Shazeer 2020: SwiGLU).
    FeedForward {
        /// Before it.
        norm: RmsNorm,
        /// The first product.
        up: MatMul,
        /// What its result, through SiLU, is multiplied with.
        gate: MatMul,
        /// Back to the trunk.
        down: MatMul,
    },
}

/// The last norm of the trunk.
#[derive(Clone, Debug)]
pub enum Tip {
    /// As everywhere else.
    Norm(Norm),
    /// Of transformers.
    Rms(RmsNorm),
}

/// Head that says where to play.
#[derive(Clone, Debug)]
pub struct PolicyHead {
    /// To the channels of the head.
    pub conv1: Conv,
    /// What is pooled.
    pub pool_conv: Conv,
    /// Before pooling.
    pub pool_norm: Norm,
    /// From the pooled numbers to biases.
    pub pool_bias: MatMul,
    /// Before the last convolution.
    pub norm: Norm,
    /// To logits.
    pub conv2: Conv,
    /// From the pooled numbers to those of a pass, in one step or two.
    pub pass: MatMul,
    /// The bias and activation after the first, and the second step.
    pub pass2: Option<(Vec<f32>, Activation, MatMul)>,
}

/// Head that says how the game will end.
#[derive(Clone, Debug)]
pub struct ValueHead {
    /// To the channels of the head.
    pub conv: Conv,
    /// After it.
    pub norm: Norm,
    /// From the pooled numbers.
    pub hidden: Dense,
    /// Logits of win, loss and no result.
    pub result: Dense,
    /// Score mean and deviation, lead, time left; errors from version 9 on.
    pub score: Dense,
    /// To ownership.
    pub ownership: Conv,
}

/// Factors of the value head's outputs.
#[derive(Clone, Copy, Debug)]
pub struct Multipliers {
    /// Of the score's mean.
    pub mean: f32,
    /// Of its deviation.
    pub deviation: f32,
    /// Of the lead.
    pub lead: f32,
    /// Of the variance of the time left.
    pub time: f32,
    /// Of the short-term error of the value.
    pub value_error: f32,
    /// Of that of the score.
    pub score_error: f32,
}

/// All of a file.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name.
    pub name: String,
    /// Version of the format.
    pub version: usize,
    /// Factors of outputs.
    pub multipliers: Multipliers,
    /// Are unconditionally alive chains determined as if suicide were legal,
    /// whatever the rules?
    pub area_with_suicide: bool,
    /// Channels of the trunk.
    pub channels: usize,
    /// From the planes to the trunk.
    pub planes: Conv,
    /// From the numbers to the trunk.
    pub globals: MatMul,
    /// The trunk.
    pub blocks: Vec<Block>,
    /// Its end.
    pub tip: Tip,
    /// Where to play.
    pub policy: PolicyHead,
    /// How it ends.
    pub value: ValueHead,
}

impl Model {
    /// Read a file.
    ///
    /// # Errors
    /// If it is no network file, or one that cannot be used: which layer, and why.
    pub fn open(path: &Path) -> Result<Model, NetError> {
        Reader::new(Tokens::open(path)?).model()
    }

    /// Read the first lines of a file only.
    pub(super) fn check(path: &Path) -> Result<(), NetError> {
        Reader::new(Tokens::open(path)?).header().map(drop)
    }

    /// Read from any source.
    ///
    /// # Errors
    /// Those of [`Model::open`].
    pub fn read(input: impl BufRead + 'static) -> Result<Model, NetError> {
        Reader::new(Tokens::new(input)?).model()
    }
}
