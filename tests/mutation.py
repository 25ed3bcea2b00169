"""Files made wrong at random: bytes changed, put in, taken out, repeated, and cut off."""

from __future__ import annotations

import random
from collections.abc import Sequence


def mutated(good: bytes, source: random.Random, splices: Sequence[bytes], *, words: bool = False) -> bytes:
    """A variant of a good file. `splices` are put in; with `words` so are those of the file itself, else
    single bits change."""
    data = bytearray(good)
    for _ in range(source.choice((1, 1, 2, 4, 9))):
        at, kind = source.randrange(len(data) + 1), source.randrange(6)
        if kind == 0 and data:
            data[at % len(data)] = source.randrange(256)
        elif kind == 1:
            data[at:at] = source.choice(splices)
        elif kind == 2:
            del data[at : at + source.randrange(1, 20)]
        elif kind == 3:
            data[at:at] = data[at : at + source.randrange(1, 40)] * source.choice((1, 2, 50))
        elif kind == 4 and source.random() < 0.5:
            del data[at:]
        elif words and (known := bytes(data).split()):
            data[at:at] = source.choice(known) + b" "
        elif data and not words:
            data[at % len(data)] ^= 1 << source.randrange(8)
    return bytes(data)
