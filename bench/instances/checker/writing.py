# SPDX-License-Identifier: BSL-1.0
"""Instances and solutions as text: one member per line, for reading and comparing."""

import json


def text(content):
    def member(value, indent):
        if type(value) is dict and indent < 6:
            inner = (f"{' ' * (indent + 2)}{json.dumps(key)}: {member(each, indent + 2)}" for key, each in value.items())
            return "{\n" + ",\n".join(inner) + "\n" + " " * indent + "}"
        if type(value) is list and value and type(value[0]) is str:
            return "[\n" + ",\n".join(" " * (indent + 2) + json.dumps(each) for each in value) + "\n" + " " * indent + "]"
        return json.dumps(value, ensure_ascii=False)

    return member(content, 0) + "\n"
