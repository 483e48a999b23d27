"""What a motor costs a step, against Drake's own PD actuators and the bare plant.

    python benchmarks/step_cost.py

A chain of 1, 7 and 30 joints, time step 1 ms. At 30 the lower joints can't hold
the chain: that column is the saturated regime.
"""

import chains
import interleaved


def main() -> None:
    """Prints the table."""
    for links in (1, 7, 30):
        cases = {
            "bare plant, Drake's defaults": chains.bare(links, sampled=True),
            "bare plant, sampled off": chains.bare(links, sampled=False),
            "Drake PD, sampled off": chains.drake_pd(links),
            "Webots motors, torque drive": chains.motors(links, sampled=False),
        }
        costs = interleaved.microseconds_a_step(cases, chains.TIME_STEP)
        pd = costs["Drake PD, sampled off"]
        bare = costs["bare plant, Drake's defaults"]
        print(f"\n{links} joints{'µs/step':>37}{'/ PD':>8}{'/ bare':>8}")
        for name, cost in costs.items():
            print(f"{name:40}{cost:8.1f}{cost / pd:8.2f}{cost / bare:8.2f}")


if __name__ == "__main__":
    main()
