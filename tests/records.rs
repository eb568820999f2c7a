//! Game records of other programs, over the protocol.

mod common;

use common::folder::Folder;
use common::process::Process;
use ponnuki::rules::Ruleset;
use ponnuki::sgf::{self, GameInfo};
use ponnuki::types::Color;

fn engine(folder: &Folder) -> Process {
    Process::start(&["--playouts", "20", "--threads", "1"], folder)
}

#[test]
fn rules_and_komi_of_a_record_do_not_carry_over_to_the_next() {
    let folder = Folder::new("carry");
    folder.write("japanese.sgf", "(;SZ[9]RU[Japanese]KM[5.5];B[ee])");
    folder.write("plain.sgf", "(;SZ[9];B[ee])");
    let mut e = engine(&folder);
    let now = |e: &mut Process| {
        e.ask("savesgf now.sgf");
        let text = folder.read("now.sgf");
        let value = |name: &str| text.split(name).nth(1).unwrap().split(']').next().unwrap();
        (value("RU[").to_owned(), value("KM[").to_owned())
    };
    let own = |rules: &str, komi: &str| (rules.to_owned(), komi.to_owned());
    e.ask("loadsgf japanese.sgf");
    assert_eq!(now(&mut e), own("Japanese", "5.5"));
    e.ask("loadsgf plain.sgf");
    assert_eq!(now(&mut e), own("NZ", "7"));
    // Rules that the client chooses stay, before a record and after it.
    e.ask("kata-set-rules chinese");
    e.ask("komi 3");
    e.ask("loadsgf japanese.sgf");
    e.ask("loadsgf japanese.sgf");
    e.ask("loadsgf plain.sgf");
    assert_eq!(now(&mut e), own("Chinese", "3"));
    e.ask("loadsgf japanese.sgf");
    e.ask("komi 0");
    e.ask("loadsgf plain.sgf");
    assert_eq!(now(&mut e), own("Chinese", "0"));
}

#[test]
fn names_of_files_may_have_blanks() {
    let folder = Folder::new("blanks");
    let mut e = engine(&folder);
    e.ask("boardsize 9");
    for m in ["b E5", "w C3", "b G7"] {
        e.ask(&format!("play {m}"));
    }
    assert_eq!(e.ask("savesgf my game.sgf"), "= ");
    assert_eq!(e.ask("savesgf \"my  other game.sgf\""), "= ");
    assert_eq!(e.ask("loadsgf my game.sgf"), "= white");
    assert_eq!(e.ask("loadsgf my game.sgf 3"), "= black");
    assert_eq!(e.ask("loadsgf \"my  other game.sgf\" 2"), "= white");
    assert_eq!(e.ask("savesgf game 12"), "= ");
    assert_eq!(e.ask("loadsgf game 12"), "= white");
    assert!(
        e.ask("loadsgf no game.sgf 2")
            .starts_with("? cannot load file")
    );
    assert!(folder.join("my game.sgf").exists() && folder.join("game 12").exists());
}

#[test]
fn a_game_that_is_taken_up_again_has_no_result() {
    let folder = Folder::new("resumed");
    folder.write(
        "game.sgf",
        "(;SZ[5]RE[B+3]KM[0]RU[Japanese];B[cc];W[bb];B[];W[])",
    );
    let mut e = engine(&folder);
    e.ask("loadsgf game.sgf");
    assert!(e.ask("printsgf").contains("RE["));
    assert_eq!(e.ask("ponnuki-resume w"), "= black");
    assert!(!e.ask("printsgf").contains("RE["));
}

/// A move on a stone used to discard all but one move of a game of 244.
#[test]
fn a_record_with_a_move_on_a_stone_is_printed_whole() {
    let folder = Folder::new("whole");
    folder.write("game.sgf", "(;SZ[9]RE[B+R];B[ee];W[cc];B[gg];W[ee];B[cg])");
    let mut e = engine(&folder);
    assert_eq!(e.ask("loadsgf game.sgf"), "= white");
    let moves = |e: &mut Process| {
        let text = e.ask("printsgf");
        let nodes = text
            .split(';')
            .map(|node| node.trim_end_matches([')', '\n', '\r']));
        let moves = nodes.filter(|n| n.starts_with("B[") || n.starts_with("W["));
        moves.map(str::to_owned).collect::<Vec<String>>().join(" ")
    };
    let whole = "B[ee] W[cc] B[gg] W[ee] B[cg]";
    assert_eq!(moves(&mut e), whole);
    assert!(e.ask("printsgf").contains("RE[B+R]"));
    e.ask("play w gg");
    e.ask("play w g7");
    assert_eq!(moves(&mut e), format!("{whole} W[gc]"));
    e.ask("undo");
    e.ask("undo");
    assert_eq!(moves(&mut e), "B[ee] W[cc] B[gg] W[ee]");
    // Rules chosen now apply to the whole game.
    e.ask("kata-set-rules japanese");
    assert_eq!(moves(&mut e), "B[ee] W[cc] B[gg] W[ee]");
    e.ask("clear_board");
    assert_eq!(moves(&mut e), "");
}

#[test]
fn prisoners_survive_a_set_up_in_mid_game() {
    let game = b"(;SZ[5];B[ba];W[aa];B[ab];W[cc];AB[ee]AW[ea];W[dd];B[de])";
    let record = sgf::read(game, &Ruleset::default(), None).unwrap();
    let captured = Color::BOTH.map(|c| record.position.board().captured(c));
    assert_eq!(captured.iter().sum::<u32>(), 1);
    let text = sgf::write(&record.position, &GameInfo::default());
    let back = sgf::read(text.as_bytes(), &Ruleset::default(), None).unwrap();
    assert_eq!(back.position.board(), record.position.board());
    assert_eq!(
        Color::BOTH.map(|c| back.position.board().captured(c)),
        captured
    );
    assert_eq!(sgf::write(&back.position, &GameInfo::default()), text);
    // An invalid count does no harm.
    for nonsense in [
        "",
        "1",
        "1:",
        ":",
        "-1:2",
        "a:b",
        "99999999999:1",
        "4000000:1",
    ] {
        let game = format!("(;SZ[5]AB[cc]PRISONERS[{nonsense}];W[aa])");
        let record = sgf::read(game.as_bytes(), &Ruleset::default(), None).unwrap();
        assert_eq!(
            record.position.board().captured(Color::Black),
            0,
            "{nonsense}"
        );
    }
}

#[test]
fn handicap_without_stones_is_placed_on_the_usual_points() {
    let read = |text: &str| sgf::read(text.as_bytes(), &Ruleset::default(), None).unwrap();
    let record = read("(;SZ[19]HA[4];W[cn];B[fq])");
    assert_eq!(record.position.placed_handicap(), 4);
    assert_eq!(record.implied_handicap, 4);
    let odd = record.oddities().unwrap();
    assert!(odd.contains("HA[4] without stones"), "{odd}");
    let text = sgf::write(&record.position, &record.info);
    assert_eq!(read(&text).position.board(), record.position.board());
    assert_eq!(read(&text).oddities(), None);
    // The stones are Black's first moves, or already placed.
    for other in [
        "(;SZ[19]HA[2];B[pd];B[dp];W[cn])",
        "(;SZ[19]HA[2]AB[pd][dp];W[cn])",
        "(;SZ[19]HA[1];W[cn])",
        "(;SZ[19]HA[40];W[cn])",
    ] {
        assert_eq!(read(other).implied_handicap, 0, "{other}");
    }
}

/// Kierulf's property names had lower-case letters, and a node may both set up and play.
#[test]
fn the_first_format_is_read() {
    let text = "(;GaMe[1]SiZe[9]PlayerBlack[B]KoMi[5.5]AddBlack[cc][gg]\n\
                ;thisisaWhitemove[ee]bbrWyryrerwLerreoi[10.3]\n;AddWhite[aa]Black[ff])";
    let record = sgf::read(text.as_bytes(), &Ruleset::default(), None).unwrap();
    assert_eq!(record.position.size().width(), 9);
    assert_eq!(record.moves_in_record, 2);
    let stones = record.position.size().points();
    let stones = stones.filter(|&p| record.position.board().at(p).is_stone());
    assert_eq!(stones.count(), 5);
}

/// Found by the fuzzer: blank control characters were written but not read back.
#[test]
fn names_that_end_in_control_characters_come_back() {
    let read = |text: &str| sgf::read(text.as_bytes(), &Ruleset::default(), None).unwrap();
    let record = read("(;SZ[9]PB[\0\0name\0\0]PW[\0])");
    assert_eq!(record.info.black.as_deref(), Some("name"));
    assert_eq!(record.info.white, None);
    let text = sgf::write(&record.position, &record.info);
    assert_eq!(read(&text).info.black, record.info.black);
}

#[test]
fn text_of_a_file_cannot_control_a_terminal() {
    let folder = Folder::new("words");
    for (name, text) in [
        ("size.sgf", "(;SZ[\0\x1b[31m9])"),
        ("game.sgf", "(;GM[\x07\u{9b}2])"),
        ("move.sgf", "(;SZ[9];B[\x1b\x07z])"),
        ("open.sgf", "(;C\x1b[never"),
    ] {
        folder.write(name, text);
        let reply = engine(&folder).ask(&format!("loadsgf {name}"));
        assert!(reply.starts_with("? cannot load file"), "{reply:?}");
        assert!(!reply.contains(|c: char| c.is_control()), "{reply:?}");
    }
}

#[test]
fn the_configuration_file_may_set_the_log() {
    let folder = Folder::new("logged");
    folder.write("ponnuki.toml", "log = \"traffic.log\"\nplayouts = 20\n");
    let mut e = Process::start(&["--config", "ponnuki.toml"], &folder);
    e.ask("name");
    e.send("quit\n");
    e.wait();
    assert!(folder.read("traffic.log").contains(">> name"));
}
