# SPDX-License-Identifier: BSL-1.0
"""What the program says to those who meant something else, and to those who wait."""

import json
import pathlib
import sys
import tempfile

from program import check, fails, failures, run

header = "name,kind,forward,backward,parameters,activations,output\n"
uneven = header + "".join(f"l{i},x,{f},{2 * f},10,3,1\n" for i, f in enumerate((8, 11, 2, 1, 18, 5, 4, 11)))

# An option that is not known is told first and alone, whatever else is wrong; so is a command.
help = " (see stagecut plan --help)\n"
meant = "stagecut: --device is none of plan's options: did you mean --devices?" + help
for words in (("--device", 4), ("--device=4",), ("--device", 4, "--memory", "much"), ("--microbatches", "many", "--device", 4),
              ("--device", 4, "--schedule", "1f1"), ("--microbatches", "--device", 4)):
    for file in (("-",), ()):
        fails(2, meant, "plan", *file, *words)
        check(run("plan", *file, *words).stderr == meant, words)
fails(2, "stagecut: --colour is none of plan's options" + help, "plan", "-", "--colour", "--device", 4)
fails(2, "-x is none of plan's options" + help, "plan", "-", "-x")
fails(2, "--presets is none of profile transformer's options: did you mean --preset? (see stagecut profile transformer --help)",
      "profile", "transformer", "--presets", "gpt2-xl")
fails(2, "--verson is none of its options: did you mean --version? (see stagecut --help)", "--verson")
fails(2, "plna is none of its commands: did you mean plan? (see stagecut --help)", "plna", "x.json", "--devices", 4)
fails(2, "transfomer is none of profile's commands: did you mean transformer? (see stagecut profile --help)", "profile", "transfomer")
fails(2, "--microbatches: -4 is no whole number", "plan", "-", "--microbatches=-4", "--devices", 2)

# So are words of every closed list.
plan = ("plan", "-", "--devices", 2)
for words, near in ((("--format", "megtron"), "megatron"), (("--schedule", "1f1"), "1f1b"), (("--schedule", "zbh1"), "zb-h1"),
                    (("--objective", "makspan"), "makespan"), (("--method", "parameter"), "parameters"), (("--optimizer", "adm"), "adam"),
                    (("--transfers", "links"), "link"), (("--checkpoint", "allways"), "always"), (("--search", "gpus"), "gpu")):
    fails(2, f"did you mean {near}?", *plan, *words, stdin=uneven)
for words, near in ((("--preset", "llama-2-7"), "llama-2-7b"), (("--preset", "gpt2-xl", "--gpu", "h100"), "h100-80gb"),
                    (("--preset", "gpt2-xl", "--precision", "bf61"), "bf16"), (("--preset", "gpt2-xl", "--recompute", "selectiv"), "selective"),
                    (("--preset", "gpt2-xl", "--format", "jsn"), "json")):
    fails(2, f"did you mean {near}?", "profile", "transformer", *words)
with tempfile.TemporaryDirectory() as folder:
    config = pathlib.Path(folder) / "config.json"
    config.write_text('{"model_type": "unheard-of"}')
    fails(2, "did you mean llama?", "plan", config, "--devices", 2, "--as", "lama")
fails(2, "--schedule: gpip is not known: did you mean gpipe? (see stagecut schedules)", "simulate", "--forward", "1,2", "--backward", "1,2",
      "--devices", 2, "--microbatches", 4, "--schedule", "gpip")
sweep = ("sweep", "-", "--devices", 2, "--microbatches", 4)
fails(2, "1f1 is none: did you mean 1f1b?", *sweep, "--schedules", "gpipe,1f1", stdin=uneven)
fails(2, "alway is neither never nor always: did you mean always?", *sweep, "--recompute", "alway", stdin=uneven)
fails(2, "did you mean bash?", "completion", "bsh")
fails(2, "plna is no command: did you mean plan?", "manual", "plna")
fails(2, "profile transfomer is no command: did you mean profile transformer?", "manual", "profile", "transfomer")

sys.exit(f"{len(failures)} failures" if failures else None)
