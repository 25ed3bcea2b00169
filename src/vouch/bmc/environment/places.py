"""Where in an object a pointer from outside may lead, as far as that is followed exactly: to its start, to
some element of an array, and for violations that need overlapping objects to a few places that are chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from vouch.bmc.environment.overlap import EVERYWHERE, Group, Pair, group_of
from vouch.bmc.value import MemObject
from vouch.smt import term as T
from vouch.smt.term import Term

if TYPE_CHECKING:
    from vouch.bmc.context import ExecutionContext


class Places:
    """`chosen`: for these pairs of objects places are chosen. `starts` says where in its own object a pointer
    leads then."""

    def __init__(self, context: ExecutionContext, chosen: frozenset[Pair]) -> None:
        self._context = context
        self._ctypes = context.ctypes
        self._chosen = chosen
        self.starts: dict[MemObject, int] = {}

    def start(self, own: MemObject, ctype: int | None) -> int:
        """Where in its object a pointer leads: where places are chosen there is something before it."""
        if not self._chosen:
            return 0
        size = self._context.program.ctypes[ctype].size if ctype is not None else 0
        self.starts[own] = 2 * size if size > 1 else 16
        return self.starts[own]

    def offsets(self, target: MemObject, own: Group) -> Iterator[Term]:
        """Where in an object a pointer to one of the group may lead, as far as that is followed exactly."""
        _, name, ctype = own
        held = self._ctypes.known(target.ctype)
        bits = self._context.pointer_bits
        if ctype is not None and held is not None and not self._ctypes.is_bytes(ctype):
            if self._ctypes.same(held, ctype):
                yield T.bv(self.starts.get(target, 0), bits)
            else:
                stride = self._ctypes.stride_of(held, ctype)
                if stride and isinstance(target.size, int) and target.size >= stride:
                    yield self._somewhere(target, stride, name)
                    return
        if self._is_chosen(own, target) and self._ctypes.may_share(held, ctype):
            for place in self._chosen_places(held, ctype):
                place += self.starts.get(target, 0)
                if place < 0:
                    continue
                size = self._context.program.ctypes[ctype].size if ctype is not None else 1
                if not isinstance(target.size, int) or place + max(size, 1) <= target.size:
                    yield T.bv(place, bits)

    def _is_chosen(self, own: Group, target: MemObject) -> bool:
        return self._chosen is EVERYWHERE or frozenset((own, group_of(target))) in self._chosen

    def _chosen_places(self, held: int | None, ctype: int | None) -> list[int]:
        """A few offsets in an object of type `held` at which a pointer to `ctype` may lead."""
        found = self._ctypes.places(held, ctype)[:4]
        elements = self._ctypes.same_element(held, ctype) and held != ctype
        if elements or self._ctypes.is_bytes(held) or self._ctypes.is_bytes(ctype):
            found.insert(0, 0)
        if held is not None and not self._ctypes.is_bytes(held):
            found += [-place for place in self._ctypes.places(ctype, held)[:4]]
        if ctype is not None and not self._ctypes.is_bytes(ctype):
            size = self._context.program.ctypes[ctype].size
            found += [size, -size]
        else:
            found.append(1)
        return list(dict.fromkeys(found))[:8]

    def _somewhere(self, target: MemObject, stride: int, name: str) -> Term:
        """Some element of an array; there is at least one."""
        assert isinstance(target.size, int)
        if target.size < 2 * stride:
            return self._context.zero_offset
        bits = self._context.pointer_bits
        index = T.fresh(f"{name}.index", T.bitvec(bits))
        self._context.constrain(T.ult(index, T.bv(target.size // stride, bits)))
        return T.mul(index, T.bv(stride, bits))
