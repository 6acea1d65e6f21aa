"""The files of a repository, as the rules read them: what git tracks, and what is new and not ignored."""

import os
import pathlib
import subprocess

from .arrows import Arrows
from .imports import LAYERS, layer_of
from .source import SourceFile

CODE = ("Sources/", "Tests/", "Load/")


class Tree:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.paths = self.listed()
        self.texts = {}
        self.files = [SourceFile(path, self.text(path)) for path in self.paths
                      if path.endswith(".swift") and (path.startswith(CODE) or path == "Package.swift")]
        self.pages = [path for path in self.paths if path.endswith(".md")]
        self.names = {os.path.basename(path) for path in self.paths}
        self.folders = {folder for path in self.paths for folder in parents(path)}
        self.arrows = Arrows(self.text("Package.swift"))
        # The functions that the protocols of the house ask for, by name.
        self.requirements = set().union(*(file.requirements for file in self.files))
        self.layer_types = {module: {name: layer_of(file) for file in self.files if file.room == module
                                     for name in file.outer_types} for module in LAYERS}

    def listed(self):
        answer = subprocess.run(
            ["git", "-C", self.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            stdout=subprocess.PIPE, text=True, check=True).stdout
        return sorted(path for path in set(answer.split("\0")) if path and os.path.isfile(self.root / path))

    def text(self, path):
        if path not in self.texts:
            self.texts[path] = (self.root / path).read_text(encoding="utf-8")
        return self.texts[path]

    def has(self, path):
        """Whether a file or a folder exists."""
        return os.path.exists(self.root / path)

    def of_room(self, room):
        return [file for file in self.files if file.room == room]

    def tests(self):
        return [file for file in self.files if file.is_test]


def parents(path):
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
