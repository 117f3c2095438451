# SPDX-License-Identifier: BSL-1.0
"""`same_output.py PROGRAM PROGRAM`: both end well, and print the same lines, of which there are some."""
import subprocess
import sys

outputs = [subprocess.run([program], capture_output=True, text=True, check=True).stdout for program in sys.argv[1:3]]
if outputs[0] != outputs[1] or outputs[0].count("\n") < 6:
    sys.exit("\n---\n".join(outputs))
print(outputs[0], end="")
