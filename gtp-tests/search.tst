# Searches that must find the only move. They are deterministic.
# Four stones in atari in the centre: capture them, or extend.
1 loadsgf atari.sgf
#? [black]
2 reg_genmove b
#? [E4]
3 reg_genmove b
#? [E4]
4 reg_genmove w
#? [E4]
# reg_genmove has not changed the game.
5 printsgf
#? [\(;.*AB.*AW[^;]*\)]
# Three points in a line: Black lives or White kills in the middle, which decides
# the game.
10 loadsgf vital.sgf
#? [black]
11 reg_genmove b
#? [B1]
12 reg_genmove w
#? [B1]
