"""The command `run`: format, rules, figures and linters, without a build."""

import argparse
import concurrent.futures
import gc
import sys
import time

from . import checks, documentation, english, guarantees, imports, lengths, linters, machine, names, pages, plants, promises, skipping, words
from .counter import ADVICE, RECORD, ROOT, check
from .counting import House
from .figures import Record
from .format import Format
from .rule import CHECKS, PROOFS, RULES
from .tree import Tree
from .verdict import Verdict

# The modules whose rules, checks and proofs are applied, in this order.
SOURCES = (checks, lengths, words, english, names, imports, documentation, pages, promises, guarantees, machine, skipping, plants)

HELP = """What a habit of this code wants: format, rules, links of pages, the figures of the house, linters. Needs no build.

Each finding is a line "file:line: sentence". The last line is "N passed, M failed".
"""


def proofs(verdict, tree):
    """The rules' own tests: a rule that finds nothing in its bad example is a failure."""
    for rule in RULES:
        verdict.add(f"the examples of: {rule.name}", examples(rule, tree))
    for name, function in PROOFS:
        verdict.add(name, proven(function))


def examples(rule, tree):
    if not list(rule.findings(rule.bad, tree)):
        yield f"Tests/StyleTests: the rule finds nothing in its bad example: {rule.name}"
    for _, sentence in rule.findings(rule.good, tree):
        yield f"Tests/StyleTests: the rule finds something in its good example: {rule.name}: {sentence}"


def proven(function):
    try:
        function()
    except AssertionError as error:
        yield f"Tests/StyleTests: {function.__module__}.{function.__name__}: {error}"


def rules(verdict, tree):
    for rule in RULES:
        verdict.add(rule.name, (f"{file.path}:{line}: {sentence}" for file in tree.files
                                for line, sentence in rule.findings(file, tree)))
    for name, function in CHECKS:
        verdict.add(name, checked(function, tree))


def checked(function, tree):
    """The findings of a check. A file that it needs and does not find is one."""
    try:
        return list(function(tree))
    except FileNotFoundError as error:
        return [f"{error.filename}: is not there"]


def figures(verdict, tree):
    record = Record(RECORD.read_text() if RECORD.exists() else "")
    for title, rises, fell in check(House(tree.files), record):
        verdict.add(title, (f"Tests/StyleTests/figures: {sentence}: {ADVICE}" for sentence in rises))
        if fell:
            print(f"lower than recorded: {title}. Run `Tests/StyleTests/count --record`, and commit the file")


def main():
    parser = argparse.ArgumentParser(description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-format", action="store_true", help="leave out the format and the linters, which take longest")
    parser.add_argument("--notice", action="store_true", help="only hold NOTICE against the versions that a build resolved")
    options = parser.parse_args()
    began, verdict = time.monotonic(), Verdict()
    if options.notice:
        verdict.add("the notice names the versions of the build", promises.resolved(ROOT))
        return verdict.end()
    gc.disable()  # Everything that is read stays until the end, so that looking for garbage is lost time.
    with concurrent.futures.ThreadPoolExecutor(max_workers=16) as pool:
        tree = Tree(ROOT)
        slow = []
        if not options.no_format:
            slow = [("format", pool.submit(Format(ROOT, [file.path for file in tree.files]).findings))]
            slow += linters.start(pool, (ROOT / "Tests/StyleTests/linters").read_text(), ROOT)
        proofs(verdict, tree)
        rules(verdict, tree)
        figures(verdict, tree)
        print(f"rules and figures: {len(tree.files)} files of Swift, {len(tree.pages)} pages, "
              f"{time.monotonic() - began:.1f} s", flush=True)
        for name, future in slow:
            verdict.add(name, future.result())
            print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)
    return verdict.end()


def run():
    sys.exit(main())


