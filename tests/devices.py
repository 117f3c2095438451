# SPDX-License-Identifier: BSL-1.0
"""The known devices: `devices.py write` writes include/stagecut/profile/devices.hpp from the files in examples/devices, which `--gpu FILE`
reads and which name the source of each figure; `devices.py check` fails unless it is as it would write it."""

import json
import pathlib
import sys

ORDER = ("a100-80gb", "a100-40gb", "h100-80gb", "h200-141gb", "b200-180gb", "b300-288gb", "gb200-186gb", "gb300-288gb", "mi300x-192gb",
         "mi325x-256gb", "mi355x-288gb")
FIELDS = ("flops", "gemm", "gemm_fp8", "flops_fp32", "bandwidth", "memory", "link", "pair", "domain", "network", "power_limited", "flops_fp8",
          "flops_fp4", "gemm_fp4", "sustained", "sustained_fp8", "sustained_fp4", "sustained_bandwidth", "sustained_link", "exponentials", "sinks", "dispatch_sms",
          "host_link", "used")
HEAD = '''// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/devices.py from examples/devices, whose files name the source of each figure.
#include <array>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/accelerator.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

/// Devices with data sheets, SXM modules or similar: NVIDIA A100 (2021), H100 (2023), H200 and B200 (2024), B300 (2025),
/// GB200 and GB300 NVL72 (2024, 2025), AMD Instinct MI300X (2023), MI325X (2024), MI355X (2025). The first is `device{}`.
// clang-format off
inline constexpr std::array devices{
'''
root = pathlib.Path(__file__).parent.parent
target = root / "include/stagecut/profile/devices.hpp"


class Text(str):
    """A number as it is written."""


def line(name):
    """A device of the table."""
    file = root / "examples/devices" / f"{name}.json"
    of = json.loads(file.read_text(), parse_float=Text, parse_int=Text)
    known = {"name", "sources", *FIELDS}
    if of["name"] != name or not set(of) <= known or not set(of["sources"]) <= known:
        sys.exit(f"{file}: unknown members {sorted((set(of) | set(of['sources'])) - known)}, or another name")
    unsourced = [field for field in FIELDS if field in of and field not in of["sources"]]
    if unsourced:
        sys.exit(f"{file}: no source of {', '.join(unsourced)}")
    unknown = {field: "0" for field in ("gemm", "sustained_bandwidth", "sustained_link", "exponentials", "host_link")}  # not the A100's, the default
    values = {field: str(of.get(field, unknown.get(field))).lower() for field in FIELDS if field in of or field in unknown}
    text = f'    device{{.name = "{name}"'
    width = len(text)
    for field, value in values.items():
        item = f".{field} = {value}"
        if width + len(item) + 3 > 118:
            text += ",\n           " + item
            width = 11 + len(item)
        else:
            text += ", " + item
            width += 2 + len(item)
    return text + "}"


written = HEAD + ",\n".join(line(name) for name in ORDER) + "};\n// clang-format on\n\n}  // namespace stagecut::inline STAGECUT_ABI::transformer\n"
if {file.stem for file in (root / "examples/devices").glob("*.json")} != set(ORDER):
    sys.exit("examples/devices and ORDER in tests/devices.py name different devices")
if sys.argv[1:] == ["write"]:
    target.write_text(written)
elif target.read_text() != written:
    sys.exit(f"{target.relative_to(root)} is not as tests/devices.py write would write it")
