//! The rule texts sentence by sentence: where each is implemented, or why it is
//! left to the players.
//!
//! The texts number their clauses, except the New Zealand one; its sentences are
//! numbered here in their order (N1 …), those of its explanation too (E1 …).
//! Names in the last column are tests of `tests/texts.rs` unless they say
//! otherwise.
//!
//! # New Zealand rules
//!
//! | | sentence | where | test |
//! |---|---|---|---|
//! | N1 | "Go is played on a board with a 19 x 19 grid, by two players …" | [`BoardSize`]; E1 allows other sizes | |
//! | N2 | "Adjacent intersections …" | [`Point::neighbours`] | `tests/board.rs` |
//! | N3 | "Two stones of the same colour are connected …" | [`Board::chain`] | `tests/board.rs` |
//! | N4 | "A liberty of a stone …" | [`Board::liberties_up_to`] | `tests/board.rs` |
//! | N5 | "Territory of a player … consists of all points occupied by that player's stones plus all unoccupied points adjacent to that territory." | [`Position::owners`]; points that reach both count for nobody, which is the same difference | `nz_territory_reaching_both_is_ignored` |
//! | N6 | "A play consists of placing a stone … then removing any of the opponent's stones … and then removing any of that player's own stones" | [`Board::play_unchecked`], [`SuicideRule::Any`] | `nz_play_opponents_stones_go_first`, `nz_play_suicide` |
//! | N7 | "A move consists of either making a play so that the resulting board position does not repeat … any of that player's previous moves or saying 'pass'." | [`KoRule::OwnMoves`], [`Position::legality`] | `nz_move_suicide_that_repeats`, `nz_move_the_starting_position_may_come_again`, `nz_move_a_pass_is_a_move`, `nz_diagram_5_top_left_ko`, `nz_diagram_5_bottom_left_triple_ko`, `nz_diagram_5_bottom_right_eternal_life`, `nz_diagram_5_top_right_quadruple_ko`, `nz_diagram_6_white_goes_a_long_way_round`, `nz_diagram_6_black_cannot_recapture`, `nz_diagram_7_same_position_other_player_to_move` |
//! | N8 | "A game of go begins with an empty board, and the players take turns to move (beginning with black)." | [`Position::new`]; that turns alternate is left to the client, which may show variations and set up positions | |
//! | N9 | "The game is finished when both players agree …" | [`Position::is_over`]: two passes in a row, as E2 says | `nz_handicap_by_passes` |
//! | N10 | "'Dead' stones may then be removed from the board by mutual agreement." | [`Settlement::Agreement`]; the engine says what it agrees to with `final_status_list` | |
//! | N11 | "If they cannot agree which stones are dead they must play on." | a play after two passes goes on with the game; [`Position::resume`] | |
//! | N12 | "If they cannot then agree who shall move next, all stones stay on the board" | [`Resumption::ByAgreement`]; [`Position::score`] with no dead stones | |
//! | N13 | "In an even game, 7 points (komi) are added …" | [`Ruleset::komi`] | `nz_komi` |
//! | N14 | "In a handicap game, white passes the first n - 1 moves …" | [`Ruleset::handicap_by_passes`], [`Position::handicap`] | `nz_handicap_by_passes` |
//! | N15 | "There is no komi." | [`Ruleset::handicap_komi`] | `nz_komi` |
//! | N16 | "The winner is the player with the most points …" | [`Score::winner`] | `tests/rules.rs` |
//! | E2 | "A pass is usually used to signify that the game is over." | as N9 | |
//! | E3 | "… it is usual to allow the person whose stones are in dispute to have the first move" | [`Position::set_to_move`]: the players say who | |
//! | E4 | "If a player attempts to repeat a previous board position it is up to their opponent to spot this …" | the engine spots it at once: `play` is refused and nothing has happened; the client decides on a pass | `nz_diagram_5_top_left_ko` |
//! | E5 | "In other cases of moves that do not conform … the last move being treated as a pass … forfeit" | the same | |
//! | E6 | "In a handicap game the black player may prefer to use the traditional starting points shown in diagram 8." | [`fixed_handicap`] | `nz_diagram_8_handicap_points` |
//! | E7 | "The size of the handicap is up to the players …" | theirs | |
//! | E8 | "… once the game is finished and the result confirmed … nothing can change the result." | theirs: the engine counts whenever it is asked | |
//!
//! # UK Go Challenge
//!
//! | | sentence | where | test |
//! |---|---|---|---|
//! | 1 | "… 13 horizontal and 13 vertical lines" | [`Preset::board`] | `uk_1_and_2_1_board_and_first_play` |
//! | 2.1 | "The game starts with the board empty … with Black making the first play." | [`Position::new`] | `uk_1_and_2_1_board_and_first_play` |
//! | 2.2 | "… he keeps them as prisoners." | [`Board::captured`] | `uk_2_2_2_3_and_5_3_prisoners_and_pass_stones` |
//! | 2.3 | "… giving a stone as an extra prisoner to his opponent" | [`Ruleset::pass_costs_stone`] | `uk_2_2_2_3_and_5_3_prisoners_and_pass_stones` |
//! | 2.4 | "When both players pass consecutively, the game ends … white must pass last, even if this means a third pass in a row." | [`Ruleset::white_passes_last`], [`Position::is_over`] | `uk_2_4_white_passes_last`; `tests/rules.rs` shows that territory then equals area |
//! | 2.5 | "Either player may concede defeat at any time" | `genmove` may answer `resign` | `tests/engine.rs` |
//! | 2.6 | "Players are not permitted to offer or accept draws. The only way … is as a result of a tied score." | the protocol has no offers; [`Score::winner`] | `uk_5_3_komi_and_2_6_tie` |
//! | 2.7 | "A player must never be deemed to lose a game because he has run out of stones." | stones never run out | |
//! | 3 | units, liberties, captures | [`Board`] | `tests/board.rs` |
//! | 4.1 | "A board play must not recreate a board position that has previously occurred after any of that player's turns earlier in the game." | [`KoRule::OwnMoves`] | `uk_4_1_repetition` |
//! | 4.2 | suicide "is not permitted" | [`SuicideRule::Forbidden`] | `uk_4_2_suicide` |
//! | 5.1 | "Any stones which both players agree would inevitably be captured … are now removed from the board and kept as prisoners." | [`Settlement::Agreement`], [`Position::score`] | `uk_5_1_and_5_5_dead_stones_and_regions` |
//! | 5.5 | "A region whose boundary contains stones of both colours is not territory for either player." | [`Position::owners`] | `uk_5_1_and_5_5_dead_stones_and_regions` |
//! | 5.3 | "… a point for each vacant board point inside his territories, and a point for each prisoner … 7 points called komi" | [`Position::score`], [`Ruleset::komi`] | `uk_2_2_2_3_and_5_3_prisoners_and_pass_stones`, `uk_5_3_komi_and_2_6_tie` |
//! | 6 | "… they should resolve it by playing on until the position is clear to them both" | [`Resumption::Alternation`] | `uk_6_playing_on` |
//!
//! Section 6 promises additional special rules and lists none.
//!
//! # Japanese rules of 1989
//!
//! A diagram (a position in which nobody has played) is judged as it stands. In a
//! game that has been played the dame count as filled, with the protective moves that needs, as
//! the commentary on Article 9.2 lets the players do; a chain is then dead if even
//! the first move does not save it.
//!
//! | Article | sentence | where | test |
//! |---|---|---|---|
//! | 1 | "… until the game stops according to Article 9" | [`Position::is_over`] | `j_9_stop_and_resumption` |
//! | 2 | "The players can alternately play one move at a time" | as N8 | |
//! | 3 | 19 lines; 9, 13 and 21 by the commentary; play on an empty point that Article 4 permits | [`BoardSize`], [`Position::legality`] | `j_4_suicide` |
//! | 4 | "No group of stones without a liberty can exist on the board." | [`SuicideRule::Forbidden`] | `j_4_suicide` |
//! | 5 | capture; "prisoners" | [`Board::play_unchecked`], [`Board::captured`] | `j_5_capture` |
//! | 6 | "A player whose stone has been captured in a ko cannot recapture in that ko on the next move." | [`KoRule::Simple`]; a pass in between lifts it, on which the article is silent | `j_6_ko` |
//! | 7.1 | "… if they cannot be captured by the opponent, or if capturing them would enable a new stone to be played that the opponent could not capture." | [`Settlement::Confirmation`], [`confirm`] | `tests/adjudicate.rs`, on the commentary's examples |
//! | 7.2 | "recapturing in the same ko is prohibited … after passing once for that particular ko capture" | `adjudicate::play` | `tests/adjudicate.rs` |
//! | 8 | "eye points", "dame", "seki", "territory" | [`divide`], [`Tax::Seki`] | `j_8_and_10_territory_and_seki`, `tests/adjudicate.rs` |
//! | 9.1 | two passes: "the game stops" | [`Position::is_over`] | `j_9_stop_and_resumption` |
//! | 9.2 | "the game ends through confirmation and agreement" | `final_status_list` is the engine's proposal | |
//! | 9.3 | "his opponent must oblige and has the right to play first" | [`Resumption::OpponentFirst`], [`Position::resume`] | `j_9_stop_and_resumption` |
//! | 10.1 | "each player removes any opposing dead stones from his territory as is, and adds them to his prisoners" | [`divide`], [`Position::score_of`] | `j_8_and_10_territory_and_seki` |
//! | 10.2 | "Prisoners are then filled into the opponent's territory … jigo" | [`Score::margin`]; by the commentary an excess of prisoners counts too, so plain subtraction is right | `j_10_2_jigo` |
//! | 10.3, 10.4 | objection; the confirmed result stands | the players' | |
//! | 11 | resigning | as UK 2.5 | `tests/engine.rs` |
//! | 12 | "When the same whole-board position is repeated during a game, if the players agree, the game ends without result." | [`LongCycle::NoResult`], [`Position::long_cycle`], [`Outcome::NoResult`]; the search takes such a line for a draw | `j_12_no_result` |
//! | 13.1 | an effective move found after the stop: both lose | needs what the players say to each other: theirs; the value is [`Outcome::BothLose`] | |
//! | 13.2 | a stone that has been moved | cannot happen to a program | |
//! | 14 | "Violation of the above rules causes immediate loss" | an illegal move is refused with the article; to end the game is the client's | `j_6_ko` |
//!
//! # As used by the European Go Federation
//!
//! Articles 1 to 8 and 12 as above. The Game End Module replaces Article 9: A1 two
//! passes stop the alternation; A2 what follows is the players' doing; A3
//! "alternate moving continues from the state of the last stop as if nothing had
//! happened" is [`Resumption::Alternation`] (`j_9_stop_and_resumption`). Articles
//! 10.3, 10.4, 13 and 14 are dropped.
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
