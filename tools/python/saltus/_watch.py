"""Ctrl-C and progress in long calls. The library asks a few times a second whether to go on.

A signal is noted while the library runs, and its handler called when that has returned: an exception cannot pass through
C, and one that is raised at the very beginning of a callback cannot be caught there."""
from __future__ import annotations

import signal
import sys
import threading
import time
from typing import Any, Callable, Optional, Union

EVERY = 0.1  # [s]

Progress = Union[bool, None, Callable[[float, float], Any]]  # is told the time reached and that of the end [s]


def show_progress() -> Callable[[float, float], None]:
    """Tells on stderr how far it is, once that is worth telling."""
    began = time.monotonic()

    def show(t: float, end: float) -> None:
        if time.monotonic() - began > 1.0:
            print(f"\r  t = {t:.4g} of {end:.4g} s ({100.0 * t / end:.0f} %)  ", end="", file=sys.stderr, flush=True)

    return show


class Watch:
    """What a call is asked while it runs. `told` is called with it; what that raises ends the call."""

    __slots__ = ("signal", "raised", "told", "_before", "_catches")

    def __init__(self) -> None:
        self.signal: Optional[int] = None
        self.raised: Optional[BaseException] = None
        self.told: Optional[Callable[[], Any]] = None
        self._before: Any = None
        self._catches = False

    def stops(self, _user: Any) -> bool:
        """For the options of runs. True: end."""
        try:
            if self.told and not self.raised:
                self.told()
        except BaseException as error:  # goes on in __exit__
            self.raised = error
        return self.raised is not None or self.signal is not None

    def _note(self, number: int, _frame: Any) -> None:
        self.signal = number

    def __enter__(self) -> "Watch":
        self.raised = self.signal = None
        self._catches = threading.current_thread() is threading.main_thread()
        if self._catches:
            before = signal.getsignal(signal.SIGINT)
            self._catches = callable(before)  # neither ignored nor of another language
            self._before = before
            if self._catches:
                signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: Any) -> None:
        if self._catches:
            signal.signal(signal.SIGINT, self._before)
        self.told = None
        if self.raised:
            raise self.raised
        if self.signal is not None:
            self._before(self.signal, None)  # Python's raises KeyboardInterrupt
