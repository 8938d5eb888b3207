"""Scenes: mechanisms as files, texts and dictionaries, and all that can be asked of them."""
from __future__ import annotations

import copy
import ctypes
import json
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _declarations as c
from ._library import Context, Handle, lib, names_of, text_of
from ._watch import Progress, Watch
from .errors import ArgumentError, SceneError, unknown
from .fit import Objective, Residuals
from .result import Result
from .run import OPTIONS, Run, fill_options
from .show import Picture, draw
from .studies import Cycle, Equilibrium

PathLike = Union[str, "os.PathLike[str]"]


class Check(NamedTuple):
    """A derivative by Saltus and by differences; see `Scene.verify`."""

    what: str
    wrt: str
    exact: float
    numeric: float
    difference: float
    known: bool  #: differences can tell
    good: bool


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays in a dictionary, for JSON."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"a scene cannot hold {value!r}: expected numbers, texts, lists, dictionaries")


def _merge(data: Any, change: Any) -> Any:
    if not isinstance(data, dict) or not isinstance(change, Mapping):
        return copy.deepcopy(change)
    merged = dict(data)
    for key, value in change.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merge(merged.get(key), value)
    return merged


class Scene:
    """A mechanism. From a dictionary of the form of a scene file, or by `saltus.load` from a file.

    >>> import saltus
    >>> ball = saltus.Scene({
    ...     "saltus": 1, "parameters": {"h": 1, "rebound": 0.5},
    ...     "points": {"P": {"at": [0, "h"]}},
    ...     "bodies": {"ball": {"type": "point_mass", "point": "P", "mass": 1}},
    ...     "contacts": {"floor": {"type": "ground", "points": ["P"], "restitution": "rebound"}},
    ...     "simulation": {"duration": 1, "output": 0.1}})
    >>> r = ball.run(h=2, wrt=["h"])
    >>> abs(r.events[0].t - (2*2/9.81)**0.5) < 1e-12
    True
    >>> ball.changed({"points": {"P": {"velocity": [1, 0]}}}).run().q[-1, 0].round(12)
    1.0
    """

    def __init__(self, data: Union[Mapping[str, Any], str], name: str = "scene", plugins: Sequence[PathLike] = ()):
        self.text = data if isinstance(data, str) else json.dumps(data, indent=2, default=_plain, allow_nan=False)
        self.file = name
        self._context = Context([os.fspath(file) for file in plugins], places=isinstance(data, str))
        text = self.text.encode()
        scene = self._context.create(lib.sal_scene_parse, lib.sal_scene_destroy, self._context.handle.pointer,
                                     os.fsencode(name), text, len(text))
        self._model: Handle = self._context.create(lib.sal_model_create, lib.sal_model_destroy, scene.pointer)
        model = self._model.pointer
        self._info = lib.sal_model_get_info(model)
        self.name = text_of(self._info.name)  #: title of the scene
        self.coordinates = names_of(lib.sal_model_coordinate, model)  #: ("x(P1)", ...), in the order of q
        self.constraints = names_of(lib.sal_model_constraint, model)  #: in the order of the multipliers
        self.parameters = names_of(lib.sal_model_parameter, model)
        self.vectors = self._knots(model)  #: {"u": ("u[0]", "u[1]", ...)}, functions of time and their knots
        self.events = names_of(lib.sal_model_event, model)
        self.outputs = names_of(lib.sal_model_output, model)
        self.reactions = names_of(lambda m, k: lib.sal_model_reaction(m, k, None), model)
        self.costs = names_of(lib.sal_model_cost, model)
        self.memory = names_of(lib.sal_model_memory, model)
        self.touches = names_of(lib.sal_model_touch, model)  #: pairs that can touch
        self._probes: Dict[str, Handle] = {}
        self._columns: Dict[str, Tuple[str, int]] = {}
        for k, coordinate in enumerate(self.coordinates):
            self._columns.update({coordinate: ("q", k), "v" + coordinate: ("v", k), "a" + coordinate: ("a", k)})
        self._columns.update({f"lambda({row})": ("lambda_", k) for k, row in enumerate(self.constraints)})
        for known in self.outputs:
            self._columns.pop(known, None)  # an output comes first

    def _knots(self, model: Any) -> Dict[str, Tuple[str, ...]]:
        found: Dict[str, Tuple[str, ...]] = {}
        info = c.sal_vector_info()
        while lib.sal_model_vector(model, len(found), ctypes.byref(info)):
            found[text_of(info.name)] = self.parameters[info.first:info.first + info.knots]
        return found

    def _names(self, wrt: Sequence[str]) -> Tuple[str, ...]:
        """What derivatives are with respect to; a function of time by all of its knots."""
        if isinstance(wrt, str):
            raise ArgumentError(f"wrt: expected a list of names, found the text {wrt!r}")
        return tuple(knot for name in wrt for knot in self.vectors.get(name, (name,)))

    # ------------------------------------------------------------------------------------ as a dictionary

    @property
    def data(self) -> Dict[str, Any]:
        """The scene as a dictionary, a copy."""
        return json.loads(self.text)

    def changed(self, change: Mapping[str, Any]) -> "Scene":
        """Another scene: this one with what the dictionary says, key by key; None takes a key away.

        >>> import saltus
        >>> scene = saltus.load(scenes / "pendulum.json")
        >>> scene.changed({"gravity": [0, -1.62], "simulation": {"duration": 2}}).run().t[-1]
        2.0
        """
        name = self.file if self.file.endswith(", changed") else self.file + ", changed"
        return Scene(_merge(self.data, change), name, self._context.plugins)

    def save(self, file: PathLike) -> None:
        """Writes the scene to a file."""
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.text if self.text.endswith("\n") else self.text + "\n")

    def _copy(self) -> "Scene":
        """The same with a context of its own, whose messages nobody else's calls change."""
        return copy.copy(self)

    def __reduce__(self) -> Any:  # for copies, and for other processes
        data = self.text if self._context.places else self.data
        return Scene, (data, self.file, self._context.plugins)

    # ------------------------------------------------------------------------------------ running

    def _split(self, given: Dict[str, Any], set: Optional[Mapping[str, float]],
               options: Sequence[str] = OPTIONS) -> Tuple[Dict[str, float], Dict[str, Any]]:
        """Keywords that are options, and those that are parameters."""
        how = {name: given.pop(name) for name in list(given) if name in options}
        for name in how:
            if name in self.parameters:
                raise ArgumentError(f"{name!r} is an option and a parameter of the scene: give the parameter as "
                                    f"set={{{name!r}: ...}}, the option by changing the scene")
        return self._values(set, given), how

    def _values(self, set: Optional[Mapping[str, float]], given: Mapping[str, float]) -> Dict[str, float]:
        """Parameters and initial values, which exist and are numbers."""
        values: Dict[str, float] = {**(set or {}), **given}
        for name in given:
            if set and name in set:
                raise ArgumentError(f"{name} is given twice, as a keyword and in set")
        for name in [name for name in values if name in self.vectors]:
            knots, given_knots = self.vectors[name], np.asarray(values.pop(name), dtype=float)
            if given_knots.shape not in ((), (len(knots),)):
                raise ArgumentError(f"{name}: expected a number or {len(knots)}, its knots, found an array of shape "
                                    f"{given_knots.shape}")
            values.update(zip(knots, np.broadcast_to(given_knots, len(knots)).tolist()))
        for name, value in values.items():
            if name not in self.parameters and not name.startswith("initial("):
                raise unknown("parameter", name, self.parameters)
            if not isinstance(value, (int, float, np.integer, np.floating)) or isinstance(value, bool):
                raise ArgumentError(f"{name}: expected a number, found {value!r}")
        return values

    def start(self, wrt: Sequence[str] = (), set: Optional[Mapping[str, float]] = None, **given: Any) -> Run:
        """A run that has been assembled and waits at its start.

        Keywords are parameters of the scene, and options: duration, rtol, atol, max_step, min_step, form ("index1",
        "penalty", "index3"), integrator ("auto", "rk8", "rk5", "radau"), stabilization ("projection", "baumgarte",
        "none"), validate, quiet, partitioned, wrt_uncontrolled, and the limits max_steps, max_events, max_wall [s]. `set`
        takes parameters that cannot be keywords, and initial values: {"initial(P.vx)": 1}. `wrt` names what derivatives
        are with respect to: parameters and initial values."""
        values, how = self._split(given, set)
        return Run(self, values, self._names(wrt), how)

    def run(self, wrt: Sequence[str] = (), set: Optional[Mapping[str, float]] = None,
            times: Optional[Sequence[float]] = None, progress: Progress = None, **given: Any) -> Result:
        """Simulates, and gives the motion. As `start` and `Run.simulate`.

        >>> import saltus
        >>> [round(event.t, 6) for event in saltus.load(scenes / "five_bar.json").run(L01=2.3, duration=1).events]
        [0.296975, 0.882905]
        """
        return self.start(wrt, set, **given).simulate(times, progress)

    def values(self, set: Optional[Mapping[str, float]] = None, **parameters: float) -> Dict[str, float]:
        """The values of all parameters; some given, those that depend on them following."""
        return Run(self, self._values(set, parameters), (), {}).parameters

    def _probe(self, expression: str) -> Handle:
        if not isinstance(expression, str):
            raise TypeError(f"expected a name or an expression, found {expression!r}")
        probe = self._probes.get(expression)
        if probe is None:
            probe = self._context.create(lib.sal_probe_create, lib.sal_probe_destroy, self._model.pointer,
                                         expression.encode(), needs=(self._model,))
            probe = self._probes.setdefault(expression, probe)  # another thread's may be in use already
        return probe

    # ------------------------------------------------------------------------------------ optimisation

    def cost_and_gradient(self, cost: Union[str, Mapping[str, float]], wrt: Sequence[str],
                          set: Optional[Mapping[str, Any]] = None, gradients: str = "cheaper", **given: Any) -> Objective:
        """A function of an array x, the values of `wrt`, that gives a cost and its gradient, for
        scipy.optimize.minimize(f, f.x0, jac=True, bounds=f.bounds). `cost` is the name of a cost, or {name: weight} for a
        sum of several. A function of time in `wrt` stands for all of its knots. `gradients` are made by the "adjoint",
        "forward", or as is "cheaper", and forward where the adjoint refuses something; f.by says which it was.

        >>> import saltus
        >>> f = saltus.load(scenes / "five_bar.json").cost_and_gradient("z1", ["L01", "L02"])
        >>> value, gradient = f(f.x0)
        >>> round(value, 6), gradient.round(4)
        (-0.01766, array([ 1.8621, -5.7233]))
        """
        values, how = self._split(given, set)
        return Objective(self, cost, self._names(wrt), values, how, gradients)

    def residuals(self, data: Mapping[str, Sequence[float]], times: Sequence[float], wrt: Sequence[str],
                  sigma: Union[float, Mapping[str, float]] = 1.0, set: Optional[Mapping[str, float]] = None,
                  **given: Any) -> Residuals:
        """What was measured against the motion, for scipy.optimize.least_squares(f.fun, f.x0, jac=f.jac): the difference
        of every expression in `data` at `times` from what was measured, over `sigma`, as a function of the values x of
        `wrt`, with its exact derivatives through all events."""
        values, how = self._split(given, set)
        return Residuals(self, data, times, self._names(wrt), sigma, values, how)

    # ------------------------------------------------------------------------------------ studies

    def cycle(self, wrt: Sequence[str] = (), section: Optional[str] = None, steps: int = 1, tolerance: float = 1e-11,
              iterations: int = 50, set: Optional[Mapping[str, float]] = None, **given: Any) -> Cycle:
        """A periodic motion, from the scene's start: it is found, with its multipliers and derivatives.

        >>> import saltus
        >>> clock = saltus.load(scenes / "clock.json").cycle(wrt=["L"])
        >>> round(clock.period, 9), clock.stable, clock.gradient("period").round(6)
        (1.876014887, True, array([0.992957]))
        """
        values, how = self._split(given, set)
        return Cycle(self, values, self._names(wrt), how, section, steps, tolerance, iterations)

    def equilibrium(self, wrt: Sequence[str] = (), tolerance: float = 1e-12, iterations: int = 300,
                    set: Optional[Mapping[str, float]] = None, **parameters: float) -> Equilibrium:
        """A static equilibrium near the scene's start, with derivatives.

        >>> import saltus
        >>> rest = saltus.load(scenes / "five_bar.json").equilibrium(wrt=["L01"])
        >>> rest.stable, rest.modes()[0].frequency.round(9)
        (True, 3.284544216)
        """
        values, _ = self._split(parameters, set, ())
        return Equilibrium(self, values, self._names(wrt), tolerance, iterations)

    def verify(self, wrt: Sequence[str] = (), tolerance: float = 1e-6, set: Optional[Mapping[str, float]] = None,
               **given: Any) -> List[Check]:
        """Every derivative of a run again by central differences of tight runs."""
        values, how = self._split(given, set)
        watch, found = Watch(), []  # type: Tuple[Watch, List[Check]]
        opts = lib.sal_run_defaults()
        kept = fill_options(opts, how, values, self._names(wrt or self.parameters), watch)

        def report(_user: Any, address: int) -> None:
            item = c.sal_verify_item.from_address(address)
            found.append(Check(text_of(item.what), text_of(item.wrt), item.exact, item.numeric, item.difference, item.known,
                               item.good))

        with watch:
            self._context.call(lib.sal_verify, self._model.pointer, ctypes.byref(opts), tolerance,
                               c.sal_verify_report(report), None, ctypes.byref(ctypes.c_int()))
        del kept
        return found

    # ------------------------------------------------------------------------------------ pictures

    def draw(self, set: Optional[Mapping[str, float]] = None, **options: Any) -> Picture:
        """A picture of the mechanism by the command saltus draw, whose options these are."""
        return draw(self, set or {}, {}, options)

    def _repr_html_(self) -> str:
        try:
            return self.draw(width=480)._repr_html_()
        except Exception:  # without the command, or where it cannot be assembled
            return repr(self).replace("<", "&lt;")

    def __repr__(self) -> str:
        return (f"<saltus.Scene {self.name!r}: {len(self.coordinates)} coordinates, {len(self.constraints)} constraints, "
                f"{len(self.parameters)} parameters>")


def load(file: PathLike, plugins: Sequence[PathLike] = ()) -> Scene:
    """Loads a scene from a file. SceneError has every error in it, with its line and column.

    >>> import saltus
    >>> saltus.load(scenes / "five_bar.json")
    <saltus.Scene 'five-bar mechanism bouncing on the ground': 6 coordinates, 4 constraints, 2 parameters>
    """
    try:
        with open(file, "rb") as source:
            raw = source.read()
    except OSError as error:
        raise type(error)(error.errno, error.strerror, os.fspath(file)) from None
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise SceneError(f"{os.fspath(file)}: is not text in UTF-8: byte {error.start}") from None
    return Scene(text, os.fspath(file), plugins)


def describe(type: Optional[str] = None, plugins: Sequence[PathLike] = ()) -> str:
    """The reference of the scene format: all of it, or of a section or type, "bar"."""
    context = Context([os.fspath(file) for file in plugins])
    pieces: List[str] = []
    context.call(lib.sal_describe, context.handle.pointer, type.encode() if type else None,
                 c.sal_writer(lambda _user, text: pieces.append(text_of(text))), None)
    return "".join(pieces)


def evaluate(expression: str) -> float:
    """The value of an expression without names.

    >>> import saltus
    >>> saltus.evaluate("sqrt(5)/2")
    1.118033988749895
    """
    value = ctypes.c_double()
    context = Context()
    context.call(lib.sal_evaluate, context.handle.pointer, expression.encode(), ctypes.byref(value))
    return value.value


__all__ = ["Scene", "Check", "load", "describe", "evaluate"]
