//! Network files of a few channels with random weights, and a plain implementation of their
//! evaluation.
//!
//! Written from a description of the format, with f64 and simple loops. It shares no code with
//! `ponnuki::net`, so the two agree only if both are right.

use half::bf16;
use ponnuki::types::Generator;

/// Input planes and global inputs of every network.
pub const PLANES: usize = 22;
pub const GLOBALS: usize = 19;

/// Difference of two numbers, relative to the larger of 1 and the number; infinity if one is NaN.
pub fn apart(found: f64, wanted: f64) -> f64 {
    match (found - wanted).abs() / wanted.abs().max(1.0) {
        d if d.is_nan() => f64::INFINITY,
        d => d,
    }
}

/// Activation after a norm or a bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Identity,
    Relu,
    Mish,
    Silu,
}

impl Act {
    pub const ALL: [Act; 4] = [Act::Identity, Act::Relu, Act::Mish, Act::Silu];

    fn token(self) -> &'static str {
        match self {
            Act::Identity => "ACTIVATION_IDENTITY",
            Act::Relu => "ACTIVATION_RELU",
            Act::Mish => "ACTIVATION_MISH",
            Act::Silu => "ACTIVATION_SILU",
        }
    }

    pub fn of(self, x: f64) -> f64 {
        // ln(1 + eˣ), without overflow.
        let softplus = x.max(0.0) + (-x.abs()).exp().ln_1p();
        match self {
            Act::Identity => x,
            Act::Relu => x.max(0.0),
            Act::Mish => x * softplus.tanh(),
            Act::Silu => x / (1.0 + (-x).exp()),
        }
    }
}

/// The shape of a filter.
#[derive(Clone, Copy, Debug)]
pub struct Filter {
    pub rows: usize,
    pub columns: usize,
    /// Dilation of rows and of columns.
    pub dilation: (usize, usize),
}

impl Filter {
    pub const ONE: Filter = Filter::square(1);
    pub const THREE: Filter = Filter::square(3);
    pub const FIVE: Filter = Filter::square(5);

    pub const fn square(side: usize) -> Filter {
        Filter::oblong(side, side, (1, 1))
    }

    pub const fn dilated(side: usize, by: usize) -> Filter {
        Filter::oblong(side, side, (by, by))
    }

    pub const fn oblong(rows: usize, columns: usize, dilation: (usize, usize)) -> Filter {
        Filter {
            rows,
            columns,
            dilation,
        }
    }
}

/// Rotary embedding of queries and keys by their point.
#[derive(Clone, Copy, Debug)]
pub enum Turn {
    None,
    /// By powers of this base.
    Fixed(f32),
    Learned,
}

/// Shape of an attention block.
#[derive(Clone, Copy, Debug)]
pub struct Heads {
    /// Number of query heads, and of key and value heads.
    pub counts: (usize, usize),
    /// Size of a query or key, and of a value.
    pub sizes: (usize, usize),
    pub turn: Turn,
}

/// Plan of a block.
#[derive(Clone, Debug)]
pub enum Part {
    Ordinary {
        /// Filters of its two convolutions.
        filters: [Filter; 2],
        inner: usize,
    },
    Pool {
        filters: [Filter; 2],
        regular: usize,
        pooled: usize,
    },
    Bottleneck {
        inner: usize,
        parts: Vec<Part>,
    },
    Attention(Heads),
    FeedForward {
        inner: usize,
    },
}

/// The end of the trunk.
#[derive(Clone, Copy, Debug)]
pub enum TipKind {
    Batch,
    /// From version 15 on.
    Rms {
        /// Is the mean over all points?
        spatial: bool,
    },
}

/// Plan of a network.
#[derive(Clone, Debug)]
pub struct Plan {
    pub version: usize,
    /// Activation of all layers; a different one for each layer if `None`.
    pub activation: Option<Act>,
    pub first: Filter,
    pub channels: usize,
    pub parts: Vec<Part>,
    pub tip: TipKind,
    /// Plain and pooled channels of the policy head.
    pub policy: (usize, usize),
    /// Channels of the value head: of its convolution and its hidden layer.
    pub value: (usize, usize),
    pub seed: u64,
}

impl Plan {
    /// A plan like real networks, but narrow.
    pub fn usual(version: usize, parts: Vec<Part>) -> Plan {
        Plan {
            version,
            activation: None,
            first: Filter::FIVE,
            channels: 20,
            parts,
            tip: TipKind::Batch,
            policy: (18, 17),
            value: (19, 24),
            seed: version as u64,
        }
    }
}

struct Conv {
    name: String,
    filter: Filter,
    inputs: usize,
    outputs: usize,
    /// By row, column, input and output.
    weights: Vec<f32>,
}

struct Activation {
    name: String,
    kind: Act,
}

struct Norm {
    name: String,
    epsilon: f32,
    mean: Vec<f32>,
    variance: Vec<f32>,
    scale: Option<Vec<f32>>,
    bias: Option<Vec<f32>>,
    activation: Activation,
}

struct RmsNorm {
    name: String,
    epsilon: f32,
    scale: Vec<f32>,
}

struct Product {
    name: String,
    inputs: usize,
    outputs: usize,
    /// By input and output.
    weights: Vec<f32>,
}

struct Bias {
    name: String,
    weights: Vec<f32>,
}

#[expect(clippy::large_enum_variant, reason = "there are a few of them")]
enum Block {
    Ordinary {
        name: String,
        norm1: Norm,
        conv1: Conv,
        norm2: Norm,
        conv2: Conv,
    },
    Pool {
        name: String,
        norm1: Norm,
        regular: Conv,
        pooled: Conv,
        pooled_norm: Norm,
        product: Product,
        norm2: Norm,
        conv2: Conv,
    },
    Bottleneck {
        name: String,
        norm1: Norm,
        conv1: Conv,
        blocks: Vec<Block>,
        norm2: Norm,
        conv2: Conv,
    },
    Attention {
        name: String,
        heads: Heads,
        norm: RmsNorm,
        query: Product,
        key: Product,
        value: Product,
        out: Product,
        /// Learned frequencies by key head and pair: for the column and for the row.
        frequencies: Vec<f32>,
    },
    FeedForward {
        name: String,
        norm: RmsNorm,
        linear1: Product,
        gate: Product,
        linear2: Product,
    },
}

enum Tip {
    Batch(Norm),
    Rms {
        norm: RmsNorm,
        spatial: bool,
        bias: Vec<f32>,
        activation: Activation,
    },
}

struct PolicyHead {
    p1: Conv,
    g1: Conv,
    g1_norm: Norm,
    g_to_p: Product,
    p1_norm: Norm,
    p2: Conv,
    pass: Product,
    /// From version 15 on.
    pass2: Option<(Bias, Activation, Product)>,
}

struct ValueHead {
    v1: Conv,
    v1_norm: Norm,
    v2: Product,
    v2_bias: Bias,
    v2_activation: Activation,
    v3: Product,
    v3_bias: Bias,
    sv3: Product,
    sv3_bias: Bias,
    ownership: Conv,
}

/// A network with random weights.
pub struct TinyNet {
    version: usize,
    channels: usize,
    planes: Conv,
    globals: Product,
    blocks: Vec<Block>,
    tip: Tip,
    policy: PolicyHead,
    value: ValueHead,
}

/// Generator of random weights.
struct Dice {
    generator: Generator,
    version: usize,
    activation: Option<Act>,
}

impl Dice {
    /// `n` numbers, uniform from `low` to `high`.
    fn uniform(&mut self, n: usize, low: f32, high: f32) -> Vec<f32> {
        let mut one = || low + (high - low) * self.generator.unit();
        (0..n).map(|_| one()).collect()
    }

    /// Weights for which sums of `inputs` inputs are about as large as the inputs.
    fn weights(&mut self, n: usize, inputs: usize) -> Vec<f32> {
        let most = (3.0 / inputs as f32).sqrt();
        self.uniform(n, -most, most)
    }

    fn conv(&mut self, name: String, filter: Filter, inputs: usize, outputs: usize) -> Conv {
        let places = filter.rows * filter.columns;
        Conv {
            name,
            filter,
            inputs,
            outputs,
            weights: self.weights(places * inputs * outputs, places * inputs),
        }
    }

    fn activation(&mut self, name: String) -> Activation {
        let drawn = Act::ALL[self.generator.below(4) as usize];
        let kind = match self.version {
            // Older files omit it.
            ..11 => Act::Relu,
            _ => self.activation.unwrap_or(drawn),
        };
        Activation { name, kind }
    }

    fn norm(&mut self, name: String, channels: usize) -> Norm {
        Norm {
            epsilon: [1e-5, 1e-3, 1e-20][self.generator.below(3) as usize],
            mean: self.uniform(channels, -0.5, 0.5),
            variance: self.uniform(channels, 0.5, 2.0),
            scale: (self.generator.chance(128)).then(|| self.uniform(channels, 0.5, 1.5)),
            bias: (self.generator.chance(192)).then(|| self.uniform(channels, -0.5, 0.5)),
            activation: self.activation(format!("{name}/activation")),
            name,
        }
    }

    fn rms_norm(&mut self, name: String, channels: usize) -> RmsNorm {
        RmsNorm {
            epsilon: [1e-6, 1e-3, 0.1][self.generator.below(3) as usize],
            scale: self.uniform(channels, -0.5, 1.5),
            name,
        }
    }

    fn tip(&mut self, kind: TipKind, channels: usize) -> Tip {
        let name = "trunk/tip";
        match kind {
            TipKind::Batch => Tip::Batch(self.norm(name.to_owned(), channels)),
            TipKind::Rms { spatial } => Tip::Rms {
                norm: self.rms_norm(name.to_owned(), channels),
                spatial,
                bias: self.uniform(channels, -0.5, 0.5),
                activation: self.activation(format!("{name}/activation")),
            },
        }
    }

    fn product(&mut self, name: String, inputs: usize, outputs: usize) -> Product {
        Product {
            name,
            inputs,
            outputs,
            weights: self.weights(inputs * outputs, inputs),
        }
    }

    fn bias(&mut self, name: String, channels: usize) -> Bias {
        Bias {
            name,
            weights: self.uniform(channels, -0.5, 0.5),
        }
    }

    fn blocks(&mut self, of: &str, parts: &[Part], channels: usize) -> Vec<Block> {
        let block = |(i, part)| self.block(format!("{of}block{i}"), part, channels);
        parts.iter().enumerate().map(block).collect()
    }

    fn block(&mut self, name: String, part: &Part, channels: usize) -> Block {
        let of = |layer: &str| format!("{name}/{layer}");
        match part {
            &Part::Ordinary { filters, inner } => Block::Ordinary {
                norm1: self.norm(of("norm1"), channels),
                conv1: self.conv(of("conv1"), filters[0], channels, inner),
                norm2: self.norm(of("norm2"), inner),
                conv2: self.conv(of("conv2"), filters[1], inner, channels),
                name,
            },
            &Part::Pool {
                filters,
                regular,
                pooled,
            } => Block::Pool {
                norm1: self.norm(of("norm1"), channels),
                regular: self.conv(of("conv1r"), filters[0], channels, regular),
                pooled: self.conv(of("conv1g"), filters[0], channels, pooled),
                pooled_norm: self.norm(of("norm1g"), pooled),
                product: self.product(of("w1g"), 3 * pooled, regular),
                norm2: self.norm(of("norm2"), regular),
                conv2: self.conv(of("conv2"), filters[1], regular, channels),
                name,
            },
            Part::Bottleneck { inner, parts } => Block::Bottleneck {
                norm1: self.norm(of("normp"), channels),
                conv1: self.conv(of("convp"), Filter::ONE, channels, *inner),
                blocks: self.blocks(&of(""), parts, *inner),
                norm2: self.norm(of("normq"), *inner),
                conv2: self.conv(of("convq"), Filter::ONE, *inner, channels),
                name,
            },
            &Part::Attention(heads) => {
                let ((queries, keys), (size, value)) = (heads.counts, heads.sizes);
                Block::Attention {
                    heads,
                    norm: self.rms_norm(of("norm"), channels),
                    query: self.product(of("q"), channels, queries * size),
                    key: self.product(of("k"), channels, keys * size),
                    value: self.product(of("v"), channels, keys * value),
                    out: self.product(of("out"), queries * value, channels),
                    frequencies: match heads.turn {
                        Turn::Learned => self.uniform(keys * (size / 2) * 2, -1.0, 1.0),
                        _ => Vec::new(),
                    },
                    name,
                }
            }
            &Part::FeedForward { inner } => Block::FeedForward {
                norm: self.rms_norm(of("norm"), channels),
                linear1: self.product(of("linear1"), channels, inner),
                gate: self.product(of("gate"), channels, inner),
                linear2: self.product(of("linear2"), inner, channels),
                name,
            },
        }
    }

    fn policy(&mut self, channels: usize, (p, g): (usize, usize)) -> PolicyHead {
        let outputs = match self.version {
            ..12 => 1,
            12..16 => 2,
            _ => 4,
        };
        let name = |layer: &str| format!("policyhead/{layer}");
        let two_steps = self.version >= 15;
        PolicyHead {
            p1: self.conv(name("p1"), Filter::ONE, channels, p),
            g1: self.conv(name("g1"), Filter::ONE, channels, g),
            g1_norm: self.norm(name("g1/norm"), g),
            g_to_p: self.product(name("g1-to-p1"), 3 * g, p),
            p1_norm: self.norm(name("p1/norm"), p),
            p2: self.conv(name("p2"), Filter::ONE, p, outputs),
            pass: self.product(name("pass"), 3 * g, if two_steps { p } else { outputs }),
            pass2: two_steps.then(|| {
                (
                    self.bias(name("pass/bias"), p),
                    self.activation(name("pass/activation")),
                    self.product(name("pass2"), p, outputs),
                )
            }),
        }
    }

    fn value(&mut self, channels: usize, (v, hidden): (usize, usize)) -> ValueHead {
        let scores = if self.version >= 9 { 6 } else { 4 };
        let name = |layer: &str| format!("valuehead/{layer}");
        ValueHead {
            v1: self.conv(name("v1"), Filter::ONE, channels, v),
            v1_norm: self.norm(name("v1/norm"), v),
            v2: self.product(name("v2"), 3 * v, hidden),
            v2_bias: self.bias(name("v2/bias"), hidden),
            v2_activation: self.activation(name("v2/activation")),
            v3: self.product(name("v3"), hidden, 3),
            v3_bias: self.bias(name("v3/bias"), 3),
            sv3: self.product(name("sv3"), hidden, scores),
            sv3_bias: self.bias(name("sv3/bias"), scores),
            ownership: self.conv(name("ownership"), Filter::ONE, v, 1),
        }
    }
}

/// A file's bytes, and the position of each layer's name.
pub struct NetFile {
    pub bytes: Vec<u8>,
    /// Start of each name, in file order.
    pub names: Vec<(usize, String)>,
}

/// Writes a file.
struct Writer {
    binary: bool,
    version: usize,
    file: NetFile,
}

impl Writer {
    fn token(&mut self, token: impl ToString) {
        self.file.bytes.extend(token.to_string().bytes());
        self.file.bytes.push(b' ');
    }

    fn tokens(&mut self, tokens: &[usize]) {
        tokens.iter().for_each(|t| self.token(t));
    }

    fn line(&mut self) {
        self.file.bytes.push(b'\n');
    }

    fn name(&mut self, name: &str) {
        let at = self.file.bytes.len();
        self.file.names.push((at, name.to_owned()));
        self.token(name);
    }

    fn numbers(&mut self, numbers: &[f32]) {
        if self.binary {
            self.file.bytes.extend(b"@BIN@");
            let bytes = numbers.iter().flat_map(|x| x.to_le_bytes());
            self.file.bytes.extend(bytes);
        } else {
            // The shortest decimals that give the same number.
            numbers.iter().for_each(|x| self.token(x));
        }
        self.line();
    }

    fn conv(&mut self, conv: &Conv) {
        self.name(&conv.name);
        let filter = conv.filter;
        self.tokens(&[filter.rows, filter.columns, conv.inputs, conv.outputs]);
        self.tokens(&[filter.dilation.0, filter.dilation.1]);
        self.line();
        self.numbers(&conv.weights);
    }

    fn activation(&mut self, activation: &Activation) {
        self.name(&activation.name);
        if self.version >= 11 {
            self.token(activation.kind.token());
        }
        self.line();
    }

    fn norm(&mut self, norm: &Norm) {
        self.name(&norm.name);
        self.token(norm.mean.len());
        self.token(norm.epsilon);
        self.token(u8::from(norm.scale.is_some()));
        self.token(u8::from(norm.bias.is_some()));
        self.line();
        self.numbers(&norm.mean);
        self.numbers(&norm.variance);
        for numbers in [&norm.scale, &norm.bias].into_iter().flatten() {
            self.numbers(numbers);
        }
        self.activation(&norm.activation);
    }

    /// The start of both kinds of RMS norm.
    fn rms_norm(&mut self, norm: &RmsNorm) {
        self.name(&norm.name);
        self.token(norm.scale.len());
        self.token(norm.epsilon);
    }

    fn tip(&mut self, tip: &Tip) {
        match tip {
            Tip::Batch(norm) => self.norm(norm),
            Tip::Rms {
                norm,
                spatial,
                bias,
                activation,
            } => {
                self.rms_norm(norm);
                // Without groups.
                self.tokens(&[usize::from(*spatial), 0]);
                self.line();
                self.numbers(&norm.scale);
                self.numbers(bias);
                self.activation(activation);
            }
        }
    }

    fn product(&mut self, product: &Product) {
        self.name(&product.name);
        self.tokens(&[product.inputs, product.outputs]);
        self.line();
        self.numbers(&product.weights);
    }

    fn bias(&mut self, bias: &Bias) {
        self.name(&bias.name);
        self.token(bias.weights.len());
        self.line();
        self.numbers(&bias.weights);
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            match block {
                Block::Ordinary {
                    name,
                    norm1,
                    conv1,
                    norm2,
                    conv2,
                } => {
                    self.token("ordinary_block");
                    self.name(name);
                    self.norm(norm1);
                    self.conv(conv1);
                    self.norm(norm2);
                    self.conv(conv2);
                }
                Block::Pool {
                    name,
                    norm1,
                    regular,
                    pooled,
                    pooled_norm,
                    product,
                    norm2,
                    conv2,
                } => {
                    self.token("gpool_block");
                    self.name(name);
                    self.norm(norm1);
                    self.conv(regular);
                    self.conv(pooled);
                    self.norm(pooled_norm);
                    self.product(product);
                    self.norm(norm2);
                    self.conv(conv2);
                }
                Block::Bottleneck {
                    name,
                    norm1,
                    conv1,
                    blocks,
                    norm2,
                    conv2,
                } => {
                    self.token("nested_bottleneck_block");
                    self.name(name);
                    self.token(blocks.len());
                    self.norm(norm1);
                    self.conv(conv1);
                    self.blocks(blocks);
                    self.norm(norm2);
                    self.conv(conv2);
                }
                Block::Attention {
                    name,
                    heads,
                    norm,
                    query,
                    key,
                    value,
                    out,
                    frequencies,
                } => {
                    self.token("transformer_attention_block");
                    self.name(name);
                    let ((queries, keys), (size, value_size)) = (heads.counts, heads.sizes);
                    self.tokens(&[queries, keys, size, value_size]);
                    self.tokens(match heads.turn {
                        Turn::None => &[0, 0],
                        Turn::Fixed(_) => &[1, 0],
                        Turn::Learned => &[1, 1],
                    });
                    self.line();
                    self.rms_norm(norm);
                    self.line();
                    self.numbers(&norm.scale);
                    for product in [query, key, value, out] {
                        self.product(product);
                    }
                    if !matches!(heads.turn, Turn::None) {
                        self.name(&format!("{name}/rope"));
                    }
                    match heads.turn {
                        Turn::None => {}
                        Turn::Fixed(theta) => {
                            self.token(theta);
                            self.line();
                        }
                        Turn::Learned => {
                            self.tokens(&[keys, size / 2, 2]);
                            self.line();
                            self.numbers(frequencies);
                        }
                    }
                }
                Block::FeedForward {
                    name,
                    norm,
                    linear1,
                    gate,
                    linear2,
                } => {
                    self.token("transformer_ffn_block");
                    self.name(name);
                    // Gated.
                    self.tokens(&[linear1.inputs, linear1.outputs, 1]);
                    self.line();
                    self.rms_norm(norm);
                    self.line();
                    self.numbers(&norm.scale);
                    for product in [linear1, gate, linear2] {
                        self.product(product);
                    }
                }
            }
        }
    }

    fn policy(&mut self, head: &PolicyHead) {
        self.name("policyhead");
        if self.version >= 17 {
            self.tokens(&[head.p2.outputs, 0, 0, 0]);
        }
        self.line();
        self.conv(&head.p1);
        self.conv(&head.g1);
        self.norm(&head.g1_norm);
        self.product(&head.g_to_p);
        self.norm(&head.p1_norm);
        self.conv(&head.p2);
        self.product(&head.pass);
        if let Some((bias, activation, product)) = &head.pass2 {
            self.bias(bias);
            self.activation(activation);
            self.product(product);
        }
    }

    fn value(&mut self, head: &ValueHead) {
        self.name("valuehead");
        if self.version >= 17 {
            self.tokens(&[0, 0, 0]);
        }
        self.line();
        self.conv(&head.v1);
        self.norm(&head.v1_norm);
        self.product(&head.v2);
        self.bias(&head.v2_bias);
        self.activation(&head.v2_activation);
        self.product(&head.v3);
        self.bias(&head.v3_bias);
        self.product(&head.sv3);
        self.bias(&head.sv3_bias);
        self.conv(&head.ownership);
    }
}

/// Outputs of a network, for the player to move.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// Logits by channel, then by point, with the pass last.
    pub policy: Vec<Vec<f64>>,
    pub result: [f64; 3],
    pub score: [f64; 6],
    pub ownership: Vec<f64>,
}

/// A board of numbers, by point and channel.
struct Board {
    columns: usize,
    rows: usize,
    channels: usize,
    at: Vec<f64>,
    /// Are inputs and weights of convolutions rounded to bfloat16?
    rounded: bool,
}

impl Board {
    fn area(&self) -> usize {
        self.columns * self.rows
    }

    fn conv(&self, conv: &Conv) -> Board {
        assert_eq!(self.channels, conv.inputs);
        let filter = conv.filter;
        let number = |x: f64| match self.rounded {
            true => bf16::from_f64(x).to_f64(),
            false => x,
        };
        let weights: Vec<f64> = conv.weights.iter().map(|&w| number(w.into())).collect();
        let mut at = vec![0.0; self.area() * conv.outputs];
        for (point, sums) in at.chunks_exact_mut(conv.outputs).enumerate() {
            for place in 0..filter.rows * filter.columns {
                // Offset from the filter's centre.
                let down = (place / filter.columns) as isize - filter.rows as isize / 2;
                let right = (place % filter.columns) as isize - filter.columns as isize / 2;
                let y = (point / self.columns) as isize + down * filter.dilation.0 as isize;
                let x = (point % self.columns) as isize + right * filter.dilation.1 as isize;
                if y < 0 || x < 0 || y >= self.rows as isize || x >= self.columns as isize {
                    continue;
                }
                let from = (y as usize * self.columns + x as usize) * self.channels;
                for (i, v) in self.at[from..from + self.channels].iter().enumerate() {
                    let row = (place * conv.inputs + i) * conv.outputs;
                    let row = &weights[row..row + conv.outputs];
                    let v = number(*v);
                    for (sum, w) in sums.iter_mut().zip(row) {
                        *sum += v * w;
                    }
                }
            }
        }
        Board {
            channels: conv.outputs,
            at,
            ..*self
        }
    }

    fn norm(&self, norm: &Norm) -> Board {
        let of = |(i, &x): (usize, &f64)| {
            let c = i % self.channels;
            let spread = (f64::from(norm.variance[c]) + f64::from(norm.epsilon)).sqrt();
            let mut x = (x - f64::from(norm.mean[c])) / spread;
            if let Some(scale) = &norm.scale {
                x *= f64::from(scale[c]);
            }
            if let Some(bias) = &norm.bias {
                x += f64::from(bias[c]);
            }
            norm.activation.kind.of(x)
        };
        assert_eq!(norm.mean.len(), self.channels);
        Board {
            at: self.at.iter().enumerate().map(of).collect(),
            ..*self
        }
    }

    /// Divided by the root of the mean square of each point or, with `spatial`, of
    /// the board.
    fn rms_norm(&self, norm: &RmsNorm, spatial: bool) -> Board {
        assert_eq!(norm.scale.len(), self.channels);
        let together = if spatial {
            self.at.len()
        } else {
            self.channels
        };
        let mut at = Vec::new();
        for numbers in self.at.chunks_exact(together) {
            let squares: f64 = numbers.iter().map(|x| x * x).sum();
            let root = (squares / together as f64 + f64::from(norm.epsilon)).sqrt();
            let scales = norm.scale.iter().cycle();
            at.extend(
                numbers
                    .iter()
                    .zip(scales)
                    .map(|(x, &s)| x / root * f64::from(s)),
            );
        }
        Board { at, ..*self }
    }

    fn tip(&self, tip: &Tip) -> Board {
        match tip {
            Tip::Batch(norm) => self.norm(norm),
            Tip::Rms {
                norm,
                spatial,
                bias,
                activation,
            } => {
                let mut board = self.rms_norm(norm, *spatial);
                let bias: Vec<f64> = bias.iter().map(|&b| f64::from(b)).collect();
                board.add_everywhere(&bias);
                let active = |x: &mut f64| *x = activation.kind.of(*x);
                board.at.iter_mut().for_each(active);
                board
            }
        }
    }

    /// The same product at every point.
    fn product(&self, product: &Product) -> Board {
        let points = self.at.chunks_exact(self.channels);
        Board {
            channels: product.outputs,
            at: points.flat_map(|point| product.of(point)).collect(),
            ..*self
        }
    }

    /// Rotate the pairs of the queries or keys of `count` heads.
    fn turned(mut self, count: usize, heads: &Heads, frequencies: &[f32]) -> Board {
        let size = heads.sizes.0;
        assert_eq!(self.channels, count * size);
        for (point, row) in self.at.chunks_exact_mut(self.channels).enumerate() {
            let (x, y) = (point % self.columns, point / self.columns);
            for (h, head) in row.chunks_exact_mut(size).enumerate() {
                let key_head = h * heads.counts.1 / count;
                for (p, pair) in head.chunks_exact_mut(2).enumerate() {
                    let angle = heads.angle(frequencies, key_head, p, (x as f64, y as f64));
                    let (sin, cos) = angle.sin_cos();
                    let (a, b) = (pair[0], pair[1]);
                    (pair[0], pair[1]) = (a * cos - b * sin, a * sin + b * cos);
                }
            }
        }
        self
    }

    /// Attention: for each head of `self`, the queries, the mean of the values weighted by the
    /// softmax of query times key.
    fn attention(&self, heads: &Heads, keys: &Board, values: &Board) -> Board {
        let ((count, key_count), (size, value_size)) = (heads.counts, heads.sizes);
        let mut at = vec![0.0; self.area() * count * value_size];
        for (n, result) in at.chunks_exact_mut(value_size).enumerate() {
            let key_head = n % count * key_count / count;
            // The numbers of a head at a point are contiguous.
            let query = &self.at[n * size..][..size];
            let place = |point: usize| point * key_count + key_head;
            let score = |point| {
                let key = &keys.at[place(point) * size..][..size];
                let product: f64 = query.iter().zip(key).map(|(q, k)| q * k).sum();
                product / (size as f64).sqrt()
            };
            let scores: Vec<f64> = (0..self.area()).map(score).collect();
            let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let powers: Vec<f64> = scores.iter().map(|s| (s - most).exp()).collect();
            let sum: f64 = powers.iter().sum();
            for (point, power) in powers.iter().enumerate() {
                let value = &values.at[place(point) * value_size..][..value_size];
                for (r, v) in result.iter_mut().zip(value) {
                    *r += power / sum * v;
                }
            }
        }
        Board {
            channels: count * value_size,
            at,
            ..*self
        }
    }

    /// The same numbers added at every point.
    fn add_everywhere(&mut self, numbers: &[f64]) {
        assert_eq!(numbers.len(), self.channels);
        for point in self.at.chunks_exact_mut(self.channels) {
            for (a, b) in point.iter_mut().zip(numbers) {
                *a += b;
            }
        }
    }

    fn add(&mut self, other: &Board) {
        assert_eq!(self.at.len(), other.at.len());
        for (a, b) in self.at.iter_mut().zip(&other.at) {
            *a += b;
        }
    }

    /// Pooled means, means scaled by the board's size, and maxima or the value head's third
    /// feature.
    fn pool(&self, for_value: bool) -> Vec<f64> {
        let channel = |c: usize| self.at[c..].iter().step_by(self.channels).copied();
        let mean = |c| channel(c).sum::<f64>() / self.area() as f64;
        let size = (self.area() as f64).sqrt() - 14.0;
        let first = (0..self.channels).map(mean);
        let second = (0..self.channels).map(|c| mean(c) * size / 10.0);
        let third = (0..self.channels).map(|c| match for_value {
            true => mean(c) * (size * size / 100.0 - 0.1),
            false => channel(c).fold(f64::NEG_INFINITY, f64::max),
        });
        first.chain(second).chain(third).collect()
    }

    fn blocks(mut self, blocks: &[Block]) -> Board {
        for block in blocks {
            let change = match block {
                Block::Ordinary {
                    norm1,
                    conv1,
                    norm2,
                    conv2,
                    ..
                } => self.norm(norm1).conv(conv1).norm(norm2).conv(conv2),
                Block::Pool {
                    norm1,
                    regular,
                    pooled,
                    pooled_norm,
                    product,
                    norm2,
                    conv2,
                    ..
                } => {
                    let input = self.norm(norm1);
                    let mut regular = input.conv(regular);
                    let pooled = input.conv(pooled).norm(pooled_norm).pool(false);
                    regular.add_everywhere(&product.of(&pooled));
                    regular.norm(norm2).conv(conv2)
                }
                Block::Bottleneck {
                    norm1,
                    conv1,
                    blocks,
                    norm2,
                    conv2,
                    ..
                } => {
                    let inner = self.norm(norm1).conv(conv1).blocks(blocks);
                    inner.norm(norm2).conv(conv2)
                }
                Block::Attention {
                    heads,
                    norm,
                    query,
                    key,
                    value,
                    out,
                    frequencies,
                    ..
                } => {
                    let input = self.rms_norm(norm, false);
                    let mut queries = input.product(query);
                    let mut keys = input.product(key);
                    if !matches!(heads.turn, Turn::None) {
                        queries = queries.turned(heads.counts.0, heads, frequencies);
                        keys = keys.turned(heads.counts.1, heads, frequencies);
                    }
                    let values = input.product(value);
                    queries.attention(heads, &keys, &values).product(out)
                }
                Block::FeedForward {
                    norm,
                    linear1,
                    gate,
                    linear2,
                    ..
                } => {
                    let input = self.rms_norm(norm, false);
                    let mut inner = input.product(linear1);
                    let gates = input.product(gate);
                    for (a, g) in inner.at.iter_mut().zip(&gates.at) {
                        *a = Act::Silu.of(*a) * g;
                    }
                    inner.product(linear2)
                }
            };
            self.add(&change);
        }
        self
    }
}

impl Heads {
    /// Rotation angle of a pair of a key head, and of the query heads that share it, at column x
    /// and row y.
    fn angle(&self, frequencies: &[f32], key_head: usize, pair: usize, (x, y): (f64, f64)) -> f64 {
        let pairs = self.sizes.0 / 2;
        match self.turn {
            Turn::None => 0.0,
            Turn::Fixed(theta) => {
                // The first half depends on the row.
                let half = pairs / 2;
                let (along, i) = match pair < half {
                    true => (y, pair),
                    false => (x, pair - half),
                };
                along / f64::from(theta).powf(2.0 * i as f64 / pairs as f64)
            }
            Turn::Learned => {
                let place = (key_head * pairs + pair) * 2;
                x * f64::from(frequencies[place]) + y * f64::from(frequencies[place + 1])
            }
        }
    }
}

impl Product {
    fn of(&self, input: &[f64]) -> Vec<f64> {
        assert_eq!(input.len(), self.inputs);
        let weight = |i: usize, o: usize| f64::from(self.weights[i * self.outputs + o]);
        let sum = |o| (0..self.inputs).map(|i| input[i] * weight(i, o)).sum();
        (0..self.outputs).map(sum).collect()
    }
}

impl Bias {
    fn add(&self, to: &mut [f64]) {
        assert_eq!(to.len(), self.weights.len());
        for (a, &b) in to.iter_mut().zip(&self.weights) {
            *a += f64::from(b);
        }
    }
}

impl TinyNet {
    pub fn new(plan: &Plan) -> TinyNet {
        let mut dice = Dice {
            generator: Generator::new(plan.seed),
            version: plan.version,
            activation: plan.activation,
        };
        let channels = plan.channels;
        let mut planes = dice.conv("conv1".to_owned(), plan.first, PLANES, channels);
        // Most inputs are 0 here.
        planes.weights.iter_mut().for_each(|w| *w *= 2.0);
        TinyNet {
            version: plan.version,
            channels,
            planes,
            globals: dice.product("ginputw".to_owned(), GLOBALS, channels),
            blocks: dice.blocks("", &plan.parts, channels),
            tip: dice.tip(plan.tip, channels),
            policy: dice.policy(channels, plan.policy),
            value: dice.value(channels, plan.value),
        }
    }

    /// The file, arrays in binary or as decimals.
    pub fn to_bytes(&self, binary: bool) -> Vec<u8> {
        self.to_file(binary).bytes
    }

    /// The file and its names.
    pub fn to_file(&self, binary: bool) -> NetFile {
        let file = NetFile {
            bytes: Vec::new(),
            names: Vec::new(),
        };
        let mut to = Writer {
            binary,
            version: self.version,
            file,
        };
        to.name("tiny");
        to.tokens(&[self.version, PLANES, GLOBALS]);
        if self.version >= 13 {
            for multiplier in ["20", "20.5", "19", "21", "40", "0.25", "30"] {
                to.token(multiplier);
            }
        }
        if self.version >= 15 {
            // No metadata, no option of pass-alive areas, and six to come.
            to.tokens(&[0; 8]);
        }
        to.line();
        to.name("trunk");
        to.tokens(&[self.blocks.len(), self.channels, self.channels]);
        // The numbers of regular, dilated and pooled channels are not used.
        to.tokens(&[self.channels, 4, 4]);
        if self.version >= 15 {
            // The kind of the last norm, and five to come.
            to.token(u8::from(matches!(self.tip, Tip::Rms { .. })));
            to.tokens(&[0; 5]);
        }
        to.line();
        to.conv(&self.planes);
        to.product(&self.globals);
        to.blocks(&self.blocks);
        to.tip(&self.tip);
        to.policy(&self.policy);
        to.value(&self.value);
        to.file
    }

    /// Evaluate a board of `size` (columns, rows), where bit i of a point's number is plane i. With
    /// `rounded`, inputs and weights of all convolutions except the heads' last are rounded to
    /// bfloat16.
    pub fn evaluate(
        &self,
        size: (usize, usize),
        planes: &[u32],
        globals: &[f32],
        rounded: bool,
    ) -> Outputs {
        assert_eq!(planes.len(), size.0 * size.1);
        let bits = |p: &u32| {
            let p = *p;
            (0..PLANES).map(move |i| f64::from(p >> i & 1))
        };
        let input = Board {
            columns: size.0,
            rows: size.1,
            channels: PLANES,
            at: planes.iter().flat_map(bits).collect(),
            rounded,
        };
        let globals: Vec<f64> = globals.iter().map(|&g| f64::from(g)).collect();
        let mut trunk = input.conv(&self.planes);
        trunk.add_everywhere(&self.globals.of(&globals));
        let mut tip = trunk.blocks(&self.blocks).tip(&self.tip);
        // The output of an RMS norm is not rounded.
        tip.rounded = rounded && !matches!(self.tip, Tip::Rms { .. });
        let policy = self.policy.of(&tip);
        let head = &self.value;
        let mut v1 = tip.conv(&head.v1).norm(&head.v1_norm);
        v1.rounded = false;
        let mut v2 = head.v2.of(&v1.pool(true));
        head.v2_bias.add(&mut v2);
        let v2: Vec<f64> = v2.iter().map(|&x| head.v2_activation.kind.of(x)).collect();
        let mut result = head.v3.of(&v2);
        head.v3_bias.add(&mut result);
        let mut score = head.sv3.of(&v2);
        head.sv3_bias.add(&mut score);
        score.resize(6, 0.0);
        Outputs {
            policy,
            result: result.try_into().unwrap(),
            score: score.try_into().unwrap(),
            ownership: v1.conv(&head.ownership).at,
        }
    }
}

impl PolicyHead {
    fn of(&self, tip: &Board) -> Vec<Vec<f64>> {
        let pooled = tip.conv(&self.g1).norm(&self.g1_norm).pool(false);
        let mut p1 = tip.conv(&self.p1);
        p1.add_everywhere(&self.g_to_p.of(&pooled));
        p1.rounded = false;
        let points = p1.norm(&self.p1_norm).conv(&self.p2);
        let mut pass = self.pass.of(&pooled);
        if let Some((bias, activation, product)) = &self.pass2 {
            bias.add(&mut pass);
            let active: Vec<f64> = pass.iter().map(|&x| activation.kind.of(x)).collect();
            pass = product.of(&active);
        }
        let channel = |c: usize| {
            let logits = points.at[c..].iter().step_by(points.channels);
            logits.copied().chain([pass[c]]).collect()
        };
        (0..points.channels).map(channel).collect()
    }
}
