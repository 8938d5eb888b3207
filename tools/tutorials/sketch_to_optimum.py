#!/usr/bin/env python3
"""From a sketch to an optimum: a trebuchet, its range, and the sling for which that is largest."""
import pathlib
import sys

import scipy.optimize

import saltus

scenes = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2] / "scenes"
scene = saltus.load(scenes / "trebuchet.json")

# 1. It runs: who lets go when, and how far the stone flies.
r = scene.run(wrt=["sling", "release", "hanger"])
for event in r.events:
    print(f"{event.name:15} {event.t:9.6f} s")
print(f"range {r['range'][-1]:.4f} m")

# 2. What each number does to it: the run ends where the stone lands, later for a longer flight.
f = scene.changed({"costs": {"far": {"terminal": "-x(P)"}}}).cost_and_gradient("far", wrt=["sling", "release", "hanger"])
value, gradient = f(f.x0)
for name, slope in zip(("sling", "release", "hanger"), gradient):
    print(f"d range/d {name:8} {-slope:9.5f}")

# 3. The best sling and angle of release, by these derivatives alone.

f = scene.changed({"costs": {"far": {"terminal": "-x(P)"}}}).cost_and_gradient("far", wrt=["sling", "release"], rtol=1e-11)
best = scipy.optimize.minimize(f, f.x0, jac=True, bounds=[(1, 2.6), (10, 70)], method="L-BFGS-B",
                               options={"ftol": 1e-15, "gtol": 1e-7})
print(f"best: sling {best.x[0]:.4f} m, release {best.x[1]:.3f} degrees, range {-best.fun:.6f} m")
