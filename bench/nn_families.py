"""Families of networks that cannot be shipped, made here: index networks with many cases, satisfiability
networks, small convolutional, residual and attention networks.

`python -m bench nn_families [count=N] [limit=S] [total=S] [families=A,B]` prints the share decided and the
processor time of each family: N questions, S seconds for each, and not many more than `total` for everything.
Where Marabou (pip install maraboupy) is installed it is asked the same questions about ReLU networks, one
after the other with vouch, in a process of its own. `lirpa=PYTHON` names a Python that has auto_LiRPA (which
wants an old torch); its optimised bounds are asked too. Answers that contradict each other are printed.
"""

from __future__ import annotations

import multiprocessing
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.nn_instances import WORDS
from vouch.nn.export import to_onnx
from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators import (
    Add,
    Conv,
    Gemm,
    MatMulValues,
    Relu,
    Reshape,
    Scale,
    Shift,
    Softmax,
    Standardise,
    Transpose,
)
from vouch.nn.property import Case, Property, Rows, robustness
from vouch.nn.search import verify
from vouch.settings import resolve

Array = np.ndarray


@dataclass(frozen=True)
class Question:
    name: str
    network: Network
    prop: Property


def index_network(cases: int, seed: int = 0, width: int = 64) -> Question:
    """A learned index: positions of sorted keys, by a piecewise linear network, and for each of many short
    key ranges the question whether the position stays near the true one."""
    rng = np.random.default_rng(seed)
    knots = np.sort(rng.random(width))
    slopes = np.abs(rng.normal(size=width)) * 0.2
    first = np.ones((width, 1)), -knots
    second = slopes[None, :], np.zeros(1)
    network = Network.from_layers([first, second], name="index")
    places = np.linspace(0, 1, cases + 1)
    values = network.evaluate(places[:, None])[:, 0]
    found = []
    for low, high, least, most in zip(places, places[1:], values, values[1:], strict=False):
        regions = tuple(
            Rows.of(np.zeros((1, 1)), np.array([[sign]]), sign * end - 1e-3)
            for sign, end in ((1.0, least), (-1.0, most))
        )
        found.append(Case(np.array([low]), np.array([high]), regions))
    return Question(f"index {cases}", network, Property(tuple(found), 1, 1, f"{cases} cases"))


def satisfiability(variables: int, clauses: int, seed: int = 0) -> tuple[Question, bool]:
    """A random 3-SAT formula as a ReLU network, and whether it is satisfiable (by enumeration).

    The inputs are the variables in 0..1. y = sum over clauses of relu(1 - literals), plus for each variable a
    penalty relu(x) ... that is zero exactly at 0 and 1; y <= 0 can only be reached at a satisfying
    assignment.
    """
    rng = np.random.default_rng(seed)
    chosen = np.array([rng.choice(variables, 3, replace=False) for _ in range(clauses)])
    signs = rng.choice([-1.0, 1.0], (clauses, 3))
    # A literal is x or 1 - x; a clause is violated by 1 - (sum of its literals), if that is positive.
    weights, bias = np.zeros((clauses, variables)), np.ones(clauses)
    for row, (own, sign) in enumerate(zip(chosen, signs, strict=True)):
        weights[row, own] = -sign
        bias[row] -= np.sum(sign < 0)
    # min(x, 1 - x) = x - relu(2 x - 1) is zero only at the ends of 0..1.
    ends = np.vstack([2 * np.eye(variables), np.eye(variables)])
    first = np.vstack([weights, ends]), np.concatenate([bias, -np.ones(variables), np.zeros(variables)])
    row = np.concatenate([np.ones(clauses), -np.ones(variables), np.ones(variables)])
    network = Network.from_layers([first, (row[None, :], np.zeros(1))], name="sat")
    region = Rows.of(np.zeros((1, variables)), np.ones((1, 1)), 1e-2)
    case = Case(np.zeros(variables), np.ones(variables), (region,))
    reachable = _satisfiable(chosen, signs)
    return Question(f"sat {variables}x{clauses}/{seed}", network, Property((case,), variables, 1)), reachable


def _satisfiable(chosen: Array, signs: Array) -> bool:
    import z3

    solver = z3.Solver()
    for own, sign in zip(chosen, signs, strict=True):
        names = [z3.Bool(f"x{v}") for v in own]
        solver.add(z3.Or([n if s > 0 else z3.Not(n) for n, s in zip(names, sign, strict=True)]))
    return bool(solver.check() == z3.sat)


def _weights(rng: np.random.Generator, *shape: int) -> Array:
    return (rng.normal(size=shape) * np.sqrt(2.0 / np.prod(shape[1:]))).astype(np.float32).astype(np.float64)


def convolutional(seed: int = 0, *, residual: bool = False, size: int = 12, radius: float = 0.01) -> Question:
    """Robustness of a small convolutional network around a random image, with a skip connection if asked."""
    rng = np.random.default_rng(seed)
    builder = GraphBuilder("residual" if residual else "conv", "x", (1, 1, size, size))

    def conv(name: str, value: str, channels: int, into: int, stride: int) -> str:
        op = Conv(
            _weights(rng, channels, into, 3, 3), np.zeros(channels), (stride,) * 2, ((1, 1),) * 2, (1, 1), 1
        )
        return builder.add(name, op, value)

    value = builder.add("r1", Relu(), conv("c1", "x", 8, 1, 2))
    inner = conv("c2", value, 8, 8, 1)
    if residual:
        inner = builder.add("skip", Add(), inner, value)
    value = builder.add("r2", Relu(), inner)
    count = 8 * (size // 2) ** 2
    flat = builder.add("flat", Reshape((1, count)), value)
    network = builder.build(builder.add("y", Gemm.of(_weights(rng, 10, count), np.zeros(10)), flat))
    point = rng.random(network.inputs)
    label = int(network.evaluate(point[None, :])[0].argmax())
    prop = robustness(point, radius, 10, label=label, lower=0.0, upper=1.0)
    return Question(f"{network.name} {seed}", network, prop)


def attention(seed: int = 0, *, tokens: int = 4, width: int = 4, radius: float = 0.01) -> Question:
    """One attention block with normalisation and a skip connection; the class is kept near a random input."""
    rng = np.random.default_rng(seed)
    builder = GraphBuilder("attention", "x", (1, tokens, width))
    scale = 1.0 / np.sqrt(width)

    def linear(name: str, value: str) -> str:
        return builder.add(name, Gemm.of(_weights(rng, width, width), np.zeros(width)), value)

    normal = builder.add("shift", Shift(np.zeros(width)), builder.add("norm", Standardise((2,), 1e-3), "x"))
    query, key, content = (linear(name, normal) for name in ("q", "k", "v"))
    turned = builder.add("kt", Transpose((0, 2, 1)), key)
    scores = builder.add("s", Scale(np.array(scale)), builder.add("qk", MatMulValues(), query, turned))
    mixed = builder.add("mix", MatMulValues(), builder.add("p", Softmax(-1), scores), content)
    summed = builder.add("skip", Add(), linear("o", mixed), "x")
    flat = builder.add("flat", Reshape((1, tokens * width)), summed)
    network = builder.build(builder.add("y", Gemm.of(_weights(rng, 3, tokens * width), np.zeros(3)), flat))
    point = rng.normal(size=network.inputs)
    label = int(network.evaluate(point[None, :])[0].argmax())
    return Question(f"attention {seed}", network, robustness(point, radius, 3, label=label))


FAMILIES: dict[str, Callable[[int], Question]] = {
    "index": lambda seed: index_network(20_000, seed),
    "satisfiability": lambda seed: satisfiability(20 + 5 * (seed % 5), 95 + 24 * (seed % 5), seed)[0],
    "convolutional": convolutional,
    "residual": lambda seed: convolutional(seed, residual=True),
    "attention": lambda seed: attention(seed, radius=0.02 * (1 + seed % 4)),
}


def marabou(question: Question, limit: float) -> str | None:
    """sat, unsat or another word; None where Marabou is not installed or does not read the network."""
    try:
        from maraboupy import Marabou, MarabouCore, MarabouUtils
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.onnx"
        path.write_bytes(to_onnx(question.network, double=False))
        answers = []
        for case, region in _regions(question.prop):
            try:
                network = Marabou.read_onnx(str(path))
            except Exception:  # of many kinds, for operators it does not know
                return None
            inputs, outputs = network.inputVars[0].ravel(), network.outputVars[0].ravel()
            for variable, low, high in zip(inputs, case.lower, case.upper, strict=True):
                network.setLowerBound(int(variable), float(low))
                network.setUpperBound(int(variable), float(high))
            for row, rhs in zip(region.y_rows, region.rhs, strict=True):
                equation = MarabouUtils.Equation(MarabouCore.Equation.LE)
                for variable, factor in zip(outputs, row, strict=True):
                    equation.addAddend(float(factor), int(variable))
                equation.setScalar(float(rhs))
                network.addEquation(equation)
            options = Marabou.createOptions(verbosity=0, timeoutInSeconds=max(1, int(limit)))
            answers.append(network.solve(verbose=False, options=options)[0])
            if answers[-1] != "unsat":
                return str(answers[-1])
    return "unsat"


def _regions(prop: Property) -> Iterator[tuple[Case, Rows]]:
    for case in prop.cases:
        for region in case.regions:
            yield case, region


def within(limit: float, question: Question) -> tuple[str | None, float]:
    """What Marabou says in a process of its own, which is ended when it overruns, and its processor time."""
    parent, child = multiprocessing.Pipe(False)
    worker = multiprocessing.get_context("fork").Process(target=_peer, args=(child, question, limit))
    worker.start()
    child.close()
    try:
        return parent.recv() if parent.poll(limit + 5.0) else ("timeout", limit)
    except EOFError:
        return "crash", limit
    finally:
        worker.kill()
        worker.join()


def _peer(pipe: Any, question: Question, limit: float) -> None:
    start = time.process_time()
    said = marabou(question, limit)
    pipe.send((said, time.process_time() - start))


def lirpa(python: str, question: Question, limit: float) -> tuple[str | None, float]:
    """What auto_LiRPA says, which `python` has, and its processor time; None where it does not read the
    network."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "net.onnx").write_bytes(to_onnx(question.network, double=False))
        (case,) = question.prop.cases
        shape = question.network.input_shape
        ends = {"lower": case.lower.reshape(shape), "upper": case.upper.reshape(shape)}
        rows = {f"rows{n}": region.y_rows for n, region in enumerate(case.regions)}
        limits = {f"limits{n}": region.rhs for n, region in enumerate(case.regions)}
        np.savez(Path(folder, "question.npz"), regions=len(case.regions), **ends, **rows, **limits)
        command = [python, str(Path(__file__).with_name("peer_lirpa.py")), folder]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=4 * limit + 20, check=False
            )
        except subprocess.TimeoutExpired:
            return "timeout", limit
    if done.returncode:
        return None, 0.0
    said, seconds = done.stdout.split()
    return said, float(seconds)


@dataclass(slots=True)
class Tally:
    """How one tool fared with a family."""

    name: str
    decided: int = 0
    asked: int = 0
    seconds: float = 0.0

    def add(self, said: str | None, seconds: float) -> None:
        if said is not None:
            self.asked, self.seconds = self.asked + 1, self.seconds + seconds
            self.decided += said in ("sat", "unsat")

    def __str__(self) -> str:
        if not self.asked:
            return f"{self.name} -"
        return f"{self.name} {self.decided} of {self.asked}, {self.seconds:.2f} s"


def main(arguments: list[str]) -> int:
    named = dict(a.split("=") for a in arguments)
    count, limit = int(named.get("count", 5)), float(named.get("limit", 20))
    chosen = named.get("families", ",".join(FAMILIES)).split(",")
    share = float(named.get("total", 540)) / len(chosen)
    for name in chosen:
        make = FAMILIES[name]
        tallies = own, other, bounds = Tally("vouch"), Tally("Marabou"), Tally("auto_LiRPA")
        started, seed = time.monotonic(), 0
        while seed < count and (not seed or time.monotonic() - started + 2 * limit <= share):
            question, seed, start = make(seed), seed + 1, time.process_time()
            result = verify(question.network, question.prop, resolve("nn", {"timeout": limit}))
            word = WORDS[result.verdict]
            own.add(word, time.process_time() - start)
            if len(question.prop.cases) > 1:
                continue
            said, seconds = within(limit, question)
            other.add(said, seconds)
            proved = lirpa(named["lirpa"], question, limit) if "lirpa" in named else (None, 0.0)
            bounds.add(*proved)
            for peer, answer in (("Marabou", said), ("auto_LiRPA", proved[0])):
                if {word, answer} == {"sat", "unsat"}:
                    print(f"{question.name}: {word}, but {peer} says {answer}", flush=True)
        print(f"{name:16}" + "; ".join(map(str, tallies)), flush=True)
    return 0
