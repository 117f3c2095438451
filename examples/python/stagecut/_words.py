# SPDX-License-Identifier: BSL-1.0
"""What arguments have to be, before they are told to what is compiled. Types that are none raise TypeError, values ArgumentError."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from typing import Any

import numpy

from ._errors import ArgumentError


def wrong(function: str, name: str, value: Any, requirement: str) -> ArgumentError:
    error = ArgumentError(f"stagecut.{function}: {name} = {value!r}, {requirement}")
    error.argument = name
    return error


def _type(function: str, name: str, value: Any, wanted: str) -> TypeError:
    return TypeError(f"stagecut.{function}: {name} is a {type(value).__name__}, and must be {wanted}")


def count(function: str, name: str, value: Any, least: int = 1) -> int:
    """An int, or an integer of NumPy, that a size can hold."""
    if isinstance(value, (bool, numpy.bool_)) or not hasattr(type(value), "__index__"):
        raise _type(function, name, value, "an int")
    found = operator.index(value)
    if not least <= found < 2**63:
        raise wrong(function, name, found, f"must be at least {least}" if found < least else "is too large")
    return found


def number(function: str, name: str, value: Any) -> float:
    """A finite number, not below 0."""
    if isinstance(value, (bool, numpy.bool_, str, bytes)) or not (hasattr(type(value), "__float__") or hasattr(type(value), "__index__")):
        raise _type(function, name, value, "a number")
    found = float(value)
    if not (math.isfinite(found) and found >= 0):
        raise wrong(function, name, found, "must be finite and not below 0")
    return found


def text(function: str, name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _type(function, name, value, "a str")
    return value


def size(function: str, name: str, value: Any) -> float | str:
    """Bytes, or a text like 80GiB."""
    return value if isinstance(value, str) else number(function, name, value)


def positive_size(function: str, name: str, value: Any) -> float | str:
    found = size(function, name, value)
    if found == 0:
        raise wrong(function, name, found, "must be above 0")
    return found


def each(function: str, name: str, value: Any, of: Any) -> list[Any]:
    """A list, tuple or array, not empty, of such elements."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise _type(function, name, value, "a list or an array")
    found = [of(function, f"{name}[{i}]", one) for i, one in enumerate(value)]
    if not found:
        raise wrong(function, name, [], "must not be empty")
    return found


def one_or_each(function: str, name: str, value: Any, of: Any) -> Any:
    is_list = isinstance(value, Iterable) and not isinstance(value, (str, bytes)) and getattr(value, "ndim", 1) != 0
    return each(function, name, value, of) if is_list else of(function, name, value)


def document(function: str, name: str, value: Any) -> Mapping[str, Any]:
    """A profile or a plan, which only has to be a dictionary here."""
    if not isinstance(value, Mapping):
        hint = "; `read_profile` reads files" if isinstance(value, str) and name == "profile" else ""
        raise TypeError(f"stagecut.{function}: the {name} is a {type(value).__name__}, and must be a dictionary{hint}")
    return value


def callback(function: str, name: str, value: Any) -> Any:
    if value is not None and not callable(value):
        raise _type(function, name, value, "callable")
    return value
