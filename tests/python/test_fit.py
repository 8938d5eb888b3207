"""Parameters from measurements through impacts, and optimisation, with scipy."""
import unittest

import numpy as np

import saltus
from common import BALL, SCENES

try:
    import scipy.optimize
except ImportError:
    scipy = None


class Functions(unittest.TestCase):
    def test_jacobian_is_that_of_differences(self):
        scene = saltus.Scene(BALL)
        times = np.linspace(0.1, 1.9, 19)
        f = scene.residuals({"x(P)": 0 * times, "height": 0 * times}, times, ["h", "rebound", "initial(P.vx)"], rtol=1e-12,
                            sigma={"x(P)": 0.5, "height": 2.0})
        np.testing.assert_allclose(f.x0, [1.0, 0.8, 0.7])
        J, h = f.jac(f.x0), 1e-5
        self.assertEqual(J.shape, (38, 3))
        for k in range(3):
            step = h * np.eye(3)[k]
            np.testing.assert_allclose((f.fun(f.x0 + step) - f.fun(f.x0 - step)) / (2 * h), J[:, k], rtol=1e-6, atol=1e-6)

    def test_refusals(self):
        scene = saltus.Scene(BALL)
        with self.assertRaisesRegex(saltus.ArgumentError, "expected 3 numbers"):
            scene.residuals({"height": [1, 2]}, [0.1, 0.2, 0.3], ["h"])
        with self.assertRaisesRegex(saltus.ArgumentError, "before all times are reached"):
            f = scene.residuals({"height": [1, 2]}, [0.1, 20], ["h"])
            f.fun(f.x0)
        with self.assertRaisesRegex(saltus.ArgumentError, "unknown cost 'wya'; did you mean 'way'"):
            scene.cost_and_gradient("wya", ["h"])
        with self.assertRaisesRegex(saltus.ArgumentError, "x: expected 1 number"):
            scene.cost_and_gradient("way", ["h"])([1, 2])

    def test_bounds(self):
        scene = saltus.Scene({**BALL, "ranges": {"h": [0.5, 2]}})
        self.assertEqual(scene.cost_and_gradient("way", ["h", "rebound"]).bounds, [(0.5, 2), (None, None)])


class Knots(unittest.TestCase):
    """A function of time as an array: set, read, differentiated; by the adjoint where there are many knots."""

    def setUp(self):
        self.scene = saltus.load(SCENES / "acrobot.json")

    def test_arrays(self):
        u = np.sin(np.arange(100))
        self.assertEqual(self.scene.vectors["u"][99], "u[99]")
        np.testing.assert_array_equal(self.scene.start(u=u).knots("u"), u)
        np.testing.assert_array_equal(self.scene.start(set={"u": 0.5}).knots("u"), np.full(100, 0.5))
        run = self.scene.start(["u"], u=u, wrt_uncontrolled=True).finish()
        self.assertEqual(run.gradient("effort").shape, (100,))
        with self.assertRaisesRegex(saltus.ArgumentError, "u: expected a number or 100, its knots"):
            self.scene.start(u=u[:3])
        with self.assertRaisesRegex(saltus.ArgumentError, "unknown function of time 'v'"):
            run.knots("v")

    def test_adjoint_is_chosen_and_agrees(self):
        f = self.scene.cost_and_gradient("effort", ["u", "L1"], duration=1.0)
        self.assertEqual(f.by, "adjoint")
        g = self.scene.cost_and_gradient("effort", ["u", "L1"], gradients="forward", duration=1.0, wrt_uncontrolled=True)
        x = f.x0 + 0.1
        for _ in range(2):  # it can be asked again
            (value, gradient), (other, forward) = f(x), g(x)
            self.assertEqual(value, other)
            np.testing.assert_allclose(gradient, forward, rtol=0, atol=1e-11 * np.abs(forward).max())
            x = x * 0.9
        self.assertEqual((f.by, g.by), ("adjoint", "forward"))

    def test_forward_where_it_refuses(self):
        f = self.scene.cost_and_gradient("effort", ["u"], integrator="radau", duration=0.1)
        f(f.x0)
        self.assertEqual(f.by, "forward")
        with self.assertRaisesRegex(saltus.SaltusError, "explicit steps"):
            f = self.scene.cost_and_gradient("effort", ["u"], gradients="adjoint", integrator="radau", duration=0.1)
            f(f.x0)


@unittest.skipIf(scipy is None, "scipy (python3-scipy) is not installed")
class Fits(unittest.TestCase):
    def test_four_parameters_from_noisy_data(self):
        """Five seconds of the bouncing five-bar's tip with noise of 1 mm: both springs' lengths, a stiffness, a height."""
        scene = saltus.load(SCENES / "five_bar.json").changed({
            "parameters": {"k1": 100, "height": -2.35}, "joints": {"spring1": {"stiffness": "k1"}},
            "contacts": {"floor": {"height": "height"}}})
        wrt = ["L01", "L02", "k1", "height"]
        truth = np.array([2.25, 2.05, 103.0, -2.345])
        times = np.linspace(0.02, 5.0, 250)
        r = scene.run(set=dict(zip(wrt, truth)), times=times, rtol=1e-11)
        at = np.searchsorted(r.t, times)
        noise = np.random.default_rng(7)
        data = {name: r[name][at] + noise.normal(0.0, 1e-3, len(times)) for name in ("x(P2)", "y(P2)")}
        self.assertGreaterEqual(len(r.events), 8)

        f = scene.residuals(data, times, wrt, sigma=1e-3)
        fit = scipy.optimize.least_squares(f.fun, f.x0, jac=f.jac, x_scale="jac", xtol=1e-10)
        self.assertTrue(fit.success, fit.message)
        spread = np.sqrt(np.diag(np.linalg.inv(fit.jac.T @ fit.jac)))  # what the noise explains
        print(f"\nfour parameters: {fit.njev} iterations, errors over spread {(fit.x - truth) / spread}")
        self.assertLess(np.max(np.abs(fit.x - truth) / spread), 4.0)
        self.assertLess(np.max(spread / np.abs(truth)), 0.02)
        self.assertAlmostEqual(2 * fit.cost / len(fit.fun), 1.0, delta=0.2)
        six = scipy.optimize.least_squares(f.fun, f.x0, jac=f.jac, x_scale="jac", xtol=1e-10, max_nfev=6)
        self.assertLess(np.max(np.abs(six.x - fit.x) / spread), 0.01)  # there after six iterations

    def test_minimize(self):
        """A ball is to end at x = 1, let go of not far from 0.9 m: its neighbours confirm the minimum."""
        scene = saltus.Scene({**BALL, "costs": {"miss": {"terminal": "(x(P) - 1)^2 + 0.1*(h - 0.9)^2"}}})
        f = scene.cost_and_gradient("miss", ["speed", "h"], rtol=1e-12)
        best = scipy.optimize.minimize(f, f.x0, jac=True, method="BFGS")
        self.assertLess(np.max(np.abs(best.jac)), 1e-5)
        for k in range(2):
            step = 1e-3 * np.eye(2)[k]
            self.assertGreater(f(best.x + step)[0], best.fun)
            self.assertGreater(f(best.x - step)[0], best.fun)


if __name__ == "__main__":
    unittest.main()
