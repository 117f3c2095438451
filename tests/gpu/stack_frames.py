# SPDX-License-Identifier: BSL-1.0
"""No kernel has a stack frame or spills registers: what stands there is slower than registers by far, and an array that is
indexed at run time comes there unseen.

`stack_frames.py NVCC INCLUDE FILE.cu...`; the last file is also compiled with PLANT_STACK_FRAME defined, which must be found.
"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

ARCHITECTURES = ("sm_75", "sm_90")
FRAME = re.compile(r"Function properties for (\S+)\n\s*(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")


def readable(name):
    """A kernel's name as it is written, where there is who can tell."""
    tool = shutil.which("c++filt")
    return subprocess.run([tool, name], capture_output=True, text=True).stdout.strip() if tool else name


def frames(job):
    """What is wrong with the kernels of a file, one line each."""
    file, architecture, options = job
    with tempfile.TemporaryDirectory() as folder:
        command = [nvcc, "-std=c++20", f"-arch={architecture}", f"-I{include}", "-Xptxas", "-v", "-cubin", *options,
                   "-o", os.path.join(folder, "kernels.cubin"), file]
        ended = subprocess.run(command, capture_output=True, text=True)
    place = f"{os.path.basename(file)}, {architecture}"
    if ended.returncode != 0:
        return [f"{place}: does not compile:\n{ended.stdout}{ended.stderr}"]
    kernels = FRAME.findall(ended.stdout + ended.stderr)
    if not kernels:
        return [f"{place}: no kernel"]
    return [f"{place}: {readable(name)}: {frame} bytes of stack, {stores} stored and {loads} loaded of spilled registers"
            for name, frame, stores, loads in kernels if (frame, stores, loads) != ("0", "0", "0")]


nvcc, include, *files = sys.argv[1:]
jobs = [(file, architecture, ()) for file in files for architecture in ARCHITECTURES]
planted = [(files[-1], architecture, ("-DPLANT_STACK_FRAME",)) for architecture in ARCHITECTURES]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    found = list(pool.map(frames, jobs + planted))
wrong = [line for lines in found[:len(jobs)] for line in lines]
for job, lines in zip(planted, found[len(jobs):]):
    if not any("planted(" in line or "7planted" in line for line in lines):
        wrong.append(f"{os.path.basename(job[0])}, {job[1]}: the frame that was planted is not found: {lines}")
print("\n".join(wrong) or f"{len(jobs)} times compiled, without a stack frame; what was planted is found")
sys.exit(bool(wrong))
