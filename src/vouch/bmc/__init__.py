"""Bounded model checking: a `Program` and its checks come in, verdicts with counterexamples go out.

Symbolic execution merges paths at joins and yields claims over SMT terms (`execute.py`), which are solved and
turned into verdicts (`verify.py`). Never compiles or runs anything but through `replay/`.
"""
