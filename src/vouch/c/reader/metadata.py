"""Debug information, parsed on demand from the numbered metadata lines."""

from __future__ import annotations

import re
from collections.abc import Mapping

from vouch.c.ir import Location, Variable
from vouch.c.reader.ctypes import CTypeReader
from vouch.c.reader.scan import unquoted

_FIELD = re.compile(r'(\w+): ("[^"]*"|[^,()]*(?:\([^()]*\))?)')
_LOCATION = re.compile(r"(?:distinct )?!DILocation\(line: (\d+)(?:, column: (\d+))?, scope: !(\d+)")
_DEBUG = re.compile(r"!dbg !(\d+)")
_LOOP = re.compile(r"!llvm\.loop !(\d+)")


def fields(text: str) -> dict[str, str]:
    """`name: value` pairs of a specialised node; strings without quotes."""
    return {key: unquoted(value) if value.startswith('"') else value for key, value in _FIELD.findall(text)}


class Metadata:
    """`nodes` maps the number of a node to its text. Everything read from it is remembered."""

    def __init__(self, nodes: Mapping[str, str]) -> None:
        self._nodes = nodes
        self.ctypes = CTypeReader(self.fields, self.items)
        self._fields: dict[str, dict[str, str]] = {}
        self._locations: dict[str, Location | None] = {}
        self._scopes: dict[str, tuple[str, str]] = {}
        self._variables: dict[str, Variable | None] = {}
        self._attachments: dict[str, tuple[Location | None, bool, str | None]] = {
            "": (None, False, None),
        }

    def fields(self, number: str) -> dict[str, str]:
        """The fields of node `number`, and its kind under the key ""."""
        known = self._fields.get(number)
        if known is None:
            text = self._nodes.get(number, "")
            known = fields(text)
            known[""] = text.removeprefix("distinct ").partition("(")[0].lstrip("!")
            self._fields[number] = known
        return known

    def items(self, number: str) -> list[str]:
        """The numbers in a list node; "" for null and for what is no node."""
        inner = self._nodes.get(number, "").partition("{")[2].rstrip("}")
        return [part[1:] if part[:1] == "!" else "" for part in inner.split(", ")] if inner else []

    def attached(self, suffix: str) -> tuple[Location | None, bool, str | None]:
        """Location, nosanitize and loop of the attachments `, !dbg !1, !nosanitize !2` of an instruction."""
        known = self._attachments.get(suffix)
        if known is None:
            debug, loop = _DEBUG.search(suffix), _LOOP.search(suffix)
            place = self.location(debug[1]) if debug else None
            known = (place, "!nosanitize " in suffix, loop[1] if loop else None)
            self._attachments[suffix] = known
        return known

    def location(self, number: str) -> Location | None:
        if number not in self._locations:
            self._locations[number] = self._location(number)
        return self._locations[number]

    def _location(self, number: str) -> Location | None:
        """None for line 0, by which clang means that no place in the source is to blame."""
        match = _LOCATION.match(self._nodes.get(number, ""))
        if match is None or match[1] == "0":
            return None
        file, function = self._scope(match[3])
        return Location(file, int(match[1]), int(match[2] or 0), function)

    def _scope(self, number: str) -> tuple[str, str]:
        """File and function of a scope."""
        known = self._scopes.get(number)
        if known is None:
            node = self.fields(number)
            file = self.file(node.get("file", ""))
            if node[""] == "DISubprogram":
                known = (file, node.get("name", ""))
            elif node.get("scope", "").startswith("!"):
                known = (file, self._scope(node["scope"][1:])[1])
            else:
                known = (file, "")
            self._scopes[number] = known
        return known

    def file(self, reference: str) -> str:
        """The path as clang was given it."""
        return self.fields(reference[1:]).get("filename", "") if reference.startswith("!") else ""

    def variable(self, number: str) -> Variable | None:
        """A local or global variable; None for one without a name (a string literal)."""
        if number not in self._variables:
            node = self.fields(number)
            if node[""] == "DIGlobalVariableExpression":
                return self.variable(node["var"][1:])
            self._variables[number] = self._variable(node)
        return self._variables[number]

    def _variable(self, node: dict[str, str]) -> Variable | None:
        if not node.get("name"):
            return None
        place = None
        if node.get("line", "0") != "0":
            scope = node.get("scope", "")
            function = self._scope(scope[1:])[1] if scope.startswith("!") else ""
            place = Location(self.file(node.get("file", "")), int(node["line"]), 0, function)
        kind = self.ctypes.key(node.get("type", "null"))
        return Variable(node["name"], kind, place, int(node.get("arg", "0")))

    def subprogram(self, number: str) -> tuple[str, Location | None, int | None, tuple[int | None, ...]]:
        """Name, place, C type of the result and of the parameters of a function."""
        node = self.fields(number)
        name = node.get("name", "")
        file = self.file(node.get("file", ""))
        place = Location(file, int(node.get("line", "0")), 0, name) if file else None
        types = self.fields(node["type"][1:]).get("types", "") if "type" in node else ""
        if not types.startswith("!"):
            return name, place, None, ()
        keys = [self.ctypes.key(f"!{item}" if item else "null") for item in self.items(types[1:])]
        if not keys:
            return name, place, self.ctypes.void, ()
        # A null after the first is the "..." of a variadic function.
        parameters = tuple(k for k in keys[1:] if k != self.ctypes.void)
        return name, place, keys[0], parameters
