"""Networks as they run on small devices: integers, rounding, overflow, look-up tables.

A `Network` and a `Format` become an `IntegerNetwork` (`quantise.py`), the one record that says bit for bit
what is computed. `evaluate.py` computes it with numpy, `codegen.py` writes it as C, and the engines decide
properties of it. Networks that are integers already (int8 models) are made into the same record.
"""
