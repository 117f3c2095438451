# SPDX-License-Identifier: BSL-1.0
"""torchgpipe and DeepSpeed from the package index, without the packages that they need: of each archive only the functions
that cut chains are run. Archives are kept in build/peers.

fairscale.nn.pipe.balance is torchgpipe's code.
"""

import ast
import bisect
import hashlib
import html
import io
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
import zipfile
from itertools import accumulate

from peers import partitioner

KEPT = pathlib.Path(__file__).resolve().parents[2] / "build" / "peers"


def index():
    """The URL where pip finds packages."""
    told = os.environ.get("PIP_INDEX_URL", "")
    pip = shutil.which("pip3") or shutil.which("pip")
    if pip and not told:
        told = subprocess.run([pip, "config", "get", "global.index-url"], capture_output=True, text=True).stdout.strip()
    return told or "https://pypi.org/simple"


def fetch(url):
    certificates = ssl.create_default_context(cafile=os.environ.get("PIP_CERT"))
    with urllib.request.urlopen(url, timeout=60, context=certificates) as answer:
        return answer.url, answer.read()


def archive(name, sha256):
    """The bytes of an archive, from the index unless it is kept; always the version with this published hash."""
    kept = KEPT / name
    if kept.exists() and hashlib.sha256(kept.read_bytes()).hexdigest() == sha256:
        return kept.read_bytes()
    base, page = fetch(f"{index().rstrip('/')}/{name.split('-')[0]}/")
    links = (urllib.parse.urljoin(base, html.unescape(link)) for link in re.findall(r'href="([^"]+)"', page.decode()))
    found = next((link for link in links if urllib.parse.urlsplit(link).path.endswith("/" + name)), None)
    if not found:
        raise OSError(f"{base} has no {name}")
    print(f"fetching {name}", file=sys.stderr)
    _, content = fetch(found)
    if hashlib.sha256(content).hexdigest() != sha256:
        raise OSError(f"{found}: not the archive that was published: its SHA-256 is not {sha256}")
    KEPT.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(content)
    return content


def source(name, sha256, path):
    """The text of one file in an archive."""
    content = io.BytesIO(archive(name, sha256))
    if name.endswith(".whl"):
        with zipfile.ZipFile(content) as files:
            return files.read(path).decode()
    with tarfile.open(fileobj=content) as files:
        return files.extractfile(f"{name.removesuffix('.tar.gz')}/{path}").read().decode()


def functions(text, *names):
    """The functions of these names, defined without the rest of their module."""
    module = ast.parse(text)
    module.body = [each for each in module.body if isinstance(each, ast.FunctionDef) and each.name in names]
    space = {"bisect_left": bisect.bisect_left}
    exec(compile(module, "<archive>", "exec"), space)
    return space


def torchgpipe():
    text = source("torchgpipe-0.0.7-py3-none-any.whl", "052c704f8c03b7695110e81853e4166c1fc1db3ad1e4cc0fa4eceb8a63e32627",
                  "torchgpipe/balance/blockpartition.py")
    space = {}
    exec(compile(text, "<torchgpipe>", "exec"), space)

    @partitioner("torchgpipe 0.0.7")
    def cut(weights, k):
        return [0, *accumulate(map(len, space["solve"](weights, k)))]


def deepspeed(version, sha256, *names, **cost):
    text = source(f"deepspeed-{version}.tar.gz", sha256, "deepspeed/runtime/utils.py")
    balanced = functions(text, "partition_uniform", "partition_balanced", *names)["partition_balanced"]
    partitioner(f"DeepSpeed {version}", **cost)(balanced)


def register():
    """Registers the available ones, and reports the others."""
    # The first cuts by bisection, the second, since pull request 4312, by a dynamic program for max - min.
    for peer in (
        torchgpipe,
        lambda: deepspeed("0.10.3", "daf8f05dc91ab3c754db0160fb107902fb381d4a46bf61e0fe55a77698b86931", "prefix_sum_inc",
                          "_lprobe", "_rb_partition_balanced"),
        lambda: __import__("numpy") and deepspeed("0.19.8", "9e491abd0827ea5c389dd702e15e11e13d83d904bac4a20d6c2a4cb37207a9af",
                          work=lambda n, k: n * n * k),
    ):
        try:
            peer()
        except (OSError, ImportError) as problem:
            print(f"left out: {problem}", file=sys.stderr)
