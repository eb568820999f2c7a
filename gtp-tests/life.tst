# Life and death by Article 7 of the Japanese rules. Bent four in the corner is
# dead without a move, whatever ko threats there are.
1 loadsgf bentfour.sgf
#? [.*]
2 final_status_list dead
#? [.*B7.*]
3 final_status_list seki
#? []
4 ponnuki-explain B7
#? [White B7, 7 stones: dead; proved: it can be captured, and no lasting stone replaces it \(Article 7\): Black A8, .*]
5 ponnuki-explain_line B7
#? [b A8( [bw] ([A-J][1-9]|PASS))+]
6 ponnuki-explain A9
#? [Black A9, 3 stones: alive; proved: it cannot be captured \(Article 7\.1\).*]
7 ponnuki-explain E1
#? [White E1, 1 stone: alive; .*]
8 ponnuki-chain_status
#? [#30a030 #30a030 #30a030 "" #d02020 #30a030 "" "" ""(.|\n)*]
9 final_score
#? [B\+23]
# Under Tromp-Taylor rules every stone is alive.
10 kata-set-rules tromp-taylor
#? []
11 final_status_list dead
#? []
12 ponnuki-explain B7
#? [White B7, 7 stones: alive.*; under these rules every stone on the board is alive]
13 gogui-analyze_commands
#? [cboard/Chain Status/ponnuki-chain_status(.|\n)*]
# Under rules where the players agree, the ko rule is that of play: bent four is
# dead too, if no threat is left.
14 kata-set-rules chinese
#? []
15 ponnuki-explain B7
#? [White B7, 7 stones: dead; proved if the chains around it hold: it can be captured, and no lasting stone replaces it, even if its owner plays first, without ko threats: .*]
16 final_status_list dead
#? [.*B7.*]
# Results that are not decided on the board.
20 ponnuki-outcome
#? [\? the game goes on]
21 ponnuki-outcome W+T
#? [W\+T White wins on time]
22 ponnuki-outcome both-lose
#? [Void both players lose]
23 play b pass
#? []
24 ponnuki-outcome
#? [\? the game goes on]
26 kata-set-rules japanese
#? []
27 play w pass
#? []
28 ponnuki-outcome
#? [B\+23 Black wins by 23 points]
29 ponnuki-resume b
#? [white]
