"""How well a set of inputs exercises a network: covering methods, and inputs that cover more.

In: a network and rows of inputs. `potentials` gives what each neuron adds up to before its activation,
`methods` the four methods on pairs of inputs (conditions and decisions of adjacent layers), `classic` the
measures of single inputs, `raising` a new input near a given one that covers more, or the proof that there
is none. Nothing here prints.
"""
