"""advise and networks: against NumPy, and models of ONNX."""

import itertools

import numpy as np
import onnx
import pytest
import stridewise as sw
from onnx import TensorProto, helper


def test_what_is_counted_is_what_offsets_tell():
    for one in sw.advise(n=2, c=17, h=3, w=5, family=("onednn", "tile")).candidates:
        places = np.sort(one.layout.offsets(), axis=None)
        assert one.nbytes == one.layout.nbytes
        assert one.waste == one.nbytes - 4 * 2 * 17 * 3 * 5
        assert one.runs == 1 + np.count_nonzero(np.diff(places) != 1)
        along = np.moveaxis(one.layout.offsets(), one.layout.dims.index("c"), -1)
        lines = np.sort(along.reshape(-1, 17), axis=-1)
        loads = []
        for line in lines:
            loads.append(0)
            end = -1
            for place in line:
                if place >= end:
                    loads[-1] += 1
                    end = place + 16
        assert one.loads == max(loads)
        assert one.filled == pytest.approx(17 * len(lines) / (16 * sum(loads)))


def test_the_best_columns_and_a_price():
    advice = sw.advise((2, 40), family="okk.matrix(npus=4)")
    assert advice.best.text == "okk.matrix(npus=4,w=10)"
    assert advice.best.banks == {"banks": 4, "used": 4, "fullest_bytes": 256,
                                 "fullest_elements": 20}
    priced = sw.advise(n=1, c=64, h=28, w=28, family="onednn", source="nchw")
    assert all(c.there > 0 and c.back > 0 for c in priced.candidates)
    assert "nhwc" in str(priced)


def test_limits_boxes_and_weights():
    advice = sw.advise((1, 512, 28, 56), family="mace", limits={"pixel": 20000})
    assert advice.best.fits and not advice.candidates[-1].fits
    assert ("pixel", 28672, 20000) in [m for c in advice.candidates for m in c.missed]
    by_banks = sw.advise(n=1, c=8, h=8, w=32, family="tile", box={"h": 8}, weights={
        "conflicts": 10}, limits={"banks": 32, "bank_width_bytes": 4})
    assert by_banks.best.turns < by_banks.candidates[-1].turns


@pytest.mark.parametrize("options, error", [
    ({"family": "okkk"}, sw.LayoutError), ({"family": 3}, TypeError),
    ({"op": "swim"}, ValueError), ({"vector": "q", "lanes": 4}, sw.LayoutError),
    ({"lanes": -1}, ValueError), ({"box": {"h": 0}}, sw.LayoutError),
    ({"limits": {"banks": 0}}, ValueError), ({"weights": {"x": 1}}, ValueError),
    ({"source": "n c h"}, sw.LayoutError), ({"machine": "abacus"}, sw.LayoutError)])
def test_what_is_refused(options, error):
    with pytest.raises(error):
        sw.advise((1, 3, 8, 8), **options)


# ---------------------------------------------------------------- networks ---

def block(name="x"):
    """Two convolutions beside a shortcut, as ONNX has them."""
    def value(name, channels=16):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, channels, 8, 8])
    weights = [helper.make_tensor(w, TensorProto.FLOAT, [16, 16, 1, 1],
                                  np.zeros(256, "f4").tobytes(), raw=True)
               for w in ("w1", "w2")]
    nodes = [helper.make_node("Conv", [name, "w1"], ["a"], "first"),
             helper.make_node("Relu", ["a"], ["b"]),
             helper.make_node("Conv", ["b", "w2"], ["c"], "second"),
             helper.make_node("Add", ["c", name], ["y"])]
    graph = helper.make_graph(nodes, "block", [value(name)], [value("y")], weights)
    return helper.make_model(graph)


def cost(kind, reads, writes, layout):
    return {"nchw": 30000, "nhwc": 9000, "nChw16c": 8000}[layout] if kind == "Conv" else 100


def test_a_model_of_onnx(tmp_path):
    path = tmp_path / "block.onnx"
    onnx.save(block(), path)
    for model in (block(), path):
        net = sw.network_from_onnx(model, cost=cost)
        assert set(net["tensors"]) == {"x", "a", "b", "c", "y"}
        assert net["tensors"]["x"] == {"shape": "1x16x8x8", "dtype": "u32",
                                       "layouts": ["nchw"]}
        assert [o["reads"] for o in net["operations"]] == [["x"], ["a"], ["b"], ["c", "x"]]
        best = sw.advise_network(net)
        assert best.bound == best.cost <= sw.advise_network(net, way="greedy").cost
        assert best.cost <= sw.advise_network(net, way="nchw").cost
        # All ways there are.
        least = min(assessed(net, ways) for ways in itertools.product(range(3), repeat=4))
        assert best.cost == pytest.approx(least)


def assessed(net, ways):
    """What one way costs: a network where nothing else is accepted."""
    only = [{**o, "accepts": [o["accepts"][way]]}
            for o, way in zip(net["operations"], ways)]
    return sw.advise_network({**net, "operations": only}).cost


def test_names_that_are_any_text():
    name = 'a"b\\c.d é 🙂 <script>'
    net = sw.network_from_onnx(block(name))
    assert set(sw.advise_network(net).layouts) == {name, "a", "b", "c", "y"}


def test_models_without_shapes():
    model = block()
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch"
    del model.graph.output[:]
    with pytest.raises(ValueError, match="no tensors of four dims"):
        sw.network_from_onnx(model)


def test_networks_that_are_none(tmp_path):
    with pytest.raises(TypeError, match="unknown keys"):
        sw.advise_network({"tensor": {}})
    with pytest.raises(TypeError, match="no text, number"):
        sw.advise_network({"tensors": {"x": {"shape": None}}})
    with pytest.raises(TypeError, match="no text, number"):
        sw.advise_network({"tensors": {"x": {"shape": float("nan")}}})
    with pytest.raises(sw.LayoutError, match="accepts no layout"):
        sw.advise_network({"operations": [{"name": "o"}]})
    with pytest.raises(FileNotFoundError):
        sw.advise_network(tmp_path / "none.toml")
