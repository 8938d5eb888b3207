"""Threads, Ctrl-C, progress, states, memory, plug-ins, pictures."""
import concurrent.futures
import gc
import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np

import saltus
from common import BALL, PLUGIN, SCENES

LONG = {**BALL, "parameters": {**BALL["parameters"], "rebound": 1.0, "drag": 0.0}, "simulation": {"duration": 1e7, "output": 1e6}}


class Threads(unittest.TestCase):
    def test_eight(self):
        """The same numbers from eight threads that share a scene as from one."""
        scene = saltus.load(SCENES / "five_bar.json")
        lengths = np.linspace(2.1, 2.4, 64)

        def one(length):
            r = scene.run(L01=length, wrt=["L01"])
            return r.gradient("z1")[0], r["y(P2)*vx(P2)"][-1], [event.t for event in r.events]

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            many = list(pool.map(one, lengths))
        self.assertEqual(many, [one(length) for length in lengths])

    def test_objective_in_threads(self):
        f = saltus.load(SCENES / "five_bar.json").cost_and_gradient("z1", ["L01", "L02"])
        points = [f.x0 + 0.01 * k for k in range(16)]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            many = list(pool.map(f, points))
        for (value, gradient), x in zip(many, points):
            self.assertEqual(value, f(x)[0])
            np.testing.assert_array_equal(gradient, f(x)[1])

    def test_failures_in_threads(self):
        """Every thread gets its own message."""
        scene = saltus.Scene(BALL)

        def one(k):
            try:
                scene.run(set={f"wrong{k}": 1.0})
            except saltus.ArgumentError as error:
                return str(error)

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for k, said in enumerate(pool.map(one, range(200))):
                self.assertIn(f"'wrong{k}'", said)

    def test_others_go_on(self):
        """A long run does not hold the interpreter."""
        done = []
        thread = threading.Thread(target=lambda: done.append(saltus.Scene(LONG).run(duration=4000)))
        thread.start()
        count = 0
        while thread.is_alive():
            count += 1
            time.sleep(0.001)
        thread.join()
        self.assertEqual(len(done), 1)
        self.assertGreater(count, 3)


class Interrupts(unittest.TestCase):
    def test_ctrl_c(self):
        scene = saltus.Scene(LONG)
        threading.Timer(0.4, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        began = time.monotonic()
        with self.assertRaises(KeyboardInterrupt) as caught:
            scene.run()
        self.assertLess(time.monotonic() - began, 5.0)
        self.assertIsInstance(caught.exception, saltus.Interrupted)
        self.assertGreater(caught.exception.result.t[-1], 0.0)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_ctrl_c_in_a_study(self):
        cycle = saltus.load(SCENES / "compass_gait.json").cycle(wrt=["slope"])
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            while True:
                cycle.follow("slope", 4.3, start=1.0)

    def test_progress(self):
        told = []
        scene = saltus.Scene(LONG)

        def tell(t, end):
            told.append((t, end))
            if len(told) == 3:
                raise ZeroDivisionError("enough")

        with self.assertRaisesRegex(ZeroDivisionError, "enough"):
            scene.run(progress=tell)
        self.assertEqual(len(told), 3)
        self.assertLess(told[0][0], told[2][0])
        self.assertEqual(told[0][1], 1e7)


class States(unittest.TestCase):
    def test_start_at(self):
        scene = saltus.Scene(BALL)
        run = scene.start().start_at(t=0.5, q=[1, 2], v=[3, 4])
        np.testing.assert_array_equal((run.t, *run.q, *run.v), (0.5, 1, 2, 3, 4))
        r = run.simulate()
        self.assertEqual((r.t[0], r.q[0, 1]), (0.5, 2))
        with self.assertRaisesRegex(ValueError, "q: expected 2 numbers"):
            run.start_at(q=[1, 2, 3])
        with self.assertRaisesRegex(ValueError, "closed: expected 1 values"):
            run.start_at(closed=[])
        with self.assertRaisesRegex(saltus.ArgumentError, "began elsewhere"):
            r.draw()

    def test_save_and_load(self):
        scene = saltus.Scene(BALL)
        run = scene.start()
        while run.to(0.9) == "event":
            pass
        other = scene.start().load(run.save())
        for x in (run, other):
            x.finish()
        np.testing.assert_array_equal(run.q, other.q)
        with self.assertRaises(saltus.ArgumentError):
            other.load(b"nonsense")

    def test_restart_is_a_new_run(self):
        scene = saltus.Scene(BALL)
        run = scene.start(wrt=["h"])
        first = run.simulate()
        before = first["y(P)"].copy()
        second = run.restart(h=1.2).simulate()
        np.testing.assert_array_equal(first["y(P)"], before)  # what was found stays
        np.testing.assert_array_equal(second["y(P)"], scene.run(h=1.2, wrt=["h"])["y(P)"])

    def test_dictionaries(self):
        scene = saltus.Scene({**BALL, "gravity": np.array([0.0, -3.0])})
        self.assertEqual(scene.data["gravity"], [0.0, -3.0])
        other = scene.changed({"joints": None, "parameters": {"h": np.float64(2)}})
        self.assertNotIn("joints", other.data)
        self.assertAlmostEqual(other.run().events[0].t, 1.14, delta=0.05)


class Life(unittest.TestCase):
    def test_copies(self):
        """A scene goes to other processes."""
        for scene in (saltus.Scene(BALL), saltus.load(SCENES / "five_bar.json")):
            other = pickle.loads(pickle.dumps(scene))
            np.testing.assert_array_equal(scene.run().q, other.run().q)
            self.assertEqual(scene.file, other.file)

    def test_any_order(self):
        """What a result was made from may go before it, and after it, also in cycles."""
        def make():
            scene = saltus.Scene(BALL)
            run = scene.start(wrt=["h"])
            return scene, run, run.simulate(), scene.cost_and_gradient("way", ["h"])

        for order in ((0, 1, 2, 3), (3, 2, 1, 0), (1, 0, 3, 2), (2, 0, 1, 3)):
            objects = dict(enumerate(make()))
            column, height = objects[2].q, objects[2]["y(P) + 1"]
            expected = column.copy()
            for k in order:
                del objects[k]
                gc.collect()
            np.testing.assert_array_equal(column, expected)
            self.assertEqual(len(height), len(expected))
        objects = make()
        cycle = [objects]
        cycle.append(cycle)
        event = objects[2].events[0]
        del objects, cycle
        gc.collect()
        self.assertEqual(event.gradient.shape, (1,))
        self.assertGreater(event.gradient[0], 0.0)

    @unittest.skipIf("asan" in os.environ.get("LD_PRELOAD", ""), "the sanitizer keeps what was freed")
    def test_memory_does_not_grow(self):
        def work():
            scene = saltus.Scene(BALL)
            for _ in range(20):
                r = scene.run(wrt=["h"])
                r["y(P)*2"], r.events
            try:
                scene.run(nonsense=1)
            except saltus.ArgumentError:
                pass
            gc.collect()

        work()
        for _ in range(5):
            work()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(30):
            work()
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertLess(grown, 3000, "kB; thirty scenes and six hundred results")

    @unittest.skipIf(not PLUGIN, "no plug-in was built")
    def test_plugin(self):
        data = {"saltus": 1, "points": {"O": {"at": [0, 0], "fixed": True}, "P": {"at": [0, -1]}},
                "bodies": {"b": {"type": "point_mass", "point": "P", "mass": 2}},
                "joints": {"band": {"type": "elastic_band", "points": ["O", "P"], "stiffness": 10}}}
        with self.assertRaisesRegex(saltus.SceneError, "elastic_band"):
            saltus.Scene(data)
        scene = saltus.Scene(data, plugins=[PLUGIN])
        np.testing.assert_allclose(scene.equilibrium().q, [0, -2 * 9.81 / 10], atol=1e-9)
        scene.changed({"gravity": [0, 0]}).run(duration=0.1)  # which keeps them
        self.assertIn("elastic_band", saltus.describe("elastic_band", plugins=[PLUGIN]))

    def test_missing_library(self):
        done = subprocess.run([sys.executable, "-c", "import saltus"], capture_output=True, text=True,
                              env={**os.environ, "SALTUS_LIBRARY": "/nowhere/libsaltus.so.0", "LD_PRELOAD": ""})
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("export SALTUS_LIBRARY=", done.stderr)
        self.assertIn("/nowhere/libsaltus.so.0", done.stderr)


class Pictures(unittest.TestCase):
    def test_notebook(self):
        scene = saltus.load(SCENES / "five_bar.json")
        r = scene.run(L01=2.3, duration=1)
        html = r._repr_html_()
        self.assertIn("data:image/svg+xml;base64,", html)
        self.assertIn("floor", html)
        self.assertIn("<svg", r.draw(at=[0, 0.5], trace="P2", names=True).svg)
        self.assertIn("data:image/svg+xml", scene._repr_html_())
        with self.assertRaisesRegex(saltus.SaltusError, "ghost"):
            r.draw(ghost=3)

    def test_view(self):
        opened = []
        original = saltus.show.webbrowser.open
        saltus.show.webbrowser.open = opened.append
        try:
            file = saltus.load(SCENES / "five_bar.json").run(L01=2.3, wrt=["L01"], duration=1).view()
        finally:
            saltus.show.webbrowser.open = original
        try:
            self.assertEqual(opened, [f"file://{file}"])
            with open(file) as page:
                self.assertIn("<!doctype html", page.read(200).lower())
        finally:
            os.unlink(file)


if __name__ == "__main__":
    unittest.main()
