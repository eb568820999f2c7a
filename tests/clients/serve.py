"""The pages of `ponnuki serve` in Chromium without a window.

python serve.py PONNUKI [CHROMIUM [AXE [PICTURES]]]: a game is played by mouse, keys and touch, and
records are reviewed, scored and solved, in windows from 390 to 1920 pixels, light and dark. Fails if
the browser complains of anything or shows something else than expected, or if axe-core (AXE names
its file `axe.min.js`) finds a violation. Pictures of the pages go into the folder PICTURES.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from pages import DIAGRAM, RECORD, Browser, audit, expect, fits, targets

WINDOWS = ((1920, 1080, False), (1280, 720, True), (768, 1024, False), (390, 844, True))

PROBLEM = (
    "(;GM[1]FF[4]SZ[9]AB[ba][bb][cb][db][eb][ea]AW[ac][bc][cc][dc][ec][fc][fb][fa][ab]PL[B])"
)


class Live(Browser):
    """A browser that looks at a server."""

    def visit(self, address):
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=address)
        self.wait("location.protocol + document.readyState === 'http:complete'", "the page loads")

    def outside(self, own):
        """What the browser complains of, apart from requests to the server and refused moves."""
        refused = "the server responded with a status of 400"
        return [c for c in self.complaints() if not (str(c).startswith(own) or refused in str(c))]

    def at(self, vertex):
        """Where a point is in the window."""
        return self.run(
            f"(() => {{ board.scrollIntoView({{ block: 'center' }});"
            f"const p = Array.from({{ length: width * height }}, (_, p) => p).find(p => vertex(p) === '{vertex}');"
            "const q = new DOMPoint(20 * (p % width), 20 * Math.floor(p / width))"
            ".matrixTransform(board.getScreenCTM()); return { x: q.x, y: q.y }; })()"
        )

    def press(self, vertex):
        at = self.at(vertex)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)

    def tap(self, vertex):
        at = self.at(vertex)
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[at])
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def own_turn(self, turns):
        self.wait(
            f"state.turns === {turns} && !busy && !theirs()", f"the program answers: {turns} turns"
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
    browser.key("Escape")
    expect(browser.run(text("text")), "", "Escape")
    browser.key("c")
    browser.wait(text("text") + ".startsWith('Dead stones')", "a count")
    browser.key("w")
    browser.wait(text("text") + ".startsWith('About ')", "who leads")
    # It goes on after a reload.
    browser.visit(browser.run("location.href"))
    browser.own_turn(2)
    browser.click("#resign")
    expect(browser.run(text("resign")), "really resign?", "a question first")
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
        browser.wait(f"state.turns > {turns} && !busy && !theirs()", "a pass is answered")
    expect(browser.run("state.disputable"), True, "the game is stopped")
    assert browser.run("state.marks.length") > 0, "marks"
    look("counted")
    browser.run("put(state.stones.search(/[12]/))")
    browser.wait(text("text") + " !== ''", "an explanation")
    browser.click("#dispute")
    browser.wait("state.result === null && !busy && !theirs()", "the game goes on")


def records(browser, own, look, folder):
    for task, record, heading in (
        ("review", RECORD, "Costliest moves"),
        ("score", DIAGRAM, "Chains in question"),
        ("solve", PROBLEM, "Solution"),
    ):
        file = folder / "game.sgf"
        file.write_text(record)
        browser.visit(own)
        root = browser.send("DOM.getDocument")["root"]["nodeId"]
        field = browser.send("DOM.querySelector", nodeId=root, selector="#file")["nodeId"]
        browser.send("DOM.setFileInputFiles", nodeId=field, files=[str(file)])
        browser.click(f"input[value={task}]")
        expect(browser.run("byId('depth').hidden"), task != "review", "the depth is for reviews")
        browser.run("byId('record').elements.visits.value = '50'")
        browser.click("#record button.main")
        browser.wait("location.pathname.startsWith('/records/')", task + " is done")
        browser.wait("document.readyState === 'complete'", "its page loads")
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
    command = [ponnuki, "serve", "--port", "0", "--threads", "1", "--playouts", "30"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    own = server.stdout.readline().split()[3]
    browser = Live(chromium)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for width, height, dark in WINDOWS:
                browser.window(width, height, dark)

                def look(name):
                    if pictures:
                        browser.picture(pictures / f"{name}-{width}.png", whole=True)
                    if name != "start":
                        fits(browser)
                    wider = "document.documentElement.scrollWidth > innerWidth"
                    expect(browser.run(wider), False, name + " fits the window")
                    targets(browser)
                    audit(browser, axe if name in ("start", "hint", "counted", "solve") else None)

                game(browser, own, look)
                touch(browser, own, look)
                if width in (1920, 390):
                    ending(browser, own, look)
                    records(browser, own, look, Path(folder))
            assert not browser.outside(own), browser.outside(own)
    finally:
        browser.close()
        server.terminate()
        server.wait()
    print("the pages of serve work by mouse, keys and touch")


if __name__ == "__main__":
    main()
