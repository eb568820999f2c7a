"""The programs of the recipe, run as a user runs them."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from conftest import random_records

import export
import polish
import teach as teach_program
import train as train_program
from ponnuki_training import batches, convert, inference, katago, shards, symmetry
from ponnuki_training.student import Student

HERE = Path(__file__).parents[1]
TRAINED = sorted((HERE / "networks").glob("*.bin.gz"))
BINARY = Path(os.environ.get("PONNUKI", HERE.parent / "target/release/ponnuki"))


def run(*arguments, fails=False):
    """Run a program of this folder and return its standard output."""
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
    assert (done.returncode != 0) == fails, done.stderr
    return done.stderr if fails else done.stdout


def training(folder, out, samples, *more):
    """Options that train a tiny student, always with the same schedule."""
    return (
        folder, "--out", out, "--shape", "b3c16", "--samples", 20000, "--until", samples,
        "--points", 32 * 81, "--no-bf16", "--warmup", 5, "--evaluate", 10, *more,
    )  # fmt: skip


def train(folder, out, samples, *more):
    """Train it for this number of samples."""
    run("train.py", *training(folder, out, samples, *more))
    return torch.load(out / "checkpoint.pt")


def test_training_goes_on_exactly(folder, tmp_path):
    whole = train(folder, tmp_path / "whole", 4000)
    train(folder, tmp_path / "parts", 2000)
    with (tmp_path / "parts/log.jsonl").open("a") as log:
        # It was killed a while after the checkpoint, as it wrote.
        log.write('{"step": 70, "samples": 2240, "held_out": {}}\n{"step": 80, "sam')
    parts = train(folder, tmp_path / "parts", 4000)
    assert whole["step"] == parts["step"] > 8
    for name, p in whole["average"].items():
        assert torch.equal(p, parts["average"][name]), name
    for name in ("whole", "parts"):
        log = [json.loads(line) for line in (tmp_path / name / "log.jsonl").open()]
        assert log[-1]["samples"] == whole["samples"]
        samples = [line["samples"] for line in log]
        assert samples == sorted(samples)


def test_a_schedule_may_end_after_a_time(folder, tmp_path):
    state = train(folder, tmp_path / "run", 20000, "--minutes", 0.02)
    assert 0 < state["samples"] < 20000
    assert 1.2 <= state["seconds"] < 60.0
    # It has ended: nothing is added when it is asked for again.
    said = run("train.py", *training(folder, tmp_path / "run", 20000, "--minutes", 0.02))
    assert "the schedule has ended: nothing left to do" in said
    again = torch.load(tmp_path / "run/checkpoint.pt")
    assert again["samples"] == state["samples"]


def test_a_checkpoint_of_a_gpu_goes_on_on_a_processor(folder, tmp_path):
    state = train(folder, tmp_path / "run", 300)
    for group in state["adam"]["param_groups"]:
        group["capturable"] = True
    torch.save(state, tmp_path / "run/checkpoint.pt")
    again = train(folder, tmp_path / "run", 600)
    assert again["samples"] >= 600 > state["samples"]


def test_weights_that_are_spoilt_are_not_kept(folder, tmp_path, rng):
    state = train(folder, tmp_path / "run", 300)
    records = random_records(rng, 9, 9, 40)
    records["globals"][:, 0] = np.nan
    shards.write_shard(folder / "000000.shard", "random", (0, 64), [(9, 9, records)])
    command = training(folder, tmp_path / "run", 2000, "--evaluate", 0)
    said = run("train.py", *command, fails=True)
    assert "not finite" in said
    kept = torch.load(tmp_path / "run/checkpoint.pt")
    assert kept["samples"] == state["samples"]
    assert all(torch.isfinite(p).all() for p in kept["student"].values())


def test_an_error_leaves_what_has_been_learned(folder, tmp_path, rng):
    shards.write_shard(
        folder / "000049.shard", "random", (0, 64), [(7, 5, random_records(rng, 7, 5, 100))]
    )
    code = "import train; train.Trainer.differences = lambda *_: 1 / 0; train.main()"
    command = training(folder, tmp_path / "run", 2000, "--evaluate", 3)
    assert "ZeroDivisionError" in run("-c", code, *command, fails=True)
    kept = torch.load(tmp_path / "run/checkpoint.pt")
    assert kept["step"] == 3
    # It evaluated the average; that is not what goes on.
    average = kept["average"]
    assert not all(torch.equal(p, average[n]) for n, p in kept["student"].items())


def refused(program, capsys, monkeypatch, *arguments):
    """The last line that a program prints."""
    monkeypatch.setattr(sys, "argv", ["", *map(str, arguments)])
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        program.main()
    assert end.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def test_what_cannot_be_used_is_said_in_a_line(folder, tmp_path, capsys, monkeypatch):
    def said(*more, program=train_program):
        return refused(program, capsys, monkeypatch, *more)

    out = tmp_path / "run"
    command = training(folder, out, 100)
    assert "b10 is not an architecture" in said(*command, "--shape", "b10")
    sizes = ("--sizes", "9x9=0.5", "13x13=0.3", "19x19=0.2")
    assert "no position of 13x13, 19x19 to train on" in said(*command, *sizes)
    none = tmp_path / "none"
    assert str(none) in said(*command, "--init-from", none)
    checkpoint = out / "checkpoint.pt"
    torch.save({"shape": "b3c16", "average": torch.zeros(1000)}, checkpoint)
    assert str(none) in said(*command, "--init-from", none)
    assert f"{checkpoint} is a b3c16, not a b2c16" in said(*command, "--shape", "b2c16")
    whole = checkpoint.read_bytes()
    for length in (0, 100, len(whole) // 2):
        checkpoint.write_bytes(whole[:length])
        assert f"{checkpoint}: not a checkpoint" in said(*command)
        assert f"{checkpoint}: not a checkpoint" in said(checkpoint, none, program=export)
    assert "No such file" in said(tmp_path / "none.pt", none, program=export)
    wrong = (none, none, "--shards", folder, "--no-bf16", "--shape", "x")
    assert "x is not an architecture" in said(*wrong, program=polish)


def test_numbers_out_of_range_are_refused(folder, tmp_path, capsys, monkeypatch):
    def said(program, *arguments):
        monkeypatch.setattr(sys, "argv", ["", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            program.main()
        assert end.value.code == 2
        return capsys.readouterr().err.splitlines()[-1]

    out = tmp_path / "run"
    for option, value, why in (
        ("--samples", "0", "expected a number of at least 1"),
        ("--samples", "x", "expected a number of at least 1"),
        ("--points", "0.5", "expected a number of at least 1"),
        ("--points", "1.5", "expected a whole number"),
        ("--decided", "7", "expected a number from 0 to 1"),
        ("--sizes", "9x9=0", "a share must be more than 0"),
    ):
        assert f"{value}: {why}" in said(train_program, *training(folder, out, 100), option, value)
    assert not out.exists()
    assert "99: expected a number from 1 to 23" in said(export, "a", "b", "--bits", "99")
    assert f"no folder {out}" in said(teach_program, "--net", "x", out, out)


def test_a_broken_shard_is_named_in_a_line(tmp_path):
    probes = (HERE / "probes/000049.shard").read_bytes()
    (tmp_path / "000049.shard").write_bytes(probes[:5000])
    network, out = TRAINED[0], tmp_path / "out"
    for command in (
        ("evaluate.py", network, "--shards", tmp_path),
        ("hard.py", network, "--shards", tmp_path, "--out", out),
        ("teach.py", "--net", network, "--no-compile", tmp_path, out),
    ):
        said = run(*command, fails=True)
        assert said.endswith("000049.shard: shorter than its header says\n"), said
        assert "Traceback" not in said


def test_a_signal_and_a_file_end_with_a_status_that_stops_scripts(folder, tmp_path):
    network, labelled = tmp_path / "n.bin.gz", tmp_path / "labelled"
    katago.write_network(convert.network_of(Student("b3c16"), "n"), network)
    options = ("--net", network, "--replace", "--precision", "f32", "--no-compile", "--quiet")
    teach = ("teach.py", folder, labelled, *options)
    begun = {
        ("train.py", *training(folder, tmp_path / "run", 20000)): tmp_path / "run/log.jsonl",
        (*teach, "--follow"): labelled / "000049.shard",
    }
    for command, file in begun.items():
        with subprocess.Popen([sys.executable, *map(str, command)], cwd=HERE) as process:
            for _ in range(2000):
                if process.poll() is not None or file.exists() and file.stat().st_size:
                    break
                time.sleep(0.05)
            process.send_signal(signal.SIGTERM)
        assert process.returncode == 128 + signal.SIGTERM, command
    assert 0 < torch.load(tmp_path / "run/checkpoint.pt")["samples"] < 20000
    (labelled / "STOP").touch()
    assert "stopped by" in run(*teach, fails=True)


def test_more_shards_are_held_open_than_a_process_may_at_first(tmp_path, rng):
    resource = pytest.importorskip("resource")
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 256:
        pytest.skip("the system allows no more files")
    for number in range(100):
        sections = [(w, h, random_records(rng, w, h, 2)) for w, h in ((9, 9), (7, 5))]
        shards.write_shard(tmp_path / f"{number:06}.shard", "t", (0, 64), sections)
    network = tmp_path / "n.bin.gz"
    katago.write_network(convert.network_of(Student("b3c16"), "n"), network)
    commands = [
        ("train.py", *training(tmp_path, tmp_path / "run", 1)),
        ("evaluate.py", network, "--shards", tmp_path, "--all"),
    ]
    code = """if True:
        import resource, runpy, sys
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (80, hard))
        del sys.argv[0]
        runpy.run_path(sys.argv[0], run_name="__main__")"""
    for command in commands:
        run("-c", code, *command)


def test_a_log_that_was_cut_off_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    line = {"step": 1, "samples": 8, "held_out": {"9x9": {"kl": 0.5}}}
    (tmp_path / "log.jsonl").write_text(json.dumps(line) + '\n{"step": 2, "sam')
    run("plot.py", tmp_path, tmp_path / "run.png")
    assert (tmp_path / "run.png").exists()


def table_of(text, size):
    """The values of evaluate.py by name of the network, then of the column."""
    header, *lines = (line.split() for line in text.splitlines())
    names = header[3:]
    return {
        line[0]: dict(zip(names, map(float, line[-len(names) :]), strict=True))
        for line in lines
        if line[1] == size
    }


def test_a_student_learns_its_labels(folder, tmp_path):
    first = train(folder, tmp_path / "one", 300)
    last = train(folder, tmp_path / "two", 16000)
    names = []
    for state, name in ((first, "first"), (last, "last")):
        student = Student(state["shape"])
        student.load_state_dict(state["average"])
        katago.write_network(convert.network_of(student, name), tmp_path / f"{name}.bin.gz")
        names.append(tmp_path / f"{name}.bin.gz")
    said = run("evaluate.py", *names, "--shards", folder, "--all", "--least", 1)
    table = table_of(said, "9x9")
    for column, less in (("kl", 0.1), ("win", 0.1), ("ownership", 0.1)):
        assert table["last"][column] < table["first"][column] - less, said


def test_an_exported_network_is_begun_with(folder, tmp_path):
    train(folder, tmp_path / "one", 2000)
    exported = tmp_path / "one.bin.gz"
    said = run("export.py", tmp_path / "one/checkpoint.pt", exported)
    assert "ponnuki-b3c16-s" in said
    from_it = training(folder, tmp_path / "two", 1, "--init-from", exported)
    assert "going on" not in run("train.py", *from_it)
    again = torch.load(tmp_path / "two/checkpoint.pt")
    network = katago.read_network(exported)
    weights = torch.from_numpy(network.trunk.planes.weights.transpose(3, 2, 0, 1))
    assert (again["average"]["planes.weight"] - weights).abs().max() < 0.02
    said = run("train.py", *from_it)
    assert f"after {again['samples']} samples; --init-from is not used" in said
    assert "--until is reached: nothing left to do" in said


def test_checkpoints_and_networks_are_averaged(folder, tmp_path):
    checkpoint = tmp_path / "one/checkpoint.pt"
    train(folder, tmp_path / "one", 300)
    one, two, three, mean = (tmp_path / f"{n}.bin.gz" for n in ("one", "two", "three", "mean"))
    run("export.py", checkpoint, one, "--bits", 23)
    train(folder, tmp_path / "two", 300, "--init-from", one)
    run("export.py", tmp_path / "two/checkpoint.pt", two, "--bits", 23)
    said = run("export.py", f"{checkpoint}=0.25", f"{two}=0.75", mean, "--name", "m", "--bits", 23)
    assert ": m, " in said
    a, b, found = (katago.read_network(p).value.result.weights for p in (one, two, mean))
    assert not np.allclose(a, b, atol=1e-5)
    assert np.allclose(found, 0.25 * a + 0.75 * b, atol=1e-6)
    train(folder, tmp_path / "three", 300, "--shape", "b2c16")
    run("export.py", tmp_path / "three/checkpoint.pt", three)
    said = run("export.py", one, three, tmp_path / "none.bin.gz", fails=True)
    assert "one.bin.gz" in said
    assert "have no mean" in said
    assert "more than 0" in run("export.py", f"{one}=0", tmp_path / "none.bin.gz", fails=True)
    assert not (tmp_path / "none.bin.gz").exists()


def test_heads_are_polished_and_the_trunk_is_left(folder, tmp_path):
    before, after = tmp_path / "before.bin.gz", tmp_path / "after.bin.gz"
    train(folder, tmp_path / "one", 100)
    run("export.py", tmp_path / "one/checkpoint.pt", before, "--bits", 23)
    polish = ("polish.py", before, after, "--shards", folder, "--no-bf16", "--points", 16 * 81)
    more = ("--shape", "b3c16", "--epochs", 20, "--lr", 5e-3, "--name", "polished", "--bits", 23)
    said = run(*polish, *more)
    assert "epoch 20: policy " in said
    assert ": polished, " in said
    one, two = katago.read_network(before), katago.read_network(after)
    assert np.allclose(one.trunk.planes.weights, two.trunk.planes.weights, atol=1e-6)
    for a, b in zip(one.trunk.blocks, two.trunk.blocks, strict=True):
        assert np.allclose(a.conv2.weights, b.conv2.weights, atol=1e-6)
    assert not np.allclose(one.policy.conv2.weights, two.policy.conv2.weights, atol=1e-4)
    assert not np.allclose(one.value.result.weights, two.value.result.weights, atol=1e-4)
    losses = [float(loss) for loss in re.findall(r"policy ([\d.]+)", said)]
    assert losses[-1] < losses[0] - 0.1, said
    assert "before.bin.gz" in run(*polish, "--shape", "b2c16", fails=True)
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no labelled shard" in run(
        "polish.py", before, after, "--shards", empty, "--shape", "b3c16", fails=True
    )


def place(record, diagram, owners):
    """Put a diagram's upper rows into a record, X for the player to move. The teacher is sure of
    the owners of stones in capitals."""
    for p, sign in enumerate(diagram.split()):
        record["planes"][p, 0] |= {"X": 2, "O": 4}.get(sign.upper(), 0)
        record["ownership"][p] = owners.get(sign, 0)


def test_hard_positions_are_those_in_which_a_chain_is_misjudged(tmp_path, rng):
    torch.manual_seed(3)
    network = tmp_path / "n.bin.gz"
    katago.write_network(convert.network_of(Student("b3c16"), "n"), network)
    # The network has no opinion; the teacher is sure of the chains of four records.
    records = random_records(rng, 9, 9, 900)
    records["planes"] = 1
    records["ownership"] = 0
    dragon, ladder = slice(18, 27), slice(40, 42)
    records["planes"][7, dragon, 0] |= 1 << 1
    records["ownership"][7, dragon] = 127
    records["planes"][300, ladder, 0] |= 1 << 2
    records["planes"][300, ladder, 1] |= 1 << 14 - 8
    records["ownership"][300, ladder] = 127
    seki = """
        o X . O x . . . .
        o X . O x . . . .
        o X O O x . . . .
        o o x x x x x x x
        . o o o o o o o o"""
    place(records[500], seki, {"X": 127, "O": -127})
    # The O around three X in the corner are dead.
    bent_four = """
        x x x . O x . . .
        . O O O O x . . .
        O O x x x x . . .
        x x x . . . . . ."""
    place(records[700], bent_four, {"O": 127})
    shards.write_shard(tmp_path / "000049.shard", "sure", (0, 64), [(9, 9, records)])
    out = tmp_path / "hard"
    said = run("hard.py", network, "--shards", tmp_path, "--out", out)
    picked = (("dragons", 7), ("ladders", 300), ("sekis", 500), ("bent_fours", 700))
    for kind, at in picked:
        assert f"{kind} 9x9: 1 of 1" in said
        shard = shards.open_shard(out / kind / "000049.shard")
        assert shard.teacher == "sure"
        assert (shard.sections[0].records == records[at : at + 1]).all()
        table = run("evaluate.py", network, "--least", 1, "--shards", out / kind)
        assert "9x9" in table


def as_seen(records, size):
    """Records in the symmetries in which their teacher saw them."""
    turned = np.array(records)
    for record in turned:
        source = symmetry.sources(*size)[record["symmetry"]]
        for field in ("planes", "policy", "ownership"):
            record[field][: len(source)] = record[field][source]
    return turned


def test_a_teacher_knows_its_own_labels(folder, tmp_path, rng):
    torch.manual_seed(3)
    teacher = tmp_path / "teacher.bin.gz"
    katago.write_network(convert.network_of(Student("b3c16"), "teacher"), teacher)
    unlabelled, labelled = tmp_path / "unlabelled", tmp_path / "labelled"
    unlabelled.mkdir()
    sections = [(w, h, random_records(rng, w, h, 30, False)) for w, h in ((9, 9), (7, 5))]
    shards.write_shard(unlabelled / "000049.shard", None, (0, 64), sections)
    options = ("--quiet", "--precision", "f32", "--no-compile", "--device", "cpu")
    run("teach.py", unlabelled, labelled, "--net", teacher, *options)
    shard = shards.open_shard(labelled / "000049.shard")
    assert shard.teacher == "teacher"
    for section, (_, _, before) in zip(shard.sections, sections, strict=True):
        policy = section.records["policy"].astype(np.float32)
        assert ((policy < 0) == (before["policy"] < 0)).all()
        assert np.abs(policy.clip(0).sum(1) - 1).max() < 0.01
    # It says the same of the boards as it has seen them.
    seen = tmp_path / "seen"
    seen.mkdir()
    turned = [(s.width, s.height, as_seen(s.records, s.size)) for s in shard.sections]
    shards.write_shard(seen / "000049.shard", "teacher", (0, 64), turned)
    table = run("evaluate.py", teacher, "--shards", seen, "--least", 1)
    for size in ("9x9", "7x5"):
        own = table_of(table, size)["teacher"]
        assert max(own[column] for column in ("kl", "win", "ownership", "lead")) < 0.01, table
    nothing = run("evaluate.py", teacher, "--shards", unlabelled, fails=True)
    assert "no held-out shard with labels" in nothing
    # What another has labelled is left alone, unless it is to be replaced.
    other, again = tmp_path / "other", tmp_path / "again"
    other.mkdir()
    shards.write_shard(other / "000049.shard", "another", (0, 64), sections)
    run("teach.py", other, again, "--net", teacher, *options)
    assert not list(again.glob("*.shard"))
    kept = run("teach.py", unlabelled, other, "--net", teacher, *options, fails=True)
    assert "has labels by another, not by teacher" in kept
    run("teach.py", other, again, "--net", teacher, "--replace", *options)
    replaced = shards.open_shard(again / "000049.shard")
    assert replaced.teacher == "teacher"
    for section, first in zip(replaced.sections, shard.sections, strict=True):
        assert (section.records == first.records).all()


def random_network(path, shape):
    """A network file of a shape, with random weights."""
    torch.manual_seed(4)
    student = Student(shape)
    with torch.no_grad():
        for name, p in student.named_parameters():
            if "norm" in name:
                p.add_(torch.randn_like(p) * 0.2)
    katago.write_network(convert.rounded(convert.network_of(student, path.stem), 8), path)
    return path


def ponnuki(*arguments):
    """Run the binary."""
    subprocess.run([str(BINARY), *map(str, arguments)], check=True, capture_output=True)


needs_binary = pytest.mark.skipif(
    not BINARY.exists(), reason="the binary is not built: cargo build --release"
)


@needs_binary
@pytest.mark.parametrize("net", ["b4c32", "b4c48nbt32", *TRAINED], ids=lambda n: Path(n).stem)
def test_the_binary_says_what_torch_says(tmp_path, net):
    """Games of every size, labelled by the binary and by torch with the same network: random
    networks and trained ones."""
    if isinstance(net, str):
        net = random_network(tmp_path / "net.bin.gz", net)
    bounds = [("policy", 5e-4, 1e-4), ("result", 5e-4, 1e-4), ("score", 2e-3, 1e-4)]
    if katago.open_network(net).trunk.planes.weights.shape[3] >= 128:
        # The sums of a large network differ more by the order in which they are rounded.
        bounds = [("policy", 5e-4, 1e-4), ("result", 1e-3, 1e-4), ("score", 2e-2, 2e-3)]
    games = tmp_path / "x.games"
    one = ("--threads", 1)
    ponnuki("selfplay", "--net", net, "--out", games, "--games", 12, "--seed", 7, *one)
    common = ("--games", games, "--chunk", 6, "--keep", "0.1", *one)
    ponnuki("label", *common, "--out", tmp_path / "features")
    exact = ("--net", net, "--single-precision")
    ponnuki("label", *common, "--out", tmp_path / "binary", *exact)
    options = ("--quiet", "--precision", "f32", "--no-compile", "--device", "cpu")
    run("teach.py", tmp_path / "features", tmp_path / "torch", "--net", net, *options)
    compared = 0
    for path in shards.paths(tmp_path / "torch"):
        ours = shards.open_shard(tmp_path / "binary" / path.name)
        for a, b in zip(shards.open_shard(path).sections, ours.sections, strict=True):
            assert a.size == b.size
            compared += len(a.records)
            # Shares have 11 bits: they may fall on either side of a step, rarely.
            for field, most, mean in bounds:
                x, y = (r.records[field].astype(np.float32) for r in (a, b))
                assert np.abs(x - y).max() < most, (field, a.size)
                assert np.abs(x - y).mean() < mean, (field, a.size)
            x, y = (r.records["ownership"].astype(int) for r in (a, b))
            assert np.abs(x - y).max() <= 1
    assert compared > 100


@needs_binary
def test_a_server_labels_the_positions_of_games(tmp_path):
    """A student plays through the server, and the positions of its searches get the teacher's
    labels."""
    teacher = random_network(tmp_path / "teacher.bin.gz", "b4c32")
    player = random_network(tmp_path / "player.bin.gz", "b2c32")
    labelled = tmp_path / "labelled"
    command = [
        sys.executable, "serve.py", "--teacher", teacher, "--player", player, "--out", labelled,
        "--chunk", "200", "--first", "48", "--port", "5873", "--device", "cpu", "--no-compile",
        "--precision", "f32", "--sizes", "7x7",
    ]  # fmt: skip
    server = subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout.readline() == "ready on port 5873\n"
        play = ("--size", 7, "--visits", 4, "--games", 6, "--at-once", 6, "--seed", 2)
        served = ("--server", "127.0.0.1:5873")
        ponnuki("selfplay", "--net", player, *play, *served, "--out", tmp_path / "a.games")
        with pytest.raises(subprocess.CalledProcessError) as other:
            ponnuki("selfplay", "--net", TRAINED[0], *play, *served, "--out", tmp_path / "c.games")
        assert b"does not have the network" in other.value.stderr
    finally:
        server.terminate()
        said = server.communicate()[0]
    assert server.returncode == 0
    assert re.search(r"^player\.bin 7x7: \d+, \d+ a second$", said, re.M), said
    found = shards.paths(labelled)
    # None is held out: games go through all of them.
    assert [shards.number(p) for p in found[:3]] == [48, 50, 51]
    network = katago.open_network(teacher)
    module = inference.Inference(network).eval()
    late = 0
    for path in found:
        shard = shards.open_shard(path)
        assert shard.teacher == "teacher.bin"
        (section,) = shard.sections
        assert section.size == (7, 7)
        batch = batches.tensors(section.records, section.size)
        stones = batch["planes"][:, 1:3].flatten(2).any(1)
        assert not (stones & (batch["policy"][:, :-1] >= 0)).any()
        said = inference.evaluation(
            module(batch["planes"], batch["globals"]),
            batch["policy"] >= 0,
            batches.may_end_without_result(batch["globals"]),
            network,
        )
        for name, most in (
            ("policy", 1e-3),
            ("result", 1e-3),
            ("score", 1e-3),
            ("ownership", 0.01),
        ):
            assert (said[name] - batch[name]).abs().max() < most, name
        late += (section.records["kind"] == shards.LATE).sum()
    assert late > 0
