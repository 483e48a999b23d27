"""How far are random mechanisms on Drake from the same on ODE?

    python benchmarks/random_mechanisms.py [--seeds N]

The positions of chains of 1 to 5 joints with springs, dampers, friction, stops, brakes
and coupled motors, told random things for 0.77 s. Both engines are first order in the
step, so that twice the sum of their own errors is theory; the tests, which look at a
few of these mechanisms, allow three times the sum.
"""

import argparse
import warnings

import numpy as np
from _lib.random_mechanisms import KINDS, distances

from webmotor_drake import MotorWarning


def main() -> None:
    """Prints a row per kind and drive."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--seeds", type=int, default=50, help="mechanisms of each kind"
    )
    seeds = parser.parse_args().seeds
    warnings.simplefilter("ignore", MotorWarning)
    print("differences from ODE in rad or m; share: of both engines' errors")
    print(
        f"{'':24}{'median':>10}{'90 %':>10}{'largest':>10}{'largest share':>15}"
    )
    for kind in KINDS:
        found = [distances(kind, seed) for seed in range(seeds)]
        errors = np.array([error for _, error in found])
        for drive in ("auto", "implicit"):
            far = np.array([distance[drive] for distance, _ in found])
            middle, most, largest = np.quantile(far, (0.5, 0.9, 1.0))
            share = (far / np.maximum(errors, 1e-9))[far > 2e-5]
            print(
                f"{kind + ', ' + drive:24}{middle:10.1e}{most:10.1e}"
                f"{largest:10.1e}{share.max(initial=0.0):15.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
