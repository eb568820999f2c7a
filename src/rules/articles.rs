//! The rule texts, sentence by sentence: where each is implemented, or why it is
//! left to the players.
//!
//! The texts are cited by number and paraphrased. The New Zealand text has no
//! numbers: its sentences are numbered here in order (N1 …), and so are those of
//! its explanation (E1 …). Tests in the last column are in `tests/texts.rs` unless
//! another file is named.
//!
//! # New Zealand rules
//!
//! | | sentence | where | test |
//! |---|---|---|---|
//! | N1 | 19 lines by 19, two players, black and white stones | [`BoardSize`]; E1 allows other sizes | |
//! | N2 | adjacent: joined by a line of the grid, with nothing in between | [`Point::neighbours`] | `tests/board.rs` |
//! | N3 | connected: adjacent stones of one colour, and whatever is connected to either | [`Board::chain`] | `tests/board.rs` |
//! | N4 | a liberty: an empty point adjacent to a stone or to a stone connected to it | [`Board::liberties_up_to`] | `tests/board.rs` |
//! | N5 | territory: a player's stones, and every empty point that touches the territory already found | [`Position::owners`]; points that reach both count for neither, which leaves the same difference | `nz_territory_reaching_both_is_ignored` |
//! | N6 | a play: a stone on an empty point; then the opponent's stones without liberties are removed, then the player's own | [`Board::play_unchecked`], [`SuicideRule::Any`] | `nz_play_opponents_stones_go_first`, `nz_play_suicide` |
//! | N7 | a move: a pass, or a play that does not recreate the whole-board position after one of that player's earlier moves | [`KoRule::OwnMoves`], [`Position::legality`] | `nz_move_suicide_that_repeats`, `nz_move_the_starting_position_may_repeat`, `nz_move_a_pass_is_a_move`, `nz_diagram_5_top_left_ko`, `nz_diagram_5_bottom_left_triple_ko`, `nz_diagram_5_bottom_right_eternal_life`, `nz_diagram_5_top_right_quadruple_ko`, `nz_diagram_6_white_goes_a_long_way_round`, `nz_diagram_6_black_cannot_recapture`, `nz_diagram_7_same_position_other_player_to_move` |
//! | N8 | the board is empty at first, Black begins, the players take turns | [`Position::new`]; alternation is left to the client, which may show variations and set up positions | |
//! | N9 | the game ends when both players find no move worth making | [`Position::is_over`]: two passes in a row, as E2 says | `nz_handicap_by_passes` |
//! | N10 | dead stones are removed if both agree | [`Settlement::Agreement`]; `final_status_list` gives the engine's proposal | |
//! | N11 | without agreement on the dead stones play continues | a play after two passes continues the game; [`Position::resume`] | |
//! | N12 | without agreement on who moves next every stone counts as alive | [`Resumption::ByAgreement`]; [`Position::score`] with no dead stones | |
//! | N13 | komi of 7 points in an even game | [`Ruleset::komi`] | `nz_komi` |
//! | N14 | handicap of n: White's first n − 1 moves are passes | [`Ruleset::handicap_by_passes`], [`Position::handicap`] | `nz_handicap_by_passes` |
//! | N15 | no komi with handicap | [`Ruleset::handicap_komi`] | `nz_komi` |
//! | N16 | the player with more points wins | [`Score::winner`] | `tests/rules.rs` |
//! | E2 | two passes are the usual sign that the game is over | as N9 | |
//! | E3 | by custom the owner of disputed stones moves first | [`Position::set_to_move`]: the players decide | |
//! | E4 | a repetition must be noticed by the opponent before the next move; it then counts as a pass | the engine detects it at once: `play` is refused and changes nothing; the client may pass instead | `nz_diagram_5_top_left_ko` |
//! | E5 | after other irregular moves the game is restored and the last move counts as a pass, or the offender forfeits | refused in the same way | |
//! | E6 | Black may place handicap on the traditional points of diagram 8 | [`fixed_handicap`] | `nz_diagram_8_handicap_points` |
//! | E7 | the players choose the handicap | left to the players | |
//! | E8 | a confirmed result stands | left to the players: the engine counts on request | |
//!
//! # UK Go Challenge
//!
//! | | sentence | where | test |
//! |---|---|---|---|
//! | 1 | 13 lines by 13 | [`Preset::board`] | `uk_1_and_2_1_board_and_first_play` |
//! | 2.1 | the board is empty at first, and Black begins | [`Position::new`] | `uk_1_and_2_1_board_and_first_play` |
//! | 2.2 | captured stones are prisoners | [`Board::captured`] | `uk_2_2_2_3_and_5_3_prisoners_and_pass_stones` |
//! | 2.3 | a pass costs a stone, a prisoner for the opponent | [`Ruleset::pass_costs_stone`] | `uk_2_2_2_3_and_5_3_prisoners_and_pass_stones` |
//! | 2.4 | two passes in a row end the game, but White passes last, with a third pass if necessary | [`Ruleset::white_passes_last`], [`Position::is_over`] | `uk_2_4_white_passes_last`; `tests/rules.rs` shows that territory then equals area |
//! | 2.5 | a player may resign at any time | `genmove` may answer `resign` | `tests/engine.rs` |
//! | 2.6 | no draws by agreement, only by equal scores | the protocol has no offers; [`Score::winner`] | `uk_5_3_komi_and_2_6_tie` |
//! | 2.7 | no player loses by running out of stones | stones never run out | |
//! | 3 | units, liberties, captures | [`Board`] | `tests/board.rs` |
//! | 4.1 | a play must not recreate the position after an earlier turn of that player | [`KoRule::OwnMoves`] | `uk_4_1_repetition` |
//! | 4.2 | suicide is forbidden | [`SuicideRule::Forbidden`] | `uk_4_2_suicide` |
//! | 5.1 | stones that both agree would be captured are removed and become prisoners | [`Settlement::Agreement`], [`Position::score`] | `uk_5_1_and_5_5_dead_stones_and_regions` |
//! | 5.5 | a region that both colours border is neutral | [`Position::owners`] | `uk_5_1_and_5_5_dead_stones_and_regions` |
//! | 5.3 | a point for each empty point of territory and each prisoner; komi of 7 points | [`Position::score`], [`Ruleset::komi`] | `uk_2_2_2_3_and_5_3_prisoners_and_pass_stones`, `uk_5_3_komi_and_2_6_tie` |
//! | 6 | a dispute over dead stones is settled by further play | [`Resumption::Alternation`] | `uk_6_playing_on` |
//!
//! Section 6 promises additional special rules and lists none.
//!
//! # Japanese rules of 1989
//!
//! A set-up position without turns is judged as it stands. In a game, dame count as
//! filled and teire as played: by the commentary on Article 9.2 the players may do
//! both. A chain is then dead if even such a move does not save it.
//!
//! | Article | sentence | where | test |
//! |---|---|---|---|
//! | 1 | a game lasts until it stops by Article 9 | [`Position::is_over`] | `j_9_stop_and_resumption` |
//! | 2 | the players move in turn | as N8 | |
//! | 3 | 19 lines; 9, 13 and 21 by the commentary; play on an empty point that Article 4 permits | [`BoardSize`], [`Position::legality`] | `j_4_suicide` |
//! | 4 | a chain without a liberty may not stay on the board | [`SuicideRule::Forbidden`] | `j_4_suicide` |
//! | 5 | the opponent's chains without liberties are removed and become prisoners | [`Board::play_unchecked`], [`Board::captured`] | `j_5_capture` |
//! | 6 | a ko may not be retaken on the next move | [`KoRule::Simple`]; a pass in between lifts it, which the article leaves open | `j_6_ko` |
//! | 7.1 | stones are alive if they cannot be captured, or if their capture enables a new stone that cannot be captured | [`Settlement::Confirmation`], [`confirm`] | `tests/adjudicate.rs`, on the commentary's examples |
//! | 7.2 | in the confirmation a ko is retaken only after a pass for that ko | `adjudicate::play` | `tests/adjudicate.rs` |
//! | 8 | eye points, dame, seki, territory | [`divide`], [`Tax::Seki`] | `j_8_and_10_territory_and_seki`, `tests/adjudicate.rs` |
//! | 9.1 | two passes stop the game | [`Position::is_over`] | `j_9_stop_and_resumption` |
//! | 9.2 | agreement on life and death and on territory ends the game | `final_status_list` is the engine's proposal | |
//! | 9.3 | if a player asks to resume, the opponent must agree and may move first | [`Resumption::OpponentFirst`], [`Position::resume`] | `j_9_stop_and_resumption` |
//! | 10.1 | dead stones in territory are removed without further play and become prisoners | [`divide`], [`Position::score_of`] | `j_8_and_10_territory_and_seki` |
//! | 10.2 | prisoners fill the opponent's territory; equal territory is jigo | [`Score::margin`]; by the commentary an excess of prisoners counts too, so plain subtraction is right | `j_10_2_jigo` |
//! | 10.3, 10.4 | objection; the confirmed result stands | left to the players | |
//! | 11 | resigning | as UK 2.5 | `tests/engine.rs` |
//! | 12 | if the whole board repeats and the players agree, the game has no result | [`LongCycle::NoResult`], [`Position::long_cycle`], [`Outcome::NoResult`]; the search scores such a line as a draw | `j_12_no_result` |
//! | 13.1 | an effective move found after the stop: both lose | left to the players, as it depends on what they say; the value is [`Outcome::BothLose`] | |
//! | 13.2 | a stone that has been moved | cannot happen to a program | |
//! | 14 | breaking a rule loses the game | an illegal move is refused with the article; ending the game is left to the client | `j_6_ko` |
//!
//! # As used by the European Go Federation
//!
//! Articles 1 to 8 and 12 as above. The Game End Module replaces Article 9: A1 two
//! passes stop the alternation; A2 what follows is left to the players; A3 after a
//! dispute the alternation resumes where it stopped, which is
//! [`Resumption::Alternation`] (`j_9_stop_and_resumption`). Articles 10.3, 10.4, 13
//! and 14 are dropped.
//!
//! [`BoardSize`]: crate::types::BoardSize
//! [`Point::neighbours`]: crate::types::Point::neighbours
//! [`Board`]: crate::board::Board
//! [`Board::chain`]: crate::board::Board::chain
//! [`Board::liberties_up_to`]: crate::board::Board::liberties_up_to
//! [`Board::captured`]: crate::board::Board::captured
//! [`Board::play_unchecked`]: crate::board::Board::play_unchecked
//! [`Position::new`]: crate::position::Position::new
//! [`Position::owners`]: crate::position::Position::owners
//! [`Position::legality`]: crate::position::Position::legality
//! [`Position::is_over`]: crate::position::Position::is_over
//! [`Position::resume`]: crate::position::Position::resume
//! [`confirm`]: crate::adjudicate::confirm
//! [`divide`]: crate::adjudicate::divide
//! [`Position::score_of`]: crate::position::Position::score_of
//! [`Position::score`]: crate::position::Position::score
//! [`Position::handicap`]: crate::position::Position::handicap
//! [`Position::set_to_move`]: crate::position::Position::set_to_move
//! [`Position::long_cycle`]: crate::position::Position::long_cycle
//! [`Outcome::BothLose`]: crate::position::Outcome::BothLose
//! [`Outcome::NoResult`]: crate::position::Outcome::NoResult
//! [`Score::winner`]: crate::position::Score::winner
//! [`Score::margin`]: crate::position::Score::margin
//! [`fixed_handicap`]: crate::position::fixed_handicap
//! [`KoRule::OwnMoves`]: super::KoRule::OwnMoves
//! [`KoRule::Simple`]: super::KoRule::Simple
//! [`SuicideRule::Any`]: super::SuicideRule::Any
//! [`SuicideRule::Forbidden`]: super::SuicideRule::Forbidden
//! [`Settlement::Agreement`]: super::Settlement::Agreement
//! [`Settlement::Confirmation`]: super::Settlement::Confirmation
//! [`Resumption::ByAgreement`]: super::Resumption::ByAgreement
//! [`Resumption::Alternation`]: super::Resumption::Alternation
//! [`Resumption::OpponentFirst`]: super::Resumption::OpponentFirst
//! [`LongCycle::NoResult`]: super::LongCycle::NoResult
//! [`Tax::Seki`]: super::Tax::Seki
//! [`Preset::board`]: super::Preset::board
//! [`Ruleset::komi`]: super::Ruleset::komi
//! [`Ruleset::handicap_komi`]: super::Ruleset::handicap_komi
//! [`Ruleset::handicap_by_passes`]: super::Ruleset::handicap_by_passes
//! [`Ruleset::pass_costs_stone`]: super::Ruleset::pass_costs_stone
//! [`Ruleset::white_passes_last`]: super::Ruleset::white_passes_last
