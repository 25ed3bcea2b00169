"""Formulas that compute: decided by bounds of their numbers instead of their bits.

In: the terms of a question (a shared graph over bit-vectors and IEEE floats). `tape` evaluates them over
batches of boxes, `narrow` reads the input set off the assumptions, `branch` halves it, `lift` turns sums of
products with piecewise linear functions into a network for the engine of `nn`. `solver` puts all of that in
front of an SMT solver, behind the same protocol. Nothing here knows of C.
"""
