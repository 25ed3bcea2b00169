"""Networks that are integers already: int8 models of ONNX and TensorFlow Lite, as their runtimes run them.

A reader makes a `Quantised` of a file: an `IntegerNetwork` (`nn/fixed`) of sums and step functions, what its
input and output numbers mean, and the runtime that computes the same bit for bit. Properties are then
decided by the engines of `nn/fixed`, and every counterexample is run in the runtime.
"""
