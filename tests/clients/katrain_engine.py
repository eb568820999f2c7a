"""KaTrain's own game, engine driver and players, without its window, on Ponnuki.

python katrain_engine.py PONNUKI NETWORK: a game is reviewed, its players move at several
strengths, a position is pondered and hints are asked for. Fails if KaTrain logs an error
or misses an answer. Needs the package `katrain`.
"""

import os
import sys
import tempfile
import time
import traceback

os.environ["KIVY_NO_ARGS"] = "1"
os.environ["KIVY_NO_CONSOLELOG"] = "1"
os.environ.setdefault("KIVY_HOME", tempfile.mkdtemp(prefix="kivy-"))

from katrain.core.ai import generate_ai_move, game_report  # noqa: E402
from katrain.core.base_katrain import KaTrainBase  # noqa: E402
from katrain.core.constants import (  # noqa: E402
    AI_STRATEGIES_ENGINE,
    AI_STRATEGIES_POLICY,
    OUTPUT_ERROR,
    OUTPUT_KATAGO_STDERR,
)
from katrain.core.engine import KataGoEngine  # noqa: E402
from katrain.core.game import Game, KaTrainSGF  # noqa: E402

SECONDS = 120

RECORD = (
    "(;GM[1]FF[4]SZ[9]KM[6.5]RU[Japanese];B[ee];W[ge];B[gd];W[gf];B[gc];W[ec];B[eb];W[dc]"
    ";B[fc];W[db];B[dd];W[cd];B[de];W[ce];B[eg];W[fg];B[fh];W[gh];B[hg];W[hh];B[ff];W[])"
)


class KaTrain(KaTrainBase):
    """KaTrain without its window; keeps its log."""

    def __init__(self):
        self.errors = []
        self.said = []
        super().__init__(force_package_config=True, debug_level=0)
        self.pondering = False
        self.controls = self

    def log(self, message, level=0):
        """Log a message of any part."""
        if level == OUTPUT_ERROR:
            self.errors.append(str(message))
        elif level == OUTPUT_KATAGO_STDERR:
            self.said.append(str(message))

    def __call__(self, message, *args):
        """Ignore a message to the window."""
        if "popup" in message:
            self.errors.append(f"{message} {args}")

    def set_status(self, *_, **__):
        """Ignore a line for the window."""

    def update_state(self, *_, **__):
        """Ignore a redraw of the window."""


def until(what, condition):
    """Wait for a condition."""
    end = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"waited in vain: {what}")
        time.sleep(0.02)


def main():
    ponnuki, network = (os.path.abspath(path) for path in sys.argv[1:3])
    katrain = KaTrain()
    settings = dict(katrain.config("engine"))
    settings |= {"katago": ponnuki, "model": network, "max_visits": 40, "fast_visits": 10}
    settings |= {"backend": "local", "humanlike_model": "", "max_time": 8.0}
    engine = KataGoEngine(katrain, settings)
    katrain.engine = engine

    # A review: every position of a record, fast and then thoroughly.
    game = Game(katrain, engine, move_tree=KaTrainSGF.parse_sgf(RECORD), analyze_fast=True)
    katrain.game = game
    nodes = list(game.root.nodes_in_tree)
    until("the review", lambda: all(n.analysis_complete for n in nodes) and engine.is_idle())
    for node in nodes:
        visits = node.analysis["root"]["visits"]
        assert visits >= 10, visits
        assert len(node.analysis["ownership"]) == 81 and len(node.analysis["policy"]) == 82
        assert 0.0 <= node.analysis["root"]["winrate"] <= 1.0
    summary = game_report(game, thresholds=katrain.config("trainer/eval_thresholds"))
    print("review:", len(nodes), "positions,", str(summary[0])[:150])

    # Hints: more moves, every move at once, an alternative, a local one.
    game.set_current_node(nodes[8])
    for mode in ("extra", "equalize", "sweep", "alternative"):
        game.analyze_extra(mode)
        until(mode, engine.is_idle)
    assert len(nodes[8].candidate_moves) > 5

    # Pondering continues until it is stopped.
    katrain.pondering = True
    game.analyze_extra("ponder")
    before = nodes[8].analysis["root"]["visits"]
    until("pondering", lambda: nodes[8].analysis["root"]["visits"] > before + 200)
    katrain.pondering = False
    engine.stop_pondering()
    until("the end of pondering", engine.is_idle)

    # Every player moves: by search and by the network's policy alone.
    for strategy in AI_STRATEGIES_ENGINE + AI_STRATEGIES_POLICY:
        own = katrain.config(f"ai/{strategy}") or {}
        # If the player has strengths: the weakest and the strongest.
        for rank in (15, 1) if "kyu_rank" in own else (None,):
            chosen = own if rank is None else own | {"kyu_rank": rank}
            game.set_current_node(nodes[6])
            move, _ = generate_ai_move(game, strategy, chosen)
            assert move is not None, strategy
            until(strategy, engine.is_idle)
            print(strategy, rank or "", move.gtp())

    # A new game cancels the queries of the old one.
    game.analyze_all_nodes(analyze_fast=False)
    engine.on_new_game()
    fresh = Game(katrain, engine)
    until("a new game", lambda: fresh.root.analysis_complete)
    engine.shutdown(finish=True)
    bad = [line for line in katrain.said if "error" in line.lower() or "panic" in line.lower()]
    if katrain.errors or bad:
        raise SystemExit("\n".join(katrain.errors + bad))
    print("no error; on standard error:", katrain.said)


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        # Kivy captures standard error.
        traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
        os._exit(1)
