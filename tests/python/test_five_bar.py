"""The five-bar through nine bounces against tests/ref/five_bar.json, as its user would ask for it."""
import unittest

import numpy as np

import saltus
from common import SCENES, reference


class FiveBar(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ref = reference("five_bar.json")
        cls.scene = saltus.load(SCENES / "five_bar.json")
        cls.r = cls.scene.run(wrt=["L01", "L02"], rtol=1e-11, times=[1, 2, 3, 4, 5])
        cls.at = np.searchsorted(cls.r.t, [1, 2, 3, 4, 5])

    def near(self, found, expected, tolerance=1e-8):
        expected = np.asarray(expected, dtype=float)
        self.assertEqual(np.shape(found), expected.shape)
        self.assertLess(np.max(np.abs(found - expected) / np.maximum(1.0, np.abs(expected))), tolerance)

    def test_events(self):
        self.assertEqual([event.name for event in self.r.events], ["floor"] * 9)
        for event, expected in zip(self.r.events, self.ref["events"]):
            self.assertAlmostEqual(event.t, expected["t"], delta=1e-9)
            self.near(event.gradient, expected["dt"])

    def test_both_sides_of_events(self):
        for event, expected in list(zip(self.r.events, self.ref["events"]))[:3]:
            before, after = event.sample - 1, event.sample
            self.near(self.r.q[before], expected["q"])
            self.near(self.r.q[after], expected["q"])
            self.near(self.r.v[before], expected["v_minus"])
            self.near(self.r.v[after], expected["v_plus"])
            self.near(self.r.lambda_[before], expected["lambda_minus"])
            self.near(self.r.lambda_[after], expected["lambda_plus"])
            self.near(self.r.Q[before], expected["Q_minus"])
            self.near(self.r.Q[after], expected["Q_plus"])
            self.near(self.r.V[before], expected["V_minus"])
            self.near(self.r.V[after], expected["V_plus"])

    def test_samples(self):
        for k, expected in zip(self.at, self.ref["samples"]):
            self.near(self.r.q[k], expected["q"])
            self.near(self.r.v[k], expected["v"])
            self.near(self.r.lambda_[k], expected["lambda"])
            self.near(self.r.Q[k], expected["Q"])
            self.near(self.r.V[k], expected["V"])
            self.near(self.r.Lambda[k], expected["Lambda"])
            self.near(np.array([self.r[name][k] for name in ("z1", "z2")]), expected["z"])
            self.near(np.array([self.r.sensitivity(name)[k] for name in ("z1", "z2")]), expected["Z"])
            self.near(self.r["energy()"][k], expected["E"])

    def test_names(self):
        r = self.r
        np.testing.assert_array_equal(r["y(P2)"], r.q[:, 3])
        np.testing.assert_array_equal(r["vy(P2)"], r.v[:, 3])
        np.testing.assert_array_equal(r.sensitivity("vy(P2)", "L02"), r.V[:, 3, 1])
        np.testing.assert_allclose(r["y(P2)^2 + vx(P1)"], r.q[:, 3] ** 2 + r.v[:, 0], rtol=1e-15)
        np.testing.assert_allclose(r.sensitivity("y(P2)^2 + vx(P1)", "L01"),
                                   2 * r.q[:, 3] * r.Q[:, 3, 0] + r.V[:, 0, 0], rtol=1e-12, atol=1e-14)

    def test_without_copies(self):
        r = self.r
        for array in (r.t, r.q, r.v, r["y(P2)"], r.Q, r.sensitivity("y(P2)", "L01")):
            self.assertTrue(np.shares_memory(array, r._table))
            self.assertFalse(array.flags.writeable)

    def test_gradients_of_costs(self):
        expected = self.ref["samples"][-1]
        self.near(np.array([self.r.costs["z1"], self.r.costs["z2"]]), expected["z"])
        self.near(self.r.gradient("z1"), expected["Z"][0])
        f = self.scene.cost_and_gradient({"z1": 2.0, "z2": 0.5}, ["L01", "L02"], rtol=1e-11)
        value, gradient = f(f.x0)
        self.assertAlmostEqual(value, 2.0 * expected["z"][0] + 0.5 * expected["z"][1], delta=1e-7)
        self.near(gradient, 2.0 * np.array(expected["Z"][0]) + 0.5 * np.array(expected["Z"][1]))

    def test_live(self):
        """Stepping by hand sees the same."""
        run = self.scene.start(rtol=1e-11)
        for event, expected in zip(run.events(), self.ref["events"]):
            self.assertAlmostEqual(event.t, expected["t"], delta=1e-9)
            self.assertEqual(event.t, run.t)
        self.assertEqual(run.to(99.0), "end")

    def test_saltation(self):
        """The saltation matrix takes the sensitivities through the event: nothing else depends on L01 there."""
        run = self.scene.start(wrt=["L01", "L02"], rtol=1e-12)
        while run.step() == "time":
            before = np.vstack([run.Q, run.V])
        np.testing.assert_allclose(run.saltation() @ before, np.vstack([run.Q, run.V]), rtol=1e-8, atol=1e-8)

    def test_linearisation(self):
        """Against differences of accelerations along the motion."""
        run = self.scene.start(rtol=1e-12)
        run.to(0.1)
        lin, a, v, h = run.linearize(), run.a.copy(), run.v.copy(), 1e-5
        run.to(0.1 + h)
        ahead = run.a.copy()
        run.restart().to(0.1 - h)
        np.testing.assert_allclose(lin.a_q @ v + lin.a_v @ a, (ahead - run.a) / (2 * h), rtol=1e-6, atol=1e-5)
        self.assertEqual(lin.A.shape, (12, 12))
        self.assertEqual(lin.B.shape, (12, 2))
        np.testing.assert_array_equal(lin.A[6:, :6], lin.a_q)
        self.assertEqual(run.mass.shape, (6, 6))
        np.testing.assert_allclose(run.jacobian @ run.v, 0.0, atol=1e-11)
        self.assertEqual((run.rank, len(run.independent())), (4, 2))


if __name__ == "__main__":
    unittest.main()
