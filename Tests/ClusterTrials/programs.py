"""Programs of a trial: an older one and a newer one, and nodes whose program can be exchanged while bots go on."""

import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy"))

from cluster_parts.processes import Problem  # noqa: E402

#: The oldest commit that a cluster may mix with this one: the tables of the database and the messages between nodes are the
#: same. A change of the tables needs `watchwise cluster upgrade`, and moves this.
BEFORE = "5347fd85"


def say(line):
    print(f"        {line}", flush=True)


def build(tree, scratch, release, *flags):
    """Builds the program of a tree, with progress. Returns its path."""
    words = ["swift", "build", "--package-path", str(tree), "--scratch-path", str(scratch), "--product", "watchwise",
             *(["-c", "release"] if release else []), *flags]
    say(" ".join(words))
    shown = time.monotonic()
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        lines = []
        for line in process.stdout:
            lines.append(line.rstrip())
            if time.monotonic() - shown > 15:
                shown = time.monotonic()
                say(lines[-1][:100])
    if process.returncode != 0:
        raise Problem("the program cannot be built: " + "; ".join(lines[-4:]))
    return pathlib.Path(scratch, "release" if release else "debug", "watchwise")


def before(revision, release):
    """The program of an earlier commit, built once in a work tree of its own."""
    tree = ROOT / f".build/before-{revision}"
    program = tree / ".build" / ("release" if release else "debug") / "watchwise"
    if program.exists():
        return program
    if not tree.exists():
        subprocess.run(["git", "-C", str(ROOT), "worktree", "add", "--detach", str(tree), revision], check=True,
                       stdin=subprocess.DEVNULL, capture_output=True)
    return build(tree, tree / ".build", release)


def newer(release):
    """This program with one migration more (Sources/Log/Store/Schema/TrialMigration.swift)."""
    return build(ROOT, ROOT / ".build/trial-schema", release, "-Xswiftc", "-DTRIAL_MIGRATION")


def version(program):
    """The lines of `watchwise --version`."""
    return subprocess.run([str(program), "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=True).stdout.strip().splitlines()


def install(node, program):
    """Puts a program where a node is started from, as a package does: the running process keeps the old file."""
    place = pathlib.Path(f"{node.folder.parent}.bin", "watchwise")
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(program, place.with_suffix(".new"))
    os.replace(place.with_suffix(".new"), place)
    node.binary = place
