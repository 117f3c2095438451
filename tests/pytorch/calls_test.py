# SPDX-License-Identifier: BSL-1.0
"""Who takes what of whom among the calls of modules, which `examples/pytorch` records: without PyTorch, on values of its own."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "pytorch"))

from calls import Links, Taken, Unlinked  # noqa: E402


class Value:
    """Stands for a tensor."""


def links(*inputs):
    return Links(inputs, lambda each: isinstance(each, Value), lambda each: each is None or isinstance(each, (bool, int, str)))


class Calls(unittest.TestCase):
    def test_results_are_linked_by_what_they_are(self):
        x, hidden, pair = Value(), Value(), (Value(), {"mask": Value()})
        made = links(x)
        made.learn(hidden, made.call("embedding", (x,), {}))
        made.learn(pair, made.call("block", (hidden, 3), {"cache": None}))
        made.call("head", (pair[0],), {"rest": [pair[1]["mask"], x]})
        self.assertEqual(made.calls, [("embedding", (Taken(-1),), {}), ("block", (Taken(0), 3), {"cache": None}),
                                      ("head", (Taken(1, (0,)),), {"rest": [Taken(1, (1, "mask")), Taken(-1)]})])
        self.assertEqual(made.link((hidden, pair), "the result"), (Taken(0), (Taken(1, (0,)), {"mask": Taken(1, (1, "mask"))})))

    def test_of_two_results_that_are_one_value_the_later_counts(self):
        x = Value()
        made = links(x)
        made.learn(x, made.call("in_place", (x,), {}))
        self.assertEqual(made.link(x, "the result"), Taken(0))

    def test_several_inputs_are_counted_from_the_end(self):
        x, y = Value(), Value()
        self.assertEqual(links(x, (y, 1)).link([x, y], "f"), [Taken(-2), Taken(-1, (0,))])

    def test_what_no_call_made_is_refused_with_its_taker(self):
        x = Value()
        made = links(x)
        with self.assertRaisesRegex(Unlinked, "^layers.1 takes what is computed outside of the modules$"):
            made.call("layers.1", (Value(),), {})
        with self.assertRaisesRegex(Unlinked, "^layers.1 takes a object, which is neither a tensor nor a constant$"):
            made.call("layers.1", (x, object()), {})
        self.assertEqual(made.calls, [])


if __name__ == "__main__":
    unittest.main()
