"""Model against shipped C: `vouch equiv code`.

A harness calls the function with arbitrary inputs of the region. Its symbolic execution gives the outputs as
terms; lifted, they are a network in exact reals, read from the constants of the code, and a bound of all
rounding. That network is compared with the model like any other (`vouch.equiv`), with what rounding leaves of
the tolerance. The harness itself goes through `vouch check`: run-time errors of the code. A difference is
shown by a second harness with the input filled in, which is compiled and run.

`interface` says how the code is called, `harness` writes programs that do, `execute` follows them, `compare`
decides, `result` is what comes out.
"""
