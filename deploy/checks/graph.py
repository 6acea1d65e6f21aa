"""The modules of the package as the manifest declares them, and who reaches whom."""

import json
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Files that `CEmbeddedFiles` compiles and whose text only matters to those that serve them.
SERVED = ("Sources/Programs/Demo/Pages/", "Sources/Device/WebLibrary/Files/")


def dumped(environment):
    """The manifest as SwiftPM reads it."""
    # In a folder of its own, so that it waits for no build.
    with tempfile.TemporaryDirectory() as scratch:
        return subprocess.run(["swift", "package", "--scratch-path", scratch, "dump-package"], cwd=ROOT, env=environment,
                              check=True, capture_output=True, text=True).stdout


class Graph:
    """Targets by their names."""

    def __init__(self, manifest):
        self.folders, self.sees, self.tests = {}, {}, set()
        for target in manifest["targets"]:
            name, is_test = target["name"], target["type"] == "test"
            self.folders[name] = target.get("path") or ("Tests/" if is_test else "Sources/") + name
            self.sees[name] = {given[0] for kind in target["dependencies"] for key, given in kind.items()
                               if key in ("byName", "target")}
            if is_test and name.endswith("Tests"):
                self.tests.add(name)

    @classmethod
    def current(cls):
        """That of the manifest in this folder."""
        graph = cls(json.loads(dumped({name: value for name, value in os.environ.items() if name != "ROOM"})))
        # Tests see the programs that they start, too: the manifest has them in a list of its own.
        for test, programs in re.findall(r'"(\w+Tests)": \[([^\]]*)\]', (ROOT / "Package.swift").read_text()):
            graph.sees[test] |= set(re.findall(r'"([\w-]+)"', programs))
        return graph

    def reached(self, names):
        """The targets that these see, and what those see in turn; with themselves."""
        found, waiting = set(), [name for name in names if name in self.sees]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += [seen for seen in self.sees[name] if seen in self.sees]
        return found

    def dependents(self, names):
        """The targets that reach one of these; with themselves."""
        wanted = set(names)
        return {name for name in self.sees if self.reached([name]) & wanted}

    def owner(self, path):
        """The target whose folder the file lies in; None when there is none."""
        owners = [name for name, folder in self.folders.items() if path.startswith(folder + "/")]
        return max(owners, key=lambda name: len(self.folders[name]), default=None)
