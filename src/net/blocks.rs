//! The blocks of the trunk, laid out for the kernels.

use super::attention::Attention;
use super::kernels::{InstructionSet, Pointwise, padded};
use super::layers::{BatchNorm, Layer, Linear, Next, RmsNorm};
use super::model::{self, Conv};

/// A block; its result is added to the trunk. A convolutional block starts with a batch
/// norm, which the preceding block applies. The other blocks normalize the trunk
/// themselves.
pub(super) enum Block {
    Ordinary {
        norm1: BatchNorm,
        conv1: Layer,
        norm2: BatchNorm,
        conv2: Layer,
    },
    GlobalPool(Box<GlobalPool>),
    Bottleneck {
        norm1: BatchNorm,
        conv1: Layer,
        blocks: Vec<Block>,
        norm2: BatchNorm,
        conv2: Layer,
    },
    Attention(Box<Attention>),
    FeedForward(FeedForward),
}

/// A block with a bias that depends on the whole board.
pub(super) struct GlobalPool {
    pub(super) norm1: BatchNorm,
    /// The convolution to pool, then the regular one.
    pub(super) conv1: Layer,
    pub(super) pool_norm: BatchNorm,
    pub(super) pool_bias: Linear,
    pub(super) norm2: BatchNorm,
    pub(super) conv2: Layer,
}

/// A gated block of a transformer (SwiGLU, Shazeer 2020).
pub(super) struct FeedForward {
    pub(super) norm: RmsNorm,
    /// Both inputs of the gate, each padded.
    pub(super) up: Pointwise,
    /// Channels of one gate input, padded.
    pub(super) inner: usize,
    pub(super) down: Layer,
}

impl Block {
    /// Lay out consecutive blocks, adding the number of attention blocks to `attentions`.
    pub(super) fn all(
        blocks: &[model::Block],
        set: InstructionSet,
        attentions: &mut usize,
    ) -> Vec<Block> {
        let all = blocks.iter();
        all.map(|b| Block::new(b, set, attentions)).collect()
    }

    fn new(block: &model::Block, set: InstructionSet, attentions: &mut usize) -> Block {
        match block {
            model::Block::Ordinary {
                norm1,
                conv1,
                norm2,
                conv2,
            } => Block::Ordinary {
                norm1: BatchNorm::new(norm1),
                conv1: Layer::single(conv1, set),
                norm2: BatchNorm::new(norm2),
                conv2: Layer::single(conv2, set),
            },
            model::Block::GlobalPool {
                norm1,
                conv1,
                pool_conv,
                pool_norm,
                pool_bias,
                norm2,
                conv2,
            } => Block::GlobalPool(Box::new(GlobalPool {
                norm1: BatchNorm::new(norm1),
                conv1: Layer::new(&[pool_conv.clone(), conv1.clone()], set),
                pool_norm: BatchNorm::new(pool_norm),
                pool_bias: Linear::new(pool_bias),
                norm2: BatchNorm::new(norm2),
                conv2: Layer::single(conv2, set),
            })),
            model::Block::Bottleneck {
                norm1,
                conv1,
                blocks,
                norm2,
                conv2,
            } => Block::Bottleneck {
                norm1: BatchNorm::new(norm1),
                conv1: Layer::single(conv1, set),
                blocks: Block::all(blocks, set, attentions),
                norm2: BatchNorm::new(norm2),
                conv2: Layer::single(conv2, set),
            },
            model::Block::Attention(attention) => {
                let number = *attentions;
                *attentions += 1;
                Block::Attention(Box::new(Attention::new(attention, number, set)))
            }
            model::Block::FeedForward {
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
                Block::FeedForward(FeedForward {
                    norm: RmsNorm::new(norm),
                    up: Pointwise::new(set, up.inputs, 2 * inner, at),
                    inner,
                    down: Layer::product(down, set),
                })
            }
        }
    }

    /// Return the input that the first layer reads; `None` if the block reads the trunk.
    pub(super) fn first(&self) -> Option<Next<'_>> {
        match self {
            Block::Ordinary { norm1, conv1, .. } | Block::Bottleneck { norm1, conv1, .. } => {
                Some(Next::new(norm1, conv1))
            }
            Block::GlobalPool(block) => Some(Next::new(&block.norm1, &block.conv1)),
            Block::Attention(_) | Block::FeedForward(_) => None,
        }
    }
}

/// Return the largest number of input channels of the 3x3 convolutions in the blocks.
pub(super) fn width(blocks: &[model::Block]) -> usize {
    max_over_convs(blocks, &|conv| match conv.filter {
        (3, 3) => conv.inputs,
        _ => 0,
    })
}

/// Return the largest distance in points at which a convolution in the blocks reads.
pub(super) fn reach(blocks: &[model::Block]) -> usize {
    max_over_convs(blocks, &|conv| {
        let (across, down) = conv.reach();
        across.max(down)
    })
}

/// Count the convolution weights of the blocks.
pub(super) fn weights(blocks: &[model::Block]) -> usize {
    let of_block = |block: &model::Block| match block {
        model::Block::Ordinary { conv1, conv2, .. } => conv1.weights.len() + conv2.weights.len(),
        model::Block::GlobalPool {
            conv1,
            pool_conv,
            conv2,
            ..
        } => conv1.weights.len() + pool_conv.weights.len() + conv2.weights.len(),
        model::Block::Bottleneck {
            conv1,
            blocks,
            conv2,
            ..
        } => conv1.weights.len() + weights(blocks) + conv2.weights.len(),
        model::Block::Attention(_) | model::Block::FeedForward { .. } => 0,
    };
    blocks.iter().map(of_block).sum()
}

/// Return the maximum of `of` over the convolutions in the blocks, except the 1x1
/// convolutions around nested blocks; 0 if there is none.
fn max_over_convs(blocks: &[model::Block], of: &impl Fn(&Conv) -> usize) -> usize {
    let of_block = |block: &model::Block| match block {
        model::Block::Ordinary { conv1, conv2, .. }
        | model::Block::GlobalPool { conv1, conv2, .. } => of(conv1).max(of(conv2)),
        model::Block::Bottleneck { blocks, .. } => max_over_convs(blocks, of),
        model::Block::Attention(_) | model::Block::FeedForward { .. } => 0,
    };
    blocks.iter().map(of_block).max().unwrap_or(0)
}
