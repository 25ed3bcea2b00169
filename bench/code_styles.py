"""Networks as C in the styles of code generators: what they write for a chain of dense layers.

Each style takes layers [(W [out, in], b)] and the names of their activations (relu, tanh, logistic, identity)
and gives a `Code`: the files, and the words that tell `vouch equiv code` how it is called. Everything but
`emlearn`, which is run, is written here in the manner of the generator it is named after.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

Layers = list[tuple[Any, Any]]


@dataclass(frozen=True, slots=True)
class Code:
    files: dict[str, str]
    words: tuple[str, ...]
    include: tuple[str, ...] = field(default=())

    def written(self, folder: Path) -> list[str]:
        """The words after `vouch equiv code NET`, with the files in the folder."""
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        sources = [name for name in self.files if not name.endswith(".toml")]
        return [*sources, *self.words, *(word for path in self.include for word in ("-I", path))]


def network(layers: Layers, activations: Sequence[str]) -> Any:
    """The model that the code is to compute."""
    from vouch.nn.network import GraphBuilder
    from vouch.nn.operators import Gemm, Relu, Sigmoid, Tanh

    operators: dict[str, Any] = {"relu": Relu(), "tanh": Tanh(), "logistic": Sigmoid()}
    builder = GraphBuilder("net", "x", (1, layers[0][0].shape[1]))
    value = "x"
    for n, ((w, b), kind) in enumerate(zip(layers, activations, strict=True)):
        value = builder.add(f"layer{n}", Gemm.of(w, b), value)
        value = builder.add(f"act{n}", operators[kind], value) if kind in operators else value
    return builder.build(value)


def number(x: Any, kind: str = "float") -> str:
    return repr(float(x)) + ("f" if kind == "float" else "")


def listed(values: Any, kind: str = "float") -> str:
    return "{" + ", ".join(number(x, kind) for x in np.ravel(values)) + "}"


_SPELLED = {
    "relu": "({0} > 0 ? {0} : 0)",
    "tanh": "tanhf({0})",
    "logistic": "1.0f / (1.0f + expf(-{0}))",
    "identity": "{0}",
}


def emlearn(layers: Layers, activations: Sequence[str]) -> Code:
    """The header that emlearn writes; its library is a folder of headers."""
    with np.errstate():  # a module of the package sets how numpy treats underflow for everybody
        import emlearn as package
        from emlearn.net import c_generate_net_loadable

    weights = [np.asarray(w).T for w, _ in layers]
    text = c_generate_net_loadable(list(activations), weights, [np.asarray(b) for _, b in layers], "net")
    folder = Path(str(package.__file__)).parent
    return Code({"net.h": text}, ("--function", "net_regress"), (str(folder),))


def onnx2c(layers: Layers, activations: Sequence[str]) -> Code:
    """A function for each node, tensors as arrays of one row, static buffers between them."""
    text = "#include <math.h>\n#define MAX(X, Y) ((X) > (Y) ? (X) : (Y))\n"
    calls = ""
    before = f"tensor_x[1][{layers[0][0].shape[1]}]"
    for n, ((w, b), act) in enumerate(zip(layers, activations, strict=True)):
        outs, ins = w.shape
        text += f"static const float tensor_W{n}[{outs}][{ins}] = {{\n  "
        text += ",\n  ".join(listed(row) for row in w) + "};\n"
        text += f"static const float tensor_b{n}[{outs}] = {listed(b)};\n"
        text += f"static float tensor_h{n}[1][{outs}];\n"
        text += f"static inline void node_{n}(const float x[1][{ins}], float y[1][{outs}]) {{\n"
        text += f"  for (unsigned i = 0; i < {outs}; i++) {{\n    float acc = 0;\n"
        text += f"    for (unsigned k = 0; k < {ins}; k++) acc += x[0][k] * tensor_W{n}[i][k];\n"
        text += f"    acc *= 1.0f;\n    acc += tensor_b{n}[i] * 1.0f;\n    y[0][i] = acc;\n  }}\n"
        spelled = {"relu": "MAX({0}, 0)"}.get(act, _SPELLED[act]).format("y[0][i]")
        text += f"  for (unsigned i = 0; i < {outs}; i++) y[0][i] = {spelled};\n}}\n"
        target = "tensor_y" if n == len(layers) - 1 else f"tensor_h{n}"
        calls += f"  node_{n}({before.split('[')[0]}, {target});\n"
        before = f"tensor_h{n}[1][{outs}]"
    ins, outs = layers[0][0].shape[1], len(layers[-1][1])
    text += f"void entry(const float tensor_x[1][{ins}], float tensor_y[1][{outs}]) {{\n{calls}}}\n"
    return Code({"model.c": text}, ("--function", "entry"))


def m2cgen(layers: Layers, activations: Sequence[str]) -> Code:
    """Straight-line expressions in double."""
    text = "#include <math.h>\n#include <string.h>\nvoid score(double * input, double * output) {\n"
    names = [f"input[{k}]" for k in range(layers[0][0].shape[1])]
    for n, ((w, b), act) in enumerate(zip(layers, activations, strict=True)):
        fresh = []
        for i, row in enumerate(w):
            products = [f"(({v}) * ({number(c, 'double')}))" for v, c in zip(names, row, strict=True)]
            total = f"({number(b[i], 'double')})"
            for part in products:
                total = f"({total}) + {part}"
            text += f"    double var{n}_{i};\n    var{n}_{i} = {total};\n"
            spelled = {
                "relu": "({0}) > (0.0) ? ({0}) : (0.0)",
                "tanh": "tanh({0})",
                "logistic": "(1.0) / ((1.0) + (exp((0.0) - ({0}))))",
                "identity": "{0}",
            }[act]
            text += f"    var{n}_{i} = {spelled.format(f'var{n}_{i}')};\n"
            fresh.append(f"var{n}_{i}")
        names = fresh
    inner = ", ".join(names)
    text += f"    memcpy(output, (double[]){{{inner}}}, {len(names)} * sizeof(double));\n}}\n"
    return Code({"score.c": text}, ("--function", "score"))


_TENSORS = """#include <math.h>
#include <stddef.h>
typedef struct { float *array; size_t ndim; size_t numel; size_t shape[5]; } k2c_tensor;
typedef void k2c_activationType(float *x, const size_t size);
static void k2c_relu_func(float *x, const size_t size) {
  for (size_t i = 0; i < size; ++i) { if (x[i] <= 0.0f) { x[i] = 0.0f; } }
}
static void k2c_tanh_func(float *x, const size_t size) {
  for (size_t i = 0; i < size; ++i) { x[i] = tanhf(x[i]); }
}
static void k2c_sigmoid_func(float *x, const size_t size) {
  for (size_t i = 0; i < size; ++i) { x[i] = 1 / (1 + expf(-x[i])); }
}
static void k2c_linear_func(float *x, const size_t size) { (void)x; (void)size; }
static void k2c_dense(k2c_tensor *output, const k2c_tensor *input, const k2c_tensor *kernel,
                      const k2c_tensor *bias, k2c_activationType *activation) {
  size_t outrows = 1, outcols = kernel->shape[1], innerdim = kernel->shape[0];
  for (size_t i = 0; i < outrows; ++i) {
    for (size_t j = 0; j < outcols; ++j) {
      output->array[i * outcols + j] = bias->array[j];
      for (size_t k = 0; k < innerdim; ++k) {
        output->array[i * outcols + j] += input->array[i * innerdim + k] * kernel->array[k * outcols + j];
      }
    }
  }
  activation(output->array, outrows * outcols);
}
"""


def keras2c(layers: Layers, activations: Sequence[str]) -> Code:
    """Tensors as structs, activations through pointers to functions; how it is called stands in a map."""
    functions = {"logistic": "sigmoid", "identity": "linear"}
    text, calls, before = _TENSORS, "", "x"
    for n, ((w, b), act) in enumerate(zip(layers, activations, strict=True)):
        outs, ins = w.shape
        text += f"static float kernel{n}_array[{ins * outs}] = {listed(w.T)};\n"
        shape = f"{ins * outs}, {{{ins}, {outs}, 1, 1, 1}}"
        text += f"static k2c_tensor kernel{n} = {{kernel{n}_array, 2, {shape}}};\n"
        text += f"static float bias{n}_array[{outs}] = {listed(b)};\n"
        text += f"static k2c_tensor bias{n} = {{bias{n}_array, 1, {outs}, {{{outs}, 1, 1, 1, 1}}}};\n"
        text += f"static float dense{n}_array[{outs}];\n"
        text += f"static k2c_tensor dense{n} = {{dense{n}_array, 1, {outs}, {{{outs}, 1, 1, 1, 1}}}};\n"
        target = "y" if n == len(layers) - 1 else f"&dense{n}"
        function = f"k2c_{functions.get(act, act)}_func"
        calls += f"  k2c_dense({target}, {before}, &kernel{n}, &bias{n}, {function});\n"
        before = f"&dense{n}"
    text += f"void net(k2c_tensor *x, k2c_tensor *y) {{\n{calls}}}\n"
    ins, outs = layers[0][0].shape[1], len(layers[-1][1])
    made = f"k2c_tensor x = {{in, 1, {ins}, {{{ins}, 1, 1, 1, 1}}}}; "
    made += f"k2c_tensor y = {{out, 1, {outs}, {{{outs}, 1, 1, 1, 1}}}}; net(&x, &y)"
    return Code({"net.h": text, "map.toml": f"call = '{made}'\n"}, ("--map", "map.toml"))


def by_hand(layers: Layers, activations: Sequence[str]) -> Code:
    """Fields of structs, inner products as a function, activations in place."""
    ins, outs = layers[0][0].shape[1], len(layers[-1][1])
    fields = " ".join(f"float x{k};" for k in range(ins))
    results = " ".join(f"float y{k};" for k in range(outs))
    text = "#include <math.h>\n"
    text += f"struct sample {{ {fields} }};\nstruct answer {{ int valid; {results} }};\n"
    text += "static float dot(const float *w, const float *v, int n) {\n"
    text += "  float s = 0; while (n-- > 0) s += *w++ * *v++; return s;\n}\n"
    body, before = f"  float v[{ins}] = {{{', '.join(f's->x{k}' for k in range(ins))}}};\n", "v"
    for n, ((w, b), act) in enumerate(zip(layers, activations, strict=True)):
        rows, columns = w.shape
        text += f"static const float w{n}[] = {listed(w)}, b{n}[] = {listed(b)};\n"
        body += f"  float h{n}[{rows}];\n  for (int i = 0; i < {rows}; i++) {{\n"
        body += f"    float t = dot(w{n} + i * {columns}, {before}, {columns}) + b{n}[i];\n"
        body += f"    h{n}[i] = {_SPELLED[act].format('t')};\n  }}\n"
        before = f"h{n}"
    body += "".join(f"  a->y{k} = {before}[{k}];\n" for k in range(outs)) + "  a->valid = 1;\n"
    text += f"void decide(const struct sample *s, struct answer *a) {{\n{body}}}\n"
    lines = ["call = 'decide(&sample, &answer)'"]
    lines.append("declare = 'static struct sample sample; static struct answer answer;'")
    lines.append("inputs = [" + ", ".join(f"'sample.x{k}'" for k in range(ins)) + "]")
    lines.append("outputs = [" + ", ".join(f"'answer.y{k}'" for k in range(outs)) + "]")
    return Code({"decide.h": text, "map.toml": "\n".join(lines) + "\n"}, ("--map", "map.toml"))


STYLES: dict[str, Callable[[Layers, Sequence[str]], Code]] = {
    "emlearn": emlearn,
    "onnx2c": onnx2c,
    "m2cgen": m2cgen,
    "keras2c": keras2c,
    "by hand": by_hand,
}
