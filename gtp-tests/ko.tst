# A simple ko: White takes at C3, and Black must not retake at once.
1 boardsize 5
#? []
2 kata-set-rules japanese
#? []
3 play b B3
#? []
4 play w C4
#? []
5 play b C2
#? []
6 play w D3
#? []
7 play b A5
#? []
8 play w C2
#? [!]*
9 play b E5
#? []
10 clear_board
#? []
# The ko at B2 and C2: Black has A2, B3, B1 and C2, White C3, D2 and C1. White takes
# at B2.
20 play b A2
#? []
21 play w C3
#? []
22 play b B3
#? []
23 play w D2
#? []
24 play b B1
#? []
25 play w C1
#? []
26 play b C2
#? []
27 play w B2
#? []
# Black's stone at C2 is gone; C2 is the ko.
28 all_legal b
#? [!.*\bC2\b.*]
29 play b E5
#? []
30 play w E4
#? []
# After a play elsewhere it may be retaken.
31 all_legal b
#? [.*\bC2\b.*]
# A pass lifts the ko as well.
32 gg-undo 2
#? []
33 all_legal b
#? [!.*\bC2\b.*]
34 play b pass
#? []
35 play w pass
#? []
36 all_legal b
#? [.*\bC2\b.*]
# Under positional superko passes do not help.
40 kata-set-rules tromp-taylor
#? []
41 all_legal b
#? [!.*\bC2\b.*]
# KataGo's New Zealand rules are situational superko: the board that Black left by C2,
# with White to move, may not recur.
42 kata-set-rules new-zealand
#? []
43 all_legal b
#? [!.*\bC2\b.*]
