//! Properties for any input: any sequence of commands leaves a consistent board and gets one answer
//! per line, and undo restores everything.

mod common;

use common::cases::cases;
use common::shared::shared;
use flate2::read::GzDecoder;
use ponnuki::analysis::{EvaluatorChoice, Limits};
use ponnuki::gtp::Session;
use ponnuki::player::{Engine, Settings};
use ponnuki::position::Position;
use ponnuki::rules::{PRESETS, Ruleset};
use ponnuki::sgf;
use ponnuki::types::{BoardSize, Color, Move, Point};
use proptest::prelude::*;
use std::io::Read;

fn session() -> Session {
    let engine = Engine::new(Settings {
        size: Some(BoardSize::square(5)),
        limits: Limits::of_playouts(5),
        threads: 1,
        memory: 4 << 20,
        evaluator: EvaluatorChoice::Playouts,
        ..Settings::default()
    });
    Session::new(engine.unwrap())
}

/// The state of a position that undo must restore: stones, hash, prisoners, passes, turns, the
/// player to move, and both players' legal plays, which reflect the history for ko and superko.
fn everything(p: &Position) -> impl PartialEq + std::fmt::Debug + use<> {
    let legal = |c| p.legal_plays(c).collect::<Vec<Point>>();
    (
        (p.board().clone(), p.board().hash(), p.board().ko()),
        Color::BOTH.map(|c| p.board().captured(c)),
        (p.consecutive_passes(), p.is_over(), p.long_cycle()),
        (p.turns().to_vec(), p.button(), p.to_move()),
        Color::BOTH.map(legal),
        (p.komi(), *p.rules(), p.placed_handicap()),
    )
}

fn color() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("b"), Just("w"), Just("B"), Just("white")]
}

fn vertex() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (0..5u8, 1..6u8).prop_map(|(x, y)| format!("{}{y}", (b'A' + x) as char)),
        1 => Just("pass".to_owned()),
        1 => "[A-Z]{0,2}[0-9]{0,3}",
    ]
}

fn command() -> impl Strategy<Value = String> {
    let preset = (0..PRESETS.len()).prop_map(|i| PRESETS[i].name);
    prop_oneof![
        30 => (color(), vertex()).prop_map(|(c, v)| format!("play {c} {v}")),
        4 => color().prop_map(|c| format!("genmove {c}")),
        4 => Just("undo".to_owned()),
        1 => (0..9u32).prop_map(|n| format!("gg-undo {n}")),
        1 => Just("clear_board".to_owned()),
        1 => (2..7u8, 2..7u8).prop_map(|(w, h)| format!("rectangular_boardsize {w} {h}")),
        2 => preset.prop_map(|name| format!("kata-set-rules {name}")),
        1 => (-20..20i32).prop_map(|k| format!("komi {}", f64::from(k) / 2.0)),
        1 => (0..6u32).prop_map(|n| format!("fixed_handicap {n}")),
        1 => (0..9u32).prop_map(|n| format!("place_free_handicap {n}")),
        1 => prop::collection::vec(vertex(), 0..4)
            .prop_map(|v| format!("set_free_handicap {}", v.join(" "))),
        1 => prop::collection::vec((color(), vertex()), 0..5).prop_map(|v| {
            let words: Vec<String> = v.iter().map(|(c, v)| format!("{c} {v}")).collect();
            format!("gogui-setup {}", words.join(" "))
        }),
        1 => prop::collection::vec((color(), vertex()), 0..5).prop_map(|v| {
            let words: Vec<String> = v.iter().map(|(c, v)| format!("{c} {v}")).collect();
            format!("gogui-play_sequence {}", words.join(" "))
        }),
        1 => color().prop_map(|c| format!("gogui-setup_player {c}")),
        1 => color().prop_map(|c| format!("ponnuki-resume {c}")),
        1 => (0..3u32, 0..3u32, 0..3u32).prop_map(|(a, b, c)| format!("time_settings {a} {b} {c}")),
        1 => (color(), 0..3u32).prop_map(|(c, t)| format!("time_left {c} {t} 0")),
        1 => prop_oneof![
            Just("final_score"), Just("final_status_list dead"), Just("printsgf"),
            Just("ponnuki-outcome"), Just("ponnuki-outcome W+T"), Just("showboard"),
        ].prop_map(str::to_owned),
        2 => "[ -~\\t]{0,30}",
    ]
    // These use files, or would end the session.
    .prop_filter("no files", |line| {
        !line.contains("sgf ") && !line.contains("quit")
    })
}

/// Any command with any words, except those that write files or end the session.
fn any_command() -> impl Strategy<Value = String> {
    let listed = session().reply(b"list_commands").unwrap();
    let mut names: Vec<String> = listed[2..].lines().map(str::to_owned).collect();
    names.retain(|name| !["", "quit", "savesgf", "printsgf"].contains(&name.as_str()));
    assert!(names.len() > 70);
    let word = prop::sample::select(vec![
        "b",
        "w",
        "A1",
        "C3",
        "E5",
        "pass",
        "0",
        "1",
        "2",
        "5",
        "-1",
        "1e9",
        "nan",
        "0.25",
        "byoyomi",
        "canadian",
        "absolute",
        "fischer",
        "japanese",
        "new-zealand",
        "ko",
        "{}",
        "{\"ko\":\"SIMPLE\"}",
        "dead",
        "W+T",
        "ponder",
        "level",
        "true",
        "all",
        "avoid",
        "x",
    ]);
    let words = prop::collection::vec(word, 0..6);
    (prop::sample::select(names), words)
        .prop_map(|(name, words)| format!("{name} {}", words.join(" ")))
}

/// The answers to all queries that need no search, and the clock.
fn asked(session: &mut Session) -> Vec<String> {
    let questions = [
        "showboard",
        "printsgf",
        "get_komi",
        "kata-get-rules",
        "kata-get-params",
        "ponnuki-outcome",
        "all_legal b",
        "all_legal w",
    ];
    let mut said: Vec<String> = questions
        .iter()
        .map(|line| session.reply(line.as_bytes()).unwrap())
        .collect();
    said.push(format!("{:?}", session.engine.last_search()));
    said.push(format!("{:?}", session.engine.clock_mut()));
    said
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn any_sequence_of_commands_leaves_a_consistent_game(
        lines in prop::collection::vec(command(), 0..60),
    ) {
        let mut session = session();
        for line in &lines {
            let before = everything(session.engine.position());
            let turns = session.engine.position().turns().len();
            let reply = session.reply(line.as_bytes()).unwrap_or_default();
            // One answer per line: a sign, and one blank line at its end.
            if !reply.is_empty() {
                prop_assert!(reply.starts_with(['=', '?']), "{line}: {reply:?}");
                prop_assert!(reply.ends_with("\n\n"), "{line}: {reply:?}");
                prop_assert!(!reply.trim_end().contains("\n\n"), "{line}: {reply:?}");
                prop_assert!(!reply.contains("internal error"), "{line}: {reply:?}");
            }
            let position = session.engine.position();
            let consistent = position.board().check();
            prop_assert!(consistent.is_ok(), "{line}: {consistent:?}");
            let after = everything(position);
            if reply.starts_with('?') {
                prop_assert!(before == after, "{line} was refused and changed something");
            }
            // One more turn: undo restores the state before, replay the state after.
            let one_more = position.turns().len() == turns + 1;
            if one_more && (line.starts_with("play") || line.starts_with("genmove")) {
                let turn = *position.turns().last().unwrap();
                session.reply(b"undo").unwrap();
                let undone = everything(session.engine.position());
                prop_assert!(before == undone, "{line}: {before:?} {undone:?}");
                let again = format!("play {} {}", turn.color, turn.mv);
                session.reply(again.as_bytes()).unwrap();
                prop_assert!(after == everything(session.engine.position()), "{line}");
            }
        }
        // Undoing all turns restores the initial board.
        let start = session.engine.position().start().clone();
        while session.reply(b"undo").unwrap().starts_with('=') {}
        prop_assert_eq!(session.engine.position().board(), &start);
    }

    #[test]
    fn a_refused_command_leaves_everything_as_it_was(
        lines in prop::collection::vec((command(), any_command()), 0..20),
    ) {
        let mut session = session();
        for (line, any) in &lines {
            session.reply(line.as_bytes());
            let before = asked(&mut session);
            let reply = session.reply(any.as_bytes()).unwrap();
            if reply.starts_with('?') {
                prop_assert_eq!(before, asked(&mut session), "{} was refused", any);
            }
        }
    }

    #[test]
    fn a_game_saved_and_loaded_is_the_same_game(
        lines in prop::collection::vec(command(), 0..60),
    ) {
        let mut session = session();
        for line in &lines {
            session.reply(line.as_bytes());
        }
        let position = session.engine.position();
        let text = sgf::write(position, &sgf::GameInfo::default());
        let back = sgf::read(text.as_bytes(), &Ruleset::default(), None).unwrap().position;
        prop_assert_eq!(back.board(), position.board(), "{}", text);
        // A name may have other details in KataGo's commands than in a record.
        prop_assert_eq!(back.rules().name(), position.rules().name(), "{}", text);
        prop_assert_eq!(back.komi(), position.komi(), "{}", text);
        prop_assert_eq!(back.placed_handicap(), position.placed_handicap(), "{}", text);
        let moves = |p: &Position| {
            p.turns().iter().map(|t| (t.color, t.mv)).collect::<Vec<(Color, Move)>>()
        };
        prop_assert_eq!(moves(&back), moves(position), "{}", text);
        prop_assert_eq!(back.to_move(), position.to_move(), "{}", text);
    }
}

#[test]
fn records_of_strong_amateurs_survive_writing_and_reading() {
    let name = "records_of_strong_amateurs_survive_writing_and_reading";
    let Some(path) = shared("data/kgs6d.sgfs.gz", name) else {
        return;
    };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).unwrap();
    GzDecoder::new(file).read_to_end(&mut bytes).unwrap();
    let mut games = 0;
    for game in sgf::games(&bytes) {
        let Ok(record) = sgf::read(game, &Ruleset::default(), None) else {
            continue;
        };
        let text = sgf::write(&record.position, &record.info);
        let back = sgf::read(text.as_bytes(), &Ruleset::default(), None).unwrap();
        let (a, b) = (&record.position, &back.position);
        assert_eq!(a.board(), b.board(), "{text}");
        assert_eq!(a.turns().len(), b.turns().len(), "{text}");
        assert_eq!((a.komi(), a.rules()), (b.komi(), b.rules()), "{text}");
        assert_eq!(
            (a.to_move(), a.placed_handicap()),
            (b.to_move(), b.placed_handicap())
        );
        let same = |i: &sgf::GameInfo| (i.black.clone(), i.white.clone(), i.result.clone());
        assert_eq!(same(&record.info), same(&back.info));
        assert_eq!(sgf::write(b, &back.info), text);
        games += 1;
    }
    assert!(games > 1000, "{games}");
}
