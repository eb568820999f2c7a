//! Buffers of a forward pass, and the kernels run on them.

use super::attention::{self, Attention};
use super::blocks::FeedForward;
use super::buffer::{aligned, aligned_mut, grown};
use super::kernels::{
    self, AmxLayout, Epilogue, Grid, Input, Line, Matrix, NextInput, Packed, Placement,
};
use super::kernels::{AmxScratch, GemmScratch, Simd, Write, padded};
use super::layers::{Filters, Form, Layer, Next, RmsNorm};
use super::packed::Layers;
use super::planes::Lists;
use std::ops::Range;

/// Buffers of a forward pass on boards of one size. They grow to the largest batch so far.
pub struct Workspace {
    pub(super) tensors: Tensors,
    /// For the first convolution.
    pub(super) lists: Lists,
    /// By board.
    pub(super) vectors: Vec<Vectors>,
    /// Raw outputs of the last evaluation, by board; entries beyond its batch are older.
    pub raw: Vec<Raw>,
}

/// Numbers that belong to a whole board.
#[derive(Default)]
pub(super) struct Vectors {
    /// Pooled channels of a block or head.
    pub(super) pooled: Vec<f32>,
    /// Bias of the channels, from global features or pooled channels.
    pub(super) extra: Vec<f32>,
    /// Bias of the norm that follows, with `extra` folded in.
    pub(super) bias: Vec<f32>,
    /// Hidden layer of a head.
    pub(super) hidden: Vec<f32>,
    /// Outputs of a head's last layer that belong to the whole board.
    pub(super) last: Vec<f32>,
}

/// Inputs and outputs of layers, by point. The boards of a batch are contiguous in every
/// buffer.
pub(super) struct Tensors {
    pub(super) activations: Activations,
    /// Outputs of a layer, before its epilogue.
    products: Vec<f32>,
    scratch: GemmScratch,
    amx_scratch: AmxScratch,
    /// Outputs of a head's last layer, by point.
    head: Vec<f32>,
    /// Sums of the channels being pooled.
    sum: Vec<f32>,
    /// Maxima of the channels being pooled.
    max: Vec<f32>,
    attention: attention::Buffers,
}

/// Buffers that epilogues write: `[board][point][channel]`, channels padded.
pub(super) struct Activations {
    /// The boards of the batch.
    grid: Grid,
    /// Places of a board's points in `plain`.
    dense: Placement,
    /// Places of a board's points in `bordered_inputs`.
    bordered: Placement,
    /// Input of the next layer, if it is [`Form::Bordered`].
    bordered_inputs: BorderedInputs,
    /// Input of the next layer, if it is [`Form::Lines`].
    line_inputs: LineInputs,
    /// Trunks by depth of nesting.
    trunks: Vec<Vec<f32>>,
    /// Input of the next layer, if it is [`Form::Dense`].
    plain: Vec<f32>,
}

/// Bordered inputs, one for each number of channels, so that the borders stay in place.
#[derive(Default)]
struct BorderedInputs(Vec<(usize, Vec<f32>)>);

impl BorderedInputs {
    /// Return the input of all boards of a grid.
    fn of(&mut self, grid: &Grid, channels: usize) -> &mut [f32] {
        let known = self.0.iter().position(|(c, _)| *c == channels);
        let at = known.unwrap_or_else(|| {
            self.0.push((channels, Vec::new()));
            self.0.len() - 1
        });
        // New boards have a border of zeros.
        grown(&mut self.0[at].1, grid.boards * grid.bordered() * channels)
    }
}

/// Inputs of layers with AMX, one for each number of channels and border width.
#[derive(Default)]
struct LineInputs(Vec<LineInput>);

struct LineInput {
    channels: usize,
    /// The places of the boards in `lines`.
    layout: AmxLayout,
    /// Places of the points of the first board.
    places: Placement,
    /// `[place][line]`.
    lines: Vec<Line>,
}

impl LineInputs {
    /// Return the input of all boards of a grid.
    fn of(&mut self, grid: &Grid, channels: usize, border: usize) -> &mut LineInput {
        let of = |i: &LineInput| (i.channels, i.layout.border) == (channels, border);
        let at = self.0.iter().position(of).unwrap_or_else(|| {
            let layout = AmxLayout::new(grid, border);
            self.0.push(LineInput {
                channels,
                layout,
                places: layout.places(),
                lines: Vec::new(),
            });
            self.0.len() - 1
        });
        let input = &mut self.0[at];
        input.layout.boards = grid.boards;
        let len = input.layout.points() * Line::count(channels);
        if input.lines.len() < len {
            input.lines.resize(len, Line::ZERO);
        }
        input
    }
}

impl Workspace {
    /// Create buffers for boards of `size` (columns, rows).
    pub fn new(layers: &Layers, size: (usize, usize)) -> Workspace {
        let grid = Grid::new(size, layers.border, layers.instruction_set());
        Workspace {
            tensors: Tensors {
                activations: Activations {
                    grid,
                    dense: Placement::dense(size.0 * size.1),
                    bordered: Placement::padded(size, grid.pitch, grid.border),
                    bordered_inputs: BorderedInputs::default(),
                    line_inputs: LineInputs::default(),
                    trunks: Vec::new(),
                    plain: Vec::new(),
                },
                products: Vec::new(),
                scratch: GemmScratch::default(),
                amx_scratch: AmxScratch::default(),
                head: Vec::new(),
                sum: Vec::new(),
                max: Vec::new(),
                attention: attention::Buffers::new(layers.attentions),
            },
            lists: Lists::default(),
            vectors: Vec::new(),
            raw: Vec::new(),
        }
    }

    /// Make room for a batch of `boards`.
    pub(super) fn make_room(&mut self, boards: usize) {
        self.tensors.activations.grid.boards = boards;
        let held = boards.max(self.raw.len());
        self.vectors.resize_with(held, Vectors::default);
        self.raw.resize_with(held, Raw::default);
    }

    /// Columns and rows of the boards.
    pub fn size(&self) -> (usize, usize) {
        self.tensors.activations.grid.size
    }
}

impl Activations {
    /// Number of boards in the batch.
    pub(super) fn boards(&self) -> usize {
        self.grid.boards
    }

    /// Points of a board.
    pub(super) fn points(&self) -> usize {
        self.grid.size.0 * self.grid.size.1
    }

    /// Points of all boards.
    fn all_points(&self) -> usize {
        self.boards() * self.points()
    }

    /// Set the trunk of every point of a board to the same channels, padded.
    pub(super) fn fill_trunk(&mut self, board: usize, channels: &[f32]) {
        if self.trunks.is_empty() {
            self.trunks.push(Vec::new());
        }
        let (all, points) = (self.all_points(), self.points());
        let trunk = grown(&mut self.trunks[0], all * channels.len());
        let of_board = &mut trunk[board * points * channels.len()..];
        for point in of_board.chunks_exact_mut(channels.len()).take(points) {
            point.copy_from_slice(channels);
        }
    }

    /// Create an epilogue for a board's outputs. It sets or adds to the trunk at a nesting
    /// depth, and writes the next input.
    pub(super) fn epilogue<'a>(
        &'a mut self,
        board: usize,
        channels: usize,
        trunk: Option<(usize, Write)>,
        next: Option<Next<'a>>,
    ) -> Epilogue<'a> {
        let (all, points, trunks) = (self.all_points(), self.points(), &mut self.trunks);
        let trunk = trunk.map(|(depth, write)| {
            if trunks.len() <= depth {
                trunks.resize(depth + 1, Vec::new());
            }
            let trunk = grown(&mut trunks[depth], all * channels);
            (&mut trunk[board * points * channels..], write)
        });
        let next = next.map(|next| {
            let (out, places) = match next.form {
                Form::Bordered => {
                    let out = self.bordered_inputs.of(&self.grid, channels);
                    let out = &mut out[board * self.grid.bordered() * channels..];
                    (Input::Single(out), &self.bordered)
                }
                Form::Dense => {
                    let out = grown(&mut self.plain, all * channels);
                    let out = &mut out[board * points * channels..];
                    (Input::Single(out), &self.dense)
                }
                Form::Lines { border } => {
                    let to = self.line_inputs.of(&self.grid, channels, border);
                    let from = board * to.layout.step() * Line::count(channels);
                    (Input::Rounded(&mut to.lines[from..]), &to.places)
                }
            };
            NextInput {
                norm: next.norm,
                out,
                places,
            }
        });
        Epilogue {
            channels,
            points,
            trunk,
            next,
        }
    }
}

impl Tensors {
    /// Write bit planes as the input of a layer with AMX: bit i of each point's number is
    /// channel i.
    pub(super) fn read_planes(&mut self, board: usize, planes: &[u32], layer: &Layer) {
        let Form::Lines { border } = layer.form() else {
            return;
        };
        let to = &mut self.activations;
        let input = to.line_inputs.of(&to.grid, layer.inputs, border);
        let first = board * input.layout.step();
        for (point, bits) in planes.iter().enumerate() {
            input.lines[first + input.places.of(point)] = Line::of_bits(*bits);
        }
    }

    /// Compute the outputs of a layer, whose input has been written, before its epilogue.
    pub(super) fn multiply<S: Simd>(&mut self, s: S, layer: &Layer) {
        let from = &mut self.activations;
        let (grid, points) = (&from.grid, from.all_points());
        match &layer.filters {
            Filters::Point(weights) => {
                let out = grown(&mut self.products, points * layer.outputs);
                let a = Matrix::new(&from.plain, points, layer.inputs);
                weights.multiply(s, a, out, &mut self.scratch);
            }
            Filters::Winograd(filters) => {
                let filters = filters.transformed(grid.tiling);
                let products = grown(&mut self.products, grid.transformed(layer.outputs));
                let input = from.bordered_inputs.of(grid, layer.inputs);
                kernels::convolve(s, grid, filters, input, products, &mut self.scratch);
            }
            Filters::Taps(taps) => {
                let out = grown(&mut self.products, points * layer.outputs);
                let input = from.bordered_inputs.of(grid, layer.inputs);
                for (n, (offset, packed)) in taps.iter().enumerate() {
                    let write = if n == 0 { Write::Set } else { Write::Add };
                    let rows = out.chunks_exact_mut(grid.size.0 * layer.outputs);
                    for (y, out) in rows.enumerate() {
                        let (board, y) = (y / grid.size.1, y % grid.size.1);
                        let row = (y + grid.border) as isize + offset.1;
                        let column = grid.border as isize + offset.0;
                        let first =
                            board * grid.bordered() + row as usize * grid.pitch + column as usize;
                        let a =
                            Matrix::new(&input[first * layer.inputs..], grid.size.0, layer.inputs);
                        kernels::multiply(s, a, packed, out, write);
                    }
                }
            }
            Filters::Amx(filters) => {
                let input = from.line_inputs.of(grid, layer.inputs, filters.border());
                let sums = grid.boards * input.layout.sums() * filters.columns();
                let out = aligned_mut(&mut self.products, sums);
                filters.multiply(&input.layout, &input.lines, out, &mut self.amx_scratch);
            }
        }
    }

    /// Run the epilogue of a layer after [`Tensors::multiply`], for a range of its outputs:
    /// set or add to the trunk at a nesting depth, and write the next input.
    pub(super) fn finish<S: Simd>(
        &mut self,
        s: S,
        layer: &Layer,
        outputs: Range<usize>,
        trunk: Option<(usize, Write)>,
        next: Option<Next<'_>>,
    ) {
        for board in 0..self.activations.boards() {
            self.finish_board(s, layer, board, outputs.clone(), trunk, next);
        }
    }

    /// Run [`Tensors::finish`] for one board.
    pub(super) fn finish_board<S: Simd>(
        &mut self,
        s: S,
        layer: &Layer,
        board: usize,
        outputs: Range<usize>,
        trunk: Option<(usize, Write)>,
        next: Option<Next<'_>>,
    ) {
        let grid = self.activations.grid;
        let to = &mut self.activations;
        let epilogue = &mut to.epilogue(board, outputs.len(), trunk, next);
        let (all, first, points) = (layer.outputs, outputs.start, epilogue.points);
        match &layer.filters {
            Filters::Winograd(_) => {
                let products = &self.products;
                kernels::output_transform(s, &grid, board, products, all, first, epilogue);
            }
            Filters::Amx(filters) => {
                let layout = AmxLayout::new(&grid, filters.border());
                let all = filters.columns();
                let products = &aligned(&self.products)[board * layout.sums() * all + first..];
                let sums = Matrix::new(products, layout.sums(), all);
                kernels::apply(s, sums, (grid.size.0, layout.pitch()), epilogue);
            }
            Filters::Point(_) | Filters::Taps(_) => {
                let products = &self.products[board * points * all + first..];
                let products = Matrix::new(products, points, all);
                kernels::apply(s, products, (points, points), epilogue);
            }
        }
    }

    /// Normalize the trunk at a nesting depth into the next input.
    pub(super) fn normalize<S: Simd>(&mut self, s: S, norm: &RmsNorm, depth: usize) {
        let to = &mut self.activations;
        let points = to.points();
        let (board, boards) = (points * norm.channels(), to.boards());
        let out = grown(&mut to.plain, boards * board);
        let trunk = &to.trunks[depth][..boards * board];
        // A spatial norm is over all points of a board.
        for (trunk, out) in trunk.chunks_exact(board).zip(out.chunks_exact_mut(board)) {
            kernels::rms_norm(s, trunk, points, norm.kernel(), out);
        }
    }

    /// Run attention from the trunk at a nesting depth to the next input.
    pub(super) fn attend<S: Simd>(&mut self, s: S, attention: &Attention, depth: usize) {
        self.normalize(s, &attention.norm, depth);
        let Activations { grid, plain, .. } = &mut self.activations;
        let (products, buffers) = (&mut self.products, &mut self.attention);
        attention.forward(s, grid, plain, products, buffers, &mut self.scratch);
    }

    /// Compute the gated products of a feed-forward block, from the trunk at a nesting depth
    /// to the next input.
    pub(super) fn feed_forward<S: Simd>(&mut self, s: S, block: &FeedForward, depth: usize) {
        self.normalize(s, &block.norm, depth);
        let to = &mut self.activations;
        let points = to.all_points();
        let both = grown(&mut self.products, points * 2 * block.inner);
        let a = Matrix::new(&to.plain, points, block.norm.channels());
        block.up.multiply(s, a, both, &mut self.scratch);
        let out = grown(&mut to.plain, points * block.inner);
        kernels::gate(s, both, block.inner, out);
    }

    /// Compute the last layer of a head from the next input: `[board][point][output]`, padded.
    /// The results of [`Tensors::multiply`] are kept.
    pub(super) fn head<S: Simd>(&mut self, s: S, weights: &Packed) -> &[f32] {
        let from = &self.activations;
        let points = from.all_points();
        let out = grown(&mut self.head, points * weights.outputs());
        let a = Matrix::new(&from.plain, points, padded(weights.inputs()));
        kernels::multiply(s, a, weights, out, Write::Set);
        out
    }

    /// Pool `channels` (padded: `wide`) of a board's next input into `pooled`, three numbers for
    /// each, `[number][channel]`: mean, mean · (√points − 14) / 10 and maximum; for the value head,
    /// in place of the maximum, mean · ((√points − 14)² / 100 − 0.1).
    pub(super) fn pool<S: Simd>(
        &mut self,
        s: S,
        board: usize,
        [channels, wide]: [usize; 2],
        value_head: bool,
        pooled: &mut Vec<f32>,
    ) {
        let (sum, max) = (grown(&mut self.sum, wide), grown(&mut self.max, wide));
        let points = self.activations.points();
        let input = &self.activations.plain[board * points * wide..];
        kernels::pool(s, input, points, sum, max);
        let root = (points as f32).sqrt() - 14.0;
        pooled.clear();
        let mean = sum[..channels].iter().map(|s| s / points as f32);
        pooled.extend(mean.clone());
        pooled.extend(mean.clone().map(|m| m * root / 10.0));
        if value_head {
            let factor = root * root / 100.0 - 0.1;
            pooled.extend(mean.map(|m| m * factor));
        } else {
            pooled.extend_from_slice(&max[..channels]);
        }
    }
}

/// Raw outputs of the layers, from the point of view of the player to move.
#[derive(Clone, Debug, Default)]
pub struct Raw {
    /// Logits by policy channel, then by point; the last of each is the pass.
    pub policy: Vec<Vec<f32>>,
    /// Logits of win, loss and no result.
    pub result: [f32; 3],
    /// Mean and deviation of the score, lead, variance of the time left, errors of value
    /// and score (0 in networks without them), before the output functions.
    pub score: [f32; 6],
    /// Ownership by point, before the hyperbolic tangent.
    pub ownership: Vec<f32>,
}

impl Raw {
    /// Iterate over all outputs, in the order of the fields.
    pub fn numbers(&self) -> impl Iterator<Item = f32> {
        let policy = self.policy.iter().flatten();
        let rest = self.result.iter().chain(&self.score).chain(&self.ownership);
        policy.chain(rest).copied()
    }
}
