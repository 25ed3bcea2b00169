"""Sound bounds of lowered networks, batched over boxes.

In: a `Model` (a lowered network with its round-off) and boxes [batch, inputs]. Out: intervals of every node,
and linear lower bounds of output combinations. Nothing here decides a property or splits a box.
"""
