//! The engine as a player: legal moves, determinism where promised, sensible captures, passes and
//! resignations.

use ponnuki::analysis::{
    AnalysisReport, AnalysisRequest, Analyst, ChainStatus, EvaluatorChoice, Include, Limits,
    MoveReport, Resources,
};
use ponnuki::board::Board;
use ponnuki::gtp::vertex;
use ponnuki::player::{Decision, Engine, SearchOptions, Settings};
use ponnuki::playout::Ownership;
use ponnuki::position::{Outcome, Owner, Position, fixed_handicap};
use ponnuki::rules::{PRESETS, Ruleset, preset};
use ponnuki::search::{ROOT, Rave, RaveParams, Search, SearchParams, TreeSearch};
use ponnuki::types::{BoardSize, Color, Komi, Move, Point};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn rules(name: &str) -> Ruleset {
    preset(name).expect(name).rules
}

fn settings(playouts: u64) -> Settings {
    Settings {
        threads: 1,
        limits: Limits::of_playouts(playouts),
        memory: 64 << 20,
        resign_below: None,
        evaluator: EvaluatorChoice::Playouts,
        ..Settings::default()
    }
}

/// An engine at the position of a diagram.
fn engine_at(diagram: &str, to_move: Color, rules: Ruleset, settings: Settings) -> Engine {
    let mut engine = Engine::new(settings).unwrap();
    let board = Board::from_diagram(diagram).unwrap();
    engine.switch_game(Position::from_board(board, to_move, rules));
    engine
}

/// An engine with the embedded network at a position under these rules with this komi.
fn engine_with_network(
    diagram: &str,
    to_move: Color,
    (name, komi): (&str, f64),
    playouts: u64,
) -> Engine {
    let settings = Settings {
        evaluator: EvaluatorChoice::Embedded,
        ..settings(playouts)
    };
    let mut rules = rules(name);
    rules.komi = Komi::new(komi).unwrap();
    engine_at(diagram, to_move, rules, settings)
}

fn point(text: &str) -> Point {
    let x = text.as_bytes()[0] - b'A';
    let y: u8 = text[1..].parse().unwrap();
    Point::new(if x > 8 { x - 1 } else { x }, y - 1)
}

fn search_to_end(search: &mut Search<Rave>, position: &Position, playouts: u64, seed: u64) {
    search.start(position, playouts, seed);
    while !search.wait(Duration::from_secs(1)) {}
}

#[test]
fn one_thread_and_a_seed_give_the_same_tree() {
    let run = |seed| {
        let mut s = Search::new(1, 64 << 20, Rave::new(RaveParams::default())).unwrap();
        let p = Position::new(BoardSize::square(9), rules("new-zealand"));
        search_to_end(&mut s, &p, 2000, seed);
        (s.root_moves(), s.tree().len(), s.totals().moves)
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).2, run(2).2);
}

#[test]
fn every_playout_is_counted_once() {
    for threads in [1, 2, 4] {
        let mut s = Search::new(threads, 64 << 20, Rave::new(RaveParams::default())).unwrap();
        let p = Position::new(BoardSize::square(7), rules("aga"));
        search_to_end(&mut s, &p, 5000, 3);
        assert_eq!(s.totals().playouts(), 5000);
        assert_eq!(s.tree().node(ROOT).visits(), 5000);
        let at_children: u32 = s.root_moves().iter().map(|m| m.visits).sum();
        assert!(at_children as u64 >= 5000 - threads as u64, "{at_children}");
    }
}

/// Reading a running search neither stops it nor changes its results.
#[test]
fn a_running_search_is_read_without_a_trace() {
    let p = Position::new(BoardSize::square(9), rules("new-zealand"));
    let run = |reports: bool| {
        let mut s = Search::new(1, 64 << 20, Rave::new(RaveParams::default())).unwrap();
        s.start(&p, 4000, 1);
        let (mut visits, mut read) = (0, 0);
        while !s.wait(Duration::from_millis(1)) {
            if let Some(now) = s.snapshot().filter(|_| reports) {
                assert!(now.visits >= visits && now.visits <= 4000);
                assert!((0.0..=1.0).contains(&now.moves.first().map_or(0.5, |m| m.0.win_rate)));
                let at_children: u32 = now.moves.iter().map(|m| m.0.visits).sum();
                assert!(
                    at_children <= now.visits + 1,
                    "{at_children} of {}",
                    now.visits
                );
                assert!(now.totals.ownership.playouts() > 0 || now.visits == 0);
                visits = now.visits;
                read += 1;
            }
        }
        assert_eq!(read > 10, reports, "{read}");
        s.root_moves()
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn a_full_tree_keeps_searching() {
    let mut s = Search::new(2, 0, Rave::new(RaveParams::default())).unwrap();
    let p = Position::new(BoardSize::square(13), rules("chinese"));
    s.start(&p, 6000, 3);
    let mut rounds = 0;
    while !s.wait(Duration::from_secs(1)) || s.resume_if_full() {
        rounds += 1;
    }
    assert_eq!(s.totals().playouts(), 6000);
    assert!(s.tree().len() <= s.tree().capacity());
    assert!(rounds > 1, "not full: the test tests nothing");
    // It has continued from earlier results.
    assert_eq!(s.tree().node(ROOT).visits(), 6000);
    assert!(!s.resume_if_full(), "nothing is left to do");
}

#[test]
fn the_tree_is_kept_from_move_to_move() {
    let mut s = Search::new(1, 64 << 20, Rave::new(RaveParams::default())).unwrap();
    let mut p = Position::new(BoardSize::square(9), rules("new-zealand"));
    search_to_end(&mut s, &p, 3000, 1);
    let line = s.principal_variation(2);
    for &m in &line {
        p.play(p.to_move(), m).unwrap();
    }
    search_to_end(&mut s, &p, 10, 1);
    assert!(s.tree().node(ROOT).visits() > 10);
    // Nothing is kept for another game.
    let other = Position::new(BoardSize::square(9), rules("aga"));
    search_to_end(&mut s, &other, 10, 1);
    assert_eq!(s.tree().node(ROOT).visits(), 10);
}

/// A repeated request gets means over all visits, not only over the few new ones.
#[test]
fn a_repeated_request_gets_the_same_values() {
    for evaluator in [EvaluatorChoice::Playouts, EvaluatorChoice::Embedded] {
        let visits = match evaluator {
            EvaluatorChoice::Playouts => 3000,
            _ => 200,
        };
        let resources = Resources {
            threads: 1,
            memory: 16 << 20,
            cache: 1 << 20,
        };
        let mut analyst = Analyst::new(&evaluator, resources, SearchParams::default()).unwrap();
        let mut p = Position::new(BoardSize::square(9), rules("new-zealand"));
        let mut ask = |p: &Position, seed| {
            let request = AnalysisRequest {
                limits: Limits {
                    visits: Some(visits),
                    ..Limits::default()
                },
                include: Include {
                    move_ownership: true,
                    ..Include::default()
                },
                seed,
                ..AnalysisRequest::new(p.clone())
            };
            analyst.answer(&request, &AtomicBool::new(false))
        };
        let first = ask(&p, 1);
        assert_eq!(first.playouts, visits);
        let told = |r: &AnalysisReport| {
            let of_points = |o: &Ownership| {
                let points = p.size().points();
                points
                    .map(|q| (o.of(q), o.deviation(q)))
                    .collect::<Vec<_>>()
            };
            let moves = r.moves.iter().filter(|m| m.visits > 0);
            let of_moves: Vec<_> = moves
                .map(|m| (m.mv, m.score, of_points(m.ownership.as_ref().unwrap())))
                .collect();
            (r.score, r.no_result, of_points(&r.ownership), of_moves)
        };
        for seed in 2..4 {
            let again = ask(&p, seed);
            assert_eq!((again.playouts, again.visits), (0, first.visits));
            assert_eq!(told(&again), told(&first), "{evaluator}");
        }
        // Results for the move played next are those of the position after it.
        let best = first.moves[0].clone();
        p.play(Color::Black, best.mv).unwrap();
        let next = ask(&p, 5);
        let known = f64::from(best.visits);
        let new = next.playouts as f64;
        assert!(new < visits as f64);
        // Some visits of a graph evaluate nothing.
        assert!(
            f64::from(next.ownership.playouts()) > 0.9 * (known + new),
            "{evaluator}"
        );
        let change = (next.score.mean + best.score.mean).abs();
        assert!(
            change <= 60.0 * new / (known + new),
            "{change} {known} {new}"
        );
    }
}

/// A leaf whose pass ended the game was counted repeatedly and has searched no move. When the game
/// is resumed, that pass no longer ends it.
#[test]
fn no_result_is_kept_of_a_leaf_that_ended_the_game() {
    let board = Board::from_diagram(FINISHED).unwrap();
    let mut p = Position::from_board(board, Color::Black, rules("tromp-taylor"));
    p.play(Color::Black, Move::Pass).unwrap();
    let mut s = Search::new(1, 64 << 20, Rave::new(RaveParams::default())).unwrap();
    search_to_end(&mut s, &p, 2000, 1);
    p.play(Color::White, Move::Pass).unwrap();
    assert!(p.is_over());
    search_to_end(&mut s, &p, 10, 1);
    assert_eq!(s.tree().node(ROOT).visits(), 10);
    p.resume(Color::White);
    search_to_end(&mut s, &p, 20, 1);
    assert_eq!(s.tree().node(ROOT).visits(), 20);
    search_to_end(&mut s, &p, 5, 1);
    assert_eq!(s.tree().node(ROOT).visits(), 25);
}

/// The same hopeless move, requested three times, counts once.
#[test]
fn a_move_taken_back_is_not_counted_as_hopeless() {
    let hopeless = Settings {
        resign_below: Some(0.9),
        resign_moves: 2,
        resign_after: 0,
        ..settings(50)
    };
    let mut r = rules("japanese");
    r.komi = Komi::new(60.0).unwrap();
    let mut e = engine_at(FINISHED, Color::Black, r, hopeless);
    for _ in 0..3 {
        assert!(matches!(e.genmove(Color::Black), Decision::Move(_)));
        assert!(e.undo(1));
    }
}

#[test]
fn games_against_itself_are_legal_and_end_under_every_ruleset() {
    for preset in PRESETS {
        for (w, h) in [(5, 5), (7, 4), (2, 2)] {
            let mut engine = Engine::new(Settings {
                size: Some(BoardSize::new(w, h).unwrap()),
                rules: preset.rules,
                ..settings(60)
            })
            .unwrap();
            for turn in 0.. {
                assert!(turn < 400, "{} {w}x{h} does not end", preset.name);
                let c = engine.position().to_move();
                let before = engine.position().clone();
                let Decision::Move(m) = engine.genmove(c) else {
                    panic!("resigned although told not to");
                };
                assert_eq!(before.legality(c, m), Ok(()), "{} {before:?}", preset.name);
                engine.position().board().check().unwrap();
                if engine.position().is_over() || engine.position().long_cycle().is_some() {
                    break;
                }
            }
            engine.judgement();
        }
    }
}

#[test]
fn captures_what_decides_the_game() {
    // The player who plays J1 or the atari wins the race; Black captures four stones.
    let mut e = engine_at(
        ". . . . . . .
         . X X X X . .
         . X O O X . .
         . X O O . O .
         . X X X O O .
         . . . . O . .
         . . . . . . .",
        Color::Black,
        rules("chinese"),
        settings(1500),
    );
    assert_eq!(
        e.genmove(Color::Black),
        Decision::Move(Move::Play(point("E4")))
    );
}

#[test]
fn reg_genmove_changes_nothing_and_repeats_itself() {
    let mut e = Engine::new(Settings {
        size: Some(BoardSize::square(9)),
        ..settings(500)
    })
    .unwrap();
    let first = e.reg_genmove(Color::Black);
    assert_eq!(first, e.reg_genmove(Color::Black));
    assert!(e.position().turns().is_empty());
    assert_eq!(e.position().to_move(), Color::Black);
}

/// A finished game: Black has the left, White the right, all dame filled.
const FINISHED: &str = ". X . X O . O . .
     X X X X O O . O O
     . X . X O . O . O
     X X X X O O O O .
     X . X O O . O . O
     X X X X O O O O .
     . X . X O . O O O
     X X X X O O . O .
     . X . X O . O O .";

#[test]
fn passes_when_nothing_is_left_to_gain() {
    for name in [
        "new-zealand",
        "uk",
        "japanese",
        "chinese",
        "tromp-taylor",
        "aga",
    ] {
        let mut r = rules(name);
        // Black passes whether ahead or behind.
        for komi in [-20.0, 20.0] {
            r.komi = Komi::new(komi).unwrap();
            let mut e = engine_at(FINISHED, Color::Black, r, settings(300));
            assert_eq!(
                e.genmove(Color::Black),
                Decision::Move(Move::Pass),
                "{name} {komi}"
            );
        }
    }
}

/// A finished game with a dead black stone in White's area.
const DEAD_STONE: &str = ". X . X O . . . .
     X X X X O O . O O
     . X . X O . O . O
     X X X X O O O O .
     . X . X O . . . O
     X X X X O O O O O
     . X . X O . X . O
     X X X X O O . O .
     . X . X O . O O .";

#[test]
fn a_dead_stone_is_dead_by_agreement_and_stands_under_tromp_taylor() {
    for (name, dead) in [
        ("chinese", true),
        ("japanese", true),
        ("tromp-taylor", false),
    ] {
        let mut e = engine_at(DEAD_STONE, Color::White, rules(name), settings(300));
        let j = e.judgement();
        let stones: Vec<_> = j.dead().collect();
        assert_eq!(
            stones,
            if dead { vec![point("G3")] } else { vec![] },
            "{name}"
        );
        let all_else_lives = j
            .chains()
            .iter()
            .all(|(s, status)| (*status == ChainStatus::Dead) == (dead && s[0] == point("G3")));
        assert!(all_else_lives, "{name}");
        if dead {
            assert_eq!(j.owner(point("F3")), Owner::Player(Color::White));
        }
    }
}

#[test]
fn does_not_pass_while_passing_loses_as_the_board_stands() {
    // White must capture the stone at G3: left there, it makes F3, H3 and G2 neutral, and White
    // needs those points to win.
    let mut r = rules("tromp-taylor");
    let board = Board::from_diagram(DEAD_STONE).unwrap();
    let stands = Position::from_board(board.clone(), Color::White, r).score(&[], |_| false);
    let gone = Position::from_board(board, Color::White, r).score(&[point("G3")], |_| false);
    let (a, b) = (stands.margin(), gone.margin());
    assert!(b < a);
    // With a komi between, White loses by passing now and wins by capturing.
    r.komi = Komi::new(r.komi.points() + (a + b) / 2.0).unwrap();
    let mut e = engine_at(DEAD_STONE, Color::Black, r, settings(500));
    e.play(Color::Black, Move::Pass).unwrap();
    let Decision::Move(Move::Play(_)) = e.genmove(Color::White) else {
        panic!("passed");
    };
}

#[test]
fn resigns_only_within_its_settings() {
    let lost = |resign_below, resign_after| {
        let mut r = rules("chinese");
        r.komi = Komi::new(300.0).unwrap();
        let mut e = Engine::new(Settings {
            size: Some(BoardSize::square(9)),
            rules: r,
            resign_below,
            resign_moves: 2,
            resign_after,
            ..settings(50)
        })
        .unwrap();
        let first = e.genmove(Color::Black);
        let _ = e.genmove(Color::White);
        let second = e.genmove(Color::Black);
        (first == Decision::Resign, second == Decision::Resign)
    };
    // White's move in between was not hopeless: the count restarts.
    assert_eq!(lost(None, 0), (false, false));
    assert_eq!(lost(Some(0.1), 100), (false, false));
    let mut r = rules("chinese");
    r.komi = Komi::new(300.0).unwrap();
    let mut e = Engine::new(Settings {
        size: Some(BoardSize::square(9)),
        rules: r,
        // Komi set by the players: White's passes, which give handicap, do not change it.
        komi: Some(r.komi),
        resign_below: Some(0.1),
        resign_moves: 2,
        resign_after: 0,
        ..settings(50)
    })
    .unwrap();
    let mut answers = Vec::new();
    for _ in 0..2 {
        answers.push(e.genmove(Color::Black));
        if answers.last() != Some(&Decision::Resign) {
            e.play(Color::White, Move::Pass).unwrap();
        }
    }
    assert_ne!(answers[0], Decision::Resign);
    assert_eq!(answers[1], Decision::Resign);
    assert_eq!(e.position().turns().len(), 2, "resigning plays nothing");
}

/// Its win rate is near zero then, which is the purpose of the handicap.
#[test]
fn the_handicap_giver_waits_for_mistakes() {
    let engine = |stones, komi| {
        let mut e = Engine::new(Settings {
            size: Some(BoardSize::square(9)),
            rules: rules("new-zealand"),
            komi,
            resign_below: Some(0.5),
            resign_moves: 1,
            resign_after: 0,
            ..settings(100)
        })
        .unwrap();
        if stones > 0 {
            e.place_handicap(&fixed_handicap(BoardSize::square(9), stones).unwrap())
                .unwrap();
        }
        e
    };
    for stones in 2..=5 {
        let mut e = engine(stones, None);
        assert_ne!(e.genmove(Color::White), Decision::Resign, "{stones}");
    }
    // The same with komi alone, for either colour.
    let komi = |points| Some(Komi::new(points).unwrap());
    let mut e = engine(0, komi(-20.0));
    e.play(Color::Black, Move::Pass).unwrap();
    assert_ne!(e.genmove(Color::White), Decision::Resign);
    assert_ne!(
        engine(0, komi(40.0)).genmove(Color::Black),
        Decision::Resign
    );
    // A deficit too large to recover is no handicap.
    assert_eq!(
        engine(0, komi(90.0)).genmove(Color::Black),
        Decision::Resign
    );
    // White has lost much more than the handicap.
    let mut e = engine(2, None);
    for v in ["A1", "B1", "C1", "D1"] {
        e.play(Color::White, vertex(v).unwrap()).unwrap();
        e.play(Color::Black, vertex(&v.replace('1', "5")).unwrap())
            .unwrap();
    }
    assert_eq!(e.genmove(Color::White), Decision::Resign);
}

#[test]
fn free_handicap_is_exact() {
    for n in [2, 9, 13, 30] {
        let mut e = Engine::new(settings(10)).unwrap();
        assert_eq!(e.place_free_handicap(n).unwrap().len(), n as usize);
        assert_eq!(e.position().handicap(), n);
        assert!(!e.undo(1), "handicap is never taken back");
    }
}

#[test]
fn pondering_continues_until_the_next_command_or_its_cap() {
    for (ponder, cap, visits) in [
        (false, None, None),
        (true, None, None),
        (true, Some(50), None),
        (true, None, Some(80)),
    ] {
        let mut e = Engine::new(Settings {
            ponder,
            limits: Limits {
                playouts: cap,
                visits,
                time: Some(Duration::from_millis(20)),
            },
            ..settings(0)
        })
        .unwrap();
        let Decision::Move(_) = e.genmove(Color::Black) else {
            panic!("resigned the first move");
        };
        assert!(
            !e.is_pondering(),
            "not before the command has been answered"
        );
        e.idle();
        let capped = cap.is_some() || visits.is_some();
        assert!(capped || e.is_pondering() == ponder);
        // The cap ends it; otherwise it goes on.
        while capped && e.is_pondering() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(e.is_pondering(), ponder && !capped);
        e.play(Color::White, Move::Pass).unwrap();
        assert!(!e.is_pondering());
        e.idle();
        assert!(!e.is_pondering(), "only while the opponent thinks");
    }
}

/// A finished game with a dead stone that the opponent disputes: the engine passes in the game,
/// captures in the clean-up, and passes again afterwards.
#[test]
fn the_clean_up_captures_what_is_dead() {
    let board = Board::from_diagram(
        ". . X O . . .
         . . X O . . .
         X X X O O O .
         O O O O . O O
         . . O . . . .
         . X O . O O .
         . . O . O . .",
    )
    .unwrap();
    for (rules, play_to_end) in [
        ("japanese", false),
        ("new-zealand", false),
        ("aga", false),
        ("chinese", true),
    ] {
        let mut e = Engine::new(Settings {
            rules: preset(rules).unwrap().rules,
            play_to_end,
            ..settings(600)
        })
        .unwrap();
        let chosen = e.settings().rules;
        let mut p = Position::from_board(board.clone(), Color::Black, chosen);
        p.play(Color::Black, Move::Pass).unwrap();
        e.switch_game(p);
        if play_to_end {
            // In the game it would start to capture.
            e.play(Color::White, Move::Pass).unwrap();
        } else {
            let decision = e.genmove(Color::White);
            assert_eq!(decision, Decision::Move(Move::Pass), "{rules}");
        }
        let mut moves = 0;
        loop {
            let decision = e.genmove_cleanup(Color::White);
            if decision == Decision::Move(Move::Pass) {
                break;
            }
            assert!(matches!(decision, Decision::Move(Move::Play(_))), "{rules}");
            e.play(Color::Black, Move::Pass).unwrap();
            moves += 1;
            assert!(moves < 16, "{rules}\n{:?}", e.position().board());
        }
        assert!(
            moves > 0 && e.position().board().is_empty(Point::new(1, 1)),
            "{rules}"
        );
        assert_eq!(e.judgement().dead().count(), 0, "{rules}");
        assert_eq!(e.settings().rules.name(), Some(rules));
        assert_eq!(*e.position().rules(), e.settings().rules_in_force());
    }
}

/// Black wins by half a point if the capture of White's stone takes four moves, and no move is
/// lost elsewhere. Each costs a point, since White passes.
#[test]
fn the_clean_up_wastes_no_move() {
    let board = Board::from_diagram(
        ". . X . X O . O .
         . X . X X O O . O
         X X X X O O . O .
         . . . X O . O O .
         X X X X O O . . O
         . . . X X O O O O
         X . O . X O . . .
         . X . X X O O . O
         . . X . X O . O .",
    );
    let board = board.unwrap();
    for evaluator in [EvaluatorChoice::Embedded, EvaluatorChoice::Playouts] {
        let mut e = Engine::new(Settings {
            rules: rules("japanese"),
            evaluator,
            ..settings(100)
        })
        .unwrap();
        let mut r = e.settings().rules;
        r.komi = Komi::new(0.5).unwrap();
        let mut p = Position::from_board(board.clone(), Color::Black, r);
        p.play(Color::Black, Move::Pass).unwrap();
        p.play(Color::White, Move::Pass).unwrap();
        e.switch_game(p);
        let mut moves = 0;
        while let Decision::Move(Move::Play(p)) = e.genmove_cleanup(Color::Black) {
            assert!(["B3", "C2", "C4", "D3"].map(point).contains(&p), "{p}");
            e.play(Color::White, Move::Pass).unwrap();
            moves += 1;
        }
        assert_eq!(moves, 4);
        assert_eq!(e.judgement().score().margin(), 0.5);
    }
}

/// Black's corner has three points in a row, White's wall lives: Black must play in
/// the middle. `{}` is one more point of its eye space, or a white stone.
const CORNER: &str = ". . . {} X O .
     X X X X X O O
     O O O O O O .
     . O . O . O O
     O O O O O O O
     . O . O . O .
     O O O O O O O";

#[test]
fn a_chain_that_needs_a_protective_move_gets_it_and_no_other_does() {
    for name in ["japanese", "new-zealand", "chinese", "aga", "uk"] {
        // Three in a row are one eye if White plays in the middle; four are two.
        for (fourth, expected) in [("X", Move::Play(point("B7"))), (".", Move::Pass)] {
            for komi in [-60.0, 60.0] {
                let mut r = rules(name);
                r.komi = Komi::new(komi).unwrap();
                let diagram = CORNER.replace("{}", fourth);
                let board = Board::from_diagram(&diagram).unwrap();
                let mut p = Position::from_board(board, Color::White, r);
                // A game, not a diagram: White has played last, and passes.
                p.play(Color::White, Move::Play(point("G7"))).unwrap();
                p.play(Color::Black, Move::Pass).unwrap();
                p.play(Color::White, Move::Pass).unwrap();
                let mut e = Engine::new(settings(300)).unwrap();
                e.switch_game(p);
                assert_eq!(
                    e.genmove(Color::Black),
                    Decision::Move(expected),
                    "{name}, komi {komi}\n{diagram}"
                );
            }
        }
    }
}

#[test]
fn a_game_taken_up_again_ends_as_before() {
    // Play after the stop captures the dead stone or not; nothing else changes hands, and the count
    // is the same.
    for name in ["new-zealand", "uk", "japanese", "aga"] {
        let board = Board::from_diagram(DEAD_STONE).unwrap();
        let mut p = Position::from_board(board, Color::Black, rules(name));
        p.play(Color::Black, Move::Pass).unwrap();
        p.play(Color::White, Move::Pass).unwrap();
        let mut e = Engine::new(settings(300)).unwrap();
        e.switch_game(p);
        assert!(e.position().is_over() || name == "aga", "{name}");
        let before = e.judgement().score().winner();
        if !e.resume(Color::White) {
            assert_eq!(name, "aga");
            continue;
        }
        // White asks to resume: under the Japanese rules Black moves first, and with alternating
        // turns too.
        assert_eq!(e.position().to_move(), Color::Black, "{name}");
        e.play(Color::Black, Move::Play(point("H3"))).unwrap();
        for turn in 0.. {
            assert!(turn < 60, "{name}: no end\n{:?}", e.position().board());
            let c = e.position().to_move();
            e.genmove(c);
            if e.position().is_over() {
                break;
            }
        }
        let judgement = e.judgement();
        assert_eq!(judgement.score().winner(), before, "{name}");
    }
}

#[test]
fn a_declared_result_stands_until_the_game_goes_on() {
    let mut e = engine_at(FINISHED, Color::Black, rules("japanese"), settings(50));
    assert_eq!(e.outcome(), None);
    for outcome in [
        Outcome::Time(Color::White),
        Outcome::Forfeit(Color::Black),
        Outcome::BothLose,
        Outcome::NoResult,
    ] {
        e.declare(outcome);
        assert_eq!(e.outcome(), Some(outcome));
    }
    e.play(Color::Black, Move::Pass).unwrap();
    assert_eq!(e.outcome(), None);
}

#[test]
fn played_to_the_end_a_dead_stone_is_captured_first() {
    let mut r = rules("chinese");
    r.komi = Komi::new(0.5).unwrap();
    for play_to_end in [false, true] {
        let settings = Settings {
            play_to_end,
            rules: r,
            ..settings(300)
        };
        let mut e = engine_at(DEAD_STONE, Color::Black, r, settings);
        e.play(Color::Black, Move::Pass).unwrap();
        let passes = e.genmove(Color::White) == Decision::Move(Move::Pass);
        assert_eq!(passes, !play_to_end);
        assert_eq!(e.judgement().dead().count() == 0, play_to_end);
    }
}

#[test]
fn a_level_thinks_less_and_varies_its_moves() {
    for (evaluator, playouts) in [
        (EvaluatorChoice::Playouts, 64),
        (EvaluatorChoice::Embedded, 1),
    ] {
        let mut firsts = std::collections::HashSet::new();
        for seed in 0..12 {
            let mut e = Engine::new(Settings {
                level: Some(3),
                seed,
                size: Some(BoardSize::square(9)),
                limits: Limits::default(),
                evaluator: evaluator.clone(),
                ..settings(300)
            })
            .unwrap();
            if let Decision::Move(Move::Play(p)) = e.genmove(Color::Black) {
                firsts.insert(p);
            }
            assert_eq!(e.last_search().unwrap().playouts, playouts);
        }
        assert!(firsts.len() > 3, "{evaluator:?}: {firsts:?}");
    }
}

#[test]
fn levels_use_the_network_and_the_highest_its_full_strength() {
    let playouts = |level, evaluator| {
        let mut e = Engine::new(Settings {
            level: Some(level),
            size: Some(BoardSize::square(7)),
            evaluator,
            ..settings(100)
        })
        .unwrap();
        e.genmove(Color::Black);
        e.last_search().unwrap().playouts
    };
    let network = [1, 1, 1, 1, 1, 1, 4, 16, 80, 100];
    let none = [4, 16, 64, 100, 100, 100, 100, 100, 100, 100];
    for level in 1..=10 {
        let at = usize::from(level) - 1;
        assert_eq!(playouts(level, EvaluatorChoice::Embedded), network[at]);
        assert_eq!(playouts(level, EvaluatorChoice::Playouts), none[at]);
    }
}

#[test]
fn komi_favours_white() {
    let resources = Resources {
        threads: 1,
        memory: 1 << 20,
        cache: 1 << 20,
    };
    let params = SearchParams::default();
    let mut analyst = Analyst::new(&EvaluatorChoice::Embedded, resources, params).unwrap();
    for (size, name) in [
        (9, "japanese"),
        (9, "new-zealand"),
        (13, "japanese"),
        (19, "chinese"),
    ] {
        let mut rates = Vec::new();
        for komi in -20..=20 {
            let mut position = Position::new(BoardSize::square(size), rules(name));
            position.set_komi(Komi::new(f64::from(komi) + 0.5).unwrap());
            let request = AnalysisRequest {
                limits: Limits::of_playouts(1),
                ..AnalysisRequest::new(position)
            };
            rates.push(analyst.side_search(&request).win_rate_of(Color::White));
        }
        // Area scoring gives odd margins on these boards, so it takes two points to matter.
        let falls = |of: &[f32]| of[2] < of[0] - 0.001;
        assert!(!rates.windows(3).any(falls), "{size} {name}: {rates:?}");
        assert!(rates[0] < 0.1 && rates[40] > 0.9, "{rates:?}");
    }
}

/// The end of a game in which the network preferred a play in Black's own territory.
const COUNTED: &str = "G7 F4 D6 C4 D4 D3 C5 E4 D5 B3 B4 C3 G5 G4 H5 D7 E6 E7 C7 C8 B7 B5 F6 B6 \
    C6 H4 J4 J3 J5 H3 A6 A4 A7 A5 F5 E5";

/// The end of a game in which the only move that holds Black's territory is inside it.
const HELD: &str = "E6 E7 D6 F6 F5 D7 C6 G6 G5 E3 C3 G3 H6 H7 H4 C2 C7 G8 B2 D2 H3 H2 J2 G2 \
    B3 E4 E5 H1 F4 F2 C8 J6 H5 D8 D9 F8 E9 F9 C1 E1 D4 D3 B1 J7 J5 E8";

/// An engine with the network under Japanese rules, after these plays.
fn engine_after(plays: &str) -> Engine {
    let mut e = Engine::new(Settings {
        rules: rules("japanese"),
        komi: Some(Komi::new(6.0).unwrap()),
        size: Some(BoardSize::square(9)),
        evaluator: EvaluatorChoice::Embedded,
        ..settings(200)
    })
    .unwrap();
    for (n, vertex) in plays.split_whitespace().enumerate() {
        let c = [Color::Black, Color::White][n % 2];
        e.play(c, Move::Play(point(vertex))).unwrap();
    }
    e
}

#[test]
fn with_the_network_no_point_is_lost_by_plays_in_territory() {
    let mut e = engine_after(COUNTED);
    assert_eq!(e.judgement().score().margin(), -1.0);
    // A forcing move costs nothing. Two passes end the game.
    let mut last = None;
    for c in [Color::Black, Color::White, Color::Black, Color::White] {
        let decision = e.genmove(c);
        if last == Some(decision) && decision == Decision::Move(Move::Pass) {
            break;
        }
        last = Some(decision);
    }
    assert_eq!(e.judgement().score().margin(), -1.0);
}

/// A position under Japanese rules in which a pass loses, with the komi, the player to move and the
/// only right move.
type Costly = (&'static str, f64, Color, &'static str);

const COSTLY_PASSES: [Costly; 2] = [
    (
        ". . . O . . . O O
         O O O O . O O O X
         X X X O O . O X .
         . X O X O O O X X
         X . O X X . O X .
         . X O X . X X . X
         . X X O X O X X X
         . . X O . O O O O
         . . X O O O . O .",
        5.5,
        Color::Black,
        "J7",
    ),
    (
        ". O X X . X . X .
         . . O X X . X . .
         . . O O X . . . .
         . . . O X O O X .
         . . O O X X X X .
         . . O . O X . . .
         . . O . O X O O .
         . . . O O X X X .
         . . . . O X . . .",
        5.5,
        Color::Black,
        "B8",
    ),
];

#[test]
fn a_pass_does_not_override_a_search_that_wins() {
    for (diagram, komi, c, right) in COSTLY_PASSES {
        for passed in [false, true] {
            let to_move = if passed { c.opponent() } else { c };
            let mut e = engine_with_network(diagram, to_move, ("japanese", komi), 200);
            if passed {
                // Now a pass would end the game.
                e.play(to_move, Move::Pass).unwrap();
            }
            let wanted = Decision::Move(Move::Play(point(right)));
            assert_eq!(e.search_move(c, None), wanted, "{diagram} {passed}");
        }
    }
}

/// Under UK rules a pass costs a stone and White passes last: with all points divided, Black wins by
/// half a point, although the count is lost until White has passed too. Black passes instead of filling
/// its eyes.
#[test]
fn a_pass_that_white_must_answer_is_made() {
    let diagram = ". . X . X O . . .
                   . . . . X O . . .
                   . . X . X O . . .
                   . . . . X O . . .
                   . X . X X O . . .
                   . . . . X O . . .
                   . . X . X O . . .
                   . X . X X O . . .
                   . . X . X O . . .";
    let mut e = engine_with_network(diagram, Color::Black, ("uk", 0.5), 100);
    assert_eq!(e.judgement().score().margin(), 0.5);
    let passes = Decision::Move(Move::Pass);
    assert_eq!(e.genmove(Color::Black), passes);
    assert_eq!(e.genmove(Color::White), passes);
    assert!(e.position().is_over());
    assert_eq!(e.judgement().score().margin(), 0.5);
}

/// The network believes that a pass wins, but Black loses by the count. A move in its own territory
/// gains nothing.
#[test]
fn a_lost_count_is_no_reason_to_fill_territory() {
    let diagram = ". . . . X O O O .
                   . . X . X O O . .
                   . . . . X O O O O
                   . . . . X O . O .
                   . . X . X O O O O
                   . . . . X X X O O
                   . . . . X X X X O
                   . . X . X X . X X
                   . . . . X X . X .";
    let mut e = engine_with_network(diagram, Color::White, ("japanese", 32.5), 100);
    e.play(Color::White, Move::Pass).unwrap();
    assert!(e.judgement().score().margin() < 0.0);
    assert_eq!(
        e.search_move(Color::Black, None),
        Decision::Move(Move::Pass)
    );
}

#[test]
fn an_explanation_is_proved_with_its_play_or_estimated() {
    let (mut proved, mut estimated) = (0, 0);
    let open = ". . . . . . .
                . . X . O . .
                . . . . . . .
                . . O . X . .
                . . . . . . .";
    for diagram in [DEAD_STONE, COSTLY_PASSES[0].0, COSTLY_PASSES[1].0, open] {
        let mut e = engine_at(diagram, Color::Black, rules("japanese"), settings(300));
        let judgement = e.judgement().clone();
        for (stones, _) in judgement.chains() {
            let said = judgement.explain(e.position(), stones[0]).unwrap();
            let is_estimate = said.grounds.starts_with("estimated: ");
            let is_proof = said.grounds.starts_with("proved");
            assert!(is_estimate != is_proof, "{said}");
            assert!(is_proof || said.line.is_empty(), "{said}");
            proved += usize::from(!said.line.is_empty());
            estimated += usize::from(is_estimate);
        }
    }
    assert!(proved > 0 && estimated > 0, "{proved} and {estimated}");
}

#[test]
fn the_last_report_begins_with_the_chosen_move() {
    // A low level often chooses another move than the search's first.
    let mut e = Engine::new(Settings {
        size: Some(BoardSize::square(7)),
        evaluator: EvaluatorChoice::Embedded,
        level: Some(7),
        seed: 3,
        ..settings(200)
    })
    .unwrap();
    let (mut others, mut first) = (0, None);
    for n in 0..40 {
        let on_report = &mut |report: &AnalysisReport| {
            let visits = |m: &MoveReport| m.visits;
            let most = report.moves.iter().map(visits).max();
            others += usize::from(report.moves.first().map(visits) < most);
            first = report.moves.first().map(|m| m.mv);
        };
        let options = SearchOptions {
            interval: None,
            include: Include::default(),
            restrictions: Vec::new(),
            on_report,
        };
        let c = [Color::Black, Color::White][n % 2];
        let decision = e.genmove_with_options(c, Some(options));
        assert_eq!(first.map(Decision::Move), Some(decision), "turn {n}");
    }
    assert!(others > 0, "each move was the search's first");
}

#[test]
fn a_move_that_holds_territory_is_made_in_it() {
    let mut e = engine_after(HELD);
    // The count includes that this move must be made.
    assert_eq!(e.judgement().score().margin(), 3.0);
    assert_eq!(
        e.genmove(Color::Black),
        Decision::Move(Move::Play(point("C9")))
    );
    assert_eq!(e.judgement().score().margin(), 3.0);
}
