"""Generated C programs that compute, each with its largest result: networks in five ways of writing them,
polynomials, filters, tables, in floats and in fixed point.

A program has a function of 1 to 4 inputs and asserts that its result is at most a bound. The largest result
is found by computing all inputs (fixed point; one float) or a dense sample (several floats), in numpy, which
rounds as the C code does.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

Array = Any
PLACES = ("at", "inside", "outside")  # where the bound lies: the largest result, just below it, just above


@dataclass(frozen=True, slots=True)
class Case:
    """`safe` is the truth; None where the largest result was sampled and the bound lies above it."""

    name: str
    family: str
    text: str
    safe: bool | None


@dataclass(frozen=True, slots=True)
class Computation:
    """`body` defines `T run(const T *x)` in C; `function` is the same in numpy, on columns."""

    name: str
    family: str
    kind: str  # float or int
    ranges: list[tuple[float, float]]
    body: str
    function: Callable[[list[Array]], Array]


def cases(count: int, seed: int = 0) -> Iterator[Case]:
    """`count` programs, all families in turn."""
    for number in range(0, count, len(PLACES)):
        yield from group(number, seed)


def group(number: int, seed: int = 0) -> list[Case]:
    """The programs of one computation, which start with that number."""
    r = random.Random(f"{seed}/{number}")
    made = FAMILIES[number // len(PLACES) % len(FAMILIES)](r, number)
    largest, exact = _largest(made, r)
    return [_case(made, place, largest, exact) for place in PLACES]


def _case(made: Computation, place: str, largest: Array, exact: bool) -> Case:
    if made.kind == "int":
        bound: Any = int(largest) + {"at": 0, "inside": -1, "outside": 1}[place]
        text = str(bound)
    else:
        up, down = np.float32(np.inf), np.float32(-np.inf)
        largest = np.float32(largest)
        towards = {"at": largest, "inside": down, "outside": up}[place]
        bound = np.nextafter(largest, towards)
        if not exact and place == "outside":
            bound = np.float32(bound + max(abs(bound), 1.0) * 1e-2)
        text = f"{_hex(bound)}"
    safe: bool | None = place != "inside"
    if not exact and safe:
        safe = None
    return Case(f"{made.name}-{place}", made.family, _program(made, text), safe)


def _hex(value: Any) -> str:
    return float(value).hex() + "f"


def _program(made: Computation, bound: str) -> str:
    kind, nondet = ("float", "float") if made.kind == "float" else ("int", "int")
    lines = []
    for n, (low, high) in enumerate(made.ranges):
        ends = (_hex(low), _hex(high)) if kind == "float" else (str(int(low)), str(int(high)))
        lines += [f"    x[{n}] = __VERIFIER_nondet_{nondet}();"]
        lines += [f"    __VERIFIER_assume(x[{n}] >= {ends[0]} && x[{n}] <= {ends[1]});"]
    return f"""#include <assert.h>
#include <math.h>
#include <stdint.h>
float __VERIFIER_nondet_float(void);
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
{made.body}
int main(void) {{
    {kind} x[{len(made.ranges)}];
{chr(10).join(lines)}
    assert(run(x) <= {bound});
    return 0;
}}
"""


# ---------------------------------------------------------------- the largest result


def _largest(made: Computation, r: random.Random) -> tuple[Array, bool]:
    if made.kind == "int":
        axes = [np.arange(low, high + 1, dtype=np.int64) for low, high in made.ranges]
        return made.function([a.ravel() for a in np.meshgrid(*axes, indexing="ij")]).max(), True
    if len(made.ranges) == 1:
        return made.function([floats_between(*made.ranges[0])]).max(), True
    dense = np.random.default_rng(r.getrandbits(32))
    columns = [dense.uniform(low, high, 200_000).astype(np.float32) for low, high in made.ranges]
    for n, (low, high) in enumerate(made.ranges):  # faces and corners
        columns[n][dense.random(200_000) < 0.3] = np.float32(low)
        columns[n][dense.random(200_000) < 0.3] = np.float32(high)
    return made.function(columns).max(), False


def floats_between(low: float, high: float) -> Array:
    """All floats of an interval."""
    ends = np.array([low, high], dtype=np.float32)
    order = ends.view(np.int32).astype(np.int64)
    order = np.where(order < 0, -(order & 0x7FFFFFFF) - 1, order)
    numbers = np.arange(order[0], order[1] + 1)
    bits = np.where(numbers < 0, 0x80000000 | (-numbers - 1), numbers).astype(np.uint32)
    return bits.view(np.float32)


# ---------------------------------------------------------------- networks


@dataclass(frozen=True, slots=True)
class FixedNet:
    """A ReLU network, of floats or, with a `shift`, of integers."""

    weights: list[Array]
    biases: list[Array]
    shift: int = 0  # of fixed point

    def evaluate(self, columns: list[Array]) -> Array:
        values = columns
        for number, (w, b) in enumerate(zip(self.weights, self.biases, strict=True)):
            rows = []
            for i in range(len(b)):
                total = np.full_like(values[0], b[i])
                for j in range(w.shape[1]):
                    product = w[i, j] * values[j]
                    total = total + (product >> self.shift if self.shift else product)
                rows.append(np.maximum(total, 0) if number < len(self.biases) - 1 else total)
            values = rows
        return values[0]


def _numbers(array: Array, kind: str) -> str:
    return ", ".join(_hex(v) if kind == "float" else str(int(v)) for v in array.ravel())


_RELUS = {
    "float": ["if (s < 0) s = 0;", "s = s > 0 ? s : 0;", "s = fmaxf(s, 0.0f);", "s = s < 0.0f ? 0.0f : s;"],
    "int": ["if (s < 0) s = 0;", "s = s > 0 ? s : 0;", "s &= ~(s >> 31);", "s = s < 0 ? 0 : s;"],
}


def _arrays(net: FixedNet, kind: str, relu: str) -> str:
    """Loops over constant arrays."""
    text, product = [], _product(net, kind)
    for n, (w, b) in enumerate(zip(net.weights, net.biases, strict=True)):
        text.append(f"static const {kind} W{n}[{len(b)}][{w.shape[1]}] = {{ {_numbers(w, kind)} }};")
        text.append(f"static const {kind} B{n}[{len(b)}] = {{ {_numbers(b, kind)} }};")
    body = [f"{kind} run(const {kind} *x) {{"]
    before = "x"
    for n, b in enumerate(net.biases):
        last = n == len(net.biases) - 1
        body.append(f"    {kind} y{n}[{len(b)}];")
        body.append(f"    for (int i = 0; i < {len(b)}; i++) {{")
        body.append(f"        {kind} s = B{n}[i];")
        body.append(f"        for (int j = 0; j < {net.weights[n].shape[1]}; j++)")
        body.append(f"            s += {product(f'W{n}[i][j]', f'{before}[j]')};")
        body.append("        " + ("" if last else relu))
        body.append(f"        y{n}[i] = s;\n    }}")
        before = f"y{n}"
    return "\n".join([*text, *body, f"    return {before}[0];\n}}"])


def _product(net: FixedNet, kind: str) -> Callable[[str, str], str]:
    return lambda w, x: f"({w} * {x} >> {net.shift})" if net.shift else f"{w} * {x}"


def _unrolled(net: FixedNet, kind: str, relu: str) -> str:
    """One statement for each neuron."""
    lines, before, product = [], [f"x[{j}]" for j in range(net.weights[0].shape[1])], _product(net, kind)
    for n, (w, b) in enumerate(zip(net.weights, net.biases, strict=True)):
        names = []
        for i in range(len(b)):
            terms = [product(_numbers(np.array([w[i, j]]), kind), f"{before[j]}") for j in range(w.shape[1])]
            total = " + ".join([_numbers(np.array([b[i]]), kind), *terms])
            names.append(f"n{n}_{i}")
            own, last = names[-1], n == len(net.biases) - 1
            bent = "" if last else f" {{ {kind} s = {own}; {relu} {own} = s; }}"
            lines.append(f"    {kind} {own} = {total};{bent}")
        before = names
    return f"{kind} run(const {kind} *x) {{\n" + "\n".join(lines) + f"\n    return {before[0]};\n}}"


def _layers(net: FixedNet, kind: str, relu: str) -> str:
    """Structs with pointers to weights, and one function for all layers."""
    product = _product(net, kind)
    text = [f"typedef struct {{ int rows, columns, bent; const {kind} *w, *b; }} layer;"]
    rows = []
    for n, (w, b) in enumerate(zip(net.weights, net.biases, strict=True)):
        text.append(f"static const {kind} W{n}[] = {{ {_numbers(w, kind)} }};")
        text.append(f"static const {kind} B{n}[] = {{ {_numbers(b, kind)} }};")
        rows.append(f"{{ {len(b)}, {w.shape[1]}, {int(n < len(net.biases) - 1)}, W{n}, B{n} }}")
    text.append(f"static const layer net[] = {{ {', '.join(rows)} }};")
    text.append(f"""static void apply(const layer *l, const {kind} *in, {kind} *out) {{
    const {kind} *w = l->w;
    for (int i = 0; i < l->rows; i++) {{
        {kind} s = l->b[i];
        for (int j = 0; j < l->columns; j++) s += {product("*w++", "in[j]")};
        if (l->bent) {{ {relu} }}
        out[i] = s;
    }}
}}
{kind} run(const {kind} *x) {{
    {kind} a[16], b[16];
    for (int j = 0; j < {net.weights[0].shape[1]}; j++) a[j] = x[j];
    for (int n = 0; n < {len(rows)}; n++) {{
        apply(&net[n], a, b);
        for (int i = 0; i < net[n].rows; i++) a[i] = b[i];
    }}
    return a[0];
}}""")
    return "\n".join(text)


def _flat(net: FixedNet, kind: str, relu: str) -> str:
    """One array of all numbers, walked through by a pointer."""
    product = _product(net, kind)
    layers = zip(net.weights, net.biases, strict=True)
    numbers = [v for w, b in layers for i in range(len(b)) for v in (b[i], *w[i])]
    sizes = [net.weights[0].shape[1], *(len(b) for b in net.biases)]
    return f"""static const {kind} data[] = {{ {_numbers(np.array(numbers), kind)} }};
static const unsigned char sizes[] = {{ {", ".join(map(str, sizes))} }};
{kind} run(const {kind} *x) {{
    {kind} buffer[2][16];
    const {kind} *p = data;
    for (int j = 0; j < sizes[0]; j++) buffer[0][j] = x[j];
    for (int n = 1; n < {len(sizes)}; n++) {{
        const {kind} *in = buffer[(n + 1) % 2];
        {kind} *out = buffer[n % 2];
        for (int i = 0; i < sizes[n]; i++) {{
            {kind} s = *p++;
            int j = 0;
            while (j < sizes[n - 1]) {{ s += {product("*p", "in[j]")}; p++; j++; }}
            if (n < {len(sizes) - 1}) {{ {relu} }}
            out[i] = s;
        }}
    }}
    return buffer[{(len(sizes) - 1) % 2}][0];
}}"""


def _macros(net: FixedNet, kind: str, relu: str) -> str:
    """Macros and a function for each neuron."""
    product = _product(net, kind)
    text = [f"#define MAC(s, w, v) ((s) + {product('(w)', '(v)')})"]
    text.append(f"static inline {kind} bend({kind} s) {{ {relu} return s; }}")
    for n, (w, b) in enumerate(zip(net.weights, net.biases, strict=True)):
        for i in range(len(b)):
            total = _numbers(np.array([b[i]]), kind)
            for j in range(w.shape[1]):
                total = f"MAC({total}, {_numbers(np.array([w[i, j]]), kind)}, v[{j}])"
            text.append(f"static {kind} neuron{n}_{i}(const {kind} *v) {{ return {total}; }}")
    body, before = [], "x"
    for n, b in enumerate(net.biases):
        bend = "bend" if n < len(net.biases) - 1 else ""
        values = ", ".join(f"{bend}(neuron{n}_{i}({before}))" for i in range(len(b)))
        body.append(f"    const {kind} h{n}[] = {{ {values} }};")
        before = f"h{n}"
    return "\n".join([*text, f"{kind} run(const {kind} *x) {{", *body, f"    return {before}[0];\n}}"])


STYLES = (_arrays, _unrolled, _layers, _flat, _macros)


def _network(kind: str) -> Callable[[random.Random, int], Computation]:
    def make(r: random.Random, number: int) -> Computation:
        sizes = [r.randint(1, 4), *(r.randint(2, 5) for _ in range(r.randint(1, 2))), 1]
        shift = 8 if kind == "int" else 0

        def draw(*shape: int) -> Array:
            values = np.array([r.gauss(0, 0.8) for _ in range(int(np.prod(shape)))]).reshape(shape)
            return values.astype(np.float32) if kind == "float" else np.round(values * 256).astype(np.int64)

        net = FixedNet([draw(b, a) for a, b in pairwise(sizes)], [draw(b) for b in sizes[1:]], shift)
        style, relu = r.choice(STYLES), r.choice(_RELUS[kind])
        if kind == "int":
            half = (512, 128, 24, 10)[sizes[0] - 1]
            ranges = [(-half, half)] * sizes[0]
        else:
            ranges = [(0.5, 1.0)] if sizes[0] == 1 else [(-1.0, 1.0)] * sizes[0]
        text = style(net, kind, relu)
        return Computation(f"network-{kind}-{number}", f"network {kind}", kind, ranges, text, net.evaluate)

    return make


# ---------------------------------------------------------------- polynomials, filters, tables


def _polynomial_float(r: random.Random, number: int) -> Computation:
    """Horner's scheme, sometimes under a quotient or a root."""
    degree = r.randint(2, 6)
    c = np.array([r.gauss(0, 1) for _ in range(degree + 1)], dtype=np.float32)
    last = r.choice(["p", "p / (1.0f + x[0] * x[0])", "sqrtf(p * p + 1.0f)", "p * p"])
    text = f"""static const float c[] = {{ {_numbers(c, "float")} }};
float run(const float *x) {{
    float p = c[0];
    for (int i = 1; i <= {degree}; i++) p = p * x[0] + c[i];
    return {last};
}}"""

    def function(columns: list[Array]) -> Array:
        x = columns[0]
        p = np.full_like(x, c[0])
        for value in c[1:]:
            p = p * x + value
        one = np.float32(1)
        made: dict[str, Callable[[], Array]] = {
            "p": lambda: p,
            "p / (1.0f + x[0] * x[0])": lambda: p / (one + x * x),
            "sqrtf(p * p + 1.0f)": lambda: np.sqrt(p * p + one),
            "p * p": lambda: p * p,
        }
        return made[last]()

    low = r.choice([-1.0, 0.5, 1.0, -2.0])
    ranges = [(low, {-1.0: -0.25, 0.5: 1.5, 1.0: 3.0, -2.0: -0.5}[low])]
    return Computation(f"polynomial-float-{number}", "polynomial float", "float", ranges, text, function)


def _polynomial_int(r: random.Random, number: int) -> Computation:
    """Products of inputs, scaled back by shifts."""
    a, b, c, d = (r.randint(-300, 300) for _ in range(4))
    shift = r.randint(4, 10)
    text = f"""int run(const int *x) {{
    int32_t a = (x[0] * x[0]) >> {shift};
    int32_t b = (x[0] * x[1]) >> {shift};
    return (({a} * a + {b} * b) >> 4) + {c} * x[1] + {d};
}}"""

    def function(columns: list[Array]) -> Array:
        x, y = columns
        return ((a * ((x * x) >> shift) + b * ((x * y) >> shift)) >> 4) + c * y + d

    return Computation(
        f"polynomial-int-{number}", "polynomial int", "int", [(-500, 500), (-200, 200)], text, function
    )


def _filter_int(r: random.Random, number: int) -> Computation:
    """A low-pass filter with rounding and saturation, over as many steps as there are inputs."""
    steps = r.randint(2, 4)
    alpha, limit = r.randint(20, 230), r.randint(40, 120)
    text = f"""int run(const int *x) {{
    int16_t y = 0;
    for (int i = 0; i < {steps}; i++) {{
        int32_t d = x[i] - y;
        int32_t next = y + ((d * {alpha} + 128) >> 8);
        if (next > {limit}) next = {limit}; else if (next < -{limit}) next = -{limit};
        y = (int16_t)next;
    }}
    return y * 3 - x[0];
}}"""

    def function(columns: list[Array]) -> Array:
        y = np.zeros_like(columns[0])
        for x in columns:
            y = np.clip(y + (((x - y) * alpha + 128) >> 8), -limit, limit)
        return y * 3 - columns[0]

    half = {2: 127, 3: 40, 4: 12}[steps]
    return Computation(f"filter-int-{number}", "filter int", "int", [(-half, half)] * steps, text, function)


def _filter_float(r: random.Random, number: int) -> Computation:
    """A biquad in direct form, started at rest."""
    steps = r.randint(2, 4)
    b = np.array([r.uniform(0, 1) for _ in range(3)], dtype=np.float32)
    a = np.array([r.uniform(-1.2, 1.2), r.uniform(-0.5, 0.5)], dtype=np.float32)
    text = f"""static const float b[] = {{ {_numbers(b, "float")} }}, a[] = {{ {_numbers(a, "float")} }};
float run(const float *x) {{
    float s1 = 0, s2 = 0, y = 0;
    for (int i = 0; i < {steps}; i++) {{
        y = b[0] * x[i] + s1;
        s1 = b[1] * x[i] - a[0] * y + s2;
        s2 = b[2] * x[i] - a[1] * y;
    }}
    return y;
}}"""

    def function(columns: list[Array]) -> Array:
        zero = np.zeros_like(columns[0])
        s1, s2, y = zero, zero, zero
        for x in columns:
            y = b[0] * x + s1
            s1 = b[1] * x - a[0] * y + s2
            s2 = b[2] * x - a[1] * y
        return y

    ranges = [(-1.0, 1.0)] * steps
    return Computation(f"filter-float-{number}", "filter float", "float", ranges, text, function)


def _table_int(r: random.Random, number: int) -> Computation:
    """A look-up with linear interpolation between 17 places."""
    table = np.cumsum([r.randint(-200, 400) for _ in range(17)])
    text = f"""static const int16_t table[17] = {{ {_numbers(table, "int")} }};
int run(const int *x) {{
    unsigned u = (unsigned)x[0];
    unsigned i = u >> 8, f = u & 255;
    int low = table[i], high = table[i + 1];
    return low + (((high - low) * (int)f) >> 8);
}}"""

    def function(columns: list[Array]) -> Array:
        place, part = columns[0] >> 8, columns[0] & 255
        low, high = table[place], table[place + 1]
        return low + (((high - low) * part) >> 8)

    return Computation(f"table-int-{number}", "table int", "int", [(0, 4095)], text, function)


def _table_float(r: random.Random, number: int) -> Computation:
    table = np.array([r.gauss(0, 1) for _ in range(9)], dtype=np.float32)
    text = f"""static const float table[9] = {{ {_numbers(table, "float")} }};
float run(const float *x) {{
    float s = x[0] * 8.0f;
    int i = (int)s;
    if (i > 7) i = 7;
    float f = s - (float)i;
    return table[i] + (table[i + 1] - table[i]) * f;
}}"""

    def function(columns: list[Array]) -> Array:
        scaled = columns[0] * np.float32(8)
        place = np.minimum(scaled.astype(np.int32), 7)
        part = scaled - place.astype(np.float32)
        return table[place] + (table[place + 1] - table[place]) * part

    return Computation(f"table-float-{number}", "table float", "float", [(0.125, 1.0)], text, function)


FAMILIES: tuple[Callable[[random.Random, int], Computation], ...] = (
    _network("float"),
    _polynomial_float,
    _network("int"),
    _filter_int,
    _network("float"),
    _polynomial_int,
    _network("int"),
    _filter_float,
    _table_int,
    _table_float,
)
