"""The cost of transport of a biped: a compass gait with a spring at its hip, with scipy. And cycles as such."""
import unittest

import numpy as np

import saltus
from common import SCENES, reference

try:
    import scipy.optimize
except ImportError:
    scipy = None


def walker():
    """The compass gait with a torsional spring between its legs, which makes steps quick and short."""
    return saltus.load(SCENES / "compass_gait.json").changed({
        "parameters": {"stiffness": 1},
        "joints": {"hip_spring": {"type": "torsion", "body": "leg1", "reference": "leg2", "stiffness": "stiffness", "angle": 0}}})


class Cycles(unittest.TestCase):
    def test_monodromy(self):
        cycle = saltus.load(SCENES / "compass_gait.json").cycle(wrt=["slope"])
        found = np.linalg.eigvals(cycle.monodromy)
        found = found[np.argsort(-abs(found))][:len(cycle.multipliers)]
        np.testing.assert_allclose(sorted(abs(found)), sorted(abs(cycle.multipliers)), rtol=1e-6, atol=1e-8)
        self.assertTrue(cycle.stable)
        self.assertEqual(cycle.start.shape, (12,))

    def test_reference(self):
        """Its period, step and multipliers against those computed with 63 digits."""
        ref = reference("walkers.json")["compass"]
        cycle = saltus.load(SCENES / "compass_gait.json").cycle()
        self.assertAlmostEqual(cycle.period, ref["period"], delta=1e-9)
        self.assertAlmostEqual(cycle.length, ref["step_length"], delta=1e-9)
        expected = [complex(*pair) for pair in ref["multipliers"]]
        np.testing.assert_allclose(np.sort_complex(cycle.multipliers), np.sort_complex(expected), atol=1e-7)

    def test_derivatives(self):
        """As the cycle follows the slope: against differences of cycles."""
        cycle = saltus.load(SCENES / "compass_gait.json").cycle(wrt=["slope"])
        period, length, speed = (cycle.gradient(name)[0] for name in ("period", "length", "speed"))
        h, at = 1e-4, {}
        for sign in (1, -1):
            cycle.find(slope=3 + sign * h)
            at[sign] = cycle.period, cycle.length, cycle.costs["speed"]
        for found, high, low in zip((period, length, speed), at[1], at[-1]):
            self.assertAlmostEqual(found, (high - low) / (2 * h), delta=1e-6 * max(1.0, abs(found)))

    def test_follow(self):
        """The first period doubling of the compass gait; scenes/README.md has its slope."""
        cycle = saltus.load(SCENES / "compass_gait.json").cycle(wrt=["slope"])
        points = cycle.follow("slope", 4.6)
        flips = [p for p in points if p.bifurcation == "flip"]
        self.assertEqual(len(flips), 1)
        self.assertAlmostEqual(flips[0].parameter, 4.390898, delta=1e-6)
        self.assertAlmostEqual(flips[0].multipliers[0].real, -1.0, delta=1e-6)
        self.assertTrue(points[0].stable and not points[-1].stable)
        self.assertAlmostEqual(points[-1].parameter, 4.6)

    def test_no_cycle(self):
        scene = saltus.load(SCENES / "compass_gait.json")
        with self.assertRaises(saltus.CycleError) as caught:
            scene.cycle(slope=40)
        self.assertTrue(str(caught.exception))
        with self.assertRaisesRegex(saltus.ArgumentError, "did you mean 'foot2"):
            scene.cycle(section="fot2")
        with self.assertRaisesRegex(saltus.ArgumentError, "unknown quantity of a cycle 'perod'; did you mean 'period'"):
            scene.cycle(wrt=["slope"]).gradient("perod")


@unittest.skipIf(scipy is None, "scipy (python3-scipy) is not installed")
class CostOfTransport(unittest.TestCase):
    def test_least_at_a_speed(self):
        """The least slope, and so the least cost of transport, at a given speed, over the slope and the stiffness of a
        spring at the hip. What the walker loses at its impacts says the same as the slope."""
        scene = walker()
        cycle = scene.cycle(wrt=["slope", "stiffness"])
        asked = 0.78  # [m/s]; without a spring 0.74 at 3 degrees
        calls = []

        def at(x):
            calls.append(x)
            return cycle.find(slope=x[0], stiffness=x[1])

        def transport(x):  # energy per weight and way
            return np.sin(np.radians(x[0])), np.array([np.radians(np.cos(np.radians(x[0]))), 0.0])

        def speed(x):
            found = at(x)
            return found.length / found.period - asked

        def speed_gradient(x):
            found = at(x)
            return (found.gradient("length") - found.length / found.period * found.gradient("period")) / found.period

        best = scipy.optimize.minimize(transport, [3.0, 1.0], jac=True, method="SLSQP",
                                       bounds=[(1.0, 4.0), (0.0, 40.0)],
                                       constraints={"type": "eq", "fun": speed, "jac": speed_gradient},
                                       options={"ftol": 1e-10, "maxiter": 60})
        self.assertTrue(best.success, best.message)
        found = cycle.find(slope=best.x[0], stiffness=best.x[1])
        without = self.slope_without_spring(asked)
        print(f"\ncost of transport {best.fun:.6f} at {asked} m/s with {best.x[1]:.3f} N m/rad, {best.nit} iterations; "
              f"without a spring {np.sin(np.radians(without)):.6f}")
        self.assertAlmostEqual(found.length / found.period, asked, delta=1e-6)
        self.assertLess(best.fun, np.sin(np.radians(without)) - 1e-4)

        step = scene.start(slope=best.x[0], stiffness=best.x[1], rtol=1e-11)
        step.start_at(q=found.q, v=found.v)
        lost, weight = 0.0, (10 + 5 + 5) * 9.81
        for event in step.events():
            lost += event.energy_lost
            if event.name.startswith("foot2"):
                break
        self.assertAlmostEqual(lost / (weight * found.length), best.fun, delta=1e-6)

    def slope_without_spring(self, speed):
        cycle = walker().cycle(stiffness=1e-9, wrt=["slope"])
        return scipy.optimize.brentq(lambda slope: cycle.find(slope=slope).length / cycle.period - speed, 2.0, 4.3)


class Equilibria(unittest.TestCase):
    def test_modes(self):
        """A pendulum: omega^2 = g/L, and its derivative."""
        rod = saltus.Scene({
            "saltus": 1, "parameters": {"L": 0.5, "g": 9.81}, "gravity": [0, "-g"],
            "points": {"O": {"at": [0, 0], "fixed": True}, "P": {"at": [0.1, "-L"]}},
            "bodies": {"bob": {"type": "point_mass", "point": "P", "mass": 2}},
            "joints": {"rod": {"type": "distance", "points": ["O", "P"], "length": "L"}}})
        rest = rod.equilibrium(wrt=["L", "g"])
        mode, = rest.modes()
        np.testing.assert_allclose(rest.q, [0, -0.5], atol=1e-9)
        np.testing.assert_allclose(rest.gradient("y(P)"), [-1, 0], atol=1e-9)
        self.assertAlmostEqual(mode.frequency, (9.81 / 0.5) ** 0.5, delta=1e-9)
        np.testing.assert_allclose(mode.frequency_gradient, mode.frequency / 2 * np.array([-1 / 0.5, 1 / 9.81]), rtol=1e-8)
        self.assertEqual((mode.kind, rest.freedom, rest.stable), ("oscillates", 1, True))
        self.assertAlmostEqual(rest.reactions["rod.tension"], 2 * 9.81, delta=1e-9)

    def test_none(self):
        with self.assertRaises(saltus.EquilibriumError):
            saltus.Scene({"saltus": 1, "points": {"P": {"at": [0, 0]}},
                          "bodies": {"b": {"type": "point_mass", "point": "P", "mass": 1}}}).equilibrium()


if __name__ == "__main__":
    unittest.main()
