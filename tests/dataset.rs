//! Games and labels for training: `ponnuki selfplay`, `ponnuki label`, and the shards
//! that `training/DATA.md` describes.

mod common;

use common::folder::Folder;
use common::nets::{Filter, Part, Plan, TinyNet};
use half::f16;
use ponnuki::dataset::{Game, Kind, Labeller, SelfPlay, Shard};
use ponnuki::net::kernels::InstructionSet;
use ponnuki::net::{
    Evaluation, EvaluationOptions, Features, Layers, Model, Network, Situation, Symmetry,
    Workspace, encode,
};
use ponnuki::position::Position;
use ponnuki::rules::{Ruleset, Settlement, preset};
use ponnuki::types::{BoardSize, Color, Move, Point};
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

fn tiny() -> TinyNet {
    with_inner_channels(8)
}

fn with_inner_channels(inner: usize) -> TinyNet {
    let filters = [Filter::THREE; 2];
    let parts = vec![Part::Ordinary { filters, inner }];
    TinyNet::new(&Plan::usual(11, parts))
}

fn network() -> Arc<Network> {
    loaded(&tiny())
}

fn loaded(net: &TinyNet) -> Arc<Network> {
    let model = Model::read(std::io::Cursor::new(net.to_bytes(true))).unwrap();
    Arc::new(Network::new(model, InstructionSet::best()))
}

/// A network file.
fn net(folder: &Folder) -> String {
    folder.write("tiny.bin", tiny().to_bytes(true))
}

fn ponnuki(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ponnuki"));
    command.args(arguments).output().unwrap()
}

fn succeeds(arguments: &[&str]) -> String {
    let output = ponnuki(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn fails(arguments: &[&str]) -> String {
    let output = ponnuki(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// A board size and its records.
type Section<'a> = (BoardSize, Vec<&'a [u8]>);

/// The records of a shard by size, located as in `training/DATA.md`.
fn sections(bytes: &[u8]) -> (Value, Vec<Section<'_>>) {
    assert_eq!(&bytes[..8], b"PONNUKI1");
    let len = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
    assert_eq!((12 + len) % 64, 0);
    let header: Value = serde_json::from_slice(&bytes[12..12 + len]).unwrap();
    let mut sections = Vec::new();
    let mut end = 12 + len;
    for s in header["sections"].as_array().unwrap() {
        let number = |name: &str| s[name].as_u64().unwrap() as usize;
        let size = BoardSize::new(number("width") as u32, number("height") as u32).unwrap();
        assert_eq!(number("offset"), end);
        let all = &bytes[end..end + number("count") * number("record")];
        sections.push((size, all.chunks(number("record")).collect()));
        end += all.len().next_multiple_of(64);
    }
    assert_eq!(end, bytes.len());
    (header, sections)
}

#[test]
fn a_killed_run_resumes_to_the_same_shards() {
    let folder = Folder::new("labelled");
    let net = net(&folder);
    let whole = folder.file("whole.games");
    let play = |out: &str, games: &str, threads: &str| {
        succeeds(&[
            "selfplay",
            "--net",
            &net,
            "--out",
            out,
            "--games",
            games,
            "--seed",
            "5",
            "--threads",
            threads,
        ])
    };
    play(&whole, "6", "2");
    // A kill leaves an incomplete game at the end.
    let cut = folder.file("cut.games");
    let bytes = fs::read(&whole).unwrap();
    fs::write(&cut, &bytes[..bytes.len() * 2 / 3 + 1]).unwrap();
    let told = play(&cut, "6", "1");
    assert!(told.starts_with("6 games in "), "{told}");
    let label = |games: &str, out: &str| {
        succeeds(&[
            "label", "--games", games, "--out", out, "--chunk", "3", "--seed", "5",
        ])
    };
    let (a, b) = (folder.file("a"), folder.file("b"));
    label(&whole, &a);
    fs::create_dir(&b).unwrap();
    // A shard left incomplete by a kill is written anew.
    fs::write(Path::new(&b).join("000001.part"), b"half").unwrap();
    let told = label(&cut, &b);
    assert!(told.contains("0 games wait"), "{told}");
    for name in ["000000.shard", "000001.shard"] {
        let [a, b] = [&a, &b].map(|f| fs::read(Path::new(f).join(name)).unwrap());
        assert!(a == b, "{name} differs");
        assert!(sections(&a).0["teacher"].is_null());
    }
    let told = label(&cut, &b);
    assert!(
        told.contains("2 shards") && told.contains(" 0 positions now"),
        "{told}"
    );
    // A partial shard waits for the rest of its games.
    play(&cut, "7", "1");
    let told = label(&cut, &b);
    assert!(told.contains("1 games wait"), "{told}");
}

#[test]
fn all_games_have_the_requested_size() {
    let network = network();
    let size = BoardSize::new(7, 9).unwrap();
    let player = || SelfPlay::new(network.clone(), 1, 3).unwrap();
    let mut one = player().on(Some(size)).unwrap();
    let mut any = player().on(None).unwrap();
    let mut plain = player();
    let games: Vec<Game> = (0..6).map(|n| one.play(n, &[])).collect();
    assert!(games.iter().all(|g| g.size == size));
    assert!(games.iter().any(|g| g.rules != games[0].rules));
    assert_eq!(any.play(2, &[]), plain.play(2, &[]));
    let large = player().on(Some(BoardSize::square(20)));
    assert!(large.unwrap_err().contains("7 to 19, not on 20x20"));
}

#[test]
fn labels_are_the_teachers_outputs() {
    let network = network();
    let mut player = SelfPlay::new(network.clone(), 1, 3).unwrap();
    let mut labeller = Labeller::new(Some(network.clone()), 1.0, 3);
    let mut evaluation = Evaluation::default();
    let mut kinds = [0; 4];
    for number in 0..6 {
        let game = player.play(number, &[]);
        assert_eq!(
            game,
            SelfPlay::new(network.clone(), 1, 3)
                .unwrap()
                .play(number, &[])
        );
        let mut shard = Shard::new(std::slice::from_ref(&game), Some("tiny".to_owned()));
        labeller.add(&game, &mut shard).unwrap();
        let mut bytes = Vec::new();
        shard.write(&mut bytes).unwrap();
        let (header, sections) = sections(&bytes);
        assert_eq!(header["teacher"], "tiny");
        let [(size, records)] = &sections[..] else {
            panic!("one game has one size");
        };
        assert_eq!(records.len(), shard.len());
        let area = size.area();
        let mut records = records.iter();
        game.visit(|position, kind| {
            let record = records.next().unwrap();
            kinds[kind as usize] += 1;
            let mut situation = Situation::of(position);
            if position.is_over() && position.rules().settlement != Settlement::PlayOut {
                situation.forget_passes();
            }
            let features = encode(&situation);
            for (i, bits) in features.planes.iter().enumerate() {
                assert_eq!(bits.to_le_bytes()[..3], record[3 * i..3 * i + 3]);
                assert_eq!(bits >> 22, 0);
            }
            let mut at = 3 * area;
            let f32_at = |at: usize| f32::from_le_bytes(record[at..at + 4].try_into().unwrap());
            for (i, global) in features.globals.iter().enumerate() {
                assert_eq!(f32_at(at + 4 * i), *global);
            }
            at += 4 * 19;
            let options = EvaluationOptions {
                symmetry: record[at],
                ..EvaluationOptions::default()
            };
            assert!(record[at] < Symmetry::count(features.size));
            assert_eq!(record[at + 1], kind as u8);
            at += 2;
            let c = position.to_move();
            let legal = |p: Point| position.legality(c, Move::Play(p)).is_ok();
            let said = evaluation.run(&network, &situation, options, legal);
            let half_at =
                |at: usize| f16::from_le_bytes(record[at..at + 2].try_into().unwrap()).to_f32();
            let place = |p: Point| {
                let row = size.height() - 1 - p.y();
                usize::from(row) * usize::from(size.width()) + usize::from(p.x())
            };
            for p in size.points() {
                let share = half_at(at + 2 * place(p));
                assert!((share - said.policy[p.index()]).abs() < 1e-3);
                assert_eq!(share < 0.0, !legal(p));
            }
            at += 2 * area;
            assert!((half_at(at) - said.pass).abs() < 1e-3);
            at += 2;
            let sign = c.sign() as f32;
            let wins = [said.black_wins, said.white_wins][c.index()];
            assert!((half_at(at) - wins).abs() < 1e-3);
            assert!((half_at(at + 4) - said.no_result).abs() < 1e-3);
            at += 6;
            assert_eq!(f32_at(at + 8), sign * said.lead);
            assert_eq!(f32_at(at + 12), said.time_left);
            at += 24;
            for p in size.points() {
                let own = f32::from(record[at + place(p)] as i8) / 127.0;
                assert!((own - sign * said.ownership[p.index()]).abs() < 0.005);
            }
        })
        .unwrap();
        assert!(records.next().is_none());
    }
    assert!(kinds[Kind::Played as usize] > 100, "{kinds:?}");
    assert!(kinds[Kind::Branch as usize] > 10, "{kinds:?}");
}

#[test]
fn a_komi_near_even_follows_the_teachers_earlier_outputs() {
    let network = network();
    let mut player = SelfPlay::new(network.clone(), 1, 3).unwrap();
    let labeller = || Labeller::new(Some(network.clone()), 1.0, 3);
    let mut other_komi = 0;
    for number in 0..4 {
        let game = player.play(number, &[]);
        let record = |mut labeller: Labeller| {
            let mut shard = Shard::new(std::slice::from_ref(&game), None);
            labeller.add(&game, &mut shard).unwrap();
            let mut bytes = Vec::new();
            shard.write(&mut bytes).unwrap();
            let (_, sections) = sections(&bytes);
            let (size, records) = &sections[0];
            // White's bonus and Black's lead in each position.
            let area = size.area();
            let mut to_move = Vec::new();
            game.visit(|p, _| to_move.push(p.to_move().sign() as f32))
                .unwrap();
            let said = records.iter().zip(to_move).map(|(record, sign)| {
                let f32_at = |at: usize| f32::from_le_bytes(record[at..at + 4].try_into().unwrap());
                let bonus = -sign * 20.0 * f32_at(3 * area + 4 * 5);
                let lead = sign * f32_at(3 * area + 4 * 19 + 2 + 2 * (area + 1) + 6 + 8);
                (bonus, lead)
            });
            said.collect::<Vec<_>>()
        };
        let (plain, even) = (record(labeller()), record(labeller().even(1.0)));
        assert_eq!(plain.len(), even.len());
        assert_eq!(record(labeller().even(0.0)), plain);
        assert_eq!(even[0], plain[0]);
        let furthest = 0.3 * game.size.area() as f32;
        for (i, pair) in even.windows(2).enumerate() {
            let [(bonus, lead), (next, _)] = [pair[0], pair[1]];
            let own = plain[i + 1].0;
            // Black's lead with the game's komi. If passes cost stones, the bonus differs
            // before and after this move.
            let lead = lead + bonus - plain[i].0;
            if lead.abs() <= furthest {
                assert!((next - own - lead).abs() < 9.5, "{next} {own} {lead}");
                other_komi += u32::from(next != own);
            } else {
                assert_eq!(next, own);
            }
        }
    }
    assert!(other_komi > 100, "{other_komi}");
}

#[test]
fn games_by_search_do_not_depend_on_those_before() {
    let network = network();
    let play = |numbers: &[u32]| {
        let mut player = SelfPlay::new(network.clone(), 4, 5).unwrap();
        let games = numbers.iter().map(|&n| player.play(n, &[]));
        games.last().unwrap()
    };
    let raw = SelfPlay::new(network.clone(), 1, 5).unwrap().play(7, &[]);
    let searched = play(&[7]);
    assert_eq!(searched, play(&[3, 7]));
    assert_ne!(searched.turns, raw.turns);
    assert_eq!(searched.size, raw.size);
}

#[test]
fn an_opponent_has_each_colour_in_turn() {
    let [ours, other] = [8, 12].map(|inner| loaded(&with_inner_channels(inner)));
    for visits in [1, 4] {
        let play = |opponent: Option<&Arc<Network>>, numbers: &[u32]| {
            let mut player = SelfPlay::new(ours.clone(), visits, 5).unwrap();
            if let Some(opponent) = opponent {
                player = player.against(opponent.clone(), visits).unwrap();
            }
            let games = numbers.iter().map(|&n| player.play(n, &[]));
            games.last().unwrap()
        };
        for number in [6, 7] {
            let alone = play(None, &[number]);
            // Each side has its own tree, so moves differ even against the same network.
            if visits == 1 {
                assert_eq!(play(Some(&ours), &[number]).turns, alone.turns);
            }
            let game = play(Some(&other), &[number]);
            assert_ne!(game.turns, alone.turns);
            assert_eq!(play(Some(&other), &[3, number]), game);
        }
    }
}

#[test]
fn games_by_search_branch_into_searched_variations() {
    let mut player = SelfPlay::new(network(), 32, 5).unwrap();
    let (mut branches, mut turns, mut longest) = (0, 0, 0);
    for number in 0..4 {
        let game = player.play(number, &[]);
        let mut positions = 0;
        game.visit(|_, _| positions += 1).unwrap();
        turns += game.turns.len();
        branches += game.branches.len();
        for branch in &game.branches {
            assert!(usize::from(branch.at) <= game.turns.len());
            positions -= 1;
            longest = longest.max(branch.moves.len());
        }
        // All moves were legal, and the position after each branch is searched.
        assert_eq!(positions, 1 + game.turns.len());
    }
    assert!(branches * 3 > turns, "{branches} of {turns}");
    assert!(longest > 3, "{longest}");
}

/// A game with an illegal move is used up to that move.
#[test]
fn a_record_ends_before_a_forbidden_move() {
    let text = b"(;SZ[9]KM[7];B[db];W[eb];B[cc];W[fc];B[dd];W[ed];B[ec];W[dc];B[ec];W[dc];B[ec])";
    let record = ponnuki::sgf::read(text, &Ruleset::default(), None).unwrap();
    assert_eq!(record.position.turns().len(), 11);
    let game = Game::from_record(0, &record.position).unwrap();
    assert_eq!((game.turns.len(), game.record_turns), (8, 8));
    let mut replayed = game.start();
    for &m in &game.turns {
        replayed.play(replayed.to_move(), m).unwrap();
    }
}

/// Each line of an archive is a record with its own encoding.
#[test]
fn an_archive_is_read_whatever_its_encoding() {
    let folder = Folder::new("latin");
    let mut text = b"(;SZ[9]KM[7]PB[Andr\xe9];B[ee];W[cc];B[gg];W[gc])\n".to_vec();
    text.extend(b"(;SZ[9]KM[7];B[ee];W[cc])\n");
    let archive = folder.join("games.sgfs");
    fs::write(&archive, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ponnuki"));
    let command = command.args(["label", "--held-out", "1", "--keep", "1", "--games"]);
    let out = command.arg(&archive).arg("--out").arg(folder.join("out"));
    let out = out.output().unwrap();
    let err = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{err}");
    let bytes = fs::read(folder.join("out/000000.shard")).unwrap();
    let (header, _) = sections(&bytes);
    assert_eq!(header["games"].to_string(), "[0,2]");
}

#[test]
fn a_record_can_be_continued() {
    let rules = preset("japanese").unwrap().rules;
    let mut position = Position::new(BoardSize::square(19), rules);
    for i in 0..30u8 {
        let c = position.to_move();
        let at = Point::new(3 * (i % 6), 3 * (i / 6));
        position.play(c, Move::Play(at)).unwrap();
    }
    let record = Game::from_record(0, &position).unwrap();
    let records = [record.clone()];
    let mut player = SelfPlay::new(network(), 1, 1).unwrap();
    let games = (0..60).map(|number| player.play(number, &records));
    let from: Vec<_> = games.filter(|g| g.record_turns > 0).collect();
    assert!(!from.is_empty());
    for game in &from {
        let n = usize::from(game.record_turns);
        assert_eq!(game.turns[..n], record.turns[..n]);
        let mut recorded = 0;
        game.visit(|_, kind| recorded += u16::from(kind == Kind::Recorded))
            .unwrap();
        assert_eq!(recorded, game.record_turns);
    }
    let mut twice = Position::new(BoardSize::square(9), rules);
    for i in 0..21 {
        let at = Point::new(i % 9, i / 9 * 3);
        twice.play(Color::Black, Move::Play(at)).unwrap();
    }
    assert!(Game::from_record(0, &twice).is_none());
}

#[test]
fn unusable_input_is_named() {
    let folder = Folder::new("unusable");
    let net = &net(&folder);
    let games = folder.file("x.games");
    let missing = fails(&["selfplay", "--net", "off", "--out", &games, "--games", "1"]);
    assert!(missing.contains("selfplay needs a network"), "{missing}");
    fs::write(&games, b"no games").unwrap();
    let play = |seed: &str| {
        [
            "selfplay", "--net", net, "--out", &games, "--games", "1", "--seed", seed,
        ]
        .map(str::to_owned)
    };
    let run = |seed: &str| fails(&play(seed).each_ref().map(String::as_str));
    let other = run("1");
    assert!(other.contains("is not a file of games"), "{other}");
    let label = fails(&["label", "--games", &games, "--out", &folder.file("out")]);
    assert!(label.contains("x.games: no game record"), "{label}");
    fs::remove_file(&games).unwrap();
    succeeds(&play("1").each_ref().map(String::as_str));
    let other = run("2");
    assert!(other.contains("holds games of seed 1, not 2"), "{other}");
    let small = folder.file("small.games");
    let sizes = [
        "selfplay", "--net", net, "--games", "3", "--out", &small, "--size",
    ];
    let small_board = fails(&[&sizes[..], &["5"]].concat());
    assert!(
        small_board.contains("sides from 7 to 19, not on 5x5"),
        "{small_board}"
    );
    assert!(!Path::new(&small).exists());
    let records = folder.file("none.sgf");
    fs::write(&records, "no record\n").unwrap();
    let none = fails(&[
        "selfplay",
        "--net",
        net,
        "--out",
        &games,
        "--games",
        "1",
        "--records",
        &records,
    ]);
    assert!(none.contains("no game record that can be used"), "{none}");
    let even = fails(&[
        "label", "--games", &games, "--out", "x", "--even", "0.5", "--net", "off",
    ]);
    assert!(even.contains("--even needs a teacher"), "{even}");
    // Shards of other games or another teacher are refused.
    let shards = folder.file("shards");
    let label = ["label", "--games", &games, "--out", &shards, "--chunk"];
    succeeds(&[&label[..], &["1"]].concat());
    succeeds(&[&label[..], &["1"]].concat());
    let another = fails(&[&label[..], &["1", "--net", net]].concat());
    assert!(another.contains("another teacher's labels"), "{another}");
    let others = folder.file("others.games");
    succeeds(&[
        "selfplay", "--net", net, "--out", &others, "--games", "1", "--seed", "2",
    ]);
    let label_others = [
        "label", "--games", &others, "--out", &shards, "--chunk", "1",
    ];
    let other = fails(&label_others);
    assert!(other.contains("holds other games"), "{other}");
    let shard = format!("{shards}/000000.shard");
    let whole = fs::read(&shard).unwrap();
    for (length, why) in [(8, ""), (whole.len() / 2, "shorter than its header says")] {
        fs::write(&shard, &whole[..length]).unwrap();
        let torn = fails(&[&label[..], &["1"]].concat());
        let named = torn.contains("cannot read ") && torn.contains("000000.shard");
        assert!(named && torn.contains(why), "{torn}");
    }
    let share = fails(&["label", "--games", &games, "--out", "x", "--keep", "2"]);
    assert!(share.contains("a share from 0 to 1"), "{share}");
}

/// Start a server for `--server` with the tiny network, which answers this many requests per
/// connection, then closes it. Returns its address.
fn server(requests: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || answer(stream.unwrap(), requests));
        }
    });
    address
}

fn answer(mut stream: TcpStream, requests: usize) {
    let model = Model::read(std::io::Cursor::new(tiny().to_bytes(true))).unwrap();
    let layers = Layers::new(&model, InstructionSet::best());
    let number = |stream: &mut TcpStream| -> Option<u32> {
        let mut bytes = [0; 4];
        stream.read_exact(&mut bytes).ok()?;
        Some(u32::from_le_bytes(bytes))
    };
    let mut magic = [0; 8];
    stream.read_exact(&mut magic).unwrap();
    assert_eq!(&magic, b"PONNUKI2");
    let mut name = vec![0; number(&mut stream).unwrap() as usize];
    stream.read_exact(&mut name).unwrap();
    if name != model.name.as_bytes() {
        return;
    }
    stream.write_all(&[1, 0, 0, 0, 6, 0, 0, 0]).unwrap();
    for _ in 0..requests {
        let Some(width) = number(&mut stream) else {
            return;
        };
        let (height, count) = (number(&mut stream).unwrap(), number(&mut stream).unwrap());
        let size = (width as usize, height as usize);
        let mut said = Vec::new();
        for _ in 0..count {
            let mut features = Features {
                size,
                ..Features::default()
            };
            for _ in 0..width * height {
                let bits = number(&mut stream).unwrap();
                let (stones, plays) = (bits >> 1 & 3, bits >> 31);
                assert!(stones == 0 || plays == 0, "a play on a stone");
                features.planes.push(bits & !(1 << 31));
            }
            for global in &mut features.globals {
                *global = f32::from_bits(number(&mut stream).unwrap());
            }
            let mut ws = Workspace::new(&layers, size);
            layers.forward(&[&features], &mut ws);
            said.extend(ws.raw[0].numbers().flat_map(f32::to_le_bytes));
        }
        if stream.write_all(&said).is_err() {
            return;
        }
    }
}

#[test]
fn a_server_evaluates_as_the_program_does() {
    let folder = Folder::new("served");
    let net = &net(&folder);
    let server = &server(usize::MAX);
    let play = |out: &str, more: &[&str]| {
        let fixed = [
            "selfplay", "--net", net, "--games", "4", "--size", "7", "--visits", "5", "--seed",
            "3", "--out", out,
        ];
        succeeds(&[&fixed[..], more].concat());
        fs::read(out).unwrap()
    };
    let alone = play(&folder.file("alone.games"), &["--threads", "1"]);
    let once = ["--server", server, "--at-once", "1"];
    assert!(alone == play(&folder.file("served.games"), &once));
    let against = ["--server", server, "--at-once", "3", "--against", net];
    let games = folder.file("against.games");
    play(&games, &against);
    // The runs continue the same games, and labels are equal too.
    let records = ["--records", &games, "--recorded", "1", "--threads", "1"];
    play(&folder.file("more.games"), &records);
    let label = |out: &str, more: &[&str]| {
        let fixed = ["label", "--games", &games, "--net", net, "--chunk", "4"];
        succeeds(&[&fixed[..], &["--out", out], more].concat());
        fs::read(Path::new(out).join("000000.shard")).unwrap()
    };
    let search = ["--search", "9"];
    let searched = label(&folder.file("a"), &search);
    let served = [&search[..], &["--server", server]].concat();
    assert!(searched == label(&folder.file("b"), &served));
    let plain = label(&folder.file("c"), &[]);
    let ((head, searched), (_, plain)) = (sections(&searched), sections(&plain));
    assert!(head["teacher"].as_str().unwrap().ends_with("with 9 visits"));
    let (mut same, mut others) = (0, 0);
    for (a, b) in searched[0].1.iter().zip(&plain[0].1) {
        // The first of the nine visits is the position's own.
        let policy = &a[3 * 49 + 78..3 * 49 + 78 + 2 * 50];
        let shares = policy.chunks(2).map(|b| f16::from_le_bytes([b[0], b[1]]));
        let visits: Vec<f32> = shares.map(|p| p.to_f32().max(0.0) * 8.0).collect();
        let whole = visits.iter().all(|v| (v - v.round()).abs() < 0.01);
        let late = a[3 * 49 + 77] == Kind::Late as u8;
        assert!(whole || late, "{visits:?}");
        *(if a == b { &mut same } else { &mut others }) += 1;
    }
    assert!(others > same, "{others} differ, {same} do not");
}

#[test]
fn a_server_that_fails_is_named_and_costs_no_game() {
    let folder = Folder::new("failing");
    let net = &net(&folder);
    let games = &folder.file("x.games");
    let play = |net: &str, server: &str| {
        fails(&[
            "selfplay", "--net", net, "--server", server, "--games", "50", "--size", "7", "--seed",
            "3", "--out", games,
        ])
    };
    let failing = &server(40);
    let told = play(net, failing);
    assert!(told.contains(&format!("--server {failing}: ")), "{told}");
    let rest = succeeds(&[
        "selfplay", "--net", net, "--games", "1", "--seed", "3", "--out", games,
    ]);
    assert!(rest.contains(" games in "), "{rest}");
    let other = folder.write("other.bin", with_inner_channels(16).to_bytes(true));
    let text = fs::read(&other).unwrap();
    let name = text.iter().position(u8::is_ascii_whitespace).unwrap();
    let renamed = folder.write("renamed.bin", [b"renamed", &text[name..]].concat());
    let told = play(&renamed, failing);
    assert!(told.contains("does not have the network renamed"), "{told}");
    let told = play(net, "127.0.0.1:1");
    assert!(told.contains("--server 127.0.0.1:1: "), "{told}");
    let told = fails(&["label", "--games", games, "--out", "x", "--search", "8"]);
    assert!(told.contains("--search needs a teacher"), "{told}");
}
