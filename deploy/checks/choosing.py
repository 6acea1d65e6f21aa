"""Which test targets and steps a change needs, by the graph of the manifest."""

import dataclasses
import subprocess

from catalogue import LATER, READ, STEPS
from graph import ROOT, SERVED

# What decides how the checks themselves run: a change of it needs all of them.
DECIDING = ("Package.swift", "Package.resolved", "deploy/test", "deploy/checks/", "deploy/prepare")
# What every trial imports.
SHARED_TRIALS = ("Tests/Trials/",)
PAGES = (".md", ".txt", ".docc", "LICENSE", "NOTICE", ".editorconfig", ".gitignore", "CODEOWNERS")


@dataclasses.dataclass
class Choice:
    """What runs, and for each why."""

    tests: dict
    steps: dict
    reasons: list

    @property
    def is_empty(self):
        """Whether only the style is looked at."""
        return not self.tests and not self.steps


def everything(graph, why="everything"):
    """All test targets but those that are for later, and all steps."""
    tests = dict.fromkeys(graph.tests - LATER, why)
    return Choice(tests, {step.name: why for step in STEPS}, [f"{why}: all test targets and all steps"])


def changed(revision):
    """The files that differ from the revision, those that are not committed among them."""
    tracked = subprocess.run(["git", "diff", "--name-only", "-z", "--no-renames", revision, "--"], cwd=ROOT, check=True,
                             capture_output=True, text=True).stdout
    new = subprocess.run(["git", "ls-files", "--others", "--exclude-standard", "-z"], cwd=ROOT, check=True,
                         capture_output=True, text=True).stdout
    return sorted(set(filter(None, (tracked + new).split("\0"))))


def since(graph, paths):
    """The choice for these changed files, by their paths."""
    tests, steps, modules, reasons = {}, {}, {}, []
    for path in paths:
        if path.startswith(DECIDING):
            return everything(graph, f"{path} changed")
        why, known = f"{path} changed", len(tests) + len(steps)
        for folder, readers in READ.items():
            if path.startswith(folder):
                tests.update({name: why for name in readers if name not in tests})
        for step in STEPS:
            files = step.files if not path.endswith(PAGES) else [file for file in step.files if file == path]
            if path.startswith((step.folder, *files, *SHARED_TRIALS)):
                steps.setdefault(step.name, why)
        owner = graph.owner(path)
        if owner and not path.startswith(SERVED) and not path.endswith(PAGES):
            modules.setdefault(owner, path)
        elif path.endswith(".swift") and not owner:
            return everything(graph, f"{path} belongs to no target")
        elif known == len(tests) + len(steps):
            reasons.append(f"{path}: nothing but the style")
    for name, path in modules.items():
        tests.update(dict.fromkeys(graph.dependents([name]) & graph.tests - set(tests), f"reaches {name}: {path}"))
        for step in STEPS:
            if name in step.needs or name in graph.reached(step.modules):
                steps.setdefault(step.name, f"proves {name}: {path}")
    return Choice(tests, steps, reasons)
