"""Writes a network over the reals as float C99, operator by operator.

Sums go from the first term to the last in `float`, without contraction: a case of what `nn verify` covers
for float32, which is any order of summation. Sigmoid and tanh are computed by a small function of their own,
whose error is far below the one that `nn verify` allows a runtime.
"""

from __future__ import annotations

import math
from typing import assert_never

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.arrays import Array
from vouch.nn.fixed.ctext import in_comment, table, unsigned_type
from vouch.nn.linear import LinearMap
from vouch.nn.lowered import (
    Activation,
    Affine,
    Input,
    Lowered,
    LoweredNode,
    Maximum,
    Multiply,
    NodeKind,
)
from vouch.nn.lowering import lower
from vouch.nn.network import Network
from vouch.nn.property import Property, Rows

_MOST = 1 << 22

# exp(-x) for x >= 0 by Taylor's series of exp(-x / 2^k), squared k times, in double: the error stays below
# 2^-24 of the result's size, far below one unit in the last place of float after the quotient.
_EXP = """
/* exp(-x) for x >= 0 */
static double net_exp(double x)
{
    double small, power;
    int i;
    if (x > 100.0) return 0.0;
    small = x / 256.0;
    power = 1.0 - small * (1.0 - small / 2.0 * (1.0 - small / 3.0 * (1.0 - small / 4.0 * (1.0 - small / 5.0
        * (1.0 - small / 6.0 * (1.0 - small / 7.0 * (1.0 - small / 8.0)))))));
    for (i = 0; i < 8; i++) power *= power;
    return power;
}
"""
_CURVES = {
    NodeKind.SIGMOID: """
static float net_sigmoid(float x)
{
    double power = net_exp(x < 0.0f ? -(double)x : (double)x);
    return (float)(x < 0.0f ? power / (1.0 + power) : 1.0 / (1.0 + power));
}
""",
    NodeKind.TANH: """
static float net_tanh(float x)
{
    double power = net_exp(x < 0.0f ? -2.0 * (double)x : 2.0 * (double)x);
    double size = (1.0 - power) / (1.0 + power);
    return (float)(x < 0.0f ? -size : size);
}
""",
}


def float_header(network: Network) -> str:
    lowered = lower(network, fold=False)
    note = " The softmax at its end is left out: outputs are its arguments." if lowered.softmax else ""
    return (
        f"/* Network {in_comment(network.name)} in float.{note} */\n#ifndef NET_H\n#define NET_H\n\n"
        "#include <stdint.h>\n\n"
        f"#define NET_INPUTS {network.inputs}\n#define NET_OUTPUTS {network.outputs}\n\n"
        "typedef float net_t;\n\nvoid net_run(const net_t *in, net_t *out);\n"
        "net_t net_from_double(double value);\ndouble net_to_double(net_t value);\n\n#endif\n"
    )


def float_harness(network: Network, prop: Property | None) -> str:
    """Any reals of the property's box, rounded to inputs, and the assertion that no region is reached.

    The rows are evaluated in double, which may round: the program is a test and a starting point for other
    tools, and says so. Proofs about float32 are those of `nn verify`.
    """
    lines = [
        '#include "net.h"\n\n/* Constraints are evaluated in double, which may round. */\n'
        "extern double nondet_double(void);\nextern void __VERIFIER_assume(int condition);\n"
        "extern void __VERIFIER_assert(int condition);\n\n"
        "int main(void)\n{\n    double x[NET_INPUTS];\n    net_t in[NET_INPUTS];\n"
        "    net_t out[NET_OUTPUTS];\n    int i;\n"
        "    for (i = 0; i < NET_INPUTS; i++) x[i] = nondet_double();\n"
    ]
    sets = []
    for case in prop.cases if prop is not None else ():
        if case.inputs is not None or case.ball is not None:
            raise Unsupported("a harness for an input set that is not a box")
        ends = zip(case.lower.tolist(), case.upper.tolist(), strict=True)
        sets.append(" && ".join(f"x[{i}] >= {a!r} && x[{i}] <= {b!r}" for i, (a, b) in enumerate(ends)))
    if prop is None:
        lines.append(
            "    for (i = 0; i < NET_INPUTS; i++) __VERIFIER_assume(x[i] >= -1e38 && x[i] <= 1e38);\n"
        )
    else:
        lines.append(f"    __VERIFIER_assume({' || '.join(f'({part})' for part in sets) or '0'});\n")
    lines.append(
        "    for (i = 0; i < NET_INPUTS; i++) in[i] = net_from_double(x[i]);\n    net_run(in, out);\n"
    )
    for part, case in zip(sets, prop.cases if prop is not None else (), strict=True):
        for region in case.regions:
            lines.append(f"    __VERIFIER_assert(!({part} && {_region(region)}));\n")
    lines.append("    return 0;\n}\n")
    return "".join(lines)


def _region(region: Rows) -> str:
    rows = []
    for a, c, r, strict in zip(region.x_rows, region.y_rows, region.rhs, region.strict, strict=True):
        terms = [f"{float(a[i])!r} * x[{i}]" for i in np.flatnonzero(a)]
        terms += [f"{float(c[i])!r} * (double)out[{i}]" for i in np.flatnonzero(c)]
        rows.append(f"{' + '.join(terms) or '0.0'} {'<' if strict else '<='} {float(r)!r}")
    return " && ".join(rows) or "1"


def float_source(network: Network) -> str:
    return _FloatSource(lower(network, fold=False)).text()


class _FloatSource:
    def __init__(self, lowered: Lowered) -> None:
        self.lowered = lowered
        self.tables: list[str] = []
        self.curves: dict[NodeKind, str] = {}
        self.body: list[str] = []

    def text(self) -> str:
        last = len(self.lowered.nodes) - 1
        for index, node in enumerate(self.lowered.nodes[1:], 1):
            if index != last:
                self.body.append(f"    float v{index}[{node.size}];\n")
        for index, node in enumerate(self.lowered.nodes[1:], 1):
            self._node(index, node)
        if last == 0:
            self.body.append(f"    for (j = 0; j < {self.lowered.nodes[0].size}; j++) out[j] = in[j];\n")
        used = "".join(self.body)
        names = [name for name in ("j", "k") if f"for ({name} = 0" in used]
        variables = [f"    uint32_t {', '.join(names)};\n"] if names else []
        curves = ([_EXP] if self.curves else []) + list(self.curves.values())
        head = '#include "net.h"\n'
        run = "void net_run(const net_t *in, net_t *out)\n{\n" + "".join(variables + self.body) + "}\n"
        ends = (
            "net_t net_from_double(double value)\n{\n    return (float)value;\n}\n\n"
            "double net_to_double(net_t value)\n{\n    return (double)value;\n}\n"
        )
        return "\n".join([head, *self.tables, *curves, run, ends])

    def _name(self, index: int) -> str:
        if index == 0:
            return "in"
        return "out" if index == len(self.lowered.nodes) - 1 else f"v{index}"

    def _node(self, index: int, node: LoweredNode) -> None:
        to = self._name(index)
        match node:
            case Input():
                raise AssertionError("the inputs come first")
            case Affine():
                self._affine(index, node, to)
            case Activation():
                value = self._activation(node, f"{self._name(node.input)}[j]")
                self.body.append(f"    for (j = 0; j < {node.size}; j++) {to}[j] = {value};\n")
            case Maximum():
                self._maximum(index, node, to)
            case Multiply():
                raise Unsupported("a product of computed values in C")
            case _:
                assert_never(node)

    def _activation(self, node: Activation, x: str) -> str:
        match node.kind:
            case NodeKind.RELU:
                return f"{x} > 0.0f ? {x} : 0.0f"
            case NodeKind.LEAKY_RELU:
                return f"{x} >= 0.0f ? {x} : {_float(node.slope)} * {x}"
            case NodeKind.CLIP:
                value = (
                    x if math.isinf(node.high) else f"({x} > {_float(node.high)} ? {_float(node.high)} : {x})"
                )
                return (
                    value
                    if math.isinf(node.low)
                    else f"{x} < {_float(node.low)} ? {_float(node.low)} : {value}"
                )
            case NodeKind.SIGMOID | NodeKind.TANH:
                self.curves[node.kind] = _CURVES[node.kind]
                return f"net_{node.kind.value}({x})"
            case _:
                raise Unsupported(f"{node.kind} in C")

    def _maximum(self, index: int, node: Maximum, to: str) -> None:
        count, width = node.windows.shape
        self.tables.append(table(unsigned_type(int(node.windows.max())), f"column{index}", node.windows))
        element = f"{self._name(node.input)}[column{index}[j][k]]"
        self.body.append(
            f"    for (j = 0; j < {count}; j++) {{\n"
            f"        float best = {self._name(node.input)}[column{index}[j][0]];\n"
            f"        for (k = 0; k < {width}; k++) if ({element} > best) best = {element};\n"
            f"        {to}[j] = best;\n    }}\n"
        )

    def _affine(self, index: int, node: Affine, to: str) -> None:
        self.tables.append(_floats(f"bias{index}", node.bias))
        steps = []
        for number, (linear, at) in enumerate(zip(node.maps, node.inputs, strict=True)):
            name = f"weights{index}_{number}"
            columns, weights = _terms(linear)
            self.tables.append(_floats(name, weights))
            column = "k"
            if not np.array_equal(columns, np.broadcast_to(np.arange(columns.shape[1]), columns.shape)):
                self.tables.append(
                    table(unsigned_type(int(columns.max())), f"column{index}_{number}", columns)
                )
                column = f"column{index}_{number}[j][k]"
            steps.append(
                f"        for (k = 0; k < {columns.shape[1]}; k++) {{\n"
                f"            float product = {name}[j][k] * {self._name(at)}[{column}];\n"
                "            sum = sum + product;\n        }\n"
            )
        self.body.append(
            f"    for (j = 0; j < {node.size}; j++) {{\n        float sum = 0.0f;\n{''.join(steps)}"
            f"        {to}[j] = sum + bias{index}[j];\n    }}\n"
        )


def _terms(linear: LinearMap) -> tuple[Array, Array]:
    """Columns and weights of each row, in ascending order of columns; zeros fill short rows."""
    from scipy.sparse import csr_array

    if linear.rows * linear.columns > _MOST:
        raise Unsupported("a layer with too many products for C code")
    dense = linear.apply(np.eye(linear.columns)).T
    sparse = csr_array(dense)
    widths = np.diff(sparse.indptr)
    if widths.max(initial=0) * 2 > linear.columns:
        return np.broadcast_to(np.arange(linear.columns), dense.shape), dense
    width = max(1, int(widths.max(initial=1)))
    columns, weights = np.zeros((len(dense), width), dtype=np.int64), np.zeros((len(dense), width))
    for row in range(len(dense)):
        part = slice(sparse.indptr[row], sparse.indptr[row + 1])
        columns[row, : widths[row]], weights[row, : widths[row]] = sparse.indices[part], sparse.data[part]
    return columns, weights


def _float(value: float) -> str:
    """A float32 constant that reads back as itself."""
    nearest = np.float32(value)
    if not np.isfinite(nearest):
        raise Unsupported("a weight that float32 does not hold")
    text = repr(float(nearest))
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"


def _floats(name: str, values: Array) -> str:
    array = np.asarray(values, dtype=np.float64)
    return table("float", name, np.vectorize(_float, otypes=[object])(array) if array.size else array)
