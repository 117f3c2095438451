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


def auto_or(of: Any) -> Any:
    """Checks for "auto", or for what `of` takes."""

    def look(function: str, name: str, value: Any) -> Any:
        if isinstance(value, str) and value != "auto":
            raise wrong(function, name, value, "must be 'auto' or a list")
        return value if isinstance(value, str) else of(function, name, value)

    return look


def counts(function: str, name: str, value: Any) -> Any:
    """A whole number from 1, or a list of them."""
    return one_or_each(function, name, value, count)


def texts(function: str, name: str, value: Any) -> list[str]:
    return each(function, name, value, text)


def layer(function: str, name: str, value: Any) -> int | str:
    """A layer, by number from 0 or by name."""
    return value if isinstance(value, str) else count(function, name, value, 0)


def layers(function: str, name: str, value: Any) -> list[int | str]:
    return each(function, name, value, layer)


def runs(function: str, name: str, value: Any) -> list[list[int | str]]:
    """Pairs of a first and a last layer."""

    def pair(function: str, name: str, value: Any) -> list[int | str]:
        found = each(function, name, value, layer)
        if len(found) != 2:
            raise wrong(function, name, value, "must be a first and a last layer")
        return found

    return each(function, name, value, pair)


def levels(function: str, name: str, value: Any) -> list[list[Any]]:
    """Levels of a topology: a size, a bandwidth and a latency, which may be left out."""

    def level(function: str, name: str, value: Any) -> list[Any]:
        if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
            raise _type(function, name, value, "a tuple of a size, a bandwidth and a latency")
        found = list(value)
        if len(found) not in (2, 3):
            raise wrong(function, name, value, "must be a size, a bandwidth and a latency")
        return [count(function, name, found[0]), positive_size(function, name, found[1]),
                number(function, name, found[2]) if len(found) == 3 else 0.0]

    return each(function, name, value, level)


def flag(function: str, name: str, value: Any) -> bool | None:
    """Whether something is wanted; what is not is left out."""
    if not isinstance(value, (bool, numpy.bool_)):
        raise _type(function, name, value, "a bool")
    return True if value else None


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
