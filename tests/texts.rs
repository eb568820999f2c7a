//! The rule texts, sentence by sentence: every rule that binds an engine, shown on the board. Each
//! test is named after the text and the article or diagram that it restates; the tables in
//! `ponnuki::rules::articles` name them.

use ponnuki::board::Board;
use ponnuki::position::{Earlier, IllegalMove, Line, Owner, Position, Root, fixed_handicap};
use ponnuki::rules::{KoRule, PRESETS, Ruleset, preset};
use ponnuki::types::Color::{Black, White};
use ponnuki::types::{BoardSize, Color, Komi, Move, Point};
use std::sync::Arc;

fn vertex(v: &str) -> Move {
    if v == "pass" {
        return Move::Pass;
    }
    let letter = v.as_bytes()[0] - b'A';
    // There is no column I.
    let x = letter - u8::from(letter > 8);
    Move::Play(Point::new(x, v[1..].parse::<u8>().unwrap() - 1))
}

fn point(v: &str) -> Point {
    vertex(v).point().unwrap()
}

fn rules(name: &str) -> Ruleset {
    Ruleset::parse(name).unwrap()
}

fn game(rules: Ruleset, diagram: &str, first: Color) -> Position {
    Position::from_board(Board::from_diagram(diagram).unwrap(), first, rules)
}

fn empty(rules: Ruleset, n: u8) -> Position {
    Position::new(BoardSize::square(n), rules)
}

/// Play alternately from the player to move; every move must be legal.
fn play(p: &mut Position, moves: &str) {
    for v in moves.split_whitespace() {
        let c = p.to_move();
        if let Err(e) = p.play(c, vertex(v)) {
            panic!("{c} {v}: {e}\n{:?}", p.board());
        }
    }
}

/// The legality of a play by the player to move.
fn ask(p: &Position, v: &str) -> Result<(), IllegalMove> {
    p.legality(p.to_move(), vertex(v))
}

/// The message that refuses a play by the player to move.
fn refusal(p: &Position, v: &str) -> String {
    ask(p, v).unwrap_err().in_words(p.rules())
}

const NZ: &str = "new-zealand";

// ---------------------------------------------------------------------------
// New Zealand

/// A play captures the opponent's stones without liberties before the player's own. Diagram 3:
/// after that the player's stones have liberties and stay.
#[test]
fn nz_play_opponents_stones_go_first() {
    let mut p = game(
        rules(NZ),
        ". O X .
         O X X .
         X X . .
         . . . .",
        Black,
    );
    // A4 has no liberty until the white stones are gone.
    play(&mut p, "A4");
    assert!(p.board().is_empty(point("B4")) && p.board().is_empty(point("A3")));
    assert!(p.board().at(point("A4")).is_stone());
    assert_eq!(p.board().captured(White), 2);
}

/// After captures, the player's own stones without liberties are removed: suicide of several
/// stones, and of one.
#[test]
fn nz_play_suicide() {
    let several = ". X O .
                   O O O .
                   . . . .
                   . . . .";
    let mut p = game(rules(NZ), several, Black);
    play(&mut p, "A4");
    assert!(p.board().is_empty(point("A4")) && p.board().is_empty(point("B4")));
    let single = ". O . .
                  O . . .
                  . . . .
                  . . . .";
    // The resulting board was last left by the opponent.
    let mut p = game(rules(NZ), single, White);
    play(&mut p, "C1 A4");
    assert!(p.board().is_empty(point("A4")));
    assert_eq!(p.board().captured(Black), 1);
    assert_eq!(p.turns().len(), 2);
}

/// Suicide of a single stone leaves the board unchanged, as a pass does. It repeats a position if
/// that player has left this board before, for instance by a pass.
#[test]
fn nz_move_suicide_that_repeats() {
    let mut p = game(
        rules(NZ),
        ". O . .
         O . . .
         . . . .
         . . . .",
        Black,
    );
    assert_eq!(ask(&p, "A4"), Ok(()));
    play(&mut p, "pass pass");
    assert_eq!(
        ask(&p, "A4"),
        Err(IllegalMove::Repetition {
            rule: KoRule::OwnMoves,
            earlier: Earlier::Turn {
                number: 1,
                color: Black
            }
        })
    );
    // KataGo forbids it in any case.
    p.set_rules(Ruleset::parse_for_katago(NZ).unwrap());
    assert_eq!(ask(&p, "A4"), Err(IllegalMove::Suicide(1)));
}

/// Four kos in the corners, W X W X from the top left clockwise by rows: in K1
/// and K3 a white stone can be taken, in K2 and K4 a black one.
///
/// K1 is retaken at B8/C8, K2 at F8/G8, K3 at B2/C2, K4 at F2/G2.
const FOUR_KOS: &str = ". X O . . X O . .
                        X O . O X . X O .
                        . X O . . X O . .
                        . . . . . . . . .
                        . . . . . . . . .
                        . . . . . . . . .
                        . X O . . X O . .
                        X O . O X . X O .
                        . X O . . X O . .";

/// The starting position of a diagram, left by a white move (here a pass), so that White's
/// recaptures must not repeat it.
fn after_whites_move(diagram: &str) -> Position {
    let mut p = game(rules(NZ), diagram, White);
    play(&mut p, "pass");
    p
}

fn assert_repeats(p: &Position, v: &str, number: u32, color: Color) {
    assert_eq!(
        ask(p, v),
        Err(IllegalMove::Repetition {
            rule: KoRule::OwnMoves,
            earlier: Earlier::Turn { number, color }
        }),
        "{v}\n{:?}",
        p.board()
    );
}

/// Diagram 5, top left: Black takes a ko. White must not retake it at once, since that would repeat
/// the board that White's last move left.
#[test]
fn nz_diagram_5_top_left_ko() {
    let mut p = after_whites_move(FOUR_KOS);
    play(&mut p, "C8");
    assert_repeats(&p, "B8", 1, White);
    assert_eq!(
        refusal(&p, "B8"),
        "repeats the position after White 1 (New Zealand rules, move)"
    );
    // Once White has played elsewhere and Black has not connected, White may.
    play(&mut p, "E5 E4");
    assert_eq!(ask(&p, "B8"), Ok(()));
}

/// Diagram 5, bottom left: three kos. After five captures White's sixth would repeat the starting
/// position.
#[test]
fn nz_diagram_5_bottom_left_triple_ko() {
    let mut p = after_whites_move(FOUR_KOS);
    play(&mut p, "C8 F8 C2 B8 G8");
    assert_repeats(&p, "B2", 1, White);
}

/// Diagram 5, bottom right: a cycle of four plays, eternal life. After three of them White's
/// recapture would repeat the starting position.
#[test]
fn nz_diagram_5_bottom_right_eternal_life() {
    let mut p = after_whites_move(
        ". . . . . . . . .
         . . . . X . . . .
         . . . . . . . . .
         X X X X X X X X X
         O O O O O O O O O
         O O O O O O . O .
         X X X X X O O O O
         X O O O X X X O O
         . O . X . O X O .",
    );
    play(&mut p, "C1 E1");
    assert_eq!(p.board().captured(Black), 2);
    play(&mut p, "D1");
    assert_eq!(p.board().captured(White), 2);
    assert_repeats(&p, "F1", 1, White);
}

/// Diagram 5, top right: four kos. After seven captures White's eighth, at c, would repeat the
/// starting position.
#[test]
fn nz_diagram_5_top_right_quadruple_ko() {
    let mut p = after_whites_move(FOUR_KOS);
    play(&mut p, "C8 F8 C2 F2 G8 B8 G2");
    assert_repeats(&p, "B2", 1, White);
}

/// Diagram 6: Black 1, White 2, Black 3, White 4, Black a, White b, Black c. White must
/// not retake at d now, but may play at 2; after Black 1 the recapture at d is legal.
/// Four kos between two chains, two of them still open. The picture is lost; this position fits the
/// text.
///
/// By rows: 1 and 4, a and 2, 3 and b, c and d.
fn diagram_6() -> Position {
    let mut p = after_whites_move(
        "O . . X
         O O X X
         O X . X
         O O X X
         O . . X
         O O X X
         O . O X",
    );
    play(&mut p, "B7 C5 B3 C7 B5 C3 B1");
    p
}

#[test]
fn nz_diagram_6_white_goes_a_long_way_round() {
    let mut p = diagram_6();
    assert_repeats(&p, "C1", 7, White);
    play(&mut p, "C5 B7 C1");
    assert_eq!(p.board().captured(Black), 5);
}

/// Diagram 6, continued: Black must not retake at 3 or at c, since either would repeat an earlier
/// position.
#[test]
fn nz_diagram_6_black_cannot_recapture() {
    let mut p = diagram_6();
    play(&mut p, "C5 B7 C1");
    assert_repeats(&p, "B3", 4, Black);
    assert_repeats(&p, "B1", 10, Black);
}

/// Diagram 7, sending two and returning one: Black's second play repeats an earlier position with
/// the other player to move, and is legal.
#[test]
fn nz_diagram_7_same_position_other_player_to_move() {
    let diagram = ". . . . .
                   . . . . .
                   O O X . .
                   O O X . .
                   . X . X .";
    let mut p = game(rules(NZ), diagram, White);
    play(&mut p, "E5");
    let before = p.board().hash();
    play(&mut p, "A1 C1");
    assert_eq!(p.board().captured(Black), 2);
    play(&mut p, "B1");
    assert_eq!(p.board().captured(White), 1);
    assert_eq!(p.board().hash(), before);
    // Forbidden under positional superko.
    for (name, legal) in [
        ("uk", true),
        ("aga", true),
        ("japanese", true),
        ("chinese", true),
        ("chinese-kgs", false),
        ("tromp-taylor", false),
        (r#"{"ko":"SPIGHT","suicide":false}"#, false),
    ] {
        let mut p = game(rules(name), diagram, White);
        play(&mut p, "E5 A1 C1");
        assert_eq!(ask(&p, "B1").is_ok(), legal, "{name}");
    }
}

/// A play is compared with the positions that the player's own earlier moves left; no move left the
/// starting position. Under situational superko the player who did not begin must not repeat it.
#[test]
fn nz_move_the_starting_position_may_repeat() {
    let mut p = game(rules(NZ), FOUR_KOS, Black);
    play(&mut p, "C8");
    assert_eq!(ask(&p, "B8"), Ok(()));
    p.set_rules(Ruleset::parse_for_katago(NZ).unwrap());
    assert_eq!(
        ask(&p, "B8"),
        Err(IllegalMove::Repetition {
            rule: KoRule::Situational,
            earlier: Earlier::Start
        })
    );
    p.set_rules(rules("tromp-taylor"));
    assert_eq!(
        refusal(&p, "B8"),
        "repeats the starting position (Tromp-Taylor rules, 6)"
    );
}

/// A move is a play or a pass: a pass also leaves a position, and is always legal.
#[test]
fn nz_move_a_pass_is_a_move() {
    let mut p = after_whites_move(FOUR_KOS);
    play(&mut p, "C8 pass pass");
    // White's first turn, a pass, left the position that B8 would repeat; later passes do not lift
    // the ban.
    assert_repeats(&p, "B8", 1, White);
    for _ in 0..4 {
        assert_eq!(p.legality(p.to_move(), Move::Pass), Ok(()));
        play(&mut p, "pass");
    }
}

/// Territory is a player's stones and all empty points connected to them. Points connected to both
/// colours count for both, which does not change the difference.
#[test]
fn nz_territory_reaching_both_is_ignored() {
    let p = game(
        rules(NZ),
        ". X . O .
         . X . O .
         . X . O .
         . X . O O
         . X . . .",
        Black,
    );
    let score = p.score(&[], |_| false);
    assert_eq!((score.black_points, score.white_points), (10, 8));
    let (owners, _) = p.owners(&[], |_| false);
    assert_eq!(owners[point("C3").index()], Owner::Neither);
    // On the empty board only komi counts.
    assert_eq!(
        empty(rules(NZ), 19).score(&[], |_| false).to_string(),
        "W+7"
    );
}

/// Komi of 7 points in an even game, none with handicap.
#[test]
fn nz_komi() {
    let mut p = empty(rules(NZ), 19);
    assert_eq!(p.white_bonus(), 7.0);
    p.place_handicap(&fixed_handicap(p.size(), 4).unwrap())
        .unwrap();
    assert_eq!(p.white_bonus(), 0.0);
    // A komi from a client counts.
    p.set_komi(Komi::new(0.5).unwrap());
    assert_eq!(p.white_bonus(), 0.5);
}

/// White's passes give handicap only under these rules: otherwise the komi does not change, and
/// under UK rules the pass costs a stone.
#[test]
fn a_pass_gives_handicap_only_under_rules_that_say_so() {
    for (name, komi) in [
        ("uk", 7.0),
        ("japanese", 6.5),
        ("chinese", 7.5),
        ("aga", 7.5),
    ] {
        let mut p = empty(rules(name), 9);
        play(&mut p, "C3 pass G7");
        assert_eq!(p.komi().points(), komi, "{name}");
        // Stones before the pass give handicap.
        let mut p = empty(rules(name), 9);
        p.play(Black, vertex("C3")).unwrap();
        p.play(Black, vertex("G7")).unwrap();
        play(&mut p, "pass E5");
        assert_eq!(p.komi().points(), 0.5, "{name}");
    }
}

/// With handicap n, White's first n − 1 moves are passes. They do not end the game, even if Black
/// passes too, and give White no compensation.
#[test]
fn nz_handicap_by_passes() {
    let mut p = empty(rules(NZ), 9);
    play(&mut p, "C3 pass G7 pass");
    assert_eq!((p.handicap(), p.white_bonus()), (2, 0.0));
    assert_eq!(p.consecutive_passes(), 0);
    play(&mut p, "pass");
    assert_eq!(p.consecutive_passes(), 1);
    assert!(!p.is_over() && p.pass_would_end());
    play(&mut p, "E5 C7");
    assert_eq!(p.handicap(), 2);
    // Later passes are ordinary ones.
    play(&mut p, "pass pass");
    assert!(p.is_over());
    // The same plays under other rules.
    let mut p = empty(rules("aga"), 9);
    play(&mut p, "C3 pass");
    assert_eq!(p.consecutive_passes(), 1);
    play(&mut p, "pass");
    assert!(p.is_over());
}

/// Handicap passes cost nothing, even if other passes cost a stone.
#[test]
fn handicap_passes_cost_no_stone() {
    for scoring in ["area", "territory"] {
        let mut nz = rules(NZ);
        nz.set("scoring", scoring).unwrap();
        nz.set("passCostsStone", "true").unwrap();
        let mut p = empty(nz, 9);
        play(&mut p, "C3 pass G7 pass");
        let count = |p: &Position| p.score(&[], |_| false);
        assert_eq!(count(&p).black_prisoners, 0, "{scoring}");
        let mut line = Line::new(Arc::new(Root::new(p.clone())));
        assert_eq!(line.pass_balance(), 0);
        // Black passes at a cost, and so does White after that.
        play(&mut p, "pass pass");
        let score = count(&p);
        assert_eq!((score.black_prisoners, score.white_prisoners), (1, 1));
        line.play(Move::Pass);
        assert_eq!(line.pass_balance(), 1);
        line.play(Move::Pass);
        assert_eq!(line.pass_balance(), 0);
    }
}

/// Diagram 8: two to four, six, eight and nine stones take the points a to i in
/// order; five take a to d and i, seven a to f and i.
#[test]
fn nz_diagram_8_handicap_points() {
    let all = fixed_handicap(BoardSize::square(19), 9).unwrap();
    let [a, b, c, d, e, f, g, h, i] = all[..] else {
        panic!("nine points")
    };
    assert_eq!(i, point("K10"));
    for (n, wanted) in [
        (2, vec![a, b]),
        (3, vec![a, b, c]),
        (4, vec![a, b, c, d]),
        (5, vec![a, b, c, d, i]),
        (6, vec![a, b, c, d, e, f]),
        (7, vec![a, b, c, d, e, f, i]),
        (8, vec![a, b, c, d, e, f, g, h]),
        (9, vec![a, b, c, d, e, f, g, h, i]),
    ] {
        assert_eq!(fixed_handicap(BoardSize::square(19), n).unwrap(), wanted);
    }
}

// ---------------------------------------------------------------------------
// UK Go Challenge

/// 1: the board has 13 lines by 13. 2.1: it is empty at first, and Black begins.
#[test]
fn uk_1_and_2_1_board_and_first_play() {
    let uk = preset("uk").unwrap();
    let p = empty(uk.rules, uk.board);
    assert_eq!(p.board().empty_points().len(), 169);
    assert_eq!(p.to_move(), Black);
}

/// 2.2: captured stones are prisoners. 2.3: a pass costs a stone, which becomes a
/// prisoner of the opponent. 5.3: each empty point of territory and each prisoner
/// counts a point.
#[test]
fn uk_2_2_2_3_and_5_3_prisoners_and_pass_stones() {
    let mut p = game(
        rules("uk"),
        ". X O . .
         X O O . .
         . X O . .
         . X O . .
         . X O . .",
        Black,
    );
    p.set_komi(Komi::half_points(0));
    play(&mut p, "pass pass");
    let score = p.score(&[], |_| false);
    // Black: A5 and three points below it; White: two columns.
    assert_eq!((score.black_points, score.white_points), (4, 10));
    assert_eq!((score.black_prisoners, score.white_prisoners), (1, 1));
    // A capture in addition to the pass stone.
    let mut p = game(
        rules("uk"),
        "O . X . .
         X X X . .
         . . . . .
         . . . . .
         . . . . .",
        Black,
    );
    play(&mut p, "B5 pass");
    let score = p.score(&[], |_| false);
    assert_eq!(score.black_prisoners, 2, "a stone taken and a pass stone");
}

/// 2.4: two passes in a row end the game, but White passes last, with a third pass if needed.
#[test]
fn uk_2_4_white_passes_last() {
    let mut p = empty(rules("uk"), 13);
    play(&mut p, "pass");
    assert!(p.pass_would_end());
    play(&mut p, "pass");
    assert!(p.is_over());
    let mut p = empty(rules("uk"), 13);
    play(&mut p, "G7 pass");
    assert!(!p.pass_would_end());
    play(&mut p, "pass");
    assert!(!p.is_over());
    assert!(p.pass_would_end());
    play(&mut p, "pass");
    assert!(p.is_over());
    // Two of the three passes were White's, and cost White two stones.
    assert_eq!(p.score(&[], |_| false).black_prisoners, 2);
    assert_eq!(p.score(&[], |_| false).white_prisoners, 1);
}

/// 4.1: a play must not repeat a position that an earlier turn of the player left.
#[test]
fn uk_4_1_repetition() {
    let mut p = game(rules("uk"), FOUR_KOS, White);
    play(&mut p, "pass C8");
    assert_eq!(
        refusal(&p, "B8"),
        "repeats the position after White 1 (UK Go Challenge 4.1)"
    );
}

/// 4.2: a play that leaves stones of the player's own without liberties after its captures is forbidden.
#[test]
fn uk_4_2_suicide() {
    let p = game(
        rules("uk"),
        ". X O .
         O O O .
         . . . .
         . . . .",
        Black,
    );
    assert_eq!(
        refusal(&p, "A4"),
        "suicide of 2 stones (UK Go Challenge 4.2)"
    );
    // White may play where it takes the last liberty of black stones.
    let p = game(
        rules("uk"),
        ". X O .
         X X O .
         O O . .
         . . . .",
        White,
    );
    assert_eq!(ask(&p, "A4"), Ok(()));
}

/// 5.1: dead stones become prisoners. 5.5: a region bordered by both colours is neutral.
#[test]
fn uk_5_1_and_5_5_dead_stones_and_regions() {
    let mut p = game(
        rules("uk"),
        ". X O . .
         . X O X .
         . X O . .
         . X O O O
         . X . . .",
        Black,
    );
    p.set_komi(Komi::half_points(14));
    let score = p.score(&[point("D4")], |_| false);
    assert_eq!((score.black_points, score.white_points), (5, 6));
    assert_eq!((score.black_prisoners, score.white_prisoners), (0, 1));
    assert_eq!(score.to_string(), "W+9");
}

/// 5.3: White scores 7 points of komi. 2.6: equal scores are a draw.
#[test]
fn uk_5_3_komi_and_2_6_tie() {
    let mut p = empty(rules("uk"), 13);
    assert_eq!(p.white_bonus(), 7.0);
    p.set_komi(Komi::half_points(0));
    assert_eq!(p.score(&[], |_| false).to_string(), "0");
    assert_eq!(p.score(&[], |_| false).winner(), None);
}

/// 6: a dispute is settled by play under the normal rules. Turns alternate as before, and earlier
/// passes do not end the game again.
#[test]
fn uk_6_playing_on() {
    let mut p = empty(rules("uk"), 13);
    play(&mut p, "G7 pass pass pass");
    assert!(p.is_over());
    p.resume(White);
    assert_eq!(p.to_move(), Black);
    play(&mut p, "C3");
    assert!(!p.is_over());
    play(&mut p, "pass");
    assert!(!p.is_over());
}

// ---------------------------------------------------------------------------
// Japanese 1989

/// Article 4: no chain without a liberty stays on the board.
#[test]
fn j_4_suicide() {
    let p = game(
        rules("japanese"),
        ". O . .
         O . . .
         . . . .
         . . . .",
        Black,
    );
    assert_eq!(
        refusal(&p, "A4"),
        "suicide of a single stone (Japanese rules, Article 4)"
    );
}

/// Article 5: captured stones are prisoners; the move is complete once they are off
/// the board, so a stone may be played where only their removal gives it a liberty.
#[test]
fn j_5_capture() {
    let mut p = game(
        rules("japanese"),
        ". O X .
         O X X .
         X X . .
         . . . .",
        Black,
    );
    play(&mut p, "A4");
    assert_eq!(p.score(&[], |_| false).black_prisoners, 2);
}

/// Article 6: a ko must not be retaken on the next move. By custom a pass in between lifts the ban.
#[test]
fn j_6_ko() {
    let mut p = game(rules("japanese"), FOUR_KOS, Black);
    play(&mut p, "C8");
    assert_eq!(
        refusal(&p, "B8"),
        "the ko at B8 may not be retaken at once (Japanese rules, Article 6)"
    );
    // Another ko may be taken: the ban concerns only that ko.
    assert_eq!(ask(&p, "F8"), Ok(()));
    for threat in ["E5 E4", "pass pass"] {
        let mut p = p.clone();
        play(&mut p, threat);
        assert_eq!(ask(&p, "B8"), Ok(()), "{threat}");
    }
    p.set_rules(rules("egf-japanese"));
    assert_eq!(
        refusal(&p, "B8"),
        "the ko at B8 may not be retaken at once (Japanese rules as used by the EGF, section 6)"
    );
}

/// Articles 8 and 10: empty points surrounded by live stones of one player are
/// territory, but not in seki; dead stones are removed as they are and become
/// prisoners; prisoners fill territory.
#[test]
fn j_8_and_10_territory_and_seki() {
    let diagram = ". X O . .
                   X X O O .
                   . X O . O
                   . X O O .
                   X X O . .";
    let mut p = game(rules("japanese"), diagram, Black);
    p.set_komi(Komi::half_points(0));
    let free = p.score(&[], |_| false);
    assert_eq!((free.black_points, free.white_points), (3, 7));
    let seki = p.score(&[], |q| p.board().at(q).color() == Some(Black));
    assert_eq!((seki.black_points, seki.white_points), (0, 7));
    // Counted by area, the same stones keep their eyes in seki.
    p.set_rules(rules("aga"));
    let area = p.score(&[], |q| p.board().at(q).color() == Some(Black));
    assert_eq!(area.black_points, 10);
}

/// Article 10.2: equal territory is jigo, a draw.
#[test]
fn j_10_2_jigo() {
    let mut p = game(
        rules("japanese"),
        ". X O .
         . X O .
         . X O .
         . X O .",
        Black,
    );
    p.set_komi(Komi::half_points(0));
    assert_eq!(p.score(&[], |_| false).to_string(), "0");
    p.set_komi(Komi::half_points(13));
    assert_eq!(p.score(&[], |_| false).to_string(), "W+6.5");
}

/// Article 9.1: two passes in a row stop the game. 9.3: if a player asks to resume, the opponent
/// must agree and may play first. In the EGF's module turns alternate as before.
#[test]
fn j_9_stop_and_resumption() {
    let mut p = empty(rules("japanese"), 9);
    play(&mut p, "E5 pass pass");
    assert!(p.is_over());
    assert_eq!(p.to_move(), White);
    p.resume(White);
    assert_eq!(p.to_move(), Black);
    p.resume(Black);
    assert_eq!(p.to_move(), White);
    play(&mut p, "C3");
    assert!(!p.is_over());
    // The opponent may pass, and then the player who asked plays. Two new passes stop the game
    // again; one does not, and earlier ones do not count.
    let mut p = empty(rules("japanese"), 9);
    play(&mut p, "E5 pass pass");
    p.resume(White);
    assert!(!p.is_over() && !p.pass_would_end());
    play(&mut p, "pass");
    assert!(!p.is_over() && p.pass_would_end());
    let line = Line::new(Arc::new(Root::new(p.clone())));
    assert!(!line.is_over() && line.pass_would_end());
    play(&mut p, "pass");
    assert!(p.is_over());
    // After undoing the resumption, the game is stopped again.
    assert!(!p.at_turn(3).is_over() && p.at_turn(2).pass_would_end());
    let mut p = empty(rules("egf-japanese"), 9);
    play(&mut p, "E5 pass pass");
    p.resume(White);
    assert_eq!(p.to_move(), White, "A3: the alternation goes on");
}

/// Article 12: if the whole board repeats and the players agree, the game ends
/// without result. Triple ko.
#[test]
fn j_12_no_result() {
    let mut p = game(rules("japanese"), FOUR_KOS, White);
    play(&mut p, "E5 C8 F8 C2 B8 G8");
    assert_eq!(p.long_cycle(), None);
    play(&mut p, "B2");
    assert_eq!(p.long_cycle(), Some(6), "the position after White 1");
    // The initial position counts too.
    let mut p = game(rules("japanese"), FOUR_KOS, White);
    play(&mut p, "E5 C8 F8 C2 B8 G8");
    let mut p = Position::from_board(p.board().clone(), White, rules("japanese"));
    play(&mut p, "B2 C8 F8 C2 B8");
    assert_eq!(p.long_cycle(), None);
    play(&mut p, "G8");
    assert_eq!(p.long_cycle(), Some(6), "the position before White 1");
    // A pass breaks the cycle: a player who can pass was not forced to repeat.
    let mut p = game(rules("japanese"), FOUR_KOS, White);
    play(&mut p, "E5 C8 F8 C2 B8 G8 pass pass B2");
    assert_eq!(p.long_cycle(), None);
    // If superko forbids the repetition, there is nothing to annul.
    let mut p = game(rules(NZ), FOUR_KOS, White);
    play(&mut p, "E5 C8 F8 C2 B8 G8");
    assert_repeats(&p, "B2", 1, White);
}

// ---------------------------------------------------------------------------
// The others

/// Rulesets that differ only in their texts keep the chosen name and cite their own text.
#[test]
fn a_ruleset_keeps_its_name() {
    for (name, cited) in [
        ("japanese", "Japanese rules, Article 6"),
        ("korean", "Korean rules"),
        ("aga", "AGA Rule 6"),
        ("bga", "AGA Rule 6"),
        ("chinese-kgs", "Chinese rules, Article 6"),
        ("chinese-ogs", "Chinese rules, Article 6"),
    ] {
        let rules = rules(name);
        assert_eq!(rules.name(), Some(name));
        assert_eq!(rules.preset().unwrap().cites.repetition, cited);
        // Only the name differs.
        assert_eq!(
            rules,
            Ruleset::parse(&rules.to_json()).map_or(rules, |r| Ruleset {
                komi: rules.komi,
                handicap_komi: rules.handicap_komi,
                ..r
            })
        );
    }
    let mut changed = rules("korean");
    changed.set("tax", "NONE").unwrap();
    assert_eq!(changed.name(), None);
    let end = |name| rules(name).end_citations();
    assert_eq!(end("japanese").removal, "Article 10.1");
    assert_eq!(end("egf-japanese").removal, "section A2.3");
}

/// Compensation: Chinese n, AGA and BGA n−1, otherwise none, for stones placed by command, set up,
/// or played in a row.
#[test]
fn compensation_by_ruleset() {
    for (name, bonus) in [
        ("new-zealand", 0.0),
        ("uk", 0.5),
        ("japanese", 0.5),
        ("egf-japanese", 0.5),
        ("korean", 0.5),
        ("chinese", 3.5),
        ("chinese-ogs", 3.5),
        ("chinese-kgs", 3.5),
        ("aga", 2.5),
        ("bga", 2.5),
        ("aga-button", 2.5),
        ("ing", 0.5),
        ("tromp-taylor", 7.5),
        ("stone-scoring", 0.5),
        ("ancient-territory", 0.5),
    ] {
        let size = BoardSize::square(9);
        let mut by_command = Position::new(size, rules(name));
        by_command
            .place_handicap(&fixed_handicap(size, 3).unwrap())
            .unwrap();
        let mut by_plays = Position::new(size, rules(name));
        for v in ["C3", "G7", "C7"] {
            by_plays.play(Black, vertex(v)).unwrap();
        }
        by_plays.play(White, vertex("E5")).unwrap();
        let set_up = Position::from_board(by_command.board().clone(), White, rules(name));
        for p in [by_command, by_plays, set_up] {
            assert_eq!((p.handicap(), p.white_bonus()), (3, bonus), "{name}");
        }
    }
}

/// Plays that set up a position, all of one colour and then all of the other, are not handicap; nor
/// is one stone, nor stones together with white ones.
#[test]
fn set_up_positions_are_no_handicap() {
    let mut p = empty(rules("chinese"), 9);
    for (c, v) in [(Black, "C3"), (Black, "G7"), (White, "C7"), (White, "G3")] {
        p.play(c, vertex(v)).unwrap();
    }
    assert_eq!((p.handicap(), p.white_bonus()), (0, 7.5));
    let p = game(rules("chinese"), "X . . \n . . O \n X . .", White);
    assert_eq!(p.handicap(), 0);
    let p = game(rules("chinese"), "X . . \n . . . \n . . .", White);
    assert_eq!((p.handicap(), p.white_bonus()), (0, 7.5));
}

/// Stone scoring: two points less for each group. One black group against two
/// white ones, of which the right one has a single point to lose.
#[test]
fn stone_scoring_group_tax() {
    let diagram = ". O X . O .
                   O O X X O O
                   . O X . X O
                   O O X X X X
                   X X X X X .
                   . X X . X X";
    let mut p = game(rules("stone-scoring"), diagram, Black);
    p.set_komi(Komi::half_points(0));
    let score = p.score(&[], |_| false);
    assert_eq!((score.black_tax, score.white_tax), (2, 3));
    let plain = {
        p.set_rules(rules("chinese"));
        p.score(&[], |_| false).margin()
    };
    p.set_rules(rules("stone-scoring"));
    assert_eq!(score.margin(), plain + 1.0);
    // A group in seki has no territory and pays no tax.
    let seki = p.score(&[], |q| p.board().at(q).color() == Some(White));
    assert_eq!((seki.black_tax, seki.white_tax), (2, 0));
    p.set_rules(rules("ancient-territory"));
    assert_eq!(p.score(&[], |_| false).white_tax, 3);
}

#[test]
fn the_group_tax_takes_no_stones() {
    // White has one eye and three stones, which are alive under rules that play games out.
    let mut r = preset("tromp-taylor").unwrap().rules;
    r.tax = ponnuki::rules::Tax::All;
    let board = Board::from_diagram("O O\nO .").unwrap();
    let p = Position::from_board(board, Color::Black, r);
    let score = p.score(&[], |_| false);
    assert_eq!((score.white_points, score.white_tax), (4, 1));
}

/// Button go: the first pass is worth half a point and does not count towards the end of the game;
/// positions before it may repeat.
#[test]
fn button() {
    let mut p = game(rules("aga-button"), FOUR_KOS, White);
    p.set_komi(Komi::half_points(0));
    let before = p.score(&[], |_| false).margin();
    play(&mut p, "E5 C8");
    assert!(ask(&p, "B8").is_err());
    assert_eq!(p.button(), None);
    assert!(!p.pass_would_end());
    play(&mut p, "pass");
    assert_eq!(p.button(), Some(White));
    assert_eq!(p.consecutive_passes(), 0);
    play(&mut p, "pass");
    assert!(!p.is_over());
    // White's board after move 1 was from before the button was taken.
    assert_eq!(ask(&p, "B8"), Ok(()));
    play(&mut p, "pass");
    assert!(p.is_over());
    assert_eq!(p.score(&[], |_| false).button, Some(White));
    assert_eq!(
        before.abs().fract(),
        0.5,
        "to the player to move while untaken"
    );
    let mut p = empty(rules("aga-button"), 9);
    assert_eq!(p.white_bonus(), 7.0);
    play(&mut p, "pass pass pass");
    assert_eq!(p.score(&[], |_| false).to_string(), "W+6.5");
}

/// Spight's rule, as in KataGo: neither player may repeat a position since the last pass. The game
/// ends when a player passes in a position in which that player has passed before.
#[test]
fn spight() {
    let spight = Ruleset::parse(r#"{"ko":"SPIGHT"}"#).unwrap();
    let mut p = game(spight, FOUR_KOS, White);
    play(&mut p, "E5 C8");
    assert!(ask(&p, "B8").is_err());
    play(&mut p, "pass pass");
    assert!(!p.is_over());
    assert_eq!(ask(&p, "B8"), Ok(()));
    assert!(p.pass_would_end());
    play(&mut p, "pass");
    assert!(p.is_over());
}

/// Each preset has its own komi until a client sends one.
#[test]
fn komi_of_every_preset() {
    let table = [
        ("new-zealand", 7.0),
        ("uk", 7.0),
        ("japanese", 6.5),
        ("egf-japanese", 6.5),
        ("korean", 6.5),
        ("chinese", 7.5),
        ("chinese-ogs", 7.5),
        ("chinese-kgs", 7.5),
        ("aga", 7.5),
        ("bga", 7.5),
        ("aga-button", 7.0),
        ("ing", 7.5),
        ("tromp-taylor", 7.5),
        ("stone-scoring", 7.5),
        ("ancient-territory", 6.5),
    ];
    assert_eq!(table.len(), PRESETS.len());
    for (name, komi) in table {
        let mut p = empty(rules(name), 19);
        assert_eq!(p.white_bonus(), komi, "{name}");
        for sent in [0.0, -3.5, 6.25, 361.0] {
            p.set_komi(Komi::new(sent).unwrap());
            assert_eq!(p.white_bonus(), sent, "{name}");
        }
    }
}

/// Every test that the tables of `ponnuki::rules::articles` name exists, and they name every test
/// of the three texts.
#[test]
fn the_tables_name_the_tests() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |file: &str| std::fs::read_to_string(root.join(file)).unwrap();
    let (tables, here) = (read("src/rules/articles.rs"), read("tests/texts.rs"));
    let of_the_texts = |name: &str| ["nz_", "uk_", "j_"].iter().any(|p| name.starts_with(p));
    let named: Vec<&str> = tables.split('`').filter(|w| of_the_texts(w)).collect();
    let tests: Vec<&str> = here
        .split("fn ")
        .filter_map(|f| f.split('(').next())
        .filter(|name| of_the_texts(name))
        .collect();
    assert!(tests.len() > 20);
    for name in &named {
        assert!(tests.contains(name), "{name} is no test");
    }
    for name in &tests {
        assert!(named.contains(name), "{name} stands in no table");
    }
}
