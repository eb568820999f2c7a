# The traditional points.
1 boardsize 19
#? []
2 fixed_handicap 2
#? [D4 Q16]
3 clear_board
#? []
4 fixed_handicap 5
#? [D4 Q16 D16 Q4 K10]
5 undo
#? [.*]*
6 clear_board
#? []
7 fixed_handicap 7
#? [D4 Q16 D16 Q4 D10 Q10 K10]
8 clear_board
#? []
9 fixed_handicap 9
#? [D4 Q16 D16 Q4 D10 Q10 K4 K16 K10]
10 boardsize 13
#? []
11 fixed_handicap 4
#? [D4 K10 D10 K4]
12 boardsize 9
#? []
13 fixed_handicap 3
#? [C3 G7 C7]
14 boardsize 7
#? []
15 fixed_handicap 4
#? [C3 E5 C5 E3]
# Komi and compensation.
20 boardsize 9
#? []
21 kata-set-rules new-zealand
#? []
22 set_free_handicap C3 G7
#? []
23 get_komi
#? [0]
24 kata-set-rules aga
#? []
25 get_komi
#? [0\.5]
26 final_score
#? [B\+79\.5]
27 kata-set-rules chinese
#? []
28 final_score
#? [B\+78\.5]
29 komi 3.5
#? []
30 final_score
#? [B\+75\.5]
31 boardsize 19
#? []
32 place_free_handicap 13
#? [([A-T][0-9]+ ){12}[A-T][0-9]+]
