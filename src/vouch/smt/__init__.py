"""Terms in, answers out: shared terms, their rewriting, and the solvers behind one small protocol.

Comes in: terms made by `vouch.smt.term`. Goes out: `Answer` and values of terms (`vouch.smt.solver`).
Never knows what the terms stand for.
"""
