#!/usr/bin/env python3
"""From a walker to its bifurcation: the gait of a compass on a slope, its stability, and where it begins to limp."""
import pathlib
import sys

import saltus

scenes = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2] / "scenes"
walker = saltus.load(scenes / "compass_gait.json")

# 1. The gait: a start that comes back to itself after a step.
gait = walker.cycle(wrt=["slope"])
print(f"period {gait.period:.9f} s, step {gait.length:.9f} m, {'stable' if gait.stable else 'unstable'}")
print(f"d period/d slope {gait.gradient('period')[0]:.9f} s per degree")

# 2. Followed along the slope until a multiplier leaves the unit circle.
for point in gait.follow("slope", 4.6):
    if point.bifurcation:
        print(f"{point.bifurcation} at {point.parameter:.6f} degrees")
        print(f"multipliers {sorted(round(abs(mu), 6) for mu in point.multipliers)[::-1]}")

# 3. Beyond it, two steps that are not alike make the cycle: a limp.
limp = walker.cycle(steps=2, set={"slope": 4.6})
print(f"two steps: {limp.period:.9f} s, {'stable' if limp.stable else 'unstable'}")
