# UK Go Challenge rules.
1 kata-set-rules uk
#? []
2 kata-get-rules
#? [.*"ko":"OWN_MOVES".*"passCostsStone":true.*"scoring":"TERRITORY".*"suicide":false.*"whitePassesLast":true.*]
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
#? [!.*B5.*]
# A ko: B2 cannot be retaken at once, only after a threat and its answer.
17 boardsize 5
#? []
18 play b B3
#? []
19 play w C3
#? []
20 play b A2
#? []
21 play w D2
#? []
22 play b B1
#? []
23 play w C1
#? []
24 play b E5
#? []
25 play w B2
#? []
26 play b C2
#? []
27 all_legal w
#? [!(.* )?B2( .*)?]
28 play w E4
#? []
29 play b D5
#? []
30 all_legal w
#? [(.* )?B2( .*)?]
# A finished game: Black has 7 stones and 3 eyes, White 11 and 4.
31 boardsize 5
#? []
32 play b B5
#? []
33 play w C5
#? []
34 play b A4
#? []
35 play w E5
#? []
36 play b B4
#? []
37 play w C4
#? []
38 play b B3
#? []
39 play w D4
#? []
40 play b A2
#? []
41 play w C3
#? []
42 play b B2
#? []
43 play w D3
#? []
44 play b B1
#? []
45 play w E3
#? []
46 play w C2
#? []
47 play w E2
#? []
48 play w C1
#? []
49 play w D1
#? []
# The count now, and after both have passed.
50 final_score
#? [W\+8]
51 final_status_list dead
#? []
52 play b pass
#? []
53 play w pass
#? []
54 final_score
#? [W\+8]
# Black's pass after White's costs Black a stone; White passes last and owes one
# too.
55 play b pass
#? []
56 final_score
#? [W\+8]
57 play w pass
#? []
58 final_score
#? [W\+8]
# Handicap: komi, and compensation for three stones. White, to move, owes two
# passes to Black's one.
59 boardsize 9
#? []
60 fixed_handicap 3
#? [C3 G7 C7]
61 get_komi
#? [0\.5]
62 final_score
#? [B\+78\.5]
# The same stones sent as plays, and a komi from the client.
63 clear_board
#? []
64 play b C3
#? []
65 play b G7
#? []
66 play b C7
#? []
67 get_komi
#? [0\.5]
68 komi 3.25
#? []
69 get_komi
#? [3\.25]
70 kata-set-rules uk
#? []
71 get_komi
#? [3\.25]
