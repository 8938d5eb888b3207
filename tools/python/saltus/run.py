"""A simulation at a state: stepped, looked at, started again."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _declarations as c
from ._library import Context, Handle, array_of, error_of, lib, numbers_of, text_of
from ._watch import EVERY, Progress, Watch, show_progress
from .errors import ArgumentError, DerivativeError, Interrupted, RunError, unknown
from .result import NO_DERIVATIVES, Event, Health, Result

if TYPE_CHECKING:
    from .scene import Scene

WORDS = {  # options that are words, in the order of the library's enums
    "form": ("index1", "penalty", "index3"),
    "stabilization": ("projection", "baumgarte", "none"),
    "integrator": ("rk8", "rk5", "radau", "auto"),
}
NUMBERS = ("duration", "rtol", "atol", "max_step", "min_step", "max_wall")
COUNTS = ("max_steps", "max_events")
FLAGS = ("wrt_uncontrolled", "partitioned", "quiet", "validate")
OPTIONS = tuple(WORDS) + NUMBERS + COUNTS + FLAGS


def option_of(name: str, value: Any) -> Any:
    """The value of an option as the library has it."""
    if name in WORDS:
        if value not in WORDS[name]:
            raise ArgumentError(f"{name}: expected {' or '.join(map(repr, WORDS[name]))}, found {value!r}")
        return WORDS[name].index(value)
    kinds, what = ((bool, np.bool_), "True or False") if name in FLAGS else ((int, np.integer), "a whole number") \
        if name in COUNTS else ((int, float, np.integer, np.floating), "a number")
    if not isinstance(value, kinds) or (isinstance(value, bool) and name not in FLAGS):
        raise ArgumentError(f"{name}: expected {what}, found {value!r}")
    if value < 0:  # to the library that is: as the scene says
        raise ArgumentError(f"{name}: expected a number that is not negative, found {value!r}")
    return float(value) if name in NUMBERS else int(value)


def fill_options(opts: Any, given: Mapping[str, Any], values: Mapping[str, float], wrt: Sequence[str],
                 watch: Watch) -> List[Any]:
    """Fills a sal_run_opts; gives what must live as long as it is read."""
    for name, value in given.items():
        if value is not None:
            setattr(opts, name, option_of(name, value))
    settings = (c.sal_setting * len(values))()
    names = [name.encode() for name in list(values) + list(wrt)]
    for k, value in enumerate(values.values()):
        settings[k].parameter = names[k]
        settings[k].value = float(value)
    asked = (ctypes.c_char_p * len(wrt))(*names[len(values):])
    stop = type(opts.stop)(watch.stops)
    opts.set, opts.nset = ctypes.cast(settings, ctypes.c_void_p), len(values)
    opts.wrt, opts.nwrt = ctypes.cast(asked, ctypes.c_void_p), len(wrt)
    opts.stop = stop
    opts.stop_every = EVERY
    return [settings, names, asked, stop]


class Linearization(NamedTuple):
    """q' = v, v' = a(q, v, rho) near a state: the derivatives of the accelerations, what holds held."""

    a_q: np.ndarray  #: [n, n]
    a_v: np.ndarray  #: [n, n]
    a_rho: np.ndarray  #: [n, parameters]

    @property
    def A(self) -> np.ndarray:
        """d(q', v')/d(q, v), [2n, 2n]."""
        n = len(self.a_q)
        return np.block([[np.zeros((n, n)), np.eye(n)], [self.a_q, self.a_v]])

    @property
    def B(self) -> np.ndarray:
        """d(q', v')/d(parameters), [2n, parameters]."""
        return np.vstack([np.zeros_like(self.a_rho), self.a_rho])


class Run:
    """A simulation, from `Scene.start`. It shows one state; `q`, `v`, ... are that state, without copies: they change as
    the run goes on. Runs of one scene may be used in several threads at once, each in one.

    >>> import saltus
    >>> run = saltus.load(scenes / "pendulum.json").start(rtol=1e-11)
    >>> run.to(0.5)
    'time'
    >>> run.t, len(run.q)
    (0.5, 2)
    """

    def __init__(self, scene: "Scene", values: Mapping[str, float], wrt: Sequence[str], options: Mapping[str, Any]):
        self.scene = scene
        self.values = dict(values)
        self.options = dict(options)
        self._context: Context = scene._context
        self._watch = Watch()
        opts = lib.sal_run_defaults()
        kept = fill_options(opts, options, values, wrt, self._watch)
        with self._watch:
            self._handle: Handle = self._context.create(
                lib.sal_run_create, lib.sal_run_destroy, scene._model.pointer, ctypes.byref(opts),
                needs=(scene._model, kept[-1]))
        self._pointer: Optional[int] = self._handle.pointer
        self.wrt: Tuple[str, ...] = tuple(wrt)
        self._elsewhere: bool = False  # started where the scene does not
        self._times: Optional[np.ndarray] = None

    # ------------------------------------------------------------------------------------ going on

    def _fail(self, status: int) -> BaseException:
        if status == c.SAL_ERR_MEMORY:
            return MemoryError("out of memory")
        if status == c.SAL_STOPPED:
            return Interrupted("stopped")
        return error_of(status, text_of(lib.sal_run_message(self._pointer)))

    def _call(self, function: Any, *arguments: Any) -> int:
        """Calls a function that changes the run and tells through it why it failed."""
        with self._watch:
            status = function(self._pointer, *arguments)
        self._context.warn()
        if status < 0 or status == c.SAL_STOPPED:
            raise self._fail(status)
        return status

    def step(self) -> str:
        """One step of the integrator, or up to the next event: "time", "event" (one was just handled) or "end"."""
        return self._news(self._call(lib.sal_run_step))

    def to(self, t: float) -> str:
        """On to time t [s]: "time" when the state is that at t; "event" when one at or before t has just been handled:
        call again to go on; "end" when the run ended before t."""
        return self._news(self._call(lib.sal_run_to, t))

    @staticmethod
    def _news(status: int) -> str:
        return {c.SAL_OK: "time", c.SAL_EVENT: "event", c.SAL_END: "end"}[status]

    def events(self) -> Iterator[Event]:
        """Goes on from event to event, to the end; the run shows the state just after each.

        >>> import saltus
        >>> run = saltus.load(scenes / "five_bar.json").start()
        >>> [round(event.t, 6) for event in run.events()][:2]
        [0.283982, 0.832782]
        """
        while True:
            news = self.step()
            if news == "end":
                return
            if news == "event":
                yield self.event

    def simulate(self, times: Optional[Sequence[float]] = None, progress: Progress = None) -> Result:
        """Runs to the end and gives the motion: at the scene's output times, or at `times`, and on both sides of every
        event. With `progress` it is told on stderr how far it is, or to a function of the time and the duration."""
        self._set_times(times)
        record = self._context.create(lib.sal_record_create, lib.sal_record_destroy, self._pointer,
                                      needs=(self.scene._model,))
        reader = lib.sal_record_reader(record.pointer)
        failure = self._go(ctypes.byref(reader), 1, progress)
        result = Result(self, record)
        if failure is None and result._info.status != c.SAL_OK:
            failure = MemoryError("out of memory: the motion is not kept to its end")
        if isinstance(failure, (RunError, Interrupted)):
            failure.result = result
        if failure:
            raise failure
        return result

    def finish(self, progress: Progress = None) -> "Run":
        """Runs to the end and keeps nothing of the motion: for costs and for the state there."""
        failure = self._go(None, 0, progress)
        if failure:
            raise failure
        return self

    def _go(self, readers: Any, count: int, progress: Progress) -> Optional[BaseException]:
        """To the end; gives what came between."""
        try:
            with self._watch as watch:
                if progress:
                    tell = show_progress() if progress is True else progress
                    pointer = self._pointer
                    watch.told = lambda: tell(lib.sal_run_time(pointer), lib.sal_run_duration(pointer))
                status = lib.sal_simulate(self._pointer, readers, count)
        except KeyboardInterrupt as error:
            return Interrupted(*error.args)
        self._context.warn()
        return None if status == c.SAL_END else self._fail(status)

    def _set_times(self, times: Optional[Sequence[float]]) -> None:
        array = None if times is None else np.ascontiguousarray(times, dtype=np.float64)
        if array is None and self._times is None:
            return
        if array is not None and array.ndim != 1:
            raise ArgumentError(f"times: expected a row of numbers, found an array of shape {array.shape}")
        if array is not None and array.size == 0:
            raise ArgumentError("times: expected at least one")
        self._call(lib.sal_run_set_output_times, array.ctypes.data if array is not None else None,
                   len(array) if array is not None else 0)
        self._times = array

    def restart(self, set: Optional[Mapping[str, float]] = None, **parameters: float) -> "Run":
        """Gives parameters, and "initial(P.x)", ..., other values, and starts where the scene starts with these. What is
        not named keeps the value that it has."""
        values = self.scene._values(set, parameters)
        for name, value in values.items():
            self._call(lib.sal_run_set, name.encode(), value)
        self._call(lib.sal_run_restart)
        self._elsewhere = False
        self.values.update(values)
        return self

    def start_at(self, t: float = 0.0, q: Any = None, v: Any = None, memory: Any = None,
                 closed: Optional[Sequence[bool]] = None) -> "Run":
        """Starts anywhere: at time t, coordinates q and velocities v, as in `q` and `v`, made consistent; memory and
        contacts that begin closed in the order of the scene's names of them. None: as the scene says."""
        info = self.scene._info
        start = lib.sal_start_defaults()
        start.t = t
        arrays = [numbers_of(x, n, what) if x is not None else None for x, n, what in
                  ((q, info.coordinates, "q"), (v, info.coordinates, "v"), (memory, info.memory, "memory"))]
        start.q, start.v, start.memory = (x.ctypes.data if x is not None else None for x in arrays)
        if closed is not None:
            if len(closed) != info.touches:
                raise ValueError(f"closed: expected {info.touches} values, found {len(closed)}")
            flags = (ctypes.c_bool * len(closed))(*closed)
            start.closed = ctypes.cast(flags, ctypes.c_void_p)
        self._call(lib.sal_run_start_at, ctypes.byref(start))
        self._elsewhere = True
        return self

    def save(self) -> bytes:
        """Everything that the run needs to go on from here, for `load`."""
        size = ctypes.c_size_t()
        self._context.call(lib.sal_run_save, self._pointer, None, 0, ctypes.byref(size))
        memory = ctypes.create_string_buffer(size.value)
        self._context.call(lib.sal_run_save, self._pointer, memory, size, ctypes.byref(size))
        return memory.raw

    def load(self, state: bytes) -> "Run":
        """Goes on where another run of the scene, with the same options, was saved, bit for bit the same."""
        self._call(lib.sal_run_load, state, len(state))
        self._elsewhere = True
        return self

    # ------------------------------------------------------------------------------------ the state

    def _view(self, function: Any, *shape: int) -> np.ndarray:
        return array_of(function(self._pointer), shape, self._handle)

    @property
    def t(self) -> float:
        """Time of the state [s]."""
        return lib.sal_run_time(self._pointer)

    @property
    def duration(self) -> float:
        """When the run ends, unless an event ends it [s]."""
        return lib.sal_run_duration(self._pointer)

    @property
    def q(self) -> np.ndarray:
        """Coordinates, in the order of `Scene.coordinates`."""
        return self._view(lib.sal_run_q, self.scene._info.coordinates)

    @property
    def v(self) -> np.ndarray:
        """Velocities."""
        return self._view(lib.sal_run_v, self.scene._info.coordinates)

    @property
    def a(self) -> np.ndarray:
        """Accelerations."""
        return self._view(lib.sal_run_a, self.scene._info.coordinates)

    @property
    def lambda_(self) -> np.ndarray:
        """Multipliers, in the order of `Scene.constraints`."""
        return self._view(lib.sal_run_lambda, self.scene._info.constraints)

    @property
    def memory(self) -> np.ndarray:
        """Numbers that events set, in the order of `Scene.memory`."""
        return np.array([lib.sal_run_memory(self._pointer, k) for k in range(self.scene._info.memory)])

    @property
    def closed(self) -> Tuple[bool, ...]:
        """Which contacts are closed, in the order of `Scene.touches`."""
        return tuple(lib.sal_run_closed(self._pointer, k) for k in range(self.scene._info.touches))

    @property
    def energy(self) -> float:
        """Kinetic and potential energy [J]."""
        return lib.sal_run_energy(self._pointer)

    @property
    def parameters(self) -> Dict[str, float]:
        """Values of the scene's parameters in this run."""
        return {name: lib.sal_run_parameter(self._pointer, k) for k, name in enumerate(self.scene.parameters)}

    @property
    def costs(self) -> Dict[str, float]:
        """Costs up to now."""
        return dict(zip(self.scene.costs, self._view(lib.sal_run_costs, self.scene._info.costs).tolist()))

    @property
    def invalid(self) -> str:
        """"" while derivatives hold; else why they do not, from which event on."""
        return text_of(lib.sal_run_wrt_invalid(self._pointer)) if self.wrt else ""

    def knots(self, name: str) -> np.ndarray:
        """The values that the knots of a function of time have, an array as it is given back: run(u=array)."""
        if name not in self.scene.vectors:
            raise unknown("function of time", name, tuple(self.scene.vectors))
        values = self.parameters
        return np.array([values[knot] for knot in self.scene.vectors[name]])

    def gradient(self, cost: str) -> np.ndarray:
        """The derivatives of a cost up to now [p]; at the end of the run its change is included."""
        if cost not in self.scene.costs:
            raise unknown("cost", cost, self.scene.costs)
        if not self.wrt:
            raise ArgumentError(NO_DERIVATIVES)
        if self.invalid:
            raise DerivativeError(f"the derivatives are not valid: {self.invalid}")
        return self._cost_gradients()[self.scene.costs.index(cost)].copy()

    def _cost_gradients(self) -> np.ndarray:
        return self._view(lib.sal_run_cost_gradients, self.scene._info.costs, len(self.wrt))

    def _derivatives(self, read: Any, rows: int) -> np.ndarray:
        return np.full((rows, len(self.wrt)), np.nan) if self.invalid else self._view(read, rows, len(self.wrt))

    @property
    def Q(self) -> np.ndarray:
        """dq/drho [n, p] at fixed time, of what `wrt` named; V and A likewise. NaN once they are not valid."""
        return self._derivatives(lib.sal_run_Q, self.scene._info.coordinates)

    @property
    def V(self) -> np.ndarray:
        """dv/drho [n, p]."""
        return self._derivatives(lib.sal_run_V, self.scene._info.coordinates)

    @property
    def A(self) -> np.ndarray:
        """da/drho [n, p]."""
        return self._derivatives(lib.sal_run_A, self.scene._info.coordinates)

    @property
    def Lambda(self) -> np.ndarray:
        """dlambda/drho [m, p]."""
        return self._derivatives(lib.sal_run_Lambda, self.scene._info.constraints)

    @property
    def event(self) -> Event:
        """The event handled last."""
        return Event._of_run(self)

    @property
    def health(self) -> Health:
        """Whether the motion so far can be."""
        return Health._of_run(self)

    def __getitem__(self, name: str) -> float:
        """An expression, or one of the scene's outputs, at the state."""
        if name in self.scene.outputs:
            return lib.sal_run_output(self._pointer, self.scene.outputs.index(name))
        return lib.sal_probe_value(self.scene._probe(name).pointer, self._pointer)

    def sensitivity(self, name: str) -> np.ndarray:
        """The derivatives of an expression, or of an output, at the state, at fixed time [p]. NaN once they are not valid."""
        out = np.full(len(self.wrt), np.nan)
        if self.invalid:
            return out
        if name in self.scene.outputs:
            self._context.call(lib.sal_run_output_gradient, self._pointer, self.scene.outputs.index(name), out.ctypes.data)
        else:
            self._context.call(lib.sal_probe_gradient, self.scene._probe(name).pointer, self._pointer, out.ctypes.data)
        return out

    # ------------------------------------------------------------------------------------ matrices

    @property
    def mass(self) -> np.ndarray:
        """The mass matrix M [n, n]."""
        out = np.empty((self.scene._info.coordinates,) * 2)
        lib.sal_run_mass(self._pointer, out.ctypes.data)
        return out

    @property
    def jacobian(self) -> np.ndarray:
        """Phi_q [m, n]; rows that do not hold are zero."""
        out = np.empty((self.scene._info.constraints, self.scene._info.coordinates))
        self._context.call(lib.sal_run_jacobian, self._pointer, out.ctypes.data)
        return out

    def linearize(self) -> Linearization:
        """Derivatives of the accelerations at the state with what holds now."""
        n, p = self.scene._info.coordinates, self.scene._info.parameters
        out = Linearization(np.empty((n, n)), np.empty((n, n)), np.empty((n, p)))
        self._context.call(lib.sal_run_linearize, self._pointer, *(x.ctypes.data for x in out))
        return out

    def saltation(self) -> np.ndarray:
        """The saltation matrix of the event handled last, d[q+; v+]/d[q-; v-] at fixed time [2n, 2n]."""
        out = np.empty((2 * self.scene._info.coordinates,) * 2)
        self._context.call(lib.sal_run_saltation, self._pointer, out.ctypes.data)
        return out

    @property
    def rank(self) -> int:
        """Of Phi_q: degrees of freedom are n - rank."""
        found = ctypes.c_int()
        self._context.call(lib.sal_run_rank, self._pointer, ctypes.byref(found))
        return found.value

    def independent(self) -> Tuple[str, ...]:
        """Coordinates that determine all others at the state."""
        dof = (ctypes.c_int * max(1, self.scene._info.coordinates))()
        count = ctypes.c_int()
        self._context.call(lib.sal_run_partition, self._pointer, dof, ctypes.byref(count))
        return tuple(self.scene.coordinates[k] for k in dof[:count.value])

    def __repr__(self) -> str:
        return f"<saltus.Run of {self.scene.name!r} at t = {self.t:.6g} s of {self.duration:.6g} s>"


__all__ = ["Run", "Linearization"]
