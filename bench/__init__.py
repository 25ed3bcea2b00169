"""Benchmarks: `python -m bench` lists them, `python -m bench NAME…` runs them. None is a timed test."""
