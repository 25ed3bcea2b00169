"""Lets tests of this folder import the builders beside them, e.g. `onnx_models`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Test workers are processes already; threads of the BLAS below them only fight each other.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")

sys.path.insert(0, str(Path(__file__).parent))
