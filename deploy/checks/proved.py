"""What an earlier run in this tree has proved with exactly the same: that step does not run again, and its count is carried.

Only for steps of `catalogue.DECIDED`: those whose result depends on files and programs, and not on how fast the machine is. What
was proved lies in the folder of the build, so a clean clone has proved nothing. A step that failed, or passed only when it ran once
more, is forgotten.
"""

import datetime
import hashlib
import json
import os
import pathlib
import platform
import subprocess

from choosing import DECIDING
from graph import ROOT


def contents(root, place):
    """The files of a place (a file, or a folder with all below it) with their bytes, without pages."""
    start = root / place
    found = [start] if start.is_file() else sorted(path for path in start.rglob("*") if path.is_file())
    for path in found:
        if path.suffix != ".md" and "__pycache__" not in path.parts:
            yield str(path.relative_to(root)), path.read_bytes()


def machine():
    """What the machine brings: its processor, its Swift and its packages."""
    packages = pathlib.Path("/var/lib/dpkg/status")
    models = [line for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")][:1]
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=False).stdout
    settings = sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("WATCHWISE"))
    return [platform.release(), *models, swift, packages.read_text(errors="replace") if packages.exists() else "", *settings]


class Proved:
    """What steps have proved, by their names, in a file of the build's folder."""

    def __init__(self, file, decided, graph, programs, root=ROOT):
        self.file, self.decided, self.graph = pathlib.Path(file), decided, graph
        self.programs, self.root = pathlib.Path(programs), root
        self.machine = machine()

    def digest(self, name):
        """All that decides the result of a step; None for a step that always runs."""
        if name not in self.decided:
            return None
        inputs = self.decided[name]
        sums = hashlib.sha256("\0".join(self.machine).encode())
        places = [*inputs.files, *DECIDING, *sorted(self.graph.folders[module] for module in self.graph.reached(inputs.modules))]
        found = [item for place in places for item in contents(self.root, place)]
        for path, text in [*found, *((program, (self.programs / program).read_bytes()) for program in inputs.programs)]:
            sums.update(f"{path} {len(text)}\0".encode() + text)
        return sums.hexdigest()

    def entries(self):
        """The file; empty where it is not there or not as this program writes it."""
        try:
            return json.loads(self.file.read_text())
        except (OSError, ValueError):
            return {}

    def found(self, name, digest):
        """(passed, when) if a run has proved the step with this digest; otherwise None."""
        entry = self.entries().get(name)
        return (entry["passed"], entry["when"]) if digest and entry and entry["digest"] == digest else None

    def keep(self, name, digest, passed):
        """A step passed. It counts only if nothing has changed while it ran."""
        if digest and digest == self.digest(name):
            when = datetime.datetime.now().isoformat(" ", "minutes")
            self.write({**self.entries(), name: {"digest": digest, "passed": passed, "when": when}})

    def forget(self, name):
        """A step failed."""
        self.write({key: entry for key, entry in self.entries().items() if key != name})

    def write(self, entries):
        """The new file comes in one piece."""
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps(entries, indent=1) + "\n")
        new.replace(self.file)
