"""How `deploy/test` builds: the modules of the server are optimised, with all of their checks, since the tests of it then save more
time than that takes; tests are not. It has a folder of its own, so `swift build` need not build everything again afterwards.

    building.py PROGRAM             builds one program, and prints its path last
    building.py --linker FOLDER     prints the options for the linker; they name a file in the folder
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

from graph import ROOT

FOLDER = ".build-check"


def linker(folder):
    """The options for the linker that comes with Swift, which takes less than half the time of the system's; none where there is
    none."""
    program = pathlib.Path(shutil.which("swift")).resolve().parent / "ld.lld"
    if not program.exists():
        return []
    file = pathlib.Path(folder) / "toolset.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"schemaVersion": "1.0", "linker": {"path": str(program)}}))
    return ["--toolset", str(file)]


def command(*options, folder=FOLDER):
    """The command of a build in a folder. No debugging information is made, which nobody reads here."""
    return ["swift", "build", "--scratch-path", str(folder), "-debug-info-format", "none",
            "--explicit-target-dependency-import-check", "error", *linker(folder), *options]


def only(rooms):
    """The variable of a build that makes what these modules' tests and these programs reach, and nothing else."""
    return {"ROOM": ",".join(sorted(rooms))}


def environment(rooms):
    """The variables of the build of a check."""
    return {"OPTIMIZED": "1", **only(rooms)}


def programs():
    """The folder of what was built."""
    return subprocess.run(["swift", "build", "--scratch-path", FOLDER, "--show-bin-path"], cwd=ROOT, check=True, capture_output=True,
                          text=True).stdout.strip()


if __name__ == "__main__":
    if sys.argv[1] == "--linker":
        print(*linker(sys.argv[2]))
    else:
        subprocess.run(command("--product", sys.argv[1]), cwd=ROOT, check=True, env={**os.environ, **environment(sys.argv[1:])})
        print(f"{programs()}/{sys.argv[1]}")
