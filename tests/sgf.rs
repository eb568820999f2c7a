//! Game records: real ones are read, and written ones read back.

mod common;

use common::cases::cases;
use common::examples::examples;
use common::long;
use common::shared::shared;
use flate2::read::GzDecoder;
use ponnuki::board::Board;
use ponnuki::position::{IllegalMove, Line, Position, Root};
use ponnuki::rules::{PRESETS, Ruleset, preset};
use ponnuki::sgf::{self, GameInfo, IllegalPlay, SgfError, read, write};
use ponnuki::types::{BoardSize, Color, Generator, Komi, Move, Point, PointState};
use proptest::prelude::*;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[test]
fn records_of_strong_amateurs_are_read() {
    let Some(path) = shared("data/kgs6d.sgfs.gz", "records_of_strong_amateurs_are_read") else {
        return;
    };
    let lines = BufReader::new(GzDecoder::new(File::open(path).unwrap())).split(b'\n');
    let (mut games, mut moves, mut occupied) = (0, 0, 0);
    for line in lines {
        let line = line.unwrap();
        games += 1;
        match read(&line, &Ruleset::default(), None) {
            Ok(record) => {
                moves += record.moves_in_record;
                // Some records have a play on an occupied point.
                let on_stones = |m: &IllegalPlay| matches!(m.why, IllegalMove::Occupied(_));
                occupied += usize::from(record.illegal.iter().any(on_stones));
                let turns = record.position.parts().map(|p| p.turns().len());
                assert_eq!(turns.sum::<usize>(), record.moves_in_record);
            }
            Err(e) => panic!("game {games}: {e}"),
        }
    }
    eprintln!("{games} games, {moves} moves; {occupied} games with plays on occupied points");
    assert!(games > 1000 && moves > 100 * games);
    assert!(occupied * 25 < games, "{occupied} of {games}");
}

/// Set-up positions, the examples of the Japanese rules, are written and read back.
#[test]
fn set_up_positions_are_read_back() {
    for example in examples("j89") {
        let rules = preset("japanese").unwrap().rules;
        for color in Color::BOTH {
            let position = Position::from_board(example.board.clone(), color, rules);
            let text = write(&position, &GameInfo::default());
            let back = read(text.as_bytes(), &Ruleset::default(), None).unwrap();
            assert_eq!(back.position.board(), position.board(), "{}", example.name);
            assert_eq!(back.position.to_move(), color);
            assert_eq!(back.position.rules(), &rules);
            assert_eq!(back.moves_in_record, 0);
            back.position.board().check().unwrap();
        }
    }
}

/// A problem with labels and several variations, of which the first counts.
#[test]
fn the_first_of_several_lines_is_the_game() {
    let text = b"(;GM[1]FF[4]CA[UTF-8]SZ[9]RU[Japanese]KM[0]GN[Example 1]C[torazu sanmoku\n\
        (three points, nothing captured) \\]]\n\
        AB[ba][ca][bb][cb][ac][ad][bd][cd][dd][ed][fd][gd][hd][id][ef]\n\
        AW[da][ab][db][bc][cc][dc][ec][fc][gc][hc][ic]\nPL[B]LB[aa:A]\n\
        (;B[aa]C[takes one];W[ab];B[bb])\n(;W[aa]C[it is White's turn];B[bb]))";
    let start = read(text, &Ruleset::default(), Some(0)).unwrap();
    assert_eq!(start.moves_in_record, 3);
    assert_eq!(start.position.to_move(), Color::Black);
    let examples = examples("j89");
    let first = examples.iter().find(|e| e.name == "example-01").unwrap();
    assert_eq!(start.position.board(), &first.board);
    let whole = read(text, &Ruleset::default(), None).unwrap().position;
    let moves: Vec<_> = whole.turns().iter().map(|t| t.mv.to_string()).collect();
    assert_eq!(moves, ["A9", "A8", "B8"]);
}

fn board(text: &str) -> Position {
    read(text.as_bytes(), &Ruleset::default(), None)
        .unwrap()
        .position
}

#[test]
fn sizes_komi_rules_and_players() {
    let r = read(
        b"(;GM[1]FF[3]SZ[9:13]KM[5,5]RU[japanese]PB[a]PW[]RE[B+R];B[aa];W[tt];B[];W[im])",
        &Ruleset::default(),
        None,
    )
    .unwrap();
    assert_eq!(r.position.size(), BoardSize::new(9, 13).unwrap());
    assert_eq!(r.position.komi(), Komi::half_points(11));
    assert_eq!(r.position.rules().name(), Some("japanese"));
    assert_eq!(r.info.black.as_deref(), Some("a"));
    assert_eq!(r.info.white, None);
    let moves: Vec<_> = r
        .position
        .turns()
        .iter()
        .map(|t| t.mv.to_string())
        .collect();
    assert_eq!(moves, ["A13", "pass", "pass", "J1"]);
    assert_eq!(board("(;B[pd])").size(), BoardSize::square(19));
    assert!(!board("(;KM[abc];B[pd])").komi_is_set());
    assert_eq!(board("(;RU[NZ];B[pd])").rules().name(), Some("new-zealand"));
    assert_eq!(board("(;RU[AGA 1991];B[pd])").rules().name(), Some("aga"));
}

#[test]
fn handicap_setup_and_the_position_before_a_move() {
    let text = b"(;SZ[9]HA[2]KM[0.5]AB[cc][gg];W[ee];B[ef];W[dd])";
    let r = read(text, &Ruleset::default(), Some(1)).unwrap();
    assert_eq!((r.position.turns().len(), r.moves_in_record), (1, 3));
    assert_eq!(r.position.placed_handicap(), 2);
    assert_eq!(r.position.to_move(), Color::Black);
    let p = board("(;SZ[5]AB[aa:bb]AW[ee]PL[W];W[ed];AE[aa]AW[ca];B[cb])");
    assert_eq!(
        p.board().to_string(),
        ". X O . .\nX X X . .\n. . . . .\n. . . . O\n. . . . O\n"
    );
    assert_eq!(p.turns().len(), 1);
}

fn before(text: &str, number: usize) -> Position {
    let limit = Some(number - 1);
    read(text.as_bytes(), &Ruleset::default(), limit)
        .unwrap()
        .position
}

fn stones(p: &Position) -> usize {
    p.size().area() - p.board().empty_points().len()
}

#[test]
fn the_position_before_move_1_has_the_handicap_stones() {
    let p = before("(;SZ[9]HA[2]AB[cc][gg];W[ee];B[ef])", 1);
    assert_eq!((stones(&p), p.placed_handicap()), (2, 2));
    assert_eq!(p.to_move(), Color::White);
    let p = before("(;SZ[9]AB[cc][gg]AW[aa]PL[W];W[ee];B[ef])", 1);
    assert_eq!((stones(&p), p.to_move()), (3, Color::White));
}

#[test]
fn the_position_before_a_move_has_the_stones_set_up_since_the_last() {
    let text = "(;SZ[9];B[cc];AW[aa];W[ee];B[dd])";
    assert_eq!(stones(&before(text, 2)), 2);
    assert_eq!(stones(&before(text, 3)), 3);
    // Stones set up later are not on the board yet.
    assert_eq!(stones(&before("(;SZ[9];B[cc];W[ee];AB[dd];B[aa])", 2)), 1);
    // Later errors do not matter.
    assert_eq!(stones(&before("(;SZ[9];B[cc];W[cc];AB[zz])", 2)), 1);
    let all = "(;SZ[9];B[cc];W[ee];AB[dd])";
    assert_eq!(stones(&before(all, 3)), 3);
    assert_eq!(stones(&before(all, 300)), 3);
}

#[test]
fn the_player_of_the_next_recorded_move_is_to_move() {
    assert_eq!(before("(;SZ[9];W[cc])", 1).to_move(), Color::White);
    assert_eq!(board("(;SZ[9];W[cc];B[dd])").first(), Color::White);
    assert_eq!(before("(;SZ[9];B[cc];B[dd])", 2).to_move(), Color::Black);
    assert_eq!(board("(;SZ[9]AB[cc]AW[dd];W[ee])").first(), Color::White);
    assert_eq!(board("(;SZ[9]HA[2]AB[cc][dd])").to_move(), Color::White);
    assert_eq!(board("(;SZ[9]AB[cc][dd])").to_move(), Color::Black);
    // PL takes precedence.
    assert_eq!(board("(;SZ[9]PL[B];W[cc];B[dd])").first(), Color::Black);
    assert_eq!(board("(;SZ[9];B[cc];PL[B])").to_move(), Color::Black);
}

/// PL says who is to move only where readers would guess wrong, however the stones came about.
#[test]
fn the_player_to_move_is_written_the_same_twice() {
    for text in [
        "(;SZ[9]HA[2]AB[cc][gg])",
        "(;SZ[9]HA[2]AB[cc];AB[gg])",
        "(;SZ[9]HA[2];AB[cc];AB[gg];PL[B])",
        "(;SZ[9]HA[2]AB[cc]AW[gg])",
        "(;SZ[9]HA[2]PL[W])",
        "(;SZ[9]AB[cc][gg]PL[W])",
        "(;SZ[9]HA[3]AB[cc][gg])",
    ] {
        let record = read(text.as_bytes(), &Ruleset::default(), None).unwrap();
        let once = write(&record.position, &record.info);
        let back = read(once.as_bytes(), &Ruleset::default(), None).unwrap();
        assert_eq!(back.position.to_move(), record.position.to_move(), "{once}");
        assert_eq!(write(&back.position, &back.info), once, "{text}");
    }
}

#[test]
fn set_up_that_changes_nothing_keeps_the_game() {
    let p = board("(;SZ[9];B[cc];W[dd];AE[aa]AB[cc];B[ee])");
    assert_eq!(p.turns().len(), 3);
}

#[test]
fn set_up_within_a_game_keeps_prisoners_and_komi() {
    let p = board("(;SZ[5]KM[3.5]AB[ab]AW[aa];B[ba];AE[ab]AW[ee];W[cc])");
    assert_eq!(p.board().captured(Color::White), 1);
    assert_eq!((p.turns().len(), stones(&p)), (1, 3));
    assert_eq!(p.komi(), Komi::half_points(7));
    assert_eq!(p.board().check(), Ok(()));
}

/// Reinterpreted content is named: moves before stones set up in the middle, and a komi in another
/// unit.
#[test]
fn reinterpreted_content_is_named() {
    let read = |text: &str| sgf::read(text.as_bytes(), &Ruleset::default(), None).unwrap();
    let record = read("(;SZ[9];B[ee];W[cc]AB[aa];B[gg])");
    assert_eq!(record.set_up_after, [1]);
    let said = record.oddities().unwrap();
    assert!(
        said.contains("set up after move 1: repetition is checked only from there"),
        "{said}"
    );
    assert_eq!(read("(;SZ[9]AB[aa]AW[bb];B[ee];W[cc])").oddities(), None);
    for (written, komi) in [
        ("6½", 6.5),
        ("-5 1/2", -5.5),
        ("1/2", 0.5),
        ("6.5 points", 6.5),
        ("6.5目", 6.5),
    ] {
        let record = read(&format!("(;SZ[9]KM[{written}];B[ee])"));
        assert_eq!(record.position.komi().points(), komi, "{written}");
        assert_eq!(record.oddities(), None, "{written}");
    }
    for (written, komi) in [
        ("375", 7.5),
        ("650", 6.5),
        ("750", 7.5),
        ("-375", -7.5),
        ("6.5", 6.5),
        ("150", 150.0),
    ] {
        let record = read(&format!("(;SZ[9]KM[{written}];B[ee])"));
        assert_eq!(record.position.komi().points(), komi, "{written}");
        let told = record
            .oddities()
            .is_some_and(|t| t.contains("is a komi of"));
        assert_eq!(told, komi.abs() < 10.0 && written != "6.5", "{written}");
    }
}

/// Hundredths up to 4.00 are stones only where komi may be in stones, or with a quarter.
#[test]
fn a_small_komi_in_hundredths_is_in_points_under_territory_rules() {
    for (rules, written, komi) in [
        ("Japanese", "350", 3.5),
        ("Japanese", "375", 7.5),
        ("Chinese", "350", 7.0),
        ("Japanese", "650", 6.5),
    ] {
        let text = format!("(;SZ[9]RU[{rules}]KM[{written}];B[ee])");
        let record = sgf::read(text.as_bytes(), &Ruleset::default(), None).unwrap();
        let found = record.position.komi().points();
        assert_eq!(found, komi, "{rules} {written}");
    }
}

/// Only other programs write hundredths, or stones.
#[test]
fn every_komi_of_a_record_of_ponnuki_is_in_points() {
    for points in [250.0, 375.0, 3.75, -650.0, 10_000.0] {
        let rules = preset("chinese").unwrap().rules;
        let mut position = Position::new(BoardSize::square(9), rules);
        position.set_komi(Komi::new(points).unwrap());
        let text = write(&position, &GameInfo::default());
        let record = read(text.as_bytes(), &Ruleset::default(), None).unwrap();
        assert_eq!(record.position.komi(), position.komi(), "{text}");
    }
}

/// Splitting takes time in proportion to the length. If it looked for the end of each game to the end
/// of the file, this would take many minutes.
#[test]
fn a_megabyte_of_unclosed_games_is_split() {
    let file = "(;SZ[9]".repeat(150_000);
    assert_eq!(sgf::games(file.as_bytes()).count(), 150_000);
}

/// Chinese records give komi and margin in stones of two points each.
#[test]
fn a_komi_with_a_quarter_is_in_stones() {
    let read = |text: &str| sgf::read(text.as_bytes(), &Ruleset::default(), None).unwrap();
    let record = read("(;SZ[9]RU[Chinese]KM[3.75]RE[W+1.25];B[ee])");
    assert_eq!(record.position.komi(), Komi::half_points(15));
    assert_eq!(record.info.result.as_deref(), Some("W+2.5"));
    assert_eq!(
        record.oddities().unwrap(),
        "KM[3.75] is in stones: 7.5 points; RE[W+1.25] is in stones: W+2.5"
    );
    for (komi, result, points, same) in [
        ("2.75", "B+R", 5.5, "B+R"),
        ("3.25", "B+3.5", 6.5, "B+3.5"),
        ("375", "B+0.75", 7.5, "B+1.5"),
        ("3.5", "W+1.25", 3.5, "W+1.25"),
    ] {
        let record = read(&format!("(;RU[Chinese]KM[{komi}]RE[{result}];B[ee])"));
        assert_eq!(record.position.komi().points(), points, "{komi}");
        assert_eq!(record.info.result.as_deref(), Some(same), "{komi}");
    }
    let territory = read("(;SZ[9]RU[Japanese]KM[3.75];B[ee])").position;
    assert_eq!(territory.komi().points(), 3.75);
    // Written records use points.
    let mut position = Position::new(BoardSize::square(9), Ruleset::default());
    position.set_komi(Komi::new(3.75).unwrap());
    let back = read(&write(&position, &GameInfo::default()));
    assert_eq!(back.position.komi(), position.komi());
}

#[test]
fn rules_and_komi_that_are_not_understood_are_named() {
    let read = |text: &str| sgf::read(text.as_bytes(), &Ruleset::default(), None).unwrap();
    let record = read("(;SZ[9]RU[House rules]KM[much];B[ee])");
    assert_eq!(
        record.oddities().unwrap(),
        "RU[House rules] is not known: using new-zealand rules; KM[much] is not understood and ignored"
    );
    let written = write(&record.position, &record.info);
    assert!(written.contains("RU[House rules]"), "{written}");
    assert_eq!(read("(;SZ[9]RU[]KM[];B[ee])").oddities(), None);
}

#[test]
fn unread_content_is_named() {
    let read = |text: &str| sgf::read(text.as_bytes(), &Ruleset::default(), None).unwrap();
    let plain = "(;FF[4]GM[1]SZ[9]PB[a]GC[c]C[x];B[ee]SBKV[50];W[cc]C[y])";
    assert_eq!(read(plain).left_out(), None);
    let record = read("(;SZ[9];B[ee]BL[30]TR[ee](;W[cc];B[gg]N[n])(;W[gg](;B[cc])(;B[cg])))");
    assert_eq!(
        record.left_out().unwrap(),
        "left out: 2 variations, times on the clock, marks on the board, other properties"
    );
    assert_eq!(
        read("(;SZ[9](;B[ee])(;B[cc]))").left_out().unwrap(),
        "left out: a variation"
    );
}

/// The Nihon Ki-in writes such records.
#[test]
fn a_record_without_its_first_semicolon_is_read() {
    let read = |text: &str| read(text.as_bytes(), &Ruleset::default(), None).unwrap();
    let odd = "the first node has no ';'";
    let record = read("\r\n(SZ[9]PB[a b]KM[6.5]\n;B[ee];W[cc](;B[dd])(;B[ff]))");
    assert_eq!((record.moves_in_record, record.variations), (3, 1));
    assert_eq!(record.info.black.as_deref(), Some("a b"));
    assert_eq!(record.oddities().unwrap(), odd);
    let record = read("( B [pd];W[dd])");
    assert_eq!(record.moves_in_record, 2);
    assert_eq!(record.oddities().unwrap(), odd);
    assert_eq!(read("(x) ( ;B[pd];W[dd])").oddities(), None);
    let two = b"(SZ[9];B[ee])\n(B[pd];W[dd])";
    assert_eq!(sgf::games(two).count(), 2);
}

/// A program's text was read as an empty game.
#[test]
fn text_with_brackets_is_no_record() {
    let rules = Ruleset::default();
    for text in ["print(VD[0])", "f(x[1], [2])", "(SIZE[9])", "(a[b])"] {
        let found = read(text.as_bytes(), &rules, None);
        assert_eq!(found.unwrap_err(), SgfError::NoGame, "{text}");
    }
}

#[test]
fn other_formats_are_refused_by_name() {
    for (name, file) in [
        (
            "GIB",
            "\\HS\r\n\\[GAMEBLACKNAME=a (9d)\\]\r\n\\HE\n\\GS\nSTO 0 2 1 15 3\n\\GE\n",
        ),
        (
            "UGF",
            "[Header]\nSize=19\nPlayerB=a(9d),\n[Data]\nQD,B1,1,5\n",
        ),
        (
            "NGF",
            "Rating\n19\na  9d(x)\nb  9d\nhttp://x\n0\n0\n6\n20200101\n5\nx\n2\nPMABBQDDQ\n",
        ),
    ] {
        let file = file.as_bytes();
        let why = read(file, &Ruleset::default(), None).unwrap_err();
        assert_eq!(
            why.to_string(),
            format!("a record in the format {name}, not SGF")
        );
        // Its parentheses do not enclose games.
        assert_eq!(sgf::games(file).count(), 0);
    }
}

#[test]
fn handicap_given_as_moves_is_written_again() {
    let again = |text: &str| {
        let record = read(text.as_bytes(), &Ruleset::default(), None).unwrap();
        write(&record.position, &record.info)
    };
    for kept in [
        "HA[2];B[cc];B[gg];W[ee])",
        "HA[3]AB[cc][gg];B[cg];W[ee])",
        "HA[2]AB[cc][gg];W[ee])",
    ] {
        let text = again(&format!("(;SZ[9]{kept}"));
        assert!(text.contains(&kept[..5]), "{text}");
        assert_eq!(again(&text), text);
    }
    // Nothing in the game supports it.
    for wrong in [
        "HA[3];B[cc];B[gg];W[ee])",
        "HA[2];B[cc];W[ee])",
        "HA[0];B[cc];B[gg];W[ee])",
    ] {
        let text = again(&format!("(;SZ[9]{wrong}"));
        assert!(!text.contains("HA["), "{text}");
    }
}

/// A truncated record does not swallow the next game.
#[test]
fn a_game_that_is_not_closed_ends_where_the_next_begins() {
    let broken = "(;GM[1]FF[4]SZ[9];B[ee];W[cc](;B[gg]";
    let whole = "(;FF[4]GM[1]SZ[9];B[dd](;W[ff])(;W[fe]))";
    let second = "( ;CA[UTF-8]SZ[9:9];B[cc])";
    let unclosed = "(;GM[1]SZ[9];B[ee]C[cut off (;GM he";
    let file = [broken, unclosed, whole, broken, second, whole].join("\n");
    let games: Vec<&str> = sgf::games(file.as_bytes())
        .map(|game| std::str::from_utf8(game).unwrap().trim_end())
        .collect();
    assert_eq!(games, [broken, unclosed, whole, broken, second, whole]);
    // Reading only the first game stops there too.
    let record = read(
        format!("{broken}{whole}").as_bytes(),
        &Ruleset::default(),
        None,
    )
    .unwrap();
    assert_eq!((record.moves_in_record, record.variations), (3, 0));
    assert_eq!(
        record.oddities().unwrap(),
        "the first of 2 games; the record breaks off: its closing parenthesis is missing"
    );
    // Neither a record in a comment nor the inner parenthesis of the first node is a game.
    for one in [
        "(;SZ[9]C[as in\n(;GM[1\\]SZ[9\\];B[aa\\])];B[ee](;W[cc])(;W[gg]))",
        "((;GM[1]FF[4]SZ[9];B[ee]))",
        "(;SZ[9];B[ee](;W[cc]C[GM])(;FG[1]W[gg]))",
        // A variation of a closed record is not a game, whatever its nodes contain.
        "(;FF[4]GM[1]SZ[9];B[ee](;FF[4]SZ[9]W[cc];B[gg])(;W[gg]))",
        "(;SZ[9];B[ee]C[begins\n(;GM[1];W[cc])",
    ] {
        assert_eq!(
            sgf::games(one.as_bytes()).collect::<Vec<_>>(),
            [one.as_bytes()]
        );
    }
}

#[test]
fn comments_are_kept_with_their_positions() {
    let text = "(;SZ[9]C[root];B[ee]C[ one\\] ];W[cc];B[gg]C[three])";
    let record = sgf::read(text.as_bytes(), &Ruleset::default(), None).unwrap();
    let said = [(0, "root"), (1, "one]"), (3, "three")];
    assert_eq!(record.comments, said.map(|(n, t)| (n, t.to_owned())));
}

#[test]
fn handicap_stones_named_twice_or_after_the_root() {
    let p = board("(;SZ[9]HA[2]AB[cc][gg][cc];W[ee])");
    assert_eq!((p.placed_handicap(), p.handicap()), (2, 2));
    let p = board("(;FF[4]GM[1];SZ[9]KM[0.5]HA[2];AB[cc][gg];W[ee])");
    assert_eq!((p.placed_handicap(), p.komi()), (2, Komi::half_points(1)));
}

#[test]
fn illegal_plays_of_a_record_are_played() {
    // A ko retaken at once, and a suicide of one stone.
    for (text, turns) in [
        (
            "(;SZ[5]RU[AGA]AB[ba][ab][bc]AW[ca][bb][cc][db];B[cb];W[bb])",
            2,
        ),
        ("(;SZ[5]RU[Japanese]AW[ab][ba];B[aa];W[ee])", 2),
        ("(;SZ[1];B[aa])", 1),
    ] {
        let p = board(text);
        assert_eq!(p.turns().len(), turns, "{text}");
        assert_eq!(p.board().check(), Ok(()), "{text}");
    }
    let p = board("(;SZ[5]RU[Japanese]AW[ab][ba];B[aa];W[ee])");
    assert_eq!(p.board().captured(Color::Black), 1);
}

#[test]
fn the_larger_boards_have_a_point_tt() {
    assert_eq!(board("(;SZ[19];B[tt])").turns()[0].mv, Move::Pass);
    assert_ne!(board("(;SZ[20];B[tt])").turns()[0].mv, Move::Pass);
    assert_eq!(board("(;SZ[20];B[])").turns()[0].mv, Move::Pass);
}

#[test]
fn properties_other_than_moves_are_read() {
    let text = "(;GM[1]KM[6.50]HA[0]RU[Goe]PB[ a\\]b\nc ]BR[6d]WR[7d]TM[1800]OT[5x30]\
        DT[2000-10-17]EV[e]RO[1]PC[KGS]GN[g]RE[W+Time]\
        BT[bt]WT[wt]ON[on]AN[an]SO[so]US[us]CP[cp]GC[two\nlines])";
    let r = read(text.as_bytes(), &Ruleset::default(), None).unwrap();
    let some = |s: &str| Some(s.to_owned());
    let info = GameInfo {
        black: some("a]b c"),
        black_rank: some("6d"),
        white: None,
        white_rank: some("7d"),
        result: some("W+Time"),
        komi: some("6.50"),
        handicap: some("0"),
        rules: some("Goe"),
        time: some("1800"),
        overtime: some("5x30"),
        date: some("2000-10-17"),
        event: some("e"),
        round: some("1"),
        place: some("KGS"),
        name: some("g"),
        black_team: some("bt"),
        white_team: some("wt"),
        opening: some("on"),
        annotator: some("an"),
        source: some("so"),
        entered_by: some("us"),
        copyright: some("cp"),
        comment: some("two\nlines"),
    };
    assert_eq!(r.info, info);
    // All are written again; the first three come from the game.
    let back = read(
        write(&r.position, &info).as_bytes(),
        &Ruleset::default(),
        None,
    );
    let info = GameInfo {
        komi: some("6.5"),
        handicap: None,
        rules: some("Goe"),
        ..info
    };
    assert_eq!(back.unwrap().info, info);
}

#[test]
fn written_form() {
    let text = "(;SZ[9:5]KM[7]RU[nz]AB[aa][ie]AW[ba];B[cc];B[];W[dd])";
    let written = write(&board(text), &GameInfo::default());
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        written,
        format!(
            "(;FF[4]GM[1]CA[UTF-8]AP[Ponnuki:{version}]SZ[9:5]KM[7]RU[NZ]AB[ie][aa]AW[ba]\n\
             ;B[cc];B[];W[dd])\n"
        )
    );
}

#[test]
fn huge_set_ups_take_little_time() {
    // 62 million points, without a list of them.
    let text = format!("(;SZ[25]AB{})", "[aa:yx]".repeat(100_000));
    assert_eq!(stones(&board(&text)), 600);
}

/// A file of another kind may hold the two characters by chance.
#[test]
fn what_breaks_off_without_properties_of_a_game_is_no_record() {
    for text in [
        "GIF89a(;\x01\x02zzz",
        "(;hello world this is text",
        "(;C[note]",
        "(;",
    ] {
        let found = read(text.as_bytes(), &Ruleset::default(), None);
        assert_eq!(found.unwrap_err(), SgfError::NoGame, "{text}");
    }
    for text in ["(;)", "(;C[note])", "(;SZ[9]", "(;B[ee]"] {
        assert!(
            read(text.as_bytes(), &Ruleset::default(), None).is_ok(),
            "{text}"
        );
    }
}

#[test]
fn a_handicap_that_is_no_number_is_named() {
    let record = read(b"(;SZ[9]HA[x];B[ee])", &Ruleset::default(), None).unwrap();
    let odd = "HA[x] is not understood and ignored";
    assert_eq!(record.oddities().as_deref(), Some(odd));
}

#[test]
fn a_line_break_of_any_system_is_one_line_break() {
    let record = b"(;SZ[9];B[ee]C[one\r\ntwo\rthree\nfour])";
    let record = read(record, &Ruleset::default(), None).unwrap();
    assert_eq!(record.comments, [(1, "one\ntwo\nthree\nfour".to_owned())]);
}

/// FF[4]: a move is executed whether or not it is legal.
#[test]
fn illegal_moves_of_a_record_are_played_and_named() {
    let record = |text: &str| read(text.as_bytes(), &Ruleset::default(), None).unwrap();
    let twice = record("(;SZ[9];B[ba];W[aa];B[bb];W[ba];B[ii])");
    assert_eq!(twice.moves_in_record, 5);
    let board = twice.position.board();
    // White replaces the black stone at B9, next to A9.
    let shown = |name: &str| board.at(name.parse::<Move>().unwrap().point().unwrap());
    assert_eq!(shown("B9"), PointState::White);
    assert_eq!(shown("A9"), PointState::White);
    assert_eq!(shown("B8"), PointState::Black);
    assert_eq!(shown("J1"), PointState::Black);
    assert_eq!(
        twice.oddities().unwrap(),
        "the board is set up after move 3: repetition is checked only from there; move 4, White B9, is played although illegal: B9 is occupied"
    );
    // Black's stone is removed before White's move, which makes a separate position.
    let said = record("(;SZ[9]C[start];B[ba]C[one];W[ba]C[two];B[ii]C[three])");
    let kept = [(0, "start"), (1, "one"), (3, "two"), (4, "three")];
    assert_eq!(said.comments, kept.map(|(n, t)| (n, t.to_owned())));
    assert_eq!(said.set_up_after, [1]);
    // No move was played before.
    let set_up = record("(;SZ[9]AB[ba]C[start];W[ba])");
    assert_eq!((set_up.comments.len(), set_up.set_up_after.len()), (1, 0));
    // A replacing stone captures another one.
    let taken = record("(;SZ[9];W[aa];B[ab];W[ba];B[ba])");
    assert_eq!(
        taken.position.board().to_string().lines().next().unwrap(),
        ". X . . . . . . ."
    );
    assert_eq!(taken.position.board().captured(Color::White), 1);
    // A ko retaken at once.
    let ko = record("(;SZ[9]RU[Japanese];B[cb];W[db];B[bc];W[ec];B[cd];W[dd];B[dc];W[cc];B[dc])");
    let odd = ko.oddities().unwrap();
    assert!(
        odd.starts_with("move 9, Black D7, is played although illegal: "),
        "{odd}"
    );
    assert!(odd.contains("ko") && ko.illegal.len() == 1);
    assert_eq!(record("(;SZ[9];B[aa];W[bb])").oddities(), None);
}

/// Control characters are written as blanks, and blanks around a text are not part of it.
#[test]
fn a_text_with_control_characters_reads_back_as_it_was_written() {
    for value in ["\0a", "a\u{1}", "\u{96} a\tb \u{7f}", "\0", " \u{1} "] {
        for name in ["GC", "PB", "EV", "RE", "RU", "AN"] {
            let text = format!("(;SZ[9]{name}[{value}];B[aa]C[{value}])");
            let read = |text: &str| sgf::read(text.as_bytes(), &Ruleset::default(), None).unwrap();
            let first = read(&text);
            let written = write(&first.position, &first.info);
            let second = read(&written);
            assert_eq!(write(&second.position, &second.info), written, "{text:?}");
        }
    }
}

/// The rewritten record has every move, wherever the board was changed.
#[test]
fn moves_before_a_set_up_are_written_again() {
    for (text, parts) in [
        ("(;SZ[9];B[ba];W[aa];B[bb];W[ba];B[ii];W[ii])", 3),
        (
            "(;SZ[9]HA[2]AB[cc][gg];W[ee];B[ee];AE[ee][cc]AW[aa];AB[ab];W[gg])",
            3,
        ),
        ("(;SZ[9];B[ee];AB[aa]PL[B];AW[bb])", 2),
        (
            "(;SZ[5]KM[3.5]AB[ab]AW[aa];B[ba];AE[ab]AW[ee]PRISONERS[3:4];W[cc])",
            2,
        ),
        ("(;SZ[9];B[cc];B[dd];W[ee]PL[W];AB[ff];B[aa];W[ff])", 3),
    ] {
        let read = |text: &str| sgf::read(text.as_bytes(), &Ruleset::default(), None).unwrap();
        let record = read(text);
        let written = write(&record.position, &record.info);
        let back = read(&written);
        let all = |p: &Position| -> Vec<(Board, Board, Color, usize)> {
            let parts = p.parts();
            parts
                .map(|p| {
                    (
                        p.start().clone(),
                        p.board().clone(),
                        p.to_move(),
                        p.turns().len(),
                    )
                })
                .collect()
        };
        assert_eq!(all(&record.position).len(), parts, "{text}");
        assert_eq!(all(&back.position), all(&record.position), "{written}");
        let moves = all(&back.position).iter().map(|p| p.3).sum::<usize>();
        assert_eq!(moves, record.moves_in_record, "{written}");
        assert_eq!(back.set_up_after, record.set_up_after, "{written}");
        assert_eq!(
            back.position.handicap(),
            record.position.handicap(),
            "{written}"
        );
        assert_eq!(write(&back.position, &back.info), written);
    }
}

/// Parts of a game are stored in sequence, not nested.
#[test]
fn a_hundred_thousand_set_ups_are_no_deeper_than_one() {
    let nodes = ";B[aa];AE[aa];W[bb];AE[bb]".repeat(50_000);
    let record = read(
        format!("(;SZ[3]{nodes})").as_bytes(),
        &Ruleset::default(),
        None,
    )
    .unwrap();
    assert_eq!(record.set_up_after.len(), 100_000);
    let said = record.oddities().unwrap();
    assert!(
        said.contains("set up after move 1 (and 99999 more)"),
        "{said}"
    );
    let text = write(&record.position, &record.info);
    assert_eq!(text.matches(";B[aa]").count(), 50_000);
}

/// A move on a stone, or stones set up in the middle, start a new part of the game but keep its
/// handicap.
#[test]
fn a_handicap_outlasts_changes_of_the_board() {
    let head = "(;SZ[9]RU[Chinese]";
    for (record, handicap) in [
        ("HA[3]AB[cc][gg][cg];W[gc];B[ec];W[gd];B[eb])", 3),
        ("HA[3]AB[cc][gg][cg];W[gc];B[ec];W[gd];B[ec])", 3),
        ("HA[3]AB[cc][gg][cg];W[ee];AE[ee];B[ec])", 3),
        (";B[ee];W[ce];B[ce];W[gg])", 0),
        ("HA[3]AB[cc][gg][cg];B[ec])", 4),
        ("HA[2]AB[cc][gg]AW[gc];B[ec])", 2),
        ("HA[1]AB[cc]AW[gc];B[ec])", 0),
        ("HA[4000000000]AB[cc]AW[gc];B[ec])", 0),
    ] {
        let record = format!("{head}{record}");
        let read = read(record.as_bytes(), &Ruleset::default(), None).unwrap();
        assert_eq!(read.position.handicap(), handicap, "{record}");
        assert!(read.is_whole);
        let line = Line::new(Arc::new(Root::new(read.position.clone())));
        assert_eq!(
            line.margin_if_all_live(),
            read.position.score(&[], |_| false).margin() as f32,
            "{record}"
        );
        // Only black stones with Black to move need not be a complete handicap.
        if handicap > 0 && !record.contains("AE") {
            let written = write(&read.position, &read.info);
            let back = ponnuki::sgf::read(written.as_bytes(), &Ruleset::default(), None);
            assert_eq!(back.unwrap().position.handicap(), handicap, "{written}");
        }
    }
}

#[test]
fn errors_in_records_name_what_and_where() {
    for (text, why) in [
        ("", "no game record"),
        ("(;SZ[30])", "SZ[30] is not a board size from 1 to 25"),
        ("(;SZ[5:26])", "SZ[5:26] is not a board size from 1 to 25"),
        ("(;SZ[0])", "SZ[0]"),
        ("(;GM[2])", "GM[2] is not Go"),
        (
            "(;SZ[9];B[aa];W[zz])",
            "move 2, White zz: not a point of the board",
        ),
        (
            "(;SZ[9];B[aa]AB[zz])",
            "AB[zz] after move 0 is not a point of the board",
        ),
        ("(;SZ[20];B[uu])", "move 1, Black uu"),
        ("(;SZ[9]AB[aa]AW[ab][ba])", "the chain at A9 has no liberty"),
        ("(;SZ[9];C[x", "not closed"),
    ] {
        let e = read(text.as_bytes(), &Ruleset::default(), None).unwrap_err();
        assert!(e.to_string().contains(why), "{text}: {e}");
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn what_is_written_reads_back(
        w in 1u32..=25, h in 1u32..=25, seed: u64, preset in 0..PRESETS.len(), start in 0..6u32,
        komi in -1000i32..1000, turns in 0..200u32, name in "[ -~\\]\\\\]{0,20}",
    ) {
        let size = BoardSize::new(w, h).unwrap();
        let mut rng = Generator::new(seed);
        let mut p = Position::new(size, PRESETS[preset].rules);
        if start == 1 {
            let stones: Vec<Point> = size.points().filter(|_| rng.chance(40)).collect();
            // Too few or too many are refused; then none are placed.
            let _ = p.place_handicap(&stones);
        } else if start == 2 {
            p.set_to_move(Color::White);
        } else if start >= 3 {
            // Set-up stones of one colour or both, either player on move.
            let mut board = Board::new(size);
            for q in size.points() {
                if rng.chance(60) {
                    let c = if start == 3 || rng.chance(128) { Color::Black } else { Color::White };
                    board.place(c, q).unwrap();
                }
            }
            prop_assume!(board.without_liberties().is_none());
            let c = if rng.chance(128) { Color::Black } else { Color::White };
            p = Position::from_board(board, c, PRESETS[preset].rules);
        }
        p.set_komi(Komi::new(komi as f64 / 100.0).unwrap());
        for _ in 0..turns {
            let c = if rng.chance(20) { Color::Black } else { p.to_move() };
            let points: Vec<Point> = p.legal_plays(c).collect();
            let m = match points.len() {
                n if n > 0 && !rng.chance(20) => Move::Play(points[rng.below(n as u32) as usize]),
                _ => Move::Pass,
            };
            p.play(c, m).unwrap();
        }
        if rng.chance(40) {
            p.set_to_move(p.to_move().opponent());
        }
        let name = Some(name.trim().to_owned()).filter(|n| !n.is_empty());
        let info = GameInfo { black: name.clone(), ..GameInfo::default() };
        let text = write(&p, &info);
        let back = read(text.as_bytes(), &Ruleset::default(), None).unwrap();
        prop_assert_eq!(back.moves_in_record, p.turns().len());
        prop_assert_eq!(back.position.start(), p.start());
        prop_assert_eq!(back.position.board(), p.board());
        prop_assert_eq!(back.position.turns(), p.turns());
        prop_assert_eq!(back.position.to_move(), p.to_move());
        prop_assert_eq!(back.position.komi(), p.komi());
        prop_assert_eq!(back.position.handicap(), p.handicap());
        prop_assert_eq!(back.position.rules(), p.rules());
        prop_assert_eq!(back.info.black, name);
    }

    #[test]
    fn no_bytes_can_do_harm(bytes: Vec<u8>, seed: u64) {
        let _ = read(&bytes, &Ruleset::default(), None);
        // Damage to a sound record.
        let mut text = b"(;FF[4]SZ[9]KM[6.5]HA[2]AB[cc][gg];W[ee];B[ef](;W[dd])(;W[de]))".to_vec();
        let mut rng = Generator::new(seed);
        for _ in 0..3 {
            let at = rng.below(text.len() as u32) as usize;
            match rng.below(3) {
                0 => text[at] = rng.bits() as u8,
                1 => { text.remove(at); }
                _ => text.insert(at, b"[];()aB:"[rng.below(8) as usize]),
            }
        }
        if let Ok(record) = read(&text, &Ruleset::default(), None) {
            record.position.board().check().unwrap();
        }
    }
}

/// Notes and variations do not change the game.
#[test]
fn an_annotated_record_reads_back_as_the_same_game() {
    let mut position = Position::new(BoardSize::square(9), Ruleset::default());
    let at = |x, y| Move::Play(Point::new(x, y));
    for (i, m) in [at(2, 2), at(6, 6), at(2, 6), Move::Pass, at(6, 2)]
        .into_iter()
        .enumerate()
    {
        let c = if i % 2 == 0 {
            Color::Black
        } else {
            Color::White
        };
        position.play(c, m).unwrap();
    }
    let variation = (
        vec![(Color::Black, at(4, 4)), (Color::White, at(4, 5))],
        "so [or] so".to_owned(),
    );
    let notes: Vec<sgf::Note> = (0..6)
        .map(|i| sgf::Note {
            properties: vec![
                ("SBKV", format!("{i}0.5")),
                ("C", "two\nlines: \\ ]".to_owned()),
            ],
            variations: if i % 2 == 0 || i == 5 {
                vec![variation.clone(); 2]
            } else {
                Vec::new()
            },
        })
        .collect();
    let text = sgf::write_annotated(&position, &GameInfo::default(), &notes);
    let read = sgf::read(text.as_bytes(), &Ruleset::default(), None).unwrap();
    assert_eq!(read.position.turns(), position.turns());
    assert_eq!(read.position.board().hash(), position.board().hash());
    let count = |what: &str| text.matches(what).count();
    assert_eq!(count("SBKV["), 6);
    assert_eq!(count("so [or\\] so"), 6, "{text}");
    assert_eq!(count("two\nlines: \\\\ \\]"), 6, "{text}");
    assert_eq!(count("("), count(")"), "{text}");
}

/// Superko used to scan the whole game before every move.
#[test]
fn a_long_record_is_read_in_time_proportional_to_its_length() {
    let game = long::game(400_000);
    let text = write(&game, &GameInfo::default());
    let begun = Instant::now();
    let record = read(text.as_bytes(), &Ruleset::default(), None).unwrap();
    let taken = begun.elapsed();
    assert_eq!(record.position.board(), game.board());
    // A scan of all turns for each takes a minute or more.
    assert!(taken < Duration::from_secs(15), "{taken:?}");
}
