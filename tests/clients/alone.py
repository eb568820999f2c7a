"""The page that contains the program (`.ci/browser-page`), opened as a file in Chromium.

python alone.py PAGE [CHROMIUM]: a game is played, a record is reviewed and another is scored. Fails if
the page asks a server, if the browser complains of anything, or if it shows something else than
expected.
"""

import sys
import tempfile
import time
from pathlib import Path

from pages import DIAGRAM, RECORD, expect
from serve import Live, text


class Alone(Live):
    """A browser that looks at the frame of the page, once that is open. The frame and the worker have
    sessions of their own."""

    def __init__(self, program):
        super().__init__(program)
        self.page = self.session
        self.seen = 0
        self.send("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True)

    def look(self):
        """Watch new frames and workers. Returns the session of the page in the frame."""
        found = None
        for n, event in enumerate(list(self.events)):
            method, params = event.get("method"), event.get("params", {})
            if method == "Target.attachedToTarget":
                if params["targetInfo"]["type"] == "iframe":
                    found = params["sessionId"]
                if n >= self.seen:
                    self.session = params["sessionId"]
                    for domain in ("Runtime", "Log", "Network"):
                        self.send(domain + ".enable")
            elif method == "Target.detachedFromTarget" and params["sessionId"] == found:
                found = None
            self.seen = max(self.seen, n + 1)
        self.session = self.page
        return found

    def inside(self, method, **params):
        """Send to the page in the frame."""
        self.session = self.look()
        try:
            return self.send(method, **params)
        finally:
            self.session = self.page

    def run(self, script):
        if self.look() is None:
            return super().run(script)
        evaluate = {"expression": script, "returnByValue": True, "awaitPromise": True}
        try:
            answer = self.inside("Runtime.evaluate", **evaluate)
        except AssertionError as e:
            # Another page comes.
            if "navigated or closed" not in str(e):
                raise
            return None
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def click(self, selector):
        """Click an element by script: the mouse is lost on what is not drawn yet."""
        self.run(f"document.querySelector({selector!r}).click()")

    def heading(self, wanted):
        """Wait for a page with this heading."""
        heads = "Array.from(document.querySelectorAll('h1, h2'), h => h.textContent)"
        self.wait(f"document.readyState === 'complete' && {heads}.includes({wanted!r})", wanted)


def game(browser):
    for name, value in (("size", "9"), ("level", "off"), ("rules", "japanese")):
        browser.run(f"byId('play').elements.{name}.value = '{value}'")
    browser.click("#play button.main")
    browser.heading("You are Black")
    browser.own_turn(0)
    while not browser.run("state.turns"):
        browser.press("E5")
        time.sleep(0.2)
    browser.wait("busy && enginesTurn() && !byId('now').disabled", "the program thinks")
    browser.click("#now")
    browser.own_turn(2)
    assert browser.run(text("says")).startswith("Ponnuki plays "), browser.run(text("says"))
    browser.focus("#board")
    for key in ("ArrowUp", "ArrowUp", "ArrowLeft", "Enter"):
        browser.key(key)
    browser.own_turn(4)
    browser.key("c")
    browser.wait(text("text") + ".startsWith('Dead stones')", "a count")
    browser.click(".links a:last-child")
    browser.heading("Look at a record")
    assert "4 moves" in browser.run("document.querySelector('.list').textContent"), "the game is listed"


def send(browser, file, task):
    field = browser.inside("Runtime.evaluate", expression="byId('file')")["result"]["objectId"]
    browser.inside("DOM.setFileInputFiles", objectId=field, files=[str(file)])
    browser.click(f"input[value={task}]")
    browser.run("byId('record').elements.visits.value = '10'")
    browser.click("#record button.main")


def records(browser, file):
    file.write_text(RECORD)
    send(browser, file, "review")
    browser.wait("/^[1-9]\\d* of 27 positions/.test(byId('state')?.textContent)", "it says how far it is")
    browser.heading("Costliest moves")
    browser.click("#costliest a")
    browser.wait("location.hash.startsWith('#move=')", "a link within the page")
    browser.click("nav a")
    browser.heading("Look at a record")
    file.write_text(DIAGRAM)
    send(browser, file, "score")
    browser.heading("Chains in question")


def main():
    browser = Alone(sys.argv[2] if len(sys.argv) > 2 else "chromium")
    try:
        browser.window(1280, 720)
        browser.open(sys.argv[1])
        browser.wait("document.getElementById('says')?.hidden ?? true", "the program starts")
        browser.heading("Look at a record")
        game(browser)
        with tempfile.TemporaryDirectory() as folder:
            records(browser, Path(folder) / "game.sgf")
        outside = [c for c in browser.complaints() if not str(c).startswith("blob:")]
        assert not outside, outside
    finally:
        browser.close()
    print("the page that contains the program plays, reviews and scores")


if __name__ == "__main__":
    main()
