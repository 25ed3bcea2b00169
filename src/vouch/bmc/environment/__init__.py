"""The world around the program: what code outside may pass, keep, return, write or call.

One notion of reachability (`reach`) for entry points, external calls, callbacks, lifetimes and leaks. It errs
on the side of more behaviour: pointers from outside may lead into whatever the language lets them lead into,
also with an offset; a function without a body may or may not write what it reaches. What is assumed all the
same stands in the manual (docs/check.md, "Assumptions behind `safe`") and nowhere else.

`outside` makes pointers and decides what may share memory, `places` says where in it they may lead, `layers`
are contents after writes that nobody followed, `external` runs calls of unknown functions, `code` knows which
of the program's own functions an unknown pointer may lead to.
"""
