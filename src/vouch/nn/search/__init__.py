"""Decides properties of networks: `verify(network, prop, settings)`."""

from __future__ import annotations

from vouch.nn.search.driver import verify

__all__ = ["verify"]
