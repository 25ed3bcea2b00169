"""Modular analysis: a program in parts, each looked at for all the ways it may be used.

Comes in: a posed problem (`bmc.problem`) and what preprocessing knows of calls. Goes out: proofs that hold
for every caller. A violation found here is only a candidate: it may need a caller, or a callee, that there
is not. Nothing here reports or prints.
"""
