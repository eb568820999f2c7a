# Searches that must find the only move. They are deterministic.
# Four stones in atari in the centre: take them, or pull them out.
1 loadsgf atari.sgf
#? [black]
2 reg_genmove b
#? [E4]
3 reg_genmove b
#? [E4]
4 reg_genmove w
#? [E4]
# reg_genmove has changed nothing.
5 printsgf
#? [\(;.*AB.*AW[^;]*\)]
# Three points in a line: Black lives in the middle, or White kills there, and
# the game depends on it.
10 loadsgf vital.sgf
#? [black]
11 reg_genmove b
#? [B1]
12 reg_genmove w
#? [B1]
