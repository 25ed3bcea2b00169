"""The operators, one row each: arity, SMT-LIB spelling, result sort, folding.

To add an operator, add a row here, a constructor where its theory lives, and a line in each backend.
A folding function takes the node (for its sorts and index) and the values of the arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from vouch.smt import softfloat as sf
from vouch.smt.node import Term
from vouch.smt.sort import BOOL, Sort, bitvec, floating

Rule = Callable[[Term], Sort]


class OperatorRow(NamedTuple):
    """`arity` is None for "two or more"; `result` gives the sort a node of it must have.
    `smtlib` may contain {0}, {1} for the index; RNE stands where a rounding mode is needed."""

    name: str
    arity: int | None
    smtlib: str
    result: Rule
    fold: Callable[..., Any]


def _bool(_: Term) -> Sort:
    return BOOL


def _first(node: Term) -> Sort:
    return node.args[0].sort


def _second(node: Term) -> Sort:
    return node.args[1].sort


def _sum_of_widths(node: Term) -> Sort:
    return bitvec(node.args[0].width + node.args[1].width)


def _extracted(node: Term) -> Sort:
    high, low = node.index
    return bitvec(int(high) - int(low) + 1)


def _extended(node: Term) -> Sort:
    return bitvec(node.args[0].width + int(node.index[0]))


def _float_of_index(node: Term) -> Sort:
    return floating(int(node.index[0]), int(node.index[1]))


def _bits_of_index(node: Term) -> Sort:
    return bitvec(int(node.index[0]))


def _element(node: Term) -> Sort:
    element = node.args[0].sort.element
    assert element is not None
    return element


def _own(node: Term) -> Sort:
    return node.sort


def mask(width: int) -> int:
    return (1 << width) - 1


def signed(value: int, width: int) -> int:
    """The two's-complement reading of `value`."""
    return value - (1 << width) if value >> (width - 1) else value


def _wrap(function: Callable[[int, int], int]) -> Callable[[Term, int, int], int]:
    return lambda n, x, y: function(x, y) & mask(n.width)


def _udiv(n: Term, x: int, y: int) -> int:
    return x // y if y else mask(n.width)


def _urem(_: Term, x: int, y: int) -> int:
    return x % y if y else x


def _sdiv(n: Term, x: int, y: int) -> int:
    w = n.width
    a, b = signed(x, w), signed(y, w)
    if b == 0:
        return 1 if a < 0 else mask(w)
    quotient = abs(a) // abs(b)
    return (quotient if (a < 0) == (b < 0) else -quotient) & mask(w)


def _srem(n: Term, x: int, y: int) -> int:
    w = n.width
    a, b = signed(x, w), signed(y, w)
    if b == 0:
        return x
    remainder = abs(a) % abs(b)
    return (-remainder if a < 0 else remainder) & mask(w)


def _shl(n: Term, x: int, y: int) -> int:
    return (x << y) & mask(n.width) if y < n.width else 0


def _lshr(n: Term, x: int, y: int) -> int:
    return x >> y if y < n.width else 0


def _ashr(n: Term, x: int, y: int) -> int:
    return (signed(x, n.width) >> min(y, n.width)) & mask(n.width)


def _slt(n: Term, x: int, y: int) -> bool:
    w = n.args[0].width
    return signed(x, w) < signed(y, w)


def _overflows(function: Callable[[int, int], int]) -> Callable[[Term, int, int], bool]:
    def fold(n: Term, x: int, y: int) -> bool:
        w = n.args[0].width
        exact = function(signed(x, w), signed(y, w))
        return not -(1 << (w - 1)) <= exact < (1 << (w - 1))

    return fold


def _umul_overflow(n: Term, x: int, y: int) -> bool:
    return x * y > mask(n.args[0].width)


def _extract(n: Term, x: int) -> int:
    high, low = n.index
    return (x >> int(low)) & mask(int(high) - int(low) + 1)


def _sext(n: Term, x: int) -> int:
    return signed(x, n.args[0].width) & mask(n.width)


def _fp(function: Callable[..., Any]) -> Callable[..., Any]:
    """A softfloat function on the format of the first argument."""
    return lambda n, *values: function(n.args[0].sort, *values)


def _fp_from_sbv(n: Term, x: int) -> int:
    return sf.from_integer(n.sort, signed(x, n.args[0].width))


def _fp_to_sbv(n: Term, x: int) -> int:
    w = n.width
    return sf.to_integer(n.args[0].sort, x, -(1 << (w - 1)), (1 << (w - 1)) - 1) & mask(w)


def _fp_to_ubv(n: Term, x: int) -> int:
    return sf.to_integer(n.args[0].sort, x, 0, mask(n.width))


class ArrayValue(NamedTuple):
    """The value of an array: `default` everywhere but at the keys of `entries`."""

    default: Any
    entries: dict[int, Any]

    def select(self, key: int) -> Any:
        return self.entries.get(key, self.default)

    def store(self, key: int, value: Any) -> ArrayValue:
        entries = dict(self.entries)
        if value == self.default:
            entries.pop(key, None)
        else:
            entries[key] = value
        return ArrayValue(self.default, entries)


_ROWS = (
    # core
    OperatorRow("not", 1, "not", _bool, lambda n, x: not x),
    OperatorRow("and", None, "and", _bool, lambda n, *xs: all(xs)),
    OperatorRow("or", None, "or", _bool, lambda n, *xs: any(xs)),
    OperatorRow("eq", 2, "=", _bool, lambda n, x, y: x == y),
    OperatorRow("ite", 3, "ite", _second, lambda n, c, x, y: x if c else y),
    # bit-vectors
    OperatorRow("add", 2, "bvadd", _first, _wrap(lambda x, y: x + y)),
    OperatorRow("sub", 2, "bvsub", _first, _wrap(lambda x, y: x - y)),
    OperatorRow("mul", 2, "bvmul", _first, _wrap(lambda x, y: x * y)),
    OperatorRow("udiv", 2, "bvudiv", _first, _udiv),
    OperatorRow("urem", 2, "bvurem", _first, _urem),
    OperatorRow("sdiv", 2, "bvsdiv", _first, _sdiv),
    OperatorRow("srem", 2, "bvsrem", _first, _srem),
    OperatorRow("shl", 2, "bvshl", _first, _shl),
    OperatorRow("lshr", 2, "bvlshr", _first, _lshr),
    OperatorRow("ashr", 2, "bvashr", _first, _ashr),
    OperatorRow("band", 2, "bvand", _first, lambda n, x, y: x & y),
    OperatorRow("bor", 2, "bvor", _first, lambda n, x, y: x | y),
    OperatorRow("bxor", 2, "bvxor", _first, lambda n, x, y: x ^ y),
    OperatorRow("bnot", 1, "bvnot", _first, lambda n, x: x ^ mask(n.width)),
    OperatorRow("neg", 1, "bvneg", _first, lambda n, x: -x & mask(n.width)),
    OperatorRow("ult", 2, "bvult", _bool, lambda n, x, y: x < y),
    OperatorRow("slt", 2, "bvslt", _bool, _slt),
    OperatorRow("concat", 2, "concat", _sum_of_widths, lambda n, x, y: (x << n.args[1].width) | y),
    OperatorRow("extract", 1, "(_ extract {0} {1})", _extracted, _extract),
    OperatorRow("zext", 1, "(_ zero_extend {0})", _extended, lambda n, x: x),
    OperatorRow("sext", 1, "(_ sign_extend {0})", _extended, _sext),
    # SMT-LIB 2.7 only: printer.py spells them out for older solvers.
    OperatorRow("sadd_overflow", 2, "bvsaddo", _bool, _overflows(lambda x, y: x + y)),
    OperatorRow("ssub_overflow", 2, "bvssubo", _bool, _overflows(lambda x, y: x - y)),
    OperatorRow("smul_overflow", 2, "bvsmulo", _bool, _overflows(lambda x, y: x * y)),
    OperatorRow("umul_overflow", 2, "bvumulo", _bool, _umul_overflow),
    # floats
    OperatorRow("fp_add", 2, "fp.add RNE", _first, _fp(sf.add)),
    OperatorRow("fp_sub", 2, "fp.sub RNE", _first, _fp(sf.sub)),
    OperatorRow("fp_mul", 2, "fp.mul RNE", _first, _fp(sf.mul)),
    OperatorRow("fp_div", 2, "fp.div RNE", _first, _fp(sf.div)),
    OperatorRow("fp_fma", 3, "fp.fma RNE", _first, _fp(sf.fma)),
    OperatorRow("fp_sqrt", 1, "fp.sqrt RNE", _first, _fp(sf.sqrt)),
    OperatorRow("fp_rem", 2, "fp.rem", _first, _fp(sf.rem)),
    OperatorRow("fp_neg", 1, "fp.neg", _first, _fp(sf.neg)),
    OperatorRow("fp_abs", 1, "fp.abs", _first, _fp(sf.absolute)),
    OperatorRow("fp_round", 1, "fp.roundToIntegral {0}", _first,
             lambda n, x: sf.round_to_integral(n.sort, x, n.index[0].lower())),
    OperatorRow("fp_eq", 2, "fp.eq", _bool, _fp(sf.equal)),
    OperatorRow("fp_lt", 2, "fp.lt", _bool, _fp(sf.less)),
    OperatorRow("fp_le", 2, "fp.leq", _bool, _fp(sf.less_equal)),
    OperatorRow("fp_is_nan", 1, "fp.isNaN", _bool, _fp(sf.is_nan)),
    OperatorRow("fp_is_inf", 1, "fp.isInfinite", _bool, _fp(sf.is_inf)),
    OperatorRow("fp_is_zero", 1, "fp.isZero", _bool, _fp(sf.is_zero)),
    OperatorRow("fp_is_negative", 1, "fp.isNegative", _bool, _fp(sf.is_negative)),
    OperatorRow("fp_is_subnormal", 1, "fp.isSubnormal", _bool, _fp(sf.is_subnormal)),
    OperatorRow("fp_from_bits", 1, "(_ to_fp {0} {1})", _float_of_index,
                lambda n, x: sf.canonical(n.sort, x)),
    OperatorRow("fp_from_sbv", 1, "(_ to_fp {0} {1}) RNE", _float_of_index, _fp_from_sbv),
    OperatorRow("fp_from_ubv", 1, "(_ to_fp_unsigned {0} {1}) RNE", _float_of_index,
             lambda n, x: sf.from_integer(n.sort, x)),
    OperatorRow("fp_to_fp", 1, "(_ to_fp {0} {1}) RNE", _float_of_index,
             lambda n, x: sf.convert(n.args[0].sort, n.sort, x)),
    # Only under a guard that the value is in range: outside SMT-LIB leaves the result open.
    OperatorRow("fp_to_sbv", 1, "(_ fp.to_sbv {0}) RTZ", _bits_of_index, _fp_to_sbv),
    OperatorRow("fp_to_ubv", 1, "(_ fp.to_ubv {0}) RTZ", _bits_of_index, _fp_to_ubv),
    # arrays
    OperatorRow("const_array", 1, "const", _own, lambda n, x: ArrayValue(x, {})),
    OperatorRow("select", 2, "select", _element, lambda n, a, i: a.select(i)),
    OperatorRow("store", 3, "store", _first, lambda n, a, i, v: a.store(i, v)),
)  # fmt: skip

OPERATORS: dict[str, OperatorRow] = {row.name: row for row in _ROWS}


def fold(op: str, args: tuple[Term, ...], sort: Sort, index: tuple[int | str, ...] = ()) -> Any:
    """The value of that operator on constant arguments."""
    node = Term(op, args, sort, index)
    return OPERATORS[op].fold(node, *[arg.value for arg in args])
