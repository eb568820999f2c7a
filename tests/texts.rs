//! The rule texts, sentence by sentence: what binds an engine, shown on the board.
//! Each test is named after the text and the article or diagram it quotes; the
//! tables in `ponnuki::rules::articles` point here.

use ponnuki::board::Board;
use ponnuki::position::{Earlier, IllegalMove, Owner, Position, fixed_handicap};
use ponnuki::rules::{KoRule, Ruleset, preset};
use ponnuki::types::Color::{Black, White};
use ponnuki::types::{BoardSize, Color, Komi, Move, Point};

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

/// What the rules say of a play of the player to move.
fn ask(p: &Position, v: &str) -> Result<(), IllegalMove> {
    p.legality(p.to_move(), vertex(v))
}

/// The words with which a play of the player to move is refused.
fn refusal(p: &Position, v: &str) -> String {
    ask(p, v).unwrap_err().in_words(p.rules())
}

const NZ: &str = "new-zealand";

// ---------------------------------------------------------------------------
// New Zealand

/// "... then removing any of the opponent's stones that then have no liberties
/// (if any), and then removing any of that player's own stones" – diagram 3: the
/// opponent's go first, so the own ones stay.
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

/// "... and then removing any of that player's own stones that then have no
/// liberties": suicide of several stones, and of one.
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
    // The board it leaves was made by the opponent.
    let mut p = game(rules(NZ), single, White);
    play(&mut p, "C1 A4");
    assert!(p.board().is_empty(point("A4")));
    assert_eq!(p.board().captured(Black), 1);
    assert_eq!(p.turns().len(), 2);
}

/// A single-stone suicide is a pass on the board: it repeats the position if that
/// player has left the same board himself, by a pass for instance.
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

/// The diagrams' starting positions have come about by a move of White's.
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

/// Diagram 5, top left: "if black plays '1', capturing a white stone, white wants
/// to respond by playing at the empty point just created at 'a' ... This is not
/// allowed as it would repeat the situation after white's last move."
#[test]
fn nz_diagram_5_top_left_ko() {
    let mut p = after_whites_move(FOUR_KOS);
    play(&mut p, "C8");
    assert_repeats(&p, "B8", 1, White);
    assert_eq!(
        refusal(&p, "B8"),
        "repeats the position after White 1 (New Zealand rules, move)"
    );
    // "... white must play somewhere else to change the board position ... and if
    // black does not play there again white may recapture in a future move."
    play(&mut p, "E5 E4");
    assert_eq!(ask(&p, "B8"), Ok(()));
}

/// Diagram 5, bottom left: "if black '1', white '2', black '3', white 'a', black
/// 'b', and white is unable to capture at 'c' as that would repeat the starting
/// position." Three kos.
#[test]
fn nz_diagram_5_bottom_left_triple_ko() {
    let mut p = after_whites_move(FOUR_KOS);
    play(&mut p, "C8 F8 C2 B8 G8");
    assert_repeats(&p, "B2", 1, White);
}

/// Diagram 5, bottom right: "if black '1', white '2', black '3' we get a situation
/// where white would like to recapture at 'a' but this would repeat the starting
/// position." A cycle of four plays: eternal life.
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

/// Diagram 5, top right: "black '1', white '2', black '3', white '4', black 'b',
/// white 'a', black 'd' creates the position where white cannot recapture at 'c'
/// (without repeating the board position)." Four kos.
#[test]
fn nz_diagram_5_top_right_quadruple_ko() {
    let mut p = after_whites_move(FOUR_KOS);
    play(&mut p, "C8 F8 C2 F2 G8 B8 G2");
    assert_repeats(&p, "B2", 1, White);
}

/// Diagram 6: "black '1', white '2', black '3', white '4', black 'a', white 'b',
/// black 'c' makes a situation where white cannot recapture at 'd' but a white move
/// at '2' is allowed followed by black '1' and then white 'd'." Four kos between
/// two chains, two of them still open; the picture is lost, and this position is
/// one that fits every word of it.
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

/// Diagram 6, continued: "Black cannot recapture at '3' or at 'c' (as that would
/// repeat a previous board position)."
#[test]
fn nz_diagram_6_black_cannot_recapture() {
    let mut p = diagram_6();
    play(&mut p, "C5 B7 C1");
    assert_repeats(&p, "B3", 4, Black);
    assert_repeats(&p, "B1", 10, Black);
}

/// Diagram 7: "black '1', white '2', black 'a' repeats a previous board position
/// but with the other player to move so black is allowed to play at 'a'." Sending
/// two, returning one.
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
    // Forbidden where the position alone counts.
    for (name, legal) in [
        ("uk", true),
        ("aga", true),
        ("japanese", true),
        ("chinese", true),
        ("chinese-kgs", false),
        ("tromp-taylor", false),
    ] {
        let mut p = game(rules(name), diagram, White);
        play(&mut p, "E5 A1 C1");
        assert_eq!(ask(&p, "B1").is_ok(), legal, "{name}");
    }
}

/// "… the whole board position as it was after any of that player's previous
/// moves": the position before the first move is nobody's. Under situational
/// superko it counts for the player who did not begin.
#[test]
fn nz_move_the_starting_position_may_come_again() {
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

/// "A move consists of either making a play … or saying 'pass'": a pass leaves a
/// position too, and always may be made.
#[test]
fn nz_move_a_pass_is_a_move() {
    let mut p = after_whites_move(FOUR_KOS);
    play(&mut p, "C8 pass pass");
    // White's first turn, a pass, left the position that B8 would bring back;
    // passing since then has lifted nothing.
    assert_repeats(&p, "B8", 1, White);
    for _ in 0..4 {
        assert_eq!(p.legality(p.to_move(), Move::Pass), Ok(()));
        play(&mut p, "pass");
    }
}

/// "Territory consists of all points occupied by that player's stones plus all
/// unoccupied points adjacent to that territory": points that reach both colours
/// count for both, which changes no difference.
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
    assert_eq!(owners[point("C3").index()], Owner::Nobody);
    // On the empty board nothing is won but komi.
    assert_eq!(
        empty(rules(NZ), 19).score(&[], |_| false).to_string(),
        "W+7"
    );
}

/// "In an even game, 7 points (komi) are added"; "In a handicap game … There is
/// no komi."
#[test]
fn nz_komi() {
    let mut p = empty(rules(NZ), 19);
    assert_eq!(p.white_bonus(), 7.0);
    p.place_handicap(&fixed_handicap(p.size(), 4).unwrap())
        .unwrap();
    assert_eq!(p.white_bonus(), 0.0);
    // What a client sends counts.
    p.set_komi(Komi::new(0.5).unwrap());
    assert_eq!(p.white_bonus(), 0.5);
}

/// "In a handicap game, white passes the first n - 1 moves where n is the size of
/// the handicap." His passes end nothing, even if Black passes beside them, and
/// bring him no compensation.
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
    // The same plays in a game by other rules.
    let mut p = empty(rules("aga"), 9);
    play(&mut p, "C3 pass");
    assert_eq!(p.consecutive_passes(), 1);
    play(&mut p, "pass");
    assert!(p.is_over());
}

/// Diagram 8: "In two - four, six, and eight - nine stone handicaps the points are
/// played in order. In a five stone handicap the points 'a' - 'd' are played as
/// well as 'i'. In a seven stone handicap the points 'a' - 'f' … as well as 'i'."
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

/// 1 "a board marked with a grid of 13 horizontal and 13 vertical lines"; 2.1 "The
/// game starts with the board empty … with Black making the first play."
#[test]
fn uk_1_and_2_1_board_and_first_play() {
    let uk = preset("uk").unwrap();
    let p = empty(uk.rules, uk.board);
    assert_eq!(p.board().empty_points().len(), 169);
    assert_eq!(p.to_move(), Black);
}

/// 2.2 "... he keeps them as prisoners"; 2.3 "he may instead give up his turn by
/// saying "Pass" and giving a stone as an extra prisoner to his opponent"; 5.3 "a
/// point for each vacant board point inside his territories, and a point for each
/// prisoner".
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
    // A capture: White's two stones at B4 and C4 … are not in atari, so take one.
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

/// 2.4 "When both players pass consecutively, the game ends … white must pass
/// last, even if this means a third pass in a row."
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
    // Two of White's three are his; he has given two stones.
    assert_eq!(p.score(&[], |_| false).black_prisoners, 2);
    assert_eq!(p.score(&[], |_| false).white_prisoners, 1);
}

/// 4.1 "A board play must not recreate a board position that has previously
/// occurred after any of that player's turns earlier in the game."
#[test]
fn uk_4_1_repetition() {
    let mut p = game(rules("uk"), FOUR_KOS, White);
    play(&mut p, "pass C8");
    assert_eq!(
        refusal(&p, "B8"),
        "repeats the position after White 1 (UK Go Challenge 4.1)"
    );
}

/// 4.2 "A board play that leaves a unit of the player's own colour with no
/// liberties after the removal of any captured stones … is not permitted."
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
    // "But when the black stones have no other liberties, White can play there."
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

/// 5.1, 5.5: dead stones become prisoners; "A region whose boundary contains
/// stones of both colours is not territory for either player."
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

/// 5.3 "The white player scores an extra 7 points called komi"; equal scores are
/// a draw (2.6).
#[test]
fn uk_5_3_komi_and_2_6_tie() {
    let mut p = empty(rules("uk"), 13);
    assert_eq!(p.white_bonus(), 7.0);
    p.set_komi(Komi::half_points(0));
    assert_eq!(p.score(&[], |_| false).to_string(), "0");
    assert_eq!(p.score(&[], |_| false).winner(), None);
}

/// 6 "they should resolve it by playing on … using the normal rules": the turns
/// go on in order, and passes made so far do not end the game again.
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

/// Article 4: "No group of stones without a liberty can exist on the board."
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

/// Article 5: captured stones are "prisoners"; the move is completed when they are
/// removed, so a stone may be played where only their removal gives it a liberty.
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

/// Article 6: "A player whose stone has been captured in a ko cannot recapture in
/// that ko on the next move." A pass in between lifts it, as custom has it.
#[test]
fn j_6_ko() {
    let mut p = game(rules("japanese"), FOUR_KOS, Black);
    play(&mut p, "C8");
    assert_eq!(
        refusal(&p, "B8"),
        "the ko at B8 may not be retaken at once (Japanese rules, Article 6)"
    );
    // Another ko may be taken: only "that ko" is closed.
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
    // The same stones counted by area keep their eyes in seki.
    p.set_rules(rules("aga"));
    let area = p.score(&[], |q| p.board().at(q).color() == Some(Black));
    assert_eq!(area.black_points, 10);
}

/// Article 10.2: "If both players have the same amount the game is a draw, which is
/// called a jigo."
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

/// Article 9.1: "When a player passes his move and his opponent passes in
/// succession, the game stops"; 9.3: "his opponent must oblige and has the right
/// to play first." The EGF's module goes on in turn.
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
    let mut p = empty(rules("egf-japanese"), 9);
    play(&mut p, "E5 pass pass");
    p.resume(White);
    assert_eq!(p.to_move(), White, "A3: as if nothing had happened");
}

/// Article 12: "When the same whole-board position is repeated during a game, if
/// the players agree, the game ends without result." Triple ko.
#[test]
fn j_12_no_result() {
    let mut p = game(rules("japanese"), FOUR_KOS, White);
    play(&mut p, "E5 C8 F8 C2 B8 G8");
    assert_eq!(p.long_cycle(), None);
    play(&mut p, "B2");
    assert_eq!(p.long_cycle(), Some(0), "the position after White 1");
    // A pass breaks the cycle: one who passes has not been forced.
    let mut p = game(rules("japanese"), FOUR_KOS, White);
    play(&mut p, "E5 C8 F8 C2 B8 G8 pass pass B2");
    assert_eq!(p.long_cycle(), None);
    // Where superko forbids the repetition there is nothing to annul.
    let mut p = game(rules(NZ), FOUR_KOS, White);
    play(&mut p, "E5 C8 F8 C2 B8 G8");
    assert_repeats(&p, "B2", 1, White);
}

// ---------------------------------------------------------------------------
// The others

/// Compensation: Chinese n, AGA and BGA n−1, none elsewhere; however the stones
/// come: by command, as set-up stones, as plays in a row.
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

/// Plays that set up a position, all of one colour and then all of the other, are
/// no handicap; nor is one stone, nor stones beside white ones.
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
/// white ones.
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
    assert_eq!((score.black_tax, score.white_tax), (2, 4));
    let plain = {
        p.set_rules(rules("chinese"));
        p.score(&[], |_| false).margin()
    };
    p.set_rules(rules("stone-scoring"));
    assert_eq!(score.margin(), plain + 2.0);
    // A group in seki fills its eyes for good: no tax, no territory.
    let seki = p.score(&[], |q| p.board().at(q).color() == Some(White));
    assert_eq!((seki.black_tax, seki.white_tax), (2, 0));
    p.set_rules(rules("ancient-territory"));
    assert_eq!(p.score(&[], |_| false).white_tax, 4);
}

/// Button go: the first pass is worth half a point, and does not count towards the
/// end of the game; positions before it may come again.
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
    // White's board after move 1 was one with the button still to be had.
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

/// Spight's rule: a pass wipes the slate; the game ends when a player passes from
/// a position from which he has passed before.
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

/// Komi: each preset's own until a client sends one.
#[test]
fn komi_of_every_preset() {
    for (name, komi) in [
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
    ] {
        let mut p = empty(rules(name), 19);
        assert_eq!(p.white_bonus(), komi, "{name}");
        for sent in [0.0, -3.5, 6.25, 361.0] {
            p.set_komi(Komi::new(sent).unwrap());
            assert_eq!(p.white_bonus(), sent, "{name}");
        }
    }
}

/// Every test of this file that the tables of `ponnuki::rules::articles` name is
/// there, and they name every test of the three texts.
#[test]
fn the_tables_of_the_texts_are_true() {
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
