//! Networks: compared with reference outputs and a plain reimplementation, and broken files.

mod common;

use common::folder::Folder;
use common::nets::{Act, Filter, GLOBALS, Heads, NetFile, Outputs, PLANES, Part, Plan};
use common::nets::{TinyNet, TipKind, Turn, apart};
use common::shared::shared;
use flate2::Compression;
use flate2::write::GzEncoder;
use ponnuki::net::kernels::InstructionSet;
use ponnuki::net::{
    Evaluation, EvaluationOptions, Features, Layers, Model, NetError, Network, Raw, Situation,
    Workspace,
};
use ponnuki::position::Position;
use ponnuki::rules::Ruleset;
use ponnuki::types::{BoardSize, Color, Generator, Komi, Move, Point};
use serde_json::Value;
use std::io::{BufReader, Cursor, Write};
use std::path::PathBuf;

/// A point from GTP's notation.
fn vertex(text: &str) -> Move {
    if text.eq_ignore_ascii_case("pass") {
        return Move::Pass;
    }
    let letter = text.as_bytes()[0].to_ascii_uppercase();
    let x = letter - b'A' - u8::from(letter > b'I');
    let y: u8 = text[1..].parse().unwrap();
    Move::Play(Point::new(x, y - 1))
}

/// The position of a reference line.
fn reference_position(line: &Value) -> Position {
    let size = BoardSize::new(
        line["size"].as_u64().unwrap() as u32,
        line["size"].as_u64().unwrap() as u32,
    );
    let rules = Ruleset::parse(&line["rules_json"].to_string()).unwrap();
    let mut position = Position::new(size.unwrap(), rules);
    position.set_komi(Komi::new(line["komi"].as_f64().unwrap()).unwrap());
    for m in line["moves"].as_array().unwrap() {
        let c = match m[0].as_str() {
            Some("B") => Color::Black,
            _ => Color::White,
        };
        // The reference engine allowed every suicide, whatever the rules.
        position.play_unchecked(c, vertex(m[1].as_str().unwrap()));
    }
    position
}

/// The largest differences from a reference: policy, win rate, lead, ownership; and the
/// Kullback-Leibler divergence of the policy from the reference's.
fn differences(line: &Value, network: &Network, evaluation: &mut Evaluation) -> ([f64; 4], f64) {
    let position = reference_position(line);
    let c = position.to_move();
    let situation = Situation::of(&position);
    let legal = |p: Point| position.legality(c, Move::Play(p)).is_ok();
    let options = EvaluationOptions {
        // As in the reference engine at the root, for networks that support it.
        optimism: 0.2,
        ..EvaluationOptions::default()
    };
    let output = evaluation.run(network, &situation, options, legal);
    let wanted = &line["output"];
    let number = |v: &Value| v.as_f64().unwrap();
    let mut worst = [0.0f64; 4];
    let mut see = |i: usize, d: f64| worst[i] = worst[i].max(d.abs());
    let mut divergence = 0.0;
    let mut diverge = |wanted: f64, found: f32| {
        if wanted > 0.0 {
            divergence += wanted * (wanted / f64::from(found)).ln();
        }
    };
    let height = position.size().height();
    for p in position.size().points() {
        let (row, column) = ((height - 1 - p.y()) as usize, p.x() as usize);
        let cell = &wanted["policy"][row][column];
        assert_eq!(cell.is_null(), !legal(p), "{}: {p:?}", line["id"]);
        if !cell.is_null() {
            diverge(number(cell), output.policy[p.index()]);
            see(0, number(cell) - f64::from(output.policy[p.index()]));
        }
        let owner = number(&wanted["whiteOwnership"][row][column]);
        see(3, owner + f64::from(output.ownership[p.index()]));
    }
    diverge(number(&wanted["policyPass"]), output.pass);
    see(0, number(&wanted["policyPass"]) - f64::from(output.pass));
    see(
        1,
        number(&wanted["whiteWin"]) - f64::from(output.white_wins),
    );
    see(
        1,
        number(&wanted["whiteLoss"]) - f64::from(output.black_wins),
    );
    see(1, number(&wanted["noResult"]) - f64::from(output.no_result));
    see(2, number(&wanted["whiteLead"]) + f64::from(output.lead));
    (worst, divergence)
}

/// A network file, in `../shared/nets` or in the folder `PONNUKI_NETS`.
fn installed(name: &str) -> Option<PathBuf> {
    let folders = [
        Some(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/nets").into()),
        std::env::var_os("PONNUKI_NETS").map(PathBuf::from),
    ];
    let files = folders.into_iter().flatten().map(|f| f.join(name));
    files.into_iter().find(|f| f.exists())
}

fn compare(net: &str, reference: &str) {
    let Some(path) = shared(&format!("nets/{reference}"), "references") else {
        return;
    };
    // The smallest is included with the references; the others are large.
    let file = match net.contains("b6c96") {
        true => shared(&format!("nets/{net}"), reference),
        false => installed(net),
    };
    let Some(file) = file else {
        eprintln!("skipped: {reference}: {net} is not installed");
        return;
    };
    let mut network = Network::open(&file).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let best = InstructionSet::best();
    let mut sets = InstructionSet::available();
    // Those that round more than single precision does.
    sets.retain(|set| set.single() != *set || *set == best.single());
    for set in sets {
        network = network.laid_out_for(set);
        let mut evaluation = Evaluation::default();
        let (mut worst, mut apart) = ([0.0f64; 4], 0.0);
        for line in &lines {
            let (d, kl) = differences(line, &network, &mut evaluation);
            for (w, d) in worst.iter_mut().zip(d) {
                *w = w.max(d);
            }
            apart += kl / lines.len() as f64;
        }
        let [policy, win, lead, ownership] = worst;
        println!(
            "{net}, {}: {} positions, largest differences: policy {policy:.1e}, win rate {win:.1e}, lead {lead:.1e}, ownership {ownership:.1e}; mean divergence of the policy {apart:.1e}",
            set.name(),
            lines.len(),
        );
        match set {
            InstructionSet::Int16(_) => {
                assert!(apart < 2e-4 && policy < 0.02 && win < 0.01 && lead < 0.2);
                assert!(ownership < 0.02);
            }
            InstructionSet::Bf16(_) | InstructionSet::Amx(_) => {
                assert!(apart < 2e-3 && policy < 0.1 && win < 0.05 && lead < 1.0);
                assert!(ownership < 0.1);
            }
            _ => assert!(policy < 1e-3 && win < 2e-3 && lead < 0.05 && ownership < 5e-3),
        }
    }
}

#[test]
fn references_of_b6c96() {
    compare(
        "g170-b6c96-s175395328-d26788732.bin.gz",
        "reference-b6c96.jsonl",
    );
}

#[test]
fn references_of_b15c192() {
    compare(
        "g170e-b15c192-s1672170752-d466197061.bin.gz",
        "reference-b15c192.jsonl",
    );
}

#[test]
fn references_of_b18c384nbt() {
    compare(
        "kata1-b18c384nbt-s9996604416-d4316597426.bin.gz",
        "reference-b18c384nbt.jsonl",
    );
}

// Against a plain reimplementation.

/// Largest difference from the plain network, in units of 1 or, for larger numbers,
/// of the number. f32 gives up to 2e-5 on these networks.
const NEAR: f64 = 1e-4;

/// Largest difference if inputs are rounded, in units of the policy's spread. Of two nearly equal
/// sums one may be rounded up and the other down, which random weights amplify.
const NEAR_ROUNDED: f64 = 0.3;

/// Additional difference if inputs are rounded after a transform, which the plain network does not
/// have. With a single channel, where errors do not average out, it was up to 0.11.
const NEAR_TRANSFORMED: f64 = 0.2;

/// Largest difference if inputs are rounded to integers, likewise: a part that is larger with fewer
/// channels, and one in units of the policy's spread.
const NEAR_INTEGERS: f64 = 0.02;

/// Standard deviation of the logits of the policy.
fn spread(outputs: &Outputs) -> f64 {
    let logits = &outputs.policy[0];
    let n = logits.len() as f64;
    let mean = logits.iter().sum::<f64>() / n;
    let squares = logits.iter().map(|l| (l - mean).powi(2));
    (squares.sum::<f64>() / n).sqrt()
}

fn read(bytes: impl Into<Vec<u8>>) -> Result<Model, NetError> {
    Model::read(Cursor::new(bytes.into()))
}

/// Artificial positions: an empty one, one with every bit set, and two random ones, the second with
/// the first plane full, as in every game.
fn positions(size: (usize, usize), generator: &mut Generator) -> Vec<Features> {
    let area = size.0 * size.1;
    let all = (1 << PLANES) - 1;
    let mut some = |mask: fn(&mut Generator) -> u64| Features {
        size,
        planes: (0..area)
            .map(|_| (mask(generator) & u64::from(all)) as u32)
            .collect(),
        globals: std::array::from_fn(|_| 2.0 * generator.unit() - 1.0),
    };
    let empty = Features {
        size,
        planes: vec![0; area],
        globals: [0.0; GLOBALS],
    };
    let full = Features {
        size,
        planes: vec![all; area],
        globals: [1.0; GLOBALS],
    };
    vec![
        some(|g| g.bits() & g.bits()),
        full,
        some(|g| g.bits() & g.bits() & g.bits() | 1),
        empty,
    ]
}

/// All numbers of an evaluation in a row.
fn flat(raw: &Raw) -> Vec<f32> {
    raw.numbers().collect()
}

/// Largest difference between an evaluation and the plain one.
fn furthest(raw: &Raw, wanted: &Outputs) -> f64 {
    assert_eq!(raw.policy.len(), wanted.policy.len());
    for (found, wanted) in raw.policy.iter().zip(&wanted.policy) {
        assert_eq!(found.len(), wanted.len());
    }
    let policy = wanted.policy.iter().flatten();
    let (result, score) = (wanted.result.iter(), wanted.score.iter());
    let wanted = policy.chain(result).chain(score).chain(&wanted.ownership);
    let wanted: Vec<f64> = wanted.copied().collect();
    let found = flat(raw);
    assert_eq!(found.len(), wanted.len());
    let both = found.iter().zip(&wanted);
    both.map(|(&f, &w)| apart(f.into(), w)).fold(0.0, f64::max)
}

/// Assert that several positions in a row agree with the plain network on every instruction set,
/// and that evaluations do not affect later ones.
fn agrees(plan: &Plan, sizes: &[(usize, usize)]) {
    let net = TinyNet::new(plan);
    let model = read(net.to_bytes(true)).unwrap();
    let mut generator = Generator::new(plan.seed ^ 0x5eed);
    let mut worst = 0.0f64;
    for &size in sizes {
        let positions = positions(size, &mut generator);
        let outputs = |rounded: bool| -> Vec<Outputs> {
            let all = positions.iter();
            all.map(|p| net.evaluate(size, &p.planes, &p.globals, rounded))
                .collect()
        };
        let (exact, rounded) = (outputs(false), outputs(true));
        for outputs in &exact {
            // Equal or exploding outputs would prove little.
            let spread = spread(outputs);
            assert!((1e-3..50.0).contains(&spread), "{spread}: {plan:?}");
        }
        for set in InstructionSet::available() {
            let layers = Layers::new(&model, set);
            let mut workspace = Workspace::new(&layers, size);
            let mut first = Vec::new();
            for (p, (exact, rounded)) in positions.iter().zip(exact.iter().zip(&rounded)) {
                layers.forward(&[p], &mut workspace);
                let (wanted, near) = match set {
                    InstructionSet::Amx(_) => (rounded, NEAR_ROUNDED * spread(rounded)),
                    InstructionSet::Int16(_) => {
                        (exact, NEAR_INTEGERS + NEAR_INTEGERS * spread(exact))
                    }
                    InstructionSet::Bf16(_) => {
                        (exact, NEAR_TRANSFORMED + NEAR_ROUNDED * spread(exact))
                    }
                    _ => (exact, NEAR),
                };
                let far = furthest(&workspace.raw[0], wanted);
                let name = set.name();
                assert!(far < near, "{far:.1e} on {name}, {size:?}: {plan:?}");
                worst = worst.max(far / near);
                first.push(flat(&workspace.raw[0]));
            }
            // In another order, and several at once: the numbers must be bit-identical.
            for (p, first) in positions.iter().zip(&first).rev() {
                layers.forward(&[p], &mut workspace);
                assert_eq!(&flat(&workspace.raw[0]), first, "{size:?}: {plan:?}");
            }
            for at_once in 2..=positions.len() {
                let together = positions.windows(at_once).zip(first.windows(at_once));
                for (positions, first) in together {
                    let positions: Vec<_> = positions.iter().collect();
                    layers.forward(&positions, &mut workspace);
                    for (raw, first) in workspace.raw.iter().zip(first) {
                        assert_eq!(&flat(raw), first, "{at_once} of {size:?}: {plan:?}");
                    }
                }
            }
        }
    }
    println!(
        "version {}, {:?}: {worst:.1e} of what may be",
        plan.version, plan.activation
    );
}

fn ordinary(filter: Filter, inner: usize) -> Part {
    let filters = [filter; 2];
    Part::Ordinary { filters, inner }
}

fn pool(filter: Filter, regular: usize, pooled: usize) -> Part {
    Part::Pool {
        filters: [filter; 2],
        regular,
        pooled,
    }
}

fn bottleneck(inner: usize, parts: Vec<Part>) -> Part {
    Part::Bottleneck { inner, parts }
}

fn attention(counts: (usize, usize), sizes: (usize, usize), turn: Turn) -> Part {
    let heads = Heads {
        counts,
        sizes,
        turn,
    };
    Part::Attention(heads)
}

fn feed_forward(inner: usize) -> Part {
    Part::FeedForward { inner }
}

/// The possible ends of a transformer's trunk.
const TIPS: [TipKind; 3] = [
    TipKind::Rms { spatial: true },
    TipKind::Rms { spatial: false },
    TipKind::Batch,
];

/// Blocks of transformers, one with each kind of rotation.
fn transformer() -> Vec<Part> {
    vec![
        attention((4, 2), (6, 5), Turn::Learned),
        feed_forward(17),
        attention((2, 2), (8, 8), Turn::Fixed(100.0)),
        bottleneck(
            12,
            vec![attention((3, 1), (3, 4), Turn::None), feed_forward(10)],
        ),
    ]
}

/// One block of each kind in older networks.
fn each_kind() -> Vec<Part> {
    vec![
        ordinary(Filter::THREE, 20),
        pool(Filter::THREE, 17, 5),
        bottleneck(
            12,
            vec![ordinary(Filter::THREE, 12), pool(Filter::THREE, 9, 3)],
        ),
    ]
}

#[test]
fn every_version_agrees_with_a_plain_network() {
    for version in 8..=17 {
        agrees(&Plan::usual(version, each_kind()), &[(7, 11), (19, 19)]);
    }
}

#[test]
fn every_kind_of_block_agrees_on_every_size() {
    // Sides that the tiles of 3x3 convolutions divide, and others.
    const SIZES: [(usize, usize); 9] = [
        (2, 2),
        (5, 5),
        (7, 11),
        (11, 7),
        (9, 9),
        (13, 13),
        (19, 19),
        (2, 25),
        (25, 25),
    ];
    let wide = Filter::oblong(1, 5, (1, 2));
    let tall = Filter::oblong(5, 3, (2, 1));
    let inner = vec![
        pool(Filter::FIVE, 16, 4),
        ordinary(Filter::dilated(3, 2), 18),
        bottleneck(8, vec![ordinary(Filter::THREE, 33)]),
    ];
    // A convolution writes its output in the next one's input format.
    let shapes = [Filter::ONE, Filter::THREE, Filter::dilated(3, 2)];
    let mixed = (0..6).map(|i| {
        let filters = [shapes[i % 3], shapes[(i + 1 + i / 3) % 3]];
        match i % 2 {
            0 => Part::Ordinary { filters, inner: 20 },
            _ => Part::Pool {
                filters,
                regular: 20,
                pooled: 6,
            },
        }
    });
    let kinds = [
        mixed.collect(),
        vec![ordinary(Filter::THREE, 33), ordinary(Filter::THREE, 20)],
        vec![ordinary(Filter::FIVE, 20)],
        vec![ordinary(Filter::dilated(3, 2), 16), pool(Filter::ONE, 6, 6)],
        vec![ordinary(wide, 15), ordinary(tall, 20), pool(tall, 20, 7)],
        vec![pool(Filter::THREE, 32, 16), pool(Filter::THREE, 1, 33)],
        vec![
            pool(Filter::dilated(3, 3), 20, 20),
            ordinary(Filter::ONE, 9),
        ],
        vec![bottleneck(10, each_kind()), bottleneck(20, inner)],
    ];
    for (i, parts) in kinds.into_iter().enumerate() {
        let plan = Plan {
            seed: 100 + i as u64,
            ..Plan::usual(14, parts)
        };
        agrees(&plan, &SIZES);
    }
}

#[test]
fn every_activation_agrees() {
    for (i, act) in Act::ALL.into_iter().enumerate() {
        let plan = Plan {
            activation: Some(act),
            seed: 200 + i as u64,
            ..Plan::usual(11 + i, each_kind())
        };
        agrees(&plan, &[(9, 9), (13, 13)]);
    }
}

#[test]
fn any_number_of_channels_agrees() {
    // Trunk, middle, and each of the heads.
    let widths = [
        (1, 1, (1, 1), (1, 1)),
        (16, 16, (16, 16), (16, 16)),
        (33, 20, (1, 48), (33, 2)),
        (48, 33, (33, 1), (2, 50)),
        (5, 64, (20, 20), (64, 17)),
    ];
    for (i, (channels, inner, policy, value)) in widths.into_iter().enumerate() {
        let parts = vec![
            ordinary(Filter::THREE, inner),
            pool(Filter::THREE, inner, channels),
            bottleneck(inner, vec![ordinary(Filter::THREE, channels)]),
        ];
        let plan = Plan {
            first: [
                Filter::THREE,
                Filter::ONE,
                Filter::dilated(3, 2),
                Filter::dilated(3, 4),
            ][i % 4],
            channels,
            policy,
            value,
            seed: 300 + i as u64,
            // A single ReLU channel would often be dead: the newest version first.
            ..Plan::usual(16 - 2 * i, parts)
        };
        agrees(&plan, &[(9, 9), (7, 11), (25, 25)]);
    }
}

#[test]
fn every_kind_of_attention_agrees() {
    const SIZES: [(usize, usize); 4] = [(2, 2), (7, 11), (9, 9), (19, 19)];
    // Numbers of query heads and key heads, sizes of a query and of a value.
    let even = [
        ((1, 1), (2, 2)),
        ((4, 4), (2, 7)),
        ((2, 1), (4, 16)),
        ((4, 2), (6, 5)),
        ((6, 3), (10, 1)),
        ((3, 3), (16, 33)),
        ((2, 2), (34, 16)),
        ((8, 1), (8, 8)),
    ];
    // An odd size cannot be paired.
    let odd = [((1, 1), (1, 1)), ((4, 2), (5, 3)), ((3, 1), (17, 16))];
    let turns = [
        Turn::None,
        Turn::Fixed(100.0),
        Turn::Fixed(10000.0),
        Turn::Learned,
    ];
    let pairs = turns.iter().flat_map(|&t| even.map(|(c, s)| (c, s, t)));
    let kinds = odd.into_iter().map(|(c, s)| (c, s, Turn::None));
    for (i, (counts, sizes, turn)) in kinds.chain(pairs).enumerate() {
        let parts = vec![
            // Without rotation all points of an empty board are alike.
            ordinary(Filter::THREE, 4),
            attention(counts, sizes, turn),
            feed_forward(5 + 3 * i),
        ];
        let plan = Plan {
            tip: TIPS[i % 3],
            seed: 400 + i as u64,
            ..Plan::usual(15 + (i / 3) % 3, parts)
        };
        // The largest takes as long as many others.
        let last = if i % 5 == 0 { 4 } else { 3 };
        agrees(&plan, &SIZES[..last]);
    }
}

#[test]
fn transformers_agree_in_every_version() {
    for version in 15..=17 {
        for (i, tip) in TIPS.into_iter().enumerate() {
            let plan = Plan {
                tip,
                seed: (500 + 3 * version + i) as u64,
                ..Plan::usual(version, transformer())
            };
            // The largest once in each version, and once with each end.
            let sizes = if i + 15 == version { 2 } else { 1 };
            agrees(&plan, &[(11, 7), (19, 19)][..sizes]);
        }
    }
    // At the end of a trunk without transformers.
    for (i, act) in Act::ALL.into_iter().enumerate() {
        let plan = Plan {
            activation: Some(act),
            tip: TIPS[i % 2],
            seed: 600 + i as u64,
            ..Plan::usual(15 + i % 3, each_kind())
        };
        agrees(&plan, &[(2, 2), (9, 9), (13, 13)]);
    }
}

#[test]
fn transformers_agree_among_convolutions() {
    let learned = |counts, sizes| attention(counts, sizes, Turn::Learned);
    let fixed = |counts, sizes| attention(counts, sizes, Turn::Fixed(50.0));
    let three = |inner| ordinary(Filter::THREE, inner);
    let kinds = [
        vec![fixed((2, 2), (4, 4)), three(20), learned((2, 1), (4, 6))],
        vec![three(33), feed_forward(24), pool(Filter::THREE, 20, 6)],
        vec![
            pool(Filter::FIVE, 9, 3),
            learned((4, 4), (6, 3)),
            bottleneck(12, vec![feed_forward(30), three(12)]),
            feed_forward(1),
            ordinary(Filter::dilated(3, 2), 16),
        ],
        vec![
            bottleneck(10, vec![three(10), fixed((2, 1), (6, 5)), three(7)]),
            bottleneck(
                18,
                vec![
                    learned((3, 3), (2, 9)),
                    feed_forward(16),
                    bottleneck(33, transformer()),
                    pool(Filter::THREE, 8, 8),
                ],
            ),
            attention((2, 2), (7, 4), Turn::None),
        ],
        // Nothing between two blocks that need the trunk as it is.
        vec![feed_forward(40), feed_forward(16), feed_forward(3)],
        [transformer(), each_kind(), transformer()].concat(),
    ];
    for (i, parts) in kinds.into_iter().enumerate() {
        let plan = Plan {
            tip: TIPS[i % 3],
            seed: 700 + i as u64,
            ..Plan::usual(17 - i % 3, parts)
        };
        agrees(&plan, &[(2, 2), (5, 5), (9, 9), (2, 25), (19, 19)]);
    }
    let plan = Plan {
        seed: 710,
        ..Plan::usual(17, transformer())
    };
    agrees(&plan, &[(25, 25)]);
}

#[test]
fn any_number_of_channels_agrees_in_transformers() {
    // Trunk, middle, and the end of the trunk.
    for (i, (channels, inner)) in [(1, 1), (5, 64), (16, 16), (17, 3), (33, 20), (48, 65)]
        .into_iter()
        .enumerate()
    {
        for tip in TIPS {
            let parts = vec![
                attention((2, 1), (4, inner), Turn::Fixed(100.0)),
                feed_forward(inner),
                bottleneck(inner, transformer()),
            ];
            let plan = Plan {
                // A single ReLU channel would often be dead.
                activation: Some([Act::Mish, Act::Silu][i % 2]),
                channels,
                tip,
                seed: 800 + i as u64,
                ..Plan::usual(15 + i % 3, parts)
            };
            agrees(&plan, &[(7, 11), (9, 9)]);
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut to = GzEncoder::new(Vec::new(), Compression::fast());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

#[test]
fn a_network_is_the_same_in_every_kind_of_file() {
    let net = TinyNet::new(&Plan {
        tip: TIPS[0],
        ..Plan::usual(15, [each_kind(), transformer()].concat())
    });
    let (binary, text) = (net.to_bytes(true), net.to_bytes(false));
    // With the line ends of Windows, and without one after the last number.
    let dos = String::from_utf8(text.clone()).unwrap();
    let dos = dos.trim_end().replace('\n', "\r\n").into_bytes();
    let halves = binary.split_at(binary.len() / 2);
    let in_two = [gzip(halves.0), gzip(halves.1)].concat();
    let files = [
        ("binary", &binary),
        ("text", &text),
        ("text from Windows", &dos),
        ("binary, gzip", &gzip(&binary)),
        ("text, gzip", &gzip(&text)),
        ("binary, gzip in two parts", &in_two),
    ];
    let position = &positions((9, 9), &mut Generator::new(1))[0];
    let mut first = None;
    for (kind, bytes) in files {
        // Whole, and in pieces of a few bytes, which may split any value.
        let bits = BufReader::with_capacity(7, Cursor::new(bytes.clone()));
        for model in [read(bytes.clone()), Model::read(bits)] {
            let model = model.unwrap_or_else(|e| panic!("{kind}: {e}"));
            assert_eq!((&*model.name, model.version), ("tiny", 15));
            assert_eq!(
                (model.multipliers.mean, model.multipliers.time),
                (20.5, 40.0)
            );
            let layers = Layers::new(&model, InstructionSet::best());
            let mut workspace = Workspace::new(&layers, (9, 9));
            layers.forward(&[position], &mut workspace);
            let found = flat(&workspace.raw[0]);
            assert_eq!(first.get_or_insert_with(|| found.clone()), &found, "{kind}");
        }
    }
}

#[test]
fn the_signature_is_the_same_on_every_instruction_set_and_machine() {
    // ReLU does not use the system's library.
    let plan = Plan {
        activation: Some(Act::Relu),
        ..Plan::usual(14, each_kind())
    };
    let model = read(TinyNet::new(&plan).to_bytes(true)).unwrap();
    let empty = |n| Situation::new(BoardSize::square(n), Ruleset::default());
    for set in InstructionSet::available() {
        let network = Network::new(model.clone(), set);
        let signature = network.signature([9, 13, 19].map(empty));
        assert_eq!(
            signature,
            0x73bc_6922_dd7c_0681,
            "{signature:016x} on {}",
            set.name()
        );
        assert_ne!(signature, network.signature([empty(9)]));
    }
}

// Broken files.

/// Assert that a file is refused in this layer, and return the message.
#[track_caller]
fn refused(bytes: impl Into<Vec<u8>>, layer: &str) -> String {
    match read(bytes) {
        Ok(_) => panic!("read without complaint, though broken at '{layer}'"),
        Err(e) => {
            assert_eq!(e.layer, layer, "{e}");
            assert!(!e.what.is_empty() && e.to_string().contains(layer));
            e.to_string()
        }
    }
}

fn tiny(version: usize) -> TinyNet {
    TinyNet::new(&Plan {
        channels: 6,
        policy: (5, 4),
        value: (4, 7),
        ..Plan::usual(version, each_kind())
    })
}

fn tiny_transformer(version: usize) -> TinyNet {
    TinyNet::new(&Plan {
        channels: 6,
        tip: TIPS[0],
        policy: (5, 4),
        value: (4, 7),
        ..Plan::usual(version, transformer())
    })
}

/// The last layer that a file names within its first `end` bytes.
fn layer_at(file: &NetFile, end: usize) -> &str {
    let last = file.names.iter().rfind(|(at, _)| *at < end);
    last.map_or("", |(at, name)| &name[..name.len().min(end - at)])
}

#[test]
fn a_file_cut_short_is_refused_where_it_ends() {
    for net in [tiny(8), tiny(15), tiny_transformer(17)] {
        for binary in [true, false] {
            let file = net.to_file(binary);
            let len = file.bytes.len();
            // Everywhere near the start, where the head and short layers are.
            let mut ends: Vec<usize> = (0..500).chain((1..60).map(|i| i * len / 60)).collect();
            if binary {
                ends.extend(len - 60..len - 1);
            }
            for end in ends {
                let what = refused(&file.bytes[..end], layer_at(&file, end));
                // Whether or not the compression ends properly.
                let packed = gzip(&file.bytes[..end]);
                assert_eq!(refused(packed, layer_at(&file, end)), what, "{end}");
            }
        }
    }
}

#[test]
fn damaged_gzip_is_refused() {
    let packed = gzip(&tiny(15).to_bytes(true));
    read(packed.clone()).unwrap();
    for i in 1..60 {
        let at = i * packed.len() / 60;
        read(&packed[..at]).unwrap_err();
        // One bit of a weight, which only the checksum detects.
        let mut damaged = packed.clone();
        damaged[at.max(10)] ^= 1 << (i % 8);
        read(damaged).unwrap_err();
    }
    for i in packed.len() - 8..packed.len() {
        read(&packed[..i]).unwrap_err();
    }
    read([&packed[..], b"and more"].concat()).unwrap_err();
}

#[test]
fn a_file_with_trailing_data_is_refused() {
    let net = tiny(15);
    for binary in [true, false] {
        for more in [&b"x"[..], b"\0\0\0\0", b"0.5 ", b"@BIN@0000"] {
            let bytes = [&net.to_bytes(binary)[..], more].concat();
            refused(bytes, "valuehead/ownership");
        }
    }
}

/// A text file with one token replaced or left out, `place` tokens after a layer's name.
fn edited(file: &NetFile, layer: &str, place: isize, to: &str) -> Vec<u8> {
    let text = std::str::from_utf8(&file.bytes).unwrap();
    let mut tokens: Vec<&str> = text.split_ascii_whitespace().collect();
    let name = tokens.iter().position(|&t| t == layer).unwrap();
    tokens[name.checked_add_signed(place).unwrap()] = to;
    tokens.join(" ").into_bytes()
}

#[test]
fn an_invalid_layer_is_refused_by_name() {
    let file = tiny(15).to_file(false);
    let billion = "1000000000";
    let mean = 5;
    for (layer, place, to, what) in [
        ("tiny", 1, "7", "version 7 "),
        ("tiny", 1, "18", "version 18 "),
        ("tiny", 1, "-8", "-8"),
        ("tiny", 1, "eight", "eight"),
        ("tiny", 2, "21", "21"),
        ("tiny", 3, "18", "18"),
        ("tiny", 4, "0", "multiplier"),
        ("tiny", 10, "-30", "multiplier"),
        ("tiny", 9, "NaN", "NaN"),
        ("tiny", 5, "inf", "inf"),
        ("tiny", 11, "1", "human"),
        ("tiny", 18, "1", "option"),
        ("trunk", 1, billion, billion),
        ("trunk", 1, "0", "blocks"),
        ("trunk", 1, "-3", "-3"),
        ("trunk", 1, "99999999999999999999999", "blocks"),
        ("trunk", 2, billion, billion),
        ("trunk", 2, "0", "channels"),
        ("trunk", 4, billion, billion),
        ("trunk", 8, "1", "option"),
        ("conv1", 1, "4", "even"),
        ("conv1", 2, "2", "even"),
        ("conv1", 1, "0", "rows"),
        ("conv1", 2, billion, billion),
        ("conv1", 3, "21", "22"),
        ("conv1", 4, "7", "6, not 7"),
        ("conv1", 4, billion, billion),
        ("conv1", 5, "0", "dilation"),
        ("conv1", 6, billion, billion),
        ("conv1", 7, "NaN", "NaN"),
        ("conv1", 8, "-inf", "inf"),
        // Beyond the range of f32.
        ("conv1", 9, "1e39", "inf"),
        ("conv1", 10, "0,5", "0,5"),
        // One number missing: the next name follows instead.
        ("conv1", 11, "", "ginputw"),
        ("ginputw", 1, "18", "19"),
        ("ginputw", 2, "5", "6, not 5"),
        ("block0/norm1", 1, "5", "6, not 5"),
        ("block0/norm1", 2, "0", "epsilon"),
        ("block0/norm1", 2, "NaN", "epsilon"),
        ("block0/norm1", 3, "2", "scale"),
        ("block0/norm1", 4, "yes", "bias"),
        ("block0/norm1", mean, "nan", "NaN"),
        ("block0/norm1", mean + 6, "-1", "variance"),
        ("block0/norm1/activation", 1, "ACTIVATION_GELU", "GELU"),
        ("block0/conv1", 4, billion, billion),
        ("block0/norm2", 1, "6", "20, not 6"),
        ("block0/conv2", 3, "6", "20, not 6"),
        ("block0/conv2", 4, "20", "6, not 20"),
        ("block1/conv1g", 1, "5", ""),
        ("block1/w1g", 1, "5", "15, not 5"),
        ("block1/w1g", 2, "5", "17, not 5"),
        ("block1/norm1g/activation", 1, "relu", "relu"),
        ("block2", 1, billion, billion),
        ("block2", 1, "0", "inner blocks"),
        ("block2/convp", 1, "3", ""),
        ("block2/block1/conv1r", 3, "6", "12, not 6"),
        ("trunk/tip", 1, "7", "6, not 7"),
        ("policyhead/p1", 1, "3", ""),
        ("policyhead/g1-to-p1", 1, "4", "12, not 4"),
        ("policyhead/p2", 4, "1", "2, not 1"),
        ("policyhead/pass", 2, "2", "5, not 2"),
        ("policyhead/pass/bias", 1, "2", "5, not 2"),
        ("policyhead/pass2", 2, "1", "2, not 1"),
        ("valuehead/v2", 1, "4", "12, not 4"),
        ("valuehead/v2/bias", 1, "6", "7, not 6"),
        ("valuehead/v3", 2, "4", "3, not 4"),
        ("valuehead/sv3", 2, "4", "6, not 4"),
        ("valuehead/ownership", 4, "2", "1, not 2"),
    ] {
        let found = refused(edited(&file, layer, place, to), layer);
        assert!(found.contains(what), "{layer}, {place}, {to}: {found}");
    }
    // A wrong size that only the next layer reveals.
    refused(edited(&file, "trunk", 2, "7"), "conv1");
}

#[test]
fn an_invalid_transformer_is_refused_by_name() {
    let file = tiny_transformer(15).to_file(false);
    let billion = "1000000000";
    // An attention block's heads, their sizes, and its rotation.
    let (heads, key_heads, size, value_size, rotates, learned) = (1, 2, 3, 4, 5, 6);
    for (layer, place, to, what) in [
        ("trunk", 7, "2", "2"),
        ("trunk", 7, "-1", "-1"),
        ("block0", heads, "0", "heads"),
        ("block0", heads, "1", "key heads"),
        ("block0", heads, "5", "5 heads cannot share 2"),
        ("block0", heads, billion, billion),
        ("block0", heads, "four", "four"),
        ("block0", key_heads, "0", "key heads"),
        ("block0", key_heads, "3", "4 heads cannot share 3"),
        ("block0", key_heads, "8", "8"),
        ("block0", key_heads, "-2", "-2"),
        ("block0", size, "5", "odd"),
        ("block0", size, "7", "odd"),
        ("block0", size, "0", "0"),
        ("block0", size, billion, billion),
        ("block0", value_size, "0", "0"),
        ("block0", value_size, billion, billion),
        ("block0", rotates, "2", "2"),
        ("block0", learned, "yes", "yes"),
        ("block0", learned, "3", "3"),
        // With the base of the powers, and inside a bottleneck.
        ("block2", size, "7", "odd"),
        ("block3/block0", rotates, "1", "odd"),
        ("block0/norm", 1, "7", "6, not 7"),
        ("block0/norm", 2, "0", "epsilon"),
        ("block0/norm", 2, "NaN", "epsilon"),
        ("block0/norm", 2, "-1e-6", "epsilon"),
        ("block0/norm", 3, "NaN", "NaN"),
        ("block0/q", 1, "5", "6, not 5"),
        ("block0/q", 2, "23", "24, not 23"),
        ("block0/q", 3, "inf", "inf"),
        ("block0/k", 1, "24", "6, not 24"),
        // As many numbers as for as many key heads as query heads.
        ("block0/k", 2, "24", "12, not 24"),
        ("block0/v", 1, "7", "6, not 7"),
        ("block0/v", 2, "20", "10, not 20"),
        ("block0/v", 2, "12", "10, not 12"),
        ("block0/out", 1, "24", "20, not 24"),
        ("block0/out", 1, "10", "20, not 10"),
        ("block0/out", 2, "20", "6, not 20"),
        ("block0/rope", 1, "4", "2, not 4"),
        ("block0/rope", 2, "6", "3, not 6"),
        ("block0/rope", 3, "1", "2, not 1"),
        ("block0/rope", 4, "NaN", "NaN"),
        ("block0/rope", 15, "-inf", "inf"),
        ("block0/rope", 15, "", ""),
        ("block2/rope", 1, "0", "base"),
        ("block2/rope", 1, "-100", "base"),
        ("block2/rope", 1, "NaN", "base"),
        ("block1", 1, "5", "6, not 5"),
        ("block1", 1, billion, billion),
        ("block1", 2, "0", "inner"),
        ("block1", 2, billion, billion),
        ("block1", 3, "0", "gated"),
        ("block1", 3, "2", "gated"),
        ("block1/norm", 1, "17", "6, not 17"),
        ("block1/norm", 2, "inf", "epsilon"),
        ("block1/linear1", 1, "17", "6, not 17"),
        ("block1/linear1", 2, "16", "17, not 16"),
        ("block1/gate", 2, "6", "17, not 6"),
        ("block1/linear2", 1, "6", "17, not 6"),
        ("block1/linear2", 2, "17", "6, not 17"),
        ("block3/block0/q", 1, "6", "12, not 6"),
        ("block3/block1", 1, "6", "12, not 6"),
        ("trunk/tip", 1, "7", "6, not 7"),
        ("trunk/tip", 2, "0", "epsilon"),
        ("trunk/tip", 3, "2", "spatial"),
        ("trunk/tip", 4, "1", "groups"),
        ("trunk/tip", 4, "6", "groups"),
        ("trunk/tip", 5, "NaN", "NaN"),
        ("trunk/tip", 11, "NaN", "NaN"),
        ("trunk/tip/activation", 1, "ACTIVATION_GELU", "GELU"),
    ] {
        let found = refused(edited(&file, layer, place, to), layer);
        assert!(found.contains(what), "{layer}, {place}, {to}: {found}");
    }
    // Errors that only the next layers reveal.
    for (layer, place, to, at, what) in [
        ("block0", heads, "8", "block0/q", "48, not 24"),
        ("block0", heads, "8192", "block0/q", "not 24"),
        ("block0", key_heads, "4", "block0/k", "24, not 12"),
        ("block0", key_heads, "1", "block0/k", "6, not 12"),
        ("block0", size, "8192", "block0/q", "not 24"),
        ("block0", value_size, "6", "block0/v", "12, not 10"),
        ("block1", 2, "16", "block1/linear1", "16, not 17"),
        // One scale too many, where the name of a matrix should be.
        ("block0/norm", 8, "0.5 0.75", "0.75", "block0/q"),
        // The last norm is of the other kind.
        ("trunk", 7, "0", "trunk/tip", ""),
    ] {
        let found = refused(edited(&file, layer, place, to), at);
        assert!(found.contains(what), "{layer}, {place}, {to}: {found}");
    }
    // Frequencies without a rotation.
    refused(edited(&file, "block0", rotates, "0"), "trunk");
}

#[test]
fn unknown_blocks_are_refused_by_name() {
    let file = tiny(15).to_file(false);
    // The kind precedes the block's name, so the error names the enclosing block.
    for (block, of) in [
        ("block0", "trunk"),
        ("block1", "trunk"),
        ("block2", "trunk"),
        ("block2/block0", "block2"),
        ("block2/block1", "block2"),
    ] {
        for kind in ["dilated_block", "Ordinary_block", "@BIN@", "3"] {
            let what = refused(edited(&file, block, -1, kind), of);
            assert!(what.contains(kind), "{what}");
        }
    }
    // One block too many: the trunk's end is not a block.
    let what = refused(edited(&file, "trunk", 1, "4"), "trunk");
    assert!(what.contains("trunk/tip"), "{what}");
    // One block too few: the next block is not a norm.
    let what = refused(edited(&file, "trunk", 1, "2"), "nested_bottleneck_block");
    assert!(what.contains("block2"), "{what}");
}

#[test]
fn broken_numbers_in_binary_are_refused_by_name() {
    let (old, new) = (tiny(14).to_file(true), tiny_transformer(16).to_file(true));
    let layers = [
        (&old, "conv1"),
        (&old, "ginputw"),
        (&old, "block1/norm1g"),
        (&old, "valuehead/ownership"),
        (&new, "block0/norm"),
        (&new, "block0/k"),
        (&new, "block0/rope"),
        (&new, "block1/gate"),
        (&new, "trunk/tip"),
    ];
    for (file, layer) in layers {
        let (at, _) = file.names.iter().find(|(_, name)| name == layer).unwrap();
        let mut after = file.bytes[*at..].windows(5);
        let array = at + after.position(|mark| mark == b"@BIN@").unwrap() + 5;
        for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut bytes = file.bytes.clone();
            bytes[array + 4..array + 8].copy_from_slice(&x.to_le_bytes());
            refused(bytes, layer);
        }
        let mut bytes = file.bytes.clone();
        bytes[array - 3] = b'U';
        let what = refused(bytes, layer);
        assert!(what.contains("@BIN@"), "{what}");
    }
}

/// Deeply nested blocks would overflow the stack.
#[test]
fn blocks_nested_too_deep_are_refused_by_name() {
    let nested = |depth: usize| {
        let innermost = || {
            vec![Part::Ordinary {
                filters: [Filter::square(1); 2],
                inner: 2,
            }]
        };
        let parts = (0..depth).fold(innermost(), |parts, _| {
            vec![Part::Bottleneck { inner: 2, parts }]
        });
        let net = TinyNet::new(&Plan {
            channels: 2,
            ..Plan::usual(15, parts)
        });
        net.to_file(true).bytes
    };
    assert!(read(nested(3)).is_ok());
    let e = read(nested(200)).unwrap_err();
    assert!(e.to_string().contains("more than 8 deep"), "{e}");
}

/// Finite weights may give outputs that are not finite.
#[test]
fn a_network_that_overflows_gives_neutral_outputs() {
    let mut file = tiny(14).to_file(true);
    let (at, _) = file
        .names
        .iter()
        .find(|(_, name)| name == "valuehead/sv3/bias")
        .unwrap();
    let mut after = file.bytes[*at..].windows(5);
    let array = at + after.position(|mark| mark == b"@BIN@").unwrap() + 5;
    for i in 0..6 {
        let at = array + 4 * i;
        file.bytes[at..at + 4].copy_from_slice(&3e38f32.to_le_bytes());
    }
    let model = read(file.bytes.clone()).unwrap();
    let network = Network::new(model, InstructionSet::best());
    let mut evaluation = Evaluation::default();
    let situation = Situation::new(BoardSize::square(5), Ruleset::default());
    let output = evaluation.run(&network, &situation, EvaluationOptions::default(), |_| true);
    assert_eq!((output.black_wins, output.lead), (0.5, 0.0));
    let sum: f32 = BoardSize::square(5)
        .points()
        .map(|p| output.policy[p.index()])
        .sum();
    assert!((sum + output.pass - 1.0).abs() < 1e-5);
    let folder = Folder::new("overflow");
    let path = folder.write("net.bin", &file.bytes);
    let e = Network::open(path.as_ref()).unwrap_err();
    assert!(e.to_string().contains("a weight is too large"), "{e}");
}

#[test]
fn files_of_other_kinds_are_refused() {
    let mut generator = Generator::new(7);
    for bytes in [
        &b""[..],
        b" ",
        b"\n\n\n",
        b"(;GM[1]FF[4]SZ[19];B[pd];W[dp])",
        b"( ;GM[1]",
        b"\xef\xbb\xbf(;GM[1])",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"PK\x03\x04",
        b"{\"name\": 1}",
        b"\x1f\x8b",
        b"\x1f\x8b\x08\0\0\0\0\0\0\0",
        b"@BIN@",
        &[0; 1000],
        &[b'x'; 100_000],
    ] {
        let e = read(bytes).unwrap_err();
        assert!(!e.what.is_empty() && e.to_string().len() < 1000);
        read(gzip(bytes)).unwrap_err();
    }
    for n in 1..100 {
        let garbage: Vec<u8> = (0..n * 10).map(|_| generator.bits() as u8).collect();
        read(garbage.clone()).unwrap_err();
        read(gzip(&garbage)).unwrap_err();
    }
    let readme = common::process::here().join("README.md");
    Model::open(&readme).unwrap_err();
    Model::open(readme.parent().unwrap()).unwrap_err();
}

#[test]
fn a_file_with_any_byte_changed_does_no_harm() {
    let (old, new) = (tiny(15), tiny_transformer(17));
    let position = &positions((5, 5), &mut Generator::new(1))[0];
    let mut generator = Generator::new(2);
    for (net, binary) in [(&old, true), (&old, false), (&new, true), (&new, false)] {
        let whole = net.to_bytes(binary);
        let mut good = 0;
        for _ in 0..400 {
            let mut bytes = whole.clone();
            // Often near the start, where the shapes are.
            let among = if generator.chance(128) {
                600
            } else {
                whole.len()
            };
            let at = generator.below(among as u32) as usize;
            bytes[at] = generator.bits() as u8;
            let Ok(model) = read(bytes) else { continue };
            good += 1;
            let layers = Layers::new(&model, InstructionSet::best());
            let mut workspace = Workspace::new(&layers, (5, 5));
            layers.forward(&[position], &mut workspace);
        }
        // Some changes hit weights, some shapes.
        assert!((20..380).contains(&good), "{good}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_takes_memory_only_for_its_contents() {
    let folder = Folder::new("net");
    // The largest valid layer, 134 MB, of which 40 bytes are present.
    let head = "tiny 8 22 19 trunk 1 2440 1 1 1 1 conv1 25 25 22 2440 1 1 ";
    let files = [
        ("binary", format!("{head}@BIN@{}", "0".repeat(40))),
        ("text", format!("{head}{}", "0.5 ".repeat(10))),
        ("more", head.replace("2440", "8192")),
    ];
    for (name, text) in files {
        folder.write(name, &text);
        folder.write("packed", gzip(text.as_bytes()));
        for file in [name, "packed"] {
            let engine = env!("CARGO_BIN_EXE_ponnuki");
            // In KiB: less than half of what the file declares.
            let command = format!("ulimit -v 64000; exec '{engine}' bench --net {file}");
            let mut shell = std::process::Command::new("sh");
            let shell = shell.args(["-c", &command]).current_dir(&folder);
            let output = shell.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(said.contains("conv1: "), "{}: {said}", output.status);
        }
    }
}
