"""Motions as functions of an array: for optimisers and for fits to what was measured."""
from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._library import Handle, array_of, lib
from .errors import ArgumentError, Interrupted, SaltusError, unknown
from .result import Result

if TYPE_CHECKING:
    from .run import Run
    from .scene import Scene


class Function:
    """The motion of a scene as a function of the values x of `wrt`. Every thread has a run of its own, which starts again."""

    def __init__(self, scene: "Scene", wrt: Tuple[str, ...], values: Mapping[str, float], options: Mapping[str, Any]):
        if not wrt:
            raise ArgumentError("wrt: expected the names of at least one parameter")
        self.scene = scene
        self.wrt = wrt
        self._values = dict(values)
        self._options = dict(options)
        self._mine = threading.local()
        run = self._run()
        self.x0 = np.array([self._start_of(run, name) for name in wrt])  #: values in the scene

    def _start_of(self, run: "Run", name: str) -> float:
        if name in self.scene.parameters:
            return run.parameters[name]
        if name in self._values:
            return float(self._values[name])
        inside = name[len("initial("):-1]
        point, _, axis = inside.rpartition(".")
        return run[f"{axis}({point})" if point else inside]  # "initial(P.vx)", "initial(memory)"

    @property
    def bounds(self) -> List[Tuple[Optional[float], Optional[float]]]:
        """Lower and upper limits of x, from the scene's section "ranges", for scipy.optimize.minimize."""
        ranges = self.scene.data.get("ranges", {})
        pairs = [ranges.get(name, (None, None)) for name in self.wrt]
        return [(low, high) for low, high in pairs]

    def _run(self) -> "Run":
        run = getattr(self._mine, "run", None)
        if run is None:
            run = self._mine.run = self.scene.start(self.wrt, self._values, **self._options)
        return run

    def _by_name(self, x: Sequence[float]) -> Mapping[str, float]:
        given = np.asarray(x, dtype=float)
        if given.shape != (len(self.wrt),):
            raise ArgumentError(f"x: expected {len(self.wrt)} numbers, those of {list(self.wrt)}, found an array of shape "
                                f"{given.shape}")
        return dict(zip(self.wrt, given.tolist()))

    def _at(self, x: Sequence[float]) -> "Run":
        """The run, started again at x."""
        return self._run().restart(self._by_name(x))

    def result(self, x: Sequence[float], times: Optional[Any] = None) -> Result:
        """The motion at x."""
        return self._at(x).simulate(times)


class Objective(Function):
    """From `Scene.cost_and_gradient`."""

    def __init__(self, scene: "Scene", cost: Union[str, Mapping[str, float]], wrt: Tuple[str, ...],
                 values: Mapping[str, float], options: Mapping[str, Any], gradients: str = "cheaper"):
        self._weights = {cost: 1.0} if isinstance(cost, str) else dict(cost)
        for name in self._weights:
            if name not in scene.costs:
                raise unknown("cost", name, scene.costs)
        if gradients not in ("cheaper", "forward", "adjoint"):
            raise ArgumentError(f"gradients: expected 'cheaper', 'forward' or 'adjoint', found {gradients!r}")
        self._asked = gradients
        #: how the gradient was made last: "adjoint" or "forward"
        self.by = gradients if gradients != "cheaper" else self._cheaper(len(wrt))
        super().__init__(scene, wrt, values, options)

    def _cheaper(self, parameters: int) -> str:
        """In plain runs, about (as saltus optimize has it)."""
        return "adjoint" if 2.5 + 0.4 * len(self._weights) < 1.0 + 0.1 * parameters else "forward"

    def __call__(self, x: Sequence[float]) -> Tuple[float, np.ndarray]:
        """The cost at x and its gradient."""
        if self._asked != "forward" and (self._asked == "adjoint" or self._cheaper(len(self.wrt)) == "adjoint"):
            try:
                self.by = "adjoint"
                return self._sweep(x)
            except (Interrupted, MemoryError):
                raise
            except SaltusError:
                if self._asked == "adjoint":
                    raise
        self.by = "forward"
        run = self._at(x).finish()
        value = sum(weight * run.costs[name] for name, weight in self._weights.items())
        gradient = sum(weight * run.gradient(name) for name, weight in self._weights.items())
        return float(value), np.asarray(gradient)

    def _adjoint(self) -> Tuple["Run", Handle]:
        """A plain run of this thread, and what sweeps back over it."""
        mine = getattr(self._mine, "adjoint", None)
        if mine is None:
            run = self.scene.start((), self._values, **self._options)
            opts = lib.sal_adjoint_defaults()
            wrt = (ctypes.c_char_p * len(self.wrt))(*[name.encode() for name in self.wrt])
            costs = (ctypes.c_char_p * len(self._weights))(*[name.encode() for name in self._weights])
            opts.wrt, opts.nwrt = ctypes.cast(wrt, ctypes.c_void_p), len(wrt)
            opts.costs, opts.ncosts = ctypes.cast(costs, ctypes.c_void_p), len(costs)
            mine = self._mine.adjoint = run, run._context.create(
                lib.sal_adjoint_create, lib.sal_adjoint_destroy, run._handle.pointer, ctypes.byref(opts),
                needs=(run._handle,))
        return mine

    def _sweep(self, x: Sequence[float]) -> Tuple[float, np.ndarray]:
        run, adjoint = self._adjoint()
        run.restart(self._by_name(x))
        failure = run._go(ctypes.byref(lib.sal_adjoint_reader(adjoint.pointer)), 1, None)
        if failure:
            raise failure
        run._context.call(lib.sal_adjoint_sweep, adjoint.pointer)
        value, gradient = 0.0, np.zeros(len(self.wrt))
        for k, (name, weight) in enumerate(self._weights.items()):
            value += weight * run.costs[name]
            gradient += weight * array_of(lib.sal_adjoint_gradient(adjoint.pointer, k), (len(self.wrt),), adjoint)
        return value, gradient


class Residuals(Function):
    """From `Scene.residuals`."""

    def __init__(self, scene: "Scene", data: Mapping[str, Sequence[float]], times: Sequence[float], wrt: Tuple[str, ...],
                 sigma: Union[float, Mapping[str, float]], values: Mapping[str, float], options: Mapping[str, Any]):
        super().__init__(scene, wrt, values, options)
        self.times = np.ascontiguousarray(times, dtype=float)
        self._names = list(data)
        self._data = {name: np.asarray(measured, dtype=float) for name, measured in data.items()}
        self._sigma = {name: float(sigma[name] if isinstance(sigma, Mapping) else sigma) for name in data}
        for name, measured in self._data.items():
            if measured.shape != self.times.shape:
                raise ArgumentError(f"{name}: expected {self.times.size} numbers, as many as times, found an array of shape "
                                    f"{measured.shape}")

    def _motion(self, x: Sequence[float]) -> Tuple[Result, np.ndarray]:
        """The motion at x, which fun and jac ask for one after the other, and its samples at `times`."""
        key = np.asarray(x, dtype=float).tobytes()
        if getattr(self._mine, "key", None) != key:
            r = self.result(x, self.times)
            at = np.searchsorted(r.t, self.times)  # the first at each time: before an event at that instant
            if len(r) == 0 or at[-1] >= len(r) or not np.array_equal(r.t[at], self.times):
                raise ArgumentError(f"the run ends at t = {r.t[-1] if len(r) else 0:g} s, before all times are reached")
            self._mine.key, self._mine.motion = key, (r, at)
        return self._mine.motion

    def fun(self, x: Sequence[float]) -> np.ndarray:
        """(motion - measured)/sigma, of one quantity after the other."""
        r, at = self._motion(x)
        return np.concatenate([(r[name][at] - self._data[name]) / self._sigma[name] for name in self._names])

    def jac(self, x: Sequence[float]) -> np.ndarray:
        """Its derivatives [residuals, p]."""
        r, at = self._motion(x)
        r._check_valid()
        return np.concatenate([r.sensitivity(name)[at] / self._sigma[name] for name in self._names])
