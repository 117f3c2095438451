# SPDX-License-Identifier: BSL-1.0
"""Every header compiles by itself: `self_contained.py [--all] COMPILER [FLAG...]`: those that users include, in the compiled form,
where each has declarations alone; with --all also what only headers include, and header-only.

A header that includes another, at whatever depth, compiles by itself together with it: a file that includes first the inner one
and then the outer one has nothing before the text of either that it does not include on its own. So headers are dealt out to
chains, each of which holds the next, and every chain is one file: a third as many as headers. The fewest chains are those of a
largest matching of headers with headers that include them (Dilworth, A decomposition theorem for partially ordered sets, 1950).
Headers of searches are among them if a flag says Thrust's device system."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import headers

root = pathlib.Path(__file__).resolve().parent.parent / "include"


def included(path):
    """What a header includes of the library, whatever is defined."""
    depth, names = 0, []
    for line in path.read_text().splitlines():
        if found := re.match(r"\s*#\s*(if|endif|include\s*<(stagecut/[^>]+\.hpp)>)", line):
            depth += {"if": 1, "endif": -1}.get(found[1], 0)
            if found[2] and depth == 0:
                names.append(found[2])
    return names


def chains_of(names):
    """Lists of headers, each of which includes the one before it."""
    direct = {path.relative_to(root).as_posix(): included(path) for path in root.rglob("*.hpp")}
    inner = {}

    def close(name):
        if name not in inner:
            inner[name] = set()
            for each in direct[name]:
                inner[name] |= {each} | close(each)
        return inner[name]

    outer = {name: [] for name in names}
    for name in names:
        for each in sorted(close(name) & outer.keys()):
            outer[each].append(name)
    before = {}  # of an outer header, the one before it

    def extend(name, seen):
        for each in outer[name]:
            if each not in seen:
                seen.add(each)
                if each not in before or extend(before[each], seen):
                    before[each] = name
                    return True
        return False

    sys.setrecursionlimit(sys.getrecursionlimit() + len(names))
    for name in names:
        extend(name, set())
    chains = []
    for last in set(names) - set(before.values()):
        chain = [last]
        while chain[-1] in before:
            chain.append(before[chain[-1]])
        chains.append(chain[::-1])
    return sorted(chains)


def compile_chain(command, folder, number, chain):
    source = pathlib.Path(folder) / f"{number}.cpp"
    source.write_text("".join(f"#include <{name}>\n" for name in chain))
    return subprocess.run([*command, str(source)], capture_output=True, text=True)


def main():
    with_private = "--all" in sys.argv
    compiler, *flags = [word for word in sys.argv[1:] if word != "--all"]
    names = headers.listed(root, private=with_private, flags=flags)
    chains = chains_of(names)
    command = [compiler, "-std=c++20", "-fsyntax-only", f"-I{root}", *flags, *([] if with_private else ["-DSTAGECUT_COMPILED"])]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        compiled = pool.map(lambda each: compile_chain(command, folder, *each), enumerate(chains))
        failed = [f"FAILED: {' '.join(chain)}\n{done.stderr[:3000]}" for chain, done in zip(chains, compiled) if done.returncode != 0]
    print("\n".join([*failed, f"{len(names)} headers in {len(chains)} files, {len(failed)} failed"]))
    sys.exit(bool(failed) or sum(map(len, chains)) != len(names))


main()
