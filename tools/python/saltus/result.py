"""The motion that a run has made: arrays by name, events, derivatives."""
from __future__ import annotations

import ctypes
import html
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _declarations as c
from ._library import Handle, array_of, lib, text_of
from .errors import ArgumentError, DerivativeError
from .show import Picture, draw, view

if TYPE_CHECKING:
    from .run import Run


NO_DERIVATIVES = "there are no derivatives: the run was asked for none; scene.run(wrt=[...])"


class Contact(NamedTuple):
    """What an event did to a contact: the event that this is, and its impulses [N s]."""

    name: str
    event: str
    normal: float
    friction: float


class Health(NamedTuple):
    """Whether the motion found can be: "good", "doubtful" (`text` says why) or "bad"."""

    verdict: str
    text: str
    balance: float  #: energy now - at the start - all work [J]

    @classmethod
    def _of_run(cls, run: "Run") -> "Health":
        health = lib.sal_run_get_health(run._pointer)
        said = b""
        if health.verdict != c.SAL_GOOD:
            room = lib.sal_run_health_text(run._pointer, None, 0) + 1
            memory = ctypes.create_string_buffer(room)
            lib.sal_run_health_text(run._pointer, memory, room)
            said = memory.value
        return cls(("good", "doubtful", "bad")[health.verdict], text_of(said).strip(), health.balance)


class Event:
    """An event that has happened. Arrays are as the library keeps them, [m] impulses and [p] derivatives."""

    def __init__(self, name: str, t: float, rate: float, grazing: bool, stop: bool, closed: bool, energy_lost: float,
                 contacts: Sequence[Contact], impulse: np.ndarray, gradient: Optional[np.ndarray],
                 impulse_gradient: Optional[np.ndarray], sample: Optional[int] = None):
        self.name = name
        self.t = t  #: [s]
        self.rate = rate  #: of the event function just before [its unit/s]
        self.grazing = grazing  #: it touched zero without crossing
        self.stop = stop  #: the run ended here
        self.closed = closed  #: a contact was closed although it would have rebounded, too slowly to matter
        self.energy_lost = energy_lost  #: [J]
        self.contacts = tuple(contacts)
        self.impulse = impulse  #: of each constraint, in the order of `Scene.constraints`
        self.gradient = gradient  #: dt/drho [p]; None without `wrt`
        self.impulse_gradient = impulse_gradient  #: along the event [m, p]
        self.sample = sample  #: index of the state just after it in a result; the one before it is just before

    @classmethod
    def _of_run(cls, run: "Run") -> "Event":
        info = lib.sal_run_event(run._pointer)
        m, p, owner = run.scene._info.constraints, len(run.wrt), run._handle
        if info.index < 0:
            raise ArgumentError("there has been no event yet")
        contacts: List[Contact] = []
        found = c.sal_event_contact()
        while lib.sal_run_event_contact(run._pointer, len(contacts), ctypes.byref(found)):
            contacts.append(_contact(run.scene.events, found))
        return cls(text_of(info.name), info.time, info.rate, info.grazing, info.stop, info.closed,
                   info.energy_before - run.energy, contacts, array_of(info.impulse, (m,), owner).copy(),
                   array_of(lib.sal_run_event_gradient(run._pointer), (p,), owner).copy() if p else None,
                   array_of(lib.sal_run_impulse_gradient(run._pointer), (m, p), owner).copy() if p else None)

    def __repr__(self) -> str:
        return f"<saltus.Event {self.name!r} at {self.t:.12g} s>"


def _contact(events: Sequence[str], found: Any) -> Contact:
    return Contact(text_of(found.contact), events[found.event], found.normal, found.friction)


class Result:
    """The motion of a run: a sample at every output time, and two at every event, before and after it.

    >>> import saltus
    >>> r = saltus.load(scenes / "five_bar.json").run(wrt=["L01", "L02"])
    >>> len(r.t), len(r.events)
    (519, 9)
    >>> r["y(P2)"].min() > -2.3500001                # the tip stays above the floor
    True
    >>> round(r.costs["z1"], 6), r.gradient("z1").round(4)
    (-0.01766, array([ 1.8621, -5.7233]))
    >>> r.sensitivity("y(P2)", "L01").shape          # at fixed time
    (519,)
    """

    def __init__(self, run: "Run", record: Handle):
        self.scene = run.scene
        self.values = dict(run.values)
        self.options = dict(run.options)
        self.wrt = run.wrt
        self._record = record
        self._info = info = lib.sal_record_get_info(record.pointer)
        self._cache: Dict[str, np.ndarray] = {}
        self._gradients: Dict[str, np.ndarray] = {}
        self._events: Optional[Tuple[Event, ...]] = None
        self._elsewhere = run._elsewhere
        self._table = array_of(info.t, (info.samples, info.stride), record)
        p = len(self.wrt)
        self.end = run.t  #: when the run ended [s]
        self.costs = run.costs  #: of the whole run
        self.health = Health._of_run(run)  #: whether the motion can be
        self.invalid = run.invalid  #: from where on derivatives do not hold, and why; ""
        self.note = text_of(lib.sal_run_wrt_note(run._pointer)) if p else ""  #: from where on they are those of a limit
        self._cost_gradients = run._cost_gradients().copy()
        #: how the end of the run moves with what `wrt` named [p]: zeros where it does not
        self.end_gradient = array_of(lib.sal_run_end_gradient(run._pointer), (p,), None).copy() if p else np.zeros(0)

    # ------------------------------------------------------------------------------------ arrays

    def _block(self, address: Optional[int], *shape: int) -> np.ndarray:
        """Columns of all samples, [samples, ...], without a copy."""
        count = int(np.prod(shape, dtype=int))
        if not address or not count:
            return np.zeros((self._info.samples,) + shape)
        first = (address - self._info.t) // 8
        block = self._table[:, first:first + count]
        if len(shape) == 1:
            return block
        steps = tuple(8 * int(np.prod(shape[k + 1:], dtype=int)) for k in range(len(shape)))
        return np.lib.stride_tricks.as_strided(block, (self._info.samples,) + shape, (8 * self._info.stride,) + steps,
                                               writeable=False)

    @property
    def t(self) -> np.ndarray:
        """Times of the samples [s]."""
        return self._table[:, 0]

    @property
    def segment(self) -> np.ndarray:
        """How many events there have been, at each sample."""
        return self._table[:, 1].astype(int)

    @property
    def q(self) -> np.ndarray:
        """Coordinates [samples, n], in the order of `Scene.coordinates`; v, a and lambda_ likewise."""
        return self._block(self._info.q, self.scene._info.coordinates)

    @property
    def v(self) -> np.ndarray:
        """Velocities [samples, n]."""
        return self._block(self._info.v, self.scene._info.coordinates)

    @property
    def a(self) -> np.ndarray:
        """Accelerations [samples, n]."""
        return self._block(self._info.a, self.scene._info.coordinates)

    @property
    def lambda_(self) -> np.ndarray:
        """Multipliers [samples, m], in the order of `Scene.constraints`."""
        return self._block(self._info.__getattribute__("lambda"), self.scene._info.constraints)

    @property
    def Q(self) -> np.ndarray:
        """dq/drho at fixed time [samples, n, p]; V, A and Lambda likewise."""
        return self._block(self._info.Q, self.scene._info.coordinates, len(self.wrt))

    @property
    def V(self) -> np.ndarray:
        """dv/drho [samples, n, p]."""
        return self._block(self._info.V, self.scene._info.coordinates, len(self.wrt))

    @property
    def A(self) -> np.ndarray:
        """da/drho [samples, n, p]."""
        return self._block(self._info.A, self.scene._info.coordinates, len(self.wrt))

    @property
    def Lambda(self) -> np.ndarray:
        """dlambda/drho [samples, m, p]."""
        return self._block(self._info.Lambda, self.scene._info.constraints, len(self.wrt))

    def __getitem__(self, name: str) -> np.ndarray:
        """A coordinate, velocity or acceleration ("x(P)", "vy(P)", "ax(P)"), a multiplier ("lambda(rod)"), a cost, one of
        the scene's outputs, or any expression of them, at every sample."""
        if name not in self._cache:
            self._cache[name] = self._column(name)
        return self._cache[name]

    def _column(self, name: str) -> np.ndarray:
        scene = self.scene
        if name == "t":
            return self.t
        if name in scene._columns:
            block, k = scene._columns[name]
            return getattr(self, block)[:, k]
        if name in scene.costs and name not in scene.outputs:
            return self._block(self._info.costs, scene._info.costs)[:, scene.costs.index(name)]
        return self._evaluate(name, False)

    def _evaluate(self, name: str, gradient: bool) -> np.ndarray:
        """An output or an expression, or its derivatives."""
        out = np.empty((self._info.samples, len(self.wrt)) if gradient else self._info.samples)
        places = (None, out.ctypes.data) if gradient else (out.ctypes.data, None)
        context = self.scene._context
        if name in self.scene.outputs:
            context.call(lib.sal_record_output, self._record.pointer, self.scene.outputs.index(name), *places)
        else:
            context.call(lib.sal_record_probe, self._record.pointer, self.scene._probe(name).pointer, *places)
        return out

    # ------------------------------------------------------------------------------------ derivatives

    def _number(self, name: str) -> int:
        if name not in self.wrt:
            raise ArgumentError(f"there are no derivatives with respect to {name!r}; the run was asked for "
                                f"wrt={list(self.wrt)}")
        return self.wrt.index(name)

    def sensitivity(self, name: str, wrt: Optional[str] = None) -> np.ndarray:
        """The derivative of anything that `r[name]` gives, at fixed time: [samples], or [samples, p] without `wrt`. NaN
        from where on it does not exist (`invalid` says why)."""
        if not self.wrt:
            raise ArgumentError(NO_DERIVATIVES)
        k = None if wrt is None else self._number(wrt)
        if name not in self._gradients:
            self._gradients[name] = self._sensitivities(name)
        return self._gradients[name] if k is None else self._gradients[name][:, k]

    def _sensitivities(self, name: str) -> np.ndarray:
        scene = self.scene
        if name in scene._columns:
            block, k = scene._columns[name]
            return {"q": self.Q, "v": self.V, "a": self.A, "lambda_": self.Lambda}[block][:, k]
        if name in scene.costs and name not in scene.outputs:
            return self._block(self._info.cost_gradients, scene._info.costs, len(self.wrt))[:, scene.costs.index(name)]
        return self._evaluate(name, True)

    def gradient(self, name: str) -> np.ndarray:
        """The derivatives of a cost of the whole run [p], the change of its end included. Of anything else at the end of
        the run where that does not move.

        Raises DerivativeError where they do not exist."""
        if not self.wrt:
            raise ArgumentError(NO_DERIVATIVES)
        self._check_valid()
        if name in self.scene.costs:
            return self._cost_gradients[self.scene.costs.index(name)].copy()
        if np.any(self.end_gradient != 0.0):
            raise DerivativeError(f"the end of the run depends on parameters: make {name!r} the terminal part of a cost")
        if len(self) == 0 or self.t[-1] != self.end:
            raise ArgumentError(f"the end of the run, t = {self.end:g} s, is not among the times asked for")
        return self.sensitivity(name)[-1].copy()

    def _check_valid(self) -> None:
        if self.invalid:
            raise DerivativeError(f"the derivatives are not valid: {self.invalid}")

    # ------------------------------------------------------------------------------------ what happened

    @property
    def events(self) -> Tuple[Event, ...]:
        """All events, in order."""
        if self._events is None:
            self._events = tuple(self._event(k) for k in range(self._info.events))
        return self._events

    def _event(self, number: int) -> Event:
        e = c.sal_record_event()
        lib.sal_record_get_event(self._record.pointer, number, ctypes.byref(e))
        m, p = self.scene._info.constraints, len(self.wrt)
        contacts = (c.sal_event_contact * e.contacts).from_address(e.contact) if e.contacts else ()
        return Event(text_of(e.name), e.time, e.rate, e.grazing, e.stop, e.closed, e.energy_lost,
                     [_contact(self.scene.events, found) for found in contacts],
                     array_of(e.impulse, (m,), self._record),
                     array_of(e.gradient, (p,), self._record) if p else None,
                     array_of(e.impulse_gradient, (m, p), self._record) if p else None, e.sample)

    def __len__(self) -> int:
        return self._info.samples

    # ------------------------------------------------------------------------------------ pictures

    def draw(self, **options: Any) -> "Picture":
        """A picture of the motion by the command saltus draw, whose options these are: `at`, `ghosts`, `strip`, `animate`,
        `speed`, `trace`, `names`, `forces`, `width`."""
        self._check_shown()
        return draw(self.scene, self.values, self.options, options)

    def view(self) -> str:
        """Opens the motion as a page in the browser (saltus report); gives the file."""
        self._check_shown()
        return view(self.scene, self.values, self.options, self.wrt)

    def _check_shown(self) -> None:
        if self._elsewhere:
            raise ArgumentError("this motion began elsewhere than where the scene says: only that can be shown")

    def _repr_html_(self) -> str:
        try:
            picture = self.draw(animate=True, width=480)._repr_html_()
        except Exception as error:  # a notebook shows the table all the same
            picture = f"<p>no picture: {html.escape(str(error))}</p>"
        rows = "".join(f"<tr><td>{k + 1}</td><td>{html.escape(e.name)}</td><td>{e.t:.9g}</td><td>{e.energy_lost:.4g}</td></tr>"
                       for k, e in enumerate(self.events[:10]))
        more = f"<p>and {len(self.events) - 10} more</p>" if len(self.events) > 10 else ""
        table = f"<table><tr><th></th><th>event</th><th>t [s]</th><th>energy lost [J]</th></tr>{rows}</table>{more}"
        return f"<div>{picture}<p>{html.escape(repr(self)[1:-1])}</p>{table if rows else ''}</div>"

    def __repr__(self) -> str:
        end = f"{self.t[-1]:.6g}" if len(self) else "0"
        return (f"<saltus.Result of {self.scene.name!r}: {len(self)} samples to t = {end} s, {self._info.events} events, "
                f"health {self.health.verdict}>")

__all__ = ["Result", "Event", "Contact", "Health"]
