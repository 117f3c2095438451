# SPDX-License-Identifier: BSL-1.0
"""The calls of modules while a whole runs, each linked to those whose results it takes. Nothing here imports torch."""


class Unlinked(Exception):
    """Something is taken that neither was given to the whole nor is the result of a call."""


class Taken:
    """A value: of call `call`, or, below 0, of the inputs, counted from the end; `path` are the places in tuples, lists and dictionaries."""

    def __init__(self, call, path=()):
        self.call, self.path = call, path

    def __eq__(self, other):
        return isinstance(other, Taken) and (self.call, self.path) == (other.call, other.path)

    def __hash__(self):
        return hash((self.call, self.path))

    def __repr__(self):
        return f"Taken({self.call}, {self.path})"


def parts_of(structure):
    """The parts of a tuple, list or dictionary with their places; None of anything else."""
    if isinstance(structure, dict):
        return list(structure.items())
    return list(enumerate(structure)) if isinstance(structure, (tuple, list)) else None


class Links:
    """Who takes what of whom. `is_value` says what is handed over, `is_constant` what is as good in any other run."""

    def __init__(self, inputs, is_value, is_constant):
        self.is_value, self.is_constant = is_value, is_constant
        self.known, self.alive, self.calls = {}, [], []
        for number, each in enumerate(inputs):
            self.learn(each, number - len(inputs))

    def learn(self, structure, call, path=()):
        if self.is_value(structure):
            self.known[id(structure)] = Taken(call, path)
            self.alive.append(structure)  # or another one could get its id
        for place, each in parts_of(structure) or ():
            self.learn(each, call, (*path, place))

    def link(self, structure, taker):
        """The same structure with `Taken` in the place of values."""
        if self.is_value(structure):
            if id(structure) not in self.known:
                raise Unlinked(f"{taker} takes what is computed outside of the modules")
            return self.known[id(structure)]
        parts = parts_of(structure)
        if parts is None:
            if not self.is_constant(structure):
                raise Unlinked(f"{taker} takes a {type(structure).__name__}, which is neither a tensor nor a constant")
            return structure
        if isinstance(structure, dict):
            return {place: self.link(each, taker) for place, each in parts}
        return (tuple if isinstance(structure, tuple) else list)(self.link(each, taker) for _, each in parts)

    def call(self, name, args, kwargs):
        """Adds a call; returns its number, of which `learn` is told the result."""
        self.calls.append((name, self.link(tuple(args), name), self.link(dict(kwargs), name)))
        return len(self.calls) - 1
