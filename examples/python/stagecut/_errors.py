# SPDX-License-Identifier: BSL-1.0
"""What stagecut raises."""


class ArgumentError(ValueError):
    """An argument outside its range; `argument` is its name."""

    argument = ""


class InvalidInput(ValueError):
    """Bad data, as a time below 0; `place` says where."""

    place = ""


class NotRepresentable(ValueError):
    """What a framework cannot be told, as stages of unequal length where it wants equal ones; the text says why."""


class NoAnswer(RuntimeError):
    """A limit was reached before a plan was found."""


class Infeasible(NoAnswer):
    """There is no such plan, which is proved; the text says what is short, and what would do."""
