"""What auto_LiRPA proves about one question; run by a Python that has it, which need not have vouch.

python peer_lirpa.py FOLDER: FOLDER/net.onnx and FOLDER/question.npz (lower, upper, and for region n the
arrays rows{n} and limits{n} over the outputs). Prints "unsat" if optimised bounds (alpha-CROWN) exclude every
region, "unknown" if not, and the processor time without the start of Python. Bounds are float32, without
rounding counted.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path
from typing import Any


def module_of(path: Path) -> Any:
    """The network as a torch module that follows the graph."""
    import numpy as np
    import onnx
    import torch
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph

    class Followed(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            for constant in graph.initializer:
                value = torch.from_numpy(np.array(numpy_helper.to_array(constant)))
                if value.is_floating_point():  # auto_LiRPA looks for the type of the first parameter
                    value = torch.nn.Parameter(value, requires_grad=False)
                setattr(self, "c_" + constant.name.replace(".", "_"), value)

        def forward(self, x: Any) -> Any:
            known = {c.name: getattr(self, "c_" + c.name.replace(".", "_")) for c in graph.initializer}
            known[next(i.name for i in graph.input if i.name not in known)] = x
            for node in graph.node:
                named = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
                known[node.output[0]] = _step(torch, node.op_type, [known[i] for i in node.input], named)
            return known[graph.output[0].name]

    return Followed()


def _step(torch: Any, kind: str, given: list[Any], named: dict[str, Any]) -> Any:
    if kind == "Gemm":
        weights = given[1] if named.get("transB") else given[1].t()
        return torch.nn.functional.linear(given[0], weights, given[2] if len(given) > 2 else None)
    if kind == "Conv":
        pads = named.get("pads", [0, 0, 0, 0])
        assert pads[:2] == pads[2:]
        bias = given[2] if len(given) > 2 else None
        return torch.nn.functional.conv2d(given[0], given[1], bias, named.get("strides", [1, 1]), pads[:2])
    if kind in ("Reshape", "Flatten"):
        return given[0].flatten(1)
    if kind == "Identity":
        return given[0]
    # Attention is left out: 0.3 has no bounds of a softmax whose largest argument is not known.
    simple = {"Relu": torch.relu, "Add": torch.add, "MatMul": torch.matmul}
    return simple[kind](*given)


def said(folder: Path) -> str:
    import numpy as np
    import torch
    from auto_LiRPA import BoundedModule, BoundedTensor
    from auto_LiRPA.perturbations import PerturbationLpNorm

    asked = np.load(folder / "question.npz")
    lower, upper = (torch.from_numpy(asked[end].astype(np.float32)) for end in ("lower", "upper"))
    middle = (lower + upper) / 2
    model = BoundedModule(module_of(folder / "net.onnx"), middle)
    box = PerturbationLpNorm(norm=np.inf, x_L=lower, x_U=upper)
    for number in range(int(asked["regions"])):
        rows = torch.from_numpy(asked[f"rows{number}"].astype(np.float32))[None]
        known, _ = model.compute_bounds(
            x=(BoundedTensor(middle, box),), C=rows, method="CROWN-Optimized", bound_upper=False
        )
        if not bool((known[0] > torch.from_numpy(asked[f"limits{number}"].astype(np.float32))).any()):
            return "unknown"
    return "unsat"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    import torch  # its start is not counted

    torch.set_num_threads(1)
    start = time.process_time()
    answer = said(Path(sys.argv[1]))
    print(answer, time.process_time() - start)
