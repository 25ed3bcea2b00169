"""How much is computed at once, so that memory follows from what this process may have, not from the
network."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vouch.nn.bounds.model import BoundModel

# Arrays of one kind that are alive at the same time in a pass over the network.
_ALIVE = 8
_MOST = 2 << 30
# Bytes of one array of rows that stays in the cache of a core, and rows that a product is worth in any case.
_CACHED, _FEWEST = 1 << 19, 256


@lru_cache(maxsize=1)
def budget() -> int:
    """Bytes for the arrays of one step: an eighth of what the process may have, and never more than 2 GiB."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        whole = whole if limit == resource.RLIM_INFINITY else min(whole, limit)
    except ImportError:  # not on every system
        pass
    return min(_MOST, whole // 8)


def rows_at_once(model: BoundModel) -> int:
    """Rows that one back-substitution takes: each is as wide as the widest node at most."""
    widest = max(model.lowered.sizes)
    return max(8, min(1 << 16, budget() // (8 * _ALIVE * widest)))


def rows_in_cache(model: BoundModel) -> int:
    """The same where rows are quicker in parts: on the CPU, each of a size that stays in its cache."""
    if model.arrays.device is not None:
        return rows_at_once(model)
    return min(rows_at_once(model), max(_FEWEST, _CACHED // (8 * max(model.lowered.sizes))))


def boxes_at_once(model: BoundModel, wanted: int) -> int:
    """Boxes that are analysed in one batch, each with two intervals and lines for every node."""
    return max(1, min(wanted, budget() // (8 * _ALIVE * sum(model.lowered.sizes))))
