#!/usr/bin/env python3
"""A session with the program for Windows under wine: lines that end in CR and LF, a move, paths
with backslashes and blanks, and the end of the input.

    windows.py PONNUKI.EXE
"""
import pathlib
import subprocess
import sys

program = pathlib.Path(sys.argv[1]).resolve()
folder = program.parent
games = folder / "my games"
games.mkdir(exist_ok=True)


def windows(path):
    """The path as Windows spells it: wine's drive Z is the root."""
    return "Z:" + str(path).replace("/", "\\")


def session(*commands, options=("--net", "off")):
    """The answers to commands. The input ends without `quit`."""
    ran = subprocess.run(
        ["wine", str(program), "--threads", "1", "--playouts", "50", *options],
        input="".join(c + "\r\n" for c in commands).encode(),
        capture_output=True, timeout=240, cwd=folder,
    )
    answers = ran.stdout.decode().replace("\r\n", "\n").split("\n\n")
    assert ran.returncode == 0, f"exit status {ran.returncode}: {ran.stderr.decode()}"
    assert answers.pop() == "", "the last answer is cut off"
    assert len(answers) == len(commands), f"{len(commands)} commands, but {answers}"
    for command, answer in zip(commands, answers):
        print(f"{command}\n{answer}")
        assert answer.startswith("="), f"{command} was refused: {answer}"
    return [answer[1:].strip() for answer in answers]


name, version, *_ = session("name", "protocol_version", "version", "list_commands")
assert (name, version) == ("Ponnuki", "2")

for saved in ["my games\\one game.sgf", windows(games / "another game.sgf")]:
    *_, move, board, _ = session(
        "boardsize 9", "komi 6.5", "play b e5", "genmove w", "showboard", f"savesgf {saved}",
    )
    _, loaded = session(f"loadsgf {saved}", "showboard")
    assert move not in ("pass", "resign") and loaded == board, f"not what was saved: {loaded}"
names = sorted(path.name for path in games.iterdir())
assert names == ["another game.sgf", "one game.sgf"], f"other files are left: {names}"

_, move = session("boardsize 9", "genmove b", options=())
assert move not in ("pass", "resign"), "a move with the network"
