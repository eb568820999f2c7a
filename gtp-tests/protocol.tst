# First commands of every controller.
1 protocol_version
#? [2]
2 name
#? [Ponnuki]
3 version
#? [[0-9]+\.[0-9]+\.[0-9]+(\+[0-9a-f]+)?]
4 known_command play
#? [true]
5 known_command analyse
#? [false]
6 known_command PLAY
#? [false]
10 boardsize 7
#? []
11 komi 6.3
#? []
12 clear_board
#? []
# Komi survives boardsize and clear_board.
13 get_komi
#? [6\.3]
14 boardsize 9 5
#? []
15 get_komi
#? [6\.3]
16 rectangular_boardsize 19 19
#? []
20 play Black d4
#? []
21 play W Q16
#? []
22 play w PASS
#? []
23 gg-undo 2
#? []
24 undo
#? []
25 all_legal b
#? [A1 B1 .* T19]
# The same colour twice is legal.
30 play b c3
#? []
31 play b c4
#? []
32 printsgf
#? [\(;FF\[4\].*;B\[cq\];B\[cp\]\)]
33 cputime
#? [[0-9]+\.[0-9]+]
34 help play
#? [play COLOR VERTEX: .*]
35 time_settings 600 30 5
#? []
36 time_left b 595 0
#? []
37 time_left w 12.5 3
#? []
# Commands of gomill for its match records.
40 gomill-cpu_time
#? [[0-9]+\.[0-9]+]
41 gomill-describe_engine
#? [Ponnuki [0-9.]+\nnetwork: .*\nthreads: [0-9]+\ntime .*, visits .*, playouts .*, level .*]
42 gomill-explain_last_move
#? []
43 clear_board
#? []
44 gomill-explain_last_move
#? []
45 genmove b
#? [.*]
46 gomill-explain_last_move
#? [Black: win rate [0-9.]+ %, lead [-+][0-9.]+ points, [0-9]+ playouts]
