"""Pointers that nobody in the program made, and what they may lead to.

Such a pointer leads to an object of its own, or to one that is there already. Equal pointers to objects of
one type are followed exactly, as one more target. Everything else that the language allows (into the middle
of a struct, one element further on, to characters of anything) is two objects that may overlap: under a
symbol, what is written to one may change the other (`layers.Disturbed`). A violation that needs such a symbol
is looked for once more with places chosen, before it is reported as one under a condition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from vouch.bmc.access_paths import AccessPaths
from vouch.bmc.contents import Contents
from vouch.bmc.environment.code import UnknownCode
from vouch.bmc.environment.layers import Hit, Late, PointerMaker, add_hit
from vouch.bmc.environment.overlap import Overlaps, Pair
from vouch.bmc.environment.places import Places
from vouch.bmc.environment.reach import Reach, Walker
from vouch.bmc.environment.unread import Unread
from vouch.bmc.initial import Suspect, Unknown
from vouch.bmc.value import Kind, MemObject, Pointer, Target, Value
from vouch.c import ir
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt import walk
from vouch.smt.term import Term

if TYPE_CHECKING:
    from vouch.bmc.context import ExecutionContext

OWN = (Kind.STACK, Kind.HEAP)
MEMORY = (*OWN, Kind.GLOBAL)
EQUAL_LIMIT = 8  # objects that a pointer may be followed to exactly
MOST_OBJECTS = 100  # behind pointers that the program may have stored, or that loops make
OTHERS_LIMIT = 2  # pointers that may have got into one place through overlapping objects
PLACES_LIMIT = 24  # the same where places are chosen


class OutsidePointers(PointerMaker):
    """`strict`: pointers from outside may be null or invalid. `private`: globals that nothing but accesses by
    name reaches. `sharing`: "language" as above; "same-type" leaves the pairs out. `chosen`: for these pairs
    places are chosen, and the others are left out: for violations only.

    For a function that the program itself calls, or whose callees are not followed, the rules for pointers
    from outside are not enough: without `typed`, memory is shared whatever the types, in parts as well;
    without `trusted`, pointers found in memory may be null or invalid."""

    def __init__(
        self,
        context: ExecutionContext,
        *,
        strict: bool,
        private: frozenset[str],
        sharing: str = "language",
        chosen: frozenset[Pair] = frozenset(),
        typed: bool = True,
        trusted: bool = True,
    ) -> None:
        self.typed = typed
        self.trusted = trusted
        self.suspects: set[MemObject] = set()  # behind pointers that need not be valid
        self.leaked: dict[MemObject, None] = {}  # own objects whose address was stored where others may read
        self.own_data = _OwnData(self)
        self.escapes: Callable[[MemObject], bool] = lambda held: True
        self.context = context
        self.ctypes = context.ctypes
        self.strict = strict
        self.private = private
        self.sharing = sharing
        self.chosen = chosen
        self.relevant: list[str] = []  # globals that the code from the entry point on mentions
        self.objects: list[MemObject] = []
        self.code = UnknownCode(context.program)
        self.known = Reach()  # what code outside has seen of the program's own objects
        self.overlaps = Overlaps(context.ctypes, context.pointer_bits, typed=typed)
        self.places = Places(context, chosen)
        self.starts = self.places.starts
        self.restricted: set[MemObject] = set()
        self.sized: set[MemObject] = set()  # of promised sizes, which what others lead to need not have
        self.stored_from: int | None = None  # the number of a term made when something was first stored
        self.written_from: int | None = None  # … when somebody first wrote who does not say where
        self.choices: set[Term] = set()  # that a pointer is one of those that are there
        self.named: set[Term] = set()  # of these: that it leads to a variable of the program
        self._names: list[str] | None = None
        # Pointers of the program's own that it stored, and where.
        self._own_pointers: dict[MemObject, dict[tuple[Term | None, Hit], None]] = {}
        self._others: dict[tuple[MemObject, int], list[Value]] = {}
        self._unread = Unread(context.ctypes)
        self.walker = Walker(context.ctypes, context.initial_pointers, context.addressed, whole=not typed)

    @property
    def stores_own(self) -> bool:
        """Has the program stored pointers of its own, null among them, where others look?"""
        return any(held.kind is not Kind.STACK for held in self._own_pointers)

    def forget(self, gone: set[MemObject]) -> None:
        """Objects that no execution knows any more."""
        self.objects = [held for held in self.objects if held not in gone]
        self.overlaps.forget(gone)
        for held in gone:
            for known in (self.leaked, self.known.seen, self.known.writable, self._own_pointers):
                known.pop(held, None)

    def pointer(
        self,
        pointee: int | None,
        name: str,
        *,
        alone: bool = False,
        passed: Iterable[Pointer] = (),
        memory: Mapping[MemObject, Contents] | None = None,
        restrict: bool = False,
        strict: bool | None = None,
        room: tuple[int, int] | None = None,
        size: int | Term | None = None,
        reason: str = "",
    ) -> Pointer:
        """A pointer from outside: to an object of its own, or, unless it is `alone`, to one that is there.
        `passed` are pointers that code outside was just given and may give back; `memory` tells what of the
        program's own objects lives; `restrict`: nothing that is written through it is accessed otherwise.
        `strict` overrides the environment's; `room`: only so many bytes before and behind it are there, and
        what they hold the program itself may have put there. `size`: so many bytes are promised to be behind
        it. `reason`: why no native run can have what its own object holds."""
        strict = self.strict if strict is None else strict
        restrict = restrict and self.typed
        ctype = self.ctypes.known(pointee)
        if self.ctypes.is_function(ctype):
            code = MemObject(Kind.FUNCTION, "", 0, Unknown())
            function: list[Target] = []
            rest = self._invalid(function, T.TRUE, name) if strict else T.TRUE
            return Pointer((*function, (rest, code, self.context.zero_offset)))
        own = self._own(ctype, name, strict, room, size)
        targets: list[Target] = []
        remaining: Term = T.TRUE
        followed: set[MemObject] = set()  # whichever path led here
        apart = alone or restrict or size is not None  # others need not be of its size
        for guard, target, offset in () if apart else self._candidates(ctype, name, passed):
            lives = _lives(target, memory)
            if guard.name and lives is T.TRUE and offset.value == 0:
                followed.add(target)
            guard = T.and_(guard, lives)
            targets.append((T.and_(remaining, guard), target, offset))
            remaining = T.and_(remaining, T.not_(guard))
        if strict:
            remaining = self._invalid(targets, remaining, name)
        first = room[0] if room is not None else 0 if size is not None else self.places.start(own, ctype)
        start = T.bv(first, self.context.pointer_bits)
        targets.append((remaining, own, start))
        if not alone:
            self._pair_up(own, followed)
            self._note_earlier(own)
        if restrict:
            self.restricted.add(own)
        if size is not None:
            self.sized.add(own)
        if reason and isinstance(own.initial, Unknown):
            own.initial.reason = reason
        self.objects.append(own)
        return Pointer(tuple(targets)) if len(targets) > 1 else Pointer.to(own, start)

    def _invalid(self, targets: list[Target], remaining: Term, name: str) -> Term:
        """A pointer that need not be valid: null or some address. What is left."""
        null, invalid = T.fresh(f"{name}.is.null", T.BOOL), T.fresh(f"{name}.is.invalid", T.BOOL)
        targets.append((T.and_(remaining, null), self.context.null_object, self.context.zero_offset))
        remaining = T.and_(remaining, T.not_(null))
        address = T.fresh(f"{name}.address", T.bitvec(self.context.pointer_bits))
        targets.append((T.and_(remaining, invalid), self.context.wild_object, address))
        return T.and_(remaining, T.not_(invalid))

    def _own(
        self,
        ctype: int | None,
        name: str,
        strict: bool,
        room: tuple[int, int] | None,
        size: int | Term | None,
    ) -> MemObject:
        """The object of its own that a pointer may lead to."""
        size = size if room is None else sum(room)
        if self.typed:
            align = self.ctypes.align(ctype, self.context.layouts)
            return MemObject(Kind.OUTSIDE, name, size, Unknown(), align=align, ctype=ctype)
        suspect = strict or room is not None
        own = MemObject(Kind.OUTSIDE, name, size, Suspect() if suspect else Unknown(), align=1, ctype=ctype)
        if suspect:
            self.suspects.add(own)
        return own

    def adopt(self, own: MemObject) -> None:
        """An object of the caller's that was made otherwise. Those of its own are for one call alone; the
        program's own callers need not keep to that."""
        if not self.typed:
            self.suspects.add(own)
            self._pair_up(own, set())
        self.objects.append(own)

    def stored_pointer(self, target: MemObject, offset: int) -> Value:
        return self._stored(target, offset, self._distrusts(target))

    def _distrusts(self, target: MemObject) -> bool:
        """May pointers that an object held from the beginning be invalid?"""
        return self.strict or not self.trusted or target in self.suspects

    def _stored(self, target: MemObject, offset: int, strict: bool) -> Value:
        pointee = self.ctypes.pointee(self.ctypes.ctype_at(target.ctype, offset))
        place = AccessPaths(self.ctypes.table, self.starts).place(target, offset)
        found = self.pointer(pointee, place, strict=strict, reason=_limit(target))
        if target.kind is Kind.GLOBAL:
            self.code.in_variables.update(held for _, held, _ in found.targets)
        return found

    def pointer_anywhere(self, target: MemObject) -> Value:
        """A pointer at a variable place of an object that nobody has written to."""
        pointee = self.ctypes.pointee(self.ctypes.known(target.ctype))
        return self.pointer(
            pointee, f"{target.name}[*]", strict=self._distrusts(target), reason=_limit(target)
        )

    def own_pointer(self, target: MemObject, offset: int) -> Value:
        """What code of the program may have stored at a place: any pointer whatever."""
        self._end_somewhere("memory")
        return self._stored(target, offset, True)

    def loop_pointer(self, target: MemObject, offset: int) -> Value:
        """The same, by turns of a loop that nobody follows."""
        return self.any_pointer(self.ctypes.pointee(self.ctypes.ctype_at(target.ctype, offset)), target.name)

    def any_pointer(self, pointee: int | None, name: str) -> Pointer:
        """Any pointer whatever."""
        self._end_somewhere("a loop")
        return self.pointer(pointee, name, strict=True)

    def _end_somewhere(self, what: str) -> None:
        """Each pointer that may be any leads to an object more that may overlap all others, and holds more of
        them: what that costs grows with its square."""
        if len(self.objects) > MOST_OBJECTS:
            raise Unsupported(f"{what} that leads to too many objects")

    def another_pointer(self, target: MemObject, offset: int) -> Value:
        if not self.typed:
            return self.own_pointer(target, offset)
        made = self._others.setdefault((target, offset), [])
        if len(made) < OTHERS_LIMIT:
            made.append(self.stored_pointer(target, offset))
        else:
            self.context.note(
                f"{target.name} holds at most {OTHERS_LIMIT + 1} different pointers in one place"
            )
        return made[-1]

    def _candidates(self, ctype: int | None, name: str, passed: Iterable[Pointer]) -> Iterator[Target]:
        """What a pointer to `ctype` may be equal to: conditions, objects, offsets."""
        count = 0
        limit = PLACES_LIMIT if self.chosen else EQUAL_LIMIT
        for given in passed:
            for guard, target, offset in given.targets:
                if count < limit and target.kind in (*MEMORY, Kind.OUTSIDE):
                    count += 1
                    yield T.and_(guard, self._choice(name, target)), target, offset
        own = Kind.OUTSIDE, name, ctype
        for target in self._shared():
            follows = target not in self.restricted and target not in self.sized
            for offset in self.places.offsets(target, own) if follows else ():
                if count >= limit:
                    return
                count += 1
                choice = self._choice(name, target)
                if target.kind is Kind.GLOBAL:
                    self.named.add(choice)
                yield choice, target, offset

    def asked_for(self, first: Term, second: Term) -> None:
        """The program has compared pointers that lead to one variable under these conditions."""
        if self.named:
            self.named -= set(walk.symbols(first)) ^ set(walk.symbols(second))

    def _choice(self, name: str, target: MemObject) -> Term:
        symbol = T.fresh(f"{name}.is.{target.name}", T.BOOL)
        self.choices.add(symbol)
        return symbol

    def _shared(self) -> list[MemObject]:
        """Objects that code outside may know the address of, the oldest first."""
        exposed = [self.context.named(name) for name in self.exposed()]
        own = [o for o in self.known.seen if o.kind in MEMORY and not o.dead and not o.constant]
        leaked = [o for o in self.leaked if not o.dead]
        return list(dict.fromkeys((*self.objects, *exposed, *own, *leaked)))

    def exposed(self) -> list[str]:
        """Variables of the program that something other than accesses by name may reach."""
        if self._names is None:
            held = self.context.program.globals
            # What the compiler made for itself is private to it.
            self._names = [
                name
                for name in self.relevant
                if name not in self.private and held[name].linkage != "private" and not held[name].constant
            ]
            self._names += self._representatives()
        return self._names

    def _representatives(self) -> list[str]:
        """Of the variables that other files can see and this code does not mention, one of each type: a
        pointer from outside may lead to one, and code outside writes them. Of those that are only declared
        the compiler says no more than how they lie in memory."""
        found: dict[object, str] = {}
        for name, variable in self.context.program.globals.items():
            visible = variable.linkage not in ("internal", "private") and not variable.constant
            if visible and name not in self.relevant:
                held = variable.variable
                found.setdefault(variable.type if held is None else held.type, name)
        return list(found.values())

    def _pair_up(self, own: MemObject, followed: set[MemObject]) -> None:
        if self.chosen:
            return
        shared = self._shared()
        if self.sharing != "language":
            if any(self.ctypes.may_share(target.ctype, own.ctype) for target in shared):
                self.context.note("pointers from outside share whole objects of one type only")
            return
        self.overlaps.add(own, shared)
        for target in followed if self.typed else ():
            element = self._element(own, target)
            if element is not None:
                self.overlaps.follow(own, target, element)

    def _note_earlier(self, own: MemObject) -> None:
        """Pointers that the program stored before in what the new object may overlap."""
        hits: Mapping[Term, frozenset[Hit]] = {}
        for target, symbol in self.overlaps.of(own) if self._own_pointers else ():
            element = self.overlaps.element(target, own)
            for offset, hit in self._own_pointers.get(target, {}):
                hits = add_hit(hits, symbol, hit._replace(spared=self._spared(element, offset, hit.type)))
        if hits:
            own.initial = Late(hits, isinstance(own.initial, Suspect))

    def _element(self, a: MemObject, b: MemObject) -> int | None:
        """The size of what both are made of, where that is one type."""
        mine, theirs = self.ctypes.known(a.ctype), self.ctypes.known(b.ctype)
        if mine is None or theirs is None or not self.ctypes.same(mine, theirs) or self.ctypes.is_bytes(mine):
            return None
        return self.context.program.ctypes[mine].size or None

    def same_place(self, a: MemObject, x: Term, b: MemObject, y: Term) -> Term:
        """Are these places in two objects one and the same?"""
        found = self.overlaps.between(a, b)
        return T.FALSE if found is None else T.and_(found[0], T.eq(x, T.add(y, found[1])))

    def stands_alone(self, target: MemObject) -> bool:
        """Whether a number that is written to a local variable, as what lies there, changes nothing else."""
        return target.kind is Kind.STACK and not self.overlaps.any(target)

    def _spared(
        self, element: int | None, offset: Term | None, type_: ir.Type | None
    ) -> tuple[int, int] | None:
        """What a write within an element cannot hit where equal pointers are followed: the element there."""
        if element is None or type_ is None or offset is None or offset.value is None:
            return None
        inside = int(offset.value) <= element - self.context.layouts.store_size(type_)
        return (0, element) if inside else None


class _OwnData(PointerMaker):
    """Makes the pointers that code of the program may have stored."""

    def __init__(self, environment: OutsidePointers) -> None:
        self.environment = environment

    def stored_pointer(self, target: MemObject, offset: int) -> Value:
        return self.environment.own_pointer(target, offset)

    another_pointer = stored_pointer


def _limit(target: MemObject) -> str:
    """Why no native run can have what an object held from the beginning, where that is so."""
    return target.initial.reason if isinstance(target.initial, Unknown) else ""


def _lives(target: MemObject, memory: Mapping[MemObject, Contents] | None) -> Term:
    """The condition under which an object exists; pointers from outside are valid."""
    if memory is None or target.kind is Kind.OUTSIDE:
        return T.TRUE
    held = memory.get(target)
    if held is None:
        return T.TRUE if target.kind is Kind.GLOBAL else T.FALSE
    return held.alive
