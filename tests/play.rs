//! A game at the terminal, over pipes.

mod common;

use common::folder::Folder;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// All output of a game for these typed lines.
fn play(flags: &[&str], folder: &Path, lines: &str) -> String {
    play_bytes(flags, folder, lines.as_bytes())
}

fn play_bytes(flags: &[&str], folder: &Path, lines: &[u8]) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ponnuki"))
        .arg("play")
        .args(["--net", "off", "--playouts", "200", "--threads", "1"])
        .args(["--seed", "1"])
        .args(flags)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let _ = input.write_all(lines);
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn options_apply_to_a_continued_game() {
    let folder = Folder::new("continued");
    let record = "(;SZ[5]RU[Japanese]KM[6.5];B[cc];W[bb])";
    std::fs::write(folder.join("a.sgf"), record).unwrap();
    let shown = play(&["a.sgf"], &folder, "quit\n");
    assert!(shown.contains("Rules: japanese; komi 6.5"), "{shown}");
    let options = ["a.sgf", "--rules", "chinese", "--komi", "3"];
    let shown = play(&options, &folder, "quit\n");
    assert!(shown.contains("Rules: chinese; komi 3"), "{shown}");
}

/// The help of `play` lists `--ponder`, so it must do something there.
#[cfg(target_os = "linux")]
#[test]
fn with_ponder_the_program_thinks_while_it_waits_for_a_line() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ponnuki"))
        .args(["play", "--ponder", "--net", "off", "--threads", "1"])
        .args(["--size", "9", "--time", "0.1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = child.stdout.take().unwrap();
    input.write_all(b"e5\n").unwrap();
    let mut shown = Vec::new();
    let prompts = |shown: &[u8]| String::from_utf8_lossy(shown).matches("(you)>").count();
    while prompts(&shown) < 2 {
        let mut bytes = [0; 1024];
        let n = output.read(&mut bytes).unwrap();
        assert!(n > 0, "{}", String::from_utf8_lossy(&shown));
        shown.extend(&bytes[..n]);
    }
    // Hundredths of a second of processor time, in user mode.
    let used = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        let after_name = stat.rsplit(") ").next().unwrap();
        after_name
            .split(' ')
            .nth(11)
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    let (before, start) = (used(), Instant::now());
    while used() < before + 30 {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "it does not ponder"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    input.write_all(b"who\nquit\n").unwrap();
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("wins with a probability of"), "{rest}");
    assert!(child.wait().unwrap().success());
}

/// What is not understood changes nothing, even if it begins like a command.
#[test]
fn a_line_that_is_not_understood_ends_nothing() {
    let folder = Folder::new("not-understood");
    let lines = b"C3\nB2\xe9\nresign now\nC4 D4\nquit please\nC2\nscore\nquit\n";
    let shown = play_bytes(&["--size", "5", "--rules", "chinese"], &folder, lines);
    for line in ["b2\u{fffd}", "resign now", "C4 D4", "quit please"] {
        let words = format!("'{line}' is not understood");
        assert!(shown.contains(&words), "{line}: {shown}");
    }
    assert!(shown.contains("Black played C2"), "{shown}");
    assert!(shown.contains("Dead stones:"), "{shown}");
}

#[test]
fn a_game_is_played_with_every_command_that_help_lists() {
    let folder = Folder::new("play");
    let lines = "help\nc3\nc3\nhint\nwho\nscore\nlevel 3\nlevel 11\nsave open.sgf\nboard\nresign\n";
    let shown = play(&["--size", "5", "--rules", "japanese"], &folder, lines);
    for words in [
        "Type a move such as E5, or help.",
        "resign  give up the game",
        "Turn 1: Black played C3; White (O) to play",
        "Ponnuki (White) is thinking …",
        "You cannot play there: C3 is occupied.",
        "Black (you)> \nTry ",
        "Black wins with a probability of",
        "Dead stones:",
        "Level 3.",
        "from 1 to 10",
        "Saved in open.sgf.",
        "The game is over.\nW+R: White wins by resignation.",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let saved = std::fs::read_to_string(folder.join("open.sgf")).unwrap();
    assert!(
        saved.contains("PB[Player]PW[Ponnuki]") && !saved.contains("RE["),
        "{saved}"
    );
    // The game resumes where it was left.
    let shown = play(&["open.sgf"], &folder, "undo\nundo\nquit\n");
    assert!(shown.contains("Turn 2: White played"), "{shown}");
    assert!(shown.contains("No turn yet"), "{shown}");
    assert!(
        shown.contains("There is no move of yours to take back."),
        "{shown}"
    );
}

#[test]
fn mistyped_input_gets_a_hint() {
    let lines = "i5\nhnit\nxyzzy\nsave\nz99\n";
    let shown = play(&["--size", "9"], common::process::here(), lines);
    for words in [
        "There is no column I: J follows H.",
        "'hnit' is not understood; did you mean hint?",
        "'xyzzy' is not understood: type a move such as E5, or help.",
        "Name a file: save game.sgf",
        "'z99' is not understood",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn a_player_may_be_white_and_take_handicap_stones_as_an_opponent() {
    let flags = ["--size", "9", "--color", "white", "--handicap", "3"];
    let shown = play(&flags, common::process::here(), "e5\n");
    assert!(shown.contains("White (you)> "), "{shown}");
    assert!(shown.contains("handicap 3"), "{shown}");
    assert!(shown.contains("Ponnuki (Black) is thinking"), "{shown}");
}

/// A handicap of 1 used to be none, and that of a record to be continued was ignored.
#[test]
fn a_handicap_without_stones_or_for_a_record_is_refused() {
    let folder = Folder::new("refused-handicap");
    folder.write("game.sgf", "(;SZ[9];B[ee])");
    for (flags, why) in [
        (
            &["--handicap", "1"][..],
            "a handicap of 1 has no stones: set the komi instead",
        ),
        (&["--handicap", "10"], "expected 0 or a whole number from 2"),
        (
            &["--handicap", "2", "--size", "5"],
            "no points for 2 handicap stones on 5x5",
        ),
        (&["--handicap", "2", "game.sgf"], "--handicap"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_ponnuki"))
            .args(["play", "--net", "off"])
            .args(flags)
            .current_dir(&folder)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{flags:?}: {said}");
        assert!(said.contains(why), "{flags:?}: {said}");
    }
    let shown = play(&["--handicap", "0", "--size", "5"], &folder, "quit\n");
    assert!(shown.contains("Black (you)> "), "{shown}");
}

/// Players who disagree about dead stones play on as the rules in force provide.
#[test]
fn dead_stones_are_disputed_by_the_rules_in_force() {
    let folder = Folder::new("dispute");
    let over = "KM[0.5];B[cc];W[dc];B[cb];W[db];B[cd];W[dd];B[ca];W[da];B[ce];W[de];B[eb];W[];B[])";
    for (rules, words) in [
        (
            "Japanese",
            "the opponent of the player who asks moves first: White",
        ),
        ("AGA", "the players go on in turn: White"),
    ] {
        folder.write("over.sgf", format!("(;GM[1]FF[4]SZ[5]RU[{rules}]{over}"));
        let shown = play(&["over.sgf"], &folder, "perhaps\nno\npass\n");
        assert!(shown.contains("Dead stones: E4."), "{shown}");
        assert!(shown.contains("yes or no\n"), "{shown}");
        assert!(shown.contains(words), "{shown}");
        assert!(shown.contains("Ponnuki (White) is thinking"), "{shown}");
    }
    // Under rules that remove no stones there is nothing to dispute.
    folder.write(
        "over.sgf",
        format!("(;GM[1]FF[4]SZ[5]RU[Tromp-Taylor]{over}"),
    );
    let shown = play(&["over.sgf"], &folder, "");
    assert!(!shown.contains("Do you agree"), "{shown}");
    assert!(shown.contains("wins by"), "{shown}");
}
