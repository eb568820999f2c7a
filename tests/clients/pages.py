"""The pages of `analyze --html` and `score --html` in Chromium without a window.

python pages.py PONNUKI [CHROMIUM]: a game is analysed and a diagram scored, and both
pages are used as a reader does, by keys, mouse and fragment, on a wide and on a narrow
window. Fails if the browser complains of anything or shows something else than expected.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
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


class Browser:
    """A browser that is driven through a pair of pipes."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="pages-")
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()

        def connect():
            # Both ends first go where neither is in the way of 3 and 4.
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
                assert "error" not in answer, (method, answer)
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
        until = time.time() + SECONDS
        while self.run("location.protocol + document.readyState") != "file:complete":
            assert time.time() < until, "the page does not load"
            time.sleep(0.02)

    def run(self, script):
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def key(self, name):
        self.send("Input.dispatchKeyEvent", type="keyDown", key=name, code=name)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=name, code=name)

    def click(self, selector, right=0.5):
        """Click an element, or its first line, at this share of the width."""
        box = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({ block: 'center' }); const b = e.getClientRects()[0];"
            "return [b.x, b.y, b.width, b.height]; })()"
        )
        at = {"x": box[0] + right * box[2], "y": box[1] + box[3] / 2}
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)

    def wait(self, condition, what):
        """Until a condition holds: a new fragment is seen a little later."""
        until = time.time() + SECONDS
        while not self.run(condition):
            assert time.time() < until, f"never: {what} ({condition})"
            time.sleep(0.02)

    def picture(self, path, whole=False):
        shot = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        Path(path).write_bytes(base64.b64decode(shot["data"]))

    def complaints(self):
        """What the browser has logged or failed at, and what it has asked for."""
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
    where = "document.getElementById('where').textContent"
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
    line = "document.getElementById('line').textContent"
    numbers = "document.querySelectorAll('#p-drawn > text').length"
    browser.key("PageDown")
    before = browser.run(stones)
    browser.key("ArrowDown")
    assert browser.run(line).startswith("Variation A, "), browser.run(line)
    assert browser.run(numbers) > 0, "numbered stones"
    expect(browser.run("location.hash"), "#move=10&line=1", "the address")
    browser.key("Escape")
    expect(browser.run(line), "", "Escape closes the variation")
    expect(browser.run(stones), before, "stones after Escape")
    browser.click("#costliest tbody tr a")
    worst = browser.run("Number(document.querySelector('#costliest tbody tr').dataset.move)")
    expect(browser.run("location.hash"), f"#move={worst - 1}&line=1", "the costliest move")
    browser.key("Escape")
    browser.click("#board a")
    browser.wait(line + ".startsWith('Variation ')", "a move on the board is clicked")
    browser.click("#graph", 0.5)
    expect(browser.run(where), "Move 13: Black F7", "a click on the graph")
    shares = "document.querySelectorAll('.p-share').length"
    expect(browser.run(shares), 0, "no ownership at first")
    browser.click("#ownership")
    assert browser.run(shares) > 0, "ownership"
    browser.key("ArrowRight")
    expect(browser.run(where), "Move 14: White D8", "keys with a switch in focus")


def verdict(browser, page):
    browser.open(page)
    marks = "document.querySelectorAll('#p-drawn > [href=\"#p-seki\"]').length"
    before = browser.run(marks)
    assert before > 0, "stones in seki have a diamond"
    line = "document.getElementById('line').textContent"
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


def fits(browser):
    wider = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    expect(browser.run(wider), False, "nothing is wider than the window")
    board = "(b => b.width > 200 && b.right <= innerWidth)(board.getBoundingClientRect())"
    expect(browser.run(board), True, "the board is seen")


def main():
    ponnuki = str(Path(sys.argv[1]).resolve())
    chromium = sys.argv[2] if len(sys.argv) > 2 else "chromium"
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "game.sgf").write_text(RECORD)
        (folder / "diagram.sgf").write_text(DIAGRAM)
        analyze = ["analyze", "game.sgf", "--visits", "60", "--threads", "1"]
        score = ["score", "diagram.sgf"]
        for arguments in (analyze, score):
            command = [ponnuki, *arguments, "--html", arguments[0] + ".html"]
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        browser = Browser(chromium)
        try:
            for width, height, dark in ((1400, 900, False), (390, 844, True)):
                browser.window(width, height, dark)
                review(browser, folder / "analyze.html")
                fits(browser)
                verdict(browser, folder / "score.html")
                fits(browser)
            assert not browser.complaints(), browser.complaints()
        finally:
            browser.close()
    print("both pages work on a wide and on a narrow window")


if __name__ == "__main__":
    main()
