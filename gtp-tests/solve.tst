# A group in a corner that lives or dies by the first move.
1 boardsize 19
#? []
2 set_position b D19 b D18 b A17 b B17 b C17 w E19 w E18 w D17 w E17 w A16 w B16 w C16
#? []
3 ponnuki-solve b
#? [B19 lives; proved if the stones around hold(.|\n)*White first: B19 kills(.|\n)*Right: B19\n(.|\n)*]
4 ponnuki-solve b B17
#? [B19 lives; proved (.|\n)*]
5 ponnuki-solve w
#? [.* kills; proved (.|\n)*Black first: B19 lives(.|\n)*]

# The same group in the middle of a game: the point that decides its life is named.
10 set_position b D19 b D18 b A17 b B17 b C17 w E19 w E18 w D17 w E17 w A16 w B16 w C16 b Q16 b R14 b O17 w Q4 w O3 w R6 b D4 b F3 b C6 w C14 w F16 w K16 b K4 b Q10 w D10 b G10 w L10 b O13 w M14 b F7 w O7 b L7 w H14
#? []
11 ponnuki-explain B17
#? [Black B17, .*; lives if Black plays B19, dies if White does, proved if the chains around it hold]
12 play b Q3
#? []
13 ponnuki-explain D19
#? [Black D19, .*; lives if Black plays B19, dies if White does, proved if the chains around it hold]
14 play w B19
#? []
15 play b S4
#? []
16 ponnuki-explain B17
#? [Black B17, 3 stones: dead; [^;]*]
17 ponnuki-solve b B17
#? [pass dies; proved if the stones around hold\nWhite first: dead already\n(.|\n)*]
18 ponnuki-solve w B17
#? [pass dead already; proved if the stones around hold\nBlack first: dies\n(.|\n)*]

# The points are marked for GoGui.
20 undo
#? []
21 boardsize 9
#? []
22 set_position b D9 b D8 b A7 b B7 b C7 w E9 w E8 w D7 w E7 w A6 w B6 w C6
#? []
23 ponnuki-critical_points
#? [TRIANGLE (.|\n)*MARK B9\nTEXT (.|\n)*lives if Black plays B9, dies if White does(.|\n)*]

# By rules that confirm life and death with the opponent first, the point is named as well.
24 kata-set-rules japanese
#? []
25 boardsize 9
#? []
# A move that makes White need a second threat is better than a pass.
251 set_position b E9 b E8 b E7 b E6 b F6 b G6 b G5 b H5 b J5 b J6 b G9 w F9 w F8 w F7 w G7 w H8 w J7 w H6
#? []
252 ponnuki-solve b G7
#? [H7 ko, White must find the first of 2 threats; proved (.|\n)*]
26 set_position b D9 b D8 b A7 b B7 b C7 w E9 w E8 w D7 w E7 w A6 w B6 w C6 w D6 w D5 w D4 w C4 w B4 w A4 w B5
#? []
27 ponnuki-explain D8
#? [Black D8, 2 stones: dead; proved: .*, and it is captured; lives if Black plays B9, dies if White does, proved if the chains around it hold]
28 ponnuki-critical_points
#? [TRIANGLE (.|\n)*MARK B9\nTEXT (.|\n)*lives if Black plays B9, dies if White does(.|\n)*]

# That Black lives by a move does not prove that Black needs none: White kills at B13.
40 boardsize 13
#? []
41 set_position b A13 b C13 w A12 b B12 w C12 b A10 w C10 b A9 b B9 b C9 b D13 b E13 b F13 b G13 b H13 b J13 w D12 w E12 w F12 b G12 w D11 w E11 w F11 b G11 w D10 w E10 w F10 b G10 w D9 w E9 w F9 b G9 w A8 w B8 w C8 w D8 w E8 w F8 b G8 b H8 b J8 b K8 b L8 b M8 b N8 w A7 w B7 w C7 w D7 w E7 w F7 w G7 w H7 w J7 w K7 w L7 w M7 w N7 w A6 w B6 w C6 w D6 w E6 w F6 w G6
#? []
42 ponnuki-solve b A10
#? [[AB]1[13] (lives|wins the race); proved (.|\n)*]

# A group that can run to open board is not dead, whoever asks.
45 boardsize 9
#? []
46 set_position b C3 b D3 b E3 b D4 b D2 w C2 w E2 w D1
#? []
47 ponnuki-solve w D3
#? [pass lives; estimated (.|\n)*]
48 ponnuki-solve b D3
#? [pass lives already; estimated (.|\n)*]

# A lone stone encloses an empty board, which proves nothing.
50 boardsize 5
#? []
51 play b A1
#? []
52 ponnuki-explain A1
#? [Black A1, 1 stone: .*; estimated: .*]

# The clock of a game stays as it is.
29 boardsize 9
#? []
291 set_position b D9 b D8 b A7 b B7 b C7 w E9 w E8 w D7 w E7 w A6 w B6 w C6
#? []
30 time_settings 60 30 5
#? []
31 time_left b 17 0
#? []
32 ponnuki-solve b
#? [B9 lives; proved (.|\n)*]
33 kata-debug-print-tc
#? [Black .* mainTimeLeft 17 (.|\n)*]
34 ponnuki-critical_points
#? [TEXT not searched while a clock runs]
