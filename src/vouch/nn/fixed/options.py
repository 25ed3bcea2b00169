"""What the options of fixed point ask for."""

from __future__ import annotations

from fractions import Fraction

from vouch.errors import VouchError
from vouch.nn.fixed.format import formats_of
from vouch.nn.fixed.network import IntegerNetwork
from vouch.nn.fixed.quantise import quantise
from vouch.nn.fixed.table import activation_of
from vouch.nn.network import Network
from vouch.settings import Settings


def step_of(text: str | None) -> Fraction | None:
    """A positive step such as `0.01` or `1/255`."""
    if text is None:
        return None
    try:
        step = Fraction(text)
    except (ValueError, ZeroDivisionError):
        step = Fraction(0)
    if step <= 0:
        raise VouchError(f"option --step: {text!r} is not a positive number or fraction")
    return step


def only_on_cpu(settings: Settings) -> None:
    """Nobody who asks for a GPU should wait for a CPU without knowing it."""
    if settings.device != "cpu" and "device" not in settings.from_file:
        raise VouchError(
            f"option --device {settings.device} is about networks of real numbers: "
            "integers (fixed point, int8) are decided on the CPU"
        )


def quantised(network: Network, settings: Settings) -> IntegerNetwork:
    """The network in the format that the settings name."""
    assert settings.format is not None  # the caller asks for integers where there is one
    only_on_cpu(settings)
    formats = formats_of(settings.format, settings.rounding, settings.overflow)
    return quantise(network, formats, activation_of(settings.activation))
