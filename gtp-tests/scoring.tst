# Walls in the middle of 5x5: Black has columns A to C, White D and E; 15 points
# against 10.
1 boardsize 5
#? []
2 komi 0
#? []
3 kata-set-rules chinese
#? []
10 play b C1
#? []
11 play w D1
#? []
12 play b C2
#? []
13 play w D2
#? []
14 play b C3
#? []
15 play w D3
#? []
16 play b C4
#? []
17 play w D4
#? []
18 play b C5
#? []
19 play w D5
#? []
20 final_score
#? [B\+5]
21 final_status_list dead
#? []
22 final_status_list seki
#? []
23 final_status_list alive
#? [C.*\nD.*]
24 final_status_list black_territory
#? [A1 B1 A2 B2 A3 B3 A4 B4 A5 B5]
25 komi 5
#? []
26 final_score
#? [0]
27 komi 5.25
#? []
28 final_score
#? [W\+0\.25]
30 komi 0
#? []
31 kata-set-rules japanese
#? []
32 final_score
#? [B\+5]
# A dead black stone is a prisoner under territory rules; under area rules it
# costs nothing.
33 play b E3
#? []
34 final_status_list dead
#? [E3]
35 final_score
#? [B\+4]
36 kata-set-rules chinese
#? []
37 final_score
#? [B\+5]
# Pass stones: White, to move, owes two and Black one. The count is the same before and
# after White's pass.
40 kata-set-rules uk
#? []
41 final_score
#? [B\+5]
42 play w pass
#? []
43 final_score
#? [B\+5]
# Tromp-Taylor removes nothing: the stone stays, and the area around it is
# neutral.
44 kata-set-rules tromp-taylor
#? []
45 final_score
#? [B\+11]
