"""Periodic motions, equilibria and the small motions about them."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _declarations as c
from ._library import array_of, lib, text_of
from ._watch import Watch
from .errors import ArgumentError, CycleError, Interrupted, unknown
from .run import fill_options

if TYPE_CHECKING:
    from .scene import Scene

BIFURCATIONS = ("", "fold", "cross", "flip", "torus")


class Study:
    """What cycles and equilibria share: a model of their own, so that nobody else's failures change their messages."""

    def __init__(self, scene: "Scene", values: Mapping[str, float], wrt: Sequence[str], opts: Any,
                 options: Mapping[str, Any], create: Any, destroy: Any):
        self.scene = scene
        self.wrt: Tuple[str, ...] = tuple(wrt)
        self.values = dict(values)
        own = scene._copy()
        self._context = own._context
        self._watch = Watch()
        kept = fill_options(opts.run, options, values, wrt, self._watch)
        with self._watch:
            self._handle = self._context.create(create, destroy, own._model.pointer, ctypes.byref(opts),
                                                needs=(own._model, kept[-1]))
        self._pointer = self._handle.pointer

    def _do(self, function: Any, *arguments: Any) -> None:
        with self._watch:
            status = self._context.call(function, self._pointer, *arguments)
        if status == c.SAL_STOPPED:
            raise Interrupted("stopped")

    def _set(self, function: Any, set: Optional[Mapping[str, float]], given: Mapping[str, float]) -> None:
        values = self.scene._values(set, given)
        for name, value in values.items():
            self._do(function, name.encode(), float(value))
            self.values[name] = float(value)

    def _array(self, function: Any, *shape: int) -> np.ndarray:
        """A copy: the next search changes what the library has."""
        return array_of(function(self._pointer), shape, self._handle).copy()

    def _check_wrt(self) -> None:
        if not self.wrt:
            raise ArgumentError("there are no derivatives: none were asked for; wrt=[...]")

    def _named(self, names: Sequence[str], function: Any) -> Dict[str, float]:
        return dict(zip(names, self._array(function, len(names)).tolist()))


class Point(NamedTuple):
    """Of a branch of cycles; see `Cycle.follow`."""

    parameter: float
    period: float
    length: float
    multipliers: np.ndarray
    start: np.ndarray
    stable: bool
    bifurcation: str  #: "", "fold", "cross", "flip" or "torus"


class Cycle(Study):
    """A periodic motion, from `Scene.cycle`. Attributes belong to the cycle found last."""

    def __init__(self, scene: "Scene", values: Mapping[str, float], wrt: Sequence[str], options: Mapping[str, Any],
                 section: Optional[str], steps: int, tolerance: float, iterations: int):
        opts = lib.sal_cycle_defaults()
        opts.section = section.encode() if section else None
        opts.steps, opts.tolerance, opts.iterations = steps, tolerance, iterations
        super().__init__(scene, values, wrt, opts, options, lib.sal_cycle_create, lib.sal_cycle_destroy)
        self.find()

    def find(self, set: Optional[Mapping[str, float]] = None, **parameters: float) -> "Cycle":
        """Finds the cycle of other parameters, from the one known: its derivatives predict the new one. "initial(P.x)",
        ... in `set` are a first guess."""
        self._set(lib.sal_cycle_set, set, parameters)
        self._do(lib.sal_cycle_find)
        self._read()
        return self

    def _read(self) -> None:
        info = lib.sal_cycle_get_info(self._pointer)
        n, p = self.scene._info.coordinates, len(self.wrt)
        self.period: float = info.period  #: [s]
        self.length: float = info.length  #: by which the origin moves [m]
        self.advance = np.array(info.advance)  #: the same as a vector
        self.residual: float = info.residual
        self.iterations: int = info.iterations
        self.shortest: int = info.shortest  #: steps after which it closes already
        self.stable: bool = info.stable
        self.neutral: int = info.neutral  #: multipliers that are 1 because cycles come in families
        self.start = self._array(lib.sal_cycle_start, 2 * n + info.memory)  #: coordinates, velocities, memory
        self.multipliers = self._multipliers(info.multipliers)  #: by size, those not zero by structure
        self.outputs = self._named(self.scene.outputs, lib.sal_cycle_outputs)  #: at the start
        self.costs = self._named(self.scene.costs, lib.sal_cycle_costs)  #: over the period
        self._gradients = {"period": self._array(lib.sal_cycle_period_gradient, p),
                           "length": self._array(lib.sal_cycle_length_gradient, p),
                           "start": self._array(lib.sal_cycle_start_gradients, 2 * n + info.memory, p)}
        self._unknowns = info.unknowns

    def _multipliers(self, count: int) -> np.ndarray:
        found = np.empty(count, dtype=complex)
        pair = (ctypes.c_double * 2)()
        for k in range(count):
            lib.sal_cycle_multiplier(self._pointer, k, pair)
            found[k] = complex(pair[0], pair[1])
        return found

    @property
    def q(self) -> np.ndarray:
        """Coordinates at the start."""
        return self.start[:self.scene._info.coordinates]

    @property
    def v(self) -> np.ndarray:
        """Velocities at the start."""
        return self.start[self.scene._info.coordinates:2 * self.scene._info.coordinates]

    def gradient(self, name: str) -> np.ndarray:
        """The derivatives of "period", "length", "start", a cost or an output with respect to `wrt`, as the cycle stays
        one. NaN at a fold."""
        self._check_wrt()
        p = len(self.wrt)
        if name in self._gradients:
            return self._gradients[name].copy()
        if name in self.scene.costs:
            return self._array(lib.sal_cycle_cost_gradients, len(self.scene.costs), p)[self.scene.costs.index(name)]
        if name in self.scene.outputs:
            return self._array(lib.sal_cycle_output_gradients, len(self.scene.outputs), p)[self.scene.outputs.index(name)]
        raise unknown("quantity of a cycle", name, list(self._gradients) + list(self.scene.costs + self.scene.outputs))

    @property
    def monodromy(self) -> np.ndarray:
        """The derivative of the return map with respect to the start; its eigenvalues are the multipliers."""
        out = np.empty((self._unknowns, self._unknowns))
        lib.sal_cycle_monodromy(self._pointer, out.ctypes.data)
        return out

    def follow(self, parameter: str, to: float, start: Optional[float] = None, points: int = 500, step: float = 0.02,
               max_step: float = 0.1, min_step: float = 1e-6) -> List[Point]:
        """The branch of cycles as a parameter, one of `wrt`, goes from `start` (the value that it has) to `to`, around
        folds, with every bifurcation on the way. CycleError where it ends before has the points so far as `points`."""
        found: List[Point] = []

        def report(_user: Any, address: int) -> None:
            at = c.sal_cycle_point.from_address(address)
            self._read()
            found.append(Point(at.parameter, self.period, self.length, self.multipliers, self.start, self.stable,
                               BIFURCATIONS[at.kind]))

        opts = lib.sal_follow_defaults()
        setattr(opts, "from", self._value_of(parameter) if start is None else start)
        opts.to, opts.points, opts.step, opts.max_step, opts.min_step = to, points, step, max_step, min_step
        opts.report = c.sal_cycle_report(report)
        try:
            self._do(lib.sal_cycle_follow, parameter.encode(), ctypes.byref(opts))
        except CycleError as error:
            error.points = found  # type: ignore[attr-defined]
            raise
        self._read()
        return found

    def _value_of(self, parameter: str) -> float:
        if parameter not in self.scene.parameters:
            raise unknown("parameter", parameter, self.scene.parameters)
        return self.scene.values({k: v for k, v in self.values.items() if k in self.scene.parameters})[parameter]

    def __repr__(self) -> str:
        return f"<saltus.Cycle of {self.scene.name!r}: period {self.period:.9g} s, {'' if self.stable else 'not '}stable>"


class Mode(NamedTuple):
    """A small motion about an equilibrium, exp(s t)."""

    kind: str  #: "oscillates", "creeps", "zero" or "diverges"
    s: complex  #: eigenvalue [1/s]
    frequency: np.float64  #: |s| [rad/s]
    damping: float  #: ratio
    unstable: bool
    repeated: int  #: eigenvalues like this one
    shape: np.ndarray  #: displacements [n], the largest is 1
    mass: float  #: with that shape [kg]
    frequency_gradient: np.ndarray  #: [p]
    damping_gradient: np.ndarray  #: [p]
    s_gradient: np.ndarray  #: [p]


class Equilibrium(Study):
    """A static equilibrium, from `Scene.equilibrium`."""

    def __init__(self, scene: "Scene", values: Mapping[str, float], wrt: Sequence[str], tolerance: float, iterations: int):
        opts = lib.sal_equilibrium_defaults()
        opts.tolerance, opts.iterations = tolerance, iterations
        super().__init__(scene, values, wrt, opts, {}, lib.sal_equilibrium_create, lib.sal_equilibrium_destroy)
        self.find()

    def find(self, set: Optional[Mapping[str, float]] = None, **parameters: float) -> "Equilibrium":
        """Finds that of other parameters; "initial(P.x)", ... in `set` are a place to search from."""
        self._set(lib.sal_equilibrium_set, set, parameters)
        self._do(lib.sal_equilibrium_find)
        info = lib.sal_equilibrium_get_info(self._pointer)
        scene = self.scene
        self.q = self._array(lib.sal_equilibrium_q, scene._info.coordinates)  #: coordinates
        self.lambda_ = self._array(lib.sal_equilibrium_lambda, scene._info.constraints)  #: multipliers
        self.outputs = self._named(scene.outputs, lib.sal_equilibrium_outputs)
        self.reactions = self._named(scene.reactions, lib.sal_equilibrium_reactions)
        self.stable: bool = info.stable
        self.neutral: bool = info.neutral
        self.stiffness: float = info.stiffness  #: the smallest [N/m]
        self.freedom: int = info.freedom
        self.energy: float = info.energy  #: [J]
        self.residual: float = info.residual
        self.iterations: int = info.iterations
        self.warning = text_of(info.warning)  #: "", or which contacts would pull
        return self

    def gradient(self, name: str) -> np.ndarray:
        """The derivatives of a coordinate ("x(P)"), multiplier ("lambda(rod)"), output or reaction ("rod.tension") [p]."""
        self._check_wrt()
        scene, p = self.scene, len(self.wrt)
        for names, function in ((scene.outputs, lib.sal_equilibrium_output_gradients),
                                (scene.coordinates, lib.sal_equilibrium_q_gradients),
                                (tuple(f"lambda({row})" for row in scene.constraints), lib.sal_equilibrium_lambda_gradients),
                                (scene.reactions, lib.sal_equilibrium_reaction_gradients)):
            if name in names:
                return self._array(function, len(names), p)[names.index(name)]
        raise unknown("quantity of an equilibrium", name, scene.coordinates + scene.outputs + scene.reactions)

    def modes(self) -> List[Mode]:
        """Small motions about it, by frequency, with derivatives as the equilibrium moves along."""
        modes = self._context.create(lib.sal_modes_create, lib.sal_modes_destroy, self._pointer, needs=(self._handle,))
        n, p = self.scene._info.coordinates, len(self.wrt)
        found = []
        for k in range(lib.sal_modes_count(modes.pointer)):
            m = c.sal_mode()
            lib.sal_modes_mode(modes.pointer, k, ctypes.byref(m))
            gradient = np.zeros((4, p))
            lib.sal_modes_gradient(modes.pointer, k, *(row.ctypes.data for row in gradient))
            re, im = (array_of(m.shape[i], (n,), modes) for i in range(2))
            found.append(Mode(("oscillates", "creeps", "zero", "diverges")[m.kind], complex(m.s[0], m.s[1]),
                              np.float64(m.frequency), m.damping, m.unstable, m.repeated, re + 1j * im, m.mass,
                              gradient[2], gradient[3], gradient[0] + 1j * gradient[1]))
        return found

    def __repr__(self) -> str:
        return f"<saltus.Equilibrium of {self.scene.name!r}: {'stable' if self.stable else 'not stable'}>"
