"""What the server promises is shown by tests that `deploy/test` runs: each name in the last column of the page of guarantees."""

import importlib
import os
import re
import sys

from .counter import ROOT
from .rule import check, proof
from .source import SourceFile

PAGE = "Sources/Programs/Server/Server.docc/Guarantees.md"
# What stands after a program that only `deploy/nightly` runs.
AT_NIGHT = "at night"
# A program with words for a part of what it runs anyway. Words of other programs choose what else to run.
PARTS = {"Tests/FaultTests/run"}
# Words of the page that stand for a program, as its first section says: the step that runs it, and the text there.
WORDS = {"replay": ("Tests/CrashTests/run", '"replay"')}
KINDS = frozenset(["struct", "class", "enum", "actor", "extension"])


def catalogue():
    """The steps of `deploy/test`, and the test targets that it leaves for later."""
    folder = str(ROOT / "deploy/checks")
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module("catalogue")


def rows(text):
    """(promise, what shows it) of each row of each table."""
    for line in text.split("\n"):
        if line.startswith("| ") and not line.startswith("| promise "):
            cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
            yield cells[0], cells[-1]


def names(cell):
    """(name, whether it is for the night) of each name in a last column. `replay` and `deploy/nightly` are names, too."""
    marked = re.findall(rf"(?:`([^`]+)`|\b(replay)\b)( {AT_NIGHT})?", cell)
    return [(quoted or plain, bool(night)) for quoted, plain, night in marked]


def shown(files):
    """The test targets of each suite, and of each target's own name, that have a test which `deploy/test` does not leave out by its
    mark."""
    found = {}
    for file in files:
        tests = [place for place in file.keywords["@Test"] if not is_left_out(file, place)]
        if not tests:
            continue
        target = next((part for part in file.folders[1:-1] if part.endswith("Tests")), "")
        for name in [target, *suites(file, tests)]:
            found.setdefault(name, set()).add(target)
    return found


def is_left_out(file, place):
    """Whether the first trait of a test or a suite is a mark with which it does not run."""
    return not {"planted", "disabled"}.isdisjoint(file.tokens[place + 1:place + 4])


def suites(file, tests):
    """The types whose braces hold one of the tests; the places are those of tokens."""
    for index, token in enumerate(file.tokens):
        if token in KINDS and file.at(index + 1).endswith("Tests"):
            before = [place for place in range(max(0, index - 12), index) if file.tokens[place] == "@Suite"]
            opening = next((place for place in range(index, len(file.tokens)) if file.tokens[place] == "{"), index)
            end = file.closing_braces.get(opening, opening)
            if any(opening < place < end for place in tests) and not any(is_left_out(file, place) for place in before):
                yield file.at(index + 1)


class Runs:
    """What `deploy/test` and `deploy/nightly` run."""

    def __init__(self, files, manifest, steps, later, nightly):
        self.shown, self.nightly = shown(files), nightly
        self.steps = [step.words.split() for step in steps]
        declared = re.findall(r'tests\(\s*of: "\w+/(\w+)"', manifest)
        self.targets = {f"{name}Tests" for name in declared} | set(re.findall(r'name: "(\w+Tests)"', manifest))
        self.targets -= set(later)

    def lacking(self, name, is_night):
        """Why a name shows nothing; empty when it does."""
        if name in WORDS:
            path, text = WORDS[name]
            is_there = any(command[0] == path for command in self.steps) and text in (ROOT / path).read_text()
            return "" if is_there else f"no step of `deploy/test` plays `{name}`"
        if "/" in name:
            return self.lacking_program(name, is_night)
        if name not in self.shown:
            return f"there is no suite `{name}` with a test"
        return "" if self.shown[name] & self.targets else f"`deploy/test` does not run the tests of `{name}`"

    def lacking_program(self, name, is_night):
        path, _, words = name.partition(" ")
        if not os.access(ROOT / path, os.X_OK):
            return f"there is no program `{path}`"
        if path == "deploy/nightly":
            return ""
        if is_night:
            return "" if name in self.nightly else f"`deploy/nightly` does not run `{name}`"
        started = [command for command in self.steps if command[0] == path]
        if started and (not words or path in PARTS or any(words in command for command in started)):
            return ""
        return f"no step of `deploy/test` runs `{name}`: write `{AT_NIGHT}` after it, and name what shows it in `deploy/test`"


@check("each promise of the page of guarantees is shown by what deploy/test runs")
def guarantees(tree):
    known, found = catalogue(), list(rows(tree.text(PAGE)))
    runs = Runs(tree.tests(), tree.text("Package.swift"), known.STEPS, known.LATER, tree.text("deploy/nightly"))
    if len(found) < 40:
        yield f"{PAGE}: only {len(found)} promises are read"
    for promise, cell in found:
        named = names(cell)
        if not any(name != "deploy/nightly" and not is_night for name, is_night in named):
            yield f"{PAGE}: nothing in `deploy/test` shows: {promise}"
        for name, is_night in named:
            if reason := runs.lacking(name, is_night):
                yield f"{PAGE}: {reason}"


@proof("a promise without a test that runs is found")
def found():
    page = "| promise | how | shown by |\n|---|---|---|\n| a `b` | c | `ATests`, replay; `Tests/A/run x` at night |\n"
    assert list(rows(page)) == [("a `b`", "`ATests`, replay; `Tests/A/run x` at night")]
    assert names("`ATests`, replay; `Tests/A/run x` at night") == [("ATests", False), ("replay", False), ("Tests/A/run x", True)]
    suite = SourceFile("Tests/Log/StoreTests/ATests.swift", "struct ATests {\n    @Test func `b`() {}\n}\nstruct B { var a: A }\n")
    planted = SourceFile("Tests/Log/StoreTests/ATests.swift", "struct ATests {\n    @Test(.planted) func `b`() {}\n}\n")
    known = catalogue()

    def reason(name, files=(), is_night=False, later=()):
        return Runs(files, 'tests(\n  of: "Log/Store",', known.STEPS, later, "Tests/SimulationTests/run").lacking(name, is_night)
    assert not reason("ATests", [suite]) and not reason("StoreTests", [suite]) and not reason("replay")
    assert reason("ATests", [planted]) and reason("BTests", [suite]) and reason("ATests", [suite], later=["StoreTests"])
    assert not reason("Tests/CrashTests/run") and reason("Tests/Nobody/run")
    assert reason("Tests/SimulationTests/run") and not reason("Tests/SimulationTests/run", is_night=True)
    assert not reason("Tests/PushTrials/run crash") and reason("Tests/PushTrials/run figures")
    assert not reason("Tests/FaultTests/run slow-stop")
