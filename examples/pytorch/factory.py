# SPDX-License-Identifier: BSL-1.0
"""The words of a command line that name a model: module:factory, its settings, and the shapes of its arguments."""

import ast
import importlib
import importlib.util
import pathlib
import re
import sys

import standard_profile  # noqa: F401, before torch

import torch

from plan_file import Refused


def mean_square(output, target=None):
    """The loss where none is given: the mean of the squares of all that the module returns, which every output has a gradient of."""
    tensors = [each for each in torch.utils._pytree.tree_leaves(output) if torch.is_tensor(each) and each.is_floating_point()]
    return sum(each.float().square().mean() for each in tensors) / len(tensors)


def load(name, settings=None, args=None, device="cpu"):
    """Makes (module, args, loss) by the factory `name`, as models:toy_transformer or path/to/file.py:factory.

    The factory is called with `settings` as keywords and returns a module, (module, args) or (module, args, loss); `args` are the
    words of `--args`, for one that returns no arguments. On meta, module and arguments are made without memory.
    """
    where, colon, function = name.partition(":")
    if not colon:
        raise Refused(f"{name}: a model is named module:factory, as models:toy_transformer")
    factory = getattr(import_module(where), function, None)
    if not callable(factory):
        raise Refused(f"{where} has no function {function}")
    with torch.device(device):
        try:
            made = factory(**(settings or {}))
        except TypeError as problem:
            raise Refused(f"{name}: {problem}") from problem
    made = made if isinstance(made, tuple) else (made,)
    module, given, loss = made + (None,) * (3 - len(made))
    if not isinstance(module, torch.nn.Module):
        raise Refused(f"{name} returns a {type(module).__name__}, no module")
    if args:
        given = tuple(parse_tensor(word, device) for word in args)
    elif given is not None and odd_arguments(given):
        raise Refused(f"{name} returns as arguments a {odd_arguments(given)}: let it return a tuple of tensors, and a module that takes these "
                      "in order and makes of them whatever else it needs")
    if given is None:
        raise Refused(f"{name} returns a module alone: say the shapes of its arguments, as --args 8x3x224x224 or --args 4x128:int64:32000")
    return module, tuple(given), loss or mean_square


def odd_arguments(given):
    """What arguments are that are no tuple of tensors."""
    if not isinstance(given, (tuple, list)):
        return type(given).__name__
    return next((f"tuple with a {type(each).__name__}" for each in given if not torch.is_tensor(each)), None)


def import_module(where):
    """Imports a module by its name, or by the path of its file; names are looked for where the command is run, too."""
    if where.endswith(".py"):
        path = pathlib.Path(where)
        if not path.is_file():
            raise Refused(f"{where}: no such file")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules.setdefault(path.stem, module)
        spec.loader.exec_module(module)
        return module
    if "" not in sys.path:
        sys.path.append("")
    try:
        return importlib.import_module(where)
    except ModuleNotFoundError as problem:
        if problem.name != where.split(".")[0]:
            raise  # it is there, and misses something itself
        raise Refused(f"no module is called {where}: name one on Python's path, or a file as path/to/{where}.py:factory") from problem


def parse_tensor(word, device="cpu"):
    """A tensor from its shape, type and, for integers, the number above all: 8x3x224x224, 4x128:bfloat16, 4x128:int64:32000."""
    match = re.fullmatch(r"(\d+(?:x\d+)*)(?::(\w+))?(?::(\d+))?", word)
    if not match:
        raise Refused(f"--args {word}: write the shape, and what is in it unless that is float32, as 8x3x224x224 or 4x128:int64:32000")
    shape = [int(each) for each in match[1].split("x")]
    if 0 in shape or match[3] == "0":
        raise Refused(f"--args {word}: sides of the shape, and the number above all integers, are at least 1")
    kind = getattr(torch, match[2] or "float32", None)
    if not isinstance(kind, torch.dtype):
        raise Refused(f"--args {word}: torch has no type {match[2]}")
    if kind.is_floating_point:
        return torch.randn(shape, dtype=kind, device=device)
    return torch.randint(0, int(match[3] or 2), shape, dtype=torch.int64, device=device).to(kind)


def parse_settings(words):
    """Keywords of a factory from words as layers=4, in Python's notation; what is none is text."""
    settings = {}
    for word in words or []:
        key, equals, value = word.partition("=")
        if not equals or not key.isidentifier():
            raise Refused(f"--set {word}: write name=value")
        try:
            settings[key] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            settings[key] = value
    return settings
