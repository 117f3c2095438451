# SPDX-License-Identifier: BSL-1.0
"""Timelines, predicted and measured: timeline_test.py, with the module stagecut. PyTorch is not needed."""

import pathlib
import sys
import unittest
import xml.dom.minidom

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "pytorch"))

import stagecut  # noqa: E402
import timeline  # noqa: E402
from plan_file import Refused, with_whole_first_stage  # noqa: E402
from timeline import Pass  # noqa: E402


def profile(layers=8):
    return {"schema": "stagecut-profile-2",
            "layers": [{"name": f"l{place}", "forward": 0.01, "backward": 0.02, "backward_weight": 0.009,
                        "backward_input": 0.011}
                       for place in range(layers)]}


class OfTwoRanks(unittest.TestCase):
    """Stage 0 and 1, one microbatch, with transfers of 1 s; then a second one on the first rank."""

    passes = [Pass(0, 0, 0, "F", 0, 2), Pass(0, 0, 1, "F", 2.5, 4), Pass(1, 1, 0, "F", 3, 6), Pass(1, 1, 0, "B", 6, 10),
              Pass(1, 1, 1, "F", 10, 12), Pass(0, 0, 0, "B", 11, 14)]

    def test_idle(self):
        first, second = timeline.idle(self.passes, 2)
        self.assertEqual(timeline.iteration(self.passes), 14)
        self.assertEqual(first["busy"], 2 + 1.5 + 3)
        self.assertEqual(first["idle"], {"before_first_pass": 0, "waiting_for_forward": 0, "waiting_for_gradient": 6,
                                         "transfer_and_overhead": 0.5 + 1, "after_last_pass": 0})
        self.assertEqual(second["busy"], 9)
        self.assertEqual(second["idle"], {"before_first_pass": 3, "waiting_for_forward": 0, "waiting_for_gradient": 0,
                                          "transfer_and_overhead": 0, "after_last_pass": 2})

    def test_waits_for_a_forward_input(self):
        passes = [Pass(0, 0, 0, "F", 0, 1), Pass(1, 1, 0, "F", 1, 2), Pass(0, 0, 1, "F", 1, 5), Pass(1, 1, 1, "F", 6, 7)]
        self.assertEqual(timeline.idle(passes, 2)[1]["idle"]["waiting_for_forward"], 3)
        self.assertEqual(timeline.idle(passes, 2)[1]["idle"]["transfer_and_overhead"], 1)

    def test_idle_begins_where_the_timeline_does(self):
        later = [one._replace(start=one.start + 5, end=one.end + 5) for one in self.passes]
        self.assertEqual(timeline.idle(later, 2), timeline.idle(self.passes, 2))

    def test_every_second_has_one_cause(self):
        overlapping = self.passes + [Pass(1, 1, 2, "F", 11, 13)]
        for report in timeline.idle(overlapping, 2):
            self.assertAlmostEqual(report["busy"] + sum(report["idle"].values()), timeline.iteration(overlapping))

    def test_trace_has_both(self):
        events = timeline.chrome({"predicted": self.passes, "measured": self.passes[:3]})["traceEvents"]
        passes = [event for event in events if event["ph"] == "X"]
        self.assertEqual([sum(event["tid"] == thread for event in passes) for thread in (0, 1)], [6, 3])
        threads = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
        self.assertEqual(threads, {"predicted", "measured"})
        self.assertEqual({(event["pid"], event["ts"], event["dur"]) for event in passes if event["name"] == "B0"},
                         {(1, 6e6, 4e6), (0, 11e6, 3e6)})

    def test_picture_is_to_one_scale(self):
        slow = [one._replace(start=2 * one.start, end=2 * one.end) for one in self.passes]
        picture = xml.dom.minidom.parseString(timeline.svg({"predicted": self.passes, "measured": slow}, "<&>"))
        rectangles = picture.getElementsByTagName("rect")
        self.assertEqual(len(rectangles), 12)
        widths = [float(one.getAttribute("width")) for one in rectangles]
        for fast, late in zip(widths[:6], widths[6:]):
            self.assertAlmostEqual(2 * fast, late, delta=0.02)
        self.assertEqual(rectangles[0].getAttribute("fill"), "#6fa8ee")
        self.assertEqual(picture.getElementsByTagName("title")[0].firstChild.data, "<&>")


class OfPlans(unittest.TestCase):
    def test_prediction_is_the_plans(self):
        for schedule, chunks in (("1f1b", 1), ("interleaved", 2), ("zb-h1", 1), ("zbv", 2)):
            plan = stagecut.plan(profile(), 2, stages_per_rank=chunks, microbatches=4, schedule=schedule)
            passes = timeline.predicted(plan)
            self.assertAlmostEqual(timeline.iteration(passes), plan["makespan"], places=6)
            self.assertEqual(len(passes), len(plan["stages"]) * 4 * (3 if schedule.startswith("z") else 2))
            for one in passes:
                self.assertEqual(plan["stages"][one.stage]["device"], one.rank)

    def test_work_of_passes_that_overlap(self):
        plan = stagecut.plan(profile(), 2, stages_per_rank=2, microbatches=4, schedule="dualpipev")
        passes = timeline.predicted(plan)
        self.assertGreater(len(passes), len({(one.rank, one.start) for one in passes}))  # some overlap
        for (stage, _, kind), seconds in timeline.work(passes, plan["stages"]).items():
            of = plan["stages"][stage]
            weight = of["backward_weight"]
            expected = {"F": of["forward"], "B": of["backward"], "I": of["backward"] - weight, "W": weight}[kind]
            self.assertAlmostEqual(seconds, expected, places=7)

    def test_stage_0_runs_its_backward_passes_whole(self):
        plan = stagecut.plan(profile(), 2, microbatches=4, schedule="zb-h1")
        for one in timeline.predicted(with_whole_first_stage(plan)):
            of = plan["stages"][one.stage]
            apart = {"F": of["forward"], "I": of["backward"] - of["backward_weight"], "W": of["backward_weight"]}
            expected = {**apart, "I": 0, "W": of["backward"]} if one.stage == 0 else apart
            self.assertAlmostEqual(one.end - one.start, expected[one.kind], places=9)
        plain = stagecut.plan({**profile(), "layers": [{"name": "a", "forward": 1}, {"name": "b", "forward": 1}]}, 2, microbatches=4)
        self.assertEqual(with_whole_first_stage(plain), plain)

    def test_the_planners_errors(self):
        plan = stagecut.plan(profile(), 2)
        with self.assertRaisesRegex(Refused, "names no schedule"):
            timeline.predicted(plan)
        with self.assertRaisesRegex(Refused, "schedule_text"):
            timeline.predicted(plan, schedule_text="0F0,no op\n")


if __name__ == "__main__":
    unittest.main()
