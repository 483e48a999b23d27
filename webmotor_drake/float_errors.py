"""Floating-point errors inside are numpy's defaults, whatever a caller has set."""

import numpy as np

# Decorator of functions that users call: a numpy error state of their own, such as one
# in which underflow raises, changes nothing inside. It costs 0.4 µs per call.
with_numpys_defaults = np.errstate(
    divide="warn", over="warn", under="ignore", invalid="warn"
)
