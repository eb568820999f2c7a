//! A whole network, laid out for an instruction set.

use super::blocks::{Block, reach, weights, width};
use super::kernels::{Grid, InstructionSet, Packed, padded};
use super::layers::{BatchNorm, Dense, First, Layer, Linear, RmsNorm, weight};
use super::model::{self, Conv, Model};

/// The norm at the end of the trunk.
pub(super) enum Tip {
    Batch(BatchNorm),
    Rms(RmsNorm),
}

/// The policy head, but for its first convolutions.
pub(super) struct PolicyHead {
    pub(super) pool_norm: BatchNorm,
    pub(super) pool_bias: Linear,
    pub(super) norm: BatchNorm,
    pub(super) conv2: Packed,
    /// Policies: outputs of `conv2` and of the pass.
    pub(super) outputs: usize,
    /// Before `pass`, in newer networks.
    pub(super) pass_hidden: Option<Dense>,
    pub(super) pass: Linear,
}

/// The value head, but for its first convolution.
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
    /// Channels that 3x3 convolutions read, at most, or those of the trunk.
    width: usize,
    /// Of the convolutions of blocks.
    weights: usize,
    pub(super) first: First,
    pub(super) globals: Linear,
    /// Of the trunk, padded.
    pub(super) channels: usize,
    pub(super) blocks: Vec<Block>,
    pub(super) tip: Tip,
    /// Attention blocks, at any depth.
    pub(super) attentions: usize,
    /// From the trunk to the channels of the policy head, to those that it pools, and
    /// to those of the value head.
    pub(super) heads: Layer,
    /// How many of each there are, padded.
    pub(super) head_channels: [usize; 3],
    pub(super) policy: PolicyHead,
    pub(super) value: ValueHead,
}

/// Weights that take longer to read than tiles take to compute with them. Of fewer,
/// positions that wait for one another cost more than is saved (measured on two threads with
/// 16 positions, 10 million weights: 0.97 times the evaluations on 9x9, 0.87 on 13x13; with
/// 27 million 1.06 and 1.20 times).
const MANY: usize = 16_000_000;

impl Layers {
    /// Lay out a network.
    pub fn new(model: &Model, set: InstructionSet) -> Layers {
        let lanes = set.lanes();
        let mut attentions = 0;
        let blocks = Block::all(&model.blocks, set, &mut attentions);
        let (policy, value) = (&model.policy, &model.value);
        let heads = [&policy.conv1, &policy.pool_conv, &value.conv];
        // A norm by the root mean square writes single precision.
        let heads_set = match model.tip {
            model::Tip::Norm(_) => set,
            model::Tip::Rms(_) => set.single(),
        };
        let pointwise = |conv: &Conv| {
            let at = |i, o| weight(std::slice::from_ref(conv), 0, 0, i, o);
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

    /// The largest batch worth evaluating at once, for boards of `size` columns and rows.
    pub fn most_at_once(&self, size: (usize, usize)) -> usize {
        match self.set {
            InstructionSet::Amx(_) if self.weights < MANY => 1,
            _ => Grid::new(size, self.border, self.set).most_at_once(self.width),
        }
    }

    /// The instruction set that it is laid out for.
    pub fn instruction_set(&self) -> InstructionSet {
        self.set
    }
}
