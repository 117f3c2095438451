# SPDX-License-Identifier: BSL-1.0
"""cmake/release lets a tree pass that can be released, names whatever is in the way, and writes the source archive and its sum."""

import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
failed = checked = 0


def git(where, *words):
    subprocess.run(["git", "-C", where, "-c", "user.name=a", "-c", "user.email=a@b.invalid", *words], check=True, capture_output=True)


def edited(path, pattern, by):
    text, count = re.subn(pattern, by, path.read_text(), count=1, flags=re.MULTILINE)
    assert count == 1, f"{path}: no {pattern}"
    path.write_text(text)


def checks(tree, status, words, *asked):
    global failed, checked
    ended = subprocess.run([sys.executable, tree / "cmake/release", *asked], capture_output=True, text=True)
    checked += 1
    if ended.returncode != status or words not in ended.stdout + ended.stderr:
        failed += 1
        print(f"FAILED: expected {status} and {words!r}, got {ended.returncode}\n{ended.stdout}{ended.stderr}")


def checks_archive(tree, version):
    """The archive has what is committed, is the same whenever it is written, and its sum is right."""
    global failed, checked
    checks(tree, 0, f"build/stagecut-{version}/SHA256SUMS", "write", "archive")
    place = tree / "build" / f"stagecut-{version}"
    first = (place / "SHA256SUMS").read_text()
    subprocess.run(["sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS"], cwd=place, check=True)
    with tarfile.open(place / f"stagecut-{version}.tar.gz") as archive:
        found = {each.name for each in archive.getmembers() if not each.isdir()}
    listed = subprocess.run(["git", "-C", tree, "ls-files"], check=True, capture_output=True, text=True).stdout.split("\n")[:-1]
    checks(tree, 0, "SHA256SUMS", "write", "archive")
    checked += 1
    if found != {f"stagecut-{version}/{each}" for each in listed} or (place / "SHA256SUMS").read_text() != first or first.count("\n") != 1:
        failed += 1
        print(f"FAILED: the archive has {len(found)} files, git {len(listed)}; sums, twice:\n{first}{(place / 'SHA256SUMS').read_text()}")


def checks_parts(tree, version):
    """What the commands of packages and of the site build stands in the folder, with sums. They take minutes, and have tests of their
    own, so here others stand in their places."""
    global failed, checked
    for command, written in (("cmake/package", "build/packages/stagecut_0_all.deb"), ("docs/site", "build/site/index.html")):
        (tree / command).write_text(f"#!/bin/sh\nset -eu\nmkdir -p {pathlib.Path(written).parent}\necho built >{written}\n")
    git(tree, "commit", "--quiet", "--all", "--message", "quick commands")
    checks(tree, 0, "stagecut_0_all.deb", "write", "site", "packages", "archive")
    place = tree / "build" / f"stagecut-{version}"
    subprocess.run(["sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS"], cwd=place, check=True)
    summed = [line.split("  ")[1] for line in (place / "SHA256SUMS").read_text().splitlines()]
    with tarfile.open(place / f"stagecut-{version}-site.tar.gz") as archive:
        pages = archive.getnames()
    checked += 1
    if summed != [f"stagecut-{version}-site.tar.gz", f"stagecut-{version}.tar.gz", "stagecut_0_all.deb"] or f"stagecut-{version}-site/index.html" not in pages:
        failed += 1
        print(f"FAILED: sums of {summed}; the site has {pages}")
    (tree / "docs/site").write_text("#!/bin/sh\nexit 3\n")
    git(tree, "commit", "--quiet", "--all", "--message", "a command that fails")
    checks(tree, 1, "cmake/release: failed: docs/site", "write", "site")
    git(tree, "reset", "--quiet", "--hard", "HEAD~2")


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
    checks(tree, 1, "usage: cmake/release [write", "write", "everything")
    checks(tree, 1, "usage: cmake/release [write", "archive")
    checks_archive(tree, version)
    checks_parts(tree, version)
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
            (tree / "README.md", r"find_package\(stagecut \S+", "find_package(stagecut 0.77", "README.md: names 0.77,"),
            (tree / "docs/install.md", r"stagecut-\d\S+\.tar\.gz\)", "stagecut-7.7.7.tar.gz)", "docs/install.md: names 7.7.7,"),
            (changelog, r"`stagecut::v\d+_\d+`", "`stagecut::v7_7`", "docs/CHANGELOG.md: names 7.7,"),
            (tree / "cmake/ports/stagecut/usage", r"find_package\(stagecut \S+", "find_package(stagecut 0.77", "usage: names 0.77,"),
            (tree / "README.md", r"\A", "changed\n", "not committed")):
        edited(path, pattern, by)
        checks(tree, 1, words)
        checks(tree, 1, words, "write", "archive")
        git(tree, "checkout", "--quiet", "--", ".")
    git(tree, "commit", "--quiet", "--allow-empty", "--message", "another commit")
    checks(tree, 1, f"the tag v{version} stands at another commit")
print(f"{checked} trees, {failed} failed")
sys.exit(failed != 0)
