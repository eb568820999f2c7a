//! Reader for the layers of a network file, in file order, with consistency checks.

use super::*;
use crate::net::file::{NetError, Tokens};

mod transformer;

/// Supported versions of the format.
const VERSIONS: std::ops::RangeInclusive<usize> = 8..=17;

/// Maximum number of channels of a layer.
const CHANNELS: usize = 8192;
/// Maximum number of blocks in a sequence.
const BLOCKS: usize = 1024;
/// Maximum nesting of blocks; networks in use have 2.
const DEEPEST: usize = 8;
/// Largest side of a filter, and largest dilation.
const FILTER: usize = 25;

pub(super) struct Reader {
    tokens: Tokens,
    version: usize,
    /// Number of sequences of blocks that are being read.
    depth: usize,
}

type Read<T> = Result<T, NetError>;

impl Reader {
    pub(super) fn new(tokens: Tokens) -> Reader {
        Reader {
            tokens,
            version: 0,
            depth: 0,
        }
    }

    /// Read the name and the version, which must be supported.
    pub(super) fn header(&mut self) -> Read<String> {
        let name = self.tokens.name("the network")?;
        let printable = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.';
        if name.len() > 100 || !name.chars().all(printable) {
            return Err(NetError::new("", "not a KataGo network file"));
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

    pub(super) fn model(&mut self) -> Read<Model> {
        let name = self.header()?;
        let planes: usize = self.tokens.number("the number of planes")?;
        let globals: usize = self.tokens.number("the number of global features")?;
        if (planes, globals) != (PLANES, GLOBALS) {
            return Err(self.tokens.error(format!(
                "expected {PLANES} planes and {GLOBALS} globals, found {planes} and {globals}"
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
                return Err(self
                    .tokens
                    .error("networks with a metadata encoder (human style) are not supported"));
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

    /// Check that `found` equals `wanted`.
    fn same(&self, what: &str, found: usize, wanted: usize) -> Read<()> {
        if found == wanted {
            Ok(())
        } else {
            Err(self
                .tokens
                .error(format!("{what} should be {wanted}, not {found}")))
        }
    }

    /// Read a size that must equal `wanted`.
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
                .error(format!("even filter size {columns}x{rows}")));
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

    /// Read a 1x1 convolution.
    fn pointwise(&mut self, inputs: usize, outputs: Option<usize>) -> Read<Conv> {
        let conv = self.conv(inputs, outputs)?;
        if conv.filter == (1, 1) {
            return Ok(conv);
        }
        let (x, y) = conv.filter;
        Err(self
            .tokens
            .error(format!("expected a 1x1 filter, found {x}x{y}")))
    }

    /// Read a batch norm and the activation after it.
    fn norm(&mut self, channels: usize) -> Read<Norm> {
        self.tokens.name("a norm")?;
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
            return Err(self.tokens.error(format!("invalid variance {v}")));
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
        if self.depth > DEEPEST {
            return Err(NetError::new(
                of,
                format!("blocks are nested more than {DEEPEST} deep"),
            ));
        }
        self.depth += 1;
        let blocks = self.blocks_of(of, n, channels);
        self.depth -= 1;
        blocks
    }

    fn blocks_of(&mut self, of: &str, n: usize, channels: usize) -> Read<Vec<Block>> {
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
                        format!("block {} of {n} has an unsupported kind: {other}", i + 1),
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
                .error("the pooled and the regular filter differ in shape"));
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

    /// Read an output product, without activation.
    fn last(&mut self, inputs: usize, outputs: usize) -> Read<Dense> {
        Ok(Dense {
            product: self.product(inputs, Some(outputs))?,
            bias: self.bias(outputs)?,
            activation: Activation::Identity,
        })
    }
}
