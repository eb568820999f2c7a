//! What a network file says: its layers and their weights.
//!
//! The format is KataGo's; the field `version` numbers its revisions.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use super::file::{NetError, Tokens};
use std::io::BufRead;
use std::path::Path;

/// Versions that can be read.
const VERSIONS: std::ops::RangeInclusive<usize> = 8..=17;

/// Planes and numbers of the input (version 7 of the features).
pub const PLANES: usize = 22;
/// See [`PLANES`].
pub const GLOBALS: usize = 19;

/// Most channels of a layer.
const CHANNELS: usize = 8192;
/// Most blocks in a row.
const BLOCKS: usize = 1024;
/// Largest side of a filter, and largest step between its places.
const FILTER: usize = 25;

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

/// A normalisation, merged to a scale and a bias by channel, and an activation.
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
    /// The same with a bias on the middle that depends on the whole board.
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

/// The last normalisation of the trunk.
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
    /// As [`Model::open`].
    pub fn read(input: impl BufRead + 'static) -> Result<Model, NetError> {
        Reader::new(Tokens::new(input)?).model()
    }
}

struct Reader {
    tokens: Tokens,
    version: usize,
}

type Read<T> = Result<T, NetError>;

impl Reader {
    fn new(tokens: Tokens) -> Reader {
        Reader { tokens, version: 0 }
    }

    /// The name and the version, which is one that can be read.
    fn header(&mut self) -> Read<String> {
        let name = self.tokens.name("the network")?;
        let printable = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.';
        if name.len() > 100 || !name.chars().all(printable) {
            return Err(NetError::new("", "this is no KataGo network file"));
        }
        self.version = self.tokens.whole("the version of the file", 0, 1000)?;
        if !VERSIONS.contains(&self.version) {
            return Err(self.tokens.error(format!(
                "networks of version {} are not supported, only {} to {}",
                self.version,
                VERSIONS.start(),
                VERSIONS.end()
            )));
        }
        Ok(name)
    }

    fn model(&mut self) -> Read<Model> {
        let name = self.header()?;
        let planes: usize = self.tokens.number("the number of planes")?;
        let globals: usize = self.tokens.number("the number of global features")?;
        if (planes, globals) != (PLANES, GLOBALS) {
            return Err(self.tokens.error(format!(
                "a network for {planes} planes and {globals} numbers, not {PLANES} and {GLOBALS}"
            )));
        }
        let mut multipliers = Multipliers {
            mean: 20.0,
            deviation: 20.0,
            lead: 20.0,
            time: 40.0,
            value_error: 0.25,
            score_error: 30.0,
        };
        if self.version >= 13 {
            let _ = self.tokens.positive("a multiplier")?;
            for place in [
                &mut multipliers.mean,
                &mut multipliers.deviation,
                &mut multipliers.lead,
                &mut multipliers.time,
                &mut multipliers.value_error,
                &mut multipliers.score_error,
            ] {
                *place = self.tokens.positive("a multiplier")?;
            }
        }
        let mut area_with_suicide = false;
        if self.version >= 15 {
            let metadata = self.tokens.whole("the metadata encoder", 0, 100)?;
            if metadata != 0 {
                return Err(self.tokens.error(
                    "a network that wants to know who plays (human style) is not supported",
                ));
            }
            let suicide = self.tokens.whole("the option of pass-alive areas", 0, 1)?;
            area_with_suicide = suicide == 1;
            self.tokens.zeros(6, "the network")?;
        }
        let trunk = self.tokens.name("the trunk")?;
        let n = self.tokens.whole("the number of blocks", 1, BLOCKS)?;
        let channels = self.tokens.whole("the trunk's channels", 1, CHANNELS)?;
        for what in ["middle", "regular", "dilated", "pooled"] {
            self.tokens
                .whole(&format!("the number of {what} channels"), 0, CHANNELS)?;
        }
        let mut rms_tip = false;
        if self.version >= 15 {
            rms_tip = self.tokens.whole("the kind of norm", 0, 1)? == 1;
            self.tokens.zeros(5, "the trunk")?;
        }
        let planes = self.conv(PLANES, Some(channels))?;
        let globals = self.product(GLOBALS, Some(channels))?;
        let blocks = self.blocks(&trunk, n, channels)?;
        let tip = if rms_tip {
            Tip::Rms(self.tip_rms_norm(channels)?)
        } else {
            Tip::Norm(self.norm(channels)?)
        };
        let policy = self.policy(channels)?;
        let value = self.value(channels)?;
        self.tokens.end()?;
        Ok(Model {
            name,
            version: self.version,
            multipliers,
            area_with_suicide,
            channels,
            planes,
            globals,
            blocks,
            tip,
            policy,
            value,
        })
    }

    /// Complain unless two numbers are the same.
    fn same(&self, what: &str, found: usize, wanted: usize) -> Read<()> {
        if found == wanted {
            Ok(())
        } else {
            Err(self
                .tokens
                .error(format!("{what} should be {wanted}, not {found}")))
        }
    }

    /// A size that is known already.
    fn exactly(&mut self, what: &str, wanted: usize) -> Read<()> {
        let found = self.tokens.whole(what, 1, CHANNELS)?;
        self.same(what, found, wanted)
    }

    fn conv(&mut self, inputs: usize, outputs: Option<usize>) -> Read<Conv> {
        let name = self.tokens.name("a convolution")?;
        let rows = self.tokens.whole("the filter's rows", 1, FILTER)?;
        let columns = self.tokens.whole("the filter's columns", 1, FILTER)?;
        let ic = self.tokens.whole("the input channels", 1, CHANNELS)?;
        let oc = self.tokens.whole("the output channels", 1, CHANNELS)?;
        let dy = self.tokens.whole("the dilation by rows", 1, FILTER)?;
        let dx = self.tokens.whole("the dilation by columns", 1, FILTER)?;
        if rows % 2 == 0 || columns % 2 == 0 {
            return Err(self
                .tokens
                .error(format!("a filter of even size, {columns}x{rows}")));
        }
        self.same("the input channels", ic, inputs)?;
        self.same("the output channels", oc, outputs.unwrap_or(oc))?;
        let weights = self
            .tokens
            .floats(rows * columns * ic * oc, "the weights")?;
        Ok(Conv {
            name,
            filter: (columns, rows),
            dilation: (dx, dy),
            inputs,
            outputs: oc,
            weights,
        })
    }

    /// A 1x1 convolution.
    fn pointwise(&mut self, inputs: usize, outputs: Option<usize>) -> Read<Conv> {
        let conv = self.conv(inputs, outputs)?;
        if conv.filter == (1, 1) {
            return Ok(conv);
        }
        let (x, y) = conv.filter;
        Err(self
            .tokens
            .error(format!("a filter of 1x1 is expected here, not {x}x{y}")))
    }

    /// A batch normalisation and the activation after it.
    fn norm(&mut self, channels: usize) -> Read<Norm> {
        self.tokens.name("a normalisation")?;
        self.exactly("its channels", channels)?;
        let epsilon = self.tokens.positive("its epsilon")?;
        let has_scale = self.tokens.whole("whether it has a scale", 0, 1)? == 1;
        let has_bias = self.tokens.whole("whether it has a bias", 0, 1)? == 1;
        let mean = self.tokens.floats(channels, "the means")?;
        let variance = self.tokens.floats(channels, "the variances")?;
        let scale = match has_scale {
            true => self.tokens.floats(channels, "the scales")?,
            false => vec![1.0; channels],
        };
        let bias = match has_bias {
            true => self.tokens.floats(channels, "the biases")?,
            false => vec![0.0; channels],
        };
        if let Some(v) = variance.iter().find(|&&v| v + epsilon <= 0.0) {
            return Err(self.tokens.error(format!("a variance of {v}")));
        }
        let both = scale.iter().zip(&variance);
        let scale: Vec<f32> = both.map(|(s, v)| s / (v + epsilon).sqrt()).collect();
        let merged = bias.iter().zip(&scale).zip(&mean);
        let bias = merged.map(|((b, s), m)| b - s * m).collect();
        Ok(Norm {
            scale,
            bias,
            activation: self.activation()?,
        })
    }

    fn activation(&mut self) -> Read<Activation> {
        self.tokens.name("an activation")?;
        if self.version < 11 {
            return Ok(Activation::Relu);
        }
        match self.tokens.word("the kind of activation")?.as_str() {
            "ACTIVATION_IDENTITY" => Ok(Activation::Identity),
            "ACTIVATION_RELU" => Ok(Activation::Relu),
            "ACTIVATION_MISH" => Ok(Activation::Mish),
            "ACTIVATION_SILU" => Ok(Activation::Silu),
            other => Err(self
                .tokens
                .error(format!("the activation {other} is not supported"))),
        }
    }

    fn product(&mut self, inputs: usize, outputs: Option<usize>) -> Read<MatMul> {
        self.tokens.name("a matrix")?;
        let i = self.tokens.whole("its inputs", 1, CHANNELS)?;
        let o = self.tokens.whole("its outputs", 1, CHANNELS)?;
        self.same("its inputs", i, inputs)?;
        self.same("its outputs", o, outputs.unwrap_or(o))?;
        Ok(MatMul {
            inputs,
            outputs: o,
            weights: self.tokens.floats(i * o, "the weights")?,
        })
    }

    fn bias(&mut self, channels: usize) -> Read<Vec<f32>> {
        self.tokens.name("a bias")?;
        self.exactly("its channels", channels)?;
        self.tokens.floats(channels, "the biases")
    }

    fn blocks(&mut self, of: &str, n: usize, channels: usize) -> Read<Vec<Block>> {
        let mut blocks = Vec::new();
        for i in 0..n {
            let kind = self.tokens.word("the kind of a block")?;
            let name = self.tokens.name("a block")?;
            blocks.push(match kind.as_str() {
                "ordinary_block" => self.ordinary(channels)?,
                "gpool_block" => self.global_pool(channels)?,
                "nested_bottleneck_block" => self.bottleneck(&name, channels)?,
                "transformer_attention_block" => self.attention(channels)?,
                "transformer_ffn_block" => self.feed_forward(channels)?,
                other => {
                    return Err(NetError::new(
                        of,
                        format!(
                            "block {} of {n} is of a kind that is not supported: {other}",
                            i + 1
                        ),
                    ));
                }
            });
        }
        Ok(blocks)
    }

    fn ordinary(&mut self, channels: usize) -> Read<Block> {
        let norm1 = self.norm(channels)?;
        let conv1 = self.conv(channels, None)?;
        let norm2 = self.norm(conv1.outputs)?;
        let conv2 = self.conv(conv1.outputs, Some(channels))?;
        Ok(Block::Ordinary {
            norm1,
            conv1,
            norm2,
            conv2,
        })
    }

    fn global_pool(&mut self, channels: usize) -> Read<Block> {
        let norm1 = self.norm(channels)?;
        let conv1 = self.conv(channels, None)?;
        let pool_conv = self.conv(channels, None)?;
        if (pool_conv.filter, pool_conv.dilation) != (conv1.filter, conv1.dilation) {
            return Err(self
                .tokens
                .error("its filter should have the shape of the regular one's"));
        }
        let pool_norm = self.norm(pool_conv.outputs)?;
        let pool_bias = self.product(3 * pool_conv.outputs, Some(conv1.outputs))?;
        let norm2 = self.norm(conv1.outputs)?;
        let conv2 = self.conv(conv1.outputs, Some(channels))?;
        Ok(Block::GlobalPool {
            norm1,
            conv1,
            pool_conv,
            pool_norm,
            pool_bias,
            norm2,
            conv2,
        })
    }

    fn bottleneck(&mut self, name: &str, channels: usize) -> Read<Block> {
        let n = self.tokens.whole("the number of inner blocks", 1, BLOCKS)?;
        let norm1 = self.norm(channels)?;
        let conv1 = self.pointwise(channels, None)?;
        let blocks = self.blocks(name, n, conv1.outputs)?;
        let norm2 = self.norm(conv1.outputs)?;
        let conv2 = self.pointwise(conv1.outputs, Some(channels))?;
        Ok(Block::Bottleneck {
            norm1,
            conv1,
            blocks,
            norm2,
            conv2,
        })
    }

    /// The normalisation before a transformer's layers.
    fn rms_norm(&mut self, channels: usize) -> Read<RmsNorm> {
        self.tokens.name("a normalisation")?;
        self.exactly("its channels", channels)?;
        let epsilon = self.tokens.positive("its epsilon")?;
        Ok(RmsNorm {
            epsilon,
            scale: self.tokens.floats(channels, "the scales")?,
            bias: Vec::new(),
            spatial: false,
            activation: Activation::Identity,
        })
    }

    /// The normalisation at the end of a transformer's trunk.
    fn tip_rms_norm(&mut self, channels: usize) -> Read<RmsNorm> {
        self.tokens.name("a normalisation")?;
        self.exactly("its channels", channels)?;
        let epsilon = self.tokens.positive("its epsilon")?;
        let spatial = self.tokens.whole("whether it is spatial", 0, 1)? == 1;
        let groups: usize = self.tokens.number("the size of its groups")?;
        if groups != 0 {
            return Err(self.tokens.error("a norm in groups is not supported"));
        }
        Ok(RmsNorm {
            epsilon,
            scale: self.tokens.floats(channels, "the scales")?,
            bias: self.tokens.floats(channels, "the biases")?,
            spatial,
            activation: self.activation()?,
        })
    }

    fn attention(&mut self, channels: usize) -> Read<Block> {
        let heads = self.tokens.whole("the number of heads", 1, CHANNELS)?;
        let key_heads = self.tokens.whole("the number of key heads", 1, heads)?;
        let query_size = self.tokens.whole("the size of queries", 1, CHANNELS)?;
        let value_size = self.tokens.whole("the size of values", 1, CHANNELS)?;
        let rotates = self.tokens.whole("whether it rotates", 0, 1)? == 1;
        let learned = self.tokens.whole("whether rotation is learned", 0, 1)? == 1;
        if heads % key_heads != 0 {
            return Err(self.tokens.error(format!(
                "{heads} heads cannot share {key_heads} key heads evenly"
            )));
        }
        if rotates && query_size % 2 != 0 {
            return Err(self.tokens.error(format!(
                "queries of odd size {query_size} cannot be rotated"
            )));
        }
        let norm = self.rms_norm(channels)?;
        let query = self.product(channels, Some(heads * query_size))?;
        let key = self.product(channels, Some(key_heads * query_size))?;
        let value = self.product(channels, Some(key_heads * value_size))?;
        let out = self.product(heads * value_size, Some(channels))?;
        let rotation = match (rotates, learned) {
            (false, _) => Rotation::None,
            (true, false) => {
                self.tokens.name("the base of the rotation")?;
                Rotation::Base(self.tokens.positive("the base of the rotation")?)
            }
            (true, true) => {
                self.tokens.name("the frequencies of the rotation")?;
                let (h, pairs) = (key_heads, query_size / 2);
                self.exactly("their heads", h)?;
                self.exactly("their pairs", pairs)?;
                self.exactly("their directions", 2)?;
                Rotation::Learned(self.tokens.floats(h * pairs * 2, "the frequencies")?)
            }
        };
        Ok(Block::Attention(Box::new(Attention {
            norm,
            heads,
            key_heads,
            query_size,
            value_size,
            query,
            key,
            value,
            out,
            rotation,
        })))
    }

    fn feed_forward(&mut self, channels: usize) -> Read<Block> {
        self.exactly("its channels", channels)?;
        let inner = self.tokens.whole("its inner channels", 1, CHANNELS)?;
        self.tokens.whole("whether it is gated (SwiGLU)", 1, 1)?;
        let norm = self.rms_norm(channels)?;
        let up = self.product(channels, Some(inner))?;
        let gate = self.product(channels, Some(inner))?;
        let down = self.product(inner, Some(channels))?;
        Ok(Block::FeedForward {
            norm,
            up,
            gate,
            down,
        })
    }

    fn policy(&mut self, channels: usize) -> Read<PolicyHead> {
        self.tokens.name("the policy head")?;
        let outputs = match self.version {
            17.. => {
                let n = self.tokens.whole("the policy's channels", 2, 4)?;
                self.tokens.zeros(3, "the policy head")?;
                n
            }
            16 => 4,
            12..=15 => 2,
            _ => 1,
        };
        let conv1 = self.pointwise(channels, None)?;
        let pool_conv = self.pointwise(channels, None)?;
        let pool_norm = self.norm(pool_conv.outputs)?;
        let pool_bias = self.product(3 * pool_conv.outputs, Some(conv1.outputs))?;
        let norm = self.norm(conv1.outputs)?;
        let conv2 = self.pointwise(conv1.outputs, Some(outputs))?;
        let two_steps = self.version >= 15;
        let pass_outputs = match two_steps {
            true => conv1.outputs,
            false => outputs,
        };
        let pass = self.product(3 * pool_conv.outputs, Some(pass_outputs))?;
        let pass2 = match two_steps {
            true => {
                let bias = self.bias(pass_outputs)?;
                let activation = self.activation()?;
                Some((bias, activation, self.product(pass_outputs, Some(outputs))?))
            }
            false => None,
        };
        Ok(PolicyHead {
            conv1,
            pool_conv,
            pool_norm,
            pool_bias,
            norm,
            conv2,
            pass,
            pass2,
        })
    }

    fn value(&mut self, channels: usize) -> Read<ValueHead> {
        self.tokens.name("the value head")?;
        if self.version >= 17 {
            self.tokens.zeros(3, "the value head")?;
        }
        let conv = self.pointwise(channels, None)?;
        let norm = self.norm(conv.outputs)?;
        let product = self.product(3 * conv.outputs, None)?;
        let hidden = Dense {
            bias: self.bias(product.outputs)?,
            product,
            activation: self.activation()?,
        };
        let inner = hidden.product.outputs;
        let result = self.last(inner, 3)?;
        let score = self.last(inner, if self.version >= 9 { 6 } else { 4 })?;
        let ownership = self.pointwise(conv.outputs, Some(1))?;
        Ok(ValueHead {
            conv,
            norm,
            hidden,
            result,
            score,
            ownership,
        })
    }

    /// A last product, without activation.
    fn last(&mut self, inputs: usize, outputs: usize) -> Read<Dense> {
        Ok(Dense {
            product: self.product(inputs, Some(outputs))?,
            bias: self.bias(outputs)?,
            activation: Activation::Identity,
        })
    }
}
