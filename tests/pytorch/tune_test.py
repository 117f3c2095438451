# SPDX-License-Identifier: BSL-1.0
"""The round trip of tune.py: tune_test.py, with the module stagecut. Needs torch, no GPU."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

folder = pathlib.Path(__file__).resolve().parents[2] / "examples" / "pytorch"
sys.path.insert(0, str(folder))

import tune  # noqa: E402

OPTIONS = argparse.Namespace(devices=2, bandwidth=None, latency=None, memory=None)


def chain(scale=(1,) * 6):
    """Six layers, of which the third takes twice as long; each multiplied by its scale."""
    times = [0.001, 0.001, 0.002, 0.001, 0.001, 0.001]
    return {"schema": "stagecut-profile-2",
            "layers": [{"name": str(number), "forward": time * by, "backward": 2 * time * by, "backward_input": 1.5 * time * by,
                        "backward_weight": time * by} for number, (time, by) in enumerate(zip(times, scale))]}


def as_if_run(candidate, scale):
    """What run.py would report if each layer took its time in `scale`."""
    truth = chain(scale)["layers"]
    kinds = "FIW" if candidate.schedule == "zb-h1" else "FB"
    cuts = candidate.plan["cuts"]

    def of(layers, first, last):
        total = {letter: sum(layer[kind] for layer in layers[first:last]) for kind, letter in tune.PASSES.items()}
        return {kind: total[kind] for kind in kinds}

    candidate.report = {"iteration": {"predicted": candidate.predicted, "measured": candidate.predicted},
                        "stages": [{"stage": stage, "predicted": of(candidate.plan["profile"]["layers"], first, last),
                                    "measured": of(truth, first, last)} for stage, (first, last) in enumerate(zip(cuts, cuts[1:]))]}
    return candidate


class Correction(unittest.TestCase):
    def test_a_uniform_error_is_found(self):
        ran = [as_if_run(tune.Candidate("1f1b", 1, 4).make(chain(), OPTIONS), (1.5,) * 6)]
        means = tune.scales(ran, 6)
        for kind in tune.PASSES:
            for mean in means[kind]:
                self.assertAlmostEqual(mean, 1.5)
        fixed = tune.corrected(chain(), means)
        self.assertAlmostEqual(fixed["layers"][2]["forward"], 0.003)
        self.assertAlmostEqual(fixed["layers"][2]["backward_input"], 0.0045)  # as the backward pass, as no other was measured
        for schedule in ("1f1b", "zb-h1"):
            before, after = (tune.Candidate(schedule, 1, 4).make(each, OPTIONS).predicted for each in (chain(), fixed))
            self.assertAlmostEqual(after, 1.5 * before)

    def test_a_slower_half_is_told_apart(self):
        truth = (1, 1, 1, 2, 2, 2)
        ran = [as_if_run(tune.Candidate(schedule, 1, 4, "uniform").make(chain(), OPTIONS), truth) for schedule in ("1f1b", "zb-h1")]
        self.assertEqual(ran[0].plan["cuts"], [0, 3, 6])
        means = tune.scales(ran, 6)
        for kind in tune.PASSES:
            self.assertEqual([round(each, 6) for each in means[kind]], list(truth))
        again = tune.Candidate("1f1b", 1, 4).make(tune.corrected(chain(), means), OPTIONS)
        self.assertEqual(again.plan["cuts"], [0, 4, 6])  # 6 and 4 ms of forward work instead of 4 and 6

    def test_i_and_w_are_told_apart_but_where_pytorch_leaves_i_to_w(self):
        ran = as_if_run(tune.Candidate("zb-h1", 1, 4, "uniform").make(chain(), OPTIONS), (1,) * 6)
        first, second = ran.report["stages"]
        first["measured"].update(I=0.0, W=first["predicted"]["I"] + first["predicted"]["W"])
        second["measured"]["I"] *= 2
        means = tune.scales([ran], 6)
        self.assertEqual([round(each, 6) for each in means["backward_input"]], [1, 1, 1, 2, 2, 2])
        self.assertEqual([round(each, 6) for each in means["backward_weight"]], [1] * 6)

    def test_what_i_and_w_take_beyond_b_is_predicted(self):
        alone = argparse.Namespace(**{**vars(OPTIONS), "devices": 1})
        for schedule, seconds in (("1f1b", 3), ("zb-h1", 3.5)):  # of F and B, or of F, I and W
            self.assertAlmostEqual(tune.Candidate(schedule, 1, 4).make(chain(), alone).predicted, 4 * 0.007 * seconds)

    def test_samples(self):
        options = argparse.Namespace(batch="batch=32", settings=["width=8"])
        self.assertEqual(tune.settings_of(options, 8), (["width=8", "batch=4"], 4))
        with self.assertRaisesRegex(tune.Refused, "32 samples do not come out in 5"):
            tune.settings_of(options, 5)

    def test_a_folder_that_cannot_be_made(self):
        done = subprocess.run([sys.executable, str(folder / "tune.py"), "models:towers", "--devices", "2", "--folder", "/proc/tuned"],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)

    def test_candidates(self):
        options = argparse.Namespace(microbatches=[4, 8], schedules=["1f1b", "interleaved", "zbv"], stages_per_rank=[2, 3])
        self.assertEqual([str(each) for each in tune.candidates(options)][:4],
                         ["1f1b, 4 microbatches", "interleaved, 4 microbatches, 2 stages a rank",
                          "interleaved, 4 microbatches, 3 stages a rank", "zbv, 4 microbatches, 2 stages a rank"])


class RoundTrip(unittest.TestCase):
    def test_all_of_it(self):
        with tempfile.TemporaryDirectory() as where:
            done = subprocess.run([sys.executable, str(folder / "tune.py"), "models:toy_transformer", "--set", "layers=3", "tokens=16",
                                   "--batch", "batch=8", "--devices", "2", "--microbatches", "2", "4", "--schedules", "1f1b", "zb-h1",
                                   "--steps", "1", "--repeats", "2", "--run", "1"], cwd=where, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            for words in ("As profiled", "best when run: ", "uniform", "Planned again with the corrected profile", "take tuned/run-"):
                self.assertIn(words, done.stdout)
            made = {each.name for each in (pathlib.Path(where) / "tuned").iterdir()}
            self.assertLessEqual({"corrected-2.json", "corrected-4.json", "run-0.plan.json", "run-0.report.json", "run-0.svg",
                                  "run-corrected.trace.json"}, made)
            scaled = json.loads((pathlib.Path(where) / "tuned" / "corrected-4.json").read_text())["layers"]
            self.assertTrue(all(each["scale"]["forward"] > 0 for each in scaled))


if __name__ == "__main__":
    unittest.main()
