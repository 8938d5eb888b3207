#!/usr/bin/env python3
"""hard_cases.py - how right are the gradients? Cases that differentiable simulators get wrong, as a table.

For each: the derivative by its closed form (or by a reference in 63 digits), by Saltus, by central differences of runs at
the same tolerance, and what others give. `stepping` is computed here: semi-implicit Euler with steps of 1 ms, as most
engines step, that turns a velocity round in the step in which the ball is found below the floor, differentiated exactly.
"""
import math
import pathlib
import sys

import saltus

SCENES = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2] / "scenes"

BALL = {
    "saltus": 1, "parameters": {"h": 1.0, "rebound": 0.8, "g": 9.81}, "gravity": [0, "-g"],
    "points": {"P": {"at": [0, "h"]}}, "bodies": {"ball": {"type": "point_mass", "point": "P", "mass": 1}},
    "contacts": {"floor": {"type": "ground", "points": ["P"], "restitution": "rebound"}}, "simulation": {"duration": 0.8}}
SWITCH = {
    "saltus": 1, "parameters": {"a": 0.5}, "gravity": [0, 0],
    "points": {"P": {"at": [0, 0]}}, "bodies": {"mass": {"type": "point_mass", "point": "P", "mass": 1}},
    "joints": {"push": {"type": "force", "point": "P", "fx": "if(x(P) < a, 1, -1)", "fy": 0}},
    "simulation": {"duration": 1.7}}
SLIDE = {
    "saltus": 1, "parameters": {"mu": 0.3, "v": 2.0, "g": 9.81}, "gravity": [0, "-g"],
    "points": {"P": {"at": [0, 0], "velocity": ["v", 0]}}, "bodies": {"block": {"type": "point_mass", "point": "P", "mass": 1}},
    "contacts": {"table": {"type": "ground", "points": ["P"], "closed": ["P"], "mu_static": "mu", "mu_kinetic": "mu"}},
    "simulation": {"duration": 2}}


def stepping(h, e, g, T, dt=1e-3):
    """d y(T)/dh of the stepping scheme: positions and velocities with their derivatives."""
    y, v, dy, dv = h, 0.0, 1.0, 0.0
    for _ in range(round(T / dt)):
        v -= g * dt
        if y + dt * v < 0.0:
            v, dv = -e * v, -e * dv
        y, dy = y + dt * v, dy + dt * dv
    return dy


def end(result, expression, name):
    return result.sensitivity(expression, name)[-1]


def time_of(event):
    return lambda result, name: result.events[event].gradient[0]


def differences(scene, quantity, name, step):
    """Of the value at the end, or of the time of an event."""
    at = scene.values()[name]
    values = [quantity(scene.run(**{name: at + sign * step})) for sign in (1, -1)]
    return (values[0] - values[1]) / (2 * step)


def cases():
    """(what, exact derivative, scene, name of the parameter, value of a result, derivative of a result, others)"""
    h, e, g, T = 1.0, 0.8, 9.81, 0.8
    t1, u = math.sqrt(2 * h / g), math.sqrt(2 * g * h)
    since, dt1, du = T - t1, 1 / u, g / u  # y(T) = e u s - g s^2/2 with s = T - t1
    ball = saltus.Scene(BALL)
    last = lambda text: (lambda r: r[text][-1])
    slope = lambda text: (lambda r, name: end(r, text, name))
    yield ("bounce: height at 0.8 s by the height of release", e * du * since - (e * u - g * since) * dt1, ball, "h",
           last("y(P)"), slope("y(P)"), f"stepping {stepping(h, e, g, T):.6f}; Brax: jumps [1]")
    yield ("bounce: the same by the restitution", u * since, ball, "rebound", last("y(P)"), slope("y(P)"), "")
    longer = ball.changed({"simulation": {"duration": 2.5}})
    yield ("event: time of the third bounce by the restitution", t1 * (2 + 4 * e), longer, "rebound",
           lambda r: r.events[2].t, time_of(2), "")
    two = saltus.load(SCENES / "two_balls.json")
    for name, exact, other in (("x1", 1.0, "0.75"), ("x2", 0.0, "0.25"), ("v1", 1.0, "0.91"), ("v2", 0.0, "0.08")):
        yield (f"two balls: where the second ends by {name}", exact, two, name, last("x(second)"), slope("x(second)"),
               f"Nimble {other} [2]")
    a, T = 0.5, 1.7
    yield ("switch: a force that turns round at x = a, by a", 2 * (T - math.sqrt(2 * a)) / math.sqrt(2 * a),
           saltus.Scene(SWITCH), "a", last("x(P)"), slope("x(P)"), "without the event's jump 0")
    yield ("friction: the way to rest by mu", -2.0**2 / (2 * 0.3**2 * 9.81), saltus.Scene(SLIDE), "mu", last("x(P)"),
           slope("x(P)"), "")
    five_bar = saltus.load(SCENES / "five_bar.json")
    yield ("five-bar: height of the tip after nine bounces by L01", 1.8620512703410, five_bar, "L01", last("y(P2)"),
           slope("y(P2)"), "reference: 63 digits")
    yield ("five-bar: time of the ninth bounce by L02", -13.636150875920, five_bar, "L02", lambda r: r.events[8].t,
           time_of(8), "reference: 63 digits")


def main():
    print(f"{'':56}{'exact':>14}{'Saltus':>15}{'error':>9}   {'differences: h = 1e-3':>22}{'1e-6':>12}   others")
    worst = 0.0
    for what, exact, scene, name, value, derivative, others in cases():
        found = derivative(scene.run(wrt=[name], rtol=1e-11), name)
        error = abs(found - exact) / max(1.0, abs(exact))
        worst = max(worst, error)
        off = [abs(differences(scene, value, name, step) - exact) / max(1.0, abs(exact)) for step in (1e-3, 1e-6)]
        print(f"{what:56}{exact:14.9f}{found:15.9f}{error:9.0e}   {'off by ' + format(off[0], '.0e'):>22}{off[1]:12.0e}   {others}")
    gait = saltus.load(SCENES / "compass_gait.json").cycle(wrt=["slope"])
    found, periods = gait.gradient("period")[0], []
    for sign in (1, -1):
        gait.find(slope=3 + sign * 1e-3)
        periods.append(gait.period)
    exact = 0.014231356418990
    worst = max(worst, abs(found - exact))
    print(f"{'walker: period of the compass gait by the slope':56}{exact:14.9f}{found:15.9f}{abs(found - exact):9.0e}   "
          f"{'off by ' + format(abs((periods[0] - periods[1]) / 2e-3 - exact), '.0e'):>22}{'':12}   reference: 63 digits")
    print(f"\nlargest error of Saltus {worst:.0e}")
    return 0 if worst < 1e-8 else 1


if __name__ == "__main__":
    sys.exit(main())
