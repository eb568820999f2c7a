"""Shards, symmetries and network files."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from conftest import random_records

from ponnuki_training import batches, convert, inference, katago, logs, losses, shards, symmetry
from ponnuki_training.muon import Muon
from ponnuki_training.student import Norm, Shape, Student
from teach import Teacher

CAN_COMPILE = hasattr(torch, "compile") and shutil.which("g++") is not None
SIZES = [(2, 2), (7, 11), (9, 9), (19, 19)]


def student(shape, seed=1):
    """A student whose norms have other than their initial values."""
    torch.manual_seed(seed)
    made = Student(shape).eval()
    with torch.no_grad():
        for name, p in made.named_parameters():
            if "norm" in name or "tip" in name:
                p.add_(torch.randn_like(p) * 0.2)
    return made


def inputs(rng, width, height, count=3):
    """Planes and globals."""
    planes = rng.random((count, 22, height, width)) < 0.2
    return torch.from_numpy(planes).float(), torch.from_numpy(rng.normal(size=(count, 19))).float()


def test_shards_round_trip(tmp_path, rng):
    sections = [(w, h, random_records(rng, w, h, 5)) for w, h in SIZES]
    path = tmp_path / "000007.shard"
    shards.write_shard(path, "teacher", (448, 512), sections)
    shard = shards.open_shard(path)
    assert (shard.teacher, shard.games, shard.count) == ("teacher", (448, 512), 20)
    for section, (w, h, records) in zip(shard.sections, sections, strict=True):
        assert section.size == (w, h)
        assert section.records.tobytes() == records.tobytes()


def test_broken_shards_are_refused(tmp_path, rng):
    path = tmp_path / "000000.shard"
    shards.write_shard(path, None, (0, 1), [(9, 9, random_records(rng, 9, 9, 5))])
    whole = path.read_bytes()
    for bytes_, what in [
        (b"GIF89a", "not a shard"),
        (whole[:-1], "shorter than its header says"),
        (whole.replace(b'"format": 1', b'"format": 2'), "another format"),
        (whole.replace(b'"record": 596', b'"record": 597'), "records of 597 bytes"),
    ]:
        path.write_bytes(bytes_)
        with pytest.raises(shards.ShardError, match=what):
            shards.open_shard(path)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="files are counted in /proc")
def test_a_shard_holds_one_file_open(tmp_path, rng):
    path = tmp_path / "000000.shard"
    shards.write_shard(path, "t", (0, 1), [(w, h, random_records(rng, w, h, 5)) for w, h in SIZES])
    before = len(os.listdir("/proc/self/fd"))
    kept = [shards.open_shard(path) for _ in range(10)]
    assert len(os.listdir("/proc/self/fd")) - before <= len(kept)


def test_a_shard_that_cannot_be_read_yet_is_tried_again(tmp_path, rng, capsys):
    for number in (0, 1):
        sections = [(9, 9, random_records(rng, 9, 9, 5))]
        shards.write_shard(tmp_path / f"{number:06}.shard", "t", (0, 1), sections)
    late = tmp_path / "000001.shard"
    whole = late.read_bytes()
    late.write_bytes(whole[:-1])
    with pytest.raises(SystemExit) as end:
        batches.Data([tmp_path]).look()
    assert end.value.code == 2
    late.unlink()
    data = batches.Data([tmp_path])
    data.look()
    late.write_bytes(whole[:-1])
    capsys.readouterr()
    data.look()
    data.look()
    assert capsys.readouterr().err.count("000001.shard: shorter than its header says") == 1
    assert data.count() == 5
    late.write_bytes(whole)
    data.look()
    data.look()
    assert data.count() == 10


@pytest.mark.parametrize("size", SIZES)
def test_symmetries_are_flips_in_order(size):
    width, height = size
    board = np.arange(width * height)
    for s in range(symmetry.count(width, height)):
        turned = board.reshape(height, width)
        turned = turned[::-1] if s & 1 else turned
        turned = turned[:, ::-1] if s & 2 else turned
        turned = turned.T if s & 4 else turned
        assert (board[symmetry.sources(width, height)[s]] == turned.reshape(-1)).all()
        back = symmetry.sources(width, height)[s][symmetry.places(width, height)[s]]
        assert (back == board).all()


@pytest.mark.parametrize("shape", ["b4c32", "b4c48nbt32"])
def test_an_export_says_what_the_student_says(tmp_path, rng, shape):
    original = student(shape)
    path = tmp_path / "x.bin.gz"
    katago.write_network(convert.network_of(original, "x"), path)
    network = katago.read_network(path)
    read = inference.Inference(network).eval()
    again = student(shape, seed=2)
    convert.load(again, network)
    for size in SIZES:
        planes, numbers = inputs(rng, *size)
        with torch.inference_mode():
            said = original(planes, numbers)
            for other in (read(planes, numbers), again(planes, numbers)):
                assert torch.allclose(said[0][:, 0], other[0][:, 0], atol=1e-4)
                for a, b in zip(said[1:], other[1:], strict=True):
                    assert torch.allclose(a, b, atol=1e-4)
            # What no file has begins as the policy at its temperature.
            soft = again(planes, numbers)[0][:, 1]
            assert torch.allclose(soft, said[0][:, 0] / losses.SOFT_TEMPERATURE, atol=1e-4)


def test_other_shapes_are_not_loaded():
    network = convert.network_of(student("b4c32"), "x")
    for other in ("b5c32", "b4c48", "b4c32nbt32"):
        with pytest.raises(ValueError, match="another shape"):
            convert.load(student(other), network)
    for other in ("b3c32", "b6c24", "b6c32nbt32"):
        with pytest.raises(ValueError, match="another shape"):
            convert.load(student(other), network, grow=True)


@pytest.mark.parametrize("shape", ["b4c32", "b3c32nbt24"])
def test_a_larger_network_begins_by_saying_the_same(rng, shape):
    one = student(shape)
    network = convert.network_of(one, "x")
    planes, numbers = inputs(rng, 9, 9)
    # Of b3 the third block does not pool, of larger networks it does.
    blocks, rest = shape[:2], shape[5:]
    wider = "nbt96" if rest else ""
    for other in (shape, f"b5c32{rest}", f"b8c32{rest}", f"{blocks}c128{wider}", f"b9c128{wider}"):
        larger = student(other, 2)
        convert.load(larger, network, grow=True)
        with torch.inference_mode():
            said = one(planes, numbers), larger(planes, numbers)
        for a, b in zip(said[0][1:], said[1][1:], strict=True):
            assert torch.allclose(a, b, atol=1e-4), other
        assert torch.allclose(said[0][0][:, 0], said[1][0][:, 0], atol=1e-4), other
    # What was added can be trained: filters of known channels have a gradient by new ones.
    loss = sum(part.square().sum() for part in larger(planes, numbers))
    loss.backward()
    for block in larger.blocks:
        assert block.conv2.weight.grad[:16, -8:].abs().max() > 0.0


def test_a_mean_of_networks_has_the_mean_of_their_numbers():
    made = [student("b4c32", seed) for seed in (1, 2)]
    one, two = (convert.network_of(s, str(i)) for i, s in enumerate(made))
    mean = convert.averaged([one, two], [3.0, 1.0], "mean")
    assert mean.name == "mean"
    again = student("b4c32", seed=3)
    convert.load(again, mean)
    parameters = zip(*(s.named_parameters() for s in (*made, again)), strict=True)
    for (name, a), (_, b), (_, p) in parameters:
        # What follows the first row of these is the soft policy's.
        rows = 1 if name in ("policy.conv2.weight", "policy.pass_product.weight") else len(p)
        assert torch.allclose(p[:rows], (0.75 * a + 0.25 * b)[:rows], atol=1e-6), name


def test_networks_of_other_shapes_have_no_mean():
    network = convert.network_of(student("b4c32"), "x")
    for shape in ("b5c32", "b4c48", "b4c32nbt32"):
        with pytest.raises(ValueError, match="have no mean"):
            convert.averaged([network, convert.network_of(student(shape), "y")], [1.0, 1.0], "z")
    other = convert.network_of(student("b4c32"), "x")
    other.trunk.blocks[1].act2.kind = "mish"
    with pytest.raises(ValueError, match="have no mean"):
        convert.averaged([network, other], [1.0, 1.0], "z")


def test_rounding_keeps_so_many_bits():
    network = convert.network_of(student("b4c32"), "x")
    before = network.trunk.blocks[0].conv1.weights.copy()
    norm = network.trunk.blocks[0].norm1.scale.copy()
    after = convert.rounded(network, 8).trunk.blocks[0].conv1.weights
    assert (np.abs(after - before) <= np.abs(before) * 2.0**-9).all()
    assert not (after == before).all()
    # What is left are the sign, the exponent and 8 bits.
    assert (after.view(np.uint32) & 0x7FFF == 0).all()
    assert (network.trunk.blocks[0].norm1.scale == norm).all()
    both = convert.rounded(convert.network_of(student("b4c32"), "x"), 4, head_bits=8)
    assert (both.trunk.blocks[0].conv1.weights.view(np.uint32) & 0x7FFFF == 0).all()
    for layer in (both.value.result, both.policy.conv2):
        assert (layer.weights.view(np.uint32) & 0x7FFF == 0).all()
        assert not (layer.weights.view(np.uint32) & 0x7FFFF == 0).all()


def test_shapes_have_names():
    assert Shape.of("b10c64") == Shape(10, 64, 0)
    assert Shape.of("b8c128nbt64").middle == 64
    assert len(Shape.of("b10c64").pooling) == 3
    none, few = "not an architecture", "too few channels"
    for name, what in (("b10", none), ("b0c64", none), ("b3c0", none), ("b10c16", few)):
        with pytest.raises(ValueError, match=what):
            Shape.of(name)


@pytest.mark.parametrize("count", [1, 3])
def test_columns_are_the_fields_of_records(rng, count):
    for size in SIZES:
        records = random_records(rng, *size, count)
        said = batches.columns(torch.from_numpy(batches.packed(records)), size)
        assert set(said) == set(records.dtype.names)
        for name, values in said.items():
            assert (values.numpy() == records[name]).all(), name
        planes = batches.planes_of(said["planes"], size).flatten(2).transpose(1, 2)
        assert (planes.numpy() == shards.planes_of(records)[:, :, : katago.PLANES]).all()


def test_boards_are_turned_and_the_pass_stays():
    size = 3, 2
    sources, places = batches.turns(size, torch.device("cpu"))
    values = torch.arange(7).repeat(4, 1)
    turned = batches.turned(values, sources)
    assert turned.tolist() == [
        [0, 1, 2, 3, 4, 5, 6],
        [3, 4, 5, 0, 1, 2, 6],
        [2, 1, 0, 5, 4, 3, 6],
        [5, 4, 3, 2, 1, 0, 6],
    ]
    assert (batches.turned(turned, places) == values).all()
    pairs = torch.stack((values, -values), dim=2)[:, :6]
    assert (batches.turned(pairs, sources)[:, :, 1] == -turned[:, :6]).all()


@pytest.mark.parametrize("size", [(9, 9), (7, 5)])
def test_all_that_belongs_to_points_is_turned(rng, size):
    count = symmetry.count(*size)
    records = random_records(rng, *size, 2 * count)
    lots = np.arange(len(records)) % count
    raw = torch.from_numpy(batches.packed(records))
    said = batches.unpacked(raw, torch.from_numpy(lots), size)
    sources = symmetry.sources(*size)[lots]
    planes = shards.planes_of(records)
    for i, (record, source) in enumerate(zip(records, sources, strict=True)):
        expected = {
            "planes": planes[i, source, : katago.PLANES].T.reshape(-1, size[1], size[0]),
            "policy": np.append(record["policy"][source], record["policy"][-1]),
            "ownership": record["ownership"][source] / np.float32(127.0),
            **{name: record[name] for name in ("globals", "result", "score")},
        }
        assert set(said) == set(expected)
        for name, values in expected.items():
            assert (said[name][i].numpy() == values).all(), name


@pytest.mark.parametrize("size", [(9, 9), (7, 5)])
def test_a_teacher_has_nothing_to_learn_from_its_own_labels(tmp_path, rng, size):
    one = student("b4c32")
    katago.write_network(convert.network_of(one, "x"), tmp_path / "x.bin.gz")
    records = random_records(rng, *size, 32, labelled=False)
    Teacher(tmp_path / "x.bin.gz", "cpu", torch.float32).label(records, size)
    # Each board as the teacher has seen it.
    lots = torch.from_numpy(records["symmetry"].astype(int))
    own = batches.unpacked(torch.from_numpy(batches.packed(records)), lots, size)
    result = own["result"][:, [1, 0, 2]]
    reversed_ = {"result": result, "score": -own["score"], "ownership": -own["ownership"]}
    with torch.no_grad():
        said = one(own["planes"], own["globals"])

    def gradients(batch):
        outputs = [x.clone().requires_grad_() for x in said]
        parts = losses.losses(outputs, batch)
        minimised = parts["value"] + parts["lead"] + parts["ownership"]
        return torch.autograd.grad(minimised, outputs[1:])

    for right, wrong in zip(gradients(own), gradients({**own, **reversed_}), strict=True):
        assert right.norm() < 0.02 * wrong.norm()


def test_muon_steps_along_singular_vectors():
    torch.manual_seed(1)
    one, two = (torch.nn.Parameter(torch.randn(4, 9)) for _ in range(2))
    tall = torch.nn.Parameter(torch.randn(9, 2, 2, 1))
    before = [p.detach().clone() for p in (one, two, tall)]
    optimizer = Muon([one, two, tall], lr=0.1)
    for p in (one, two, tall):
        p.grad = torch.randn_like(p)
    optimizer.step()
    for p, was in zip((one, two, tall), before, strict=True):
        matrix = ((was - p.detach()) / (0.1 * 0.2 * 3.0)).flatten(1)
        # Five steps bring the singular values near one, and each matrix to its own.
        u, singular, v = torch.linalg.svd(matrix, full_matrices=False)
        assert ((singular > 0.6) & (singular < 1.3)).all(), singular
        u, _, v = torch.linalg.svd(p.grad.flatten(1), full_matrices=False)
        assert (matrix - u @ v).abs().max() < 0.3


def test_a_pass_draws_each_record_once(rng):
    pile = batches.Pile((9, 9))
    records = random_records(rng, 9, 9, 60)
    records["globals"][:, 0] = np.arange(60)
    pile.sections["000000.shard"] = records[:25]
    first = pile.draw(20, 1, rng)
    pile.sections["000001.shard"] = records[25:]
    # Late records take part, and passes go on after one another.
    seen = np.concatenate((first, pile.draw(40, 1, rng)))["globals"][:, 0]
    assert sorted(seen) == list(range(60))
    again = pile.draw(60, 1, rng)["globals"][:, 0]
    assert sorted(again) == list(range(60))
    assert (again != seen).any()


def test_sizes_get_their_shares(rng):
    data = batches.Data([])
    for size, count in (((9, 9), 64), ((5, 7), 640)):
        data.training[size] = pile = batches.Pile(size)
        pile.sections["000000.shard"] = random_records(rng, *size, count)
    for shares, part in ((None, 64 / 704), ({(9, 9): 3.0, (5, 7): 1.0}, 0.75)):
        drawn = {(9, 9): 0, (5, 7): 0}
        for _ in range(600):
            size, records = data.batch(1, rng, 16 * 81, shares)
            drawn[size] += len(records)
        assert abs(drawn[9, 9] / sum(drawn.values()) - part) < 0.05


def test_area_scoring_with_superko_has_results():
    globals_ = torch.zeros(3, 19)
    globals_[1:, 6] = 1.0
    globals_[2, 9] = 1.0
    chances = losses.result_logits(torch.zeros(3, 3), globals_).softmax(1)[:, 2]
    assert torch.allclose(chances, torch.tensor([1 / 3, 0.0, 1 / 3]))


@pytest.mark.skipif(not hasattr(torch, "compile"), reason="compiling needs PyTorch 2")
def test_compiled_parts_say_the_same(rng):
    # The graphs of all parts, without the minute of the C++ compiler.
    plain, compiled = student("b4c32"), student("b4c32")
    compiled.compile_parts("aot_eager")
    for size in ((9, 9), (7, 5)):
        x = inputs(rng, *size)
        for a, b in zip(plain(*x), compiled(*x), strict=True):
            assert torch.allclose(a, b, atol=1e-4)


@pytest.mark.skipif(not CAN_COMPILE, reason="compiling needs PyTorch 2 and g++")
def test_compiled_pooling_has_a_finite_gradient():
    # The maximum of what compiled code has not rounded equals no rounded number.
    torch.manual_seed(1)
    norm = Norm(16)
    with torch.no_grad():
        norm.scale.normal_(1.0, 0.1)
        norm.bias.normal_(0.0, 0.1)

    def pooled(x):
        return inference.pool(norm(x))

    x = torch.randn(8, 16, 9, 9).to(torch.bfloat16).requires_grad_()
    gradients = []
    for f in (pooled, torch.compile(pooled, dynamic=True)):
        x.grad = None
        f(x).square().sum().backward()
        gradients.append(x.grad.float())
    plain, compiled = gradients
    assert torch.isfinite(compiled).all()
    assert (plain - compiled).norm() < 0.1 * plain.norm()


def test_decided_positions_can_be_left_out(tmp_path, rng):
    records = random_records(rng, 9, 9, 200)
    records["result"] = (0.3, 0.7, 0.0)
    records["result"][:100] = (0.995, 0.005, 0.0)
    records["result"][50:100] = (0.01, 0.985, 0.005)
    records["kind"] = 0
    records["kind"][90:110] = shards.LATE
    shards.write_shard(tmp_path / "000001.shard", "t", (0, 64), [(9, 9, records)])

    def count(decided):
        data = batches.Data([tmp_path], decided)
        data.look()
        return data.count()

    assert count(1.0) == 200
    # What is over is kept: it tells which stones are dead.
    assert count(0.0) == 110
    assert 115 < count(0.25) < 150


def test_a_pass_goes_on_with_fewer_positions(rng):
    data = batches.Data([])
    pile = data.training[9, 9] = batches.Pile((9, 9))
    pile.sections = {"a": np.arange(100), "b": np.arange(100, 150)}
    pile.draw(120, 1, rng)
    state = data.state()
    pile.sections = {"a": np.arange(10), "b": np.arange(100, 150)}
    data.restore(state)
    drawn = pile.draw(200, 1, rng)
    assert len(drawn) == 200
    assert set(drawn) <= set(range(10)) | set(range(100, 150))


def folder_of_two(path, rng):
    """Two shards of 20 and 30 numbered records of 9x9."""
    path.mkdir()
    records = random_records(rng, 9, 9, 50)
    records["globals"][:, 0] = np.arange(50)
    for number, part in enumerate((records[:20], records[20:])):
        shards.write_shard(path / f"{number:06}.shard", "t", (0, 64), [(9, 9, part)])
    return path


def numbers(pile, count, rng):
    """The numbers of the records that a pile draws."""
    return pile.draw(count, 1, rng)["globals"][:, 0].tolist()


def looked(folder):
    """The data of a folder."""
    data = batches.Data([folder])
    data.look()
    return data


def test_a_pass_goes_on_however_the_folder_is_spelled(tmp_path, rng, monkeypatch):
    folder = folder_of_two(tmp_path / "labelled", rng)
    monkeypatch.chdir(tmp_path)
    spelled = [folder, Path("labelled"), Path("./labelled/../labelled")]
    for before, after in zip(spelled, spelled[1:] + spelled[:1], strict=True):
        data, again = looked(before), looked(after)
        seen = numbers(data.training[9, 9], 35, rng)
        assert again.restore(data.state()) == 0
        assert sorted(seen + numbers(again.training[9, 9], 15, rng)) == list(range(50))
    # The same folder twice is one.
    data = batches.Data(spelled)
    data.look()
    assert data.count() == 50


def test_a_pass_of_an_earlier_version_goes_on(tmp_path, rng, monkeypatch):
    folder = folder_of_two(tmp_path / "labelled", rng)
    monkeypatch.chdir(tmp_path)
    # It named sections, and ordered them, by the path as the command line spelled it.
    earlier, present = batches.Data([]), looked(folder)
    pile = earlier.training[9, 9] = batches.Pile((9, 9))
    for name, records in present.training[9, 9].sections.items():
        pile.sections[f"labelled/{Path(name).name}"] = records
    seen = numbers(pile, 20, rng)
    assert present.restore(earlier.state()) == 0
    seen += numbers(present.training[9, 9], 20, rng)
    again = looked(folder)
    assert again.restore(present.state()) == 0
    rest = again.training[9, 9]
    assert sorted(seen + numbers(rest, 10, rng)) == list(range(50))
    # From the next pass on it is as any other.
    numbers(rest, 1, rng)
    assert all(Path(name).is_absolute() for name in again.state()[9, 9][1])
    (folder / "000000.shard").unlink()
    assert looked(folder).restore(earlier.state()) == 1


def test_a_log_goes_on_where_its_checkpoint_stands(tmp_path):
    path = tmp_path / "log.jsonl"
    lines = [{"step": i, "samples": 10 * i, "losses": {"policy": 0.1 + i}} for i in range(5)]
    whole = [json.dumps(line) + "\n" for line in lines]
    path.write_text("".join(whole[:4]) + whole[4][:9])
    assert logs.read(path) == lines[:4]
    logs.trim(path, 20)
    assert path.read_text() == "".join(whole[:3])


def test_what_is_wrong_with_a_network_is_said_with_its_name(tmp_path, capsys):
    path = tmp_path / "text.bin"
    path.write_bytes(b"hello")
    with pytest.raises(katago.FormatError, match="text.bin"):
        katago.read_network(path)
    for name in ("text.bin", "none.bin"):
        with pytest.raises(SystemExit) as end:
            katago.open_network(tmp_path / name)
        assert end.value.code == 2
        assert name in capsys.readouterr().err
