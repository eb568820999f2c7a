"""The pages of `analyze`, `score` and `solve --html` in Chromium without a window.

python pages.py PONNUKI [CHROMIUM [AXE]]: a game is analysed, a diagram and a resigned game
are scored, a problem is solved, and the pages are used as a reader does, by keys, mouse and fragment, on a wide and
on a narrow window. Fails if the browser complains of anything or shows something else than
expected, or if axe-core (AXE names its file `axe.min.js`) finds a violation.
"""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

SECONDS = 60

NAME = "</script><b>&'"

RECORD = (
    "(;GM[1]FF[4]SZ[9]KM[6.5]RU[Japanese]PB[" + NAME + "]PW[White]"
    ";B[ba];W[aa];B[ab];W[ii];B[ee];W[ge];B[gd];W[gf];B[gc];W[ec];B[eb];W[dc]"
    ";B[fc];W[db];B[dd];W[cd];B[de];W[ce];B[eg];W[fg];B[fh];W[gh];B[hg];W[hh];B[ff];W[])"
)

# tests/data/j89/example-01.txt: stones in question, with proofs.
DIAGRAM = (
    "(;GM[1]FF[4]SZ[9]RU[Japanese]KM[0]"
    "AB[ba][ca][bb][cb][ac][ad][bd][cd][dd][ed][fd][gd][hd][id][ef]"
    "AW[da][ab][db][bc][cc][dc][ec][fc][gc][hc][ic]PL[B])"
)

# Black lives by B9 alone.
PROBLEM = "(;GM[1]FF[4]SZ[9]AB[da][db][ac][bc][cc]AW[ea][eb][dc][ec][ad][bd][cd])"

RESIGNED = (
    "(;GM[1]FF[4]SZ[9]RU[Japanese]KM[6.5]RE[B+R]PB[" + NAME + "]"
    ";B[ee];W[cc];B[gc];W[cg];B[gg])"
)


# What the browser answers to a script while its page gives way to another.
LEFT = (
    "Cannot find context with specified id",
    "Execution context was destroyed.",
    "Inspected target navigated or closed",
)


class PageLeft(Exception):
    """The page was left before it answered."""


def until(holds, failure):
    """Wait until `holds()` is true; fail with this message if that takes too long."""
    end = time.time() + SECONDS
    while not holds():
        assert time.time() < end, failure
        time.sleep(0.02)


class Browser:
    """A browser controlled through a pair of pipes."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="pages-")
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()

        def connect():
            # Move both ends to descriptors other than 3 and 4 first.
            a, b = os.dup(to_browser), os.dup(from_browser)
            c, d = os.dup(a), os.dup(b)
            os.dup2(c, 3)
            os.dup2(d, 4)

        self.process = subprocess.Popen(
            [
                program,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--remote-debugging-pipe",
                f"--user-data-dir={self.folder}",
            ],
            preexec_fn=connect,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.events = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(domain + ".enable")
        self.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=self.folder)

    session = None

    def send(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                error = answer.get("error", {}).get("message")
                if error in LEFT:
                    raise PageLeft(error)
                assert error is None, (method, answer)
                return answer["result"]
            self.events.append(answer)

    def receive(self):
        while b"\0" not in self.buffer:
            read = os.read(self.into, 1 << 16)
            assert read, "the browser has ended"
            self.buffer += read
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def window(self, width, height, dark=False):
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        value = "dark" if dark else "light"
        feature = {"name": "prefers-color-scheme", "value": value}
        self.send("Emulation.setEmulatedMedia", features=[feature])

    def open(self, path, fragment=""):
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=Path(path).resolve().as_uri() + fragment)
        self.wait("location.protocol + document.readyState === 'file:complete'", "the page loads")

    def run(self, script):
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def key(self, name):
        self.send("Input.dispatchKeyEvent", type="keyDown", key=name, code=name)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=name, code=name)

    def focus(self, selector):
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")

    def enter(self, text):
        """Try a move."""
        self.run(f"byId('own').value = {json.dumps(text)}; byId('try').requestSubmit()")

    def click(self, selector, right=0.5):
        """Click an element, or its first line, at this share of the width."""
        box = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({ block: 'center' }); const b = e.getClientRects()[0];"
            "return [b.x, b.y, b.width, b.height]; })()"
        )
        at = {"x": box[0] + right * box[2], "y": box[1] + box[3] / 2}
        self.click_at(at)

    def click_at(self, at):
        """Click a place in the window."""
        for kind in ("mousePressed", "mouseReleased"):
            with suppress(PageLeft):  # a click may leave the page before it is confirmed
                self.send("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)

    def wait(self, condition, what):
        """Wait until a condition holds: a new fragment or page takes effect a little later."""

        def holds():
            try:
                return self.run(condition)
            except PageLeft:
                return False  # the new page will answer

        until(holds, f"never: {what} ({condition})")

    def picture(self, path, whole=False):
        shot = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        Path(path).write_bytes(base64.b64decode(shot["data"]))

    def complaints(self):
        """The browser's log and errors, and its requests."""
        found = []
        for event in self.events:
            params = event.get("params", {})
            method = event.get("method")
            if method in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"):
                found.append(params)
            if method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file:", "about:", "data:")):
                    found.append(url)
        return found

    def close(self):
        self.session = None
        self.send("Browser.close")
        self.process.wait(timeout=SECONDS)
        shutil.rmtree(self.folder, ignore_errors=True)


def expect(found, wanted, what):
    assert found == wanted, f"{what}: {found!r} instead of {wanted!r}"


def review(browser, page):
    def text(name):
        return f"document.getElementById('{name}').textContent"

    where, line = text("where"), text("line")
    stones = (
        "document.querySelectorAll('#p-drawn > [href=\"#p-black\"],"
        "#p-drawn > [href=\"#p-white\"]').length"
    )
    browser.open(page, "#move=9")
    expect(browser.run(where), "Move 9: Black G7", "the fragment")
    expect(browser.run(stones), 8, "stones after nine moves, one of them captured")
    expect(browser.run("document.title"), NAME + " – White", "the title")
    expect(browser.run("document.querySelector('h1').textContent"), NAME + " – White", "h1")
    expect(browser.run("document.querySelectorAll('b').length"), 0, "no name is markup")
    browser.run("addEventListener('keydown', event => { document.taken = event.defaultPrevented; })")
    for key in ("ArrowRight", "PageDown", "n"):
        browser.key(key)
        expect(browser.run(where), "Move 9: Black G7", key + " without focus")
        expect(browser.run("document.taken"), False, key + " is left to the browser")
    browser.focus("#board")
    for key, wanted in [
        ("ArrowRight", "Move 10: White E7"),
        ("ArrowLeft", "Move 9: Black G7"),
        ("PageDown", "Move 19: Black E3"),
        ("PageUp", "Move 9: Black G7"),
        ("End", "Move 26: White pass"),
        ("ArrowRight", "Move 26: White pass"),
        ("Home", "Start of the game"),
        ("ArrowLeft", "Start of the game"),
    ]:
        browser.key(key)
        expect(browser.run(where), wanted, key)
    variations(browser, line, stones)
    mistakes(browser, text("played"))
    trying(browser, line, stones)
    graph(browser, where, text("value"))
    shares = "document.querySelectorAll('.p-share').length"
    expect(browser.run(shares), 0, "no ownership at first")
    browser.click("#ownership")
    assert browser.run(shares) > 0, "ownership"
    browser.key("ArrowRight")
    expect(browser.run(where), "Move 14: White D8", "keys with a switch in focus")
    files = browser.run("Array.from(document.querySelectorAll('#files a'), a => a.download)")
    expect(files, ["analyze.sgf", "analyze.csv"], "files to download")
    for name, begins in zip(files, ("(;", "game,move,player,")):
        file = Path(browser.folder) / name
        browser.click(f"#files a[download='{name}']")
        until(
            lambda file=file, begins=begins: file.exists() and file.read_text().startswith(begins),
            name + " is not downloaded",
        )
        file.unlink()


def variations(browser, line, stones):
    numbers = "document.querySelectorAll('#p-drawn > text').length"
    browser.key("PageDown")
    before = browser.run(stones)
    browser.key("ArrowDown")
    assert browser.run(line).startswith("Variation A, "), browser.run(line)
    assert browser.run(numbers) > 0, "numbered stones"
    expect(browser.run("location.hash"), "#move=10&line=1", "the address")
    length = browser.run("line.length")
    assert length > 1, "a variation of several moves"
    browser.key("ArrowLeft")
    expect(browser.run("depth"), length - 1, "a step back in the variation")
    browser.key("ArrowRight")
    expect(browser.run("depth"), length, "and forward")
    browser.key("ArrowRight")
    expect(browser.run("[at, depth]"), [10, length], "it ends there")
    browser.key(" ")
    expect(browser.run("depth"), 1, "it is played from its first move on")
    browser.wait(f"depth === {length} && !timer", "it is played to its end")
    browser.key("Escape")
    expect(browser.run(line), "", "Escape closes the variation")
    expect(browser.run(stones), before, "stones after Escape")
    browser.click("#board a[href*=line]")
    browser.wait(line + ".startsWith('Variation ')", "a move on the board is clicked")
    browser.key("Escape")


def mistakes(browser, played):
    sentence = re.compile(r"(Black|White) played \w+ \(−\d+\.\d\); \w+ was better\.")
    # The costliest move is the pass at the end, which has no point.
    row = "#costliest tbody tr:nth-child(2)"
    browser.click(row + " a")
    worst = browser.run(f"Number(document.querySelector('{row}').dataset.move)")
    browser.wait(f"at === {worst}", "the costliest move")
    assert sentence.fullmatch(browser.run(played)), browser.run(played)
    expect(browser.run("document.activeElement.id"), "board", "the keys are the board's")
    for shape in ("best", "played"):
        found = browser.run(f"document.querySelectorAll('#p-drawn [href=\"#p-{shape}\"]').length")
        assert found > 0, shape + " is on the board"
    rows = "Array.from(document.querySelectorAll('#considered tbody tr'), r => r.cells[0].textContent)"
    expect(sum(row.endswith("played") for row in browser.run(rows)), 1, "a row for what was played")
    lost = "document.querySelector('#considered tbody').rows[0].cells[1].textContent"
    assert re.fullmatch(r"−?\d+\.\d", browser.run(lost)), browser.run(lost)
    browser.key("Home")
    found = browser.run("losses.flatMap((l, n) => l.mistake ? [n] : [])")
    assert len(found) > 1, "several mistakes"
    if found[0] == 0:
        found = found[1:]
    for n in found:
        browser.key("n")
        expect(browser.run("at"), n, "the next mistake")
        assert browser.run(played).count("(−") == 1, browser.run(played)
    browser.key("P")
    expect(browser.run("at"), found[-2], "the mistake before it")


def trying(browser, line, stones):
    # Black recaptures the corner with A8, after which White has no liberty.
    browser.open(browser.run("location.pathname"), "#move=2")
    browser.enter("a8")
    expect(browser.run(stones), 2, "the stone in the corner is captured")
    assert browser.run(line).startswith("Tried out, Black first: 1 A8."), browser.run(line)
    browser.enter("A9")
    expect(browser.run(line), "A9 would have no liberty.", "no suicide")
    browser.enter("I5")
    expect(browser.run(line), "“I5” is not a point on this board.", "column I")
    browser.enter("A8")
    expect(browser.run(line), "There is a stone already.", "a taken point")
    browser.focus("#board")
    browser.key("ArrowLeft")
    browser.key("Escape")
    expect(browser.run(stones), 2, "the game is back")
    browser.key("Home")
    for move in "D6 E6 C5 F5 D4 E4 A1 D5 E5".split():
        browser.enter(move)
    expect(browser.run(stones), 8, "the ko is taken")
    browser.enter("D5")
    expect(browser.run(line), "D5 would retake the ko.", "the ko")
    for move in "pass A2 D5".split():
        browser.enter(move)
    expect(browser.run(stones), 9, "the ko is taken back after a move elsewhere")
    expect(browser.run("depth"), 12, "twelve moves")
    browser.focus("#board")
    browser.key("Escape")
    browser.open(browser.run("location.pathname"), "#move=26")
    free = browser.run(
        "(() => { board.scrollIntoView(); const p = game[26].findIndex((s, p) => !s && !rows().some(c => c.move === p));"
        "const m = board.getScreenCTM(), q = new DOMPoint(20 * (p % width), 20 * Math.floor(p / width)).matrixTransform(m);"
        "return [p, q.x, q.y]; })()"
    )
    browser.click_at({"x": free[1], "y": free[2]})
    expect(browser.run("line.map(step => step[1])"), [free[0]], "a click on a free point")


def graph(browser, where, value):
    browser.click("#graph", 0.5)
    expect(browser.run(where), "Move 13: Black F7", "a click on the graph")
    expect(browser.run("document.activeElement.id"), "graph", "the graph has the focus")
    browser.key("ArrowRight")
    expect(browser.run("byId('graph').getAttribute('aria-valuenow')"), "14", "keys on the graph")
    spoken = browser.run("byId('graph').getAttribute('aria-valuetext')")
    assert re.match(r"Move 14: White D8: Black \d", spoken), spoken
    box = browser.run("(b => [b.x, b.y, b.width])(byId('graph').getBoundingClientRect())")
    over = {"x": box[0] + box[2] * 0.25, "y": box[1] + 20}
    browser.send("Input.dispatchMouseEvent", type="mouseMoved", **over)
    browser.wait(value + ".startsWith('Move 7: ') || " + value + ".startsWith('Move 6: ')", "values")
    browser.send("Input.dispatchMouseEvent", type="mouseMoved", x=2, y=2)
    browser.wait(value + " === ''", "no value without the pointer")
    browser.focus("#board")
    browser.key("ArrowLeft")


def verdict(browser, page):
    browser.open(page)
    marks = "document.querySelectorAll('#p-drawn > [href=\"#p-seki\"]').length"
    before = browser.run(marks)
    assert before > 0, "stones in seki have a diamond"
    line = "document.getElementById('line').textContent"
    browser.key("ArrowDown")
    expect(browser.run("location.hash"), "", "a key without focus")
    browser.click("#chains a")
    browser.wait(line + ".startsWith('1 ')", "the first step of a proof")
    steps = browser.run("data.chains[0].steps.length")
    browser.key("End")
    expect(browser.run("location.hash"), f"#chain=1&step={steps}", "the last step")
    browser.key("Home")
    expect(browser.run("location.hash"), "#chain=1&step=0", "the first")
    browser.key("Escape")
    expect(browser.run(line), "", "Escape")
    expect(browser.run(marks), before, "the verdict is back")
    browser.key("ArrowDown")
    expect(browser.run("location.hash"), "#chain=1&step=0", "a chain by key")


def resigned(browser, page):
    browser.open(page)
    expect(browser.run("document.querySelector('h1').textContent"), "Black won by resignation", "h1")
    heads = "Array.from(document.querySelectorAll('h2'), h => h.textContent)"
    expect(browser.run(heads), ["Estimate"], "no count")
    assert browser.run("document.querySelectorAll('#p-drawn .p-share').length") > 0, "ownership"


def problem(browser, page):
    browser.open(page)
    line = "document.getElementById('line').textContent"
    links = "document.querySelectorAll('#p-drawn a').length"
    first = browser.run("next[0].filter(n => nodes[n].step[1] >= 0).length")
    assert first > 3, "several first moves"
    expect(browser.run(links), first, "first moves to click")
    browser.click("#variations .right a")
    browser.wait(line + ".startsWith('1 Black B9')", "the right move")
    expect(browser.run(line + ".includes('Right, proved.')"), True, "what is said of it")
    browser.key("ArrowRight")
    browser.wait(line + ".startsWith('1 Black B9, 2 White ')", "the reply")
    browser.key("ArrowDown")
    expect(browser.run("at === next[next[0][0]][1]"), True, "another reply")
    browser.key("End")
    browser.wait(line + ".includes('End of the line.')", "the end of the line")
    browser.key("Home")
    expect(browser.run("location.hash"), "", "the problem")
    browser.click("#p-drawn a[aria-label*=wrong]")
    browser.wait(line + ".includes('Wrong')", "a wrong move by a click on the board")
    browser.key("Escape")
    expect(browser.run(links), first, "the problem is back")


def targets(browser):
    """Check that controls measure 24 pixels either way, and that moves on the board are also in a list."""
    small = browser.run(
        "Array.from(document.querySelectorAll('button, a, select, input, label'))"
        ".filter(e => e.offsetParent && (b => b.width < 24 || b.height < 24)(e.getBoundingClientRect()))"
        ".map(e => e.outerHTML)"
    )
    expect(small, [], "targets")


def audit(browser, axe):
    if not axe:
        return
    browser.run(Path(axe).read_text() + "; 0")
    answer = browser.send(
        "Runtime.evaluate",
        expression="axe.run().then(r => r.violations.map(v => v.id + ' ' + v.nodes[0].html))",
        awaitPromise=True,
        returnByValue=True,
    )
    expect(answer["result"]["value"], [], "violations of accessibility")


def fits(browser):
    wider = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    expect(browser.run(wider), False, "nothing is wider than the window")
    board = "(b => b.width > 200 && b.right <= innerWidth)(board.getBoundingClientRect())"
    expect(browser.run(board), True, "the board is seen")


def main():
    ponnuki = str(Path(sys.argv[1]).resolve())
    chromium = sys.argv[2] if len(sys.argv) > 2 else "chromium"
    axe = sys.argv[3] if len(sys.argv) > 3 else None
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "game.sgf").write_text(RECORD)
        (folder / "diagram.sgf").write_text(DIAGRAM)
        (folder / "resigned.sgf").write_text(RESIGNED)
        (folder / "problem.sgf").write_text(PROBLEM)
        for arguments in (
            ["analyze", "game.sgf", "--visits", "60", "--threads", "1", "--html", "analyze.html"],
            ["score", "diagram.sgf", "--html", "score.html"],
            ["score", "resigned.sgf", "--html", "resigned.html"],
            ["solve", "problem.sgf", "--time", "4", "--html", "problem.html"],
        ):
            command = [ponnuki, *arguments]
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        browser = Browser(chromium)
        try:
            for width, height, dark in ((1400, 900, False), (390, 844, True)):
                browser.window(width, height, dark)
                pages = (review, "analyze"), (verdict, "score"), (resigned, "resigned")
                for use, page in (*pages, (problem, "problem")):
                    use(browser, folder / (page + ".html"))
                    fits(browser)
                    targets(browser)
                    audit(browser, axe)
            assert not browser.complaints(), browser.complaints()
        finally:
            browser.close()
    print("the pages work on a wide and on a narrow window")


if __name__ == "__main__":
    main()
