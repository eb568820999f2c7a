//! The forward pass: from features to raw outputs.
//!
//! Activations are stored as `[point][channel]`, channels padded to whole vectors.
//! The trunk's rows are contiguous; the input of a 3x3 convolution has a border of
//! zeros. Every layer ends with an [`Epilogue`](super::kernels::Epilogue): it adds to the
//! trunk and writes the input of the next layer while the numbers are in registers.

use super::blocks::{Block, GlobalPool};
use super::kernels::simd::with_token;
use super::kernels::{self, Simd, Write};
use super::layers::{First, Next};
use super::packed::{Layers, Tip};
use super::planes::Features;
use super::workspace::Workspace;

impl Layers {
    /// Evaluate a batch of positions on boards of one size; writes the outputs to `ws.raw`.
    /// The outputs equal those of separate evaluations. A batch reads the weights only once, which
    /// takes most of the time with large networks.
    ///
    /// # Panics
    /// If the batch is empty, or the workspace is for another size.
    pub fn forward(&self, positions: &[&Features], ws: &mut Workspace) {
        assert!(!positions.is_empty(), "no position");
        assert!(positions.iter().all(|p| p.size == ws.size()));
        ws.make_room(positions.len());
        with_token!(self.set, s => {
            self.begin(s, positions, ws);
            self.run(s, &self.blocks, 0, ws, self.tip_next());
            if let Tip::Rms(norm) = &self.tip {
                ws.tensors.normalize(s, norm, 0);
            }
            ws.tensors.multiply(s, &self.heads);
            self.policy_head(s, ws);
            self.value_head(s, ws);
        });
    }

    /// Return the input of the heads, if the last block can write it.
    fn tip_next(&self) -> Option<Next<'_>> {
        match &self.tip {
            Tip::Batch(norm) => Some(Next::new(norm, &self.heads)),
            Tip::Rms(_) => None,
        }
    }

    /// Run the first convolution and add the global features.
    fn begin<S: Simd>(&self, s: S, positions: &[&Features], ws: &mut Workspace) {
        let next = self.blocks.first().map_or(self.tip_next(), Block::first);
        if let First::Amx(layer) = &self.first {
            for (board, features) in positions.iter().enumerate() {
                ws.tensors.read_planes(board, &features.planes, layer);
            }
            ws.tensors.multiply(s, layer);
        }
        for (board, features) in positions.iter().enumerate() {
            let globals = &mut ws.vectors[board].extra;
            self.globals.apply(&features.globals, globals);
            globals.resize(self.channels, 0.0);
            match &self.first {
                First::Amx(layer) => {
                    let tensors = &mut ws.tensors;
                    tensors.activations.fill_trunk(board, globals);
                    let (all, trunk) = (0..layer.outputs, Some((0, Write::Add)));
                    tensors.finish_board(s, layer, board, all, trunk, next);
                }
                First::Gathered(planes) => {
                    ws.lists.fill(planes, features);
                    let globals = &ws.vectors[board].extra;
                    let to = &mut ws.tensors.activations;
                    let trunk = Some((0, Write::Set));
                    let epilogue = &mut to.epilogue(board, self.channels, trunk, next);
                    let (weights, lists) = (&planes.weights, &ws.lists);
                    kernels::gather(s, globals, weights, &lists.rows, &lists.ends, epilogue);
                }
            }
        }
    }

    /// Run consecutive blocks on the trunk at a nesting depth. Expects the input of the first
    /// block, and writes that of `last`, the layer after them.
    fn run<S: Simd>(
        &self,
        s: S,
        blocks: &[Block],
        depth: usize,
        ws: &mut Workspace,
        last: Option<Next<'_>>,
    ) {
        for (i, block) in blocks.iter().enumerate() {
            let tensors = &mut ws.tensors;
            let out = match block {
                Block::Ordinary {
                    conv1,
                    norm2,
                    conv2,
                    ..
                } => {
                    tensors.multiply(s, conv1);
                    let middle = Some(Next::new(norm2, conv2));
                    tensors.finish(s, conv1, 0..conv1.outputs, None, middle);
                    conv2
                }
                Block::GlobalPool(block) => {
                    self.global_pool(s, block, ws);
                    &block.conv2
                }
                Block::Bottleneck {
                    conv1,
                    blocks,
                    norm2,
                    conv2,
                    ..
                } => {
                    tensors.multiply(s, conv1);
                    let after = Some(Next::new(norm2, conv2));
                    let first = blocks.first().map_or(after, Block::first);
                    let inner = Some((depth + 1, Write::Set));
                    tensors.finish(s, conv1, 0..conv1.outputs, inner, first);
                    self.run(s, blocks, depth + 1, ws, after);
                    conv2
                }
                Block::Attention(block) => {
                    tensors.attend(s, block, depth);
                    &block.out
                }
                Block::FeedForward(block) => {
                    tensors.feed_forward(s, block, depth);
                    &block.down
                }
            };
            let next = blocks.get(i + 1).map_or(last, Block::first);
            let trunk = Some((depth, Write::Add));
            ws.tensors.multiply(s, out);
            ws.tensors.finish(s, out, 0..out.outputs, trunk, next);
        }
    }

    /// Run the first convolution of a global pooling block and add the pooled bias.
    fn global_pool<S: Simd>(&self, s: S, block: &GlobalPool, ws: &mut Workspace) {
        let tensors = &mut ws.tensors;
        let boards = 0..tensors.activations.boards();
        let wide = block.pool_norm.channels();
        tensors.multiply(s, &block.conv1);
        let to_pool = Some(Next::dense(block.pool_norm.scale_bias()));
        tensors.finish(s, &block.conv1, 0..wide, None, to_pool);
        let channels = [block.pool_bias.inputs / 3, wide];
        // Pool all boards first: the next input may overwrite the pooled one.
        for board in boards.clone() {
            let pooled = &mut ws.vectors[board].pooled;
            tensors.pool(s, board, channels, false, pooled);
        }
        let rest = wide..block.conv1.outputs;
        for board in boards {
            let vectors = &mut ws.vectors[board];
            block.pool_bias.apply(&vectors.pooled, &mut vectors.extra);
            vectors.extra.resize(block.norm2.channels(), 0.0);
            let middle = Some(Next {
                norm: block.norm2.shifted(&vectors.extra, &mut vectors.bias),
                form: block.conv2.form(),
            });
            tensors.finish_board(s, &block.conv1, board, rest.clone(), None, middle);
        }
    }

    /// Compute the policy from the products of the heads' first convolutions.
    fn policy_head<S: Simd>(&self, s: S, ws: &mut Workspace) {
        let tensors = &mut ws.tensors;
        let boards = 0..tensors.activations.boards();
        let (head, [policy, wide, _]) = (&self.policy, self.head_channels);
        let to_pool = Some(Next::dense(head.pool_norm.scale_bias()));
        tensors.finish(s, &self.heads, policy..policy + wide, None, to_pool);
        let channels = [head.pool_bias.inputs / 3, wide];
        for board in boards.clone() {
            let pooled = &mut ws.vectors[board].pooled;
            tensors.pool(s, board, channels, false, pooled);
        }
        for board in boards.clone() {
            let vectors = &mut ws.vectors[board];
            match &head.pass_hidden {
                Some(hidden) => {
                    hidden.apply(&vectors.pooled, &mut vectors.hidden);
                    head.pass.apply(&vectors.hidden, &mut vectors.last);
                }
                None => head.pass.apply(&vectors.pooled, &mut vectors.last),
            }
            head.pool_bias.apply(&vectors.pooled, &mut vectors.extra);
            vectors.extra.resize(policy, 0.0);
            let shifted = head.norm.shifted(&vectors.extra, &mut vectors.bias);
            let next = Some(Next::dense(shifted));
            tensors.finish_board(s, &self.heads, board, 0..policy, None, next);
        }
        let points = tensors.activations.points() * head.conv2.outputs();
        let out = tensors.head(s, &head.conv2);
        for (board, out) in boards.zip(out.chunks_exact(points)) {
            let raw = &mut ws.raw[board];
            raw.policy.resize(head.outputs, Vec::new());
            for (channel, logits) in raw.policy.iter_mut().enumerate() {
                logits.clear();
                let points = out.chunks_exact(head.conv2.outputs());
                logits.extend(points.map(|p| p[channel]));
                logits.push(ws.vectors[board].last[channel]);
            }
        }
    }

    /// Compute value, score and ownership from the products of the heads' first
    /// convolutions.
    fn value_head<S: Simd>(&self, s: S, ws: &mut Workspace) {
        let tensors = &mut ws.tensors;
        let boards = 0..tensors.activations.boards();
        let (head, [policy, pooled, value]) = (&self.value, self.head_channels);
        let first = policy + pooled;
        let next = Some(Next::dense(head.norm.scale_bias()));
        tensors.finish(s, &self.heads, first..first + value, None, next);
        let channels = [head.hidden.linear.inputs / 3, value];
        for board in boards.clone() {
            let (vectors, raw) = (&mut ws.vectors[board], &mut ws.raw[board]);
            tensors.pool(s, board, channels, true, &mut vectors.pooled);
            head.hidden.apply(&vectors.pooled, &mut vectors.hidden);
            head.result.apply(&vectors.hidden, &mut vectors.last);
            raw.result.copy_from_slice(&vectors.last[..3]);
            head.score.apply(&vectors.hidden, &mut vectors.last);
            raw.score = [0.0; 6];
            raw.score[..vectors.last.len()].copy_from_slice(&vectors.last);
        }
        let points = tensors.activations.points() * head.ownership.outputs();
        let out = tensors.head(s, &head.ownership);
        for (board, out) in boards.zip(out.chunks_exact(points)) {
            let ownership = &mut ws.raw[board].ownership;
            ownership.clear();
            let points = out.chunks_exact(head.ownership.outputs());
            ownership.extend(points.map(|p| p[0]));
        }
    }
}
