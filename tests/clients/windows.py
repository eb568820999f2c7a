#!/usr/bin/env python3
"""The program for Windows under wine: lines that end in CR and LF, paths with backslashes and
blanks, patterns that no shell expands, matches between two processes, a console, and Ctrl-C.

    windows.py PONNUKI.EXE
"""
import json
import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import time

program = pathlib.Path(sys.argv[1]).resolve()
folder = program.parent
games = folder / "my games"
games.mkdir(exist_ok=True)
started = time.monotonic()


def windows(path):
    """The path as Windows spells it: wine's drive Z is the root."""
    return "Z:" + str(path).replace("/", "\\")


def step(name):
    print(f"-- {name} ({time.monotonic() - started:.0f} s)", flush=True)


def ponnuki(*arguments, text="", status=0):
    """What the program writes to standard output and standard error."""
    ran = subprocess.run(
        ["wine", str(program), *arguments], input=text.replace("\n", "\r\n").encode(),
        capture_output=True, timeout=240, cwd=folder,
    )
    out, err = ran.stdout.decode(), ran.stderr.decode().replace("\r\n", "\n")
    print("> ponnuki", *arguments, f"\n{out}{err}", flush=True)
    assert ran.returncode == status, f"exit status {ran.returncode}, not {status}"
    return out.replace("\r\n", "\n"), err


def session(*commands, options=("--net", "off")):
    """The answers to commands. The input ends without `quit`."""
    limits = ["--threads", "1", "--playouts", "50", *options]
    answers = ponnuki(*limits, text="".join(c + "\n" for c in commands))[0].split("\n\n")
    assert answers.pop() == "", "the last answer is cut off"
    assert len(answers) == len(commands), f"{len(commands)} commands, but {answers}"
    for command, answer in zip(commands, answers):
        assert answer.startswith("="), f"{command} was refused: {answer}"
    return [answer[1:].strip() for answer in answers]


class Console:
    """The program on a terminal, which wine makes a console."""

    def __init__(self, *arguments):
        print("> ponnuki", *arguments, "(on a console)", flush=True)
        self.text = ""
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.environ["TERM"] = "xterm-256color"
            os.execvp("wine", ["wine", str(program), *arguments])
        self.pid = pid

    def read(self, seconds):
        """Read what comes within this time. Returns false at the end."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return True
        try:
            new = os.read(self.terminal, 65536)
        except OSError:
            return False
        self.text += new.decode(errors="replace")
        return bool(new)

    def wait_for(self, pattern, seconds=120):
        until = time.monotonic() + seconds
        while not re.search(pattern, self.text, re.DOTALL):
            assert time.monotonic() < until, f"no {pattern!r} in {self.text!r}"
            assert self.read(0.2), f"it ended without {pattern!r}: {self.text!r}"

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def status(self, seconds=60):
        """The exit status, for which the program has this time."""
        until = time.monotonic() + seconds
        while True:
            assert time.monotonic() < until, f"it goes on: {self.text!r}"
            self.read(0.2)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.read(0.2) and select.select([self.terminal], [], [], 0.2)[0]:
                    pass
                print(f"exit status {os.waitstatus_to_exitcode(status)}", flush=True)
                return os.waitstatus_to_exitcode(status)


def running():
    """The processes of the program."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = process.read_bytes()
        except OSError:
            continue
        if b"ponnuki.exe" in line and b"python" not in line and b"bash" not in line:
            found.append(line.replace(b"\0", b" ").decode())
    return found


step("handshake")
name, version, *_ = session("name", "protocol_version", "version", "list_commands")
assert (name, version) == ("Ponnuki", "2")

step("records with backslashes and blanks in their paths")
for saved in ["my games\\one game.sgf", windows(games / "another game.sgf")]:
    *_, move, board, _, _ = session(
        "boardsize 9", "komi 6.5", "play b e5", "genmove w", "showboard",
        f"savesgf {saved}", f"savesgf {saved}",
    )
    _, loaded = session(f"loadsgf {saved}", "showboard")
    assert move not in ("pass", "resign") and loaded == board, f"not what was saved: {loaded}"
names = sorted(path.name for path in games.iterdir())
assert names == ["another game.sgf", "one game.sgf"], f"other files are left: {names}"

step("a record that is open elsewhere")
out, _ = ponnuki("--net", "off", "--log", "held.sgf", text="savesgf held.sgf\n")
assert "is it open in another program?" in out, out

step("a move with the network")
_, move = session("boardsize 9", "genmove b", options=())
assert move not in ("pass", "resign"), "a move with the network"

step("configuration, queries and records with CR and LF")
log = windows(folder / "my log.txt")
(folder / "ours.toml").write_bytes(f"log = '{log}'\r\nplayouts = 20\r\nnet = \"off\"\r\n".encode())
out, _ = ponnuki("--config", "ours.toml", text="kata-get-param playouts\n")
assert out == "= 20\n\n" and "playouts" in (folder / "my log.txt").read_text()
(folder / "theirs.toml").write_bytes(b'net = "C:\\Users\\b15.bin.gz"\r\n')
assert "single quotes" in ponnuki("--config", "theirs.toml", status=2)[1]
query = {"id": "q", "moves": [["B", "E5"]], "boardXSize": 9, "boardYSize": 9, "maxVisits": 4,
         "rules": "japanese"}
out, _ = ponnuki("analysis", "--threads", "1", text=json.dumps(query) + "\n")
assert json.loads(out)["id"] == "q"
(folder / "lines.sgf").write_bytes(b"(;SZ[5]\r\nKM[0]RU[Japanese]\r\n;B[cc]\r\n;W[bb]\r\n;B[]\r\n;W[])\r\n")
assert "Result " in ponnuki("score", "--net", "off", "l*.sgf")[0]

step("patterns")
limits = ["--visits", "4", "--threads", "1"]
assert "2 games in " in ponnuki("analyze", *limits, "my games\\*.SGF", "--out", "my results")[0]
ponnuki("analyze", *limits, windows(games / "o*.sgf"), "--html")
page = (games / "one game-analyzed.html").read_text()
assert page.rstrip().endswith("</html>")
assert "no file matches none*.sgf" in ponnuki("analyze", "none*.sgf", status=2)[1]

step("a match of two processes")
here = windows(program)
engine = f'"{here}" --playouts 20 --threads 1 --net off'
played = ["--size", "3", "--seconds", "1"]
out, _ = ponnuki("match", "--a", here, "--b", engine, *played, "--games", "2", "--sgf", "my match")
assert "of 2 games" in out and "Faults 0" in out
assert sorted(p.name for p in (folder / "my match").iterdir()) == ["0001.sgf", "0002.sgf"]
missing = ponnuki("match", "--a", r"C:\go\no.exe --x", "--b", engine, status=2)[1]
assert r"C:\go\no.exe' with [" in missing, "the message shows what was to be started"

step("Ctrl-C in a match")
endless = Console("match", "--a", engine, "--b", engine, *played, "--games", "100000")
endless.wait_for(r"A [1-9]\d* wins")
endless.type("\x03")
assert endless.status() == 130, endless.text
assert "Faults 0" in endless.text, endless.text

step("Ctrl-C in other commands")
for arguments, begun in [
    (["analyze", "--visits", "1000000", "--threads", "1", "my games", "--out", "endless"], "games"),
    (["selfplay", "--out", "x.games", "--games", "100000", "--threads", "1"], r"\b[1-9]\d*/100000"),
    (["analysis"], "ready"),
    (["gtp"], "Go Text Protocol"),
]:
    broken_off = Console(*arguments)
    broken_off.wait_for(begun)
    broken_off.type("\x03")
    # Windows has a status of its own for this, wine 0.
    broken_off.status()
left = [path for path in folder.rglob("*") if path.suffix == ".part"]
assert not left, f"temporary files are left: {left}"

step("a game at a console")
game = Console("play", "--size", "5", "--net", "off", "--playouts", "50", "--threads", "1")
for prompt, answer in [("Rules", ""), ("Level", ""), ("Your colour", ""), (r"you\)>", "c3"),
                       (r"White played.*you\)>", "quit")]:
    game.wait_for(prompt)
    # The prompt is there a little before keys are read.
    time.sleep(2)
    game.type(answer + "\r")
assert game.status() == 0, game.text
assert "\x1b[48;5;179m" in game.text, "a coloured board"

assert not running(), f"still running: {running()}"
print(f"-- all passed ({time.monotonic() - started:.0f} s)")
