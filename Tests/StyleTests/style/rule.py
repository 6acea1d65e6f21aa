"""One rule about single files. It comes with a text that breaks it and one that keeps it, so that no rule can be
written that never fails."""

import dataclasses
import typing

from .source import SourceFile


@dataclasses.dataclass(frozen=True)
class Rule:
    """`findings(file, house)` yields (line, sentence) for each place where the file breaks the rule."""

    name: str
    bad: SourceFile
    good: SourceFile
    findings: typing.Callable


RULES = []


def rule(name, bad, good):
    """Makes a function a rule of this name. `bad` and `good` are (path, text)."""
    def made(function):
        RULES.append(Rule(name, SourceFile(*bad), SourceFile(*good), function))
        return function
    return made


# A check of the whole tree: (name, function). The function gets the tree and yields findings as texts.
CHECKS = []


def check(name):
    def made(function):
        CHECKS.append((name, function))
        return function
    return made


# A test of the rules themselves: it raises AssertionError.
PROOFS = []


def proof(name):
    def made(function):
        PROOFS.append((name, function))
        return function
    return made
