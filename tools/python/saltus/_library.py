"""The C library: where it is, its functions, its objects as Python objects that keep each other alive.

Foreign calls release the interpreter's lock: runs in several threads run at once."""
from __future__ import annotations

import ctypes
import os
import sysconfig
import threading
import warnings
import weakref
from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from . import _declarations as c
from .errors import BY_STATUS, Diagnostic, RunError, SaltusError, SaltusWarning

# ------------------------------------------------------------------------------------------- finding

NAME = "libsaltus.so." + c.VERSION.split(".")[0]


def _beside(place: str) -> List[str]:
    """Where the library may be relative to a folder above this module: an installation keeps both in one prefix."""
    machine = sysconfig.get_config_var("MULTIARCH") or ""
    return [os.path.join(place, folder, NAME) for folder in ("lib", "lib64", os.path.join("lib", machine), "")]


def candidates() -> List[str]:
    """Where the library is looked for, in this order; the last one is wherever the system's loader finds it."""
    given = os.environ.get("SALTUS_LIBRARY")
    if given:
        return [os.path.join(given, NAME) if os.path.isdir(given) else given]
    found = []
    place = os.path.dirname(os.path.abspath(__file__))
    for _ in range(5):  # .../lib/python3.11/site-packages/saltus
        place = os.path.dirname(place)
        found += [path for path in _beside(place) if os.path.exists(path)]
    return found + [NAME]


def _open() -> ctypes.CDLL:
    reasons = []
    for path in candidates():
        try:
            return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)  # plug-ins find what they need in it
        except OSError as error:
            reasons.append(f"  {path}: {error}")
    raise ImportError(
        f"the library of Saltus, {NAME}, was not found:\n" + "\n".join(reasons) +
        "\nInstall it (cmake --install build --prefix PREFIX), or say where it is:\n"
        f"  export SALTUS_LIBRARY=PREFIX/lib/{NAME}")


def _declare(library: ctypes.CDLL) -> None:
    for name, (result, arguments) in c.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{library._name} has no function {name}: it is of another version than this module "
                              f"({c.VERSION})") from None
        function.restype = result
        function.argtypes = arguments


def _check(library: ctypes.CDLL) -> None:
    """The module was made for the library at hand: structs have no other protection."""
    version = library.sal_version().decode()
    if version.split(".")[:2] != c.VERSION.split(".")[:2]:
        raise ImportError(f"{library._name} has version {version}, this module was made for {c.VERSION}")
    for name in c.FUNCTIONS:
        if name.endswith("_defaults"):
            opts = getattr(library, name)()
            if opts.size != ctypes.sizeof(opts):
                raise ImportError(f"{library._name} has another layout of {type(opts).__name__} than this module")


lib = _open()
_declare(lib)
_check(lib)


# ------------------------------------------------------------------------------------------- objects

class _Owned:
    """An object of the library, and those that it needs. Nothing but handles and other owned objects know it, so that it
    is never part of a cycle: it goes when nobody needs it any more, before what it needs itself."""

    __slots__ = ("pointer", "destroy", "needs")

    def __init__(self, pointer: Optional[int], destroy: Callable[[Any], None], needs: Tuple[Any, ...]):
        self.pointer = pointer
        self.destroy = destroy
        self.needs = needs

    def __del__(self) -> None:
        if self.pointer:
            self.destroy(ctypes.byref(ctypes.c_void_p(self.pointer)))


class Handle:
    """Holds an object of the library. What that was made from, `needs`, lives at least as long, however Python's objects
    go: also in the arbitrary order of its collector."""

    __slots__ = ("pointer", "_owned", "__weakref__")

    def __init__(self, pointer: Optional[int], destroy: Callable[[Any], None], *needs: Any):
        self.pointer = pointer
        self._owned: _Owned = _Owned(pointer, destroy, tuple(x._owned if isinstance(x, Handle) else x for x in needs))
        weakref.finalize(self, _let_go, self._owned).atexit = False


def _let_go(_owned: _Owned) -> None:
    """Called when a handle is gone; what it held goes with the arguments of this call, unless others need it."""


def text_of(value: Optional[bytes]) -> str:
    return value.decode("utf-8", "replace") if value is not None else ""


def names_of(function: Callable[..., Optional[bytes]], pointer: Optional[int]) -> Tuple[str, ...]:
    """All names that a function of the model gives, until it gives none."""
    found: List[str] = []
    while True:
        name = function(pointer, len(found))
        if name is None:
            return tuple(found)
        found.append(name.decode())


class _Numbers:
    """Numbers in the library's memory, as NumPy asks for them."""

    __slots__ = ("owner", "__array_interface__")

    def __init__(self, address: int, shape: Tuple[int, ...], owner: Any):
        self.owner = owner
        self.__array_interface__ = {"data": (address, True), "shape": shape, "typestr": FLOAT, "version": 3}


FLOAT = np.dtype(np.float64).str


def array_of(address: Optional[int], shape: Tuple[int, ...], owner: Any) -> np.ndarray:
    """Numbers that the library keeps, without a copy; they keep their owner alive, and cannot be written to."""
    if not address or 0 in shape:
        return np.zeros(shape)
    return np.asarray(_Numbers(address, shape, owner))


def numbers_of(values: Any, count: int, what: str) -> np.ndarray:
    """An array as the library reads it."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.shape != (count,):
        raise ValueError(f"{what}: expected {count} numbers, found an array of shape {array.shape}")
    return array


class Context:
    """Allocator, warnings, known types, and the message of what failed last.

    That message belongs to all threads: whoever may fail through the context holds its lock until it has been read."""

    def __init__(self, plugins: Sequence[str] = (), places: bool = True):
        self.places = places  # lines and columns mean something to who wrote the scene
        self.lock = threading.RLock()
        said = self._warnings = []  # type: List[str]
        opts = lib.sal_context_defaults()
        log = type(opts.log)(lambda _, text: said.append(text_of(text).strip()))  # not self: nothing owns itself
        opts.log = log
        pointer = ctypes.c_void_p()
        if lib.sal_context_create(ctypes.byref(opts), ctypes.byref(pointer)) != c.SAL_OK:
            raise MemoryError("out of memory")
        self.handle = Handle(pointer.value, lib.sal_context_destroy, log)
        self.plugins = tuple(os.path.abspath(os.fspath(file)) for file in plugins)
        for file in self.plugins:
            self.call(lib.sal_plugin_load, self.handle.pointer, os.fsencode(file))

    def call(self, function: Callable[..., int], *arguments: Any) -> int:
        """Calls a function that tells through the context why it failed."""
        with self.lock:
            status = function(*arguments)
            error = self.error(status) if status < 0 else None
        self.warn()
        if error:
            raise error
        return status

    def error(self, status: int) -> Exception:
        """The exception of a failed call."""
        if status == c.SAL_ERR_MEMORY:
            return MemoryError("out of memory")
        message = text_of(lib.sal_message(self.handle.pointer)).strip()
        errors = []
        for k in range(lib.sal_error_count(self.handle.pointer)):
            d = c.sal_diagnostic.from_address(lib.sal_error(self.handle.pointer, k))
            line, column = (d.line, d.column) if self.places else (0, 0)
            errors.append(Diagnostic(text_of(d.file), line, column, text_of(d.path), text_of(d.text)))
        if not self.places:
            more = message.split("\n")[len(errors):]  # "and 7 more errors"
            message = "\n".join([str(error) for error in errors] + more)
        return error_of(status, message, errors)

    def warn(self) -> None:
        """Warnings of the library as Python's."""
        while self._warnings:
            warnings.warn(self._warnings.pop(0), SaltusWarning, stacklevel=4)

    def create(self, function: Callable[..., int], destroy: Callable[[Any], None], *arguments: Any,
               needs: Sequence[Any] = ()) -> Handle:
        """An object made through the last argument of a function."""
        pointer = ctypes.c_void_p()
        self.call(function, *arguments, ctypes.byref(pointer))
        return Handle(pointer.value, destroy, self.handle, *needs)


def error_of(status: int, message: str, errors: Sequence[Diagnostic] = ()) -> SaltusError:
    kind = BY_STATUS.get(status, RunError)
    return kind(message or text_of(lib.sal_status_text(status)), text_of(lib.sal_status_name(status)), errors)
