"""Pictures and pages, by the command `saltus`."""
from __future__ import annotations

import base64
import os
import shutil
import subprocess
import tempfile
import webbrowser
from typing import TYPE_CHECKING, Any, List, Mapping, Sequence

from ._library import lib
from .errors import SaltusError

if TYPE_CHECKING:
    from .scene import Scene


def command() -> str:
    """The command `saltus`: SALTUS_COMMAND, that installed with the library, or that in PATH."""
    given = os.environ.get("SALTUS_COMMAND")
    if given:
        return given
    place = os.path.dirname(os.path.abspath(lib._name)) if os.path.sep in lib._name else ""
    for _ in range(3 if place else 0):  # prefix/lib/x86_64-linux-gnu
        for path in (os.path.join(place, "bin", "saltus"), os.path.join(place, "saltus")):
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
        place = os.path.dirname(place)
    found = shutil.which("saltus")
    if not found:
        raise SaltusError("the command saltus, which draws, was not found; SALTUS_COMMAND says where it is")
    return found


class Picture:
    """An SVG picture: notebooks show it, `svg` is its text."""

    def __init__(self, svg: str):
        self.svg = svg

    def save(self, file: "os.PathLike[str] | str") -> None:
        """Writes it to a file."""
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.svg)

    def _repr_html_(self) -> str:
        # as an image: pictures in one page share neither names nor styles
        return f'<img src="data:image/svg+xml;base64,{base64.b64encode(self.svg.encode()).decode()}">'


def _arguments(scene: "Scene", values: Mapping[str, float], options: Mapping[str, Any]) -> List[str]:
    given = [word for name, value in values.items() for word in ("--set", f"{name}={value!r}")]
    for name in ("form", "rtol", "duration"):
        if options.get(name) is not None:
            given += [f"--{name}", str(options[name])]
    return given + [word for file in scene._context.plugins for word in ("--plugin", file)]


def _call(scene: "Scene", verb: str, arguments: Sequence[str], good: Sequence[int] = (0,)) -> str:
    with tempfile.TemporaryDirectory(prefix="saltus") as folder:
        file = os.path.join(folder, "scene.json")
        with open(file, "w", encoding="utf-8") as out:
            out.write(scene.text)
        done = subprocess.run([command(), verb, file, *arguments], capture_output=True, text=True, encoding="utf-8")
    if done.returncode not in good:
        raise SaltusError(done.stderr.strip() or f"saltus {verb} failed with exit code {done.returncode}")
    return done.stdout


def draw(scene: "Scene", values: Mapping[str, float], options: Mapping[str, Any], how: Mapping[str, Any]) -> Picture:
    """A picture by saltus draw."""
    given = _arguments(scene, {k: float(v) for k, v in values.items()}, options)
    for name, value in how.items():
        if value is True:
            given.append(f"--{name}")
        elif value is not None and value is not False:
            words = [value] if isinstance(value, str) or not isinstance(value, Sequence) else value
            given += [f"--{name}", ",".join(map(str, words))]
    return Picture(_call(scene, "draw", given + ["--output", "-"]))


def view(scene: "Scene", values: Mapping[str, float], options: Mapping[str, Any], wrt: Sequence[str]) -> str:
    """A page by saltus report, in the browser."""
    handle, file = tempfile.mkstemp(prefix="saltus-", suffix=".html")
    os.close(handle)
    given = _arguments(scene, {k: float(v) for k, v in values.items()}, options)
    _call(scene, "report", given + ["--wrt", ",".join(wrt) or "none", "--output", file], (0, 7))
    webbrowser.open(f"file://{file}")
    return file
