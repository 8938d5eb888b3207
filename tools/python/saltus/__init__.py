"""Saltus: planar mechanisms that make and break contact, with exact derivatives through every event.

    >>> import saltus
    >>> scene = saltus.load(scenes / "five_bar.json")
    >>> r = scene.run(L01=2.3, wrt=["L01"])
    >>> r["y(P2)"].shape, len(r.events)
    ((519,), 9)
    >>> r.gradient("z1").round(6)
    array([-7.860609])
"""
from . import _declarations
from ._library import lib as _lib
from .errors import (ArgumentError, AssemblyError, CycleError, DerivativeError, Diagnostic, EquilibriumError, Interrupted,
                     RunError, SaltusError, SaltusWarning, SceneError, SceneFileError)
from .fit import Objective, Residuals
from .result import Contact, Event, Health, Result
from .run import Linearization, Run
from .scene import Check, Scene, describe, evaluate, load
from .show import Picture
from .studies import Cycle, Equilibrium, Mode, Point

__version__ = _declarations.VERSION
library: str = _lib._name  #: the C library that is used

__all__ = [
    "ArgumentError", "AssemblyError", "Check", "Contact", "Cycle", "CycleError", "DerivativeError", "Diagnostic",
    "Equilibrium", "EquilibriumError", "Event", "Health", "Interrupted", "Linearization", "Mode", "Objective", "Picture",
    "Point", "Residuals", "Result", "Run", "RunError", "SaltusError", "SaltusWarning", "Scene", "SceneError",
    "SceneFileError", "describe", "evaluate", "library", "load",
]
