//! The protocol, over the real binary's pipes.

mod common;

use common::folder::Folder;
use common::process::{Process, here};
use ponnuki::gtp::{Ink, Session};
use ponnuki::player::{Engine, Settings};
use ponnuki::types::{BoardSize, Generator};
use regex::Regex;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn quick() -> Process {
    Process::start(&["--playouts", "50", "--threads", "1"], here())
}

/// All output for `input`, and the exit code.
fn run(flags: &[&str], input: &[u8]) -> (String, String, Option<i32>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ponnuki"))
        .args(flags)
        .current_dir(here())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // An engine that refuses its options reads nothing: a broken pipe is fine.
    let _ = child.stdin.take().unwrap().write_all(input);
    let mut out = String::new();
    let mut err = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut out)
        .unwrap();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut err)
        .unwrap();
    (out, err, child.wait().unwrap().code())
}

/// The results of a GoGui regression file, for every numbered command followed by `#? [pattern]`.
fn regress(file: &Path) -> (u32, Vec<String>) {
    let mut engine = Process::start(
        &["--threads", "1", "--playouts", "1000"],
        file.parent().unwrap(),
    );
    let text = std::fs::read_to_string(file).unwrap();
    let mut last = String::new();
    let mut command = String::new();
    let (mut tests, mut failures) = (0, Vec::new());
    for line in text.lines() {
        if let Some(expected) = line.strip_prefix("#?") {
            let expected = expected.trim();
            let known_failure = expected.ends_with('*');
            let expected = expected.trim_end_matches('*');
            let pattern = expected
                .strip_prefix('[')
                .unwrap()
                .strip_suffix(']')
                .unwrap();
            let (negated, pattern) = match pattern.strip_prefix('!') {
                Some(p) => (true, p),
                None => (false, pattern),
            };
            let regex = Regex::new(&format!("(?s)^(?:{pattern})$")).unwrap();
            let answer = last.trim_start_matches(|c: char| c == '=' || c.is_ascii_digit());
            let passed = last.starts_with('=') && regex.is_match(answer.trim()) != negated;
            tests += 1;
            if passed == known_failure {
                failures.push(format!(
                    "{}: {command}\n  {last}\n  expected {expected}",
                    file.display()
                ));
            }
        } else if !line.is_empty() && !line.starts_with('#') {
            command = line.to_owned();
            last = engine.ask(line);
        }
    }
    (tests, failures)
}

#[test]
fn gtp_tests() {
    let mut files: Vec<_> = std::fs::read_dir(here().join("gtp-tests"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "tst"))
        .collect();
    files.sort();
    assert!(files.len() >= 6);
    let mut failures = Vec::new();
    for file in files {
        let (tests, failed) = regress(&file);
        assert!(tests > 0, "{} tests nothing", file.display());
        failures.extend(failed);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn replies_follow_the_draft() {
    let (out, err, code) = run(
        &[],
        b"name\n7 name\n\n# comment\n  \t \n008 name # tail\nname\r\nna\x01me\n9 quit\nname\n",
    );
    assert_eq!(
        out,
        "= Ponnuki\n\n=7 Ponnuki\n\n=008 Ponnuki\n\n= Ponnuki\n\n= Ponnuki\n\n=9 \n\n"
    );
    assert_eq!(err, "");
    assert_eq!(code, Some(0));
}

#[test]
fn end_of_input_ends_the_process() {
    let (out, _, code) = run(&["--playouts", "20"], b"boardsize 5\ngenmove b");
    assert!(out.starts_with("= \n\n= "), "{out}");
    assert_eq!(code, Some(0));
}

#[test]
fn errors_are_those_of_the_draft() {
    let mut e = quick();
    for (command, reply) in [
        ("frobnicate", "? unknown command"),
        ("boardsize 26", "? unacceptable size"),
        ("boardsize 1", "? unacceptable size"),
        ("boardsize x", "? unacceptable size"),
        ("boardsize", "? syntax error"),
        ("komi", "? syntax error"),
        ("komi abc", "? syntax error"),
        ("komi nan", "? syntax error"),
        ("play b", "? syntax error"),
        ("play x D4", "? syntax error"),
        ("play b I5", "? syntax error"),
        ("play b D4 D5", "? syntax error"),
        ("undo", "? cannot undo"),
        ("gg-undo 3", "? cannot undo"),
        (
            "kata-analyze b 10 avoid b Z4 1",
            "? bad vertex list: Z4 is not on the board",
        ),
        ("fixed_handicap 1", "? invalid number of stones"),
        ("fixed_handicap 10", "? invalid number of stones"),
        ("place_free_handicap 361", "? invalid number of stones"),
        ("set_free_handicap D4", "? bad vertex list"),
        ("set_free_handicap D4 pass", "? bad vertex list"),
        ("set_free_handicap D4 D4", "? repeated vertex"),
        ("loadsgf /no/such/file", "? cannot load file"),
        ("final_status_list sleeping", "? syntax error"),
        ("ponnuki-outcome W+much", "? syntax error"),
        ("ponnuki-resume w", "? cannot resume"),
        ("time_settings 10 -5 1", "? syntax error"),
        ("time_left b x 1", "? syntax error"),
        (
            "kata-set-rules klingon",
            "? syntax error: unknown rules 'klingon'; known: new-zealand",
        ),
        ("kata-set-rule ko maybe", "? syntax error"),
        ("12", "?12 syntax error"),
    ] {
        let got = e.ask(command);
        assert!(got.starts_with(reply), "{command}: {got}");
    }
    assert_eq!(e.ask("play b D4"), "= ");
    for (command, reply) in [
        ("play w D4", "? illegal move: D4 is occupied"),
        ("fixed_handicap 2", "? board not empty"),
        ("set_free_handicap D4 Q16", "? board not empty"),
    ] {
        assert_eq!(e.ask(command), reply, "{command}");
    }
    // A point that is not on a small board.
    e.ask("boardsize 9");
    assert!(
        e.ask("play b T19")
            .starts_with("? illegal move: T19 is not on the board")
    );
    assert!(
        e.ask("set_free_handicap C3 T19")
            .starts_with("? bad vertex list")
    );
}

#[test]
fn a_bad_list_of_stones_places_none() {
    let mut e = quick();
    let before = e.ask("showboard");
    e.ask("set_free_handicap D4 Q16 D4");
    e.ask("set_free_handicap D4 Q16 Z1");
    assert_eq!(e.ask("showboard"), before);
}

#[test]
fn illegal_moves_say_which_rule_forbids_them() {
    let mut e = quick();
    e.ask("boardsize 5");
    e.ask("kata-set-rules tromp-taylor");
    for m in [
        "b A2", "w C3", "b B3", "w D2", "b B1", "w C1", "b C2", "w B2",
    ] {
        assert_eq!(e.ask(&format!("play {m}")), "= ", "{m}");
    }
    assert_eq!(
        e.ask("play b C2"),
        "? illegal move: repeats the position after Black 7 (Tromp-Taylor rules, 6)"
    );
    for (rules, words) in [
        (
            "new-zealand",
            "repeats the position after Black 7 (New Zealand rules, move)",
        ),
        (
            "uk",
            "repeats the position after Black 7 (UK Go Challenge 4.1)",
        ),
        (
            "japanese",
            "the ko at C2 may not be retaken at once (Japanese rules, Article 6)",
        ),
        (
            "chinese",
            "the ko at C2 may not be retaken at once (Chinese rules, Article 20)",
        ),
        (
            "{\"tax\":\"ALL\"}",
            "repeats the position after Black 7 (positional superko)",
        ),
    ] {
        e.ask(&format!("kata-set-rules {rules}"));
        assert_eq!(
            e.ask("play b C2"),
            format!("? illegal move: {words}"),
            "{rules}"
        );
    }
    // The engine starts with the text of the New Zealand rules.
    let mut e = quick();
    assert!(e.ask("kata-get-rules").contains("OWN_MOVES"));
    let unknown = e.ask("kata-set-rules klingon");
    assert!(
        unknown.starts_with("? syntax error") && unknown.contains("stone-scoring"),
        "{unknown}"
    );
}

#[test]
fn komi_rules_and_time_survive_a_new_game() {
    let mut e = quick();
    // Sabaki: komi, boardsize, clear_board. kgsGtp: rules before boardsize.
    for c in [
        "kgs-rules japanese",
        "komi 5.5",
        "boardsize 9",
        "clear_board",
    ] {
        assert_eq!(e.ask(c), "= ", "{c}");
    }
    assert_eq!(e.ask("get_komi"), "= 5.5");
    assert!(e.ask("kata-get-rules").contains("TERRITORY"));
}

/// Playing to the end does not count as a choice of rules. A turn that was set stays when rules are
/// set or a sequence fails.
#[test]
fn the_player_to_move_that_was_set_is_kept() {
    let mut e = quick();
    let to_move = |e: &mut Process| {
        let board = e.ask("showboard");
        let black = board.contains("Black (X) to play");
        assert!(black != board.contains("White (O) to play"), "{board}");
        if black { 'b' } else { 'w' }
    };
    e.ask("boardsize 5");
    e.ask("play b c3");
    assert_eq!(to_move(&mut e), 'w');
    for command in [
        "gogui-setup_player b",
        "kata-set-rules japanese",
        "kata-set-rule ko POSITIONAL",
        "kgs-rules chinese",
        "kata-set-param play_to_end true",
        "gogui-play_sequence b a1 w a2 b a1",
    ] {
        e.ask(command);
        assert_eq!(to_move(&mut e), 'b', "{command}");
    }
    // A record that states the player to move.
    let folder = Folder::new("turn");
    let file = folder.write("game.sgf", "(;SZ[5];B[cc];PL[B])");
    assert_eq!(e.ask(&format!("loadsgf {file}")), "= black");
    assert_eq!(to_move(&mut e), 'b');
    // Handicap given as plays.
    folder.write("game.sgf", "(;SZ[5];B[cc];B[bb];B[dd];W[ac])");
    e.ask(&format!("loadsgf {file} 3"));
    assert_eq!(to_move(&mut e), 'b');
    e.ask("clear_board");
    e.ask("kata-set-rules japanese");
    for command in [
        "play b c3",
        "play w pass",
        "play b pass",
        "ponnuki-resume b",
    ] {
        e.ask(command);
    }
    let resumed = to_move(&mut e);
    e.ask("kata-set-rules japanese");
    assert_eq!(to_move(&mut e), resumed);
}

/// A blank line of analysis would end the answer.
#[test]
fn blank_lines_of_analysis_are_left_out() {
    let mut e = quick();
    e.ask("boardsize 5");
    e.ask("play w e5");
    e.send("lz-genmove_analyze b 1 maxmoves 0\n");
    assert_eq!(e.line(), "=");
    assert!(e.line().starts_with("play "));
    assert_eq!(e.line(), "");
    e.send("kata-analyze b allow b e5 5\n");
    std::thread::sleep(Duration::from_millis(300));
    e.send("name\n");
    assert_eq!(e.reply(), "=");
    assert_eq!(e.reply(), "= Ponnuki");
}

#[test]
fn playing_to_the_end_leaves_the_chosen_rules_alone() {
    for command in [
        "gogui-setup_player b",
        "kata-set-rule ko POSITIONAL",
        "set_position b C3 w D4",
        "gogui-setup b C3",
        "kgs-genmove_cleanup b",
    ] {
        let flags = ["--rules", "chinese", "--play-to-end", "--playouts", "20"];
        let mut e = Process::start(&flags, here());
        e.ask("boardsize 5");
        assert!(
            e.ask("kata-get-rules")
                .contains(r#""deadStones":"PLAY_OUT""#)
        );
        assert!(e.ask(command).starts_with('='), "{command}");
        assert!(
            e.ask("kata-get-rules")
                .contains(r#""deadStones":"PLAY_OUT""#)
        );
        e.ask("kata-set-param play_to_end false");
        let rules = e.ask("kata-get-rules");
        assert!(
            rules.contains(r#""deadStones":"AGREEMENT""#),
            "{command}: {rules}"
        );
    }
}

#[test]
fn rules_set_by_a_command_are_those_of_the_parameter() {
    let mut e = quick();
    assert_eq!(e.ask("kata-get-param rules"), "= new-zealand");
    e.ask("kata-set-rules japanese");
    assert_eq!(e.ask("kata-get-param rules"), "= japanese");
    e.ask("kata-set-param play_to_end true");
    assert_eq!(e.ask("kata-get-param rules"), "= japanese");
    e.ask("kgs-rules chinese");
    assert_eq!(e.ask("kata-get-param rules"), "= chinese-kgs");
}

#[test]
fn a_refused_size_changes_nothing() {
    let mut e = quick();
    e.ask("boardsize 9");
    e.ask("play b E5");
    let before = e.ask("showboard");
    for bad in [
        "boardsize 0",
        "boardsize 99999999999",
        "boardsize 9 26",
        "rectangular_boardsize 1 9",
    ] {
        assert!(e.ask(bad).starts_with("? unacceptable size"), "{bad}");
    }
    assert_eq!(e.ask("showboard"), before);
}

#[test]
fn listed_commands_are_known_and_documented() {
    let mut e = quick();
    let list = e.ask("list_commands");
    let names: Vec<_> = list
        .trim_start_matches("= ")
        .lines()
        .map(str::to_owned)
        .collect();
    assert!(names.len() > 30);
    for name in names {
        assert_eq!(e.ask(&format!("known_command {name}")), "= true");
        assert!(
            e.ask(&format!("help {name}"))
                .starts_with(&format!("= {name}")),
            "{name}"
        );
    }
}

#[test]
fn pipelined_commands_are_answered_in_order() {
    let mut e = quick();
    let mut batch = String::from("boardsize 9\n");
    for i in 0..60 {
        batch.push_str(&format!("{i} play b C3\n{i} undo\n"));
    }
    e.send(&batch);
    assert_eq!(e.reply(), "= ");
    for i in 0..60 {
        assert_eq!(e.reply(), format!("={i} "));
        assert_eq!(e.reply(), format!("={i} "));
    }
}

#[test]
fn an_interruption_ends_the_search_with_an_answer() {
    let mut e = Process::start(&["--time", "1000", "--threads", "1"], here());
    e.send("genmove b\n");
    std::thread::sleep(Duration::from_millis(200));
    e.send("# interrupt\n");
    let reply = e.reply();
    assert!(
        Regex::new("^= [A-T][0-9]+$").unwrap().is_match(&reply),
        "{reply}"
    );
    assert_eq!(e.ask("name"), "= Ponnuki");
}

/// As for a move: other input waits.
#[test]
fn an_interruption_ends_a_question_about_a_group() {
    let mut e = Process::start(&["--time", "1000", "--threads", "2"], here());
    let black = "b A15 b B15 b C15 b D15 b E15 b F15";
    let white = "w A14 w B14 w C14 w D14 w E14 w F14 w G14 w H19 w H18 w H17 w H16 w H15 w H14";
    e.ask("boardsize 19");
    e.ask(&format!("set_position {black} {white}"));
    e.send("ponnuki-solve w\n");
    std::thread::sleep(Duration::from_millis(500));
    e.send("# interrupt\n");
    let reply = e.reply();
    assert!(reply.contains("\nBlack first: "), "{reply}");
    assert_eq!(e.ask("name"), "= Ponnuki");
}

#[test]
fn whole_games_end_and_are_scored() {
    let result = Regex::new(r"^= ([BW]\+[0-9.]+|0)$").unwrap();
    for (size, rules) in [("5", "japanese"), ("7", "new-zealand"), ("6 4", "uk")] {
        let mut e = quick();
        e.ask(&format!("boardsize {size}"));
        e.ask(&format!("kata-set-rules {rules}"));
        e.ask("time_settings 60 0 0");
        let mut passes = 0;
        for turn in 0.. {
            assert!(turn < 500, "{rules} does not end");
            let color = ["b", "w"][turn % 2];
            e.ask(&format!("time_left {color} 60 0"));
            let reply = e.ask(&format!("genmove {color}"));
            match reply.as_str() {
                "= resign" => break,
                "= PASS" => passes += 1,
                _ => passes = 0,
            }
            // Three under rules by which White passes last.
            if passes == 3 || (passes == 2 && rules != "uk") {
                break;
            }
        }
        let score = e.ask("final_score");
        assert!(result.is_match(&score), "{score}");
        assert!(e.ask("final_status_list dead").starts_with("= "));
    }
}

#[test]
fn records_round_trip_through_files() {
    let folder = Folder::new("gtp");
    let mut e = Process::start(&["--playouts", "20", "--threads", "1"], &folder);
    e.ask("rectangular_boardsize 9 7");
    e.ask("komi 3.25");
    e.ask("set_free_handicap C3 G5");
    for m in ["w D4", "b PASS", "w E4", "w F4"] {
        assert_eq!(e.ask(&format!("play {m}")), "= ");
    }
    let board = e.ask("showboard");
    assert_eq!(e.ask("savesgf game.sgf"), "= ");
    e.ask("boardsize 19");
    e.ask("komi 0");
    assert_eq!(e.ask("loadsgf game.sgf"), "= black");
    assert_eq!(e.ask("showboard"), board);
    // The position before move 2.
    assert_eq!(e.ask("loadsgf game.sgf 2"), "= black");
    assert!(e.ask("showboard").contains("Turn 1: White played D4"));
    assert!(
        e.ask("savesgf /no/such/folder/x.sgf")
            .starts_with("? cannot save file")
    );
    folder.write("bad.sgf", "(;SZ[9];B[aa];W[zz])");
    let before = e.ask("showboard");
    assert_eq!(
        e.ask("loadsgf bad.sgf"),
        "? cannot load file: 'bad.sgf': move 2, White zz: not a point of the board"
    );
    assert_eq!(e.ask("showboard"), before);
}

/// The recorded result stands until the game goes on differently.
#[test]
fn a_recorded_result_holds_only_for_the_recorded_game() {
    let folder = Folder::new("results");
    folder.write(
        "over.sgf",
        "(;GM[1]FF[4]SZ[5]KM[6.5]RU[Japanese]RE[W+R];B[cc];W[];B[])",
    );
    folder.write("open.sgf", "(;GM[1]FF[4]SZ[9]RE[B+R];B[ee];W[ec];B[gc])");
    let mut e = Process::start(&["--playouts", "20", "--threads", "1"], &folder);
    e.ask("loadsgf over.sgf");
    assert!(e.ask("printsgf").contains("RE[W+R]"));
    let resigned = "= W+R White wins by resignation";
    assert_eq!(e.ask("ponnuki-outcome"), resigned);
    e.ask("ponnuki-outcome B+T");
    assert!(e.ask("printsgf").contains("RE[B+T]"));
    e.ask("loadsgf open.sgf");
    e.ask("undo");
    assert!(!e.ask("printsgf").contains("RE["));
    assert_eq!(e.ask("ponnuki-outcome"), "= ? the game goes on");
    e.ask("play b G7");
    assert!(e.ask("printsgf").contains("RE[B+R]"));
    e.ask("undo");
    e.ask("play b D4");
    assert!(!e.ask("printsgf").contains("RE["));
}

/// A count holds only under the komi and rules of the record, a resignation under any.
#[test]
fn a_recorded_count_ends_with_its_komi_and_rules() {
    let folder = Folder::new("counts");
    let record = |result| format!("(;SZ[5]KM[0.5]RU[Chinese]RE[{result}];B[cc];W[];B[])");
    folder.write("count.sgf", record("B+24.5"));
    folder.write("resigned.sgf", record("W+R"));
    let mut e = Process::start(&["--playouts", "20", "--threads", "1"], &folder);
    e.ask("loadsgf count.sgf");
    assert!(e.ask("printsgf").contains("RE[B+24.5]"));
    e.ask("komi 100");
    assert!(e.ask("printsgf").contains("KM[100]RU[Chinese]RE[W+75]"));
    e.ask("komi 0.5");
    e.ask("kata-set-rules japanese");
    let changed = e.ask("printsgf");
    assert!(changed.contains("RE[B+23.5]"), "{changed}");
    e.ask("loadsgf resigned.sgf");
    e.ask("komi 100");
    assert!(e.ask("printsgf").contains("RE[W+R]"));
}

/// Under UK rules, territory and area give the same score. Playouts must agree, whoever is to move.
#[test]
fn playouts_under_uk_rules_count_the_pass_that_white_owes() {
    let found = |rules: &[&str]| {
        let options = [
            "--net",
            "off",
            "--playouts",
            "300",
            "--threads",
            "1",
            "--seed",
            "1",
        ];
        let mut e = Process::start(&options, here());
        e.ask("kata-set-rules uk");
        for rule in rules {
            assert_eq!(e.ask(&format!("kata-set-rule {rule}")), "= ");
        }
        e.ask("boardsize 7");
        e.ask("komi 9.5");
        ["b", "w"]
            .map(|c| [format!("kata-search {c}"), "estimate_score".to_owned()].map(|a| e.ask(&a)))
    };
    let by_area = [
        "passCostsStone false",
        "whitePassesLast false",
        "scoring AREA",
    ];
    assert_eq!(found(&[]), found(&by_area));
}

/// A judgement does not apply to the same stones on a board of another size, nor as a diagram
/// instead of a game.
#[test]
fn a_judgement_is_not_reused_for_another_board() {
    let mut e = quick();
    e.ask("kata-set-rules japanese");
    for (size, score) in [(9, "= B+80"), (19, "= B+360"), (5, "= B+24")] {
        for command in [
            &format!("boardsize {size}"),
            "komi 0",
            "clear_board",
            "play b C3",
        ] {
            assert_eq!(e.ask(command), "= ");
        }
        assert_eq!(e.ask("final_score"), score);
    }
    for command in ["rectangular_boardsize 6 5", "komi 0"] {
        assert_eq!(e.ask(command), "= ");
    }
    for row in 1..=5 {
        e.ask(&format!("play b B{row}"));
        e.ask(&format!("play w D{row}"));
    }
    assert_eq!(e.ask("final_score"), "= W+5");
    let stones: Vec<String> = (1..=5).map(|row| format!("b B{row} w D{row}")).collect();
    assert_eq!(e.ask(&format!("set_position {}", stones.join(" "))), "= ");
    assert_eq!(e.ask("final_score"), "= 0");
    let seki = e.ask("final_status_list seki");
    assert_eq!(seki.split_whitespace().filter(|w| *w != "=").count(), 10);
}

/// After the last pass nothing is left to expect.
#[test]
fn an_estimate_of_a_game_that_is_over_is_its_count() {
    let mut e = quick();
    let moves = "A2 B2 A1 B3 A3 B1 A2 A1 A3 B2 A1 B1 B3 B2 B1 B2 A2 B1 A3 B3 A1 B2 B1 B3 A2 B1 A1";
    for command in [
        "rectangular_boardsize 2 3",
        "kata-set-rules new-zealand",
        "komi 0",
    ] {
        assert_eq!(e.ask(command), "= ");
    }
    for (i, vertex) in moves.split(' ').chain(["pass"; 2]).enumerate() {
        let color = ["b", "w"][i % 2];
        assert_eq!(e.ask(&format!("play {color} {vertex}")), "= ", "{vertex}");
    }
    assert_eq!(e.ask("final_score"), "= W+6");
    assert_eq!(e.ask("estimate_score"), "= W+6.0 (standard deviation 0.0)");
    let owned = e.ask("ponnuki-ownership");
    let cells = owned.trim_start_matches("= ").split_whitespace();
    assert!(
        cells.clone().count() == 6 && cells.clone().all(|c| c == "-1.000"),
        "{owned}"
    );
}

/// A position that has come back ends the game without result under Japanese rules (Article 12).
#[test]
fn a_game_without_result_has_no_score() {
    let mut e = quick();
    for command in ["boardsize 2", "kata-set-rules japanese", "komi 6.5"] {
        assert_eq!(e.ask(command), "= ");
    }
    let cycle = "gogui-play_sequence b A2 w B1 b A1 w B2 b A2 w A1 b A2";
    assert_eq!(e.ask(cycle), "= ");
    assert_eq!(e.ask("ponnuki-outcome"), "= Void no result");
    let why = "? cannot score: the game has ended without result, since a position has come back";
    assert_eq!(e.ask("final_score"), why);
    assert_eq!(e.ask("undo"), "= ");
    assert!(e.ask("final_score").starts_with("= W+"));
}

/// The player of the first move was to move in the position before.
#[test]
fn a_ko_is_closed_for_either_first_player() {
    let mut e = quick();
    for command in [
        "boardsize 9",
        "kata-set-rules aga",
        "set_position b D6 b D4 b E5 b C5 w C6 w C4 w B5",
        "play w D5",
    ] {
        assert_eq!(e.ask(command), "= ", "{command}");
    }
    assert_eq!(
        e.ask("play b C5"),
        "? illegal move: repeats the starting position (AGA Rule 6)"
    );
}

/// `kata-search` changes neither the clock nor the count for resignation, which each colour has.
#[test]
fn a_search_that_plays_nothing_leaves_no_trace() {
    let flags = [
        "--playouts",
        "10",
        "--threads",
        "1",
        "--resign-below",
        "99",
        "--resign-after",
        "0",
        "--kgs-chat",
    ];
    let mut e = Process::start(&flags, here());
    e.ask("boardsize 9");
    e.ask("time_settings 0 30 5");
    for _ in 0..5 {
        assert_ne!(e.ask("kata-search b"), "= resign");
    }
    assert_eq!(
        e.ask("kgs-chat game somebody who"),
        "= I have not thought about this game yet."
    );
    // The counts of the two colours do not add up, nor reset each other.
    for color in ["b", "w", "b", "w"] {
        assert_ne!(e.ask(&format!("genmove {color}")), "= resign");
    }
    assert_eq!(e.ask("genmove b"), "= resign");
    assert_eq!(e.ask("genmove w"), "= resign");
    assert!(e.ask("kgs-chat game somebody who").contains("I played"));
    e.ask("clear_board");
    assert!(e.ask("kgs-chat game somebody who").contains("not thought"));
}

/// Life-and-Death Example 1 of the Japanese rules as the end of a game: a chain that lives because
/// of what its capture enables lives here too, since its owner need not play first.
#[test]
fn a_game_may_end_in_the_first_example() {
    let folder = Folder::new("example");
    folder.write(
        "game.sgf",
        "(;SZ[9]RU[Japanese]KM[6.5];B[ba];W[da];B[ca];W[ab];B[bb];W[db];B[cb];W[bc];B[ac];W[cc]\
         ;B[ad];W[dc];B[bd];W[ec];B[cd];W[fc];B[dd];W[gc];B[ed];W[hc];B[fd];W[ic];B[gd];B[hd]\
         ;B[id];B[ef];B[];W[])",
    );
    let mut e = Process::start(&["--threads", "1"], &folder);
    e.ask("loadsgf game.sgf");
    assert_eq!(e.ask("final_score"), "= B+27.5");
    let why = e.ask("ponnuki-explain A8");
    assert!(
        why.contains("alive in seki") && why.contains("Article 7.1"),
        "{why}"
    );
}

/// Between two edges close to each other, much room is not enough to live. With suicide legal, an
/// eye may be filled.
#[test]
fn judgements_hold_on_narrow_boards_and_where_suicide_is_legal() {
    let mut e = quick();
    for (rules, size, stones, score) in [
        (
            "japanese",
            "3 6",
            "w B6 w A5 w B5 w C5 b A4 b B4 b C4",
            "W+23.5",
        ),
        (
            "japanese",
            "2 9",
            "w B9 w A8 w B8 w A7 w A6 w B6 b A5 b B5",
            "W+20.5",
        ),
    ] {
        for command in [
            &format!("kata-set-rules {rules}"),
            &format!("rectangular_boardsize {size}"),
            &format!("set_position {stones}"),
        ] {
            assert_eq!(e.ask(command), "= ");
        }
        assert_eq!(e.ask("final_score"), format!("= {score}"), "{size}");
    }
    let stones = "w A4 w B4 w C4 b A3 b B3 w C3 w D3 w E3 w F3 w A2 b B2 b C2 b D2 b E2 w F2 \
                  w A1 b C1 b E1 w F1";
    for (rules, words) in [
        ("japanese", "even if its owner never plays again"),
        ("new-zealand", "while its owner answers"),
    ] {
        for command in [
            "boardsize 9",
            &format!("kata-set-rules {rules}"),
            &format!("set_position {stones}"),
        ] {
            assert_eq!(e.ask(command), "= ");
        }
        let why = e.ask("ponnuki-explain C1");
        assert!(
            why.contains("alive") && why.contains(words),
            "{rules}: {why}"
        );
    }
}

#[test]
fn time_and_caps_apply_together() {
    let mut e = Process::start(&["--threads", "1", "--visits", "100000000"], here());
    assert_eq!(e.ask("kata-get-param maxTime"), "= off");
    for command in ["boardsize 5", "kata-set-param maxTime 0.05"] {
        assert_eq!(e.ask(command), "= ");
    }
    // Without the time it would think until the test times out.
    assert!(e.ask("genmove b").starts_with("= "));
    assert_eq!(e.ask("kata-set-param time off"), "= ");
    assert_eq!(e.ask("kata-get-param time"), "= off");
}

#[test]
fn bad_flags_give_one_line_and_code_2() {
    for flags in [
        &["--no-such-flag"][..],
        &["--size", "1"],
        &["--size", "9x"],
        &["--rules", "klingon"],
        &["--komi", "much"],
        &["--threads", "0"],
        &["--time", "-1"],
        &["--resign-below", "200"],
        &["--param", "nothing=1"],
        &["--param", "expand_visits=-1"],
        &["--log", "/no/such/folder/log"],
        &["fly"],
        &["rules", "--komi", "5"],
        &["--playouts", "5", "bench"],
        &["bench", "--instruction-set", "abacus"],
    ] {
        let (out, err, code) = run(flags, b"quit\n");
        assert_eq!(code, Some(2), "{flags:?}");
        assert_eq!(out, "");
        assert_eq!(err.lines().count(), 1, "{flags:?}: {err}");
        assert!(err.starts_with("ponnuki: "), "{err}");
    }
}

#[test]
fn options_are_in_force() {
    // The board size of the ruleset, unless the user sets one.
    let (out, ..) = run(&["--rules", "uk"], b"showboard\nquit\n");
    assert!(out.contains("\n 13 . ") && out.contains("komi 7"), "{out}");
    let (out, ..) = run(
        &[
            "gtp", "--size", "9x7", "--komi", "-3.5", "--rules", "japanese",
        ],
        b"showboard\nget_komi\nkata-get-rules\nquit\n",
    );
    assert!(
        out.contains("  7 . ") && !out.contains("  8 . ") && out.contains("A B C D E F G H J"),
        "{out}"
    );
    assert!(out.contains("= -3.5\n") && out.contains("TERRITORY"));
}

/// The main thread's stack depends on the system: it is 1 MiB on Windows.
#[cfg(unix)]
#[test]
fn a_small_first_stack_is_enough() {
    let mut limited = Command::new("sh");
    let engine = env!("CARGO_BIN_EXE_ponnuki");
    limited.args(["-c", "ulimit -s 256; exec \"$@\"", "sh", engine]);
    limited.args(["--net", "off", "--threads", "1", "--playouts", "200"]);
    let mut e = Process::spawn(&mut limited);
    e.ask("boardsize 19");
    assert!(e.ask("genmove b").starts_with("= "));
    e.ask("play w pass");
    e.ask("play b pass");
    assert!(e.ask("final_score").starts_with("= B+"));
}

#[test]
fn a_log_holds_the_traffic() {
    let folder = Folder::new("log");
    run(&["--log", &folder.file("log")], b"name\nquit\n");
    let log = folder.read("log");
    assert!(
        log.contains(">> name") && log.contains("<< = Ponnuki"),
        "{log}"
    );
}

/// Random lines, some nearly valid; none writes a file.
fn garbage(rng: &mut Generator) -> Vec<u8> {
    const WORDS: &[&str] = &[
        "play",
        "genmove",
        "undo",
        "gg-undo",
        "boardsize",
        "komi",
        "b",
        "w",
        "Black",
        "D4",
        "pass",
        "Z26",
        "a0",
        "I5",
        "-1",
        "99999999999999999999",
        "1e300",
        "nan",
        "19",
        "2",
        "0.5",
        "name",
        "fixed_handicap",
        "place_free_handicap",
        "set_free_handicap",
        "time_settings",
        "time_left",
        "final_status_list",
        "dead",
        "kata-set-rules",
        "{\"ko\":",
        "{}",
        "kata-set-rule",
        "ko",
        "SIMPLE",
        "known_command",
        "help",
        "loadsgf",
        "/",
        "kgs-rules",
        "showboard",
        "\u{1F600}",
        "#",
        "\t",
        "clear_board",
        "rectangular_boardsize",
        "5",
        "list_commands",
        "12",
        "get_komi",
        "all_legal",
        "protocol_version",
        "version",
        "C3",
        "c4",
        "e5",
        "B2",
    ];
    let mut line = Vec::new();
    for _ in 0..rng.below(7) {
        if rng.chance(20) {
            line.extend(
                (0..rng.below(6))
                    .map(|_| rng.bits() as u8)
                    .filter(|&b| b != b'\n'),
            );
        } else {
            line.extend(WORDS[rng.below(WORDS.len() as u32) as usize].bytes());
        }
        line.push(b' ');
    }
    line
}

#[test]
fn any_line_gets_one_reply_and_an_error_changes_nothing() {
    let mut session = Session::new(
        Engine::new(Settings {
            size: Some(BoardSize::square(5)),
            limits: ponnuki::analysis::Limits::of_playouts(5),
            threads: 1,
            memory: 8 << 20,
            evaluator: ponnuki::analysis::EvaluatorChoice::Playouts,
            ..Settings::default()
        })
        .unwrap(),
    );
    let mut rng = Generator::new(2026);
    let mut refused = 0;
    for _ in 0..20_000 {
        let line = garbage(&mut rng);
        // Many searches on a large board, or judgements, would take long.
        let position = session.engine.position().clone();
        if position.size().area() > 49 {
            session.reply(b"boardsize 5");
        }
        let before = session.reply(b"showboard").unwrap();
        let Some(reply) = session.reply(&line) else {
            continue;
        };
        let shown = String::from_utf8_lossy(&line).into_owned();
        assert!(reply.ends_with("\n\n"), "{shown}: {reply:?}");
        assert!(
            !reply.trim_end_matches('\n').contains("\n\n"),
            "{shown}: {reply:?}"
        );
        let sign = reply.as_bytes()[0];
        assert!(sign == b'=' || sign == b'?', "{shown}: {reply:?}");
        assert!(!reply.contains("internal error"), "{shown}: {reply:?}");
        if sign == b'?' {
            refused += 1;
            assert_eq!(session.reply(b"showboard").unwrap(), before, "{shown}");
        }
        session.engine.position().board().check().unwrap();
    }
    assert!(refused > 5_000);
}

#[test]
fn a_record_is_scored_from_the_command_line() {
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/gtp-tests/bentfour.sgf");
    let (out, err, code) = run(&["score", record, "--explain"], b"");
    assert_eq!((err.as_str(), code), ("", Some(0)));
    assert!(
        out.starts_with("  9 X X X + o X + + +\n  8 + o o o o X + + +\n"),
        "{out}"
    );
    assert!(out.contains("Result B+23\n"), "{out}");
    assert!(
        out.contains("White E9, 7 stones: dead") || out.contains("White B7, 7 stones: dead"),
        "{out}"
    );
    let (out, ..) = run(&["score", record, "--rules", "all"], b"");
    assert_eq!(out.lines().count(), ponnuki::rules::PRESETS.len());
    assert!(out.contains("japanese           B+23"), "{out}");
    // A record with marks reads back.
    let folder = Folder::new("marked");
    let marked = folder.file("marked.sgf");
    let (_, err, code) = run(&["score", record, "--marked", &marked], b"");
    assert_eq!((err.as_str(), code), ("", Some(0)));
    let text = folder.read("marked.sgf");
    assert!(
        text.contains("RE[B+23]") && text.contains("MA[") && text.contains("TB["),
        "{text}"
    );
    let (out, ..) = run(&["score", &marked], b"");
    assert!(
        out.contains("Result B+23\nRecorded B+23: the same\n"),
        "{out}"
    );
    for (arguments, words) in [
        (&["score", "no-such-file"][..], "cannot read no-such-file"),
        (
            &["score", record, "--rules", "klingon"],
            "unknown rules 'klingon'",
        ),
        (
            &["score", record, "--komi", "3"],
            "score does not use --komi",
        ),
        (&["--rules", "all"], "not all"),
        (&["score", record, "--rules", "all", "--explain"], "not all"),
        (
            &["score", record, "--rules", "all", "--marked", "x.sgf"],
            "not all",
        ),
    ] {
        let (out, err, code) = run(arguments, b"");
        assert_eq!((out.as_str(), code), ("", Some(2)));
        assert!(err.contains(words) && err.lines().count() == 1, "{err}");
    }
}

#[test]
fn parameters_follow_the_game_and_hold_in_any_order() {
    let mut e = Process::start(&["--net", "off", "--komi", "6.5", "--size", "9"], here());
    e.ask("komi 5.5");
    e.ask("boardsize 13");
    assert_eq!(e.ask("kata-get-param komi"), "= 5.5");
    assert_eq!(e.ask("kata-get-param size"), "= 13x13");
    let refused = e.ask("kata-set-param komi 5");
    assert_eq!(refused, "? cannot set: komi is set by the command komi");
    e.ask(r#"kata-set-params {"allowResignation":false,"resignThreshold":-0.9}"#);
    assert_eq!(e.ask("kata-get-param resign_below"), "= off");
}

#[test]
fn a_komi_of_minus_zero_is_zero() {
    let mut e = Process::start(&["--net", "off", "--komi", "-0"], here());
    for komi in ["", "komi -0", "komi -0.0", "komi -0e5"] {
        if !komi.is_empty() {
            assert_eq!(e.ask(komi), "= ");
        }
        assert_eq!(e.ask("get_komi"), "= 0", "{komi}");
        assert_eq!(e.ask("kata-get-param komi"), "= 0", "{komi}");
        assert!(e.ask("printsgf").contains("KM[0]"), "{komi}");
    }
    let folder = Folder::new("komi");
    let record = folder.write("minus.sgf", "(;FF[4]GM[1]SZ[9]KM[-0.0])");
    e.ask("komi 7");
    assert_eq!(e.ask(&format!("loadsgf {record}")), "= black");
    assert_eq!(e.ask("get_komi"), "= 0");
    assert!(e.ask("printsgf").contains("KM[0]"));
}

#[test]
fn reg_genmove_keeps_to_visits_and_time() {
    let flags = ["--threads", "1", "--net", "off", "--visits", "100000000"];
    let mut e = Process::start(&flags, here());
    e.ask("boardsize 9");
    e.ask("kata-set-param time 0.4");
    let begun = std::time::Instant::now();
    assert!(e.ask("reg_genmove b").starts_with("= "));
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(350), "{took:?}");
    // Two visits allow only the first move searched.
    e.ask("kata-set-param time off");
    e.ask("kata-set-param visits 2");
    let first = e.ask("reg_genmove b");
    assert_eq!(e.ask("reg_genmove b"), first);
    assert!(begun.elapsed() < Duration::from_secs(20));
}

/// Some clients send 2147483647 seconds for no limit.
#[test]
fn times_of_68_years_are_taken() {
    let mut e = quick();
    let most = "2147483647";
    for system in [
        format!("kata-time_settings absolute {most}"),
        format!("kata-time_settings byoyomi {most} {most} 5"),
        format!("kata-time_settings canadian {most} {most} 25"),
        format!("kata-time_settings fischer-capped {most} {most} {most} {most}"),
        format!("kgs-time_settings absolute {most}"),
        format!("time_settings {most} {most} 1"),
    ] {
        assert_eq!(e.ask(&system), "= ", "{system}");
        assert_eq!(e.ask(&format!("time_left b {most} 0")), "= ");
        assert!(e.ask("genmove b").starts_with("= "), "{system}");
        let more = e.ask("time_left b 2147483648 0");
        assert!(more.contains("seconds from 0 to 2147483647, got"), "{more}");
    }
    assert_eq!(e.ask("kata-time_settings byoyomi 60 30 5"), "= ");
    assert_eq!(e.ask("time_left w 20 4"), "= ");
    assert_eq!(
        e.ask("kata-debug-print-tc"),
        "= Black originalMainTime 60 originalNumPeriods 5 numStonesPerPeriod 1 perPeriodTime 30 \
         mainTimeLeft 60 inOvertime 0\n\
         White originalMainTime 60 originalNumPeriods 5 numStonesPerPeriod 1 perPeriodTime 30 \
         mainTimeLeft 0 inOvertime 1 numPeriodsLeftIncludingCurrent 4 timeLeftInPeriod 20"
    );
    e.ask("kata-time_settings none");
    assert_eq!(
        e.ask("kata-debug-print-tc"),
        "= Black unlimited\nWhite unlimited"
    );
}

#[test]
fn compact_rules_of_katago_are_set() {
    let mut e = quick();
    let rules = "koSIMPLEscoreAREAtaxNONEsui0whbNfpok1";
    assert_eq!(e.ask(&format!("kata-set-rules {rules}")), "= ");
    assert_eq!(e.ask("kata-get-param rules"), "= chinese");
    assert_eq!(e.ask("kata-get-param koRule"), "= SIMPLE");
    assert_eq!(e.ask("kata-get-param multiStoneSuicideLegal"), "= false");
    let why = e.ask("kata-set-rules koSIMPLEscoreAREAtaxFOO");
    assert!(why.contains("rule 'tax' cannot be 'FOO'"), "{why}");
}

#[test]
fn parameters_are_read_and_set_by_name() {
    let mut e = quick();
    assert!(e.ask("kata-list-params").contains(" visits "));
    assert_eq!(e.ask("kata-get-param playouts"), "= 50");
    assert_eq!(e.ask("kata-set-param maxVisits 123"), "= ");
    assert_eq!(e.ask("kata-get-param visits"), "= 123");
    assert_eq!(e.ask("kata-set-param rave_equivalent 100"), "= ");
    assert!(e.ask("kata-get-params").contains("\"rave_equivalent\":100"));
    // Several are set together or none.
    let refused = e.ask(r#"kata-set-params {"visits": 7, "treads": 2}"#);
    assert!(
        refused.starts_with("? ") && refused.contains("threads"),
        "{refused}"
    );
    assert_eq!(e.ask("kata-get-param visits"), "= 123");
    assert_eq!(
        e.ask(r#"kata-set-params {"visits": "off", "lag": 5}"#),
        "= "
    );
    assert_eq!(e.ask("kata-get-param visits"), "= off");
    for bad in [
        "kata-set-param threads 0",
        "kata-set-param rules uk",
        "kata-get-param foo",
    ] {
        assert!(e.ask(bad).starts_with("? "), "{bad}");
    }
    // GoGui's dialog and its replies.
    assert!(e.ask("ponnuki-param").contains("\n[bool] ponder 0\n"));
    assert_eq!(e.ask("ponnuki-param ponder 1"), "= ");
    assert!(e.ask("ponnuki-param").contains("\n[bool] ponder 1\n"));
}

/// GoGui puts 15 parameters into a column; two columns fit on a laptop's screen.
#[test]
fn every_parameter_is_in_one_dialog_that_fits_a_screen() {
    let mut e = quick();
    let entries = e.ask("gogui-analyze_commands");
    let commands = entries.lines().filter_map(|l| l.strip_prefix("param/"));
    let mut rows = Vec::new();
    for command in commands.filter_map(|l| l.split_once('/')).map(|(_, c)| c) {
        let dialog = e.ask(command);
        let dialog = dialog.strip_prefix("= ").unwrap().trim_end();
        assert!(dialog.lines().count() <= 20, "{command}");
        for row in dialog.lines() {
            let (_, row) = row.split_once("] ").unwrap();
            let set = e.ask(&format!("{command} {row}"));
            assert!(row.ends_with(' ') || set == "= ", "{command} {row}: {set}");
            rows.push(row.split(' ').next().unwrap().to_owned());
        }
    }
    assert_eq!(e.ask("kata-list-params"), format!("= {}", rows.join(" ")));
    let refused = e.ask("ponnuki-param gme");
    assert!(
        refused.contains("expected one of game, time, "),
        "{refused}"
    );
    assert!(e.ask("ponnuki-param gme ponder 1").starts_with("? "));
}

#[test]
fn options_override_a_configuration_file_and_it_the_defaults() {
    let folder = Folder::new("config");
    let path = &folder.write(
        "ponnuki.toml",
        "visits = 77\nresign-below = \"off\"\nrules = \"japanese\"\nponder = true\n",
    );
    let mut e = Process::start(&["--config", path, "--visits", "33"], here());
    for (name, value) in [
        ("visits", "33"),
        ("resign_below", "off"),
        ("ponder", "true"),
        ("time", "off"),
    ] {
        assert_eq!(
            e.ask(&format!("kata-get-param {name}")),
            format!("= {value}")
        );
    }
    assert!(e.ask("kata-get-rules").contains("TERRITORY"));
    for (text, expected) in [
        (
            "visit = 3",
            "line 1: visit: there is no parameter 'visit'; did you mean visits",
        ),
        ("\nlag = -1", "line 2: lag: expected a whole number"),
        ("lag = [1]", "line 1: lag: expected a number, a text"),
        ("a = 1\nlag = = 1", "line 2: "),
        (
            r#"net = "C:\Users\me\b15.bin.gz""#,
            "; write a path with \\ in single quotes, or with / instead",
        ),
        (
            r#"log = "C:\temp\new.log""#,
            r#"log: "C:\temp\new.log" has a control character; write a path"#,
        ),
    ] {
        folder.write("ponnuki.toml", text);
        let run = Command::new(env!("CARGO_BIN_EXE_ponnuki"))
            .args(["--config", path])
            .output()
            .unwrap();
        let error = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(2));
        assert!(
            error.contains(expected) && error.lines().count() == 1,
            "{error}"
        );
    }
}

#[test]
fn set_up_positions_and_sequences_are_placed_whole_or_not_at_all() {
    let mut e = quick();
    e.ask("boardsize 9");
    assert_eq!(e.ask("gogui-setup b A1 w B2"), "= ");
    assert_eq!(e.ask("gogui-setup b C3"), "= ");
    assert_eq!(e.ask("gogui-setup_player w"), "= ");
    let shown = e.ask("showboard");
    assert!(shown.contains("No turn yet; White (O) to play"), "{shown}");
    for bad in [
        "gogui-setup b D4 w D4",
        "gogui-setup b D4 w A1",
        "gogui-setup b pass",
        "gogui-setup b K10",
        "gogui-setup b",
        "set_position b A1 w A2 w B1",
        "gogui-play_sequence w D4 b E4 w D4",
        "gogui-play_sequence w D4 x E4",
    ] {
        assert!(e.ask(bad).starts_with("? "), "{bad}");
        assert_eq!(e.ask("showboard"), shown, "{bad}");
    }
    assert_eq!(e.ask("gogui-play_sequence w D4 b E4 w PASS"), "= ");
    assert!(e.ask("showboard").contains("Turn 3: White passed"));
    assert!(e.ask("gogui-setup b H8").starts_with("? cannot set up"));
    assert_eq!(e.ask("ponnuki-legality b D4"), "= illegal: D4 is occupied");
    assert_eq!(e.ask("set_position"), "= ");
    assert!(e.ask("showboard").contains("No turn yet; Black"));
}

/// A refused command loses no state, such as the declared result.
#[test]
fn a_refused_sequence_leaves_the_declared_result() {
    let mut e = quick();
    e.ask("boardsize 9");
    assert_eq!(e.ask("ponnuki-outcome W+T"), "= W+T White wins on time");
    assert!(
        e.ask("gogui-play_sequence b A1 w A1")
            .starts_with("? illegal move")
    );
    assert_eq!(e.ask("ponnuki-outcome"), "= W+T White wins on time");
}

/// Rules and komi set by the client apply to a record without its own, even if another record was
/// loaded in between.
#[test]
fn rules_set_by_a_client_outlast_records_with_their_own() {
    let folder = Folder::new("chosen");
    folder.write("own.sgf", "(;GM[1]FF[4]SZ[9]RU[NZ]KM[7];B[ee])");
    folder.write("none.sgf", "(;GM[1]FF[4]SZ[9];B[ee])");
    let rules = |e: &mut Process| (e.ask("kata-get-param rules"), e.ask("get_komi"));
    let mut e = Process::start(&["--rules", "japanese", "--komi", "5.5"], &folder);
    let flags = rules(&mut e);
    e.ask("loadsgf own.sgf");
    let of_record = rules(&mut e);
    assert_ne!(flags, of_record);
    e.ask("loadsgf none.sgf");
    assert_eq!(rules(&mut e), flags);
    for again in [false, true] {
        if again {
            e.ask("loadsgf own.sgf");
        }
        // These are the record's.
        e.ask("kata-set-rules new-zealand");
        e.ask("komi 7");
        assert_eq!(rules(&mut e), of_record);
        e.ask("loadsgf own.sgf");
        e.ask("loadsgf none.sgf");
        assert_eq!(rules(&mut e), of_record, "again: {again}");
        e.ask("kata-set-rules japanese");
        e.ask("komi 5.5");
    }
}

/// A client that sends no rules plays its next game under those with which it started the engine.
#[test]
fn the_rules_and_komi_of_a_record_end_with_its_game() {
    let folder = Folder::new("ended");
    folder.write("own.sgf", "(;GM[1]FF[4]SZ[9]RU[NZ]KM[0];B[ee])");
    let rules = |e: &mut Process| (e.ask("kata-get-param rules"), e.ask("get_komi"));
    for komi in [&[][..], &["--komi", "5.5"][..]] {
        let mut e = Process::start(&[&["--rules", "japanese"], komi].concat(), &folder);
        let flags = rules(&mut e);
        for begin in ["clear_board", "boardsize 13"] {
            e.ask("loadsgf own.sgf");
            assert_ne!(rules(&mut e), flags);
            assert_eq!(e.ask(begin), "= ");
            assert_eq!(rules(&mut e), flags, "{begin}");
        }
        // Stones replace the record's game, which keeps its rules until the next one begins.
        e.ask("loadsgf own.sgf");
        assert_eq!(e.ask("set_position w A1"), "= ");
        assert_ne!(rules(&mut e), flags);
        e.ask("clear_board");
        assert_eq!(rules(&mut e), flags);
        // What the client sets while the record is loaded holds on.
        e.ask("loadsgf own.sgf");
        e.ask("komi 3.5");
        e.ask("clear_board");
        assert_eq!(rules(&mut e), (flags.0, "= 3.5".to_owned()));
    }
}

/// Changing one rule of a record's game does not make its other rules those of later records.
#[test]
fn one_changed_rule_leaves_the_others_as_the_client_chose_them() {
    let folder = Folder::new("one-rule");
    folder.write("own.sgf", "(;GM[1]FF[4]SZ[9]RU[Japanese];B[ee])");
    let mut e = Process::start(&["--rules", "chinese"], &folder);
    let chosen = e.ask("kata-get-rules");
    assert!(chosen.contains(r#""suicide":false"#), "{chosen}");
    e.ask("loadsgf own.sgf");
    assert_eq!(e.ask("kata-set-rule suicide true"), "= ");
    e.ask("clear_board");
    let with_suicide = chosen.replace(r#""suicide":false"#, r#""suicide":true"#);
    assert_eq!(e.ask("kata-get-rules"), with_suicide);
}

/// A komi named among the rules counts, even after one that was set before. A ruleset's own does not.
#[test]
fn a_komi_named_among_the_rules_is_set() {
    let mut e = quick();
    e.ask("komi 2");
    for (command, komi) in [
        ("kata-set-rules japanese", "= 2"),
        ("kata-set-rule komi 9", "= 9"),
        (r#"kata-set-rules {"scoring":"AREA","komi":4.5}"#, "= 4.5"),
        ("kata-set-rules chinese", "= 4.5"),
        ("clear_board", "= 4.5"),
    ] {
        assert_eq!(e.ask(command), "= ", "{command}");
        assert_eq!(e.ask("get_komi"), komi, "{command}");
    }
}

/// Some arguments need others, which the number of arguments does not show.
#[test]
fn a_missing_argument_is_answered_with_the_usage() {
    let mut e = quick();
    for (command, usage) in [
        (
            "kata-time_settings byoyomi 10",
            "kata-time_settings SYSTEM …",
        ),
        ("kata-set-rule ko", "kata-set-rule KEY VALUE"),
        (
            "lz-analyze b 10 avoid b D4",
            "lz-analyze [COLOR] [CENTISECONDS] [KEY VALUE …]",
        ),
    ] {
        let answer = e.ask(command);
        assert_eq!(answer, format!("? syntax error: usage: {usage}"));
    }
    let answer = e.ask("lz-analyze b 10 avoid b I4 1");
    assert!(answer.contains("there is no column I"), "{answer}");
}

/// gtp2ogs computes a main time that may be negative.
#[test]
fn a_main_time_below_zero_is_none() {
    let mut e = quick();
    assert_eq!(e.ask("time_settings -5 30 1"), "= ");
    let clock = e.ask("kata-debug-print-tc");
    assert_eq!(e.ask("time_settings 0 30 1"), "= ");
    assert_eq!(e.ask("kata-debug-print-tc"), clock);
}

/// If the score counts prisoners, results with other prisoners do not apply.
#[test]
fn a_search_with_other_prisoners_is_not_continued() {
    let folder = Folder::new("prisoners");
    for (file, prisoners) in [("few.sgf", ""), ("many.sgf", "PRISONERS[30:0]")] {
        let stones = "AB[ca][cb][cc][cd][ce]AW[da][db][dc][dd][de]";
        let text = format!("(;GM[1]FF[4]SZ[5]RU[Japanese]KM[0]{prisoners}{stones}PL[B])");
        folder.write(file, &text);
    }
    let flags = ["--net", "off", "--visits", "500", "--threads", "1"];
    let mut e = Process::start(&flags, &folder);
    let win_rate = |e: &mut Process| {
        e.ask("kata-search_analyze b 1000");
        let line = e.ask("kata-search_analyze b");
        let (_, rest) = line.split_once("winrate ").unwrap();
        rest.split(' ').next().unwrap().parse::<f32>().unwrap()
    };
    e.ask("loadsgf few.sgf");
    assert!(win_rate(&mut e) > 0.8);
    e.ask("loadsgf many.sgf");
    assert!(win_rate(&mut e) < 0.2);
}

/// Undoing a move out of turn restores the other player's turn.
#[test]
fn undo_restores_the_turn() {
    let mut e = quick();
    e.ask("boardsize 9");
    e.ask("set_free_handicap C3 G7");
    let before = e.ask("showboard");
    assert!(before.contains("White (O) to play"), "{before}");
    e.ask("play b E5");
    e.ask("undo");
    assert_eq!(e.ask("showboard"), before);
    e.ask("play w E5");
    e.ask("play w C5");
    e.ask("undo");
    assert!(e.ask("showboard").contains("Black (X) to play"));
    // A turn that was set stays set.
    e.ask("gogui-setup_player w");
    e.ask("play w C5");
    e.ask("undo");
    assert!(e.ask("showboard").contains("White (O) to play"));
    // White moves first after handicap stones, even if Black was set to move before.
    e.ask("clear_board");
    e.ask("gogui-setup_player b");
    e.ask("place_free_handicap 2");
    e.ask("play b A1");
    e.ask("undo");
    assert!(e.ask("showboard").contains("White (O) to play"));
}

#[test]
#[ignore = "measures time"]
fn a_period_that_has_begun_is_kept_to() {
    let mut e = Process::start(&["--threads", "1"], here());
    e.ask("boardsize 9");
    assert_eq!(e.ask("kgs-time_settings byoyomi 0 1 3"), "= ");
    // A period of a second, half of it gone.
    assert_eq!(e.ask("time_left b 0.5 2"), "= ");
    let begun = std::time::Instant::now();
    assert!(e.ask("genmove b").starts_with("= "));
    assert!(
        begun.elapsed() < Duration::from_millis(1000),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn time_systems_of_the_servers_are_understood() {
    let mut e = Process::start(&["--threads", "1"], here());
    e.ask("boardsize 9");
    for system in [
        "kgs-time_settings none",
        "kgs-time_settings absolute 30",
        "kgs-time_settings canadian 0 2 5",
        "kata-time_settings fischer 2 0.3",
        "kata-time_settings fischer-capped 2 0.3 60 -1",
        "kata-time_settings byoyomi 0 0.4 2",
        "kgs-time_settings byoyomi 0 1 3",
    ] {
        assert_eq!(e.ask(system), "= ", "{system}");
    }
    for bad in [
        "kgs-time_settings",
        "kgs-time_settings fischer 1 1",
        "kgs-time_settings byoyomi 1 1",
        "kata-time_settings fischer-capped 1 1",
        "kata-time_settings sometimes",
    ] {
        assert!(e.ask(bad).starts_with("? syntax error"), "{bad}");
    }
}

#[test]
fn chat_is_answered_only_if_enabled() {
    let mut e = quick();
    assert!(!e.ask("list_commands").contains("kgs-chat"));
    assert_eq!(e.ask("known_command kgs-chat"), "= false");
    let mut e = Process::start(&["--kgs-chat", "--playouts", "50"], here());
    assert!(e.ask("list_commands").contains("\nkgs-chat\n"));
    assert!(
        e.ask("kgs-chat game somebody who leads?")
            .starts_with("= I have not")
    );
    e.ask("genmove b");
    assert!(
        e.ask("kgs-chat game somebody who leads?")
            .starts_with("= I played Black")
    );
}

fn session() -> Session {
    let engine = Engine::new(Settings {
        size: Some(BoardSize::square(9)),
        threads: 1,
        memory: 1 << 20,
        evaluator: ponnuki::analysis::EvaluatorChoice::Playouts,
        ..Settings::default()
    });
    Session::new(engine.unwrap())
}

/// Programs get no hints, only the protocol's messages.
#[test]
fn mistyped_commands_get_a_hint_where_a_person_types() {
    let mut session = session();
    let ask = |session: &mut Session, line: &str| session.reply(line.as_bytes()).unwrap();
    assert_eq!(
        ask(&mut session, "shwoboard"),
        "? unknown command: 'shwoboard'\n\n"
    );
    assert!(ask(&mut session, "exit").starts_with("? unknown command"));
    session.for_people = true;
    assert_eq!(
        ask(&mut session, "shwoboard"),
        "? unknown command: 'shwoboard'; did you mean showboard?\n\n"
    );
    assert_eq!(ask(&mut session, "xyzzy"), "? unknown command: 'xyzzy'\n\n");
    assert!(ask(&mut session, "?").contains("genmove COLOR: "));
    assert_eq!(ask(&mut session, "exit"), "= \n\n");
    assert!(session.is_done());
    let no_column = ask(&mut session, "play b i5");
    assert!(no_column.contains("there is no column I"), "{no_column}");
}

#[test]
fn the_board_is_in_colour_on_a_terminal_only() {
    let mut session = session();
    session.reply(b"play b D4");
    let plain = session.reply(b"showboard").unwrap();
    assert!(plain.contains("(X)") && !plain.contains('\u{1b}'));
    session.ink = Ink::Colored;
    let colored = session.reply(b"showboard").unwrap();
    assert!(colored.contains('●') && colored.contains("\u{1b}[0m"));
}

/// Only records may have a board of a single column.
#[test]
fn a_record_of_a_single_column_is_played_on() {
    let folder = Folder::new("column");
    let file = folder.write("game.sgf", "(;SZ[1:5]RU[NZ];B[ac];W[ab];B[ad])");
    let mut e = quick();
    assert_eq!(e.ask(&format!("loadsgf {file}")), "= white");
    assert!(e.ask("genmove w").starts_with("= "));
    assert!(e.ask("final_score").starts_with("= "));
    assert!(e.ask("printsgf").contains("SZ[1:5]"));
    assert!(e.ask("boardsize 1").starts_with("? unacceptable size"));
}
