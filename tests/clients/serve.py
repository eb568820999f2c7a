"""The pages of `ponnuki serve` in Chromium without a window.

python serve.py PONNUKI [CHROMIUM [AXE [PICTURES]]]: a game is played by mouse, keys and touch, and
records are reviewed, scored and solved, in windows from 320 to 1920 pixels, light and dark. Fails if
the browser complains of anything or shows something else than expected, or if axe-core (AXE names
its file `axe.min.js`) finds a violation. Pictures of the pages go into the folder PICTURES.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pages import DIAGRAM, RECORD, Browser, audit, expect, fits, targets

WINDOWS = ((1920, 1080, False), (1280, 720, True), (768, 1024, False), (390, 844, True), (320, 640, True))

# The address of a game that does not exist.
MISSING = "games/99"

PROBLEM = (
    "(;GM[1]FF[4]SZ[9]AB[ba][bb][cb][db][eb][ea]AW[ac][bc][cc][dc][ec][fc][fb][fa][ab]PL[B])"
)


class Live(Browser):
    """A browser that looks at a server."""

    def visit(self, address):
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=address)
        self.wait("location.protocol + document.readyState === 'http:complete'", "the page loads")

    def outside(self, *own):
        """What the browser complains of, apart from requests to the servers and refused moves."""
        refused = "the server responded with a status of 400"
        complaints = [str(c) for c in self.complaints() if MISSING not in str(c)]
        return [c for c in complaints if not (c.startswith(own) or refused in c)]

    def at(self, vertex):
        """Where a point is in the window."""
        return self.run(
            f"(() => {{ board.scrollIntoView({{ block: 'center' }});"
            f"const p = Array.from({{ length: width * height }}, (_, p) => p).find(p => vertex(p) === '{vertex}');"
            "const q = new DOMPoint(20 * (p % width), 20 * Math.floor(p / width))"
            ".matrixTransform(board.getScreenCTM()); return { x: q.x, y: q.y }; })()"
        )

    def press(self, vertex):
        self.click_at(self.at(vertex))

    def tap(self, vertex):
        at = self.at(vertex)
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[at])
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def own_turn(self, turns):
        self.wait(
            f"state.turns === {turns} && !busy && !enginesTurn()",
            f"the program answers: {turns} turns",
        )


def text(name):
    return f"document.getElementById('{name}').textContent"


def new_game(browser, own, **choices):
    browser.visit(own)
    for name, value in choices.items():
        browser.run(f"byId('play').elements.{name}.value = '{value}'")
    browser.click("#play button.main")
    browser.wait("location.pathname.startsWith('/games/')", "the game begins")
    browser.wait("document.readyState === 'complete'", "its page loads")


def game(browser, own, look):
    browser.visit(own)
    look("start")
    new_game(browser, own, size="9", level="1", rules="japanese")
    browser.own_turn(0)
    expect(browser.run("document.querySelector('h1').textContent"), "You are Black", "h1")
    browser.press("E5")
    browser.own_turn(2)
    assert browser.run(text("says")).startswith("Ponnuki plays "), browser.run(text("says"))
    browser.press("E5")
    browser.wait(text("refused") + " !== ''", "a refused move")
    expect(browser.run(text("refused")), "You cannot play there: E5 is occupied.", "refused")
    look("refused")
    # By keys: the ring begins at the last move.
    browser.click("#undo")
    browser.own_turn(0)
    browser.focus("#board")
    for key in ("ArrowUp", "ArrowUp", "ArrowLeft"):
        browser.key(key)
    expect(browser.run("vertex(cursor)"), "D6", "the ring")
    expect(browser.run(text("says")), "D6", "the point is read out")
    look("ring")
    browser.key("Enter")
    browser.own_turn(2)
    assert browser.run("stones()[3 * 9 + 3]") == 1, "Enter plays"
    browser.key("h")
    browser.wait(text("text") + ".startsWith('Try ')", "a hint")
    assert browser.run("document.querySelectorAll('#p-drawn > text').length") > 0, "numbers"
    look("hint")
    stones = "board.querySelector('desc').textContent.match(/[A-J][1-9]/g).length"
    expect(browser.run(stones), 2, "the description has the stones on the board alone")
    browser.key("Escape")
    expect(browser.run(text("text")), "", "Escape")
    browser.key("c")
    browser.wait(text("text") + ".startsWith('Dead stones')", "a count")
    browser.key("w")
    browser.wait(text("text") + ".startsWith('About ')", "who leads")
    browser.wait("!busy", "the answer")
    browser.run("byId('who').focus(), byId('who').click()")
    browser.wait("!busy", "the answer again")
    expect(browser.run("document.activeElement.id"), "who", "the button keeps the focus")
    expect(browser.run("byId('now').disabled"), True, "only while Ponnuki thinks")
    # It goes on after a reload.
    browser.visit(browser.run("location.href"))
    browser.own_turn(2)
    for _ in range(2):
        browser.click("#resign")
        expect(browser.run(text("resign")), "really resign?", "a question first")
    expect(browser.run("state.result"), None, "a double click does not resign")
    time.sleep(0.6)
    browser.click("#resign")
    browser.wait("state.result !== null", "resignation")
    expect(
        browser.run(text("says")),
        "The game is over. W+R: White wins by resignation.",
        "the result",
    )
    look("resigned")


def touch(browser, own, look):
    new_game(browser, own, size="19", level="1", color="white", handicap="2")
    browser.own_turn(1 if browser.run("state.human") == 2 and browser.run("state.turns") else 0)
    browser.send("Emulation.setTouchEmulationEnabled", enabled=True)
    turns = browser.run("state.turns")
    browser.tap("K10")
    browser.wait(f"cursor >= 0 || state.turns > {turns}", "a tap is seen")
    if browser.run("cursor >= 0"):
        expect(browser.run(text("says")), "K10: tap again to play there.", "the first tap")
        look("tap")
        browser.tap("K10")
    browser.own_turn(turns + 2)
    expect(browser.run("stones()[9 * 19 + 9]"), 2, "the stone is there")
    browser.send("Emulation.setTouchEmulationEnabled", enabled=False)
    look("19x19")


def ending(browser, own, look):
    new_game(browser, own, size="9", level="1", rules="japanese")
    browser.own_turn(0)
    for _ in range(200):
        if browser.run("Boolean(state.result)"):
            break
        turns = browser.run("state.turns")
        browser.click("#pass")
        browser.wait(f"state.turns > {turns} && !busy && !enginesTurn()", "a pass is answered")
    expect(browser.run("state.disputable"), True, "the game is stopped")
    assert browser.run("state.marks.length") > 0, "marks"
    assert browser.run(text("text")).startswith("Dead stones: "), browser.run(text("text"))
    look("counted")
    browser.run("choosePoint(state.stones.search(/[12]/))")
    browser.wait(f"!busy && !{text('text')}.startsWith('Dead stones')", "an explanation")
    browser.click("#dispute")
    browser.wait("state.result === null && !busy && !enginesTurn()", "the game goes on")


def elsewhere(browser, own, look):
    """The game has gone on in another window, or is no longer kept."""
    new_game(browser, own, size="9", level="1")
    browser.own_turn(0)
    number = browser.run("state.number")
    browser.run(
        f"ask('/games/{number}/play', 'C3').then(() => ask('/games/{number}/reply'))"
        ".then(() => { window.played = true; })"
    )
    browser.wait("window.played", "moves from elsewhere")
    browser.press("G7")
    late = "The game has gone on in another window. This is how it stands now."
    browser.wait(text("refused") + f" === '{late}'", "the move is refused")
    expect(browser.run("state.turns"), 2, "the present state")
    browser.run("state.version = '1-1'")
    browser.press("G7")
    browser.wait(text("refused") + ".startsWith('This game is no longer kept')", "the game is gone")
    look("elsewhere")
    browser.visit(own + MISSING)
    assert browser.run("document.querySelector('main a').textContent") == "Games and records"
    look("missing")


def stopped(browser, own, file):
    """The work on a record can be found again on the first page, and stopped."""
    file.write_text(RECORD)
    send(browser, own, file, "review")
    browser.wait("!byId('stop').hidden", "the review begins")
    browser.visit(own)
    expect(browser.run("byId('stop').hidden"), True, "after a reload")
    browser.click("#look ~ .list a, [aria-labelledby=look] .list a")
    browser.wait("!byId('stop').hidden", "its progress")
    browser.click("#stop")
    browser.wait(text("state") + " === 'Stopped.'", "it is stopped")


def hurry(browser, own, look):
    """The program thinks for a long time, and moves when it is asked to."""
    for how in ("key", "click"):
        new_game(browser, own, size="9", color="white", level="off")
        browser.wait("busy && enginesTurn() && !byId('now').disabled", "the program thinks")
        look("thinking")
        expect(browser.run("state.turns"), 0, "no move yet")
        until = "state.turns === 1 && !busy"
        if how == "key":
            browser.focus("#board")
            browser.key("m")
        else:
            browser.click("#now")
        browser.wait(until, "the move comes at once")
        expect(browser.run("byId('now').disabled"), True, "the move is made")


def send(browser, own, file, task):
    browser.visit(own)
    root = browser.send("DOM.getDocument")["root"]["nodeId"]
    field = browser.send("DOM.querySelector", nodeId=root, selector="#file")["nodeId"]
    browser.send("DOM.setFileInputFiles", nodeId=field, files=[str(file)])
    browser.click(f"input[value={task}]")
    expect(browser.run("byId('depth').hidden"), task != "review", "the depth is for reviews")
    browser.run("byId('record').elements.visits.value = '50'")
    browser.click("#record button.main")


def done(browser, what):
    browser.wait("location.pathname.startsWith('/records/')", what)
    browser.wait("document.readyState === 'complete'", "its page loads")


def goes_on(browser, own, look, file):
    """A game from a record goes on: from a position under review, and from its last one."""
    file.write_text(RECORD)
    send(browser, own, file, "review")
    done(browser, "the review")
    browser.focus("#board")
    browser.key("Home")
    for _ in range(4):
        browser.key("ArrowRight")
    browser.click("#on")
    browser.wait("location.pathname + document.readyState === '/complete'", "the choices")
    expect(browser.run("byId('play').elements.move.value"), "4", "the move")
    expect(browser.run("byId('play').elements.color.value"), "black", "the player to move")
    expect(browser.run("byId('anew').hidden"), True, "the board is that of the record")
    look("from")
    browser.run("byId('play').elements.level.value = '1'")
    browser.run("byId('play').elements.move.value = '99'")
    browser.click("#begin")
    browser.wait(text("refused") + " !== ''", "a refusal")
    browser.run("byId('play').elements.move.value = '4'")
    browser.click("#begin")
    browser.wait("location.pathname.startsWith('/games/')", "the game goes on")
    browser.wait("document.readyState === 'complete'", "its page loads")
    expect(browser.run("state.turns"), 4, "the moves of the record")
    browser.press("E5")
    browser.own_turn(6)
    send(browser, own, file, "play")
    browser.wait("!byId('from').hidden", "the choices")
    expect(browser.run("byId('play').elements.move.value"), "26", "the last move")
    browser.click("#from a")
    browser.wait("byId('from').hidden && !byId('anew').hidden", "a new game instead")


def asks_again(browser, own, look, file):
    """The page of a problem asks about another group, and with the other player first."""
    file.write_text(PROBLEM)
    send(browser, own, file, "solve")
    done(browser, "the solution")
    expect(browser.run("again.elements.color.value"), "black", "who was first")
    browser.press("C7")
    expect(browser.run("again.elements.group.value"), "C7", "a click chooses the group")
    browser.click("#again input[value=white]")
    page = browser.run("location.pathname")
    browser.click("#again button")
    browser.wait(
        f"location.pathname.startsWith('/records/') && location.pathname !== '{page}'", "the answer"
    )
    browser.wait("document.readyState === 'complete'", "its page loads")
    expect(browser.run("document.querySelector('h1').textContent"), "White to play", "h1")
    expect(browser.run("again.elements.color.value"), "white", "who was first")
    look("again")
    browser.run("again.elements.group.value = 'J1'; again.requestSubmit()")
    browser.wait(text("state") + " === 'There is no stone at J1.'", "a refusal")


def records(browser, own, look, folder):
    for task, record, heading in (
        ("review", RECORD, "Costliest moves"),
        ("score", DIAGRAM, "Chains in question"),
        ("solve", PROBLEM, "Solution"),
    ):
        file = folder / "game.sgf"
        file.write_text(record)
        send(browser, own, file, task)
        done(browser, task + " is done")
        heads = browser.run("Array.from(document.querySelectorAll('h2'), h => h.textContent)")
        assert heading in heads, heads
        look(task)
    file.write_text("no record")
    browser.visit(own)
    browser.run("byId('record').requestSubmit()")
    browser.wait(text("state") + " !== ''", "a refusal")
    expect(browser.run(text("state")), "Choose a record first.", "no file")


def main():
    ponnuki = str(Path(sys.argv[1]).resolve())
    chromium = sys.argv[2] if len(sys.argv) > 2 else "chromium"
    axe = sys.argv[3] if len(sys.argv) > 3 else None
    pictures = Path(sys.argv[4]) if len(sys.argv) > 4 else None
    command = [ponnuki, "serve", "--port", "0", "--threads", "1"]
    quick = [*command, "--playouts", "30"]
    servers = [
        subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
        for line in (quick, [*command, "--time", "3600"])
    ]
    own, slow = (server.stdout.readline().split()[3] for server in servers)
    browser = Live(chromium)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for width, height, dark in WINDOWS:
                browser.window(width, height, dark)

                def look(name):
                    if pictures:
                        browser.picture(pictures / f"{name}-{width}.png", whole=True)
                    if name not in ("start", "from", "missing"):
                        fits(browser)
                    wider = "document.documentElement.scrollWidth > innerWidth"
                    expect(browser.run(wider), False, name + " fits the window")
                    targets(browser)
                    audit(browser, axe if name in ("start", "hint", "counted", "solve", "from", "again", "thinking") else None)

                game(browser, own, look)
                elsewhere(browser, own, look)
                touch(browser, own, look)
                if width in (1920, 390, 320):
                    ending(browser, own, look)
                    records(browser, own, look, Path(folder))
                    goes_on(browser, own, look, Path(folder) / "game.sgf")
                    asks_again(browser, own, look, Path(folder) / "game.sgf")
                    hurry(browser, slow, look)
                    stopped(browser, slow, Path(folder) / "game.sgf")
            assert not browser.outside(own, slow), browser.outside(own, slow)
    finally:
        browser.close()
        for server in servers:
            server.terminate()
            server.wait()
    print("the pages of serve work by mouse, keys and touch")


if __name__ == "__main__":
    main()
