"""The library's entry points: what the command line calls, and what a notebook calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from vouch.errors import Unsupported, VouchError
from vouch.nn.arrays import Array
from vouch.nn.float_state import usual_numbers
from vouch.nn.int8.network import Quantised
from vouch.nn.join import joined
from vouch.nn.loaders import load, load_subject
from vouch.nn.loaders.files import read, resolved
from vouch.nn.network import Network
from vouch.nn.property import Norm, Property, as_vector, robustness, within
from vouch.nn.replay import replay
from vouch.nn.result import History, Result
from vouch.nn.specialise import specialised
from vouch.settings import Settings, resolve
from vouch.verdict import Verdict

if TYPE_CHECKING:
    from vouch.nn.ranges import OutputRanges
    from vouch.nn.vnnlib2 import Declared

Path_: TypeAlias = str | PathLike[str]
NetworkLike: TypeAlias = (
    Network | Quantised | Path_ | Sequence[tuple[Array, Array]] | Mapping[str, "Network | Path_"]
)


@usual_numbers
def verify(network: NetworkLike, property: Property | Path_, **options: Any) -> Result:
    """Decide whether the property holds for all its inputs.

    `network` is a file, a `Network`, a torch module, a fitted MLPClassifier or MLPRegressor of scikit-learn,
    a list of numpy layers (W, b) with ReLU between them, or for properties about several networks a mapping
    from their names. `property` is a VNN-LIB file or a `Property`. Options are those of the command line with
    underscores, e.g. `timeout=60`, `engine="milp"`.
    """
    return decide(network, property, resolve("nn", options))


@usual_numbers
def robust(
    network: NetworkLike,
    point: Array | Sequence[float],
    radius: float,
    *,
    label: int | None = None,
    distance: float | None = None,
    norm: Norm = "linf",
    scale: Array | float = 1.0,
    lower: Array | float = -np.inf,
    upper: Array | float = np.inf,
    bottom: bool = False,
    **options: Any,
) -> Result:
    """Decide whether all inputs within `radius` of `point` get the class `label` (default: the point's).

    With `distance`, decide instead whether every output stays that near to its value at the point. `scale`
    stretches the radius input by input, `lower` and `upper` cut the set to valid inputs. With `bottom`, the
    class is that of the smallest output.
    """
    subject = as_subject(network)
    around = {"norm": norm, "scale": scale, "lower": lower, "upper": upper}
    prop = near(subject, point, radius, label=label, distance=distance, bottom=bottom, **around)
    result = decide(subject, prop, resolve("nn", options))
    asked: dict[str, Any] = {"label": label, "distance": distance, "norm": norm, "bottom": bottom}
    return about(result, subject, point, radius, **asked)


def about(
    result: Result,
    network: Network | Quantised,
    point: Array | Sequence[float],
    radius: float,
    *,
    label: int | None,
    distance: float | None,
    norm: str,
    bottom: bool = False,
) -> Result:
    """The answer of `robust` with what was asked, for reports."""
    centre = np.asarray(point, dtype=np.float64).ravel()
    output = network.evaluate(centre[None, :])[0]
    best = int((-output if bottom else output).argmax())
    kept = f"outputs within {distance:g} of its own" if distance is not None else "its class"
    question = {
        **(result.question or {}),
        "text": f"inputs within {radius:g} ({norm}) of the point get {kept}",
        "original": centre.tolist(),
        "original_output": output.tolist(),
        "radius": radius,
        "norm": norm,
        "label": best if label is None and distance is None else label,
    }
    return replace(result, question=question)


@usual_numbers
def output_ranges(
    network: NetworkLike,
    box: Path_ | Property,
    *,
    boxes: int | None = None,
    report: Callable[[float], None] | None = None,
    found: Callable[[OutputRanges], None] | None = None,
    **options: Any,
) -> OutputRanges:
    """Proved ranges of all outputs over the input set of a VNN-LIB file or a `Property`, narrowed by
    splitting until `boxes` boxes were looked at or `timeout` seconds are over. `found` hears of those that
    are proved so far."""
    from vouch.nn.bounds.arrays import arrays_for
    from vouch.nn.bounds.model import model_of
    from vouch.nn.ranges import proved_ranges
    from vouch.nn.search.task import Clock

    settings = resolve("nn", options)
    clock, subject = Clock(settings.timeout), as_network(network)
    region = box if isinstance(box, Property) else _region(Path(box))
    if region.inputs != subject.inputs:
        raise VouchError(
            f"{region.name} speaks of {region.inputs} inputs, {subject.name} has {subject.inputs}"
        )
    for case in region.cases:
        if not (np.isfinite(case.lower).all() and np.isfinite(case.upper).all()):
            raise VouchError(f"{region.name}: an input has no bounds")
    model = model_of(subject, settings.arithmetic, arrays_for(settings.device), logits=False)
    cases = [case for case in region.cases if np.all(case.lower <= case.upper)]
    return proved_ranges(model, cases, clock, boxes=boxes, seed=settings.seed, report=report, found=found)


def _region(path: Path) -> Property:
    from vouch.nn import properties

    try:
        text = read(resolved(path)).decode("utf-8")
    except UnicodeDecodeError:
        raise VouchError(f"{path}: not a text file") from None
    return properties.parse(text, str(path), region=True)


def near(
    network: Network | Quantised,
    point: Array | Sequence[float],
    radius: float,
    *,
    label: int | None = None,
    distance: float | None = None,
    bottom: bool = False,
    **around: Any,
) -> Property:
    """The property that `robust` decides; `around` goes to the input set."""
    centre = as_vector(point)
    if centre.shape != (network.inputs,):
        raise VouchError(f"a point of {centre.size} numbers, {network.name} takes {network.inputs}")
    if distance is None:
        chosen = predicted(network, centre, bottom=bottom) if label is None else label
        return robustness(centre, radius, network.outputs, label=chosen, bottom=bottom, **around)
    if label is not None or bottom or not distance >= 0:
        raise VouchError("a distance that is not negative, and neither label nor bottom, expected")
    return within(centre, radius, network.evaluate(centre[None, :])[0], distance, **around)


def predicted(network: Network | Quantised, point: Array, *, bottom: bool = False) -> int:
    """The class of a point: the index of the strictly largest output, or with `bottom` of the smallest."""
    output = network.evaluate(point[None, :])[0] * (-1 if bottom else 1)
    best = int(output.argmax())
    if np.count_nonzero(output == output[best]) > 1:
        raise VouchError("two classes score the same at the point; name one as label")
    return best


def as_subject(source: NetworkLike) -> Network | Quantised:
    """`as_network`, or an int8 network where a file holds one."""
    if isinstance(source, Quantised):
        return source
    return load_subject(source) if isinstance(source, (str, PathLike)) else as_network(source)


def as_network(source: NetworkLike) -> Network:
    match source:
        case Network():
            return source
        case str() | PathLike():
            return load(source)
        case Mapping():
            return joined([as_network(part) for part in source.values()])
        case Quantised():
            raise VouchError(f"{source.name}: an int8 network where one of real numbers is expected")
        case _:
            return _from_object(source)


def _from_object(source: Any) -> Network:
    """A torch module, a fitted perceptron of scikit-learn, or a list of numpy layers."""
    from vouch.nn.loaders.objects import from_sklearn, from_torch, is_perceptron, is_torch_module

    if is_torch_module(source):
        return from_torch(source)
    if is_perceptron(source):
        return from_sklearn(source)
    return Network.from_layers(list(source))


def decide(
    network: NetworkLike,
    prop: Property | Path_,
    settings: Settings,
    report: Callable[[float], None] | None = None,
) -> Result:
    """`verify` with options already resolved. The seconds include reading the files.

    `report` is called now and then with the share of the question that is proved.
    """
    start = time.monotonic()
    if isinstance(prop, Property):
        subject, asked = as_subject(network), prop
    else:
        subject, asked = _matched(network, Path(prop))
    asked.check(subject.inputs, subject.outputs, subject.name)
    if not isinstance(subject, Network):
        from vouch.nn.int8.decide import verify as decide_int8
    elif settings.format is None:
        _nothing_of_fixed_point(settings)
    history = History(start, report)
    report = history.hear
    try:
        if not isinstance(subject, Network):
            result = decide_int8(subject, asked, settings, report)
        elif settings.format is not None:
            result = _in_fixed_point(subject, network, asked, settings, report)
        else:
            result = _confirmed(subject, asked, _search(subject, asked, settings, report))
    except Unsupported as error:
        result = Result(Verdict.UNKNOWN, settings.engine, reason=str(error))
    seconds = time.monotonic() - start
    question = {"network": _name(network, subject), "input_shape": list(subject.input_shape)}
    if not isinstance(prop, Property):
        question["property"] = str(prop)
    return replace(result, seconds=seconds, question=question, history=history.until(seconds, result.verdict))


def _nothing_of_fixed_point(settings: Settings) -> None:
    if settings.engine in ("enumerate", "smt", "code"):
        raise VouchError(f"engine {settings.engine} decides networks in fixed point: give --format K.L")
    for name, value in (("activation", settings.activation), ("step", settings.step)):
        if value is not None and name not in settings.from_file:
            raise VouchError(f"option --{name} is about networks in fixed point: give --format K.L")


def _name(given: NetworkLike, subject: Network | Quantised) -> str:
    if isinstance(given, Mapping):
        return ", ".join(_name(each, subject) for each in given.values())
    return str(given) if isinstance(given, (str, PathLike)) else subject.name


def _in_fixed_point(
    subject: Network,
    given: NetworkLike,
    prop: Property,
    settings: Settings,
    report: Callable[[float], None] | None,
) -> Result:
    from vouch.nn.fixed.decide import verify as decide_integers

    if isinstance(given, Mapping) and len(given) > 1:
        raise Unsupported("several networks in fixed point")
    return decide_integers(subject, prop, settings, report)


def _matched(network: NetworkLike, path: Path) -> tuple[Network | Quantised, Property]:
    """The property in a VNN-LIB file of either version, and the network or networks that it speaks about."""
    from vouch.nn import properties, vnnlib2

    try:
        text = read(resolved(path)).decode("utf-8")
    except UnicodeDecodeError:
        raise VouchError(f"{path}: not a text file") from None
    if not properties.is_version_2(text):
        if isinstance(network, Mapping) and len(network) > 1:
            raise VouchError(f"{path}: VNN-LIB 1.0 speaks about one network, {len(network)} are given")
        return as_subject(network), properties.parse(text, str(path))
    query = vnnlib2.parse_query(text, str(path))
    if len(query.networks) == 1 and not isinstance(network, Mapping):
        return as_subject(network), query.prop
    if isinstance(network, Quantised):
        raise VouchError(f"{path}: speaks of several networks, which int8 ones cannot be")
    return joined(_named(network, query.networks, path)), query.prop


def _named(network: NetworkLike, declared: Sequence[Declared], path: Path) -> list[Network]:
    """A network for each declaration, in their order. One that is equal to another need not be given."""
    names = {d.name for d in declared}
    given = dict(network) if isinstance(network, Mapping) else {declared[0].name: network}
    if extra := given.keys() - names:
        raise VouchError(f"{path}: declares no network {sorted(extra)[0]!r}")
    found: dict[str, Network] = {}
    for each in declared:
        if each.name in given:
            found[each.name] = as_network(given[each.name])
        elif each.equal_to in found:
            found[each.name] = found[each.equal_to]
        else:
            raise VouchError(f"{path}: no network is given for {each.name!r} (NAME=FILE,NAME=FILE)")
        sizes = found[each.name].inputs, found[each.name].outputs
        if sizes != (each.inputs, each.outputs):
            raise VouchError(
                f"{path}: {each.name} has {each.inputs} inputs and {each.outputs} outputs, "
                f"{found[each.name].name} has {sizes[0]} and {sizes[1]}"
            )
    return list(found.values())


def _search(
    network: Network, prop: Property, settings: Settings, report: Callable[[float], None] | None
) -> Result:
    from vouch.nn.search import verify as search

    low = np.min([case.lower for case in prop.cases], axis=0) if prop.cases else np.zeros(network.inputs)
    high = np.max([case.upper for case in prop.cases], axis=0) if prop.cases else low
    return search(specialised(network, low, high), prop, settings, report)


def _confirmed(network: Network, prop: Property, result: Result) -> Result:
    """A violation is only reported when the runtime shows it; otherwise it is nobody's proof of anything."""
    found = result.counterexample
    if result.verdict is not Verdict.UNSAFE or found is None:
        return result
    output = replay(network, found.input[None, :])[0]
    if prop.violated(found.input, output):
        return replace(result, counterexample=replace(found, output=output), replayed=True)
    return replace(
        result,
        verdict=Verdict.UNKNOWN,
        counterexample=None,
        replayed=False,
        reason="a counterexample was found that onnxruntime does not confirm",
    )
