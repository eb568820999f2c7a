//! The engine with a network: the search, the commands, and unusable files. The networks are tiny
//! and random: their outputs are nonsense, but must reach every place.

mod common;

use common::folder::Folder;
use common::nets::{Filter, Part, Plan, TinyNet};
use common::process::{Process, here};
use ponnuki::analysis::{EvaluatorChoice, Limits};
use ponnuki::gtp::vertex;
use ponnuki::net::kernels::InstructionSet;
use ponnuki::net::{Evaluation, EvaluationOptions, Model, Network, Output, Situation};
use ponnuki::player::{Decision, Engine, Settings};
use ponnuki::position::{Position, fixed_handicap};
use ponnuki::rules::{PRESETS, Ruleset, Scoring, preset};
use ponnuki::search::{
    Focus, NetworkEvaluator, Puct, PuctParams, ROOT, Restriction, Search, TreeSearch,
};
use ponnuki::types::{BoardSize, Color, Generator, Move, Point};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

fn tiny(version: usize) -> Vec<u8> {
    let filters = [Filter::THREE; 2];
    let parts = vec![
        Part::Ordinary { filters, inner: 8 },
        Part::Pool {
            filters,
            regular: 12,
            pooled: 4,
        },
    ];
    TinyNet::new(&Plan::usual(version, parts)).to_bytes(true)
}

fn network() -> Arc<Network> {
    let model = Model::read(std::io::Cursor::new(tiny(14))).unwrap();
    Arc::new(Network::new(model, InstructionSet::best()))
}

fn search(threads: usize, memory: usize, cache: usize, params: PuctParams) -> Search<Puct> {
    search_by(network(), threads, memory, cache, params)
}

fn search_by(
    network: Arc<Network>,
    threads: usize,
    memory: usize,
    cache: usize,
    params: PuctParams,
) -> Search<Puct> {
    let evaluator = NetworkEvaluator::new(network, cache);
    Search::new(threads, memory, Puct::new(Arc::new(evaluator), params)).unwrap()
}

fn empty(size: u8) -> Position {
    Position::new(BoardSize::square(size), preset("chinese").unwrap().rules)
}

/// Visits and means of all moves at the root.
fn outcome(s: &Search<Puct>) -> Vec<(Move, u32, f32)> {
    let moves = s.root_moves().into_iter();
    moves.map(|m| (m.mv, m.visits, m.win_rate)).collect()
}

#[test]
fn a_seed_and_one_thread_repeat_the_search_with_and_without_memory() {
    let run = |network: &Arc<Network>, cache: usize| {
        let mut s = search_by(network.clone(), 1, 64 << 20, cache, PuctParams::default());
        let mut p = empty(7);
        s.run(&p, 150, 5);
        // Some positions are already in the cache.
        let best = s.root_moves()[0].mv;
        p.play(Color::Black, best).unwrap();
        s.run(&p, 150, 6);
        outcome(&s)
    };
    for network in [network(), Arc::new(wide())] {
        let remembered = run(&network, 16 << 20);
        assert_eq!(remembered, run(&network, 16 << 20));
        assert_eq!(remembered, run(&network, 0));
    }
}

#[test]
fn every_visit_is_counted_on_any_number_of_threads() {
    for threads in [1, 2, 4, 8] {
        let mut s = search(threads, 64 << 20, 1 << 20, PuctParams::default());
        s.run(&empty(5), 400, 1);
        assert_eq!(s.totals().playouts(), 400);
        assert_eq!(s.tree().node(ROOT).visits(), 400);
        let at_children: u32 = s.root_moves().iter().map(|m| m.visits).sum();
        // The first visit evaluates the root; every other one reaches a child.
        assert_eq!(at_children, 399, "{threads} threads");
        assert_eq!(s.totals().ownership.playouts(), 400);
    }
}

/// A network so wide that a thread evaluates several leaves at once.
fn wide() -> Network {
    let filters = [Filter::THREE; 2];
    let plan = Plan {
        channels: 192,
        ..Plan::usual(
            14,
            vec![Part::Ordinary {
                filters,
                inner: 192,
            }],
        )
    };
    let bytes = TinyNet::new(&plan).to_bytes(true);
    let model = Model::read(std::io::Cursor::new(bytes)).unwrap();
    Network::new(model, InstructionSet::best().single())
}

#[test]
fn a_thread_that_evaluates_several_leaves_at_once_counts_every_visit_and_repeats_itself() {
    let network = Arc::new(wide());
    let position = empty(5);
    assert!(network.leaves_at_once(position.size()) > 1);
    let run = |threads: usize, visits: u64| {
        let params = PuctParams::default();
        let mut s = search_by(network.clone(), threads, 64 << 20, 1 << 20, params);
        s.run(&position, visits, 1);
        assert_eq!(s.totals().playouts(), visits, "{threads} threads");
        assert_eq!(s.tree().node(ROOT).visits(), visits as u32);
        let at_children: u32 = s.root_moves().iter().map(|m| m.visits).sum();
        assert_eq!(at_children, visits as u32 - 1);
        // Every visit's result has arrived.
        s.tree().walk(|node| {
            assert_eq!(node.statistics.arrived(), node.visits(), "{}", node.mv());
        });
        outcome(&s)
    };
    run(2, 400);
    for visits in [300, 301, 302, 303] {
        assert_eq!(run(1, visits), run(1, visits), "{visits} visits");
    }
}

#[test]
fn transpositions_share_results() {
    let run = |graph: u8, threads: usize| {
        let params = PuctParams {
            graph,
            ..PuctParams::default()
        };
        let mut s = search(threads, 64 << 20, 1 << 20, params);
        let mut p = empty(3);
        s.run(&p, 2000, 1);
        assert_eq!(s.totals().playouts(), 2000);
        assert_eq!(s.tree().node(ROOT).visits(), 2000);
        let (nodes, known) = (s.tree().len(), s.totals().known);
        // The kept part is still a graph.
        let best = s.root_moves()[0].mv;
        p.play(Color::Black, best).unwrap();
        s.run(&p, 500, 1);
        let visits: u32 = s.root_moves().iter().map(|m| m.visits).sum();
        assert!(visits < s.tree().node(ROOT).visits());
        (nodes, known, s.root_moves()[0].win_rate)
    };
    let (nodes, known, plain) = run(0, 1);
    assert_eq!(known, 0);
    for threads in [1, 2] {
        let (fewer, known, shared) = run(1, threads);
        assert!(fewer < nodes, "{fewer} of {nodes}");
        assert!(known > 10, "{known}");
        assert!((shared - plain).abs() < 0.1, "{shared} for {plain}");
    }
}

#[test]
fn lines_of_a_graph_are_legal_under_every_ruleset() {
    for preset in PRESETS {
        for size in [2, 3] {
            let params = PuctParams {
                graph: 1,
                policy_temperature: 3.0,
                ..PuctParams::default()
            };
            let mut s = search(1, 64 << 20, 1 << 20, params);
            let start = Position::new(BoardSize::square(size), preset.rules);
            s.run(&start, 1500, 1);
            let snapshot = s.snapshot().unwrap();
            for (first, line) in snapshot.moves {
                let mut p = start.clone();
                for m in std::iter::once(first.mv).chain(line.into_iter().map(|(m, _)| m)) {
                    let c = p.to_move();
                    if p.is_over() || p.long_cycle().is_some() {
                        break;
                    }
                    assert_eq!(p.legality(c, m), Ok(()), "{} {p:?} {m}", preset.name);
                    p.play(c, m).unwrap();
                }
            }
        }
    }
}

#[test]
fn a_full_tree_keeps_searching() {
    let mut s = search(2, 0, 1 << 20, PuctParams::default());
    s.start(&empty(9), 2500, 1);
    let mut full = 0;
    while !s.wait(Duration::from_secs(1)) || s.resume_if_full() {
        full += 1;
    }
    assert_eq!(s.totals().playouts(), 2500);
    assert!(s.tree().len() <= s.tree().capacity());
    assert!(full > 0, "not full: the test tests nothing");
    // The root moves keep their results, and variations are no shorter.
    let visits: u32 = s.root_moves().iter().map(|m| m.visits).sum();
    assert_eq!(visits + 1, s.tree().node(ROOT).visits());
    let moves = s.root_moves();
    let best = &moves[0];
    let mut roomy = search(2, 64 << 20, 1 << 20, PuctParams::default());
    roomy.run(&empty(9), 2500, 1);
    let known = roomy.root_moves();
    let same = known.iter().find(|m| m.mv == best.mv).unwrap();
    assert!((same.win_rate - best.win_rate).abs() < 0.05);
    assert!(s.principal_variation(30).len() > 3);
}

/// With a player's moves excluded below the root, the others are tried, even unlikely ones.
#[test]
fn moves_excluded_below_the_root_are_not_tried() {
    let corner: Move = vertex("A1").unwrap();
    let all_but = |moves: Vec<Move>| Focus {
        restrictions: vec![Restriction {
            player: Color::White,
            moves,
            all_but: true,
            until_depth: 4,
        }],
        ..Focus::default()
    };
    for left in [vec![corner], Vec::new()] {
        // Most moves have tiny priors.
        let sharp = PuctParams {
            policy_temperature: 0.1,
            ..PuctParams::default()
        };
        let mut s = search(1, 64 << 20, 1 << 20, sharp);
        s.set_focus(all_but(left.clone()));
        s.run(&empty(9), 60, 1);
        let replies = s.snapshot().unwrap().moves;
        let replies = replies.iter().filter_map(|(_, line)| line.first());
        let replies: Vec<Move> = replies.map(|&(m, _)| m).collect();
        assert!(replies.iter().all(|m| left.contains(m)), "{replies:?}");
        assert_eq!(replies.is_empty(), left.is_empty());
        // If no move is left, the network's own evaluation counts.
        let mut p = empty(9);
        p.play(Color::Black, vertex("E5").unwrap()).unwrap();
        if left.is_empty() {
            s.run(&p, 20, 1);
            let alone = s.snapshot().unwrap();
            assert!(alone.moves.iter().all(|(m, _)| m.visits == 0));
            let evaluator = Arc::new(NetworkEvaluator::new(network(), 1 << 20));
            let raw = Puct::new(evaluator, PuctParams::default()).raw(&p);
            let white = raw.white_wins + 0.5 * raw.no_result;
            let found = alone.value.win_rate;
            assert!((found - white).abs() < 0.02, "{found} {white} {raw:?}");
        }
    }
}

#[test]
fn a_node_that_becomes_the_root_has_all_moves() {
    let mut s = search(1, 64 << 20, 1 << 20, PuctParams::default());
    let mut p = empty(19);
    s.run(&p, 200, 1);
    let best = s.root_moves()[0].mv;
    p.play(Color::Black, best).unwrap();
    s.run(&p, 20, 1);
    assert!(s.tree().node(ROOT).visits() > 20, "nothing was kept");
    // Every play and the pass.
    assert_eq!(
        s.root_moves().len(),
        p.legal_plays(Color::White).count() + 1
    );
    let visits: u32 = s.root_moves().iter().map(|m| m.visits).sum();
    assert_eq!(visits + 1, s.tree().node(ROOT).visits());
}

#[test]
fn excluded_moves_are_not_tried() {
    let mut s = search(1, 64 << 20, 1 << 20, PuctParams::default());
    let only = Move::Play(Point::new(1, 2));
    s.set_focus(Focus {
        restrictions: vec![Restriction {
            player: Color::Black,
            moves: vec![only],
            all_but: true,
            until_depth: 1,
        }],
        move_ownership: true,
    });
    s.run(&empty(5), 50, 1);
    let tried: Vec<_> = s
        .root_moves()
        .into_iter()
        .filter(|m| m.visits > 0)
        .collect();
    assert_eq!(tried.len(), 1);
    assert_eq!(tried[0].mv, only);
    let by_move = &s.totals().by_move[tried[0].at];
    assert_eq!(by_move.sums.playouts, 49);
    assert_eq!(by_move.ownership.as_ref().unwrap().playouts(), 49);
}

#[test]
fn averaged_over_all_symmetries_the_root_is_symmetric() {
    let params = PuctParams {
        root_symmetries: 8,
        ..PuctParams::default()
    };
    let mut s = search(1, 64 << 20, 1 << 20, params);
    s.run(&empty(9), 1, 1);
    let priors: Vec<(Move, f32)> = s.root_moves().iter().map(|m| (m.mv, m.prior)).collect();
    let of = |x: u8, y: u8| {
        let p = Move::Play(Point::new(x, y));
        priors.iter().find(|(m, _)| *m == p).unwrap().1
    };
    let sum: f32 = priors.iter().map(|(_, p)| p).sum();
    assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    for (x, y) in [(0, 1), (2, 3), (4, 1)] {
        for (a, b) in [(8 - x, y), (x, 8 - y), (y, x)] {
            assert!((of(x, y) - of(a, b)).abs() < 1e-5);
        }
    }
}

#[test]
fn noise_and_temperature_change_the_priors() {
    let priors = |set: fn(&mut PuctParams)| {
        let mut params = PuctParams::default();
        set(&mut params);
        let mut s = search(1, 64 << 20, 0, params);
        s.run(&empty(5), 1, 1);
        let mut moves = s.root_moves();
        moves.sort_by_key(|m| m.mv.to_raw());
        let values = moves.iter().map(|m| m.prior);
        values.collect::<Vec<f32>>()
    };
    let spread = |p: &[f32]| p.iter().copied().fold(0.0, f32::max);
    let plain = priors(|_| ());
    assert_eq!(plain, priors(|_| ()));
    assert!(spread(&priors(|p| p.root_policy_temperature = 3.0)) < spread(&plain));
    let noisy = priors(|p| p.root_noise = 0.5);
    assert_ne!(plain, noisy);
    assert!((noisy.iter().sum::<f32>() - 1.0).abs() < 1e-4);
    // The optimistic policy differs, as does that of another symmetry.
    assert_ne!(plain, priors(|p| p.root_optimism = 1.0));
    assert_ne!(priors(|p| p.symmetry = 0), priors(|p| p.symmetry = 5));
}

#[test]
fn games_with_a_network_are_legal_under_every_ruleset() {
    let folder = Folder::new("networks-rules");
    let file = folder.write("net.bin", tiny(8));
    for preset in PRESETS {
        for (w, h) in [(9, 9), (7, 4), (2, 2)] {
            let mut engine = Engine::new(Settings {
                size: Some(BoardSize::new(w, h).unwrap()),
                rules: preset.rules,
                evaluator: EvaluatorChoice::File(file.clone().into()),
                threads: 1,
                memory: 8 << 20,
                net_cache: 1 << 20,
                limits: Limits::of_playouts(8),
                resign_below: None,
                ..Settings::default()
            })
            .unwrap();
            // Not to the end: a random network's estimate of dead stones is hard to prove or
            // refute.
            for _ in 0..10 {
                let c = engine.position().to_move();
                let before = engine.position().clone();
                let Decision::Move(m) = engine.genmove(c) else {
                    panic!("resigned although told not to");
                };
                assert_eq!(before.legality(c, m), Ok(()), "{} {before:?}", preset.name);
                if engine.position().is_over() || engine.position().long_cycle().is_some() {
                    break;
                }
            }
            assert!(engine.network_complaint().is_none());
        }
    }
}

#[test]
fn the_network_is_used_by_every_command() {
    let folder = Folder::new("networks-commands");
    let file = folder.write("net.bin", tiny(15));
    let flags = ["--net", &file, "--playouts", "40", "--threads", "2"];
    let mut engine = Process::start(&flags, here());
    for command in [
        "boardsize 7",
        "komi 6.5",
        "genmove b",
        "play w c3",
        "kata-search_analyze b ownership true movesOwnership true rootInfo true",
        "lz-genmove_analyze b",
        "reg_genmove w",
        "top_moves",
        "estimate_score",
        "final_score",
        "final_status_list dead",
        "ponnuki-param root_policy_temperature 1.1",
        "genmove w",
        "undo",
        "cgos-genmove_analyze w",
        "clear_cache",
        "kata-set-param maxVisits 30",
        "genmove b",
        "rectangular_boardsize 6 9",
        "genmove b",
    ] {
        let reply = engine.ask(command);
        assert!(reply.starts_with('='), "{command}: {reply}");
    }
    let raw = engine.ask("kata-raw-nn all");
    assert_eq!(raw.matches("symmetry").count(), 4, "{raw}");
    engine.ask("boardsize 5");
    let raw = engine.ask("kata-raw-nn w 3 0.5");
    let number = |key: &str| -> f32 {
        let line = raw.lines().find(|l| l.starts_with(key)).unwrap();
        line[key.len()..].trim().parse().unwrap()
    };
    let results = number("whiteWin") + number("whiteLoss") + number("noResult");
    assert!((results - 1.0).abs() < 1e-4);
    let policy: f32 = raw
        .lines()
        .skip_while(|l| *l != "policy")
        .skip(1)
        .take(5)
        .flat_map(str::split_whitespace)
        .map(|w| w.parse::<f32>().unwrap())
        .sum();
    assert!((policy + number("policyPass") - 1.0).abs() < 1e-3, "{raw}");
    assert_eq!(
        raw.lines().skip_while(|l| *l != "whiteOwnership").count(),
        6
    );
    for wrong in [
        "kata-raw-nn 8",
        "kata-raw-nn x",
        "kata-raw-nn 0 2",
        "kata-raw-nn",
    ] {
        assert!(engine.ask(wrong).starts_with("? syntax error"), "{wrong}");
    }
}

#[test]
fn a_specialist_evaluates_boards_of_its_size_and_no_others() {
    let open = |version| {
        let model = Model::read(std::io::Cursor::new(tiny(version))).unwrap();
        Network::new(model, InstructionSet::best())
    };
    let situation = |size: u8| Situation::of(&empty(size));
    let both = open(14).with_specialist(BoardSize::square(7), open(11));
    let named: Vec<_> = both.specialists().collect();
    assert_eq!(named, [(BoardSize::square(7), open(11).name())]);
    let mut evaluation = Evaluation::default();
    let mut said = |network: &Network, size: u8| {
        let output = evaluation.run(
            network,
            &situation(size),
            EvaluationOptions::default(),
            |_| true,
        );
        (output.black_wins, output.lead)
    };
    let [general, specialist] = [open(14), open(11)];
    assert_ne!(said(&general, 7), said(&specialist, 7));
    for (size, alone) in [(5, &general), (7, &specialist), (9, &general)] {
        for set in InstructionSet::available() {
            let (both, alone) = (both.laid_out_for(set), alone.laid_out_for(set));
            let wanted = said(&alone, size);
            assert_eq!(said(&both, size), wanted, "{size} on {}", set.name());
        }
        let signature = |network: &Network| network.signature([situation(size)]);
        assert_eq!(signature(&both), signature(alone), "{size}");
    }
}

#[test]
fn the_network_in_the_program_has_a_specialist_for_9x9() {
    let start = |net| Process::start(&["--net", net, "--threads", "1"], here());
    let mut built_in = start("built-in");
    let mut general = start("training/networks/b10c64.bin.gz");
    let mut specialist = start("training/networks/b10c64-9x9.bin.gz");
    let raw = |engine: &mut Process, size: &str| {
        engine.ask(&format!("boardsize {size}"));
        engine.ask("kata-raw-nn 0")
    };
    for size in ["7", "13", "9 7"] {
        let said = raw(&mut built_in, size);
        assert_eq!(said, raw(&mut general, size), "{size}");
    }
    let said = raw(&mut built_in, "9");
    assert_eq!(said, raw(&mut specialist, "9"));
    assert_ne!(said, raw(&mut general, "9"));
}

/// For the embedded network, on an empty board, after an opening and in a fight.
#[test]
fn a_higher_komi_is_always_better_for_white() {
    let mut engine = Process::start(&["--net", "built-in", "--threads", "1"], here());
    let opening = ["b E5", "w C3", "b G3", "w D7"];
    let fight = ["b F7", "w E6", "b F6", "w D5", "b F5", "w E4"];
    let moves = [&opening[..], &fight].concat();
    for (size, played) in [(9, 0), (13, 0), (19, 0), (9, 4), (9, 7), (9, 10)] {
        engine.ask(&format!("boardsize {size}"));
        for play in &moves[..played] {
            assert_eq!(engine.ask(&format!("play {play}")), "= ");
        }
        let mut before = 0.0;
        for komi in -20..=20 {
            engine.ask(&format!("komi {komi}"));
            let said = engine.ask("kata-raw-nn 0");
            let mut words = said.split_whitespace();
            words.find(|&w| w == "whiteWin");
            let wins: f32 = words.next().unwrap().parse().unwrap();
            // The network learned komi only from its features, so allow small errors.
            assert!(
                wins > before - 0.005,
                "{size}, {played}, komi {komi}: {wins}"
            );
            before = wins.max(before);
        }
        assert!(before > 0.9, "{size}, {played}: {before}");
    }
}

#[test]
fn a_truncated_network_is_named_and_the_game_goes_on() {
    let bytes = tiny(14);
    let folder = Folder::new("networks-broken");
    let file = folder.write("net.bin", &bytes[..bytes.len() / 2]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_ponnuki"));
    command
        .args(["--net", &file, "--playouts", "100", "--threads", "1"])
        .stderr(Stdio::piped());
    let mut engine = Process::spawn(&mut command);
    engine.ask("boardsize 5");
    assert!(engine.ask("genmove b").starts_with("= "));
    let why = engine.ask("kata-raw-nn 0");
    assert!(why.starts_with("? no network: "), "{why}");
    assert!(why.contains("the file ends"), "{why}");
    assert_eq!(engine.ask("quit"), "= ");
    engine.wait();
    let mut said = String::new();
    let errors = engine.child.stderr.as_mut().unwrap();
    std::io::Read::read_to_string(errors, &mut said).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains(&file) && said.contains("playing without it"));
}

#[test]
fn a_file_that_is_not_a_network_is_refused_at_the_start() {
    let folder = Folder::new("networks-none");
    let text = folder.write("text.bin", "(;GM[1]FF[4])");
    let old = folder.write("old.bin", "name 5 22 19 trunk");
    for (path, why) in [
        (&*text, "not a KataGo network file"),
        (&*old, "version 5 are not supported"),
        ("/no/such/file", "No such file"),
        ("/dev/zero", "not a regular file"),
    ] {
        for command in ["gtp", "bench"] {
            let output = Command::new(env!("CARGO_BIN_EXE_ponnuki"))
                .args([command, "--net", path])
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{said}");
            assert!(said.contains(why) && said.contains(path), "{said}");
            assert_eq!(said.lines().count(), 1);
        }
    }
    let mut engine = Process::start(&[], here());
    assert_eq!(
        engine.ask("kata-raw-nn 0"),
        "? no network: playouts evaluate 19x19 boards; start with --net FILE"
    );
}

#[test]
fn records_are_not_scored_or_analysed_without_their_network() {
    let folder = Folder::new("networks-records");
    let bytes = tiny(9);
    let whole = folder.write("whole.bin", &bytes);
    let cut = folder.write("cut.bin", &bytes[..bytes.len() - 100]);
    let game = folder.write("game.sgf", "(;GM[1]FF[4]SZ[5]KM[7];B[cc];W[cb];B[bb])");
    for (command, more) in [("score", &[][..]), ("analyze", &["--visits", "5"][..])] {
        let run = |net: &str| {
            Command::new(env!("CARGO_BIN_EXE_ponnuki"))
                .args([command, &game, "--net", net])
                .args(more)
                .output()
                .unwrap()
        };
        let output = run(&whole);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success() && !output.stdout.is_empty(),
            "{said}"
        );
        let output = run(&cut);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains(&cut) && said.contains("the file ends"),
            "{said}"
        );
    }
}

#[test]
fn batched_evaluations_equal_single_ones() {
    let network = Arc::new(wide());
    for size in 5..8 {
        assert!(network.most_at_once(BoardSize::square(size)) > 1);
    }
    let positions: Vec<Position> = (2..14)
        .map(|n| {
            let size = BoardSize::square(5 + n % 3);
            let mut position = Position::new(size, preset("chinese").unwrap().rules);
            for at in 0..n {
                let point = Point::new(at % size.width(), at / size.width());
                position
                    .play(position.to_move(), Move::Play(point))
                    .unwrap();
            }
            position
        })
        .collect();
    let said = |position: &Position, output: &Output| {
        let policy = position.size().points().map(|p| output.policy[p.index()]);
        let policy: Vec<f32> = policy.collect();
        (output.black_wins, output.lead, policy)
    };
    let evaluate = |position: &Position, evaluation: &mut Evaluation| {
        let situation = Situation::of(position);
        let output = evaluation.run(&network, &situation, EvaluationOptions::default(), |_| true);
        said(position, output)
    };
    let mut evaluation = Evaluation::default();
    let alone: Vec<_> = positions
        .iter()
        .map(|position| evaluate(position, &mut evaluation))
        .collect();
    for size in 5..8 {
        let size = BoardSize::square(size);
        let of_size = |at: &usize| positions[*at].size() == size;
        let group: Vec<usize> = (0..positions.len()).filter(of_size).collect();
        let mut evaluations: Vec<Evaluation> =
            group.iter().map(|_| Evaluation::default()).collect();
        let options = EvaluationOptions::default();
        for (evaluation, at) in evaluations.iter_mut().zip(&group) {
            let situation = Situation::of(&positions[*at]);
            evaluation.prepare(&network, &situation, options, |_| true);
        }
        let mut all: Vec<&mut Evaluation> = evaluations.iter_mut().collect();
        network.evaluate(size, &mut all);
        for (evaluation, at) in evaluations.iter_mut().zip(&group) {
            let situation = Situation::of(&positions[*at]);
            evaluation.read(&network, &situation, options, |_| true);
            assert!(
                said(&positions[*at], &evaluation.output) == alone[*at],
                "{at}"
            );
        }
    }
    // Only one thread evaluates, so the others wait.
    network.limit_threads(1);
    std::thread::scope(|scope| {
        for first in 0..positions.len() {
            let (positions, alone) = (&positions, &alone);
            scope.spawn(move || {
                let mut evaluation = Evaluation::default();
                for i in 0..60 {
                    let at = (first + i) % positions.len();
                    assert!(
                        evaluate(&positions[at], &mut evaluation) == alone[at],
                        "{at}"
                    );
                }
            });
        }
    });
}

/// If passes cost a stone, the network counts area and gets the rest as komi. Both together give
/// the final count, also with handicap and with either player to move.
#[test]
fn the_networks_komi_matches_the_count() {
    let area = preset("tromp-taylor").unwrap().rules;
    let costly = Ruleset {
        pass_costs_stone: true,
        ..area
    };
    let mut rng = Generator::new(1);
    for (rules, handicap) in [
        (preset("uk").unwrap().rules, 0),
        (preset("uk").unwrap().rules, 4),
        (preset("japanese").unwrap().rules, 3),
        (costly, 0),
    ] {
        for _ in 0..20 {
            let mut p = Position::new(BoardSize::square(7), rules);
            if handicap > 0 {
                let points = fixed_handicap(p.size(), handicap).unwrap();
                p.place_handicap(&points).unwrap();
            }
            for _ in 0..rng.below(40) {
                let c = p.to_move();
                let plays: Vec<Point> = p.legal_plays(c).collect();
                let passes = rng.chance(40) && !p.pass_would_end();
                let m = match plays.len() as u32 {
                    n if n > 0 && !passes => Move::Play(plays[rng.below(n) as usize]),
                    _ => Move::Pass,
                };
                p.play(c, m).unwrap();
            }
            // Only passes follow.
            let told = Situation::of(&p).bonus;
            while !p.is_over() {
                p.play(p.to_move(), Move::Pass).unwrap();
            }
            let margin = p.score(&[], |_| false).margin();
            let ended = Situation::of(&p).bonus;
            p.set_rules(area);
            let stones = p.score(&[], |_| false).margin() + p.white_bonus();
            assert_eq!(
                stones - margin,
                f64::from(ended),
                "{rules:?}, {handicap} stones"
            );
            if rules.scoring == Scoring::Territory {
                assert_eq!(told, ended, "{rules:?}, {handicap} stones");
            }
        }
    }
}

/// KataGo's networks were trained without the history before the passes that stopped a game.
#[test]
fn history_begins_at_the_passes_that_stopped_the_game() {
    let recent = |rules: &str, moves: &[&str]| {
        let mut p = Position::new(BoardSize::square(9), preset(rules).unwrap().rules);
        for m in moves {
            p.play(p.to_move(), vertex(m).unwrap()).unwrap();
        }
        Situation::of(&p).recent
    };
    let named =
        |moves: &[&str]| -> Vec<Move> { moves.iter().map(|m| vertex(m).unwrap()).collect() };
    let game = ["C3", "G7", "pass", "pass", "E5", "C7"];
    assert_eq!(recent("japanese", &game), named(&["C7", "E5", "pass"]));
    assert_eq!(recent("japanese", &game[..4]), named(&["pass"]));
    let alone = ["C3", "G7", "pass", "E5", "C7"];
    assert_eq!(recent("japanese", &alone).len(), 5);
    // White has not passed last: the game has not stopped.
    let uk = ["C3", "pass", "pass", "G7", "C7"];
    assert_eq!(recent("uk", &uk).len(), 5);
}

#[test]
fn a_board_on_which_playouts_evaluate_has_no_raw_evaluation() {
    let mut engine = Process::start(&["--net", "built-in", "--threads", "1"], here());
    engine.ask("boardsize 5");
    let raw = engine.ask("kata-raw-nn 0");
    assert!(
        raw.contains("? no network: playouts evaluate 5x5 boards"),
        "{raw}"
    );
}
