"""What is wrong is said where it is, with the nearest name that would be right."""
import os
import pathlib
import tempfile
import unittest
import warnings

import numpy as np

import saltus
from common import BALL, SCENES


class Errors(unittest.TestCase):
    def test_place_in_a_file(self):
        text = (SCENES / "five_bar.json").read_text()
        lines = text.split("\n")
        row = next(k for k, line in enumerate(lines) if '"bar2"' in line)
        lines[row] = lines[row].replace('"P2"', '"P5"').replace('"mass"', '"mas"')
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "wrong.json")
            pathlib.Path(file).write_text("\n".join(lines))
            with self.assertRaises(saltus.SceneError) as caught:
                saltus.load(file)
        error = caught.exception
        self.assertEqual((error.file, error.line, error.status), (file, row + 1, "SAL_ERR_SCENE"))
        self.assertGreaterEqual(len(error.errors), 2)  # all of them at once
        places = {e.path: e for e in error.errors}
        self.assertEqual(places["bodies.bar2.points[1]"].column, lines[row].index('"P5"') + 1)
        self.assertIn("unknown point 'P5'; did you mean", places["bodies.bar2.points[1]"].text)
        self.assertIn("did you mean 'mass'?", str(error))
        self.assertIn(f"{file}:{row + 1}:", str(error))

    def test_path_in_a_dictionary(self):
        with self.assertRaises(saltus.SceneError) as caught:
            saltus.Scene({**BALL, "bodies": {"ball": {"type": "point_mass", "point": "P", "mass": "2*weight"}}})
        self.assertEqual((caught.exception.path, caught.exception.line), ("bodies.ball.mass", 0))
        self.assertTrue(str(caught.exception).startswith("scene: bodies.ball.mass: "), str(caught.exception))

    def test_files(self):
        with self.assertRaises(FileNotFoundError) as caught:
            saltus.load("nowhere.json")
        self.assertEqual(caught.exception.filename, "nowhere.json")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "latin.json"
            file.write_bytes(b'{ "saltus": 1, "name": "\xe9" }')
            with self.assertRaisesRegex(saltus.SceneError, "UTF-8"):
                saltus.load(file)
        with self.assertRaisesRegex(saltus.SaltusError, "nothing.so"):
            saltus.Scene(BALL, plugins=["nothing.so"])

    def test_names(self):
        scene = saltus.load(SCENES / "five_bar.json")
        r = scene.run(wrt=["L01"], duration=0.5)
        for call, says in (
                (lambda: scene.run(L1=2), "'L1'; did you mean 'L01'"),
                (lambda: scene.run(set={"initial(P9.x)": 1}), "P9"),
                (lambda: scene.run(wrt=["L03"]), "'L03'; did you mean 'L0"),
                (lambda: scene.run(wrt="L01"), "expected a list of names"),
                (lambda: scene.run(form="index2"), "expected 'index1' or 'penalty'"),
                (lambda: scene.run(L01="2"), "L01: expected a number, found '2'"),
                (lambda: scene.run(set={"L01": 1}, L01=2), "L01 is given twice"),
                (lambda: scene.run(duration="1"), "duration: expected a number, found '1'"),
                (lambda: scene.run(max_steps=2.5), "max_steps: expected a whole number"),
                (lambda: scene.run(duration=-1.0), "duration: expected a number that is not negative"),
                (lambda: scene.run(quiet=3), "quiet: expected True or False"),
                (lambda: scene.start().restart(L01=2.3, L1=2), "'L1'; did you mean 'L01'"),
                (lambda: scene.equilibrium().gradient("x(P1)"), "none were asked for"),
                (lambda: scene.equilibrium(L1=2), "'L1'; did you mean 'L01'"),
                (lambda: scene.start().saltation(), "no event yet"),
                (lambda: scene.run(rtol=3.0), "rtol is 3"),
                (lambda: r["y(P7)"], "P7'; did you mean 'P"),
                (lambda: r["y(P2"], "column 5"),
                (lambda: r.sensitivity("y(P2)", "L02"), "asked for wrt=\\['L01'\\]"),
                (lambda: scene.run(times=[2, 1]), "expected times that increase"),
                (lambda: scene.run(times=[]), "at least one"),
                (lambda: scene.run().gradient("z1"), "the run was asked for none"),
                (lambda: saltus.describe("baar"), "baar"),
                (lambda: saltus.evaluate("1 +"), "column"),
        ):
            with self.subTest(says), self.assertRaisesRegex(saltus.ArgumentError, says):
                call()
        with self.assertRaises(TypeError):
            saltus.Scene({**BALL, "name": object()})

    def test_option_that_is_a_parameter(self):
        scene = saltus.Scene({**BALL, "parameters": {**BALL["parameters"], "duration": 3}})
        with self.assertRaisesRegex(saltus.ArgumentError, "is an option and a parameter"):
            scene.run(duration=1)
        self.assertEqual(scene.values({"duration": 4})["duration"], 4)

    def test_failed_run_keeps_its_motion(self):
        scene = saltus.Scene(BALL)
        with self.assertRaises(saltus.RunError) as caught:
            scene.run(max_events=2)
        self.assertEqual(caught.exception.status, "SAL_ERR_LIMIT")
        self.assertEqual(len(caught.exception.result.events), 2)
        self.assertGreater(caught.exception.result.t[-1], 0.4)

    def test_assembly(self):
        with self.assertRaises(saltus.AssemblyError):
            saltus.Scene({**BALL, "points": {"P": {"at": [0, 1]}, "O": {"at": [0, 0], "fixed": True}},
                          "joints": {"one": {"type": "distance", "points": ["O", "P"], "length": 1},
                                     "two": {"type": "distance", "points": ["O", "P"], "length": 2}}}).run()

    def test_derivatives_that_do_not_exist(self):
        """Two events at one instant for these parameters only."""
        scene = saltus.Scene({
            "saltus": 1, "parameters": {"h": 1}, "points": {"P": {"at": [0, "h"]}, "R": {"at": [1, 1]}},
            "bodies": {"p": {"type": "point_mass", "point": "P", "mass": 1},
                       "r": {"type": "point_mass", "point": "R", "mass": 1}},
            "contacts": {"one": {"type": "event", "when": "y(P)", "set": {"vy(P)": "-vy(P)"}},
                         "two": {"type": "event", "when": "y(R)", "set": {"vy(P)": "0.5*vy(P)"}}},
            "costs": {"end": {"terminal": "y(P)"}}, "simulation": {"duration": 1, "output": 0.1}})
        r = scene.run(wrt=["h"])
        self.assertTrue(r.invalid)
        with self.assertRaises(saltus.DerivativeError):
            r.gradient("end")
        self.assertTrue(np.isnan(r.sensitivity("y(P)", "h")[-1]))
        self.assertEqual(r.sensitivity("y(P)", "h")[0], 1.0)
        live = scene.start(wrt=["h"])
        self.assertEqual(live.Q[1, 0], 1.0)
        live.finish()
        self.assertTrue(np.isnan(live.Q).all() and np.isnan(live.Lambda).all() and np.isnan(live.sensitivity("y(P)")).all())

    def test_gradient_where_the_end_moves(self):
        scene = saltus.Scene({**BALL, "contacts": {"low": {"type": "event", "when": "y(P)", "stop": True}}})
        r = scene.run(wrt=["h"], drag=0.0)
        fall = (2 / 9.81) ** 0.5
        np.testing.assert_allclose(r.end_gradient, [fall / 2], rtol=1e-9)
        np.testing.assert_allclose(r.gradient("late"), [0.7 * fall / 2], rtol=1e-9)
        with self.assertRaisesRegex(saltus.DerivativeError, "terminal part of a cost"):
            r.gradient("x(P)")

    def test_warnings(self):
        scene = saltus.Scene({**BALL, "points": {"P": {"at": [0, -0.5]}}})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            scene.run()
            scene.run(quiet=True)
        self.assertEqual([w.category for w in caught], [saltus.SaltusWarning])
        self.assertIn("floor", str(caught[0].message))


if __name__ == "__main__":
    unittest.main()
