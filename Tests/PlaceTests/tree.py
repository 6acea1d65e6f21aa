"""The files of a checkout as texts, with changes that are not written anywhere: so a rule is tried on a changed tree in no time."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ("Sources", "Tests", "Load", "deploy")


class Tree:
    """A checkout. `changes` are texts of files by their paths from the root, in place of those on the disk."""

    _listed = {}
    _read = {}

    def __init__(self, changes=None):
        self.changes = changes or {}

    def text(self, path):
        """The text of a file; empty when there is none."""
        if path in self.changes:
            return self.changes[path]
        if path not in self._read:
            place = ROOT / path
            self._read[path] = place.read_text(encoding="utf-8") if place.is_file() else ""
        return self._read[path]

    def files(self, folder, suffix):
        """The paths of a folder's files, at any depth, in order."""
        if not self._listed:
            for top in FOLDERS:
                for place in (ROOT / top).rglob("*"):
                    if "node_modules" not in place.parts and place.is_file():
                        self._listed[place.relative_to(ROOT).as_posix()] = True
            for place in ROOT.glob("*.md"):
                self._listed[place.name] = True
        names = self._listed.keys() | self.changes.keys()
        return sorted(name for name in names if name.startswith(folder) and name.endswith(suffix))

    def texts(self, folder, suffix):
        return {path: self.text(path) for path in self.files(folder, suffix)}

    def with_changes(self, places):
        """This tree with some places filled."""
        changed = Tree(dict(self.changes))
        for place in places:
            changed.changes[place.path] = place.fill(changed.text(place.path))
        return changed


class Place:
    """A text that an example adds: a whole file, or some lines before a line that is there already."""

    def __init__(self, path, text, before=None, after=None):
        self.path, self.added, self.before, self.after = path, text, before, after

    def fill(self, text):
        anchor = self.before or self.after
        if anchor is None:
            assert not text, f"{self.path} is there already; give the example another name"
            return self.added
        assert text.count(anchor) == 1, f"{self.path} has {text.count(anchor)} places '{anchor}', and the example needs one"
        return text.replace(anchor, self.added + anchor if self.before else anchor + self.added)
