"""What the tests of the Python module share: where things are."""
import json
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = ROOT / "scenes"
PLUGIN = os.environ.get("SALTUS_TEST_PLUGIN", "")


def reference(name):
    return json.loads((ROOT / "tests" / "ref" / name).read_text())


BALL = {  # drifts, and bounces on a slope
    "saltus": 1, "gravity": [0, "-g"], "parameters": {"g": 9.81, "h": 1.0, "rebound": 0.8, "speed": 0.7, "drag": 0.05},
    "points": {"P": {"at": [0, "h"], "velocity": ["speed", 0]}},
    "bodies": {"ball": {"type": "point_mass", "point": "P", "mass": 0.3}},
    "joints": {"air": {"type": "drag", "point": "P", "linear": "drag"}},
    "contacts": {"floor": {"type": "ground", "points": ["P"], "restitution": "rebound", "angle": -0.1}},
    "outputs": {"height": "y(P)"},
    "costs": {"way": {"running": "vx(P)"}, "late": {"terminal": "x(P)"}},
    "simulation": {"duration": 2, "output": 0.05, "rtol": 1e-10},
}
