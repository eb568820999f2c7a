# New Zealand rules. KataGo's clients use this name for situational superko without
# suicide of a single stone; the rules of the text are set at the end.
1 kata-set-rules new-zealand
#? []
2 kata-get-rules
#? [.*"ko":"SITUATIONAL".*"scoring":"AREA".*"singleStoneSuicide":false.*"suicide":true.*]
3 get_komi
#? [7]
# Suicide of one stone at A1, of two at A5 and B5.
4 boardsize 5
#? []
5 play b A2
#? []
6 play w A5
#? []
7 play b B1
#? []
8 play w E1
#? []
9 play b A4
#? []
10 play w E2
#? []
11 play b B4
#? []
12 play w E3
#? []
13 play b C5
#? []
14 play w E4
#? []
15 all_legal w
#? [!A1 .*]
16 all_legal w
#? [.*B5.*]
# The text has its own fields: suicide of a single stone is legal if its player has
# not left that board before.
17 kata-set-rule singleStoneSuicide true
#? []
18 kata-set-rule ko OWN_MOVES
#? []
19 kata-get-rules
#? [.*"ko":"OWN_MOVES".*"singleStoneSuicide":true.*]
20 all_legal b
#? [!A5 .*]
21 all_legal w
#? [!A1 .*]
22 play b D2
#? []
23 all_legal w
#? [A1 .*]
24 kata-set-rules new-zealand
#? []
# A ko: B2 cannot be retaken at once, only after a threat and its answer.
25 boardsize 5
#? []
26 play b B3
#? []
27 play w C3
#? []
28 play b A2
#? []
29 play w D2
#? []
30 play b B1
#? []
31 play w C1
#? []
32 play b E5
#? []
33 play w B2
#? []
34 play b C2
#? []
35 all_legal w
#? [!(.* )?B2( .*)?]
36 play w E4
#? []
37 play b D5
#? []
38 all_legal w
#? [(.* )?B2( .*)?]
# A finished game: Black has 7 stones and 3 eyes, White 11 and 4.
39 boardsize 5
#? []
40 play b B5
#? []
41 play w C5
#? []
42 play b A4
#? []
43 play w E5
#? []
44 play b B4
#? []
45 play w C4
#? []
46 play b B3
#? []
47 play w D4
#? []
48 play b A2
#? []
49 play w C3
#? []
50 play b B2
#? []
51 play w D3
#? []
52 play b B1
#? []
53 play w E3
#? []
54 play w C2
#? []
55 play w E2
#? []
56 play w C1
#? []
57 play w D1
#? []
# The count now, and after both have passed.
58 final_score
#? [W\+12]
59 final_status_list dead
#? []
60 play b pass
#? []
61 play w pass
#? []
62 final_score
#? [W\+12]
# Handicap: komi, and compensation for three stones.
63 boardsize 9
#? []
64 fixed_handicap 3
#? [C3 G7 C7]
65 get_komi
#? [0]
66 final_score
#? [B\+81]
# The same stones sent as plays, and a komi from the client.
67 clear_board
#? []
68 play b C3
#? []
69 play b G7
#? []
70 play b C7
#? []
71 get_komi
#? [0]
72 komi 3.25
#? []
73 get_komi
#? [3\.25]
74 kata-set-rules new-zealand
#? []
75 get_komi
#? [3\.25]
# White gives the handicap by passing.
76 komi 0
#? []
77 clear_board
#? []
78 play b C3
#? []
79 play w pass
#? []
80 play b G7
#? []
81 play w pass
#? []
82 play b C7
#? []
83 final_score
#? [B\+81]
