# SPDX-License-Identifier: BSL-1.0
"""cmake/release lets a tree pass that can be released, and names whatever is in the way."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
failed = checked = 0


def git(where, *words):
    subprocess.run(["git", "-C", where, "-c", "user.name=a", "-c", "user.email=a@b.invalid", *words], check=True, capture_output=True)


def edited(path, pattern, by):
    text, count = re.subn(pattern, by, path.read_text(), count=1, flags=re.MULTILINE)
    assert count == 1, f"{path}: no {pattern}"
    path.write_text(text)


def checks(tree, status, words):
    global failed, checked
    ended = subprocess.run([sys.executable, tree / "cmake/release"], capture_output=True, text=True)
    checked += 1
    if ended.returncode != status or words not in ended.stdout:
        failed += 1
        print(f"FAILED: expected {status} and {words!r}, got {ended.returncode}\n{ended.stdout}{ended.stderr}")


with tempfile.TemporaryDirectory() as folder:
    tree = pathlib.Path(folder) / "tree"
    shutil.copytree(root, tree, ignore=shutil.ignore_patterns("build", ".git", "__pycache__"), symlinks=True)
    version = re.search(r'"version": "(.*?)"', (tree / "cmake/ports/stagecut/vcpkg.json").read_text()).group(1)
    changelog = tree / "docs/CHANGELOG.md"
    edited(changelog, rf"^## {re.escape(version)}, .*$", f"## {version}, 2026-01-31")
    git(tree, "init", "--quiet")
    git(tree, "add", "--all")
    git(tree, "commit", "--quiet", "--message", "a release")
    checks(tree, 0, f"git tag --annotate v{version}")
    git(tree, "tag", f"v{version}")
    checks(tree, 0, f"{version} is released, here")
    for path, pattern, by, words in (
            (changelog, r"2026-01-31", "not released", "has no date: 'not released'"),
            (changelog, r"^## .*$", "## 9.9.9, 2026-01-31", "is to be released"),
            (changelog, r"\Z", f"\n## {version}, 2025-01-01\n", "do not descend"),
            (tree / "cmake/ports/stagecut/vcpkg.json", r'"version": ".*?"', '"version": "9.9.9"', "vcpkg.json: the version is 9.9.9"),
            (tree / "include/stagecut/version.hpp", r"PATCH \d+", "PATCH 77", ".77 is to be released"),
            (tree / "include/stagecut/version.hpp", r"MINOR \d+", "MINOR 77", "and the namespaces of 0.77."),
            (tree / "include/stagecut/core/config.hpp", r"(STAGECUT_ABI_TAG .*)_compiled", r"\1", "config.hpp: says"),
            (tree / "include/stagecut/core/cuts.hpp", r"inline STAGECUT_ABI", "inline v1", "headers open the namespaces"),
            (tree / "README.md", r"\A", "changed\n", "not committed")):
        edited(path, pattern, by)
        checks(tree, 1, words)
        git(tree, "checkout", "--quiet", "--", ".")
    git(tree, "commit", "--quiet", "--allow-empty", "--message", "another commit")
    checks(tree, 1, f"the tag v{version} stands at another commit")
print(f"{checked} trees, {failed} failed")
sys.exit(failed != 0)
