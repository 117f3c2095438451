# SPDX-License-Identifier: BSL-1.0
"""The standard library's module `profile`, which profile.py beside this file hides from cProfile, which PyTorch imports.

Importing this lets cProfile find it. It has to be imported before torch.
"""

import importlib.util
import os
import sys
import sysconfig


def load():
    spec = importlib.util.spec_from_file_location("profile", os.path.join(sysconfig.get_path("stdlib"), "profile.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if "cProfile" not in sys.modules:
    hidden = sys.modules.pop("profile", None)
    sys.modules["profile"] = load()
    import cProfile  # noqa: F401

    del sys.modules["profile"]
    if hidden is not None:
        sys.modules["profile"] = hidden
