"""What can go wrong, as exceptions. All are a SaltusError, with the message as the library tells it."""
from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, NamedTuple, Optional, Sequence

from . import _declarations as c

if TYPE_CHECKING:
    from .result import Result


class Diagnostic(NamedTuple):
    """One error and where it is: `file:line:column: path: text`. Line 0: it has no place in a file."""

    file: str
    line: int
    column: int
    path: str
    text: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else f"{self.file}: " if self.file else ""
        return place + (f"{self.path}: " if self.path else "") + self.text


class SaltusError(Exception):
    """Something failed. `status` is its name in the library, "SAL_ERR_SCENE"; `errors` are all that there were.

    >>> import saltus
    >>> try:
    ...     saltus.load(scenes / "five_bar.json").changed({"bodies": {"bar1": {"points": ["A", "P5"]}}})
    ... except saltus.SceneError as error:
    ...     print(error.path, "|", error.errors[0].text)
    bodies.bar1.points[1] | unknown point 'P5'; did you mean 'P1'?
    """

    def __init__(self, message: str, status: str = "", errors: Sequence[Diagnostic] = ()):
        super().__init__(message)
        self.status = status
        self.errors = tuple(errors)

    @property
    def file(self) -> str:
        """Of the first error; "" where there is none."""
        return self.errors[0].file if self.errors else ""

    @property
    def line(self) -> int:
        """Of the first error; 0 where it has no place in a file."""
        return self.errors[0].line if self.errors else 0

    @property
    def column(self) -> int:
        """Of the first error, in bytes from 1; 0 where it has no place in a file."""
        return self.errors[0].column if self.errors else 0

    @property
    def path(self) -> str:
        """Of the first error: its place in the scene, "bodies.bar1.mass"."""
        return self.errors[0].path if self.errors else ""


class ArgumentError(SaltusError, ValueError):
    """A name that does not exist, a value that cannot be."""


class SceneError(SaltusError, ValueError):
    """The scene is not valid; `errors` has every error found, with its place."""


class SceneFileError(SaltusError, OSError):
    """The file cannot be read."""

    def __str__(self) -> str:  # not that of OSError, which has other arguments
        return str(self.args[0])


class AssemblyError(SaltusError):
    """The mechanism cannot be assembled."""


class RunError(SaltusError):
    """The run failed. `result` is the motion up to there, None where there is none."""

    result: Optional["Result"] = None


class DerivativeError(SaltusError):
    """Derivatives do not exist, or do not from some event on."""


class CycleError(SaltusError):
    """No periodic motion was found."""


class EquilibriumError(SaltusError):
    """No equilibrium was found."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. `result` is the motion up to there, None where there is none."""

    result: Optional["Result"] = None


class SaltusWarning(UserWarning):
    """Something in a scene or a run that deserves a look."""


def unknown(kind: str, name: str, known: Sequence[str]) -> ArgumentError:
    """The exception of a name that is not there, with the nearest one that is."""
    near = difflib.get_close_matches(name, known, 1, 0.3)
    hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}" if known else "; there is none"
    return ArgumentError(f"unknown {kind} {name!r}{hint}", "SAL_ERR_ARGUMENT")


BY_STATUS = {
    c.SAL_ERR_ARGUMENT: ArgumentError,
    c.SAL_ERR_FILE: SceneFileError,
    c.SAL_ERR_SCENE: SceneError,
    c.SAL_ERR_ASSEMBLY: AssemblyError,
    c.SAL_ERR_CYCLE: CycleError,
    c.SAL_ERR_EQUILIBRIUM: EquilibriumError,
}
