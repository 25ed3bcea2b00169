"""LLVM IR text in, `Program` out.

The text is what LLVM 22 prints (clang's `-S -emit-llvm`, or a module that llvmlite printed): one instruction
a line, metadata numbered. What the reader does not know becomes `Opaque` or `OpaqueConstant`; it never
fails on an instruction and never drops one. It does not check types: the text went through LLVM's verifier.
"""

from __future__ import annotations

from vouch.c.reader.module import read

__all__ = ["read"]
