//! A whole network, laid out for an instruction set.

use super::blocks::{Block, reach, weights, width};
use super::kernels::{AmxLayout, Grid, InstructionSet, Packed, WIDE, padded};
use super::layers::{BatchNorm, Dense, First, Layer, Linear, RmsNorm};
use super::model::{self, Conv, Model};

/// The norm at the end of the trunk.
pub(super) enum Tip {
    Batch(BatchNorm),
    Rms(RmsNorm),
}

/// The policy head without its first convolutions.
pub(super) struct PolicyHead {
    pub(super) pool_norm: BatchNorm,
    pub(super) pool_bias: Linear,
    pub(super) norm: BatchNorm,
    pub(super) conv2: Packed,
    /// Number of policies: outputs of `conv2` and `pass`.
    pub(super) outputs: usize,
    /// Hidden layer before `pass`, in newer networks.
    pub(super) pass_hidden: Option<Dense>,
    pub(super) pass: Linear,
}

/// The value head without its first convolution.
pub(super) struct ValueHead {
    pub(super) norm: BatchNorm,
    pub(super) hidden: Dense,
    pub(super) result: Dense,
    pub(super) score: Dense,
    pub(super) ownership: Packed,
}

/// A network laid out for an instruction set.
pub struct Layers {
    pub(super) set: InstructionSet,
    /// The widest border that a convolution reads, at least 1.
    pub(super) border: usize,
    /// Largest number of input channels of the 3x3 convolutions; if there are none, the trunk's.
    width: usize,
    /// Number of weights in the convolutions of blocks.
    weights: usize,
    pub(super) first: First,
    pub(super) globals: Linear,
    /// Channels of the trunk, padded.
    pub(super) channels: usize,
    pub(super) blocks: Vec<Block>,
    pub(super) tip: Tip,
    /// Number of attention blocks, at any depth.
    pub(super) attentions: usize,
    /// First convolutions of the heads: from the trunk to the channels of the policy head, to
    /// those it pools, and to those of the value head.
    pub(super) heads: Layer,
    /// Channels of these three, padded.
    pub(super) head_channels: [usize; 3],
    pub(super) policy: PolicyHead,
    pub(super) value: ValueHead,
}

/// Maximum number of leaves of a search that a thread evaluates at once.
pub const MOST_LEAVES: usize = 4;

/// Number of weights above which reading them takes longer than the tile products. With fewer,
/// waiting for a batch costs more than the batch saves (measured on two threads with
/// batches of 16: with 10 million weights 0.97 times the evaluations on 9x9 and 0.87 on 13x13;
/// with 27 million 1.06 and 1.20 times).
const MANY_WEIGHTS: usize = 16_000_000;

impl Layers {
    /// Lay out a model for an instruction set.
    pub fn new(model: &Model, set: InstructionSet) -> Layers {
        let lanes = set.lanes();
        let mut attentions = 0;
        let blocks = Block::all(&model.blocks, set, &mut attentions);
        let (policy, value) = (&model.policy, &model.value);
        let heads = [&policy.conv1, &policy.pool_conv, &value.conv];
        // An RMS norm writes single precision.
        let heads_set = match model.tip {
            model::Tip::Norm(_) => set,
            model::Tip::Rms(_) => set.single(),
        };
        let pointwise = |conv: &Conv| {
            let at = |i, o| conv.weight(0, 0, i, o);
            Packed::new(lanes, conv.inputs, conv.outputs, at)
        };
        let dense = |d: &model::Dense| Dense::new(&d.product, &d.bias, d.activation);
        let (pass_hidden, pass) = match &policy.pass2 {
            Some((bias, activation, second)) => {
                (Some(Dense::new(&policy.pass, bias, *activation)), second)
            }
            None => (None, &policy.pass),
        };
        Layers {
            set,
            border: reach(&model.blocks).max(1),
            width: match width(&model.blocks) {
                0 => model.channels,
                n => n,
            },
            weights: weights(&model.blocks),
            first: First::new(&model.planes, set),
            globals: Linear::new(&model.globals),
            channels: padded(model.channels),
            blocks,
            tip: match &model.tip {
                model::Tip::Norm(norm) => Tip::Batch(BatchNorm::new(norm)),
                model::Tip::Rms(norm) => Tip::Rms(RmsNorm::new(norm)),
            },
            attentions,
            heads: Layer::new(&heads.map(Clone::clone), heads_set),
            head_channels: heads.map(|c| padded(c.outputs)),
            policy: PolicyHead {
                pool_norm: BatchNorm::new(&policy.pool_norm),
                pool_bias: Linear::new(&policy.pool_bias),
                norm: BatchNorm::new(&policy.norm),
                conv2: pointwise(&policy.conv2),
                outputs: policy.conv2.outputs,
                pass_hidden,
                pass: Linear::new(pass),
            },
            value: ValueHead {
                norm: BatchNorm::new(&value.norm),
                hidden: dense(&value.hidden),
                result: dense(&value.result),
                score: dense(&value.score),
                ownership: pointwise(&value.ownership),
            },
        }
    }

    /// Return the largest batch worth evaluating at once, for boards of `size` (columns, rows).
    pub fn most_at_once(&self, size: (usize, usize)) -> usize {
        match self.set {
            InstructionSet::Amx(_) if self.weights < MANY_WEIGHTS => 1,
            _ => Grid::new(size, self.border, self.set).most_at_once(self.width),
        }
    }

    /// Return the number of leaves that a thread should evaluate at once on boards of `size`
    /// (columns, rows), from 1 to [`MOST_LEAVES`]: enough boards to use each weight often, but
    /// no more, since leaves that are chosen together are chosen less well. Measured on one
    /// thread with two, three, four, six and eight boards and 64 to 384 channels.
    pub fn leaves_at_once(&self, size: (usize, usize)) -> usize {
        let grid = Grid::new(size, 1, self.set);
        // Few weights stay in nearer caches.
        let (rows, for_wide, for_narrow) = match self.set {
            InstructionSet::Amx(_) => (AmxLayout::new(&grid, 1).sums(), 384, 0),
            _ => (grid.all_tiles(), 36, 18),
        };
        let enough = match self.width {
            WIDE.. => for_wide,
            _ => for_narrow,
        };
        (enough / rows).clamp(1, MOST_LEAVES)
    }

    /// The instruction set of the layout.
    pub fn instruction_set(&self) -> InstructionSet {
        self.set
    }
}
